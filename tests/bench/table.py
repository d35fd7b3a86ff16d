"""From the database to the table, without the web: time, growth and queries."""

import time
from collections.abc import Callable
from statistics import median

from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests.bench.report import Report
from tournaments import selectors
from tournaments.models import Stage

SMALL, MIDDLE, LARGE = 72, 1_000, 5_000
SIZES = (SMALL, MIDDLE, LARGE)
CALLS = {SMALL: 5, MIDDLE: 1, LARGE: 1}
ROUNDS = 20


def measure(report: Report, stages: dict[int, Stage]) -> None:
    """Many short rounds take every size in turn. The quietest counts: whatever else runs can only add to it."""
    report.section("Queries + table, all facts of the stage (no web)")
    for size in SIZES:
        queries = _queries(stages[size])
        report.at_most(f"queries for {size:,} x 6", queries, 6)
    rounds = [{size: _milliseconds(stages[size], CALLS[size]) for size in SIZES} for _ in range(ROUNDS)]
    best = {size: min(taken[size] for taken in rounds) for size in SIZES}
    report.at_most("72 x 6", best[SMALL], 2.0, " ms")
    report.note(f"{MIDDLE:,} x 6", f"{best[MIDDLE]:.2f} ms")
    report.note(f"{LARGE:,} x 6", f"{best[LARGE]:.2f} ms")
    report.at_most(f"{LARGE:,} x 6 against 72 x 6, times linear", _growth(best, SMALL, LARGE), 1.5)
    report.note(f"{LARGE:,} x 6 against {MIDDLE:,} x 6, times linear", f"{_growth(best, MIDDLE, LARGE):.2f}")


def _queries(stage: Stage) -> int:
    with CaptureQueriesContext(connection) as queries:
        selectors.stage_facts(stage)
    return len(queries)


def _milliseconds(stage: Stage, calls: int) -> float:
    def read() -> object:
        return selectors.stage_facts(stage).table

    return median(_timed(read) for _ in range(calls)) * 1000


def _timed(act: Callable[[], object]) -> float:
    begun = time.perf_counter()
    act()
    return time.perf_counter() - begun


def _growth(taken: dict[int, float], small: int, large: int) -> float:
    return (taken[large] / large) / (taken[small] / small)
