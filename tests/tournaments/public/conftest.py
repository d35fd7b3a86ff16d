"""The public pages of a small tournament, asked for by somebody nobody knows."""

import pytest
from django.test import Client

from tournaments import live


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Writes of a test are not committed, so the process never hears of them: it asks each time."""
    monkeypatch.setattr(live, "REVISION_MEMO", 0.0)


class Public:
    """Pages of a world's tournament."""

    def __init__(self, world):
        self.world, self.client = world, Client()
        self.base = f"/t/{world.show.slug}/{world.tournament.slug}/"

    def get(self, path="qualifying/", **options):
        return self.client.get(self.base + path, **options)

    def stage(self):
        return self.get("qualifying/")

    def rows(self, rev="", **options):
        return self.client.get(f"{self.base}qualifying/rows/", {"rev": rev} if rev else {}, **options)

    def player(self, number):
        return self.get(f"players/{number}/")

    def machine(self, code):
        return self.get(f"machines/{code}/")

    def search(self, typed):
        return self.client.get(f"{self.base}search/", {"q": typed})


@pytest.fixture
def public():
    return Public
