"""What the public pages say: a reading of a stage as finished HTML.

The rows of the table are made by Jinja2 from lines prepared beforehand, because every public page waits for them.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.http import Http404
from django.template import engines
from django.template.loader import render_to_string
from django.urls import reverse

from tournaments import formats, selectors
from tournaments.domain.facts import Entrant, Phase
from tournaments.domain.points import COUNT_DOWN, LINEAR_100, PAPA
from tournaments.domain.scores import grouped
from tournaments.domain.standings import place_words, why
from tournaments.live import Reading
from tournaments.models import Show, Stage, Tournament
from tournaments.views import lines

PHASE_WORDS = {
    Phase.PLANNED: "not begun",
    Phase.OPEN: "open",
    Phase.CLOSING: "closing",
    Phase.CLOSED: "closed",
}
SCALE_WORDS = {
    LINEAR_100.name: "100, 99, 98 … and so on, down to 0",
    PAPA.name: "100, 90, 85, 84, 83 … and so on, down to 0",
    COUNT_DOWN.name: "As many points as there are scores on the machine, then one fewer for each place, down to 1",
}


@dataclass(frozen=True)
class Addresses:
    """The addresses of one tournament, reversed once and not for every row."""

    tournament: str
    players: str
    machines: str
    rules: str
    search: str

    @classmethod
    def of(cls, tournament: Tournament) -> "Addresses":
        base = reverse("public:tournament", args=[tournament.show.slug, tournament.slug])
        return cls(base, f"{base}players/", f"{base}machines/", f"{base}rules/", f"{base}search/")


def rows(reading: Reading) -> str:
    """The live part of a stage's page: how far it is, the table with the cut, who is not ranked, the machines."""
    kind = reading.tournament.kind
    panel = kind.panels.get((reading.stage.key, "public"), "tournaments/public/_entered.jinja")
    context = {
        **_head(reading),
        "panel": panel,
        "label": reading.stage.label,
        "seats": lines.seat_lines(reading),
        "entrants": reading.facts.entrants,
        **lines.cut_words(reading),
        **lines.table(reading),
        "leaders": lines.leaders(reading),
    }
    return str(engines["jinja2"].get_template("tournaments/public/_rows.jinja").render(context))


def stage_page(reading: Reading) -> str:
    """The whole page of a stage."""
    return _page("stage", reading, current="stage", rows=rows(reading), stage=reading.stage)


def player_page(reading: Reading, entry: int) -> str:
    """Everything about one entry: games, places, points, why this place, what is needed where."""
    read, facts = reading.read, reading.facts
    entrant = facts.entrant(entry)
    row, outlook = reading.table.row(entrant.id), reading.cut.outlooks[entrant.id]
    status, words, surety = lines.status(reading, entrant, outlook)
    needs = lines.need_lines(reading, entrant)
    return _page(
        "player",
        reading,
        entrant=entrant,
        row=row,
        place=place_words(row.place, row.shared) if row.place else "",
        games_allowed=read.rules.games_allowed,
        status=status,
        words=words,
        surety=surety,
        meaning=lines.meaning(reading, entrant, outlook),
        lines=lines.game_lines(reading, row),
        why=why(entrant.id, facts, reading.table, read.rules),
        needs=needs,
        needs_sentence=lines.needs_sentence(reading, entrant, needs),
        seat=next((seat for seat in lines.seat_lines(reading) if seat[1] == entrant.number), None),
        label=reading.stage.label,
    )


def machine_page(reading: Reading, used: int) -> str:
    """The ranking of one machine; raises `Http404` when it has just been left out of the stage."""
    machine = next((machine for machine in reading.facts.machines if machine.id == used), None)
    if machine is None:
        raise Http404("This machine is no longer used.")
    entrants = {entrant.id: entrant for entrant in reading.facts.entrants}
    playing = [entrants[entry] for entry, on in reading.facts.playing if on == used]
    return _page(
        "machine",
        reading,
        machine=machine,
        note=lines.MACHINE_WORDS[machine.state],
        playing=playing,
        results=[
            (place_words(r.place, r.shared), entrants[r.entry], grouped(r.value), r.points)
            for r in lines.in_order(reading.table.machines.get(used, ()), entrants)
        ],
    )


