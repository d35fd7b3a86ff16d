"""The draw of the second round: find one, check any, repair one that has begun.

House rules, "Second round": four two-player games, drawn by qualifying position. `fairness` says what a draw must
keep and how even it is. For 24 players on 12 machines it is the published draw. For other numbers it is searched for:
the hard rules always hold, and the balance is the best that was found.

House rules, "Someone leaves": during the round the seat stays empty and the opponent plays alone. "Machine breaks
down": a substitute, completed results stand.
"""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain, combinations, cycle
from math import comb
from random import Random

from open.domain.fairness import (
    GAMES,
    NO_NAMES,
    Balance,
    Draw,
    Game,
    Match,
    Names,
    Report,
    check,
    in_words,
    quarter,
)
from open.domain.layout import lay_out
from open.domain.published import PAIRS_24_ON_12
from open.domain.seating import MACHINE_BUSY, QUARTER_MISSED, SAME_MACHINES, USED_MORE, Seating
from tournaments.domain.refusals import Refusal

__all__ = [
    "FEWEST_PLAYERS",
    "GAMES",
    "MOST_PLAYERS",
    "NO_NAMES",
    "Balance",
    "Draw",
    "Figures",
    "Game",
    "Match",
    "Names",
    "Repaired",
    "Report",
    "check",
    "figures",
    "figures_table",
    "find",
    "in_words",
    "published",
    "quarter",
    "repair",
]

FEWEST_PLAYERS, MOST_PLAYERS = 8, 48
SIZES = (8, 12, 16, 20, 24, 32, 48)
STEPS = 400_000
"""How long a search goes on at most: two to five seconds on one core."""
STEPS_PER_PLAYER = 1_000
PATIENCE = 50
REPAIR_ATTEMPTS = 3


@dataclass(frozen=True, slots=True)
class Repaired:
    """A draw whose rest was laid anew.

    `gave_way` names in sentences whatever could not be kept, and who is going to play alone; `moved` are the matches
    that are not as announced, with the number of their game; `report` judges the draw as a whole.
    """

    draw: Draw
    gave_way: tuple[str, ...]
    moved: tuple[tuple[int, Match], ...]
    report: Report


@dataclass(frozen=True, slots=True)
class Figures:
    """How even the draw for so many players on so many machines is."""

    players: int
    machines: int
    balance: Balance


def find(players: int, machines: int, seed: int, *, steps: int = STEPS) -> Draw:
    """A draw for an even number of players, 8 to 48, on at least half as many machines.

    The same input gives the same draw; `steps` bounds the search. With more machines than matches in a game all are
    used as evenly as can be. Refused, with the reason, when the numbers allow no draw.
    """
    _refuse_impossible(players, machines)
    if (players, machines) == (24, 12):
        return published()
    # No assignment of machines suits the laid-out opponents of 10 players on 5 machines (shown by exhaustion).
    for exchange in (True,) if (players, machines) == (10, 5) else (False, True):
        faults, found = _search(players, machines, seed, steps, exchange=exchange)
        if not faults:
            return _in_order(found)
    raise Refusal(
        f"No draw of {players} players on {machines} machines was found that keeps every rule. Add a machine."
    )


def published() -> Draw:
    """The published draw for 24 players on 12 machines."""
    games = [[tuple(map(int, pair.split("-"))) for pair in line.split()] for line in PAIRS_24_ON_12]
    return tuple(tuple(Match(place, pair) for place, pair in enumerate(pairs, start=1)) for pairs in games)


def repair(
    announced: Draw,
    played: Draw,
    *,
    players: int,
    machines: Collection[int],
    gone: Collection[int] = (),
    seed: int,
    names: Names = NO_NAMES,
    steps: int = STEPS,
) -> Repaired:
    """Lay the rest of a draw anew after a machine has died or a player has left.

    `played` are, game by game, the matches that stay: completed or under way. `machines` are all that may be used from
    now on, substitutes with numbers of their own; `gone` is everybody who has left so far. `players` is the size the
    draw was made for. Refused when no machine is left or a position is not in the draw.

    Our choice: what has been announced changes no more than it must. An empty seat changes nothing else, a substitute
    takes the place of the dead machine. Only if a hard rule would break are the remaining matches moved to other
    machines, and only if that is not enough do players change opponents. With fewer machines than matches, two players
    who would both be alone play each other; after that a machine takes two matches of a game, one after the other.
    """
    _refuse_unknown(players, machines, gone)
    played = tuple(tuple(sorted(game)) for game in (*played, *((),) * GAMES)[:GAMES])
    usable = sorted(set(machines))
    present = [position for position in range(1, players + 1) if position not in gone]
    renamed = _substituted(announced, played, usable)
    rests = [_rest(renamed, played, usable, present, again=again) for again in (False, True)]
    laid = _rearranged(players, usable, played, rests, renamed, seed, steps)
    draw = _in_order(tuple(kept + new for kept, new in zip(played, laid, strict=True)))
    left = {position: 1 + _last_game(draw, position) for position in gone}
    most = max([*usable, *(match.machine for game in draw for match in game)])
    report = check(draw, players, most, left=left, names=names)
    return Repaired(
        draw=draw,
        gave_way=(*report.faults, *_alone(announced, played, draw, set(gone), names)),
        moved=tuple(
            (number, match)
            for number, (before, after) in enumerate(zip(announced, draw, strict=True), start=1)
            for match in after
            if match not in before
        ),
        report=report,
    )


