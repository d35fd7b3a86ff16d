"""A whole Open through the pages alone: an imported qualifying round goes all the way to its champion.

Thirteen play for ten seats in the second round and eight in the semi-finals. Unless the story says otherwise, the
lower number plays better. An organiser sits at the desk, an official has a tablet, and everybody else has a phone.
"""

import re

import pytest
from playwright.sync_api import expect

from tests import factories

pytestmark = pytest.mark.django_db(transaction=True)

DESK, PUBLIC = "/desk/party-2011/open/", "/t/party-2011/open/"
MACHINES = {
    "AFM": "Attack from Mars",
    "FT": "Fish Tales",
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
    "Meg Mason",
)
PEOPLE = {number: f"{number} {name}" for number, name in enumerate(NAMES, start=1)}
LEVEL = {10: (3, 2, 1), 11: (2, 1, 3), 12: (1, 3, 2)}
"""The three at the cut: each is once the best, once the second and once the last of them."""
LAST_FIRST = ("Plays fourth", "Plays third", "Plays second", "Plays first")
HELD_BACK = {
    "final": (44_444_444, 44_444_443, 44_444_442, 44_444_441),
    "play-off": (5_555_554, 5_555_553, 5_555_552, 5_555_551),
}
"""The scores of the games that are held back, the best first."""


