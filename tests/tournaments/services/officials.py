"""Officials who rule on anything by chance, and what they rule on."""

from tests import factories
from tournaments import selectors
from tournaments.domain.refusals import Refusal
from tournaments.models import Entry, Match, Score, Stage, StageMachine
from tournaments.services import entries, game_rulings, progress, rulings, withdrawn


class Officials:
    """People who rule on anything by chance; a refusal is theirs to live with."""

    def __init__(self, world, random):
        self.world, self.random = world, random

    def score(self):
        return self.random.choice(list(Score.objects.order_by("pk").select_related("stage__tournament")))

    def on_score(self):
        score, kind = self.score(), self.random.choice(game_rulings.ON_SCORES)
        value = self.random.randrange(20) * 500
        return lambda shown: game_rulings.rule_on_score(
            score, actor=None, kind=kind, reason="seen", seen=score.revision, value=value, shown=shown
        )

    def disqualify(self):
        entry = self.random.choice(self.world.entries)
        return lambda shown: entries.disqualify(Entry.objects.get(pk=entry.pk), actor=None, reason="rude", shown=shown)

    def no_shows(self):
        chosen = self.random.sample(self.world.entries, 2)
        return lambda shown: game_rulings.withdraw_no_shows(chosen, actor=None, reason="not here", shown=shown)

    def machine(self):
        used = self.random.choice(list(StageMachine.objects.select_related("stage__tournament").order_by("pk")))
        way = self.random.choice(list(withdrawn.WAYS))
        substitute = None if way == StageMachine.State.LET_STAND else self.random.choice(self.world.machines)
        factor = withdrawn.read_factor("0.75") if way == StageMachine.State.RESCALED else None
        return lambda shown: withdrawn.withdraw_machine(
            used, actor=None, way=way, reason="broken", substitute=substitute, factor=factor, shown=shown
        )

    def out_of_match(self):
        match = self.match()
        entry = self.random.choice(list(match.sides.order_by("rank"))).entry_id
        return lambda shown: game_rulings.disqualify_from_match(
            match, actor=None, entry=entry, reason="shouted", shown=shown
        )

    def play_again(self):
        match, machine = self.match(), self.random.choice([None, *self.world.machines])
        return lambda shown: game_rulings.play_again(match, actor=None, reason="stuck", machine=machine, shown=shown)

    def play_off(self):
        tie, stage = self.tie()
        values = {entry: self.random.randrange(1, 4) for entry in tie}
        return lambda shown: rulings.record_play_off(stage, actor=None, scores=values, shown=shown)

    def order(self):
        tie, stage = self.tie()
        order = self.random.sample(tie, len(tie))
        return lambda shown: rulings.rule_order(stage, actor=None, order=order, reason="a coin", shown=shown)

    def tie(self):
        """Who is level at a cut or in a game, and where; of a cut that is settled who was."""
        ties = []
        for stage in Stage.objects.exclude(state="planned").select_related("tournament__show").order_by("position"):
            if stage.spec.ranked:
                read = selectors.stage_facts(stage, decisions=self.random.random() < 0.5)
                ties += [(sorted(read.cut.level), stage)] if read.cut.level else []
            else:
                found = [tie for contest in progress.outcomes(stage) for tie in contest.outcome.play_offs]
                ties += [(sorted(tie.entries), stage) for tie in found]
        if not ties:
            raise Refusal("Nobody is level.")
        return self.random.choice(ties)

    def match(self):
        return self.random.choice(list(Match.objects.select_related("stage__tournament").order_by("pk")))


IN_QUALIFYING = [Officials.on_score] * 4 + [Officials.disqualify, Officials.no_shows, Officials.machine]
IN_MATCHES = [Officials.on_score] * 3 + [Officials.out_of_match, Officials.play_again, Officials.disqualify]
AT_THE_CUT = [Officials.play_off, Officials.order]
IN_MATCHES_WITH_TIES = [*IN_MATCHES[2:], *AT_THE_CUT]


def in_qualifying(random):
    world = factories.qualifying(players=7, stock=5, rules={"qualifiers": 4})
    for entry in world.entries[:6]:
        for machine in random.sample(world.machines, 3):
            factories.play(world.stage, entry, machine, random.randrange(1, 9) * 1_000)
    return world


def in_the_semi_finals(random):
    world = factories.seated()
    for match in factories.dealt(world, "semi-finals"):
        factories.scored(match, *(random.randrange(1, 5) * 1_000 for _ in range(4)))
    return world


def level_at_the_cut(random):
    """Four are level for the last two places of eight."""
    world = factories.qualifying(format="classic", players=11, stock=4, rules={"qualifiers": 8})
    values = [1_000, 900, 800, 700, 600, 500, *[400] * 4, 100]
    return factories.closed(world, [[value] for value in values])


def level_in_the_semi_finals(random):
    """Both games have two players level for the last place that goes on."""
    world = factories.seated()
    for match in factories.dealt(world, "semi-finals"):
        factories.scored(match, 4_000, 2_000, 2_000, 1_000)
    return world
