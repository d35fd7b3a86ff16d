"""What a draw of the second round must keep, and how even it is.

House rules, "Second round": four games of two players each. Every game uses a machine once; nobody meets an opponent
twice or plays a machine twice. Balance: the positions of four opponents add up to 2 (n + 1), one from each quarter of
the field; the positions on a machine add up to the average of as many players; no two players share more than 3
machines.

Our choice, the rules are silent: when the field does not split into four equal quarters, the first and the last are
the smaller ones. After somebody has left, sums are held against the average of as many players as were met.

A player is known by the position 1 to n, the order of the seeds; a machine by its place 1 to k in the list.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import NamedTuple

GAMES = 4
QUARTERS = 4
SHARED_AT_MOST = 3


class Match(NamedTuple):
    """Two players on a machine, the higher ranked first; one player when the other seat is empty."""

    machine: int
    players: tuple[int, ...]


Game = tuple[Match, ...]
Draw = tuple[Game, ...]
"""The games in the order they are played."""


@dataclass(frozen=True, slots=True)
class Names:
    """What sentences call players and machines; whoever has no name here is "seed 5" or "machine 7"."""

    players: Mapping[int, str] = field(default_factory=dict)
    machines: Mapping[int, str] = field(default_factory=dict)

    def player(self, position: int) -> str:
        """What to call the player at this position."""
        return self.players.get(position, f"seed {position}")

    def machine(self, place: int) -> str:
        """What to call the machine at this place of the list."""
        return self.machines.get(place, f"machine {place}")


NO_NAMES = Names()


@dataclass(frozen=True, slots=True)
class Balance:
    """How even a draw is; sums are of positions, 0 off is exact.

    `opponents_off_most` and `_mean` are how far the opponents of one player are from the even sum; `quarters_missed`
    is how many quarters players do not meet, all players together. `machine_sums` are the least and the greatest sum,
    `machine_off_most` is the greatest distance from the even sum, `machine_players` the least and the most players.
    `shared_most` is the most machines two players have in common, `shared_too_many` the pairs with more than 3.
    """

    opponents_off_most: float
    opponents_off_mean: float
    quarters_missed: int
    machine_sums: tuple[int, int]
    machine_off_most: float
    machine_players: tuple[int, int]
    shared_most: int
    shared_too_many: int


@dataclass(frozen=True, slots=True)
class Report:
    """What is wrong with a draw, a sentence each, and how even it is."""

    faults: tuple[str, ...]
    balance: Balance


def check(
    draw: Draw, players: int, machines: int, *, left: Mapping[int, int] | None = None, names: Names = NO_NAMES
) -> Report:
    """Judge any draw, also one made by hand: every breach of a hard rule as a sentence, and the balance.

    `players` and `machines` are how many there are. `left` holds, for players who have left the round, the number of
    the first game they miss: from then on they have no match, and somebody may play alone for each of them.
    """
    left = left or {}
    faults = [] if len(draw) == GAMES else [f"The draw has {len(draw)} games instead of {GAMES}."]
    for number, game in enumerate(draw, start=1):
        present = {position for position in range(1, players + 1) if number < left.get(position, GAMES + 1)}
        may_be_alone = players - len(present)
        faults += (f"Game {number}: {what}." for what in _game_faults(game, present, machines, may_be_alone, names))
    faults += _repeats(draw, names)
    return Report(tuple(faults), _balance(draw, players, machines))


def quarter(position: int, players: int) -> int:
    """The quarter of the field, 0 to 3, a position is in."""
    outer = players // QUARTERS
    bounds = (outer, players // 2, players - outer)
    return sum(position > bound for bound in bounds)


def even_sum(count: int, players: int) -> float:
    """What the positions of `count` players add up to when they are spread evenly over the field."""
    return count * (players + 1) / 2


def listed(words: Iterable[object]) -> str:
    """ "1", "1 and 2", "1, 2 and 3"."""
    *most, last = map(str, words)
    return f"{', '.join(most)} and {last}" if most else last


def in_words(balance: Balance, players: int) -> tuple[str, ...]:
    """The balance of a whole draw for so many players, a sentence for each of its four figures."""
    low, high = balance.machine_sums
    opponents = f"Four opponents' positions add up to {even_sum(GAMES, players):g}"
    if balance.opponents_off_most:
        opponents += f", at most {balance.opponents_off_most:g} off, {balance.opponents_off_mean:.2g} on average"
    quarters = "Everybody meets one opponent from each quarter of the field"
    if balance.quarters_missed:
        quarters += f", but for {balance.quarters_missed} times"
    if low == high:
        sums = f"The positions on each machine add up to exactly {low}"
    else:
        off = f"at most {balance.machine_off_most:g} off the even sum"
        sums = f"The positions on a machine add up to {low} to {high}, {off}"
    shared = f"Two players share at most {balance.shared_most} machines"
    if balance.shared_too_many:
        shared += f"; pairs that share more than {SHARED_AT_MOST}: {balance.shared_too_many}"
    return tuple(f"{words}." for words in (opponents, quarters, sums, shared))


def _game_faults(game: Game, present: set[int], machines: int, may_be_alone: int, names: Names) -> Iterator[str]:
    yield from _player_faults(game, present, names)
    for match in game:
        if len(set(match.players)) < len(match.players):
            yield f"{names.player(match.players[0])} is drawn against themselves on {names.machine(match.machine)}"
        elif len(match.players) not in (1, 2):
            yield f"{names.machine(match.machine)} has a match of {len(match.players)} players instead of 2"
    alone = sorted(match.players[0] for match in game if len(match.players) == 1)
    if len(alone) > may_be_alone:
        yield f"{listed(map(names.player, alone))} without an opponent, where {may_be_alone} may be"
    for place, uses in sorted(Counter(match.machine for match in game).items()):
        if not 1 <= place <= machines:
            yield f"{names.machine(place)} is not in use"
        if uses > 1:
            yield f"{names.machine(place)} has {uses} matches, one after the other"


def _player_faults(game: Game, present: set[int], names: Names) -> Iterator[str]:
    plays = Counter(position for match in game for position in set(match.players))
    for position in sorted(present | plays.keys()):
        player = names.player(position)
        if position not in present:
            yield f"{player} is drawn but not in this game"
        elif not plays[position]:
            yield f"{player} has no match"
        elif plays[position] > 1:
            yield f"{player} has {plays[position]} matches"


def _repeats(draw: Draw, names: Names) -> Iterator[str]:
    meetings: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    visits: defaultdict[tuple[int, int], list[int]] = defaultdict(list)
    for number, game in enumerate(draw, start=1):
        for match in game:
            for pair in combinations(sorted(set(match.players)), 2):
                meetings[pair].append(number)
            for position in set(match.players):
                visits[position, match.machine].append(number)
    for (one, other), numbers in sorted(meetings.items()):
        if len(numbers) > 1:
            yield f"Games {listed(numbers)}: {names.player(one)} meets {names.player(other)} more than once."
    for (position, place), numbers in sorted(visits.items()):
        if len(numbers) > 1:
            yield f"Games {listed(numbers)}: {names.player(position)} plays {names.machine(place)} more than once."


def _balance(draw: Draw, players: int, machines: int) -> Balance:
    opponents: dict[int, list[int]] = {position: [] for position in range(1, players + 1)}
    on: dict[int, list[int]] = {place: [] for place in range(1, machines + 1)}
    for match in (match for game in draw for match in game):
        on.setdefault(match.machine, []).extend(match.players)
        for position in match.players:
            opponents.setdefault(position, []).extend(other for other in match.players if other != position)
    off = [_off(met, players) for met in opponents.values()]
    used = [seated for seated in on.values() if seated] or [[]]
    counts = [len(seated) for seated in on.values()] or [0]
    played = {position: {place for place, seated in on.items() if position in seated} for position in opponents}
    shared = [len(played[one] & played[other]) for one, other in combinations(sorted(opponents), 2)]
    return Balance(
        opponents_off_most=max(off, default=0),
        opponents_off_mean=sum(off) / max(1, len(off)),
        quarters_missed=sum(QUARTERS - len({quarter(one, players) for one in met}) for met in opponents.values()),
        machine_sums=(min(map(sum, used)), max(map(sum, used))),
        machine_off_most=max(_off(seated, players) for seated in used),
        machine_players=(min(counts), max(counts)),
        shared_most=max(shared, default=0),
        shared_too_many=sum(count > SHARED_AT_MOST for count in shared),
    )


def _off(positions: list[int], players: int) -> float:
    return abs(sum(positions) - even_sum(len(positions), players))
