"""What the desk's pages share: the stage they are about, who may act, and how a "no" comes back to its form."""

from collections.abc import Callable
from datetime import datetime
from functools import partial, wraps
from typing import Any, TypeVar

from django.contrib import messages
from django.contrib.auth.models import User
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from tournaments import permissions, selectors
from tournaments.domain.facts import Phase
from tournaments.domain.refusals import Refusal
from tournaments.formats import StageSpec
from tournaments.forms import ActForm
from tournaments.models import Entry, Score, Stage
from tournaments.permissions import View, has_role
from tournaments.services import stages
from tournaments.services.change import Repeated, sent_once
from tournaments.views.desk import way_back

Done = TypeVar("Done")
PAGE_PARTS = {
    "desk:score": ("score",),
    "desk:entry": ("number",),
    "desk:same-person": ("number",),
    "desk:match": ("match",),
    "official:match": ("match",),
}
"""The parts of the address that some pages need beside their stage."""


def desk_stage(view: View) -> View:
    """A view of the desk about one stage that this version plays, with slips or in matches."""
    return permissions.desk(about_a_stage(view, lambda spec: spec.slips or spec.matches))


def slips_stage(view: View) -> View:
    """A view of the desk about a stage whose games are entered from slips."""
    return permissions.desk(about_a_stage(view, lambda spec: spec.slips))


def entry_stage(view: View) -> View:
    """A view of the desk about a stage in which people enter: its games come from slips, or it is played in groups."""
    return permissions.desk(about_a_stage(view, lambda spec: spec.slips or spec.grouped))


def match_stage(view: View) -> View:
    """A view of the desk about a stage that is played in matches."""
    return permissions.desk(about_a_stage(view, lambda spec: spec.matches))


def about_a_stage(view: View, fits: Callable[[StageSpec], bool]) -> View:
    """A view about one stage: loaded, in the show's time, never kept by a browser.

    A kept page would come back with a key that has been used.
    """

    @wraps(view)
    @never_cache
    def loaded(request: HttpRequest, show: str, slug: str, stage: str, **parts: Any) -> HttpResponse:
        stages = Stage.objects.select_related("tournament__show")
        found = get_object_or_404(stages, key=stage, tournament__slug=slug, tournament__show__slug=show)
        if not fits(found.spec):
            raise Http404(f"{found.label} has no such page.")
        with timezone.override(found.tournament.show.zone):
            return view(request, found, **parts)

    return loaded


def posted_from(
    page: str, *, done: Callable[..., HttpResponse] | None = None, own_key: bool = False
) -> Callable[[View], View]:
    """A view that only takes forms; whoever comes by an address, as after signing in again, is led to the page.

    A form sent twice is done once and answered the second time where it was the first time: on the page, or with what
    `done` makes of the same arguments. With `own_key` the view sees to that itself.
    """

    def decorate(view: View) -> View:
        @wraps(view)
        def taken(request: HttpRequest, stage: Stage, **parts: Any) -> HttpResponse:
            def back() -> HttpResponse:
                return to_page(page, stage, *(parts[name] for name in PAGE_PARTS.get(page, ())))

            if request.method != "POST":
                return back()
            if own_key:
                return view(request, stage, **parts)
            again = partial(done, request, stage, **parts) if done else back
            return once(request, lambda: view(request, stage, **parts), again=again)

        return taken

    return decorate


ALREADY = "This had been sent already; it is done once."
NOT_TYPED = ("csrfmiddlewaretoken", "key", "shown", "late")
"""What a form carries beside what somebody chose or typed; a preview and the word for it are one form."""


def once(request: HttpRequest, act: Callable[[], HttpResponse], *, again: Callable[[], HttpResponse]) -> HttpResponse:
    """Do what a form asks for; what had been sent with its key before is done already, and answered with `again`."""
    typed = {name: request.POST.getlist(name) for name in request.POST if name not in NOT_TYPED}
    try:
        with sent_once(request.POST.get("key", ""), {"path": request.path, **typed}):
            return act()
    except Repeated:
        messages.success(request, ALREADY)
        return again()


def attempt(act: Callable[[], Done]) -> Done | Refusal:
    """What a service gave back, or its "no" to be shown beside the form that asked, with what was typed."""
    try:
        return act()
    except Refusal as refusal:
        return refusal


