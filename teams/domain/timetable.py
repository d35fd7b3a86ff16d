"""The order of play: who meets whom on which machine in which turn, and the bonus game of every team.

House rules, "Twelve machines; a team plays on up to four": a machine for the bonus game of each group, the others for
the matches; a team meets its opponents on different machines; nobody twice at once, no machine twice at once.

The games of one turn can be played at the same time. A turn is no gate: a game is called as soon as its machine and
its teams are free, in this order. Our choice: as few turns as can be found, then few waits for the team that waits
longest, then machines used alike.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations
from random import Random
from typing import NamedTuple

from teams.domain.groups import FEWEST, LARGEST_GROUP, MOST, form
from tournaments.domain.refusals import Refusal

TRIES = 60
NEVER_TOO_FEW = 5
"""With so many machines for matches one is always left that neither of two teams of a group has played."""


class Game(NamedTuple):
    """A match of two teams on a machine, or the bonus game of one."""

    machine: int
    teams: tuple[int, ...]


Games = frozenset[frozenset[int]]
"""Games of a group by the positions of their teams in it: 0 for the best seed."""
Turn = tuple[Game, ...]
Timetable = tuple[Turn, ...]


class Names(NamedTuple):
    """What sentences call teams and machines; whoever has no name here is "team 5" or "machine 7"."""

    teams: Mapping[int, str] = {}
    machines: Mapping[int, str] = {}

    def team(self, team: int) -> str:
        """What to call this team."""
        return self.teams.get(team, f"team {team}")

    def machine(self, machine: int) -> str:
        """What to call this machine."""
        return self.machines.get(machine, f"machine {machine}")


NO_NAMES = Names()


@dataclass(frozen=True, slots=True)
class Report:
    """What is wrong with an order of play, in sentences, and how even it is.

    `least` is how many turns it takes at least; `used` how many games each machine has; `waits` in how many turns
    between its first and its last game each team does not play.
    """

    faults: tuple[str, ...]
    turns: int
    least: int
    used: Mapping[int, int]
    waits: Mapping[int, int]

    @property
    def figures(self) -> tuple[str, ...]:
        """The figures in sentences."""
        if not self.used:
            return ()
        most, fewest = max(self.waits.values()), min(self.waits.values())
        waits = f"{most}" if most == fewest else f"{fewest} to {most}"
        turns = "turn" if most == 1 else "turns"
        games = sorted(self.used.values())
        each = f"{games[0]}" if games[0] == games[-1] else f"{games[0]} to {games[-1]}"
        return (
            f"{self.turns} turns; it cannot be done in fewer than {self.least}.",
            f"{len(self.used)} machines with {each} games each.",
            f"Between its first and its last game a team waits {waits} {turns}.",
        )


class Redone(NamedTuple):
    """An order of play made again in the middle; `gave_way` names every rule that could not be kept."""

    timetable: Timetable
    gave_way: tuple[str, ...]


def fewest_machines(teams: int) -> int:
    """How many machines so many teams need at least: one for each group, and those for the matches.

    For a number of which no groups can be made, as many as for the nearest one of which they can.
    """
    groups = form(min(max(teams, FEWEST), MOST))
    return len(groups) + _fewest_for_matches(groups)


def find(groups: Sequence[Sequence[int]], bonus: Sequence[int], machines: Sequence[int], seed: int) -> Timetable:
    """An order of play for these groups; the same input gives the same one.

    `bonus` has one machine for each group, `machines` are those for the matches. Raises `Refusal` with the reason when
    there is none.
    """
    _refuse_impossible(groups, bonus, machines)
    chance = Random(seed)

    def cost(made: Timetable) -> tuple[int, int, int, int, int]:
        report = check(made, groups, bonus, machines)
        waits, used = report.waits.values(), [report.used.get(machine, 0) for machine in machines]
        return len(report.faults), report.turns, max(waits), sum(waits), max(used) - min(used)

    return min((_attempt(groups, bonus, machines, chance) for _ in range(TRIES)), key=cost)


def check(
    timetable: Timetable,
    groups: Sequence[Sequence[int]],
    bonus: Sequence[int],
    machines: Collection[int],
    names: Names = NO_NAMES,
    *,
    whole: bool = True,
) -> Report:
    """Whether an order of play keeps every rule, and its figures. Judges any, also one made by hand.

    Unless it is to be `whole`, games may be missing from it: a folder may hold only those that were played.
    """
    games = [game for turn in timetable for game in turn]
    wanted = Counter(frozenset(pair) for group in groups for pair in combinations(group, 2))
    wanted.update(frozenset((team,)) for group in groups for team in group)
    dealt = Counter(frozenset(game.teams) for game in games)
    faults = [f"{_who(teams, names)}: not dealt." for teams in wanted - dealt] if whole else []
    faults += [f"{_who(teams, names)}: dealt, and not wanted." for teams in dealt - wanted]
    of_group = {team: machine for group, machine in zip(groups, bonus, strict=True) for team in group}
    for game in games:
        alone = len(game.teams) == 1
        if alone and game.machine != of_group.get(game.teams[0]):
            faults.append(f"{names.team(game.teams[0])}: the bonus game is not on the machine of the group.")
        if not alone and game.machine not in machines:
            faults.append(f"{_who(game.teams, names)}: {names.machine(game.machine)} is not for matches.")
    faults += _clashes(timetable, names)
    return Report(
        faults=tuple(faults),
        turns=len(timetable),
        least=least_turns(groups, len(set(machines))),
        used=Counter(game.machine for game in games),
        waits=_waits(timetable, of_group),
    )


def groups_in(timetable: Timetable) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """The groups that an order of play is for, as who meets whom directly or through others, and their bonus machines.

    A group without a bonus game has machine 0.
    """
    games = [game for turn in timetable for game in turn]
    group_of: dict[int, set[int]] = {}
    for game in games:
        joined = set(game.teams).union(*(group_of.get(team, set()) for team in game.teams))
        group_of |= dict.fromkeys(joined, joined)
    groups = sorted({tuple(sorted(group)) for group in group_of.values()})
    alone = {game.teams[0]: game.machine for game in games if len(game.teams) == 1}
    return tuple(groups), tuple(next((alone[team] for team in group if team in alone), 0) for group in groups)


def too_large(group: Sequence[int], names: Names) -> str:
    """What is wrong with a group of more teams than any has, in a sentence."""
    who = ", ".join(names.team(team) for team in group)
    return f"{who} meet each other, directly or through others: a group has {LARGEST_GROUP} teams at most."


def least_turns(groups: Sequence[Sequence[int]], machines: int) -> int:
    """Below how many turns no order of play can be: by the games of one group, and by the machines for matches.

    A group of four has 6 matches and 4 bonus games, of which a turn takes two, and only one bonus game: 5 turns. With
    three machines for matches, two of a group that could be at the same time need the same machine: 6 turns.
    """
    matches = sum(len(list(combinations(group, 2))) for group in groups)
    of_one = max(_least(_games_of(len(group))) for group in groups)
    if machines == 3 and any(len(group) == LARGEST_GROUP for group in groups):
        of_one = 6
    return max(of_one, -(-matches // machines) if machines else 0)


def redo(
    announced: Timetable,
    begun: Collection[Game],
    gone: Collection[int],
    machines: Collection[int],
    instead: Mapping[int, int],
    names: Names = NO_NAMES,
) -> Redone:
    """The rest of an order of play after a machine has died or a team is missing. What has begun stays as it is.

    A game of a missing team that has not begun falls out. Every other game keeps its turn and its machine, or the
    machine that stands in for it; where that cannot be, it moves to a machine that its teams have not played, or to a
    later turn. `machines` are those that may be used from now on. Raises `Refusal` for a match when there is no
    machine at all. Source: house rules, "Machine breaks down", "Missing team".
    """
    kept = [[game for game in turn if game in begun] for turn in announced]
    wishes = [
        (number, Game(instead.get(game.machine, game.machine), game.teams))
        for number, turn in enumerate(announced)
        for game in turn
        if game not in begun and not set(game.teams) & set(gone)
    ]
    # Bonus games first: each of them has one machine only, a match may go elsewhere.
    wishes.sort(key=lambda wish: len(wish[1].teams))
    choices = _choices(announced, wishes, machines, instead, names)
    redone = _laid(kept, wishes, choices, names)
    if not redone.gave_way:
        return redone
    other = _shared_out(kept, wishes, choices)
    again = [(number, Game(other[game.teams], game.teams)) for number, game in wishes]
    laid_again = _laid(kept, again, {teams: (machine,) for teams, machine in other.items()}, names)
    return min(redone, laid_again, key=lambda each: len(each.gave_way))


Wish = tuple[int, Game]
"""A game that is still to be played, with the turn, from 0, in which it should be."""


def _choices(
    announced: Timetable,
    wishes: Iterable[Wish],
    machines: Collection[int],
    instead: Mapping[int, int],
    names: Names,
) -> dict[tuple[int, ...], tuple[int, ...]]:
    """The machines on which each game can be played, its own first. A match never moves to a bonus machine."""
    games = [game for turn in announced for game in turn]
    bonus = {game.machine for game in games if len(game.teams) == 1}
    # Whoever has won a match without a game is in it alone.
    bonus -= {game.machine for game in games if len(game.teams) > 1}
    bonus |= {instead[machine] for machine in bonus & instead.keys()}
    for_matches = [machine for machine in sorted(set(machines)) if machine not in bonus]
    found = {}
    for _, game in wishes:
        own = [game.machine] if game.machine in machines else []
        if len(game.teams) == 1 and not own:
            raise Refusal(
                f"{names.machine(game.machine)} is out, and {names.team(game.teams[0])} has its bonus game to play on"
                " it: name the machine that stands in.",
                field="machines",
            )
        others = [] if len(game.teams) == 1 else [machine for machine in for_matches if machine != game.machine]
        if not own + others:
            raise Refusal(f"There is no machine left for {_who(game.teams, names)}.", field="machines")
        found[game.teams] = (*own, *others)
    return found


def _laid(
    kept: Iterable[Iterable[Game]],
    wishes: Iterable[Wish],
    choices: Mapping[tuple[int, ...], tuple[int, ...]],
    names: Names,
) -> Redone:
    """The wishes beside what is kept: first all that can be fulfilled, then the others where there is room."""
    turns = [list(turn) for turn in kept]
    moved: list[Wish] = []
    for number, game in wishes:
        if game.machine in choices[game.teams] and _fits(game, turns[number]) and not _again(game, turns):
            turns[number].append(game)
        else:
            moved.append((number, game))
    gave_way = [words for number, game in moved for words in _put(number, game.teams, choices, turns, names)]
    return Redone(tuple(map(tuple, turns)), tuple(gave_way))


def _put(
    number: int,
    teams: tuple[int, ...],
    choices: Mapping[tuple[int, ...], tuple[int, ...]],
    turns: list[list[Game]],
    names: Names,
) -> Iterator[str]:
    """Find the best place for a game that cannot stay where it was, from its turn on."""
    later = (*range(number, len(turns)), *range(number), len(turns))
    wishes = [(turn, Game(machine, teams)) for turn in later for machine in choices[teams]]
    turns.append([])
    free = [(turn, game) for turn, game in wishes if _fits(game, turns[turn])]
    turn, game = next(((turn, game) for turn, game in free if not _again(game, turns)), free[0])
    twice = _again(game, turns)
    turns[turn].append(game)
    if not turns[-1]:
        turns.pop()
    if twice:
        who = " and ".join(names.team(team) for team in game.teams if team in twice)
        has = "has another game" if len(twice) == 1 else "have other games"
        yield f"{_who(teams, names)}: on {names.machine(game.machine)}, where {who} {has} as well."


def _shared_out(
    kept: Sequence[Iterable[Game]],
    wishes: Sequence[Wish],
    choices: Mapping[tuple[int, ...], tuple[int, ...]],
) -> dict[tuple[int, ...], int]:
    """The machines of all games to come such that teams play as few as can be again, then such that few are moved."""
    chosen: dict[tuple[int, ...], int] = {}
    begun = [game for turn in kept for game in turn]
    groups, _ = groups_in((*map(tuple, kept), tuple(game for _, game in wishes)))
    for group in groups:
        games = [game for _, game in wishes if game.teams[0] in group]
        played = frozenset((team, game.machine) for game in begun for team in game.teams if team in group)
        _, machines = _cheapest(tuple(games), played, choices)
        chosen |= {game.teams: machine for game, machine in zip(games, machines, strict=True)}
    return chosen


def _cheapest(
    games: tuple[Game, ...],
    played: frozenset[tuple[int, int]],
    choices: Mapping[tuple[int, ...], tuple[int, ...]],
) -> tuple[tuple[int, int], tuple[int, ...]]:
    """What it costs, in machines played again and in games moved, to play these games, and their machines then."""
    if not games:
        return (0, 0), ()
    first, *rest = games
    best: tuple[tuple[int, int], tuple[int, ...]] | None = None
    for machine in choices[first.teams]:
        visits = frozenset((team, machine) for team in first.teams)
        own = len(visits & played), int(machine != first.machine)
        # Whatever follows costs nothing at best, so that most machines of a large hall need not be tried to the end.
        if best is not None and own >= best[0]:
            continue
        (again, moved), machines = _cheapest(tuple(rest), played | visits, choices)
        cost = own[0] + again, own[1] + moved
        if best is None or cost < best[0]:
            best = cost, (machine, *machines)
    if best is None:
        raise ValueError(f"no machine for {first.teams}")
    return best


def _fits(game: Game, turn: Iterable[Game]) -> bool:
    """Whether machine and teams are free in a turn."""
    return all(other.machine != game.machine and not set(other.teams) & set(game.teams) for other in turn)


def _again(game: Game, turns: Iterable[Iterable[Game]]) -> set[int]:
    """Which of the teams have another game on the same machine."""
    there = {team for turn in turns for other in turn if other.machine == game.machine for team in other.teams}
    return there & set(game.teams)


def _refuse_impossible(groups: Sequence[Sequence[int]], bonus: Sequence[int], machines: Sequence[int]) -> None:
    teams = [team for group in groups for team in group]
    if not FEWEST <= len(teams) <= MOST or not all(2 <= len(group) <= LARGEST_GROUP for group in groups):
        raise Refusal(f"An order of play is for {FEWEST} to {MOST} teams in groups of 2 to {LARGEST_GROUP}.")
    if len(set(teams)) != len(teams):
        raise Refusal("A team is in two groups, or in one twice.")
    if len(bonus) != len(groups):
        raise Refusal(f"Choose {len(groups)} machines for the bonus games, one for each group.", field="machines")
    if len({*bonus, *machines}) != len(bonus) + len(machines):
        raise Refusal("A machine is named twice.", field="machines")
    fewest = _fewest_for_matches(groups)
    if len(machines) < fewest:
        raise Refusal(
            f"A team meets its opponents on different machines: choose at least {fewest} machines for the matches,"
            f" beside {len(bonus)} for the bonus games.",
            field="machines",
        )


def _fewest_for_matches(groups: Sequence[Sequence[int]]) -> int:
    """Three teams need as many machines for their matches as four: any two of their matches have a team in common."""
    return 1 if all(len(group) == 2 for group in groups) else 3


def _attempt(
    groups: Sequence[Sequence[int]], bonus: Sequence[int], machines: Sequence[int], chance: Random
) -> Timetable:
    """One order of play, turn by turn.

    The first group of a turn has all machines to choose from and always finds a game to play, as no choice leaves a
    match without a machine: so every turn brings the end nearer.
    """
    left = [_games_of(len(group)) for group in groups]
    played: dict[int, set[int]] = defaultdict(set)
    used: Counter[int] = Counter()
    turns: list[Turn] = []
    while any(left):
        turn: list[Game] = []
        free = set(machines)
        order = chance.sample(range(len(groups)), len(groups))
        order.sort(key=lambda number: -_least(left[number]))
        for position, number in enumerate(order):
            spare = len(free) - sum(_matches(left[other]) > 0 for other in order[position:])
            hall = _Hall(groups[number], bonus[number], machines, frozenset(free), spare, played, used)
            option, games = _play(left[number], hall, chance)
            left[number] -= option
            turn += games
            for game in games:
                if len(game.teams) > 1:
                    free.discard(game.machine)
                    used[game.machine] += 1
                    for team in game.teams:
                        played[team].add(game.machine)
        turns.append(tuple(turn))
    return tuple(turns)


class _Hall(NamedTuple):
    """A group in one turn: its machine, those for matches, which of them are free, who has played which, how often.

    `spare` is how many machines are free beside one for a match of this group and one for each group still to come.
    """

    teams: Sequence[int]
    bonus: int
    machines: Sequence[int]
    free: frozenset[int]
    spare: int
    played: Mapping[int, set[int]]
    used: Mapping[int, int]


def _play(left: Games, hall: _Hall, chance: Random) -> tuple[Games, list[Game]]:
    """What one group plays in one turn: that after which it is done soonest, as far as machines are free.

    Two matches at once only if no other group is left without a machine by them.
    """
    options = list(_options(left))
    chance.shuffle(options)

    def cost(option: Games) -> tuple[int, bool, int]:
        return _least(left - option), _matches(option) > 1 + max(hall.spare, 0), -sum(map(len, option))

    for option in sorted(options, key=cost):
        games = _on_machines(option, left - option, hall, chance)
        if games:
            return option, games
    return frozenset(), []


def _on_machines(option: Games, left: Games, hall: _Hall, chance: Random) -> list[Game]:
    """These games of a group on machines that leave one for each match still to come; none where that cannot be."""
    games = [Game(hall.bonus, (hall.teams[min(game)],)) for game in option if len(game) == 1]
    played = {team: frozenset(hall.played[team]) for team in hall.teams}
    to_come = tuple(sorted((hall.teams[min(game)], hall.teams[max(game)]) for game in left if len(game) == 2))
    taken: set[int] = set()
    for game in chance.sample(sorted(map(sorted, option)), len(option)):
        if len(game) == 1:
            continue
        one, other = (hall.teams[position] for position in game)
        fit = []
        for machine in hall.machines:
            if machine not in hall.free or machine in taken | played[one] | played[other]:
                continue
            after = {**played, one: played[one] | {machine}, other: played[other] | {machine}}
            if len(hall.machines) >= NEVER_TOO_FEW or _colourable(to_come, after, hall.machines):
                fit.append(machine)
        if not fit:
            return []
        machine = min(fit, key=lambda machine: (hall.used[machine], chance.random()))
        played |= {one: played[one] | {machine}, other: played[other] | {machine}}
        taken.add(machine)
        games.append(Game(machine, (one, other)))
    return games


def _colourable(
    matches: tuple[tuple[int, int], ...], taken: Mapping[int, frozenset[int]], machines: Sequence[int]
) -> bool:
    """Whether every match finds a machine that neither of its teams has played; with few machines it may not."""
    if not matches:
        return True
    one, other = matches[0]
    return any(
        _colourable(matches[1:], {**taken, one: taken[one] | {machine}, other: taken[other] | {machine}}, machines)
        for machine in machines
        if machine not in taken[one] | taken[other]
    )


def _games_of(teams: int) -> Games:
    """Everything a group has to play, by positions in it: each pair, and each team alone."""
    pairs = frozenset(frozenset(pair) for pair in combinations(range(teams), 2))
    return pairs | {frozenset((team,)) for team in range(teams)}


def _matches(games: Games) -> int:
    return sum(len(game) == 2 for game in games)


@cache
def _least(left: Games) -> int:
    """In how many turns a group can play what is left, if machines are free."""
    if not left:
        return 0
    return 1 + min(_least(left - option) for option in _options(left))


@cache
def _options(left: Games) -> tuple[Games, ...]:
    """What a group can play in one turn: games without a team in common, of one team at most one."""
    found = []
    in_order = sorted(left, key=sorted)
    for many in (1, 2):
        for chosen in combinations(in_order, many):
            alone = sum(len(game) == 1 for game in chosen)
            if alone <= 1 and len(frozenset().union(*chosen)) == sum(map(len, chosen)):
                found.append(frozenset(chosen))
    return tuple(found)


def _clashes(timetable: Timetable, names: Names) -> Iterator[str]:
    played: dict[int, set[int]] = defaultdict(set)
    for number, turn in enumerate(timetable, start=1):
        teams = Counter(team for game in turn for team in game.teams)
        machines = Counter(game.machine for game in turn)
        yield from (
            f"Turn {number}: {names.team(team)} plays {many} games." for team, many in teams.items() if many > 1
        )
        yield from (
            f"Turn {number}: {names.machine(machine)} has {many} games."
            for machine, many in machines.items()
            if many > 1
        )
        for game in turn:
            for team in game.teams:
                if game.machine in played[team]:
                    yield f"{names.team(team)} plays {names.machine(game.machine)} more than once."
                played[team].add(game.machine)


def _waits(timetable: Timetable, teams: Iterable[int]) -> dict[int, int]:
    waits = {}
    for team in teams:
        own = [number for number, turn in enumerate(timetable) if any(team in game.teams for game in turn)]
        waits[team] = own[-1] - own[0] + 1 - len(own) if own else 0
    return waits


def _who(teams: Iterable[int], names: Names) -> str:
    return " against ".join(names.team(team) for team in sorted(teams))
