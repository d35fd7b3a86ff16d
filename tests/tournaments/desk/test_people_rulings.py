"""Rulings on people: warnings, disqualification shown first, and no-shows withdrawn together with one undo."""

import pytest

from tests import factories
from tests.tournaments.desk.conftest import Desk, signed_in
from tests.tournaments.desk.reading import confirmed, hidden, text
from tests.tournaments.public.reading import as_a_new_reader as public
from tournaments.models import Entry, Journal, Ruling
from tournaments.services import entries as entries_service

pytestmark = pytest.mark.django_db


def status(number):
    return Entry.objects.get(number=number).status


def test_warnings_are_counted_with_who_and_why_and_never_shown_in_public(desk, world):
    for key, reason in (("a", "shouted"), ("b", "tilted on purpose")):
        shown = desk.post("entry-act", 1, "warn", reason=reason, key=key)
        assert "A warning is kept for the desk and is not shown in public." in text(shown)
        confirmed(desk.client, shown)

    told = text(desk.get("entry", 1))
    assert "Warnings: 2" in told
    assert "Reason: shouted" in told
    for page in ("players/1/", "qualifying/"):
        assert "shouted" not in public(world, page)

    undo = desk.post("undo-ruling", Ruling.objects.first().pk, reason="somebody else")
    assert "Warnings: 1" in text(confirmed(desk.client, undo))


def test_a_warning_sent_twice_is_one_warning_and_one_without_a_reason_none(desk):
    """[20]"""
    assert desk.post("entry-act", 1, "warn", reason="").status_code == 422
    shown = desk.post("entry-act", 1, "warn", reason="shouted", key="k")
    for _ in range(2):
        confirmed(desk.client, shown)

    assert Ruling.objects.count() == 1


def test_who_moves_up_is_shown_before_somebody_is_disqualified_and_comes_back_as_before(organiser, world):
    factories.standings(world, [[300], [200], [100]])

    shown = organiser.post("entry-act", 1, "disqualify", reason="cheating")
    assert "2 Player 2 2nd, 99 points 1st, 100 points" in text(shown)
    assert status(1) == Entry.Status.ENTERED
    out = confirmed(organiser.client, shown)

    assert "Rulings in force Disqualified from the tournament" in text(out)
    assert "Ruling: disqualified from the tournament. cheating" in public(world, "players/1/")
    back = confirmed(organiser.client, organiser.post("entry-act", 1, "reinstate", reason="appeal"))
    assert "1 Player 1 is back in, exactly as before." in text(back)
    assert status(1) == Entry.Status.ENTERED
    assert "cheating" not in public(world, "players/1/")


def test_the_desk_does_not_take_a_disqualification_back(desk, world):
    entries_service.disqualify(world.entries[0], actor=None, reason="cheating")

    assert desk.post("undo-ruling", Ruling.objects.get().pk, reason="x").status_code == 403
    assert "An organiser can take it back." in text(desk.get("entry", 1))


# No-shows


@pytest.fixture
def some_missing(world):
    """Player 1 has played, players 2 and 3 have not come."""
    factories.play(world.stage, world.entries[0], world.machines[0], 500)


def boxes(response):
    return [line for line in response.content.decode().split("<") if 'type="checkbox"' in line]


@pytest.mark.usefixtures("some_missing")
def test_nobody_is_preselected_and_ticking_all_is_an_act_of_its_own(desk):
    page = desk.get("missing")
    assert len(boxes(page)) == 2
    assert not any("checked" in box for box in boxes(page))

    everybody = desk.get("missing", tick="all")

    assert all("checked" in box for box in boxes(everybody))


@pytest.mark.usefixtures("some_missing")
def test_no_shows_are_confirmed_by_count_and_name_withdrawn_together_and_taken_back_in_one_step(desk):
    shown = desk.post("no-shows", number=[2, 3], reason="not here at noon", only="not-started")
    told = text(shown)
    assert "Withdraw 2 players who did not come" in told
    assert "2 Player 2, 3 Player 3. Reason: not here at noon" in told
    assert hidden(shown)["number"] == ["2", "3"]
    assert status(2) == Entry.Status.ENTERED
    before = Journal.objects.count()

    done = confirmed(desk.client, shown)

    assert "2 players withdrawn." in text(done)
    assert [status(number) for number in (1, 2, 3)] == ["entered", "withdrawn", "withdrawn"]
    assert Journal.objects.count() == before + 1
    confirmed(desk.client, desk.post("undo-ruling", Ruling.objects.get().pk, reason="they were in the queue"))
    assert [status(number) for number in (2, 3)] == ["entered", "entered"]


@pytest.mark.usefixtures("some_missing")
@pytest.mark.parametrize(
    ("numbers", "reason", "sentence"),
    [([], "x", "Choose who has not come."), ([2], "", "Say why"), ([1, 2], "x", "1 Player 1 has played")],
)
def test_a_bulk_withdrawal_is_all_or_nothing_and_keeps_the_ticks(desk, numbers, reason, sentence):
    refused = desk.post("no-shows", number=numbers, reason=reason)

    assert refused.status_code == 422
    assert sentence in text(refused)
    assert [f'value="{2}"' in box and "checked" in box for box in boxes(refused)] == [2 in numbers, False]
    assert {status(number) for number in (1, 2, 3)} == {"entered"}


@pytest.mark.parametrize(
    ("page", "parts"), [("no-shows", ()), ("undo-ruling", (1,)), ("settle", (1,)), ("rule", (1,))]
)
def test_acts_of_the_desk_are_not_an_officials(world, page, parts):
    official = Desk(world, signed_in("official"))

    assert official.post(page, *parts).status_code == 403
