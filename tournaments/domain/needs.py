"""What a player needs: the score that earns each place on a machine, and the score that goes inside the cut.

Asked "as the table stands now": the scores of others are taken as they are. The rules are silent; our choice.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

from tournaments.domain.facts import (
    MachineState,
    Phase,
    QualifyingRules,
    Result,
    Row,
    StageFacts,
    Standing,
    Table,
)
from tournaments.domain.points import Scale, scale
from tournaments.domain.ranking import BETTER
from tournaments.domain.scores import HIGHEST
from tournaments.domain.standings import contenders


class Price(NamedTuple):
    """The smallest score that earns the points of `place` on this machine today."""

    machine: int
    place: int
    points: int
    at_least: int


@dataclass(frozen=True, slots=True)
class Need:
    """What a score on one machine would do for an entry today, best place first; no prices where it cannot play.

    `inside_at` is the smallest score that puts it inside the cut, clear of a tie across it; None when no score does.
    """

    machine: int
    prices: tuple[Price, ...]
    inside_at: int | None
    playable: bool


def needs(entry: int, facts: StageFacts, table: Table, rules: QualifyingRules, qualifiers: int) -> tuple[Need, ...]:
    """What each open machine offers the entry today, in the order of the machines' codes.

    An equal score shares the better place; where tied scores earn the worse place's points it has to be beaten. With
    repeats only scores above the entry's own best are priced. Our choice.
    """
    row = table.row(entry)
    playable = _playable(facts, row, rules)
    rivals = {other.entry: other for other in contenders(facts, table) if other.entry != entry}
    totals = sorted([other.points for other in rivals.values()])
    found = []
    for machine in sorted((m for m in facts.machines if m.state == MachineState.OPEN), key=attrgetter("code")):
        if machine.id in playable:
            today = _today(machine.id, row, rivals, table, rules)
            found.append(Need(machine.id, _prices(today), _inside_at(today, totals, qualifiers), True))
        else:
            found.append(Need(machine.id, (), None, False))
    return tuple(found)


def _playable(facts: StageFacts, row: Row, rules: QualifyingRules) -> set[int]:
    """The machines on which the entry may have a game now: the running ones, and others while games are left."""
    if facts.phase != Phase.OPEN or facts.entrant(row.entry).standing != Standing.IN:
        return set()
    running = [machine for entry, machine in facts.playing if entry == row.entry]
    if row.games + len(running) >= rules.games_allowed:
        return set(running)
    used = Counter(played.machine for played in facts.played if played.entry == row.entry)
    used.update(running)
    used.update(machine for entry, machine in facts.spent if entry == row.entry)
    return {m.id for m in facts.machines if m.id in running or used[m.id] < rules.games_per_machine}


class _Rival(NamedTuple):
    """Another entry that competes and has a result on the machine. `place` is the one its points are for, without
    ours; `elsewhere` are its points on other machines, when some of its results may not count."""

    value: int
    place: int
    points: int
    total: int
    elsewhere: tuple[int, ...] | None


@dataclass(frozen=True, slots=True)
class _Today:
    """A machine as it stands without the asking entry, whose own best there is `own` (-1 for none)."""

    machine: int
    own: int
    elsewhere: tuple[int, ...]
    values: tuple[int, ...]
    rivals: tuple[_Rival, ...]
    counted: int
    scale: Scale
    better: bool

    def points(self, place: int) -> int:
        return self.scale.points(place, len(self.values) + 1)

    def place(self, score: int) -> int:
        """The place whose points the score earns."""
        level = bisect_right if self.better else bisect_left
        return len(self.values) - level(self.values, score) + 1

    def thresholds(self) -> list[int]:
        """The scores from which one place more is earned, lowest first, as far as they better the own best."""
        steps = {0} | {value if self.better else value + 1 for value in self.values}
        return sorted(step for step in steps if self.own < step <= HIGHEST)


def _today(machine: int, row: Row, rivals: Mapping[int, Row], table: Table, rules: QualifyingRules) -> _Today:
    others = [result for result in table.machines[machine] if result.entry != row.entry]
    values = tuple(sorted([result.value for result in others]))
    better = rules.tied_scores == BETTER
    return _Today(
        machine=machine,
        own=next((r.value for r in row.results if r.machine == machine), -1),
        elsewhere=_elsewhere(row, machine),
        values=values,
        rivals=tuple(_rival(r, rivals[r.entry], values, better) for r in others if r.entry in rivals),
        counted=rules.games_counted,
        scale=scale(rules.points),
        better=better,
    )


def _rival(result: Result, row: Row, values: Sequence[int], better: bool) -> _Rival:
    """The other as it stands without the asking entry; where it ties, it shares the better or the worst place."""
    below = bisect_right(values, result.value) - 1 if better else bisect_left(values, result.value)
    elsewhere = _elsewhere(row, result.machine) if row.other else None
    return _Rival(result.value, len(values) - below, result.points, row.points, elsewhere)


def _elsewhere(row: Row, machine: int) -> tuple[int, ...]:
    return tuple(result.points for result in row.results if result.machine != machine)


def _prices(today: _Today) -> tuple[Price, ...]:
    """What each place costs on the machine, best place first."""
    places = [(today.place(score), score) for score in reversed(today.thresholds())]
    return tuple(Price(today.machine, place, today.points(place), score) for place, score in places)


def _inside_at(today: _Today, totals: Sequence[int], qualifiers: int) -> int | None:
    """The smallest score with which fewer than `qualifiers` others have as many points; `totals` are theirs now.

    A better score never helps a rival, so the scores can be halved until the first that does is found. A rival with
    an equal score is passed only by one point more.
    """
    steps = {0} | {value + extra for value in today.values for extra in (0, 1)}
    scores = sorted(step for step in steps if step <= HIGHEST)
    first = bisect_left(scores, True, key=lambda score: _as_many(today, totals, score) < qualifiers)
    return scores[first] if first < len(scores) else None


def _as_many(today: _Today, totals: Sequence[int], score: int) -> int:
    """How many others would have at least the points of the asking entry, if it scored this."""
    best = max(score, today.own)
    mine = _sum(today.points(today.place(best)), today.elsewhere, today.counted)
    others = len(totals) - bisect_left(totals, mine)
    for rival in today.rivals:
        passed = best > rival.value if today.better else best >= rival.value
        points = today.points(rival.place + passed)
        if points != rival.points:
            total = rival.total + points - rival.points
            if rival.elsewhere is not None:
                total = _sum(points, rival.elsewhere, today.counted)
            others += (total >= mine) - (rival.total >= mine)
    return others


def _sum(points: int, elsewhere: Sequence[int], counted: int) -> int:
    return sum(sorted((points, *elsewhere), reverse=True)[:counted])
