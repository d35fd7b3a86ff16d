"""What a folder holds that the database does not, and where the two contradict each other. Never writes."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from tournaments import formats, selectors
from tournaments.domain.rulings import shown_factor
from tournaments.models import Entry, Machine, Player, Score, Seat, Show, Stage, StageMachine, Tournament
from tournaments.services.exchange import heading as headings
from tournaments.services.exchange import lines as files
from tournaments.services.exchange import rosters
from tournaments.services.exchange.comparing_games import GamesComparison, alike, implied_states
from tournaments.services.exchange.comparing_rulings import RulingsComparison
from tournaments.services.exchange.faults import Fault
from tournaments.services.exchange.folder import Folder
from tournaments.services.exchange.lines import (
    EntryLine,
    MachineLine,
    MachineStateLine,
    ScoreLine,
    SeatLine,
    StageLine,
)
from tournaments.services.exchange.rosters import Roster


@dataclass
class Plan:
    """What is to be done. `players` and `machines` are those of the folder that the show has already."""

    players: dict[int, Player] = field(default_factory=dict)
    machines: dict[str, Machine] = field(default_factory=dict)
    new_machines: list[MachineLine] = field(default_factory=list)
    new_entries: list[EntryLine] = field(default_factory=list)
    statuses: list[EntryLine] = field(default_factory=list)
    ages: list[EntryLine] = field(default_factory=list)
    new_scores: list[ScoreLine] = field(default_factory=list)
    states: list[MachineStateLine] = field(default_factory=list)
    stages: list[StageLine] = field(default_factory=list)
    taken: dict[int, Score] = field(default_factory=dict)
    """The solo scores here that lines of scores.csv mean, by the line."""
    new_seats: dict[str, list[SeatLine]] = field(default_factory=lambda: defaultdict(list))


class Comparison:
    """A folder beside the database: the plan of what is new, every contradiction, and how many lines are known."""

    def __init__(self, folder: Folder) -> None:
        self.folder, self.heading = folder, folder.heading
        self.faults: list[Fault] = []
        self.unchanged = 0
        self.plan = Plan()
        self.show = Show.objects.filter(slug=self.heading.show_slug).first()
        self.tournament: Tournament | None = None
        self.entries: dict[int, Entry] = {}
        self.stages: dict[str, Stage] = {}
        if self.show:
            found = Tournament.objects.select_related("show").filter(show=self.show, slug=self.heading.slug)
            self.tournament = found.first()
        if self.tournament:
            self.stages = {stage.key: stage for stage in self.tournament.stages.select_related("tournament__show")}
            entered = selectors.entered(self.tournament).select_related("player", "pool")
            self.entries = {entry.number: entry for entry in entered}
        self._compare_heading()
        self._compare_places()
        self._compare_machines()
        self._compare_entries()
        self.rulings = RulingsComparison(folder.rulings, self.tournament, self.aware, self._fault)
        self.unchanged += self.rulings.unchanged
        self.ruled = self.rulings.on_scores
        self._compare_scores()
        self.games = GamesComparison(folder, self.tournament, self.rulings, self._fault).plan
        self.unchanged += self.games.unchanged
        self._compare_stages()
        self._compare_machine_states()
        self._compare_seats()

    def aware(self, moment: datetime | None) -> datetime | None:
        """A moment in the show's zone unless it names its own."""
        if moment is None or moment.tzinfo:
            return moment
        zone = self.show.zone if self.show else Show(time_zone=self.heading.time_zone or headings.TIME_ZONE).zone
        return moment.replace(tzinfo=zone)

    def _fault(self, file: str, line: int | None, reason: str) -> None:
        self.faults.append(Fault(file, line, reason))

    def _compare_heading(self) -> None:
        heading = self.heading
        if self.show:
            self._same("show", heading.show, self.show.name)
            self._same("venue", heading.venue, self.show.venue)
            self._same("time_zone", heading.time_zone, self.show.time_zone)
            self._same("rehearsal", self.heading.rehearsal or None, self.show.rehearsal)
            self._same("show_starts_on", heading.show_starts_on, self.show.starts_on)
            self._same("show_ends_on", heading.show_ends_on, self.show.ends_on)
        if not self.tournament:
            return
        self._same("name", heading.name, self.tournament.name)
        self._same("starts_on", heading.starts_on, self.tournament.starts_on)
        self._same("format", heading.format, self.tournament.format)
        if heading.format == self.tournament.format:
            given = formats.rule_lines(formats.read_rules(heading.kind.Rules, heading.rules))
            in_force = {line.name: line.value for line in formats.rule_lines(self.tournament.rules_in_force)}
            for line in given:
                self._same(f"{headings.RULES}.{line.name}", line.value, in_force[line.name])

    def _same(self, key: str, said: Any, known: Any) -> None:
        """Note a fault when the heading says something and the database something else."""
        if said in ("", None) or said == known:
            return
        name = key.rpartition(".")[2]
        line = self.heading.lines.get(key) or self.heading.lines.get(key.rpartition(".")[0])
        self._fault(
            headings.FILE, line, f"The {name} is “{said}” in the folder and “{known}” here; nothing is overwritten."
        )

    def _compare_places(self) -> None:
        pools = {pool.kind: pool for pool in self.tournament.pools.all()} if self.tournament else {}
        for pool in self.heading.places:
            known = pools.get(pool.kind)
            if known and pool.capacity < known.capacity:
                reason = (
                    f"There are {known.capacity} {known} here already, not {pool.capacity}; fewer are set at the desk."
                )
                self._fault(headings.FILE, pool.line, reason)

    def _compare_machines(self) -> None:
        known = (
            {machine.code.casefold(): machine for machine in Machine.objects.filter(show=self.show)}
            if self.show
            else {}
        )
        for line in self.folder.machines:
            machine = known.get(line.code.casefold())
            if machine is None:
                self.plan.new_machines.append(line)
                continue
            self.plan.machines[line.code] = machine
            said = {"name": line.name, "manufacturer": line.manufacturer, "year": line.year}
            if self._agrees(files.MACHINES.file, line.line, f"{machine.code}", said, machine):
                self.unchanged += 1

    def _agrees(self, file: str, line: int, whose: str, said: Mapping[str, Any], known: Any) -> bool:
        """Whether what a line says is what is known; an empty cell says nothing."""
        other = [name for name, value in said.items() if value not in ("", None) and value != getattr(known, name)]
        for name in other:
            now = getattr(known, name)
            told = f"“{now}”" if now not in ("", None) else "empty"
            self._fault(
                file,
                line,
                f"{whose}: the {name} is “{said[name]}” in the folder and {told} here; nothing is overwritten.",
            )
        return not other

    def _compare_roster(self, roster: Roster) -> None:
        for line in self.folder.entries:
            entry = self.entries.get(line.number)
            otherwise = roster.compare(line, entry) if entry else ""
            if otherwise:
                self._fault(roster.table.file, line.line, f"{otherwise} Nothing is overwritten.")
            else:
                self._compare_entry(line)

    def _compare_entries(self) -> None:
        roster = rosters.of(self.heading.kind)
        if roster:
            self._compare_roster(roster)
            return
        players = {player.number: player for player in Player.objects.filter(show=self.show)} if self.show else {}
        by_name = {player.name.casefold(): player for player in players.values() if player.merged_into_id is None}
        for line in self.folder.entries:
            player, namesake = players.get(line.number), by_name.get(line.name.casefold())
            if player:
                self.plan.players[line.number] = player
                said = {"name": line.name, "country": line.country, "ifpa_number": line.ifpa_number}
                if not self._agrees(files.ENTRIES.file, line.line, f"Number {line.number}", said, player):
                    continue
            elif namesake and not line.another_person:
                reason = (
                    f"The show already has {namesake.number} {namesake.name}; a person keeps one number."
                    " If this is another person, write yes in a column another_person."
                )
                self._fault(files.ENTRIES.file, line.line, reason)
                continue
            self._compare_entry(line)

    def _compare_entry(self, line: EntryLine) -> None:
        entry, file = self.entries.get(line.number), rosters.table_of(self.heading.kind).file
        if line.age_checked and not (entry and entry.age_known):
            self.plan.ages.append(line)
        if entry is None:
            self.plan.new_entries.append(line)
            if line.status not in ("", Entry.Status.ENTERED):
                self.plan.statuses.append(line)
            return
        place = entry.pool.kind if entry.pool else ""
        if line.place and line.place != place:
            told = f"a {place} place" if place else "no counted place"
            self._fault(files.ENTRIES.file, line.line, f"{entry} has {told} here, not a {line.place} one.")
            return
        gone = entry.status in (Entry.Status.WITHDRAWN, Entry.Status.DISQUALIFIED)
        if line.status in ("", entry.status) or (line.status == Entry.Status.ENTERED and not gone):
            self.unchanged += 1
        elif gone:
            now = entry.get_status_display()
            self._fault(file, line.line, f"{entry} is {now} here and {line.status} in the folder.")
        else:
            self.plan.statuses.append(line)

    def _compare_scores(self) -> None:
        known = self._known_scores()
        lines: dict[tuple[str, int, str], list[ScoreLine]] = defaultdict(list)
        for line in self.folder.scores:
            lines[line.stage, line.number, line.machine].append(line)
        for key, said in lines.items():
            self._compare_game(said, known.get(key, []))

    def _known_scores(self) -> Mapping[tuple[str, int, str], list[Score]]:
        found: dict[tuple[str, int, str], list[Score]] = defaultdict(list)
        if self.tournament:
            codes = {machine.pk: code for code, machine in self.plan.machines.items()}
            numbers = {entry.pk: number for number, entry in self.entries.items()}
            solo = Score.objects.filter(stage__in=self.stages.values(), match=None)
            for score in solo.select_related("stage").order_by("pk"):
                code = codes.get(score.machine_id)
                if code:
                    found[score.stage.key, numbers[score.entry_id], code].append(score)
        return found

    def _compare_game(self, said: list[ScoreLine], known: list[Score]) -> None:
        """Match the lines of one player on one machine with the scores here, by value and kind."""
        left = list(known)
        new = []
        for line in said:
            same = self.known_score(line, left)
            if same is None:
                new.append(line)
            else:
                left.remove(same)
                self.plan.taken[line.line] = same
                self.unchanged += 1
        live = [score for score in left if score.state in (*Score.COUNTED, Score.State.DISCARDED)]
        for line in new:
            other = next((score for score in left if line.value is not None and score.value == line.value), None)
            if other is None and line.status in files.LIVE and live:
                other = live[0]
            if other is None:
                self.plan.new_scores.append(line)
            else:
                self._fault(files.SCORES.file, line.line, _contradiction(line, other))

    def known_score(self, line: ScoreLine, among: Sequence[Score]) -> Score | None:
        """The score here that a line means: as it says, or as it was before the rulings that are new here."""
        before = files.before_rulings(line, self.ruled.get(line.line, ()))
        return next((s for said in (line, before) for s in among if alike(said, s)), None)

    def _compare_stages(self) -> None:
        given = {line.stage: line for line in self.folder.stages}
        implied = dict(implied_states(self.folder, self.games))
        for key in [spec.key for spec in self.heading.kind.stages]:
            line = given.get(key)
            if line is None and any(score.stage == key for score in self.plan.new_scores):
                # A folder without stages.csv that holds scores was handed over in the middle of play.
                implied.setdefault(key, Stage.State.OPEN)
            if line is None and key in implied:
                line = StageLine(0, key, implied[key], None, None)
            if line is None:
                continue
            stage = self.stages.get(key)
            if stage and line.line and not self._stage_agrees(line, stage):
                continue
            self.plan.stages.append(line)

    def _stage_agrees(self, line: StageLine, stage: Stage) -> bool:
        order = Stage.State.values
        if order.index(line.state) < order.index(stage.state) and line.state != Stage.State.PLANNED:
            self._fault(
                files.STAGES.file, line.line, f"{stage.label} is {stage.state} here and {line.state} in the folder."
            )
            return False
        for name in ("opens_at", "closes_at"):
            said, known = self.aware(getattr(line, name)), getattr(stage, name)
            if said and known and said != known:
                told = known.astimezone(stage.tournament.show.zone).strftime("%Y-%m-%d %H:%M")
                reason = f"{stage.label}: {name} is {told} here; another time is set at the desk."
                self._fault(files.STAGES.file, line.line, reason)
                return False
        return True

    def _compare_machine_states(self) -> None:
        used: dict[tuple[str, str], StageMachine] = {}
        if self.tournament:
            found = StageMachine.objects.filter(stage__in=self.stages.values())
            for row in found.select_related("stage", "machine", "substitute"):
                used[row.stage.key, row.machine.code.casefold()] = row
        given = self.folder.machine_states or tuple(
            MachineStateLine(0, self.folder.first_stage, line.code, "") for line in self.folder.machines
        )
        for line in given:
            known = used.get((line.stage, line.machine.casefold()))
            if known and line.state in ("", known.state) and _same_way(line, known):
                self.unchanged += bool(line.line)
            elif known and known.state != StageMachine.State.OPEN:
                now = f"{known.machine} is {known.get_state_display()}{_with(known)} here"
                self._fault(
                    files.MACHINE_STATES.file, line.line, f"{now} and {line.state}{_said(line)} in the folder."
                )
            else:
                self.plan.states.append(line)

    def _compare_seats(self) -> None:
        known: dict[str, dict[int, int]] = defaultdict(dict)
        for seat in Seat.objects.filter(stage__in=self.stages.values()).select_related("stage", "entry"):
            known[seat.stage.key][seat.seed] = seat.entry.number
        for line in self.folder.seats:
            if line.stage not in known:
                self.plan.new_seats[line.stage].append(line)
            elif known[line.stage].get(line.seed) == line.number:
                self.unchanged += 1
            else:
                holder = known[line.stage].get(line.seed)
                told = (
                    f"seed {line.seed} of {line.stage} is number {holder}"
                    if holder
                    else f"{line.stage} has no seed {line.seed}"
                )
                self._fault(
                    files.SEATS.file, line.line, f"Here {told}, not number {line.number}; nothing is overwritten."
                )


