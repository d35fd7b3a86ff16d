"""Rulings in a folder: a copy has the same tables, notes and files, and its rulings can be taken back."""

import csv
from contextlib import suppress
from random import Random

import pytest

from tests import factories
from tests.tournaments.exchange.folders import HEADING, folder, renamed
from tests.tournaments.exchange.test_round_trip import copied
from tests.tournaments.services.officials import (
    IN_MATCHES,
    IN_QUALIFYING,
    Officials,
    in_qualifying,
    in_the_semi_finals,
)
from tournaments import selectors
from tournaments.domain.refusals import Refusal
from tournaments.models import Entry, Player, Ruling, Score, Side, Stage, StageMachine, Tournament
from tournaments.services import effects, entries, exchange, game_rulings, matches, people, rulings, scores, stages

pytestmark = pytest.mark.django_db


def read(tournament):
    """Tables and notes with numbers and codes instead of ids."""
    found = effects.picture(tournament)
    for stage in tournament.stages.order_by("position"):
        facts = selectors.stage_facts(stage).facts
        numbers = {entrant.id: entrant.number for entrant in facts.entrants}
        codes = {machine.id: machine.code for machine in facts.machines}
        found[stage.key, "notes"] = sorted(
            (numbers.get(n.entry, 0), codes.get(n.machine, ""), n.words) for n in facts.notes
        )
    return found


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("begin", "acts"), [(in_qualifying, IN_QUALIFYING), (in_the_semi_finals, IN_MATCHES)])
def test_whatever_was_ruled_survives_the_round_trip_and_is_taken_back_in_the_copy_too(begin, acts, seed):
    random = Random(seed)
    world = begin(random)
    officials = Officials(world, random)
    while Ruling.objects.count() < 6:
        with suppress(Refusal):
            random.choice(acts)(officials)("")

    copy = copied(world.tournament)

    assert read(copy) == read(world.tournament)
    assert not exchange.import_files(renamed(exchange.dump(world.tournament), "copy"), actor=None).changed
    for ruling in Ruling.objects.order_by("-decided_at", "-pk"):
        if ruling.kind != "replayed" or ruling.tournament_id == world.tournament.pk:
            rulings.undo_ruling(ruling, actor=None, reason="appeal")
    if not Ruling.objects.filter(kind="replayed").exists():
        assert read(copy) == read(world.tournament)


HEAD = "stage,kind,number,machine,score,reached,counts,reason\n"
RANKED = "number,machine,score,status,ranked\n1,TZ,300,agreed,240\n1,AFM,10,,\n2,TZ,200,discarded,\n3,CEN,77,void,\n"
RULED = (
    HEAD
    + "qualifying,extra-ball-80,1,TZ,300,,,Played on.\n"
    + "qualifying,slam-tilt,1,AFM,10,,,Rough.\n"
    + "qualifying,discarded,2,TZ,200,,,Coached.\n"
    + "qualifying,stopped,3,CEN,77,,,Stuck ball.\n"
)


def load(**tables):
    return exchange.import_files(folder(**tables), actor=None)


def faults(**tables):
    with pytest.raises(exchange.Faults) as caught:
        load(**tables)
    return [str(fault) for fault in caught.value.faults]


def score(number, code):
    return Score.objects.get(entry__number=number, machine__code=code)


def undo(kind):
    rulings.undo_ruling(Ruling.objects.get(kind=kind), actor=None, reason="appeal")


def test_rulings_typed_by_hand_are_in_force_and_explained():
    load(scores=RANKED, rulings=RULED)

    found = Score.objects.order_by("entry__number", "machine__code")
    assert list(found.values_list("entry__number", "state", "value", "ranked")) == [
        (1, "recorded", 10, None),
        (1, "agreed", 300, 240),
        (2, "discarded", 200, None),
        (3, "void", 77, None),
    ]
    facts = selectors.stage_facts(Stage.objects.get(key="qualifying")).facts
    assert "extra ball played by mistake: 80 % counts (300 was reached, 240 counts). Played on." in str(facts.notes)
    [ruling] = Ruling.objects.filter(kind="extra-ball-80")
    assert ruling.data == {"reached": 300, "counts": 240, "decided_by": ""}
    assert ruling.decider == "imported"
    assert not load(scores=RANKED, rulings=RULED).changed


def test_an_imported_ruling_is_taken_back_to_what_was_reached():
    load(scores=RANKED, rulings=RULED)

    for kind in ("slam-tilt", "extra-ball-80", "discarded", "stopped"):
        undo(kind)

    found = Score.objects.order_by("entry__number", "machine__code")
    assert list(found.values_list("entry__number", "state", "value", "ranked")) == [
        (1, "recorded", 10, None),
        (1, "agreed", 300, None),
        (2, "recorded", 200, None),
        (3, "recorded", 77, None),
    ]


