"""What rulings make of a score, and how they are told.

House rules, "Warning, disqualification, score adjusted or discarded", "Fault that affects the score", "Slam tilt" and
"Extra ball played by mistake". What was reached always stays beside what counts.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_FLOOR, Decimal
from statistics import median
from typing import Any

from tournaments.domain.facts import Met, Note, Played, StageFacts, StageMachine, Standing
from tournaments.domain.scores import HIGHEST, grouped

WORDS = {
    "played-on": "fault, played on: the score stands",
    "stopped": "fault: the game was stopped and is given back",
    "extra-ball": "extra ball played by mistake: the next ball was not played",
    "extra-ball-80": "extra ball played by mistake: 80 % counts",
    "extra-ball-zero": "extra ball played on after being told: the game counts zero",
    "slam-tilt": "slam tilt: the score reached stands",
    "adjusted": "score adjusted",
    "zero": "score set to zero",
    "discarded": "game discarded: it counts as played and for nothing",
    "corrected": "corrected after the round was closed",
    "void": "made void after the round was closed",
    "out-of-match": "disqualified from the match",
    "disqualified": "disqualified from the tournament",
    "replayed": "match stopped and played again",
}
"""Every kind of ruling that is told beside a result. A warning is between the player and the desk."""


NOTES = ("played-on", "extra-ball", "slam-tilt")
"""What is kept beside a score and leaves it as it is."""


def alters(kind: str) -> bool:
    """Whether a ruling makes something else of a score, so that nothing else can until it is taken back.

    A late correction is what the score is from then on, and may itself be corrected or ruled on.
    """
    return kind not in (*NOTES, "corrected")


def eighty_percent(value: int) -> int:
    """80 % of a score, rounded down to a whole point. Source: house rules, "Extra ball played by mistake"."""
    return value * 80 // 100


def rescaled(value: int, factor: Decimal) -> int:
    """A score times a factor, rounded down to a whole point and never above the highest score.

    Source: house rules, "Machine removed; scores are ranked".
    """
    return min(int((value * factor).to_integral_value(ROUND_FLOOR)), HIGHEST)


def told(kind: str, data: Mapping[str, Any], reason: str) -> str:
    """A ruling as it is printed beside the result it concerns, with its reason; "" where it is not for everybody."""
    words = WORDS.get(kind, "")
    if not words:
        return ""
    reached, counts = data.get("reached"), data.get("counts")
    if reached is not None and counts is not None and reached != counts:
        words += (
            f" ({grouped(reached)} was {'recorded' if kind == 'corrected' else 'reached'}, {grouped(counts)} counts)"
        )
    agreed = data.get("agreement", "")
    return " ".join(part for part in (f"Ruling: {words}.", agreed, reason) if part)


@dataclass(frozen=True, slots=True)
class Move:
    """Scores of a withdrawn machine that are ranked on its substitute; `why` is the ruling's reason."""

    substitute: int
    factor: Decimal
    name: str
    why: str = ""

    def told(self, value: int) -> str:
        """Where a score was made and what it is multiplied by, with the reason: it is printed beside the result."""
        words = f"{grouped(value)} on {self.name}, times {shown_factor(self.factor)}"
        return f"{words} ({self.why})" if self.why else words


def ranked_elsewhere(
    played: Iterable[Played], moves: Mapping[int, Move], games_per_machine: int
) -> tuple[list[Played], list[Note]]:
    """The scores as they are ranked when machines have been withdrawn by rescaling, and what is said beside them.

    Whoever has all the games a machine allows on the substitute keeps those alone: the game stays on the withdrawn
    machine, where it is in no rank, and is given back. Source: house rules, "Machine removed; scores are ranked"; that
    it is given back is our choice.
    """
    kept: list[Played] = []
    moved: list[Played] = []
    for game in played:
        (moved if game.machine in moves else kept).append(game)
    games: dict[tuple[int, int], int] = {}
    for entry, machine, _ in kept:
        games[entry, machine] = games.get((entry, machine), 0) + 1
    notes = []
    # The best first: with repeats it is the better score that is carried over while there is room for one.
    for entry, machine, value in sorted(moved, key=_best_first(moves)):
        move = moves[machine]
        if games.get((entry, move.substitute), 0) >= games_per_machine:
            kept.append(Played(entry, machine, value))
            continue
        games[entry, move.substitute] = games.get((entry, move.substitute), 0) + 1
        kept.append(Played(entry, move.substitute, rescaled(value, move.factor)))
        notes.append(Note(entry, move.substitute, move.told(value), rescaled(value, move.factor)))
    return kept, notes


def games_ranked_elsewhere(met: Sequence[Met], moves: Mapping[int, Move]) -> tuple[tuple[Met, ...], list[Note]]:
    """Games of one in matches as they are ranked when machines have been withdrawn by rescaling, and what is said.

    A match of two is won or lost by scores made on the same machine, so that a factor changes nothing in it.
    """
    found: list[Met] = []
    notes: list[Note] = []
    for game in met:
        move = moves.get(game.machine)
        value = game.parts[0].value if len(game.parts) == 1 else None
        if move is None or value is None:
            found.append(game)
            continue
        part = game.parts[0]
        ranked = rescaled(value, move.factor)
        found.append(Met(move.substitute, (part._replace(value=ranked),), game.round, game.machine))
        notes.append(Note(part.entry, move.substitute, move.told(value), ranked))
    return tuple(found), notes


def carried_over(played: Iterable[Played], ranked: Iterable[Played], moves: Mapping[int, Move]) -> tuple[Played, ...]:
    """Which of the games played on withdrawn machines are ranked elsewhere, as they were played."""
    made = Counter(game for game in played if game.machine in moves)
    made.subtract(game for game in ranked if game.machine in moves)
    return tuple(made.elements())


def returned(facts: StageFacts) -> dict[int, tuple[StageMachine, ...]]:
    """Who is given games back, by entry, with the machine of each: games on it are in no rank, here or elsewhere.

    House rules, "Machine removed; scores are ranked". Whoever has left the tournament or is disqualified has no game
    to play any more, and is given none back (our choice).
    """
    machines = {machine.id: machine for machine in facts.machines if not machine.ranked}
    playing = {entrant.id for entrant in facts.entrants if entrant.standing == Standing.IN}
    found: dict[int, tuple[StageMachine, ...]] = {}
    for entry, machine, _ in facts.played:
        if machine in machines and entry in playing:
            found[entry] = (*found.get(entry, ()), machines[machine])
    return found


def _best_first(moves: Mapping[int, Move]) -> Callable[[Played], tuple[int, int, str]]:
    """The order in which games are carried over: by what they are ranked with, which alone can be compared."""

    def key(game: Played) -> tuple[int, int, str]:
        move = moves[game.machine]
        return -rescaled(game.value, move.factor), -game.value, move.name

    return key


def proposed_factor(of: Sequence[int], onto: Sequence[int]) -> Decimal | None:
    """What the scores `of` a withdrawn machine are multiplied by, for their median to become that of its substitute.

    With four figures, and at most six decimals; None where one of the medians is missing or nothing. Our choice.
    """
    if not of or not onto or not median(of) or not median(onto):
        return None
    factor = Decimal(str(median(onto))) / Decimal(str(median(of)))
    rounded = round(factor, min(6, max(0, 3 - factor.adjusted())))
    return rounded or None


def shown_factor(factor: Decimal) -> str:
    """A factor without trailing zeros: "0.8"."""
    return f"{factor.normalize():f}"
