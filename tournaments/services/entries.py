"""Who competes: entering, details, withdrawing, disqualifying."""

from collections.abc import Iterable
from datetime import date, datetime
from typing import Any

from django.db.models import Max
from django.utils import timezone

from tournaments import line_ups, selectors
from tournaments.domain.facts import Phase, Standing
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.models import Entry, Match, PlacePool, Player, Ruling, Score, Show, Stage, Tournament
from tournaments.services import ages
from tournaments.services.change import Actor, Log, change, change_shared, changes_in
from tournaments.services.effects import as_shown, decided
from tournaments.services.places import refuse_after_the_sale, refuse_before_the_sale, take
from tournaments.services.progress import decided_by_games, follow_entry, refuse_once_declared
from tournaments.services.shows import checked, need_reason, refuse_own_game
from tournaments.services.undoing import new_ruling, take_back

HIGHEST_NUMBER = 99_999_999
PRIVATE = ("email", "contact", "born_on")
"""What the journal, which many may read, never holds the values of."""
WORDS = {"ifpa_number": "IFPA number", "born_on": "date of birth"}


def register(
    tournament: Tournament,
    *,
    actor: Actor,
    name: str,
    number: int | None = None,
    country: str = "",
    ifpa_number: str = "",
    email: str = "",
    contact: str = "",
    born_on: date | None = None,
    place: str = "",
    player: Player | None = None,
    namesake_is_another: bool = False,
    at: datetime | None = None,
    elsewhere: bool = False,
    key: str = "",
) -> Entry:
    """Enter a person, who keeps one number in all tournaments of the show.

    `place` is the kind of place taken from its pool, if places are counted; `at` is when, which must be while they are
    on sale unless it was taken `elsewhere`, as the entries of a folder were. `player` is somebody of the show
    already; otherwise the same name or e-mail address asks (`NeedsDecision`, settle "namesake") before a second
    person is made. Source: house rules, "Enter once" and "Unique player number".

    Where there is an age limit, a date of birth, typed or known, that is too old for it is refused; without one the
    entry is taken, and `check_in` asks.
    """
    details = {"name": name, "country": country, "ifpa_number": ifpa_number, "email": email, "contact": contact}
    carried = {**details, "born_on": born_on, "number": number, "place": place, "player": player and player.pk}
    with change(tournament, actor=actor, action="register", key=key, carried=carried, lock_show=True) as log:
        if log.first and log.first.entry:
            return log.first.entry
        if tournament.kind.stages[0].grouped:
            raise Refusal(f"Nobody enters {tournament.name} alone; it is played by several people under one name.")
        _refuse_newcomer_while_closing(tournament, log)
        if player is None:
            player = new_person(tournament.show, number=number, namesake_is_another=namesake_is_another, **details)
        player.refresh_from_db(fields=["born_on"])
        if player.show_id != tournament.show_id:
            raise Refusal(f"{player} is not a person of {tournament.show}.", field="player")
        if player.merged_into_id:
            raise Refusal(f"{player} is {selectors.kept(player)} now; enter that one.", field="player")
        earlier = Entry.objects.filter(tournament=tournament, player=player).first()
        if earlier:
            raise Refusal(f"{player.name} is already entered in {tournament.name} as number {earlier.number}.")
        if born_on:
            ages.note_birth(player, born_on, _today(tournament.show, log))
        ages.refuse_too_old(player.name, player.born_on, tournament)
        entry = Entry(tournament=tournament, player=player, number=player.number, entered_at=at or log.now)
        entry.pool = _take_place(tournament, place, log, None if elsewhere else entry.entered_at)
        entry.save()
        log.write(f"{entry} entered.", after={"number": entry.number, "name": entry.name, "place": place}, entry=entry)
    return entry


def _refuse_newcomer_while_closing(tournament: Tournament, log: Log) -> None:
    """Nobody new can have a game from the closing time on; so whoever is certainly through by then stays through."""
    first = tournament.stages.order_by("position").first()
    if first and first.phase(log.now) == Phase.CLOSING:
        raise Refusal(f"{first.label} of {tournament.name} is closing; nobody new can start a game.")


def _take_place(tournament: Tournament, kind: str, log: Log, sold_at: datetime | None) -> PlacePool | None:
    """The pool a place was taken from, at a time when it was on sale if that is asked.

    Once play has begun, nobody enters beside the places that are counted, nor after their sale whatever time is given.
    Our choice: who is certainly through is reckoned with the places left, see `selectors.stage_facts`.
    """
    stored = PlacePool.objects.select_related("tournament__show").filter(tournament=tournament)
    pools = {pool.kind: pool for pool in stored}
    begun = tournament.stages.exclude(state=Stage.State.PLANNED).exists()
    if not kind:
        if pools and begun:
            raise Refusal(f"Say which place: {', '.join(pools)}.", field="place")
        return None
    if kind not in pools:
        raise Refusal(f"{tournament.name} has no {kind} places.", field="place")
    pool = pools[kind]
    if sold_at:
        refuse_before_the_sale(pool, sold_at)
        refuse_after_the_sale(pool, sold_at)
    if begun:
        refuse_after_the_sale(pool, log.now)
    take(pool)
    return pool


