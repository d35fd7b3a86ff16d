"""What the text in a field of a slip means: one entry or machine, a few offers, or nobody, and why."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode

from tournaments.domain.facts import Standing
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.domain.scores import grouped
from tournaments.forms import GameForm, find_entry, find_machine
from tournaments.models import Entry, Machine, Score, Stage
from tournaments.selectors import StageRead

FIELDS = ("number", "machine", "score")
Typed = Mapping[str, str]


@dataclass(frozen=True)
class Offer:
    """Somebody or something that may be meant; `query` is the slip with the offer taken."""

    label: str
    query: str


@dataclass(frozen=True)
class Meaning:
    """What is shown under a field. With `fault` the field is marked; `warning` is worth a look and stops nothing."""

    sentence: str = ""
    fault: bool = False
    warning: str = ""
    offers: tuple[Offer, ...] = ()


def of_number(stage: Stage, typed: Typed, read: StageRead, instead_of: Score | None = None) -> Meaning:
    """Whom the number or name means, with the games played."""
    entry, offers, why = find_entry(stage.tournament, typed["number"])
    if entry is None:
        return Meaning(why, fault=True, offers=_offers("number", offers, typed))
    games = f"{read.table.row(entry.pk).games} of {read.rules.games_allowed} games"
    gone = "" if entry.standing == Standing.IN else f"{entry.name} is {entry.get_status_display()}."
    return Meaning(f"{_person(entry)}{_was(typed['number'], entry)}, {games}", warning=gone)


def of_machine(stage: Stage, typed: Typed, read: StageRead, instead_of: Score | None = None) -> Meaning:
    """Which machine the code or name means; warns early when the entry has played it as often as it may.

    The game of the score that is being corrected, `instead_of`, does not count as another one.
    """
    machine, offers, why = find_machine(stage, typed["machine"])
    if machine is None:
        return Meaning(why, fault=True, offers=_offers("machine", offers, typed))
    entry = find_entry(stage.tournament, typed["number"])[0]
    had = [p.value for p in read.facts.played if entry and (p.entry, p.machine) == (entry.pk, machine.pk)]
    own = entry and instead_of and (instead_of.entry_id, instead_of.machine_id) == (entry.pk, machine.pk)
    if entry is None or own or len(had) < read.rules.games_per_machine:
        return Meaning(str(machine))
    played = ", ".join(grouped(value) for value in had)
    return Meaning(str(machine), warning=f"{entry.name} has already played it: {played}.")


def of_all(stage: Stage, typed: Typed, read: StageRead, instead_of: Score | None = None) -> dict[str, Meaning]:
    """The meanings of the fields in which something stands; `instead_of` is the score that is being corrected."""
    of = {"number": of_number, "machine": of_machine}
    return {field: find(stage, typed, read, instead_of) for field, find in of.items() if typed[field].strip()}


def of_form(form: GameForm, refusal: Refusal | None, typed: Typed) -> dict[str, Meaning]:
    """The same for a slip that was not taken: the faults of the form, and the field a refusal is about."""
    # A question is no fault: nothing is wrong with a doubtful score until somebody says so.
    at_fault = "" if refusal is None or isinstance(refusal, NeedsDecision) else refusal.field
    meanings = {}
    for field in FIELDS:
        found = form.cleaned_data.get(field)
        if field in form.errors:
            offers = _offers(field, form.offers.get(field, []), typed)
            meanings[field] = Meaning(" ".join(map(str, form.errors[field])), fault=True, offers=offers)
        elif found is not None:
            words = str(found) if isinstance(found, Machine) else ""
            if isinstance(found, Entry):
                words = f"{_person(found)}{_was(typed[field], found)}"
            meanings[field] = Meaning(words, fault=at_fault == field)
    return meanings


def to_fix(typed: Typed, meanings: Mapping[str, Meaning]) -> str:
    """The field in which typing goes on: the first with a fault, else the first empty one, else the score."""
    faulty = [field for field in FIELDS if field in meanings and meanings[field].fault]
    empty = [field for field in FIELDS if not typed[field].strip()]
    return (faulty + empty + ["score"])[0]


def _offers(field: str, found: list[Entry] | list[Machine], typed: Typed) -> tuple[Offer, ...]:
    offers = []
    for one in found:
        label, value = (_person(one), str(one.number)) if isinstance(one, Entry) else (str(one), one.code)
        offers.append(Offer(label, urlencode({**typed, field: value})))
    return tuple(offers)


def _was(typed: str, entry: Entry) -> str:
    """That the number typed was the person's before two records were merged."""
    number = typed.strip()
    return f" (was number {number})" if number.isdecimal() and int(number) != entry.number else ""


def _person(entry: Entry) -> str:
    """Number, name and country: what tells two people of one name apart."""
    country = entry.country
    return f"{entry} ({country})" if country else str(entry)
