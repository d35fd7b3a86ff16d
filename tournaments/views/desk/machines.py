"""The machines of a show: closed and opened in one tap, and the incident book of each with who waits."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from tournaments import permissions, selectors
from tournaments.domain.refusals import Refusal
from tournaments.models import Entry, Incident, Machine, Show, StageMachine, Tournament, Waiting
from tournaments.permissions import ORGANISER, View, has_role
from tournaments.services import incidents
from tournaments.services.given_back import given_back
from tournaments.views.desk.common import actor, attempt, once, whole
from tournaments.views.machines import machine_lines


def about_a_show(view: View) -> View:
    """A view about what the tournaments of a show share: in the show's time, never kept by a browser."""

    @wraps(view)
    @never_cache
    def loaded(request: HttpRequest, show: str, **parts: Any) -> HttpResponse:
        found = get_object_or_404(Show, slug=show)
        with timezone.override(found.zone):
            return view(request, found, **parts)

    return loaded


@permissions.desk
@about_a_show
@require_GET
def machines(request: HttpRequest, show: Show) -> HttpResponse:
    """Every machine of the show, those out of order first."""
    return _list_page(request, show)


@permissions.desk
@about_a_show
@require_GET
def machine(request: HttpRequest, show: Show, code: str) -> HttpResponse:
    """One machine: its incident book, who waits, its stages."""
    return _machine_page(request, machine_of(show, code))


@permissions.desk
@about_a_show
def act(request: HttpRequest, show: Show, code: str, act: str) -> HttpResponse:
    """A step in the incident book, from the list or from the machine's page."""
    found = machine_of(show, code)
    if request.POST.get("from") == "list":
        page = reverse("desk:machines", args=[show.slug])
        return acted(request, found, ACTS, act, page, lambda refusal: _list_page(request, show, found, refusal))
    page = reverse("desk:machine", args=[show.slug, found.code])
    return acted(request, found, ACTS, act, page, lambda refusal: _machine_page(request, found, refusal))


def acted(
    request: HttpRequest,
    machine: Machine,
    acts: Mapping[str, Callable[[Machine, HttpRequest], str]],
    act: str,
    page: str,
    refused: Callable[[Refusal], HttpResponse],
) -> HttpResponse:
    """Take one of these steps with a machine and go on to the `page`, which says what was done; or show why not."""
    if request.method != "POST":
        return redirect(page)
    if act not in acts:
        raise Http404(f"A machine knows no “{act}”.")

    def taken() -> HttpResponse:
        outcome = attempt(lambda: acts[act](machine, request))
        if isinstance(outcome, Refusal):
            return refused(outcome)
        messages.success(request, outcome)
        return redirect(page)

    return once(request, taken, again=lambda: redirect(page))


def machine_of(show: Show, code: str) -> Machine:
    """The machine of the show with this code, in large or small letters, or 404."""
    return get_object_or_404(Machine.objects.select_related("show"), show=show, code__iexact=code)


def _list_page(
    request: HttpRequest, show: Show, tried: Machine | None = None, refusal: Refusal | None = None
) -> HttpResponse:
    now = timezone.now()
    lines = machine_lines(Machine.objects.filter(show=show).order_by("name", "code"), now)
    context = {
        "out": [line for line in lines if not line.machine.in_order],
        "others": [line for line in lines if line.machine.in_order],
        "tried": tried,
        "typed": request.POST.get("what", ""),
        "now": now,
    }
    return _page(request, "machines", show, context, refusal)


def _machine_page(request: HttpRequest, found: Machine, refusal: Refusal | None = None) -> HttpResponse:
    found.refresh_from_db(fields=["in_order"])
    line = machine_lines([found], timezone.now())[0]
    context = {
        "line": line,
        "machine": found,
        "waits": incidents.who_waits(found),
        "tournaments": list(incidents.tournaments_using(found)),
        "stages": [_in_stage(use) for use in line.uses],
        "lines": selectors.history_of_machine(found),
        "typed": {name: request.POST.get(name, "") for name in ("what", "number", "tournament")},
        "now": line.now,
    }
    return _page(request, "machine", found.show, context, refusal)


