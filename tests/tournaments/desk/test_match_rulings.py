"""Rulings on a match: shown first, told on the desk's, the officials' and the public pages, taken back."""

import pytest

from tests.tournaments.desk.finals import Hall, scores
from tests.tournaments.desk.reading import confirmed, text
from tests.tournaments.public.reading import as_a_new_reader as public
from tournaments.domain.refusals import STEPS, Refusal, Step
from tournaments.forms import new_key
from tournaments.models import Match, Player, Ruling, Score
from tournaments.services import matches, results, stages
from tournaments.services.scores import put_aside
from tournaments.views.desk import way_back
from tournaments.views.desk.way_back import PAGES

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall():
    return Hall()


@pytest.fixture
def match(hall):
    """The first semi-final, played by 1, 3, 5 and 7."""
    match = hall.deal("semi-finals")[0]
    hall.score(match, 4_000, 3_000, 2_000, 1_000)
    return match


def ask(hall, match, kind, by=None, **typed):
    asked = {"kind": kind, "reason": "seen by Olu", "key": new_key(), **typed}
    return hall.post("match-rule", match.stage.key, match.pk, by=by, **asked)


def rule(hall, match, kind, **typed):
    return confirmed(hall.desk, ask(hall, match, kind, **typed))


def take_back(hall, key="semi-finals"):
    return confirmed(hall.desk, hall.post("undo-ruling", key, Ruling.objects.latest("pk").pk, reason="appeal"))


def page(hall, match):
    return text(hall.get("match", match.stage.key, match.pk))


def tablet(hall, match):
    return text(hall.official.get(hall.url("official:match", match.stage.key, match.pk)))


def test_a_disqualified_player_is_out_of_this_match_and_told_everywhere_with_the_reason(hall, match):
    shown = ask(hall, match, "out-of-match", number=1)
    assert "1 Player 1 on Machine 1 1st, 4,000 4th, no score" in text(shown)
    assert not Ruling.objects.exists()

    confirmed(hall.desk, shown)

    assert "Reason shown in public beside the result, but for a warning" in page(hall, match)
    words = "Ruling: disqualified from the match. seen by Olu"
    assert "Rulings in force Disqualified from the match 1 Player 1" in page(hall, match)
    assert words in tablet(hall, match)
    assert words in public(hall, "players/1/")
    for path in ("semi-finals/", "bracket/"):
        assert f"1 Player 1: {words}" in public(hall, path)
    take_back(hall)
    assert scores()[0] == (1, 4_000)
    assert words not in public(hall, "semi-finals/")


def test_the_public_order_of_a_game_leaves_out_whom_a_ruling_leaves_out(hall, match):
    rule(hall, match, "out-of-match", number=1)

    told = public(hall, "semi-finals/")

    assert "so far" not in told
    assert "Player 3 No. 3 to the final" in told
    assert "discarded" in told


@pytest.mark.parametrize("code", ["", "M3"])
def test_a_stopped_match_is_played_again_there_or_elsewhere(hall, match, code):
    where = "Machine 3" if code else "Machine 1"
    rule(hall, match, "replayed", machine=code)

    again = Match.objects.get(pk=match.pk)
    assert (again.state, again.machine.name) == ("planned", where)
    assert scores() == []
    assert "Ruling: match stopped and played again. seen by Olu" in public(hall, "semi-finals/")
    assert "seen by Olu" in public(hall, "players/3/")
    take_back(hall)
    assert len(scores()) == 4
    assert Match.objects.get(pk=match.pk).machine.name == "Machine 1"


def test_nobody_is_first_of_a_game_that_nobody_has_played(hall, match):
    rule(hall, match, "out-of-match", number=1)

    shown = text(ask(hall, match, "replayed"))

    assert "on Machine 1 4th, no score –" in shown
    assert "1st, no score" not in shown


def test_a_warning_in_a_match_is_the_desks_alone(hall, match):
    rule(hall, match, "warning", number=3)

    assert "Rulings in force Warning 3 Player 3" in page(hall, match)
    assert "Warnings: 1" in text(hall.get("entry", "qualifying", 3))
    assert "seen by Olu" not in tablet(hall, match)
    for path in ("semi-finals/", "bracket/", "players/3/"):
        assert "seen by Olu" not in public(hall, path)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"kind": ""}, "Choose what is ruled."),
        ({"kind": "out-of-match"}, "Choose the player."),
        ({"kind": "out-of-match", "number": 2}, "Choose the player."),
        ({"kind": "replayed", "machine": "XX"}, "Choose a machine from the list."),
        ({"kind": "replayed", "machine": "M2"}, "has another game of this round"),
        ({"kind": "warning", "number": 3, "reason": ""}, "Say why"),
    ],
)
def test_a_ruling_without_what_it_needs_changes_nothing(hall, match, typed, sentence):
    kind = typed.pop("kind")
    refused = ask(hall, match, kind, **typed)

    assert refused.status_code == 422
    assert sentence in text(refused)
    assert not Ruling.objects.exists()


