"""Reading: who and what is meant, what a stage holds, and at what cost."""

from types import SimpleNamespace

import pytest
import time_machine

from tests import factories
from tests.tournaments.services.games import put_aside, record, seen, start
from tournaments import selectors
from tournaments.models import Stage
from tournaments.services import entries, places, scores, stages

pytestmark = pytest.mark.django_db


@pytest.fixture
def world():
    return factories.qualifying()


# Who is meant


@pytest.fixture
def field():
    """Number 7 beside 17, 27 and 70, and people whose names are alike."""
    tournament = factories.tournament()
    people = {17: "Bo Sample", 27: "Zoë Müller", 70: "Bo Samplesson", 7: "Ann Example", 8: "Jean-Luc O'Hara"}
    for number, name in people.items():
        factories.entry(tournament, name, number=number)
    return tournament


def meant(tournament, typed):
    exact, offers = selectors.find_entry(tournament, typed)
    return exact and exact.number, [entry.number for entry in offers]


@pytest.mark.parametrize(
    ("typed", "number"),
    [
        ("7", 7),
        (" 7 ", 7),
        ("007", 7),
        ("17", 17),
        ("27", 27),
        ("70", 70),
        ("71", None),
        ("0", None),
        ("9" * 30, None),
    ],
)
def test_a_number_is_exactly_that_entry_or_nobody(field, typed, number):
    assert meant(field, typed) == (number, [])


@pytest.mark.parametrize(
    "typed", ["Zoë Müller", "zoe muller", "ZOË MÜLLER", " Zoë   Müller ", "Zoe\u0308 Mu\u0308ller"]
)
def test_a_whole_name_is_found_without_case_accents_and_spaces(field, typed):
    assert meant(field, typed) == (27, [])


def test_a_whole_name_beats_a_longer_one(field):
    assert meant(field, "Bo Sample") == (17, [])


@pytest.mark.parametrize(
    ("typed", "numbers"),
    [
        ("sam", [17, 70]),
        ("zo", [27]),
        ("mul zo", [27]),
        ("o'hara", [8]),
        ("luc", [8]),
        ("nobody", []),
        ("", []),
        ("  ", []),
    ],
)
def test_part_of_a_name_offers_and_never_decides(field, typed, numbers):
    assert meant(field, typed) == (None, numbers)


def test_two_of_one_name_are_both_offered_and_neither_is_chosen(field):
    factories.entry(field, "Ann Example", number=9)

    assert meant(field, "Ann Example") == (None, [7, 9])


def test_at_most_five_are_offered():
    tournament = factories.tournament()
    factories.entries(tournament, 9)

    assert len(meant(tournament, "player")[1]) == 5


def test_only_entries_of_the_tournament_are_meant(field):
    other = factories.tournament(field.show, format="kids")

    assert meant(other, "7") == meant(other, "Ann Example") == (None, [])


# Which machine is meant


@pytest.fixture
def hall():
    tournament = factories.tournament()
    stage = factories.stage(tournament)
    named = {"TZ": "Twilight Zone", "AFM": "Attack from Mars", "MM": "Medieval Madness", "M2": "Medieval Madness"}
    for code, name in named.items():
        factories.machines_service.use(stage, actor=None, machine=factories.machine(tournament.show, code, name))
    factories.machine(tournament.show, "X", "Not in the stage")
    return stage


@pytest.mark.parametrize(
    ("typed", "code", "offers"),
    [
        ("TZ", "TZ", []),
        (" tz ", "TZ", []),
        ("twilight zone", "TZ", []),
        ("M2", "M2", []),
        ("M", None, ["AFM", "M2", "MM"]),
        ("mars", None, ["AFM"]),
        ("Medieval Madness", None, ["M2", "MM"]),
        ("X", None, []),
        ("", None, []),
    ],
)
def test_a_code_beats_every_name_and_a_name_of_two_decides_nothing(hall, typed, code, offers):
    exact, offered = selectors.find_machine(hall, typed)

    assert (exact and exact.code, [machine.code for machine in offered]) == (code, offers)


# A stage


def test_a_stage_is_read_in_two_trips_whatever_its_size(django_assert_num_queries):
    world = factories.qualifying(players=2, stock=2)
    selectors.stage_facts(world.stage)  # the first time PostgreSQL gives the queries their names
    for size in (0, 10):
        more = factories.entries(world.tournament, size)
        for entry in more:
            for machine in world.machines:
                factories.play(world.stage, entry, machine, entry.number)
        with django_assert_num_queries(2):
            read = selectors.stage_facts(world.stage)
            assert read.cut.qualifiers == 24
        assert len(read.table.rows) == 2 + size


def test_a_stage_holds_what_is_played_playing_and_waiting(world):
    record(world, value=5)
    put_aside(world, 6)
    start(world, entry=1, machine=1)
    gone = record(world, entry=1, machine=2)
    scores.void(gone, actor=None, seen=seen(gone), reason="x")

    facts = selectors.stage_facts(world.stage).facts

    first, second = (entry.pk for entry in world.entries)
    one, two, *_ = (machine.pk for machine in world.machines)
    assert facts.played == ((first, one, 5),)
    assert facts.waiting == ((first, one),)
    assert facts.playing == ((second, two),)
    assert [(entrant.number, entrant.name) for entrant in facts.entrants] == [(1, "Player 1"), (2, "Player 2")]
    assert [machine.code for machine in facts.machines] == [f"M{number}" for number in range(1, 7)]


