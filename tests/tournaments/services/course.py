"""What the tests of matches look at again and again; players are meant by their numbers, which are their seeds."""

from tests import factories
from tests.tournaments.services.games import seen
from tournaments.models import Match, Score, Tournament
from tournaments.services import rulings, scores


def seats(world, key):
    """The numbers of those who have a seat in a stage, in seed order."""
    return list(stage(world, key).seats.values_list("entry__number", flat=True))


def stage(world, key):
    return factories.stage(world.tournament, key)


def seated(world):
    """Who has a seat in the final, and who in the play-off for 5th to 8th."""
    return seats(world, "final"), seats(world, "play-off")


def sides(match):
    """The numbers of those in a match, in the order in which they choose."""
    return list(match.sides.order_by("rank").values_list("entry__number", flat=True))


def entry(world, number):
    return world.entries[number - 1]


def score(world, key, number):
    """The score that counts of somebody in a stage of one game."""
    return Score.objects.get(stage=stage(world, key), entry=entry(world, number), state="recorded")


def correct(world, number, value, key="semi-finals"):
    taken = score(world, key, number)
    scores.correct(taken, actor=None, seen=seen(taken), reason="misread", value=value, sure=value)


def again(match):
    """The match as it is stored now."""
    return Match.objects.select_related("stage__tournament__show", "machine").get(pk=match.pk)


def revision(world):
    return Tournament.objects.get(pk=world.tournament.pk).revision


def play_semi_finals(world, one=(400, 300, 200, 100), other=(400, 300, 200, 100)):
    """The scores of both semi-finals, of seeds 1, 3, 5, 7 and 2, 4, 6, 8."""
    for match, values in zip(factories.matches(world, "semi-finals"), (one, other), strict=True):
        factories.scored(match, *values)


def play_off(world, key, scores):
    """A play-off of a stage; `scores` by number."""
    values = {entry(world, number).pk: value for number, value in scores.items()}
    return rulings.record_play_off(stage(world, key), actor=None, scores=values)
