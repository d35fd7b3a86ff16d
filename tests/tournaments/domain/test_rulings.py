"""What rulings make of scores: 80 %, factors, what is carried over to a substitute, and how it is told."""

from collections import Counter
from decimal import Decimal
from fractions import Fraction
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.domain.stage import entry, machine, rules, stage
from tournaments.domain.facts import MachineState, Played
from tournaments.domain.needs import needs
from tournaments.domain.rulings import (
    WORDS,
    Move,
    eighty_percent,
    proposed_factor,
    ranked_elsewhere,
    rescaled,
    shown_factor,
    told,
)
from tournaments.domain.scores import HIGHEST
from tournaments.domain.standings import tabulate

VALUES = st.integers(0, HIGHEST)
FACTORS = st.decimals("0.000001", "1000000", places=6)


@pytest.mark.parametrize(
    ("reached", "counts"), [(0, 0), (1, 0), (4, 3), (5, 4), (1_234_567, 987_653), (HIGHEST, 799_999_999_999_999)]
)
def test_eighty_percent_is_rounded_down_to_a_whole_point(reached, counts):
    assert eighty_percent(reached) == counts


@given(VALUES)
def test_eighty_percent_is_exact_and_never_more(value):
    assert eighty_percent(value) <= Fraction(8, 10) * value < eighty_percent(value) + 1


@given(VALUES, FACTORS)
def test_a_rescaled_score_is_rounded_down_and_is_a_score_again(value, factor):
    exact = Fraction(factor) * value
    result = rescaled(value, factor)
    if exact >= HIGHEST:
        assert result == HIGHEST
    else:
        assert result <= exact < result + 1


@given(VALUES, VALUES, FACTORS)
def test_a_factor_never_turns_an_order_round(one, other, factor):
    low, high = sorted((one, other))

    assert rescaled(low, factor) <= rescaled(high, factor)


def test_the_highest_score_is_never_exceeded():
    assert rescaled(HIGHEST, Decimal("1000000")) == HIGHEST
    assert rescaled(HIGHEST, Decimal("0.999999")) < HIGHEST
    assert rescaled(HIGHEST, Decimal(1)) == HIGHEST


POSITIVE = st.lists(st.integers(1, 10**12), min_size=1, max_size=9)


@given(POSITIVE, POSITIVE)
def test_a_proposed_factor_brings_one_median_near_the_other_with_four_figures(of, onto):
    factor = proposed_factor(of, onto)
    exact = Fraction(median(onto)) / Fraction(median(of))
    if factor is None:
        assert exact < Fraction(1, 10**6)
    else:
        assert factor == round(factor, 6)
        # Half a unit of the fourth figure, or of the sixth decimal where there are not so many.
        assert abs(Fraction(factor) - exact) <= max(exact / 2_000, Fraction(1, 10**6))


@pytest.mark.parametrize(("of", "onto"), [([], [5]), ([5], []), ([0, 0, 9], [5]), ([5], [0])])
def test_no_factor_is_proposed_where_a_median_is_missing_or_nothing(of, onto):
    assert proposed_factor(of, onto) is None


def test_a_factor_is_shown_without_trailing_zeros():
    assert [shown_factor(Decimal(word)) for word in ("0.800000", "2.000000", "10", "0.000001")] == [
        "0.8",
        "2",
        "10",
        "0.000001",
    ]


SUBSTITUTE, OTHER, OUT, ALSO_OUT = 1, 2, 3, 4
MOVES = {
    OUT: Move(SUBSTITUTE, Decimal("0.5"), "Out"),
    ALSO_OUT: Move(SUBSTITUTE, Decimal("2"), "Also out"),
}
GAMES = st.lists(
    st.builds(Played, st.integers(1, 3), st.sampled_from((SUBSTITUTE, OTHER, OUT, ALSO_OUT)), st.integers(0, 5)),
    max_size=16,
)


def onto_the_substitute(played, games_per_machine):
    kept, notes = ranked_elsewhere(played, MOVES, games_per_machine)
    return [game for game in kept if game.machine == SUBSTITUTE], notes


@given(GAMES, st.integers(1, 3), st.randoms())
def test_the_order_of_the_games_changes_nothing(played, games_per_machine, random):
    kept, notes = ranked_elsewhere(played, MOVES, games_per_machine)
    shuffled, same_notes = ranked_elsewhere(random.sample(played, len(played)), MOVES, games_per_machine)

    assert sorted(shuffled) == sorted(kept)
    assert sorted(same_notes) == sorted(notes)


@given(GAMES, st.integers(1, 3))
def test_nobody_gains_a_game_on_the_substitute_beyond_what_a_machine_allows(played, games_per_machine):
    before = Counter(game.entry for game in played if game.machine == SUBSTITUTE)
    onto, _ = onto_the_substitute(played, games_per_machine)

    for who, games in Counter(game.entry for game in onto).items():
        assert games <= max(games_per_machine, before[who])


