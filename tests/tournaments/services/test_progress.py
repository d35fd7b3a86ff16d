"""Who goes on from the semi-finals: everybody once, at the right moment, nobody by a tie or by half a result."""

import pytest

from tests import factories
from tests.tournaments.services.course import (
    again,
    correct,
    entry,
    play_semi_finals,
    score,
    seated,
    seats,
    sides,
    stage,
)
from tests.tournaments.services.games import seen
from tournaments import selectors
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.models import Match, Ruling, Score
from tournaments.services import entries, matches, scores, stages

SEMI, FINAL, FIFTH = "semi-finals", "final", "play-off"


@pytest.fixture
def world():
    """Two semi-finals, open: seeds 1, 3, 5, 7 and 2, 4, 6, 8."""
    world = factories.seated()
    factories.dealt(world, SEMI)
    return world


def absent(world, number, away=True):
    match = next(match for match in factories.matches(world, SEMI) if number in sides(match))
    matches.absent(match, actor=None, entry=entry(world, number).pk, away=away, reason="not here")


def test_two_of_each_semi_final_go_to_the_final_and_the_others_to_the_play_off_in_seed_order(world):
    play_semi_finals(world, one=(100, 400, 200, 300), other=(100, 200, 300, 400))

    assert seated(world) == ([3, 6, 7, 8], [1, 2, 4, 5])


def test_nobody_goes_on_before_the_last_score_of_the_last_semi_final(world):
    play_semi_finals(world, other=(400, 300, 200, None))
    assert seated(world) == ([], [])

    factories.scored(factories.matches(world, SEMI)[1], None, None, None, 100)

    assert seated(world) == ([1, 2, 3, 4], [5, 6, 7, 8])


# Corrections before and after the next games begin


def test_second_and_third_swapped_before_the_final_starts_swap_their_seats(world):
    play_semi_finals(world)

    correct(world, 5, 350)

    final, fifth = seated(world)
    assert (final, fifth) == ([1, 2, 4, 5], [3, 6, 7, 8])
    assert sorted(final + fifth) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_games_already_dealt_are_dealt_again_to_the_right_players_on_the_same_machine(world):
    play_semi_finals(world)
    factories.dealt(world, FINAL, machines=world.machines[2:3], opened=False)
    factories.dealt(world, FIFTH, machines=world.machines[3:4], opened=False)

    correct(world, 5, 350)

    [final], [fifth] = factories.matches(world, FINAL), factories.matches(world, FIFTH)
    assert (sides(final), final.machine.code) == ([1, 2, 4, 5], "M3")
    assert (sides(fifth), fifth.machine.code) == ([3, 6, 7, 8], "M4")


def test_a_correction_that_moves_nobody_leaves_the_dealt_games_alone(world):
    play_semi_finals(world)
    [final] = factories.dealt(world, FINAL, opened=False)
    matches.choose(final, actor=None, entry=entry(world, 1).pk, position=4)

    correct(world, 1, 500)

    assert again(final).sides.get(entry=entry(world, 1)).choice == 4


@pytest.mark.parametrize("begun", [FINAL, FIFTH])
def test_once_one_of_the_next_games_has_begun_a_correction_moves_nobody_by_itself(world, begun):
    play_semi_finals(world)
    for key in (FINAL, FIFTH):
        factories.dealt(world, key, opened=key == begun)

    correct(world, 5, 350)

    assert seated(world) == ([1, 2, 3, 4], [5, 6, 7, 8])
    assert sides(factories.matches(world, FINAL)[0]) == [1, 2, 3, 4]
    assert sides(factories.matches(world, FIFTH)[0]) == [5, 6, 7, 8]


def test_an_opening_taken_back_lets_the_corrected_result_through(world):
    play_semi_finals(world)
    [final] = factories.dealt(world, FINAL)
    [first, *_] = factories.scored(final, 9, None, None, None)
    correct(world, 5, 350)

    with pytest.raises(Refusal, match="The final has scores; void them first"):
        stages.withdraw_opening(stage(world, FINAL), actor=None, reason="5 belongs in it")
    scores.void(first, actor=None, seen=seen(first), reason="5 belongs in it")
    stages.withdraw_opening(stage(world, FINAL), actor=None, reason="5 belongs in it")

    assert seated(world) == ([1, 2, 4, 5], [3, 6, 7, 8])
    assert [sides(match) for match in factories.matches(world, FINAL)] == [[1, 2, 4, 5]]
    assert Score.objects.get(pk=first.pk).match.state == Match.State.VOID


def test_a_void_score_of_a_semi_final_takes_the_seats_back_and_a_restored_one_gives_them_again(world):
    play_semi_finals(world)
    taken = score(world, SEMI, 5)

    scores.void(taken, actor=None, seen=seen(taken), reason="the wrong player")
    assert seated(world) == ([], [])
    scores.restore(taken, actor=None, seen=seen(taken))

    assert seated(world) == ([1, 2, 3, 4], [5, 6, 7, 8])


def test_an_undo_of_the_last_score_takes_the_seats_back_too(world):
    play_semi_finals(world)
    taken = score(world, SEMI, 8)

    scores.undo(taken, actor=None, seen=seen(taken))

    assert seated(world) == ([], [])


