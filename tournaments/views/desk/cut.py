"""The cut: the line in the table, what stands in its way, ties across it, and the seats once it is declared."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_GET

from tournaments import formats, permissions, selectors
from tournaments.domain import advancement, finals
from tournaments.domain.facts import Phase, Standing
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.domain.scores import grouped
from tournaments.domain.standings import contenders, goes_on
from tournaments.forms import OrderForm, PlayOffForm
from tournaments.models import Entry, Stage
from tournaments.selectors import StageRead
from tournaments.services import rulings, stages
from tournaments.views.desk import ties
from tournaments.views.desk.common import (
    actor,
    attempt,
    decide,
    desk_stage,
    page,
    posted_from,
    stage_url,
    to_page,
    whole,
)
from tournaments.views.desk.confirm import confirmed
from tournaments.views.desk.decided import decided

NOBODY_MOVES = "Nobody moves across the cut; the order counts where seeds or places follow from it."
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
    """The scores of the play-off game between those level across the cut; who then goes on is shown first."""
    form = PlayOffForm(request.POST, level=_level(stage, request))
    if not form.is_valid():
        return _cut_page(request, stage, play_off=form)
    expected = form.cleaned_data["expected"]
    told = ", ".join(f"{entry} {grouped(form.scores[entry.pk])}" for entry in form.level)
    again = _equal(stage, request, form)
    outcome = confirmed(
        request,
        stage,
        lambda shown, late: rulings.record_play_off(
            stage, actor=actor(request), scores=form.scores, expected=expected, shown=shown
        ),
        title="Play-off",
        button="Record the play-off",
        done=lambda: f"The play-off is recorded.{_still_level(stage, request)}",
        back=stage_url("desk:cut", stage),
        about=f"{told}.{again}",
        nothing="Nobody moves yet." if again else NOBODY_MOVES,
    )
    return _cut_page(request, stage, play_off=form, refusal=outcome) if isinstance(outcome, Refusal) else outcome


def _equal(stage: Stage, request: HttpRequest, form: PlayOffForm) -> str:
    """Who would still be level by the scores of a play-off, and plays another one; "" where nobody is."""
    if stage.spec.ranked:
        places = selectors.stage_facts(stage).cut.open_places
    else:
        tie = ties.asked_about(stage, request)
        places = tie.play_off.places if tie else 0
    entries = tuple(entry.pk for entry in form.level)
    at_stake = None if places == len(entries) else places
    names = [
        " and ".join(str(entry) for entry in form.level if entry.pk in tied.entries)
        for tied in finals.outcome(finals.Game(entries, form.scores), at_stake).play_offs
    ]
    return "".join(f" Still level: {each} play another game." for each in names)


def _still_level(stage: Stage, request: HttpRequest) -> str:
    level = " and ".join(str(entry) for entry in _level(stage, request))
    return f" Still level: {level} play another game." if level else ""


@desk_stage
@posted_from("desk:cut")
def ruling(request: HttpRequest, stage: Stage) -> HttpResponse:
    """The organisers' ruling on the order of those level across the cut; who then goes on is shown first."""
    form = OrderForm(request.POST, level=_level(stage, request))
    if not form.is_valid():
        return _cut_page(request, stage, order=form)
    typed = form.cleaned_data
    names = {entry.pk: str(entry) for entry in form.level}
    outcome = confirmed(
        request,
        stage,
        lambda shown, late: rulings.rule_order(
            stage,
            actor=actor(request),
            order=form.order,
            reason=typed["reason"],
            expected=typed["expected"],
            shown=shown,
        ),
        title="Ruling on the order",
        button="Record the ruling",
        done="The ruling is recorded.",
        back=stage_url("desk:cut", stage),
        about=f"In this order: {', '.join(names[entry] for entry in form.order)}. Reason: {typed['reason']}",
        nothing=NOBODY_MOVES,
    )
    return _cut_page(request, stage, order=form, refusal=outcome) if isinstance(outcome, Refusal) else outcome


