"""The least and the most points every entry can still end with, however the rest is played.

The rules are silent on this; it is what "certainly through" rests on. Every bound moves one way while games are
played: a worst total never falls, a best total never rises. So nothing that was certain is lost later, and that is
why some bounds are wider than they could be.

Two results for one game (a conflict) wait for a person: until then that score may turn out to be anything.
"""

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from tournaments.domain.facts import (
    MachineState,
    Phase,
    QualifyingRules,
    Result,
    StageFacts,
    Standing,
    Table,
)
from tournaments.domain.points import Scale, scale
from tournaments.domain.ranking import BETTER

UNRANKED = -1
"""A total for who has no ranked game: below every real one."""
NOBODY: frozenset[int] = frozenset()


class Range(NamedTuple):
    """The least and the most points an entry can end with, and the games it may still play."""

    worst: int
    best: int
    remaining: int


@dataclass(frozen=True, slots=True)
class Prospects:
    """The ranges of all entries that compete, and the most that one of the `newcomers` can reach.

    `final` when the stage is closed and no two results wait: then worst and best are the same.
    """

    ranges: Mapping[int, Range]
    newcomers: int
    newcomer_best: int
    final: bool


def prospects(facts: StageFacts, table: Table, rules: QualifyingRules) -> Prospects:
    """The range of points, lowest and highest, in which each entry that is in must end.

    A game that is running is among the remaining ones. While a stage is closing, late slips may bring as many games
    as when it was open. An entry that has withdrawn can only finish what is running. Our choice throughout.
    """
    by_points = scale(rules.points)
    coming = _coming(facts, table, rules)
    own: dict[int, dict[int, _OnMachine]] = {row.entry: {} for row in table.rows}
    firsts: list[tuple[int, int]] = []
    for machine, results in table.machines.items():
        added = _added(machine, results, coming)
        first = by_points.points(1, len(results) + added)
        for entry, prospect in _on_machine(machine, results, added, coming, rules, by_points):
            own[entry][machine] = prospect
        if machine in coming.open:
            firsts.append((first, machine))
    firsts.sort(reverse=True, key=lambda option: option[0])
    ranges = {}
    for row in table.rows:
        if row.entry in coming.competing:
            mine, left = own[row.entry], coming.remaining.get(row.entry, 0)
            worst = UNRANKED if row.place is None else _worst(row.entry, mine, left, coming, rules, by_points)
            ranges[row.entry] = Range(worst, _best(row.entry, mine, left, firsts, coming, rules), left)
    most = sum(points for points, _ in firsts[: min(rules.games_allowed, rules.games_counted)])
    final = facts.phase == Phase.CLOSED and not coming.waiting
    return Prospects(ranges, coming.newcomers, most, final)


@dataclass(frozen=True, slots=True)
class _Coming:
    """What can still be recorded: games left per entry (only those above 0), open machines, and special pairs.

    `waiting` and `late` are entries by machine: two results to choose between, and running games beyond the ordinary
    (of an entry that has withdrawn, or on a machine closed since).
    """

    competing: frozenset[int]
    remaining: Mapping[int, int]
    open: frozenset[int]
    newcomers: int
    waiting: Mapping[int, frozenset[int]]
    late: Mapping[int, frozenset[int]]
    attempts: Mapping[tuple[int, int], int]
    pending: Mapping[int, int]
    results: int

    def may_change(self, machine: int) -> frozenset[int]:
        """Entries whose result on the machine is settled or finished outside their ordinary remaining games."""
        return self.waiting.get(machine, NOBODY) | self.late.get(machine, NOBODY)

    def of_others(self, entry: int) -> int:
        """How many results others than this entry can still bring in, all machines together."""
        return self.results - self.remaining.get(entry, 0) - self.pending.get(entry, 0)


class _OnMachine(NamedTuple):
    """What one entry has on one machine: the place its points are for, and how many results may still pass it."""

    place: int
    points: int
    passing: int
    worst: int
    best: int


