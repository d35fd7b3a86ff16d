"""Matches are dealt and taken back, called, warmed up, played, scored and agreed; somebody leaves or stays away."""

import pytest

from tests import factories
from tests.shelf import kept
from tests.tournaments.services.course import again, entry, revision, score, seats, sides
from tests.tournaments.services.games import seen
from tournaments.domain.refusals import NeedsDecision, Refusal, Stale
from tournaments.models import Journal, Machine, Match, Score, Seat, Side, StageMachine
from tournaments.services import entries, machines, matches, scores, stages

SEMI, FINAL, ROUND = "semi-finals", "final", "second-round"


@pytest.fixture
def world():
    """Eight players before the semi-finals, two more behind them."""
    return factories.seated()


@pytest.fixture
def semi(world):
    """The semi-final of seeds 1, 3, 5, 7; open."""
    return factories.dealt(world, SEMI)[0]


def pk(world, number):
    return entry(world, number).pk


def record(world, match, number, value, **details):
    return matches.record(match, actor=None, entry=pk(world, number), value=value, sure=value, **details)


def absent(world, match, number, away=True, reason="not here"):
    matches.absent(match, actor=None, entry=pk(world, number), away=away, reason=reason)


# The deal


def test_the_semi_finals_are_odd_and_even_seeds_on_two_machines_choosing_in_order_of_rank(world):
    one, other = factories.dealt(world, SEMI, opened=False)

    assert (sides(one), one.machine.code) == ([1, 3, 5, 7], "M1")
    assert (sides(other), other.machine.code) == ([2, 4, 6, 8], "M2")


def test_looking_at_a_plan_stores_nothing_and_gives_the_same_every_time(world):
    stage, before = factories.stage(world.tournament, SEMI), revision(world)

    plans = [matches.plan(stage, world.machines[:2], seed=3) for _ in range(2)]

    assert plans[0] == plans[1]
    assert (Match.objects.count(), revision(world)) == (0, before)


def test_a_stage_without_seats_is_not_dealt(world):
    with pytest.raises(Refusal, match=r"The final has no seats yet; the stage before it decides them\."):
        factories.dealt(world, FINAL)


def test_the_second_round_is_not_drawn_while_games_of_qualifying_are_still_running():
    world = factories.qualifying(players=8, stock=4)
    for number in range(3):
        scores.start(world.stage, actor=None, entry=world.entries[number], machine=world.machines[number])

    with pytest.raises(NeedsDecision) as told:
        stages.declare_cut(world.stage, actor=None)
    with pytest.raises(Refusal, match="The second round has no seats yet"):
        matches.deal(factories.stage(world.tournament, ROUND), actor=None, machines=world.machines)

    listed = [f"{number} Player {number} on Machine {number} is still playing" for number in (1, 2, 3)]
    assert told.value.sentence == f"3 games are outstanding: {'; '.join(listed)}."
    assert not Match.objects.exists()


def test_the_wrong_number_of_machines_one_named_twice_or_one_out_of_order_is_refused(world):
    first, second, third, _ = world.machines
    Machine.objects.filter(pk=third.pk).update(in_order=False)
    third.refresh_from_db()

    for named, why in [([first], "Choose 2 machines"), ([first, first], "twice"), ([second, third], "out of order")]:
        with pytest.raises(Refusal, match=why):
            matches.deal(factories.stage(world.tournament, SEMI), actor=None, machines=named)

    assert not Match.objects.exists()
    assert not StageMachine.objects.filter(stage__key=SEMI).exists()


def test_matches_are_published_once(world):
    factories.dealt(world, SEMI, opened=False)

    with pytest.raises(Refusal, match="matches of the semi-finals are published; take them back first"):
        factories.dealt(world, SEMI)

    assert Match.objects.count() == 2


def test_matches_are_not_published_from_a_page_that_is_out_of_date(world):
    stage, shown = factories.stage(world.tournament, SEMI), revision(world)
    entries.change_details(world.entries[0], actor=None, name="Ann Example")

    with pytest.raises(Stale):
        matches.deal(stage, actor=None, machines=world.machines[:2], expected=shown)

    assert not Match.objects.exists()


def test_a_draw_for_seats_that_changed_while_it_was_found_is_not_published(world, monkeypatch):
    stage, plan = factories.stage(world.tournament, SEMI), matches.plan

    def slow_plan(*args, **details):
        planned = plan(*args, **details)
        replace(world, 8, 9)
        return planned

    monkeypatch.setattr(matches, "plan", slow_plan)

    with pytest.raises(Stale, match="Somebody changed the seats while the matches were drawn"):
        matches.deal(stage, actor=None, machines=world.machines[:2])

    assert not Match.objects.exists()


