"""Properties are tried in the way of the shared rules."""

import tests.tournaments.domain.conftest  # noqa: F401
