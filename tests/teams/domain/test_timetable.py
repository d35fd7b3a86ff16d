"""The order of play: every rule kept for any number of teams, as few turns as can be, and any fault found."""

from collections import Counter
from itertools import combinations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from teams.domain.groups import FEWEST, MOST, form
from teams.domain.timetable import Game, Names, Redone, check, fewest_machines, find, groups_in, least_turns, redo
from tournaments.domain.refusals import Refusal

EIGHT = tuple(range(1, 9))
SIXTEEN = form(16)
FOUR = (101, 102, 103, 104)


def bonus_of(groups):
    """A bonus machine for each group."""
    return tuple(range(101, 101 + len(groups)))


def breaches(timetable):
    """Every breach of a rule that holds for any order of play, found again without the code under test."""
    found = []
    for number, turn in enumerate(timetable, start=1):
        teams = Counter(team for game in turn for team in game.teams)
        machines = Counter(game.machine for game in turn)
        found += [("team at once", number, team) for team, count in teams.items() if count > 1]
        found += [("machine at once", number, machine) for machine, count in machines.items() if count > 1]
    visits = Counter((team, game.machine) for turn in timetable for game in turn for team in game.teams)
    found += [("again", *visit) for visit, count in visits.items() if count > 1]
    games = Counter(frozenset(game.teams) for turn in timetable for game in turn)
    found += [("twice", *sorted(teams)) for teams, count in games.items() if count > 1]
    return found


def all_games(groups):
    return {frozenset(pair) for group in groups for pair in combinations(group, 2)} | {
        frozenset((team,)) for group in groups for team in group
    }


def changed(timetable, number, index, game):
    """The order of play with another game, or none, in the place of one of turn `number` (from 1)."""
    turns = [list(turn) for turn in timetable]
    turns[number - 1][index : index + 1] = [game] if game else []
    return tuple(map(tuple, turns))


# Finding one


@pytest.mark.parametrize("teams", range(FEWEST, MOST + 1))
def test_every_number_of_teams_has_an_order_of_play_on_eight_machines_for_matches(teams):
    groups = form(teams)
    bonus = bonus_of(groups)
    found = find(groups, bonus, EIGHT, seed=1)
    report = check(found, groups, bonus, EIGHT)

    assert report.faults == ()
    assert breaches(found) == []
    assert {frozenset(game.teams) for turn in found for game in turn} == all_games(groups)
    assert report.turns == len(found) == report.least
    assert max(report.waits.values()) <= 2
    used = [report.used.get(machine, 0) for machine in EIGHT]
    assert max(used) - min(used) <= 1


@pytest.mark.parametrize("machines", [3, 4, 5, 12, 16])
@pytest.mark.parametrize("teams", [4, 6, 9, 16, 23, 32])
def test_fewer_and_more_machines_will_do_too(teams, machines):
    groups = form(teams)
    bonus = bonus_of(groups)
    found = find(groups, bonus, range(1, machines + 1), seed=1)

    assert breaches(found) == []
    assert check(found, groups, bonus, range(1, machines + 1)).faults == ()
    assert len(found) == least_turns(groups, machines)


def test_sixteen_teams_on_twelve_machines_need_five_turns_and_no_team_waits_twice():
    report = check(find(SIXTEEN, FOUR, EIGHT, seed=7), SIXTEEN, FOUR, EIGHT)

    assert (report.turns, report.least) == (5, 5)
    assert Counter(report.used.values()) == {3: 8, 4: 4}
    assert set(report.waits.values()) <= {0, 1}
    assert report.figures == (
        "5 turns; it cannot be done in fewer than 5.",
        "12 machines with 3 to 4 games each.",
        "Between its first and its last game a team waits 0 to 1 turn.",
    )


def test_eight_teams_in_groups_of_two_need_one_machine_for_matches():
    groups = form(8)
    found = find(groups, FOUR, (1,), seed=1)

    assert breaches(found) == []
    assert len(found) == least_turns(groups, 1) == 4


def test_the_same_seed_gives_the_same_order_of_play_and_another_seed_another_one():
    assert find(SIXTEEN, FOUR, EIGHT, seed=3) == find(SIXTEEN, FOUR, EIGHT, seed=3)
    assert find(SIXTEEN, FOUR, EIGHT, seed=3) != find(SIXTEEN, FOUR, EIGHT, seed=4)


