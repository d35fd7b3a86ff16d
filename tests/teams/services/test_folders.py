"""Teams in a tournament folder: what is read, what is refused at which line, and that all of it comes back."""

import csv
import io
import random

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.management import call_command

from teams import selectors
from teams.models import Team, TeamMember
from teams.services import groups, teams
from teams.services.teams import Person
from tests import factories
from tests.teams.evening import Evening
from tests.tournaments.exchange.folders import DATA, published
from tests.tournaments.exchange.test_round_trip import copied
from tournaments.domain.refusals import Refusal
from tournaments.models import Entry, Machine, Match, Player, Ruling, Score, Seat, Side, Stage, Tournament
from tournaments.services import entries, exchange, game_rulings, matches, people, stages

pytestmark = pytest.mark.django_db

HEADING = """\
show = "Show"
show_slug = "party"
name = "Teams"
slug = "team"
format = "team"
starts_on = 2010-07-24
"""
COLUMNS = "number,name,captain,wppr,player_1,player_2,player_3,player_4,status,note"
ANTS = "1,Ants,Ann One,40.5,Ann One,Ann Two,Ann Three,Ann Four,,"
BEES = "2,Bees,Bob Two,30,Bob One,Bob Two,Bob Three,,,comes later"
CATS = "3,Cats,,20,Cat One,Cat Two,Cat Three,Cat Four,,"
DOGS = "4,Dogs,Dan One,10,Dan One,Dan Two,Dan Three,Dan Four,,"


def folder(*lines, machines="code,name\nB,Bonus\nX,Ex\nY,Why\nZ,Zed\n", heading=HEADING, **tables):
    """A small folder with these lines in teams.csv, or the usual four."""
    texts = {"teams": "\n".join([COLUMNS, *(lines or (ANTS, BEES, CATS, DOGS)), ""]), "machines": machines} | tables
    return {"tournament.toml": heading.encode()} | {f"{name}.csv": text.encode() for name, text in texts.items()}


def imported(files):
    """The tournament of a folder."""
    exchange.import_files(files, actor=None)
    return Tournament.objects.select_related("show").get(slug="team", show__slug__in=("party", "made-up"))


def standings(path):
    """What the command prints of the groups, and what it prints as json would be the same."""
    out = io.StringIO()
    call_command("standings", path, stage="groups", format="csv", stdout=out)
    return list(csv.reader(out.getvalue().splitlines()))


def who(tournament, number):
    """The members of a team by number and name, the captain marked."""
    team = Team.objects.get(entry__tournament=tournament, entry__number=number)
    return [f"{m.player}{'*' if m.captain else ''}" for m in selectors.line_up(team)]


def test_a_folder_of_teams_alone_makes_teams_and_nothing_is_drawn_up():
    tournament = imported(folder())

    assert who(tournament, 1) == ["1 Ann One*", "2 Ann Two", "3 Ann Three", "4 Ann Four"]
    assert who(tournament, 2) == ["5 Bob One", "6 Bob Two*", "7 Bob Three"]
    assert who(tournament, 3)[0] == "8 Cat One*"
    bees = Team.objects.get(entry__number=2)
    assert (str(bees.wppr), bees.note, bees.entry.name) == ("30.00", "comes later", "Bees")
    assert not Seat.objects.exists()
    assert not exchange.import_files(folder(), actor=None).changed


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        ((ANTS.replace("40.5", "many"),), "teams.csv, line 2: The wppr “many” is not a number from 0"),
        ((ANTS.replace("40.5", "-1"),), "teams.csv, line 2: The wppr “-1” is not a number from 0"),
        ((ANTS.replace("40.5", "1.234"),), "teams.csv, line 2: The wppr “1.234” is not a number"),
        ((ANTS.replace("40.5", "NaN"),), "teams.csv, line 2: The wppr “NaN” is not a number"),
        ((ANTS.replace("40.5", "1000000"),), "teams.csv, line 2: The wppr “1000000” is not a number"),
        ((ANTS.replace(",Ants,", ",,"),), "teams.csv, line 2: The name is missing."),
        ((ANTS.replace("1,", ",", 1),), "teams.csv, line 2: The number is missing."),
        ((ANTS, BEES.replace("2,", "1,", 1)), "teams.csv, line 3: Number 1 stands in the table already."),
        ((ANTS, BEES.replace("Bees", "ants")), "teams.csv, line 3: ants is entered in line 2 already"),
        ((ANTS.replace("Ann Four", "Ann Two"),), "teams.csv, line 2: Ann Two is twice in Ants."),
        ((ANTS.replace("Ann Four", "ann two"),), "teams.csv, line 2: ann two is twice in Ants."),
        (
            (ANTS, BEES.replace("Bob One", "Ann One")),
            "teams.csv, line 3: Ann One is in Ants (line 2) already; nobody plays for two teams.",
        ),
        ((BEES.replace(",Bob Three", ","),), "teams.csv, line 2: Bees has 2 players; a team has 4, and 3 at least."),
        (("1,Ants,,1,,,,,,",), "teams.csv, line 2: The team has no players."),
        (
            (ANTS.replace("Ann One", "Bo", 1),),
            "teams.csv, line 2: The captain Bo is not among the players",
        ),
        ((ANTS.replace(",,", ",asleep,"),), "teams.csv, line 2: The status “asleep” is not one of"),
        ((f"{ANTS},more",), "teams.csv, line 2: The line has 11 cells and the heading has 10."),
    ],
)
def test_a_fault_in_teams_is_named_with_its_line(lines, fault):
    with pytest.raises(exchange.Faults) as caught:
        exchange.import_files(folder(*lines), actor=None)

    assert any(str(each).startswith(fault) for each in caught.value.faults), list(map(str, caught.value.faults))
    assert not Tournament.objects.exists()


