"""A machine dies with ten scores on it at half past two, and a disqualified leader comes back on appeal.

Twelve have played their three games, and eight go on. The desk tries all three ways of withdrawing the machine, takes
two of them back and keeps the third; an organiser disqualifies the leader and hears the appeal. Somebody in the hall
has the public table open all the time and never loads it again.
"""

import re
from datetime import datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from playwright.sync_api import expect

from tests import factories
from tournaments.services import machines as machines_service
from tournaments.services import stages as stages_service

pytestmark = pytest.mark.django_db(transaction=True)

PUBLIC, DESK = "/t/party/open/", "/desk/party/open/qualifying/"
MACHINES = {
    "AFM": "Attack from Mars",
    "MM": "Medieval Madness",
    "TAF": "The Addams Family",
    "TZ": "Twilight Zone",
}
NAMES = (
    "Ann Archer",
    "Ben Baker",
    "Cora Carter",
    "Dan Draper",
    "Eve Eaton",
    "Finn Fisher",
    "Gina Glover",
    "Hal Hooper",
    "Ivy Irwin",
    "Joe Joiner",
    "Kim Keeler",
    "Lou Lister",
)
PLAYED = {
    "AFM": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
    "MM": (7, 8, 11, 12),
    "TAF": (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12),
    "TZ": (1, 2, 3, 4, 5, 6, 9, 10, 11, 12),
}
"""Who has played what: ten the machine that dies, four the one that can stand in for it."""
WORTH = {"AFM": 100_000, "MM": 40_000, "TAF": 1_000_000, "TZ": 10_000_000}
AT_FIRST = {
    "Ann Archer": "1st, 300 points",
    "Ben Baker": "2nd, 297 points",
    "Cora Carter": "3rd, 294 points",
    "Dan Draper": "4th, 291 points",
    "Eve Eaton": "5th=, 288 points",
    "Gina Glover": "5th=, 288 points",
    "Finn Fisher": "7th=, 285 points",
    "Hal Hooper": "7th=, 285 points",
    "Kim Keeler": "9th, 280 points",
    "Ivy Irwin": "10th, 278 points",
    "Lou Lister": "11th, 277 points",
    "Joe Joiner": "12th, 275 points",
}
CANCELLED = {
    "Kim Keeler": "1st, 280 points",
    "Lou Lister": "2nd, 277 points",
    "Ann Archer": "3rd, 200 points",
    "Ben Baker": "4th, 198 points",
    "Cora Carter": "5th, 196 points",
    "Dan Draper": "6th=, 194 points",
    "Gina Glover": "6th=, 194 points",
    "Eve Eaton": "8th=, 192 points",
    "Hal Hooper": "8th=, 192 points",
    "Finn Fisher": "10th, 190 points",
    "Ivy Irwin": "11th, 186 points",
    "Joe Joiner": "12th, 184 points",
}
RESCALED = {
    "Ann Archer": "1st, 300 points",
    "Ben Baker": "2nd, 297 points",
    "Cora Carter": "3rd, 293 points",
    "Dan Draper": "4th, 289 points",
    "Eve Eaton": "5th, 286 points",
    "Finn Fisher": "6th, 283 points",
    "Ivy Irwin": "7th, 276 points",
    "Kim Keeler": "8th, 274 points",
    "Joe Joiner": "9th, 273 points",
    "Lou Lister": "10th, 271 points",
    "Gina Glover": "11th, 192 points",
    "Hal Hooper": "12th, 189 points",
}
WITHOUT_ANN = {
    "Ben Baker": "1st, 300 points",
    "Cora Carter": "2nd, 296 points",
    "Dan Draper": "3rd, 292 points",
    "Eve Eaton": "4th, 289 points",
    "Finn Fisher": "5th, 286 points",
    "Ivy Irwin": "6th, 279 points",
    "Kim Keeler": "7th, 277 points",
    "Joe Joiner": "8th, 276 points",
    "Lou Lister": "9th, 274 points",
    "Gina Glover": "10th, 194 points",
    "Hal Hooper": "11th, 191 points",
}
"""Tables, best first: how the public sees them, and previews tell them."""
WITHDRAWN = "Attack from Mars (AFM) is withdrawn from qualifying"
TAKEN_BACK = "Machine withdrawn in Qualifying, Attack from Mars (AFM), was taken back."
JOURNAL = [
    [f"{WITHDRAWN}: its scores leave the ranking and the games are given back.", "Reason: the board burnt out"],
    [TAKEN_BACK, "Reason: too much for those who played it"],
    [f"{WITHDRAWN}: its scores stand and no new games start.", "Reason: no substitute was found"],
    [TAKEN_BACK, "Reason: Medieval Madness can stand in"],
    [
        f"{WITHDRAWN}: its scores are rescaled, times 0.3536 on Medieval Madness.",
        "Reason: the board burnt out; they play alike",
    ],
    ["1 Ann Archer was disqualified.", "Reason: shook the machine after a warning"],
    ["1 Ann Archer is entered again.", "Reason: the appeal was upheld: the floor was uneven"],
]
"""What was ruled, the first first."""


