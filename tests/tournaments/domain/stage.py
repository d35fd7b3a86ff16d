"""Stages written down for a test: who scored what where, by letters instead of ids."""

import csv
import tomllib
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from tournaments.domain.facts import (
    Decision,
    Entrant,
    MachineState,
    Phase,
    Played,
    QualifyingRules,
    StageFacts,
    StageMachine,
    Standing,
)

DATA = Path(__file__).parents[2] / "data"
FOLDERS = sorted(path.parent.name for path in DATA.glob("*/expected_qualifying.csv"))
MACHINES = ("AFM", "MM", "TZ", "TAF", "CV", "FT")


def number(name: str) -> int:
    """A is number 1, B number 2 and so on, as on the badge."""
    return ord(name) - ord("A") + 1


def entry(name: str) -> int:
    """The id of an entry. The later the letter the lower the id, so that an order by id would show."""
    return 1000 - number(name)


def entries(names: Iterable[str]) -> tuple[int, ...]:
    return tuple(entry(name) for name in names)


def machine(code: str) -> int:
    return 500 - MACHINES.index(code)


def letters(ids: Iterable[int]) -> str:
    """The entries as letters, in the order given."""
    return "".join(chr(1000 - one + ord("A") - 1) for one in ids)


def stage(
    scores: Mapping[str, Mapping[str, int | tuple[int, ...]]],
    *,
    machines: Iterable[str] = MACHINES,
    states: Mapping[str, MachineState] | None = None,
    withdrawn: str = "",
    disqualified: str = "",
    phase: Phase = Phase.OPEN,
    playing: Iterable[tuple[str, str]] = (),
    waiting: Iterable[tuple[str, str]] = (),
    spent: Iterable[tuple[str, str]] = (),
    decisions: Iterable[tuple[str, str]] = (),
    may_enter: int = 0,
    more: str = "",
) -> StageFacts:
    """Facts from `{"A": {"AFM": 100, "MM": (5, 7)}}`: entries by letter, several games on a machine as a tuple.

    `more` are entries without a score.
    """
    standings = dict.fromkeys(withdrawn, Standing.WITHDRAWN) | dict.fromkeys(disqualified, Standing.DISQUALIFIED)
    games = [
        Played(entry(name), machine(code), value)
        for name, card in scores.items()
        for code, values in card.items()
        for value in (values if isinstance(values, tuple) else (values,))
    ]
    return StageFacts(
        phase=phase,
        entrants=tuple(
            Entrant(entry(name), number(name), f"Player {name}", standings.get(name, Standing.IN))
            for name in (*scores, *more)
        ),
        machines=tuple(
            StageMachine(machine(code), code, f"Machine {code}", (states or {}).get(code, MachineState.OPEN))
            for code in machines
        ),
        played=tuple(games),
        playing=tuple((entry(name), machine(code)) for name, code in playing),
        waiting=tuple((entry(name), machine(code)) for name, code in waiting),
        spent=tuple((entry(name), machine(code)) for name, code in spent),
        decisions=tuple(Decision(kind, entries(order)) for kind, order in decisions),
        may_enter=may_enter,
    )


def rules(**changes: Any) -> QualifyingRules:
    """The Open's rules with changes; the games counted follow the games allowed."""
    if "games_allowed" in changes:
        changes.setdefault("games_counted", changes["games_allowed"])
    return QualifyingRules(**changes)


def published(folder: str) -> tuple[StageFacts, QualifyingRules, int, list[tuple[int, int, int]]]:
    """A real stage with its published table: facts, rules, qualifiers and (position, number, points).

    The ids have nothing to do with the numbers on purpose.
    """
    settings = tomllib.loads((DATA / folder / "tournament.toml").read_text(encoding="utf-8"))["qualifying"]
    qualifiers = settings.pop("qualifiers")
    if isinstance(settings["points"], list):
        settings["points"] = tuple(settings["points"])
    entrants = tuple(
        Entrant(90_000 - 7 * int(line["number"]), int(line["number"]), line["name"])
        for line in _lines(folder, "entries.csv")
    )
    machines = tuple(
        StageMachine(800 - index, line["code"], line["name"])
        for index, line in enumerate(_lines(folder, "machines.csv"))
    )
    ids = {entrant.number: entrant.id for entrant in entrants}
    codes = {one.code: one.id for one in machines}
    played = tuple(
        Played(ids[int(line["number"])], codes[line["machine"]], int(line["score"]))
        for line in _lines(folder, "scores.csv")
    )
    table = [
        (int(line["position"]), int(line["number"]), int(line["points"]))
        for line in _lines(folder, "expected_qualifying.csv")
    ]
    return StageFacts(Phase.CLOSED, entrants, machines, played), QualifyingRules(**settings), qualifiers, table


def _lines(folder: str, name: str) -> list[dict[str, str]]:
    with (DATA / folder / name).open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))
