"""Rulings at the desk: the guided choices for a score, the list of those in force, and how one is taken back."""

from collections.abc import Iterable
from typing import Any, NamedTuple

from django.contrib import messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import get_object_or_404
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from tournaments import selectors
from tournaments.domain.facts import Phase
from tournaments.domain.refusals import Refusal
from tournaments.domain.rulings import NOTES, WORDS, eighty_percent
from tournaments.domain.scores import grouped
from tournaments.models import Ruling, Score, Stage
from tournaments.permissions import ORGANISER, has_role
from tournaments.services import rulings
from tournaments.views.desk.common import actor, desk_stage, once, page, stage_url
from tournaments.views.desk.confirm import confirmed

Kind = Ruling.Kind
FOR_ORGANISERS = (*Ruling.ORDERS, Kind.SEEDING, Kind.DISQUALIFIED)
"""What only an organiser takes back."""


class Choice(NamedTuple):
    """One kind of ruling and what it does; `asks` names the further field that it needs."""

    kind: str
    title: str
    words: str
    asks: str = ""


class Group(NamedTuple):
    """Choices for one thing that happened."""

    title: str
    choices: tuple[Choice, ...]


class InForce(NamedTuple):
    """A ruling nobody has taken back, in words. `note` says who may take it back where this person may not.

    `agreement` says who agreed to it, where somebody had to.
    """

    ruling: Ruling
    words: str
    about: str
    may_undo: bool
    note: str
    agreement: str = ""


def score_choices(score: Score, *, late: bool, held: bool) -> list[Group]:
    """What can be ruled on a score, in the order in which it is needed.

    `late` adds what an organiser may do in a stage that is closed; while another ruling has altered the score, `held`,
    only notes can be added to it.
    """
    reached = score.value or 0
    back = "plays again in this match" if score.match_id else "gets the game back"
    groups = [
        Group("The record is wrong", _late_choices(reached) if late else ()),
        Group(
            "A fault of the machine",
            (
                Choice(Kind.PLAYED_ON, "Played on", "The score stands; no later claim."),
                Choice(Kind.STOPPED, "Stopped", f"The score counts for nothing and the player {back}."),
            ),
        ),
        Group(
            "An extra ball played by mistake",
            (
                Choice(Kind.EXTRA_BALL, "Next ball not played", "The score stands; noted."),
                Choice(Kind.EXTRA_BALL_80, "On the last ball: 80 %", f"{grouped(eighty_percent(reached))} counts."),
                Choice(Kind.EXTRA_BALL_ZERO, "Played on after being told", "The game counts zero."),
            ),
        ),
        Group("Slam tilt", (Choice(Kind.SLAM_TILT, "Slam tilt", "The score reached stands; noted."),)),
        Group(
            "Anything else",
            (
                Choice(Kind.ADJUSTED, "Score adjusted", "Another score counts; this one stays beside it.", "value"),
                Choice(Kind.ZERO, "Set to zero", "The game counts zero; this score stays beside it."),
                Choice(Kind.DISCARDED, "Game discarded", "It counts as played and is in no rank."),
            ),
        ),
    ]
    fits = (Group(g.title, tuple(c for c in g.choices if not held or c.kind in NOTES)) for g in groups)
    return [group for group in fits if group.choices]


def _late_choices(reached: int) -> tuple[Choice, ...]:
    return (
        Choice(Kind.CORRECTED, "Late correction", f"Another score was meant than {grouped(reached)}.", "value"),
        Choice(Kind.VOIDED, "Late void", "The score was not played; it counts for nothing."),
    )


def kinds_of(groups: Iterable[Group]) -> dict[str, str]:
    """The kinds that are offered, each with the field it asks for."""
    return {choice.kind: choice.asks for group in groups for choice in group.choices}


def told(request: HttpRequest, found: Iterable[Ruling], phase: Phase) -> list[InForce]:
    """Rulings in force for the list on a page; `phase` is how far the stage they are in is."""
    organiser = has_role(request.user, ORGANISER)
    lines = []
    for ruling in found:
        closed = phase == Phase.CLOSED and ruling.stage_id is not None
        may = organiser or not (closed or ruling.kind in FOR_ORGANISERS)
        note = "" if may else "An organiser can take it back."
        words = WORDS.get(ruling.kind, "") or ruling.get_kind_display()
        lines.append(
            InForce(ruling, words + _counts(ruling), _about(ruling), may, note, ruling.data.get("agreement", ""))
        )
    return lines


