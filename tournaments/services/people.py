"""Two records of one person become one, in every tournament of the show, and are taken apart again.

House rules, "Enter once": what slipped through at the desk is put right by an organiser, with a line in every journal.
Our choice: the kept record's number holds everywhere; a result moves only where it still may.
"""

from collections.abc import Iterable
from functools import partial
from typing import Any

from django.db.models import Q

from tournaments import line_ups, selectors
from tournaments.domain.facts import Phase
from tournaments.domain.refusals import Refusal
from tournaments.domain.scores import grouped
from tournaments.models import (
    Entry,
    Journal,
    Machine,
    Match,
    PlacePool,
    Player,
    Ruling,
    Score,
    Stage,
    Tournament,
)
from tournaments.services import ages, effects, incidents, places
from tournaments.services.change import Actor, Log, change, change_shared, changes_in
from tournaments.services.effects import Picture
from tournaments.services.progress import refuse_once_declared
from tournaments.services.scores import first_free
from tournaments.services.shows import need_reason, refuse_own_game
from tournaments.services.undoing import new_ruling, recorded, take_back

DETAILS = {
    "country": "country",
    "ifpa_number": "IFPA number",
    "email": "e-mail",
    "contact": "adult contact",
    "born_on": "date of birth",
}
"""What the kept record takes over where it has nothing itself."""

MERGE, TAKE_APART = "merge people", "take people apart"
UNSETTLED = (*Score.LIVE, Score.State.WAITING)


def merge(keep: Player, gone: Player, *, actor: Actor, reason: str, shown: str = "") -> None:
    """Make `gone` the same person as `keep`, whose number holds from then on in every tournament.

    Where only `gone` is entered, the entry becomes that of `keep`. Where both are, the scores move to the entry of
    `keep` and the emptied one leaves every list, its place being given back; raises `Refusal` with what stands in the
    way. `shown` is the digest of the effects that the person was shown.
    """
    with changes_in(keep.show), effects.held_to(partial(picture, keep), shown):
        need_reason(reason)
        kept, left = _two_records(keep, gone)
        own = selectors.entries_of(left)
        _tell_where_they_play_with_others(left, actor, MERGE, f"{left} is the same person as {kept}.", reason)
        for entry in own:
            _merge_in(entry, kept, left, actor, reason)
        with change_shared(kept.show, actor=actor, action=MERGE) as log:
            # Under the lock of the show nobody can enter either of them any more.
            kept, left = _two_records(keep, gone)
            if selectors.entries_of(left):
                raise Refusal(f"{left} has just been entered in another tournament. Nothing was saved; look again.")
            filled = [field for field in DETAILS if getattr(left, field) and not getattr(kept, field)]
            account = _fill(kept, left, filled)
            if kept.born_on:
                ages.refuse_wrong_birth(kept, kept.born_on, log.now.astimezone(kept.show.zone).date())
            Player.objects.filter(pk=left.pk).update(merged_into=kept)
            log.write(
                f"{left} is the same person as {kept}; number {left.number} is number {kept.number} now.",
                after={"keep": kept.pk, "gone": left.pk, "filled": filled, "account": account},
                reason=reason,
                entry=own[0] if own else None,
            )
    for person in (keep, gone):
        person.refresh_from_db()


def take_apart(gone: Player, *, actor: Actor, reason: str, shown: str = "") -> None:
    """Make two persons of two merged records again, each with the entries and scores it had.

    Raises `Refusal` with what rests on the merge by now.
    """
    with changes_in(gone.show), effects.held_to(partial(picture, selectors.kept(gone)), shown):
        need_reason(reason)
        left = Player.objects.select_related("show").get(pk=gone.pk)
        if left.merged_into_id is None:
            raise Refusal(f"{left} is a person of their own already.")
        kept = Player.objects.get(pk=left.merged_into_id)
        if kept.merged_into_id:
            raise Refusal(f"{kept} is the same person as {selectors.kept(kept)}; take those two apart first.")
        rulings = Ruling.objects.filter(kind=Ruling.Kind.MERGED, undone_at=None, data__gone=left.pk)
        merged = list(rulings.select_related("tournament__show", "entry__player").order_by("tournament_id"))
        _tell_where_they_play_with_others(left, actor, TAKE_APART, f"{left} and {kept} are two persons again.", reason)
        for ruling in merged:
            _take_apart_in(ruling, kept, left, actor, reason)
        with change_shared(left.show, actor=actor, action=TAKE_APART) as log:
            _give_back(kept, left)
            Player.objects.filter(pk=left.pk).update(merged_into=None)
            log.write(
                f"{left} and {kept} are two persons again.",
                after={"keep": kept.pk, "gone": left.pk},
                reason=reason,
                entry=merged[0].entry if merged else None,
            )
    gone.refresh_from_db()


