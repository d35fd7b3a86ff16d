"""A group of a stage that is played in groups: its table, who goes on from it, and what has to be played off."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from tournaments.domain.facts import Row, Table
from tournaments.domain.finals import Outcome


@dataclass(frozen=True, slots=True)
class Group:
    """One group. `rows` in order, the unranked last; `why` has the reasons for each place, in sentences, by entry."""

    label: str
    rows: tuple[Row, ...]
    outcome: Outcome
    why: Mapping[int, tuple[str, ...]]


class Grouped(NamedTuple):
    """All groups of a stage, and the order of their winners, once known, where more go on than there are seats."""

    groups: tuple[Group, ...]
    winners: Outcome | None


def one_table(groups: Iterable[Group]) -> Table:
    """All groups below each other, each with its own places."""
    return Table(rows=tuple(row for group in groups for row in group.rows), machines={})


class Reserve(NamedTuple):
    """Who may take a leaver's seat: those who share this place, in words such as "2nd in group A"."""

    entries: tuple[int, ...]
    place: int
    where: str


def reserves(
    groups: Sequence[Group], winners: Outcome | None, leaver: int, out: Collection[int]
) -> tuple[Reserve, ...]:
    """Who comes in when this one leaves the stage behind the groups, the next first; who is level stays so.

    Where more groups have a winner than the next stage has seats, the best winner left out; then the next best of the
    leaver's group. `out` are those who cannot come in: they have a seat already, or have left themselves.
    Source: house rules, "the next in the original order"; what that order is behind groups is our choice.
    """
    orders = [(winners, "of the winners of the groups")] if winners else []
    orders += [
        (group.outcome, f"in group {group.label}")
        for group in groups
        if any(finish.entry == leaver for finish in group.outcome.finishes)
    ]
    found: list[Reserve] = []
    for order, where in orders:
        for place, same in groupby(order.finishes, key=lambda finish: finish.place):
            named = {entry for reserve in found for entry in reserve.entries} | set(out) | {leaver}
            waiting = tuple(finish.entry for finish in same if finish.entry not in named)
            if waiting:
                found.append(Reserve(waiting, place, where))
    return tuple(found)