def rules_page(reading: Reading) -> str:
    """The rules in force, each with its value, meaning and source."""
    return _page(
        "rules",
        reading,
        current="rules",
        lines=rule_words(reading.tournament),
        counting=reading.read.rules,
        qualifiers=reading.read.qualifiers,
    )


def search_page(reading: Reading, typed: str, found: tuple[Entrant, ...]) -> str:
    """The people found by a name, or everybody when nothing was typed."""
    listed = found if typed else reading.facts.entrants
    return _page("search", reading, current="search", typed=typed, listed=[lines.listed(reading, e) for e in listed])


def find_entrants(reading: Reading, typed: str) -> tuple[Entrant | None, tuple[Entrant, ...]]:
    """Who is meant by a typed number or name: (exact, all that match), by the names everybody may read.

    A number is exact or nobody: 7 is never 17. A whole name of one entry, or the only match, is exact too.
    """
    entrants = reading.facts.entrants
    if typed.isdecimal():
        number = int(typed) if len(typed) < 10 else -1
        return next((e for e in entrants if e.number == number), None), ()
    words = selectors.fold(typed).split()
    if not words:
        return None, ()
    folded = [(e, selectors.fold(e.name)) for e in entrants]
    found = tuple(e for e, name in folded if all(word in name for word in words))
    whole = tuple(e for e, name in folded if name == " ".join(words))
    exact = whole if len(whole) == 1 else found
    return (exact[0] if len(exact) == 1 else None), found


def rule_words(tournament: Tournament) -> list[tuple[formats.RuleLine, str, str]]:
    """Each rule in force with its value in words, and the usual value in words where this one differs."""
    rules = tournament.rules_in_force
    choices = {name: field.metadata.get("choices", {}) for name, field in type(rules).__dataclass_fields__.items()}
    return [
        (
            line,
            _value_words(line.value, choices[line.name]),
            "" if line.value == line.default else _value_words(line.default, choices[line.name]),
        )
        for line in formats.rule_lines(rules)
    ]


def show_lines(shows: Iterable[Show], now: datetime) -> list[tuple[Show, list[tuple[Tournament, list[str]]]]]:
    """Each show with its tournaments and, in words, the first stage of each and all that have begun."""
    return [(show, [(each, _stages(show, each, now)) for each in show.tournaments.all()]) for show in shows]


def _stages(show: Show, tournament: Tournament, now: datetime) -> list[str]:
    tournament.show = show
    words = []
    for number, stage in enumerate(tournament.stages.all()):
        stage.tournament = tournament
        if number == 0 or stage.state != Stage.State.PLANNED:
            words.append(stage_words(stage, now))
    return words


def stage_words(stage: Stage, now: datetime) -> str:
    """How far a stage is, for the list of tournaments: "Qualifying: open until 16:00"."""
    phase = stage.phase(now)
    zone = stage.tournament.show.zone
    if phase == Phase.OPEN and stage.closes_at:
        return f"{stage.label}: open until {_clock(stage.closes_at.astimezone(zone), now)}"
    if phase == Phase.PLANNED and stage.opens_at:
        return f"{stage.label}: from {_clock(stage.opens_at.astimezone(zone), now)}"
    return f"{stage.label}: {PHASE_WORDS[phase]}"


def _page(template: str, reading: Reading, **context: Any) -> str:
    """A whole page. Rendered without the request: who asks must not be able to change a byte of it."""
    tournament = reading.tournament
    known = {
        "show": reading.show,
        "tournament": tournament,
        "reading": reading,
        "addresses": Addresses.of(tournament),
        "nav": [spec for number, spec in enumerate(tournament.kind.stages) if spec.playable or number == 0],
        "current": "",
        "has_table": _has_table(reading.stage),
        "at": reading.at,
        "clock": f"{reading.at:%H:%M:%S}",
        "day": _day(reading.at),
    }
    return render_to_string(f"tournaments/public/{template}.html", {**known, **context})


