"""A team tournament for tests: teams by number, and what is done to them in the words of an evening."""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from teams.models import Team
from teams.services import groups, teams
from teams.services.teams import Person
from tests import factories
from tournaments.models import Entry, Machine, Match, Score, Show, Stage, Tournament
from tournaments.services import matches, shows, stages

NAMES = "Ants Bees Cats Dogs Elks Foxes Gnus Hens Ibex Jays Koalas Lynx Moles Newts Owls Pugs"


class Evening:
    """A tournament of so many teams; team 1 has the most WPPR points, team 2 the next most …"""

    def __init__(self, many: int = 16, *, show: Show | None = None, **rules: Any) -> None:
        self.show = show or factories.show()
        self.tournament: Tournament = shows.create_tournament(
            actor=None,
            show=self.show,
            name="Team Tournament",
            slug="team",
            format="team",
            starts_on=self.show.starts_on,
            rules=rules,
        )
        self.teams = {number: self.register(number) for number in range(1, many + 1)}

    def register(self, number: int, *, wppr: int | None = None, people: int = 4) -> Team:
        """A team of new people."""
        name = NAMES.split()[number - 1] if number <= len(NAMES.split()) else f"Team {number}"
        members = [Person(f"{name} {word}") for word in ("One", "Two", "Three", "Four")[:people]]
        points = Decimal(1000 - 10 * number if wppr is None else wppr)
        return teams.register(self.tournament, actor=None, name=name, members=members, wppr=points, number=number)

    @property
    def groups(self) -> Stage:
        return Stage.objects.select_related("tournament__show").get(tournament=self.tournament, key="groups")

    @property
    def final(self) -> Stage:
        return Stage.objects.select_related("tournament__show").get(tournament=self.tournament, key="final")

    def entry(self, number: int) -> Entry:
        """The entry of a team."""
        return Entry.objects.get(tournament=self.tournament, number=number)

    def hall(self, many: int) -> list[Machine]:
        """So many machines of the show, made where they are not there yet."""
        for number in range(Machine.objects.filter(show=self.show).count(), many):
            factories.machine(self.show, f"M{number + 1:02}", f"Machine {number + 1:02}")
        return list(Machine.objects.filter(show=self.show).order_by("code"))[:many]

    def begin(self, machines: int = 12) -> None:
        """Groups are drawn up, matches published, and play begins."""
        groups.draw_up(self.groups, actor=None)
        matches.deal(self.groups, actor=None, machines=self.hall(machines), seed=1)
        stages.open_stage(self.groups, actor=None)

    def match(self, *numbers: int) -> Match:
        """The match of these teams against each other, or the bonus game of one."""
        entries = {self.entry(number).pk for number in numbers}
        live = Match.objects.filter(stage__tournament=self.tournament).exclude(state=Match.State.VOID)
        live = live.select_related("machine", "stage__tournament__show").order_by("-stage__position")
        return next(m for m in live if set(m.sides.values_list("entry_id", flat=True)) == entries)

    def play(self, scores: Mapping[int, int]) -> Match:
        """The match of these teams is played with these scores."""
        match = self.match(*scores)
        for number, value in scores.items():
            matches.record(match, actor=None, entry=self.entry(number).pk, value=value, sure=value, agreed=True)
        match.refresh_from_db()
        return match

    def play_all(self, *, but: Sequence[tuple[int, ...]] = ()) -> None:
        """Everything that has no score yet: the lower number wins its matches, and has the better bonus score."""
        left = [set(numbers) for numbers in but]
        for match in self.groups.matches.exclude(state__in=(Match.State.VOID, Match.State.DONE)):
            numbers = sorted(match.sides.values_list("entry__number", flat=True))
            if set(numbers) not in left:
                self.play({number: 1_000_000 - 1_000 * number for number in numbers})

    def scores(self, stage: Stage) -> int:
        """How many scores count."""
        return Score.objects.filter(stage=stage, state__in=Score.COUNTED).count()
