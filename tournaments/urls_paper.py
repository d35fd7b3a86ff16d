"""The addresses of what is printed or taken away as a file. They come before the desk's: "paper" is no stage."""

from django.urls import path

from tournaments.views import paper

app_name = "paper"

PAPER = "desk/<slug:show>/<slug:slug>/paper/"

urlpatterns = [
    path(PAPER, paper.home, name="home"),
    path(f"{PAPER}results/", paper.results, name="results"),
    path(f"{PAPER}winners/", paper.winners, name="winners"),
    path(f"{PAPER}results.csv", paper.results_csv, name="results-csv"),
    path(f"{PAPER}results.xlsx", paper.results_xlsx, name="results-xlsx"),
    path(f"{PAPER}ratings.csv", paper.ratings_csv, name="ratings-csv"),
    path(f"{PAPER}<slug:stage>/table/", paper.table, name="table"),
    path(f"{PAPER}<slug:stage>/calls/", paper.calls, name="calls"),
    path(f"{PAPER}<slug:stage>/players/", paper.players, name="players"),
    path(f"{PAPER}<slug:stage>/slips/", paper.slips, name="slips"),
]
