"""Scores are corrected, made void, restored and undone, and nothing of it is lost."""

from datetime import UTC, datetime

import pytest
import time_machine

from tests import factories
from tests.tournaments.services.games import facts, put_aside, record, revisions, seen, set_state, start, stored
from tournaments import selectors
from tournaments.domain.refusals import Refusal, Stale
from tournaments.models import Score, StageMachine
from tournaments.services import entries, machines, scores, stages


def test_a_correction_keeps_the_old_value_the_editor_the_time_and_the_reason(world, desk):
    score = record(world, value=1_000)

    with time_machine.travel("2030-07-24 12:00 +0000", tick=False):
        assert scores.correct(score, actor=desk, seen=seen(score), reason="one zero missing", value=10_000)

    line = selectors.history(score)[-1]
    assert (line.before["value"], line.after["value"]) == (1_000, 10_000)
    assert (line.actor, line.reason, line.at.year) == (desk, "one zero missing", 2030)
    assert line.summary == "1 Player 1 on Machine 1 (M1), 1,000, corrected to 1 Player 1 on Machine 1 (M1), 10,000."
    assert stored(score).value == 10_000


def test_one_step_restores_what_was_overwritten(world):
    score = record(world, value=1_000)
    scores.correct(score, actor=None, seen=seen(score), reason="misread", value=5)

    scores.undo(score, actor=None, seen=seen(score))

    assert stored(score).value == 1_000


def test_an_old_score_opened_and_saved_unchanged_makes_no_new_version(world):
    score = record(world, value=1_000)
    before = revisions(world)

    changed = scores.correct(
        score, actor=None, seen=seen(score), reason="", value=1_000, entry=world.entries[0], machine=world.machines[0]
    )

    assert changed is False
    assert revisions(world) == before
    assert stored(score).revision == score.revision


def test_a_score_may_be_moved_to_the_player_who_played_it(world):
    score = record(world, value=1_000)

    scores.correct(score, actor=None, seen=seen(score), reason="wrong number", entry=world.entries[1])

    assert facts(world)[0] == [(world.entries[1].pk, world.machines[0].pk, 1_000)]
    assert record(world, value=5).value == 5


def test_a_score_may_be_moved_to_the_machine_it_was_played_on(world):
    score = record(world, value=1_000)

    scores.correct(score, actor=None, seen=seen(score), reason="wrong slip", machine=world.machines[3])

    assert facts(world)[0] == [(world.entries[0].pk, world.machines[3].pk, 1_000)]


def test_a_correction_never_gives_a_player_two_games_on_a_machine(world):
    score, _ = record(world), record(world, entry=1)

    with pytest.raises(Refusal, match="Player 2 has already played Machine 1"):
        scores.correct(score, actor=None, seen=seen(score), reason="wrong number", entry=world.entries[1])

    assert stored(score).entry == world.entries[0]


def test_a_correction_never_gives_a_player_a_seventh_game():
    world = factories.qualifying(stock=7)
    factories.standings(world, [[10] * 6])
    score = record(world, entry=1, machine=6)

    with pytest.raises(Refusal, match="Player 1 has already played all 6 games"):
        scores.correct(score, actor=None, seen=seen(score), reason="wrong number", entry=world.entries[0])


def test_a_player_with_all_games_played_may_still_have_one_of_them_corrected():
    world = factories.qualifying(stock=7)
    factories.standings(world, [[10] * 6])
    score = Score.objects.get(machine=world.machines[5])

    scores.correct(score, actor=None, seen=seen(score), reason="wrong slip", machine=world.machines[6])

    assert stored(score).machine == world.machines[6]


def test_a_wrong_number_is_corrected_even_when_the_machine_was_closed_or_the_player_left_since(world):
    score = record(world)
    set_state(world, 0, StageMachine.State.LET_STAND)
    entries.withdraw(world.entries[1], actor=None, reason="ill")

    scores.correct(score, actor=None, seen=seen(score), reason="wrong number", entry=world.entries[1])

    assert stored(score).entry == world.entries[1]


def test_a_correction_of_what_somebody_else_changed_meanwhile_shows_both_values(world):
    score = record(world, value=1_000)
    opened_at = seen(score)
    scores.correct(score, actor=None, seen=opened_at, reason="misread", value=2_000)

    with pytest.raises(Stale) as told:
        scores.correct(score, actor=None, seen=opened_at, reason="misread", value=3_000)

    assert (told.value.seen, told.value.now) == ("1,000", "2,000")
    assert "1 Player 1 on Machine 1 (M1), 2,000" in told.value.sentence
    assert stored(score).value == 2_000


def test_a_correction_sent_twice_is_made_once(world):
    score = record(world, value=1_000)
    opened_at = seen(score)

    for _ in range(2):
        assert scores.correct(score, actor=None, seen=opened_at, reason="misread", value=2_000, key="fix")

    assert len(selectors.history(score)) == 2


def test_a_correction_needs_a_reason(world):
    score = record(world)

    with pytest.raises(Refusal, match="Say why") as told:
        scores.correct(score, actor=None, seen=seen(score), reason="  ", value=2)

    assert told.value.field == "reason"


def test_a_void_score_cannot_be_corrected(world):
    score = record(world)
    scores.void(score, actor=None, seen=seen(score), reason="tilted on purpose")

    with pytest.raises(Refusal, match="is void and cannot be corrected"):
        scores.correct(score, actor=None, seen=seen(score), reason="x", value=2)