def test_an_imported_stop_whose_game_was_played_again_is_not_taken_back():
    heading = HEADING.replace("games_allowed = 3\ngames_counted = 3", "games_allowed = 1\ngames_counted = 1")
    scores = "number,machine,score,status\n1,TZ,300,void\n1,TZ,500,\n"
    load(heading=heading, scores=scores, rulings=HEAD + "qualifying,stopped,1,TZ,300,,,Stuck ball.\n")

    with pytest.raises(Refusal, match="has played the game that was given back"):
        undo("stopped")


def test_an_imported_replay_of_a_match_is_not_taken_back_because_nobody_knows_what_was_before():
    world = in_the_semi_finals(Random(1))
    match = world.tournament.stages.get(key="semi-finals").matches.first()
    game_rulings.play_again(match, actor=None, reason="stuck", machine=world.machines[3])
    copy = copied(world.tournament)

    with pytest.raises(Refusal, match="came with an imported folder, which does not say what was there before"):
        rulings.undo_ruling(copy.rulings.get(), actor=None, reason="appeal")

    rulings.undo_ruling(world.tournament.rulings.get(), actor=None, reason="appeal")
    assert Score.objects.filter(stage__tournament=copy, state="void").count() == 4


def test_a_ruling_made_elsewhere_is_added_to_the_scores_that_are_here():
    load(scores="number,machine,score\n1,TZ,300\n1,AFM,10\n2,TZ,200\n3,CEN,77\n")

    report = load(scores=RANKED, rulings=RULED)

    assert {what: count for what, count in report.created.items() if count} == {"rulings": 4}
    assert (score(1, "TZ").ranked, score(2, "TZ").state, score(3, "CEN").state) == (240, "discarded", "void")
    undo("stopped")
    assert score(3, "CEN").state == "recorded"


def test_a_ruling_taken_back_here_does_not_come_back():
    load(scores=RANKED, rulings=RULED)
    undo("extra-ball-80")

    assert "rulings.csv, line 2: This ruling was taken back here." in faults(scores=RANKED, rulings=RULED)


def test_a_ruling_on_a_score_of_a_closed_stage_is_left_to_an_organiser():
    plain = "number,machine,score\n1,TZ,300\n1,AFM,10\n2,TZ,200\n3,CEN,77\n"
    load(scores=plain, stages="stage,state\nqualifying,closed\n")

    ranked = plain.replace("score\n1,TZ,300", "score,ranked\n1,TZ,300,240")
    found = faults(scores=ranked, rulings=HEAD + "qualifying,extra-ball-80,1,TZ,300,,,Played on.\n")

    assert found == ["rulings.csv, line 2: Qualifying is closed here; an organiser rules on it at the desk."]


def test_what_a_ruling_made_of_a_score_here_is_not_overwritten():
    load(scores=RANKED, rulings=RULED)

    found = faults(
        scores=RANKED.replace("240", "150"),
        rulings=HEAD + "qualifying,adjusted,1,TZ,300,,150,No.\n" + "qualifying,discarded,2,TZ,200,,,Coached.\n",
    )

    told = "1 Ann Example on Twilight Zone (TZ): 300 is agreed here, and not as it was before the ruling."
    assert found == [f"rulings.csv, line 2: {told}"]
    assert score(1, "TZ").ranked == 240


STATES = "stage,machine,state,substitute,factor\nqualifying,TZ,rescaled,AFM,0.5\nqualifying,AFM,open,,\n"


def test_a_rescaled_machine_is_ranked_on_its_substitute_and_open_again_when_taken_back():
    states = STATES + "qualifying,CEN,open,,\n"
    load(machine_states=states, rulings="stage,kind,machine,reason\nqualifying,machine,TZ,Burnt out.\n")

    used = StageMachine.objects.get(machine__code="TZ")
    assert (used.state, used.substitute.code, str(used.factor)) == ("rescaled", "AFM", "0.500000")
    facts = selectors.stage_facts(Stage.objects.get(key="qualifying")).facts
    assert [note.words for note in facts.notes] == ["200 on Twilight Zone, times 0.5 (Burnt out.)"], (
        "number 1 has played both"
    )
    copied(Tournament.objects.select_related("show").get())
    rulings.undo_ruling(Ruling.objects.get(tournament__show__slug="copy"), actor=None, reason="repaired")
    again = StageMachine.objects.get(machine__code="TZ", stage__tournament__show__slug="copy")
    assert (again.state, again.substitute, again.factor) == ("open", None, None)


