"""Who comes in for a leaver behind groups."""

from tournaments.domain.finals import Finish, Outcome
from tournaments.domain.grouped import Group, reserves


def order(*places):
    """(entry, place) as an outcome; who has the same place shares it."""
    values = [place for _, place in places]
    return Outcome(tuple(Finish(e, place, values.count(place) > 1, 1, "") for e, place in places), (), ())


A = Group("A", (), order((1, 1), (2, 2), (3, 3)), {})
B = Group("B", (), order((4, 1), (5, 2), (6, 2)), {})


def told(leaver, out=(), winners=None):
    return [(each.entries, each.place, each.where) for each in reserves((A, B), winners, leaver, out)]


def test_the_next_best_of_the_leavers_own_group_comes_in():
    assert told(1) == [((2,), 2, "in group A"), ((3,), 3, "in group A")]


def test_who_is_level_has_the_same_claim():
    assert told(4) == [((5, 6), 2, "in group B")]


def test_who_has_a_seat_or_has_left_does_not_come_in():
    assert told(1, out={2}) == [((3,), 3, "in group A")]
    assert told(4, out={5}) == [((6,), 2, "in group B")]


def test_where_a_winner_was_left_out_that_one_comes_first():
    assert told(1, out={1}, winners=order((1, 1), (4, 2)))[:2] == [
        ((4,), 2, "of the winners of the groups"),
        ((2,), 2, "in group A"),
    ]


def test_behind_somebody_of_no_group_nobody_comes_in():
    assert told(99) == []
