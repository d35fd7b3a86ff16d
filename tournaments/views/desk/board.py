"""The call board of a stage of matches: game by game who plays where, or in groups what can be called next, and the
page of one match.

The board is polled and holds no input; each match has a page with the forms. The buttons on a board of groups belong
to a form beside it.
"""

from collections import Counter
from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from tournaments import permissions, selectors
from tournaments.domain.facts import Phase, Standing
from tournaments.domain.refusals import Refusal
from tournaments.forms import MatchRulingForm, SubstituteForm, new_key
from tournaments.models import Machine, Match, Ruling, Score, Seat, Side, Stage, StageMachine
from tournaments.services import game_rulings, matches, redrawing
from tournaments.services.change import Actor
from tournaments.views import acts, calls
from tournaments.views.acts import game_of, place_lines, typed_before
from tournaments.views.desk import draw, rulings, ties
from tournaments.views.desk.common import (
    actor,
    attempt,
    decide,
    match_stage,
    page,
    posted_from,
    stage_url,
    to_page,
)
from tournaments.views.desk.confirm import NO_EFFECT, confirmed
from tournaments.views.desk.entries import NO_RESULT
from tournaments.views.desk.rulings import Choice
from tournaments.views.desk.seats import next_in_order
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


def _to_where_it_was(request: HttpRequest, stage: Stage, match: int, act: str) -> HttpResponse:
    """The board, or the page of the match."""
    on_board = request.POST.get("back") == "board" and act in ON_BOARD
    return to_page("desk:slips", stage) if on_board else to_page("desk:match", stage, match)


@match_stage
@posted_from("desk:match", done=_to_where_it_was)
def act(request: HttpRequest, stage: Stage, match: int, act: str) -> HttpResponse:
    """The next step of a match, or a score."""

    def shown(game: Game, context: dict[str, Any], refusal: Refusal | None) -> HttpResponse:
        return _match_page(request, game, context, refusal)

    def on_board(game: Game, context: dict[str, Any], refusal: Refusal | None) -> HttpResponse:
        return _board_page(request, stage, refusal)

    if request.POST.get("back") == "board" and act in ON_BOARD:
        return acts.take(request, stage, match, act, show=on_board, page=stage_url("desk:slips", stage))
    return acts.take(request, stage, match, act, show=shown, page=stage_url("desk:match", stage, match))


ON_BOARD = ("call", "take-call-back", "play", "forfeit", "came", "level")
"""What one tap on the board of a stage played in groups does."""


@match_stage
@posted_from("desk:match")
def rule(request: HttpRequest, stage: Stage, match: int) -> HttpResponse:
    """A ruling on the match; what it would change is shown first."""
    game = game_of(stage, match)
    form = _ruling_form(game, request.POST)
    if not form.is_valid():
        return _match_page(request, game, {"ruling": form, "faulty": True}, None)
    typed = form.cleaned_data
    asks, about_who = form.kinds[typed["kind"]], ("player", "agreement")
    act, who = RULINGS[typed["kind"]], f"{typed['entry']}: " if asks in about_who else ""
    label = AGREED_WORDS if typed["kind"] == AGREED else Ruling.Kind(typed["kind"]).label
    again = typed["kind"] in (Ruling.Kind.REPLAYED, AGREED)
    where = f" on {typed['machine'].name}" if again and typed["machine"] else ""
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


@match_stage
@posted_from("desk:match")
def substitute(request: HttpRequest, stage: Stage, match: int) -> HttpResponse:
    """The machine of a single game died: another one is chosen, what that changes is shown; or it is drawn by lot."""
    game = game_of(stage, match)
    form = SubstituteForm(request.POST, machines=selectors.stand_ins(game.match))
    if not form.is_valid():
        return _match_page(request, game, {"substitute": form, "faulty": True}, None)
    chosen, reason = list(form.cleaned_data["machine"]), form.cleaned_data["reason"]
    move = partial(
        game_rulings.move_to_substitute,
        game.match,
        actor=actor(request),
        instead_of=form.cleaned_data["instead_of"],
        reason=reason,
    )
    outcome: Any
    if stage.spec.by_lot:
        outcome = attempt(lambda: move(among=chosen))
    else:
        outcome = confirmed(
            request,
            stage,
            lambda shown, late: move(machine=chosen[0] if len(chosen) == 1 else None, shown=shown),
            title=f"{game.match.machine} has died",
            button="Move the game",
            done="The game has moved to the substitute. Call who plays anew.",
            back=stage_url("desk:match", stage, match),
            about=f"The game is played on {chosen[0]}. Reason: {reason}",
        )
    if isinstance(outcome, Refusal):
        return _match_page(request, game_of(stage, match), {"substitute": form}, outcome)
    if isinstance(outcome, HttpResponse):
        return outcome
    messages.success(request, f"Drawn by lot from {len(chosen)}: {game_of(stage, match).match.machine}.")
    return to_page("desk:match", stage, match)


