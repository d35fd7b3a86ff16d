"""What the templates of teams ask for."""

from collections.abc import Sequence

from django import template

from teams import selectors
from teams.models import TeamMember
from tournaments.models import Entry

register = template.Library()


@register.simple_tag
def line_up(entry: Entry) -> Sequence[TeamMember]:
    """Who is in the team of an entry, in their order."""
    return selectors.line_up_of(entry.pk)
