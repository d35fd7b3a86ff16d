"""Rulings on a score, a match or a player, by the desk or an organiser: told beside the result, taken back whole.

House rules, "Warning, disqualification, score adjusted or discarded", "Fault that affects the score", "Slam tilt",
"Extra ball played by mistake". What was reached stays beside what counts.
"""

import random
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from tournaments import selectors
from tournaments.domain.facts import Phase
from tournaments.domain.refusals import UNDO_RULING, Refusal, Step
from tournaments.domain.rulings import NOTES, alters, eighty_percent
from tournaments.domain.scores import grouped
from tournaments.models import Entry, Machine, Match, Ruling, Score, Side, Stage, StageMachine
from tournaments.services import late as late_changes
from tournaments.services.change import Actor, Log, change
from tournaments.services.effects import decided
from tournaments.services.progress import follow, level_matches, refuse_once_declared
from tournaments.services.scores import in_range, named, players_of, refuse_if_stale, save, snapshot, stored_score
from tournaments.services.shows import need_reason, refuse_own_game
from tournaments.services.undoing import new_ruling

Kind = Ruling.Kind

ON_SCORES = (
    *NOTES,
    Kind.STOPPED,
    Kind.EXTRA_BALL_80,
    Kind.EXTRA_BALL_ZERO,
    Kind.ADJUSTED,
    Kind.ZERO,
    Kind.DISCARDED,
)
"""What can be ruled on a recorded score."""

LATE = (Kind.CORRECTED, Kind.VOIDED)
"""What else an organiser can do to the score of a stage that is closed."""


def rule_on_score(
    score: Score,
    *,
    actor: Actor,
    kind: str,
    reason: str,
    seen: int,
    value: int | None = None,
    late: str | None = None,
    shown: str = "",
    key: str = "",
) -> Ruling:
    """Rule on a recorded score.

    `seen` is the score's revision on the form and `value` the new score where the kind asks for one. `late` is what an
    organiser decides about who goes on when the stage is closed, see `late.refuse_unless`; `shown` the digest of the
    effects that the person was shown.
    """
    carried = {"score": score.pk, "kind": kind, "value": value, "late": late, "reason": reason}
    with change(score.stage.tournament, actor=actor, action="rule", key=key, carried=carried) as log:
        if log.first and log.first.ruling:
            return log.first.ruling
        stored, kind = stored_score(score), Kind(kind)
        refuse_if_stale(stored, seen)
        _check_score(stored, kind, log, late)
        need_reason(reason)
        refuse_own_game(actor, players_of(stored))
        about = {"score": stored, "match": stored.match, "entry": stored.entry, "machine": stored.machine}
        ruling = new_ruling(
            stored.stage.tournament, actor=actor, log=log, kind=kind, reason=reason, stage=stored.stage, **about
        )
        before, going_on = snapshot(stored), late_changes.going_on_from(stored.stage)
        was = stored.counts or 0
        with decided(stored.stage.tournament, ruling, log, shown):
            _rule(stored, kind, value)
            ruling.data = {"reached": was if kind == Kind.CORRECTED else stored.value, "counts": _counts(stored)}
            summary = f"{stored.entry} on {stored.machine}, {grouped(was)}: {ruling.get_kind_display()}."
            ruling.save()
            save(stored, log, summary, before=before, reason=reason, ruling=ruling)
            late_changes.settle(stored.stage, log, late, going_on, actor=actor)
    return ruling


