"""Two results for one game wait side by side until somebody chooses, in qualifying and in matches."""

import pytest

from tests import factories
from tests.tournaments.desk.finals import Hall, scores
from tests.tournaments.desk.reading import confirmed, hidden, text
from tournaments import selectors
from tournaments.models import Score
from tournaments.services import scores as scores_service

pytestmark = pytest.mark.django_db


@pytest.fixture
def waiting(world):
    """Player 1 has 1,000 on machine 1, and 3,000 waits beside it; player 2 has 2,000."""
    first, machine = world.entries[0], world.machines[0]
    factories.play(world.stage, world.entries[1], machine, 2_000)
    factories.play(world.stage, first, machine, 1_000)
    return scores_service.put_aside(
        world.stage, actor=None, entry=first, machine=machine, value=3_000, source="tablet"
    ).score


def test_both_results_are_listed_with_value_source_time_and_person(desk, waiting):
    told = text(desk.get("conflicts"))

    assert "1 Player 1 on Machine 1" in told
    assert "1,000 counts now; from a slip, entered at" in told
    assert "3,000 waits; from a tablet, entered at" in told
    assert "checked" not in desk.get("conflicts").content.decode()


def test_what_waits_is_counted_beside_the_slips_and_where_the_desk_starts(desk, waiting):
    assert "Waiting for a decision: 1" in text(desk.get("slips"))
    assert "1 to decide" in text(desk.client.get("/desk/"))


def test_nothing_moves_until_it_is_decided_and_the_preview_says_what_moves_then(desk, world, waiting):
    """[10]"""
    before = selectors.stage_facts(world.stage).table
    shown = desk.post("settle", waiting.pk, keep="second", reason="asked Olu")
    assert "1 Player 1 2nd, 99 points 1st, 100 points" in text(shown)
    assert selectors.stage_facts(world.stage).table == before

    settled = confirmed(desk.client, shown)

    assert "The two results are settled. Now: 1 Player 1 on Machine 1 (M1): 3,000." in text(settled)
    assert "No game of qualifying has two results." in text(settled)
    assert selectors.stage_facts(world.stage).table.machines[world.machines[0].pk][0].value == 3_000


@pytest.mark.parametrize(("keep", "reason", "sentence"), [("", "x", "Choose which"), ("second", "", "Say why")])
def test_without_a_choice_or_a_reason_nothing_is_decided_and_what_was_typed_stays(
    desk, waiting, keep, reason, sentence
):
    refused = desk.post("settle", waiting.pk, keep=keep, reason=reason)

    assert refused.status_code == 422
    assert sentence in text(refused)
    assert f'value="{reason}"' in refused.content.decode()
    assert Score.objects.get(pk=waiting.pk).state == Score.State.WAITING


def test_a_first_result_corrected_meanwhile_is_not_decided_about_unseen(desk, waiting):
    first = selectors.rival(waiting)
    seen = first.revision
    scores_service.correct(first, actor=None, seen=seen, reason="misread", value=1_500)

    refused = desk.post("settle", waiting.pk, keep="first", reason="x", seen_first=seen)

    assert refused.status_code == 409
    assert "What you saw: 1,000. What it is now: 1,500." in text(refused)


# In matches


@pytest.fixture
def hall():
    return Hall()


@pytest.fixture
def match(hall):
    match = hall.deal("semi-finals")[0]
    hall.score(match, 4_000, 3_000, 2_000, 1_000)
    return match


def send(hall, match, by, score, number=1, name="record", **more):
    page = "desk:match-act" if by is hall.desk else "official:act"
    typed = {"number": number, "score": score, "checked": score, "sure": score, "key": "two", **more}
    return by.post(hall.url(page, "semi-finals", match.pk, name), typed, follow=True)


@pytest.mark.parametrize("who", ["official", "desk"])
def test_a_second_different_result_of_a_match_is_offered_to_be_kept_and_never_lost(hall, match, who):
    """[19]"""
    by = getattr(hall, who)
    refused = send(hall, match, by, "4500")
    assert refused.status_code == 422
    assert "There is 4,000. You typed 4,500." in text(refused)
    assert "Keep 4,500 for the desk to decide" in text(refused)

    kept = send(hall, match, by, "4500", name="put-aside", key="three")

    assert "4,500 for 1 Player 1 is kept for the desk to decide." in text(kept)
    assert "A second result, 4,500, waits for the desk to decide." in text(kept)
    assert scores() == [(1, 4_000), (3, 3_000), (5, 2_000), (7, 1_000)]
    assert "1 game has two results." in text(hall.get("slips", "semi-finals"))


def test_the_same_result_again_is_in_already(hall, match):
    again = send(hall, match, hall.official, "4000")

    assert "is the same result and counts once" in text(again)
    assert "Keep 4,000" not in text(again)


def test_a_conflict_of_a_match_is_decided_with_who_goes_on_shown_first(hall, match):
    hall.score(hall.matches("semi-finals")[1], 4_000, 3_000, 2_000, 1_000)
    assert hall.seats("final") == [1, 2, 3, 4]
    send(hall, match, hall.official, "3500", number=5, name="put-aside")
    assert hall.seats("final") == [1, 2, 3, 4]
    waiting = Score.objects.get(state="waiting")

    shown = hall.post("settle", "semi-finals", waiting.pk, keep="second", reason="asked Olu")

    assert "seed 3 3 Player 3 4 Player 4" in text(shown)
    assert hidden(shown)["keep"] == ["second"]
    confirmed(hall.desk, shown)
    assert hall.seats("final") == [1, 2, 4, 5]
    assert "waits for the desk" not in text(hall.get("match", "semi-finals", match.pk))


def test_what_is_put_aside_without_a_readable_score_is_refused(hall, match):
    assert send(hall, match, hall.official, "1.5", name="put-aside").status_code == 422
    assert not Score.objects.filter(state="waiting").exists()
