"""Matches from a folder: a draw made elsewhere is judged, what is played goes on, and all comes back the same."""

import csv
import io

import pytest

from tests import factories
from tests.tournaments.commands.test_rehearse import rehearse
from tests.tournaments.exchange.folders import folder, match, renamed
from tests.tournaments.exchange.test_round_trip import copied, seats
from tournaments import selectors
from tournaments.models import FinalPlace, Match, Score, Side, Stage, Tournament
from tournaments.services import exchange, matches, redraw, reports, results, rulings, scores, stages

pytestmark = pytest.mark.django_db

PLAYERS, MACHINES = range(1, 25), [f"M{number}" for number in range(1, 13)]
HEADING = folder()["tournament.toml"].decode().replace("games_allowed = 3\ngames_counted = 3\nqualifiers = 2", "")


def qualified():
    """24 players in the order of their numbers after one game each, with a cut of 24, and 12 machines."""
    return {
        "heading": HEADING,
        "machines": "code,name\n" + "".join(f"{code},Machine {code}\n" for code in MACHINES),
        "entries": "number,name\n" + "".join(f"{n},Player {n}\n" for n in PLAYERS),
        "scores": "number,machine,score\n" + "".join(f"{n},M1,{100 - n}\n" for n in PLAYERS),
    }


def load(**tables):
    return exchange.import_files(folder(**tables), actor=None)


def faults(**tables):
    with pytest.raises(exchange.Faults) as caught:
        load(**tables)
    return [str(fault) for fault in caught.value.faults]


def stage(key):
    return Stage.objects.select_related("tournament__show").get(tournament__show__slug="party", key=key)


def draw():
    """The lines of the published draw as somebody could have typed them, without scores."""
    kind = Tournament(format="open").kind
    planned = kind.deal("second-round", list(PLAYERS), list(range(12)), kind.Rules(), 0)
    return [
        [m.round, MACHINES[m.machine], *(cell for entry in reversed(m.entries) for cell in (entry, ""))]
        for m in planned
    ]


def typed(lines, stage="second-round"):
    return match(*(",".join(map(str, [stage, *line])) for line in lines))


def test_a_draw_made_elsewhere_closes_qualifying_declares_its_cut_and_is_ready_to_be_played():
    load(**qualified(), matches=typed(draw()))

    assert stage("qualifying").state == "closed"
    assert list(stage("second-round").seats.values_list("entry__number", flat=True)) == list(PLAYERS)
    assert stage("second-round").matches.count() == 48
    assert stage("second-round").stage_machines.count() == 12
    assert stage("second-round").state == "planned"
    stages.open_stage(stage("second-round"), actor=None)


def test_the_better_seed_chooses_first_in_whatever_order_the_numbers_stand():
    load(**qualified(), matches=typed(draw()))

    for sides in (list(each.sides.all()) for each in Match.objects.prefetch_related("sides__entry")):
        assert [side.entry.number for side in sides] == sorted(side.entry.number for side in sides)


@pytest.mark.parametrize(
    ("lines", "fault"),
    [
        (draw()[:-1], "matches.csv: Game 4: "),
        (
            [[5, *line[1:]] if line[0] == 4 else line for line in draw()],
            "matches.csv: The draw has 5 games instead of 4.",
        ),
        (
            [line for line in draw() if 7 not in line],
            "matches.csv: 7 Player 7 has a seat in the second round and no match.",
        ),
    ],
)
def test_a_draw_that_breaks_a_rule_is_refused_and_nothing_is_changed(lines, fault):
    found = faults(**qualified(), matches=typed(lines))

    assert any(fault in line for line in found), found
    assert not Tournament.objects.exists()


def test_an_opponent_met_twice_is_named():
    lines = draw()
    rounds = {number: [line for line in lines if line[0] == number] for number in range(1, 5)}
    again = [[2, *line[1:]] for line in rounds[1]]

    found = faults(**qualified(), matches=typed([*rounds[1], *again, *rounds[3], *rounds[4]]))

    pair = " meets ".join(f"{n} Player {n}" for n in sorted((rounds[1][0][2], rounds[1][0][4])))
    assert any(line == f"matches.csv: Games 1 and 2: {pair} more than once." for line in found), found
    machine = rounds[1][0][1]
    assert any(f"plays Machine {machine} more than once." in line for line in found)


