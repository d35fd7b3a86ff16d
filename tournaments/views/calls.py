"""The order of play of a stage played in groups, as staff call from it: what is under way, what next, what waits."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from django.utils import timezone

from tournaments import selectors
from tournaments.domain import calls
from tournaments.domain.calls import Before, Planned
from tournaments.models import Entry, Machine, Match, Player, Stage
from tournaments.selectors import Engaged
from tournaments.services import redrawing
from tournaments.views.matches import Game, games

Elsewhere = dict[int, list[tuple[Player, Engaged]]]
"""Who behind an entry, by its id, is wanted in another tournament, and where."""

LONG_AGO = datetime.min.replace(tzinfo=UTC)
"""Before everything of which a time is known."""

UNDO_OFFERED = timedelta(minutes=5)
"""For how long the board still offers to take back that somebody did not come, above everything else."""


@dataclass(frozen=True)
class Line:
    """A match on the board.

    `waits` says for what, in sentences; `elsewhere` who of it is wanted in another tournament of the show.
    """

    game: Game
    waits: tuple[str, ...] = ()
    elsewhere: tuple[str, ...] = ()


@dataclass(frozen=True)
class Board:
    """All matches of a stage: those to be played again and those under way, to be called now, waiting, and over."""

    level: tuple[Line, ...]
    under_way: tuple[Line, ...]
    now: tuple[Line, ...]
    waiting: tuple[Line, ...]
    over: tuple[Line, ...]
    given_up: tuple[Game, ...]

    @property
    def mark(self) -> str:
        """What changes on the board without a change in its tournament: whose time to come is up, who is elsewhere."""
        up = [line.game.match.pk for line in self.under_way if _is_up(line.game)]
        elsewhere = [line.elsewhere for line in (*self.under_way, *self.now)]
        return hashlib.sha256(repr((up, elsewhere)).encode()).hexdigest()[:8]

    def line(self, match: Match) -> Line | None:
        """The line of a match."""
        lines = (*self.level, *self.under_way, *self.now, *self.waiting, *self.over)
        return next((line for line in lines if line.game.match == match), None)


def board(stage: Stage, found: Sequence[Game]) -> Board:
    """The matches of a stage as they can be called, in a fixed number of queries beside the games themselves."""
    by_id = {game.match.pk: game for game in found}
    dead = set(redrawing.out_of_play(stage))
    under_way = [game for game in found if game.match.state in Match.UNDER_WAY]
    left = [game for game in found if game.match.state == Match.State.PLANNED]
    turns = calls.calls([_planned(game, dead) for game in left], [_planned(game, dead) for game in under_way])
    entries = {place.entry.pk for game in (*under_way, *left) for place in game.there}
    elsewhere = selectors.wanted_elsewhere(stage.tournament, entries)
    over = [game for game in found if game.over]
    return Board(
        level=tuple(Line(game) for game in over if game.level),
        under_way=tuple(Line(game, elsewhere=_elsewhere(game, elsewhere)) for game in _as_called(under_way)),
        now=tuple(Line(by_id[match], elsewhere=_elsewhere(by_id[match], elsewhere)) for match in turns.now),
        waiting=tuple(_waiting(waits, by_id, dead, elsewhere) for waits in turns.waiting),
        over=tuple(Line(game) for game in _last_first(over) if not game.level),
        given_up=tuple(game for game in over if game.may_come and _just_now(game)),
    )


def line(game: Game) -> Line | None:
    """What a match of a stage played in groups waits for, and who of it is wanted elsewhere; None for any other."""
    stage = game.match.stage
    return board(stage, games(stage, timezone.now())).line(game.match) if game.won else None


def clash_words(lines: Sequence[tuple[Player, Engaged]]) -> list[str]:
    """ "7 Ann Example is playing on Funhouse in the Classic." """
    return [f"{player} is {place.words}." for player, place in lines]


def _planned(game: Game, dead: set[Machine]) -> Planned:
    entries = tuple(place.entry.pk for place in game.there)
    return Planned(game.match.pk, game.match.machine_id, entries, game.match.machine not in dead)


def _waiting(waits: calls.Waiting, by_id: dict[int, Game], dead: set[Machine], elsewhere: Elsewhere) -> Line:
    game = by_id[waits.match]
    entries = {place.entry.pk: place.entry for place in game.places}
    words = [f"{game.match.machine.name} is out of play."] if game.match.machine in dead else []
    words += [_busy(before, by_id[before.match], entries) for before in waits.busy]
    if not words:
        words = [_first(before, by_id[before.match], entries) for before in waits.first]
    return Line(game, tuple(words), _elsewhere(game, elsewhere))


def _busy(before: Before, other: Game, entries: dict[int, Entry]) -> str:
    """ "3 Bo Sample is on Funhouse.", "Firepower is taken by 3 Bo Sample against 4 Cy Dee." """
    machine = other.match.machine.name
    if before.machine:
        return f"{machine} is taken by {other.versus}."
    return f"{_names(before, entries)} is on {machine}."


def _first(before: Before, other: Game, entries: dict[int, Entry]) -> str:
    """ "3 Bo Sample plays on Funhouse first.", "First on Firepower: 3 Bo Sample against 4 Cy Dee." """
    machine = other.match.machine.name
    if before.machine:
        return f"First on {machine}: {other.versus}."
    return f"{_names(before, entries)} {'plays' if len(before.entries) == 1 else 'play'} on {machine} first."


def _names(before: Before, entries: dict[int, Entry]) -> str:
    return " and ".join(str(entries[entry]) for entry in before.entries)


def _elsewhere(game: Game, found: Elsewhere) -> tuple[str, ...]:
    return tuple(words for place in game.there for words in clash_words(found.get(place.entry.pk, [])))


def _as_called(games: Sequence[Game]) -> list[Game]:
    """Those that still wait for somebody come first, and of them those called before the others."""
    return sorted(games, key=lambda game: (game.match.state != Match.State.CALLED, game.match.called_at or LONG_AGO))


def _last_first(games: Sequence[Game]) -> list[Game]:
    return sorted(games, key=lambda game: game.match.done_at or LONG_AGO, reverse=True)


def _is_up(game: Game) -> bool:
    return game.awaited is not None and not game.awaited.left


def _just_now(game: Game) -> bool:
    done = game.match.done_at
    return done is not None and game.awaited is not None and game.awaited.now - done < UNDO_OFFERED
