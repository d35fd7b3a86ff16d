"""The final places: everybody once or with a reason, declared when all is decided, held back, revealed, taken back."""

import pytest

from tests import factories
from tests.shelf import kept
from tests.tournaments.services.course import entry, play_semi_finals, score, seats, stage
from tests.tournaments.services.games import seen
from tournaments.domain.refusals import Refusal, Stale
from tournaments.models import FinalPlace, Journal, Ruling, Tournament
from tournaments.services import entries, matches, results, rulings, scores, stages

SEMI, FINAL, FIFTH = "semi-finals", "final", "play-off"


@kept
def played(format="classic", fifth=(4, 3, 2, 1), final=(4, 3, 2, 1), **details):
    """A tournament whose games are all played; the better seed always wins."""
    world = factories.seated(format=format, **details)
    factories.dealt(world, SEMI)
    play_semi_finals(world)
    for key, values in ((FIFTH, fifth), (FINAL, final)):
        [match] = factories.dealt(world, key)
        factories.scored(match, *values)
    return world


@pytest.fixture
def world():
    """Ten in qualifying, eight in the semi-finals; everything is played."""
    return played()


def declare(world, **details):
    results.declare(world.tournament, actor=None, **details)
    return told(world)


def told(world):
    """What was declared, by number: the place, or the reason for none."""
    rows = FinalPlace.objects.filter(tournament=world.tournament)
    return {row.entry.number: f"{row.place}{'=' if row.shared else ''}" if row.place else row.why for row in rows}


def where(world):
    return {row.entry.number: row.why for row in FinalPlace.objects.filter(tournament=world.tournament)}


# Who ends where


def standing(world):
    """The places as they stand, by number."""
    rows = results.places(world.tournament)
    numbers = dict(world.tournament.entries.values_list("pk", "number"))
    return {numbers[row.entry]: f"{row.place}{'=' if row.shared else ''} {row.why}" for row in rows if row.place}


def test_before_the_final_is_over_nobody_stands_ahead_of_its_players():
    world = factories.seated()
    factories.dealt(world, SEMI)
    play_semi_finals(world)
    [fifth] = factories.dealt(world, FIFTH)
    factories.scored(fifth, 4, 3, 2, 1)

    not_dealt = standing(world)
    [final] = factories.dealt(world, FINAL)
    factories.scored(final, 4, None, None, None)

    assert not_dealt == standing(world)
    assert [not_dealt[number] for number in (1, 2, 3, 4)] == ["1= Final"] * 4
    assert [not_dealt[number] for number in (5, 6)] == ["5 Play-off for 5th to 8th", "6 Play-off for 5th to 8th"]
    assert [not_dealt[number] for number in (9, 10)] == ["9 Qualifying", "10 Qualifying"]


def test_whoever_still_plays_a_semi_final_shares_the_first_place():
    world = factories.seated()
    one, _ = factories.dealt(world, SEMI)
    factories.scored(one, 4, 3, 2, 1)

    assert [standing(world)[number] for number in (1, 2, 7, 8)] == ["1= Semi-finals"] * 4


def test_the_final_gives_1st_to_4th_the_play_off_5th_to_8th_and_qualifying_the_rest():
    world = played(fifth=(1, 2, 3, 4), final=(1, 2, 3, 4))

    assert declare(world) == {
        4: "1", 3: "2", 2: "3", 1: "4", 8: "5", 7: "6", 6: "7", 5: "8", 9: "9", 10: "10",
    }  # fmt: skip
    assert {where(world)[number] for number in (1, 2, 3, 4)} == {"Final"}
    assert {where(world)[number] for number in (5, 6, 7, 8)} == {"Play-off for 5th to 8th"}
    assert {where(world)[number] for number in (9, 10)} == {"Qualifying"}


def test_who_never_played_and_who_is_disqualified_stand_apart_and_the_others_move_up():
    world = factories.qualifying(format="classic", players=11, stock=2)
    factories.standings(world, [[1_000 * (11 - number)] for number in range(10)])
    entries.disqualify(world.entries[0], actor=None, reason="kicked the machine")
    stages.close_stage(world.stage, actor=None)
    stages.declare_cut(world.stage, actor=None)
    factories.dealt(world, SEMI)
    play_semi_finals(world)
    for key in (FIFTH, FINAL):
        [match] = factories.dealt(world, key)
        factories.scored(match, 4, 3, 2, 1)

    assert declare(world) == {
        **{number: str(number - 1) for number in range(2, 11)},
        1: "disqualified",
        11: "did not play",
    }


