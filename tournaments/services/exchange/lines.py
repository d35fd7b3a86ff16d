"""The lines of each file of a tournament folder as plain data, and the columns of each file.

What each file holds is described in README.md, "The files of a tournament".
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from typing import Any, Protocol

from tournaments.models import Ruling
from tournaments.services import game_rulings

Kind = Ruling.Kind

RECORDED, AGREED, PLAYING, DISCARDED = "recorded", "agreed", "playing", "discarded"
WAITING, VOID = "waiting", "void"
SCORE_STATES = (RECORDED, AGREED, PLAYING, DISCARDED, WAITING, VOID)
COUNTED = (RECORDED, AGREED)
LIVE = (*COUNTED, PLAYING, DISCARDED)

NOT_SAID = "-"
"""Stands for one of several states that are not known."""
LOWERED = (Kind.EXTRA_BALL_80, Kind.EXTRA_BALL_ZERO, Kind.ADJUSTED, Kind.ZERO)
"""Rulings that put the value that counts beside the one that was reached."""
TAKEN_OUT = (Kind.STOPPED, Kind.VOIDED)
"""Rulings that make a score void."""
ON_SCORES = (*game_rulings.ON_SCORES, *game_rulings.LATE)
"""Rulings that concern one score."""
ORDERS = (*Ruling.ORDERS, Kind.SEEDING)
"""Rulings that are an order of numbers."""
ON_A_SCORE = ("number", "machine", "round", "score", "reached", "counts", "was")
COLUMNS: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(ORDERS, ("order", "scores")),
    **dict.fromkeys(ON_SCORES, ON_A_SCORE),
    Kind.WARNING: ("number", "round", "machine"),
    Kind.OUT_OF_MATCH: ("number", "round", "machine", "was"),
    Kind.REPLAYED: ("number", "round", "machine", "agreed"),
    Kind.DISQUALIFIED: ("number", "was"),
    Kind.REPLACED: ("number", "seed", "instead_of"),
    Kind.NO_SHOWS: ("number", "was"),
    Kind.MACHINE: ("machine",),
}
"""What each kind of ruling that a folder holds says, beside its stage, its reason, and who decided it when."""


@dataclass(frozen=True, slots=True)
class MachineLine:
    line: int
    code: str
    name: str
    manufacturer: str
    year: int | None


@dataclass(frozen=True, slots=True)
class EntryLine:
    """Whoever is entered; `more` is what a roster says of an entry that is no one person."""

    line: int
    number: int
    name: str
    country: str
    ifpa_number: str
    place: str
    status: str
    another_person: bool
    age_checked: bool = False
    more: Any = None


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """`value` is None for a game under way; `at` is when the score was taken or the game started.

    `round` is that of a match; 0 for a solo game. `ranked` is the value that counts where a ruling changed it.
    """

    line: int
    stage: str
    number: int
    machine: str
    value: int | None
    at: datetime | None
    status: str
    round: int = 0
    ranked: int | None = None


@dataclass(frozen=True, slots=True)
class StageLine:
    """`open_round` is 0 when the line does not say it; `rules_broken` that its matches are what they had to be."""

    line: int
    stage: str
    state: str
    opens_at: datetime | None
    closes_at: datetime | None
    open_round: int = 0
    rules_broken: bool = False


@dataclass(frozen=True, slots=True)
class MachineStateLine:
    """`substitute` is the code of the machine that stands in for one that was withdrawn; "" for none. `drawn_from` is
    out of how many machines the lot fell on this one; None where no lot was drawn.
    """

    line: int
    stage: str
    machine: str
    state: str
    substitute: str = ""
    factor: Decimal | None = None
    drawn_from: int | None = None


@dataclass(frozen=True, slots=True)
class RulingLine:
    """What was decided. `stage` is "" for what concerns the whole tournament.

    `order` are numbers, the best first; `scores` belong to a play-off, in the same order. `numbers` are those whom
    another ruling concerns, `machine`, `round` and `score` the score or match, `reached` and `counts` what the ruling
    made of it, `was` the states of the numbers or of the score before. `instead_of` and `seed` belong to a
    replacement. `agreed` are those who agreed to play again after a slam tilt. `on` is the line of scores.csv that the
    ruling concerns; 0 for none.
    """

    line: int
    stage: str
    kind: str
    order: tuple[int, ...] = ()
    scores: tuple[int, ...] = ()
    numbers: tuple[int, ...] = ()
    machine: str = ""
    round: int = 0
    score: int | None = None
    reached: int | None = None
    counts: int | None = None
    was: tuple[str, ...] = ()
    instead_of: int = 0
    seed: int = 0
    reason: str = ""
    decided_at: datetime | None = None
    decided_by: str = ""
    agreed: tuple[int, ...] = ()
    on: int = 0


@dataclass(frozen=True, slots=True)
class SeatLine:
    line: int
    stage: str
    seed: int
    number: int
    why: str
    group: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """A file of a folder: its columns, and whether the folder must have it."""

    file: str
    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()
    required: bool = False


MACHINES = Table("machines.csv", ("code", "name"), ("manufacturer", "year"), required=True)
ENTRIES = Table(
    "entries.csv",
    ("number", "name"),
    ("country", "ifpa_number", "place", "status", "another_person", "age_checked"),
    required=True,
)
SCORES = Table("scores.csv", ("number", "machine", "score"), ("stage", "round", "recorded_at", "status", "ranked"))
STAGES = Table("stages.csv", ("stage", "state"), ("opens_at", "closes_at", "open_round", "rules_broken"))
MACHINE_STATES = Table("machine_states.csv", ("stage", "machine", "state"), ("substitute", "factor", "drawn_from"))
RULINGS = Table(
    "rulings.csv",
    ("stage", "kind"),
    (
        *("order", "scores", "number", "machine", "round", "score", "reached", "counts", "was", "instead_of", "seed"),
        *("reason", "decided_at", "decided_by", "agreed"),
    ),
)
SEATS = Table("seats.csv", ("stage", "seed", "number"), ("why", "group"))
MATCHES = Table(
    "matches.csv",
    ("stage", "round", "machine", "number_1", "score_1", "number_2", "score_2"),
    ("number_3", "score_3", "number_4", "score_4", "state", "choices", "absent", "agreed"),
)
RESULTS = Table("results.csv", ("place", "number"), ("shared", "why"))
KNOWN = (MACHINES, ENTRIES, SCORES, STAGES, MACHINE_STATES, RULINGS, SEATS, MATCHES, RESULTS)


class Numbered(Protocol):
    """Any line of a table."""

    @property
    def line(self) -> int: ...


def before_rulings(line: ScoreLine, rulings: Sequence[RulingLine]) -> ScoreLine:
    """The score as it was before these rulings on it, which stand in the order in which they were decided."""
    for ruling in reversed(rulings):
        if ruling.kind in (*TAKEN_OUT, Kind.DISCARDED, Kind.OUT_OF_MATCH):
            line = replace(line, status=ruling.was[0] if ruling.was else RECORDED)
        elif ruling.kind in LOWERED:
            line = replace(line, ranked=None)
        elif ruling.kind == Kind.CORRECTED and line.value == ruling.counts:
            line = replace(line, value=ruling.reached)
    return line
