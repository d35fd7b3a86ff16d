"""Lines about matches and results: what they say, and what can be wrong within them."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from tournaments.models import Entry, Match
from tournaments.services.exchange.faults import Fault
from tournaments.services.exchange.lines import DISCARDED, EntryLine, ScoreLine
from tournaments.services.exchange.tables import HIGHEST_NUMBER, Row

SEATS_IN_A_MATCH = (1, 2, 3, 4)
MATCH_STATES = tuple(state for state in Match.State.values if state != Match.State.VOID)
NO_CHOICE = "-"


@dataclass(frozen=True, slots=True)
class SideLine:
    """One player of a match. `score` is None while there is none, `choice` 0 while no position is chosen."""

    number: int
    score: int | None
    choice: int = 0
    absent: bool = False
    agreed: bool = False


@dataclass(frozen=True, slots=True)
class MatchLine:
    """A match; `state` is empty when the line says no more than its scores do."""

    line: int
    stage: str
    round: int
    machine: str
    sides: tuple[SideLine, ...]
    state: str

    @property
    def where(self) -> tuple[str, int, str]:
        """What no two matches share."""
        return self.stage, self.round, self.machine

    @property
    def numbers(self) -> tuple[int, ...]:
        """Who plays in it."""
        return tuple(side.number for side in self.sides)

    @property
    def played(self) -> bool:
        """Whether anybody has a score."""
        return any(side.score is not None for side in self.sides)

    def side(self, number: int) -> SideLine:
        """The side of this player."""
        return next(side for side in self.sides if side.number == number)

    def with_score(self, number: int, score: int, *, agreed: bool) -> "MatchLine":
        """The same match with this player's score."""
        sides = tuple(
            replace(side, score=score, agreed=agreed or side.agreed) if side.number == number else side
            for side in self.sides
        )
        return replace(self, sides=sides)


@dataclass(frozen=True, slots=True)
class ResultLine:
    """Where somebody ended; `place` is None for who stands apart."""

    line: int
    number: int
    place: int | None
    shared: bool
    why: str


def read_match(row: Row, stage: str, machine: str, check_number: Callable[[Row, int], None]) -> MatchLine:
    """A line of matches.csv; what is wrong with it is noted."""
    round_number = row.whole("round", least=1, most=1_000) or 0
    named = list(_named(row))
    numbers = [number for number, _ in named]
    for number in numbers:
        check_number(row, number)
    if row.sound and not numbers:
        row.fault("The match names nobody.")
    for number, times in Counter(numbers).items():
        if times > 1:
            row.fault(f"Number {number} is drawn against themselves.")
    chosen = _choices(row, len(numbers))
    absent, agreed = row.numbers("absent"), row.numbers("agreed")
    for column, listed in (("absent", absent), ("agreed", agreed)):
        for number in set(listed) - set(numbers):
            row.fault(f"Number {number} is named in the column {column} and is not in the match.")
    sides = tuple(
        SideLine(number, score, choice, number in absent, number in agreed)
        for (number, score), choice in zip(named, chosen, strict=True)
    )
    return MatchLine(row.line, stage, round_number, machine, sides, row.choice("state", MATCH_STATES, ""))


def _named(row: Row) -> Iterator[tuple[int, int | None]]:
    for seat in SEATS_IN_A_MATCH:
        number = row.whole(f"number_{seat}", least=1, most=HIGHEST_NUMBER, needed=False)
        score = row.score(f"score_{seat}")
        if number is not None:
            yield number, score
        elif score is not None:
            row.fault(f"score_{seat} has no number beside it.")


def _choices(row: Row, players: int) -> Sequence[int]:
    """The position each chose, in the order of the numbers; 0 for none."""
    words = row.cells.get("choices", "").split()
    allowed = {NO_CHOICE, *map(str, range(1, players + 1))}
    taken = [word for word in words if word != NO_CHOICE]
    if words and (len(words) != players or not set(words) <= allowed or len(set(taken)) < len(taken)):
        row.fault(
            f"The choices “{' '.join(words)}” are not a position from 1 to {players}, or {NO_CHOICE}, for each number."
        )
        words = []
    return [0 if word == NO_CHOICE else int(word) for word in words] or [0] * players


def excused(
    entries: Iterable[EntryLine], scores: Iterable[ScoreLine], in_groups: Collection[str]
) -> Callable[[MatchLine, int], bool]:
    """Who needs no score for a match to be over: whoever has a discarded one there, is disqualified, or is left alone
    in a match of a stage played in groups, and has won it.
    """
    out = {entry.number for entry in entries if entry.status == Entry.Status.DISQUALIFIED}
    spent = {(line.stage, line.round, line.number) for line in scores if line.status == DISCARDED}

    def needs_none(match: MatchLine, number: int) -> bool:
        if number in out or (match.stage, match.round, number) in spent:
            return True
        others = [side for side in match.sides if side.number != number]
        return match.stage in in_groups and bool(others) and all(s.absent or s.number in out for s in others)

    return needs_none


def match_faults(
    file: str, lines: Sequence[MatchLine], needs_no_score: Callable[[MatchLine, int], bool]
) -> Iterator[Fault]:
    """What matches say that cannot be: after the scores of both tables have been put together."""
    for line in lines:
        for side in line.sides:
            if side.absent and side.score is not None:
                yield Fault(file, line.line, f"Number {side.number} is absent and has a score.")
            if side.agreed and side.score is None:
                yield Fault(file, line.line, f"Number {side.number} agrees to a score that is missing.")
            missing = side.score is None and not side.absent and not needs_no_score(line, side.number)
            if line.state == Match.State.DONE and missing:
                reason = f"The match is done, but number {side.number} has no score and is not absent."
                yield Fault(file, line.line, reason)
    rounds: dict[tuple[str, int, int], int] = {}
    for line in lines:
        for number in line.numbers:
            earlier = rounds.setdefault((line.stage, line.round, number), line.line)
            if earlier != line.line:
                reason = f"Number {number} plays in round {line.round} of {line.stage} in line {earlier} already."
                yield Fault(file, line.line, reason)


def read_result(row: Row, number: int) -> ResultLine:
    """A line of results.csv."""
    place = row.whole("place", least=1, most=HIGHEST_NUMBER, needed=False)
    why = row.text("why", most=300)
    if row.sound and place is None and not why:
        row.fault("Say in the column why there is no place.")
    return ResultLine(row.line, number, place, row.choice("shared", ("yes", "no"), "no") == "yes", why)


def result_faults(file: str, lines: Sequence[ResultLine], entered: Collection[int]) -> Iterator[Fault]:
    """Whether the places are those of one order of everybody: 1, 2, 2 shared, 4 …"""
    places = Counter(line.place for line in lines if line.place is not None)
    for line in lines:
        if line.place is None:
            continue
        better = sum(count for place, count in places.items() if place < line.place)
        if better != line.place - 1:
            yield Fault(file, line.line, f"Place {line.place} has {better} better ones before it.")
        elif line.shared != (places[line.place] > 1):
            told = "is not shared by anybody" if line.shared else f"is given {places[line.place]} times and not shared"
            yield Fault(file, line.line, f"Place {line.place} {told}.")
    missing = sorted(set(entered) - {line.number for line in lines}) if lines else []
    for number in missing:
        yield Fault(file, None, f"Number {number} has no line; everybody entered has one, with a place or a reason.")
