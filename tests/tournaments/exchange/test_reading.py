"""Every kind of fault within a folder is found, named with its file and line, and all of them at once."""

import pytest

from tests.tournaments.exchange.folders import ENTRIES, HEADING, MACHINES, PUBLISHED, SCORES, folder, match, published
from tournaments import formats
from tournaments.services import exchange

TEAMS = HEADING.replace('format = "open"', 'format = "team"').partition("[qualifying]")[0]


def found(**tables):
    """The faults of the small folder with these tables, as words."""
    with pytest.raises(exchange.Faults) as caught:
        exchange.read_folder(folder(**tables))
    return [str(fault) for fault in caught.value.faults]


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_folders_are_without_fault(name):
    assert exchange.read_folder(published(name)).scores


@pytest.mark.parametrize("kind", formats.known(), ids=lambda kind: kind.key)
def test_an_empty_folder_of_every_format_is_without_fault(kind):
    read = exchange.read_folder(exchange.template(kind.key))

    assert read.heading.format == kind.key
    assert formats.read_rules(kind.Rules, read.heading.rules) == kind.Rules()


@pytest.mark.parametrize(
    ("tables", "fault"),
    [
        ({"scores": "number,machine,score\n1,TZ,abc\n"}, "scores.csv, line 2: “abc” is not a number"),
        ({"scores": "number,machine,score\n1,TZ,-5\n"}, "scores.csv, line 2: “-5” is below zero"),
        ({"scores": "number,machine,score\n1,TZ,1.5\n"}, "scores.csv, line 2: “1.5” looks like a fraction"),
        ({"scores": "number,machine,score\n1,TZ,12e6\n"}, "scores.csv, line 2: “12e6” is not a number"),
        (
            {"scores": "number,machine,score\n1,TZ,1000000000000000\n"},
            "scores.csv, line 2: “1000000000000000” is more",
        ),
        ({"scores": "number,machine,score\n1,TZ,\n"}, "scores.csv, line 2: The score is missing"),
        ({"scores": "number,machine,score\n1,,5\n"}, "scores.csv, line 2: The machine is missing."),
        ({"scores": "number,machine,score\n,TZ,5\n"}, "scores.csv, line 2: The number is missing."),
        ({"scores": "number,machine,score\n9,TZ,5\n"}, "scores.csv, line 2: Number 9 is not in entries.csv."),
        ({"scores": "number,machine,score\n1,XX,5\n"}, "scores.csv, line 2: The machine XX is not in machines.csv."),
        ({"scores": "number,machine,score\n1,TZ,5\n1,tz,6\n"}, "scores.csv, line 3: Number 1 has played TZ before"),
        (
            {"scores": "number,machine,score\n1,TZ,5,6\n"},
            "scores.csv, line 2: The line has 4 cells and the heading has 3.",
        ),
        ({"scores": "number,machine\n1,TZ\n"}, "scores.csv, line 1: The column score is missing."),
        ({"scores": "number,machine,score,points\n"}, "scores.csv, line 1: “points” is not a column of this table"),
        ({"scores": "number,machine,score,score\n"}, "scores.csv, line 1: The column score is there 2 times."),
        ({"scores": "number,,machine,score\n"}, "scores.csv, line 1: A column has no heading."),
        ({"scores": ""}, "scores.csv, line 1: The heading is missing"),
        ({"scores": "number;machine;score\n1;TZ;5\n"}, "scores.csv, line 1: The columns are separated by semicolons"),
        ({"scores": "number\tmachine\tscore\n1\tTZ\t5\n"}, "scores.csv, line 1: The columns are separated by tabs"),
        ({"scores": 'number,machine,score\n1,"TZ"x,5\n'}, "scores.csv: The file is not a comma-separated table"),
        ({"scores": SCORES.encode("utf-16")}, "scores.csv: The file is UTF-16"),
        (
            {"entries": ENTRIES.replace("Bo", "Bö").encode("latin-1")},
            "entries.csv: The file is not UTF-8 (first seen in line 3)",
        ),
        (
            {"scores": "number,machine,score,stage\n1,TZ,5,round-two\n"},
            "line 2: “round-two” is not a stage of this format",
        ),
        (
            {"scores": "number,machine,score,stage\n1,TZ,5,final\n"},
            "line 2: Final is played in matches: say the round",
        ),
        ({"scores": "number,machine,score,round\n1,TZ,5,2\n"}, "line 2: Qualifying has no rounds"),
        (
            {"scores": "number,machine,score,stage,round,status\n1,TZ,5,final,1,waiting\n"},
            "line 2: A score of a match is recorded, agreed, discarded or void.",
        ),
        (
            {"scores": "number,machine,score,stage,round\n1,TZ,5,final,1\n"},
            "line 2: Number 1 has no match on TZ in round 1 of final.",
        ),
        ({"scores": "number,machine,score,status\n1,TZ,5,lost\n"}, "line 2: The status “lost” is not one of recorded"),
        ({"scores": "number,machine,score,status\n1,TZ,5,playing\n"}, "line 2: A game under way has no score yet."),
        (
            {"scores": "number,machine,score,status\n1,TZ,,playing\n2,TZ,,playing\n"},
            "line 3: A game under way on TZ stands in line 2 already.",
        ),
        (
            {"scores": "number,machine,score,recorded_at\n1,TZ,5,noon\n"},
            "line 2: The recorded_at “noon” is not a time",
        ),
        ({"entries": ENTRIES + "0,Di Zero,,,\n"}, "entries.csv, line 5: The number “0” is not a whole number from 1"),
        ({"entries": ENTRIES + "x,Di Zero,,,\n"}, "entries.csv, line 5: The number “x” is not a whole number from 1"),
        ({"entries": ENTRIES + "123456789,Di Zero,,,\n"}, "entries.csv, line 5: The number “123456789” is not"),
        ({"entries": ENTRIES + "4,,,,\n"}, "entries.csv, line 5: The name is missing."),
        ({"entries": ENTRIES + f"4,{'x' * 101},,,\n"}, "entries.csv, line 5: The name has 101 characters"),
        ({"entries": ENTRIES + "3,Di Zero,,,\n"}, "entries.csv, line 5: Number 3 stands in the table already"),
        (
            {"entries": ENTRIES + "4,Di Zero,,,free\n"},
            "entries.csv, line 5: The place “free” is not one of pre-registered",
        ),
        (
            {"entries": "number,name,status\n1,Ann,gone\n", "scores": None},
            "line 2: The status “gone” is not one of entered",
        ),
        ({"entries": None, "scores": None}, "entries.csv: The file is missing."),
        ({"machines": MACHINES + "tz,Another,,\n"}, "machines.csv, line 5: The code tz stands in the table already."),
        ({"machines": MACHINES + "T-Z,Another,,\n"}, "machines.csv, line 5: The code “T-Z” is not letters and digits"),
        ({"machines": MACHINES + "NEW,,,\n"}, "machines.csv, line 5: The name is missing."),
        ({"machines": MACHINES + "NEW,New,,today\n"}, "machines.csv, line 5: The year “today” is not a whole number"),
        ({"machines": None, "scores": None}, "machines.csv: The file is missing."),
        (
            {"teams": "number,name,captain,wppr,player_1,player_2,player_3,player_4\n1,A,,,,,,\n"},
            "teams.csv, line 2: Whoever competes in this format stands in entries.csv; leave this table empty.",
        ),
        (
            {"matches": match("qualifying,1,TZ,1,5,2,6")},
            "matches.csv, line 2: Qualifying is not played in matches that a folder can hold.",
        ),
        ({"matches": match("final,1,TZ,1,5,1,6")}, "line 2: Number 1 is drawn against themselves."),
        ({"matches": match("final,1,TZ,,,,")}, "line 2: The match names nobody."),
        ({"matches": match("final,1,TZ,1,5,,6")}, "line 2: score_2 has no number beside it."),
        ({"matches": match("final,,TZ,1,5,2,6")}, "line 2: The round is missing."),
        ({"matches": match("final,1,XX,1,5,2,6")}, "line 2: The machine XX is not in machines.csv."),
        ({"matches": match("final,1,TZ,1,5,9,6")}, "line 2: Number 9 is not in entries.csv."),
        ({"matches": match("final,1,TZ,1,x,2,6")}, "line 2: “x” is not a number"),
        (
            {"matches": match("final,1,TZ,1,5,2,6", "final,1,TZ,3,5,,")},
            "line 3: TZ in round 1 of final stands in line 2 already.",
        ),
        (
            {"matches": match("final,1,TZ,1,5,2,6", "final,1,AFM,1,5,3,")},
            "line 3: Number 1 plays in round 1 of final in line 2 already.",
        ),
        (
            {"matches": match("final,1,TZ,1,5,2,,done", more=",state")},
            "line 2: The match is done, but number 2 has no score and is not absent.",
        ),
        ({"matches": match("final,1,TZ,1,5,2,6,1", more=",absent")}, "line 2: Number 1 is absent and has a score."),
        ({"matches": match("final,1,TZ,1,,2,6,1", more=",agreed")}, "Number 1 agrees to a score that is missing."),
        ({"matches": match("final,1,TZ,1,5,2,6,3", more=",absent")}, "Number 3 is named in the column absent and"),
        (
            {"matches": match("final,1,TZ,1,5,2,6,2 2", more=",choices")},
            "line 2: The choices “2 2” are not a position",
        ),
        ({"matches": match("final,1,TZ,1,5,2,6,golf", more=",state")}, "line 2: The state “golf” is not one of"),
        ({"results": "place,number\n1,1\n1,2\n3,3\n"}, "line 2: Place 1 is given 2 times and not shared."),
        ({"results": "place,number\n1,1\n3,2\n4,3\n"}, "line 3: Place 3 has 1 better ones before it."),
        ({"results": "place,number,shared\n1,1,yes\n2,2,\n3,3,\n"}, "line 2: Place 1 is not shared by anybody."),
        ({"results": "place,number\n1,1\n2,2\n"}, "results.csv: Number 3 has no line; everybody entered has one"),
        ({"results": "place,number\n1,1\n2,2\n,3\n"}, "line 4: Say in the column why there is no place."),
        ({"heading": 'results_declared_at = "noon"\n' + HEADING}, "line 1: The time “noon” is not like"),
        ({"heading": 'results_held_back = "yes"\n' + HEADING}, "line 1: results_held_back is true or false"),
        ({"stages": "stage,state,open_round\nfinal,planned,x\n"}, "line 2: The open_round “x” is not a whole number"),
        ({"prizes": "number,prize\n"}, "prizes.csv: This is not a file of a tournament folder"),
        ({"heading": TEAMS}, "entries.csv, line 2: Whoever competes in this format stands in teams.csv"),
        (
            {"stages": "stage,state\nqualifying,open\nqualifying,open\n"},
            "line 3: Stage qualifying stands in line 2 already.",
        ),
        ({"stages": "stage,state\nqualifying,ajar\n"}, "stages.csv, line 2: The state “ajar” is not one of planned"),
        (
            {"stages": "stage,state,opens_at,closes_at\nqualifying,open,2010-07-24 16:00,2010-07-24 10:00\n"},
            "stages.csv, line 2: The stage would close before it opens.",
        ),
        (
            {"machine_states": "stage,machine,state\nqualifying,TZ,broken\n"},
            "machine_states.csv, line 2: The state “broken” is not one of open",
        ),
        (
            {"rulings": "stage,kind,order\nqualifying,order,1\n"},
            "rulings.csv, line 2: The order names two numbers or more",
        ),
        (
            {"rulings": "stage,kind,order\nqualifying,order,1 9\n"},
            "rulings.csv, line 2: Number 9 is not in entries.csv.",
        ),
        ({"rulings": "stage,kind,order\nqualifying,,1 2\n"}, "rulings.csv, line 2: The kind is missing."),
        (
            {"rulings": "stage,kind,order\nqualifying,order,Ann Bo\n"},
            "line 2: The order “Ann Bo” is not a list of numbers",
        ),
        (
            {"rulings": "stage,kind,order,scores\nqualifying,play-off,1 2,500\n"},
            "rulings.csv, line 2: A play-off has one score for each number",
        ),
        (
            {"rulings": "stage,kind,order,scores\nqualifying,play-off,1 2,500 600\n"},
            "rulings.csv, line 2: The scores of a play-off go down",
        ),
        ({"seats": "stage,seed,number\nqualifying,1,1\n"}, "seats.csv, line 2: Nobody is seated in qualifying"),
        (
            {"seats": "stage,seed,number\nsecond-round,3,1\n"},
            "seats.csv, line 2: Seed 3, but second-round has 1 seats",
        ),
        (
            {"seats": "stage,seed,number\nsecond-round,1,1\nsecond-round,2,1\n"},
            "line 3: Number 1 is seated in second-round",
        ),
        (
            {"seats": "stage,seed,number\nsecond-round,1,1\nsecond-round,1,2\n"},
            "line 3: Seed 1 of second-round stands",
        ),
        ({"heading": None}, "tournament.toml: The file is missing."),
        ({"heading": HEADING + "points = \n"}, "tournament.toml, line 13: The file cannot be read"),
        ({"heading": HEADING.replace('slug = "open"\n', "")}, "tournament.toml: The slug is missing."),
        (
            {"heading": HEADING.replace('"party"', '"pin party"')},
            "tournament.toml, line 3: The show_slug “pin party” may have",
        ),
        ({"heading": HEADING.replace('"Open"', "7")}, "tournament.toml, line 4: The name stands in quotes"),
        (
            {"heading": HEADING.replace("2010-07-24", '"Saturday"')},
            "tournament.toml, line 7: The starts_on “Saturday” is not",
        ),
        (
            {"heading": HEADING.replace('format = "open"', 'format = "golf"')},
            "tournament.toml, line 6: The format “golf” is not",
        ),
        (
            {"heading": 'colour = "red"\n' + HEADING},
            "tournament.toml, line 1: “colour” is not a key of a tournament folder.",
        ),
        ({"heading": 'time_zone = "Mars"\n' + HEADING}, "tournament.toml, line 1: “Mars” is not a time zone"),
        ({"heading": HEADING + "balls = 3\n"}, "tournament.toml, line 13: “balls” is not a rule of this format."),
        ({"heading": HEADING.replace("games_counted = 3", "games_counted = 9")}, "line 11: 9 games cannot count"),
        (
            {"heading": HEADING.replace("qualifiers = 2", 'qualifiers = "2"')},
            "tournament.toml, line 12: Go on from qualifying",
        ),
        (
            {"heading": HEADING + 'points = "golf"\n'},
            "tournament.toml, line 13: Points on a machine: “golf” is not a points scale",
        ),
        (
            {"heading": HEADING + "[places.free]\ncapacity = 3\n"},
            "tournament.toml, line 13: There are no “free” places",
        ),
        (
            {"heading": HEADING + "[places.last-chance]\n"},
            "tournament.toml, line 13: The capacity of the last-chance places",
        ),
        (
            {"heading": HEADING + "[places.last-chance]\ncapacity = 1\nprice = 5\n"},
            "line 15: “price” is not a key of places",
        ),
        (
            {"heading": HEADING + '[places.last-chance]\ncapacity = 1\nopens_at = "noon"\n'},
            "line 15: The opens_at “noon” is",
        ),
    ],
)
def test_a_fault_is_named_with_its_file_and_line(tables, fault):
    faults = found(**tables)

    assert any(fault in line for line in faults), faults


