"""Rulings of a folder into the database, carried out where the folder says that they are in force.

Each is recorded with what it changes, as at the desk, so that it can be taken back: a score counts again as it was
reached, a machine is open again, an entry has the status it had. Where a folder does not say what was before, which is
so for a match that was played again, taking it back is refused.
"""

from collections.abc import Callable, Iterator
from typing import Any

from tournaments.domain.refusals import Refusal
from tournaments.domain.rulings import shown_factor
from tournaments.domain.scores import grouped
from tournaments.models import Entry, Match, Ruling, Score, Seat, Side, Stage, StageMachine
from tournaments.services import entries, game_rulings, stages
from tournaments.services.change import Log, change
from tournaments.services.exchange.lines import (
    LOWERED,
    ON_SCORES,
    ORDERS,
    RULINGS,
    TAKEN_OUT,
    MachineStateLine,
    RulingLine,
)
from tournaments.services.exchange.loading_scores import REASON, Writing
from tournaments.services.game_rulings import NOTES
from tournaments.services.progress import fill, follow, follow_entry, refuse_once_declared
from tournaments.services.scores import snapshot
from tournaments.services.shows import refuse_too_many_games
from tournaments.services.undoing import UNKNOWN, recorded

Kind = Ruling.Kind
CarryOut = Callable[[Ruling, Log], None]


def rulings_of(writing: Writing, stage: str) -> Iterator[RulingLine]:
    """The new rulings of a stage, in the order of the file; "" for those of the whole tournament."""
    return (line for line in writing.known.rulings.new if line.stage == stage)


def write_seeding(writing: Writing, stage: Stage) -> None:
    """The order of seeds that was decided before anybody was seated in a stage."""
    for line in rulings_of(writing, stage.key):
        if line.kind == Kind.SEEDING and all(number in writing.entries for number in line.order):
            with writing.at_line(RULINGS.file, line.line, "rulings"):
                _write_order(writing, line, stage)


def write_rulings(writing: Writing, stage: Stage) -> None:
    """What was decided about the scores, matches, seats and order of a stage; its machines come with its scores."""
    for line in rulings_of(writing, stage.key):
        if line.kind in (Kind.MACHINE, Kind.SEEDING) or not all(
            number in writing.entries for number in (*line.numbers, *line.order)
        ):
            continue
        with writing.at_line(RULINGS.file, line.line, "rulings"):
            if line.kind in ORDERS:
                _write_order(writing, line, stage)
            elif line.kind in ON_SCORES:
                _write_on_score(writing, line, stage)
            elif line.kind == Kind.REPLACED:
                _write_replacement(writing, line, stage)
            else:
                _write_on_match(writing, line, stage)


def write_warnings(writing: Writing) -> None:
    """Warnings outside a match."""
    for line in rulings_of(writing, ""):
        entry = writing.entries.get(line.numbers[0])
        if line.kind == Kind.WARNING and entry:
            with writing.at_line(RULINGS.file, line.line, "rulings"):
                _make(writing, line, None, f"{entry} is warned.", entry=entry)


def _write_order(writing: Writing, line: RulingLine, stage: Stage) -> None:
    """An order as it was decided elsewhere: its reasons hold even where today's table would not ask for it."""
    following = stages.next_stage(stage) if stage.spec.ranked else None
    if following and following.seats.exists():
        raise Refusal(f"The cut of {stage.label.lower()} is declared here; take it back before adding rulings.")
    order = [writing.entries[number].pk for number in line.order]
    data: dict[str, Any] = {"order": order}
    if line.scores:
        data["scores"] = {str(pk): value for pk, value in zip(order, line.scores, strict=True)}
    told = ", ".join(str(writing.entries[number]) for number in line.order)
    _make(writing, line, stage, f"{told}.", data=data, then=lambda log: fill(stage, log))


def _write_on_score(writing: Writing, line: RulingLine, stage: Stage) -> None:
    written = writing.written.get(line.on)
    if written is None:
        return  # the line of the score has a fault already
    related = ("entry__player", "machine", "match", "stage__tournament__show")
    score = Score.objects.select_related(*related).get(pk=written.pk)
    was_void = score.state == Score.State.VOID

    def carry_out(ruling: Ruling, log: Log) -> None:
        _alter(score, line)
        score.revision = log.revision
        score.save()
        if score.match:
            follow(score.match, log)

    about: dict[str, Any] = {"score": score, "match": score.match, "entry": score.entry, "machine": score.machine}
    before = snapshot(score)
    ruling = _make(
        writing,
        line,
        stage,
        f"{score.entry} on {score.machine}, {grouped(line.reached or 0)}.",
        data={"reached": line.reached, "counts": line.counts},
        carry_out=None if line.kind in NOTES else carry_out,
        before=before,
        **about,
    )
    if was_void and line.kind in TAKEN_OUT:
        state = line.was[0] if line.was else str(Score.State.RECORDED)
        void = str(Score.State.VOID)
        _keep_rows(ruling, [["score", score.pk, stage.pk, {"state": state}, {"state": void}]])


