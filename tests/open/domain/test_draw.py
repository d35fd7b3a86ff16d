import os
import subprocess
import sys
from random import Random

import pytest

from open.domain.draw import check, figures, figures_table, find, published, repair
from open.domain.fairness import Match, Names
from tests.open.domain.draws import breaches
from tournaments.domain.refusals import Refusal

FEW = 12_000  # steps: the hard rules hold however short the search
DRAW = published()
ALL = range(1, 13)


def refusal(players, machines):
    """Why there can be no draw, in the words of the rules; empty when there can be one."""
    if players < 8:
        return "too few"
    if players > 48:
        return "too many"
    if players % 2:
        return "even number"
    return "at least" if machines < players / 2 else ""


@pytest.mark.parametrize("case", range(110))
def test_random_numbers_give_a_draw_that_keeps_the_hard_rules_or_are_refused_with_the_reason(case):
    random = Random(case)
    players = random.randint(4, 52) if case % 3 == 0 else random.randrange(8, 50, 2)
    machines = max(0, players // 2 + random.choice((-2, -1, 0, 0, 0, 1, 2, 5, 20, players)))
    reason = refusal(players, machines)

    if reason:
        with pytest.raises(Refusal, match=reason):
            find(players, machines, case, steps=FEW)
    else:
        draw = find(players, machines, case, steps=FEW)
        assert breaches(draw, players) == []
        assert check(draw, players, machines).faults == ()


def test_no_numbers_are_refused_that_allow_a_draw():
    for players in range(8, 50, 2):
        assert refusal(players, players // 2) == ""
        assert breaches(find(players, players // 2, 5, steps=FEW), players) == []


@pytest.mark.parametrize(
    ("players", "machines", "sentence"),
    [
        (6, 12, "6 players are too few: the second round needs at least 8."),
        (50, 30, "50 players are too many: the second round takes at most 48."),
        (23, 12, "23 players cannot all be paired: the second round needs an even number."),
        (24, 11, "24 players need at least 12 machines, one for each match; there are 11."),
    ],
)
def test_impossible_numbers_are_refused_with_the_reason(players, machines, sentence):
    with pytest.raises(Refusal) as refused:
        find(players, machines, 1)

    assert refused.value.sentence == sentence


def test_24_players_on_12_machines_get_the_published_draw_whatever_the_seed():
    assert find(24, 12, 1) == find(24, 12, 2) == DRAW


def test_the_same_input_gives_the_same_draw_and_another_seed_another_one():
    draw = find(16, 9, 3, steps=FEW)

    assert find(16, 9, 3, steps=FEW) == draw
    assert find(16, 9, 4, steps=FEW) != draw


def test_a_draw_does_not_depend_on_what_was_drawn_before():
    draw = find(12, 6, 3, steps=FEW)
    find(14, 8, 1, steps=FEW)

    assert find(12, 6, 3, steps=FEW) == draw


def test_the_same_input_gives_the_same_draw_in_another_process():
    program = f"from open.domain.draw import find; print(find(12, 7, 3, steps={FEW}))"
    printed = {
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"PYTHONHASHSEED": seed},
            check=True,
            capture_output=True,
            text=True,
        ).stdout.strip()
        for seed in ("1", "2")
    }

    assert printed == {str(find(12, 7, 3, steps=FEW))}


def test_8_players_on_4_machines_play_them_all_and_are_perfectly_even_otherwise():
    balance = check(find(8, 4, 1), 8, 4).balance

    assert (balance.opponents_off_most, balance.quarters_missed, balance.machine_off_most) == (0, 0, 0)
    assert (balance.shared_most, balance.shared_too_many) == (4, 28)


@pytest.mark.parametrize(("players", "missed"), [(16, 0), (18, 4), (20, 8), (22, 4), (32, 0)])
def test_opponents_are_exactly_even_and_quarters_are_missed_only_where_the_field_has_no_equal_ones(players, missed):
    balance = check(find(players, players // 2, 2, steps=FEW), players, players // 2).balance

    assert balance.opponents_off_most == 0
    assert balance.quarters_missed == missed


def test_more_machines_than_needed_are_used_as_evenly_as_can_be():
    assert check(find(24, 16, 1, steps=60_000), 24, 16).balance.machine_players == (6, 6)
    assert check(find(8, 12, 1, steps=60_000), 8, 12).balance.machine_players == (2, 4)


def test_the_figures_are_those_of_the_draws():
    (eight, full) = figures((8, 24), steps=FEW)

    assert (full.players, full.machines, full.balance) == (24, 12, check(DRAW, 24, 12).balance)
    assert figures_table([eight, full]).splitlines()[2:] == [
        "| 8 | 4 | 0 | 0 | 0 | 36 to 36 | 0 | 4 | 28 |",
        "| 24 | 12 | 0 | 0 | 0 | 100 to 100 | 0 | 3 | 0 |",
    ]


def repaired(played, machines, gone=(), draw=DRAW, players=24, seed=1, **more):
    return repair(draw, played, players=players, machines=machines, gone=gone, seed=seed, steps=60_000, **more)


def test_a_leaver_leaves_an_empty_seat_and_nothing_else_changes():
    after = repaired(DRAW[:2], ALL, gone={7})

    assert after.draw[:2] == DRAW[:2]
    assert [set(game) - set(before) for game, before in zip(after.draw, DRAW, strict=True)] == [
        set(),
        set(),
        {Match(9, (20,))},
        {Match(6, (17,))},
    ]
    assert after.moved == ((3, Match(9, (20,))), (4, Match(6, (17,))))
    assert after.gave_way == (
        "Game 3: seed 20 plays alone, as seed 7 has left.",
        "Game 4: seed 17 plays alone, as seed 7 has left.",
    )
    assert after.report.faults == ()


def test_what_gave_way_is_said_with_names():
    names = Names(players={7: "Ann (41)", 20: "Bob (8)"})

    assert repaired(DRAW[:2], ALL, gone={7}, names=names).gave_way[0] == (
        "Game 3: Bob (8) plays alone, as Ann (41) has left."
    )


def test_two_leavers_who_were_to_meet_leave_nobody_alone_in_that_game():
    after = repaired(DRAW[:3], ALL, gone={5, 18})

    assert after.draw[3] == DRAW[3][1:]
    assert after.gave_way == ()


def test_a_substitute_takes_the_place_of_a_dead_machine_and_nothing_else_changes():
    after = repaired(DRAW[:2], [*range(1, 5), *range(6, 14)])

    assert after.gave_way == ()
    assert after.moved == ((3, Match(13, (17, 21))), (4, Match(13, (13, 16))))
    assert breaches(after.draw, 24) == []


def test_a_machine_that_dies_within_a_game_leaves_the_matches_already_played():
    played = (DRAW[0], tuple(match for match in DRAW[1] if match.machine < 5))
    after = repaired(played, [*range(1, 5), *range(6, 14)])

    assert set(played[1]) < set(after.draw[1])
    assert Match(13, (4, 22)) in after.draw[1]
    assert breaches(after.draw, 24) == []


def test_a_second_substitute_takes_the_place_of_the_machine_that_died_later():
    once = repaired(DRAW[:1], [*range(1, 5), *range(6, 14)]).draw
    twice = repaired(once[:2], [*range(1, 3), 4, *range(6, 15)], draw=once)

    assert {number for number, _ in twice.moved} == {3, 4}
    assert {match.machine for _, match in twice.moved} == {14}
    assert breaches(twice.draw, 24) == []


def test_without_a_substitute_one_machine_takes_two_matches_of_a_game_and_no_other_rule_gives_way():
    after = repaired(DRAW[:2], [place for place in ALL if place != 5])

    assert [kind for kind, *_ in breaches(after.draw, 24)] == ["busy", "busy"]
    assert len(after.gave_way) == 2
    assert all("has 2 matches, one after the other." in sentence for sentence in after.gave_way)


def test_without_a_substitute_those_who_would_be_alone_play_each_other():
    after = repaired(DRAW[:2], [place for place in ALL if place != 5], gone={7, 8})

    assert after.gave_way == ()
    assert all(len(game) == 11 for game in after.draw[2:])
    assert breaches(after.draw, 24, gone={7, 8}, played=DRAW[:2]) == []


def test_a_machine_nobody_needs_any_more_changes_nothing():
    draw = find(24, 14, 3, steps=FEW)
    idle = next(place for place in range(1, 15) if all(match.machine != place for match in draw[3]))
    after = repaired(draw[:3], [place for place in range(1, 15) if place != idle], draw=draw)

    assert (after.draw, after.moved, after.gave_way) == (draw, (), ())


def test_a_round_that_is_over_stays_as_it_is():
    after = repaired(DRAW, ALL, gone={1, 2, 3})

    assert (after.draw, after.moved, after.gave_way) == (DRAW, (), ())


def test_a_rule_already_broken_in_the_games_played_is_named_and_the_rest_stays():
    played_twice = (DRAW[0], DRAW[0], *DRAW[2:])
    after = repaired(played_twice[:2], ALL, draw=played_twice)

    assert after.draw == played_twice
    assert after.gave_way == check(played_twice, 24, 12).faults
    assert len(after.gave_way) == 12 + 24


def test_the_order_in_which_things_are_told_makes_no_difference():
    usable = [place for place in ALL if place not in (5, 6)]
    played = tuple(tuple(reversed(game)) for game in DRAW[:2])

    assert repaired(DRAW[:2], usable, gone=[7, 8]) == repaired(played, usable[::-1], gone=[8, 7])


def test_a_repair_is_refused_without_any_machine_and_for_a_seed_that_is_not_there():
    with pytest.raises(Refusal, match="No machine is left"):
        repaired(DRAW[:2], [])
    with pytest.raises(Refusal, match="There is no seed 25 in this draw of 24 players"):
        repaired(DRAW[:2], ALL, gone={25})


@pytest.fixture(scope="module")
def begun():
    """Draws that have begun, by (players, machines)."""
    sizes = ((8, 6), (12, 8), (16, 8), (20, 12), (24, 12), (24, 14), (32, 18))
    return {numbers: find(*numbers, 1, steps=FEW) for numbers in sizes}


@pytest.mark.parametrize("case", range(90))
def test_random_repairs_keep_what_is_played_and_name_every_rule_that_gave_way(case, begun):
    random = Random(case)
    (players, count), draw = random.choice(sorted(begun.items()))
    number = random.randint(0, 3)
    played = (*draw[:number], tuple(random.sample(draw[number], random.choice((0, 0, 3)))))
    dead = set(random.sample(range(1, count + 1), random.randint(0, 2)))
    spares = random.choice((0, len(dead), len(dead)))
    machines = [place for place in range(1, count + spares + 1) if place not in dead]
    gone = set(random.sample(range(1, players + 1), random.randint(0, 3)))

    after = repair(draw, played, players=players, machines=machines, gone=gone, seed=case, steps=FEW)

    rest = [
        match
        for game, kept in zip(after.draw, (*played, (), (), ()), strict=False)
        for match in game
        if match not in kept
    ]
    assert all(set(kept) <= set(game) for kept, game in zip(played, after.draw, strict=False))
    assert {match.machine for match in rest} <= set(machines)
    assert not gone & {position for match in rest for position in match.players}
    broken = breaches(after.draw, players, gone=gone, played=played)
    assert {kind for kind, *_ in broken} <= {"busy", "opponent", "machine"}
    alone = sum(len(match.players) == 1 for game in after.draw for match in game)
    assert len(after.gave_way) == len(broken) + alone
    if spares == len(dead):
        assert broken == []
