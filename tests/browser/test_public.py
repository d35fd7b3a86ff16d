"""The public pages in a browser: they keep themselves up to date, say when they cannot, and fit every screen."""

import re

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.tournaments.public import finals

STAGE = "/t/party/open/qualifying/"
PAGES = ("/", STAGE, "/t/party/open/players/1/", "/t/party/open/machines/M1/", "/t/party/open/rules/")
LONG = "Wilhelmina Featherstonehaugh-Cholmondeley"

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def world():
    made = factories.qualifying(players=5, rules={"qualifiers": 3})
    factories.entry(made.tournament, LONG)
    factories.standings(made, [[999_999_999_999_999] * 6, [20] * 6, [10] * 6, [9, 8, 7]])
    return made


def test_a_new_score_appears_by_itself_and_the_reader_stays_where_she_was(browser_page, world):
    page = browser_page(390)
    page.clock.install()
    page.goto(STAGE)
    link = page.get_by_role("table", name=re.compile("Qualifying")).get_by_role("link", name="Player 3")
    link.focus()
    at = page.evaluate("window.scrollY")
    factories.play(world.stage, world.entries[4], world.machines[0], 555)

    page.clock.run_for(6_000)

    expect(page.locator(".standings")).to_contain_text("Player 5")
    expect(link).to_be_focused()
    assert page.evaluate("window.scrollY") == at


def test_a_page_without_connection_says_since_when_and_recovers_by_itself(browser_page, world):
    page = browser_page(390)
    page.clock.install()
    page.goto(STAGE)
    page.route("**/rows/**", lambda route: route.abort())

    page.clock.run_for(6_000)

    note = page.locator("[data-live-note]")
    expect(note).to_have_text(re.compile(r"^Not connected since \d\d:\d\d\."))
    expect(page.locator(".standings")).to_contain_text("Player 1")

    factories.play(world.stage, world.entries[4], world.machines[0], 555)
    page.unroute("**/rows/**")
    page.clock.run_for(6_000)

    expect(page.locator(".standings")).to_contain_text("Player 5")
    expect(note).to_be_empty()


def test_an_answer_that_is_an_error_counts_as_no_connection(browser_page, world):
    page = browser_page(390)
    page.clock.install()
    page.goto(STAGE)
    page.route("**/rows/**", lambda route: route.fulfill(status=502, body="<h1>Bad gateway</h1>"))

    page.clock.run_for(6_000)

    expect(page.locator("[data-live-note]")).to_contain_text("Not connected since")
    expect(page.locator(".standings")).to_contain_text("Player 1")


def test_everything_is_there_without_script(browser_page, world):
    page = browser_page(390, java_script_enabled=False)
    page.goto(STAGE)

    expect(page.locator(".standings")).to_contain_text("Player 1")
    expect(page.locator(".cut")).to_contain_text("Top 3 go on")
    page.get_by_label("Find a player").fill("2")
    page.get_by_role("button", name="Find").click()

    expect(page.get_by_role("heading", level=1)).to_contain_text("Player 2")


@pytest.mark.parametrize("width", [320, 390, 1024, 1920])
def test_no_page_has_to_be_moved_sideways(browser_page, world, width):
    page = browser_page(width)

    for path in (*PAGES, "/t/party/open/search/"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path


def test_the_first_stop_of_the_keyboard_leads_past_the_head(browser_page, world):
    page = browser_page(1024)
    page.goto(STAGE)

    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the content")).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.locator("#main")).to_be_focused()


CONTRAST = """() => {
  const light = (rgb) => {
    const [r, g, b] = rgb.map((c) => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const read = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const ground = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = read(getComputedStyle(at).backgroundColor);
      if (colour.length === 3 || colour[3] === 1) return colour.slice(0, 3);
    }
    return [255, 255, 255];
  };
  const faint = [];
  for (const element of document.querySelectorAll("body *")) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
    if (!own || !element.checkVisibility()) continue;
    const [a, b] = [light(read(getComputedStyle(element).color).slice(0, 3)), light(ground(element))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) faint.push(`${element.className || element.tagName} ${ratio.toFixed(2)}: ${element.textContent}`);
  }
  return faint;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_words_stand_out_from_their_ground(browser_page, scheme):
    show = factories.show(rehearsal=True)
    world = factories.qualifying(players=6, of=show, rules={"qualifiers": 2, "games_allowed": 1, "games_counted": 1})
    factories.closed(world, [[90], [80], [80], [70], [60]])
    page = browser_page(1920, color_scheme=scheme)

    for path in (*PAGES, "/t/party/open/search/?q=nobody", "/accounts/login"):
        page.goto(path)
        assert page.evaluate(CONTRAST) == [], path


FINALS = ("semi-finals/", "play-off/", "final/", "bracket/", "results/", "players/1/")


@pytest.mark.parametrize(("width", "scheme"), [(320, "light"), (390, "dark"), (1024, "dark"), (1920, "light")])
def test_the_pages_of_the_finals_fit_and_stand_out_on_every_screen(browser_page, width, scheme):
    finals.played(finals.cut(names=(LONG, *(f"Player {number}" for number in range(2, 9)))))
    page = browser_page(width, color_scheme=scheme)

    for path in FINALS:
        page.goto(f"/t/party/classic/{path}")
        assert page.evaluate("document.documentElement.scrollWidth") <= width, path
        assert page.evaluate(CONTRAST) == [], path


def test_the_bracket_is_a_list_on_a_phone_and_columns_on_a_wide_screen(browser_page):
    finals.played(finals.cut())
    lefts = (
        "[...document.querySelectorAll('.bracket h2')].map((head) => Math.round(head.getBoundingClientRect().left))"
    )

    phone, wide = browser_page(390), browser_page(1024)
    for page in (phone, wide):
        page.goto("/t/party/classic/bracket/")

    assert len(set(phone.evaluate(lefts))) == 1
    assert len(set(wide.evaluate(lefts))) == 3


def test_a_score_of_a_final_appears_by_itself(browser_page):
    world = finals.cut()
    stage = finals.opened(world, "semi-finals", machines=2)
    page = browser_page(390)
    page.clock.install()
    page.goto("/t/party/classic/semi-finals/")
    finals.play(stage.matches.get(order=1), 123_456, None, None, None)

    page.clock.run_for(6_000)

    expect(page.locator(".games")).to_contain_text("123,456")