def test_matches_taken_back_can_be_dealt_anew_on_other_machines(world):
    factories.dealt(world, SEMI, opened=False)
    stage = factories.stage(world.tournament, SEMI)

    with pytest.raises(Refusal, match="Say why"):
        matches.take_back(stage, actor=None, reason=" ")
    for _ in range(2):
        matches.take_back(stage, actor=None, reason="a machine is needed elsewhere")
    dealt = factories.dealt(world, SEMI, machines=world.machines[2:])

    assert [match.machine.code for match in dealt] == ["M3", "M4"]
    assert Journal.objects.filter(action="take back matches").count() == 1
    assert set(StageMachine.objects.filter(stage=stage).values_list("machine__code", flat=True)) == {"M3", "M4"}


def test_once_the_stage_has_begun_its_matches_are_not_taken_back(world, semi):
    with pytest.raises(Refusal, match="The semi-finals has begun"):
        matches.take_back(semi.stage, actor=None, reason="x")


def test_matches_of_an_opening_taken_back_may_go_although_a_void_score_lies_behind_them(world, semi):
    taken = record(world, semi, 1, 5).score
    scores.void(taken, actor=None, seen=seen(taken), reason="the wrong machine")
    stages.withdraw_opening(semi.stage, actor=None, reason="the wrong machine")

    matches.take_back(semi.stage, actor=None, reason="the wrong machine")
    one, _ = factories.dealt(world, SEMI, machines=world.machines[2:])

    assert sides(one) == [1, 3, 5, 7]
    with pytest.raises(Refusal, match=r"The match of 1 Player 1 on Machine 1 \(M1\) was taken back"):
        scores.restore(taken, actor=None, seen=seen(taken))
    assert again(semi).state == Match.State.VOID


def test_a_stage_opens_only_with_its_matches_published(world):
    with pytest.raises(Refusal, match=r"The matches of the semi-finals are not published yet\."):
        stages.open_stage(factories.stage(world.tournament, SEMI), actor=None)


def test_before_the_stage_is_open_no_match_is_called_or_scored(world):
    one, _ = factories.dealt(world, SEMI, opened=False)

    for act in (
        lambda: matches.call(one, actor=None),
        lambda: matches.warm_up(one, actor=None),
        lambda: matches.play(one, actor=None),
        lambda: record(world, one, 1, 5),
    ):
        with pytest.raises(Refusal, match=r"Semi-finals is planned\."):
            act()

    assert not Score.objects.filter(match=one).exists()


# From the call to the last score


def test_a_match_is_called_warmed_up_swapped_played_and_done_and_pressing_twice_changes_nothing(world, semi):
    steps = []
    for act in (matches.call, matches.warm_up, matches.swap, matches.play):
        for _ in range(2):
            act(semi, actor=None)
            steps.append(again(semi).state)
    factories.scored(semi, 4, 3, 2, 1)

    assert steps == ["called"] * 2 + ["warm-up"] * 4 + ["playing"] * 2
    done = again(semi)
    times = [done.called_at, done.warm_up_at, done.swapped_at, done.started_at, done.done_at]
    assert done.state == Match.State.DONE
    assert times == sorted(times)
    assert Journal.objects.filter(action__in=["call match", "warm up", "swap", "start match"]).count() == 4


def test_nobody_swaps_before_the_warm_up(semi):
    with pytest.raises(Refusal, match="the warm-up has not begun"):
        matches.swap(semi, actor=None)


def choose(world, match, number, position):
    matches.choose(match, actor=None, entry=pk(world, number), position=position)


def chosen(match):
    return dict(match.sides.values_list("entry__number", "choice"))


def test_positions_are_chosen_in_order_of_rank_and_each_once(world, semi):
    with pytest.raises(Refusal, match="1 Player 1 chooses before 3 Player 3"):
        choose(world, semi, 3, 1)
    choose(world, semi, 1, 4)
    with pytest.raises(Refusal, match="1 Player 1 has chosen position 4"):
        choose(world, semi, 3, 4)
    with pytest.raises(Refusal, match="There are positions 1 to 4"):
        choose(world, semi, 3, 5)
    choose(world, semi, 3, 1)

    assert chosen(semi) == {1: 4, 3: 1, 5: None, 7: None}


