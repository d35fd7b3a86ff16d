"""Through is for good and out is for good, whatever is played: tried on random stages and random ways to go on."""

from collections import Counter
from dataclasses import replace
from itertools import combinations_with_replacement, pairwise
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.tournaments.domain import stage as written
from tests.tournaments.domain.random_stage import (
    RULES,
    games_left,
    played_on,
    possible_games,
    random_facts,
    relabelled,
)
from tournaments.domain.advancement import Status, cut, seeding
from tournaments.domain.facts import Decision, Phase, Played, QualifyingRules, Standing
from tournaments.domain.points import scale
from tournaments.domain.refusals import NeedsDecision
from tournaments.domain.standings import tabulate

SEEDS = st.integers(0, 2**32)
QUALIFIERS = st.integers(1, 4)
TRIALS = settings(max_examples=400)


def line(facts, rules, qualifiers):
    return cut(facts, tabulate(facts, rules), rules, qualifiers)


def having(status, facts, outlooks):
    """Entries of this status that are still in."""
    competing = {e.id for e in facts.entrants if e.standing == Standing.IN}
    return {entry for entry, outlook in outlooks.items() if outlook.status == status and entry in competing}


@TRIALS
@given(RULES, QUALIFIERS, SEEDS)
def test_through_is_never_lost_and_holds_in_the_end(rules, qualifiers, seed):
    facts = random_facts(rules, seed)
    lines = [(step, line(step, rules, qualifiers)) for step in played_on(facts, rules, Random(seed), leaving=True)]
    for (_, before), (facts_after, after) in pairwise(lines):
        still_in = {e.id for e in facts_after.entrants if e.standing == Standing.IN}
        lost = having(Status.THROUGH, facts, before.outlooks) & still_in - having(
            Status.THROUGH, facts_after, after.outlooks
        )
        assert not lost
        facts = facts_after
    last_facts, last = lines[-1]
    assert having(Status.THROUGH, last_facts, last.outlooks) == set(last.inside)


def test_the_random_stages_have_everything_that_a_ruling_can_make_of_a_stage():
    """What the properties here are tried on."""
    rules = QualifyingRules(games_allowed=3, games_counted=3, games_per_machine=1)
    stages = [random_facts(rules, seed) for seed in range(2_000)]

    assert sum(bool(facts.spent) for facts in stages) > 100
    assert sum(bool(facts.waiting) for facts in stages) > 100
    assert sum(bool(facts.notes) for facts in stages) > 50
    assert any(facts.spent and facts.waiting and facts.notes for facts in stages)


@TRIALS
@given(RULES, QUALIFIERS, SEEDS)
def test_who_is_out_never_comes_back_in_by_play(rules, qualifiers, seed):
    facts = random_facts(rules, seed)
    lines = [(step, line(step, rules, qualifiers)) for step in played_on(facts, rules, Random(seed), leaving=False)]
    for (facts_before, before), (facts_after, after) in pairwise(lines):
        assert having(Status.OUT, facts_before, before.outlooks) - set(gone(facts_after)) <= having(
            Status.OUT, facts_after, after.outlooks
        )
    for step_facts, step in lines:
        assert not having(Status.OUT, step_facts, step.outlooks) & {*lines[-1][1].inside, *lines[-1][1].level}


def test_a_game_under_way_on_a_rescaled_machine_may_better_the_one_that_was_carried_over():
    rules = QualifyingRules(games_allowed=2, games_counted=2)
    facts = written.stage(
        {"A": {"AFM": 50}, "B": {"AFM": 40, "MM": 1}}, machines=("AFM", "MM"), playing=[("B", "AFM")]
    )
    facts = replace(facts, phase=Phase.CLOSING)

    assert line(facts, rules, 1).outlooks[written.entry("A")].status != Status.THROUGH


def gone(facts):
    return [e.id for e in facts.entrants if e.standing != Standing.IN]


@TRIALS
@given(RULES, SEEDS)
def test_worst_totals_only_rise_and_best_totals_only_fall_until_they_meet(rules, seed):
    steps = played_on(random_facts(rules, seed), rules, Random(seed), leaving=True)
    lines = [(step, line(step, rules, 2).outlooks) for step in steps]
    for (_, before), (facts, after) in pairwise(lines):
        for entrant in facts.entrants:
            if entrant.standing == Standing.IN and entrant.id in before:
                assert before[entrant.id].worst <= after[entrant.id].worst
                assert before[entrant.id].best >= after[entrant.id].best
    facts, last = lines[-1]
    for row in tabulate(facts, rules).rows:
        total = -1 if row.place is None else row.points
        assert (last[row.entry].worst, last[row.entry].best) == (total, total)