def test_who_has_no_seat_is_named():
    tables = qualified()
    tables["heading"] = HEADING.replace("[qualifying]", "[qualifying]\nqualifiers = 22")

    found = faults(**tables, matches=typed(draw()))

    assert "matches.csv: 24 Player 24 has no seat in the second round." in found


def test_a_draw_that_had_to_break_a_rule_is_taken_when_the_folder_says_so():
    states = "stage,state,rules_broken\nqualifying,closed,\nsecond-round,planned,yes\n"
    numbers = "stage,seed,number\n" + "".join(f"second-round,{n},{n}\n" for n in PLAYERS)
    load(**qualified(), matches=typed(draw()[:-1]), stages=states, seats=numbers)

    assert stage("second-round").matches.count() == 47
    assert b"second-round,planned,,,1,yes" in exchange.dump(stage("second-round").tournament)["stages.csv"]


def test_scores_may_be_missing_and_come_later_and_a_repeat_changes_nothing():
    lines = draw()
    lines[0][3], lines[0][5] = 500, 400
    load(**qualified(), matches=typed(lines))
    assert stage("second-round").state == "open"
    assert Match.objects.filter(state="done").count() == 1

    lines[1][3] = 700
    assert load(**qualified(), matches=typed(lines)).created["scores"] == 1
    assert not load(**qualified(), matches=typed(lines)).changed

    lines[0][3] = 501
    assert faults(**qualified(), matches=typed(lines)) == [
        (
            f"matches.csv, line 2: Number {lines[0][2]} in round 1 of second-round has 500 here, not 501; nothing is"
            " overwritten. Correct it at the desk."
        )
    ]


def test_scores_of_matches_may_stand_with_the_other_scores():
    line = draw()[0]
    tables = qualified()
    tables["scores"] = "number,machine,score,stage,round,status\n" + "".join(f"{n},M1,{100 - n},,,\n" for n in PLAYERS)
    tables["scores"] += f"{line[2]},{line[1]},777,second-round,1,agreed\n{line[4]},{line[1]},5,second-round,1,void\n"

    load(**tables, matches=typed(draw()))

    found = Score.objects.filter(stage__key="second-round").order_by("value")
    assert list(found.values_list("entry__number", "value", "state")) == [
        (line[4], 5, "void"),
        (line[2], 777, "recorded"),
    ]
    assert Side.objects.exclude(agreed_at=None).get().entry.number == line[2]


def test_a_match_that_is_not_here_is_refused_once_the_draw_is():
    load(**qualified(), matches=typed(draw()))
    lines = draw()
    lines[0][1], lines[1][1] = lines[1][1], lines[0][1]

    found = faults(**qualified(), matches=typed(lines))

    assert found[0].startswith("matches.csv, line 2: M2 in round 1 of second-round is played by")
    assert len(found) == 2


def test_the_final_of_a_hand_made_folder_waits_for_the_games_before_it():
    tables = {**qualified(), "heading": HEADING.replace('format = "open"', 'format = "kids"')}

    found = faults(**tables, matches=typed([[1, "M1", 1, "", 2, ""]], "final"))

    assert "matches.csv: Final has no seats yet: semi-finals decide them." in found


def half_played():
    """The second round in its second game: choices, warm-up, a walk-over, a void score, agreements."""
    load(**qualified(), matches=typed(draw()))
    here = stage("second-round")
    stages.open_stage(here, actor=None)
    found = list(here.matches.select_related("stage__tournament__show", "machine").order_by("round", "order"))
    for number, each in enumerate(found[:12]):
        first, second = each.sides.all()
        matches.call(each, actor=None)
        matches.choose(each, actor=None, entry=first.entry_id, position=1 + number % 2)
        matches.play(each, actor=None)
        if number == 3:
            matches.absent(each, actor=None, entry=second.entry_id, reason="Went home.")
        else:
            take(each, second, 40_000 + number)
        score = take(each, first, 50_000 + number)
        if number == 5:
            scores.void(score, actor=None, seen=score.revision, reason="The wrong machine.")
            take(each, first, 9_000, agreed=True)
    called, warming, playing, scored = found[12:16]
    matches.call(called, actor=None)
    matches.warm_up(warming, actor=None)
    matches.play(playing, actor=None)
    take(scored, scored.sides.all()[1], 123)
    matches.open_round(here, actor=None, round_number=3, reason="The hall closes early.")
    return Tournament.objects.select_related("show").get()


