"""An organiser finds the second record of a person, compares, sees what would change, merges, and takes it back."""

import pytest
from django.urls import reverse

from tests import factories
from tests.tournaments.desk.reading import text
from tournaments import selectors
from tournaments.models import Entry, Player, Score, Waiting

pytestmark = pytest.mark.django_db


@pytest.fixture
def twice(world):
    """Player 1 has played under both numbers, 1 and 2."""
    factories.play(world.stage, world.entries[0], world.machines[0], 500)
    factories.play(world.stage, world.entries[1], world.machines[1], 900)
    return world


def form(**typed):
    return {"other": "2", "keep": "1", "reason": "entered twice", **typed}


def shown(answer):
    return answer.context["effects"].digest


def merge(organiser, **typed):
    preview = organiser.post("same-person", 1, **form(**typed))
    return organiser.post("same-person", 1, **form(**typed), shown=shown(preview), follow=True)


def test_the_page_offers_who_looks_like_the_same_person(world, organiser):
    factories.entry(world.tournament, "player  1", country="Wales")

    answer = organiser.get("same-person", 1)

    assert "Looks like the same person 4 player 1 (Wales)" in text(answer)
    assert "The same person as …" in text(organiser.get("entry", 1))


def test_both_records_are_compared_before_anything_is_chosen(twice, organiser):
    words = text(organiser.get("same-person", 1, other="2"))

    assert "1 Player 1 no country no e-mail The Open: entered, 1 game" in words
    assert "2 Player 2 no country no e-mail The Open: entered, 1 game" in words


def test_what_would_change_is_shown_and_nothing_is_saved(twice, organiser):
    answer = organiser.post("same-person", 1, **form())

    words = text(answer)
    assert "Nothing is saved yet." in words
    assert "2 Player 2 own record the same person as 1 Player 1" in words
    assert "The Open: players" in words
    assert "The Open, Qualifying: table" in words
    assert Player.objects.filter(merged_into=None).count() == 3


def test_the_word_makes_them_one_person(twice, organiser):
    answer = merge(organiser)

    assert answer.redirect_chain[-1][0] == organiser.url("entry", 1)
    assert "a search for number 2 finds number 1" in text(answer)
    assert Score.objects.filter(entry=twice.entries[0]).count() == 2
    assert Entry.objects.get(number=2).status == Entry.Status.MERGED


def test_the_other_number_may_be_the_one_that_is_kept(twice, organiser):
    answer = merge(organiser, keep="2")

    assert answer.redirect_chain[-1][0] == organiser.url("entry", 2)
    assert Player.objects.get(number=1).merged_into.number == 2


def test_the_old_number_leads_to_the_person_everywhere(twice, organiser):
    merge(organiser)

    answer = organiser.get("entry", 2)
    assert answer.url == organiser.url("entry", 1)
    assert "1 Player 1 was number 2 as well" in text(organiser.client.get(answer.url))
    assert "1 Player 1 (was number 2), 2 of 6 games" in text(organiser.get("lookup", field="number", number="2"))
    assert organiser.client.get("/t/party/open/players/2/").url == "/t/party/open/players/1/"
    assert organiser.client.get("/t/party/open/search/", {"q": "2"}).url == "/t/party/open/players/1/"


def test_a_slip_with_the_old_number_is_taken_for_the_person(twice, organiser):
    merge(organiser)

    organiser.slip("2", "M3", "700")

    assert Score.objects.get(value=700).entry == twice.entries[0]


def test_the_old_number_waits_for_a_machine_as_the_person(twice, organiser):
    merge(organiser)
    organiser.client.post(reverse("desk:machine-act", args=["party", "M3", "out-of-order"]))

    organiser.client.post(reverse("desk:machine-act", args=["party", "M3", "wait"]), {"number": "2"})

    assert Waiting.objects.get().entry == twice.entries[0]


def test_no_shows_by_an_old_number_are_the_person(world, organiser):
    merge(organiser, keep="2")

    preview = organiser.post("no-shows", number=[1, 2, 3], reason="not here at noon")

    assert "Withdraw 2 players who did not come" in text(preview)
    assert "2 Player 2, 3 Player 3. Reason: not here at noon" in text(preview)


def test_what_stands_in_the_way_is_said_beside_what_was_typed(twice, organiser):
    factories.play(twice.stage, twice.entries[1], twice.machines[0], 700)

    answer = organiser.post("same-person", 1, **form())

    assert answer.status_code == 422
    assert "Machine 1 500, Machine 1 700" in text(answer)
    assert 'value="entered twice"' in answer.content.decode()


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"other": "99"}, "No other person is “99”."),
        ({"other": "1"}, "No other person is “1”."),
        ({"other": ""}, "Say which other record it is."),
        ({"keep": "3"}, "Choose which number is kept."),
        ({"reason": ""}, "Say why"),
    ],
)
def test_a_form_that_says_too_little_says_what_is_missing(twice, organiser, typed, sentence):
    answer = organiser.post("same-person", 1, **form(**typed))

    assert answer.status_code == 422
    assert sentence in text(answer)


def test_two_persons_again(twice, organiser):
    merge(organiser)
    assert "Records that are this person" in text(organiser.get("same-person", 1))

    preview = organiser.post("take-apart", 1, gone="2", reason="two brothers")
    assert "2 Player 2 the same person as 1 Player 1 own record" in text(preview)
    answer = organiser.post("take-apart", 1, gone="2", reason="two brothers", shown=shown(preview), follow=True)

    assert "2 Player 2 and 1 Player 1 are two persons again." in text(answer)
    assert selectors.entry_numbered(twice.tournament, 2) == twice.entries[1]


def test_taking_apart_needs_a_reason_and_a_record_that_was_merged(twice, organiser):
    merge(organiser)

    assert "Say why" in text(organiser.post("take-apart", 1, gone="2", reason=""))
    again = organiser.post("take-apart", 1, gone="3", reason="x", follow=True)
    assert "1 Player 1 and that record are two persons already." in text(again)


def test_the_desk_merges_nobody(twice, desk):
    assert desk.get("same-person", 1).status_code == 403
    assert desk.post("same-person", 1, **form()).status_code == 403
    assert desk.post("take-apart", 1, gone="2", reason="x").status_code == 403
    assert "The same person as …" not in text(desk.get("entry", 1))
