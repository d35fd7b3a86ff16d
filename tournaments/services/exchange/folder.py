"""A tournament folder as plain data: parsed and checked within itself, without a look at the database.

What each file holds is described in README.md, "The files of a tournament".
"""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from pathlib import PurePath
from typing import Protocol, TypeVar

from tournaments import formats
from tournaments.domain.advancement import LOTS, ORDER, PLAY_OFF
from tournaments.formats import StageSpec
from tournaments.models import Entry, PlacePool, Stage, StageMachine
from tournaments.services.exchange import games, heading, tables
from tournaments.services.exchange.faults import Fault, Faults
from tournaments.services.exchange.games import MatchLine, ResultLine
from tournaments.services.exchange.heading import Heading
from tournaments.services.exchange.tables import Row

RECORDED, AGREED, PLAYING, WAITING, VOID = "recorded", "agreed", "playing", "waiting", "void"
SCORE_STATES = (RECORDED, AGREED, PLAYING, WAITING, VOID)
LIVE = (RECORDED, AGREED, PLAYING)
CODE = re.compile(r"[A-Za-z0-9]{1,10}")
LEFT_ALONE = re.compile(r"readme.*|expected_[-\w]*\.csv|.*\.(txt|md)|thumbs\.db|desktop\.ini|\..*|~.*", re.IGNORECASE)
"""Notes for people, expected tables for tests, and what operating systems leave in a folder."""


@dataclass(frozen=True, slots=True)
class MachineLine:
    line: int
    code: str
    name: str
    manufacturer: str
    year: int | None


@dataclass(frozen=True, slots=True)
class EntryLine:
    line: int
    number: int
    name: str
    country: str
    ifpa_number: str
    place: str
    status: str
    another_person: bool
    age_checked: bool = False


@dataclass(frozen=True, slots=True)
class ScoreLine:
    """`value` is None for a game under way; `at` is when the score was taken or the game started.

    `round` is that of a match; 0 for a solo game.
    """

    line: int
    stage: str
    number: int
    machine: str
    value: int | None
    at: datetime | None
    status: str
    round: int = 0


@dataclass(frozen=True, slots=True)
class StageLine:
    """`open_round` is 0 when the line does not say it; `rules_broken` that its matches are what they had to be."""

    line: int
    stage: str
    state: str
    opens_at: datetime | None
    closes_at: datetime | None
    open_round: int = 0
    rules_broken: bool = False


@dataclass(frozen=True, slots=True)
class MachineStateLine:
    line: int
    stage: str
    machine: str
    state: str


@dataclass(frozen=True, slots=True)
class RulingLine:
    """`order` are numbers, the best first; `scores` belong to a play-off, in the same order."""

    line: int
    stage: str
    kind: str
    order: tuple[int, ...]
    scores: tuple[int, ...]
    reason: str
    decided_at: datetime | None
    decided_by: str


@dataclass(frozen=True, slots=True)
class SeatLine:
    line: int
    stage: str
    seed: int
    number: int
    why: str


@dataclass(frozen=True, slots=True)
class Folder:
    """What a folder says. Machine codes in the lines are spelled as in machines.csv.

    `scores` are those of solo games; scores of matches are in `matches`, and in `void` those that count no longer.
    """

    heading: Heading
    machines: tuple[MachineLine, ...] = ()
    entries: tuple[EntryLine, ...] = ()
    scores: tuple[ScoreLine, ...] = ()
    stages: tuple[StageLine, ...] = ()
    machine_states: tuple[MachineStateLine, ...] = ()
    rulings: tuple[RulingLine, ...] = ()
    seats: tuple[SeatLine, ...] = ()
    matches: tuple[MatchLine, ...] = ()
    void: tuple[ScoreLine, ...] = ()
    results: tuple[ResultLine, ...] = ()

    @property
    def first_stage(self) -> str:
        return self.heading.kind.stages[0].key


@dataclass(frozen=True, slots=True)
class Table:
    """A file of a folder: its columns, and whether the folder must have it."""

    file: str
    needed: tuple[str, ...]
    optional: tuple[str, ...] = ()
    required: bool = False


