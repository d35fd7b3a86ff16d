"""Who is behind an entry that is no one person. Apps that know say so here, when they are ready."""

from collections.abc import Collection, Iterable, Mapping
from typing import NamedTuple, Protocol

from tournaments.models import Entry, Player, Tournament


class Member(NamedTuple):
    """A person behind an entry, by its id, and the role there if there is one."""

    entry: int
    player: Player
    role: str = ""


class Source(Protocol):
    """Knows who is behind the entries of some tournaments."""

    def pairs(self, *, entries: Collection[int] = (), players: Collection[int] = ()) -> Iterable[tuple[int, int]]:
        """(entry, player), by id: of all these entries, or of all such entries of these players."""
        ...

    def members(self, tournament: Tournament) -> Iterable[Member]:
        """Everybody behind such entries of a tournament."""
        ...

    def why_two(self, one: Player, other: Player) -> str:
        """Why two records cannot be one person, in a sentence; "" where nothing says so."""
        ...

    def why_not_back(self, entry: Entry) -> str:
        """Why an entry that has withdrawn cannot come back, in a sentence; "" where nothing stands against it."""
        ...

    def handicaps(self, entries: Collection[int]) -> Mapping[int, str]:
        """What whoever starts and scores a game has to know of these entries, by id, in a sentence for everybody."""
        ...


_sources: list[Source] = []


def register(source: Source) -> None:
    """Ask this source too."""
    _sources.append(source)


def pairs(*, entries: Collection[int] = (), players: Collection[int] = ()) -> list[tuple[int, int]]:
    """(entry, player) of all these entries that are several people, or of all such entries of these players."""
    return [pair for source in _sources for pair in source.pairs(entries=entries, players=players)]


def members(tournament: Tournament) -> list[Member]:
    """Everybody behind an entry of several people in a tournament."""
    return [member for source in _sources for member in source.members(tournament)]


def why_two(one: Player, other: Player) -> str:
    """Why two records cannot be one person, by the first source that knows; "" where none does."""
    return next(filter(None, (source.why_two(one, other) for source in _sources)), "")


def why_not_back(entry: Entry) -> str:
    """Why an entry that has withdrawn cannot come back, by the first source that knows; "" where none does."""
    return next(filter(None, (source.why_not_back(entry) for source in _sources)), "")


def handicaps(entries: Iterable[Entry]) -> dict[int, str]:
    """What whoever starts and scores a game has to know of these entries, by id; most have nothing of the kind."""
    several = {entry.pk for entry in entries if entry.player_id is None}
    if not several:
        return {}
    return {entry: words for source in _sources for entry, words in source.handicaps(several).items()}
