"""Groups written down for a test: who beat whom by what, by letters instead of ids."""

from collections.abc import Iterable, Mapping
from itertools import combinations

from teams.domain.groups import GroupTable, standings
from teams.format import TeamRules
from tests.tournaments.domain.stage import entries, entry, letters, number
from tournaments.domain.facts import (
    Decision,
    Entrant,
    Met,
    Part,
    Phase,
    Played,
    StageFacts,
    StageMachine,
    Standing,
)

NAMES = dict(zip("ABCDEFGH", ["Ants", "Bees", "Cats", "Dogs", "Elks", "Foxes", "Gnus", "Hens"], strict=True))
AWAY = "away"
TAXI = 700
BONUS = {"A": 800, "B": 801}
RULES = TeamRules()

Value = int | str | None


def part(name: str, value: Value) -> Part:
    return (
        Part(entry(name), away=True) if value == AWAY else Part(entry(name), value if isinstance(value, int) else None)
    )


def facts(
    matches: Mapping[str, tuple[Value, Value]] | None = None,
    bonus: Mapping[str, Value] | None = None,
    *,
    groups: Mapping[str, str] | None = None,
    solo: Iterable[tuple[str, int]] = (),
    withdrawn: str = "",
    disqualified: str = "",
    decisions: Iterable[tuple[str, str, str]] = (),
) -> StageFacts:
    """A stage from `{"AB": (10, 5)}`: A beat B by 10 to 5; None is a score still to come, AWAY who does not play.

    Every match of a group is dealt, each on a machine of its own; those that are not named are to come. `bonus` are
    bonus games dealt as matches of one, `solo` scores outside any match. `decisions` are (kind, order, those of them
    that it leaves level).
    """
    groups = groups or {"A": "ABCD"}
    standing = dict.fromkeys(withdrawn, Standing.WITHDRAWN) | dict.fromkeys(disqualified, Standing.DISQUALIFIED)
    label = {name: letter for letter, members in groups.items() for name in members}
    met = []
    for members in groups.values():
        for place, pair in enumerate(map("".join, combinations(members, 2))):
            values = (matches or {}).get(pair, (None, None))
            parts = tuple(part(name, value) for name, value in zip(pair, values, strict=True))
            met.append(Met(TAXI - place, parts, round=place + 1))
    met += [Met(BONUS[label[name]], (part(name, value),)) for name, value in (bonus or {}).items()]
    machines = [StageMachine(TAXI, "TAXI", "Taxi")]
    machines += [StageMachine(TAXI - place, f"M{place}", f"Machine {place}") for place in range(1, 6)]
    machines += [StageMachine(BONUS[letter], f"B{letter}", f"Bonus {letter}") for letter in BONUS]
    return StageFacts(
        Phase.OPEN,
        tuple(Entrant(entry(n), number(n), NAMES[n], standing.get(n, Standing.IN), label[n]) for n in label),
        tuple(machines),
        tuple(Played(entry(name), BONUS[label[name]], value) for name, value in solo),
        decisions=tuple(
            Decision(kind, entries(order), level=(entries(level),) if level else ())
            for kind, order, level in decisions
        ),
        met=tuple(met),
    )


def table(*args, **kwargs) -> GroupTable:
    """The table of the only group."""
    [found] = standings(facts(*args, **kwargs), RULES)
    return found


def places(found: GroupTable) -> str:
    """The places in words: "A1 B2= C2= D-"."""
    return " ".join(f"{letters([line.entry])}{line.place or '-'}{'=' if line.shared else ''}" for line in found.lines)


def points(found: GroupTable) -> dict[str, tuple[int, int]]:
    """The points of matches and of the bonus game, by letter."""
    return {letters([line.entry]): (line.match_points, line.bonus_points) for line in found.lines}


def why(found: GroupTable, name: str) -> tuple[str, ...]:
    """The reasons for the place of a team."""
    return found.line(entry(name)).why


def play_off(found: GroupTable) -> str:
    """Who has to play off the first place; empty when nobody has to."""
    for each in found.outcome.play_offs:
        assert (each.first, each.places) == (1, 1)
    return "".join(sorted(letters(e for each in found.outcome.play_offs for e in each.entries)))


WHOLE = {"AB": (20, 10), "AC": (20, 10), "AD": (20, 10), "BC": (20, 10), "BD": (20, 10), "CD": (20, 10)}
"""Every match played: A has beaten all others, B two, C one, D none."""
CIRCLE = {"AB": (20, 10), "BC": (20, 10), "AC": (10, 20), "AD": (20, 10), "BD": (20, 10), "CD": (20, 10)}
"""A beat B, B beat C and C beat A, and all three beat D."""
