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
from itertools import repeat
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
    own: dict[int, list[_OnMachine]] = {row.entry: [] for row in table.rows}
    firsts: list[tuple[int, int]] = []
    for machine, results in table.machines.items():
        added = _added(machine, results, coming)
        for entry, prospect in _on_machine(machine, results, added, coming, rules, by_points):
            own[entry].append(prospect)
        if machine in coming.open:
            firsts.append((by_points.points(1, len(results) + added), machine))
    firsts.sort(reverse=True, key=lambda option: option[0])
    ranges = {}
    for row in table.rows:
        if row.entry in coming.competing:
            mine, left = _Own(*zip(*own[row.entry], strict=True)), coming.remaining.get(row.entry, 0)
            worst = UNRANKED if row.place is None else _worst(row.entry, mine, left, coming, rules, by_points)
            ranges[row.entry] = Range(worst, _best(row.entry, mine, left, firsts, coming, rules), left)
    most = sum(points for points, _ in firsts[: min(rules.games_allowed, rules.games_counted)])
    final = facts.phase == Phase.CLOSED and not coming.waiting
    return Prospects(ranges, coming.newcomers, most, final)


@dataclass(frozen=True, slots=True)
class _Coming:
    """What can still be recorded: games left per entry (only those above 0), open machines, and special pairs.

    `waiting` and `late` are entries by machine: two results to choose between, and running games beyond the ordinary
    (of an entry that has withdrawn, on a machine closed since, or on one rescaled onto a machine that the entry has
    played as often as it may). `spent` are the machines on which an entry had a game discarded.
    """

    competing: frozenset[int]
    remaining: Mapping[int, int]
    open: frozenset[int]
    newcomers: int
    waiting: Mapping[int, frozenset[int]]
    late: Mapping[int, frozenset[int]]
    attempts: Mapping[tuple[int, int], int]
    spent: Mapping[int, frozenset[int]]
    pending: Mapping[int, int]
    results: int

    def may_change(self, machine: int) -> frozenset[int]:
        """Entries whose result on the machine is settled or finished outside their ordinary remaining games."""
        return self.waiting.get(machine, NOBODY) | self.late.get(machine, NOBODY)

    def of_others(self, entry: int) -> int:
        """How many results others than this entry can still bring in, all machines together."""
        return self.results - self.remaining.get(entry, 0) - self.pending.get(entry, 0)


_OnMachine = tuple[int, int, int, int, int, int]
"""What one entry has on one machine: a line of `_Own`. A plain tuple, as there is one for every score."""


class _Own(NamedTuple):
    """What one entry has, machine by machine: the place its points are for, and how many results may still pass it."""

    machines: tuple[int, ...] = ()
    places: tuple[int, ...] = ()
    points: tuple[int, ...] = ()
    passing: tuple[int, ...] = ()
    worst: tuple[int, ...] = ()
    best: tuple[int, ...] = ()


