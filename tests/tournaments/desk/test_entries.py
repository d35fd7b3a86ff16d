"""People at the desk."""

from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.urls import reverse

from tests import factories
from tests.tournaments.desk.reading import confirmed, text
from tournaments.domain.refusals import NeedsDecision
from tournaments.models import Entry, Player
from tournaments.services import entries as entries_service
from tournaments.services import places as places_service
from tournaments.services import scores as scores_service

pytestmark = pytest.mark.django_db

NOON = datetime(2010, 7, 24, 11, 0, tzinfo=UTC)
"""In London."""


def test_an_entry_shows_games_place_and_why(desk, world):
    factories.play(world.stage, world.entries[0], world.machines[0], 500)

    told = text(desk.get("entry", 1))

    assert "1 of 6 games, 1st, 100 points" in told
    assert "Machine 1 500 1st of 1 100" in told
    assert "Machine 1: 500 is 1st of 1, 100 points." in told


def test_somebody_is_checked_in_leaves_and_comes_back(desk, world):
    desk.post("entry-act", 1, "check-in")
    assert Entry.objects.get(number=1).status == Entry.Status.CHECKED_IN

    desk.post("entry-act", 1, "withdraw", reason="ill")
    assert Entry.objects.get(number=1).status == Entry.Status.WITHDRAWN

    told = text(confirmed(desk.client, desk.post("entry-act", 1, "reinstate", reason="better")))
    assert Entry.objects.get(number=1).status == Entry.Status.CHECKED_IN
    assert "1 Player 1 withdrew. Reason: ill" in told


def test_a_check_in_by_mistake_is_taken_back_where_it_was_done_and_from_the_journal(desk, world):
    desk.post("entry-act", 1, "check-in")
    journal = desk.client.get(reverse("desk:journal", args=["party"]))
    assert "The check-in, to be taken back" in text(journal)

    answer = desk.post("entry-act", 1, "take-check-in-back", key="tap", follow=True)

    assert "1 Player 1 is entered." in text(answer)
    assert Entry.objects.get(number=1).status == Entry.Status.ENTERED
    assert "the check-in was taken back" in text(answer)
    assert "The check-in, to be taken back" not in text(desk.client.get(reverse("desk:journal", args=["party"])))


@pytest.mark.parametrize("started_only", [True, False])
def test_a_check_in_is_kept_while_a_game_rests_on_it(desk, world, started_only):
    desk.post("entry-act", 1, "check-in")
    game = {"actor": None, "entry": world.entries[0], "machine": world.machines[0]}
    if started_only:
        scores_service.start(world.stage, **game)
    else:
        factories.play(world.stage, world.entries[0], world.machines[0], 500)

    refused = desk.post("entry-act", 1, "take-check-in-back")

    assert refused.status_code == 422
    step = "Give that game up first" if started_only else "Void it first"
    assert step in text(refused)
    assert Entry.objects.get(number=1).status == Entry.Status.CHECKED_IN


def test_an_age_seen_at_a_check_in_by_mistake_is_asked_again():
    tim = factories.entry(factories.tournament(format="kids"), "Tim")
    entries_service.check_in(tim, actor=None, age_seen=True)
    entries_service.take_check_in_back(tim, actor=None)

    assert Entry.objects.get(pk=tim.pk).age_checked_at is None
    with pytest.raises(NeedsDecision):
        entries_service.check_in(tim, actor=None)


def test_leaving_needs_a_reason(desk):
    refused = desk.post("entry-act", 1, "withdraw", reason="")

    assert refused.status_code == 422
    assert "Say why" in text(refused)


def test_only_an_organiser_disqualifies_and_takes_that_back(desk, organiser):
    assert desk.post("entry-act", 1, "disqualify", reason="cheating").status_code == 403
    confirmed(organiser.client, organiser.post("entry-act", 1, "disqualify", reason="cheating"))
    assert Entry.objects.get(number=1).status == Entry.Status.DISQUALIFIED

    assert desk.post("entry-act", 1, "reinstate", reason="mistake").status_code == 403
    confirmed(organiser.client, organiser.post("entry-act", 1, "reinstate", reason="mistake"))
    assert Entry.objects.get(number=1).status == Entry.Status.ENTERED


def test_an_unknown_number_or_act_is_not_found(desk):
    assert desk.get("entry", 99).status_code == 404
    assert desk.post("entry-act", 1, "delete").status_code == 404


def test_a_latecomer_is_entered_and_gets_the_next_number(desk):
    entered = desk.post("entry-new", name="  Late   Comer ", country="GB", key="k", follow=True)

    assert "4 Late Comer is entered. The number is 4." in text(entered)
    assert Player.objects.get(number=4).country == "GB"


def test_the_same_form_sent_twice_enters_one_person(desk):
    """[20]"""
    for _ in range(2):
        assert desk.post("entry-new", name="Late Comer", key="k").status_code == 302

    assert Player.objects.filter(name="Late Comer").count() == 1


def test_a_namesake_is_asked_about_before_a_second_person_is_made(desk):
    """[21]"""
    asked = desk.post("entry-new", name="player 1", country="NL")

    assert asked.status_code == 409
    assert "The show already has 1 Player 1." in text(asked)
    assert 'name="country" value="NL"' in asked.content.decode()

    assert desk.post("entry-new", name="player 1", player="1").status_code == 422
    desk.post("entry-new", name="Player 1", another="yes")
    assert Player.objects.filter(name="Player 1").count() == 2


