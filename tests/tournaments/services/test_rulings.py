"""Rulings: what they hold, whom they follow, and who may make them."""

import pytest

from tests import factories
from tests.tournaments.services.games import put_aside, record, seen
from tournaments import selectors
from tournaments.domain.refusals import Refusal
from tournaments.models import Entry, Ruling
from tournaments.services import entries, game_rulings, rulings, scores


def rule(score, kind, **details):
    return game_rulings.rule_on_score(score, actor=None, kind=kind, reason="seen", seen=seen(score), **details)


def notes(world):
    return [(note.entry, note.machine, note.value) for note in selectors.stage_facts(world.stage).facts.notes]


def test_a_ruling_stays_with_its_score_whoever_that_turns_out_to_belong_to(world):
    one, two = world.entries
    score = record(world, value=5_000)
    rule(score, "slam-tilt")
    assert notes(world) == [(one.pk, world.machines[0].pk, 5_000)]

    scores.correct(score, actor=None, seen=seen(score), reason="another player", entry=two)

    assert notes(world) == [(two.pk, world.machines[0].pk, 5_000)]


def test_a_note_on_a_score_that_is_void_since_is_told_no_more_but_what_made_it_void_is(world):
    tilted, stopped = record(world, value=5_000), record(world, machine=1, value=5_000)
    rule(tilted, "slam-tilt")
    rule(stopped, "stopped")

    scores.void(tilted, actor=None, seen=seen(tilted), reason="not theirs")

    assert notes(world) == [(world.entries[0].pk, world.machines[1].pk, None)]


@pytest.mark.parametrize("kind", ["zero", "extra-ball-80", "extra-ball-zero"])
def test_a_ruling_holds_a_score_even_where_nothing_was_reached(world, kind):
    score = record(world, value=0)
    rule(score, kind)

    with pytest.raises(Refusal, match="take that ruling back first"):
        scores.correct(score, actor=None, seen=seen(score), reason="misread", value=5_000, sure=5_000)


def test_a_no_show_who_comes_after_all_is_as_before_and_the_others_still_come_back_in_one_step():
    world = factories.qualifying(players=3)
    here, late, other = world.entries
    entries.check_in(late, actor=None)
    ruling = game_rulings.withdraw_no_shows([late, other], actor=None, reason="not here")

    entries.reinstate(late, actor=None, reason="they are here")
    rulings.undo_ruling(ruling, actor=None, reason="all of them are here")

    standing = dict(Entry.objects.values_list("number", "status"))
    assert standing == {here.number: "entered", late.number: "checked-in", other.number: "entered"}


def player_with_an_account(entry):
    desk = factories.user("desk")
    entry.player.account = desk
    entry.player.save(update_fields=["account"])
    return desk


def test_nobody_decides_about_a_game_of_their_own(world):
    own = player_with_an_account(world.entries[0])
    record(world, value=5_000)
    waiting = put_aside(world, 6_000).score

    with pytest.raises(Refusal, match="is you"):
        scores.settle(waiting, actor=own, keep_waiting=True, reason="I know")
    with pytest.raises(Refusal, match="is you"):
        entries.disqualify(world.entries[0], actor=own, reason="I know")
    assert not Ruling.objects.exists()


def test_a_waiting_result_that_is_dropped_is_not_told_as_the_score(world):
    first = record(world, value=5_000)
    waiting = put_aside(world, 6_000).score
    scores.void(first, actor=None, seen=seen(first), reason="not theirs")

    scores.settle(waiting, actor=None, keep_waiting=False, reason="neither")

    assert selectors.history(waiting)[-1].summary.endswith("6,000 is dropped.")
