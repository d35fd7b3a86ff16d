"""What formats add to the shared pages and sheets beside their templates: the data that only they can make.

A format names the templates in `panels`; the app that has them says here, when it is ready, what goes into them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from tournaments.live import Reading
from tournaments.views.course import Course

Source = Callable[[Reading, Course, int | None], Mapping[str, Any]]
"""(a stage, the tournament from its first seats on, the entry whose page it is, if one's) -> what the panel shows."""

_sources: dict[tuple[str, str, str], Source] = {}


def register(kind: str, stage: str, audience: str, source: Source) -> None:
    """Ask this source for the panel of a format's stage for an audience."""
    _sources[kind, stage, audience] = source


def context(reading: Reading, course: Course, audience: str, entry: int | None = None) -> Mapping[str, Any]:
    """What the panel of a stage shows to this audience; empty where the format adds nothing."""
    source = _sources.get((reading.tournament.kind.key, reading.stage.key, audience))
    return source(reading, course, entry) if source else {}
