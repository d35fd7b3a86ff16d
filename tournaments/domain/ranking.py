"""Places on one machine, with ties.

House rules, "Same scores on one machine": all tied get the better place's points and the next place is skipped
(1, 1, 3). Silent in the text, so a setting; checked against 143 published totals of EPC 2010.
With repeats the best score of an entry on a machine counts (house rules, "Classic").
"""

from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby, repeat

from tournaments.domain.facts import Played, Result
from tournaments.domain.points import Scale

BETTER, WORSE = "better", "worse"
TIED_SCORES = {
    BETTER: "All tied scores get the points of the better place.",
    WORSE: "All tied scores get the points of the worst place they share.",
}


def best_scores(played: Iterable[Played]) -> dict[int, dict[int, int]]:
    """Per machine, the best value of each entry that has a score there."""
    best: defaultdict[int, dict[int, int]] = defaultdict(dict)
    for entry, machine, value in played:
        values = best[machine]
        if value > values.get(entry, -1):
            values[entry] = value
    return dict(best)


def rank(machine: int, values: dict[int, int], scale: Scale, tied_scores: str = BETTER) -> list[Result]:
    """Results on one machine from best to worst; equal scores share a place and the next one is skipped."""
    of = len(values)
    entries = sorted(values, key=values.__getitem__, reverse=True)
    if len(set(values.values())) == of:
        # Nearly always nobody ties: then the columns need only be put side by side.
        scores, places, points = map(values.__getitem__, entries), range(1, of + 1), scale.run(1, of, of)
        columns = zip(entries, repeat(machine), scores, places, repeat(False), points, repeat(of), strict=False)
        return list(map(Result._make, columns))
    results: list[Result] = []
    for value, group in groupby(entries, values.__getitem__):
        tied = list(group)
        place, last = len(results) + 1, len(results) + len(tied)
        earned = scale.points(place if tied_scores == BETTER else last, of)
        results += [Result(entry, machine, value, place, len(tied) > 1, earned, of) for entry in tied]
    return results