def _contradiction(line: ScoreLine, other: Score) -> str:
    said = f"{line.value:,}" if line.value is not None else "under way"
    if line.ranked is not None:
        said += f", ranked with {line.ranked:,},"
    known = f"{other.value:,}" if other.value is not None else "under way"
    if other.ranked is not None:
        known += f", ranked with {other.ranked:,},"
    told = known if other.state in Score.COUNTED else f"{known}, {other.get_state_display()},"
    state = f", {line.status}," if line.status in (files.VOID, files.WAITING, files.DISCARDED) else ""
    return (
        f"Number {line.number} on {line.machine}: {said}{state} in the folder and {told} here;"
        " nothing is overwritten. Correct it at the desk."
    )


def _same_way(line: MachineStateLine, known: StageMachine) -> bool:
    """Whether a machine withdrawn here has the substitute and the factor of the line, if it names any."""
    code = known.substitute.code.casefold() if known.substitute else ""
    return line.substitute.casefold() in ("", code) and line.factor in (None, known.factor)


def _said(line: MachineStateLine) -> str:
    onto = f" onto {line.substitute}" if line.substitute else ""
    return onto + (f" times {shown_factor(line.factor)}" if line.factor is not None else "")


def _with(known: StageMachine) -> str:
    onto = f" onto {known.substitute.code}" if known.substitute else ""
    return onto + (f" times {shown_factor(known.factor)}" if known.factor is not None else "")
