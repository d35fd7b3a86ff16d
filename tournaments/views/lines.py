"""A reading of a stage as the lines of its tables and the sentences about them."""

from collections import Counter
from collections.abc import Iterable
from html import escape
from itertools import takewhile
from typing import Any, NamedTuple

from tournaments import formats, selectors
from tournaments.domain import advancement
from tournaments.domain.advancement import Outlook, Status
from tournaments.domain.facts import Entrant, MachineState, Note, Phase, Result, Row, StageMachine, Standing
from tournaments.domain.rulings import returned, shown_factor
from tournaments.domain.scores import grouped
from tournaments.domain.standings import contenders, goes_on, place_words, points_words
from tournaments.live import Reading, publicly

SURE, FOR_NOW = "certain", "provisional"
INSIDE = "inside"
STATUS_WORDS = {
    Status.THROUGH.value: ("Through", SURE),
    Status.OUT.value: ("Out", SURE),
    Status.LEVEL.value: ("Level at the cut", FOR_NOW),
    Status.POSSIBLE.value: ("Still possible", FOR_NOW),
    INSIDE: ("Inside", FOR_NOW),
    Standing.WITHDRAWN.value: ("Withdrawn", ""),
    Standing.DISQUALIFIED.value: ("Disqualified", ""),
}
STATUS_CELLS = {
    status: (
        f'\n<tr class="is-{status}">',
        f'<td><span class="status status-{status}">{words}</span> <span class="surety">{surety}</span></td>',
    )
    for status, (words, surety) in STATUS_WORDS.items()
}
"""How a row of each status begins and ends."""
MACHINE_WORDS = {
    MachineState.OPEN: "",
    MachineState.LET_STAND: "Closed for new games; its scores stand.",
    MachineState.CANCELLED: "Cancelled: its scores are out of the ranking, and players get the game back.",
    MachineState.RESCALED: "Withdrawn: its scores times {factor} are ranked on {substitute}.",
}
SHORT_MACHINE_WORDS = {
    MachineState.OPEN: "",
    MachineState.LET_STAND: "closed",
    MachineState.CANCELLED: "cancelled",
    MachineState.RESCALED: "withdrawn",
}
OUT_OF_ORDER = "out of order"
DISQUALIFIED = "disqualified, not ranked"
GAME_GIVEN_BACK = {
    MachineState.CANCELLED: "machine cancelled, game given back",
    MachineState.RESCALED: "machine withdrawn, game given back",
}


class Unranked(NamedTuple):
    """Somebody without a place, and why."""

    number: int
    name: str
    why: str


class Leader(NamedTuple):
    """A machine of the stage and who leads it."""

    code: str
    name: str
    note: str
    number: int
    player: str
    score: str


class GameLine(NamedTuple):
    """A game of the player's page: what became of it on which machine."""

    code: str
    machine: str
    score: str
    place: str
    points: str
    note: str
    ruled: str = ""


class NeedLine(NamedTuple):
    """What one machine offers a player today; `trouble` says that it cannot be played just now."""

    code: str
    machine: str
    inside: str
    prices: tuple[tuple[str, str, str], ...]
    trouble: str


def cut_words(reading: Reading, drawn: int) -> dict[str, Any]:
    """What the cut line says, and the sentence about it; `drawn` is how many have a seat from this stage already."""
    cut = reading.cut
    level, places = len(cut.level), cut.open_places
    line = f"Top {cut.qualifiers} go on"
    if level:
        line += f": {level} players level for {count(places, 'place')}"
        line += ", the better seed goes on" if by_seed(reading) else ""
    elif len(cut.inside) < cut.qualifiers and drawn:
        line = goes_on(str(drawn), drawn)
    elif len(cut.inside) < cut.qualifiers:
        line += f": {count(cut.qualifiers - len(cut.inside), 'place')} still free"
    return {
        "line": line,
        "cut_sentence": _cut_sentence(reading, drawn),
    }


def by_seed(reading: Reading) -> bool:
    """Whether the better seed decides a tie at the cut, as in every stage that has seats.

    Source: house rules, "Top 8; tie: better qualifying position".
    """
    return bool(reading.stage.spec.comes_from)


def _tie_was_decided(reading: Reading) -> bool:
    """Whether a decision has parted rows that are level on points, so that the table itself has no line."""
    if reading.cut.line_after is not None:
        return False
    return len(reading.cut.inside) != len(contenders(reading.facts, reading.table))


