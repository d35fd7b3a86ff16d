"""A stage opens, closes by itself and by hand, and reopens; the cut is declared, taken back and declared again."""

from datetime import UTC, datetime, timedelta
from random import Random

import pytest
import time_machine

from tests import factories
from tests.tournaments.services.games import put_aside, record, seen, start
from tournaments import selectors
from tournaments.domain.facts import Phase
from tournaments.domain.refusals import NeedsDecision, Refusal, Stale
from tournaments.formats import StageSpec
from tournaments.models import Journal, Ruling, Seat, Stage
from tournaments.services import entries, rulings, scores, shows, stages

CLOSES = datetime(2010, 7, 24, 15, 0, tzinfo=UTC)


def four(qualifiers, rows, **rules):
    """A closed qualifying with one row of scores for each player, of whom so many go on."""
    rules = {"qualifiers": qualifiers, **rules}
    world = factories.qualifying(players=len(rows), stock=len(rows[0]), rules=rules)
    return factories.closed(world, rows)


def seeds(world):
    return list(Seat.objects.order_by("seed").values_list("entry__number", flat=True))


def cut(world):
    return selectors.stage_facts(world.stage).cut


def declare(world, **details):
    return stages.declare_cut(world.stage, actor=None, **details)


# Opening and closing


def test_a_stage_without_machines_does_not_open():
    world = factories.qualifying(stock=0, opened=False)

    with pytest.raises(Refusal, match=r"Qualifying has no machines yet; add them first\."):
        stages.open_stage(world.stage, actor=None)


def test_a_stage_whose_closing_time_has_passed_does_not_open():
    with time_machine.travel(CLOSES, tick=False):
        world = factories.qualifying(opened=False, closes_at=CLOSES)

        with pytest.raises(Refusal, match=r"was to close at 16:00 on 24 July 2010; set a later time first\."):
            stages.open_stage(world.stage, actor=None)


def test_opening_and_closing_twice_is_harmless(world):
    stages.open_stage(world.stage, actor=None)
    stages.close_stage(world.stage, actor=None)
    stages.close_stage(world.stage, actor=None)

    actions = Journal.objects.filter(action__contains="stage").order_by("revision")
    assert list(actions.values_list("action", flat=True)) == ["open stage", "close stage"]


def test_a_stage_that_is_not_open_cannot_be_closed_or_reopened():
    world = factories.qualifying(opened=False)

    for act in (stages.close_stage, lambda stage, actor: stages.reopen_stage(stage, actor=actor, reason="x")):
        with pytest.raises(Refusal, match="is not open"):
            act(world.stage, actor=None)


def test_a_stage_of_a_later_version_is_not_opened(monkeypatch):
    tournament = factories.tournament()
    monkeypatch.setattr(Stage, "spec", StageSpec("final", "Final", playable=False))

    with pytest.raises(Refusal, match="cannot be played with this version yet"):
        stages.open_stage(factories.stage(tournament, "final"), actor=None)


def test_an_open_stage_is_closing_by_itself_from_its_time_on():
    with time_machine.travel(CLOSES - timedelta(hours=5), tick=False):
        world = factories.qualifying(closes_at=CLOSES)
    stage = Stage.objects.get(pk=world.stage.pk)

    assert stage.phase(CLOSES - timedelta(microseconds=1)) == Phase.OPEN
    assert stage.phase(CLOSES) == Phase.CLOSING
    assert selectors.stage_facts(stage, now=CLOSES).version.endswith(".closing")
    stages.close_stage(stage, actor=None)
    assert Stage.objects.get(pk=stage.pk).phase(CLOSES) == Phase.CLOSED


def test_with_games_under_way_or_in_question_the_stage_does_not_close_and_they_are_listed(world):
    start(world, entry=1, machine=1)
    record(world)
    put_aside(world, 2_000)

    with pytest.raises(NeedsDecision) as told:
        stages.close_stage(world.stage, actor=None)

    assert told.value.settle == "outstanding"
    assert told.value.sentence == (
        "2 games are outstanding: 1 Player 1 on Machine 1 waits for a decision;"
        " 2 Player 2 on Machine 2 is still playing."
    )
    assert set(told.value.about) == {entry.pk for entry in world.entries}


