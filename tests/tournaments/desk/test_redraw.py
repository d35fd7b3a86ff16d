"""Drawing the rest of a round again at the desk: looked at, published as seen, taken back."""

import pytest

from tests.tournaments.desk.finals import Hall, stranger
from tests.tournaments.desk.reading import text
from tournaments.models import Journal, Match, StageMachine
from tournaments.services import entries, machines, matches

pytestmark = pytest.mark.django_db

ROUND = "second-round"


@pytest.fixture
def hall():
    """8 players in the second round on M1 to M4; M5 and M6 were used in qualifying."""
    hall = Hall("open", players=9, stock=6)
    hall.deal(ROUND)
    return hall


def asked(hall, number=3, by=5):
    return {f"machine-{hall.machines[number - 1].pk}": hall.machines[by - 1].pk if by else "out"}


def look(hall, by=None, **query):
    return hall.get("redraw", ROUND, by=by or hall.organiser, **query)


def publish(hall, page=None, by=None, reason="the display died", **typed):
    context = page.context if page else look(hall, **asked(hall)).context
    form = {"expected": context["expected"], "seen": context["planned"].mark, "reason": reason}
    return hall.post("redraw-publish", ROUND, by=by or hall.organiser, **{**asked(hall), **form, **typed})


def codes(hall):
    live = Match.objects.filter(stage__key=ROUND).exclude(state=Match.State.VOID)
    return set(live.values_list("machine__code", flat=True))


def test_the_board_the_seats_and_a_match_lead_to_the_page(hall):
    url = hall.url("desk:redraw", ROUND)
    entries.withdraw(hall.entries[2], actor=None, reason="ill")

    for page in (
        hall.get("slips", ROUND),
        hall.get("seats", ROUND),
        hall.get("match", ROUND, hall.matches(ROUND)[0].pk),
    ):
        assert f'href="{url}' in page.content.decode()


def test_the_board_names_a_machine_that_is_out_of_play_and_still_announced(hall):
    used = StageMachine.objects.get(stage=hall.stage(ROUND), machine=hall.machines[2])
    machines.set_state(used, actor=None, state="let-stand", reason="the display died")

    told = text(hall.get("board", ROUND))

    assert "Machine 3 (M3) is out of play, and 4 matches are announced on it. Draw the rest again" in told


def test_a_leaver_nobody_waits_for_any_more_is_not_named_on_the_board(hall):
    entries.withdraw(hall.entries[2], actor=None, reason="ill")
    assert "3 Player 3, seed 3, is withdrawn." in text(hall.get("slips", ROUND))

    page = look(hall)
    hall.post(
        "redraw-publish", ROUND, by=hall.organiser, expected=page.context["expected"], reason="3 went home", number=0
    )

    assert "is withdrawn" not in text(hall.get("slips", ROUND))


def test_while_nothing_has_happened_nothing_would_change(hall):
    told = text(look(hall))

    assert "Nothing would change Every match that is left can be played as announced." in told
    assert "Publish" not in told


def test_the_page_says_what_stays_what_is_drawn_again_what_gives_way_and_how_even_it_is(hall):
    matches.play(hall.matches(ROUND)[0], actor=None)
    before = Journal.objects.count()

    looks = [look(hall, **asked(hall)) for _ in range(2)]

    told = text(looks[0])
    assert text(looks[1]) == told
    assert "1 match begun or played: not touched 11 stay as announced 4 drawn again" in told
    assert "What has to give way Nothing: every rule of the draw is kept." in told
    assert "Four opponents' positions add up to 18" in told.replace("&#x27;", "'")
    assert "Preview: nothing is changed yet" in told
    assert Journal.objects.count() == before
    assert "M5" not in codes(hall)


def test_a_leaver_is_named_and_whose_opponent_plays_alone(hall):
    entries.withdraw(hall.entries[2], actor=None, reason="ill")

    told = text(look(hall))

    assert "4 stay with a seat empty from now on" in told
    assert "plays alone, as 3 Player 3 (seed 3) has left." in told


def test_a_redraw_is_published_as_it_was_seen_with_its_reason(hall):
    published = publish(hall)

    assert "The second round is drawn again from here. Call the players anew." in text(published)
    assert codes(hall) == {"M1", "M2", "M4", "M5"}
    assert Journal.objects.get(action="redraw matches").reason == "the display died"
    assert "the display died" in text(look(hall))


def test_a_score_between_preview_and_publishing_is_no_obstacle(hall):
    page = look(hall, **asked(hall))
    first = hall.matches(ROUND)[0]
    assert first.machine.code != "M3"
    hall.score(first, 2_000, 1_000)

    publish(hall, page)

    assert "M5" in codes(hall)


