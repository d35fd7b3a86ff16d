"""Who meets whom in the second round, laid out so that opponents are even from the start.

The seeds stand in pairs {s, n + 1 - s} around a ring, and everybody meets both members of the two pairs beside the own
one: whatever the order of the ring, four opponents add up to 2 (n + 1). Two pairs from the outer quarters and two from
the inner ones take turns, so everybody has one of either kind beside the own: an opponent from each quarter. Where the
kinds do not come out even, the members of one or two pairs miss two quarters each.
"""

from collections.abc import Sequence
from random import Random

from open.domain.fairness import GAMES, Draw, Match


def lay_out(players: int, machines: int, chance: Random) -> Draw:
    """A draw with even opponents, on machines taken at random; the hard rule about machines is not kept yet."""
    while True:
        games = _games(_meetings(_ring(players, chance), players), chance)
        if games:
            places = range(1, machines + 1)
            return tuple(tuple(map(Match, chance.sample(places, len(pairs)), pairs)) for pairs in games)


def _ring(players: int, chance: Random) -> list[int]:
    outer = list(range(1, players // 4 + 1))
    inner = list(range(players // 4 + 1, players // 2 + 1))
    chance.shuffle(outer)
    chance.shuffle(inner)
    ring: list[int] = []
    while outer or inner:
        ring += outer[:2] + inner[:2]
        del outer[:2], inner[:2]
    return ring


def _meetings(ring: Sequence[int], players: int) -> dict[int, set[int]]:
    meetings: dict[int, set[int]] = {position: set() for position in range(1, players + 1)}
    for index, pair in enumerate(ring):
        for beside in (ring[index - 1], ring[(index + 1) % len(ring)]):
            for position in (pair, players + 1 - pair):
                meetings[position] |= {beside, players + 1 - beside}
    return meetings


def _games(meetings: dict[int, set[int]], chance: Random) -> list[list[tuple[int, ...]]] | None:
    """Spread all meetings over four games in which everybody plays; None when this attempt came to a dead end."""
    games = []
    for _ in range(GAMES):
        pairs = _pair_off(meetings, frozenset(meetings), chance)
        if pairs is None:
            return None
        games.append(pairs)
        for one, other in pairs:
            meetings[one].discard(other)
            meetings[other].discard(one)
    return games


def _pair_off(meetings: dict[int, set[int]], free: frozenset[int], chance: Random) -> list[tuple[int, ...]] | None:
    """Pair everybody who is free with somebody they are to meet, whoever has the least choice first."""
    if not free:
        return []
    one = min(free, key=lambda position: (len(meetings[position] & free), position))
    others = sorted(meetings[one] & free)
    chance.shuffle(others)
    for other in others:
        rest = _pair_off(meetings, free - {one, other}, chance)
        if rest is not None:
            return [(one, other), *rest]
    return None
