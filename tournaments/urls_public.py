"""The addresses that everybody may read. What phones ask for every few seconds is found first."""

from django.urls import include, path

from tournaments.views import public

app_name = "public"

OF_A_TOURNAMENT = [
    path("machines/<slug:code>/", public.machine, name="machine"),
    path("players/<int:number>/", public.player, name="player"),
    path("<slug:key>/rows/", public.rows, name="rows"),
    path("rules/", public.rules, name="rules"),
    path("bracket/", public.bracket, name="bracket"),
    path("results/", public.results, name="results"),
    path("search/", public.search, name="search"),
    path("<slug:key>/", public.stage, name="stage"),
    path("", public.tournament, name="tournament"),
]

urlpatterns = [
    path("t/<slug:show>/<slug:slug>/", include(OF_A_TOURNAMENT)),
    path("", public.home, name="home"),
]