def picture(keep: Player) -> Picture:
    """The records of a person's show and all its tournaments, in words: what merging or taking apart may change."""
    people = keep.show.name, "people"
    found: Picture = {people: {}}
    for person in Player.objects.filter(show=keep.show_id).select_related("merged_into").order_by("number"):
        into = f"the same person as {person.merged_into}" if person.merged_into else "own record"
        found[people][str(person)] = ", ".join([into, *_details(person)])
    for tournament in Tournament.objects.filter(show=keep.show_id).order_by("starts_on", "slug"):
        for (stage, what), lines in effects.picture(tournament).items():
            found[", ".join(filter(None, (tournament.name, stage))), what] = lines
    return found


def _details(person: Player) -> Iterable[str]:
    """What is known of a person; what is never public only by its name and in short, to see it change."""
    for field in DETAILS:
        value = getattr(person, field)
        if value:
            yield f"{DETAILS[field]} {value}" if field in ("country", "ifpa_number") else f"with {DETAILS[field]}"
    if person.account_id:
        yield "with a login"


def _two_records(keep: Player, gone: Player) -> tuple[Player, Player]:
    people = Player.objects.select_related("show", "account").in_bulk([keep.pk, gone.pk])
    if len(people) < 2:
        raise Refusal("Choose two different records.", field="other")
    kept, left = people[keep.pk], people[gone.pk]
    if kept.show_id != left.show_id:
        raise Refusal(f"{left} is not a person of {kept.show}.", field="other")
    for person in (kept, left):
        if person.merged_into_id:
            raise Refusal(f"{person} is {selectors.kept(person)} already.", field="other")
    two = line_ups.why_two(kept, left)
    if two:
        raise Refusal(two, field="other")
    if kept.born_on and left.born_on and kept.born_on != left.born_on:
        raise Refusal(
            f"{kept} and {left} have different dates of birth; if they are one person, correct the wrong one first.",
            field="other",
        )
    if kept.account_id and left.account_id:
        raise Refusal(f"{kept} and {left} have a login each; take one off in the administration first.", field="other")
    return kept, left


def _tell_where_they_play_with_others(person: Player, actor: Actor, action: str, told: str, reason: str) -> None:
    """A line in the journal of every tournament in which the person is behind an entry with others: the name there
    may be another one from now on.
    """
    for entry in selectors.entries_with(person):
        if entry.player_id is None:
            with change(entry.tournament, actor=actor, action=action) as log:
                log.write(f"{entry}: {told}", reason=reason, entry=entry)


def _merge_in(given: Entry, kept: Player, left: Player, actor: Actor, reason: str) -> None:
    tournament = given.tournament
    with change(tournament, actor=actor, action=MERGE) as log:
        entry = Entry.objects.select_related("player", "tournament", "pool").get(pk=given.pk)
        own = selectors.entered(tournament).filter(player=kept).select_related("player", "tournament", "pool").first()
        if entry.player_id != left.pk or entry.status == Entry.Status.MERGED:
            raise Refusal(f"{left} has just been merged with somebody else. Nothing was saved; look again.")
        kind = Ruling.Kind.MERGED
        ruling = new_ruling(tournament, actor=actor, log=log, kind=kind, reason=reason, entry=own or entry)
        told = f"{entry} is the same person as {kept}"
        ruling.data = {"keep": kept.pk, "gone": left.pk, "place": None, "scores": []}
        with recorded(tournament, ruling, log):
            ruling.save()
            if own is None:
                told += f" and has number {kept.number} now."
                entry.player, entry.number = kept, kept.number
                entry.save(update_fields=["player", "number"])
            else:
                ruling.data |= _join(own, entry, actor, log)
                told += f"; {len(ruling.data['scores'])} scores moved." if ruling.data["scores"] else "."
        log.write(
            told,
            before={"number": left.number, "name": left.name},
            after={"number": kept.number, "name": kept.name, "keep": kept.pk, "gone": left.pk},
            reason=reason,
            entry=own or entry,
            ruling=ruling,
        )