@TRIALS
@given(RULES, QUALIFIERS, SEEDS)
def test_a_line_is_a_line(rules, qualifiers, seed):
    facts = random_facts(rules, seed)
    table = tabulate(facts, rules)
    now = cut(facts, table, rules, qualifiers)
    ranked = [row for row in table.ranked if facts.entrant(row.entry).standing == Standing.IN]
    assert set(now.inside) == {
        row.entry for row in ranked if sum(other.points >= row.points for other in ranked) <= qualifiers
    }
    assert set(now.level) == {
        row.entry
        for row in ranked
        if sum(other.points > row.points for other in ranked) < qualifiers and row.entry not in now.inside
    }
    assert now.open_places == (qualifiers - len(now.inside) if now.level else 0)
    if now.line_after is not None:
        above = [row.entry for row in table.rows[: now.line_after]]
        assert set(now.inside) <= set(above)
        assert not set(now.level) & set(above)
    for entry, outlook in now.outlooks.items():
        assert outlook.worst <= outlook.best
        assert outlook.status != Status.LEVEL or entry in now.level
        assert outlook.status != Status.THROUGH or outlook.worst >= 0


@given(RULES, SEEDS, QUALIFIERS, st.randoms())
def test_the_order_of_the_facts_moves_nobody(rules, seed, qualifiers, random):
    facts = random_facts(rules, seed)
    kinds = ("entrants", "machines", "played", "playing", "waiting", "spent")
    shuffled = {kind: tuple(random.sample(getattr(facts, kind), len(getattr(facts, kind)))) for kind in kinds}
    assert line(replace(facts, **shuffled), rules, qualifiers) == line(facts, rules, qualifiers)


@given(RULES, SEEDS, QUALIFIERS, st.randoms())
def test_other_ids_and_numbers_change_neither_what_is_certain_nor_the_seeds(rules, seed, qualifiers, random):
    facts = random_facts(rules, seed)
    order = random.sample([e.id for e in facts.entrants], len(facts.entrants))
    facts = replace(facts, decisions=random.choice(((), (Decision("order", tuple(order)),))))
    again, new = relabelled(facts, random)
    expected = line(facts, rules, qualifiers).outlooks
    assert line(again, rules, qualifiers).outlooks == {
        new[entry]: outlook._replace(entry=new[entry]) for entry, outlook in expected.items()
    }
    settle, answer = seeds_or_refusal(facts, rules, qualifiers)
    settle_again, answer_again = seeds_or_refusal(again, rules, qualifiers)
    assert settle == settle_again
    if settle == "tie":
        assert {new[entry] for entry in answer} == set(answer_again)
    elif settle is None:
        assert [new[entry] for entry in answer] == answer_again


def seeds_or_refusal(facts, rules, qualifiers):
    """The seeded entries, or what has to be settled first and for whom."""
    try:
        return None, [seed.entry for seed in seeding(facts, tabulate(facts, rules), rules, qualifiers)]
    except NeedsDecision as refusal:
        return refusal.settle, list(refusal.about)


@TRIALS
@given(RULES, SEEDS)
def test_the_best_total_is_the_one_of_winning_every_remaining_game(rules, seed):
    """Tried out in every way to spend the games, on scales where games of others cannot help."""
    assume(not scale(rules.points).relative)
    facts = random_facts(rules, seed)
    facts = replace(facts, waiting=(), playing=())
    outlooks = line(facts, rules, 2).outlooks
    for entrant in facts.entrants:
        if entrant.standing == Standing.IN:
            totals = [tabulate(won, rules).row(entrant.id) for won in won_games(facts, rules, entrant.id)]
            assert outlooks[entrant.id].best == max(-1 if row.place is None else row.points for row in totals)


def won_games(facts, rules, entry):
    """The stage after every choice of machines for the entry's remaining games, each with a score beyond all."""
    machines = sorted({machine for who, machine in possible_games(facts, rules) if who == entry})
    used = Counter(p.machine for p in facts.played if p.entry == entry)
    used.update(machine for who, machine in facts.spent if who == entry)
    for games in range(max(games_left(facts, rules, entry), 0) + 1):
        for chosen in combinations_with_replacement(machines, games):
            if all(used[m] + n <= rules.games_per_machine for m, n in Counter(chosen).items()):
                yield replace(facts, played=(*facts.played, *(Played(entry, m, 10**6) for m in chosen)))


@pytest.mark.parametrize("phase", [Phase.OPEN, Phase.CLOSING])
@given(rules=RULES, seed=SEEDS)
def test_late_slips_are_expected_while_a_stage_is_closing(phase, rules, seed):
    facts = replace(random_facts(rules, seed), phase=Phase.OPEN)
    assert line(replace(facts, phase=phase), rules, 2) == line(facts, rules, 2)
