from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tournaments.domain.random_stage import RULES, games_left, possible_games, random_facts
from tests.tournaments.domain.stage import entry, machine, rules, stage
from tournaments.domain.advancement import Need, cut, needs
from tournaments.domain.facts import MachineState, Phase, Played, Standing
from tournaments.domain.ranking import BETTER
from tournaments.domain.scores import HIGHEST
from tournaments.domain.standings import tabulate

SHORT = rules(games_allowed=2, points=(10, 7, 4, 2))
TWO = ("AFM", "MM")


def asked(name, facts, qualifiers=1, by=SHORT):
    """What an entry needs, by machine code."""
    answers = needs(entry(name), facts, tabulate(facts, by), by, qualifiers)
    codes = {one.id: one.code for one in facts.machines}
    return {codes[need.machine]: need for need in answers}


def prices(need):
    return [(price.place, price.points, price.at_least) for price in need.prices]


def test_an_equal_score_shares_the_better_place():
    facts = stage({"A": {"AFM": 50}, "B": {"AFM": 50}, "C": {"AFM": 20}, "D": {}}, machines=TWO)
    assert prices(asked("D", facts)["AFM"]) == [(1, 10, 50), (3, 4, 20), (4, 2, 0)]
    assert prices(asked("D", facts)["MM"]) == [(1, 10, 0)]


def test_where_ties_earn_the_worse_place_a_score_has_to_be_beaten():
    by = replace(SHORT, tied_scores="worse")
    facts = stage({"A": {"AFM": 50}, "B": {"AFM": 50}, "C": {"AFM": 20}, "D": {}}, machines=TWO)
    assert prices(asked("D", facts, by=by)["AFM"]) == [(1, 10, 51), (3, 4, 21), (4, 2, 0)]


def test_the_highest_score_of_all_cannot_be_beaten():
    by = replace(SHORT, tied_scores="worse")
    facts = stage({"A": {"AFM": HIGHEST}, "D": {}}, machines=TWO)
    assert prices(asked("D", facts, by=by)["AFM"]) == [(2, 7, 0)]
    assert asked("D", facts, by=by)["AFM"].inside_at is None


def test_the_score_that_goes_inside_the_cut_may_have_to_pass_a_rival():
    """A has 10 + 10 + 6 points, B 6 + 10. First place on MM shared with A makes them level; alone, it costs A four."""
    by = rules(games_allowed=3, points=(10, 6, 1))
    facts = stage({"A": {"AFM": 50, "MM": 30, "CV": 20}, "B": {"AFM": 40, "TZ": 30}, "C": {"CV": 30}})
    assert asked("B", facts, by=by)["MM"].inside_at == 31
    assert asked("B", facts, by=by, qualifiers=2)["MM"].inside_at == 0


def test_any_score_will_do_for_who_is_inside_already():
    facts = stage({"A": {"AFM": 50}, "B": {"AFM": 40}}, machines=TWO)
    assert asked("A", facts)["MM"].inside_at == 0


def test_no_score_is_enough_when_the_others_are_too_far_ahead():
    by = rules(games_allowed=3, points=(10, 7, 4, 2))
    facts = stage({"A": {"AFM": 50, "MM": 50, "TZ": 50}, "B": {}}, machines=("AFM", "MM", "TZ", "CV"))
    assert asked("B", facts, by=by)["CV"].inside_at is None


def test_a_level_total_is_not_inside():
    facts = stage({"A": {"AFM": 50}, "B": {}}, machines=TWO)
    assert asked("B", facts)["MM"].inside_at is None
    assert asked("B", facts)["AFM"].inside_at == 51


def test_with_repeats_only_a_better_score_has_a_price():
    by = rules(games_allowed=4, games_per_machine=2, points=(10, 7, 4, 2))
    facts = stage({"A": {"AFM": 50}, "B": {"AFM": 40}, "C": {"AFM": 30}}, machines=TWO)
    assert prices(asked("B", facts, by=by)["AFM"]) == [(1, 10, 50)]
    assert prices(asked("A", facts, by=by)["AFM"]) == []
    assert asked("B", facts, by=by)["AFM"].inside_at == 51


