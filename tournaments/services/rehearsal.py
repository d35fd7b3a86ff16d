"""A show to try everything with: invented people, believable scores, played through the services of a real one.

The same seed gives the same people, machines, scores, draws and results. Only the times differ: they lie around the
moment at which the show is made, so that a rehearsal is always in full swing.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from enum import Enum
from itertools import cycle
from random import Random
from typing import Any, Protocol

from django.db.models import QuerySet
from django.utils import timezone

from tournaments import formats
from tournaments.domain.refusals import Refusal
from tournaments.formats import Format
from tournaments.models import (
    Entry,
    FinalPlace,
    Incident,
    Journal,
    Machine,
    Match,
    PlacePool,
    Player,
    Ruling,
    Score,
    Seat,
    Show,
    Side,
    Stage,
    StageMachine,
    Tournament,
    Waiting,
)
from tournaments.services import entries, machines, places, scores, shows, stages
from tournaments.services.change import all_or_nothing
from tournaments.services.rehearsal_finals import Finals
from tournaments.services.rehearsal_hall import COUNTRIES, FIRST_NAMES, HALL, LAST_NAMES, Kind, believable
from tournaments.services.rehearsal_rulings import Mishaps

SLUG = "rehearsal"
MOST_PLAYERS = 10_000
FINALISTS = 8
"""With fewer players, a tournament that is to stop somewhere in its finals stays in its first stage."""
PLAYED, AHEAD = timedelta(hours=4), timedelta(hours=3)
ON_SALE_BEFORE = timedelta(days=30)


@dataclass(frozen=True, slots=True)
class Game:
    """A game somebody is going to play, and how well."""

    entry: Entry
    machine: Machine
    value: int


class Swing(Enum):
    """Where a tournament is left when no stage is named, so that there is something of everything to look at."""

    QUALIFYING = "its first stage in full swing"
    RESULTS = "its results declared"
    FINALS = "its first games of the finals under way"


SWINGS = (Swing.QUALIFYING, Swing.RESULTS, Swing.FINALS)
"""One tournament after the other."""


class Cast(Protocol):
    """How a format is rehearsed whose first stage is not played by single players with slips."""

    def play(self, rehearsal: "Rehearsal", entries: int | None, stop: str | Swing) -> None:
        """From registration to where the rehearsal stops; "" is before the first stage has begun."""
        ...

    def rows(self, tournaments: Sequence[int]) -> Sequence[QuerySet[Any]]:
        """Everything beside the shared models that is kept of these tournaments, in the order of deleting it."""
        ...


_casts: dict[str, Cast] = {}


def register(key: str, cast: Cast) -> None:
    """Rehearse the format with this key so."""
    _casts[key] = cast


def playable() -> list[Format]:
    """The formats that this version can play."""
    return [
        kind for kind in formats.known() if (kind.stages[0].slips or kind.key in _casts) and not formats.not_yet(kind)
    ]


def make(
    *, seed: int, chosen: str = "", until: str = "", players: int | None = None, now: datetime | None = None
) -> Show:
    """Make the rehearsal show, or replace the one there is; raises `Refusal` when it cannot be.

    `chosen` is the key of one format, otherwise all that can be played take part. `until` names the stage that is
    played to its end and closed, and with the last one the results are declared; a format without that stage stops
    at the one before it. Without `until` each tournament is left somewhere else, the first with its first stage in
    full swing. `players` take part in each tournament; otherwise three for every place after the first cut.
    """
    now = (now or timezone.now()).replace(second=0, microsecond=0)
    kinds = [kind for kind in playable() if chosen in ("", kind.key)]
    _refuse_unknown(kinds, chosen, until)
    if players is not None and not 1 <= players <= MOST_PLAYERS:
        raise Refusal(f"A rehearsal has 1 to {MOST_PLAYERS} players in a tournament, not {players}.")
    with all_or_nothing():
        remove()
        today = now.astimezone(Show(time_zone="Europe/London").zone).date()
        show = shows.create_show(
            actor=None,
            name="Rehearsal",
            slug=SLUG,
            starts_on=today,
            ends_on=today,
            venue="A hall that does not exist",
            rehearsal=True,
        )
        people = People(show, Random(f"{seed} people"))
        for kind, row, swing in zip(kinds, cycle(HALL), cycle(SWINGS), strict=False):
            made = Rehearsal(show, kind, seed, now, people, row, alone=bool(chosen))
            stop = _last_stage(kind, until) if until else swing
            cast = _casts.get(kind.key)
            if cast:
                cast.play(made, players, stop)
            else:
                made.play(players, stop)
    return show


def _last_stage(kind: Format, until: str) -> str:
    """The stage with this key, or for a format that has none the last of its own before it; "" if that is none."""
    own = [spec.key for spec in kind.stages]
    if until in own:
        return until
    order = next(keys for other in playable() if until in (keys := [spec.key for spec in other.stages]))
    return next((key for key in reversed(order[: order.index(until)]) if key in own), "")


def _refuse_unknown(kinds: Sequence[Format], chosen: str, until: str) -> None:
    if not kinds:
        known = ", ".join(kind.key for kind in playable())
        raise Refusal(f"“{chosen}” cannot be rehearsed with this version; {known} can.")
    known_stages = list(dict.fromkeys(spec.key for kind in kinds for spec in kind.stages))
    if until and until not in known_stages:
        raise Refusal(f"“{until}” is not a stage to stop at; those are {', '.join(known_stages)}.")


def remove() -> None:
    """Delete the rehearsal show with all that is in it: the only thing ever deleted.

    Raises `Refusal` when a real show has its address.
    """
    with all_or_nothing():
        show = Show.objects.filter(slug=SLUG).first()
        if show is None:
            return
        if not show.rehearsal:
            raise Refusal(f"“{show}” is a real show at the address “{SLUG}”; it is not replaced by a rehearsal.")
        Player.objects.filter(show=show).update(merged_into=None)
        # By lists of ids: deleting by joins took PostgreSQL half a minute where it had no statistics yet.
        tournaments = list(show.tournaments.values_list("pk", flat=True))
        in_stages = {"stage__in": list(Stage.objects.filter(tournament__in=tournaments).values_list("pk", flat=True))}
        matches = list(Match.objects.filter(**in_stages).values_list("pk", flat=True))
        machines_of_it = list(show.machines.values_list("pk", flat=True))
        inside: Sequence[Any] = (
            Journal.objects.filter(tournament__in=tournaments),
            Journal.objects.filter(show=show),
            Ruling.objects.filter(tournament__in=tournaments),
            Waiting.objects.filter(incident__machine__in=machines_of_it),
            Incident.objects.filter(machine__in=machines_of_it),
            *(rows for cast in _casts.values() for rows in cast.rows(tournaments)),
            FinalPlace.objects.filter(tournament__in=tournaments),
            Seat.objects.filter(**in_stages),
            Score.objects.filter(**in_stages),
            Side.objects.filter(match__in=matches),
            Match.objects.filter(pk__in=matches),
            StageMachine.objects.filter(**in_stages),
            Stage.objects.filter(tournament__in=tournaments),
            Entry.objects.filter(tournament__in=tournaments),
            PlacePool.objects.filter(tournament__in=tournaments),
            Tournament.objects.filter(show=show),
            Player.objects.filter(show=show),
            Machine.objects.filter(show=show),
            Show.objects.filter(pk=show.pk),
        )
        for rows in inside:
            rows.delete()


class People:
    """Invented people, each name once. Whoever plays in one tournament may play in another."""

    def __init__(self, show: Show, random: Random) -> None:
        self.random = random
        names = [f"{first} {last}" for first in FIRST_NAMES.split() for last in LAST_NAMES.split()]
        random.shuffle(names)
        self.names = iter(names)
        self.adults: list[Player] = []

    def details(self) -> tuple[str, str, str]:
        """Somebody new: name, country and IFPA number."""
        ifpa_number = str(self.random.randint(1_000, 30_000)) if self.random.random() < 0.4 else ""
        return next(self.names), self.random.choice(COUNTRIES), ifpa_number


class Rehearsal:
    """One tournament of the rehearsal."""

    def __init__(
        self,
        show: Show,
        kind: Format,
        seed: int,
        now: datetime,
        people: People,
        row: Sequence[Kind],
        *,
        alone: bool,
    ) -> None:
        """`alone` says that it is the only tournament of the rehearsal, asked for by its key."""
        self.random, self.seed, self.now, self.people, self.row = Random(f"{seed} {kind.key}"), seed, now, people, row
        self.children, self.alone = kind.short_names, alone
        self.births = Random(f"{seed} {kind.key} births")
        self.tournament = shows.create_tournament(
            actor=None, show=show, name=kind.label, slug=kind.key, format=kind.key, starts_on=show.starts_on
        )
        rules = self.tournament.rules_in_force
        self.limits = kind.qualifying(rules)
        self.qualifiers = kind.qualifiers(rules)
        self.stage = self.tournament.stages.select_related("tournament__show").get(key=kind.stages[0].key)
        self.opened = now - PLAYED

    def play(self, players: int | None, stop: str | Swing) -> None:
        """From the sale of places to where the rehearsal stops: at the end of a stage, or somewhere in between."""
        players = players or 3 * self.qualifiers
        if isinstance(stop, Swing) and players < FINALISTS:
            stop = Swing.QUALIFYING
        hall = self._set_up()
        entered = self._enter(players)
        shows.set_times(self.stage, actor=None, opens_at=self.opened, closes_at=None)
        stages.open_stage(self.stage, actor=None)
        skills = {entry.pk: self.random.gauss(0, 0.55) for entry in entered}
        games = list(self._games(entered, hall, skills))
        if stop is Swing.QUALIFYING:
            shows.set_times(self.stage, actor=None, opens_at=self.opened, closes_at=self.now + AHEAD)
            self._stop_in_full_swing(entered, games, skills)
            return
        self._check_in(entered)
        recorded = self._record(games)
        if stop is Swing.RESULTS:
            self._mishaps(recorded, skills).of_a_rescaled_machine()
        stages.close_stage(self.stage, actor=None)
        finals = Finals(self.tournament, self.random, self.seed, hall, skills)
        if stop is Swing.FINALS:
            finals.stop_in_the_first_games()
        elif stop is Swing.RESULTS:
            finals.play_until(self.tournament.kind.stages[-1].key)
        else:
            finals.play_until(str(stop))

    def _set_up(self) -> list[tuple[Machine, Kind]]:
        hall = self.machines()
        for machine, _ in hall:
            machines.use(self.stage, actor=None, machine=machine)
        return hall

    def machines(self) -> list[tuple[Machine, Kind]]:
        """The machines of this tournament in the hall, put up if they are not there yet."""
        hall = []
        for kind in self.row:
            machine = Machine.objects.filter(show=self.tournament.show, code=kind.code).first() or machines.add(
                self.tournament.show,
                actor=None,
                code=kind.code,
                name=kind.name,
                manufacturer=kind.manufacturer,
                year=kind.year,
            )
            hall.append((machine, kind))
        return hall

    def _enter(self, players: int) -> list[Entry]:
        """Five in six have bought their place before, the others get one at the desk; all places are taken."""
        last_chance = players // 6
        pools = ((PlacePool.Kind.PRE_REGISTERED, players - last_chance), (PlacePool.Kind.LAST_CHANCE, last_chance))
        entered: list[Entry] = []
        again = self._known(players)
        for kind, capacity in pools:
            if not capacity:
                continue
            opens_at = self.opened - ON_SALE_BEFORE if kind == PlacePool.Kind.PRE_REGISTERED else self.opened
            places.offer(self.tournament, actor=None, kind=kind, capacity=capacity, opens_at=opens_at)
            entered += [
                self._register(kind, next(again, None), opens_at + timedelta(minutes=number))
                for number in range(capacity)
            ]
        return entered

    def _known(self, players: int) -> Iterator[Player]:
        """Half of the field also plays in an earlier tournament; children are entered in theirs only."""
        if self.children:
            return iter(())
        known = self.random.sample(self.people.adults, min(players // 2, len(self.people.adults)))
        return iter(known)

    def _register(self, place: str, player: Player | None, at: datetime) -> Entry:
        at = min(at, self.now)
        if player:
            return entries.register(self.tournament, actor=None, name=player.name, player=player, place=place, at=at)
        name, country, ifpa_number = self.people.details()
        contact = f"{next(self.people.names)}, in the hall" if self.children else ""
        entry = entries.register(
            self.tournament,
            actor=None,
            name=name,
            country=country,
            ifpa_number=ifpa_number,
            contact=contact,
            born_on=self._born_on() if place == PlacePool.Kind.PRE_REGISTERED else None,
            place=place,
            at=at,
        )
        if not self.children:
            self.people.adults.append(entry.person)
        return entry

    def _born_on(self) -> date | None:
        """A made-up date of birth where one is asked for: at least as old as one can play, and young enough."""
        limit = self.tournament.age_limit
        if limit is None:
            return None
        days = self.births.randint(365 * max(limit - 8, 1), 365 * limit - 1)
        return self.tournament.starts_on - timedelta(days=days)

    def _check_in(self, entered: Sequence[Entry]) -> None:
        """Who has come without a date of birth, where there is an age limit, has an adult along who shows the age."""
        for entry in entered:
            entries.check_in(entry, actor=None, age_seen=True)

    def _games(
        self, entered: Sequence[Entry], hall: Sequence[tuple[Machine, Kind]], skills: Mapping[int, float]
    ) -> Iterator[Game]:
        """All games everybody may play, in the order of a day: nobody's second game before most had a first."""
        per_player = min(self.limits.games_allowed, self.limits.games_per_machine * len(hall))
        turns = []
        for entry in entered:
            choice = [kind for kind in hall for _ in range(min(self.limits.games_per_machine, 3))]
            picked = self.random.sample(choice, per_player) if per_player <= len(choice) else choice
            for turn, (machine, kind) in enumerate(picked):
                game = Game(entry, machine, believable(kind, skills[entry.pk], self.random))
                turns.append((turn + self.random.random() * 1.6, game))
        turns.sort(key=lambda turn: turn[0])
        return (game for _, game in turns)

    def _record(self, games: Sequence[Game]) -> list[Score]:
        """Slips that come in one after the other from the opening until now."""
        return [
            scores.record(
                self.stage,
                actor=None,
                entry=game.entry,
                machine=game.machine,
                value=game.value,
                sure=game.value,
                state=Score.State.AGREED,
                at=self._moment(position, len(games)),
            ).score
            for position, game in enumerate(games, start=1)
        ]

    def _moment(self, position: int, of: int) -> datetime:
        seconds = int((self.now - self.opened).total_seconds())
        return self.opened + timedelta(seconds=seconds * position // (of + 1))

    def _mishaps(self, recorded: Sequence[Score], skills: Mapping[int, float]) -> Mishaps:
        kinds = {kind.code: kind for kind in self.row}

        def again(score: Score) -> int:
            return believable(kinds[score.machine.code], skills[score.entry_id], self.random)

        return Mishaps(self.stage, recorded, self.random, again)

    def _stop_in_full_swing(
        self, entered: Sequence[Entry], games: Sequence[Game], skills: Mapping[int, float]
    ) -> None:
        """Two thirds are played, some are under way, a few have not come, one score is corrected, one disputed."""
        absent = {entry.pk for entry in self.random.sample(list(entered), len(entered) // 24)}
        self._check_in([entry for entry in entered if entry.pk not in absent])
        games = [game for game in games if game.entry.pk not in absent]
        played, to_come = games[: len(games) * 2 // 3], games[len(games) * 2 // 3 :]
        recorded = self._record(played)
        # Not on those that are corrected and disputed below.
        self._mishaps(recorded[:-12], skills).of_a_day()
        self._start(to_come)
        if len(recorded) > 12:
            self._correct(recorded[-9])
            disputed = recorded[-12]
            scores.put_aside(
                self.stage,
                actor=None,
                entry=disputed.entry,
                machine=disputed.machine,
                value=(disputed.value or 0) + 1_000,
                source="tablet",
                at=self.now,
            )

    def _start(self, to_come: Sequence[Game]) -> None:
        """Half of the machines are being played, by one each."""
        busy: set[int] = set()
        for game in to_come:
            taken = {game.machine.pk, -game.entry.pk}
            if len(busy) < len(self.row) and not busy & taken:
                started = self.now - timedelta(minutes=1 + len(busy))
                scores.start(self.stage, actor=None, entry=game.entry, machine=game.machine, at=started)
                busy |= taken

    def _correct(self, score: Score) -> None:
        scores.correct(
            score,
            actor=None,
            seen=score.revision,
            value=(score.value or 0) + 300,
            reason="One digit was misread on the slip.",
        )
