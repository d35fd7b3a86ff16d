from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments.services import exchange


class Command(BaseCommand):
    help = (
        "Set up or complete a tournament from a folder: all or nothing. Every fault is listed with its file, line and"
        " reason. What is there already is never overwritten, and repeating an import changes nothing."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER")
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")

    def handle(self, *args: Any, folder: Path, dry_run: bool, **options: Any) -> None:
        if not folder.is_dir():
            raise CommandError(f"{folder} is not a folder.")
        try:
            # Whatever else lies in the folder is refused by its name alone.
            contents = {
                path.name: path.read_bytes() if path.name in exchange.known_files() else b""
                for path in sorted(folder.iterdir())
                if path.is_file()
            }
        except OSError as error:
            raise CommandError(f"{error.filename} cannot be read: {error.strerror}.") from error
        try:
            report = exchange.import_files(contents, actor=None, dry_run=dry_run)
        except exchange.Faults as faults:
            for fault in faults.faults:
                self.stderr.write(str(fault))
            count = len(faults.faults)
            raise CommandError(f"{count} {'fault' if count == 1 else 'faults'}; nothing was changed.") from faults
        self.stdout.write(str(report))
