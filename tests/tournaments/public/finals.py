"""Tournaments after the cut, played on through the services, for tests of what everybody may read."""

from tests import factories
from tests.shelf import kept
from tournaments.models import Match
from tournaments.services import matches, results, stages


@kept
def cut(players=8, *, format="classic", names=(), qualifiers=8, of=None):
    """A tournament whose cut is declared: the first player has the first seed, and so on."""
    rules = {"games_allowed": 1, "games_counted": 1, "games_per_machine": 1, "qualifiers": qualifiers}
    world = factories.qualifying(players=0 if names else players, stock=1, format=format, rules=rules, of=of)
    if names:
        world = world._replace(entries=tuple(factories.entry(world.tournament, name) for name in names))
    factories.closed(world, [[1000 - number] for number in range(len(world.entries))])
    stages.declare_cut(world.stage, actor=None)
    return world


def stage(world, key):
    return factories.stage(world.tournament, key)


def dealt(world, key, machines=1):
    """The stage with its games published; the machines are X1, X2 … of the show."""
    made = stage(world, key)
    used = []
    for number in range(1, machines + 1):
        found = world.show.machines.filter(code=f"X{number}").first()
        used.append(found or factories.machine(world.show, f"X{number}", f"Extra {number}"))
    matches.deal(made, actor=None, machines=used)
    return made


def opened(world, key, machines=1):
    made = dealt(world, key, machines)
    stages.open_stage(made, actor=None)
    return made


def play(match, *values):
    """The scores of a game in the order of choosing; None is not entered. What was recorded, in that order."""
    stored = Match.objects.get(pk=match.pk)
    matches.call(stored, actor=None)
    matches.warm_up(stored, actor=None)
    matches.play(stored, actor=None)
    return [
        matches.record(stored, actor=None, entry=side.entry_id, value=value, sure=value).score
        for side, value in zip(stored.sides.order_by("rank"), values, strict=True)
        if value is not None
    ]


def play_all(world, key, *games, machines=1):
    """A whole stage of games, closed."""
    made = opened(world, key, machines)
    for match, values in zip(made.matches.order_by("order"), games, strict=True):
        play(match, *values)
    stages.close_stage(made, actor=None)
    return made


def played(world, *, held_back=False):
    """Played to declared results: the seeds win, except that 1,234,567 wins the final for the second."""
    play_all(world, "semi-finals", (80, 70, 60, 50), (79, 69, 59, 49), machines=2)
    play_all(world, "play-off", (40, 30, 20, 10))
    if held_back:
        results.hold_back(world.tournament, actor=None)
    play_all(world, "final", (777_777, 1_234_567, 666_666, 555_555))
    results.declare(world.tournament, actor=None, held_back=held_back)
    return world


@kept
def finished(*, held_back=False):
    """Eight players, to declared results."""
    return played(cut(), held_back=held_back)
