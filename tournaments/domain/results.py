"""The final places of everybody.

House rules, "Results": 1-4 final, 5-8 play-off, 9-24 second-round order, 25 on qualifying order, disqualified and
no-shows listed apart.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class FinalPlace(NamedTuple):
    """Where an entry ended; `place` None with the reason for who has none."""

    entry: int
    place: int | None
    shared: bool
    why: str


@dataclass(frozen=True, slots=True)
class Layer:
    """One stage's say in the final order: groups of entries, the best first; a group of several shares its place."""

    label: str
    groups: tuple[tuple[int, ...], ...]


def final_places(layers: Sequence[Layer], apart: Mapping[int, str]) -> tuple[FinalPlace, ...]:
    """Everybody once: by the last stage they played, in its order; those in `apart` with their reason, at the end.

    `layers` are the stages from the last to the first; an entry counts where it appears first.
    """
    places: list[FinalPlace] = []
    seen: set[int] = set(apart)
    for layer in layers:
        for group in layer.groups:
            left = [entry for entry in group if entry not in seen]
            place = len(places) + 1
            places += [FinalPlace(entry, place, len(left) > 1, layer.label) for entry in left]
            seen.update(left)
    return (*places, *(FinalPlace(entry, None, False, why) for entry, why in apart.items()))


def for_ratings(places: Iterable[FinalPlace], games: Mapping[int, int], counted: int) -> tuple[FinalPlace, ...]:
    """The field for the world rankings: players under half of the counted qualifying games are left out and the
    others move up; level players share the better position.

    Source: the rating body's custom as our work order states it; what half of an odd number is, is our choice: 1 of 3
    is under half, 2 of 3 is not.
    """
    kept = [place for place in places if place.place is not None and 2 * games.get(place.entry, 0) >= counted]
    by_place: dict[int, list[FinalPlace]] = {}
    for place in kept:
        by_place.setdefault(place.place or 0, []).append(place)
    field: list[FinalPlace] = []
    for old in sorted(by_place):
        same = by_place[old]
        position = len(field) + 1
        field += [FinalPlace(p.entry, position, len(same) > 1, p.why) for p in same]
    return tuple(field)
