"""A fault is reported from a tablet with one tap, and every tablet says so."""

import pytest
from django.urls import reverse

from tests.tournaments.desk.conftest import signed_in
from tests.tournaments.desk.finals import Hall, stranger
from tests.tournaments.desk.reading import text
from tournaments.models import Incident, Machine
from tournaments.services import matches as service

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall():
    return Hall()


@pytest.fixture
def match(hall):
    return hall.deal("semi-finals")[0]


def page(hall, match, by=None):
    return (by or hall.official).get(hall.url("official:match", "semi-finals", match.pk))


def act(hall, match, name, by=None, **typed):
    return (by or hall.official).post(hall.url("official:act", "semi-finals", match.pk, name), typed, follow=True)


def machine_url(hall, *act):
    return reverse("official:machine-act" if act else "official:machine", args=[hall.world.show.slug, "M1", *act])


def in_order():
    return Machine.objects.get(code="M1").in_order


def test_a_fault_is_reported_from_the_match_with_one_tap_and_no_word(hall, match):
    told = text(act(hall, match, "fault"))

    assert "Machine 1 is out of order. The desk knows." in told
    assert "No game starts on it." in told
    assert "Call to the machine" not in told
    assert Incident.objects.get().reported_by.username == "olu"


def test_a_game_that_had_begun_is_finished_on_the_tablet(hall, match):
    service.play(match, actor=None)

    told = text(act(hall, match, "fault", what="left flipper dead"))

    assert "left flipper dead. This game had begun: its scores are taken." in told
    answer = act(hall, match, "record", number=1, score="400", checked="400", key="k")
    assert "400 for 1 Player 1 is saved." in text(answer)


def test_the_list_and_a_page_that_is_open_notice(hall, match):
    shown = page(hall, match).context["mark"]
    version = hall.official.get(reverse("official:home")).context["version"]

    act(hall, match, "fault")

    changed = hall.official.get(hall.url("official:changed", "semi-finals", match.pk), {"mark": shown})
    assert "Somebody changed this match." in text(changed)
    listed = hall.official.get(reverse("official:open"), {"version": version})
    assert "Machine 1 planned out of order" in text(listed)


def test_the_desk_sees_it_on_the_board_and_on_the_match(hall, match):
    act(hall, match, "fault")

    assert "Machine 1 planned out of order" in text(hall.get("slips", "semi-finals"))
    assert "Machine 1 is out of order since" in text(hall.get("match", "semi-finals", match.pk))


def test_a_machine_without_a_match_has_a_page_of_its_own(hall, match):
    assert "Machine 3 M3" in text(hall.official.get(reverse("official:machines")))

    told = text(hall.official.post(machine_url(hall, "fault"), {"what": "ball stuck"}, follow=True))

    assert "Ball stuck, out of order since" in told
    assert "Machine 1 M1 out of order" in text(hall.official.get(reverse("official:machines")))


def test_a_fault_may_be_noted_with_the_machine_in_play(hall, match):
    told = text(hall.official.post(machine_url(hall, "note"), {"what": "lamp out"}, follow=True))

    assert "Lamp out, noted and still in play" in told
    assert in_order()
    empty = hall.official.post(machine_url(hall, "note"), {"what": " "})
    assert empty.status_code == 422
    assert "Say what is wrong" in text(empty)


def test_who_reported_by_mistake_takes_it_back_and_nobody_else_there(hall, match):
    act(hall, match, "fault")
    incident = Incident.objects.get().pk
    other = signed_in("official", "otto")

    refused = other.post(machine_url(hall, "take-back"), {"incident": incident})
    assert "Only who reported it takes a report back here" in text(refused)
    assert not in_order()
    assert "My mistake" not in text(other.get(machine_url(hall)))
    hall.official.post(machine_url(hall, "take-back"), {"incident": incident})

    assert in_order()


def test_strangers_report_nothing(hall, match):
    nobody = signed_in("", "nobody")

    assert nobody.get(machine_url(hall)).status_code == 403
    assert nobody.post(machine_url(hall, "fault")).status_code == 403
    assert act(hall, match, "fault", by=nobody).status_code == 403
    assert "/accounts/login" in stranger().post(machine_url(hall, "fault")).url
    assert hall.official.get(machine_url(hall, "fault")).status_code == 302
    assert hall.official.post(machine_url(hall, "explode")).status_code == 404
    assert in_order()
