"""What a stage or the results say, line by line: for commands, files and paper."""

from collections.abc import Iterable
from dataclasses import dataclass

from tournaments import selectors
from tournaments.domain import results as places
from tournaments.domain.advancement import HOW
from tournaments.domain.refusals import Refusal
from tournaments.domain.results import FinalPlace
from tournaments.models import Entry, Stage, Tournament
from tournaments.services import results
from tournaments.services.progress import outcomes


@dataclass(frozen=True, slots=True)
class Line:
    """One entry's line. `position` is None for who stands apart; `why` says which stage gave it, or why there is none.

    `points` and `games` are those of that stage; in a stage of single games the points are the score, and `how` says
    in words what ordered somebody who was level there, such as "by play-off". `group` where they are those of a group.
    """

    entry: Entry
    position: int | None
    shared: bool
    points: int
    games: int
    why: str = ""
    how: str = ""
    group: str = ""

    @property
    def place(self) -> int | None:
        """The position, by the name that everything ranked has."""
        return self.position


def of_stage(stage: Stage) -> list[Line]:
    """Whoever is ranked in a stage, by position and then by number; in single games the position is that of a game."""
    if stage.spec.grouped:
        return _in_groups(stage)
    found = _ranked(stage) if stage.spec.ranked else _finishes(stage)
    entries = _entries(stage.tournament)
    lines = [
        Line(entries[pk], place, shared, points, games, stage.label, how)
        for pk, place, shared, points, games, how in found
    ]
    return sorted(lines, key=lambda line: (line.position or 0, line.entry.number))


def of_results(tournament: Tournament) -> list[Line]:
    """The final place of everybody, those without one at the end: as declared, or as they stand once all is played.

    Raises `Refusal` with what is missing while nothing is declared and something is still to be played.
    """
    stored = tournament.final_places.all()
    if stored:
        rows: Iterable[FinalPlace] = (FinalPlace(row.entry_id, row.place, row.shared, row.why) for row in stored)
    else:
        results.refuse_unless_decided(tournament)
        rows = results.places(tournament)
    return _lines(tournament, rows)


def declared(tournament: Tournament) -> list[Line]:
    """The final places as they are declared; raises `Refusal` while they are not."""
    if not tournament.final_places.exists():
        raise Refusal(f"The results of {tournament.name} are not declared yet.")
    return of_results(tournament)


def for_ratings(tournament: Tournament) -> list[Line]:
    """The declared field in the order that the world rankings ask for: without those who played under half of the
    games that count in the first stage; the others move up.
    """
    rows = [FinalPlace(line.entry.pk, line.position, line.shared, line.why) for line in declared(tournament)]
    first = Stage.objects.select_related("tournament__show").filter(tournament=tournament).order_by("position")[0]
    read = selectors.stage_facts(first)
    games = {row.entry: len(row.counted) for row in read.table.rows}
    return _lines(tournament, places.for_ratings(rows, games, read.rules.games_counted))


def _lines(tournament: Tournament, rows: Iterable[FinalPlace]) -> list[Line]:
    entries, played = _entries(tournament), _last_played(tournament)
    return [
        Line(entries[row.entry], row.place, row.shared, *played.get(row.entry, (0, 0)), why=row.why) for row in rows
    ]


def _last_played(tournament: Tournament) -> dict[int, tuple[int, int]]:
    """Points and games of each entry in the last stage it was ranked in."""
    found: dict[int, tuple[int, int]] = {}
    for stage in Stage.objects.select_related("tournament__show").filter(tournament=tournament).order_by("position"):
        if stage.spec.playable:
            found |= {line.entry.pk: (line.points, line.games) for line in of_stage(stage)}
    return found


def _ranked(stage: Stage) -> list[tuple[int, int | None, bool, int, int, str]]:
    rows = selectors.stage_facts(stage).table.ranked
    return [(row.entry, row.place, row.shared, row.points, row.games, "") for row in rows]


def _in_groups(stage: Stage) -> list[Line]:
    """Whoever is ranked in a group, group by group."""
    read = selectors.stage_facts(stage)
    entries = _entries(stage.tournament)
    return [
        Line(entries[row.entry], row.place, row.shared, row.points, row.games, stage.label, group=group.label)
        for group in read.groups
        for row in group.rows
        if row.place is not None
    ]


def _finishes(stage: Stage) -> list[tuple[int, int | None, bool, int, int, str]]:
    return [
        (
            finish.entry,
            finish.place,
            finish.shared,
            finish.value or 0,
            int(finish.value is not None),
            HOW.get(finish.why, ""),
        )
        for contest in outcomes(stage)
        for finish in contest.outcome.finishes
    ]


def _entries(tournament: Tournament) -> dict[int, Entry]:
    return {entry.pk: entry for entry in tournament.entries.select_related("player")}
