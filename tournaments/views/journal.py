"""The journal in words: which lines somebody asks for, what each changed, and where it leads."""

from collections.abc import Container, Iterable, Mapping
from datetime import datetime
from typing import Any, NamedTuple
from urllib.parse import urlencode

from django.db.models import QuerySet
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime

from tournaments import formats, selectors
from tournaments.domain.scores import grouped
from tournaments.models import Entry, Journal, Ruling, Score, Show, Tournament

KINDS: dict[str, tuple[str, tuple[str, ...]]] = {
    "scores": (
        "Scores",
        (
            "start game",
            "record score",
            "record match score",
            "abandon game",
            "correct score",
            "void score",
            "restore score",
            "undo",
            "put aside",
            "settle",
        ),
    ),
    "rulings": (
        "Rulings",
        (
            "rule",
            "rule order",
            "record play-off",
            "undo ruling",
            "disqualify",
            "reinstate",
            "withdraw machine",
            "replace seat",
            "keep seats",
        ),
    ),
    "matches": (
        "Matches",
        (
            "deal matches",
            "take back matches",
            "open round",
            "call match",
            "take call back",
            "choose position",
            "forget choices",
            "warm up",
            "swap",
            "start match",
            "agree",
            "absent",
            "forfeit",
            "break match off",
            "redraw matches",
            "take redraw back",
            "refill",
        ),
    ),
    "people": (
        "Players",
        (
            "register",
            "change details",
            "change members",
            "check in",
            "take check-in back",
            "check age",
            "withdraw",
            "merge people",
            "take people apart",
        ),
    ),
    "machines": (
        "Machines",
        (
            "add machine",
            "change machine",
            "use machine",
            "leave machine out",
            "set machine state",
            "report fault",
            "take back report",
            "repair",
            "take back repair",
            "wait for machine",
            "stop waiting",
        ),
    ),
    "rounds": (
        "Rounds, cut and results",
        (
            "open stage",
            "close stage",
            "reopen stage",
            "withdraw opening",
            "declare cut",
            "withdraw cut",
            "leave stages out",
            "play stages after all",
            "draw up groups",
            "take groups back",
            "declare results",
            "reveal results",
            "hold results back",
            "take back results",
        ),
    ),
    "set-up": (
        "Set-up",
        (
            "create show",
            "change show",
            "create tournament",
            "rename tournament",
            "change rules",
            "set times",
            "offer places",
            "import void score",
            "import matches",
            "import ruling",
            "import seats",
            "import stages",
            "import results",
        ),
    ),
}
"""What people look for, with the actions of the services that are it. Every ruling is one, whatever its action."""

OTHER = "other"
"""Actions that no kind names."""

CONSOLE = "console"
"""Who acts when nobody is signed in: a command at the server."""

IDS = ("entry", "machine", "match", "revision", "recorded_by", "keep", "gone", "account", "filled")
"""What the journal keeps for putting things back and not for reading."""

SCORES = ("value", "ranked", "reached", "counts")

LABELS = {
    "value": "score",
    "ranked": "counts as",
    "reached": "reached",
    "counts": "counts",
    "entry_name": "player",
    "machine_name": "machine",
    "opens_at": "opens",
    "closes_at": "closes",
    "taken_at": "taken at",
    "recorded_at": "entered at",
    "source": "from",
    "starts_on": "day",
    "ifpa_number": "IFPA number",
}


class Change(NamedTuple):
    """What was different before and after, in words; "" where there was nothing."""

    what: str
    before: str
    after: str


class Link(NamedTuple):
    """Where a line leads."""

    label: str
    url: str


class Line(NamedTuple):
    """A line of the journal as it is shown."""

    line: Journal
    where: str
    who: str
    changes: tuple[Change, ...]
    links: tuple[Link, ...]


def asked(show: Show, wanted: Mapping[str, Any]) -> QuerySet[Journal]:
    """The lines of a show and its tournaments that a valid filter asks for, newest first."""
    kind = wanted.get("kind")
    return selectors.journal_lines(
        show,
        tournament=wanted.get("tournament"),
        actions=KINDS[kind][1] if kind in KINDS else (),
        none_of=[action for _, actions in KINDS.values() for action in actions] if kind == OTHER else (),
        rulings=kind == "rulings",
        actors=[None if wanted["who"] == CONSOLE else wanted["who"]] if wanted.get("who") else [],
        machines=wanted.get("machine") or (),
        people=wanted.get("player"),
        since=wanted.get("since"),
        until=wanted.get("until"),
    )


def still_called(page: Iterable[Journal]) -> frozenset[int]:
    """Of the matches to which somebody was called by these lines, by id, those that still wait to begin."""
    calls = [line.after or {} for line in page if line.action == "call match"]
    wanted = {after["match"] for after in calls if "match" in after}
    return selectors.still_called(wanted)


