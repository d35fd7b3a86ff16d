"""Members as everybody may read them, the final of the winners, the results, and the sheets."""

import random
import re
from datetime import date

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from teams.models import TeamMember
from teams.selectors import line_up
from teams.services import teams
from tests import factories
from tests.teams.evening import Evening
from tests.tournaments.public.reading import table, text
from tournaments import line_ups, selectors
from tournaments.models import Player
from tournaments.services import entries, game_rulings, matches, results, rulings, stages

pytestmark = pytest.mark.django_db

PATHS = ("groups/", "groups/rows/", "final/", "bracket/", "results/", "search/", "rules/")


def everything(visitor, many):
    """Every public page of a tournament of so many teams."""
    pages = [visitor.get(path) for path in (*PATHS, *(f"players/{number}/" for number in range(1, many + 1)))]
    assert {page.status_code for page in pages} == {200}
    return pages


def member(team, position=1):
    return TeamMember.objects.select_related("player").get(team=team, position=position).player


def become(player, **details):
    """Details of a person as a folder or the admin puts them in the register of people."""
    Player.objects.filter(pk=player.pk).update(**details)


def to_the_final(evening, *, begun=True):
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)
    matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(12), chance=random.Random(1))
    if begun:
        stages.open_stage(evening.final, actor=None)


def champions(evening, *, held_back=False):
    """Played to declared results: team 2 wins the final with 1,234,567."""
    to_the_final(evening)
    if held_back:
        results.hold_back(evening.tournament, actor=None)
    evening.play({1: 777_777, 2: 1_234_567, 3: 666_666, 4: 555_555})
    stages.close_stage(evening.final, actor=None)
    results.declare(evening.tournament, actor=None, held_back=held_back)


# --- members ---


@pytest.mark.parametrize("details", [{"contact": "Mrs Ashworth, 07700 900123"}, {"born_on": date(1994, 7, 25)}])
def test_a_child_in_a_team_is_a_first_name_and_an_initial_on_every_page(public, details):
    evening = Evening(4)
    child = member(evening.teams[1])
    become(child, name="Zoe Mary Ashworth", email="adult@example.org", **details)
    evening.begin(machines=4)
    match = evening.match(1, 2)
    matches.call(match, actor=None)
    matches.play(match, actor=None)
    game_rulings.play_again(match, actor=None, reason="Zoe Mary Ashworth was disturbed.")

    pages = everything(public(evening), 4)

    for page in pages:
        for hidden in ("Ashworth", "Mary", "07700", "adult@example.org", "1994"):
            assert hidden not in page.content.decode()
    assert "Zoe A. captain Ants Two" in text(public(evening).get("players/1/"))
    assert "Zoe A. was disturbed." in text(public(evening).get())
    assert "Nobody in Team Tournament is found by “Ashworth”" in text(public(evening).get("search/", q="Ashworth"))


def test_a_member_who_also_plays_where_only_children_do_is_one_here_too(public):
    evening = Evening(4)
    child = member(evening.teams[1])
    kids = factories.tournament(evening.show, format="kids")
    entries.register(kids, actor=None, name=child.name, player=child)

    assert "Ants O. captain" in text(public(evening).get("players/1/"))


def test_from_sixteen_on_a_member_has_the_whole_name(public):
    evening = Evening(4)
    become(member(evening.teams[1]), born_on=date(1994, 7, 24))

    assert "Ants One captain" in text(public(evening).get("players/1/"))


def test_a_team_is_found_by_number_by_its_name_and_by_a_member(public):
    visitor = public(Evening(4))

    assert visitor.get("search/", q="1")["Location"].endswith("/players/1/")
    for typed in ("bees", "Bees Three", "three bees"):
        assert visitor.get("search/", q=typed)["Location"].endswith("/players/2/"), typed
    listed = text(visitor.get("search/", q="three"))
    assert "4 teams are found by “three”." in listed
    assert "2 Bees Bees One (captain), Bees Two, Bees Three, Bees Four" in listed


def test_a_change_of_a_member_is_on_the_page_at_once(public):
    evening = Evening(4)
    visitor = public(evening)
    assert "Ants Four" in text(visitor.get("players/1/"))
    known = [teams.Person(m.player.name, m.player) for m in line_up(evening.teams[1])[:3]]
    members = [*known, teams.Person("New Nora")]
    teams.change_members(evening.teams[1], actor=None, members=members, captain=0, reason="Ill.")

    words = text(visitor.get("players/1/"))

    assert "New Nora" in words
    assert "Ants Four" not in words


def test_other_tournaments_are_not_asked_for_members():
    world = factories.qualifying(players=2)
    with CaptureQueriesContext(connection) as queries:
        assert line_ups.members(world.tournament) == []

    assert len(queries) == 0


def test_children_are_told_in_one_query():
    evening = Evening(8)
    players = list(Player.objects.filter(show=evening.show))
    assert len(players) == 32

    with CaptureQueriesContext(connection) as queries:
        assert selectors.children(players, evening.tournament.starts_on) == set()

    assert len(queries) == 1


# --- the final ---


def test_the_machine_of_the_final_is_shown_as_drawn_by_lot(public, evening):
    assert "Who plays here is decided in the groups." in text(public(evening).get("final/"))
    to_the_final(evening, begun=False)

    words = text(public(evening).get("final/"))

    assert "Final: not begun. 4 teams." in words
    assert "The machine was drawn by lot from 12 machines." in words
    assert [line[1].split(" No.")[0] for line in table(public(evening).get("final/"))] == [
        "Ants",
        "Bees",
        "Cats",
        "Dogs",
    ]