@pytest.fixture
def half_past_two():
    """It is half past two in the hall; the day is the next one, so that the browser's cookies live."""
    hall = ZoneInfo("Europe/London")
    tomorrow = datetime.now(hall).date() + timedelta(days=1)
    with time_machine.travel(datetime.combine(tomorrow, time(14, 30), hall)):
        yield


@pytest.fixture
def world():
    """The open qualifying round, in which the lower number has played better on every machine."""
    rules = {"games_allowed": 3, "games_counted": 3, "qualifiers": 8}
    stage = factories.stage(factories.tournament(name="The Open", rules=rules))
    show = stage.tournament.show
    machines = {code: factories.machine(show, code, name) for code, name in MACHINES.items()}
    for machine in machines.values():
        machines_service.use(stage, actor=None, machine=machine)
    entries = [factories.entry(stage.tournament, name) for name in NAMES]
    stages_service.open_stage(stage, actor=None)
    for code, numbers in PLAYED.items():
        for number in numbers:
            factories.play(stage, entries[number - 1], machines[code], WORTH[code] * (40 - number))
    return stage


@pytest.mark.usefixtures("half_past_two", "world")
def test_a_machine_dies_and_a_disqualified_leader_comes_back(browser_page):
    desk = signed_in(browser_page(1024, has_touch=True), "desk", "dora")
    organiser = signed_in(browser_page(1024), "organiser", "olivia")
    phone = browser_page(390)
    phone.clock.install()
    phone.goto(f"{PUBLIC}qualifying/")
    expect_table(phone, AT_FIRST)

    # The machine dies. One tap stops new games on it, and keeps every score.
    desk.goto("/desk/")
    desk.get_by_role("link", name="Machines").first.click()
    desk.get_by_role("button", name=re.compile("Out of order ?: Attack from Mars")).tap()
    told(desk, "Attack from Mars (AFM) is out of order: no game starts on it.")
    dead = desk.locator("#machine-AFM")
    expect(dead).to_contain_text("since 14:3")
    expect(dead).to_contain_text("reported by dora")
    by_itself(phone)
    expect(leader_on(phone, "Attack from Mars")).to_contain_text("out of order")
    expect_table(phone, AT_FIRST)

    # Cancelled, the ten who played it have a game less than the two who did not.
    withdraw(desk, "Cancel", reason="the board burnt out")
    cancelling = "10 scores leave the ranking, 10 games given back"
    expect(heading(desk)).to_have_text(f"Cancel Attack from Mars in qualifying: {cancelling}")
    assert changes(desk, "machines") == [("Attack from Mars (AFM)", "open", "cancelled")]
    assert changes(desk, "table") == moves(AT_FIRST, CANCELLED)
    assert len(changes(desk, "games given back")) == 10
    assert across_the_cut(desk) == [
        "5 Eve Eaton: goes on → level at the cut",
        "6 Finn Fisher: goes on → does not go on",
        "8 Hal Hooper: goes on → level at the cut",
        "11 Kim Keeler: does not go on → goes on",
        "12 Lou Lister: does not go on → goes on",
    ]
    by_itself(phone)
    expect_table(phone, AT_FIRST)
    press(desk, f"Cancel: {cancelling}", says=f"Attack from Mars (AFM) is withdrawn from qualifying: {cancelling}.")
    by_itself(phone)
    expect_table(phone, CANCELLED)

    # That is too much; it is taken back, and everything is as it was.
    take_back(desk, reason="too much for those who played it")
    assert changes(desk, "table") == moves(CANCELLED, AT_FIRST)
    assert "12 Lou Lister: goes on → does not go on" in across_the_cut(desk)
    press(desk, "Take it back", says="The ruling was taken back; what it had changed is as it was before.")
    by_itself(phone)
    expect_table(phone, AT_FIRST)

    # Left to stand, nobody moves; the two who have not played it never can.
    withdraw(desk, "Let stand", reason="no substitute was found")
    expect(heading(desk)).to_have_text(
        "Close Attack from Mars in qualifying: 10 scores stay ranked, no new game starts"
    )
    assert changes(desk, "machines") == [("Attack from Mars (AFM)", "open", "closed, scores stand")]
    assert across_the_cut(desk) == []
    expect(desk.locator(".effects")).to_have_count(1)
    press(desk, "Close: 10 scores stay ranked, no new game starts", says="is withdrawn from qualifying")
    by_itself(phone)
    expect(leader_on(phone, "Attack from Mars")).to_contain_text("closed")
    expect_table(phone, AT_FIRST)
    take_back(desk, reason="Medieval Madness can stand in")
    assert changes(desk, "machines") == [("Attack from Mars (AFM)", "closed, scores stand", "open")]
    press(desk, "Take it back", says="The ruling was taken back; what it had changed is as it was before.")
    by_itself(phone)
    expect(leader_on(phone, "Attack from Mars")).to_contain_text("out of order")
    expect_table(phone, AT_FIRST)

    # Rescaled by the two medians; who has played both machines has a game back.
    choose_way(desk, "Rescale")
    expect(desk.get_by_role("row", name="Medieval Madness")).to_contain_text("1,220,000 of 4 scores")
    expect(desk.get_by_role("row", name="Attack from Mars itself")).to_contain_text("3,450,000 of 10 scores")
    desk.get_by_role("link", name="Medieval Madness").click()
    desk.get_by_label("Reason").fill("the board burnt out; they play alike")
    desk.get_by_role("button", name="Take 0.3536: show what changes").click()
    rescaling = "8 scores are ranked on Medieval Madness, times 0.3536; 2 games given back"
    expect(heading(desk)).to_have_text(f"Rescale Attack from Mars in qualifying: {rescaling}")
    assert changes(desk, "table") == moves(AT_FIRST, RESCALED)
    assert [who for who, *_ in changes(desk, "games given back")] == ["7 Gina Glover", "8 Hal Hooper"]
    assert across_the_cut(desk) == [
        "7 Gina Glover: goes on → does not go on",
        "8 Hal Hooper: goes on → does not go on",
        "9 Ivy Irwin: does not go on → goes on",
        "11 Kim Keeler: does not go on → goes on",
    ]
    press(desk, f"Rescale: {rescaling}", says=f"Attack from Mars (AFM) is withdrawn from qualifying: {rescaling}.")
    by_itself(phone)
    expect_table(phone, RESCALED)

    # Whoever looks for a score finds it, with the original and the reason beside it.
    reader = browser_page(390)
    reader.goto(f"{PUBLIC}machines/AFM/")
    expect(reader.locator("main")).to_contain_text(
        "Withdrawn: its scores times 0.3536 are ranked on Medieval Madness."
        " Reason: the board burnt out; they play alike"
    )
    assert cells(reader, "machine-history")[0] == ["Ann Archer No. 1", "3,900,000", "ranked there"]
    assert cells(reader, "machine-history")[6] == ["Gina Glover No. 7", "3,300,000", "game given back"]
    reader.goto(f"{PUBLIC}machines/MM/")
    carried = "3,900,000 on Attack from Mars, times 0.3536 (the board burnt out; they play alike)"
    assert cells(reader, "machine-ranking")[0] == ["1st", f"Ann Archer No. 1 {carried}", "1,379,040", "100"]
    assert len(cells(reader, "machine-ranking")) == 12
    reader.goto(f"{PUBLIC}players/1/")
    expect(reader.locator(".standing-card")).to_contain_text("300")
    expect(reader.get_by_role("row", name="Medieval Madness")).to_contain_text("1,379,040")
    expect(reader.locator(".ruling-row")).to_have_text(carried)
    reader.goto(f"{PUBLIC}players/7/")
    expect(reader.get_by_role("row", name="Attack from Mars")).to_contain_text("game given back")
    expect(reader.locator(".ruling-row")).to_have_text(
        "Ruling: machine withdrawn. the board burnt out; they play alike"
    )

    # The leader is disqualified: everybody moves up, and somebody comes inside.
    organiser.goto(f"{DESK}entries/1/")
    rule_on_entry(organiser, "Disqualify", reason="shook the machine after a warning")
    assert changes(organiser, "players") == [("1 Ann Archer", "entered", "disqualified")]
    assert changes(organiser, "table") == moves(RESCALED, WITHOUT_ANN)
    assert across_the_cut(organiser) == [
        "1 Ann Archer: goes on → does not go on",
        "10 Joe Joiner: does not go on → goes on",
    ]
    press(organiser, "Disqualify", says="1 Ann Archer is disqualified from the tournament.")
    by_itself(phone)
    expect_table(phone, WITHOUT_ANN)
    expect(phone.locator(".stage-table .unranked")).to_contain_text("Ann Archer No. 1 disqualified")
    reader.goto(f"{PUBLIC}players/1/")
    expect(reader.locator(".standing-card")).to_contain_text("Disqualified")
    expect(reader.locator(".why")).to_contain_text(
        "Ruling: disqualified from the tournament. shook the machine after a warning"
    )
    reader.goto(f"{PUBLIC}machines/MM/")
    assert cells(reader, "machine-ranking")[0][1].startswith("Ben Baker")

    # The appeal is heard.
    rule_on_entry(organiser, "Reinstate", reason="the appeal was upheld: the floor was uneven")
    assert changes(organiser, "table") == moves(WITHOUT_ANN, RESCALED)
    assert across_the_cut(organiser) == [
        "1 Ann Archer: does not go on → goes on",
        "10 Joe Joiner: goes on → does not go on",
    ]
    press(organiser, "Reinstate", says="1 Ann Archer is back in, exactly as before.")
    by_itself(phone)
    expect_table(phone, RESCALED)
    expect(phone.locator(".stage-table .unranked")).to_have_count(0)
    reader.goto(f"{PUBLIC}players/1/")
    expect(reader.locator(".standing-card")).to_contain_text("1st")
    expect(reader.locator(".why")).not_to_contain_text("disqualified")
    reader.goto(f"{PUBLIC}machines/MM/")
    assert cells(reader, "machine-ranking")[0] == ["1st", f"Ann Archer No. 1 {carried}", "1,379,040", "100"]

    # The journal has all of it in order, and the last word in it is what the tables say.
    organiser.get_by_role("navigation").get_by_role("link", name="Journal").click()
    expect(organiser.locator(".journal-what")).to_contain_text(["Attack from Mars (AFM) is out of order."])
    organiser.get_by_text("Look for").click()
    organiser.get_by_label("Kind").select_option("Rulings")
    organiser.get_by_role("button", name="Show", exact=True).click()
    expect(organiser.get_by_text("7 lines as asked.")).to_be_visible()
    lines = organiser.locator(".journal-line").all()[::-1]
    assert [line.locator(".journal-when span").inner_text() for line in lines] == ["dora"] * 5 + ["olivia"] * 2
    assert [texts(line.locator(".journal-what > p:not(.journal-links)")) for line in lines] == JOURNAL
    organiser.get_by_role("link", name="1 Ann Archer").first.click()
    expect(organiser.get_by_text("entered 3 of 3 games, 1st, 300 points.")).to_be_visible()
    expect(organiser.get_by_role("heading", name="Rulings in force")).to_have_count(0)
    expect_table(phone, RESCALED)