def _join(own: Entry, left: Entry, actor: Actor, log: Log) -> dict[str, Any]:
    """Move everything of an entry to the person's other one; says which scores, and the place that is given back."""
    _refuse_unless_free(own, left, actor, log)
    moved = _move_scores(own, left, log)
    place = left.pool if own.pool else None
    if place:
        places.give_back(place)
    own.pool = own.pool or left.pool
    own.status = _better(own, left)
    own.age_checked_at = own.age_checked_at or left.age_checked_at
    own.save(update_fields=["pool", "status", "age_checked_at"])
    left.status, left.pool = Entry.Status.MERGED, None
    left.save(update_fields=["pool", "status"])
    return {"scores": moved, "place": place.pk if place else None}


def _better(own: Entry, left: Entry) -> Entry.Status:
    """Whoever was checked in under either number is here; whoever has withdrawn under one still plays as the other."""
    order = (Entry.Status.CHECKED_IN, Entry.Status.ENTERED, Entry.Status.WITHDRAWN)
    return next(status for status in order if status in (own.status, left.status))


def _refuse_unless_free(own: Entry, left: Entry, actor: Actor, log: Log) -> None:
    """Raise `Refusal` with what stands in the way of counting the results of an entry for another."""
    refuse_once_declared(own.tournament)
    other_way = f"keep number {left.number} instead, or take that back first"
    for entry in (own, left):
        if entry.status == Entry.Status.DISQUALIFIED:
            raise Refusal(f"{entry} is disqualified from {own.tournament.name}; take that back first.")
    seat = left.seats.select_related("stage__tournament").order_by("stage__position").first()
    if seat:
        raise Refusal(f"{left} has seed {seat.seed} of the {seat.stage.label.lower()}; {other_way}.")
    match = Match.objects.exclude(state=Match.State.VOID).filter(sides__entry=left).select_related("machine", "stage")
    for found in match.select_related("stage__tournament"):
        raise Refusal(f"{left} is in a match on {found.machine.name}; {other_way}.")
    ruling = _ruling_on(left)
    if ruling:
        raise Refusal(
            f"“{ruling.get_kind_display()}” on {left} is in force in {own.tournament.name};"
            f" take it back first, and rule again for {own} afterwards."
        )
    for machine in Machine.objects.filter(incidents__waiting__entry=left).distinct():
        if left in [line.entry for line in incidents.who_waits(machine).to_call]:
            raise Refusal(f"{left} waits for {machine.name}; let number {own.number} wait instead.")
    stages = Stage.objects.filter(scores__entry=left, scores__state__in=UNSETTLED).select_related("tournament__show")
    for stage in stages.distinct():
        _refuse_if_over(stage, log, f"{left} has scores there; reopen it, or keep number {left.number} instead")
        refuse_own_game(actor, [own.pk, left.pk])


def _refuse_if_over(stage: Stage, log: Log, what: str) -> None:
    if stage.phase(log.now) not in (Phase.OPEN, Phase.CLOSING):
        raise Refusal(f"{stage.label} of {stage.tournament.name} is {stage.phase(log.now)}: {what}.")


def _ruling_on(entry: Entry) -> Ruling | None:
    in_force = Ruling.objects.filter(tournament=entry.tournament, undone_at=None).exclude(kind=Ruling.Kind.MERGED)
    in_force = in_force.defer("changes")
    for ruling in in_force:
        data = ruling.data
        if entry.pk in (ruling.entry_id, data.get("for"), *data.get("order", ()), *data.get("entries", ())):
            return ruling
    return in_force.filter(score__entry=entry).first()


def _move_scores(own: Entry, left: Entry, log: Log) -> list[int]:
    moved = []
    for score in left.scores.select_related("stage__tournament", "machine", "match").order_by("pk"):
        if score.state in Score.LIVE:
            _find_room(score, own)
        score.entry, score.revision = own, log.revision
        score.save(update_fields=["entry", "attempt", "slot", "revision"])
        moved.append(score.pk)
    for stage in Stage.objects.filter(scores__in=moved).select_related("tournament").distinct():
        _refuse_too_many(stage, own)
    return moved


