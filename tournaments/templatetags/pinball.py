"""Scores and places as people read them."""

from django import template

from tournaments.domain import scores, standings

register = template.Library()

register.filter("grouped", scores.grouped)
register.filter("in_words", scores.in_words)
register.filter("points_words", standings.points_words)


@register.filter
def place(ranked: object) -> str:
    """The place of a row or a result: "12th", "5th=" when shared, "not ranked" without one."""
    number = getattr(ranked, "place", None)
    return standings.place_words(number, ranked.shared) if number else "not ranked"  # type: ignore[attr-defined]
