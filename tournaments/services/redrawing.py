"""What drawing the rest of a running stage again would change: looked at, and nothing written.

House rules, "Someone leaves": during the round the seat stays empty and the opponent plays alone, so drawing again is
an offer. "Machine breaks down": a substitute, completed results stand. What has begun is never touched.
"""

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from django.db.models import Prefetch

from tournaments import formats
from tournaments.domain.facts import Standing
from tournaments.domain.refusals import REOPEN, Refusal, Step
from tournaments.formats import PlannedMatch, Redealt, Running
from tournaments.models import Machine, Match, Score, Side, Stage, StageMachine

NOT_BEGUN = (Match.State.PLANNED, Match.State.CALLED)
Out = Mapping[int, int | None]
"""Machines that play no further match in the stage, by id, with the substitute of each or None."""


class Snapshot(NamedTuple):
    """A stage as it stands, with its matches that have begun and those that are left.

    `alone` says that a match of one has no empty seat beside it: in groups whoever is alone plays so by the rules.
    """

    running: Running
    begun: tuple[Match, ...]
    left: tuple[Match, ...]
    alone: bool


@dataclass(frozen=True, slots=True)
class NewMatch:
    """A match that a re-draw puts in; `absent` are those of its entries whose seat is empty."""

    round: int
    order: int
    machine: int
    entries: tuple[int, ...]
    absent: frozenset[int]


@dataclass(frozen=True)
class Redraw:
    """What drawing the rest of a stage again would change.

    `begun` stay, `kept` stay as announced, `emptied` stay with the seats of these entries empty from now on; instead
    of those `taken_out` there are those `put_in`.
    """

    running: Running
    redealt: Redealt
    begun: tuple[Match, ...]
    kept: tuple[Match, ...]
    emptied: tuple[tuple[Match, frozenset[int]], ...]
    taken_out: tuple[Match, ...]
    put_in: tuple[NewMatch, ...]

    @property
    def changes(self) -> bool:
        """Whether anything would be different."""
        return bool(self.emptied or self.taken_out or self.put_in)

    @cached_property
    def mark(self) -> str:
        """The same for re-draws that change the same: what a preview was a preview of."""
        told = [
            [[match.pk, sorted(entries)] for match, entries in self.emptied],
            [match.pk for match in self.taken_out],
            [[new.round, new.machine, new.entries, sorted(new.absent)] for new in self.put_in],
            self.redealt.gave_way,
        ]
        return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:32]


def offered(stage: Stage) -> bool:
    """Whether the rest of this stage can be drawn again while it is played."""
    return formats.redealing(stage.tournament.kind, stage.key) is not None


def substitutes(stage: Stage) -> list[Machine]:
    """Machines in order that the tournament uses and that have no match in this stage, by name.

    Where groups are the first that is played the tournament uses no others before: there any machine of the show is.
    """
    drawn = set(stage.matches.exclude(state=Match.State.VOID).values_list("machine_id", flat=True))
    used: dict[Machine, list[StageMachine]] = {}
    if stage.spec.grouped:
        in_order = Machine.objects.filter(show=stage.tournament.show_id, in_order=True)
        used = {machine: [] for machine in in_order.order_by("name", "code")}
    found = StageMachine.objects.filter(stage__tournament=stage.tournament_id, machine__in_order=True)
    for each in found.select_related("machine").order_by("machine__name", "machine__code"):
        used.setdefault(each.machine, []).append(each)
    return [machine for machine, uses in used.items() if machine.pk not in drawn and _fit(stage, uses)]


def out_of_play(stage: Stage) -> list[Machine]:
    """Machines of the stage that are closed in it or out of order."""
    used = stage.stage_machines.select_related("machine").order_by("machine__name", "machine__code")
    return [each.machine for each in used if not _in_play(each)]


def plan(stage: Stage, out: Out, *, seed: int = 0) -> Redraw:
    """What drawing the rest of a stage again would change, without these machines; the same input gives the same.

    Machines that are closed or out of order are out in any case, and so is everybody who has left. Raises `Refusal`
    with the reason when it is not to be done, as when a machine would need two matches in one game.
    """
    kind = formats.redealing(stage.tournament.kind, stage.key)
    if kind is None:
        raise Refusal(f"The rest of the {stage.label.lower()} cannot be drawn again.")
    now = snapshot(stage, out)
    seats = stage.seats.select_related("entry__player")
    players = {seat.entry_id: f"{seat.entry} (seed {seat.seed})" for seat in seats}
    named = {machine.pk: str(machine) for machine in Machine.objects.filter(show=stage.tournament.show_id)}
    redealt = kind.redeal(stage.key, now.running, seed, players, named)
    _refuse_machine_twice(now, redealt, players, named)
    return compared(now, redealt)


