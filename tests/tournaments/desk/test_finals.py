"""From the semi-finals to the last game: opening and closing, ties, and corrections before and after."""

import pytest

from tests import factories
from tests.tournaments.desk.finals import Hall
from tests.tournaments.desk.reading import confirmed, text
from tournaments.domain.refusals import Refusal
from tournaments.models import Journal, Ruling, Score, Seat
from tournaments.services import effects, entries, game_rulings, incidents, matches, rulings, stages
from tournaments.services import scores as scores_service

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall():
    return Hall()


@pytest.fixture
def decided(hall):
    """Both semi-finals played: 1, 3 and 2, 4 go to the final."""
    for match in hall.deal("semi-finals"):
        hall.score(match, 4_000, 3_000, 2_000, 1_000)
    return hall


@pytest.fixture
def tied(hall):
    """3 and 5 are level for 2nd place in the first semi-final."""
    one, other = hall.deal("semi-finals")
    hall.score(one, 4_000, 2_000, 2_000, 1_000)
    hall.score(other, 4_000, 3_000, 2_000, 1_000)
    return hall


def correct(hall, number, value):
    score = Score.objects.get(match__stage__key="semi-finals", entry__number=number)
    typed = {"number": number, "machine": score.machine.code, "score": value, "sure": value, "seen": score.revision}
    return hall.post("correct", "semi-finals", score.pk, reason="misread", **typed)


# Opening and closing


def test_a_stage_without_matches_is_not_opened_and_the_page_leads_to_them(hall):
    assert "the matches have to be published first" in text(hall.get("close", "semi-finals"))

    refused = hall.post("close-act", "semi-finals", "open")

    assert refused.status_code == 422
    assert "The matches of the semi-finals are not published yet." in text(refused)


def test_a_stage_of_matches_is_opened_and_closed_when_all_are_played(hall):
    one, other = hall.deal("semi-finals", opened=False)
    hall.post("close-act", "semi-finals", "open")
    hall.score(one, 4_000, 3_000, 2_000, 1_000)

    refused = hall.post("close-act", "semi-finals", "close")
    assert refused.status_code == 409
    assert "game 1 on Machine 2" in text(refused)
    hall.score(other, 4_000, 3_000, 2_000, 1_000)

    assert "Semi-finals is closed." in text(hall.post("close-act", "semi-finals", "close"))


def test_a_stage_opened_too_early_has_not_begun_after_all(hall):
    hall.deal("semi-finals")

    assert hall.post("not-begun", "semi-finals", reason="x").status_code == 403
    assert hall.post("not-begun", "semi-finals", by=hall.organiser, reason="").status_code == 422
    hall.post("not-begun", "semi-finals", by=hall.organiser, reason="pressed by mistake")

    assert hall.stage("semi-finals").state == "planned"


def test_a_stage_with_a_score_has_begun(decided):
    refused = decided.post("not-begun", "semi-finals", by=decided.organiser, reason="x")

    assert refused.status_code == 422
    assert "The semi-finals has scores; void them first." in text(refused)


# Ties


def test_a_tie_for_a_place_is_named_on_the_board_and_keeps_the_stage_open(tied):
    sentence = "3 Player 3 and 5 Player 5 are level for 2nd place: a play-off game of 2 players for 1 place."

    assert sentence in text(tied.get("slips", "semi-finals"))
    assert sentence in text(tied.get("close", "semi-finals"))
    assert tied.post("close-act", "semi-finals", "close").status_code == 409
    assert tied.seats("final") == []


def test_a_play_off_asks_for_the_scores_in_it_and_a_game_without_a_score_says_so(hall):
    one, _ = hall.deal("semi-finals")
    hall.score(one, 400, 300, 300, 100)

    told = text(hall.get("cut", "semi-finals"))

    assert "3 Player 3 score in the play-off 5 Player 5 score in the play-off" in told
    assert "Machine 2 : no score yet." in told


def test_a_play_off_settles_a_tie_and_fills_the_next_stages(tied):
    typed = {"tie": "3-5", "score-3": "10", "score-5": "2,000", "expected": tied.revision()}

    shown = tied.post("play-off", "semi-finals", **typed)
    assert "seed 4" in text(shown)
    assert not Ruling.objects.exists()
    settled = confirmed(tied.desk, shown)

    assert "In this order: 5 Player 5 with 2,000, 3 Player 3 with 10." in text(settled)
    assert tied.seats("final") == [1, 2, 4, 5]
    assert tied.seats("play-off") == [3, 6, 7, 8]


