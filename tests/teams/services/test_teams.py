"""Teams and who is in them: what is refused, what is kept, and what shared services make of it."""

from decimal import Decimal

import pytest
from django.db import IntegrityError, transaction

from teams import selectors
from teams.models import Team, TeamMember
from teams.services import groups, teams
from teams.services.teams import Person
from tests import factories
from tests.teams.evening import Evening
from tournaments import selectors as shared
from tournaments.domain.refusals import UNDO_RULING, NeedsDecision, Refusal, Stale, Step
from tournaments.models import Entry, Journal, Match, Player, Ruling, Seat
from tournaments.services import entries, game_rulings, matches, people, results, rulings, stages

pytestmark = pytest.mark.django_db


@pytest.fixture
def evening():
    return Evening(4)


def player(name):
    return Player.objects.get(name=name)


def register(evening, *names, **details):
    return teams.register(
        evening.tournament,
        **{"actor": None, "name": "Elks", "members": [Person(name) for name in names or ("A", "B", "C")]} | details,
    )


def points(evening):
    """The points of each team by number."""
    read = shared.stage_facts(evening.groups)
    numbers = {entrant.id: entrant.number for entrant in read.facts.entrants}
    return {numbers[row.entry]: row.points for row in read.table.rows}


# Registering


def test_nobody_is_in_two_teams_nor_twice_in_one(evening):
    ann = Person("Ants One", player("Ants One"))
    with pytest.raises(Refusal, match="1 Ants One is in 1 Ants; nobody plays for two teams"):
        register(evening, members=[ann, Person("B"), Person("C")])
    new = factories.entry(factories.tournament(evening.show), "Zoe").player
    with pytest.raises(Refusal, match="17 Zoe is named twice in Elks"):
        register(evening, members=[Person("Zoe", new), Person("Zoe", new), Person("C")])
    with pytest.raises(Refusal, match="b is named twice in Elks"):
        register(evening, "A", "B", "b")

    assert Team.objects.count() == 4
    assert not Player.objects.filter(name="A").exists()


@pytest.mark.parametrize(
    ("details", "fault"),
    [
        ({"name": " "}, "The name of the team is missing"),
        ({"name": "ÁNTS"}, "Team Tournament has 1 Ants already"),
        ({"name": "x" * 101}, "at most 100 characters"),
        ({"number": 2}, "Number 2 belongs to Bees"),
        ({"number": 0}, "A number is from 1 to"),
        ({"wppr": Decimal("-1")}, "The WPPR points are from 0"),
        ({"wppr": Decimal("1.234")}, "no more than 2 decimal places"),
        ({"captain": 3}, "Say who of Elks is the captain"),
        ({"captain": -1}, "Say who of Elks is the captain"),
        ({"members": [Person("A"), Person("B")]}, "Elks has 2 players; a team has 4, and 3 at least"),
        ({"members": [Person(letter) for letter in "ABCDE"]}, "Elks has 5 players"),
        ({"members": [Person("A"), Person(""), Person("C")]}, "name"),
        ({"note": "x" * 201}, "at most 200 characters"),
    ],
)
def test_what_cannot_be_is_refused_and_leaves_nothing_behind(evening, details, fault):
    with pytest.raises(Refusal, match=fault):
        register(evening, **details)

    assert Team.objects.count() == Entry.objects.count() == 4
    assert Player.objects.count() == 16


def test_somebody_of_another_show_cannot_be_in_a_team(evening):
    other = factories.entry(factories.tournament(factories.show("elsewhere")), "Zoe").player

    with pytest.raises(Refusal, match="is not a person of UK Pinball Party"):
        register(evening, members=[Person("Zoe", other), Person("B"), Person("C")])


def test_a_known_name_asks_before_a_second_person_is_made(evening):
    known = factories.entry(factories.tournament(evening.show), "Zoe").player

    with pytest.raises(NeedsDecision) as asked:
        register(evening, "Zoe", "B", "C")
    assert asked.value.about == (known.pk,)
    team = register(evening, members=[Person("Zoe", another=True), Person("B"), Person("C")])
    assert selectors.line_up(team)[0].player != known


def test_a_form_sent_twice_enters_one_team_and_with_other_contents_none(evening):
    first = register(evening, key="a")

    assert register(evening, key="a") == first
    with pytest.raises(Refusal):
        register(evening, key="a", name="Foxes")
    assert Team.objects.count() == 5