def test_who_stays_away_does_not_hold_up_the_choice(world, semi):
    absent(world, semi, 1)

    choose(world, semi, 3, 2)

    assert chosen(semi)[3] == 2


def test_of_two_players_the_second_gets_the_position_that_is_left():
    world = factories.seated(format="kids", players=5, qualifiers=4)
    one, _ = factories.dealt(world, SEMI)

    choose(world, one, 1, 2)

    assert chosen(one) == {1: 2, 3: 1}


def test_choices_can_be_forgotten_and_made_again(world, semi):
    choose(world, semi, 1, 4)

    for _ in range(2):
        matches.forget_choices(semi, actor=None)
    choose(world, semi, 1, 2)

    assert chosen(semi)[1] == 2
    assert Journal.objects.filter(action="forget choices").count() == 1


def test_the_last_score_makes_the_match_done(world, semi):
    factories.scored(semi, 4, 3, 2, None)
    assert again(semi).state != Match.State.DONE

    record(world, semi, 7, 1)

    assert again(semi).state == Match.State.DONE


def test_a_double_tap_is_one_score_and_the_second_tap_is_told_of_it(world, semi):
    first, second = (record(world, semi, 1, 500, key="tap") for _ in range(2))

    assert (first.repeated, second.repeated) == (False, True)
    assert second.score == first.score
    assert Score.objects.filter(match=semi).count() == 1


def test_a_second_score_of_one_player_is_refused_with_the_first(world, semi):
    record(world, semi, 1, 500)

    with pytest.raises(Refusal, match="Player 1 has 500 on Machine 1 already"):
        record(world, semi, 1, 600)

    assert score(world, SEMI, 1).value == 500


def test_the_score_that_the_desk_typed_is_taken_from_a_tablet_as_well_and_counts_once(world, semi):
    first = record(world, semi, 1, 500, source="desk")

    tablet = [record(world, semi, 1, 500, source="tablet", agreed=True, key="tablet") for _ in range(2)]

    assert [(again.score, again.repeated) for again in tablet] == [(first.score, True)] * 2
    assert Score.objects.filter(match=semi).count() == 1
    assert semi.sides.get(entry=entry(world, 1)).agreed_at
    assert Journal.objects.filter(action="record match score").count() == 2


def test_a_player_of_another_match_is_refused(world, semi):
    with pytest.raises(Refusal, match="That player is not in Semi-finals, game 1 on Machine 1"):
        record(world, semi, 2, 500)


def test_a_doubtful_score_is_asked_about_once(world, semi):
    factories.scored(semi, 1_000, 900, 800, None)

    with pytest.raises(NeedsDecision) as told:
        matches.record(semi, actor=None, entry=pk(world, 7), value=1_000_000)

    assert told.value.settle == "doubtful"
    assert record(world, semi, 7, 1_000_000).score.value == 1_000_000


@pytest.mark.parametrize("value", [-1, 10**15])
def test_a_score_out_of_range_is_refused(world, semi, value):
    with pytest.raises(Refusal, match="A score is a whole number from 0"):
        record(world, semi, 1, value)


def test_a_machine_that_breaks_down_starts_no_game_and_takes_no_score_away(world):
    one, other = factories.dealt(world, SEMI)
    matches.play(one, actor=None)
    for used in StageMachine.objects.filter(stage=one.stage):
        machines.set_state(used, actor=None, state=StageMachine.State.LET_STAND, reason="the flipper broke")

    assert record(world, one, 1, 500).score.value == 500
    for act in (lambda: matches.call(other, actor=None), lambda: record(world, other, 2, 5)):
        with pytest.raises(Refusal, match=r"Machine 2 \(M2\) is not open for play"):
            act()


def test_agreement_needs_a_score_and_is_noted_once(world, semi):
    with pytest.raises(Refusal, match="1 Player 1 has no score on Machine 1"):
        matches.agree(semi, actor=None, entry=pk(world, 1))
    record(world, semi, 1, 500)

    for _ in range(2):
        matches.agree(semi, actor=None, entry=pk(world, 1))

    assert semi.sides.get(entry=pk(world, 1)).agreed_at is not None
    assert Journal.objects.filter(action="agree").count() == 1


def test_a_score_recorded_anew_after_a_void_one_has_not_been_agreed_to(world, semi):
    taken = record(world, semi, 1, 500, agreed=True).score
    scores.void(taken, actor=None, seen=seen(taken), reason="the wrong player")

    record(world, semi, 1, 600)

    assert semi.sides.get(entry=pk(world, 1)).agreed_at is None


