"""Every form and every act of the admin is sent once, with the database watched: the journal tells of all of it."""

import pytest
from django.contrib.admin.models import LogEntry

from tests import factories
from tests.tournaments.traces import watched
from tournaments.admin import site
from tournaments.admin.base import LookOnly
from tournaments.models import Entry, StageMachine
from tournaments.services import entries, machines, places

EXCEPTIONS = {"user": "a login belongs to no show; Django's log of the admin says who changed it"}


@pytest.fixture
def world(db):
    """Two players, of whom one has played, and a place on sale."""
    made = factories.qualifying(players=2, stock=3)
    factories.play(made.stage, made.entries[0], made.machines[0], 1_000)
    places.offer(made.tournament, actor=None, kind="last-chance", capacity=5)
    return made


def used(world, machine):
    return StageMachine.objects.get(stage=world.stage, machine=world.machines[machine])


def new_show(pages, world):
    return pages.save("show", "add", name="Next", slug="next", starts_on="2011-07-23", ends_on="2011-07-24")


def another_show(pages, world):
    return pages.save("show", "change", world.show.pk, venue="A hall")


def new_tournament(pages, world):
    typed = {"show": world.show.pk, "name": "Kids", "slug": "kids", "format": "kids", "starts_on": "2010-07-24"}
    return pages.save("tournament", "add", **typed)


def another_tournament(pages, world):
    return pages.save("tournament", "change", world.tournament.pk, rule_qualifiers="2", reason="Fewer came.")


def another_stage(pages, world):
    return pages.save("stage", "change", world.stage.pk, closes_at_0="2099-07-24", closes_at_1="16:00:00")


def new_machine(pages, world):
    return pages.save("machine", "add", show=world.show.pk, code="TZ", name="TZ", stages=[world.stage.pk])


def another_machine(pages, world):
    return pages.save("machine", "change", world.machines[1].pk, name="Fathom", stages=[])


def new_stagemachine(pages, world):
    machine = machines.add(world.show, actor=None, code="MM", name="Medieval Madness")
    return pages.save("stagemachine", "add", stage=world.stage.pk, machine=machine.pk)


def new_placepool(pages, world):
    return pages.save("placepool", "add", tournament=world.tournament.pk, kind="additional", capacity="4")


def another_placepool(pages, world):
    return pages.save("placepool", "change", world.tournament.pools.get().pk, capacity="6")


def new_entry(pages, world):
    return pages.save("entry", "add", tournament=world.tournament.pk, name="Zoë", place="last-chance")


def another_player(pages, world):
    return pages.save("player", "change", world.entries[0].player_id, country="Wales")


def use(pages, world):
    machine = machines.add(world.show, actor=None, code="MM", name="Medieval Madness")
    return pages.act("machine", "use", machine, stage=world.stage.pk)


def let_stand(pages, world):
    return pages.act("stagemachine", "let-stand", used(world, 0), reason="smoke")


def cancel(pages, world):
    return pages.act("stagemachine", "cancel", used(world, 0), reason="smoke")


def open_again(pages, world):
    machines.set_state(used(world, 0), actor=None, state="let-stand", reason="smoke")
    return pages.act("stagemachine", "open-again", used(world, 0), reason="repaired")


def leave_out(pages, world):
    return pages.act("stagemachine", "leave-out", used(world, 2))


def check_in(pages, world):
    return pages.act("entry", "check-in", world.entries[0])


def take_check_in_back(pages, world):
    newcomer = factories.entry(world.tournament, "Zoë", place="last-chance")
    entries.check_in(newcomer, actor=None)
    return pages.act("entry", "take-check-in-back", newcomer)


def check_age(pages, world):
    kids = factories.tournament(world.show, format="kids")
    return pages.act("entry", "check-age", factories.entry(kids, "Tim"))


def withdraw(pages, world):
    return pages.act("entry", "withdraw", world.entries[0], reason="ill")


def disqualify(pages, world):
    return pages.act("entry", "disqualify", world.entries[0], reason="kicked the machine")


def reinstate(pages, world):
    entries.withdraw(world.entries[0], actor=None, reason="ill")
    return pages.act("entry", "reinstate", Entry.objects.get(pk=world.entries[0].pk), reason="well again")


SENT = {
    ("show", "add"): new_show,
    ("show", "change"): another_show,
    ("tournament", "add"): new_tournament,
    ("tournament", "change"): another_tournament,
    ("stage", "change"): another_stage,
    ("machine", "add"): new_machine,
    ("machine", "change"): another_machine,
    ("machine", "use"): use,
    ("stagemachine", "add"): new_stagemachine,
    ("stagemachine", "let-stand"): let_stand,
    ("stagemachine", "cancel"): cancel,
    ("stagemachine", "open-again"): open_again,
    ("stagemachine", "leave-out"): leave_out,
    ("placepool", "add"): new_placepool,
    ("placepool", "change"): another_placepool,
    ("entry", "add"): new_entry,
    ("entry", "check-in"): check_in,
    ("entry", "take-check-in-back"): take_check_in_back,
    ("entry", "check-age"): check_age,
    ("entry", "withdraw"): withdraw,
    ("entry", "disqualify"): disqualify,
    ("entry", "reinstate"): reinstate,
    ("player", "change"): another_player,
}
"""Everything an organiser can send in the admin, by list and by what is done."""

SEVERAL = {
    ("machine", "add"),
    ("machine", "change"),
    ("machine", "use"),
    ("stagemachine", "add"),
    ("stagemachine", "open-again"),
    ("entry", "check-age"),
    ("entry", "take-check-in-back"),
    ("entry", "reinstate"),
}
"""Where one form does several things to a tournament, or the test prepares one."""


@pytest.mark.parametrize("what", SENT, ids=" ".join)
def test_what_the_admin_writes_stands_in_the_journal(pages, world, what):
    with watched(" ".join(what), several=what in SEVERAL) as written:
        answer = SENT[what](pages, world)

    assert answer.status_code == 302, answer.content.decode()
    assert written


def test_nothing_that_can_be_sent_is_left_out(organiser, rf):
    request = rf.get("/")
    request.user = organiser
    sendable = set()
    for model, page in site._registry.items():
        name = model._meta.model_name
        if isinstance(page, LookOnly) or name in EXCEPTIONS or model._meta.app_label not in ("tournaments", "auth"):
            # What a format brings along is sent in its own tests.
            continue
        sendable |= {(name, "add")} if page.has_add_permission(request) else set()
        sendable |= {(name, "change")} if page.has_change_permission(request) else set()
        sendable |= {(name, act.key) for act in page.acts}

    assert sendable == set(SENT)


def test_a_login_leaves_its_trace_in_the_log_of_the_admin(pages, organiser):
    typed = {"username": "dora", "role": "desk", "password1": "secret-of-the-hall", "password2": "secret-of-the-hall"}

    with watched("a login") as written:
        assert pages.save("user", "add", **typed).status_code == 302

    assert written == set()
    assert LogEntry.objects.get().user == organiser