def test_a_champion_disqualified_afterwards_loses_the_place_and_everybody_moves_up(world):
    entries.disqualify(entry(world, 1), actor=None, reason="kicked the machine")

    assert declare(world) == {1: "disqualified", **{number: str(number - 1) for number in range(2, 11)}}


def test_who_left_before_the_final_is_last_in_it():
    world = factories.seated()
    factories.dealt(world, SEMI)
    play_semi_finals(world)
    entries.withdraw(entry(world, 1), actor=None, reason="the last train")
    for key in (FIFTH, FINAL):
        [match] = factories.dealt(world, key)
        if key == FINAL:
            matches.absent(match, actor=None, entry=entry(world, 1).pk, reason="the last train")
        factories.scored(match, *(4, 3, 2, 1) if key == FIFTH else (None, 3, 2, 1))

    places = declare(world)

    assert [places[number] for number in range(1, 9)] == ["4", "1", "2", "3", "5", "6", "7", "8"]


def test_two_who_did_not_play_the_final_share_the_last_place_of_it():
    world = factories.seated()
    factories.dealt(world, SEMI)
    play_semi_finals(world)
    for key in (FIFTH, FINAL):
        [match] = factories.dealt(world, key)
        for number in (1, 3) if key == FINAL else ():
            matches.absent(match, actor=None, entry=entry(world, number).pk, reason="the last train")
        factories.scored(match, *(4, 3, 2, 1) if key == FIFTH else (None, 4, None, 3))

    places = declare(world)

    assert [places[number] for number in range(1, 6)] == ["3=", "1", "3=", "2", "5"]


def test_a_leaver_whose_seat_was_taken_is_placed_by_the_stage_before():
    world = factories.seated()
    factories.dealt(world, SEMI, opened=False)
    matches.replace_seat(stage(world, SEMI), actor=None, entry=entry(world, 1).pk, by=entry(world, 9).pk, reason="ill")
    stages.open_stage(stage(world, SEMI), actor=None)
    play_semi_finals(world)
    for key in (FIFTH, FINAL):
        [match] = factories.dealt(world, key)
        factories.scored(match, 4, 3, 2, 1)

    places = declare(world)

    assert (places[9], places[1], places[10]) == ("1", "9", "10")


def test_so_few_that_nobody_plays_for_5th_are_placed_without_that_game():
    world = factories.seated(players=5, qualifiers=4)
    for match in factories.dealt(world, SEMI):
        factories.scored(match, 2, 1)
    [final] = factories.dealt(world, FINAL)
    factories.scored(final, 4, 3, 2, 1)

    with pytest.raises(Refusal, match="Nobody has a seat in the play-off for 5th to 8th yet"):
        declare(world)
    stages.close_stage(stage(world, SEMI), actor=None)

    assert declare(world) == {number: str(number) for number in range(1, 6)}


def test_one_alone_behind_the_semi_finals_is_5th_without_a_game():
    world = factories.seated(players=6, qualifiers=5)
    one, other = factories.dealt(world, SEMI)
    factories.scored(one, 3, 2, 1)
    factories.scored(other, 2, 1)
    stages.close_stage(stage(world, SEMI), actor=None)
    [final] = factories.dealt(world, FINAL)
    factories.scored(final, 4, 3, 2, 1)

    assert seats(world, FIFTH) == [5]
    assert declare(world) == {number: str(number) for number in range(1, 7)}


# When they may be declared


def test_before_everything_is_played_the_results_are_refused_with_what_is_missing():
    world = factories.qualifying(format="classic", players=9, stock=2)
    said = []

    def tried():
        with pytest.raises(Refusal) as refusal:
            results.declare(world.tournament, actor=None)
        said.append(refusal.value.sentence)

    factories.standings(world, [[1_000 * (9 - number)] for number in range(9)])
    tried()
    stages.close_stage(world.stage, actor=None)
    tried()
    stages.declare_cut(world.stage, actor=None)
    tried()
    factories.dealt(world, SEMI)
    tried()
    play_semi_finals(world)
    tried()
    for key in (FIFTH, FINAL):
        [match] = factories.dealt(world, key)
        factories.scored(match, 4, 3, 2, None)
        tried()
        factories.scored(match, None, None, None, 1)

    assert said == [
        "Qualifying is still open.",
        "Nobody has a seat in the semi-finals yet.",
        "The semi-finals is not played to its end.",
        "The semi-finals is not played to its end.",
        "The play-off for 5th to 8th is not played to its end.",
        "The play-off for 5th to 8th is not played to its end.",
        "The final is not played to its end.",
    ]
    assert not FinalPlace.objects.exists()


