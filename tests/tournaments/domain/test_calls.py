"""Which matches of groups are to be called now, in the order of play."""

from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from tournaments.domain.calls import Before, Planned, calls


def planned(*matches):
    """Matches 1, 2, 3 … as (machine, entries); None for the entries of one whose machine is out of play."""
    return [Planned(number, machine, tuple(map(ord, who))) for number, (machine, who) in enumerate(matches, start=1)]


def test_everything_that_can_be_played_side_by_side_is_to_be_called():
    left = planned((1, "AB"), (2, "CD"), (3, "E"))
    assert calls(left, []).now == (1, 2, 3)


def test_who_is_under_way_keeps_a_match_waiting_and_so_does_its_machine():
    under_way = [Planned(9, 7, (ord("A"),))]
    found = calls(planned((1, "AB"), (7, "CD"), (2, "EF")), under_way)
    assert found.now == (3,)
    assert [(each.match, each.busy) for each in found.waiting] == [
        (1, (Before(9, False, (ord("A"),)),)),
        (2, (Before(9, True, ()),)),
    ]


def test_of_two_that_need_the_same_the_first_in_the_order_of_play_is_called():
    found = calls(planned((1, "AB"), (2, "AC"), (1, "DE")), [])
    assert found.now == (1,)
    assert [(each.match, each.busy, each.first) for each in found.waiting] == [
        (2, (), (Before(1, False, (ord("A"),)),)),
        (3, (), (Before(1, True, ()),)),
    ]


def test_a_match_that_waits_keeps_nobody_else_waiting():
    under_way = [Planned(9, 7, (ord("A"),))]
    assert calls(planned((1, "AB"), (2, "BC")), under_way).now == (2,)


def test_a_match_on_a_machine_out_of_play_waits_and_stands_in_nobodys_way():
    dead, other = Planned(1, 1, (1, 2), fit=False), Planned(2, 2, (1, 3))
    found = calls([dead, other], [])
    assert found.now == (2,)
    assert [(each.match, each.busy, each.first) for each in found.waiting] == [(1, (), ())]


def test_nothing_is_left():
    assert calls([], planned((1, "AB"))) == calls([], [])


match_lists = st.lists(
    st.tuples(st.integers(1, 6), st.lists(st.integers(1, 8), min_size=1, max_size=2, unique=True)), max_size=12
)


@given(match_lists, match_lists)
def test_what_is_to_be_called_can_be_played_side_by_side_and_nothing_else_could_join_it(left, playing):
    matches = [Planned(number, machine, tuple(who)) for number, (machine, who) in enumerate(left)]
    under_way = [Planned(100 + number, machine, tuple(who)) for number, (machine, who) in enumerate(playing)]
    found = calls(matches, under_way)
    now = [match for match in matches if match.match in found.now]

    def apart(one, other):
        return one.machine != other.machine and not set(one.entries) & set(other.entries)

    assert all(apart(one, other) for one, other in combinations(now, 2))
    assert all(apart(one, other) for one in now for other in under_way)
    waiting = [match for match in matches if match.match not in found.now]
    assert [match.match for match in waiting] == [each.match for each in found.waiting]
    assert all(not all(apart(match, other) for other in [*now, *under_way]) for match in waiting)
