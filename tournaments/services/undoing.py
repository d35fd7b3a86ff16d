"""What a ruling changed, row by row, and how it is taken back to exactly what was there before.

A ruling may touch a score, a match, seats and machines at once. Instead of an inverse for each kind, the rows of the
tournament are compared before and after, and the difference is kept with the ruling. Rows that games decide by
themselves (the seats and games behind a semi-final) are put back as they were if nothing has touched them since, and
worked out anew otherwise; every other row that has been changed since stops the undo with a sentence.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Model, Q

from tournaments.domain.refusals import Refusal
from tournaments.models import Entry, Match, Ruling, Score, Seat, Side, Stage, StageMachine, Tournament
from tournaments.services.change import Log
from tournaments.services.progress import decided_by_games, fill, follow_all, open_next_round

WATCHED: dict[str, tuple[type[Model], str]] = {
    "stage": (Stage, "tournament"),
    "entry": (Entry, "tournament"),
    "machine": (StageMachine, "stage__tournament"),
    "seat": (Seat, "stage__tournament"),
    "match": (Match, "stage__tournament"),
    "side": (Side, "match__stage__tournament"),
    "score": (Score, "stage__tournament"),
}
"""What a ruling may touch, in an order in which rows can be put back: what is referred to comes first."""

FOLLOWING = ("seat", "match", "side")
"""What games decide by themselves in the stages that they feed."""

OVER = ("state", "done_at")
"""What follows from the scores of a match."""

BOOKKEEPING = ("revision", "open_round")
"""Fields that go on by themselves and are no part of what was ruled."""

Image = dict[str, Any]
Rows = dict[tuple[str, int], Image]


UNKNOWN = "unknown"
"""Marks the changes of a ruling from elsewhere of which nobody here knows what was before."""


class Change(NamedTuple):
    """One row before and after a ruling; None where there was none. Only the fields that differ, if it had both."""

    model: str
    pk: int
    stage: int | None
    before: Image | None
    after: Image | None


@contextmanager
def recorded(tournament: Tournament, ruling: Ruling, log: Log) -> Iterator[None]:
    """Keep with the ruling what the block changes in the tournament."""
    before, in_force = rows(tournament), _in_force(tournament)
    yield
    after = rows(tournament)
    stages = {pk: image for (model, pk), image in after.items() if model == "stage"}
    ruling.changes = {
        "rows": [list(change) for change in _difference(before, after)],
        "following": {str(pk): _digest(after, pk) for pk in stages},
        "rulings": sorted(in_force - _in_force(tournament)),
    }
    ruling.save()


def _in_force(tournament: Tournament) -> set[int]:
    return set(Ruling.objects.filter(tournament=tournament, undone_at=None).values_list("pk", flat=True))


def rows(tournament: Tournament) -> Rows:
    """Everything in a tournament that a ruling may touch, as plain values."""
    found: Rows = {}
    for name, (model, path) in WATCHED.items():
        for values in model._default_manager.filter(**{path: tournament}).order_by().values():
            image = {field: _plain(value) for field, value in values.items() if field not in BOOKKEEPING}
            found[name, image.pop("id")] = image
    return found


def take_back(ruling: Ruling, log: Log) -> None:
    """Put back what a ruling changed; raises `Refusal` with what has been changed since."""
    tournament = ruling.tournament
    if ruling.changes.get(UNKNOWN):
        raise Refusal(
            f"“{ruling.get_kind_display()}” came with an imported folder, which does not say what was there before."
            " It cannot be taken back here; correct the scores and the match at the desk."
        )
    now = rows(tournament)
    changes = [
        change
        for change in (Change(*row) for row in ruling.changes["rows"])
        if not _came_after_all(ruling, change, now)
    ]
    left = _touched_since(tournament, changes, ruling, now)
    kept = [c for c in changes if c.model not in FOLLOWING or c.stage not in left]
    made = {(change.model, change.pk) for change in kept if change.before is None}
    for change in kept:
        _refuse_if_changed(change, now, made, ruling)
    _put_back(kept, log)
    Ruling.objects.filter(pk__in=ruling.changes.get("rulings", ())).update(undone_at=None, undone_by=None)
    # Taken back out of turn, or imported: whether a game is over rests on more than what this ruling changed.
    follow_all(_games_of(tournament, kept), log)
    for stage in Stage.objects.filter(tournament=tournament).select_related("tournament__show").order_by("position"):
        if stage.state == Stage.State.OPEN and stage.spec.matches:
            open_next_round(stage, log)
        fill(stage, log)


def _came_after_all(ruling: Ruling, change: Change, now: Rows) -> bool:
    """Whether somebody taken for a no-show has been reinstated since: that stands, and the others come back too."""
    entry = now.get((change.model, change.pk), {})
    return ruling.kind == Ruling.Kind.NO_SHOWS and entry.get("status") != Entry.Status.WITHDRAWN


def _difference(before: Rows, after: Rows) -> Iterator[Change]:
    for key in [*before, *(key for key in after if key not in before)]:
        old, new = before.get(key), after.get(key)
        if old == new:
            continue
        stage = _stage_of(key, old or new or {}, before, after)
        if old and new:
            fields = [field for field in old if old[field] != new[field]]
            old, new = {field: old[field] for field in fields}, {field: new[field] for field in fields}
        yield Change(*key, stage, old, new)


def _stage_of(key: tuple[str, int], image: Image, *pictures: Rows) -> int | None:
    if key[0] == "side":
        image = next(rows["match", image["match_id"]] for rows in pictures if ("match", image["match_id"]) in rows)
    stage: int | None = key[1] if key[0] == "stage" else image.get("stage_id")
    return stage


def _digest(picture: Rows, stage: int) -> str:
    """The seats and games of a stage in short, to see whether anything has touched them since."""
    games = {pk for (model, pk), image in picture.items() if model == "match" and image["stage_id"] == stage}
    told = sorted(
        (model, pk, sorted(image.items(), key=lambda item: item[0]))
        for (model, pk), image in picture.items()
        if (model in ("seat", "match") and image["stage_id"] == stage)
        or (model == "side" and image["match_id"] in games)
    )
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:16]


def _touched_since(tournament: Tournament, changes: Sequence[Change], ruling: Ruling, now: Rows) -> set[int]:
    """The stages decided by games whose seats or games are not any more as the ruling left them."""
    concerned = {change.stage for change in changes if change.model in FOLLOWING}
    stages = Stage.objects.filter(pk__in=[pk for pk in concerned if pk]).select_related("tournament")
    following = {stage.pk for stage in stages if decided_by_games(stage)}
    return {pk for pk in following if ruling.changes["following"].get(str(pk)) != _digest(now, pk)}


def _refuse_if_changed(change: Change, now: Rows, made: set[tuple[str, int]], ruling: Ruling) -> None:
    current = now.get((change.model, change.pk))
    if change.after is None:
        changed = current is not None or _dealt_anew(change, now, made)
    else:
        changed = current is None or any(
            current[field] != value for field, value in change.after.items() if not _follows(field, change, current)
        )
    if changed:
        later = _later_ruling(ruling, change)
        what = f"{later}, decided later, rests on it; take that back first" if later else _named(change)
        raise Refusal(f"“{ruling.get_kind_display()}” cannot be taken back as it was: {what}.")


def _follows(field: str, change: Change, current: Image) -> bool:
    """Whether a field is worked out from others: a match is being played or over as its scores are."""
    states = {current.get("state"), (change.after or {}).get("state")}
    return change.model == "match" and field in OVER and states <= {Match.State.PLAYING, Match.State.DONE}


def _dealt_anew(change: Change, now: Rows, made: set[tuple[str, int]]) -> bool:
    """Whether others than the ruling itself have put a seat or a game where it took one away."""
    others = [
        image
        for (model, pk), image in now.items()
        if model == change.model and image.get("stage_id") == change.stage and (model, pk) not in made
    ]
    if change.model == "seat" and change.before:
        return any(image[f] == change.before[f] for image in others for f in ("seed", "entry_id"))
    if change.model == "match" and change.before:
        game = [change.before[f] for f in ("round", "order")]
        return any(image["state"] != Match.State.VOID and [image["round"], image["order"]] == game for image in others)
    return False


def _later_ruling(ruling: Ruling, change: Change) -> Ruling | None:
    later = Ruling.objects.filter(tournament=ruling.tournament, undone_at=None, pk__gt=ruling.pk)
    for other in later.select_related("stage", "tournament").order_by("-pk"):
        if any(row[:2] == [change.model, change.pk] for row in other.changes["rows"]):
            return other
    return None


def _named(change: Change) -> str:
    model = WATCHED[change.model][0]
    row = model._default_manager.filter(pk=change.pk).first()
    return f"{row} has been changed since" if row else f"a {model._meta.verbose_name} has been taken away since"


def _games_of(tournament: Tournament, changes: Sequence[Change]) -> list[int]:
    """The matches that the rows of a ruling belong to, by id, in the order of their stages."""
    pks = {model: [change.pk for change in changes if change.model == model] for model in WATCHED}
    concerned = (
        Q(pk__in=pks["match"])
        | Q(scores__in=pks["score"])
        | Q(sides__in=pks["side"])
        | Q(sides__entry__in=pks["entry"])
    )
    found = Match.objects.filter(concerned, stage__tournament=tournament).order_by("stage__position", "pk")
    return list(found.distinct().values_list("pk", flat=True))


def _put_back(changes: Sequence[Change], log: Log) -> None:
    made = [change for change in changes if change.before is None]
    for change in sorted(made, key=lambda c: list(WATCHED).index(c.model), reverse=True):
        _take_away(change)
    for name, (model, _) in WATCHED.items():
        own = [change for change in changes if change.model == name and change.before is not None]
        # Rows that exchange something unique, such as two seats, cannot be changed one after the other.
        both = [change for change in own if change.after is not None]
        _return_rows(model, [(c.pk, {**_current(model, c.pk), **(c.before or {})}) for c in both], log)
        _insert(model, [(c.pk, c.before or {}) for c in own if c.after is None], log)


def _take_away(change: Change) -> None:
    model = WATCHED[change.model][0]
    if change.model == "machine" and change.after:
        used = Score.objects.filter(stage=change.after["stage_id"], machine=change.after["machine_id"])
        if used.exists():
            return
    model._default_manager.filter(pk=change.pk).delete()


def _return_rows(model: type[Model], images: Sequence[tuple[int, Mapping[str, Any]]], log: Log) -> None:
    if model in (Seat, Side):
        model._default_manager.filter(pk__in=[pk for pk, _ in images]).delete()
        _insert(model, images, log)
        return
    for pk, image in images:
        row = _row(model, pk, image, log)
        if isinstance(row, Score):
            _refuse_if_taken(row)
        fields = [*image, *(["revision"] if hasattr(row, "revision") else [])]
        model._default_manager.filter(pk=pk).update(**{field: getattr(row, field) for field in fields})


def _refuse_if_taken(score: Score) -> None:
    """A game that was given back may have been played again since."""
    if score.state not in Score.LIVE:
        return
    others = Score.objects.filter(stage=score.stage_id, entry=score.entry_id, state__in=Score.LIVE)
    others = others.exclude(pk=score.pk).select_related("entry__player", "machine")
    if score.match_id:
        taken = others.filter(match=score.match_id).first()
    else:
        taken = (
            others.filter(match=None, machine=score.machine_id, attempt=score.attempt).first()
            or others.filter(match=None, slot=score.slot).first()
        )
    if taken:
        raise Refusal(
            f"{taken.entry} has played the game that was given back, on {taken.machine.name};"
            " make that score void first."
        )


def _insert(model: type[Model], images: Iterable[tuple[int, Mapping[str, Any]]], log: Log) -> None:
    model._default_manager.bulk_create([_row(model, pk, image, log) for pk, image in images])


def _row(model: type[Model], pk: int, image: Mapping[str, Any], log: Log) -> Model:
    values = {}
    for field in model._meta.concrete_fields:
        if field.attname in image:
            values[field.attname] = field.to_python(image[field.attname])
    row = model(pk=pk, **values)
    if hasattr(row, "revision"):
        row.revision = log.revision
    return row


def _current(model: type[Model], pk: int) -> Image:
    values = model._default_manager.filter(pk=pk).values().get()
    return {field: _plain(value) for field, value in values.items() if field not in (*BOOKKEEPING, "id")}


def _plain(value: Any) -> Any:
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value) if isinstance(value, Decimal) else value
