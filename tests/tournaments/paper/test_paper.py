"""What is printed or taken away: the right names, machines and codes, and nothing that gives a child away."""

import csv
import io
import re

import pytest
from django.test import Client
from django.urls import reverse
from openpyxl import load_workbook

from tests import factories
from tests.tournaments.commands.test_rehearse import rehearse
from tests.tournaments.desk.conftest import signed_in
from tournaments import formats
from tournaments.models import Entry, FinalPlace, Match, Tournament
from tournaments.services import entries, game_rulings, machines, matches, results, rulings, stages

pytestmark = pytest.mark.django_db


@pytest.fixture
def finished():
    rehearse("--tournament", "kids", "--players", "10", "--until", "final")
    return Tournament.objects.select_related("show").get()


@pytest.fixture
def desk():
    return signed_in("desk", "dora")


def page(client, tournament, name, *parts, **query):
    return client.get(reverse(f"paper:{name}", args=[tournament.show.slug, tournament.slug, *parts]), query)


def words(answer):
    return " ".join(re.sub(r"<[^>]+>", " ", answer.content.decode()).split())


def rows(answer):
    assert answer["Content-Type"] == "text/csv"
    return list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"))))


SHEETS = [("home",), ("results",), ("winners",), ("results-csv",), ("results-xlsx",), ("ratings-csv",)]
SHEETS += [(name, "semi-finals") for name in ("table", "calls", "players", "slips")]


@pytest.mark.parametrize("sheet", SHEETS, ids=" ".join)
def test_paper_is_for_the_desk(sheet):
    tournament = factories.tournament(format="kids")

    assert page(Client(), tournament, *sheet).status_code == 302
    assert page(signed_in("official", "olly"), tournament, *sheet).status_code == 403


@pytest.mark.parametrize(
    "sheet",
    [("results",), ("winners",), *((name, key) for name in ("table", "slips") for key in ("qualifying", "final"))],
)
def test_every_sheet_says_its_revision_and_time_and_that_it_is_a_rehearsal(finished, desk, sheet):
    text = words(page(desk, finished, *sheet))

    assert f"Revision {finished.revision} ·" in text
    assert re.search(r"20\d\d, \d\d:\d\d", text)
    assert "Rehearsal" in text


@pytest.mark.parametrize("name", ["table", "calls", "players", "slips"])
def test_no_sheet_has_a_style_or_a_script_of_its_own(finished, desk, name):
    content = page(desk, finished, name, "semi-finals").content.decode()

    assert " style=" not in content
    assert "<style" not in content
    assert "<script" not in content


def test_a_stage_that_is_not_there_is_not_found(desk):
    tournament = factories.tournament(format="kids")

    assert page(desk, tournament, "table", "second-round").status_code == 404
    assert page(desk, factories.tournament(tournament.show, format="team"), "table", "semi-finals").status_code == 404


def test_without_matches_the_sheets_say_so(desk):
    tournament = factories.tournament(format="kids")

    for name in ("calls", "players", "table"):
        assert "No match is published yet." in words(page(desk, tournament, name, "final"))
    assert "There is nobody to print a slip for." in words(page(desk, tournament, "slips", "final"))
    assert "Nobody is ranked yet." in words(page(desk, tournament, "table", "qualifying"))


def test_the_sheet_of_games_says_how_a_tie_was_settled(desk):
    world = factories.seated()
    one, _ = factories.dealt(world, "semi-finals")
    factories.scored(one, 300, 200, 200, 100)
    here = factories.stage(world.tournament, "semi-finals")
    third, fifth = world.entries[2], world.entries[4]

    before = words(page(desk, world.tournament, "table", "semi-finals"))
    rulings.record_play_off(here, actor=None, scores={third.pk: 10, fifth.pk: 20})
    after = words(page(desk, world.tournament, "table", "semi-finals"))

    assert "by play-off" not in before
    assert "2nd 5 Player 5 by play-off 200 3rd 3 Player 3 by play-off 200" in after
    assert after.count("by play-off") == 2


def second_round():
    """A second round of 24 players, called "Player 1" in seed order, on 12 machines, published."""
    world = factories.qualifying(players=24, stock=12, rules={"games_allowed": 1, "games_counted": 1})
    factories.closed(world, [[1_000 - number] for number in range(24)])
    stages.declare_cut(world.stage, actor=None)
    here = factories.stage(world.tournament, "second-round")
    matches.deal(here, actor=None, machines=world.machines)
    return world.tournament