def new_person(show: Show, *, number: int | None, namesake_is_another: bool, name: str, **details: str) -> Player:
    """A new person of the show, with the next number unless one is given; called inside a change that locks the show.

    The same name or e-mail address as somebody else's asks (`NeedsDecision`, settle "namesake") first.
    """
    if number is not None:
        holder = Player.objects.filter(show=show, number=number).first()
        if holder and holder.merged_into_id:
            raise Refusal(f"Number {number} belonged to {selectors.kept(holder)}.", field="number")
        if holder:
            raise Refusal(f"Number {number} belongs to {holder.name}.", field="number")
        if not 1 <= number <= HIGHEST_NUMBER:
            raise Refusal(f"A number is from 1 to {HIGHEST_NUMBER}.", field="number")
    player = Player(show=show, number=number or _next_number(show), name=" ".join(name.split()), **details)
    checked(player)
    if not namesake_is_another:
        _ask_about_namesake(player)
    player.save()
    return player


def _ask_about_namesake(player: Player) -> None:
    same = selectors.namesake(player)
    if same:
        raise NeedsDecision(
            f"The show already has {same}. Enter that person, or say that this is another one.",
            settle="namesake",
            about=(same.pk,),
            field="name",
        )


def _next_number(show: Show) -> int:
    highest: int | None = Player.objects.filter(show=show).aggregate(highest=Max("number"))["highest"]
    return (highest or 0) + 1


def change_details(
    entry: Entry,
    *,
    actor: Actor,
    name: str,
    country: str = "",
    ifpa_number: str = "",
    email: str = "",
    contact: str = "",
    born_on: date | None = None,
    expected: int | None = None,
    person: Player | None = None,
) -> None:
    """Correct a person's details, noted in every tournament the person is entered in.

    `person` says who of those behind an entry of several people. The journal keeps which ones changed, and the values
    of the public ones only. A date of birth that is too old for a tournament in which the person competes is refused.
    `expected` is the show's revision that the person at the form looked at.
    """
    typed: dict[str, Any] = {
        "name": " ".join(name.split()),
        "country": country,
        "ifpa_number": ifpa_number,
        "email": email,
        "contact": contact,
        "born_on": born_on,
    }
    with changes_in(entry.tournament.show):
        player = Player.objects.select_related("show").get(pk=(person or entry.person).pk)
        if player.merged_into_id:
            raise Refusal(f"{player} is {selectors.kept(player)} now; correct that one.")
        changed = [field for field, value in typed.items() if getattr(player, field) != value]
        if not changed:
            return
        before = {field: getattr(player, field) for field in changed if field not in PRIVATE}
        after = {field: typed[field] for field in before}
        for field in changed:
            setattr(player, field, typed[field])
        if "born_on" in changed:
            ages.refuse_wrong_birth(player, born_on, timezone.now().astimezone(player.show.zone).date())
        checked(player)
        player.save(update_fields=changed)
        words = ", ".join(WORDS.get(field, field) for field in changed)
        for own in selectors.entries_with(player):
            with change(own.tournament, actor=actor, action="change details") as log:
                log.write(f"{own}: {words} corrected.", before=before, after=after, entry=own)
        with change_shared(player.show, actor=actor, action="change details", expected=expected) as log:
            log.write(f"{player}: {words} corrected.", before=before, after=after, entry=entry)
    if person is None:
        entry.player = player


def check_in(
    entry: Entry, *, actor: Actor, born_on: date | None = None, age_seen: bool = False, elsewhere: bool = False
) -> None:
    """The person is here.

    Where there is an age limit and the age was not checked, this asks once (`NeedsDecision`, settle "age") for a date
    of birth, or that somebody has seen it. Who was checked in `elsewhere`, as in a folder, was asked there or not.
    """
    with change(entry.tournament, actor=actor, action="check in", lock_show=True) as log:
        stored = _stored(entry)
        if stored.status == Entry.Status.CHECKED_IN:
            return
        if stored.status != Entry.Status.ENTERED:
            raise Refusal(f"{stored} is {stored.get_status_display()}.")
        if not elsewhere:
            _refuse_once_called(stored)
        told = _check_age(stored, log, born_on=born_on, seen=age_seen)
        if not elsewhere:
            ages.refuse_unknown_age(stored)
        _set(stored, Entry.Status.CHECKED_IN, log, " ".join([f"{stored} is here.", *told]))
    entry.status, entry.age_checked_at, entry.player = stored.status, stored.age_checked_at, stored.player


