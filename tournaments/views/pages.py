"""What the public pages say: a reading of a stage as finished HTML.

The live part is made by Jinja2, because every public page waits for it.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from typing import Any

from django.http import Http404
from django.template import engines
from django.template.loader import render_to_string
from django.urls import reverse

from tournaments import formats, selectors
from tournaments.domain.facts import Entrant, MachineState, Phase, StageMachine, Standing
from tournaments.domain.points import COUNT_DOWN, LINEAR_100, PAPA
from tournaments.domain.rulings import returned
from tournaments.domain.scores import grouped
from tournaments.domain.standings import place_words, why
from tournaments.live import Reading, beside
from tournaments.models import Show, Stage, Tournament
from tournaments.views import games, lines, parts
from tournaments.views.course import Leg, course

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
    bracket: str
    results: str

    @classmethod
    def of(cls, tournament: Tournament) -> "Addresses":
        return _addresses(tournament.show.slug, tournament.slug)


@lru_cache(maxsize=100)
def _addresses(show: str, slug: str) -> Addresses:
    base = reverse("public:tournament", args=[show, slug])
    parts = ("players", "machines", "rules", "search", "bracket", "results")
    return Addresses(base, *(f"{base}{part}/" for part in parts))


def rows(reading: Reading) -> str:
    """The live part of a stage's page: how far it is, and what belongs to a stage of this kind.

    A first stage of single games has the table with the cut, who is not ranked and the machines; one with seats its
    games, and the table where all its scores make one.
    """
    spec = reading.stage.spec
    whole = course(reading) if spec.seated else None
    leg = whole.leg(spec.key) if whole else None
    context = {
        **_head(reading, leg),
        "panel": _panel(reading, leg),
        "label": reading.stage.label,
        "noun": reading.tournament.kind.noun,
        "entrants": entrants(reading),
        "next_stage": _next_stage(reading),
    }
    if whole and leg:
        drawn = whole.drawn_from(spec.key) if spec.ranked else ()
        context |= {
            "seats": games.seat_lines(drawn),
            "rounds": games.rounds(leg),
            "settled": games.settled(leg),
            "own_seats": games.seat_lines(leg.seats),
            "begun": leg.state != Stage.State.PLANNED,
            "kept": leg.kept,
            "positions": spec.positions,
            "leads": games.leads(leg),
            **parts.context(reading, whole, "public"),
        }
    else:
        context["seats"] = lines.seat_lines(reading)
    if _has_table(reading.stage) and (leg or not spec.seated):
        context |= {
            **lines.cut_words(reading, len(context["seats"])),
            **lines.table(reading, context["addresses"].players),
            "leaders": lines.leaders(reading),
        }
    return str(engines["jinja2"].get_template("tournaments/public/_rows.jinja").render(context))


def entrants(reading: Reading) -> tuple[Entrant, ...]:
    """Everybody entered, by number, also who has no seat in a first stage that has seats."""
    spec = reading.stage.spec
    return course(reading).entrants if spec.seated else reading.facts.entrants


def _panel(reading: Reading, leg: Leg | None) -> str:
    """The part of the page below the state, by the format's choice or by what the stage is."""
    spec = reading.stage.spec
    usual = "_entered.jinja"
    if spec.seated and leg is None:
        return "tournaments/public/_left_out.jinja"
    if spec.grouped and leg and not leg.seats:
        return f"tournaments/public/{usual}"
    if spec.matches:
        usual = "_round.jinja" if spec.ranked else "_games.jinja"
    return reading.tournament.kind.panels.get((spec.key, "public"), f"tournaments/public/{usual}")


def _next_stage(reading: Reading) -> tuple[str, str]:
    """(key, label) of the stage whose seats the cut of this one gives; empty when there is none."""
    stages, seated = reading.tournament.kind.stages, {seat.stage.key for seat in reading.seats}
    following = (s for s in stages if s.comes_from == reading.stage.key and reading.stage.spec.ranked)
    if seated:
        # Where a stage is left out, the seats are those of the one behind it.
        following = (s for s in stages if s.key in seated and reading.stage.spec.ranked)
    return next(((s.key, s.label) for s in following), ("", ""))


def stage_page(reading: Reading) -> str:
    """The whole page of a stage."""
    return _page("stage", reading, current=reading.stage.key, rows=rows(reading), stage=reading.stage)


