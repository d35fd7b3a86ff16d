"""The final places of everybody, once each, and the field for the world rankings."""

from itertools import groupby

from hypothesis import given
from hypothesis import strategies as st

from tournaments.domain.results import FinalPlace, Layer, final_places, for_ratings


def layer(label, *groups):
    """A stage's order: "A", "BC" stands for A before B and C, who are level."""
    return Layer(label, tuple(tuple(map(ord, group)) for group in groups))


def told(places):
    """Name, place and what it comes from, with "=" for a shared place."""
    return [f"{chr(p.entry)} {p.place or '-'}{'=' if p.shared else ''} {p.why}" for p in places]


def test_everybody_is_placed_by_the_last_stage_they_played():
    layers = [
        layer("Final", *"CADB"),
        layer("Play-off", *"HEFG"),
        layer("Semi-finals", "AB", "CD", "EF", "GH"),
        layer("Second round", *"ABCDEFGHIJ"),
        layer("Qualifying", *"JIHGFEDCBA", "KL", "M"),
    ]

    assert told(final_places(layers, {})) == [
        "C 1 Final",
        "A 2 Final",
        "D 3 Final",
        "B 4 Final",
        "H 5 Play-off",
        "E 6 Play-off",
        "F 7 Play-off",
        "G 8 Play-off",
        "I 9 Second round",
        "J 10 Second round",
        "K 11= Qualifying",
        "L 11= Qualifying",
        "M 13 Qualifying",
    ]


def test_who_is_disqualified_stands_apart_with_the_reason_and_the_others_move_up():
    layers = [layer("Final", *"ABCD"), layer("Qualifying", *"ABCD", "EF")]

    assert told(
        final_places(layers, {ord("A"): "disqualified", ord("E"): "disqualified", ord("X"): "did not play"})
    ) == [
        "B 1 Final",
        "C 2 Final",
        "D 3 Final",
        "F 4 Qualifying",
        "A - disqualified",
        "E - disqualified",
        "X - did not play",
    ]


def test_a_level_player_who_went_on_leaves_the_place_to_the_other_alone():
    assert told(final_places([layer("Final", "A"), layer("Qualifying", "AB", "C")], {}))[1] == "B 2 Qualifying"


def _stage(groups):
    """A stage's order in which nobody stands twice."""
    left = [group.difference(*groups[:number]) for number, group in enumerate(groups)]
    return Layer("a stage", tuple(tuple(group) for group in left if group))


GROUPS = st.lists(st.sets(st.integers(1, 12), min_size=1, max_size=3), max_size=6)
LAYERS = st.lists(GROUPS.map(_stage), min_size=1, max_size=4)
APART = st.dictionaries(st.integers(1, 14), st.sampled_from(["disqualified", "did not play"]))


@given(LAYERS, APART)
def test_everybody_named_has_one_place_or_one_reason(layers, apart):
    places = final_places(layers, apart)

    everybody = {entry for layer in layers for group in layer.groups for entry in group} | set(apart)
    assert sorted(place.entry for place in places) == sorted(everybody)
    assert {place.entry: place.why for place in places if place.place is None} == apart
    _check_numbering([place for place in places if place.place is not None])


def _check_numbering(placed):
    """Every place is one more than the number of people before it, and shared exactly by those who have it."""
    before = 0
    for place, group in groupby(placed, key=lambda p: p.place):
        same = list(group)
        assert place == before + 1
        assert {p.shared for p in same} == {len(same) > 1}
        before += len(same)


# The world rankings


def field(*places, games, counted):
    made = tuple(FinalPlace(ord(name), place, False, "") for name, place in places)
    return [f"{chr(p.entry)} {p.place}{'=' if p.shared else ''}" for p in for_ratings(made, games, counted)]


def test_under_half_of_the_counted_games_is_left_out_and_the_others_move_up():
    games = {ord(name): many for name, many in zip("ABCDE", [6, 2, 3, 0, 6], strict=True)}

    assert field(("A", 1), ("B", 2), ("C", 3), ("D", 4), ("E", 5), games=games, counted=6) == ["A 1", "C 2", "E 3"]


def test_of_three_counted_games_one_is_under_half_and_two_are_not():
    games = {ord("A"): 2, ord("B"): 1}

    assert field(("A", 1), ("B", 2), games=games, counted=3) == ["A 1"]


def test_level_players_share_the_better_position_and_are_marked():
    games = dict.fromkeys(map(ord, "ABCD"), 6)

    assert field(("A", 1), ("B", 2), ("C", 2), ("D", 4), games=games, counted=6) == ["A 1", "B 2=", "C 2=", "D 4"]


def test_who_has_no_place_is_not_in_the_field():
    assert field(("A", None), ("B", 1), games=dict.fromkeys(map(ord, "AB"), 6), counted=6) == ["B 1"]


@given(LAYERS, APART, st.dictionaries(st.integers(1, 12), st.integers(0, 6)))
def test_the_field_keeps_the_order_and_is_numbered_without_gaps(layers, apart, games):
    places = final_places(layers, apart)

    rated = for_ratings(places, games, 6)

    assert [p.entry for p in rated] == [p.entry for p in places if p.place and games.get(p.entry, 0) >= 3]
    _check_numbering(rated)
