"""Games given back by machines that were withdrawn, and who has not played again yet.

House rules, "Machine removed; scores are ranked": each affected player gets the game back. A game is given back when
its machine is cancelled, or rescaled onto one on which the player has all games already.
"""

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from tournaments import selectors
from tournaments.domain.facts import Entrant, StageMachine
from tournaments.domain.rulings import returned
from tournaments.models import Ruling, Score, Stage
from tournaments.selectors import StageRead
from tournaments.services.incidents import began


class GivenBack(NamedTuple):
    """An entry with games on withdrawn machines, one machine for each. `left` is how many are not played again yet."""

    entrant: Entrant
    machines: tuple[StageMachine, ...]
    left: int

    @property
    def words(self) -> str:
        """ "1 game, for Twilight Zone"."""
        names = ", ".join(sorted({machine.name for machine in self.machines}))
        return f"{self._games}, for {names}"

    @property
    def short(self) -> str:
        """ "1 game given back (TZ)"."""
        return f"{self._games} given back ({', '.join(sorted({machine.code for machine in self.machines}))})"

    @property
    def _games(self) -> str:
        return "1 game" if self.left == 1 else f"{self.left} games"


def given_back(stage: Stage, read: StageRead | None = None) -> list[GivenBack]:
    """Everybody who has been given a game back in a stage of single games, by number.

    A game begun after the machine was withdrawn is one played again; nobody has more of them to play than games are
    still allowed. Our choice.
    """
    read = read or selectors.stage_facts(stage)
    games = returned(read.facts)
    if not games or stage.spec.matches:
        return []
    withdrawn = {machine.id: machine for machine in read.facts.machines if not machine.ranked}
    since = _withdrawn_at(stage)
    again = _games(stage, games, withdrawn)
    found = []
    for entrant in sorted((e for e in read.facts.entrants if e.id in games), key=lambda e: e.number):
        machines = games[entrant.id]
        moments = [since[machine.id] for machine in machines if machine.id in since]
        played = sum(1 for at in again.get(entrant.id, ()) if moments and at > min(moments))
        left = max(0, min(len(machines) - played, _allowed(read, entrant)))
        found.append(GivenBack(entrant, machines, left))
    return found


def _allowed(read: StageRead, entrant: Entrant) -> int:
    """How many games an entry may still begin."""
    playing = sum(1 for entry, _ in read.facts.playing if entry == entrant.id)
    return read.rules.games_allowed - read.table.row(entrant.id).games - playing


def _withdrawn_at(stage: Stage) -> dict[int, datetime]:
    """When each machine was withdrawn by a ruling; nothing of those that came withdrawn from a folder."""
    rulings = Ruling.objects.filter(stage=stage, kind=Ruling.Kind.MACHINE, undone_at=None)
    return {machine: at for machine, at in rulings.values_list("machine_id", "decided_at") if machine is not None}


def _games(stage: Stage, entries: Mapping[int, object], withdrawn: Mapping[int, object]) -> dict[int, list[datetime]]:
    """When the games of these entries on other machines began."""
    scores = Score.objects.filter(stage=stage, entry__in=entries, state__in=Score.LIVE).exclude(machine__in=withdrawn)
    found: dict[int, list[datetime]] = {}
    for score in scores:
        at = began(score)
        if at is not None:
            found.setdefault(score.entry_id, []).append(at)
    return found
