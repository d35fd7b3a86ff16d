"""From the database to facts and page data; never writes."""

import json
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from functools import cache, cached_property
from itertools import groupby
from operator import itemgetter
from typing import Any, TypeVar

from django.db import connection
from django.db.models import Count, Model, Prefetch, Q, QuerySet
from django.db.models.functions import Coalesce
from django.utils import timezone

from tournaments import formats, line_ups
from tournaments.domain import advancement, clashes, refusals
from tournaments.domain.advancement import Cut
from tournaments.domain.ages import age_on
from tournaments.domain.facts import (
    Decision,
    Entrant,
    MachineState,
    Met,
    Note,
    Part,
    Phase,
    Played,
    QualifyingRules,
    StageFacts,
    Standing,
    Table,
)
from tournaments.domain.facts import StageMachine as UsedMachine
from tournaments.domain.grouped import Group, Grouped, Reserve, one_table, reserves
from tournaments.domain.refusals import Step
from tournaments.domain.rulings import Move, carried_over, games_ranked_elsewhere, ranked_elsewhere, told
from tournaments.domain.standings import tabulate
from tournaments.models import (
    Entry,
    Incident,
    Journal,
    Machine,
    Match,
    Player,
    Ruling,
    Score,
    Seat,
    Show,
    Side,
    Stage,
    StageMachine,
    Tournament,
)
from tournaments.models.people import STANDINGS
from tournaments.questions import (
    ALONE,
    ENTRANTS,
    FREE_PLACES,
    MACHINES,
    RULINGS,
    SCORES,
    SEATED,
    SIDES,
    Question,
    ask,
)

M = TypeVar("M", bound=Model)

ANYBODY = 10_000
"""What stands for "any number of people" where entering is not limited by places."""

_now_known: dict[int, tuple[int, float]] = {}
_now_known_lock = threading.Lock()


@dataclass(frozen=True)
class StageRead:
    """A stage as of one revision: the facts and what the format makes of them."""

    stage: Stage
    revision: int
    at: datetime
    phase: Phase
    facts: StageFacts
    rules: QualifyingRules
    qualifiers: int
    table: Table
    grouped: Grouped | None = None

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of a stage that is played in groups; none in any other."""
        return self.grouped.groups if self.grouped else ()

    @property
    def version(self) -> str:
        """What a page of this reading is known by: the clock can change the phase without a change."""
        return f"{self.revision}.{self.phase}"

    @cached_property
    def cut(self) -> Cut:
        """The cut as it stands."""
        return advancement.cut(self.facts, self.table, self.rules, self.qualifiers)


def stage_facts(
    stage: Stage, *, now: datetime | None = None, decisions: bool = True, public: bool = False
) -> StageRead:
    """Everything a table of the stage depends on, in two trips to the database whatever the size.

    The revision is read first: a change in between makes the numbers newer than their label, and the next
    reader sees the newer label; never the other way round. `public` is for what everybody reads: where who competes
    is a child, the reasons that people typed for rulings stay out of it.
    """
    now = now or timezone.now()
    fresh = _stage_with_its_show(stage.pk)
    tournament = fresh.tournament
    phase = fresh.phase(now)
    rules = tournament.rules_in_force
    kind, spec = tournament.kind, fresh.spec
    counting = kind.counting(spec.key, rules)
    facts = _facts(fresh, phase, now, counting, decisions, reasons=not (public and kind.short_names))
    # In groups the table is what they say together: they are worked out once for both.
    grouped = formats.grouping(kind).grouped(facts, rules) if spec.grouped else None
    if grouped:
        table = one_table(grouped.groups)
    else:
        table = tabulate(facts, counting) if spec.matches else kind.table(facts, rules)
    return StageRead(
        stage=fresh,
        revision=tournament.revision,
        at=now,
        phase=phase,
        facts=facts,
        rules=counting,
        qualifiers=kind.go_on(spec.key, rules),
        table=table,
        grouped=grouped,
    )


def _stage_with_its_show(pk: int) -> Stage:
    """The stage, its tournament and its show in one query, as a query set would read them; raises `DoesNotExist`.

    By a bare cursor too: the joined query set alone took as long as everything else that a table needs.
    """
    query, converters = _joined(connection.vendor)
    [rows] = ask((query, (pk,)))
    if not rows:
        raise Stage.DoesNotExist
    values = list(rows[0])
    for column, steps in converters:
        for step in steps:
            values[column] = step(values[column], None, connection)
    stage, tournament, show = _made(Stage, values), _made(Tournament, values), _made(Show, values)
    stage.tournament, tournament.show = tournament, show
    return stage


def _made(model: type[M], values: list[Any]) -> M:
    """An object of the first of these values, which are used up."""
    names = [field.attname for field in model._meta.concrete_fields]
    own = values[: len(names)]
    del values[: len(names)]
    return model.from_db(connection.alias, names, own)


@cache
def _joined(vendor: str) -> tuple[Question, list[tuple[int, list[Any]]]]:
    """The query, and what this database needs to turn values into Python's, by the number of their column."""
    fields = [field for model in (Stage, Tournament, Show) for field in model._meta.concrete_fields]
    columns = [f"{field.model._meta.db_table}.{connection.ops.quote_name(str(field.column))}" for field in fields]
    steps = [
        connection.ops.get_db_converters(field.cached_col) + field.cached_col.get_db_converters(connection)
        for field in fields
    ]
    sql = f"""
        SELECT {", ".join(columns)} FROM tournaments_stage
        JOIN tournaments_tournament ON tournaments_tournament.id = tournaments_stage.tournament_id
        JOIN tournaments_show ON tournaments_show.id = tournaments_tournament.show_id
        WHERE tournaments_stage.id = %s
    """  # noqa: S608 - only names of our own columns
    return Question("stage_with_its_show", ("bigint",), len(columns), sql), [
        (column, needed) for column, needed in enumerate(steps) if needed
    ]


