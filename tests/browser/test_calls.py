"""The board of a stage played in groups in a browser: called, too late, played after all."""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.browser import keyboard
from tests.tournaments.grouped import Groups
from tournaments.models import Match

pytestmark = pytest.mark.django_db(transaction=True)

BOARD = "/desk/party/team/groups/"


def signed_in(page):
    factories.user("desk", "dora")
    page.goto(BOARD)
    keyboard.Keyboard(page).sign_in("dora")
    return page


def test_when_the_time_to_come_is_up_one_tap_ends_the_match_and_another_brings_it_back(browser_page):
    groups = Groups()
    page = signed_in(browser_page(1024))
    called = groups.call(1, 4, minutes_ago=4)
    page.clock.install()
    page.goto(BOARD)
    late = page.get_by_role("button", name="4 Dogs did not come")
    card = page.locator(".board-match", has_text=called.machine.name).first
    expect(card).to_contain_text(re.compile(r"0:\d\d left"))
    expect(late).to_be_hidden()
    page.clock.run_for(61_000)
    expect(late).to_be_visible()
    expect(card).to_contain_text("Time is up")
    # The minute that the page was given has passed for the server too.
    Match.objects.filter(pk=called.pk).update(called_at=called.called_at - timedelta(minutes=1))
    late.click()
    expect(page.get_by_text("4 Dogs did not come: won by 1 Ants without playing.")).to_be_visible()
    page.get_by_role("button", name="4 Dogs plays after all").click()
    expect(card).to_contain_text(re.compile(r"\d:\d\d left"))
    assert groups.match(1, 4).state == "called"


def test_the_board_fits_a_phone_and_calls_by_one_tap(browser_page):
    groups = Groups()
    page = signed_in(browser_page(390))
    page.get_by_role("button", name="Call to Machine 1").click()
    expect(page.get_by_text("Called to Machine 1.")).to_be_visible()
    expect(page.get_by_role("heading", name="Under way 1")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    assert groups.stage.matches.filter(state="called").count() == 1
