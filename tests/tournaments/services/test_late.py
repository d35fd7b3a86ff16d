"""A change to a stage that is closed: nothing moves by itself, and what an organiser decides is taken back whole."""

import pytest

from tests import factories
from tests.shelf import kept
from tests.tournaments.services.course import entry, play_off, score, seated, seats, sides, stage
from tests.tournaments.services.games import seen
from tournaments.domain.refusals import NeedsDecision, Refusal, Stale
from tournaments.models import Ruling, Score
from tournaments.services import exchange, game_rulings, late, matches, results, rulings, stages

pytestmark = pytest.mark.django_db


@pytest.fixture
@kept
def drawn():
    """Twelve players of whom eight go on, by number, to a second round that is drawn and has not begun."""
    world = factories.qualifying(players=12, stock=8, rules={"qualifiers": 8})
    factories.closed(world, [[1_000 * (20 - number)] for number in range(12)])
    stages.declare_cut(world.stage, actor=None)
    factories.dealt(world, "second-round", machines=world.machines, opened=False)
    return world


@pytest.fixture
@kept
def final_begun():
    """Both semi-finals are closed, and the final and the play-off for 5th to 8th have begun."""
    world = factories.seated()
    factories.dealt(world, "semi-finals")
    one, other = factories.matches(world, "semi-finals")
    factories.scored(one, 400, 300, 200, 100)
    factories.scored(other, 400, 300, 300, 100)
    play_off(world, "semi-finals", {4: 20, 6: 10})
    stages.close_stage(stage(world, "semi-finals"), actor=None)
    for key in ("final", "play-off"):
        factories.dealt(world, key)
    return world


def qualifying_score(world, number):
    found = Score.objects.select_related("stage__tournament__show", "entry__player", "machine")
    return found.get(stage=world.stage, entry=entry(world, number))


def rule(world, taken, value, decision, kind="corrected"):
    """A late correction; `decision` is what the organiser decides about who goes on."""
    return game_rulings.rule_on_score(
        taken, actor=None, kind=kind, reason="misread", seen=seen(taken), value=value, late=decision
    )


def exported(world):
    return exchange.dump(world.tournament)


def undo(ruling, decision):
    rulings.undo_ruling(ruling, actor=None, reason="it was right", late=decision)


def test_case_8_a_correction_after_the_draw_is_published_shows_who_would_move_and_moves_nobody(drawn):
    before = exported(drawn)

    with pytest.raises(NeedsDecision) as asked:
        rule(drawn, qualifying_score(drawn, 10), 13_500, "")

    assert asked.value.settle == "late"
    assert "10 Player 10 would be in the second round instead of 8 Player 8" in asked.value.sentence
    assert exported(drawn) == before
    ruling = rule(drawn, qualifying_score(drawn, 10), 13_500, "nothing")
    assert seats(drawn, "second-round") == [1, 2, 3, 4, 5, 6, 7, 8]
    assert (ruling.data["reached"], ruling.data["counts"]) == (11_000, 13_500)
    line = drawn.tournament.journal.order_by("-revision").first()
    assert "10 Player 10 would be" in line.summary
    assert late.DECISIONS["nothing"] in line.summary
    assert line.reason == "misread"


@pytest.mark.parametrize(
    ("decision", "after"),
    [("nothing", [1, 2, 3, 4, 5, 6, 7, 8]), ("replace", [1, 2, 3, 4, 5, 6, 7, 10]), ("reopen", [])],
)
def test_a_correction_behind_a_published_draw_does_what_was_decided_and_is_taken_back_whole(drawn, decision, after):
    before = exported(drawn)

    ruling = rule(drawn, qualifying_score(drawn, 10), 13_500, decision)

    assert seats(drawn, "second-round") == after
    playing = {number for match in factories.matches(drawn, "second-round") for number in sides(match)}
    assert playing == set(after)
    undo(ruling, "nothing")
    assert exported(drawn) == before


@pytest.mark.parametrize("decision", ["nothing", "replace", "reopen"])
def test_a_late_void_sends_the_next_on_by_decision_and_is_taken_back_whole(drawn, decision):
    before = exported(drawn)

    ruling = rule(drawn, qualifying_score(drawn, 3), None, decision, kind="void")

    assert (9 in seats(drawn, "second-round")) == (decision == "replace")
    undo(ruling, "nothing")
    assert exported(drawn) == before


def test_a_correction_that_moves_nobody_asks_nothing(drawn):
    rule(drawn, qualifying_score(drawn, 12), 9_500, "")

    assert seats(drawn, "second-round") == [1, 2, 3, 4, 5, 6, 7, 8]


