"""Mishaps at the desk that nobody has to look up: each was tried by hand, and is a test.

Beyond the thirty of the list (numbers in brackets; those that need a browser are here and in `test_desk`):

 1. The slip is typed for the wrong player, and noticed later:
    test_a_score_entered_for_the_wrong_player_is_given_to_the_right_one
    (tests/tournaments/desk/test_score_page.py).
 2. A digit too many, and Enter is pressed twice or held down without looking:
    test_enter_pressed_twice_or_held_down_never_answers_a_question,
    test_the_next_slip_typed_without_looking_never_answers_a_question,
    test_a_name_that_begins_with_the_key_for_yes_answers_no_question,
    test_a_question_is_answered_by_changing_the_score.
 3. Two digits swapped, which nobody can see but the player; put right by an undo or a correction:
    test_a_correction_keeps_the_old_value_the_editor_the_time_and_the_reason
    (tests/tournaments/desk/test_score_page.py).
 4. Two people of one name:
    test_two_people_of_one_name_are_told_apart_before_the_slip_is_saved.
 5. The round is closed too early, while a game is out:
    test_closing_too_early_is_refused_and_leads_to_what_is_out.
 6. A slip comes after the closing time, though the page was opened before it:
    test_a_slip_that_comes_after_the_closing_time_is_taken_and_marked_late.
 7. The browser's back button, after a slip and in the middle of one:
    test_back_and_forward_bring_no_slip_twice, test_what_was_half_typed_never_comes_back_into_the_next_slip,
    test_escape_empties_a_half_typed_slip.
 8. The code of the machine in the field for the number:
    test_a_machine_code_in_the_field_for_the_number_selects_nobody.
 9. A page left open while another desk corrects the score:
    test_an_undo_on_a_page_left_open_does_not_undo_what_another_desk_corrected.
10. Typing on while the network is slow, and the slip before is refused:
    test_the_next_slips_may_be_typed_while_the_network_is_slow,
    test_what_was_typed_ahead_of_a_refusal_is_shown_and_not_used.
11. The answer to a slip is lost on its way, and it is sent again:
    test_a_slip_whose_answer_was_lost_is_sent_again_and_counts_once.
12. Somebody signs in elsewhere in the same browser, and the page's form is too old:
    test_a_page_from_before_somebody_else_signed_in_says_so_and_gives_the_slip_to_nobody.
13. The clocks change in the night of the show:
    test_in_the_night_the_clocks_go_back_the_second_half_past_one_counts
    (tests/tournaments/services/test_late_slips.py),
    test_a_time_that_the_change_of_the_clocks_leaves_out_is_refused_and_kept
    (tests/tournaments/desk/test_rounds.py).
14. A slip is put into the computer by two desks:
    test_a_slip_that_two_desks_type_is_one_score_and_the_second_is_told.
"""

import re
from datetime import timedelta
from pathlib import Path

import pytest
import time_machine
from django.contrib.sessions.models import Session
from django.utils import timezone
from playwright.sync_api import expect

from tests import factories
from tests.browser import keyboard
from tournaments.models import Score
from tournaments.services import scores as scores_service
from tournaments.services import stages as stages_service

pytestmark = pytest.mark.django_db(transaction=True)

TESTS = Path(__file__).parent.parent


@pytest.fixture
def world():
    return factories.qualifying(players=4, stock=3)


@pytest.fixture
def desk(browser_page, world):
    return keyboard.sit_down(browser_page, world)


def hold_first_slip(page):
    """From now on the next slip stays on its way; what is returned sends it on."""
    held = []
    page.route("**/record/", lambda route: held.append(route), times=1)
    return lambda: held.pop().continue_()


def test_every_mishap_named_above_is_a_test():
    for name, folder in re.findall(r"(test_\w{20,})(?:\s+\(tests/([\w/]+\.py)\))?", __doc__):
        text = (TESTS / folder).read_text() if folder else Path(__file__).read_text()
        assert f"def {name}(" in text, name


def test_enter_pressed_twice_makes_one_score(desk):
    """[20]"""
    desk.slip(1, "M1", "500\n\n")

    desk.expect_taken("1 Player 1")
    assert keyboard.counted() == {(1, "M1"): 500}


def test_enter_held_down_in_every_field_makes_one_score(desk):
    """[20]"""
    for text in ("1", "M1", "500"):
        desk.type(text)
        for _ in range(20):
            desk.page.keyboard.down("Enter")
        desk.page.keyboard.up("Enter")

    desk.expect_taken("1 Player 1")
    assert keyboard.counted() == {(1, "M1"): 500}


