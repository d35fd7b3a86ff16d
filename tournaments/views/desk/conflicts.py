"""Two results for one game: both side by side until somebody says which is right; until then it moves nothing."""

from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from tournaments import selectors
from tournaments.domain.refusals import Refusal
from tournaments.domain.scores import grouped
from tournaments.models import Score, Stage
from tournaments.services import scores
from tournaments.views.desk.common import (
    actor,
    clock,
    desk_stage,
    page,
    posted_from,
    score_of,
    stage_url,
    whole,
)
from tournaments.views.desk.confirm import confirmed

SOURCES = {"slip": "from a slip", "official": "from a match page", "tablet": "from a tablet", "import": "from a file"}


class Result(NamedTuple):
    """One of the two results: the value and where it comes from, in words."""

    score: Score
    words: str


class Conflict(NamedTuple):
    """A result that waits beside the one that counts; `first` is None when that is gone."""

    second: Result
    first: Result | None


def conflict(waiting: Score) -> Conflict:
    """The two results between which a waiting one wants a decision."""
    first = selectors.rival(waiting)
    return Conflict(_result(waiting), _result(first) if first else None)


def _result(score: Score) -> Result:
    """ "from a slip, entered at 14:31 by dora, taken at 14:05" """
    now = timezone.now()
    parts = [SOURCES.get(score.source, score.source)]
    if score.recorded_at:
        who = f" by {score.recorded_by.username}" if score.recorded_by else ""
        parts.append(f"entered at {clock(score.recorded_at, now)}{who}")
    if score.taken_at and score.recorded_at and clock(score.taken_at, now) != clock(score.recorded_at, now):
        parts.append(f"taken at {clock(score.taken_at, now)}")
    if score.late:
        parts.append("late")
    return Result(score, ", ".join(parts))


@desk_stage
@require_GET
def conflicts(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Every game of the stage with two results."""
    return _conflicts_page(request, stage)


@desk_stage
@posted_from("desk:conflicts")
def settle(request: HttpRequest, stage: Stage, score: int) -> HttpResponse:
    """Choose one of two results, with the reason; what it changes is shown first."""
    waiting = score_of(stage, score)
    keep, reason = request.POST.get("keep"), request.POST.get("reason", "")
    if keep not in ("first", "second"):
        refusal = Refusal("Choose which of the two results is right.", field="keep")
        return _conflicts_page(request, stage, waiting, refusal)
    rival, seen = selectors.rival(waiting), request.POST.get("seen_first", "")
    right = waiting if keep == "second" or rival is None else rival
    told = f"{waiting.entry} on {waiting.machine}: {grouped(right.value or 0)}"
    dropped = rival is None and keep == "first"
    outcome = confirmed(
        request,
        stage,
        lambda shown, late: scores.settle(
            waiting,
            actor=actor(request),
            keep_waiting=keep == "second",
            reason=reason,
            seen_first=whole(seen) if seen else None,
            shown=shown,
        ),
        title="Drop a result" if dropped else "Decide between two results",
        button=f"Drop {grouped(right.value or 0)}" if dropped else f"{grouped(right.value or 0)} is right",
        done=f"Dropped: {told}." if dropped else f"The two results are settled. Now: {told}.",
        back=stage_url("desk:conflicts", stage),
        about=f"{told} {'is dropped' if dropped else 'counts'}. Reason: {reason}",
        nothing="No place, seat or game changes.",
    )
    return _conflicts_page(request, stage, waiting, outcome) if isinstance(outcome, Refusal) else outcome


def _conflicts_page(
    request: HttpRequest, stage: Stage, tried: Score | None = None, refusal: Refusal | None = None
) -> HttpResponse:
    context: dict[str, Any] = {
        "conflicts": [conflict(waiting) for waiting in selectors.waiting(stage)],
        "tried": tried.pk if tried else None,
        "keep": request.POST.get("keep", ""),
        "reason": request.POST.get("reason", ""),
    }
    return page(request, "conflicts", stage, context, refusal)
