"""Two results for one game wait for a person and count for nothing meanwhile."""

import pytest

from tests import factories
from tests.tournaments.services.games import facts, put_aside, record, seen, stored
from tournaments import selectors
from tournaments.domain.refusals import Refusal, Stale
from tournaments.models import Journal, Score
from tournaments.services import scores


def conflict(world, first=1_000, second=2_000, **details):
    score = record(world, value=first)
    aside = put_aside(world, second, **details)
    return score, aside.score


def test_a_second_result_counts_for_nothing_until_somebody_decides(world):
    record(world, entry=1, value=1_500)
    score = record(world, value=1_000)
    table = selectors.stage_facts(world.stage).table

    aside = put_aside(world, 2_000).score

    read = selectors.stage_facts(world.stage)
    assert read.table == table
    assert read.facts.waiting == ((world.entries[0].pk, world.machines[0].pk),)
    assert selectors.waiting(world.stage) == [aside]
    assert stored(score).value == 1_000


@pytest.mark.parametrize(("keep_waiting", "value"), [(False, 1_000), (True, 2_000)])
def test_settling_keeps_one_result_and_the_history_of_both(world, keep_waiting, value):
    score, aside = conflict(world)

    scores.settle(aside, actor=None, keep_waiting=keep_waiting, reason="asked the official")

    assert facts(world) == ([(world.entries[0].pk, world.machines[0].pk, value)], [], [])
    assert stored(aside).state == Score.State.VOID
    assert [line.action for line in selectors.history(score)] == ["record score", "settle"]
    assert [line.action for line in selectors.history(aside)] == ["put aside", "settle"]
    with pytest.raises(Refusal, match="is settled already"):
        scores.settle(aside, actor=None, keep_waiting=keep_waiting, reason="again")
    with pytest.raises(Refusal, match="changed by correcting"):
        scores.undo(score, actor=None, seen=seen(score))


def test_where_repeats_are_allowed_the_game_in_question_is_settled_and_no_other():
    world = factories.qualifying(format="classic")
    first, aside = conflict(world, 1_000, 2_000)
    later = record(world, value=5)

    scores.settle(aside, actor=None, keep_waiting=True, reason="asked the official")

    assert (stored(first).value, stored(later).value) == (2_000, 5)


def test_a_second_result_may_still_be_decided_against_when_the_first_is_gone(world):
    score, aside = conflict(world)
    scores.void(score, actor=None, seen=seen(score), reason="x")

    with pytest.raises(Refusal, match="is gone; void this one and record it anew"):
        scores.settle(aside, actor=None, keep_waiting=True, reason="x")
    scores.settle(aside, actor=None, keep_waiting=False, reason="x")

    assert facts(world) == ([], [], [])


def test_a_second_result_without_a_first_is_refused(world):
    with pytest.raises(Refusal, match=r"1 Player 1 has no score on Machine 1 \(M1\) yet; record it\."):
        put_aside(world, 1)


def test_a_second_result_sent_again_is_kept_once(world):
    _, aside = conflict(world, key="tablet")

    again = put_aside(world, 2_000, key="tablet")

    assert (again.repeated, again.score) == (True, aside)


def test_a_second_result_undone_is_gone(world):
    _, aside = conflict(world)

    scores.undo(aside, actor=None, seen=seen(aside))

    assert facts(world)[2] == []


def test_a_result_decided_against_is_not_brought_back_behind_the_decision(world):
    _, aside = conflict(world)
    scores.settle(aside, actor=None, keep_waiting=False, reason="asked the official")

    for take_back in (scores.undo, scores.restore):
        with pytest.raises(Refusal, match="changed by correcting"):
            take_back(aside, actor=None, seen=seen(aside))


def test_a_first_result_corrected_meanwhile_is_not_decided_about_unseen(world):
    first, waiting = conflict(world)
    looked_at = first.revision
    scores.correct(first, actor=None, seen=looked_at, value=1_500, reason="Misread.")

    with pytest.raises(Stale) as refused:
        scores.settle(waiting, actor=None, keep_waiting=False, reason="It was the first.", seen_first=looked_at)

    assert (refused.value.seen, refused.value.now) == ("1,000", "1,500")


def test_the_same_score_once_more_is_no_second_result_and_the_journal_keeps_where_it_came_from(world):
    score = record(world, value=1_000)
    official = factories.user("official")

    again = [put_aside(world, 1_000, source="tablet", actor=official, key="tablet") for _ in range(2)]

    assert again == [(score, True), (score, True)]
    assert Score.objects.count() == 1
    assert facts(world) == ([(world.entries[0].pk, world.machines[0].pk, 1_000)], [], [])
    line = Journal.objects.get(action="put aside")
    assert (line.actor, line.after["source"]) == (official, "tablet")
    assert line.summary == "1 Player 1 on Machine 1 (M1): 1,000 came once more and is the same result."
    scores.undo(score, actor=None, seen=seen(score))
    assert stored(score).state == Score.State.VOID


@pytest.mark.parametrize("since", ["corrected", "void"])
def test_what_was_answered_as_the_same_score_is_answered_so_again_whatever_became_of_the_score(world, since):
    score = record(world, value=1_000)
    put_aside(world, 1_000, source="tablet", key="tablet")
    if since == "void":
        scores.void(score, actor=None, seen=seen(score), reason="another player's")
    else:
        scores.correct(score, actor=None, seen=seen(score), value=1_500, reason="misread")

    assert put_aside(world, 1_000, source="tablet", key="tablet") == (score, True)
    assert Score.objects.count() == 1


def test_a_second_result_that_comes_twice_waits_once(world):
    _, aside = conflict(world)

    again = put_aside(world, 2_000, source="tablet")

    assert again == (aside, True)
    assert selectors.waiting(world.stage) == [aside]
