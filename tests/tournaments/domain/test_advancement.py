from dataclasses import replace
from itertools import pairwise
from random import Random

import pytest

from tests.tournaments.domain.stage import entries, entry, letters, rules, stage
from tournaments.domain.advancement import Status, cut, lots_wanted, reserves, seeding
from tournaments.domain.facts import Decision, Entrant, MachineState, Phase, Played, StageFacts, StageMachine, Standing
from tournaments.domain.refusals import NeedsDecision
from tournaments.domain.standings import tabulate

SHORT = rules(games_allowed=2, points=(10, 7, 4, 2))
TIED = {
    "A": {"AFM": 40, "MM": 40},
    "B": {"AFM": 30, "MM": 10},
    "C": {"AFM": 10, "MM": 30},
    "D": {"AFM": 20, "MM": 20},
}
"""A has 20 points; B and C have 9 each, from 7 and 2; D has 8."""


def line(facts, qualifiers, by=SHORT):
    return cut(facts, tabulate(facts, by), by, qualifiers)


def statuses(facts, qualifiers, by=SHORT):
    """A letter for each status, in the order of the alphabet: t, l, p or o."""
    outlooks = line(facts, qualifiers, by).outlooks
    return "".join(outlooks[entrant.id].status[0] for entrant in sorted(facts.entrants, key=lambda e: e.number))


def seeds(facts, qualifiers, lots="", by=SHORT):
    return seeding(facts, tabulate(facts, by), by, qualifiers, entries(lots))


def test_a_closed_stage_without_ties_is_certain():
    now = line(stage(TIED, phase=Phase.CLOSED), 1)
    assert (letters(now.inside), now.level, now.open_places, now.line_after, now.certain) == ("A", (), 0, 1, True)
    assert statuses(stage(TIED, phase=Phase.CLOSED), 1) == "tooo"


def test_a_tie_across_the_cut_stays_level_until_somebody_decides():
    now = line(stage(TIED, phase=Phase.CLOSED), 2)
    assert (letters(now.inside), letters(now.level), now.open_places) == ("A", "BC", 1)
    assert (now.line_after, now.certain) == (1, False)
    assert statuses(stage(TIED, phase=Phase.CLOSED), 2) == "tllo"


def test_a_tie_that_fits_inside_the_cut_is_through():
    assert statuses(stage(TIED, phase=Phase.CLOSED), 3) == "ttto"
    assert letters(line(stage(TIED, phase=Phase.CLOSED), 3).inside) == "ABC"


@pytest.mark.parametrize("kind", ["play-off", "order"])
def test_a_decision_about_the_whole_tie_settles_the_cut(kind):
    facts = stage(TIED, phase=Phase.CLOSED, decisions=[(kind, "CB")])
    now = line(facts, 2)
    assert (letters(now.inside), now.level, now.open_places, now.certain) == ("AC", (), 0, True)
    assert now.line_after is None  # B stands above C in the table: no line has only the right rows above it
    assert statuses(facts, 2) == "toto"
    assert line(replace(facts, decisions=stage(TIED, decisions=[(kind, "BC")]).decisions), 2).line_after == 2


def test_the_latest_decision_counts():
    assert statuses(stage(TIED, phase=Phase.CLOSED, decisions=[("play-off", "CB"), ("order", "BC")]), 2) == "ttoo"


@pytest.mark.parametrize("decision", [("play-off", "B"), ("order", "BD"), ("lots", "BC")])
def test_a_decision_about_others_or_by_lots_does_not_settle_the_cut(decision):
    assert statuses(stage(TIED, phase=Phase.CLOSED, decisions=[decision]), 2) == "tllo"


def test_a_decision_never_overrides_points():
    assert statuses(stage(TIED, phase=Phase.CLOSED, decisions=[("order", "DCBA")]), 2) == "toto"
    assert statuses(stage(TIED, phase=Phase.CLOSED, decisions=[("order", "DCBA")]), 1) == "tooo"


def test_a_decision_waits_until_the_stage_is_closed():
    assert statuses(stage(TIED, phase=Phase.CLOSING, decisions=[("play-off", "CB")], may_enter=1), 2) == "tllp"


