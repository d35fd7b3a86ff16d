"""After every test of a service the journal must be complete, whatever the test was about."""

import pytest

from tests import factories
from tournaments.models import Show, Tournament


@pytest.fixture(autouse=True)
def journal_has_one_line_for_each_revision(db):
    yield
    for changed in (*Tournament.objects.all(), *Show.objects.all()):
        revisions = changed.journal.order_by("revision").values_list("revision", flat=True)
        assert list(revisions) == list(range(1, changed.revision + 1)), changed


@pytest.fixture
def world():
    """Two players, six machines, qualifying of the Open open and without an end."""
    return factories.qualifying()


@pytest.fixture
def desk():
    return factories.user("desk")
