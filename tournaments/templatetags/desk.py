"""Addresses of the desk's pages about the stage that the page is about."""

from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import format_html

from tournaments.forms import new_key
from tournaments.models import Entry, Stage
from tournaments.views.desk.common import stage_url
from tournaments.views.journal import history_url, journal_url

register = template.Library()


@register.simple_tag(takes_context=True)
def desk(context: template.Context, name: str, *parts: Any) -> str:
    """`{% desk "score" score.pk %}`: the address of that page for the stage in the context."""
    return stage_url(f"desk:{name}", context["stage"], *parts)


@register.simple_tag
def form_key() -> str:
    """The key of one form, hidden in it: sent twice, what it asks for is done once."""
    return format_html('<input type="hidden" name="key" value="{}">', new_key())


@register.simple_tag(takes_context=True)
def desk_journal(context: template.Context, **wanted: Any) -> str:
    """`{% desk_journal machine=machine.code %}`: the journal of the show in the context, with a filter."""
    return journal_url(context["show"], **wanted)


@register.simple_tag(takes_context=True)
def desk_history(context: template.Context, entry: Entry) -> str:
    """`{% desk_history entry %}`: everything about an entry in the journal of the show in the context."""
    return history_url(entry, context["show"])


@register.simple_tag(takes_context=True)
def desk_entry(context: template.Context, number: int) -> str:
    """The desk's page about the entry with this number. It belongs to the stage in which people enter."""
    tournament = context["tournament"]
    first = tournament.kind.stages[0].key
    return reverse("desk:entry", args=[tournament.show.slug, tournament.slug, first, number])


@register.simple_tag(takes_context=True)
def desk_panel(context: template.Context, place: str) -> str:
    """The template that the format puts into this place of the desk's pages about the stage; "" for none."""
    stage = context["stage"]
    panels = stage.tournament.kind.panels
    return panels.get((stage.key, f"desk-{place}"), "")


@register.simple_tag(takes_context=True)
def desk_stages(context: template.Context) -> list[dict[str, Any]]:
    """The stages of the tournament that this version plays, each with its address; the first is where people enter."""
    tournament = context["tournament"]
    stages = Stage.objects.filter(tournament=tournament).order_by("position")
    found = []
    for stage in stages:
        stage.tournament = tournament
        if stage.spec.playable:
            found.append({"stage": stage, "url": stage_url("desk:slips", stage)})
    return found
