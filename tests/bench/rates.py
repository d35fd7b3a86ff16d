"""Requests per second of the public table, against a one-line view behind the same middleware."""

from statistics import mean, median
from typing import NamedTuple

from django.db import connection
from django.urls import reverse

from tests.bench.client import Answer, Rate, ask_once, flood, request
from tests.bench.report import BenchError, Report
from tests.bench.server import Server
from tournaments import selectors
from tournaments.models import Stage

CONNECTIONS = 16
ROUNDS = 3
SLICES = 5
SECONDS = 1.0
UNCACHED = {"sqlite": 0.10, "postgresql": 0.08}
AS_A_BROWSER = {"Accept-Encoding": "gzip, deflate"}


class Target(NamedTuple):
    """Something to ask for, the status it has to have, and the least share of the one-line view's rate."""

    name: str
    sent: bytes
    status: int
    least: float | None = None


def measure(report: Report, server: Server, stage: Stage) -> None:
    """Each round takes the targets in turn, a second at a time, so that noise meets all alike."""
    report.section(f"Requests per second, {CONNECTIONS} connections, median of {ROUNDS}, share of the one-line view")
    targets = _targets(stage)
    _check(server, stage, targets)
    rounds = [_round(server, targets) for _ in range(ROUNDS)]
    line, *others = zip(*([rate.per_second for rate in rates] for rates in rounds), strict=True)
    report.note(targets[0].name, f"{median(line):,.0f} / s")
    for target, rates in zip(targets[1:], others, strict=True):
        share = median(rate / alone for rate, alone in zip(rates, line, strict=True))
        name = f"{target.name} ({median(rates):,.0f} / s)"
        if target.least is None:
            report.note(name, f"{share:.2f}")
        else:
            report.at_least(name, share, target.least)
    report.note("the client's own part of a core, at most", f"{max(rate.own for r in rounds for rate in r):.2f}")


def _targets(stage: Stage) -> list[Target]:
    where = (stage.tournament.show.slug, stage.tournament.slug, stage.key)
    rows, page = reverse("public:rows", args=where), reverse("public:stage", args=where)
    seen = selectors.stage_facts(stage).version
    return [
        Target("one-line view", request("/bench/line"), 200),
        Target("cached table, compressed", request(rows, AS_A_BROWSER), 200, 0.80),
        Target("cached table, plain", request(rows), 200, 0.80),
        Target("cached whole page, compressed", request(page, AS_A_BROWSER), 200),
        Target("204, nothing new", request(f"{rows}?rev={seen}", AS_A_BROWSER), 204, 0.85),
        Target(
            "uncached table: queries, table, cut, HTML",
            request(f"/bench/uncached/{'/'.join(where)}/", AS_A_BROWSER),
            200,
            UNCACHED[connection.vendor],
        ),
    ]


def _round(server: Server, targets: list[Target]) -> list[Rate]:
    slices = [[_rate(server, target) for target in targets] for _ in range(SLICES)]
    return [Rate(*(mean(figures) for figures in zip(*rates, strict=True))) for rates in zip(*slices, strict=True)]


def _rate(server: Server, target: Target) -> Rate:
    rate = flood(server.port, target.sent, status=target.status, connections=CONNECTIONS, seconds=SECONDS)
    if rate.unexpected:
        raise BenchError(f"{target.name}: {rate.unexpected} answers did not have status {target.status}.")
    return rate


def _check(server: Server, stage: Stage, targets: list[Target]) -> None:
    """A rate is worth nothing unless the answers are right."""
    names = [entrant.name.encode() for entrant in selectors.stage_facts(stage).facts.entrants]
    for target in targets:
        answer: Answer = ask_once(server.port, target.sent)
        right = answer.status == target.status
        if "table" in target.name or "page" in target.name:
            right = right and all(name in answer.text for name in names)
        if target.status == 204:
            right = right and not answer.body
        if not right:
            raise BenchError(f"{target.name}: a wrong answer, status {answer.status}, {len(answer.body)} bytes.")
