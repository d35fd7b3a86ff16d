"""Groups of teams: who is in which, the points of matches and bonus games, the winner of each.

House rules, "UK Pinball Team Tournament": groups by seed; a match won brings 5 points, the bonus game 9, 5, 2 and 0 by
score within the group; "Top of each group to the final; tie: higher bonus *score*, then the match between them";
three or more level on both, or a match not played, take a play-off.

Our choices, the rules are silent: equal bonus scores share the better points; a level match brings no points until it
is replayed; lower places of a group are ordered like the first one and shared where that leaves them level; a team
that has withdrawn keeps what it played, for the others' sake, and has no place, unless it had gone on already: then
its group stays as it was and the next best of it may take the seat; every match of a disqualified team is won by its
opponent, and its bonus score is out of the ranks; of more than four winners the four go to the final who have the
greatest share of the points that they could have.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from fractions import Fraction
from itertools import combinations, groupby
from typing import NamedTuple, Protocol

from tournaments.domain.advancement import HOW, ORDER, PLAY_OFF
from tournaments.domain.facts import Decision, Entrant, Met, Part, Result, Row, StageFacts, Standing
from tournaments.domain.finals import Finish, Outcome, PlayOff
from tournaments.domain.grouped import Group
from tournaments.domain.points import scale
from tournaments.domain.ranking import rank
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.domain.scores import grouped
from tournaments.domain.standings import place_words, points_words
from tournaments.domain.ties import in_order

FEWEST, MOST = 4, 32
LARGEST_GROUP = 4
FINALISTS = 4
LETTERS = "ABCDEFGH"
OF_SIXTEEN = ((1, 6, 9, 13), (2, 5, 10, 14), (3, 8, 11, 15), (4, 7, 12, 16))
SEEDING = "seeding"
SETTLE_A_TIE = (PLAY_OFF, ORDER)


class GroupRules(Protocol):
    """What the points of a group depend on."""

    @property
    def match_points(self) -> int: ...
    @property
    def bonus(self) -> str | tuple[int, ...]: ...


class Fate(StrEnum):
    """What a match has brought a team; the last three without a game, because somebody did not play it."""

    TO_COME = "to come"
    WON = "won"
    LOST = "lost"
    LEVEL = "level"
    WALK_OVER = "walk-over"
    FORFEIT = "forfeit"
    NEITHER = "neither"


PLAYED = (Fate.WON, Fate.LOST)
OUTSTANDING = (Fate.TO_COME, Fate.LEVEL)


class Duel(NamedTuple):
    """A team's match against an opponent; `machine` is None while none is dealt."""

    opponent: int
    machine: int | None
    own: int | None
    other: int | None
    fate: Fate
    points: int


class Bonus(NamedTuple):
    """A team's bonus game: its score, and its place and points among the `of` scores of the group.

    `made_on` is the machine of the game; `machine` is another one, where it is ranked, if that was rescaled.
    """

    machine: int
    value: int
    place: int
    shared: bool
    of: int
    points: int
    made_on: int


@dataclass(frozen=True, slots=True)
class Line:
    """One team in its group. `place` is None for who is not ranked; `outstanding` are its games still to come."""

    entry: int
    place: int | None
    shared: bool
    duels: tuple[Duel, ...]
    bonus: Bonus | None
    outstanding: int
    why: tuple[str, ...] = ()

    @property
    def match_points(self) -> int:
        return sum(duel.points for duel in self.duels)

    @property
    def bonus_points(self) -> int:
        return self.bonus.points if self.bonus else 0

    @property
    def points(self) -> int:
        return self.match_points + self.bonus_points

    @property
    def won(self) -> int:
        """Matches won, also without a game."""
        return sum(duel.fate in (Fate.WON, Fate.WALK_OVER) for duel in self.duels)

    @property
    def lost(self) -> int:
        """Matches lost, also without a game."""
        return sum(duel.fate in (Fate.LOST, Fate.FORFEIT, Fate.NEITHER) for duel in self.duels)


