"""The Team Tournament: its rules and stages. Source: the rules text of 2010, "UK Pinball Team Tournament"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from teams.domain import groups, timetable
from teams.domain.timetable import Game, Names
from tournaments import formats
from tournaments.domain.facts import QualifyingRules, StageFacts, Table
from tournaments.domain.grouped import Grouped, one_table
from tournaments.domain.refusals import Refusal
from tournaments.formats import (
    FROM_THE_RULES,
    Feed,
    Judgement,
    PlannedMatch,
    Redealt,
    Running,
    StageSpec,
    rule,
)


@dataclass(frozen=True, slots=True)
class TeamRules:
    """Groups of teams, head-to-head matches and one bonus game each."""

    players: int = rule(4, "Players in a team", "How many members a team has.", FROM_THE_RULES, least=2, most=8)
    fewest_players: int = rule(
        3, "Fewest players in a team", "With how many members a team may play; a ball is missing then.", FROM_THE_RULES
    )
    match_points: int = rule(5, "Points for a match won", "The loser gets none.", FROM_THE_RULES)
    bonus: str | tuple[int, ...] = rule(
        (9, 5, 2, 0), "Points of the bonus game", "By score within the group.", FROM_THE_RULES, points=True
    )
    minutes_late: int = rule(
        5,
        "Minutes after the call",
        "A team that has not come by then loses the match; the opposing team gets the points.",
        FROM_THE_RULES,
        most=60,
    )

    def conflicts(self) -> list[tuple[str, str]]:
        """What is wrong between the rules, as (rule name, sentence)."""
        if self.fewest_players > self.players:
            return [
                ("fewest_players", f"A team of {self.players} cannot have {self.fewest_players} players at least.")
            ]
        return []


GROUPS = StageSpec(
    "groups",
    "Groups",
    fewest=groups.FEWEST,
    most=groups.MOST,
    matches=True,
    grouped=True,
    feeds=(Feed("final", 1),),
    redealt=True,
    positions=False,
    alone="bonus game",
)
FINAL = StageSpec("final", "Final", seats=4, comes_from="groups", matches=True, by_lot=True, positions=False)

PANELS = {
    ("groups", "public"): "teams/public/groups.jinja",
    ("groups", "entry"): "teams/public/team.html",
    ("groups", "paper"): "teams/paper/groups.html",
    ("groups", "rules"): "teams/public/rules.html",
    ("groups", "desk-links"): "teams/desk/_links.html",
    ("groups", "desk-entry"): "teams/desk/_entry.html",
    ("groups", "desk-seats"): "teams/desk/_seats.html",
}
"""What stands in the shared pages about teams alone."""


@dataclass(frozen=True)
class TeamFormat:
    """Groups by seed, then one final of the winners."""

    key: str = "team"
    label: str = "Team Tournament"
    Rules: type[TeamRules] = TeamRules
    stages: tuple[StageSpec, ...] = (GROUPS, FINAL)
    panels: Mapping[tuple[str, str], str] = field(default_factory=lambda: dict(PANELS))
    short_names: bool = False
    noun: str = "team"

    def qualifying(self, rules: TeamRules) -> QualifyingRules:
        """What the bonus game of a group is as a ranking of scores: one game, one machine, its own points."""
        return QualifyingRules(games_allowed=1, games_counted=1, points=rules.bonus)

    def qualifiers(self, rules: TeamRules) -> int:
        """The winner of a group goes on."""
        return 1

    def counting(self, stage: str, rules: TeamRules) -> QualifyingRules:
        """The bonus game is the only ranking of scores."""
        return self.qualifying(rules)

    def go_on(self, stage: str, rules: TeamRules) -> int:
        """The winner of a group goes on."""
        return self.qualifiers(rules)

    def warm_up(self, rules: TeamRules) -> int:
        """The rules know no warm-up before a team match."""
        return 0

    def lateness(self, rules: TeamRules) -> int:
        """Source: house rules, "More than 5 minutes late after the call"."""
        return rules.minutes_late

    def machines_wanted(self, stage: str, seats: int) -> tuple[int, int | None]:
        """A bonus machine for each group and three for the matches at least; one for the final."""
        if stage == FINAL.key:
            return 1, 1
        return timetable.fewest_machines(seats), None

    def judge(
        self,
        stage: str,
        seats: Sequence[int],
        machines: Sequence[int],
        matches: Sequence[PlannedMatch],
        players: Mapping[int, str],
        named: Mapping[int, str] | None = None,
    ) -> Judgement:
        """The order of play against its rules, and how even it is; a final has nothing to be judged."""
        if stage == FINAL.key or not matches:
            return Judgement()
        rounds = _rounds(matches)
        found, bonus = timetable.groups_in(rounds)
        names = Names(players, named or {})
        too_large = [group for group in found if len(group) > groups.LARGEST_GROUP]
        if too_large:
            # Two groups have become one by a match between them; what that one had to play is not to be reckoned.
            return Judgement(tuple(timetable.too_large(group, names) for group in too_large))
        report = timetable.check(rounds, found, bonus, set(machines) - set(bonus), names, whole=False)
        return Judgement(report.faults, report.figures)

    def deal(
        self, stage: str, seats: Sequence[int], machines: Sequence[int], rules: TeamRules, seed: int
    ) -> list[PlannedMatch]:
        """One game of all in the final."""
        if len(seats) < 2:
            raise Refusal("A final needs at least two winners of groups.")
        if len(machines) != 1:
            raise Refusal("Choose 1 machine.")
        return [PlannedMatch(1, machines[0], tuple(seats))]

    def deal_groups(
        self, groups: Sequence[Sequence[int]], machines: Sequence[int], rules: TeamRules, seed: int
    ) -> list[PlannedMatch]:
        """The order of play: the first machines are the bonus machines of the groups, the others for the matches.

        Source: house rules, "Twelve machines; a team plays on up to four".
        """
        bonus, head_to_head = machines[: len(groups)], machines[len(groups) :]
        return _planned(timetable.find(groups, bonus, head_to_head, seed))

    def redeal(
        self, stage: str, running: Running, seed: int, players: Mapping[int, str], named: Mapping[int, str]
    ) -> Redealt:
        """The rest of the groups after a machine has died or a team is missing.

        Source: house rules, "Machine breaks down", "Missing team".
        """
        begun = {(match.round, match.machine): match for match in running.begun}
        announced = [begun.get((match.round, match.machine), match) for match in running.announced]
        redone = timetable.redo(
            _rounds(announced),
            [_game(match) for match in running.begun],
            running.gone,
            running.machines,
            running.instead,
            Names(players, named),
        )
        return Redealt(tuple(_planned(redone.timetable)), redone.gave_way, ())

    def grouped(self, facts: StageFacts, rules: TeamRules) -> Grouped:
        """The groups, each with its table and its winner, and which four of more than four winners play the final.

        Source: house rules, "Top of each group to the final"; the order between winners is our choice.
        """
        tables = groups.standings(facts, rules)
        return Grouped(tuple(map(groups.as_group, tables)), groups.between_winners(tables, facts, rules))

    def letters(self, entries: int) -> tuple[str, ...]:
        """Source: house rules, "Groups A 1 6 9 13, B 2 5 10 14, C 3 8 11 15, D 4 7 12 16"."""
        return groups.letters(entries)

    def unplayable(self, rules: TeamRules) -> list[tuple[str, str]]:
        """Nothing that the rules could change."""
        return []

    def age_limit(self, rules: TeamRules) -> int | None:
        """The rules know none."""
        return None

    def play_off_at_cut(self, rules: TeamRules) -> bool:
        """A level group is played off."""
        return True

    def table(self, facts: StageFacts, rules: TeamRules) -> Table:
        """The tables of all groups, one below the other."""
        return one_table(self.grouped(facts, rules).groups)


def _rounds(matches: Sequence[PlannedMatch]) -> timetable.Timetable:
    """The matches as turns of an order of play."""
    last = max(match.round for match in matches)
    turns: list[list[Game]] = [[] for _ in range(last)]
    for match in matches:
        turns[match.round - 1].append(_game(match))
    return tuple(map(tuple, turns))


def _game(match: PlannedMatch) -> Game:
    return Game(match.machine, match.entries)


def _planned(rounds: timetable.Timetable) -> list[PlannedMatch]:
    return [
        PlannedMatch(number, game.machine, game.teams) for number, turn in enumerate(rounds, start=1) for game in turn
    ]


TEAM = TeamFormat()


def register() -> None:
    """Make the format available."""
    formats.register(TEAM)
