"""The search keeps its cost up to date step by step; counted anew it must be the same."""

from random import Random

import pytest

from open.domain.draw import published
from open.domain.fairness import Match
from open.domain.seating import MACHINE_BUSY, MACHINE_TWICE, OPPONENT_TWICE, Seating

DRAW = published()
WHERE = {(game, p): match.machine for game, matches in enumerate(DRAW) for match in matches for p in match.players}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(("rename", "exchange"), [(False, False), (True, False), (False, True)])
def test_the_cost_is_that_of_the_draw_it_leaves(seed, rename, exchange):
    seating = Seating(24, range(1, 15), loose=DRAW)
    seating.anneal(Random(seed), 2_000, rename=rename, exchange=exchange, floor=-1)

    assert seating.cost == Seating(24, range(1, 15), loose=seating.games()).cost


@pytest.mark.parametrize("seed", range(5))
def test_the_cost_is_right_with_matches_that_stay_and_machines_that_take_two(seed):
    fixed, machines = (*DRAW[:2], (), ()), range(1, 12)
    loose = ((), (), *(tuple(Match(min(m.machine, 11), m.players[: 1 + m.machine % 2]) for m in g) for g in DRAW[2:]))
    seating = Seating(24, machines, fixed=fixed, loose=loose, announced=WHERE, busy=True)
    seating.anneal(Random(seed), 2_000, exchange=True)

    left = Seating(24, machines, fixed=fixed, loose=seating.games(), announced=WHERE, busy=True)
    assert (seating.cost, seating.faults()) == (left.cost, left.faults())


def test_every_kind_of_fault_is_counted():
    twice_everything = (*DRAW[:3], DRAW[0])
    busy = (tuple(Match(1, match.players) for match in DRAW[0]),)

    assert Seating(24, range(1, 13), loose=DRAW).faults() == 0
    assert Seating(24, range(1, 13), loose=twice_everything).faults() == 24 * MACHINE_TWICE + 12 * OPPONENT_TWICE
    assert Seating(24, range(1, 13), loose=busy).faults() == 11 * MACHINE_BUSY


def test_a_search_ends_once_it_is_as_good_as_hoped_for():
    seating = Seating(24, range(1, 13), loose=DRAW)
    seating.anneal(Random(1), 1_000, rename=True, floor=seating.cost)

    assert seating.games() == DRAW
