"""The desk's addresses about teams. What only takes forms lies one step below the page that holds the form."""

from django.urls import path

from teams.views import desk

app_name = "teams"

TEAMS = "desk/<slug:show>/<slug:slug>/<slug:stage>/teams/"
SEEDS = "desk/<slug:show>/<slug:slug>/<slug:stage>/seeds/"

urlpatterns = [
    path(TEAMS, desk.listed, name="teams"),
    path(f"{TEAMS}new/", desk.new, name="team-new"),
    path(f"{TEAMS}<int:number>/", desk.team, name="team"),
    path(f"{TEAMS}<int:number>/check-in/", desk.check_in, name="team-check-in"),
    path(f"{TEAMS}<int:number>/take-check-in-back/", desk.take_check_in_back, name="team-take-check-in-back"),
    path(f"{TEAMS}<int:number>/details/", desk.details, name="team-details"),
    path(f"{TEAMS}<int:number>/members/", desk.members, name="team-members"),
    path(SEEDS, desk.seeds, name="seeds"),
    path(f"{SEEDS}order/", desk.order, name="order-seeds"),
    path(f"{SEEDS}draw-up/", desk.draw_up, name="draw-up"),
    path(f"{SEEDS}take-back/", desk.take_back, name="take-groups-back"),
]
