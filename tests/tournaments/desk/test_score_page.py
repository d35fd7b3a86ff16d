"""One score: history, correction, void, restore, giving up, settling. Numbers are those of the list of mishaps."""

import pytest

from tests import factories
from tests.tournaments.desk.reading import confirmed, text
from tournaments.models import Score
from tournaments.services import scores as scores_service
from tournaments.services import stages as stages_service

pytestmark = pytest.mark.django_db


@pytest.fixture
def score(world):
    return factories.play(world.stage, world.entries[0], world.machines[0], 12_345_678)


def correction(score, /, **typed):
    as_it_is = {
        "score": f"{score.value:,}",
        "number": score.entry.number,
        "machine": score.machine.code,
        "reason": "",
        "seen": score.revision,
    }
    return as_it_is | typed


def test_looking_at_a_score_changes_nothing(desk, world, score):
    """[12]"""
    world.tournament.refresh_from_db()
    before = world.tournament.revision

    assert desk.get("score", score.pk).status_code == 200

    world.tournament.refresh_from_db()
    assert world.tournament.revision == before


def test_saving_a_score_unchanged_makes_no_new_version_and_says_so(desk, world, score):
    """[12]"""
    response = desk.post("correct", score.pk, follow=True, **correction(score))

    assert "Nothing was different; nothing was changed." in text(response)
    assert score.journal.count() == 1


def test_a_correction_keeps_the_old_value_the_editor_the_time_and_the_reason(desk, score):
    """[13]"""
    response = desk.post(
        "correct", score.pk, follow=True, **correction(score, score="12,435,678", reason="swapped digits")
    )

    told = text(response)
    assert Score.objects.get().value == 12_435_678
    assert "score: 12,345,678 → 12,435,678" in told
    assert "dora" in told
    assert "Reason: swapped digits" in told


def test_one_step_takes_a_correction_back(desk, score):
    """[13]"""
    desk.post("correct", score.pk, **correction(score, score="5", reason="misread"))
    seen = Score.objects.get().revision

    response = desk.post("score-act", score.pk, "undo", seen=seen, follow=True)

    assert "The last change was taken back." in text(response)
    assert Score.objects.get().value == 12_345_678


def test_a_score_entered_for_the_wrong_player_is_given_to_the_right_one(desk, world, score):
    response = desk.post("correct", score.pk, follow=True, **correction(score, number="2", reason="number misread"))

    assert Score.objects.get().entry == world.entries[1]
    assert "player: 1 Player 1 → 2 Player 2" in text(response)


def test_a_score_cannot_be_given_to_somebody_who_has_played_the_machine(desk, world, score):
    factories.play(world.stage, world.entries[1], world.machines[0], 400)

    refused = desk.post("correct", score.pk, **correction(score, number="2", reason="number misread"))

    assert refused.status_code == 422
    assert "Player 2 has already played Machine 1: 400" in text(refused)
    assert 'name="number" value="2"' in refused.content.decode()
    assert 'value="number misread"' in refused.content.decode()


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"score": "1.5", "reason": "r"}, "looks like a fraction"),
        ({"number": "99", "reason": "r"}, "There is no number 99"),
        ({"machine": "XX", "reason": "r"}, "No machine in qualifying has the code or name"),
        ({"score": "7", "reason": " "}, "Say why, in a few words"),
    ],
)
def test_a_correction_that_cannot_be_read_keeps_everything_typed(desk, score, typed, sentence):
    refused = desk.post("correct", score.pk, **correction(score, **typed))

    assert refused.status_code == 422
    assert sentence in text(refused)
    for name, value in typed.items():
        assert f'name="{name}" ' in refused.content.decode()
        assert f'value="{value.strip()}"' in refused.content.decode()
    assert Score.objects.get().value == 12_345_678


