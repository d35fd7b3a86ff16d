"""A rule that is not closed takes everything after it out of force, and no browser says so."""

import re
from pathlib import Path

import pytest

STYLES = sorted((Path(__file__).parents[2] / "static/css").glob("*.css"))


@pytest.mark.parametrize("sheet", STYLES, ids=lambda sheet: sheet.name)
def test_every_rule_is_closed_before_the_next_begins(sheet):
    within = []
    text = re.sub(r"/\*.*?\*/", "", sheet.read_text(), flags=re.DOTALL)
    for head, brace in re.findall(r"([^{};]*)([{}])", text):
        if brace == "}":
            within.pop()
            continue
        assert all(outer.startswith("@") for outer in within), (
            f"{within[-1]} is still open where {head.strip()} begins"
        )
        within.append(head.strip())
    assert within == []
