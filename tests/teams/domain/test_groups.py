"""The points of matches and bonus games, who wins a group, and the reasons."""

import pytest

from teams.domain.groups import (
    Fate,
    as_group,
    between_winners,
    bonus_ranking,
    standings,
)
from teams.format import TeamRules
from tests.teams.domain.groups import (
    AWAY,
    BONUS,
    CIRCLE,
    RULES,
    WHOLE,
    facts,
    part,
    places,
    play_off,
    points,
    table,
    why,
)
from tests.tournaments.domain.stage import entry, letters
from tournaments.domain.facts import Entrant, Met, Part, Played, StageFacts

FALLING = {"A": 400, "B": 300, "C": 200, "D": 100}
LEVEL = {"A": 5, "B": 5, "C": 5, "D": 1}


# Points


def test_a_match_brings_its_winner_five_points_and_the_bonus_game_nine_five_two_and_none():
    found = table(WHOLE, FALLING)

    assert points(found) == {"A": (15, 9), "B": (10, 5), "C": (5, 2), "D": (0, 0)}
    assert places(found) == "A1 B2 C3 D4"
    assert found.outcome.decided
    assert [(line.won, line.lost, line.outstanding) for line in found.lines] == [
        (3, 0, 0),
        (2, 1, 0),
        (1, 2, 0),
        (0, 3, 0),
    ]


def test_the_bonus_game_may_outweigh_a_match():
    found = table(WHOLE, {"A": 100, "B": 400, "C": 300, "D": 200})

    assert points(found) == {"B": (10, 9), "A": (15, 0), "C": (5, 5), "D": (0, 2)}
    assert places(found) == "B1 A2 C3 D4"


def test_equal_bonus_scores_share_the_better_points():
    assert points(table(bonus={"A": 9, "B": 9, "C": 5, "D": 5})) == {
        "A": (0, 9),
        "B": (0, 9),
        "C": (0, 2),
        "D": (0, 2),
    }


def test_a_group_of_three_scores_nine_five_and_two():
    found = table({"AB": (2, 1), "AC": (2, 1), "BC": (2, 1)}, {"A": 3, "B": 2, "C": 1}, groups={"A": "ABC"})

    assert points(found) == {"A": (10, 9), "B": (5, 5), "C": (0, 2)}


def test_other_points_are_a_matter_of_the_rules():
    [found] = standings(facts(WHOLE, FALLING), TeamRules(match_points=3, bonus=(4, 2)))

    assert points(found) == {"A": (9, 4), "B": (6, 2), "C": (3, 0), "D": (0, 0)}


def test_a_score_outside_any_match_is_the_bonus_score():
    found = table(WHOLE, solo=FALLING.items())

    assert points(found) == {"A": (15, 9), "B": (10, 5), "C": (5, 2), "D": (0, 0)}


def test_the_score_of_the_dealt_bonus_game_counts_and_of_others_the_best_one():
    found = table(bonus={"A": 10, "B": None}, solo=[("A", 99), ("B", 30), ("B", 50), ("B", 40)])

    assert {letters([line.entry]): line.bonus.value for line in found.lines if line.bonus} == {"A": 10, "B": 50}


def test_a_level_match_brings_nothing_and_is_to_be_played_again():
    found = table({**WHOLE, "AB": (7, 7)}, FALLING)

    assert points(found)["A"] == (10, 9)
    assert letters(sorted(found.outcome.missing, reverse=True)) == "AB"
    assert not found.outcome.decided
    assert why(found, "A")[0] == "Level with 2 Bees, 7 to 7 on Taxi: to be played again."


def test_matches_without_a_score_and_bonus_games_without_one_are_still_to_come():
    found = table({"AB": (20, 10), "AC": (5, None)}, {"A": 400, "B": None})

    assert {letters([line.entry]): line.outstanding for line in found.lines} == {"A": 2, "B": 3, "C": 4, "D": 4}
    assert why(found, "A")[1:4] == (
        "The match against 3 Cats on Machine 1 is to come.",
        "The match against 4 Dogs on Machine 2 is to come.",
        "Bonus game on Bonus A: 400 is 1st of 1, 9 points.",
    )
    assert why(found, "B")[3] == "The bonus game has no score yet."
    assert why(found, "A")[-1] == "1st of the group so far."