def _ranked(reading: Reading) -> tuple[list[Row], int]:
    """The ranked rows, and how many of them stand above the line: all of them while everybody is inside.

    Rows that share a place come in the order of their numbers; where a decision has parted them, those who go on
    come first, and only then can the line be drawn.
    """
    ranked, inside = list(reading.table.ranked), frozenset(reading.cut.inside)
    if reading.cut.line_after is not None:
        return ranked, reading.cut.line_after
    if not _tie_was_decided(reading):
        return ranked, len(ranked)
    ranked.sort(key=lambda row: (row.place, row.entry not in inside))
    return ranked, max(number for number, row in enumerate(ranked, start=1) if row.entry in inside)


def _cut_sentence(reading: Reading, drawn: int) -> str:
    cut, seeded = reading.cut, by_seed(reading)
    decided = " The better seed decided a tie." if seeded else " A tie across the cut has been decided."
    split = decided if _tie_was_decided(reading) else ""
    tie = " A tie goes to the better seed." if seeded else ""
    if drawn:
        return f"The cut is declared: {goes_on(count(drawn, 'player'), drawn)}.{split}"
    if reading.read.phase == Phase.PLANNED:
        return f"The top {cut.qualifiers} will go on.{tie}"
    if cut.certain:
        return f"The cut is certain and will now be declared.{split}"
    if cut.level and reading.read.phase == Phase.CLOSED:
        places = count(cut.open_places, "place")
        return f"{len(cut.level)} players are level for {places}: a play-off or a ruling decides."
    through = sum(1 for outlook in cut.outlooks.values() if outlook.status == Status.THROUGH)
    return f"{through} of {cut.qualifiers} are certainly through.{tie}"


def table(reading: Reading, players: str) -> dict[str, Any]:
    """The ranked rows above and below the cut line as HTML and the people without a place, ready for the template.

    `players` is the address below which every player has a page.
    """
    entrants = {entrant.id: entrant for entrant in reading.facts.entrants}
    outlooks = reading.cut.outlooks
    ranked, above = _ranked(reading)
    rows = _rows(reading, ranked, entrants, players)
    return {
        "above": "".join(rows[:above]),
        "below": "".join(rows[above:]),
        "unranked": [
            Unranked(entrants[row.entry].number, entrants[row.entry].name, _why_unranked(row, reading))
            for row in reading.table.rows
            if row.place is None
        ],
        "reaching": any(outlooks[row.entry].worst != outlooks[row.entry].best for row in ranked),
    }


def _rows(reading: Reading, ranked: list[Row], entrants: dict[int, Entrant], players: str) -> list[str]:
    """The rows as HTML, put together by hand: every public page waits for them, and a template takes twice as long.

    Names and codes are what people have typed, so they are escaped; all else are numbers and words of our own.
    """
    codes = {machine.id: escape(machine.code) + "\u00a0" for machine in reading.facts.machines}
    seeds = {entry: f" · seed {seed}" for seed, entry in enumerate(entrants, start=1)} if by_seed(reading) else {}
    outlooks, inside = reading.cut.outlooks, frozenset(reading.cut.inside)
    allowed = reading.read.rules.games_allowed
    rows = []
    for entry, place, shared, points, games, counted, _ in ranked:
        entrant, outlook = entrants[entry], outlooks[entry]
        _, number, name, _, _, _ = entrant
        _, _, worst, best, _ = outlook
        reach = f"{worst}–{best}" if worst != best else ""
        machines = " · ".join([codes[result.machine] + str(result.points) for result in counted])
        opening, standing = STATUS_CELLS[_status_key(entrant, outlook, inside)]
        rows.append(
            f'{opening}<td class="place">{place_words(place or 0, shared)}</td>'
            f'<th scope="row"><a href="{players}{number}/">{escape(name)}</a>'
            f' <span class="number">No. {number}{seeds.get(entry, "")}</span></th>'
            f'<td class="wide machines">{machines}</td><td class="figure middle">{games}/{allowed}</td>'
            f'<td class="figure points">{points} <span class="narrow-only">{games}/{allowed}</span></td>'
            f'<td class="figure wide reach muted">{reach}</td>{standing}</tr>'
        )
    return rows


def _why_unranked(row: Row, reading: Reading) -> str:
    entrant, outlook = reading.facts.entrant(row.entry), reading.cut.outlooks[row.entry]
    if entrant.standing != Standing.IN:
        return entrant.standing.value
    reason = "no ranked game" if row.games else "no game yet"
    return f"{reason}, out" if outlook.status == Status.OUT else reason


def _status_key(entrant: Entrant, outlook: Outlook, inside: frozenset[int]) -> str:
    if entrant.standing != Standing.IN:
        return entrant.standing
    return INSIDE if outlook.status == Status.POSSIBLE and entrant.id in inside else outlook.status


