"""What the tests of games do again and again, named as the services name it."""

from tests import factories
from tournaments import selectors
from tournaments.models import Journal, Score, StageMachine
from tournaments.services import machines, scores


def record(world, entry=0, machine=0, value=1_000, **details):
    return factories.play(world.stage, world.entries[entry], world.machines[machine], value, **details)


def start(world, entry=0, machine=0, **details):
    return scores.start(
        world.stage, actor=None, entry=world.entries[entry], machine=world.machines[machine], **details
    )


def stored(score):
    return Score.objects.select_related("entry__player", "machine").get(pk=score.pk)


def seen(score):
    """The revision that a form opened now would carry."""
    return stored(score).revision


def facts(world):
    """What every table depends on, in an order of its own."""
    read = selectors.stage_facts(world.stage).facts
    return sorted(read.played), sorted(read.playing), sorted(read.waiting)


def set_state(world, machine, state):
    used = StageMachine.objects.select_related("stage__tournament").get(machine=world.machines[machine])
    machines.set_state(used, actor=None, state=state, reason="the flipper broke")


def revisions(world):
    return Journal.objects.filter(tournament=world.tournament).count()


def put_aside(world, value, **details):
    """A second result for the first player's game on the first machine."""
    game = {"entry": world.entries[0], "machine": world.machines[0]}
    return scores.put_aside(world.stage, value=value, **{"actor": None, **game, **details})