def test_a_team_of_three_says_how_many_balls_are_missing(evening):
    team = register(evening)

    line = Journal.objects.get(entry=team.entry)
    assert line.summary == "5 Elks entered: 17 A, 18 B, 19 C. 1 ball must be allowed to drain."


def test_no_team_enters_once_the_groups_are_drawn_up_or_the_results_declared(evening):
    groups.draw_up(evening.groups, actor=None)
    with pytest.raises(Refusal, match="Take them back and draw them up again with the new team"):
        register(evening)
    groups.take_back(evening.groups, actor=None, reason="one more")
    evening.begin(machines=4)
    with pytest.raises(Refusal, match="Groups has begun; a new team can only come in for one that has withdrawn"):
        register(evening)


# Changing


def test_whoever_left_a_team_that_had_begun_plays_for_no_other(evening):
    evening.begin(machines=4)
    evening.play({1: 10, 2: 20})
    one, three = evening.teams[1], evening.teams[3]
    kept = [Person(m.player.name, m.player) for m in selectors.line_up(one)]

    teams.change_members(one, actor=None, members=kept[:3], reason="hurt")
    with pytest.raises(Refusal, match="4 Ants Four has played for 1 Ants; nobody plays for two teams"):
        teams.change_members(
            three,
            actor=None,
            members=[kept[3], *(Person(m.player.name, m.player) for m in selectors.line_up(three)[:3])],
            reason="helps",
        )
    teams.change_members(one, actor=None, members=kept, reason="well again", captain=3)
    assert [member.player.name for member in selectors.line_up(one) if member.captain] == ["Ants Four"]


def test_whoever_leaves_a_team_before_it_begins_may_play_for_another(evening):
    one, two = evening.teams[1], evening.teams[2]
    ants, bees = (selectors.line_up(team) for team in (one, two))

    teams.change_members(one, actor=None, members=[Person("", m.player) for m in ants[:3]])
    teams.change_members(two, actor=None, members=[Person("", m.player) for m in (*bees[:3], ants[3])])

    assert [str(member.player) for member in selectors.line_up(two)][-1] == "4 Ants Four"


def test_a_change_looked_at_too_long_ago_saves_nothing(evening):
    with pytest.raises(Stale):
        teams.change_details(evening.teams[1], actor=None, name="Wasps", wppr=Decimal(1), expected=1)
    with pytest.raises(Stale):
        teams.change_members(evening.teams[1], actor=None, members=[Person(letter) for letter in "ABC"], expected=1)
    assert evening.entry(1).title == "Ants"


def test_saving_what_is_there_already_is_no_change(evening):
    team = evening.teams[1]
    lines = Journal.objects.count()

    teams.change_details(team, actor=None, name="Ants", wppr=team.wppr)
    teams.change_members(team, actor=None, members=[Person("", m.player) for m in selectors.line_up(team)])

    assert Journal.objects.count() == lines


def test_a_disqualified_team_is_not_changed(evening):
    entries.disqualify(evening.entry(1), actor=None, reason="cheats")

    with pytest.raises(Refusal, match="1 Ants is disqualified"):
        teams.change_details(evening.teams[1], actor=None, name="Wasps", wppr=Decimal(1))


# What the database itself refuses


@pytest.mark.parametrize(
    "wrong",
    [
        lambda evening, one, two: TeamMember.objects.create(
            team=two, tournament=evening.tournament, player=one.members.first().player, position=9
        ),
        lambda evening, one, two: one.members.filter(position=2).update(position=1),
        lambda evening, one, two: one.members.filter(position=2).update(captain=True),
        lambda evening, one, two: Team.objects.filter(pk=one.pk).update(wppr=-1),
        lambda evening, one, two: Team.objects.create(entry=one.entry),
    ],
    ids=["a person in two teams", "a place twice", "two captains", "points below zero", "two teams of an entry"],
)
def test_the_database_refuses_what_no_team_can_be(evening, wrong):
    with pytest.raises(IntegrityError), transaction.atomic():
        wrong(evening, evening.teams[1], evening.teams[2])


# Groups


def test_only_teams_that_are_in_are_drawn_and_the_reason_is_kept(evening):
    evening.teams[5] = evening.register(5)
    entries.withdraw(evening.entry(2), actor=None, reason="ill")

    seats = groups.draw_up(evening.groups, actor=None)

    assert [(seat.seed, seat.entry.number, seat.group, seat.why) for seat in seats] == [
        (1, 1, "A", "990.00 WPPR points"),
        (2, 3, "A", "970.00 WPPR points"),
        (3, 4, "A", "960.00 WPPR points"),
        (4, 5, "A", "950.00 WPPR points"),
    ]
    groups.draw_up(evening.groups, actor=None)
    assert Seat.objects.count() == 4


