"""A tournament from its first seats to the final places, as everybody may read it: seats, games, scores, results.

Read once per revision for all pages, in nine queries whatever the size, eleven where who competes is several people.
While the results are held back, what the last stages brought is left out here already, so that no page can show it.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from itertools import groupby
from operator import attrgetter
from typing import NamedTuple

from django.db.models import OuterRef, Subquery
from django.db.models.functions import Coalesce

from tournaments import formats, line_ups, live, selectors
from tournaments.domain import finals
from tournaments.domain.facts import Entrant, Phase, Standing
from tournaments.domain.finals import Outcome
from tournaments.domain.rulings import told
from tournaments.formats import StageSpec
from tournaments.live import Reading, Version, publicly
from tournaments.models import (
    Entry,
    FinalPlace,
    Match,
    Ruling,
    Score,
    Seat,
    Side,
    Stage,
    StageMachine,
    Tournament,
)

NO_OUTCOME = Outcome((), (), ())


class Person(NamedTuple):
    """Whoever competes, with the public name."""

    entry: int
    number: int
    name: str
    standing: Standing


class Member(NamedTuple):
    """One of several people who compete together, with the public name, and the role if there is one."""

    name: str
    role: str


class Seated(NamedTuple):
    """A seat of a stage, and in words why it is this person's; `group` where the stage is played in groups."""

    seed: int
    person: Person
    why: str
    group: str


class Player(NamedTuple):
    """A side of a game. `rank` is the order of choosing, `choice` the playing position chosen.

    `value` is what counts; a `discarded` game was played and counts for nothing.
    """

    person: Person
    seed: int
    rank: int
    choice: int | None
    absent: bool
    value: int | None
    discarded: bool

    @property
    def out(self) -> bool:
        """Whether the game is decided without this player."""
        return self.absent or self.discarded or self.person.standing == Standing.DISQUALIFIED