@pytest.fixture
def three_played(world):
    factories.standings(world, [[300], [200], [100]])


@pytest.mark.usefixtures("three_played")
def test_enter_pressed_twice_or_held_down_never_answers_a_question(desk):
    desk.stop_time()
    desk.type("4\nM1\n5000")
    for _ in range(20):
        desk.page.keyboard.down("Enter")
    expect(desk.question).to_be_focused()
    for _ in range(20):
        desk.page.keyboard.down("Enter")
    desk.page.keyboard.up("Enter")
    desk.press("Enter")

    expect(desk.question).to_be_focused()
    assert (4, "M1") not in keyboard.counted()
    desk.think()
    desk.press("Enter")
    expect(desk.score).to_be_focused()
    assert (4, "M1") not in keyboard.counted()
    desk.press("Enter")
    expect(desk.question).to_be_focused()
    desk.think()
    desk.press("y")
    desk.think()
    desk.expect_taken("4 Player 4", "5,000")


@pytest.mark.usefixtures("three_played")
def test_the_next_slip_typed_without_looking_never_answers_a_question(desk):
    desk.stop_time()
    desk.slip(4, "M1", 5000)
    expect(desk.question).to_be_focused()
    desk.think()
    desk.slip(1, "M2", 600)

    expect(desk.question).to_be_focused()
    desk.expect_fields("4", "M1", "5000")
    expect(desk.answer).to_contain_text("Answer the question first; 9 keys were not used.")
    assert set(keyboard.counted()) == {(1, "M1"), (2, "M1"), (3, "M1")}


@pytest.mark.usefixtures("three_played")
def test_a_name_that_begins_with_the_key_for_yes_answers_no_question(desk):
    desk.stop_time()
    desk.slip(4, "M1", 5000)
    expect(desk.question).to_be_focused()
    desk.think()
    desk.type("yann")
    desk.think()

    expect(desk.answer).to_contain_text("Answer the question first; 4 keys were not used.")
    expect(desk.question).to_be_focused()
    assert (4, "M1") not in keyboard.counted()


@pytest.mark.usefixtures("three_played")
def test_a_question_is_answered_by_the_button_that_says_yes(desk):
    desk.slip(4, "M1", 2500)
    expect(desk.question).to_be_focused()
    desk.think()

    desk.go(desk.page.get_by_role("button", name="Yes, 2,500 is right"))

    desk.expect_taken("4 Player 4")
    assert keyboard.counted()[4, "M1"] == 2500


@pytest.mark.usefixtures("three_played")
def test_a_question_is_answered_by_changing_the_score(desk):
    desk.slip(4, "M1", 2500)
    expect(desk.question).to_be_focused()

    desk.think()
    desk.press("Enter")
    expect(desk.score).to_be_focused()
    desk.type("250\n")

    desk.expect_taken("4 Player 4")
    assert keyboard.counted()[4, "M1"] == 250


def test_an_expired_session_in_mid_slip_leads_through_the_login_back_to_the_slip(desk):
    """[30]"""
    desk.type("2\nM1\n1,234,567")
    expect(desk.page.locator("#machine-means")).to_contain_text("Machine 1")
    Session.objects.all().delete()
    desk.press("Enter")

    expect(desk.page.get_by_text("Sign in to go on.")).to_contain_text("The slip you were typing is kept for you")
    desk.sign_in("dora")

    expect(desk.kept).to_contain_text("A slip was kept from before you signed in: 2, M1, 1,234,567.")
    expect(desk.number).to_be_focused()
    desk.expect_fields("", "", "")
    assert keyboard.counted() == {}
    desk.go(desk.kept.get_by_role("button", name="Go on with it"))
    desk.expect_fields("2", "M1", "1,234,567")
    expect(desk.score).to_be_focused()
    desk.press("Enter")
    desk.expect_taken("2 Player 2", "1,234,567")
    assert keyboard.counted() == {(2, "M1"): 1_234_567}


def test_a_slip_kept_for_signing_in_is_never_saved_for_whoever_is_typed_next(desk):
    """[30]"""
    desk.type("2\nM1\n12")
    Session.objects.all().delete()
    desk.press("Enter")
    desk.sign_in("dora")
    expect(desk.kept).to_be_visible()

    desk.slip(3, "M2", 77)

    desk.expect_taken("3 Player 3")
    assert keyboard.counted() == {(3, "M2"): 77}
    desk.go(desk.kept.get_by_role("button", name="Discard it"))
    expect(desk.kept).to_be_hidden()
    expect(desk.number).to_be_focused()


