"""The machine of the final dies; and what else is asked of who plays it."""

import random
import re
from datetime import timedelta

import pytest
import time_machine
from django.test import Client
from django.utils import timezone

from tests import factories
from tests.shelf import kept
from tests.teams.evening import Evening
from tests.tournaments.desk.reading import text
from tournaments.domain.refusals import Refusal
from tournaments.models import Ruling, Score, Show, StageMachine, Tournament
from tournaments.services import effects, exchange, game_rulings, incidents, matches, rulings, stages

pytestmark = pytest.mark.django_db


@kept
def at_the_final():
    evening = Evening(8)
    evening.begin(machines=8)
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)
    matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(8), chance=random.Random(1))
    stages.open_stage(evening.final, actor=None)
    return evening


def final(evening):
    return evening.match(1, 2, 3, 4)


def move(evening, among=None, dead=None):
    match = final(evening)
    return game_rulings.move_to_substitute(
        match,
        actor=None,
        instead_of=(dead or match.machine).pk,
        reason="it burnt out",
        among=among if among is not None else [m for m in evening.hall(8) if m != match.machine],
        chance=random.Random(2),
    )


def score(evening, number, value):
    entry = evening.entry(number).pk
    matches.record(final(evening), actor=None, entry=entry, value=value, sure=value, agreed=True)


def board_of(evening):
    client = Client()
    client.force_login(factories.user("desk"))
    return client, f"/desk/party/team/final/matches/{final(evening).pk}/"


def test_the_final_moves_to_a_machine_drawn_by_lot_once_more_and_back():
    evening = at_the_final()
    matches.call(final(evening), actor=None)
    score(evening, 1, 500)
    before, dead = effects.picture(evening.tournament), final(evening).machine

    ruling = move(evening)
    again = move(evening, dead=dead)

    new = final(evening).machine
    assert again == ruling
    assert new != dead
    used = {each.machine: (each.state, each.drawn_from) for each in StageMachine.objects.filter(stage=evening.final)}
    assert used == {dead: ("let-stand", 8), new: ("open", 7)}
    assert evening.scores(evening.final) == 0
    assert Score.objects.get(stage=evening.final).value == 500
    assert f"{new} was drawn by lot from 7 machines." in evening.tournament.journal.latest("revision").summary

    rulings.undo_ruling(Ruling.objects.get(kind="replayed"), actor=None, reason="it lives")
    assert effects.picture(evening.tournament) == before
    assert final(evening).machine == dead


def test_the_game_is_played_to_its_end_on_the_substitute_and_a_copy_has_it_so():
    evening = at_the_final()
    move(evening)
    for number in range(1, 5):
        score(evening, number, 1_000 * number)
    with pytest.raises(Refusal, match="is over: completed results stand"):
        move(evening)
    stages.close_stage(evening.final, actor=None)
    files = exchange.dump(evening.tournament)
    files["tournament.toml"] = files["tournament.toml"].replace(b'show_slug = "party"', b'show_slug = "copy"')
    exchange.import_files(files, actor=None)
    copy = Tournament.objects.get(show=Show.objects.get(slug="copy"))
    drawn = [
        sorted((u.machine.code, u.state, u.drawn_from) for u in stage.stage_machines.all())
        for stage in (evening.final, copy.stages.get(key="final"))
    ]
    assert drawn[0] == drawn[1]


def test_the_machine_is_drawn_and_not_chosen_and_only_from_those_that_can_be_played():
    evening = at_the_final()
    dead, *others = [final(evening).machine, *(m for m in evening.hall(8) if m != final(evening).machine)]
    with pytest.raises(Refusal, match="Choose the machines among which the lot is drawn"):
        move(evening, among=[])
    with pytest.raises(Refusal, match=r"stand in"):
        move(evening, among=[dead])
    incidents.report(others[0], actor=None, what="tilt bob")
    with pytest.raises(Refusal, match="cannot be played now"):
        move(evening, among=others)


def test_the_board_leads_from_a_machine_out_of_order_to_the_lot():
    evening = at_the_final()
    client, page = board_of(evening)
    assert "is out of play, and the game on it" not in text(client.get("/desk/party/team/final/"))
    dead = final(evening).machine
    incidents.report(dead, actor=None, what="smoke")
    board = client.get("/desk/party/team/final/board/").content.decode()
    assert "is out of play, and the game on it is not over." in board
    assert f"{page}#substitute" in board

    others = [machine.pk for machine in evening.hall(8) if machine != dead]
    typed = {"machine": others, "instead_of": dead.pk}
    assert client.post(f"{page}substitute/", {**typed, "reason": ""}).status_code == 422
    answer = client.post(f"{page}substitute/", {**typed, "reason": "smoke"}, follow=True)
    assert f"Drawn by lot from 7: {final(evening).machine}." in text(answer)
    assert final(evening).machine != dead


def test_the_call_of_the_final_has_its_clock_and_nobody_is_asked_for_a_position():
    evening = at_the_final()
    client, page = board_of(evening)
    matches.call(final(evening), actor=None)
    shown = text(client.get(page))
    assert "to be here by" in shown
    assert "chooses" not in shown
    assert "Position not chosen" not in shown
    assert "to be here by" in text(client.get("/desk/party/team/final/board/"))
    with pytest.raises(Refusal, match="In the final nobody chooses a playing position"):
        matches.choose(final(evening), actor=None, entry=evening.entry(1).pk, position=1)
    with pytest.raises(Refusal, match="has until"):
        matches.forfeit(final(evening), actor=None, entry=evening.entry(3).pk)
    with time_machine.travel(timezone.now() + timedelta(minutes=6)):
        matches.forfeit(final(evening), actor=None, entry=evening.entry(3).pk)
    assert final(evening).sides.get(entry=evening.entry(3)).absent
    assert "By seed." in text(client.get("/t/party/team/final/"))


def test_on_the_board_of_the_final_a_button_for_who_is_late_belongs_to_a_form():
    evening = at_the_final()
    client, _ = board_of(evening)
    matches.call(final(evening), actor=None)
    with time_machine.travel(timezone.now() + timedelta(minutes=6), tick=False):
        page = client.get("/desk/party/team/final/").content.decode()

    named = set(re.findall(r'<button[^>]* form="([^"]+)"', page))
    assert "board-act" in named
    assert named <= set(re.findall(r'<form[^>]* id="([^"]+)"', page))


def test_a_game_played_again_elsewhere_before_has_not_moved_off_the_dead_machine():
    evening = at_the_final()
    match = final(evening)
    dead = match.machine
    other = next(machine for machine in evening.hall(8) if machine != dead)
    game_rulings.play_again(match, actor=None, machine=other, reason="a ball stuck")

    with pytest.raises(Refusal, match="by now; look again"):
        move(evening, among=[machine for machine in evening.hall(8) if machine not in (dead, other)], dead=dead)


def test_the_dead_machine_is_refused_among_the_others_whatever_the_lot_would_draw():
    evening = at_the_final()
    for _ in range(3):
        with pytest.raises(Refusal, match="cannot stand in for itself"):
            move(evening, among=evening.hall(8))
    assert not Ruling.objects.filter(kind=Ruling.Kind.REPLAYED).exists()