def test_the_cut_asked_for_with_three_games_still_running_is_refused_and_lists_them():
    with time_machine.travel(CLOSES - timedelta(hours=5), tick=False) as clock:
        world = factories.qualifying(players=4, closes_at=CLOSES)
        record(world, entry=3)
        for number in range(3):
            start(world, entry=number, machine=number)
        clock.move_to(CLOSES + timedelta(minutes=5))

        with pytest.raises(NeedsDecision) as told:
            declare(world)

    named = [f"{number} Player {number} on Machine {number} is still playing" for number in (1, 2, 3)]
    assert told.value.sentence == f"3 games are outstanding: {'; '.join(named)}."


def test_reopening_needs_a_reason_and_lets_scores_be_corrected(world):
    score = record(world)
    stages.close_stage(world.stage, actor=None)

    with pytest.raises(Refusal, match="Say why"):
        stages.reopen_stage(world.stage, actor=None, reason="")
    stages.reopen_stage(world.stage, actor=None, reason="a slip turned up")

    assert scores.correct(score, actor=None, seen=seen(score), reason="misread", value=2)
    assert Stage.objects.get(pk=world.stage.pk).closed_at is None


def test_closing_from_an_old_page_is_refused(world):
    shown = world.tournament.revision
    record(world)

    with pytest.raises(Stale, match="Somebody changed this tournament"):
        stages.close_stage(world.stage, actor=None, expected=shown)


# The cut


def test_the_cut_freezes_the_best_as_seats_of_the_next_stage_in_seed_order():
    world = four(2, [[100], [300], [200]])

    declare(world)

    assert seeds(world) == [2, 3]
    assert {seat.stage.key for seat in Seat.objects.all()} == {"second-round"}
    assert selectors.stage_facts(world.stage).table.row(world.entries[0].pk).place == 3


def test_an_open_stage_has_no_cut(world):
    record(world)

    with pytest.raises(Refusal, match="Qualifying is still open; close it first"):
        declare(world)


def test_declaring_twice_gives_the_same_seats_and_one_line():
    world = four(2, [[100], [300], [200]])

    first, again = declare(world), declare(world)

    assert [seat.pk for seat in first] == [seat.pk for seat in again]
    assert Journal.objects.filter(action="declare cut").count() == 1


def test_where_fewer_are_ranked_than_go_on_all_of_them_do_and_nobody_without_a_game():
    world = factories.closed(factories.qualifying(players=4, rules={"qualifiers": 24}), [[100], [300], [], [200]])

    declare(world)

    assert seeds(world) == [2, 4, 1]


@pytest.mark.real_fields
@pytest.mark.parametrize(
    ("format", "players", "told"),
    [
        ("open", 6, "8 to 48. An organiser can leave out the second round."),
        ("open", 9, "8 to 48. Change the rules to let 8 go on."),
        ("kids", 3, "4 to 8 players. An organiser can leave out the semi-finals and the play-off for 5th to 8th."),
    ],
)
def test_where_too_few_have_come_for_what_is_next_the_cut_says_so(format, players, told):
    world = factories.closed(factories.qualifying(format=format, players=players), [[n] for n in range(players)])

    with pytest.raises(Refusal) as refused:
        declare(world)

    assert refused.value.sentence.startswith(f"Only {players} would go on. ")
    assert refused.value.sentence.endswith(told)
    assert not Seat.objects.exists()


@pytest.mark.real_fields
def test_where_an_odd_number_has_come_another_rule_lets_an_even_one_go_on():
    world = factories.closed(factories.qualifying(players=9), [[n] for n in range(9)])

    shows.change_rules(world.tournament, actor=None, rules={"qualifiers": 8}, reason="Nine have come.")

    assert len(declare(world)) == 8


