"""The rehearsal: believable, repeatable by its seed, and never in the way of a real show."""

import io
from collections import Counter
from datetime import UTC, datetime

import pytest
import time_machine
from django.core.management import CommandError, call_command

from tests import factories
from tests.shelf import kept
from tournaments import formats, selectors
from tournaments.domain.ages import age_on
from tournaments.models import (
    Entry,
    FinalPlace,
    Incident,
    Match,
    Ruling,
    Score,
    Show,
    Side,
    Stage,
    StageMachine,
    Tournament,
)
from tournaments.services import exchange, rehearsal

pytestmark = [pytest.mark.django_db, pytest.mark.real_fields]
NOON = datetime(2026, 8, 15, 12, 0, tzinfo=UTC)


@kept
def rehearse(*arguments):
    out = io.StringIO()
    with time_machine.travel(NOON, tick=False):
        call_command("rehearse", *arguments, stdout=out)
    return out.getvalue()


def exported():
    return {made.slug: exchange.dump(made) for made in Tournament.objects.select_related("show")}


def qualifying(slug="open"):
    return Stage.objects.select_related("tournament__show").get(tournament__slug=slug, key="qualifying")


SMALL = ("--tournament", "open", "--players", "26")


def test_it_makes_every_tournament_whose_first_stage_can_be_played():
    assert rehearse("--players", "4") == (
        "rehearsal/open: 4 entries, 16 scores.\n"
        "rehearsal/classic: 4 entries, 26 scores.\n"
        "rehearsal/kids: 4 entries, 8 scores.\n"
        "rehearsal/team: 4 entries, 10 scores.\n"
    )
    assert {made.slug for made in Tournament.objects.all()} == {kind.key for kind in formats.known()}
    assert Show.objects.get().rehearsal


def test_the_open_has_72_players_unless_told_otherwise():
    rehearse("--tournament", "open")

    tournament = Tournament.objects.get()
    assert tournament.entries.count() == 72
    assert dict(tournament.pools.values_list("kind", "taken")) == {"pre-registered": 60, "last-chance": 12}


def test_without_a_stage_qualifying_is_in_full_swing():
    rehearse(*SMALL)

    with time_machine.travel(NOON, tick=False):
        read = selectors.stage_facts(qualifying())
    assert read.phase == "open"
    assert 90 <= len(read.facts.played) <= 110, "two thirds of 25 players' six games"
    assert len(read.facts.playing) == 6
    assert len(read.facts.waiting) == 1
    assert qualifying().closes_at > NOON
    assert Entry.objects.filter(status="entered").count() == 1
    assert Score.objects.filter(journal__action="correct score").count() == 1


def test_until_qualifying_every_slip_is_in_and_the_stage_is_closed():
    rehearse(*SMALL, "--until", "qualifying")

    read = selectors.stage_facts(qualifying())
    assert read.phase == "closed"
    assert set(Counter(played.entry for played in read.facts.played).values()) == {6}
    assert len(read.table.ranked) == 26
    assert not read.facts.playing
    assert not read.facts.waiting
    assert not qualifying().tournament.stages.filter(seats__isnull=False).exists()


def test_the_same_seed_gives_the_same_show():
    rehearse("--seed", "7", "--players", "6", "--until", "qualifying")
    first = exported()

    rehearse("--seed", "7", "--players", "6", "--until", "qualifying")

    assert exported() == first
    assert set(first) == {"open", "classic", "kids", "team"}


@pytest.mark.parametrize(("slug", "rounds"), [("open", 4), ("classic", 1), ("kids", 1), ("team", 5)])
def test_the_same_seed_gives_the_same_show_to_the_champion(slug, rounds):
    field = ("--players", "26") if slug == "open" else ()
    arguments = ("--tournament", slug, *field, "--seed", "3", "--until", "final")
    rehearse(*arguments)
    first = exported()[slug]

    rehearse(*arguments)

    assert exported()[slug] == first
    tournament = Tournament.objects.get()
    assert tournament.results_declared_at == NOON
    assert set(tournament.stages.values_list("state", flat=True)) == {"closed"}
    assert set(Match.objects.values_list("state", flat=True)) == {"done"}
    assert Match.objects.order_by("-round")[0].round == rounds
    assert tournament.journal.count() == tournament.revision