def disqualify_from_match(match: Match, *, actor: Actor, entry: int, reason: str, shown: str = "") -> Ruling:
    """Out of this match alone: a score in it counts for nothing and the others play on."""
    with change(match.stage.tournament, actor=actor, action="rule") as log:
        stored, side = _in_play(match, entry, log)
        need_reason(reason)
        refuse_own_game(actor, [other.entry_id for other in stored.sides.all()])
        if Ruling.objects.filter(match=stored, entry=entry, kind=Kind.OUT_OF_MATCH, undone_at=None).exists():
            raise Refusal(f"{side.entry} is disqualified from this match already.")
        about = {"stage": stored.stage, "match": stored, "entry": side.entry, "machine": stored.machine}
        ruling = new_ruling(
            stored.stage.tournament, actor=actor, log=log, kind=Kind.OUT_OF_MATCH, reason=reason, **about
        )
        with decided(stored.stage.tournament, ruling, log, shown):
            Side.objects.filter(pk=side.pk).update(absent=True)
            Score.objects.filter(match=stored, entry=entry, state__in=(*Score.COUNTED, Score.State.PLAYING)).update(
                state=Score.State.DISCARDED, revision=log.revision
            )
            ruling.save()
            log.write(
                f"{stored}: {side.entry} is disqualified from the match.",
                before={"absent": side.absent},
                after={"absent": True},
                reason=reason,
                entry=side.entry,
                machine=stored.machine,
                ruling=ruling,
            )
            follow(stored, log)
    return ruling


def play_again(
    match: Match,
    *,
    actor: Actor,
    reason: str,
    machine: Machine | None = None,
    tilted: int | None = None,
    agreed: Collection[int] = (),
    shown: str = "",
) -> Ruling:
    """A fault stops a match: its scores are discarded and it is played again, there or on another machine.

    `tilted` is the entry that slam tilted on an over-sensitive switch; then all others who play the match must have
    `agreed`, which is kept with the ruling. Raises `Refusal` with who has not, and what is ruled instead.
    Source: house rules, "Fault that affects the score: … stop and replay / play another machine", "Slam tilt: …
    replay if the opponents agree; otherwise out of that match".
    """
    with change(match.stage.tournament, actor=actor, action="rule") as log:
        stored = _match(match)
        _check_open(stored, log)
        need_reason(reason)
        refuse_own_game(actor, [side.entry_id for side in stored.sides.all()])
        _refuse_without_opponents(stored)
        new = machine or stored.machine
        if new.pk != stored.machine_id:
            _check_machine(stored, new)
        data = {} if tilted is None else _agreement(stored, tilted, agreed)
        return _play_again(stored, new, actor, log, reason, shown, data=data)


def _refuse_without_opponents(match: Match) -> None:
    """Raise `Refusal` for a match of a group that a ruling has decided: nobody is left to play it against."""
    if not match.stage.spec.grouped or match.sides.count() < 2:
        return
    out = Ruling.objects.filter(match=match, kind=Kind.OUT_OF_MATCH, undone_at=None).select_related("entry__player")
    ruled = out.order_by("-pk").first()
    staying = match.sides.filter(absent=False).exclude(entry__in=out.values("entry"))
    if ruled and staying.count() < 2:
        raise Refusal(
            f"{ruled.entry} is out of this match on {match.machine}, which is won without playing; take that ruling"
            " back first.",
            step=Step(UNDO_RULING, ruled.pk),
        )


def _agreement(match: Match, tilted: int, agreed: Collection[int]) -> dict[str, Any]:
    """Who has agreed that a match is played again after a slam tilt, as a ruling keeps it."""
    sides = match.sides.select_related("entry__player").order_by("rank")
    by_id = {side.entry_id: side.entry for side in sides if not side.absent}
    if tilted not in by_id:
        raise Refusal(f"Say who of {match} slam tilted.", field="number")
    opponents = [entry for pk, entry in by_id.items() if pk != tilted]
    if not opponents:
        raise Refusal(f"{by_id[tilted]} plays {match} alone; nobody has to agree.", field="number")
    against = " and ".join(str(entry) for entry in opponents if entry.pk not in agreed)
    if against:
        have = "has" if len(opponents) == 1 else "have"
        raise Refusal(
            f"{against} {have} not agreed that the match on {match.machine.name} is played again. Without that"
            f" {by_id[tilted]} is out of this match: choose that ruling.",
            field="agreed",
        )
    return {"agreed": [entry.pk for entry in opponents], "agreement": agreement(by_id[tilted], opponents)}


def agreement(tilted: Entry, agreed: Collection[Entry]) -> str:
    """ "Slam tilt of 1 Ann Example on an over-sensitive switch; 2 Bo Sample agreed to play again." """
    who = " and ".join(str(entry) for entry in sorted(agreed, key=lambda entry: entry.number))
    return f"Slam tilt of {tilted} on an over-sensitive switch; {who} agreed to play again."


