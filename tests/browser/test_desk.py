"""The desk in a browser: a day's work with nothing but a keyboard, and what others see of it meanwhile."""

import re

import pytest
from playwright.sync_api import expect

from tests import factories
from tests.browser import keyboard

pytestmark = pytest.mark.django_db(transaction=True)

PUBLIC = "/t/party/open/qualifying/"


def loaded_once(page):
    """Marks the page as it is now; what is returned tells whether it is still the same one, loaded once."""
    page.evaluate("window.asItWas = true")
    return lambda: page.evaluate("window.asItWas === true")


def row(page, name):
    return page.locator(".standings").get_by_role("row", name=re.compile(name))


def test_twenty_slips_by_keyboard_while_a_second_browser_watches_the_table(browser_page):
    world = factories.qualifying(players=5, stock=5, rules={"games_allowed": 4, "games_counted": 4, "qualifiers": 2})
    factories.user("desk", "dora")
    desk = keyboard.Desk(browser_page(1024), world)
    desk.page.clock.install()
    desk.page.goto("/desk/")
    desk.sign_in("dora")
    desk.go(desk.page.get_by_role("main").get_by_role("link", name="slips"))
    desk.expect_ready()
    phone = browser_page(390)
    phone.clock.install()
    phone.goto(PUBLIC)
    expect(phone.get_by_text("Nobody is ranked yet.")).to_be_visible()
    same_desk, same_phone = loaded_once(desk.page), loaded_once(phone)
    slips = [(n, f"M{m}", (6 - n) * m * 1_000_000) for m in (1, 2, 3, 4) for n in (1, 2, 3, 4, 5)]

    def enter(number, machine, score):
        desk.slip(number, machine, f"{score:,}")
        desk.expect_taken(f"{number} Player {number} on Machine {machine[1:]}", f"{score:,}")

    for slip in slips[:6]:
        enter(*slip)

    # One refusal: what was typed stays, and the cursor is where the fault is.
    number, machine, score = slips[6]
    desk.slip(number, machine, "1,23")
    expect(desk.answer).to_contain_text("Not saved.")
    expect(desk.score).to_be_focused()
    desk.expect_fields(str(number), machine, "1,23")
    desk.type(f"{score}\n")
    desk.expect_taken(f"{number} Player {number}")

    # One undo, of a slip that was read wrongly; it comes back into the form to be put right.
    number, machine, score = slips[7]
    enter(number, machine, score + 1)
    desk.go(desk.undo)
    expect(desk.answer).to_contain_text(f"Taken back: {number} Player {number}")
    desk.go(desk.answer.get_by_role("link", name="Put the slip back"))
    desk.expect_fields(str(number), machine, str(score + 1))
    expect(desk.score).to_be_focused()
    desk.type(f"{score}\n")
    desk.expect_taken(f"{score:,}")

    for slip in slips[8:19]:
        enter(*slip)
    phone.clock.run_for(6_000)
    expect(row(phone, "Player 5")).to_contain_text("3")

    # One doubtful score, which is right: the question waits for the key that says so.
    number, machine, score = slips[19]
    desk.slip(number, machine, 99_000_000)
    expect(desk.question).to_be_focused()
    expect(desk.answer).to_contain_text("It would lead this machine; the best so far is 20,000,000.")
    desk.think()
    desk.press("y")
    desk.think()
    desk.expect_taken(f"{number} Player {number}", "1st of 5 on the machine")

    assert keyboard.counted() == {(n, m): s for n, m, s in slips} | {(5, "M4"): 99_000_000}
    phone.clock.run_for(6_000)
    expect(phone.locator(".leaders")).to_contain_text("99,000,000")
    expect(row(phone, "Player 5")).to_contain_text("4")
    assert same_desk()
    assert same_phone()
    assert phone.evaluate("document.documentElement.scrollWidth") <= 390


def test_a_number_means_that_number_while_it_is_typed_and_when_it_is_saved(browser_page):
    """[23]"""
    world = factories.qualifying(players=0, stock=2)
    for number in (7, 17, 27, 70):
        factories.entry(world.tournament, f"Person {number}", number=number)
    desk = keyboard.sit_down(browser_page, world)

    desk.type("7\n")
    expect(desk.page.locator("#number-means")).to_contain_text("7 Person 7")
    expect(desk.machine).to_be_focused()
    desk.type("M1\n500\n")
    desk.expect_taken("7 Person 7")

    desk.type("71\n")
    expect(desk.page.locator("#number-means")).to_contain_text("There is no number 71 in The Open.")
    expect(desk.number).to_be_focused()
    desk.type("71\nM1\n600\n")
    expect(desk.answer).to_contain_text("Not saved.")
    desk.expect_fields("71", "M1", "600")
    assert keyboard.counted() == {(7, "M1"): 500}


def test_a_grouped_score_is_read_back_and_a_broken_one_is_refused_and_kept(browser_page):
    """[24]"""
    world = factories.qualifying(players=3, stock=1)
    desk = keyboard.sit_down(browser_page, world)

    for number, typed in ((1, "12.345.678"), (2, "12,345,678"), (3, "12 345 678")):
        desk.type(f"{number}\nM1\n{typed}")
        expect(desk.page.locator("#score-means")).to_have_text("12,345,678 · 12.3 million")
        desk.press("Enter")
        desk.expect_taken(f"{number} Player {number}", "12,345,678")

    desk.slip(1, "M1", "1.5")
    for typed, reason in (
        ("1.5", "fraction"),
        ("1,23", "wrong length"),
        ("-5", "below zero"),
        ("12e6", "digits only"),
    ):
        expect(desk.page.locator("#score-means")).to_contain_text(reason)
        expect(desk.score).to_have_value(typed)
        expect(desk.score).to_be_focused()
        following = {"1.5": "1,23", "1,23": "-5", "-5": "12e6"}.get(typed)
        if following:
            desk.type(f"{following}\n")
    assert keyboard.counted() == {(number, "M1"): 12_345_678 for number in (1, 2, 3)}


