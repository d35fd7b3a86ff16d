import csv
import json
from argparse import ArgumentParser
from collections.abc import Sequence
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
        " have the points and games of the last stage somebody played. A stage played in groups has them one after the"
        " other, with a column for the group."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tournament", metavar="SHOW/TOURNAMENT")
        parser.add_argument("--stage", metavar="KEY", help=f"the format's first stage unless named, or {RESULTS}")
        parser.add_argument("--format", choices=("table", "csv", "json"), default="table")

    def handle(self, *args: Any, tournament: str, stage: str | None, **options: Any) -> None:
        found = named(tournament)
        shown = None if stage == RESULTS else _stage(found, stage)
        lines = reports.of_stage(shown) if shown else self._results(found)
        grouped = bool(shown and shown.spec.grouped)
        rows = [_row(line, grouped) for line in lines if line.position is not None]
        columns = (*COLUMNS, "group") if grouped else COLUMNS
        {"table": self._table, "csv": self._csv, "json": self._json}[options["format"]](rows, columns)

    def _results(self, tournament: Tournament) -> list[Line]:
        try:
            lines = reports.of_results(tournament)
        except Refusal as refusal:
            raise CommandError(f"{tournament.path} has no results yet. {refusal.sentence}") from refusal
        if not tournament.results_declared_at:
            self.stderr.write(f"The results of {tournament.path} are not declared yet; this is how they stand.")
        return lines

    def _csv(self, rows: list[dict[str, Any]], columns: Sequence[str]) -> None:
        writer = csv.writer(self.stdout, lineterminator="\n")
        writer.writerow(columns)
        for row in rows:
            row["tied"] = "yes" if row["tied"] else "no"
            writer.writerow([row[column] for column in columns])

    def _json(self, rows: list[dict[str, Any]], columns: Sequence[str]) -> None:
        self.stdout.write(json.dumps(rows, ensure_ascii=False, indent=2))

    def _table(self, rows: list[dict[str, Any]], columns: Sequence[str]) -> None:
        shown = [column for column in columns if column != "tied"]
        cells = [shown]
        for row in rows:
            row["position"] = f"{row['position']}{'=' if row['tied'] else ''}"
            cells.append([str(row[column]) for column in shown])
        widths = [max(len(line[column]) for line in cells) for column in range(len(cells[0]))]
        for line in cells:
            padded = [
                word.ljust(width) if name == "name" else word.rjust(width)
                for name, word, width in zip(shown, line, widths, strict=True)
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


def _row(line: Line, grouped: bool) -> dict[str, Any]:
    row = {
        "position": line.position,
        "number": line.entry.number,
        "name": line.entry.name,
        "points": line.points,
        "games": line.games,
        "tied": line.shared,
    }
    return row | {"group": line.group} if grouped else row
