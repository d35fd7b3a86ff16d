from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tournaments.domain import scores
from tournaments.domain.refusals import Refusal

SCORES = st.integers(0, scores.HIGHEST)


@pytest.mark.parametrize(
    "typed",
    [
        "12345678",
        "12,345,678",
        "12.345.678",
        "12 345 678",
        "12'345'678",
        "12\u00a0345\u00a0678",
        "12\u202f345\u202f678",
        "12\u2009345\u2009678",
        "  12345678\n",
        "0012345678",
    ],
)
def test_every_usual_way_of_grouping_is_the_same_score(typed):
    assert scores.read(typed) == 12_345_678


@pytest.mark.parametrize(
    ("typed", "reason"),
    [
        ("", "Type the score"),
        ("   ", "Type the score"),
        ("1.5", "looks like a fraction"),
        ("1,23", "looks like a fraction"),
        ("12.3456", "looks like a fraction"),
        ("-5", "below zero"),
        ("\u22125", "below zero"),
        ("12e6", "is not a number"),
        ("12 million", "is not a number"),
        ("+5", "is not a number"),
        ("0x10", "is not a number"),
        ("1_000", "is not a number"),
        ("\u0661\u0662", "is not a number"),
        ("\u00b2", "is not a number"),
        ("1,234.567", "not grouped in threes"),
        ("1234,567", "looks like a fraction"),
        ("12,34,567", "not grouped in threes"),
        ("1,,234", "not grouped in threes"),
        ("12 34", "not grouped in threes"),
        (",123", "not grouped in threes"),
        ("1,234,", "not grouped in threes"),
        ("1-2", "not grouped in threes"),
    ],
)
def test_anything_else_is_refused_with_the_reason(typed, reason):
    with pytest.raises(Refusal, match=reason) as refused:
        scores.read(typed)
    assert refused.value.field == "score"
    assert refused.value.sentence.endswith(".")
    assert refused.value.status == 422


def test_zero_is_a_real_score():
    assert scores.read("0") == scores.read("000") == 0


def test_the_highest_score_has_fifteen_digits():
    assert scores.read("999,999,999,999,999") == scores.HIGHEST
    with pytest.raises(Refusal, match="the highest score we take"):
        scores.read("1000000000000000")


def test_a_held_down_key_is_refused_or_read_but_never_a_crash():
    assert scores.read("0" * 10_000) == 0
    with pytest.raises(Refusal, match="the highest score we take"):
        scores.read("9" * 10_000)


@given(SCORES, st.sampled_from(["", ",", ".", " ", "'", *scores.SPACES]))
def test_a_score_is_read_back_however_it_was_grouped(value, mark):
    assert scores.read(scores.grouped(value).replace(",", mark)) == value


@given(st.text(max_size=20))
def test_whatever_is_typed_is_a_score_or_a_refusal(typed):
    with suppress(Refusal):
        assert 0 <= scores.read(typed) <= scores.HIGHEST


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "zero"),
        (1, "1"),
        (999, "999"),
        (1_000, "1 thousand"),
        (950_000, "950 thousand"),
        (999_999, "999 thousand"),
        (12_345_678, "12.3 million"),
        (12_000_000, "12 million"),
        (12_999_999, "12.9 million"),
        (123_456_789, "123 million"),
        (99_999_999_990, "99.9 billion"),
        (2_050_000_000, "2.05 billion"),
        (2_006_000_000, "2 billion"),
        (1_234_567, "1.23 million"),
        (scores.HIGHEST, "999 trillion"),
    ],
)
def test_a_score_in_words_is_never_more_than_it_is(value, words):
    assert scores.in_words(value) == words


OTHERS = [4_000_000, 9_000_000, 5_000_000, 8_000_000, 6_000_000]


@pytest.mark.parametrize(
    ("value", "others", "reason"),
    [
        (99_999_999, [], ""),
        (99_999_999, [1, 2], "more than ten times the best score here, 2"),
        (20, [1, 2], ""),
        (12, [120_000_000], "less than a tenth of the lowest score here, 120,000,000"),
        (9_000_001, OTHERS[:3], "would lead this machine; the best so far is 9,000,000"),
        (9_000_000, OTHERS[:3], ""),
        (1, OTHERS[:4], "less than a tenth of the lowest score here, 4,000,000"),
        (400_000, OTHERS, "less than a tenth of what most score here (about 6,000,000)"),
        (450_000, OTHERS, ""),
        (0, OTHERS, "less than a tenth"),
        (7_000_000, OTHERS, ""),
        (70_000_000, OTHERS, "would lead"),
        (86_000_000, [*OTHERS, 5_500_000, 6_500_000, 900_000_000], "more than ten times what most score here"),
    ],
)
def test_a_score_with_a_digit_too_many_or_too_few_is_doubted(value, others, reason):
    doubt = scores.doubt(value, others)
    assert reason in doubt
    assert bool(doubt) == bool(reason)


@given(SCORES, st.lists(SCORES), st.randoms())
def test_the_order_in_which_others_scored_does_not_make_a_score_doubtful(value, others, random):
    doubt = scores.doubt(value, others)
    random.shuffle(others)
    assert scores.doubt(value, others) == doubt