def test_only_an_organiser_makes_late_changes_and_only_by_what_there_is_to_decide(drawn):
    taken = qualifying_score(drawn, 10)

    with pytest.raises(Refusal, match="Qualifying is closed; an organiser decides about late changes"):
        rule(drawn, taken, 13_500, None)
    with pytest.raises(Refusal, match="nothing, replace or reopen"):
        rule(drawn, taken, 13_500, "perhaps")


def test_who_has_begun_to_play_is_not_replaced(drawn):
    stages.open_stage(stage(drawn, "second-round"), actor=None)
    match = next(match for match in factories.matches(drawn, "second-round") if 8 in sides(match))
    matches.call(match, actor=None)
    before = exported(drawn)

    with pytest.raises(Refusal, match="8 Player 8 has begun to play in the second round"):
        rule(drawn, qualifying_score(drawn, 10), 13_500, "replace")

    assert exported(drawn) == before


@pytest.mark.parametrize(
    ("decision", "final", "fifth"),
    [
        ("nothing", [1, 2, 3, 4], [5, 6, 7, 8]),
        ("replace", [1, 2, 5, 4], [3, 6, 7, 8]),
        ("reopen", [1, 2, 4, 5], [3, 6, 7, 8]),
    ],
)
def test_a_correction_in_a_closed_semi_final_with_the_final_begun(final_begun, decision, final, fifth):
    world, before = final_begun, exported(final_begun)
    assert seated(world) == ([1, 2, 3, 4], [5, 6, 7, 8])
    with pytest.raises(NeedsDecision, match="5 Player 5 would be in the final instead of 3 Player 3"):
        rule(world, score(world, "semi-finals", 5), 350, "")

    ruling = rule(world, score(world, "semi-finals", 5), 350, decision)

    assert seated(world) == (final, fifth)
    undo(ruling, "nothing")
    assert exported(world) == before


def test_reopening_takes_back_what_was_played_and_decided_behind_and_undoing_it_brings_all_back(final_begun):
    world = final_begun
    factories.scored(factories.matches(world, "final")[0], 90, 80, 80, 10)
    second, third = sides(factories.matches(world, "final")[0])[1:3]
    play_off(world, "final", {second: 2, third: 1})
    taken = Score.objects.filter(stage=stage(world, "final")).order_by("value").first()
    game_rulings.rule_on_score(taken, actor=None, kind="slam-tilt", reason="rough", seen=seen(taken))
    before = exported(world)

    ruling = rule(world, score(world, "semi-finals", 5), 350, "reopen")

    assert stage(world, "final").state == "planned"
    assert not Score.objects.filter(stage=stage(world, "final")).exclude(state="void").exists()
    assert not Ruling.objects.filter(stage=stage(world, "final"), undone_at=None).exists()
    undo(ruling, "nothing")
    assert exported(world) == before
    assert Ruling.objects.filter(stage=stage(world, "final"), undone_at=None).count() == 2


def test_a_play_off_that_a_correction_makes_open_again_is_named(final_begun):
    with pytest.raises(NeedsDecision, match="it is open whether"):
        rule(final_begun, score(final_begun, "semi-finals", 5), 300, "")


def test_of_two_organisers_at_once_the_second_is_told(drawn):
    taken = qualifying_score(drawn, 10)
    looked = seen(taken)
    rule(drawn, taken, 13_500, "nothing")
    before = exported(drawn)

    with pytest.raises(Stale, match="Somebody changed this score while you were looking"):
        game_rulings.rule_on_score(taken, actor=None, kind="void", reason="wrong", seen=looked, late="nothing")

    assert exported(drawn) == before


def test_an_undo_of_an_older_page_is_refused_when_it_would_now_change_something_else(drawn):
    ruling = rule(drawn, qualifying_score(drawn, 10), 13_500, "nothing")
    undo_shown = {"actor": None, "reason": "it was right", "late": "nothing", "shown": "another"}

    with pytest.raises(Stale):
        rulings.undo_ruling(ruling, **undo_shown)

    ruling.refresh_from_db()
    assert ruling.undone_at is None


def test_results_that_are_declared_hold_everything_still(final_begun):
    world = final_begun
    for key, values in (("final", (4, 3, 2, 1)), ("play-off", (4, 3, 2, 1))):
        factories.scored(factories.matches(world, key)[0], *values)
        stages.close_stage(stage(world, key), actor=None)
    results.declare(world.tournament, actor=None)

    with pytest.raises(Refusal, match="The results are declared"):
        rule(world, score(world, "semi-finals", 5), 350, "nothing")