def decide(
    request: HttpRequest,
    stage: Stage,
    act: Callable[..., object],
    *,
    told: str,
    back: str,
    shown: Callable[[Refusal], HttpResponse],
) -> HttpResponse:
    """Do something to a stage that needs a reason, and go `back` to a page that says what was done.

    `act` is a service, called with who acts, the reason and the revision that the page showed. Its "no" is `shown`
    on the page again, which then carries the revision it shows now.
    """
    outcome = attempt(lambda: act(actor=actor(request), **ActForm(request.POST).asked()))
    if isinstance(outcome, Refusal):
        return shown(outcome)
    messages.success(request, told)
    return to_page(back, stage)


def actor(request: HttpRequest) -> User:
    """Who acts; the guards above have made sure that somebody is signed in."""
    if not isinstance(request.user, User):
        raise PermissionDenied
    return request.user


def whole(text: str) -> int:
    """A number that the page itself has put into a form or an address; -1, which nothing has, for anything else."""
    return int(text) if text.isdecimal() and len(text) < 10 else -1


def stage_url(name: str, stage: Stage, *parts: Any) -> str:
    """The address of one of the desk's pages about a stage."""
    return reverse(name, args=[stage.tournament.show.slug, stage.tournament.slug, stage.key, *parts])


def to_page(name: str, stage: Stage, *parts: Any, query: str = "") -> HttpResponseRedirect:
    """A redirect to one of the desk's pages."""
    return redirect(stage_url(name, stage, *parts) + query)


def page(
    request: HttpRequest,
    template: str,
    stage: Stage,
    context: dict[str, Any],
    refusal: Refusal | None = None,
    status: int = 200,
    folder: str = "tournaments/desk",
) -> HttpResponse:
    """A page or part of the desk about a stage, with a refusal in it if there is one, which then gives the status.

    `folder` has the template where a format has pages of its own.
    """
    now = timezone.now()
    phase = stage.phase(now)
    shared = {
        "show": stage.tournament.show,
        "tournament": stage.tournament,
        "stage": stage,
        "phase": phase,
        "phase_words": phase_words(stage, now),
        "declared": phase == Phase.CLOSED and is_declared(stage),
        "organiser": has_role(request.user, permissions.ORGANISER),
        "expected": stage.tournament.revision,
        "reason": request.POST.get("reason", ""),
        "refusal": refusal,
        "way_back": way_back.link(refusal),
    }
    status = refusal.status if refusal else status
    return render(request, f"{folder}/{template}.html", {**shared, **context}, status=status)


def phase_words(stage: Stage, now: datetime) -> str:
    """How far the stage is, with the time that matters, in the show's time."""
    phase = stage.phase(now)
    if phase == Phase.PLANNED:
        return f"Not open yet; due to open at {clock(stage.opens_at, now)}." if stage.opens_at else "Not open yet."
    if phase == Phase.OPEN:
        return f"Open until {clock(stage.closes_at, now)}." if stage.closes_at else "Open, without a closing time."
    if phase == Phase.CLOSING:
        since = clock(stage.closes_at, now) if stage.closes_at else ""
        return f"Closing since {since}: games under way finish, late slips are taken, no new game starts."
    return f"Closed at {clock(stage.closed_at, now)}." if stage.closed_at else "Closed."


def is_declared(stage: Stage) -> bool:
    """Whether the cut after this stage is declared, so that it cannot simply be opened again."""
    following = stages.next_stage(stage) if stage.spec.ranked else None
    return following is not None and following.seats.exists()


def clock(moment: datetime, now: datetime) -> str:
    """A time of today as 16:00, another day's with its date. In the current time zone."""
    local = timezone.localtime(moment)
    same_day = local.date() == timezone.localtime(now).date()
    return f"{local:%H:%M}" if same_day else f"{local:%H:%M on} {local.day} {local:%B %Y}"


def score_of(stage: Stage, score: int) -> Score:
    """The score of this stage, or 404."""
    scores = Score.objects.select_related("entry__player", "machine", "stage__tournament__show", "recorded_by")
    return get_object_or_404(scores, pk=score, stage=stage)


def entry_of(stage: Stage, number: int) -> Entry:
    """The entry with this number, or of the person whose number it was; or 404."""
    found = selectors.entry_numbered(stage.tournament, number)
    entries = Entry.objects.select_related("player", "tournament__show", "pool")
    return get_object_or_404(entries, pk=found.pk if found else None)
