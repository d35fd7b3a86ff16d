"""Points for a place on a machine: named scales and lists of one's own.

House rules, "Points per machine". The text of 2010 says only "ranking points"; which scale is a setting of the
tournament. Checked against the published totals in tests/oracles.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise


@dataclass(frozen=True, slots=True)
class Scale:
    """Points by place on one machine.

    `by_place[0]` is for first place; places past the end score 0. With `relative`, a place scores the number of
    results on the machine that it equals or beats, and `by_place` is empty.
    """

    name: str
    by_place: tuple[int, ...] = ()
    relative: bool = False
    drops: tuple[tuple[int, tuple[int, ...]], ...] = field(init=False, repr=False, compare=False)
    """What one further rival above costs: (points lost, how many such steps lie before each place), dearest first."""

    def __post_init__(self) -> None:
        if self.relative:
            object.__setattr__(self, "drops", ((1, ()),))
            return
        if not self.by_place:
            raise ValueError("A points scale needs at least one number.")
        if any(points < 0 for points in self.by_place):
            raise ValueError("Points are 0 or more.")
        if any(worse > better for better, worse in pairwise(self.by_place)):
            raise ValueError("Points must not rise from a better place to a worse one.")
        steps = [better - worse for better, worse in pairwise((*self.by_place, 0))]
        drops = []
        for size in sorted(set(steps) - {0}, reverse=True):
            before = [0]
            for step in steps:
                before.append(before[-1] + (step == size))
            drops.append((size, tuple(before)))
        object.__setattr__(self, "drops", tuple(drops))

    def points(self, place: int, of: int) -> int:
        """Points for a place (1 is best) among `of` results on the machine."""
        if self.relative:
            return of - place + 1
        return self.by_place[place - 1] if place <= len(self.by_place) else 0

    def run(self, first: int, places: int, of: int) -> Sequence[int]:
        """The points for so many places one after the other, from `first` on, among `of` results on the machine."""
        if self.relative:
            return range(of - first + 1, of - first + 1 - places, -1)
        points = self.by_place[first - 1 : first - 1 + places]
        return points + (0,) * (places - len(points))


LINEAR_100 = Scale("linear-100", tuple(range(100, -1, -1)))
PAPA = Scale("papa", (100, 90, *range(85, -1, -1)))
COUNT_DOWN = Scale("count-down", relative=True)
NAMED = {scale.name: scale for scale in (LINEAR_100, PAPA, COUNT_DOWN)}


def scale(points: str | Sequence[int]) -> Scale:
    """The scale a tournament names or spells out; raises `ValueError` with a sentence.

    Source: house rules, "Points per machine".
    """
    if isinstance(points, str):
        if points in NAMED:
            return NAMED[points]
        raise ValueError(f"“{points}” is not a points scale; use {', '.join(NAMED)} or a list such as [15, 12, 10].")
    if not all(isinstance(number, int) and not isinstance(number, bool) for number in points):
        raise ValueError("A list of points holds whole numbers only.")
    return Scale("list", tuple(points))