def test_a_slip_kept_for_signing_in_is_not_given_to_somebody_else(desk):
    """[30]"""
    factories.user("desk", "doug")
    desk.type("2\nM1\n12")
    Session.objects.all().delete()
    desk.press("Enter")
    desk.sign_in("doug")

    expect(desk.number).to_be_focused()
    expect(desk.kept).to_be_hidden()
    desk.expect_fields("", "", "")


def test_a_session_that_ends_while_somebody_types_takes_nothing_away(desk):
    """[30]"""
    desk.type("2\n")
    expect(desk.page.locator("#number-means")).to_contain_text("2 Player 2")
    Session.objects.all().delete()
    desk.type("M1\n12")

    expect(desk.answer).to_contain_text("You are signed out")
    desk.expect_fields("2", "M1", "12")
    expect(desk.score).to_be_focused()
    desk.go(desk.answer.get_by_role("link", name="Sign in again"))
    desk.sign_in("dora")
    expect(desk.kept).to_contain_text("2, M1, 12")


def test_a_slip_sent_without_cookies_says_signed_out_and_leads_to_the_login(desk):
    """[30]"""
    desk.type("2\nM1\n12")
    desk.page.context.clear_cookies()
    desk.press("Enter")

    expect(desk.answer).to_contain_text("You are signed out")
    desk.expect_fields("2", "M1", "12")
    desk.go(desk.answer.get_by_role("link", name="Sign in again"))
    desk.sign_in("dora")
    expect(desk.kept).to_contain_text("2, M1, 12")


def test_a_page_from_before_somebody_else_signed_in_says_so_and_gives_the_slip_to_nobody(desk):
    factories.user("desk", "doug")
    other = keyboard.Keyboard(desk.page.context.new_page())
    other.page.goto("/accounts/login")
    other.sign_in("doug")
    other.page.wait_for_url("**/desk/")
    desk.page.bring_to_front()

    desk.slip(2, "M1", 500)
    expect(desk.answer).to_contain_text("Not saved: this page is too old")
    desk.expect_fields("2", "M1", "500")
    desk.go(desk.answer.get_by_role("link", name="Load the page again"))

    desk.expect_fields("", "", "")
    expect(desk.kept).to_be_hidden()
    desk.slip(2, "M1", 500)
    desk.expect_taken("2 Player 2")
    assert Score.objects.get().recorded_by.username == "doug"


def test_back_and_forward_bring_no_slip_twice(desk):
    desk.slip(1, "M1", 500)
    desk.expect_taken("1 Player 1")
    desk.go(desk.answer.get_by_role("link", name="Correct or void"))
    expect(desk.page.get_by_role("heading", name="1 Player 1 on Machine 1")).to_be_visible()

    desk.page.go_back()
    expect(desk.number).to_be_focused()
    desk.expect_fields("", "", "")
    expect(desk.answer).to_be_empty()
    expect(desk.page.locator("#last")).to_contain_text("1 Player 1")
    desk.slip(2, "M1", 600)
    desk.expect_taken("2 Player 2")
    desk.page.go_forward()
    desk.page.go_back()
    desk.press("Enter", "Enter", "Enter")

    desk.expect_fields("", "", "")
    assert keyboard.counted() == {(1, "M1"): 500, (2, "M1"): 600}


@pytest.mark.parametrize("away", ["another page and back", "the same page again", "a reload"])
def test_what_was_half_typed_never_comes_back_into_the_next_slip(desk, away):
    desk.type("1\nM1\n")
    expect(desk.score).to_be_focused()
    if away == "a reload":
        desk.page.reload()
    elif away == "the same page again":
        desk.go(desk.link("Slips"))
    else:
        desk.go(desk.page.get_by_role("link", name="Not started"))
        expect(desk.page.get_by_role("heading", name="who is missing")).to_be_visible()
        desk.page.go_back()
    desk.expect_fields("", "", "")
    expect(desk.number).to_be_focused()

    desk.slip(3, "M2", 9_100_000)

    desk.expect_taken("3 Player 3")
    assert keyboard.counted() == {(3, "M2"): 9_100_000}


def test_a_slip_filled_in_by_its_address_is_filled_in_once(desk):
    desk.page.goto(f"{desk.address}?number=1&machine=M1")
    expect(desk.score).to_be_focused()
    desk.expect_fields("1", "M1", "")

    desk.page.reload()

    expect(desk.number).to_be_focused()
    desk.expect_fields("", "", "")


def test_escape_empties_a_half_typed_slip(desk):
    desk.type("1\nM1\n12")
    expect(desk.page.locator("#machine-means")).to_contain_text("Machine 1")

    desk.press("Escape")

    desk.expect_fields("", "", "")
    expect(desk.number).to_be_focused()
    for field in ("number", "machine", "score"):
        expect(desk.page.locator(f"#{field}-means")).to_be_empty()


