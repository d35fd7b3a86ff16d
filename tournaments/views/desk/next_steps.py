"""What each tournament needs next from the desk: one sentence and where it is done."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from tournaments.domain.facts import Phase
from tournaments.models import Match, Score, Seat, Stage, Tournament
from tournaments.models.people import STANDINGS
from tournaments.views.desk.common import stage_url
from tournaments.views.desk.seats import next_in_order


@dataclass(frozen=True)
class Step:
    """What is next. `page` is the name of one of the desk's pages about the stage, "" where the results are next."""

    words: str
    stage: Stage
    page: str

    @property
    def url(self) -> str:
        return stage_url(self.page, self.stage) if self.page else ""


class Counts:
    """How far all stages are: seats, those of them whose holder has left, matches by their state and games under way,
    in three queries.
    """

    def __init__(self) -> None:
        seated = list(Seat.objects.order_by().values_list("stage_id", "entry__status"))
        self.seats = Counter(stage for stage, _ in seated)
        self.left = Counter(stage for stage, status in seated if status in STANDINGS)
        live = Match.objects.exclude(state=Match.State.VOID).order_by()
        self.matches = Counter(live.values_list("stage_id", "state"))
        games = Score.objects.filter(state=Score.State.PLAYING, match=None).order_by()
        self.playing = Counter(games.values_list("stage_id", flat=True))

    def matches_in(self, stage: Stage, states: Iterable[str]) -> int:
        """How many matches of a stage are in these states."""
        return sum(self.matches[stage.pk, str(state)] for state in states)

    def dealt(self, stage: Stage) -> int:
        """How many matches of a stage are published."""
        return self.matches_in(stage, Match.State.values)


def next_step(tournament: Tournament, stages: Sequence[Stage], counts: Counts, now: datetime) -> Step | None:
    """The next step of a tournament, whose stages are given in their order; None once its results are declared."""
    played = [stage for stage in stages if stage.spec.playable]
    if tournament.results_declared_at or not played:
        return None
    before: Stage | None = None
    for stage in played:
        if stage.left_out:
            continue
        if stage.phase(now) != Phase.CLOSED:
            if stage.state == Stage.State.OPEN:
                return _under_way(stage, counts, now)
            if not _clear_without_a_game(stage, stages, counts):
                return _begin(stage, before, counts)
        before = stage
    return Step("Everything is played: the results can be declared.", played[-1], "")


def _clear_without_a_game(stage: Stage, stages: Sequence[Stage], counts: Counts) -> bool:
    """Whether so few went on from games that are over, or left out, that nobody has to play here."""
    feeding = (each for each in stages if any(feed.stage == stage.key for feed in each.spec.feeds))
    return counts.seats[stage.pk] == 1 and any(each.state == Stage.State.CLOSED for each in feeding)


def _under_way(stage: Stage, counts: Counts, now: datetime) -> Step:
    label = stage.label
    if stage.spec.matches:
        playing = counts.matches_in(stage, Match.UNDER_WAY)
        left = counts.matches_in(stage, [Match.State.PLANNED])
        if not playing and not left:
            return Step(f"{label}: everything is played; close it.", stage, "desk:close")
        return Step(f"{label}: {playing} under way, {left} to be called.", stage, "desk:slips")
    games = counts.playing[stage.pk]
    if stage.phase(now) == Phase.CLOSING:
        out = f"{games} still out" if games else "nothing is out; close it"
        return Step(f"{label} is closing: {out}.", stage, "desk:close")
    return Step(f"{label} is open: {games} under way.", stage, "desk:slips")


def _begin(stage: Stage, before: Stage | None, counts: Counts) -> Step:
    label = stage.label
    if not stage.spec.matches:
        return Step(f"{label}: open it.", stage, "desk:close")
    if not counts.seats[stage.pk]:
        if before is None:
            return Step(f"{label}: draw them up.", stage, "desk:slips")
        decides = "the cut is to be declared" if before.spec.ranked else "ties are to be settled"
        return Step(f"{before.label}: {decides}.", before, "desk:cut")
    if counts.left[stage.pk] and not stage.spec.grouped and next_in_order(stage):
        return Step(f"{label}: give the seat of who has left to the next in the order.", stage, "desk:seats")
    if not counts.dealt(stage):
        words = "draw its machine by lot" if stage.spec.by_lot else "publish its matches"
        return Step(f"{label}: {words}.", stage, "desk:slips")
    return Step(f"{label}: open it and call.", stage, "desk:close")
