"""The officials' addresses."""

from django.urls import path

from tournaments.views import official

app_name = "official"

MATCH = "official/<slug:show>/<slug:slug>/<slug:stage>/matches/<int:match>/"

urlpatterns = [
    path("official/", official.home, name="home"),
    path("official/open/", official.open_matches, name="open"),
    path(MATCH, official.match, name="match"),
    path(f"{MATCH}changed/", official.changed, name="changed"),
    path(f"{MATCH}<slug:act>/", official.act, name="act"),
]