def _counts(ruling: Ruling) -> str:
    reached, counts = ruling.data.get("reached"), ruling.data.get("counts")
    if reached is None or counts is None or reached == counts:
        return ""
    return f" ({grouped(reached)}, {grouped(counts)} counts)"


def _about(ruling: Ruling) -> str:
    """Whom and what a ruling concerns: "7 Ann Example on Funhouse"."""
    if ruling.kind == Kind.NO_SHOWS:
        return ", ".join(str(number) for number in selectors.numbers_of(ruling.data["entries"]))
    if ruling.kind == Kind.SEEDING:
        return ", ".join(map(str, selectors.entries_in_order(ruling.data["order"])))
    who = str(ruling.entry) if ruling.entry else ""
    where = ruling.machine.name if ruling.machine else ""
    return " on ".join(part for part in (who, where) if part)


@desk_stage
@require_http_methods(["GET", "HEAD", "POST"])
def undo(request: HttpRequest, stage: Stage, ruling: int) -> HttpResponse:
    """Take a ruling back: the reason is asked, then its effects are shown, then it is done."""
    found = get_object_or_404(selectors.rulings_of(stage.tournament), pk=ruling)
    back = where(found, stage)
    if found.kind in FOR_ORGANISERS and not has_role(request.user, ORGANISER):
        raise PermissionDenied("Taking this back is for the organisers.")
    if found.kind == Kind.MERGED:
        # In all tournaments at once, on a page of its own.
        return HttpResponseRedirect(back)
    return once(request, lambda: _undo(request, stage, found, back), again=lambda: HttpResponseRedirect(back))


def _undo(request: HttpRequest, stage: Stage, found: Ruling, back: str) -> HttpResponse:
    if found.undone_at:
        messages.info(request, f"“{found.get_kind_display().capitalize()}” was taken back already.")
        return HttpResponseRedirect(back)
    if request.method != "POST":
        return _undo_page(request, stage, found, back)
    reason = request.POST.get("reason", "")
    outcome = confirmed(
        request,
        stage,
        lambda shown, late: rulings.undo_ruling(found, actor=actor(request), reason=reason, late=late, shown=shown),
        title=f"Take back: {found.get_kind_display()}",
        button="Take it back",
        done="The ruling was taken back; what it had changed is as it was before.",
        back=back,
        about=_about(found),
        nothing="No place, seat or game changes; it is no longer told.",
    )
    return _undo_page(request, stage, found, back, outcome) if isinstance(outcome, Refusal) else outcome


def where(ruling: Ruling, stage: Stage) -> str:
    """The page on which a ruling stands."""
    stages = selectors.stages_of(stage.tournament)
    first, ruled_in = stages[0], next((each for each in stages if each.pk == ruling.stage_id), stage)
    if ruling.kind in Ruling.ORDERS:
        return stage_url("desk:cut", ruled_in)
    if ruling.kind == Kind.MERGED and ruling.entry:
        return stage_url("desk:same-person", first, ruling.entry.number)
    if ruling.kind in (Kind.REPLACED, Kind.SEEDING):
        return stage_url("desk:seats", ruled_in)
    if ruling.kind == Kind.NO_SHOWS:
        return stage_url("desk:missing", first)
    if ruling.score_id:
        return stage_url("desk:score", ruled_in, ruling.score_id)
    if ruling.match_id:
        return stage_url("desk:match", ruled_in, ruling.match_id)
    if ruling.entry:
        return stage_url("desk:entry", first, ruling.entry.number)
    if ruling.machine:
        return reverse("desk:machine", args=[stage.tournament.show.slug, ruling.machine.code])
    return stage_url("desk:slips", ruled_in)


def _undo_page(
    request: HttpRequest, stage: Stage, ruling: Ruling, back: str, refusal: Refusal | None = None
) -> HttpResponse:
    context: dict[str, Any] = {
        "ruling": ruling,
        "words": WORDS.get(ruling.kind, "") or ruling.get_kind_display(),
        "about": _about(ruling),
        "back": back,
        "reason": request.POST.get("reason", ""),
    }
    return page(request, "take_back", stage, context, refusal)
