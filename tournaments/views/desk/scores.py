"""One score: its history, and everything that can be done to it."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.utils import timezone
from django.views.decorators.http import require_GET

from tournaments import selectors
from tournaments.domain.facts import Phase
from tournaments.domain.refusals import NeedsDecision, Refusal, Stale
from tournaments.domain.rulings import alters
from tournaments.domain.scores import grouped
from tournaments.forms import CorrectForm, ReasonForm, RulingForm, new_key
from tournaments.models import Journal, Ruling, Score, Stage
from tournaments.permissions import ORGANISER, has_role
from tournaments.services import game_rulings, scores
from tournaments.views.desk import meanings, rulings
from tournaments.views.desk.common import (
    actor,
    attempt,
    desk_stage,
    page,
    posted_from,
    score_of,
    stage_url,
    to_page,
)
from tournaments.views.desk.confirm import confirmed
from tournaments.views.desk.conflicts import conflict
from tournaments.views.desk.meanings import FIELDS, Meaning


@dataclass(frozen=True)
class Step:
    """One line of a history: the journal's, and what was different before and after it as (what, before, after)."""

    line: Journal
    changes: tuple[tuple[str, str, str], ...]


@dataclass(frozen=True)
class Decided:
    """That the last thing done to a score was to decide between it and another; `kept` is the other if that counts."""

    kept: Score | None


@desk_stage
@require_GET
def score(request: HttpRequest, stage: Stage, score: int) -> HttpResponse:
    """The score's page."""
    return _score_page(request, score_of(stage, score))


@desk_stage
@posted_from("desk:score")
def correct(request: HttpRequest, stage: Stage, score: int) -> HttpResponse:
    """Another value, player or machine, with the reason."""
    found = score_of(stage, score)
    form = CorrectForm(request.POST, stage=stage)
    if not form.is_valid():
        return _score_page(request, found, form)
    typed = form.cleaned_data
    outcome = attempt(
        lambda: scores.correct(
            found,
            actor=actor(request),
            seen=typed["seen"],
            reason=typed["reason"],
            value=typed["score"],
            entry=typed["number"],
            machine=typed["machine"],
            sure=typed["sure"],
        )
    )
    if isinstance(outcome, Refusal):
        return _score_page(request, score_of(stage, score), form, refusal=outcome)
    now = _named(score_of(stage, score))
    messages.success(request, f"Corrected: {now}." if outcome else "Nothing was different; nothing was changed.")
    return to_page("desk:score", stage, score)


@desk_stage
@posted_from("desk:score")
def act(request: HttpRequest, stage: Stage, score: int, act: str) -> HttpResponse:
    """Void, restore, undo or abandon."""
    if act not in ACTS:
        raise Http404(f"A score cannot be “{act}”.")
    form = ReasonForm(request.POST)
    if not form.is_valid():
        return _score_page(request, score_of(stage, score), reasons={act: form})
    service, told = ACTS[act]
    outcome = attempt(lambda: service(score_of(stage, score), request, form.cleaned_data))
    if isinstance(outcome, Refusal):
        return _score_page(request, score_of(stage, score), reasons={act: form}, refusal=outcome)
    messages.success(request, told.format(score=_named(score_of(stage, score))))
    return to_page("desk:score", stage, score)


@desk_stage
@posted_from("desk:score")
def rule(request: HttpRequest, stage: Stage, score: int) -> HttpResponse:
    """A ruling on the score; what it would change is shown first."""
    found = score_of(stage, score)
    # Also those kept back by a ruling in force: what is sent twice is then answered as the first time.
    form = RulingForm(request.POST, kinds=rulings.kinds_of(_choices(request, found, everything=True)))
    if not form.is_valid():
        return _score_page(request, found, ruling=form)
    typed = form.cleaned_data
    kind = Ruling.Kind(typed["kind"])
    value = f", {grouped(typed['value'])}" if typed["value"] is not None else ""
    outcome = confirmed(
        request,
        stage,
        lambda shown, late: game_rulings.rule_on_score(
            found,
            actor=actor(request),
            kind=kind,
            reason=typed["reason"],
            seen=typed["seen"],
            value=typed["value"],
            late=late,
            shown=shown,
        ),
        title=f"Ruling: {kind.label}",
        button="Rule so",
        done=f"Ruled: {kind.label}{value}. It is told beside the result and can be taken back.",
        back=stage_url("desk:score", stage, score),
        about=f"{_named(found)}. Ruling: {kind.label}{value}. Reason: {typed['reason']}",
    )
    if isinstance(outcome, Refusal):
        return _score_page(request, score_of(stage, score), ruling=form, refusal=outcome)
    return outcome


def _void(score: Score, request: HttpRequest, typed: dict[str, Any]) -> None:
    scores.void(score, actor=actor(request), seen=typed["seen"], reason=typed["reason"])


def _restore(score: Score, request: HttpRequest, typed: dict[str, Any]) -> None:
    scores.restore(score, actor=actor(request), seen=typed["seen"], reason=typed["reason"])


def _undo(score: Score, request: HttpRequest, typed: dict[str, Any]) -> None:
    scores.undo(score, actor=actor(request), seen=typed["seen"])


def _abandon(score: Score, request: HttpRequest, typed: dict[str, Any]) -> None:
    scores.abandon(score, actor=actor(request), reason=typed["reason"], seen=typed["seen"])


