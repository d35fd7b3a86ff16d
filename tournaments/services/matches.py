"""Matches: dealt, called, warmed up, played, agreed; who stays away; games one after the other.

House rules, "Second round", "Warm-up each", "Games 1-4", "Semi-finals", "5th-8th, then final".
"""

import random
from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta

from tournaments import formats, selectors
from tournaments.domain.facts import Phase, Standing
from tournaments.domain.refusals import REOPEN, UNDO_RULING, VOID_SCORE, NeedsDecision, Refusal, Stale, Step
from tournaments.domain.scores import doubt, grouped
from tournaments.formats import PlannedMatch
from tournaments.models import Entry, Machine, Match, Ruling, Score, Side, Stage, StageMachine
from tournaments.services.change import Actor, Log, change
from tournaments.services.effects import decided
from tournaments.services.progress import (
    clear_matches,
    deal_matches,
    fill,
    follow,
    on_its_machine,
    refuse_once_declared,
    replays,
    seats_change_hands,
    with_its_players,
)
from tournaments.services.scores import Recorded, first_answer, in_range, save, the_same_again
from tournaments.services.shows import need_reason, refuse_own_game
from tournaments.services.undoing import new_ruling


def plan(stage: Stage, machines: Sequence[Machine], *, seed: int = 0) -> list[PlannedMatch]:
    """The matches that the format would deal to the seats of a stage; the same input gives the same matches."""
    seats = _seated(stage)
    if not seats:
        have = "have" if stage.spec.plural else "has"
        raise Refusal(f"The {stage.label.lower()} {have} no seats yet; the stage before it decides them.")
    if len({machine.pk for machine in machines}) != len(machines):
        raise Refusal("A machine is named twice.", field="machines")
    kind, rules, chosen = stage.tournament.kind, stage.tournament.rules_in_force, [machine.pk for machine in machines]
    if stage.spec.grouped:
        return formats.grouping(kind).deal_groups(_in_groups(stage), chosen, rules, seed)
    return kind.deal(stage.key, seats, chosen, rules, seed)


def deal(
    stage: Stage,
    *,
    actor: Actor,
    machines: Sequence[Machine],
    seed: int = 0,
    drawn_from: int | None = None,
    expected: int | None = None,
) -> None:
    """Publish the matches of a stage: the draw of a round, or the games of a final.

    `drawn_from` says out of how many machines the lot fell on this one, where a lot was drawn.
    """
    # Before the change, because a draw may take seconds and every other writer would wait for it.
    seated = _seated(stage)
    planned = plan(stage, machines, seed=seed)
    with change(stage.tournament, actor=actor, action="deal matches", expected=expected) as log:
        stored = _stored_stage(stage)
        if stored.state != Stage.State.PLANNED:
            raise Refusal(f"The {stored.label.lower()} has begun.")
        if stored.spec.by_lot and drawn_from is None:
            raise Refusal(f"The machine of the {stored.label.lower()} is drawn by lot, not chosen.", field="machines")
        if stored.matches.exclude(state=Match.State.VOID).exists():
            raise Refusal(f"The matches of the {stored.label.lower()} are published; take them back first.")
        # Read anew: a machine may have broken down while the matches were drawn.
        for machine in Machine.objects.filter(pk__in=[machine.pk for machine in machines]):
            if not machine.in_order:
                raise Refusal(f"{machine} is out of order.", field="machines")
            StageMachine.objects.update_or_create(stage=stored, machine=machine, defaults={"drawn_from": drawn_from})
        if _seated(stored) != seated:
            raise Stale("Somebody changed the seats while the matches were drawn. Nothing was published; look again.")
        deal_matches(stored, planned)
        lot = f" {machines[0]} was drawn by lot from {drawn_from} machines." if drawn_from else ""
        log.write(
            f"{stored.label}: {len(planned)} match{'' if len(planned) == 1 else 'es'} published.{lot}",
            after={
                "seed": seed,
                "machines": [machine.code for machine in machines],
                "matches": [[match.round, match.machine, *match.entries] for match in planned],
            },
        )