def test_a_player_without_games_is_not_ranked_and_one_with_two_of_six_only_on_merit():
    world = factories.qualifying(players=4, rules={"qualifiers": 2})
    factories.standings(world, [[5, 5, 5, 5, 5, 5], [4, 4, 4, 4, 4, 4], [9, 9]])

    read = selectors.stage_facts(world.stage)

    places = {entry.number: read.table.row(entry.pk).place for entry in world.entries}
    assert places == {1: 1, 2: 2, 3: 3, 4: None}
    assert read.cut.inside == (world.entries[0].pk, world.entries[1].pk)


def test_five_equal_scores_share_the_first_place_and_the_next_player_is_sixth():
    world = factories.qualifying(players=6, stock=1)
    factories.standings(world, [[9], [9], [9], [9], [9], [8]])

    table = selectors.stage_facts(world.stage).table

    rows = [table.row(entry.pk) for entry in world.entries]
    assert [(row.place, row.shared, row.points) for row in rows] == [(1, True, 100)] * 5 + [(6, False, 95)]


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_equal_scores_are_equal_whoever_was_typed_first(world, order):
    for entry in order:
        record(world, entry=entry, value=7)

    table = selectors.stage_facts(world.stage).table

    assert [(row.place, row.shared, row.points) for row in table.rows] == [(1, True, 100)] * 2


def test_a_score_of_eleven_digits_is_read_back_to_the_last(world):
    record(world, value=99_999_999_990)

    [result] = selectors.stage_facts(world.stage).table.machines[world.machines[0].pk]
    assert result.value == 99_999_999_990


def test_the_version_tells_a_change_and_the_phase(world):
    before = selectors.stage_facts(world.stage)
    record(world)
    after = selectors.stage_facts(world.stage)
    stages.close_stage(world.stage, actor=None)

    assert before.version == f"{before.revision}.open"
    assert after.revision == before.revision + 1
    assert selectors.stage_facts(world.stage).version == f"{after.revision + 1}.closed"


def test_places_left_are_nobody_once_the_stage_is_closed(world):
    places.offer(world.tournament, actor=None, kind="last-chance", capacity=5)
    assert selectors.stage_facts(world.stage).facts.may_enter == 5

    stages.close_stage(world.stage, actor=None)

    assert selectors.stage_facts(world.stage).facts.may_enter == 0


# The revision


def test_the_revision_is_asked_for_once_within_its_time(django_assert_num_queries, monkeypatch):
    tournament = factories.tournament().pk
    clock = [100.0]
    monkeypatch.setattr(selectors, "time", SimpleNamespace(monotonic=lambda: clock[0]))

    with django_assert_num_queries(1):
        assert [selectors.current_revision(tournament, at_most=1) for _ in range(5)] == [1] * 5
    clock[0] += 1
    with django_assert_num_queries(1):
        assert selectors.current_revision(tournament, at_most=1) == 1


def test_the_desk_always_asks(django_assert_num_queries):
    tournament = factories.tournament().pk

    with django_assert_num_queries(3):
        assert [selectors.current_revision(tournament) for _ in range(3)] == [1] * 3


def test_a_revision_known_is_never_replaced_by_an_older_one():
    selectors.renew_revision(77, 5)
    selectors.renew_revision(77, 4)

    assert selectors.current_revision(77, at_most=60) == 5


# Lists for the desk


def test_the_last_scores_are_newest_first_whatever_became_of_them(world):
    with time_machine.travel("2010-07-24 12:00 +0000", tick=False) as clock:
        made = []
        for machine in range(4):
            made.append(record(world, machine=machine))
            clock.shift(1)
        start(world, entry=1, machine=5)
        scores.void(made[3], actor=None, seen=seen(made[3]), reason="x")

    assert selectors.last_scores(world.stage, count=3) == [made[3], made[2], made[1]]


def test_games_under_way_are_listed_longest_first(world):
    with time_machine.travel("2010-07-24 12:00 +0000", tick=False) as clock:
        first = start(world, machine=3)
        clock.shift(60)
        second = start(world, entry=1, machine=1)

    assert selectors.under_way(world.stage) == [first, second]


def test_too_many_games_are_found_by_the_number_and_by_the_machine(world):
    factories.standings(world, [[1, 2, 3], [1]])
    rules = selectors.stage_facts(world.stage).rules

    def over(**limits):
        changed = type(rules)(**{"games_allowed": 9, "games_counted": 1, "games_per_machine": 9, **limits})
        return [entry.number for entry in selectors.too_many_games(world.stage, changed)]

    assert over() == over(games_allowed=3) == over(games_per_machine=1) == []
    assert over(games_allowed=2) == [1]
    assert over(games_per_machine=0) == [1, 2]


def test_a_namesake_is_somebody_else_of_the_same_show():
    tournament = factories.tournament()
    zoe = factories.entry(tournament, "Zoë Müller").player
    factories.entry(factories.tournament(factories.show("other")), "Zoe Muller")

    assert selectors.namesake(zoe) is None
    again = factories.entry(tournament, "zoe muller").player
    assert selectors.namesake(again) == zoe


def test_reading_never_writes(world):
    record(world)
    before = selectors.current_revision(world.tournament.pk)

    selectors.stage_facts(world.stage)
    selectors.find_entry(world.tournament, "1")
    selectors.last_scores(world.stage)

    assert selectors.current_revision(world.tournament.pk) == before
    assert Stage.objects.get(pk=world.stage.pk).state == Stage.State.OPEN


def test_who_withdrew_stands_as_withdrawn_in_the_facts(world):
    entries.withdraw(world.entries[0], actor=None, reason="ill")

    standing = {entrant.number: entrant.standing for entrant in selectors.stage_facts(world.stage).facts.entrants}
    assert standing == {1: "withdrawn", 2: "in"}