Act = Callable[[Score, HttpRequest, dict[str, Any]], None]
ACTS: dict[str, tuple[Act, str]] = {
    "void": (_void, "Void: {score}. It counts for nothing now and can be restored."),
    "restore": (_restore, "Restored: {score}."),
    "undo": (_undo, "The last change was taken back. Now: {score}."),
    "abandon": (_abandon, "The game was given up and does not count as played: {score}."),
}


def _score_page(
    request: HttpRequest,
    found: Score,
    form: CorrectForm | None = None,
    *,
    reasons: dict[str, ReasonForm] | None = None,
    ruling: RulingForm | None = None,
    refusal: Refusal | None = None,
) -> HttpResponse:
    """The page with everything typed. After a stale form it goes on from what is now, which the page then shows."""
    typed = {field: form.typed(field) for field in FIELDS} if form else _as_it_is(found)
    lines = selectors.history(found)
    # A form that was refused for another reason must still notice a change that its person has not seen.
    posted = request.POST.get("seen", "")
    seen = posted if posted.isdecimal() and not isinstance(refusal, Stale) else found.revision
    phase = found.stage.phase(timezone.now())
    in_force = selectors.rulings_in_force(found.stage.tournament, score=found)
    held = [one for one in in_force if alters(one.kind)]
    may_rule = found.state in Score.COUNTED and _may_rule(request, phase)
    context = {
        "score": found,
        "typed": typed,
        "meanings": _meanings(found, form, refusal, typed),
        "reason": form.typed("reason") if form else "",
        "reasons": {name: one["reason"].value() for name, one in (reasons or {}).items()},
        "rulings": rulings.told(request, in_force, phase),
        "held": held[0] if held else None,
        "ruled_last": lines[-1].ruling_id is not None,
        "groups": _choices(request, found) if may_rule else [],
        "ruling": ruling or RulingForm(kinds={}),
        "late": phase == Phase.CLOSED,
        "key": new_key(),
        "doubtful": form.cleaned_data["score"] if form and _is_doubtful(refusal) else None,
        "seen": seen,
        "steps": [_step(line) for line in reversed(selectors.with_merges(found, lines))],
        "conflict": conflict(found) if found.state == Score.State.WAITING else None,
        "decided": _decided(found, lines),
        "fresh": lines[-1].before is None,
        # What was typed into a form is shown even when its round was closed meanwhile.
        "may_change": phase in (Phase.OPEN, Phase.CLOSING) or form or reasons,
    }
    filled = [one for one in (form, ruling, *(reasons or {}).values()) if one is not None]
    faulty = any(one.errors for one in filled)
    return page(request, "score", found.stage, context, refusal, status=422 if faulty else 200)


def _meanings(
    score: Score, form: CorrectForm | None, refusal: Refusal | None, typed: dict[str, str]
) -> dict[str, Meaning]:
    """Whom and which machine the fields mean, whether they were just typed or stand there as they are."""
    if form:
        return meanings.of_form(form, refusal, typed)
    return meanings.of_all(score.stage, typed, selectors.stage_facts(score.stage), score)


def _decided(score: Score, lines: list[Journal]) -> Decided | None:
    """Whether a decision between two results was the last thing done to a score with this history."""
    last = lines[-1]
    if last.other_score_id is None:
        return None
    against = last.other_score_id == score.pk and last.score_id != score.pk
    return Decided(score_of(score.stage, last.score_id or 0) if against else None)


def _named(score: Score) -> str:
    """The score in a sentence, as people read it."""
    what = score.get_state_display() if score.value is None else grouped(score.value)
    return f"{score.entry} on {score.machine}: {what}"


def _is_doubtful(refusal: Refusal | None) -> bool:
    return isinstance(refusal, NeedsDecision) and refusal.settle == "doubtful"


def _as_it_is(score: Score) -> dict[str, str]:
    value = "" if score.value is None else grouped(score.value)
    return {"number": str(score.entry.number), "machine": score.machine.code, "score": value}


def _may_rule(request: HttpRequest, phase: Phase) -> bool:
    """In a stage that is closed only an organiser rules, and decides what follows for who goes on."""
    return phase in (Phase.OPEN, Phase.CLOSING) or (phase == Phase.CLOSED and has_role(request.user, ORGANISER))


def _choices(request: HttpRequest, score: Score, *, everything: bool = False) -> list[rulings.Group]:
    late = score.stage.phase(timezone.now()) == Phase.CLOSED and has_role(request.user, ORGANISER)
    held = not everything and any(alters(ruling.kind) for ruling in selectors.rulings_on(score))
    return rulings.score_choices(score, late=late, held=held)


SHOWN = {
    "value": "score",
    "ranked": "counts",
    "entry_name": "player",
    "machine_name": "machine",
    "state": "state",
}


def _step(line: Journal) -> Step:
    before, after = line.before or {}, line.after or {}
    changes = tuple(
        (words, _words(before.get(name)), _words(after.get(name)))
        for name, words in SHOWN.items()
        if before and before.get(name) != after.get(name)
    )
    return Step(line, changes)


def _words(value: Any) -> str:
    if value is None:
        return "none"
    return grouped(value) if isinstance(value, int) else str(value)