def status(reading: Reading, entrant: Entrant, outlook: Outlook) -> tuple[str, str, str]:
    """Where an entry stands towards the cut: the key, the words, and whether that is certain or provisional."""
    status = _status_key(entrant, outlook, frozenset(reading.cut.inside))
    return status, *STATUS_WORDS[status]


def meaning(reading: Reading, entrant: Entrant, outlook: Outlook) -> str:
    """What the status of an entry means, in a sentence or two."""
    top = f"the top {reading.cut.qualifiers}"
    if entrant.standing != Standing.IN:
        return ""
    if reading.cut.certain:
        return f"{reading.stage.label} ends {'in' if outlook.status == Status.THROUGH else 'outside'} {top}."
    reach = f"Ends with {max(outlook.worst, 0)} to {outlook.best} points."
    if outlook.worst == outlook.best:
        reach = ""
    decides = "the better seed" if by_seed(reading) else "a play-off"
    sentences = {
        Status.THROUGH: f"However the remaining games go, this is enough for {top}.",
        Status.OUT: f"However the remaining games go, {top} can no longer be reached.",
        Status.LEVEL: f"Level with others for the last of {top}. As the table stands now, {decides} would decide.",
        Status.POSSIBLE: f"In {top} as the table stands now; the remaining games can still change that."
        if entrant.id in reading.cut.inside
        else f"Outside {top} as the table stands now; the remaining games can still change that.",
    }
    return f"{sentences[outlook.status]} {reach}".strip()


def game_lines(reading: Reading, row: Row) -> list[GameLine]:
    """Every game of an entry: those that count, those that do not, those that are not finished."""
    machines = {machine.id: machine for machine in reading.facts.machines}
    late = selectors.late_results(reading.stage, row.entry)
    played = [p for p in reading.facts.played if p.entry == row.entry]
    games = Counter(p.machine for p in played)
    own = [note for note in reading.facts.notes if note.entry == row.entry and note.machine in machines]
    ranked = {result.machine: result for result in row.results}
    lines = [
        GameLine(
            machines[r.machine].code,
            machines[r.machine].name,
            grouped(r.value),
            f"{place_words(r.place, r.shared)} of {r.of}",
            str(r.points),
            _notes(
                "not counted" if r in row.other else "",
                f"best of {games[r.machine]} games" if games[r.machine] > 1 else "",
                "late slip" if (r.machine, r.value) in late else "",
                "machine closed, score stands" if machines[r.machine].state == MachineState.LET_STAND else "",
            ),
            _notes(_ruled(own, r.machine, r.value), _withdrawn_for(machines[r.machine])),
        )
        for r in row.results
    ]
    for p in sorted(played, key=lambda p: (machines[p.machine].code, -p.value)):
        if p.machine not in ranked:
            used = machines[p.machine]
            note = _unranked(reading, row.entry, used)
            lines.append(GameLine(used.code, used.name, grouped(p.value), "", "", note, _withdrawn_for(used)))
    lines += _unfinished(reading.facts.playing, row.entry, machines, "playing now")
    lines += _unfinished(reading.facts.waiting, row.entry, machines, "second result, waits for a decision")
    for entry, machine in reading.facts.spent:
        discarded = _unfinished([(entry, machine)], row.entry, machines, "discarded")
        lines += [line._replace(ruled=_ruled(own, machine, None)) for line in discarded]
    told = {(result.machine, value) for result in row.results for value in (result.value, None)}
    told |= {(machine, None) for entry, machine in reading.facts.spent if entry == row.entry}
    lines += [
        GameLine(
            machines[note.machine].code,
            machines[note.machine].name,
            "" if note.value is None else grouped(note.value),
            "",
            "",
            "",
            note.words,
        )
        for note in own
        if note.machine is not None and (note.machine, note.value) not in told
    ]
    return lines


def _ruled(notes: Iterable[Note], machine: int, value: int | None) -> str:
    """What rulings say about a result on a machine; one that means all of an entry's results there, about each."""
    return _notes(*(note.words for note in notes if note.machine == machine and note.value in (value, None)))


def _withdrawn_for(machine: StageMachine) -> str:
    """Why a machine is withdrawn, as it is told beside a score on it."""
    return f"Ruling: machine {SHORT_MACHINE_WORDS[machine.state]}. {machine.why}" if machine.why else ""


def ruled_on(reading: Reading, machine: int) -> dict[int, str]:
    """What rulings say about the results on a machine, by entry; also where they left no ranked result."""
    ranked = {result.entry: result.value for result in reading.table.machines.get(machine, ())}
    on_it = [note for note in reading.facts.notes if note.machine == machine]
    found = {
        note.entry: _ruled([n for n in on_it if n.entry == note.entry], machine, ranked.get(note.entry))
        for note in on_it
    }
    return {entry: words for entry, words in found.items() if words}