def test_somebody_of_the_show_keeps_the_number_in_another_tournament(desk, world):
    kids = type(desk)(factories.qualifying(of=world.show, format="kids", players=0, stock=2), desk.client)

    kids.post("entry-new", name="Player 2", player="2")

    entry = Entry.objects.get(tournament=kids.world.tournament)
    assert (entry.number, entry.player) == (2, world.entries[1].player)


def test_a_taken_number_is_refused_and_everything_typed_is_kept(desk):
    refused = desk.post("entry-new", name="Late Comer", number="2", email="late@example.org")

    assert refused.status_code == 422
    assert "Number 2 belongs to Player 2." in text(refused)
    assert 'value="late@example.org"' in refused.content.decode()


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"name": " "}, "Type the name"),
        ({"name": "A", "email": "nonsense"}, "valid email"),
        ({"name": "A", "number": "x"}, "whole number"),
    ],
)
def test_what_cannot_be_read_is_marked_at_its_field(desk, typed, sentence):
    refused = desk.post("entry-new", **typed)

    assert refused.status_code == 422
    assert sentence in text(refused)
    assert Player.objects.count() == 3


def test_the_form_says_from_when_and_until_when_places_are_on_sale(desk, world):
    soon, past = NOON + timedelta(hours=1), NOON - timedelta(hours=1)
    with time_machine.travel(NOON, tick=False):
        for kind, times in (("last-chance", {"opens_at": soon}), ("pre-registered", {"closes_at": past})):
            places_service.offer(world.tournament, actor=None, kind=kind, capacity=5, **times)
        shown = text(desk.get("entry-new"))
        refused = desk.post("entry-new", name="Early Bird", place="last-chance")

    assert "last-chance (on sale from 13:00 on 24 July 2010)" in shown
    assert "pre-registered (on sale until 11:00 on 24 July 2010)" in shown
    assert refused.status_code == 422
    assert "The last-chance places of The Open are on sale from 13:00 on 24 July 2010." in text(refused)
    assert 'value="Early Bird"' in refused.content.decode()


def test_places_on_sale_are_counted_down_and_never_oversold(desk, world):
    """[22]"""
    places_service.offer(world.tournament, actor=None, kind="last-chance", capacity=1)
    assert "last-chance (1 left)" in text(desk.get("entry-new"))

    desk.post("entry-new", name="First", place="last-chance")
    refused = desk.post("entry-new", name="Second", place="last-chance")

    assert refused.status_code == 422
    assert "All 1 last-chance places of The Open are taken." in text(refused)
    assert not Player.objects.filter(name="Second").exists()


# Where there is an age limit


@pytest.fixture
def hall(desk_of):
    return desk_of(factories.qualifying(format="kids", players=2))


def test_check_in_asks_for_the_age_on_the_page_and_keeps_what_was_typed(hall):
    assert "age not checked" in text(hall.get("entry", 1))
    assert text(hall.get("missing")).count("age not checked") == 2

    asked = hall.post("entry-act", 1, "check-in")
    assert asked.status_code == 409
    assert "Type the date of birth, or confirm that you have seen it." in text(asked)
    assert "I have seen that Player 1 is under 14" in text(asked)
    old = hall.post("entry-act", 1, "check-in", born_on="1996-07-24")
    assert old.status_code == 422
    assert "Player 1 is 14 years old on 24 July 2010; The Kids is for players under 14." in text(old)
    assert 'value="1996-07-24"' in old.content.decode()
    assert hall.post("entry-act", 1, "check-in", born_on="soon").status_code == 422

    told = text(hall.post("entry-act", 1, "check-in", born_on="2000-01-02", follow=True))
    assert "1 Player 1 is checked in." in told
    assert "age not checked" not in told
    assert "2000" not in told
    assert text(hall.get("missing")).count("age not checked") == 1


def test_somebody_confirms_the_age_at_check_in_or_later(hall):
    hall.post("entry-act", 1, "check-in", age_seen="yes")
    assert Entry.objects.get(number=1).age_checked_at

    entries_service.check_in(hall.world.entries[1], actor=None, elsewhere=True)
    assert "I have seen that Player 2 is under 14" in text(hall.get("entry", 2))
    assert hall.post("entry-act", 2, "check-age").status_code == 422
    told = text(hall.post("entry-act", 2, "check-age", age_seen="yes", follow=True))

    assert "The age of 2 Player 2 is checked." in told
    assert "dora 2 Player 2: Seen to be under 14." in told


def test_a_new_entry_may_have_a_date_of_birth_only_where_it_is_asked(hall):
    assert "To see that the player is under 14; empty: asked at check-in." in text(hall.get("entry-new"))

    old = hall.post("entry-new", name="Cy Child", born_on="24/07/1996")
    assert old.status_code == 422
    assert "Cy Child is 14 years old" in text(old)
    hall.post("entry-new", name="Cy Child", born_on="25/07/1996")

    assert Player.objects.get(name="Cy Child").born_on == date(1996, 7, 25)


def test_without_an_age_limit_nobody_is_asked(desk):
    assert "Date of birth" not in text(desk.get("entry-new"))
    assert "age" not in text(desk.get("missing")).split()
