"""What the lines of a folder say together that cannot be."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from decimal import Decimal
from typing import TypeVar

from tournaments import formats
from tournaments.domain.facts import Played, QualifyingRules
from tournaments.domain.rulings import Move, ranked_elsewhere
from tournaments.models import StageMachine
from tournaments.services.exchange.faults import Fault
from tournaments.services.exchange.games import MatchLine
from tournaments.services.exchange.heading import Heading
from tournaments.services.exchange.lines import (
    AGREED,
    DISCARDED,
    LIVE,
    MACHINE_STATES,
    MATCHES,
    SCORES,
    SEATS,
    VOID,
    EntryLine,
    MachineStateLine,
    Numbered,
    ScoreLine,
    SeatLine,
    Table,
)

State = StageMachine.State
Line = TypeVar("Line", bound=Numbered)


def once(table: Table, lines: Iterable[Line], key: Callable[[Line], object], words: str) -> Iterator[Fault]:
    """A fault for each line that says what an earlier one has said."""
    first: dict[object, int] = {}
    for line in lines:
        earlier = first.setdefault(key(line), line.line)
        if earlier != line.line:
            yield Fault(table.file, line.line, f"{words.format(key(line))} in line {earlier} already.")


def namesake_faults(file: str, entries: Iterable[EntryLine]) -> Iterator[Fault]:
    """Everybody enters once; two people of one name are marked."""
    first: dict[str, EntryLine] = {}
    for entry in entries:
        other = first.setdefault(entry.name.casefold(), entry)
        if other is not entry and not entry.another_person:
            reason = (
                f"{entry.name} is entered in line {other.line} already, as number {other.number}; everybody enters"
                " once. If these are two people, write yes in a column another_person."
            )
            yield Fault(file, entry.line, reason)


def seat_faults(seats: Sequence[SeatLine]) -> Iterator[Fault]:
    """Seeds of a stage are 1, 2, 3 … without a gap."""
    for stage in dict.fromkeys(seat.stage for seat in seats):
        own = [seat for seat in seats if seat.stage == stage]
        for seat in own:
            if seat.seed > len(own):
                reason = f"Seed {seat.seed}, but {stage} has {len(own)} seats; the seeds are 1 to {len(own)}."
                yield Fault(SEATS.file, seat.line, reason)


def substitute_faults(states: Sequence[MachineStateLine]) -> Iterator[Fault]:
    """A substitute is used in the stage and open itself."""
    known = {(line.stage, line.machine): line.state for line in states}
    for line in states:
        state = known.get((line.stage, line.substitute))
        if line.substitute and state != State.OPEN:
            told = f"is {state} itself" if state else f"is not used in {line.stage}"
            yield Fault(MACHINE_STATES.file, line.line, f"The substitute {line.substitute} {told}.")


def game_faults(found: Heading, scores: Sequence[ScoreLine], states: Sequence[MachineStateLine]) -> Iterator[Fault]:
    """No game more than the rules allow. House rules, "at most 6 games, never two on one machine"."""
    rules = found.kind.qualifying(formats.read_rules(found.kind.Rules, found.rules))
    cancelled = {(line.stage, line.machine) for line in states if line.state == State.CANCELLED}
    given_back = _given_back(scores, states, rules)
    games: Counter[tuple[str, int]] = Counter()
    on_machine: Counter[tuple[str, int, str]] = Counter()
    for line in scores:
        if line.status not in LIVE:
            continue
        on_machine[line.stage, line.number, line.machine] += 1
        if on_machine[line.stage, line.number, line.machine] > rules.games_per_machine:
            allowed = _times(rules.games_per_machine)
            reason = f"Number {line.number} has played {line.machine} before; the rules allow {allowed} on a machine."
            yield Fault(SCORES.file, line.line, reason)
        elif (line.stage, line.machine) not in cancelled:
            games[line.stage, line.number] += 1
            if games[line.stage, line.number] > rules.games_allowed + given_back[line.stage, line.number]:
                reason = f"Number {line.number} has more than {_times(rules.games_allowed)}, which the rules allow."
                yield Fault(SCORES.file, line.line, reason)


def _given_back(
    scores: Sequence[ScoreLine], states: Sequence[MachineStateLine], rules: QualifyingRules
) -> Counter[tuple[str, int]]:
    """How many games each number of a stage got back because a machine was rescaled onto one they had played."""
    named = dict.fromkeys([line.machine for line in states] + [line.machine for line in scores])
    codes = {machine: key for key, machine in enumerate(named)}
    found: Counter[tuple[str, int]] = Counter()
    for stage in dict.fromkeys(line.stage for line in states if line.state == State.RESCALED):
        moves = {
            codes[line.machine]: Move(codes[line.substitute], line.factor or Decimal(1), line.machine)
            for line in states
            if line.stage == stage and line.state == State.RESCALED and line.substitute in codes
        }
        own = [line for line in scores if line.stage == stage and line.status in LIVE]
        played = [Played(line.number, codes[line.machine], line.value or 0) for line in own]
        kept, _ = ranked_elsewhere(played, moves, rules.games_per_machine)
        ranked = Counter(game.entry for game in kept if game.machine not in moves)
        left = Counter(game.entry for game in played) - ranked
        found.update({(stage, number): games for number, games in left.items()})
    return found


def alone_in_a_match(scores: Sequence[ScoreLine], matches: Sequence[MatchLine]) -> tuple[ScoreLine, ...]:
    """The scores, those without a round as scores of the match that somebody plays alone on this machine, if any."""
    alone = {(m.stage, m.machine, m.numbers[0]): m.round for m in matches if len(m.numbers) == 1}
    return tuple(
        line if line.round else replace(line, round=alone.get((line.stage, line.machine, line.number), 0))
        for line in scores
    )


def put_together(
    matches: Sequence[MatchLine], scores: Iterable[ScoreLine], faults: list[Fault]
) -> tuple[tuple[MatchLine, ...], tuple[ScoreLine, ...], tuple[ScoreLine, ...]]:
    """The matches with the scores that stand in the other table; the live scores there, and the void ones."""
    by_player = {(match.stage, match.round, number): match.where for match in matches for number in match.numbers}
    games = {match.where: match for match in matches}
    live, void = [], []
    for line in scores:
        where = by_player.get((line.stage, line.round, line.number))
        if where is None or (where[2] != line.machine and line.status != VOID):
            reason = f"Number {line.number} has no match on {line.machine} in round {line.round} of {line.stage}."
            faults.append(Fault(SCORES.file, line.line, reason))
        elif line.status == VOID:
            # What was played before a match was moved to another machine stays with the machine it was played on.
            void.append(line)
        elif games[where].side(line.number).score not in (None, line.value):
            reason = f"Number {line.number} has another score in {MATCHES.file}, line {games[where].line}."
            faults.append(Fault(SCORES.file, line.line, reason))
        else:
            live.append(line)
            if line.status != DISCARDED:
                agreed = line.status == AGREED
                games[where] = games[where].with_score(line.number, line.value or 0, agreed=agreed)
    return tuple(games.values()), tuple(live), tuple(void)


def _times(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"
