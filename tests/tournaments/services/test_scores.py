"""Games are started and recorded, once and within the limits; doubtful values ask; machines come and go."""

from datetime import UTC, datetime

import pytest
import time_machine

from tests import factories
from tests.tournaments.services.games import facts, record, seen, set_state, start
from tournaments import selectors
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.domain.scores import HIGHEST, read
from tournaments.models import Journal, Score, StageMachine
from tournaments.services import entries, scores, stages


def test_a_slip_is_recorded_without_a_start(world, desk):
    with time_machine.travel("2010-07-24 11:12 +0000", tick=False):
        score = record(world, value=12_345_678)

    assert (score.state, score.value, score.late, score.source) == ("recorded", 12_345_678, False, "slip")
    assert score.taken_at == score.recorded_at == datetime(2010, 7, 24, 11, 12, tzinfo=UTC)
    assert facts(world)[0] == [(world.entries[0].pk, world.machines[0].pk, 12_345_678)]


def test_who_recorded_a_score_is_kept(world, desk):
    score = scores.record(
        world.stage, actor=desk, entry=world.entries[0], machine=world.machines[0], value=1, sure=1
    ).score

    assert (score.recorded_by, Journal.objects.get(score=score).actor) == (desk, desk)


def test_the_result_of_a_started_game_goes_into_that_game(world):
    game = start(world)
    assert facts(world) == ([], [(world.entries[0].pk, world.machines[0].pk)], [])

    score = record(world, value=5)

    assert score == game
    assert facts(world) == ([(world.entries[0].pk, world.machines[0].pk, 5)], [], [])


def test_a_started_game_makes_the_machine_busy_until_its_result_is_in(world):
    start(world)

    with pytest.raises(Refusal, match=r"^Machine 1 \(M1\) is busy: 1 Player 1 is playing it\.$"):
        start(world, entry=1)
    record(world)
    assert start(world, entry=1).state == Score.State.PLAYING


def test_starting_twice_is_told_and_makes_no_second_game(world):
    with time_machine.travel("2010-07-24 11:12 +0000", tick=False):
        start(world)
        with pytest.raises(Refusal, match=r"Player 1 has already played Machine 1: started at 12:12\."):
            start(world)

    assert Score.objects.count() == 1


def test_one_game_on_a_machine_and_the_first_is_named(world):
    with time_machine.travel("2010-07-24 11:12 +0000", tick=False):
        record(world, value=12_345_678)
        with pytest.raises(Refusal) as told:
            record(world, value=2)

    assert told.value.sentence == "Player 1 has already played Machine 1: 12,345,678 at 12:12."
    assert told.value.field == "machine"


def test_six_games_in_all_and_the_seventh_is_refused_with_the_six():
    world = factories.qualifying(stock=7)
    factories.standings(world, [[10] * 6])

    with pytest.raises(Refusal) as told:
        record(world, machine=6)

    named = ", ".join(f"Machine {number}" for number in range(1, 7))
    assert told.value.sentence == f"Player 1 has already played all 6 games: {named}."
    assert told.value.field == "number"


def test_where_repeats_are_allowed_ten_games_may_all_be_on_one_machine_and_the_best_counts():
    world = factories.qualifying(format="classic", stock=2)

    for value in (5, 9, 7, 1, 2, 3, 4, 6, 8, 0):
        record(world, value=value)

    attempts = Score.objects.order_by("attempt").values_list("attempt", "slot")
    assert list(attempts) == [(number, number) for number in range(1, 11)]
    [best] = selectors.stage_facts(world.stage).table.row(world.entries[0].pk).results
    assert best.value == 9
    with pytest.raises(Refusal, match="has already played Machine 1: 5 at"):
        record(world)
    with pytest.raises(Refusal, match="has already played all 10 games"):
        record(world, machine=1)


def test_an_entry_of_another_tournament_cannot_play(world):
    other = factories.qualifying(of=world.show, format="kids", players=1)

    with pytest.raises(Refusal, match=r"3 Player 1 is not entered in The Open\.") as told:
        factories.play(world.stage, other.entries[0], world.machines[0], 1)

    assert told.value.field == "number"


def test_a_machine_that_is_not_in_the_stage_takes_no_score(world):
    spare = factories.machine(world.show, "X1", "Spare")

    with pytest.raises(Refusal, match=r"Spare \(X1\) is not used in qualifying\.") as told:
        factories.play(world.stage, world.entries[0], spare, 1)

    assert told.value.field == "machine"


def test_before_the_stage_is_open_nothing_is_recorded():
    world = factories.qualifying(opened=False)

    with pytest.raises(Refusal, match=r"Qualifying of The Open is not open yet\."):
        record(world)


def test_after_the_stage_is_closed_nothing_is_recorded(world):
    stages.close_stage(world.stage, actor=None)

    with pytest.raises(Refusal, match=r"Qualifying of The Open is closed; an organiser can reopen it\."):
        record(world)


@pytest.mark.parametrize("leave", [entries.withdraw, entries.disqualify])
def test_who_has_left_starts_nothing_new_but_a_game_under_way_is_finished(world, leave):
    start(world)
    leave(world.entries[0], actor=None, reason="has to catch a train")

    with pytest.raises(Refusal, match="and plays no more"):
        start(world, machine=1)
    assert record(world).state == Score.State.RECORDED