def deal_by_lot(
    stage: Stage,
    *,
    actor: Actor,
    machines: Sequence[Machine],
    chance: random.Random | None = None,
    expected: int | None = None,
) -> Machine:
    """Draw the machine of a stage by lot from these, once, and publish the matches on it; the machine.

    Matches taken back are published on the machine drawn before as long as it is in order. `chance` draws where a
    rehearsal must come out the same. Source: house rules, "Random pick is drawn once, recorded and shown".
    """
    if not stage.spec.by_lot:
        raise Refusal(f"The machine of the {stage.label.lower()} is chosen, not drawn by lot.")
    if not machines:
        raise Refusal("Choose the machines among which the lot is drawn.", field="machines")
    drawn = StageMachine.objects.select_related("machine").exclude(drawn_from=None)
    before = drawn.filter(stage=stage, machine__in_order=True).order_by("-pk").first()
    machine = before.machine if before else (chance or random.SystemRandom()).choice(list(machines))
    among = before.drawn_from if before else len(machines)
    deal(stage, actor=actor, machines=[machine], drawn_from=among, expected=expected)
    return machine


def take_back(stage: Stage, *, actor: Actor, reason: str, expected: int | None = None) -> None:
    """Take published matches back before the stage has begun."""
    with change(stage.tournament, actor=actor, action="take back matches", expected=expected) as log:
        stored = _stored_stage(stage)
        matches = stored.matches.exclude(state=Match.State.VOID)
        if not matches.exists():
            return
        need_reason(reason)
        if stored.state != Stage.State.PLANNED:
            raise Refusal(f"The {stored.label.lower()} has begun.")
        before = [[m.round, m.machine_id, *(s.entry_id for s in m.sides.all())] for m in matches]
        clear_matches(stored)
        # A lot that has been drawn is not drawn again.
        StageMachine.objects.filter(stage=stored, drawn_from=None).delete()
        log.write(f"{stored.label}: matches taken back.", before={"matches": before}, reason=reason)


def open_round(stage: Stage, *, actor: Actor, round_number: int, reason: str) -> None:
    """Open a game before the one ahead of it is complete, by an organiser's word."""
    with change(stage.tournament, actor=actor, action="open round") as log:
        stored = _stored_stage(stage)
        if stored.open_round >= round_number:
            return
        need_reason(reason)
        before, stored.open_round = stored.open_round, round_number
        stored.save(update_fields=["open_round"])
        log.write(
            f"{stored.label}: game {round_number} is open.",
            before={"open_round": before},
            after={"open_round": round_number},
            reason=reason,
        )


def call(match: Match, *, actor: Actor, at: datetime | None = None) -> None:
    """Call the players to the machine; `at` is when they were, now unless it is given."""
    with change(match.stage.tournament, actor=actor, action="call match") as log:
        stored = _stored(match)
        if stored.state != Match.State.PLANNED:
            return
        _check_turn(stored, log)
        stored.called_at = at or log.now
        # The journal leads from this line to the match, where the call is taken back.
        where = {"match": stored.pk, "stage": stored.stage.key}
        _move(stored, Match.State.CALLED, log, f"{_named(stored)}: called.", told=where)


def take_call_back(match: Match, *, actor: Actor, seen: int | None = None) -> None:
    """Nobody was called after all: the match waits for its call as before, and no clock runs. Sent twice it is once.

    `seen` is the revision of the match that the person looked at: another one raises `Stale`. Raises `Refusal`, with
    what is to be taken back first, once something rests on the call. Positions chosen stay chosen. Our choice.
    """
    with change(match.stage.tournament, actor=actor, action="take call back") as log:
        stored = _stored(match)
        if stored.state == Match.State.PLANNED:
            return
        _refuse_rests_on_call(stored)
        if seen is not None and seen != stored.revision:
            raise Stale(f"{_named(stored)} has changed since you looked; it is still called. Look at it again.")
        was, stored.called_at = stored.called_at, None
        before = {"state": stored.state, "called_at": was and was.isoformat()}
        after = {"called_at": None}
        words = f"{_named(stored)}: the call was taken back."
        _move(stored, Match.State.PLANNED, log, words, before=before, told=after)