def test_an_imported_qualifying_round_goes_to_its_champion_through_the_pages_alone(browser_page, tmp_path):
    organiser = signed_in(browser_page(1280), "organiser", "/organise/")
    official = signed_in(browser_page(1024, has_touch=True), "official", "/official/")
    phone = browser_page(390)
    phone.clock.install()

    # The files of a qualifying round that was played elsewhere, and its end.
    import_files(organiser, tmp_path)
    organiser.get_by_role("link", name="Desk").first.click()
    organiser.get_by_role("link", name="Qualifying: slips").click()
    close(organiser, "qualifying")

    # Three are level for the tenth seat. The play-off turns their numbers round: 12, 11, 10.
    go(organiser, "Cut")
    expect(organiser.get_by_text("Level across the cut for 1 place")).to_contain_text(
        "10 Joe Joiner, 11 Kim Keeler, 12 Lou Lister"
    )
    expect(organiser.get_by_role("button", name="Declare the cut")).to_have_count(0)
    for number, score in ((10, "7,000,000"), (11, "8,000,000"), (12, "9,000,000")):
        organiser.get_by_label(f"{PEOPLE[number]} score in the play-off").fill(score)
    organiser.get_by_role("button", name="Show what the play-off changes").click()
    press(organiser, "Record the play-off", told="The play-off is recorded.")
    press(organiser, re.compile("Declare the cut: 10 go on"), told="The cut is declared: 10 go on.")
    assert seats(organiser) == [1, 2, 3, 4, 5, 6, 7, 8, 9, 12]
    expect(organiser.get_by_role("row", name="Lou Lister")).to_contain_text("by play-off")

    # The draw: looked at by the organiser first, then by everybody.
    stage(organiser, "Second round")
    pick(organiser, *MACHINES)
    expect(organiser.get_by_role("heading", name="Preview: nothing is published yet")).to_be_visible()
    phone.goto(f"{PUBLIC}second-round/")
    expect(phone.locator(".match")).to_have_count(0)
    press(organiser, "Publish these matches", told="The matches of the second round are published.")
    phone.reload()
    expect(phone.locator(".match")).to_have_count(20)
    expect(phone.locator(".match", has_text="Cora Carter")).to_have_count(4)

    # Seed 3 leaves. The next in the original order is who came second in the play-off, not the lower number.
    go(organiser, "Seats")
    organiser.get_by_role("link", name="Cora Carter").click()
    press(organiser, "Withdraw", reason="has to catch a train", told="withdrawn")
    stage(organiser, "Second round")
    expect(organiser.get_by_text("3 Cora Carter, seed 3, is withdrawn.")).to_be_visible()
    organiser.get_by_role("link", name="Give the seat to the next in the order").click()
    expect(organiser.get_by_label("Leaves").locator("option:checked")).to_have_text(re.compile("3 Cora Carter"))
    expect(organiser.get_by_label("Comes in").locator("option:checked")).to_have_text(re.compile("11 Kim Keeler"))
    show = organiser.get_by_role("button", name="Show what that changes")
    organiser.locator("form").filter(has=show).get_by_label("Reason").fill("she left")
    show.click()
    expect(organiser.get_by_text("Nothing is saved yet.")).to_be_visible()
    press(organiser, "Give the seat", told="The seat has changed hands.")
    phone.reload()
    expect(phone.locator(".match", has_text="Cora Carter")).to_have_count(0)
    expect(phone.locator(".match", has_text="Kim Keeler")).to_have_count(4)

    # The second round: the official leads through two matches, the desk types the others from paper.
    open_stage(organiser, "second round")
    phone.goto(f"{PUBLIC}players/11/")
    expect(phone.locator(".next-card")).to_contain_text("Second round, game 1.")
    one, other, *_ = MACHINES.values()
    lead_through(official, one, by_number)
    lead_through(official, other, by_number)
    for game, to_finish in ((1, 3), (2, 5), (3, 5), (4, 5)):
        stage(organiser, "Second round")
        expect(organiser.get_by_role("heading", name=f"Game {game} open, {to_finish} to finish")).to_be_visible()
        for machine in list(MACHINES.values())[-to_finish:]:
            type_match(organiser, game, machine, by_number)
    close(organiser, "second round")
    go(organiser, "Cut")
    press(organiser, re.compile("Declare the cut: 8 go on"), told="The cut is declared: 8 go on.")
    seeds = seats(organiser)
    assert sorted(seeds) == [1, 2, 4, 5, 6, 7, 8, 9]

    # The semi-finals. On the way to the official's tablet the third seed's score loses a nought.
    odd, even = seeds[0::2], seeds[1::2]
    stage(organiser, "Semi-finals")
    pick(organiser, "MM", "TZ")
    press(organiser, "Publish these matches", told="The matches of the semi-finals are published.")
    open_stage(organiser, "semi-finals")
    lead_through(official, MACHINES["MM"], in_order(odd, 90_000_000, 8_000_000, 70_000_000, 60_000_000))
    lead_through(official, MACHINES["TZ"], in_order(even, 90_000_000, 80_000_000, 70_000_000, 60_000_000))
    assert goes_to(organiser, "Final") == {odd[0], odd[2], even[0], even[1]}
    assert goes_to(organiser, "Play-off for 5th to 8th") == {odd[1], odd[3], even[2], even[3]}
    for label, code in (("Final", "AFM"), ("Play-off for 5th to 8th", "FT")):
        stage(organiser, label)
        pick(organiser, code)
        press(organiser, "Publish these matches", told="are published.")

    # The player notices before the final begins: the correction moves two people, in the matches published too.
    wronged, lucky = odd[1], odd[2]
    stage(organiser, "Semi-finals")
    correct(organiser, MACHINES["MM"], wronged, "80,000,000", reason="a nought was missing")
    assert goes_to(organiser, "Final") == {odd[0], odd[1], even[0], even[1]}
    assert goes_to(organiser, "Play-off for 5th to 8th") == {odd[2], odd[3], even[2], even[3]}
    stage(organiser, "Final")
    expect(organiser.locator(".board-match")).to_contain_text(PEOPLE[wronged])
    expect(organiser.locator(".board-match")).not_to_contain_text(PEOPLE[lucky])
    stage(organiser, "Play-off for 5th to 8th")
    expect(organiser.locator(".board-match")).to_contain_text(PEOPLE[lucky])
    stage(organiser, "Semi-finals")
    close(organiser, "semi-finals")

    # What comes now is for the ceremony: the last games are played out of the public's sight.
    go(organiser, "Results")
    press(organiser, "Hold the last stages and the results back", told="are held back from the public.")
    open_last(organiser, "Play-off for 5th to 8th")
    open_last(organiser, "Final")
    fifth, *_ = play_off = [lucky, even[2], odd[3], even[3]]
    champion, second, *_ = final = [wronged, even[0], odd[0], even[1]]
    lead_through(official, MACHINES["FT"], in_order(play_off, *HELD_BACK["play-off"]))
    lead_through(official, MACHINES["AFM"], in_order(final, *HELD_BACK["final"]))
    for label in ("Play-off for 5th to 8th", "Final"):
        stage(organiser, label)
        close(organiser, label.lower())

    # Declared, and nothing of it is public: neither a page nor a score.
    go(organiser, "Results")
    expect(organiser.get_by_label(re.compile("Hold the results back"))).to_be_checked()
    press(organiser, "Declare the results", told="The results are declared.")
    expect(organiser.locator("tr.on-top").first).to_contain_text(NAMES[champion - 1])
    phone.goto(f"{PUBLIC}bracket/")
    expect(phone.locator(".champion")).not_to_contain_text(NAMES[champion - 1])
    phone.goto(f"{PUBLIC}results/")
    expect(phone.get_by_text("kept for the ceremony")).to_be_visible()
    expect(phone.locator(".results")).to_have_count(0)
    pages = every_public_page(phone)
    assert len(pages) > 20
    assert not told_by(pages)

    # The ceremony. Phones that are open follow by themselves.
    press(organiser, "Reveal the results", told="The results are public.")
    phone.clock.run_for(6_000)
    expect(phone.locator(".champion-line")).to_contain_text(f"Champion {NAMES[champion - 1]}")
    places = phone.locator(".results tbody tr")
    expect(places.nth(0)).to_contain_text(NAMES[champion - 1])
    expect(places.nth(1)).to_contain_text(NAMES[second - 1])
    expect(places.nth(4)).to_contain_text(NAMES[fifth - 1])
    expect(places).to_have_count(13)
    phone.get_by_role("link", name="Bracket").click()
    expect(phone.locator(".champion")).to_contain_text(NAMES[champion - 1])
    assert told_by(every_public_page(phone)) == {score for scores in HELD_BACK.values() for score in scores}

    # What the presenter reads from.
    organiser.get_by_role("link", name="Paper and files").click()
    organiser.get_by_role("link", name=re.compile("[Ww]inners")).click()
    expect(organiser.locator("main")).to_contain_text(NAMES[champion - 1])


