"""A stage opens, closes and reopens; the cut is declared and taken back."""

import random
from collections.abc import Sequence
from dataclasses import replace

from tournaments import formats, selectors
from tournaments.domain import advancement
from tournaments.domain.facts import Phase
from tournaments.domain.refusals import WITHDRAW_CUT, NeedsDecision, Refusal, Step
from tournaments.domain.standings import goes_on
from tournaments.formats import StageSpec
from tournaments.models import Entry, Match, Ruling, Score, Seat, Stage
from tournaments.selectors import StageRead
from tournaments.services.change import Actor, Log, change
from tournaments.services.progress import (
    fill,
    level_matches,
    next_has_begun,
    open_next_round,
    outcomes,
    places_before,
    refuse_once_declared,
)
from tournaments.services.shows import need_reason
from tournaments.services.undoing import new_ruling


def open_stage(stage: Stage, *, actor: Actor, expected: int | None = None, elsewhere: bool = False) -> None:
    """Let play begin. Groups that are played `elsewhere`, as those of a folder were, need no published matches."""
    with change(stage.tournament, actor=actor, action="open stage", expected=expected) as log:
        stored = _stored(stage)
        if stored.state == Stage.State.OPEN:
            return
        _refuse_left_out(stored)
        if stored.state == Stage.State.CLOSED:
            raise Refusal(f"{stored.label} is closed; an organiser can reopen it.")
        if not stored.spec.playable:
            raise Refusal(f"{stored.label} cannot be played with this version yet.")
        played_elsewhere = elsewhere and stored.spec.grouped and stored.seats.exists()
        dealt = stored.matches.exclude(state=Match.State.VOID).exists() or played_elsewhere
        if stored.spec.matches and not dealt:
            raise Refusal(f"The matches of the {stored.label.lower()} are not published yet.")
        if not stored.stage_machines.filter(state="open").exists():
            raise Refusal(f"{stored.label} has no machines yet; add them first.")
        if stored.closes_at and log.now >= stored.closes_at:
            at = stored.closes_at.astimezone(stored.tournament.show.zone)
            raise Refusal(f"{stored.label} was to close at {at:%H:%M on %d %B %Y}; set a later time first.")
        stored.state, stored.opened_at = Stage.State.OPEN, log.now
        stored.save(update_fields=["state", "opened_at"])
        log.write(f"{stored.label} is open.", before={"state": "planned"}, after={"state": "open"})
        open_next_round(stored, log)
    stage.state = Stage.State.OPEN


def close_stage(stage: Stage, *, actor: Actor, expected: int | None = None) -> None:
    """End play. Refused with the list while games are under way or results wait for a decision.

    Source: house rules, "the desk sees which games are still out, and closes when none is".
    """
    with change(stage.tournament, actor=actor, action="close stage", expected=expected) as log:
        stored = _stored(stage)
        if stored.state == Stage.State.CLOSED:
            return
        if stored.state == Stage.State.PLANNED:
            raise Refusal(f"{stored.label} is not open.")
        _refuse_while_outstanding(stored)
        stored.state, stored.closed_at = Stage.State.CLOSED, log.now
        stored.save(update_fields=["state", "closed_at"])
        log.write(f"{stored.label} is closed.", before={"state": "open"}, after={"state": "closed"})
    stage.state = Stage.State.CLOSED


def reopen_stage(stage: Stage, *, actor: Actor, reason: str, expected: int | None = None) -> None:
    """Take a closing back, to enter or correct scores.

    Refused while the cut is declared and could still be taken back. Once the matches of the next stage are published
    it changes nobody's seat. Source: house rules, "Organisers' decision is final".
    """
    with change(stage.tournament, actor=actor, action="reopen stage", expected=expected) as log:
        stored = _stored(stage)
        if stored.state == Stage.State.OPEN:
            return
        if stored.state == Stage.State.PLANNED:
            raise Refusal(f"{stored.label} is not open yet.")
        _refuse_left_out(stored)
        need_reason(reason)
        refuse_once_declared(stored.tournament)
        following = next_stage(stored)
        # Once the next stage is dealt the seats stay as they are, whatever a correction shows; before that the cut
        # is taken back and declared anew.
        if stored.spec.ranked and following and not _dealt(following):
            _refuse_once_cut(stored, following)
        stored.state, stored.closed_at = Stage.State.OPEN, None
        stored.save(update_fields=["state", "closed_at"])
        log.write(f"{stored.label} is open again.", before={"state": "closed"}, after={"state": "open"}, reason=reason)
    stage.state = Stage.State.OPEN


