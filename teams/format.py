"""The Team Tournament: its rules and stages. Source: the rules text of 2010, "UK Pinball Team Tournament"."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from tournaments import formats
from tournaments.domain.facts import QualifyingRules, StageFacts, Table
from tournaments.domain.refusals import Refusal
from tournaments.domain.standings import tabulate
from tournaments.formats import FROM_THE_RULES, Judgement, PlannedMatch, StageSpec, rule


@dataclass(frozen=True, slots=True)
class TeamRules:
    """Groups of teams, head-to-head matches and one bonus game each."""

    players: int = rule(4, "Players in a team", "How many members a team has.", FROM_THE_RULES)
    match_points: int = rule(5, "Points for a match won", "The loser gets none.", FROM_THE_RULES)
    bonus: str | tuple[int, ...] = rule(
        (9, 5, 2, 0), "Points of the bonus game", "By score within the group.", FROM_THE_RULES, points=True
    )


@dataclass(frozen=True)
class TeamFormat:
    """Groups by seed, then one final of the winners."""

    key: str = "team"
    label: str = "Team Tournament"
    Rules: type[TeamRules] = TeamRules
    stages: tuple[StageSpec, ...] = (
        StageSpec("groups", "Groups", playable=False),
        StageSpec("final", "Final", seats=4, comes_from="groups", playable=False),
    )
    panels: Mapping[tuple[str, str], str] = field(default_factory=dict)
    short_names: bool = False

    def qualifying(self, rules: TeamRules) -> QualifyingRules:
        """The bonus game of a group as a stage of solo games: one game, one machine, its own points."""
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

    def machines_wanted(self, stage: str, seats: int) -> tuple[int, int | None]:
        """This version deals no team matches."""
        return 0, 0

    def judge(
        self,
        stage: str,
        seats: Sequence[int],
        machines: Sequence[int],
        matches: Sequence[PlannedMatch],
        players: Mapping[int, str],
        named: Mapping[int, str] | None = None,
    ) -> Judgement:
        """Nothing to be judged: this version deals no team matches."""
        return Judgement()

    def deal(
        self, stage: str, seats: Sequence[int], machines: Sequence[int], rules: TeamRules, seed: int
    ) -> list[PlannedMatch]:
        """Refused: this version plays no team matches."""
        raise Refusal("Team matches cannot be played with this version yet.")

    def unplayable(self, rules: TeamRules) -> list[tuple[str, str]]:
        """Nothing that the rules could change: this version plays no team matches."""
        return []

    def age_limit(self, rules: TeamRules) -> int | None:
        """The rules know none."""
        return None

    def play_off_at_cut(self, rules: TeamRules) -> bool:
        """A level group is played off."""
        return True

    def table(self, facts: StageFacts, rules: TeamRules) -> Table:
        """The table of a group's bonus game."""
        return tabulate(facts, self.qualifying(rules))


TEAM = TeamFormat()


def register() -> None:
    """Make the format available."""
    formats.register(TEAM)