def test_while_games_are_to_come_nobody_is_certain_without_reason():
    assert statuses(stage({"A": {"AFM": 9}, "B": {"AFM": 8}, "C": {}}), 1) == "ppp"
    assert statuses(stage({"A": {"AFM": 9}, "B": {"AFM": 8}, "C": {}}), 3) == "ttp"


def test_with_places_for_everybody_newcomers_still_count():
    assert statuses(stage({"A": {"AFM": 9}, "B": {"AFM": 8}}), 2) == "tt"
    assert statuses(stage({"A": {"AFM": 9}, "B": {"AFM": 8}}, may_enter=1), 2) == "pp"


def test_worst_and_best_totals_are_those_of_the_worst_and_the_best_day():
    facts = stage({"A": {"AFM": 40, "MM": 40}, "B": {"AFM": 30}, "C": {"AFM": 20, "MM": 20}})
    outlooks = line(facts, 1).outlooks
    assert outlooks[entry("A")][2:] == (17, 20, 0)
    assert outlooks[entry("B")][2:] == (7, 17, 1)
    assert outlooks[entry("C")][2:] == (8, 11, 0)


def test_others_cannot_pass_more_often_than_they_have_games():
    """Two entries have one game each: they can cost A two steps, not one on every machine."""
    by = rules(games_allowed=3, points=(10, 7, 4, 2))
    facts = stage({"A": {"AFM": 9, "MM": 9, "TZ": 9}, "B": {"CV": 1, "FT": 1}, "C": {"CV": 2, "FT": 2}})
    assert line(facts, 1, by).outlooks[entry("A")].worst == 30 - 3 - 3


def test_a_relative_scale_takes_nothing_away_when_others_pass():
    by = rules(games_allowed=2, points="count-down")
    facts = stage({"A": {"AFM": 9, "MM": 9}, "B": {"AFM": 5}, "C": {"MM": 12}})
    outlook = line(facts, 1, by).outlooks[entry("A")]
    assert (outlook.worst, outlook.best) == (3, 5)


def test_on_a_relative_scale_with_repeats_each_game_of_others_costs_at_most_one_point():
    by = rules(games_allowed=3, games_per_machine=2, points="count-down")
    facts = stage({"A": {"AFM": 9, "MM": 9, "TZ": 9}, "B": {"AFM": 5, "MM": 5}, "C": {"CV": (1, 2), "FT": 1}})
    assert line(facts, 1, by).outlooks[entry("A")][2:4] == (4, 6)


def test_on_a_relative_scale_a_game_of_others_where_nobody_can_be_passed_costs_nothing():
    by = rules(games_allowed=2, points="count-down")
    facts = stage({"A": {"AFM": 9, "MM": 9}, "B": {"TZ": 5}})
    assert line(facts, 1, by).outlooks[entry("A")][2:4] == (2, 4)


def test_when_only_the_best_results_count_a_further_game_never_lowers_the_worst_total():
    """B has one game left, which could pass A on either machine; with a third result A would have one to spare."""
    by = rules(games_allowed=3, games_counted=2, points=(10, 7, 4, 2))
    card = {"AFM": 9, "MM": 9}
    others = {"B": {"CV": 1, "FT": 1}}
    assert line(stage({"A": card, **others}), 1, by).outlooks[entry("A")].worst == 14
    assert line(stage({"A": card | {"TZ": 0}, **others}), 1, by).outlooks[entry("A")].worst == 14


def test_with_repeats_who_has_used_all_attempts_on_a_machine_cannot_pass_there():
    by = rules(games_allowed=5, games_per_machine=2, points=(10, 7, 4, 2))
    scores = {"A": {"AFM": 9, "MM": 9}, "B": {"AFM": (1, 2), "MM": (1, 2)}}
    assert line(stage(scores, machines=["AFM", "MM"]), 1, by).outlooks[entry("A")].worst == 20
    scores["B"] = {"AFM": (1, 2), "MM": 2}
    assert line(stage(scores, machines=["AFM", "MM"]), 1, by).outlooks[entry("A")].worst == 17