def declare_cut(
    stage: Stage, *, actor: Actor, expected: int | None = None, chance: random.Random | None = None
) -> tuple[Seat, ...]:
    """Freeze who goes on as seats of the next stage, in seed order.

    Refused while the stage is not closed; a tie across the cut raises `NeedsDecision` (settle "tie") naming all
    concerned. Entries inside the cut that stay level after count-back are ordered by lots, drawn once here and
    recorded; `chance` draws them where a rehearsal must come out the same. Source: house rules, "Top 24 go on".
    """
    with change(stage.tournament, actor=actor, action="declare cut", expected=expected) as log:
        stored = _stored(stage)
        following = next_stage(stored)
        if following is None or not stored.spec.ranked:
            raise Refusal(f"{stored.label} has no cut.")
        seats = tuple(following.seats.select_related("entry__player"))
        if seats:
            return seats
        if stored.phase(log.now) != Phase.CLOSED:
            _refuse_while_outstanding(stored)
            raise Refusal(f"{stored.label} is still {stored.phase(log.now)}; close it first.")
        read = selectors.stage_facts(stored, now=log.now)
        lots = _draw_lots(read, actor, log, chance or random.SystemRandom())
        seeds = advancement.seeding(read.facts, read.table, read.rules, read.qualifiers, lots)
        if not seeds:
            raise Refusal(f"Nobody is ranked in {stored.label.lower()}.")
        refuse_unplayable(stored, following, len(seeds))
        seats = tuple(Seat(stage=following, entry_id=seed.entry, seed=seed.seed, why=seed.why[:300]) for seed in seeds)
        Seat.objects.bulk_create(seats)
        on = goes_on(str(len(seats)), len(seats))
        log.write(
            f"The cut of {stored.label.lower()} is declared: {on} to the {following.label.lower()}.",
            after={"seats": [seed.entry for seed in seeds], "lots": list(lots)},
        )
    return seats


def refuse_unplayable(stage: Stage, following: Stage, players: int) -> None:
    """Raise `Refusal` unless the stage behind a cut can be played by so many: fewer may have come than go on."""
    spec = following.spec
    most = spec.seats or players
    if spec.playable_by(players) and players <= most:
        return
    fit = next((many for many in range(players, 0, -1) if spec.playable_by(many) and many <= most), 0)
    remedy = f" Change the rules to let {fit} go on." if fit else ""
    if spec.comes_from != stage.key and players > most:
        raise Refusal(
            f"{players} would go on, too many for the {spec.label.lower()}; play after all what was left out before."
        )
    too_many = formats.stages_too_many(stage.tournament.kind.stages, stage.spec, players)
    if too_many:
        remedy = f" An organiser can leave out {names_of(too_many)}."
    raise Refusal(f"Only {players} would go on. {spec.for_how_many}{remedy}")


def names_of(specs: Sequence[StageSpec]) -> str:
    """ "the second round and the semi-finals"."""
    names = [f"the {spec.label.lower()}" for spec in specs]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def leave_out(stage: Stage, *, actor: Actor, reason: str, expected: int | None = None) -> tuple[Stage, ...]:
    """An organiser's word that the stages behind a cut are not played, as too few go on for them; those stages.

    Only what `formats.stages_too_many` says; the cut is then declared for the next one. Refused before the stage is
    closed, while a tie across the cut is open, and once the cut is declared. `play_after_all` takes it back.
    """
    with change(stage.tournament, actor=actor, action="leave stages out", expected=expected) as log:
        stored = _stored(stage)
        need_reason(reason)
        refuse_once_declared(stored.tournament)
        if not stored.spec.ranked:
            raise Refusal(f"{stored.label} has no cut.")
        if stored.state != Stage.State.CLOSED:
            raise Refusal(f"{stored.label} is still {stored.phase(log.now)}; close it first.")
        following = next_stage(stored)
        _refuse_once_cut(stored, following)
        read = selectors.stage_facts(stored, now=log.now)
        if read.cut.level:
            raise Refusal(f"In {stored.label.lower()} a tie across the cut is still to be settled.")
        many = len(read.cut.inside)
        specs = formats.stages_too_many(stored.tournament.kind.stages, stored.spec, many)
        if not specs:
            raise Refusal(f"{goes_on(str(many), many)}: no stage is left out for so many.")
        found = Stage.objects.filter(tournament=stored.tournament, key__in=[spec.key for spec in specs])
        out = [each for each in found.select_related("tournament").order_by("position") if not each.left_out]
        for begun in out:
            if begun.state != Stage.State.PLANNED:
                raise Refusal(f"{begun.label} is {begun.get_state_display()}; it cannot be left out.")
        if not out:
            return tuple(left_out_behind(stored))
        Stage.objects.filter(pk__in=[each.pk for each in out]).update(state=Stage.State.CLOSED, closed_at=log.now)
        names = names_of([each.spec for each in out])
        log.write(
            f"Only {goes_on(str(many), many)} from {stored.label.lower()}; not played: {names}.",
            after={"left_out": [each.key for each in out]},
            reason=reason,
        )
    return tuple(left_out_behind(stage))


