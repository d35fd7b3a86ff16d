"""The qualifying round opens, closes and is opened again; and who still has games to play."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from tournaments import permissions, selectors
from tournaments.domain.facts import Phase
from tournaments.domain.refusals import Refusal
from tournaments.forms import TimesForm
from tournaments.models import Ruling, Stage
from tournaments.selectors import StageRead
from tournaments.services import game_rulings, shows, stages
from tournaments.services.given_back import given_back
from tournaments.views.desk import rulings, ties
from tournaments.views.desk.common import (
    actor,
    attempt,
    clock,
    decide,
    desk_stage,
    match_stage,
    page,
    posted_from,
    slips_stage,
    stage_url,
    to_page,
    whole,
)
from tournaments.views.desk.confirm import confirmed
from tournaments.views.desk.overview import Progress, overview, progress
from tournaments.views.lines import count
from tournaments.views.matches import games


@desk_stage
@require_GET
def close(request: HttpRequest, stage: Stage) -> HttpResponse:
    """How far the round is, its times, and what is still outstanding."""
    return _close_page(request, stage)


@desk_stage
@posted_from("desk:close")
def act(request: HttpRequest, stage: Stage, act: str) -> HttpResponse:
    """Open the round, or close it when nothing is outstanding."""
    service = {"open": stages.open_stage, "close": stages.close_stage}.get(act)
    if service is None:
        raise Http404(f"A round cannot be “{act}”.")
    if act == "close":
        read = selectors.stage_facts(stage)
        question = _too_early(read) if stage.spec.slips else ""
        # Confirmed is what was read: other numbers since then ask again. What is outstanding is refused anyway.
        if question and request.POST.get("anyway") != question and not (read.facts.playing or read.facts.waiting):
            return _close_page(request, stage, ask_close=question)
    outcome = attempt(lambda: service(stage, actor=actor(request)))
    if isinstance(outcome, Refusal):
        return _close_page(request, stage, refusal=outcome)
    closed = f"{stage.label} is closed." + (" Next: the cut." if stage.spec.ranked else "")
    messages.success(request, f"{stage.label} is open." if act == "open" else closed)
    return to_page("desk:close", stage)


@desk_stage
@posted_from("desk:close")
def times(request: HttpRequest, stage: Stage) -> HttpResponse:
    """When the round opens and closes."""
    form = TimesForm(request.POST)
    if not form.is_valid():
        return _close_page(request, stage, form)
    question = _already_past(stage, form)
    if question and request.POST.get("anyway") != request.POST.get("closes_at"):
        return _close_page(request, stage, form, ask_times=question)
    if form.errors:
        return _close_page(request, stage, form)
    outcome = attempt(lambda: shows.set_times(stage, actor=actor(request), **form.cleaned_data))
    if isinstance(outcome, Refusal):
        return _close_page(request, stage, form, refusal=outcome)
    messages.success(request, "The times are set.")
    return to_page("desk:close", stage)


@desk_stage
@permissions.organiser
@posted_from("desk:close")
def reopen(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Take a closing back, with the reason."""
    return _decide(request, stage, partial(stages.reopen_stage, stage), f"{stage.label} is open again.")