def _facts(
    stage: Stage, phase: Phase, now: datetime, counting: QualifyingRules, decisions: bool, *, reasons: bool
) -> StageFacts:
    seated, in_groups = stage.spec.seated, stage.spec.grouped
    free_places = (FREE_PLACES, (connection.ops.adapt_datetimefield_value(now), stage.tournament_id))
    # From the closing time on nobody can enter: new entries are refused then.
    may_enter = not seated and phase in (Phase.PLANNED, Phase.OPEN)
    matches = [(SIDES, (stage.pk,))] if in_groups else []
    scores, rows, machines, rulings, *others = ask(
        (ALONE if in_groups else SCORES, (stage.pk,)),
        (SEATED, (stage.pk,)) if seated else (ENTRANTS, (stage.tournament_id,)),
        (MACHINES, (stage.pk,)),
        (RULINGS, (stage.tournament_id, stage.pk)),
        *([free_places] if may_enter else matches),
    )
    if not reasons:
        rulings = [(kind, data, "", *about) for kind, data, _, *about in rulings]
    finished = [row[:3] for row in scores if row[3] not in UNRANKED and row[2] is not None]
    unfinished = [row for row in scores if row[3] in UNRANKED] if len(finished) < len(scores) else []
    played: Iterable[Played] = map(Played._make, finished)
    pairs = {kind: [(entry, machine) for entry, machine, _, state in unfinished if state == kind] for kind in UNRANKED}
    withdrawn_for = {machine: why for kind, _, why, _, machine, *_ in rulings if kind == Ruling.Kind.MACHINE}
    notes, moves = _notes(rulings), _moves(machines, withdrawn_for)
    carried: tuple[Played, ...] = ()
    met = _met(others[0]) if in_groups else ()
    if moves:
        met, said = games_ranked_elsewhere(met, moves)
        notes += said
        made = list(played)
        played, said = ranked_elsewhere(made, moves, counting.games_per_machine)
        carried = carried_over(made, played, moves)
        notes += said
        pairs = {kind: _moved(games, moves) for kind, games in pairs.items()}
    gave_up = {json.loads(data).get("for") for kind, data, *_ in rulings if kind == Ruling.Kind.REPLACED}
    entrants = tuple(
        Entrant(pk, number, name, STANDINGS.get(status, Standing.IN), group, bool(later) or pk in gave_up)
        for pk, number, name, status, group, later in rows
    )
    names = {pk: name for pk, _, name, *_ in machines}
    by_seed = (Decision(advancement.SEEDS, tuple(entrant.id for entrant in entrants)),) if seated else ()
    return StageFacts(
        phase=phase,
        entrants=entrants,
        machines=tuple(
            UsedMachine(
                pk,
                code,
                name,
                MachineState(state),
                bool(in_order),
                names.get(substitute, ""),
                None if factor is None else Decimal(str(factor)),
                withdrawn_for.get(pk, ""),
            )
            for pk, code, name, state, substitute, factor, in_order in machines
        ),
        played=tuple(played),
        playing=tuple(pairs[PLAYING]),
        waiting=tuple(pairs[WAITING]),
        spent=tuple(pairs[DISCARDED]),
        carried=carried,
        notes=tuple(notes),
        decisions=(*by_seed, *(_decisions(rulings) if decisions else ())),
        may_enter=_may_enter(*others[0][0]) if may_enter else 0,
        met=met,
    )


PLAYING, WAITING, DISCARDED = UNRANKED = (
    Score.State.PLAYING.value,
    Score.State.WAITING.value,
    Score.State.DISCARDED.value,
)


def _met(sides: list[tuple[Any, ...]]) -> tuple[Met, ...]:
    """The matches of a stage played in groups; whoever played for nothing has no part in one, like who stays away."""
    found = []
    for (_, machine, round_number), own in groupby(sides, key=itemgetter(0, 1, 2)):
        parts = tuple(
            Part(entry, None if state == DISCARDED else value, bool(absent) or state == DISCARDED)
            for *_, entry, absent, state, value in own
        )
        found.append(Met(machine, parts, round_number))
    return tuple(found)


def _decisions(rulings: list[tuple[Any, ...]]) -> tuple[Decision, ...]:
    """Both databases hand JSON to a bare cursor as text."""
    return tuple(
        decision(kind, json.loads(data), reason) for kind, data, reason, *_ in rulings if kind in Ruling.ORDERS
    )


def _notes(rulings: list[tuple[Any, ...]]) -> list[Note]:
    """What rulings say beside results; those on an order are told by the order itself.

    A ruling stays with its score, whoever that belongs to after a correction. On one that was made void since, only
    the ruling that did it still says something.
    """
    lines = [
        Note(entry, machine, told(kind, json.loads(data), reason), value if state in Score.COUNTED else None)
        for kind, data, reason, entry, machine, state, value in rulings
        if entry and (state != Score.State.VOID or kind in VOIDING)
    ]
    return [note for note in lines if note.words]


VOIDING = (Ruling.Kind.STOPPED, Ruling.Kind.VOIDED)
"""The kinds of ruling that make a score void."""


def _moves(machines: list[tuple[Any, ...]], reasons: Mapping[int, str]) -> dict[int, Move]:
    """Where the scores of machines withdrawn by rescaling are ranked; a bare cursor of SQLite knows no decimals."""
    return {
        pk: Move(substitute, Decimal(str(factor)), name, reasons.get(pk, ""))
        for pk, _, name, state, substitute, factor, *_ in machines
        if state == MachineState.RESCALED
    }


