import os
import secrets
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand
from django.urls import reverse

from tournaments.permissions import GROUPS
from tournaments.services import accounts

VARIABLE = "PINPARTY_DEMO_PASSWORD"
WORDS = (
    "bumper flipper plunger tilt ramp lane spinner target kicker orbit jackpot multiball slingshot saucer gobble"
    " roto skill shot extra ball replay bonus drain outlane inlane rubber coil glass apron backbox lamp score"
)


class Command(BaseCommand):
    help = (
        "Make or renew the logins organiser, desk and official for a demonstration, and print where to use them. The"
        f" password is that of {VARIABLE}, or a new one each time. Never for a real show."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--address", default="http://localhost:8000", metavar="URL")

    def handle(self, *args: Any, address: str, **options: Any) -> None:
        password = os.environ.get(VARIABLE) or memorable()
        for name in GROUPS:
            accounts.set_up(name, group=name, password=password)
        address = address.rstrip("/")
        self.stdout.write(f"Everybody:  {address}/")
        self.stdout.write(f"Desk:       {address}/desk/")
        self.stdout.write(f"Organisers: {address}{reverse('admin:index')}")
        self.stdout.write(f"Log in as {', '.join(GROUPS[:-1])} or {GROUPS[-1]} with the password: {password}")


def memorable() -> str:
    """Three words and a number: short enough to be called across a table."""
    words = WORDS.split()
    return "-".join([*(secrets.choice(words) for _ in range(3)), str(secrets.randbelow(90) + 10)])