def move_to_substitute(
    match: Match,
    *,
    actor: Actor,
    instead_of: int,
    reason: str,
    machine: Machine | None = None,
    among: Sequence[Machine] = (),
    chance: random.Random | None = None,
    shown: str = "",
) -> Ruling:
    """The machine of a single game has died: it is closed in the stage and the game is played on a substitute.

    Where a stage draws its machine by lot another lot is drawn `among` these, once, and recorded; elsewhere `machine`
    is chosen. Source: house rules, "Machine breaks down": completed results stand, so a game that is over stays;
    scores of one that is not count for nothing, because those of two machines cannot be compared (our choice).
    `instead_of` is the machine that died, by id: sent twice it moves once. `chance` draws where a rehearsal must come
    out the same.
    """
    with change(match.stage.tournament, actor=actor, action="rule") as log:
        stored = _match(match)
        stage = stored.stage
        ruled = Ruling.objects.filter(match=stored, kind=Kind.REPLAYED, machine=instead_of, undone_at=None)
        before = ruled.filter(data__moved=True).order_by("-pk").first()
        if before and stored.machine_id != instead_of:
            return before
        _check_open(stored, log)
        need_reason(reason)
        refuse_own_game(actor, [side.entry_id for side in stored.sides.all()])
        if stored.machine_id != instead_of:
            raise Refusal(f"The game is on {stored.machine} by now; look again.")
        if stage.spec.redealt:
            raise Refusal(f"In the {stage.label.lower()} a machine gets a substitute by drawing the rest again.")
        if stored.state == Match.State.DONE:
            raise Refusal(f"The game on {stored.machine} is over: completed results stand.")
        for candidate in among or ([machine] if machine else []):
            if candidate.pk == stored.machine_id:
                raise Refusal(f"{candidate} cannot stand in for itself.", field="machine")
            _check_machine(stored, candidate)
        new = _substitute(stage, machine, among, chance)
        return _play_again(
            stored,
            new,
            actor,
            log,
            reason,
            shown,
            told="broke off",
            drawn_from=len(among) or None,
            closes=True,
            data={"moved": True},
        )


def _substitute(
    stage: Stage, machine: Machine | None, among: Sequence[Machine], chance: random.Random | None
) -> Machine:
    if stage.spec.by_lot:
        if machine or not among:
            raise Refusal("Choose the machines among which the lot is drawn.", field="machine")
        return (chance or random.SystemRandom()).choice(list(among))
    if machine is None or among:
        raise Refusal("Choose the machine that stands in.", field="machine")
    return machine


def play_level_again(match: Match, *, actor: Actor) -> Ruling:
    """A match of a group that ended level is played again on the same machine; sent twice it is once.

    Source: house rules, "a level match is replayed". The equal scores stay in the history.
    """
    with change(match.stage.tournament, actor=actor, action="rule") as log:
        stored = _match(match)
        before = Ruling.objects.filter(match=stored, kind=Kind.REPLAYED, undone_at=None).order_by("-pk").first()
        if before and not stored.scores.filter(state__in=Score.LIVE).exists():
            return before
        _check_open(stored, log)
        refuse_own_game(actor, [side.entry_id for side in stored.sides.all()])
        if stored not in level_matches(stored.stage):
            raise Refusal(f"{stored} is not level.")
        reached = stored.scores.filter(state__in=Score.COUNTED)[0].counts or 0
        return _play_again(stored, stored.machine, actor, log, f"Level at {grouped(reached)}.", told="level")


