"""The pages that everybody may read. None of them looks at who asks."""

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_safe

from tournaments import live, selectors
from tournaments.permissions import public
from tournaments.views import pages


@public
@require_safe
def home(request: HttpRequest) -> HttpResponse:
    """The shows and their tournaments."""
    return render(
        request, "tournaments/public/home.html", {"shows": pages.show_lines(selectors.shows(), timezone.now())}
    )


@public
@require_safe
def tournament(request: HttpRequest, show: str, slug: str) -> HttpResponse:
    """Leads to the tournament's first stage."""
    stage = live.reading(live.find(show, slug)).stage
    return redirect("public:stage", show, slug, stage.key)


@public
@require_safe
def stage(request: HttpRequest, show: str, slug: str, key: str) -> HttpResponse:
    """A stage with its table and the cut."""
    return live.answer(request, live.page(live.find(show, slug, key), "stage", pages.stage_page))


@public
@require_safe
def rows(request: HttpRequest, show: str, slug: str, key: str) -> HttpResponse:
    """The live part of a stage's page; 204 for whoever has it already."""
    return _polled(request, live.page(live.find(show, slug, key), "rows", pages.rows))


def _polled(request: HttpRequest, page: live.Page) -> HttpResponse:
    """The page, or nothing for a page that asks for itself with the version it shows already.

    That version is all that a page's query holds; to take any query apart costs as much as the rest of this answer.
    """
    name, _, seen = request.META.get("QUERY_STRING", "").partition("=")
    if name == "rev" and live.already_seen(seen, page):
        return live.nothing_new()
    return live.answer(request, page)


@public
@require_safe
def player(request: HttpRequest, show: str, slug: str, number: int) -> HttpResponse:
    """One player's page."""
    found = live.find(show, slug)
    entrant = next((e for e in pages.entrants(live.reading(found)) if e.number == number), None)
    if entrant is None:
        kept = selectors.entry_numbered(live.reading(found).stage.tournament, number)
        if kept is None or kept.number == number:
            raise Http404(f"Nobody in this tournament has number {number}.")
        return redirect("public:player", show, slug, kept.number)
    page = live.page(found, f"player {entrant.id}", lambda reading: pages.player_page(reading, entrant.id))
    return _polled(request, page)


@public
@require_safe
def machine(request: HttpRequest, show: str, slug: str, code: str) -> HttpResponse:
    """One machine's rankings."""
    found = live.find(show, slug)
    used = pages.find_machine(live.reading(found), code)
    if used is None:
        raise Http404(f"No machine of this tournament has the code {code}.")
    page = live.page(found, f"machine {used.id}", lambda reading: pages.machine_page(reading, used.id))
    return _polled(request, page)


@public
@require_safe
def bracket(request: HttpRequest, show: str, slug: str) -> HttpResponse:
    """The way from the cut to the winner."""
    return _polled(request, live.page(live.find(show, slug), "bracket", pages.bracket_page))


@public
@require_safe
def results(request: HttpRequest, show: str, slug: str) -> HttpResponse:
    """The final places."""
    return _polled(request, live.page(live.find(show, slug), "results", pages.results_page))


@public
@require_safe
def rules(request: HttpRequest, show: str, slug: str) -> HttpResponse:
    """The rules in force."""
    return live.answer(request, live.page(live.find(show, slug), "rules", pages.rules_page))


@public
@require_safe
def search(request: HttpRequest, show: str, slug: str) -> HttpResponse:
    """Leads to the player with this number or name, or lists who may be meant."""
    typed = " ".join(request.GET.get("q", "").split())
    reading = live.reading(live.find(show, slug))
    exact, found = pages.find_entrants(reading, typed)
    if typed.isdecimal() and len(typed) < 9:
        exact, found = pages.find_numbered(reading, int(typed), exact)
    if exact:
        return redirect("public:player", show, slug, exact.number)
    return HttpResponse(pages.search_page(reading, typed, found), headers={"Cache-Control": "no-cache"})
