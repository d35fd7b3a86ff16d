"""The page for slips: number, machine, score; the answer at once, and beside it what is missing or waits.

The page's script only makes it faster. Who and which machine is meant is decided here, from what was typed, when
the slip arrives; the same form works without script.
"""

from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.views.decorators.http import require_GET
from django_htmx.http import trigger_client_event

from tournaments import selectors
from tournaments.domain.facts import Phase, Result, Row
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.domain.scores import grouped
from tournaments.forms import GameForm, SlipForm, new_key
from tournaments.models import Score, Stage
from tournaments.selectors import StageRead
from tournaments.services import scores
from tournaments.views.desk import board, meanings
from tournaments.views.desk.common import (
    actor,
    attempt,
    desk_stage,
    page,
    posted_from,
    score_of,
    slips_stage,
    to_page,
    whole,
)
from tournaments.views.desk.meanings import FIELDS, Meaning
from tournaments.views.desk.overview import overview


@dataclass(frozen=True)
class Taken:
    """A slip that was taken, with what it does to the table. `repeated` when the same slip had been sent before.

    `elsewhere` are the machines on which the player is still marked as playing: one of the two is a mistake.
    """

    score: Score
    row: Row
    result: Result | None
    games_allowed: int
    elsewhere: tuple[str, ...]
    repeated: bool = False


@desk_stage
@require_GET
def slips(request: HttpRequest, stage: Stage) -> HttpResponse:
    """The page. Its address may carry a slip to fill in (`number`, `machine`, `score`) or the one just `taken`.

    A stage that is played in matches has its call board here.
    """
    if not stage.spec.slips:
        return board.show(request, stage)
    read = selectors.stage_facts(stage)
    typed = _typed(request.GET)
    found = meanings.of_all(stage, typed, read)
    context: dict[str, Any] = {"typed": typed, "meanings": found, "autofocus": meanings.to_fix(typed, found)}
    if "taken" in request.GET:
        score = score_of(stage, whole(request.GET["taken"]))
        context["taken"] = _taken(score, read, repeated="again" in request.GET)
    takes_slips = read.phase != Phase.CLOSED
    return page(request, "slips", stage, {**context, "key": new_key(), "takes_slips": takes_slips, **overview(read)})


