"""Typed scores: reading, grouping, saying in words, and doubting.

House rules, "Scores": whole numbers from 0 to 999,999,999,999,999; zero is a real score; one score may be typed
with commas, points or spaces between groups of three; anything else is refused with the reason.
Whether a score is doubtful is our choice: the rules are silent on typing errors.
"""

import re
from collections.abc import Sequence
from statistics import median

from tournaments.domain.refusals import Refusal

HIGHEST = 999_999_999_999_999
SPACES = "\u00a0\u2007\u2009\u202f"
"""No-break, figure, thin and narrow no-break space: what spreadsheets and telephones put between groups."""

_PLAIN = re.compile(r"[0-9]+")
_GROUPED = re.compile(r"[0-9]{1,3}(?:(?P<mark>[,. '])[0-9]{3})(?:(?P=mark)[0-9]{3})*")
_ONE_MARK = re.compile(r"[0-9]+[.,][0-9]+")


def read(typed: str) -> int:
    """The score a person typed, as a whole number of points; raises `Refusal` with the reason.

    Source: house rules, "Scores".
    """
    text = typed.strip()
    for space in SPACES:
        text = text.replace(space, " ")
    text = text.strip()
    if not text:
        raise Refusal("Type the score; a game that scored nothing is 0.", field="score")
    if _PLAIN.fullmatch(text):
        digits = text
    elif _GROUPED.fullmatch(text):
        digits = re.sub(r"[^0-9]", "", text)
    else:
        raise Refusal(_why_unreadable(text), field="score")
    digits = digits.lstrip("0") or "0"
    if len(digits) > len(str(HIGHEST)):
        raise Refusal(f"“{text}” is more than {grouped(HIGHEST)}, the highest score we take.", field="score")
    return int(digits)


def _why_unreadable(text: str) -> str:
    if text.startswith(("-", "\u2212")):
        return f"“{text}” is below zero; a score is 0 or more."
    if re.search(r"[^0-9 ,.'\-]", text):
        return f"“{text}” is not a number; type digits only, for example 12345678 or 12,345,678."
    if _ONE_MARK.fullmatch(text):
        return (
            f"“{text}” looks like a fraction or a group of the wrong length;"
            " scores are whole numbers and groups have three digits."
        )
    return f"“{text}” is not grouped in threes; type 12345678 or 12,345,678."


def grouped(value: int) -> str:
    """The score as people read it: 12,345,678."""
    return f"{value:,}"


def in_words(value: int) -> str:
    """The size of the score as it is said aloud: "12.3 million", "950 thousand", "zero".

    Three figures are said, rounded down, so that nothing is ever said to be more than it is. Our choice.
    """
    if value == 0:
        return "zero"
    for size, word in ((10**12, "trillion"), (10**9, "billion"), (10**6, "million"), (10**3, "thousand")):
        if value >= size:
            decimals = max(0, 3 - len(str(value // size)))
            shown = value * 10**decimals // size
            whole, rest = divmod(shown, 10**decimals)
            fraction = f"{rest:0{decimals}d}".rstrip("0") if decimals else ""
            return f"{whole}.{fraction} {word}" if fraction else f"{whole} {word}"
    return str(value)


def doubt(value: int, others: Sequence[int]) -> str:
    """Why a score deserves a second look before it is taken, or "" when it looks like the machine's others.

    `others` are the scores already recorded on the machine, in any order. A score is doubtful when it would lead
    a machine with at least three scores, or lies a factor of ten outside the middle half of at least five, or outside
    all of fewer: a digit too many or too few is the commonest typing error. Our choice.
    """
    if not others:
        return ""
    top = max(others)
    if value > top and len(others) >= 3:
        return f"It would lead this machine; the best so far is {grouped(top)}."
    if len(others) < 5:
        return _beside_few(value, min(others), top)
    ordered = sorted(others)
    half = len(ordered) // 2
    low, high = median(ordered[:half]), median(ordered[-half:])
    if value < low / 10:
        return f"It is less than a tenth of what most score here (about {grouped(int(median(ordered)))})."
    if value > high * 10:
        return f"It is more than ten times what most score here (about {grouped(int(median(ordered)))})."
    return ""


def _beside_few(value: int, lowest: int, top: int) -> str:
    if value < lowest / 10:
        return f"It is less than a tenth of the lowest score here, {grouped(lowest)}."
    if value > top * 10:
        return f"It is more than ten times the best score here, {grouped(top)}."
    return ""
