"""What holds for any group, at any time of the evening."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise, permutations
from random import Random

from hypothesis import given
from hypothesis import strategies as st

from teams.domain.groups import standings
from tests.teams.domain.random_group import random_rules, random_stage, relabelled, shuffled
from tournaments.domain.facts import Decision, Standing
from tournaments.domain.points import scale

SEEDS = st.integers(0, 2**32)


def expected_points(facts, rules):
    """The points of every team, counted again match by match and score by score."""
    points = defaultdict(int)
    for winner in (*winners_of_dealt(facts), *winners_of_undealt(facts)):
        points[winner] += rules.match_points
    group = {e.id: e.group for e in facts.entrants if e.standing != Standing.DISQUALIFIED}
    scores = {met.parts[0].entry: met.parts[0].value for met in facts.met if len(met.parts) == 1 and counts(met)}
    scores |= {p.entry: p.value for p in facts.played}
    for entry in scores.keys() & group.keys():
        rivals = [scores[other] for other in scores.keys() & group.keys() if group[other] == group[entry]]
        better = sum(value > scores[entry] for value in rivals)
        points[entry] += scale(rules.bonus).points(better + 1, len(rivals))
    return points


def winners_of_dealt(facts):
    barred = {e.id for e in facts.entrants if e.standing == Standing.DISQUALIFIED}
    for met in facts.met:
        able = [part for part in met.parts if not part.away and part.entry not in barred]
        if len(met.parts) == 2 and len(able) == 1:
            yield able[0].entry
        elif len(met.parts) == 2 and len(able) == 2:
            one, other = able
            if None not in (one.value, other.value) and one.value != other.value:
                yield max(able, key=lambda part: part.value).entry


def winners_of_undealt(facts):
    dealt = {frozenset(part.entry for part in met.parts) for met in facts.met}
    for own, other in permutations(facts.entrants, 2):
        left = (own.standing, other.standing) == (Standing.IN, Standing.DISQUALIFIED)
        if left and own.group == other.group and frozenset((own.id, other.id)) not in dealt:
            yield own.id


def counts(met):
    return met.parts[0].value is not None and not met.parts[0].away


@given(SEEDS)
def test_points_are_what_the_matches_and_the_bonus_games_give(seed):
    rnd = Random(seed)
    facts, rules = random_stage(rnd), random_rules(rnd)

    wanted = expected_points(facts, rules)
    for table in standings(facts, rules):
        for line in table.lines:
            if facts.entrant(line.entry).standing != Standing.DISQUALIFIED:
                assert line.points == wanted[line.entry]
            else:
                assert line.points == 0


@given(SEEDS)
def test_every_team_has_one_line_in_the_table_of_its_group(seed):
    rnd = Random(seed)
    facts, rules = random_stage(rnd), random_rules(rnd)

    for table in standings(facts, rules):
        members = [e for e in facts.entrants if e.group == table.label]
        assert sorted(line.entry for line in table.lines) == sorted(e.id for e in members)
        ranked = [line for line in table.lines if line.place is not None]
        assert {line.entry for line in ranked} == {e.id for e in members if e.standing == Standing.IN}
        assert table.lines[: len(ranked)] == tuple(ranked)
        assert all(one.points >= other.points for one, other in pairwise(ranked))
        for line in ranked:
            same = [other for other in ranked if other.place == line.place]
            assert line.place == 1 + sum(other.place < line.place for other in ranked)
            assert line.shared == (len(same) > 1)
            assert len({(other.points, other.bonus and other.bonus.value) for other in same}) == 1
        assert [f.entry for f in table.outcome.finishes] == [line.entry for line in ranked]
        assert set(table.outcome.missing) == {line.entry for line in ranked if line.outstanding}
        winners = [line.entry for line in ranked if line.place == 1]
        assert table.outcome.decided == (not table.outcome.missing and len(winners) < 2)


@given(SEEDS)
def test_the_same_facts_in_any_order_give_the_same_tables(seed):
    rnd = Random(seed)
    facts, rules = random_stage(rnd), random_rules(rnd)

    assert standings(shuffled(facts, rnd), rules) == standings(facts, rules)


@given(SEEDS)
def test_other_ids_change_nothing(seed):
    rnd = Random(seed)
    facts, rules = random_stage(rnd), random_rules(rnd)
    again, new = relabelled(facts, rnd)

    for before, after in zip(standings(facts, rules), standings(again, rules), strict=True):
        assert [new[line.entry] for line in before.lines] == [line.entry for line in after.lines]
        assert [(line.place, line.shared, line.points, line.why) for line in before.lines] == [
            (line.place, line.shared, line.points, line.why) for line in after.lines
        ]
        assert before.outcome.decided == after.outcome.decided


@given(SEEDS)
def test_a_play_off_of_all_who_are_level_decides_every_group(seed):
    rnd = Random(seed)
    facts, rules = random_stage(rnd), random_rules(rnd)
    before = standings(facts, rules)

    offs = [off for table in before for off in table.outcome.play_offs]
    settled = replace(facts, decisions=facts.decisions + tuple(Decision("play-off", off.entries) for off in offs))
    for table, after in zip(before, standings(settled, rules), strict=True):
        assert after.outcome.play_offs == ()
        assert after.outcome.decided == (not table.outcome.missing)
        for off in table.outcome.play_offs:
            assert after.outcome.best(1) == off.entries[:1]
