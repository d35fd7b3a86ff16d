"""The desk's pages about teams: the list, registering, one team, seeds and groups."""

from collections.abc import Callable
from functools import partial
from itertools import groupby
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.utils import timezone
from django.views.decorators.http import require_GET, require_http_methods

from teams import selectors
from teams.format import GROUPS
from teams.forms import DetailsForm, LineUpForm, NewTeamForm, PeopleForm, as_typed
from teams.models import Team
from teams.services import groups, teams
from tournaments import permissions
from tournaments.domain.facts import Standing
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.forms import OrderForm, new_key
from tournaments.models import Entry, Ruling, Stage
from tournaments.permissions import View
from tournaments.selectors import rulings_in_force
from tournaments.views.desk import rulings
from tournaments.views.desk.common import (
    about_a_stage,
    actor,
    attempt,
    decide,
    page,
    posted_from,
    to_page,
    whole,
)

FOLDER = "teams/desk"


def groups_stage(view: View) -> View:
    """A view of the desk about the groups of a team tournament, where its teams register."""
    return permissions.desk(about_a_stage(view, lambda spec: spec == GROUPS))


@groups_stage
@require_GET
def listed(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Every team with its people, and whether it is here."""
    return _list_page(request, stage)


def _to_its_page(request: HttpRequest, stage: Stage, number: int) -> HttpResponse:
    return to_page("teams:team", stage, number)


def _to_where_it_was(request: HttpRequest, stage: Stage, number: int) -> HttpResponse:
    """The page of the team, or the list."""
    return (
        to_page("teams:team", stage, number) if request.POST.get("back") == "team" else to_page("teams:teams", stage)
    )


@groups_stage
@posted_from("teams:teams", done=_to_where_it_was)
def check_in(request: HttpRequest, stage: Stage, number: int) -> HttpResponse:
    """The team is here; the list or the team's page comes back."""
    return _here(request, stage, _team(stage, number), teams.check_in)


@groups_stage
@posted_from("teams:teams", done=_to_where_it_was)
def take_check_in_back(request: HttpRequest, stage: Stage, number: int) -> HttpResponse:
    """The team is not here after all; the list or the team's page comes back."""
    return _here(request, stage, _team(stage, number), teams.take_check_in_back)


def _here(request: HttpRequest, stage: Stage, team: Team, act: Callable[..., None]) -> HttpResponse:
    outcome = attempt(lambda: act(team, actor=actor(request)))
    on_its_page = request.POST.get("back") == "team"
    if isinstance(outcome, Refusal):
        return _team_page(request, team, outcome) if on_its_page else _list_page(request, stage, outcome)
    messages.success(request, f"{team.entry} is {team.entry.get_status_display()}.")
    return _to_where_it_was(request, stage, team.entry.number)


@groups_stage
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, stage: Stage) -> HttpResponse:
    """A team registers, or comes in for one that has withdrawn. A name that the show knows asks who it is."""
    leaving = _leaving(request, stage)
    form = NewTeamForm(request.POST or None, tournament=stage.tournament)
    if request.method != "POST" or not form.is_valid():
        return _new_page(request, stage, form, leaving)
    typed = {
        **form.details(),
        "members": form.members,
        "captain": form.leads,
        "number": form.cleaned_data["number"],
        "key": form.cleaned_data["key"],
        "actor": actor(request),
    }
    reason = form.cleaned_data["reason"]
    outcome = attempt(
        lambda: (
            teams.replace(leaving, reason=reason, **typed) if leaving else teams.register(stage.tournament, **typed)
        )
    )
    if isinstance(outcome, Refusal):
        return _new_page(request, stage, form, leaving, outcome)
    messages.success(request, f"{outcome.entry} is entered. The number is {outcome.entry.number}.")
    return to_page("teams:team", stage, outcome.entry.number)


@groups_stage
@require_GET
def team(request: HttpRequest, stage: Stage, number: int) -> HttpResponse:
    """One team: its details, its people, and what can be done."""
    return _team_page(request, _team(stage, number))


