"""A machine is taken out of a stage: cancelled, left standing, or rescaled onto another; and taken back.

House rules, "Machine removed; scores are ranked": one guided action with a preview of the table, and undo.
"""

from dataclasses import replace
from decimal import Decimal, InvalidOperation
from statistics import median
from typing import NamedTuple

from tournaments import selectors
from tournaments.domain.facts import MachineState, Played, StageFacts, Standing
from tournaments.domain.refusals import Refusal
from tournaments.domain.rulings import Move, proposed_factor, ranked_elsewhere, returned, shown_factor
from tournaments.models import Machine, Ruling, Stage, StageMachine
from tournaments.services.change import Actor, change
from tournaments.services.effects import decided
from tournaments.services.progress import refuse_once_declared
from tournaments.services.shows import need_reason, refuse_too_many_games
from tournaments.services.undoing import new_ruling

State = StageMachine.State
WAYS = {
    State.CANCELLED: "Cancel: the scores leave the ranking and every player concerned gets the game back.",
    State.LET_STAND: "Let stand: the scores stay ranked; no new games until the round ends.",
    State.RESCALED: "Rescale: the scores times a factor are ranked on the substitute; the originals are kept beside.",
}
"""The three ways of withdrawing a machine, in words."""

IN_GROUPS = {
    State.LET_STAND: "Let stand: what was played counts as it is, and no game starts on it. Then draw the rest again.",
    State.RESCALED: "Rescale: the scores of the {alone}s times a factor are ranked on the substitute, with those made"
    " there; the originals are kept beside. Matches against each other stay as they are.",
}
"""What of them there is in groups, where completed results stand. Source: house rules, "Machine breaks down"."""

LARGEST_FACTOR = 1_000_000


class Proposal(NamedTuple):
    """A factor by the medians of two machines, with the number of scores behind each; None where one has none."""

    factor: Decimal | None
    of: int
    onto: int
    median_of: int | None
    median_onto: int | None


class Here(NamedTuple):
    """What was played on a machine of a stage and counts: single scores, and in groups matches of two."""

    scores: int
    matches: int


def ways(used: StageMachine) -> dict[str, str]:
    """In which ways a machine can be withdrawn from its stage, in words.

    Nothing is given back by cancelling where matches are played. In groups only the scores of games of one can be
    rescaled: those of a match are compared with each other alone.
    """
    spec = used.stage.spec
    if not spec.grouped:
        return {str(way): words for way, words in WAYS.items() if way != State.CANCELLED or not spec.matches}
    offered = [State.LET_STAND] if used.state == State.OPEN else []
    offered += [State.RESCALED] if _played_alone(used) else []
    return {str(way): IN_GROUPS[way].format(alone=spec.alone) for way in offered}


def may_be_withdrawn(used: StageMachine) -> bool:
    """Whether it is in play, or was closed by drawing the rest of groups again, which left its scores as they are."""
    if used.state == State.OPEN:
        return True
    ruled = selectors.withdrawing_ruling(used.stage, used.machine)
    return used.stage.spec.grouped and used.state == State.LET_STAND and ruled is None


def played_here(used: StageMachine, facts: StageFacts) -> Here:
    """What counts of what was played on a machine."""
    met = [game for game in facts.met if game.machine == used.machine_id]
    alone = sum(1 for game in met if len(game.parts) == 1 and game.parts[0].value is not None)
    matches = sum(1 for game in met if len(game.parts) > 1 and any(part.value is not None for part in game.parts))
    return Here(alone + sum(1 for game in facts.played if game.machine == used.machine_id), matches)


def _played_alone(used: StageMachine) -> bool:
    facts = selectors.stage_facts(used.stage).facts
    dealt = any(game.machine == used.machine_id for game in facts.met if len(game.parts) == 1)
    return dealt or any(game.machine == used.machine_id for game in facts.played)


