"""A tournament folder as plain data: parsed and checked within itself, without a look at the database.

What each file holds is described in README.md, "The files of a tournament".
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath

from tournaments.models import Ruling
from tournaments.services.exchange import checking, games, heading, rosters
from tournaments.services.exchange.faults import Fault, Faults
from tournaments.services.exchange.games import MatchLine, ResultLine
from tournaments.services.exchange.heading import Heading
from tournaments.services.exchange.lines import (
    ENTRIES,
    KNOWN,
    MACHINE_STATES,
    MACHINES,
    MATCHES,
    PLAYING,
    RESULTS,
    RULINGS,
    SCORES,
    SEATS,
    STAGES,
    EntryLine,
    MachineLine,
    MachineStateLine,
    RulingLine,
    ScoreLine,
    SeatLine,
    StageLine,
)
from tournaments.services.exchange.reading import Reader
from tournaments.services.exchange.reading_rulings import put_on_scores, read_ruling, ruling_faults

LEFT_ALONE = re.compile(r"readme.*|expected_[-\w]*\.csv|.*\.(txt|md)|thumbs\.db|desktop\.ini|\..*|~.*", re.IGNORECASE)
"""Notes for people, expected tables for tests, and what operating systems leave in a folder."""


@dataclass(frozen=True, slots=True)
class Folder:
    """What a folder says. Machine codes in the lines are spelled as in machines.csv.

    `scores` are those of solo games. Scores of matches are in `matches`; those that stand in scores.csv are also in
    `in_matches`, and in `void` when they count no longer.
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
    in_matches: tuple[ScoreLine, ...] = ()
    void: tuple[ScoreLine, ...] = ()
    results: tuple[ResultLine, ...] = ()

    @property
    def first_stage(self) -> str:
        return self.heading.kind.stages[0].key


def known_files() -> tuple[str, ...]:
    """Every file that a folder may have, the one that says what it is about first."""
    return (heading.FILE, *(table.file for table in KNOWN), *rosters.tables())


def read_folder(files: Mapping[str, bytes]) -> Folder:
    """The folder of these files, by name; raises `Faults` with everything that is wrong within it."""
    folder, faults = parse(files)
    if faults or folder is None:
        raise Faults(faults)
    return folder


def parse(files: Mapping[str, bytes]) -> tuple[Folder | None, list[Fault]]:
    """What can be read of a folder, and every fault. No folder without a sound tournament.toml."""
    heading_faults: list[Fault] = []
    found = heading.read(files[heading.FILE], heading_faults) if heading.FILE in files else None
    faults = [*_file_faults(files, found), *heading_faults]
    return _folder(Reader(files, faults, found), faults), faults


def _file_faults(files: Mapping[str, bytes], found: Heading | None) -> Iterator[Fault]:
    known = known_files()
    for name in files:
        if name in known or LEFT_ALONE.fullmatch(name):
            continue
        if PurePath(name).suffix.lower() in (".xlsx", ".xls", ".ods", ".numbers"):
            yield Fault(name, None, "A spreadsheet cannot be read; save each of its sheets as “CSV UTF-8”.")
        else:
            yield Fault(name, None, f"This is not a file of a tournament folder; those are {', '.join(known)}.")
    required = [heading.FILE, *(table.file for table in KNOWN if table.required)]
    if found:
        required[required.index(ENTRIES.file)] = rosters.table_of(found.kind).file
    for name in required:
        if name not in files and (found or name != ENTRIES.file or not set(files) & set(rosters.tables())):
            yield Fault(name, None, "The file is missing.")


def _folder(reader: Reader, faults: list[Fault]) -> Folder | None:
    machines = reader.lines(MACHINES, reader.machine)
    entries = reader.entries()
    faults += checking.namesake_faults(reader.roster_table.file, entries)
    scores = reader.lines(SCORES, reader.score)
    stages = reader.lines(STAGES, reader.stage)
    states = reader.lines(MACHINE_STATES, reader.machine_state)
    rulings = reader.lines(RULINGS, partial(read_ruling, reader))
    seats = reader.lines(SEATS, reader.seat)
    matches = reader.lines(MATCHES, reader.match)
    results = reader.lines(RESULTS, reader.result)
    faults += _said_twice(stages, states, rulings, seats, matches, results)
    faults += checking.seat_faults(seats)
    faults += checking.substitute_faults(states)
    if reader.heading is None:
        return None
    scores = checking.alone_in_a_match(scores, matches)
    solo = tuple(line for line in scores if not line.round)
    faults += checking.game_faults(reader.heading, solo, states)
    playing = tuple(line for line in solo if line.status == PLAYING)
    faults += checking.once(
        SCORES, playing, lambda line: (line.stage, line.machine), "A game under way on {0[1]} stands"
    )
    in_groups = [spec.key for spec in reader.heading.kind.stages if spec.grouped]
    matches, live, void = checking.put_together(matches, [line for line in scores if line.round], faults)
    faults += games.match_faults(MATCHES.file, matches, games.excused(entries, live, in_groups))
    faults += games.result_faults(RESULTS.file, results, {entry.number for entry in entries})
    rulings = put_on_scores(rulings, [*solo, *live, *void], faults)
    faults += ruling_faults(rulings, entries, states, seats, matches)
    return Folder(
        reader.heading, machines, entries, solo, stages, states, rulings, seats, matches, live, void, results
    )


def _said_twice(
    stages: Sequence[StageLine],
    states: Sequence[MachineStateLine],
    rulings: Sequence[RulingLine],
    seats: Sequence[SeatLine],
    matches: Sequence[MatchLine],
    results: Sequence[ResultLine],
) -> Iterator[Fault]:
    yield from checking.once(STAGES, stages, lambda line: line.stage, "Stage {} stands")
    yield from checking.once(
        MACHINE_STATES, states, lambda line: (line.stage, line.machine), "{0[1]} in {0[0]} stands"
    )
    out = [line for line in rulings if line.kind == Ruling.Kind.DISQUALIFIED]
    yield from checking.once(RULINGS, out, lambda line: line.numbers, "Number {0[0]} is disqualified")
    withdrawn = [line for line in rulings if line.kind == Ruling.Kind.MACHINE]
    yield from checking.once(
        RULINGS, withdrawn, lambda line: (line.stage, line.machine), "{0[1]} is withdrawn from {0[0]}"
    )
    yield from checking.once(SEATS, seats, lambda line: (line.stage, line.seed), "Seed {0[1]} of {0[0]} stands")
    yield from checking.once(SEATS, seats, lambda line: (line.stage, line.number), "Number {0[1]} is seated in {0[0]}")
    yield from checking.once(MATCHES, matches, lambda line: line.where, "{0[2]} in round {0[1]} of {0[0]} stands")
    yield from checking.once(RESULTS, results, lambda line: line.number, "Number {} stands")