@pytest.mark.parametrize(
    ("tables", "fault"),
    [
        (
            {"entries": "number,name\n1,Ann\n"},
            "entries.csv, line 2: Whoever competes in this format",
        ),
        ({"seats": "stage,seed,number,group\nfinal,1,1,A\n"}, "seats.csv, line 2: Final is not played in groups."),
        (
            {"scores": "number,machine,score,stage\n9,B,5,groups\n"},
            "scores.csv, line 2: Number 9 is not in teams.",
        ),
        (
            {"matches": "stage,round,machine,number_1,score_1,number_2,score_2\ngroups,1,X,1,,1,\n"},
            "matches.csv, line 2: Number 1 is drawn against themselves.",
        ),
        (
            {"matches": "stage,round,machine,number_1,score_1,number_2,score_2\ngroups,1,X,1,,2,\ngroups,1,B,1,,,\n"},
            "matches.csv, line 3: Number 1 plays in round 1 of groups in line 2 already.",
        ),
        (
            {"rulings": "stage,kind,order\ngroups,seeding,1 2\n"},
            "rulings.csv, line 2: The reason is missing.",
        ),
    ],
)
def test_a_fault_in_the_other_tables_is_named_with_its_line(tables, fault):
    with pytest.raises(exchange.Faults) as caught:
        exchange.import_files(folder(**tables), actor=None)

    assert any(str(each).startswith(fault) for each in caught.value.faults), list(map(str, caught.value.faults))


def test_a_file_of_teams_is_needed_and_belongs_to_no_other_format():
    files = folder()
    del files["teams.csv"]
    with pytest.raises(exchange.Faults, match=r"teams\.csv: The file is missing"):
        exchange.read_folder(files)

    solo = folder(heading=HEADING.replace('format = "team"', 'format = "open"'), entries="number,name\n")
    with pytest.raises(exchange.Faults, match=r"teams\.csv, line 2: Whoever competes in this format stands"):
        exchange.read_folder(solo)


@pytest.mark.parametrize(
    ("line", "said"),
    [
        (ANTS.replace("Ants", "Wasps"), "Number 1 is “Wasps” in the folder and “Ants” here."),
        (ANTS.replace("40.5", "41"), "1 Ants has 41 WPPR points in the folder and 40.50 here."),
        (ANTS.replace("Ann Four", "Zoe"), "1 Ants: the players are Ann One, Ann Two, Ann Three, Zoe in the folder"),
        (ANTS.replace("Ann One", "Ann Two", 1), "1 Ants: the captain is Ann Two in the folder and Ann One here."),
        (f"{ANTS}late", "1 Ants: the note is “late” in the folder and “” here."),
    ],
)
def test_what_is_here_otherwise_is_a_fault_and_nothing_is_overwritten(line, said):
    imported(folder())

    with pytest.raises(exchange.Faults) as caught:
        exchange.import_files(folder(line), actor=None)

    assert str(caught.value.faults[0]).startswith(f"teams.csv, line 2: {said}")
    assert "Nothing is overwritten." in str(caught.value)