def _moved(pairs: list[tuple[int, int]], moves: Mapping[int, Move]) -> list[tuple[int, int]]:
    return [(entry, moves[machine].substitute if machine in moves else machine) for entry, machine in pairs]


def decision(kind: str, data: Mapping[str, Any], reason: str) -> Decision:
    """A ruling on an order as pure code knows it; equal scores of a play-off leave those who made them level."""
    order = tuple(data["order"])
    scores = data.get("scores", {})
    same = (tuple(entry for entry in order if scores[str(entry)] == value) for value in set(scores.values()))
    return Decision(kind, order, reason, tuple(group for group in same if len(group) > 1))


def _may_enter(pools: int, free: int) -> int:
    """How many people may still enter and play: free places on sale or to come; any number when none are counted."""
    return int(free) if pools else ANYBODY


def ages_unchecked(tournament: Tournament) -> set[int]:
    """The entries in a tournament with an age limit of whose age nothing is known."""
    if tournament.age_limit is None:
        return set()
    found = entered(tournament).filter(age_checked_at=None, player__born_on=None)
    return set(found.values_list("pk", flat=True))


CHILD_UNDER = 16
"""Under how many years of age a person of a known date of birth is a child everywhere. Our choice."""


def children(people: Collection[Player], day: date) -> set[int]:
    """Which of these people are children on this day, by id; one query.

    So is whoever has an adult to be asked, is known to be young, or is entered where only children compete. Source:
    house rules, "In public a child is a first name and an initial".
    """
    young = {
        player.pk
        for player in people
        if player.contact or (player.born_on and age_on(day, player.born_on) < CHILD_UNDER)
    }
    short = [kind.key for kind in formats.known() if kind.short_names]
    entered_there = Entry.objects.filter(player__in=people, tournament__format__in=short).order_by()
    return young | set(entered_there.values_list("player_id", flat=True))


def current_revision(tournament: int, *, at_most: float = 0.0) -> int:
    """The tournament's revision, at most so many seconds old; raises `Tournament.DoesNotExist` when it is gone.

    By a bare cursor: a query set costs a third to a half of the throughput of a polled page.
    """
    if at_most:
        known = _now_known.get(tournament)
        if known and time.monotonic() - known[1] < at_most:
            return known[0]
    with connection.cursor() as cursor:
        cursor.execute("SELECT revision FROM tournaments_tournament WHERE id = %s", [tournament])
        found = cursor.fetchone()
    if found is None:
        with _now_known_lock:
            _now_known.pop(tournament, None)
        raise Tournament.DoesNotExist
    revision: int = found[0]
    renew_revision(tournament, revision)
    return revision


def renew_revision(tournament: int, revision: int) -> None:
    """Remember the revision that this process has just read or written; never an older one."""
    with _now_known_lock:
        known = _now_known.get(tournament)
        if known is None or known[0] <= revision:
            _now_known[tournament] = (revision, time.monotonic())


NAME = Coalesce("player__name", "title")
"""The name of an entry, for a query set."""


def find_entry(tournament: Tournament, typed: str, *, at_most: int = 5) -> tuple[Entry | None, list[Entry]]:
    """The entry meant by a typed number or name: (exact, offers).

    A number is exact or nobody: 7 is never 17. An exact name of one entry is exact too; otherwise at most
    `at_most` are offered. DESIGN of the desk: exact number or code beats every name.
    """
    text = " ".join(typed.split())
    entries = entered(tournament)
    if text.isdecimal():
        return (entry_numbered(tournament, int(text)) if len(text) < 9 else None), []
    names = entries.annotate(called=NAME).order_by("called", "number").values_list("pk", "called")
    exact, offers = _by_name(list(names), text, at_most)
    found = entries.in_bulk([exact] if exact else offers)
    return (found[exact] if exact else None), [found[pk] for pk in offers]


def entered(tournament: Tournament) -> QuerySet[Entry]:
    """Everybody entered in a tournament, with the person if one: without what was merged with another entry."""
    return Entry.objects.filter(tournament=tournament).exclude(status=Entry.Status.MERGED).select_related("player")


def entry_numbered(tournament: Tournament, number: int) -> Entry | None:
    """The entry with this number, or of the person whose number it was before two records were merged."""
    entry = entered(tournament).filter(number=number).first()
    if entry is not None:
        return entry
    gone = Player.objects.filter(show=tournament.show_id, number=number, merged_into__isnull=False).first()
    return entered(tournament).filter(player=kept(gone)).first() if gone else None


def entries_by_badge(tournament: Tournament, number: int) -> list[Entry]:
    """The entries of several people of which the person with this number is one, also by a merged record."""
    player = Player.objects.filter(show=tournament.show_id, number=number).first()
    if player is None:
        return []
    own = [entry for entry, _ in line_ups.pairs(players=[kept(player).pk])]
    return list(entered(tournament).filter(pk__in=own, player=None).order_by("number"))


@dataclass(frozen=True, slots=True)
class Meant:
    """Who may be meant by a number or a name: people by all their records, or entries of several people, by id."""

    key: str
    words: str
    players: tuple[int, ...] = ()
    entries: tuple[int, ...] = ()


def meant_by_number(show: Show, number: int, tournament: Tournament | None = None) -> list[Meant]:
    """Who has this number in a show: the person, and every entry of several people, whose number is no badge's.

    In a tournament only the entry of that one is meant, and before the person.
    """
    titled = Entry.objects.filter(tournament__show=show, player=None, number=number).select_related("tournament")
    found = [
        Meant(f"entry-{entry.pk}", f"{entry} in {entry.tournament.name}", entries=(entry.pk,))
        for entry in titled.order_by("tournament__starts_on", "tournament__slug")
        if tournament is None or entry.tournament_id == tournament.pk
    ]
    person = Player.objects.filter(show=show, number=number).first()
    if person is None:
        return found
    records = tuple(record.pk for record in records_of([person]))
    by_badge = Meant("person", f"the person {kept(person)}, by the number on the badge", players=records)
    return [*found, by_badge] if tournament else [by_badge, *found]


