"""Every save is a service: the journal has it, its rules hold, its "no" stands on the form beside what was typed."""

from datetime import UTC, date, datetime
from zoneinfo import ZoneInfo

import pytest
from django.db import connection

from tests import factories
from tests.tournaments.admin.pages import errors, every_change_is_in_the_journal, filled_in, text
from tournaments.admin import site
from tournaments.models import Entry, Journal, Machine, PlacePool, Player, Show, Stage, StageMachine, Tournament
from tournaments.services import entries, machines, people, places, shows

SHOW = {"name": "Party 2011", "slug": "party-2011", "starts_on": "2011-07-23", "ends_on": "2011-07-24"}


def last_line(tournament):
    return Journal.objects.filter(tournament=tournament).order_by("-revision").first()


def times(opens="", closes=""):
    """Both times of a form, as Django's admin splits them."""
    found = {}
    for name, value in (("opens_at", opens), ("closes_at", closes)):
        found[f"{name}_0"], _, found[f"{name}_1"] = value.partition(" ")
    return found


def test_a_show_is_made(pages):
    answer = pages.save("show", "add", **SHOW)

    assert answer.status_code == 302
    made = Show.objects.get(slug="party-2011")
    assert (made.name, made.ends_on, made.time_zone) == ("Party 2011", date(2011, 7, 24), "Europe/London")


def test_a_show_that_ends_before_it_begins_is_refused_with_what_was_typed(pages):
    answer = pages.save("show", "add", **{**SHOW, "ends_on": "2011-07-01", "venue": "A hall"})

    assert errors(answer) == {None: ["The last day is before the first."]}
    assert 'value="A hall"' in answer.content.decode()
    assert Show.objects.count() == 0


def test_a_show_is_corrected_and_all_its_tournaments_note_it(pages, world):
    other = factories.tournament(world.show, format="kids")

    pages.save("show", "change", world.show.pk, name="UK Pinball Party 2010")

    for tournament in (world.tournament, other):
        assert last_line(tournament).action == "change show"
        assert last_line(tournament).before == {"name": "UK Pinball Party"}
        assert last_line(tournament).actor.username == "olivia"
    assert every_change_is_in_the_journal()


def test_the_address_of_a_show_stays(pages, world):
    pages.save("show", "change", world.show.pk, slug="another", revision="99", rehearsal="on")

    world.show.refresh_from_db()
    assert (world.show.slug, world.show.rehearsal) == ("party", False)


def test_an_unknown_time_zone_is_refused(pages, world):
    answer = pages.save("show", "change", world.show.pk, time_zone="Atlantis")

    assert errors(answer) == {"time_zone": ["“Atlantis” is not a time zone; use for example Europe/London."]}


def test_a_tournament_is_made_with_its_stages_and_leads_on_to_its_rules(pages):
    show = factories.show()
    typed = {"show": show.pk, "name": "The Open", "slug": "open", "format": "open", "starts_on": "2010-07-24"}

    answer = pages.save("tournament", "add", **typed)

    made = Tournament.objects.get()
    assert answer.url == pages.url("tournament", "change", made.pk)
    assert [stage.key for stage in made.stages.all()] == [spec.key for spec in made.kind.stages]
    assert last_line(made).action == "create tournament"
    assert every_change_is_in_the_journal()


def test_two_tournaments_of_a_show_cannot_have_the_same_address(pages, world):
    typed = {"show": world.show.pk, "name": "Again", "slug": "open", "format": "open", "starts_on": "2010-07-24"}

    answer = pages.save("tournament", "add", **typed)

    assert errors(answer) == {None: ["The show has another tournament with this slug."]}
    assert 'value="Again"' in answer.content.decode()
    assert Tournament.objects.count() == 1


def test_a_tournament_is_renamed_without_a_reason_and_without_touching_its_rules(pages, world):
    pages.save("tournament", "change", world.tournament.pk, name="The Big Open")

    world.tournament.refresh_from_db()
    assert (world.tournament.name, world.tournament.rules) == ("The Big Open", {})
    assert last_line(world.tournament).action == "rename tournament"
    assert every_change_is_in_the_journal()