def test_a_game_given_back_by_rescaling_may_be_in_the_folder():
    heading = HEADING.replace("games_allowed = 3\ngames_counted = 3", "games_allowed = 2\ngames_counted = 2")
    scores = "number,machine,score\n1,CEN,7\n1,TZ,5\n1,AFM,6\n"

    load(heading=heading, scores=scores, machine_states=STATES + "qualifying,CEN,open,,\n")

    assert Score.objects.filter(state="recorded").count() == 3
    states = STATES.replace("rescaled,AFM,0.5", "open,,") + "qualifying,CEN,open,,\n"
    with pytest.raises(exchange.Faults, match="line 4: Number 1 has more than 2 games"):
        exchange.read_folder(folder(heading=heading, scores=scores, machine_states=states))


def test_players_ruled_out_come_back_to_what_they_were():
    entries = "number,name,status\n1,Ann,disqualified\n2,Bo,withdrawn\n3,Cy,withdrawn\n"
    table = (
        "stage,kind,number,was,reason\n,disqualified,1,checked-in,Cheated.\n,no-shows,2 3,entered checked-in,Away.\n"
        ",warning,1,,Loud.\n"
    )
    load(entries=entries, scores="number,machine,score\n1,TZ,5\n", rulings=table)
    assert list(Entry.objects.order_by("number").values_list("status", flat=True)) == [
        "disqualified",
        "withdrawn",
        "withdrawn",
    ]
    copied(Tournament.objects.select_related("show").get())

    for kind in ("warning", "disqualified", "no-shows"):
        rulings.undo_ruling(Ruling.objects.get(kind=kind, tournament__show__slug="copy"), actor=None, reason="appeal")

    here = Entry.objects.filter(tournament__show__slug="copy").order_by("number")
    assert list(here.values_list("status", flat=True)) == ["checked-in", "entered", "checked-in"]


def test_a_replacement_survives_and_is_taken_back_with_its_games():
    world = factories.qualifying(players=10, stock=8, rules={"qualifiers": 8})
    factories.closed(world, [[1_000 * (20 - number)] for number in range(10)])
    stages.declare_cut(world.stage, actor=None)
    factories.dealt(world, "second-round", machines=world.machines, opened=False)
    second = factories.stage(world.tournament, "second-round")
    matches.replace_seat(second, actor=None, entry=world.entries[4].pk, by=world.entries[8].pk, reason="Had to leave.")
    copy = copied(world.tournament)
    assert copy.rulings.get().data == {"seed": 5, "for": copy.entries.get(number=5).pk, "decided_by": ""}

    rulings.undo_ruling(copy.rulings.get(), actor=None, reason="came back")

    assert list(copy.stages.get(key="second-round").seats.values_list("entry__number", flat=True)) == [*range(1, 9)]
    playing = Side.objects.filter(match__stage__tournament=copy, entry__number__in=(5, 9))
    assert set(playing.values_list("entry__number", flat=True)) == {5}


def test_a_late_correction_survives_the_round_trip_and_its_chain_is_kept():
    world = factories.qualifying(players=4, stock=2, rules={"qualifiers": 2})
    factories.closed(world, [[400], [300], [200], [100]])
    taken = Score.objects.select_related("stage__tournament").get(value=300)
    for value in (310, 320):
        taken.refresh_from_db()
        game_rulings.rule_on_score(
            taken, actor=None, kind="corrected", reason="misread", seen=taken.revision, value=value, late=""
        )

    copy = copied(world.tournament)

    first, second = copy.rulings.order_by("pk")
    with pytest.raises(Refusal, match="decided later, rests on it"):
        rulings.undo_ruling(first, actor=None, reason="appeal", late="")
    for ruling in (second, first):
        rulings.undo_ruling(ruling, actor=None, reason="appeal", late="")
    assert Score.objects.get(stage__tournament=copy, entry__number=2).value == 300


def test_who_decided_is_kept_and_is_not_who_imported():
    boss, other = factories.user("organiser", "boss"), factories.user("organiser", "other")
    world = factories.qualifying()
    taken = factories.play(world.stage, world.entries[0], world.machines[0], 500)
    game_rulings.rule_on_score(taken, actor=boss, kind="zero", reason="tilted the cab", seen=taken.revision)
    files = exchange.dump(world.tournament)

    exchange.import_files(renamed(files, "copy"), actor=other)

    ruling = Ruling.objects.get(tournament__show__slug="copy")
    assert (ruling.decided_by, ruling.data["decided_by"]) == (None, "boss")
    assert ruling.journal.get().actor == other
    assert exchange.dump(ruling.tournament)["rulings.csv"] == files["rulings.csv"]