def meant_by_name(show: Show, text: str) -> list[Meant]:
    """Everybody of a show with these words in the name, and every entry of several people, all as one."""
    words = fold(text).split()
    if not words:
        return []
    players = records_of(people_called(show, text))
    titled = Entry.objects.filter(tournament__show=show, player=None).order_by().values_list("pk", "title")
    entries = tuple(pk for pk, title in titled if all(word in fold(title) for word in words))
    if not players and not entries:
        return []
    return [Meant("name", text, tuple(record.pk for record in players), entries)]


def entries_numbered(tournament: Tournament, numbers: Iterable[int]) -> list[Entry]:
    """The entries with these numbers, also those of merged records, each once and by number; others are left out."""
    wanted = set(numbers)
    found = {entry.number: entry for entry in entered(tournament).filter(number__in=wanted)}
    for number in wanted - set(found):
        entry = entry_numbered(tournament, number)
        if entry is not None:
            found[entry.number] = entry
    return [found[number] for number in sorted(found)]


def kept(player: Player) -> Player:
    """The record that stands for this person: another one where this was merged into it."""
    while player.merged_into_id:
        player = Player.objects.get(pk=player.merged_into_id)
    return player


def kept_of(people: Iterable[Player]) -> dict[int, Player]:
    """The record that stands for each of these people, by the id of theirs; a query for each step of merging."""
    stands = {player.pk: player for player in people}
    while further := {player.merged_into_id for player in stands.values() if player.merged_into_id}:
        next_records = Player.objects.select_related("show").in_bulk(further)
        stands = {pk: next_records.get(player.merged_into_id or 0, player) for pk, player in stands.items()}
    return stands


def kept_entry(entry: Entry) -> Entry:
    """The entry that stands for this one: another one of the tournament where this was merged with it."""
    if entry.status != Entry.Status.MERGED:
        return entry
    return Entry.objects.select_related("player").get(tournament=entry.tournament_id, player=kept(entry.person))


def numbers_of(entries: Iterable[int]) -> list[int]:
    """The numbers that these entries have now, the lowest first."""
    return sorted(Entry.objects.filter(pk__in=list(entries)).order_by().values_list("number", flat=True))


def numbers_kept(tournament: Tournament) -> dict[int, int]:
    """The number of every entry by its id; of one that was merged the number of the entry that stands for it."""
    entries = list(Entry.objects.filter(tournament=tournament).select_related("player"))
    return {entry.pk: kept_entry(entry).number for entry in entries}


def entries_of(player: Player) -> list[Entry]:
    """The entries of a person's record, in the order in which several tournaments are locked."""
    own = Entry.objects.filter(player=player).exclude(status=Entry.Status.MERGED)
    return list(own.select_related("player", "tournament__show").order_by("tournament_id"))


def entries_with(player: Player) -> list[Entry]:
    """The entries of a person's record and those it is in with others, in the order in which several are locked."""
    shared = [entry for entry, _ in line_ups.pairs(players=[player.pk])]
    own = Entry.objects.filter(Q(player=player) | Q(pk__in=shared)).exclude(status=Entry.Status.MERGED)
    return list(own.select_related("player", "tournament__show").order_by("tournament_id"))


def people_behind(entries: Collection[int]) -> dict[int, set[int]]:
    """The players behind each of these entries, by id: one, or several."""
    found: dict[int, set[int]] = {entry: set() for entry in entries}
    alone = Entry.objects.filter(pk__in=found).exclude(player=None).order_by()
    for entry, player in (*alone.values_list("pk", "player_id"), *line_ups.pairs(entries=entries)):
        found[entry].add(player)
    return found


@dataclass(frozen=True)
class Engaged:
    """Where an entry is called to or playing: in a match, or in a game alone, which has no `match`."""

    entry: Entry
    stage: Stage
    machine: Machine
    playing: bool
    match: int | None = None

    @property
    def words(self) -> str:
        """ "playing on Funhouse in the Classic"."""
        doing = "playing on" if self.playing else "called to"
        return f"{doing} {self.machine.name} in {self.stage.tournament.name}"


@dataclass(frozen=True)
class Clash:
    """A person who is wanted in several tournaments of a show at once, and where."""

    player: Player
    places: tuple[Engaged, ...]


def engaged(*, show: int | None = None) -> list[Engaged]:
    """Everybody called to a match, in one under way or playing, in all shows or in one, in two queries.

    By tournament and stage, in each by the number of the entry.
    """
    stages = Stage.objects.filter(state=Stage.State.OPEN)
    if show is not None:
        stages = stages.filter(tournament__show=show)
    sides = Side.objects.filter(match__stage__in=stages, match__state__in=Match.UNDER_WAY, absent=False)
    games = Score.objects.filter(stage__in=stages, state=Score.State.PLAYING, match=None)
    found = [
        Engaged(
            side.entry,
            side.match.stage,
            side.match.machine,
            side.match.state != Match.State.CALLED,
            side.match_id,
        )
        for side in sides.select_related("entry__player", "match__machine", "match__stage__tournament__show")
    ]
    found += [
        Engaged(score.entry, score.stage, score.machine, playing=True)
        for score in games.select_related("entry__player", "machine", "stage__tournament__show")
    ]
    return sorted(found, key=_by_tournament)


def _by_tournament(place: Engaged) -> tuple[Any, ...]:
    tournament = place.stage.tournament
    return tournament.show.slug, tournament.slug, place.stage.position, place.entry.number, place.machine.name


