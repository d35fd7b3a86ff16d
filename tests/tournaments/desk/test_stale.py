"""A page that shows the tournament as it was takes nothing back: it says what has changed and shows that."""

import re

import pytest
from django.urls import reverse

from tests import factories
from tests.tournaments.desk.conftest import signed_in
from tests.tournaments.desk.finals import Hall
from tests.tournaments.desk.reading import text
from tournaments.domain.refusals import Stale
from tournaments.models import Journal, Match, Ruling
from tournaments.services import entries, redraw, results, rulings, stages

pytestmark = pytest.mark.django_db


def sent(answer, act):
    """The revision that the form of an act on a page sends along."""
    form = re.search(rf'<form[^>]*action="[^"]*/{act}/".*?</form>', answer.content.decode(), re.DOTALL)
    return re.search(r'name="expected" value="(\d+)"', form[0])[1]


def no_act(hall):
    return hall


def published(hall):
    hall.deal("semi-finals", opened=False)
    return hall


def begun(hall):
    hall.deal("semi-finals")
    return hall


def closed_before_the_cut(hall):
    stages.withdraw_cut(hall.world.stage, actor=None, reason="one has left")
    return hall


def ruled(hall):
    one, other = hall.deal("semi-finals")
    hall.score(one, 4_000, 3_000, 3_000, 1_000)
    hall.score(other, 4_000, 3_000, 2_000, 1_000)
    level = [hall.entries[2].pk, hall.entries[4].pk]
    rulings.rule_order(hall.stage("semi-finals"), actor=None, order=level, reason="so it is")
    return hall


def seated_behind(hall):
    ruled(hall)
    hall.deal("final")
    return hall


ACTS = {
    "withdraw-cut": (no_act, "qualifying", "cut", "withdraw", "withdraw cut"),
    "take-back": (published, "semi-finals", "slips", "take-back", "take back matches"),
    "not-begun": (begun, "semi-finals", "close", "not-begun", "withdraw opening"),
    "reopen": (closed_before_the_cut, "qualifying", "close", "reopen", "reopen stage"),
}


@pytest.mark.parametrize("name", ACTS)
def test_a_stale_page_is_told_and_its_next_try_knows_what_it_shows(name):
    so_far, key, page, address, action = ACTS[name]
    hall = so_far(Hall())
    seen = sent(hall.get(page, key, by=hall.organiser), address)
    another_act(hall)

    stale = hall.post(name, key, by=hall.organiser, reason="as agreed", expected=seen)

    assert stale.status_code == 409
    told = text(stale)
    assert "Somebody changed this tournament while you were looking. Nothing was saved; look again." in told
    assert "The last change: 9 Player 9 is here." in told
    assert 'value="as agreed"' in stale.content.decode()
    assert not Journal.objects.filter(action=action, reason="as agreed").exists()

    done = hall.post(name, key, by=hall.organiser, reason="as agreed", expected=sent(stale, address))

    assert done.status_code == 200
    assert Journal.objects.get(action=action, reason="as agreed")


def test_the_record_that_seats_stay_is_made_of_the_seats_that_were_seen():
    hall = seated_behind(Hall())
    seen = hall.revision()
    another_act(hall)

    stale = hall.post("keep-seats", "semi-finals", by=hall.organiser, reason="as agreed", expected=seen)

    assert stale.status_code == 409
    assert not Journal.objects.filter(action="keep seats").exists()


@pytest.mark.parametrize("sent_along", ["", "x", "-1", "9" * 30])
def test_a_form_that_says_nothing_of_what_it_showed_has_seen_nothing(sent_along):
    hall = published(Hall())

    answer = hall.post("take-back", "semi-finals", by=hall.organiser, reason="as agreed", expected=sent_along)

    assert answer.status_code == 409
    assert Match.objects.count() == 2


@pytest.mark.parametrize(
    ("reason", "sentence"),
    [("", "Say why"), ("x" * 501, "at most 500 characters"), ("a\x00b", "Null characters are not allowed.")],
)
def test_a_reason_that_cannot_be_kept_is_refused_beside_the_form(reason, sentence):
    hall = published(Hall())

    answer = hall.post("take-back", "semi-finals", by=hall.organiser, reason=reason)

    assert answer.status_code == 422
    assert sentence in text(answer)
    assert Match.objects.count() == 2


def another_act(hall):
    """Something that happens elsewhere in the tournament meanwhile."""
    entries.check_in(hall.entries[8], actor=None)


def test_of_two_who_take_a_re_draw_back_the_second_is_told_by_whom_it_was():
    world = factories.redrawn()
    where = [world.show.slug, world.tournament.slug, "second-round"]
    line = redraw.past(factories.stage(world.tournament, "second-round"))[0]
    address = reverse("desk:redraw-take-back", args=[*where, line.revision])
    one, other = signed_in("organiser", "dee"), signed_in("organiser", "otto")
    assert one.post(address, {"reason": "it works again"}).status_code == 302

    told = other.post(address, {"reason": "not needed"})

    assert told.status_code == 409
    assert re.search(r"That re-draw was taken back at \d\d:\d\d by dee already\. Nothing was changed", text(told))
    assert not Journal.objects.filter(reason="not needed").exists()


def test_of_two_who_take_a_ruling_back_in_one_moment_the_second_is_told_by_whom_it_was():
    hall = ruled(Hall())
    ruling = Ruling.objects.latest("pk")
    rulings.undo_ruling(ruling, actor=factories.user("organiser", "otto"), reason="on appeal")

    with pytest.raises(Stale, match=r"was taken back at \d\d:\d\d by otto already"):
        rulings.undo_ruling(ruling, actor=None, reason="on appeal")

    told = hall.post("undo-ruling", "semi-finals", ruling.pk, by=hall.organiser, reason="me too")
    assert "was taken back already" in text(told)


def test_results_are_taken_back_as_they_were_seen():
    hall = seated_behind(Hall())
    hall.score(hall.matches("final")[0], 400, 300, 200, 100)
    hall.score(hall.deal("play-off")[0], 400, 300, 200, 100)
    for key in ("semi-finals", "play-off", "final"):
        stages.close_stage(hall.stage(key), actor=None)
    results.declare(hall.tournament, actor=None)
    page = hall.organiser.get(reverse("desk:results", args=[hall.world.show.slug, hall.tournament.slug]))
    seen = sent(page, "take-back")
    another_act(hall)
    address = reverse("desk:results-act", args=[hall.world.show.slug, hall.tournament.slug, "take-back"])

    stale = hall.organiser.post(address, {"reason": "a score was wrong", "expected": seen})

    assert stale.status_code == 409
    assert "The last change: 9 Player 9 is here." in text(stale)
    again = {"reason": "a score was wrong", "expected": sent(stale, "take-back")}
    assert hall.organiser.post(address, again).status_code == 302
