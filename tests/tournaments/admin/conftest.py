import pytest

from tests import factories
from tests.tournaments.admin.pages import Pages


@pytest.fixture
def organiser(db):
    return factories.user("organiser", "olivia")


@pytest.fixture
def pages(client, organiser):
    """The admin as an organiser uses it: forms are opened, changed and sent."""
    client.force_login(organiser)
    return Pages(client)


@pytest.fixture
def world(db):
    """An open qualifying stage with two players, six machines and a score."""
    made = factories.qualifying(players=2, stock=6)
    factories.play(made.stage, made.entries[0], made.machines[0], 1_000_000)
    return made
