"""The UK Pinball Open, the Classic and the Kids Tournament: one engine, three sets of rules.

Sources: the rules text of 2010 for the Open; the text names the Classic and the Kids Tournament and gives no
format, so their numbers are our choice after later UK events.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from tournaments import formats
from tournaments.domain.facts import QualifyingRules, StageFacts, Table
from tournaments.domain.ranking import BETTER, TIED_SCORES
from tournaments.domain.standings import tabulate
from tournaments.formats import FROM_THE_RULES, OUR_CHOICE, StageSpec, rule

CUT_TIES = {
    "play-off": "A tie across the cut is settled by a play-off game, or by the organisers' ruling.",
    "ruling": "A tie across the cut is settled by the organisers' ruling only.",
}


@dataclass(frozen=True, slots=True)
class OpenRules:
    """The Open's qualifying round and cut."""

    games_allowed: int = rule(6, "Games allowed", "How many games a player may play in qualifying.", FROM_THE_RULES)
    games_counted: int = rule(
        6, "Games counted", "How many machines, the best ones, make up the total.", FROM_THE_RULES
    )
    games_per_machine: int = rule(
        1, "Games on one machine", "How often one machine may be played; the best score on it counts.", FROM_THE_RULES
    )
    points: str | tuple[int, ...] = rule(
        "linear-100",
        "Points on a machine",
        "linear-100, papa, count-down, or a list such as [15, 12, 10, 8]: points for 1st, 2nd, 3rd … place.",
        points=True,
    )
    tied_scores: str = rule(
        BETTER, "Equal scores on a machine", "Which points equal scores on a machine get.", choices=TIED_SCORES
    )
    qualifiers: int = rule(
        24, "Go on from qualifying", "How many players the cut lets through.", FROM_THE_RULES, least=2
    )
    cut_ties: str = rule("play-off", "A tie across the cut", "What the desk is asked for.", choices=CUT_TIES)

    def conflicts(self) -> list[tuple[str, str]]:
        """What is wrong between the rules, as (rule name, sentence)."""
        if self.games_counted > self.games_allowed:
            return [
                (
                    "games_counted",
                    f"{self.games_counted} games cannot count when only {self.games_allowed} are allowed.",
                )
            ]
        return []


@dataclass(frozen=True, slots=True)
class ClassicRules(OpenRules):
    """The Classic: more games, repeats allowed, the best machines count."""

    games_allowed: int = rule(10, "Games allowed", "How many games a player may play in qualifying.")
    games_counted: int = rule(6, "Machines counted", "How many machines, the best ones, make up the total.")
    games_per_machine: int = rule(
        10, "Games on one machine", "How often one machine may be played; the best score on it counts."
    )
    qualifiers: int = rule(8, "Go on from qualifying", "How many players the cut lets through.", least=2)


@dataclass(frozen=True, slots=True)
class KidsRules(OpenRules):
    """The Kids Tournament: three games, all count, and an age limit."""

    games_allowed: int = rule(3, "Games allowed", "How many games a player may play in qualifying.")
    games_counted: int = rule(3, "Games counted", "How many machines, the best ones, make up the total.")
    games_per_machine: int = rule(1, "Games on one machine", "How often one machine may be played.")
    qualifiers: int = rule(8, "Go on from qualifying", "How many players the cut lets through.", least=2)
    under_age: int = rule(14, "Under the age of", "Players must be younger than this on the day.", OUR_CHOICE, most=99)


@dataclass(frozen=True)
class SoloFormat:
    """A format whose first stage is a qualifying round of solo games."""

    key: str
    label: str
    Rules: type[OpenRules]
    stages: tuple[StageSpec, ...]
    panels: Mapping[tuple[str, str], str]
    short_names: bool = False

    def qualifying(self, rules: OpenRules) -> QualifyingRules:
        """The part of the rules that turns solo scores into a table."""
        return QualifyingRules(
            games_allowed=rules.games_allowed,
            games_counted=rules.games_counted,
            games_per_machine=rules.games_per_machine,
            points=rules.points,
            tied_scores=rules.tied_scores,
        )

    def qualifiers(self, rules: OpenRules) -> int:
        """How many go on from qualifying."""
        return rules.qualifiers

    def play_off_at_cut(self, rules: OpenRules) -> bool:
        """Unless the organisers keep ties across the cut to themselves."""
        return rules.cut_ties == "play-off"

    def table(self, facts: StageFacts, rules: OpenRules) -> Table:
        """The table of the qualifying round."""
        return tabulate(facts, self.qualifying(rules))


QUALIFYING = StageSpec("qualifying", "Qualifying", slips=True)
FINALS = (
    StageSpec("play-off", "Play-off for 5th to 8th", seats=4, comes_from="semi-finals", playable=False),
    StageSpec("final", "Final", seats=4, comes_from="semi-finals", playable=False),
)
PANELS = {
    ("qualifying", "public"): "tournaments/public/_table.jinja",
    ("qualifying", "desk"): "tournaments/desk/slips.html",
}

OPEN = SoloFormat(
    key="open",
    label="UK Pinball Open",
    Rules=OpenRules,
    stages=(
        QUALIFYING,
        StageSpec("second-round", "Second round", comes_from="qualifying", playable=False),
        StageSpec("semi-finals", "Semi-finals", seats=8, comes_from="second-round", playable=False),
        *FINALS,
    ),
    panels=PANELS,
)
SHORT = (QUALIFYING, StageSpec("semi-finals", "Semi-finals", comes_from="qualifying", playable=False), *FINALS)
CLASSIC = SoloFormat(key="classic", label="Classic", Rules=ClassicRules, stages=SHORT, panels=PANELS)
KIDS = SoloFormat(key="kids", label="Kids Tournament", Rules=KidsRules, stages=SHORT, panels=PANELS, short_names=True)


def register() -> None:
    """Make the three formats available."""
    for chosen in (OPEN, CLASSIC, KIDS):
        formats.register(chosen)
