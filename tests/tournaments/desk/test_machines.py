"""The desk's pages of machines: closed and opened in one tap, who waits, and the three ways out of a stage."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests import factories
from tests.tournaments.desk.conftest import signed_in
from tests.tournaments.desk.reading import text
from tournaments import selectors
from tournaments.models import Incident, Journal, Machine, Ruling, StageMachine, Waiting
from tournaments.services import incidents, scores

pytestmark = pytest.mark.django_db


class Book:
    """Somebody with the machines of a world's show."""

    def __init__(self, world, client):
        self.world, self.client = world, client

    def list(self):
        return self.client.get(reverse("desk:machines", args=[self.world.show.slug]))

    def page(self, code="M1"):
        return self.client.get(reverse("desk:machine", args=[self.world.show.slug, code]))

    def act(self, act, code="M1", follow=True, **typed):
        address = reverse("desk:machine-act", args=[self.world.show.slug, code, act])
        return self.client.post(address, typed, follow=follow)

    def stage_url(self, name, code="M1"):
        return reverse(f"desk:{name}", args=[self.world.show.slug, self.world.tournament.slug, "qualifying", code])

    def withdraw_page(self, code="M1", **query):
        return self.client.get(self.stage_url("withdraw-machine", code), query)

    def withdraw(self, code="M1", **typed):
        return self.client.post(self.stage_url("withdraw-machine", code), typed, follow=True)

    def take_back(self, code="M1", **typed):
        ruling = Ruling.objects.filter(machine__code=code).latest("pk")
        where = [self.world.show.slug, self.world.tournament.slug, "qualifying", ruling.pk]
        return self.client.post(reverse("desk:undo-ruling", args=where), typed, follow=True)


@pytest.fixture
def book(world, desk):
    return Book(world, desk.client)


def carried(response):
    """The form of the preview as it is sent again."""
    html = response.content.decode()
    return dict(re.findall(r'<input type="hidden" name="(?!csrf)(\w+)" value="([^"]*)"', html))


def in_order(code="M1"):
    return Machine.objects.get(code=code).in_order


def state(world, code="M1"):
    return StageMachine.objects.get(stage=world.stage, machine__code=code).state


# --- closed and opened ---


def test_a_machine_is_closed_and_opened_from_the_list_with_one_tap_each(book):
    told = text(book.act("out-of-order", **{"from": "list"}))
    assert "Machine 1 (M1) is out of order: no game starts on it." in told
    assert "Out of order: 1 Machine 1 M1 out of order Out of order since" in told
    assert "reported by dora" in told
    assert "The Open: qualifying" in told

    told = text(book.act("in-order", **{"from": "list"}))
    assert "Machine 1 (M1) is in order." in told
    assert "Out of order: 0 Every machine is in order." in told


def test_what_is_wrong_and_what_was_done_stand_in_the_book(book):
    book.act("out-of-order", what="left flipper dead")
    book.act("in-order", what="new coil")

    told = text(book.page())

    assert "Left flipper dead Reported at" in told
    assert re.search(r"Repaired at \d\d:\d\d by dora: new coil\.", told)
    assert "Machine 1 (M1) is out of order: left flipper dead." in told


def test_a_report_and_a_repair_are_undone(book):
    book.act("out-of-order")
    book.act("take-back", incident=Incident.objects.get().pk, **{"from": "list"})
    assert in_order()
    assert "Taken back at" in text(book.page())

    book.act("out-of-order", what="flipper")
    incident = Incident.objects.get(undone_at=None)
    assert "Undo the repair" in text(book.act("in-order", **{"from": "list"}))
    book.act("reopen", incident=incident.pk)
    assert not in_order()


def test_a_fault_that_is_only_noted_is_shown_and_leaves_the_machine_in_play(book):
    told = text(book.act("note", what="lamp out"))

    assert "Lamp out, noted and still in play" in told
    assert in_order()
    assert "Noted, in play: lamp out" in text(book.list())


def test_a_text_that_is_too_long_is_kept_and_said_to_be(book):
    answer = book.act("out-of-order", what="x" * 301, **{"from": "list"})

    assert answer.status_code == 422
    assert "x" * 301 in answer.content.decode()
    assert in_order()


def test_an_act_that_is_not_there_and_a_report_that_is_gone(book):
    assert book.act("explode").status_code == 404
    assert book.act("repaired", incident="7").status_code == 422
    assert book.act("out-of-order", code="XX").status_code == 404


# --- who waits ---


