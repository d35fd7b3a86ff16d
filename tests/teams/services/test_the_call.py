"""Calls of an evening: who is late, who was here all the time, and the lot of the final."""

from datetime import timedelta

import pytest
from django.utils import timezone

from tests.teams.evening import Evening
from tournaments.domain.refusals import Refusal
from tournaments.models import Machine, Match
from tournaments.services import matches, stages

pytestmark = pytest.mark.django_db


@pytest.fixture
def evening():
    made = Evening(8)
    made.begin()
    return made


def late(evening, *numbers):
    """The match of these teams, called six minutes ago."""
    match = evening.match(*numbers)
    matches.call(match, actor=None, at=timezone.now() - timedelta(minutes=6))
    return match


def test_a_team_that_was_here_after_all_is_called_again_with_a_new_clock(evening):
    match = late(evening, 1, 6)
    matches.forfeit(match, actor=None, entry=evening.entry(6).pk)
    matches.absent(match, actor=None, entry=evening.entry(6).pk, reason="they were here", away=False)

    match.refresh_from_db()
    assert match.state == Match.State.CALLED
    with pytest.raises(Refusal, match="has until"):
        matches.forfeit(match, actor=None, entry=evening.entry(6).pk)
    matches.play(match, actor=None)


def test_it_waits_for_the_call_when_its_opponent_has_been_called_elsewhere_since(evening):
    match = late(evening, 1, 6)
    matches.forfeit(match, actor=None, entry=evening.entry(6).pk)
    bonus = evening.match(1)
    matches.call(bonus, actor=None)
    matches.absent(match, actor=None, entry=evening.entry(6).pk, reason="they were here", away=False)

    match.refresh_from_db()
    assert (match.state, match.called_at) == (Match.State.PLANNED, None)
    matches.play(bonus, actor=None)
    evening.play({1: 5})
    matches.call(match, actor=None)
    matches.play(match, actor=None)


def test_nobody_is_late_any_more_once_the_groups_are_closed(evening):
    match = late(evening, 1, 6)
    matches.forfeit(match, actor=None, entry=evening.entry(6).pk)
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)

    with pytest.raises(Refusal, match="Groups is closed"):
        matches.forfeit(match, actor=None, entry=evening.entry(1).pk)
    assert [seat.entry.number for seat in evening.final.seats.order_by("seed")] == [1, 2, 3, 4]


def test_the_machine_of_the_final_is_never_chosen_by_hand(evening):
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)
    drawn = matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(4))
    matches.take_back(evening.final, actor=None, reason="too early")

    with pytest.raises(Refusal, match="is drawn by lot, not chosen"):
        matches.deal(evening.final, actor=None, machines=[drawn])
    assert matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(3)) == drawn
    assert evening.final.stage_machines.get(machine=drawn).drawn_from == 4


def test_a_lot_on_a_machine_that_has_died_is_drawn_again_and_the_later_one_holds(evening):
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)
    first = matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(1))
    matches.take_back(evening.final, actor=None, reason="it died")
    Machine.objects.filter(pk=first.pk).update(in_order=False)
    second = matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(3)[1:])
    matches.take_back(evening.final, actor=None, reason="too early")
    Machine.objects.filter(pk=first.pk).update(in_order=True)

    assert matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(3)) == second
