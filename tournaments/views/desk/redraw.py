"""The rest of a running round is drawn again: what would change is looked at, published with a reason, taken back.

The preview is a page that anybody can load again: which machines are out is in its address, and nothing is stored.
"""

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.forms import BoundField
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from tournaments import permissions, selectors
from tournaments.domain.refusals import Refusal
from tournaments.forms import RedrawForm
from tournaments.models import Machine, Match, Seat, Stage
from tournaments.services import redraw as service
from tournaments.services import redrawing, withdrawn
from tournaments.services.redrawing import Redraw
from tournaments.views.desk.board import left_seats
from tournaments.views.desk.common import actor, attempt, decide, match_stage, page, posted_from, to_page

BEGUN, KEPT, EMPTIED, AGAIN, DROPPED = "begun", "kept", "emptied", "again", "dropped"


@dataclass(frozen=True)
class Line:
    """A match as it would be, and what becomes of it; of one drawn again also the matches that it replaces.

    `players` are seats with whether each is empty.
    """

    round: int
    order: int
    machine: Machine
    players: list[tuple[Seat, bool]]
    what: str
    was: list["Line"] = field(default_factory=list)


def _to_the_board(request: HttpRequest, stage: Stage, **parts: Any) -> HttpResponse:
    return to_page("desk:slips", stage)


@match_stage
@require_GET
def redraw(request: HttpRequest, stage: Stage) -> HttpResponse:
    """What drawing the rest again would change."""
    return _page(request, stage, _form(stage, request.GET))


