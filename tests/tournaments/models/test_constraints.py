"""What the database itself refuses, whoever asks and however."""

from datetime import UTC, datetime

import pytest
from django.db import IntegrityError, transaction
from django.utils import timezone

from tests import factories
from tournaments.domain.facts import Phase, Standing
from tournaments.domain.scores import HIGHEST
from tournaments.models import Entry, Journal, Machine, PlacePool, Player, Score, Seat, Stage, StageMachine

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    return factories.qualifying()


def refuses(make):
    with pytest.raises(IntegrityError), transaction.atomic():
        make()


def score(world, *, entry=0, machine=0, state="recorded", value=1, **details):
    return Score.objects.create(
        stage=world.stage,
        entry=world.entries[entry],
        machine=world.machines[machine],
        state=state,
        value=value,
        **details,
    )


@pytest.mark.parametrize("state", Score.LIVE)
def test_an_attempt_is_live_once(world, state):
    score(world)

    refuses(lambda: score(world, state=state, slot=2))


@pytest.mark.parametrize("state", Score.LIVE)
def test_a_slot_is_live_once(world, state):
    score(world)

    refuses(lambda: score(world, machine=1, state=state))


@pytest.mark.parametrize("state", [Score.State.VOID, Score.State.WAITING])
def test_what_does_not_count_stands_beside_what_does(world, state):
    score(world)

    assert score(world, state=state).pk


@pytest.mark.parametrize("value", [-1, HIGHEST + 1])
def test_a_score_is_within_range(world, value):
    refuses(lambda: score(world, value=value))


@pytest.mark.parametrize("state", [Score.State.RECORDED, Score.State.AGREED, Score.State.WAITING])
def test_a_result_has_a_value(world, state):
    refuses(lambda: score(world, state=state, value=None))


@pytest.mark.parametrize("state", [Score.State.PLAYING, Score.State.VOID])
def test_a_game_without_a_result_has_none(world, state):
    assert score(world, state=state, value=None).value is None


def test_a_number_and_a_person_are_entered_once(world):
    first, second = world.entries
    other = Player.objects.create(show=world.show, number=99, name="Somebody")
    now = timezone.now()

    refuses(lambda: Entry.objects.create(tournament=world.tournament, player=other, number=1, entered_at=now))
    refuses(lambda: Entry.objects.create(tournament=world.tournament, player=first.player, number=5, entered_at=now))
    refuses(lambda: Player.objects.create(show=world.show, number=second.number, name="Somebody"))


def test_a_code_is_given_once_and_a_machine_used_once(world):
    refuses(lambda: Machine.objects.create(show=world.show, code="M1", name="Another"))
    refuses(lambda: StageMachine.objects.create(stage=world.stage, machine=world.machines[0]))


def test_a_seed_is_given_once_and_an_entry_seated_once(world):
    following = factories.stage(world.tournament, "second-round")
    Seat.objects.create(stage=following, entry=world.entries[0], seed=1)

    refuses(lambda: Seat.objects.create(stage=following, entry=world.entries[1], seed=1))
    refuses(lambda: Seat.objects.create(stage=following, entry=world.entries[0], seed=2))


def test_places_taken_are_never_more_than_there_are(world):
    pool = PlacePool.objects.create(tournament=world.tournament, kind="last-chance", capacity=1)

    refuses(lambda: PlacePool.objects.filter(pk=pool.pk).update(taken=2))
    refuses(lambda: PlacePool.objects.create(tournament=world.tournament, kind="last-chance", capacity=5))


def test_a_revision_has_one_line_and_a_key_is_used_once(world):
    line = {"at": timezone.now(), "action": "x", "summary": "x"}
    Journal.objects.create(tournament=world.tournament, revision=900, client_key="k", **line)

    refuses(lambda: Journal.objects.create(tournament=world.tournament, revision=900, **line))
    refuses(lambda: Journal.objects.create(tournament=world.tournament, revision=901, client_key="k", **line))


def test_a_slug_and_a_stage_key_are_given_once(world):
    twin = {"show": world.show, "name": "Twin", "slug": "open", "format": "open", "starts_on": factories.DAY}

    refuses(lambda: type(world.tournament).objects.create(**twin))
    refuses(lambda: Stage.objects.create(tournament=world.tournament, key="qualifying", position=9))


def test_nothing_that_has_a_history_can_be_deleted(world):
    factories.play(world.stage, world.entries[0], world.machines[0], 5)

    for kept in (world.show, world.tournament, world.stage, world.entries[0], world.machines[0], Score.objects.get()):
        with pytest.raises(Exception, match="Cannot delete some instances"):
            kept.delete()


@pytest.mark.parametrize(
    ("state", "closes_at", "phase"),
    [
        (Stage.State.PLANNED, datetime(2010, 1, 1, tzinfo=UTC), Phase.PLANNED),
        (Stage.State.OPEN, None, Phase.OPEN),
        (Stage.State.OPEN, datetime(2010, 7, 24, 12, 0, 1, tzinfo=UTC), Phase.OPEN),
        (Stage.State.OPEN, datetime(2010, 7, 24, 12, 0, tzinfo=UTC), Phase.CLOSING),
        (Stage.State.CLOSED, datetime(2030, 1, 1, tzinfo=UTC), Phase.CLOSED),
    ],
)
def test_the_phase_is_what_people_decided_and_what_the_clock_says(state, closes_at, phase):
    assert Stage(state=state, closes_at=closes_at).phase(datetime(2010, 7, 24, 12, 0, tzinfo=UTC)) == phase


def test_only_who_left_is_not_in_any_more():
    standings = {status: Entry(status=status).standing for status in Entry.Status}

    assert standings == {
        Entry.Status.ENTERED: Standing.IN,
        Entry.Status.CHECKED_IN: Standing.IN,
        Entry.Status.WITHDRAWN: Standing.WITHDRAWN,
        Entry.Status.MERGED: Standing.WITHDRAWN,
        Entry.Status.DISQUALIFIED: Standing.DISQUALIFIED,
    }


def test_everything_says_what_it_is_in_words(world):
    made = factories.play(world.stage, world.entries[0], world.machines[0], 5)
    used = StageMachine.objects.select_related("machine", "stage").get(machine=world.machines[0])

    assert str(world.tournament) == "The Open, UK Pinball Party"
    assert str(world.stage) == "Qualifying"
    assert str(used) == "Machine 1 (M1) in Qualifying"
    assert str(made) == "1 Player 1 on Machine 1 (M1): 5"
    assert str(Journal.objects.latest("revision")).endswith(": 1 Player 1 on Machine 1 (M1): 5.")
