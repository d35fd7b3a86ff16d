"""Published results, computed again from their scores: see the head of each folder's tournament.toml."""

import csv
import io
import json

import pytest
from django.core.management import call_command

from tests import factories
from tests.tournaments.exchange.folders import DATA, PUBLISHED
from tournaments.domain.points import scale
from tournaments.domain.ranking import rank

GAMES = json.loads((DATA / "finals_games.json").read_text())["games"]


@pytest.mark.django_db
@pytest.mark.parametrize("name", PUBLISHED)
def test_standings_are_those_published(name):
    tournament = factories.imported(name)
    out = io.StringIO()

    call_command("standings", tournament.path, "--format", "csv", stdout=out)

    ours = [(row["position"], row["number"], row["points"]) for row in csv.DictReader(io.StringIO(out.getvalue()))]
    with (DATA / name / "expected_qualifying.csv").open(newline="") as file:
        published = [(row["position"], row["number"], row["points"]) for row in csv.DictReader(file)]
    assert ours == published


@pytest.mark.parametrize("game", [game for game in GAMES if "scores" in game], ids=lambda game: game["event"])
def test_the_order_of_a_final_game_is_that_published(game):
    values = {ord(letter): value for letter, value in game["scores"].items()}

    order = [chr(result.entry) for result in rank(1, values, scale("count-down"))]

    if "published_order" in game:
        assert "".join(order) == game["published_order"]
    else:
        assert sorted(order[: len(game["published_through"])]) == game["published_through"]
