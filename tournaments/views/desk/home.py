"""Where the desk starts: every tournament, how far it is and what it needs next, and who is wanted in two at once."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from tournaments import selectors
from tournaments.permissions import ORGANISER, desk, has_role
from tournaments.views.desk.next_steps import Counts, next_step


@never_cache
@desk
def home(request: HttpRequest) -> HttpResponse:
    """All shows, newest first, with their tournaments and stages."""
    now = timezone.now()
    waiting = selectors.waiting_by_stage()
    counts, clashes = Counts(), selectors.clashing(selectors.engaged())
    shows: dict[int, dict[str, object]] = {}
    for tournament in selectors.all_tournaments():
        lines: list[object] = []
        own = sorted(tournament.stages.all(), key=lambda stage: stage.position)
        stages = [{"stage": s, "phase": s.phase(now), "waiting": waiting[s.pk]} for s in own]
        line = {"tournament": tournament, "stages": stages, "next": next_step(tournament, own, counts, now)}
        in_two = [clash for clash in clashes if clash.player.show_id == tournament.show_id]
        group = shows.setdefault(
            tournament.show_id, {"show": tournament.show, "tournaments": lines, "clashes": in_two}
        )
        group["tournaments"].append(line)  # type: ignore[attr-defined]
    return render(
        request,
        "tournaments/desk/home.html",
        {"shows": list(shows.values()), "organiser": has_role(request.user, ORGANISER)},
    )