def test_a_preview_of_something_else_is_out_of_date_and_shown_anew_with_what_was_typed(hall):
    page = look(hall, **asked(hall))
    entries.withdraw(hall.entries[2], actor=None, reason="ill")

    refused = publish(hall, page)

    assert refused.status_code == 409
    assert "M3" in codes(hall)
    content = refused.content.decode()
    assert 'value="the display died"' in content
    assert f'<option value="{hall.machines[4].pk}" selected>' in content
    assert "3 Player 3, seed 3, is withdrawn" in text(refused)
    publish(hall, refused)
    assert "M5" in codes(hall)


def test_published_twice_by_a_double_tap_there_is_one_redraw(hall):
    page = look(hall, **asked(hall))
    publish(hall, page)

    assert publish(hall, page).status_code == 409
    assert Journal.objects.filter(action="redraw matches").count() == 1


def test_without_a_reason_nothing_is_published_and_the_preview_stays(hall):
    refused = publish(hall, reason="")

    assert refused.status_code == 422
    assert "Say why" in text(refused)
    assert "Preview: nothing is changed yet" in text(refused)
    assert "M5" not in codes(hall)


def test_a_machine_that_would_be_needed_twice_is_named_with_what_to_do(hall):
    refused = look(hall, **asked(hall, by=None))

    assert refused.status_code == 422
    assert "more matches than machines" in text(refused)
    assert "Put another machine into play as a substitute." in text(refused)
    assert "Publish this re-draw" not in text(refused)


@pytest.mark.parametrize("typed", ["x", "999999", "-1", "0"])
def test_an_address_typed_by_hand_is_answered_with_a_page(hall, typed):
    assert look(hall, **{f"machine-{hall.machines[2].pk}": typed}).status_code == 422
    assert look(hall, number="many").status_code == 422
    assert look(hall, **{"machine-7": typed, "machine-x": typed}).status_code == 200


def test_only_an_organiser_publishes_and_takes_back(hall):
    assert publish(hall, by=hall.desk).status_code == 403
    assert "An organiser publishes it." in text(look(hall, by=hall.desk, **asked(hall)))
    assert look(hall, by=hall.official).status_code == 403
    assert hall.post("redraw-take-back", ROUND, 1, reason="x").status_code == 403
    assert "/accounts/login" in stranger().post(hall.url("desk:redraw-publish", ROUND)).url
    assert hall.organiser.get(hall.url("desk:redraw-publish", ROUND)).url == hall.url("desk:redraw", ROUND)


def test_a_redraw_is_taken_back_with_a_reason_until_something_it_changed_has_begun(hall):
    publish(hall)
    revision = Journal.objects.get(action="redraw matches").revision

    refused = hall.post("redraw-take-back", ROUND, revision, by=hall.organiser, reason="")
    assert refused.status_code == 422
    assert "Say why" in text(refused)
    back = hall.post("redraw-take-back", ROUND, revision, by=hall.organiser, reason="it works again")

    assert "The re-draw is taken back" in text(back)
    assert codes(hall) == {"M1", "M2", "M3", "M4"}


def test_before_the_round_has_begun_the_page_says_so():
    hall = Hall("open", players=9, stock=6)
    hall.deal(ROUND, opened=False)

    assert "The second round has not begun." in text(look(hall))


def test_a_stage_that_is_not_drawn_again_has_no_such_page():
    hall = Hall()
    hall.deal("semi-finals")

    assert hall.get("redraw", "semi-finals").status_code == 404
    assert "Draw the rest again" not in text(hall.get("slips", "semi-finals"))


def test_a_match_that_was_taken_out_while_a_tablet_showed_it_says_so(hall):
    old = next(match for match in hall.matches(ROUND) if match.machine.code == "M3")
    publish(hall)

    refused = hall.post("match-act", ROUND, old.pk, "call")

    assert refused.status_code == 422
    assert f"Game {old.round} on Machine 3 (M3) was taken out." in text(refused)


def test_a_match_that_cannot_be_finished_is_broken_off_at_the_desk_and_not_by_an_official(hall):
    match = hall.matches(ROUND)[0]
    matches.play(match, actor=None)
    assert "Break the match off" in text(hall.get("match", ROUND, match.pk))

    assert hall.post("match-act", ROUND, match.pk, "break-off", reason="").status_code == 422
    hall.post("match-act", ROUND, match.pk, "break-off", reason="the display died")

    assert Match.objects.get(pk=match.pk).state == "planned"
    official = hall.official.post(hall.url("official:act", ROUND, match.pk, "break-off"))
    assert official.status_code in (403, 404)


def test_matches_taken_back_with_void_ones_behind_them_can_be_drawn_anew(hall):
    publish(hall)
    hall.post("not-begun", ROUND, by=hall.organiser, reason="too early")
    hall.post("take-back", ROUND, by=hall.organiser, reason="other machines")

    assert "Pick the machines" in text(hall.get("slips", ROUND))
