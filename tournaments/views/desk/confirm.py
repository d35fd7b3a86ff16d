"""An act in two steps: what it would change is shown first, and done when the same form comes back with the word."""

from collections.abc import Callable
from functools import partial

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect

from tournaments import permissions
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.models import Stage
from tournaments.permissions import has_role
from tournaments.services import effects, late
from tournaments.services.effects import Effects
from tournaments.views.desk.common import page

NO_EFFECT = "No place, seat or game changes; it is kept in the history and told beside the result."
NOT_CARRIED = ("csrfmiddlewaretoken", "shown", "late")


def confirmed(
    request: HttpRequest,
    stage: Stage,
    act: Callable[[str, str | None], object],
    *,
    title: str,
    button: str,
    done: str | Callable[[], str],
    back: str,
    about: str = "",
    nothing: str = NO_EFFECT,
    look: Callable[[Callable[[], object]], Effects] | None = None,
) -> HttpResponse | Refusal:
    """Show what the act would change, or do it when the form comes back with what was shown.

    `act` is given the digest of the effects that were shown ("" for the preview) and what an organiser decided about a
    stage that is closed (None for who may not decide). `back` is the page to return to, `done` what it says then, or
    works that out; `about` says in words what is about to be done, `nothing` what is said when no result changes. A
    refusal is handed back, for the page with the form to show beside what was typed. `look` previews an act that
    concerns more than this tournament.
    """
    look = look or partial(effects.preview, stage.tournament)
    decisions: list[tuple[str, str]] = []
    shown = request.POST.get("shown", "")
    decision = request.POST.get("late", "") if has_role(request.user, permissions.ORGANISER) else None
    try:
        if shown:
            act(shown, decision)
            messages.success(request, done if isinstance(done, str) else done())
            return HttpResponseRedirect(back)
        told, question = look(lambda: act("", decision)), None
    except NeedsDecision as refusal:
        if refusal.settle != "late":
            return refusal
        # What the act itself would change is seen with the seats left as they are.
        told = look(lambda: act("", late.NOTHING))
        question = refusal
        decisions = [(key, words) for key, words in late.DECISIONS.items() if _possible(look, act, key)]
    except Refusal as refusal:
        return refusal
    carried = [
        (name, value) for name in request.POST if name not in NOT_CARRIED for value in request.POST.getlist(name)
    ]
    context = {
        "title": title,
        "button": button,
        "back": back,
        "about": about,
        "nothing": nothing,
        "effects": told,
        "carried": carried,
        "question": question,
        "decisions": decisions,
        "decision": decision or "",
    }
    return page(request, "confirm", stage, context)


def _possible(
    look: Callable[[Callable[[], object]], Effects], act: Callable[[str, str | None], object], decision: str
) -> bool:
    """Whether an organiser can decide so: nobody simply takes the seat of somebody who has begun to play."""
    try:
        look(lambda: act("", decision))
    except Refusal:
        return False
    return True
