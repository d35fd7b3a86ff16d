"""The draw at the desk: machines picked, matches looked at, published as seen, taken back; a leaver's seat."""

import pytest

from tests import factories
from tests.tournaments.desk.conftest import signed_in
from tests.tournaments.desk.finals import Hall, stranger
from tests.tournaments.desk.reading import confirmed, text
from tournaments.models import Journal, Match, Ruling
from tournaments.services import entries, people, rulings, stages

pytestmark = pytest.mark.django_db


@pytest.fixture
def hall():
    return Hall()


@pytest.fixture
def open_hall():
    """A hall whose cut is open: 8, 9 and 10 are level for the last seat."""
    return Hall(players=10, level=3)


def picked(hall, count=2):
    return [machine.pk for machine in hall.machines[:count]]


def publish(hall, by=None, **typed):
    form = {"machine": picked(hall), "number": 0, "expected": hall.revision(), **typed}
    return hall.post("publish", "semi-finals", by=by or hall.organiser, **form)


def test_a_stage_without_seats_says_which_stage_decides_them(hall):
    told = text(hall.get("slips", "final"))

    assert "The final has no seats yet. Semi-finals decide them" in told


@pytest.mark.parametrize(
    ("format", "words"),
    [
        ("open", "The semi-finals have no seats yet. Second round decides them"),
        ("classic", "The semi-finals have no seats yet. Qualifying decides them"),
    ],
)
def test_a_stage_with_a_name_of_several_is_spoken_of_as_several(format, words):
    world = factories.qualifying(format=format)

    page = signed_in("desk", "dora").get(f"/desk/party/{format}/semi-finals/")

    assert words in text(page)
    assert world.stage.spec.plural is False


def test_nothing_is_picked_beforehand_and_the_number_needed_is_said(hall):
    page = hall.get("slips", "semi-finals")

    assert "8 players need 2 machines" in text(page)
    assert " checked" not in page.content.decode()
    assert "Publish" not in text(page)


def test_looking_at_the_matches_stores_nothing_and_shows_the_same_every_time(hall):
    before = Journal.objects.count()

    looks = [hall.get("slips", "semi-finals", by=hall.organiser, machine=order) for order in (picked(hall),) * 2]
    other = hall.get("slips", "semi-finals", by=hall.organiser, machine=picked(hall)[::-1])

    assert {text(look) for look in (*looks, other)} == {text(looks[0])}
    assert "Machine 1 1 Player 1 seed 1 3 Player 3 seed 3 5 Player 5 seed 5 7 Player 7 seed 7" in text(looks[0])
    assert not Match.objects.exists()
    assert Journal.objects.count() == before


def test_too_few_machines_are_refused_with_the_number_and_stay_ticked(hall):
    page = hall.get("slips", "semi-finals", machine=picked(hall, 1))

    assert page.status_code == 422
    assert "Choose 2 machines" in text(page)
    assert page.content.decode().count(" checked") == 1


@pytest.mark.parametrize("query", [{"machine": "x"}, {"machine": 999_999}, {"number": "-1"}, {"number": "many"}])
def test_an_address_typed_by_hand_is_answered_with_a_page(hall, query):
    assert hall.get("slips", "semi-finals", **query).status_code == 422


def test_the_draw_of_a_ranked_round_shows_how_even_it_is():
    hall = Hall("open", players=10)

    told = text(hall.get("slips", "second-round", by=hall.organiser, machine=[m.pk for m in hall.machines]))

    assert "8 players need at least 4 machines; 4 picked" in told
    assert "Four opponents' positions add up to 18" in told.replace("&#x27;", "'")
    assert "Game 4" in told


def test_matches_are_published_as_they_were_seen(hall):
    page = hall.get("slips", "semi-finals", by=hall.organiser, machine=picked(hall))

    published = publish(hall, expected=page.context["expected"])

    assert "The matches of the semi-finals are published." in text(published)
    assert [[s.entry.number for s in m.sides.order_by("rank")] for m in hall.matches("semi-finals")] == [
        [1, 3, 5, 7],
        [2, 4, 6, 8],
    ]


def test_matches_looked_at_before_somebody_changed_something_are_not_published(hall):
    seen = hall.revision()
    entries.withdraw(hall.entries[8], actor=None, reason="ill")

    refused = publish(hall, expected=seen)

    assert refused.status_code == 409
    assert not Match.objects.exists()
    assert refused.content.decode().count(" checked") == 2


def test_published_twice_by_a_double_tap_there_is_one_set_of_matches(hall):
    seen = hall.revision()
    publish(hall, expected=seen)

    again = publish(hall, expected=seen)

    assert again.status_code == 409
    assert Match.objects.count() == 2


def test_only_an_organiser_publishes_and_takes_back(hall):
    assert publish(hall, by=hall.desk).status_code == 403
    assert "An organiser publishes them." in text(hall.get("slips", "semi-finals", machine=picked(hall)))
    publish(hall)
    assert hall.post("take-back", "semi-finals", reason="x").status_code == 403
    assert "/accounts/login" in stranger().post(hall.url("desk:publish", "semi-finals")).url


