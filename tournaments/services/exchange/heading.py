"""tournament.toml: which tournament a folder is about, its rules and its places."""

import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from typing import Any

from django.core.exceptions import ValidationError

from tournaments import formats
from tournaments.models import PlacePool
from tournaments.models.show import known_time_zone
from tournaments.services.exchange.faults import Fault
from tournaments.services.exchange.tables import decode

FILE = "tournament.toml"
RULES, PLACES = "qualifying", "places"
TIME_ZONE = "Europe/London"
"""The zone of a show that does not name one."""
SLUG = re.compile(r"[-a-zA-Z0-9_]{1,50}")
_TABLE = re.compile(r"\s*\[\s*([^\]]+?)\s*\]")
_KEY = re.compile(r"""\s*["']?([-\w]+)["']?\s*[.=]""")
_AT_LINE = re.compile(r"\s*\(at line (\d+), column \d+\)")


@dataclass(frozen=True, slots=True)
class Places:
    """A pool of places as the folder offers it."""

    line: int | None
    kind: str
    capacity: int
    opens_at: datetime | None
    closes_at: datetime | None


@dataclass(frozen=True, slots=True)
class Heading:
    """The show and the tournament. What is None or "" was not said. `lines` finds the line of a key for a fault."""

    show: str
    show_slug: str
    name: str
    slug: str
    format: str
    starts_on: date
    rules: Mapping[str, Any]
    places: tuple[Places, ...] = ()
    venue: str = ""
    time_zone: str = ""
    show_starts_on: date | None = None
    show_ends_on: date | None = None
    rehearsal: bool = False
    results_declared_at: datetime | None = None
    results_held_back: bool = False
    lines: Mapping[str, int] = field(default_factory=dict)

    @property
    def kind(self) -> formats.Format:
        return formats.get(self.format)


def read(content: bytes, faults: list[Fault]) -> Heading | None:
    """The heading, or None when a fault was noted."""
    try:
        text = decode(content)
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        found = _AT_LINE.search(str(error))
        reason = f"The file cannot be read: {_AT_LINE.sub('', str(error))}. Write key = value; words stand in quotes."
        faults.append(Fault(FILE, int(found[1]) if found else None, reason))
        return None
    except ValueError as error:
        faults.append(Fault(FILE, None, str(error)))
        return None
    return _Reader(data, key_lines(text), faults).heading()


def key_lines(text: str) -> dict[str, int]:
    """The line of every key, as "key" or "table.key", and of every table."""
    lines: dict[str, int] = {}
    table = ""
    for number, line in enumerate(text.splitlines(), start=1):
        if found := _TABLE.match(line):
            table = found[1].replace('"', "").replace("'", "").replace(" ", "")
            lines.setdefault(table, number)
        elif found := _KEY.match(line):
            lines.setdefault(f"{table}.{found[1]}" if table else found[1], number)
    return lines


