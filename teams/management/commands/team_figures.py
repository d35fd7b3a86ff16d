from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from teams.domain import groups, timetable
from tournaments.domain.refusals import Refusal

COLUMNS = ("teams", "groups", "turns", "least", "games on a machine", "waits", "faults")


class Command(BaseCommand):
    help = (
        "Print for each number of teams its groups and its order of play, checked anew: in how many turns it is played"
        " and in how few it could be, the games on each machine, and in how many turns between its first and its last"
        " game a team waits."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        every = list(range(groups.FEWEST, groups.MOST + 1))
        parser.add_argument("--teams", type=int, nargs="*", default=every, help="4 to 32; all of them unless given")
        parser.add_argument("--machines", type=int, default=8, help="for the matches, beside one for each group")
        parser.add_argument("--seed", type=int, default=1, help="another number gives other orders of play")

    def handle(self, *args: Any, teams: list[int], machines: int, seed: int, **options: Any) -> None:
        self.stdout.write(f"| {' | '.join(COLUMNS)} |")
        self.stdout.write(f"|{'---|' * len(COLUMNS)}")
        for many in teams:
            try:
                self.stdout.write(f"| {' | '.join(_line(many, machines, seed))} |")
            except Refusal as refusal:
                raise CommandError(refusal.sentence) from refusal


def _line(many: int, machines: int, seed: int) -> tuple[str, ...]:
    formed = groups.form(many)
    bonus = list(range(1, len(formed) + 1))
    for_matches = list(range(len(formed) + 1, len(formed) + machines + 1))
    report = timetable.check(timetable.find(formed, bonus, for_matches, seed), formed, bonus, for_matches)
    return (
        str(many),
        ", ".join(f"{letter} {' '.join(map(str, group))}" for letter, group in groups.lettered(many)),
        str(report.turns),
        str(report.least),
        _range(report.used.values()),
        _range(report.waits.values()),
        " ".join(report.faults) or "none",
    )


def _range(numbers: Any) -> str:
    least, most = min(numbers), max(numbers)
    return str(least) if least == most else f"{least} to {most}"