def take(game, side, value, **more):
    return matches.record(game, actor=None, entry=side.entry_id, value=value, sure=value, **more).score


def test_a_second_round_half_played_survives_the_round_trip():
    tournament = half_played()

    copy = copied(tournament)

    assert seats(copy) == seats(tournament)
    assert table(copy) == table(tournament)
    assert games(copy) == games(tournament)
    states = {state for state, *_ in games(copy)}
    assert states == {"planned", "called", "warm-up", "playing", "done"}
    assert copy.stages.get(key="second-round").open_round == 3
    assert Score.objects.filter(stage__tournament=copy, state="void").get().value == 50_005
    assert not exchange.import_files(renamed(exchange.dump(tournament), "copy"), actor=None).changed


def table(tournament):
    return [
        (line.position, line.shared, line.entry.number, line.points, line.games)
        for line in reports.of_stage(tournament.stages.get(key="second-round"))
    ]


def games(tournament):
    found = Match.objects.filter(stage__tournament=tournament).prefetch_related("sides__entry")
    return [
        (each.state, each.round, [(s.entry.number, s.choice, s.absent, bool(s.agreed_at)) for s in each.sides.all()])
        for each in found.order_by("stage__position", "round", "order")
    ]


@pytest.mark.parametrize("slug", ["open", "kids"])
def test_a_finished_tournament_survives_the_round_trip(slug):
    rehearse("--tournament", slug, "--players", "26", "--until", "final")
    tournament = Tournament.objects.select_related("show").get()

    copy = copied(tournament)

    assert seats(copy) == seats(tournament)
    assert games(copy) == games(tournament)
    assert placed(copy) == placed(tournament)
    assert copy.results_declared_at == tournament.results_declared_at
    for key in tournament.stages.values_list("key", flat=True):
        lines = [
            [(x.position, x.entry.number, x.points) for x in reports.of_stage(each.stages.get(key=key))]
            for each in (tournament, copy)
        ]
        assert lines[0] == lines[1]


def placed(tournament):
    found = FinalPlace.objects.filter(tournament=tournament)
    return list(found.values_list("entry__number", "place", "shared", "why"))


def test_a_copy_made_before_the_finals_plays_on_to_its_champion():
    rehearse("--tournament", "kids", "--until", "semi-finals")
    copy = copied(Tournament.objects.select_related("show").get())

    machine = copy.show.machines.first()
    for key in ("play-off", "final"):
        here = Stage.objects.select_related("tournament__show").get(tournament=copy, key=key)
        matches.deal(here, actor=None, machines=[machine])
        stages.open_stage(here, actor=None)
        game = here.matches.get()
        for side in game.sides.all():
            take(game, side, 1_000 - 10 * side.rank)
        stages.close_stage(here, actor=None)
    results.declare(copy, actor=None, held_back=True)

    assert copy.final_places.get(place=1).entry == copy.stages.get(key="final").seats.get(seed=1).entry
    files = exchange.dump(Tournament.objects.select_related("show").get(pk=copy.pk))
    exchange.import_files(renamed(files, "again"), actor=None)
    assert Tournament.objects.get(show__slug="again").results_held_back


def test_a_whole_tournament_typed_by_hand_has_a_champion_without_a_word_about_its_stages():
    tables = {**qualified(), "heading": HEADING.replace('format = "open"', 'format = "kids"')}
    eight = [[1, "M1", 1, 80, 3, 70, 5, 60, 7, 50], [1, "M2", 2, 81, 4, 71, 6, 71, 8, 51]]
    four = {"play-off": [1, "M3", 5, 9, 7, 8, 8, 7, 6, 5], "final": [1, "M4", 1, 4, 2, 3, 3, 2, 4, 1]}
    lines = [",".join(map(str, ["semi-finals", *line])) for line in eight]
    lines += [",".join(map(str, [key, *line])) for key, line in four.items()]
    order = "stage,kind,order,scores\nsemi-finals,play-off,4 6,20 10\n"

    load(**tables, matches=match(*lines, more=",number_3,score_3,number_4,score_4"), rulings=order)

    rows = [line for line in reports.of_results(Tournament.objects.get()) if line.position]
    assert [(line.position, line.entry.number) for line in rows[:8]] == list(
        enumerate([1, 2, 3, 4, 5, 7, 8, 6], start=1)
    )
    assert len(rows) == 24


