"""Somebody in a team who plays elsewhere too, or helps: told to the desk, and kept from ruling on the own team."""

import pytest
from django.urls import reverse

from tests import factories
from tests.teams.evening import Evening
from tests.tournaments.desk.conftest import signed_in
from tests.tournaments.desk.reading import text
from tournaments import selectors
from tournaments.models import Match, Player
from tournaments.services import entries, matches, scores

pytestmark = pytest.mark.django_db

HOME = reverse("desk:home")


@pytest.fixture
def evening():
    made = Evening(4)
    made.begin(10)
    return made


@pytest.fixture
def solo(evening):
    """The Open of the same show; the first of team 1 is entered in it."""
    world = factories.qualifying(players=1, stock=2, of=evening.show)
    entries.register(world.tournament, actor=None, name=member(evening).name, player=member(evening))
    return world


def member(evening, team=1):
    return evening.teams[team].members.order_by("position")[0].player


def start(world, player):
    scores.start(world.stage, actor=None, entry=world.tournament.entries.get(player=player), machine=world.machines[0])


def call(evening, *numbers):
    match = evening.match(*numbers)
    matches.call(match, actor=None)
    return match


def url(evening, page, *parts):
    return reverse(page, args=[evening.show.slug, "team", "groups", *parts])


def clashes(evening):
    found = selectors.clashing(selectors.engaged(show=evening.show.pk))
    return [(clash.player.name, [place.words for place in clash.places]) for clash in found]


def test_whoever_is_called_with_a_team_and_plays_alone_elsewhere_is_a_clash(evening, solo):
    start(solo, member(evening))
    assert clashes(evening) == []
    match = call(evening, 1, 2)
    where = [f"called to {match.machine.name} in Team Tournament", f"playing on {solo.machines[0].name} in The Open"]
    assert [(name, sorted(words)) for name, words in clashes(evening)] == [(member(evening).name, where)]


def test_in_one_tournament_alone_or_after_the_match_nobody_clashes(evening, solo):
    start(solo, solo.entries[0].player)
    call(evening, 1, 2)
    assert clashes(evening) == []
    factories.play(solo.stage, solo.entries[0], solo.machines[0], 500)
    start(solo, member(evening))
    assert len(clashes(evening)) == 1
    evening.play({1: 500, 2: 400})
    assert clashes(evening) == []


def test_the_desk_reads_both_places_with_the_team(evening, solo):
    desk = signed_in("desk")
    start(solo, member(evening))
    assert "Wanted in two tournaments" not in text(desk.get(HOME))
    call(evening, 1, 2)
    told = text(desk.get(HOME))
    assert f"Wanted in two tournaments at once {member(evening)} is" in told
    assert "in Team Tournament with 1 Ants" in told
    assert "playing on Machine 01 in The Open" in told or "playing on Machine 1 in The Open" in told


def test_before_and_at_the_call_the_desk_is_told_and_not_held_up(evening, solo):
    desk = signed_in("desk")
    start(solo, member(evening))
    words = f"{member(evening)} is playing on {solo.machines[0].name} in The Open."
    assert words in text(desk.get(url(evening, "desk:match", evening.match(1, 2).pk)))
    told = desk.post(url(evening, "desk:match-act", evening.match(1, 2).pk, "call"), {"back": "board"}, follow=True)
    assert told.status_code == 200
    assert f"Called to {evening.match(1, 2).machine.name}. {words}" in text(told)
    assert evening.match(1, 2).state == "called"


def test_the_board_follows_when_somebody_starts_elsewhere(evening, solo):
    desk = signed_in("desk")
    call(evening, 1, 2)
    version = desk.get(url(evening, "desk:board")).context["version"]
    assert desk.get(url(evening, "desk:board"), {"version": version}).status_code == 204
    start(solo, member(evening))
    assert desk.get(url(evening, "desk:board"), {"version": version}).status_code == 200


def test_the_desk_reads_clashes_in_a_fixed_number_of_queries(evening, solo, django_assert_num_queries):
    desk = signed_in("desk")
    call(evening, 1, 2)
    start(solo, member(evening))
    with django_assert_num_queries(5):
        assert len(clashes(evening)) == 1
    desk.get(HOME)
    call(evening, 3, 4)
    second = member(evening, 3)
    entries.register(solo.tournament, actor=None, name=second.name, player=second)
    scores.start(solo.stage, actor=None, entry=solo.tournament.entries.get(player=second), machine=solo.machines[1])
    with django_assert_num_queries(5):
        assert len(clashes(evening)) == 2


def test_an_official_of_a_team_makes_no_decision_about_its_match(evening):
    official = factories.user("official", "olu")
    Player.objects.filter(pk=member(evening).pk).update(account=official)
    tablet, other = signed_in("", "nobody"), signed_in("official", "oda")
    tablet.force_login(official)
    evening.play({1: 700, 2: 700})
    match = evening.match(1, 2)
    level = url(evening, "official:act", match.pk, "level")
    refused = tablet.post(level, follow=True)
    assert refused.status_code == 422
    assert "1 Ants is yours: somebody else has to rule on your own game." in text(refused)
    assert Match.objects.get(pk=match.pk).state == "done"
    other.post(level, follow=True)
    assert Match.objects.get(pk=match.pk).state == "planned"