def test_five_slips_in_a_row_each_go_to_their_own_player(browser_page):
    """[27] As fast as the keys go, without waiting for any answer."""
    world = factories.qualifying(players=5, stock=1)
    desk = keyboard.sit_down(browser_page, world)

    for number in (1, 2, 3, 4, 5):
        desk.slip(number, "M1", 600 - number * 100)

    desk.expect_taken("5 Player 5")
    assert keyboard.counted() == {(number, "M1"): 600 - number * 100 for number in (1, 2, 3, 4, 5)}


def test_a_tie_is_played_off_and_the_cut_declared_by_keyboard(browser_page):
    tied = factories.qualifying(players=4, stock=2, rules={"qualifiers": 2})
    factories.standings(tied, [[400, 400], [300, 200], [200, 300], [100, 100]])
    desk = keyboard.sit_down(browser_page, tied)
    page = desk.page

    desk.go(desk.link("Open and close"))
    desk.go(page.get_by_role("button", name="Close qualifying"))
    expect(page.get_by_role("alert")).to_contain_text("4 are unfinished. Close anyway?")
    desk.go(page.get_by_role("button", name="Close qualifying anyway"))
    expect(page.get_by_role("heading", name="Qualifying is closed")).to_be_visible()
    desk.go(desk.link("Cut"))
    expect(page.locator("main")).to_contain_text("Level across the cut for 1 place: 2 Player 2, 3 Player 3.")

    desk.write(page.get_by_role("textbox", name="2 Player 2"), "1,000")
    desk.write(page.get_by_role("textbox", name="3 Player 3"), "1,000\n")
    desk.go(page.get_by_role("button", name="Record the play-off"))
    expect(page.get_by_role("status")).to_contain_text("Still level: 2 Player 2 and 3 Player 3 play another game.")
    desk.write(page.get_by_role("textbox", name="2 Player 2"), "1,000")
    desk.write(page.get_by_role("textbox", name="3 Player 3"), "2,000\n")
    desk.go(page.get_by_role("button", name="Record the play-off"))
    expect(page.get_by_role("status")).to_contain_text("The play-off is recorded.")
    desk.go(page.get_by_role("button", name="Declare the cut: 2 go on"))
    expect(page.get_by_role("status")).to_contain_text("The cut is declared: 2 go on.")
    expect(page.get_by_role("row", name=re.compile("Player 3"))).to_have_count(1)

    phone = browser_page(390)
    phone.goto(PUBLIC)
    expect(row(phone, "Player 3")).to_contain_text("Through")
    expect(row(phone, "Player 2")).to_contain_text("Out")


def test_on_a_phone_the_answer_is_seen_without_scrolling_and_the_head_is_low(browser_page):
    world = factories.qualifying(players=2, stock=2)
    desk = keyboard.sit_down(browser_page, world)
    desk.page.set_viewport_size({"width": 390, "height": 664})

    desk.slip(1, "M1", 500)

    desk.expect_taken("1 Player 1")
    expect(desk.answer.locator(".answer")).to_be_in_viewport(ratio=1)
    expect(desk.number).to_be_in_viewport(ratio=1)
    assert desk.page.locator(".site-head").bounding_box()["height"] <= 100


def test_a_correction_shows_whom_the_number_means_before_it_is_saved(browser_page):
    world = factories.qualifying(players=3, stock=2)
    score = factories.play(world.stage, world.entries[0], world.machines[0], 500)
    desk = keyboard.sit_down(browser_page, world)
    desk.page.goto(f"{desk.address}scores/{score.pk}/")

    desk.write(desk.page.get_by_label("Player’s number"), "2")
    desk.think(1)
    expect(desk.page.locator("#number-means")).to_contain_text("2 Player 2, 0 of 6 games")
    desk.write(desk.page.get_by_label("Machine’s code"), "XX")
    desk.think(1)
    expect(desk.page.locator("#machine-means")).to_contain_text("No machine in qualifying has the code or name “XX”.")


PAGES = ("", "missing/", "close/", "cut/", "entries/new/", "entries/1/", "scores/{score}/", "?number=1&machine=M1")


@pytest.mark.parametrize("width", [390, 1024, 1920])
def test_no_page_of_the_desk_has_to_be_moved_sideways(browser_page, width):
    world = factories.qualifying(players=3, stock=2, rules={"qualifiers": 2})
    factories.entry(world.tournament, "Wilhelmina Featherstonehaugh-Cholmondeley")
    score = factories.play(world.stage, world.entries[0], world.machines[0], 999_999_999_999_999)
    factories.play(world.stage, world.entries[1], world.machines[0], 9)
    desk = keyboard.sit_down(browser_page, world)
    desk.page.set_viewport_size({"width": width, "height": round(width * 0.75)})

    desk.page.goto("/desk/")
    assert desk.page.evaluate("document.documentElement.scrollWidth") <= width
    for path in PAGES:
        desk.page.goto(desk.address + path.format(score=score.pk))
        assert desk.page.evaluate("document.documentElement.scrollWidth") <= width, path
