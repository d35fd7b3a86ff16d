"""The whole bench, from an empty database to the verdict."""

import os
import sys
import tempfile
from pathlib import Path

from django.core.management import call_command
from django.db import connection

from tests.bench import once, rates, server, table, world, writing
from tests.bench.report import BenchError, Report


def main() -> int:
    """Measure all there is: 0 when every limit is met, 1 when one is missed, 2 when nothing could be measured."""
    try:
        report = everything()
    except BenchError as fault:
        print(f"\n  {fault}", file=sys.stderr)
        return 2
    return _verdict(report)


def everything() -> Report:
    """All that is measured, in a database emptied for it."""
    world.refuse_a_strangers_database()
    report = Report()
    print(f"  {os.cpu_count()} cores, load {os.getloadavg()[0]:.1f} before; more than 0.5 spoils what follows.")
    print(f"  Preparing the bench's own show on {connection.vendor} …", flush=True)
    shows = world.build(table.SIZES, writers=writing.WRITERS, players=writing.PLAYERS)
    call_command("collectstatic", interactive=False, verbosity=0)
    table.measure(report, shows.sizes)
    with tempfile.TemporaryDirectory() as folder, server.running(Path(folder)) as serving:
        rates.measure(report, serving, shows.sizes[table.SMALL])
        once.measure(report, serving, shows.sizes[table.SMALL])
        writing.measure(report, serving, shows)
    return report


def _verdict(report: Report) -> int:
    if not report.missed:
        print(f"\n  Every limit is met on {connection.vendor}.", flush=True)
        return 0
    print(f"\n  NOT MET on {connection.vendor}:")
    for line in report.missed:
        print(f"    {line}")
    print(
        "  Machines are noisy: whatever else runs on these cores counts against the product. Close it and measure"
        " again\n  before believing a miss.",
        flush=True,
    )
    return 1
