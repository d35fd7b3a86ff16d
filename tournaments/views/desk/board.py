"""The call board of a stage of matches: game by game who plays where, and the page of one match.

The board is polled and holds no input; each match has a page with the forms.
"""

from collections import Counter
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from tournaments import permissions
from tournaments.domain.facts import Phase, Standing
from tournaments.domain.refusals import Refusal
from tournaments.models import Machine, Match, Seat, Side, Stage
from tournaments.services import matches, redrawing
from tournaments.views import acts
from tournaments.views.acts import game_of, place_lines, typed_before
from tournaments.views.desk import draw, ties
from tournaments.views.desk.common import (
    actor,
    attempt,
    match_stage,
    page,
    posted_from,
    stage_url,
    to_page,
)
from tournaments.views.machines import trouble
from tournaments.views.matches import Game, games, rounds


def show(request: HttpRequest, stage: Stage) -> HttpResponse:
    """What a stage of matches needs next: its seats, its draw, or its call board."""
    if stage.matches.exclude(state=Match.State.VOID).exists():
        return _board_page(request, stage)
    return draw.draw_page(request, stage)


@match_stage
@require_GET
def rows(request: HttpRequest, stage: Stage) -> HttpResponse:
    """The board alone, for a page that is open."""
    context = _board(stage)
    if request.GET.get("version") == context["version"]:
        return HttpResponse(status=204)
    return page(request, "_board", stage, context)


@match_stage
@permissions.organiser
@posted_from("desk:slips")
def open_game(request: HttpRequest, stage: Stage, number: int) -> HttpResponse:
    """Open a game before the one ahead of it is complete, with the reason."""
    reason = request.POST.get("reason", "")
    outcome = attempt(lambda: matches.open_round(stage, actor=actor(request), round_number=number, reason=reason))
    if isinstance(outcome, Refusal):
        return _board_page(request, stage, refusal=outcome)
    messages.success(request, f"Game {number} is open.")
    return to_page("desk:slips", stage)


@match_stage
@require_GET
def match(request: HttpRequest, stage: Stage, match: int) -> HttpResponse:
    """One match with every step."""
    return _match_page(request, game_of(stage, match), typed_before(request), None)


@match_stage
@posted_from("desk:match")
def act(request: HttpRequest, stage: Stage, match: int, act: str) -> HttpResponse:
    """The next step of a match, or a score."""

    def shown(game: Game, context: dict[str, Any], refusal: Refusal | None) -> HttpResponse:
        return _match_page(request, game, context, refusal)

    return acts.take(request, stage, match, act, show=shown, page=stage_url("desk:match", stage, match))


def _match_page(request: HttpRequest, game: Game, context: dict[str, Any], refusal: Refusal | None) -> HttpResponse:
    stage = game.match.stage
    drawn_again = redrawing.offered(stage) and stage.state == Stage.State.OPEN
    shown = {
        "game": game,
        "lines": place_lines(game, context.get("typed")),
        "post_to": stage_url("desk:match", stage, game.match.pk),
        "desk": True,
        "redealt": drawn_again and game.match.state in redrawing.NOT_BEGUN,
        "drawn_again": drawn_again,
        "may_break_off": game.match.state in (Match.State.WARM_UP, Match.State.PLAYING)
        and not any(place.score for place in game.places),
        "trouble": trouble(game.match.machine),
        **context,
    }
    return page(request, "match", stage, shown, refusal, status=422 if context.get("faulty") else 200)


def _board_page(request: HttpRequest, stage: Stage, refusal: Refusal | None = None) -> HttpResponse:
    stage.refresh_from_db()
    board = _board(stage)
    waiting = [each for each in board["rounds"] if not each.is_open]
    context = {
        **board,
        "next_round": waiting[0] if waiting and board["phase"] in (Phase.OPEN, Phase.CLOSING) else None,
        "left": _due(stage) if board["phase"] != Phase.PLANNED else left_seats(stage),
        "reason": request.POST.get("reason", ""),
    }
    return page(request, "board", stage, context, refusal)


def _board(stage: Stage) -> dict[str, Any]:
    now = timezone.now()
    phase = stage.phase(now)
    found = games(stage, now)
    played = all(game.over for game in found)
    ranked = stage.spec.ranked
    redealt = redrawing.offered(stage) and phase in (Phase.OPEN, Phase.CLOSING)
    return {
        "redealt": redealt and not played,
        "stranded": _stranded(stage, found) if redealt else [],
        # What is still to be played comes first: nobody should have to look for it below what is over.
        "rounds": sorted(rounds(stage, found), key=lambda each: each.complete and not played),
        "phase": phase,
        "now": now,
        "all_played": bool(found) and played,
        "ties": [] if ranked else ties.open_ties(stage),
        "moves": [] if ranked else ties.moves(stage),
        "version": f"{stage.tournament.revision}.{phase}",
    }


def left_seats(stage: Stage) -> list[Seat]:
    """The seats of those who have left the tournament or were disqualified."""
    seats = stage.seats.select_related("entry__player").order_by("seed")
    return [seat for seat in seats if seat.entry.standing != Standing.IN]


def _due(stage: Stage) -> list[Seat]:
    """The seats of those who have left and are still awaited in a match."""
    awaited = Side.objects.filter(match__stage=stage, absent=False)
    awaited = awaited.exclude(match__state__in=(Match.State.DONE, Match.State.VOID))
    entries = set(awaited.values_list("entry_id", flat=True))
    return [seat for seat in left_seats(stage) if seat.entry_id in entries]


def _stranded(stage: Stage, found: list[Game]) -> list[tuple[Machine, int]]:
    """The machines that are out of play although matches not begun are announced on them, and how many."""
    left = Counter(game.match.machine_id for game in found if game.match.state in redrawing.NOT_BEGUN)
    return [(machine, left[machine.pk]) for machine in redrawing.out_of_play(stage) if left[machine.pk]]
