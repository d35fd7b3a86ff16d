"""Whatever is done to scores in whatever order, limits hold, undo is exact, and the history is complete."""

from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from tests import factories
from tests.tournaments.services.games import facts, seen, set_state
from tournaments.domain.refusals import Refusal
from tournaments.models import Journal, Score, StageMachine
from tournaments.services import entries, scores

STEPS = 40


class Hall:
    """A hall of careless volunteers: each act picks its players, machines and scores by chance."""

    def __init__(self, world, random):
        self.world, self.random = world, random

    def entry(self):
        return self.random.choice(self.world.entries)

    def machine(self):
        return self.random.choice(self.world.machines)

    def value(self):
        return self.random.randrange(1, 9) * 1_000

    def score(self):
        return self.random.choice(list(Score.objects.order_by("pk").select_related("stage__tournament")))

    def start(self):
        scores.start(self.world.stage, actor=None, entry=self.entry(), machine=self.machine())

    def record(self):
        factories.play(self.world.stage, self.entry(), self.machine(), self.value())

    def abandon(self):
        scores.abandon(self.score(), actor=None, reason="gave up")

    def correct(self):
        score = self.score()
        what = self.random.choice([{"value": self.value()}, {"entry": self.entry()}, {"machine": self.machine()}])
        scores.correct(score, actor=None, seen=seen(score), reason="misread", **what)

    def void(self):
        score = self.score()
        scores.void(score, actor=None, seen=seen(score), reason="misplayed")

    def restore(self):
        score = self.score()
        scores.restore(score, actor=None, seen=seen(score))

    def undo(self):
        score = self.score()
        scores.undo(score, actor=None, seen=seen(score))

    def put_aside(self):
        game = {"entry": self.entry(), "machine": self.machine()}
        scores.put_aside(self.world.stage, actor=None, value=self.value(), **game)

    def settle(self):
        scores.settle(self.score(), actor=None, keep_waiting=self.random.random() < 0.5, reason="asked")

    def machine_state(self):
        set_state(self.world, self.random.randrange(len(self.world.machines)), self.random.choice(MACHINE_STATES))

    def leave_or_return(self):
        how = self.random.choice([entries.withdraw, entries.disqualify, entries.reinstate])
        how(self.entry(), actor=None, reason="as people do")


MACHINE_STATES = [state for state in StageMachine.State if state != StageMachine.State.RESCALED]
OFTEN = [Hall.start, Hall.record, Hall.record, Hall.correct, Hall.void, Hall.restore, Hall.undo, Hall.undo]
SELDOM = [Hall.abandon, Hall.put_aside, Hall.settle, Hall.machine_state, Hall.leave_or_return]


def check_limits(world):
    rules = world.tournament.kind.qualifying(world.tournament.rules_in_force)
    cancelled = set(
        StageMachine.objects.filter(state=StageMachine.State.CANCELLED).values_list("machine_id", flat=True)
    )
    live = [
        (score.entry_id, score.machine_id)
        for score in Score.objects.filter(state__in=Score.LIVE)
        if score.machine_id not in cancelled
    ]
    assert max(Counter(entry for entry, _ in live).values(), default=0) <= rules.games_allowed
    assert max(Counter(live).values(), default=0) <= rules.games_per_machine


def check_history(world):
    """Each line of a score begins with what the line before it left, and the last one is what the score is now."""
    world.tournament.refresh_from_db()
    assert Journal.objects.filter(tournament=world.tournament).count() == world.tournament.revision
    for score in Score.objects.all():
        lines = list(Journal.objects.filter(score=score).order_by("revision"))
        for earlier, later in pairwise(lines):
            assert later.before == earlier.after
        decided = Journal.objects.filter(other_score=score).exclude(score=score).exists()
        now = {"state": score.state, "value": score.value, "entry": score.entry_id, "machine": score.machine_id}
        told = lines[-1].after
        assert {name: told[name] for name in now} == (now if not decided else {**now, "state": "waiting"})


def last_change_is_undone_exactly(world, before):
    """Take the newest change back and compare everything a table depends on."""
    line = Journal.objects.filter(tournament=world.tournament).order_by("-revision").first()
    if line.score is None or line.other_score is not None:
        return
    after = facts(world)
    scores.undo(line.score, actor=None, seen=seen(line.score))
    assert facts(world) == before
    scores.undo(line.score, actor=None, seen=seen(line.score))
    assert facts(world) == after


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    ("format", "rules"),
    [
        ("open", {"games_allowed": 2, "games_counted": 2}),
        ("classic", {"games_allowed": 4, "games_counted": 3, "games_per_machine": 2}),
    ],
)
def test_after_any_sequence_limits_hold_undo_is_exact_and_the_history_is_complete(format, rules, seed):
    world = factories.qualifying(format=format, rules=rules, players=3, stock=3)
    random = Random(f"{format} {seed}")
    hall = Hall(world, random)
    hall.record()
    done = 0
    for _ in range(STEPS):
        act = random.choice(OFTEN if random.random() < 0.8 else SELDOM)
        before, revision = facts(world), Journal.objects.count()
        try:
            act(hall)
        except Refusal:
            assert facts(world) == before
        if Journal.objects.count() > revision:
            done += 1
            check_limits(world)
            last_change_is_undone_exactly(world, before)
            check_limits(world)
    check_history(world)
    assert done > STEPS / 4
