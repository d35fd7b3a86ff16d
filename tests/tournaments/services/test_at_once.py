"""Several server processes at the same instant: real ones, on the database of the test."""

import json
import os
import subprocess
import sys
from pathlib import Path
from urllib.parse import quote

import pytest
from django.db import connection

from tests import factories
from tests.tournaments.services.course import entry, score, seated, sides
from tournaments.models import Journal, Match, PlacePool, Score, StageMachine
from tournaments.services import machines, places

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).resolve().parents[3]
ONE_TRY = "tests.tournaments.services.one_try"


def database_url():
    database = connection.settings_dict
    if connection.vendor == "sqlite":
        return f"sqlite:///{database['NAME']}"
    host = quote(database["HOST"], safe="")
    port = f":{database['PORT']}" if database["PORT"] else ""
    return f"postgres://{database['USER']}:{database['PASSWORD']}@{host}{port}/{database['NAME']}"


def at_once(attempt, *wanted):
    """All tries let go together; what came of each, in the same order."""
    environment = {**os.environ, "DATABASE_URL": database_url(), "DJANGO_SETTINGS_MODULE": "pinparty.settings"}
    command = [sys.executable, "-m", ONE_TRY, attempt]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    tries = [subprocess.Popen([*command, json.dumps(one)], cwd=ROOT, env=environment, **pipes) for one in wanted]
    for process in tries:
        if process.stdout.readline() != "ready\n":
            pytest.fail(process.communicate(timeout=60)[1])
    for process in tries:
        process.stdin.write("now\n")
        process.stdin.flush()
    answers = [process.communicate(timeout=60) for process in tries]
    assert [process.returncode for process in tries] == [0] * len(tries), answers
    return [json.loads(told) for told, _ in answers]


def refused(answers):
    return [answer["refused"] for answer in answers if "refused" in answer]


@pytest.mark.parametrize("processes", [2, 8])
def test_of_all_processes_that_record_the_same_game_one_has_it_and_the_others_are_told(processes):
    world = factories.qualifying()
    game = {"stage": world.stage.pk, "entry": world.entries[0].pk, "machine": world.machines[0].pk}

    answers = at_once("record", *({**game, "value": 1000 + number} for number in range(processes)))

    live = Score.objects.get(state__in=Score.LIVE)
    assert Score.objects.count() == 1
    assert live.value == 1000 + next(number for number, answer in enumerate(answers) if "done" in answer)
    assert len(refused(answers)) == processes - 1
    assert all(f"Player 1 has already played Machine 1: {live.value:,} at" in told for told in refused(answers))


def test_the_same_request_in_two_processes_is_one_score_and_both_are_told_of_it():
    world = factories.qualifying()
    game = {"stage": world.stage.pk, "entry": world.entries[0].pk, "machine": world.machines[0].pk}

    answers = at_once("record", *([{**game, "value": 1000, "key": "double-tap"}] * 2))

    score = Score.objects.get()
    assert sorted(answer["done"] for answer in answers) == [[score.pk, False], [score.pk, True]]
    assert Journal.objects.filter(client_key="double-tap").count() == 1


@pytest.mark.parametrize(
    ("second", "constraint"),
    [({"machine": 0, "slot": 2}, "attempt"), ({"machine": 1, "slot": 1}, "slot")],
)
def test_without_any_check_of_ours_the_database_itself_says_no(second, constraint):
    world = factories.qualifying()
    first = {"stage": world.stage.pk, "entry": world.entries[0].pk, "attempt": 1, "slot": 1}
    machines = [machine.pk for machine in world.machines]
    tries = [{**first, "machine": machines[0]}, {**first, **second, "machine": machines[second["machine"]]}]

    answers = at_once("insert", *tries)

    assert Score.objects.count() == 1
    [told] = [answer["constraint"] for answer in answers if "constraint" in answer]
    assert constraint in told


def test_two_tablets_that_start_the_sixth_game_on_two_machines_get_one_game():
    world = factories.qualifying(stock=7)
    factories.standings(world, [[100, 100, 100, 100, 100]])
    sixth = {"stage": world.stage.pk, "entry": world.entries[0].pk}

    answers = at_once("start", {**sixth, "machine": world.machines[5].pk}, {**sixth, "machine": world.machines[6].pk})

    assert Score.objects.filter(state__in=Score.LIVE).count() == 6
    [told] = refused(answers)
    assert told.startswith("Player 1 has already played all 6 games: Machine 1, ")


def test_two_officials_who_start_two_players_on_one_machine_start_one_game():
    world = factories.qualifying()
    game = {"stage": world.stage.pk, "machine": world.machines[0].pk}

    answers = at_once("start", *({**game, "entry": entry.pk} for entry in world.entries))

    playing = Score.objects.get()
    assert refused(answers) == [f"Machine 1 (M1) is busy: {playing.entry} is playing it."]


