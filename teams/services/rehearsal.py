"""A rehearsal of the Team Tournament: invented teams, an evening from registration to the cup."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from decimal import Decimal
from random import Random
from typing import Any

from django.db.models import QuerySet

from teams import selectors
from teams.domain.groups import FEWEST, MOST
from teams.models import Team, TeamMember
from teams.services import groups, teams
from teams.services.teams import Person
from tournaments.domain.refusals import Refusal
from tournaments.models import Machine, Match, Ruling, Score, Side, Stage
from tournaments.services import game_rulings, matches, results, shows, stages
from tournaments.services.rehearsal import Rehearsal, Swing
from tournaments.services.rehearsal_finals import Finals
from tournaments.services.rehearsal_hall import Kind

TEAMS = 16
ADJECTIVES = "Crimson Electric Flying Golden Hidden Iron Jolly Lucky Midnight Neon Quiet Restless Silver Spinning"
THINGS = "Bumpers Drains Flippers Gobble-Holes Jackpots Kickers Lanes Orbits Plungers Replays Skill-Shots Targets"
LATE, OVERDUE = 2, timedelta(minutes=6)
"""To which match one team does not come in time, and how long ago it was called."""
AGAIN = 3
"""One in so many members also plays in an earlier tournament of the show."""


class TeamCast:
    """How the Team Tournament is rehearsed."""

    def play(self, rehearsal: Rehearsal, entries: int | None, stop: str | Swing) -> None:
        """From registration to where the rehearsal stops; "" is before the groups have begun."""
        many = TEAMS if entries is None else entries
        if not rehearsal.alone:
            # The number is meant for all tournaments of the show, and there may be more players than teams.
            many = min(max(many, FEWEST), MOST)
        if not FEWEST <= many <= MOST:
            raise Refusal(f"A rehearsal has {FEWEST} to {MOST} teams, not {many}.")
        hall = [(machine, kind) for machine, kind in rehearsal.machines() if machine.in_order]
        registered = [self._register(rehearsal, name) for name in self._names(rehearsal.random, many)]
        shows.set_times(rehearsal.stage, actor=None, opens_at=rehearsal.opened, closes_at=None)
        for team in registered:
            teams.check_in(team, actor=None)
        if stop == "":
            return
        groups.draw_up(rehearsal.stage, actor=None)
        chosen = sorted((machine for machine, _ in hall), key=lambda machine: machine.code)
        matches.deal(rehearsal.stage, actor=None, machines=chosen, seed=rehearsal.seed)
        stages.open_stage(rehearsal.stage, actor=None)
        skills = {team.entry_id: rehearsal.random.gauss(0, 0.4) for team in registered}
        evening = _Evening(rehearsal, hall, skills)
        if stop is Swing.QUALIFYING:
            evening.play_groups(until=0.6)
            evening.under_way()
            return
        evening.play_groups()
        evening.close(rehearsal.stage)
        if stop != rehearsal.stage.key:
            evening.play_final([machine for machine, _ in hall])

    def rows(self, tournaments: Sequence[int]) -> Sequence[QuerySet[Any]]:
        """Members and teams of these tournaments."""
        return (
            TeamMember.objects.filter(tournament__in=tournaments),
            Team.objects.filter(entry__tournament__in=tournaments),
        )

    def _names(self, random: Random, many: int) -> list[str]:
        return random.sample(
            [f"The {adjective} {thing}" for adjective in ADJECTIVES.split() for thing in THINGS.split()], many
        )

    def _register(self, rehearsal: Rehearsal, name: str) -> Team:
        """Four people, three now and then; some of them play elsewhere in the show as well."""
        random, people = rehearsal.random, rehearsal.people
        size = 3 if random.random() < 0.1 else 4
        known = [player for player in people.adults if selectors.place_of(rehearsal.tournament, player) is None]
        members = []
        for _ in range(size):
            if known and random.randrange(AGAIN) == 0:
                player = known.pop(random.randrange(len(known)))
                members.append(Person(player.name, player))
            else:
                fullname, _, _ = people.details()
                members.append(Person(fullname))
        wppr = Decimal(random.randint(200, 40_000)) / 100
        return teams.register(rehearsal.tournament, actor=None, name=name, members=members, wppr=wppr)


class _Evening:
    """The matches of one rehearsed team tournament."""

    def __init__(
        self, rehearsal: Rehearsal, hall: Sequence[tuple[Machine, Kind]], skills: Mapping[int, float]
    ) -> None:
        self.rehearsal, self.random = rehearsal, rehearsal.random
        self.finals = Finals(rehearsal.tournament, rehearsal.random, rehearsal.seed, hall, skills)

    def play_groups(self, until: float = 1.0) -> None:
        """The matches in their order, as far as this share of them; one team is late, and one game goes wrong."""
        dealt = self.finals.dealt(self.rehearsal.stage)
        for number, match in enumerate(dealt[: int(len(dealt) * until)]):
            sides = self.finals.sides(match)
            if number == LATE and len(sides) == 2:
                matches.call(match, actor=None, at=self.rehearsal.now - OVERDUE)
                matches.forfeit(match, actor=None, entry=sides[1].entry_id)
                continue
            matches.call(match, actor=None)
            matches.play(match, actor=None)
            self.record(match, sides)
        self._slam_tilt()

    def record(self, match: Match, sides: Sequence[Side]) -> None:
        """Scores that differ, as a level match would be played again."""
        values: list[int] = []
        for side in sides:
            value = self.finals.value(match, side)
            values.append(value + 10 if value in values else value)
        for side, value in zip(sides, values, strict=True):
            self.finals.record(match, side, value)

    def under_way(self) -> None:
        """As many matches as there is room for: most are being played, the last is called and waits."""
        waiting = [m for m in self.finals.dealt(self.rehearsal.stage) if m.state == Match.State.PLANNED]
        for number, match in enumerate(waiting):
            try:
                matches.call(match, actor=None)
            except Refusal:
                # Its machine or one of its teams is in a match that was called before.
                continue
            if number % 3:
                matches.play(match, actor=None)

    def close(self, stage: Stage) -> None:
        """What is level is played off, then the stage is over."""
        self.finals.close(stage)

    def play_final(self, hall: Sequence[Machine]) -> None:
        """The machine is drawn by lot, the final played, and the results are declared."""
        final = Stage.objects.select_related("tournament__show").get(tournament=self.rehearsal.tournament, key="final")
        if final.seats.count() > 1:
            matches.deal_by_lot(final, actor=None, machines=hall, chance=self.random)
            stages.open_stage(final, actor=None)
            for match in self.finals.dealt(final):
                matches.call(match, actor=None)
                matches.play(match, actor=None)
                self.record(match, self.finals.sides(match))
            self.close(final)
        results.declare(self.rehearsal.tournament, actor=None)

    def _slam_tilt(self) -> None:
        """The last bonus game so far has ended in a slam tilt."""
        alone = [match for match in self.finals.dealt(self.rehearsal.stage) if match.sides.count() == 1]
        scored = Score.objects.filter(match__in=alone, state__in=Score.COUNTED).select_related("stage", "entry")
        last = scored.order_by("-match__round", "-match__order").first()
        if last:
            game_rulings.rule_on_score(
                last, actor=None, kind=Ruling.Kind.ZERO, seen=last.revision, reason="Slam tilt: shaken too hard."
            )