def test_a_tie_in_the_final_is_a_play_off_of_teams_and_then_everybody_has_a_place(public, evening):
    to_the_final(evening)
    evening.play({1: 50, 2: 50, 3: 30, 4: 20})
    tie = "1 Ants and 2 Bees are level for 1st place: a play-off game of 2 teams for 1st to 2nd place decides."
    assert tie in text(public(evening).get("final/"))

    scores = {evening.entry(1).pk: 111_222, evening.entry(2).pk: 333_444}
    rulings.record_play_off(evening.final, actor=None, scores=scores)

    page = public(evening).get("final/")
    assert [line[3] for line in table(page)] == ["2nd", "1st", "3rd", "4th"]
    assert "1st Bees No. 2 333,444 2nd Ants No. 1 111,222" in text(page)


def test_results_name_every_team_with_its_members(public, evening):
    champions(evening)

    page = public(evening).get("results/")

    lines = table(page, "results")
    assert lines[0] == ["1st", "Bees No. 2 Bees One (captain), Bees Two, Bees Three, Bees Four", "Final"]
    assert [line[0] for line in lines] == ["1st", "2nd", "3rd", "4th", "5th=", "5th=", "5th=", "5th="]
    assert "Champion Bees No. 2" in text(page)
    assert "Final place 1st Last stage Final" in text(public(evening).get("players/2/"))


def test_while_the_results_are_held_back_the_final_is_hidden_and_the_groups_stay_public(public, evening):
    champions(evening, held_back=True)
    visitor = public(evening)

    pages = everything(visitor, 8)

    for page in pages:
        for leak in ("777,777", "1,234,567", "666,666", "555,555", "Final place"):
            assert leak not in page.content.decode()
    for path in ("final/", "bracket/", "results/"):
        assert "The results are kept for the ceremony." in text(visitor.get(path))
    assert "1 Ants wins the group with 14 points." in text(visitor.get())
    assert "999,000" in text(visitor.get())


# --- paper ---


@pytest.fixture
def desk():
    client = Client()
    client.force_login(factories.user("desk"))
    return client


def paper(desk, evening, sheet, **data):
    page = desk.get(f"/desk/{evening.show.slug}/team/paper/{sheet}/", data)
    assert page.status_code == 200
    return page


def test_the_tables_of_the_groups_are_a_sheet(desk, evening):
    evening.play({1: 20, 6: 10})
    evening.play({1: 500})

    words = text(paper(desk, evening, "groups/table"))

    assert "Group A 1 Ants leads with 14 points, 1 game still out. Bonus machine: Machine 01 (M01)." in words
    assert "1st 1 Ants 1–0 5 500 9 14" in words
    assert f"Revision {evening.groups.tournament.revision}" in words


def test_a_match_has_one_slip_with_both_teams_and_a_code_for_each(desk, four):
    page = paper(desk, four, "groups/slips")

    assert page.content.decode().count("card slip") == 10
    assert page.content.decode().count('class="code"') == 6 * 2 + 4
    own = paper(desk, four, "groups/slips", number="2")
    assert own.content.decode().count("card slip") == 4
    assert text(own).count("bonus game") == 1


def test_no_slip_is_printed_for_a_match_that_somebody_has_won_without_a_game(desk, four):
    matches.absent(four.match(1, 2), actor=None, entry=four.entry(2).pk, reason="late")

    assert paper(desk, four, "groups/slips").content.decode().count("card slip") == 9


def test_call_sheets_and_cards_follow_the_turns_of_the_order_of_play(desk, four):
    calls, cards = text(paper(desk, four, "groups/calls")), text(paper(desk, four, "groups/players"))

    assert "Groups, turn 1" in calls
    assert "Machine 01 bonus game" in calls
    assert "in the order in which they choose" not in calls
    assert "Turn Machine Against" in cards
    assert "bonus game" in cards
    assert "you choose first" not in cards


def test_the_winners_sheet_has_the_members_to_read_out(desk, evening):
    become(member(evening.teams[2]), name="Zoe Ashworth", contact="Mrs Ashworth")
    champions(evening)

    page = paper(desk, evening, "winners")

    assert "1st Bees number 2 Zoe A. (captain), Bees Two, Bees Three, Bees Four" in text(page)
    assert "Ashworth" not in page.content.decode()
    assert "1st 2 Bees Final" in text(paper(desk, evening, "results"))


@pytest.mark.parametrize("file", ["results.csv", "ratings.csv", "results.xlsx"])
def test_files_of_results_are_made_for_teams_too(desk, evening, file):
    champions(evening)

    assert desk.get(f"/desk/{evening.show.slug}/team/paper/{file}").status_code == 200


@pytest.mark.parametrize(("leave", "word"), [(entries.withdraw, "Withdrawn"), (entries.disqualify, "Disqualified")])
def test_before_the_draw_a_team_that_has_left_is_marked_in_the_list_and_on_its_page(public, leave, word):
    evening = Evening(4)
    leave(evening.entry(2), actor=None, reason="ill")
    visitor, name = public(evening), evening.entry(2).name

    assert f"{name} No. 2 {word} " in text(visitor.get())
    assert text(visitor.get()).count(word) == 1
    page = text(visitor.get("players/2/"))
    assert f"{word} from Team Tournament." in page
    assert "Entered in" not in page
    assert "Entered in Team Tournament." in text(visitor.get("players/1/"))


def test_a_finalist_who_has_left_is_marked_in_the_final_and_in_the_bracket(public, evening):
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)
    entries.withdraw(evening.entry(1), actor=None, reason="has to catch a train")
    visitor, name = public(evening), evening.entry(1).name

    for path in ("final/", "bracket/"):
        page = text(visitor.get(path))
        assert re.search(rf"{name}( No\. 1( [a-z ]+ A)?)? Withdrawn", page), page