def test_a_void_score_after_the_final_has_begun_moves_nobody(world):
    play_semi_finals(world)
    factories.dealt(world, FINAL)
    taken = score(world, SEMI, 5)

    scores.void(taken, actor=None, seen=seen(taken), reason="the wrong player")

    assert seated(world) == ([1, 2, 3, 4], [5, 6, 7, 8])


def test_a_second_result_that_waits_moves_nobody_until_somebody_decides(world):
    play_semi_finals(world)
    game = {"entry": entry(world, 5), "machine": world.machines[0]}

    waiting = scores.put_aside(stage(world, SEMI), actor=None, value=350, **game).score
    assert seated(world) == ([1, 2, 3, 4], [5, 6, 7, 8])
    with pytest.raises(NeedsDecision, match="waits for a decision"):
        stages.close_stage(stage(world, SEMI), actor=None)
    scores.settle(waiting, actor=None, keep_waiting=True, reason="the photo shows it")

    assert seated(world) == ([1, 2, 4, 5], [3, 6, 7, 8])


# Who stays away, leaves, or is disqualified


def test_who_did_not_play_goes_to_the_play_off_however_few_played(world):
    absent(world, 1)
    absent(world, 3)

    play_semi_finals(world, one=(None, None, 200, 100))

    assert seated(world) == ([2, 4, 5, 7], [1, 3, 6, 8])


def test_a_player_who_turns_up_after_all_takes_the_seats_back_until_the_score_is_in(world):
    absent(world, 1)
    play_semi_finals(world, one=(None, 300, 200, 100))
    assert seated(world) == ([2, 3, 4, 5], [1, 6, 7, 8])

    absent(world, 1, away=False)
    assert seated(world) == ([], [])
    factories.scored(factories.matches(world, SEMI)[0], 400, None, None, None)

    assert seated(world) == ([1, 2, 3, 4], [5, 6, 7, 8])


def test_a_finalist_who_leaves_keeps_an_empty_seat(world):
    play_semi_finals(world)
    entries.withdraw(entry(world, 1), actor=None, reason="the last train")

    [final] = factories.dealt(world, FINAL)
    matches.absent(final, actor=None, entry=entry(world, 1).pk, reason="the last train")
    factories.scored(final, None, 3, 2, 1)

    assert seats(world, FINAL) == [1, 2, 3, 4]
    assert again(final).state == Match.State.DONE


def test_who_is_disqualified_before_the_final_starts_goes_nowhere_and_the_next_moves_up(world):
    play_semi_finals(world)
    factories.dealt(world, FINAL, opened=False)

    entries.disqualify(entry(world, 1), actor=None, reason="kicked the machine")
    assert seated(world) == ([2, 3, 4, 5], [6, 7, 8])
    assert [sides(match) for match in factories.matches(world, FINAL)] == [[2, 3, 4, 5]]
    entries.reinstate(entry(world, 1), actor=None, reason="it was somebody else")

    assert seated(world) == ([1, 2, 3, 4], [5, 6, 7, 8])
    assert [sides(match) for match in factories.matches(world, FINAL)] == [[1, 2, 3, 4]]


def test_a_semi_final_does_not_wait_for_a_score_of_who_is_disqualified(world):
    play_semi_finals(world, other=(400, 300, 200, None))

    entries.disqualify(entry(world, 8), actor=None, reason="kicked the machine")

    assert seated(world) == ([1, 2, 3, 4], [5, 6, 7])
    with pytest.raises(Refusal, match="8 Player 8 is disqualified and plays no more"):
        factories.scored(factories.matches(world, SEMI)[1], None, None, None, 900)


# The top eight of the second round, and the 24 before it


def test_level_for_eighth_place_in_the_second_round_the_better_qualifying_position_goes_on():
    rules = {"qualifiers": 24, "points": [100, *range(50, 26, -1)]}
    world = factories.qualifying(players=24, stock=12, rules=rules)
    # The later a player entered the better the seed: 24 is seed 1, and 17 and 16 are seeds 8 and 9.
    stages.declare_cut(factories.closed(world, [[number] for number in range(1, 25)]).stage, actor=None)
    for match in factories.dealt(world, "second-round"):
        factories.scored(again(match), *(_makes_16_and_17_level(match.round, number) for number in sides(match)))
    stages.close_stage(stage(world, "second-round"), actor=None)

    stages.declare_cut(stage(world, "second-round"), actor=None)

    table = selectors.stage_facts(stage(world, "second-round")).table
    rows = [table.row(entry(world, number).pk) for number in (16, 17)]
    assert [(row.place, row.shared) for row in rows] == [(8, True)] * 2
    assert set(seats(world, SEMI)) == {17, *range(18, 25)}
    assert not Ruling.objects.exists()


def _makes_16_and_17_level(game, number):
    """18 to 24 lead every machine; 16 and 17 lead in three games and are last in the fourth."""
    if number in (16, 17):
        return 1_000 if game < 4 else 0
    return 1_000 if number > 17 else 500
