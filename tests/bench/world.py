"""The show that is measured: tournaments of several sizes, a full stock of machines and fifty people at desks."""

import random
from collections.abc import Sequence
from datetime import date
from typing import NamedTuple

from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.models import Group, User
from django.contrib.sessions.backends.db import SessionStore
from django.core.management import call_command
from django.db import connection
from django.utils import timezone

from tests.bench.report import BenchError
from tournaments.models import Entry, Machine, Player, Score, Show, Stage
from tournaments.permissions import DESK
from tournaments.services import machines, scores, shows, stages

SLUG = "bench"
DAY = date(2010, 7, 24)
MACHINES = 12
GAMES = 6
LEAD = 999_000_000
"""Played first on each machine that is written to: a score that takes the lead would be asked about."""


class World(NamedTuple):
    """Stages by the number of their entries, one whose games are still to be entered, and who enters them."""

    sizes: dict[int, Stage]
    empty: Stage
    sessions: tuple[str, ...]


def refuse_a_strangers_database() -> None:
    """Stop with a sentence unless the database is empty or was filled by the bench: all of it will be deleted."""
    tables = connection.introspection.table_names()
    theirs = []
    if Show._meta.db_table in tables:
        theirs += [str(name) for name in Show.objects.exclude(slug=SLUG).values_list("slug", flat=True)[:3]]
    if User._meta.db_table in tables:
        users = User.objects.exclude(username__startswith=f"{SLUG}-")
        theirs += [str(name) for name in users.values_list("username", flat=True)[:3]]
    if theirs:
        raise BenchError(
            f"This database holds {', '.join(theirs)}, which the bench did not make, and the bench deletes all it"
            " finds. Nothing was changed. Give DATABASE_URL a database of the bench's own."
        )


def build(sizes: Sequence[int], writers: int, players: int) -> World:
    """Empty the database and fill it: the same numbers in every run."""
    call_command("migrate", verbosity=0)
    call_command("flush", verbosity=0, interactive=False)
    show = shows.create_show(actor=None, name="Bench", slug=SLUG, starts_on=DAY, ends_on=DAY)
    stock = [
        machines.add(show, actor=None, code=f"M{number}", name=f"Machine {number}")
        for number in range(1, MACHINES + 1)
    ]
    return World(
        sizes={size: _played(show, stock, size) for size in sizes},
        empty=_to_be_played(show, stock, players),
        sessions=tuple(_signed_in(f"{SLUG}-desk-{number}") for number in range(writers)),
    )


def unplayed(stage: Stage) -> list[tuple[Entry, Machine]]:
    """Games that may still be played, six for each entry that has none, in a mixed order; the same every time."""
    draw = random.Random(2010)
    stock = list(Machine.objects.filter(stage_machines__stage=stage).order_by("code"))
    free = Entry.objects.filter(tournament=stage.tournament, scores=None).order_by("number")
    games = [(entry, machine) for entry in free for machine in draw.sample(stock, GAMES)]
    draw.shuffle(games)
    return games


def _played(show: Show, stock: list[Machine], size: int) -> Stage:
    stage = _stage(show, stock, f"of-{size}")
    draw = random.Random(size)
    now = timezone.now()
    Score.objects.bulk_create(
        Score(
            stage=stage,
            entry=entry,
            machine=machine,
            slot=slot,
            state=Score.State.RECORDED,
            value=int(draw.lognormvariate(16, 1)) * 10,
            taken_at=now,
            recorded_at=now,
        )
        for entry in _entries(stage, size)
        for slot, machine in enumerate(draw.sample(stock, GAMES), start=1)
    )
    return stage


def _to_be_played(show: Show, stock: list[Machine], players: int) -> Stage:
    """With one leading score on each machine, by players of their own."""
    stage = _stage(show, stock, "to-be-played")
    entries = _entries(stage, players + MACHINES // GAMES)
    for number, machine in enumerate(stock):
        leader = entries[players + number // GAMES]
        scores.record(stage, actor=None, entry=leader, machine=machine, value=LEAD, sure=LEAD)
    return stage


def _stage(show: Show, stock: list[Machine], slug: str) -> Stage:
    tournament = shows.create_tournament(
        actor=None, show=show, name=slug.replace("-", " ").capitalize(), slug=slug, format="open", starts_on=DAY
    )
    stage = Stage.objects.select_related("tournament__show").get(tournament=tournament, position=1)
    for machine in stock:
        machines.use(stage, actor=None, machine=machine)
    stages.open_stage(stage, actor=None)
    return stage


def _entries(stage: Stage, count: int) -> list[Entry]:
    show, now = stage.tournament.show, timezone.now()
    first = Player.objects.filter(show=show).count() + 1
    players = Player.objects.bulk_create(
        Player(
            show=show, number=number, name=f"{_GIVEN[number % len(_GIVEN)]} {_FAMILY[number % len(_FAMILY)]} {number}"
        )
        for number in range(first, first + count)
    )
    return Entry.objects.bulk_create(
        Entry(tournament=stage.tournament, player=player, number=player.number, entered_at=now) for player in players
    )


def _name(number: int) -> str:
    return f"{_GIVEN[number % len(_GIVEN)]} {_FAMILY[number % len(_FAMILY)]} {number}"


def _signed_in(name: str) -> str:
    """The session key of somebody at the desk."""
    user = User.objects.create_user(name)
    user.groups.add(Group.objects.get_or_create(name=DESK)[0])
    session = SessionStore()
    session[SESSION_KEY] = str(user.pk)
    session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
    session[HASH_SESSION_KEY] = user.get_session_auth_hash()
    session.save()
    return str(session.session_key)


_GIVEN = ("Ann", "Bo", "Chloë", "Dai", "Eilidh", "Fergus", "Gwen", "Hüseyin", "Isla", "Joe", "Kofi", "Łukasz", "Mo")
_FAMILY = ("Archer", "Brown", "Carter", "Davies", "Evans", "Fisher", "Green", "Hughes", "Ó Briain", "Jones", "Khan")
