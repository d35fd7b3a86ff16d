"""Scores and places as people read them."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from django import template

from tournaments.domain import rulings, scores, standings

register = template.Library()

register.filter("grouped", scores.grouped)
register.filter("in_words", scores.in_words)
register.filter("points_words", standings.points_words)


@register.filter
def place(ranked: object) -> str:
    """The place of a row or a result: "12th", "5th=" when shared, "not ranked" without one."""
    number = getattr(ranked, "place", None)
    return standings.place_words(number, ranked.shared) if number else "not ranked"  # type: ignore[attr-defined]


@register.filter
def shown_factor(factor: Decimal | None) -> str:
    """A factor without trailing zeros, "none" where there is none to propose."""
    return rulings.shown_factor(factor) if factor else "none"


@register.filter
def item(mapping: Mapping[Any, Any], key: object) -> object:
    """What a mapping has under a key that stands in a variable."""
    return mapping[key]
