"""What is done to entries and machines: a page that says what it means, and one service each."""

import pytest

from tests import factories
from tests.tournaments.admin.pages import errors, every_change_is_in_the_journal, text
from tournaments.models import Entry, Journal, Ruling, StageMachine
from tournaments.services import entries, machines


def used(world, number=1):
    return StageMachine.objects.get(stage=world.stage, machine=world.machines[number])


@pytest.mark.parametrize(
    ("act", "status"), [("withdraw", Entry.Status.WITHDRAWN), ("disqualify", Entry.Status.DISQUALIFIED)]
)
def test_entries_leave_with_a_reason_and_come_back(pages, world, act, status):
    answer = pages.act("entry", act, *world.entries, reason="They left.")

    assert answer.status_code == 302
    assert {entry.status for entry in Entry.objects.all()} == {status}
    lines = Journal.objects.filter(action=act)
    assert {(line.reason, line.actor.username) for line in lines} == {("They left.", "olivia")}
    pages.act("entry", "reinstate", *world.entries, reason="A mistake.")
    assert {entry.status for entry in Entry.objects.all()} == {Entry.Status.ENTERED}
    assert every_change_is_in_the_journal()


def test_entries_check_in_without_a_question(pages, world):
    pages.act("entry", "check-in", *world.entries)

    assert {entry.status for entry in Entry.objects.all()} == {Entry.Status.CHECKED_IN}


def test_where_there_is_an_age_limit_check_in_asks_whether_the_age_was_seen(pages, world):
    child = factories.entry(factories.tournament(world.show, format="kids"), "Cy Child")
    assert "age not checked" in text(pages.client.get(pages.url("entry", "changelist")))

    asked = pages.act("entry", "check-in", child)
    assert asked.status_code == 422
    assert "The age of 3 Cy Child is not checked" in errors(asked)[None][0]
    pages.act("entry", "check-in", child, age_seen="on")

    child.refresh_from_db()
    assert child.age_checked_at
    assert "age not checked" not in text(pages.client.get(pages.url("entry", "changelist")))


def test_the_age_of_somebody_checked_in_already_is_checked_by_an_act(pages, world):
    child = factories.entry(factories.tournament(world.show, format="kids"), "Cy Child")
    entries.check_in(child, actor=None, elsewhere=True)

    assert "Age checked …" in text(pages.client.get(pages.url("entry", "change", child.pk)))
    pages.act("entry", "check-age", child)

    child.refresh_from_db()
    assert child.age_checked_at
    assert "Age checked …" not in text(pages.client.get(pages.url("entry", "change", child.pk)))
    assert every_change_is_in_the_journal()


def test_without_a_reason_nothing_happens_and_the_page_says_so(pages, world):
    answer = pages.act("entry", "withdraw", *world.entries, reason="   ")

    assert answer.status_code == 422
    assert errors(answer) == {"reason": ["Say why, in a few words; it is kept beside the change."]}
    assert {entry.status for entry in Entry.objects.all()} == {Entry.Status.ENTERED}


def test_an_act_that_is_refused_for_one_is_done_to_none_and_keeps_what_was_typed(pages, world):
    pages.act("stagemachine", "leave-out", used(world, 1), used(world, 0))
    assert StageMachine.objects.count() == 6

    pages.act("entry", "withdraw", world.entries[1], reason="Left.")
    answer = pages.act("entry", "check-in", *world.entries)

    assert answer.status_code == 422
    assert errors(answer) == {None: ["2 Player 2 is withdrawn."]}
    assert Entry.objects.get(number=1).status == Entry.Status.ENTERED
    assert every_change_is_in_the_journal()


def test_a_list_leads_to_the_page_of_the_act_with_the_rows_that_were_ticked(pages, world):
    ticked = {"action": "withdraw", "_selected_action": [entry.pk for entry in world.entries]}

    answer = pages.client.post(pages.url("entry", "changelist"), ticked)

    assert "They play no more." in text(answer)
    assert "1 Player 1" in text(answer)
    assert {entry.status for entry in Entry.objects.all()} == {Entry.Status.ENTERED}