def withdraw_machine(
    used: StageMachine,
    *,
    actor: Actor,
    way: str,
    reason: str,
    substitute: Machine | None = None,
    factor: Decimal | None = None,
    shown: str = "",
) -> Ruling:
    """Withdraw a machine from a stage in one of the three `WAYS`; `undo_ruling` brings it back.

    A substitute that is not used in the stage yet is added to it. `shown` is the digest of the effects the person saw.
    """
    with change(used.stage.tournament, actor=actor, action="withdraw machine") as log:
        stored = StageMachine.objects.select_related("machine", "stage__tournament__show").get(pk=used.pk)
        stage = stored.stage
        _check(stored, way, substitute, factor)
        need_reason(reason)
        refuse_once_declared(stage.tournament)
        kind, about = Ruling.Kind.MACHINE, {"stage": stage, "machine": stored.machine}
        ruling = new_ruling(stage.tournament, actor=actor, log=log, kind=kind, reason=reason, **about)
        before = str(stored.state)
        with decided(stage.tournament, ruling, log, shown):
            stored.state, stored.substitute = State(way), substitute
            stored.factor = factor if way == State.RESCALED else None
            stored.save(update_fields=["state", "substitute", "factor"])
            if substitute:
                StageMachine.objects.get_or_create(stage=stage, machine=substitute)
            _refuse_lost_games(stored)
            refuse_too_many_games(stage, stage.tournament.kind.qualifying(stage.tournament.rules_in_force))
            ruling.data = {
                "way": way,
                "substitute": substitute.code if substitute else "",
                "factor": shown_factor(factor) if factor is not None else "",
            }
            ruling.save()
            log.write(
                f"{stored.machine} is withdrawn from {stage.label.lower()}: {_told(stored)}.",
                before={"state": before},
                after=ruling.data,
                reason=reason,
                machine=stored.machine,
                ruling=ruling,
            )
    return ruling


def propose_factor(of: list[int], onto: list[int]) -> Proposal:
    """A factor from the medians of two machines' scores in a stage; a person decides whether it is fair."""
    return Proposal(proposed_factor(of, onto), len(of), len(onto), _median(of), _median(onto))


def counted(used: StageMachine, way: str, substitute: Machine | None, factor: Decimal | None) -> str:
    """What withdrawing a machine does to its scores, in numbers: "10 scores leave the ranking …"."""
    read = selectors.stage_facts(used.stage)
    if used.stage.spec.grouped:
        return _counted_in_groups(
            used, played_here(used, read.facts), substitute, factor if way == State.RESCALED else None
        )
    out = {entrant.id for entrant in read.facts.entrants if entrant.standing == Standing.DISQUALIFIED}
    played = [game for game in read.facts.played if game.entry not in out]
    here = [game for game in played if game.machine == used.machine_id]
    if way == State.CANCELLED:
        back = _returned(read.facts, used, here)
        return f"{_scores(len(here), 'leaves', 'leave')} the ranking, {_games(back)} given back"
    if way != State.RESCALED or substitute is None or factor is None:
        return f"{_scores(len(here), 'stays', 'stay')} ranked, no new game starts"
    move = Move(substitute.pk, factor, used.machine.name)
    ranked, carried = ranked_elsewhere(played, {used.machine_id: move}, read.rules.games_per_machine)
    told = f"{_scores(len(carried), 'is', 'are')} ranked on {substitute.name}, times {shown_factor(factor)}"
    back = _returned(read.facts, used, ranked)
    return f"{told}; {_games(back)} given back" if back else told


def _counted_in_groups(used: StageMachine, found: Here, substitute: Machine | None, factor: Decimal | None) -> str:
    if substitute is not None and factor is not None:
        return f"{_scores(found.scores, 'is', 'are')} ranked on {substitute.name}, times {shown_factor(factor)}"
    matches = f"{found.matches} match{'' if found.matches == 1 else 'es'}"
    alone = f"{found.scores} {used.stage.spec.alone}{'' if found.scores == 1 else 's'}"
    return f"{alone} and {matches} played on it count as they are, no new game starts"


def _returned(facts: StageFacts, used: StageMachine, played: list[Played]) -> int:
    """How many games on a machine are given back once it is withdrawn, of those that were `played` or stay on it."""
    gone = tuple(m._replace(state=MachineState.CANCELLED) for m in facts.machines if m.id == used.machine_id)
    return sum(len(games) for games in returned(replace(facts, machines=gone, played=tuple(played))).values())


def _scores(number: int, one: str, more: str) -> str:
    return f"{number} score {one}" if number == 1 else f"{number} scores {more}"


