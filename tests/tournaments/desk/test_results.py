"""The results at the desk: as they stand, declared, held back, revealed, taken back."""

import pytest
from django.urls import reverse

from tests.tournaments.desk.finals import Hall
from tests.tournaments.desk.reading import text
from tournaments.models import FinalPlace, Journal
from tournaments.services import stages

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall():
    return Hall()


@pytest.fixture
def played(hall):
    """The whole tournament, in the order of the seeds."""
    for key in ("semi-finals", "play-off", "final"):
        for match in hall.deal(key):
            hall.score(match, 4_000, 3_000, 2_000, 1_000)
        stages.close_stage(hall.stage(key), actor=None)
    return hall


def get(hall, by=None):
    return (by or hall.organiser).get(reverse("desk:results", args=[hall.world.show.slug, hall.tournament.slug]))


def post(hall, act, by=None, **typed):
    address = reverse("desk:results-act", args=[hall.world.show.slug, hall.tournament.slug, act])
    return (by or hall.organiser).post(address, typed, follow=True)


def test_the_places_as_they_stand_say_what_keeps_them_from_being_declared(hall):
    told = text(get(hall))

    assert "Not declared." in told
    assert "Not yet:" in told
    assert "1st= 1 Player 1 Semi-finals" in told
    assert post(hall, "declare", expected=hall.revision()).status_code == 422
    assert not FinalPlace.objects.exists()


def test_an_organiser_declares_the_places_as_they_were_seen(played):
    declared = post(played, "declare", expected=played.revision())

    told = text(declared)
    assert "The results are declared." in told
    assert "1st 1 Player 1 Final" in told
    assert "5th 5 Player 5 Play-off for 5th to 8th" in told
    assert "9th 9 Player 9 Qualifying" in told
    assert "Public." in told


def test_places_that_changed_since_they_were_seen_are_not_declared(played):
    seen = played.revision()
    post(played, "hold-back")

    assert post(played, "declare", expected=seen).status_code == 409
    assert post(played, "declare").status_code == 409
    assert not FinalPlace.objects.exists()


def test_a_double_tap_declares_once(played):
    seen = played.revision()
    post(played, "declare", expected=seen)

    assert post(played, "declare", expected=seen).status_code == 409
    assert Journal.objects.filter(action="declare results").count() == 1


def test_results_are_held_back_until_the_ceremony_and_then_revealed(played):
    held = text(post(played, "declare", expected=played.revision(), held_back="on"))
    assert "Held back from the public." in held

    assert "The results are public." in text(post(played, "reveal"))
    played.tournament.refresh_from_db()
    assert played.tournament.results_held_back is False


def test_declared_results_are_taken_back_with_a_reason(played):
    post(played, "declare", expected=played.revision())

    assert post(played, "take-back", reason="", expected=played.revision()).status_code == 422
    post(played, "take-back", reason="a score was misread", expected=played.revision())

    assert not FinalPlace.objects.exists()
    assert "Not declared." in text(get(played))


@pytest.mark.parametrize("act", ["declare", "reveal", "hold-back", "take-back"])
def test_results_are_the_organisers_and_only_visited_change_nothing(played, act):
    before = Journal.objects.count()
    address = reverse("desk:results-act", args=[played.world.show.slug, played.tournament.slug, act])

    assert get(played, by=played.desk).status_code == 403
    assert post(played, act, by=played.desk).status_code == 403
    assert played.organiser.get(address).status_code == 302
    assert post(played, "burn").status_code == 404
    assert Journal.objects.count() == before
