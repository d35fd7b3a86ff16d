"""Answers a load balancer or a container's health check: this process serves and its database answers."""

from django.db import connection
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_safe

from tournaments.permissions import public


@public
@require_safe
def healthz(request: HttpRequest) -> HttpResponse:
    with connection.cursor() as cursor:
        cursor.execute("SELECT 1")
    return HttpResponse("ok", content_type="text/plain", headers={"Cache-Control": "no-store"})
