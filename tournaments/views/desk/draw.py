"""The draw: an organiser picks the machines, looks at the matches and how even they are, and publishes them.

The preview is a page that anybody can load again: the machines are in its address, and nothing is stored.
"""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils import timezone

from tournaments import permissions, selectors
from tournaments.domain.facts import Standing
from tournaments.domain.refusals import Refusal
from tournaments.formats import Judgement, PlannedMatch
from tournaments.forms import DrawForm
from tournaments.models import Machine, Seat, Stage, StageMachine
from tournaments.services import matches, redrawing, results
from tournaments.views.desk.common import actor, attempt, match_stage, page, posted_from, to_page
from tournaments.views.desk.seats import next_in_order


def draw_page(
    request: HttpRequest, stage: Stage, form: DrawForm | None = None, refusal: Refusal | None = None
) -> HttpResponse:
    """Which seats there are, the machines to pick from, and the matches they give."""
    seats = list(stage.seats.select_related("entry__player").order_by("seed"))
    form = form or _form(stage, request.GET)
    left = [seat for seat in seats if seat.entry.standing != Standing.IN]
    least, most = stage.tournament.kind.machines_wanted(stage.key, len(seats))
    context = {
        "form": form,
        "seats": seats,
        "groups": _groups(seats),
        "drawn": drawn_before(stage),
        "least": least,
        "most": most,
        "comes_from": _source(stage),
        "left": left,
        "alone": seats[0].entry if len(seats) == 1 and not left and results.needs_no_game(stage) else None,
        "comes_in": bool(left) and not stage.spec.grouped and bool(next_in_order(stage)),
        "redealt": redrawing.offered(stage),
    }
    valid = form.is_valid()
    context |= {"picked": _picked(form), "seed": form.seed}
    if stage.spec.by_lot:
        # Among which machines the lot is drawn: all of them, unless somebody says otherwise.
        context["picked"] = context["picked"] or {machine.pk for machine in _in_order(stage)}
    elif seats and valid and form.chosen and refusal is None:
        planned = attempt(lambda: matches.plan(stage, form.chosen, seed=form.seed))
        if isinstance(planned, Refusal):
            refusal = planned
        else:
            context["draw"] = _drawn(seats, form.chosen, planned, stage)
    return page(request, "draw", stage, context, refusal, status=200 if valid else 422)


@match_stage
@permissions.organiser
@posted_from("desk:slips")
def publish(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Publish the matches that the preview showed, for the seats it showed."""

    def published(form: DrawForm, expected: int) -> str:
        matches.deal(stage, actor=actor(request), machines=form.chosen, seed=form.seed, expected=expected)
        return f"The matches of the {stage.label.lower()} are published."

    return _act(request, stage, published)


@match_stage
@permissions.organiser
@posted_from("desk:slips")
def by_lot(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Draw the machine by lot from those ticked, and publish the match on it; drawn once, it stays drawn."""

    def drawn(form: DrawForm, expected: int) -> str:
        machine = matches.deal_by_lot(stage, actor=actor(request), machines=form.chosen, expected=expected)
        return f"The lot fell on {machine}."

    return _act(request, stage, drawn)


def _act(request: HttpRequest, stage: Stage, act: Callable[[DrawForm, int], str]) -> HttpResponse:
    """Do it with the machines picked, for the revision that the page showed, and say what was done."""
    form = _form(stage, request.POST)
    if not form.is_valid():
        return draw_page(request, stage, form)
    expected = form.cleaned_data["expected"]
    outcome = attempt(lambda: act(form, -1 if expected is None else expected))
    if isinstance(outcome, Refusal):
        stage.tournament.refresh_from_db()
        return draw_page(request, stage, form, outcome)
    messages.success(request, outcome)
    return to_page("desk:slips", stage)


def drawn_before(stage: Stage) -> StageMachine | None:
    """The machine on which the lot fell before the matches were taken back, as long as it is in order."""
    drawn = stage.stage_machines.filter(machine__in_order=True).exclude(drawn_from=None)
    return drawn.select_related("machine").first() if stage.spec.by_lot else None


def _form(stage: Stage, data: Any) -> DrawForm:
    machines = stage.tournament.show.machines.order_by("name", "code")
    groups = list(_groups(list(stage.seats.order_by("seed")))) if stage.spec.grouped else []
    return DrawForm(data, machines=machines, groups=groups)


def _picked(form: DrawForm) -> set[int]:
    """The machines that are ticked, without those that are a group's."""
    own = {form.cleaned_data.get(f"group-{label}") for label in form.groups}
    return {machine.pk for machine in form.cleaned_data.get("machine") or () if machine not in own}


def _in_order(stage: Stage) -> list[Machine]:
    return list(stage.tournament.show.machines.filter(in_order=True))


def _groups(seats: list[Seat]) -> dict[str, list[Seat]]:
    """The seats of each group in seed order, the groups by their letters; none where there are no groups."""
    groups: dict[str, list[Seat]] = {}
    for seat in sorted(seats, key=lambda seat: (seat.group, seat.seed)):
        if seat.group:
            groups.setdefault(seat.group, []).append(seat)
    return groups


def _source(stage: Stage) -> Stage | None:
    """The stage that decides the seats."""
    return selectors.source_of(stage)


def _drawn(seats: list[Any], machines: list[Machine], planned: list[PlannedMatch], stage: Stage) -> dict[str, Any]:
    """The planned matches by game with names and seeds, and what is to be said about them."""
    by_entry = {seat.entry_id: seat for seat in seats}
    by_machine = {machine.pk: machine for machine in machines}
    games: dict[int, list[dict[str, Any]]] = {}
    for match in planned:
        line = {"machine": by_machine[match.machine], "seats": [by_entry[entry] for entry in match.entries]}
        games.setdefault(match.round, []).append(line)
    names = {seat.entry_id: f"{seat.entry} (seed {seat.seed})" for seat in seats}
    judged: Judgement = stage.tournament.kind.judge(
        stage.key, [seat.entry_id for seat in seats], [machine.pk for machine in machines], planned, names
    )
    return {"games": games, "judged": judged, "at": timezone.now()}
