"""The UK Pinball Open, the Classic and the Kids Tournament: one engine, three sets of rules.

Sources: the rules text of 2010 for the Open; the text names the Classic and the Kids Tournament and gives no
format, so their numbers are our choice after later UK events.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from open.domain import draw
from open.domain.fairness import GAMES, Names, check, in_words
from tournaments import formats
from tournaments.domain.facts import QualifyingRules, StageFacts, Table
from tournaments.domain.ranking import BETTER, TIED_SCORES
from tournaments.domain.refusals import Refusal
from tournaments.domain.standings import tabulate
from tournaments.formats import (
    FROM_THE_RULES,
    OUR_CHOICE,
    Feed,
    Judgement,
    PlannedMatch,
    Redealt,
    Running,
    StageSpec,
    rule,
)

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
        24,
        "Go on from qualifying",
        "How many players the cut lets through: an even number, 8 to 48.",
        FROM_THE_RULES,
        least=2,
    )
    cut_ties: str = rule("play-off", "A tie across the cut", "What the desk is asked for.", choices=CUT_TIES)

    warm_up: int = rule(60, "Warm-up", "How many seconds each player may warm up before a match.", most=600)

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
    qualifiers: int = rule(8, "Go on from qualifying", "How many players the cut lets through, 4 to 8.", least=2)


@dataclass(frozen=True, slots=True)
class KidsRules(OpenRules):
    """The Kids Tournament: three games, all count, and an age limit."""

    games_allowed: int = rule(3, "Games allowed", "How many games a player may play in qualifying.")
    games_counted: int = rule(3, "Games counted", "How many machines, the best ones, make up the total.")
    games_per_machine: int = rule(1, "Games on one machine", "How often one machine may be played.")
    qualifiers: int = rule(8, "Go on from qualifying", "How many players the cut lets through, 4 to 8.", least=2)
    under_age: int = rule(
        14,
        "Under the age of",
        "Players must be younger than this, in years, on the day of the tournament.",
        OUR_CHOICE,
        most=99,
    )


@dataclass(frozen=True)
class SoloFormat:
    """A format whose first stage is a qualifying round of solo games."""

    key: str
    label: str
    Rules: type[OpenRules]
    stages: tuple[StageSpec, ...]
    panels: Mapping[tuple[str, str], str]
    short_names: bool = False
    noun: str = "player"

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

    def counting(self, stage: str, rules: OpenRules) -> QualifyingRules:
        """Qualifying by its rules; in the second round every match counts, on the same scale of points."""
        counting = self.qualifying(rules)
        if stage != "second-round":
            return counting
        return replace(counting, games_allowed=GAMES, games_counted=GAMES, games_per_machine=1)

    def go_on(self, stage: str, rules: OpenRules) -> int:
        """The cut of qualifying; 8 go on from the second round."""
        return 8 if stage == "second-round" else self.qualifiers(rules)

    def warm_up(self, rules: OpenRules) -> int:
        """How many seconds each player may warm up."""
        return rules.warm_up

    def machines_wanted(self, stage: str, seats: int) -> tuple[int, int | None]:
        """A machine for each match of a game, more if there are; one for each semi-final; one for a game of all."""
        if stage == "second-round":
            return seats // 2, None
        games = 2 if stage == "semi-finals" else 1
        return games, games

    def judge(
        self,
        stage: str,
        seats: Sequence[int],
        machines: Sequence[int],
        matches: Sequence[PlannedMatch],
        players: Mapping[int, str],
        named: Mapping[int, str] | None = None,
    ) -> Judgement:
        """The draw of the second round against its rules and its balance; other stages have nothing to be judged."""
        if stage != "second-round":
            return Judgement()
        position = {entry: number for number, entry in enumerate(seats, start=1)}
        place = {machine: number for number, machine in enumerate(machines, start=1)}
        names = Names(
            players={number: players[entry] for entry, number in position.items()},
            machines={number: named[machine] for machine, number in place.items()} if named else {},
        )
        report = check(_as_draw(matches, position, place), len(seats), len(machines), names=names)
        return Judgement(report.faults, in_words(report.balance, len(seats)))

    def deal(
        self, stage: str, seats: Sequence[int], machines: Sequence[int], rules: OpenRules, seed: int
    ) -> list[PlannedMatch]:
        """The draw of the second round, two games of odd and even seeds, or one game of all.

        Source: house rules, "Second round", "Semi-finals: 1, 3, 5, 7 and 2, 4, 6, 8".
        """
        if stage == "second-round":
            drawn = draw.find(len(seats), len(machines), seed)
            return [
                PlannedMatch(number, machines[match.machine - 1], tuple(seats[p - 1] for p in sorted(match.players)))
                for number, game in enumerate(drawn, start=1)
                for match in game
            ]
        groups = [seats[0::2], seats[1::2]] if stage == "semi-finals" else [seats]
        if any(len(group) < 2 for group in groups):
            raise Refusal("A game needs at least two players.")
        if len(machines) != len(groups):
            raise Refusal(f"Choose {len(groups)} machine{'s' if len(groups) > 1 else ''}, one for each game.")
        return [PlannedMatch(1, machine, tuple(group)) for machine, group in zip(machines, groups, strict=True)]

    def redeal(
        self, stage: str, running: Running, seed: int, players: Mapping[int, str], named: Mapping[int, str]
    ) -> Redealt:
        """The rest of the second round after a machine has died or somebody has left.

        Source: house rules, "Someone leaves", "Machine breaks down".
        """
        if {match.round for match in running.announced} != set(range(1, GAMES + 1)):
            raise Refusal(f"The rest can only be drawn again in a {stage.replace('-', ' ')} of {GAMES} games.")
        position = {entry: number for number, entry in enumerate(running.seats, start=1)}
        known = sorted({match.machine for match in running.announced} | set(running.machines))
        place = {machine: number for number, machine in enumerate(known, start=1)}
        begun = {(match.round, match.machine): match for match in running.begun}
        on_substitutes = [
            begun.get((match.round, match.machine))
            or replace(match, machine=running.instead.get(match.machine, match.machine))
            for match in running.announced
        ]
        repaired = draw.repair(
            _as_draw(on_substitutes, position, place),
            _as_draw(running.begun, position, place),
            players=len(running.seats),
            machines=[place[machine] for machine in running.machines],
            gone=[position[entry] for entry in running.gone],
            seed=seed,
            names=Names(
                players={number: players[entry] for entry, number in position.items()},
                machines={number: named[machine] for machine, number in place.items()},
            ),
        )
        matches = tuple(
            PlannedMatch(number, known[match.machine - 1], tuple(running.seats[p - 1] for p in match.players))
            for number, game in enumerate(repaired.draw, start=1)
            for match in game
        )
        return Redealt(matches, repaired.gave_way, in_words(repaired.report.balance, len(running.seats)))

    def unplayable(self, rules: OpenRules) -> list[tuple[str, str]]:
        """Whether as many as go on from qualifying can play what comes next."""
        many = self.qualifiers(rules)
        following = next(spec for spec in self.stages if spec.comes_from == QUALIFYING.key)
        if following.playable_by(many):
            return []
        return [("qualifiers", f"{many} cannot go on from qualifying. {following.for_how_many}")]

    def age_limit(self, rules: OpenRules) -> int | None:
        """Only the rules for children have one."""
        return rules.under_age if isinstance(rules, KidsRules) else None

    def play_off_at_cut(self, rules: OpenRules) -> bool:
        """Unless the organisers keep ties across the cut to themselves."""
        return rules.cut_ties == "play-off"

    def table(self, facts: StageFacts, rules: OpenRules) -> Table:
        """The table of the qualifying round."""
        return tabulate(facts, self.qualifying(rules))


def _as_draw(matches: Sequence[PlannedMatch], position: Mapping[int, int], place: Mapping[int, int]) -> draw.Draw:
    """The matches of a second round by positions of players and places of machines."""
    last = max((match.round for match in matches), default=0)
    games: list[list[draw.Match]] = [[] for _ in range(max(GAMES, last))]
    for match in matches:
        drawn = draw.Match(place[match.machine], tuple(sorted(position[entry] for entry in match.entries)))
        games[match.round - 1].append(drawn)
    return tuple(map(tuple, games))


QUALIFYING = StageSpec("qualifying", "Qualifying", slips=True, ranked=True)
SECOND_ROUND = StageSpec(
    "second-round",
    "Second round",
    comes_from="qualifying",
    fewest=draw.FEWEST_PLAYERS,
    most=draw.MOST_PLAYERS,
    even=True,
    matches=True,
    ranked=True,
    redealt=True,
)
FINALS = (
    StageSpec("play-off", "Play-off for 5th to 8th", seats=4, comes_from="semi-finals", matches=True),
    StageSpec("final", "Final", seats=4, comes_from="semi-finals", matches=True),
)
FEWEST_IN_SEMI_FINALS = 4
"""Two in each of two games; fewer are no semi-finals. Our choice."""
FEEDS = (Feed("final", 2), Feed("play-off", 2, best=False))
PANELS = {
    ("qualifying", "public"): "tournaments/public/_table.jinja",
    ("qualifying", "desk"): "tournaments/desk/slips.html",
}


def semi_finals(comes_from: str) -> StageSpec:
    """Two games of four, or of two or three when fewer have come: two of each go to the final, the others play for
    5th to 8th.
    """
    return StageSpec(
        "semi-finals",
        "Semi-finals",
        seats=8,
        comes_from=comes_from,
        fewest=FEWEST_IN_SEMI_FINALS,
        most=8,
        matches=True,
        feeds=FEEDS,
    )


LONG = (QUALIFYING, SECOND_ROUND, semi_finals("second-round"), *FINALS)
SHORT = (QUALIFYING, semi_finals("qualifying"), *FINALS)
OPEN = SoloFormat(key="open", label="UK Pinball Open", Rules=OpenRules, stages=LONG, panels=PANELS)
CLASSIC = SoloFormat(key="classic", label="Classic", Rules=ClassicRules, stages=SHORT, panels=PANELS)
KIDS = SoloFormat(key="kids", label="Kids Tournament", Rules=KidsRules, stages=SHORT, panels=PANELS, short_names=True)


def register() -> None:
    """Make the three formats available."""
    for chosen in (OPEN, CLASSIC, KIDS):
        formats.register(chosen)
