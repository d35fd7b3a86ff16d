"""What the tests of the draw share."""

from collections import Counter

from open.domain.fairness import Match


def breaches(draw, players, gone=(), played=()):
    """Every breach of a hard rule, found again without the code under test; seats of those in `gone` may be empty."""
    found = []
    for number, game in enumerate(draw):
        times = Counter(position for match in game for position in match.players)
        expected = {position for position in range(1, players + 1) if position not in gone}
        expected |= {p for match in (played[number] if number < len(played) else ()) for p in match.players}
        found += [("attendance", number, p) for p in expected ^ times.keys()]
        found += [("attendance", number, p) for p, count in times.items() if count > 1]
        machines = Counter(match.machine for match in game)
        found += [("busy", number, machine) for machine, count in machines.items() if count > 1]
        alone = [match for match in game if len(match.players) == 1]
        if len(alone) > len(gone):
            found.append(("alone", number, len(alone)))
        found += [("match", number, match) for match in game if len(set(match.players)) not in (1, 2)]
    matches = [match for game in draw for match in game]
    pairs = Counter(frozenset(match.players) for match in matches if len(match.players) > 1)
    found += [("opponent", *sorted(pair)) for pair, count in pairs.items() if count > 1]
    visits = Counter((p, match.machine) for match in matches for p in match.players)
    found += [("machine", *visit) for visit, count in visits.items() if count > 1]
    return found


def changed(draw, number, index, *, machine=None, players=None):
    """The draw with another machine or other players in one match of game `number` (from 1)."""
    games = [list(game) for game in draw]
    match = games[number - 1][index]
    games[number - 1][index] = Match(machine or match.machine, match.players if players is None else players)
    return tuple(map(tuple, games))
