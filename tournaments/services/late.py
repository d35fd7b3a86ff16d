"""A change to a stage that has been closed: what it would do to the next one, and what an organiser decides about it.

House rules, "Organisers' decision is final"; that nothing moves by itself is our choice, after seats that moved behind
everybody's back when an old score was corrected.
"""

from dataclasses import dataclass

from django.db.models import Q

from tournaments import selectors
from tournaments.domain.facts import Phase
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.models import Entry, Match, Ruling, Score, Seat, Side, Stage, StageMachine
from tournaments.services.change import Actor, Log
from tournaments.services.effects import would_be
from tournaments.services.progress import clear_matches, fill, going_on, next_has_begun, refuse_once_declared

NOTHING, REPLACE, REOPEN = "nothing", "replace", "reopen"
DECISIONS = {
    NOTHING: "The seats stay as they are.",
    REPLACE: "Who would go on now takes the seats and games of who would not.",
    REOPEN: "Everything after this stage is taken back and decided anew.",
}
"""What an organiser can decide when a late change would send others on."""


@dataclass(frozen=True, slots=True)
class GoingOn:
    """Who has the seats behind a stage, and who would have them by its results now; by the id of the stage fed."""

    seated: dict[int, list[int]]
    would: dict[int, list[int]]


def going_on_from(stage: Stage) -> GoingOn:
    """Who goes on from a stage, by the seats that are given and by its results; empty while no seats are given."""
    seated: dict[int, list[int]] = {}
    would: dict[int, list[int]] = {}
    for target in _fed(stage):
        seats = list(target.seats.order_by("seed").values_list("entry_id", flat=True))
        if not seats:
            continue
        seated[target.pk] = seats
        if stage.spec.ranked:
            would[target.pk] = list(would_be(selectors.stage_facts(stage)))
        else:
            would[target.pk] = [
                entry for feed in stage.spec.feeds if feed.stage == target.key for entry in going_on(stage, feed)
            ]
    return GoingOn(seated, would)


def refuse_unless(stage: Stage, log: Log, late: str | None) -> None:
    """Raise `Refusal` unless results of the stage may change now: while it is open, or `late` by an organiser.

    `late` is None for who may not, "" for an organiser who has not decided yet, or one of `DECISIONS`.
    """
    refuse_once_declared(stage.tournament)
    phase = Stage.objects.get(pk=stage.pk).phase(log.now)
    if phase == Phase.PLANNED:
        raise Refusal(f"{stage.label} is not open yet.")
    if phase == Phase.CLOSED and late is None:
        raise Refusal(f"{stage.label} is closed; an organiser decides about late changes.")
    if late and late not in DECISIONS:
        raise Refusal("Say what happens to who goes on: nothing, replace or reopen.", field="late")


def settle(stage: Stage, log: Log, late: str | None, before: GoingOn, *, actor: Actor) -> None:
    """Do what the organiser decided, when a late change sends others on than before.

    Raises `NeedsDecision` (settle "late") that names them when nothing is decided yet. While games decide the seats
    and the next stage has not begun they follow by themselves, see `progress.fill`.
    """
    now = going_on_from(stage)
    changed = [
        pk for pk, wanted in now.would.items() if wanted != before.would.get(pk) and wanted != now.seated.get(pk)
    ]
    if not changed or (not stage.spec.ranked and not next_has_begun(stage)):
        return
    told = " ".join(_told(pk, now) for pk in changed)
    if not late:
        raise NeedsDecision(
            f"{told} Decide what happens: nothing, replace, or reopen.",
            settle="late",
            about=tuple(entry for pk in changed for entry in (*now.would[pk], *now.seated[pk])),
            field="late",
        )
    log.note(f"{told} {DECISIONS[late]}")
    if late == REPLACE:
        for pk in changed:
            _replace(Stage.objects.select_related("tournament").get(pk=pk), now)
    elif late == REOPEN:
        _reopen(stage, log, actor)


def _told(pk: int, now: GoingOn) -> str:
    """Who would come in and who would go out of a stage, or that only the seeds would change."""
    target = Stage.objects.select_related("tournament").get(pk=pk)
    label = target.label.lower()
    into = _names([entry for entry in now.would[pk] if entry not in now.seated[pk]])
    out = _names([entry for entry in now.seated[pk] if entry not in now.would[pk]])
    if into and out:
        return f"By the result now {into} would be in the {label} instead of {out}."
    if out:
        return f"By the result now it is open whether {out} would be in the {label}."
    return f"By the result now the seeds of the {label} would be others."


def _names(entries: list[int]) -> str:
    found = Entry.objects.select_related("player").filter(pk__in=entries).order_by("number")
    return " and ".join(str(entry) for entry in found)


def _replace(target: Stage, now: GoingOn) -> None:
    """Who comes in takes the seats of who goes out, best seed first, and their games that have not begun."""
    seated, would = now.seated[target.pk], now.would[target.pk]
    out = [entry for entry in seated if entry not in would]
    into = [entry for entry in would if entry not in seated]
    if not out or len(into) != len(out):
        raise Refusal("Nobody can simply be replaced here; decide nothing, or reopen.", field="late")
    begun = target.matches.exclude(state__in=(Match.State.PLANNED, Match.State.VOID)).filter(sides__entry__in=out)
    if target.state == Stage.State.CLOSED or begun.exists():
        raise Refusal(f"{_names(out)} has begun to play in the {target.label.lower()}.", field="late")
    for old, new in zip(out, into, strict=True):
        leaver = Entry.objects.select_related("player").get(pk=old)
        Seat.objects.filter(stage=target, entry=old).update(entry=new, why=f"for {leaver}")
        Side.objects.filter(match__stage=target, entry=old).update(entry=new)


def _reopen(stage: Stage, log: Log, actor: Actor) -> None:
    """Take back all that rests on a stage: scores become void, games and seats go, its own result is decided anew."""
    for target in reversed(_all_behind(stage)):
        live = target.scores.filter(state__in=(*Score.LIVE, Score.State.WAITING))
        live.update(state=Score.State.VOID, revision=log.revision)
        clear_matches(target)
        target.seats.all().delete()
        used = StageMachine.objects.filter(stage=target)
        used.exclude(machine__in=target.scores.values("machine")).delete()
        # What was decided about the games of the stage goes with them; its machines stay as they were left.
        decided = Ruling.objects.filter(stage=target, undone_at=None)
        kept = Q(kind=Ruling.Kind.LOTS) | Q(kind=Ruling.Kind.MACHINE, machine__in=used.values("machine"))
        decided.exclude(kept).update(undone_at=log.now, undone_by=actor)
        Stage.objects.filter(pk=target.pk).update(
            state=Stage.State.PLANNED, opened_at=None, closed_at=None, open_round=1
        )
    fill(stage, log)


def _fed(stage: Stage) -> list[Stage]:
    return selectors.stages_behind(stage)


def _all_behind(stage: Stage) -> list[Stage]:
    found: list[Stage] = []
    for target in _fed(stage):
        found += [target, *_all_behind(target)]
    return found