def _games(number: int) -> str:
    return "1 game" if number == 1 else f"{number} games"


def _median(values: list[int]) -> int | None:
    return int(median(values)) if values else None


def read_factor(typed: str) -> Decimal:
    """The factor a person typed; raises `Refusal` with the reason."""
    text = typed.strip().replace(",", ".")
    try:
        factor = Decimal(text)
    except InvalidOperation as error:
        raise Refusal(f"“{typed}” is not a factor; type for example 0.8.", field="factor") from error
    if not factor.is_finite() or not 0 < factor <= LARGEST_FACTOR or factor != round(factor, 6):
        raise Refusal(
            f"A factor is above 0, at most {LARGEST_FACTOR:,}, and has at most six decimals.", field="factor"
        )
    return factor


def _check(used: StageMachine, way: str, substitute: Machine | None, factor: Decimal | None) -> None:
    stage, machine = used.stage, used.machine
    if way not in WAYS:
        raise Refusal("Say how the machine is withdrawn: cancel, let stand or rescale.", field="way")
    if stage.state == Stage.State.CLOSED:
        raise Refusal(f"{stage.label} is closed.")
    if not may_be_withdrawn(used) or (used.state != State.OPEN and way != State.RESCALED):
        raise Refusal(f"{machine} is {used.get_state_display()} already; take that back first.")
    stands_in = StageMachine.objects.filter(stage=stage, substitute=machine).select_related("machine").first()
    if stands_in:
        raise Refusal(f"{machine} stands in for {stands_in.machine}; take that back first.")
    if way == State.CANCELLED and stage.spec.matches:
        raise Refusal(
            f"In the {stage.label.lower()} a game cannot be given back by cancelling; let the scores stand, rescale"
            " them, or have the matches played again."
        )
    if way == State.RESCALED:
        _check_rescaling(used, substitute, factor)
    if way == State.LET_STAND and substitute:
        raise Refusal("Scores that stand need no substitute.", field="substitute")
    if substitute:
        _check_substitute(used, substitute)


def _check_rescaling(used: StageMachine, substitute: Machine | None, factor: Decimal | None) -> None:
    if used.stage.spec.grouped and not _played_alone(used):
        raise Refusal(
            f"Both scores of a match are made on {used.machine}: a factor changes nothing. Let the scores stand.",
            field="way",
        )
    if substitute is None or factor is None:
        raise Refusal("Rescaling needs a substitute and a factor.", field="substitute")
    read_factor(str(factor))


def _check_substitute(used: StageMachine, substitute: Machine) -> None:
    if substitute.pk == used.machine_id:
        raise Refusal("A machine cannot stand in for itself.", field="substitute")
    if substitute.show_id != used.stage.tournament.show_id:
        raise Refusal(f"{substitute} is not a machine of {used.stage.tournament.show}.", field="substitute")
    if not Machine.objects.get(pk=substitute.pk).in_order:
        raise Refusal(f"{substitute} is out of order.", field="substitute")
    other = StageMachine.objects.filter(stage=used.stage, machine=substitute).first()
    if other and other.state != State.OPEN:
        raise Refusal(f"{substitute} is {other.get_state_display()}.", field="substitute")


def _refuse_lost_games(used: StageMachine) -> None:
    """In matches a game cannot be given back, so nobody may have a game on the substitute beside the one rescaled."""
    stage = used.stage
    if used.state != State.RESCALED or not stage.spec.matches:
        return
    read = selectors.stage_facts(stage)
    lost = {game.entry for game in read.facts.played if game.machine == used.machine_id}
    if lost:
        raise Refusal(
            f"{used.substitute} has been played in the {stage.label.lower()} by {read.facts.names(tuple(lost))}, who"
            " would lose a game; choose another substitute or let the scores stand.",
            field="substitute",
        )


def _told(used: StageMachine) -> str:
    words = {
        State.CANCELLED: "its scores leave the ranking and the games are given back",
        State.LET_STAND: "its scores stand and no new games start",
        State.RESCALED: "its scores are rescaled",
    }[State(used.state)]
    if used.substitute and used.factor is not None:
        return f"{words}, times {shown_factor(used.factor)} on {used.substitute.name}"
    return f"{words}; {used.substitute.name} stands in" if used.substitute else words
