"""Places on one machine, with ties.

House rules, "Same scores on one machine": all tied get the better place's points and the next place is skipped
(1, 1, 3). Silent in the text, so a setting; checked against 143 published totals of EPC 2010.
With repeats the best score of an entry on a machine counts (house rules, "Classic").
"""

from collections.abc import Iterable

from tournaments.domain.facts import Played, Result
from tournaments.domain.points import Scale

BETTER, WORSE = "better", "worse"
TIED_SCORES = {
    BETTER: "All tied scores get the points of the better place.",
    WORSE: "All tied scores get the points of the worst place they share.",
}


def best_scores(played: Iterable[Played]) -> dict[int, dict[int, int]]:
    """Per machine, the best value of each entry that has a score there."""
    best: dict[int, dict[int, int]] = {}
    for entry, machine, value in played:
        values = best.setdefault(machine, {})
        if value > values.get(entry, -1):
            values[entry] = value
    return best


def rank(machine: int, values: dict[int, int], scale: Scale, tied_scores: str = BETTER) -> list[Result]:
    """Results on one machine from best to worst; equal scores share a place and the next one is skipped."""
    of = len(values)
    better = tied_scores == BETTER
    groups: dict[int, list[int]] = {}
    for entry, value in values.items():
        groups.setdefault(value, []).append(entry)
    results: list[Result] = []
    place = 1
    for value in sorted(groups, reverse=True):
        tied = groups[value]
        last = place + len(tied) - 1
        points = scale.points(place if better else last, of)
        shared = last > place
        for entry in tied:  # nearly always one alone, for which a comprehension takes longer
            results.append(Result(entry, machine, value, place, shared, points, of))  # noqa: PERF401
        place = last + 1
    return results