def test_the_sheet_of_games_has_the_score_that_counts_after_a_ruling(desk):
    world = factories.seated()
    semi = factories.dealt(world, "semi-finals")[0]
    score = factories.scored(semi, 12_345, 300, 200, 100)[0]
    game_rulings.rule_on_score(score, actor=None, kind="extra-ball-80", reason="seen", seen=score.revision)

    printed = words(page(desk, world.tournament, "table", "semi-finals"))

    assert "9,876" in printed
    assert "12,345" not in printed


def test_a_discarded_game_is_not_printed_as_still_to_come(desk):
    world = factories.seated()
    semi = factories.dealt(world, "semi-finals")[0]
    score = factories.scored(semi, 400, 300, 200, 100)[0]
    game_rulings.rule_on_score(score, actor=None, kind="discarded", reason="seen", seen=score.revision)

    printed = words(page(desk, world.tournament, "table", "semi-finals"))

    assert printed.count("still to come") == 4


def test_a_call_sheet_has_every_match_of_its_game_and_a_card_every_game_of_its_player(desk):
    tournament = second_round()

    sheets = page(desk, tournament, "calls", "second-round").content.decode().split('<section class="sheet">')[1:]
    assert len(sheets) == 4
    for number, sheet in enumerate(sheets, start=1):
        assert f"<h1>Second round, game {number}</h1>" in sheet
        drawn = re.findall(r"<strong>(\d+)</strong>", sheet)
        assert sorted(map(int, drawn)) == list(range(1, 25))
        for match in Match.objects.filter(round=number).select_related("machine"):
            assert match.machine.name in sheet

    cards = page(desk, tournament, "players", "second-round").content.decode().split('<article class="card">')[1:]
    assert len(cards) == 24
    for number, card in enumerate(cards, start=1):
        own = Match.objects.filter(sides__entry__number=number).select_related("machine")
        assert card.count("<tr>") == 1 + len(own) == 5
        for match in own:
            other = match.sides.exclude(entry__number=number).get()
            assert match.machine.name in card
            assert f"{other.entry.number} Player {other.entry.number}" in card


def test_after_a_redraw_paper_has_the_new_machines_and_no_empty_seat(desk):
    tournament = factories.redrawn().tournament
    live = Match.objects.exclude(state=Match.State.VOID)
    opponents = {
        (match.round, side.entry.number)
        for match in live.filter(sides__entry__number=7, round__gt=1)
        for side in match.sides.exclude(entry__number=7)
    }

    first, *others = page(desk, tournament, "calls", "second-round").content.decode().split('class="sheet"')[1:]
    assert "Machine 3<" in first
    for sheet in others:
        assert "Machine 3<" not in sheet
        assert "Machine 13<" in sheet
        assert "Player 7 (does not play)" in sheet

    cards = page(desk, tournament, "players", "second-round").content.decode().split('class="card"')[1:]
    by_number = {int(re.search(r'"number">(\d+)<', card)[1]): card for card in cards}
    assert by_number[7].count("<tr>") == 2
    for number, other in opponents:
        assert re.search(rf'<td class="figure">{number}</td><td>Machine \d+</td><td>nobody</td>', by_number[other])

    slips = page(desk, tournament, "slips", "second-round").content.decode()
    assert slips.count("<article") == 96 - 3


def test_a_slip_has_number_name_machine_and_a_code(desk):
    tournament = second_round()

    slips = page(desk, tournament, "slips", "second-round", number=7).content.decode().split("<article")[1:]

    assert len(slips) == 4
    for slip in slips:
        assert '<span class="number">7</span> Player 7' in slip
        assert re.search(r"<dt>Machine</dt><dd>Machine \d+</dd>", slip)
        assert slip.count('<svg viewBox="') == 1
    assert len(set(re.findall(r"<svg.*?</svg>", "".join(slips)))) == 1


def test_in_qualifying_there_is_a_slip_for_each_game_with_the_machine_left_open(desk):
    world = factories.qualifying(players=2)

    content = page(desk, world.tournament, "slips", "qualifying").content.decode()

    assert content.count("<article") == 12
    assert content.count('<dd class="to-fill"></dd>') == 24


def test_the_code_holds_the_address_of_the_players_own_page(desk, monkeypatch):
    held = []
    make = __import__("segno").make
    monkeypatch.setattr("segno.make", lambda text, **more: held.append(text) or make(text, **more))
    world = factories.qualifying(players=1)

    page(desk, world.tournament, "slips", "qualifying")

    assert held == ["http://testserver/t/party/open/players/1/"]


def test_paper_has_the_short_names_of_children(finished, desk):
    full = Entry.objects.select_related("player").first().player.name
    short = formats.public_name(full, finished.kind)
    assert short != full

    for sheet in (("results",), ("table", "qualifying"), ("slips", "qualifying")):
        text = words(page(desk, finished, *sheet))
        assert short in text
        assert full not in text


