"""A world from the shelf is the world that was played, to the last row, and can be played on."""

import pytest
import time_machine
from django.apps import apps
from django.db import transaction

from tests import factories, shelf
from tournaments.models import Entry, Journal, Score, Tournament

pytestmark = pytest.mark.django_db


@pytest.fixture
def calls(monkeypatch):
    """How often a world was really played."""
    monkeypatch.setattr(shelf, "_shelf", {})
    return []


@pytest.fixture
def build(calls):
    @shelf.kept
    def build(players=10, **more):
        calls.append(players)
        return factories.seated(players=players, **more)

    return build


def everything():
    """Every row of every table of a world."""
    models = [model for label in shelf.APPS for model in apps.get_app_config(label).get_models()]
    return {model: list(model.objects.order_by("pk").values()) for model in models}


def taken_back(build, *args, **kwargs):
    """What a world answers and holds; the database is as empty afterwards as it was before."""
    with transaction.atomic():
        answer, rows = build(*args, **kwargs), everything()
        transaction.set_rollback(True)
    return answer, rows


def test_every_row_and_the_answer_come_back_as_they_were(build, calls):
    first, played = taken_back(build)
    again, put_back = taken_back(build)

    assert calls == [10]
    assert again == first
    assert again.entries[0].tournament.show.name == "UK Pinball Party"
    assert put_back == played
    assert len(played[Journal]) > 30


def test_a_world_that_was_put_back_is_played_on(build):
    taken_back(build)
    world = build()

    one, _ = factories.dealt(world, "semi-finals")
    factories.scored(one, 400, 300, 200, 100)
    factories.entry(factories.tournament(world.show, format="kids"), "Somebody Else")

    assert Score.objects.filter(match=one).count() == 4
    assert Entry.objects.latest("pk").name == "Somebody Else"
    for tournament in Tournament.objects.all():
        assert tournament.journal.count() == tournament.revision


def test_other_arguments_are_another_world(build, calls):
    taken_back(build, 9)
    taken_back(build, players=9)
    world = build(format="kids")

    assert calls == [9, 9, 10]
    assert world.tournament.format == "kids"


def test_beside_something_else_a_world_is_always_played(build, calls):
    taken_back(build)
    factories.show("another")

    build()

    assert calls == [10, 10]


def test_a_test_with_its_own_time_plays_its_world_then(build, calls):
    taken_back(build)

    with time_machine.travel("2010-07-24 12:00Z", tick=False):
        build()

    assert calls == [10, 10]
    assert {line.at.year for line in Journal.objects.all()} == {2010}


@pytest.mark.real_fields
def test_where_only_real_fields_may_play_a_world_of_the_others_is_not_taken(build, calls, monkeypatch):
    with monkeypatch.context() as patched:
        patched.setattr(shelf.StageSpec, "playable_by", lambda spec, players: True)
        taken_back(build)

    build()

    assert calls == [10, 10]