def test_a_player_that_the_show_knows_is_that_person_and_keeps_the_number():
    Evening(0).show.refresh_from_db()
    solo = (
        b'show = "UK Pinball Party"\nshow_slug = "party"\nname = "Open"\nslug = "open"\nformat = "open"\n'
        b"starts_on = 2010-07-24\n"
    )
    known = b"number,name,another_person\n12,Ann One,\n13,Bob One,\n14,Bob One,yes\n"
    exchange.import_files(
        {"tournament.toml": solo, "entries.csv": known, "machines.csv": b"code,name\nB,Bonus\n"}, actor=None
    )
    heading = HEADING.replace('"Show"', '"UK Pinball Party"').replace("Teams", "Team Tournament")

    with pytest.raises(exchange.Faults, match="The show has 13 Bob One and 14 Bob One: write the number"):
        exchange.import_files(folder(heading=heading), actor=None)
    with pytest.raises(exchange.Faults, match=r"teams\.csv, line 2: Number 12 is Ann One, not Ann Two"):
        exchange.import_files(folder(ANTS.replace("Ann Two", "12 Ann Two"), heading=heading), actor=None)

    exchange.import_files(folder(ANTS, BEES.replace("Bob One", "14 Bob One"), heading=heading), actor=None)
    tournament = Tournament.objects.get(slug="team")
    assert who(tournament, 1)[0] == "12 Ann One*"
    assert who(tournament, 2)[0] == "14 Bob One"


def test_two_players_of_one_name_are_written_with_their_numbers_and_come_back_with_them():
    evening = Evening(0)
    names = ["Ann", "Bo", "Cy", "7 of Nine"]
    teams.register(evening.tournament, actor=None, name="Ants", members=[Person(name) for name in names])
    again = [Person("Ann", another=True), Person("Dee"), Person("Eve"), Person("Fay")]
    teams.register(evening.tournament, actor=None, name="Bees", members=again)

    copy = copied(evening.tournament)

    assert "5 Ann" in exchange.dump(copy)["teams.csv"].decode()
    assert sorted(str(p) for p in Player.objects.filter(show=copy.show, name__in=("Ann", "7 of Nine"))) == [
        "1 Ann",
        "4 7 of Nine",
        "5 Ann",
    ]


def test_the_groups_of_sixteen_teams_are_those_of_the_rules_and_stand_as_reckoned_by_hand():
    tournament = imported(published("teams-16"))
    seats = Seat.objects.filter(stage__tournament=tournament, stage__key="groups").order_by("group", "seed")

    drawn = {letter: [seat.entry.number for seat in seats if seat.group == letter] for letter in "ABCD"}
    assert drawn == {"A": [1, 6, 9, 13], "B": [2, 5, 10, 14], "C": [3, 8, 11, 15], "D": [4, 7, 12, 16]}
    assert seats[0].why == "479.01 WPPR points"
    with (DATA / "teams-16" / "expected_groups.csv").open(newline="") as file:
        assert standings("made-up/team") == list(csv.reader(file))
    assert Stage.objects.get(key="groups").state == Stage.State.CLOSED
    final = Stage.objects.get(key="final")
    assert [seat.entry.number for seat in final.seats.order_by("seed")] == [1, 3, 4, 5]
    # A bonus score that stands in the other table is the score of the bonus game.
    assert not Score.objects.filter(match=None).exists()
    late = Side.objects.get(absent=True)
    assert (late.entry.number, late.match.state) == (15, Match.State.DONE)


def test_sixteen_teams_survive_the_round_trip_and_a_repeat_changes_nothing():
    tournament = imported(published("teams-16"))

    assert not exchange.import_files(published("teams-16"), actor=None).changed
    copied(tournament)

    assert standings("copy/team") == standings("made-up/team")