def test_the_winners_are_read_out_from_the_eighth_to_the_champion(finished, desk):
    places = re.findall(r'<span class="place">(\S+)</span>', page(desk, finished, "winners").content.decode())

    assert places == ["8th", "7th", "6th", "5th", "4th", "3rd", "2nd", "1st"]


def test_held_back_results_say_so_on_paper(finished, desk):
    results.hold_back(finished, actor=None)

    for name in ("results", "winners"):
        assert "Held back until the ceremony." in words(page(desk, finished, name))


def test_results_as_a_table_are_those_declared(finished, desk):
    answer = page(desk, finished, "results-csv")

    assert answer["Content-Disposition"] == 'attachment; filename="rehearsal-kids-results.csv"'
    places = FinalPlace.objects.select_related("entry__player")
    assert [(row["position"], row["number"], row["name"], row["why"]) for row in rows(answer)] == [
        (str(place.place), str(place.entry.number), place.entry.name, place.why) for place in places
    ]


def test_before_they_are_declared_there_is_nothing_to_take_away(desk):
    tournament = factories.tournament(format="kids")

    for name in ("results", "winners", "results-csv", "results-xlsx", "ratings-csv"):
        answer = page(desk, tournament, name)
        assert answer.status_code == 422
        assert "The results of The Kids are not declared yet." in words(answer)


def test_the_list_for_the_world_rankings_leaves_out_who_played_too_little_and_who_stands_apart(desk):
    world = factories.qualifying(players=12, stock=3, format="kids")
    scores = [[900 - number, 900 - number, 900 - number] for number in range(8)]
    scores += [[100, None, None], [50, 50, None], [50, 50, None]]
    factories.standings(world, scores)
    factories.play(world.stage, world.entries[11], world.machines[0], 7)
    entries.disqualify(world.entries[11], actor=None, reason="Conduct.")
    stages.close_stage(world.stage, actor=None)
    stages.declare_cut(world.stage, actor=None)
    for key, count in (("semi-finals", 2), ("play-off", 1), ("final", 1)):
        play(factories.stage(world.tournament, key), world.machines[:count])
    results.declare(world.tournament, actor=None)

    field = rows(page(desk, world.tournament, "ratings-csv"))

    assert [row["position"] for row in field] == ["1", "2", "3", "4", "5", "6", "7", "8", "9", "9"]
    assert [row["tied"] for row in field] == ["no"] * 8 + ["yes"] * 2
    assert {row["name"] for row in field[8:]} == {"Player 10", "Player 11"}
    assert list(field[0]) == ["position", "tied", "name", "country", "ifpa_number"]
    everybody = rows(page(desk, world.tournament, "results-csv"))
    assert [row["position"] for row in everybody[8:]] == ["9", "9", "11", ""]
    assert everybody[-1]["why"] == "disqualified"


def play(stage, used):
    for machine in used:
        machines.use(stage, actor=None, machine=machine)
    matches.deal(stage, actor=None, machines=used)
    stages.open_stage(stage, actor=None)
    for match in stage.matches.select_related("stage__tournament__show", "machine"):
        for side in match.sides.all():
            value = 1_000 - 10 * side.rank
            matches.record(match, actor=None, entry=side.entry_id, value=value, sure=value)
    stages.close_stage(stage, actor=None)


def test_the_spreadsheet_has_both_lists_and_takes_no_name_for_a_formula(finished, desk):
    champion = FinalPlace.objects.select_related("entry__player").get(place=1).entry
    entries.change_details(champion, actor=None, name="=1+1", country="NL", ifpa_number="0042")

    book = load_workbook(io.BytesIO(page(desk, finished, "results-xlsx").content))

    assert book.sheetnames == ["Results", "World rankings"]
    sheet = book["Results"]
    assert [cell.value for cell in sheet[1]] == ["Position", "Tied", "Number", "Name", "Country", "IFPA number", "Why"]
    assert [cell.value for cell in sheet[2]] == [1, "no", champion.number, "=1+1", "NL", "0042", "Final"]
    assert sheet["D2"].data_type == "s"
    assert sheet.max_row == 11
    assert book["World rankings"].max_row == 11


def test_everything_can_be_reached_from_one_page(finished, desk):
    content = page(desk, finished, "home").content.decode()

    for name in ("results", "winners", "results-csv", "results-xlsx", "ratings-csv"):
        assert reverse(f"paper:{name}", args=["rehearsal", "kids"]) in content
    for key in ("qualifying", "semi-finals", "play-off", "final"):
        assert reverse("paper:table", args=["rehearsal", "kids", key]) in content
    assert reverse("paper:calls", args=["rehearsal", "kids", "qualifying"]) not in content
