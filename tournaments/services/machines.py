"""Machines of the show and their use in a stage."""

from collections.abc import Collection, Mapping
from decimal import Decimal

from tournaments import selectors
from tournaments.domain.refusals import Refusal
from tournaments.models import Machine, Show, Stage, StageMachine, Tournament
from tournaments.services.change import Actor, change, change_shared, changes_in
from tournaments.services.shows import checked, need_reason, refuse_too_many_games


def add(
    show: Show,
    *,
    actor: Actor,
    code: str,
    name: str,
    manufacturer: str = "",
    year: int | None = None,
    used_in: Collection[Stage] = (),
) -> Machine:
    """A machine of the show, used in these stages; all of it is done or nothing.

    The codes TZ and tz would be the same to a person, so they are to us.
    """
    with changes_in(show):
        same = Machine.objects.filter(show=show, code__iexact=code).first()
        if same:
            raise Refusal(f"The code {same.code} belongs to {same.name}.", field="code")
        machine = Machine(show=show, code=code, name=name, manufacturer=manufacturer, year=year)
        checked(machine)
        machine.save()
        _use_in(machine, used_in, actor)
        with change_shared(show, actor=actor, action="add machine") as log:
            after = {"code": code, "name": name, "manufacturer": manufacturer, "year": year}
            log.write(f"{machine} is a machine of the show.", after=after, machine=machine)
    return machine


def change_details(
    machine: Machine,
    *,
    actor: Actor,
    name: str,
    manufacturer: str = "",
    year: int | None = None,
    used_in: Collection[Stage] | None = None,
    expected: int | None = None,
) -> None:
    """Correct a name, maker or year, in every tournament that uses the machine. All of it is done or nothing.

    `used_in` are all stages that are to use it from now on, those that are closed aside; None leaves them as they are.
    `expected` is the show's revision that the person looked at.
    """
    with changes_in(machine.show):
        if used_in is not None:
            _leave_out_elsewhere(machine, used_in, actor)
        after: dict[str, str | int | None] = {"name": name, "manufacturer": manufacturer, "year": year}
        before = _correct(machine, actor, after)
        _use_in(machine, used_in or (), actor)
        if before != after:
            machine.refresh_from_db()
            with change_shared(machine.show, actor=actor, action="change machine", expected=expected) as log:
                log.write(f"{machine}: details corrected.", before=before, after=after, machine=machine)
    machine.refresh_from_db()


def _correct(machine: Machine, actor: Actor, after: Mapping[str, str | int | None]) -> dict[str, str | int | None]:
    """Write the details and tell every tournament that uses the machine; the details as they were."""
    stored = Machine.objects.get(pk=machine.pk)
    before = {field: getattr(stored, field) for field in after}
    if before == after:
        return before
    for field, value in after.items():
        setattr(stored, field, value)
    checked(stored)
    stored.save(update_fields=list(after))
    for tournament in Tournament.objects.filter(stages__stage_machines__machine=stored).distinct().order_by("pk"):
        with change(tournament, actor=actor, action="change machine") as log:
            log.write(f"{stored}: details corrected.", before=before, after=after, machine=stored)
    return before


def _leave_out_elsewhere(machine: Machine, wanted: Collection[Stage], actor: Actor) -> None:
    """What a closed stage used stays with it."""
    elsewhere = StageMachine.objects.filter(machine=machine).exclude(stage__in=wanted)
    for used in elsewhere.exclude(stage__state=Stage.State.CLOSED).select_related("stage__tournament"):
        leave_out(used, actor=actor)


def _use_in(machine: Machine, wanted: Collection[Stage], actor: Actor) -> None:
    for stage in sorted(wanted, key=lambda stage: (stage.tournament_id, stage.position)):
        use(stage, actor=actor, machine=machine)


def use(stage: Stage, *, actor: Actor, machine: Machine, drawn_from: int | None = None) -> StageMachine:
    """Use a machine of the show in a stage; `drawn_from` is out of how many the lot fell on it elsewhere."""
    with change(stage.tournament, actor=actor, action="use machine") as log:
        used = StageMachine.objects.filter(stage=stage, machine=machine).first()
        if used:
            return used
        if machine.show_id != stage.tournament.show_id:
            raise Refusal(f"{machine} is not a machine of {stage.tournament.show}.", field="machine")
        if Stage.objects.get(pk=stage.pk).state == Stage.State.CLOSED:
            raise Refusal(f"{stage.label} is closed.")
        used = StageMachine.objects.create(stage=stage, machine=machine, drawn_from=drawn_from)
        log.write(f"{machine} is used in {stage.label.lower()}.", machine=machine)
    return used


def leave_out(used: StageMachine, *, actor: Actor) -> None:
    """Take a machine out of a stage in which nobody has played it."""
    with change(used.stage.tournament, actor=actor, action="leave machine out") as log:
        stored = StageMachine.objects.select_related("machine", "stage__tournament").filter(pk=used.pk).first()
        if stored is None:
            return
        label = stored.stage.label.lower()
        if stored.stage.scores.filter(machine=stored.machine).exists():
            raise Refusal(f"{stored.machine} has scores in {label}; it can only be closed or cancelled.")
        stored.delete()
        log.write(f"{stored.machine} is not used in {label}.", machine=stored.machine)


def set_state(
    used: StageMachine,
    *,
    actor: Actor,
    state: str,
    reason: str,
    substitute: Machine | None = None,
    factor: Decimal | None = None,
) -> None:
    """Give a machine in a stage the state it has elsewhere, as from a folder; at the desk it is withdrawn by a ruling.

    Taking a cancelling back is refused while somebody has played the game that was given back.
    Source: house rules, "Machine removed; scores are ranked".
    """
    with change(used.stage.tournament, actor=actor, action="set machine state") as log:
        stored = StageMachine.objects.select_related("machine", "stage__tournament").get(pk=used.pk)
        if stored.state == state:
            return
        need_reason(reason)
        stage = stored.stage
        if stage.state == Stage.State.CLOSED:
            raise Refusal(f"{stage.label} is closed.")
        if selectors.withdrawing_ruling(stage, stored.machine):
            raise Refusal(f"A ruling has withdrawn {stored.machine}; take that ruling back.")
        if state == StageMachine.State.RESCALED and (substitute is None or factor is None):
            raise Refusal(f"{stored.machine} needs a substitute and a factor.")
        before, stored.state = stored.state, StageMachine.State(state)
        stored.substitute, stored.factor = substitute, factor
        stored.save(update_fields=["state", "substitute", "factor"])
        refuse_too_many_games(stage, stage.tournament.kind.qualifying(stage.tournament.rules_in_force))
        used.state = stored.state
        log.write(
            f"{stored.machine} in {stage.label.lower()}: {stored.get_state_display()}.",
            before={"state": before},
            after={"state": str(state)},
            reason=reason,
            machine=stored.machine,
        )
