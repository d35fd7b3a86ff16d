from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from tournaments import selectors
from tournaments.domain.refusals import Refusal
from tournaments.models import Score
from tournaments.services import rehearsal


class Command(BaseCommand):
    help = (
        "Make the show “rehearsal”, or replace it, with invented players and believable scores. With --until STAGE"
        " each tournament is played to the end of that stage, which is closed with its cut left to be declared; one"
        " whose format has no such stage stops at the stage before it. Until the last stage means to the end: its"
        " results are declared. Without --until the first tournament is left in full swing: two thirds of its first"
        " stage played, games under way, closing three hours from now; the second has its results, and the third is"
        " in the first games of its finals, if they have 8 players or more. On these days something goes wrong too and"
        " is ruled on: an extra ball, a stopped game, a machine that dies. The same seed gives the same show, at"
        " times around now."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--tournament", metavar="KEY", default="", help="only this one, by the key of its format")
        parser.add_argument("--until", metavar="STAGE", default="", help="play to the end of this stage, by its key")
        parser.add_argument("--seed", type=int, default=1, help="another number gives another show (1 unless given)")
        parser.add_argument(
            "--players", type=int, help="players in each tournament (three for every place after its cut unless given)"
        )

    def handle(self, *args: Any, tournament: str, until: str, seed: int, players: int | None, **options: Any) -> None:
        try:
            show = rehearsal.make(chosen=tournament, until=until, seed=seed, players=players)
        except Refusal as refusal:
            raise CommandError(refusal.sentence) from refusal
        for made in show.tournaments.order_by("pk"):
            entered = selectors.entered(made).count()
            recorded = Score.objects.filter(stage__tournament=made, state__in=Score.COUNTED).count()
            self.stdout.write(f"{made.path}: {entered} entries, {recorded} scores.")