@desk_stage
@posted_from("desk:cut")
def declare(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Freeze who goes on, as the person saw it."""
    expected = whole(request.POST.get("expected", ""))
    outcome = attempt(lambda: stages.declare_cut(stage, actor=actor(request), expected=expected))
    if isinstance(outcome, Refusal):
        return _cut_page(request, stage, refusal=outcome)
    messages.success(request, f"The cut is declared: {goes_on(str(len(outcome)), len(outcome))}.")
    return to_page("desk:cut", stage)


@desk_stage
@permissions.organiser
@posted_from("desk:cut")
def withdraw(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Take a declared cut back, with the reason."""
    return _decide(request, stage, partial(stages.withdraw_cut, stage), "The cut was taken back.")


@desk_stage
@permissions.organiser
@posted_from("desk:cut")
def leave_out(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Play without the stages for which too few go on, with the reason."""
    told = "That is recorded. Now declare the cut."
    return _decide(request, stage, partial(stages.leave_out, stage), told)


@desk_stage
@permissions.organiser
@posted_from("desk:cut")
def play_after_all(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Take back that stages were left out, with the reason."""
    told = "They are played after all."
    return _decide(request, stage, partial(stages.play_after_all, stage), told)


@desk_stage
@permissions.organiser
@posted_from("desk:cut")
def keep(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Record that the seats behind a stage stay, although a correction would give some to others."""
    told = "The decision is recorded; nobody was moved."
    return _decide(request, stage, partial(stages.keep_seats, stage), told)


def _decide(request: HttpRequest, stage: Stage, act: Callable[..., object], told: str) -> HttpResponse:
    def shown(refusal: Refusal) -> HttpResponse:
        return _cut_page(request, stage, refusal=refusal)

    return decide(request, stage, act, told=told, back="desk:cut", shown=shown)


def _cut_page(
    request: HttpRequest,
    stage: Stage,
    *,
    play_off: PlayOffForm | None = None,
    order: OrderForm | None = None,
    refusal: Refusal | None = None,
) -> HttpResponse:
    if not stage.spec.ranked:
        return ties.ties_page(request, stage, play_off=play_off, order=order, refusal=refusal)
    read = selectors.stage_facts(stage)
    following = stages.next_stage(stage)
    level = _entries(read.cut.level)
    expected = {"expected": read.revision}
    everybody = _everybody(read)
    context = {
        "read": read,
        "cut": read.cut,
        "following": following,
        "seats": list(following.seats.select_related("entry__player")) if following else [],
        "everybody": everybody,
        "lines": [] if everybody and read.phase == Phase.CLOSED else _around_the_line(read),
        "in_the_way": _in_the_way(read, following),
        "under_way": selectors.under_way(stage),
        "waiting": selectors.waiting(stage),
        "level": level,
        "may_play_off": read.stage.tournament.kind.play_off_at_cut(read.stage.tournament.rules_in_force),
        "play_off": _renewed(play_off, read) or PlayOffForm(level=level, initial=expected),
        "order": _renewed(order, read) or OrderForm(level=level, initial=expected),
        "rulings": decided(stage, read),
        "moved": _moved(read, following),
        "preview": _preview(read),
        "leaving": _leaving(read, following),
        "left_out": stages.left_out_behind(stage),
    }
    faulty = any(form is not None and form.errors for form in (play_off, order))
    return page(request, "cut", read.stage, context, refusal, status=422 if faulty else 200)


def _renewed(form: Any, read: StageRead) -> Any:
    """A form that comes back goes on from the table that the page shows beside it now."""
    if form is not None:
        form.data = form.data.copy()
        form.data["expected"] = str(read.revision)
    return form


def _level(stage: Stage, request: HttpRequest) -> list[Entry]:
    if not stage.spec.ranked:
        return ties.level(stage, request)
    return _entries(selectors.stage_facts(stage).cut.level)


def _entries(ids: tuple[int, ...]) -> list[Entry]:
    return list(Entry.objects.filter(pk__in=ids).select_related("player").order_by("number"))


def _in_the_way(read: StageRead, following: Stage | None) -> list[str]:
    """Why the cut cannot be declared yet, in sentences; a tie has its own place on the page."""
    label = read.stage.label
    reasons = []
    if read.phase == Phase.PLANNED:
        reasons.append(f"{label} has not begun.")
    elif read.phase != Phase.CLOSED:
        reasons.append(f"{label} is still {read.phase}; it has to be closed first.")
    if not read.table.ranked:
        reasons.append(f"Nobody is ranked in {label.lower()}.")
    if not reasons and following and not read.cut.level:
        too_few = attempt(lambda: stages.refuse_unplayable(read.stage, following, len(read.cut.inside)))
        reasons += [too_few.sentence] if too_few else []
    return reasons


def _leaving(read: StageRead, following: Stage | None) -> dict[str, Any] | None:
    """What can be left out because so few go on, and where they go then; None where nothing can, or is already."""
    many = len(read.cut.inside)
    if following is None or read.phase != Phase.CLOSED or read.cut.level or not many:
        return None
    specs = read.stage.tournament.kind.stages
    out = formats.stages_too_many(specs, read.stage.spec, many)
    if not out or following.spec not in out or following.seats.exists():
        return None
    gone = {each.key for each in stages.left_out_behind(read.stage)}
    to = formats.main_stage_after(specs, [spec for spec in out if formats.main_stage_after(specs, spec)][-1])
    names = stages.names_of([spec for spec in out if spec.key not in gone])
    return {"names": names, "to": to.label.lower() if to else "", "many": many}


def _everybody(read: StageRead) -> str:
    """That there is no line, as no more are ranked than can go on; "" where there is one, or nobody is ranked."""
    found = len(contenders(read.facts, read.table))
    if not 0 < found <= read.qualifiers:
        return ""
    who = "Everybody who is ranked" if found == len(read.table.ranked) else "Everybody who is ranked and has not left"
    places = f"{read.qualifiers} place{'' if read.qualifiers == 1 else 's'}"
    if read.phase != Phase.CLOSED:
        return f"As it stands {who[0].lower()}{who[1:]} goes on: {found} for {places}."
    return f"{who} goes on: {found} for {places}."


def _around_the_line(read: StageRead) -> list[dict[str, Any]]:
    """The rows on both sides of the line, all of a tie across it, and all who share a place with one of them."""
    cut = read.cut
    entrants = {entrant.id: entrant for entrant in read.facts.entrants}
    ranked = read.table.ranked
    near = [
        number
        for number, row in enumerate(ranked, start=1)
        if row.entry in cut.level or abs(number - (cut.line_after or cut.qualifiers)) <= AROUND
    ]
    places = {ranked[number - 1].place for number in near}
    return [
        {
            "row": row,
            "entrant": entrants[row.entry],
            "outlook": cut.outlooks[row.entry],
            "last_above": number == cut.line_after,
        }
        for number, row in enumerate(ranked, start=1)
        if row.place in places or (near and near[0] <= number <= near[-1])
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


def _moved(read: StageRead, following: Stage | None) -> dict[str, Any] | None:
    """Who would have a seat and who would not, were the cut declared as the table stands now; None when nobody."""
    seats = list(following.seats.select_related("entry__player")) if following else []
    if not seats:
        return None
    seated, cut = {seat.entry_id for seat in seats}, read.cut
    left = {seat.entry_id for seat in seats if seat.entry.standing != Standing.IN}
    comes = [entry for entry in cut.inside if entry not in seated]
    # Whoever left after the draw keeps an empty seat, for which the last of those inside does not come in.
    comes = comes[: len(comes) - len(left)] if left else comes
    goes = seated - left - set(cut.inside) - set(cut.level)
    if not comes and not goes and set(cut.level) <= seated:
        return None
    return {"comes": _entries(tuple(comes)), "goes": _entries(tuple(goes)), "level": _entries(cut.level)}