class Settled(NamedTuple):
    """A play-off or a ruling in a stage, best first; a ruling has no scores but a reason."""

    kind: str
    order: tuple[Person, ...]
    scores: tuple[int, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Game:
    """A match with its players in the order in which they choose. `outcome` only where a game has its own order.

    `notes` are the rulings on it, each with the entry it concerns; None where it concerns all.
    `trouble` says that its machine is out of order or withdrawn. `called_at` is on the show's clocks. `lot` says from
    how many machines its own was drawn by lot; None where no lot was drawn. `late` says that it ended without a
    game when the time to come after the call was over.
    """

    id: int
    round: int
    order: int
    code: str
    machine: str
    state: str
    players: tuple[Player, ...]
    outcome: Outcome
    notes: tuple[tuple[int | None, str], ...]
    trouble: str
    called_at: datetime | None
    lot: int | None
    late: bool = False

    def player(self, entry: int) -> Player | None:
        """This entry's side, if it is in the game."""
        return next((player for player in self.players if player.person.entry == entry), None)


@dataclass(frozen=True, slots=True)
class Leg:
    """A stage in which everybody has a seat: every one after the first, and a first one that is played in groups.

    `kept` says that what it brings is held back, and has been left out. `labels` has the labels of the
    stages by key; `first_place` is the final place of who wins it. `noun` is what one that competes is called;
    `source_over` says that the games which give its seats are over, or left out.
    `lateness` says how many minutes after the call whoever has not come loses the match, None where nobody does.
    """

    stage: int
    spec: StageSpec
    state: str
    open_round: int
    seats: tuple[Seated, ...]
    games: tuple[Game, ...]
    settled: tuple[Settled, ...]
    kept: bool
    labels: Mapping[str, str]
    first_place: int
    noun: str
    lateness: int | None
    source_over: bool

    def rounds(self) -> list[tuple[int, list[Game]]]:
        """The games of each round, in order."""
        return [(number, list(games)) for number, games in groupby(self.games, key=attrgetter("round"))]

    @property
    def decided(self) -> bool:
        """Whether every game of a stage of single games has its order."""
        return bool(self.games) and all(game.state == Match.State.DONE and game.outcome.decided for game in self.games)

    @property
    def alone(self) -> Person | None:
        """Whoever has won a stage of single games without one, as nobody else went on to it."""
        person = self.seats[0].person if len(self.seats) == 1 else None
        won = self.source_over and not self.games and person is not None and person.standing == Standing.IN
        return person if won else None

    def seat(self, entry: int) -> Seated | None:
        """The seat of this entry, if it has one."""
        return next((seat for seat in self.seats if seat.person.entry == entry), None)


class Ended(NamedTuple):
    """A final place; without one there is a reason."""

    person: Person
    place: int | None
    shared: bool
    why: str


@dataclass(frozen=True)
class Course:
    """The stages with seats, in order, and the final places: none before they are declared and public.

    `entrants` is everybody entered, by number; `members` are the people behind an entry of several, by the entry.
    """

    version: Version
    until: datetime | None
    legs: tuple[Leg, ...]
    places: tuple[Ended, ...]
    declared: bool
    kept: bool
    entrants: tuple[Entrant, ...]
    members: Mapping[int, tuple[Member, ...]]

    def leg(self, key: str) -> Leg | None:
        """The stage with this key, if everybody in it has a seat."""
        return next((leg for leg in self.legs if leg.spec.key == key), None)

    def drawn_from(self, key: str) -> tuple[Seated, ...]:
        """The seats of the stages that are filled from this one."""
        return tuple(seat for leg in self.legs if leg.spec.comes_from == key for seat in leg.seats)


def course(reading: Reading) -> Course:
    """The course of the reading's tournament, at least as new as the reading."""
    if not reading.stage.spec.seated and reading.read.phase != Phase.CLOSED:
        return Course(Version(0, reading.version.revision, 0), None, (), (), False, False, (), {})
    return live.whole(reading, lambda: _read(reading.tournament.pk))


def kept_stages(tournament: Tournament) -> frozenset[str]:
    """The keys of the stages about which nothing is public yet: those that single games lead to."""
    if not tournament.results_held_back:
        return frozenset()
    return frozenset(feed.stage for spec in tournament.kind.stages for feed in spec.feeds)


def members_of(tournament: Tournament) -> Mapping[int, tuple[Member, ...]]:
    """The people behind each entry of several, with their public names; empty where everybody competes alone."""
    return _members(tournament)[0]


def _read(pk: int) -> Course:
    """The revision comes first: a change in between makes the rest newer than its label, never older."""
    tournament = Tournament.objects.select_related("show").get(pk=pk)
    people, entrants, names = _people(tournament)
    members, shortened = _members(tournament)
    names |= shortened
    hidden = kept_stages(tournament)
    stages = {stage.pk: stage for stage in Stage.objects.filter(tournament=tournament).order_by("position")}
    seats = _seats(tournament, people, names)
    rulings = _rulings(tournament, names)
    games = _games(tournament, people, seats, _notes(rulings))
    legs: list[Leg] = []
    over = _fed_by_what_is_over(stages.values())
    for stage in reversed(stages.values()):
        stage.tournament = tournament
        if stage.spec.seated and not stage.left_out:
            first = 1 + sum(len(leg.seats) for leg in legs if leg.spec.comes_from == stage.spec.comes_from)
            own = rulings.get(stage.pk, [])
            settled = tuple(_settled(ruling, people) for ruling in own if ruling.kind in SHOWN)
            legs.append(
                _leg(stage, seats.get(stage.pk, ()), games.get(stage.pk, []), own, settled, hidden, first, over)
            )
    declared = tournament.results_declared_at is not None
    return Course(
        version=Version(0, tournament.revision, 0),
        until=None,
        legs=tuple(reversed(legs)),
        places=() if tournament.results_held_back or not declared else _places(tournament, people),
        declared=declared,
        kept=tournament.results_held_back,
        entrants=entrants,
        members=members,
    )


def _people(tournament: Tournament) -> tuple[dict[int, Person], tuple[Entrant, ...], dict[str, str]]:
    """Everybody by entry, all who are entered by number, and the public names by the full ones."""
    people, entrants, names = {}, [], {}
    for entry in Entry.objects.filter(tournament=tournament).select_related("player").order_by("number"):
        names[entry.name] = formats.public_name(entry.name, tournament.kind)
        people[entry.pk] = Person(entry.pk, entry.number, names[entry.name], entry.standing)
        if entry.status != Entry.Status.MERGED:
            entrants.append(Entrant(*people[entry.pk]))
    return people, tuple(entrants), names


def _members(tournament: Tournament) -> tuple[dict[int, tuple[Member, ...]], dict[str, str]]:
    """The people behind entries of several, and the public names of the children among them by the full ones."""
    behind = line_ups.members(tournament)
    if not behind:
        return {}, {}
    young = selectors.children([member.player for member in behind], tournament.starts_on)
    names = {m.player.name: formats.short_name(m.player.name) for m in behind if m.player.pk in young}
    found: dict[int, tuple[Member, ...]] = {}
    for member in behind:
        name = formats.short_name(member.player.name) if member.player.pk in young else member.player.name
        found[member.entry] = (*found.get(member.entry, ()), Member(name, member.role))
    return found, names


def _seats(
    tournament: Tournament, people: Mapping[int, Person], names: Mapping[str, str]
) -> dict[int, tuple[Seated, ...]]:
    found: dict[int, tuple[Seated, ...]] = {}
    for seat in Seat.objects.filter(stage__tournament=tournament).order_by("seed"):
        seated = Seated(seat.seed, people[seat.entry_id], publicly(seat.why, names), seat.group)
        found[seat.stage_id] = (*found.get(seat.stage_id, ()), seated)
    return found


def _rulings(tournament: Tournament, names: Mapping[str, str]) -> dict[int, list[Ruling]]:
    """The rulings in force of each stage; without the reasons that people typed where who competes is a child.

    Children who compete together with others have their public names in them.
    """
    found: dict[int, list[Ruling]] = {}
    in_stages = Ruling.objects.filter(stage__tournament=tournament, undone_at=None)
    for ruling in in_stages.defer("changes").order_by("decided_at", "pk"):
        ruling.reason = "" if tournament.kind.short_names else publicly(ruling.reason, names)
        if ruling.stage_id is not None:
            found.setdefault(ruling.stage_id, []).append(ruling)
    return found


def _notes(rulings: Mapping[int, list[Ruling]]) -> dict[int, tuple[tuple[int | None, str], ...]]:
    """What rulings say about each match."""
    found: dict[int, tuple[tuple[int | None, str], ...]] = {}
    for ruling in (ruling for own in rulings.values() for ruling in own):
        words = told(ruling.kind, ruling.data, ruling.reason)
        if ruling.match_id and words:
            found[ruling.match_id] = (*found.get(ruling.match_id, ()), (ruling.entry_id, words))
    return found


def _games(
    tournament: Tournament,
    people: Mapping[int, Person],
    seats: Mapping[int, Iterable[Seated]],
    notes: Mapping[int, tuple[tuple[int | None, str], ...]],
) -> dict[int, list[Game]]:
    """The games of each stage, not yet with an outcome."""
    matches = Match.objects.filter(stage__tournament=tournament).exclude(state=Match.State.VOID)
    of_stage: dict[int, list[Game]] = {}
    seeds = {(stage, seat.person.entry): seat.seed for stage, seated in seats.items() for seat in seated}
    scores = Score.objects.filter(stage__tournament=tournament, match__isnull=False).order_by()
    played = scores.filter(state__in=(*Score.COUNTED, Score.State.DISCARDED))
    values: dict[tuple[int, int], int] = {}
    discarded: set[tuple[int, int]] = set()
    for match_pk, entry, value, state in played.values_list(
        "match_id", "entry_id", Coalesce("ranked", "value"), "state"
    ):
        if state == Score.State.DISCARDED:
            discarded.add((match_pk, entry))
        else:
            values[match_pk, entry] = value
    sides: dict[int, list[Side]] = {}
    for side in Side.objects.filter(match__stage__tournament=tournament).order_by("rank"):
        sides.setdefault(side.match_id, []).append(side)
    used = StageMachine.objects.filter(stage=OuterRef("stage"), machine=OuterRef("machine"))
    matches = matches.select_related("machine").annotate(
        use=Subquery(used.values("state")[:1]), lot=Subquery(used.values("drawn_from")[:1])
    )
    zone = tournament.show.zone
    minutes = formats.lateness(tournament.kind, tournament.rules_in_force)
    for match in matches.order_by("stage__position", "round", "order"):
        players = tuple(
            Player(
                people[side.entry_id],
                seeds.get((match.stage_id, side.entry_id), 0),
                side.rank,
                side.choice,
                side.absent,
                values.get((match.pk, side.entry_id)),
                (match.pk, side.entry_id) in discarded,
            )
            for side in sides.get(match.pk, [])
        )
        game = Game(
            match.pk,
            match.round,
            match.order,
            match.machine.code,
            match.machine.name,
            match.state,
            players,
            NO_OUTCOME,
            notes.get(match.pk, ()),
            _trouble(match.use, match.machine.in_order),
            match.called_at.astimezone(zone) if match.called_at else None,
            match.lot,
            minutes is not None and _late(match, minutes),
        )
        of_stage.setdefault(match.stage_id, []).append(game)
    return of_stage


def _late(match: Match, minutes: int) -> bool:
    if match.called_at is None or match.done_at is None or match.started_at is not None:
        return False
    return match.done_at - match.called_at >= timedelta(minutes=minutes)


def _trouble(use: str | None, in_order: bool) -> str:
    if use not in (None, StageMachine.State.OPEN):
        return "withdrawn"
    return "" if in_order else "out of order"


def _fed_by_what_is_over(stages: Iterable[Stage]) -> frozenset[str]:
    """The keys of the stages whose seats come from single games that are over, or were left out."""
    closed = (stage for stage in stages if stage.state == Stage.State.CLOSED)
    return frozenset(feed.stage for stage in closed for feed in stage.spec.feeds)


def _leg(
    stage: Stage,
    seats: tuple[Seated, ...],
    games: list[Game],
    rulings: list[Ruling],
    settled: tuple[Settled, ...],
    hidden: frozenset[str],
    first_place: int,
    over: frozenset[str],
) -> Leg:
    kept = stage.key in hidden
    treated: Callable[[Game], Game] = _silent if kept else lambda game: _with_outcome(game, stage.spec, rulings)
    return Leg(
        stage=stage.pk,
        spec=stage.spec,
        state=stage.state,
        open_round=stage.open_round,
        seats=seats,
        games=tuple(treated(game) for game in games),
        settled=() if kept else settled,
        kept=kept,
        labels={spec.key: spec.label for spec in stage.tournament.kind.stages},
        first_place=first_place,
        noun=stage.tournament.kind.noun,
        lateness=formats.lateness(stage.tournament.kind, stage.tournament.rules_in_force),
        source_over=stage.key in over,
    )


SHOWN = (Ruling.Kind.PLAY_OFF, Ruling.Kind.ORDER)


def _settled(ruling: Ruling, people: Mapping[int, Person]) -> Settled:
    order = ruling.data["order"]
    scores = ruling.data.get("scores", {})
    return Settled(
        ruling.kind,
        tuple(people[entry] for entry in order),
        tuple(scores[str(entry)] for entry in order) if scores else (),
        ruling.reason,
    )


def _with_outcome(game: Game, spec: StageSpec, rulings: list[Ruling]) -> Game:
    if spec.ranked or spec.grouped:
        return game
    orders = (ruling for ruling in rulings if ruling.kind in Ruling.ORDERS)
    known = finals.Game(
        entries=tuple(player.person.entry for player in game.players),
        scores={p.person.entry: p.value for p in game.players if p.value is not None and not p.out},
        absent=frozenset(player.person.entry for player in game.players if player.out),
        decisions=tuple(selectors.decision(ruling.kind, ruling.data, ruling.reason) for ruling in orders),
    )
    go_on = next((feed.many for feed in spec.feeds), None)
    return replace(game, outcome=finals.outcome(known, go_on))


def _silent(game: Game) -> Game:
    """The game without anything that happened in it."""
    players = tuple(player._replace(choice=None, absent=False, value=None, discarded=False) for player in game.players)
    return replace(game, players=players, state="", notes=(), called_at=None)


def _places(tournament: Tournament, people: Mapping[int, Person]) -> tuple[Ended, ...]:
    return tuple(
        Ended(people[row.entry_id], row.place, row.shared, row.why)
        for row in FinalPlace.objects.filter(tournament=tournament)
    )
