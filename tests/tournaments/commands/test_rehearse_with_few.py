"""However few have come, a tournament is rehearsed to its results: everybody who is ranked has a place."""

import io
from datetime import UTC, datetime

import pytest
import time_machine
from django.core.management import call_command
from django.test import Client

from open.format import CLASSIC, KIDS, OPEN
from tests.tournaments.exchange.test_round_trip import copied
from tournaments import formats
from tournaments.models import FinalPlace, Stage, Tournament

pytestmark = [pytest.mark.django_db, pytest.mark.real_fields]

NOON = datetime(2026, 8, 15, 12, 0, tzinfo=UTC)
STRAIGHT = {1: "final", 2: "final", 3: "final", 4: "final", 5: "semi-finals", 6: "semi-finals", 7: "semi-finals"}
"""Into which stage so few go straight in the Open; in the others the semi-finals are the next one anyhow."""


def rehearsed(key, players):
    with time_machine.travel(NOON, tick=False):
        call_command("rehearse", tournament=key, players=players, until="final", seed=players, stdout=io.StringIO())
    return Tournament.objects.select_related("show").get(show__slug="rehearsal", slug=key)


def seats(tournament):
    """How many sit in each stage in which anybody does."""
    found = {stage.key: stage.seats.count() for stage in tournament.stages.order_by("position")}
    return {key: many for key, many in found.items() if many}


def left_out(tournament):
    return [stage.key for stage in tournament.stages.order_by("position") if stage.left_out]


def way(kind, players):
    """Where so many go from the first stage, and what they leave out."""
    out = formats.stages_too_many(kind.stages, kind.stages[0], players)
    following = formats.main_stage_after(kind.stages, kind.stages[0])
    while out and following in out:
        following = formats.main_stage_after(kind.stages, following)
    return (following.key if out is not None else ""), [spec.key for spec in out or ()]


def test_every_number_of_ranked_players_has_a_way_to_its_places():
    """Where there is none a smaller, even number has one: the rules are changed to let that many go on."""
    for players in range(1, 31):
        first, out = way(OPEN, players)
        if players < 8:
            assert (first, out[0]) == (STRAIGHT[players], "second-round"), players
        else:
            assert (first, out) == (("", []) if players % 2 else ("second-round", [])), players
    for kind in (CLASSIC, KIDS):
        for players in range(1, 9):
            straight = ("final", ["semi-finals", "play-off"])
            assert way(kind, players) == (straight if players < 5 else ("semi-finals", [])), players


def check(tournament, players):
    """Everybody has a place, none is left free, and each page that people see is there."""
    places = sorted(FinalPlace.objects.filter(tournament=tournament).values_list("place", flat=True))
    assert len(places) == players
    assert all(place <= number for number, place in enumerate(places, start=1))
    assert places[0] == 1
    base = f"/t/rehearsal/{tournament.slug}/"
    pages = ["", "results/", "rules/", "bracket/", *(f"{stage.key}/" for stage in tournament.stages.all())]
    client = Client()
    assert {page: client.get(base + page, follow=True).status_code for page in pages} == dict.fromkeys(pages, 200)


@pytest.mark.parametrize("players", [1, 2, 3, 4, 5, 6, 7, 8, 9, 24, 25])
def test_an_open_of_few_and_of_many_ends_with_places(players):
    tournament = rehearsed("open", players)

    check(tournament, players)
    if players < 8:
        first = STRAIGHT[players]
        assert next(iter(seats(tournament).items())) == (first, players)
        assert left_out(tournament) == ["second-round", *(["semi-finals", "play-off"] if first == "final" else [])]
    else:
        assert seats(tournament)["second-round"] == min(players - players % 2, 24)
        assert left_out(tournament) == []


@pytest.mark.parametrize("key", ["classic", "kids"])
@pytest.mark.parametrize("players", [1, 2, 3, 4, 5, 8, 12])
def test_a_classic_and_a_kids_tournament_of_any_number_end_with_places(key, players):
    tournament = rehearsed(key, players)

    check(tournament, players)
    first = "final" if players < 5 else "semi-finals"
    assert next(iter(seats(tournament).items())) == (first, min(players, 8))
    assert left_out(tournament) == (["semi-finals", "play-off"] if players < 5 else [])


@pytest.mark.parametrize(("players", "games"), [(5, [3, 2]), (6, [3, 3]), (7, [4, 3]), (8, [4, 4])])
def test_semi_finals_are_played_by_whoever_is_there(players, games):
    tournament = rehearsed("classic", players)

    semi = Stage.objects.get(tournament=tournament, key="semi-finals")
    assert sorted((match.sides.count() for match in semi.matches.all()), reverse=True) == games
    assert seats(tournament)["final"] == 4


@pytest.mark.parametrize(("key", "players"), [("open", 1), ("open", 3), ("open", 6), ("classic", 2), ("kids", 4)])
def test_what_was_left_out_is_left_out_in_a_copy_from_its_folder(key, players):
    tournament = rehearsed(key, players)

    copy = copied(tournament)

    assert left_out(copy) == left_out(tournament)
    assert seats(copy) == seats(tournament)
