"""A machine leaves a stage in one of three ways, gives games back, and returns exactly as it was."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
import time_machine

from tests import factories
from tests.tournaments.services.games import record, start
from tournaments import selectors
from tournaments.domain.facts import Phase
from tournaments.domain.refusals import Refusal
from tournaments.models import Ruling, Score, StageMachine
from tournaments.services import effects, entries, incidents, rulings, scores, withdrawn
from tournaments.services.given_back import given_back

CANCELLED, LET_STAND, RESCALED = "cancelled", "let-stand", "rescaled"
NOON = datetime(2010, 7, 24, 12, tzinfo=UTC)


def used(world, number=0):
    return StageMachine.objects.select_related("stage__tournament", "machine").get(
        stage=world.stage, machine=world.machines[number]
    )


def withdraw(world, way, number=0, substitute=None, factor=None):
    return withdrawn.withdraw_machine(
        used(world, number),
        actor=None,
        way=way,
        reason="it burnt out",
        substitute=substitute,
        factor=Decimal(factor) if factor else None,
    )


def undo(ruling):
    rulings.undo_ruling(ruling, actor=None, reason="it works again")


def table(world):
    return [(row.entry, row.place, row.points, row.games) for row in selectors.stage_facts(world.stage).table.rows]


def ranked(world, number):
    results = selectors.stage_facts(world.stage).table.machines.get(world.machines[number].pk, ())
    return [(result.entry - world.entries[0].pk + 1, result.value) for result in results]


def left(world):
    return {line.entrant.number: line.left for line in given_back(world.stage)}


def kept_scores():
    return list(Score.objects.exclude(state=Score.State.VOID).order_by("pk").values())


def take_out(world, machine):
    for score in Score.objects.filter(machine=world.machines[machine]):
        scores.void(score, actor=None, seen=score.revision, reason="played on the wrong machine")


def test_case_17_a_cancelled_machine_is_kept_in_history_not_ranked_and_its_games_are_given_back(world):
    """[17]"""
    factories.standings(world, [[500, 400], [600, 300]])
    before, kept = table(world), kept_scores()

    ruling = withdraw(world, CANCELLED, substitute=world.machines[5])

    assert kept_scores() == kept
    assert ranked(world, 0) == []
    assert left(world) == {1: 1, 2: 1}
    with pytest.raises(Refusal, match="no new games on it"):
        start(world)
    with pytest.raises(Refusal, match="no new games on it"):
        record(world, 0, 0, 700)
    record(world, 0, 5, 900)
    assert left(world) == {1: 0, 2: 1}
    record(world, 1, 5, 800)
    take_out(world, 5)
    undo(ruling)
    assert table(world) == before
    assert kept_scores() == kept


def test_case_17_scores_that_stand_are_ranked_on_and_no_game_is_given_back_or_begun(world):
    """[17]"""
    factories.standings(world, [[500, 400], [600, 300]])
    before, kept = table(world), kept_scores()

    ruling = withdraw(world, LET_STAND)

    assert (table(world), kept_scores()) == (before, kept)
    assert left(world) == {}
    with pytest.raises(Refusal, match="no new games on it"):
        start(world, machine=0)
    undo(ruling)
    assert table(world) == before
    assert used(world).state == StageMachine.State.OPEN


def test_all_of_a_limit_of_games_can_be_played_again_after_a_cancelling():
    world = factories.qualifying(stock=8)
    factories.standings(world, [[10] * 6])

    withdraw(world, CANCELLED)

    assert left(world) == {1: 1}
    record(world, 0, 6, 20)
    assert left(world) == {1: 0}
    with pytest.raises(Refusal, match="has already played all 6 games"):
        record(world, 0, 7, 20)


def test_rescaled_scores_are_ranked_on_the_substitute_rounded_down_with_the_original_beside(world):
    factories.standings(world, [[1_001], [2_000]])
    record(world, 1, 1, 900)
    kept = kept_scores()

    withdraw(world, RESCALED, substitute=world.machines[2], factor="0.8")

    assert ranked(world, 0) == []
    assert ranked(world, 2) == [(2, 1_600), (1, 800)]
    assert kept_scores() == kept
    notes = [note.words for note in selectors.stage_facts(world.stage).facts.notes]
    assert notes == ["2,000 on Machine 1, times 0.8 (it burnt out)", "1,001 on Machine 1, times 0.8 (it burnt out)"]
    assert left(world) == {}


def test_who_has_played_the_substitute_keeps_that_score_and_gets_the_game_back(world):
    factories.standings(world, [[1_000, None], [2_000, 700]])
    before = table(world)

    ruling = withdraw(world, RESCALED, substitute=world.machines[1], factor="0.5")

    assert ranked(world, 1) == [(2, 700), (1, 500)]
    assert left(world) == {2: 1}
    rows = {row.entry: row.games for row in selectors.stage_facts(world.stage).table.rows}
    assert rows == {world.entries[0].pk: 1, world.entries[1].pk: 1}
    record(world, 1, 2, 50)
    assert left(world) == {2: 0}
    take_out(world, 2)
    undo(ruling)
    assert table(world) == before


def test_who_got_a_game_back_beside_the_substitute_may_play_all_games():
    world = factories.qualifying(stock=7)
    factories.standings(world, [[10] * 6])

    withdraw(world, RESCALED, substitute=world.machines[1], factor="2")

    assert left(world) == {1: 1}
    record(world, 0, 6, 20)
    assert left(world) == {1: 0}


@pytest.mark.parametrize(("way", "substitute"), [(CANCELLED, None), (RESCALED, 1)])
def test_a_withdrawal_is_not_taken_back_while_that_makes_a_game_too_many(way, substitute):
    world = factories.qualifying(stock=8)
    factories.standings(world, [[10] * 6, [10] * 6])
    ruling = withdraw(world, way, substitute=substitute and world.machines[substitute], factor=substitute and "2")
    record(world, 1, 6, 20)
    before = table(world)

    with pytest.raises(Refusal, match=r"played again, and would be one too many: 2 Player 2\. Make one of those"):
        undo(ruling)

    assert table(world) == before
    assert Ruling.objects.get().undone_at is None
    take_out(world, 6)
    undo(ruling)
    assert {row.games for row in selectors.stage_facts(world.stage).table.rows} == {6}


@pytest.mark.parametrize(("reason", "words"), [("x" * 501, "at most 500 characters"), ("a\x00b", "cannot be kept")])
def test_a_reason_that_cannot_be_kept_is_refused_before_anything_is_kept(world, reason, words):
    with pytest.raises(Refusal, match=words):
        withdrawn.withdraw_machine(used(world), actor=None, way=CANCELLED, reason=reason)
    with pytest.raises(Refusal, match=words):
        entries.disqualify(world.entries[0], actor=None, reason=reason)

    assert not Ruling.objects.exists()


def test_a_late_slip_of_a_game_begun_before_is_not_the_game_given_back():
    world = factories.qualifying()
    with time_machine.travel(NOON, tick=False) as clock:
        factories.standings(world, [[10]])
        start(world, 0, 1)
        clock.shift(timedelta(minutes=1))
        withdraw(world, CANCELLED)
        clock.shift(timedelta(minutes=5))
        record(world, 0, 1, 30)

        assert left(world) == {1: 1}
        start(world, 0, 2)
        assert left(world) == {1: 0}


def test_whoever_has_left_has_no_game_to_play_again(world):
    factories.standings(world, [[10], [20]])
    withdraw(world, CANCELLED)

    entries.withdraw(world.entries[0], actor=None, reason="went home")

    assert left(world) == {2: 1}


def test_two_machines_cancelled_give_two_games_back(world):
    factories.standings(world, [[10, 20]])
    withdraw(world, CANCELLED)
    withdraw(world, CANCELLED, 1)

    assert left(world) == {1: 2}
    assert given_back(world.stage)[0].words == "2 games, for Machine 1, Machine 2"


def test_the_preview_names_who_gets_a_game_back_and_then_it_is_so(world):
    factories.standings(world, [[10, None], [20, 5]])

    told = effects.preview(world.tournament, lambda: withdraw(world, CANCELLED))

    section = next(section for section in told.sections if section.what == effects.GIVEN_BACK)
    assert section.lines == (
        effects.Line("1 Player 1", "", "1 game, for Machine 1"),
        effects.Line("2 Player 2", "", "1 game, for Machine 1"),
    )
    assert left(world) == {}


@pytest.mark.parametrize(
    ("way", "factor", "words"),
    [
        (CANCELLED, None, "2 scores leave the ranking, 2 games given back"),
        (LET_STAND, None, "2 scores stay ranked, no new game starts"),
        (RESCALED, "0.8", "1 score is ranked on Machine 2, times 0.8; 1 game given back"),
    ],
)
def test_what_would_become_of_the_scores_is_said_in_numbers(world, way, factor, words):
    factories.standings(world, [[10, None], [20, 5]])

    told = withdrawn.counted(used(world), way, world.machines[1], Decimal(factor) if factor else None)

    assert told == words


@pytest.mark.parametrize(("way", "factor"), [(CANCELLED, None), (RESCALED, "0.8")])
def test_as_many_games_are_said_to_be_given_back_as_then_are(way, factor):
    world = factories.qualifying(players=3)
    factories.standings(world, [[10, 1], [20, 5], [30, 7]])
    entries.withdraw(world.entries[1], actor=None, reason="went home")
    entries.disqualify(world.entries[2], actor=None, reason="coached")

    told = withdrawn.counted(used(world), way, world.machines[1], Decimal(factor) if factor else None)
    withdraw(world, way, substitute=world.machines[1], factor=factor)

    assert told.endswith("1 game given back")
    assert left(world) == {1: 1}


def test_a_factor_is_proposed_from_both_medians_with_the_numbers_of_scores(world):
    factories.standings(world, [[1_000, 500], [3_000, None]])

    values = selectors.values_by_machine(world.stage)
    of, onto = (values[machine.pk] for machine in world.machines[:2])

    proposal = withdrawn.propose_factor(of, onto)

    assert proposal == withdrawn.Proposal(Decimal("0.25"), 2, 1, 2_000, 500)
    assert withdrawn.propose_factor(of, []).factor is None


def test_a_machine_out_of_order_stands_in_for_nothing(world):
    incidents.report(world.machines[1], actor=None)

    with pytest.raises(Refusal, match=r"Machine 2 \(M2\) is out of order"):
        withdraw(world, CANCELLED, substitute=world.machines[1])
    assert not Ruling.objects.exists()


def test_in_a_round_of_matches_nobody_loses_a_game_by_rescaling():
    world = factories.seated(format="open", players=8, qualifiers=8, stock=4)
    dealt = factories.dealt(world, "second-round", machines=world.machines)
    first = dealt[0]
    other = next(
        match
        for match in dealt
        if match.round == 2 and set(match.sides.values_list("entry")) & set(first.sides.values_list("entry"))
    )
    for match in (m for m in dealt if m.round == 1):
        factories.scored(match, 40, 30)
    factories.scored(other, 20, 10)
    stage = factories.stage(world.tournament, "second-round")
    use = StageMachine.objects.get(stage=stage, machine=first.machine)

    with pytest.raises(Refusal, match="who would lose a game; choose another substitute or let the scores stand"):
        withdrawn.withdraw_machine(
            use, actor=None, way=RESCALED, reason="broken", substitute=other.machine, factor=Decimal(1)
        )

    use.refresh_from_db()
    assert use.state == StageMachine.State.OPEN
    assert stage.phase(NOON) == Phase.OPEN


@pytest.mark.parametrize("factor", ["0", "-0.5", "0.1234567", "NaN"])
def test_a_factor_that_cannot_be_meant_is_refused_whoever_asks(world, factor):
    with pytest.raises(Refusal, match="factor"):
        withdraw(world, RESCALED, substitute=world.machines[1], factor=factor)
    assert used(world).state == StageMachine.State.OPEN