def _refuse_rests_on_call(match: Match) -> None:
    """Raise `Refusal` where more than the call would have to be taken back, with the step that comes first."""
    if match.state == Match.State.VOID:
        raise Refusal(f"{_named(match)} was taken out; nobody is called to it.")
    scored = match.scores.filter(state__in=Score.LIVE).select_related("entry__player").first()
    if scored:
        raise Refusal(
            f"{scored.entry} has a score on {match.machine}; the call stands. If no such game was played, void that"
            " score first, then break the match off."
        )
    if match.state == Match.State.DONE:
        _refuse_won_alone(match)
    if match.state != Match.State.CALLED:
        raise Refusal(
            f"{_named(match)} is {match.get_state_display()}; the call stands. If it has not begun after all, the desk"
            " breaks the match off on its page."
        )


def _refuse_won_alone(match: Match) -> None:
    """Raise `Refusal` for a match that is over without a score: who does not play it, and how that is taken back."""
    for side in match.sides.select_related("entry__player").order_by("rank"):
        ruled = Ruling.objects.filter(match=match, entry=side.entry, kind=Ruling.Kind.OUT_OF_MATCH, undone_at=None)
        if side.entry.standing == Standing.DISQUALIFIED:
            why, step = "is disqualified", f"first reinstate {side.entry}"
        elif ruled.exists():
            why, step = "is out of it by a ruling", "first take that ruling back"
        elif side.absent:
            why, step = "does not play", f"first let {side.entry} play after all"
        else:
            continue
        raise Refusal(f"{_named(match)} is over because {side.entry} {why}; {step}, then take the call back.")


def choose(match: Match, *, actor: Actor, entry: int, position: int) -> None:
    """Record the playing position an entry chose; the better ranked chooses first."""
    with change(match.stage.tournament, actor=actor, action="choose position") as log:
        stored = _stored(match)
        sides = list(stored.sides.select_related("entry__player"))
        side = _side(sides, entry, stored)
        if side.choice == position:
            return
        if not stored.stage.spec.positions:
            raise Refusal(f"In the {stored.stage.label.lower()} nobody chooses a playing position.")
        if stored.state in (Match.State.DONE, Match.State.VOID):
            raise Refusal(f"{_named(stored)} is over.")
        if not 1 <= position <= len(sides):
            raise Refusal(f"There are positions 1 to {len(sides)}.", field="position")
        holder = next((other for other in sides if other.choice == position), None)
        if holder:
            raise Refusal(f"{holder.entry} has chosen position {position}.", field="position")
        waiting = next((o for o in sides if o.rank < side.rank and o.choice is None and not o.absent), None)
        if waiting:
            raise Refusal(f"{waiting.entry} chooses before {side.entry}.", field="position")
        before, side.choice = side.choice, position
        side.save(update_fields=["choice"])
        left = [other for other in sides if other.choice is None and not other.absent]
        if len(sides) == 2 and len(left) == 1:
            left[0].choice = 3 - position
            left[0].save(update_fields=["choice"])
        _move(stored, stored.state, log, f"{side.entry} plays in position {position}.", before={"position": before})


def forget_choices(match: Match, *, actor: Actor) -> None:
    """Clear the positions chosen, to choose again."""
    with change(match.stage.tournament, actor=actor, action="forget choices") as log:
        stored = _stored(match)
        chosen = {side.entry_id: side.choice for side in stored.sides.all() if side.choice}
        if not chosen:
            return
        stored.sides.update(choice=None)
        _move(
            stored, stored.state, log, f"{_named(stored)}: positions are chosen again.", before={"positions": chosen}
        )


def warm_up(match: Match, *, actor: Actor) -> None:
    """Start the warm-up clock; pressed twice it starts once."""
    with change(match.stage.tournament, actor=actor, action="warm up") as log:
        stored = _stored(match)
        if stored.state not in (Match.State.PLANNED, Match.State.CALLED):
            return
        _check_turn(stored, log)
        stored.warm_up_at = log.now
        _move(stored, Match.State.WARM_UP, log, f"{_named(stored)}: warm-up.")


