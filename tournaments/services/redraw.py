"""The rest of a running stage is drawn again, and that is taken back: written in one change each.

`redrawing` says what would change. Our choice: matches that are replaced stay in the database as void, so that a
re-draw can be taken back as long as nothing it changed has begun.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from tournaments.domain.refusals import VOID_SCORE, Refusal, Stale, Step
from tournaments.models import Journal, Match, Score, Side, Stage, StageMachine
from tournaments.services.change import Actor, Log, change
from tournaments.services.progress import follow, open_next_round, refuse_once_declared
from tournaments.services.redrawing import (
    NOT_BEGUN,
    Out,
    Redraw,
    begun_in,
    compared,
    live_matches,
    plan,
    refuse_unless_open,
    snapshot,
)
from tournaments.services.shows import need_reason

REDRAW, TAKE_BACK, DEALT_ANEW = "redraw matches", "take redraw back", "take back matches"


def publish(
    stage: Stage,
    *,
    actor: Actor,
    out: Out,
    reason: str,
    seed: int = 0,
    expected: int | None = None,
    seen: str = "",
) -> Redraw:
    """Replace the matches that a re-draw replaces, close the machines that are out and use the substitutes.

    `expected` is the revision of the preview and `seen` its mark. A score elsewhere in the hall makes no preview out
    of date: with the right mark another revision is taken, otherwise it raises `Stale`.
    """
    # Before the change, because a draw may take seconds and every other writer would wait for it.
    planned = plan(stage, out, seed=seed)
    expected = None if seen == planned.mark else expected
    with change(stage.tournament, actor=actor, action=REDRAW, expected=expected) as log:
        need_reason(reason)
        stored = _stored(stage)
        refuse_once_declared(stored.tournament)
        now = snapshot(stored, out)
        if now.running != planned.running:
            raise Stale("Somebody changed the matches while they were drawn again. Nothing was changed; look again.")
        drawn = compared(now, planned.redealt)
        if not drawn.changes:
            raise Refusal("Nothing is to be drawn again: every match that is left stays as announced.")
        closed, added = _change_machines(stored, out, drawn)
        new = _replace(stored, drawn, log)
        log.write(
            _summary(stored, drawn),
            before={"matches": [_as_listed(match) for match in drawn.taken_out]},
            after={
                "stage": stored.key,
                "seed": seed,
                "matches": [_as_listed(match) for match in new],
                "put_in": [match.pk for match in new],
                "taken_out": [match.pk for match in drawn.taken_out],
                "emptied": [[match.pk, sorted(entries)] for match, entries in drawn.emptied],
                "closed": closed,
                "added": added,
                "gave_way": drawn.redealt.gave_way,
            },
            reason=reason,
        )
        _follow([*(match.pk for match in new), *(match.pk for match, _ in drawn.emptied)], stored, log)
    return drawn


def break_off(match: Match, *, actor: Actor, reason: str) -> None:
    """A match that began and cannot be finished, as on a machine that died, has not begun after all.

    Refused while it has a score. Source: house rules, "Machine breaks down": only completed results stand.
    """
    with change(match.stage.tournament, actor=actor, action="break match off") as log:
        stored = Match.objects.select_related("machine", "stage__tournament__show").get(pk=match.pk)
        if stored.state in NOT_BEGUN:
            return
        need_reason(reason)
        refuse_unless_open(stored.stage)
        score = stored.scores.exclude(state=Score.State.VOID).order_by("entry__number").first()
        if stored.state not in (Match.State.WARM_UP, Match.State.PLAYING) or score:
            raise Refusal(
                f"Game {stored.round} on {stored.machine} has a score or is over; void the score first.",
                step=Step(VOID_SCORE, score.pk) if score else None,
            )
        before, stored.state = stored.state, Match.State.PLANNED
        stored.called_at = stored.warm_up_at = stored.swapped_at = stored.started_at = None
        stored.revision = log.revision
        stored.save()
        log.write(
            f"Game {stored.round} on {stored.machine} broke off.",
            before={"state": before},
            after={"state": str(stored.state)},
            reason=reason,
            machine=stored.machine,
        )


def past(stage: Stage) -> list[Journal]:
    """The re-draws of a stage that are in force, the latest first. Only the first of them can be taken back."""
    lines = Journal.objects.filter(tournament=stage.tournament_id).select_related("actor")
    undone = lines.filter(action=TAKE_BACK, after__stage=stage.key).values_list("after__redraw", flat=True)
    anew = lines.filter(action=DEALT_ANEW).order_by("-revision").values_list("revision", flat=True).first() or 0
    found = lines.filter(action=REDRAW, after__stage=stage.key, revision__gt=anew)
    return list(found.exclude(revision__in=list(undone)).order_by("-revision"))


def take_back(stage: Stage, *, actor: Actor, revision: int, reason: str) -> None:
    """Take the re-draw that made this revision back: the matches before it are in force again, to be called.

    Refused when another re-draw followed, or a match that it changed has begun; `Stale` when somebody else has taken
    it back. The re-draw is what the person saw: a score elsewhere in the hall does not matter to it.
    """
    with change(stage.tournament, actor=actor, action=TAKE_BACK) as log:
        stored = _stored(stage)
        lines = past(stored)
        if revision not in [line.revision for line in lines]:
            raise _gone(stored, revision)
        need_reason(reason)
        refuse_once_declared(stored.tournament)
        refuse_unless_open(stored)
        if lines[0].revision != revision:
            raise Refusal("The matches were drawn again since; take the later re-draw back first.")
        done: dict[str, Any] = lines[0].after or {}
        _refuse_begun(stored, [*done["put_in"], *(match for match, _ in done["emptied"])])
        restored = _restore(stored, done, log)
        at = lines[0].at.astimezone(stored.tournament.show.zone)
        log.write(
            f"{stored.label}: the re-draw of {at:%H:%M} is taken back.",
            before={"put_in": done["put_in"]},
            after={"stage": stored.key, "redraw": revision, "taken_out": done["taken_out"]},
            reason=reason,
        )
        _follow(restored, stored, log)


def _gone(stage: Stage, revision: int) -> Stale:
    """Why a re-draw is not in force any more, with who took it back."""
    lines = Journal.objects.filter(tournament=stage.tournament_id, action=TAKE_BACK, after__redraw=revision)
    line = lines.select_related("actor").order_by("-revision").first()
    if line is None:
        return Stale("The matches were published anew since; that re-draw is no more. Nothing was changed.")
    at = line.at.astimezone(stage.tournament.show.zone)
    who = f" by {line.actor.get_username()}" if line.actor else ""
    return Stale(f"That re-draw was taken back at {at:%H:%M}{who} already. Nothing was changed; look again.")


def _replace(stage: Stage, planned: Redraw, log: Log) -> list[Match]:
    """Write a re-draw; the new matches."""
    _void([match.pk for match in planned.taken_out], log)
    for match, entries in planned.emptied:
        match.sides.filter(entry__in=entries).update(absent=True)
    made = []
    for new in planned.put_in:
        match = Match.objects.create(
            stage=stage, round=new.round, order=new.order, machine_id=new.machine, revision=log.revision
        )
        Side.objects.bulk_create(
            Side(match=match, entry_id=entry, rank=rank, absent=entry in new.absent)
            for rank, entry in enumerate(new.entries, start=1)
        )
        made.append(match)
    return made


def _restore(stage: Stage, done: Mapping[str, Any], log: Log) -> list[int]:
    """Put back what a re-draw replaced: matches, seats, and machines that nobody has changed since; the matches."""
    _void(done["put_in"], log)
    for match, entries in done["emptied"]:
        Side.objects.filter(match=match, entry__in=entries).update(absent=False)
    restored = [*done["taken_out"], *(match for match, _ in done["emptied"])]
    again = stage.matches.filter(pk__in=restored)
    # Whoever was called to a match that was taken out has been sent away since.
    again.filter(state__in=(Match.State.VOID, Match.State.DONE)).update(
        state=Match.State.PLANNED, called_at=None, done_at=None, revision=log.revision
    )
    closed = stage.stage_machines.filter(machine__in=done["closed"], state=StageMachine.State.LET_STAND)
    closed.update(state=StageMachine.State.OPEN)
    stage.stage_machines.filter(machine__in=done["added"]).delete()
    return restored


def _void(matches: Sequence[int], log: Log) -> None:
    Match.objects.filter(pk__in=matches).update(state=Match.State.VOID, revision=log.revision)


def _change_machines(stage: Stage, out: Out, drawn: Redraw) -> tuple[list[int], list[int]]:
    """Close machines, their scores stand, and use the substitutes; those that were open, and those that are new."""
    used = stage.stage_machines.filter(machine__in=list(out), state=StageMachine.State.OPEN)
    closed = sorted(used.values_list("machine_id", flat=True))
    used.update(state=StageMachine.State.LET_STAND)
    added = []
    for machine in sorted(drawn.running.instead.values()):
        _, new = StageMachine.objects.get_or_create(stage=stage, machine_id=machine)
        added += [machine] if new else []
    return closed, added


def _follow(matches: Sequence[int], stage: Stage, log: Log) -> None:
    """Matches in which nobody is left to play are done, and the next game may open."""
    for match in Match.objects.select_related("stage__tournament").filter(pk__in=matches).order_by("round", "order"):
        follow(match, log)
    open_next_round(stage, log)


def _refuse_begun(stage: Stage, changed: Sequence[int]) -> None:
    rows = [match for match in live_matches(stage) if match.pk in changed]
    # A match without anybody left to play was done at once: that is no beginning.
    begun = begun_in(stage, [match for match in rows if match.state != Match.State.DONE or _scored(match)])
    for match in rows:
        if match.pk in begun:
            raise Refusal(
                f"Game {match.round} on {match.machine} has begun since: this re-draw is not taken back any more."
                " Draw what is left again instead."
            )


def _scored(match: Match) -> bool:
    return match.scores.exclude(state=Score.State.VOID).exists()


def _as_listed(match: Match) -> list[int]:
    return [match.round, match.machine_id, *match.sides.order_by("rank").values_list("entry_id", flat=True)]


def _summary(stage: Stage, planned: Redraw) -> str:
    count = len(planned.put_in)
    words = f"{stage.label}: {count} match{'' if count == 1 else 'es'} drawn again."
    if planned.emptied:
        words += f" Empty seats in {len(planned.emptied)} more."
    return words


def _stored(stage: Stage) -> Stage:
    return Stage.objects.select_related("tournament__show").get(pk=stage.pk)