def clashing(places: Iterable[Engaged]) -> list[Clash]:
    """Who of those behind these entries is wanted in two tournaments at once, by number, in a fixed number of queries.

    Source: house rules, "being called in two at once is shown as a clash to the desk".
    """
    listed = list(places)
    behind = people_behind({place.entry.pk for place in listed})
    wanted = [
        clashes.Wanted(player, place.stage.tournament_id, number)
        for number, place in enumerate(listed)
        for player in sorted(behind[place.entry.pk])
    ]
    found = clashes.clashes(wanted)
    players = Player.objects.select_related("show").in_bulk([clash.person for clash in found])
    lines = [Clash(players[clash.person], tuple(listed[number] for number in clash.places)) for clash in found]
    return sorted(lines, key=lambda clash: (clash.player.show.slug, clash.player.number))


def wanted_elsewhere(tournament: Tournament, entries: Collection[int]) -> dict[int, list[tuple[Player, Engaged]]]:
    """Who behind each of these entries of a tournament is called or playing in another one of the show.

    In a fixed number of queries; entries of whom nobody is are left out.
    """
    places = [place for place in engaged(show=tournament.show_id) if place.stage.tournament_id != tournament.pk]
    if not places:
        return {}
    behind = people_behind({*entries, *(place.entry.pk for place in places)})
    there: dict[int, list[Engaged]] = {}
    for place in places:
        for player in behind[place.entry.pk]:
            there.setdefault(player, []).append(place)
    players = Player.objects.in_bulk([player for player in there if any(player in behind[e] for e in entries)])
    by_number = sorted(players.values(), key=lambda player: player.number)
    found = {
        entry: [(player, place) for player in by_number if player.pk in behind[entry] for place in there[player.pk]]
        for entry in entries
    }
    return {entry: lines for entry, lines in found.items() if lines}


def records_of(people: Iterable[Player]) -> list[Player]:
    """Every record of these people, those that stand first."""
    found = list({each.pk: each for each in kept_of(people).values()}.values())
    level = found
    while level:
        level = list(Player.objects.filter(merged_into__in=level).order_by("number"))
        found = found + level
    return found


def maybe_the_same(player: Player) -> list[Player]:
    """Other records of the show that look like this person: same name, e-mail address or IFPA number."""
    others = Player.objects.filter(show=player.show_id, merged_into=None).exclude(pk=player.pk).order_by("number")
    return [other for other in others if _look_alike(player, other)]


def _look_alike(one: Player, other: Player) -> bool:
    if fold(one.name).split() == fold(other.name).split():
        return True
    return bool(one.email and one.email.casefold() == other.email.casefold()) or bool(
        one.ifpa_number and one.ifpa_number == other.ifpa_number
    )


def namesake(player: Player) -> Player | None:
    """Another person of the show with the same name, without case and accents, or the same e-mail address."""
    others = Player.objects.filter(show_id=player.show_id, merged_into=None).exclude(pk=player.pk).order_by("number")
    name, email = fold(player.name), player.email.casefold()
    for pk, other_name, other_email in others.values_list("pk", "name", "email"):
        if fold(other_name) == name or (email and other_email.casefold() == email):
            return Player.objects.get(pk=pk)
    return None


def find_machine(stage: Stage, typed: str, *, at_most: int = 5) -> tuple[Machine | None, list[Machine]]:
    """The machine of a stage meant by a typed code or name: (exact, offers)."""
    text = " ".join(typed.split())
    machines = Machine.objects.filter(stage_machines__stage=stage)
    by_code = machines.filter(code__iexact=text).first()
    if by_code:
        return by_code, []
    exact, offers = _by_name(list(machines.order_by("name", "code").values_list("pk", "name")), text, at_most)
    found = machines.in_bulk([exact] if exact else offers)
    return (found[exact] if exact else None), [found[pk] for pk in offers]


def fold(text: str) -> str:
    """A name as it is searched: without case and accents, so that "Zoe" finds "Zoë"."""
    return "".join(c for c in unicodedata.normalize("NFKD", text.casefold()) if not unicodedata.combining(c))


def _by_name(names: list[tuple[int, str]], typed: str, at_most: int) -> tuple[int | None, list[int]]:
    """Match in Python rather than in SQL, where SQLite and PostgreSQL disagree on case and accents."""
    words = fold(typed).split()
    if not words:
        return None, []
    folded = [(pk, fold(name)) for pk, name in names]
    exact = [pk for pk, name in folded if name == " ".join(words)]
    if len(exact) == 1:
        return exact[0], []
    return None, [pk for pk, name in folded if all(word in name for word in words)][:at_most]


def too_many_games(stage: Stage, rules: QualifyingRules) -> list[Entry]:
    """Who has more single games in the stage, or on one machine of it, than these rules allow; by number."""
    live = Score.objects.filter(stage=stage, match=None, state__in=Score.LIVE).order_by()
    games = [Played(*pair, 0) for pair in live.values_list("entry_id", "machine_id")]
    cancelled, moves = withdrawn(stage)
    carried, _ = ranked_elsewhere(games, moves, rules.games_per_machine)
    played = [(game.entry, game.machine) for game in carried if game.machine not in cancelled | set(moves)]
    over = {entry for entry, games in Counter(entry for entry, _ in played).items() if games > rules.games_allowed}
    over |= {entry for (entry, _), games in Counter(played).items() if games > rules.games_per_machine}
    return list(Entry.objects.filter(pk__in=over).select_related("player").order_by("number"))


def withdrawn(stage: Stage) -> tuple[set[int], dict[int, Move]]:
    """The machines of a stage whose games are given back, and those whose scores are ranked on another."""
    states = StageMachine.objects.filter(stage=stage).values_list(
        "machine_id", "machine__code", "machine__name", "state", "substitute_id", "factor"
    )
    rows = list(states)
    return {row[0] for row in rows if row[3] == StageMachine.State.CANCELLED}, _moves(rows, {})