# What players score


def by_number(number):
    """The lower number plays better."""
    return 1_000_000 * (40 - number)


def in_order(numbers, *scores):
    """These players with these scores."""
    return dict(zip(numbers, scores, strict=True)).__getitem__


# At the desk


def signed_in(page, role, address):
    factories.user(role, role)
    page.set_default_timeout(30_000)
    page.goto(address)
    page.fill("[name=username]", role)
    page.fill("[name=password]", "secret-of-the-hall")
    page.press("[name=password]", "Enter")
    page.wait_for_url(f"**{address}")
    return page


def import_files(page, folder):
    qualifying = {number: [14 - number] * 3 for number in PEOPLE} | LEVEL
    scores = [
        f"{number},{machine},{millions}000000"
        for number, row in qualifying.items()
        for machine, millions in zip(MACHINES, row, strict=False)
    ]
    files = {
        "tournament.toml": 'show = "Party 2011"\nshow_slug = "party-2011"\nname = "The Open"\nslug = "open"\n'
        'format = "open"\nstarts_on = 2011-07-23\n'
        "[qualifying]\ngames_allowed = 3\ngames_counted = 3\nqualifiers = 10\n",
        "machines.csv": lines("code,name", (f"{code},{name}" for code, name in MACHINES.items())),
        "entries.csv": lines("number,name", (f"{n},{name}" for n, name in enumerate(NAMES, start=1))),
        "scores.csv": lines("number,machine,score", scores),
    }
    for name, text in files.items():
        (folder / name).write_text(text)
    page.get_by_role("link", name="Set up from files").click()
    page.set_input_files("#files", [folder / name for name in files])
    page.get_by_role("button", name="Import").click()
    expect(page.get_by_role("status").filter(has_text="39 scores")).to_be_visible()


def lines(*rows):
    heading, more = rows
    return "\n".join((heading, *more, ""))


def go(page, name):
    """Follow a link in the head of the desk's pages."""
    page.get_by_role("navigation").get_by_role("link", name=name, exact=True).click()


def stage(page, label):
    """Go to a stage's page by the strip above each page of the tournament."""
    go(page, label)
    expect(page.locator("#phase")).to_contain_text(f"{label}. ")


def press(page, button, *, told, reason=""):
    """Press a button of the page, with the reason its form asks for, and read what the page says then."""
    pressed = page.get_by_role("button", name=button, exact=isinstance(button, str))
    if reason:
        page.locator("form").filter(has=pressed).get_by_label("Reason").fill(reason)
    pressed.click()
    expect(page.locator("#notice")).to_contain_text(told)


