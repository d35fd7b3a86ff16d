"""What is exported and imported elsewhere gives the same tables, seats and results."""

from datetime import date, timedelta

import pytest
from django.utils import timezone

from tests import factories
from tests.tournaments.exchange.folders import PUBLISHED, folder, renamed
from tournaments import selectors
from tournaments.models import Entry, Machine, Player, Ruling, Score, Seat, Stage, StageMachine, Tournament
from tournaments.services import entries, exchange, machines, places, rulings, scores, shows, stages

pytestmark = pytest.mark.django_db


def copied(tournament):
    """The tournament imported from its export, in a show beside it; its own export must be the same again."""
    files = exchange.dump(tournament)
    exchange.import_files(renamed(files, "copy"), actor=None)
    copy = Tournament.objects.select_related("show").get(show__slug="copy")
    again, expected = exchange.dump(copy), renamed_dump(files)
    for name in {*again, *expected}:
        assert again.get(name, b"").decode().splitlines() == expected.get(name, b"").decode().splitlines(), name
    assert again == expected
    return copy


def renamed_dump(files):
    text = renamed(files, "copy")["tournament.toml"] + b"\n"
    return files | {"tournament.toml": text}


def table(tournament):
    read = selectors.stage_facts(tournament.stages.get(key="qualifying"))
    numbers = {entrant.id: entrant.number for entrant in read.facts.entrants}
    codes = {machine.id: machine.code for machine in read.facts.machines}
    rows = [
        (
            numbers[row.entry],
            row.place,
            row.shared,
            row.points,
            row.games,
            [(codes[r.machine], r.value, r.points) for r in row.counted],
        )
        for row in read.table.rows
    ]
    cut = read.cut
    return rows, read.phase, [numbers[entry] for entry in cut.inside], sorted(numbers[entry] for entry in cut.level)


def seats(tournament):
    return list(
        Seat.objects.filter(stage__tournament=tournament)
        .order_by("stage__position", "seed")
        .values_list("stage__key", "seed", "entry__number", "why")
    )


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_results_survive_the_round_trip(name):
    tournament = factories.imported(name)

    assert table(copied(tournament)) == table(tournament)


def test_a_tournament_in_full_swing_survives_the_round_trip():
    tournament = busy()

    copy = copied(tournament)

    assert table(copy) == table(tournament)
    states = [
        sorted(
            Score.objects.filter(stage__tournament=each).values_list(
                "entry__number", "machine__code", "state", "value", "late"
            ),
            key=str,
        )
        for each in (tournament, copy)
    ]
    assert states[0] == states[1]
    assert {state for _, _, state, _, _ in states[0]} == {"playing", "recorded", "agreed", "waiting", "void"}
    assert [
        list(each.pools.order_by("kind").values_list("kind", "capacity", "taken", "opens_at"))
        for each in (tournament, copy)
    ] == [
        [("last-chance", 3, 0, None), ("pre-registered", 5, 1, tournament.pools.get(kind="pre-registered").opens_at)]
    ] * 2


def busy():
    """Every kind of score, machine and entry there is, while qualifying is closing."""
    world = factories.qualifying(players=7, stock=5, rules={"games_allowed": 3, "games_counted": 3, "qualifiers": 3})
    stage, people, stock = world.stage, world.entries, world.machines
    now = timezone.now()
    places.offer(world.tournament, actor=None, kind="pre-registered", capacity=5, opens_at=now - timedelta(days=9))
    places.offer(world.tournament, actor=None, kind="last-chance", capacity=3)
    entries.register(
        world.tournament, actor=None, name=people[0].name, place="pre-registered", namesake_is_another=True
    )
    shows.set_times(stage, actor=None, opens_at=now - timedelta(hours=6), closes_at=now - timedelta(minutes=5))
    early = now - timedelta(hours=2)

    def record(person, machine, value, **more):
        return scores.record(
            stage,
            actor=None,
            entry=people[person],
            machine=stock[machine],
            value=value,
            sure=value,
            **{"at": early, **more},
        ).score

    record(0, 0, 99_999_999_990)
    record(0, 1, 0, state="agreed")
    void = record(1, 0, 500)
    scores.void(void, actor=None, seen=void.revision, reason="Wrong player.")
    record(1, 0, 700, at=now - timedelta(minutes=1))
    record(1, 1, 200)
    record(2, 1, 200)
    record(3, 1, 300)
    record(4, 2, 50)
    record(0, 4, 70)
    scores.start(stage, actor=None, entry=people[2], machine=stock[0], at=early)
    scores.put_aside(stage, actor=None, entry=people[2], machine=stock[1], value=210, at=early)
    used = {
        row.machine_id: row for row in StageMachine.objects.filter(stage=stage).select_related("stage__tournament")
    }
    machines.set_state(used[world.machines[4].pk], actor=None, state="cancelled", reason="Broken glass.")
    record(0, 3, 80)
    machines.set_state(used[world.machines[2].pk], actor=None, state="let-stand", reason="Broken flipper.")
    entries.check_in(world.entries[0], actor=None)
    entries.withdraw(world.entries[3], actor=None, reason="Went home.")
    entries.disqualify(world.entries[4], actor=None, reason="Conduct.")
    return Tournament.objects.select_related("show").get(pk=world.tournament.pk)