def _alter(score: Score, line: RulingLine) -> None:
    """What the ruling makes of the score; raises `Refusal` when the score here is not as it was before."""
    counted = score.state in Score.COUNTED
    if line.kind in LOWERED and score.ranked is None:
        score.ranked = line.counts
    elif line.kind in TAKEN_OUT and (counted or score.state == Score.State.VOID):
        score.state = Score.State.VOID
    elif line.kind == Kind.DISCARDED and counted:
        score.state = Score.State.DISCARDED
    elif line.kind == Kind.DISCARDED and score.match and score.state == Score.State.VOID:
        return
    elif line.kind == Kind.CORRECTED and score.value == line.reached:
        score.value = line.counts
    elif line.kind in (*LOWERED, *TAKEN_OUT, Kind.DISCARDED, Kind.CORRECTED):
        raise Refusal(f"{score} is {score.get_state_display()} here, and not as it was before the ruling.")


def _write_replacement(writing: Writing, line: RulingLine, stage: Stage) -> None:
    """Who has the seat now has the games as well; before, all of them were of the one who left."""
    new, old = writing.entries[line.numbers[0]], writing.entries.get(line.instead_of)
    seat = Seat.objects.filter(stage=stage, seed=line.seed).first()
    if seat is None or old is None:
        raise Refusal(f"{stage.label} has no seed {line.seed} here.")
    summary = f"{stage.label}: {new} takes the seat of {old}."
    ruling = _make(writing, line, stage, summary, data={"seed": line.seed, "for": old.pk}, entry=new)
    sides = Side.objects.filter(match__stage=stage, entry=seat.entry_id).values_list("pk", flat=True)
    why = f"for {old}"
    _keep_rows(
        ruling,
        [
            ["seat", seat.pk, stage.pk, {"entry_id": old.pk, "why": ""}, {"entry_id": new.pk, "why": why}],
            *(["side", pk, stage.pk, {"entry_id": old.pk}, {"entry_id": new.pk}] for pk in sides),
        ],
    )


def _write_on_match(writing: Writing, line: RulingLine, stage: Stage) -> None:
    entry = writing.entries[line.numbers[0]]
    live = stage.matches.exclude(state=Match.State.VOID).select_related("machine", "stage")
    match = live.filter(round=line.round, sides__entry=entry).first()
    if match is None:
        raise Refusal(f"{entry} has no match in round {line.round} of {stage.label.lower()} here.")
    about: dict[str, Any] = {"match": match}
    if line.machine:
        about["machine"] = writing.known.plan.machines.get(line.machine)
    if line.kind == Kind.REPLAYED:
        data = _agreement(writing, line)
        told = f"{match}: played again. {data.get('agreement', '')}".rstrip()
        ruling = _make(writing, line, stage, told, data=data, **about)
        ruling.changes = {**ruling.changes, UNKNOWN: True}
        ruling.save(update_fields=["changes"])
        return
    about["entry"] = entry

    def out_of_match(ruling: Ruling, log: Log) -> None:
        Side.objects.filter(match=match, entry=entry).update(absent=True)
        spent = Score.objects.filter(match=match, entry=entry, state__in=(*Score.COUNTED, Score.State.PLAYING))
        spent.update(state=Score.State.DISCARDED, revision=log.revision)
        follow(match, log)

    carry_out = out_of_match if line.kind == Kind.OUT_OF_MATCH else None
    _make(writing, line, stage, f"{match}: {entry}.", carry_out=carry_out, **about)


def _agreement(writing: Writing, line: RulingLine) -> dict[str, Any]:
    """Who agreed to play again after the slam tilt of the one who is not among them."""
    agreed = [writing.entries[number] for number in line.agreed]
    tilted = [writing.entries[number] for number in line.numbers if number not in line.agreed]
    if not agreed or len(tilted) != 1:
        return {}
    return {"agreed": [entry.pk for entry in agreed], "agreement": game_rulings.agreement(tilted[0], agreed)}


def withdraw_machine(writing: Writing, state: MachineStateLine, used: StageMachine) -> bool:
    """Withdraw a machine by the ruling that the folder has on it; False when it has none."""
    line = next(
        (
            line
            for line in rulings_of(writing, state.stage)
            if line.kind == Kind.MACHINE and line.machine == state.machine
        ),
        None,
    )
    if line is None:
        return False
    substitute = writing.known.plan.machines.get(state.substitute)
    stage = used.stage

    def carry_out(ruling: Ruling, log: Log) -> None:
        used.state, used.substitute, used.factor = StageMachine.State(state.state), substitute, state.factor
        used.save(update_fields=["state", "substitute", "factor"])
        refuse_too_many_games(stage, stage.tournament.kind.qualifying(stage.tournament.rules_in_force))

    with writing.at_line(RULINGS.file, line.line, "rulings"):
        _make(
            writing,
            line,
            stage,
            f"{used.machine} is withdrawn from {stage.label.lower()}.",
            data={
                "way": state.state,
                "substitute": substitute.code if substitute else "",
                "factor": "" if state.factor is None else shown_factor(state.factor),
            },
            carry_out=carry_out,
            machine=used.machine,
        )
    return True


