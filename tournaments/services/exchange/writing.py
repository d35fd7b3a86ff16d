"""A tournament as a folder: everything its tables, seats and results depend on.

Left out are the journal, what was there before a correction, rulings that were taken back, and whatever is never
public: e-mail addresses, adult contacts and dates of birth. A copy of the database keeps those.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from django.db.models import Prefetch, QuerySet

from tournaments import formats, selectors
from tournaments.domain.refusals import Refusal
from tournaments.domain.rulings import shown_factor
from tournaments.formats import PlannedMatch
from tournaments.models import Entry, Match, Player, Score, Seat, Side, Stage, StageMachine, Tournament
from tournaments.services.exchange import games, heading, judging, rosters, tables
from tournaments.services.exchange.lines import (
    MACHINE_STATES,
    MACHINES,
    MATCHES,
    RESULTS,
    RULINGS,
    SCORES,
    SEATS,
    STAGES,
    Table,
)
from tournaments.services.exchange.writing_rulings import named_in_force, rulings, time

TRIES = 3
"""How often a tournament is read again when somebody changed it meanwhile."""


def dump(tournament: Tournament) -> dict[str, bytes]:
    """The files of a tournament folder, by name, all as of one revision; raises `Refusal` while it keeps changing."""
    for _ in range(TRIES):
        before = selectors.current_revision(tournament.pk)
        files = _files(tournament)
        if selectors.current_revision(tournament.pk) == before:
            return files
    raise Refusal(f"{tournament.name} is changing too fast to be written down; try again in a quiet moment.")


def _files(tournament: Tournament) -> dict[str, bytes]:
    """Tables that would be empty are left out, except the usual three."""
    machines = (
        StageMachine.objects.filter(stage__tournament=tournament)
        .select_related("stage", "machine")
        .order_by("stage__position", "machine__name", "machine__code")
    )
    roster, listed = rosters.of(tournament.kind), rosters.table_of(tournament.kind)
    found: dict[Table, list[tuple[object, ...]]] = {
        MACHINES: _machines(machines),
        listed: roster.rows(tournament) if roster else _entries(tournament),
        SCORES: _scores(tournament),
        STAGES: _stages(tournament),
        MACHINE_STATES: _machine_states(machines),
        RULINGS: rulings(tournament),
        SEATS: _seats(tournament),
        MATCHES: _matches(tournament),
        RESULTS: _results(tournament),
    }
    files = {heading.FILE: "\n".join(_heading(tournament)).encode() + b"\n"}
    for table, lines in found.items():
        if lines or table in (MACHINES, listed, SCORES):
            files[table.file] = tables.write((*table.needed, *table.optional), lines)
    return files


def toml(value: Any) -> str:
    """A value as TOML writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, datetime | date):
        return value.isoformat()
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(toml, value))}]"
    if isinstance(value, int):
        return str(value)
    # The quoting of JSON is that of TOML, except for one character that JSON leaves as it is.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _heading(tournament: Tournament) -> Iterator[str]:
    show = tournament.show
    yield f"show = {toml(show.name)}"
    yield f"show_slug = {toml(show.slug)}"
    yield f"show_starts_on = {toml(show.starts_on)}"
    yield f"show_ends_on = {toml(show.ends_on)}"
    if show.venue:
        yield f"venue = {toml(show.venue)}"
    yield f"time_zone = {toml(show.time_zone)}"
    if show.rehearsal:
        yield "rehearsal = true"
    yield f"name = {toml(tournament.name)}"
    yield f"slug = {toml(tournament.slug)}"
    yield f"format = {toml(tournament.format)}"
    yield f"starts_on = {toml(tournament.starts_on)}"
    if tournament.results_declared_at:
        yield f"results_declared_at = {toml(tournament.results_declared_at.astimezone(show.zone))}"
    if tournament.results_held_back:
        yield "results_held_back = true"
    yield ""
    yield f"[{heading.RULES}]"
    # Every rule in force, so that a default that changes later changes no old result.
    for rule in formats.rule_lines(tournament.rules_in_force):
        yield f"{rule.name} = {toml(rule.value)}"
    for pool in tournament.pools.order_by("kind"):
        yield ""
        yield f"[{heading.PLACES}.{pool.kind}]"
        yield f"capacity = {pool.capacity}"
        for name in ("opens_at", "closes_at"):
            if getattr(pool, name):
                yield f"{name} = {toml(getattr(pool, name).astimezone(show.zone))}"


def _machines(machines: Any) -> list[tuple[object, ...]]:
    used = {row.machine.code: row.machine for row in machines}
    return [(m.code, m.name, m.manufacturer, m.year or "") for _, m in sorted(used.items())]


def _machine_states(machines: QuerySet[StageMachine]) -> list[tuple[object, ...]]:
    """The machines of each stage; those drawn by lot stand last, in the order in which they were drawn."""
    rows = list(machines.select_related("substitute"))
    rows.sort(key=lambda used: (used.stage.position, used.pk if used.drawn_from else 0))
    return [
        (
            used.stage.key,
            used.machine.code,
            str(used.state),
            used.substitute.code if used.substitute else "",
            "" if used.factor is None else shown_factor(used.factor),
            used.drawn_from or "",
        )
        for used in rows
    ]


