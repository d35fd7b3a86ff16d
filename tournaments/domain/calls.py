"""Which matches of a stage played in groups are to be called now, and what the others wait for.

House rules, "An order of play that keeps machines busy … the desk calls from it".
Our choice: the matches to be called are the first in the order of play that can all be played side by side with what
is under way, so that calling one of them never stands in the way of another.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple


class Planned(NamedTuple):
    """A match by its id: its machine, and all who play it. `fit` is False while its machine is out of play."""

    match: int
    machine: int
    entries: tuple[int, ...]
    fit: bool = True


class Before(NamedTuple):
    """A match that another one waits for: because of its machine, or of these entries, or of both."""

    match: int
    machine: bool
    entries: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Waiting:
    """A match that cannot be called, or not yet.

    `busy` are the matches under way that it waits for, `first` those to be called before it in the order of play.
    With nothing in either its machine is out of play.
    """

    match: int
    busy: tuple[Before, ...]
    first: tuple[Before, ...]


@dataclass(frozen=True, slots=True)
class Calls:
    """The matches not under way and not over, in the order of play: those to be called now, and those that wait."""

    now: tuple[int, ...]
    waiting: tuple[Waiting, ...]


def calls(left: Sequence[Planned], under_way: Iterable[Planned]) -> Calls:
    """What can be called: `left` are the matches that nobody has been called to, in the order of play."""
    playing = tuple(under_way)
    now: list[Planned] = []
    waiting = []
    for match in left:
        busy, first = tuple(_before(match, playing)), tuple(_before(match, now))
        if match.fit and not busy and not first:
            now.append(match)
        else:
            waiting.append(Waiting(match.match, busy, first))
    return Calls(tuple(match.match for match in now), tuple(waiting))


def _before(match: Planned, others: Iterable[Planned]) -> Iterator[Before]:
    for other in others:
        entries = tuple(entry for entry in match.entries if entry in other.entries)
        if other.machine == match.machine or entries:
            yield Before(other.match, other.machine == match.machine, entries)