def test_a_person_entered_twice_is_refused_unless_it_is_another_person():
    faults = found(entries=ENTRIES + "4,ann  example,,,\n")

    assert len(faults) == 1
    assert "entries.csv, line 5: ann example is entered in line 2 already, as number 1" in faults[0]
    entries = "number,name,another_person\n1,Ann Example,\n4,ann example,yes\n"
    assert len(exchange.read_folder(folder(entries=entries, scores=None)).entries) == 2


def test_more_games_than_the_rules_allow_are_refused_at_the_line_that_is_too_many():
    heading = HEADING.replace("games_allowed = 3\ngames_counted = 3", "games_allowed = 2\ngames_counted = 2")

    faults = found(heading=heading, scores="number,machine,score\n1,TZ,5\n1,AFM,6\n1,CEN,7\n")

    assert faults == ["scores.csv, line 4: Number 1 has more than 2 games, which the rules allow."]


def test_a_game_on_a_cancelled_machine_is_given_back():
    heading = HEADING.replace("games_allowed = 3\ngames_counted = 3", "games_allowed = 2\ngames_counted = 2")
    scores = "number,machine,score\n1,TZ,5\n1,AFM,6\n1,CEN,7\n"

    read = exchange.read_folder(
        folder(heading=heading, scores=scores, machine_states="stage,machine,state\nqualifying,TZ,cancelled\n")
    )

    assert len(read.scores) == 3


