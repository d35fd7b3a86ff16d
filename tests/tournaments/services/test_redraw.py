"""The rest of a running round is drawn again: what stays, what is replaced, what is refused, and the way back."""

from random import Random

import pytest

from open.domain.fairness import Match as Drawn
from open.domain.fairness import check
from tests import factories
from tests.shelf import kept
from tests.tournaments.services.course import again, entry, revision, sides, stage
from tournaments.domain.refusals import Refusal, Stale
from tournaments.models import Journal, Machine, Match, Score, StageMachine
from tournaments.services import entries, machines, matches, redraw, redrawing, scores, stages

ROUND, SEMI = "second-round", "semi-finals"
DIED = "the display died"


@pytest.fixture
def world():
    """24 players in the second round on M1 to M12, open; M13 to M15 are used in qualifying only."""
    return running()


@kept
def running():
    world = factories.seated(format="open", players=24, qualifiers=24, stock=15)
    factories.dealt(world, ROUND)
    return world


def machine(world, number):
    return Machine.objects.get(pk=world.machines[number - 1].pk)


def out(world, *numbers, **instead):
    """These machines without a substitute, and others with one: `M3=13`."""
    named = {machine(world, number).pk: None for number in numbers}
    return named | {machine(world, int(code[1:])).pk: machine(world, by).pk for code, by in instead.items()}


def publish(world, machines_out, reason=DIED, **details):
    return redraw.publish(stage(world, ROUND), actor=None, out=machines_out, reason=reason, **details)


def plan(world, machines_out, **details):
    return redrawing.plan(stage(world, ROUND), machines_out, **details)


def take_back(world, reason="it works again"):
    line = redraw.past(stage(world, ROUND))[0]
    redraw.take_back(stage(world, ROUND), actor=None, revision=line.revision, reason=reason)
    return line


def play_game(world, number):
    for match in factories.matches(world, ROUND):
        if match.round == number:
            factories.scored(match, 2_000, 1_000)


def leave(world, number):
    entries.withdraw(entry(world, number), actor=None, reason="had to go home")


def listed(world):
    """(game, order, machine, players, absent players, state) of every match that counts."""
    return [
        (
            match.round,
            match.order,
            match.machine.code,
            tuple(sides(match)),
            tuple(match.sides.filter(absent=True).values_list("entry__number", flat=True)),
            match.state,
        )
        for match in factories.matches(world, ROUND)
    ]


def states(world):
    used = StageMachine.objects.filter(stage=stage(world, ROUND))
    return dict(used.values_list("machine__code", "state"))


def draw_of(world):
    """The matches by seeds, which are the numbers, without absent players; for the short and certain check."""
    games = [[], [], [], []]
    for number, _, code, players, absent, _ in listed(world):
        games[number - 1].append(Drawn(int(code[1:]), tuple(sorted(set(players) - set(absent)))))
    return tuple(tuple(match for match in game if match.players) for game in games)


# A machine dies


def test_a_substitute_takes_the_matches_of_a_machine_that_dies_and_nothing_else_changes(world):
    play_game(world, 1)
    before = listed(world)

    drawn = publish(world, out(world, M3=13))

    renamed = [(*m[:2], "M13" if m[2] == "M3" and m[0] > 1 else m[2], *m[3:]) for m in before]
    assert listed(world) == renamed
    assert (len(drawn.begun), len(drawn.kept), len(drawn.put_in), len(drawn.taken_out)) == (12, 33, 3, 3)
    assert drawn.redealt.gave_way == ()
    assert (states(world)["M3"], states(world)["M13"]) == ("let-stand", "open")


def test_looking_at_a_redraw_stores_nothing_and_gives_the_same_every_time(world):
    before, was = listed(world), revision(world)

    one, other = (plan(world, out(world, M3=13), seed=4) for _ in range(2))

    assert (one.mark, one.redealt) == (other.mark, other.redealt)
    assert (listed(world), revision(world)) == (before, was)
    assert publish(world, out(world, M3=13), seed=4).mark == one.mark


def test_the_figures_say_how_even_it_is_from_now_on(world):
    figures = plan(world, out(world, M3=13)).redealt.figures

    assert figures[0] == "Four opponents' positions add up to 50."
    assert len(figures) == 4


