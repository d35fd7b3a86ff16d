"""Who goes on: the line as it stands, what is certain already, and the seeds in the end.

House rules, "Top 24 go on": a tie across the cut needs a play-off or a ruling; a tie inside it is ordered by
count-back and then by lots drawn once. "Someone leaves": whoever has withdrawn is passed over, the games stay ranked.

What is certain is our choice, the rules are silent. *Through* and *out* hold however the rest is played: late slips,
newcomers, no-shows that leave, and two results for one game settled either way. Only people can take *through* away:
by a ruling (a disqualification, a discarded game, a machine cancelled or added) or a second result for a game that had
one; *out* also ends when somebody ahead withdraws. Every bound moves one way only while games are played: a worst
total never falls, a best total never rises. That is why nothing certain is lost, and why the bounds may be wide.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from tournaments.domain.facts import Decision, QualifyingRules, Row, StageFacts, Table
from tournaments.domain.needs import Need, Price, needs
from tournaments.domain.prospects import UNRANKED, Prospects, prospects
from tournaments.domain.refusals import NeedsDecision
from tournaments.domain.standings import contenders, count_back
from tournaments.domain.ties import Parted, Placed, groups, in_order, part

__all__ = [
    "HOW",
    "LOTS",
    "ORDER",
    "PLAY_OFF",
    "SEEDS",
    "SETTLE_THE_CUT",
    "Cut",
    "Need",
    "Outlook",
    "Price",
    "Seed",
    "Status",
    "cut",
    "lots_wanted",
    "needs",
    "reserves",
    "seeding",
]

PLAY_OFF, ORDER, LOTS, SEEDS = "play-off", "order", "lots", "seeds"
SETTLE_THE_CUT = (PLAY_OFF, ORDER, SEEDS)
"""The kinds of decision that settle a tie across the cut. Lots never do; `SEEDS` is the rule of the second round,
"tie: better qualifying position", given as the order of its seats."""
HOW = {PLAY_OFF: "by play-off", ORDER: "by ruling", LOTS: "by lots", SEEDS: "by the better seed"}
"""Every kind of decision in words."""


class Status(StrEnum):
    """What can be said about an entry and the cut; `LEVEL` says only how it stands now."""

    THROUGH = "through"
    LEVEL = "level"
    POSSIBLE = "possible"
    OUT = "out"


class Outlook(NamedTuple):
    """The least and the most points an entry can end with, and the games it may still play.

    -1 stands for "not ranked": `worst` without a game yet, `best` when none can come any more.
    """

    entry: int
    status: Status
    worst: int
    best: int
    remaining: int


@dataclass(frozen=True, slots=True)
class Cut:
    """The cut as the table stands now, and the outlook of every entry.

    `inside` are clear of a tie that straddles the line; `level` are the entries of that tie, `open_places` of which go
    on. `line_after` is the number of table rows above the line, the tie below it; None when nobody ranked is below or
    a decision has split rows that are level. `certain` when the stage is closed and nothing is left to decide.
    """

    qualifiers: int
    outlooks: Mapping[int, Outlook]
    inside: tuple[int, ...]
    level: tuple[int, ...]
    open_places: int
    line_after: int | None
    certain: bool


class Seed(NamedTuple):
    """A place in the next stage, and in words why it is this entry's."""

    seed: int
    entry: int
    why: str


def cut(facts: StageFacts, table: Table, rules: QualifyingRules, qualifiers: int) -> Cut:
    """Where the line is and what is certain about each entry. Totals are in points.

    An entry that is not in any more (withdrawn or disqualified) is out and counts neither for nor against the others.
    Source: house rules, "Top 24 go on"; what counts as certain is our choice, see the head of this module.
    """
    ranked = contenders(facts, table)
    inside, level = _line(ranked, qualifiers)
    places = qualifiers - len(inside) if level else 0
    ahead = prospects(facts, table, rules)
    status = _statuses(ahead, qualifiers, frozenset(level))
    if ahead.final and level:
        parted = part(level, places, facts.decisions, SETTLE_THE_CUT)
        on = tuple(entry for group in parted.on for entry in group)
        status |= dict.fromkeys(level, Status.OUT)
        status |= dict.fromkeys(on, Status.THROUGH) | dict.fromkeys(parted.level, Status.LEVEL)
        inside, level, places = inside + on, parted.level, parted.places
    return Cut(
        qualifiers=qualifiers,
        outlooks={row.entry: _outlook(row, status, ahead) for row in table.rows},
        inside=inside,
        level=level,
        open_places=places,
        line_after=_line_after(table, ranked, frozenset(inside)),
        certain=ahead.final and not level,
    )