@groups_stage
@posted_from("teams:teams", done=_to_its_page)
def details(request: HttpRequest, stage: Stage, number: int) -> HttpResponse:
    """Name, WPPR points and note are corrected."""
    team, form = _team(stage, number), DetailsForm(request.POST)
    if not form.is_valid():
        return _team_page(request, team, details=form)
    outcome = attempt(
        lambda: teams.change_details(team, actor=actor(request), expected=_expected(form), **form.details())
    )
    if isinstance(outcome, Refusal):
        return _team_page(request, team, outcome, details=form)
    messages.success(request, f"The details of {team.entry} are saved.")
    return to_page("teams:team", stage, number)


@groups_stage
@posted_from("teams:teams", done=_to_its_page)
def members(request: HttpRequest, stage: Stage, number: int) -> HttpResponse:
    """Who plays for the team from now on: a member is replaced, comes or goes."""
    team, form = _team(stage, number), LineUpForm(request.POST, tournament=stage.tournament)
    if not form.is_valid():
        return _team_page(request, team, people=form)
    outcome = attempt(
        lambda: teams.change_members(
            team,
            actor=actor(request),
            members=form.members,
            captain=form.leads,
            reason=form.cleaned_data["reason"],
            expected=_expected(form),
        )
    )
    if isinstance(outcome, Refusal):
        return _team_page(request, team, outcome, people=form)
    messages.success(request, f"The players of {team.entry} are saved.")
    return to_page("teams:team", stage, number)


@groups_stage
@require_GET
def seeds(request: HttpRequest, stage: Stage) -> HttpResponse:
    """The seeds and groups as they would be, or as they were drawn up."""
    return _seeds_page(request, stage)


@groups_stage
@posted_from("teams:seeds")
def order(request: HttpRequest, stage: Stage) -> HttpResponse:
    """The order of teams that are level on WPPR points, or of all, by ruling."""
    form = OrderForm(request.POST, level=_entries(stage) if "all" in request.POST else _level(stage)[0])
    if not form.is_valid():
        return _seeds_page(request, stage, order=form)
    outcome = attempt(
        lambda: groups.order_seeds(
            stage,
            actor=actor(request),
            order=form.order,
            reason=form.cleaned_data["reason"],
            expected=form.cleaned_data["expected"],
        )
    )
    if isinstance(outcome, Refusal):
        return _seeds_page(request, stage, outcome, order=form)
    messages.success(request, "The order of the seeds is recorded.")
    return to_page("teams:seeds", stage)


