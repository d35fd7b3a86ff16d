"""A show to try everything with: invented people, believable scores, played through the services of a real one.

The same seed gives the same people, machines, scores and table. Only the times differ: they lie around the moment
at which the show is made, so that a rehearsal is always in full swing.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import cycle
from random import Random
from typing import Any, NamedTuple

from django.utils import timezone

from tournaments import formats
from tournaments.domain.refusals import Refusal
from tournaments.formats import Format, StageSpec
from tournaments.models import (
    Entry,
    Journal,
    Machine,
    PlacePool,
    Player,
    Ruling,
    Score,
    Seat,
    Show,
    Stage,
    StageMachine,
    Tournament,
)
from tournaments.services import entries, machines, places, scores, shows, stages
from tournaments.services.change import all_or_nothing

SLUG = "rehearsal"
MOST_PLAYERS = 10_000
PLAYED, AHEAD = timedelta(hours=4), timedelta(hours=3)
ON_SALE_BEFORE = timedelta(days=30)


class Kind(NamedTuple):
    """A machine of the hall; `usual` is the score in the middle of what people reach on it."""

    code: str
    name: str
    manufacturer: str
    year: int
    usual: int


NEW_ROW = (
    Kind("AFM", "Attack from Mars", "Bally", 1995, 2_400_000_000),
    Kind("TAF", "The Addams Family", "Bally", 1992, 58_000_000),
    Kind("FT", "Fish Tales", "Williams", 1992, 62_000_000),
    Kind("IJ", "Indiana Jones: The Pinball Adventure", "Williams", 1993, 210_000_000),
    Kind("IM", "Iron Man", "Stern", 2010, 11_500_000),
    Kind("LOTR", "The Lord of the Rings", "Stern", 2003, 9_800_000),
    Kind("MM", "Medieval Madness", "Williams", 1997, 14_500_000),
    Kind("MB", "Monster Bash", "Williams", 1998, 33_000_000),
    Kind("SM", "Spider-Man", "Stern", 2007, 26_000_000),
    Kind("STTNG", "Star Trek: The Next Generation", "Williams", 1993, 480_000_000),
    Kind("TOM", "Theatre of Magic", "Bally", 1995, 310_000_000),
    Kind("TZ", "Twilight Zone", "Bally", 1993, 175_000_000),
)
OLD_ROW = (
    Kind("BK", "Black Knight", "Williams", 1980, 410_000),
    Kind("CEN", "Centaur", "Bally", 1981, 320_000),
    Kind("EBD", "Eight Ball Deluxe", "Bally", 1981, 540_000),
    Kind("FAT", "Fathom", "Bally", 1981, 190_000),
    Kind("FP", "Firepower", "Williams", 1980, 260_000),
    Kind("FL", "Flash", "Williams", 1979, 150_000),
    Kind("GOR", "Gorgar", "Williams", 1979, 130_000),
    Kind("JL", "Jungle Lord", "Williams", 1981, 380_000),
    Kind("KIS", "Kiss", "Bally", 1979, 210_000),
    Kind("PAR", "Paragon", "Bally", 1979, 95_000),
)
SMALL_ROW = (
    Kind("CV", "Cirqus Voltaire", "Bally", 1997, 15_000_000),
    Kind("FH", "Funhouse", "Williams", 1990, 4_600_000),
    Kind("RBION", "Ripley's Believe It or Not!", "Stern", 2004, 6_400_000),
    Kind("SC", "Safe Cracker", "Bally", 1996, 240_000),
    Kind("WH2O", "White Water", "Williams", 1993, 72_000_000),
)
HALL = (NEW_ROW, OLD_ROW, SMALL_ROW)

FIRST_NAMES = (
    "Adam Aisha Alan Alice Amir Amy Andrew Angela Anna Anthony Asha Barry Becky Ben Beth Brian Callum Carl Caroline"
    " Cath Charlotte Chloe Chris Claire Colin Craig Daniel Dave Dawn Deborah Dev Diane Donna Duncan Eddie Eleanor"
    " Ella Emma Erik Esme Ewan Fatima Fiona Frank Gareth Gary Gemma George Gill Gordon Grace Graham Greg Hannah Harry"
    " Hazel Helen Holly Hugh Iain Ian Imogen Isla Ivy Jack Jade James Jane Jason Jenny Jess Jo Joe Joyce Judith Julia"
    " Karen Karl Kate Keith Kelly Ken Kevin Kieran Kirsty Laura Lee Leo Lewis Liam Linda Lisa Lorna Lucy Luke Maggie"
    " Marco Maria Mark Martin Matt Maya Megan Mel Mia Mick Mike Mohammed Molly Nadia Naomi Neil Niamh Nick Nina Oliver"
    " Olivia Oscar Owen Pat Paul Penny Pete Phil Pippa Priya Rachel Raj Ravi Rhys Rob Robin Roger Ros Rosie Ross Ruth"
    " Ryan Sally Sam Sandra Sarah Sean Shaun Sian Simon Sonia Sophie Stella Steve Stuart Sue Suki Tess Theo Tim Tina"
    " Toby Tom Tony Tracy Una Val Vicky Wayne Wendy Will Yasmin Zara Zoë"
)
LAST_NAMES = (
    "Abbott Ainsworth Allard Appleby Archer Ashdown Baird Bannister Barlow Beckett Bellamy Birch Blackwood Booth"
    " Bradshaw Bramley Brook Buckley Burrows Byrne Cartwright Chadwick Chandra Clegg Coates Copeland Crossley Curtis"
    " Dalton Darby Dawes Denholm Dhillon Dobson Drake Duffy Eastwood Eccles Elwood Fairclough Farrow Fenwick Fielding"
    " Firth Flint Foster Frost Garside Gill Goodwin Grant Greenhalgh Grimshaw Haigh Halliwell Hargreaves Harker"
    " Hartley Hassan Hawthorn Heaton Hewitt Hobbs Holden Horrocks Hoyle Hussain Ibbotson Ingham Jagger Jarvis Kapoor"
    " Kaye Keane Kershaw Khan Kirkby Knowles Langley Larkin Lister Lockwood Lomax Lovell Mackay Marsden Mather Maxwell"
    " Mellor Metcalfe Midgley Moffat Moss Naylor Nuttall Oakley Ogden O'Hara Okafor Oldfield Ormerod Osborne Parkin"
    " Patel Peacock Pickles Pollard Prescott Priestley Quigley Radcliffe Ramsden Rawson Redfern Rigby Roscoe Rowe"
    " Sandhu Saunders Schofield Shah Sharples Shepherd Silva Singh Slater Stott Sutcliffe Swift Tattersall Thorpe"
    " Tindall Townsend Turnbull Unsworth Varley Vickers Wadsworth Walmsley Wardle Whitaker Whitlock Wilcox Winder"
    " Womersley Woodhead Wren Yardley Yates"
)
COUNTRIES = ("GB",) * 14 + ("IE", "NL", "DE", "FR", "SE", "DK")


@dataclass(frozen=True, slots=True)
class Game:
    """A game somebody is going to play, and how well."""

    entry: Entry
    machine: Machine
    value: int


def playable(until: str = "") -> list[tuple[Format, StageSpec]]:
    """The formats that can be rehearsed up to a stage, or up to their first, with that stage."""
    found = []
    for kind in formats.known():
        spec = next((spec for spec in kind.stages if until in ("", spec.key)), None)
        if spec and spec.playable and spec.slips:
            found.append((kind, spec))
    return found


def make(
    *, seed: int, chosen: str = "", until: str = "", players: int | None = None, now: datetime | None = None
) -> Show:
    """Make the rehearsal show, or replace the one there is; raises `Refusal` when it cannot be.

    `chosen` is the key of one format, otherwise all that can be played take part. `until` names the stage that is
    played to its end and closed; without it the first stage is left in full swing. `players` take part in each
    tournament; otherwise three for every place after the cut.
    """
    now = (now or timezone.now()).replace(second=0, microsecond=0)
    kinds = [(kind, spec) for kind, spec in playable(until) if chosen in ("", kind.key)]
    if not kinds:
        raise Refusal(_why_none(chosen, until))
    if players is not None and not 2 <= players <= MOST_PLAYERS:
        raise Refusal(f"A rehearsal has 2 to {MOST_PLAYERS} players in a tournament, not {players}.")
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
        people = _People(show, Random(f"{seed} people"))
        for (kind, spec), row in zip(kinds, cycle(HALL), strict=False):
            made = _Rehearsal(show, kind, spec, Random(f"{seed} {kind.key}"), now, people, row)
            made.play(players, to_the_end=bool(until))
    return show


def _why_none(chosen: str, until: str) -> str:
    stage_keys = sorted({spec.key for _, spec in playable()})
    format_keys = [kind.key for kind, _ in playable()]
    if chosen and chosen not in format_keys:
        return f"“{chosen}” cannot be rehearsed with this version; {', '.join(format_keys)} can."
    return f"“{until}” cannot be rehearsed with this version; {', '.join(stage_keys)} can."


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
        inside: Sequence[Any] = (
            Journal.objects.filter(tournament__show=show),
            Ruling.objects.filter(tournament__show=show),
            Seat.objects.filter(stage__tournament__show=show),
            Score.objects.filter(stage__tournament__show=show),
            StageMachine.objects.filter(stage__tournament__show=show),
            Stage.objects.filter(tournament__show=show),
            Entry.objects.filter(tournament__show=show),
            PlacePool.objects.filter(tournament__show=show),
            Tournament.objects.filter(show=show),
            Player.objects.filter(show=show),
            Machine.objects.filter(show=show),
            Show.objects.filter(pk=show.pk),
        )
        for rows in inside:
            rows.delete()


class _People:
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


class _Rehearsal:
    """One tournament of the rehearsal."""

    def __init__(
        self,
        show: Show,
        kind: Format,
        spec: StageSpec,
        random: Random,
        now: datetime,
        people: _People,
        row: Sequence[Kind],
    ) -> None:
        self.random, self.now, self.people, self.row = random, now, people, row
        self.children = kind.short_names
        self.tournament = shows.create_tournament(
            actor=None, show=show, name=kind.label, slug=kind.key, format=kind.key, starts_on=show.starts_on
        )
        rules = self.tournament.rules_in_force
        self.limits = kind.qualifying(rules)
        self.qualifiers = kind.qualifiers(rules)
        self.stage = self.tournament.stages.select_related("tournament__show").get(key=spec.key)
        self.opened = now - PLAYED

    def play(self, players: int | None, *, to_the_end: bool) -> None:
        """From the sale of places to where the rehearsal stops."""
        hall = self._set_up()
        entered = self._enter(players or 3 * self.qualifiers)
        shows.set_times(self.stage, actor=None, opens_at=self.opened, closes_at=None)
        stages.open_stage(self.stage, actor=None)
        games = list(self._games(entered, hall))
        if to_the_end:
            self._check_in(entered)
            self._record(games)
            stages.close_stage(self.stage, actor=None)
        else:
            shows.set_times(self.stage, actor=None, opens_at=self.opened, closes_at=self.now + AHEAD)
            self._stop_in_full_swing(entered, games)

    def _set_up(self) -> list[tuple[Machine, Kind]]:
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
            machines.use(self.stage, actor=None, machine=machine)
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
            place=place,
            at=at,
        )
        if not self.children:
            self.people.adults.append(entry.player)
        return entry

    def _check_in(self, entered: Sequence[Entry]) -> None:
        for entry in entered:
            entries.check_in(entry, actor=None)

    def _games(self, entered: Sequence[Entry], hall: Sequence[tuple[Machine, Kind]]) -> Iterator[Game]:
        """All games everybody may play, in the order of a day: nobody's second game before most had a first."""
        per_player = min(self.limits.games_allowed, self.limits.games_per_machine * len(hall))
        skills = {entry.pk: self.random.gauss(0, 0.55) for entry in entered}
        turns = []
        for entry in entered:
            choice = [kind for kind in hall for _ in range(min(self.limits.games_per_machine, 3))]
            picked = self.random.sample(choice, per_player) if per_player <= len(choice) else choice
            for turn, (machine, kind) in enumerate(picked):
                game = Game(entry, machine, self._value(kind, skills[entry.pk]))
                turns.append((turn + self.random.random() * 1.6, game))
        turns.sort(key=lambda turn: turn[0])
        return (game for _, game in turns)

    def _value(self, kind: Kind, skill: float) -> int:
        """A score as that machine gives it: spread like real ones, and ending in 0."""
        value = kind.usual * math.exp(skill + self.random.gauss(0, 0.75))
        return max(10, round(value / 10) * 10)

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

    def _stop_in_full_swing(self, entered: Sequence[Entry], games: Sequence[Game]) -> None:
        """Two thirds are played, some are under way, a few have not come, one score is corrected, one disputed."""
        absent = {entry.pk for entry in self.random.sample(list(entered), len(entered) // 24)}
        self._check_in([entry for entry in entered if entry.pk not in absent])
        games = [game for game in games if game.entry.pk not in absent]
        played, to_come = games[: len(games) * 2 // 3], games[len(games) * 2 // 3 :]
        recorded = self._record(played)
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
