"""A team of three plays a ball less: said wherever a game of it is started or its score is written down."""

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse

from teams import selectors
from teams.services import teams
from teams.services.teams import Person
from tests import factories
from tests.teams.evening import Evening
from tests.tournaments.desk.reading import text
from tournaments.services import matches, stages

pytestmark = pytest.mark.django_db

LESS = "3 players, 3 balls: the 4th ball must be allowed to drain."


@pytest.fixture
def evening():
    """Four teams in one group, begun; the third has three players."""
    made = Evening(2)
    made.teams[3] = made.register(3, people=3)
    made.teams[4] = made.register(4)
    made.begin(machines=4)
    return made


def staff(role):
    """The client of the one person of this group."""
    client = Client()
    client.force_login(User.objects.filter(username=role).first() or factories.user(role))
    return client


def match_page(role, evening, *numbers, **query):
    match = evening.match(*numbers)
    page = "official:match" if role == "official" else "desk:match"
    where = [evening.show.slug, "team", match.stage.key, match.pk]
    return text(staff(role).get(reverse(page, args=where), query))


@pytest.mark.parametrize("role", ["official", "desk"])
@pytest.mark.parametrize("numbers", [(1, 3), (3,)])
def test_who_starts_and_scores_a_game_reads_it_until_the_game_is_over(evening, role, numbers):
    assert f"3 Cats: {LESS}" in match_page(role, evening, *numbers)
    matches.call(evening.match(*numbers), actor=None)
    matches.play(evening.match(*numbers), actor=None)
    assert f"3 Cats: {LESS}" in match_page(role, evening, *numbers)


def test_it_stands_beside_the_score_that_is_read_back(evening):
    match = evening.match(3)
    where = ["party", "team", "groups", match.pk, "record"]
    answer = staff("official").post(reverse("official:act", args=where), {"number": "3", "score": "500"})

    assert LESS in text(answer)


@pytest.mark.parametrize("role", ["official", "desk"])
def test_of_a_team_that_is_whole_nothing_is_said(evening, role):
    assert "must be allowed to drain" not in match_page(role, evening, 1, 2)


def test_the_board_call_sheets_and_slips_say_it(evening):
    desk = staff("desk")
    stage = ["party", "team", "groups"]

    board = text(desk.get(reverse("desk:slips", args=stage)))
    sheets = [text(desk.get(reverse(f"paper:{page}", args=stage))) for page in ("calls", "slips")]

    assert f"3 Cats: {LESS}" in board
    assert [words.count(LESS) for words in sheets] == [4, 4]


def test_it_follows_who_is_in_the_team(evening):
    people = [Person("", member.player) for member in selectors.line_up(evening.teams[3])]
    teams.change_members(evening.teams[3], actor=None, members=[*people, Person("Cats Four")])
    assert LESS not in match_page("official", evening, 1, 3)

    matches.call(evening.match(1, 3), actor=None)
    teams.change_members(evening.teams[3], actor=None, members=people, reason="gone home")
    assert f"3 Cats: {LESS}" in match_page("official", evening, 1, 3)


def test_the_final_says_it_as_well():
    made = Evening(0)
    made.teams = {number: made.register(number, people=3 if number == 1 else 4) for number in range(1, 9)}
    made.begin()
    made.play_all()
    stages.close_stage(made.groups, actor=None)
    matches.deal_by_lot(made.final, actor=None, machines=made.hall(3))
    stages.open_stage(made.final, actor=None)

    assert f"1 Ants: {LESS}" in match_page("official", made, 1, 2, 3, 4)


@pytest.mark.parametrize(
    ("whole", "here", "words"),
    [
        (4, 4, ""),
        (4, 5, ""),
        (4, 3, LESS),
        (4, 2, "2 players, 2 balls: the last 2 balls must be allowed to drain."),
        (3, 2, "2 players, 2 balls: the 3rd ball must be allowed to drain."),
    ],
)
def test_the_balls_of_a_team_in_words(whole, here, words):
    assert selectors.balls(whole, here) == words