def test_the_page_of_a_row_leads_to_the_acts_that_make_sense_now(pages, world):
    def offered():
        return [label for label, _ in pages.get("entry", "change", world.entries[0].pk).context["acts"]]

    assert offered() == ["Check in", "Withdraw", "Disqualify"]
    pages.act("entry", "withdraw", world.entries[0], reason="Left.")
    assert offered() == ["Reinstate", "Disqualify"]
    address = pages.get("entry", "change", world.entries[0].pk).context["acts"][0][1]
    assert "1 Player 1" in text(pages.client.get(address))


@pytest.mark.parametrize(("act", "state"), [("let-stand", "let-stand"), ("cancel", "cancelled")])
def test_a_machine_is_closed_or_cancelled_in_a_stage_with_a_reason_and_opened_again(pages, world, act, state):
    row = used(world)

    pages.act("stagemachine", act, row, reason="The flipper broke.")

    row.refresh_from_db()
    assert row.state == StageMachine.State(state)
    ruling = Ruling.objects.get()
    assert (ruling.kind, ruling.reason, ruling.undone_at) == (Ruling.Kind.MACHINE, "The flipper broke.", None)
    assert Journal.objects.get(action="withdraw machine").ruling == ruling
    pages.act("stagemachine", "open-again", row, reason="Repaired.")
    row.refresh_from_db()
    ruling.refresh_from_db()
    assert row.state == StageMachine.State.OPEN
    assert ruling.undone_at is not None
    assert every_change_is_in_the_journal()


def test_a_machine_withdrawn_is_withdrawn_no_second_time_and_its_page_leads_to_the_effects(pages, world):
    row = used(world)
    pages.act("stagemachine", "let-stand", row, reason="The flipper broke.")

    answer = pages.act("stagemachine", "cancel", row, reason="Worse.")

    assert answer.status_code == 422
    assert errors(answer) == {None: ["Machine 2 (M2) is closed, scores stand already; take that back first."]}
    shown = pages.get("stagemachine", "change", row.pk)
    assert [label for label, _ in shown.context["acts"]] == ["Open again"]
    assert "/desk/party/open/qualifying/machines/M2/" in shown.content.decode()


def test_a_machine_that_came_withdrawn_from_a_folder_is_opened_again(pages, world):
    row = used(world)
    machines.set_state(row, actor=None, state="let-stand", reason="from a folder")

    pages.act("stagemachine", "open-again", row, reason="Repaired.")

    row.refresh_from_db()
    assert row.state == StageMachine.State.OPEN


def test_a_machine_nobody_played_is_left_out(pages, world):
    pages.act("stagemachine", "leave-out", used(world))

    assert StageMachine.objects.filter(machine=world.machines[1]).count() == 0
    assert every_change_is_in_the_journal()


def test_an_act_in_two_tournaments_is_noted_in_both(pages, world):
    kids = factories.tournament(world.show, format="kids")
    other = factories.entry(kids, "Ann")

    pages.act("entry", "withdraw", other, world.entries[0], reason="Left together.")

    assert Journal.objects.filter(action="withdraw").values("tournament").distinct().count() == 2
    assert every_change_is_in_the_journal()


def test_an_act_that_is_not_there_and_rows_that_are_not_there_change_nothing(pages, world):
    assert pages.act("entry", "delete", *world.entries).status_code == 403
    assert "Nothing is chosen" in text(pages.client.get(pages.url("entry", "act", "withdraw"), {"ids": "99999,x"}))


@pytest.mark.parametrize("role", ["desk", "official", ""])
def test_other_roles_cannot_act(client, world, role):
    client.force_login(factories.user(role))

    answer = client.post(
        "/admin/tournaments/entry/act/withdraw/", {"ids": world.entries[0].pk, "do": "yes", "reason": "x"}, follow=True
    )

    assert answer.status_code == 403
    assert Entry.objects.get(pk=world.entries[0].pk).status == Entry.Status.ENTERED