def test_published_matches_are_taken_back_with_a_reason_until_the_stage_has_begun(hall):
    publish(hall)
    assert hall.post("take-back", "semi-finals", by=hall.organiser, reason="").status_code == 422
    hall.post("take-back", "semi-finals", by=hall.organiser, reason="machine broke")
    assert not Match.objects.exists()

    publish(hall)
    stages.open_stage(hall.stage("semi-finals"), actor=None)

    refused = hall.post("take-back", "semi-finals", by=hall.organiser, reason="late")
    assert refused.status_code == 422
    assert Match.objects.count() == 2


# Seats


def test_a_leaver_is_named_and_the_next_in_the_order_is_proposed(hall):
    hall.deal("semi-finals", opened=False)
    entries.withdraw(hall.entries[2], actor=None, reason="ill")

    assert "3 Player 3, seed 3, is withdrawn." in text(hall.get("slips", "semi-finals"))
    page = hall.get("seats", "semi-finals").content.decode()
    assert '<option value="3" selected>' in page
    assert '<option value="9" selected>' in page


def test_who_lost_a_play_off_for_the_last_seat_comes_in_by_its_order(open_hall):
    rulings.record_play_off(open_hall.stage("qualifying"), actor=None, scores=open_hall.ids({8: 1, 9: 2, 10: 3}))
    stages.declare_cut(open_hall.stage("qualifying"), actor=None)
    open_hall.deal("semi-finals", opened=False)
    entries.withdraw(open_hall.entries[2], actor=None, reason="ill")

    page = open_hall.get("seats", "semi-finals")

    assert [reserve.entry.number for reserve in page.context["offered"]] == [9, 8]
    assert "9 Player 9, 8th=, by play-off" in text(page)
    assert '<option value="9" selected>' in page.content.decode()


def test_nobody_is_proposed_while_the_next_in_the_order_are_level(open_hall):
    rulings.record_play_off(open_hall.stage("qualifying"), actor=None, scores=open_hall.ids({8: 1, 9: 1, 10: 3}))
    stages.declare_cut(open_hall.stage("qualifying"), actor=None)

    page = open_hall.get("seats", "semi-finals")

    assert "8 Player 8, 8th=, level" in text(page)
    assert "the next are level: the organisers say who" in text(page)
    assert " selected>" not in page.content.decode()


def test_the_next_takes_the_seat_and_the_matches_of_a_leaver_after_the_draw(hall):
    publish(hall)

    shown = hall.post("replace-seat", "semi-finals", leaves=3, comes=9, reason="ill")
    assert "seed 3 3 Player 3 9 Player 9" in text(shown)
    given = confirmed(hall.desk, shown)

    assert hall.seats("semi-finals") == [1, 2, 9, 4, 5, 6, 7, 8]
    assert [side.entry.number for side in hall.matches("semi-finals")[0].sides.order_by("rank")] == [1, 9, 5, 7]
    assert "Replacements Replacement 9 Player 9" in text(given)


def test_a_number_from_before_a_merge_takes_the_seat_as_the_person(hall):
    publish(hall)
    other = factories.entry(factories.tournament(hall.world.show, format="kids"), "Ninth").player
    people.merge(other, hall.entries[8].player, actor=None, reason="entered twice")

    confirmed(hall.desk, hall.post("replace-seat", "semi-finals", leaves=3, comes=9, reason="ill"))

    assert hall.seats("semi-finals") == [1, 2, 10, 4, 5, 6, 7, 8]


def test_a_replacement_is_taken_back_until_the_stage_begins(hall):
    publish(hall)
    for reason in ("ill", "ill again"):
        confirmed(hall.desk, hall.post("replace-seat", "semi-finals", leaves=3, comes=9, reason=reason))
        taken = hall.post("undo-ruling", "semi-finals", Ruling.objects.latest("pk").pk, reason="is here")
        assert "seed 3 9 Player 9 3 Player 3" in text(taken)
        if reason == "ill":
            confirmed(hall.desk, taken)
            assert hall.seats("semi-finals") == [1, 2, 3, 4, 5, 6, 7, 8]
    stages.open_stage(hall.stage("semi-finals"), actor=None)

    late = hall.post("undo-ruling", "semi-finals", Ruling.objects.latest("pk").pk, reason="is here")
    assert late.status_code == 422
    assert "The semi-finals has begun: who has a seat keeps it." in text(late)


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ({"leaves": 3, "comes": 9, "reason": ""}, "Say why"),
        ({"leaves": 3, "comes": 4, "reason": "ill"}, "has a seat already"),
        ({"leaves": "", "comes": 9, "reason": "ill"}, "Choose who leaves."),
        ({"leaves": 77, "comes": 9, "reason": "ill"}, "Choose who leaves and who comes in."),
    ],
)
def test_a_seat_is_not_given_without_a_clear_form_and_what_was_typed_is_kept(hall, typed, sentence):
    refused = hall.post("replace-seat", "semi-finals", **typed)

    assert refused.status_code == 422
    assert sentence in text(refused)
    assert f'value="{typed["reason"]}"' in refused.content.decode()
    assert hall.seats("semi-finals") == [1, 2, 3, 4, 5, 6, 7, 8]


def test_once_the_stage_has_begun_the_seat_stays_empty(hall):
    publish(hall)
    stages.open_stage(hall.stage("semi-finals"), actor=None)

    assert "the opponent plays alone" in text(hall.get("seats", "semi-finals"))
    assert hall.post("replace-seat", "semi-finals", leaves=3, comes=9, reason="ill").status_code == 422