def test_everybody_has_one_final_place_and_the_final_four_are_first():
    rehearse(*SMALL, "--until", "final")

    places = FinalPlace.objects.all()
    assert sorted(places.values_list("entry", flat=True)) == sorted(Entry.objects.values_list("pk", flat=True))
    finalists = set(Stage.objects.get(key="final").seats.values_list("entry", flat=True))
    assert set(places.filter(place__lte=4).values_list("entry", flat=True)) == finalists
    assert places.get(place=1).why == "Final"


def test_ties_in_a_game_and_at_the_cut_are_settled_by_a_play_off():
    rehearse("--players", "26", "--until", "final")

    play_offs = Ruling.objects.filter(kind="play-off")
    assert play_offs.filter(stage__key="semi-finals").exists()
    assert all(len(ruling.data["scores"]) == len(ruling.data["order"]) > 1 for ruling in play_offs)


def test_positions_are_chosen_and_every_score_is_agreed_to():
    rehearse("--tournament", "kids", "--until", "final")

    assert not Side.objects.filter(agreed_at=None).exists()
    for match in Match.objects.all():
        assert sorted(match.sides.values_list("choice", flat=True)) == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("until", "phases"),
    [
        ("qualifying", ["closed", "planned", "planned", "planned", "planned"]),
        ("second-round", ["closed", "closed", "planned", "planned", "planned"]),
        ("semi-finals", ["closed", "closed", "closed", "planned", "planned"]),
        ("play-off", ["closed", "closed", "closed", "closed", "planned"]),
    ],
)
def test_it_stops_at_the_end_of_any_stage(until, phases):
    rehearse(*SMALL, "--until", until)

    assert [stage.state for stage in Stage.objects.order_by("position")] == phases
    assert not FinalPlace.objects.exists()
    assert not Stage.objects.filter(state="planned", matches__isnull=False).exists()


def test_a_format_without_the_stage_stops_at_the_one_before_it():
    rehearse("--players", "24", "--until", "second-round")

    closed = Stage.objects.filter(state="closed").order_by("tournament__slug", "position")
    assert list(closed.values_list("tournament__slug", "key")) == [
        ("classic", "qualifying"),
        ("kids", "qualifying"),
        ("open", "qualifying"),
        ("open", "second-round"),
    ]


def test_without_a_stage_there_is_something_of_everything_to_look_at():
    rehearse("--players", "24")

    first, second, third, _ = Tournament.objects.order_by("pk")
    assert first.stages.get(key="qualifying").state == "open"
    assert second.results_declared_at
    semi_finals = third.stages.get(key="semi-finals")
    assert [match.state for match in semi_finals.matches.order_by("order")] == ["playing", "warm-up"]
    assert semi_finals.scores.count() == 2


def test_on_any_day_something_goes_wrong_and_is_ruled_on():
    rehearse("--players", "24")

    first, second, third, _ = Tournament.objects.order_by("pk")
    kinds = Counter(Ruling.objects.filter(tournament=first, undone_at=None).values_list("kind", flat=True))
    assert kinds == {"extra-ball-80": 1, "stopped": 1, "warning": 1, "played-on": 1}
    lowered = Score.objects.get(stage__tournament=first, ranked__isnull=False)
    assert lowered.ranked == lowered.value * 80 // 100
    back = Ruling.objects.exclude(undone_at=None).get()
    assert (back.tournament, back.kind) == (first, "machine")
    incident = Incident.objects.get()
    assert incident.repaired_at
    assert incident.machine.in_order
    assert first.journal.filter(action="settle").count() == 1
    rescaled = StageMachine.objects.get(state="rescaled")
    assert rescaled.stage.tournament == second
    assert rescaled.factor > 0
    assert Ruling.objects.get(tournament=third, kind="warning").match.state == "playing"


def test_a_rehearsal_with_mishaps_is_the_same_again_and_replaces_the_one_before():
    rehearse("--seed", "7", "--players", "24")
    first = exported()

    rehearse("--seed", "7", "--players", "24")

    assert exported() == first
    assert Incident.objects.count() == 1


