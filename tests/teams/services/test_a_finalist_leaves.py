"""A team that has reached the final leaves: its seat, who comes in, and the way back."""

import random

import pytest

from tests import factories
from tests.shelf import kept
from tests.teams.evening import Evening
from tournaments.domain.refusals import Refusal
from tournaments.models import Ruling
from tournaments.services import entries, matches, progress, reports, results, rulings, stages
from tournaments.services.effects import picture
from tournaments.views.desk import board, seats, ties

pytestmark = pytest.mark.django_db


@kept
def to_the_final(many=8, published=False):
    """The groups are played and closed; of eight teams 1 to 4 have won them, and 6, 5, 8 and 7 are second."""
    evening = Evening(many)
    evening.begin(machines=8)
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)
    if published:
        publish(evening)
    return evening


def publish(evening):
    return matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(8), chance=random.Random(1))


def leave(evening, number):
    entries.withdraw(evening.entry(number), actor=None, reason="has to catch a train")


def come_in(evening, leaver, comes):
    by = evening.entry(comes).pk
    matches.replace_seat(evening.final, actor=None, entry=evening.entry(leaver).pk, by=by, reason="next of the group")


def finalists(evening):
    return [seat.entry.number for seat in evening.final.seats.order_by("seed")]


def offered(evening):
    return [(reserve.entry.number, reserve.why) for reserve in seats.next_in_order(evening.final)]


def left(evening):
    return [seat.entry.number for seat in board.left_seats(evening.final)]


def nobody_moves(evening):
    return not ties.moves(evening.groups) and not ties.open_ties(evening.groups)


def state(evening):
    """The tournament as everybody sees it, with the tables of the groups."""
    return picture(evening.tournament), list(map(str, reports.of_stage(evening.groups)))


@pytest.mark.parametrize("published", [False, True])
def test_the_seat_of_a_finalist_who_leaves_is_shown_as_left_and_the_next_of_the_group_takes_it(published):
    evening = to_the_final(published=published)
    before = state(evening)

    leave(evening, 1)
    assert finalists(evening) == [1, 2, 3, 4]
    assert left(evening) == [1]
    assert nobody_moves(evening)
    assert offered(evening) == [(6, "2nd in group A")]
    withdrawn = state(evening)

    come_in(evening, 1, 6)
    assert finalists(evening) == [6, 2, 3, 4]
    assert left(evening) == []
    assert nobody_moves(evening)
    if published:
        assert set(evening.match(6, 2, 3, 4).sides.values_list("entry__number", flat=True)) == {6, 2, 3, 4}

    rulings.undo_ruling(Ruling.objects.get(kind="replaced"), actor=None, reason="they are back")
    assert state(evening) == withdrawn
    entries.reinstate(evening.entry(1), actor=None, reason="they are back")
    assert state(evening) == before


def test_one_after_the_other_leaves_and_comes_in_until_the_group_has_nobody_left():
    evening = to_the_final(6)
    groups = [[seat.entry.number for seat in evening.groups.seats.filter(group=g).order_by("seed")] for g in "AB"]
    assert groups == [[1, 4, 5], [2, 3, 6]]
    assert finalists(evening) == [1, 2]
    for leaver, comes in ((1, 4), (4, 5)):
        leave(evening, leaver)
        assert next(iter(offered(evening)))[0] == comes
        come_in(evening, leaver, comes)
        assert finalists(evening) == [comes, 2]
        assert nobody_moves(evening)

    leave(evening, 5)
    assert offered(evening) == []
    assert left(evening) == [5]
    publish(evening)
    stages.open_stage(evening.final, actor=None)
    final = evening.match(5, 2)
    matches.absent(final, actor=None, entry=evening.entry(5).pk, reason="left")
    matches.record(final, actor=None, entry=evening.entry(2).pk, value=10, sure=10, agreed=True)
    stages.close_stage(evening.final, actor=None)
    results.declare(evening.tournament, actor=None)
    assert [line.entry.number for line in reports.of_results(evening.tournament)][:2] == [2, 5]


