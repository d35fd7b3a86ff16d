"""The final places: as they stand, declared, held back until the ceremony, revealed, taken back."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from tournaments import permissions
from tournaments.domain.refusals import Refusal
from tournaments.domain.standings import place_words
from tournaments.models import Entry, Tournament
from tournaments.services import results as results_service
from tournaments.views.desk.common import actor, attempt, once, whole


@never_cache
@permissions.organiser
@require_GET
def results(request: HttpRequest, show: str, slug: str) -> HttpResponse:
    """The final places and what can be done with them."""
    return _results_page(request, _tournament(show, slug))


@never_cache
@permissions.organiser
def act(request: HttpRequest, show: str, slug: str, act: str) -> HttpResponse:
    """Declare, reveal, hold back or take back."""
    tournament = _tournament(show, slug)
    if act not in ACTS:
        raise Http404(f"Results cannot be “{act}”.")
    if request.method != "POST":
        return redirect(_address(tournament))
    return once(request, lambda: _act(request, tournament, act), again=lambda: redirect(_address(tournament)))


def _act(request: HttpRequest, tournament: Tournament, act: str) -> HttpResponse:
    service, told = ACTS[act]
    outcome = attempt(lambda: service(tournament, request))
    if isinstance(outcome, Refusal):
        return _results_page(request, _tournament(tournament.show.slug, tournament.slug), act, outcome)
    messages.success(request, told)
    return redirect(_address(tournament))


def _declare(tournament: Tournament, request: HttpRequest) -> None:
    results_service.declare(
        tournament, actor=actor(request), held_back="held_back" in request.POST, expected=_expected(request)
    )


def _expected(request: HttpRequest) -> int:
    """The revision that the page showed; whoever sends none has seen none that there is."""
    return whole(request.POST.get("expected", ""))


def _reveal(tournament: Tournament, request: HttpRequest) -> None:
    results_service.reveal(tournament, actor=actor(request))


def _hold_back(tournament: Tournament, request: HttpRequest) -> None:
    results_service.hold_back(tournament, actor=actor(request))


def _take_back(tournament: Tournament, request: HttpRequest) -> None:
    reason = request.POST.get("reason", "")
    results_service.take_back(tournament, actor=actor(request), reason=reason, expected=_expected(request))


ACTS: dict[str, tuple[Callable[[Tournament, HttpRequest], None], str]] = {
    "declare": (_declare, "The results are declared."),
    "reveal": (_reveal, "The results are public."),
    "hold-back": (_hold_back, "The last stages and the results are held back from the public."),
    "take-back": (_take_back, "The results were taken back."),
}


def _tournament(show: str, slug: str) -> Tournament:
    return get_object_or_404(Tournament.objects.select_related("show"), slug=slug, show__slug=show)


def _address(tournament: Tournament) -> str:
    return reverse("desk:results", args=[tournament.show.slug, tournament.slug])


def _results_page(
    request: HttpRequest, tournament: Tournament, tried: str = "", refusal: Refusal | None = None
) -> HttpResponse:
    declared = tournament.results_declared_at is not None
    # The revision before the places: whoever declares what changed in between is told to look again.
    rows = list(tournament.final_places.all()) if declared else results_service.places(tournament)
    entries = Entry.objects.select_related("player").filter(tournament=tournament).in_bulk()
    lines: list[dict[str, Any]] = []
    for row in rows:
        entry = entries[row.entry_id if declared else row.entry]  # type: ignore[union-attr]
        place = place_words(row.place, row.shared) if row.place else ""
        lines.append({"place": place, "number": row.place, "entry": entry, "why": row.why})
    context = {
        "show": tournament.show,
        "tournament": tournament,
        "declared": declared,
        "placed": [line for line in lines if line["place"]],
        "apart": [line for line in lines if not line["place"]],
        "obstacle": None if declared else attempt(lambda: results_service.refuse_unless_decided(tournament)),
        "at": timezone.now(),
        "tried": tried,
        "held_back": "held_back" in request.POST or tournament.results_held_back,
        "reason": request.POST.get("reason", ""),
        "refusal": refusal,
        "organiser": True,
    }
    with timezone.override(tournament.show.zone):
        status = refusal.status if refusal else 200
        return render(request, "tournaments/desk/results.html", context, status=status)
