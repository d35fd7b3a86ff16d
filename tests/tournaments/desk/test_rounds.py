"""The qualifying round opens, closes by the clock and by people; and who is missing."""

import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
import time_machine
from django.utils import timezone

from tests import factories
from tests.tournaments.desk.reading import text
from tournaments.domain.facts import Phase
from tournaments.models import Score, Stage
from tournaments.services import entries as entries_service
from tournaments.services import scores as scores_service
from tournaments.services import shows as shows_service
from tournaments.services import stages as stages_service

pytestmark = pytest.mark.django_db

LONDON = ZoneInfo("Europe/London")
FOUR = datetime(2027, 7, 24, 16, 0, tzinfo=LONDON)


def phase(world):
    return Stage.objects.get(pk=world.stage.pk).phase(timezone.now())


@pytest.fixture
def until_four(desk_of):
    """A desk of a round that closes at 16:00, at 15:55."""
    with time_machine.travel(FOUR - timedelta(minutes=5), tick=False) as clock:
        desk = desk_of(factories.qualifying(players=3, stock=3, closes_at=FOUR))
        desk.clock = clock
        yield desk


def test_a_planned_round_is_opened_at_the_desk(desk_of):
    desk = desk_of(factories.qualifying(players=2, stock=2, opened=False))
    assert "2 entered, 2 machines." in text(desk.get("close"))

    desk.post("close-act", "open")

    assert phase(desk.world) == Phase.OPEN


def test_a_round_without_machines_is_not_opened_and_the_page_says_why(desk_of):
    desk = desk_of(factories.qualifying(players=2, stock=0, opened=False))

    refused = desk.post("close-act", "open")

    assert refused.status_code == 422
    assert "Qualifying has no machines yet; add them first." in text(refused)


def test_the_page_says_until_when_the_round_is_open_and_that_it_closes_by_itself(until_four):
    desk = until_four
    assert "Open until 16:00." in text(desk.get("slips"))

    desk.clock.move_to(FOUR)

    assert "Closing since 16:00" in text(desk.get("slips"))


def test_the_part_beside_the_form_changes_when_only_the_clock_does(until_four):
    desk = until_four
    desk.world.tournament.refresh_from_db()
    version = f"{desk.world.tournament.revision}.open"
    assert desk.get("aside", version=version, htmx=True).status_code == 204

    desk.clock.move_to(FOUR)

    assert "Closing since 16:00" in text(desk.get("aside", version=version, htmx=True))


def test_from_the_closing_time_on_no_game_starts_and_late_slips_are_taken_and_marked(until_four):
    desk = until_four
    desk.post("start", number="1", machine="M1")
    desk.clock.move_to(FOUR + timedelta(seconds=1))

    refused = desk.post("start", number="2", machine="M2", htmx=True)
    assert refused.status_code == 422
    assert "Qualifying is closing: no new game starts." in text(refused)

    assert "Saved. late" in text(desk.slip("1", "M1", "500"))
    assert "Saved. late" in text(desk.slip("3", "M2", "600"))
    assert list(Score.objects.values_list("late", flat=True)) == [True, True]
    assert "500 late" in text(desk.get("slips"))


def test_a_round_is_not_closed_while_games_are_out_and_all_are_listed(until_four):
    """[11]"""
    desk = until_four
    for number in (1, 2, 3):
        desk.post("start", number=number, machine=f"M{number}")
    desk.clock.move_to(FOUR + timedelta(minutes=5))

    refused = desk.post("close-act", "close")

    assert refused.status_code == 409
    told = text(refused)
    assert "3 games are outstanding" in told
    for number in (1, 2, 3):
        assert f"{number} Player {number} on Machine {number} is still playing" in told
    assert phase(desk.world) == Phase.CLOSING


def test_a_result_that_waits_for_a_decision_keeps_the_round_from_closing(desk, world):
    """[10]"""
    factories.play(world.stage, world.entries[0], world.machines[0], 1_000)
    scores_service.put_aside(world.stage, actor=None, entry=world.entries[0], machine=world.machines[0], value=9)

    refused = desk.post("close-act", "close")

    assert refused.status_code == 409
    assert "1 Player 1 on Machine 1 waits for a decision" in text(refused)


@pytest.fixture
def all_played(world):
    """Nobody has games left: each may play one and has."""
    rules = {"games_allowed": 1, "games_counted": 1}
    shows_service.change_rules(world.tournament, actor=None, rules=rules, reason="short day")
    factories.standings(world, [[300], [200], [100]])


