"""Double Enter: whatever form of the desk is sent twice, it is done once and answered both times on the same page."""

import pytest
from django.db import transaction
from django.urls import resolve, reverse

from teams.services import groups
from tests import factories
from tests.teams.evening import Evening
from tests.tournaments.desk.conftest import signed_in
from tests.tournaments.desk.finals import Hall
from tests.tournaments.desk.forms_of import forms_of
from tests.tournaments.desk.reading import hidden, text
from tournaments.models import Journal, Score, Tournament
from tournaments.services import entries, game_rulings, incidents, matches, people, redraw, results, scores, stages
from tournaments.views.desk.common import ALREADY

pytestmark = pytest.mark.django_db


class Visit:
    """A page of the desk with what is chosen there in place of the first of every choice."""

    def __init__(self, name, *args, query="", **chosen):
        self.address, self.chosen = reverse(name, args=args) + query, chosen


def qualifying():
    world = factories.qualifying(players=4, stock=4)
    one, two, three, _ = world.entries
    factories.play(world.stage, two, world.machines[0], 800)
    score = factories.play(world.stage, one, world.machines[0], 1_000)
    other = factories.play(world.stage, one, world.machines[1], 1_000)
    game = {"entry": one, "machine": world.machines[1]}
    scores.put_aside(world.stage, actor=None, value=2_000, **game)
    ruling = game_rulings.rule_on_score(
        other, actor=None, kind="slam-tilt", reason="seen", seen=Score.objects.get(pk=other.pk).revision
    )
    game_rulings.withdraw_no_shows([three], actor=None, reason="not here")
    where = [world.show.slug, world.tournament.slug, world.stage.key]
    return [
        Visit("desk:conflicts", *where),
        Visit("desk:missing", *where, query="?tick=all"),
        Visit("desk:entry", *where, 1),
        Visit("desk:entry", *where, 3),
        Visit("desk:score", *where, score.pk),
        Visit("desk:score", *where, other.pk),
        Visit("desk:undo-ruling", *where, ruling.pk),
        Visit("desk:close", *where),
        Visit("desk:machines", world.show.slug),
        Visit("desk:machine", world.show.slug, "M1"),
        Visit("desk:withdraw-machine", *where, "M1", query="?way=cancelled"),
        Visit("desk:withdraw-machine", *where, "M1", query="?way=let-stand"),
        Visit("desk:same-person", *where, 2, query="?other=4", keep="2"),
    ]


def out_of_order():
    world = factories.qualifying(players=2, stock=4)
    incidents.report(world.machines[0], actor=None, what="no ball")
    factories.play(world.stage, world.entries[1], world.machines[1], 800)
    people.merge(world.entries[0].player, world.entries[1].player, actor=None, reason="entered twice")
    where = [world.show.slug, world.tournament.slug, world.stage.key]
    return [
        Visit("desk:machines", world.show.slug),
        Visit("desk:machine", world.show.slug, "M1", number="1"),
        Visit("desk:same-person", *where, 1),
    ]


def planned():
    world = factories.qualifying(players=2, opened=False)
    return [Visit("desk:close", world.show.slug, world.tournament.slug, world.stage.key)]


def tied():
    world = factories.qualifying(players=3, stock=2, rules={"qualifiers": 2})
    factories.closed(world, [[400, 400], [300, 200], [200, 300]])
    return [Visit("desk:cut", world.show.slug, world.tournament.slug, world.stage.key)]


def before_the_cut():
    hall = Hall()
    stages.withdraw_cut(hall.world.stage, actor=None, reason="one has left")
    where = [hall.world.show.slug, hall.tournament.slug, "qualifying"]
    return [Visit("desk:cut", *where), Visit("desk:close", *where)]


def seated():
    hall = Hall()
    where = [hall.world.show.slug, hall.tournament.slug]
    chosen = "?" + "&".join(f"machine={machine.pk}" for machine in hall.machines[:2])
    return [
        Visit("desk:cut", *where, "qualifying"),
        Visit("desk:slips", *where, "semi-finals", query=chosen),
        Visit("desk:seats", *where, "semi-finals", leaves="8", comes="9"),
    ]


def published():
    hall = Hall()
    hall.deal("semi-finals", opened=False)
    where = [hall.world.show.slug, hall.tournament.slug, "semi-finals"]
    return [Visit("desk:slips", *where), Visit("desk:seats", *where), Visit("desk:close", *where)]


def begun():
    hall = Hall()
    one, other = hall.deal("semi-finals")
    hall.score(other, 400, 300, 200, 100)
    matches.call(one, actor=None)
    where = [hall.world.show.slug, hall.tournament.slug, "semi-finals"]
    return [
        Visit("desk:match", *where, one.pk),
        Visit("desk:match", *where, one.pk, kind="replayed", machine="M3"),
        *(Visit("desk:match", *where, other.pk, kind=kind) for kind in ("replayed", "out-of-match", "warning")),
        Visit("desk:match", *where, other.pk, kind="replayed", machine="M3"),
        Visit("desk:close", *where),
    ]


def under_way():
    hall = Hall()
    one, other = hall.deal("semi-finals")
    matches.play(one, actor=None)
    matches.absent(other, actor=None, entry=other.sides.all()[0].entry_id, reason="gone")
    where = [hall.world.show.slug, hall.tournament.slug, "semi-finals"]
    return [
        Visit("desk:match", *where, one.pk),
        Visit("desk:match", *where, other.pk),
        Visit("desk:close", *where),
    ]