MACHINES = Table("machines.csv", ("code", "name"), ("manufacturer", "year"), required=True)
ENTRIES = Table(
    "entries.csv",
    ("number", "name"),
    ("country", "ifpa_number", "place", "status", "another_person", "age_checked"),
    required=True,
)
SCORES = Table("scores.csv", ("number", "machine", "score"), ("stage", "round", "recorded_at", "status"))
STAGES = Table("stages.csv", ("stage", "state"), ("opens_at", "closes_at", "open_round", "rules_broken"))
MACHINE_STATES = Table("machine_states.csv", ("stage", "machine", "state"))
RULINGS = Table("rulings.csv", ("stage", "kind", "order"), ("scores", "reason", "decided_at", "decided_by"))
SEATS = Table("seats.csv", ("stage", "seed", "number"), ("why",))
TEAMS = Table("teams.csv", ("number", "name", "captain", "wppr", "player_1", "player_2", "player_3", "player_4"))
MATCHES = Table(
    "matches.csv",
    ("stage", "round", "machine", "number_1", "score_1", "number_2", "score_2"),
    ("number_3", "score_3", "number_4", "score_4", "state", "choices", "absent", "agreed"),
)
RESULTS = Table("results.csv", ("place", "number"), ("shared", "why"))
NO_TEAMS = "Teams cannot be entered from a folder yet; leave this table empty."
KNOWN = (MACHINES, ENTRIES, SCORES, STAGES, MACHINE_STATES, RULINGS, SEATS, TEAMS, MATCHES, RESULTS)
FILES = (heading.FILE, *(table.file for table in KNOWN))


def read_folder(files: Mapping[str, bytes]) -> Folder:
    """The folder of these files, by name; raises `Faults` with everything that is wrong within it."""
    folder, faults = parse(files)
    if faults or folder is None:
        raise Faults(faults)
    return folder


def parse(files: Mapping[str, bytes]) -> tuple[Folder | None, list[Fault]]:
    """What can be read of a folder, and every fault. No folder without a sound tournament.toml."""
    faults = list(_file_faults(files))
    found = heading.read(files[heading.FILE], faults) if heading.FILE in files else None
    reader = _Tables(files, faults, found)
    folder = reader.folder()
    return folder, faults


def _file_faults(files: Mapping[str, bytes]) -> Iterable[Fault]:
    for name in files:
        if name in FILES or LEFT_ALONE.fullmatch(name):
            continue
        if PurePath(name).suffix.lower() in (".xlsx", ".xls", ".ods", ".numbers"):
            yield Fault(name, None, "A spreadsheet cannot be read; save each of its sheets as “CSV UTF-8”.")
        else:
            yield Fault(name, None, f"This is not a file of a tournament folder; those are {', '.join(FILES)}.")
    required = [heading.FILE, *(table.file for table in KNOWN if table.required)]
    for name in required:
        if name not in files and not (name == ENTRIES.file and TEAMS.file in files):
            yield Fault(name, None, "The file is missing.")


class _Numbered(Protocol):
    """Any line of a table."""

    @property
    def line(self) -> int: ...


Line = TypeVar("Line", bound=_Numbered)