# A score of a match is corrected, void, restored, undone


def test_a_score_of_a_match_is_corrected_and_keeps_its_player_and_its_machine(world, semi):
    taken = record(world, semi, 1, 500).score

    for moved in ({"entry": world.entries[1]}, {"machine": world.machines[1]}):
        with pytest.raises(Refusal, match="A match keeps its players and its machine"):
            scores.correct(taken, actor=None, seen=seen(taken), reason="x", **moved)
    assert scores.correct(taken, actor=None, seen=seen(taken), reason="misread", value=600)

    assert score(world, SEMI, 1).value == 600


def test_a_void_score_opens_the_match_and_a_restored_one_completes_it(world, semi):
    *_, last = factories.scored(semi, 4, 3, 2, 1)

    scores.void(last, actor=None, seen=seen(last), reason="the wrong player")
    assert (again(semi).state, again(semi).done_at) == (Match.State.PLAYING, None)
    scores.restore(last, actor=None, seen=seen(last))

    assert again(semi).state == Match.State.DONE
    assert score(world, SEMI, 7).value == 1


def test_an_undo_takes_back_the_score_and_another_one_the_undo(world, semi):
    *_, last = factories.scored(semi, 4, 3, 2, 1)

    scores.undo(last, actor=None, seen=seen(last))
    assert again(semi).state == Match.State.PLAYING
    scores.undo(last, actor=None, seen=seen(last))

    assert again(semi).state == Match.State.DONE


def test_a_void_score_is_not_restored_beside_the_one_that_took_its_place(world, semi):
    taken = record(world, semi, 1, 500).score
    scores.void(taken, actor=None, seen=seen(taken), reason="x")
    record(world, semi, 1, 600)

    with pytest.raises(Refusal, match="Player 1 has 600 on Machine 1 already"):
        scores.restore(taken, actor=None, seen=seen(taken))


def test_a_void_score_is_not_restored_for_a_player_marked_as_absent(world, semi):
    taken = record(world, semi, 1, 500).score
    scores.void(taken, actor=None, seen=seen(taken), reason="x")
    absent(world, semi, 1)

    with pytest.raises(Refusal, match="1 Player 1 is marked as absent"):
        scores.restore(taken, actor=None, seen=seen(taken))


# Who stays away


def test_the_others_play_on_without_who_stays_away(world, semi):
    absent(world, semi, 1)
    factories.scored(semi, None, 3, 2, 1)

    assert again(semi).state == Match.State.DONE
    with pytest.raises(Refusal, match="1 Player 1 is marked as absent; take that back first"):
        record(world, semi, 1, 5)


def test_who_turns_up_after_all_opens_the_match_again_and_plays(world, semi):
    absent(world, semi, 1)
    factories.scored(semi, None, 3, 2, 1)

    absent(world, semi, 1, away=False, reason="was at the bar")
    assert again(semi).state == Match.State.PLAYING
    record(world, semi, 1, 5)

    assert again(semi).state == Match.State.DONE


def test_who_has_a_score_is_not_absent_and_a_reason_is_asked_for(world, semi):
    record(world, semi, 1, 5)

    with pytest.raises(Refusal, match="1 Player 1 has a score in this match"):
        absent(world, semi, 1)
    with pytest.raises(Refusal, match="Say why"):
        absent(world, semi, 3, reason="")


def test_in_a_closed_stage_nobody_becomes_absent_or_turns_up(world):
    one, other = factories.dealt(world, SEMI)
    absent(world, one, 1)
    factories.scored(one, None, 3, 2, 1)
    factories.scored(other, 4, 3, 2, 1)
    stages.close_stage(one.stage, actor=None)

    with pytest.raises(Refusal, match="Semi-finals is closed; an organiser can reopen it"):
        absent(world, one, 1, away=False)


# Who leaves


def replace(world, leaves, comes, key=SEMI):
    stage = factories.stage(world.tournament, key)
    matches.replace_seat(stage, actor=None, entry=pk(world, leaves), by=pk(world, comes), reason="had to leave")


def test_with_the_matches_published_a_player_may_withdraw_and_the_next_takes_seat_and_matches(world):
    with pytest.raises(Refusal, match="take the cut back first"):
        entries.withdraw(entry(world, 4), actor=None, reason="ill")
    _, other = factories.dealt(world, SEMI, opened=False)

    entries.withdraw(entry(world, 4), actor=None, reason="ill")
    replace(world, 4, 9)

    assert seats(world, SEMI) == [1, 2, 3, 9, 5, 6, 7, 8]
    assert sides(other) == [2, 9, 6, 8]
    assert Seat.objects.get(entry=entry(world, 9)).why == "for 4 Player 4"