@settings(max_examples=15)
@given(st.integers(FEWEST, MOST), st.integers(3, 14), st.integers(0, 1000))
def test_any_order_of_play_keeps_every_rule(teams, machines, seed):
    groups = form(teams)
    found = find(groups, bonus_of(groups), range(1, machines + 1), seed)

    assert breaches(found) == []
    assert check(found, groups, bonus_of(groups), range(1, machines + 1)).faults == ()


@pytest.mark.parametrize(
    ("groups", "machines", "turns"),
    [(((1, 2, 3, 4),), 3, 6), (((1, 2, 3, 4),), 4, 5), (((1, 2, 3),), 3, 3), (((1, 2),), 1, 3), (SIXTEEN, 4, 6)],
)
def test_the_least_number_of_turns_follows_from_one_group_and_from_the_machines(groups, machines, turns):
    assert least_turns(groups, machines) == turns


@pytest.mark.parametrize(
    ("teams", "machines"), [(4, 1 + 3), (6, 2 + 3), (8, 4 + 1), (9, 4 + 3), (16, 4 + 3), (32, 8 + 3), (0, 4), (99, 11)]
)
def test_the_fewest_machines_are_one_for_each_group_and_those_on_which_opponents_meet(teams, machines):
    assert fewest_machines(teams) == machines


@pytest.mark.parametrize(
    ("groups", "bonus", "machines", "reason"),
    [
        (((1, 2, 3),), (101,), EIGHT, "for 4 to 32 teams in groups of 2 to 4"),
        (((1, 2, 3, 4, 5),), (101,), EIGHT, "for 4 to 32 teams in groups of 2 to 4"),
        (((1, 2, 3), (4,)), (101, 102), EIGHT, "for 4 to 32 teams in groups of 2 to 4"),
        (((1, 2, 3), (3, 4, 5)), (101, 102), EIGHT, "A team is in two groups"),
        (SIXTEEN, (101, 102, 103), EIGHT, "Choose 4 machines for the bonus games, one for each group"),
        (SIXTEEN, (101, 102, 103, 103), EIGHT, "A machine is named twice"),
        (SIXTEEN, (101, 102, 103, 1), EIGHT, "A machine is named twice"),
        (SIXTEEN, FOUR, (1, 2), "choose at least 3 machines for the matches, beside 4 for the bonus games"),
        (((1, 2, 3), (4, 5, 6)), (101, 102), (1, 2), "choose at least 3 machines for the matches"),
    ],
)
def test_what_allows_no_order_of_play_is_refused_with_the_reason(groups, bonus, machines, reason):
    with pytest.raises(Refusal, match=reason):
        find(groups, bonus, machines, seed=1)


# Judging one

PLAY = (
    (Game(1, (1, 2)), Game(101, (3,))),
    (Game(2, (1, 3)), Game(101, (2,))),
    (Game(3, (2, 3)), Game(101, (1,))),
)
TRIO, THREE = ((1, 2, 3),), (1, 2, 3)
NAMES = Names({1: "Ants", 2: "Bees", 3: "Cats"}, {1: "Taxi", 101: "Indianapolis 500"})


def faults(timetable, **kwargs):
    return check(timetable, TRIO, (101,), THREE, NAMES, **kwargs).faults


def test_an_order_of_play_without_fault_has_figures():
    report = check(PLAY, TRIO, (101,), THREE)

    assert report.faults == ()
    assert (report.turns, report.least) == (3, 3)
    assert report.used == {1: 1, 2: 1, 3: 1, 101: 3}
    assert report.waits == {1: 0, 2: 0, 3: 0}
    assert report.figures[1:] == (
        "4 machines with 1 to 3 games each.",
        "Between its first and its last game a team waits 0 turns.",
    )


