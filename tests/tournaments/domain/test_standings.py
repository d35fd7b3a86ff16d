from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.domain.random_stage import RULES, random_facts, relabelled
from tests.tournaments.domain.stage import entry, letters, machine, rules, stage
from tournaments.domain.facts import MachineState, Phase
from tournaments.domain.standings import count_back, place_words, tabulate, why

SHORT = rules(points=(10, 7, 4, 2))


def lines(facts, by=SHORT):
    """(letter, place, shared, points) of all rows from top to bottom."""
    return [(letters([row.entry]), row.place, row.shared, row.points) for row in tabulate(facts, by).rows]


def test_points_of_all_machines_add_up_and_the_most_come_first():
    scores = {"A": {"AFM": 10, "MM": 30}, "B": {"AFM": 20, "MM": 20}, "C": {"AFM": 30, "MM": 10}, "D": {"MM": 40}}
    facts = stage(scores)
    assert lines(facts) == [("C", 1, False, 12), ("A", 2, True, 11), ("B", 2, True, 11), ("D", 4, False, 10)]


def test_the_same_total_shares_the_place_and_the_next_is_skipped():
    facts = stage({"C": {"AFM": 30}, "A": {"MM": 30}, "D": {"AFM": 20}, "B": {"MM": 20}, "E": {"AFM": 10}})
    assert lines(facts) == [
        ("A", 1, True, 10),
        ("C", 1, True, 10),
        ("B", 3, True, 7),
        ("D", 3, True, 7),
        ("E", 5, False, 4),
    ]


def test_who_has_no_games_is_listed_but_not_ranked():
    table = tabulate(stage({"A": {}, "B": {"AFM": 0}, "C": {}}), rules())
    assert [(letters([row.entry]), row.place, row.points, row.games) for row in table.rows] == [
        ("B", 1, 100, 1),
        ("A", None, 0, 0),
        ("C", None, 0, 0),
    ]
    assert letters(row.entry for row in table.ranked) == "B"


def test_fewer_games_than_allowed_are_ranked_on_what_was_played():
    facts = stage({"A": {"AFM": 50, "MM": 50}, "B": {"AFM": 10, "MM": 10, "TZ": 10}})
    assert lines(facts) == [("B", 1, False, 24), ("A", 2, False, 20)]


def test_with_repeats_the_best_score_of_each_machine_and_the_best_machines_count():
    classic = rules(games_allowed=6, games_counted=2, games_per_machine=3, points=(10, 7, 4))
    facts = stage({"A": {"AFM": (10, 99, 20), "MM": 5, "TZ": 1}, "B": {"AFM": 50, "MM": 50, "TZ": 50}, "C": {"TZ": 9}})
    table = tabulate(facts, classic)
    row = table.row(entry("A"))
    assert (row.points, row.games) == (17, 5)
    assert [(r.machine, r.value, r.points) for r in row.counted] == [(machine("AFM"), 99, 10), (machine("MM"), 5, 7)]
    assert [(r.machine, r.points) for r in row.other] == [(machine("TZ"), 4)]
    assert row.results == row.counted + row.other
    assert table.row(entry("B")).points == 20


def test_a_disqualified_entry_leaves_every_rank_and_the_others_move_up():
    scores = {"A": {"AFM": 30, "MM": 30}, "B": {"AFM": 20}, "C": {"AFM": 10}}
    assert lines(stage(scores, disqualified="A")) == [("B", 1, False, 10), ("C", 2, False, 7), ("A", None, False, 0)]
    assert tabulate(stage(scores, disqualified="A"), SHORT).row(entry("A")).games == 0
    without = stage({"B": {"AFM": 20}, "C": {"AFM": 10}})
    assert lines(stage(scores, disqualified="A"))[:2] == lines(without)


def test_an_entry_that_withdraws_keeps_its_games_in_the_ranks():
    scores = {"A": {"AFM": 30}, "B": {"AFM": 20}}
    assert lines(stage(scores, withdrawn="A")) == lines(stage(scores))


def test_a_cancelled_machine_is_not_ranked_and_gives_the_game_back():
    scores = {"A": {"AFM": 30, "MM": 10}, "B": {"AFM": 20, "MM": 20}}
    table = tabulate(stage(scores, states={"AFM": MachineState.CANCELLED}), SHORT)
    assert machine("AFM") not in table.machines
    assert [(letters([row.entry]), row.points, row.games) for row in table.rows] == [("B", 10, 1), ("A", 7, 1)]


def test_a_machine_let_stand_stays_in_the_ranks():
    scores = {"A": {"AFM": 30, "MM": 10}, "B": {"AFM": 20, "MM": 20}}
    assert lines(stage(scores, states={"AFM": MachineState.LET_STAND})) == lines(stage(scores))


