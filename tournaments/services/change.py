"""The only module with transactions: lock the tournament, refuse what is stale, journal, raise the revision."""

import fcntl
import hashlib
import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

from django.contrib.auth.models import User
from django.db import IntegrityError, OperationalError, connection, transaction
from django.utils import timezone

from tournaments import selectors
from tournaments.domain.refusals import Refusal, Stale
from tournaments.models import Entry, Journal, Machine, Ruling, Score, Show, Tournament

Actor = User | None
"""Who acts; None for a command at the server's console."""

LONGEST_REASON = 500
LONGEST_KEY = 64
OTHER_CONTENTS = "This form was already sent with other contents. Nothing was saved; fill it in once more."
LOCK_TIMED_OUT_OR_DEADLOCK = ("55P03", "40P01")
"""What PostgreSQL calls them."""


class Repeated(Exception):
    """A form that was sent before and did what it asks for: nothing is left to do, and it is answered as done."""


@dataclass
class _Sent:
    """The key of a form that is being carried out; `kept` once a change has it."""

    key: str
    digest: str
    kept: bool = False


_sent: ContextVar[_Sent | None] = ContextVar("sent", default=None)


@dataclass
class Log:
    """What a change writes down. `first` is the journal line of an earlier try with the same client key."""

    now: datetime
    revision: int
    first: Journal | None = None
    line: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    def write(
        self,
        summary: str,
        *,
        before: Mapping[str, Any] | None = None,
        after: Mapping[str, Any] | None = None,
        reason: str = "",
        score: Score | None = None,
        other_score: Score | None = None,
        entry: Entry | None = None,
        machine: Machine | None = None,
        ruling: Ruling | None = None,
    ) -> None:
        """Note what changed. One line per change: without one, the change did nothing and leaves no trace.

        Raises `Refusal` for a reason that is too long; a summary is shortened instead, because nobody typed it.
        """
        if self.line:
            raise RuntimeError("a change writes one journal line")
        refuse_unkept(reason)
        self.line = {
            "summary": summary[:500],
            "before": before,
            "after": after,
            "reason": reason,
            "score": score,
            "other_score": other_score,
            "entry": entry,
            "machine": machine,
            "ruling": ruling,
        }

    def note(self, what: str) -> None:
        """Something that followed from the change by itself; it is told in the same line."""
        self.notes.append(what)


def refuse_unkept(reason: str) -> None:
    """Raise `Refusal` for a reason that the database cannot hold, before it is kept beside anything."""
    if len(reason) > LONGEST_REASON:
        raise Refusal(f"Give the reason in at most {LONGEST_REASON} characters.", field="reason")
    if "\x00" in reason:
        raise Refusal("The reason holds a sign that cannot be kept; type it again.", field="reason")


@contextmanager
def sent_once(key: str, carried: Mapping[str, Any]) -> Iterator[None]:
    """Whatever services a form calls, they act once for its `key`: the first change in the block keeps it.

    Sent again with the same contents it raises `Repeated`, here before anything is looked at, or in the change where
    the first sending was faster by a moment. With other contents it is refused there. A service that is given a key
    of its own answers its repeats itself.
    """
    if not key:
        yield
        return
    _refuse_damaged(key)
    sent = _Sent(key, hashlib.sha256(json.dumps(carried, sort_keys=True, default=str).encode()).hexdigest())
    if Journal.objects.filter(client_key=key, digest=sent.digest).exists():
        raise Repeated
    before = _sent.set(sent)
    try:
        yield
    finally:
        _sent.reset(before)


def _first_sent(key: str) -> _Sent | None:
    """The form that this change is the first of, unless the change has a key of its own; raises if it came before."""
    sent = _sent.get()
    if key or sent is None or sent.kept:
        return None
    first = Journal.objects.filter(client_key=sent.key).first()
    if first and first.digest == sent.digest:
        raise Repeated
    if first:
        raise Refusal(OTHER_CONTENTS)
    return sent


def _refuse_damaged(key: str) -> None:
    if len(key) > LONGEST_KEY:
        raise Refusal("This form is damaged. Nothing was saved; load the page again and fill it in once more.")


@contextmanager
def change(
    tournament: Tournament,
    *,
    actor: Actor,
    action: str,
    expected: int | None = None,
    key: str = "",
    carried: Mapping[str, Any] | None = None,
    lock_show: bool = False,
) -> Iterator[Log]:
    """One write to a tournament, all or nothing.

    `expected` is the revision the person looked at: another one raises `Stale`. `key` is the client's key of this
    request and `carried` what it asked for: the same key again gives `log.first` and must change nothing; with
    other contents it is refused. `lock_show` also locks what the tournaments of a show share, such as numbers.
    The block must call `log.write` if it changed anything.
    """
    _refuse_damaged(key)
    digest = _digest(tournament, action, carried) if key else ""
    with all_or_nothing():
        # The tournament before the show, always: an import holds its tournament already when it enters people.
        # NO KEY, so that rows which only refer to the tournament or the show wait for nobody.
        locked = Tournament.objects.select_for_update(no_key=True)
        revision = locked.values_list("revision", flat=True).get(pk=tournament.pk)
        if lock_show:
            Show.objects.select_for_update(no_key=True).get(pk=tournament.show_id)
        tournament.revision = revision
        first = Journal.objects.select_related("score", "entry").filter(client_key=key).first() if key else None
        if first and first.digest != digest:
            raise Refusal(OTHER_CONTENTS)
        sent = _first_sent(key)
        if first is None and expected is not None and expected != revision:
            latest = Journal.objects.filter(tournament=tournament).order_by("-revision").first()
            raise Stale(
                "Somebody changed this tournament while you were looking. Nothing was saved; look again.",
                now=latest.summary.rstrip(".") if latest else "",
            )
        log = Log(now=timezone.now(), revision=revision + 1, first=first)
        yield log
        if first is not None and log.line:
            raise RuntimeError("a repeated request must change nothing")
        if not log.line:
            return
        log.line["summary"] = " ".join((log.line["summary"], *log.notes))[:500]
        Journal.objects.create(
            tournament=tournament,
            revision=log.revision,
            at=log.now,
            actor=actor,
            action=action,
            **_kept(key, digest, sent),
            **log.line,
        )
        Tournament.objects.filter(pk=tournament.pk).update(revision=log.revision)
        tournament.revision = log.revision
        transaction.on_commit(partial(selectors.renew_revision, tournament.pk, log.revision))