def test_three_teams_are_too_few(evening):
    entries.withdraw(evening.entry(2), actor=None, reason="ill")

    with pytest.raises(Refusal, match="The groups are for 4 to 32 teams, not 3"):
        groups.draw_up(evening.groups, actor=None)


def test_a_team_missing_after_the_draw_withdraws_once_the_groups_are_taken_back(evening):
    evening.teams[5] = evening.register(5)
    groups.draw_up(evening.groups, actor=None)
    with pytest.raises(Refusal, match="take the groups back first, then draw them up again"):
        entries.withdraw(evening.entry(5), actor=None, reason="not here")

    groups.take_back(evening.groups, actor=None, reason="5 is missing")
    entries.withdraw(evening.entry(5), actor=None, reason="not here")
    assert len(groups.draw_up(evening.groups, actor=None)) == 4


def test_groups_are_not_taken_back_once_matches_are_published(evening):
    evening.begin(machines=4)
    with pytest.raises(Refusal, match="Groups has begun"):
        groups.take_back(evening.groups, actor=None, reason="no")
    other = Evening(4, show=factories.show("other"))
    groups.draw_up(other.groups, actor=None)
    matches.deal(other.groups, actor=None, machines=other.hall(4))
    with pytest.raises(Refusal, match="The matches of the groups are published; take them back first"):
        groups.take_back(other.groups, actor=None, reason="no")


def test_an_order_of_seeds_is_taken_back_while_the_groups_are_not_drawn_up(evening):
    order = [evening.entry(number).pk for number in (4, 3, 2, 1)]
    ruling = groups.order_seeds(evening.groups, actor=None, order=order, reason="as last year")
    groups.draw_up(evening.groups, actor=None)
    assert Seat.objects.get(seed=1).why == "by ruling"
    with pytest.raises(Refusal, match="The groups are drawn up by this order"):
        rulings.undo_ruling(ruling, actor=None, reason="no")
    with pytest.raises(Refusal, match="The groups are drawn up; take them back first"):
        groups.order_seeds(evening.groups, actor=None, order=order, reason="again")

    groups.take_back(evening.groups, actor=None, reason="by points")
    rulings.undo_ruling(ruling, actor=None, reason="by points")
    assert groups.draw_up(evening.groups, actor=None)[0].entry.number == 1


@pytest.mark.parametrize("order", [(1,), (1, 1), (1, 99)])
def test_an_order_names_two_teams_at_least_each_once(evening, order):
    entries_by = {number: evening.entry(number).pk for number in (1, 2, 3, 4)}

    with pytest.raises(Refusal, match="Name two teams at least, each once"):
        groups.order_seeds(
            evening.groups, actor=None, order=[entries_by.get(number, 0) for number in order], reason="x"
        )


# A team that comes in for another


def test_a_team_comes_in_only_for_one_that_has_withdrawn_before_its_first_call(evening):
    names = {"name": "Wasps", "members": [Person(letter) for letter in "ABC"], "reason": "was here"}
    with pytest.raises(Refusal, match="4 Dogs is in no group; register the new team as any other"):
        teams.replace(evening.teams[4], actor=None, **names)
    evening.begin(machines=4)
    with pytest.raises(Refusal, match="4 Dogs has not withdrawn; its place is not free"):
        teams.replace(evening.teams[4], actor=None, **names)
    match = evening.match(1, 4)
    matches.call(match, actor=None)
    entries.withdraw(evening.entry(4), actor=None, reason="gone")

    with pytest.raises(Refusal, match=f"The match on {match.machine.name} is called: the seat stays as it is"):
        teams.replace(evening.teams[4], actor=None, **names)

    assert Team.objects.count() == 4


def test_who_comes_in_has_the_group_and_all_the_matches(evening):
    evening.begin(machines=4)
    entries.withdraw(evening.entry(4), actor=None, reason="gone")

    team = teams.replace(
        evening.teams[4], actor=None, name="Wasps", members=[Person(letter) for letter in "ABC"], reason="was here"
    )

    assert Match.objects.filter(sides__entry=team.entry).count() == 4
    evening.play({1: 10, team.entry.number: 20})
    assert points(evening)[team.entry.number] == 5
    ruling = Ruling.objects.get(kind="replaced")
    assert ruling.entry == team.entry


# One person, two records


