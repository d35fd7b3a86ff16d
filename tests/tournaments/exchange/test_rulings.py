"""Rulings in a folder: a copy has the same tables, notes and files, and its rulings can be taken back."""

import csv
from contextlib import suppress
from random import Random

import pytest

from tests import factories
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
from tournaments.models import Player, Ruling
from tournaments.services import effects, exchange, game_rulings, matches, people, rulings

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


def under_another_number(world, number, name="Somebody"):
    """The person with this number gets a higher one, by a merge with a record that is only in another tournament."""
    other = world.show.tournaments.filter(format="kids").first() or factories.tournament(world.show, format="kids")
    kept = factories.entry(other, name).player
    people.merge(kept, Player.objects.get(show=world.show, number=number), actor=None, reason="entered twice")
    return kept.number


def lines(tournament, *columns):
    """What rulings.csv says in these columns."""
    read = csv.DictReader(exchange.dump(tournament)["rulings.csv"].decode().splitlines())
    return [tuple(line[column] for column in columns) for line in read]


def test_who_did_not_come_is_exported_by_the_number_that_a_merge_has_kept():
    world = factories.qualifying(players=4)
    game_rulings.withdraw_no_shows(world.entries[1:3], actor=None, reason="not here at noon")

    number = under_another_number(world, 2)

    assert lines(world.tournament, "number", "was") == [(f"3 {number}", "entered entered")]
    copy = copied(world.tournament)
    assert read(copy) == read(world.tournament)
    rulings.undo_ruling(Ruling.objects.get(tournament=copy), actor=None, reason="in the queue")
    assert {entry.status for entry in copy.entries.all()} == {"entered"}


def test_who_was_replaced_is_exported_by_the_number_that_a_merge_has_kept():
    world = factories.seated()
    final = factories.stage(world.tournament, "semi-finals")
    leaves, comes = world.entries[2], world.entries[8]
    matches.replace_seat(final, actor=None, entry=leaves.pk, by=comes.pk, reason="ill")

    number = under_another_number(world, 3)

    assert ("9", str(number)) in lines(world.tournament, "number", "instead_of")
    assert read(copied(world.tournament)) == read(world.tournament)