def _has_table(stage: Stage) -> bool:
    return (stage.key, "public") in stage.tournament.kind.panels


def _head(reading: Reading) -> dict[str, Any]:
    """How far the stage is, in words, and the time it is from."""
    stage, phase, facts = reading.stage, reading.read.phase, reading.facts
    return {
        "version": str(reading.version),
        "zone": reading.show.time_zone,
        "at": reading.at,
        "clock": f"{reading.at:%H:%M:%S}",
        "day": _day(reading.at),
        "phase": phase.value,
        "phase_words": _phase_words(stage, phase, reading.at),
        "state": _state(stage, phase, reading.at),
        "outstanding": _outstanding(reading) if _has_table(stage) else "",
        "waiting": _waiting_words(len(facts.waiting)),
        "addresses": Addresses.of(reading.tournament),
    }


def _state(stage: Stage, phase: Phase, now: datetime) -> str:
    zone = stage.tournament.show.zone
    if phase == Phase.PLANNED:
        return f"Play is due to begin at {_clock(stage.opens_at.astimezone(zone), now)}." if stage.opens_at else ""
    if phase == Phase.OPEN:
        return f"New games start until {_clock(stage.closes_at.astimezone(zone), now)}." if stage.closes_at else ""
    if phase == Phase.CLOSING:
        return "No new game starts. Games under way are finished, and late slips still count."
    return ""


def _phase_words(stage: Stage, phase: Phase, now: datetime) -> str:
    if phase == Phase.CLOSED and stage.closed_at:
        return f"closed at {_clock(stage.closed_at.astimezone(stage.tournament.show.zone), now)}"
    return PHASE_WORDS[phase]


def _outstanding(reading: Reading) -> str:
    """Which games are still out: under way, and at most still to come."""
    phase, under_way = reading.read.phase, len(reading.facts.playing)
    if phase == Phase.PLANNED:
        return f"{lines.count(len(reading.facts.entrants), 'player')} entered."
    if phase == Phase.CLOSED:
        return "All games are in."
    running = f"{lines.count(under_way, 'game')} under way" if under_way else "No game under way"
    to_come = sum(outlook.remaining for outlook in reading.cut.outlooks.values()) - under_way
    if phase == Phase.CLOSING:
        return f"{running}."
    return f"{running}, {f'up to {to_come}' if to_come else 'none'} still to come. {_entry_words(reading)}".rstrip()


def _entry_words(reading: Reading) -> str:
    """Who may still enter: nobody is certainly through while anybody can."""
    free = reading.facts.may_enter
    if not free:
        return ""
    return "New players may still enter." if free >= selectors.ANYBODY else f"{lines.count(free, 'place')} still free."


def _waiting_words(waiting: int) -> str:
    if not waiting:
        return ""
    if waiting == 1:
        return "1 result waits for a decision and is not in the table."
    return f"{waiting} results wait for a decision and are not in the table."


def _value_words(value: Any, choices: dict[str, str]) -> str:
    if value in SCALE_WORDS:
        return SCALE_WORDS[value]
    if isinstance(value, (tuple, list)):
        return ", ".join(map(str, value))
    return choices.get(value, str(value)) if choices else str(value)


def _clock(moment: datetime, now: datetime) -> str:
    """ "16:00", with the day when it is another one."""
    same_day = moment.date() == now.astimezone(moment.tzinfo).date()
    return f"{moment:%H:%M}" if same_day else f"{moment:%H:%M} on {_day(moment)}"


def _day(moment: datetime) -> str:
    """ "Saturday 24 July 2010"."""
    return f"{moment:%A} {moment.day} {moment:%B %Y}"