def player_page(reading: Reading, entry: int) -> str:
    """Everything about one entry: where to be next, the final place, games, points, why, what is needed where."""
    whole = course(reading)
    entrant = next(entrant for entrant in entrants(reading) if entrant.id == entry)
    needs = lines.need_lines(reading, entrant) if _has_table(reading.stage) else []
    seat = next((seat for seat in lines.seat_lines(reading) if seat[1] == entrant.number), None)
    tables = [_own_table(each, entry) for each in reversed(_tables(reading))]
    return _page(
        "player",
        reading,
        entrant=entrant,
        next=games.next_game(whole, entry) if entrant.standing == Standing.IN else None,
        ended=games.ended(whole, entry),
        members=whole.members.get(entry, ()),
        own_stages=[_with_part(reading, stage, entry) for stage in games.own_stages(whole, entry)],
        kept_words=games.KEPT,
        tables=[table for table in tables if table],
        needs=needs,
        needs_sentence=lines.needs_sentence(reading, entrant, needs),
        seat=seat,
    )


def _with_part(reading: Reading, stage: games.OwnStage, entry: int) -> games.OwnStage:
    """A stage on the page of an entry with the format's own part of it, if there is one."""
    panel, whole = reading.tournament.kind.panels.get((stage.key, "entry")), course(reading)
    leg = whole.leg(stage.key)
    if panel is None or leg is None or stage.kept:
        return stage
    own = parts.context(beside(leg.stage, reading), whole, "entry", entry)
    known = {"addresses": Addresses.of(reading.tournament), "games": stage.games}
    return stage._replace(part=render_to_string(panel, {**known, **own}))


def _own_table(reading: Reading, entry: int) -> dict[str, Any] | None:
    """Where an entry stands in a stage with a table, and why; None where it has no part."""
    row = next((row for row in reading.table.rows if row.entry == entry), None)
    if row is None:
        return None
    entrant, outlook = reading.facts.entrant(entry), reading.cut.outlooks[entry]
    status, words, surety = lines.status(reading, entrant, outlook)
    return {
        "key": reading.stage.key,
        "label": reading.stage.label,
        "row": row,
        "place": place_words(row.place, row.shared) if row.place else "",
        "games_allowed": reading.read.rules.games_allowed,
        "status": status,
        "words": words,
        "surety": surety,
        "meaning": lines.meaning(reading, entrant, outlook),
        "lines": lines.game_lines(reading, row),
        "why": why(entry, reading.facts, reading.table, reading.read.rules),
    }


def _tables(reading: Reading) -> list[Reading]:
    """The first stage and every later one with seats, in order, as far as they have a table."""
    later = (beside(leg.stage, reading) for leg in course(reading).legs if leg.spec.ranked and leg.seats)
    return [each for each in (reading, *later) if _has_table(each.stage)]


def find_machine(reading: Reading, code: str) -> StageMachine | None:
    """The machine with this code in any stage that has a table."""
    used = (machine for each in _tables(reading) for machine in each.facts.machines)
    return next((machine for machine in used if machine.code.casefold() == code.casefold()), None)


def machine_page(reading: Reading, used: int) -> str:
    """The rankings of one machine; raises `Http404` when it has just been left out of its stages."""
    tables = [table for each in _tables(reading) if (table := _machine_table(each, used))]
    if not tables:
        raise Http404("This machine is no longer used.")
    return _page("machine", reading, machine=tables[0]["machine"], tables=tables[::-1])


def _machine_table(reading: Reading, used: int) -> dict[str, Any] | None:
    """The ranking of a machine in one stage; None where it is not used."""
    machine = next((machine for machine in reading.facts.machines if machine.id == used), None)
    if machine is None:
        return None
    entrants = {entrant.id: entrant for entrant in reading.facts.entrants}
    results, ruled = reading.table.machines.get(used, ()), lines.ruled_on(reading, used)
    unranked = set(ruled) - {result.entry for result in results}
    return {
        "label": reading.stage.label,
        "machine": machine,
        "out_of_order": not machine.in_order,
        **_withdrawn(reading, machine, entrants),
        "playing": [entrants[entry] for entry, on in reading.facts.playing if on == used],
        "results": [
            (place_words(r.place, r.shared), entrants[r.entry], grouped(r.value), r.points, ruled.get(r.entry, ""))
            for r in lines.in_order(results, entrants)
        ],
        "unranked": [
            (entrants[entry], ruled[entry])
            for entry in sorted(unranked & set(entrants), key=lambda entry: entrants[entry].number)
        ],
    }


