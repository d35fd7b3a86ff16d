"""The journal of a show: everything that was done in its tournaments and to what they share, newest first."""

from typing import Any

from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import get_object_or_404, render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from tournaments import permissions, selectors
from tournaments.forms import JournalForm
from tournaments.models import Show
from tournaments.permissions import ORGANISER, has_role
from tournaments.selectors import Meant
from tournaments.views import journal as lines

PER_PAGE = 50


@permissions.desk
@never_cache
@require_safe
def journal(request: HttpRequest, show: str) -> HttpResponse:
    """The lines that the filter asks for, page by page; none while a field of it cannot be read."""
    found = get_object_or_404(Show, slug=show)
    with timezone.override(found.zone):
        return render(request, "tournaments/desk/journal.html", _context(request, found))


def _context(request: HttpRequest, show: Show) -> dict[str, Any]:
    kinds = [(key, label) for key, (label, _) in lines.KINDS.items()]
    form = JournalForm(request.GET, show=show, kinds=[*kinds, (lines.OTHER, "Other")], people=_people(show))
    pages = Paginator(
        lines.asked(show, form.cleaned_data) if form.is_valid() else lines.asked(show, {}).none(), PER_PAGE
    )
    page = pages.get_page(request.GET.get("page"))
    called = lines.still_called(page)
    asked = request.GET.copy()
    asked.pop("page", None)
    return {
        "show": show,
        "form": form,
        "filtered": any(asked.values()),
        "page": page,
        "lines": [lines.told(line, show, called) for line in page],
        "query": asked.urlencode(),
        "meant": form.meant if form.others else None,
        "others": [(meant, _as(asked, meant)) for meant in form.others],
        "organiser": has_role(request.user, ORGANISER),
    }


def _as(asked: QueryDict, meant: Meant) -> str:
    """The address of what is looked for, with the number taken for somebody else."""
    other = asked.copy()
    other["as"] = meant.key
    return f"?{other.urlencode()}"


def _people(show: Show) -> list[tuple[str, str]]:
    """Who has a line in the journal, for the filter."""
    names = selectors.in_the_journal(show)
    return [(str(pk), name) for pk, name in names] + [(lines.CONSOLE, "at the server")]