def play_after_all(stage: Stage, *, actor: Actor, reason: str, expected: int | None = None) -> None:
    """Take back that stages behind this one were left out, before its cut is declared."""
    with change(stage.tournament, actor=actor, action="play stages after all", expected=expected) as log:
        stored = _stored(stage)
        out = left_out_behind(stored)
        if not out:
            return
        need_reason(reason)
        following = next_stage(stored)
        _refuse_once_cut(stored, following)
        Stage.objects.filter(pk__in=[each.pk for each in out]).update(state=Stage.State.PLANNED, closed_at=None)
        names = names_of([each.spec for each in out])
        log.write(
            f"Played after all: {names}.",
            before={"left_out": [each.key for each in out]},
            reason=reason,
        )


def left_out_behind(stage: Stage) -> list[Stage]:
    """The stages behind this one that are not played, in their order."""
    found = Stage.objects.select_related("tournament__show").filter(tournament=stage.tournament_id)
    return [each for each in found.filter(position__gt=stage.position).order_by("position") if each.left_out]


def _refuse_once_cut(stage: Stage, following: Stage | None) -> None:
    if following and following.seats.exists():
        raise Refusal(
            f"The cut of {stage.label.lower()} is declared; take it back first.", step=Step(WITHDRAW_CUT, stage.pk)
        )


def _refuse_left_out(stage: Stage) -> None:
    if stage.left_out:
        raise Refusal(
            f"{stage.label} was left out, as too few went on. On the page of the cut it is played after all."
        )


def withdraw_cut(stage: Stage, *, actor: Actor, reason: str, expected: int | None = None) -> None:
    """Take a declared cut back, before the next stage has begun. Lots already drawn keep their order."""
    with change(stage.tournament, actor=actor, action="withdraw cut", expected=expected) as log:
        stored = _stored(stage)
        following = next_stage(stored)
        seats = list(following.seats.order_by("seed")) if following else []
        if following is None or not seats:
            return
        need_reason(reason)
        if following.state != Stage.State.PLANNED:
            raise Refusal(f"The {following.label.lower()} has begun.")
        if following.matches.exclude(state=Match.State.VOID).exists():
            raise Refusal(f"The matches of the {following.label.lower()} are published; take them back first.")
        before = {"seats": [seat.entry_id for seat in seats]}
        following.seats.all().delete()
        log.write(f"The cut of {stored.label.lower()} was taken back.", before=before, reason=reason)


def keep_seats(stage: Stage, *, actor: Actor, reason: str, expected: int | None = None) -> None:
    """Record that the seats behind a stage stay as they are, although a correction in it would give some to others.

    Source: house rules, "Organisers' decision is final".
    """
    with change(stage.tournament, actor=actor, action="keep seats", expected=expected) as log:
        stored = _stored(stage)
        need_reason(reason)
        keys = [each.key for each in selectors.stages_behind(stored)]
        seated = Seat.objects.filter(stage__tournament=stored.tournament, stage__key__in=keys)
        kept = list(seated.order_by("stage__position", "seed").values_list("stage__key", "entry_id"))
        if not kept:
            raise Refusal(f"Nobody has a seat behind {stored.label.lower()} yet.")
        log.write(
            f"After {stored.label.lower()} the seats stay as they are.",
            after={"seats": {key: [entry for of, entry in kept if of == key] for key in keys}},
            reason=reason,
        )