def test_with_repeats_nobody_can_be_passed_by_himself():
    by = rules(games_allowed=4, games_counted=1, games_per_machine=2, points=(10, 7, 4, 2))
    facts = stage({"A": {"AFM": 9}, "B": {"AFM": 5}}, machines=["AFM"], withdrawn="B")
    assert line(facts, 1, by).outlooks[entry("A")].worst == 10


def test_the_best_day_of_who_ties_for_the_worse_place_is_that_the_other_result_goes():
    by = replace(SHORT, tied_scores="worse")
    facts = stage({"A": {"AFM": 9}, "B": {"AFM": 9}}, phase=Phase.CLOSED, waiting=[("B", "AFM")])
    assert line(facts, 1, by).outlooks[entry("A")][2:4] == (7, 10)


def test_where_ties_earn_the_worse_place_level_results_do_not_threaten_once_more():
    by = rules(games_allowed=2, games_counted=1, games_per_machine=2, points=(10, 7, 4, 2), tied_scores="worse")
    facts = stage({"A": {"AFM": (9, 9)}, "B": {"AFM": 9}}, machines=["AFM"])
    assert line(facts, 1, by).outlooks[entry("A")].worst == 7


def test_a_result_of_ones_own_that_waits_is_nobody_elses_game():
    by = rules(games_allowed=3, points=(10, 7, 4, 2))
    facts = stage({"A": {"AFM": 9, "MM": 9, "TZ": 9}, "B": {"CV": 1, "FT": 1}}, waiting=[("A", "AFM")])
    assert line(facts, 1, by).outlooks[entry("A")].worst == 0 + 10 + 7


def test_a_running_repeat_on_a_machine_closed_since_may_still_win_it():
    by = rules(games_allowed=3, games_per_machine=2, points=(10, 7, 4, 2))
    stands = {"AFM": MachineState.LET_STAND}
    scores = {"A": {"AFM": 5}, "B": {"AFM": (9, 8)}}
    assert line(stage(scores, machines=["AFM"], states=stands), 1, by).outlooks[entry("A")].best == 7
    running = stage(scores, machines=["AFM"], states=stands, playing=[("A", "AFM")])
    assert line(running, 1, by).outlooks[entry("A")].best == 10


def test_a_running_game_is_expected_even_beyond_the_games_allowed():
    facts = stage({"A": {"AFM": 9, "MM": 9}, "B": {"AFM": 8, "MM": 8}}, playing=[("B", "TZ")])
    assert line(facts, 1).outlooks[entry("B")][2:] == (14, 17, 1)


def test_a_newcomer_who_can_draw_level_counts_against():
    facts = stage({"A": {"AFM": 9}}, machines=["AFM", "MM"], states={"AFM": MachineState.LET_STAND}, may_enter=1)
    by = rules(games_allowed=1, points=(10, 7, 4, 2))
    assert statuses(facts, 1, by) == "p"
    assert statuses(replace(facts, may_enter=0), 1, by) == "t"


def test_removing_a_no_show_never_takes_the_mark_away():
    """72 entered, 5 never play, 66 are done, 1 is still on; then the five are removed one by one."""
    by = rules()
    facts = hall(players=72, no_shows=5, still_on=1)
    marks = []
    for removed in range(6):
        gone = tuple(e._replace(standing=Standing.WITHDRAWN) if e.number <= removed else e for e in facts.entrants)
        outlooks = line(replace(facts, entrants=gone), 24, by).outlooks
        marks.append({one for one, outlook in outlooks.items() if outlook.status == Status.THROUGH})
    assert all(before <= after for before, after in pairwise(marks))
    assert marks[0]
    assert len(marks[-1]) >= 20
    final = line(replace(facts, phase=Phase.CLOSED), 24, by)
    assert marks[-1] <= set(final.inside)


