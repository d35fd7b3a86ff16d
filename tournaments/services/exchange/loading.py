"""A folder into the database, through the same services as the desk, all or nothing.

What the database has already stays: identical lines change nothing, and a line that says otherwise is a fault. What
people have moved on since (checked in, opened, closed, agreed) is never moved back.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from tournaments import formats
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.models import Entry, Match, Score, Seat, Show, Stage, StageMachine, Tournament
from tournaments.services import entries, machines, places, shows, stages
from tournaments.services.change import Actor, all_or_nothing, change
from tournaments.services.exchange import heading as headings
from tournaments.services.exchange import lines as files
from tournaments.services.exchange import rosters
from tournaments.services.exchange.comparing import Comparison
from tournaments.services.exchange.faults import Fault, Faults
from tournaments.services.exchange.folder import Folder, parse
from tournaments.services.exchange.lines import SeatLine, StageLine
from tournaments.services.exchange.loading_games import play_matches, write_matches, write_results
from tournaments.services.exchange.loading_rulings import (
    withdraw_machine,
    write_rulings,
    write_seeding,
    write_standings,
    write_warnings,
)
from tournaments.services.exchange.loading_scores import REASON, write_scores


@dataclass(frozen=True, slots=True)
class Report:
    """What an import added, by kind, and how much was there already. With `dry_run` nothing was kept."""

    path: str
    created: Mapping[str, int]
    unchanged: int
    dry_run: bool

    @property
    def changed(self) -> bool:
        """Whether anything was new."""
        return any(self.created.values())

    def __str__(self) -> str:
        new = ", ".join(_counted(count, what) for what, count in self.created.items() if count) or "nothing new"
        tried = "Tried out, nothing was kept. " if self.dry_run else ""
        return f"{tried}{self.path}: {new}; {self.unchanged} lines were there already."


def _counted(count: int, what: str) -> str:
    """ "1 show", "2 entries", "1 stage closed"."""
    return f"{count} {ONE.get(what, what)}" if count == 1 else f"{count} {what}"


ONE = {
    "ages checked": "age checked",
    "agreements": "agreement",
    "entries": "entry",
    "machine states": "machine state",
    "machines": "machine",
    "matches": "match",
    "pools of places": "pool of places",
    "results": "result",
    "rulings": "ruling",
    "scores": "score",
    "seats": "seat",
    "shows": "show",
    "stage times set": "stage time set",
    "stages closed": "stage closed",
    "stages opened": "stage opened",
    "statuses": "status",
    "tournaments": "tournament",
}
"""What was added, where it is one."""


def import_files(contents: Mapping[str, bytes], *, actor: Actor, dry_run: bool = False) -> Report:
    """Read the files of a folder and load them; raises `Faults` with all of the files and of the database."""
    folder, faults = parse(contents)
    if folder is not None and faults:
        faults += Comparison(folder).faults
    if folder is None or faults:
        raise Faults(faults)
    return load(folder, actor=actor, dry_run=dry_run)


def load(folder: Folder, *, actor: Actor, dry_run: bool = False) -> Report:
    """Add to the database what it does not have yet; raises `Faults` and changes nothing if any line is refused.

    `dry_run` does the same and takes it all back.
    """
    path = f"{folder.heading.show_slug}/{folder.heading.slug}"
    try:
        with all_or_nothing():
            known = Comparison(folder)
            if known.faults:
                raise Faults(known.faults)
            writer = _Writer(folder, known, actor)
            writer.write()
            if writer.faults:
                raise Faults(writer.faults)
            report = Report(path, dict(writer.created), known.unchanged, dry_run)
            if dry_run:
                raise _TakeBack(report)
    except _TakeBack as trial:
        return trial.report
    return report


class _TakeBack(Exception):
    """Ends a trial inside the transaction and carries its report out of it."""

    def __init__(self, report: Report) -> None:
        super().__init__()
        self.report = report


class _Writer:
    """Does what a comparison found to be new. A line that a service refuses is noted, and the next one tried."""

    show: Show
    tournament: Tournament
    stages: dict[str, Stage]

    def __init__(self, folder: Folder, known: Comparison, actor: Actor) -> None:
        self.folder, self.known, self.actor, self.heading = folder, known, actor, folder.heading
        self.plan, self.entries = known.plan, dict(known.entries)
        self.written: dict[int, Score] = known.plan.taken | known.games.taken
        self.last_stage = self._last_stages()
        self.faults: list[Fault] = []
        self.created: Counter[str] = Counter()

    def write(self) -> None:
        """Do what was found to be new; a refused line is noted and the next one tried."""
        with self.at_line(headings.FILE, None):
            self._write_heading()
        if self.faults:
            return
        self._write_places()
        self._write_machines()
        self._write_entries()
        self._write_ages()
        for spec in self.heading.kind.stages:
            self._write_stage(self.stages[spec.key])
        write_warnings(self)
        write_results(self)

    def _last_stages(self) -> dict[int, str]:
        """The last stage in which each number plays: whoever was disqualified later on has played until then."""
        order = [spec.key for spec in self.heading.kind.stages]
        found = dict.fromkeys((line.number for line in self.folder.entries), order[0])
        played = [(line.number, line.stage) for line in self.folder.seats]
        played += [(number, line.stage) for line in self.folder.matches for number in line.numbers]
        out = {line.number for line in self.plan.statuses if line.status == Entry.Status.DISQUALIFIED}
        for number, stage in sorted(played, key=lambda pair: order.index(pair[1])):
            if number in out:
                found[number] = stage
        return found

    def _write_stage(self, stage: Stage) -> None:
        """One stage after the other: what is in a later one rests on how the earlier ones ended."""
        line = next((line for line in self.plan.stages if line.stage == stage.key), None)
        write_seeding(self, stage)
        self._write_seats(stage)
        write_matches(self, stage, self.plan.machines, rules_broken=bool(line and line.rules_broken))
        if line:
            self._write_stage_times(line, stage)
        write_scores(self, stage)
        play_matches(self, stage, line.open_round if line else 0)
        for machine in [state.machine for state in self.plan.states if state.stage == stage.key]:
            self.write_machine_state(stage, machine)
        write_rulings(self, stage)
        self._write_statuses(stage)
        if line:
            self._close(line, stage)

    @contextmanager
    def at_line(self, file: str, line: int | None, what: str = "") -> Iterator[None]:
        """Count what a line adds, or note why it was refused."""
        try:
            yield
        except Refusal as refusal:
            self.faults.append(Fault(file, line or None, refusal.sentence))
        else:
            self.created[what] += bool(what)

    def _write_heading(self) -> None:
        heading, first = self.heading, self.heading.show_starts_on or self.heading.starts_on
        self.show = self.known.show or shows.create_show(
            actor=self.actor,
            name=heading.show,
            slug=heading.show_slug,
            starts_on=first,
            ends_on=heading.show_ends_on or max(first, heading.starts_on),
            venue=heading.venue,
            time_zone=heading.time_zone or headings.TIME_ZONE,
            rehearsal=heading.rehearsal,
        )
        self.tournament = self.known.tournament or shows.create_tournament(
            actor=self.actor,
            show=self.show,
            name=heading.name,
            slug=heading.slug,
            format=heading.format,
            starts_on=heading.starts_on,
            rules=heading.rules,
        )
        self.created["shows"] += self.known.show is None
        self.created["tournaments"] += self.known.tournament is None
        self.stages = {stage.key: stage for stage in self.tournament.stages.select_related("tournament__show")}

    def _write_places(self) -> None:
        known = {pool.kind: pool for pool in self.tournament.pools.all()}
        for pool in self.heading.places:
            earlier = known.get(pool.kind)
            if earlier and earlier.capacity == pool.capacity:
                continue
            with self.at_line(headings.FILE, pool.line, "pools of places"):
                self._offer(pool.kind, pool.capacity, pool.opens_at, pool.closes_at)
        named = {pool.kind for pool in self.heading.places} | set(known)
        wanted = Counter(line.place for line in self.plan.new_entries if line.place and line.place not in named)
        for kind, count in wanted.items():
            with self.at_line(files.ENTRIES.file, None, "pools of places"):
                self._offer(kind, count, None, None)

    def _offer(self, kind: str, capacity: int, opens_at: datetime | None, closes_at: datetime | None) -> None:
        places.offer(
            self.tournament,
            actor=self.actor,
            kind=kind,
            capacity=capacity,
            opens_at=self.known.aware(opens_at),
            closes_at=self.known.aware(closes_at),
        )

    def _write_machines(self) -> None:
        for line in self.plan.new_machines:
            with self.at_line(files.MACHINES.file, line.line, "machines"):
                self.plan.machines[line.code] = machines.add(
                    self.show,
                    actor=self.actor,
                    code=line.code,
                    name=line.name,
                    manufacturer=line.manufacturer,
                    year=line.year,
                )
        for state in self.plan.states:
            if state.machine in self.plan.machines:
                with self.at_line(files.MACHINE_STATES.file, state.line):
                    stage = self.stages[state.stage]
                    used = self.plan.machines[state.machine]
                    machines.use(stage, actor=self.actor, machine=used, drawn_from=state.drawn_from)

    def _write_entries(self) -> None:
        roster = rosters.of(self.heading.kind)
        known = roster.known(self.tournament.show, self.folder.entries) if roster and self.plan.new_entries else None
        for line in self.plan.new_entries if roster else ():
            if roster:
                with self.at_line(roster.table.file, line.line, "entries"):
                    self.entries[line.number] = roster.register(self.tournament, line, known, actor=self.actor)
        for line in () if roster else self.plan.new_entries:
            with self.at_line(files.ENTRIES.file, line.line, "entries"):
                self.entries[line.number] = entries.register(
                    self.tournament,
                    actor=self.actor,
                    name=line.name,
                    number=line.number,
                    country=line.country,
                    ifpa_number=line.ifpa_number,
                    place=line.place,
                    player=self.plan.players.get(line.number),
                    namesake_is_another=True,
                    elsewhere=True,
                )

    def _write_ages(self) -> None:
        """Whose age was checked elsewhere, if it matters in this tournament."""
        for line in self.plan.ages if self.tournament.age_limit is not None else ():
            entry = self.entries.get(line.number)
            if entry:
                with self.at_line(files.ENTRIES.file, line.line, "ages checked"):
                    entries.confirm_age(entry, actor=self.actor)

    def _write_stage_times(self, line: StageLine, stage: Stage) -> None:
        """Open what is to take scores, and set the times: a score taken after the closing time is late again."""
        left_out = line.state == Stage.State.CLOSED and stage.spec.comes_from and not stage.seats.exists()
        if stage.state == Stage.State.PLANNED and left_out:
            with self.at_line(files.STAGES.file, line.line, "stages left out"):
                self._leave_out(stage)
        elif stage.state == Stage.State.PLANNED and line.state != Stage.State.PLANNED:
            with self.at_line(files.STAGES.file, line.line, "stages opened"):
                stages.open_stage(stage, actor=self.actor, elsewhere=True)
        opens_at, closes_at = self.known.aware(line.opens_at), self.known.aware(line.closes_at)
        if (opens_at and not stage.opens_at) or (closes_at and not stage.closes_at):
            with self.at_line(files.STAGES.file, line.line, "stage times set"):
                shows.set_times(
                    stage,
                    actor=self.actor,
                    opens_at=opens_at or stage.opens_at,
                    closes_at=closes_at or stage.closes_at,
                )

    def _leave_out(self, stage: Stage) -> None:
        """A stage that is closed and in which nobody has a seat was not played, as too few went on."""
        with change(self.tournament, actor=self.actor, action="import stages") as log:
            stage.state, stage.closed_at = Stage.State.CLOSED, log.now
            stage.save(update_fields=["state", "closed_at"])
            log.write(f"{stage.label} was left out.", after={"left_out": [stage.key]})

    def write_machine_state(self, stage: Stage, machine: str) -> None:
        """The state of a machine in a stage that is not open there any more; by the ruling on it, if there is one."""
        line = next(line for line in self.plan.states if (line.stage, line.machine) == (stage.key, machine))
        found = StageMachine.objects.filter(stage=stage, machine=self.plan.machines.get(machine))
        used = found.exclude(state=line.state or StageMachine.State.OPEN).select_related("machine").first()
        if used is None:
            return
        used.stage = stage
        with self.at_line(files.MACHINE_STATES.file, line.line, "machine states"):
            if not withdraw_machine(self, line, used):
                substitute = self.plan.machines.get(line.substitute)
                machines.set_state(
                    used,
                    actor=self.actor,
                    state=line.state,
                    reason=REASON,
                    substitute=substitute,
                    factor=line.factor,
                )

    def _write_statuses(self, stage: Stage) -> None:
        numbers = {number for number, last in self.last_stage.items() if last == stage.key}
        write_standings(self, numbers)
        for line in self.plan.statuses:
            entry = self.entries.get(line.number)
            if entry is None or line.number not in numbers:
                continue
            entry.refresh_from_db(fields=["status"])
            with self.at_line(rosters.table_of(self.heading.kind).file, line.line, "statuses"):
                if line.status == entry.status:
                    continue
                if line.status == Entry.Status.CHECKED_IN:
                    entries.check_in(entry, actor=self.actor, elsewhere=True)
                elif line.status == Entry.Status.WITHDRAWN:
                    entries.withdraw(entry, actor=self.actor, reason=REASON)
                else:
                    entries.disqualify(entry, actor=self.actor, reason=REASON)

    def _close(self, line: StageLine, stage: Stage) -> None:
        if line.state == Stage.State.CLOSED and stage.state == Stage.State.OPEN:
            with self.at_line(files.STAGES.file, line.line, "stages closed"):
                stages.close_stage(stage, actor=self.actor)

    def _write_seats(self, stage: Stage) -> None:
        """The seats of the folder; without any, matches of a stage mean that the cut before it was declared."""
        lines = sorted(self.plan.new_seats.get(stage.key, []), key=lambda line: line.seed)
        if lines and all(line.number in self.entries for line in lines):
            with self.at_line(files.SEATS.file, lines[0].line):
                self._write_cut(stage, lines)
        elif not lines and stage.spec.grouped:
            self._write_groups(stage)
        elif not lines and self.known.games.new.get(stage.key) and not stage.seats.exists():
            before = self.stages[stage.spec.comes_from]
            with self.at_line(files.MATCHES.file, None):
                if not before.spec.ranked:
                    have = "have" if stage.spec.plural else "has"
                    decide = "decide" if before.spec.plural else "decides"
                    raise Refusal(f"{stage.label} {have} no seats yet: {before.label.lower()} {decide} them.")
                self.created["seats"] += len(stages.declare_cut(before, actor=self.actor))

    def _write_groups(self, stage: Stage) -> None:
        """A folder with matches or scores of groups and without seats: they are those that the seeds give."""
        roster = rosters.of(self.heading.kind)
        played = {line.number for line in self.plan.new_scores if line.stage == stage.key}
        played |= {number for match in self.known.games.new.get(stage.key, ()) for number in match.numbers}
        if not roster or not played or stage.seats.exists():
            return
        gone = [line for line in self.plan.statuses if line.status == Entry.Status.WITHDRAWN]
        for line in gone:
            # Whoever withdrew and has no game was gone before the groups were drawn up.
            if line.number in self.entries and line.number not in played:
                with self.at_line(roster.table.file, line.line, "statuses"):
                    entries.withdraw(self.entries[line.number], actor=self.actor, reason=REASON)
        with self.at_line(roster.table.file, None):
            try:
                self.created["seats"] += roster.seat(stage, actor=self.actor)
            except NeedsDecision as question:
                raise Refusal(f"{question.sentence} In a folder {files.SEATS.file} does so.") from question

    def _write_cut(self, stage: Stage, lines: list[SeatLine]) -> None:
        """Seats as they were frozen elsewhere, which a later disqualification may have made differ from the table."""
        before = self.stages.get(stage.spec.comes_from)
        wanted = [self.entries[line.number].pk for line in lines]
        with change(self.tournament, actor=self.actor, action="import seats") as log:
            if before and before.spec.ranked and Stage.objects.get(pk=before.pk).state != Stage.State.CLOSED:
                raise Refusal(
                    f"Nobody can be seated in {stage.label.lower()} before {before.label.lower()} is closed."
                )
            if stage.matches.exclude(state=Match.State.VOID).exists():
                raise Refusal(f"{stage.label} has matches here already; its seats stay as they are.")
            # The games before have filled seats by themselves; what was frozen elsewhere takes their place.
            stage.seats.all().delete()
            Seat.objects.bulk_create(
                Seat(stage=stage, entry_id=entry, seed=line.seed, why=line.why, group=group)
                for entry, line, group in zip(wanted, lines, self._groups(stage, lines), strict=True)
            )
            told = f"The cut of {before.label.lower()} was imported" if before else "The groups were imported"
            log.write(
                f"{told}: {len(lines)} in the {stage.label.lower()}.",
                after={"seats": wanted},
            )
        self.created["seats"] += len(lines)

    def _groups(self, stage: Stage, lines: list[SeatLine]) -> list[str]:
        """The group of each seat: as its line says, or where none does as the seeds give."""
        if stage.spec.grouped and not any(line.group for line in lines):
            return list(formats.grouping(self.heading.kind).letters(len(lines)))
        return [line.group for line in lines]
