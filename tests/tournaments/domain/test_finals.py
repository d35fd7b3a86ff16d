"""A game of two to four: its order, who goes on, what must be played off. Real finals end as they were published."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.domain.facts import Decision
from tournaments.domain.finals import Game, outcome
from tournaments.domain.points import scale

PUBLISHED = json.loads((Path(__file__).parents[2] / "data" / "finals_games.json").read_text())["games"]
SINGLE = [game for game in PUBLISHED if "scores" in game and "published_order" in game]
THREE_MACHINES = next(game for game in PUBLISHED if "games" in game)
SEVEN_FOR_THREE = next(game for game in PUBLISHED if "published_through" in game)


def game(scores, absent=(), decisions=()):
    """A game of players called by letters; None is a score still to come."""
    known = {ord(name): value for name, value in scores.items() if value is not None}
    gone = frozenset(map(ord, absent))
    settled = tuple(Decision(kind, tuple(map(ord, order))) for kind, order in decisions)
    return Game(tuple(map(ord, scores)), known, gone, settled)


def names(entries):
    return "".join(map(chr, entries))


def places(result):
    return {chr(finish.entry): (finish.place, finish.shared) for finish in result.finishes}


# Published finals


@pytest.mark.parametrize("final", SINGLE, ids=lambda final: final["event"][:40])
def test_a_published_final_ends_in_its_published_order(final):
    result = outcome(game(final["scores"]))

    assert names(finish.entry for finish in result.finishes) == final["published_order"]
    assert [finish.place for finish in result.finishes] == [1, 2, 3, 4]
    assert result.decided


def test_the_published_final_on_three_machines_has_its_points_its_tie_and_its_order():
    worth = scale((4, 2, 1, 0))
    totals = Counter()
    for number, one in enumerate(THREE_MACHINES["games"], start=1):
        order = one.get("published_order") or names(f.entry for f in outcome(game(one["scores"])).finishes)
        totals.update(dict(zip(order, worth.by_place, strict=True)))
        if number == 2:
            assert totals == THREE_MACHINES["published_points_after_two"]
    assert totals == THREE_MACHINES["published_points"]

    [tie] = outcome(game(totals)).play_offs
    assert (names(sorted(tie.entries)), tie.words()) == ("BCD", "a play-off game of 3 players for 2nd to 4th place")
    order = names(f.entry for f in outcome(game(THREE_MACHINES["tie_break"]["scores"])).finishes)
    settled = outcome(game(totals, decisions=[("play-off", order)]))

    assert settled.decided
    assert list(names(f.entry for f in settled.finishes)) == THREE_MACHINES["published_order"]


def test_seven_level_for_three_places_are_asked_for_one_game_that_sends_on_the_published_three():
    scores = SEVEN_FOR_THREE["scores"]
    [tie] = outcome(game(dict.fromkeys(scores, 1)), go_on=3).play_offs
    assert tie.words() == "a play-off game of 7 players for 3 places"

    played = outcome(game(scores), go_on=3)

    assert sorted(names(played.best(3))) == SEVEN_FOR_THREE["published_through"]
    settled = outcome(
        game(dict.fromkeys(scores, 1), decisions=[("play-off", names(f.entry for f in played.finishes))])
    )
    assert settled.best(3) == played.best(3)


# Ties


@pytest.mark.parametrize(
    ("scores", "open_ties"),
    [
        ({"A": 9, "B": 5, "C": 5, "D": 1}, [("BC", 2, 1)]),
        ({"A": 5, "B": 5, "C": 5, "D": 1}, [("ABC", 1, 2)]),
        ({"A": 9, "B": 5, "C": 5, "D": 5}, [("BCD", 2, 1)]),
        ({"A": 5, "B": 5, "C": 5, "D": 5}, [("ABCD", 1, 2)]),
        ({"A": 5, "B": 5, "C": 2, "D": 1}, []),
        ({"A": 9, "B": 5, "C": 2, "D": 2}, []),
        ({"A": 5, "B": 5, "C": 2, "D": 2}, []),
    ],
)
def test_where_two_go_on_only_a_tie_across_second_place_is_played_off(scores, open_ties):
    result = outcome(game(scores), go_on=2)

    assert [(names(tie.entries), tie.first, tie.places) for tie in result.play_offs] == open_ties
    assert result.decided is not bool(open_ties)


@pytest.mark.parametrize(
    ("scores", "words"),
    [
        ({"A": 9, "B": 9, "C": 2, "D": 1}, ["a play-off game of 2 players for 1st to 2nd place"]),
        ({"A": 9, "B": 5, "C": 2, "D": 2}, ["a play-off game of 2 players for 3rd to 4th place"]),
        (
            {"A": 9, "B": 9, "C": 2, "D": 2},
            [
                "a play-off game of 2 players for 1st to 2nd place",
                "a play-off game of 2 players for 3rd to 4th place",
            ],
        ),
    ],
)
def test_where_the_scores_give_the_places_every_tie_is_played_off(scores, words):
    result = outcome(game(scores))

    assert [tie.words() for tie in result.play_offs] == words
    assert not result.decided


def test_level_players_share_a_place_until_somebody_decides():
    result = outcome(game({"A": 9, "B": 5, "C": 5, "D": 1}))

    assert places(result) == {"A": (1, False), "B": (2, True), "C": (2, True), "D": (4, False)}


def test_the_order_in_which_equal_scores_were_typed_changes_nothing():
    one, other = ({"A": 9, "B": 5, "C": 5, "D": 1}, {"D": 1, "C": 5, "B": 5, "A": 9})

    assert places(outcome(game(one), 2)) == places(outcome(game(other), 2))


@pytest.mark.parametrize("kind", ["play-off", "order"])
def test_a_decision_orders_those_level_and_says_what_it_was(kind):
    result = outcome(game({"A": 9, "B": 5, "C": 5, "D": 1}, decisions=[(kind, "CB")]), go_on=2)

    assert result.decided
    assert names(result.best(2)) == "AC"
    assert names(result.others(2)) == "BD"
    assert {chr(f.entry): f.why for f in result.finishes} == {"A": "", "B": kind, "C": kind, "D": ""}


def test_of_two_decisions_the_later_one_counts():
    scores = {"A": 9, "B": 5, "C": 5, "D": 1}

    assert names(outcome(game(scores, decisions=[("play-off", "CB"), ("order", "BC")]), 2).best(2)) == "AB"


def test_a_decision_between_two_does_not_settle_a_tie_that_has_grown_to_three():
    result = outcome(game({"A": 9, "B": 5, "C": 5, "D": 5}, decisions=[("play-off", "CB")]), go_on=2)

    assert [names(sorted(tie.entries)) for tie in result.play_offs] == ["BCD"]


# Who is missing, and who stays away


def test_while_a_score_is_missing_nothing_is_decided_and_nobody_is_sent_to_a_play_off():
    result = outcome(game({"A": 5, "B": 5, "C": 5, "D": None}), go_on=2)

    assert (names(result.missing), result.play_offs, result.decided) == ("D", (), False)


def test_zero_is_a_score_and_not_a_player_who_stayed_away():
    result = outcome(game({"A": 0, "B": 5}, absent="A"), go_on=2)

    assert names(result.best(2)) == "BA"


def test_who_did_not_play_comes_last_and_never_goes_on():
    result = outcome(game({"A": None, "B": 5, "C": None, "D": None}, absent="ACD"), go_on=2)

    assert result.decided
    assert places(result) == {"B": (1, False), "A": (2, True), "C": (2, True), "D": (2, True)}
    assert names(result.best(2)) == "B"
    assert names(result.others(2)) == "ACD"


GAMES = st.dictionaries(st.sampled_from("ABCD"), st.none() | st.integers(0, 3), min_size=2).flatmap(
    lambda scores: st.tuples(
        st.just(scores),
        st.sets(st.sampled_from(sorted(scores))),
        st.lists(st.permutations(sorted(scores)).map("".join), max_size=2),
    )
)


@given(GAMES, st.none() | st.integers(1, 3))
def test_everybody_finishes_once_and_whoever_goes_on_beats_whoever_does_not(drawn, go_on):
    scores, absent, orders = drawn
    result = outcome(game(scores, absent, [("play-off", order) for order in orders]), go_on)

    finished = [chr(finish.entry) for finish in result.finishes]
    assert sorted([*finished, *names(result.missing)]) == sorted(scores)
    taken = Counter(finish.place for finish in result.finishes)
    assert all(finish.shared == (taken[finish.place] > 1) for finish in result.finishes)
    assert [f.place for f in result.finishes] == [
        1 + sum(other.place < f.place for other in result.finishes) for f in result.finishes
    ]
    if not result.decided:
        return
    many = go_on or len(scores)
    best, others = names(result.best(many)), names(result.others(many))
    assert sorted(best + others) == sorted(scores)
    played = {name: value for name, value in scores.items() if value is not None}
    assert len(best) == min(many, len(played))
    assert all(played[on] >= played[out] for on in best for out in others if out in played)
    assert all(played[on] > played[out] or orders for on in best for out in others if out in played)


@given(GAMES, st.none() | st.integers(1, 3), st.randoms(use_true_random=False))
def test_playing_off_every_tie_once_decides_any_game(drawn, go_on, random):
    scores, absent, _ = drawn
    played = {name: value for name, value in scores.items() if value is not None or name in absent}
    undecided = outcome(game(played, absent), go_on)
    orders = [random.sample(names(tie.entries), len(tie.entries)) for tie in undecided.play_offs]

    result = outcome(game(played, absent, [("play-off", order) for order in orders]), go_on)

    assert result.decided
    before = {finish.entry: finish.place for finish in undecided.finishes}
    assert all(finish.place >= before[finish.entry] for finish in result.finishes)