def _play_again(
    match: Match,
    new: Machine,
    actor: Actor,
    log: Log,
    reason: str,
    shown: str = "",
    *,
    told: str = "stopped",
    drawn_from: int | None = None,
    closes: bool = False,
    data: Mapping[str, Any] | None = None,
) -> Ruling:
    """Set a match back to be played on this machine; `closes` takes the other one out of the stage, scores stand."""
    about = {"stage": match.stage, "match": match, "machine": match.machine}
    data = dict(data or {})
    ruling = new_ruling(
        match.stage.tournament, actor=actor, log=log, kind=Kind.REPLAYED, reason=reason, data=data, **about
    )
    lot = f" {new} was drawn by lot from {drawn_from} machines." if drawn_from else ""
    agreed = data.get("agreement", "")
    with decided(match.stage.tournament, ruling, log, shown):
        if new.pk != match.machine_id:
            used, _ = StageMachine.objects.get_or_create(stage=match.stage, machine=new)
            if drawn_from:
                used.drawn_from = drawn_from
                used.save(update_fields=["drawn_from"])
        if closes:
            dead = StageMachine.objects.filter(stage=match.stage, machine=match.machine, state=StageMachine.State.OPEN)
            dead.update(state=StageMachine.State.LET_STAND)
        live = Score.objects.filter(match=match, state__in=(*Score.LIVE, Score.State.WAITING))
        live.update(state=Score.State.VOID, revision=log.revision)
        match.sides.update(agreed_at=None)
        was, match.machine, match.state = match.machine, new, Match.State.PLANNED
        match.called_at = match.warm_up_at = match.swapped_at = match.started_at = match.done_at = None
        match.save()
        ruling.save()
        words = f"{match.stage.label}, game {match.round}: {told} on {was.name}, played again on {new.name}."
        log.write(
            f"{words}{lot} {agreed}".rstrip(),
            before={"machine": was.code},
            after={
                "machine": new.code,
                "agreed": data.get("agreed", []),
                **({"drawn_from": drawn_from} if drawn_from else {}),
            },
            reason=reason,
            machine=new,
            ruling=ruling,
        )
        follow(match, log)
    return ruling


def warn(entry: Entry, *, actor: Actor, reason: str, match: Match | None = None, key: str = "") -> Ruling:
    """A warning, kept for the desk; it changes no result."""
    carried = {"entry": entry.pk, "match": match and match.pk, "reason": reason}
    with change(entry.tournament, actor=actor, action="rule", key=key, carried=carried) as log:
        if log.first and log.first.ruling:
            return log.first.ruling
        stored = Entry.objects.select_related("player", "tournament").get(pk=entry.pk)
        need_reason(reason)
        refuse_own_game(actor, [stored.pk])
        about = {"stage": match.stage if match else None, "match": match, "entry": stored}
        ruling = new_ruling(stored.tournament, actor=actor, log=log, kind=Kind.WARNING, reason=reason, **about)
        ruling.save()
        log.write(f"{stored} is warned.", after={"warning": True}, reason=reason, entry=stored, ruling=ruling)
    return ruling


def withdraw_no_shows(entries: Collection[Entry], *, actor: Actor, reason: str, shown: str = "") -> Ruling:
    """Everybody named who has not come is withdrawn in one act, with one undo; who has played is not a no-show."""
    named_entries = sorted(entries, key=lambda entry: entry.number)
    if not named_entries:
        raise Refusal("Choose who has not come.")
    tournament = named_entries[0].tournament
    with change(tournament, actor=actor, action="rule") as log:
        need_reason(reason)
        refuse_own_game(actor, [entry.pk for entry in named_entries])
        refuse_once_declared(tournament)
        stored = list(
            Entry.objects.select_related("player").filter(
                tournament=tournament, pk__in=[entry.pk for entry in named_entries]
            )
        )
        if len(stored) != len(named_entries):
            raise Refusal(f"Not all of them are entered in {tournament.name}.")
        for entry in stored:
            if entry.status not in (Entry.Status.ENTERED, Entry.Status.CHECKED_IN):
                raise Refusal(f"{entry} is {entry.get_status_display()} already.")
            if entry.scores.exclude(state=Score.State.VOID).exists() or entry.seats.exists():
                raise Refusal(f"{entry} has played; withdraw them on their own page.")
        ruling = new_ruling(tournament, actor=actor, log=log, kind=Kind.NO_SHOWS, reason=reason)
        with decided(tournament, ruling, log, shown):
            Entry.objects.filter(pk__in=[entry.pk for entry in stored]).update(status=Entry.Status.WITHDRAWN)
            numbers = sorted(entry.number for entry in stored)
            ruling.data = {"entries": [entry.pk for entry in stored]}
            ruling.save()
            who = ", ".join(str(entry) for entry in sorted(stored, key=lambda entry: entry.number))
            log.write(
                f"{len(stored)} did not come and are withdrawn: {who}.",
                before={"status": {str(entry.number): entry.status for entry in stored}},
                after={"status": str(Entry.Status.WITHDRAWN), "numbers": numbers},
                reason=reason,
                ruling=ruling,
            )
    return ruling


