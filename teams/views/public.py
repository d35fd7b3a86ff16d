"""What everybody reads about the groups: their tables, matches and bonus scores, and a team's own part in them."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from teams.domain import groups
from teams.domain.groups import OUTSTANDING, Bonus, BonusPlace, Duel, Fate, GroupTable, Line
from teams.format import TEAM
from tournaments.domain.advancement import HOW
from tournaments.domain.facts import Standing
from tournaments.domain.finals import PlayOff
from tournaments.domain.scores import grouped
from tournaments.domain.standings import place_words, points_words
from tournaments.live import Reading
from tournaments.models import Match
from tournaments.views import games, parts
from tournaments.views.course import Course, Game, Leg, Person
from tournaments.views.games import GameLine
from tournaments.views.lines import STATUS_WORDS, count


class TeamLine(NamedTuple):
    """A team in the table of its group. `bonus` is its score, or how far its game is; `notes` are rulings on that."""

    place: str
    number: int
    name: str
    mark: str
    through: bool
    balance: str
    match_points: int
    bonus_points: str
    bonus: str
    points: str
    notes: tuple[str, ...]


class GroupPart(NamedTuple):
    """A group with its table, the machine of its bonus game, its matches, and why its order is what it is."""

    label: str
    sentence: str
    bonus_machine: str
    mixed: str
    lines: list[TeamLine]
    matches: list[GameLine]
    why: list[tuple[int, str, tuple[str, ...]]]


class BonusLine(NamedTuple):
    """A bonus score in the list of all groups; `machine` is its code."""

    place: str
    number: int
    name: str
    group: str
    machine: str
    score: str


class OwnGame(NamedTuple):
    """A game on the page of a team; `against` is empty for its bonus game, which is `alone`."""

    machine: str
    code: str
    against: tuple[int, str] | None
    alone: str
    own: str
    other: str
    words: str
    won: bool
    points: str
    notes: tuple[str, ...]
    trouble: str


class _Groups(NamedTuple):
    """The groups as of one reading, beside what is known of their seats and games."""

    reading: Reading
    leg: Leg
    tables: tuple[GroupTable, ...]
    people: Mapping[int, Person]
    through: frozenset[int]

    def name(self, entry: int) -> str:
        return f"{self.people[entry].number} {self.people[entry].name}"

    def machine(self, pk: int) -> str:
        return next((machine.code for machine in self.reading.facts.machines if machine.id == pk), "")

    def games_of(self, table: GroupTable) -> list[Game]:
        """The games of a group in the order of play."""
        own = {line.entry for line in table.lines}
        return [game for game in self.leg.games if any(player.person.entry in own for player in game.players)]

    def alone(self, entry: int) -> Game | None:
        """The bonus game of a team, once it is dealt."""
        own = (game for game in self.leg.games if len(game.players) == 1)
        return next((game for game in own if game.player(entry)), None)


def register() -> None:
    """Say what the templates of the format are given."""
    parts.register(TEAM.key, "groups", "public", stage)
    parts.register(TEAM.key, "groups", "entry", own)
    parts.register(TEAM.key, "groups", "paper", stage)


def stage(reading: Reading, course: Course, entry: int | None = None) -> dict[str, Any]:
    """The groups on their page and on paper: each of them, what is under way, all bonus scores as one list."""
    found = _groups(reading, course)
    under_way = [game for game in found.leg.games if game.state in Match.UNDER_WAY]
    label = {line.entry: table.label for table in found.tables for line in table.lines}
    return {
        "groups": [_group(found, table) for table in found.tables],
        "under_way": [
            (label.get(game.players[0].person.entry, ""), games.game_line(found.leg, game)) for game in under_way
        ],
        "bonus": [_bonus_line(found, each) for each in groups.bonus_ranking(found.tables)],
        "match_points": reading.tournament.rules_in_force.match_points,
    }


def own(reading: Reading, course: Course, entry: int | None) -> dict[str, Any]:
    """A team's part in its group: where it stands, its games, and why."""
    found = _groups(reading, course)
    lines = ((table, line) for table in found.tables for line in table.lines if line.entry == entry)
    table, line = next(lines, (None, None))
    if table is None or line is None:
        return {"line": None}
    played = [game for game in found.leg.games if game.player(line.entry)]
    return {
        "group": table.label,
        "line": _team_line(found, table, line),
        "place": place_words(line.place, line.shared) if line.place else "",
        "bonus_place": f"{place_words(line.bonus.place, line.bonus.shared)} of {line.bonus.of}" if line.bonus else "",
        "own_games": [_own_game(found, table, line, game) for game in played],
        "why": line.why,
    }