def test_a_bonus_score_without_a_dealt_game_is_kept_and_ranked():
    bonus = "number,machine,score,stage\n1,B,10,groups\n2,B,40,groups\n3,B,20,groups\n4,B,30,groups\n"

    imported(folder(scores=bonus))

    lines = {line[1]: (line[0], line[3]) for line in standings("party/team")[1:]}
    assert lines == {"2": ("1", "9"), "4": ("2", "5"), "3": ("3", "2"), "1": ("4", "0")}


def test_level_points_without_seats_ask_for_them_and_seats_or_a_ruling_answer():
    level = (ANTS, BEES.replace(",30,", ",20,"), CATS, DOGS)
    bonus = {"scores": "number,machine,score,stage\n1,B,10,groups\n"}
    with pytest.raises(exchange.Faults) as caught:
        exchange.import_files(folder(*level, **bonus), actor=None)
    asked = "teams.csv: 2 Bees and 3 Cats are level on 20.00 WPPR points: put them in order first."
    assert f"{asked} In a folder seats.csv does so." in map(str, caught.value.faults)

    rulings = "stage,kind,order,reason\ngroups,seeding,3 2,a coin\n"
    tournament = imported(folder(*level, **bonus, rulings=rulings))
    assert [seat.entry.number for seat in Seat.objects.order_by("seed")] == [1, 3, 2, 4]

    other = HEADING.replace('slug = "party"', 'slug = "other"')
    seats = "stage,seed,number\ngroups,1,4\ngroups,2,3\ngroups,3,2\ngroups,4,1\n"
    exchange.import_files(folder(*level, **bonus, seats=seats, heading=other), actor=None)
    seated = Seat.objects.exclude(stage__tournament=tournament).order_by("seed")
    assert [(seat.entry.number, seat.group) for seat in seated] == [(4, "A"), (3, "A"), (2, "A"), (1, "A")]


def test_who_had_withdrawn_before_the_groups_is_in_none():
    five = "5,Elks,,5,Eve One,Eve Two,Eve Three,,withdrawn,"
    bonus = "number,machine,score,stage\n1,B,10,groups\n"

    tournament = imported(folder(ANTS, BEES, CATS, DOGS, five, scores=bonus))

    assert sorted(Seat.objects.values_list("entry__number", flat=True)) == [1, 2, 3, 4]
    assert Entry.objects.get(tournament=tournament, number=5).status == Entry.Status.WITHDRAWN


def test_an_evening_in_full_swing_survives_the_round_trip():
    evening = Evening(9)
    seeded = groups.order_seeds(
        evening.groups, actor=None, order=[evening.entry(n).pk for n in range(1, 10)], reason="as agreed"
    )
    entries.check_in(evening.entry(3), actor=None)
    evening.begin()
    evening.play({1: 500, 9: 400})
    evening.play({3: 77})
    matches.absent(evening.match(2, 5), actor=None, entry=evening.entry(5).pk, reason="not here")
    out = evening.match(4, 7)
    game_rulings.disqualify_from_match(out, actor=None, entry=evening.entry(7).pk, reason="slam tilt")
    zero = Score.objects.get(stage=evening.groups, match=evening.play({9: 900}))
    game_rulings.rule_on_score(zero, actor=None, kind="zero", seen=zero.revision, reason="slam tilt")
    matches.call(evening.match(6, 1), actor=None)
    entries.withdraw(evening.entry(8), actor=None, reason="gone home")
    assert seeded.kind == Ruling.Kind.SEEDING

    copy = copied(evening.tournament)

    assert standings("copy/team") == standings("party/team")
    kinds = Ruling.objects.filter(tournament=copy, undone_at=None).values_list("kind", flat=True)
    assert sorted(kinds) == ["out-of-match", "seeding", "zero"]
    assert Match.objects.get(stage__tournament=copy, state="called").machine.code


def test_a_final_drawn_by_lot_survives_the_round_trip_with_its_lot():
    evening = Evening(8)
    evening.begin(machines=5)
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)
    matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(5))
    stages.open_stage(evening.final, actor=None)

    copy = copied(evening.tournament)

    used = Stage.objects.get(tournament=copy, key="final").stage_machines.get()
    assert used.drawn_from == 5


