import json
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.domain.stage import DATA
from tournaments.domain.facts import Played
from tournaments.domain.points import COUNT_DOWN, LINEAR_100, PAPA, Scale
from tournaments.domain.ranking import BETTER, TIED_SCORES, WORSE, best_scores, rank

VALUES = st.dictionaries(st.integers(1, 40), st.integers(0, 6), min_size=1, max_size=12)
SCALES = st.sampled_from([LINEAR_100, PAPA, COUNT_DOWN, Scale("list", (15, 12, 10, 8))])
TIES = st.sampled_from(sorted(TIED_SCORES))


def places(values, tied_scores=BETTER):
    return {r.entry: (r.place, r.shared, r.points) for r in rank(1, values, LINEAR_100, tied_scores)}


def test_five_equal_scores_all_get_first_place_points_and_the_next_is_sixth():
    values = dict.fromkeys(range(10, 15), 1_000) | {3: 999}
    assert places(values) == dict.fromkeys(range(10, 15), (1, True, 100)) | {3: (6, False, 95)}


def test_equal_scores_get_the_worst_of_their_places_where_that_is_the_rule():
    values = dict.fromkeys(range(10, 15), 1_000) | {3: 999}
    assert places(values, WORSE) == dict.fromkeys(range(10, 15), (1, True, 96)) | {3: (6, False, 95)}


@pytest.mark.parametrize("tied_scores", sorted(TIED_SCORES))
def test_the_order_of_typing_equal_scores_makes_no_difference(tied_scores):
    assert places({1: 50, 2: 50, 3: 70}, tied_scores) == places({3: 70, 2: 50, 1: 50}, tied_scores)


def test_zero_is_ranked_last_and_not_left_out():
    assert places({1: 0, 2: 5}) == {2: (1, False, 100), 1: (2, False, 99)}


def test_with_repeats_the_best_score_on_a_machine_counts():
    games = [Played(1, 7, 50), Played(1, 7, 90), Played(1, 7, 70), Played(2, 7, 60), Played(1, 8, 0)]
    assert best_scores(games) == best_scores(reversed(games)) == {7: {1: 90, 2: 60}, 8: {1: 0}}


def test_fifteen_digits_are_ranked_to_the_last_one():
    assert places({1: 999_999_999_999_998, 2: 999_999_999_999_999})[2] == (1, False, 100)


FINALS = json.loads((DATA / "finals_games.json").read_text(encoding="utf-8"))["games"]
FOUR_TWO_ONE = Scale("list", (4, 2, 1, 0))


@pytest.mark.parametrize("final", [game for game in FINALS if isinstance(game.get("published_order"), str)])
def test_published_finals_are_in_the_published_order(final):
    ranked = rank(1, final["scores"], FOUR_TWO_ONE)
    assert "".join(result.entry for result in ranked) == final["published_order"]


def test_the_points_of_a_published_final_over_two_machines_add_up():
    (final,) = [game for game in FINALS if "published_points_after_two" in game]
    points = Counter()
    for game in final["games"][:2]:
        points.update({r.entry: r.points for r in rank(1, game["scores"], FOUR_TWO_ONE)})
    assert points == final["published_points_after_two"]


@given(VALUES, SCALES, TIES, st.integers(1, 40), st.integers(0, 7))
def test_a_better_score_never_worsens_the_place_or_the_points(values, scale, tied_scores, who, more):
    values.setdefault(who, 0)
    before = {r.entry: r for r in rank(1, values, scale, tied_scores)}
    after = {r.entry: r for r in rank(1, values | {who: values[who] + more}, scale, tied_scores)}
    assert after[who].place <= before[who].place
    assert after[who].points >= before[who].points
    assert all(after[other].points <= before[other].points for other in values if other != who)


@given(VALUES, SCALES, TIES)
def test_the_points_of_a_machine_depend_only_on_how_many_scores_there_are_and_which_tie(values, scale, tied_scores):
    results = rank(1, values, scale, tied_scores)
    sizes = [size for _, size in sorted(Counter(values.values()).items(), reverse=True)]
    expected, place = 0, 1
    for size in sizes:
        expected += size * scale.points(place if tied_scores == BETTER else place + size - 1, len(values))
        place += size
    assert sum(result.points for result in results) == expected
    assert {result.of for result in results} == {len(values)}


@given(VALUES, SCALES, TIES, st.randoms())
def test_neither_the_order_of_input_nor_the_ids_change_a_place(values, scale, tied_scores, random):
    names = list(values)
    random.shuffle(names)
    new = {old: 1_000 - old for old in names}
    before = {r.entry: r[2:] for r in rank(1, values, scale, tied_scores)}
    after = {r.entry: r[2:] for r in rank(1, {new[old]: values[old] for old in names}, scale, tied_scores)}
    assert after == {new[old]: result for old, result in before.items()}