class _Tables:
    """Reads the tables one after the other; later ones refer to the earlier ones."""

    def __init__(self, files: Mapping[str, bytes], faults: list[Fault], found: Heading | None) -> None:
        self.files, self.faults, self.heading = files, faults, found
        self.codes: dict[str, str] = {}
        self.numbers: set[int] = set()
        self.stages: dict[str, StageSpec] = {spec.key: spec for spec in found.kind.stages} if found else {}

    def folder(self) -> Folder | None:
        for row in self._rows(TEAMS):
            row.fault(NO_TEAMS)
        machines = self._lines(MACHINES, self._machine)
        entries = self._lines(ENTRIES, self._entry)
        self._find_namesakes(entries)
        scores = self._lines(SCORES, self._score)
        stages = self._lines(STAGES, self._stage)
        states = self._lines(MACHINE_STATES, self._machine_state)
        rulings = self._lines(RULINGS, self._ruling)
        seats = self._lines(SEATS, self._seat)
        matches = self._lines(MATCHES, self._match)
        results = self._lines(RESULTS, self._result)
        self._once(STAGES, stages, lambda line: line.stage, "Stage {} stands")
        self._once(MACHINE_STATES, states, lambda line: (line.stage, line.machine), "{0[1]} in {0[0]} stands")
        self._once(MATCHES, matches, lambda line: line.where, "{0[2]} in round {0[1]} of {0[0]} stands")
        self._once(RESULTS, results, lambda line: line.number, "Number {} stands")
        self._check_seats(seats)
        if self.heading is None:
            return None
        solo = tuple(line for line in scores if not line.round)
        self._check_games(self.heading, solo, states)
        self._check_busy(solo)
        matches, void = self._put_together(matches, [line for line in scores if line.round])
        self.faults += games.match_faults(MATCHES.file, matches)
        self.faults += games.result_faults(RESULTS.file, results, {entry.number for entry in entries})
        return Folder(self.heading, machines, entries, solo, stages, states, rulings, seats, matches, void, results)

    def _rows(self, table: Table) -> Iterable[Row]:
        if table.file in self.files:
            yield from tables.rows(table.file, self.files[table.file], table.needed, table.optional, self.faults)

    def _lines(self, table: Table, read: Callable[[Row], Line]) -> tuple[Line, ...]:
        found = []
        for row in self._rows(table):
            line = read(row)
            if row.sound:
                found.append(line)
        return tuple(found)

    def _machine(self, row: Row) -> MachineLine:
        code = row.text("code", most=10, needed=True)
        if code and not CODE.fullmatch(code):
            row.fault(f"The code “{code}” is not letters and digits only, 10 at most, for example TZ.")
        if code.casefold() in self.codes:
            row.fault(f"The code {code} stands in the table already.")
        # Known even when the line has a fault: a machine without a name must not make a fault of each of its scores.
        self.codes.setdefault(code.casefold(), code)
        return MachineLine(
            row.line,
            code,
            row.text("name", most=100, needed=True),
            row.text("manufacturer", most=100),
            row.whole("year", least=1800, most=2200, needed=False),
        )

    def _entry(self, row: Row) -> EntryLine:
        number = row.number() or 0
        name = row.text("name", most=100, needed=True)
        if number in self.numbers:
            row.fault(
                f"Number {number} stands in the table already; everybody enters once, with a number of their own."
            )
        self.numbers.add(number)
        return EntryLine(
            row.line,
            number,
            name,
            row.text("country", most=50),
            row.text("ifpa_number", most=20),
            row.choice("place", PlacePool.Kind.values, ""),
            row.choice("status", Entry.Status.values, ""),
            row.choice("another_person", ("yes", "no"), "no") == "yes",
            row.choice("age_checked", ("yes", "no"), "no") == "yes",
        )

    def _find_namesakes(self, entries: tuple[EntryLine, ...]) -> None:
        first: dict[str, EntryLine] = {}
        for entry in entries:
            other = first.setdefault(entry.name.casefold(), entry)
            if other is not entry and not entry.another_person:
                reason = (
                    f"{entry.name} is entered in line {other.line} already, as number {other.number}; everybody enters"
                    " once. If these are two people, write yes in a column another_person."
                )
                self.faults.append(Fault(ENTRIES.file, entry.line, reason))

    def _score(self, row: Row) -> ScoreLine:
        status = row.choice("status", SCORE_STATES, RECORDED)
        value = row.score("score")
        if row.sound and value is None and status != PLAYING:
            row.fault("The score is missing; a game that scored nothing is 0.")
        if value is not None and status == PLAYING:
            row.fault("A game under way has no score yet.")
        stage = self._stage_key(row, played=True)
        return ScoreLine(
            row.line,
            stage,
            self._known_number(row),
            self._known_machine(row),
            value,
            row.time("recorded_at"),
            status,
            self._round(row, stage, status),
        )

    def _round(self, row: Row, stage: str, status: str) -> int:
        """The round of a score in a match; 0 for a solo game."""
        number = row.whole("round", least=1, most=1_000, needed=False) or 0
        spec = self.stages.get(stage)
        if spec is None:
            return number
        if not spec.matches and number:
            row.fault(f"{spec.label} has no rounds; only scores of matches have one.")
        if spec.matches and not number and row.sound:
            row.fault(f"{spec.label} is played in matches: say the round.")
        if spec.matches and status in (PLAYING, WAITING):
            row.fault(f"A score of a match is {RECORDED}, {AGREED} or {VOID}.")
        return number if spec.matches else 0

    def _stage(self, row: Row) -> StageLine:
        stage = self._stage_key(row)
        state = row.choice("state", Stage.State.values, Stage.State.PLANNED)
        spec = self.stages.get(stage)
        if spec and state != Stage.State.PLANNED and not spec.playable:
            row.fault(f"{spec.label} cannot be played with this version yet; it can only be planned.")
        opens_at, closes_at = row.time("opens_at"), row.time("closes_at")
        if opens_at and closes_at and opens_at.tzinfo == closes_at.tzinfo and closes_at <= opens_at:
            row.fault("The stage would close before it opens.")
        return StageLine(
            row.line,
            stage,
            state,
            opens_at,
            closes_at,
            row.whole("open_round", least=1, most=1_000, needed=False) or 0,
            row.choice("rules_broken", ("yes", "no"), "no") == "yes",
        )

    def _machine_state(self, row: Row) -> MachineStateLine:
        state = row.choice("state", StageMachine.State.values, StageMachine.State.OPEN)
        return MachineStateLine(row.line, self._stage_key(row), self._known_machine(row), state)

    def _ruling(self, row: Row) -> RulingLine:
        kind = row.choice("kind", (PLAY_OFF, ORDER, LOTS), "")
        if not kind and row.sound:
            row.fault("The kind is missing.")
        order, values = row.numbers("order"), row.scores("scores")
        for number in order:
            self._check_number(row, number)
        if row.sound and (len(order) < 2 or len(set(order)) < len(order)):
            row.fault("The order names two numbers or more, each once, with spaces between them.")
        if row.sound and kind == PLAY_OFF and len(values) != len(order):
            row.fault(
                f"A play-off has one score for each number; the order has {len(order)}, the scores {len(values)}."
            )
        if row.sound and any(worse > better for better, worse in pairwise(values)):
            row.fault("The scores of a play-off go down from the best to the last.")
        return RulingLine(
            row.line,
            self._stage_key(row),
            kind,
            order,
            values if kind == PLAY_OFF else (),
            row.text("reason", most=500),
            row.time("decided_at"),
            row.text("decided_by", most=150),
        )

    def _seat(self, row: Row) -> SeatLine:
        stage = self._stage_key(row)
        spec = self.stages.get(stage)
        if spec and not spec.comes_from:
            row.fault(f"Nobody is seated in {spec.label.lower()}; everybody entered plays in it.")
        seed = row.whole("seed", least=1, most=32_000) or 0
        return SeatLine(row.line, stage, seed, self._known_number(row), row.text("why", most=300))

    def _match(self, row: Row) -> MatchLine:
        stage = self._stage_key(row)
        spec = self.stages.get(stage)
        if spec and not (spec.matches and spec.playable):
            row.fault(f"{spec.label} is not played in matches that a folder can hold.")
        return games.read_match(row, stage, self._known_machine(row), self._check_number)

    def _result(self, row: Row) -> ResultLine:
        return games.read_result(row, self._known_number(row))

    def _put_together(
        self, matches: tuple[MatchLine, ...], scores: Iterable[ScoreLine]
    ) -> tuple[tuple[MatchLine, ...], tuple[ScoreLine, ...]]:
        """The matches with their scores from the other table, and the void scores among these."""
        by_place = {match.where: match for match in matches}
        void = []
        for line in scores:
            match = by_place.get((line.stage, line.round, line.machine))
            if match is None or line.number not in match.numbers:
                reason = f"Number {line.number} has no match on {line.machine} in round {line.round} of {line.stage}."
                self.faults.append(Fault(SCORES.file, line.line, reason))
            elif line.status == VOID:
                void.append(line)
            elif match.side(line.number).score not in (None, line.value):
                reason = f"Number {line.number} has another score in {MATCHES.file}, line {match.line}."
                self.faults.append(Fault(SCORES.file, line.line, reason))
            else:
                agreed = line.status == AGREED
                by_place[match.where] = match.with_score(line.number, line.value or 0, agreed=agreed)
        return tuple(by_place.get(match.where, match) for match in matches), tuple(void)

    def _stage_key(self, row: Row, *, played: bool = False) -> str:
        """The stage of a line, the format's first one when the cell is empty."""
        key = row.text("stage", most=50) or next(iter(self.stages), "")
        if self.heading is None:
            return key
        spec = self.stages.get(key)
        if spec is None:
            row.fault(f"“{key}” is not a stage of this format; those are {', '.join(self.stages)}.")
            return ""
        if played and not ((spec.slips or spec.matches) and spec.playable):
            row.fault(f"Scores of {spec.label.lower()} cannot be read from a folder yet.")
        return key

    def _known_number(self, row: Row) -> int:
        number = row.number()
        if number is not None:
            self._check_number(row, number)
        return number or 0

    def _check_number(self, row: Row, number: int) -> None:
        if number not in self.numbers:
            row.fault(f"Number {number} is not in {ENTRIES.file}.")

    def _known_machine(self, row: Row) -> str:
        code = row.text("machine", most=10, needed=True)
        if code and code.casefold() not in self.codes:
            row.fault(f"The machine {code} is not in {MACHINES.file}.")
        return self.codes.get(code.casefold(), code)

    def _once(self, table: Table, lines: tuple[Line, ...], key: Callable[[Line], object], words: str) -> None:
        first: dict[object, int] = {}
        for line in lines:
            earlier = first.setdefault(key(line), line.line)
            if earlier != line.line:
                reason = f"{words.format(key(line))} in line {earlier} already."
                self.faults.append(Fault(table.file, line.line, reason))

    def _check_seats(self, seats: tuple[SeatLine, ...]) -> None:
        self._once(SEATS, seats, lambda line: (line.stage, line.seed), "Seed {0[1]} of {0[0]} stands")
        self._once(SEATS, seats, lambda line: (line.stage, line.number), "Number {0[1]} is seated in {0[0]}")
        for stage in dict.fromkeys(seat.stage for seat in seats):
            own = [seat for seat in seats if seat.stage == stage]
            for seat in own:
                if seat.seed > len(own):
                    reason = f"Seed {seat.seed}, but {stage} has {len(own)} seats; the seeds are 1 to {len(own)}."
                    self.faults.append(Fault(SEATS.file, seat.line, reason))

    def _check_games(
        self, found: Heading, scores: tuple[ScoreLine, ...], states: tuple[MachineStateLine, ...]
    ) -> None:
        """No game more than the rules allow. House rules, "at most 6 games, never two on one machine"."""
        rules = found.kind.qualifying(formats.read_rules(found.kind.Rules, found.rules))
        cancelled = {(line.stage, line.machine) for line in states if line.state == StageMachine.State.CANCELLED}
        games: Counter[tuple[str, int]] = Counter()
        on_machine: Counter[tuple[str, int, str]] = Counter()
        for line in scores:
            if line.status not in LIVE:
                continue
            on_machine[line.stage, line.number, line.machine] += 1
            if on_machine[line.stage, line.number, line.machine] > rules.games_per_machine:
                allowed = _times(rules.games_per_machine)
                reason = (
                    f"Number {line.number} has played {line.machine} before; the rules allow {allowed} on a machine."
                )
                self.faults.append(Fault(SCORES.file, line.line, reason))
            elif (line.stage, line.machine) not in cancelled:
                games[line.stage, line.number] += 1
                if games[line.stage, line.number] > rules.games_allowed:
                    reason = (
                        f"Number {line.number} has more than {_times(rules.games_allowed)}, which the rules allow."
                    )
                    self.faults.append(Fault(SCORES.file, line.line, reason))

    def _check_busy(self, scores: tuple[ScoreLine, ...]) -> None:
        playing = tuple(line for line in scores if line.status == PLAYING)
        self._once(SCORES, playing, lambda line: (line.stage, line.machine), "A game under way on {0[1]} stands")


def _times(count: int) -> str:
    return "1 game" if count == 1 else f"{count} games"