def _groups(reading: Reading, course: Course) -> _Groups:
    """The seats may be those of a later moment than the table: teams without one are left out."""
    leg = course.leg(reading.stage.key)
    if leg is None:
        raise LookupError(f"{reading.stage.label} has no seats.")
    people = {seat.person.entry: seat.person for seat in leg.seats}
    tables = groups.standings(reading.facts, reading.tournament.rules_in_force)
    known = (table for table in tables if all(line.entry in people for line in table.lines))
    through = frozenset(seat.person.entry for seat in course.drawn_from(leg.spec.key))
    return _Groups(reading, leg, tuple(known), people, through)


def _group(found: _Groups, table: GroupTable) -> GroupPart:
    own = found.games_of(table)
    bonus = dict.fromkeys(f"{game.machine} ({game.code})" for game in own if len(game.players) == 1)
    return GroupPart(
        table.label,
        _sentence(found, table),
        ", ".join(bonus),
        groups.mixed_words(table, found.reading.facts),
        [_team_line(found, table, line) for line in table.lines],
        [games.game_line(found.leg, game) for game in own if len(game.players) == 2],
        [(found.people[line.entry].number, found.people[line.entry].name, line.why) for line in table.lines],
    )


def _sentence(found: _Groups, table: GroupTable) -> str:
    """Who leads a group, who has won it, or who is level for that."""
    outcome = table.outcome
    first = [finish for finish in outcome.finishes if finish.place == 1]
    if not first:
        return "Nobody competes in this group any more."
    names = games.in_words([found.name(finish.entry) for finish in first])
    if outcome.play_offs:
        return _level(names, outcome.play_offs[0])
    points = points_words(first[0].value or 0)
    if outcome.decided:
        how = f" {HOW[first[0].why]}" if first[0].why in HOW else ""
        return f"{names} wins the group with {points}{how}."
    left = _to_come(found, table)
    if not any(line.points or line.bonus for line in table.lines):
        return f"Nothing is decided yet, {left}."
    leads = f"{names} leads with" if len(first) == 1 else f"{names} lead, level on"
    return f"{leads} {points}, {left}."


def _level(names: str, tie: PlayOff) -> str:
    return f"{names} are level for the group: {tie.words(TEAM.noun)} decides."


def _to_come(found: _Groups, table: GroupTable) -> str:
    """How many games of a group are still out: to come, under way, or level and to be played again."""
    own = found.games_of(table)
    over = sum(game.state == Match.State.DONE and not games.is_level(found.leg, game) for game in own)
    return f"{count(len(own) - over, 'game')} still out" if own else "no game is dealt yet"


def _team_line(found: _Groups, table: GroupTable, line: Line) -> TeamLine:
    person, game = found.people[line.entry], found.alone(line.entry)
    mark, through = _mark(found, table, line)
    return TeamLine(
        place_words(line.place, line.shared) if line.place else "",
        person.number,
        person.name,
        mark,
        through,
        f"{line.won}–{line.lost}",
        line.match_points,
        str(line.bonus.points) if line.bonus else "–",
        grouped(line.bonus.value) if line.bonus else _bonus_words(found, game),
        str(line.points) if line.place else "–",
        (
            *(words for about, words in (game.notes if game else ()) if about in (None, line.entry)),
            *_made_elsewhere(found, table, line),
        ),
    )