@contextmanager
def change_shared(show: Show, *, actor: Actor, action: str, expected: int | None = None) -> Iterator[Log]:
    """One write to what the tournaments of a show share, such as a machine, with the show's own journal and revision.

    `expected` is the show's revision that the person looked at. What also has to be told in tournaments is written
    there first, each in a `change` of its own, inside one `all_or_nothing`: the show is locked last, always.
    """
    with all_or_nothing():
        revision = Show.objects.select_for_update(no_key=True).values_list("revision", flat=True).get(pk=show.pk)
        sent = _first_sent("")
        if expected is not None and expected != revision:
            latest = Journal.objects.filter(show=show).order_by("-revision").first()
            raise Stale(
                "Somebody changed this show while you were looking. Nothing was saved; look again.",
                now=latest.summary.rstrip(".") if latest else "",
            )
        log = Log(now=timezone.now(), revision=revision + 1)
        yield log
        if not log.line:
            return
        kept = _kept("", "", sent)
        Journal.objects.create(
            show=show, revision=log.revision, at=log.now, actor=actor, action=action, **kept, **log.line
        )
        Show.objects.filter(pk=show.pk).update(revision=log.revision)
        show.revision = log.revision


def _kept(key: str, digest: str, sent: _Sent | None) -> dict[str, Any]:
    """The key that a journal line keeps: that of the change, or of the form that it is the first of.

    Of a change inside another one both have begun before either is written; the inner one is the first.
    """
    if sent is None or sent.kept:
        return {"client_key": key or None, "digest": digest}
    sent.kept = True
    return {"client_key": sent.key, "digest": sent.digest}


@contextmanager
def tried() -> Iterator[None]:
    """Whatever is written in it is taken back at its end: how a preview shows exactly what would happen."""
    with all_or_nothing():
        yield
        transaction.set_rollback(True)


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """Several changes that stand or fall together, such as the import of a folder.

    A unique constraint that strikes means that another writer was first, and a lock that does not come that there are
    too many: both are a `Refusal`. Any other constraint is a fault of ours and stays an error. What is taken back, as
    in a preview, has not kept the key of the form either.
    """
    sent, stays = _sent.get(), False
    kept = sent is not None and sent.kept
    try:
        with _turn(), transaction.atomic():
            yield
            stays = not transaction.get_rollback()
    except OperationalError as error:
        if not _waited_too_long(error):
            raise
        raise Refusal("The desk is very busy just now. Nothing was saved; send it once more.") from error
    except IntegrityError as error:
        if not _entered_twice(error):
            raise
        raise Refusal(
            "Somebody else entered the same thing at the same moment. Yours was not saved; look at it again."
        ) from error
    finally:
        if sent is not None and not stays:
            sent.kept = kept


def _entered_twice(error: IntegrityError) -> bool:
    """Whether a unique constraint struck, in the words of either driver."""
    cause = error.__cause__
    return getattr(cause, "sqlite_errorname", "") == "SQLITE_CONSTRAINT_UNIQUE" or (
        getattr(cause, "sqlstate", "") == "23505"
    )


def _waited_too_long(error: OperationalError) -> bool:
    """Whether a lock did not come in time, or two writers waited for each other, in the words of either driver."""
    cause = error.__cause__
    return getattr(cause, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED")) or (
        getattr(cause, "sqlstate", "") in LOCK_TIMED_OUT_OR_DEADLOCK
    )


@contextmanager
def changes_in(show: Show) -> Iterator[None]:
    """Several changes in the tournaments of a show that stand or fall together, in whatever order they come.

    All tournaments of the show are locked first, in the order in which everything locks them, so that no two writers
    ever wait for each other. Each `change` inside then finds its lock already held.
    """
    with all_or_nothing():
        locked = Tournament.objects.select_for_update(no_key=True).filter(show=show).order_by("pk")
        list(locked.values_list("pk", flat=True))
        yield


@contextmanager
def _turn() -> Iterator[None]:
    """On SQLite, wait in line at a lock file beside the database.

    Waiting writers poll SQLite with growing pauses; a file lock wakes the next one at once, which cut the slowest
    write from 1.6 s to 0.3 s, and closes the checkpoint race that SQLite before 3.51.3 has. Inside a transaction,
    ours or one of the admin's, this is the only writer already; waiting for the file then could wait for ever.
    """
    path = None if connection.in_atomic_block else _lock_path()
    if path is None:
        yield
        return
    with path.open("a") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _lock_path() -> Path | None:
    name = str(connection.settings_dict["NAME"])
    if connection.vendor != "sqlite" or ":memory:" in name or "mode=memory" in name:
        return None
    return Path(f"{name}.lock")


def _digest(tournament: Tournament, action: str, carried: Mapping[str, Any] | None) -> str:
    text = json.dumps([tournament.pk, action, carried or {}], sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()