def tied_in_a_game():
    hall = Hall()
    one, other = hall.deal("semi-finals")
    hall.score(one, 400, 200, 200, 100)
    hall.score(other, 400, 300, 200, 100)
    return [Visit("desk:cut", hall.world.show.slug, hall.tournament.slug, "semi-finals")]


def in_the_second_round():
    world = factories.seated(format="open", players=24, qualifiers=24, stock=15)
    match, *_ = factories.dealt(world, "second-round")
    where = [world.show.slug, world.tournament.slug, "second-round"]
    query = f"?out-{match.machine_id}=on&instead-{match.machine_id}={world.machines[12].pk}"
    entries.withdraw(world.entries[6], actor=None, reason="went home")
    return [Visit("desk:slips", *where), Visit("desk:redraw", *where, query=query)]


def drawn_again():
    world = factories.redrawn()
    where = [world.show.slug, world.tournament.slug, "second-round"]
    assert redraw.past(factories.stage(world.tournament, "second-round"))
    return [Visit("desk:redraw", *where)]


def decided():
    hall = Hall()
    for match in hall.deal("semi-finals"):
        hall.score(match, 400, 300, 200, 100)
    stages.close_stage(hall.stage("semi-finals"), actor=None)
    for key in ("play-off", "final"):
        hall.score(hall.deal(key)[0], 400, 300, 200, 100)
        stages.close_stage(hall.stage(key), actor=None)
    return [Visit("desk:results", hall.world.show.slug, hall.tournament.slug)]


def declared():
    pages = decided()
    results.declare(Tournament.objects.get(), actor=None, held_back=True)
    return pages


def teams_before_the_groups():
    evening = Evening(4)
    where = [evening.show.slug, "team", "groups"]
    return [Visit("teams:seeds", *where), Visit("teams:teams", *where), Visit("teams:team", *where, 1)]


def teams_drawn_up():
    evening = Evening(4)
    evening.hall(6)
    groups.draw_up(evening.groups, actor=None)
    where = [evening.show.slug, "team", "groups"]
    machines = list(evening.show.machines.order_by("code"))
    query = f"?group-A={machines[0].pk}&" + "&".join(f"machine={machine.pk}" for machine in machines[1:])
    return [Visit("teams:seeds", *where), Visit("desk:slips", *where, query=query)]


WORLDS = (
    qualifying,
    out_of_order,
    planned,
    tied,
    before_the_cut,
    seated,
    published,
    begun,
    under_way,
    tied_in_a_game,
    in_the_second_round,
    drawn_again,
    decided,
    declared,
    teams_before_the_groups,
    teams_drawn_up,
)

NAMED = {
    qualifying: {
        "desk:settle",
        "desk:no-shows",
        "desk:entry-act",
        "desk:rule",
        "desk:withdraw-machine",
        "desk:undo-ruling",
    },
    tied: {"desk:play-off", "desk:ruling"},
    before_the_cut: {"desk:declare", "desk:reopen"},
    seated: {"desk:publish", "desk:replace-seat", "desk:withdraw-cut"},
    published: {"desk:take-back", "desk:close-act"},
    begun: {"desk:match-rule", "desk:match-act"},
    in_the_second_round: {"desk:redraw-publish"},
    drawn_again: {"desk:redraw-take-back"},
    decided: {"desk:results-act"},
    teams_before_the_groups: {"teams:draw-up", "teams:order-seeds", "teams:team-check-in"},
    teams_drawn_up: {"teams:take-groups-back", "desk:publish"},
}
"""What has to be among the forms that did something, lest a page that changes hides them from this test."""


def last_post(client, address, typed):
    """Send a form, and the word for it where it shows first what it changes: what was sent last, and the answer."""
    answer = client.post(address, typed, follow=True)
    if "Nothing is saved yet." in text(answer):
        address, typed = answer.wsgi_request.get_full_path(), hidden(answer)
        answer = client.post(address, typed, follow=True)
    return address, typed, answer


def send_twice(client, form, button, chosen):
    """Whether the form did something; then it has done it once, and the second answer is on the page of the first."""
    before = Journal.objects.count()
    address, typed, first = last_post(client, form.action, form.typed(button, **chosen))
    told = f"{form.action} {typed}"
    assert first.status_code in (200, 409, 422), told
    done = Journal.objects.count()
    if done == before:
        return False
    assert first.redirect_chain, told
    again = client.post(address, typed, follow=True)
    assert again.status_code == 200, f"{told}: {text(again)}"
    assert again.redirect_chain[-1][0] == first.redirect_chain[-1][0], told
    assert ALREADY in text(again), told
    assert Journal.objects.count() == done, told
    return True


@pytest.mark.parametrize("so_far", WORLDS)
def test_every_form_of_a_page_sent_twice_is_done_once(so_far):
    pages, client = so_far(), signed_in("organiser", "otto")
    done = set()
    for visit in pages:
        page = client.get(visit.address)
        assert page.status_code == 200, visit.address
        for number, form in enumerate(forms_of(page)):
            for place in range(len(form.buttons)):
                with transaction.atomic():
                    # The page is loaded again, as it is: every form has a key of its own each time.
                    fresh = forms_of(client.get(visit.address))[number]
                    if own_key(fresh) and send_twice(client, fresh, fresh.buttons[place], visit.chosen):
                        done.add(resolve(fresh.action.split("?")[0]).view_name)
                    transaction.set_rollback(True)
    assert done
    assert NAMED.get(so_far, set()) <= done


def own_key(form):
    """Slips and scores of a match have answered their repeats themselves always; signing out needs no key."""
    name = resolve(form.action.split("?")[0]).view_name
    return name not in ("logout", "desk:correct") and not form.action.endswith("/record/")
