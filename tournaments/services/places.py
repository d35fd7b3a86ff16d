"""Places on sale. The row lock, the guarded counter and the constraint together never let one too many be taken."""

from datetime import datetime
from typing import Any

from django.db.models import F

from tournaments.domain.refusals import Refusal
from tournaments.models import PlacePool, Tournament
from tournaments.services.change import Actor, change
from tournaments.services.shows import checked, iso


def offer(
    tournament: Tournament,
    *,
    actor: Actor,
    kind: str,
    capacity: int,
    opens_at: datetime | None = None,
    closes_at: datetime | None = None,
    expected: int | None = None,
) -> PlacePool:
    """Offer a pool of places, or change the capacity and times of the one there is."""
    with change(tournament, actor=actor, action="offer places", expected=expected) as log:
        pool = PlacePool.objects.filter(tournament=tournament, kind=kind).first()
        pool = pool or PlacePool(tournament=tournament, kind=kind, capacity=0)
        before = _told(pool) if pool.pk else None
        if capacity < pool.taken:
            raise Refusal(f"{pool.taken} {pool} are taken already; there cannot be fewer.", field="capacity")
        if opens_at and closes_at and closes_at <= opens_at:
            raise Refusal(f"The sale of {pool} would end before it begins.", field="closes_at")
        pool.capacity, pool.opens_at, pool.closes_at = capacity, opens_at, closes_at
        if before == _told(pool):
            return pool
        checked(pool)
        pool.save()
        log.write(f"{capacity} {pool}.", before=before, after=_told(pool))
    return pool


def _told(pool: PlacePool) -> dict[str, Any]:
    return {"capacity": pool.capacity, "opens_at": iso(pool.opens_at), "closes_at": iso(pool.closes_at)}


def give_back(pool: PlacePool) -> None:
    """Give one place back inside a running change."""
    PlacePool.objects.filter(pk=pool.pk, taken__gt=0).update(taken=F("taken") - 1)


def take(pool: PlacePool) -> None:
    """Take one place inside a running change; raises `Refusal` when all are taken."""
    taken = PlacePool.objects.filter(pk=pool.pk, taken__lt=F("capacity")).update(taken=F("taken") + 1)
    if not taken:
        raise Refusal(f"All {pool.capacity} {pool} of {pool.tournament.name} are taken.", field="place")


def refuse_before_the_sale(pool: PlacePool, moment: datetime) -> None:
    """Raise `Refusal` with the time unless the sale has begun. Source: house rules, "on sale from a given moment"."""
    if pool.begins_later(moment):
        raise Refusal(
            f"The {pool} of {pool.tournament.name} are on sale from {_in_words(pool, pool.opens_at)}.", field="place"
        )


def refuse_after_the_sale(pool: PlacePool, moment: datetime) -> None:
    """Raise `Refusal` with the time once the sale has ended."""
    if pool.is_over(moment):
        raise Refusal(
            f"The {pool} of {pool.tournament.name} were on sale until {_in_words(pool, pool.closes_at)}.",
            field="place",
        )


def _in_words(pool: PlacePool, moment: datetime | None) -> str:
    return f"{moment.astimezone(pool.tournament.show.zone):%H:%M on %d %B %Y}" if moment else ""
