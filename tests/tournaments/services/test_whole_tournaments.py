"""Whole tournaments by chance, with ties, leavers, corrections and empty seats, from the first slip to the results.

After every act each stage holds the right number of different players; in the end everybody has one place or a reason.
"""

from itertools import groupby
from random import Random

import pytest

from tests import factories
from tests.tournaments.services.course import again
from tests.tournaments.services.games import seen
from tournaments.domain.facts import Standing
from tournaments.domain.refusals import NeedsDecision
from tournaments.models import Entry, FinalPlace, Match, Score, Side, Stage
from tournaments.services import entries, matches, results, rulings, scores, stages

pytestmark = pytest.mark.real_fields

SEMI, FINAL, FIFTH, ROUND = "semi-finals", "final", "play-off", "second-round"
FEW = [number * 1_000 for number in range(1, 6)]
"""So few different scores that people are level all the time."""


class Day:
    """A tournament run by careless people: who leaves, what is misread and who is level is all chance."""

    def __init__(self, format, seed, players, qualifiers, stock):
        self.random = Random(f"{format} {seed}")
        self.qualifiers = qualifiers
        self.world = factories.qualifying(
            format=format, players=players, stock=stock, rules={"qualifiers": qualifiers}
        )
        self.tournament = self.world.tournament
        self.begun = None

    def play(self):
        self.play_qualifying()
        self.cut("qualifying")
        if self.world.tournament.format == "open":
            self.play_stage(ROUND)
            self.cut(ROUND)
        self.play_stage(SEMI)
        for key in self.random.choice([(FIFTH, FINAL), (FINAL, FIFTH)]):
            self.play_stage(key)
        results.declare(self.tournament, actor=None)

    # Qualifying and the cuts

    def play_qualifying(self):
        for entry in self.world.entries[1:]:
            for machine in self.random.sample(self.world.machines, self.random.choice([1, 2, 2])):
                factories.play(self.world.stage, entry, machine, self.random.choice(FEW))
        leaves, cheats = self.random.sample(self.world.entries[1:], 2)
        entries.withdraw(leaves, actor=None, reason="ill")
        entries.disqualify(cheats, actor=None, reason="kicked the machine")
        stages.close_stage(self.world.stage, actor=None)

    def cut(self, key):
        """Declare a cut; now and then somebody leaves before the draw, and everybody moves up."""
        self.declare_cut(key)
        if self.chance(0.5):
            leaver = self.seated(self.following(key))
            stages.withdraw_cut(self.stage(key), actor=None, reason="one has to leave")
            entries.withdraw(self.random.choice(leaver), actor=None, reason="had to leave")
            self.declare_cut(key)

    def declare_cut(self, key):
        while not self.settled(lambda: stages.declare_cut(self.stage(key), actor=None, chance=self.random), key):
            pass
        go_on = self.tournament.kind.go_on(key, self.tournament.rules_in_force)
        assert len(self.seated(self.following(key))) == go_on

    def settled(self, act, key):
        """Whether an act was done; when a tie stood in its way, that is settled instead, or played off level."""
        try:
            act()
        except NeedsDecision as tie:
            if tie.settle != "tie":
                raise
            order = self.random.sample(tie.about, len(tie.about))
            if self.chance(0.3):
                rulings.rule_order(self.stage(key), actor=None, order=order, reason="the organisers say so")
                return False
            best = 7 if self.chance(0.3) else 0
            scores_of = {entry: max(best, place) for place, entry in enumerate(order)}
            rulings.record_play_off(self.stage(key), actor=None, scores=scores_of)
            return False
        return True

    # A stage of matches

    def play_stage(self, key):
        least, _ = self.tournament.kind.machines_wanted(key, len(self.seated(key)))
        machines = self.random.sample(self.world.machines, least)
        matches.deal(self.stage(key), actor=None, machines=machines)
        if key in (ROUND, SEMI) and self.chance(0.5):
            self.replace(key)
        if key in (FINAL, FIFTH) and self.begun is None and self.chance(0.5):
            self.misread(SEMI)
            self.finish(SEMI)
        stages.open_stage(self.stage(key), actor=None)
        if key in (FINAL, FIFTH) and self.begun is None:
            self.begun = (self.seated(FINAL), self.seated(FIFTH))
            if self.chance(0.5):
                self.misread(SEMI)
                self.finish(SEMI)
        trouble = self.random.sample([self.leave, self.misread, self.void, self.undo, self.cheat, self.late], 3)
        self.record_all(key, trouble)
        self.finish(key, close=key != SEMI)

    def record_all(self, key, trouble=()):
        """Every score that is still to come, in any order, with something going wrong in between."""
        self.mark_leavers(key)
        waiting = list(trouble)
        while missing := self.missing(key):
            match, entry = self.random.choice(missing)
            value = self.random.choice(FEW)
            matches.record(match, actor=None, entry=entry, value=value, sure=value)
            if key != ROUND:
                self.check()
            if waiting and self.chance(0.25):
                waiting.pop()(key)
                self.mark_leavers(key)
                self.check()

    def finish(self, key, close=False):
        """Record what a correction left open and settle every tie."""
        self.record_all(key)
        while not self.settled(lambda: stages.close_stage(self.stage(key), actor=None), key):
            self.check()
        if not close:
            stages.reopen_stage(self.stage(key), actor=None, reason="a score may have been misread")
        self.check()

    def missing(self, key):
        """(match, entry) of every score to come in the games that are open."""
        stage = self.stage(key)
        scored = set(self.live(key).values_list("match_id", "entry_id"))
        sides = Side.objects.filter(match__stage=stage, match__round__lte=stage.open_round, absent=False)
        sides = sides.exclude(match__state=Match.State.VOID).exclude(entry__status=Entry.Status.DISQUALIFIED)
        found = sides.select_related("match__stage__tournament__show", "match__machine").order_by("match", "rank")
        return [(side.match, side.entry_id) for side in found if (side.match_id, side.entry_id) not in scored]

    # What goes wrong

    def replace(self, key):
        """Somebody leaves after the draw and the next in the original order comes in."""
        leaver = self.random.choice(self.seated(key))
        entries.withdraw(leaver, actor=None, reason="had to leave")
        others = Entry.objects.filter(tournament=self.tournament, scores__state="recorded").distinct()
        others = others.exclude(seats__stage=self.stage(key)).order_by("number")
        free = [entry for entry in others if entry.standing == Standing.IN]
        if free:
            comes = self.random.choice(free)
            matches.replace_seat(self.stage(key), actor=None, entry=leaver.pk, by=comes.pk, reason="had to leave")
        self.check()

    def leave(self, key):
        """Somebody leaves in the middle of it; the seat stays empty."""
        staying = [entry for entry in self.seated(key) if entry.standing == Standing.IN]
        entries.withdraw(self.random.choice(staying), actor=None, reason="the last train")

    def mark_leavers(self, key):
        for side in Side.objects.filter(match__stage=self.stage(key), entry__status=Entry.Status.WITHDRAWN):
            if not self.live(key).filter(match=side.match, entry=side.entry).exists():
                matches.absent(again(side.match), actor=None, entry=side.entry_id, reason="has left")

    def late(self, key):
        """Somebody is marked as absent and turns up after all."""
        for match, entry in self.missing(key)[:1]:
            matches.absent(match, actor=None, entry=entry, reason="not here")
            self.check()
            matches.absent(match, actor=None, entry=entry, away=False, reason="was at the bar")

    def cheat(self, key):
        """Somebody is disqualified; half of them turn out to be innocent."""
        cheats = self.random.choice([entry for entry in self.seated(key) if entry.standing == Standing.IN])
        entries.disqualify(cheats, actor=None, reason="kicked the machine")
        self.check()
        if self.chance(0.5):
            entries.reinstate(cheats, actor=None, reason="it was somebody else")

    def misread(self, key):
        for score in self.some_score(key):
            scores.correct(
                score, actor=None, seen=seen(score), reason="misread", value=score.value + 500, sure=score.value + 500
            )
        self.check()

    def void(self, key):
        for score in self.some_score(key):
            scores.void(score, actor=None, seen=seen(score), reason="the wrong player")

    def undo(self, key):
        """An undo, and half the time an undo of the undo."""
        for score in self.some_score(key):
            scores.undo(score, actor=None, seen=seen(score))
            self.check()
            if self.chance(0.5):
                scores.undo(score, actor=None, seen=seen(score))

    def some_score(self, key):
        live = list(self.live(key).select_related("stage__tournament__show").order_by("entry__number", "match__round"))
        return [self.random.choice(live)] if live else []

    # What must hold

    def check(self):
        """The seats that games decide: nobody twice, nobody half, and nobody moved once one of the games has begun."""
        final, fifth, semi = (set(self.seated(key)) for key in (FINAL, FIFTH, SEMI))
        assert not final & fifth
        if self.begun:
            assert (self.seated(FINAL), self.seated(FIFTH)) == self.begun
        elif final | fifth:
            assert final | fifth == {entry for entry in semi if entry.standing != Standing.DISQUALIFIED}
            assert len(final) == sum(min(2, self.played(match)) for match in factories.matches(self.world, SEMI))
        for key in (FINAL, FIFTH):
            for match in factories.matches(self.world, key):
                assert [side.entry for side in match.sides.order_by("rank")] == self.seated(key)

    def played(self, match):
        """How many of a match have a score that counts."""
        counted = Score.objects.filter(match=match, state__in=Score.COUNTED)
        return counted.exclude(entry__status=Entry.Status.DISQUALIFIED).count()

    def check_results(self):
        rows = list(FinalPlace.objects.filter(tournament=self.tournament).select_related("entry"))
        assert sorted(row.entry_id for row in rows) == sorted(entry.pk for entry in self.world.entries)
        for row in rows:
            out = row.entry.standing == Standing.DISQUALIFIED
            never = not row.entry.scores.filter(state__in=Score.COUNTED).exists()
            assert (row.place is None) == (out or never)
            assert row.place or row.why == ("disqualified" if out else "did not play")
        placed = [row for row in rows if row.place]
        before = 0
        for place, same in groupby(placed, key=lambda row: row.place):
            level = list(same)
            assert place == before + 1
            assert {row.shared for row in level} == {len(level) > 1}
            before += len(level)
        order = [self.layer(row.entry) for row in placed]
        assert order == sorted(order)

    def layer(self, entry):
        """How far somebody got, the lower the further; who played nothing of the second round did not get there."""
        for far, key in enumerate((FINAL, FIFTH, SEMI)):
            if entry.seats.filter(stage__key=key).exists():
                return far
        return 3 if entry.scores.filter(stage__key=ROUND, state__in=Score.COUNTED).exists() else 4

    # Looking things up

    def chance(self, likely):
        return self.random.random() < likely

    def stage(self, key):
        return factories.stage(self.tournament, key)

    def following(self, key):
        return stages.next_stage(self.stage(key)).key

    def seated(self, key):
        return list(Entry.objects.filter(seats__stage__key=key, tournament=self.tournament).order_by("seats__seed"))

    def live(self, key):
        return Score.objects.filter(stage=self.stage(key), state__in=Score.LIVE)


@pytest.mark.parametrize(
    ("format", "seed", "players", "qualifiers", "stock"),
    [
        ("open", 1, 30, 24, 12),
        *[("classic", seed, 14, 8, 3) for seed in range(1, 4)],
        *[("kids", seed, 14, 8, 3) for seed in range(1, 3)],
    ],
)
def test_every_stage_has_the_right_players_and_everybody_ends_in_one_place(format, seed, players, qualifiers, stock):
    day = Day(format, seed, players, qualifiers, stock)

    day.play()

    day.check_results()
    assert not Stage.objects.filter(tournament=day.tournament).exclude(state="closed").exclude(key=SEMI).exists()
