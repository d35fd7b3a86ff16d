"""People at the desk: somebody enters, is here, leaves, comes back."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET, require_http_methods

from tournaments import selectors
from tournaments.domain import standings
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.forms import NewEntryForm, new_key
from tournaments.models import Entry, Journal, Player, Score, Stage
from tournaments.permissions import ORGANISER, has_role
from tournaments.services import entries
from tournaments.views.desk.common import actor, attempt, entry_of, page, posted_from, slips_stage, to_page


@slips_stage
@require_GET
def entry(request: HttpRequest, stage: Stage, number: int) -> HttpResponse:
    """One entry: games, place and why, and what can be done."""
    found = entry_of(stage, number)
    if found.number != number:
        messages.info(request, f"{found} was number {number} as well; the two records are one person.")
        return to_page("desk:entry", stage, found.number)
    return _entry_page(request, stage, found)


@slips_stage
@posted_from("desk:entry")
def act(request: HttpRequest, stage: Stage, number: int, act: str) -> HttpResponse:
    """Check in, withdraw, disqualify or reinstate."""
    if act not in ACTS:
        raise Http404(f"An entry cannot be “{act}”.")
    found = entry_of(stage, number)
    if _organisers_only(act, found) and not has_role(request.user, ORGANISER):
        raise PermissionDenied("Disqualifying and taking that back is for the organisers.")
    service = ACTS[act]
    outcome = attempt(lambda: service(found, request))
    if isinstance(outcome, Refusal):
        return _entry_page(request, stage, entry_of(stage, number), act, outcome)
    now = entry_of(stage, number)
    messages.success(request, f"{now} is {now.get_status_display()}.")
    return to_page("desk:entry", stage, number)


@slips_stage
@require_http_methods(["GET", "HEAD", "POST"])
def new(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Somebody enters at the desk. The same name or e-mail address asks before a second person is made."""
    form = NewEntryForm(request.POST or None, tournament=stage.tournament)
    if request.method != "POST":
        return _new_page(request, stage, form)
    if not form.is_valid():
        return _new_page(request, stage, form, status=422)
    player = _chosen_player(request, stage)
    outcome = attempt(
        lambda: entries.register(
            stage.tournament,
            actor=actor(request),
            **form.cleaned_data,
            player=player,
            namesake_is_another="another" in request.POST,
            key=request.POST.get("key", "")[:64],
        )
    )
    if isinstance(outcome, Refusal):
        return _new_page(request, stage, form, outcome)
    messages.success(request, f"{outcome} is entered. The number is {outcome.number}.")
    return to_page("desk:entry", stage, outcome.number)


def _check_in(entry: Entry, request: HttpRequest) -> None:
    entries.check_in(entry, actor=actor(request))


def _withdraw(entry: Entry, request: HttpRequest) -> None:
    entries.withdraw(entry, actor=actor(request), reason=request.POST.get("reason", ""))


def _disqualify(entry: Entry, request: HttpRequest) -> None:
    entries.disqualify(entry, actor=actor(request), reason=request.POST.get("reason", ""))


def _reinstate(entry: Entry, request: HttpRequest) -> None:
    entries.reinstate(entry, actor=actor(request), reason=request.POST.get("reason", ""))


ACTS: dict[str, Callable[[Entry, HttpRequest], None]] = {
    "check-in": _check_in,
    "withdraw": _withdraw,
    "disqualify": _disqualify,
    "reinstate": _reinstate,
}


def _organisers_only(act: str, entry: Entry) -> bool:
    return act == "disqualify" or (act == "reinstate" and entry.status == Entry.Status.DISQUALIFIED)


def _entry_page(
    request: HttpRequest, stage: Stage, entry: Entry, tried: str = "", refusal: Refusal | None = None
) -> HttpResponse:
    read = selectors.stage_facts(stage)
    games = Score.objects.filter(stage=stage, entry=entry).select_related("machine", "entry__player")
    results = {result.machine: result for result in read.table.row(entry.pk).results}
    context = {
        "entry": entry,
        "row": read.table.row(entry.pk),
        "allowed": read.rules.games_allowed,
        "games": [(game, results.get(game.machine_id)) for game in games.order_by("recorded_at", "started_at")],
        "why": standings.why(entry.pk, read.facts, read.table, read.rules),
        "lines": Journal.objects.filter(entry=entry, score=None).select_related("actor").order_by("-revision"),
        "tried": tried,
        "reason": request.POST.get("reason", ""),
    }
    return page(request, "entry", stage, context, refusal)


def _new_page(
    request: HttpRequest, stage: Stage, form: NewEntryForm, refusal: Refusal | None = None, status: int = 200
) -> HttpResponse:
    namesake = None
    if isinstance(refusal, NeedsDecision) and refusal.settle == "namesake":
        namesake = Player.objects.filter(show=stage.tournament.show, pk__in=refusal.about).first()
    context: dict[str, Any] = {"form": form, "namesake": namesake, "key": new_key()}
    return page(request, "entry_new", stage, context, refusal, status)


def _chosen_player(request: HttpRequest, stage: Stage) -> Player | None:
    """The person of the show who was meant when asked about a namesake."""
    number = request.POST.get("player", "")
    if not number.isdecimal() or len(number) > 9:
        return None
    return Player.objects.filter(show=stage.tournament.show, number=int(number)).first()
