"""The whole way from registration to the cup, by services."""

import random

import pytest

from teams.services import groups
from tests.teams.evening import Evening
from tournaments.models import Seat
from tournaments.services import matches, reports, results, stages

pytestmark = pytest.mark.django_db


def test_sixteen_teams_play_in_the_groups_of_the_rules_and_the_winners_play_the_final():
    evening = Evening(16)
    groups.draw_up(evening.groups, actor=None)
    seats = Seat.objects.filter(stage=evening.groups).order_by("group", "seed")
    drawn = {letter: [seat.entry.number for seat in seats if seat.group == letter] for letter in "ABCD"}
    assert drawn == {"A": [1, 6, 9, 13], "B": [2, 5, 10, 14], "C": [3, 8, 11, 15], "D": [4, 7, 12, 16]}
    evening.begin()
    assert evening.groups.matches.count() == 24 + 16
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)
    final = evening.final
    assert [seat.entry.number for seat in final.seats.order_by("seed")] == [1, 2, 3, 4]
    machine = matches.deal_by_lot(final, actor=None, machines=evening.hall(12), chance=random.Random(1))
    assert final.stage_machines.get().machine == machine
    assert final.stage_machines.get().drawn_from == 12
    stages.open_stage(final, actor=None)
    evening.play({1: 10, 2: 40, 3: 30, 4: 20})
    stages.close_stage(evening.final, actor=None)
    results.declare(evening.tournament, actor=None)
    places = [(line.position, line.entry.number, line.shared) for line in reports.of_results(evening.tournament)]
    assert places[:4] == [(1, 2, False), (2, 3, False), (3, 4, False), (4, 1, False)]
    assert places[4:8] == [(5, 5, True), (5, 6, True), (5, 7, True), (5, 8, True)]