@pytest.mark.parametrize("phase", [Phase.PLANNED, Phase.CLOSING, Phase.CLOSED])
def test_nothing_can_be_played_unless_the_stage_is_open(phase):
    facts = stage({"A": {}}, machines=TWO, phase=phase)
    assert asked("A", facts)["AFM"] == Need(machine("AFM"), (), None, False)


def test_who_has_withdrawn_cannot_play():
    assert not asked("A", stage({"A": {}}, machines=TWO, withdrawn="A"))["AFM"].playable


def test_machines_are_offered_in_the_order_of_their_codes_and_closed_ones_are_not():
    facts = stage({"A": {}}, machines=("TZ", "MM", "AFM"), states={"MM": MachineState.LET_STAND})
    assert list(asked("A", facts)) == ["AFM", "TZ"]


def test_a_machine_played_before_is_not_playable_again_without_repeats():
    answers = asked("A", stage({"A": {"AFM": 5}}, machines=TWO))
    assert {code: need.playable for code, need in answers.items()} == {"AFM": False, "MM": True}


def test_a_running_game_uses_up_the_last_one_elsewhere():
    facts = stage({"A": {"AFM": 5}}, machines=("AFM", "MM", "TZ"), playing=[("A", "MM")])
    assert {code: need.playable for code, need in asked("A", facts).items()} == {"AFM": False, "MM": True, "TZ": False}


@settings(max_examples=300)
@given(RULES, st.integers(1, 4), st.integers(0, 2**32))
def test_every_answer_is_what_the_table_says_after_that_score(rules, qualifiers, seed):
    facts = replace(random_facts(rules, seed), phase=Phase.OPEN)
    table = tabulate(facts, rules)
    for entrant in facts.entrants:
        for need in needs(entrant.id, facts, table, rules, qualifiers):
            running = (entrant.id, need.machine) in facts.playing
            assert need.playable == (
                entrant.standing == Standing.IN
                and (running or (entrant.id, need.machine) in possible_games(facts, rules))
            )
            if need.playable:
                check_prices(entrant.id, need, facts, table, rules)
                check_inside_at(entrant.id, need, facts, rules, qualifiers)


def after(entry, need, facts, rules, score):
    """The facts and the table once the entry has this score on the machine as well."""
    scored = replace(facts, played=(*facts.played, Played(entry, need.machine, score)))
    return scored, tabulate(scored, rules)


def earned(entry, need, facts, rules, score):
    """Place and points on the machine; the place by the number of scores that come before for points."""
    _, table = after(entry, need, facts, rules, score)
    results = table.machines[need.machine]
    own = next(result for result in results if result.entry == entry)
    level = sum(result.value == own.value for result in results)
    return own.place + (0 if rules.tied_scores == BETTER else level - 1), own.points


def check_prices(entry, need, facts, table, rules):
    own = next((r.value for r in table.row(entry).results if r.machine == need.machine), -1)
    expected = {}
    for score in range(12):
        if score > own:
            place, points = earned(entry, need, facts, rules, score)
            expected.setdefault(place, (place, points, score))
    now = {} if own < 0 else {earned(entry, need, facts, rules, own)[0]}
    listed = [price[1:] for price in need.prices]
    assert [price for price in listed if price[0] not in now] == [
        expected[place] for place in sorted(expected) if place not in now
    ]
    assert listed == sorted(listed)


def check_inside_at(entry, need, facts, rules, qualifiers):
    inside = []
    for score in range(12):
        scored, table = after(entry, need, facts, rules, score)
        inside.append(entry in cut(scored, table, rules, qualifiers).inside)
    assert inside == sorted(inside)
    assert need.inside_at == (inside.index(True) if True in inside else None)


def test_a_running_game_counts_as_one_that_is_used_up():
    facts = stage({"A": {}}, playing=[("A", "MM")])
    assert games_left(facts, SHORT, entry("A")) == 1
