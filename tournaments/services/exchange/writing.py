"""A tournament as a folder: everything its tables, seats and results depend on.

Left out are the journal, what was there before a correction, rulings that were taken back, and whatever is never
public: e-mail addresses and adult contacts. A copy of the database keeps those.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import date, datetime
from typing import Any

from django.db.models import Prefetch, QuerySet

from tournaments import formats, selectors
from tournaments.domain.refusals import Refusal
from tournaments.formats import PlannedMatch
from tournaments.models import Match, Player, Ruling, Score, Seat, Side, Stage, StageMachine, Tournament
from tournaments.services.exchange import folder, games, heading, judging, tables
from tournaments.services.exchange.folder import Table

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
    machines = StageMachine.objects.filter(stage__tournament=tournament).select_related("stage", "machine")
    found: dict[Table, list[tuple[object, ...]]] = {
        folder.MACHINES: _machines(machines),
        folder.ENTRIES: _entries(tournament),
        folder.SCORES: _scores(tournament),
        folder.STAGES: _stages(tournament),
        folder.MACHINE_STATES: [(used.stage.key, used.machine.code, used.state) for used in machines],
        folder.RULINGS: _rulings(tournament),
        folder.SEATS: _seats(tournament),
        folder.MATCHES: _matches(tournament),
        folder.RESULTS: _results(tournament),
    }
    files = {heading.FILE: "\n".join(_heading(tournament)).encode() + b"\n"}
    for table, lines in found.items():
        if lines or table in (folder.MACHINES, folder.ENTRIES, folder.SCORES):
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


def _entries(tournament: Tournament) -> list[tuple[object, ...]]:
    names = Counter(
        name.casefold()
        for name in Player.objects.filter(show=tournament.show, merged_into=None).values_list("name", flat=True)
    )
    return [
        (
            entry.number,
            entry.player.name,
            entry.player.country,
            entry.player.ifpa_number,
            entry.pool.kind if entry.pool else "",
            entry.status,
            "yes" if names[entry.player.name.casefold()] > 1 else "",
        )
        for entry in selectors.entered(tournament).select_related("player", "pool").order_by("number")
    ]


def _scores(tournament: Tournament) -> list[tuple[object, ...]]:
    """Every solo game with a score, and those under way; a game given up without a score leaves none.

    Of matches only the void scores: those that count stand with their match.
    """
    found = (
        Score.objects.filter(stage__tournament=tournament)
        .exclude(state=Score.State.VOID, value=None)
        .exclude(match__isnull=False, state__in=Score.LIVE)
        .exclude(match__state=Match.State.VOID)
        .order_by("stage__position", "entry__number", "machine__code", "attempt", "recorded_at", "pk")
        .values_list(
            "entry__number", "machine__code", "value", "stage__key", "match__round", "state", "taken_at", "started_at"
        )
    )
    zone = tournament.show.zone
    return [
        (
            number,
            code,
            "" if state == Score.State.PLAYING else value,
            stage,
            round_number or "",
            _time(taken_at or started_at, zone),
            state,
        )
        for number, code, value, stage, round_number, state, taken_at, started_at in found.iterator()
    ]


def _stages(tournament: Tournament) -> list[tuple[object, ...]]:
    zone = tournament.show.zone
    return [
        (
            stage.key,
            stage.state,
            _time(stage.opens_at, zone),
            _time(stage.closes_at, zone),
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


def _rulings(tournament: Tournament) -> list[tuple[object, ...]]:
    keys = dict[int | None, str](tournament.stages.values_list("pk", "key"))
    numbers = dict(tournament.entries.values_list("pk", "number"))
    found = Ruling.objects.filter(stage__tournament=tournament, kind__in=Ruling.ORDERS, undone_at=None)
    return [
        (
            keys[ruling.stage_id],
            ruling.kind,
            " ".join(str(numbers[pk]) for pk in ruling.data["order"]),
            _play_off(ruling.data),
            ruling.reason,
            _time(ruling.decided_at, tournament.show.zone),
            ruling.data.get("decided_by") or (ruling.decided_by.get_username() if ruling.decided_by else ""),
        )
        for ruling in found.select_related("decided_by").order_by("stage__position", "decided_at", "pk")
    ]


def _play_off(data: Mapping[str, Any]) -> str:
    values = data.get("scores", {})
    return " ".join(str(values[str(pk)]) for pk in data["order"]) if values else ""


def _seats(tournament: Tournament) -> list[tuple[object, ...]]:
    found = Seat.objects.filter(stage__tournament=tournament).order_by("stage__position", "seed")
    return list(found.values_list("stage__key", "seed", "entry__number", "why"))


def _time(moment: datetime | None, zone: Any) -> str:
    return moment.astimezone(zone).isoformat() if moment else ""
