"""Whatever was ruled on a match can be undone, however far its game has gone since, by the steps the refusals name."""

from contextlib import suppress
from random import Random

import pytest
from django.db import transaction

from tests import factories
from tests.teams.evening import Evening
from tests.tournaments.services.course import again, play_semi_finals, stage
from tests.tournaments.services.games import seen
from tests.tournaments.services.ways_back import DONE_BY, undo_step_by_step
from tournaments.domain.refusals import STEPS, Refusal
from tournaments.models import Match, Ruling, Score
from tournaments.services import exchange, game_rulings, matches, redraw, redrawing, rulings, scores, stages

pytestmark = pytest.mark.django_db


class Table:
    """People who do anything to one match; what is refused is not done."""

    def __init__(self, match, random):
        self.match, self.random = match, random

    def side(self):
        return self.random.choice(list(self.match.sides.order_by("rank"))).entry_id

    def now(self):
        return again(self.match)

    def call(self):
        matches.call(self.now(), actor=None)

    def warm_up(self):
        matches.warm_up(self.now(), actor=None)

    def play(self):
        matches.play(self.now(), actor=None)

    def choose(self):
        matches.choose(self.now(), actor=None, entry=self.side(), position=self.random.randrange(1, 3))

    def score(self):
        value = self.random.randrange(1, 9) * 1_000
        agreed = self.random.random() < 0.5
        matches.record(self.now(), actor=None, entry=self.side(), value=value, sure=value, agreed=agreed)

    def all_scores(self):
        for side in self.match.sides.order_by("rank"):
            with suppress(Refusal):
                value = self.random.randrange(1, 9) * 1_000
                matches.record(self.now(), actor=None, entry=side.entry_id, value=value, sure=value)

    def second_result(self):
        score = self.live()
        game = {"entry": score.entry, "machine": score.machine}
        scores.put_aside(score.stage, actor=None, value=self.random.randrange(9, 19) * 1_000, **game)

    def stay_away(self):
        matches.absent(self.now(), actor=None, entry=self.side(), reason="gone home")

    def come_back(self):
        matches.absent(self.now(), actor=None, entry=self.side(), reason="back", away=False)

    def break_off(self):
        redraw.break_off(self.now(), actor=None, reason="stuck")

    def live(self):
        found = Score.objects.filter(match=self.match).select_related("stage__tournament", "entry", "machine")
        live = list(found.order_by("pk"))
        if not live:
            raise Refusal("There is no score.")
        return self.random.choice(live)

    def void(self):
        scores.void(self.live(), actor=None, seen=seen(self.live()), reason="misread")

    def undo(self):
        score = self.live()
        scores.undo(score, actor=None, seen=seen(score))

    def restore(self):
        score = self.live()
        scores.restore(score, actor=None, seen=seen(score))

    def correct(self):
        score = self.live()
        scores.correct(score, actor=None, seen=seen(score), reason="misread", value=7_500, sure=7_500)

    def close(self):
        stages.close_stage(self.now().stage, actor=None)

    def zero(self):
        score = self.live()
        kind = self.random.choice(["zero", "discarded", "stopped", "slam-tilt"])
        game_rulings.rule_on_score(score, actor=None, kind=kind, reason="seen", seen=seen(score))

    def disqualify(self):
        game_rulings.disqualify_from_match(self.now(), actor=None, entry=self.side(), reason="shouted")

    def replay(self):
        spare = self.match.stage.tournament.show.machines.order_by("code")
        machine = self.random.choice([None, *spare])
        game_rulings.play_again(self.now(), actor=None, reason="stuck", machine=machine)

    def draw_again(self):
        """Its machine has died, and the match has another one, or a match that is another one."""
        stage = self.now().stage
        spare = self.random.choice([None, *redrawing.substitutes(stage)])
        redraw.publish(stage, actor=None, out={self.now().machine_id: spare and spare.pk}, reason="it died")


STEPS_OF_A_GAME = (Table.call, Table.warm_up, Table.play, Table.choose, Table.score, Table.all_scores)
RULED = (Table.disqualify, Table.replay, Table.zero)
ANYTHING = (
    *STEPS_OF_A_GAME,
    *STEPS_OF_A_GAME,
    *RULED,
    Table.second_result,
    Table.stay_away,
    Table.come_back,
    Table.break_off,
    Table.void,
    Table.undo,
    Table.restore,
    Table.correct,
    Table.close,
)


def tried(table, act):
    """Do it, or leave it where it is refused; all of one act or nothing."""
    with suppress(Refusal), transaction.atomic():
        act(table)


def semi_final():
    world = factories.seated(stock=6)
    match, other = factories.dealt(world, "semi-finals")
    factories.scored(other, 400, 300, 200, 100)
    return match


def final():
    world = factories.seated(stock=6)
    factories.dealt(world, "semi-finals")
    play_semi_finals(world)
    stages.close_stage(stage(world, "semi-finals"), actor=None)
    return factories.dealt(world, "final")[0]


def second_round():
    world = factories.seated(format="open", players=8, qualifiers=8, stock=6)
    return factories.dealt(world, "second-round")[0]


