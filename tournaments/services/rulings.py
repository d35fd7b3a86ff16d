"""What people decide: play-off results and rulings on an order."""

from collections.abc import Mapping, Sequence
from typing import Any

from tournaments import selectors
from tournaments.domain.facts import Phase
from tournaments.domain.refusals import Refusal
from tournaments.domain.scores import grouped
from tournaments.models import Entry, Ruling, Stage
from tournaments.services.change import Actor, Log, change
from tournaments.services.shows import need_reason
from tournaments.services.stages import next_stage


def record_play_off(
    stage: Stage, *, actor: Actor, scores: Mapping[int, int], note: str = "", expected: int | None = None
) -> Ruling:
    """A play-off game of those level at the cut: `scores` by entry id, one of each.

    Whoever is level in it for the last places plays another one, which is recorded the same way.
    Source: house rules, "a tie across the cut must be resolved by a play-off game of n players for m places".
    """
    with change(stage.tournament, actor=actor, action="record play-off", expected=expected) as log:
        level = _level(stage, log, tuple(scores))
        if not stage.tournament.kind.play_off_at_cut(stage.tournament.rules_in_force):
            raise Refusal(f"By the rules of {stage.tournament.name} the organisers' ruling settles a tie at the cut.")
        _check_everybody(level, tuple(scores))
        # The number only makes the line steady; equal scores stay level, see `selectors.decision`.
        order = sorted(scores, key=lambda entry: (-scores[entry], level[entry].number))
        data = {"order": order, "scores": {str(entry): scores[entry] for entry in order}}
        told = ", ".join(f"{level[entry]} {grouped(scores[entry])}" for entry in order)
        return _decide(stage, log, actor, Ruling.Kind.PLAY_OFF, data, note, f"Play-off for the cut: {told}.")


def rule_order(
    stage: Stage, *, actor: Actor, order: Sequence[int], reason: str, expected: int | None = None
) -> Ruling:
    """The organisers' ruling on the order of those level at the cut, best first, by entry id."""
    with change(stage.tournament, actor=actor, action="rule order", expected=expected) as log:
        level = _level(stage, log, tuple(order))
        need_reason(reason)
        _check_everybody(level, tuple(order))
        told = ", ".join(str(level[entry]) for entry in order)
        return _decide(
            stage, log, actor, Ruling.Kind.ORDER, {"order": list(order)}, reason, f"Ruling at the cut: {told}."
        )


def undo_ruling(ruling: Ruling, *, actor: Actor, reason: str, expected: int | None = None) -> None:
    """Take a ruling back; what it settled is open again."""
    with change(ruling.tournament, actor=actor, action="undo ruling", expected=expected) as log:
        stored = Ruling.objects.select_related("stage__tournament").get(pk=ruling.pk)
        if stored.undone_at:
            return
        need_reason(reason)
        if stored.kind == Ruling.Kind.LOTS:
            raise Refusal("Lots are drawn once; decide another order by a ruling.")
        following = next_stage(stored.stage)
        if following and following.seats.exists():
            raise Refusal("The cut is declared; take it back first.")
        stored.undone_at, stored.undone_by = log.now, actor
        stored.save(update_fields=["undone_at", "undone_by"])
        log.write(f"{stored} was taken back.", before=stored.data, reason=reason)


def _level(stage: Stage, log: Log, named: tuple[int, ...]) -> dict[int, Entry]:
    """The entries still level at the cut of a closed stage, or all of the tie, decided or not, if these are named."""
    stored = Stage.objects.select_related("tournament__show").get(pk=stage.pk)
    if stored.phase(log.now) != Phase.CLOSED:
        raise Refusal(
            f"{stored.label} is still {stored.phase(log.now)}; ties at the cut are settled once it is closed."
        )
    following = next_stage(stored)
    if following and following.seats.exists():
        raise Refusal("The cut is declared; take it back first.")
    level = selectors.stage_facts(stored, now=log.now).cut.level
    if not level or set(level) != set(named):
        whole_tie = selectors.stage_facts(stored, now=log.now, decisions=False).cut.level
        level = whole_tie if not level or set(whole_tie) == set(named) else level
    if not level:
        raise Refusal(f"Nobody is level at the cut of {stored.label.lower()}.")
    return Entry.objects.select_related("player").in_bulk(list(level))


def _check_everybody(level: Mapping[int, Entry], named: tuple[int, ...]) -> None:
    if len(named) != len(set(named)) or set(named) != set(level):
        everybody = ", ".join(str(entry) for entry in sorted(level.values(), key=lambda entry: entry.number))
        raise Refusal(f"Name each of {everybody} once.")


def _decide(
    stage: Stage, log: Log, actor: Actor, kind: Ruling.Kind, data: dict[str, Any], reason: str, summary: str
) -> Ruling:
    log.write(summary, after=data, reason=reason)
    return Ruling.objects.create(
        tournament=stage.tournament,
        stage=stage,
        kind=kind,
        data=data,
        reason=reason,
        decided_by=actor,
        decided_at=log.now,
    )
