"""The cut: the line in the table, what stands in its way, ties across it, and the seats once it is declared."""

from dataclasses import replace
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.views.decorators.http import require_GET

from tournaments import permissions, selectors
from tournaments.domain import advancement
from tournaments.domain.advancement import Cut
from tournaments.domain.facts import Decision, Phase
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.forms import OrderForm, PlayOffForm
from tournaments.models import Entry, Ruling, Stage
from tournaments.selectors import StageRead
from tournaments.services import rulings, stages
from tournaments.views.desk.common import actor, attempt, desk_stage, page, posted_from, to_page, whole

AROUND = 6
"""Table rows shown on each side of the line."""


@desk_stage
@require_GET
def cut(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Where the line is and what stands in its way; the seats when it is declared."""
    return _cut_page(request, stage)


@desk_stage
@posted_from("desk:cut")
def play_off(request: HttpRequest, stage: Stage) -> HttpResponse:
    """The scores of the play-off game between those level across the cut."""
    form = PlayOffForm(request.POST, level=_level(stage))
    if not form.is_valid():
        return _cut_page(request, stage, play_off=form)
    expected = form.cleaned_data["expected"]
    outcome = attempt(
        lambda: rulings.record_play_off(stage, actor=actor(request), scores=form.scores, expected=expected)
    )
    if isinstance(outcome, Refusal):
        return _cut_page(request, stage, play_off=form, refusal=outcome)
    level = " and ".join(str(entry) for entry in _level(stage))
    again = f" Still level: {level} play another game." if level else ""
    messages.success(request, f"The play-off is recorded.{again}")
    return to_page("desk:cut", stage)


@desk_stage
@posted_from("desk:cut")
def ruling(request: HttpRequest, stage: Stage) -> HttpResponse:
    """The organisers' ruling on the order of those level across the cut."""
    form = OrderForm(request.POST, level=_level(stage))
    if not form.is_valid():
        return _cut_page(request, stage, order=form)
    typed = form.cleaned_data
    outcome = attempt(
        lambda: rulings.rule_order(
            stage, actor=actor(request), order=form.order, reason=typed["reason"], expected=typed["expected"]
        )
    )
    if isinstance(outcome, Refusal):
        return _cut_page(request, stage, order=form, refusal=outcome)
    messages.success(request, "The ruling is recorded.")
    return to_page("desk:cut", stage)


@desk_stage
@posted_from("desk:cut")
def declare(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Freeze who goes on, as the person saw it."""
    expected = whole(request.POST.get("expected", ""))
    outcome = attempt(lambda: stages.declare_cut(stage, actor=actor(request), expected=expected))
    if isinstance(outcome, Refusal):
        return _cut_page(request, stage, refusal=outcome)
    messages.success(request, f"The cut is declared: {len(outcome)} go on.")
    return to_page("desk:cut", stage)


@desk_stage
@permissions.organiser
@posted_from("desk:cut")
def withdraw(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Take a declared cut back, with the reason."""
    reason = request.POST.get("reason", "")
    outcome = attempt(lambda: stages.withdraw_cut(stage, actor=actor(request), reason=reason))
    if isinstance(outcome, Refusal):
        return _cut_page(request, stage, refusal=outcome)
    messages.success(request, "The cut was taken back.")
    return to_page("desk:cut", stage)


@desk_stage
@permissions.organiser
@posted_from("desk:cut")
def undo_ruling(request: HttpRequest, stage: Stage, ruling: int) -> HttpResponse:
    """Take a play-off result or a ruling back, with the reason."""
    found = get_object_or_404(Ruling.objects.select_related("tournament"), pk=ruling, stage=stage)
    reason = request.POST.get("reason", "")
    outcome = attempt(lambda: rulings.undo_ruling(found, actor=actor(request), reason=reason))
    if isinstance(outcome, Refusal):
        return _cut_page(request, stage, refusal=outcome)
    messages.success(request, f"Taken back: {found}.")
    return to_page("desk:cut", stage)


def _cut_page(
    request: HttpRequest,
    stage: Stage,
    *,
    play_off: PlayOffForm | None = None,
    order: OrderForm | None = None,
    refusal: Refusal | None = None,
) -> HttpResponse:
    read = selectors.stage_facts(stage)
    following = stages.next_stage(stage)
    level = _entries(read.cut.level)
    expected = {"expected": read.revision}
    context = {
        "read": read,
        "cut": read.cut,
        "following": following,
        "seats": list(following.seats.select_related("entry__player")) if following else [],
        "lines": _around_the_line(read),
        "in_the_way": _in_the_way(read),
        "under_way": selectors.under_way(stage),
        "waiting": selectors.waiting(stage),
        "level": level,
        "may_play_off": read.stage.tournament.kind.play_off_at_cut(read.stage.tournament.rules_in_force),
        "play_off": _renewed(play_off, read) or PlayOffForm(level=level, initial=expected),
        "order": _renewed(order, read) or OrderForm(level=level, initial=expected),
        "rulings": _rulings(read),
        "preview": _preview(read),
        "reason": request.POST.get("reason", ""),
    }
    faulty = any(form is not None and form.errors for form in (play_off, order))
    return page(request, "cut", read.stage, context, refusal, status=422 if faulty else 200)


def _renewed(form: Any, read: StageRead) -> Any:
    """A form that comes back goes on from the table that the page shows beside it now."""
    if form is not None:
        form.data = form.data.copy()
        form.data["expected"] = str(read.revision)
    return form


def _level(stage: Stage) -> list[Entry]:
    return _entries(selectors.stage_facts(stage).cut.level)


def _entries(ids: tuple[int, ...]) -> list[Entry]:
    return list(Entry.objects.filter(pk__in=ids).select_related("player").order_by("number"))


def _in_the_way(read: StageRead) -> list[str]:
    """Why the cut cannot be declared yet, in sentences; a tie has its own place on the page."""
    label = read.stage.label
    reasons = []
    if read.phase == Phase.PLANNED:
        reasons.append(f"{label} has not begun.")
    elif read.phase != Phase.CLOSED:
        reasons.append(f"{label} is still {read.phase}; it has to be closed first.")
    if not read.table.ranked:
        reasons.append(f"Nobody is ranked in {label.lower()}.")
    return reasons


def _around_the_line(read: StageRead) -> list[dict[str, Any]]:
    """The rows on both sides of the line and all of a tie across it."""
    cut = read.cut
    entrants = {entrant.id: entrant for entrant in read.facts.entrants}
    ranked = read.table.ranked
    near = [
        number
        for number, row in enumerate(ranked, start=1)
        if row.entry in cut.level or abs(number - (cut.line_after or cut.qualifiers)) <= AROUND
    ]
    return [
        {
            "row": row,
            "entrant": entrants[row.entry],
            "outlook": cut.outlooks[row.entry],
            "last_above": number == cut.line_after,
        }
        for number, row in enumerate(ranked, start=1)
        if near and near[0] <= number <= near[-1]
    ]


def _preview(read: StageRead) -> dict[str, Any]:
    """Who would go on in which order, or between whom lots would be drawn."""
    asked = (read.facts, read.table, read.rules, read.qualifiers)
    lots = advancement.lots_wanted(*asked)
    drawn = tuple(entry for group in lots for entry in group)
    seeds = attempt(lambda: advancement.seeding(*asked, lots=drawn))
    entrants = {entrant.id: entrant for entrant in read.facts.entrants}
    lots_for = [read.facts.names(group) for group in lots]
    if isinstance(seeds, NeedsDecision):
        return {"lots": lots_for, "seeds": []}
    if isinstance(seeds, Refusal):
        raise seeds
    of_lots = set(drawn)
    return {
        "lots": lots_for,
        "seeds": [{"seed": seed, "entrant": entrants[seed.entry], "by_lot": seed.entry in of_lots} for seed in seeds],
    }


def _rulings(read: StageRead) -> list[dict[str, Any]]:
    """What was decided about this stage and not taken back: each entry in order with its score in the play-off."""
    kept = list(Ruling.objects.filter(stage=read.stage, undone_at=None).select_related("decided_by"))
    entries = Entry.objects.select_related("player").in_bulk({e for ruling in kept for e in ruling.data["order"]})
    applying = _applying(read, kept)
    return [
        {
            "ruling": ruling,
            "order": [(entries[e], ruling.data.get("scores", {}).get(str(e))) for e in ruling.data["order"]],
            "applies": ruling.kind == Ruling.Kind.LOTS or ruling.pk in applying,
        }
        for ruling in kept
    ]


def _applying(read: StageRead, rulings: list[Ruling]) -> set[int]:
    """The decisions that order all who are level across the cut, with nothing decided or after the ones before."""
    whole_tie = set(_cut_after(read, ()).level)
    applying: set[int] = set()
    decisions: tuple[Decision, ...] = ()
    for ruling in rulings:
        decision = selectors.decision(ruling.kind, ruling.data, ruling.reason)
        ties = (whole_tie, set(_cut_after(read, decisions).level))
        if decision.kind in advancement.SETTLE_THE_CUT and any(tie and tie <= set(decision.order) for tie in ties):
            applying.add(ruling.pk)
            decisions += (decision,)
    return applying


def _cut_after(read: StageRead, decisions: tuple[Decision, ...]) -> Cut:
    facts = replace(read.facts, decisions=decisions)
    return advancement.cut(facts, read.table, read.rules, read.qualifiers)
