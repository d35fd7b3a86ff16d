"""Lines of rulings.csv: what each kind of ruling says, and whether the other tables say the same."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from tournaments.domain.rulings import eighty_percent
from tournaments.domain.scores import grouped
from tournaments.models import Entry, Ruling, StageMachine
from tournaments.services.exchange.faults import Fault
from tournaments.services.exchange.games import MatchLine
from tournaments.services.exchange.lines import (
    COLUMNS,
    COUNTED,
    DISCARDED,
    ENTRIES,
    LIVE,
    LOWERED,
    MACHINE_STATES,
    MATCHES,
    NOT_SAID,
    ON_SCORES,
    ORDERS,
    PLAYING,
    RULINGS,
    SCORES,
    SEATS,
    TAKEN_OUT,
    VOID,
    EntryLine,
    MachineStateLine,
    RulingLine,
    ScoreLine,
    SeatLine,
)
from tournaments.services.exchange.reading import Reader
from tournaments.services.exchange.tables import Row

Kind = Ruling.Kind
OF_THE_TOURNAMENT = (Kind.DISQUALIFIED, Kind.NO_SHOWS)
"""Kinds that belong to no stage; a warning belongs to one only in a match."""
ALTERING = (*LOWERED, *TAKEN_OUT, Kind.DISCARDED)
"""Rulings after which a score is other than it was; each says so of a score of its own."""
OF_SEVERAL = (Kind.REPLAYED, Kind.NO_SHOWS)
WITHOUT_REASON = (Kind.PLAY_OFF, Kind.ORDER, Kind.LOTS)
WAS = {Kind.DISQUALIFIED: (Entry.Status.ENTERED, Entry.Status.CHECKED_IN, Entry.Status.WITHDRAWN)} | {
    Kind.NO_SHOWS: (Entry.Status.ENTERED, Entry.Status.CHECKED_IN)
}


def read_ruling(reader: Reader, row: Row) -> RulingLine:
    """A line of rulings.csv; what is wrong with it by itself is noted."""
    kind = row.choice("kind", tuple(map(str, COLUMNS)), "")
    if not kind:
        if row.sound:
            row.fault("The kind is missing.")
        return RulingLine(row.line, "", "")
    allowed = COLUMNS[kind]
    for column in {column for columns in COLUMNS.values() for column in columns}:
        if column not in allowed and row.cells.get(column, "").strip():
            row.fault(f"A ruling “{kind}” has no {column}.")
    stage = _stage(reader, row, kind)
    line = RulingLine(
        row.line,
        stage,
        kind,
        order=_order(reader, row, kind),
        scores=row.scores("scores") if kind == Kind.PLAY_OFF else (),
        numbers=_numbers(reader, row, kind),
        machine=reader.known_machine(row) if "machine" in allowed and _has_machine(row, kind) else "",
        round=_round(reader, row, kind, stage),
        score=row.score("score"),
        reached=row.score("reached"),
        counts=row.score("counts"),
        was=_was(row, kind),
        instead_of=_instead_of(reader, row, kind),
        seed=(row.whole("seed", least=1, most=32_000) or 0) if kind == Kind.REPLACED else 0,
        reason=row.text("reason", most=500, needed=kind not in WITHOUT_REASON),
        decided_at=row.time("decided_at"),
        decided_by=row.text("decided_by", most=150),
        agreed=row.numbers("agreed") if kind == Kind.REPLAYED else (),
    )
    if not set(line.agreed) < set(line.numbers) and line.agreed:
        row.fault("Who agreed to play again is in the match, and not everybody: one of them slam tilted.")
    if kind == Kind.PLAY_OFF:
        _check_play_off(row, line)
    return _on_score(row, line) if kind in ON_SCORES else line


def _stage(reader: Reader, row: Row, kind: str) -> str:
    word = row.cells.get("stage", "").strip()
    if kind in OF_THE_TOURNAMENT or (kind == Kind.WARNING and not row.cells.get("round", "").strip()):
        if word:
            row.fault(f"A ruling “{kind}” belongs to no stage{' without a round' if kind == Kind.WARNING else ''}.")
        return ""
    return reader.stage_key(row)


def _has_machine(row: Row, kind: str) -> bool:
    """Whether a machine is to be read; in a match it need not be named."""
    return kind in (*ON_SCORES, Kind.MACHINE) or bool(row.cells.get("machine", "").strip())


def _order(reader: Reader, row: Row, kind: str) -> tuple[int, ...]:
    if kind not in ORDERS:
        return ()
    order = row.numbers("order")
    for number in order:
        reader.check_number(row, number)
    if row.sound and (len(order) < 2 or len(set(order)) < len(order)):
        row.fault("The order names two numbers or more, each once, with spaces between them.")
    return order


def _check_play_off(row: Row, line: RulingLine) -> None:
    if row.sound and len(line.scores) != len(line.order):
        row.fault(
            f"A play-off has one score for each number; the order has {len(line.order)}, the scores"
            f" {len(line.scores)}."
        )
    if row.sound and any(worse > better for better, worse in pairwise(line.scores)):
        row.fault("The scores of a play-off go down from the best to the last.")


def _numbers(reader: Reader, row: Row, kind: str) -> tuple[int, ...]:
    if "number" not in COLUMNS[kind]:
        return ()
    if kind not in OF_SEVERAL:
        number = reader.known_number(row)
        return (number,) if number else ()
    numbers = row.numbers("number")
    for number in numbers:
        reader.check_number(row, number)
    if row.sound and (not numbers or len(set(numbers)) < len(numbers)):
        row.fault("The number names everybody concerned, each once, with spaces between them.")
    return numbers


def _round(reader: Reader, row: Row, kind: str, stage: str) -> int:
    if "round" not in COLUMNS[kind]:
        return 0
    number = row.whole("round", least=1, most=1_000, needed=False) or 0
    spec = reader.stages.get(stage)
    if spec and spec.matches and not number:
        row.fault(f"{spec.label} is played in matches: say the round.")
    if spec and not spec.matches and (number or kind in (Kind.OUT_OF_MATCH, Kind.REPLAYED)):
        row.fault(f"{spec.label} is not played in matches.")
    return number


def _was(row: Row, kind: str) -> tuple[str, ...]:
    words = tuple(row.cells.get("was", "").lower().split())
    allowed = WAS.get(Kind(kind), COUNTED)
    for word in words:
        if word not in allowed and not (kind == Kind.NO_SHOWS and word == NOT_SAID):
            row.fault(f"The state “{word}” in the column was is not one of {', '.join(allowed)}.")
    many = len(row.cells.get("number", "").split()) if kind == Kind.NO_SHOWS else 1
    if words and len(words) != many:
        told = "1 number" if many == 1 else f"{many} numbers"
        row.fault(f"The column was has {len(words)} states for {told}.")
    return words


def _instead_of(reader: Reader, row: Row, kind: str) -> int:
    if kind != Kind.REPLACED:
        return 0
    number = row.whole("instead_of", least=1, most=99_999_999)
    if number is not None:
        reader.check_number(row, number)
    return number or 0


def _on_score(row: Row, line: RulingLine) -> RulingLine:
    """What was reached and what counts, filled in where the kind says it, and checked where it does."""
    if line.score is None:
        row.fault("The score that is ruled on is missing.")
        return line
    if line.kind == Kind.CORRECTED:
        if line.reached is None or line.counts is None:
            row.fault("A late correction says what was recorded (reached) and what counts.")
        return line
    reached = line.score if line.reached is None else line.reached
    expected = _counts(line, reached)
    if line.kind == Kind.ADJUSTED and expected is None:
        row.fault("An adjusted score says what counts.")
    elif line.counts not in (None, expected):
        told = "nothing" if expected is None else grouped(expected)
        row.fault(f"After “{line.kind}” {told} counts, not {grouped(line.counts or 0)}.")
    return replace(line, reached=reached, counts=expected)


def _counts(line: RulingLine, reached: int) -> int | None:
    if line.kind in (*TAKEN_OUT, Kind.DISCARDED):
        return None
    if line.kind == Kind.EXTRA_BALL_80:
        return eighty_percent(reached)
    if line.kind in (Kind.ZERO, Kind.EXTRA_BALL_ZERO):
        return 0
    # A note may stand beside a score that another ruling has changed.
    return line.counts if line.kind == Kind.ADJUSTED or line.counts is not None else reached


def put_on_scores(
    rulings: Sequence[RulingLine], scores: Sequence[ScoreLine], faults: list[Fault]
) -> tuple[RulingLine, ...]:
    """The rulings with the lines of scores.csv that they concern; what does not fit together is noted."""
    ranked: set[int] = set()
    state: set[int] = set()
    found = []
    for ruling in rulings:
        taken = ranked if ruling.kind in LOWERED else state
        if ruling.kind in ON_SCORES:
            ruling = _put_on_score(ruling, scores, taken, faults)
        elif ruling.kind == Kind.OUT_OF_MATCH:
            out = [s for s in scores if _same_game(ruling, s) and s.status == DISCARDED and s.line not in state]
            ruling = replace(ruling, on=out[0].line if out else 0)
        if ruling.on and ruling.kind in (*ALTERING, Kind.OUT_OF_MATCH):
            taken.add(ruling.on)
        found.append(ruling)
    for score in scores:
        unsaid = [DISCARDED] if score.status == DISCARDED and score.line not in state else []
        if score.ranked is not None and score.line not in ranked:
            unsaid.append(f"ranked with {grouped(score.ranked)}")
        for what in unsaid:
            reason = f"The score of number {score.number} is {what}, and no ruling in {RULINGS.file} says so."
            faults.append(Fault(SCORES.file, score.line, reason))
    return tuple(found)


def _put_on_score(ruling: RulingLine, scores: Sequence[ScoreLine], taken: set[int], faults: list[Fault]) -> RulingLine:
    own = [s for s in scores if _same_game(ruling, s) and s.machine == ruling.machine and s.value == ruling.score]
    own = [score for score in own if score.status != PLAYING]
    fits, alters = _fits(ruling), ruling.kind in ALTERING
    free = [score for score in own if fits(score) and not (alters and score.line in taken)]
    if free:
        # A note may stand beside a score of any state; the one that counts is meant first.
        return replace(ruling, on=min(free, key=lambda score: score.status not in LIVE).line)
    who = f"number {ruling.numbers[0]} on {ruling.machine}"
    where = f" in round {ruling.round} of {ruling.stage}" if ruling.round else ""
    told = grouped(ruling.score or 0)
    reason = f"{SCORES.file} has no score of {told} of {who}{where}."
    if own:
        reason = f"{SCORES.file} has {told} of {who}{where}, but not as “{ruling.kind}” leaves it."
    faults.append(Fault(RULINGS.file, ruling.line, reason))
    return ruling


def _same_game(ruling: RulingLine, score: ScoreLine) -> bool:
    return (score.stage, score.round, score.number) == (ruling.stage, ruling.round, ruling.numbers[0])


def _fits(ruling: RulingLine) -> Callable[[ScoreLine], bool]:
    """Whether a score is as the ruling leaves it."""
    if ruling.kind in TAKEN_OUT:
        return lambda score: score.status == VOID
    if ruling.kind == Kind.DISCARDED:
        # A match played again makes all its scores void, whatever was decided about them.
        return lambda score: score.status == DISCARDED or (bool(score.round) and score.status == VOID)
    if ruling.kind in LOWERED:
        return lambda score: score.ranked == ruling.counts
    return lambda score: True


def ruling_faults(
    rulings: Sequence[RulingLine],
    entries: Sequence[EntryLine],
    states: Sequence[MachineStateLine],
    seats: Sequence[SeatLine],
    matches: Sequence[MatchLine],
) -> Iterator[Fault]:
    """Rulings that the other tables do not bear out."""
    status = {entry.number: entry.status for entry in entries}
    withdrawn = {(s.stage, s.machine) for s in states if s.state not in ("", StageMachine.State.OPEN)}
    seeds = {(seat.stage, seat.seed) for seat in seats}
    games: Mapping[tuple[str, int, int], MatchLine] = {
        (match.stage, match.round, number): match for match in matches for number in match.numbers
    }
    for line in rulings:
        for reason in _contradictions(line, status, withdrawn, seeds, games):
            yield Fault(RULINGS.file, line.line, reason)


def _contradictions(
    line: RulingLine,
    status: Mapping[int, str],
    withdrawn: set[tuple[str, str]],
    seeds: set[tuple[str, int]],
    games: Mapping[tuple[str, int, int], MatchLine],
) -> Iterator[str]:
    if line.kind == Kind.DISQUALIFIED and status.get(line.numbers[0]) != Entry.Status.DISQUALIFIED:
        yield f"Number {line.numbers[0]} is not disqualified in {ENTRIES.file}."
    elif line.kind == Kind.MACHINE and (line.stage, line.machine) not in withdrawn:
        yield f"{line.machine} is not withdrawn from {line.stage} in {MACHINE_STATES.file}."
    elif line.kind == Kind.REPLACED and (line.stage, line.seed) not in seeds:
        yield f"Seed {line.seed} of {line.stage} is not in {SEATS.file}."
    elif line.round:
        for number in line.numbers:
            match = games.get((line.stage, line.round, number))
            if match is None:
                yield f"Number {number} has no match in round {line.round} of {line.stage}."
            elif line.kind == Kind.OUT_OF_MATCH and not match.side(number).absent:
                yield f"Number {number} is not absent from the match in {MATCHES.file}."
