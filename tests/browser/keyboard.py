"""Somebody at the desk who has a keyboard and nothing else.

desk = keyboard.sit_down(browser_page, world)
desk.slip(7, "TZ", "12,345,678")
desk.expect_taken("7 Ann Archer")
desk.go(desk.undo)
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.test import Client
from playwright.sync_api import Locator, Page, expect

from tests import factories
from tests.factories import World
from tournaments.models import Score

MOST_STOPS = 60
"""No page of the desk has more places to stop at with Tab in these small worlds."""


class Keyboard:
    """A page at which only keys are pressed: nothing here moves a mouse or fills a field by script."""

    def __init__(self, page: Page) -> None:
        self.page = page

    def press(self, *keys: str) -> None:
        """Press these keys one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def type(self, text: str) -> None:
        """Type where the cursor is; a line break is Enter."""
        first, *more = text.split("\n")
        self.page.keyboard.type(first)
        for line in more:
            self.press("Enter")
            self.page.keyboard.type(line)

    def to(self, place: Locator) -> None:
        """Go on with Tab until this place has the focus."""
        expect(place).to_be_visible()
        for _ in range(MOST_STOPS):
            if place.evaluate("element => element === document.activeElement"):
                return
            self.press("Tab")
        raise AssertionError(f"Tab does not lead to {place}.")

    def go(self, place: Locator) -> None:
        """Press the button or follow the link."""
        self.to(place)
        self.press("Enter")

    def write(self, field: Locator, text: str) -> None:
        """Type this in place of what is in the field."""
        self.to(field)
        self.press("Control+a")
        self.type(text)

    def sign_in(self, name: str) -> None:
        """Sign in on the page that asks for it, where the cursor is in the field for the name."""
        expect(self.page.get_by_label("Name", exact=True)).to_be_focused()
        self.type(name)
        self.press("Tab")
        self.type("secret-of-the-hall\n")


class Desk(Keyboard):
    """The slip page of a world's first stage."""

    def __init__(self, page: Page, world: World) -> None:
        super().__init__(page)
        self.address = f"/desk/{world.show.slug}/{world.tournament.slug}/{world.stage.key}/"
        self.number = page.locator("#slip-number")
        self.machine = page.locator("#slip-machine")
        self.score = page.locator("#slip-score")
        self.answer = page.locator("#answer")
        self.question = self.answer.get_by_role("button", name="Change it")
        self.kept = page.locator("#kept-slip")
        self.undo = self.answer.get_by_role("button", name="Undo")

    def slip(self, number: object, machine: str, score: object) -> None:
        """Type a slip as the paper says it: number Enter machine Enter score Enter."""
        self.type(f"{number}\n{machine}\n{score}\n")

    def link(self, name: str) -> Locator:
        """A link in the head of the desk's pages."""
        return self.page.get_by_role("navigation").get_by_role("link", name=name)

    def stop_time(self) -> None:
        """For the page all that follows is in the same instant, however slow this computer is, until `think`."""
        self.page.clock.pause_at(self.page.evaluate("Date.now()") / 1000 + 1)

    def think(self, seconds: int = 2) -> None:
        """Let time pass for the page, as for somebody who reads before the next key."""
        self.page.clock.run_for(seconds * 1000)

    def expect_ready(self) -> None:
        """The page is there with its script; without it, Enter would send the form from any field."""
        expect(self.number).to_be_visible()
        self.page.wait_for_load_state()

    def expect_taken(self, *words: str) -> None:
        """The answer says so with these words, the fields are empty and the cursor is back at the start."""
        for word in ("Saved.", *words):
            expect(self.answer).to_contain_text(word)
        self.expect_fields("", "", "")
        expect(self.number).to_be_focused()

    def expect_fields(self, number: str, machine: str, score: str) -> None:
        """What stands in the three fields."""
        expect(self.number).to_have_value(number)
        expect(self.machine).to_have_value(machine)
        expect(self.score).to_have_value(score)


def sit_down(browser_page: Callable[..., Page], world: World, name: str = "dora") -> Desk:
    """Somebody new at a laptop of the desk, signed in already, the cursor where the first slip begins."""
    client = Client()
    client.force_login(factories.user("desk", name))
    session = {"name": settings.SESSION_COOKIE_NAME, "value": client.cookies[settings.SESSION_COOKIE_NAME].value}
    cookies = [{**session, "domain": "localhost", "path": "/"}]
    desk = Desk(browser_page(1024, storage_state={"cookies": cookies, "origins": []}), world)
    desk.page.clock.install()
    desk.page.goto(desk.address)
    desk.expect_ready()
    expect(desk.number).to_be_focused()
    return desk


def counted() -> dict[tuple[int, str], Any]:
    """The scores that count in the database: by number and machine code."""
    scores = Score.objects.filter(state__in=Score.COUNTED)
    rows = scores.values_list("entry__number", "machine__code", "value")
    found = {(number, code): value for number, code, value in rows}
    assert len(found) == len(rows), "Somebody has two scores on one machine."
    return found
