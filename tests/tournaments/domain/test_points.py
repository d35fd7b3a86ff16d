import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.domain.points import COUNT_DOWN, LINEAR_100, NAMED, PAPA, Scale, scale

LISTS = st.lists(st.integers(0, 20), min_size=1, max_size=8).map(lambda points: sorted(points, reverse=True))


def test_the_linear_scale_counts_down_from_a_hundred_to_nothing():
    assert [LINEAR_100.points(place, 72) for place in (1, 2, 3, 72, 100, 101, 102, 5_000)] == [
        100, 99, 98, 29, 1, 0, 0, 0,
    ]  # fmt: skip


def test_the_papa_scale_favours_the_first_places():
    assert [PAPA.points(place, 120) for place in (1, 2, 3, 4, 5, 88, 89)] == [100, 90, 85, 84, 83, 0, 0]


def test_counting_down_gives_the_number_of_scores_equalled_or_beaten():
    assert [COUNT_DOWN.points(place, 19) for place in (1, 2, 19)] == [19, 18, 1]


def test_a_run_of_places_earns_what_each_of_them_earns():
    for by in (LINEAR_100, PAPA, COUNT_DOWN, scale([15, 12, 10])):
        for first, places, of in ((1, 4, 4), (3, 5, 9), (99, 6, 120), (1, 0, 0), (200, 2, 10_000)):
            assert list(by.run(first, places, of)) == [by.points(first + more, of) for more in range(places)]


def test_places_past_the_end_of_a_list_score_nothing():
    assert [scale([15, 12, 10]).points(place, 9) for place in (1, 3, 4)] == [15, 10, 0]


@pytest.mark.parametrize("name", NAMED)
def test_a_named_scale_is_found_by_its_name(name):
    assert scale(name).name == name


@pytest.mark.parametrize(
    ("points", "reason"),
    [
        ("linear", "“linear” is not a points scale; use linear-100, papa, count-down or a list"),
        ([], "at least one number"),
        ([3, -1], "0 or more"),
        ([3, 5], "must not rise"),
        ([1.5], "whole numbers only"),
        (["3"], "whole numbers only"),
        ([True], "whole numbers only"),
    ],
)
def test_a_scale_that_cannot_be_meant_is_refused_with_the_reason(points, reason):
    with pytest.raises(ValueError, match=reason):
        scale(points)


@given(LISTS)
def test_what_each_place_less_costs_adds_up_to_the_points(points):
    made = scale(points)
    for place in range(1, len(points) + 2):
        lost = sum(size * (before[-1] - before[place - 1]) for size, before in made.drops)
        assert lost == made.points(place, 99)
    assert [size for size, _ in made.drops] == sorted({size for size, _ in made.drops}, reverse=True)


def test_on_a_relative_scale_each_place_less_costs_one_point():
    assert Scale("own", relative=True).drops == ((1, ()),)
