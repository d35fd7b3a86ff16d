"""The call board of a stage of matches: game by game who plays where, and the page of one match.

The board is polled and holds no input; each match has a page with the forms.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from tournaments import permissions, selectors
from tournaments.domain.facts import Phase, Standing
from tournaments.domain.refusals import Refusal
from tournaments.forms import MatchRulingForm, new_key
from tournaments.models import Machine, Match, Ruling, Seat, Side, Stage
from tournaments.services import game_rulings, matches, redrawing
from tournaments.services.change import Actor
from tournaments.views import acts
from tournaments.views.acts import game_of, place_lines, typed_before
from tournaments.views.desk import draw, rulings, ties
from tournaments.views.desk.common import (
    actor,
    decide,
    match_stage,
    page,
    posted_from,
    stage_url,
)
from tournaments.views.desk.confirm import NO_EFFECT, confirmed
from tournaments.views.desk.entries import NO_RESULT
from tournaments.views.desk.rulings import Choice
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

    def opened(*, actor: User, reason: str, expected: int) -> None:
        # Whatever the page showed: while a game is played the tournament changes with every score.
        matches.open_round(stage, actor=actor, round_number=number, reason=reason)

    return _decide(request, stage, opened, f"Game {number} is open.")


@match_stage
@permissions.organiser
@posted_from("desk:slips")
def take_back(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Take published matches back before the stage has begun, with the reason."""
    return _decide(request, stage, partial(matches.take_back, stage), "The matches were taken back.")


def _decide(request: HttpRequest, stage: Stage, act: Callable[..., object], told: str) -> HttpResponse:
    def shown(refusal: Refusal) -> HttpResponse:
        return _board_page(request, stage, refusal=refusal)

    return decide(request, stage, act, told=told, back="desk:slips", shown=shown)


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


@match_stage
@posted_from("desk:match")
def rule(request: HttpRequest, stage: Stage, match: int) -> HttpResponse:
    """A ruling on the match; what it would change is shown first."""
    game = game_of(stage, match)
    form = _ruling_form(game, request.POST)
    if not form.is_valid():
        return _match_page(request, game, {"ruling": form, "faulty": True}, None)
    typed = form.cleaned_data
    act, who = RULINGS[typed["kind"]], f"{typed['entry']}: " if form.kinds[typed["kind"]] == "player" else ""
    label = Ruling.Kind(typed["kind"]).label
    where = f" on {typed['machine'].name}" if typed["kind"] == Ruling.Kind.REPLAYED and typed["machine"] else ""
    outcome = confirmed(
        request,
        stage,
        lambda shown, late: act(game.match, actor(request), typed, shown),
        title=f"Ruling: {label}",
        button="Rule so",
        done=f"Ruled: {who}{label}{where}.",
        back=stage_url("desk:match", stage, match),
        about=f"{who}{label}{where}. Reason: {typed['reason']}",
        nothing=NO_RESULT if typed["kind"] == Ruling.Kind.WARNING else NO_EFFECT,
    )
    if isinstance(outcome, Refusal):
        return _match_page(request, game_of(stage, match), {"ruling": form}, outcome)
    return outcome


def _out(match: Match, actor: Actor, typed: dict[str, Any], shown: str) -> None:
    game_rulings.disqualify_from_match(
        match, actor=actor, entry=typed["entry"].pk, reason=typed["reason"], shown=shown
    )


def _again(match: Match, actor: Actor, typed: dict[str, Any], shown: str) -> None:
    game_rulings.play_again(match, actor=actor, reason=typed["reason"], machine=typed["machine"], shown=shown)


def _warn(match: Match, actor: Actor, typed: dict[str, Any], shown: str) -> None:
    game_rulings.warn(typed["entry"], actor=actor, reason=typed["reason"], match=match, key=typed["key"])


RULINGS: dict[str, Callable[[Match, Actor, dict[str, Any], str], None]] = {
    Ruling.Kind.REPLAYED: _again,
    Ruling.Kind.OUT_OF_MATCH: _out,
    Ruling.Kind.WARNING: _warn,
}


def _choices(game: Game) -> list[Choice]:
    """What can be ruled on a match, in the order in which it is needed."""
    again = "A fault stopped the game: its scores count for nothing and it is played again, here or elsewhere."
    return [
        Choice(Ruling.Kind.REPLAYED, "Stopped: play again", again, "machine"),
        Choice(Ruling.Kind.OUT_OF_MATCH, "Disqualified from the match", "A score in it counts for nothing.", "player"),
        Choice(Ruling.Kind.WARNING, "Warning", "Changes no result and is not shown in public.", "player"),
    ]


def _ruling_form(game: Game, data: Any = None) -> MatchRulingForm:
    show, own = game.match.stage.tournament.show_id, game.match.machine_id
    machines = Machine.objects.filter(show=show, in_order=True).exclude(pk=own).order_by("name", "code")
    kinds = {choice.kind: choice.asks for choice in _choices(game)}
    return MatchRulingForm(data, kinds=kinds, entries=[place.entry for place in game.places], machines=machines)


def _match_page(request: HttpRequest, game: Game, context: dict[str, Any], refusal: Refusal | None) -> HttpResponse:
    stage = game.match.stage
    drawn_again = redrawing.offered(stage) and stage.state == Stage.State.OPEN
    phase = stage.phase(timezone.now())
    in_force = selectors.rulings_in_force(stage.tournament, match=game.match)
    shown = {
        "rulings": rulings.told(request, in_force, phase),
        "choices": _choices(game) if phase in (Phase.OPEN, Phase.CLOSING) else [],
        "ruling": _ruling_form(game),
        "ruling_key": new_key(),
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
        "waiting": selectors.waiting(stage),
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
