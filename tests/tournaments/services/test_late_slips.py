"""Around the closing time: what may still start, what is late, and in which zone."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.utils import timezone

from tests import factories
from tests.tournaments.services.games import facts, put_aside, record, seen, start, stored
from tournaments.domain.refusals import Refusal
from tournaments.models import Journal, Score
from tournaments.services import scores, shows

CLOSES = datetime(2010, 7, 24, 15, 0, tzinfo=UTC)
SECOND = timedelta(seconds=1)


@pytest.fixture
def until_four():
    """Open from eleven, to close at four in the afternoon in London, which is three in the world's time."""
    with time_machine.travel(CLOSES - timedelta(hours=5), tick=False) as clock:
        world = factories.qualifying(closes_at=CLOSES)
        yield world, clock


def test_up_to_the_last_second_a_game_may_start_and_from_the_closing_time_none(until_four):
    world, clock = until_four

    clock.move_to(CLOSES - SECOND)
    start(world)
    clock.move_to(CLOSES)
    with pytest.raises(Refusal, match=r"Qualifying is closing: no new game starts\."):
        start(world, machine=1)


@pytest.mark.parametrize(("moment", "late"), [(CLOSES - SECOND, False), (CLOSES, True), (CLOSES + SECOND, True)])
def test_a_slip_is_late_from_the_closing_time_on_and_says_so(until_four, moment, late):
    world, clock = until_four
    clock.move_to(moment)

    score = record(world)

    assert score.late is late
    assert Journal.objects.get(score=score).summary.endswith(", late.") is late
    assert facts(world)[0] == [(world.entries[0].pk, world.machines[0].pk, 1_000)]


def test_a_tablet_result_that_arrives_late_but_was_taken_in_time_is_not_late(until_four):
    world, clock = until_four
    clock.move_to(CLOSES + timedelta(hours=1))

    score = record(world, at=CLOSES - SECOND, source="tablet")

    assert (score.late, score.taken_at, score.recorded_at) == (False, CLOSES - SECOND, CLOSES + timedelta(hours=1))


def test_a_tablet_whose_clock_is_ahead_makes_nothing_late(until_four):
    world, _ = until_four

    score = record(world, at=CLOSES + SECOND, source="tablet")

    assert (score.late, score.taken_at) == (False, timezone.now())


def test_a_late_second_result_is_still_late_when_it_is_chosen(until_four):
    world, clock = until_four
    score = record(world)
    clock.move_to(CLOSES)
    aside = put_aside(world, 2)

    scores.settle(aside.score, actor=None, keep_waiting=True, reason="x")

    assert stored(score).late is True


def test_undoing_a_correction_of_a_late_slip_leaves_it_late(until_four):
    world, clock = until_four
    clock.move_to(CLOSES)
    score = record(world)
    scores.correct(score, actor=None, seen=seen(score), reason="x", value=2)

    scores.undo(score, actor=None, seen=seen(score))

    assert stored(score).late is True


@pytest.mark.parametrize(
    ("moment", "late"),
    [
        # The night the clocks go back: half past one comes twice, and the stage closes at the second.
        (datetime(2010, 10, 31, 0, 30, tzinfo=UTC), False),
        (datetime(2010, 10, 31, 0, 59, tzinfo=UTC), False),
        (datetime(2010, 10, 31, 1, 29, 59, tzinfo=UTC), False),
        (datetime(2010, 10, 31, 1, 30, tzinfo=UTC), True),
    ],
)
def test_in_the_night_the_clocks_go_back_the_second_half_past_one_counts(moment, late):
    closes = datetime(2010, 10, 31, 1, 30, fold=1, tzinfo=ZoneInfo("Europe/London"))
    with time_machine.travel("2010-10-30 12:00 +0000", tick=False) as clock:
        world = factories.qualifying(closes_at=closes)
        clock.move_to(moment)

        assert record(world).late is late


def test_times_are_told_in_the_zone_of_the_show():
    with time_machine.travel("2010-07-24 11:12 +0000", tick=False):
        show = factories.show(time_zone="America/Los_Angeles")
        world = factories.qualifying(of=show, closes_at=CLOSES)
        record(world, value=5)

        with pytest.raises(Refusal, match=r"Player 1 has already played Machine 1: 5 at 04:12\."):
            record(world)


def test_moving_the_closing_time_lets_play_go_on(until_four):
    world, clock = until_four
    clock.move_to(CLOSES)

    shows.set_times(world.stage, actor=None, opens_at=None, closes_at=CLOSES + timedelta(minutes=30))

    assert start(world).state == Score.State.PLAYING