def _line(ranked: Sequence[Row], qualifiers: int) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Who is above the line clear of a tie, and the tie that straddles it."""
    if len(ranked) <= qualifiers:
        return tuple(row.entry for row in ranked), ()
    edge = ranked[qualifiers].points
    inside = tuple(row.entry for row in ranked[:qualifiers] if row.points > edge)
    if len(inside) == qualifiers:
        return inside, ()
    return inside, tuple(row.entry for row in ranked if row.points == edge)


def _line_after(table: Table, ranked: Sequence[Row], inside: Collection[int]) -> int | None:
    """The number of table rows above the line."""
    above = [row.entry in inside for row in ranked]
    if all(above) or not all(above[: len(inside)]):
        return None
    return max((number for number, row in enumerate(table.rows, start=1) if row.entry in inside), default=0)


def _decision(tied: Collection[int], decisions: Sequence[Decision], kinds: Collection[str]) -> Decision | None:
    """The latest decision that orders all of the tie and leaves none of it level."""
    for decision in reversed(decisions):
        if tied and decision.kind in kinds and len(groups(tied, decision)) == len(tied):
            return decision
    return None


def _in_order(tied: Collection[int], decision: Decision) -> tuple[int, ...]:
    members = set(tied)
    return tuple(entry for entry in decision.order if entry in members)


def _statuses(ahead: Prospects, qualifiers: int, level: Collection[int]) -> dict[int, Status]:
    """Through when too few can still reach the worst total, out when enough are beyond the best. Ties are against."""
    bests = sorted([chance.best for chance in ahead.ranges.values()])
    worsts = sorted([chance.worst for chance in ahead.ranges.values()])
    statuses = {}
    for entry, (worst, best, _) in ahead.ranges.items():
        rivals = len(bests) - bisect_left(bests, worst) - 1
        if ahead.newcomer_best >= worst:
            rivals += ahead.newcomers
        beyond = len(worsts) - bisect_right(worsts, best)
        if worst != UNRANKED and rivals < qualifiers:
            statuses[entry] = Status.THROUGH
        elif beyond >= qualifiers or (ahead.final and best == UNRANKED):
            statuses[entry] = Status.OUT
        else:
            statuses[entry] = Status.LEVEL if entry in level else Status.POSSIBLE
    return statuses


def _outlook(row: Row, statuses: Mapping[int, Status], ahead: Prospects) -> Outlook:
    if row.entry in ahead.ranges:
        return Outlook(row.entry, statuses[row.entry], *ahead.ranges[row.entry])
    total = UNRANKED if row.place is None else row.points
    return Outlook(row.entry, Status.OUT, total, total, 0)


def seeding(
    facts: StageFacts,
    table: Table,
    rules: QualifyingRules,
    qualifiers: int,
    lots: tuple[int, ...] = (),
) -> tuple[Seed, ...]:
    """The seeds of the next stage, best first: by place, then by decision, by count-back and by `lots`.

    `lots` are entries in the order in which they were drawn. Where fewer are ranked than can go on, all of them do.
    Raises `NeedsDecision`, to be settled by "tie" for a tie across the cut and by "lots" for one inside it. Asked with
    the same things as `cut`, though the table already holds what the rules say.
    Source: house rules, "Top 24 go on" and "Someone leaves".
    """
    inside, level = _line(contenders(facts, table), qualifiers)
    across = _across(level, qualifiers - len(inside), facts, table, lots) if level else []
    ordered: list[tuple[int, str]] = []
    for tied, whys in _blocks(inside, facts, table, (Decision(LOTS, lots), *facts.decisions)):
        if not whys:
            raise _needs_lots(tied, facts)
        ordered += zip(tied, whys, strict=True)
    return tuple(Seed(seed, entry, why) for seed, (entry, why) in enumerate(ordered + across, start=1))


def lots_wanted(
    facts: StageFacts,
    table: Table,
    rules: QualifyingRules,
    qualifiers: int,
) -> tuple[tuple[int, ...], ...]:
    """The ties inside the cut that decisions and count-back leave, each by number: lots have to be drawn for them.

    Source: house rules, "Top 24 go on". A tie across the cut is not among them: that takes a play-off or a ruling.
    """
    inside, level = _line(contenders(facts, table), qualifiers)
    parted = part(level, qualifiers - len(inside), facts.decisions, SETTLE_THE_CUT)
    across = _blocks_across(level, parted, facts, table, facts.decisions) if level and not parted.level else ()
    return tuple(tied for tied, whys in (*_blocks(inside, facts, table, facts.decisions), *across) if not whys)


def reserves(facts: StageFacts, table: Table, seated: Collection[int]) -> tuple[Placed, ...]:
    """Who comes in when one of the seated leaves, the next first: by place, and who is level as decisions part them.

    Source: house rules, "the next in the original order"; who is level without a decision stays so, for people to say.
    """
    waiting = [row for row in contenders(facts, table) if row.entry not in seated]
    level = (tuple(row.entry for row in same) for _, same in groupby(waiting, attrgetter("points")))
    return tuple(placed for tied in level for placed in in_order(tied, facts.decisions, SETTLE_THE_CUT))


def _across(
    level: tuple[int, ...], places: int, facts: StageFacts, table: Table, lots: tuple[int, ...]
) -> list[tuple[int, str]]:
    """Who of the tie across the cut goes on, with the reasons."""
    parted = part(level, places, facts.decisions, SETTLE_THE_CUT)
    if parted.level:
        raise NeedsDecision(
            f"{facts.names(parted.level)} are level at the cut: a play-off game of {len(parted.level)} players for"
            f" {'1 place' if parted.places == 1 else f'{parted.places} places'}, or a ruling, decides.",
            settle="tie",
            about=parted.level,
        )
    ordered: list[tuple[int, str]] = []
    for entries, whys in _blocks_across(level, parted, facts, table, (Decision(LOTS, lots), *facts.decisions)):
        if not whys:
            raise _needs_lots(entries, facts)
        ordered += zip(entries, whys, strict=True)
    return ordered


def _blocks_across(
    level: tuple[int, ...], parted: Parted, facts: StageFacts, table: Table, decisions: Sequence[Decision]
) -> Iterator[tuple[tuple[int, ...], tuple[str, ...]]]:
    """Those of the tie who go on, in order; who is level among them too is ordered as inside the cut."""
    for group in parted.on:
        if len(group) == 1:
            yield group, (f"level on points with {_others(group[0], level, facts)}, {HOW[parted.kind]}",)
        else:
            yield from _by_count_back({e: count_back(table.row(e)) for e in group}, facts, decisions)


def _needs_lots(tied: tuple[int, ...], facts: StageFacts) -> NeedsDecision:
    return NeedsDecision(
        f"{facts.names(tied)} are level on points and on count-back: lots decide.", settle="lots", about=tied
    )


def _blocks(
    inside: Sequence[int], facts: StageFacts, table: Table, decisions: Sequence[Decision]
) -> Iterator[tuple[tuple[int, ...], tuple[str, ...]]]:
    """The entries inside the cut in order, as blocks with a reason for each; no reasons where only lots can tell."""
    places = set(inside)
    rows = [row for row in table.rows if row.entry in places]
    for _, group in groupby(rows, attrgetter("points")):
        tied = {row.entry: count_back(row) for row in group}
        entries = tuple(tied)
        if len(entries) == 1:
            yield entries, ("by place",)
        elif decision := _decision(entries, decisions, SETTLE_THE_CUT):
            order = _in_order(entries, decision)
            yield order, tuple(f"level on points with {_others(e, order, facts)}, {HOW[decision.kind]}" for e in order)
        else:
            yield from _by_count_back(tied, facts, decisions)


def _by_count_back(
    tied: Mapping[int, tuple[int, ...]], facts: StageFacts, decisions: Sequence[Decision]
) -> Iterator[tuple[tuple[int, ...], tuple[str, ...]]]:
    """Blocks of entries level on points, the best single results first; who is still level needs lots."""
    steps = sorted(set(tied.values()), reverse=True)
    for number, step in enumerate(steps):
        same = tuple(entry for entry in tied if tied[entry] == step)
        against = steps[number + 1] if number + 1 < len(steps) else steps[number - 1]
        if len(same) == 1:
            others = _others(same[0], tied, facts)
            yield same, (f"level on points with {others}, {_compared(step, against)}",)
        elif decision := _decision(same, decisions, HOW):
            order = _in_order(same, decision)
            how = HOW[decision.kind]
            yield order, tuple(f"level on points and count-back with {_others(e, order, facts)}, {how}" for e in order)
        else:
            yield same, ()


def _compared(mine: tuple[int, ...], theirs: tuple[int, ...]) -> str:
    """The first single results that differ, in words. The totals are the same, so neither list starts the other."""
    own, other = next((a, b) for a, b in zip(mine, theirs, strict=False) if a != b)
    return f"{'ahead' if own > other else 'behind'} by count-back {own} against {other}"


def _others(entry: int, tied: Collection[int], facts: StageFacts) -> str:
    return facts.names(tuple(other for other in tied if other != entry))