@pytest.mark.usefixtures("all_played")
def test_a_round_is_closed_by_a_person_and_then_takes_no_slip(desk):
    closed = desk.post("close-act", "close", follow=True)

    assert "Qualifying is closed. Next: the cut." in text(closed)
    refused = desk.slip("1", "M1", "500")
    assert refused.status_code == 422
    assert "is closed; an organiser can reopen it." in text(refused)


def test_closing_before_the_time_asks_first_with_the_time_and_the_numbers(until_four):
    desk = until_four
    desk.slip("1", "M1", "500")
    question = "Open until 16:00; 2 have not started, 1 is unfinished. Close anyway?"

    asked = desk.post("close-act", "close")

    assert asked.status_code == 409
    assert question in text(asked)
    assert "Close qualifying anyway" in text(asked)
    assert phase(desk.world) == Phase.OPEN
    desk.post("close-act", "close", anyway=question)
    assert phase(desk.world) == Phase.CLOSED


def test_closing_with_other_numbers_than_those_confirmed_asks_again(until_four):
    desk = until_four
    desk.slip("1", "M1", "500")
    question = desk.post("close-act", "close").context["ask_close"]
    desk.slip("2", "M1", "400")

    asked = desk.post("close-act", "close", anyway=question)

    assert "1 has not started, 2 are unfinished" in text(asked)
    assert phase(desk.world) == Phase.OPEN


def test_closing_after_the_time_asks_only_for_games_not_played(until_four):
    desk = until_four
    desk.clock.move_to(FOUR)

    assert "3 have not started. Close anyway?" in text(desk.post("close-act", "close"))


@pytest.mark.usefixtures("all_played")
def test_the_button_to_close_is_the_obvious_one_only_when_nothing_is_missing(desk, world):
    def button():
        return re.search(r"<button[^>]*>Close qualifying</button>", desk.get("close").content.decode())[0]

    assert "secondary" not in button()
    factories.entry(world.tournament, "Late Comer")
    assert "secondary" in button()


def test_a_closed_round_says_so_above_the_slips_and_has_no_form(desk, world):
    stages_service.close_stage(world.stage, actor=None)

    page = desk.get("slips")

    assert "Qualifying is closed. No slip is taken any more. An organiser can open it again." in text(page)
    assert 'id="slip"' not in page.content.decode()


def test_a_slip_for_a_round_closed_meanwhile_is_refused_and_keeps_what_was_typed(desk, world):
    stages_service.close_stage(world.stage, actor=None)

    refused = desk.slip("1", "M1", "1,234,567", htmx=False)

    assert refused.status_code == 422
    assert 'name="score" value="1,234,567"' in refused.content.decode()


def test_after_the_cut_is_declared_a_closed_round_says_what_has_to_be_taken_back(desk, organiser, world):
    factories.closed(world, [[300], [200], [100]])
    stages_service.declare_cut(world.stage, actor=None)

    assert "The cut is declared; an organiser can take it back and then open" in text(desk.get("slips"))
    told = text(organiser.get("close"))
    assert "The cut is declared; an organiser has to take it back before" in told
    assert "Open qualifying again" not in told


def test_only_an_organiser_opens_a_closed_round_again_and_says_why(desk, organiser, world):
    stages_service.close_stage(world.stage, actor=None)

    assert desk.post("reopen", reason="late slip").status_code == 403
    unsaid = organiser.post("reopen", reason="")
    assert unsaid.status_code == 422
    assert "Say why" in text(unsaid)
    organiser.post("reopen", reason="late slip")

    assert phase(world) == Phase.OPEN


def test_times_are_typed_and_shown_in_the_shows_time_across_the_change_of_the_clocks(desk, world):
    desk.post("times", opens_at="2030-03-30T10:00", closes_at="2030-03-31T16:00")

    stage = Stage.objects.get(pk=world.stage.pk)
    assert stage.opens_at == datetime(2030, 3, 30, 10, 0, tzinfo=ZoneInfo("UTC"))
    assert stage.closes_at == datetime(2030, 3, 31, 15, 0, tzinfo=ZoneInfo("UTC"))
    assert 'value="2030-03-31T16:00"' in desk.get("close").content.decode()
    assert "Open until 16:00 on 31 March 2030." in text(desk.get("close"))


def test_a_time_that_the_change_of_the_clocks_leaves_out_is_refused_and_kept(desk):
    refused = desk.post("times", opens_at="", closes_at="2030-03-31T01:30")

    assert refused.status_code == 422
    assert 'value="2030-03-31T01:30"' in refused.content.decode()
    sentence = (
        "There is no 01:30 on 31 March 2030: the clocks go forward then. Type 00:59 or earlier, or 02:00 or later."
    )
    assert sentence in text(refused)