def test_what_has_begun_is_never_touched_even_on_a_machine_that_died(world):
    first = [match for match in factories.matches(world, ROUND) if match.round == 1]
    called, warming, playing, scored = first[:4]
    for match in (called, warming, playing):
        matches.call(match, actor=None)
    matches.warm_up(warming, actor=None)
    matches.play(playing, actor=None)
    factories.scored(scored, 500, None)
    dead = {
        f"M{world.machines.index(m.machine) + 1}": by
        for m, by in zip((warming, playing, scored), (13, 14, 15), strict=True)
    }

    drawn = publish(world, out(world, **dead))

    assert {match.pk for match in drawn.begun} == {warming.pk, playing.pk, scored.pk}
    for match in (warming, playing, scored):
        assert again(match).machine == match.machine
    assert again(called).state == "called"
    assert {match.round for match in drawn.taken_out} == {2, 3, 4}
    factories.scored(scored, None, 400)
    assert again(scored).state == "done"


def test_players_who_were_called_to_a_machine_that_dies_are_called_anew_elsewhere(world):
    called = factories.matches(world, ROUND)[0]
    matches.call(called, actor=None)
    matches.choose(called, actor=None, entry=called.sides.get(rank=1).entry_id, position=2)

    publish(world, out(world, M1=13))

    new = factories.matches(world, ROUND)[0]
    assert (new.machine.code, new.state, sides(new)) == ("M13", "planned", sides(called))
    assert not new.sides.exclude(choice=None).exists()
    assert again(called).state == Match.State.VOID


def test_a_void_score_does_not_make_a_match_begun_and_stays_in_the_history(world):
    match = factories.matches(world, ROUND)[0]
    (score,) = factories.scored(match, 500, None)
    scores.void(score, actor=None, seen=score.revision, reason="the wrong machine")

    publish(world, out(world, M1=13))

    assert Score.objects.get(pk=score.pk).match.state == Match.State.VOID
    assert factories.matches(world, ROUND)[0].machine.code == "M13"


def test_without_a_substitute_a_machine_that_would_be_needed_twice_is_named_with_what_to_do(world):
    before = listed(world)

    with pytest.raises(Refusal) as told:
        publish(world, out(world, 3))

    assert "Without Machine 3 (M3) game 1 has more matches than machines: Machine" in told.value.sentence
    assert "Put another machine into play as a substitute." in told.value.sentence
    assert told.value.field == "machines"
    assert listed(world) == before
    assert states(world)["M3"] == "open"


def test_a_machine_closed_before_is_out_and_a_substitute_can_be_named_for_it(world):
    used = StageMachine.objects.get(stage=stage(world, ROUND), machine=machine(world, 3))
    machines.set_state(used, actor=None, state="let-stand", reason=DIED)

    with pytest.raises(Refusal, match="more matches than machines"):
        plan(world, {})
    publish(world, out(world, M3=13))

    assert "M3" not in {code for _, _, code, *_ in listed(world)}


def test_a_machine_of_the_stage_that_has_no_match_steps_in_by_itself(world):
    machines.use(stage(world, ROUND), actor=None, machine=machine(world, 15))

    drawn = publish(world, out(world, 3))

    assert {new.machine for new in drawn.put_in} == {machine(world, 15).pk}
    assert len(drawn.put_in) == 4


@pytest.mark.parametrize(
    ("named", "why"),
    [
        ({"M3": 4}, r"Machine 4 \(M4\) cannot be a substitute: it has matches in the second round"),
        ({"M3": 13, "M4": 13}, r"Machine 13 \(M13\) cannot stand in for two machines\."),
        ({"M13": 14}, r"Machine 13 \(M13\) is not used in the second round\."),
    ],
)
def test_a_substitute_that_cannot_be_one_is_refused(world, named, why):
    with pytest.raises(Refusal, match=why):
        plan(world, out(world, **named))