def test_a_correction_of_what_somebody_else_has_changed_shows_both_values_and_what_was_typed(desk, score):
    old = correction(score, score="111", reason="misread")
    scores_service.correct(score, actor=None, seen=score.revision, reason="misread too", value=222)

    refused = desk.post("correct", score.pk, **old)

    assert refused.status_code == 409
    assert "What you saw: 12,345,678. What it is now: 222." in text(refused)
    content = refused.content.decode()
    assert 'name="score" inputmode="numeric" value="111"' in content
    assert Score.objects.get().value == 222

    again = desk.post("correct", score.pk, follow=True, **(old | {"seen": Score.objects.get().revision}))
    assert "Corrected: 1 Player 1 on Machine 1 (M1): 111." in text(again)


def test_a_form_refused_for_its_reason_still_notices_a_change_made_meanwhile(desk, score):
    scores_service.correct(score, actor=None, seen=score.revision, reason="misread", value=222)

    refused = desk.post("correct", score.pk, **correction(score, score="1.5"))

    assert f'name="seen" value="{score.revision}"' in refused.content.decode()


def test_a_void_score_drops_out_and_is_restored_exactly(desk, world, score):
    """[14]"""
    voided = desk.post("score-act", score.pk, "void", seen=score.revision, reason="wrong machine", follow=True)

    assert "It counts for nothing now and can be restored." in text(voided)
    assert "not ranked" in text(desk.get("entry", 1))

    seen = Score.objects.get().revision
    desk.post("score-act", score.pk, "restore", seen=seen, reason="")
    assert Score.objects.get().state == Score.State.RECORDED
    assert "1 of 6 games, 1st" in text(desk.get("entry", 1))


def test_voiding_needs_a_reason_and_says_so_on_the_page(desk, score):
    refused = desk.post("score-act", score.pk, "void", seen=score.revision, reason="")

    assert refused.status_code == 422
    assert "Say why, in a few words" in text(refused)
    assert Score.objects.get().state == Score.State.RECORDED


def test_a_game_under_way_is_given_up_with_a_reason(desk, world):
    game = scores_service.start(world.stage, actor=None, entry=world.entries[0], machine=world.machines[0])

    assert "Give up the game" in text(desk.get("score", game.pk))
    refused = desk.post("score-act", game.pk, "abandon", seen=game.revision, reason="")
    assert refused.status_code == 422
    desk.post("score-act", game.pk, "abandon", seen=game.revision, reason="machine broke")

    assert Score.objects.get().state == Score.State.VOID
    assert "Give up the game" not in text(desk.get("score", game.pk))


@pytest.mark.parametrize(("keep", "value"), [("first", 12_345_678), ("second", 9_000)])
def test_two_results_for_a_game_are_settled_by_a_person(desk, world, score, keep, value):
    """[10]"""
    aside = scores_service.put_aside(
        world.stage, actor=None, entry=world.entries[0], machine=world.machines[0], value=9_000
    ).score

    page = text(desk.get("score", aside.pk))
    assert "12,345,678" in page
    assert "9,000" in page
    unsaid = desk.post("settle", aside.pk, reason="looked at the slip")
    assert unsaid.status_code == 422
    assert "Choose which of the two results is right." in text(unsaid)
    assert 'value="looked at the slip"' in unsaid.content.decode()

    confirmed(desk.client, desk.post("settle", aside.pk, keep=keep, reason="looked at the slip"))
    score.refresh_from_db()
    assert score.value == value
    assert "Waiting for a decision" not in text(desk.get("slips"))


@pytest.fixture
def aside(world, score):
    first, machine = world.entries[0], world.machines[0]
    return scores_service.put_aside(world.stage, actor=None, entry=first, machine=machine, value=9_000).score


def test_a_score_decided_between_two_results_is_changed_by_correcting_it(desk, score, aside):
    settled = confirmed(desk.client, desk.post("settle", aside.pk, keep="second", reason="slip"))

    assert "The two results are settled. Now: 1 Player 1 on Machine 1 (M1): 9,000." in text(settled)
    told = text(desk.get("score", score.pk))
    assert "It is changed by correcting it" in told
    assert "Take back" not in told


