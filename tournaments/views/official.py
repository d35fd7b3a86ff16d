"""Officials at the machines: the matches that can be played now, and the steps of each, on a tablet."""

from collections.abc import Callable
from typing import Any

from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from tournaments import permissions, selectors
from tournaments.domain.refusals import Refusal
from tournaments.domain.rulings import told
from tournaments.models import Incident, Machine, Show, Stage
from tournaments.permissions import View
from tournaments.services import incidents
from tournaments.views import acts, calls
from tournaments.views.acts import game_of, place_lines, typed_before
from tournaments.views.calls import Line
from tournaments.views.desk.common import about_a_stage, actor, posted_from, stage_url, whole
from tournaments.views.desk.machines import about_a_show, acted, machine_of
from tournaments.views.machines import machine_lines, trouble
from tournaments.views.matches import Game, games


def match_stage(view: View) -> View:
    """A view of the officials about a stage that is played in matches."""
    return permissions.official(about_a_stage(view, lambda spec: spec.matches))


@never_cache
@permissions.official
@require_GET
def home(request: HttpRequest) -> HttpResponse:
    """Every match that can be played now; `?machine=` keeps a tablet to one machine."""
    return render(request, "tournaments/official/home.html", _open_matches(request))


@never_cache
@permissions.official
@require_GET
def open_matches(request: HttpRequest) -> HttpResponse:
    """The list alone, for a page that is open."""
    context = _open_matches(request)
    if request.GET.get("version") == context["version"]:
        return HttpResponse(status=204)
    return render(request, "tournaments/official/_open.html", context)


@match_stage
@require_GET
def match(request: HttpRequest, stage: Stage, match: int) -> HttpResponse:
    """One match: who chooses, the warm-up, the start, the scores and who agreed."""
    return _match_page(request, game_of(stage, match), typed_before(request), None)


@match_stage
@posted_from("official:match")
def act(request: HttpRequest, stage: Stage, match: int, act: str) -> HttpResponse:
    """The next step of a match, or a score."""
    # In groups who does not play loses the match: without the clock of a call that is the desk's to say.
    of_the_desk = act == "absent" and stage.spec.grouped
    if act in acts.ACTS and (of_the_desk or act not in acts.FOR_OFFICIALS):
        raise PermissionDenied("That is for the desk.")

    def show(game: Game, context: dict[str, Any], refusal: Refusal | None) -> HttpResponse:
        return _match_page(request, game, context, refusal)

    return acts.take(request, stage, match, act, show=show, page=stage_url("official:match", stage, match))


@match_stage
@require_GET
def changed(request: HttpRequest, stage: Stage, match: int) -> HttpResponse:
    """Nothing while the match is as the page shows it; otherwise a line that says so."""
    game = game_of(stage, match)
    if request.GET.get("mark") == mark(game):
        return HttpResponse(status=204)
    return render(request, "tournaments/official/_changed.html", {"page": stage_url("official:match", stage, match)})


@permissions.official
@about_a_show
@require_GET
def machine(request: HttpRequest, show: Show, code: str) -> HttpResponse:
    """One machine: whether it is in order, and the button that says it is not."""
    return _machine_page(request, machine_of(show, code))


@permissions.official
@about_a_show
def machine_act(request: HttpRequest, show: Show, code: str, act: str) -> HttpResponse:
    """Report a fault, or take an own report back."""
    found = machine_of(show, code)
    page = reverse("official:machine", args=[show.slug, found.code])
    return acted(request, found, MACHINE_ACTS, act, page, lambda refusal: _machine_page(request, found, refusal))


@never_cache
@permissions.official
@require_GET
def machines(request: HttpRequest) -> HttpResponse:
    """The machines of every show in which something is being played."""
    playing = Stage.objects.filter(state=Stage.State.OPEN).values("tournament__show")
    shows = Show.objects.filter(pk__in=playing).order_by("-starts_on", "slug")
    groups = [(show, machine_lines(show.machines.order_by("name", "code"), timezone.now())) for show in shows]
    return render(request, "tournaments/official/machines.html", {"groups": groups})


def _report(machine: Machine, request: HttpRequest) -> str:
    incidents.report(machine, actor=actor(request), what=request.POST.get("what", ""))
    return f"{machine.name} is out of order. The desk knows."


def _note(machine: Machine, request: HttpRequest) -> str:
    incidents.report(machine, actor=actor(request), what=request.POST.get("what", ""), out_of_order=False)
    return "Noted; the machine stays in play."


