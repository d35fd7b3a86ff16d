"""The call board and the page of a match at the desk."""

import pytest

from tests.tournaments.desk.finals import Hall, scores, stranger
from tests.tournaments.desk.reading import text
from tournaments.models import Journal, Match, Score
from tournaments.services import matches as service

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall():
    return Hall()


@pytest.fixture
def semis(hall):
    return hall.deal("semi-finals")


def act(hall, match, name, by=None, **typed):
    return hall.post("match-act", "semi-finals", match.pk, name, by=by, **typed)


def save(hall, match, number, score, key="k", **typed):
    return act(hall, match, "record", number=number, score=score, checked=score, key=key, **typed)


def test_the_board_shows_machine_players_seeds_and_who_chooses(hall, semis):
    told = text(hall.get("slips", "semi-finals"))

    assert "Machine 1 planned 1 Player 1 seed 1 chooses 3 Player 3 seed 3 5 Player 5 seed 5" in told


def test_the_board_alone_holds_no_input_and_is_silent_while_nothing_changed(hall, semis):
    board = hall.get("board", "semi-finals")
    assert b"<input" not in board.content
    assert b"<form" not in board.content

    version = board.context["version"]
    assert hall.get("board", "semi-finals", version=version).status_code == 204
    service.call(semis[0], actor=None)
    assert "Machine 1 called" in text(hall.get("board", "semi-finals", version=version))


def test_a_match_goes_from_the_call_to_agreed_scores(hall, semis):
    match = semis[0]
    act(hall, match, "call")
    for number, position in ((1, 4), (3, 1), (5, 2), (7, 3)):
        act(hall, match, "choose", number=number, position=position)
    warming = act(hall, match, "warm-up")
    assert "3 Player 3 warms up until" in text(warming)
    act(hall, match, "play")
    for number, score in ((1, "400"), (3, "300"), (5, "200"), (7, "100")):
        save(hall, match, number, score, key=f"k{number}", agreed="yes" if number == 1 else "")
    done = act(hall, match, "agree", number=3)

    told = text(done)
    assert "Done. Still to agree: 5 Player 5, 7 Player 7." in told
    assert "1 Player 1 Seed 1. Plays fourth. 400 400 Agreed at" in told
    assert Match.objects.get(pk=match.pk).state == "done"


def test_two_who_warm_up_swap_when_somebody_says_so_and_a_double_tap_starts_the_clock_once():
    hall = Hall("open", players=10)
    match = hall.deal("second-round")[0]

    def take(name):
        return hall.post("match-act", "second-round", match.pk, name)

    assert "Swap: the second player warms up" in text(take("warm-up"))
    again = take("warm-up")
    assert "Swap: the second player warms up" in text(again)
    assert Match.objects.get(pk=match.pk).swapped_at is None
    assert "Start the game" in text(take("swap"))
    swapped = Match.objects.get(pk=match.pk).swapped_at
    take("swap")
    assert Match.objects.get(pk=match.pk).swapped_at == swapped


def test_a_score_is_read_back_before_it_is_saved(hall, semis):
    read = act(hall, semis[0], "record", number=1, score="12,345,678", key="k")

    assert "1 Player 1: is this right? 12,345,678 12.3 million" in text(read)
    assert scores() == []
    save(hall, semis[0], 1, "12345678")
    assert scores() == [(1, 12_345_678)]


def test_what_was_read_back_is_saved_and_nothing_else(hall, semis):
    act(hall, semis[0], "record", number=1, score="500", checked="400", key="k")

    assert scores() == []


@pytest.mark.parametrize(("typed", "why"), [("1.5", "fraction"), ("", "Type the score"), ("-5", "below zero")])
def test_a_score_that_cannot_be_read_keeps_what_was_typed(hall, semis, typed, why):
    refused = act(hall, semis[0], "record", number=3, score=typed)

    assert refused.status_code == 422
    assert why in text(refused)
    assert f'enterkeyhint="done" value="{typed}"' in refused.content.decode()
    assert scores() == []


def test_a_doubtful_score_asks_once(hall, semis):
    match = semis[0]
    for number in (3, 5, 7):
        save(hall, match, number, "1000", key=f"k{number}")

    asked = save(hall, match, 1, "99000", key="k1")

    assert "It would lead this machine" in text(asked)
    assert len(scores()) == 3
    save(hall, match, 1, "99000", key="k1", sure="99000")
    assert (1, 99_000) in scores()


def test_the_same_form_sent_twice_counts_once(hall, semis):
    """[20]"""
    save(hall, semis[0], 1, "400")

    again = save(hall, semis[0], 1, "400")

    assert "was there already; it is the same result and counts once" in text(again)
    assert scores() == [(1, 400)]


