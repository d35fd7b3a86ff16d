"""teams.csv: the teams of a folder, read, compared, registered and written.

Everybody is written with the number on the badge, so that it is the same one elsewhere; a name alone is read as well.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from teams import selectors
from teams.models import Team
from teams.services import groups, teams
from teams.services.teams import HIGHEST_WPPR, Person
from tournaments.domain.refusals import Refusal
from tournaments.models import Entry, Player, Show, Stage, Tournament
from tournaments.selectors import fold, kept, kept_of, records_of
from tournaments.services.change import Actor
from tournaments.services.exchange.faults import Fault
from tournaments.services.exchange.lines import EntryLine, Table
from tournaments.services.exchange.tables import Row

MOST_PLAYERS = 8
MOST_LETTERS = 110
"""Of a name with a number before it."""
PLAYERS = tuple(f"player_{number}" for number in range(1, MOST_PLAYERS + 1))
TABLE = Table(
    "teams.csv",
    ("number", "name", "captain", "wppr", *PLAYERS[:4]),
    (*PLAYERS[4:], "status", "note", "left"),
    required=True,
)
BETWEEN = re.compile(r";\s*(?=\d+ )")
"""Between those who have left, each a number and a name: a semicolon inside a name parts nobody."""


@dataclass(frozen=True, slots=True)
class TeamLine:
    """What a line says beside number and name. A player is a name, or "12 Ann Example" for number 12 of the show.

    `captain` is the place of the captain among the players; `left` are those who played for it and are gone.
    """

    captain: int
    wppr: Decimal
    players: tuple[str, ...]
    note: str
    left: tuple[str, ...] = ()


class TeamRoster:
    """How teams stand in a folder."""

    table = TABLE

    def read(self, row: Row, number: int, name: str, status: str) -> EntryLine:
        """A line of teams.csv; what is wrong with it is noted."""
        players = tuple(filter(None, (row.text(column, most=MOST_LETTERS) for column in PLAYERS)))
        if not players and status != Entry.Status.WITHDRAWN:
            row.fault("The team has no players.")
        left = tuple(filter(None, (name.strip() for name in BETWEEN.split(row.text("left", most=2_000)))))
        folded = [fold(player) for player in (*players, *left)]
        for position, player in enumerate((*players, *left)):
            if folded.index(fold(player)) < position:
                row.fault(f"{player} is twice in {name}.")
        captain, note = self._captain(row, players, status), row.text("note", most=200)
        more = TeamLine(captain, self._wppr(row), players, note, left)
        return EntryLine(row.line, number, name, "", "", "", status, False, more=more)

    def _captain(self, row: Row, players: Sequence[str], status: str) -> int:
        """The captain's place among the players; the first one unless the line says another.

        A team that has withdrawn may have none, as its captain plays elsewhere: then the place behind the last.
        """
        captain = fold(row.text("captain", most=MOST_LETTERS))
        said = [number for number, player in enumerate(players) if captain == fold(player)]
        said += [number for number, player in enumerate(players) if captain == fold(_name(player))]
        if captain and not said and players:
            row.fault(f"The captain {row.cells['captain'].strip()} is not among the players of the team.")
        nobody = len(players) if status == Entry.Status.WITHDRAWN else 0
        return said[0] if said else nobody

    def _wppr(self, row: Row) -> Decimal:
        word = row.cells.get("wppr", "").strip()
        try:
            points = Decimal(word or "0")
        except InvalidOperation:
            points = Decimal(-1)
        if not points.is_finite() or not 0 <= points <= HIGHEST_WPPR or points != round(points, 2):
            row.fault(f"The wppr “{word}” is not a number from 0 to {HIGHEST_WPPR} with two decimals at most.")
            return Decimal(0)
        return points

    def faults(self, lines: Sequence[EntryLine], rules: Any) -> Sequence[Fault]:
        """A person in two teams, and teams with too few or too many players."""
        found = []
        first: dict[str, EntryLine] = {}
        for line in lines:
            many = len(line.more.players)
            # Players of a team that has withdrawn may be in another one by now.
            fewest = 0 if line.status == Entry.Status.WITHDRAWN else rules.fewest_players
            if not fewest <= many <= rules.players:
                reason = (
                    f"{line.name} has {many} players; a team has {rules.players}, and {rules.fewest_players} at least."
                )
                found.append(Fault(TABLE.file, line.line, reason))
            for player in (*line.more.players, *line.more.left):
                other = first.setdefault(fold(player), line)
                if other is not line:
                    reason = f"{player} is in {other.name} (line {other.line}) already; nobody plays for two teams."
                    found.append(Fault(TABLE.file, line.line, reason))
        return found

    def compare(self, line: EntryLine, entry: Entry) -> str:
        """What is different about a team that is here already, in a sentence."""
        team = Team.objects.get(entry=entry)
        members = selectors.line_up(team)
        people = [kept(member.player) for member in members]
        here = [fold(person.name) for person in people]
        by_number = {str(person.number): person.name for person in people}
        said = [fold(by_number.get(player) or _name(player)) for player in line.more.players]
        gone = [kept(member.player) for member in selectors.gone(team)]
        if fold(line.name) != fold(entry.title):
            return f"Number {line.number} is “{line.name}” in the folder and “{entry.title}” here."
        if line.more.wppr != team.wppr:
            return f"{entry} has {line.more.wppr} WPPR points in the folder and {team.wppr} here."
        if sorted(here) != sorted(said):
            names = ", ".join(person.name for person in people)
            return f"{entry}: the players are {', '.join(line.more.players)} in the folder and {names} here."
        captain = next((person.name for person, member in zip(people, members, strict=True) if member.captain), "")
        if line.more.captain < len(said) and captain and said[line.more.captain] != fold(captain):
            told = line.more.players[line.more.captain]
            return f"{entry}: the captain is {told} in the folder and {captain} here."
        badges = {record.number for record in records_of([*people, *gone])}
        for player in (*line.more.players, *line.more.left):
            number = selectors.numbered(player)[0]
            if number and number not in badges:
                return f"{entry}: {player} is in the folder, and nobody of the team has number {number} here."
        left = [fold(by_number.get(player) or _name(player)) for player in line.more.left]
        if left and sorted(left) != sorted(fold(person.name) for person in gone):
            names = ", ".join(person.name for person in gone) or "nobody"
            return f"{entry}: {', '.join(line.more.left)} left it in the folder and {names} here."
        if line.more.note not in ("", team.note):
            return f"{entry}: the note is “{line.more.note}” in the folder and “{team.note}” here."
        return ""

    def known(self, show: Show, lines: Sequence[EntryLine]) -> "_Known":
        """The people of the show; the numbers that any team of the folder names are kept for those named so."""
        return _Known(show, [player for line in lines for player in (*line.more.players, *line.more.left)])

    def register(self, tournament: Tournament, line: EntryLine, known: "_Known", *, actor: Actor) -> Entry:
        """Enter a team; a player that the show knows by name or number is that person, any other is new."""
        more: TeamLine = line.more
        team = teams.register(
            tournament,
            actor=actor,
            name=line.name,
            members=[known.person(player) for player in more.players],
            captain=more.captain,
            wppr=more.wppr,
            note=more.note,
            number=line.number,
            gone=line.status == Entry.Status.WITHDRAWN,
            left=[known.person(player) for player in more.left],
        )
        for member in (*selectors.line_up(team), *selectors.gone(team)):
            known.add(member.player)
        return team.entry

    def seat(self, stage: Stage, *, actor: Actor) -> int:
        """The groups that the seeds give."""
        return len(groups.draw_up(stage, actor=actor))

    def rows(self, tournament: Tournament) -> list[tuple[object, ...]]:
        """The teams by number; everybody with the number on the badge, which a name alone would not say."""
        found = list(selectors.teams(tournament))
        everybody = [member for team in found for member in (*team.line_up, *team.former)]  # type: ignore[attr-defined]
        stands = kept_of(member.player for member in everybody)
        return [self._row(team, stands) for team in found]

    def _row(self, team: Any, stands: Mapping[int, Player]) -> tuple[object, ...]:
        """A line of the file; `team` has its members beside it."""
        people = [(str(stands[member.player_id]), member.captain) for member in team.line_up]
        captain = next((name for name, leads in people if leads), "")
        cells = [name for name, _ in people] + [""] * (MOST_PLAYERS - len(people))
        former = sorted([stands[member.player_id] for member in team.former], key=lambda player: player.number)
        left = "; ".join(map(str, former))
        entry = team.entry
        return (entry.number, entry.title, captain, team.wppr, *cells, str(entry.status), team.note, left)


class _Known:
    """The people of a show by name and by number, and the numbers that are named in the folder."""

    def __init__(self, show: Show, named: Iterable[str]) -> None:
        self.by_name: dict[str, list[Player]] = defaultdict(list)
        self.by_number: dict[int, Player] = {}
        for player in Player.objects.filter(show=show):
            self.add(player)
        taken = [*self.by_number, *(selectors.numbered(player)[0] for player in named)]
        self.highest = max(taken, default=0)

    def add(self, player: Player) -> None:
        """Somebody is there, or has come; known twice is known once."""
        if self.by_number.setdefault(player.number, player) is player and player.merged_into_id is None:
            self.by_name[fold(player.name)].append(player)

    def person(self, typed: str) -> Person:
        """Who is meant; raises `Refusal` where the name is that of several, or a number of somebody else."""
        number, name = selectors.numbered(typed)
        if number:
            return self._with_number(number, name)
        same = self.by_name[fold(typed)]
        if len(same) > 1:
            told = " and ".join(map(str, sorted(same, key=lambda player: player.number)))
            raise Refusal(f"The show has {told}: write the number before the name.")
        if same:
            return Person(same[0].name, same[0])
        self.highest += 1
        return Person(typed, number=self.highest)

    def _with_number(self, number: int, name: str) -> Person:
        player = self.by_number.get(number)
        if not player and not name:
            raise Refusal(f"There is no number {number} in the show.")
        if player and name and fold(kept(player).name) != fold(name):
            raise Refusal(f"Number {number} is {kept(player).name}, not {name}.")
        # Whoever is named with a number is not somebody else of that name.
        return Person(kept(player).name, kept(player)) if player else Person(name, another=True, number=number)


def _name(typed: str) -> str:
    """A player's name without the number before it."""
    return selectors.numbered(typed)[1] or typed
