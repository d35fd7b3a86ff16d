"""The queries that a table waits for, asked by bare cursors: query sets would double its time.

They are few and always the same, so each database is asked in the way in which it answers them soonest.
"""

import json
from decimal import Decimal
from functools import cache
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from django.db import connection


class Question(NamedTuple):
    """A query by its name, the types of its parameters as PostgreSQL calls them, and how many columns it has."""

    name: str
    parameters: tuple[str, ...]
    columns: int
    sql: str


SCORES = Question(
    "scores",
    ("bigint",),
    4,
    """
    SELECT entry_id, machine_id, COALESCE(ranked, value), state FROM tournaments_score
    WHERE stage_id = %s AND state <> 'void'
""",
)
ALONE = Question("alone", ("bigint",), 4, f"{SCORES.sql} AND match_id IS NULL")
SIDES = Question(
    "sides",
    ("bigint",),
    7,
    """
    SELECT match.id, match.machine_id, match.round, side.entry_id, side.absent, score.state,
        COALESCE(score.ranked, score.value)
    FROM tournaments_side side JOIN tournaments_match match ON match.id = side.match_id
    LEFT JOIN tournaments_score score ON score.match_id = match.id AND score.entry_id = side.entry_id
        AND score.state IN ('recorded', 'agreed', 'discarded')
    WHERE match.stage_id = %s AND match.state <> 'void' ORDER BY match.round, match."order", side.rank
""",
)
ENTRANTS = Question(
    "entrants",
    ("bigint",),
    6,
    """
    SELECT entry.id, entry.number, COALESCE(player.name, entry.title), entry.status, '', 0
    FROM tournaments_entry entry LEFT JOIN tournaments_player player ON player.id = entry.player_id
    WHERE entry.tournament_id = %s AND entry.status <> 'merged' ORDER BY entry.number
""",
)
SEATED = Question(
    "seated",
    ("bigint",),
    6,
    """
    SELECT entry.id, entry.number, COALESCE(player.name, entry.title), entry.status, seat."group",
        CASE WHEN EXISTS (
            SELECT 1 FROM tournaments_seat later JOIN tournaments_stage after ON after.id = later.stage_id
            WHERE later.entry_id = entry.id AND after.position > own.position
        ) THEN 1 ELSE 0 END
    FROM tournaments_seat seat JOIN tournaments_stage own ON own.id = seat.stage_id
    JOIN tournaments_entry entry ON entry.id = seat.entry_id
    LEFT JOIN tournaments_player player ON player.id = entry.player_id
    WHERE seat.stage_id = %s ORDER BY seat.seed
""",
)
MACHINES = Question(
    "machines",
    ("bigint",),
    7,
    """
    SELECT machine.id, machine.code, machine.name, used.state, used.substitute_id, used.factor, machine.in_order
    FROM tournaments_stagemachine used JOIN tournaments_machine machine ON machine.id = used.machine_id
    WHERE used.stage_id = %s ORDER BY machine.name, machine.code
""",
)
RULINGS = Question(
    "rulings",
    ("bigint", "bigint"),
    7,
    """
    SELECT ruling.kind, CAST(ruling.data AS text), ruling.reason, COALESCE(score.entry_id, ruling.entry_id),
        COALESCE(score.machine_id, ruling.machine_id), score.state, COALESCE(score.ranked, score.value)
    FROM tournaments_ruling ruling LEFT JOIN tournaments_score score ON score.id = ruling.score_id
    WHERE ruling.tournament_id = %s AND ruling.undone_at IS NULL
        AND (ruling.stage_id = %s OR ruling.stage_id IS NULL OR ruling.kind = 'replaced')
    ORDER BY ruling.decided_at, ruling.id
""",
)
FREE_PLACES = Question(
    "free_places",
    ("timestamptz", "bigint"),
    2,
    """
    SELECT COUNT(*), COALESCE(SUM(CASE WHEN closes_at IS NULL OR closes_at > %s THEN capacity - taken END), 0)
    FROM tournaments_placepool WHERE tournament_id = %s
""",
)

_prepared: WeakKeyDictionary[Any, set[Question]] = WeakKeyDictionary()
"""The questions that each connection to PostgreSQL knows by name."""


def ask(*questions: tuple[Question, tuple[Any, ...]]) -> list[list[Any]]:
    """The rows that each of the queries finds with these values, all in one trip to the database."""
    if connection.vendor == "postgresql":
        return _ask_by_name(questions)
    return _ask_for_one_row(questions)


def _ask_by_name(questions: tuple[tuple[Question, tuple[Any, ...]], ...]) -> list[list[Any]]:
    """A further trip to PostgreSQL costs as much as a query, and to plan one costs more than to answer it."""
    connection.ensure_connection()
    known = _prepared.setdefault(connection.connection, set())
    with connection.cursor() as cursor:
        new = {question for question, _ in questions} - known
        if new:
            cursor.execute(";".join(map(_preparation, new)))
            known |= new
        names = (f"EXECUTE {question.name}({', '.join(['%s'] * len(values))})" for question, values in questions)
        cursor.execute(";".join(names), [value for _, values in questions for value in values])
        answers = [list(cursor.fetchall())]
        while cursor.nextset():
            answers.append(list(cursor.fetchall()))
    return answers


def _preparation(question: Question) -> str:
    numbered = question.sql % tuple(f"${number}" for number in range(1, len(question.parameters) + 1))
    return f"PREPARE {question.name}({', '.join(question.parameters)}) AS {numbered}"


def _ask_for_one_row(questions: tuple[tuple[Question, tuple[Any, ...]], ...]) -> list[list[Any]]:
    """SQLite's driver lets go of the interpreter at each row that it steps to. Where several threads read, taking it
    back cost more than all the reading, so the whole answer is one row."""
    with connection.cursor() as cursor:
        cursor.execute(
            _in_one_row(tuple(question for question, _ in questions)),
            [value for _, values in questions for value in values],
        )
        found = cursor.fetchone()
    return [json.loads(rows, parse_float=Decimal) for rows in found]


@cache
def _in_one_row(questions: tuple[Question, ...]) -> str:
    """One query that lists what each of them finds as JSON, in the order in which it finds it."""
    listed = []
    for question in questions:
        columns = ", ".join(f"c{number}" for number in range(question.columns))
        rows = f"WITH found({columns}) AS ({question.sql})"
        listed.append(f"({rows} SELECT json_group_array(json_array({columns})) FROM found)")  # noqa: S608 - only our own
    return f"SELECT {', '.join(listed)}"
