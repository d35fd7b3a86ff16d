from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from open.domain import draw
from tournaments.domain.refusals import Refusal

PUBLISHED_PLAYERS, PUBLISHED_MACHINES = 24, 12


class Command(BaseCommand):
    help = (
        "Print the published draw of the second round with its figures, checked anew, and how even the draws for other"
        " numbers of players are, as a table. Each other number is searched for, which takes some seconds."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--players", type=int, nargs="*", default=list(draw.SIZES), help="for the table; an even number, 8 to 48"
        )
        parser.add_argument("--seed", type=int, default=1, help="another number gives other draws (1 unless given)")

    def handle(self, *args: Any, players: list[int], seed: int, **options: Any) -> None:
        self._published()
        if not players:
            return
        try:
            figures = draw.figures(players, seed)
        except Refusal as refusal:
            raise CommandError(refusal.sentence) from refusal
        self.stdout.write("")
        self.stdout.write(draw.figures_table(figures))

    def _published(self) -> None:
        games = draw.published()
        report = draw.check(games, PUBLISHED_PLAYERS, PUBLISHED_MACHINES)
        self.stdout.write(f"The published draw, {PUBLISHED_PLAYERS} players on {PUBLISHED_MACHINES} machines:")
        for number, game in enumerate(games, start=1):
            pairs = ", ".join(f"{m.machine}: {' and '.join(map(str, m.players))}" for m in game)
            self.stdout.write(f"Game {number}, machine: seeds. {pairs}.")
        for fault in report.faults or ("Every rule of the draw is kept.",):
            self.stdout.write(fault)
        for sentence in draw.in_words(report.balance, PUBLISHED_PLAYERS):
            self.stdout.write(sentence)