@slips_stage
@posted_from("desk:slips", own_key=True)
def record(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Take a slip."""
    form = SlipForm(request.POST, stage=stage)
    if not form.is_valid():
        return _not_taken(request, stage, form)
    slip, sure = form.game_and_value, form.cleaned_data["sure"]
    taken = attempt(lambda: scores.record(stage, actor=actor(request), sure=sure, **slip))
    if isinstance(taken, Refusal):
        return _not_taken(request, stage, form, taken)
    if not _by_script(request):
        return to_page("desk:slips", stage, query=f"?taken={taken.score.pk}{'&again' if taken.repeated else ''}")
    read = selectors.stage_facts(stage)
    return _answer(request, stage, read, {"taken": _taken(score_of(stage, taken.score.pk), read, taken.repeated)})


@slips_stage
@posted_from("desk:slips", own_key=True)
def start(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Mark the game of a number on a machine as started; its result comes later."""
    form = GameForm(request.POST, stage=stage)
    if not form.is_valid():
        return _not_taken(request, stage, form)
    entry, machine = form.cleaned_data["number"], form.cleaned_data["machine"]
    started = attempt(lambda: scores.start(stage, actor=actor(request), entry=entry, machine=machine))
    if isinstance(started, Refusal):
        return _not_taken(request, stage, form, started)
    return _said(request, stage, f"{entry} has started on {machine}.")


@slips_stage
@posted_from("desk:slips", own_key=True)
def put_aside(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Keep a second result for a game beside the first, until somebody decides."""
    form = SlipForm(request.POST, stage=stage)
    if not form.is_valid():
        return _not_taken(request, stage, form)
    slip = form.game_and_value
    kept = attempt(lambda: scores.put_aside(stage, actor=actor(request), **slip))
    if isinstance(kept, Refusal):
        return _not_taken(request, stage, form, kept)
    what = f"{slip['entry']} on {slip['machine']}: {grouped(slip['value'])}"
    if kept.repeated:
        return _said(request, stage, f"{what} is there already; it is the same result and counts once.")
    return _said(request, stage, f"{what} is kept aside and waits for a decision. It counts for nothing until then.")


@slips_stage
@posted_from("desk:slips", own_key=True)
def undo(request: HttpRequest, stage: Stage, score: int) -> HttpResponse:
    """Take back the last change of a score; it answers where the slip was answered."""
    before = score_of(stage, score)
    seen = whole(request.POST.get("seen", ""))
    done = attempt(lambda: scores.undo(before, actor=actor(request), seen=seen))
    if isinstance(done, Refusal):
        return _refused(request, stage, done)
    sentence = f"Taken back: {before.entry} on {before.machine}, {grouped(before.value or 0)}."
    if not _by_script(request):
        messages.success(request, sentence)
        return to_page("desk:slips", stage)
    slip = {"number": before.entry.number, "machine": before.machine.code, "score": before.value}
    context = {"sentence": sentence, "again": urlencode(slip), "now": score_of(stage, score)}
    return _answer(request, stage, selectors.stage_facts(stage), context, clear=False)


@slips_stage
@require_GET
def lookup(request: HttpRequest, stage: Stage) -> HttpResponse:
    """Whom or which machine the typed text means: feedback while typing, nothing more.

    For a slip, or for the score that is being corrected, `instead-of`; then nothing is offered to be put into a slip.
    """
    typed = _typed(request.GET)
    field = "machine" if request.GET.get("field") == "machine" else "number"
    corrected = request.GET.get("instead-of")
    score = score_of(stage, whole(corrected)) if corrected else None
    found = meanings.of_all(stage, typed, selectors.stage_facts(stage), score).get(field, Meaning())
    return page(request, "_meaning_plain" if score else "_meaning", stage, {"meaning": found})


@slips_stage
@require_GET
def aside(request: HttpRequest, stage: Stage) -> HttpResponse:
    """What is missing, under way and waiting, and the last entries; 204 for who has this version already."""
    read = selectors.stage_facts(stage)
    if request.GET.get("version") == read.version:
        return HttpResponse(status=204)
    return page(request, "_aside_and_last", stage, overview(read))


def _typed(query: QueryDict) -> dict[str, str]:
    return {field: query.get(field, "") for field in FIELDS}


def _by_script(request: HttpRequest) -> bool:
    return "HX-Request" in request.headers


def _taken(score: Score, read: StageRead, repeated: bool = False) -> Taken:
    results = read.table.machines.get(score.machine_id, ())
    result = next((result for result in results if result.entry == score.entry_id), None)
    names = {machine.id: machine.name for machine in read.facts.machines}
    elsewhere = tuple(names[machine] for entry, machine in read.facts.playing if entry == score.entry_id)
    row = read.table.row(score.entry_id)
    return Taken(score, row, result, read.rules.games_allowed, elsewhere, repeated)


def _answer(
    request: HttpRequest, stage: Stage, read: StageRead, context: dict[str, Any], clear: bool = True
) -> HttpResponse:
    """For the script: what was done, a fresh key, and the lists beside the form. `clear` readies the form."""
    response = page(request, "_slip_answer", stage, {**context, "key": new_key(), "clear": clear, **overview(read)})
    return trigger_client_event(response, "slip-taken") if clear else response


def _said(request: HttpRequest, stage: Stage, sentence: str) -> HttpResponse:
    """The answer to what needs no more than a sentence."""
    if not _by_script(request):
        messages.success(request, sentence)
        return to_page("desk:slips", stage)
    return _answer(request, stage, selectors.stage_facts(stage), {"sentence": sentence})


def _not_taken(request: HttpRequest, stage: Stage, form: GameForm, refusal: Refusal | None = None) -> HttpResponse:
    """Why not, at its field; everything typed stays. A doubtful score asks, a second one can be put aside."""
    typed = _typed(request.POST)
    found = meanings.of_form(form, refusal, typed)
    context = {
        "meanings": found,
        "autofocus": meanings.to_fix(typed, found),
        "value": form.cleaned_data.get("score"),
        "doubtful": isinstance(refusal, NeedsDecision) and refusal.settle == "doubtful",
        "rival": _rival(stage, form, refusal),
    }
    return _refused(request, stage, refusal, context)


def _refused(
    request: HttpRequest, stage: Stage, refusal: Refusal | None, about: dict[str, Any] | None = None
) -> HttpResponse:
    """A fresh key every time: with the old one, a slip changed after a lost answer could never be sent."""
    typed = _typed(request.POST)
    context: dict[str, Any] = {"typed": typed, "slip_query": urlencode(typed), "not_taken": True, "key": new_key()}
    context |= about or {}
    if _by_script(request):
        return page(request, "_slip_answer", stage, context, refusal, status=422)
    read = selectors.stage_facts(stage)
    # The form stays even in a round that was closed meanwhile: it holds what was typed.
    return page(request, "slips", stage, {**context, "takes_slips": True, **overview(read)}, refusal, status=422)


def _rival(stage: Stage, form: GameForm, refusal: Refusal | None) -> Score | None:
    """The score that the game has already, when that is why the slip was refused."""
    if refusal is None or isinstance(refusal, NeedsDecision) or refusal.field != "machine":
        return None
    game = {"entry": form.cleaned_data["number"], "machine": form.cleaned_data["machine"]}
    return Score.objects.filter(stage=stage, state__in=Score.COUNTED, **game).order_by("-attempt").first()