def _take_back(machine: Machine, request: HttpRequest) -> str:
    own = Incident.objects.select_related("machine__show").filter(machine=machine, reported_by=actor(request))
    incident = own.filter(pk=whole(request.POST.get("incident", ""))).first()
    if incident is None:
        raise Refusal("Only who reported it takes a report back here; the desk can always do it.")
    incidents.take_back(incident, actor=actor(request))
    return f"The report on {machine.name} was taken back."


MACHINE_ACTS: dict[str, Callable[[Machine, HttpRequest], str]] = {
    "fault": _report,
    "note": _note,
    "take-back": _take_back,
}


def _machine_page(request: HttpRequest, found: Machine, refusal: Refusal | None = None) -> HttpResponse:
    found.refresh_from_db(fields=["in_order"])
    shown = {
        "show": found.show,
        "machine": found,
        "line": machine_lines([found], timezone.now())[0],
        "waits": incidents.who_waits(found),
        "refusal": refusal,
        "what": request.POST.get("what", ""),
    }
    status = refusal.status if refusal else 200
    return render(request, "tournaments/official/machine.html", shown, status=status)


def mark(game: Game) -> str:
    """What a page of a match is known by: its last change, who has agreed, and whether the machine is in order."""
    agreed = "".join("1" if place.agreed else "0" for place in game.places)
    in_turn = game.match.round <= game.match.stage.open_round
    return f"{game.match.revision}.{in_turn}.{game.ready}.{agreed}.{game.match.machine.in_order}"


def _match_page(request: HttpRequest, game: Game, context: dict[str, Any], refusal: Refusal | None) -> HttpResponse:
    stage = game.match.stage
    status = refusal.status if refusal else 422 if context.get("faulty") else 200
    shown = {
        "show": stage.tournament.show,
        "tournament": stage.tournament,
        "stage": stage,
        "game": game,
        "lines": place_lines(game, context.get("typed")),
        "mark": mark(game),
        "rulings": _rulings(game),
        "trouble": trouble(game.match.machine),
        "line": calls.line(game),
        "refusal": refusal,
        "post_to": stage_url("official:match", stage, game.match.pk),
        "desk": False,
        **context,
    }
    return render(request, "tournaments/official/match.html", shown, status=status)


def _rulings(game: Game) -> list[tuple[str, str]]:
    """The rulings in force on a match that everybody may know, each with whom it concerns."""
    found = selectors.rulings_in_force(game.match.stage.tournament, match=game.match)
    lines = ((ruling, told(ruling.kind, ruling.data, ruling.reason)) for ruling in found)
    return [(str(ruling.entry) if ruling.entry else "", words) for ruling, words in lines if words]


def _open_matches(request: HttpRequest) -> dict[str, Any]:
    """The stages that are open with their matches to be played, those under way first."""
    now = timezone.now()
    stages = Stage.objects.select_related("tournament__show").filter(state=Stage.State.OPEN)
    only = request.GET.get("machine", "")
    groups: list[tuple[Stage, list[Line]]] = []
    machines: dict[str, Machine] = {}
    for stage in stages.order_by("tournament__show__slug", "tournament__slug", "position"):
        if not stage.spec.matches:
            continue
        found = games(stage, now)
        lines = _in_groups(stage, found, only) if stage.spec.grouped else _to_play(found)
        left = [game for game in found if not game.over] if stage.spec.grouped else [line.game for line in lines]
        machines |= {game.match.machine.code: game.match.machine for game in left}
        shown = [line for line in lines if only in ("", line.game.match.machine.code)]
        if shown:
            groups.append((stage, shown))
    revisions = [f"{stage.pk}-{stage.tournament.revision}" for stage, _ in groups]
    return {
        "groups": [{"stage": stage, "lines": shown} for stage, shown in groups],
        "machines": sorted(machines.values(), key=lambda machine: (machine.name, machine.code)),
        "only": only,
        "version": ".".join((only, *revisions)),
        "list_url": reverse("official:open"),
    }


def _to_play(found: list[Game]) -> list[Line]:
    """The matches that can be played now: those under way first, otherwise as they are dealt."""
    open_now = [game for game in found if game.ready and not (game.over and not game.to_agree)]
    return [Line(game) for game in sorted(open_now, key=lambda game: game.match.state not in game.match.UNDER_WAY)]


def _in_groups(stage: Stage, found: list[Game], only: str) -> list[Line]:
    """What is under way or can be called; on a tablet at one machine also what waits for it, and for what."""
    order = calls.board(stage, found)
    to_agree = tuple(line for line in order.over if line.game.to_agree)
    return [*to_agree, *order.level, *order.under_way, *order.now, *(order.waiting if only else ())]
