"""Matches and results of a folder beside those of the database."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from tournaments.domain.scores import grouped
from tournaments.models import Entry, Match, Score, Side, Stage, Tournament
from tournaments.services.exchange import lines as files
from tournaments.services.exchange.comparing_rulings import RulingsComparison
from tournaments.services.exchange.folder import Folder
from tournaments.services.exchange.games import MatchLine, SideLine
from tournaments.services.exchange.lines import ScoreLine

NoteFault = Callable[[str, int | None, str], None]
Key = tuple[str, int, str]
STATES = Match.State.values


@dataclass
class GamesPlan:
    """`new` are the matches of stages that have none yet, `going_on` known ones with something to add.

    `void` are void scores to add, and `taken` those here that lines of scores.csv mean, by the line. `before` are the
    scores of matches in scores.csv as they were before the rulings that are new here.
    """

    new: dict[str, list[MatchLine]] = field(default_factory=lambda: defaultdict(list))
    going_on: list[MatchLine] = field(default_factory=list)
    void: list[ScoreLine] = field(default_factory=list)
    taken: dict[int, Score] = field(default_factory=dict)
    before: dict[tuple[Key, int], ScoreLine] = field(default_factory=dict)
    results: bool = False
    unchanged: int = 0

    def of(self, stage: str) -> list[MatchLine]:
        """The lines of a stage that something is to be done for, in the order of play."""
        lines = [*self.new.get(stage, []), *(line for line in self.going_on if line.stage == stage)]
        return sorted(lines, key=lambda line: (line.round, line.line))


class GamesComparison:
    """Makes the plan; `fault` notes a contradiction by file and line."""

    def __init__(
        self,
        folder: Folder,
        tournament: Tournament | None,
        rulings: RulingsComparison,
        fault: NoteFault,
    ) -> None:
        self.folder, self.tournament, self.fault = folder, tournament, fault
        self.ruled, self.out_of_match = rulings.on_scores, rulings.out_of_match
        self.plan = GamesPlan()
        self.known: dict[Key, Match] = {}
        self.scores: dict[tuple[int, int], Score] = {}
        self.begun: set[str] = set()
        self._load()
        self._compare_void()
        self._compare_in_matches()
        self._compare_matches()
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
        if said.score is not None and score and score.value not in self._accepted(line, said):
            self._contradict(line, said, f"has {score.value:,} here, not {said.score:,}")
            return False
        if said.choice and known.choice and said.choice != known.choice:
            self._contradict(line, said, f"plays in position {known.choice} here, not {said.choice}")
            return False
        if said.score is not None and known.absent:
            self._contradict(line, said, "does not play here")
            return False
        out = (line.stage, line.round, said.number) in self.out_of_match
        if said.absent and score and score.state != Score.State.DISCARDED and not out:
            self._contradict(line, said, "has a score here")
            return False
        return (
            (said.score is not None and score is None)
            or (said.absent and not known.absent)
            or (said.choice > 0 and known.choice is None)
            or (said.agreed and known.agreed_at is None)
        )

    def _accepted(self, line: MatchLine, said: SideLine) -> tuple[int | None, ...]:
        """The values that a score here may have: what the line says, or what it was before rulings new here."""
        before = self.plan.before.get((line.where, said.number))
        return said.score, before.value if before else said.score

    def _contradict(self, line: MatchLine, said: SideLine, what: str) -> None:
        reason = f"Number {said.number} in round {line.round} of {line.stage} {what}; nothing is overwritten."
        self.fault(files.MATCHES.file, line.line, f"{reason} Correct it at the desk.")

    def _compare_void(self) -> None:
        """Void scores here, or scores that a ruling new here makes void."""
        void: dict[tuple[str, int, int, str], list[Score]] = defaultdict(list)
        if self.tournament:
            found = Score.objects.filter(match__stage__tournament=self.tournament, state=Score.State.VOID)
            for score in found.select_related("stage", "match", "entry", "machine").order_by("pk"):
                if score.match and score.match.state != Match.State.VOID:
                    void[_where(score)].append(score)
        for line in self.folder.void:
            here = void[line.stage, line.round, line.number, line.machine.casefold()]
            same = next((score for score in here if score.value == line.value), None)
            live = self._live(line)
            if same:
                here.remove(same)
            elif live and self.ruled.get(line.line) and live.value == line.value:
                same = live
            if same:
                self.plan.taken[line.line] = same
                self.plan.unchanged += 1
            else:
                self.plan.void.append(line)

    def _compare_in_matches(self) -> None:
        """The scores of matches that stand in scores.csv; where they contradict one here, `_news` or this tells."""
        for line in self.folder.in_matches:
            before = files.before_rulings(line, self.ruled.get(line.line, ()))
            self.plan.before[(line.stage, line.round, line.machine), line.number] = before
            score = self._live(line)
            if score is None:
                continue
            if not any(alike(said, score) for said in (line, before)):
                known = f"{grouped(score.value or 0)}, {score.get_state_display()},"
                reason = f"Number {line.number} in round {line.round} of {line.stage} has {known} here"
                self.fault(files.SCORES.file, line.line, f"{reason}, not {line.status}; nothing is overwritten.")
            else:
                self.plan.taken[line.line] = score

    def _live(self, line: ScoreLine) -> Score | None:
        match = self.known.get((line.stage, line.round, line.machine.casefold()))
        side = next((s for s in match.sides.all() if s.entry.number == line.number), None) if match else None
        return self.scores.get((side.match_id, side.entry_id)) if side else None

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


def _where(score: Score) -> tuple[str, int, int, str]:
    round_number = score.match.round if score.match else 0
    return score.stage.key, round_number, score.entry.number, score.machine.code.casefold()


def alike(line: ScoreLine, score: Score) -> bool:
    """Whether a line and a score are the same game; a score agreed since it was recorded still is."""
    if line.status == files.PLAYING:
        return score.state == Score.State.PLAYING
    if score.value != line.value or line.ranked not in (None, score.ranked):
        return False
    if line.status in files.COUNTED:
        return score.state in Score.COUNTED
    return str(score.state) == line.status


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