@pytest.mark.parametrize("value", [-1, HIGHEST + 1])
def test_a_score_out_of_range_is_refused(world, value):
    with pytest.raises(Refusal, match=r"A score is a whole number from 0 to 999,999,999,999,999\."):
        record(world, value=value)

    assert not Score.objects.exists()


@pytest.mark.parametrize("value", [0, 99_999_999_990, HIGHEST])
def test_every_score_in_range_is_kept_and_ranked_to_the_last_digit(world, value):
    record(world, value=value)

    [result] = selectors.stage_facts(world.stage).table.row(world.entries[0].pk).results
    assert result.value == value


def test_however_a_score_is_typed_it_is_the_same_request(world):
    typed = ["12.345.678", "12,345,678", "12 345 678", "12345678"]

    answers = [
        scores.record(
            world.stage, actor=None, entry=world.entries[0], machine=world.machines[0], value=read(text), key="slip"
        )
        for text in typed
    ]

    assert [answer.repeated for answer in answers] == [False, True, True, True]
    assert Score.objects.get().value == 12_345_678


def test_a_doubtful_score_asks_once_and_is_taken_when_the_same_value_comes_again(world):
    world = factories.qualifying(of=world.show, format="classic", players=4)
    for entry in range(3):
        record(world, entry, value=1_000 + entry)
    game = {"actor": None, "entry": world.entries[3], "machine": world.machines[0]}

    with pytest.raises(NeedsDecision) as asked:
        scores.record(world.stage, value=10_000, **game)
    with pytest.raises(NeedsDecision):
        scores.record(world.stage, value=10_000, sure=1_000, **game)
    taken = scores.record(world.stage, value=10_000, sure=10_000, **game)

    assert (asked.value.settle, asked.value.field) == ("doubtful", "score")
    assert asked.value.about == (world.entries[3].pk,)
    assert "Player 4 on Machine 1 (M1): 10,000? It would lead this machine" in asked.value.sentence
    assert taken.score.value == 10_000


def test_a_double_tap_is_one_score(world):
    first = scores.record(
        world.stage, actor=None, entry=world.entries[0], machine=world.machines[0], value=7, key="tap"
    )
    again = scores.record(
        world.stage, actor=None, entry=world.entries[0], machine=world.machines[0], value=7, key="tap"
    )

    assert (first.repeated, again.repeated) == (False, True)
    assert first.score == again.score
    assert Score.objects.count() == 1


def test_a_request_sent_again_after_a_correction_gives_the_score_as_it_is_now(world):
    score = record(world, value=7, key="tap")
    scores.correct(score, actor=None, seen=seen(score), reason="read again", value=8)

    again = scores.record(
        world.stage, actor=None, entry=world.entries[0], machine=world.machines[0], value=7, key="tap"
    )

    assert (again.repeated, again.score.value) == (True, 8)


@pytest.mark.parametrize("other", [{"value": 8}, {"machine": 1}, {"entry": 1}])
def test_the_same_key_for_another_score_is_refused_and_nothing_is_saved(world, other):
    record(world, value=7, key="tap")

    with pytest.raises(Refusal, match="already sent with other contents"):
        record(world, **{"value": 7, **other}, key="tap")

    assert Score.objects.get().value == 7


def test_a_game_given_up_does_not_count_as_played(world):
    game = start(world)

    scores.abandon(game, actor=None, reason="the machine went dark")

    assert facts(world) == ([], [], [])
    assert start(world).state == Score.State.PLAYING
    with pytest.raises(Refusal, match="is no longer playing"):
        scores.abandon(game, actor=None, reason="again")


def test_giving_up_needs_a_reason(world):
    with pytest.raises(Refusal, match="Say why"):
        scores.abandon(start(world), actor=None, reason=" ")


def test_a_cancelled_machine_gives_the_game_back_and_keeps_the_score_in_the_history():
    world = factories.qualifying(stock=7)
    factories.standings(world, [[10] * 6])
    set_state(world, 0, StageMachine.State.CANCELLED)

    record(world, machine=6, value=11)

    row = selectors.stage_facts(world.stage).table.row(world.entries[0].pk)
    assert row.games == 6
    assert {result.machine for result in row.results} == {machine.pk for machine in world.machines[1:]}
    assert Score.objects.filter(machine=world.machines[0], state=Score.State.RECORDED).count() == 1


@pytest.mark.parametrize("state", [StageMachine.State.CANCELLED, StageMachine.State.LET_STAND])
def test_a_machine_taken_out_takes_no_new_game_but_the_one_under_way(world, state):
    start(world)
    set_state(world, 0, state)

    with pytest.raises(Refusal, match="no new games on it"):
        record(world, entry=1)
    assert record(world).state == Score.State.RECORDED


def test_scores_of_a_machine_let_stand_stay_ranked(world):
    record(world)

    set_state(world, 0, StageMachine.State.LET_STAND)

    assert selectors.stage_facts(world.stage).table.row(world.entries[0].pk).points == 100