class _Reader:
    """Takes the keys out of the data one by one; what is left in the end is not known to us."""

    def __init__(self, data: dict[str, Any], lines: Mapping[str, int], faults: list[Fault]) -> None:
        self.data, self.lines, self.faults = data, lines, faults
        self.before = len(faults)

    def heading(self) -> Heading | None:
        words = {name: self._words(name) for name in ("show", "show_slug", "name", "slug", "format")}
        words |= {name: self._words(name, needed=False) for name in ("venue", "time_zone")}
        for name in ("show_slug", "slug"):
            if words[name] and not SLUG.fullmatch(words[name]):
                self._fault(name, f"The {name} “{words[name]}” may have letters, digits, - and _ only, 50 at most.")
        for name, most in (("show", 100), ("name", 100), ("venue", 200)):
            if len(words[name]) > most:
                self._fault(name, f"The {name} has {len(words[name])} characters; {most} is the most.")
        self._check_zone(words["time_zone"])
        day = self._day("starts_on", needed=True)
        first, last = (self._day(name, needed=False) for name in ("show_starts_on", "show_ends_on"))
        if day and last and last < (first or day):
            self._fault("show_ends_on", "The show would end before it starts.")
        rehearsal, held_back = self._yes("rehearsal"), self._yes("results_held_back")
        declared_at = _typed(
            self.data.pop("results_declared_at", None),
            lambda given: self._fault("results_declared_at", f"The time {given} is not like 2010-10-16 17:30."),
        )
        rules, places = self._rules(words["format"]), self._places()
        for name in self.data:
            self._fault(name, f"“{name}” is not a key of a tournament folder.")
        if len(self.faults) > self.before or day is None:
            return None
        return Heading(
            **words,
            starts_on=day,
            show_starts_on=first,
            show_ends_on=last,
            rehearsal=rehearsal,
            results_declared_at=declared_at,
            results_held_back=held_back,
            rules=rules,
            places=places,
            lines=self.lines,
        )

    def _fault(self, key: str, reason: str) -> None:
        line = self.lines.get(key) or self.lines.get(key.rpartition(".")[0])
        self.faults.append(Fault(FILE, line, reason))

    def _words(self, name: str, *, needed: bool = True) -> str:
        given = self.data.pop(name, "")
        if not isinstance(given, str):
            self._fault(name, f'The {name} stands in quotes, such as {name} = "…".')
            return ""
        words = " ".join(given.split())
        if needed and not words:
            self._fault(name, f"The {name} is missing.")
        return words

    def _yes(self, name: str) -> bool:
        given = self.data.pop(name, False)
        if not isinstance(given, bool):
            self._fault(name, f"{name} is true or false, without quotes.")
        return given is True

    def _check_zone(self, name: str) -> None:
        if not name:
            return
        try:
            known_time_zone(name)
        except ValidationError as error:
            self._fault("time_zone", error.messages[0])

    def _day(self, name: str, *, needed: bool) -> date | None:
        given = self.data.pop(name, None)
        if isinstance(given, str):
            try:
                given = date.fromisoformat(given)
            except ValueError:
                given = f"“{given}”"
        if given is None:
            if needed:
                self._fault(name, f"The {name} is missing; write it like 2010-10-16.")
            return None
        if isinstance(given, datetime) or not isinstance(given, date):
            self._fault(name, f"The {name} {given} is not a day such as 2010-10-16.")
            return None
        return given

    def _rules(self, format_key: str) -> dict[str, Any]:
        given = self.data.pop(RULES, {})
        known = [key for key, _ in formats.choices()]
        if format_key and format_key not in known:
            self._fault("format", f"The format “{format_key}” is not one of {', '.join(known)}.")
            return {}
        if not isinstance(given, dict):
            self._fault(RULES, f"The rules stand below a line [{RULES}].")
            return {}
        if format_key:
            try:
                formats.new_rules(formats.get(format_key), given)
            except formats.RulesFault as fault:
                for name, sentence in fault.faults:
                    self._fault(f"{RULES}.{name}", sentence)
        return given

    def _places(self) -> tuple[Places, ...]:
        given = self.data.pop(PLACES, {})
        if not isinstance(given, dict):
            self._fault(PLACES, f"The places stand below a line such as [{PLACES}.{PlacePool.Kind.values[0]}].")
            return ()
        found = [self._pool(kind, values) for kind, values in given.items()]
        return tuple(pool for pool in found if pool)

    def _pool(self, kind: str, values: Any) -> Places | None:
        key = f"{PLACES}.{kind}"
        if kind not in PlacePool.Kind.values:
            self._fault(key, f"There are no “{kind}” places; there are {', '.join(PlacePool.Kind.values)}.")
            return None
        if not isinstance(values, dict):
            self._fault(key, f"The {kind} places stand below a line [{key}].")
            return None
        values = dict(values)
        capacity = values.pop("capacity", None)
        if not isinstance(capacity, int) or isinstance(capacity, bool) or not 0 <= capacity <= 100_000:
            self._fault(f"{key}.capacity", f"The capacity of the {kind} places is a whole number from 0 to 100000.")
            capacity = 0
        opens_at, closes_at = (self._moment(key, name, values) for name in ("opens_at", "closes_at"))
        if opens_at and closes_at and opens_at.tzinfo == closes_at.tzinfo and closes_at <= opens_at:
            self._fault(f"{key}.closes_at", f"The sale of {kind} places would end before it begins.")
        for name in values:
            self._fault(
                f"{key}.{name}", f"“{name}” is not a key of places; there are capacity, opens_at and closes_at."
            )
        return Places(self.lines.get(key), kind, capacity, opens_at, closes_at)

    def _moment(self, key: str, name: str, values: dict[str, Any]) -> datetime | None:
        return _typed(
            values.pop(name, None),
            lambda given: self._fault(f"{key}.{name}", f"The {name} {given} is not a time such as 2010-06-18 12:00."),
        )


def _typed(given: Any, fault: Callable[[Any], None]) -> datetime | None:
    """A moment written bare or in quotes."""
    if isinstance(given, str):
        try:
            return datetime.fromisoformat(given)
        except ValueError:
            fault(f"“{given}”")
            return None
    if given is not None and not isinstance(given, datetime):
        fault(given)
        return None
    return given