def test_nobody_takes_two_seats_and_nobody_who_has_left_takes_one(world):
    entries.withdraw(entry(world, 9), actor=None, reason="ill")
    entries.disqualify(entry(world, 10), actor=None, reason="tilted on purpose")

    for comes, why in ((3, "3 Player 3 has a seat already"), (9, "is withdrawn"), (10, "is disqualified")):
        with pytest.raises(Refusal, match=why):
            replace(world, 4, comes)

    assert seats(world, SEMI) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_once_the_stage_has_begun_a_seat_stays_empty(world, semi):
    with pytest.raises(Refusal, match="has begun: the seat stays empty and the opponent plays alone"):
        replace(world, 4, 9)


def test_a_finalist_may_leave_and_nobody_takes_a_seat_that_games_decide(world):
    one, other = factories.dealt(world, SEMI)
    factories.scored(one, 4, 3, 2, 1)
    factories.scored(other, 4, 3, 2, 1)

    entries.withdraw(entry(world, 1), actor=None, reason="the last train")

    for comes in (5, 9):
        with pytest.raises(Refusal, match="Games decide who is in the final: a leaver's seat in it stays empty"):
            replace(world, 1, comes, key=FINAL)
    assert seats(world, FINAL) == [1, 2, 3, 4]


# The second round: one game after the other, and a table over all of them


@pytest.fixture(scope="module")
def values():
    """Scores by which the better seed always wins, all different."""
    return {number: 1_000_000 - 10_000 * number for number in range(1, 26)}


@kept
def begun_round():
    world = factories.seated(format="open", players=26, qualifiers=24, stock=12)
    factories.dealt(world, ROUND)
    return world


def round_matches(world, number):
    return [match for match in factories.matches(world, ROUND) if match.round == number]


def test_a_game_opens_when_the_one_before_is_complete_or_by_an_organisers_word(values):
    world = begun_round()
    *first, last = round_matches(world, 1)
    [second, *_], [third, *_] = round_matches(world, 2), round_matches(world, 3)
    for match in first:
        factories.scored(match, *(values[number] for number in sides(match)))

    with pytest.raises(Refusal, match="Game 2 is not open yet: game 1 is still being played"):
        matches.call(second, actor=None)
    factories.scored(last, *(values[number] for number in sides(last)))
    matches.call(again(second), actor=None)

    with pytest.raises(Refusal, match="Game 3 is not open yet: game 2 is still being played"):
        matches.call(third, actor=None)
    with pytest.raises(Refusal, match="Say why"):
        matches.open_round(third.stage, actor=None, round_number=3, reason="")
    for _ in range(2):
        matches.open_round(third.stage, actor=None, round_number=3, reason="one machine is slow")
    matches.call(again(third), actor=None)

    assert (again(second).state, again(third).state) == ("called", "called")
    assert Journal.objects.filter(action="open round").count() == 1


def test_a_qualifying_score_corrected_after_the_draw_moves_nobody_until_an_organiser_decides(desk):
    world = begun_round()
    before = seats(world, ROUND), [sides(match) for match in factories.matches(world, ROUND)]
    outside = Score.objects.get(stage=world.stage, entry=entry(world, 26), machine=world.machines[0])

    stages.reopen_stage(world.stage, actor=None, reason="a slip was misread")
    assert scores.correct(outside, actor=None, seen=seen(outside), reason="misread", value=10**6, sure=10**6)
    stages.close_stage(world.stage, actor=None)
    stages.keep_seats(world.stage, actor=desk, reason="they are playing already")

    assert (seats(world, ROUND), [sides(match) for match in factories.matches(world, ROUND)]) == before
    line = Journal.objects.get(action="keep seats")
    assert (line.actor, line.reason) == (desk, "they are playing already")


def test_nobody_meets_himself_and_nobody_plays_twice_in_a_game():
    world = factories.seated(format="open", players=24, qualifiers=24, stock=12)
    factories.dealt(world, ROUND, opened=False)

    for number in (1, 2, 3, 4):
        playing = [player for match in round_matches(world, number) for player in sides(match)]
        assert sorted(playing) == list(range(1, 25))
    assert Side.objects.count() == 96
