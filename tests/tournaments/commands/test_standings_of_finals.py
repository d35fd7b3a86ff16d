"""The tables of the later stages, and the final places, as commands print them."""

import csv
import io
import json

import pytest
from django.core.management import CommandError, call_command

from tests.tournaments.commands.test_rehearse import rehearse
from tournaments.domain.standings import place_words
from tournaments.models import FinalPlace, Seat, Tournament
from tournaments.services import entries, results

pytestmark = pytest.mark.django_db


def run(*arguments):
    out, err = io.StringIO(), io.StringIO()
    call_command(*arguments, stdout=out, stderr=err)
    return out.getvalue(), err.getvalue()


def standings(stage, slug="kids"):
    out, _ = run("standings", f"rehearsal/{slug}", "--stage", stage, "--format", "csv")
    return list(csv.DictReader(io.StringIO(out)))


@pytest.fixture
def kids():
    rehearse("--tournament", "kids", "--players", "10", "--until", "final")
    return Tournament.objects.select_related("show").get()


def test_the_semi_finals_are_in_the_order_of_the_places_in_their_games(kids):
    rows = standings("semi-finals")

    assert list(rows[0]) == ["position", "number", "name", "points", "games", "tied"]
    assert [row["position"] for row in rows] == ["1", "1", "2", "2", "3", "3", "4", "4"]
    finalists = Seat.objects.filter(stage__key="final").values_list("entry__number", flat=True)
    assert sorted(int(row["number"]) for row in rows[:4]) == sorted(finalists)
    assert {row["games"] for row in rows} == {"1"}


@pytest.mark.parametrize(("stage", "first"), [("final", 1), ("play-off", 5)])
def test_the_last_games_give_the_final_places(kids, stage, first):
    rows = standings(stage)

    placed = {str(place.entry.number): place.place for place in FinalPlace.objects.select_related("entry")}
    assert [int(row["position"]) + first - 1 for row in rows] == [placed[row["number"]] for row in rows]


def test_the_results_are_the_final_places_of_everybody(kids):
    rows = standings("results")

    assert [int(row["position"]) for row in rows] == [1, 2, 3, 4, 5, 6, 7, 8, 9, 10] or rows[-1]["tied"] == "yes"
    assert rows[0]["number"] == str(FinalPlace.objects.get(place=1).entry.number)
    assert (rows[0]["games"], rows[-1]["games"]) == ("1", "3")


def test_who_is_disqualified_stands_apart_and_is_left_out(kids):
    results.take_back(kids, actor=None, reason="Somebody cheated.")
    last = standings("results")[-1]
    entries.disqualify(kids.entries.get(number=int(last["number"])), actor=None, reason="Cheated.")

    out, err = run("standings", "rehearsal/kids", "--stage", "results", "--format", "json")

    assert last["number"] not in [str(row["number"]) for row in json.loads(out)]
    assert len(json.loads(out)) == 9
    assert err == "The results of rehearsal/kids are not declared yet; this is how they stand.\n"


def test_shared_places_are_marked_for_people(kids):
    FinalPlace.objects.filter(place__gte=9).update(place=9, shared=True)

    out, _ = run("standings", "rehearsal/kids", "--stage", "results")

    assert [line.split()[0] for line in out.splitlines()[-2:]] == ["9=", "9="]
    assert place_words(9, shared=True) == "9th="


def test_there_are_no_results_while_games_are_to_come():
    rehearse("--tournament", "kids", "--players", "10", "--until", "semi-finals")

    with pytest.raises(CommandError) as caught:
        run("standings", "rehearsal/kids", "--stage", "results")

    assert str(caught.value) == (
        "rehearsal/kids has no results yet. The play-off for 5th to 8th is not played to its end."
    )
