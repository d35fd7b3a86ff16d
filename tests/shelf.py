"""Worlds that many tests begin with are played once by each process and then put back from a shelf.

A world goes through the services, as everything does: some hundred queries for a small one, ten thousand for a
rehearsal. Where the same world is asked for again in an empty database its rows are put back as they were.
"""

import functools
import pickle
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple, ParamSpec, TypeVar

import time_machine
from django.apps import apps
from django.db import connection, transaction

from tournaments.formats import StageSpec

P = ParamSpec("P")
R = TypeVar("R")

APPS = ("tournaments", "teams")
"""What else a database holds, such as accounts, is no part of a world."""


class Kept(NamedTuple):
    """The statements that put a world back, and what its function answered."""

    statements: list[tuple[str, list[tuple[Any, ...]]]]
    answer: bytes


_shelf: dict[str, Kept] = {}


def kept(build: Callable[P, R]) -> Callable[P, R]:
    """A function that makes a world: played in an empty database once with the same arguments, put back afterwards.

    Where there is something already, a test has its own time, or the world depends on more than plain values, it is
    always played.
    """

    @functools.wraps(build)
    def made(*args: P.args, **kwargs: P.kwargs) -> R:
        if time_machine.escape_hatch.is_travelling() or not _plain([args, kwargs]) or not _empty():
            return build(*args, **kwargs)
        # A test of which fields can be played must meet the refusals, not a world from a test that allows them all.
        key = repr((build.__module__, build.__qualname__, args, kwargs, StageSpec.playable_by.__qualname__))
        found = _shelf.get(key)
        if found is None:
            answer = build(*args, **kwargs)
            _shelf[key] = Kept(list(_statements()), pickle.dumps(answer))
            return answer
        _put_back(found)
        again: R = pickle.loads(found.answer)  # noqa: S301 - our own
        return again

    return made


def _plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return all(map(_plain, value))
    if isinstance(value, dict):
        return all(map(_plain, [*value, *value.values()]))
    return value is None or isinstance(value, bool | int | str)


@functools.cache
def _tables() -> list[str]:
    models = [model for label in APPS for model in apps.get_app_config(label).get_models(include_auto_created=True)]
    return [model._meta.db_table for model in models]


@functools.cache
def _any_row() -> str:
    """A query that tells whether any table of a world has a row."""
    return "SELECT " + " OR ".join(f"EXISTS (SELECT 1 FROM {table})" for table in _tables())  # noqa: S608 - our own


def _empty() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(_any_row())
        return not cursor.fetchone()[0]


def _statements() -> Iterator[tuple[str, list[tuple[Any, ...]]]]:
    """An INSERT for each table that has rows; on PostgreSQL one text of all of them, read and answered at once."""
    texts = []
    for table in _tables():
        with connection.cursor() as cursor:
            cursor.execute(f"SELECT * FROM {table}")  # noqa: S608 - our own
            rows = cursor.fetchall()
            if not rows:
                continue
            row = f"({', '.join(['%s'] * len(rows[0]))})"
            insert = f"INSERT INTO {table} VALUES "  # noqa: S608 - our own
            if connection.vendor == "postgresql":
                texts.append(insert + ", ".join(cursor.mogrify(row, values) for values in rows))
            else:
                yield insert + row, rows
    if texts:
        yield ";\n".join(texts), []


def _put_back(world: Kept) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for statement, rows in world.statements:
            if rows:
                cursor.executemany(statement, rows)
            else:
                cursor.execute(statement)
