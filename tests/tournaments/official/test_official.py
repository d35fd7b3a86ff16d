"""Officials at the machines: what is open, the steps of a match, and what only the desk may do."""

import pytest
from django.urls import reverse

from tests.tournaments.desk.finals import Hall, scores, stranger
from tests.tournaments.desk.reading import text
from tournaments.models import Journal, Match
from tournaments.services import matches as service

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall():
    return Hall()


@pytest.fixture
def match(hall):
    return hall.deal("semi-finals")[0]


def page(hall, match, by=None):
    return (by or hall.official).get(hall.url("official:match", "semi-finals", match.pk))


def act(hall, match, name, by=None, **typed):
    return (by or hall.official).post(hall.url("official:act", "semi-finals", match.pk, name), typed, follow=True)


def home(hall, **query):
    return hall.official.get(reverse("official:home"), query)


def test_the_list_shows_the_matches_that_can_be_played_and_their_machines(hall, match):
    told = text(home(hall))

    assert "The Classic: semi-finals" in told
    assert "Machine 1 planned 1 Player 1 3 Player 3 5 Player 5 7 Player 7" in told
    assert "Machine 2" in told


def test_a_tablet_keeps_to_one_machine(hall, match):
    told = text(home(hall, machine="M2"))

    assert "2 Player 2" in told
    assert "1 Player 1" not in told


def test_nothing_is_listed_before_the_stage_is_open(hall):
    hall.deal("semi-finals", opened=False)

    assert "No match can be played now." in text(home(hall))


def test_the_list_alone_is_silent_while_nothing_changed(hall, match):
    version = home(hall).context["version"]
    address = reverse("official:open")
    assert hall.official.get(address, {"version": version}).status_code == 204

    service.call(match, actor=None)

    assert "Machine 1 called" in text(hall.official.get(address, {"version": version}))


def test_a_match_done_stays_listed_until_every_score_is_agreed(hall, match):
    hall.score(match, 4_000, 3_000, 2_000, 1_000)
    assert "Still to agree: 4" in text(home(hall))

    for number in (1, 3, 5, 7):
        act(hall, match, "agree", number=number)

    assert "Machine 1" not in text(home(hall))


def test_an_official_takes_a_match_from_the_call_to_the_last_agreement(hall, match):
    act(hall, match, "call")
    for number, position in ((1, 1), (3, 2), (5, 3), (7, 4)):
        act(hall, match, "choose", number=number, position=position)
    act(hall, match, "warm-up")
    act(hall, match, "play")
    for number, score in ((1, "400"), (3, "300"), (5, "200"), (7, "100")):
        read = act(hall, match, "record", number=number, score=score, key=f"k{number}")
        assert "is this right?" in text(read)
        act(hall, match, "record", number=number, score=score, checked=score, key=f"k{number}", agreed="yes")

    assert "Done. Every score is agreed." in text(page(hall, match))
    assert scores() == [(1, 400), (3, 300), (5, 200), (7, 100)]


def test_a_score_gone_back_to_is_still_in_its_field(hall, match):
    service.play(match, actor=None)
    address = hall.url("official:match", "semi-finals", match.pk)

    shown = hall.official.get(address, {"number": "3", "score": "12345"}).content.decode()

    assert 'id="score-3" name="score" inputmode="numeric" enterkeyhint="done" value="12345"' in shown


def test_a_repeated_request_makes_one_score(hall, match):
    """[20]"""
    typed = {"number": 1, "score": "400", "checked": "400", "key": "k"}
    act(hall, match, "record", **typed)
    assert "the same result and counts once" in text(act(hall, match, "record", **typed))

    assert scores() == [(1, 400)]


def test_the_last_scores_of_both_semi_finals_fill_the_final_once(hall):
    """[18]"""
    for each in hall.deal("semi-finals"):
        for rank, side in enumerate(each.sides.order_by("rank")):
            value = str(4_000 - 1_000 * rank)
            typed = {"number": side.entry.number, "score": value, "checked": value, "sure": value}
            for key in ("one", "other"):
                act(hall, each, "record", key=f"{key}-{side.entry.number}", **typed)

    assert hall.seats("final") == [1, 2, 3, 4]
    assert hall.seats("play-off") == [5, 6, 7, 8]


def test_a_page_that_is_behind_is_told_so_and_one_that_is_not_hears_nothing(hall, match):
    address = hall.url("official:changed", "semi-finals", match.pk)
    mark = page(hall, match).context["mark"]
    assert hall.official.get(address, {"mark": mark}).status_code == 204

    service.call(match, actor=None)

    assert "Somebody changed this match." in text(hall.official.get(address, {"mark": mark}))


def test_an_official_marks_somebody_absent_and_only_the_desk_takes_that_back(hall, match):
    act(hall, match, "absent", number=1, reason="went home")
    assert "The desk can take that back." in text(page(hall, match))

    assert act(hall, match, "present", number=1, reason="came back").status_code == 403
    assert match.sides.get(entry__number=1).absent is True


def test_correcting_and_voiding_are_not_an_officials(hall, match):
    hall.score(match, 4_000, 3_000, 2_000, 1_000)
    shown = page(hall, match).content.decode()

    assert "Correct or void" not in shown
    assert "/desk/" not in shown.split("<main")[1].split("</main>")[0]
    score = match.scores.first()
    for name in ("score", "correct"):
        assert hall.official.post(hall.url(f"desk:{name}", "semi-finals", score.pk)).status_code == 403


@pytest.mark.parametrize("name", ["call", "record", "absent", "agree"])
def test_steps_are_for_officials_and_only_visited_change_nothing(hall, match, name):
    before = Journal.objects.count()
    address = hall.url("official:act", "semi-finals", match.pk, name)

    assert "/accounts/login" in stranger().post(address).url
    assert hall.official.get(address).status_code == 302
    assert Journal.objects.count() == before
    assert page(hall, match, by=hall.desk).status_code == 200


def test_a_step_or_a_match_that_is_not_there_is_not_found(hall, match):
    assert act(hall, match, "dance").status_code == 404
    assert hall.official.get(hall.url("official:match", "semi-finals", 999_999)).status_code == 404
    assert hall.official.get(hall.url("official:match", "qualifying", match.pk)).status_code == 404


def test_pages_of_officials_are_never_kept_by_a_browser(hall, match):
    assert "no-store" in page(hall, match).headers["Cache-Control"]
    assert "no-store" in home(hall).headers["Cache-Control"]


def test_times_and_matches_of_another_tournament_are_not_mixed_up(hall, match):
    assert Match.objects.filter(stage=hall.stage("final")).count() == 0
    assert hall.official.get(hall.url("official:match", "final", match.pk)).status_code == 404