def hall(players, no_shows, still_on) -> StageFacts:
    """A qualifying as on the day: numbers 1 to `no_shows` never come, the next `still_on` have one game to go."""
    rnd = Random(2010)
    machines = tuple(StageMachine(i, f"M{i:02}", f"Machine {i}") for i in range(12))
    entrants = tuple(Entrant(players - i, i + 1, f"Player {i + 1}") for i in range(players))
    played = [
        Played(entrant.id, machine, int(rnd.lognormvariate(16, 1)))
        for entrant in entrants[no_shows:]
        for machine in rnd.sample(range(12), 5 if entrant.number <= no_shows + still_on else 6)
    ]
    return StageFacts(Phase.OPEN, entrants, machines, tuple(played))


def test_no_games_is_never_through_and_two_of_six_only_if_the_points_say_so():
    by = rules(games_allowed=6)
    facts = stage(
        {"A": {"AFM": 90, "MM": 90}, "B": {"TZ": 1, "TAF": 1, "CV": 1}, "C": {}},
        phase=Phase.CLOSED,
    )
    now = line(facts, 2, by)
    assert letters(now.inside) == "BA"
    assert statuses(facts, 3, by) == "tto"
    assert now.outlooks[entry("C")][2:] == (-1, -1, 0)
    assert statuses(replace(facts, phase=Phase.OPEN), 3, by) == "ttp"


def test_a_result_that_waits_for_a_choice_does_not_make_anybody_certain():
    """B's second result on AFM may be anything: neither A nor B nor C is sure of the only place."""
    scores = {"A": {"AFM": 30, "MM": 30}, "B": {"AFM": 20, "MM": 20}, "C": {"AFM": 10, "MM": 10}}
    settled = stage(scores, phase=Phase.CLOSED)
    waiting = stage(scores, phase=Phase.CLOSED, waiting=[("B", "AFM")])
    assert statuses(settled, 2) == "tto"
    assert statuses(waiting, 2) == "tpp"
    assert line(waiting, 2).inside == line(settled, 2).inside
    assert not line(waiting, 2).certain
    assert line(waiting, 2).outlooks[entry("B")][2:4] == (7, 17)
    assert line(waiting, 2).outlooks[entry("A")][2:4] == (17, 20)
    assert line(waiting, 2).outlooks[entry("C")][2:4] == (8, 11)


def test_what_waits_on_a_cancelled_machine_or_for_a_disqualified_entry_does_not_matter():
    scores = {"A": {"AFM": 30, "MM": 30}, "B": {"AFM": 20, "MM": 20}, "C": {"TZ": 10}}
    facts = stage(
        scores,
        phase=Phase.CLOSED,
        states={"TZ": MachineState.CANCELLED},
        disqualified="B",
        waiting=[("A", "TZ"), ("B", "AFM")],
    )
    assert line(facts, 1).certain


def test_who_withdrew_is_passed_over_and_the_next_comes_in():
    facts = stage(TIED, phase=Phase.CLOSED, withdrawn="A")
    now = line(facts, 2)
    assert letters(now.inside) == "BC"
    assert statuses(facts, 2) == "otto"
    assert now.line_after == 3
    assert now.outlooks[entry("A")][2:] == (20, 20, 0)


def test_who_withdrew_still_finishes_a_running_game_and_nothing_more():
    scores = {"A": {"AFM": 30, "MM": 30}, "B": {"AFM": 20, "MM": 20}, "C": {}}
    assert line(stage(scores, withdrawn="C"), 1).outlooks[entry("A")].worst == 20
    running = stage(scores, withdrawn="C", playing=[("C", "AFM")])
    assert line(running, 1).outlooks[entry("A")].worst == 17


def test_a_machine_let_stand_takes_no_new_scores():
    scores = {"A": {"AFM": 30, "MM": 30}, "B": {"TZ": 20, "CV": 20}, "C": {"TZ": 10}}
    stands = dict.fromkeys(["AFM", "MM"], MachineState.LET_STAND)
    assert line(stage(scores), 1).outlooks[entry("A")].worst == 17
    assert line(stage(scores, states=stands), 1).outlooks[entry("A")].worst == 20
    assert line(stage(scores, states=stands, playing=[("C", "AFM")]), 1).outlooks[entry("A")].worst == 17


def test_before_the_machines_are_there_nobody_is_out():
    assert statuses(stage({"A": {}, "B": {}}, machines=(), phase=Phase.PLANNED), 1) == "pp"