def _coming(facts: StageFacts, table: Table, rules: QualifyingRules) -> _Coming:
    over = facts.phase == Phase.CLOSED
    standing = {entrant.id: entrant.standing for entrant in facts.entrants}
    competing = frozenset(entry for entry, how in standing.items() if how == Standing.IN)
    open_machines = frozenset(m.id for m in facts.machines if m.state == MachineState.OPEN and not over)
    waiting = _in_the_ranks(facts.waiting, standing, table)
    running = [] if over else _in_the_ranks(facts.playing, standing, table)
    late = [(entry, machine) for entry, machine in running if entry not in competing or machine not in open_machines]
    started = Counter(entry for entry, _ in running)
    left = {row.entry: max(rules.games_allowed - row.games, started[row.entry]) for row in table.rows if not over}
    remaining = {entry: games for entry, games in left.items() if games > 0 and entry in competing}
    newcomers = 0 if over else facts.may_enter
    return _Coming(
        competing=competing,
        remaining=remaining,
        open=open_machines,
        newcomers=newcomers,
        waiting=_by_machine(waiting),
        late=_by_machine(late),
        attempts=Counter((p.entry, p.machine) for p in facts.played) if rules.games_per_machine > 1 else {},
        pending=Counter(entry for entry, _ in (*waiting, *late)),
        results=sum(remaining.values()) + newcomers * rules.games_allowed + len(waiting) + len(late),
    )


def _in_the_ranks(
    pairs: Iterable[tuple[int, int]], standing: Mapping[int, Standing], table: Table
) -> list[tuple[int, int]]:
    """Those pairs of entry and machine whose result is or would be ranked."""
    return [
        (entry, machine)
        for entry, machine in pairs
        if machine in table.machines and standing[entry] != Standing.DISQUALIFIED
    ]


def _by_machine(pairs: Iterable[tuple[int, int]]) -> dict[int, frozenset[int]]:
    entries: dict[int, set[int]] = {}
    for entry, machine in pairs:
        entries.setdefault(machine, set()).add(entry)
    return {machine: frozenset(chosen) for machine, chosen in entries.items()}


def _added(machine: int, results: Sequence[Result], coming: _Coming) -> int:
    """How many entries without a result on the machine may still get one."""
    pending = coming.may_change(machine)
    holders = {result.entry for result in results} if pending else set()
    if machine not in coming.open:
        return len(pending - holders)
    held = sum([result.entry in coming.remaining for result in results])
    return len(coming.remaining) - held + coming.newcomers + len(pending - holders - coming.remaining.keys())


def _on_machine(
    machine: int, results: Sequence[Result], added: int, coming: _Coming, rules: QualifyingRules, by_points: Scale
) -> Iterator[tuple[int, _OnMachine]]:
    """What each entry has on the machine; one whose score there waits has nothing certain and all to win.

    Those who tie for the better place may still be passed by each other; with the worse place's points they may not,
    as each already counts as ahead of the others.
    """
    better = rules.tied_scores == BETTER
    behind = bisect_right if better else bisect_left
    waiting, late = coming.waiting.get(machine, NOBODY), coming.late.get(machine, NOBODY)
    rising = _rising(machine, results, coming, rules)
    rising_values = sorted([r.value for r in results if r.entry in rising]) if rising else []
    waiting_values = sorted([r.value for r in results if r.entry in waiting]) if waiting else []
    tied = {} if better else Counter(r.place for r in results)
    of, points = len(results) + added, by_points.points
    unknown = _OnMachine(1, 0, 0, 0, points(1, of))
    for entry, _, value, first, _, now, _ in results:
        if entry in waiting:
            yield entry, unknown
            continue
        place = first if better else first + tied[first] - 1
        passing = behind(rising_values, value) - (better and entry in rising)
        doubtful = len(waiting_values) - behind(waiting_values, value)
        best = unknown.best if entry in late else points(place - doubtful, of)
        worst = points(place + added + passing, of)
        yield entry, _OnMachine(place, now, passing if by_points.relative else passing + added, worst, best)
    if waiting or late:
        for entry in (waiting | late).difference([result.entry for result in results]):
            yield entry, unknown