def _unfinished(
    pairs: Iterable[tuple[int, int]], entry: int, machines: dict[int, StageMachine], note: str
) -> list[GameLine]:
    return [GameLine(machines[m].code, machines[m].name, "", "", "", note) for e, m in pairs if e == entry]


def _notes(*notes: str) -> str:
    return ", ".join(note for note in notes if note)


def need_lines(reading: Reading, entrant: Entrant) -> list[NeedLine]:
    """What each machine that the entry may still play offers it today."""
    read = reading.read
    machines = {machine.id: machine for machine in read.facts.machines}
    inside = entrant.id in reading.cut.inside
    lines = []
    for need in advancement.needs(entrant.id, read.facts, read.table, read.rules, read.qualifiers):
        if not need.playable:
            continue
        if inside or need.inside_at is None:
            words = ""
        else:
            words = f"{grouped(need.inside_at)} or more" if need.inside_at else "any score"
        prices = tuple((place_words(p.place), points_words(p.points), grouped(p.at_least)) for p in need.prices)
        machine = machines[need.machine]
        trouble = "" if machine.in_order else OUT_OF_ORDER
        lines.append(NeedLine(machine.code, machine.name, words, prices, trouble))
    return lines


def needs_sentence(reading: Reading, entrant: Entrant, needs: list[NeedLine]) -> str:
    """What the list of needs is about."""
    top = f"the top {reading.read.qualifiers}"
    if entrant.id in reading.cut.inside:
        return f"Inside {top} as the table stands now; more points make it safer."
    if any(need.inside for need in needs):
        return f"The score on one machine that leads into {top}, with everybody else’s scores as they are now."
    return f"No single game is enough for {top} as the table stands now; it takes more than one."


def leaders(reading: Reading) -> list[Leader]:
    """Every machine of the stage with its best score; of a tie for it only how many share it."""
    entrants = {entrant.id: entrant for entrant in reading.facts.entrants}
    found = []
    for machine in reading.facts.machines:
        results = reading.table.machines.get(machine.id, ())
        level = sum(1 for _ in takewhile(lambda result: result.place == 1, results))
        leader = entrants[results[0].entry] if level == 1 else None
        note = machine_note(machine)
        found.append(
            Leader(
                machine.code,
                machine.name,
                note,
                leader.number if leader else 0,
                leader.name if leader else (f"{level} players level" if level else ""),
                grouped(results[0].value) if results else "",
            )
        )
    return found


def _unranked(reading: Reading, entry: int, machine: StageMachine) -> str:
    """Why a game is in no rank: who has left or is disqualified has none given back."""
    standing = reading.facts.entrant(entry).standing
    if standing == Standing.DISQUALIFIED:
        return DISQUALIFIED
    if entry in returned(reading.facts):
        return GAME_GIVEN_BACK[machine.state]
    return f"machine {SHORT_MACHINE_WORDS[machine.state]}, not ranked"


def withdrawn_words(used: StageMachine) -> str:
    """What it means that a machine is withdrawn from a stage, with the one that stands in."""
    words = MACHINE_WORDS[used.state]
    if used.factor is not None:
        return words.format(factor=shown_factor(used.factor), substitute=used.substitute)
    return f"{words} {used.substitute} stands in." if used.substitute else words


def machine_note(machine: StageMachine) -> str:
    """That a machine is withdrawn, or otherwise that it is out of order, in a word or two."""
    return SHORT_MACHINE_WORDS[machine.state] or ("" if machine.in_order else OUT_OF_ORDER)


def in_order(results: Iterable[Result], entrants: dict[int, Entrant]) -> list[Result]:
    """By place and then by number, so that a tie reads the same every time."""
    return sorted(results, key=lambda result: (result.place, entrants[result.entry].number))


def left_words(standing: Standing) -> str:
    """ "Withdrawn" or "Disqualified"; "" for whoever still competes."""
    return "" if standing == Standing.IN else STATUS_WORDS[standing.value][0]


def seat_lines(reading: Reading) -> list[tuple[int, int, str, str, str]]:
    """(seed, number, name, why, who has left) of those drawn from the first stage; public names in reasons too."""
    kind = reading.tournament.kind
    return [
        (
            seat.seed,
            seat.entry.number,
            formats.public_name(seat.entry.name, kind),
            publicly(seat.why, reading.names),
            left_words(seat.entry.standing),
        )
        for seat in reading.seats
    ]


def place_in_table(reading: Reading, entrant: Entrant) -> str:
    """The place of an entry in the list of people."""
    row = reading.table.row(entrant.id)
    return place_words(row.place, row.shared) if row.place else "not ranked"


def count(number: int, noun: str) -> str:
    """ "1 game", "3 games"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