def last_scores(stage: Stage, *, count: int = 20) -> list[Score]:
    """The scores entered last, newest first, whatever became of them."""
    return list(
        Score.objects.filter(stage=stage)
        .exclude(recorded_at=None)
        .select_related("entry__player", "machine", "recorded_by")
        .order_by("-recorded_at", "-pk")[:count]
    )


def under_way(stage: Stage) -> list[Score]:
    """Games started and without a result, longest first."""
    return list(
        Score.objects.filter(stage=stage, state=Score.State.PLAYING)
        .select_related("entry__player", "machine")
        .order_by("started_at")
    )


def waiting(stage: Stage) -> list[Score]:
    """Second results that wait for a decision, oldest first."""
    return list(
        Score.objects.filter(stage=stage, state=Score.State.WAITING)
        .select_related("entry__player", "machine", "recorded_by")
        .order_by("recorded_at")
    )


def rival(waiting: Score) -> Score | None:
    """The score that counts, beside which a second result for the same game waits."""
    counted = Score.objects.filter(stage=waiting.stage_id, entry=waiting.entry_id, machine=waiting.machine_id)
    found = counted.filter(attempt=waiting.attempt, state__in=Score.COUNTED)
    return found.select_related("entry__player", "machine", "recorded_by").first()


def history(score: Score) -> list[Journal]:
    """Everything that happened to a score, oldest first."""
    lines = Journal.objects.filter(score=score) | Journal.objects.filter(other_score=score)
    return list(lines.select_related("actor").order_by("revision"))


def with_merges(score: Score, lines: list[Journal]) -> list[Journal]:
    """The history of a score, and where it became the score of another record of the same person, oldest first."""
    merged = Ruling.objects.filter(tournament=score.stage.tournament_id, kind=Ruling.Kind.MERGED)
    # Which scores a merge has moved is a list that SQLite cannot look into; nothing else of it is read.
    moving = merged.exclude(data__scores=[]).order_by().values_list("pk", "data__scores")
    moved = [pk for pk, scores in moving if score.pk in scores]
    if not moved:
        return lines
    merges = Journal.objects.filter(ruling__in=moved).select_related("actor")
    return sorted([*lines, *merges], key=lambda line: line.revision)


def rulings_on(score: Score) -> list[Ruling]:
    """The rulings in force on a score, oldest first."""
    found = Ruling.objects.filter(score=score, undone_at=None).defer("changes")
    return list(found.select_related("decided_by").order_by("decided_at", "pk"))


def match_rulings_that_changed(score: Score) -> list[Ruling]:
    """The rulings in force on the match of a score that made something else of the score; the newest first."""
    kinds = (Ruling.Kind.OUT_OF_MATCH, Ruling.Kind.REPLAYED)
    found = Ruling.objects.filter(match=score.match_id, kind__in=kinds, undone_at=None) if score.match_id else ()
    own = [ruling for ruling in found if any(row[:2] == ["score", score.pk] for row in ruling.changes["rows"])]
    return sorted(own, key=lambda ruling: -ruling.pk)


def place_of(step: Step) -> tuple[Stage, int] | None:
    """Where the next step that a refusal names is taken: the stage, and the id of the ruling, score or match there.

    None where what it is about is gone, and 0 where the stage alone is meant.
    """
    stages = Stage.objects.select_related("tournament__show")
    if step.act == refusals.UNDO_RULING:
        ruling = Ruling.objects.filter(pk=step.of).first()
        own = Q(pk=ruling.stage_id) if ruling and ruling.stage_id else Q(tournament=ruling and ruling.tournament_id)
        found, part = stages.filter(own).order_by("position").first(), step.of
    elif step.act in (refusals.VOID_SCORE, refusals.UNDO_SCORE):
        found, part = stages.filter(scores=step.of).first(), step.of
    elif step.act == refusals.BREAK_OFF:
        found, part = stages.filter(matches=step.of).first(), step.of
    elif step.act in (refusals.PRESENT, refusals.ABSENT):
        match = Match.objects.filter(sides=step.of).first()
        found, part = (stages.filter(pk=match.stage_id).first(), match.pk) if match else (None, 0)
    elif step.act == refusals.UNDO_RESULTS:
        found, part = stages.filter(tournament=step.of).order_by("position").first(), 0
    else:
        found, part = stages.filter(pk=step.of).first(), 0
    return (found, part) if found else None


def rulings_in_force(tournament: Tournament, **about: Any) -> list[Ruling]:
    """The rulings of a tournament that nobody has taken back, oldest first; `about` narrows them by field."""
    related = ("decided_by", "stage__tournament__show", "score__machine", "match__machine", "entry__player", "machine")
    found = Ruling.objects.filter(tournament=tournament, undone_at=None, **about).select_related(*related)
    return list(found.defer("changes").order_by("decided_at", "pk"))


def stage_at(show: str, slug: str, key: str = "") -> Stage | None:
    """The stage at a public address: the one with this key, or the tournament's first."""
    stages = Stage.objects.select_related("tournament__show").filter(
        tournament__slug=slug, tournament__show__slug=show
    )
    return stages.filter(key=key).first() if key else stages.order_by("position").first()


def seats(tournament: Tournament, keys: tuple[str, ...]) -> list[Seat]:
    """The seats of the stages with these keys, in seed order."""
    found = Seat.objects.filter(stage__tournament=tournament, stage__key__in=keys)
    return list(found.select_related("entry__player", "stage").order_by("seed"))


