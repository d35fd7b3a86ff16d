"""Officials at a stage played in groups: what can be played, two scores, who did not come, level."""

import pytest
from django.urls import reverse

from tests.tournaments.desk.conftest import signed_in
from tests.tournaments.desk.reading import text
from tests.tournaments.grouped import Groups
from tournaments.services import matches

pytestmark = pytest.mark.django_db


class Tablet:
    def __init__(self, groups):
        self.groups, self.client = groups, signed_in("official", "olu")

    def url(self, page, *parts):
        tournament = self.groups.tournament
        return reverse(f"official:{page}", args=[tournament.show.slug, tournament.slug, "groups", *parts])

    def home(self, **query):
        return self.client.get(reverse("official:home"), query)

    def lines(self, **query):
        return [line for group in self.home(**query).context["groups"] for line in group["lines"]]

    def page(self, *numbers):
        return self.client.get(self.url("match", self.groups.match(*numbers).pk))

    def act(self, act, *numbers, **typed):
        return self.client.post(self.url("act", self.groups.match(*numbers).pk, act), typed, follow=True)


@pytest.fixture
def groups():
    return Groups()


@pytest.fixture
def tablet(groups):
    return Tablet(groups)


def numbers(lines):
    return [tuple(sorted(place.entry.number for place in line.game.places)) for line in lines]


def test_only_what_can_be_played_now_is_listed_and_what_is_under_way_first(tablet, groups):
    assert all(not line.waits for line in tablet.lines())
    groups.call(1)
    lines = tablet.lines()
    assert numbers(lines)[0] == (1,)
    busy = [entry for numbers in numbers(lines) for entry in numbers]
    assert len(busy) == len(set(busy))


def test_a_tablet_at_one_machine_sees_who_comes_next_there_and_what_they_wait_for(tablet, groups):
    groups.call(1)
    lines = tablet.lines(machine="M1")
    assert numbers(lines)[0] == (1,)
    assert sorted(numbers(lines)) == [(1,), (4,), (5,)]
    assert all("Machine 1 is taken by 1 Ants." in line.waits for line in lines[1:])
    assert "Machine 1 is taken by 1 Ants." in text(tablet.home(machine="M1"))


def test_an_official_takes_a_call_by_mistake_back(tablet, groups):
    tablet.act("call", 1, 4)
    told = tablet.act("take-call-back", 1, 4, seen=groups.match(1, 4).revision)
    assert "was taken back" in text(told)
    assert groups.match(1, 4).state == "planned"
    assert groups.match(1, 4).called_at is None


def test_a_match_is_called_started_and_its_two_scores_are_agreed(tablet, groups):
    tablet.act("call", 1, 4)
    assert "Start the game" in text(tablet.page(1, 4))
    tablet.act("play", 1, 4)
    tablet.act("record", 1, 4, number=1, score="700", checked="700", key="a", agreed="yes")
    tablet.act("record", 1, 4, number=4, score="600", checked="600", key="b")
    told = text(tablet.act("agree", 1, 4, number=4))
    assert "Won by 1 Ants." in told
    assert "Every score is agreed." in told
    assert (1, 4) not in numbers(tablet.lines())


def test_two_are_not_started_where_one_of_them_plays(tablet, groups):
    groups.call(1, 4)
    told = tablet.act("play", 1)
    assert told.status_code == 422
    assert "1 Ants against 4 Dogs on" in text(told)


def test_who_did_not_come_is_one_tap_and_another_takes_it_back(tablet, groups):
    groups.call(1, 4, minutes_ago=6)
    assert "4 Dogs did not come" in text(tablet.page(1, 4))
    told = text(tablet.act("forfeit", 1, 4, number=4))
    assert "4 Dogs did not come: won by 1 Ants without playing." in told
    tablet.act("came", 1, 4, number=4)
    assert groups.match(1, 4).state == "called"


def test_before_the_time_is_up_the_tap_is_refused(tablet, groups):
    groups.call(1, 4, minutes_ago=1)
    told = tablet.act("forfeit", 1, 4, number=4)
    assert told.status_code == 422
    assert "4 Dogs was called at" in text(told)


def test_only_the_desk_says_that_somebody_does_not_play_and_takes_that_back(tablet, groups):
    assert tablet.act("absent", 1, 4, number=4, reason="ill").status_code == 403
    assert groups.away(groups.match(1, 4)) == []
    matches.absent(groups.match(1, 4), actor=None, entry=groups.entries[4].pk, reason="ill")

    assert tablet.act("present", 1, 4, number=4, reason="well").status_code == 403
    assert tablet.act("came", 1, 4, number=4).status_code == 422
    assert groups.away(groups.match(1, 4)) == [4]


def test_a_level_match_stays_listed_until_it_is_played_again(tablet, groups):
    groups.score({1: 700, 4: 700})
    assert "Level: to be played again" in text(tablet.home())
    assert "Level at 700: to be played again." in text(tablet.page(1, 4))
    tablet.act("level", 1, 4)
    assert groups.match(1, 4).state == "planned"
    assert "Level: to be played again" not in text(tablet.home())


def test_a_score_missing_its_agreement_stays_listed(tablet, groups):
    tablet.act("play", 1)
    tablet.act("record", 1, number=1, score="700", checked="700", key="a")
    assert "Still to agree: 1" in text(tablet.home())


def test_a_score_that_was_read_back_before_the_match_was_set_back_is_none_of_the_new_game(tablet, groups):
    groups.score({1: 700, 4: 700})
    tablet.act("level", 1, 4)

    late = tablet.act("record", 1, 4, number=1, score="555", checked="555", key="old", replays=0)
    assert late.status_code == 409
    assert "not the same game any more. Nothing was saved." in text(late)
    tablet.act("record", 1, 4, number=1, score="555", checked="555", key="new", replays=1)
    assert groups.match(1, 4).scores.get(state="recorded").value == 555