def test_a_declared_cut_with_play_off_and_lots_survives_the_round_trip():
    boss = factories.user("organiser", "boss")
    files = folder(
        heading=folder()["tournament.toml"].decode().replace("qualifiers = 2", "qualifiers = 3"),
        entries="number,name\n" + "".join(f"{n},Player {n}\n" for n in range(1, 6)),
        scores="number,machine,score\n1,TZ,9\n2,TZ,9\n3,TZ,5\n4,TZ,5\n5,TZ,1\n",
    )
    exchange.import_files(files, actor=None)
    stage = Stage.objects.select_related("tournament__show").get(key="qualifying")
    stages.close_stage(stage, actor=boss)
    third, fourth = (Entry.objects.get(number=number).pk for number in (3, 4))
    rulings.record_play_off(stage, actor=boss, scores={third: 1_000, fourth: 2_000}, note="On Centaur.")
    stages.declare_cut(stage, actor=boss)
    assert set(Ruling.objects.values_list("kind", flat=True)) == {"play-off", "lots"}

    copy = copied(stage.tournament)

    assert table(copy) == table(stage.tournament)
    assert seats(copy) == seats(stage.tournament)
    assert [number for _, _, number, _ in seats(copy)][2] == 4
    ruling = Ruling.objects.get(tournament=copy, kind="play-off")
    assert (ruling.reason, ruling.data["decided_by"]) == ("On Centaur.", "boss")
    assert not exchange.import_files(renamed(exchange.dump(stage.tournament), "copy"), actor=None).changed


def test_99_999_999_990_is_stored_ranked_shown_exported_and_imported_again():
    files = folder(scores='number,machine,score\n1,TZ,"99,999,999,990"\n2,TZ,5\n')
    exchange.import_files(files, actor=None)
    tournament = Tournament.objects.select_related("show").get()

    copy = copied(tournament)

    assert list(Score.objects.filter(entry__number=1).values_list("value", flat=True)) == [99_999_999_990] * 2
    assert b"1,TZ,99999999990,qualifying" in exchange.dump(copy)["scores.csv"]
    assert table(copy)[0][0][:2] == (1, 1)


def test_namesakes_are_told_apart_in_the_export():
    files = folder(entries="number,name,another_person\n1,Ann Example,\n2,Ann Example,yes\n", scores=None)
    exchange.import_files(files, actor=None)

    copy = copied(Tournament.objects.select_related("show").get())

    assert copy.entries.count() == 2


def test_odd_names_survive_the_round_trip():
    exchange.import_files(
        folder(
            heading=folder()["tournament.toml"].decode().replace('"Open"', r'"The \"Big\" Öpen \\ 2010"'),
            machines='code,name\nTZ,"Twilight, ""Zone"""\n',
            entries="number,name\n1,Zoë O'Hara; Jr.\n",
            scores=None,
        ),
        actor=None,
    )
    tournament = Tournament.objects.select_related("show").get()

    copy = copied(tournament)

    assert copy.name == 'The "Big" Öpen \\ 2010'
    assert Machine.objects.filter(show=copy.show).get().name == 'Twilight, "Zone"'


def test_private_details_are_never_exported():
    tournament = factories.tournament()
    private = {"email": "kid@example.org", "contact": "Parent, 01234 567", "born_on": date(2001, 2, 3)}
    entries.register(tournament, actor=None, name="Kid", **private)

    content = b"".join(exchange.dump(tournament).values())

    assert b"Kid" in content
    assert b"example.org" not in content
    assert b"Parent" not in content
    assert b"2001" not in content


def test_that_an_age_was_checked_survives_the_round_trip_and_how_old_somebody_is_does_not():
    tournament = factories.tournament(format="kids")
    for name, known in (("Ann", {"born_on": date(2001, 2, 3)}), ("Bo", {}), ("Cy", {}), ("Di", {})):
        entries.register(tournament, actor=None, name=name, **known)
    _, bo, cy, di = tournament.entries.order_by("number")
    entries.check_in(bo, actor=None, age_seen=True)
    entries.check_in(cy, actor=None, elsewhere=True)

    copy = copied(tournament)

    assert b"2001" not in b"".join(exchange.dump(tournament).values())
    assert not Player.objects.filter(show=copy.show).exclude(born_on=None).exists()
    unchecked = copy.entries.filter(pk__in=selectors.ages_unchecked(copy)).order_by("number")
    assert [(entry.number, entry.status) for entry in unchecked] == [(3, "checked-in"), (4, "entered")]
    assert not exchange.import_files(renamed(exchange.dump(tournament), "copy"), actor=None).changed

    entries.check_in(di, actor=None, age_seen=True)
    exchange.import_files(renamed(exchange.dump(tournament), "copy"), actor=None)
    assert copy.entries.get(number=4).status == "checked-in"
    assert len(selectors.ages_unchecked(copy)) == 1
