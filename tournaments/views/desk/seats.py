"""The seats of a stage, and who takes the seat of somebody who leaves before it begins."""

from typing import Any, NamedTuple

from django.http import HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from tournaments import selectors
from tournaments.domain import advancement
from tournaments.domain.facts import Row, Standing
from tournaments.domain.refusals import Refusal
from tournaments.domain.standings import place_words
from tournaments.domain.ties import Placed
from tournaments.forms import SeatForm
from tournaments.models import Entry, Ruling, Stage
from tournaments.services import matches, progress, redrawing
from tournaments.views.desk import rulings
from tournaments.views.desk.common import actor, match_stage, page, posted_from, stage_url
from tournaments.views.desk.confirm import confirmed

OFFERED = 8
"""How many of those who just missed the cut are offered."""


@match_stage
@require_GET
def seats(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Who has a seat, and the form to replace somebody."""
    return _seats_page(request, stage)


@match_stage
@posted_from("desk:seats")
def replace(request: HttpRequest, stage: Stage) -> HttpResponse:
    """The next in the original order takes a leaver's seat, with the reason."""
    form = SeatForm(request.POST)
    if not form.is_valid():
        return _seats_page(request, stage, form)
    typed = form.cleaned_data
    leaves, comes = (selectors.entry_numbered(stage.tournament, typed[name]) for name in ("leaves", "comes"))
    outcome = confirmed(
        request,
        stage,
        lambda shown, late: matches.replace_seat(
            stage,
            actor=actor(request),
            entry=leaves.pk if leaves else 0,
            by=comes.pk if comes else 0,
            reason=typed["reason"],
            shown=shown,
        ),
        title="Replacement",
        button="Give the seat",
        done="The seat has changed hands.",
        back=stage_url("desk:seats", stage),
        about=f"{comes} takes the seat of {leaves}. Reason: {typed['reason']}",
    )
    return _seats_page(request, stage, form, outcome) if isinstance(outcome, Refusal) else outcome


class Reserve(NamedTuple):
    """Somebody who may come in. `level` says that others have the same claim, and nothing has parted them."""

    entry: Entry
    why: str
    level: bool


def next_in_order(stage: Stage) -> list[Reserve]:
    """Who comes next in the original order: those ranked behind the cut, or behind the winner of a group, who still
    compete.

    Empty where a game, and not a table, decides the seats. Source: house rules, "the next in the original order".
    """
    decides = selectors.source_of(stage)
    if decides and decides.spec.grouped:
        return _next_in_groups(stage, decides)
    if decides is None or not decides.spec.ranked:
        return []
    read = selectors.stage_facts(decides)
    seated = set(stage.seats.values_list("entry_id", flat=True))
    waiting = advancement.reserves(read.facts, read.table, seated)
    chosen = [(entry, placed) for placed in waiting for entry in placed.entries][:OFFERED]
    entries = Entry.objects.select_related("player").in_bulk([entry for entry, _ in chosen])
    return [
        Reserve(entries[entry], _why(read.table.row(entry), placed), len(placed.entries) > 1)
        for entry, placed in chosen
    ]


def _next_in_groups(stage: Stage, decides: Stage) -> list[Reserve]:
    """Who may come in for each who has left, or for anybody while nobody has, the seats in their order."""
    seats = list(stage.seats.select_related("entry__player").order_by("seed"))
    left = [seat for seat in seats if seat.entry.standing != Standing.IN]
    entered = {entry.pk: entry for entry in selectors.entered(stage.tournament)}
    behind = selectors.reserves_behind_groups(stage, decides)
    found: dict[int, Reserve] = {}
    for seat in left or seats:
        for reserve in behind[seat.entry_id]:
            shared = len(reserve.entries) > 1
            why = f"{place_words(reserve.place, shared)} {reserve.where}{', level' if shared else ''}"
            for entry in reserve.entries:
                found.setdefault(entry, Reserve(entered[entry], why, shared))
    return list(found.values())


def _why(row: Row, placed: Placed) -> str:
    """ "10th=, by play-off"."""
    place = place_words(row.place or 0, row.shared)
    if len(placed.entries) > 1:
        return f"{place}, level"
    return f"{place}, {advancement.HOW[placed.kind]}" if placed.kind else place


def _seats_page(
    request: HttpRequest, stage: Stage, form: SeatForm | None = None, refusal: Refusal | None = None
) -> HttpResponse:
    seated = list(stage.seats.select_related("entry__player").order_by("seed"))
    offered = next_in_order(stage) if seated and stage.state == Stage.State.PLANNED else []
    gone = next((seat.entry for seat in seated if seat.entry.standing != Standing.IN), None)
    # Behind groups who comes in depends on who leaves.
    known = offered and (gone or not progress.decided_by_games(stage))
    proposed: dict[str, Any] = {
        "leaves": gone.number if gone else "",
        "comes": offered[0].entry.number if known and not offered[0].level else "",
    }
    typed = {
        name: str(form[name].value() or "") if form else str(proposed.get(name, "")) for name in SeatForm.base_fields
    }
    replaced = selectors.rulings_in_force(stage.tournament, stage=stage, kind=Ruling.Kind.REPLACED)
    context = {
        "seats": seated,
        "offered": offered,
        "form": form or SeatForm(),
        "typed": typed,
        "behind_groups": progress.decided_by_games(stage),
        "empty": not progress.seats_change_hands(stage),
        "redealt": redrawing.offered(stage) and stage.state == Stage.State.OPEN,
        "rulings": rulings.told(request, replaced, stage.phase(timezone.now())),
    }
    return page(request, "seats", stage, context, refusal, status=422 if form and form.errors else 200)