@pytest.mark.parametrize("players", [4, 5, 6, 7])
def test_a_small_field_has_its_champion_too(players):
    rehearse("--tournament", "kids", "--players", str(players), "--until", "final")

    places = list(FinalPlace.objects.order_by("place").values_list("place", flat=True))
    assert places == list(range(1, players + 1))


def test_children_have_dates_of_birth_that_keep_the_age_limit_or_an_adult_who_shows_it():
    rehearse("--tournament", "kids", "--players", "12", "--until", "qualifying")

    tournament = Tournament.objects.get()
    children = list(tournament.entries.select_related("player", "pool"))
    born = [entry.player.born_on for entry in children if entry.pool.kind == "pre-registered"]
    seen = [entry for entry in children if entry.pool.kind == "last-chance"]
    assert all(6 <= age_on(tournament.starts_on, day) < 14 for day in born)
    assert {entry.player.born_on for entry in seen} == {None}
    assert all(entry.age_checked_at for entry in seen)
    assert (len(born), len(seen)) == (10, 2)


def test_another_seed_gives_another_show():
    rehearse(*SMALL, "--seed", "7")
    first = exported()["open"]

    rehearse(*SMALL, "--seed", "8")

    second = exported()["open"]
    assert second["scores.csv"] != first["scores.csv"]
    assert second["entries.csv"] != first["entries.csv"]


def test_it_replaces_the_rehearsal_before_and_nothing_else():
    world = factories.qualifying(players=2, stock=2)
    factories.play(world.stage, world.entries[0], world.machines[0], 500)
    rehearse("--tournament", "kids", "--players", "4")

    rehearse("--tournament", "open", "--players", "4")

    assert set(Tournament.objects.values_list("show__slug", "slug")) == {("party", "open"), ("rehearsal", "open")}
    assert Score.objects.filter(stage=world.stage).count() == 1


def test_a_real_show_at_its_address_is_never_replaced():
    real = factories.show(slug="rehearsal")

    with pytest.raises(CommandError, match="is a real show at the address “rehearsal”"):
        rehearse(*SMALL)

    assert Show.objects.get() == real


def test_every_score_went_through_the_services():
    rehearse(*SMALL, "--until", "qualifying")

    tournament = Tournament.objects.get()
    assert tournament.journal.filter(action="record score").count() == Score.objects.count() == 26 * 6
    assert tournament.journal.count() == tournament.revision


def test_a_person_keeps_one_number_in_all_tournaments():
    rehearse("--players", "6")

    both = Entry.objects.filter(player__entries__tournament__slug="classic", tournament__slug="open").distinct()
    assert both.count() == 3
    alone = Entry.objects.exclude(player=None).select_related("player")
    assert all(entry.number == entry.player.number for entry in alone)
    children = Entry.objects.filter(tournament__slug="kids").select_related("player")
    assert all(entry.player.contact for entry in children)
    assert not children.filter(player__entries__tournament__slug="open").exists()


def test_an_exported_rehearsal_is_still_one_when_it_is_imported():
    rehearse(*SMALL)
    files = exchange.dump(Tournament.objects.select_related("show").get())
    rehearsal.remove()
    exchange.import_files(files, actor=None)

    assert Show.objects.get().rehearsal


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (
            ("--until", "golf"),
            (
                "“golf” is not a stage to stop at; those are qualifying, second-round, semi-finals, play-off, final,"
                " groups."
            ),
        ),
        (
            ("--tournament", "kids", "--until", "second-round"),
            "“second-round” is not a stage to stop at; those are qualifying, semi-finals, play-off, final.",
        ),
        (("--tournament", "golf"), "“golf” cannot be rehearsed with this version; open, classic, kids, team can."),
        (("--tournament", "team", "--players", "33"), "A rehearsal has 4 to 32 teams, not 33."),
        (("--players", "0"), "A rehearsal has 1 to 10000 players in a tournament, not 0."),
    ],
)
def test_what_cannot_be_rehearsed_is_refused(arguments, sentence):
    with pytest.raises(CommandError) as caught:
        rehearse(*arguments)

    assert str(caught.value) == sentence
    assert not Show.objects.exists()
