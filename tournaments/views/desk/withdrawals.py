"""A machine leaves a stage, guided: the way, what that way needs, what it would change, then the word."""

from decimal import Decimal
from typing import Any

from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from tournaments import selectors
from tournaments.domain.refusals import Refusal
from tournaments.domain.rulings import shown_factor
from tournaments.models import Stage, StageMachine
from tournaments.services import withdrawn
from tournaments.services.given_back import given_back
from tournaments.views.desk.common import actor, desk_stage, once, page
from tournaments.views.desk.confirm import confirmed

State = StageMachine.State
VERBS = {State.CANCELLED: "Cancel", State.LET_STAND: "Close", State.RESCALED: "Rescale"}


@desk_stage
@require_http_methods(["GET", "HEAD", "POST"])
def withdraw(request: HttpRequest, stage: Stage, code: str) -> HttpResponse:
    """Choose how a machine is withdrawn; the same form sent shows what that changes, and sent again does it."""
    used = used_in(stage, code)
    if request.method != "POST":
        return _withdraw_page(request, used)
    return once(request, lambda: _withdrawn(request, used), again=lambda: redirect(machine_page(used)))


def _withdrawn(request: HttpRequest, used: StageMachine) -> HttpResponse:
    stage = used.stage
    try:
        asked = _asked(request, used)
    except Refusal as refusal:
        return _withdraw_page(request, used, refusal)
    label = stage.label.lower()
    counted = withdrawn.counted(used, asked["way"], asked["substitute"], asked["factor"])
    verb = VERBS[State(asked["way"])]
    outcome = confirmed(
        request,
        stage,
        lambda shown, late: withdrawn.withdraw_machine(used, actor=actor(request), shown=shown, **asked),
        title=f"{verb} {used.machine.name} in {label}: {counted}",
        button=f"{verb}: {counted}",
        done=f"{used.machine} is withdrawn from {label}: {counted}.",
        back=machine_page(used),
    )
    return _withdraw_page(request, used, outcome) if isinstance(outcome, Refusal) else outcome


def used_in(stage: Stage, code: str) -> StageMachine:
    """The use of a machine in this stage, or 404."""
    used = StageMachine.objects.select_related("machine__show", "substitute", "stage__tournament__show")
    return get_object_or_404(used, stage=stage, machine__code__iexact=code)


def machine_page(used: StageMachine) -> str:
    """The address of the machine's own page."""
    return reverse("desk:machine", args=[used.machine.show.slug, used.machine.code])


def _asked(request: HttpRequest, used: StageMachine) -> dict[str, Any]:
    """What the form asks for; raises `Refusal` with what is wrong with it."""
    way, code = request.POST.get("way", ""), request.POST.get("substitute", "")
    if way not in withdrawn.WAYS:
        raise Refusal("Choose one of the three ways.", field="way")
    substitute = next((m for m in selectors.substitutes(used) if m.code == code), None) if code else None
    if code and substitute is None:
        raise Refusal(f"The machine {code} cannot stand in; choose another.", field="substitute")
    factor: Decimal | None = None
    if way == State.RESCALED:
        if substitute is None:
            raise Refusal("Choose the machine on which the scores are ranked.", field="substitute")
        typed = request.POST.get("proposed") or request.POST.get("factor", "")
        if not typed.strip():
            raise Refusal("Type a factor, or take the proposed one.", field="factor")
        factor = withdrawn.read_factor(typed)
    return {"way": way, "substitute": substitute, "factor": factor, "reason": request.POST.get("reason", "")}


def _withdraw_page(request: HttpRequest, used: StageMachine, refusal: Refusal | None = None) -> HttpResponse:
    used = used_in(used.stage, used.machine.code)
    typed = request.POST if request.method == "POST" else request.GET
    way, code = typed.get("way", ""), typed.get("substitute", "")
    if way and way not in withdrawn.WAYS:
        raise Http404(f"A machine is not withdrawn by “{way}”.")
    read = selectors.stage_facts(used.stage)
    context: dict[str, Any] = {
        "used": used,
        "machine": used.machine,
        "back": machine_page(used),
        "way": way,
        "ways": _ways(used),
        "ruling": selectors.withdrawing_ruling(used.stage, used.machine),
        "reason": typed.get("reason", ""),
        "factor": typed.get("factor", ""),
        "here": withdrawn.played_here(used, read.facts),
        "choosing": withdrawn.may_be_withdrawn(used) and (used.state == State.OPEN or way),
        "closed_by_redraw": used.state != State.OPEN and withdrawn.may_be_withdrawn(used),
        "given_back": given_back(used.stage, read),
    }
    if way and withdrawn.may_be_withdrawn(used):
        substitutes = selectors.substitutes(used)
        context["substitutes"] = substitutes
        context["substitute"] = next((machine for machine in substitutes if machine.code == code), None)
        if way == State.RESCALED:
            values = selectors.values_by_machine(used.stage)
            of = values.get(used.machine_id, [])
            proposals = [(m, withdrawn.propose_factor(of, values.get(m.pk, []))) for m in substitutes]
            context["proposals"] = proposals
            context["proposal"] = next((_proposal(p) for m, p in proposals if m == context["substitute"]), None)
    return page(request, "withdraw", used.stage, context, refusal)


def _ways(used: StageMachine) -> list[tuple[str, str, str]]:
    """(key, title, meaning) of each way that the stage allows."""
    found = []
    for key, words in withdrawn.ways(used).items():
        title, _, meaning = words.partition(": ")
        found.append((key, title, meaning[:1].upper() + meaning[1:]))
    return found


def _proposal(proposal: withdrawn.Proposal) -> dict[str, Any]:
    """What the two medians say, for a person to judge."""
    return {"numbers": proposal, "factor": shown_factor(proposal.factor) if proposal.factor else ""}