def match_of_teams():
    evening = Evening(4)
    evening.begin(machines=6)
    return evening.match(1, 2)


WORLDS = (semi_final, final, second_round, match_of_teams)


def exported(match):
    """The tournament as a folder, without what is history: scores that are void, and machines that have no others."""
    files = {name: content.decode().splitlines() for name, content in exchange.dump(match.stage.tournament).items()}
    live = match.stage.matches.exclude(state="void").values_list("machine__code", flat=True)
    of_games = {f"{match.stage.key},{code},open,,," for code in live}
    of_nothing = [line for line in files["machine_states.csv"] if line.startswith(match.stage.key)]
    return {
        **files,
        "scores.csv": [line for line in files["scores.csv"] if ",void" not in line],
        "machine_states.csv": [
            line for line in files["machine_states.csv"] if line not in of_nothing or line in of_games
        ],
    }


def undo_all():
    """Take back everything in force, the oldest first: each is refused until what came later is undone."""
    while found := Ruling.objects.filter(undone_at=None).order_by("pk").first():
        undo_step_by_step(found)


def walks(begin, walk, times=8):
    """The same beginning with so many walks from it, each with chances of its own."""
    match = begin()
    for seed in range(times):
        with transaction.atomic():
            walk(Table(match, Random(seed)))
            transaction.set_rollback(True)


@pytest.mark.parametrize("begin", WORLDS)
def test_a_match_played_again_is_as_it_was_once_everything_since_is_undone_by_the_steps_named(begin):
    ended = []

    def walk(table):
        for _ in range(table.random.randrange(5)):
            tried(table, table.random.choice(STEPS_OF_A_GAME))
        before = exported(table.match)
        for act in table.random.choice(((Table.disqualify,), (Table.zero, Table.disqualify), ())):
            tried(table, act)
        tried(table, Table.replay)
        if not Ruling.objects.filter(kind="replayed").exists():
            return
        for _ in range(table.random.randrange(8)):
            tried(table, table.random.choice(ANYTHING))

        undo_all()

        assert exported(table.match) == before
        ended.append(table)

    walks(begin, walk)
    assert len(ended) > 1


@pytest.mark.parametrize("begin", WORLDS)
def test_whatever_is_done_to_a_match_in_whatever_order_each_ruling_has_a_way_back(begin):
    ruled = []

    def walk(table):
        for _ in range(14):
            tried(table, table.random.choice((*ANYTHING, *RULED, Table.draw_again)))
        ruled.extend(Ruling.objects.filter(undone_at=None))

        undo_all()

        for side in table.match.sides.all():
            discarded = Score.objects.filter(match=table.match, entry=side.entry, state="discarded")
            assert not discarded.exists(), "a ruling was taken back and the score is still out"

    walks(begin, walk)
    assert len(ruled) > 8


def test_each_step_that_a_refusal_may_name_has_a_way_to_be_done():
    assert set(DONE_BY) == set(STEPS)


def test_the_disqualification_comes_back_after_the_replay_and_the_replay_after_its_game():
    match = semi_final()
    first, *others = (side.entry_id for side in match.sides.order_by("rank"))
    factories.scored(match, 400, 300, 200, 100)
    out = game_rulings.disqualify_from_match(again(match), actor=None, entry=first, reason="shouted")
    game_rulings.play_again(again(match), actor=None, reason="ball trap")
    matches.call(again(match), actor=None)
    matches.play(again(match), actor=None)
    matches.record(again(match), actor=None, entry=others[0], value=50, sure=50)

    told = undo_step_by_step(out)

    assert [sentence.split(": ")[-1].split("; ")[-1] for sentence in told] == [
        "take that back first.",
        "make that score void first.",
        "break the match off first.",
    ]
    assert again(match).state == Match.State.DONE
    assert list(Score.objects.filter(match=match, state="recorded").values_list("value", flat=True)) == [
        400,
        300,
        200,
        100,
    ]


def test_a_score_that_a_disqualification_took_out_is_not_made_void_behind_it():
    match = semi_final()
    taken = factories.scored(match, 400, 300, 200, 100)[0]
    out = game_rulings.disqualify_from_match(again(match), actor=None, entry=taken.entry_id, reason="shouted")

    with pytest.raises(Refusal, match="take that ruling back first"):
        scores.void(taken, actor=None, seen=seen(taken), reason="misread")
    with pytest.raises(Refusal, match="take that ruling back first"):
        scores.undo(taken, actor=None, seen=seen(taken))
    rulings.undo_ruling(out, actor=None, reason="on appeal")
    assert Score.objects.get(pk=taken.pk).state == "recorded"


def test_a_disqualification_in_a_final_that_goes_on_is_taken_back_whole():
    match = final()
    first = match.sides.order_by("rank")[0].entry_id
    out = game_rulings.disqualify_from_match(again(match), actor=None, entry=first, reason="shouted")
    matches.call(again(match), actor=None)

    rulings.undo_ruling(out, actor=None, reason="on appeal")

    assert not match.sides.get(entry=first).absent
