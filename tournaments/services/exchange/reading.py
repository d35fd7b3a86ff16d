"""The tables of a folder row by row: each line checked by itself and against the names it refers to."""

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import partial
from typing import TypeVar

from tournaments import formats
from tournaments.domain.refusals import Refusal
from tournaments.formats import StageSpec
from tournaments.models import Entry, PlacePool, Stage, StageMachine
from tournaments.services import withdrawn
from tournaments.services.exchange import games, rosters, tables
from tournaments.services.exchange.faults import Fault
from tournaments.services.exchange.games import MatchLine, ResultLine
from tournaments.services.exchange.heading import Heading
from tournaments.services.exchange.lines import (
    AGREED,
    DISCARDED,
    ENTRIES,
    MACHINES,
    PLAYING,
    RECORDED,
    SCORE_STATES,
    VOID,
    WAITING,
    EntryLine,
    MachineLine,
    MachineStateLine,
    Numbered,
    ScoreLine,
    SeatLine,
    StageLine,
    Table,
)
from tournaments.services.exchange.rosters import Roster
from tournaments.services.exchange.tables import Row

CODE = re.compile(r"[A-Za-z0-9]{1,10}")
STATUSES = tuple(status for status in Entry.Status.values if status != Entry.Status.MERGED)
State = StageMachine.State
Line = TypeVar("Line", bound=Numbered)


