"""The desk's addresses. What only takes forms lies one step below the page that holds the form."""

from django.urls import path

from tournaments.views.desk import (
    board,
    cut,
    draw,
    entries,
    home,
    journal,
    people,
    redraw,
    results,
    rounds,
    scores,
    seats,
    slips,
)

app_name = "desk"

TOURNAMENT = "desk/<slug:show>/<slug:slug>/"
STAGE = f"{TOURNAMENT}<slug:stage>/"

urlpatterns = [
    path("desk/", home.home, name="home"),
    path("desk/<slug:show>/journal/", journal.journal, name="journal"),
    path(f"{TOURNAMENT}results/", results.results, name="results"),
    path(f"{TOURNAMENT}results/<slug:act>/", results.act, name="results-act"),
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
    path(f"{STAGE}close/not-begun/", rounds.not_begun, name="not-begun"),
    path(f"{STAGE}close/<slug:act>/", rounds.act, name="close-act"),
    path(f"{STAGE}board/", board.rows, name="board"),
    path(f"{STAGE}board/open/<int:number>/", board.open_game, name="open-game"),
    path(f"{STAGE}matches/<int:match>/", board.match, name="match"),
    path(f"{STAGE}matches/<int:match>/<slug:act>/", board.act, name="match-act"),
    path(f"{STAGE}draw/publish/", draw.publish, name="publish"),
    path(f"{STAGE}draw/take-back/", draw.take_back, name="take-back"),
    path(f"{STAGE}redraw/", redraw.redraw, name="redraw"),
    path(f"{STAGE}redraw/publish/", redraw.publish, name="redraw-publish"),
    path(f"{STAGE}redraw/<int:revision>/take-back/", redraw.take_back, name="redraw-take-back"),
    path(f"{STAGE}seats/", seats.seats, name="seats"),
    path(f"{STAGE}seats/replace/", seats.replace, name="replace-seat"),
    path(f"{STAGE}missing/", rounds.missing, name="missing"),
    path(f"{STAGE}cut/", cut.cut, name="cut"),
    path(f"{STAGE}cut/play-off/", cut.play_off, name="play-off"),
    path(f"{STAGE}cut/ruling/", cut.ruling, name="ruling"),
    path(f"{STAGE}cut/ruling/<int:ruling>/undo/", cut.undo_ruling, name="undo-ruling"),
    path(f"{STAGE}cut/declare/", cut.declare, name="declare"),
    path(f"{STAGE}cut/keep/", cut.keep, name="keep-seats"),
    path(f"{STAGE}cut/withdraw/", cut.withdraw, name="withdraw-cut"),
    path(f"{STAGE}entries/new/", entries.new, name="entry-new"),
    path(f"{STAGE}entries/<int:number>/", entries.entry, name="entry"),
    path(f"{STAGE}entries/<int:number>/same-person/", people.same_person, name="same-person"),
    path(f"{STAGE}entries/<int:number>/take-apart/", people.take_apart, name="take-apart"),
    path(f"{STAGE}entries/<int:number>/<slug:act>/", entries.act, name="entry-act"),
]