@pytest.mark.parametrize("act", ["correct", "void", "restore", "undo", "put_aside", "settle"])
def test_once_the_stage_is_closed_no_score_changes(world, act):
    score, voided = record(world), record(world, machine=1)
    scores.void(voided, actor=None, seen=seen(voided), reason="x")
    stages.close_stage(world.stage, actor=None)
    before = facts(world)
    acts = {
        "correct": lambda: scores.correct(score, actor=None, seen=seen(score), reason="x", value=2),
        "void": lambda: scores.void(score, actor=None, seen=seen(score), reason="x"),
        "restore": lambda: scores.restore(voided, actor=None, seen=seen(voided)),
        "undo": lambda: scores.undo(score, actor=None, seen=seen(score)),
        "put_aside": lambda: put_aside(world, 9),
        "settle": lambda: scores.settle(score, actor=None, keep_waiting=False, reason="x"),
    }

    with pytest.raises(Refusal):
        acts[act]()

    assert facts(world) == before


def test_a_void_score_leaves_every_table_and_stays_in_the_history(world):
    score = record(world)

    scores.void(score, actor=None, seen=seen(score), reason="death save")

    read = selectors.stage_facts(world.stage)
    assert read.table.machines[world.machines[0].pk] == ()
    assert read.table.row(world.entries[0].pk).place is None
    assert [line.action for line in selectors.history(score)] == ["record score", "void score"]
    assert score in selectors.last_scores(world.stage)


def test_a_void_score_is_restored_as_it_was(world):
    score = record(world, value=42)
    before = facts(world)
    scores.void(score, actor=None, seen=seen(score), reason="x")

    scores.restore(score, actor=None, seen=seen(score))

    assert facts(world) == before
    assert stored(score).value == 42


def test_a_void_score_is_not_restored_when_the_game_was_played_again(world):
    score = record(world, value=42)
    scores.void(score, actor=None, seen=seen(score), reason="x")
    record(world, value=43)

    with pytest.raises(Refusal, match="Player 1 has already played Machine 1: 43 at"):
        scores.restore(score, actor=None, seen=seen(score))


def test_a_void_score_is_restored_even_when_the_machine_was_closed_since(world):
    score = record(world, value=42)
    scores.void(score, actor=None, seen=seen(score), reason="x")
    set_state(world, 0, StageMachine.State.LET_STAND)

    scores.restore(score, actor=None, seen=seen(score))

    assert stored(score).state == Score.State.RECORDED


def test_voiding_and_restoring_twice_is_harmless(world):
    score = record(world)
    opened_at = seen(score)

    scores.void(score, actor=None, seen=opened_at, reason="x")
    scores.void(score, actor=None, seen=opened_at, reason="x")
    voided_at = seen(score)
    scores.restore(score, actor=None, seen=voided_at)
    scores.restore(score, actor=None, seen=voided_at)

    assert len(selectors.history(score)) == 3


def test_voiding_what_somebody_changed_meanwhile_is_stale(world):
    score = record(world, value=1)
    opened_at = seen(score)
    scores.correct(score, actor=None, seen=opened_at, reason="x", value=2)

    with pytest.raises(Stale):
        scores.void(score, actor=None, seen=opened_at, reason="x")


def test_undoing_a_new_score_makes_the_game_free_again(world):
    score = record(world)

    scores.undo(score, actor=None, seen=seen(score))

    assert facts(world) == ([], [], [])
    assert record(world, value=2).value == 2


def test_undoing_the_result_of_a_started_game_puts_it_under_way_again(world):
    with time_machine.travel("2010-07-24 11:00 +0000", tick=False):
        start(world)
    before = facts(world)
    score = record(world)

    scores.undo(score, actor=None, seen=seen(score))

    assert facts(world) == before
    again = stored(score)
    assert (again.value, again.taken_at, again.recorded_at) == (None, None, None)
    assert again.started_at == datetime(2010, 7, 24, 11, 0, tzinfo=UTC)


def test_an_undo_tapped_twice_undoes_once(world):
    score = record(world, value=1)
    scores.correct(score, actor=None, seen=seen(score), reason="x", value=2)
    opened_at = seen(score)

    scores.undo(score, actor=None, seen=opened_at)
    scores.undo(score, actor=None, seen=opened_at)

    assert stored(score).value == 1


def test_an_undo_can_be_undone(world):
    score = record(world, value=1)
    scores.correct(score, actor=None, seen=seen(score), reason="x", value=2)

    for expected in (1, 2, 1):
        scores.undo(score, actor=None, seen=seen(score))
        assert stored(score).value == expected


def test_an_undo_of_a_very_long_line_fits_the_journal(world):
    entries.change_details(world.entries[0], actor=None, name="N" * 100)
    machines.change_details(world.machines[0], actor=None, name="M" * 100)
    machines.change_details(world.machines[1], actor=None, name="M" * 100)
    for item in (*world.entries, *world.machines):
        item.refresh_from_db()
    score = record(world)
    scores.correct(score, actor=None, seen=seen(score), reason="x" * 500, machine=world.machines[1])

    scores.undo(score, actor=None, seen=seen(score))

    assert stored(score).machine == world.machines[0]
