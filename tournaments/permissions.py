"""Who may do what. Closed by default: a view without a mark asks for a login, a desk view for a group."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib.auth.decorators import login_not_required
from django.contrib.auth.models import AnonymousUser, User
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse

ORGANISER, DESK, OFFICIAL = "organiser", "desk", "official"
GROUPS = (ORGANISER, DESK, OFFICIAL)
"""Most rights first: each may do all that the later ones may."""

MAY_ACT_AS = {ORGANISER: {ORGANISER}, DESK: {ORGANISER, DESK}, OFFICIAL: {ORGANISER, DESK, OFFICIAL}}

View = Callable[..., HttpResponse]

public = login_not_required
"""Marks a view as open to everybody; forgetting it closes the page."""


def has_role(user: User | AnonymousUser, role: str) -> bool:
    """Whether the user may act in this role. A superuser may act in all."""
    if not user.is_authenticated or not user.is_active:
        return False
    if user.is_superuser:
        return True
    # One query per request and user object: templates ask several times.
    names = user.__dict__.get("_role_names")
    if names is None:
        names = user.__dict__["_role_names"] = set(user.groups.values_list("name", flat=True))
    return bool(names & MAY_ACT_AS[role])


def role_required(role: str) -> Callable[[View], View]:
    """Allow a view to those who may act in the role; others get 403."""

    def decorate(view: View) -> View:
        @wraps(view)
        def guarded(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not has_role(request.user, role):
                raise PermissionDenied(f"This page is for the {role} group.")
            return view(request, *args, **kwargs)

        return guarded

    return decorate


organiser, desk, official = role_required(ORGANISER), role_required(DESK), role_required(OFFICIAL)
