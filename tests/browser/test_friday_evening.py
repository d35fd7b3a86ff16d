"""A Friday evening of the Team Tournament, from registration to the cup, through the pages alone.

Seven teams play in two groups: 1, 4 and 5 in group A, 2, 3, 6 and 7 in group B. An organiser sits at the desk, an
official has a tablet, and the hall reads a phone.
"""

import re
from datetime import timedelta

import pytest
from playwright.sync_api import expect

from tests.browser.test_to_the_champion import close, go, lines, open_last, press, signed_in, stage, tap, type_scores
from tournaments.models import Match

pytestmark = pytest.mark.django_db(transaction=True)

PUBLIC = "/t/party-2011/team/"
MACHINES = {
    "AFM": "Attack from Mars",
    "FT": "Fish Tales",
    "MM": "Medieval Madness",
    "TAF": "The Addams Family",
    "TOM": "Theatre of Magic",
    "TZ": "Twilight Zone",
}
NAMES = ("Ants", "Bees", "Cats", "Dogs", "Elks", "Foxes", "Gnus")
TEAMS = {number: f"{number} {name}" for number, name in enumerate(NAMES, start=1)}
MATCHES = (
    # Group A in a circle: everybody wins one.
    {1: 5_000_000, 4: 4_000_000},
    {4: 5_000_000, 5: 4_000_000},
    {5: 5_000_000, 1: 4_000_000},
    # Group B: 3 wins everything, 2 beats the other two.
    {2: 4_000_000, 3: 5_000_000},
    {2: 5_000_000, 6: 4_000_000},
    {2: 5_000_000, 7: 4_000_000},
    {3: 5_000_000, 6: 4_000_000},
    {3: 5_000_000, 7: 4_000_000},
)
LATE = {6: 5_000_000, 7: 4_000_000}
BONUS = {1: 8_000_000, 4: 8_000_000, 5: 7_000_000, 2: 8_000_000, 6: 9_000_000, 7: 7_000_000, 3: 9_900_000}
"""1 and 4 are level; 3 loses this by a slam tilt."""
LONG_AGO = timedelta(minutes=6)
"""How much earlier the call is made to have been: the clock of five minutes has run out since."""


def test_a_friday_evening_goes_from_registration_to_the_cup(browser_page, tmp_path):
    desk = signed_in(browser_page(1280), "organiser", "/organise/")
    tablet = signed_in(browser_page(1024, has_touch=True), "official", "/official/")
    phone = browser_page(390)

    # Six teams come from a file, one registers at the desk, with three players.
    import_teams(desk, tmp_path)
    desk.get_by_role("link", name="Desk").first.click()
    desk.get_by_role("link", name="Groups: games").click()
    go(desk, "New team")
    register(desk, "Gnus", "5", ("Gail Gnu", "Gus Gnu", "Gwen Gnu"))
    go(desk, "Teams")
    expect(desk.locator("tbody tr")).to_have_count(7)
    expect(desk.locator("tr", has_text="Gnus")).to_contain_text("1 ball missing")
    for name in TEAMS.values():
        desk.get_by_role("button", name=f"Check in {name}").click()
    expect(desk.get_by_text("7 teams, 7 checked in.")).to_be_visible()

    # Groups by the WPPR points, an order of play on six machines, and play begins.
    go(desk, "Seeds and groups")
    press(desk, "Draw up these groups", told="drawn up")
    groups = desk.locator(".draw-games table")
    expect(groups).to_have_count(2)
    assert numbers(groups.nth(0)) == [1, 4, 5]
    assert numbers(groups.nth(1)) == [2, 3, 6, 7]
    go(desk, "Games")
    desk.get_by_label("Group A").select_option(label=MACHINES["AFM"])
    desk.get_by_label("Group B").select_option(label=MACHINES["FT"])
    for code in ("MM", "TAF", "TOM", "TZ"):
        desk.get_by_role("checkbox", name=f"{MACHINES[code]} {code}").check()
    desk.get_by_role("button", name="Show the matches").click()
    expect(desk.locator(".draw-figures")).to_contain_text("turns")
    press(desk, "Publish these matches", told="published")
    go(desk, "Open and close")
    press(desk, "Open groups", told="is open.")

    # The Gnus do not come when they are called; they were here all the time, and play.
    board(desk)
    machine = call(desk, LATE)
    Match.objects.filter(state="called").update(called_at=Match.objects.get(state="called").called_at - LONG_AGO)
    board(desk)
    desk.get_by_role("button", name="7 Gnus did not come", exact=True).click()
    expect(desk.locator(".board-undo")).to_contain_text(f"7 Gnus did not come to {machine}; 6 Foxes has won.")
    phone.goto(PUBLIC)
    expect(phone.locator("main")).to_contain_text("7 Gnus did not come: 5-0")
    desk.get_by_role("button", name="7 Gnus plays after all").click()
    expect(desk.locator(".board-undo")).to_have_count(0)
    tablet.goto("/official/")
    tablet.locator(".official-match", has_text=machine).tap()
    tap(tablet, "Start the game")
    type_scores(tablet, LATE, LATE.__getitem__, NAMES)

    # All matches and bonus games from their slips.
    for scores in (*MATCHES, *({number: value} for number, value in BONUS.items())):
        board(desk)
        find(desk, scores).click()
        type_scores(desk, scores, scores.__getitem__, NAMES)
    slam_tilt(desk, TEAMS[3])

    # Group A by the match between the two who are level on everything, group B by the bonus score.
    phone.goto(PUBLIC)
    expect(phone.locator("#group-A")).to_be_visible()
    phone.goto(f"{PUBLIC}players/1/")
    expect(phone.locator("main")).to_contain_text("Ahead of 4 Dogs by the match between them")
    phone.goto(f"{PUBLIC}players/2/")
    expect(phone.locator("main")).to_contain_text("Ahead of 3 Cats by the bonus score")
    board(desk)
    close(desk, "groups")

    # The final: the machine by lot, level scores, and a play-off for the cup.
    stage(desk, "Final")
    press(desk, "Draw the machine by lot", told="lot")
    open_last(desk, "Final")
    stage(desk, "Final")
    expect(desk.locator("main")).to_contain_text("1 Ants")
    desk.locator(".board-match a").first.click()
    type_scores(desk, (1, 2), {1: 6_000_000, 2: 6_000_000}.__getitem__, NAMES)
    go(desk, "Ties")
    expect(desk.locator("main")).to_contain_text("1 Ants and 2 Bees are level for 1st place")
    for number, score in ((1, "1,000,000"), (2, "2,000,000")):
        desk.get_by_label(re.compile(rf"^{TEAMS[number]}")).first.fill(score)
    desk.get_by_role("button", name="Show what the play-off changes").click()
    press(desk, re.compile("Record the play-off"), told="play-off")
    close(desk, "final")
    go(desk, "Results")
    press(desk, "Declare the results", told="The results are declared.")
    phone.goto(f"{PUBLIC}results/")
    expect(phone.locator(".champion-line")).to_contain_text("Bees")
    places = phone.locator(".results tbody tr")
    expect(places).to_have_count(7)
    expect(places.nth(1)).to_contain_text("Ants")