def test_all_faults_are_found_at_once():
    faults = found(
        heading=HEADING + "balls = 3\n",
        machines=MACHINES + "NEW,,,\n",
        entries=ENTRIES + "4,,,,\n",
        scores=SCORES + "9,TZ,5\n1,CEN,1.5\n",
    )

    assert [line.partition(": ")[0] for line in faults] == [
        "entries.csv, line 5",
        "machines.csv, line 5",
        "scores.csv, line 6",
        "scores.csv, line 7",
        "tournament.toml, line 13",
    ]


def test_what_spreadsheets_add_is_read_all_the_same():
    scores = '\ufeffNumber , machine,score,,\r\n1,TZ,"12,345,678",,\r\n\r\n,,,,\r\n 2 ,tz,12 345 678,,\r\n'

    read = exchange.read_folder(folder(scores=scores))

    assert [(line.line, line.number, line.machine, line.value) for line in read.scores] == [
        (2, 1, "TZ", 12_345_678),
        (5, 2, "TZ", 12_345_678),
    ]


def test_lines_are_counted_as_a_spreadsheet_does_even_with_a_line_break_in_a_cell():
    entries = 'number,name,country\n1,"Ann\nExample",GB\n2,,GB\n'

    assert found(entries=entries, scores=None) == ["entries.csv, line 3: The name is missing."]


def test_notes_for_people_and_what_systems_leave_behind_are_not_faults():
    extra = {"README.md": b"# Us", "notes.txt": b"\xff", ".DS_Store": b"\0", "Thumbs.db": b"\0"}

    assert exchange.read_folder(folder() | extra).scores


def test_a_spreadsheet_itself_is_refused_with_what_to_do():
    with pytest.raises(exchange.Faults) as caught:
        exchange.read_folder(folder() | {"scores.xlsx": b"PK"})

    assert [str(fault) for fault in caught.value.faults] == [
        "scores.xlsx: A spreadsheet cannot be read; save each of its sheets as “CSV UTF-8”."
    ]