@pytest.mark.real_fields
def test_a_field_smaller_than_the_rules_let_go_on_plays_when_it_can():
    world = factories.closed(factories.qualifying(format="kids", players=5), [[n] for n in range(5)])

    assert len(declare(world)) == 5


def test_where_nobody_has_played_there_is_no_cut(world):
    stages.close_stage(world.stage, actor=None)

    with pytest.raises(Refusal, match=r"Nobody is ranked in qualifying\."):
        declare(world)


def test_from_the_last_stage_nobody_goes_on():
    tournament = factories.tournament()

    with pytest.raises(Refusal, match=r"Final has no cut\."):
        stages.declare_cut(factories.stage(tournament, "final"), actor=None)


def test_who_has_left_is_passed_over_and_the_next_moves_up():
    world = factories.qualifying(players=4, rules={"qualifiers": 2})
    factories.standings(world, [[400], [300], [200], [100]])
    entries.withdraw(world.entries[0], actor=None, reason="ill")
    stages.close_stage(world.stage, actor=None)

    declare(world)

    assert seeds(world) == [2, 3]


def test_once_seated_nobody_leaves_before_the_cut_is_taken_back():
    world = four(2, [[100], [300], [200]])
    declare(world)

    with pytest.raises(Refusal, match="Player 2 has seed 1 of the second round; take the cut back first"):
        entries.withdraw(world.entries[1], actor=None, reason="ill")
    stages.withdraw_cut(world.stage, actor=None, reason="one is ill")
    entries.withdraw(world.entries[1], actor=None, reason="ill")
    declare(world)

    assert seeds(world) == [3, 1]


def test_a_declared_cut_holds_the_stage_and_its_rules():
    world = four(2, [[100], [300], [200]])
    declare(world)

    with pytest.raises(Refusal, match="The cut of qualifying is declared; take it back first"):
        stages.reopen_stage(world.stage, actor=None, reason="x")
    with pytest.raises(Refusal, match="is declared; take it back"):
        shows.change_rules(world.tournament, actor=None, rules={"qualifiers": 3}, reason="x")


def test_taking_the_cut_back_needs_a_reason_and_is_harmless_twice():
    world = four(2, [[100], [300], [200]])
    declare(world)

    with pytest.raises(Refusal, match="Say why"):
        stages.withdraw_cut(world.stage, actor=None, reason="")
    for _ in range(2):
        stages.withdraw_cut(world.stage, actor=None, reason="wrong slip")

    assert seeds(world) == []
    assert Journal.objects.filter(action="withdraw cut").count() == 1


# Ties

TIE = [[300], [200], [200], [100]]


def test_a_tie_across_the_cut_is_never_settled_by_the_software():
    world = four(2, TIE)

    with pytest.raises(NeedsDecision) as told:
        declare(world)

    assert told.value.settle == "tie"
    assert set(told.value.about) == {world.entries[1].pk, world.entries[2].pk}
    assert "2 Player 2 and 3 Player 3 are level at the cut" in told.value.sentence
    assert seeds(world) == []


def play_off(world, second, third):
    values = {world.entries[1].pk: second, world.entries[2].pk: third}
    return rulings.record_play_off(world.stage, actor=None, scores=values)


def test_a_play_off_settles_the_tie():
    world = four(2, TIE)

    play_off(world, 10, 20)
    declare(world)

    assert seeds(world) == [1, 3]


def test_equal_scores_in_the_play_off_are_kept_and_played_again():
    world = four(2, TIE)

    play_off(world, 20, 20)

    assert Ruling.objects.count() == 1
    assert cut(world).level == (world.entries[1].pk, world.entries[2].pk)
    with pytest.raises(NeedsDecision, match="2 Player 2 and 3 Player 3 are level at the cut"):
        declare(world)
    play_off(world, 20, 10)
    declare(world)
    assert seeds(world) == [1, 2]


