"""Who competes: one person, one number, one entry; leaving and coming back; places that are counted."""

from datetime import UTC, datetime, timedelta

import pytest
import time_machine

from tests import factories
from tests.tournaments.services.games import record
from tournaments import selectors
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.models import Entry, Journal, PlacePool, Player
from tournaments.services import entries, places, stages

NOON = datetime(2010, 7, 24, 11, 0, tzinfo=UTC)


@pytest.fixture
def tournament():
    return factories.tournament()


def enter(tournament, name="Ann Example", **details):
    return entries.register(tournament, actor=None, name=name, **details)


# Numbers and namesakes


def test_numbers_are_given_one_after_the_other_and_kept_in_every_tournament_of_the_show(tournament):
    kids = factories.tournament(tournament.show, format="kids")
    enter(kids, "Cy Child")

    ann = enter(tournament)
    again = enter(kids, player=ann.player)

    assert (ann.number, again.number) == (2, 2)
    assert again.player == ann.player


def test_a_number_may_be_chosen_when_it_is_free(tournament):
    enter(tournament, number=27)

    assert enter(tournament, "Bo Sample").number == 28
    with pytest.raises(Refusal, match=r"Number 27 belongs to Ann Example\.") as told:
        enter(tournament, "Cy Third", number=27)
    assert told.value.field == "number"


@pytest.mark.parametrize("number", [0, -1, 100_000_000])
def test_a_number_that_nobody_could_type_is_refused(tournament, number):
    with pytest.raises(Refusal, match="A number is from 1 to 99999999"):
        enter(tournament, number=number)

    assert not Player.objects.exists()


@pytest.mark.parametrize("name", ["Zoë Example", "zoe  example", "ZOË EXAMPLE", " Zoe Example "])
def test_the_same_name_however_typed_asks_before_a_second_person_is_made(tournament, name):
    first = enter(tournament, "Zoë Example")

    with pytest.raises(NeedsDecision) as asked:
        enter(tournament, name)

    assert asked.value.settle == "namesake"
    assert asked.value.about == (first.player.pk,)
    assert asked.value.sentence.startswith("The show already has 1 Zoë Example.")
    assert enter(tournament, name, namesake_is_another=True).number == 2


def test_the_same_e_mail_address_asks_too(tournament):
    enter(tournament, email="ann@example.org")

    with pytest.raises(NeedsDecision):
        enter(tournament, "Bo Sample", email="Ann@Example.org")
    assert enter(tournament, "Bo Sample", email="bo@example.org").number == 2
    assert enter(tournament, "Cy Third").number == 3
    assert enter(tournament, "Di Fourth").number == 4


def test_a_person_is_entered_once_in_a_tournament(tournament):
    ann = enter(tournament)

    with pytest.raises(Refusal, match=r"Ann Example is already entered in The Open as number 1\."):
        enter(tournament, player=ann.player)


def test_a_person_of_another_show_is_refused(tournament):
    other = enter(factories.tournament(factories.show("other")))

    with pytest.raises(Refusal, match="is not a person of"):
        enter(tournament, player=other.player)


def test_a_person_is_entered_once_however_often_the_form_is_sent(tournament):
    first, again = enter(tournament, key="form"), enter(tournament, key="form")

    assert first == again
    assert Journal.objects.filter(action="register").count() == 1
    with pytest.raises(Refusal, match="other contents"):
        enter(tournament, key="form", country="GB")


@pytest.mark.parametrize(
    ("details", "field"),
    [({"name": " "}, "name"), ({"name": "x" * 101}, "name"), ({"email": "not an address"}, "email")],
)
def test_details_that_cannot_be_right_are_refused_with_the_field(tournament, details, field):
    with pytest.raises(Refusal) as told:
        enter(tournament, **details)

    assert told.value.field == field
    assert not Player.objects.exists()


# Details


def test_the_journal_names_what_changed_and_never_holds_what_is_private(tournament):
    ann = enter(tournament, email="ann@example.org", contact="Mum, 0123")

    entries.change_details(ann, actor=None, name="Anne Example", email="new@example.org", contact="Dad, 0456")

    line = Journal.objects.latest("revision")
    assert line.summary == "1 Anne Example: name, email, contact corrected."
    assert (line.before, line.after) == ({"name": "Ann Example"}, {"name": "Anne Example"})
    for line in Journal.objects.all():
        told = f"{line.summary} {line.before} {line.after} {line.reason}"
        assert not any(private in told for private in ("example.org", "0123", "0456"))


def test_details_saved_unchanged_leave_no_trace(tournament):
    ann = enter(tournament, email="ann@example.org")

    entries.change_details(ann, actor=None, name="Ann  Example ", email="ann@example.org")

    assert Journal.objects.latest("revision").action == "register"


