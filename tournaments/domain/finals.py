"""A game of two or more on one machine: its order, who goes on from it, and what has to be played off.

House rules, "Semi-finals", "5th-8th, then final" and "a tie for any place is played off". Nothing but scores, a
play-off or a ruling ever orders two who are level.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import NamedTuple

from tournaments.domain.facts import Decision
from tournaments.domain.standings import place_words
from tournaments.domain.ties import Group, groups


class Finish(NamedTuple):
    """Where an entry stands in a game; `value` is None for who did not play, `why` says what ordered a tie."""

    entry: int
    place: int
    shared: bool
    value: int | None
    why: str


@dataclass(frozen=True, slots=True)
class PlayOff:
    """A tie that people must settle: a game of these entries for `places` of what is at stake."""

    entries: tuple[int, ...]
    first: int
    places: int

    @property
    def last(self) -> int:
        """The worst place the tie covers."""
        return self.first + len(self.entries) - 1

    def words(self, noun: str = "player") -> str:
        """ "a play-off game of 3 players for 1 place", "a play-off game of 2 players for 1st to 2nd place".

        `noun` is what one that competes is called.
        """
        if self.places == len(self.entries):
            at_stake = f"{place_words(self.first)} to {place_words(self.last)} place"
        else:
            at_stake = "1 place" if self.places == 1 else f"{self.places} places"
        return f"a play-off game of {len(self.entries)} {noun}s for {at_stake}"


@dataclass(frozen=True, slots=True)
class Game:
    """What is known of one game: who is in it, the scores so far, who will not play, and what people decided."""

    entries: tuple[int, ...]
    scores: Mapping[int, int]
    absent: frozenset[int] = frozenset()
    decisions: tuple[Decision, ...] = ()

    @property
    def missing(self) -> tuple[int, ...]:
        """Those whose score is still to come."""
        return tuple(e for e in self.entries if e not in self.scores and e not in self.absent)


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a game stands. It is decided when no score is missing and no tie that matters is open."""

    finishes: tuple[Finish, ...]
    missing: tuple[int, ...]
    play_offs: tuple[PlayOff, ...]

    @property
    def decided(self) -> bool:
        return not self.missing and not self.play_offs

    def best(self, many: int) -> tuple[int, ...]:
        """The entries that go on when `many` do; ask only once it is decided. Who did not play never goes on."""
        return tuple(f.entry for f in self.finishes[:many] if f.value is not None)

    def others(self, many: int) -> tuple[int, ...]:
        """Everybody whom `best` leaves out."""
        on = set(self.best(many))
        return tuple(f.entry for f in self.finishes if f.entry not in on)


def outcome(game: Game, go_on: int | None = None) -> Outcome:
    """The order of a game by score.

    With `go_on` only a tie across that many places matters, because all above it go on alike; without it every tie
    does. Those who did not play share the last places, which need no play-off.
    """
    played = sorted(game.scores, key=lambda entry: -game.scores[entry])
    finishes: list[Finish] = []
    play_offs: list[PlayOff] = []
    for value, group in groupby(played, key=lambda entry: game.scores[entry]):
        for tied, why in _parted(tuple(group), game.decisions):
            first = len(finishes) + 1
            finishes += [Finish(entry, first, len(tied) > 1, value, why) for entry in tied]
            if len(tied) > 1 and _matters(first, len(tied), go_on):
                places = len(tied) if go_on is None else go_on - first + 1
                play_offs.append(PlayOff(tied, first, places))
    last = len(finishes) + 1
    away = [entry for entry in game.entries if entry in game.absent and entry not in game.scores]
    finishes += [Finish(entry, last, len(away) > 1, None, "did not play") for entry in away]
    return Outcome(tuple(finishes), game.missing, tuple(play_offs) if not game.missing else ())


def _matters(first: int, many: int, go_on: int | None) -> bool:
    return go_on is None or first <= go_on < first + many - 1


def _parted(tied: Group, decisions: Sequence[Decision], why: str = "") -> list[tuple[Group, str]]:
    """The tied in the order of the latest decision that covers all of them, and who is level in it by a later one."""
    for number in reversed(range(len(decisions) if len(tied) > 1 else 0)):
        decision = decisions[number]
        if set(tied) <= set(decision.order):
            later = decisions[number + 1 :]
            return [part for group in groups(tied, decision) for part in _parted(group, later, decision.kind)]
    return [(tied, why)]
