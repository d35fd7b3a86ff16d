"""The board, the page of a match and the draw of a stage played in groups."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.urls import reverse
from django.utils import timezone

from tests.tournaments.desk.conftest import signed_in
from tests.tournaments.desk.reading import confirmed, text
from tests.tournaments.grouped import Groups
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.models import Match, Score, StageMachine
from tournaments.services import entries, game_rulings, incidents, matches, stages

pytestmark = pytest.mark.django_db


class Board:
    """Somebody of each role at the desk of a tournament played in groups."""

    def __init__(self, groups):
        self.groups = groups
        self.desk, self.organiser = signed_in("desk", "dora"), signed_in("organiser", "dee")

    def url(self, page, *parts, key="groups"):
        tournament = self.groups.tournament
        return reverse(f"desk:{page}", args=[tournament.show.slug, tournament.slug, key, *parts])

    def get(self, page, *parts, by=None, stage="groups", **query):
        return (by or self.desk).get(self.url(page, *parts, key=stage), query)

    def post(self, page, *parts, by=None, stage="groups", **typed):
        self.groups.tournament.refresh_from_db()
        typed.setdefault("expected", self.groups.tournament.revision)
        return (by or self.desk).post(self.url(page, *parts, key=stage), typed, follow=True)

    def board(self):
        return self.get("slips")

    def order(self):
        return self.board().context["order"]

    def act(self, act, *numbers, **typed):
        """A button on the page of a match."""
        return self.post("match-act", self.groups.match(*numbers).pk, act, **typed)

    def tap(self, act, *numbers, **typed):
        """A button on the board."""
        return self.act(act, *numbers, back="board", **typed)

    def rule(self, *numbers, **typed):
        return self.post("match-rule", self.groups.match(*numbers).pk, **typed)


@pytest.fixture
def groups():
    return Groups()


@pytest.fixture
def hall(groups):
    return Board(groups)


def who(lines):
    return [sorted(place.entry.number for place in line.game.places) for line in lines]


# The board


def test_the_board_says_what_can_be_called_and_what_the_rest_waits_for(hall, groups):
    order = hall.order()
    assert order.under_way == order.over == ()
    called = [number for numbers in who(order.now) for number in numbers]
    assert len(called) == len(set(called))
    assert len(order.now) + len(order.waiting) == groups.stage.matches.count()
    assert all(line.waits for line in order.waiting)


def test_one_tap_on_the_board_calls_and_the_board_comes_back(hall, groups):
    first = hall.order().now[0].game
    numbers = [place.entry.number for place in first.places]
    told = hall.tap("call", *numbers)
    assert told.redirect_chain[-1][0] == hall.url("slips")
    assert f"Called to {first.match.machine.name}." in text(told)
    assert who(hall.order().under_way) == [sorted(numbers)]


def test_a_call_by_mistake_is_taken_back_with_one_tap_and_from_the_journal(hall, groups):
    match = groups.call(1, 4)
    assert "Called by mistake: take it back" in text(hall.board())
    journal = hall.desk.get(reverse("desk:journal", args=[groups.show.slug]))
    assert hall.url("match", match.pk) in journal.content.decode()
    assert "The call, to be taken back" in text(journal)

    told = hall.tap("take-call-back", 1, 4, seen=match.revision)

    assert told.redirect_chain[-1][0] == hall.url("slips")
    assert f"The call to {match.machine.name} was taken back. It can be called again." in text(told)
    assert who(hall.order().under_way) == []
    assert "The call, to be taken back" not in text(hall.desk.get(reverse("desk:journal", args=[groups.show.slug])))


def test_a_tap_on_a_call_that_is_another_one_by_now_takes_nothing_back(hall, groups):
    seen = groups.call(1, 4).revision
    matches.take_call_back(groups.match(1, 4), actor=None)
    groups.call(1, 4)

    told = hall.act("take-call-back", 1, 4, seen=seen)

    assert told.status_code == 409
    assert "it is still called" in text(told)
    assert groups.match(1, 4).state == Match.State.CALLED


def test_a_match_waits_for_its_machine_and_for_who_is_elsewhere_by_name(hall, groups):
    groups.call(1)
    called = groups.call(4, 5)
    words = {tuple(sorted(p.entry.number for p in line.game.places)): line.waits for line in hall.order().waiting}
    assert words[(4,)] == ("Machine 1 is taken by 1 Ants.", f"4 Dogs is on {called.machine.name}.")


def test_the_board_alone_holds_no_form_and_is_silent_while_nothing_changed(hall, groups):
    groups.call(1, 4)
    board = hall.get("board")
    assert b"<form" not in board.content
    assert b"<input" not in board.content
    assert hall.get("board", version=board.context["version"]).status_code == 204


def test_when_the_time_to_come_is_up_the_board_changes_by_itself(hall, groups):
    groups.call(1, 4)
    version = hall.get("board").context["version"]
    with time_machine.travel(timezone.now() + timedelta(minutes=6)):
        changed = hall.get("board", version=version)
    assert changed.status_code == 200
    assert "Time is up" in text(changed)


def test_the_clock_runs_from_the_call_and_its_buttons_are_hidden_until_it_is_up(hall, groups):
    groups.call(1, 4, minutes_ago=1)
    board = hall.board()
    assert re.search(r"\b3:5\d left|4:00 left", text(board))
    assert re.search(r"data-when-up hidden", board.content.decode())
    with time_machine.travel(timezone.now() + timedelta(minutes=6)):
        assert "data-when-up>" in hall.board().content.decode()


def test_the_board_reads_in_a_fixed_number_of_queries(hall, groups, django_assert_max_num_queries):
    hall.board()
    with django_assert_max_num_queries(45) as few:
        hall.get("board")
    many = len(few)
    for line in hall.order().now:
        matches.call(line.game.match, actor=None)
    with django_assert_max_num_queries(many + 2):
        hall.get("board")


def test_a_machine_out_of_order_keeps_its_matches_waiting(hall, groups):
    incidents.report(groups.machines[0], actor=None, what="dark")
    order = hall.order()
    assert all(line.game.match.machine.code != "M1" for line in order.now)
    waits = [line.waits[0] for line in order.waiting if line.game.match.machine.code == "M1"]
    assert waits == ["Machine 1 is out of play."] * 3


def test_a_score_ends_a_match_and_the_board_says_who_has_won(hall, groups):
    groups.score({1: 500, 4: 300})
    (line,) = hall.order().over
    assert line.game.winner.entry.number == 1
    assert "1 Ants 500 – 4 Dogs 300" in text(hall.board())


# Late


def test_whoever_does_not_come_loses_by_one_tap_and_plays_after_all_by_another(hall, groups):
    groups.call(1, 4, minutes_ago=6)
    told = text(hall.tap("forfeit", 1, 4, number=4))
    assert "4 Dogs did not come to" in told
    assert "; 1 Ants has won." in told
    assert "4 Dogs did not come: won by 1 Ants without playing." in told
    back = text(hall.tap("came", 1, 4, number=4))
    assert "after all." in back
    assert groups.match(1, 4).state == "called"
    assert groups.away(groups.match(1, 4)) == []


def test_a_tap_too_early_is_refused_on_the_board(hall, groups):
    groups.call(1, 4)
    told = hall.tap("forfeit", 1, 4, number=4)
    assert told.status_code == 422
    assert "has until" in text(told)
    assert "Can be called now" in text(told)


def test_the_page_of_the_match_offers_the_same_and_that_neither_came(hall, groups):
    groups.call(1, 4, minutes_ago=6)
    page = text(hall.act("forfeit", 1, 4, number=4))
    assert "4 Dogs did not come: won by 1 Ants without playing." in page
    assert "4 Dogs plays after all" in page
    assert "1 Ants did not come either" in page
    neither = text(hall.act("forfeit", 1, 4, number=1))
    assert "1 Ants did not come; 4 Dogs did not come: nobody has won it." in neither


def test_nobody_is_asked_for_a_score_of_a_match_won_without_playing(hall, groups):
    groups.call(1, 4, minutes_ago=6)
    assert b'name="score"' not in hall.act("forfeit", 1, 4, number=4).content


def test_an_absence_with_a_reason_before_the_call_is_not_taken_back_by_a_tap(hall, groups):
    match = groups.match(1, 4)
    matches.absent(match, actor=None, entry=groups.entries[4].pk, reason="ill")
    told = hall.act("came", 1, 4, number=4)
    assert told.status_code == 422
    assert "was not given up for being late" in text(told)
    assert groups.away(match) == [4]


def test_the_undo_stands_above_the_board_only_for_a_while(hall, groups):
    groups.call(1, 4, minutes_ago=6)
    groups.late(4, 1)
    assert len(hall.order().given_up) == 1
    with time_machine.travel(timezone.now() + timedelta(minutes=10)):
        assert hall.order().given_up == ()


# The page of a match


def test_there_is_no_warm_up_and_no_position_to_choose(hall, groups):
    page = text(hall.act("call", 1, 4))
    assert "Start the game" in page
    for word in ("warm", "Swap", "chooses", "Position"):
        assert word not in page
    assert "Playing since" in text(hall.act("play", 1, 4))


def test_a_game_alone_has_one_score_which_is_agreed_as_any(hall, groups):
    groups.call(1)
    hall.act("play", 1)
    page = hall.get("match", groups.match(1).pk)
    assert page.content.count(b'name="score"') == 1
    told = hall.act("record", 1, number=1, score="500", checked="500", key="k", agreed="yes")
    assert "Every score is agreed." in text(told)
    assert groups.match(1).state == "done"


def test_the_page_says_what_a_match_waits_for_and_the_call_is_refused_by_name(hall, groups):
    groups.call(1)
    assert "Machine 1 is taken by 1 Ants." in text(hall.get("match", groups.match(4).pk))
    refused = hall.act("call", 4)
    assert refused.status_code == 422
    assert "Machine 1 is taken by 1 Ants." in text(refused)


# Level


def test_a_level_match_is_played_again_by_one_button(hall, groups):
    groups.score({1: 700, 4: 700})
    assert "Level at 700: to be played again." in text(hall.get("match", groups.match(1, 4).pk))
    assert "1 to be played again" in text(hall.board())
    told = text(hall.tap("level", 1, 4))
    assert "is played again. Call both sides anew." in told
    assert groups.match(1, 4).state == "planned"
    page = text(hall.get("match", groups.match(1, 4).pk))
    assert "Reason: Level at 700." in page


def test_everything_is_played_only_when_nothing_is_level(hall, groups):
    groups.score({1: 700, 4: 700})
    groups.play_all()
    assert "Everything is played" not in text(hall.board())
    told = hall.post("close-act", "close")
    assert "1 Ants and 4 Dogs are level on" in text(told)
    assert groups.stage_row().state == "open"


def test_the_closing_page_lists_a_level_match_among_what_is_outstanding(hall, groups):
    groups.score({1: 700, 4: 700})
    groups.play_all()
    told = text(hall.get("close"))
    assert "Outstanding; it can be closed when nothing is" in told
    assert "level, to be played again" in told


# A score of a match that nobody was called to


def on_one_machine(groups):
    """Two matches on one machine, neither called: the games that 1 and 4 play alone."""
    one, other = groups.match(1), groups.match(4)
    assert one.machine == other.machine
    return one, other


def occupied(groups):
    groups.call(1)
    return "Nobody was called to this match, and 1 Ants is called to Machine 1 in The Team."


def out_of_order(groups):
    incidents.report(groups.match(4).machine, actor=None, what="no ball")
    return "Nobody was called to this match, and Machine 1 is out of order."


@pytest.mark.parametrize("role", ["desk", "official"])
@pytest.mark.parametrize("story", [occupied, out_of_order])
def test_a_score_of_a_match_never_called_on_a_machine_that_is_not_free_is_asked_about_once(hall, groups, role, story):
    on_one_machine(groups)
    words = story(groups)
    match = groups.match(4)
    client = hall.desk if role == "desk" else signed_in("official", "olu")
    page = "desk:match-act" if role == "desk" else "official:act"
    where = reverse(page, args=[groups.show.slug, groups.tournament.slug, "groups", match.pk, "record"])
    typed = {"number": "4", "score": "700", "checked": "700", "key": "k"}

    asked = client.post(where, typed)

    assert words in text(asked)
    assert 'name="score" value="700"' in asked.content.decode()
    assert not match.scores.exists()
    client.post(where, {**typed, "sure": "700"}, follow=True)
    assert match.scores.get().value == 700


def test_the_second_score_of_the_same_match_asks_no_more(hall, groups):
    match = groups.match(1, 4)
    incidents.report(match.machine, actor=None, what="no ball")
    one, four = groups.entries[1].pk, groups.entries[4].pk
    with pytest.raises(NeedsDecision, match="is out of order"):
        matches.record(match, actor=None, entry=one, value=700)
    matches.record(match, actor=None, entry=one, value=700, sure=700)
    matches.record(match, actor=None, entry=four, value=600)

    assert groups.match(1, 4).state == "done"


@pytest.mark.parametrize("called", [True, False])
def test_a_score_of_a_match_that_was_called_or_has_its_machine_free_is_taken_at_once(groups, called):
    if called:
        groups.call(1)
        incidents.report(groups.match(1).machine, actor=None, what="no ball")
    matches.record(groups.match(1), actor=None, entry=groups.entries[1].pk, value=700)

    assert groups.match(1).scores.get().value == 700


# Slam tilt


AGREEMENT = "Slam tilt of 4 Dogs on an over-sensitive switch; 1 Ants agreed to play again."


def test_a_slam_tilt_the_opponents_agree_about_is_played_again_and_who_agreed_is_told(hall, groups):
    groups.score({1: 700, 4: 600})
    shown = hall.rule(1, 4, kind="agreed", number="4", reason="seen by Olu", **{"agreed-1": "yes"})
    told = text(confirmed(hall.desk, shown))

    assert groups.match(1, 4).state == "planned"
    assert f"{AGREEMENT} Reason: seen by Olu" in told
    assert groups.tournament.rulings.get().data["agreed"] == [groups.entries[1].pk]
    journal = text(hall.desk.get(reverse("desk:journal", args=[groups.show.slug])))
    assert AGREEMENT in journal
    match = groups.match(1, 4)
    where = [groups.show.slug, groups.tournament.slug, "groups", match.pk]
    assert f"{AGREEMENT} seen by Olu" in text(signed_in("official", "olu").get(reverse("official:match", args=where)))

    asked = hall.post("undo-ruling", groups.tournament.rulings.get().pk, reason="wrong side")
    confirmed(hall.desk, asked)
    assert sorted(groups.match(1, 4).scores.values_list("value", flat=True)) == [600, 700]


def test_who_agrees_is_not_dropped_when_a_plain_replay_is_chosen(hall):
    told = hall.rule(1, 4, kind="replayed", reason="seen by Olu", **{"agreed-1": "yes"})

    assert told.status_code == 422
    assert "Who agrees belongs to a slam tilt that is played again" in text(told)


@pytest.mark.parametrize("ticked", [{}, {"agreed-4": "yes"}])
def test_without_the_opponents_agreement_the_other_way_is_offered_and_nothing_is_done(hall, groups, ticked):
    groups.score({1: 700, 4: 600})
    told = hall.rule(1, 4, kind="agreed", number="4", reason="seen by Olu", **ticked)

    assert told.status_code == 422
    assert "1 Ants has not agreed that the match on" in text(told)
    assert "4 Dogs is out of this match: choose that ruling." in text(told)
    assert groups.rulings() == []


def test_an_agreement_says_who_slam_tilted(hall, groups):
    groups.score({1: 700, 4: 600})
    told = hall.rule(1, 4, kind="agreed", reason="seen by Olu", **{"agreed-1": "yes"})

    assert "Choose who slam tilted." in text(told)
    assert groups.rulings() == []


def test_in_a_game_alone_nobody_has_to_agree(hall, groups):
    groups.score({1: 700})

    assert "agreed" not in [choice.kind for choice in hall.get("match", groups.match(1).pk).context["choices"]]
    with pytest.raises(Refusal, match="nobody has to agree"):
        game_rulings.play_again(groups.match(1), actor=None, reason="x", tilted=groups.entries[1].pk)


def test_any_other_slam_tilt_loses_the_match_and_can_be_taken_back(hall, groups):
    groups.score({1: 700, 4: 600})
    shown = hall.rule(1, 4, kind="out-of-match", number="1", reason="kicked the machine")
    told = text(confirmed(hall.desk, shown))
    assert "1 Ants is out of this match: won by 4 Dogs without playing." in told
    ruling = groups.tournament.rulings.get()
    asked = hall.post("undo-ruling", ruling.pk, reason="wrong side")
    confirmed(hall.desk, asked)
    match = groups.match(1, 4)
    assert (match.state, groups.away(match)) == ("done", [])
    assert Score.objects.filter(match=match, state__in=Score.COUNTED).count() == 2


def test_a_slam_tilt_in_a_game_alone_counts_zero(hall, groups):
    groups.score({1: 700})
    shown = hall.rule(1, kind="zero", reason="slam tilt")
    told = text(confirmed(hall.desk, shown))
    assert "By a ruling 0 counts." in told
    assert groups.match(1).scores.get().counts == 0


def test_a_game_alone_without_a_score_cannot_be_set_to_zero(hall, groups):
    told = hall.rule(1, kind="zero", reason="slam tilt")
    assert told.status_code == 422
    assert "has no score yet: type the score reached" in text(told)


def test_who_plays_alone_is_not_asked_for(hall, groups):
    assert b"Who <small>" not in hall.get("match", groups.match(1).pk).content
    shown = hall.rule(1, kind="out-of-match", reason="conduct")
    told = text(confirmed(hall.desk, shown))
    assert "1 Ants is out of this match: no score." in told


# Publishing


def picked(groups, **more):
    one, two, *others = groups.machines
    return {"group-A": one.pk, "group-B": two.pk, "machine": [machine.pk for machine in others[:3]], **more}


def test_the_order_of_play_is_shown_with_its_figures_before_it_is_published():
    groups = Groups(dealt=False)
    hall = Board(groups)
    shown = hall.get("slips", by=hall.organiser, **picked(groups))
    told = text(shown)
    assert "Preview: nothing is published yet" in told
    assert "Turn 1" in told
    assert shown.context["draw"]["judged"].faults == ()
    hall.post("publish", by=hall.organiser, **picked(groups))
    alone = {
        side.entry.number for match in Match.objects.filter(machine=groups.machines[0]) for side in match.sides.all()
    }
    assert alone == {1, 4, 5}
    assert groups.stage.matches.count() == 12


def test_a_group_without_its_machine_or_two_with_one_are_told_beside_the_choice():
    groups = Groups(dealt=False)
    hall = Board(groups)
    one = groups.machines[0].pk
    told = hall.get("slips", by=hall.organiser, **picked(groups, **{"group-B": ""}))
    assert told.status_code == 422
    assert "Choose the machine of group B." in text(told)
    told = hall.get("slips", by=hall.organiser, **picked(groups, **{"group-B": one}))
    assert "is chosen for two groups." in text(told)


def test_a_machine_of_a_group_ticked_for_the_matches_too_is_left_out_there():
    groups = Groups(dealt=False)
    hall = Board(groups)
    every = [machine.pk for machine in groups.machines]
    hall.post("publish", by=hall.organiser, **picked(groups, machine=every))
    against = Match.objects.filter(machine__in=groups.machines[:2])
    assert {match.sides.count() for match in against} == {1}


def test_only_an_organiser_publishes():
    groups = Groups(dealt=False)
    hall = Board(groups)
    assert hall.post("publish", **picked(groups)).status_code == 403
    assert hall.post("draw-lot", stage="final", machine=[1]).status_code == 403


@pytest.fixture
def final(groups, hall):
    groups.play_all()
    stages.close_stage(groups.stage, actor=None)
    return hall


def test_the_machine_of_the_final_is_drawn_by_lot_from_all_in_order(final, groups):
    incidents.report(groups.machines[5], actor=None, what="dark")
    page = final.get("slips", by=final.organiser, stage="final")
    assert page.context["picked"] == {machine.pk for machine in groups.machines[:5]}
    told = text(final.post("draw-lot", by=final.organiser, stage="final", machine=[m.pk for m in groups.machines[:5]]))
    drawn = StageMachine.objects.exclude(drawn_from=None).get()
    assert f"The lot fell on {drawn.machine}." in told
    assert f"{drawn.machine} was drawn by lot from 5 machines." in told


def test_taken_back_the_page_offers_the_machine_that_was_drawn(final, groups):
    machine = matches.deal_by_lot(groups.final, actor=None, machines=groups.machines[:5])
    matches.take_back(groups.final, actor=None, reason="too early")
    told = text(final.get("slips", by=final.organiser, stage="final"))
    assert f"{machine} was drawn by lot from 5 machines. A lot that has been drawn is not drawn again." in told
    assert f"Publish the match on {machine.name}" in told
    final.post("draw-lot", by=final.organiser, stage="final", machine=[machine.pk])
    assert groups.final.matches.get().machine == machine


def test_without_a_machine_no_lot_is_drawn(final, groups):
    told = final.post("draw-lot", by=final.organiser, stage="final")
    assert told.status_code == 422
    assert "Choose the machines among which the lot is drawn." in text(told)


# Seats and ties


def test_before_the_seats_are_frozen_the_page_says_what_is_first():
    groups = Groups(dealt=False)
    groups.stage.seats.all().delete()
    assert "The groups have no seats yet: they have to be drawn up first." in text(Board(groups).board())


def test_whoever_leaves_before_the_start_is_told_with_what_to_do():
    groups = Groups(opened=False)
    hall = Board(groups)
    entries.withdraw(groups.entries[4], actor=None, reason="went home")
    told = text(hall.board())
    assert "4 Dogs, seed 4, is withdrawn. Take the matches back, then draw the groups up anew." in told
    assert "take them back and draw them up anew without whoever leaves" in text(hall.get("seats"))


def test_whoever_leaves_during_the_groups_is_told_with_the_re_draw(hall, groups):
    entries.withdraw(groups.entries[4], actor=None, reason="went home")
    told = text(hall.board())
    assert "say in each match that is left that they do not play, and it is won by the other side" in told
    assert "or for all of them at once" in told


def test_the_page_of_ties_has_the_groups_with_their_points(hall, groups):
    groups.score({1: 700, 4: 600})
    told = text(hall.get("cut"))
    assert "In group A: 3 still have to play" in told
    groups.play_all()
    assert "In group A: decided" in text(hall.get("cut"))


# Drawn again


def test_a_machine_that_dies_is_replaced_by_any_other_of_the_show(hall, groups):
    groups.call(1)
    dead, spare = groups.machines[2], groups.machines[5]
    asked = {f"machine-{dead.pk}": spare.pk}
    page = hall.get("redraw", by=hall.organiser, **asked)
    assert "Preview: nothing is changed yet" in text(page)
    seen = page.context["planned"].mark
    told = text(hall.post("redraw-publish", by=hall.organiser, reason="display died", seen=seen, **asked))
    assert "The groups are drawn again from here. Call the teams anew." in told
    assert not Match.objects.filter(machine=dead).exclude(state="void").exists()
    assert Match.objects.filter(machine=spare).exclude(state="void").exists()
    assert groups.match(1).state == "called"


def test_somebody_missing_falls_out_of_what_is_left_and_it_can_be_taken_back(hall, groups):
    groups.score({1: 700, 4: 600})
    entries.withdraw(groups.entries[4], actor=None, reason="went home")
    page = hall.get("redraw", by=hall.organiser)
    assert "4 Dogs" in text(page)
    seen = page.context["planned"].mark
    hall.post("redraw-publish", by=hall.organiser, reason="went home", seen=seen)
    left = Match.objects.exclude(state__in=("void", "done")).filter(sides__entry=groups.entries[4])
    assert not left.exists()
    assert groups.match(1, 4).state == "done"
    revision = page.context["expected"] + 1
    told = text(hall.post("redraw-take-back", revision, by=hall.organiser, reason="they are back"))
    assert "The re-draw is taken back" in told
    assert left.exists()