def test_a_new_name_is_seen_at_once_in_every_tournament_of_the_person(tournament):
    kids = factories.tournament(tournament.show, format="kids")
    ann = enter(tournament)
    other = enter(kids, player=ann.player)
    before = selectors.current_revision(kids.pk)

    entries.change_details(ann, actor=None, name="Anne Example")

    assert selectors.current_revision(kids.pk) == before + 1
    assert Journal.objects.filter(action="change details", entry=other).exists()


# Leaving and coming back


def test_checking_in_twice_is_once(tournament):
    ann = enter(tournament)

    entries.check_in(ann, actor=None)
    entries.check_in(ann, actor=None)

    assert ann.status == Entry.Status.CHECKED_IN
    assert Journal.objects.filter(action="check in").count() == 1


def test_who_has_left_cannot_be_checked_in(tournament):
    ann = enter(tournament)
    entries.withdraw(ann, actor=None, reason="ill")

    with pytest.raises(Refusal, match=r"1 Ann Example is withdrawn\."):
        entries.check_in(ann, actor=None)


def test_the_games_of_who_withdraws_stay_ranked_and_of_who_is_disqualified_do_not(world):
    record(world, entry=0, value=2)
    record(world, entry=1, value=1)

    entries.withdraw(world.entries[0], actor=None, reason="ill")
    assert selectors.stage_facts(world.stage).table.row(world.entries[1].pk).place == 2
    entries.disqualify(world.entries[0], actor=None, reason="shook the machine")
    assert selectors.stage_facts(world.stage).table.row(world.entries[1].pk).place == 1


@pytest.mark.parametrize("leave", [entries.withdraw, entries.disqualify])
@pytest.mark.parametrize("here", [False, True])
def test_coming_back_leaves_exactly_the_earlier_state(tournament, leave, here):
    ann = enter(tournament)
    if here:
        entries.check_in(ann, actor=None)
    before = Entry.objects.get().status

    leave(ann, actor=None, reason="x")
    entries.reinstate(ann, actor=None, reason="a mistake")
    entries.reinstate(ann, actor=None, reason="a mistake")

    assert Entry.objects.get().status == ann.status == before


def test_a_disqualification_taken_back_leaves_who_had_withdrawn_withdrawn(tournament):
    ann = enter(tournament)
    entries.check_in(ann, actor=None)
    entries.withdraw(ann, actor=None, reason="ill")
    entries.disqualify(ann, actor=None, reason="x")

    entries.reinstate(ann, actor=None, reason="a mistake")
    assert Entry.objects.get().status == Entry.Status.WITHDRAWN
    entries.reinstate(ann, actor=None, reason="well again")
    assert Entry.objects.get().status == Entry.Status.CHECKED_IN


@pytest.mark.parametrize("act", [entries.withdraw, entries.disqualify])
def test_leaving_needs_a_reason(tournament, act):
    with pytest.raises(Refusal, match="Say why"):
        act(enter(tournament), actor=None, reason="")


def test_a_withdrawal_does_not_hide_a_disqualification(tournament):
    ann = enter(tournament)
    entries.disqualify(ann, actor=None, reason="x")

    with pytest.raises(Refusal, match=r"1 Ann Example is disqualified\."):
        entries.withdraw(ann, actor=None, reason="x")


# Places


def offer(tournament, capacity=1, **details):
    return places.offer(tournament, actor=None, kind="last-chance", capacity=capacity, **details)


def test_a_place_is_taken_with_the_entry_and_never_more_than_there_are(tournament):
    offer(tournament)
    enter(tournament, place="last-chance")

    with pytest.raises(Refusal, match=r"All 1 last-chance places of The Open are taken\.") as told:
        enter(tournament, "Bo Sample", place="last-chance")

    assert told.value.field == "place"
    assert (PlacePool.objects.get().taken, Player.objects.count()) == (1, 1)


def test_more_places_may_be_announced_and_never_fewer_than_are_taken(tournament):
    offer(tournament)
    enter(tournament, place="last-chance")
    offer(tournament, 2)
    enter(tournament, "Bo Sample", place="last-chance")

    with pytest.raises(Refusal, match="2 last-chance places are taken already; there cannot be fewer") as told:
        offer(tournament, 1)

    assert told.value.field == "capacity"


def test_offering_the_same_again_leaves_no_trace(tournament):
    assert offer(tournament, opens_at=NOON) == offer(tournament, opens_at=NOON)
    line = Journal.objects.get(action="offer places")

    assert line.before is None
    assert line.after == {"capacity": 1, "opens_at": "2010-07-24T11:00:00+00:00", "closes_at": None}


def test_a_sale_cannot_end_before_it_begins(tournament):
    with pytest.raises(Refusal, match="would end before it begins"):
        offer(tournament, opens_at=NOON, closes_at=NOON)


def test_a_kind_of_place_that_is_not_offered_is_refused(tournament):
    with pytest.raises(Refusal, match=r"The Open has no additional places\."):
        enter(tournament, place="additional")


