"""After every test of a service the journal must be complete, whatever the test was about."""

import pytest

from tests import factories
from tournaments.models import Journal, Tournament


@pytest.fixture(autouse=True)
def journal_has_one_line_for_each_revision(db):
    yield
    for tournament in Tournament.objects.all():
        revisions = Journal.objects.filter(tournament=tournament).order_by("revision")
        assert list(revisions.values_list("revision", flat=True)) == list(range(1, tournament.revision + 1))


@pytest.fixture
def world():
    """Two players, six machines, qualifying of the Open open and without an end."""
    return factories.qualifying()


@pytest.fixture
def desk():
    return factories.user("desk")
