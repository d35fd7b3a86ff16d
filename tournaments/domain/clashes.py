"""Who is wanted in two tournaments of a show at once.

House rules, "Four tournaments share one show": being called in two at once is shown as a clash to the desk.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Wanted(NamedTuple):
    """A person, by id, who is called or playing somewhere: in which tournament, and where in a stable order of it.

    `place` is what the caller knows the place by: the number of a match or of a game in a list of its own.
    """

    person: int
    tournament: int
    place: int


@dataclass(frozen=True, slots=True)
class Clash:
    """A person who is wanted in more than one tournament, and all places where."""

    person: int
    places: tuple[int, ...]


def clashes(wanted: Iterable[Wanted]) -> tuple[Clash, ...]:
    """Everybody wanted in two tournaments or more; twice in one tournament is for its own rules to refuse.

    In the order in which the persons first appear, and of each the places in the order given.
    """
    by_person: dict[int, list[Wanted]] = {}
    for each in wanted:
        by_person.setdefault(each.person, []).append(each)
    return tuple(
        Clash(person, tuple(dict.fromkeys(each.place for each in own)))
        for person, own in by_person.items()
        if len({each.tournament for each in own}) > 1
    )