def _find_room(score: Score, own: Entry) -> None:
    taken = Score.objects.filter(stage=score.stage, entry=own, match=None, state__in=Score.LIVE)
    attempts = set(taken.filter(machine=score.machine).values_list("attempt", flat=True))
    slots = set(taken.values_list("slot", flat=True))
    score.attempt, score.slot = first_free(attempts), first_free(slots)


def _refuse_too_many(stage: Stage, own: Entry) -> None:
    rules = stage.tournament.kind.qualifying(stage.tournament.rules_in_force)
    if own not in selectors.too_many_games(stage, rules):
        return
    games = Score.objects.filter(stage=stage, entry=own, state__in=Score.LIVE).select_related("machine")
    told = ", ".join(
        f"{score.machine.name} {grouped(score.value) if score.value is not None else 'under way'}"
        for score in games.order_by("machine__name", "pk")
    )
    raise Refusal(
        f"{own} would have {len(games)} games in {stage.label.lower()} of {stage.tournament.name}: {told}."
        f" Allowed are {rules.games_allowed}, on one machine {rules.games_per_machine}; void what is too many first."
    )


def _fill(kept: Player, left: Player, filled: list[str]) -> bool:
    """Take over what is missing on the kept record; whether a login was among it."""
    for field in filled:
        setattr(kept, field, getattr(left, field))
    account = left.account
    if account:
        Player.objects.filter(pk=left.pk).update(account=None)
        kept.account = account
    kept.save(update_fields=[*filled, "account"])
    return account is not None


def _take_apart_in(ruling: Ruling, kept: Player, left: Player, actor: Actor, reason: str) -> None:
    tournament = ruling.tournament
    with change(tournament, actor=actor, action=TAKE_APART) as log:
        _refuse_if_built_on(ruling, actor, log)
        ruling.undone_at, ruling.undone_by = log.now, actor
        ruling.save(update_fields=["undone_at", "undone_by"])
        take_back(ruling, log)
        place = PlacePool.objects.select_related("tournament").filter(pk=ruling.data["place"]).first()
        if place:
            places.take(place)
        log.write(
            f"{left} and {kept} are two persons again.",
            after={"keep": kept.pk, "gone": left.pk},
            reason=reason,
            entry=ruling.entry,
            ruling=ruling,
        )


def _refuse_if_built_on(ruling: Ruling, actor: Actor, log: Log) -> None:
    """Raise `Refusal` where nobody could say any more whose results they are."""
    moved = Score.objects.filter(pk__in=ruling.data["scores"], state__in=UNSETTLED)
    for stage in Stage.objects.filter(scores__in=moved).select_related("tournament__show").distinct():
        _refuse_if_over(stage, log, f"its scores of {ruling.entry} cannot be given back")
    if moved:
        refuse_once_declared(ruling.tournament)
        refuse_own_game(actor, moved.values_list("entry_id", flat=True))
        return
    since = Q(recorded_at__gt=ruling.decided_at) | Q(recorded_at=None, started_at__gt=ruling.decided_at)
    new = Score.objects.filter(since, entry=ruling.entry, state__in=UNSETTLED).select_related(
        "entry__player", "machine"
    )
    for score in new:
        raise Refusal(f"Since the records were merged {score.entry} has played {score.machine.name}; void that first.")


def _give_back(kept: Player, left: Player) -> None:
    """What the kept record had taken over is only with the other one again."""
    line = (
        Journal.objects.filter(show=left.show, action=MERGE, after__gone=left.pk, after__keep=kept.pk)
        .order_by("-revision")
        .first()
    )
    told = (line.after if line else None) or {"filled": [], "account": False}
    for field in told["filled"]:
        if getattr(kept, field) != getattr(left, field):
            raise Refusal(f"The {DETAILS[field]} of {kept} has been changed since the records were merged.")
        setattr(kept, field, None if field == ages.FIELD else "")
    account = kept.account if told["account"] else None
    if account:
        kept.account = None
    kept.save(update_fields=[*told["filled"], "account"])
    if account:
        Player.objects.filter(pk=left.pk).update(account=account)
