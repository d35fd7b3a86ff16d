"""The desk's pages in a small open tournament: players 1, 2 …, machines M1, M2 …"""

from collections.abc import Callable
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from tests import factories
from tests.factories import World
from tournaments import selectors

HTMX = {"HX-Request": "true"}


class Desk:
    """Somebody signed in at the desk of a world's first stage."""

    def __init__(self, world: World, client: Client) -> None:
        self.world, self.client = world, client

    def url(self, page: str, *parts: Any) -> str:
        where = [self.world.show.slug, self.world.tournament.slug, self.world.stage.key]
        return reverse(f"desk:{page}", args=[*where, *parts])

    def get(self, page: str, *parts: Any, htmx: bool = False, **query: Any) -> Any:
        return self.client.get(self.url(page, *parts), query, headers=HTMX if htmx else {})

    def post(self, page: str, *parts: Any, htmx: bool = False, follow: bool = False, **typed: Any) -> Any:
        """What a page sends; unless told otherwise one that shows the tournament as it is."""
        typed.setdefault("expected", selectors.current_revision(self.world.tournament.pk))
        return self.client.post(self.url(page, *parts), typed, headers=HTMX if htmx else {}, follow=follow)

    def slip(self, number: Any, machine: str, score: Any, *, htmx: bool = True, **more: Any) -> Any:
        return self.post("record", number=number, machine=machine, score=score, htmx=htmx, **more)


def signed_in(role: str, name: str = "") -> Client:
    client = Client()
    client.force_login(factories.user(role, name))
    return client


@pytest.fixture
def world() -> World:
    return factories.qualifying(players=3, stock=4)


@pytest.fixture
def desk(world: World) -> Desk:
    return Desk(world, signed_in("desk", "dora"))


@pytest.fixture
def organiser(world: World) -> Desk:
    return Desk(world, signed_in("organiser", "dee"))


@pytest.fixture
def desk_of() -> Callable[[World], Desk]:
    return lambda world: Desk(world, signed_in("desk", "dora"))
