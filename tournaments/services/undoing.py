"""What a ruling changed, row by row, and how it is taken back to exactly what was there before.

A ruling may touch a score, a match, seats and machines at once. Instead of an inverse for each kind, the rows of the
tournament are compared before and after, and the difference is kept with the ruling. Rows that games decide by
themselves (the seats and games behind a semi-final) are put back as they were if nothing has touched them since, and
worked out anew otherwise; every other row that has been changed since stops the undo with a sentence.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

from django.db.models import Model, Q

from tournaments.domain.refusals import (
    ABSENT,
    BREAK_OFF,
    PRESENT,
    REOPEN,
    UNDO_REDRAW,
    UNDO_RULING,
    UNDO_SCORE,
    VOID_SCORE,
    Refusal,
    Step,
)
from tournaments.domain.rulings import alters
from tournaments.domain.scores import grouped
from tournaments.models import Entry, Match, Ruling, Score, Seat, Side, Stage, StageMachine, Tournament
from tournaments.services.change import Actor, Log
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

GAME = ("state", "called_at", "warm_up_at", "swapped_at", "started_at", "done_at")
"""How far the game of a match is. One that is played again begins anew; undone, it is where the first was."""

OF_THE_GAME = ("choice", "agreed_at")
"""What belongs to a game of a match on each side of it."""

ON_MATCHES = (Ruling.Kind.OUT_OF_MATCH, Ruling.Kind.REPLAYED)
"""Rulings on a match as a whole, which are taken back in reverse order."""

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


def new_ruling(
    tournament: Tournament, *, actor: Actor, log: Log, kind: Ruling.Kind, reason: str = "", **about: Any
) -> Ruling:
    """A ruling decided now in a running change, not yet saved; `about` are what it concerns and its data."""
    return Ruling(tournament=tournament, kind=kind, reason=reason, decided_by=actor, decided_at=log.now, **about)


@contextmanager
def recorded(tournament: Tournament, ruling: Ruling, log: Log) -> Iterator[None]:
    """Keep with the ruling what the block changes in the tournament."""
    before, in_force = rows(tournament), _in_force(tournament)
    yield
    after = rows(tournament)
    stages = {pk: image for (model, pk), image in after.items() if model == "stage"}
    ruling.changes = {
        "rows": [list(change) for change in _difference(before, after, _of_the_game(ruling, before))],
        "following": {str(pk): _digest(after, pk) for pk in stages},
        "rulings": sorted(in_force - _in_force(tournament)),
    }
    ruling.save()


def _of_the_game(ruling: Ruling, before: Rows) -> set[tuple[str, int]]:
    """The rows of a match that is played again: kept whole, because the game to come changes any field of them."""
    if ruling.kind != Ruling.Kind.REPLAYED or ruling.match_id is None:
        return set()
    sides = {key for key, image in before.items() if key[0] == "side" and image["match_id"] == ruling.match_id}
    return {("match", ruling.match_id), *sides}


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
        _without_what_follows(ruling, change, now)
        for change in (Change(*row) for row in ruling.changes["rows"])
        if not _came_after_all(ruling, change, now)
    ]
    _refuse_out_of_turn(ruling)
    if ruling.kind == Ruling.Kind.REPLAYED and ruling.match_id:
        _refuse_once_played_again(ruling.match_id, changes, now)
    left = _touched_since(tournament, changes, ruling, now)
    # In its own stage a ruling on a match is put back whole, however far that stage is: nothing there follows from it.
    kept = [c for c in changes if c.model not in FOLLOWING or c.stage not in left or c.stage == ruling.stage_id]
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


def _without_what_follows(ruling: Ruling, change: Change, now: Rows) -> Change:
    """Whether a match is over is worked out where it is not as a ruling on it, or on a score of it, has left it."""
    if ruling.kind == Ruling.Kind.REPLAYED or (change.model, change.pk) != ("match", ruling.match_id):
        return change
    if (
        not change.before
        or not change.after
        or now.get(("match", change.pk), {}).get("state") == change.after.get("state")
    ):
        return change
    before, after = ({f: v for f, v in image.items() if f not in OVER} for image in (change.before, change.after))
    return change._replace(before=before, after=after)


def _refuse_out_of_turn(ruling: Ruling) -> None:
    """Raise `Refusal` with the last ruling on the match of this one that rests on it.

    A game played again is one without whoever was disqualified from it, and no score of the one before belongs to it.
    """
    if ruling.match_id is None or not (ruling.kind in ON_MATCHES or ruling.changes["rows"]):
        return
    kinds = ON_MATCHES if ruling.kind in ON_MATCHES else (Ruling.Kind.REPLAYED,)
    later = Ruling.objects.filter(match=ruling.match_id, kind__in=kinds, undone_at=None, pk__gt=ruling.pk)
    for other in later.select_related("stage", "tournament").order_by("-pk"):
        # One that was imported is never taken back here, and stands in nobody's way.
        if not other.changes.get(UNKNOWN):
            raise _rests_on(ruling, other)


def _refuse_once_played_again(pk: int, changes: Sequence[Change], now: Rows) -> None:
    """Raise `Refusal` with the one next step back while the game that was played again is there.

    A call is nothing to take back: whoever was called is called anew, or not at all.
    """
    related = ("machine", "stage__tournament__show")
    match = Match.objects.select_related(*related).get(pk=pk)
    if match.state == Match.State.VOID:
        raise Refusal(
            f"{match} was taken out when the rest was drawn again; take the re-draw back first.",
            step=Step(UNDO_REDRAW, match.stage_id),
        )
    own = {change.pk for change in changes if change.model == "score"}
    played = match.scores.filter(state__in=(*Score.LIVE, Score.State.WAITING)).exclude(pk__in=own)
    scores = sorted(
        played.select_related("entry__player"),
        key=lambda score: (score.state != Score.State.WAITING, score.entry.number, score.pk),
    )
    moved = [c for c in changes if c.model == "side" and _absent(c.after) != _absent(now.get(("side", c.pk)))]
    begun = match.state in (Match.State.WARM_UP, Match.State.PLAYING)
    if (scores or moved or begun) and match.stage.state == Stage.State.CLOSED:
        raise Refusal(
            f"{match} was played again and {match.stage.label.lower()} is closed; an organiser opens it again first.",
            step=Step(REOPEN, match.stage_id),
        )
    for score in scores:
        _refuse_while_scored(score, match)
    for side in Side.objects.select_related("entry__player").filter(pk__in=[c.pk for c in moved]).order_by("rank"):
        what = "is marked as absent from" if side.absent else "plays after all in"
        raise Refusal(
            f"{side.entry} {what} the game that is played again on {match.machine.name}; take that back first.",
            step=Step(PRESENT if side.absent else ABSENT, side.pk),
        )
    if begun:
        raise Refusal(
            f"{match} has begun to be played again; break the match off first.", step=Step(BREAK_OFF, match.pk)
        )


def _absent(image: Image | None) -> bool:
    return bool(image and image.get("absent"))


def _refuse_while_scored(score: Score, match: Match) -> None:
    game = f"{score.entry}, {grouped(score.value or 0)} in the game that was played again on {match.machine.name}"
    for held in Ruling.objects.filter(score=score, undone_at=None).order_by("-pk"):
        if alters(held.kind):
            raise Refusal(
                f"{game}: “{held.get_kind_display()}” is in force; take that back first.",
                step=Step(UNDO_RULING, held.pk),
            )
    raise Refusal(f"{game}: make that score void first.", step=Step(VOID_SCORE, score.pk))


def _rests_on(ruling: Ruling, later: Ruling) -> Refusal:
    return Refusal(
        f"“{ruling.get_kind_display()}” cannot be taken back as it was: {later}, decided later, rests on it;"
        " take that back first.",
        step=Step(UNDO_RULING, later.pk),
    )


def _difference(before: Rows, after: Rows, whole: Collection[tuple[str, int]] = ()) -> Iterator[Change]:
    """What differs row by row; rows that are to be kept `whole` are there with every field, differing or not."""
    for key in [*before, *(key for key in after if key not in before)]:
        old, new = before.get(key), after.get(key)
        if old == new and key not in whole:
            continue
        stage = _stage_of(key, old or new or {}, before, after)
        if old and new and key not in whole:
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
            current[field] != value
            for field, value in change.after.items()
            if not _follows(field, change, current) and not _begins_anew(field, change, ruling)
        )
    if not changed:
        return
    later = _later_ruling(ruling, change)
    if later:
        raise _rests_on(ruling, later)
    row = WATCHED[change.model][0]._default_manager.filter(pk=change.pk).first()
    told = f"“{ruling.get_kind_display()}” cannot be taken back as it was:"
    if isinstance(row, Score):
        raise Refusal(
            f"{told} {row} has been changed since; take that change back first.", step=Step(UNDO_SCORE, row.pk)
        )
    noun = WATCHED[change.model][0]._meta.verbose_name
    raise Refusal(f"{told} {f'{row} has been changed' if row else f'a {noun} has been taken away'} since.")


def _follows(field: str, change: Change, current: Image) -> bool:
    """Whether a field is worked out from others: a match is being played or over as its scores are."""
    states = {current.get("state"), (change.after or {}).get("state")}
    return change.model == "match" and field in OVER and states <= {Match.State.PLAYING, Match.State.DONE}


def _begins_anew(field: str, change: Change, ruling: Ruling) -> bool:
    """Whether a field belongs to the game that is played again; that it is not played any more is known by then."""
    if ruling.kind != Ruling.Kind.REPLAYED:
        return False
    own = change.model == "match" and change.pk == ruling.match_id
    return (own and field in GAME) or (change.model == "side" and field in OF_THE_GAME)


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
            " make that score void first.",
            step=Step(VOID_SCORE, taken.pk),
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