def test_the_result_decided_against_says_so_and_offers_nothing_that_would_be_refused(desk, score, aside):
    confirmed(desk.client, desk.post("settle", aside.pk, keep="first", reason="slip"))

    page = desk.get("score", aside.pk)

    assert "Decided against; the score is 12,345,678." in text(page)
    assert f'href="{desk.url("score", score.pk)}"' in page.content.decode()
    assert "Restore" not in text(page)
    assert "Take back" not in text(page)


def test_the_fields_of_a_correction_say_whom_and_which_machine_they_mean(desk, world, score):
    told = text(desk.get("score", score.pk))
    assert "1 Player 1, 1 of 6 games" in told
    assert "Machine 1 (M1)" in told
    assert "already played" not in told

    factories.play(world.stage, world.entries[1], world.machines[1], 500)
    lookup = {"instead-of": score.pk, "number": "2", "machine": "M2", "htmx": True}
    assert "2 Player 2, 1 of 6 games" in text(desk.get("lookup", field="number", **lookup))
    assert "Player 2 has already played it: 500." in text(desk.get("lookup", field="machine", **lookup))


def test_a_look_up_for_a_correction_offers_names_without_leading_to_the_slips(desk, score):
    found = desk.get("lookup", field="number", number="player", machine="M1", htmx=True, **{"instead-of": score.pk})

    assert "Meant: 1 Player 1; 2 Player 2; 3 Player 3." in text(found)
    assert "<a" not in found.content.decode()


def test_a_correction_is_told_with_its_digits_in_groups(desk, score):
    corrected = desk.post("correct", score.pk, follow=True, **correction(score, score="116000000", reason="misread"))

    assert "Corrected: 1 Player 1 on Machine 1 (M1): 116,000,000." in text(corrected)


def test_a_score_as_it_was_entered_is_taken_back_as_a_whole_and_a_change_as_a_change(desk, score):
    assert "Take back this score" in text(desk.get("score", score.pk))

    scores_service.correct(score, actor=None, seen=score.revision, reason="misread", value=5)

    assert "Take back the last change" in text(desk.get("score", score.pk))


def test_a_score_of_a_closed_round_shows_its_history_and_who_can_open_the_round(desk, world, score):
    stages_service.close_stage(world.stage, actor=None)

    told = text(desk.get("score", score.pk))

    assert "Qualifying is closed. Its scores cannot be changed at the desk, because who goes on may rest on" in told
    assert "an organiser can correct one late, rule on it, and decides what follows." in told
    assert "An organiser can open it again." in told
    for act in ("Save the correction", "Void the score", "Take back"):
        assert act not in told
    assert "History" in told


def test_a_correction_refused_because_the_round_was_closed_keeps_what_was_typed(desk, world, score):
    stages_service.close_stage(world.stage, actor=None)

    refused = desk.post("correct", score.pk, **correction(score, score="111", reason="misread"))

    assert refused.status_code == 422
    assert 'value="111"' in refused.content.decode()
    assert 'value="misread"' in refused.content.decode()


def test_the_titles_of_a_score_and_of_an_entry_name_the_tournament(desk, score):
    assert "<title>1 Player 1 on Machine 1: The Open" in desk.get("score", score.pk).content.decode()
    assert "<title>1 Player 1: The Open" in desk.get("entry", 1).content.decode()


def test_a_score_of_another_stage_is_not_found(desk, score):
    other = factories.qualifying(of=factories.show("other"), players=1)

    assert type(desk)(other, desk.client).get("score", score.pk).status_code == 404


def test_what_cannot_be_done_to_a_score_is_not_found(desk, score):
    assert desk.post("score-act", score.pk, "delete", seen=score.revision).status_code == 404