@pytest.mark.parametrize("staying", [3, 2])
def test_of_four_finalists_fewer_are_left_and_the_final_is_played_without_the_others(staying):
    evening = to_the_final(published=True)
    leavers = [4, 3][: 4 - staying]
    for number in leavers:
        leave(evening, number)
    assert left(evening) == sorted(leavers)
    stages.open_stage(evening.final, actor=None)
    final = evening.match(1, 2, 3, 4)
    for number in leavers:
        matches.absent(final, actor=None, entry=evening.entry(number).pk, reason="left")
    for number in range(1, staying + 1):
        matches.record(final, actor=None, entry=evening.entry(number).pk, value=number, sure=number, agreed=True)
    stages.close_stage(evening.final, actor=None)
    results.declare(evening.tournament, actor=None)
    placed = [line.entry.number for line in reports.of_results(evening.tournament)]
    assert placed[:staying] == list(range(staying, 0, -1))
    assert set(placed[staying:4]) == set(leavers)


def test_who_leaves_after_the_final_began_keeps_the_seat_and_the_others_play_without():
    evening = to_the_final(published=True)
    stages.open_stage(evening.final, actor=None)
    leave(evening, 2)
    with pytest.raises(Refusal, match="The final has begun: the seat stays empty and the opponent plays alone"):
        come_in(evening, 2, 5)
    assert [seat.entry.number for seat in board._due(evening.final)] == [2]
    assert nobody_moves(evening)
    matches.absent(evening.match(1, 2, 3, 4), actor=None, entry=evening.entry(2).pk, reason="left")
    assert board._due(evening.final) == []


def test_a_correction_afterwards_keeps_who_came_in_and_moves_whoever_it_concerns():
    evening = to_the_final()
    stages.reopen_stage(evening.groups, actor=None, reason="misread")
    leave(evening, 1)
    come_in(evening, 1, 6)
    progress.fill(evening.groups, _NoLog())
    assert finalists(evening) == [6, 2, 3, 4]
    entries.disqualify(evening.entry(2), actor=None, reason="fight")
    assert finalists(evening) == [6, 3, 4, 5]
    assert [seat.why for seat in evening.final.seats.order_by("seed")] == [
        "for 1 Ants",
        "first in group C",
        "first in group D",
        "first in group B",
    ]
    assert nobody_moves(evening)


def test_a_disqualified_finalist_is_followed_by_the_new_first_of_the_group_and_comes_back():
    evening = to_the_final(published=True)
    before = state(evening)
    entries.disqualify(evening.entry(1), actor=None, reason="fight")
    assert finalists(evening) == [2, 3, 4, 6]
    assert nobody_moves(evening)
    assert left(evening) == []
    entries.reinstate(evening.entry(1), actor=None, reason="it was somebody else")
    assert state(evening) == before


def test_the_next_of_the_group_who_are_level_are_for_the_organisers_to_choose_from():
    evening = Evening(4)
    evening.begin(machines=8)
    evening.play({2: 10, 3: 5})
    evening.play({3: 10, 4: 5})
    evening.play({4: 10, 2: 5})
    for number in (2, 3, 4):
        evening.play({number: 500})
    evening.play_all()
    leave(evening, 1)
    level = "2nd= in group A, level"
    assert offered(evening) == [(2, level), (3, level), (4, level)]
    come_in(evening, 1, 4)
    assert finalists(evening) == [4]
    assert nobody_moves(evening)


def test_a_team_that_leaves_before_its_group_is_over_has_no_place_and_never_reaches_the_final():
    evening = Evening(6)
    evening.begin(machines=8)
    evening.play_all(but=[(4, 5)])
    leave(evening, 1)
    evening.play({4: 20, 5: 10})
    assert finalists(evening) == [2, 4]
    assert left(evening) == []


class _NoLog:
    """A change that nobody reads."""

    def note(self, words):
        raise AssertionError(f"Nothing moves: {words}")


def test_the_next_of_another_group_does_not_come_in_for_a_leaver():
    evening = to_the_final()
    leave(evening, 1)

    with pytest.raises(Refusal, match="does not come next for the seat of 1 Ants: it goes to the next best of that"):
        come_in(evening, 1, 5)
    assert finalists(evening) == [1, 2, 3, 4]


def test_while_nobody_has_left_nobody_is_chosen_to_come_in(client):
    evening = to_the_final(published=True)
    client.force_login(factories.user("desk"))
    page = client.get("/desk/party/team/final/seats/")
    assert (page.context["typed"]["leaves"], page.context["typed"]["comes"]) == ("", "")

    leave(evening, 1)

    page = client.get("/desk/party/team/final/seats/")
    assert (page.context["typed"]["leaves"], page.context["typed"]["comes"]) == ("1", "6")
