"""The rulings in force as lines of rulings.csv: what was decided, why, when and by whom, and what it concerns."""

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any

from tournaments import selectors
from tournaments.models import Entry, Match, Ruling, Score, Tournament
from tournaments.services.exchange.lines import COLUMNS, NOT_SAID, ON_SCORES, ORDERS, RULINGS
from tournaments.services.undoing import WATCHED

Kind = Ruling.Kind
STATES = {"score": "state", "entry": "status"}
"""The field that holds the state of a row which a ruling changed."""


def rulings(tournament: Tournament) -> list[tuple[object, ...]]:
    """The lines, stage by stage in the order of the decisions; those on matches that were taken back are left out."""
    related = ("stage", "score__match", "score__entry", "score__machine", "match", "entry", "machine", "decided_by")
    found = Ruling.objects.filter(tournament=tournament, undone_at=None, kind__in=COLUMNS).select_related(*related)
    kept = [ruling for ruling in found if not _of_a_match_taken_back(ruling)]
    kept.sort(key=lambda ruling: (ruling.stage.position if ruling.stage else 0, ruling.decided_at, ruling.pk))
    numbers = selectors.numbers_kept(tournament)
    columns = (*RULINGS.needed, *RULINGS.optional)
    lines = [{**_who_and_why(ruling), **_what(ruling, numbers)} for ruling in kept]
    return [tuple(line.get(column, "") for column in columns) for line in lines]


def _of_a_match_taken_back(ruling: Ruling) -> bool:
    match = ruling.match or (ruling.score.match if ruling.score else None)
    return match is not None and match.state == Match.State.VOID


def _who_and_why(ruling: Ruling) -> dict[str, object]:
    zone = ruling.tournament.show.zone
    return {
        "stage": ruling.stage.key if ruling.stage else "",
        "kind": ruling.kind,
        "reason": ruling.reason,
        "decided_at": time(ruling.decided_at, zone),
        "decided_by": ruling.data.get("decided_by") or (ruling.decided_by.get_username() if ruling.decided_by else ""),
    }


def _what(ruling: Ruling, numbers: Mapping[int, int]) -> dict[str, object]:
    """What a ruling of this kind says beside that; the columns that are empty are left out."""
    kind, data = ruling.kind, ruling.data
    if kind in ORDERS:
        values = data.get("scores", {})
        return {
            "order": " ".join(str(numbers[pk]) for pk in data["order"]),
            "scores": " ".join(str(values[str(pk)]) for pk in data["order"]) if values else "",
        }
    if kind == Kind.NO_SHOWS:
        were = _before(ruling, "entry")
        away = sorted(data["entries"], key=lambda pk: numbers[pk])
        words = [were.get(pk, NOT_SAID) for pk in away]
        return {"number": " ".join(str(numbers[pk]) for pk in away), "was": " ".join(words) if were else ""}
    if kind == Kind.MACHINE:
        return {"machine": ruling.machine.code if ruling.machine else ""}
    said: dict[str, object] = {"number": ruling.entry.number if ruling.entry else ""}
    if ruling.match:
        said["round"] = ruling.match.round
        said["machine"] = ruling.machine.code if ruling.machine else ruling.match.machine.code
    if kind in ON_SCORES and ruling.score:
        return {**said, **_on_score(ruling, ruling.score)}
    if kind == Kind.REPLAYED and ruling.match:
        said["number"] = " ".join(str(side.entry.number) for side in ruling.match.sides.select_related("entry"))
        said["agreed"] = " ".join(str(number) for number in sorted(numbers[pk] for pk in data.get("agreed", ())))
    if kind == Kind.REPLACED:
        said |= {"seed": data["seed"], "instead_of": numbers[data["for"]]}
    if kind in (Kind.DISQUALIFIED, Kind.OUT_OF_MATCH):
        said["was"] = " ".join(_before(ruling, "entry" if kind == Kind.DISQUALIFIED else "score").values())
    return said


def _on_score(ruling: Ruling, score: Score) -> dict[str, object]:
    reached, counts = ruling.data.get("reached"), ruling.data.get("counts")
    return {
        "number": score.entry.number,
        "machine": score.machine.code,
        "score": score.value,
        "reached": "" if reached is None else reached,
        "counts": "" if counts is None else counts,
        "was": " ".join(_before(ruling, "score").values()),
    }


def _before(ruling: Ruling, model: str) -> dict[int, str]:
    """The state before of each row to which the ruling gave the state that it still has, by id."""
    field = STATES[model]
    rows = [
        (pk, before[field], after[field])
        for name, pk, _, before, after in ruling.changes["rows"]
        if name == model and before and after and field in before
    ]
    now = dict(WATCHED[model][0]._default_manager.filter(pk__in=[pk for pk, *_ in rows]).values_list("pk", field))
    # Whoever did not come and was disqualified later has still not come.
    out = Entry.Status.DISQUALIFIED
    return {pk: before for pk, before, after in rows if now.get(pk) in (after, out)}


def time(moment: datetime | None, zone: Any) -> str:
    """A moment with its offset in the show's zone; "" for none."""
    return moment.astimezone(zone).isoformat() if moment else ""


def named_in_force(tournament: Tournament) -> Iterator[int]:
    """The ids of the scores that rulings in force concern."""
    found = Ruling.objects.filter(tournament=tournament, undone_at=None, score__isnull=False)
    yield from found.order_by().values_list("score_id", flat=True)