def test_results_are_declared_once_and_the_journal_names_the_champion(world, desk):
    results.declare(world.tournament, actor=desk)

    with pytest.raises(Refusal, match="The results are declared already"):
        results.declare(world.tournament, actor=desk)

    line = Journal.objects.get(action="declare results")
    assert (line.actor, line.summary) == (desk, "Results declared: 1 Player 1 wins The Classic.")
    assert FinalPlace.objects.count() == 10


def test_results_are_not_declared_from_a_page_that_is_out_of_date(world):
    shown = Tournament.objects.get(pk=world.tournament.pk).revision
    entries.change_details(world.entries[0], actor=None, name="Ann Example")

    with pytest.raises(Stale):
        declare(world, expected=shown)

    assert not FinalPlace.objects.exists()


def test_what_declared_results_rest_on_holds_still_until_they_are_taken_back(world):
    taken, void = score(world, FINAL, 1), score(world, FINAL, 2)
    declare(world)
    [final] = factories.matches(world, FINAL)
    stages.close_stage(stage(world, FIFTH), actor=None)
    acts = [
        lambda: scores.correct(taken, actor=None, seen=seen(taken), reason="x", value=0),
        lambda: scores.void(void, actor=None, seen=seen(void), reason="x"),
        lambda: scores.undo(taken, actor=None, seen=seen(taken)),
        lambda: matches.absent(final, actor=None, entry=entry(world, 1).pk, reason="x"),
        lambda: entries.disqualify(entry(world, 1), actor=None, reason="x"),
        lambda: stages.reopen_stage(stage(world, FIFTH), actor=None, reason="x"),
    ]
    before = told(world)

    for act in acts:
        with pytest.raises(Refusal, match="The results are declared; take them back first"):
            act()
    results.take_back(world.tournament, actor=None, reason="a score was misread")
    scores.correct(taken, actor=None, seen=seen(taken), reason="misread", value=0, sure=0)

    assert (before[1], declare(world)[1]) == ("1", "4")


def test_a_ruling_behind_declared_results_holds_still_too():
    world = played(final=(4, 4, 2, 1))
    order = [entry(world, number).pk for number in (2, 1)]
    ruling = rulings.rule_order(stage(world, FINAL), actor=None, order=order, reason="the machine failed")
    declare(world)

    with pytest.raises(Refusal, match="The results are declared; take them back first"):
        rulings.undo_ruling(ruling, actor=None, reason="x")

    assert Ruling.objects.get().undone_at is None


# The ceremony


def held_back(world):
    return Tournament.objects.get(pk=world.tournament.pk).results_held_back


def test_results_declared_before_the_ceremony_are_held_back_until_they_are_revealed(world):
    declare(world, held_back=True)
    assert held_back(world)

    for _ in range(2):
        results.reveal(world.tournament, actor=None)

    assert not held_back(world)
    assert Journal.objects.filter(action="reveal results").count() == 1


def test_the_last_stages_are_held_back_before_there_are_results(world):
    for _ in range(2):
        results.hold_back(world.tournament, actor=None)

    assert held_back(world)
    assert Journal.objects.filter(action="hold results back").count() == 1


def test_results_taken_back_are_kept_in_the_journal_with_the_reason(world):
    declare(world)

    with pytest.raises(Refusal, match="Say why"):
        results.take_back(world.tournament, actor=None, reason="")
    for _ in range(2):
        results.take_back(world.tournament, actor=None, reason="a score was misread")

    line = Journal.objects.get(action="take back results")
    assert line.before["places"][0] == [entry(world, 1).pk, 1]
    assert line.reason == "a score was misread"
    assert told(world) == {}
    assert declare(world)[1] == "1"
