"""A folder into the database, through the same services as the desk, all or nothing.

What the database has already stays: identical lines change nothing, and a line that says otherwise is a fault. What
people have moved on since (checked in, opened, closed, agreed) is never moved back.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from tournaments.domain.refusals import Refusal
from tournaments.models import Entry, Match, Ruling, Score, Seat, Show, Stage, StageMachine, Tournament
from tournaments.services import entries, machines, places, scores, shows, stages
from tournaments.services.change import Actor, all_or_nothing, change
from tournaments.services.exchange import folder as files
from tournaments.services.exchange import heading as headings
from tournaments.services.exchange.comparing import Comparison
from tournaments.services.exchange.faults import Fault, Faults
from tournaments.services.exchange.folder import Folder, RulingLine, ScoreLine, SeatLine, StageLine
from tournaments.services.exchange.loading_games import REASON, SOURCE, play_matches, write_matches, write_results
from tournaments.services.progress import fill


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
        new = ", ".join(f"{count} {what}" for what, count in self.created.items() if count) or "nothing new"
        tried = "Tried out, nothing was kept. " if self.dry_run else ""
        return f"{tried}{self.path}: {new}; {self.unchanged} lines were there already."


def import_files(contents: Mapping[str, bytes], *, actor: Actor, dry_run: bool = False) -> Report:
    """Read the files of a folder and load them; raises `Faults` with all of the files and of the database."""
    folder, faults = files.parse(contents)
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
        write_results(self)

    def _write_stage(self, stage: Stage) -> None:
        """One stage after the other: what is in a later one rests on how the earlier ones ended."""
        line = next((line for line in self.plan.stages if line.stage == stage.key), None)
        self._write_seats(stage)
        write_matches(self, stage, self.plan.machines, rules_broken=bool(line and line.rules_broken))
        if line:
            self._write_stage_times(line, stage)
        self._write_scores(stage)
        play_matches(self, stage, line.open_round if line else 0)
        self._write_machine_states(stage, StageMachine.State.CANCELLED)
        self._write_machine_states(stage, StageMachine.State.LET_STAND)
        if not stage.spec.comes_from:
            self._write_statuses()
        self._write_rulings(stage)
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
                    machines.use(stage, actor=self.actor, machine=self.plan.machines[state.machine])

    def _write_entries(self) -> None:
        for line in self.plan.new_entries:
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
        if stage.state == Stage.State.PLANNED and line.state != Stage.State.PLANNED:
            with self.at_line(files.STAGES.file, line.line, "stages opened"):
                stages.open_stage(stage, actor=self.actor)
        opens_at, closes_at = self.known.aware(line.opens_at), self.known.aware(line.closes_at)
        if (opens_at and not stage.opens_at) or (closes_at and not stage.closes_at):
            with self.at_line(files.STAGES.file, line.line, "stage times set"):
                shows.set_times(
                    stage,
                    actor=self.actor,
                    opens_at=opens_at or stage.opens_at,
                    closes_at=closes_at or stage.closes_at,
                )

    def _write_scores(self, stage: Stage) -> None:
        """Games on machines that are cancelled come first, so that the games given back can follow."""
        cancelled = {
            line.machine
            for line in self.plan.states
            if (line.stage, line.state) == (stage.key, StageMachine.State.CANCELLED)
        }
        own = self._in_order(line for line in self.plan.new_scores if line.stage == stage.key)
        for line in (line for line in own if line.machine in cancelled):
            self._write_score(line)
        if own:
            self._write_machine_states(stage, StageMachine.State.CANCELLED)
        for line in (line for line in own if line.machine not in cancelled):
            self._write_score(line)

    def _in_order(self, lines: Iterable[ScoreLine]) -> list[ScoreLine]:
        """A void game before the one played in its stead; a second result after the first it waits beside."""
        order = (files.VOID, files.RECORDED, files.AGREED, files.PLAYING, files.WAITING)
        return sorted(lines, key=lambda line: order.index(line.status))

    def _write_score(self, line: ScoreLine) -> None:
        entry, machine = self.entries.get(line.number), self.plan.machines.get(line.machine)
        if entry is None or machine is None:
            return  # its own line has a fault already
        stage, at = self.stages[line.stage], self.known.aware(line.at)
        with self.at_line(files.SCORES.file, line.line, "scores"):
            if line.status == files.PLAYING:
                scores.start(stage, actor=self.actor, entry=entry, machine=machine, at=at)
                return
            value = line.value or 0
            if line.status == files.WAITING:
                scores.put_aside(
                    stage, actor=self.actor, entry=entry, machine=machine, value=value, source=SOURCE, at=at
                )
                return
            score = scores.record(
                stage,
                actor=self.actor,
                entry=entry,
                machine=machine,
                value=value,
                sure=value,
                source=SOURCE,
                state=Score.State.AGREED if line.status == files.AGREED else Score.State.RECORDED,
                at=at,
            ).score
            if line.status == files.VOID:
                scores.void(score, actor=self.actor, seen=score.revision, reason=REASON)

    def _write_machine_states(self, stage: Stage, state: str) -> None:
        for line in self.plan.states:
            if (line.stage, line.state) != (stage.key, state):
                continue
            machine = self.plan.machines.get(line.machine)
            used = StageMachine.objects.filter(stage=stage, machine=machine).exclude(state=state).first()
            if used:
                with self.at_line(files.MACHINE_STATES.file, line.line, "machine states"):
                    machines.set_state(used, actor=self.actor, state=line.state, reason=REASON)

    def _write_statuses(self) -> None:
        for line in self.plan.statuses:
            entry = self.entries.get(line.number)
            if entry is None:
                continue
            with self.at_line(files.ENTRIES.file, line.line, "statuses"):
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

    def _write_rulings(self, stage: Stage) -> None:
        for line in self.plan.new_rulings:
            if line.stage == stage.key and all(number in self.entries for number in line.order):
                with self.at_line(files.RULINGS.file, line.line, "rulings"):
                    self._write_ruling(line)

    def _write_ruling(self, line: RulingLine) -> None:
        """A ruling as it was decided elsewhere: its reasons hold even where today's table would not ask for it."""
        stage = self.stages[line.stage]
        with change(self.tournament, actor=self.actor, action="import ruling") as log:
            following = stages.next_stage(stage) if stage.spec.ranked else None
            if following and following.seats.exists():
                raise Refusal(
                    f"The cut of {stage.label.lower()} is declared here; take it back before adding rulings."
                )
            order = [self.entries[number].pk for number in line.order]
            data: dict[str, Any] = {"order": order}
            if line.scores:
                data["scores"] = {str(pk): value for pk, value in zip(order, line.scores, strict=True)}
            if line.decided_by:
                data["decided_by"] = line.decided_by
            ruling = Ruling.objects.create(
                tournament=self.tournament,
                stage=stage,
                kind=line.kind,
                data=data,
                reason=line.reason,
                decided_by=self.actor,
                decided_at=self.known.aware(line.decided_at) or log.now,
            )
            told = ", ".join(str(self.entries[number]) for number in line.order)
            by = f", decided by {line.decided_by}" if line.decided_by else ""
            log.write(f"{ruling}, imported{by}: {told}.", after=data, reason=line.reason)
            fill(stage, log)

    def _write_seats(self, stage: Stage) -> None:
        """The seats of the folder; without any, matches of a stage mean that the cut before it was declared."""
        lines = sorted(self.plan.new_seats.get(stage.key, []), key=lambda line: line.seed)
        if lines and all(line.number in self.entries for line in lines):
            with self.at_line(files.SEATS.file, lines[0].line):
                self._write_cut(stage, lines)
        elif not lines and self.known.games.new.get(stage.key) and not stage.seats.exists():
            before = self.stages[stage.spec.comes_from]
            with self.at_line(files.MATCHES.file, None):
                if not before.spec.ranked:
                    raise Refusal(f"{stage.label} has no seats yet: {before.label.lower()} decides them.")
                self.created["seats"] += len(stages.declare_cut(before, actor=self.actor))

    def _write_cut(self, stage: Stage, lines: list[SeatLine]) -> None:
        """Seats as they were frozen elsewhere, which a later disqualification may have made differ from the table."""
        before = self.stages[stage.spec.comes_from]
        wanted = [self.entries[line.number].pk for line in lines]
        with change(self.tournament, actor=self.actor, action="import seats") as log:
            if before.spec.ranked and Stage.objects.get(pk=before.pk).state != Stage.State.CLOSED:
                raise Refusal(
                    f"Nobody can be seated in {stage.label.lower()} before {before.label.lower()} is closed."
                )
            if stage.matches.exclude(state=Match.State.VOID).exists():
                raise Refusal(f"{stage.label} has matches here already; its seats stay as they are.")
            # The games before have filled seats by themselves; what was frozen elsewhere takes their place.
            stage.seats.all().delete()
            Seat.objects.bulk_create(
                Seat(stage=stage, entry_id=entry, seed=line.seed, why=line.why)
                for entry, line in zip(wanted, lines, strict=True)
            )
            log.write(
                f"The cut of {before.label.lower()} was imported: {len(lines)} go on to the {stage.label.lower()}.",
                after={"seats": wanted},
            )
        self.created["seats"] += len(lines)