def test_substitutes_are_machines_of_the_tournament_in_order_and_not_closed_where_they_were_played():
    world = factories.qualifying(players=8, stock=8)
    factories.machine(world.show, "X1")
    closed = StageMachine.objects.get(stage=world.stage, machine=world.machines[6])
    machines.set_state(closed, actor=None, state="let-stand", reason=DIED)
    Machine.objects.filter(pk=world.machines[7].pk).update(in_order=False)
    factories.closed(world, [[1_000 - number] for number in range(8)])
    stages.declare_cut(world.stage, actor=None)
    factories.dealt(world, ROUND)

    assert [m.code for m in redrawing.substitutes(stage(world, ROUND))] == ["M5", "M6"]
    machines.use(stage(world, ROUND), actor=None, machine=world.machines[6])
    assert [m.code for m in redrawing.substitutes(stage(world, ROUND))] == ["M5", "M6", "M7"]


def test_a_match_that_cannot_be_finished_has_not_begun_after_all_and_is_drawn_again(world):
    match = factories.matches(world, ROUND)[0]
    matches.warm_up(match, actor=None)
    matches.play(match, actor=None)

    with pytest.raises(Refusal, match="Say why"):
        redraw.break_off(match, actor=None, reason="")
    for _ in range(2):
        redraw.break_off(match, actor=None, reason=DIED)
    publish(world, out(world, M1=13))

    assert factories.matches(world, ROUND)[0].machine.code == "M13"
    assert Journal.objects.filter(action="break match off").count() == 1


def test_a_match_with_a_score_is_not_broken_off(world):
    match = factories.matches(world, ROUND)[0]
    matches.play(match, actor=None)
    factories.scored(match, 500, None)

    with pytest.raises(Refusal, match=r"Game 1 on Machine 1 \(M1\) has a score or is over; void the score first"):
        redraw.break_off(match, actor=None, reason=DIED)

    assert again(match).state == "playing"


# Somebody leaves


def test_a_leavers_seat_stays_empty_and_the_opponent_plays_alone(world):
    play_game(world, 1)
    leave(world, 7)
    before = listed(world)

    drawn = publish(world, {}, reason="7 went home")

    assert (len(drawn.emptied), drawn.put_in, drawn.taken_out) == (3, (), ())
    assert listed(world) == [(*m[:4], (7,) if 7 in m[3] and m[0] > 1 else (), m[5]) for m in before]
    assert all("plays alone, as 7 Player 7 (seed 7) has left." in words for words in drawn.redealt.gave_way)
    alone = next(match for match in factories.matches(world, ROUND) if match.round == 2 and 7 in sides(match))
    factories.scored(alone, *(None if number == 7 else 500 for number in sides(alone)))
    assert again(alone).state == "done"


def test_without_a_substitute_two_who_would_be_alone_play_each_other(world):
    for number in (1, 2):
        play_game(world, number)
    leave(world, 7)
    leave(world, 8)

    drawn = publish(world, out(world, 5))

    assert drawn.redealt.gave_way == ()
    for number in (3, 4):
        assert len([m for m in listed(world) if m[0] == number and not m[4]]) == 11
        assert {7, 8}.isdisjoint(p for m in listed(world) if m[0] == number for p in m[3])


def test_a_match_that_both_have_left_is_not_played_and_the_next_game_opens(world):
    for number in (1, 2, 3):
        play_game(world, number)
    last = [match for match in factories.matches(world, ROUND) if match.round == 4]
    for match in last[1:]:
        factories.scored(match, 2, 1)
    for number in sides(last[0]):
        leave(world, number)

    drawn = publish(world, {}, reason="both went home")
    stages.close_stage(stage(world, ROUND), actor=None)

    assert [match.pk for match in drawn.taken_out] == [last[0].pk]
    assert stage(world, ROUND).state == "closed"


def test_what_was_played_alone_is_not_told_again_and_a_match_not_played_is_no_fault(world):
    play_game(world, 1)
    second = next(m for m in factories.matches(world, ROUND) if m.round == 2)
    for number in sides(second):
        leave(world, number)
    publish(world, {}, reason="both went home")
    for number in (2, 3):
        for match in factories.matches(world, ROUND):
            if match.round == number:
                factories.scored(match, *(None if s.absent else 5 for s in match.sides.order_by("rank")))

    told = plan(world, out(world, M3=13)).redealt.gave_way

    assert len(told) == 2
    assert all(words.startswith("Game 4: ") and "plays alone" in words for words in told)


