"""Fifty people at desks enter a slip a second each while two hundred readers poll the live table.

Afterwards the database is compared with what was acknowledged: nothing lost, nothing twice, no fault of the server.
"""

import asyncio
import re
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple
from urllib.parse import urlencode

from django.urls import reverse

from tests.bench.client import Answer, ask, request
from tests.bench.report import BenchError, Report
from tests.bench.server import Server
from tests.bench.world import LEAD, World, unplayed
from tournaments.models import Journal, Score, Stage, Tournament

WRITERS = 50
READERS = 200
SECONDS = 20
PLAYERS = 250
LEAST = 200_000_000
AGAIN_EVERY = 10
"""Every tenth slip is sent twice: by turns both at once, and the second after the answer to the first."""

VERSION = re.compile(rb'data-version="(\d+\.(\d+)\.\w+)"')


class Slip(NamedTuple):
    """A slip of paper as it is typed, with the form's key."""

    entry: int
    number: int
    machine: int
    code: str
    value: int
    key: str


@dataclass
class Seen:
    """What the people outside saw."""

    acknowledged: list[Slip] = field(default_factory=list)
    repeats: int = 0
    writes: list[float] = field(default_factory=list)
    reads: list[float] = field(default_factory=list)
    statuses: Counter[int] = field(default_factory=Counter)
    refused: list[str] = field(default_factory=list)
    failed: list[str] = field(default_factory=list)
    sent_back: int = 0


def measure(report: Report, server: Server, world: World) -> None:
    """Run writers and readers together, then look at what the database holds."""
    report.section(f"{WRITERS} writers at one a second beside {READERS} readers, {SECONDS} seconds")
    stage = world.empty
    where = (stage.tournament.show.slug, stage.tournament.slug, stage.key)
    seen = asyncio.run(_together(server.port, where, world.sessions, _slips(stage)))
    report.note("slips acknowledged, of these sent twice", f"{len(seen.acknowledged):,}, {seen.repeats}")
    report.exactly("slips not acknowledged", WRITERS * SECONDS - len(seen.acknowledged), 0)
    report.exactly("answers 5xx", sum(count for status, count in seen.statuses.items() if status >= 500), 0)
    report.exactly("connections without an answer", len(seen.failed), 0)
    _compare(report, stage, seen.acknowledged)
    report.exactly("readers sent back to an older table", seen.sent_back, 0)
    _times(report, "writes", seen.writes)
    _times(report, "reads", seen.reads)
    for line in (seen.refused + seen.failed)[:5]:
        print(f"    {line}")


def _compare(report: Report, stage: Stage, acknowledged: list[Slip]) -> None:
    wanted: Counter[tuple[int, int, int | None]] = Counter(
        (slip.entry, slip.machine, slip.value) for slip in acknowledged
    )
    live = Score.objects.filter(stage=stage, state__in=Score.COUNTED).exclude(value=LEAD)
    stored = Counter(live.values_list("entry_id", "machine_id", "value"))
    report.exactly("acknowledged scores lost or changed", (wanted - stored).total(), 0)
    report.exactly("scores twice or never acknowledged", (stored - wanted).total(), 0)
    revision = Tournament.objects.get(pk=stage.tournament_id).revision
    lines = Journal.objects.filter(tournament=stage.tournament_id).count()
    report.exactly("revisions without a line in the journal", revision - lines, 0)


def _times(report: Report, what: str, taken: list[float]) -> None:
    ordered = sorted(taken)
    shown = [ordered[min(int(len(ordered) * share), len(ordered) - 1)] * 1000 for share in (0.5, 0.99, 1)]
    report.note(f"{what}: p50, p99, slowest of {len(ordered):,}", "{:.0f}, {:.0f}, {:.0f} ms".format(*shown))


def _slips(stage: Stage) -> list[Slip]:
    """One for each game that may still be played, with values that no machine has twice or would doubt."""
    return [
        Slip(entry.pk, entry.number, machine.pk, machine.code, LEAST + 10 * number, secrets.token_hex(12))
        for number, (entry, machine) in enumerate(unplayed(stage))
    ]


