"""Loading a folder: it adds what is not there, overwrites nothing, and stands or falls as a whole."""

import pytest
from django.utils import timezone

from tests import factories
from tests.tournaments.exchange.folders import ENTRIES, HEADING, MACHINES, PUBLISHED, SCORES, folder, published
from tournaments import selectors
from tournaments.models import (
    Entry,
    Journal,
    Machine,
    PlacePool,
    Player,
    Ruling,
    Score,
    Show,
    Stage,
    StageMachine,
    Tournament,
)
from tournaments.services import entries, exchange, machines, rulings, scores, stages

pytestmark = pytest.mark.django_db
MODELS = (Show, Tournament, Stage, Machine, StageMachine, Player, Entry, PlacePool, Score, Journal)


def load(**tables):
    return exchange.import_files(folder(**tables), actor=None)


def faults(**tables):
    """The faults met while loading the small folder with these tables, with proof that nothing was changed."""
    before = everything()
    with pytest.raises(exchange.Faults) as caught:
        load(**tables)
    assert everything() == before
    return [str(fault) for fault in caught.value.faults]


def everything():
    return {model: list(model.objects.order_by("pk").values()) for model in MODELS}


def qualifying():
    return Stage.objects.select_related("tournament__show").get(key="qualifying")


def score(number, code):
    return Score.objects.select_related("stage__tournament").get(entry__number=number, machine__code=code)


def test_a_folder_makes_show_tournament_machines_entries_and_scores():
    report = load()

    assert str(report) == (
        "party/open: 1 show, 1 tournament, 3 machines, 3 entries, 1 stage opened, 4 scores;"
        " 0 lines were there already."
    )
    tournament = Tournament.objects.get()
    assert (tournament.path, tournament.name, tournament.rules_in_force.games_allowed) == ("party/open", "Open", 3)
    assert list(Machine.objects.order_by("code").values_list("code", "name", "manufacturer", "year")) == [
        ("AFM", "Attack from Mars", "Bally", 1995),
        ("CEN", "Centaur", "", None),
        ("TZ", "Twilight Zone", "Bally", 1993),
    ]
    assert list(Player.objects.values_list("number", "name", "country", "ifpa_number")) == [
        (1, "Ann Example", "GB", "123"),
        (2, "Bo Sample", "", ""),
        (3, "Cy Instance", "NL", ""),
    ]
    assert (score(2, "TZ").value, score(2, "TZ").state, score(2, "TZ").source) == (200, "recorded", "import")
    assert qualifying().state == "open"


def test_a_folder_without_scores_leaves_qualifying_planned():
    load(scores=None)

    assert qualifying().state == "planned"


@pytest.mark.parametrize("name", PUBLISHED)
def test_repeating_an_import_changes_nothing(name):
    factories.imported(name)
    before = everything()

    report = exchange.import_files(published(name), actor=None)

    assert everything() == before
    assert not report.changed
    assert report.unchanged > 100


def test_a_trial_says_what_would_be_done_and_keeps_nothing():
    report = exchange.import_files(folder(), actor=None, dry_run=True)

    assert report.created["scores"] == 4
    assert str(report).startswith("Tried out, nothing was kept. party/open: 1 show,")
    assert everything() == {model: [] for model in MODELS}


def test_every_change_is_in_the_journal():
    desk = factories.user("organiser")

    exchange.import_files(folder(), actor=desk)

    tournament = Tournament.objects.get()
    assert list(tournament.journal.order_by("revision").values_list("revision", flat=True)) == list(
        range(1, tournament.revision + 1)
    )
    assert tournament.journal.filter(action="record score", actor=desk).count() == 4


def test_later_lines_are_added_and_the_others_left_alone():
    load()
    was = score(1, "TZ").revision

    report = load(entries=ENTRIES + "4,Di Later,,,\n", scores=SCORES + "4,TZ,500\n2,AFM,9\n")

    assert {what: count for what, count in report.created.items() if count} == {"entries": 1, "scores": 2}
    assert score(4, "TZ").value == 500
    assert score(1, "TZ").revision == was


def test_what_the_desk_moved_on_is_never_moved_back():
    load(entries="number,name,status\n1,Ann Example,entered\n2,Bo Sample,\n3,Cy Instance,\n")
    entries.check_in(Entry.objects.get(number=1), actor=None)
    stages.close_stage(qualifying(), actor=None)
    before = everything()

    load(entries="number,name,status\n1,Ann Example,entered\n2,Bo Sample,\n3,Cy Instance,\n")

    assert everything() == before


