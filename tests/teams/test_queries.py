"""Reading teams costs as many queries for many as for few."""

import pytest
from django.db import connection
from django.template.loader import render_to_string
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from teams import selectors
from teams.services.roster import TeamRoster
from tests import factories
from tests.teams.evening import Evening
from tournaments import line_ups
from tournaments.models import Player
from tournaments.services import people

pytestmark = pytest.mark.django_db


def queries(read):
    with CaptureQueriesContext(
        connection,
    ) as made:
        read()
    return len(made)


def reads(evening, client):
    """What is read of all teams of a tournament, by name."""
    entries = list(evening.tournament.entries.values_list("pk", flat=True))
    players = list(Player.objects.filter(show=evening.show).values_list("pk", flat=True))
    address = reverse("teams:teams", args=["party", "team", "groups"])
    return {
        "pairs of entries": lambda: list(line_ups.pairs(entries=entries)),
        "pairs of players": lambda: list(line_ups.pairs(players=players)),
        "members": lambda: list(line_ups.members(evening.tournament)),
        "rows of a folder": lambda: TeamRoster().rows(evening.tournament),
        "people of a folder": lambda: TeamRoster().known(evening.show, []),
        "the desk's list": lambda: client.get(address),
    }


def test_teams_are_read_in_the_same_number_of_queries_however_many_they_are(client):
    client.force_login(factories.user("desk"))
    evening = Evening(2)
    client.get(reverse("teams:teams", args=["party", "team", "groups"]))
    few = {name: queries(read) for name, read in reads(evening, client).items()}
    for number in range(3, 9):
        evening.teams[number] = evening.register(number)
    assert {name: queries(read) for name, read in reads(evening, client).items()} == few


def test_merged_records_of_members_are_followed_in_the_same_number_of_queries():
    counted = []
    evening = Evening(4)
    for number in (1, 2, 3):
        member = selectors.line_up(evening.teams[number])[0].player
        double = factories.entry(
            factories.tournament(evening.show, slug=f"solo-{number}", format="kids"), f"Double {number}"
        ).player
        people.merge(double, member, actor=None, reason="entered twice")
        pairs = list(line_ups.pairs(players=[member.pk, double.pk]))
        assert {player for _, player in pairs} == {double.pk}
        merged = list(Player.objects.exclude(merged_into=None).values_list("pk", flat=True))
        counted.append(queries(lambda merged=merged: line_ups.pairs(players=merged)))
    assert len(set(counted)) == 1


def test_the_team_on_the_page_of_its_entry_is_read_in_one_query(django_assert_num_queries):
    evening = Evening(1)
    entry = evening.entry(1)
    context = {"entry": entry, "show": evening.show, "tournament": evening.tournament, "stage": evening.groups}
    with django_assert_num_queries(1):
        words = render_to_string("teams/desk/_entry.html", context)
    assert "Ants One (captain)" in words
