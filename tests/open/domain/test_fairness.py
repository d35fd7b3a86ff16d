from itertools import combinations

import pytest

from open.domain.draw import published
from open.domain.fairness import Balance, Match, Names, check, in_words, quarter
from tests.open.domain.draws import breaches, changed

DRAW = published()


def faults(draw, **more):
    return check(draw, 24, 12, **more).faults


def test_the_published_draw_has_everything_the_rules_ask_for():
    report = check(DRAW, 24, 12)

    assert report.faults == ()
    assert report.balance == Balance(
        opponents_off_most=0,
        opponents_off_mean=0,
        quarters_missed=0,
        machine_sums=(100, 100),
        machine_off_most=0,
        machine_players=(8, 8),
        shared_most=3,
        shared_too_many=0,
    )


def test_the_published_draw_has_everything_the_rules_ask_for_when_counted_by_hand():
    matches = [match for game in DRAW for match in game]
    opponents = {p: [sum(m.players) - p for m in matches if p in m.players] for p in range(1, 25)}
    machines = {p: {m.machine for m in matches if p in m.players} for p in range(1, 25)}

    assert breaches(DRAW, 24) == []
    assert [[m.machine for m in game] for game in DRAW] == [list(range(1, 13))] * 4
    assert all(sum(met) == 50 for met in opponents.values())
    assert all(sorted((other - 1) // 6 for other in met) == [0, 1, 2, 3] for met in opponents.values())
    assert all(sum(sum(m.players) for m in matches if m.machine == place) == 100 for place in range(1, 13))
    assert max(len(machines[one] & machines[other]) for one, other in combinations(machines, 2)) == 3


def test_a_game_too_few_and_a_game_too_many_are_named():
    assert faults(DRAW[:3]) == ("The draw has 3 games instead of 4.",)
    assert "The draw has 5 games instead of 4." in faults((*DRAW, DRAW[0]))


def test_an_empty_draw_is_judged_too():
    assert check((), 0, 0).faults == ("The draw has 0 games instead of 4.",)


# In the published draw machine 1 has the pairs 13-24, 14-15, 2-9 and 5-18, machine 2 in game 1 has 14-19.
@pytest.mark.parametrize(
    ("planted", "expected"),
    [
        (
            changed(DRAW, 1, 0, players=(13, 14)),
            {"Game 1: seed 14 has 2 matches.", "Game 1: seed 24 has no match."},
        ),
        (
            changed(DRAW, 1, 0, players=(13, 31)),
            {"Game 1: seed 31 is drawn but not in this game.", "Game 1: seed 24 has no match."},
        ),
        (
            changed(DRAW, 2, 0, players=(14, 14)),
            {"Game 2: seed 14 is drawn against themselves on machine 1.", "Game 2: seed 15 has no match."},
        ),
        (
            changed(DRAW, 2, 0, players=(14, 15, 16)),
            {"Game 2: machine 1 has a match of 3 players instead of 2.", "Game 2: seed 16 has 2 matches."},
        ),
        (
            changed(DRAW, 2, 0, players=(14,)),
            {"Game 2: seed 14 without an opponent, where 0 may be.", "Game 2: seed 15 has no match."},
        ),
        (
            changed(DRAW, 2, 0, players=()),
            {
                "Game 2: machine 1 has a match of 0 players instead of 2.",
                "Game 2: seed 14 has no match.",
                "Game 2: seed 15 has no match.",
            },
        ),
        (changed(DRAW, 3, 0, machine=13), {"Game 3: machine 13 is not in use."}),
        (
            changed(DRAW, 4, 0, machine=2),
            {
                "Game 4: machine 2 has 2 matches, one after the other.",
                "Games 3 and 4: seed 5 plays machine 2 more than once.",
            },
        ),
        (
            changed(changed(DRAW, 4, 0, machine=2), 4, 1, machine=1),
            {"Games 3 and 4: seed 5 plays machine 2 more than once."},
        ),
        (
            changed(changed(DRAW, 2, 0, players=(13, 24)), 2, 6, players=(12, 14)),
            {
                "Games 1 and 2: seed 13 meets seed 24 more than once.",
                "Games 1 and 2: seed 13 plays machine 1 more than once.",
                "Games 1 and 2: seed 24 plays machine 1 more than once.",
            },
        ),
    ],
    ids=[
        "a player twice in a game",
        "somebody who is not in the field",
        "a player against himself",
        "three in a match",
        "somebody alone",
        "nobody in a match",
        "an unknown machine",
        "a machine twice in a game",
        "a machine twice for a player",
        "an opponent twice",
    ],
)
def test_a_planted_fault_is_found(planted, expected):
    assert expected <= set(faults(planted))


def test_swapping_two_machines_of_a_game_breaks_only_what_it_breaks():
    planted = changed(changed(DRAW, 4, 0, machine=2), 4, 1, machine=1)

    assert faults(planted) == ("Games 3 and 4: seed 5 plays machine 2 more than once.",)


def test_whoever_has_left_may_be_missing_and_the_opponent_alone():
    left_alone = changed(DRAW, 4, 0, players=(5,))

    assert faults(left_alone, left={18: 4}) == ()
    assert faults(left_alone, left={}) == (
        "Game 4: seed 18 has no match.",
        "Game 4: seed 5 without an opponent, where 0 may be.",
    )


def test_whoever_has_left_must_not_be_drawn():
    assert faults(DRAW, left={18: 4}) == ("Game 4: seed 18 is drawn but not in this game.",)


def test_faults_name_players_and_machines_by_their_names():
    names = Names(players={5: "Ann (41)"}, machines={2: "Fish Tales"})
    planted = changed(changed(DRAW, 4, 0, machine=2), 4, 1, machine=1)

    assert faults(planted, names=names) == ("Games 3 and 4: Ann (41) plays Fish Tales more than once.",)


def test_the_balance_of_one_game_between_neighbours_is_as_counted_by_hand():
    game = tuple(Match(place, (2 * place - 1, 2 * place)) for place in range(1, 5))

    assert check((game,), 8, 5).balance == Balance(
        opponents_off_most=3.5,
        opponents_off_mean=2,
        quarters_missed=24,
        machine_sums=(3, 15),
        machine_off_most=6,
        machine_players=(0, 2),
        shared_most=1,
        shared_too_many=0,
    )


def test_pairs_that_share_more_than_three_machines_are_counted():
    """The same pair on four machines, and nobody else."""
    assert check(tuple((Match(place, (1, 2)),) for place in range(1, 5)), 2, 4).balance.shared_too_many == 1


@pytest.mark.parametrize(
    ("players", "sizes"),
    [(24, [6, 6, 6, 6]), (12, [3, 3, 3, 3]), (10, [2, 3, 3, 2]), (14, [3, 4, 4, 3]), (8, [2] * 4)],
)
def test_the_outer_quarters_are_the_smaller_ones(players, sizes):
    quarters = [quarter(position, players) for position in range(1, players + 1)]

    assert quarters == sorted(quarters)
    assert [quarters.count(which) for which in range(4)] == sizes


def test_the_balance_is_said_in_words():
    assert in_words(check(DRAW, 24, 12).balance, 24) == (
        "Four opponents' positions add up to 50.",
        "Everybody meets one opponent from each quarter of the field.",
        "The positions on each machine add up to exactly 100.",
        "Two players share at most 3 machines.",
    )


def test_an_uneven_balance_is_said_in_words_too():
    uneven = Balance(2, 0.4, 6, (33, 37), 3, (6, 8), 4, 2)

    assert in_words(uneven, 12) == (
        "Four opponents' positions add up to 26, at most 2 off, 0.4 on average.",
        "Everybody meets one opponent from each quarter of the field, but for 6 times.",
        "The positions on a machine add up to 33 to 37, at most 3 off the even sum.",
        "Two players share at most 4 machines; pairs that share more than 3: 2.",
    )
