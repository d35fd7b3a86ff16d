"""What the database itself refuses of matches and final places, whoever asks and however."""

import pytest
from django.db import IntegrityError, transaction
from django.db.models import ProtectedError

from tests import factories
from tournaments.models import FinalPlace, Match, Score, Seat, Side

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    """Four players whose semi-finals have no match yet."""
    return factories.qualifying(format="classic", players=4, stock=2)


@pytest.fixture
def match(world):
    return made(world)


def made(world, *, machine=0, game=1, order=1, state=Match.State.PLANNED):
    stage = factories.stage(world.tournament, "semi-finals")
    return Match.objects.create(stage=stage, machine=world.machines[machine], round=game, order=order, state=state)


def side(world, match, entry, rank, **details):
    return Side.objects.create(match=match, entry=world.entries[entry], rank=rank, **details)


def score(world, match, entry=0, state="recorded"):
    return Score.objects.create(
        stage=match.stage, match=match, entry=world.entries[entry], machine=match.machine, state=state, value=1
    )


def refuses(make):
    with pytest.raises(IntegrityError), transaction.atomic():
        make()


def test_nobody_is_drawn_against_himself(world, match):
    side(world, match, 0, 1)

    refuses(lambda: side(world, match, 0, 2))


def test_nobody_shares_the_right_to_choose(world, match):
    side(world, match, 0, 1)

    refuses(lambda: side(world, match, 1, 1))


def test_a_playing_position_is_chosen_once(world, match):
    side(world, match, 0, 1, choice=2)

    refuses(lambda: side(world, match, 1, 2, choice=2))


def test_any_number_may_still_have_to_choose(world, match):
    for number in range(4):
        side(world, match, number, number + 1)

    assert match.sides.filter(choice=None).count() == 4


def test_a_machine_has_one_match_in_a_game(world, match):
    refuses(lambda: made(world, order=2))

    assert made(world, game=2).pk


def test_an_order_is_given_once_in_a_game(world, match):
    refuses(lambda: made(world, machine=1))


def test_a_match_taken_out_leaves_its_machine_and_its_order_to_another(world):
    made(world, state=Match.State.VOID)

    assert made(world).pk


@pytest.mark.parametrize("state", Score.LIVE)
def test_a_player_has_one_live_score_in_a_match(world, match, state):
    score(world, match)

    refuses(lambda: score(world, match, state=state))


@pytest.mark.parametrize("state", [Score.State.VOID, Score.State.WAITING])
def test_what_does_not_count_stands_beside_the_score_of_a_match(world, match, state):
    score(world, match)

    assert score(world, match, state=state).pk


def test_a_player_may_play_the_same_machine_in_two_matches_of_a_stage(world, match):
    score(world, match)

    assert score(world, made(world, game=2)).pk


def test_a_match_with_scores_is_not_deleted(world, match):
    score(world, match)

    with pytest.raises(ProtectedError):
        match.delete()


def test_nobody_has_two_seats_in_a_stage_and_no_seed_two_players(world, match):
    Seat.objects.create(stage=match.stage, entry=world.entries[0], seed=1)

    refuses(lambda: Seat.objects.create(stage=match.stage, entry=world.entries[0], seed=2))
    refuses(lambda: Seat.objects.create(stage=match.stage, entry=world.entries[1], seed=1))


def test_everybody_ends_in_one_place(world):
    FinalPlace.objects.create(tournament=world.tournament, entry=world.entries[0], place=1, why="Final")

    refuses(lambda: FinalPlace.objects.create(tournament=world.tournament, entry=world.entries[0], place=2, why="x"))