def stand_ins(match: Match) -> QuerySet[Machine]:
    """Machines on which a single game could be played instead of its own: in order, and free in its stage."""
    closed = StageMachine.objects.filter(stage=match.stage_id).exclude(state=StageMachine.State.OPEN)
    live = Match.objects.filter(stage=match.stage_id, round=match.round).exclude(state=Match.State.VOID)
    machines = Machine.objects.filter(show=match.stage.tournament.show_id, in_order=True)
    taken = machines.exclude(pk__in=closed.values("machine")).exclude(pk__in=live.values("machine"))
    return taken.order_by("name", "code")


def stages_behind(stage: Stage) -> list[Stage]:
    """The stages that this one fills, in their order; one that is left out is passed over for those behind it."""
    found = Stage.objects.filter(tournament=stage.tournament_id).select_related("tournament__show")
    every = {each.key: each for each in found.order_by("position")}
    specs = stage.tournament.kind.stages

    def behind(key: str) -> Iterator[Stage]:
        for spec in specs:
            if spec.comes_from == key:
                yield from behind(spec.key) if every[spec.key].left_out else (every[spec.key],)

    return list(behind(stage.key))


def reserves_behind_groups(stage: Stage, decides: Stage) -> dict[int, list[Reserve]]:
    """Who may come in for each entry that has a seat behind groups, the next first, by the entry that would leave.

    Source: house rules, "the next in the original order takes the leaver's seat", in the group of the leaver.
    """
    seated = list(stage.seats.values_list("entry_id", flat=True))
    out = {*seated, *(entry.pk for entry in entered(stage.tournament) if entry.standing != Standing.IN)}
    read = stage_facts(decides)
    winners = read.grouped.winners if read.grouped else None
    return {entry: list(reserves(read.groups, winners, entry, out)) for entry in seated}


def source_of(stage: Stage) -> Stage | None:
    """The stage that decides the seats of this one: behind one that is left out the one before that."""
    stages = Stage.objects.select_related("tournament__show").filter(tournament=stage.tournament_id)
    found = stages.filter(key=stage.spec.comes_from).first()
    return source_of(found) if found and found.left_out else found


def still_called(matches: Collection[int]) -> frozenset[int]:
    """Of these matches, by id, those to which somebody is called and that have not begun."""
    if not matches:
        return frozenset()
    return frozenset(Match.objects.filter(pk__in=matches, state=Match.State.CALLED).values_list("pk", flat=True))


def machines_by_id(wanted: Collection[int]) -> dict[int, Machine]:
    """These machines by id."""
    return Machine.objects.in_bulk(wanted)


def withdrawing_ruling(stage: Stage, machine: Machine) -> Ruling | None:
    """The ruling in force that withdrew a machine from a stage; None where it came withdrawn from a folder."""
    found = Ruling.objects.filter(stage=stage, machine=machine, kind=Ruling.Kind.MACHINE, undone_at=None)
    return found.select_related("decided_by", "tournament").first()


def substitutes(used: StageMachine) -> list[Machine]:
    """The machines that can stand in: of the show, in order, and not withdrawn from the stage themselves."""
    gone = StageMachine.objects.filter(stage=used.stage_id).exclude(state=StageMachine.State.OPEN).values("machine")
    others = Machine.objects.filter(show=used.machine.show_id, in_order=True).exclude(pk=used.machine_id)
    return list(others.exclude(pk__in=gone).order_by("name", "code"))


def history_of_machine(machine: Machine) -> list[Journal]:
    """What was done to a machine, newest first: the steps in its book, and the rulings on it in tournaments."""
    own, rulings = Q(show=machine.show_id), Q(ruling__kind=Ruling.Kind.MACHINE)
    lines = Journal.objects.filter(own | rulings, machine=machine).select_related("actor", "tournament")
    return list(lines.order_by("-at", "-pk"))


def values_by_machine(stage: Stage) -> dict[int, list[int]]:
    """The scores that count on each machine of a stage, by its id, in one query; of groups those of games of one."""
    scores = Score.objects.filter(stage=stage, state__in=Score.COUNTED).order_by()
    if stage.spec.grouped:
        scores = scores.annotate(sides=Count("match__sides")).filter(sides__lte=1)
    found: dict[int, list[int]] = {}
    for machine, value in scores.values_list("machine_id", Coalesce("ranked", "value")):
        if value is not None:
            found.setdefault(machine, []).append(value)
    return found


def late_results(stage: Stage, entry: int) -> set[tuple[int, int | None]]:
    """(machine, value) of an entry's results that came after the closing time, by the ids of both."""
    late = Score.objects.filter(stage=stage, entry=entry, late=True, state__in=Score.COUNTED)
    return set(late.values_list("machine_id", Coalesce("ranked", "value")))


def shows() -> list[Show]:
    """Every show with its tournaments and their stages, the latest first."""
    stages = Stage.objects.order_by("position")
    tournaments = Tournament.objects.order_by("starts_on", "slug").prefetch_related(Prefetch("stages", stages))
    return list(Show.objects.prefetch_related(Prefetch("tournaments", tournaments)))


def all_tournaments() -> list[Tournament]:
    """Every tournament with its stages, those of the newest show first."""
    found = Tournament.objects.select_related("show").prefetch_related("stages__tournament__show")
    return list(found.order_by("-show__starts_on", "show__slug", "starts_on", "slug"))


def stages_of(tournament: Tournament) -> list[Stage]:
    """The stages of a tournament in the order in which they are played."""
    stages = list(Stage.objects.filter(tournament=tournament).order_by("position"))
    for stage in stages:
        stage.tournament = tournament
    return stages


def waiting_by_stage() -> Counter[int]:
    """How many results wait for a decision, by the id of the stage."""
    waiting = Score.objects.filter(state=Score.State.WAITING).order_by()
    return Counter(waiting.values_list("stage_id", flat=True))


