"""The public pages of a team tournament, asked for by somebody nobody knows."""

import pytest
from django.test import Client

from tests.teams.evening import Evening
from tournaments import live


@pytest.fixture(autouse=True)
def no_waiting(monkeypatch):
    """Writes of a test are not committed, so the process never hears of them: it asks each time."""
    monkeypatch.setattr(live, "REVISION_MEMO", 0.0)


class Public:
    """Pages of an evening's tournament."""

    def __init__(self, evening):
        self.client = Client()
        self.base = f"/t/{evening.show.slug}/{evening.tournament.slug}/"

    def get(self, path="groups/", **data):
        return self.client.get(self.base + path, data)


@pytest.fixture
def public():
    return Public


@pytest.fixture
def evening():
    """Eight teams, begun: group A is 1 and 6, 2 and 5 are in B, 3 and 8 in C, 4 and 7 in D."""
    made = Evening(8)
    made.begin()
    return made


@pytest.fixture
def four():
    """Four teams in one group, begun."""
    made = Evening(4)
    made.begin(machines=4)
    return made