def _rising(machine: int, results: Sequence[Result], coming: _Coming, rules: QualifyingRules) -> frozenset[int]:
    """Entries whose present result on the machine may still become a better one."""
    pending = coming.may_change(machine)
    again = rules.games_per_machine > 1 and machine in coming.open
    if not pending and not again:
        return NOBODY
    return frozenset(
        r.entry
        for r in results
        if r.entry in pending
        or (again and r.entry in coming.remaining and coming.attempts[r.entry, machine] < rules.games_per_machine)
    )


def _worst(
    entry: int,
    own: Mapping[int, _OnMachine],
    left: int,
    coming: _Coming,
    rules: QualifyingRules,
    by_points: Scale,
) -> int:
    """The total if everybody else passes wherever it hurts most; own further games never lower it.

    While all results count, others cannot pass more often than they have games. When only the best count, the dearest
    losses may fall on results that do not count, so no such limit is used.
    """
    values = own.values()
    if len(own) + left > rules.games_counted:
        return sum(sorted([v.worst for v in values], reverse=True)[: rules.games_counted])
    budget = coming.of_others(entry)
    if sum([v.passing for v in values]) <= budget:
        return sum([v.worst for v in values])
    return sum([v.points for v in values]) - _dearest(values, budget, by_points)


def _dearest(values: Iterable[_OnMachine], budget: int, by_points: Scale) -> int:
    """The most points that `budget` results of others can take away, each passing once on one machine."""
    lost = 0
    for size, before in by_points.drops:
        steps = sum([_steps(v, before) for v in values])
        lost += size * min(steps, budget)
        budget -= min(steps, budget)
    return lost


def _steps(value: _OnMachine, before: Sequence[int]) -> int:
    """How many of the places that may still be lost cost this much; all of them on a relative scale."""
    if not before:
        return value.passing
    end = len(before) - 1
    return before[min(value.place - 1 + value.passing, end)] - before[min(value.place - 1, end)]


def _best(
    entry: int,
    own: Mapping[int, _OnMachine],
    left: int,
    firsts: Sequence[tuple[int, int]],
    coming: _Coming,
    rules: QualifyingRules,
) -> int:
    """The total if every remaining game is won and nobody else passes."""
    if rules.games_per_machine > 1:
        return _best_with_repeats(entry, own, left, firsts, coming, rules)
    values = [v.best for v in own.values()]
    values += islice((points for points, machine in firsts if machine not in own), left)
    if len(values) > rules.games_counted:
        values = sorted(values, reverse=True)[: rules.games_counted]
    return sum(values) if values else UNRANKED


def _best_with_repeats(
    entry: int,
    own: Mapping[int, _OnMachine],
    left: int,
    firsts: Sequence[tuple[int, int]],
    coming: _Coming,
    rules: QualifyingRules,
) -> int:
    """The same when a game may be spent on a new machine or on bettering an old one.

    Which machines to spend the games on is found by putting a price on each game: at a price every machine decides
    alone, and the lowest of these totals is exactly the best that can be done with the games there are.
    """
    wins = {m: points for points, m in firsts if left and coming.attempts[entry, m] < rules.games_per_machine}
    if not own and not wins:
        return UNRANKED
    options = [(v.best, wins.pop(machine, 0)) for machine, v in own.items()]
    options += [(0, points) for points in wins.values()]

    def total(price: int) -> int:
        values = sorted([max(kept, win - price) for kept, win in options], reverse=True)
        return left * price + sum(values[: rules.games_counted])

    if left >= min(rules.games_counted, sum(win > 0 for _, win in options)):
        return total(0)
    low, high = 0, max(win for _, win in options)
    while low < high:
        middle = (low + high) // 2
        if total(middle) <= total(middle + 1):
            high = middle
        else:
            low = middle + 1
    return total(low)