def told(line: Journal, show: Show, called: Container[int] = ()) -> Line:
    """A line with everything in words; asks the database for nothing. `called` are the matches still called."""
    return Line(
        line,
        line.tournament.name if line.tournament else show.name,
        line.actor.get_username() if line.actor else "at the server",
        tuple(changes(line)),
        tuple(_links(line, show, called)),
    )


def changes(line: Journal) -> Iterable[Change]:
    """What a line changed, field by field, in words; what was only made says so in the summary."""
    before, after = line.before or {}, line.after or {}
    labels = _labels(line)
    for name in after:
        old, new = before.get(name), after[name]
        if name not in before or name in IDS or old == new or not (_plain(old) and _plain(new)):
            continue
        label = labels.get(name) or LABELS.get(name, name.replace("_", " "))
        yield Change(label, _words(name, old), _words(name, new))


def _labels(line: Journal) -> dict[str, str]:
    """The names of the rules, where rules were changed."""
    if line.action != "change rules" or line.tournament is None:
        return {}
    rules = line.tournament.kind.Rules()
    return {rule.name: rule.label.lower() for rule in formats.rule_lines(rules)}


def _plain(value: Any) -> bool:
    """Whether a value is one thing to be read; lists of ids are told in the summary."""
    return not isinstance(value, dict) and not (isinstance(value, list) and any(isinstance(v, list) for v in value))


def _words(name: str, value: Any) -> str:
    if name == "ranked" and value is None:
        return "as reached"
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list):
        return ", ".join(str(each) for each in value)
    if isinstance(value, int):
        return grouped(value) if name in SCORES else str(value)
    moment = _moment(value) if name.endswith("_at") else None
    return f"{timezone.localtime(moment):%H:%M on %d %B %Y}" if moment else str(value)


def _moment(text: str) -> datetime | None:
    moment = parse_datetime(text)
    return moment if moment and timezone.is_aware(moment) else None


def _links(line: Journal, show: Show, called: Container[int]) -> Iterable[Link]:
    if line.score:
        yield Link("The score", _score(line.score, line.tournament, show))
    after = line.after or {}
    if line.action == "call match" and line.tournament and after.get("match") in called:
        where = [show.slug, line.tournament.slug, after["stage"], after["match"]]
        yield Link("The call, to be taken back", reverse("desk:match", args=where))
    if line.action == "check in" and line.tournament and line.entry and line.entry.status == Entry.Status.CHECKED_IN:
        yield Link("The check-in, to be taken back", entry_url(line.tournament, show, line.entry.number))
    if line.entry and line.tournament:
        yield Link(str(line.entry), entry_url(line.tournament, show, line.entry.number))
    if line.machine:
        yield Link(line.machine.name, reverse("desk:machine", args=[show.slug, line.machine.code]))
    ruling = line.ruling
    if ruling and line.tournament and ruling.undone_at is None:
        yield Link("The ruling, to be taken back", _ruling(ruling, line.tournament, show))
    elif ruling and line.action != "undo ruling":
        yield Link("The ruling was taken back", journal_url(show, kind="rulings"))


def _ruling(ruling: Ruling, tournament: Tournament, show: Show) -> str:
    """The page on which a ruling in force is taken back."""
    first = tournament.kind.stages[0].key
    if ruling.kind == Ruling.Kind.MERGED and ruling.entry:
        return reverse("desk:same-person", args=[show.slug, tournament.slug, first, ruling.entry.number])
    stage = ruling.stage.key if ruling.stage else first
    return reverse("desk:undo-ruling", args=[show.slug, tournament.slug, stage, ruling.pk])


def _score(score: Score, tournament: Tournament | None, show: Show) -> str:
    slug = tournament.slug if tournament else ""
    return reverse("desk:score", args=[show.slug, slug, score.stage.key, score.pk])


def history_url(entry: Entry, show: Show) -> str:
    """The journal of an entry: of its person in all tournaments, or in its own one of what is no one person."""
    if entry.player_id:
        return journal_url(show, player=entry.number)
    return journal_url(show, player=entry.number, tournament=entry.tournament_id)


def entry_url(tournament: Tournament, show: Show, number: int) -> str:
    """The desk's page about an entry. It belongs to the stage in which people enter."""
    return reverse("desk:entry", args=[show.slug, tournament.slug, tournament.kind.stages[0].key, number])


def journal_url(show: Show, **wanted: Any) -> str:
    """The journal's page with a filter."""
    return f"{reverse('desk:journal', args=[show.slug])}?{urlencode(wanted)}"