@pytest.mark.parametrize(
    ("timetable", "fault"),
    [
        (changed(PLAY, 1, 0, None), "Ants against Bees: not dealt."),
        (changed(PLAY, 1, 1, None), "Cats: not dealt."),
        ((*PLAY, (Game(2, (2, 1)),)), "Ants against Bees: dealt, and not wanted."),
        (changed(PLAY, 1, 0, Game(1, (1, 9))), "Ants against team 9: dealt, and not wanted."),
        ((*PLAY, (Game(101, (9,)),)), "team 9: the bonus game is not on the machine of the group."),
        (changed(PLAY, 1, 1, Game(3, (3,))), "Cats: the bonus game is not on the machine of the group."),
        (changed(PLAY, 1, 0, Game(8, (1, 2))), "Ants against Bees: machine 8 is not for matches."),
        (changed(PLAY, 1, 1, Game(101, (1,))), "Turn 1: Ants plays 2 games."),
        ((*PLAY[:2], (*PLAY[2], Game(3, (1, 2)))), "Turn 3: machine 3 has 2 games."),
        (changed(PLAY, 2, 0, Game(1, (1, 3))), "Ants plays Taxi more than once."),
        ((*PLAY, (Game(101, (2,)),)), "Bees plays Indianapolis 500 more than once."),
    ],
)
def test_every_fault_is_found_and_named(timetable, fault):
    assert fault in faults(timetable)


def test_games_may_be_missing_where_it_need_not_be_whole():
    assert faults(PLAY[:2], whole=False) == ()
    assert len(faults(PLAY[:2])) == 2


def test_waits_are_the_turns_without_a_game_between_the_first_and_the_last():
    report = check((PLAY[0], (), PLAY[1], (), PLAY[2]), TRIO, (101,), THREE)

    assert report.waits == {1: 2, 2: 2, 3: 2}
    assert report.figures[2] == "Between its first and its last game a team waits 2 turns."


def test_nothing_dealt_has_no_figures():
    report = check((), TRIO, (101,), THREE)

    assert report.figures == ()
    assert report.waits == {1: 0, 2: 0, 3: 0}
    assert len(report.faults) == 6


def test_machines_with_as_many_games_each_are_said_to_have_them():
    timetable = ((Game(1, (1, 2)),), (Game(101, (1,)),), (Game(102, (2,)),))

    assert check(timetable, ((1, 2),), (101,), (1,)).figures[1] == "3 machines with 1 games each."


def test_groups_are_read_from_an_order_of_play():
    found = find(SIXTEEN, FOUR, EIGHT, seed=1)

    assert groups_in(found) == (tuple(map(tuple, map(sorted, SIXTEEN))), FOUR)
    assert groups_in(((Game(1, (1, 2)),),)) == (((1, 2),), (0,))


# Made again in the middle

SUBSTITUTE = 50


def redone(timetable, **changes):
    """Made again after something has happened; nothing has begun unless told."""
    every = {game.machine for turn in timetable for game in turn}
    settled = {"begun": (), "gone": (), "machines": every, "instead": {}} | changes
    return redo(timetable, **settled)


def begun_before(timetable, turn):
    return [game for number, games in enumerate(timetable, start=1) if number < turn for game in games]


def games_of(redone):
    return Counter(frozenset(game.teams) for turn in redone.timetable for game in turn)


def test_without_a_reason_nothing_changes_but_the_order_within_a_turn():
    found = find(SIXTEEN, FOUR, EIGHT, seed=1)
    again = redone(found, begun=begun_before(found, 3))

    assert tuple(map(set, again.timetable)) == tuple(map(set, found))
    assert again.gave_way == ()


def test_a_substitute_takes_the_place_of_a_dead_machine_and_what_was_played_stands():
    found = find(SIXTEEN, FOUR, EIGHT, seed=1)
    usable = {*FOUR, *EIGHT, SUBSTITUTE} - {3}
    again = redone(found, begun=begun_before(found, 3), machines=usable, instead={3: SUBSTITUTE})

    for number, (before, after) in enumerate(zip(found, again.timetable, strict=True), start=1):
        moved = {g._replace(machine=SUBSTITUTE) if g.machine == 3 and number >= 3 else g for g in before}
        assert set(after) == moved
    assert again.gave_way == ()