def _withdrawn(reading: Reading, machine: StageMachine, entrants: dict[int, Entrant]) -> dict[str, Any]:
    """Of a machine that is withdrawn: what that means, and its scores, the best first, with what became of each."""
    if machine.state == MachineState.OPEN:
        return {"note": "", "why": "", "history": []}
    back = returned(reading.facts)
    fates = [(game, "ranked there") for game in reading.facts.carried if game.machine == machine.id]
    if not machine.ranked:
        fates += [
            (game, "game given back" if game.entry in back else "not ranked")
            for game in reading.facts.played
            if game.machine == machine.id
        ]
    out = {entrant.id for entrant in entrants.values() if entrant.standing == Standing.DISQUALIFIED}
    fates = [
        (game, lines.DISQUALIFIED if game.entry in out else fate) for game, fate in fates if game.entry in entrants
    ]
    fates.sort(key=lambda each: (-each[0].value, entrants[each[0].entry].number))
    return {
        "note": lines.withdrawn_words(machine),
        "why": machine.why,
        "history": [(entrants[game.entry], grouped(game.value), fate) for game, fate in fates],
    }


def bracket_page(reading: Reading) -> str:
    """The way from the first cut to the winner."""
    whole = course(reading)
    tables = {each.stage.key: each for each in _tables(reading)}
    tables |= {leg.spec.key: beside(leg.stage, reading) for leg in whole.legs if leg.spec.grouped}
    return _page(
        "bracket",
        reading,
        current="bracket",
        begins="the groups are drawn up" if reading.stage.spec.grouped else "the cut is declared",
        columns=games.bracket(whole, tables) if any(leg.seats for leg in whole.legs) else [],
        champion=games.champion(whole),
        kept_words=games.KEPT if whole.kept else "",
    )


def results_page(reading: Reading) -> str:
    """The final places of everybody, once they are declared and not held back."""
    whole = course(reading)
    return _page(
        "results",
        reading,
        current="results",
        groups=games.place_lines(whole),
        apart=games.apart(whole),
        champion=games.champion(whole),
        kept_words=games.KEPT if whole.kept else "",
    )


def rules_page(reading: Reading) -> str:
    """The rules in force, each with its value, meaning and source."""
    later = [spec for spec in reading.tournament.kind.stages if spec.comes_from]
    return _page(
        "rules",
        reading,
        current="rules",
        told=reading.tournament.kind.panels.get((reading.stage.key, "rules"), ""),
        rules=reading.tournament.rules_in_force,
        lines=rule_words(reading.tournament),
        counting=reading.read.rules,
        round=next((spec.label for spec in later if spec.ranked), ""),
        single_games=any(spec.matches and not spec.ranked for spec in later),
        qualifiers=reading.read.qualifiers,
    )


def find_numbered(reading: Reading, number: int, exact: Entrant | None) -> tuple[Entrant | None, tuple[Entrant, ...]]:
    """Who is meant by a number: (the only one, or both: whose number it is, and the entry of who has it on a badge).

    Also by the number of a record that was merged.
    """
    tournament, everybody = reading.stage.tournament, {entrant.id: entrant for entrant in entrants(reading)}
    own = exact or everybody.get(getattr(selectors.entry_numbered(tournament, number), "pk", 0))
    by_badge = [everybody.get(entry.pk) for entry in selectors.entries_by_badge(tournament, number)]
    found = tuple(dict.fromkeys(entrant for entrant in (own, *by_badge) if entrant))
    return (found[0], ()) if len(found) == 1 else (None, found)


def search_page(reading: Reading, typed: str, found: tuple[Entrant, ...]) -> str:
    """The people found by a name, or everybody when nothing was typed."""
    listed = found if typed else entrants(reading)
    members = course(reading).members
    return _page(
        "search",
        reading,
        current="search",
        typed=typed,
        two=len(found) > 1 and typed.isdecimal(),
        listed=[(entrant, _listed_words(reading, entrant), members.get(entrant.id, ())) for entrant in listed],
    )


def _listed_words(reading: Reading, entrant: Entrant) -> str:
    """What the list of people says beside a name: who no longer competes, otherwise the place or the group."""
    if entrant.standing != Standing.IN:
        return lines.STATUS_WORDS[entrant.standing.value][0]
    if _has_table(reading.stage):
        return lines.place_in_table(reading, entrant)
    leg = course(reading).leg(reading.stage.key)
    seat = leg.seat(entrant.id) if leg else None
    return f"group {seat.group}" if seat else ""