def test_saving_unchanged_leaves_no_trace(pages, world):
    rows = {
        "show": world.show,
        "tournament": world.tournament,
        "stage": world.stage,
        "machine": world.machines[0],
        "player": world.entries[0].player,
    }
    before = Journal.objects.count()

    for model, row in rows.items():
        assert pages.save(model, "change", row.pk).status_code == 302, model

    assert Journal.objects.count() == before


@pytest.mark.parametrize("field", ["revision", "format", "slug", "show"])
def test_what_a_service_owns_cannot_be_typed(pages, world, field):
    before = Tournament.objects.values().get(pk=world.tournament.pk)

    pages.save("tournament", "change", world.tournament.pk, **{field: "7"})

    assert Tournament.objects.values().get(pk=world.tournament.pk) == before


def test_times_are_set_in_the_time_zone_of_the_show(pages):
    show = factories.show(time_zone="America/New_York")
    stage = factories.stage(factories.tournament(show))

    pages.save("stage", "change", stage.pk, **times("2010-07-24 10:00:00", "2010-07-24 16:00:00"))

    stage.refresh_from_db()
    assert stage.closes_at == datetime(2010, 7, 24, 16, tzinfo=ZoneInfo("America/New_York"))
    shown = pages.shown("stage", "change", stage.pk)
    assert (shown["closes_at_0"], shown["closes_at_1"]) == ("24/07/2010", "16:00:00")
    assert "Sat 24 Jul 2010, 16:00" in text(pages.get("stage"))
    assert last_line(stage.tournament).action == "set times"
    assert every_change_is_in_the_journal()


def test_a_stage_cannot_close_before_it_opens(pages, world):
    answer = pages.save("stage", "change", world.stage.pk, **times("2010-07-24 16:00:00", "2010-07-24 10:00:00"))

    assert errors(answer) == {"closes_at": ["Qualifying would close before it opens."]}
    assert 'value="16:00:00"' in answer.content.decode()
    world.stage.refresh_from_db()
    assert world.stage.opens_at is None


def test_the_state_of_a_stage_cannot_be_typed(pages, world):
    pages.save("stage", "change", world.stage.pk, state="closed", key="x", position="9", opened_at_0="2001-01-01")

    stored = Stage.objects.get(pk=world.stage.pk)
    assert (stored.state, stored.key, stored.position) == ("open", "qualifying", 1)


def test_a_no_is_a_page_with_a_sentence_and_takes_all_of_it_back(pages, world):
    factories.closed(world, [[None, 5]])

    answer = pages.save("stage", "change", world.stage.pk, **times("", "2010-07-25 10:00:00"))

    assert answer.status_code == 200
    assert errors(answer) == {None: ["Qualifying is closed; its times no longer matter."]}
    assert 'value="2010-07-25"' in answer.content.decode()
    assert every_change_is_in_the_journal()


def test_a_machine_is_made_and_used_at_once(pages, world):
    kids = factories.stage(factories.tournament(world.show, format="kids"))

    answer = pages.save(
        "machine",
        "add",
        show=world.show.pk,
        code="TZ",
        name="Twilight Zone",
        manufacturer="Bally",
        year="1993",
        stages=[world.stage.pk, kids.pk],
    )

    assert answer.status_code == 302
    made = Machine.objects.get(code="TZ")
    assert {used.stage for used in made.stage_machines.all()} == {world.stage, kids}
    assert [line.action for line in made.journal.order_by("pk")] == ["use machine", "use machine", "add machine"]
    assert every_change_is_in_the_journal()


def test_a_code_is_taken_once_whatever_its_case_and_nothing_is_half_done(pages, world):
    typed = {"show": world.show.pk, "code": "m1", "name": "Another", "stages": [world.stage.pk]}

    answer = pages.save("machine", "add", **typed)

    assert errors(answer) == {None: ["The show has another machine with this code."]}
    shown = answer.content.decode()
    assert 'value="Another"' in shown
    assert Machine.objects.count() == 6


