"""Writing: one journal line for each revision, nothing by halves, nothing twice, and the loser is told."""

import fcntl

import pytest
import time_machine
from django.db import IntegrityError, connection, transaction

from tests import factories
from tournaments import selectors
from tournaments.domain.refusals import NeedsDecision, Refusal, Stale
from tournaments.models import Journal, Machine, PlacePool, Score, Tournament
from tournaments.services import change as change_module
from tournaments.services import entries, places, scores, shows
from tournaments.services.change import Repeated, all_or_nothing, change, change_shared, sent_once, tried


def note(tournament, summary="A change.", **options):
    with change(tournament, actor=None, action="test", **options) as log:
        if log.first is None:
            log.write(summary)
    return log


def fail_after(*steps, within):
    """Take the steps inside the change and then fall over."""
    with within as log:
        for step in steps:
            step(log)
        raise ZeroDivisionError


def write(log):
    log.write("A change.")


def rename(log):
    Tournament.objects.update(name="Half done")


def lines(tournament):
    return list(Journal.objects.filter(tournament=tournament).order_by("revision").values_list("revision", flat=True))


def test_every_change_writes_one_line_and_raises_the_revision_by_one():
    tournament = factories.tournament()

    for _ in range(3):
        note(tournament)

    assert tournament.revision == Tournament.objects.get().revision == 4
    assert lines(tournament) == [1, 2, 3, 4]


def test_a_change_that_writes_nothing_leaves_no_trace():
    tournament = factories.tournament()

    with change(tournament, actor=None, action="look", key="k"):
        pass

    assert lines(tournament) == [1]
    assert not Journal.objects.filter(client_key="k").exists()


def test_two_lines_in_one_change_are_impossible_and_undo_the_change():
    tournament = factories.tournament()

    with pytest.raises(RuntimeError, match="one journal line"):
        fail_after(rename, write, write, within=change(tournament, actor=None, action="x"))

    assert Tournament.objects.get().name == "The Open"
    assert lines(tournament) == [1]


def test_a_fault_in_the_block_undoes_everything_and_the_revision_never_jumps():
    tournament = factories.tournament()

    with pytest.raises(ZeroDivisionError):
        fail_after(rename, write, within=change(tournament, actor=None, action="x"))
    note(tournament)

    assert Tournament.objects.get().name == "The Open"
    assert lines(tournament) == [1, 2]


def test_a_stale_form_is_refused_with_the_last_change():
    tournament = factories.tournament()
    note(tournament, "Qualifying is open.")

    with pytest.raises(Stale) as told:
        note(tournament, expected=1)

    assert told.value.status == 409
    assert told.value.now == "Qualifying is open"
    assert lines(tournament) == [1, 2]


def test_a_form_that_saw_the_present_revision_is_taken():
    tournament = factories.tournament()

    note(tournament, expected=1)

    assert lines(tournament) == [1, 2]


def test_the_same_key_and_contents_give_the_first_line_and_change_nothing():
    tournament = factories.tournament()
    note(tournament, "First.", key="k", carried={"value": 1})

    again = note(tournament, "Second.", key="k", carried={"value": 1}, expected=1)

    assert again.first.summary == "First."
    assert lines(tournament) == [1, 2]


@pytest.mark.parametrize("carried", [{"value": 2}, {}, {"value": "1"}])
def test_the_same_key_with_other_contents_is_refused(carried):
    tournament = factories.tournament()
    note(tournament, key="k", carried={"value": 1})

    with pytest.raises(Refusal, match="already sent with other contents") as told:
        note(tournament, key="k", carried=carried)

    assert told.value.status == 422
    assert lines(tournament) == [1, 2]


def test_a_key_belongs_to_its_tournament():
    show = factories.show()
    one, other = factories.tournament(show), factories.tournament(show, format="kids")
    note(one, key="k", carried={"value": 1})

    with pytest.raises(Refusal, match="other contents"):
        note(other, key="k", carried={"value": 1})


def test_a_repeated_request_that_would_change_something_is_a_fault_of_ours():
    tournament = factories.tournament()
    note(tournament, key="k")

    with (
        pytest.raises(RuntimeError, match="repeated request"),
        change(tournament, actor=None, action="test", key="k") as log,
    ):
        log.write("Again.")


def test_a_key_longer_than_the_journal_holds_is_refused():
    with pytest.raises(Refusal, match="damaged"):
        note(factories.tournament(), key="k" * 65)


def test_a_reason_longer_than_the_journal_holds_is_refused_and_nothing_is_saved(world):
    score = factories.play(world.stage, world.entries[0], world.machines[0], 100)

    with pytest.raises(Refusal, match="at most 500 characters") as told:
        scores.void(score, actor=None, seen=score.revision, reason="x" * 501)

    assert told.value.field == "reason"
    assert Score.objects.get().state == Score.State.RECORDED


def test_a_summary_longer_than_the_journal_holds_is_shortened():
    tournament = factories.tournament()

    note(tournament, "x" * 501)

    assert len(Journal.objects.get(revision=2).summary) == 500


def test_a_unique_constraint_that_strikes_tells_the_loser_and_undoes_the_change(world):
    score = factories.play(world.stage, world.entries[0], world.machines[0], 100)
    before = lines(world.tournament)

    def again(log):
        Score.objects.create(stage=score.stage, entry=score.entry, machine=score.machine, state="recorded", value=1)

    with pytest.raises(Refusal, match=r"at the same moment\. Yours was not saved"):
        fail_after(write, again, within=change(world.tournament, actor=None, action="x"))

    assert lines(world.tournament) == before
    assert Score.objects.count() == 1