def test_a_match_that_is_not_dealt_yet_is_to_come():
    stage = facts()
    [found] = standings(StageFacts(stage.phase, stage.entrants, stage.machines, ()), RULES)

    assert [line.outstanding for line in found.lines] == [4, 4, 4, 4]
    assert {duel.machine for line in found.lines for duel in line.duels} == {None}
    assert why(found, "A")[0] == "The match against 2 Bees is to come."


# Case 16, and who is not there


def test_case_16_five_minutes_late_is_nothing_to_five_and_a_slam_tilt_on_the_bonus_game_is_zero_and_last():
    found = table({**WHOLE, "AB": (AWAY, None)}, {"A": 0, "B": 300, "C": 200, "D": 100})

    assert points(found) == {"B": (15, 9), "A": (10, 0), "C": (5, 5), "D": (0, 2)}
    bonus = found.line(entry("A")).bonus
    assert (bonus.value, bonus.place, bonus.of) == (0, 4, 4)
    assert found.outcome.decided
    assert why(found, "B")[0] == "1 Ants did not play on Taxi: 5 points."
    assert why(found, "A")[0] == "Did not play against 2 Bees on Taxi: 0 points."
    assert (found.line(entry("B")).won, found.line(entry("A")).lost) == (3, 1)


def test_a_score_reached_by_who_is_out_of_the_match_does_not_count():
    stage = facts(WHOLE, FALLING)
    first, *others = stage.met
    one, other = first.parts
    out = first._replace(parts=(one._replace(away=True), other))
    [found] = standings(StageFacts(stage.phase, stage.entrants, stage.machines, (), met=(out, *others)), RULES)

    assert found.line(entry("B")).duels[0].fate == Fate.WALK_OVER
    assert points(found)["A"] == (10, 9)


def test_when_neither_team_comes_neither_has_points_and_the_match_is_over():
    found = table({**WHOLE, "CD": (AWAY, AWAY)}, FALLING)

    assert points(found)["C"] == (0, 2)
    assert found.outcome.decided
    assert why(found, "C")[2] == "Neither this team nor 4 Dogs played on Machine 5: 0 points."


def test_who_does_not_play_the_bonus_game_has_no_score_there_and_nothing_to_come():
    found = table(WHOLE, {**FALLING, "A": AWAY})

    assert points(found) == {"A": (15, 0), "B": (10, 9), "C": (5, 5), "D": (0, 2)}
    assert found.outcome.decided
    assert found.line(entry("A")).bonus is None
    assert "No score in the bonus game." in why(found, "A")


def test_no_bonus_score_is_said_to_be_missing_where_only_a_match_is_to_come():
    found = table({**WHOLE, "AD": (None, None)}, {**FALLING, "A": AWAY})

    assert "No score in the bonus game." in why(found, "A")


def test_a_team_that_has_withdrawn_keeps_what_it_played_and_has_no_place():
    found = table({**WHOLE, "CD": (10, 20), "AD": (None, AWAY)}, {**FALLING, "D": 900}, withdrawn="D")

    assert places(found) == "A1 B2 C3 D-"
    assert points(found) == {"A": (15, 5), "B": (10, 2), "C": (0, 0), "D": (5, 9)}
    assert found.outcome.decided
    assert [letters([f.entry]) for f in found.outcome.finishes] == ["A", "B", "C"]
    assert why(found, "D") == ("Dogs has withdrawn: what was played stands, and there is no place.",)


def test_a_match_that_fell_out_with_a_team_that_has_withdrawn_is_not_awaited():
    stage = facts(WHOLE, FALLING, withdrawn="D")
    met = tuple(one for one in stage.met if entry("D") not in [p.entry for p in one.parts] or len(one.parts) == 1)
    [found] = standings(StageFacts(stage.phase, stage.entrants, stage.machines, (), met=met), RULES)

    assert points(found) == {"A": (10, 9), "B": (5, 5), "C": (0, 2), "D": (0, 0)}
    assert found.outcome.decided


def test_every_match_of_a_disqualified_team_is_won_by_its_opponent_and_others_move_up_in_the_bonus_game():
    matches = {**WHOLE, "CD": (10, 20), "BD": (None, None)}
    found = table(matches, {**FALLING, "D": 900}, disqualified="D")

    assert places(found) == "A1 B2 C3 D-"
    assert points(found) == {"A": (15, 9), "B": (10, 5), "C": (5, 2), "D": (0, 0)}
    assert found.outcome.decided
    assert why(found, "C")[2] == "4 Dogs is disqualified: 5 points."
    assert why(found, "D") == (
        "Dogs is disqualified: every match counts for the opponent, the bonus score is not ranked.",
    )