# At the desk


def signed_in(page, role, name):
    factories.user(role, name)
    page.set_default_timeout(12_000)
    page.goto("/desk/")
    page.fill("[name=username]", name)
    page.fill("[name=password]", "secret-of-the-hall")
    page.press("[name=password]", "Enter")
    page.wait_for_url("**/desk/")
    return page


def heading(page):
    return page.get_by_role("heading", level=1)


def told(page, words):
    expect(page.locator("#notice")).to_contain_text(words)


def press(page, button, *, says):
    page.get_by_role("button", name=button, exact=True).click()
    told(page, says)


def choose_way(page, way):
    """From the list of machines or the machine's page to the form of one of the three ways."""
    page.get_by_role("navigation").get_by_role("link", name="Machines").click()
    page.get_by_role("link", name="Attack from Mars").click()
    page.get_by_role("button", name="Withdraw it").click()
    page.get_by_role("link", name=way).click()


def withdraw(page, way, *, reason):
    """To the preview of a way that asks for no substitute."""
    choose_way(page, way)
    page.get_by_label("Reason").fill(reason)
    page.get_by_role("button", name="Show what changes").click()


def take_back(page, *, reason):
    """From the machine's page to the preview of taking the ruling back."""
    page.get_by_role("button", name="The ruling, and take it back").click()
    page.get_by_role("button", name="Take it back").click()
    page.get_by_label("Reason").fill(reason)
    page.get_by_role("button", name="Show what that changes").click()
    expect(heading(page)).to_have_text("Take back: machine withdrawn")
    expect(page.get_by_text("Nothing is saved yet.")).to_be_visible()


