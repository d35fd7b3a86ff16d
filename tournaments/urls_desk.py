"""The desk's addresses. What only takes forms lies one step below the page that holds the form."""

from django.urls import path

from tournaments.views.desk import cut, entries, home, rounds, scores, slips

app_name = "desk"

STAGE = "desk/<slug:show>/<slug:slug>/<slug:stage>/"

urlpatterns = [
    path("desk/", home.home, name="home"),
    path(STAGE, slips.slips, name="slips"),
    path(f"{STAGE}record/", slips.record, name="record"),
    path(f"{STAGE}start/", slips.start, name="start"),
    path(f"{STAGE}put-aside/", slips.put_aside, name="put-aside"),
    path(f"{STAGE}undo/<int:score>/", slips.undo, name="undo"),
    path(f"{STAGE}lookup/", slips.lookup, name="lookup"),
    path(f"{STAGE}aside/", slips.aside, name="aside"),
    path(f"{STAGE}scores/<int:score>/", scores.score, name="score"),
    path(f"{STAGE}scores/<int:score>/correct/", scores.correct, name="correct"),
    path(f"{STAGE}scores/<int:score>/<slug:act>/", scores.act, name="score-act"),
    path(f"{STAGE}close/", rounds.close, name="close"),
    path(f"{STAGE}close/times/", rounds.times, name="times"),
    path(f"{STAGE}close/reopen/", rounds.reopen, name="reopen"),
    path(f"{STAGE}close/<slug:act>/", rounds.act, name="close-act"),
    path(f"{STAGE}missing/", rounds.missing, name="missing"),
    path(f"{STAGE}cut/", cut.cut, name="cut"),
    path(f"{STAGE}cut/play-off/", cut.play_off, name="play-off"),
    path(f"{STAGE}cut/ruling/", cut.ruling, name="ruling"),
    path(f"{STAGE}cut/ruling/<int:ruling>/undo/", cut.undo_ruling, name="undo-ruling"),
    path(f"{STAGE}cut/declare/", cut.declare, name="declare"),
    path(f"{STAGE}cut/withdraw/", cut.withdraw, name="withdraw-cut"),
    path(f"{STAGE}entries/new/", entries.new, name="entry-new"),
    path(f"{STAGE}entries/<int:number>/", entries.entry, name="entry"),
    path(f"{STAGE}entries/<int:number>/<slug:act>/", entries.act, name="entry-act"),
]
