"""Teams in the administration: everything through the services, and for organisers alone."""

import pytest
from django.urls import reverse

from teams import selectors
from teams.models import Team, TeamMember
from teams.services import teams
from teams.services.teams import Person
from tests import factories
from tests.teams.evening import Evening
from tests.tournaments.admin.pages import Pages, errors, every_change_is_in_the_journal, text
from tests.tournaments.traces import watched
from tournaments.models import Entry, Player

pytestmark = pytest.mark.django_db


class TeamPages(Pages):
    def url(self, model, page, *args):
        app = "teams" if model.startswith("team") else "tournaments"
        return reverse(f"admin:{app}_{model}_{page}", args=args)


@pytest.fixture
def evening():
    return Evening(4)


@pytest.fixture
def pages(client, evening):
    client.force_login(factories.user("organiser", "olivia"))
    return TeamPages(client)


def who(team):
    return [f"{member.player}{'*' if member.captain else ''}" for member in selectors.line_up(team)]


NEW = "Eve One\nEve Two\n\n  Eve   Three "


@pytest.mark.parametrize("model", ["team", "teammember"])
def test_an_organiser_sees_list_row_and_history_and_deletes_nothing(pages, model):
    row = {"team": Team, "teammember": TeamMember}[model].objects.first()

    assert "1 Ants" in text(pages.get(model))
    assert pages.get(model, q="1").status_code == pages.get(model, q="ants").status_code == 200
    assert pages.get(model, "change", row.pk).status_code == 200
    assert pages.client.get(pages.url(model, "history", row.pk), follow=True).status_code == 200
    assert pages.client.post(pages.url(model, "delete", row.pk), {"post": "yes"}).status_code == 403
    page = pages.get(model, "change", row.pk).content.decode()
    assert "<style" not in page
    assert "onclick" not in page


@pytest.mark.parametrize("role", ["desk", "official", ""])
@pytest.mark.parametrize("model", ["team", "teammember"])
def test_other_roles_are_turned_away(client, evening, role, model):
    client.force_login(factories.user(role))

    for page in ("changelist", "add"):
        assert client.get(reverse(f"admin:teams_{model}_{page}"), follow=True).status_code == 403


def test_members_are_only_looked_at(pages):
    row = TeamMember.objects.first()

    assert pages.get("teammember", "add").status_code == 403
    assert pages.client.post(pages.url("teammember", "change", row.pk), {"position": 9}).status_code == 403


def test_a_team_is_entered_as_at_the_desk(pages, evening):
    with watched("a new team") as written:
        answer = pages.save(
            "team", "add", tournament=evening.tournament.pk, name="Elks", players=NEW, captain="2", wppr="7.5"
        )

    assert answer.status_code == 302, errors(answer)
    team = Team.objects.get(entry__title="Elks")
    assert who(team) == ["17 Eve One", "18 Eve Two*", "19 Eve Three"]
    assert (team.entry.number, str(team.wppr)) == (5, "7.50")
    assert {"team", "teammember", "entry"} <= written
    assert every_change_is_in_the_journal()


@pytest.mark.parametrize(
    ("typed", "field", "fault"),
    [
        ({"players": "1\nEve\nFay"}, "players", "1 Ants One is in 1 Ants; nobody plays for two teams."),
        ({"players": "Eve\nFay"}, "players", "Elks has 2 players; a team has 4, and 3 at least."),
        ({"players": "77\nEve\nFay"}, "players", "There is no number 77 in UK Pinball Party."),
        ({"captain": "9"}, "captain", "Say who of Elks is the captain."),
        ({"name": "Ants"}, "name", "Team Tournament has 1 Ants already; choose another name."),
        ({"number": "1"}, "number", "Number 1 belongs to Ants."),
    ],
)
def test_what_cannot_be_is_said_beside_its_field(pages, evening, typed, field, fault):
    form = {"tournament": evening.tournament.pk, "name": "Elks", "players": NEW, "captain": "1"} | typed

    refused = pages.save("team", "add", **form)

    assert errors(refused) == {field: [fault]}
    assert Team.objects.count() == 4


def test_a_name_that_the_show_knows_asks_first(pages, evening):
    known = factories.entry(factories.tournament(evening.show), "Eve One").player
    form = {"tournament": evening.tournament.pk, "name": "Elks", "players": NEW, "captain": "1"}

    assert "namesake_is_another" in errors(pages.save("team", "add", **form))
    assert pages.save("team", "add", **form, namesake_is_another="on").status_code == 302
    assert Player.objects.filter(name="Eve One").exclude(pk=known.pk).exists()


def test_a_team_and_its_people_are_corrected_with_a_line_each(pages, evening):
    team = evening.teams[1]

    with watched("a changed team", several=True):
        answer = pages.save("team", "change", team.pk, name="Great Ants", players="1\n2\n3\nZoe", captain="4")

    assert answer.status_code == 302, errors(answer)
    team = Team.objects.get(pk=team.pk)
    assert str(team) == "1 Great Ants"
    assert who(team) == ["1 Ants One", "2 Ants Two", "3 Ants Three", "17 Zoe*"]
    assert every_change_is_in_the_journal()


def test_once_a_team_has_begun_other_players_need_a_reason(pages, evening):
    evening.begin(machines=4)
    evening.play({1: 10, 2: 20})

    refused = pages.save("team", "change", evening.teams[1].pk, players="1\n2\n3\nZoe", name="Great Ants")
    assert "Say why" in errors(refused)["reason"][0]
    assert Entry.objects.get(number=1).title == "Ants"
    saved = pages.save("team", "change", evening.teams[1].pk, players="1\n2\n3\nZoe", reason="hurt")
    assert saved.status_code == 302


def test_a_form_that_is_too_old_saves_nothing(pages, evening):
    shown = pages.shown("team", "change", evening.teams[1].pk)
    teams.change_details(evening.teams[1], actor=None, name="Wasps", wppr=evening.teams[1].wppr)

    refused = pages.send("team", "change", evening.teams[1].pk, form=shown | {"name": "Bumblebees"})

    assert "Somebody changed this while you were looking" in errors(refused)[None][0]
    assert Entry.objects.get(number=1).title == "Wasps"


def test_the_name_of_somebody_who_is_only_in_a_team_is_corrected(pages, evening):
    player = Player.objects.get(name="Bees Two")
    before = evening.tournament.journal.count()

    assert pages.save("player", "change", player.pk, name="Beatrice Two").status_code == 302

    assert who(evening.teams[2])[1] == "6 Beatrice Two"
    assert evening.tournament.journal.count() == before + 1


def test_nobody_enters_a_team_tournament_alone(pages, evening):
    refused = pages.save("entry", "add", tournament=evening.tournament.pk, name="Solo")

    assert "Nobody enters Team Tournament alone" in errors(refused)[None][0]


def test_a_list_takes_the_same_number_of_queries_whatever_its_length(pages, evening, django_assert_max_num_queries):
    for number in range(5, 10):
        teams.register(
            evening.tournament, actor=None, name=f"T{number}", members=[Person(f"P{number}{word}") for word in "ABC"]
        )
    with django_assert_max_num_queries(14):
        pages.get("team")
