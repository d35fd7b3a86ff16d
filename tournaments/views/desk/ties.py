"""Ties in the games of a final, and whom a correction would move after the next stage has begun."""

from dataclasses import dataclass, replace
from typing import Any

from django.http import HttpRequest, HttpResponse

from tournaments.domain.finals import Finish, PlayOff
from tournaments.domain.refusals import Refusal
from tournaments.domain.standings import place_words
from tournaments.forms import OrderForm, PlayOffForm
from tournaments.models import Entry, Stage
from tournaments.services import progress
from tournaments.views.desk.common import page
from tournaments.views.desk.decided import decided


@dataclass(frozen=True)
class Tie:
    """Who is level where it matters in a game; `noun` is what who competes is called."""

    where: str
    play_off: PlayOff
    level: tuple[Entry, ...]
    noun: str

    @property
    def key(self) -> str:
        """What a form says to mean this tie."""
        return "-".join(str(entry.number) for entry in self.level)

    @property
    def words(self) -> str:
        """ "7 Ann Example and 9 Bo Sample are level for 2nd place: a play-off game of 2 players for 1 place." """
        names = " and ".join(str(entry) for entry in self.level)
        return f"{names} are level for {place_words(self.play_off.first)} place: {self.play_off.words(self.noun)}."


@dataclass(frozen=True)
class Move:
    """What the scores would now make of a stage that has begun; nothing of it is done."""

    stage: Stage
    comes: tuple[Entry, ...]
    goes: tuple[Entry, ...]


def open_ties(stage: Stage) -> list[Tie]:
    """The ties of a stage of single games that nobody has settled yet."""
    before, noun = progress.places_before(stage), stage.tournament.kind.noun
    found = [
        (contest.where, replace(tie, first=tie.first + before))
        for contest in progress.outcomes(stage)
        for tie in contest.outcome.play_offs
    ]
    entries = Entry.objects.select_related("player").in_bulk({entry for _, tie in found for entry in tie.entries})
    return [
        Tie(where, tie, tuple(sorted((entries[e] for e in tie.entries), key=lambda entry: entry.number)), noun)
        for where, tie in found
    ]


def moves(stage: Stage) -> list[Move]:
    """The stages fed by this one whose seats are no longer those its games decide."""
    found = []
    for feed in stage.spec.feeds:
        target = Stage.objects.select_related("tournament__show").get(tournament=stage.tournament, key=feed.stage)
        wanted = set(progress.going_on(stage, feed))
        seated = set(target.seats.values_list("entry_id", flat=True))
        if not wanted or wanted == seated:
            continue
        entries = Entry.objects.select_related("player").in_bulk(wanted ^ seated)
        by_number = sorted(entries.values(), key=lambda entry: entry.number)
        comes = tuple(entry for entry in by_number if entry.pk in wanted)
        found.append(Move(target, comes, tuple(entry for entry in by_number if entry.pk in seated)))
    return found


def level(stage: Stage, request: HttpRequest) -> list[Entry]:
    """The players of the tie that a form is about; nobody when it was settled meanwhile."""
    tie = asked_about(stage, request)
    return list(tie.level) if tie else []


def asked_about(stage: Stage, request: HttpRequest) -> Tie | None:
    """The tie that a form is about; None when it was settled meanwhile."""
    return next((tie for tie in open_ties(stage) if tie.key == request.POST.get("tie")), None)


def ties_page(
    request: HttpRequest,
    stage: Stage,
    *,
    play_off: PlayOffForm | None = None,
    order: OrderForm | None = None,
    refusal: Refusal | None = None,
) -> HttpResponse:
    """How the games stand, the ties to be settled, what was decided, and who goes where."""
    stage.tournament.refresh_from_db()
    context = {
        "games": _games(stage),
        "ties": [_tie_line(request, stage, tie, play_off, order) for tie in open_ties(stage)],
        "moves": moves(stage),
        "fed": _fed(stage),
        "rulings": decided(stage),
    }
    faulty = any(form is not None and form.errors for form in (play_off, order))
    return page(request, "ties", stage, context, refusal, status=422 if faulty else 200)


def _tie_line(
    request: HttpRequest, stage: Stage, tie: Tie, play_off: PlayOffForm | None, order: OrderForm | None
) -> dict[str, Any]:
    """A tie with its two forms, with what was typed when one of them comes back."""
    mine = request.POST.get("tie") == tie.key
    expected = {"expected": stage.tournament.revision}
    entries = list(tie.level)
    return {
        "tie": tie,
        "play_off": _renewed(play_off, stage) if mine and play_off else PlayOffForm(level=entries, initial=expected),
        "order": _renewed(order, stage) if mine and order else OrderForm(level=entries, initial=expected),
    }


def _renewed(form: Any, stage: Stage) -> Any:
    """A form that comes back goes on from what the page shows beside it now."""
    form.data = form.data.copy()
    form.data["expected"] = str(stage.tournament.revision)
    return form


def _games(stage: Stage) -> list[dict[str, Any]]:
    before, contests = progress.places_before(stage), progress.outcomes(stage)
    ids = {finish.entry for contest in contests for finish in contest.outcome.finishes}
    entries = Entry.objects.select_related("player").in_bulk(ids)
    return [
        {"contest": contest, "lines": [_line(finish, entries, before) for finish in contest.outcome.finishes]}
        for contest in contests
    ]


def _line(finish: Finish, entries: dict[int, Entry], before: int) -> dict[str, Any]:
    return {
        "place": place_words(before + finish.place, finish.shared),
        "entry": entries[finish.entry],
        "finish": finish,
    }


def _fed(stage: Stage) -> list[dict[str, Any]]:
    """The stages this one decides with who has a seat in them."""
    found = []
    for feed in stage.spec.feeds:
        target = Stage.objects.select_related("tournament__show").get(tournament=stage.tournament, key=feed.stage)
        seats = list(target.seats.select_related("entry__player").order_by("seed"))
        found.append({"stage": target, "seats": seats})
    return found
