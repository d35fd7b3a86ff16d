"""What the database holds about a stage, as plain data: the shared vocabulary of all pure code.

Ids are the database's and serve as keys only; nothing is ever ordered by them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import NamedTuple


class Phase(StrEnum):
    """How far a stage is. House rules, "16:00: no new game starts, running ones finish"."""

    PLANNED = "planned"
    OPEN = "open"
    CLOSING = "closing"
    CLOSED = "closed"


class Standing(StrEnum):
    """Whether an entry still competes for what comes next."""

    IN = "in"
    WITHDRAWN = "withdrawn"
    DISQUALIFIED = "disqualified"


class MachineState(StrEnum):
    """How a machine stands in a stage. House rules, "Machine removed; scores are ranked"."""

    OPEN = "open"
    LET_STAND = "let-stand"
    CANCELLED = "cancelled"
    RESCALED = "rescaled"


class Entrant(NamedTuple):
    """Whoever competes. `number` is what people see and call; `group` where the stage is played in groups.

    `went_on` says that this stage has given it a seat in a later one, also where somebody else took that seat since.
    """

    id: int
    number: int
    name: str
    standing: Standing = Standing.IN
    group: str = ""
    went_on: bool = False


class StageMachine(NamedTuple):
    """A machine used in the stage.

    Of one that is withdrawn: the name of what stands in, the factor if any, and the reason of the ruling on it.
    """

    id: int
    code: str
    name: str
    state: MachineState = MachineState.OPEN
    in_order: bool = True
    substitute: str = ""
    factor: Decimal | None = None
    why: str = ""

    @property
    def ranked(self) -> bool:
        """Whether scores on it are ranked there; those of a rescaled machine are ranked on its substitute."""
        return self.state in (MachineState.OPEN, MachineState.LET_STAND)


class Played(NamedTuple):
    """One live score. A named tuple rather than a dataclass: thousands are made for every table."""

    entry: int
    machine: int
    value: int


class Part(NamedTuple):
    """An entry's part in a match: `value` is what its score counts there, None without one; `away` for one that does
    not play it.
    """

    entry: int
    value: int | None = None
    away: bool = False


class Met(NamedTuple):
    """A match of a stage: two or more against each other on one machine, or one alone.

    `made_on` is where the score of one alone was made whose machine was withdrawn by rescaling: `machine` and the
    value in it are those that it is ranked by.
    """

    machine: int
    parts: tuple[Part, ...]
    round: int = 1
    made_on: int | None = None


class Note(NamedTuple):
    """What a ruling says about an entry, and about its result on a machine where one is meant.

    `value` is what that result counts; None where it counts for nothing, or all results there are meant.
    """

    entry: int
    machine: int | None
    words: str
    value: int | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """An order that people settled, by play-off, by ruling or by lots: `order` has the best entry first.

    `level` are groups that it leaves level, such as equal scores in a play-off: within them `order` says nothing.
    """

    kind: str
    order: tuple[int, ...]
    reason: str = ""
    level: tuple[tuple[int, ...], ...] = ()


@dataclass(frozen=True, slots=True)
class StageFacts:
    """Everything a table of one stage depends on.

    `playing` are (entry, machine) of games started and without a result; `waiting` are entries with a second
    result that somebody has to choose between; `spent` are games that were played and count for nothing, discarded by
    a ruling; `carried` are scores as they were made on machines withdrawn by rescaling, which `played` has where they
    are ranked; `notes` say what a ruling or a withdrawn machine made of a result; `may_enter` is how many people may
    still take a place. `met` are the matches of a stage played in groups; what was scored in them is not in `played`.
    """

    phase: Phase
    entrants: tuple[Entrant, ...]
    machines: tuple[StageMachine, ...]
    played: tuple[Played, ...]
    playing: tuple[tuple[int, int], ...] = ()
    waiting: tuple[tuple[int, int], ...] = ()
    spent: tuple[tuple[int, int], ...] = ()
    carried: tuple[Played, ...] = ()
    notes: tuple[Note, ...] = ()
    decisions: tuple[Decision, ...] = ()
    may_enter: int = 0
    met: tuple[Met, ...] = ()

    def entrant(self, entry: int) -> Entrant:
        """The entrant with this id."""
        return next(entrant for entrant in self.entrants if entrant.id == entry)

    def names(self, entries: tuple[int, ...]) -> str:
        """The entries named for a sentence: "7 Ann Example and 12 Bo Sample", in the order of their numbers."""
        chosen = sorted((e.number, e.name) for e in self.entrants if e.id in entries)
        words = [f"{number} {name}" for number, name in chosen]
        return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


class Result(NamedTuple):
    """One entry's best score on one machine, with the place and points it earns.

    `shared` marks a tie for the place; `of` is how many results the machine has.
    """

    entry: int
    machine: int
    value: int
    place: int
    shared: bool
    points: int
    of: int


class Row(NamedTuple):
    """One entry's line in a table. `place` is None when it is not ranked (no games, or disqualified).

    `counted` are the results that make up `points`, best first; `other` those that were played and do not count.
    `games` is the number of games played, with repeats. A named tuple rather than a dataclass: one is made for
    everybody in every table.
    """

    entry: int
    place: int | None
    shared: bool
    points: int
    games: int
    counted: tuple[Result, ...] = ()
    other: tuple[Result, ...] = ()

    @property
    def results(self) -> tuple[Result, ...]:
        return self.counted + self.other


@dataclass(frozen=True, slots=True)
class Table:
    """The order of a stage: ranked rows first, by place and then by number; the unranked after them."""

    rows: tuple[Row, ...]
    machines: Mapping[int, tuple[Result, ...]]

    def row(self, entry: int) -> Row:
        """The line of this entry."""
        return next(row for row in self.rows if row.entry == entry)

    @property
    def ranked(self) -> tuple[Row, ...]:
        return tuple(row for row in self.rows if row.place is not None)


@dataclass(frozen=True, slots=True)
class QualifyingRules:
    """The part of a format's rules that makes a table out of solo scores.

    Source: house rules, "6 machines of those available, one game on each" and "Points per machine".
    """

    games_allowed: int = 6
    games_counted: int = 6
    games_per_machine: int = 1
    points: str | tuple[int, ...] = "linear-100"
    tied_scores: str = "better"