def swap(match: Match, *, actor: Actor) -> None:
    """The first player's warm-up is over and the second's begins. Source: house rules, "Warm-up each; swap"."""
    with change(match.stage.tournament, actor=actor, action="swap") as log:
        stored = _stored(match)
        if stored.swapped_at or stored.state in (Match.State.PLAYING, Match.State.DONE):
            return
        if stored.state != Match.State.WARM_UP:
            raise Refusal(f"{_named(stored)}: the warm-up has not begun.")
        _check_turn(stored, log)
        stored.swapped_at = log.now
        _move(stored, Match.State.WARM_UP, log, f"{_named(stored)}: warm-up, players swapped.")


def play(match: Match, *, actor: Actor) -> None:
    """The match begins. Source: house rules, "Officials start every game"."""
    with change(match.stage.tournament, actor=actor, action="start match") as log:
        stored = _stored(match)
        if stored.state in (Match.State.PLAYING, Match.State.DONE):
            return
        _check_turn(stored, log)
        stored.started_at = log.now
        _move(stored, Match.State.PLAYING, log, f"{_named(stored)}: playing.")


def record(
    match: Match,
    *,
    actor: Actor,
    entry: int,
    value: int,
    sure: int | None = None,
    key: str = "",
    source: str = "official",
    agreed: bool = False,
    at: datetime | None = None,
    seen_replays: int | None = None,
) -> Recorded:
    """Take one entry's score in a match; the last one completes it, and whoever goes on has a seat at once.

    A doubtful value raises `NeedsDecision` (settle "doubtful") unless `sure` repeats it; so does the first score of a
    match that nobody was called to, on a machine that is out of order or in use: it may be another match's.
    `seen_replays` is how many times the match had been played again when the score was typed: the score of one game is
    none of the next. The score that is there already, from a tablet or the desk, is answered as taken.
    """
    carried = {"match": match.pk, "entry": entry, "value": value}
    with change(match.stage.tournament, actor=actor, action="record match score", key=key, carried=carried) as log:
        if answered := first_answer(log):
            return answered
        in_range(value)
        stored = _stored(match)
        side = _side(list(stored.sides.select_related("entry__player")), entry, stored)
        if seen_replays is not None and seen_replays != replays(stored):
            raise Stale(
                f"{_named(stored)} has been set back since {grouped(value)} was typed for {side.entry}: it is not the"
                " same game any more. Nothing was saved.",
            )
        if stored.state != Match.State.DONE:
            # A game played before its machine broke down counts, also when nobody had marked its start.
            _check_turn(stored, log, starts=False)
        live = Score.objects.filter(match=stored, entry=side.entry, state__in=Score.LIVE)
        earlier = live.select_related("entry__player", "machine").first()
        if earlier and earlier.value == value and earlier.state in Score.COUNTED:
            if agreed and not side.agreed_at:
                side.agreed_at = log.now
                side.save(update_fields=["agreed_at"])
            return the_same_again(earlier, log, source=source, at=at or log.now)
        if earlier:
            raise Refusal(
                f"{side.entry.name} has {grouped(earlier.value or 0)} on {stored.machine.name} already;"
                " the desk corrects it with a reason.",
                field="score",
            )
        if side.absent:
            raise Refusal(f"{side.entry} is marked as absent; take that back first.", field="score")
        if side.entry.status == Entry.Status.DISQUALIFIED:
            raise Refusal(f"{side.entry} is disqualified and plays no more.", field="score")
        if sure != value:
            _doubt(value, stored, side)
        score = Score(
            stage=stored.stage,
            match=stored,
            entry=side.entry,
            machine=stored.machine,
            state=Score.State.RECORDED,
            value=value,
            source=source,
            attempt=stored.round,
            slot=stored.round,
            recorded_at=log.now,
            recorded_by=actor,
            taken_at=at or log.now,
        )
        # A score recorded anew, after one that was void, has not been agreed to by anybody yet.
        side.agreed_at = log.now if agreed else None
        side.save(update_fields=["agreed_at"])
        save(score, log, f"{side.entry} on {stored.machine}: {grouped(value)}.", before=None)
    return Recorded(score)


