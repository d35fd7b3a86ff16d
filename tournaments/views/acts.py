"""The steps of a match, as buttons send them; the desk and the officials share them.

Each step is one form. A score takes two: it is read back large first, and only then saved.
"""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils import timezone

from tournaments import selectors
from tournaments.domain import scores
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.domain.scores import grouped
from tournaments.forms import MatchScoreForm, new_key
from tournaments.models import Entry, Match, Stage
from tournaments.services import game_rulings, incidents, matches, redraw
from tournaments.services.change import Actor
from tournaments.services.scores import put_aside
from tournaments.views.calls import clash_words
from tournaments.views.desk.common import actor, attempt, whole
from tournaments.views.matches import Game, Place, games

RECORD = "record"
FOR_OFFICIALS = (
    RECORD,
    "put-aside",
    "call",
    "take-call-back",
    "choose",
    "choose-again",
    "warm-up",
    "swap",
    "play",
    "agree",
    "absent",
    "forfeit",
    "came",
    "level",
    "fault",
)
"""What an official may do. Taking absence back, breaking a match off, correcting and voiding are the desk's; what one
tap has done, that somebody did not come in time, another one takes back."""

CAME = "Came after all."
"""The reason that is kept when somebody who lost a match by being late plays it after all."""

Act = Callable[[Match, Actor, HttpRequest], str]
Show = Callable[[Game, dict[str, Any], Refusal | None], HttpResponse]
"""Shows the page of a match again, with what was typed and why it was refused."""


def game_of(stage: Stage, match: int) -> Game:
    """The match of this stage, or 404; raises `Refusal` for one that was taken out while a tablet showed it."""
    found = games(stage, timezone.now(), only=match)
    if not found:
        void = stage.matches.select_related("machine").filter(pk=match, state=Match.State.VOID).first()
        if void:
            raise Refusal(
                f"Game {void.round} on {void.machine} was taken out. Go back to the games for what is played."
            )
        raise Http404(f"{stage.label} has no such match.")
    return found[0]


def typed_before(request: HttpRequest) -> dict[str, Any]:
    """A score that somebody goes back to in order to change it, from the address."""
    return {"typed": MatchScoreForm(request.GET)} if "score" in request.GET else {}


def take(request: HttpRequest, stage: Stage, match: int, act: str, *, show: Show, page: str) -> HttpResponse:
    """Take a step of a match and go back to its `page`; what is refused is shown with what was typed."""
    game = game_of(stage, match)
    if act == RECORD:
        return _record(request, game, show, page)
    if act not in ACTS:
        raise Http404(f"A match knows no “{act}”.")
    outcome = attempt(lambda: ACTS[act](game.match, actor(request), request))
    if isinstance(outcome, Refusal):
        return show(game_of(stage, match), {"tried": act, **_kept(request)}, outcome)
    messages.success(request, outcome)
    return redirect(page)


def _kept(request: HttpRequest) -> dict[str, str]:
    """What was typed beside a button."""
    return {name: request.POST.get(name, "") for name in ("reason", "what")}


def _record(request: HttpRequest, game: Game, show: Show, page: str) -> HttpResponse:
    form = MatchScoreForm(request.POST)
    place = next((place for place in game.places if place.entry.number == form.entry_number), None)
    if place is None:
        raise Http404(f"That {game.match.stage.tournament.kind.noun} is not in this match.")
    if not form.is_valid():
        return show(game, {"typed": form, "faulty": True}, None)
    if not form.read_back:
        return show(game, {"check": _check(form, place)}, None)
    typed = form.cleaned_data
    outcome = attempt(
        lambda: matches.record(
            game.match,
            actor=actor(request),
            entry=place.entry.pk,
            value=typed["score"],
            sure=typed["sure"],
            key=typed["key"],
            agreed=typed["agreed"],
            seen_replays=typed["replays"],
        )
    )
    if isinstance(outcome, NeedsDecision):
        return show(game, {"check": _check(form, place, outcome)}, None)
    if isinstance(outcome, Refusal):
        fresh = game_of(game.match.stage, game.match.pk)
        return show(fresh, {"typed": form, "rival": _rival(fresh, place, typed["score"])}, outcome)
    again = "was there already; it is the same result and counts once" if outcome.repeated else "is saved"
    messages.success(request, f"{grouped(typed['score'])} for {place.entry} {again}.")
    return redirect(page)


def _check(form: MatchScoreForm, place: Place, question: NeedsDecision | None = None) -> dict[str, Any]:
    """A score to be read back before it is saved, with the question when it is a doubtful one."""
    typed = form.cleaned_data
    return {
        "place": place,
        "value": typed["score"],
        "key": typed["key"] or new_key(),
        "replays": typed["replays"],
        "question": question,
    }


def _rival(game: Game, typed_for: Place, value: int) -> dict[str, Any] | None:
    """A result that cannot be saved because there is one: both, so that neither is lost; a form keeps the second."""
    place = next(place for place in game.places if place.entry == typed_for.entry)
    if place.score is None or place.discarded:
        return None
    same = place.score.value == value or any(other.value == value for other in place.waiting)
    return {"place": place, "value": value, "same": same, "key": new_key()}


def place_lines(game: Game, form: MatchScoreForm | None) -> list[dict[str, Any]]:
    """The players with what each one's form shows: what was typed and its fault, a key of its own."""
    lines = []
    for place in game.places:
        mine = form if form is not None and form.entry_number == place.entry.number else None
        fault = " ".join(str(error) for error in mine["score"].errors) if mine is not None else ""
        typed = mine["score"].value() or "" if mine is not None else ""
        lines.append({"place": place, "key": new_key(), "typed": typed, "fault": fault})
    return lines