def play_off_between(world, scores):
    values = {world.entries[number - 1].pk: value for number, value in scores.items()}
    return rulings.record_play_off(world.stage, actor=None, scores=values)


def test_only_those_level_for_the_last_place_play_again_and_the_beaten_stay_beaten():
    world = four(2, [[200], [100], [100], [100]])

    play_off_between(world, {2: 1_000, 3: 2_000, 4: 2_000})
    with pytest.raises(Refusal, match="Name each of 3 Player 3, 4 Player 4 once"):
        play_off_between(world, {2: 1_000, 3: 900})
    play_off_between(world, {3: 900, 4: 800})
    declare(world)

    assert seeds(world) == [1, 3]


def test_a_tie_among_those_who_lost_the_play_off_needs_no_other_game():
    world = four(2, [[200], [100], [100], [100]])

    play_off_between(world, {2: 900, 3: 900, 4: 1_000})
    declare(world)

    assert seeds(world) == [1, 4]


def test_when_a_place_more_is_free_those_level_in_the_play_off_are_not_ordered_by_it():
    world = four(2, [[200], [100], [100], [100]])
    play_off_between(world, {2: 900, 3: 900, 4: 1_000})

    entries.withdraw(world.entries[3], actor=None, reason="went home")

    assert cut(world).level == (world.entries[1].pk, world.entries[2].pk)


def test_winners_level_in_the_play_off_are_seeded_by_count_back_and_lots():
    world = four(3, [[200], [100], [100], [100]])

    play_off_between(world, {2: 1_000, 3: 1_000, 4: 900})
    declare(world)

    assert set(seeds(world)[1:]) == {2, 3}
    assert seeds(world)[0] == 1
    assert Ruling.objects.filter(kind=Ruling.Kind.LOTS).count() == 1


def test_a_ruling_settles_the_tie_and_needs_a_reason():
    world = four(2, TIE)
    order = [world.entries[2].pk, world.entries[1].pk]

    with pytest.raises(Refusal, match="Say why"):
        rulings.rule_order(world.stage, actor=None, order=order, reason="")
    rulings.rule_order(world.stage, actor=None, order=order, reason="player 2 has a train to catch")
    declare(world)

    assert seeds(world) == [1, 3]


@pytest.mark.parametrize("named", [[1], [1, 1], [1, 3], [1, 2, 3]])
def test_a_decision_names_exactly_those_who_are_level(named):
    world = four(2, TIE)

    with pytest.raises(Refusal, match=r"Name each of 2 Player 2, 3 Player 3 once\."):
        rulings.rule_order(world.stage, actor=None, order=[world.entries[n].pk for n in named], reason="x")


def test_where_nobody_is_level_at_the_cut_there_is_nothing_to_decide():
    world = four(2, [[300], [200], [100]])

    with pytest.raises(Refusal, match="Nobody is level at the cut of qualifying"):
        rulings.rule_order(world.stage, actor=None, order=[], reason="x")


def test_before_the_stage_is_closed_ties_are_not_settled():
    world = factories.qualifying(players=4, rules={"qualifiers": 2})
    factories.standings(world, TIE)

    with pytest.raises(Refusal, match="ties at the cut are settled once it is closed"):
        play_off(world, 1, 2)


def test_a_decision_taken_back_opens_the_tie_again():
    world = four(2, TIE)
    ruling = play_off(world, 10, 20)

    rulings.undo_ruling(ruling, actor=None, reason="the wrong machine")
    with pytest.raises(Stale, match="was taken back at"):
        rulings.undo_ruling(ruling, actor=None, reason="the wrong machine")

    with pytest.raises(NeedsDecision):
        declare(world)
    assert Ruling.objects.get().undone_at is not None
    assert Journal.objects.filter(action="undo ruling").count() == 1


def test_of_two_decisions_the_later_one_counts_and_the_earlier_when_it_is_taken_back():
    world = four(2, TIE)
    play_off(world, 10, 20)
    later = play_off(world, 30, 20)

    declare(world)
    assert seeds(world) == [1, 2]
    stages.withdraw_cut(world.stage, actor=None, reason="x")
    rulings.undo_ruling(later, actor=None, reason="x")
    declare(world)
    assert seeds(world) == [1, 3]


