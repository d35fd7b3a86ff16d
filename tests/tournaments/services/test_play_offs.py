"""Ties that matter are played off or ruled on: at the cut, in a semi-final, and for every place at the end."""

import pytest

from tests import factories
from tests.tournaments.services.course import correct, entry, play_off, play_semi_finals, seated, seats, stage
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.models import Ruling
from tournaments.services import entries, results, rulings, stages

SEMI, FINAL, FIFTH = "semi-finals", "final", "play-off"


@pytest.fixture
def world():
    """Two semi-finals, open: seeds 1, 3, 5, 7 and 2, 4, 6, 8."""
    world = factories.seated()
    factories.dealt(world, SEMI)
    return world


# At the cut


def test_with_places_24_and_25_level_the_second_round_does_not_begin_and_both_are_named():
    world = factories.qualifying(players=26, stock=1, rules={"qualifiers": 24})
    rows = [[1_000 * (30 - number)] for number in range(23)] + [[500], [500], [400]]
    factories.closed(world, rows)

    with pytest.raises(NeedsDecision) as told:
        stages.declare_cut(world.stage, actor=None)
    with pytest.raises(Refusal, match="The second round has no seats yet"):
        factories.dealt(world, "second-round")
    play_off(world, "qualifying", {24: 1, 25: 2})
    stages.declare_cut(world.stage, actor=None)

    assert told.value.settle == "tie"
    assert "24 Player 24 and 25 Player 25 are level at the cut" in told.value.sentence
    assert sorted(seats(world, "second-round")) == [*range(1, 24), 25]


# In a semi-final


def test_a_tie_for_second_place_keeps_every_seat_open_until_it_is_played_off(world):
    play_semi_finals(world, one=(400, 300, 300, 100))
    assert seated(world) == ([], [])

    with pytest.raises(NeedsDecision) as told:
        stages.close_stage(stage(world, SEMI), actor=None)
    play_off(world, SEMI, {3: 5, 5: 9})
    stages.close_stage(stage(world, SEMI), actor=None)

    assert told.value.settle == "tie"
    assert told.value.sentence == (
        "3 Player 3 and 5 Player 5 are level on Machine 1: a play-off game of 2 players for 1 place, or a ruling,"
        " decides."
    )
    assert set(told.value.about) == {entry(world, 3).pk, entry(world, 5).pk}
    assert seated(world) == ([1, 2, 4, 5], [3, 6, 7, 8])


def test_three_level_play_for_two_places(world):
    play_semi_finals(world, one=(400, 400, 400, 100))

    with pytest.raises(NeedsDecision, match="a play-off game of 3 players for 2 places"):
        stages.close_stage(stage(world, SEMI), actor=None)
    play_off(world, SEMI, {1: 1, 3: 2, 5: 3})

    assert seated(world) == ([2, 3, 4, 5], [1, 6, 7, 8])


def test_ties_in_both_semi_finals_are_settled_one_by_one(world):
    play_semi_finals(world, one=(400, 300, 300, 100), other=(400, 300, 300, 100))

    play_off(world, SEMI, {4: 1, 6: 2})
    assert seated(world) == ([], [])
    play_off(world, SEMI, {3: 2, 5: 1})

    assert seated(world) == ([1, 2, 3, 6], [4, 5, 7, 8])


def test_a_tie_that_sends_nobody_elsewhere_needs_no_play_off(world):
    play_semi_finals(world, one=(400, 400, 200, 200))

    assert seated(world) == ([1, 2, 3, 4], [5, 6, 7, 8])
    with pytest.raises(Refusal, match=r"Nobody is level in the semi-finals\."):
        play_off(world, SEMI, {1: 1, 3: 2})


def test_a_play_off_that_ends_level_is_kept_and_played_again(world):
    play_semi_finals(world, one=(400, 300, 300, 100))

    play_off(world, SEMI, {3: 7, 5: 7})
    assert seated(world) == ([], [])
    with pytest.raises(NeedsDecision, match="3 Player 3 and 5 Player 5 are level on Machine 1"):
        stages.close_stage(stage(world, SEMI), actor=None)
    play_off(world, SEMI, {3: 7, 5: 9})

    assert seated(world) == ([1, 2, 4, 5], [3, 6, 7, 8])
    assert Ruling.objects.count() == 2


def test_of_three_in_a_play_off_only_those_level_at_its_top_play_again(world):
    play_semi_finals(world, one=(400, 300, 300, 300))

    play_off(world, SEMI, {3: 5, 5: 9, 7: 9})
    with pytest.raises(Refusal, match=r"Name each of 5 Player 5, 7 Player 7 once\."):
        play_off(world, SEMI, {3: 9, 5: 1, 7: 2})
    play_off(world, SEMI, {5: 1, 7: 2})

    assert seated(world) == ([1, 2, 4, 7], [3, 5, 6, 8])