def open_stage(page, label):
    go(page, "Open and close")
    press(page, f"Open {label}", told="is open.")


def open_last(page, label):
    stage(page, label)
    open_stage(page, label.lower())


def close(page, label):
    go(page, "Open and close")
    press(page, f"Close {label}", told="is closed.")


def seats(page):
    """The numbers of those who go on, as the declared cut lists them."""
    return [int(text) for text in page.locator("tbody td:nth-child(2)").all_inner_texts()]


def pick(page, *codes):
    """Tick these machines and look at the matches they give."""
    for code in codes:
        page.get_by_role("checkbox", name=f"{MACHINES[code]} {code}").check()
    page.get_by_role("button", name="Show the matches").click()
    expect(page.locator(".draw-preview")).to_be_visible()


def goes_to(page, label):
    """The numbers of those whom the semi-finals send to a stage."""
    stage(page, "Semi-finals")
    go(page, "Ties")
    heading = page.get_by_role("heading", name=label, exact=True)
    listed = heading.locator("xpath=following-sibling::ol[1]/li")
    expect(listed).to_have_count(4)
    return {int(text.split()[0]) for text in listed.all_inner_texts()}


def correct(page, machine, number, score, *, reason):
    page.locator(".board-match").get_by_role("link", name=machine).click()
    page.locator(f"#player-{number}").get_by_role("link", name="Correct, void or rule on it").click()
    page.get_by_label("Score", exact=True).fill(score)
    press(page, "Save the correction", reason=reason, told="80,000,000")


# Matches


def type_match(page, game, machine, score_of):
    """At the desk: both scores of a match from its slip, which the players have signed."""
    stage(page, "Second round")
    match = page.get_by_role("region", name=re.compile(f"^Game {game} ")).locator(".board-match", has_text=machine)
    match.wait_for()
    numbers = [int(text.split()[0]) for text in match.locator(".board-name").all_inner_texts()]
    match.get_by_role("link", name=machine).click()
    type_scores(page, numbers, score_of)


def lead_through(page, machine, score_of):
    """On the tablet: from the call to scores that everybody has agreed to."""
    page.goto("/official/")
    match = page.locator(".official-match", has_text=machine)
    numbers = [int(text.split()[0]) for text in match.locator(".official-player").all_inner_texts()]
    match.tap()
    tap(page, "Call to the machine")
    # Each takes the last position that is left; of two players the other has then no choice.
    for position in ("Plays second",) if len(numbers) == 2 else LAST_FIRST:
        tap(page, position)
    tap(page, "Start the warm-up")
    expect(page.locator(".clock")).to_contain_text("warms up until")
    if len(numbers) == 2:
        tap(page, "Swap: the second player warms up")
    tap(page, "Start the game")
    type_scores(page, numbers, score_of)


def tap(page, button):
    page.get_by_role("button", name=button, exact=True).tap()


def type_scores(page, numbers, score_of, names=NAMES):
    """Each score is read back, and saved once its player has agreed; a doubtful one is asked about first."""
    for number in numbers:
        score = score_of(number)
        player = page.locator(f"#player-{number}")
        player.get_by_label("Score").fill(f"{score:,}")
        player.get_by_role("button", name="Read it back").click()
        agrees = page.get_by_role("button", name=f"{names[number - 1]} agrees: save")
        agrees.click()
        doubt, saved = page.locator("#check-why"), player.locator(".agreed")
        doubt.or_(saved).wait_for()
        if doubt.is_visible():
            agrees.click()
        saved.wait_for()
        assert f"{score:,}" in player.inner_text()
    expect(page.locator(".match-step")).to_contain_text("Done. Every score is agreed.")


# What everybody can read


def every_public_page(phone):
    """Every page of the tournament to which the public pages lead, as it is sent."""
    found, to_read = {}, ["/", PUBLIC]
    while to_read:
        address = to_read.pop()
        if address not in found:
            answer = phone.request.get(address)
            assert answer.ok, address
            found[address] = answer.text()
            links = re.findall(r'href="([^"#?]+)', found[address])
            to_read += [link for link in links if link.startswith(PUBLIC)]
    return list(found.values())


def told_by(pages):
    """The scores of the games that were held back, as far as these pages tell them."""
    return {score for scores in HELD_BACK.values() for score in scores if any(f"{score:,}" in text for text in pages)}
