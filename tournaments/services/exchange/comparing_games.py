"""Matches and results of a folder beside those of the database."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tournaments.models import Entry, Match, Score, Side, Stage, Tournament
from tournaments.services.exchange import folder as files
from tournaments.services.exchange.folder import Folder, ScoreLine
from tournaments.services.exchange.games import MatchLine, SideLine

NoteFault = Callable[[str, int | None, str], None]
Key = tuple[str, int, str]
STATES = Match.State.values


@dataclass
class GamesPlan:
    """`new` are the matches of stages that have none yet, `going_on` known ones with something to add."""

    new: dict[str, list[MatchLine]] = field(default_factory=lambda: defaultdict(list))
    going_on: list[MatchLine] = field(default_factory=list)
    void: list[ScoreLine] = field(default_factory=list)
    results: bool = False
    unchanged: int = 0

    def of(self, stage: str) -> list[MatchLine]:
        """The lines of a stage that something is to be done for, in the order of play."""
        lines = [*self.new.get(stage, []), *(line for line in self.going_on if line.stage == stage)]
        return sorted(lines, key=lambda line: (line.round, line.line))


class GamesComparison:
    """Makes the plan; `fault` notes a contradiction by file and line."""

    def __init__(self, folder: Folder, tournament: Tournament | None, fault: NoteFault) -> None:
        self.folder, self.tournament, self.fault = folder, tournament, fault
        self.plan = GamesPlan()
        self.known: dict[Key, Match] = {}
        self.scores: dict[tuple[int, int], Score] = {}
        self.begun: set[str] = set()
        self._load()
        self._compare_matches()
        self._compare_void()
        self._compare_results()

    def _load(self) -> None:
        if self.tournament is None:
            return
        found = Match.objects.filter(stage__tournament=self.tournament).exclude(state=Match.State.VOID)
        for match in found.select_related("stage", "machine").prefetch_related("sides__entry"):
            self.known[match.stage.key, match.round, match.machine.code.casefold()] = match
            self.begun.add(match.stage.key)
        live = Score.objects.filter(match__stage__tournament=self.tournament, state__in=Score.LIVE)
        self.scores = {(score.match_id or 0, score.entry_id): score for score in live}

    def _compare_matches(self) -> None:
        for line in self.folder.matches:
            match = self.known.get((line.stage, line.round, line.machine.casefold()))
            if match:
                self._compare_match(line, match)
            elif line.stage in self.begun:
                reason = f"{line.stage} has no match on {line.machine} in round {line.round} here."
                self.fault(files.MATCHES.file, line.line, f"{reason} Nothing is overwritten.")
            else:
                self.plan.new[line.stage].append(line)

    def _compare_match(self, line: MatchLine, match: Match) -> None:
        sides: dict[int, Side] = {side.entry.number: side for side in match.sides.all()}
        if set(sides) != set(line.numbers):
            told = " and ".join(map(str, sorted(sides)))
            reason = f"{line.machine} in round {line.round} of {line.stage} is played by {told} here."
            self.fault(files.MATCHES.file, line.line, f"{reason} Nothing is overwritten.")
            return
        news = [self._news(line, side, sides[side.number]) for side in line.sides]
        on = bool(line.state) and STATES.index(line.state) > STATES.index(match.state)
        if on or any(news):
            self.plan.going_on.append(line)
        else:
            self.plan.unchanged += 1

    def _news(self, line: MatchLine, said: SideLine, known: Side) -> bool:
        """Whether a side says more than is known; a contradiction is noted."""
        score = self.scores.get((known.match_id, known.entry_id))
        if said.score is not None and score and score.value != said.score:
            self._contradict(line, said, f"has {score.value:,} here, not {said.score:,}")
            return False
        if said.choice and known.choice and said.choice != known.choice:
            self._contradict(line, said, f"plays in position {known.choice} here, not {said.choice}")
            return False
        if said.score is not None and known.absent:
            self._contradict(line, said, "does not play here")
            return False
        if said.absent and score:
            self._contradict(line, said, "has a score here")
            return False
        return (
            (said.score is not None and score is None)
            or (said.absent and not known.absent)
            or (said.choice > 0 and known.choice is None)
            or (said.agreed and known.agreed_at is None)
        )

    def _contradict(self, line: MatchLine, said: SideLine, what: str) -> None:
        reason = f"Number {said.number} in round {line.round} of {line.stage} {what}; nothing is overwritten."
        self.fault(files.MATCHES.file, line.line, f"{reason} Correct it at the desk.")

    def _compare_void(self) -> None:
        known: dict[tuple[str, int, int, int | None], int] = defaultdict(int)
        if self.tournament:
            void = Score.objects.filter(match__stage__tournament=self.tournament, state=Score.State.VOID)
            for key in void.values_list("stage__key", "match__round", "entry__number", "value"):
                known[key] += 1
        for line in self.folder.void:
            key = (line.stage, line.round, line.number, line.value)
            if known[key]:
                known[key] -= 1
                self.plan.unchanged += 1
            else:
                self.plan.void.append(line)

    def _compare_results(self) -> None:
        lines = self.folder.results
        if not (self.tournament and self.tournament.results_declared_at):
            self.plan.results = bool(lines or self.folder.heading.results_declared_at)
            return
        known = {place.entry.number: place for place in self.tournament.final_places.select_related("entry")}
        for line in lines:
            place = known.get(line.number)
            if place and place.place == line.place:
                self.plan.unchanged += 1
                continue
            told = f"place {place.place}" if place and place.place else "no place"
            reason = f"Number {line.number} has {told} in the results declared here; nothing is overwritten."
            self.fault(files.RESULTS.file, line.line, reason)


def implied_states(folder: Folder, plan: GamesPlan) -> Mapping[str, str]:
    """How far stages are that a folder says nothing of: one is open when its matches have scores, and over when there
    are matches of the stage that follows.
    """
    states: dict[str, str] = {}
    for spec in folder.heading.kind.stages:
        lines: Sequence[MatchLine] = plan.of(spec.key)
        if any(line.played or line.state not in ("", Match.State.PLANNED) for line in lines):
            states[spec.key] = Stage.State.OPEN
        if plan.new.get(spec.key) and spec.comes_from:
            states[spec.comes_from] = Stage.State.CLOSED
    return states


def by_number(entries: Mapping[int, Entry], numbers: Sequence[int]) -> list[Entry] | None:
    """The entries with these numbers; None when one of them was refused, which its own line tells."""
    found = [entries[number] for number in numbers if number in entries]
    return found if len(found) == len(numbers) else None
