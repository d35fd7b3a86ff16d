"""Players of a team that has withdrawn join another one, and the team wants to come back."""

import pytest

from teams import selectors
from teams.models import Team, TeamMember
from teams.services import teams
from teams.services.teams import Person
from tests.teams.evening import Evening
from tournaments.domain.refusals import Refusal
from tournaments.models import Journal, Player, Ruling, Show, Tournament
from tournaments.services import entries, exchange, game_rulings, matches, rulings

pytestmark = pytest.mark.django_db


@pytest.fixture
def evening():
    return Evening(5)


def people(evening, number):
    return [member.player for member in selectors.line_up(evening.teams[number])]


def join(evening, number, *players):
    """These persons play for the team in place of its last ones."""
    stay = people(evening, number)[: 4 - len(players)]
    members = [Person(player.name, player) for player in (*stay, *players)]
    teams.change_members(evening.teams[number], actor=None, members=members, reason="helps out")


def withdraw(evening, number):
    entries.withdraw(evening.entry(number), actor=None, reason="car broke down")


def back(evening, number):
    entries.reinstate(evening.entry(number), actor=None, reason="they made it")


def test_who_was_in_a_team_that_withdrew_unplayed_joins_another_and_the_journal_says_so(evening):
    helper = people(evening, 5)[1]
    with pytest.raises(Refusal, match=f"{helper} is in 5 Elks; nobody plays for two teams"):
        join(evening, 4, helper)
    withdraw(evening, 5)

    join(evening, 4, helper)

    assert helper in people(evening, 4)
    assert helper not in people(evening, 5)
    line = Journal.objects.latest("revision")
    assert f"{helper} comes from 5 Elks, which withdrew without having played." in line.summary


def test_a_new_team_is_made_of_the_players_of_one_that_withdrew(evening):
    evening.begin(machines=8)
    withdraw(evening, 5)
    new = teams.replace(
        evening.teams[5],
        actor=None,
        reason="the same people under another name",
        name="New Elks",
        members=[Person(player.name, player) for player in people(evening, 5)],
    )
    assert [member.player.name for member in selectors.line_up(new)] == [
        f"Elks {word}" for word in ("One", "Two", "Three", "Four")
    ]
    with pytest.raises(Refusal, match="5 Elks cannot come back: 17 Elks One plays for 6 New Elks and 18 Elks Two"):
        back(evening, 5)


@pytest.mark.parametrize("played", ["score", "started"])
def test_who_has_played_joins_nobody_although_the_team_withdrew(evening, played):
    evening.begin(machines=8)
    if played == "score":
        evening.play({5: 100})
    else:
        matches.call(evening.match(5), actor=None)
        matches.play(evening.match(5), actor=None)
    withdraw(evening, 5)
    helper = people(evening, 5)[0]
    with pytest.raises(Refusal, match="Elks One is in 5 Elks; nobody plays for two teams"):
        join(evening, 4, helper)


def test_a_team_that_never_came_to_its_match_has_not_played(evening):
    evening.begin(machines=8)
    withdraw(evening, 5)
    for match in evening.groups.matches.filter(sides__entry=evening.entry(5)):
        matches.absent(match, actor=None, entry=evening.entry(5).pk, reason="not here")
    join(evening, 4, people(evening, 5)[0])
    assert people(evening, 4)[-1].name == "Elks One"


def test_who_left_a_team_after_it_had_begun_still_joins_nobody(evening):
    evening.begin(machines=8)
    evening.play({5: 100})
    gone = people(evening, 5)[3]
    teams.change_members(
        evening.teams[5], actor=None, members=[Person(p.name, p) for p in people(evening, 5)[:3]], reason="ill"
    )
    withdraw(evening, 5)
    with pytest.raises(Refusal, match=f"{gone} has played for 5 Elks"):
        join(evening, 4, gone)


def test_a_team_comes_back_with_who_is_left_or_after_others_were_named(evening):
    withdraw(evening, 5)
    one, two, three, four = people(evening, 5)
    join(evening, 4, four)
    back(evening, 5)
    assert people(evening, 5) == [one, two, three]

    withdraw(evening, 5)
    join(evening, 3, one)
    with pytest.raises(Refusal) as refused:
        back(evening, 5)
    assert refused.value.sentence == (
        "5 Elks cannot come back: 17 Elks One plays for 3 Cats and 20 Elks Four plays for 4 Dogs now."
        " Say first who plays for 5 Elks instead, 3 at least and one of them the captain."
    )
    teams.change_members(
        evening.teams[5], actor=None, members=[Person(p.name, p) for p in (two, three)] + [Person("Zoe")], captain=2
    )
    back(evening, 5)
    assert evening.entry(5).status == "entered"


def test_who_was_withdrawn_with_others_as_not_here_is_held_back_as_well(evening):
    game_rulings.withdraw_no_shows([evening.entry(4), evening.entry(5)], actor=None, reason="not here")
    join(evening, 3, *people(evening, 5)[:2])
    with pytest.raises(Refusal, match="5 Elks cannot come back: 17 Elks One plays for 3 Cats and 18 Elks Two"):
        rulings.undo_ruling(Ruling.objects.get(), actor=None, reason="they are here")
    assert evening.entry(4).status == "withdrawn"


def test_a_folder_keeps_a_team_that_withdrew_and_has_no_players_left(evening):
    withdraw(evening, 5)
    join(evening, 4, *people(evening, 5))
    files = exchange.dump(evening.tournament)
    files["tournament.toml"] = files["tournament.toml"].replace(b'show_slug = "party"', b'show_slug = "copy"')

    exchange.import_files(files, actor=None)
    exchange.import_files(files, actor=None)

    copy = Tournament.objects.get(show=Show.objects.get(slug="copy"))
    assert [len(selectors.line_up(team)) for team in Team.objects.filter(entry__tournament=copy)] == [4, 4, 4, 4, 0]
    assert copy.entries.get(number=5).status == "withdrawn"
    assert Player.objects.filter(show=copy.show, name="Elks One").count() == 1


def test_a_team_without_enough_players_stays_out_also_where_nobody_knows_who_took_them(evening):
    withdraw(evening, 5)
    TeamMember.objects.filter(team=evening.teams[5], position__gt=2).delete()

    with pytest.raises(Refusal, match="cannot come back: only 2 of its players are known"):
        back(evening, 5)