def _made_elsewhere(found: _Groups, table: GroupTable, line: Line) -> tuple[str, ...]:
    """Where a bonus score was made that is ranked beside those of another machine, or by a factor on another one."""
    own, facts = line.bonus, found.reading.facts
    if own is None:
        return ()
    if own.made_on != own.machine:
        return tuple(note.words for note in facts.notes if (note.entry, note.machine) == (line.entry, own.machine))
    names = (machine.name for machine in facts.machines if machine.id == own.made_on)
    return tuple(f"bonus game played on {name}" for name in names) if table.mixed else ()


def _mark(found: _Groups, table: GroupTable, line: Line) -> tuple[str, bool]:
    """What is said beside a team, and whether it has won the group."""
    standing = found.reading.facts.entrant(line.entry).standing
    if standing != Standing.IN:
        return STATUS_WORDS[standing.value][0], False
    if table.outcome.decided and line.place == 1:
        return "To the final" if line.entry in found.through else "Winner of the group", True
    if table.outcome.play_offs and line.entry in table.outcome.play_offs[0].entries:
        return "Level", False
    return "", False


def _bonus_words(found: _Groups, game: Game | None) -> str:
    """How far a bonus game without a score is."""
    if game is None:
        return "not dealt"
    verdict = games.game_line(found.leg, game)
    return "not played" if game.state == Match.State.DONE else verdict.words


def _bonus_line(found: _Groups, each: BonusPlace) -> BonusLine:
    person = found.people[each.entry]
    return BonusLine(
        place_words(each.place, each.shared),
        person.number,
        person.name,
        each.group,
        found.machine(each.machine),
        grouped(each.value),
    )


def _own_game(found: _Groups, table: GroupTable, line: Line, game: Game) -> OwnGame:
    shown = games.game_line(found.leg, game)
    number = found.people[line.entry].number
    mine = next(side for side in shown.sides if side.number == number)
    other = next((side for side in shown.sides if side.number != number), None)
    duel = _duel(line, game)
    return OwnGame(
        shown.machine,
        shown.code,
        (other.number, other.name) if other else None,
        shown.alone,
        mine.score,
        other.score if other else "",
        _own_words(shown, duel, line.bonus, found.reading.tournament.rules_in_force.match_points),
        mine.on,
        _own_points(game, duel, line.bonus),
        (
            *(words for about, words in game.notes if about in (None, line.entry)),
            *(_made_elsewhere(found, table, line) if other is None else ()),
        ),
        shown.trouble,
    )


def _duel(line: Line, game: Game) -> Duel | None:
    others = [player.person.entry for player in game.players if player.person.entry != line.entry]
    return next((duel for duel in line.duels if duel.opponent in others), None)


def _own_words(shown: GameLine, duel: Duel | None, bonus: Bonus | None, win: int) -> str:
    """What became of a team's game, or how far it is."""
    if shown.alone and bonus:
        return f"{place_words(bonus.place, bonus.shared)} of {bonus.of}"
    if duel is None or shown.state != Match.State.DONE:
        return "not played" if shown.state == Match.State.DONE else shown.words
    return {
        Fate.WON: "won",
        Fate.LOST: "lost",
        Fate.WALK_OVER: f"{shown.verdict}: {win}-0",
        Fate.FORFEIT: f"{shown.verdict}: 0-{win}",
        Fate.NEITHER: f"{shown.verdict}: 0-0",
    }.get(duel.fate, shown.words)


def _own_points(game: Game, duel: Duel | None, bonus: Bonus | None) -> str:
    if game.state != Match.State.DONE:
        return "–"
    if duel is None:
        return str(bonus.points) if bonus else "0"
    return "–" if duel.fate in OUTSTANDING else str(duel.points)
