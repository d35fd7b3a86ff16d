from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments.management.commands._named import tournament as named
from tournaments.services import exchange


class Command(BaseCommand):
    help = (
        "Write a tournament as a folder: importing it into another database gives the same tables, seats and results."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("tournament", metavar="SHOW/TOURNAMENT")
        parser.add_argument("folder", type=Path, metavar="FOLDER")

    def handle(self, *args: Any, tournament: str, folder: Path, **options: Any) -> None:
        contents = exchange.dump(named(tournament))
        try:
            folder.mkdir(parents=True, exist_ok=True)
            for name in exchange.known_files():
                # A table of an earlier export that is empty now must not be imported with this one.
                if name not in contents:
                    (folder / name).unlink(missing_ok=True)
            for name, content in contents.items():
                (folder / name).write_bytes(content)
        except OSError as error:
            raise CommandError(f"{folder} cannot be written: {error.strerror}.") from error
        self.stdout.write(f"{tournament}: {len(contents)} files in {folder}.")