@groups_stage
@posted_from("teams:seeds")
def draw_up(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Freeze seeds and groups as the page showed them."""
    expected = whole(request.POST.get("expected", ""))
    outcome = attempt(lambda: groups.draw_up(stage, actor=actor(request), expected=expected))
    if isinstance(outcome, Refusal):
        return _seeds_page(request, stage, outcome)
    messages.success(request, "The groups are drawn up.")
    return to_page("teams:seeds", stage)


@groups_stage
@permissions.organiser
@posted_from("teams:seeds")
def take_back(request: HttpRequest, stage: Stage) -> HttpResponse:
    """The groups are taken back, as long as no match of them is published."""
    return decide(
        request,
        stage,
        partial(groups.take_back, stage),
        told="The groups are taken back.",
        back="teams:seeds",
        shown=partial(_seeds_page, request, stage),
    )


def _team(stage: Stage, number: int) -> Team:
    found = get_object_or_404(selectors.teams(stage.tournament), entry__number=number)
    found.entry.tournament = stage.tournament
    return found


def _leaving(request: HttpRequest, stage: Stage) -> Team | None:
    """The team for which the new one comes in, if the page was asked for so."""
    number = (request.POST if request.method == "POST" else request.GET).get("instead_of", "")
    return _team(stage, whole(number)) if number else None


def _entries(stage: Stage) -> list[Entry]:
    return [team.entry for team in selectors.teams(stage.tournament) if team.entry.standing == "in"]


def _level(stage: Stage) -> tuple[list[Entry], list[selectors.Proposed], Refusal | None]:
    """Who has to be put in order first, else the groups as they would be, else why there are none."""
    found = attempt(lambda: selectors.proposed(stage))
    if isinstance(found, NeedsDecision):
        return [entry for entry in _entries(stage) if entry.pk in found.about], [], found
    return ([], [], found) if isinstance(found, Refusal) else ([], found, None)


def _expected(form: DetailsForm | LineUpForm) -> int:
    """The revision that the page showed; whoever sends none has seen none that there is."""
    seen = form.cleaned_data["expected"]
    return -1 if seen is None else seen


def _list_page(request: HttpRequest, stage: Stage, refusal: Refusal | None = None) -> HttpResponse:
    rules = stage.tournament.rules_in_force
    seats = {seat.entry_id: seat for seat in selectors.group_seats(stage)}
    found = list(selectors.teams(stage.tournament))
    lines = [(team, seats.get(team.entry_id), teams.notes(rules, team, len(team.line_up))) for team in found]  # type: ignore[attr-defined]
    still_in = sum(team.entry.standing == Standing.IN for team in found)
    context = {
        "lines": lines,
        "still_in": still_in,
        "gone": len(found) - still_in,
        "begun": selectors.begun(stage.tournament_id),
        "here": sum(team.entry.status == Entry.Status.CHECKED_IN for team in found),
    }
    return page(request, "teams", stage, context, refusal, folder=FOLDER)


def _new_page(
    request: HttpRequest, stage: Stage, form: NewTeamForm, leaving: Team | None, refusal: Refusal | None = None
) -> HttpResponse:
    context: dict[str, Any] = {
        "form": form,
        "leaving": leaving,
        "namesakes": _namesakes(form, refusal),
        "key": new_key(),
    }
    return page(request, "new", stage, context, refusal, status=422 if form.errors else 200, folder=FOLDER)


def _namesakes(form: PeopleForm, refusal: Refusal | None) -> Any:
    asks = isinstance(refusal, NeedsDecision) and refusal.settle == "namesake"
    return form.namesakes(refusal.about) if asks and isinstance(refusal, NeedsDecision) else None


def _team_page(
    request: HttpRequest,
    team: Team,
    refusal: Refusal | None = None,
    *,
    details: DetailsForm | None = None,
    people: LineUpForm | None = None,
) -> HttpResponse:
    stage = selectors.groups_stage(team.entry.tournament)
    line_up = selectors.line_up(team)
    seat = selectors.seat_of(stage, team.entry)
    begun = selectors.has_begun(team.entry)
    context = {
        "team": team,
        "entry": team.entry,
        "line_up": line_up,
        "seat": seat,
        "begun": begun,
        "replaceable": seat and not begun and team.entry.status == Entry.Status.WITHDRAWN,
        "notes": teams.notes(stage.tournament.rules_in_force, team, len(line_up)),
        "details": details or DetailsForm(initial={"name": team.entry.title, "wppr": team.wppr, "note": team.note}),
        "people": people or LineUpForm(tournament=stage.tournament, initial=as_typed(line_up)),
        "namesakes": _namesakes(people, refusal) if people else None,
    }
    status = 422 if (details and details.errors) or (people and people.errors) else 200
    return page(request, "team", stage, context, refusal, status=status, folder=FOLDER)


def _seeds_page(
    request: HttpRequest, stage: Stage, refusal: Refusal | None = None, *, order: OrderForm | None = None
) -> HttpResponse:
    """`order` is the form that was sent, for those who are level or for all teams."""
    level, everybody = (None, order) if "all" in request.POST else (order, None)
    seats = selectors.group_seats(stage)
    to_order, proposed, why_not = ([], [], None) if seats else _level(stage)
    found = rulings_in_force(stage.tournament, stage=stage, kind=Ruling.Kind.SEEDING)
    context = {
        "drawn": _in_groups(seats),
        "proposed": _in_groups(sorted(proposed, key=lambda each: (each.group, each.seed))),
        "why_not": why_not,
        "level": level or (OrderForm(level=to_order) if to_order else None),
        "everybody": everybody or OrderForm(level=_entries(stage)),
        "published": selectors.published(stage),
        "rulings": rulings.told(request, found, stage.phase(timezone.now())),
    }
    return page(
        request, "seeds", stage, context, refusal, status=422 if order and order.errors else 200, folder=FOLDER
    )


def _in_groups(lines: list[Any]) -> list[tuple[str, list[Any]]]:
    return [(label, list(same)) for label, same in groupby(lines, key=lambda line: line.group)]