@pytest.mark.parametrize(
    ("tables", "fault"),
    [
        ({"rulings": HEAD + "qualifying,golf,1,TZ,300,,,No.\n"}, "rulings.csv, line 2: The kind “golf” is not one of"),
        ({"rulings": HEAD + "qualifying,,1,TZ,300,,,No.\n"}, "rulings.csv, line 2: The kind is missing."),
        ({"rulings": HEAD + "qualifying,zero,1,TZ,300,,,\n"}, "line 2: The reason is missing."),
        ({"rulings": HEAD + "qualifying,zero,9,TZ,300,,,No.\n"}, "line 2: Number 9 is not in entries.csv."),
        ({"rulings": HEAD + "qualifying,zero,1,XX,300,,,No.\n"}, "line 2: The machine XX is not in machines.csv."),
        ({"rulings": HEAD + "qualifying,zero,1,TZ,,,,No.\n"}, "line 2: The score that is ruled on is missing."),
        (
            {"rulings": HEAD + "qualifying,slam-tilt,1,TZ,301,,,No.\n"},
            "line 2: scores.csv has no score of 301 of number 1 on TZ.",
        ),
        (
            {"rulings": HEAD + "qualifying,zero,1,TZ,300,,,No.\n"},
            "line 2: scores.csv has 300 of number 1 on TZ, but not as “zero” leaves it.",
        ),
        (
            {"rulings": HEAD + "qualifying,stopped,1,TZ,300,,,No.\n"},
            "line 2: scores.csv has 300 of number 1 on TZ, but not as “stopped” leaves it.",
        ),
        (
            {"rulings": HEAD + "qualifying,extra-ball-80,1,TZ,300,300,250,No.\n"},
            "line 2: After “extra-ball-80” 240 counts, not 250.",
        ),
        ({"rulings": HEAD + "qualifying,adjusted,1,TZ,300,,,No.\n"}, "line 2: An adjusted score says what counts."),
        ({"rulings": HEAD + "qualifying,corrected,1,TZ,300,,,No.\n"}, "line 2: A late correction says what was"),
        (
            {"scores": "number,machine,score,ranked\n1,TZ,300,240\n"},
            "scores.csv, line 2: The score of number 1 is ranked with 240, and no ruling in rulings.csv says so.",
        ),
        (
            {"scores": "number,machine,score,status\n1,TZ,300,discarded\n"},
            "scores.csv, line 2: The score of number 1 is discarded, and no ruling in rulings.csv says so.",
        ),
        (
            {"scores": "number,machine,score,status,ranked\n1,TZ,,playing,5\n"},
            "scores.csv, line 2: A score that is playing is not ranked with another one.",
        ),
        (
            {"rulings": "stage,kind,number,reason\n,disqualified,1,No.\n"},
            "line 2: Number 1 is not disqualified in entries.csv.",
        ),
        (
            {"rulings": "stage,kind,number,reason\nqualifying,disqualified,1,No.\n"},
            "line 2: A ruling “disqualified” belongs to no stage.",
        ),
        (
            {"rulings": "stage,kind,number,was,reason\n,no-shows,1 2,entered,No.\n"},
            "line 2: The column was has 1 states for 2 numbers.",
        ),
        (
            {"rulings": "stage,kind,number,was,reason\n,disqualified,1,asleep,No.\n"},
            "line 2: The state “asleep” in the column was is not one of entered, checked-in, withdrawn.",
        ),
        (
            {"rulings": "stage,kind,number,round,reason\nsecond-round,out-of-match,1,2,No.\n"},
            "line 2: Number 1 has no match in round 2 of second-round.",
        ),
        (
            {"rulings": "stage,kind,number,reason\nqualifying,out-of-match,1,No.\n"},
            "line 2: Qualifying is not played in matches.",
        ),
        (
            {"rulings": "stage,kind,machine,reason\nqualifying,machine,TZ,No.\n"},
            "line 2: TZ is not withdrawn from qualifying in machine_states.csv.",
        ),
        (
            {"rulings": "stage,kind,number,seed,instead_of,reason\nsecond-round,replaced,1,3,2,No.\n"},
            "line 2: Seed 3 of second-round is not in seats.csv.",
        ),
        (
            {"rulings": "stage,kind,number,seed,reason\n,warning,1,3,No.\n"},
            "line 2: A ruling “warning” has no seed.",
        ),
        ({"machine_states": STATES.replace("0.5", "0")}, "machine_states.csv, line 2: A factor is above 0"),
        ({"machine_states": STATES.replace("0.5", "half")}, "line 2: “half” is not a factor"),
        ({"machine_states": STATES.replace(",0.5", ",")}, "line 2: A machine that is rescaled has a substitute and"),
        ({"machine_states": STATES.replace("AFM,0.5", "TZ,0.5")}, "line 2: A machine cannot stand in for itself."),
        ({"machine_states": STATES.replace("AFM,0.5", "XX,0.5")}, "line 2: The machine XX is not in machines.csv."),
        ({"machine_states": STATES.replace("rescaled", "open")}, "line 2: A machine that is open has no substitute."),
        (
            {"machine_states": STATES.replace("rescaled", "cancelled")},
            "line 2: A machine that is cancelled has no factor",
        ),
        (
            {"machine_states": STATES.replace("AFM,open", "AFM,let-stand")},
            "line 2: The substitute AFM is let-stand itself.",
        ),
        (
            {"machine_states": STATES.replace("AFM,0.5", "CEN,0.5")},
            "line 2: The substitute CEN is not used in qualifying.",
        ),
    ],
)
def test_a_fault_in_a_ruling_is_named_with_its_file_and_line(tables, fault):
    found = faults(**tables)

    assert any(fault in line for line in found), found
    assert not Tournament.objects.exists()