@pytest.mark.parametrize(
    ("scores", "status", "why"),
    [(("5", ""), 422, "Type the score"), (("5", "1.5"), 422, "fraction")],
)
def test_a_play_off_score_that_cannot_be_read_keeps_what_was_typed(tied, scores, status, why):
    typed = {"tie": "3-5", "score-3": scores[0], "score-5": scores[1], "expected": tied.revision()}

    refused = tied.post("play-off", "semi-finals", **typed)

    assert refused.status_code == status
    assert why in text(refused)
    assert 'name="score-3" inputmode="numeric" value="5"' in refused.content.decode()
    assert not Ruling.objects.exists()


def test_a_level_play_off_is_kept_and_another_game_settles_it(tied):
    level = {"tie": "3-5", "score-3": "5", "score-5": "5", "expected": tied.revision()}

    assert "Still level: 3 Player 3 and 5 Player 5 play another game." in text(
        confirmed(tied.desk, tied.post("play-off", "semi-finals", **level))
    )
    assert tied.seats("final") == []
    again = {**level, "score-3": "9", "expected": tied.revision()}
    confirmed(tied.desk, tied.post("play-off", "semi-finals", **again))

    assert tied.seats("final") == [1, 2, 3, 4]
    assert Ruling.objects.count() == 2


def test_a_ruling_settles_a_tie_and_an_organiser_takes_it_back(tied):
    typed = {"tie": "3-5", "order-3": "1", "order-5": "2", "expected": tied.revision()}
    assert "Say why" in text(tied.post("ruling", "semi-finals", reason="", **typed))
    confirmed(tied.desk, tied.post("ruling", "semi-finals", reason="machine broke", **typed))
    assert tied.seats("final") == [1, 2, 3, 4]

    ruling = Ruling.objects.get()
    assert tied.post("undo-ruling", "semi-finals", ruling.pk, reason="x").status_code == 403
    shown = tied.post("undo-ruling", "semi-finals", ruling.pk, by=tied.organiser, reason="wrong")
    confirmed(tied.organiser, shown)

    assert tied.seats("final") == []
    assert "level for 2nd place" in text(tied.get("cut", "semi-finals"))


def test_a_play_off_entered_at_two_desks_counts_once(tied):
    typed = {"tie": "3-5", "score-3": "1", "score-5": "2", "expected": tied.revision()}
    shown, also_shown = (tied.post("play-off", "semi-finals", **typed) for _ in range(2))
    confirmed(tied.desk, shown)

    second = confirmed(tied.desk, also_shown)

    assert second.status_code in (409, 422)
    assert Ruling.objects.count() == 1


def test_two_ties_are_settled_one_after_the_other(hall):
    one, other = hall.deal("semi-finals")
    hall.score(one, 4_000, 2_000, 2_000, 1_000)
    hall.score(other, 4_000, 2_000, 2_000, 1_000)

    typed = {"score-4": 1, "score-6": 2, "expected": hall.revision()}
    confirmed(hall.desk, hall.post("play-off", "semi-finals", tie="4-6", **typed))
    told = text(hall.get("cut", "semi-finals"))

    assert "3 Player 3 and 5 Player 5 are level" in told
    assert "4 Player 4 and 6 Player 6 are level" not in told


def test_a_tie_in_the_game_for_5th_to_8th_is_named_by_its_real_places(decided):
    """[7]"""
    stages.close_stage(decided.stage("semi-finals"), actor=None)
    [match] = decided.deal("play-off")

    decided.score(match, 4_000, 4_000, 2_000, 1_000)

    told = text(decided.get("cut", "play-off"))
    assert (
        "5 Player 5 and 6 Player 6 are level for 5th place: a play-off game of 2 players for 5th to 6th place" in told
    )
    assert "5th= 5 Player 5" in told


# Corrections


def test_a_semi_final_corrected_before_the_final_begins_moves_the_right_people(decided):
    """[9]"""
    assert decided.seats("final") == [1, 2, 3, 4]

    correct(decided, 5, 3_500)

    assert decided.seats("final") == [1, 2, 4, 5]
    assert decided.seats("play-off") == [3, 6, 7, 8]