def test_a_decision_behind_a_declared_cut_stands_until_the_cut_is_taken_back():
    world = four(2, TIE)
    ruling = play_off(world, 10, 20)
    declare(world)

    with pytest.raises(Refusal, match="The cut is declared; take it back first"):
        rulings.undo_ruling(ruling, actor=None, reason="x")
    with pytest.raises(Refusal, match="The cut is declared; take it back first"):
        play_off(world, 20, 10)


def test_a_note_that_is_too_long_is_refused_and_the_play_off_is_not_kept():
    world = four(2, TIE)
    values = {world.entries[1].pk: 1, world.entries[2].pk: 2}

    with pytest.raises(Refusal, match="at most 500 characters"):
        rulings.record_play_off(world.stage, actor=None, scores=values, note="x" * 501)

    assert not Ruling.objects.exists()


# Lots

LEVEL_INSIDE = [[300, 200], [200, 300], [100, 100]]


def test_players_level_inside_the_cut_are_ordered_by_lots_drawn_once_and_recorded(desk):
    world = four(2, LEVEL_INSIDE)

    stages.declare_cut(world.stage, actor=desk)

    lots = Ruling.objects.get(kind=Ruling.Kind.LOTS)
    assert [seat.entry_id for seat in Seat.objects.order_by("seed")] == lots.data["order"]
    assert set(lots.data["order"]) == {world.entries[0].pk, world.entries[1].pk}
    assert lots.decided_by == desk


def test_a_seeded_chance_draws_the_same_lots_every_time():
    drawn = []
    for slug in ("one", "other"):
        world = factories.qualifying(of=factories.show(slug), players=6, stock=1, rules={"qualifiers": 6})
        factories.closed(world, [[100]] * 6)
        seats = declare(world, chance=Random(7))
        drawn.append([seat.entry.number for seat in seats])

    assert drawn[0] == drawn[1]
    assert sorted(drawn[0]) == [1, 2, 3, 4, 5, 6]


def test_lots_keep_their_order_when_the_cut_is_taken_back_and_declared_again():
    world = four(2, LEVEL_INSIDE)
    declare(world)
    first = seeds(world)

    for _ in range(8):
        stages.withdraw_cut(world.stage, actor=None, reason="x")
        declare(world)
        assert seeds(world) == first

    assert Ruling.objects.count() == 1


def test_lots_once_drawn_are_not_taken_back():
    world = four(2, LEVEL_INSIDE)
    declare(world)
    stages.withdraw_cut(world.stage, actor=None, reason="x")

    with pytest.raises(Refusal, match="Lots are drawn once"):
        rulings.undo_ruling(Ruling.objects.get(), actor=None, reason="x")


def test_lots_drawn_for_two_ties_are_two_decisions_because_nobody_drew_between_them():
    world = four(4, [[200], [200], [100], [100]])

    declare(world)

    drawn = [set(order) for order in Ruling.objects.order_by("pk").values_list("data__order", flat=True)]
    first, second, third, fourth = (entry.pk for entry in world.entries)
    assert drawn == [{first, second}, {third, fourth}]


def test_a_tie_that_has_grown_since_is_drawn_anew():
    world = four(3, [[200], [200], [100]])
    declare(world)
    stages.withdraw_cut(world.stage, actor=None, reason="a slip was misread")
    stages.reopen_stage(world.stage, actor=None, reason="a slip was misread")
    score = world.stage.scores.get(entry=world.entries[2])
    scores.correct(score, actor=None, seen=seen(score), reason="misread", value=200)
    stages.close_stage(world.stage, actor=None)

    declare(world)

    first, second = Ruling.objects.order_by("pk")
    assert len(first.data["order"]) == 2
    assert [seat.entry_id for seat in Seat.objects.order_by("seed")] == second.data["order"]
