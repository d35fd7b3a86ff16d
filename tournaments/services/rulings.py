"""What people decide about an order, by a play-off or a ruling; and the undo of every ruling there is."""

from collections.abc import Mapping, Sequence
from typing import Any

from tournaments import selectors
from tournaments.domain.facts import Phase
from tournaments.domain.refusals import WITHDRAW_CUT, Refusal, Stale, Step
from tournaments.domain.scores import grouped
from tournaments.models import Entry, Ruling, Stage
from tournaments.services import ages
from tournaments.services import late as late_changes
from tournaments.services.change import Actor, Log, change, refuse_unkept
from tournaments.services.effects import as_shown
from tournaments.services.entries import refuse_broken_up
from tournaments.services.progress import fill, outcomes, refuse_once_declared
from tournaments.services.scores import snapshot, stored_score
from tournaments.services.shows import need_reason, refuse_own_game
from tournaments.services.stages import next_stage
from tournaments.services.undoing import new_ruling, take_back


def record_play_off(
    stage: Stage,
    *,
    actor: Actor,
    scores: Mapping[int, int],
    note: str = "",
    expected: int | None = None,
    shown: str = "",
) -> Ruling:
    """A play-off game of those level at the cut, or in a game: `scores` by entry id, one of each.

    Whoever is level in it for the last places plays another one, which is recorded the same way. `shown` is the digest
    of the effects that the person was shown.
    Source: house rules, "a tie across the cut must be resolved by a play-off game of n players for m places".
    """
    with change(stage.tournament, actor=actor, action="record play-off", expected=expected) as log:
        level = _level(stage, log, tuple(scores))
        kind, rules = stage.tournament.kind, stage.tournament.rules_in_force
        if stage.spec.ranked and not kind.play_off_at_cut(rules):
            raise Refusal(f"By the rules of {stage.tournament.name} the organisers' ruling settles a tie at the cut.")
        _check_everybody(level, tuple(scores))
        refuse_own_game(actor, tuple(scores))
        # The number only makes the line steady; equal scores stay level, see `selectors.decision`.
        order = sorted(scores, key=lambda entry: (-scores[entry], level[entry].number))
        data = {"order": order, "scores": {str(entry): scores[entry] for entry in order}}
        told = ", ".join(f"{level[entry]} {grouped(scores[entry])}" for entry in order)
        summary = f"Play-off in {stage.label.lower()}: {told}."
        with as_shown(stage.tournament, shown):
            return _decide(stage, log, actor, Ruling.Kind.PLAY_OFF, data, note, summary)


def rule_order(
    stage: Stage,
    *,
    actor: Actor,
    order: Sequence[int],
    reason: str,
    expected: int | None = None,
    shown: str = "",
) -> Ruling:
    """The organisers' ruling on the order of those level at the cut, or in a game, best first, by entry id.

    `shown` is the digest of the effects that the person was shown.
    """
    with change(stage.tournament, actor=actor, action="rule order", expected=expected) as log:
        level = _level(stage, log, tuple(order))
        need_reason(reason)
        _check_everybody(level, tuple(order))
        refuse_own_game(actor, tuple(order))
        told = ", ".join(str(level[entry]) for entry in order)
        summary = f"Ruling in {stage.label.lower()}: {told}."
        with as_shown(stage.tournament, shown):
            return _decide(stage, log, actor, Ruling.Kind.ORDER, {"order": list(order)}, reason, summary)


def undo_ruling(
    ruling: Ruling,
    *,
    actor: Actor,
    reason: str,
    expected: int | None = None,
    late: str | None = None,
    shown: str = "",
) -> None:
    """Take a ruling back; everything it changed is exactly as it was before, and what it settled is open again.

    Refused with the reason when something that it changed has been changed since, `Stale` when somebody else has taken
    it back. In a stage that is closed `late` is
    what an organiser decides about who goes on, see `late.refuse_unless`.
    """
    with change(ruling.tournament, actor=actor, action="undo ruling", expected=expected) as log:
        stored = Ruling.objects.select_related(
            "tournament__show", "stage__tournament__show", "score__machine", "entry__player", "machine", "undone_by"
        ).get(pk=ruling.pk)
        if stored.undone_at:
            at = stored.undone_at.astimezone(stored.tournament.show.zone)
            who = f" by {stored.undone_by.get_username()}" if stored.undone_by else ""
            raise Stale(
                f"“{stored.get_kind_display()}” was taken back at {at:%H:%M}{who} already. Nothing was changed."
            )
        need_reason(reason)
        if stored.kind == Ruling.Kind.LOTS:
            raise Refusal("Lots are drawn once; decide another order by a ruling.")
        if stored.kind == Ruling.Kind.MERGED:
            raise Refusal(f"The records are taken apart again on the page of {stored.entry}, in all tournaments.")
        refuse_own_game(actor, _players_of(stored))
        stage = stored.stage
        if stage is not None and stored.kind in Ruling.ORDERS:
            _refuse_once_declared(stage)
        elif stage is not None and stored.kind == Ruling.Kind.SEEDING:
            _refuse_once_drawn_up(stage)
        elif stage is not None and stored.changes["rows"] and stage.state != Stage.State.PLANNED:
            _refuse_once_begun(stored, stage)
            late_changes.refuse_unless(stage, log, late)
        else:
            refuse_once_declared(stored.tournament)
        if stored.kind == Ruling.Kind.DISQUALIFIED and stored.entry:
            ages.refuse_too_old(stored.entry.name, stored.entry.born_on, stored.tournament)
        if stored.kind == Ruling.Kind.NO_SHOWS:
            refuse_broken_up(selectors.entered(stored.tournament).filter(pk__in=stored.data["entries"]))
        going_on = late_changes.going_on_from(stage) if stage else None
        over, before = _too_many_games(stored), _as_it_is(stored)
        with as_shown(stored.tournament, shown):
            stored.undone_at, stored.undone_by = log.now, actor
            stored.save(update_fields=["undone_at", "undone_by"])
            take_back(stored, log)
            log.write(
                f"{_told(stored)} was taken back.",
                before=before,
                after=_as_it_is(stored) if stored.score or stored.kind == Ruling.Kind.DISQUALIFIED else None,
                reason=reason,
                score=stored.score,
                entry=stored.entry,
                machine=stored.machine,
                ruling=stored,
            )
            _refuse_games_played_again(_too_many_games(stored) - over)
            if stage is not None and going_on is not None:
                late_changes.settle(stage, log, late, going_on, actor=actor)