def find_entrants(reading: Reading, typed: str) -> tuple[Entrant | None, tuple[Entrant, ...]]:
    """Who is meant by a typed number or name: (exact, all that match), by the names everybody may read.

    A number is exact or nobody: 7 is never 17. A whole name of one entry, or the only match, is exact too. An entry of
    several people is found by the name of each of them as well.
    """
    everybody, members = entrants(reading), course(reading).members
    if typed.isdecimal():
        number = int(typed) if len(typed) < 10 else -1
        return next((e for e in everybody if e.number == number), None), ()
    words = selectors.fold(typed).split()
    if not words:
        return None, ()
    names = ((e, [e.name, *(member.name for member in members.get(e.id, ()))]) for e in everybody)
    folded = [(e, [selectors.fold(name) for name in own]) for e, own in names]
    found = tuple(e for e, own in folded if any(all(word in name for word in words) for name in own))
    whole = tuple(e for e, own in folded if " ".join(words) in own)
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
    return f"{stage.label}: {'left out' if stage.left_out else PHASE_WORDS[phase]}"


def _page(template: str, reading: Reading, **context: Any) -> str:
    """A whole page. Rendered without the request: who asks must not be able to change a byte of it."""
    tournament, whole = reading.tournament, course(reading)
    known = {
        "show": reading.show,
        "tournament": tournament,
        "reading": reading,
        "addresses": Addresses.of(tournament),
        "noun": tournament.kind.noun,
        "nav": [
            (spec.key, spec.label)
            for number, spec in enumerate(tournament.kind.stages)
            if number == 0 or spec.key == context.get("current") or ((leg := whole.leg(spec.key)) and leg.seats)
        ],
        "draw": next((leg.spec.key for leg in whole.legs if _is_draw(leg)), ""),
        "has_bracket": any(leg.seats for leg in whole.legs),
        "has_results": whole.declared,
        "current": "",
        "has_table": _has_table(reading.stage),
        "at": reading.at,
        "clock": f"{reading.at:%H:%M:%S}",
        "day": _day(reading.at),
    }
    return render_to_string(f"tournaments/public/{template}.html", {**known, **context})


def _is_draw(leg: Leg) -> bool:
    """Whether what is published of a stage is a draw that nobody has played yet."""
    return leg.spec.ranked and bool(leg.games) and leg.state == Stage.State.PLANNED


def _has_table(stage: Stage) -> bool:
    return stage.spec.ranked


def _head(reading: Reading, leg: Leg | None) -> dict[str, Any]:
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
        "outstanding": _outstanding(reading, leg),
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
    if stage.left_out:
        return "left out"
    if phase == Phase.CLOSED and stage.closed_at:
        return f"closed at {_clock(stage.closed_at.astimezone(stage.tournament.show.zone), now)}"
    return PHASE_WORDS[phase]


def _outstanding(reading: Reading, leg: Leg | None) -> str:
    """Which games are still out: under way, and at most still to come."""
    if leg and leg.spec.matches:
        before = leg.labels.get(leg.spec.comes_from, "")
        return games.stage_state(leg, reading.read.phase, before)
    return _solo_games(reading) if _has_table(reading.stage) else ""


def _solo_games(reading: Reading) -> str:
    phase, under_way = reading.read.phase, len(reading.facts.playing)
    if phase == Phase.PLANNED:
        return f"{lines.count(len(reading.facts.entrants), 'player')} entered."
    if phase == Phase.CLOSED:
        return _unplayed(reading)
    running = f"{lines.count(under_way, 'game')} under way" if under_way else "No game under way"
    to_come = sum(outlook.remaining for outlook in reading.cut.outlooks.values()) - under_way
    if phase == Phase.CLOSING:
        return f"{running}."
    return f"{running}, {f'up to {to_come}' if to_come else 'none'} still to come. {_entry_words(reading)}".rstrip()


def _unplayed(reading: Reading) -> str:
    """What a closed round leaves: games that were allowed and not played count for nothing, and it says so."""
    allowed = reading.read.rules.games_allowed
    short = sum(1 for row in reading.table.rows if row.games < allowed)
    return f"{lines.count(short, 'player')} did not play all {allowed} games." if short else "All games were played."


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
