"""A number in a tournament of teams is that of a team, and no badge's: each search says which of them it has found."""

import pytest
from django.urls import reverse

from teams import selectors
from teams.services import teams
from tests import factories
from tests.teams.evening import Evening
from tests.tournaments.desk.conftest import signed_in
from tests.tournaments.desk.reading import text
from tournaments import live
from tournaments.services import people

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    monkeypatch.setattr(live, "REVISION_MEMO", 0.0)


@pytest.fixture
def evening():
    """Four teams, 1 to 4; their sixteen players have the badges 1 to 16."""
    return Evening(4)


@pytest.fixture
def journal(evening):
    desk = signed_in("desk", "dora")
    return lambda query="", **wanted: desk.get(reverse("desk:journal", args=["party"]) + query, wanted or None)


def told(answer):
    return [item.line.summary for item in answer.context["lines"]]


def test_a_number_that_a_person_and_a_team_have_is_the_badge_and_the_team_is_offered(evening, journal):
    factories.entry(factories.tournament(evening.show), "", player=selectors.line_up(evening.teams[1])[1].player)

    answer = journal(player="2")

    mine, teams_own = told(answer)
    assert mine == "2 Ants Two entered."
    assert teams_own.startswith("1 Ants entered")
    assert "Number 2: this is the person 2 Ants Two, by the number on the badge." in text(answer)
    (other,) = answer.context["others"]
    assert "Show 2 Bees in Team Tournament" in text(answer)
    assert told(journal(other[1]))[0].startswith("2 Bees entered")
    assert "Number 2: this is 2 Bees in Team Tournament." in text(journal(other[1]))


def test_in_the_tournament_of_teams_a_number_is_the_teams_and_the_badge_is_offered(evening, journal):
    answer = journal(player="2", tournament=evening.tournament.pk)

    assert told(answer)[0].startswith("2 Bees entered")
    assert "Show the person 2 Ants Two, by the number on the badge" in text(answer)


@pytest.mark.parametrize(
    ("number", "words"), [("16", "the person 16 Dogs Four"), ("30", "30 Elks in Team Tournament")]
)
def test_a_number_that_only_one_of_them_has_is_that_one(evening, journal, number, words):
    evening.register(5)
    entry = evening.entry(5)
    entry.number = 30
    entry.save()

    answer = journal(player=number)

    assert f"Number {number}: this is {words}" in text(answer)
    assert answer.context["others"] == []


def test_a_number_that_nobody_has_is_said_so(journal):
    assert "Nobody in UK Pinball Party has number 99." in text(journal(player="99"))


def test_a_part_of_a_name_finds_people_and_teams(evening, journal):
    assert told(journal(player="bees"))[0].startswith("2 Bees entered")
    assert [line[:14] for line in told(journal(player="ants one"))] == ["1 Ants entered"]


def test_the_history_of_a_team_is_its_own_from_every_table_of_the_desk(evening):
    evening.begin(machines=4)
    desk = signed_in("desk", "dora")
    address = f"{reverse('desk:journal', args=['party'])}?player=2&amp;tournament={evening.tournament.pk}"

    page = desk.get(reverse("desk:entry", args=["party", "team", "groups", 2])).content.decode()

    assert f'href="{address}"' in page
    assert told(desk.get(address.replace("&amp;", "&")))[0].startswith("2 Bees entered")


def find(client, number):
    return client.get("/t/party/team/search/", {"q": number})


def test_the_badge_of_a_player_finds_the_team_on_the_public_pages(evening, client):
    assert find(client, "16")["Location"].endswith("/players/4/")
    # 1 is the first team, and the badge of its first player.
    assert find(client, "1")["Location"].endswith("/players/1/")


def test_a_badge_that_is_also_the_number_of_another_team_shows_both(evening, client):
    words = text(find(client, "2"))

    assert "2 is the number of one team and stands on the badge of somebody who plays for another one" in words
    assert "1 Ants" in words
    assert "2 Bees" in words


def test_a_number_that_was_merged_finds_the_team_of_the_kept_one(evening, client):
    member = selectors.line_up(evening.teams[4])[3].player
    twin = factories.entry(factories.tournament(evening.show), "Dogs Four", number=40).player
    people.merge(member, twin, actor=None, reason="entered twice")

    assert find(client, "40")["Location"].endswith("/players/4/")
    assert "Nobody in Team Tournament is found by “77”" in text(find(client, "77"))


def test_the_journal_of_a_player_has_what_happened_to_the_team(evening, journal):
    team = evening.teams[1]
    teams.check_in(team, actor=None)
    badge = selectors.line_up(team)[1].player.number

    assert any("is here" in line for line in told(journal(player=badge, **{"as": "person"})))
