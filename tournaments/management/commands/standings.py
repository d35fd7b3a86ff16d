import csv
import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments import selectors
from tournaments.management.commands._named import tournament as named
from tournaments.models import Stage, Tournament

COLUMNS = ("position", "number", "name", "points", "games", "tied")


class Command(BaseCommand):
    help = "Print the table of a stage: whoever is ranked, by position and then by number."

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tournament", metavar="SHOW/TOURNAMENT")
        parser.add_argument("--stage", metavar="KEY", help="the format's first stage unless named")
        parser.add_argument("--format", choices=("table", "csv", "json"), default="table")

    def handle(self, *args: Any, tournament: str, stage: str | None, **options: Any) -> None:
        rows = _rows(_stage(named(tournament), stage))
        {"table": self._table, "csv": self._csv, "json": self._json}[options["format"]](rows)

    def _csv(self, rows: list[dict[str, Any]]) -> None:
        writer = csv.writer(self.stdout, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in rows:
            writer.writerow([*list(row.values())[:-1], "yes" if row["tied"] else "no"])

    def _json(self, rows: list[dict[str, Any]]) -> None:
        self.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2))

    def _table(self, rows: list[dict[str, Any]]) -> None:
        cells = [COLUMNS[:-1]]
        for row in rows:
            position = f"{row['position']}{'=' if row['tied'] else ''}"
            cells.append((position, str(row["number"]), row["name"], str(row["points"]), str(row["games"])))
        widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
        for line in cells:
            padded = [
                word.ljust(width) if name == "name" else word.rjust(width)
                for name, word, width in zip(COLUMNS, line, widths, strict=False)
            ]
            self.stdout.write("  ".join(padded).rstrip())


def _stage(tournament: Tournament, key: str | None) -> Stage:
    stages = list(tournament.stages.order_by("position"))
    stage = next((stage for stage in stages if key in (None, stage.key)), None)
    if stage is None:
        known = ", ".join(stage.key for stage in stages)
        raise CommandError(f"{tournament.path} has no stage “{key}”; there are: {known}.")
    if not stage.spec.playable:
        raise CommandError(f"{stage.label} cannot be played with this version yet and has no table.")
    return stage


def _rows(stage: Stage) -> list[dict[str, Any]]:
    read = selectors.stage_facts(stage)
    entrants = {entrant.id: entrant for entrant in read.facts.entrants}
    ranked = sorted(read.table.ranked, key=lambda row: (row.place, entrants[row.entry].number))
    return [
        {
            "position": row.place,
            "number": entrants[row.entry].number,
            "name": entrants[row.entry].name,
            "points": row.points,
            "games": row.games,
            "tied": row.shared,
        }
        for row in ranked
    ]