def snapshot(stage: Stage, out: Out) -> Snapshot:
    """The stage as it stands, for its format; raises `Refusal` when it is not being played or a machine is unfit."""
    refuse_unless_open(stage)
    instead = _checked(stage, out)
    rows = live_matches(stage)
    begun = begun_in(stage, rows)
    used = stage.stage_machines.select_related("machine")
    usable = {each.machine_id for each in used if _in_play(each)} - set(out) | set(instead.values())
    seats = list(stage.seats.select_related("entry").order_by("seed"))
    gone = frozenset(seat.entry_id for seat in seats if seat.entry.standing != Standing.IN)
    running = Running(
        seats=tuple(seat.entry_id for seat in seats),
        announced=tuple(_as_planned(match) for match in rows),
        begun=tuple(_as_played(match, gone) for match in rows if match.pk in begun),
        machines=tuple(sorted(usable)),
        instead=instead,
        gone=gone,
    )
    return Snapshot(
        running,
        begun=tuple(match for match in rows if match.pk in begun),
        left=tuple(match for match in rows if match.pk not in begun),
        alone=stage.spec.grouped,
    )


def _checked(stage: Stage, out: Out) -> dict[int, int]:
    """The substitutes by the machines they stand in for; raises `Refusal` for one that cannot."""
    instead = {machine: substitute for machine, substitute in sorted(out.items()) if substitute is not None}
    fit = {machine.pk: machine for machine in substitutes(stage)}
    used = set(stage.stage_machines.values_list("machine_id", flat=True))
    named = {machine.pk: str(machine) for machine in Machine.objects.filter(pk__in=[*out, *instead.values()])}
    for machine in out:
        if machine not in used:
            raise Refusal(f"{named.get(machine, 'That machine')} is not used in the {stage.label.lower()}.")
    for substitute in instead.values():
        if substitute not in fit:
            raise Refusal(
                f"{named.get(substitute, 'That machine')} cannot be a substitute: it has matches in the"
                f" {stage.label.lower()}, is out of order, or is not used in {stage.tournament.name}.",
                field="machines",
            )
        if list(instead.values()).count(substitute) > 1:
            raise Refusal(f"{named[substitute]} cannot stand in for two machines.", field="machines")
    return instead


def refuse_unless_open(stage: Stage) -> None:
    """Raise `Refusal` unless the stage is being played."""
    if stage.state == Stage.State.PLANNED:
        raise Refusal(
            f"The {stage.label.lower()} has not begun: take the matches back and publish others,"
            " or give a leaver's seat to the next in the order."
        )
    if stage.state == Stage.State.CLOSED:
        raise Refusal(f"{stage.label} is closed; an organiser can reopen it.", step=Step(REOPEN, stage.pk))


def _refuse_machine_twice(
    now: Snapshot, redealt: Redealt, players: Mapping[int, str], named: Mapping[int, str]
) -> None:
    """A machine has one match in a game: two would be called and scored as one. The database keeps that too."""
    taken: dict[tuple[int, int], PlannedMatch] = {}
    for match in redealt.matches:
        other = taken.setdefault((match.round, match.machine), match)
        if other is not match:
            lost = {row.machine_id for row in now.left} - {*now.running.machines, *now.running.instead}
            pairs = " and for ".join(" against ".join(players[entry] for entry in m.entries) for m in (other, match))
            raise Refusal(
                f"Without {' and '.join(sorted(named[machine] for machine in lost)) or 'more machines'}"
                f" game {match.round} has more matches than machines: {named[match.machine]} would be needed for"
                f" {pairs}. Put another machine into play as a substitute. If there is none, leave the draw as it is"
                " until the machine works again: its matches wait, the others go on.",
                field="machines",
            )