def test_rulings_on_matches_are_not_an_officials_and_nobody_rules_on_an_own_game(hall, match):
    assert ask(hall, match, "out-of-match", by=hall.official, number=1).status_code == 403
    assert "Make a ruling" not in tablet(hall, match)

    Player.objects.filter(number=3).update(account=hall.desk.get("/desk/").wsgi_request.user)
    refused = ask(hall, match, "out-of-match", number=1)
    assert refused.status_code == 422
    assert "3 Player 3 is you" in text(refused)


def test_a_score_ruled_on_is_told_beside_its_match_and_moves_who_goes_on(hall, match):
    """[9]"""
    hall.score(hall.matches("semi-finals")[1], 4_000, 3_000, 2_000, 1_000)
    score = Score.objects.get(match=match, entry__number=1)
    typed = {"kind": "extra-ball-zero", "reason": "told twice", "seen": score.revision, "key": "k"}

    shown = hall.post("rule", "semi-finals", score.pk, **typed)
    assert "seed 1 1 Player 1 2 Player 2" in text(shown)
    confirmed(hall.desk, shown)

    assert hall.seats("final") == [2, 3, 4, 5]
    assert sorted(hall.seats("final") + hall.seats("play-off")) == [1, 2, 3, 4, 5, 6, 7, 8]
    assert "By a ruling 0 counts." in tablet(hall, match)
    assert "4,000 was reached, 0 counts" in public(hall, "bracket/")
    take_back(hall)
    assert hall.seats("final") == [1, 2, 3, 4]


def test_swapping_second_and_third_by_correction_keeps_four_players_in_each_game(hall, match):
    """[9]"""
    hall.score(hall.matches("semi-finals")[1], 4_000, 3_000, 2_000, 1_000)
    for number, value in ((3, 2_000), (5, 3_000)):
        score = Score.objects.get(match=match, entry__number=number)
        typed = {"number": number, "machine": "M1", "score": value, "sure": value, "seen": score.revision}
        hall.post("correct", "semi-finals", score.pk, reason="swapped", **typed)

    assert hall.seats("final") == [1, 2, 4, 5]
    assert sorted(hall.seats("final") + hall.seats("play-off")) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_the_reason_of_a_ruling_on_an_order_is_read_by_everybody(hall):
    one = hall.deal("semi-finals")[0]
    hall.score(one, 4_000, 2_000, 2_000, 1_000)
    typed = {
        "tie": "3-5",
        "order-3": "1",
        "order-5": "2",
        "expected": hall.revision(),
        "reason": "met before",
    }
    confirmed(hall.desk, hall.post("ruling", "semi-finals", **typed))

    assert "Ruling of the organisers" in public(hall, "semi-finals/")
    assert "met before" in public(hall, "semi-finals/")


def test_rulings_on_a_final_stay_secret_while_its_results_are_kept(hall, match):
    hall.score(hall.matches("semi-finals")[1], 4_000, 3_000, 2_000, 1_000)
    stages.close_stage(hall.stage("semi-finals"), actor=None)
    final = hall.deal("final")[0]
    hall.score(final, 400, 300, 200, 100)
    results.hold_back(hall.tournament, actor=None)

    rule(hall, final, "out-of-match", number=1)

    for path in ("final/", "bracket/", "players/1/"):
        assert "seen by Olu" not in public(hall, path)


def test_a_match_of_a_closed_stage_offers_no_ruling_and_says_who_takes_one_back(hall, match):
    rule(hall, match, "warning", number=3)
    hall.score(hall.matches("semi-finals")[1], 4_000, 3_000, 2_000, 1_000)
    stages.close_stage(hall.stage("semi-finals"), actor=None)

    told = page(hall, match)

    assert "Make a ruling" not in told
    assert "An organiser can take it back." in told


def test_who_is_disqualified_before_playing_comes_back_by_taking_the_ruling_back_alone(hall):
    match = hall.deal("semi-finals")[0]
    rule(hall, match, "out-of-match", number=1)

    back = hall.post("match-act", "semi-finals", match.pk, "present", number=1, reason="begged")

    assert back.status_code == 422
    assert "1 Player 1 is disqualified from this match; take that ruling back." in text(back)
    take_back(hall)
    assert match.sides.get(entry__number=1).absent is False


