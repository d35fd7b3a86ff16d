"""Addresses of the desk's pages about the stage that the page is about."""

from typing import Any

from django import template

from tournaments.views.desk.common import stage_url

register = template.Library()


@register.simple_tag(takes_context=True)
def desk(context: template.Context, name: str, *parts: Any) -> str:
    """`{% desk "score" score.pk %}`: the address of that page for the stage in the context."""
    return stage_url(f"desk:{name}", context["stage"], *parts)
