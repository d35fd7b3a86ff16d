"""Scores of solo games: started, recorded, corrected, void, restored, undone, put aside and settled.

A correction, a void and a restore name the revision of the score that the person looked at; another one since is
`Stale` and shows both values. Every step keeps what was there before in the journal.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from tournaments import selectors
from tournaments.domain.facts import Phase, Played, QualifyingRules
from tournaments.domain.refusals import REOPEN, UNDO_RULING, NeedsDecision, Refusal, Stale, Step
from tournaments.domain.rulings import alters, ranked_elsewhere
from tournaments.domain.scores import HIGHEST, doubt, grouped
from tournaments.models import Entry, Journal, Machine, Match, Ruling, Score, Stage, StageMachine
from tournaments.services.change import LONGEST_REASON, Actor, Log, change
from tournaments.services.effects import as_shown
from tournaments.services.progress import follow, refuse_once_declared
from tournaments.services.shows import need_reason, refuse_own_game


class Recorded(NamedTuple):
    """A score that is in the database; `repeated` when an earlier request with the same key had put it there."""

    score: Score
    repeated: bool = False


def start(stage: Stage, *, actor: Actor, entry: Entry, machine: Machine, at: datetime | None = None) -> Score:
    """Mark a game as started; refused from the closing time on. Source: house rules, "Officials start every game"."""
    with change(stage.tournament, actor=actor, action="start game") as log:
        game = _Game(stage, entry, machine, _moment(at, log))
        if game.phase == Phase.CLOSING:
            raise Refusal(f"{game.stage.label} is closing: no new game starts. Games under way are still played.")
        game.check_may_play()
        busy = (
            Score.objects.filter(stage=stage, machine=machine, state=Score.State.PLAYING)
            .select_related("entry__player")
            .first()
        )
        if Machine.objects.filter(pk=machine.pk, in_order=False).exists():
            raise Refusal(f"{machine} is out of order; no game starts on it.", field="machine")
        if busy:
            raise Refusal(f"{machine} is busy: {busy.entry} is playing it.", field="machine")
        score = Score(stage=stage, entry=entry, machine=machine, state=Score.State.PLAYING, started_at=game.at)
        score.attempt, score.slot = game.free_attempt(), game.free_slot()
        save(score, log, f"{entry} starts on {machine}.", before=None)
    return score


def record(
    stage: Stage,
    *,
    actor: Actor,
    entry: Entry,
    machine: Machine,
    value: int,
    sure: int | None = None,
    key: str = "",
    source: str = "slip",
    state: str = Score.State.RECORDED,
    at: datetime | None = None,
) -> Recorded:
    """Take the result of a game, started before or not.

    A doubtful value raises `NeedsDecision` (settle "doubtful") unless `sure` repeats it. `at` is when it was
    taken; a result taken after the closing time is marked late. Source: house rules, "6 machines of those
    available, one game on each", "16:00", "Records reach the desk later".
    """
    carried = {"stage": stage.pk, "entry": entry.pk, "machine": machine.pk, "value": value}
    with change(stage.tournament, actor=actor, action="record score", key=key, carried=carried) as log:
        if answered := first_answer(log):
            return answered
        in_range(value)
        game = _Game(stage, entry, machine, _moment(at, log))
        under_way = game.under_way()
        if under_way is None:
            game.check_may_play()
        if sure != value:
            _doubt(value, game)
        before = snapshot(under_way) if under_way else None
        score = under_way or Score(
            stage=stage, entry=entry, machine=machine, attempt=game.free_attempt(), slot=game.free_slot()
        )
        score.state, score.value, score.source = Score.State(state), value, source
        score.recorded_at, score.recorded_by, score.taken_at = log.now, actor, game.at
        score.late = game.phase == Phase.CLOSING
        late = ", late" if score.late else ""
        save(score, log, f"{entry} on {machine}: {grouped(value)}{late}.", before=before)
    return Recorded(score)


def abandon(score: Score, *, actor: Actor, reason: str, seen: int | None = None) -> None:
    """A game under way is given up without a result; it does not count as played."""
    with change(score.stage.tournament, actor=actor, action="abandon game") as log:
        stored = stored_score(score)
        if stored.state != Score.State.PLAYING:
            raise Refusal(f"{stored.entry} is no longer playing {stored.machine}.")
        refuse_if_stale(stored, stored.revision if seen is None else seen)
        need_reason(reason)
        before = snapshot(stored)
        stored.state = Score.State.VOID
        save(stored, log, f"{stored.entry} gave up the game on {stored.machine}.", before=before, reason=reason)


def correct(
    score: Score,
    *,
    actor: Actor,
    seen: int,
    reason: str,
    value: int | None = None,
    entry: Entry | None = None,
    machine: Machine | None = None,
    sure: int | None = None,
    key: str = "",
) -> bool:
    """Change a recorded score's value, player or machine; False when nothing was different.

    A doubtful new value asks as in `record`.
    `seen` is the score's revision on the form. The limits of games hold as for a new score. A machine closed since and
    a player who has left since do not matter: the game was played.
    """
    carried = {"score": score.pk, "value": value, "entry": entry and entry.pk, "machine": machine and machine.pk}
    with change(score.stage.tournament, actor=actor, action="correct score", key=key, carried=carried) as log:
        if log.first:
            return True
        stored = stored_score(score)
        new_value = stored.value if value is None else value
        new_entry, new_machine = entry or stored.entry, machine or stored.machine
        if stored.state in Score.COUNTED and (new_value, new_entry, new_machine) == (
            stored.value,
            stored.entry,
            stored.machine,
        ):
            return False
        refuse_if_stale(stored, seen)
        if stored.state not in Score.COUNTED:
            raise Refusal(f"{named(stored)} is {stored.get_state_display()} and cannot be corrected.")
        _refuse_under_ruling(stored)
        _refuse_if_not_open(stored.stage, log)
        need_reason(reason)
        new_value = in_range(new_value)
        before = snapshot(stored)
        if stored.match and (new_entry, new_machine) != (stored.entry, stored.machine):
            raise Refusal(f"A match keeps its players and its machine; void the score of {stored.entry} instead.")
        game = _Game(stored.stage, new_entry, new_machine, log.now, besides=stored)
        if new_value != stored.value and sure != new_value:
            _doubt(new_value, game, besides=stored)
        if (new_entry, new_machine) != (stored.entry, stored.machine):
            game.check_room()
            stored.entry, stored.machine = new_entry, new_machine
            stored.attempt, stored.slot = game.free_attempt(), game.free_slot()
        stored.value = new_value
        was = f"{before['entry_name']} on {before['machine_name']}, {grouped(before['value'])}"
        summary = f"{was}, corrected to {stored.entry} on {stored.machine}, {grouped(new_value)}."
        save(stored, log, summary, before=before, reason=reason)
    return True


def void(score: Score, *, actor: Actor, seen: int, reason: str) -> None:
    """Take a score out of everything; it stays in the history and can be restored."""
    with change(score.stage.tournament, actor=actor, action="void score") as log:
        stored = stored_score(score)
        if stored.state == Score.State.VOID:
            return
        refuse_if_stale(stored, seen)
        _refuse_under_ruling(stored)
        _refuse_if_not_open(stored.stage, log)
        need_reason(reason)
        before = snapshot(stored)
        stored.state = Score.State.VOID
        save(stored, log, f"{named(stored)} is void.", before=before, reason=reason)


def restore(score: Score, *, actor: Actor, seen: int, reason: str = "") -> None:
    """Bring a void score back as it was; refused when the game has been played again since."""
    with change(score.stage.tournament, actor=actor, action="restore score") as log:
        stored = stored_score(score)
        if stored.state in Score.LIVE:
            return
        refuse_if_stale(stored, seen)
        _refuse_under_ruling(stored)
        line = _last_line(stored)
        if stored.state != Score.State.VOID or not line.before:
            raise Refusal(f"There is nothing of {named(stored)} to restore.")
        _return_to(stored, line.before, log, f"{named(stored)} is restored.", reason=reason)


def undo(score: Score, *, actor: Actor, seen: int) -> None:
    """Take back the last change of a score and leave exactly what was before: a new score becomes void."""
    with change(score.stage.tournament, actor=actor, action="undo") as log:
        stored = stored_score(score)
        line = _last_line(stored)
        if line.action == "undo" and line.before and line.before["revision"] == seen:
            return
        refuse_if_stale(stored, seen)
        for ruling in selectors.match_rulings_that_changed(stored):
            raise _held_by(stored, ruling)
        reason = f"took back: {line.summary}"[:LONGEST_REASON]
        if line.before is None:
            _refuse_if_not_open(stored.stage, log)
            before = snapshot(stored)
            stored.state = Score.State.VOID
            save(stored, log, f"{named(stored)} was taken back.", before=before, reason=reason)
        else:
            _return_to(stored, line.before, log, f"{named(stored)} is as it was before.", reason=reason)


def put_aside(
    stage: Stage,
    *,
    actor: Actor,
    entry: Entry,
    machine: Machine,
    value: int,
    key: str = "",
    source: str = "slip",
    at: datetime | None = None,
) -> Recorded:
    """Keep a second result for a game that has one already, until somebody decides which is right.

    It counts for nothing meanwhile and the cut waits for it. Our choice, after a tablet result that disagreed with
    a slip and silently replaced it. The same score once more is no second result, see `the_same_again`.
    """
    carried = {"stage": stage.pk, "entry": entry.pk, "machine": machine.pk, "value": value}
    with change(stage.tournament, actor=actor, action="put aside", key=key, carried=carried) as log:
        if answered := first_answer(log):
            return answered
        in_range(value)
        _refuse_if_not_open(stage, log)
        rival = _counted(stage, entry, machine).order_by("-attempt").first()
        if rival is None:
            raise Refusal(f"{entry} has no score on {machine} yet; record it.")
        waiting = Score.objects.filter(
            stage=stage, entry=entry, machine=machine, attempt=rival.attempt, state=Score.State.WAITING
        )
        same = next((kept for kept in (rival, *waiting.order_by("pk")) if kept.value == value), None)
        if same:
            return the_same_again(same, log, source=source, at=_moment(at, log))
        score = Score(stage=stage, entry=entry, machine=machine, attempt=rival.attempt, slot=rival.slot)
        score.match = rival.match
        score.state, score.value, score.source = Score.State.WAITING, value, source
        score.recorded_at, score.recorded_by, score.taken_at = log.now, actor, _moment(at, log)
        score.late = rival.stage.phase(score.taken_at) == Phase.CLOSING
        save(
            score,
            log,
            f"{entry} on {machine}: {grouped(value)} waits beside {grouped(rival.value or 0)} for a decision.",
            before=None,
        )
    return Recorded(score)


SAME_AS = "same_as"
"""In the journal: the score that a result was found to be the same as, by id."""


def first_answer(log: Log) -> Recorded | None:
    """What a repeated request was answered the first time, whatever has become of the score since."""
    if log.first is None:
        return None
    same = (log.first.after or {}).get(SAME_AS, 0)
    score = log.first.score or Score.objects.filter(pk=same).first()
    return Recorded(score, repeated=True) if score else None


def the_same_again(found: Score, log: Log, *, source: str, at: datetime) -> Recorded:
    """Answer a result that is there already as taken: two people who typed one score agree, and it counts once.

    Who sent it, when and from where is kept in the journal. Our choice: what agrees needs no decision, and a tablet
    that was told no would keep its result for ever.
    """
    if log.first is None:
        # Named beside the line and not as its score: what the line tells is no version of the score.
        log.write(
            f"{found.entry} on {found.machine}: {grouped(found.value or 0)} came once more and is the same result.",
            after={"value": found.value, "source": source, "taken_at": at.isoformat(), SAME_AS: found.pk},
            entry=found.entry,
            machine=found.machine,
        )
    return Recorded(found, repeated=True)


def settle(
    waiting: Score,
    *,
    actor: Actor,
    keep_waiting: bool,
    reason: str,
    seen_first: int | None = None,
    shown: str = "",
) -> None:
    """Decide between a score and the second result that waits beside it.

    `seen_first` is the revision of the first result on the form: corrected since, it is `Stale`. `shown` is the digest
    of the effects that the person was shown.
    """
    with change(waiting.stage.tournament, actor=actor, action="settle") as log:
        stored = stored_score(waiting)
        if stored.state != Score.State.WAITING:
            raise Refusal(f"{named(stored)} is settled already.")
        _refuse_if_not_open(stored.stage, log)
        need_reason(reason)
        refuse_own_game(actor, players_of(stored))
        first = _counted(stored.stage, stored.entry, stored.machine).filter(attempt=stored.attempt).first()
        if first is None and keep_waiting:
            raise Refusal(
                f"The other result of {stored.entry} on {stored.machine} is gone; void this one and record it anew."
            )
        if first is not None and seen_first is not None:
            refuse_if_stale(first, seen_first)
        if first is not None and keep_waiting:
            _refuse_under_ruling(first)
        with as_shown(stored.stage.tournament, shown):
            _keep_one(stored, first, keep_waiting, log, reason)


def _keep_one(stored: Score, first: Score | None, keep_waiting: bool, log: Log, reason: str) -> None:
    subject = first or stored
    before = snapshot(subject)
    told = f"{subject.entry} on {subject.machine}: {grouped(subject.value or 0)} is dropped."
    if keep_waiting and first is not None:
        first.value, first.recorded_at, first.recorded_by = stored.value, stored.recorded_at, stored.recorded_by
        first.taken_at, first.late, first.source = stored.taken_at, stored.late, stored.source
        first.revision = log.revision
        first.save()
    stored.state, stored.revision = Score.State.VOID, log.revision
    stored.save()
    if first is not None:
        told = f"{first.entry} on {first.machine}: {grouped(first.value or 0)} is the score."
    log.write(
        told,
        before=before,
        after=snapshot(subject),
        reason=reason,
        score=subject,
        other_score=stored,
        entry=subject.entry,
        machine=subject.machine,
    )
    if subject.match:
        follow(subject.match, log)


class _Game:
    """Whether an entry may play a machine in a stage at a moment, read inside the change."""

    def __init__(
        self, stage: Stage, entry: Entry, machine: Machine, at: datetime, besides: Score | None = None
    ) -> None:
        self.stage = Stage.objects.select_related("tournament__show").get(pk=stage.pk)
        self.entry = Entry.objects.select_related("player").get(pk=entry.pk)
        self.machine = machine
        self.at = at
        self.phase = self.stage.phase(at)
        self.rules: QualifyingRules = self.stage.tournament.kind.qualifying(self.stage.tournament.rules_in_force)
        states = dict(StageMachine.objects.filter(stage=stage).values_list("machine", "state"))
        if self.entry.tournament_id != self.stage.tournament_id:
            raise Refusal(f"{self.entry} is not entered in {self.stage.tournament.name}.", field="number")
        if self.entry.status == Entry.Status.MERGED:
            raise Refusal(f"{self.entry} is {selectors.kept(self.entry.person)} now.", field="number")
        if machine.pk not in states:
            raise Refusal(f"{machine} is not used in {self.stage.label.lower()}.", field="machine")
        self.state = StageMachine.State(states[machine.pk])
        self.cancelled, self.moves = selectors.withdrawn(stage)
        own = Score.objects.filter(stage=stage, entry=entry, state__in=Score.LIVE).select_related("machine")
        self.own = [score for score in own if besides is None or score.pk != besides.pk]

    def here(self) -> list[Score]:
        return [score for score in self.own if score.machine_id == self.machine.pk]

    def under_way(self) -> Score | None:
        """The game started on this machine, for which only the result is missing; it may finish while closing."""
        self._check_open()
        return next((score for score in self.here() if score.state == Score.State.PLAYING), None)

    def _check_open(self) -> None:
        if self.phase == Phase.PLANNED:
            raise Refusal(f"{self.stage.label} of {self.stage.tournament.name} is not open yet.")
        if self.phase == Phase.CLOSED:
            raise Refusal(f"{self.stage.label} of {self.stage.tournament.name} is closed; an organiser can reopen it.")

    def check_may_play(self) -> None:
        """Raise `Refusal` with the reason when this game would be one too many or in the wrong place."""
        self._check_open()
        if self.entry.status in (Entry.Status.WITHDRAWN, Entry.Status.DISQUALIFIED):
            raise Refusal(f"{self.entry} is {self.entry.get_status_display()} and plays no more.", field="number")
        if self.state != StageMachine.State.OPEN:
            raise Refusal(f"{self.machine}: {self.state.label}; no new games on it.", field="machine")
        self.check_room()

    def check_room(self) -> None:
        """Raise `Refusal` when the entry has all its games already, here or in all. Cancelled games are given back."""
        names = {score.machine_id: score.machine.name for score in self.own}
        own = [Played(self.entry.pk, score.machine_id, score.value or 0) for score in self.own]
        carried, notes = ranked_elsewhere(own, self.moves, self.rules.games_per_machine)
        games = [game for game in carried if game.machine not in self.moves]
        if len([game for game in games if game.machine == self.machine.pk]) >= self.rules.games_per_machine:
            told = [self._told(self.here()), *(note.words for note in notes if note.machine == self.machine.pk)]
            raise Refusal(
                f"{self.entry.name} has already played {self.machine.name}: {', '.join(filter(None, told))}.",
                field="machine",
            )
        counted = [game.machine for game in games if game.machine not in self.cancelled]
        if len(counted) >= self.rules.games_allowed and self.machine.pk not in self.cancelled:
            substitutes = Machine.objects.in_bulk([machine for machine in counted if machine not in names])
            names |= {pk: machine.name for pk, machine in substitutes.items()}
            raise Refusal(
                f"{self.entry.name} has already played all {self.rules.games_allowed} games:"
                f" {', '.join(sorted(names[machine] for machine in counted))}.",
                field="number",
            )

    def _told(self, scores: list[Score]) -> str:
        zone = self.stage.tournament.show.zone
        words = []
        for score in scores:
            what = "started" if score.value is None else grouped(score.value)
            at = score.started_at if score.value is None else score.taken_at
            words.append(f"{what} at {at.astimezone(zone):%H:%M}" if at else what)
        return ", ".join(words)

    def free_attempt(self) -> int:
        return first_free({score.attempt for score in self.here()})

    def free_slot(self) -> int:
        return first_free({score.slot for score in self.own})


def _moment(at: datetime | None, log: Log) -> datetime:
    """When something happened; a tablet whose clock is ahead cannot have seen it later than now."""
    return min(at, log.now) if at else log.now


def first_free(taken: set[int]) -> int:
    """The lowest number from 1 on that is not taken."""
    return next(number for number in range(1, len(taken) + 2) if number not in taken)


def _doubt(value: int, game: _Game, besides: Score | None = None) -> None:
    others = Score.objects.filter(stage=game.stage, machine=game.machine, state__in=Score.COUNTED)
    if besides:
        others = others.exclude(pk=besides.pk)
    why = doubt(value, [other for other in others.order_by().values_list("value", flat=True) if other is not None])
    if why:
        raise NeedsDecision(
            f"{game.entry} on {game.machine}: {grouped(value)}? {why}",
            settle="doubtful",
            about=(game.entry.pk,),
            field="score",
        )


def in_range(value: int | None) -> int:
    """The value as it may be recorded; raises `Refusal` outside the range of scores."""
    if value is None or not 0 <= value <= HIGHEST:
        raise Refusal(f"A score is a whole number from 0 to {grouped(HIGHEST)}.", field="score")
    return value


def players_of(score: Score) -> list[int]:
    """The entries whose game a score is: all who are in its match, or the one who played alone."""
    if score.match is None:
        return [score.entry_id]
    return list(score.match.sides.values_list("entry_id", flat=True))


def stored_score(score: Score) -> Score:
    related = ("entry__player", "machine", "stage__tournament__show", "match")
    return Score.objects.select_related(*related).get(pk=score.pk)


def _refuse_under_ruling(score: Score) -> None:
    """A ruling that changed a score is taken back as a whole, or stays."""
    for ruling in selectors.rulings_on(score):
        if alters(ruling.kind):
            raise _held_by(score, ruling)
    for ruling in selectors.match_rulings_that_changed(score):
        raise _held_by(score, ruling)


def _held_by(score: Score, ruling: Ruling) -> Refusal:
    return Refusal(
        f"{named(score)}: “{ruling.get_kind_display()}” is in force; take that ruling back first.",
        step=Step(UNDO_RULING, ruling.pk),
    )


def _last_line(score: Score) -> Journal:
    """The last change of a score. One that settled a conflict stands: it concerned two scores and had a reason."""
    line = selectors.history(score)[-1]
    if line.ruling_id:
        raise Refusal("A ruling was the last change of this score; it is made and taken back on its own.")
    if line.other_score_id:
        raise Refusal("A settled conflict is changed by correcting the score, so that the reason is kept.")
    return line


def _counted(stage: Stage, entry: Entry, machine: Machine) -> QuerySet[Score]:
    """The scores that count of this entry on this machine."""
    counted = Score.objects.filter(stage=stage, entry=entry, machine=machine, state__in=Score.COUNTED)
    return counted.select_related("entry__player", "machine", "stage__tournament")


def named(score: Score) -> str:
    value = grouped(score.value) if score.value is not None else "a game under way"
    return f"{score.entry} on {score.machine}, {value}"


def refuse_if_stale(stored: Score, seen: int) -> None:
    if stored.revision == seen:
        return
    line = stored.journal.filter(revision=seen).first()
    then = line.after.get("value") if line and line.after else None
    raise Stale(
        f"Somebody changed this score while you were looking: it is now {named(stored)}"
        f" ({stored.get_state_display()}). Nothing of yours was saved.",
        seen=grouped(then) if then is not None else "",
        now=grouped(stored.value) if stored.value is not None else stored.get_state_display(),
    )


def _refuse_if_not_open(stage: Stage, log: Log) -> None:
    state = Stage.objects.get(pk=stage.pk)
    if state.phase(log.now) not in (Phase.OPEN, Phase.CLOSING):
        raise Refusal(
            f"{stage.label} is {state.phase(log.now)}; an organiser can reopen it to change its scores.",
            step=Step(REOPEN, stage.pk) if state.state == Stage.State.CLOSED else None,
        )
    refuse_once_declared(stage.tournament)


def snapshot(score: Score) -> dict[str, Any]:
    """What a score was, for people who read the history and for putting it back exactly."""
    return {
        "state": str(score.state),
        "value": score.value,
        "ranked": score.ranked,
        "entry": score.entry_id,
        "entry_name": str(score.entry),
        "machine": score.machine_id,
        "machine_name": str(score.machine),
        "late": score.late,
        "taken_at": score.taken_at.isoformat() if score.taken_at else None,
        "recorded_at": score.recorded_at.isoformat() if score.recorded_at else None,
        "recorded_by": score.recorded_by_id,
        "source": score.source,
        "revision": score.revision,
    }


def _return_to(stored: Score, before: Mapping[str, Any], log: Log, summary: str, reason: str) -> None:
    """Put a score back to an earlier snapshot; its game must still be free."""
    _refuse_if_not_open(stored.stage, log)
    now = snapshot(stored)
    entry = selectors.kept_entry(Entry.objects.select_related("player").get(pk=before["entry"]))
    machine = Machine.objects.get(pk=before["machine"])
    same_place = stored.state in Score.LIVE and (entry, machine) == (stored.entry, stored.machine)
    if stored.match and before["state"] in Score.LIVE and stored.state not in Score.LIVE:
        _refuse_if_replaced(stored, stored.match)
    elif before["state"] in Score.LIVE and not same_place:
        game = _Game(stored.stage, entry, machine, log.now, besides=stored)
        game.check_room()
        stored.attempt, stored.slot = game.free_attempt(), game.free_slot()
    stored.entry, stored.machine = entry, machine
    stored.state, stored.value, stored.late = Score.State(before["state"]), before["value"], before["late"]
    stored.ranked = before.get("ranked")
    stored.taken_at = datetime.fromisoformat(before["taken_at"]) if before["taken_at"] else None
    stored.recorded_at = datetime.fromisoformat(before["recorded_at"]) if before["recorded_at"] else None
    stored.recorded_by_id, stored.source = before["recorded_by"], before["source"]
    save(stored, log, summary, before=now, reason=reason)


def _refuse_if_replaced(score: Score, match: Match) -> None:
    """A void score of a match comes back only where nothing has taken its place."""
    if match.state == Match.State.VOID:
        raise Refusal(f"The match of {score.entry} on {score.machine} was taken back.")
    other = Score.objects.filter(match=match, entry=score.entry, state__in=Score.LIVE).first()
    if other:
        raise Refusal(f"{score.entry.name} has {grouped(other.value or 0)} on {score.machine.name} already.")
    if match.sides.filter(entry=score.entry, absent=True).exists():
        raise Refusal(f"{score.entry} is marked as absent; take that back first.")


def save(
    score: Score,
    log: Log,
    summary: str,
    *,
    before: dict[str, Any] | None,
    reason: str = "",
    ruling: Ruling | None = None,
) -> None:
    """Write a score with its journal line inside a running change, and what follows from it in its match."""
    score.revision = log.revision
    score.save()
    log.write(
        summary,
        before=before,
        after=snapshot(score),
        reason=reason,
        score=score,
        entry=score.entry,
        machine=score.machine,
        ruling=ruling,
    )
    if score.match:
        follow(score.match, log)