def compared(now: Snapshot, redealt: Redealt) -> Redraw:
    """Which of the matches that are left a new draw keeps and which it replaces."""
    gone = now.running.gone
    wanted = {(new.round, new.machine, frozenset(new.entries)): new for new in redealt.matches}
    for row in now.begun:
        del wanted[row.round, row.machine_id, frozenset(_as_played(row, gone).entries)]
    kept: list[Match] = []
    emptied: list[tuple[Match, frozenset[int]]] = []
    taken_out: list[Match] = []
    for row in now.left:
        leaves = frozenset(side.entry_id for side in row.sides.all() if not side.absent) & gone
        if wanted.pop((row.round, row.machine_id, frozenset(_entries(row)) - gone), None) is None:
            taken_out.append(row)
        elif leaves:
            emptied.append((row, leaves))
        else:
            kept.append(row)
    return Redraw(
        running=now.running,
        redealt=redealt,
        begun=now.begun,
        kept=tuple(kept),
        emptied=tuple(emptied),
        taken_out=tuple(taken_out),
        put_in=_new_matches(now, taken_out, list(wanted.values())),
    )


def _new_matches(now: Snapshot, taken_out: Sequence[Match], wanted: Sequence[PlannedMatch]) -> tuple[NewMatch, ...]:
    """The matches to be put in, each in the order of play of one that it replaces, its players by seed.

    Who plays alone keeps the empty seat beside them; who was marked as absent from a game still is.
    """
    running = now.running
    seeds = {entry: number for number, entry in enumerate(running.seats)}
    sides = {(row.round, side.entry_id): (row, side) for row in taken_out for side in row.sides.all()}
    free = {(row.round, row.order) for row in taken_out}
    last = max((row.order for row in taken_out), default=0)
    found = []
    for new in sorted(wanted, key=lambda new: (new.round, _order_of(new, sides))):
        entries = set(new.entries)
        row, _ = sides.get((new.round, new.entries[0]), (None, None))
        if len(entries) == 1 and row and not now.alone:
            entries |= set(_entries(row)) & running.gone
        absent = {entry for entry in entries if entry in running.gone or _was_absent(new.round, entry, sides)}
        wish = row.order if row else 0
        orders = sorted(order for number, order in free if number == new.round)
        if wish not in orders:
            # Where more comes into a round than went out of it, the new matches are the last of it.
            last += 1
            wish = orders[0] if orders else last + len(running.announced)
        order = wish
        free.discard((new.round, order))
        in_order = tuple(sorted(entries, key=lambda entry: seeds[entry]))
        found.append(NewMatch(new.round, order, new.machine, in_order, frozenset(absent)))
    return tuple(found)


def _order_of(new: PlannedMatch, sides: Mapping[tuple[int, int], tuple[Match, Side]]) -> int:
    row, _ = sides.get((new.round, new.entries[0]), (None, None))
    return row.order if row else 0


def _was_absent(number: int, entry: int, sides: Mapping[tuple[int, int], tuple[Match, Side]]) -> bool:
    _, side = sides.get((number, entry), (None, None))
    return side is not None and side.absent


def begun_in(stage: Stage, rows: Sequence[Match]) -> set[int]:
    """The ids of those matches that are beyond the call or have a score."""
    live = Score.objects.filter(match__stage=stage).exclude(state=Score.State.VOID)
    scored = set(live.values_list("match_id", flat=True))
    return {row.pk for row in rows if row.state not in NOT_BEGUN or row.pk in scored}


def live_matches(stage: Stage) -> list[Match]:
    """The matches of a stage with their sides, in the order of play."""
    sides = Prefetch("sides", Side.objects.order_by("rank"))
    found = stage.matches.exclude(state=Match.State.VOID).select_related("machine").prefetch_related(sides)
    return list(found.order_by("round", "order"))


def _entries(match: Match) -> tuple[int, ...]:
    return tuple(side.entry_id for side in match.sides.all())


def _as_planned(match: Match) -> PlannedMatch:
    return PlannedMatch(match.round, match.machine_id, _entries(match))


def _as_played(match: Match, gone: Collection[int]) -> PlannedMatch:
    """A match that has begun. Whoever stays away and has left was not in it; of nobody but them it is as announced."""
    there = tuple(s.entry_id for s in match.sides.all() if not (s.absent and s.entry_id in gone))
    return PlannedMatch(match.round, match.machine_id, there or _entries(match))


def _fit(stage: Stage, uses: Sequence[StageMachine]) -> bool:
    """Closed in another stage it may be broken still, unless somebody has said since that this stage uses it."""
    here = [each for each in uses if each.stage_id == stage.pk]
    return all(each.state == StageMachine.State.OPEN for each in here or uses)


def _in_play(used: StageMachine) -> bool:
    return used.state == StageMachine.State.OPEN and used.machine.in_order