@match_stage
@permissions.organiser
@posted_from("desk:close")
def not_begun(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Take back that a stage of matches was opened, with the reason, as long as it has no score."""
    told = f"{stage.label} has not begun after all."
    return _decide(request, stage, partial(stages.withdraw_opening, stage), told)


def _decide(request: HttpRequest, stage: Stage, act: Callable[..., object], told: str) -> HttpResponse:
    def shown(refusal: Refusal) -> HttpResponse:
        return _close_page(request, stage, refusal=refusal)

    return decide(request, stage, act, told=told, back="desk:close", shown=shown)


FILTERS = {
    "missing": "Games to play",
    "not-started": "Not started",
    "unfinished": "Unfinished",
    "given-back": "Given back",
    "all": "Everybody",
}
SORTS = {"number": "Number", "name": "Name", "games": "Games"}


@slips_stage
@require_GET
def missing(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Who has played how many games, and who has not started."""
    return _missing_page(request, stage)


@slips_stage
@posted_from("desk:missing")
def no_shows(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Withdraw everybody who was ticked and has not come, in one act with one undo."""
    numbers = [whole(number) for number in request.POST.getlist("number")]
    reason = request.POST.get("reason", "")
    chosen = selectors.entries_numbered(stage.tournament, numbers)
    outcome = confirmed(
        request,
        stage,
        lambda shown, late: game_rulings.withdraw_no_shows(chosen, actor=actor(request), reason=reason, shown=shown),
        title=f"Withdraw {count(len(chosen), 'player')} who did not come",
        button=f"Withdraw {'all ' if len(chosen) > 1 else ''}{len(chosen)}",
        done=f"{count(len(chosen), 'player')} withdrawn. One step takes all of it back.",
        back=stage_url("desk:missing", stage),
        about=f"{', '.join(map(str, chosen))}. Reason: {reason}",
    )
    return _missing_page(request, stage, outcome) if isinstance(outcome, Refusal) else outcome


def _missing_page(request: HttpRequest, stage: Stage, refusal: Refusal | None = None) -> HttpResponse:
    read = selectors.stage_facts(stage)
    everybody = progress(read)
    back = {line.entrant.id: line.short for line in given_back(stage, read) if line.left}
    only = _choice(request, "only", FILTERS)
    sort = _choice(request, "sort", SORTS)
    shown = {
        "missing": [one for one in everybody if one.missing],
        "not-started": [one for one in everybody if one.not_started],
        "unfinished": [one for one in everybody if one.unfinished],
        "given-back": [one for one in everybody if one.entrant.id in back],
        "all": everybody,
    }
    counts = {name: len(group) for name, group in shown.items()}
    context = {
        "read": read,
        "lines": sorted(shown[only], key=lambda one: _sorting(one, sort)),
        "given_back": back,
        # Hardly ever is a machine withdrawn: the list is offered where there is something on it.
        "filters": [(name, label, counts[name]) for name, label in FILTERS.items() if name != "given-back" or back],
        "sorts": SORTS.items(),
        "only": only,
        "sort": sort,
        "ages_unchecked": selectors.ages_unchecked(stage.tournament),
        "may_withdraw": any(one.not_started for one in shown[only]),
        "ticked": _ticked(request, shown[only]),
        "all_ticked": "tick" in request.GET,
        "reason": request.POST.get("reason", ""),
        "rulings": rulings.told(
            request, selectors.rulings_in_force(stage.tournament, kind=Ruling.Kind.NO_SHOWS), read.phase
        ),
    }
    return page(request, "missing", stage, context, refusal)


def _ticked(request: HttpRequest, lines: list[Progress]) -> set[int]:
    """Nobody, unless somebody asked for all of the list, or sent it with some of them ticked."""
    if "tick" in request.GET:
        return {one.entrant.number for one in lines if one.not_started}
    return {whole(number) for number in request.POST.getlist("number")}


def _choice(request: HttpRequest, name: str, choices: dict[str, str]) -> str:
    chosen = request.POST.get(name) or request.GET.get(name, "")
    return chosen if chosen in choices else next(iter(choices))


def _sorting(one: Progress, sort: str) -> tuple[Any, ...]:
    by = {"name": (selectors.fold(one.entrant.name),), "games": (one.row.games,)}
    return (*by.get(sort, ()), one.entrant.number)


def _too_early(read: StageRead) -> str:
    """The question before a round is closed ahead of its time or without all of its games; "" for no question."""
    if read.phase not in (Phase.OPEN, Phase.CLOSING):
        return ""
    everybody = progress(read)
    not_started = sum(one.not_started for one in everybody)
    unfinished = sum(one.unfinished for one in everybody)
    missing = [f"{not_started} {'has' if not_started == 1 else 'have'} not started"] if not_started else []
    missing += [f"{unfinished} {'is' if unfinished == 1 else 'are'} unfinished"] if unfinished else []
    closes_at = read.stage.closes_at
    early = f"Open until {clock(closes_at, read.at)}" if closes_at and read.phase == Phase.OPEN else ""
    told = "; ".join(part for part in (early, ", ".join(missing)) if part)
    return f"{told}. Close anyway?" if told else ""


def _already_past(stage: Stage, form: TimesForm) -> str:
    """The question before a round is set to close at a time that is past; in a round not yet open that is a fault."""
    now, closes_at = timezone.now(), form.cleaned_data["closes_at"]
    if closes_at is None or closes_at > now or closes_at == stage.closes_at:
        return ""
    past = f"{clock(closes_at, now)} is past; it is {clock(now, now)} now"
    if stage.phase(now) in (Phase.OPEN, Phase.CLOSING):
        return f"{past}. Then no new game could start from this moment on. Set it anyway?"
    form.add_error("closes_at", f"{past}. Type a later time.")
    return ""


def _close_page(
    request: HttpRequest,
    stage: Stage,
    form: TimesForm | None = None,
    refusal: Refusal | None = None,
    *,
    ask_close: str = "",
    ask_times: str = "",
) -> HttpResponse:
    fresh = selectors.stage_facts(stage)
    form = form or TimesForm(initial={name: _local(getattr(fresh.stage, name)) for name in ("opens_at", "closes_at")})
    outstanding = fresh.facts.playing or fresh.facts.waiting
    context = {
        "form": form,
        "ask_close": ask_close,
        "ask_times": ask_times,
        "ready": not outstanding and not _too_early(fresh),
        **overview(fresh),
    }
    if fresh.stage.spec.matches:
        context |= _matches(fresh.stage)
        context["ready"] = not context["games_out"] and not context["level"] and not context["ties"]
    status = 422 if form.errors else 409 if ask_close or ask_times else 200
    return page(request, "close", fresh.stage, context, refusal, status=status)


def _matches(stage: Stage) -> dict[str, Any]:
    """The matches of a stage that are out, and the ties that keep it from closing."""
    found = games(stage, timezone.now())
    return {
        "games": found,
        "games_out": [game for game in found if not game.over],
        "level": [game for game in found if game.level],
        "ties": [] if stage.spec.ranked else ties.open_ties(stage),
    }


def _local(moment: Any) -> str:
    """As an input of the kind datetime-local wants it, in the show's time."""
    return f"{timezone.localtime(moment):%Y-%m-%dT%H:%M}" if moment else ""
