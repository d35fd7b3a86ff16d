"""Calls of an evening: who is late, who was here all the time, and the lot of the final."""

from datetime import timedelta

import pytest
from django.utils import timezone

from teams import selectors
from teams.services import teams
from teams.services.teams import Person
from tests.teams.evening import Evening
from tournaments.domain.refusals import Refusal, Stale
from tournaments.models import Entry, Journal, Machine, Match
from tournaments.services import entries, game_rulings, matches, redraw, rulings, stages

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


# A call made by mistake, and a check-in made by mistake


def test_a_call_taken_back_leaves_the_match_as_it_was_before_it(evening):
    match = evening.match(1, 6)
    before = Match.objects.filter(pk=match.pk).values("state", "called_at", "machine", "started_at").get()
    matches.call(match, actor=None)

    matches.take_call_back(match, actor=None)

    assert Match.objects.filter(pk=match.pk).values("state", "called_at", "machine", "started_at").get() == before
    line = Journal.objects.get(action="take call back")
    assert line.summary == f"Groups, game {match.round} on {match.machine.name}: the call was taken back."
    matches.call(match, actor=None)


def test_a_call_is_taken_back_once_however_often_it_is_sent(evening):
    match = evening.match(1, 6)
    matches.call(match, actor=None)
    seen = Match.objects.get(pk=match.pk).revision

    for _ in range(2):
        matches.take_call_back(match, actor=None, seen=seen)
    assert Journal.objects.filter(action="take call back").count() == 1

    # The same tap, arriving once more after a new call, is none of that one.
    matches.call(match, actor=None)
    with pytest.raises(Stale, match="is still called"):
        matches.take_call_back(match, actor=None, seen=seen)
    assert Match.objects.get(pk=match.pk).state == Match.State.CALLED


def test_a_team_whose_call_was_taken_back_has_not_begun(evening):
    match = evening.match(1, 6)
    matches.call(match, actor=None)
    with pytest.raises(Refusal, match="too late to check in"):
        teams.check_in(evening.teams[6], actor=None)

    matches.take_call_back(match, actor=None)

    assert not selectors.has_begun(evening.entry(6))
    teams.check_in(evening.teams[6], actor=None)
    assert evening.entry(6).status == Entry.Status.CHECKED_IN


def test_who_left_a_team_that_has_not_begun_after_all_may_play_for_another_one(evening):
    match = evening.match(1, 6)
    matches.call(match, actor=None)
    ants, bees = ([Person("", member.player) for member in selectors.line_up(evening.teams[n])] for n in (1, 2))
    teams.change_members(evening.teams[1], actor=None, members=ants[1:], reason="wrong team")
    with pytest.raises(Refusal, match="has played for 1 Ants"):
        teams.change_members(evening.teams[2], actor=None, members=[*bees[1:], ants[0]])

    matches.take_call_back(match, actor=None)
    teams.change_members(evening.teams[2], actor=None, members=[*bees[1:], ants[0]])

    assert str(ants[0].player) in [str(member.player) for member in selectors.line_up(evening.teams[2])]


def by_the_clock(evening):
    match = late(evening, 1, 6)
    matches.forfeit(match, actor=None, entry=evening.entry(6).pk)
    return match


def by_a_ruling(evening):
    match = late(evening, 1, 6)
    game_rulings.disqualify_from_match(match, actor=None, entry=evening.entry(6).pk, reason="tilted on purpose")
    return match


def started(evening):
    match = late(evening, 1, 6)
    matches.play(match, actor=None)
    return match


def scored(evening):
    match = late(evening, 1, 6)
    matches.record(match, actor=None, entry=evening.entry(1).pk, value=500, sure=500)
    return match


@pytest.mark.parametrize(
    ("story", "step"),
    [
        (by_the_clock, "first let 6 Foxes play after all"),
        (by_a_ruling, "first take that ruling back"),
        (started, "the desk breaks the match off on its page"),
        (scored, "void that score first"),
    ],
)
def test_a_call_on_which_something_rests_is_kept_and_the_step_before_is_named(evening, story, step):
    match = story(evening)
    before = Match.objects.filter(pk=match.pk).values().get()

    with pytest.raises(Refusal, match=step):
        matches.take_call_back(match, actor=None)

    assert Match.objects.filter(pk=match.pk).values().get() == before


def test_each_step_that_is_named_leads_to_the_call_taken_back(evening):
    match = by_the_clock(evening)
    matches.absent(match, actor=None, entry=evening.entry(6).pk, reason="they were here", away=False)
    matches.take_call_back(match, actor=None)
    match = by_a_ruling(evening)
    rulings.undo_ruling(match.rulings.get(undone_at=None), actor=None, reason="another team")
    matches.take_call_back(match, actor=None)
    match = started(evening)
    redraw.break_off(match, actor=None, reason="the wrong machine")

    assert Match.objects.get(pk=match.pk).state == Match.State.PLANNED
    assert not selectors.has_begun(evening.entry(6))


def test_a_check_in_is_not_taken_back_while_the_team_is_called(evening):
    match = evening.match(1, 6)
    teams.check_in(evening.teams[6], actor=None)
    matches.call(match, actor=None)
    with pytest.raises(Refusal, match=r"6 Foxes was called to Machine .* Take that call back first"):
        teams.take_check_in_back(evening.teams[6], actor=None)

    matches.take_call_back(match, actor=None)
    teams.take_check_in_back(evening.teams[6], actor=None)
    assert evening.entry(6).status == Entry.Status.ENTERED
    teams.check_in(evening.teams[6], actor=None)
    with pytest.raises(Stale):
        entries.take_check_in_back(evening.entry(6), actor=None, expected=1)
