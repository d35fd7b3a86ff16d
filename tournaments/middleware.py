"""What every answer goes through: content policy, login, and the three ways of saying no."""

from collections.abc import Callable
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.conf import settings
from django.contrib.auth import middleware as auth_middleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase, HttpResponseRedirect
from django.http.response import HttpResponseRedirectBase
from django.shortcuts import render, resolve_url
from django_htmx.http import HttpResponseClientRedirect

from tournaments.domain.refusals import Refusal

GetResponse = Callable[[HttpRequest], HttpResponse]

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; "
    "connect-src 'self'; manifest-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class ContentSecurityPolicyMiddleware:
    """One static policy for all pages: no inline script or style, nothing from elsewhere."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        response.headers["Content-Security-Policy"] = CONTENT_POLICY
        return response


class LoginRequiredMiddleware(auth_middleware.LoginRequiredMiddleware):
    """Login everywhere unless a view is marked; htmx gets a redirect header that leads back to the page."""

    def process_view(
        self,
        request: HttpRequest,
        view_func: Callable[..., HttpResponseBase],
        view_args: tuple[Any, ...],
        view_kwargs: dict[str, Any],
    ) -> HttpResponseBase | None:
        """Asks the mark first. Django asks who it is first, which costs a public page its session and its user."""
        if not getattr(view_func, "login_required", True):
            return None
        return super().process_view(request, view_func, view_args, view_kwargs)

    def handle_no_permission(  # type: ignore[override]  # a redirect for htmx is one for us
        self, request: HttpRequest, view_func: Callable[..., HttpResponseBase]
    ) -> HttpResponseRedirectBase:
        if "HX-Request" in request.headers:
            # The page the person looks at, not the fragment that was asked for.
            page = request.headers.get("HX-Current-URL") or request.get_full_path()
            return HttpResponseClientRedirect(_login(_path(page)))
        if request.method == "POST":
            # A form's own address often answers no GET; after the login the person wants the page with the form.
            return HttpResponseRedirect(_login(_back(request)))
        return super().handle_no_permission(request, view_func)


def _login(back: str) -> str:
    return f"{resolve_url(settings.LOGIN_URL)}?{urlencode({'next': back})}"


class RefusalMiddleware:
    """Answers `Refusal`, `Stale` and `NeedsDecision` with their sentence, as a notice for htmx or as a page."""

    def __init__(self, get_response: GetResponse) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, Refusal):
            return None
        context = {"refusal": exception, "back": _back(request)}
        if "HX-Request" in request.headers:
            response = render(request, "ui/_refusal.html", context, status=exception.status)
            response.headers["HX-Retarget"] = "#notice"
            response.headers["HX-Reswap"] = "innerHTML"
            return response
        return render(request, "ui/refusal.html", context, status=exception.status)


def _back(request: HttpRequest) -> str:
    """The page of ours the form was on, so that nobody is stranded."""
    came_from = request.headers.get("Referer", "")
    return _path(came_from) if urlsplit(came_from).netloc == request.get_host() else "/"


def _path(page: str) -> str:
    """The path and query of an address, so that it can only lead to this site."""
    parts = urlsplit(page)
    path = "/" + parts.path.lstrip("/")
    return f"{path}?{parts.query}" if parts.query else path
