import csv
import json
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments.domain.refusals import Refusal
from tournaments.management.commands._named import tournament as named
from tournaments.models import Stage, Tournament
from tournaments.services import reports
from tournaments.services.reports import Line

RESULTS = "results"
COLUMNS = ("position", "number", "name", "points", "games", "tied")


class Command(BaseCommand):
    help = (
        "Print the table of a stage, or the final places: whoever is ranked, by position and then by number. In a"
        " stage of single games the position is the place in the game and the points are the score; the final places"
        " have the points and games of the last stage somebody played."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tournament", metavar="SHOW/TOURNAMENT")
        parser.add_argument("--stage", metavar="KEY", help=f"the format's first stage unless named, or {RESULTS}")
        parser.add_argument("--format", choices=("table", "csv", "json"), default="table")

    def handle(self, *args: Any, tournament: str, stage: str | None, **options: Any) -> None:
        found = named(tournament)
        lines = self._results(found) if stage == RESULTS else reports.of_stage(_stage(found, stage))
        rows = [_row(line) for line in lines if line.position is not None]
        {"table": self._table, "csv": self._csv, "json": self._json}[options["format"]](rows)

    def _results(self, tournament: Tournament) -> list[Line]:
        try:
            lines = reports.of_results(tournament)
        except Refusal as refusal:
            raise CommandError(f"{tournament.path} has no results yet. {refusal.sentence}") from refusal
        if not tournament.results_declared_at:
            self.stderr.write(f"The results of {tournament.path} are not declared yet; this is how they stand.")
        return lines

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
        known = ", ".join([*(stage.key for stage in stages), RESULTS])
        raise CommandError(f"{tournament.path} has no stage “{key}”; there are: {known}.")
    if not stage.spec.playable:
        raise CommandError(f"{stage.label} cannot be played with this version yet and has no table.")
    return stage


def _row(line: Line) -> dict[str, Any]:
    return {
        "position": line.position,
        "number": line.entry.number,
        "name": line.entry.name,
        "points": line.points,
        "games": line.games,
        "tied": line.shared,
    }