def agree(match: Match, *, actor: Actor, entry: int) -> None:
    """The competitor has checked the score. Source: house rules, "after that no discussion"."""
    with change(match.stage.tournament, actor=actor, action="agree") as log:
        stored = _stored(match)
        side = _side(list(stored.sides.select_related("entry__player")), entry, stored)
        if side.agreed_at:
            return
        score = Score.objects.filter(match=stored, entry=side.entry, state__in=Score.COUNTED).first()
        if score is None:
            raise Refusal(f"{side.entry} has no score on {stored.machine} yet.")
        side.agreed_at = log.now
        side.save(update_fields=["agreed_at"])
        log.write(
            f"{side.entry} agrees to {grouped(score.value or 0)} on {stored.machine}.",
            after={"agreed": True},
            entry=side.entry,
            machine=stored.machine,
            score=score,
        )


def absent(match: Match, *, actor: Actor, entry: int, reason: str, away: bool = True) -> None:
    """An entry does not play this match, or does after all; the others play on without.

    Source: house rules, "during the round the seat stays empty and the opponent plays alone".
    """
    with change(match.stage.tournament, actor=actor, action="absent") as log:
        stored = _stored(match)
        side = _side(list(stored.sides.select_related("entry__player")), entry, stored)
        if side.absent == away:
            return
        need_reason(reason)
        ruled = Ruling.objects.filter(match=stored, entry=side.entry, kind=Ruling.Kind.OUT_OF_MATCH, undone_at=None)
        if not away and ruled.exists():
            raise Refusal(
                f"{side.entry} is disqualified from this match; take that ruling back.",
                step=Step(UNDO_RULING, ruled[0].pk),
            )
        _stay_away(stored, side, log, away, reason)


def forfeit(match: Match, *, actor: Actor, entry: int) -> None:
    """Whoever has not come in time after the call loses the match, by an official's one tap.

    Taken back like any absence. Source: house rules, "More than 5 minutes late after the call"; neither came: 0-0.
    """
    kind, rules = match.stage.tournament.kind, match.stage.tournament.rules_in_force
    minutes = formats.lateness(kind, rules)
    if minutes is None:
        raise Refusal("Nobody loses this match by being late; say who does not play it, with the reason.")
    with change(match.stage.tournament, actor=actor, action="forfeit") as log:
        stored = _stored(match)
        side = _side(list(stored.sides.select_related("entry__player")), entry, stored)
        if side.absent:
            return
        refuse_own_game(actor, [other.entry_id for other in stored.sides.all()])
        refuse_once_declared(stored.stage.tournament)
        # When the first of two has lost it by being late the match is over, and the other one may be late as well.
        never_begun = stored.state == Match.State.DONE and stored.started_at is None
        won_alone = never_begun and stored.sides.filter(absent=True).exists()
        if stored.called_at is None or not (stored.state == Match.State.CALLED or won_alone):
            raise Refusal(f"{_named(stored)} is not waiting for anybody: it is {stored.get_state_display()}.")
        called = stored.called_at.astimezone(stored.stage.tournament.show.zone)
        late_from = called + timedelta(minutes=minutes)
        if log.now < late_from:
            raise Refusal(f"{side.entry} was called at {called:%H:%M} and has until {late_from:%H:%M:%S} to come.")
        reason = f"More than {minutes} minutes late after the call at {called:%H:%M}."
        _stay_away(stored, side, log, True, reason)


def _stay_away(match: Match, side: Side, log: Log, away: bool, reason: str) -> None:
    if match.stage.state == Stage.State.CLOSED:
        raise Refusal(f"{match.stage.label} is closed; an organiser can reopen it.", step=Step(REOPEN, match.stage_id))
    refuse_once_declared(match.stage.tournament)
    scored = Score.objects.filter(match=match, entry=side.entry, state__in=Score.LIVE).first()
    if away and scored:
        raise Refusal(f"{side.entry} has a score in this match.", step=Step(VOID_SCORE, scored.pk))
    side.absent = away
    side.save(update_fields=["absent"])
    log.write(
        f"{_named(match)}: {side.entry} {'does not play' if away else 'plays after all'}.",
        before={"absent": not away},
        after={"absent": away},
        reason=reason,
        entry=side.entry,
        machine=match.machine,
    )
    follow(match, log)


