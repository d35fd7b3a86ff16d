"""Matches of a stage played in groups: called when machine and people are free, won by who is there, level, by lot."""

import random

import pytest

from tests import factories
from tests.tournaments.grouped import Groups
from tournaments import line_ups
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.models import Journal, Match, Player, StageMachine
from tournaments.services import entries, game_rulings, incidents, matches, progress, rulings, stages

pytestmark = pytest.mark.django_db


@pytest.fixture
def groups():
    return Groups()


# Called when machine and people are free


def test_all_matches_are_open_at_once_and_any_can_be_called(groups):
    last = groups.stage.matches.order_by("-round")[0]
    assert last.round > 1
    matches.call(last, actor=None)
    assert Match.objects.get(pk=last.pk).state == "called"


def test_a_machine_with_a_match_under_way_is_named_with_who_has_it(groups):
    groups.call(1)
    with pytest.raises(Refusal, match=r"Machine 1 is taken by 1 Ants\."):
        matches.call(groups.match(4), actor=None)


def test_whoever_is_in_a_match_under_way_is_not_called_to_another_one(groups):
    called = groups.call(1, 4)
    with pytest.raises(Refusal, match=f"1 Ants against 4 Dogs on {called.machine.name} comes first"):
        matches.call(groups.match(1), actor=None)


def test_when_the_match_is_over_machine_and_people_are_free_again(groups):
    groups.call(1)
    groups.score({1: 500})
    matches.call(groups.match(4), actor=None)
    assert groups.match(4).state == "called"


# Late after the call


def test_before_the_time_is_up_nobody_loses_a_match_by_being_late(groups):
    groups.call(1, 4, minutes_ago=4)
    with pytest.raises(Refusal, match=r"4 Dogs was called at .* and has until .* to come"):
        groups.late(4, 1)
    assert groups.away(groups.match(1, 4)) == []


def test_a_match_that_nobody_was_called_to_is_not_lost_by_being_late(groups):
    with pytest.raises(Refusal, match="is not waiting for anybody: it is planned"):
        groups.late(4, 1)


def test_after_five_minutes_whoever_has_not_come_loses_and_the_other_one_has_won(groups):
    groups.call(1, 4, minutes_ago=6)
    match = groups.late(4, 1)
    assert match.state == "done"
    assert groups.away(match) == [4]
    line = Journal.objects.filter(action="forfeit").get()
    assert line.reason.startswith("More than 5 minutes late after the call at ")


def test_two_taps_are_one(groups):
    groups.call(1, 4, minutes_ago=6)
    groups.late(4, 1)
    groups.late(4, 1)
    assert Journal.objects.filter(action="forfeit", summary__contains="does not play").count() == 1


def test_neither_came(groups):
    groups.call(1, 4, minutes_ago=6)
    groups.late(4, 1)
    match = groups.late(1, 4)
    assert match.state == "done"
    assert groups.away(match) == [1, 4]


def test_whoever_did_not_come_to_a_game_alone_has_no_score_and_it_is_over(groups):
    groups.call(4, minutes_ago=6)
    match = groups.late(4)
    assert match.state == "done"
    assert match.scores.count() == 0


def test_taken_back_the_match_waits_for_who_was_called_with_a_new_clock(groups):
    called = groups.call(1, 4, minutes_ago=6)
    groups.late(4, 1)
    matches.absent(called, actor=None, entry=groups.entries[4].pk, reason="was at the bar", away=False)
    match = groups.match(1, 4)
    assert (match.state, match.done_at) == ("called", None)
    assert match.called_at > called.called_at
    assert groups.away(match) == []


def test_who_left_a_match_that_had_begun_does_not_make_the_other_one_late(groups):
    groups.call(1, 4, minutes_ago=6)
    match = groups.match(1, 4)
    matches.play(match, actor=None)
    matches.absent(match, actor=None, entry=groups.entries[4].pk, reason="went home")
    with pytest.raises(Refusal, match="is not waiting for anybody"):
        groups.late(1, 4)


def test_nobody_rules_on_a_match_of_their_own(groups):
    class Behind:
        def pairs(self, *, entries=(), players=()):
            return [(entry, player) for entry in (ants,) for player in (ann,) if entry in entries or player in players]

        def members(self, tournament):
            return []

        def handicaps(self, entries):
            return {}

    world = factories.qualifying(players=1, of=groups.show)
    ann, ants = world.entries[0].player_id, groups.entries[1].pk
    official = factories.user("official", "ann")
    Player.objects.filter(pk=ann).update(account=official)
    groups.call(1, 4, minutes_ago=6)
    source = Behind()
    line_ups.register(source)
    try:
        with pytest.raises(Refusal, match="1 Ants is yours: somebody else has to rule"):
            groups.late(4, 1, actor=official)
        groups.call(2, 3, minutes_ago=6)
        groups.late(3, 2, actor=official)
    finally:
        line_ups._sources.remove(source)
    assert groups.away(groups.match(2, 3)) == [3]


def test_where_no_time_is_given_nobody_is_late():
    world = factories.seated()
    one, _ = factories.dealt(world, "semi-finals")
    with pytest.raises(Refusal, match="Nobody loses this match by being late"):
        matches.forfeit(one, actor=None, entry=world.entries[0].pk)


# Won without playing


def test_whoever_stays_away_leaves_the_match_to_the_other_one(groups):
    match = groups.match(1, 4)
    matches.absent(match, actor=None, entry=groups.entries[1].pk, reason="ill")
    assert groups.match(1, 4).state == "done"
    matches.absent(match, actor=None, entry=groups.entries[1].pk, reason="well again", away=False)
    assert groups.match(1, 4).state == "planned"