def test_a_match_that_fell_out_is_won_against_a_disqualified_team_like_those_that_were_played():
    stage = facts(WHOLE, FALLING, disqualified="D")
    met = tuple(one for one in stage.met if {p.entry for p in one.parts} != {entry("C"), entry("D")})
    [found] = standings(StageFacts(stage.phase, stage.entrants, stage.machines, (), met=met), RULES)

    assert points(found)["C"] == (5, 2)
    assert found.outcome.decided


def test_two_disqualified_teams_have_no_points_from_each_other():
    found = table(WHOLE, FALLING, disqualified="CD")

    assert points(found) == {"A": (15, 9), "B": (10, 5), "C": (0, 0), "D": (0, 0)}
    assert places(found) == "A1 B2 C- D-"


def test_a_group_that_everybody_has_left_has_no_winner_and_needs_nothing():
    found = table(withdrawn="AB", disqualified="CD")

    assert places(found) == "A- B- C- D-"
    assert found.outcome.decided
    assert found.outcome.best(1) == ()


# Ties for a place


def test_level_on_points_the_higher_bonus_score_is_ahead_whoever_won_the_match_between_them():
    matches = {**WHOLE, "AC": (10, 20), "BC": (10, 20)}
    [found] = standings(facts(matches, {"A": 300, "B": 400, "C": 2, "D": 1}), TeamRules(match_points=4))

    assert (points(found)["A"], points(found)["B"]) == ((8, 5), (4, 9))
    assert letters(line.entry for line in found.lines if line.points == 13) == "BA"
    assert why(found, "B")[-3:] == (
        "Level on points with 1 Ants.",
        "Ahead of 1 Ants by the bonus score.",
        "2nd of the group.",
    )
    assert "Behind 2 Bees by the bonus score." in why(found, "A")


def test_case_5_two_level_on_points_and_bonus_score_are_parted_by_the_match_between_them():
    matches = {**WHOLE, "AC": (10, 20)}
    found = table(matches, {"A": 50, "B": 50, "C": 20, "D": 10})

    assert (points(found)["A"], points(found)["B"]) == ((10, 9), (10, 9))
    assert places(found) == "A1 B2 C3 D4"
    assert found.outcome.decided
    assert why(found, "A")[-2] == "Ahead of 2 Bees by the match between them, level on the bonus score too."
    assert why(found, "B")[-2] == "Behind 1 Ants by the match between them, level on the bonus score too."


def test_case_5_three_level_on_both_have_to_play_off_the_first_place():
    found = table(CIRCLE, LEVEL)

    assert places(found) == "A1= B1= C1= D4"
    assert play_off(found) == "ABC"
    assert not found.outcome.decided
    assert found.outcome.play_offs[0].words() == "a play-off game of 3 players for 1 place"
    assert why(found, "A")[-3:] == (
        "Level on points with 2 Bees and 3 Cats.",
        "Level with 2 Bees and 3 Cats on the bonus score too; the place is shared.",
        "1st= of the group.",
    )


def test_two_of_three_level_on_points_who_share_the_bonus_score_too_are_parted_by_their_match():
    # All three have 10 points from matches; A and B share the best bonus score, C has the same points by the scale.
    stage = facts(CIRCLE, {"A": 50, "B": 50, "C": 20, "D": 10})
    [found] = standings(stage, TeamRules(bonus=(9, 9, 9, 0)))

    assert {line.points for line in found.lines[:3]} == {19}
    assert places(found) == "A1 B2 C3 D4"
    assert why(found, "B")[-4:-1] == (
        "Level on points with 1 Ants and 3 Cats.",
        "Ahead of 3 Cats by the bonus score.",
        "Behind 1 Ants by the match between them, level on the bonus score too.",
    )


@pytest.mark.parametrize(
    ("between", "others"),
    [
        ((AWAY, None), {"AC": (20, 10), "BC": (10, 20)}),
        ((None, AWAY), {"AC": (10, 20), "BC": (20, 10)}),
        ((AWAY, AWAY), {"AC": (20, 10), "BC": (20, 10)}),
    ],
)
def test_two_level_whose_match_was_not_played_have_to_play_off(between, others):
    found = table({**WHOLE, **others, "AB": between}, {"A": 50, "B": 50, "C": 20, "D": 10})

    assert found.line(entry("A")).points == found.line(entry("B")).points
    assert places(found).startswith("A1= B1=")
    assert play_off(found) == "AB"