def import_teams(page, folder):
    four = ("One", "Two", "Three", "Four")
    rows = (
        f"{number},{name},,{1000 - 10 * number},{','.join(f'{name} {word}' for word in four)}"
        for number, name in enumerate(NAMES[:6], start=1)
    )
    files = {
        "tournament.toml": 'show = "Party 2011"\nshow_slug = "party-2011"\nname = "Teams"\nslug = "team"\n'
        'format = "team"\nstarts_on = 2011-07-22\n',
        "machines.csv": lines("code,name", (f"{code},{name}" for code, name in MACHINES.items())),
        "teams.csv": lines("number,name,captain,wppr,player_1,player_2,player_3,player_4", rows),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    page.get_by_role("link", name="Set up from files").click()
    page.set_input_files("#files", [folder / name for name in files])
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("status").filter(has_text="6 entries")).to_be_visible()


def register(page, name, wppr, people):
    page.get_by_label(re.compile("^Name")).fill(name)
    page.get_by_label(re.compile("^WPPR")).fill(wppr)
    for number, person in enumerate(people, start=1):
        page.get_by_label(f"Player {number}", exact=True).fill(person)
    press(page, "Enter the team", told=name)


def numbers(table):
    return [int(text.split()[0]) for text in table.locator("th[scope=row]").all_inner_texts()]


def board(page):
    stage(page, "Groups")
    go(page, "Games")


def find(page, scores):
    """The link to the match of exactly these teams on the board; a team alone plays on the machine of its group."""
    found = page.locator(".board-calls > li, .board-list > li")
    for number in scores:
        found = found.filter(has_text=TEAMS[number])
    alone = len(scores) == 1
    own = MACHINES["AFM" if set(scores) <= {1, 4, 5} else "FT"]
    # What waits tells for whom, so that the names of others may stand beside a team that plays alone.
    found = found.filter(has_text=own) if alone else found.filter(has_not_text=re.compile(f"^\\s*{own}"))
    return found.locator("a").first


def call(page, scores):
    """Call these teams from the page of their match; the machine to which they are called."""
    find(page, scores).click()
    machine = page.get_by_role("heading", level=1).inner_text()
    page.get_by_role("button", name="Call to the machine").click()
    expect(page.locator(".match-step")).to_contain_text("to be here by")
    return machine


def slam_tilt(page, team):
    """The score of the bonus game counts zero, after a look at what that changes."""
    page.locator("summary", has_text="Make a ruling on this match").click()
    page.get_by_label(re.compile("Slam tilt: score 0")).check()
    form = page.locator(".match-ruling form")
    form.get_by_label("Reason").fill("Shaken too hard.")
    form.get_by_role("button", name="Show what that changes").click()
    expect(page.locator("main")).to_contain_text(team)
    page.get_by_role("button", name="Rule so").click()
    expect(page.locator("#notice")).to_contain_text("Ruled: score set to zero")