def test_a_slip_that_the_server_did_not_take_leaves_no_older_answer_standing(desk):
    desk.slip(1, "M1", 500)
    desk.expect_taken("1 Player 1")
    desk.page.route("**/record/", lambda route: route.abort())

    desk.slip(2, "M1", 600)

    expect(desk.answer).to_contain_text("Not saved: the server does not answer")
    expect(desk.answer).not_to_contain_text("Saved.")
    desk.expect_fields("2", "M1", "600")
    expect(desk.score).to_be_focused()


def test_a_look_up_that_the_server_does_not_answer_says_so(desk):
    desk.page.route("**/lookup/**", lambda route: route.abort())

    desk.type("1\n")

    expect(desk.page.locator("#number-means")).to_contain_text("Not looked up: the server does not answer.")


def test_the_next_slips_may_be_typed_while_the_network_is_slow(desk):
    send = hold_first_slip(desk.page)
    with desk.page.expect_request("**/record/"):
        desk.slip(1, "M1", 900)
    desk.slip(2, "M1", 800)
    desk.slip(3, "M1", 700)
    desk.type("4\nM1\n6")
    desk.expect_fields("1", "M1", "900")

    send()

    desk.expect_fields("4", "M1", "6")
    expect(desk.score).to_be_focused()
    desk.type("00\n")
    desk.expect_taken("4 Player 4")
    assert keyboard.counted() == {(1, "M1"): 900, (2, "M1"): 800, (3, "M1"): 700, (4, "M1"): 600}


def test_what_was_typed_ahead_of_a_refusal_is_shown_and_not_used(desk):
    send = hold_first_slip(desk.page)
    with desk.page.expect_request("**/record/"):
        desk.slip(1, "M1", "1.5")
    desk.slip(2, "M1", 800)

    send()

    expect(desk.answer).to_contain_text("Typed too early and not used:")
    expect(desk.answer).to_contain_text("2 M1 800")
    expect(desk.score).to_be_focused()
    desk.expect_fields("1", "M1", "1.5")
    assert keyboard.counted() == {}


def test_a_slip_whose_answer_was_lost_is_sent_again_and_counts_once(desk):
    def lose(route):
        route.fetch()
        route.abort()

    desk.page.route("**/record/", lose, times=1)
    desk.slip(1, "M1", 500)
    expect(desk.answer).to_contain_text("Not saved: the server does not answer")
    desk.expect_fields("1", "M1", "500")
    expect(desk.score).to_be_focused()
    assert keyboard.counted() == {(1, "M1"): 500}

    desk.press("Enter")

    expect(desk.answer).to_contain_text("This slip had already been sent; it counts once.")
    desk.expect_fields("", "", "")
    assert keyboard.counted() == {(1, "M1"): 500}


def test_the_mouse_wheel_over_a_filled_score_leaves_it_as_it_is(desk):
    """[25]"""
    desk.type("1\nM1\n12345678")
    expect(desk.score).to_be_focused()

    desk.score.hover()
    desk.page.mouse.wheel(0, 300)
    desk.page.mouse.wheel(0, -600)
    desk.press("ArrowUp", "ArrowDown", "PageUp")

    desk.expect_fields("1", "M1", "12345678")
    desk.press("Enter")
    desk.expect_taken("12,345,678")


def test_an_undo_on_a_page_left_open_does_not_undo_what_another_desk_corrected(desk, browser_page, world):
    desk.slip(1, "M1", 500)
    desk.expect_taken("1 Player 1")
    other = keyboard.sit_down(browser_page, world, "doug")
    other.go(other.page.locator("#last").get_by_role("link", name="Change 1 Player 1"))
    other.write(other.page.get_by_label("Score", exact=True), "5,000")
    other.write(other.page.get_by_label("Reason").first, "a digit was missing\n")
    expect(other.page.locator(".score-now")).to_contain_text("5,000")

    desk.go(desk.undo)

    expect(desk.answer).to_contain_text("Not saved.")
    expect(desk.answer).to_contain_text("What you saw: 500. What it is now: 5,000.")
    assert keyboard.counted() == {(1, "M1"): 5_000}
    desk.think(6)
    expect(desk.page.locator("#last")).to_contain_text("corrected")