@dataclass(frozen=True, slots=True)
class GroupTable:
    """One group: its lines in order, the unranked last, and who goes on from it."""

    label: str
    lines: tuple[Line, ...]
    outcome: Outcome

    @property
    def mixed(self) -> tuple[int, ...]:
        """The machines whose bonus scores are ranked together as they were made; none where all were made on one."""
        machines = tuple(dict.fromkeys(line.bonus.machine for line in self.lines if line.bonus))
        return machines if len(machines) > 1 else ()

    def line(self, entry: int) -> Line:
        """The line of this team."""
        return next(line for line in self.lines if line.entry == entry)


class BonusPlace(NamedTuple):
    """A bonus score in the list of all groups. Their machines differ: the list is for show and decides nothing."""

    entry: int
    group: str
    machine: int
    value: int
    place: int
    shared: bool


def form(teams: int) -> tuple[tuple[int, ...], ...]:
    """The seeds of each group, group A first; raises `Refusal` for fewer than 4 or more than 32 teams.

    For 8 to 15 teams the table of sixteen without the missing seeds, which leaves groups within one of each other;
    for other numbers groups of three and four by snake. Five teams can only be three and two (our choice).
    Source: house rules, "Groups A 1 6 9 13, …".
    """
    if not FEWEST <= teams <= MOST:
        raise Refusal(f"The groups are for {FEWEST} to {MOST} teams, not {teams}.")
    if 8 <= teams <= 16:
        return tuple(tuple(seed for seed in group if seed <= teams) for group in OF_SIXTEEN)
    many = -(-teams // LARGEST_GROUP)
    groups: list[list[int]] = [[] for _ in range(many)]
    for seed in range(1, teams + 1):
        turn, position = divmod(seed - 1, many)
        groups[position if turn % 2 == 0 else many - 1 - position].append(seed)
    return tuple(map(tuple, groups))


def letters(teams: int) -> tuple[str, ...]:
    """The letter of the group of each seed, seed 1 first; raises `Refusal` like `form`."""
    letter = {seed: label for label, group in lettered(teams) for seed in group}
    return tuple(letter[seed] for seed in range(1, teams + 1))


def lettered(teams: int) -> tuple[tuple[str, tuple[int, ...]], ...]:
    """The groups as `form` gives them, each with its letter."""
    return tuple(zip(LETTERS, form(teams), strict=False))


def seeding(
    wppr: Mapping[int, Decimal], decisions: Sequence[Decision], names: Mapping[int, str]
) -> tuple[tuple[int, str], ...]:
    """The teams in seed order, each with the reason: the most WPPR points first.

    A recorded order of all teams stands for the points; one of some only parts those who are level. Raises
    `NeedsDecision` (settle "seeding") for level teams that nobody has put in order.
    Source: house rules, "Teams ranked by WPPR points", "order can be set by ruling".
    """
    for decision in reversed(decisions):
        named = tuple(entry for entry in decision.order if entry in wppr)
        if decision.kind != SEEDING or len({wppr[entry] for entry in named}) < 2:
            continue
        missing = sorted(names[entry] for entry in set(wppr) - set(named))
        if missing:
            # It was an order of all: whoever came later has no place in it, and nobody else loses theirs silently.
            raise NeedsDecision(
                f"The recorded order of all teams is without {' and '.join(missing)}: put all teams in order anew, or"
                " take that order back.",
                settle=SEEDING,
            )
        return tuple((entry, "by ruling") for entry in named)
    ordered: list[tuple[int, str]] = []
    for points, same in groupby(sorted(wppr, key=lambda entry: -wppr[entry]), key=lambda entry: wppr[entry]):
        for placed in in_order(tuple(same), decisions, (SEEDING,)):
            if len(placed.entries) > 1:
                *most, last = sorted(names[entry] for entry in placed.entries)
                raise NeedsDecision(
                    f"{', '.join(most)} and {last} are level on {points} WPPR points: put them in order first.",
                    settle=SEEDING,
                    about=placed.entries,
                )
            why = f"{points} WPPR points" + (", put in order by ruling" if placed.kind else "")
            ordered.append((placed.entries[0], why))
    return tuple(ordered)


def standings(facts: StageFacts, rules: GroupRules) -> tuple[GroupTable, ...]:
    """Every group with its table, by its letter. The same facts in any order give the same tables.

    A match of one is the bonus game of that team, and so is a score outside any match.
    Source: house rules, "3 matches, winner 5, loser 0", "Bonus game, one ball each: 9, 5, 2, 0".
    """
    groups: dict[str, list[Entrant]] = {}
    for entrant in sorted(facts.entrants, key=lambda entrant: entrant.number):
        if entrant.group:
            groups.setdefault(entrant.group, []).append(entrant)
    return tuple(_table(label, groups[label], facts, rules) for label in sorted(groups))


def between_winners(tables: Sequence[GroupTable], facts: StageFacts, rules: GroupRules) -> Outcome | None:
    """Who of more than four winners of groups plays the final; None where all do, or where a group is open.

    Our choice: the greatest share of the points that a team could have in its group, which makes groups of three and
    of four alike.
    """
    if len(tables) <= FINALISTS or not all(table.outcome.decided for table in tables):
        return None
    winners = [table.line(finish.entry) for table in tables for finish in table.outcome.finishes[:1]]
    shares = {line.entry: _share(line, rules) for line in winners}
    blocks = _blocks(shares, facts.decisions)
    finishes: list[Finish] = []
    play_offs: list[PlayOff] = []
    points = {line.entry: line.points for line in winners}
    for entries, kind in blocks:
        first = len(finishes) + 1
        finishes += [Finish(entry, first, len(entries) > 1, points[entry], kind) for entry in entries]
        if first <= FINALISTS < first + len(entries) - 1:
            play_offs.append(PlayOff(entries, first, FINALISTS - first + 1))
    return Outcome(tuple(finishes), (), tuple(play_offs))


def bonus_ranking(tables: Iterable[GroupTable]) -> tuple[BonusPlace, ...]:
    """All bonus scores that count, the highest first; the group only makes the display of a tie steady."""
    found = [(line.bonus.value, table.label, line) for table in tables for line in table.lines if line.bonus]
    found.sort(key=lambda each: (-each[0], each[1], each[2].bonus.place if each[2].bonus else 0))
    values = [value for value, _, _ in found]
    return tuple(
        BonusPlace(
            line.entry,
            label,
            line.bonus.made_on if line.bonus else 0,
            value,
            values.index(value) + 1,
            values.count(value) > 1,
        )
        for value, label, line in found
    )


def as_group(table: GroupTable) -> Group:
    """A group as shared code sees it; a match counts as a result of place 1 or 2 of 2."""
    return Group(
        table.label, tuple(map(_as_row, table.lines)), table.outcome, {line.entry: line.why for line in table.lines}
    )


def _as_row(line: Line) -> Row:
    results = [
        Result(line.entry, duel.machine or 0, duel.own or 0, 1 if duel.points else 2, False, duel.points, 2)
        for duel in line.duels
        if duel.fate in PLAYED
    ]
    if line.bonus:
        own = line.bonus
        results.append(Result(line.entry, own.machine, own.value, own.place, own.shared, own.points, own.of))
    counted = tuple(sorted(results, key=lambda result: -result.points))
    return Row(line.entry, line.place, line.shared, line.points, len(counted), counted)


def _table(label: str, members: Sequence[Entrant], facts: StageFacts, rules: GroupRules) -> GroupTable:
    standing = {member.id: _counts_as(member) for member in members}
    own = set(standing)
    met = [met for met in facts.met if len(met.parts) > 1 and all(part.entry in own for part in met.parts)]
    duels = _duels(met, standing, rules)
    bonuses, awaited = _bonuses(facts, standing, rules)
    lines = {}
    for member in members:
        playing = standing[member.id] == Standing.IN
        outstanding = sum(duel.fate in OUTSTANDING for duel in duels[member.id]) + (member.id in awaited)
        lines[member.id] = Line(
            member.id, None, False, duels[member.id], bonuses.get(member.id), outstanding if playing else 0
        )
    ranked = {entry: line for entry, line in lines.items() if standing[entry] == Standing.IN}
    missing = tuple(entry for entry, line in ranked.items() if line.outstanding)
    finishes: list[Finish] = []
    placed: list[Line] = []
    blocks = list(_order(ranked, facts.decisions))
    for entries, kind in blocks:
        first = len(finishes) + 1
        shared = len(entries) > 1
        finishes += [Finish(entry, first, shared, ranked[entry].points, kind) for entry in entries]
        for entry in entries:
            why = _why(ranked[entry], first, shared, kind, entry in awaited, facts, lines)
            placed.append(_with(ranked[entry], first, shared, why))
    play_offs = [PlayOff(blocks[0][0], 1, 1)] if blocks and len(blocks[0][0]) > 1 and not missing else []
    apart = [_with(lines[m.id], None, False, _why_apart(m)) for m in members if m.id not in ranked]
    return GroupTable(label, (*placed, *apart), Outcome(tuple(finishes), missing, tuple(play_offs)))


def _with(line: Line, place: int | None, shared: bool, why: tuple[str, ...]) -> Line:
    return Line(line.entry, place, shared, line.duels, line.bonus, line.outstanding, why)


def _duels(met: Sequence[Met], standing: Mapping[int, Standing], rules: GroupRules) -> dict[int, tuple[Duel, ...]]:
    """The matches of each team. One that is not dealt is still to come, unless a team of it has withdrawn.

    Against a disqualified team it is won all the same, as the matches of those are who have met it.
    """
    found: dict[int, list[Duel]] = {entry: [] for entry in standing}
    dealt = set()
    for match in sorted(met, key=lambda match: (match.round, match.machine)):
        one, other = match.parts
        dealt.add(frozenset((one.entry, other.entry)))
        for own, against in ((one, other), (other, one)):
            found[own.entry].append(_duel(own, against, match.machine, standing, rules))
    for pair in combinations(standing, 2):
        if frozenset(pair) not in dealt and all(standing[entry] != Standing.WITHDRAWN for entry in pair):
            for entry, opponent in (pair, pair[::-1]):
                found[entry].append(_duel(Part(entry), Part(opponent), None, standing, rules))
    return {entry: tuple(duels) for entry, duels in found.items()}


def _duel(own: Part, other: Part, machine: int | None, standing: Mapping[int, Standing], rules: GroupRules) -> Duel:
    fate = _fate(own, other, standing)
    won = fate in (Fate.WON, Fate.WALK_OVER)
    return Duel(other.entry, machine, own.value, other.value, fate, rules.match_points if won else 0)


def _fate(own: Part, other: Part, standing: Mapping[int, Standing]) -> Fate:
    out = [part.away or standing.get(part.entry) == Standing.DISQUALIFIED for part in (own, other)]
    if all(out):
        return Fate.NEITHER
    if any(out):
        return Fate.FORFEIT if out[0] else Fate.WALK_OVER
    if own.value is None or other.value is None:
        return Fate.TO_COME
    if own.value == other.value:
        return Fate.LEVEL
    return Fate.WON if own.value > other.value else Fate.LOST


def _bonuses(
    facts: StageFacts, standing: Mapping[int, Standing], rules: GroupRules
) -> tuple[dict[int, Bonus], set[int]]:
    """The bonus games of a group that have a score, ranked, and whose is still to come.

    Of several scores of a team the best one counts, as everywhere.
    """
    alone = [met for met in facts.met if len(met.parts) == 1 and met.parts[0].entry in standing]
    scores = [
        (met.parts[0].entry, met.parts[0].value, met.machine, met.made_on or met.machine)
        for met in alone
        if not met.parts[0].away
    ]
    dealt = {entry for entry, value, *_ in scores if value is not None}
    scores += [
        (game.entry, game.value, game.machine, game.machine) for game in facts.played if game.entry not in dealt
    ]
    best: dict[int, tuple[int, int, int]] = {}
    for entry, value, machine, made_on in scores:
        if value is not None and standing.get(entry, Standing.DISQUALIFIED) != Standing.DISQUALIFIED:
            best[entry] = max((value, machine, made_on), best.get(entry, (value, machine, made_on)))
    bonuses = {
        result.entry: Bonus(
            best[result.entry][1],
            result.value,
            result.place,
            result.shared,
            result.of,
            result.points,
            best[result.entry][2],
        )
        for result in rank(0, {entry: value for entry, (value, *_) in best.items()}, scale(rules.bonus))
    }
    away = {met.parts[0].entry for met in alone if met.parts[0].away}
    return bonuses, set(standing) - set(bonuses) - away


def _order(ranked: Mapping[int, Line], decisions: Sequence[Decision]) -> Iterator[tuple[tuple[int, ...], str]]:
    """The teams of a group, best first, as blocks of who is level, each with the kind of what decided it at last."""
    keys = {entry: (line.points, line.bonus.value if line.bonus else -1) for entry, line in ranked.items()}
    for level in _same(keys):
        if len(level) == 2 and (winner := _winner_between(ranked[level[0]], level[1])) is not None:
            yield (winner,), ""
            yield tuple(entry for entry in level if entry != winner), ""
        else:
            for placed in in_order(level, decisions, SETTLE_A_TIE):
                # The table's own order only makes the display of a shared place steady.
                yield tuple(entry for entry in level if entry in placed.entries), placed.kind


def _winner_between(line: Line, other: int) -> int | None:
    """Who has won the match between two teams; None where it was not played, or is level."""
    fate = next((duel.fate for duel in line.duels if duel.opponent == other), Fate.TO_COME)
    if fate not in PLAYED:
        return None
    return line.entry if fate == Fate.WON else other


def _blocks(keys: Mapping[int, Fraction], decisions: Sequence[Decision]) -> list[tuple[tuple[int, ...], str]]:
    return [
        (placed.entries, placed.kind) for level in _same(keys) for placed in in_order(level, decisions, SETTLE_A_TIE)
    ]


def _same(keys: Mapping[int, tuple[int, int]] | Mapping[int, Fraction]) -> Iterator[tuple[int, ...]]:
    """Entries of the same key, the greatest key first."""
    for key in sorted(set(keys.values()), reverse=True):  # type: ignore[type-var]
        yield tuple(entry for entry in keys if keys[entry] == key)


def _share(line: Line, rules: GroupRules) -> Fraction:
    first = scale(rules.bonus).points(1, 1 + len(line.duels))
    return Fraction(line.points, max(1, rules.match_points * len(line.duels) + first))


def _why(
    line: Line, place: int, shared: bool, kind: str, awaited: bool, facts: StageFacts, lines: Mapping[int, Line]
) -> tuple[str, ...]:
    """The reason for a place, step by step, in sentences; `awaited` when the bonus game is still to come."""
    names = {machine.id: machine.name for machine in facts.machines}
    steps = [_duel_words(duel, facts, names) for duel in line.duels]
    if line.bonus:
        own = line.bonus
        steps.append(
            f"Bonus game on {names.get(own.made_on, 'its machine')}: {grouped(own.value)}{_elsewhere(own, names)} is"
            f" {place_words(own.place, own.shared)} of {own.of}, {points_words(own.points)}."
        )
    else:
        steps.append("The bonus game has no score yet." if awaited else "No score in the bonus game.")
    steps.append(f"{line.match_points} + {line.bonus_points} = {points_words(line.points)}.")
    steps += _tie_words(line, shared, kind, facts, lines)
    steps.append(f"{place_words(place, shared)} of the group{' so far' if line.outstanding else ''}.")
    member = facts.entrant(line.entry)
    if member.standing == Standing.WITHDRAWN:
        steps.append(f"{member.name} has withdrawn since; the place in the group stands.")
    return tuple(steps)


def _elsewhere(own: Bonus, names: Mapping[int, str]) -> str:
    return f" by the factor for {names.get(own.machine, 'its substitute')}" if own.made_on != own.machine else ""


def mixed_words(table: GroupTable, facts: StageFacts) -> str:
    """That bonus scores of several machines are ranked together, which people should know; "" where they are not.

    Our choice where a bonus machine had a substitute and its completed scores stand.
    """
    names = sorted(machine.name for machine in facts.machines if machine.id in table.mixed)
    if not names:
        return ""
    return (
        f"The bonus scores of group {table.label} were made on {' and '.join(names)} and are ranked together as they"
        " were made; an organiser can rescale those of the machine that was withdrawn."
    )


def _duel_words(duel: Duel, facts: StageFacts, names: Mapping[int, str]) -> str:
    other = facts.names((duel.opponent,))
    on = f" on {names[duel.machine]}" if duel.machine is not None and duel.machine in names else ""
    if duel.own is not None and duel.other is not None and duel.fate in (*PLAYED, Fate.LEVEL):
        how = f"{grouped(duel.own)} to {grouped(duel.other)}{on}"
        if duel.fate == Fate.LEVEL:
            return f"Level with {other}, {how}: to be played again."
        return f"{'Beat' if duel.fate == Fate.WON else 'Lost to'} {other}, {how}: {points_words(duel.points)}."
    barred = facts.entrant(duel.opponent).standing == Standing.DISQUALIFIED
    why_not = "is disqualified" if barred else f"did not play{on}"
    return {
        Fate.WALK_OVER: f"{other} {why_not}: {points_words(duel.points)}.",
        Fate.FORFEIT: f"Did not play against {other}{on}: 0 points.",
        Fate.NEITHER: f"Neither this team nor {other} played{on}: 0 points.",
    }.get(duel.fate, f"The match against {other}{on} is to come.")


def _tie_words(line: Line, shared: bool, kind: str, facts: StageFacts, lines: Mapping[int, Line]) -> Iterator[str]:
    """What parts a team from those with as many points."""
    level = [other for other in lines.values() if _level(line, other, facts)]
    if not level:
        return
    yield f"Level on points with {facts.names(tuple(other.entry for other in level))}."
    own = line.bonus.value if line.bonus else -1
    on_both = []
    for other in level:
        theirs = other.bonus.value if other.bonus else -1
        if own == theirs:
            on_both.append(other.entry)
        else:
            way = "Ahead of" if own > theirs else "Behind"
            yield f"{way} {facts.names((other.entry,))} by the bonus score."
    if not on_both:
        return
    names = facts.names(tuple(on_both))
    if line.bonus is None:
        # Nobody of them has a bonus score: that is no tie on it.
        if kind:
            yield f"Ordered {HOW[kind]}{', and level in that' if shared else ''}, like {names} without a bonus score."
        elif not shared:
            way = "Ahead of" if _winner_between(line, on_both[0]) == line.entry else "Behind"
            yield f"{way} {names} by the match between them."
        else:
            yield f"Without a bonus score {names} and this team share the place."
        return
    if kind:
        still = ", and level in that" if shared else ""
        yield f"Level with {names} on the bonus score too; ordered {HOW[kind]}{still}."
    elif shared:
        yield f"Level with {names} on the bonus score too; the place is shared."
    else:
        way = "Ahead of" if _winner_between(line, on_both[0]) == line.entry else "Behind"
        yield f"{way} {names} by the match between them, level on the bonus score too."


def _level(line: Line, other: Line, facts: StageFacts) -> bool:
    if other.entry == line.entry or other.points != line.points:
        return False
    return _counts_as(facts.entrant(other.entry)) == Standing.IN


def _counts_as(member: Entrant) -> Standing:
    """A team that has gone on has played its group to the end: that it leaves afterwards changes no place there."""
    return Standing.IN if member.standing == Standing.WITHDRAWN and member.went_on else member.standing


def _why_apart(member: Entrant) -> tuple[str, ...]:
    if member.standing == Standing.DISQUALIFIED:
        return (f"{member.name} is disqualified: every match counts for the opponent, the bonus score is not ranked.",)
    return (f"{member.name} has withdrawn: what was played stands, and there is no place.",)