def test_two_level_whose_match_is_to_be_played_again_are_not_parted_and_not_asked_to_play_off_yet():
    found = table({**WHOLE, "AB": (7, 7), "AC": (20, 10)}, {"A": 50, "B": 50, "C": 20, "D": 10})

    assert places(found).startswith("A1= B1=")
    assert play_off(found) == ""
    assert letters(sorted(found.outcome.missing, reverse=True)) == "AB"


def test_nobody_is_asked_to_play_off_while_a_game_of_the_group_is_to_come():
    found = table({**CIRCLE, "CD": (None, None)}, LEVEL)

    assert play_off(found) == ""
    assert letters(sorted(found.outcome.missing, reverse=True)) == "CD"


def test_no_score_in_the_bonus_game_is_behind_a_score_of_zero():
    # The scale gives nobody points, so that the score alone decides.
    stage = facts(CIRCLE, {"A": AWAY, "B": 0, "C": AWAY, "D": 0})
    [found] = standings(stage, TeamRules(bonus=(0,)))

    assert places(found) == "B1 C2 A3 D4"
    assert "Behind 2 Bees by the bonus score." in why(found, "A")


def test_lower_places_are_ordered_by_the_same_rule_and_shared_when_still_level():
    circle_below = {"AB": (20, 10), "AC": (20, 10), "AD": (20, 10), "BC": (20, 10), "CD": (20, 10), "BD": (10, 20)}
    found = table(circle_below, {"A": 50, "B": 5, "C": 5, "D": 5})

    assert places(found) == "A1 B2= C2= D2="
    assert found.outcome.decided
    assert found.outcome.best(1) == (entry("A"),)


# What people decide


@pytest.mark.parametrize(("kind", "how"), [("play-off", "by play-off"), ("order", "by ruling")])
def test_a_play_off_or_a_ruling_parts_those_who_are_level(kind, how):
    found = table(CIRCLE, LEVEL, decisions=[(kind, "CAB", "")])

    assert places(found) == "C1 A2 B3 D4"
    assert found.outcome.decided
    assert [finish.why for finish in found.outcome.finishes] == [kind, kind, kind, ""]
    assert why(found, "C")[-2] == f"Level with 1 Ants and 2 Bees on the bonus score too; ordered {how}."


@pytest.mark.parametrize("kind", ["lots", "seeds", "seeding"])
def test_no_other_decision_parts_them(kind):
    assert play_off(table(CIRCLE, LEVEL, decisions=[(kind, "CAB", "")])) == "ABC"


def test_a_decision_between_some_of_them_parts_nobody():
    assert play_off(table(CIRCLE, LEVEL, decisions=[("play-off", "CA", "")])) == "ABC"


def test_who_are_level_in_the_play_off_too_play_another_one():
    found = table(CIRCLE, LEVEL, decisions=[("play-off", "CAB", "CA")])

    assert places(found) == "A1= C1= B3 D4"
    assert play_off(found) == "AC"
    assert "ordered by play-off, and level in that." in why(found, "A")[-2]

    again = table(CIRCLE, LEVEL, decisions=[("play-off", "CAB", "CA"), ("play-off", "AC", "")])
    assert places(again) == "A1 C2 B3 D4"
    assert again.outcome.decided


def test_a_play_off_that_leaves_only_lower_places_level_is_enough():
    found = table(CIRCLE, LEVEL, decisions=[("play-off", "CAB", "AB")])

    assert places(found) == "C1 A2= B2= D4"
    assert found.outcome.decided


def test_a_decision_changes_nothing_where_the_rules_decide():
    found = table(WHOLE, FALLING, decisions=[("order", "DCBA", "")])

    assert places(found) == "A1 B2 C3 D4"


# Several groups


TWO = {"A": "ABCD", "B": "EFGH"}


def test_groups_are_apart_from_each_other():
    stage = facts(
        {**WHOLE, "EF": (10, 20), "EG": (10, 20), "EH": (10, 20), "FG": (10, 20), "FH": (10, 20), "GH": (10, 20)},
        {**FALLING, "E": 1, "F": 2, "G": 3, "H": 4},
        groups=TWO,
    )
    one, other = standings(stage, RULES)

    assert (one.label, places(one)) == ("A", "A1 B2 C3 D4")
    assert (other.label, places(other)) == ("B", "H1 G2 F3 E4")


