"""People at the desk: somebody enters, is here, leaves, comes back."""

from collections.abc import Callable, Iterable
from typing import Any

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.views.decorators.http import require_GET, require_http_methods

from tournaments import selectors
from tournaments.domain import standings
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.forms import AgeForm, NewEntryForm, new_key
from tournaments.models import Entry, Journal, Player, Ruling, Score, Stage
from tournaments.permissions import ORGANISER, has_role
from tournaments.selectors import StageRead
from tournaments.services import entries, game_rulings
from tournaments.views.desk import rulings
from tournaments.views.desk.common import (
    actor,
    attempt,
    entry_of,
    entry_stage,
    page,
    posted_from,
    slips_stage,
    stage_url,
    to_page,
)
from tournaments.views.desk.confirm import confirmed


@entry_stage
@require_GET
def entry(request: HttpRequest, stage: Stage, number: int) -> HttpResponse:
    """One entry: games, place and why, and what can be done."""
    found = entry_of(stage, number)
    if found.number != number:
        messages.info(request, f"{found} was number {number} as well; the two records are one person.")
        return to_page("desk:entry", stage, found.number)
    return _entry_page(request, stage, found)


@entry_stage
@posted_from("desk:entry")
def act(request: HttpRequest, stage: Stage, number: int, act: str) -> HttpResponse:
    """Check in or not after all, check the age, withdraw; disqualify, reinstate, warn once its effect was shown."""
    if act not in (*ACTS, *RULINGS):
        raise Http404(f"An entry cannot be “{act}”.")
    found = entry_of(stage, number)
    if _organisers_only(act, found) and not has_role(request.user, ORGANISER):
        raise PermissionDenied("Disqualifying and taking that back is for the organisers.")
    if act in RULINGS:
        return _rule(request, stage, found, act)
    service = ACTS[act]
    outcome = attempt(lambda: service(found, request))
    if isinstance(outcome, Refusal):
        return _entry_page(request, stage, entry_of(stage, number), act, outcome)
    now = entry_of(stage, number)
    told = f"The age of {now} is checked." if act == "check-age" else f"{now} is {now.get_status_display()}."
    messages.success(request, told)
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
    entries.check_in(entry, actor=actor(request), **_age(request))


def _take_check_in_back(entry: Entry, request: HttpRequest) -> None:
    entries.take_check_in_back(entry, actor=actor(request))


def _check_age(entry: Entry, request: HttpRequest) -> None:
    told = _age(request)
    if not told["born_on"] and not told["age_seen"]:
        raise Refusal("Type the date of birth, or confirm that you have seen it.", field="born_on")
    entries.confirm_age(entry, actor=actor(request), born_on=told["born_on"])


def _age(request: HttpRequest) -> dict[str, Any]:
    """What was typed or confirmed of somebody's age."""
    form = AgeForm(request.POST)
    if not form.is_valid():
        raise Refusal(" ".join(str(error) for error in form.errors["born_on"]), field="born_on")
    return form.cleaned_data


def _withdraw(entry: Entry, request: HttpRequest) -> None:
    entries.withdraw(entry, actor=actor(request), reason=request.POST.get("reason", ""))


def _disqualify(entry: Entry, request: HttpRequest, shown: str) -> None:
    entries.disqualify(entry, actor=actor(request), reason=request.POST.get("reason", ""), shown=shown)


def _reinstate(entry: Entry, request: HttpRequest, shown: str) -> None:
    entries.reinstate(entry, actor=actor(request), reason=request.POST.get("reason", ""), shown=shown)


def _warn(entry: Entry, request: HttpRequest, shown: str) -> None:
    game_rulings.warn(entry, actor=actor(request), reason=request.POST.get("reason", ""))


ACTS: dict[str, Callable[[Entry, HttpRequest], None]] = {
    "check-in": _check_in,
    "take-check-in-back": _take_check_in_back,
    "check-age": _check_age,
    "withdraw": _withdraw,
}
RULINGS: dict[str, tuple[Callable[[Entry, HttpRequest, str], None], str, str, str]] = {
    "disqualify": (_disqualify, "Disqualify", "Disqualify", "is disqualified from the tournament"),
    "reinstate": (_reinstate, "Back in", "Reinstate", "is back in, exactly as before"),
    "warn": (_warn, "Warning", "Record the warning", "is warned"),
}
"""What is shown before it is done: the act, its title, its button, and what is then said."""

NO_RESULT = "No place, seat or game changes. A warning is kept for the desk and is not shown in public."


def _rule(request: HttpRequest, stage: Stage, entry: Entry, act: str) -> HttpResponse:
    service, title, button, done = RULINGS[act]
    outcome = confirmed(
        request,
        stage,
        lambda shown, late: service(entry, request, shown),
        title=f"{title}: {entry}",
        button=button,
        done=f"{entry} {done}.",
        back=stage_url("desk:entry", stage, entry.number),
        about=f"{entry} {done}. Reason: {request.POST.get('reason', '')}",
        nothing=NO_RESULT if act == "warn" else "No place, seat or game changes; it is kept in the history.",
    )
    return _entry_page(request, stage, entry, act, outcome) if isinstance(outcome, Refusal) else outcome


def _organisers_only(act: str, entry: Entry) -> bool:
    return act == "disqualify" or (act == "reinstate" and entry.status == Entry.Status.DISQUALIFIED)


def _entry_page(
    request: HttpRequest, stage: Stage, entry: Entry, tried: str = "", refusal: Refusal | None = None
) -> HttpResponse:
    read = selectors.stage_facts(stage)
    games = Score.objects.filter(stage=stage, entry=entry).select_related("machine", "entry__player")
    # Before the groups are drawn up nobody has a line in them.
    row = next((row for row in read.table.rows if row.entry == entry.pk), None)
    results = {result.machine: result for result in row.results} if row and not stage.spec.grouped else {}
    in_force = selectors.rulings_in_force(stage.tournament, entry=entry)
    warnings = [ruling for ruling in in_force if ruling.kind == Ruling.Kind.WARNING]
    others = [ruling for ruling in in_force if ruling not in warnings]
    context = {
        "entry": entry,
        "row": row,
        "allowed": read.rules.games_allowed,
        "games": [(game, results.get(game.machine_id)) for game in games.order_by("recorded_at", "started_at")],
        "why": _why(read, entry),
        "lines": Journal.objects.filter(entry=entry, score=None).select_related("actor").order_by("-revision"),
        "warnings": rulings.told(request, warnings, read.phase),
        "rulings": rulings.told(request, others, read.phase),
        "key": new_key(),
        "tried": tried,
        "reason": request.POST.get("reason", ""),
        "age_limit": stage.tournament.age_limit,
        "born_on": request.POST.get("born_on", ""),
    }
    return page(request, "entry", stage, context, refusal)


def _why(read: StageRead, entry: Entry) -> Iterable[str]:
    """The reasons for a place, in sentences: in the table of the stage, or in its groups."""
    if not read.stage.spec.grouped:
        return standings.why(entry.pk, read.facts, read.table, read.rules)
    return next((group.why[entry.pk] for group in read.groups if entry.pk in group.why), ())


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