def _out(match: Match, actor: Actor, typed: dict[str, Any], shown: str) -> None:
    game_rulings.disqualify_from_match(
        match, actor=actor, entry=typed["entry"].pk, reason=typed["reason"], shown=shown
    )


def _again(match: Match, actor: Actor, typed: dict[str, Any], shown: str) -> None:
    game_rulings.play_again(match, actor=actor, reason=typed["reason"], machine=typed["machine"], shown=shown)


def _agreed(match: Match, actor: Actor, typed: dict[str, Any], shown: str) -> None:
    game_rulings.play_again(
        match,
        actor=actor,
        reason=typed["reason"],
        machine=typed["machine"],
        tilted=typed["entry"].pk,
        agreed=[entry.pk for entry in typed["agreed"]],
        shown=shown,
    )


def _warn(match: Match, actor: Actor, typed: dict[str, Any], shown: str) -> None:
    game_rulings.warn(typed["entry"], actor=actor, reason=typed["reason"], match=match)


def _zero(match: Match, actor: Actor, typed: dict[str, Any], shown: str) -> None:
    score = Score.objects.filter(match=match, state__in=Score.COUNTED).select_related("stage__tournament").first()
    if score is None:
        raise Refusal(f"{match} has no score yet: type the score reached, then set it to zero.")
    game_rulings.rule_on_score(
        score,
        actor=actor,
        kind=Ruling.Kind.ZERO,
        reason=typed["reason"],
        seen=score.revision,
        shown=shown,
    )


AGREED = "agreed"
"""The choice to play again because the opponents agree; kept as any match that is played again, with who agreed."""

AGREED_WORDS = "slam tilt, played again as the opponents agree"

RULINGS: dict[str, Callable[[Match, Actor, dict[str, Any], str], None]] = {
    Ruling.Kind.REPLAYED: _again,
    AGREED: _agreed,
    Ruling.Kind.OUT_OF_MATCH: _out,
    Ruling.Kind.ZERO: _zero,
    Ruling.Kind.WARNING: _warn,
}


def _choices(game: Game) -> list[Choice]:
    """What can be ruled on a match, in the order in which it is needed."""
    again = "A fault stopped the game: its scores count for nothing and it is played again, here or elsewhere."
    choices = [
        Choice(Ruling.Kind.REPLAYED, "Stopped: play again", again, "machine"),
        Choice(Ruling.Kind.OUT_OF_MATCH, "Disqualified from the match", "A score in it counts for nothing.", "player"),
    ]
    if game.won:
        choices = _after_slam_tilt(game)
    warning = Choice(Ruling.Kind.WARNING, "Warning", "Changes no result and is not shown in public.", "player")
    return [*choices, warning]


def _after_slam_tilt(game: Game) -> list[Choice]:
    """The same where a match is won or lost.

    Source: house rules, "Slam tilt": by an over-sensitive switch replayed if the opponents agree; otherwise out of
    that match; in a game alone score 0, ranked last.
    """
    if len(game.places) == 1:
        again, lost = "A fault stopped it: a score so far counts for nothing.", "It is over without a score."
        return [
            Choice(Ruling.Kind.REPLAYED, "Play again", again, "machine"),
            Choice(Ruling.Kind.ZERO, "Slam tilt: score 0", "The score reached stays beside it; it is ranked last."),
            Choice(Ruling.Kind.OUT_OF_MATCH, "Disqualified from the game", lost, "player"),
        ]
    again = "A fault stopped it: scores so far count for nothing."
    tilt = (
        "The switch is too sensitive, and the opponents agree to play again: say who tilted and tick who agrees."
        " Scores so far count for nothing. Without their agreement choose “Out of this match”."
    )
    lost = "Any other slam tilt, or conduct: the other side wins, and a score in the match counts for nothing."
    return [
        Choice(Ruling.Kind.REPLAYED, "Play again", again, "machine"),
        Choice(AGREED, "Slam tilt: play again", tilt, "agreement"),
        Choice(Ruling.Kind.OUT_OF_MATCH, "Out of this match", lost, "player"),
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
        "ties": [] if stage.spec.ranked or not game.over else ties.open_ties(stage),
        "stand_ins": _stand_ins(game, phase),
        "game": game,
        "lines": place_lines(game, context.get("typed")),
        "post_to": stage_url("desk:match", stage, game.match.pk),
        "desk": True,
        "redealt": drawn_again and game.match.state in redrawing.NOT_BEGUN,
        "drawn_again": drawn_again,
        "may_break_off": game.match.state in (Match.State.WARM_UP, Match.State.PLAYING)
        and not any(place.score for place in game.places),
        "trouble": trouble(game.match.machine),
        "line": calls.line(game),
        **context,
    }
    return page(request, "match", stage, shown, refusal, status=422 if context.get("faulty") else 200)


