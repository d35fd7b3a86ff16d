"""Who competes, in a file of its own, where it is no one person: a format that knows such entries says so here."""

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from tournaments.formats import Format
from tournaments.models import Entry, Show, Stage, Tournament
from tournaments.services.change import Actor
from tournaments.services.exchange.faults import Fault
from tournaments.services.exchange.lines import ENTRIES, EntryLine, Table
from tournaments.services.exchange.tables import Row


class Roster(Protocol):
    """How the entries of a format stand in a folder, instead of in entries.csv."""

    @property
    def table(self) -> Table: ...

    def read(self, row: Row, number: int, name: str, status: str) -> EntryLine:
        """A line of the table; what is wrong with it is noted."""
        ...

    def faults(self, lines: Sequence[EntryLine], rules: Any) -> Sequence[Fault]:
        """What the lines say together that cannot be."""
        ...

    def compare(self, line: EntryLine, entry: Entry) -> str:
        """What the database says otherwise about an entry it has already, in a sentence; "" for nothing."""
        ...

    def known(self, show: Show, lines: Sequence[EntryLine]) -> Any:
        """What `register` has to know of the show and of all lines of the table, read once."""
        ...

    def register(self, tournament: Tournament, line: EntryLine, known: Any, *, actor: Actor) -> Entry:
        """Enter whom a line names."""
        ...

    def seat(self, stage: Stage, *, actor: Actor) -> int:
        """Freeze the seats of the first stage by its own rule, where a folder with results has none; how many."""
        ...

    def rows(self, tournament: Tournament) -> list[tuple[object, ...]]:
        """The lines of the table, to be written."""
        ...


_rosters: dict[str, Roster] = {}


def register(key: str, roster: Roster) -> None:
    """The format with this key has this roster."""
    _rosters[key] = roster


def of(kind: Format) -> Roster | None:
    """The roster of a format; None where entries.csv has its entries."""
    return _rosters.get(kind.key)


def table_of(kind: Format | None) -> Table:
    """The table that has the entries of a format."""
    roster = of(kind) if kind else None
    return roster.table if roster else ENTRIES


def tables() -> Mapping[str, Table]:
    """The tables of all rosters, by file."""
    return {roster.table.file: roster.table for roster in _rosters.values()}
