"""A new revision meets many readers: every process computes it once."""

import threading
import time
from collections import Counter

from django.urls import reverse

from tests.bench.client import flood, request
from tests.bench.report import BenchError, Report
from tests.bench.server import WORKERS, Server
from tournaments import live
from tournaments.models import Entry, Stage
from tournaments.services import entries

READERS = 32
REVISIONS = 5
SECONDS_APART = live.REVISION_MEMO + 0.5
"""Longer than a process believes the revision it knows, so that each process meets each revision."""


def measure(report: Report, server: Server, stage: Stage) -> None:
    """Change the tournament a few times while readers ask for its table as fast as they are answered."""
    report.section(f"A new revision under {READERS} concurrent readers, {WORKERS} processes")
    where = (stage.tournament.show.slug, stage.tournament.slug, stage.key)
    sent = request(reverse("public:rows", args=where))
    flood(server.port, sent, status=200, connections=READERS, seconds=0.5)
    before = len(_computed(server))
    readers = _Readers(server.port, sent, seconds=(REVISIONS + 1) * SECONDS_APART)
    readers.start()
    revisions = [_change(stage) for _ in range(REVISIONS)]
    readers.join()
    if readers.unexpected is None:
        raise BenchError("The readers stopped before the end.")
    wanted = {str(revision) for revision in revisions}
    lines = [line for line in _computed(server)[before:] if line[2].split(".")[1] in wanted]
    report.note("new revisions, answers to readers", f"{REVISIONS}, {readers.answers:,}")
    report.exactly("answers other than 200", readers.unexpected, 0)
    for what in ("table", "page"):
        times = Counter(line for line in lines if line[1] == what)
        report.exactly(f"{what}s computed, all processes and revisions", sum(times.values()), WORKERS * REVISIONS)
        report.at_most(f"{what}s of one revision in one process", max(times.values(), default=0), 1)


class _Readers(threading.Thread):
    """Ask beside the changes."""

    def __init__(self, port: int, sent: bytes, seconds: float) -> None:
        super().__init__(daemon=True)
        self.port, self.sent, self.seconds = port, sent, seconds
        self.answers = 0
        self.unexpected: int | None = None

    def run(self) -> None:
        rate = flood(self.port, self.sent, status=200, connections=READERS, seconds=self.seconds)
        self.answers, self.unexpected = round(rate.per_second * self.seconds), rate.unexpected


def _change(stage: Stage) -> int:
    """Check somebody in: the smallest change that everybody can see."""
    time.sleep(SECONDS_APART)
    entry = Entry.objects.filter(tournament=stage.tournament, status=Entry.Status.ENTERED).order_by("number")[0]
    entries.check_in(entry, actor=None)
    stage.tournament.refresh_from_db(fields=["revision"])
    return stage.tournament.revision


def _computed(server: Server) -> list[tuple[str, ...]]:
    return [tuple(line.split()) for line in server.computed.read_text().splitlines()]