def test_a_place_is_taken_only_while_it_is_on_sale(tournament):
    """House rules: "on sale from a given moment"."""
    offer(tournament, 5, opens_at=NOON, closes_at=NOON + timedelta(hours=1))

    with time_machine.travel(NOON - timedelta(seconds=1), tick=False) as clock:
        told = r"The last-chance places of The Open are on sale from 12:00 on 24 July 2010\."
        with pytest.raises(Refusal, match=told) as early:
            enter(tournament, place="last-chance")
        clock.move_to(NOON)
        enter(tournament, place="last-chance")
        clock.move_to(NOON + timedelta(hours=1))
        told = r"The last-chance places of The Open were on sale until 13:00 on 24 July 2010\."
        with pytest.raises(Refusal, match=told) as late:
            enter(tournament, "Bo Sample", place="last-chance")

    assert early.value.field == late.value.field == "place"
    assert [entry.name for entry in Entry.objects.all()] == ["Ann Example"]
    assert PlacePool.objects.get().taken == 1


def test_other_times_of_the_sale_hold_at_once(tournament):
    with time_machine.travel(NOON, tick=False):
        offer(tournament, 5, opens_at=NOON + timedelta(hours=1))
        with pytest.raises(Refusal, match="are on sale from 13:00"):
            enter(tournament, place="last-chance")

        offer(tournament, 5, opens_at=NOON)
        assert enter(tournament, place="last-chance").number == 1


def test_a_place_taken_before_it_is_written_down_was_taken_while_on_sale(tournament):
    with time_machine.travel(NOON, tick=False):
        offer(tournament, 5, opens_at=NOON - timedelta(hours=2), closes_at=NOON - timedelta(hours=1))

        assert enter(tournament, place="last-chance", at=NOON - timedelta(minutes=90)).number == 1
        assert enter(tournament, "Bo Sample", place="last-chance", elsewhere=True).number == 2
        with pytest.raises(Refusal, match="are on sale from"):
            enter(tournament, "Cy Third", place="last-chance", at=NOON - timedelta(hours=3))


def test_the_places_left_bound_how_many_may_still_come(world):
    offer(world.tournament, 5)
    enter(world.tournament, place="last-chance")

    assert selectors.stage_facts(world.stage).facts.may_enter == 4
    with pytest.raises(Refusal, match=r"Say which place: last-chance\."):
        enter(world.tournament, "Bo Sample")


def test_places_whose_sale_has_ended_bring_nobody_once_play_has_begun(world):
    offer(world.tournament, 5, closes_at=NOON)

    with time_machine.travel(NOON - timedelta(seconds=1), tick=False):
        assert selectors.stage_facts(world.stage).facts.may_enter == 5
    with time_machine.travel(NOON, tick=False):
        assert selectors.stage_facts(world.stage).facts.may_enter == 0
        with pytest.raises(Refusal, match=r"were on sale until 12:00 on 24 July 2010\."):
            enter(world.tournament, place="last-chance")


def test_without_counted_places_any_number_may_still_come_until_the_stage_is_closing():
    with time_machine.travel(NOON, tick=False) as clock:
        world = factories.qualifying(closes_at=NOON + timedelta(hours=1))
        assert selectors.stage_facts(world.stage).facts.may_enter == selectors.ANYBODY
        enter(world.tournament)
        clock.shift(timedelta(hours=1))

        assert selectors.stage_facts(world.stage).facts.may_enter == 0
        with pytest.raises(Refusal, match=r"Qualifying of The Open is closing; nobody new can start a game\."):
            enter(world.tournament, "Bo Sample")


def test_nobody_certainly_through_loses_the_mark_when_a_no_show_is_removed():
    """72 entered, 5 never play, 66 are done and 1 is still on (here with a sixth of each)."""
    with time_machine.travel(NOON, tick=False) as clock:
        world = factories.qualifying(
            players=12,
            stock=1,
            rules={"qualifiers": 6, "games_allowed": 1, "games_counted": 1},
            closes_at=NOON + timedelta(hours=1),
        )
        offer(world.tournament, 0)
        factories.standings(world, [[1_000 - number] for number in range(10)])
        clock.shift(timedelta(minutes=59))
        before = through(world)

        entries.withdraw(world.entries[10], actor=None, reason="never came")
        after = through(world)
        entries.disqualify(world.entries[11], actor=None, reason="never came")

    assert before == {entry.pk for entry in world.entries[:2]}
    assert after == {entry.pk for entry in world.entries[:4]}
    assert through(world) == {entry.pk for entry in world.entries[:6]}
    stages.close_stage(world.stage, actor=None)
    assert through(world) == {entry.pk for entry in world.entries[:6]}


def through(world):
    outlooks = selectors.stage_facts(world.stage).cut.outlooks
    return {entry for entry, outlook in outlooks.items() if outlook.status == "through"}