def test_results_that_contradict_those_declared_here_are_refused():
    rehearse("--tournament", "kids", "--players", "8", "--until", "final")
    files = exchange.dump(Tournament.objects.select_related("show").get())
    rows = list(csv.reader(io.StringIO(files["results.csv"].decode())))
    rows[1][1], rows[2][1] = rows[2][1], rows[1][1]
    text = "\n".join(",".join(row) for row in rows)

    with pytest.raises(exchange.Faults) as caught:
        exchange.import_files(files | {"results.csv": text.encode()}, actor=None)

    assert str(caught.value.faults[0]) == (
        f"results.csv, line 2: Number {rows[1][1]} has place 2 in the results declared here; nothing is overwritten."
    )


def test_results_are_not_taken_before_the_games_are_over():
    places = "place,number\n" + "".join(f"{n},{n}\n" for n in PLAYERS)

    assert faults(**qualified(), results=places) == ["results.csv: Qualifying is still open."]


def test_results_declared_without_a_list_are_worked_out():
    rehearse("--tournament", "kids", "--players", "8", "--until", "final")
    tournament = Tournament.objects.select_related("show").get()
    files = exchange.dump(tournament)
    del files["results.csv"]

    exchange.import_files(renamed(files, "copy"), actor=None)

    assert placed(Tournament.objects.get(show__slug="copy")) == placed(tournament)


def test_a_play_off_of_a_game_survives_the_round_trip():
    load(
        **{**qualified(), "heading": HEADING.replace('format = "open"', 'format = "kids"')},
        matches=match(
            "semi-finals,1,M1,1,80,3,70,5,70,7,50",
            "semi-finals,1,M2,2,,4,,6,,8,",
            more=",number_3,score_3,number_4,score_4",
        ),
    )
    here = stage("semi-finals")
    third, fifth = (here.tournament.entries.get(number=number).pk for number in (3, 5))
    rulings.record_play_off(here, actor=None, scores={third: 10, fifth: 20})

    copy = copied(Tournament.objects.select_related("show").get())

    rows = reports.of_stage(copy.stages.get(key="semi-finals"))
    assert [(row.position, row.entry.number) for row in rows] == [(1, 1), (2, 5), (3, 3), (4, 7)]
    assert selectors.stage_facts(copy.stages.get(key="qualifying")).phase == "closed"


def test_a_round_drawn_again_survives_the_round_trip_and_goes_on():
    world = factories.redrawn()

    copy = copied(world.tournament)

    here = copy.stages.get(key="second-round")
    assert here.matches.count() == 48
    assert set(here.matches.filter(machine__code="M3").values_list("round", flat=True)) == {1}
    assert here.matches.filter(machine__code="M13").count() == 3
    assert here.stage_machines.get(machine__code="M3").state == "let-stand"
    absent = Side.objects.filter(match__stage=here, absent=True)
    assert [(side.entry.number, side.match.round) for side in absent.order_by("match__round")] == [
        (7, 2),
        (7, 3),
        (7, 4),
    ]


def test_a_redraw_that_was_taken_back_leaves_the_folder_as_it_was():
    world = factories.seated(format="open", players=24, qualifiers=24, stock=13)
    factories.dealt(world, "second-round")
    before = exchange.dump(world.tournament)
    here = stage("second-round")
    redraw.publish(here, actor=None, out={world.machines[2].pk: world.machines[12].pk}, reason="it died")
    assert exchange.dump(world.tournament) != before

    redraw.take_back(here, actor=None, revision=redraw.past(here)[0].revision, reason="it works")

    assert exchange.dump(world.tournament) == before
