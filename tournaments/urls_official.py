"""The officials' addresses."""

from django.urls import path

from tournaments.views import official

app_name = "official"

MACHINE = "official/<slug:show>/machines/<slug:code>/"
MATCH = "official/<slug:show>/<slug:slug>/<slug:stage>/matches/<int:match>/"

urlpatterns = [
    path("official/", official.home, name="home"),
    path("official/open/", official.open_matches, name="open"),
    path("official/machines/", official.machines, name="machines"),
    path(MACHINE, official.machine, name="machine"),
    path(f"{MACHINE}<slug:act>/", official.machine_act, name="machine-act"),
    path(MATCH, official.match, name="match"),
    path(f"{MATCH}changed/", official.changed, name="changed"),
    path(f"{MATCH}<slug:act>/", official.act, name="act"),
]
