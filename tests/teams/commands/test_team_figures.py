"""The figures of groups and orders of play, as a command prints them."""

import io

import pytest
from django.core.management import CommandError, call_command


def figures(*arguments):
    out = io.StringIO()
    call_command("team_figures", *arguments, stdout=out)
    return out.getvalue().splitlines()


def test_every_number_of_teams_has_groups_and_an_order_of_play_without_a_fault():
    heading, _, *lines = figures()

    assert heading == "| teams | groups | turns | least | games on a machine | waits | faults |"
    cells = [line.strip("| ").split(" | ") for line in lines]
    assert [int(line[0]) for line in cells] == list(range(4, 33))
    assert {line[-1] for line in cells} == {"none"}
    assert all(int(turns) >= int(least) for _, _, turns, least, *_ in cells)


def test_sixteen_teams_on_twelve_machines_play_five_turns_and_wait_one_at_most():
    *_, line = figures("--teams", "16")

    assert line == "| 16 | A 1 6 9 13, B 2 5 10 14, C 3 8 11 15, D 4 7 12 16 | 5 | 5 | 3 to 4 | 0 to 1 | none |"


def test_too_few_machines_are_refused_with_the_reason():
    with pytest.raises(CommandError, match="on different machines"):
        figures("--teams", "16", "--machines", "2")