def write_standings(writing: Writing, numbers: set[int]) -> None:
    """Who of these numbers was disqualified or did not come, by the rulings of the folder."""
    for line in rulings_of(writing, ""):
        own = [number for number in line.numbers if number in numbers and number in writing.entries]
        if not own or line.kind not in (Kind.DISQUALIFIED, Kind.NO_SHOWS):
            continue
        with writing.at_line(RULINGS.file, line.line, "rulings"):
            if line.kind == Kind.DISQUALIFIED:
                _disqualify(writing, line)
            else:
                _withdraw_no_shows(writing, line)


def _disqualify(writing: Writing, line: RulingLine) -> None:
    entry = Entry.objects.select_related("player", "tournament").get(pk=writing.entries[line.numbers[0]].pk)
    if entry.status == Entry.Status.DISQUALIFIED:
        raise Refusal(f"{entry} is disqualified here by another ruling.")
    if line.was:
        _bring_to(writing, entry, line.was[0])

    def carry_out(ruling: Ruling, log: Log) -> None:
        Entry.objects.filter(pk=entry.pk).update(status=Entry.Status.DISQUALIFIED)
        follow_entry(entry, log)

    _make(writing, line, None, f"{entry} was disqualified.", carry_out=carry_out, entry=entry)


def _withdraw_no_shows(writing: Writing, line: RulingLine) -> None:
    """Those who have come after all, which their own lines tell, stay."""
    gone = (Entry.Status.WITHDRAWN, Entry.Status.DISQUALIFIED)
    status = {entry.number: entry.status for entry in writing.folder.entries}
    away = [writing.entries[n] for n in line.numbers if n in writing.entries and status.get(n) in gone]
    for number, was in zip(line.numbers, line.was, strict=False):
        if number in writing.entries:
            _bring_to(writing, writing.entries[number], was)  # a status that is not said is left alone

    def carry_out(ruling: Ruling, log: Log) -> None:
        here = Entry.objects.filter(pk__in=[entry.pk for entry in away])
        here.filter(status__in=(Entry.Status.ENTERED, Entry.Status.CHECKED_IN)).update(status=Entry.Status.WITHDRAWN)

    who = ", ".join(map(str, away))
    told = [writing.entries[number].pk for number in line.numbers if number in writing.entries]
    _make(writing, line, None, f"Did not come: {who}.", data={"entries": told}, carry_out=carry_out)


def _bring_to(writing: Writing, entry: Entry, status: str) -> None:
    """The status before a ruling, as far as an entry has not got there yet."""
    now = Entry.objects.select_related("player", "tournament").get(pk=entry.pk)
    if status == Entry.Status.CHECKED_IN and now.status == Entry.Status.ENTERED:
        entries.check_in(now, actor=writing.actor, elsewhere=True)
    elif status == Entry.Status.WITHDRAWN and now.status in (Entry.Status.ENTERED, Entry.Status.CHECKED_IN):
        entries.withdraw(now, actor=writing.actor, reason=REASON)


def _make(
    writing: Writing,
    line: RulingLine,
    stage: Stage | None,
    told: str,
    *,
    data: dict[str, Any] | None = None,
    carry_out: CarryOut | None = None,
    then: Callable[[Log], None] | None = None,
    before: dict[str, Any] | None = None,
    **about: Any,
) -> Ruling:
    """The ruling, carried out and recorded with what it changed, as one change of the journal."""
    with change(writing.tournament, actor=writing.actor, action="import ruling") as log:
        if line.kind != Kind.WARNING:
            refuse_once_declared(writing.tournament)
        if carry_out and stage and Stage.objects.get(pk=stage.pk).state == Stage.State.CLOSED:
            raise Refusal(f"{stage.label} is closed here; an organiser rules on it at the desk.")
        ruling = Ruling(
            tournament=writing.tournament,
            stage=stage,
            kind=line.kind,
            data={**(data or {}), "decided_by": line.decided_by},
            reason=line.reason,
            decided_at=writing.known.aware(line.decided_at) or log.now,
            **about,
        )
        if carry_out:
            with recorded(writing.tournament, ruling, log):
                ruling.save()
                carry_out(ruling, log)
        else:
            ruling.save()
        by = f", decided by {line.decided_by}" if line.decided_by else ""
        log.write(
            f"{ruling.get_kind_display().capitalize()}, imported{by}: {told}",
            before=before,
            after=snapshot(ruling.score) if ruling.score else ruling.data,
            reason=line.reason,
            score=ruling.score,
            entry=ruling.entry,
            machine=ruling.machine,
            ruling=ruling,
        )
        if then:
            then(log)
    return ruling


def _keep_rows(ruling: Ruling, rows: list[list[Any]]) -> None:
    """What taking it back puts back, where the ruling was carried out before it was written."""
    ruling.changes = {**ruling.changes, "rows": rows}
    ruling.save(update_fields=["changes"])