@pytest.mark.parametrize("named", [(3,), (3, 3), (1, 3), (3, 5, 7)])
def test_a_decision_names_exactly_those_who_are_level(world, named):
    play_semi_finals(world, one=(400, 300, 300, 100))
    order = [entry(world, number).pk for number in named]

    with pytest.raises(Refusal, match=r"Name each of 3 Player 3, 5 Player 5 once\."):
        rulings.rule_order(stage(world, SEMI), actor=None, order=order, reason="x")


def test_a_ruling_taken_back_takes_the_seats_back(world):
    play_semi_finals(world, one=(400, 300, 300, 100))
    order = [entry(world, 5).pk, entry(world, 3).pk]
    ruling = rulings.rule_order(stage(world, SEMI), actor=None, order=order, reason="3 has to leave")
    assert seated(world) == ([1, 2, 4, 5], [3, 6, 7, 8])

    rulings.undo_ruling(ruling, actor=None, reason="3 stays")

    assert seated(world) == ([], [])


def test_a_tie_that_a_correction_makes_takes_the_seats_back_until_it_is_settled(world):
    play_semi_finals(world)

    correct(world, 5, 300)

    assert seated(world) == ([], [])
    play_off(world, SEMI, {3: 1, 5: 2})
    assert seated(world) == ([1, 2, 4, 5], [3, 6, 7, 8])


def test_a_tie_that_arises_after_the_next_games_have_begun_moves_nobody_and_holds_nothing_up(world):
    play_semi_finals(world, one=(400, 300, 200, 200))
    for key in (FIFTH, FINAL):
        [match] = factories.dealt(world, key)
        factories.scored(match, 4, 3, 2, 1)

    entries.disqualify(entry(world, 1), actor=None, reason="kicked the machine")
    for key in (SEMI, FIFTH, FINAL):
        stages.close_stage(stage(world, key), actor=None)

    assert seated(world) == ([1, 2, 3, 4], [5, 6, 7, 8])
    order = [row.entry.number for row in results.declare(world.tournament, actor=None) if row.place]
    assert order == [2, 3, 4, 5, 6, 7, 8, 9, 10]


# In the game for 5th to 8th, and in the final


def play_last_games(world, fifth=(4, 3, 2, 1), final=(4, 3, 2, 1)):
    play_semi_finals(world)
    for key, values in ((FIFTH, fifth), (FINAL, final)):
        [match] = factories.dealt(world, key)
        factories.scored(match, *values)


@pytest.mark.parametrize(
    ("key", "level", "words"),
    [
        (FINAL, (1, 2), "a play-off game of 2 players for 1st to 2nd place"),
        (FINAL, (3, 4), "a play-off game of 2 players for 3rd to 4th place"),
        (FIFTH, (5, 6), "a play-off game of 2 players for 5th to 6th place"),
        (FIFTH, (7, 8), "a play-off game of 2 players for 7th to 8th place"),
    ],
)
def test_two_equal_scores_leave_their_places_open_until_they_are_played_off(world, key, level, words):
    better = level[0] in (1, 5)
    play_last_games(world, **{"final" if key == FINAL else "fifth": (4, 4, 2, 1) if better else (4, 3, 2, 2)})

    with pytest.raises(NeedsDecision) as told:
        stages.close_stage(stage(world, key), actor=None)
    with pytest.raises(Refusal, match="a tie is still to be played off"):
        results.declare(world.tournament, actor=None)
    play_off(world, key, {level[0]: 1, level[1]: 2})
    stages.close_stage(stage(world, key), actor=None)

    names = " and ".join(f"{number} Player {number}" for number in level)
    assert told.value.settle == "tie"
    assert told.value.sentence.startswith(f"{names} are level on Machine 1: {words}")
    places = {row.entry.number: row.place for row in results.declare(world.tournament, actor=None)}
    assert [places[number] for number in range(1, 9)] == [
        {level[0]: level[1], level[1]: level[0]}.get(number, number) for number in range(1, 9)
    ]


def test_two_ties_in_one_game_are_two_play_offs(world):
    play_last_games(world, final=(4, 4, 2, 2))

    play_off(world, FINAL, {3: 1, 4: 2})
    with pytest.raises(Refusal, match="a tie is still to be played off"):
        results.declare(world.tournament, actor=None)
    play_off(world, FINAL, {1: 1, 2: 2})

    order = [row.entry.number for row in results.declare(world.tournament, actor=None)][:4]
    assert order == [2, 1, 4, 3]


def test_a_ruling_on_a_tie_in_the_final_taken_back_leaves_the_place_open_again(world):
    play_last_games(world, final=(4, 4, 2, 1))
    order = [entry(world, number).pk for number in (2, 1)]
    ruling = rulings.rule_order(stage(world, FINAL), actor=None, order=order, reason="the machine failed")

    rulings.undo_ruling(ruling, actor=None, reason="they play on after all")

    with pytest.raises(Refusal, match="a tie is still to be played off"):
        results.declare(world.tournament, actor=None)
