"""Who may open the desk, and that looking never writes."""

import pytest
from django.test import Client

from tests import factories
from tests.tournaments.desk.conftest import Desk, signed_in
from tournaments.models import Journal

pytestmark = pytest.mark.django_db

PAGES = [("slips",), ("missing",), ("close",), ("cut",), ("entry-new",), ("entry", 1), ("lookup",), ("aside",)]
FORMS = [
    ("record",),
    ("start",),
    ("put-aside",),
    ("times",),
    ("reopen",),
    ("close-act", "close"),
    ("play-off",),
    ("ruling",),
    ("declare",),
    ("withdraw-cut",),
    ("entry-act", 1, "withdraw"),
    ("keep-seats",),
]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_of_the_desk_is_for_the_desk_and_the_organisers(world, page):
    assert Desk(world, signed_in("desk")).get(*page).status_code == 200
    assert Desk(world, signed_in("organiser")).get(*page).status_code == 200
    assert Desk(world, signed_in("official")).get(*page).status_code == 403
    assert Desk(world, signed_in("", "nobody")).get(*page).status_code == 403
    assert "/accounts/login" in Desk(world, Client()).get(*page).url


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_nobody_else_sends_a_form_of_the_desk(world, form):
    before = Journal.objects.count()

    assert Desk(world, signed_in("official")).post(*form).status_code == 403
    assert "/accounts/login" in Desk(world, Client()).post(*form).url
    assert Journal.objects.count() == before


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_an_address_of_a_form_changes_nothing_when_it_is_only_visited(world, form):
    before = Journal.objects.count()

    response = Desk(world, signed_in("organiser")).get(*form)

    assert response.status_code == 302
    assert Journal.objects.count() == before


def test_a_form_from_elsewhere_is_refused(world):
    client = Client(enforce_csrf_checks=True)
    client.force_login(factories.user("desk"))

    assert Desk(world, client).slip("1", "M1", "500").status_code == 403


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_of_the_desk_is_never_kept_by_a_browser(world, page):
    assert "no-store" in Desk(world, signed_in("desk")).get(*page).headers["Cache-Control"]
