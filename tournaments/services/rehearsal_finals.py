"""A rehearsal from the first cut on: draws, matches, ties played off, results; all through the services."""

from collections.abc import Iterable, Mapping, Sequence
from random import Random

from tournaments import formats, selectors
from tournaments.domain.refusals import NeedsDecision
from tournaments.models import Machine, Match, Side, Stage, Tournament
from tournaments.services import matches, results, rulings, shows, stages
from tournaments.services.rehearsal_hall import Kind, believable
from tournaments.services.rehearsal_rulings import warn_in

LEVEL_IN_A_GAME = 0.3
"""How often the middle two of a game of four end level, so that there is something to play off."""
TIE = "tie"


class Finals:
    """What comes after the first stage of one tournament, which is closed."""

    def __init__(
        self,
        tournament: Tournament,
        random: Random,
        seed: int,
        hall: Sequence[tuple[Machine, Kind]],
        skills: Mapping[int, float],
    ) -> None:
        self.tournament, self.random, self.seed, self.skills = tournament, random, seed, skills
        self.hall = [machine for machine, _ in hall]
        self.kinds = {machine.pk: kind for machine, kind in hall}
        stored = Stage.objects.select_related("tournament__show").filter(tournament=tournament)
        self.stages = list(stored.order_by("position"))

    def play_until(self, key: str) -> None:
        """Play on to the end of a stage; its cut is left to be declared, and after the last one are the results."""
        for stage, following in zip(self.stages, [*self.stages[1:], None], strict=True):
            if stage.spec.matches and self._open(stage):
                self._play(stage)
            if stage.key == key:
                break
            if following and stage.spec.ranked:
                self._declare_cut(stage)
        if key == self.stages[-1].key:
            results.declare(self.tournament, actor=None)

    def stop_in_the_first_games(self) -> None:
        """The first stage of single games has begun: one is being played, the next one warms up."""
        here = next(stage for stage in self.stages if stage.spec.matches and not stage.spec.ranked)
        before = self.stages[self.stages.index(here) - 1]
        self.play_until(before.key)
        self._declare_cut(before)
        if not self._open(here):
            return
        playing, *waiting = self.dealt(here)
        self._begin(playing, careful=True)
        for side in self.sides(playing)[::2]:
            self.record(playing, side, self.value(playing, side))
        warn_in(playing, self.sides(playing)[-1])
        for match in waiting[:1]:
            matches.call(match, actor=None)
            self._choose(match)
            matches.warm_up(match, actor=None)

    def _open(self, stage: Stage) -> bool:
        """Deal a stage and let play begin; not with fewer than two, whose places are clear without a game."""
        seats = stage.seats.count()
        if seats < 2:
            return False
        least, _ = stage.tournament.kind.machines_wanted(stage.key, seats)
        chosen = self.random.sample(self.hall, min(least, len(self.hall)))
        matches.deal(stage, actor=None, machines=sorted(chosen, key=lambda m: m.code), seed=self.seed)
        stages.open_stage(stage, actor=None)
        return True

    def _play(self, stage: Stage) -> None:
        """All matches in their order, then the play-offs that close the stage."""
        for match in self.dealt(stage):
            self._begin(match, careful=match.round == 1)
            sides = self.sides(match)
            for side, value in zip(sides, self._values(match, sides), strict=True):
                self.record(match, side, value)
        self.close(stage)

    def close(self, stage: Stage) -> None:
        """End a stage; what is level is played off first."""
        while True:
            try:
                stages.close_stage(stage, actor=None)
            except NeedsDecision as tie:
                self._play_off(stage, tie)
            else:
                return

    def dealt(self, stage: Stage) -> list[Match]:
        """The matches of a stage in their order."""
        found = stage.matches.exclude(state=Match.State.VOID).select_related("machine", "stage__tournament__show")
        return list(found.order_by("round", "order"))

    def sides(self, match: Match) -> list[Side]:
        """Who is in a match, in the order of choosing."""
        return list(match.sides.select_related("entry__tournament", "entry__player").order_by("rank"))

    def _begin(self, match: Match, *, careful: bool) -> None:
        """Call and start a match; in the first games the positions chosen and the warm-up are noted too."""
        matches.call(match, actor=None)
        if careful:
            self._choose(match)
            matches.warm_up(match, actor=None)
            matches.swap(match, actor=None)
        matches.play(match, actor=None)

    def _choose(self, match: Match) -> None:
        """Whoever ranks better likes to play last, as most do."""
        sides = self.sides(match)
        free = list(range(1, len(sides) + 1))
        for side in sides:
            position = free.pop(-1 if self.random.random() < 0.8 else 0)
            matches.choose(match, actor=None, entry=side.entry_id, position=position)

    def record(self, match: Match, side: Side, value: int) -> None:
        """A score that is agreed."""
        matches.record(match, actor=None, entry=side.entry_id, value=value, sure=value, agreed=True)

    def _values(self, match: Match, sides: Sequence[Side]) -> list[int]:
        """The scores of a match; the second and the third of four are level now and then."""
        values = [self.value(match, side) for side in sides]
        if len(values) > 3 and self.random.random() < LEVEL_IN_A_GAME:
            _, second, third, *_ = sorted(values, reverse=True)
            values[values.index(third)] = second
        return values

    def value(self, match: Match, side: Side) -> int:
        """A score that this entry may well reach there."""
        return believable(self.kinds[match.machine_id], self.skills[side.entry_id], self.random)

    def _declare_cut(self, stage: Stage) -> None:
        """Freeze who goes on; of too few for the next stage as many as it takes, or without it."""
        self._make_room(stage)
        try:
            stages.declare_cut(stage, actor=None, chance=self.random)
        except NeedsDecision as tie:
            self._play_off(stage, tie)
            stages.declare_cut(stage, actor=None, chance=self.random)

    def _make_room(self, stage: Stage) -> None:
        read = selectors.stage_facts(stage)
        many, kind = len(read.cut.inside), stage.tournament.kind
        following = formats.main_stage_after(kind.stages, stage.spec)
        if not many or read.cut.level or following is None:
            return
        if formats.stages_too_many(kind.stages, stage.spec, many):
            stages.leave_out(stage, actor=None, reason=f"Only {many} have come.")
        elif not following.playable_by(many) and following.playable_by(many - 1):
            fewer = {**self.tournament.rules, "qualifiers": many - 1}
            shows.change_rules(self.tournament, actor=None, rules=fewer, reason=f"{many} is no even number.")
            stage.tournament.refresh_from_db()

    def _play_off(self, stage: Stage, tie: NeedsDecision) -> None:
        """Those level play one more game on a machine of the hall."""
        if tie.settle != TIE:
            raise tie
        machine = self.random.choice(self.hall)
        scores = self._different(self.kinds[machine.pk], tie.about)
        rulings.record_play_off(stage, actor=None, scores=scores, note=f"On {machine.name}.")

    def _different(self, kind: Kind, entries: Iterable[int]) -> dict[int, int]:
        scores: dict[int, int] = {}
        for entry in sorted(entries, key=lambda entry: self.skills[entry]):
            value = believable(kind, self.skills[entry], self.random)
            while value in scores.values():
                value += 10
            scores[entry] = value
        return scores