@match_stage
@permissions.organiser
@posted_from("desk:redraw", done=_to_the_board)
def publish(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Publish the re-draw that the preview showed."""
    form = _form(stage, request.POST)
    if not form.is_valid():
        return _page(request, stage, form)
    typed = form.cleaned_data
    outcome = attempt(
        lambda: service.publish(
            stage,
            actor=actor(request),
            out=form.out,
            seed=form.seed,
            reason=typed["reason"],
            expected=-1 if typed["expected"] is None else typed["expected"],
            seen=typed["seen"],
        )
    )
    if isinstance(outcome, Refusal):
        stage.refresh_from_db()
        return _page(request, stage, _form(stage, request.POST), outcome)
    are, noun = "are" if stage.spec.plural else "is", stage.tournament.kind.noun
    messages.success(request, f"The {stage.label.lower()} {are} drawn again from here. Call the {noun}s anew.")
    return to_page("desk:slips", stage)


@match_stage
@permissions.organiser
@posted_from("desk:redraw", done=_to_the_board)
def take_back(request: HttpRequest, stage: Stage, revision: int) -> HttpResponse:
    """Take a re-draw back, with the reason."""

    def taken_back(*, actor: User, reason: str, expected: int) -> None:
        # What the person saw is the re-draw itself: while a round is played the tournament changes with every score.
        service.take_back(stage, actor=actor, revision=revision, reason=reason)

    return decide(
        request,
        stage,
        taken_back,
        told="The re-draw is taken back; the matches before it are in force again.",
        back="desk:slips",
        shown=lambda refusal: _page(request, stage, _form(stage, {}), refusal, back=request.POST.get("reason", "")),
    )


def _form(stage: Stage, data: Any) -> RedrawForm:
    """Asked about the machines that have a match left or could take one."""
    if not redrawing.offered(stage):
        raise Http404(f"The {stage.label.lower()} is not drawn again.")
    out = redrawing.out_of_play(stage)
    left = _left_on(stage)
    used = [each.machine for each in stage.stage_machines.select_related("machine").order_by("machine__name")]
    asked = [machine for machine in used if left[machine.pk] or machine not in out]
    return RedrawForm(data, machines=asked, out=out, spare=redrawing.substitutes(stage))


def _page(
    request: HttpRequest, stage: Stage, form: RedrawForm, refusal: Refusal | None = None, *, back: str | None = None
) -> HttpResponse:
    stage.tournament.refresh_from_db()
    left, out = _left_on(stage), redrawing.out_of_play(stage)
    valid = form.is_valid()
    context = {
        "form": form,
        "machines": [(machine, said, left[machine.pk]) for machine, said in _out_first(form, out)],
        "out": out,
        "left": left_seats(stage),
        "past": service.past(stage),
        "reason": request.POST.get("reason", "") if back is None else "",
        "back": back,
        "expected": stage.tournament.revision,
    }
    if valid and stage.state == Stage.State.OPEN:
        planned = attempt(lambda: redrawing.plan(stage, form.out, seed=form.seed))
        if not isinstance(planned, Refusal):
            context |= _preview(stage, planned)
        elif refusal is None:
            refusal = planned
        elif planned.sentence != refusal.sentence:
            context["no_preview"] = planned
    return page(request, "redraw", stage, context, refusal, status=200 if valid else 422)


def _out_first(form: RedrawForm, out: list[Machine]) -> list[tuple[Machine, BoundField]]:
    """The machines with what is said about each, those that are out before the others."""
    return sorted(form.lines(), key=lambda line: not (line[1].value() or line[0] in out))


def _mixed(stage: Stage, planned: Redraw) -> list[tuple[Machine, Machine, int]]:
    """Machines of games of one that get a substitute, and how many scores made on them are ranked beside others."""
    if not stage.spec.grouped:
        return []
    instead, facts = planned.running.instead, selectors.stage_facts(stage).facts
    used = {each.machine_id: each for each in stage.stage_machines.filter(machine__in=instead, state="open")}
    names = selectors.machines_by_id([*instead, *instead.values()])
    found = [(names[pk], names[instead[pk]], withdrawn.played_here(used[pk], facts).scores) for pk in sorted(used)]
    alone = {new.machine for new in planned.put_in if len(new.entries) == 1}
    return [line for line in found if line[2] and line[1].pk in alone]


def _left_on(stage: Stage) -> Counter[int]:
    """How many matches that have not begun are announced on each machine."""
    left = stage.matches.filter(state__in=redrawing.NOT_BEGUN)
    return Counter(left.values_list("machine_id", flat=True))


def _preview(stage: Stage, planned: Redraw) -> dict[str, Any]:
    """A re-draw for people: what would be different, and every match with what becomes of it."""
    lines = _lines(stage, planned)
    before = _figures(stage, planned)
    return {
        "planned": planned,
        "counts": Counter(line.what for line in lines),
        "changes": [line for line in lines if line.what in (EMPTIED, AGAIN, DROPPED)],
        "lines": lines,
        "mixed": _mixed(stage, planned),
        "figures_before": before if before != planned.redealt.figures else (),
    }


def _lines(stage: Stage, planned: Redraw) -> list[Line]:
    """Every match of the stage as it would be, in the order of play."""
    seats = {seat.entry_id: seat for seat in stage.seats.select_related("entry__player")}
    machines = {machine.pk: machine for machine in stage.tournament.show.machines.all()}

    def of(match: Match, what: str, leaves: frozenset[int] = frozenset()) -> Line:
        players = [(seats[side.entry_id], side.absent or side.entry_id in leaves) for side in match.sides.all()]
        return Line(match.round, match.order, match.machine, players, what)

    replaced = [(match, {side.entry_id for side in match.sides.all()}) for match in planned.taken_out]
    again = []
    for new in planned.put_in:
        players = [(seats[entry], entry in new.absent) for entry in new.entries]
        was = [of(match, "") for match, its in replaced if match.round == new.round and its & set(new.entries)]
        again.append(Line(new.round, new.order, machines[new.machine], players, AGAIN, was))
    found = [of(match, BEGUN) for match in planned.begun] + [of(match, KEPT) for match in planned.kept]
    found += [of(match, EMPTIED, leaves) for match, leaves in planned.emptied] + again
    playing = {(new.round, entry) for new in planned.put_in for entry in new.entries}
    found += [of(match, DROPPED) for match, its in replaced if not {(match.round, one) for one in its} & playing]
    return sorted(found, key=lambda line: (line.round, line.order))


def _figures(stage: Stage, planned: Redraw) -> tuple[str, ...]:
    """How even the matches are as they stand now."""
    announced = planned.running.announced
    used = list(dict.fromkeys(match.machine for match in announced))
    names = {seat.entry_id: str(seat.entry) for seat in stage.seats.select_related("entry__player")}
    return stage.tournament.kind.judge(stage.key, planned.running.seats, used, announced, names).figures