@pytest.mark.parametrize(
    ("tables", "fault"),
    [
        ({"heading": HEADING.replace('2010"', '2011"')}, "line 2: The show is “UK Pinball Party 2011” in the folder"),
        (
            {"heading": HEADING.replace('"Open"', '"Opened"')},
            "line 4: The name is “Opened” in the folder and “Open” here",
        ),
        ({"heading": HEADING.replace("07-24", "07-25")}, "line 7: The starts_on is “2010-07-25” in the folder"),
        (
            {"heading": HEADING.replace("qualifiers = 2", "qualifiers = 3")},
            "line 12: The qualifiers is “3” in the folder",
        ),
        (
            {"heading": HEADING.replace("qualifiers = 2", "")},
            "line 9: The qualifiers is “24” in the folder and “2” here",
        ),
        ({"machines": MACHINES.replace("1993", "1994")}, "machines.csv, line 2: TZ: the year is “1994” in the folder"),
        (
            {"entries": ENTRIES.replace("Ann Example", "Ann Other")},
            "entries.csv, line 2: Number 1: the name is “Ann Other”",
        ),
        (
            {"entries": ENTRIES.replace(",GB,", ",IE,")},
            "entries.csv, line 2: Number 1: the country is “IE” in the folder",
        ),
        ({"entries": ENTRIES.replace("1,Ann", "7,Ann"), "scores": None}, "line 2: The show already has 1 Ann Example"),
        (
            {"entries": ENTRIES.replace("Sample,,,", "Sample,,,last-chance")},
            "line 3: 2 Bo Sample has no counted place here",
        ),
        (
            {"scores": SCORES.replace("300", "301")},
            "scores.csv, line 2: Number 1 on TZ: 301 in the folder and 300 here",
        ),
        (
            {"scores": "number,machine,score,status\n1,TZ,300,void\n"},
            "scores.csv, line 2: Number 1 on TZ: 300, void, in the folder and 300 here",
        ),
        (
            {"scores": "number,machine,score,status\n1,TZ,,playing\n"},
            "Number 1 on TZ: under way in the folder and 300 here",
        ),
    ],
)
def test_a_contradiction_is_a_fault_and_overwrites_nothing(tables, fault):
    load()

    found = faults(**tables)

    assert len(found) == 1
    assert fault in found[0]


def test_a_score_made_void_at_the_desk_does_not_come_back():
    load()
    stored = score(1, "TZ")
    scores.void(stored, actor=None, seen=stored.revision, reason="Wrong machine.")

    found = "scores.csv, line 2: Number 1 on TZ: 300 in the folder and 300, void, here; nothing is overwritten."
    assert faults() == [f"{found} Correct it at the desk."]


def test_a_corrected_score_is_not_entered_again_where_machines_may_be_repeated():
    heading = HEADING + "games_per_machine = 3\n"
    load(heading=heading)
    stored = score(1, "TZ")
    scores.correct(stored, actor=None, seen=stored.revision, value=310, reason="Misread.")

    assert "Number 1 on TZ: 300 in the folder and 310 here" in faults(heading=heading)[0]


def test_repeats_of_a_machine_are_games_of_their_own():
    heading = HEADING + "games_per_machine = 3\n"

    load(heading=heading, scores="number,machine,score\n1,TZ,300\n1,TZ,300\n1,TZ,200\n")
    again = load(heading=heading, scores="number,machine,score\n1,TZ,200\n1,TZ,300\n1,TZ,300\n")

    assert sorted(Score.objects.values_list("value", flat=True)) == [200, 300, 300]
    assert not again.changed


def test_a_closed_machine_and_a_withdrawn_entry_are_contradicted_by_the_folder():
    states = "stage,machine,state\nqualifying,TZ,open\nqualifying,AFM,open\nqualifying,CEN,open\n"
    with_status = "number,name,status\n1,Ann Example,checked-in\n2,Bo Sample,\n3,Cy Instance,\n"
    load(entries=with_status, machine_states=states)
    machines.set_state(StageMachine.objects.get(machine__code="TZ"), actor=None, state="let-stand", reason="Broken.")
    entries.withdraw(Entry.objects.get(number=1), actor=None, reason="Left.")

    assert faults(entries=with_status, machine_states=states) == [
        "entries.csv, line 2: 1 Ann Example is withdrawn here and checked-in in the folder.",
        "machine_states.csv, line 2: Twilight Zone (TZ) is closed, scores stand here and open in the folder.",
    ]


def test_a_stage_closed_at_the_desk_is_not_opened_again():
    table = "stage,state\nqualifying,open\n"
    load(stages=table)
    stages.close_stage(qualifying(), actor=None)

    assert faults(stages=table) == ["stages.csv, line 2: Qualifying is closed here and open in the folder."]


def test_faults_of_the_files_and_of_the_database_are_told_together():
    load()

    assert [line[:29] for line in faults(scores=SCORES.replace("300", "301") + "9,TZ,5\n")] == [
        "scores.csv, line 2: Number 1 ",
        "scores.csv, line 6: Number 9 ",
    ]