def test_a_disqualified_entry_is_out_whatever_it_scored_and_the_others_move_up():
    """Without A the other three have 14 points each."""
    now = line(stage(TIED, phase=Phase.CLOSED, disqualified="A"), 2)
    assert (letters(now.level), now.open_places, now.line_after) == ("BCD", 2, 0)
    assert now.outlooks[entry("A")] == (entry("A"), Status.OUT, -1, -1, 0)


def test_when_fewer_are_ranked_than_go_on_all_of_them_do():
    facts = stage({"A": {"AFM": 1}, "B": {"AFM": 2}, "C": {}}, phase=Phase.CLOSED)
    now = line(facts, 24)
    assert (letters(now.inside), now.line_after, now.certain) == ("BA", None, True)
    assert letters(seed.entry for seed in seeds(facts, 24)) == "BA"


def test_seeds_are_by_place():
    assert [(s.seed, letters([s.entry]), s.why) for s in seeds(stage(TIED, phase=Phase.CLOSED), 1)] == [
        (1, "A", "by place")
    ]


def test_a_tie_across_the_cut_is_refused_and_everybody_in_it_is_named():
    with pytest.raises(NeedsDecision) as refused:
        seeds(stage(TIED, phase=Phase.CLOSED), 2)
    assert refused.value.sentence == (
        "2 Player B and 3 Player C are level at the cut:"
        " a play-off game of 2 players for 1 place, or a ruling, decides."
    )
    assert (refused.value.settle, letters(refused.value.about), refused.value.status) == ("tie", "BC", 409)


def test_a_tie_across_the_cut_is_settled_before_lots_are_drawn():
    scores = {"A": {"AFM": 9}, "B": {"MM": 9}, "C": {"AFM": 8}, "D": {"MM": 8}}
    with pytest.raises(NeedsDecision) as refused:
        seeds(stage(scores, phase=Phase.CLOSED), 3)
    assert refused.value.settle == "tie"


def test_a_larger_tie_is_for_several_places():
    facts = stage({name: {"AFM": 5} for name in "DBCA"}, phase=Phase.CLOSED)
    with pytest.raises(
        NeedsDecision, match="1 Player A, 2 Player B, 3 Player C and 4 Player D are level at the cut: a"
    ):
        seeds(facts, 2)
    with pytest.raises(NeedsDecision, match="a play-off game of 4 players for 2 places, or a ruling, decides"):
        seeds(facts, 2)


def test_the_winner_of_the_play_off_goes_on():
    facts = stage(TIED, phase=Phase.CLOSED, decisions=[("play-off", "CB")])
    assert [(letters([s.entry]), s.why) for s in seeds(facts, 2)] == [
        ("A", "by place"),
        ("C", "level on points with 2 Player B, by play-off"),
    ]


def test_inside_the_cut_the_better_single_results_go_first():
    """A has 7 + 7 and B 10 + 4 points."""
    facts = stage(
        {"A": {"AFM": 2, "MM": 2}, "B": {"TZ": 3, "CV": 1}, "C": {"AFM": 3, "CV": 2}, "D": {"MM": 3, "CV": 3}},
        phase=Phase.CLOSED,
    )
    assert [(letters([s.entry]), s.why) for s in seeds(facts, 4)] == [
        ("D", "by place"),
        ("C", "by place"),
        ("B", "level on points with 1 Player A, ahead by count-back 10 against 7"),
        ("A", "level on points with 2 Player B, behind by count-back 7 against 10"),
    ]


LOTS = {"C": {"AFM": 30}, "A": {"MM": 30}, "B": {"TZ": 30}, "D": {"AFM": 20}}


