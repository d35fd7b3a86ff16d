"""Who is in which group, and in which order teams are seeded."""

from decimal import Decimal

import pytest

from teams.domain.groups import FEWEST, LARGEST_GROUP, LETTERS, MOST, SEEDING, form, seeding
from tournaments.domain.facts import Decision
from tournaments.domain.refusals import NeedsDecision, Refusal

NAMES = {1: "1 Ants", 2: "2 Bees", 3: "3 Cats", 4: "4 Dogs"}


def test_sixteen_teams_are_grouped_as_the_rules_print_it():
    assert form(16) == ((1, 6, 9, 13), (2, 5, 10, 14), (3, 8, 11, 15), (4, 7, 12, 16))


@pytest.mark.parametrize(
    ("teams", "groups"),
    [
        (15, ((1, 6, 9, 13), (2, 5, 10, 14), (3, 8, 11, 15), (4, 7, 12))),
        (11, ((1, 6, 9), (2, 5, 10), (3, 8, 11), (4, 7))),
        (8, ((1, 6), (2, 5), (3, 8), (4, 7))),
    ],
)
def test_for_eight_to_fifteen_teams_it_is_the_same_table_without_the_missing_seeds(teams, groups):
    assert form(teams) == groups


@pytest.mark.parametrize(
    ("teams", "groups"),
    [
        (4, ((1, 2, 3, 4),)),
        (5, ((1, 4, 5), (2, 3))),
        (6, ((1, 4, 5), (2, 3, 6))),
        (7, ((1, 4, 5), (2, 3, 6, 7))),
        (17, ((1, 10, 11), (2, 9, 12), (3, 8, 13), (4, 7, 14, 17), (5, 6, 15, 16))),
    ],
)
def test_other_numbers_of_teams_are_grouped_by_snake(teams, groups):
    assert form(teams) == groups


@pytest.mark.parametrize("teams", range(FEWEST, MOST + 1))
def test_every_number_of_teams_gives_groups_within_one_of_each_other(teams):
    groups = form(teams)

    assert sorted(seed for group in groups for seed in group) == list(range(1, teams + 1))
    sizes = [len(group) for group in groups]
    assert max(sizes) - min(sizes) <= 1
    assert max(sizes) <= LARGEST_GROUP
    assert len(groups) <= len(LETTERS)
    assert [min(group) for group in groups] == list(range(1, len(groups) + 1))


@pytest.mark.parametrize("teams", [FEWEST - 1, MOST + 1])
def test_too_few_or_too_many_teams_are_refused(teams):
    with pytest.raises(Refusal, match=f"The groups are for 4 to 32 teams, not {teams}"):
        form(teams)


def test_the_most_wppr_points_are_the_first_seed():
    wppr = {1: Decimal("10.5"), 2: Decimal("300.25"), 3: Decimal(0)}

    assert seeding(wppr, (), NAMES) == ((2, "300.25 WPPR points"), (1, "10.5 WPPR points"), (3, "0 WPPR points"))


def test_level_teams_are_never_put_in_order_by_the_software():
    level = {1: Decimal(5), 2: Decimal("5.00"), 3: Decimal(9), 4: Decimal(5)}

    with pytest.raises(NeedsDecision, match="1 Ants, 2 Bees and 4 Dogs are level on 5 WPPR points") as refused:
        seeding(level, (), NAMES)
    assert (refused.value.settle, sorted(refused.value.about)) == (SEEDING, [1, 2, 4])


def test_a_recorded_order_parts_level_teams_and_only_them():
    level = {1: Decimal(5), 2: Decimal(5), 3: Decimal(9)}
    order = Decision(SEEDING, (2, 1))

    assert seeding(level, (order,), NAMES) == (
        (3, "9 WPPR points"),
        (2, "5 WPPR points, put in order by ruling"),
        (1, "5 WPPR points, put in order by ruling"),
    )


def test_the_latest_order_that_covers_all_level_teams_counts():
    level = dict.fromkeys((1, 2, 3), Decimal(5)) | {4: Decimal(1)}
    orders = (Decision(SEEDING, (1, 2, 3)), Decision(SEEDING, (3, 2, 1)), Decision(SEEDING, (2, 1)))

    assert [entry for entry, _ in seeding(level, orders, NAMES)] == [3, 2, 1, 4]


def test_a_play_off_is_no_order_of_seeds():
    with pytest.raises(NeedsDecision):
        seeding({1: Decimal(5), 2: Decimal(5)}, (Decision("play-off", (1, 2)),), NAMES)


def test_an_order_of_all_teams_never_loses_its_say_when_one_more_registers():
    wppr = {1: Decimal(5), 2: Decimal(9), 3: Decimal(7)}

    with pytest.raises(NeedsDecision, match="The recorded order of all teams is without"):
        seeding(wppr, (Decision(SEEDING, (1, 2)),), NAMES)


def test_an_order_of_all_teams_stands_for_the_points():
    wppr = {1: Decimal(5), 2: Decimal(9), 3: Decimal(5)}
    orders = (Decision(SEEDING, (1, 2, 3, 4)), Decision(SEEDING, (1, 3)))

    assert seeding(wppr, orders, NAMES) == ((1, "by ruling"), (2, "by ruling"), (3, "by ruling"))
