"""Where a request came from, when a proxy stands in front."""

from django.http import HttpRequest


def client_address(request: HttpRequest) -> str | None:
    """The address our own proxy saw: the last one. Everything before it is the caller's claim."""
    forwarded = request.headers.get("X-Forwarded-For", "").rpartition(",")[2].strip()
    return forwarded or request.META.get("REMOTE_ADDR")