def test_a_machine_of_one_show_cannot_be_used_in_another(pages, world):
    elsewhere = factories.show("elsewhere")
    typed = {"show": elsewhere.pk, "code": "TZ", "name": "Twilight Zone", "stages": [world.stage.pk]}

    answer = pages.save("machine", "add", **typed)

    assert errors(answer) == {None: ["Twilight Zone (TZ) is not a machine of UK Pinball Party."]}
    assert Machine.objects.filter(code="TZ").count() == 0


def test_a_machine_is_corrected_and_left_out_of_a_stage_nobody_played_it_in(pages, world):
    machine = world.machines[3]

    pages.save("machine", "change", machine.pk, name="Medieval Madness", stages=[])

    machine.refresh_from_db()
    assert machine.name == "Medieval Madness"
    assert machine.stage_machines.count() == 0
    assert every_change_is_in_the_journal()


def test_a_machine_that_was_played_cannot_be_left_out_and_its_name_stays_as_it_was_too(pages, world):
    answer = pages.save("machine", "change", world.machines[0].pk, name="Renamed", stages=[])

    assert errors(answer) == {None: ["Machine 1 (M1) has scores in qualifying; it can only be closed or cancelled."]}
    world.machines[0].refresh_from_db()
    assert world.machines[0].name == "Machine 1"
    assert every_change_is_in_the_journal()


def test_many_machines_are_used_in_a_stage_at_once(pages, world):
    stage = factories.stage(factories.tournament(world.show, format="kids"))

    answer = pages.act("machine", "use", *world.machines, stage=stage.pk)

    assert answer.status_code == 302
    assert stage.stage_machines.count() == 6
    assert every_change_is_in_the_journal()


def test_a_machine_comes_into_a_stage_by_its_own_form(pages, world):
    new = factories.machine(world.show, "TZ")

    pages.save("stagemachine", "add", stage=world.stage.pk, machine=new.pk)

    assert StageMachine.objects.get(machine=new).stage == world.stage
    assert last_line(world.tournament).action == "use machine"


def test_a_machine_of_a_closed_stage_is_refused_with_the_reason(pages, world):
    factories.closed(world, [])
    new = factories.machine(world.show, "TZ")

    answer = pages.save("stagemachine", "add", stage=world.stage.pk, machine=new.pk)

    assert errors(answer) == {None: ["Qualifying is closed."]}
    assert not StageMachine.objects.filter(machine=new).exists()


def test_places_are_offered_and_changed(pages, world):
    pages.save(
        "placepool",
        "add",
        tournament=world.tournament.pk,
        kind="pre-registered",
        capacity="60",
        **times("2010-06-18 12:00:00"),
    )
    pool = PlacePool.objects.get()
    assert pool.opens_at == datetime(2010, 6, 18, 11, tzinfo=UTC)

    pages.save("placepool", "change", pool.pk, capacity="64")

    pool.refresh_from_db()
    assert pool.capacity == 64
    assert last_line(world.tournament).action == "offer places"
    assert every_change_is_in_the_journal()


def test_an_organiser_changes_when_places_are_on_sale(pages, world):
    pool = places.offer(world.tournament, actor=None, kind="last-chance", capacity=12)

    pages.save("placepool", "change", pool.pk, **times("2010-07-24 10:00:00"))

    pool.refresh_from_db()
    assert pool.opens_at == datetime(2010, 7, 24, 10, tzinfo=ZoneInfo("Europe/London"))
    assert every_change_is_in_the_journal()


def test_a_pool_that_is_there_is_not_changed_by_adding_it_again(pages, world):
    places.offer(world.tournament, actor=None, kind="last-chance", capacity=12)

    answer = pages.save("placepool", "add", tournament=world.tournament.pk, kind="last-chance", capacity="1")

    assert answer.status_code == 200
    assert PlacePool.objects.get().capacity == 12


def test_places_never_go_below_those_taken(pages, world):
    pool = places.offer(world.tournament, actor=None, kind="last-chance", capacity=2)
    for name in ("Ann", "Bob"):
        factories.entry(world.tournament, name, place="last-chance")

    answer = pages.save("placepool", "change", pool.pk, capacity="1", taken="0")

    assert answer.status_code == 200
    assert errors(answer) == {"capacity": ["2 last-chance places are taken already; there cannot be fewer."]}
    pool.refresh_from_db()
    assert (pool.capacity, pool.taken) == (2, 2)