def test_a_time_that_comes_twice_when_the_clocks_go_back_is_refused_and_kept(desk):
    refused = desk.post("times", opens_at="", closes_at="2030-10-27T01:00")

    assert refused.status_code == 422
    assert 'value="2030-10-27T01:00"' in refused.content.decode()
    sentence = (
        "01:00 on 27 October 2030 comes twice: the clocks go back then. Type 00:59 or earlier, or 02:00 or later."
    )
    assert sentence in text(refused)


@pytest.mark.parametrize("typed", ["2030-02-30T10:00", "tomorrow"])
def test_what_is_no_time_is_refused_and_kept(desk, typed):
    refused = desk.post("times", opens_at="", closes_at=typed)

    assert refused.status_code == 422
    assert f'value="{typed}"' in refused.content.decode()


def test_a_closing_time_in_the_past_is_refused_before_the_round_is_open(desk_of):
    with time_machine.travel(FOUR, tick=False):
        desk = desk_of(factories.qualifying(players=2, stock=2, opened=False))

        refused = desk.post("times", opens_at="", closes_at="2027-07-24T15:30")

    assert refused.status_code == 422
    assert "15:30 is past; it is 16:00 now. Type a later time." in text(refused)
    assert Stage.objects.get(pk=desk.world.stage.pk).closes_at is None


def test_a_closing_time_in_the_past_is_asked_about_while_the_round_is_open(until_four):
    desk = until_four

    asked = desk.post("times", opens_at="", closes_at="2027-07-24T15:30")

    assert asked.status_code == 409
    assert "15:30 is past; it is 15:55 now. Then no new game could start from this moment on." in text(asked)
    assert phase(desk.world) == Phase.OPEN
    desk.post("times", opens_at="", closes_at="2027-07-24T15:30", anyway="2027-07-24T15:30")
    assert phase(desk.world) == Phase.CLOSING


def test_a_round_cannot_close_before_it_opens(desk):
    refused = desk.post("times", opens_at="2030-07-24T16:00", closes_at="2030-07-24T10:00")

    assert refused.status_code == 422
    assert "Qualifying would close before it opens." in text(refused)
    assert 'value="2030-07-24T10:00"' in refused.content.decode()


@pytest.fixture
def some_played(world):
    """Player 1 has all three games to show, 2 one and one under way, 3 none; 4 has left."""
    for machine in world.machines[:2]:
        factories.play(world.stage, world.entries[0], machine, 500)
    factories.play(world.stage, world.entries[1], world.machines[0], 400)
    scores_service.start(world.stage, actor=None, entry=world.entries[1], machine=world.machines[1])
    gone = factories.entry(world.tournament, "Gone Away")
    entries_service.withdraw(gone, actor=None, reason="ill")
    shows_service.change_rules(
        world.tournament, actor=None, rules={"games_allowed": 2, "games_counted": 2}, reason="short day"
    )


@pytest.mark.usefixtures("some_played")
def test_who_is_missing_is_counted_beside_the_form(desk):
    assert "Not started 1 Unfinished 1 All games played 1" in text(desk.get("slips"))


@pytest.mark.usefixtures("some_played")
@pytest.mark.parametrize(
    ("only", "numbers"),
    [("missing", [2, 3]), ("not-started", [3]), ("unfinished", [2]), ("all", [1, 2, 3, 4]), ("nonsense", [2, 3])],
)
def test_who_is_missing_can_be_filtered(desk, only, numbers):
    lines = desk.get("missing", only=only).context["lines"]

    assert [line.entrant.number for line in lines] == numbers


@pytest.mark.usefixtures("some_played")
@pytest.mark.parametrize(
    ("sort", "numbers"), [("number", [1, 2, 3, 4]), ("name", [4, 1, 2, 3]), ("games", [3, 4, 2, 1])]
)
def test_who_is_missing_can_be_sorted(desk, sort, numbers):
    lines = desk.get("missing", only="all", sort=sort).context["lines"]

    assert [line.entrant.number for line in lines] == numbers


@pytest.mark.usefixtures("some_played")
def test_the_list_of_the_missing_says_who_is_playing_and_who_has_not_started(desk):
    told = text(desk.get("missing"))

    assert "2 Player 2 1 of 2 unfinished, playing now" in told
    assert "3 Player 3 0 of 2 not started" in told