def test_who_waits_is_put_on_the_list_by_number_and_called_in_order_after_the_repair(book):
    book.act("out-of-order")
    assert "2 Player 2 waits for Machine 1 (M1)." in text(book.act("wait", number=2))
    book.act("wait", number=1)

    told = text(book.act("in-order"))

    assert "Machine 1 (M1) is in order. Call 2 Player 2, 1 Player 1." in told
    assert re.search(r"call, in this order 2 Player 2 .* 1 Player 1", told)
    waiting = Waiting.objects.get(entry__number=2).pk
    assert "2 Player 2 is off the list." in text(book.act("stop-waiting", waiting=waiting))
    assert "not on the list any more" in text(book.act("stop-waiting", waiting=waiting))
    assert [kept.entry.number for kept in Waiting.objects.all()] == [1]


def test_a_number_that_nobody_has_is_kept_and_said_to_be(book):
    book.act("out-of-order")

    answer = book.act("wait", number="77")

    assert answer.status_code == 422
    assert "Nobody has the number “77” in a tournament that plays Machine 1 (M1) now." in text(answer)
    assert 'value="77"' in answer.content.decode()


def test_a_number_in_two_tournaments_asks_which(book, world):
    kids = factories.qualifying(of=world.show, format="kids", players=0)
    factories.entry(kids.tournament, "Player 1", player=world.entries[0].player)
    book.act("out-of-order")

    answer = book.act("wait", number="1")
    assert "choose the tournament" in text(answer)
    book.act("wait", number="1", tournament="open")

    assert Waiting.objects.get().entry == world.entries[0]


def test_games_under_way_are_listed_with_who_waits(book, world):
    scores.start(world.stage, actor=None, entry=world.entries[2], machine=world.machines[0])
    book.act("out-of-order")

    assert "3 Player 3 was playing it" in text(book.page())


# --- out of a stage ---


def test_the_three_ways_are_offered_and_none_is_chosen(book):
    page = book.withdraw_page()

    assert all(way in text(page) for way in ("Cancel The scores leave", "Let stand The scores", "Rescale The scores"))
    assert "checked" not in page.content.decode()


def test_cancelling_shows_the_count_and_who_gets_a_game_back_before_it_is_done(book, world):
    factories.standings(world, [[500, 400], [600]])
    typed = {"way": "cancelled", "substitute": "M4", "reason": "it burnt out"}

    shown = book.withdraw(**typed)

    assert "Cancel Machine 1 in qualifying: 2 scores leave the ranking, 2 games given back" in text(shown)
    assert "Qualifying: games given back" in text(shown)
    assert "1 Player 1 – 1 game, for Machine 1" in text(shown)
    assert state(world) == "open"
    done = text(book.withdraw(**carried(shown)))
    assert state(world) == "cancelled"
    assert "2 scores leave the ranking, 2 games given back." in done
    assert "Games given back and not played again yet: 2" in done


def test_a_score_that_came_in_after_the_preview_is_not_cancelled_unseen(book, world):
    factories.standings(world, [[500]])
    shown = book.withdraw(way="cancelled", reason="it burnt out")
    factories.play(world.stage, world.entries[1], world.machines[0], 900)

    answer = book.withdraw(**carried(shown))

    assert answer.status_code == 409
    assert state(world) == "open"


def test_a_factor_is_offered_with_both_samples_and_a_person_takes_it(book, world):
    factories.standings(world, [[1_000, None], [3_000, 500]])
    assert "Machine 2 M2 500 of 1 score 0.25" in text(book.withdraw_page(way="rescaled"))
    page = book.withdraw_page(way="rescaled", substitute="M2")
    assert "Median on Machine 1: 2,000, of 2 scores. Median on Machine 2: 500, of 1 score. Proposed: 0.25." in text(
        page
    )
    assert 'name="factor" inputmode="decimal" value=""' in page.content.decode()

    shown = book.withdraw(way="rescaled", substitute="M2", factor="", proposed="0.25", reason="burnt out")
    assert "1 score is ranked on Machine 2, times 0.25; 1 game given back" in text(shown)
    book.withdraw(**carried(shown))

    used = StageMachine.objects.get(stage=world.stage, machine__code="M1")
    assert (used.state, used.substitute.code, used.factor) == ("rescaled", "M2", selectors.Decimal("0.25"))