def test_new_places_go_on_sale_in_the_zone_of_the_show_chosen_in_the_form(pages):
    tournament = factories.tournament(factories.show(time_zone="America/New_York"))

    pages.save(
        "placepool", "add", tournament=tournament.pk, kind="last-chance", capacity="12", **times("2010-07-24 10:00:00")
    )

    assert PlacePool.objects.get().opens_at == datetime(2010, 7, 24, 10, tzinfo=ZoneInfo("America/New_York"))


def test_a_new_person_is_entered(pages, world):
    pages.save("entry", "add", tournament=world.tournament.pk, name="Zoë Quinn", number="70", country="Wales")

    made = Entry.objects.get(number=70)
    assert (made.name, made.player.country) == ("Zoë Quinn", "Wales")
    assert last_line(world.tournament).action == "register"
    assert last_line(world.tournament).entry == made
    assert every_change_is_in_the_journal()


def test_a_namesake_is_asked_about_and_taken_as_another_person_when_told(pages, world):
    typed = {"tournament": world.tournament.pk, "name": "player 1", "country": "Wales"}

    asked = pages.save("entry", "add", **typed)

    assert errors(asked)["name"] == [
        "The show already has 1 Player 1. Enter that person, or say that this is another one."
    ]
    assert 'value="player 1"' in asked.content.decode()
    assert 'value="Wales"' in asked.content.decode()
    assert Player.objects.count() == 2
    pages.save("entry", "add", **typed, namesake_is_another="on")
    assert Player.objects.count() == 3


def test_somebody_of_the_show_is_entered_in_a_second_tournament_with_the_same_number(pages, world):
    kids = factories.tournament(world.show, format="kids")

    pages.save("entry", "add", tournament=kids.pk, player=world.entries[1].player_id)

    assert Entry.objects.get(tournament=kids).number == 2
    assert Player.objects.count() == 2


def test_somebody_of_another_show_cannot_be_entered(pages, world):
    stranger = factories.entry(factories.tournament(factories.show("elsewhere")), "Stranger")

    answer = pages.save("entry", "add", tournament=world.tournament.pk, player=stranger.player_id)

    assert errors(answer) == {"player": ["1 Stranger is not a person of UK Pinball Party."]}


def test_nobody_is_entered_without_a_name(pages, world):
    answer = pages.save("entry", "add", tournament=world.tournament.pk)

    assert errors(answer) == {"name": ["Choose a person of the show, or write the name of a new one; one of the two."]}


@pytest.mark.parametrize("number", ["7.5", "-3", "seven", "0"])
def test_a_number_that_is_none_is_refused_and_kept(pages, world, number):
    answer = pages.save("entry", "add", tournament=world.tournament.pk, name="Ann", number=number)

    assert list(errors(answer)) == ["number"]
    assert f'value="{number}"' in answer.content.decode()


def test_a_number_belongs_to_one_person(pages, world):
    answer = pages.save("entry", "add", tournament=world.tournament.pk, name="Ann", number="2")

    assert errors(answer) == {"number": ["Number 2 belongs to Player 2."]}


def test_a_person_is_corrected_in_every_tournament_and_the_journal_keeps_no_address(pages, world):
    kids = factories.tournament(world.show, format="kids")
    entries.register(kids, actor=None, name="", player=world.entries[0].player)

    pages.save("player", "change", world.entries[0].player_id, name="Jane Roe", email="jane@example.org", number="99")

    player = Player.objects.get(pk=world.entries[0].player_id)
    assert (player.name, player.email, player.number) == ("Jane Roe", "jane@example.org", 1)
    for tournament in (world.tournament, kids):
        line = last_line(tournament)
        assert (line.action, line.before, line.after) == ("change details", {"name": "Player 1"}, {"name": "Jane Roe"})
        assert "jane@example.org" not in f"{line.summary}{line.before}{line.after}"
    assert every_change_is_in_the_journal()


