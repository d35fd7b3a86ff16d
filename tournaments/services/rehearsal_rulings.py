"""What goes wrong on any day, so that a rehearsal has it too: rulings, a broken machine, a disputed result."""

from collections.abc import Callable, Sequence
from random import Random

from tournaments import selectors
from tournaments.models import Machine, Match, Ruling, Score, Side, Stage, StageMachine
from tournaments.services import game_rulings, incidents, rulings, scores, withdrawn

ENOUGH = 40
"""With fewer scores than this nobody would believe so many mishaps."""

Kind = Ruling.Kind


class Mishaps:
    """The mishaps of one stage of solo games, on scores chosen by the rehearsal's own chance."""

    def __init__(
        self, stage: Stage, recorded: Sequence[Score], random: Random, replayed: Callable[[Score], int]
    ) -> None:
        """`replayed` is what somebody scores who plays a game again."""
        self.stage, self.replayed, self.random = stage, replayed, random
        self.chosen = iter(random.sample(list(recorded), min(len(recorded), 8)))
        self.few = len(recorded) < ENOUGH

    def of_a_day(self) -> None:
        """A fault, an extra ball, a warning, a machine that is repaired, and one that comes back after all."""
        if self.few:
            return
        self._repaired(self._rule(next(self.chosen), Kind.EXTRA_BALL_80, "Played ball 4 of 3 to its end.").machine)
        self._stopped(next(self.chosen))
        warned = next(self.chosen)
        game_rulings.warn(warned.entry, actor=None, reason="Hit the glass after the last ball.")
        self._rule(next(self.chosen), Kind.PLAYED_ON, "A ball stuck behind the drop targets; it was nudged free.")
        self._settled(next(self.chosen))
        self._withdrawn_and_back()

    def of_a_rescaled_machine(self) -> None:
        """One machine dies for good: its scores are ranked on another, by the factor of their medians."""
        if self.few:
            return
        dead, other = self.random.sample(self._used(), 2)
        values = selectors.values_by_machine(dead.stage)
        of, onto = (values.get(used.machine_id, []) for used in (dead, other))
        factor = withdrawn.propose_factor(of, onto).factor
        if factor is None:
            return
        withdrawn.withdraw_machine(
            dead,
            actor=None,
            way=StageMachine.State.RESCALED,
            substitute=other.machine,
            factor=factor,
            reason="The power supply burnt out and no other is at hand.",
        )

    def _used(self) -> list[StageMachine]:
        used = StageMachine.objects.filter(stage=self.stage).select_related("machine", "stage__tournament__show")
        return list(used.order_by("machine__code"))

    def _rule(self, score: Score, kind: str, reason: str) -> Score:
        stored = Score.objects.select_related("stage__tournament", "entry__player", "machine").get(pk=score.pk)
        game_rulings.rule_on_score(stored, actor=None, kind=kind, reason=reason, seen=stored.revision)
        return stored

    def _stopped(self, score: Score) -> None:
        """A fault ended the game; it was played again on the same machine once that was repaired."""
        stopped = self._rule(score, Kind.STOPPED, "The ball got stuck under the playfield; the game was reset.")
        value = self.replayed(stopped)
        scores.record(
            self.stage,
            actor=None,
            entry=stopped.entry,
            machine=stopped.machine,
            value=value,
            sure=value,
            state=Score.State.AGREED,
            at=stopped.taken_at,
        )

    def _settled(self, score: Score) -> None:
        first = Score.objects.select_related("entry__player", "machine").get(pk=score.pk)
        waiting = scores.put_aside(
            self.stage,
            actor=None,
            entry=first.entry,
            machine=first.machine,
            value=(first.value or 0) + 10,
            source="tablet",
            at=first.taken_at,
        ).score
        scores.settle(waiting, actor=None, keep_waiting=False, reason="The photo of the display shows the slip's.")

    def _repaired(self, machine: Machine) -> None:
        incident = incidents.report(machine, actor=None, what="The left flipper is weak.")
        incidents.repaired(incident, actor=None, what="Coil sleeve changed.")

    def _withdrawn_and_back(self) -> None:
        used = self.random.choice(self._used())
        ruling = withdrawn.withdraw_machine(
            used, actor=None, way=StageMachine.State.LET_STAND, reason="The display has gone dark."
        )
        rulings.undo_ruling(ruling, actor=None, reason="Only a fuse; it plays again.")


def warn_in(match: Match, side: Side) -> None:
    """A warning in a match that is being played."""
    reason = "Talked to the opponent during a ball."
    game_rulings.warn(side.entry, actor=None, reason=reason, match=match)
