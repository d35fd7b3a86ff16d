"""Rulings in a folder: a copy has the same tables, notes and files, and its rulings can be taken back."""

from contextlib import suppress
from random import Random

import pytest

from tests.tournaments.exchange.folders import renamed
from tests.tournaments.exchange.test_round_trip import copied
from tests.tournaments.services.officials import (
    IN_MATCHES,
    IN_QUALIFYING,
    Officials,
    in_qualifying,
    in_the_semi_finals,
)
from tournaments import selectors
from tournaments.domain.refusals import Refusal
from tournaments.models import Ruling
from tournaments.services import effects, exchange, rulings

pytestmark = pytest.mark.django_db


def read(tournament):
    """Tables and notes with numbers and codes instead of ids."""
    found = effects.picture(tournament)
    for stage in tournament.stages.order_by("position"):
        facts = selectors.stage_facts(stage).facts
        numbers = {entrant.id: entrant.number for entrant in facts.entrants}
        codes = {machine.id: machine.code for machine in facts.machines}
        found[stage.key, "notes"] = sorted(
            (numbers.get(n.entry, 0), codes.get(n.machine, ""), n.words) for n in facts.notes
        )
    return found


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("begin", "acts"), [(in_qualifying, IN_QUALIFYING), (in_the_semi_finals, IN_MATCHES)])
def test_whatever_was_ruled_survives_the_round_trip_and_is_taken_back_in_the_copy_too(begin, acts, seed):
    random = Random(seed)
    world = begin(random)
    officials = Officials(world, random)
    while Ruling.objects.count() < 6:
        with suppress(Refusal):
            random.choice(acts)(officials)("")

    copy = copied(world.tournament)

    assert read(copy) == read(world.tournament)
    assert not exchange.import_files(renamed(exchange.dump(world.tournament), "copy"), actor=None).changed
    for ruling in Ruling.objects.order_by("-decided_at", "-pk"):
        if ruling.kind != "replayed" or ruling.tournament_id == world.tournament.pk:
            rulings.undo_ruling(ruling, actor=None, reason="appeal")
    if not Ruling.objects.filter(kind="replayed").exists():
        assert read(copy) == read(world.tournament)