def test_a_machine_withdrawn_otherwise_here_is_a_contradiction():
    states = STATES + "qualifying,CEN,open,,\n"
    load(machine_states=states)

    found = faults(machine_states=states.replace("0.5", "0.75"))

    here = "Twilight Zone (TZ) is withdrawn, scores rescaled onto AFM times 0.5 here"
    assert found == [f"machine_states.csv, line 2: {here} and rescaled onto AFM times 0.75 in the folder."]


def test_whoever_was_disqualified_in_a_running_match_and_has_a_score_there_survives():
    world = in_the_semi_finals(Random(2))
    entries.disqualify(world.entries[0], actor=None, reason="Conduct.")

    copy = copied(world.tournament)

    assert read(copy) == read(world.tournament)


def under_another_number(world, number, name="Somebody"):
    """The person with this number gets a higher one, by a merge with a record that is only in another tournament."""
    other = world.show.tournaments.filter(format="kids").first() or factories.tournament(world.show, format="kids")
    kept = factories.entry(other, name).player
    people.merge(kept, Player.objects.get(show=world.show, number=number), actor=None, reason="entered twice")
    return kept.number


def lines(tournament, *columns):
    """What rulings.csv says in these columns."""
    read = csv.DictReader(exchange.dump(tournament)["rulings.csv"].decode().splitlines())
    return [tuple(line[column] for column in columns) for line in read]


def test_who_did_not_come_is_exported_by_the_number_that_a_merge_has_kept():
    world = factories.qualifying(players=4)
    game_rulings.withdraw_no_shows(world.entries[1:3], actor=None, reason="not here at noon")

    number = under_another_number(world, 2)

    assert lines(world.tournament, "number", "was") == [(f"3 {number}", "entered entered")]
    copy = copied(world.tournament)
    assert read(copy) == read(world.tournament)
    rulings.undo_ruling(Ruling.objects.get(tournament=copy), actor=None, reason="in the queue")
    assert {entry.status for entry in copy.entries.all()} == {"entered"}


def test_who_was_replaced_is_exported_by_the_number_that_a_merge_has_kept():
    world = factories.seated()
    final = factories.stage(world.tournament, "semi-finals")
    leaves, comes = world.entries[2], world.entries[8]
    matches.replace_seat(final, actor=None, entry=leaves.pk, by=comes.pk, reason="ill")

    number = under_another_number(world, 3)

    assert ("9", str(number)) in lines(world.tournament, "number", "instead_of")
    assert read(copied(world.tournament)) == read(world.tournament)


def test_of_two_records_that_became_one_the_folder_has_one():
    world = factories.qualifying(players=4, stock=3)
    game_rulings.withdraw_no_shows([world.entries[3]], actor=None, reason="Away.")
    one = factories.play(world.stage, world.entries[0], world.machines[0], 500)
    other = factories.play(world.stage, world.entries[2], world.machines[1], 300)
    scores.void(other, actor=None, seen=other.revision, reason="wrong player")
    for keep, gone in ((world.entries[0], world.entries[1]), (world.entries[0], world.entries[2])):
        people.merge(keep.player, gone.player, actor=None, reason="entered twice")

    copy = copied(world.tournament)

    assert list(copy.entries.values_list("number", "status")) == [(1, "entered"), (4, "withdrawn")]
    counted = Score.objects.get(stage__tournament=copy, state="recorded")
    assert (counted.entry.number, counted.value) == (1, one.value)