def _entries(tournament: Tournament) -> list[tuple[object, ...]]:
    names = Counter(
        name.casefold()
        for name in Player.objects.filter(show=tournament.show, merged_into=None).values_list("name", flat=True)
    )
    return [
        (
            entry.number,
            entry.name,
            entry.country,
            entry.ifpa_number,
            entry.pool.kind if entry.pool else "",
            entry.status,
            "yes" if names[entry.name.casefold()] > 1 else "",
            "yes" if tournament.age_limit is not None and entry.age_known else "",
        )
        for entry in selectors.entered(tournament).select_related("player", "pool").order_by("number")
    ]


def _scores(tournament: Tournament) -> list[tuple[object, ...]]:
    """Every solo game with a score, and those under way; a game given up without a score leaves none.

    Of matches the void scores and those that a ruling concerns: the others stand with their match. In an order that
    only depends on what is written, so that a copy is written in the same one.
    """
    found = (
        Score.objects.filter(stage__tournament=tournament)
        .exclude(state=Score.State.VOID, value=None)
        .exclude(match__state=Match.State.VOID)
        .exclude(entry__status=Entry.Status.MERGED)
        .select_related("stage", "entry", "machine", "match")
        .order_by("stage__position", "recorded_at", "pk")
    )
    ruled = set(named_in_force(tournament))
    zone = tournament.show.zone
    lines = []
    for score in found:
        plain = score.state in Score.COUNTED and score.ranked is None and score.pk not in ruled
        if score.match and plain:
            continue
        value = "" if score.state == Score.State.PLAYING or score.value is None else score.value
        cells = (
            score.entry.number,
            score.machine.code,
            value,
            score.stage.key,
            score.match.round if score.match else "",
            time(score.taken_at or score.started_at, zone),
            str(score.state),
            "" if score.ranked is None else score.ranked,
        )
        moment = score.taken_at or score.started_at
        order = (score.stage.position, *cells[:2], score.match.round if score.match else 0)
        lines.append((*order, moment.timestamp() if moment else 0.0, [str(cell) for cell in cells], cells))
    lines.sort(key=lambda line: line[:-1])
    return [line[-1] for line in lines]


def _stages(tournament: Tournament) -> list[tuple[object, ...]]:
    zone = tournament.show.zone
    return [
        (
            stage.key,
            stage.state,
            time(stage.opens_at, zone),
            time(stage.closes_at, zone),
            stage.open_round if stage.spec.matches else "",
            "yes" if _rules_broken(stage) else "",
        )
        for stage in tournament.stages.select_related("tournament").order_by("position")
    ]


def _rules_broken(stage: Stage) -> bool:
    """Whether the matches of a stage are not what its format asks for, as after a machine has died."""
    found = list(_live_matches(stage.tournament).filter(stage=stage))
    if not found:
        return False
    planned = [
        PlannedMatch(match.round, match.machine_id, tuple(side.entry_id for side in match.sides.all()))
        for match in found
    ]
    return bool(judging.faults(stage, planned))


def _live_matches(tournament: Tournament) -> QuerySet[Match]:
    found = Match.objects.filter(stage__tournament=tournament).exclude(state=Match.State.VOID)
    sides = Prefetch("sides", Side.objects.select_related("entry").order_by("rank"))
    return (
        found.select_related("stage", "machine").prefetch_related(sides).order_by("stage__position", "round", "order")
    )


def _matches(tournament: Tournament) -> list[tuple[object, ...]]:
    live = Score.objects.filter(match__stage__tournament=tournament, state__in=Score.COUNTED)
    values = {(match, entry): value for match, entry, value in live.values_list("match_id", "entry_id", "value")}
    return [_match(match, values) for match in _live_matches(tournament)]


def _match(match: Match, values: Mapping[tuple[int, int], int | None]) -> tuple[object, ...]:
    sides = list(match.sides.all())
    cells: list[object] = []
    for side in sides:
        cells += [side.entry.number, values.get((match.pk, side.entry_id), "")]
    empty = [""] * (2 * len(games.SEATS_IN_A_MATCH) - len(cells))
    choices = [str(side.choice or games.NO_CHOICE) for side in sides] if any(side.choice for side in sides) else []
    absent = [str(side.entry.number) for side in sides if side.absent]
    agreed = [str(side.entry.number) for side in sides if side.agreed_at and (match.pk, side.entry_id) in values]
    listed = (" ".join(choices), " ".join(absent), " ".join(agreed))
    return (match.stage.key, match.round, match.machine.code, *cells, *empty, str(match.state), *listed)


def _results(tournament: Tournament) -> list[tuple[object, ...]]:
    return [
        (place.place or "", place.entry.number, "yes" if place.shared else "", place.why)
        for place in tournament.final_places.select_related("entry")
    ]


def _seats(tournament: Tournament) -> list[tuple[object, ...]]:
    found = Seat.objects.filter(stage__tournament=tournament).order_by("stage__position", "seed")
    return list(found.values_list("stage__key", "seed", "entry__number", "why", "group"))
