"""The addresses that everybody may read. What phones ask for every few seconds is found first."""

from django.urls import path

from tournaments.views import public

app_name = "public"

TOURNAMENT = "t/<slug:show>/<slug:slug>/"

urlpatterns = [
    path(f"{TOURNAMENT}machines/<slug:code>/", public.machine, name="machine"),
    path(f"{TOURNAMENT}players/<int:number>/", public.player, name="player"),
    path(f"{TOURNAMENT}<slug:key>/rows/", public.rows, name="rows"),
    path(f"{TOURNAMENT}rules/", public.rules, name="rules"),
    path(f"{TOURNAMENT}bracket/", public.bracket, name="bracket"),
    path(f"{TOURNAMENT}results/", public.results, name="results"),
    path(f"{TOURNAMENT}search/", public.search, name="search"),
    path(f"{TOURNAMENT}<slug:key>/", public.stage, name="stage"),
    path(TOURNAMENT, public.tournament, name="tournament"),
    path("", public.home, name="home"),
]