def withdraw_opening(stage: Stage, *, actor: Actor, reason: str, expected: int | None = None) -> None:
    """Take back that a stage of matches was opened, as long as it has no score; who has a seat is worked out anew."""
    with change(stage.tournament, actor=actor, action="withdraw opening", expected=expected) as log:
        stored = _stored(stage)
        if stored.state == Stage.State.PLANNED:
            return
        need_reason(reason)
        if not stored.spec.matches or stored.state != Stage.State.OPEN:
            raise Refusal(f"{stored.label} is {stored.phase(log.now)}.")
        if stored.scores.filter(state__in=(*Score.LIVE, Score.State.WAITING)).exists():
            raise Refusal(f"The {stored.label.lower()} has scores; void them first.")
        stored.state, stored.opened_at, stored.open_round = Stage.State.PLANNED, None, 1
        stored.save(update_fields=["state", "opened_at", "open_round"])
        begun = {"called_at": None, "warm_up_at": None, "swapped_at": None, "started_at": None, "done_at": None}
        matches = stored.matches.exclude(state=Match.State.VOID)
        matches.update(state=Match.State.PLANNED, revision=log.revision, **begun)
        log.write(f"{stored.label} has not begun after all.", before={"state": "open"}, reason=reason)
        source = Stage.objects.select_related("tournament").filter(
            tournament=stored.tournament, key=stored.spec.comes_from
        )
        for fed in source:
            fill(fed, log)
    stage.state = Stage.State.PLANNED


def next_stage(stage: Stage) -> Stage | None:
    """The stage whose seats come from this one, if there is one; what is left out is passed over."""
    return next(iter(selectors.stages_behind(stage)), None)


def _draw_lots(read: StageRead, actor: Actor, log: Log, chance: random.Random) -> tuple[int, ...]:
    """Draw and record lots for each tie that needs them, one ruling for each: nobody drew between two ties."""
    lots: tuple[int, ...] = ()
    for group in advancement.lots_wanted(read.facts, read.table, read.rules, read.qualifiers):
        drawn = chance.sample(group, len(group))
        kind, why = Ruling.Kind.LOTS, "Level on points and on count-back."
        about = {"stage": read.stage, "data": {"order": drawn}}
        new_ruling(read.stage.tournament, actor=actor, log=log, kind=kind, reason=why, **about).save()
        lots += tuple(drawn)
    return lots


def _dealt(stage: Stage) -> bool:
    return stage.matches.exclude(state=Match.State.VOID).exists()


def _stored(stage: Stage) -> Stage:
    return Stage.objects.select_related("tournament__show").get(pk=stage.pk)


def _refuse_while_outstanding(stage: Stage) -> None:
    unfinished = stage.scores.filter(state__in=(Score.State.PLAYING, Score.State.WAITING))
    out = unfinished.select_related("entry__player", "machine").order_by("entry__number", "machine__name")
    games = [
        f"{score.entry} on {score.machine.name}"
        + (" waits for a decision" if score.state == Score.State.WAITING else " is still playing")
        for score in out
    ]
    open_matches = stage.matches.exclude(state__in=(Match.State.DONE, Match.State.VOID)).select_related("machine")
    games += [f"game {match.round} on {match.machine.name}" for match in open_matches]
    if games:
        raise NeedsDecision(
            f"{len(games)} {'game is' if len(games) == 1 else 'games are'} outstanding: {'; '.join(games)}.",
            settle="outstanding",
            about=tuple(score.entry_id for score in out),
        )
    if stage.spec.matches and not stage.spec.ranked and not next_has_begun(stage):
        _refuse_while_to_be_replayed(stage)
        _refuse_while_level(stage)


def _refuse_while_to_be_replayed(stage: Stage) -> None:
    """Source: house rules, "a level match is replayed"."""
    for match in level_matches(stage):
        sides = sorted(match.sides.all(), key=lambda side: side.rank)
        names = " and ".join(str(side.entry) for side in sides)
        raise NeedsDecision(
            f"{names} are level on {match.machine.name}: the match is to be played again.",
            settle="outstanding",
            about=tuple(side.entry_id for side in sides),
        )


def _refuse_while_level(stage: Stage) -> None:
    for contest in outcomes(stage):
        for tie in contest.outcome.play_offs:
            shown = replace(tie, first=tie.first + places_before(stage))
            level = Entry.objects.select_related("player").filter(pk__in=tie.entries).order_by("number")
            names = " and ".join(str(entry) for entry in level)
            raise NeedsDecision(
                f"{names} are level {contest.where}: {shown.words(stage.tournament.kind.noun)}, or a ruling, decides.",
                settle="tie",
                about=tie.entries,
            )
