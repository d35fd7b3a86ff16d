"""The commands at the server's console: folders in and out, and the table of a stage."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.tournaments.exchange.folders import folder
from tournaments.models import Show, Tournament

pytestmark = pytest.mark.django_db


def run(*arguments):
    out = io.StringIO()
    call_command(*arguments, stdout=out)
    return out.getvalue()


@pytest.fixture
def put(tmp_path):
    def write(**tables):
        for name, content in folder(**tables).items():
            (tmp_path / name).write_bytes(content)
        return str(tmp_path)

    return write


def test_a_folder_is_imported_and_the_command_says_what_was_new(put):
    assert run("import_tournament", put()).startswith("party/open: 1 show, 1 tournament, 3 machines, 3 entries")


def test_a_dry_run_keeps_nothing(put):
    assert run("import_tournament", put(), "--dry-run").startswith("Tried out, nothing was kept.")
    assert not Show.objects.exists()


def test_faults_are_listed_one_a_line_and_nothing_is_changed(put):
    err = io.StringIO()

    with pytest.raises(CommandError, match=r"^2 faults; nothing was changed\.$") as caught:
        call_command("import_tournament", put(scores="number,machine,score\n9,TZ,5\n1,TZ,x\n"), stderr=err)

    assert caught.value.returncode == 1
    assert [line.partition(": ")[0] for line in err.getvalue().splitlines()] == [
        "scores.csv, line 2",
        "scores.csv, line 3",
    ]
    assert not Show.objects.exists()


def test_something_that_is_not_a_folder_is_refused(tmp_path):
    with pytest.raises(CommandError, match="is not a folder"):
        run("import_tournament", str(tmp_path / "nowhere"))


def test_an_export_is_a_folder_that_can_be_imported_again(put, tmp_path):
    run("import_tournament", put())
    target = tmp_path / "out" / "open"

    assert run("export_tournament", "party/open", str(target)) == f"party/open: 6 files in {target}.\n"

    assert sorted(path.name for path in target.iterdir()) == [
        "entries.csv",
        "machine_states.csv",
        "machines.csv",
        "scores.csv",
        "stages.csv",
        "tournament.toml",
    ]
    assert "nothing new" in run("import_tournament", str(target))


def test_an_export_leaves_no_table_of_an_earlier_one_behind(put, tmp_path):
    run("import_tournament", put())
    target = tmp_path / "out"
    target.mkdir()
    (target / "seats.csv").write_text("stage,seed,number\n")
    (target / "notes.txt").write_text("ours")

    run("export_tournament", "party/open", str(target))

    assert not (target / "seats.csv").exists()
    assert (target / "notes.txt").read_text() == "ours"


@pytest.mark.parametrize("command", ["standings", "export_tournament"])
def test_an_unknown_tournament_is_refused_with_those_there_are(command, put, tmp_path):
    run("import_tournament", put())
    more = [str(tmp_path)] if command == "export_tournament" else []

    with pytest.raises(CommandError, match="There is no tournament “party/golf”; there are: party/open"):
        run(command, "party/golf", *more)


SCORES = "number,machine,score\n3,TZ,300\n2,TZ,300\n2,AFM,10\n3,AFM,10\n1,TZ,0\n"
ENTRIES = "number,name\n1,Ann Example\n2,Bo Sample\n3,Cy Instance\n4,Di Absent\n"


def test_standings_as_csv_are_by_position_then_number_and_leave_the_unranked_out(put):
    run("import_tournament", put(entries=ENTRIES, scores=SCORES))

    lines = list(csv.reader(io.StringIO(run("standings", "party/open", "--format", "csv"))))

    assert lines == [
        ["position", "number", "name", "points", "games", "tied"],
        ["1", "2", "Bo Sample", "200", "2", "yes"],
        ["1", "3", "Cy Instance", "200", "2", "yes"],
        ["3", "1", "Ann Example", "98", "1", "no"],
    ]


def test_standings_as_json_hold_numbers(put):
    run("import_tournament", put(entries=ENTRIES, scores=SCORES))

    rows = json.loads(run("standings", "party/open", "--stage", "qualifying", "--format", "json"))

    assert rows[2] == {"position": 3, "number": 1, "name": "Ann Example", "points": 98, "games": 1, "tied": False}


def test_standings_as_a_table_are_for_people(put):
    run("import_tournament", put(entries=ENTRIES, scores=SCORES))

    assert run("standings", "party/open").splitlines() == [
        "position  number  name         points  games",
        "      1=       2  Bo Sample       200      2",
        "      1=       3  Cy Instance     200      2",
        "       3       1  Ann Example      98      1",
    ]


def test_standings_of_a_tournament_without_scores_are_empty(put):
    run("import_tournament", put(scores=None))

    assert run("standings", "party/open", "--format", "csv") == "position,number,name,points,games,tied\n"
    assert Tournament.objects.get().stages.get(key="qualifying").state == "planned"


@pytest.mark.parametrize(
    ("stage", "sentence"),
    [("golf", "party/open has no stage “golf”; there are: qualifying"), ("results", "party/open has no results yet")],
)
def test_a_stage_without_a_table_is_refused(put, stage, sentence):
    run("import_tournament", put())

    with pytest.raises(CommandError, match=sentence):
        run("standings", "party/open", "--stage", stage)