def _refuse_once_called(entry: Entry) -> None:
    """Where the first stage is played in groups, whoever has not come by then has been called in vain.

    Source: house rules, "Late check-in is allowed until its first match is called".
    """
    called = Match.objects.filter(sides__entry=entry, called_at__isnull=False).exclude(state=Match.State.VOID)
    first = called.select_related("machine", "stage__tournament__show").order_by("called_at").first()
    if first and first.called_at and first.stage.spec.grouped:
        at = first.called_at.astimezone(entry.tournament.show.zone)
        raise Refusal(
            f"{entry} was called to {first.machine.name} at {at:%H:%M}; it is too late to check in. An organiser can"
            " start that match if they are here after all, or let it be lost by being late."
        )


def take_check_in_back(entry: Entry, *, actor: Actor, expected: int | None = None) -> None:
    """The person is not here after all: checked in by mistake. Sent twice it is once.

    An age that was seen at that check-in is not checked any more; a date of birth stays with the person.
    `expected` is the tournament's revision that the person looked at. Raises `Refusal` once a call, a start or a score
    rests on it, with what is to be taken back first. Our choice.
    """
    with change(entry.tournament, actor=actor, action="take check-in back", expected=expected) as log:
        stored = _stored(entry)
        if stored.status == Entry.Status.ENTERED:
            return
        if stored.status != Entry.Status.CHECKED_IN:
            raise Refusal(f"{stored} is {stored.get_status_display()}.")
        _refuse_has_been_here(stored)
        line = stored.journal.filter(action="check in").order_by("-revision").first()
        if line and stored.age_checked_at == line.at:
            stored.age_checked_at = None
            stored.save(update_fields=["age_checked_at"])
        _set(stored, Entry.Status.ENTERED, log, f"{stored} is not here after all: the check-in was taken back.")
    entry.status, entry.age_checked_at = stored.status, stored.age_checked_at


def _refuse_has_been_here(entry: Entry) -> None:
    """Raise `Refusal` where somebody has been called, or plays, or has played, with the step that comes first."""
    scored = entry.scores.filter(state__in=(*Score.LIVE, Score.State.WAITING)).select_related("machine").first()
    if scored and scored.state == Score.State.PLAYING:
        raise Refusal(f"{entry} is playing on {scored.machine}. Give that game up first if it was never started.")
    if scored:
        raise Refusal(f"{entry} has a score on {scored.machine}. Void it first if it is somebody else's.")
    idle = (Match.State.PLANNED, Match.State.VOID)
    begun = Match.objects.filter(sides__entry=entry).exclude(state__in=idle)
    match = begun.select_related("machine").order_by("called_at", "round", "order").first()
    if match:
        raise Refusal(
            f"{entry} was called to {match.machine}: the match is {match.get_state_display()}. Take that call back"
            " first, on the page of the match."
        )


def confirm_age(entry: Entry, *, actor: Actor, born_on: date | None = None) -> None:
    """The age limit is kept: by the date of birth, or without one because somebody has seen it."""
    with change(entry.tournament, actor=actor, action="check age", lock_show=True) as log:
        stored = _stored(entry)
        if stored.tournament.age_limit is None:
            raise Refusal(f"{stored.tournament.name} has no age limit.")
        told = _check_age(stored, log, born_on=born_on, seen=born_on is None)
        if told:
            log.write(f"{stored}: {' '.join(told)}", entry=stored)
    entry.age_checked_at, entry.player = stored.age_checked_at, stored.player


def _check_age(stored: Entry, log: Log, *, born_on: date | None, seen: bool) -> list[str]:
    """Keep a date of birth or that the age was seen, and say so; nothing where it is known or does not matter."""
    tournament = stored.tournament
    if tournament.age_limit is None:
        return []
    if born_on:
        new = ages.note_birth(stored.person, born_on, _today(tournament.show, log))
        return ["The date of birth is noted."] if new else []
    if not seen or stored.age_known:
        return []
    stored.age_checked_at = log.now
    stored.save(update_fields=["age_checked_at"])
    return [f"Seen to be under {tournament.age_limit}."]


def withdraw(entry: Entry, *, actor: Actor, reason: str) -> None:
    """The person leaves; games played stay in the ranks and the place goes to the next."""
    with change(entry.tournament, actor=actor, action="withdraw") as log:
        stored = _stored(entry)
        if stored.status == Entry.Status.WITHDRAWN:
            return
        if stored.status == Entry.Status.DISQUALIFIED:
            raise Refusal(f"{stored} is disqualified.")
        need_reason(reason)
        _refuse_with_seat(stored)
        _set(stored, Entry.Status.WITHDRAWN, log, f"{stored} withdrew.", reason)
    entry.status = stored.status