def test_a_merged_member_is_written_by_the_record_that_was_kept():
    evening = Evening(4)
    gone = Player.objects.get(show=evening.show, name="Ants One")
    solo = factories.entry(factories.tournament(evening.show), "Anthony").player
    people.merge(solo, gone, actor=None, reason="the same person")

    assert f"1,Ants,{solo},990.00,{solo},2 Ants Two" in exchange.dump(evening.tournament)["teams.csv"].decode()


def test_who_agreed_to_play_again_after_a_slam_tilt_is_in_the_folder():
    evening = Evening(4)
    evening.begin(machines=4)
    match = evening.play({1: 500, 2: 400})
    ants, bees = evening.entry(1).pk, evening.entry(2).pk
    game_rulings.play_again(match, actor=None, reason="the tilt switch", tilted=ants, agreed=[bees])

    copy = copied(evening.tournament)

    ruling = Ruling.objects.get(tournament=copy)
    assert ruling.data["agreement"] == "Slam tilt of 1 Ants on an over-sensitive switch; 2 Bees agreed to play again."
    assert ruling.data["agreed"] == [Entry.objects.get(tournament=copy, number=2).pk]


def test_who_has_left_a_team_is_in_the_folder_and_plays_for_no_other_one_there():
    evening = Evening(8)
    evening.begin()
    evening.play({1: 500, 6: 400})
    ants = [Person("", member.player) for member in selectors.line_up(evening.teams[1])]
    teams.change_members(
        evening.teams[1], actor=None, members=[*ants[:2], Person("Zoë; or Zoe"), ants[3]], captain=1, reason="ill"
    )
    teams.change_members(evening.teams[1], actor=None, members=ants[:3], reason="well again")

    copy = copied(evening.tournament)

    line = exchange.dump(copy)["teams.csv"].decode().splitlines()[1]
    assert line.endswith("entered,,4 Ants Four; 33 Zoë; or Zoe")
    gone = Player.objects.get(show=copy.show, name="Ants Four")
    bees = Team.objects.get(entry__tournament=copy, entry__number=2)
    people = [Person("", member.player) for member in selectors.line_up(bees)]
    with pytest.raises(Refusal, match="4 Ants Four has played for 1 Ants"):
        teams.change_members(bees, actor=None, members=[*people[1:], Person("", gone)])


def test_a_folder_that_says_who_left_otherwise_is_a_fault_and_an_old_one_says_nothing():
    evening = Evening(4)
    evening.begin(machines=4)
    evening.play({1: 500, 2: 400})
    ants = [Person("", member.player) for member in selectors.line_up(evening.teams[1])]
    teams.change_members(evening.teams[1], actor=None, members=ants[:3], reason="ill")
    files = exchange.dump(evening.tournament)
    assert not exchange.import_files(files, actor=None).changed

    other = files | {"teams.csv": files["teams.csv"].replace(b",4 Ants Four", b",90 Somebody Else")}
    with pytest.raises(exchange.Faults, match="1 Ants: 90 Somebody Else is in the folder, and nobody of the team"):
        exchange.import_files(other, actor=None)
    rows = [line.rsplit(",", 1)[0] for line in files["teams.csv"].decode().splitlines()]
    old = files | {"teams.csv": "\n".join(rows).encode()}
    assert not exchange.import_files(old, actor=None).changed


def test_badges_are_the_same_elsewhere_whatever_was_registered_in_between():
    evening = Evening(2)
    factories.entry(factories.tournament(evening.show), "Somebody Else")
    evening.register(3)

    copy = copied(evening.tournament)

    told = [{str(player) for player in Player.objects.filter(show=show)} for show in (evening.show, copy.show)]
    assert told[0] - told[1] == {"9 Somebody Else"}
    assert "10 Cats One" in told[1]


