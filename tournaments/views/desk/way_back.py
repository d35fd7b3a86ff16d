"""The link beside a refusal: where the one thing that it names is done."""

from typing import NamedTuple

from django.urls import reverse

from tournaments import selectors
from tournaments.domain import refusals
from tournaments.domain.refusals import STEPS, Refusal

PAGES = {
    refusals.UNDO_RULING: "desk:undo-ruling",
    refusals.VOID_SCORE: "desk:score",
    refusals.UNDO_SCORE: "desk:score",
    refusals.BREAK_OFF: "desk:match",
    refusals.PRESENT: "desk:match",
    refusals.ABSENT: "desk:match",
    refusals.REOPEN: "desk:close",
    refusals.WITHDRAW_CUT: "desk:cut",
    refusals.UNDO_REDRAW: "desk:redraw",
    refusals.UNDO_RESULTS: "desk:results",
}


class Link(NamedTuple):
    """An address and what the link to it says."""

    url: str
    words: str


def link(refusal: Refusal | None) -> Link | None:
    """The page on which the next step is taken that a refusal names; None where it names none."""
    place = selectors.place_of(refusal.step) if refusal and refusal.step else None
    if refusal is None or refusal.step is None or place is None:
        return None
    stage, part = place
    at = [stage.tournament.show.slug, stage.tournament.slug]
    if refusal.step.act != refusals.UNDO_RESULTS:
        at.append(stage.key)
    return Link(reverse(PAGES[refusal.step.act], args=[*at, *([part] if part else [])]), STEPS[refusal.step.act])