def test_two_tablets_with_different_scores_leave_the_first_and_the_second_is_told(hall, semis):
    """[19]"""
    save(hall, semis[0], 1, "400", key="one")

    second = save(hall, semis[0], 1, "500", key="two")

    assert second.status_code == 422
    assert "Player 1 has 400 on Machine 1 already; the desk corrects it with a reason." in text(second)
    assert scores() == [(1, 400)]


def test_a_position_taken_on_another_tablet_is_refused(hall, semis):
    act(hall, semis[0], "choose", number=1, position=2)

    assert "1 Player 1 has chosen position 2" in text(act(hall, semis[0], "choose", number=3, position=2))
    assert "3 Player 3 chooses before 5 Player 5" in text(act(hall, semis[0], "choose", number=5, position=1))
    assert act(hall, semis[0], "choose", number=3, position="x").status_code == 422
    assert "The positions are open again." in text(act(hall, semis[0], "choose-again"))


def test_somebody_absent_needs_a_reason_and_plays_after_all(hall, semis):
    refused = act(hall, semis[0], "absent", number=1, reason="")
    assert refused.status_code == 422
    assert "Say why" in text(refused)

    assert "Absent." in text(act(hall, semis[0], "absent", number=1, reason="went home"))
    assert "3 Player 3 chooses" in text(hall.get("match", "semi-finals", semis[0].pk))
    assert "plays after all" in text(act(hall, semis[0], "present", number=1, reason="came back"))


def test_who_plays_alone_is_not_asked_to_choose():
    hall = Hall("open", players=10)
    match, *_ = hall.deal("second-round")
    one, other = match.sides.order_by("rank").select_related("entry__player")
    service.absent(match, actor=None, entry=other.entry_id, reason="went home")

    assert f"{one.entry} chooses" not in text(hall.get("match", "second-round", match.pk))
    assert f"{one.entry} seed {one.entry.number} chooses" not in text(hall.get("slips", "second-round"))


def test_a_score_that_was_void_and_is_typed_anew_has_not_been_agreed(hall, semis):
    save(hall, semis[0], 1, "400", agreed="yes")
    score = Score.objects.get(match=semis[0])
    hall.post("score-act", "semi-finals", score.pk, "void", reason="wrong player", seen=score.revision)

    save(hall, semis[0], 1, "300", key="k2")

    assert "Player 1 agrees" in text(hall.get("match", "semi-finals", semis[0].pk))


def test_a_step_of_a_match_that_is_not_open_is_refused(hall):
    match = hall.deal("semi-finals", opened=False)[0]

    assert "Semi-finals is not open." in text(hall.get("match", "semi-finals", match.pk))
    assert act(hall, match, "call").status_code == 422


def test_unknown_steps_players_and_matches_are_not_found(hall, semis):
    assert act(hall, semis[0], "dance").status_code == 404
    assert act(hall, semis[0], "record", number=2, score="5").status_code == 404
    assert act(hall, semis[0], "agree", number=2).status_code == 422
    assert hall.get("match", "semi-finals", 999_999).status_code == 404


@pytest.mark.parametrize("name", ["call", "warm-up", "play", "record", "absent", "choose"])
def test_a_step_is_for_the_desk_and_only_visited_changes_nothing(hall, semis, name):
    before = Journal.objects.count()

    assert act(hall, semis[0], name, by=hall.official).status_code == 403
    assert "/accounts/login" in stranger().post(hall.url("desk:match-act", "semi-finals", semis[0].pk, name)).url
    assert hall.desk.get(hall.url("desk:match-act", "semi-finals", semis[0].pk, name)).status_code == 302
    assert Journal.objects.count() == before


def test_an_organiser_opens_the_next_game_early_with_a_reason():
    hall = Hall("open", players=10)
    hall.deal("second-round")
    assert "opens after game 1" in text(hall.get("slips", "second-round"))

    assert hall.post("open-game", "second-round", 2, reason="x").status_code == 403
    assert hall.post("open-game", "second-round", 2, by=hall.organiser, reason="").status_code == 422
    hall.post("open-game", "second-round", 2, by=hall.organiser, reason="we are late")

    assert hall.stage("second-round").open_round == 2


def test_a_game_opens_by_itself_when_the_one_before_is_complete():
    """A player in a game not open yet is not called."""
    hall = Hall("open", players=10)
    games = hall.deal("second-round")
    later = next(match for match in games if match.round == 2)
    refused = hall.post("match-act", "second-round", later.pk, "call")
    assert "Game 2 is not open yet: game 1 is still being played." in text(refused)

    for match in games[:4]:
        hall.score(match, 2_000, 1_000)

    assert "Game 2 open, 4 to finish" in text(hall.get("slips", "second-round"))
