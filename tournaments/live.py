"""What this process keeps of the public pages, so that a thousand readers cost one computation.

A page is kept as finished bytes under (stage, kind) together with the version it shows: the tournament's revision and
the stage's phase. Nothing is ever invalidated: a page of an older version is made anew when somebody asks. Measured
before we began: with one computation per revision fifty writes a second leave reads at 1 to 4 ms; without it 0.7 s.

No answer from here depends on who asks: no session, no cookie, the same bytes for everybody. That, and not secrecy, is
why they may be compressed.
"""

import gzip
import re
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone

from tournaments import formats, selectors
from tournaments.domain.advancement import Cut
from tournaments.domain.facts import Phase, StageFacts, Table
from tournaments.models import Seat, Show, Stage, Tournament
from tournaments.selectors import StageRead

REVISION_MEMO = 1.0
"""For how many seconds a process may believe the revision it read last."""

VERSIONS_A_SECOND = 5
"""How often at most a process makes a page anew in a second. One costs about 12 ms of 250 players; at fifty writes a
second the pages alone would take more than one of two cores, and the desks would wait for them."""

LEVEL = 3
"""How hard a page is pressed. Level 6 takes four times as long for a table of 72, and 5.2 kB become 4.4: for a phone
that is the same number of packets."""

PHASES = tuple(Phase)
NUMBER = re.compile(r"[0-9]{1,18}")
TAKES_GZIP = re.compile(r"\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))", re.IGNORECASE)


class Version(NamedTuple):
    """What a page shows. Later versions of a stage compare as greater: the phase only ever goes on in a revision."""

    stage: int
    revision: int
    phase: int

    def __str__(self) -> str:
        return f"{self.stage}.{self.revision}.{PHASES[self.phase]}"


@dataclass(frozen=True, slots=True)
class Found:
    """The stage at an address, and the revision its tournament has as far as this process knows."""

    stage: int
    tournament: int
    revision: int


@dataclass(frozen=True)
class Reading:
    """A stage as of one version, with the names as everybody may read them.

    `seats` are those drawn from the tournament's first stage, once its cut is declared; what comes after it is in the
    course. `names` leads from the full names to the public ones, for texts that were kept with full names in them.
    `until` is the moment at which the clock ends this version, if it does.
    """

    version: Version
    until: datetime | None
    read: StageRead
    cut: Cut
    seats: tuple[Seat, ...]
    names: dict[str, str]

    @property
    def stage(self) -> Stage:
        return self.read.stage

    @property
    def tournament(self) -> Tournament:
        return self.read.stage.tournament

    @property
    def show(self) -> Show:
        return self.read.stage.tournament.show

    @property
    def facts(self) -> StageFacts:
        return self.read.facts

    @property
    def table(self) -> Table:
        return self.read.table

    @property
    def at(self) -> datetime:
        """When it was read, on the show's clocks."""
        return self.read.at.astimezone(self.show.zone)


@dataclass(frozen=True, slots=True)
class Page:
    """Finished bytes, plain and compressed."""

    version: Version
    until: datetime | None
    plain: bytes
    packed: bytes


class _Made(Protocol):
    @property
    def version(self) -> Version: ...
    @property
    def until(self) -> datetime | None: ...


M = TypeVar("M", bound=_Made)