def test_scores_for_a_closed_stage_are_refused_line_by_line():
    load()
    stages.close_stage(qualifying(), actor=None)

    found = faults(scores=SCORES + "2,AFM,5\n3,AFM,6\n")

    assert [line[:20] for line in found] == ["scores.csv, line 6: ", "scores.csv, line 7: "]
    assert all("Qualifying of Open is closed; an organiser can reopen it." in line for line in found)


def test_places_are_as_many_as_the_entries_name_so_nobody_else_may_enter():
    load(entries=ENTRIES.replace("GB,123,", "GB,123,pre-registered").replace("NL,,", "NL,,pre-registered"))

    pool = PlacePool.objects.get()
    assert (pool.kind, pool.capacity, pool.taken) == ("pre-registered", 2, 2)
    assert selectors.stage_facts(qualifying()).facts.may_enter == 0
    assert Entry.objects.get(number=2).pool is None


def test_places_on_sale_are_those_of_the_heading():
    heading = HEADING + "[places.pre-registered]\ncapacity = 60\nopens_at = 2010-06-18 12:00:00\n"

    load(heading=heading, entries=ENTRIES.replace("GB,123,", "GB,123,pre-registered"))

    pool = PlacePool.objects.get()
    assert (pool.capacity, pool.taken) == (60, 1)
    assert pool.opens_at.isoformat() == "2010-06-18T11:00:00+00:00", "midday in London in summer"


def test_a_place_that_a_folder_names_was_taken_elsewhere_whenever_the_sale_is():
    heading = HEADING + "[places.last-chance]\ncapacity = 3\n{} = 2010-07-24 12:00:00\n"
    named = ENTRIES.replace("GB,123,", "GB,123,last-chance")

    load(heading=heading.format("closes_at"), entries=named, scores=None)

    assert PlacePool.objects.get().taken == 1


def test_an_entry_beyond_the_places_is_refused():
    heading = HEADING + "[places.last-chance]\ncapacity = 1\n"
    table = "number,name,place\n1,Ann,last-chance\n2,Bo,last-chance\n"

    found = faults(heading=heading, entries=table, scores=None)

    assert found == ["entries.csv, line 3: All 1 last-chance places of Open are taken."]


def test_more_places_may_be_offered_by_a_folder_and_fewer_not():
    places = HEADING + "[places.last-chance]\ncapacity = {}\n"
    load(heading=places.format(12), scores=None)

    load(heading=places.format(14), scores=None)

    assert PlacePool.objects.get().capacity == 14
    assert "line 13: There are 14 last-chance places here already, not 12" in faults(heading=places.format(12))[0]


def test_a_person_of_the_show_keeps_the_number_in_another_tournament():
    load()

    load(
        heading=HEADING.replace('slug = "open"', 'slug = "second"', 2).replace(
            'show_slug = "second"', 'show_slug = "party"'
        )
    )

    assert Player.objects.count() == 3
    assert Entry.objects.filter(player__number=1).count() == 2
    assert Machine.objects.count() == 3


def test_a_score_taken_after_the_closing_time_is_late_when_it_is_imported():
    load(
        stages="stage,state,opens_at,closes_at\nqualifying,open,2010-07-24 10:00,2010-07-24 16:00\n",
        scores="number,machine,score,recorded_at\n1,TZ,5,2010-07-24 15:59\n2,TZ,6,2010-07-24T15:01:00+00:00\n",
    )

    assert (score(1, "TZ").late, score(2, "TZ").late) == (False, True)
    assert score(1, "TZ").taken_at.isoformat() == "2010-07-24T14:59:00+00:00"
    assert qualifying().phase(timezone.now()) == "closing"


def test_seats_need_a_closed_stage_before_them():
    seats = "stage,seed,number\nsecond-round,1,1\nsecond-round,2,2\n"

    assert faults(seats=seats) == [
        "seats.csv, line 2: Nobody can be seated in second round before qualifying is closed."
    ]


def test_other_seats_than_those_here_are_a_contradiction():
    closed = "stage,state\nqualifying,closed\n"
    load(stages=closed, seats="stage,seed,number\nsecond-round,1,1\nsecond-round,2,2\n")

    found = faults(stages=closed, seats="stage,seed,number\nsecond-round,1,1\nsecond-round,2,3\n")

    assert found == [
        "seats.csv, line 3: Here seed 2 of second-round is number 2, not number 3; nothing is overwritten."
    ]


def test_a_ruling_taken_back_here_does_not_come_back():
    closed = "stage,state\nqualifying,closed\n"
    table = "stage,kind,order,scores,reason\nqualifying,order,1 2,,Coin tossed.\n"
    load(stages=closed, rulings=table)
    rulings.undo_ruling(Ruling.objects.select_related("tournament").get(), actor=None, reason="Wrong coin.")

    assert faults(stages=closed, rulings=table) == ["rulings.csv, line 2: This ruling was taken back here."]