def _entry(match: Match, request: HttpRequest) -> Entry:
    """The player of this match whose button was pressed."""
    number = request.POST.get("number", "")
    found = Entry.objects.select_related("player").filter(sides__match=match)
    entry = found.filter(number=int(number)).first() if number.isdecimal() and len(number) < 9 else None
    if entry is None:
        raise Refusal(f"That {match.stage.tournament.kind.noun} is not in this match.")
    return entry


def _call(match: Match, actor: Actor, request: HttpRequest) -> str:
    matches.call(match, actor=actor)
    return " ".join((f"Called to {match.machine.name}.", *_elsewhere(match)))


def _take_call_back(match: Match, actor: Actor, request: HttpRequest) -> str:
    # The button carries the state that it was shown with: a call made anew meanwhile is another one.
    seen = request.POST.get("seen", "")
    matches.take_call_back(match, actor=actor, seen=whole(seen) if seen else None)
    return f"The call to {match.machine.name} was taken back. It can be called again."


def _elsewhere(match: Match) -> list[str]:
    """Who of those called is wanted in another tournament now: no reason not to call, but the desk has to know."""
    entries = match.sides.filter(absent=False).order_by("rank").values_list("entry_id", flat=True)
    found = selectors.wanted_elsewhere(match.stage.tournament, list(entries))
    return [words for entry in entries for words in clash_words(found.get(entry, []))]


def _choose(match: Match, actor: Actor, request: HttpRequest) -> str:
    entry, position = _entry(match, request), request.POST.get("position", "")
    matches.choose(
        match, actor=actor, entry=entry.pk, position=int(position) if position in ("1", "2", "3", "4") else 0
    )
    return f"The choice of {entry} is noted."


def _choose_again(match: Match, actor: Actor, request: HttpRequest) -> str:
    matches.forget_choices(match, actor=actor)
    return "The positions are open again."


def _warm_up(match: Match, actor: Actor, request: HttpRequest) -> str:
    matches.warm_up(match, actor=actor)
    return "The warm-up has begun."


def _swap(match: Match, actor: Actor, request: HttpRequest) -> str:
    matches.swap(match, actor=actor)
    return "Swapped."


def _play(match: Match, actor: Actor, request: HttpRequest) -> str:
    matches.play(match, actor=actor)
    return f"The game on {match.machine.name} has begun."


def _agree(match: Match, actor: Actor, request: HttpRequest) -> str:
    entry = _entry(match, request)
    matches.agree(match, actor=actor, entry=entry.pk)
    return f"{entry} has agreed."


def _put_aside(match: Match, actor: Actor, request: HttpRequest) -> str:
    entry, value = _entry(match, request), scores.read(request.POST.get("score", ""))
    kept = put_aside(
        match.stage,
        actor=actor,
        entry=entry,
        machine=match.machine,
        value=value,
        source="official",
    )
    if kept.repeated:
        return f"{grouped(value)} for {entry} is there already; it is the same result and counts once."
    return f"{grouped(value)} for {entry} is kept for the desk to decide. It counts for nothing until then."


def _absent(match: Match, actor: Actor, request: HttpRequest) -> str:
    entry = _entry(match, request)
    matches.absent(match, actor=actor, entry=entry.pk, reason=request.POST.get("reason", ""))
    return f"{entry} does not play this match."


def _present(match: Match, actor: Actor, request: HttpRequest) -> str:
    entry = _entry(match, request)
    matches.absent(match, actor=actor, entry=entry.pk, reason=request.POST.get("reason", ""), away=False)
    return f"{entry} plays after all."


def _forfeit(match: Match, actor: Actor, request: HttpRequest) -> str:
    entry = _entry(match, request)
    matches.forfeit(match, actor=actor, entry=entry.pk)
    return f"{entry} did not come to {match.machine.name}. One tap takes that back."


def _came(match: Match, actor: Actor, request: HttpRequest) -> str:
    entry, game = _entry(match, request), game_of(match.stage, match.pk)
    if entry in [place.entry for place in game.away] and entry not in [place.entry for place in game.may_come]:
        raise Refusal(f"{entry} was not given up for being late; the desk takes that back, with the reason.")
    matches.absent(match, actor=actor, entry=entry.pk, reason=CAME, away=False)
    return f"{entry} plays on {match.machine.name} after all."


def _level(match: Match, actor: Actor, request: HttpRequest) -> str:
    game_rulings.play_level_again(match, actor=actor)
    return f"The match on {match.machine.name} is played again. Call both sides anew."


def _break_off(match: Match, actor: Actor, request: HttpRequest) -> str:
    redraw.break_off(match, actor=actor, reason=request.POST.get("reason", ""))
    return f"The match on {match.machine.name} has not begun after all."


def _fault(match: Match, actor: Actor, request: HttpRequest) -> str:
    incidents.report(match.machine, actor=actor, what=request.POST.get("what", ""))
    return f"{match.machine.name} is out of order. The desk knows."


ACTS: dict[str, Act] = {
    "call": _call,
    "take-call-back": _take_call_back,
    "choose": _choose,
    "choose-again": _choose_again,
    "warm-up": _warm_up,
    "swap": _swap,
    "play": _play,
    "agree": _agree,
    "put-aside": _put_aside,
    "absent": _absent,
    "present": _present,
    "forfeit": _forfeit,
    "came": _came,
    "level": _level,
    "break-off": _break_off,
    "fault": _fault,
}
