"""Real results, recomputed: every published position, number and total must come out of the published scores."""

import pytest

from tests.tournaments.domain.stage import FOLDERS, published
from tournaments.domain.advancement import Status, cut, seeding
from tournaments.domain.refusals import NeedsDecision
from tournaments.domain.standings import tabulate


def test_there_are_published_results():
    assert len(FOLDERS) == 5


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_table_is_the_published_one(folder):
    facts, rules, _, expected = published(folder)
    numbers = {entrant.id: entrant.number for entrant in facts.entrants}
    table = tabulate(facts, rules)
    assert [(row.place, numbers[row.entry], row.points) for row in table.ranked] == expected
    assert {row.entry for row in table.ranked} == {played.entry for played in facts.played}


@pytest.mark.parametrize("folder", FOLDERS)
def test_the_published_qualifiers_go_on_and_a_tie_across_the_line_is_not_settled_by_itself(folder):
    facts, rules, qualifiers, expected = published(folder)
    table = tabulate(facts, rules)
    numbers = {entrant.id: entrant.number for entrant in facts.entrants}
    line = cut(facts, table, rules, qualifiers)
    through = {numbers[entry] for entry, outlook in line.outlooks.items() if outlook.status == Status.THROUGH}
    edge = expected[qualifiers - 1][2]
    tied = expected[qualifiers][2] == edge
    assert through == {number for _, number, points in expected if points > edge or (points == edge and not tied)}
    assert {numbers[entry] for entry in line.level} == {
        number for _, number, points in expected if tied and points == edge
    }
    assert line.certain is not tied
    if tied:
        with pytest.raises(NeedsDecision):
            seeding(facts, table, rules, qualifiers)