def _coming(facts: StageFacts, table: Table, rules: QualifyingRules) -> _Coming:
    over = facts.phase == Phase.CLOSED
    standing = {entrant.id: entrant.standing for entrant in facts.entrants}
    competing = frozenset(entry for entry, how in standing.items() if how == Standing.IN)
    open_machines = frozenset(m.id for m in facts.machines if m.state == MachineState.OPEN and not over)
    waiting = _in_the_ranks(facts.waiting, standing, table)
    running = [] if over else _in_the_ranks(facts.playing, standing, table)
    attempts: Counter[tuple[int, int]] = Counter()
    if running or rules.games_per_machine > 1:
        attempts.update([(p.entry, p.machine) for p in facts.played])
        attempts.update(facts.spent)
    late = [
        pair
        for pair in running
        if pair[0] not in competing or pair[1] not in open_machines or attempts[pair] >= rules.games_per_machine
    ]
    started = Counter(entry for entry, _ in running)
    most = 0 if over else rules.games_allowed
    left = [(row.entry, max(most - row.games, started.get(row.entry, 0))) for row in table.rows]
    remaining = {entry: games for entry, games in left if games > 0 and entry in competing}
    newcomers = 0 if over else facts.may_enter
    return _Coming(
        competing=competing,
        remaining=remaining,
        open=open_machines,
        newcomers=newcomers,
        waiting=_by_machine(waiting),
        late=_by_machine(late),
        attempts=attempts,
        spent=_by_entry(facts.spent),
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


def _by_entry(pairs: Iterable[tuple[int, int]]) -> dict[int, frozenset[int]]:
    return _by_machine((machine, entry) for entry, machine in pairs)


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
    held = sum([result.entry in coming.remaining for result in results]) if coming.remaining else 0
    return len(coming.remaining) - held + coming.newcomers + len(pending - holders - coming.remaining.keys())


def _on_machine(
    machine: int, results: Sequence[Result], added: int, coming: _Coming, rules: QualifyingRules, by_points: Scale
) -> Iterable[tuple[int, _OnMachine]]:
    """What each entry has on the machine."""
    if machine in coming.waiting or machine in coming.late or _may_be_bettered(machine, coming, rules):
        return _unsettled(machine, results, added, coming, rules, by_points)
    return _settled(machine, results, added, rules, by_points)


def _settled(
    machine: int, results: Sequence[Result], added: int, rules: QualifyingRules, by_points: Scale
) -> Iterable[tuple[int, _OnMachine]]:
    """Where no result there is can change, a place says it all: only newly added results can pass.

    Made place by place and not score by score, because nearly every machine is like this whenever a table is read.
    """
    many, of = len(results), len(results) + added
    by_place = list(
        zip(
            repeat(machine),
            range(1, many + 1),
            by_points.run(1, many, many),
            repeat(0 if by_points.relative else added),
            by_points.run(1 + added, many, of),
            by_points.run(1, many, of),
            strict=False,
        )
    )
    if rules.tied_scores == BETTER:
        return [(result[0], by_place[result[3] - 1]) for result in results]
    worse = {result.place: line for result, line in zip(results, by_place, strict=True)}
    return [(result.entry, worse[result.place]) for result in results]


def _unsettled(
    machine: int, results: Sequence[Result], added: int, coming: _Coming, rules: QualifyingRules, by_points: Scale
) -> Iterator[tuple[int, _OnMachine]]:
    """One whose score waits has nothing certain and all to win; others may better theirs and pass who is ahead now.

    Those who tie for the better place may still be passed by each other; with the worse place's points they may not,
    as each already counts as ahead of the others.
    """
    better = rules.tied_scores == BETTER
    behind = bisect_right if better else bisect_left
    waiting, late = coming.waiting.get(machine, NOBODY), coming.late.get(machine, NOBODY)
    rising = _rising(machine, results, coming, rules)
    rising_values = sorted([r.value for r in results if r.entry in rising])
    waiting_values = sorted([r.value for r in results if r.entry in waiting])
    tied = {} if better else Counter(r.place for r in results)
    of, points = len(results) + added, by_points.points
    most = points(1, of)
    unknown = (machine, 1, 0, 0, 0, most)
    for entry, _, value, first, _, now, _ in results:
        if entry in waiting:
            yield entry, unknown
            continue
        place = first if better else first + tied[first] - 1
        passing = behind(rising_values, value) - (better and entry in rising)
        doubtful = len(waiting_values) - behind(waiting_values, value)
        best = most if entry in late else points(place - doubtful, of)
        worst = points(place + added + passing, of)
        yield entry, (machine, place, now, passing if by_points.relative else passing + added, worst, best)
    for entry in (waiting | late).difference([result.entry for result in results]):
        yield entry, unknown


def _may_be_bettered(machine: int, coming: _Coming, rules: QualifyingRules) -> bool:
    """Whether anybody may play the machine once more."""
    return rules.games_per_machine > 1 and machine in coming.open and bool(coming.remaining)


def _rising(machine: int, results: Sequence[Result], coming: _Coming, rules: QualifyingRules) -> frozenset[int]:
    """Entries whose present result on the machine may still become a better one."""
    pending = coming.may_change(machine)
    again = _may_be_bettered(machine, coming, rules)
    return frozenset(
        r.entry
        for r in results
        if r.entry in pending
        or (again and r.entry in coming.remaining and coming.attempts[r.entry, machine] < rules.games_per_machine)
    )


def _worst(
    entry: int,
    own: _Own,
    left: int,
    coming: _Coming,
    rules: QualifyingRules,
    by_points: Scale,
) -> int:
    """The total if everybody else passes wherever it hurts most; own further games never lower it.

    While all results count, others cannot pass more often than they have games. When only the best count, the dearest
    losses may fall on results that do not count, so no such limit is used.
    """
    if len(own.machines) + left > rules.games_counted:
        return sum(sorted(own.worst, reverse=True)[: rules.games_counted])
    budget = coming.of_others(entry)
    if sum(own.passing) <= budget:
        return sum(own.worst)
    return sum(own.points) - _dearest(own, budget, by_points)


def _dearest(own: _Own, budget: int, by_points: Scale) -> int:
    """The most points that `budget` results of others can take away, each passing once on one machine."""
    lost = 0
    for size, before in by_points.drops:
        steps = sum(map(_steps, own.places, own.passing, repeat(before)))
        lost += size * min(steps, budget)
        budget -= min(steps, budget)
    return lost


def _steps(place: int, passing: int, before: Sequence[int]) -> int:
    """How many of the places that may still be lost cost this much; all of them on a relative scale."""
    if not before:
        return passing
    end = len(before) - 1
    return before[min(place - 1 + passing, end)] - before[min(place - 1, end)]


def _best(
    entry: int,
    own: _Own,
    left: int,
    firsts: Sequence[tuple[int, int]],
    coming: _Coming,
    rules: QualifyingRules,
) -> int:
    """The total if every remaining game is won and nobody else passes."""
    if left and rules.games_per_machine > 1:
        return _best_with_repeats(entry, own, left, firsts, coming, rules)
    values = own.best
    if left:
        played = (*own.machines, *coming.spent[entry]) if entry in coming.spent else own.machines
        values += tuple([points for points, machine in firsts if machine not in played][:left])
    if len(values) > rules.games_counted:
        values = tuple(sorted(values, reverse=True)[: rules.games_counted])
    return sum(values) if values else UNRANKED


def _best_with_repeats(
    entry: int,
    own: _Own,
    left: int,
    firsts: Sequence[tuple[int, int]],
    coming: _Coming,
    rules: QualifyingRules,
) -> int:
    """The same when a game may be spent on a new machine or on bettering an old one.

    Which machines to spend the games on is found by putting a price on each game: at a price every machine decides
    alone, and the lowest of these totals is exactly the best that can be done with the games there are.
    """
    wins = {m: points for points, m in firsts if coming.attempts[entry, m] < rules.games_per_machine}
    if not own.machines and not wins:
        return UNRANKED
    options = [(best, wins.pop(machine, 0)) for machine, best in zip(own.machines, own.best, strict=True)]
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
