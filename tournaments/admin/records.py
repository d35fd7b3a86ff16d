"""What was played and decided, to be looked up. Scores are corrected at the desk, where the history is kept."""

import json
from typing import Any

from django.contrib.admin import display, register
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html
from django.utils.safestring import SafeString

from tournaments.admin.base import LookOnly, link, moment, site
from tournaments.domain.scores import grouped
from tournaments.models import Journal, Ruling, Score, Seat


@register(Score, site=site)
class ScoreAdmin(LookOnly):
    list_display = ("entry", "machine", "score", "state", "taken", "late", "recorded_by", "stage_name")
    list_filter = ("state", "stage__tournament", "late", "source", "machine")
    list_select_related = ("entry__player", "machine", "stage__tournament__show", "recorded_by")
    search_fields = ("=entry__number", "entry__player__name", "machine__name", "=machine__code")
    search_help_text = "A player's number or a machine's code exactly, or a part of either name."
    date_hierarchy = "recorded_at"
    fields = (
        "desk", "entry", "machine", "score", "state", "late", "started", "taken", "recorded", "recorded_by", "source",
        "stage_name",
    )  # fmt: skip

    def journal_lookup(self, object_id: str) -> dict[str, str] | None:
        return {"score__id__exact": object_id}

    @display(description="correct or void it")
    def desk(self, score: Score) -> SafeString:
        stage = score.stage
        names = [stage.tournament.show.slug, stage.tournament.slug, stage.key, score.pk]
        return link(reverse("desk:score", args=names), "Open it at the desk")

    @display(description="score", ordering="value")
    def score(self, score: Score) -> str:
        return "–" if score.value is None else grouped(score.value)

    @display(description="started")
    def started(self, score: Score) -> str:
        return moment(score.started_at, score)

    @display(description="taken at", ordering="taken_at")
    def taken(self, score: Score) -> str:
        return moment(score.taken_at, score)

    @display(description="recorded at", ordering="recorded_at")
    def recorded(self, score: Score) -> str:
        return moment(score.recorded_at, score)

    @display(description="stage", ordering="stage__position")
    def stage_name(self, score: Score) -> str:
        return f"{score.stage.tournament}: {score.stage.label}"


@register(Seat, site=site)
class SeatAdmin(LookOnly):
    list_display = ("seed", "entry", "stage_name", "why")
    list_display_links = ("seed", "entry")
    list_filter = ("stage__tournament",)
    list_select_related = ("entry__player", "stage__tournament__show")
    search_fields = ("=entry__number", "entry__player__name")
    fields = ("stage_name", "seed", "entry", "why")

    def journal_lookup(self, object_id: str) -> dict[str, str] | None:
        stage = Seat.objects.select_related("stage").get(pk=object_id).stage
        return {"tournament__id__exact": str(stage.tournament_id), "action__exact": "declare cut"}

    @display(description="stage", ordering="stage__position")
    def stage_name(self, seat: Seat) -> str:
        return f"{seat.stage.tournament}: {seat.stage.label}"


@register(Ruling, site=site)
class RulingAdmin(LookOnly):
    list_display = ("kind", "stage_name", "reason", "decided_by", "decided", "undone")
    list_filter = ("kind", "tournament", "undone_at")
    list_select_related = ("tournament__show", "stage__tournament__show", "decided_by", "undone_by")
    search_fields = ("reason", "tournament__name")
    date_hierarchy = "decided_at"
    fields = ("stage_name", "kind", "contents", "reason", "decided_by", "decided", "undone_by", "undone")

    def journal_lookup(self, object_id: str) -> dict[str, str] | None:
        return {"tournament__id__exact": str(Ruling.objects.get(pk=object_id).tournament_id)}

    @display(description="contents")
    def contents(self, ruling: Ruling) -> str:
        return _pretty(ruling.data)

    @display(description="stage", ordering="stage__position")
    def stage_name(self, ruling: Ruling) -> str:
        return f"{ruling.tournament}: {ruling.stage.label}" if ruling.stage else str(ruling.tournament)

    @display(description="decided at", ordering="decided_at")
    def decided(self, ruling: Ruling) -> str:
        return moment(ruling.decided_at, ruling)

    @display(description="taken back at", ordering="undone_at")
    def undone(self, ruling: Ruling) -> str:
        return moment(ruling.undone_at, ruling)


@register(Journal, site=site)
class JournalAdmin(LookOnly):
    list_display = ("when", "summary", "reason", "who", "of", "revision")
    list_display_links = ("summary",)
    list_filter = ("tournament", "show", "action", "actor")
    list_select_related = ("tournament__show", "show", "actor")
    search_fields = ("summary", "reason", "action")
    search_help_text = "A part of what was noted or of the reason: a name, a machine, a score."
    date_hierarchy = "at"
    ordering = ("-at", "-revision")
    fields = ("of", "revision", "when", "who", "action", "summary", "reason", "earlier", "later")

    def lookup_allowed(self, lookup: str, value: str, request: HttpRequest | None = None) -> bool:
        """The history links of other pages ask for one score, entry, person or machine."""
        asked = ("score__id__exact", "entry__id__exact", "entry__player__id__exact", "machine__id__exact")
        return lookup in asked or super().lookup_allowed(lookup, value, request)  # type: ignore[arg-type]

    def history_view(self, request: HttpRequest, object_id: str, extra_context: Any = None) -> Any:
        """The journal is the history."""
        return self.change_view(request, object_id)

    @display(description="when", ordering="at")
    def when(self, line: Journal) -> str:
        return moment(line.at, line)

    @display(description="of", ordering="tournament")
    def of(self, line: Journal) -> str:
        """The tournament, or the show whose tournaments share what was changed."""
        return str(line.tournament or line.show)

    @display(description="who", ordering="actor")
    def who(self, line: Journal) -> str:
        return line.actor.get_username() if line.actor else "at the server's console"

    @display(description="before")
    def earlier(self, line: Journal) -> str:
        return _pretty(line.before)

    @display(description="after")
    def later(self, line: Journal) -> str:
        return _pretty(line.after)


def _pretty(data: Any) -> str:
    return format_html("<pre>{}</pre>", json.dumps(data, indent=2, ensure_ascii=False)) if data else "–"