def test_of_five_people_for_the_last_place_one_has_it_and_four_are_told():
    tournament = factories.tournament()
    places.offer(tournament, actor=None, kind="pre-registered", capacity=3)
    for number in range(2):
        factories.entry(tournament, f"Early {number}", place="pre-registered")
    wanted = {"tournament": tournament.pk, "place": "pre-registered"}

    answers = at_once("register", *({**wanted, "name": f"Late {number}"} for number in range(5)))

    pool = PlacePool.objects.get()
    assert (pool.taken, pool.capacity, tournament.entries.count()) == (3, 3, 3)
    assert refused(answers) == ["All 3 pre-registered places of The Open are taken."] * 4


def test_people_entered_at_once_in_two_tournaments_of_a_show_never_share_a_number():
    show = factories.show()
    one, other = factories.tournament(show), factories.tournament(show, format="kids")

    answers = at_once(
        "register",
        *(
            {"tournament": tournament.pk, "place": "", "name": f"{tournament.name} {number}"}
            for tournament in (one, other)
            for number in range(3)
        ),
    )

    assert sorted(answer["done"] for answer in answers) == [1, 2, 3, 4, 5, 6]


def last_scores_missing():
    """Both semi-finals but for their last scores, of seeds 7 and 8, by which both would reach the final."""
    world = factories.seated()
    for match in factories.dealt(world, "semi-finals"):
        factories.scored(match, 400, 300, 200, None)
    one, other = factories.matches(world, "semi-finals")
    tries = [
        {"match": match.pk, "entry": entry(world, number).pk, "value": 500} for match, number in ((one, 7), (other, 8))
    ]
    return world, tries


def test_the_last_scores_of_both_semi_finals_in_the_same_instant_fill_final_and_play_off_once():
    world, tries = last_scores_missing()

    answers = at_once("record in match", *tries)

    assert refused(answers) == []
    assert seated(world) == ([1, 2, 7, 8], [3, 4, 5, 6])
    assert Match.objects.filter(state=Match.State.DONE).count() == 2


def test_both_scores_of_the_last_semi_final_in_the_same_instant_fill_final_and_play_off_once():
    world = factories.seated()
    one, other = factories.dealt(world, "semi-finals")
    factories.scored(one, 400, 300, 200, 100)
    factories.scored(other, 400, 300, None, None)
    tries = [
        {"match": other.pk, "entry": entry(world, number).pk, "value": value} for number, value in ((6, 350), (8, 500))
    ]

    answers = at_once("record in match", *tries)

    assert refused(answers) == []
    assert seated(world) == ([1, 2, 3, 8], [4, 5, 6, 7])


def test_a_last_score_sent_by_two_tablets_is_one_score_and_fills_final_and_play_off_once():
    world, [first, second] = last_scores_missing()

    answers = at_once("record in match", first, *[{**second, "key": "double-tap"}] * 2)

    assert refused(answers) == []
    assert Score.objects.filter(match=second["match"], entry=second["entry"]).count() == 1
    assert seated(world) == ([1, 2, 7, 8], [3, 4, 5, 6])


def test_two_corrections_in_the_same_instant_leave_four_and_four_in_the_next_games():
    world, tries = last_scores_missing()
    for match, last in zip(factories.matches(world, "semi-finals"), tries, strict=True):
        factories.scored(match, None, None, None, last["value"])
    for key in ("final", "play-off"):
        factories.dealt(world, key, opened=False)
    wrong = [{"score": score(world, "semi-finals", number).pk, "value": 100} for number in (7, 8)]

    answers = at_once("correct", *wrong)

    assert refused(answers) == []
    assert seated(world) == ([1, 2, 3, 4], [5, 6, 7, 8])
    assert sides(factories.matches(world, "final")[0]) == [1, 2, 3, 4]
    assert sides(factories.matches(world, "play-off")[0]) == [5, 6, 7, 8]


def test_two_machines_that_change_their_tournaments_crosswise_wait_for_each_other_in_one_order():
    world = factories.qualifying(stock=0, opened=False)
    kids = factories.stage(factories.tournament(world.show, format="kids"))
    here, there = factories.machine(world.show, "TZ"), factories.machine(world.show, "MM")
    machines.use(world.stage, actor=None, machine=here)
    machines.use(kids, actor=None, machine=there)

    answers = at_once(
        "use only in",
        *([{"machine": here.pk, "stage": kids.pk}, {"machine": there.pk, "stage": world.stage.pk}] * 2),
    )

    assert refused(answers) == []
    assert set(StageMachine.objects.values_list("machine", "stage")) == {
        (here.pk, kids.pk),
        (there.pk, world.stage.pk),
    }