def rulings_of(tournament: Tournament) -> QuerySet[Ruling]:
    """All rulings of a tournament, also those taken back, with what each concerns."""
    related = ("tournament__show", "stage", "score__stage", "match__stage", "entry__player", "machine", "decided_by")
    return Ruling.objects.filter(tournament=tournament).select_related(*related)


def entries_in_order(order: Iterable[int]) -> list[Entry]:
    """The entries with these ids, in this order."""
    ids = list(order)
    entries = Entry.objects.select_related("player").in_bulk(ids)
    return [entries[pk] for pk in ids]


def entries_with_games(person: Player) -> QuerySet[Entry]:
    """The entries of a person, each with the number of its `games` that count or wait."""
    live = Q(scores__state__in=(*Score.LIVE, Score.State.WAITING))
    entries = Entry.objects.filter(player=person).exclude(status=Entry.Status.MERGED).select_related("tournament")
    return entries.annotate(games=Count("scores", filter=live)).order_by("tournament")


def people_numbered(show: Show, typed: str) -> list[Player]:
    """Whoever of a show has exactly this number; nobody for a number that none can have."""
    return list(Player.objects.filter(show=show, number=int(typed))) if len(typed) < 9 else []


def people_called(show: Show, typed: str) -> list[Player]:
    """The people of a show with all these words in their names, by number; nobody for no words."""
    words = fold(typed).split()
    people = Player.objects.filter(show=show).order_by("number") if words else Player.objects.none()
    return [each for each in people if all(word in fold(each.name) for word in words)]


def machines_called(show: Show, typed: str) -> list[Machine]:
    """The machine of a show with this code, or all with this in their names; none where nothing is typed."""
    machines = list(Machine.objects.filter(show=show)) if typed else []
    coded = [each for each in machines if each.code.casefold() == typed.casefold()]
    return coded or [each for each in machines if fold(typed) in fold(each.name)]


def incident_books(machines: Collection[Machine]) -> dict[int, list[Incident]]:
    """What was reported of machines, by their ids, the newest first."""
    related = ("machine", "reported_by", "repaired_by", "undone_by")
    reports = Incident.objects.filter(machine__in=machines).select_related(*related)
    book: dict[int, list[Incident]] = {}
    for incident in reports.order_by("-reported_at", "-pk"):
        book.setdefault(incident.machine_id, []).append(incident)
    return book


def uses_of(machines: Collection[Machine]) -> dict[int, list[StageMachine]]:
    """Where machines are used in stages that this version plays, by their ids."""
    used = StageMachine.objects.filter(machine__in=machines)
    used = used.select_related("machine", "substitute", "stage__tournament__show")
    uses: dict[int, list[StageMachine]] = {}
    for use in used.order_by("stage__tournament__slug", "stage__position"):
        if use.stage.spec.playable:
            uses.setdefault(use.machine_id, []).append(use)
    return uses


def in_the_journal(show: Show) -> list[tuple[int, str]]:
    """Who has a line in the journal of a show or its tournaments: id and login, by login."""
    own = Journal.objects.filter(tournament__show=show) | Journal.objects.filter(show=show)
    names = own.exclude(actor=None).order_by("actor__username").values_list("actor", "actor__username")
    return list(names.distinct())


def journal_lines(
    show: Show,
    *,
    tournament: Any = None,
    actions: Collection[str] = (),
    none_of: Collection[str] = (),
    rulings: bool = False,
    actors: Collection[Any] = (),
    machines: Collection[int] = (),
    people: Meant | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> QuerySet[Journal]:
    """The lines of a show and its tournaments, newest first; whatever is given narrows them.

    `actions` are those of the lines, with `rulings` also any with a ruling; `none_of` leaves these out, and rulings.
    `actors` may name None, the server's console. Of a machine or a player, also what was theirs before a correction.
    """
    found = Journal.objects.filter(Q(show=show) | Q(tournament__in=show.tournaments.all()))
    if tournament:
        found = found.filter(tournament=tournament)
    if actions:
        found = found.filter(Q(action__in=actions) | Q(ruling__isnull=False) if rulings else Q(action__in=actions))
    if none_of:
        found = found.filter(~Q(action__in=none_of) & Q(ruling=None))
    for actor in actors:
        found = found.filter(actor=actor)
    if machines:
        of_machines = Q(machine__in=machines) | Q(before__machine__in=machines) | Q(ruling__machine__in=machines)
        found = found.filter(of_machines)
    if people:
        found = found.filter(_of_people(show, people))
    if since:
        found = found.filter(at__gte=since)
    if until:
        found = found.filter(at__lt=until)
    related = ("tournament", "actor", "score__stage", "entry__player", "machine", "ruling__stage", "ruling__entry")
    return found.select_related(*related).order_by("-at", "-pk")


def _of_people(show: Show, people: Meant) -> Q:
    """What happened to people under any of their records, to entries of several people, also those in which they
    are, and to scores that were theirs before a correction.
    """
    behind = {entry for entry, _ in line_ups.pairs(players=people.players)} if people.players else set()
    own_or_titled = Q(player__in=people.players) | Q(pk__in=[*people.entries, *behind])
    entries = dict(Entry.objects.filter(own_or_titled).values_list("pk", "number"))
    absent = Ruling.objects.filter(tournament__show=show, kind=Ruling.Kind.NO_SHOWS)
    no_shows = [
        ruling.pk
        for ruling in absent.only("data", "changes")
        if any(row[:1] == ["entry"] and row[1] in entries for row in ruling.changes["rows"])
    ]
    own = list(entries)
    return (
        Q(entry__in=own)
        | Q(score__entry__in=own)
        | Q(before__entry__in=own)
        | Q(ruling__entry__in=own)
        | Q(ruling__in=no_shows)
        | Q(after__keep__in=people.players)
        | Q(after__gone__in=people.players)
    )