def test_a_match_between_two_groups_counts_in_neither():
    stage = facts(groups=TWO)
    across = [Met(1, tuple(map(part, pair, (20, 10)))) for pair in ("AE", "FB")]
    tables = standings(StageFacts(stage.phase, stage.entrants, stage.machines, (), met=(*stage.met, *across)), RULES)

    assert tables == standings(stage, RULES)


def test_who_is_in_no_group_is_in_no_table():
    stage = facts()
    reserve = Entrant(1, 99, "Zebras")
    [found] = standings(StageFacts(stage.phase, (*stage.entrants, reserve), stage.machines, ()), RULES)

    assert places(found) == "A1= B1= C1= D1="


def test_all_bonus_scores_are_one_list_by_score():
    stage = facts(bonus={"A": 10, "B": 40, "E": 40, "F": 5, "C": AWAY}, groups=TWO, disqualified="F", withdrawn="A")
    ranking = bonus_ranking(standings(stage, RULES))

    assert [(letters([r.entry]), r.group, r.machine, r.value, r.place, r.shared) for r in ranking] == [
        ("B", "A", BONUS["A"], 40, 1, True),
        ("E", "B", BONUS["B"], 40, 1, True),
        ("A", "A", BONUS["A"], 10, 3, False),
    ]


def test_shared_pages_get_rows_points_and_reasons():
    found = table({**WHOLE, "AB": (AWAY, None), "CD": (None, None)}, {"A": 4000, "B": 300, "C": 200}, withdrawn="D")
    group = as_group(found)
    rows = {letters([row.entry]): row for row in group.rows}

    assert group.label == "A"
    assert [(name, row.place, row.points) for name, row in rows.items()] == [
        ("B", 1, 20),
        ("A", 2, 19),
        ("C", 3, 2),
        ("D", None, 0),
    ]
    # The match that A did not come to was no game.
    assert {name: row.games for name, row in rows.items()} == {"A": 3, "B": 3, "C": 3, "D": 2}
    assert [(r.value, r.place, r.of, r.points) for r in rows["B"].counted] == [
        (20, 1, 2, 5),
        (20, 1, 2, 5),
        (300, 2, 3, 5),
    ]
    assert group.why[entry("B")] == why(found, "B")
    assert group.outcome == found.outcome


# More than four groups


def many_groups(results):
    """Groups of two from `{"A": (scores of the match, scores of the bonus games)}`; their ids go down from 1000."""
    entrants, met, played = [], [], []
    for place, (label, (match, bonus)) in enumerate(results.items()):
        one, other = 1000 - 2 * place, 999 - 2 * place
        for offset, team in enumerate((one, other)):
            entrants.append(Entrant(team, 2 * place + offset + 1, f"Team {team}", group=label))
        met.append(Met(1, (Part(one, match[0]), Part(other, match[1]))))
        played += [Played(team, 2, value) for team, value in zip((one, other), bonus, strict=True)]
    stage = facts()
    return StageFacts(stage.phase, tuple(entrants), (), tuple(played), met=tuple(met))


BEST, SPLIT = ((2, 1), (2, 1)), ((2, 1), (1, 2))
"""Out of 14 points the first team has all, or the 5 of the match and 5 of the bonus game."""


def test_up_to_four_winners_all_play_the_final():
    stage = many_groups(dict.fromkeys("ABCD", BEST))

    assert between_winners(standings(stage, RULES), stage, RULES) is None


def test_of_more_than_four_winners_those_with_the_greatest_share_of_the_points_play_the_final():
    stage = many_groups({"A": BEST, "B": SPLIT, "C": BEST, "D": BEST, "E": BEST})
    found = between_winners(standings(stage, RULES), stage, RULES)

    assert found.decided
    assert found.best(4) == (1000, 996, 994, 992)
    assert [finish.value for finish in found.finishes] == [14, 14, 14, 14, 10]


def test_winners_who_are_level_across_the_last_place_in_the_final_play_it_off():
    stage = many_groups({"A": BEST, "B": SPLIT, "C": SPLIT, "D": BEST, "E": BEST})
    found = between_winners(standings(stage, RULES), stage, RULES)

    [tie] = found.play_offs
    assert (tie.first, tie.places, len(tie.entries)) == (4, 1, 2)
    assert not found.decided


def test_winners_are_not_compared_while_a_group_is_open():
    stage = many_groups({"A": BEST, "B": SPLIT, "C": SPLIT, "D": BEST, "E": ((2, 2), (1, 1))})

    assert between_winners(standings(stage, RULES), stage, RULES) is None