def test_the_substitute_of_a_bonus_machine_serves_those_who_have_not_played_it_yet():
    found = find(SIXTEEN, FOUR, EIGHT, seed=1)
    begun = begun_before(found, 3)
    again = redone(found, begun=begun, machines={*FOUR[1:], *EIGHT, SUBSTITUTE}, instead={101: SUBSTITUTE})

    on = {game.teams[0]: game.machine for turn in again.timetable for game in turn if len(game.teams) == 1}
    assert {on[team] for team in SIXTEEN[0]} == {101, SUBSTITUTE}
    assert all(on[game.teams[0]] == game.machine for game in begun if len(game.teams) == 1)
    assert again.gave_way == ()
    assert breaches(again.timetable) == []


def test_without_a_substitute_matches_move_to_other_machines_and_every_rule_is_kept():
    found = find(SIXTEEN, FOUR, EIGHT, seed=1)
    again = redone(found, machines={*FOUR, *EIGHT} - {3})

    assert again.gave_way == ()
    assert breaches(again.timetable) == []
    assert games_of(again) == games_of(Redone(found, ()))
    assert all(game.machine != 3 for turn in again.timetable for game in turn)


def test_games_of_a_missing_team_fall_out_and_those_it_has_begun_stay():
    found = find(SIXTEEN, FOUR, EIGHT, seed=1)
    begun = begun_before(found, 2)
    again = redone(found, begun=begun, gone=(1,))

    left = [game for turn in again.timetable for game in turn]
    assert [game for game in left if 1 in game.teams] == [game for game in begun if 1 in game.teams]
    assert Counter(left) == Counter(game for turn in found for game in turn if 1 not in game.teams or game in begun)


def test_what_cannot_be_kept_is_named():
    # Three machines for four teams, and one of them dies: somebody has to play a machine again.
    found = find(((1, 2, 3, 4),), (101,), (1, 2, 3), seed=1)
    names = Names({1: "Ants", 2: "Bees", 3: "Cats", 4: "Dogs"}, {1: "Taxi", 2: "Twilight Zone"})
    again = redone(found, machines={1, 2, 101}, names=names)

    again_there = [breach for breach in breaches(again.timetable) if breach[0] == "again"]
    assert len(again_there) == 4
    assert len(again.gave_way) == 2
    for sentence in again.gave_way:
        assert sentence.endswith(("have other games as well.", "has another game as well."))


def test_who_plays_a_machine_again_is_named():
    timetable = ((Game(1, (1, 2)),), (Game(1, (1, 3)),), (Game(2, (2, 3)),))
    names = Names({1: "Ants", 3: "Cats"}, {1: "Taxi"})
    again = redo(timetable, [timetable[0][0], timetable[2][0]], (), {1}, {}, names)

    assert again.gave_way == ("Ants against Cats: on Taxi, where Ants has another game as well.",)
    assert again.timetable == timetable


def test_one_machine_for_both_matches_of_two_teams_is_named_with_both():
    timetable = ((Game(1, (1, 2)),), (Game(1, (3,)), Game(9, (4,))), (Game(2, (1, 2)),))
    again = redo(timetable, [timetable[0][0]], (), {1, 9}, {}, NAMES)

    assert "Ants against Bees: on Taxi, where Ants and Bees have other games as well." in again.gave_way


def test_a_match_gives_way_to_a_bonus_game_that_has_only_one_machine():
    # The bonus machine dies and machine 1, on which team 1 has a match, stands in: the match moves.
    timetable = ((Game(1, (1, 2)), Game(101, (3,))), (Game(101, (1,)), Game(2, (3, 4))))
    again = redo(timetable, [Game(101, (3,))], (), {1, 2, 3}, {101: 1})

    assert again.gave_way == ()
    assert Game(1, (1,)) in again.timetable[1]
    assert {game.machine for turn in again.timetable for game in turn if game.teams == (1, 2)} <= {2, 3}


def test_machines_are_shared_out_anew_where_one_after_the_other_fails():
    # Team 1 has met 2 on machine 1. Machine 9 is dead: one after the other, 1 and 3 would take machine 2, which
    # leaves 1 and 4 nothing new.
    timetable = (
        (Game(1, (1, 2)),),
        (Game(9, (1, 3)),),
        (Game(2, (1, 4)),),
        (Game(3, (3, 4)), Game(101, (1,))),
    )
    again = redo(timetable, [Game(1, (1, 2)), Game(3, (3, 4))], (), {1, 2, 4, 101}, {})

    assert again.gave_way == ()
    assert breaches(again.timetable) == []