def rule_on_entry(page, act, *, reason):
    """From an entry's page to the preview."""
    button = page.get_by_role("button", name=act, exact=True)
    page.locator("form").filter(has=button).get_by_label("Reason").fill(reason)
    button.click()
    expect(page.get_by_text("Nothing is saved yet.")).to_be_visible()


# Previews


def changes(page, what):
    """(who or what, now, then) of a section of the preview."""
    section = page.locator(".effects").filter(has=page.get_by_role("heading", name=re.compile(f"(^|: ){what}$")))
    return [tuple(texts(row.locator("th, td"))) for row in section.locator("tbody tr").all()]


def across_the_cut(page):
    return texts(page.locator(".decide").filter(has_text="Across the cut").locator("li"))


def moves(before, after):
    """Who has another place or other points in the second table, in its order; who is not in it is not ranked."""
    after = after | {name: "not ranked" for name in before if name not in after}
    numbers = {name: f"{number} {name}" for number, name in enumerate(NAMES, start=1)}
    return [
        (numbers[name], before.get(name, "not ranked"), place)
        for name, place in after.items()
        if before.get(name) != place
    ]


# In the hall


def by_itself(phone):
    """Time passes for the page that is open; nobody touches it."""
    phone.clock.run_for(6_000)


def expect_table(phone, table):
    """The places and points that the public page shows come to be these, in this order."""
    rows = phone.locator(".standings tbody:not(.cut) tr")
    expect(rows.locator("th a")).to_have_text(list(table), timeout=30_000)
    places, points = texts(rows.locator(".place")), texts(rows.locator(".points"))
    assert [f"{place}, {line.split()[0]} points" for place, line in zip(places, points, strict=True)] == [
        *table.values()
    ]


def leader_on(phone, machine):
    return phone.locator(".leaders").get_by_role("row", name=machine)


def cells(page, table):
    """The cells of a table, row by row."""
    return [texts(row.locator("th, td")) for row in page.locator(f".{table} tbody tr").all()]


def texts(found):
    """What is read in each of these places, in single spaces."""
    return [" ".join(text.split()) for text in found.all_inner_texts()]