def test_a_semi_final_corrected_after_the_final_began_moves_nobody_and_says_who_would(decided):
    """The game for 5th to 8th, which has not begun, keeps its players too: nobody may have two seats or none."""
    decided.deal("final")

    correct(decided, 5, 3_500)

    assert decided.seats("final") == [1, 2, 3, 4]
    assert decided.seats("play-off") == [5, 6, 7, 8]
    told = text(decided.get("cut", "semi-finals"))
    assert "A result has changed since play went on; nobody was moved" in told
    assert "5 Player 5 would be in the final instead of 3 Player 3" in told
    assert "nobody was moved" in text(decided.get("slips", "semi-finals"))


def test_that_the_seats_stay_is_recorded_with_the_reason(decided):
    decided.deal("final")
    correct(decided, 5, 3_500)

    assert decided.post("keep-seats", "semi-finals", reason="x").status_code == 403
    assert decided.post("keep-seats", "semi-finals", by=decided.organiser, reason="").status_code == 422
    decided.post("keep-seats", "semi-finals", by=decided.organiser, reason="agreed by all four")

    assert Journal.objects.get(action="keep seats").reason == "agreed by all four"
    assert decided.seats("final") == [1, 2, 3, 4]


def test_the_right_people_are_moved_when_the_opening_of_the_final_is_taken_back(decided):
    decided.deal("final")
    correct(decided, 5, 3_500)

    decided.post("not-begun", "final", by=decided.organiser, reason="a score was misread")

    assert decided.seats("final") == [1, 2, 4, 5]
    assert [side.entry.number for side in decided.matches("final")[0].sides.order_by("rank")] == [1, 2, 4, 5]


# A qualifying score corrected after the draw


@pytest.fixture
def late():
    """The second round is published; then the first score of player 9, who missed the cut, is found to be wrong."""
    hall = Hall("open", players=10)
    hall.deal("second-round")
    return hall


def test_a_qualifying_round_is_opened_again_after_the_draw_and_changes_no_seat(late):
    """[8]"""
    before = late.seats("second-round")
    reopened = late.post("reopen", "qualifying", by=late.organiser, reason="a slip was misread")
    assert "Qualifying is open again." in text(reopened)
    score = Score.objects.get(stage__key="qualifying", entry__number=9)

    scores_service.correct(score, actor=None, seen=score.revision, reason="misread", value=99_000, sure=99_000)

    assert late.seats("second-round") == before
    told = text(late.get("cut", "qualifying"))
    assert "The table has changed since. Nobody was moved." in told
    assert "Would come in now: 9 Player 9." in told
    assert "Would be out now: 8 Player 8." in told


def test_the_decision_to_keep_the_seats_after_a_correction_is_recorded(late):
    """[8]"""
    late.post("reopen", "qualifying", by=late.organiser, reason="a slip was misread")
    score = Score.objects.get(stage__key="qualifying", entry__number=9)
    scores_service.correct(score, actor=None, seen=score.revision, reason="misread", value=99_000, sure=99_000)

    late.post("keep-seats", "qualifying", by=late.organiser, reason="the round is being played")

    assert Journal.objects.get(action="keep seats").reason == "the round is being played"
    assert Seat.objects.filter(stage__key="second-round").count() == 8


def test_before_the_draw_the_cut_is_taken_back_instead():
    """[8]"""
    hall = Hall("open", players=10)

    refused = hall.post("reopen", "qualifying", by=hall.organiser, reason="a slip was misread")

    assert refused.status_code == 422
    assert "take it back first" in text(refused)


def test_without_a_correction_nothing_is_said_of_moves(late):
    assert "Nobody was moved" not in text(late.get("cut", "qualifying"))


def test_pages_of_matches_are_not_there_for_a_stage_of_slips():
    hall = Hall()

    assert hall.get("board", "qualifying").status_code == 404
    assert hall.get("seats", "qualifying").status_code == 404
    assert hall.get("missing", "semi-finals").status_code == 404
    assert factories.stage(hall.tournament).key == "qualifying"


# Somebody leaves


