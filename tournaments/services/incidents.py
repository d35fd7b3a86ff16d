"""The incident book of a machine: reported, repaired, each of them taken back, and who waits.

House rules, "Machine inoperable": no game can start on it, and the people waiting are listed. A machine is in order
when no open incident puts it out of order. Every step is told in the show's journal and in that of every tournament
which uses the machine in a stage that is not closed, so that all their pages notice.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db.models import QuerySet

from tournaments.domain.facts import Standing
from tournaments.domain.refusals import Refusal
from tournaments.models import Entry, Incident, Machine, Match, Score, Stage, Tournament, Waiting
from tournaments.services.change import Actor, Log, all_or_nothing, change, change_shared
from tournaments.services.shows import checked


def report(machine: Machine, *, actor: Actor, what: str = "", out_of_order: bool = True) -> Incident:
    """Somebody says that a machine is broken, or notes a fault with which it stays in play.

    The same said again while it is open is harmless: a second tap finds the incident that is there.
    """
    what = _words(what)
    with _told(machine, actor, "report fault") as book:
        known = book.open().filter(out_of_order=out_of_order)
        # Whoever says only that it is out of order says nothing new of a machine that is out of order already.
        first = known.first() if not what and out_of_order else known.filter(what=what).first()
        if first:
            return first
        if not what and not out_of_order:
            raise Refusal("Say what is wrong; the machine stays in play.", field="what")
        incident = Incident(
            machine=book.machine, what=what, out_of_order=out_of_order, reported_at=book.now, reported_by=actor
        )
        checked(incident)
        incident.save()
        state = "is out of order" if out_of_order else "has a fault and stays in play"
        book.write(f"{book.machine} {state}{f': {what}' if what else ''}.", incident)
    machine.in_order = book.machine.in_order
    return incident


def repaired(incident: Incident, *, actor: Actor, what: str = "") -> None:
    """One incident is over; `what` says what was done."""
    with _told(incident.machine, actor, "repair") as book:
        _end(book, actor, book.open().filter(pk=incident.pk), what)


def in_order_again(machine: Machine, *, actor: Actor, what: str = "") -> None:
    """A machine is opened for play: every incident that put it out of order is over."""
    with _told(machine, actor, "repair") as book:
        _end(book, actor, book.open().filter(out_of_order=True), what)
    machine.in_order = book.machine.in_order


def reopen(incident: Incident, *, actor: Actor) -> None:
    """Take a repair back: everything that it ended is open again, since when it was reported."""
    with _told(incident.machine, actor, "take back repair") as book:
        stored = Incident.objects.get(pk=incident.pk)
        if stored.repaired_at is None:
            return
        ended = list(Incident.objects.filter(machine=book.machine, undone_at=None, repaired_at=stored.repaired_at))
        for each in ended:
            each.repaired_at, each.repaired_by, each.repair = None, None, ""
            each.save(update_fields=["repaired_at", "repaired_by", "repair"])
        book.write(f"{book.machine} is not repaired after all: {_listed(ended)}.", stored)


def take_back(incident: Incident, *, actor: Actor) -> None:
    """Take a report back that was a mistake; it stays in the book and nobody waits because of it."""
    with _told(incident.machine, actor, "take back report") as book:
        stored = Incident.objects.get(pk=incident.pk)
        if stored.undone_at:
            return
        if stored.repaired_at:
            raise Refusal(f"“{stored.words}” on {book.machine} is repaired; take the repair back first.")
        stored.undone_at, stored.undone_by = book.now, actor
        stored.save(update_fields=["undone_at", "undone_by"])
        book.write(f"{book.machine}: the report “{stored.words}” was taken back.", stored)


def wait(machine: Machine, *, actor: Actor, entry: Entry) -> Waiting:
    """Put somebody on the list of those to be called when the machine is in order again; who is on it stays on it."""
    with _told_for(machine, entry, actor, "wait for machine") as (stored, log):
        incident = Incident.objects.filter(machine=stored, out_of_order=True, repaired_at=None, undone_at=None).first()
        if incident is None:
            raise Refusal(f"{stored} is in order: {entry} can play it.", field="number")
        fresh = Entry.objects.select_related("player", "tournament").get(pk=entry.pk)
        if fresh.standing != Standing.IN:
            raise Refusal(f"{fresh} is {fresh.get_status_display()} and plays no more.", field="number")
        if not tournaments_using(stored).filter(pk=fresh.tournament_id).exists():
            raise Refusal(f"{stored} is not used in {fresh.tournament.name} now.", field="number")
        known = next((line for line in waiting(stored) if line.entry == fresh and not line.played), None)
        if known:
            return known.waiting
        Waiting.objects.filter(incident=incident, entry=fresh).delete()
        made = Waiting.objects.create(incident=incident, entry=fresh, since=log.now)
        log.write(f"{fresh} waits for {stored}.", entry=fresh, machine=stored)
    return made


def stop_waiting(waiting: Waiting, *, actor: Actor) -> None:
    """Somebody was called, or waits no longer."""
    machine = waiting.incident.machine
    with _told_for(machine, waiting.entry, actor, "stop waiting") as (stored, log):
        kept = Waiting.objects.select_related("entry__player").filter(pk=waiting.pk).first()
        if kept is None:
            return
        kept.delete()
        log.write(
            f"{kept.entry} does not wait for {stored} any more.",
            before={"since": kept.since.isoformat()},
            entry=kept.entry,
            machine=stored,
        )


class Line(NamedTuple):
    """Somebody on the list of a machine; `played` is a game on it that was begun since."""

    waiting: Waiting
    played: Score | None

    @property
    def entry(self) -> Entry:
        return self.waiting.entry


@dataclass(frozen=True)
class WhoWaits:
    """Everybody whom a machine that is out of order keeps waiting.

    `playing` are single games that were under way, `matches` those called to it or being played.
    """

    playing: tuple[Score, ...]
    matches: tuple[Match, ...]
    listed: tuple[Line, ...]

    @property
    def to_call(self) -> tuple[Line, ...]:
        """Who is to be called when it is in order again, first come first: who has played since waits no more."""
        return tuple(line for line in self.listed if not line.played)

    @property
    def served(self) -> tuple[Line, ...]:
        return tuple(line for line in self.listed if line.played)


def who_waits(machine: Machine) -> WhoWaits:
    """Who is at a machine, is called to it or waits for it, each in the order of time."""
    playing = Score.objects.filter(machine=machine, state=Score.State.PLAYING)
    matches = Match.objects.filter(machine=machine, state__in=Match.UNDER_WAY).exclude(stage__state=Stage.State.CLOSED)
    return WhoWaits(
        tuple(playing.select_related("entry__player", "stage__tournament__show").order_by("started_at", "pk")),
        tuple(
            matches.select_related("machine", "stage__tournament__show")
            .prefetch_related("sides__entry__player")
            .order_by("called_at", "stage", "round", "order")
        ),
        tuple(waiting(machine)),
    )


def waiting(machine: Machine) -> list[Line]:
    """The list of a machine: who has waited longest first, by number who began to at the same moment.

    Without entries that were merged with another: they had been served, and their games are of the other one now.
    """
    rows = Waiting.objects.filter(incident__machine=machine, incident__undone_at=None)
    rows = rows.exclude(entry__status=Entry.Status.MERGED)
    rows = rows.select_related("entry__player", "entry__tournament__show", "incident__machine")
    listed = list(rows.order_by("since", "entry__number", "pk"))
    games = Score.objects.filter(
        machine=machine, state__in=Score.LIVE, entry__in=[row.entry_id for row in listed]
    ).order_by("pk")
    of_entry: dict[int, list[Score]] = {}
    for game in games:
        of_entry.setdefault(game.entry_id, []).append(game)
    return [Line(row, _since(of_entry.get(row.entry_id, []), row.since)) for row in listed]


def began(score: Score) -> datetime | None:
    """When a game began, as far as that is known: when it was started, otherwise when its result was taken."""
    return score.started_at or score.taken_at or score.recorded_at


def tournaments_using(machine: Machine) -> "QuerySet[Tournament]":
    """The tournaments that use a machine in a stage that is not closed, in the order in which they are locked."""
    stages = Stage.objects.filter(stage_machines__machine=machine).exclude(state=Stage.State.CLOSED)
    return Tournament.objects.filter(stages__in=stages).select_related("show").distinct().order_by("pk")


class _Book:
    """An incident book opened for writing, with every journal in which the step is told."""

    def __init__(self, machine: Machine, logs: Sequence[Log]) -> None:
        self.machine = machine
        self.logs = logs
        self.now = logs[-1].now

    def open(self) -> "QuerySet[Incident]":
        """What is wrong with the machine now, newest first."""
        return Incident.objects.filter(machine=self.machine, repaired_at=None, undone_at=None).order_by(
            "-reported_at", "-pk"
        )

    def write(self, summary: str, incident: Incident | None, **after: Any) -> None:
        """Let the machine follow its incidents, and tell what was done."""
        was = self.machine.in_order
        self.machine.in_order = not self.open().filter(out_of_order=True).exists()
        self.machine.save(update_fields=["in_order"])
        told: Mapping[str, Any] = {"in_order": self.machine.in_order, "incident": incident and incident.pk, **after}
        for log in self.logs:
            log.write(summary, before={"in_order": was}, after=told, machine=self.machine)


@contextmanager
def _told(machine: Machine, actor: Actor, action: str) -> Iterator[_Book]:
    """A step that every tournament with the machine hears of: they are locked in one order, and the show last."""
    with all_or_nothing(), ExitStack() as stack:
        logs = [stack.enter_context(change(t, actor=actor, action=action)) for t in tournaments_using(machine)]
        logs.append(stack.enter_context(change_shared(machine.show, actor=actor, action=action)))
        yield _Book(Machine.objects.select_related("show").get(pk=machine.pk), logs)


class _Both:
    """The journals of the show and of one tournament, written as one."""

    def __init__(self, logs: Sequence[Log]) -> None:
        self.logs = logs
        self.now = logs[-1].now

    def write(self, summary: str, **details: Any) -> None:
        for log in self.logs:
            log.write(summary, **details)


@contextmanager
def _told_for(machine: Machine, entry: Entry, actor: Actor, action: str) -> Iterator[tuple[Machine, _Both]]:
    """A step that concerns one entry: told in its tournament and in the show."""
    with (
        all_or_nothing(),
        change(entry.tournament, actor=actor, action=action) as own,
        change_shared(machine.show, actor=actor, action=action) as shared,
    ):
        yield Machine.objects.select_related("show").get(pk=machine.pk), _Both((own, shared))


def _end(book: _Book, actor: Actor, incidents: Iterable[Incident], what: str) -> None:
    ended = list(incidents)
    if not ended and book.machine.in_order:
        return
    done = _words(what)
    for incident in ended:
        incident.repaired_at, incident.repaired_by, incident.repair = book.now, actor, done
        checked(incident)
        incident.save(update_fields=["repaired_at", "repaired_by", "repair"])
    if not ended:
        book.write(f"{book.machine} is in order.", None)
        return
    others = book.open().filter(out_of_order=True).exists()
    state = "is still out of order" if others else "is in order"
    book.write(f"{book.machine} {state}. Repaired: {_listed(ended)}{f'; {done}' if done else ''}.", ended[0])


def _words(typed: str) -> str:
    """A text that somebody typed, in one line; whether it is too long the model knows."""
    if "\x00" in typed:
        raise Refusal("The text holds a sign that cannot be kept; type it again.", field="what")
    return " ".join(typed.split())


def _listed(incidents: Iterable[Incident]) -> str:
    return "; ".join(incident.words for incident in incidents)


def _since(games: Iterable[Score], since: datetime) -> Score | None:
    return next((game for game in games if (at := began(game)) is not None and at > since), None)