def _stand_ins(game: Game, phase: Phase) -> list[Machine]:
    """The machines that could take over a single game; none where it is over or the rest is drawn again instead."""
    playing = phase in (Phase.OPEN, Phase.CLOSING) and not game.over
    return list(selectors.stand_ins(game.match)) if playing and not game.match.stage.spec.redealt else []


def _halted(stage: Stage, found: list[Game], phase: Phase) -> list[Game]:
    """Single games that are not over and whose machine is out of order, or withdrawn from the stage."""
    if stage.spec.redealt or phase not in (Phase.OPEN, Phase.CLOSING):
        return []
    closed = set(stage.stage_machines.exclude(state=StageMachine.State.OPEN).values_list("machine_id", flat=True))
    return [g for g in found if not g.over and (not g.match.machine.in_order or g.match.machine_id in closed)]


def _board_page(request: HttpRequest, stage: Stage, refusal: Refusal | None = None) -> HttpResponse:
    stage.refresh_from_db()
    board = _board(stage)
    waiting = [each for each in board["rounds"] if not each.is_open]
    context = {
        **board,
        "next_round": waiting[0] if waiting and board["phase"] in (Phase.OPEN, Phase.CLOSING) else None,
        **_leavers(stage, board["phase"]),
    }
    return page(request, "board", stage, context, refusal)


def _board(stage: Stage) -> dict[str, Any]:
    now = timezone.now()
    phase = stage.phase(now)
    found = games(stage, now)
    order = calls.board(stage, found) if stage.spec.grouped else None
    played = all(game.over for game in found) and not (order and order.level)
    ranked = stage.spec.ranked
    redealt = redrawing.offered(stage) and phase in (Phase.OPEN, Phase.CLOSING)
    return {
        "redealt": redealt and not played,
        "stranded": _stranded(stage, found) if redealt else [],
        "halted": _halted(stage, found, phase),
        "order": order,
        "lot": _lot(stage),
        # What is still to be played comes first: nobody should have to look for it below what is over.
        "rounds": [] if order else sorted(rounds(stage, found), key=lambda each: each.complete and not played),
        "phase": phase,
        "now": now,
        "all_played": bool(found) and played,
        "ties": [] if ranked else ties.open_ties(stage),
        "moves": [] if ranked else ties.moves(stage),
        "waiting": selectors.waiting(stage),
        "version": f"{stage.tournament.revision}.{phase}" + (f".{order.mark}" if order else ""),
    }


def _lot(stage: Stage) -> StageMachine | None:
    """The machine that was drawn by lot, where one is; of two the one that the match is on."""
    if not stage.spec.by_lot:
        return None
    drawn = stage.stage_machines.exclude(drawn_from=None).select_related("machine")
    on = stage.matches.exclude(state=Match.State.VOID).values("machine")
    return drawn.filter(machine__in=on).first()


def left_seats(stage: Stage) -> list[Seat]:
    """The seats of those who have left the tournament or were disqualified."""
    seats = stage.seats.select_related("entry__player").order_by("seed")
    return [seat for seat in seats if seat.entry.standing != Standing.IN]


def _leavers(stage: Stage, phase: Phase) -> dict[str, Any]:
    """The seats of those who have left as far as something is to be done about them, and whether somebody comes in."""
    comes_in = phase == Phase.PLANNED and bool(left_seats(stage) and next_in_order(stage))
    given = comes_in or (stage.spec.grouped and phase == Phase.PLANNED)
    return {"comes_in": comes_in, "left": left_seats(stage) if given else _due(stage)}


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