def test_a_form_that_was_overtaken_says_what_changed_keeps_what_was_typed_and_may_then_be_saved(pages, world):
    form = pages.shown("machine", "change", world.machines[0].pk)
    machines.change_details(world.machines[0], actor=None, name="Fathom", manufacturer="Bally")

    answer = pages.send("machine", "change", world.machines[0].pk, form={**form, "name": "Centaur"})

    sentence = errors(answer)[None][0]
    assert sentence.startswith("Somebody changed this while you were looking; nothing of yours was saved.")
    assert "Name is now “Fathom”" in sentence
    assert "Maker is now “Bally”" in sentence
    world.machines[0].refresh_from_db()
    assert world.machines[0].name == "Fathom"

    again = filled_in(answer.content.decode())
    assert again["name"] == "Centaur"
    assert pages.send("machine", "change", world.machines[0].pk, form=again).status_code == 302
    world.machines[0].refresh_from_db()
    assert world.machines[0].name == "Centaur"


def test_a_form_that_does_not_say_what_it_showed_saves_nothing(pages, world):
    answer = pages.save("stage", "change", world.stage.pk, **times("", "2010-07-24 16:00:00"), seen=None)

    assert answer.status_code == 200
    world.stage.refresh_from_db()
    assert world.stage.closes_at is None


def test_scores_that_come_in_meanwhile_do_not_make_a_form_stale(pages, world):
    form = pages.shown("tournament", "change", world.tournament.pk)
    factories.play(world.stage, world.entries[0], world.machines[1], 5)

    answer = pages.send(
        "tournament", "change", world.tournament.pk, form={**form, "rule_qualifiers": "2", "reason": "Fewer came."}
    )

    assert answer.status_code == 302
    world.tournament.refresh_from_db()
    assert world.tournament.rules == {"qualifiers": 2}


def test_the_time_zone_on_the_page_of_one_show_does_not_stay_for_the_next(pages):
    far = factories.stage(factories.tournament(factories.show("far", time_zone="Asia/Tokyo")))
    near = factories.stage(factories.tournament(factories.show("near")))
    at = datetime(2010, 7, 24, 15, tzinfo=UTC)
    for stage in (far, near):
        shows.set_times(stage, actor=None, opens_at=None, closes_at=at)

    assert pages.shown("stage", "change", far.pk)["closes_at_0"] == "25/07/2010"
    assert pages.shown("stage", "change", near.pk)["closes_at_1"] == "16:00:00"


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("model", ["tournament", "machine", "player"])
def test_no_transaction_is_open_before_the_service_opens_its_own(pages, model, monkeypatch):
    """Django's around the whole page would hold the database before the service has its turn at the lock file."""
    world = factories.qualifying(players=1, stock=1)
    rows = {"tournament": world.tournament, "machine": world.machines[0], "player": world.entries[0].player}
    seen = []
    page = site._registry[type(rows[model])]
    save = page.save_model

    def watched(*args, **kwargs):
        seen.append(connection.in_atomic_block)
        return save(*args, **kwargs)

    monkeypatch.setattr(page, "save_model", watched)

    answer = pages.save(model, "change", rows[model].pk, name="Renamed")

    assert answer.status_code == 302
    assert seen == [False]
    assert every_change_is_in_the_journal()


def test_a_date_of_birth_that_is_too_old_is_refused_when_it_is_typed_and_when_it_is_corrected(pages, world):
    kids = factories.tournament(world.show, format="kids")
    sentence = ["Cy Child is 14 years old on 24 July 2010; The Kids is for players under 14."]

    typed = {"tournament": kids.pk, "name": "Cy Child", "born_on": "1996-07-24"}
    assert errors(pages.save("entry", "add", **typed)) == {"born_on": sentence}
    assert pages.save("entry", "add", **{**typed, "born_on": "1996-07-25"}).status_code == 302
    child = kids.entries.get().player
    assert errors(pages.save("player", "change", child.pk, born_on="1996-07-24")) == {"born_on": sentence}
    assert pages.save("player", "change", child.pk, born_on="2000-01-02").status_code == 302

    child.refresh_from_db()
    assert child.born_on == date(2000, 1, 2)
    assert "2000" not in f"{last_line(kids).before} {last_line(kids).after}"
    assert every_change_is_in_the_journal()