def replace_seat(stage: Stage, *, actor: Actor, entry: int, by: int, reason: str, shown: str = "") -> None:
    """The next in the original order takes a leaver's seat and matches, before the stage has begun.

    In groups, where all matches are open at once, before the leaver's first match is called. Refused where single
    games decide the seats: everybody behind the leaver there has a game of their own. Our choice.
    `shown` is the digest of the effects that the person saw.
    """
    with change(stage.tournament, actor=actor, action="replace seat") as log:
        stored = _stored_stage(stage)
        need_reason(reason)
        refuse_own_game(actor, [entry, by])
        if stored.spec.grouped:
            _refuse_once_called(stored, entry)
        elif stored.state != Stage.State.PLANNED:
            raise Refusal(f"The {stored.label.lower()} has begun: the seat stays empty and the opponent plays alone.")
        if not seats_change_hands(stored):
            raise Refusal(f"Games decide who is in the {stored.label.lower()}: a leaver's seat in it stays empty.")
        seat = stored.seats.select_related("entry__player").filter(entry=entry).first()
        new = selectors.entered(stored.tournament).filter(pk=by).first()
        if seat is None or new is None:
            raise Refusal("Choose who leaves and who comes in.")
        if stored.seats.filter(entry=new).exists():
            raise Refusal(f"{new} has a seat already.")
        if new.standing != Standing.IN:
            raise Refusal(f"{new} is {new.get_status_display()}.")
        _refuse_another_group(stored, seat.entry, new)
        kind, about = Ruling.Kind.REPLACED, {"stage": stored, "entry": new}
        ruling = new_ruling(stored.tournament, actor=actor, log=log, kind=kind, reason=reason, **about)
        with decided(stored.tournament, ruling, log, shown):
            old, seat.entry = seat.entry, new
            seat.why = f"for {old}"
            seat.save(update_fields=["entry", "why"])
            Side.objects.filter(match__stage=stored, entry=old).update(entry=new)
            ruling.data = {"seed": seat.seed, "for": old.pk}
            ruling.save()
            log.write(
                f"{stored.label}: {new} takes the seat of {old}.",
                before={"entry": old.pk, "seed": seat.seed},
                after={"entry": new.pk, "seed": seat.seed},
                reason=reason,
                entry=new,
                ruling=ruling,
            )


def _refuse_another_group(stage: Stage, leaver: Entry, new: Entry) -> None:
    """Behind groups the seat of a leaver is not for the next best of another group."""
    decides = selectors.source_of(stage)
    if decides is None or not decides.spec.grouped:
        return
    reserves = selectors.reserves_behind_groups(stage, decides)[leaver.pk]
    if new.pk not in {entry for reserve in reserves for entry in reserve.entries}:
        raise Refusal(
            f"{new} does not come next for the seat of {leaver}: it goes to the next best of that group.",
            field="comes",
        )


def _refuse_once_called(stage: Stage, entry: int) -> None:
    own = Match.objects.filter(stage=stage, sides__entry=entry)
    begun = own.exclude(state__in=(Match.State.PLANNED, Match.State.VOID)).select_related("machine").first()
    if begun:
        raise Refusal(f"The match on {begun.machine.name} is {begun.get_state_display()}: the seat stays as it is.")


def refill(stage: Stage, *, actor: Actor, reason: str) -> None:
    """An organiser's word that the next stages follow a corrected result although they were dealt already."""
    with change(stage.tournament, actor=actor, action="refill") as log:
        need_reason(reason)
        log.write(f"{stage.label}: who goes on was worked out again.", reason=reason)
        fill(_stored_stage(stage), log)


