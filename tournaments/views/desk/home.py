"""Where the desk starts: every tournament and how far it is."""

from collections import Counter

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache

from tournaments.models import Score, Tournament
from tournaments.permissions import ORGANISER, desk, has_role


@never_cache
@desk
def home(request: HttpRequest) -> HttpResponse:
    """All shows, newest first, with their tournaments and stages."""
    now = timezone.now()
    tournaments = Tournament.objects.select_related("show").prefetch_related("stages__tournament__show")
    waiting = Counter(Score.objects.filter(state=Score.State.WAITING).values_list("stage_id", flat=True))
    shows: dict[int, dict[str, object]] = {}
    for tournament in tournaments.order_by("-show__starts_on", "show__slug", "starts_on", "slug"):
        lines: list[object] = []
        stages = [{"stage": s, "phase": s.phase(now), "waiting": waiting[s.pk]} for s in tournament.stages.all()]
        group = shows.setdefault(tournament.show_id, {"show": tournament.show, "tournaments": lines})
        group["tournaments"].append({"tournament": tournament, "stages": stages})  # type: ignore[attr-defined]
    return render(
        request,
        "tournaments/desk/home.html",
        {"shows": list(shows.values()), "organiser": has_role(request.user, ORGANISER)},
    )