def test_two_lots_of_a_final_are_the_same_elsewhere_and_the_later_one_holds():
    evening = Evening(8)
    evening.begin(machines=5)
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)
    first = matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(6)[-1:])
    matches.take_back(evening.final, actor=None, reason="it died")
    Machine.objects.filter(pk=first.pk).update(in_order=False)
    second = matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(1))
    matches.take_back(evening.final, actor=None, reason="too early")
    Machine.objects.filter(pk=first.pk).update(in_order=True)

    copy = copied(evening.tournament)

    final = Stage.objects.select_related("tournament__show").get(tournament=copy, key="final")
    machines = list(Machine.objects.filter(show=copy.show))
    assert matches.deal_by_lot(final, actor=None, machines=machines).code == second.code


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_rehearsed_evening_with_replacements_and_a_dead_machine_in_the_final_is_the_same_elsewhere(seed):
    call_command("rehearse", tournament="team", until="groups", seed=seed, players=8, stdout=io.StringIO())
    tournament = Tournament.objects.select_related("show").get(show__slug="rehearsal", slug="team")
    chance = random.Random(seed)
    for team in chance.sample(list(selectors.teams(tournament)), 3):
        people = [Person("", member.player) for member in selectors.line_up(team)]
        people[chance.randrange(len(people))] = Person(f"Substitute for {team.entry.title}")
        teams.change_members(team, actor=None, members=people, reason="somebody is ill")
    final = Stage.objects.select_related("tournament__show").get(tournament=tournament, key="final")
    hall = list(Machine.objects.filter(show=tournament.show, in_order=True).order_by("code"))
    drawn = matches.deal_by_lot(final, actor=None, machines=hall[:6], chance=chance)
    stages.open_stage(final, actor=None)
    (match,) = final.matches.select_related("machine", "stage__tournament__show")
    entry = match.sides.order_by("rank")[0].entry_id
    matches.record(match, actor=None, entry=entry, value=5_000, sure=5_000)
    Machine.objects.filter(pk=drawn.pk).update(in_order=False)
    spare = next(machine for machine in hall if machine != drawn)
    game_rulings.play_again(match, actor=None, reason="the display died", machine=spare)
    match.refresh_from_db()
    for value, side in enumerate(match.sides.order_by("rank"), start=1):
        matches.record(match, actor=None, entry=side.entry_id, value=value, sure=value)
    stages.close_stage(Stage.objects.select_related("tournament__show").get(pk=final.pk), actor=None)

    copy = copied(tournament)

    assert standings("copy/team") == standings("rehearsal/team")
    lots = final.stage_machines.exclude(drawn_from=None).values_list("machine__code", "drawn_from")
    there = Stage.objects.get(tournament=copy, key="final").stage_machines.exclude(drawn_from=None)
    assert list(there.values_list("machine__code", "drawn_from")) == list(lots) == [(drawn.code, 6)]
    for show in (tournament.show, copy.show):
        show.told = {
            (member.team.entry.number, str(member.player), member.left_at is None, member.captain)
            for member in TeamMember.objects.filter(tournament__show=show).select_related("team__entry", "player")
        }
    assert tournament.show.told == copy.show.told


def test_an_empty_folder_for_teams_has_their_table():
    files = exchange.template("team")

    assert sorted(files) == ["machines.csv", "teams.csv", "tournament.toml"]
    assert files["teams.csv"].decode().startswith("number,name,captain,wppr,player_1")
    assert "players = 4" in files["tournament.toml"].decode()


def test_a_folder_of_teams_comes_in_on_the_web_page_by_the_person_who_sent_it(client):
    client.force_login(factories.user("organiser", "olivia"))
    chosen = [SimpleUploadedFile(name, content) for name, content in published("teams-16").items()]

    answer = client.post("/organise/import/", {"files": chosen, "import": "yes"})

    assert answer.status_code == 200
    tournament = Tournament.objects.get()
    assert (tournament.path, Team.objects.count()) == ("made-up/team", 16)
    assert {line.actor.username for line in tournament.journal.exclude(actor=None)} == {"olivia"}


def test_a_withdrawn_team_whose_captain_plays_elsewhere_has_no_captain_in_the_copy_either():
    evening = Evening(5)
    captain, *_ = selectors.line_up(evening.teams[5])
    entries.withdraw(evening.entry(5), actor=None, reason="car broke down")
    stay = [Person(member.player.name, member.player) for member in selectors.line_up(evening.teams[4])[:3]]
    members = [*stay, Person(captain.player.name, captain.player)]
    teams.change_members(evening.teams[4], actor=None, members=members, reason="helps out")

    copy = copied(evening.tournament)

    assert not any(m.captain for m in selectors.line_up(Team.objects.get(entry__tournament=copy, entry__number=5)))
