"""How decisions part entries that are level: a play-off game, one more between those still level, or a ruling.

House rules, "a tie across the cut must be resolved by a play-off game of n players for m places (default) or by
ruling". A decision orders groups; who is level in a play-off is in one group, and only another decision parts it.
"""

from collections.abc import Collection, Sequence
from typing import NamedTuple

from tournaments.domain.facts import Decision

Group = tuple[int, ...]


class Placed(NamedTuple):
    """Entries that no decision parts, often just one; `kind` is that of the decision that put them here, or ""."""

    entries: Group
    kind: str = ""


class Parted(NamedTuple):
    """Groups that go on, the best first; those still level, for how many places; the kind of the last decision."""

    on: tuple[Group, ...]
    level: Group
    places: int
    kind: str = ""


def groups(tied: Collection[int], decision: Decision) -> tuple[Group, ...]:
    """The decision's order among these entries, as groups of those it leaves level."""
    found: list[Group] = []
    for entry in decision.order:
        if entry not in tied or any(entry in group for group in found):
            continue
        same = next((level for level in decision.level if entry in level), (entry,))
        found.append(tuple(other for other in same if other in tied))
    return tuple(found)


def part(tied: Group, places: int, decisions: Sequence[Decision], kinds: Collection[str]) -> Parted:
    """Who of the tied go on when there are `places`, by the latest decision that covers all of them.

    If it leaves some level across the last place, a later decision between these few goes on from there.
    """
    if len(tied) <= places:
        return Parted((tied,), (), 0)
    for number in reversed(range(len(decisions))):
        decision = decisions[number]
        if decision.kind in kinds and set(tied) <= set(decision.order):
            return _by(decision, tied, places, decisions[number + 1 :], kinds)
    return Parted((), tied, places)


def in_order(tied: Group, decisions: Sequence[Decision], kinds: Collection[str], kind: str = "") -> tuple[Placed, ...]:
    """All of the tied, the best first, as far as decisions part them: the latest that covers all, then later ones."""
    for number in reversed(range(len(decisions))):
        decision = decisions[number]
        if len(tied) > 1 and decision.kind in kinds and set(tied) <= set(decision.order):
            later = decisions[number + 1 :]
            parts = [in_order(group, later, kinds, decision.kind) for group in groups(tied, decision)]
            return tuple(placed for part in parts for placed in part)
    return (Placed(tied, kind),)


def _by(decision: Decision, tied: Group, places: int, later: Sequence[Decision], kinds: Collection[str]) -> Parted:
    on: list[Group] = []
    for group in groups(tied, decision):
        if places == 0:
            break
        if len(group) > places:
            rest = part(group, places, later, kinds)
            return Parted((*on, *rest.on), rest.level, rest.places, rest.kind or decision.kind)
        on.append(group)
        places -= len(group)
    return Parted(tuple(on), (), 0, decision.kind)