def _check_turn(match: Match, log: Log, *, starts: bool = True) -> None:
    stage = match.stage
    if stage.phase(log.now) not in (Phase.OPEN, Phase.CLOSING):
        raise Refusal(f"{stage.label} is {stage.phase(log.now)}.")
    if match.state == Match.State.VOID:
        raise Refusal(f"{_named(match)} was taken out.")
    if match.round > stage.open_round:
        raise Refusal(f"Game {match.round} is not open yet: game {stage.open_round} is still being played.")
    if match.state == Match.State.PLAYING or match.scores.filter(state__in=Score.LIVE).exists():
        # What breaks down now takes nothing away from a game that has begun: its scores are still taken.
        return
    used = StageMachine.objects.filter(stage=stage, machine=match.machine).first()
    if used is None or used.state != StageMachine.State.OPEN:
        raise Refusal(f"{match.machine} is not open for play.", field="machine")
    if starts and not match.machine.in_order:
        raise Refusal(f"{match.machine} is out of order; no game starts on it.", field="machine")
    if starts and stage.spec.grouped:
        _refuse_busy(match)


def _refuse_busy(match: Match) -> None:
    """Raise `Refusal` while the machine, or one of who plays, is in another match: in groups all games are open."""
    taken = on_its_machine(match)
    if taken:
        raise Refusal(f"{match.machine.name} is taken by {_versus(taken)}.", field="machine")
    playing = with_its_players(match)
    if playing:
        raise Refusal(f"{_versus(playing)} on {playing.machine.name} comes first: nobody plays twice at once.")


def _versus(match: Match) -> str:
    return " against ".join(str(side.entry) for side in match.sides.select_related("entry__player").order_by("rank"))


def _doubt(value: int, match: Match, side: Side) -> None:
    others = Score.objects.filter(stage=match.stage, machine=match.machine, state__in=Score.COUNTED)
    values = [other for other in others.order_by().values_list("value", flat=True) if other is not None]
    why = " ".join(filter(None, (doubt(value, values), _in_vain(match))))
    if why:
        raise NeedsDecision(
            f"{side.entry} on {match.machine}: {grouped(value)}? {why}",
            settle="doubtful",
            about=(side.entry_id,),
            field="score",
        )


def _in_vain(match: Match) -> str:
    """Why a score of this match may be another one's: nobody was called to it, and its machine is not free."""
    if match.state != Match.State.PLANNED or match.scores.filter(state__in=Score.LIVE).exists():
        return ""
    there = selectors.engaged(show=match.stage.tournament.show_id)
    others = [place for place in there if place.machine.pk == match.machine_id and place.match != match.pk]
    why = [] if match.machine.in_order else [f"{match.machine.name} is out of order"]
    why += [f"{place.entry} is {place.words}" for place in others]
    return f"Nobody was called to this match, and {' and '.join(why)}." if why else ""


def _side(sides: Sequence[Side], entry: int, match: Match) -> Side:
    side = next((side for side in sides if side.entry_id == entry), None)
    if side is None:
        raise Refusal(f"That {match.stage.tournament.kind.noun} is not in {_named(match)}.")
    return side


def _move(
    match: Match,
    state: str,
    log: Log,
    summary: str,
    *,
    before: Mapping[str, object] | None = None,
    told: Mapping[str, object] | None = None,
) -> None:
    """Keep a step of a match; `told` is what its line in the journal says of it beside the state."""
    was, match.state = match.state, Match.State(state)
    match.revision = log.revision
    match.save()
    after = {"state": state, **(told or {})}
    log.write(summary, before=before or {"state": was}, after=after, machine=match.machine)


def _in_groups(stage: Stage) -> list[list[int]]:
    """The entries of each group in seed order, the groups by their letters."""
    groups: dict[str, list[int]] = {}
    for group, entry in stage.seats.order_by("group", "seed").values_list("group", "entry_id"):
        groups.setdefault(group, []).append(entry)
    return list(groups.values())


def _seated(stage: Stage) -> list[int]:
    return list(stage.seats.order_by("seed").values_list("entry_id", flat=True))


def _stored(match: Match) -> Match:
    return Match.objects.select_related("machine", "stage__tournament__show").get(pk=match.pk)


def _stored_stage(stage: Stage) -> Stage:
    return Stage.objects.select_related("tournament__show").get(pk=stage.pk)


def _named(match: Match) -> str:
    return f"{match.stage.label}, game {match.round} on {match.machine.name}"
