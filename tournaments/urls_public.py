"""The addresses that everybody may read."""

from django.urls import path

from tournaments.views import public

app_name = "public"

TOURNAMENT = "t/<slug:show>/<slug:slug>/"

urlpatterns = [
    path("", public.home, name="home"),
    path(TOURNAMENT, public.tournament, name="tournament"),
    path(f"{TOURNAMENT}rules/", public.rules, name="rules"),
    path(f"{TOURNAMENT}bracket/", public.bracket, name="bracket"),
    path(f"{TOURNAMENT}results/", public.results, name="results"),
    path(f"{TOURNAMENT}search/", public.search, name="search"),
    path(f"{TOURNAMENT}players/<int:number>/", public.player, name="player"),
    path(f"{TOURNAMENT}machines/<slug:code>/", public.machine, name="machine"),
    path(f"{TOURNAMENT}<slug:key>/", public.stage, name="stage"),
    path(f"{TOURNAMENT}<slug:key>/rows/", public.rows, name="rows"),
]
