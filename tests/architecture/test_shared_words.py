"""Shared code serves every format alike: it never speaks of what only one of them knows."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SHARED = ("tournaments", "templates/tournaments", "static/css", "static/js")
ONE_FORMAT_ALONE = re.compile(r"\bteams?\b", re.IGNORECASE)


def lines(folder):
    for path in sorted((ROOT / folder).rglob("*")):
        if path.is_file() and path.suffix in {".py", ".html", ".jinja", ".css", ".js"}:
            for number, line in enumerate(path.read_text().splitlines(), start=1):
                yield f"{path.relative_to(ROOT)}:{number}", line


@pytest.mark.parametrize("folder", SHARED)
def test_no_line_of_shared_code_knows_what_a_team_is(folder):
    found = list(lines(folder))

    assert found
    assert [where for where, line in found if ONE_FORMAT_ALONE.search(line)] == []
