"""Who is wanted in two tournaments of a show at once."""

from tournaments.domain.clashes import Clash, Wanted, clashes


def test_wanted_in_two_tournaments_is_a_clash_with_every_place():
    wanted = [Wanted(7, 1, 0), Wanted(8, 1, 1), Wanted(7, 2, 2)]
    assert clashes(wanted) == (Clash(7, (0, 2)),)


def test_wanted_twice_in_one_tournament_is_none():
    assert clashes([Wanted(7, 1, 0), Wanted(7, 1, 1)]) == ()


def test_all_places_are_told_of_who_is_wanted_twice_in_one_and_once_in_another():
    wanted = [Wanted(7, 1, 0), Wanted(7, 1, 1), Wanted(7, 2, 2)]
    assert clashes(wanted) == (Clash(7, (0, 1, 2)),)


def test_a_place_named_twice_for_one_person_is_told_once():
    wanted = [Wanted(7, 1, 0), Wanted(7, 1, 0), Wanted(7, 2, 1)]
    assert clashes(wanted) == (Clash(7, (0, 1)),)


def test_nobody_is_wanted():
    assert clashes([]) == ()
