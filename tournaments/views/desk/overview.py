"""What stands beside the form for slips: who is missing, what is under way, what waits, what came last."""

from dataclasses import dataclass
from typing import Any

from tournaments import selectors
from tournaments.domain.facts import Entrant, Row, Standing
from tournaments.models import Journal
from tournaments.selectors import StageRead


@dataclass(frozen=True)
class Progress:
    """How many games an entry has played and is playing; nobody who left is missing."""

    entrant: Entrant
    row: Row
    playing: int
    allowed: int

    @property
    def missing(self) -> bool:
        return self.entrant.standing == Standing.IN and self.row.games < self.allowed

    @property
    def not_started(self) -> bool:
        return self.missing and self.row.games == 0 and self.playing == 0

    @property
    def unfinished(self) -> bool:
        return self.missing and not self.not_started


def progress(read: StageRead) -> list[Progress]:
    """Everybody's progress, by number."""
    playing: dict[int, int] = {}
    for entry, _ in read.facts.playing:
        playing[entry] = playing.get(entry, 0) + 1
    rows = {row.entry: row for row in read.table.rows}
    return [Progress(e, rows[e.id], playing.get(e.id, 0), read.rules.games_allowed) for e in read.facts.entrants]


def overview(read: StageRead) -> dict[str, Any]:
    """What the parts beside the form show, in two queries more, and in four while games are under way and wait.

    Most of the time of an answer to a slip goes into queries, so none is asked for what the reading says is not there.
    """
    everybody = progress(read)
    last = selectors.last_scores(read.stage)
    corrected = Journal.objects.filter(score__in=last, action="correct score").values_list("score_id", flat=True)
    return {
        "read": read,
        "not_started": sum(one.not_started for one in everybody),
        "unfinished": sum(one.unfinished for one in everybody),
        "finished": sum(one.row.games >= one.allowed for one in everybody),
        "under_way": selectors.under_way(read.stage) if read.facts.playing else [],
        "waiting": selectors.waiting(read.stage) if read.facts.waiting else [],
        "last": last,
        "corrected": set(corrected),
    }