def figures(sizes: Iterable[int] = SIZES, seed: int = 1, *, steps: int = STEPS) -> tuple[Figures, ...]:
    """How even the draws for these numbers of players are, on half as many machines."""
    return tuple(
        Figures(size, size // 2, check(find(size, size // 2, seed, steps=steps), size, size // 2).balance)
        for size in sizes
    )


def figures_table(rows: Iterable[Figures]) -> str:
    """The figures as a table in Markdown."""
    head = (
        "| Players | Machines | Opponents' sum off, most | on average | Quarters missed "
        "| Sums on a machine | off, most | Most machines shared | Pairs sharing more than 3 |"
    )
    lines = [head, "|" + "---|" * (head.count("|") - 1)]
    for row in rows:
        even = row.balance
        cells: tuple[object, ...] = (
            row.players,
            row.machines,
            f"{even.opponents_off_most:g}",
            f"{even.opponents_off_mean:.2g}",
            even.quarters_missed,
            f"{even.machine_sums[0]} to {even.machine_sums[1]}",
            f"{even.machine_off_most:g}",
            even.shared_most,
            even.shared_too_many,
        )
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return "\n".join(lines)


def _refuse_impossible(players: int, machines: int) -> None:
    if players < FEWEST_PLAYERS:
        raise Refusal(f"{players} players are too few: the second round needs at least {FEWEST_PLAYERS}.")
    if players > MOST_PLAYERS:
        raise Refusal(f"{players} players are too many: the second round takes at most {MOST_PLAYERS}.")
    if players % 2:
        raise Refusal(f"{players} players cannot all be paired: the second round needs an even number.")
    if machines < players // 2:
        raise Refusal(
            f"{players} players need at least {players // 2} machines, one for each match; there are {machines}.",
            field="machines",
        )


def _refuse_unknown(players: int, machines: Collection[int], gone: Collection[int]) -> None:
    if not machines:
        raise Refusal("No machine is left to play on: add a substitute.", field="machines")
    for position in sorted(gone):
        if not 1 <= position <= players:
            raise Refusal(f"There is no seed {position} in this draw of {players} players.")


def _search(players: int, machines: int, seed: int, steps: int, *, exchange: bool) -> tuple[int, Draw]:
    """The best draw from several layouts and what its faults cost; with `exchange` the layouts are only a beginning.

    Goes on beyond `steps` as long as no layout has led to a draw without faults, which takes some patience for the
    smallest field: three layouts in four cannot work for 8 players on 4 machines.
    """
    floor = _floor(players, machines)
    each = STEPS_PER_PLAYER * players
    tried: list[tuple[int, int, Draw]] = []
    for attempt in range(PATIENCE):
        chance = Random(f"{seed} {players} {machines} {attempt} {exchange}")
        seating = Seating(players, range(1, machines + 1), loose=lay_out(players, machines, chance))
        seating.anneal(chance, min(each, steps), rename=not exchange, exchange=exchange, floor=floor)
        tried.append((seating.faults(), seating.cost, seating.games()))
        if seating.cost <= floor or (min(tried)[0] == 0 and (attempt + 1) * each >= steps):
            break
    faults, _, games = min(tried)
    return faults, games


def _floor(players: int, machines: int) -> int:
    """What the best draw costs that can be hoped for; a search ends there."""
    alike = (_least_squares(players, comb(machines, GAMES)) - players) // 2
    missed = 2 * min(players % 8, -players % 8)
    used = _least_squares(GAMES * players // 2, machines)
    return SAME_MACHINES * alike + QUARTER_MISSED * missed + USED_MORE * used


def _least_squares(things: int, boxes: int) -> int:
    """The sum of the squares of what is in each box when things are spread evenly over boxes."""
    each, more = divmod(things, boxes)
    return (boxes - more) * each**2 + more * (each + 1) ** 2


def _substituted(announced: Draw, played: Draw, usable: Sequence[int]) -> Draw:
    """The announced draw with machines that were not in it in the places of those that are needed but not usable."""
    drawn = {match.machine for game in announced for match in game}
    done = {(number, position) for number, game in enumerate(played) for match in game for position in match.players}
    needed = {m.machine for number, game in enumerate(announced) for m in game if (number, m.players[0]) not in done}
    spare = [place for place in usable if place not in drawn]
    instead = dict(zip(sorted(needed - set(usable)), spare, strict=False))
    return tuple(tuple(Match(instead.get(m.machine, m.machine), m.players) for m in game) for game in announced)


def _rest(announced: Draw, played: Draw, usable: Sequence[int], present: Collection[int], *, again: bool) -> Draw:
    """The matches still to be played, each on its announced machine if it can be there.

    Where machines are short, players without an opponent are joined; with `again` even if they meet twice.
    """
    games = []
    for number in range(GAMES):
        done = {position for match in played[number] for position in match.players}
        here = [tuple(p for p in match.players if p in present and p not in done) for match in announced[number]]
        matches = [Match(m.machine, players) for m, players in zip(announced[number], here, strict=True) if players]
        free = [place for place in usable if place not in {match.machine for match in played[number]}]
        elsewhere = [*played, *announced[:number], *announced[number + 1 :]]
        met = set() if again else {frozenset(match.players) for game in elsewhere for match in game}
        while len(matches) > len(free) and (joined := _joined(matches, met)):
            matches = joined
        games.append(_placed(matches, free, usable))
    return tuple(games)


def _joined(matches: Sequence[Match], met: Collection[frozenset[int]]) -> list[Match]:
    """The matches with two of those who are alone in one, unless they have met; empty when there are no such two."""
    alone = [match for match in matches if len(match.players) == 1]
    for one, other in combinations(alone, 2):
        players = one.players + other.players
        if frozenset(players) not in met:
            return [match for match in matches if match not in (one, other)] + [Match(one.machine, players)]
    return []


def _placed(matches: Sequence[Match], free: Sequence[int], usable: Sequence[int]) -> Game:
    """Each match on the machine it has, if that is free, or on one that is; when none is left, on any."""
    placed: dict[int, Match] = {}
    homeless = []
    for match in matches:
        if match.machine in free and match.machine not in placed:
            placed[match.machine] = match
        else:
            homeless.append(match)
    places = chain((place for place in free if place not in placed), cycle(usable))
    return (*placed.values(), *(Match(place, match.players) for place, match in zip(places, homeless, strict=False)))


def _rearranged(
    players: int,
    usable: Sequence[int],
    played: Draw,
    rests: Sequence[Draw],
    announced: Draw,
    seed: int,
    steps: int,
) -> Draw:
    """The rest as it is if that breaks no more rules than it must, or else as the searches leave it at their best.

    The first of `rests` is tried with the opponents it has, the second with others.
    """
    where = {(game, p): m.machine for game, matches in enumerate(announced) for m in matches for p in m.players}
    doubled = sum(len(game) - len({match.machine for match in game}) for game in rests[-1])

    def seating(loose: Draw, *, busy: bool) -> Seating:
        return Seating(players, usable, fixed=played, loose=loose, announced=where, busy=busy)

    unavoidable = seating((), busy=False).faults() + doubled * MACHINE_BUSY
    as_it_is = seating(rests[0], busy=False)
    found = [(as_it_is.faults(), as_it_is.cost, rests[0])]
    for rest, exchange in zip(rests, (False, True), strict=True):
        if min(found)[0] <= unavoidable:
            break
        for attempt in range(REPAIR_ATTEMPTS):
            changed = seating(rest, busy=exchange or doubled > 0)
            changed.anneal(Random(f"{seed} {attempt}"), steps // (2 * REPAIR_ATTEMPTS), exchange=exchange)
            found.append((changed.faults(), changed.cost, changed.games()))
    return min(found)[-1]


def _alone(announced: Draw, played: Draw, draw: Draw, gone: Collection[int], names: Names) -> Iterator[str]:
    """Who is going to play alone; in the games played nothing gives way any more."""
    for number, (before, after) in enumerate(zip(announced, draw, strict=True), start=1):
        opponents = {position: match.players for match in before for position in match.players}
        for match in after:
            if len(match.players) == 1 and match not in played[number - 1]:
                (player,) = match.players
                away = [f", as {names.player(other)} has left" for other in opponents.get(player, ()) if other in gone]
                yield f"Game {number}: {names.player(player)} plays alone{''.join(away)}."


def _last_game(draw: Draw, position: int) -> int:
    """The number of the last game this player is in, 0 if there is none."""
    return max((number for number, game in enumerate(draw, start=1) for m in game if position in m.players), default=0)


def _in_order(draw: Draw) -> Draw:
    return tuple(tuple(sorted(game)) for game in draw)
