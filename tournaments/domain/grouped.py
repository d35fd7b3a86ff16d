"""A group of a stage that is played in groups: its table, who goes on from it, and what has to be played off."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tournaments.domain.facts import Row, Table
from tournaments.domain.finals import Outcome


@dataclass(frozen=True, slots=True)
class Group:
    """One group. `rows` in order, the unranked last; `why` has the reasons for each place, in sentences, by entry."""

    label: str
    rows: tuple[Row, ...]
    outcome: Outcome
    why: Mapping[int, tuple[str, ...]]


def one_table(groups: Iterable[Group]) -> Table:
    """All groups below each other, each with its own places."""
    return Table(rows=tuple(row for group in groups for row in group.rows), machines={})
