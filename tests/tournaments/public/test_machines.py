"""What everybody reads of a machine that is out of order or withdrawn."""

from datetime import date
from decimal import Decimal

import pytest

from tests import factories
from tests.tournaments.public import finals
from tests.tournaments.public.reading import table, text
from tournaments import live
from tournaments.models import StageMachine
from tournaments.services import entries, incidents, matches, withdrawn
from tournaments.views import pages as made

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    made = factories.qualifying(players=3, stock=3, rules={"qualifiers": 2, "games_allowed": 3, "games_counted": 3})
    factories.standings(made, [[1_000], [2_000, 700]])
    return made


def withdraw(world, way, **more):
    used = StageMachine.objects.get(stage=world.stage, machine=world.machines[0])
    withdrawn.withdraw_machine(used, actor=None, way=way, reason="it burnt out", **more)


def rescale(world):
    withdraw(world, "rescaled", substitute=world.machines[1], factor=Decimal("0.8"))


def test_a_machine_out_of_order_says_so_wherever_it_is_named_and_no_longer_after_the_repair(public, world):
    incident = incidents.report(world.machines[0], actor=None, what="the flipper of Ann broke")
    pages = public(world)

    assert table(pages.stage(), "leaders")[0][0] == "Machine 1 M1 · out of order"
    assert "Out of order just now: no game starts on it." in text(pages.machine("M1"))
    assert "Machine 1 out of order" in text(pages.player(3))
    assert "Ann" not in text(pages.machine("M1"))

    incidents.repaired(incident, actor=None)
    assert all(
        "out of order" not in text(page).lower() for page in (pages.stage(), pages.machine("M1"), pages.player(3))
    )


def test_a_page_that_is_open_hears_of_a_machine_out_of_order(public, world):
    pages = public(world)
    version = f"{world.tournament.revision}.open"
    assert pages.rows(version).status_code in (200, 204)
    world.tournament.refresh_from_db()
    version = f"{world.tournament.revision}.open"
    assert pages.rows(version).status_code == 204

    incidents.report(world.machines[0], actor=None)

    assert "out of order" in text(pages.rows(version))


def test_a_cancelled_machine_keeps_its_scores_to_be_read_and_the_player_has_the_game_back(public, world):
    withdraw(world, "cancelled", substitute=world.machines[2])
    pages = public(world)

    told = text(pages.machine("M1"))
    assert "players get the game back. Machine 3 stands in. Reason: it burnt out" in told
    assert table(pages.machine("M1"), "machine-history") == [
        ["Player 2 No. 2", "2,000", "game given back"],
        ["Player 1 No. 1", "1,000", "game given back"],
    ]
    assert "Machine 1 machine cancelled, game given back 1,000 – – Ruling: machine cancelled. it burnt out" in text(
        pages.player(1)
    )


def test_a_rescaled_score_is_shown_with_the_original_beside_it_and_the_old_page_keeps_both(public, world):
    rescale(world)
    pages = public(world)

    assert "1,000 on Machine 1, times 0.8 (it burnt out)" in text(pages.player(1))
    assert "1,000 on Machine 1, times 0.8 (it burnt out)" in text(pages.machine("M2"))
    assert table(pages.machine("M2"), "machine-ranking")[0][2] == "800"
    assert "Withdrawn: its scores times 0.8 are ranked on Machine 2. Reason: it burnt out" in text(pages.machine("M1"))
    assert table(pages.machine("M1"), "machine-history") == [
        ["Player 2 No. 2", "2,000", "game given back"],
        ["Player 1 No. 1", "1,000", "ranked there"],
    ]


def test_nobody_who_has_left_or_is_disqualified_is_told_that_a_game_is_given_back(public, world):
    factories.play(world.stage, world.entries[2], world.machines[0], 500)
    withdraw(world, "cancelled")
    entries.disqualify(world.entries[0], actor=None, reason="coached")
    entries.withdraw(world.entries[2], actor=None, reason="went home")
    pages = public(world)

    assert table(pages.machine("M1"), "machine-history") == [
        ["Player 2 No. 2", "2,000", "game given back"],
        ["Player 1 No. 1", "1,000", "disqualified, not ranked"],
        ["Player 3 No. 3", "500", "not ranked"],
    ]
    assert "Machine 1 disqualified, not ranked 1,000" in text(pages.player(1))
    assert "Machine 1 machine cancelled, not ranked 500" in text(pages.player(3))


def test_what_became_of_the_scores_is_told_from_the_reading_alone(world):
    rescale(world)
    found = live.find(world.show.slug, world.tournament.slug)
    reading = live.reading(found)
    StageMachine.objects.filter(stage=world.stage, machine=world.machines[0]).update(
        state="open", substitute=None, factor=None
    )

    page = made.machine_page(reading, world.machines[0].pk)

    assert "ranked on Machine 2" in page
    assert "ranked there" in page


def test_who_had_played_the_substitute_reads_that_the_game_is_given_back(public, world):
    rescale(world)

    told = text(public(world).player(2))
    assert "Machine 1 machine withdrawn, game given back 2,000 – – Ruling: machine withdrawn. it burnt out" in told


def test_a_score_of_somebody_disqualified_is_not_said_to_be_ranked_on_the_substitute(public, world):
    rescale(world)
    entries.disqualify(world.entries[0], actor=None, reason="hit the glass")

    assert table(public(world).machine("M1"), "machine-history")[1] == [
        "Player 1 No. 1",
        "1,000",
        "disqualified, not ranked",
    ]


def test_a_machine_whose_scores_stand_keeps_its_ranking(public, world):
    withdraw(world, "let-stand")
    page = public(world).machine("M1")

    assert "Closed for new games; its scores stand." in text(page)
    assert "Reason: it burnt out" in text(page)
    assert "Ruling: machine closed. it burnt out" in text(public(world).player(1))
    assert len(table(page, "machine-ranking")) == 2
    assert table(page, "machine-history") == []


def test_a_match_whose_machine_breaks_says_so_to_the_hall_and_to_its_players(public):
    world = finals.cut()
    made = finals.opened(world, "semi-finals", machines=2)
    match = made.matches.order_by("order")[0]
    matches.call(match, actor=None)
    incidents.report(match.machine, actor=None)
    pages = public(world)

    assert "called to the machine out of order" in text(pages.get("semi-finals/"))
    assert "The machine is out of order: ask at the tournament desk where you play." in text(pages.player(1))
    assert "out of order" not in text(pages.player(2))


def test_what_people_typed_as_a_reason_is_not_public_where_children_play(public):
    world = factories.qualifying(players=0, stock=2, format="kids")
    child = factories.entry(world.tournament, "Ann Mary Ashworth", born_on=date(2001, 2, 3))
    factories.play(world.stage, child, world.machines[0], 1_000)
    used = StageMachine.objects.get(stage=world.stage, machine=world.machines[0])
    withdrawn.withdraw_machine(used, actor=None, way="let-stand", reason="Ann Mary Ashworth saw it burn")
    pages = public(world)

    for page in (pages.machine("M1"), pages.player(child.number)):
        assert "saw it burn" not in text(page)
        assert "Ashworth" not in page.content.decode()