async def _together(port: int, where: tuple[str, str, str], sessions: Sequence[str], slips: list[Slip]) -> Seen:
    seen = Seen()
    desks = [_Desk(port, seen, session, where) for session in sessions]
    await asyncio.gather(*(desk.sign_on() for desk in desks))
    begin = time.perf_counter() + 1
    people = [
        _each_second(begin + number / len(desks), desk.turns(slips[number :: len(desks)][:SECONDS]))
        for number, desk in enumerate(desks)
    ]
    readers = [_Reader(port, seen, reverse("public:rows", args=where)) for _ in range(READERS)]
    people += [
        _each_second(begin + number / READERS, [reader.poll] * SECONDS) for number, reader in enumerate(readers)
    ]
    await asyncio.gather(*people)
    return seen


async def _each_second(begin: float, turns: list[Callable[[], Awaitable[None]]]) -> None:
    """Take the turns on the second, or as soon as the one before is over."""
    for number, turn in enumerate(turns):
        await asyncio.sleep(max(0.0, begin + number - time.perf_counter()))
        await turn()


class _Desk:
    """Somebody signed in who enters slips through the page's own form, as its script sends it."""

    def __init__(self, port: int, seen: Seen, session: str, where: tuple[str, str, str]) -> None:
        self.port, self.seen = port, seen
        self.page, self.record = reverse("desk:slips", args=where), reverse("desk:record", args=where)
        self.session, self.token = session, ""

    async def sign_on(self) -> None:
        """Open the page for slips, which brings the token that a form needs."""
        answer = await ask(self.port, request(self.page, {"Cookie": f"sessionid={self.session}"}))
        token = re.search(r"csrftoken=(\w+)", answer.headers.get("set-cookie", ""))
        if answer.status != 200 or token is None:
            raise BenchError(f"The page for slips does not open at the desk: status {answer.status}.")
        self.token = token[1]

    def turns(self, slips: list[Slip]) -> list[Callable[[], Awaitable[None]]]:
        """What this person does, second by second."""
        return [self._turn(slip, number) for number, slip in enumerate(slips)]

    def _turn(self, slip: Slip, number: int) -> Callable[[], Awaitable[None]]:
        async def turn() -> None:
            if number % AGAIN_EVERY:
                taken = [await self._send(slip)]
            elif number % (2 * AGAIN_EVERY):
                taken = [await self._send(slip), await self._send(slip)]
            else:
                taken = list(await asyncio.gather(self._send(slip), self._send(slip)))
            if any(taken):
                self.seen.acknowledged.append(slip)
            self.seen.repeats += len(taken) == 2 and all(taken)

        return turn

    async def _send(self, slip: Slip) -> bool:
        """Whether the slip was acknowledged."""
        form = {"number": slip.number, "machine": slip.code, "score": slip.value, "key": slip.key}
        headers = {
            "Cookie": f"sessionid={self.session}; csrftoken={self.token}",
            "X-CSRFToken": self.token,
            "HX-Request": "true",
        }
        answer = await _timed(self.port, request(self.record, headers, urlencode(form).encode()), self.seen, "writes")
        if answer is None:
            return False
        if answer.status != 200:
            self.seen.refused.append(f"{slip.number} on {slip.code}: status {answer.status}")
        return answer.status == 200


class _Reader:
    """A phone that polls the live table with the version it shows."""

    def __init__(self, port: int, seen: Seen, path: str) -> None:
        self.port, self.seen, self.path = port, seen, path
        self.version = ""
        self.revision = 0

    async def poll(self) -> None:
        """Ask once; an older table than the one shown would be a fault."""
        query = f"?rev={self.version}" if self.version else ""
        sent = request(f"{self.path}{query}", {"Accept-Encoding": "gzip"})
        answer = await _timed(self.port, sent, self.seen, "reads")
        if answer is None or answer.status != 200:
            return
        found = VERSION.search(answer.text)
        if found is None:
            self.seen.failed.append("a table without a version")
            return
        revision = int(found[2])
        self.seen.sent_back += revision < self.revision
        self.version, self.revision = found[1].decode(), revision


async def _timed(port: int, sent: bytes, seen: Seen, what: str) -> Answer | None:
    """The answer, its status counted and its time kept; nothing when the connection broke."""
    begun = time.perf_counter()
    try:
        answer = await ask(port, sent)
    except (OSError, ValueError, IndexError) as fault:
        seen.failed.append(f"{what}: {fault!r}")
        return None
    getattr(seen, what).append(time.perf_counter() - begun)
    seen.statuses[answer.status] += 1
    return answer