def _rule(score: Score, kind: Kind, value: int | None) -> None:
    """What the ruling makes of the score, which is not saved here."""
    reached = score.value or 0
    if kind == Kind.STOPPED or kind == Kind.VOIDED:
        score.state = Score.State.VOID
    elif kind == Kind.DISCARDED:
        score.state = Score.State.DISCARDED
    elif kind == Kind.EXTRA_BALL_80:
        score.ranked = eighty_percent(reached)
    elif kind in (Kind.EXTRA_BALL_ZERO, Kind.ZERO):
        score.ranked = 0
    elif kind == Kind.ADJUSTED:
        score.ranked = in_range(value)
    elif kind == Kind.CORRECTED:
        score.value = in_range(value)
    if kind in (Kind.ADJUSTED, Kind.CORRECTED) and value == reached:
        raise Refusal(f"{grouped(reached)} is the score already.", field="score")


def _counts(score: Score) -> int | None:
    return score.counts if score.state in Score.COUNTED else None


def _check_score(score: Score, kind: Kind, log: Log, late: str | None) -> None:
    late_changes.refuse_unless(score.stage, log, late)
    closed = score.stage.phase(log.now) == Phase.CLOSED
    if kind not in ON_SCORES and not (closed and kind in LATE):
        raise Refusal(f"“{kind.label}” is not ruled on a score here.")
    if score.state not in Score.COUNTED:
        raise Refusal(f"{named(score)} is {score.get_state_display()}; only a recorded score can be ruled on.")
    if kind in NOTES:
        return
    for ruling in selectors.rulings_on(score):
        if alters(ruling.kind):
            raise Refusal(f"{named(score)}: “{ruling.get_kind_display()}” is in force; take that back first.")
        if ruling.kind == Kind.PLAYED_ON and kind == Kind.STOPPED:
            raise Refusal(f"{named(score)}: the fault was played on, and there is no later claim.")


def _in_play(match: Match, entry: int, log: Log) -> tuple[Match, Side]:
    stored = _match(match)
    _check_open(stored, log)
    side = stored.sides.select_related("entry__player").filter(entry=entry).first()
    if side is None:
        raise Refusal(f"That {stored.stage.tournament.kind.noun} is not in {stored}.")
    return stored, side


def _match(match: Match) -> Match:
    return Match.objects.select_related("machine", "stage__tournament__show").get(pk=match.pk)


def _check_open(match: Match, log: Log) -> None:
    refuse_once_declared(match.stage.tournament)
    if match.state == Match.State.VOID:
        raise Refusal(f"{match} was taken out.")
    if match.stage.phase(log.now) not in (Phase.OPEN, Phase.CLOSING):
        raise Refusal(f"{match.stage.label} is {match.stage.phase(log.now)}.")


def _check_machine(match: Match, machine: Machine) -> None:
    stage = match.stage
    if machine.show_id != stage.tournament.show_id or not machine.in_order:
        raise Refusal(f"{machine} cannot be played now.", field="machine")
    used = StageMachine.objects.filter(stage=stage, machine=machine).first()
    if used and used.state != StageMachine.State.OPEN:
        raise Refusal(f"{machine}: {used.get_state_display()}.", field="machine")
    others = stage.matches.exclude(state=Match.State.VOID).exclude(pk=match.pk).filter(machine=machine)
    if others.filter(round=match.round).exists():
        raise Refusal(f"{machine} has another game of this round.", field="machine")
    twice = Side.objects.filter(match__in=others, entry__in=match.sides.values("entry"), match__stage=stage)
    again = twice.select_related("entry__player").first()
    if again and stage.spec.ranked:
        raise Refusal(f"{again.entry} plays {machine.name} in another game of the round.", field="machine")
