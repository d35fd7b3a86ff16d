"""The search behind the draw: a seating is changed at random, and what lowers its cost stays.

Simulated annealing: a change for the worse is taken too, ever more rarely. How long it goes on is counted in steps and
never in seconds, and everything random comes from the seed, so the same input gives the same draw.

What each fault costs is our choice. When not every hard rule can be kept, the one that touches the scores least gives
way first: a machine with two matches in one game costs time, an opponent met twice costs variety, but a machine played
twice gives one player two of the scores that are ranked on it.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from math import comb, log
from random import Random

from open.domain.fairness import GAMES, QUARTERS, Draw, Match, quarter

MACHINE_TWICE, OPPONENT_TWICE, MACHINE_BUSY = 500, 300, 200
# What follows is balance: a cost of 1 is half a position in a sum.
SAME_MACHINES = 16  # two players with all their machines in common
USED_MORE = 20  # times the square of a machine's matches
QUARTER_MISSED = 4
ALONE_AGAIN = 40
MOVED = 10  # a player sent to another machine than announced
HOT, COLD = 16.0, 0.6  # the change for the worse that is taken about every third time, first and last
SPECIAL = 0.25  # the share of steps that do something else than swap machines, where that is allowed


class Table:
    """A machine in one game with the players at it: two, one, or none."""

    __slots__ = ("game", "machine", "players")

    def __init__(self, game: int, machine: int, players: Sequence[int]) -> None:
        self.game = game
        self.machine = machine
        self.players = list(players)


class Seating:
    """A draw that can still be changed, and what it costs as it stands.

    `fixed` are the matches that stay, game by game; `loose` those that may change; `machines` those they may use.
    With `busy` a machine may take a further match of a game. `announced` is the machine of each (game from 0, player)
    that has been made public.
    """

    def __init__(
        self,
        players: int,
        machines: Sequence[int],
        *,
        loose: Draw,
        fixed: Draw = (),
        announced: Mapping[tuple[int, int], int] | None = None,
        busy: bool = False,
    ) -> None:
        self._players = players
        kept = [Table(game, *match) for game, matches in enumerate(fixed) for match in matches]
        self.loose = [Table(game, *match) for game, matches in enumerate(loose) for match in matches]
        self._announced = announced or {}
        places = 1 + max([*machines, *(table.machine for table in kept + self.loose)])
        self._value = [2 * position - (players + 1) for position in range(players + 1)]
        self._quarter = [quarter(position, players) for position in range(players + 1)]
        self._plays = [[0] * places for _ in range(players + 1)]
        self._visited = [0] * (players + 1)  # the machines of a player, as bits
        self._alike = Counter({0: players})  # how many players have these very machines
        self._off = [0] * places
        self._matches = [0] * places
        self._in_game = [[0] * places for _ in range(GAMES)]
        self._met = [[0] * (players + 1) for _ in range(players + 1)]
        self._alone = [0] * (players + 1)
        self._opponents_off = [0] * (players + 1)
        self._quarters_met = [[0] * QUARTERS for _ in range(players + 1)]
        self.cost: int = SAME_MACHINES * comb(players, 2) + QUARTER_MISSED * QUARTERS * players
        for table in kept + self.loose:
            self.cost += self._use(table.game, table.machine, 1) + self._meet(table, 1)
            self.cost += sum(self._visit(table.game, position, table.machine, 1) for position in table.players)
        self._partners = self._partners_by_game(machines, busy=busy)

    def _partners_by_game(self, machines: Sequence[int], *, busy: bool) -> list[list[Table]]:
        """What a match can change machines with: the other matches of its game, and empty tables."""
        games: list[list[Table]] = [[] for _ in range(GAMES)]
        for table in self.loose:
            games[table.game].append(table)
        for game, tables in enumerate(games):
            used = self._in_game[game]
            tables += [Table(game, place, ()) for place in machines if busy or not used[place]]
        return games

    def anneal(
        self, chance: Random, steps: int, *, rename: bool = False, exchange: bool = False, floor: int = 0
    ) -> None:
        """Lower the cost in so many steps, or fewer once it is down to `floor`.

        Matches change machines. With `exchange` players change opponents too. `rename` is for opponents that are laid
        out in pairs {s, n + 1 - s}: players trade places with each other in such a way that the layout stays.
        """
        cooling = (COLD / HOT) ** (1 / steps)
        heat = HOT
        for _ in range(steps):
            if self.cost <= floor:
                return
            heat *= cooling
            special = (rename or exchange) and chance.random() < SPECIAL
            change, undo = self._rename_some(chance) if special and rename else self._move_some(chance, special)
            if change <= -heat * log(1 - chance.random()):
                self.cost += change
            else:
                undo()

    def faults(self) -> int:
        """The part of the cost that comes from hard rules."""
        return (
            MACHINE_TWICE * sum(times - 1 for row in self._plays for times in row if times > 1)
            + OPPONENT_TWICE * sum(times - 1 for row in self._met for times in row if times > 1) // 2
            + MACHINE_BUSY * sum(times - 1 for row in self._in_game for times in row if times > 1)
        )

    def games(self) -> Draw:
        """The loose matches as they stand now, game by game."""
        games: list[list[Match]] = [[] for _ in range(GAMES)]
        for table in self.loose:
            names = sorted((self._value[player] + self._players + 1) // 2 for player in table.players)
            games[table.game].append(Match(table.machine, tuple(names)))
        return tuple(map(tuple, games))

    def _move_some(self, chance: Random, exchange: bool) -> tuple[int, Callable[[], int]]:
        one = self.loose[int(chance.random() * len(self.loose))]
        partners = self._partners[one.game]
        other = partners[int(chance.random() * len(partners))]
        if exchange and other.players and one is not other:
            seats = chance.randrange(len(one.players)), chance.randrange(len(other.players))
            return self._exchange(one, other, *seats), partial(self._exchange, one, other, *seats)
        return self._swap(one, other), partial(self._swap, one, other)

    def _rename_some(self, chance: Random) -> tuple[int, Callable[[], int]]:
        """A player and the other of the pair trade places, or two pairs do that are equally far out in the field."""
        last = self._players + 1
        one = chance.randint(1, self._players // 2)
        other = chance.choice([pair for pair in range(1, last // 2 + 1) if self._quarter[pair] == self._quarter[one]])
        trades = [(one, last - one)] if one == other else [(one, other), (last - one, last - other)]
        return self._rename(trades), partial(self._rename, trades)

    def _rename(self, trades: Sequence[tuple[int, int]]) -> int:
        """Let players trade places all over the draw; done again, it is undone. Says what that changes in the cost."""
        change = 0
        for one, other in trades:
            up = self._value[other] - self._value[one]
            self._value[one], self._value[other] = self._value[other], self._value[one]
            visited = self._visited[one] | self._visited[other]
            while visited:
                place = visited.bit_length() - 1
                visited ^= 1 << place
                off = self._off[place]
                self._off[place] = now = off + up * (self._plays[one][place] - self._plays[other][place])
                change += abs(now) - abs(off)
        return change

    def _swap(self, one: Table, other: Table) -> int:
        """Let two tables of a game change machines; done again, it is undone. Says what that changes in the cost."""
        here, there, game = one.machine, other.machine, one.game
        one.machine, other.machine = there, here
        change = moved = 0
        for player in one.players:
            moved += self._value[player]
            change += self._go(game, player, here, there)
        for player in other.players:
            moved -= self._value[player]
            change += self._go(game, player, there, here)
        if not other.players:
            change += self._use(game, here, -1) + self._use(game, there, 1)
        return change + self._shift(moved, here, there)

    def _exchange(self, one: Table, other: Table, seat: int, place: int) -> int:
        """Let two players of a game change seats; done again, it is undone. Says what that changes in the cost."""
        here, there, game = one.machine, other.machine, one.game
        goes, comes = one.players[seat], other.players[place]
        change = self._meet(one, -1) + self._meet(other, -1)
        one.players[seat], other.players[place] = comes, goes
        change += self._meet(one, 1) + self._meet(other, 1)
        change += self._go(game, goes, here, there) + self._go(game, comes, there, here)
        return change + self._shift(self._value[goes] - self._value[comes], here, there)

    def _shift(self, value: int, here: int, there: int) -> int:
        off = self._off
        before = abs(off[here]) + abs(off[there])
        off[here] -= value
        off[there] += value
        return abs(off[here]) + abs(off[there]) - before

    def _go(self, game: int, position: int, here: int, there: int) -> int:
        plays, was = self._plays[position], self._visited[position]
        visited, cost = was, 0
        plays[here] -= 1
        if plays[here]:
            cost -= MACHINE_TWICE
        else:
            visited ^= 1 << here
        if plays[there]:
            cost += MACHINE_TWICE
        else:
            visited ^= 1 << there
        plays[there] += 1
        if visited != was:
            alike = self._alike
            alike[was] -= 1
            cost += SAME_MACHINES * (alike[visited] - alike[was])
            alike[visited] += 1
            self._visited[position] = visited
        if self._announced:
            announced = self._announced.get((game, position))
            cost += MOVED * ((there != announced) - (here != announced))
        return cost

    # Each of the following puts something into the draw (by 1) or takes it out (by -1) and says what that costs.

    def _visit(self, game: int, position: int, machine: int, by: int) -> int:
        plays = self._plays[position]
        before = plays[machine]
        plays[machine] = before + by
        off = self._off[machine]
        self._off[machine] = now = off + by * self._value[position]
        cost = abs(now) - abs(off)
        if before and before + by:
            cost += by * MACHINE_TWICE
        else:
            alike, visited = self._alike, self._visited[position]
            self._visited[position] = changed = visited ^ (1 << machine)
            alike[visited] -= 1
            cost += SAME_MACHINES * (alike[changed] - alike[visited])
            alike[changed] += 1
        if self._announced and self._announced.get((game, position), machine) != machine:
            cost += by * MOVED
        return cost

    def _use(self, game: int, machine: int, by: int) -> int:
        matches, in_game = self._matches[machine], self._in_game[game][machine]
        self._matches[machine] += by
        self._in_game[game][machine] += by
        cost = USED_MORE * ((matches + by) ** 2 - matches**2)
        return cost + by * MACHINE_BUSY if in_game and in_game + by else cost

    def _meet(self, table: Table, by: int) -> int:
        if len(table.players) < 2:
            return sum(self._be_alone(position, by) for position in table.players)
        one, other = table.players
        before = self._met[one][other]
        self._met[one][other] = self._met[other][one] = before + by
        twice = by * OPPONENT_TWICE if before and before + by else 0
        return twice + self._face(one, other, by) + self._face(other, one, by)

    def _be_alone(self, position: int, by: int) -> int:
        before = self._alone[position]
        self._alone[position] = before + by
        return by * ALONE_AGAIN if before and before + by else 0

    def _face(self, position: int, opponent: int, by: int) -> int:
        off = self._opponents_off[position]
        self._opponents_off[position] = now = off + by * self._value[opponent]
        met, which = self._quarters_met[position], self._quarter[opponent]
        before = met[which]
        met[which] = before + by
        missed = 0 if before and before + by else -by * QUARTER_MISSED
        return abs(now) - abs(off) + missed
