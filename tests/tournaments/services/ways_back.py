"""How a test follows the steps that refusals name, as a person at the desk does who clicks one after the other."""

from tests.tournaments.services.games import seen
from tournaments.domain import refusals
from tournaments.domain.refusals import Refusal
from tournaments.models import Match, Ruling, Score, Side, Stage
from tournaments.services import matches, redraw, results, rulings, scores, stages

WHY = "on appeal"
LONGEST = 40
"""More steps than any way back here has; whoever needs more goes round in a circle."""


def _ruling(pk):
    rulings.undo_ruling(Ruling.objects.select_related("tournament").get(pk=pk), actor=None, reason=WHY, late="nothing")


def _stage(pk):
    return Stage.objects.select_related("tournament__show").get(pk=pk)


def _score(pk):
    return Score.objects.select_related("stage__tournament").get(pk=pk)


def _void(pk):
    scores.void(_score(pk), actor=None, seen=seen(_score(pk)), reason=WHY)


def _undo(pk):
    scores.undo(_score(pk), actor=None, seen=seen(_score(pk)))


def _side(pk, away):
    side = Side.objects.select_related("match__stage__tournament__show", "match__machine").get(pk=pk)
    matches.absent(side.match, actor=None, entry=side.entry_id, reason=WHY, away=away)


def _break_off(pk):
    redraw.break_off(Match.objects.select_related("stage__tournament__show").get(pk=pk), actor=None, reason=WHY)


def _redraw(pk):
    stage = _stage(pk)
    redraw.take_back(stage, actor=None, revision=redraw.past(stage)[0].revision, reason=WHY)


DONE_BY = {
    refusals.UNDO_RULING: _ruling,
    refusals.VOID_SCORE: _void,
    refusals.UNDO_SCORE: _undo,
    refusals.BREAK_OFF: _break_off,
    refusals.PRESENT: lambda pk: _side(pk, False),
    refusals.ABSENT: lambda pk: _side(pk, True),
    refusals.REOPEN: lambda pk: stages.reopen_stage(_stage(pk), actor=None, reason=WHY),
    refusals.WITHDRAW_CUT: lambda pk: stages.withdraw_cut(_stage(pk), actor=None, reason=WHY),
    refusals.UNDO_REDRAW: _redraw,
    refusals.UNDO_RESULTS: lambda pk: results.take_back(_stage_of(pk), actor=None, reason=WHY),
}


def _stage_of(pk):
    return Stage.objects.select_related("tournament").filter(tournament=pk)[0].tournament


def undo_step_by_step(ruling):
    """Take a ruling back, doing first whatever each refusal names as the one thing to do; the sentences on the way."""
    wanted, told = [refusals.Step(refusals.UNDO_RULING, ruling.pk)], []
    while wanted:
        refusal = _refusal(wanted[-1])
        if refusal is None:
            wanted.pop()
            continue
        told.append(refusal.sentence)
        assert refusal.step, f"no way on from: {refusal.sentence}"
        assert refusal.step not in wanted, f"in a circle: {told}"
        assert len(told) < LONGEST, told
        wanted.append(refusal.step)
    return told


def _refusal(step):
    """What stands in the way of a step, which otherwise is done."""
    try:
        DONE_BY[step.act](step.of)
    except Refusal as refusal:
        return refusal
    return None