def test_the_page_of_factors_asks_the_database_as_often_for_three_substitutes_as_for_one(book, world):
    factories.standings(world, [[1_000, 400, 300, 200], [3_000, 500]])

    def asked():
        with CaptureQueriesContext(connection) as queries:
            assert book.withdraw_page(way="rescaled", substitute="M2").status_code == 200
        return len(queries)

    three = asked()
    Machine.objects.filter(code__in=("M3", "M4")).update(in_order=False)
    assert asked() == three


@pytest.mark.parametrize(
    ("typed", "why"),
    [
        ({}, "Choose one of the three ways."),
        ({"way": "cancelled"}, "Say why"),
        ({"way": "rescaled", "reason": "x"}, "Choose the machine on which the scores are ranked."),
        ({"way": "rescaled", "reason": "x", "substitute": "M2"}, "Type a factor, or take the proposed one."),
        ({"way": "rescaled", "reason": "x", "substitute": "M2", "factor": "much"}, "“much” is not a factor"),
        ({"way": "cancelled", "reason": "x", "substitute": "M1"}, "The machine M1 cannot stand in"),
    ],
)
def test_a_form_that_lacks_something_says_so_and_keeps_what_was_typed(book, world, typed, why):
    answer = book.withdraw(**typed)

    assert answer.status_code == 422
    assert why in text(answer)
    assert state(world) == "open"
    if "factor" in typed:
        assert 'value="much"' in answer.content.decode()


def test_a_machine_out_of_order_cannot_be_chosen_to_stand_in(book, world):
    incidents.report(world.machines[1], actor=None)

    page = book.withdraw_page(way="cancelled").content.decode()

    assert 'value="M3"' in page
    assert 'value="M2"' not in page


def test_a_ruling_is_taken_back_after_showing_what_that_changes(book, world):
    factories.standings(world, [[500, 400], [600]])
    before = selectors.stage_facts(world.stage).table
    book.withdraw(**carried(book.withdraw(way="cancelled", reason="it burnt out")))
    assert "it burnt out Decided at" in text(book.withdraw_page())

    assert book.take_back(reason="").status_code == 422
    shown = book.take_back(reason="it works again")
    assert "Take back" in text(shown)
    assert "Machine 1" in text(shown)
    assert state(world) == "cancelled"
    done = book.take_back(**carried(shown))
    assert done.redirect_chain[-1][0] == reverse("desk:machine", args=[world.show.slug, "M1"])

    assert state(world) == "open"
    assert selectors.stage_facts(world.stage).table == before
    assert Ruling.objects.get().undone_at is not None
    assert "it works again" in text(book.page())
    assert "was taken back already" in text(book.take_back(reason="again"))


def test_the_missing_report_lists_who_has_a_game_to_play_again(book, desk, world):
    factories.standings(world, [[500], [600]])
    assert "Given back" not in text(desk.get("missing"))
    book.withdraw(**carried(book.withdraw(way="cancelled", reason="it burnt out")))
    factories.play(world.stage, world.entries[0], world.machines[1], 5)

    told = text(desk.get("missing", only="given-back"))

    assert "Given back 1" in told
    assert "Player 2 0 of 6 not started, 1 game given back (M1)" in told
    assert "Player 1" not in told


# --- roles ---

PAGES = [("machines", ()), ("machine", ("M1",))]
ACTS = ["out-of-order", "in-order", "reopen", "take-back", "wait", "stop-waiting", "note", "repaired"]


@pytest.mark.parametrize(("name", "parts"), PAGES, ids=str)
def test_the_machines_are_for_the_desk_and_the_organisers(world, name, parts):
    address = reverse(f"desk:{name}", args=[world.show.slug, *parts])

    assert [signed_in(role).get(address).status_code for role in ("desk", "organiser", "official")] == [200, 200, 403]
    assert "/accounts/login" in Client().get(address).url
    assert "no-store" in signed_in("desk", "dan").get(address).headers["Cache-Control"]


@pytest.mark.parametrize("act", ACTS)
def test_nobody_else_acts_on_a_machine_and_an_address_alone_changes_nothing(world, act):
    before = Journal.objects.count()
    stranger = Book(world, Client()).act(act, follow=False)

    assert Book(world, signed_in("official")).act(act, what="x").status_code == 403
    assert "/accounts/login" in stranger.url
    address = reverse("desk:machine-act", args=[world.show.slug, "M1", act])
    assert signed_in("desk").get(address).status_code == 302
    assert Journal.objects.count() == before


def test_an_official_withdraws_no_machine(world):
    official = Book(world, signed_in("official"))

    assert official.withdraw(way="cancelled", reason="x").status_code == 403
    assert official.withdraw_page().status_code == 403
