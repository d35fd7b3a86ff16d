"""A stage played in groups: six entries of several people, 1 to 6, in the groups A (1, 4, 5) and B (2, 3, 6).

Machines M1 and M2 are those of the groups, M3 to M5 for the matches.
"""

from datetime import timedelta

import time_machine
from django.utils import timezone

from tests import factories
from tournaments.models import Entry, Match, Ruling, Score, Seat, Stage
from tournaments.services import matches, stages

NAMES = ("Ants", "Bees", "Cats", "Dogs", "Elks", "Foxes")
GROUPS = {"A": (1, 4, 5), "B": (2, 3, 6)}


class Groups:
    """The stage with its matches published; opened unless told otherwise."""

    def __init__(self, *, opened=True, dealt=True, of=None, spare=1, machines=5):
        self.tournament = factories.tournament(of, format="team")
        self.show = self.tournament.show
        self.entries = {
            number: Entry.objects.create(
                tournament=self.tournament, title=name, number=number, entered_at=timezone.now()
            )
            for number, name in enumerate(NAMES, start=1)
        }
        for label, numbers in GROUPS.items():
            for number in numbers:
                Seat.objects.create(stage=self.stage, entry=self.entries[number], seed=number, group=label)
        have = set(self.show.machines.values_list("code", flat=True))
        for number in range(1, machines + spare + 1):
            if f"M{number}" not in have:
                factories.machine(self.show, f"M{number}", f"Machine {number}")
        self.machines = list(self.show.machines.order_by("code"))[: machines + spare]
        if dealt:
            matches.deal(self.stage, actor=None, machines=self.machines[:machines], seed=1)
            if opened:
                stages.open_stage(self.stage, actor=None)

    @property
    def stage(self):
        return factories.stage(self.tournament, "groups")

    @property
    def final(self):
        return factories.stage(self.tournament, "final")

    def match(self, *numbers):
        """The match between these, or the game that one plays alone."""
        wanted = {self.entries[number].pk for number in numbers}
        live = Match.objects.exclude(state=Match.State.VOID).filter(stage__tournament=self.tournament)
        found = live.select_related("machine", "stage__tournament__show").prefetch_related("sides")
        return next(match for match in found if {side.entry_id for side in match.sides.all()} == wanted)

    def call(self, *numbers, minutes_ago=0):
        """Call a match, so many minutes ago."""
        match = self.match(*numbers)
        with time_machine.travel(timezone.now() - timedelta(minutes=minutes_ago)):
            matches.call(match, actor=None)
        return self.match(*numbers)

    def score(self, scores):
        """These scores of one match, agreed: {1: 500, 4: 300}."""
        match = self.match(*scores)
        for number, value in scores.items():
            entry = self.entries[number].pk
            matches.record(match, actor=None, entry=entry, value=value, sure=value, agreed=True)
        return self.match(*scores)

    def late(self, number, *numbers, actor=None):
        """The entry has not come to the match that it plays with these."""
        matches.forfeit(self.match(number, *numbers), actor=actor, entry=self.entries[number].pk)
        return self.match(number, *numbers)

    def play_all(self):
        """Everything left; the lower number wins."""
        for match in self.stage.matches.exclude(state__in=(Match.State.DONE, Match.State.VOID)):
            numbers = sorted(match.sides.values_list("entry__number", flat=True))
            self.score({number: 1_000_000 - 1_000 * number for number in numbers})

    def away(self, match):
        return sorted(match.sides.filter(absent=True).values_list("entry__number", flat=True))

    def finalists(self):
        return list(self.final.seats.order_by("seed").values_list("entry__number", flat=True))

    def void_scores(self):
        return sorted(Score.objects.filter(stage=self.stage, state=Score.State.VOID).values_list("value", flat=True))

    def rulings(self):
        return list(Ruling.objects.filter(tournament=self.tournament, undone_at=None).values_list("kind", flat=True))

    def stage_row(self):
        return Stage.objects.get(pk=self.stage.pk)
