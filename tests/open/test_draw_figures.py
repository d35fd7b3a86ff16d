"""The command that proves the published draw and shows how even the others are."""

import io

import pytest
from django.core.management import CommandError, call_command


def run(*arguments):
    out = io.StringIO()
    call_command("draw_figures", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_the_published_draw_is_printed_with_its_figures():
    lines = run("--players")

    assert lines[0] == "The published draw, 24 players on 12 machines:"
    assert [line.partition(",")[0] for line in lines[1:5]] == ["Game 1", "Game 2", "Game 3", "Game 4"]
    assert all(line.count(" and ") == 12 for line in lines[1:5])
    assert lines[5:] == [
        "Every rule of the draw is kept.",
        "Four opponents' positions add up to 50.",
        "Everybody meets one opponent from each quarter of the field.",
        "The positions on each machine add up to exactly 100.",
        "Two players share at most 3 machines.",
    ]


def test_the_balance_of_other_draws_is_a_table():
    lines = run("--players", "24")

    assert lines[-3].startswith("| Players | Machines | ")
    assert lines[-1].startswith("| 24 | 12 | 0 | 0 | 0 | 100 to 100 | 0 | 3 | 0 |")


def test_numbers_that_allow_no_draw_are_refused():
    with pytest.raises(CommandError, match="7 players are too few"):
        run("--players", "7")