def _in_stage(use: StageMachine) -> dict[str, Any]:
    """A stage that uses the machine: the ruling that withdrew it there, and who has a game to play again."""
    withdrawn = use.state != StageMachine.State.OPEN
    back = given_back(use.stage) if withdrawn and not use.stage.spec.matches else []
    return {
        "use": use,
        "ruling": selectors.withdrawing_ruling(use.stage, use.machine),
        "given_back": [line for line in back if line.left and any(m.id == use.machine_id for m in line.machines)],
    }


def _page(
    request: HttpRequest, template: str, show: Show, context: dict[str, Any], refusal: Refusal | None
) -> HttpResponse:
    shared = {"show": show, "organiser": has_role(request.user, ORGANISER), "refusal": refusal}
    status = refusal.status if refusal else 200
    return render(request, f"tournaments/desk/{template}.html", {**shared, **context}, status=status)


def _out(machine: Machine, request: HttpRequest) -> str:
    incidents.report(machine, actor=actor(request), what=request.POST.get("what", ""))
    return f"{machine} is out of order: no game starts on it."


def _note(machine: Machine, request: HttpRequest) -> str:
    incidents.report(machine, actor=actor(request), what=request.POST.get("what", ""), out_of_order=False)
    return f"The fault of {machine} is noted; it stays in play."


def _in_order(machine: Machine, request: HttpRequest) -> str:
    incidents.in_order_again(machine, actor=actor(request), what=request.POST.get("what", ""))
    to_call = incidents.who_waits(machine).to_call
    called = f" Call {', '.join(str(line.entry) for line in to_call)}." if to_call else ""
    return f"{machine} is in order.{called}"


def _repaired(machine: Machine, request: HttpRequest) -> str:
    incidents.repaired(_incident(machine, request), actor=actor(request), what=request.POST.get("what", ""))
    return "Noted as repaired."


def _reopen(machine: Machine, request: HttpRequest) -> str:
    incidents.reopen(_incident(machine, request), actor=actor(request))
    return f"The repair of {machine} was taken back."


def _take_back(machine: Machine, request: HttpRequest) -> str:
    incidents.take_back(_incident(machine, request), actor=actor(request))
    return f"The report on {machine} was taken back."


def _wait(machine: Machine, request: HttpRequest) -> str:
    entry = _entry(machine, request)
    incidents.wait(machine, actor=actor(request), entry=entry)
    return f"{entry} waits for {machine}."


def _stop_waiting(machine: Machine, request: HttpRequest) -> str:
    waiting = Waiting.objects.select_related("entry__player", "entry__tournament", "incident__machine__show")
    found = waiting.filter(pk=whole(request.POST.get("waiting", "")), incident__machine=machine).first()
    if found is None:
        return "That player is not on the list any more."
    incidents.stop_waiting(found, actor=actor(request))
    return f"{found.entry} is off the list."


ACTS: dict[str, Callable[[Machine, HttpRequest], str]] = {
    "out-of-order": _out,
    "note": _note,
    "in-order": _in_order,
    "repaired": _repaired,
    "reopen": _reopen,
    "take-back": _take_back,
    "wait": _wait,
    "stop-waiting": _stop_waiting,
}


def _incident(machine: Machine, request: HttpRequest) -> Incident:
    found = Incident.objects.select_related("machine__show")
    incident = found.filter(pk=whole(request.POST.get("incident", "")), machine=machine).first()
    if incident is None:
        raise Refusal(f"{machine} has no such report any more; look again.")
    return incident


def _entry(machine: Machine, request: HttpRequest) -> Entry:
    """Who is meant by a typed number, in the tournaments that play the machine now."""
    typed = request.POST.get("number", "").strip()
    using: list[Tournament] = list(incidents.tournaments_using(machine))
    chosen = request.POST.get("tournament", "")
    places = [tournament for tournament in using if chosen in ("", tournament.slug)]
    found = [entry for each in places if (entry := selectors.entry_numbered(each, whole(typed)))]
    if not found:
        raise Refusal(
            f"Nobody has the number “{typed}” in a tournament that plays {machine} now."
            if typed
            else "Type the number of who waits.",
            field="number",
        )
    if len(found) > 1:
        told = ", ".join(f"{entry} in {entry.tournament.name}" for entry in found)
        raise Refusal(f"{told}: choose the tournament.", field="tournament")
    return found[0]