def test_who_is_disqualified_has_lost_what_is_left_and_reinstated_plays_it(groups):
    groups.score({1: 10, 4: 20})
    entries.disqualify(groups.entries[1], actor=None, reason="conduct")
    assert groups.match(1, 5).state == "done"
    assert groups.match(1, 4).state == "done"
    rulings.undo_ruling(groups.tournament.rulings.get(), actor=None, reason="wrong name")
    assert groups.match(1, 5).state == "planned"
    assert groups.match(1, 4).state == "done"


# Level


def test_a_level_match_is_played_again_and_its_scores_stay_in_the_history(groups):
    groups.score({1: 700, 4: 700})
    assert [match.pk for match in progress.level_matches(groups.stage)] == [groups.match(1, 4).pk]
    game_rulings.play_level_again(groups.match(1, 4), actor=None)
    assert groups.match(1, 4).state == "planned"
    assert groups.void_scores() == [700, 700]
    assert groups.rulings() == ["replayed"]
    groups.score({1: 800, 4: 700})
    assert progress.level_matches(groups.stage) == []


def test_two_taps_play_it_again_once(groups):
    groups.score({1: 700, 4: 700})
    first = game_rulings.play_level_again(groups.match(1, 4), actor=None)
    assert game_rulings.play_level_again(groups.match(1, 4), actor=None) == first
    assert groups.rulings() == ["replayed"]


def test_the_level_match_can_be_taken_back_as_any_ruling(groups):
    groups.score({1: 700, 4: 700})
    ruling = game_rulings.play_level_again(groups.match(1, 4), actor=None)
    rulings.undo_ruling(ruling, actor=None, reason="one score was typed wrongly")
    assert groups.match(1, 4).state == "done"
    assert groups.void_scores() == []


def test_a_match_with_a_winner_is_not_played_again_for_being_level(groups):
    groups.score({1: 700, 4: 600})
    with pytest.raises(Refusal, match="is not level"):
        game_rulings.play_level_again(groups.match(1, 4), actor=None)


def test_level_again_needs_another_game(groups):
    for _ in range(2):
        groups.score({1: 700, 4: 700})
        game_rulings.play_level_again(groups.match(1, 4), actor=None)
    assert groups.void_scores() == [700] * 4


def test_the_stage_does_not_close_while_a_match_is_level(groups):
    groups.score({1: 700, 4: 700})
    groups.play_all()
    with pytest.raises(NeedsDecision, match=r"1 Ants and 4 Dogs are level on Machine .: the match is to be played"):
        stages.close_stage(groups.stage, actor=None)
    assert groups.finalists() == []
    game_rulings.play_level_again(groups.match(1, 4), actor=None)
    groups.score({1: 800, 4: 700})
    stages.close_stage(groups.stage, actor=None)
    assert groups.finalists() == [1, 2]


# The machine of the final, by lot


@pytest.fixture
def decided(groups):
    groups.play_all()
    stages.close_stage(groups.stage, actor=None)
    return groups


def drawn(groups):
    found = StageMachine.objects.filter(stage=groups.final).exclude(drawn_from=None)
    return sorted(found.values_list("machine__code", "drawn_from"))


def test_the_machine_is_drawn_once_and_it_is_kept_out_of_how_many(decided):
    machine = matches.deal_by_lot(decided.final, actor=None, machines=decided.machines, chance=random.Random(3))
    assert drawn(decided) == [(machine.code, 6)]
    assert decided.final.matches.get().machine == machine
    line = Journal.objects.filter(action="deal matches").first()
    assert f"{machine} was drawn by lot from 6 machines." in line.summary
    with pytest.raises(Refusal, match="published; take them back first"):
        matches.deal_by_lot(decided.final, actor=None, machines=decided.machines)


def test_taken_back_the_lot_stays_as_it_was_drawn(decided):
    machine = matches.deal_by_lot(decided.final, actor=None, machines=decided.machines, chance=random.Random(3))
    matches.take_back(decided.final, actor=None, reason="too early")
    others = [other for other in decided.machines if other != machine]
    assert matches.deal_by_lot(decided.final, actor=None, machines=others) == machine
    assert drawn(decided) == [(machine.code, 6)]


def test_only_a_machine_that_has_broken_down_makes_the_lot_be_drawn_anew(decided):
    machine = matches.deal_by_lot(decided.final, actor=None, machines=decided.machines, chance=random.Random(3))
    matches.take_back(decided.final, actor=None, reason="it died")
    incidents.report(machine, actor=None, what="dark")
    others = [other for other in decided.machines if other != machine]
    again = matches.deal_by_lot(decided.final, actor=None, machines=others)
    assert again != machine
    assert drawn(decided) == sorted([(machine.code, 6), (again.code, 5)])
    assert decided.final.matches.get().machine == again


def test_a_lot_falls_on_one_of_the_machines_chosen(decided):
    with pytest.raises(Refusal, match="Choose the machines"):
        matches.deal_by_lot(decided.final, actor=None, machines=[])
    assert matches.deal_by_lot(decided.final, actor=None, machines=decided.machines[4:5]).code == "M5"


def test_the_machines_of_groups_are_chosen_and_not_drawn_by_lot():
    groups = Groups(dealt=False)
    with pytest.raises(Refusal, match="is chosen, not drawn by lot"):
        matches.deal_by_lot(groups.stage, actor=None, machines=groups.machines)