def test_two_records_in_two_teams_are_not_made_one(evening):
    with pytest.raises(Refusal, match="1 Ants One is in 1 Ants and 5 Bees One is in 2 Bees; nobody plays for two"):
        people.merge(player("Ants One"), player("Bees One"), actor=None, reason="the same")
    with pytest.raises(Refusal, match="1 Ants One and 2 Ants Two are both in 1 Ants; take one of them out"):
        people.merge(player("Ants One"), player("Ants Two"), actor=None, reason="the same")


def test_a_record_that_has_played_for_another_team_is_not_merged_either(evening):
    evening.begin(machines=4)
    evening.play({1: 10, 2: 20})
    one = evening.teams[1]
    teams.change_members(
        one, actor=None, members=[Person("", m.player) for m in selectors.line_up(one)[:3]], reason="hurt"
    )

    with pytest.raises(Refusal, match="5 Bees One is in 2 Bees and 4 Ants Four has played for 1 Ants"):
        people.merge(player("Bees One"), player("Ants Four"), actor=None, reason="the same")


def test_a_member_who_is_another_record_now_is_shown_so_and_still_counts(evening):
    solo = factories.entry(factories.tournament(evening.show), "Anthony").player
    before = shared.current_revision(evening.tournament.pk)

    people.merge(solo, player("Ants One"), actor=None, reason="the same")

    assert shared.current_revision(evening.tournament.pk) == before + 1
    assert shared.people_behind([evening.entry(1).pk])[evening.entry(1).pk] >= {solo.pk}
    with pytest.raises(Refusal, match="Anthony is in 1 Ants; nobody plays for two teams"):
        register(evening, members=[Person("Anthony", solo), Person("B"), Person("C")])
    people.take_apart(Player.objects.get(name="Ants One"), actor=None, reason="two brothers")
    assert register(evening, members=[Person("Anthony", solo), Person("B"), Person("C")])


# Officials who play


def test_an_official_in_a_team_rules_on_no_game_of_it(evening):
    official = factories.user("official")
    Player.objects.filter(name="Ants Two").update(account=official)
    evening.begin(machines=4)
    match = evening.play({1: 10, 2: 20})

    with pytest.raises(Refusal, match="1 Ants is yours: somebody else has to rule on your own game"):
        game_rulings.play_again(match, actor=official, reason="mine")
    with pytest.raises(Refusal, match="1 Ants is yours"):
        entries.disqualify(evening.entry(1), actor=official, reason="mine")
    other = evening.play({3: 10, 4: 20})
    game_rulings.play_again(other, actor=official, reason="not mine")
    assert Ruling.objects.get(kind="replayed").match == other


# A result counts once


def test_a_result_sent_twice_counts_five_points_once(evening):
    evening.begin(machines=4)
    match = evening.match(1, 2)
    for _ in range(2):
        for number, value in ((1, 300), (2, 200)):
            matches.record(
                match, actor=None, entry=evening.entry(number).pk, value=value, sure=value, key=f"tap-{number}"
            )

    assert (points(evening)[1], points(evening)[2]) == (5, 0)
    with pytest.raises(Refusal, match="has 300 on"):
        matches.record(match, actor=None, entry=evening.entry(1).pk, value=301, sure=301)


def test_the_results_once_declared_hold_for_teams_too():
    evening = Evening(5)
    evening.begin(machines=5)
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)
    matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(5))
    stages.open_stage(evening.final, actor=None)
    evening.play({1: 10, 2: 40})
    stages.close_stage(evening.final, actor=None)
    results.declare(evening.tournament, actor=None)

    with pytest.raises(Refusal, match="The results are declared; take them back first"):
        register(evening)
    with pytest.raises(Refusal, match="The results are declared; take them back first"):
        teams.change_members(evening.teams[1], actor=None, members=[Person(letter) for letter in "ABC"], reason="x")


def test_a_match_that_a_ruling_has_decided_is_not_played_again_against_nobody(evening):
    evening.begin(machines=4)
    match = evening.match(1, 2)
    ruling = game_rulings.disqualify_from_match(match, actor=None, entry=evening.entry(1).pk, reason="shouted")

    with pytest.raises(Refusal, match=r"1 Ants is out of this match .* take that ruling back first") as refused:
        game_rulings.play_again(match, actor=None, reason="a fuse")

    assert refused.value.step == Step(UNDO_RULING, ruling.pk)
    rulings.undo_ruling(ruling, actor=None, reason="it was somebody else")
    game_rulings.play_again(match, actor=None, reason="a fuse")