def test_a_machine_busy_in_the_turn_of_a_match_moves_it_to_a_later_turn():
    timetable = ((Game(1, (1, 2)), Game(2, (3, 4))), (Game(101, (1,)),))
    again = redo(timetable, [], (), {1, 101}, {})

    assert again.timetable == ((Game(1, (1, 2)),), (Game(101, (1,)), Game(1, (3, 4))))
    assert again.gave_way == ()


def test_a_match_finds_a_turn_of_its_own_when_there_is_no_other():
    timetable = ((Game(1, (1, 2)), Game(2, (3, 4))),)
    again = redo(timetable, [], (), {1}, {})

    assert again.timetable == ((Game(1, (1, 2)),), (Game(1, (3, 4)),))


def test_a_dead_bonus_machine_without_a_substitute_is_refused_with_who_still_has_to_play_it():
    with pytest.raises(Refusal, match="Indianapolis 500 is out, and Cats has its bonus game to play on it") as refused:
        redo(PLAY, [], (), {1, 2, 3}, {}, NAMES)
    assert refused.value.field == "machines"


def test_no_machine_for_a_match_is_refused():
    with pytest.raises(Refusal, match="There is no machine left for Ants against Bees"):
        redo(PLAY, [], (), {101}, {}, NAMES)


def test_a_walk_over_does_not_make_its_machine_a_bonus_machine():
    # Team 9 has left after it did not come: team 4 is alone in that match on machine 2.
    timetable = ((Game(2, (4,)), Game(1, (1, 2))), (Game(2, (2, 3)), Game(3, (1, 4))), (Game(101, (1,)),))
    again = redo(timetable, [Game(2, (4,)), Game(1, (1, 2))], (9,), {1, 2, 101}, {})

    assert {game.machine for turn in again.timetable for game in turn if game.teams == (1, 4)} <= {1, 2}


@settings(max_examples=60)
@given(st.integers(FEWEST, MOST), st.sampled_from((3, 4, 5, 8)), st.randoms(use_true_random=False))
def test_an_order_of_play_made_again_keeps_the_rules_or_names_what_gave_way(teams, many, rnd):
    groups, machines = form(teams), range(1, many + 1)
    bonus = bonus_of(groups)
    found = ORDERS.setdefault((teams, many), None) or find(groups, bonus, machines, seed=1)
    ORDERS[teams, many] = found
    turn = rnd.randint(0, len(found))
    begun = [g for n, games in enumerate(found) for g in games if n < turn or (n == turn and rnd.random() < 0.5)]
    dead = rnd.sample([*machines, *bonus], rnd.choice((0, 1, 1, 2)))
    instead = {machine: 200 + machine for machine in dead if machine in bonus or rnd.random() < 0.5}
    usable = {*machines, *bonus, *instead.values()} - set(dead)
    gone = rnd.sample(range(1, teams + 1), rnd.choice((0, 0, 1, 2)))
    again = redo(found, begun, gone, usable, instead)

    for number, games in enumerate(found):
        assert {game for game in games if game in begun} <= set(again.timetable[number])
    left = [game for games in again.timetable for game in games if game not in begun]
    wanted = [g.teams for games in found for g in games if g not in begun and not set(g.teams) & set(gone)]
    assert Counter(game.teams for game in left) == Counter(wanted)
    assert all(game.machine in usable for game in left)
    broken = breaches(again.timetable)
    assert {breach[0] for breach in broken} <= {"again"}
    assert bool(broken) == bool(again.gave_way)
    if len(set(machines) - set(dead)) >= 5:
        assert again.gave_way == ()
    assert again == redo(found, begun, gone, usable, instead)


ORDERS = {}
"""Orders of play found once for all examples."""


def test_a_large_hall_is_no_reason_to_wait_for_a_new_order_of_play():
    hall = list(range(100, 130))
    announced = find([(1, 2, 3, 4)], [1], hall, seed=1)
    dead = next(game.machine for game in announced[0] if len(game.teams) == 2)
    redone = redo(announced, [], [], [1, *(machine for machine in hall if machine != dead)], {})

    assert redone.gave_way == ()
    assert all(game.machine != dead for turn in redone.timetable for game in turn)
