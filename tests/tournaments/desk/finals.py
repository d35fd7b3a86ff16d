"""Tournaments that have got as far as their matches, named as the desk knows them.

The entries are numbered in the order in which they qualified: seed 1 is "1 Player 1".
"""

from django.test import Client
from django.urls import reverse

from tests import factories
from tests.shelf import kept
from tests.tournaments.desk.conftest import signed_in
from tournaments.models import Machine, Match, Score, Stage
from tournaments.services import matches, stages


@kept
def qualified(format, players, stock, level):
    """The cut is declared, or left to be declared where so many of the last have the same score."""
    world = factories.qualifying(format=format, players=players, stock=stock, rules={"qualifiers": 8})
    factories.closed(world, [[1_000 * max(level, players - number)] for number in range(players)])
    if not level:
        stages.declare_cut(world.stage, actor=None)
    return world


class Hall:
    """A tournament with seats in its first stage of matches, and people of each role signed in.

    So many of the last as are `level` have the same score; their cut is then left to be declared.
    """

    def __init__(self, format="classic", players=9, stock=4, level=0):
        world = qualified(format, players, stock, level)
        self.world, self.tournament, self.entries = world, world.tournament, world.entries
        self.machines = list(Machine.objects.order_by("code"))
        self.organiser, self.desk = signed_in("organiser", "dee"), signed_in("desk", "dora")
        self.official = signed_in("official", "olu")
        self.first = "semi-finals" if format == "classic" else "second-round"

    def stage(self, key):
        return Stage.objects.select_related("tournament__show").get(tournament=self.tournament, key=key)

    def url(self, name, key, *parts):
        return reverse(name, args=[self.world.show.slug, self.tournament.slug, key, *parts])

    def get(self, page, key, /, *parts, by=None, **query):
        return (by or self.desk).get(self.url(f"desk:{page}", key, *parts), query)

    def post(self, page, key, /, *parts, by=None, **typed):
        """What a page sends; unless told otherwise one that shows the tournament as it is."""
        typed.setdefault("expected", self.revision())
        return (by or self.desk).post(self.url(f"desk:{page}", key, *parts), typed, follow=True)

    def deal(self, key, machines=None, opened=True):
        stage = self.stage(key)
        chosen = machines or self.machines[: 4 if key == "second-round" else 2 if key == "semi-finals" else 1]
        matches.deal(stage, actor=None, machines=chosen)
        if opened:
            stages.open_stage(stage, actor=None)
        return self.matches(key)

    def matches(self, key):
        found = Match.objects.select_related("stage__tournament__show", "machine").filter(stage=self.stage(key))
        return list(found.order_by("round", "order"))

    def score(self, match, *values):
        """These scores for the sides of a match, in the order in which they choose."""
        for side, value in zip(match.sides.order_by("rank"), values, strict=True):
            matches.record(match, actor=None, entry=side.entry_id, value=value, sure=value)

    def ids(self, by_number):
        """The same by the ids of the entries."""
        return {self.entries[number - 1].pk: value for number, value in by_number.items()}

    def seats(self, key):
        return list(self.stage(key).seats.order_by("seed").values_list("entry__number", flat=True))

    def revision(self):
        self.tournament.refresh_from_db()
        return self.tournament.revision


def scores():
    """(number, value) of every score that counts in a match."""
    found = Score.objects.filter(match__isnull=False, state__in=Score.COUNTED)
    return sorted(found.values_list("entry__number", "value"))


def stranger():
    return Client()
