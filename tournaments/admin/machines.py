"""The show's machines and their use in stages."""

from typing import Any, cast

from django import forms
from django.contrib.admin import display, register
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import reverse

from tournaments import selectors
from tournaments.admin.base import (
    Act,
    NothingToSay,
    ReasonForm,
    SeenForm,
    ServiceAdmin,
    actor,
    become,
    link,
    site,
    typed,
)
from tournaments.domain.facts import MachineState
from tournaments.models import Machine, Stage, StageMachine
from tournaments.services import machines, rulings
from tournaments.services.change import Actor
from tournaments.services.withdrawn import withdraw_machine


class StageField(forms.ModelMultipleChoiceField):
    """Stages with the tournament they belong to: "Qualifying" alone says little."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.tournament}: {obj.label}"


def _usable_stages() -> "QuerySet[Stage]":
    """Stages that can be played and into which a machine can still come."""
    stages = Stage.objects.exclude(state=Stage.State.CLOSED).select_related("tournament__show")
    playable = [stage.pk for stage in stages if stage.spec.playable]
    return stages.filter(pk__in=playable).order_by("-tournament__show__starts_on", "tournament", "position")


class MachineForm(SeenForm):
    """A machine and the stages that use it."""

    stages = StageField(
        label="Used in",
        queryset=Stage.objects.none(),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text="Stages that are not closed yet. A machine that was played stays; close or cancel it there.",
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        machine = kwargs.get("instance")
        stages = _usable_stages()
        if machine is not None:
            stages = stages.filter(tournament__show=machine.show_id)
            used = list(stages.filter(stage_machines__machine=machine).values_list("pk", flat=True))
            kwargs["initial"] = {**(kwargs.get("initial") or {}), "stages": used}
        super().__init__(*args, **kwargs)
        cast("StageField", self.fields["stages"]).queryset = stages


class StageChoice(forms.ModelChoiceField):
    """One stage, named with its tournament."""

    def label_from_instance(self, obj: Any) -> str:
        return f"{obj.tournament}: {obj.label}"


class UseForm(forms.Form):
    """Which stage machines are to be used in."""

    stage = StageChoice(queryset=Stage.objects.none())

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        cast("StageChoice", self.fields["stage"]).queryset = _usable_stages()


def _use(machine: Machine, *, actor: Actor, stage: Stage) -> None:
    machines.use(stage, actor=actor, machine=machine)


@register(Machine, site=site)
class MachineAdmin(ServiceAdmin):
    list_display = ("name", "code", "manufacturer", "year", "used_in", "show")
    list_filter = ("show", "manufacturer", "stage_machines__stage__tournament")
    list_select_related = ("show",)
    search_fields = ("name", "code", "manufacturer", "year")
    autocomplete_fields = ("show",)
    form = MachineForm
    add_only = ("show", "code")
    fieldsets = (
        (None, {"fields": ("show", "code", "name", "manufacturer", "year")}),
        ("Tournaments", {"fields": ("stages",)}),
    )
    acts = (Act("use", "Use in a stage", "The machines are used in the stage from now on.", _use, UseForm),)

    def acts_for(self, obj: Machine) -> tuple[Act, ...]:
        """The page of one machine has boxes for that."""
        return ()

    def get_queryset(self, request: HttpRequest) -> "QuerySet[Machine]":
        found = super().get_queryset(request).select_related("show")
        return found.prefetch_related("stage_machines__stage__tournament")

    def save_model(self, request: HttpRequest, obj: Machine, form: Any, change: bool) -> None:
        asked = typed(form)
        asked["used_in"] = asked.pop("stages")
        if change:
            machine = Machine.objects.select_related("show").get(pk=obj.pk)
            machines.change_details(machine, actor=actor(request), expected=obj.show.revision, **asked)
        else:
            machine = machines.add(asked.pop("show"), actor=actor(request), **asked)
        become(obj, machine)

    def journal_lookup(self, object_id: str) -> dict[str, str] | None:
        return {"machine__id__exact": object_id}

    @display(description="used in")
    def used_in(self, machine: Machine) -> str:
        return ", ".join(f"{used.stage.tournament.name}, {used.stage.label}" for used in machine.stage_machines.all())


def _open_again(used: StageMachine, *, actor: Actor, reason: str) -> None:
    """Take the ruling back that withdrew it; one that came withdrawn from a folder has none."""
    ruling = selectors.withdrawing_ruling(used.stage, used.machine)
    if ruling:
        rulings.undo_ruling(ruling, actor=actor, reason=reason)
    else:
        machines.set_state(used, actor=actor, state=MachineState.OPEN, reason=reason)


def _let_stand(used: StageMachine, *, actor: Actor, reason: str) -> None:
    withdraw_machine(used, actor=actor, way=MachineState.LET_STAND, reason=reason)


def _cancel(used: StageMachine, *, actor: Actor, reason: str) -> None:
    withdraw_machine(used, actor=actor, way=MachineState.CANCELLED, reason=reason)


OPEN_AGAIN = Act("open-again", "Open again", "New games are taken, and all scores count as before.", _open_again)
LET_STAND = Act("let-stand", "Close, let scores stand", "No new games; the scores on it still count.", _let_stand)
CANCEL = Act(
    "cancel",
    "Cancel with all scores",
    "Its scores leave the ranking and everybody who played it gets the game back. The scores are kept and come back"
    " when the machine is opened again.",
    _cancel,
    ReasonForm,
)
LEAVE_OUT = Act(
    "leave-out",
    "Leave out",
    "The machine is no longer used in this stage. Only as long as nobody has played it.",
    machines.leave_out,
    NothingToSay,
)


@register(StageMachine, site=site)
class StageMachineAdmin(ServiceAdmin):
    list_display = ("machine", "stage_name", "state", "desk_page")
    list_filter = ("state", "stage__tournament")
    list_select_related = ("machine", "stage__tournament__show")
    search_fields = ("machine__name", "machine__code", "stage__key", "stage__tournament__name")
    autocomplete_fields = ("stage", "machine")
    readonly_fields = ("state", "substitute", "factor", "desk_page")
    fieldsets = ((None, {"fields": ("stage", "machine", "state", "substitute", "factor", "desk_page")}),)
    acts = (OPEN_AGAIN, LET_STAND, CANCEL, LEAVE_OUT)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """What can be changed is its state, by an act that says what it means; the desk shows the effects before."""
        return False

    def acts_for(self, obj: StageMachine) -> tuple[Act, ...]:
        if obj.state == StageMachine.State.OPEN:
            return (LET_STAND, CANCEL, LEAVE_OUT)
        return (OPEN_AGAIN,)

    def save_model(self, request: HttpRequest, obj: StageMachine, form: Any, change: bool) -> None:
        stage, machine = form.cleaned_data["stage"], form.cleaned_data["machine"]
        become(obj, machines.use(stage, actor=actor(request), machine=machine))

    def journal_lookup(self, object_id: str) -> dict[str, str] | None:
        used = StageMachine.objects.select_related("stage").get(pk=object_id)
        return {"tournament__id__exact": str(used.stage.tournament_id), "machine__id__exact": str(used.machine_id)}

    @display(description="effects")
    def desk_page(self, used: StageMachine) -> str:
        """The desk's page shows what withdrawing it would change, and can rescale its scores."""
        if used.pk is None:
            return "–"
        stage = used.stage
        where = [stage.tournament.show.slug, stage.tournament.slug, stage.key, used.machine.code]
        return link(reverse("desk:withdraw-machine", args=where), "shown and decided at the desk")

    @display(description="stage", ordering="stage__position")
    def stage_name(self, used: StageMachine) -> str:
        return f"{used.stage.tournament}: {used.stage.label}"