class _Slot(Generic[M]):
    """One thing that is made once per version, whoever asks and however many."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.made: M | None = None
        self.begun: deque[float] = deque(maxlen=VERSIONS_A_SECOND)

    def get(self, found: Found, make: Callable[[], M], *, wait: bool) -> M:
        """The thing as it is now. Without `wait`, who meets another at work gets the one before, if there is one.

        So does everybody for the rest of a second in which many were made: a page may be that old in any case.
        """
        made = self.made
        if made is not None and (_is_current(made, found) or (not wait and self._often())):
            return made
        if not self.lock.acquire(blocking=wait or made is None):
            assert made is not None  # noqa: S101 - otherwise it had waited
            return made
        try:
            if self.made is None or not _is_current(self.made, found):
                self.begun.append(time.monotonic())
                self.made = make()
            return self.made
        finally:
            self.lock.release()

    def _often(self) -> bool:
        return len(self.begun) == VERSIONS_A_SECOND and time.monotonic() - self.begun[0] < 1


_addresses: dict[tuple[str, str, str], Found] = {}
_readings: dict[int, _Slot[Reading]] = {}
_wholes: dict[int, _Slot[Any]] = {}
_pages: dict[tuple[int, str], _Slot[Page]] = {}


def find(show: str, slug: str, key: str = "") -> Found:
    """The stage at an address, or the tournament's first stage; raises `Http404` when there is none.

    Addresses are remembered and checked by the revision: a rehearsal that was replaced has another one.
    """
    address = (show, slug, key)
    known = _addresses.get(address)
    if known is not None:
        try:
            revision = selectors.current_revision(known.tournament, at_most=REVISION_MEMO)
            return Found(known.stage, known.tournament, revision)
        except Tournament.DoesNotExist:
            forget(known.tournament)
    stage = selectors.stage_at(show, slug, key)
    if stage is None:
        raise Http404(f"There is no stage at {show}/{slug}/{key}.")
    found = Found(stage.pk, stage.tournament_id, stage.tournament.revision)
    selectors.renew_revision(found.tournament, found.revision)
    _addresses[address] = found
    return found


def forget(tournament: int) -> None:
    """Drop everything about a tournament that is no longer there."""
    for address, found in list(_addresses.items()):
        if found.tournament == tournament:
            _addresses.pop(address, None)
            _readings.pop(found.stage, None)
            _wholes.pop(tournament, None)
            for place in [place for place in list(_pages) if place[0] == found.stage]:
                _pages.pop(place, None)


def forget_everything() -> None:
    """Start as a new process does."""
    for kept in (_addresses, _readings, _wholes, _pages):
        kept.clear()


def reading(found: Found) -> Reading:
    """The stage as it is now; computed once per version, and all who need it wait for that."""
    slot = _readings.setdefault(found.stage, _Slot())
    return slot.get(found, lambda: _read(found), wait=True)


def beside(stage: int, other: Reading) -> Reading:
    """Another stage of the same tournament, never older than the reading beside which it is shown."""
    return reading(Found(stage, other.tournament.pk, other.version.revision))


def whole(beside: Reading, make: Callable[[], M]) -> M:
    """What is made of a whole tournament, once per revision; never older than the reading beside which it is shown."""
    slot: _Slot[M] = _wholes.setdefault(beside.tournament.pk, _Slot())
    return slot.get(Found(0, beside.tournament.pk, beside.version.revision), make, wait=True)


def page(found: Found, kind: str, build: Callable[[Reading], str]) -> Page:
    """The page of this kind as it is now. While one reader has it made anew the others get the one before at once."""
    slot = _pages.setdefault((found.stage, kind), _Slot())
    return slot.get(found, lambda: _made(reading(found), build), wait=False)


def already_seen(typed: str, page: Page) -> bool:
    """Whether a reader who names this version has nothing to gain from the page.

    A version newer than ours counts as seen: nobody is ever sent back to an older page. The first of its three parts,
    the stage, may be left out.
    """
    parts = typed.split(".")
    if len(parts) == 2:
        parts.insert(0, str(page.version.stage))
    if len(parts) != 3 or parts[2] not in PHASES or not NUMBER.fullmatch(parts[1]):
        return False
    stage, revision, phase = parts
    return stage == str(page.version.stage) and (int(revision), PHASES.index(Phase(phase))) >= page.version[1:]


def answer(request: HttpRequest, page: Page) -> HttpResponse:
    """The page as bytes, compressed where the browser takes it; to be asked for again each time."""
    packed = TAKES_GZIP.search(request.META.get("HTTP_ACCEPT_ENCODING", "")) is not None
    body = page.packed if packed else page.plain
    headers = {"Cache-Control": "no-cache", "Vary": "Accept-Encoding", "Content-Length": str(len(body))}
    if packed:
        headers["Content-Encoding"] = "gzip"
    return HttpResponse(body, headers=headers)


def nothing_new() -> HttpResponse:
    """204: the reader has what there is. Never a 304, which would be swapped in as an empty page."""
    return HttpResponse(status=204, headers={"Cache-Control": "no-cache"})


def publicly(text: str, names: Mapping[str, str]) -> str:
    """A kept text with public names; longest names first, because one may be the beginning of another.

    A family name alone is shortened too where it is written like a name: small, it may be any word ("next ball").
    """
    short = {name.casefold(): public for name, public in names.items() if public != name}
    if not short:
        return text
    families = {formats.family_name(name) for name in names if name.casefold() in short}
    alone = {form for family in families for form in (family, family.upper(), family.capitalize())}
    whole = f"(?i:{_any_of(short)})"
    found = re.compile(rf"(?<!\w)(?:{whole}|{_any_of(alone)})(?!\w)")
    return found.sub(lambda match: short.get(match[0].casefold()) or f"{match[0][0].upper()}.", text)


def _any_of(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def _is_current(made: Any, found: Found) -> bool:
    if made.version.revision != found.revision:
        return bool(made.version.revision > found.revision)
    return made.until is None or timezone.now() < made.until


def _made(reading: Reading, build: Callable[[Reading], str]) -> Page:
    plain = build(reading).encode()
    return Page(reading.version, reading.until, plain, gzip.compress(plain, LEVEL, mtime=0))


def _read(found: Found) -> Reading:
    try:
        read = selectors.stage_facts(Stage(pk=found.stage), public=True)
    except Stage.DoesNotExist as gone:
        forget(found.tournament)
        raise Http404("This tournament has just been taken away.") from gone
    kind = read.stage.tournament.kind
    names = {e.name: formats.public_name(e.name, kind) for e in read.facts.entrants} if kind.short_names else {}
    if names:
        entrants = tuple(e._replace(name=names[e.name]) for e in read.facts.entrants)
        notes = tuple(note._replace(words=publicly(note.words, names)) for note in read.facts.notes)
        machines = tuple(machine._replace(why=publicly(machine.why, names)) for machine in read.facts.machines)
        read = replace(read, facts=replace(read.facts, entrants=entrants, notes=notes, machines=machines))
    return Reading(
        version=Version(found.stage, read.revision, PHASES.index(read.phase)),
        until=read.stage.closes_at if read.phase == Phase.OPEN else None,
        read=read,
        cut=read.cut,
        seats=_seats(read),
        names=names,
    )


def _seats(read: StageRead) -> tuple[Seat, ...]:
    """Only a closed stage can have given seats."""
    if read.stage.spec.comes_from or read.phase != Phase.CLOSED:
        return ()
    # Where a stage is left out, the first one in which anybody sits is the one that this one fills.
    later = tuple(spec.key for spec in read.stage.tournament.kind.stages if spec.comes_from)
    seats = selectors.seats(read.stage.tournament, later)
    first = min((seat.stage.position for seat in seats), default=0)
    return tuple(seat for seat in seats if seat.stage.position == first)
