"""Shows, tournaments, rules and times are made and changed without breaking what is played already."""

from datetime import UTC, date, datetime, timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.tournaments.services.games import record
from tournaments import selectors
from tournaments.domain.refusals import Refusal, Stale
from tournaments.models import Journal, Show, Stage, Tournament
from tournaments.services import shows, stages

NOON = datetime(2030, 7, 24, 11, 0, tzinfo=UTC)


@pytest.mark.parametrize(
    ("details", "field", "sentence"),
    [
        ({"slug": "two words"}, "slug", "slug: "),
        ({"time_zone": "Europe/Lodnon"}, "time_zone", "“Europe/Lodnon” is not a time zone"),
        ({"ends_on": date(2010, 7, 1)}, "__all__", "The last day is before the first."),
        ({"name": ""}, "name", "name: "),
    ],
)
def test_a_show_that_cannot_be_meant_is_refused_with_the_field(details, field, sentence):
    with pytest.raises(Refusal) as told:
        factories.show(**details)

    assert told.value.field == field
    assert sentence in told.value.sentence
    assert not Show.objects.exists()


def test_a_changed_show_locks_its_tournaments_first_as_registering_does(world):
    """The other way round, PostgreSQL would end one of the two as a deadlock."""
    show = world.show

    with CaptureQueriesContext(connection) as queries:
        shows.change_show(show, actor=None, name="The Party", starts_on=show.starts_on, ends_on=show.ends_on)

    written = [query["sql"].split()[1].strip('"') for query in queries if query["sql"].startswith("UPDATE")]
    assert written == ["tournaments_tournament", "tournaments_show", "tournaments_show"]
    assert Show.objects.get().name == "The Party"


def test_a_tournament_has_all_stages_of_its_format_in_order_and_planned():
    tournament = factories.tournament()

    made = tournament.stages.order_by("position")
    assert [stage.key for stage in made] == [spec.key for spec in tournament.kind.stages]
    assert {stage.state for stage in made} == {Stage.State.PLANNED}
    assert tournament.journal.get().summary == "The Open was created."
    assert tournament.show.journal.get().summary == "UK Pinball Party was created."


@pytest.mark.parametrize(
    ("details", "sentence"),
    [
        ({"format": "unheard-of"}, "is not a valid choice"),
        ({"rules": {"games_allowed": 0}}, "Games allowed: 0 is not between 1 and 10000."),
        ({"rules": {"games": 3}}, "“games” is not a rule of this format."),
        ({"slug": "not a slug"}, "slug: "),
    ],
)
def test_a_tournament_that_cannot_be_meant_is_refused_and_leaves_nothing(details, sentence):
    with pytest.raises(Refusal) as told:
        factories.tournament(**details)

    assert sentence in told.value.sentence
    assert not Tournament.objects.exists()


def test_two_tournaments_of_a_show_have_two_slugs():
    tournament = factories.tournament()

    with pytest.raises(Refusal, match="The show has another tournament with this slug"):
        factories.tournament(tournament.show)


def change_rules(world, reason="announced at noon", **rules):
    shows.change_rules(world.tournament, actor=None, rules=rules, reason=reason)


def test_changed_rules_are_in_force_at_once_and_kept_with_the_reason(world):
    record(world, value=5)

    change_rules(world, points=[15, 12])

    assert selectors.stage_facts(world.stage).table.row(world.entries[0].pk).points == 15
    line = Journal.objects.latest("revision")
    assert (line.before, line.after, line.reason) == ({}, {"points": [15, 12]}, "announced at noon")


def test_rules_saved_unchanged_leave_no_trace(world):
    before = world.tournament.revision

    change_rules(world, reason="")

    assert selectors.current_revision(world.tournament.pk) == before


def test_changing_rules_needs_a_reason_and_the_present_page(world):
    with pytest.raises(Refusal, match="Say why"):
        change_rules(world, reason=" ", qualifiers=8)
    with pytest.raises(Stale):
        shows.change_rules(world.tournament, actor=None, rules={"qualifiers": 8}, reason="x", expected=1)


def test_faulty_rules_are_refused_with_every_fault(world):
    with pytest.raises(Refusal) as told:
        change_rules(world, games_allowed="six", points="golf")

    assert "Games allowed: “six” is not a whole number." in told.value.sentence
    assert "Points on a machine: “golf” is not a points scale" in told.value.sentence
    assert told.value.field == "rules"


def test_rules_never_make_a_game_already_played_one_too_many(world):
    factories.standings(world, [[1, 2, 3], [1, 2]])

    with pytest.raises(Refusal, match="have been played by 1 Player 1"):
        change_rules(world, games_allowed=2, games_counted=2)
    change_rules(world, games_allowed=3, games_counted=2)


def test_rules_never_make_a_repeat_already_played_one_too_many():
    world = factories.qualifying(format="classic")
    for _ in range(3):
        record(world)

    with pytest.raises(Refusal, match="have been played by 1 Player 1"):
        change_rules(world, games_per_machine=2)


def test_a_new_name_or_day_is_noted_once(world):
    for _ in range(2):
        shows.rename_tournament(world.tournament, actor=None, name="The UK Open", starts_on=factories.DAY)

    assert world.tournament.name == Tournament.objects.get().name == "The UK Open"
    assert Journal.objects.filter(action="rename tournament").count() == 1


def set_times(world, opens_at, closes_at, **details):
    shows.set_times(world.stage, actor=None, opens_at=opens_at, closes_at=closes_at, **details)


def test_times_are_noted_once(world):
    for _ in range(2):
        set_times(world, NOON, NOON + timedelta(hours=4))

    line = Journal.objects.get(action="set times")
    assert line.before == {"opens_at": None, "closes_at": None}
    assert line.after["closes_at"] == "2030-07-24T15:00:00+00:00"


def test_a_stage_cannot_close_before_it_opens(world):
    with pytest.raises(Refusal, match=r"Qualifying would close before it opens\.") as told:
        set_times(world, NOON, NOON)

    assert told.value.field == "closes_at"


def test_the_times_of_a_closed_stage_no_longer_matter(world):
    stages.close_stage(world.stage, actor=None)

    with pytest.raises(Refusal, match="is closed; its times no longer matter"):
        set_times(world, None, NOON)