def test_count_back_compares_the_best_single_results_first():
    table = tabulate(stage({"A": {"AFM": 9, "MM": 1}, "B": {"AFM": 5, "MM": 5}, "C": {"AFM": 1, "MM": 9}}), SHORT)
    assert [count_back(table.row(entry(name))) for name in "ABC"] == [(10, 4), (7, 7), (10, 4)]


def test_a_game_without_points_counts_for_no_more_than_a_game_not_played():
    table = tabulate(stage({"A": {"AFM": 9, "MM": 1}, "B": {"MM": 9}}), rules(points=(10,)))
    assert count_back(table.row(entry("A"))) == count_back(table.row(entry("B"))) == (10,)


def test_the_reason_for_a_place_tells_every_step():
    facts = stage({"A": {"AFM": 1_500_000, "MM": 7}, "B": {"AFM": 1_500_000, "MM": 9}, "C": {"TZ": 1, "MM": 8}})
    assert why(entry("A"), facts, tabulate(facts, SHORT), SHORT) == (
        "Machine AFM: 1,500,000 is 1st= of 2, 10 points.",
        "Machine MM: 7 is 3rd of 3, 4 points.",
        "10 + 4 = 14 points.",
        "2 have more points: 3rd.",
    )
    assert why(entry("B"), facts, tabulate(facts, SHORT), SHORT)[-2:] == (
        "10 + 10 = 20 points.",
        "Nobody has more points: 1st.",
    )


def test_the_reason_names_who_shares_the_place_and_what_does_not_count():
    by = rules(games_allowed=2, games_counted=1, points=(3, 1))
    facts = stage({"A": {"AFM": 9, "MM": 1}, "B": {"MM": 9}, "C": {"TZ": 4}, "D": {"AFM": 1}}, withdrawn="D")
    table = tabulate(facts, by)
    assert why(entry("A"), facts, table, by) == (
        "Machine AFM: 9 is 1st of 2, 3 points.",
        "Machine MM: 1 point, not among the best 1 and not counted.",
        "Total 3 points.",
        "Nobody has more points: 1st=.",
        "Level on points with 2 Player B and 3 Player C; the place is shared.",
    )
    assert why(entry("D"), facts, table, by)[-1] == (
        "Player D has withdrawn: the games stay ranked, the next in order takes the place."
    )


def test_the_reason_for_no_place_is_said():
    facts = stage({"A": {}, "B": {"AFM": 1}}, disqualified="B")
    table = tabulate(facts, SHORT)
    assert why(entry("A"), facts, table, SHORT) == ("Player A has no ranked games yet and is not ranked.",)
    assert why(entry("B"), facts, table, SHORT) == ("Player B is disqualified: all games are out of every rank.",)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (12, "12th"),
        (13, "13th"),
        (21, "21st"),
        (22, "22nd"),
        (101, "101st"),
        (111, "111th"),
        (112, "112th"),
        (5000, "5000th"),
    ],
)
def test_places_are_said_as_people_say_them(place, words):
    assert place_words(place) == words
    assert place_words(place, shared=True) == f"{words}="


@given(RULES, st.integers(0, 2**32), st.randoms())
def test_the_order_of_the_facts_changes_nothing(by, seed, random):
    facts = random_facts(by, seed)
    shuffled = {name: list(getattr(facts, name)) for name in ("entrants", "machines", "played", "playing", "waiting")}
    for facts_of_a_kind in shuffled.values():
        random.shuffle(facts_of_a_kind)
    again = replace(facts, **{name: tuple(chosen) for name, chosen in shuffled.items()})
    assert tabulate(again, by) == tabulate(facts, by) == tabulate(facts, by)


@given(RULES, st.integers(0, 2**32), st.randoms())
def test_other_ids_and_numbers_change_no_place_and_no_points(by, seed, random):
    facts = random_facts(by, seed)
    again, new = relabelled(facts, random)
    expected = {new[row.entry]: (row.place, row.shared, row.points, row.games) for row in tabulate(facts, by).rows}
    assert {r.entry: (r.place, r.shared, r.points, r.games) for r in tabulate(again, by).rows} == expected


@given(RULES, st.integers(0, 2**32), st.integers(0, 9))
def test_a_better_score_never_worsens_its_owners_place_or_points(by, seed, more):
    facts = replace(random_facts(by, seed), waiting=(), phase=Phase.CLOSED)
    before = tabulate(facts, by)
    for index, (who, on, value) in enumerate(facts.played):
        raised = facts.played[index]._replace(value=value + more)
        played = (*facts.played[:index], raised, *facts.played[index + 1 :])
        after = tabulate(replace(facts, played=played), by)
        if before.row(who).place is not None:
            assert after.row(who).points >= before.row(who).points, (who, on)
            assert after.row(who).place <= before.row(who).place


def test_numbers_steady_the_display_of_a_tie_on_a_machine():
    results = tabulate(stage({"C": {"AFM": 5}, "A": {"AFM": 5}, "B": {"AFM": 9}}), SHORT).machines[machine("AFM")]
    assert letters(result.entry for result in results) == "BAC"