def test_the_next_game_opens_when_nobody_is_left_for_what_was_missing(world):
    first = [match for match in factories.matches(world, ROUND) if match.round == 1]
    for match in first[1:]:
        factories.scored(match, 2, 1)
    for number in sides(first[0]):
        leave(world, number)

    publish(world, {}, reason="both went home")

    assert stage(world, ROUND).open_round == 2


def test_who_was_marked_as_absent_from_one_game_still_is_on_the_substitute(world):
    match = next(m for m in factories.matches(world, ROUND) if m.round == 2 and m.machine.code == "M3")
    matches.absent(match, actor=None, entry=match.sides.get(rank=2).entry_id, reason="late")

    publish(world, out(world, M3=13))

    new = next(m for m in factories.matches(world, ROUND) if m.round == 2 and m.machine.code == "M13")
    assert [side.absent for side in new.sides.order_by("rank")] == [False, True]


# What is refused


def test_nothing_to_change_is_said_and_not_published(world):
    assert not plan(world, {}).changes
    with pytest.raises(Refusal, match="every match that is left stays as announced"):
        publish(world, {})


def test_a_redraw_needs_a_reason_and_a_stage_that_is_being_played(world):
    with pytest.raises(Refusal, match="Say why"):
        publish(world, out(world, M3=13), reason=" ")
    stages.withdraw_opening(stage(world, ROUND), actor=None, reason="too early")
    with pytest.raises(Refusal, match="The second round has not begun: take the matches back"):
        publish(world, out(world, M3=13))


def test_a_round_that_is_closed_is_not_drawn_again(world):
    for number in (1, 2, 3, 4):
        play_game(world, number)
    stages.close_stage(stage(world, ROUND), actor=None)

    with pytest.raises(Refusal, match="Second round is closed; an organiser can reopen it"):
        plan(world, {})


def test_single_games_and_other_formats_are_not_drawn_again():
    world = factories.seated()
    factories.dealt(world, SEMI)

    assert not redrawing.offered(stage(world, SEMI))
    with pytest.raises(Refusal, match="The rest of the semi-finals cannot be drawn again"):
        redrawing.plan(stage(world, SEMI), {})


def test_from_a_page_that_is_out_of_date_nothing_is_published(world):
    shown, before = revision(world), listed(world)
    leave(world, 7)

    with pytest.raises(Stale):
        publish(world, out(world, M3=13), expected=shown)

    assert listed(world) == before


def test_a_score_elsewhere_does_not_make_a_preview_out_of_date_but_what_alters_it_does(world):
    shown, seen = revision(world), plan(world, out(world, M3=13)).mark
    other = next(match for match in factories.matches(world, ROUND) if match.machine.code == "M5")
    factories.scored(other, 500, 400)
    leave(world, 7)
    with pytest.raises(Stale):
        publish(world, out(world, M3=13), expected=shown, seen=seen)
    entries.reinstate(entry(world, 7), actor=None, reason="stays after all")

    drawn = publish(world, out(world, M3=13), expected=shown, seen=seen)

    assert drawn.mark == seen
    assert again(other).state == "done"


def test_a_match_that_begins_while_it_is_drawn_again_makes_it_stale(world, monkeypatch):
    match, slow = factories.matches(world, ROUND)[0], redrawing.plan

    def slow_plan(*args, **details):
        planned = slow(*args, **details)
        matches.play(match, actor=None)
        return planned

    monkeypatch.setattr(redraw, "plan", slow_plan)

    with pytest.raises(Stale, match="Somebody changed the matches while they were drawn again"):
        publish(world, out(world, M1=13))

    assert again(match).state == "playing"


# The journal and the way back


def test_a_redraw_is_one_line_in_the_journal_with_everything_it_did(world):
    play_game(world, 1)
    leave(world, 7)

    publish(world, out(world, M3=13), seed=9)

    line = Journal.objects.get(action="redraw matches")
    assert line.revision == revision(world)
    assert line.reason == DIED
    assert "matches drawn again." in line.summary
    assert (line.after["seed"], line.after["closed"]) == (9, [machine(world, 3).pk])
    assert len(line.before["matches"]) == len(line.after["matches"]) == len(line.after["taken_out"]) == 3