def test_any_other_constraint_that_strikes_is_a_fault_of_ours_and_not_hidden():
    tournament = factories.tournament()
    pool = places.offer(tournament, actor=None, kind="last-chance", capacity=1)

    def take_two(log):
        PlacePool.objects.filter(pk=pool.pk).update(taken=2)

    with pytest.raises(IntegrityError):
        fail_after(write, take_two, within=change(tournament, actor=None, action="x"))


def test_all_or_nothing_takes_every_change_back():
    tournament = factories.tournament()

    with pytest.raises(ZeroDivisionError):
        fail_after(lambda _: factories.entries(tournament, 2), lambda _: note(tournament), within=all_or_nothing())

    assert lines(tournament) == [1]
    assert tournament.entries.count() == 0


def test_a_refusal_among_several_changes_takes_the_earlier_ones_back():
    tournament = factories.tournament()

    with pytest.raises(NeedsDecision), all_or_nothing():
        [entries.register(tournament, actor=None, name="Ann Example") for _ in range(2)]

    assert lines(tournament) == [1]
    assert tournament.entries.count() == 0


def test_all_or_nothing_keeps_every_change_together():
    show = factories.show()

    with all_or_nothing():
        one, other = factories.tournament(show), factories.tournament(show, format="kids")
        note(one)
        with all_or_nothing():
            note(other)

    assert lines(one) == lines(other) == [1, 2]


@pytest.mark.django_db(transaction=True)
def test_a_change_waits_for_its_turn_only_outside_a_transaction():
    """The admin opens a transaction of its own: waiting for the file inside it could wait for ever."""
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite writes in line")
    tournament = factories.tournament()

    with change_module._lock_path().open("a") as file, transaction.atomic():
        fcntl.flock(file, fcntl.LOCK_EX)
        note(tournament)

    assert lines(tournament) == [1, 2]


@pytest.mark.django_db(transaction=True)
def test_the_turn_is_given_back_after_a_change_and_after_a_fault():
    if connection.vendor != "sqlite":
        pytest.skip("only SQLite writes in line")
    tournament = factories.tournament()
    note(tournament)
    with pytest.raises(ZeroDivisionError), change(tournament, actor=None, action="x"):
        raise ZeroDivisionError

    with change_module._lock_path().open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


@pytest.mark.django_db(transaction=True)
def test_the_process_that_commits_knows_the_new_revision_at_once():
    with time_machine.travel("2010-07-24 12:00 +0000", tick=False):
        tournament = factories.tournament()
        assert selectors.current_revision(tournament.pk, at_most=60) == 1

        note(tournament)

        assert selectors.current_revision(tournament.pk, at_most=60) == 2


@pytest.mark.django_db(transaction=True)
def test_a_change_taken_back_is_never_remembered():
    tournament = factories.tournament()

    with pytest.raises(ZeroDivisionError):
        fail_after(lambda _: note(tournament), within=all_or_nothing())

    assert selectors.current_revision(tournament.pk, at_most=60) == 1


def test_two_people_who_add_the_same_machine_code_are_told_so_in_a_sentence(monkeypatch):
    """The check before the insert is blinded, as it is for two at the same moment."""
    show = factories.show()
    factories.machine(show, "TZ")
    monkeypatch.setattr("tournaments.services.machines.checked", lambda machine: None)
    monkeypatch.setattr(Machine.objects, "filter", lambda **by: Machine.objects.none())

    with pytest.raises(Refusal, match="at the same moment"):
        factories.machine(show, "TZ")


def test_the_actor_time_and_action_are_kept(desk):
    tournament = factories.tournament()

    with time_machine.travel("2010-07-24 12:00 +0000", tick=False):
        shows.rename_tournament(tournament, actor=desk, name="The UK Open", starts_on=factories.DAY)

    line = Journal.objects.get(revision=2)
    assert (line.actor, line.action, line.at.isoformat()) == (desk, "rename tournament", "2010-07-24T12:00:00+00:00")
    assert line.before["name"] == "The Open"
    assert line.after["name"] == "The UK Open"


def test_what_was_only_tried_or_refused_has_not_kept_the_key_of_the_form():
    world = factories.qualifying()

    def refused():
        with change(world.tournament, actor=None, action="refused") as log:
            log.write("Refused.")
            raise Refusal("No.")

    with sent_once("tap", {"machine": "M1"}):
        with tried():
            note(world.tournament, "Tried.")
        with pytest.raises(Refusal):
            refused()
        note(world.tournament, "Done.")

    assert Journal.objects.get(client_key="tap").summary == "Done."
    with pytest.raises(Repeated), sent_once("tap", {"machine": "M1"}):
        note(world.tournament, "Done again.")


def test_of_two_changes_one_in_the_other_one_keeps_the_key_of_the_form():
    world = factories.qualifying()

    def send():
        with sent_once("tap", {"machine": "M1"}), change_shared(world.show, actor=None, action="outer") as outer:
            with change(world.tournament, actor=None, action="inner") as inner:
                inner.write("Inner.")
            outer.write("Outer.")

    send()
    with pytest.raises(Repeated):
        send()
    assert list(Journal.objects.filter(client_key="tap").values_list("action", flat=True)) == ["inner"]
    assert Journal.objects.filter(action="outer").count() == 1