def _as_it_is(ruling: Ruling) -> dict[str, Any]:
    """What a ruling is about, as the journal keeps it before and after it is taken back."""
    if ruling.score:
        return snapshot(stored_score(ruling.score))
    if ruling.kind == Ruling.Kind.DISQUALIFIED and ruling.entry:
        return {"status": Entry.objects.get(pk=ruling.entry.pk).status}
    return dict(ruling.data)


def _too_many_games(ruling: Ruling) -> set[Entry]:
    """Who has more games than the rules allow in the stage that a machine was withdrawn from."""
    stage = ruling.stage
    if stage is None or ruling.kind != Ruling.Kind.MACHINE or stage.spec.matches:
        return set()
    return set(selectors.too_many_games(stage, ruling.tournament.kind.qualifying(ruling.tournament.rules_in_force)))


def _refuse_games_played_again(over: set[Entry]) -> None:
    if over:
        who = ", ".join(str(entry) for entry in sorted(over, key=lambda entry: entry.number))
        raise Refusal(
            f"A game that was given back has been played again, and would be one too many: {who}. Make one of those"
            " games void first, or leave the machine withdrawn."
        )


def _refuse_once_begun(ruling: Ruling, stage: Stage) -> None:
    if ruling.kind == Ruling.Kind.REPLACED:
        raise Refusal(f"The {stage.label.lower()} has begun: who has a seat keeps it.")


def _refuse_once_drawn_up(stage: Stage) -> None:
    if stage.seats.exists():
        raise Refusal("The groups are drawn up by this order; take them back first.")


def _told(ruling: Ruling) -> str:
    about = ruling.entry or ruling.machine
    words = f"{ruling}, {about}," if about else str(ruling)
    return words[0].upper() + words[1:]


def _players_of(ruling: Ruling) -> list[int]:
    if ruling.match:
        return [side.entry_id for side in ruling.match.sides.all()]
    if ruling.kind in (*Ruling.ORDERS, Ruling.Kind.SEEDING):
        return list(ruling.data["order"])
    return [ruling.entry_id] if ruling.entry_id else []


def _refuse_once_declared(stage: Stage) -> None:
    refuse_once_declared(stage.tournament)
    following = next_stage(stage) if stage.spec.ranked else None
    if following and following.seats.exists():
        raise Refusal("The cut is declared; take it back first.", step=Step(WITHDRAW_CUT, stage.pk))


def _level(stage: Stage, log: Log, named: tuple[int, ...]) -> dict[int, Entry]:
    """The entries level at the cut of a closed stage, or those of a tie in one of its games."""
    stored = Stage.objects.select_related("tournament__show").get(pk=stage.pk)
    if not stored.spec.ranked:
        return _level_in_a_game(stored, named)
    if stored.phase(log.now) != Phase.CLOSED:
        raise Refusal(
            f"{stored.label} is still {stored.phase(log.now)}; ties at the cut are settled once it is closed."
        )
    _refuse_once_declared(stored)
    level = selectors.stage_facts(stored, now=log.now).cut.level
    if not level or set(level) != set(named):
        whole_tie = selectors.stage_facts(stored, now=log.now, decisions=False).cut.level
        level = whole_tie if not level or set(whole_tie) == set(named) else level
    if not level:
        raise Refusal(f"Nobody is level at the cut of {stored.label.lower()}.")
    return Entry.objects.select_related("player").in_bulk(list(level))


def _level_in_a_game(stage: Stage, named: tuple[int, ...]) -> dict[int, Entry]:
    ties = [tie for contest in outcomes(stage) for tie in contest.outcome.play_offs]
    if not ties:
        raise Refusal(f"Nobody is level in the {stage.label.lower()}.")
    tie = next((tie for tie in ties if set(named) & set(tie.entries)), ties[0])
    return Entry.objects.select_related("player").in_bulk(list(tie.entries))


def _check_everybody(level: Mapping[int, Entry], named: tuple[int, ...]) -> None:
    if len(named) != len(set(named)) or set(named) != set(level):
        everybody = ", ".join(str(entry) for entry in sorted(level.values(), key=lambda entry: entry.number))
        raise Refusal(f"Name each of {everybody} once.")


def _decide(
    stage: Stage, log: Log, actor: Actor, kind: Ruling.Kind, data: dict[str, Any], reason: str, summary: str
) -> Ruling:
    refuse_unkept(reason)
    ruling = new_ruling(stage.tournament, actor=actor, log=log, kind=kind, reason=reason, stage=stage, data=data)
    ruling.save()
    log.write(summary, after=data, reason=reason, ruling=ruling)
    fill(stage, log)
    return ruling
