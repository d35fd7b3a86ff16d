"""The few queries behind every table, asked in the way of each database."""

import pytest
from django.db import connection

from tests import factories
from tournaments import questions
from tournaments.domain.scores import HIGHEST
from tournaments.questions import ENTRANTS, MACHINES, SCORES, ask

pytestmark = pytest.mark.django_db

NAMES = ['Ann "The Flipper" O\'Hara', "Zoë 🎯 Müller", "50 % \\ Bo", "Cy [1, null]"]


@pytest.fixture
def world():
    world = factories.qualifying(players=0, stock=3)
    for number, name in enumerate(NAMES, start=1):
        factories.entry(world.tournament, name, number=10 * number)
    return world


def test_each_question_gets_its_own_rows_in_the_order_it_asks_for(world):
    entrants, machines, scores = ask(
        (ENTRANTS, (world.tournament.pk,)), (MACHINES, (world.stage.pk,)), (SCORES, (world.stage.pk,))
    )

    assert [(number, name) for _, number, name, *_ in entrants] == list(zip([10, 20, 30, 40], NAMES, strict=True))
    assert [code for _, code, *_ in machines] == [machine.code for machine in world.machines]
    assert scores == []


@pytest.mark.parametrize("value", [0, HIGHEST])
def test_the_least_and_the_highest_score_come_back_to_the_last_digit(world, value):
    entry = world.tournament.entries.first()
    factories.play(world.stage, entry, world.machines[0], value)

    [scores] = ask((SCORES, (world.stage.pk,)))

    assert [list(row) for row in scores] == [[entry.pk, world.machines[0].pk, value, "recorded"]]


def test_the_same_question_of_two_stages_is_answered_for_each(world):
    other = factories.tournament(world.show, slug="other")
    factories.entry(other, "Cy Other", number=99)

    first, second = ask((ENTRANTS, (world.tournament.pk,)), (ENTRANTS, (other.pk,)))

    assert [len(first), len(second)] == [4, 1]


@pytest.mark.django_db(transaction=True)
def test_a_connection_that_was_lost_does_not_take_the_questions_with_it(world):
    before = ask((ENTRANTS, (world.tournament.pk,)))

    connection.close()

    assert ask((ENTRANTS, (world.tournament.pk,))) == before


def test_no_two_questions_share_a_name():
    found = [value for value in vars(questions).values() if isinstance(value, questions.Question)]

    assert len({question.name for question in found}) == len(found) > 0
    assert all(question.sql.count("%s") == len(question.parameters) for question in found)