def test_who_is_level_on_everything_inside_the_cut_needs_lots():
    facts = stage(LOTS, phase=Phase.CLOSED)
    assert [letters(tied) for tied in lots_wanted(facts, tabulate(facts, SHORT), SHORT, 4)] == ["ABC"]
    with pytest.raises(NeedsDecision) as refused:
        seeds(facts, 4)
    assert refused.value.sentence == (
        "1 Player A, 2 Player B and 3 Player C are level on points and on count-back: lots decide."
    )
    assert (refused.value.settle, letters(refused.value.about)) == ("lots", "ABC")
    assert [letters([s.entry]) for s in seeds(facts, 4, lots="BDCA")] == ["B", "C", "A", "D"]
    assert (
        seeds(facts, 4, lots="BDCA")[0].why == "level on points and count-back with 1 Player A and 3 Player C, by lots"
    )


def test_lots_that_miss_somebody_are_not_enough():
    with pytest.raises(NeedsDecision):
        seeds(stage(LOTS, phase=Phase.CLOSED), 4, lots="BC")


def test_recorded_lots_are_not_asked_for_again_and_a_ruling_goes_before_them():
    facts = stage(LOTS, phase=Phase.CLOSED, decisions=[("lots", "CAB")])
    assert lots_wanted(facts, tabulate(facts, SHORT), SHORT, 4) == ()
    assert letters(s.entry for s in seeds(facts, 4)) == "CABD"
    ruled = stage(LOTS, phase=Phase.CLOSED, decisions=[("order", "ACB"), ("lots", "CAB")])
    assert letters(s.entry for s in seeds(ruled, 4, lots="BCA")) == "ACBD"
    assert seeds(ruled, 4)[0].why == "level on points with 2 Player B and 3 Player C, by ruling"


def test_lots_are_wanted_only_inside_the_cut():
    facts = stage(LOTS, phase=Phase.CLOSED)
    assert lots_wanted(facts, tabulate(facts, SHORT), SHORT, 2) == ()


def test_count_back_takes_who_it_can_and_lots_the_rest():
    """All on 14: A and B from 10 and 4, C from 7 and 7; only A and B need lots."""
    facts = stage(
        {
            "A": {"AFM": 9, "MM": 1},
            "B": {"TZ": 9, "TAF": 1},
            "C": {"CV": 5, "FT": 5},
            "D": {"CV": 9, "MM": 9, "TAF": 9},
            "E": {"FT": 9, "MM": 5, "TAF": 5},
        },
        phase=Phase.CLOSED,
    )
    by = rules(games_allowed=3, points=(10, 7, 4, 2))
    assert [letters(tied) for tied in lots_wanted(facts, tabulate(facts, by), by, 5)] == ["AB"]
    assert letters(s.entry for s in seeds(facts, 5, lots="BA", by=by)) == "DEBAC"
    assert seeds(facts, 5, lots="BA", by=by)[-1].why == (
        "level on points with 1 Player A and 2 Player B, behind by count-back 7 against 10"
    )


def next_in(facts, seated, by=SHORT):
    return [letters(placed.entries) for placed in reserves(facts, tabulate(facts, by), entries(seated))]


def test_whoever_comes_in_for_a_leaver_is_the_next_by_place_and_by_the_decision_among_those_level():
    assert next_in(stage(TIED, phase=Phase.CLOSED, decisions=[("play-off", "CB")]), "A") == ["C", "B", "D"]
    assert next_in(stage(TIED, phase=Phase.CLOSED, decisions=[("play-off", "CB")]), "AC") == ["B", "D"]
    assert next_in(stage(TIED, phase=Phase.CLOSED, decisions=[("play-off", "CB")], withdrawn="C"), "A") == ["B", "D"]


def test_who_is_level_without_a_decision_comes_in_with_an_equal_claim():
    assert next_in(stage(TIED, phase=Phase.CLOSED), "A") == ["BC", "D"]
    assert next_in(stage(TIED, phase=Phase.CLOSED, decisions=[("lots", "CB")]), "A") == ["BC", "D"]


def test_those_level_in_a_play_off_are_parted_by_the_next_one():
    facts = stage(TIED, phase=Phase.CLOSED)
    level = Decision("play-off", entries("BC"), level=(entries("BC"),))

    assert next_in(replace(facts, decisions=(level,)), "A") == ["BC", "D"]
    assert next_in(replace(facts, decisions=(level, Decision("order", entries("CB")))), "A") == ["C", "B", "D"]