class Reader:
    """Reads one table after the other; later ones refer to machines, numbers and stages of the earlier ones."""

    def __init__(self, files: Mapping[str, bytes], faults: list[Fault], found: Heading | None) -> None:
        self.files, self.faults, self.heading = files, faults, found
        self.codes: dict[str, str] = {}
        self.numbers: set[int] = set()
        self.stages: dict[str, StageSpec] = {spec.key: spec for spec in found.kind.stages} if found else {}

    def rows(self, table: Table) -> Iterable[Row]:
        """The rows of a table that the folder has."""
        if table.file in self.files:
            yield from tables.rows(table.file, self.files[table.file], table.needed, table.optional, self.faults)

    def lines(self, table: Table, read: Callable[[Row], Line]) -> tuple[Line, ...]:
        """The lines of a table that have no fault."""
        found = []
        for row in self.rows(table):
            line = read(row)
            if row.sound:
                found.append(line)
        return tuple(found)

    def machine(self, row: Row) -> MachineLine:
        """A line of machines.csv."""
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

    @property
    def roster_table(self) -> Table:
        """The table that has whoever competes."""
        return rosters.table_of(self.heading.kind if self.heading else None)

    def entries(self) -> tuple[EntryLine, ...]:
        """Whoever competes, from entries.csv or from the roster of the format."""
        roster = rosters.of(self.heading.kind) if self.heading else None
        others = [ENTRIES, *rosters.tables().values()] if self.heading else []
        for table in others:
            if table != self.roster_table and (row := next(iter(self.rows(table)), None)):
                row.fault(
                    f"Whoever competes in this format stands in {self.roster_table.file}; leave this table empty."
                )
        if roster is None or self.heading is None:
            return self.lines(ENTRIES, self.entry)
        rules = formats.read_rules(self.heading.kind.Rules, self.heading.rules)
        lines = self.lines(roster.table, partial(self._of_a_roster, roster))
        self.faults += roster.faults(lines, rules)
        return lines

    def _of_a_roster(self, roster: Roster, row: Row) -> EntryLine:
        number, name = row.number() or 0, row.text("name", most=100, needed=True)
        if number and number in self.numbers:
            row.fault(f"Number {number} stands in the table already.")
        self.numbers.add(number)
        return roster.read(row, number, name, row.choice("status", STATUSES, ""))

    def entry(self, row: Row) -> EntryLine:
        """A line of entries.csv."""
        number = row.number() or 0
        name = row.text("name", most=100, needed=True)
        if number and number in self.numbers:
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
            row.choice("status", STATUSES, ""),
            row.choice("another_person", ("yes", "no"), "no") == "yes",
            row.choice("age_checked", ("yes", "no"), "no") == "yes",
        )

    def score(self, row: Row) -> ScoreLine:
        """A line of scores.csv, of a solo game or of one in a match."""
        status = row.choice("status", SCORE_STATES, RECORDED)
        value, ranked = row.score("score"), row.score("ranked")
        if row.sound and value is None and status != PLAYING:
            row.fault("The score is missing; a game that scored nothing is 0.")
        if value is not None and status == PLAYING:
            row.fault("A game under way has no score yet.")
        if ranked is not None and status in (PLAYING, WAITING):
            row.fault(f"A score that is {status} is not ranked with another one.")
        stage = self.stage_key(row, played=True)
        return ScoreLine(
            row.line,
            stage,
            self.known_number(row),
            self.known_machine(row),
            value,
            row.time("recorded_at"),
            status,
            self._round(row, stage, status),
            ranked,
        )

    def _round(self, row: Row, stage: str, status: str) -> int:
        """The round of a score in a match; 0 for a solo game."""
        number = row.whole("round", least=1, most=1_000, needed=False) or 0
        spec = self.stages.get(stage)
        if spec is None:
            return number
        if not spec.matches and number:
            row.fault(f"{spec.label} has no rounds; only scores of matches have one.")
        if spec.matches and not spec.grouped and not number and row.sound:
            row.fault(f"{spec.label} is played in matches: say the round.")
        if spec.matches and status in (PLAYING, WAITING):
            row.fault(f"A score of a match is {RECORDED}, {AGREED}, {DISCARDED} or {VOID}.")
        return number if spec.matches else 0

    def stage(self, row: Row) -> StageLine:
        """A line of stages.csv."""
        stage = self.stage_key(row)
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

    def machine_state(self, row: Row) -> MachineStateLine:
        """A line of machine_states.csv. House rules, "Machine removed; scores are ranked"."""
        state = row.choice("state", State.values, State.OPEN)
        stage, machine = self.stage_key(row), self.known_machine(row)
        substitute = self._substitute(row, machine)
        factor = self._factor(row)
        if row.sound and state == State.RESCALED and (not substitute or factor is None):
            row.fault("A machine that is rescaled has a substitute and a factor.")
        if substitute and state in (State.OPEN, State.LET_STAND):
            row.fault(f"A machine that is {state} has no substitute.")
        if factor is not None and state != State.RESCALED:
            row.fault(f"A machine that is {state} has no factor.")
        drawn_from = row.whole("drawn_from", least=1, most=1_000, needed=False)
        return MachineStateLine(row.line, stage, machine, state, substitute, factor, drawn_from)

    def _substitute(self, row: Row, machine: str) -> str:
        code = row.text("substitute", most=10)
        if code and code.casefold() not in self.codes:
            row.fault(f"The machine {code} is not in {MACHINES.file}.")
        if code and code.casefold() == machine.casefold():
            row.fault("A machine cannot stand in for itself.")
        return self.codes.get(code.casefold(), code)

    def _factor(self, row: Row) -> Decimal | None:
        word = row.cells.get("factor", "").strip()
        if not word:
            return None
        try:
            return withdrawn.read_factor(word)
        except Refusal as refusal:
            row.fault(refusal.sentence)
            return None

    def seat(self, row: Row) -> SeatLine:
        """A line of seats.csv."""
        stage = self.stage_key(row)
        spec = self.stages.get(stage)
        if spec and not spec.seated:
            row.fault(f"Nobody is seated in {spec.label.lower()}; everybody entered plays in it.")
        seed = row.whole("seed", least=1, most=32_000) or 0
        group = row.text("group", most=5)
        if group and spec and not spec.grouped:
            row.fault(f"{spec.label} is not played in groups.")
        return SeatLine(row.line, stage, seed, self.known_number(row), row.text("why", most=300), group)

    def match(self, row: Row) -> MatchLine:
        """A line of matches.csv."""
        stage = self.stage_key(row)
        spec = self.stages.get(stage)
        if spec and not (spec.matches and spec.playable):
            row.fault(f"{spec.label} is not played in matches that a folder can hold.")
        return games.read_match(row, stage, self.known_machine(row), self.check_number)

    def result(self, row: Row) -> ResultLine:
        """A line of results.csv."""
        return games.read_result(row, self.known_number(row))

    def stage_key(self, row: Row, *, played: bool = False) -> str:
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

    def known_number(self, row: Row) -> int:
        """The number of a line, which must be entered."""
        number = row.number()
        if number is not None:
            self.check_number(row, number)
        return number or 0

    def check_number(self, row: Row, number: int) -> None:
        """Note a fault when nobody is entered with this number."""
        if number not in self.numbers:
            row.fault(f"Number {number} is not in {self.roster_table.file}.")

    def known_machine(self, row: Row) -> str:
        """The machine of a line as machines.csv spells it."""
        code = row.text("machine", most=10, needed=True)
        if code and code.casefold() not in self.codes:
            row.fault(f"The machine {code} is not in {MACHINES.file}.")
        return self.codes.get(code.casefold(), code)