def test_what_has_to_be_undone_first_is_one_link_away_until_the_disqualification_is_taken_back(hall, match):
    rule(hall, match, "out-of-match", number=1)
    out = Ruling.objects.latest("pk")
    rule(hall, match, "replayed")
    again = Ruling.objects.latest("pk")
    hall.post("match-act", "semi-finals", match.pk, "call")
    hall.post("match-act", "semi-finals", match.pk, "play")
    matches.record(match, actor=None, entry=match.sides.get(entry__number=3).entry_id, value=50, sure=50)
    score = Score.objects.get(value=50)

    def refused(ruling, words, page, part):
        told = hall.post("undo-ruling", "semi-finals", ruling.pk, reason="appeal")
        assert told.status_code == 422
        assert words in text(told)
        address = hall.url(f"desk:{page}", "semi-finals", part)
        assert f'href="{address}"' in told.content.decode()

    refused(out, "take that back first. Take that ruling back", "undo-ruling", again.pk)
    refused(again, "make that score void first. To that score", "score", score.pk)
    hall.post("score-act", "semi-finals", score.pk, "void", reason="replayed", seen=score.revision)
    refused(again, "break the match off first. To that match", "match", match.pk)
    hall.post("match-act", "semi-finals", match.pk, "break-off", reason="replayed")
    for ruling in (again, out):
        confirmed(hall.desk, hall.post("undo-ruling", "semi-finals", ruling.pk, reason="appeal"))
    assert scores() == [(1, 4_000), (3, 3_000), (5, 2_000), (7, 1_000)]


def test_every_step_that_a_refusal_may_name_has_a_page():
    assert set(PAGES) == set(STEPS)


def test_a_closed_stage_and_declared_results_are_led_to_as_well(hall, match):
    hall.score(hall.matches("semi-finals")[1], 4_000, 3_000, 2_000, 1_000)
    rule(hall, match, "replayed")
    hall.score(match, 400, 300, 200, 100)
    stages.close_stage(hall.stage("semi-finals"), actor=None)
    again = Ruling.objects.latest("pk")

    told = hall.post("undo-ruling", "semi-finals", again.pk, by=hall.organiser, reason="appeal")

    assert "an organiser opens it again first. Open it again" in text(told)
    assert hall.url("desk:close", "semi-finals") in told.content.decode()
    link = way_back.link(Refusal("Declared.", step=Step("undo-results", hall.tournament.pk)))
    assert hall.organiser.get(link.url).status_code == 200


def test_the_scores_that_a_game_played_again_discards_are_shown_before_they_are(hall, match):
    hall.score(hall.matches("semi-finals")[1], 4_000, 3_000, 2_000, 1_000)
    seven = match.sides.get(entry__number=7).entry
    put_aside(match.stage, actor=None, entry=seven, machine=match.machine, value=1_500)

    shown = text(ask(hall, match, "replayed", machine="M3"))

    for number, value in ((1, "4,000"), (3, "3,000"), (5, "2,000")):
        assert f"{number} Player {number}, game 1 on Machine 1 {value} –" in shown
    assert "7 Player 7, game 1 on Machine 1 1,000; 1,500 (waiting for a decision) –" in shown
    assert "2 Player 2, game" not in shown


def test_a_score_that_is_set_to_nothing_is_shown_beside_what_then_counts(hall, match):
    score = Score.objects.get(match=match, entry__number=1)
    typed = {"kind": "zero", "reason": "told twice", "seen": score.revision, "key": "k"}

    shown = text(hall.post("rule", "semi-finals", score.pk, **typed))

    assert "1 Player 1, game 1 on Machine 1 4,000 4,000, 0 counts" in shown


def test_who_is_disqualified_before_playing_is_offered_no_way_back_but_the_rulings_own(hall):
    match = hall.deal("semi-finals")[0]
    assert "Disqualified from this match" not in page(hall, match)

    rule(hall, match, "out-of-match", number=1)

    told = page(hall, match)
    assert "1 Player 1 Seed 1. Disqualified from this match. It is taken back under Rulings in force" in told
    assert "plays after all" not in told
    assert "Disqualified from this match. The desk can take that back." in tablet(hall, match)


@pytest.mark.parametrize(
    ("begun", "offered"), [(False, ["nothing", "replace", "reopen"]), (True, ["nothing", "reopen"])]
)
def test_a_late_decision_that_is_impossible_is_not_offered(hall, match, begun, offered):
    hall.score(hall.matches("semi-finals")[1], 4_000, 3_000, 2_000, 1_000)
    stages.close_stage(hall.stage("semi-finals"), actor=None)
    final = hall.deal("final")[0]
    if begun:
        matches.play(final, actor=None)
    score = Score.objects.get(match=match, entry__number=1)
    typed = {"kind": "zero", "reason": "told twice", "seen": score.revision, "key": new_key()}

    asked = hall.post("rule", "semi-finals", score.pk, by=hall.organiser, **typed)

    assert [key for key, _ in asked.context["decisions"]] == offered


def test_a_ruling_that_came_with_a_folder_says_so_where_the_desk_reads_who_decided(hall, match):
    rule(hall, match, "warning", number=3)
    Ruling.objects.update(decided_by=None)
    assert ", at the server." in page(hall, match)

    for by, words in (("boss", "imported, decided by boss"), ("", "imported")):
        Ruling.objects.update(data={"decided_by": by})
        assert f", {words}. Reason: seen by Olu" in page(hall, match)