def test_a_slip_that_two_desks_type_is_one_score_and_the_second_is_told(desk, browser_page, world):
    other = keyboard.sit_down(browser_page, world, "doug")
    desk.slip(1, "M1", 500)
    desk.expect_taken("1 Player 1")

    other.slip(1, "M1", 500)

    expect(other.answer).to_contain_text("It is the same score: the slip has been entered already.")
    assert keyboard.counted() == {(1, "M1"): 500}


def test_a_machine_code_in_the_field_for_the_number_selects_nobody(desk):
    desk.type("M1\n")
    expect(desk.page.locator("#number-means")).to_contain_text("Nobody in The Open is called “M1”.")
    expect(desk.number).to_be_focused()

    desk.slip(1, "M1", 500)

    desk.expect_taken("1 Player 1")
    assert keyboard.counted() == {(1, "M1"): 500}


def test_a_machine_and_a_number_that_changed_places_are_refused_and_kept(desk):
    # Nobody looks: the slip is on its way before the page could say whom the number means.
    desk.page.route("**/lookup/**", lambda route: route.abort())
    desk.slip("M1", "1", 500)

    expect(desk.answer).to_contain_text("Not saved.")
    desk.expect_fields("M1", "1", "500")
    expect(desk.number).to_be_focused()
    assert keyboard.counted() == {}


def test_two_people_of_one_name_are_told_apart_before_the_slip_is_saved(desk, world):
    for number, country in ((5, "England"), (6, "Wales")):
        factories.entry(world.tournament, "Ann Archer", number=number, country=country)

    desk.type("ann archer\n")
    offers = desk.page.locator("#number-means .offers a")
    expect(offers).to_have_text(["5 Ann Archer (England)", "6 Ann Archer (Wales)"])
    expect(desk.number).to_be_focused()
    desk.press("ArrowDown", "ArrowDown", "Enter")

    desk.expect_fields("6", "", "")
    expect(desk.machine).to_be_focused()
    desk.type("M1\n500\n")
    desk.expect_taken("6 Ann Archer")
    assert keyboard.counted() == {(6, "M1"): 500}


def test_closing_too_early_is_refused_and_leads_to_what_is_out(desk, world):
    page = desk.page
    desk.type("1\nM1\n")
    desk.go(page.get_by_role("button", name="Start game"))
    expect(desk.answer).to_contain_text("1 Player 1 has started on Machine 1")
    desk.go(desk.link("Open and close"))
    desk.go(page.get_by_role("button", name="Close qualifying"))

    expect(page.get_by_role("alert")).to_contain_text("1 Player 1 on Machine 1")
    desk.go(page.locator(".outstanding").get_by_role("link", name="1 Player 1 on Machine 1"))
    desk.go(page.get_by_role("button", name="Enter the result"))
    desk.expect_ready()
    desk.expect_fields("1", "M1", "")
    expect(desk.score).to_be_focused()
    desk.type("500\n")
    desk.expect_taken("1 Player 1")
    desk.go(desk.link("Open and close"))
    desk.go(page.get_by_role("button", name="Close qualifying"))
    expect(page.get_by_role("alert")).to_contain_text("3 have not started, 1 is unfinished. Close anyway?")
    desk.go(page.get_by_role("button", name="Close qualifying anyway"))

    expect(page.get_by_role("heading", name="Qualifying is closed")).to_be_visible()
    desk.go(desk.link("Slips"))
    expect(page.locator("main")).to_contain_text("Qualifying is closed. No slip is taken any more.")
    expect(desk.number).to_have_count(0)
    assert keyboard.counted() == {(1, "M1"): 500}


def test_a_round_closed_at_another_desk_refuses_the_slip_and_keeps_it(desk, world):
    stages_service.close_stage(world.stage, actor=None)

    desk.slip(2, "M1", 400)

    expect(desk.answer).to_contain_text("Qualifying of The Open is closed")
    desk.expect_fields("2", "M1", "400")
    assert keyboard.counted() == {}


def test_a_slip_that_comes_after_the_closing_time_is_taken_and_marked_late(browser_page):
    now = timezone.now()
    world = factories.qualifying(players=2, stock=2, closes_at=now + timedelta(hours=1))
    desk = keyboard.sit_down(browser_page, world)
    scores_service.start(world.stage, actor=None, entry=world.entries[0], machine=world.machines[0])

    with time_machine.travel(now + timedelta(hours=2)):
        desk.think(6)
        expect(desk.page.locator("#phase")).to_contain_text("Closing since")
        desk.slip(1, "M1", 500)
        desk.expect_taken("1 Player 1", "late")

        desk.type("2\nM2\n")
        desk.go(desk.page.get_by_role("button", name="Start game"))
        expect(desk.answer).to_contain_text("no new game starts")

    assert keyboard.counted() == {(1, "M1"): 500}
