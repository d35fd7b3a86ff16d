"""Facts and rules make a table: totals, shared places, and the reason for every place.

House rules: "Points per machine", "Same total" (the position is shared and the next skipped), "Fewer than 6 games"
(ranked on what was played), "disqualified" (all games out of every rank, others move up). An entry that withdraws
keeps its games in the ranks: the original order stays (our choice, from "the next in the original order").
"""

from collections import Counter
from collections.abc import Mapping
from functools import cache
from operator import attrgetter, itemgetter

from tournaments.domain.facts import (
    QualifyingRules,
    Result,
    Row,
    StageFacts,
    Standing,
    Table,
)
from tournaments.domain.points import scale
from tournaments.domain.ranking import best_scores, rank
from tournaments.domain.scores import grouped


def tabulate(facts: StageFacts, rules: QualifyingRules) -> Table:
    """The table of a stage of solo games. The same facts in any order give the same table."""
    by_points = scale(rules.points)
    ranked_machines = {m.id for m in facts.machines if m.ranked}
    barred = {e.id for e in facts.entrants if e.standing == Standing.DISQUALIFIED}
    live = [p for p in facts.played if p[0] not in barred and p[1] in ranked_machines]
    numbers = {e.id: e.number for e in facts.entrants}
    machines: dict[int, tuple[Result, ...]] = {m.id: () for m in facts.machines if m.id in ranked_machines}
    results: dict[int, list[Result]] = {e.id: [] for e in facts.entrants}
    best = best_scores(live)
    # The code only makes the display steady between equal points; the sum is the same either way.
    for machine in sorted(best, key={m.id: m.code for m in facts.machines}.__getitem__):
        values = best[machine]
        ranked = rank(machine, values, by_points, rules.tied_scores)
        if len(set(values.values())) < len(values):
            # The number only makes the display of a tie steady; place and points are the same.
            ranked.sort(key=lambda result: (result.place, numbers[result.entry]))
        machines[machine] = tuple(ranked)
        for result in ranked:
            results[result[0]].append(result)
    games = Counter(map(itemgetter(0), live))
    games.update(entry for entry, machine in facts.spent if machine in ranked_machines and entry not in barred)
    return Table(rows=_rows(facts, rules, results, games), machines=machines)


def contenders(facts: StageFacts, table: Table) -> tuple[Row, ...]:
    """The ranked rows of who still competes for what comes next, in the order of the table.

    Source: house rules, "Someone leaves": the others move up.
    """
    competing = {entrant.id for entrant in facts.entrants if entrant.standing == Standing.IN}
    return tuple(row for row in table.rows if row.place is not None and row.entry in competing)


def _rows(
    facts: StageFacts, rules: QualifyingRules, results: dict[int, list[Result]], games: Mapping[int, int]
) -> tuple[Row, ...]:
    """`results` of each entry are in the order in which equal points are shown."""
    by_points, allowed = attrgetter("points"), rules.games_counted
    ranked, unranked = [], []
    for entrant in facts.entrants:
        own = results[entrant.id]
        if own:
            own.sort(key=by_points, reverse=True)
            ranked.append((-sum(map(by_points, own[:allowed])), entrant.number, entrant.id, tuple(own)))
        else:
            unranked.append((entrant.number, entrant.id))
    ranked.sort()
    unranked.sort()
    level = Counter(map(itemgetter(0), ranked))
    rows = []
    place, previous = 0, None
    for position, (negative, _, entry, best) in enumerate(ranked, start=1):
        if negative != previous:
            place, previous = position, negative
        rows.append(Row(entry, place, level[negative] > 1, -negative, games[entry], best[:allowed], best[allowed:]))
    rows += [Row(entry, None, False, 0, games[entry]) for _, entry in unranked]
    return tuple(rows)


def count_back(row: Row) -> tuple[int, ...]:
    """What orders entries of the same total: their single-machine points, best first.

    Source: house rules, "Top 24 go on": best single-machine points, next best, and so on. A game without points counts
    for no more than a game not played (our choice), so it is left out.
    """
    return tuple(sorted((result.points for result in row.counted if result.points), reverse=True))


def why(entry: int, facts: StageFacts, table: Table, rules: QualifyingRules) -> tuple[str, ...]:
    """The reason for a place, step by step, in sentences."""
    row, entrant = table.row(entry), facts.entrant(entry)
    if entrant.standing == Standing.DISQUALIFIED:
        return (f"{entrant.name} is disqualified: all games are out of every rank.", *notes_on(entry, facts))
    if row.place is None:
        return (f"{entrant.name} has no ranked games yet and is not ranked.", *notes_on(entry, facts))
    names = {m.id: m.name for m in facts.machines}
    steps = [
        f"{names[r.machine]}: {grouped(r.value)} is {place_words(r.place, r.shared)} of {r.of},"
        f" {points_words(r.points)}."
        for r in row.counted
    ]
    steps += [
        f"{names[r.machine]}: {points_words(r.points)}, not among the best {rules.games_counted} and not counted."
        for r in row.other
    ]
    total = points_words(row.points)
    sums = " + ".join(str(r.points) for r in row.counted)
    steps.append(f"{sums} = {total}." if len(row.counted) > 1 else f"Total {total}.")
    above = sum(1 for other in table.ranked if other.points > row.points)
    level = tuple(o.entry for o in table.ranked if o.points == row.points and o.entry != entry)
    ahead = "Nobody has" if above == 0 else f"{above} {'has' if above == 1 else 'have'}"
    steps.append(f"{ahead} more points: {place_words(row.place, row.shared)}.")
    if level:
        steps.append(f"Level on points with {facts.names(level)}; the place is shared.")
    if entrant.standing == Standing.WITHDRAWN:
        steps.append(f"{entrant.name} has withdrawn: the games stay ranked, the next in order takes the place.")
    return (*steps, *notes_on(entry, facts))


def notes_on(entry: int, facts: StageFacts) -> tuple[str, ...]:
    """What rulings and withdrawn machines made of an entry's results, one sentence each."""
    names = {m.id: m.name for m in facts.machines}
    return tuple(
        f"{names[note.machine]}: {note.words}" if note.machine in names else note.words
        for note in facts.notes
        if note.entry == entry
    )


def goes_on(who: str, number: int) -> str:
    """ "1 player goes on", "3 players go on"; `who` says how many as the sentence does."""
    return f"{who} goes on" if number == 1 else f"{who} go on"


def points_words(points: int) -> str:
    """ "1 point", "96 points"."""
    return "1 point" if points == 1 else f"{points} points"


@cache
def place_words(place: int, shared: bool = False) -> str:
    """ "1st", "22nd", "5th=" when shared."""
    suffix = "th" if 10 <= place % 100 <= 20 else {1: "st", 2: "nd", 3: "rd"}.get(place % 10, "th")
    return f"{place}{suffix}{'=' if shared else ''}"
