"""The page for slips, with and without script. Numbers in brackets are those of the list of mishaps."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from tests import factories
from tests.tournaments.desk.reading import key_in, text
from tournaments.models import Score
from tournaments.services import entries as entries_service
from tournaments.services import scores as scores_service

pytestmark = pytest.mark.django_db


def test_a_slip_is_answered_at_once_with_everything_that_follows_from_it(desk, world):
    factories.play(world.stage, world.entries[1], world.machines[0], 2_000_000)

    response = desk.slip("1", "m1", "12.345.678", sure="12345678")

    assert response.status_code == 200
    told = text(response)
    assert "1 Player 1 on Machine 1" in told
    assert "12,345,678 12.3 million" in told
    assert "1st of 2 on the machine, 100 points" in told
    assert "Now 1st with 100 points, 1 of 6 games" in told
    assert "Undo" in told
    assert Score.objects.get(entry=world.entries[0]).value == 12_345_678


def test_the_answer_clears_the_form_brings_a_fresh_key_and_renews_the_lists(desk):
    page = desk.get("slips")
    response = desk.slip("1", "M1", "500", key=key_in(page))

    content = response.content.decode()
    assert "slip-taken" in response.headers["HX-Trigger"]
    assert key_in(response) != key_in(page)
    assert '<aside id="aside"' in content
    assert '<section id="last"' in content
    assert content.count('hx-swap-oob="true"') == 7


def test_five_slips_in_a_row_each_go_to_their_own_player(desk, world):
    """[27]"""
    slips = [("1", "M1", 100), ("2", "M1", 200), ("3", "M2", 300), ("1", "M2", 400), ("2", "M3", 500)]
    key = key_in(desk.get("slips"))
    for number, machine, score in slips:
        response = desk.slip(number, machine, str(score), key=key)
        assert response.status_code == 200
        key = key_in(response)

    stored = Score.objects.values_list("entry__number", "machine__code", "value")
    assert sorted(stored) == sorted((int(number), machine, score) for number, machine, score in slips)


def test_without_script_the_same_form_leads_back_to_the_page_with_the_answer(desk, world):
    response = desk.post("record", number="1", machine="M1", score="500", key="k1", follow=True)

    score = Score.objects.get()
    assert response.redirect_chain == [(f"{desk.url('slips')}?taken={score.pk}", 302)]
    assert "1 Player 1 on Machine 1" in text(response)
    assert "Now 1st with 100 points, 1 of 6 games" in text(response)


@pytest.mark.parametrize("htmx", [True, False])
def test_the_same_slip_sent_twice_is_one_score_and_says_so(desk, htmx):
    """[20]"""
    desk.slip("1", "M1", "500", key="same", htmx=htmx)
    again = desk.post("record", number="1", machine="M1", score="500", key="same", htmx=htmx, follow=True)

    assert again.status_code == 200
    assert "already been sent; it counts once" in text(again)
    assert Score.objects.count() == 1


def test_a_slip_sent_again_after_it_was_taken_back_says_that(desk):
    desk.slip("1", "M1", "500", key="same")
    score = Score.objects.get()
    desk.post("undo", score.pk, seen=score.revision, htmx=True)

    again = desk.slip("1", "M1", "500", key="same")

    assert "it was taken back since" in text(again)
    assert Score.objects.get().state == Score.State.VOID


def test_a_used_key_with_other_contents_is_refused_and_a_fresh_key_comes_back(desk):
    desk.slip("1", "M1", "500", key="same")

    refused = desk.slip("1", "M2", "600", key="same")

    assert refused.status_code == 422
    assert "already sent with other contents" in text(refused)
    assert key_in(refused) != "same"
    assert desk.slip("1", "M2", "600", key=key_in(refused)).status_code == 200


@pytest.fixture
def crowd(world):
    """Number 7 beside 17, 27 and 70."""
    for number in (7, 17, 27, 70):
        factories.entry(world.tournament, f"Person {number}", number=number)


@pytest.mark.usefixtures("crowd")
def test_a_number_means_exactly_that_number(desk):
    """[23]"""
    assert "7 Person 7" in text(desk.slip("7", "M1", "500"))
    assert Score.objects.get().entry.number == 7


@pytest.mark.usefixtures("crowd")
@pytest.mark.parametrize("htmx", [True, False])
def test_an_unknown_number_selects_nobody_and_keeps_what_was_typed(desk, htmx):
    """[23]"""
    response = desk.slip("71", "M1", "1,234,567", htmx=htmx)

    assert response.status_code == 422
    assert "There is no number 71 in The Open." in text(response)
    assert not Score.objects.exists()
    if not htmx:
        assert 'name="number" value="71"' in response.content.decode()
        assert 'name="score" value="1,234,567"' in response.content.decode()


def test_a_name_that_could_be_several_offers_at_most_five(desk, world):
    for number in range(10, 20):
        factories.entry(world.tournament, f"Sam Sample {number}", number=number)

    response = desk.slip("sam", "M1", "500")

    assert response.status_code == 422
    assert response.content.decode().count("data-fill") == 5
    assert f'href="{desk.url("slips")}?number=10&amp;machine=M1&amp;score=500"' in response.content.decode()


def test_two_people_of_one_name_are_told_apart_by_number_and_country(desk, world):
    factories.entry(world.tournament, "Ann Example", number=8, country="GB")
    factories.entry(world.tournament, "Ann Example", number=9, country="NL")

    told = text(desk.get("lookup", field="number", number="ann example", htmx=True))

    assert "8 Ann Example (GB)" in told
    assert "9 Ann Example (NL)" in told
    assert desk.slip("ann example", "M1", "500").status_code == 422
    assert not Score.objects.exists()


def test_the_first_submit_button_of_the_form_saves_so_that_enter_never_picks_an_offer(desk):
    form = re.search(
        r'<form id="slip".*?</form>', desk.slip("play", "M1", "5", htmx=False).content.decode(), re.DOTALL
    )[0]
    first = re.search(r'<button type="submit"[^>]*>', form)[0]

    assert 'id="slip-save"' in first
    assert "formaction" not in first
    assert "name=" not in first


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("1.5", "fraction"),
        ("1,23", "fraction"),
        ("-5", "below zero"),
        ("12e6", "not a number"),
        ("", "Type the score"),
    ],
)
@pytest.mark.parametrize("htmx", [True, False])
def test_an_unreadable_score_is_refused_with_the_reason_and_kept(desk, typed, reason, htmx):
    """[24]"""
    response = desk.slip("1", "M1", typed, htmx=htmx)

    assert response.status_code == 422
    assert reason in text(response)
    assert not Score.objects.exists()
    if not htmx:
        assert f'name="score" value="{typed}"' in response.content.decode()


@pytest.mark.parametrize("typed", ["12.345.678", "12,345,678", "12 345 678", "12345678"])
def test_a_score_may_be_grouped_in_any_usual_way(desk, typed):
    """[24]"""
    desk.slip("1", "M1", typed)

    assert Score.objects.get().value == 12_345_678


def test_a_very_large_score_is_taken_and_shown_whole(desk):
    """[26]"""
    assert "99,999,999,990" in text(desk.slip("1", "M1", "99,999,999,990"))
    assert "99,999,999,990" in text(desk.get("slips"))


def test_no_field_of_the_page_changes_by_a_mouse_wheel(desk):
    """[25]"""
    assert 'type="number"' not in desk.get("slips").content.decode()


@pytest.fixture
def usual_scores(world):
    for entrant, value in zip(world.entries, (1_000, 2_000, 3_000), strict=True):
        factories.play(world.stage, entrant, world.machines[0], value)
    factories.entry(world.tournament, "Newcomer", number=50)


@pytest.mark.usefixtures("usual_scores")
def test_a_doubtful_score_asks_once_and_is_taken_when_confirmed(desk):
    asked = desk.slip("50", "M1", "98,765,432", key="k1")

    assert asked.status_code == 409
    assert "98,765,432 98.7 million" in text(asked)
    assert "It would lead this machine; the best so far is 3,000." in text(asked)
    assert 'name="sure" value="98765432"' in asked.content.decode()
    assert not Score.objects.filter(entry__number=50).exists()

    assert desk.slip("50", "M1", "98,765,432", key=key_in(asked), sure="98765432").status_code == 200
    assert Score.objects.get(entry__number=50).value == 98_765_432


@pytest.mark.usefixtures("usual_scores")
@pytest.mark.parametrize("htmx", [True, False])
def test_a_doubtful_score_is_asked_about_and_not_marked_as_a_fault(desk, htmx):
    asked = desk.slip("50", "M1", "98,765,432", htmx=htmx)

    assert "aria-invalid" not in asked.content.decode()
    assert "data-fault" not in asked.content.decode()
    assert ("to change it, Y to save it as typed" in text(asked)) is htmx


@pytest.mark.usefixtures("usual_scores")
def test_a_confirmation_holds_for_that_score_alone(desk):
    assert desk.slip("50", "M1", "98765433", sure="98765432").status_code == 409


@pytest.mark.usefixtures("usual_scores")
def test_without_script_the_question_keeps_the_slip_in_the_form(desk):
    asked = desk.slip("50", "M1", "98,765,432", htmx=False)

    assert asked.status_code == 409
    content = asked.content.decode()
    assert 'name="number" value="50"' in content
    assert 'name="score" value="98,765,432"' in content
    assert "Yes, 98,765,432 is right" in text(asked)


def test_a_second_score_for_a_game_is_refused_with_the_first(desk, world):
    factories.play(world.stage, world.entries[0], world.machines[0], 12_345_678)

    refused = desk.slip("1", "M1", "555")

    assert refused.status_code == 422
    assert "Player 1 has already played Machine 1: 12,345,678 at" in text(refused)
    assert "Keep 555 aside for a decision" in text(refused)
    assert desk.url("score", Score.objects.get().pk) in refused.content.decode()


def test_the_same_score_again_is_recognised_as_the_same_slip(desk, world):
    factories.play(world.stage, world.entries[0], world.machines[0], 555)

    refused = desk.slip("1", "M1", "555")

    assert "It is the same score: the slip has been entered already." in text(refused)
    assert "aside for a decision" not in text(refused)


@pytest.mark.parametrize("htmx", [True, False])
def test_a_second_result_kept_aside_counts_for_nothing_and_waits_beside_the_form(desk, world, htmx):
    """[10]"""
    factories.play(world.stage, world.entries[0], world.machines[0], 1_000)

    kept = desk.post("put-aside", number="1", machine="M1", score="9,000", key="k", htmx=htmx, follow=True)

    assert kept.status_code == 200
    assert "kept aside and waits for a decision" in text(kept)
    assert "Waiting for a decision: 1" in text(kept)
    assert Score.objects.get(state=Score.State.WAITING).value == 9_000
    assert "1,000" in text(desk.get("entry", 1))


def test_all_games_played_is_refused_at_the_number(desk_of):
    world = factories.qualifying(players=1, stock=3, format="kids")
    kids = desk_of(world)
    for code in ("M1", "M2", "M3"):
        kids.slip("1", code, "100")
    factories.machines(world.stage, 4)

    refused = kids.slip("1", "M4", "100")

    assert refused.status_code == 422
    assert "Player 1 has already played all 3 games: Machine 1, Machine 2, Machine 3." in text(refused)
    assert "aside for a decision" not in text(refused)


@pytest.mark.parametrize("htmx", [True, False])
def test_undo_takes_a_new_score_out_and_says_what(desk, htmx):
    desk.slip("1", "M1", "500")
    score = Score.objects.get()

    undone = desk.post("undo", score.pk, seen=score.revision, htmx=htmx, follow=True)

    assert undone.status_code == 200
    assert "Taken back: 1 Player 1 on Machine 1 (M1), 500." in text(undone)
    assert Score.objects.get().state == Score.State.VOID


def test_undo_of_a_result_puts_the_game_under_way_again(desk, world):
    desk.post("start", number="1", machine="M1", htmx=True)
    desk.slip("1", "M1", "500")
    score = Score.objects.get()

    undone = desk.post("undo", score.pk, seen=score.revision, htmx=True)

    assert "The game is under way again." in text(undone)
    assert "Under way: 1" in text(undone)


def test_an_undo_that_comes_after_somebody_elses_correction_is_refused_with_both_values(desk):
    desk.slip("1", "M1", "500")
    score = Score.objects.get()
    seen = score.revision
    scores_service.correct(score, actor=None, seen=seen, reason="misread", value=700)

    refused = desk.post("undo", score.pk, seen=seen, htmx=True)

    assert refused.status_code == 409
    assert "What you saw: 500. What it is now: 700." in text(refused)
    assert Score.objects.get().value == 700


@pytest.mark.parametrize("seen", ["", "three", "9" * 5000])
def test_an_undo_that_does_not_say_what_was_seen_is_refused(desk, seen):
    desk.slip("1", "M1", "500")

    refused = desk.post("undo", Score.objects.get().pk, seen=seen, htmx=True)

    assert refused.status_code == 409
    assert Score.objects.get().state == Score.State.RECORDED


@pytest.mark.parametrize("htmx", [True, False])
def test_a_game_is_started_and_its_result_finishes_it(desk, htmx):
    started = desk.post("start", number="1", machine="M1", htmx=htmx, follow=True)

    assert "1 Player 1 has started on Machine 1 (M1)." in text(started)
    assert "Under way: 1" in text(started)
    assert "1 Player 1 on Machine 1 since" in text(started)
    assert Score.objects.get().state == Score.State.PLAYING

    desk.slip("1", "M1", "500", htmx=htmx)
    assert Score.objects.get().state == Score.State.RECORDED


def test_a_result_of_somebody_marked_as_playing_elsewhere_is_taken_with_a_warning(desk):
    desk.post("start", number="1", machine="M2", htmx=True)

    taken = desk.slip("1", "M1", "500")

    assert "Saved." in text(taken)
    assert "1 is also marked as playing Machine 2." in text(taken)
    assert "also marked" not in text(desk.slip("1", "M2", "600"))


def test_the_address_of_the_page_can_fill_in_a_slip(desk):
    page = desk.get("slips", number="2", machine="M3")

    assert "2 Player 2, 0 of 6 games" in text(page)
    assert "Machine 3 (M3)" in text(page)
    assert re.search(r'id="slip-score"[^>]*autofocus', page.content.decode(), re.DOTALL)


def test_a_look_up_says_whom_a_number_means_and_how_many_games_were_played(desk, world):
    factories.play(world.stage, world.entries[0], world.machines[0], 500)

    assert "1 Player 1, 1 of 6 games" in text(desk.get("lookup", field="number", number="1", htmx=True))
    assert "There is no number 9 in The Open." in text(desk.get("lookup", field="number", number="9", htmx=True))
    assert text(desk.get("lookup", field="number", number=" ", htmx=True)) == ""


def test_a_look_up_of_a_machine_warns_before_the_score_is_typed(desk, world):
    factories.play(world.stage, world.entries[0], world.machines[0], 500)

    told = text(desk.get("lookup", field="machine", number="1", machine="m1", htmx=True))

    assert "Player 1 has already played it: 500." in told


def test_a_look_up_warns_of_somebody_who_has_left(desk, world):
    entries_service.withdraw(world.entries[0], actor=None, reason="ill")

    assert "Player 1 is withdrawn." in text(desk.get("lookup", field="number", number="1", htmx=True))
    assert desk.slip("1", "M1", "500").status_code == 422


def test_a_polled_part_answers_nothing_to_who_has_the_version_and_holds_no_field(desk):
    first = desk.get("aside", htmx=True)
    version = re.search(r"\?version=([^\"]+)", first.content.decode())[1]

    assert desk.get("aside", version=version, htmx=True).status_code == 204
    assert "<input" not in first.content.decode()
    desk.slip("1", "M1", "500")
    renewed = desk.get("aside", version=version, htmx=True)
    assert renewed.status_code == 200
    assert "500" in text(renewed)


def test_the_last_entries_say_who_when_and_what_became_of_them(desk, world):
    desk.slip("1", "M1", "500")
    desk.slip("2", "M1", "600")
    first, second = Score.objects.order_by("entry__number")
    scores_service.correct(first, actor=None, seen=first.revision, reason="misread", value=550)
    scores_service.void(second, actor=None, seen=second.revision, reason="wrong machine")

    told = text(desk.get("slips"))

    assert "2 Player 2 Machine 1 600 void dora" in told
    assert "1 Player 1 Machine 1 550 corrected dora" in told


def test_the_page_asks_no_more_of_the_database_when_there_is_more_to_show(desk, world, django_assert_max_num_queries):
    queries = 16
    with django_assert_max_num_queries(queries):
        desk.get("slips")
    for entrant in world.entries:
        for machine in world.machines[:3]:
            factories.play(world.stage, entrant, machine, 100 * entrant.number)
    scores_service.start(world.stage, actor=None, entry=world.entries[0], machine=world.machines[3])
    with django_assert_max_num_queries(queries):
        desk.get("slips")


def test_times_are_those_of_the_show(desk_of):
    show = factories.show("abroad", time_zone="America/New_York")
    desk = desk_of(factories.qualifying(of=show, players=1))
    desk.slip("1", "M1", "500")
    score = Score.objects.get()

    assert f"{score.recorded_at.astimezone(show.zone):%H:%M} 1 Player 1" in text(desk.get("slips"))


def test_whoever_comes_by_the_address_of_a_form_is_led_to_its_page(desk):
    response = desk.get("record")

    assert response.status_code == 302
    assert response.url == desk.url("slips")


def test_the_home_of_the_desk_leads_to_every_stage_with_slips(desk):
    page = desk.client.get(reverse("desk:home"))

    assert desk.url("slips") in page.content.decode()
    assert "Second round" in text(page)


def test_a_stage_without_slips_takes_none(desk, world):
    where = [world.show.slug, world.tournament.slug, "second-round"]

    assert desk.client.post(reverse("desk:record", args=where)).status_code == 404


def test_an_expired_session_leads_to_the_login_and_back_to_the_page(desk):
    """[30]"""
    desk.client.logout()

    page = f"http://testserver{desk.url('slips')}"
    answer = desk.client.post(
        desk.url("record"), {"number": "1"}, headers={"HX-Request": "true", "HX-Current-URL": page}
    )

    assert answer.headers["HX-Redirect"] == f"/accounts/login?next={desk.url('slips').replace('/', '%2F')}"


def test_a_form_sent_without_any_cookies_says_signed_out_and_leads_to_the_login(desk):
    strict = Client(enforce_csrf_checks=True)

    refused = strict.post(desk.url("record"), {"number": "1", "machine": "M1", "score": "5"})

    assert refused.status_code == 403
    assert "you are signed out" in text(refused)
    assert "data-signed-out" in refused.content.decode()
    assert reverse("login") in refused.content.decode()


def test_the_login_says_that_the_slip_is_kept_only_when_it_is(desk):
    away = Client()

    assert "The slip you were typing is kept" in text(away.get(reverse("login"), {"next": "/desk/", "slip": "kept"}))
    assert "The slip" not in text(away.get(reverse("login"), {"next": "/desk/"}))