OVERTAKEN = {
    "show": ("venue", "The old hall", "The new hall"),
    "player": ("country", "Wales", "Scotland"),
    "machine": ("manufacturer", "Bally", "Williams"),
    "placepool": ("capacity", "70", "80"),
    "tournament": ("name", "The Big Open", "The Grand Open"),
    "user": ("first_name", "Dora", "Dorothy"),
}


def row(world, model):
    if model == "user":
        return factories.user("desk", "dora")
    if model == "placepool":
        return places.offer(world.tournament, actor=None, kind="last-chance", capacity=60)
    return {
        "show": world.show,
        "player": world.entries[0].player,
        "machine": world.machines[1],
        "tournament": world.tournament,
    }[model]


@pytest.mark.parametrize("model", OVERTAKEN)
def test_the_second_of_two_at_one_row_is_told_what_the_first_has_made_of_it(pages, world, model):
    field, first, second = OVERTAKEN[model]
    changed = row(world, model)
    shown = pages.shown(model, "change", changed.pk)
    assert pages.send(model, "change", changed.pk, form={**shown, field: first}).status_code == 302
    lines = Journal.objects.count()

    answer = pages.send(model, "change", changed.pk, form={**shown, field: second})

    sentence = errors(answer)[None][0]
    assert sentence.startswith("Somebody changed this while you were looking; nothing of yours was saved.")
    assert f"is now “{first}”" in sentence
    assert filled_in(answer.content.decode())[field] == second
    changed.refresh_from_db()
    assert str(getattr(changed, field)) == first
    assert Journal.objects.count() == lines


@pytest.mark.parametrize("model", ["show", "player", "machine", "placepool", "tournament"])
def test_who_is_overtaken_in_the_very_instant_of_saving_is_told_too(pages, world, model, monkeypatch):
    """The page has compared and found nothing new, and only then the other one saves."""
    field, first, second = OVERTAKEN[model]
    changed = row(world, model)
    page = site._registry[type(changed)]
    save = page.save_model

    def overtaken(*args, **kwargs):
        monkeypatch.setattr(page, "save_model", save)
        assert pages.save(model, "change", changed.pk, **{field: first}).status_code == 302
        return save(*args, **kwargs)

    monkeypatch.setattr(page, "save_model", overtaken)

    answer = pages.save(model, "change", changed.pk, **{field: second})

    assert "while you were looking" in text(answer)
    assert f"is now “{first}”" in text(answer)
    assert filled_in(answer.content.decode())[field] == second
    changed.refresh_from_db()
    assert str(getattr(changed, field)) == first


def test_what_the_tournaments_share_has_lines_in_the_journal_of_the_show(pages, world):
    pages.save("machine", "add", show=world.show.pk, code="TZ", name="Twilight Zone")
    pages.save("show", "change", world.show.pk, venue="A hall")
    pages.save("player", "change", world.entries[0].player_id, country="Wales")

    lines = list(world.show.journal.order_by("revision"))

    assert [line.action for line in lines[-3:]] == ["add machine", "change show", "change details"]
    assert {line.actor.username for line in lines[-3:]} == {"olivia"}
    listed = text(pages.get("journal", show__id__exact=world.show.pk))
    assert "UK Pinball Party: details corrected." in listed
    assert "Twilight Zone (TZ) is a machine of the show." in listed
    assert every_change_is_in_the_journal()


def test_a_record_that_was_merged_is_corrected_and_entered_nowhere(pages, world):
    one, two = (entry.player for entry in world.entries)
    people.merge(one, two, actor=None, reason="entered twice")

    assert "The same person as: 1 Player 1" in text(pages.get("player", "change", two.pk))
    assert pages.client.post(pages.url("player", "change", two.pk), {"name": "Else"}).status_code == 403
    assert "2 Player 2" not in text(pages.get("entry"))
    asked = {"app_label": "tournaments", "model_name": "entry", "field_name": "player", "term": "Player"}
    found = pages.client.get("/admin/autocomplete/", asked).json()["results"]
    assert [each["text"] for each in found] == ["1 Player 1"]
