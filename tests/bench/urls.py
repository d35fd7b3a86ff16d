"""The product's addresses, a one-line view to compare with, and the live table computed for every request."""

from django.http import HttpRequest, HttpResponse
from django.urls import path

from pinparty.urls import urlpatterns as the_products
from tests.bench import watch
from tournaments.permissions import public
from tournaments.views import public as pages

watch.install()


@public
def line(request: HttpRequest) -> HttpResponse:
    return HttpResponse("one line")


@public
def uncached(request: HttpRequest, show: str, slug: str, key: str) -> HttpResponse:
    with watch.nothing_kept():
        return pages.rows(request, show, slug, key)


urlpatterns = [
    path("bench/line", line),
    path("bench/uncached/<slug:show>/<slug:slug>/<slug:key>/", uncached),
    *the_products,
]