@pytest.mark.parametrize("format", ["classic", "kids", "open"])
@pytest.mark.parametrize("key", ["final", "play-off"])
def test_whoever_leaves_behind_a_semi_final_has_an_empty_seat_and_every_page_says_so(format, key):
    hall = to_the_semi_finals(format)
    for match in hall.deal("semi-finals"):
        hall.score(match, 4_000, 3_000, 2_000, 1_000)
    leaver, *others = hall.seats(key)
    before = effects.picture(hall.tournament)
    entries.withdraw(hall.entries[leaver - 1], actor=None, reason="ill")

    assert "the seat stays empty and the others play without" in text(hall.get("seats", key))
    assert "Nobody takes the seat: publish the matches" in text(hall.get("slips", key))
    assert "would be in" not in text(hall.get("cut", "semi-finals"))
    (match,) = hall.deal(key, opened=False)
    assert "The seat stays empty: mark the player as absent" in text(hall.get("slips", key))
    matches.absent(match, actor=None, entry=hall.entries[leaver - 1].pk, reason="ill")
    assert "is withdrawn." not in text(hall.get("slips", key))
    stages.open_stage(hall.stage(key), actor=None)
    for number in others:
        matches.record(match, actor=None, entry=hall.entries[number - 1].pk, value=number, sure=number)
    stages.close_stage(hall.stage(key), actor=None)

    stages.reopen_stage(hall.stage(key), actor=None, reason="is back")
    for score in Score.objects.filter(match=match):
        scores_service.void(score, actor=None, reason="is back", seen=score.revision)
    matches.absent(match, actor=None, entry=hall.entries[leaver - 1].pk, reason="is back", away=False)
    stages.withdraw_opening(hall.stage(key), actor=None, reason="is back")
    matches.take_back(hall.stage(key), actor=None, reason="is back")
    entries.reinstate(hall.entries[leaver - 1], actor=None, reason="is back")
    assert effects.picture(hall.tournament) == before


@pytest.mark.parametrize(
    ("format", "key"), [("classic", "semi-finals"), ("kids", "semi-finals"), ("open", "second-round")]
)
def test_whoever_leaves_behind_a_cut_gives_the_seat_to_the_next_until_it_begins(format, key):
    hall = Hall(format, players=10)
    hall.deal(key, opened=False)
    leaver = hall.seats(key)[2]
    before = effects.picture(hall.tournament)
    entries.withdraw(hall.entries[leaver - 1], actor=None, reason="ill")

    assert "Give the seat to the next in the order" in text(hall.get("slips", key))
    assert "9 Player 9, 9th" in text(hall.get("seats", key))
    confirmed(hall.desk, hall.post("replace-seat", key, leaves=leaver, comes=9, reason="ill"))
    assert hall.seats(key)[2] == 9
    assert "Give the seat" not in text(hall.get("slips", key))

    rulings.undo_ruling(Ruling.objects.get(kind="replaced"), actor=None, reason="is back")
    entries.reinstate(hall.entries[leaver - 1], actor=None, reason="is back")
    assert effects.picture(hall.tournament) == before


def to_the_semi_finals(format):
    """A hall in which the semi-finals have their seats: of the Open after its second round."""
    if format != "open":
        return Hall(format)
    hall = Hall("open", players=10)
    for match in hall.deal("second-round"):
        hall.score(match, *(10_000 - side.entry.number for side in match.sides.order_by("rank")))
    stages.close_stage(hall.stage("second-round"), actor=None)
    stages.declare_cut(hall.stage("second-round"), actor=None)
    return hall


# The machine dies


@pytest.mark.parametrize("key", ["semi-finals", "final"])
def test_a_game_moves_from_a_machine_that_died_to_the_one_chosen_and_back(hall, key):
    if key == "final":
        for semi_final in hall.deal("semi-finals"):
            hall.score(semi_final, 4_000, 3_000, 2_000, 1_000)
    match = hall.deal(key)[0]
    dead, other = match.machine, hall.machines[3]
    matches.call(match, actor=None)
    before = effects.picture(hall.tournament)
    incidents.report(dead, actor=None, what="smoke")
    assert "Move it to a substitute" in text(hall.get("slips", key))

    typed = {"machine": other.pk, "instead_of": dead.pk, "reason": "smoke"}
    shown = hall.post("match-substitute", key, match.pk, **typed)
    confirmed(hall.desk, shown)
    match.refresh_from_db()
    assert match.machine == other
    assert match.state == "planned"
    assert "Move it to a substitute" not in text(hall.get("slips", key))

    rulings.undo_ruling(Ruling.objects.get(kind="replayed"), actor=None, reason="it lives")
    assert effects.picture(hall.tournament) == before


def test_in_a_round_that_is_drawn_again_a_game_does_not_move_alone():
    hall = Hall("open", players=10)
    match = hall.deal("second-round")[0]
    with pytest.raises(Refusal, match="a machine gets a substitute by drawing the rest again"):
        game_rulings.move_to_substitute(match, actor=None, instead_of=match.machine_id, reason="x")