@given(GAMES, st.integers(1, 3))
def test_what_was_played_on_other_machines_and_on_the_substitute_stays(played, games_per_machine):
    kept, _ = ranked_elsewhere(played, MOVES, games_per_machine)
    left = Counter(kept)
    left.subtract(game for game in played if game.machine not in MOVES)

    assert all(count >= 0 for count in left.values())
    assert Counter(game for game in kept if game.machine == OTHER) == Counter(
        game for game in played if game.machine == OTHER
    )


@given(GAMES, st.integers(1, 3))
def test_while_there_is_room_everything_is_carried_over_and_the_best_first(played, games_per_machine):
    onto, notes = onto_the_substitute(played, games_per_machine)
    for who in {game.entry for game in played}:
        own = [game for game in played if game.entry == who]
        here = sum(1 for game in own if game.machine == SUBSTITUTE)
        moved = sorted((game for game in own if game.machine in MOVES), key=worth, reverse=True)
        room = max(0, games_per_machine - here)
        carried = [note for note in notes if note.entry == who]
        assert len(carried) == min(room, len(moved))
        assert sum(1 for game in onto if game.entry == who) == here + len(carried)
        ranked = Counter(game.value for game in onto if game.entry == who)
        ranked.subtract(game.value for game in own if game.machine == SUBSTITUTE)
        assert sorted(ranked.elements(), reverse=True) == [worth(game) for game in moved[: len(carried)]]


def worth(game):
    """What a game on a withdrawn machine is ranked with."""
    return rescaled(game.value, MOVES[game.machine].factor)


def test_with_repeats_the_better_game_is_carried_over():
    played = [Played(7, OUT, 10), Played(7, OUT, 30), Played(7, SUBSTITUTE, 1)]

    onto, notes = onto_the_substitute(played, 2)

    assert sorted(game.value for game in onto) == [1, 15]
    assert [note.words for note in notes] == ["30 on Out, times 0.5"]


def test_whoever_played_both_keeps_the_substitute_alone():
    onto, notes = onto_the_substitute([Played(7, OUT, 100), Played(7, SUBSTITUTE, 1)], 1)

    assert onto == [Played(7, SUBSTITUTE, 1)]
    assert notes == []


def test_every_ruling_is_told_with_what_was_reached_and_what_counts():
    data = {"reached": 1_000_000, "counts": 800_000}

    assert told("extra-ball-80", data, "Ball 4.") == (
        "Ruling: extra ball played by mistake: 80 % counts (1,000,000 was reached, 800,000 counts). Ball 4."
    )
    assert told("corrected", {"reached": 5, "counts": 50}, "Misread.") == (
        "Ruling: corrected after the round was closed (5 was recorded, 50 counts). Misread."
    )
    assert told("slam-tilt", {"reached": 5, "counts": 5}, "Rough.") == (
        "Ruling: slam tilt: the score reached stands. Rough."
    )
    assert told("discarded", {"reached": 5, "counts": None}, "Coached.") == (
        "Ruling: game discarded: it counts as played and for nothing. Coached."
    )


def test_a_warning_is_between_the_player_and_the_desk():
    assert told("warning", {}, "Hit the glass.") == ""
    assert "warning" not in WORDS


def test_a_discarded_game_counts_as_played_and_for_nothing():
    facts = stage({"A": {"AFM": 10, "MM": 20}, "B": {"AFM": 5}}, spent=[("A", "TZ"), ("C", "TZ")], more="C")

    table = tabulate(facts, rules())

    rows = {row.entry: row for row in table.rows}
    assert (rows[entry("A")].games, len(rows[entry("A")].results)) == (3, 2)
    assert table.machines[machine("TZ")] == ()
    assert (rows[entry("C")].place, rows[entry("C")].games) == (None, 1)


def test_a_discarded_game_on_a_cancelled_machine_is_given_back():
    facts = stage({"A": {"AFM": 10}}, spent=[("A", "TZ")], states={"TZ": MachineState.CANCELLED})

    assert tabulate(facts, rules()).row(entry("A")).games == 1


def test_whoever_has_a_discarded_game_on_a_machine_cannot_play_it_again_and_has_one_game_less():
    facts = stage({"A": {"AFM": 10}, "B": {"MM": 5}}, spent=[("A", "TZ")])
    allowed = rules(games_allowed=3)

    offered = {need.machine: need.playable for need in needs(entry("A"), facts, tabulate(facts, allowed), allowed, 1)}

    assert not offered[machine("TZ")]
    assert offered[machine("MM")]
    full = rules(games_allowed=2)
    assert not any(need.playable for need in needs(entry("A"), facts, tabulate(facts, full), full, 1))