def disqualify(entry: Entry, *, actor: Actor, reason: str, shown: str = "") -> None:
    """All games leave every rank and the others move up. House rules, "disqualified from the tournament".

    `shown` is the digest of the effects that the person was shown.
    """
    with change(entry.tournament, actor=actor, action="disqualify") as log:
        stored = _stored(entry)
        if stored.status == Entry.Status.DISQUALIFIED:
            return
        need_reason(reason)
        refuse_own_game(actor, [stored.pk])
        refuse_once_declared(stored.tournament)
        _refuse_with_seat(stored)
        kind = Ruling.Kind.DISQUALIFIED
        ruling = new_ruling(stored.tournament, actor=actor, log=log, kind=kind, reason=reason, entry=stored)
        with decided(stored.tournament, ruling, log, shown):
            ruling.save()
            _set(stored, Entry.Status.DISQUALIFIED, log, f"{stored} was disqualified.", reason, ruling)
            follow_entry(stored, log)
    entry.status = stored.status


def reinstate(entry: Entry, *, actor: Actor, reason: str, shown: str = "") -> None:
    """Take the withdrawal or disqualification in force back; everything is exactly as it was before."""
    with change(entry.tournament, actor=actor, action="reinstate") as log:
        stored = _stored(entry)
        if stored.standing == Standing.IN:
            return
        need_reason(reason)
        refuse_own_game(actor, [stored.pk])
        refuse_once_declared(stored.tournament)
        ages.refuse_too_old(stored.name, stored.born_on, stored.tournament)
        if stored.status == Entry.Status.WITHDRAWN:
            refuse_broken_up([stored])
        ruling = stored.rulings.filter(kind=Ruling.Kind.DISQUALIFIED, undone_at=None).first()
        earlier = _earlier(stored)
        with as_shown(stored.tournament, shown):
            if ruling:
                ruling.undone_at, ruling.undone_by = log.now, actor
                ruling.save(update_fields=["undone_at", "undone_by"])
                take_back(ruling, log)
            _set(stored, earlier, log, f"{stored} is {earlier.label} again.", reason, ruling)
            follow_entry(stored, log)
    entry.status = stored.status


def refuse_broken_up(back: Iterable[Entry]) -> None:
    """Raise `Refusal` with who is behind another entry by now, where one that has withdrawn is to come back."""
    for entry in back:
        why = line_ups.why_not_back(entry)
        if why:
            raise Refusal(why)


def _earlier(entry: Entry) -> Entry.Status:
    """What an entry that has left was before: by the act in force that withdrew it with others, or by its own."""
    bulk = entry.tournament.rulings.filter(kind=Ruling.Kind.NO_SHOWS, undone_at=None).order_by("-pk")
    for ruling in bulk if entry.status == Entry.Status.WITHDRAWN else ():
        for model, pk, _, before, _ in ruling.changes["rows"]:
            if (model, pk) == ("entry", entry.pk):
                return Entry.Status(before["status"])
    left = entry.journal.filter(after__status=entry.status).exclude(action="reinstate")
    line = left.order_by("-revision").first()
    return Entry.Status(line.before["status"] if line and line.before else Entry.Status.ENTERED)


def _stored(entry: Entry) -> Entry:
    stored = Entry.objects.select_related("player", "tournament__show").get(pk=entry.pk)
    if stored.status == Entry.Status.MERGED:
        raise Refusal(f"{stored} is {selectors.kept(stored.person)} now.")
    return stored


def _today(show: Show, log: Log) -> date:
    return log.now.astimezone(show.zone).date()


def _refuse_with_seat(entry: Entry) -> None:
    """Before the draw is published everybody moves up; afterwards the seat is filled or stays empty.

    A seat that games decide stays empty too: no cut stands behind it that could be declared anew.
    Source: house rules, "Someone leaves".
    """
    seat = entry.seats.select_related("stage__tournament").order_by("-stage__position").first()
    if seat and not decided_by_games(seat.stage) and not seat.stage.matches.exclude(state=Match.State.VOID).exists():
        again = (
            "take the groups back first, then draw them up again"
            if seat.stage.spec.grouped
            else "take the cut back first, then declare it again"
        )
        raise Refusal(f"{entry.name} has seed {seat.seed} of the {seat.stage.label.lower()}; {again}.")


def _set(
    stored: Entry, status: Entry.Status, log: Log, summary: str, reason: str = "", ruling: Ruling | None = None
) -> None:
    before, stored.status = stored.status, status
    stored.save(update_fields=["status"])
    log.write(
        summary,
        before={"status": before},
        after={"status": str(status)},
        reason=reason,
        entry=stored,
        ruling=ruling,
    )