def test_a_redraw_taken_back_puts_matches_seats_and_machines_back(world):
    play_game(world, 1)
    leave(world, 7)
    before, used = listed(world), states(world)
    publish(world, out(world, M3=13))
    assert listed(world) != before

    line = take_back(world)
    with pytest.raises(Stale, match=r"was taken back at \d\d:\d\d already"):
        redraw.take_back(stage(world, ROUND), actor=None, revision=line.revision, reason="another one")

    assert (listed(world), states(world)) == (before, used)
    assert redraw.past(stage(world, ROUND)) == []
    assert Journal.objects.filter(action="take redraw back").count() == 1


def test_a_redraw_can_be_made_again_after_one_and_both_are_taken_back_in_turn(world):
    before = listed(world)
    publish(world, out(world, M3=13))
    once = listed(world)
    publish(world, out(world, M13=14))
    earlier = redraw.past(stage(world, ROUND))[1]

    assert {"M3", "M13"}.isdisjoint(code for _, _, code, *_ in listed(world))
    with pytest.raises(Refusal, match="drawn again since; take the later re-draw back first"):
        redraw.take_back(stage(world, ROUND), actor=None, revision=earlier.revision, reason="x")
    take_back(world)
    assert listed(world) == once
    take_back(world)
    assert listed(world) == before


def test_a_redraw_stays_once_a_match_that_it_changed_has_begun(world):
    publish(world, out(world, M1=13))
    new = next(match for match in factories.matches(world, ROUND) if match.machine.code == "M13")
    matches.play(new, actor=None)

    with pytest.raises(Refusal, match=r"Game 1 on Machine 13 \(M13\) has begun since"):
        take_back(world)
    with pytest.raises(Refusal, match="Say why"):
        take_back(world, reason="")


def test_matches_dealt_anew_are_never_mixed_with_those_of_an_old_redraw(world):
    publish(world, out(world, M1=13))
    stages.withdraw_opening(stage(world, ROUND), actor=None, reason="too early")
    matches.take_back(stage(world, ROUND), actor=None, reason="other machines")
    factories.dealt(world, ROUND, machines=world.machines[3:])

    assert redraw.past(stage(world, ROUND)) == []
    assert len(factories.matches(world, ROUND)) == 48


# By chance


@pytest.mark.parametrize("seed", range(10))
def test_after_random_trouble_what_is_played_stands_and_the_rules_hold(seed):
    chance, world = Random(seed), running()
    spare, dead, gone = [13, 14, 15], [], []
    for _ in range(3):
        play_some(chance, world)
        played = [m for m in listed(world) if m[5] == "done"]
        named = {}
        for code in chance.sample(usable(world), chance.choice([0, 1, 1])):
            if spare:
                named[code] = spare.pop()
                dead.append(code)
        for number in chance.sample([n for n in range(1, 25) if n not in gone], chance.choice([0, 1, 2])):
            leave(world, number)
            gone.append(number)
        planned = plan(world, out(world, **named), seed=seed)
        if planned.changes:
            publish(world, out(world, **named), seed=seed, seen=planned.mark, expected=-1)
        if planned.changes and chance.random() < 0.3:
            take_back(world)
            publish(world, out(world, **named), seed=seed)
        hold(world, played, dead, gone)


def play_some(chance, world):
    """The scores of some matches of the game that is open; of those who are there."""
    here = stage(world, ROUND)
    for match in factories.matches(world, ROUND):
        if match.round == here.open_round and match.state != "done" and chance.random() < 0.8:
            factories.scored(match, *(None if side.absent else 500 for side in match.sides.order_by("rank")))


def usable(world):
    return sorted({m[2] for m in listed(world) if m[5] != "done"})


def hold(world, played, dead, gone):
    """Played matches stand, dead machines are free, nobody who left is awaited, and no rule is broken."""
    now = listed(world)
    assert set(played) <= set(now)
    left = [m for m in now if m[5] != "done"]
    assert not {m[2] for m in left} & set(dead)
    assert all(number in absent for _, _, _, players, absent, _ in left for number in players if number in gone)
    left = {number: 1 + max((m[0] for m in now if number in set(m[3]) - set(m[4])), default=0) for number in gone}
    report = check(draw_of(world), 24, 15, left=left)
    assert report.faults == ()
