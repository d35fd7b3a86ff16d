"""Two records of one person become one in every tournament of the show, and two again exactly as they were."""

from datetime import date
from functools import partial

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.tournaments.services.games import record, start
from tournaments import selectors
from tournaments.domain.refusals import Refusal, Stale
from tournaments.models import Entry, Journal, Player, Ruling, Score
from tournaments.services import effects, entries, game_rulings, incidents, people, places, rulings, scores, stages
from tournaments.services.exchange import writing
from tournaments.services.undoing import rows


@pytest.fixture
def world():
    """Four players in the Open, of whom 1 and 2 are the same person, and a Kids Tournament with nobody in it."""
    made = factories.qualifying(players=4, stock=6)
    factories.tournament(made.show, format="kids")
    return made


@pytest.fixture
def kids(world):
    return world.show.tournaments.get(format="kids")


def player(world, number):
    return Player.objects.get(show=world.show, number=number)


def merge(world, keep=1, gone=2, **details):
    people.merge(player(world, keep), player(world, gone), actor=None, reason="entered twice", **details)


def looked_at(keep, gone):
    """What a merge would change, as it is shown before."""
    see = partial(people.picture, keep)
    return effects.tried_out(see, lambda: people.merge(keep, gone, actor=None, reason="entered twice"))


def take_apart(world, gone=2, **details):
    people.take_apart(player(world, gone), actor=None, reason="two brothers", **details)


def entry(world, number=1):
    return selectors.entry_numbered(world.tournament, number)


def numbers(tournament):
    return list(selectors.entered(tournament).order_by("number").values_list("number", flat=True))


def games(world, number=1):
    taken = Score.objects.filter(entry=entry(world, number), state__in=Score.LIVE)
    return sorted(taken.values_list("machine__code", "value"))


def everything(world):
    """All that a merge may touch, in every tournament of the show."""
    tournaments = world.show.tournaments.order_by("pk")
    details = list(Player.objects.order_by("pk").values())
    pools = list(world.tournament.pools.values_list("kind", "taken"))
    read = selectors.stage_facts(world.stage)
    return [rows(tournament) for tournament in tournaments], details, pools, read.table, read.cut


def last_line(tournament):
    return tournament.journal.order_by("-revision").first()


def test_the_scores_of_both_numbers_are_those_of_one_player(world):
    record(world, entry=0, machine=0, value=500)
    record(world, entry=1, machine=1, value=900)
    record(world, entry=2, machine=1, value=800)

    merge(world)

    assert numbers(world.tournament) == [1, 3, 4]
    assert games(world) == [("M1", 500), ("M2", 900)]
    rows = selectors.stage_facts(world.stage).table.rows
    assert [row.entry for row in rows] == [world.entries[0].pk, world.entries[2].pk, world.entries[3].pk]
    assert rows[0].games == 2


def test_the_old_number_finds_the_person_it_has_become(world):
    merge(world)

    assert selectors.find_entry(world.tournament, "2") == (world.entries[0], [])
    assert selectors.find_entry(world.tournament, "Player 2") == (None, [])


def test_the_number_stays_taken_and_is_given_to_nobody(world):
    merge(world, keep=1, gone=4)

    assert factories.entry(world.tournament, "Somebody").number == 5
    with pytest.raises(Refusal, match="Number 4 belonged to 1 Player 1"):
        factories.entry(world.tournament, "Another", number=4)


def test_where_only_the_other_record_is_entered_the_entry_takes_the_kept_number(world, kids):
    moved = entries.register(kids, actor=None, name="", player=player(world, 2))

    merge(world)

    moved.refresh_from_db()
    assert (moved.number, moved.player, moved.status) == (1, player(world, 1), Entry.Status.ENTERED)
    assert numbers(kids) == [1]


def test_every_tournament_concerned_and_the_show_have_a_line(world, kids):
    entries.register(kids, actor=None, name="", player=player(world, 2))
    olivia = factories.user("organiser")

    people.merge(player(world, 1), player(world, 2), actor=olivia, reason="entered twice")

    lines = [last_line(world.tournament), last_line(kids), last_line(world.show)]
    assert [(line.action, line.actor, line.reason) for line in lines] == [
        ("merge people", olivia, "entered twice")
    ] * 3
    assert lines[1].summary == "2 Player 2 is the same person as 1 Player 1 and has number 1 now."
    assert lines[2].summary == "2 Player 2 is the same person as 1 Player 1; number 2 is number 1 now."


def test_details_that_are_missing_come_from_the_other_record_and_the_journal_keeps_no_address(world):
    entries.change_details(world.entries[1], actor=None, name="Player 2", country="Wales", email="p@example.org")

    merge(world)

    kept = player(world, 1)
    assert (kept.name, kept.country, kept.email) == ("Player 1", "Wales", "p@example.org")
    assert "example.org" not in str(list(Journal.objects.values()))
    assert "example.org" not in str(list(Ruling.objects.values()))


# The age limit of the Kids Tournament: the day is 24 July 2010 and the limit under 14.

YOUNG, ALSO_YOUNG, TOO_OLD = date(2000, 1, 2), date(2001, 3, 4), date(1990, 5, 6)


def born(world, number, day):
    Player.objects.filter(show=world.show, number=number).update(born_on=day)


def test_a_date_of_birth_goes_along_and_is_written_nowhere(world):
    born(world, 2, YOUNG)

    merge(world)

    assert player(world, 1).born_on == YOUNG
    assert "2000-01-02" not in str([*Journal.objects.values(), *Ruling.objects.values()])
    take_apart(world)
    assert (player(world, 1).born_on, player(world, 2).born_on) == (None, YOUNG)


def test_the_preview_says_that_a_date_of_birth_goes_along_and_not_which(world):
    born(world, 2, YOUNG)
    keep, gone = player(world, 1), player(world, 2)

    told = str(looked_at(keep, gone).sections)

    assert "own record, with date of birth" in told
    assert "2000" not in told


def test_two_dates_of_birth_are_two_persons(world):
    born(world, 1, YOUNG)
    born(world, 2, ALSO_YOUNG)
    before = everything(world)

    with pytest.raises(Refusal, match="1 Player 1 and 2 Player 2 have different dates of birth"):
        merge(world)

    assert everything(world) == before


@pytest.mark.parametrize(("entered", "known"), [(1, 2), (2, 1)])
def test_whoever_is_too_old_gets_past_the_age_limit_by_no_merge(world, kids, entered, known):
    entries.register(kids, actor=None, name="", player=player(world, entered))
    born(world, known, TOO_OLD)
    before = everything(world)

    with pytest.raises(Refusal, match="Player 1 is 20 years old on 24 July 2010; The Kids is for players under 14"):
        merge(world)

    assert everything(world) == before


def test_an_age_that_was_shown_under_the_other_number_need_not_be_shown_again(world, kids):
    kept, left = (entries.register(kids, actor=None, name="", player=player(world, number)) for number in (1, 2))
    entries.confirm_age(left, actor=None)
    assert selectors.ages_unchecked(kids) == {kept.pk}
    before = everything(world)

    merge(world)

    assert selectors.ages_unchecked(kids) == set()
    take_apart(world)
    assert everything(world) == before


def test_of_the_emptied_entry_nobody_asks_the_age(world, kids):
    kept, _ = (entries.register(kids, actor=None, name="", player=player(world, number)) for number in (1, 2))

    merge(world)

    assert selectors.ages_unchecked(kids) == {kept.pk}


def test_a_login_goes_along(world):
    login = factories.user("official")
    Player.objects.filter(number=2).update(account=login)

    merge(world)

    assert (player(world, 1).account, player(world, 2).account) == (login, None)
    take_apart(world)
    assert (player(world, 1).account, player(world, 2).account) == (None, login)


def test_two_logins_stand_in_the_way(world):
    for number in (1, 2):
        Player.objects.filter(number=number).update(account=factories.user("official", f"o{number}"))

    with pytest.raises(Refusal, match="have a login each"):
        merge(world)


def test_the_place_of_the_emptied_entry_is_given_back(world):
    places.offer(world.tournament, actor=None, kind="last-chance", capacity=2)
    for name in ("Ann", "Anne"):
        factories.entry(world.tournament, name, place="last-chance")

    merge(world, keep=5, gone=6)

    assert world.tournament.pools.get().taken == 1
    factories.entry(world.tournament, "Zoë", place="last-chance")
    with pytest.raises(Refusal, match="All 2 last-chance places of The Open are taken"):
        take_apart(world, gone=6)


def test_a_place_of_the_other_record_is_kept_by_who_had_none(world):
    places.offer(world.tournament, actor=None, kind="last-chance", capacity=1)
    factories.entry(world.tournament, "Ann", place="last-chance")

    merge(world, keep=1, gone=5)

    assert entry(world).pool.kind == "last-chance"
    assert world.tournament.pools.get().taken == 1


def test_who_is_checked_in_under_either_number_is_here(world):
    entries.check_in(world.entries[1], actor=None)

    merge(world)

    assert entry(world).status == Entry.Status.CHECKED_IN


def test_who_was_withdrawn_as_the_double_still_plays(world):
    entries.withdraw(world.entries[0], actor=None, reason="entered twice")

    merge(world)

    assert entry(world).status == Entry.Status.ENTERED


def test_two_games_on_one_machine_are_named_and_nothing_is_merged(world):
    record(world, entry=0, machine=0, value=500)
    record(world, entry=1, machine=0, value=900)
    before = everything(world)

    with pytest.raises(Refusal, match="2 games in qualifying of The Open: Machine 1 500, Machine 1 900"):
        merge(world)

    assert everything(world) == before


def test_a_seat_stands_in_the_way_and_says_what_to_do():
    world = factories.seated(players=10)

    with pytest.raises(Refusal, match="2 Player 2 has seed 2 of the semi-finals; keep number 2 instead"):
        merge(world)


def test_a_closed_round_stands_in_the_way_of_scores(world):
    factories.closed(world, [[500], [None, 900]])

    with pytest.raises(Refusal, match="Qualifying of The Open is closed: 2 Player 2 has scores there; reopen it"):
        merge(world)


def test_an_empty_record_goes_even_when_the_round_is_closed(world):
    factories.closed(world, [[500], [], [400]])

    merge(world)

    assert numbers(world.tournament) == [1, 3, 4]


def test_a_ruling_in_force_stands_in_the_way(world):
    taken = record(world, entry=1, machine=1, value=900)
    game_rulings.rule_on_score(taken, actor=None, kind="zero", reason="seen", seen=taken.revision)

    with pytest.raises(Refusal, match="“score set to zero” on 2 Player 2 is in force in The Open"):
        merge(world)


def test_a_ruling_on_several_is_one_on_each_of_them(world):
    game_rulings.withdraw_no_shows(world.entries[1:3], actor=None, reason="not here at noon")

    with pytest.raises(Refusal, match="“no-shows withdrawn” on 2 Player 2 is in force in The Open"):
        merge(world)


def wait_for_the_first_machine(world):
    """Number 2 is on the list of a machine that is out of order."""
    incident = incidents.report(world.machines[0], actor=None)
    return incident, incidents.wait(world.machines[0], actor=None, entry=world.entries[1])


def test_who_waits_for_a_machine_is_called_before_the_number_goes(world):
    incident, place = wait_for_the_first_machine(world)
    with pytest.raises(Refusal, match="2 Player 2 waits for Machine 1; let number 1 wait instead"):
        merge(world)
    incidents.repaired(incident, actor=None)
    with pytest.raises(Refusal, match="2 Player 2 waits for Machine 1"):
        merge(world)

    incidents.stop_waiting(place, actor=None)
    merge(world)

    assert numbers(world.tournament) == [1, 3, 4]


def test_a_report_made_by_mistake_stands_in_nobodys_way(world):
    incident, _ = wait_for_the_first_machine(world)
    incidents.take_back(incident, actor=None)

    merge(world)

    assert numbers(world.tournament) == [1, 3, 4]


def test_who_has_played_since_is_not_called_again_by_the_number_that_went(world):
    incident, _ = wait_for_the_first_machine(world)
    incidents.repaired(incident, actor=None)
    record(world, entry=1, machine=0)

    merge(world)

    assert incidents.who_waits(world.machines[0]).listed == ()
    take_apart(world)
    assert [line.entry.number for line in incidents.who_waits(world.machines[0]).served] == [2]


def test_the_disqualified_do_not_slip_out_by_another_number(world):
    entries.disqualify(world.entries[0], actor=None, reason="kicked the machine")

    with pytest.raises(Refusal, match="1 Player 1 is disqualified from The Open"):
        merge(world)


def test_nobody_merges_scores_of_their_own(world):
    login = factories.user("organiser")
    Player.objects.filter(number=1).update(account=login)
    record(world, entry=1, machine=1)

    with pytest.raises(Refusal, match="is you"):
        people.merge(player(world, 1), player(world, 2), actor=login, reason="me twice")


def test_somebody_of_another_show_is_another_person(world):
    stranger = factories.entry(factories.tournament(factories.show("elsewhere")), "Stranger").player

    with pytest.raises(Refusal, match="is not a person of UK Pinball Party"):
        people.merge(player(world, 1), stranger, actor=None, reason="looks alike")


@pytest.mark.parametrize(("keep", "gone"), [(1, 1), (3, 2), (2, 3)])
def test_a_record_is_merged_once_and_never_with_itself(world, keep, gone):
    merge(world)

    with pytest.raises(Refusal):
        merge(world, keep, gone)


def test_nobody_is_merged_without_a_reason(world):
    with pytest.raises(Refusal, match="Say why"):
        people.merge(player(world, 1), player(world, 2), actor=None, reason=" ")


def test_the_emptied_entry_takes_no_score_no_ruling_and_no_correction(world):
    taken = record(world, entry=2, machine=2)
    merge(world)

    with pytest.raises(Refusal, match="2 Player 2 is 1 Player 1 now"):
        record(world, entry=1, machine=2)
    with pytest.raises(Refusal, match="2 Player 2 is 1 Player 1 now"):
        scores.correct(taken, actor=None, seen=taken.revision, reason="x", entry=world.entries[1])
    for act in (entries.withdraw, entries.disqualify, entries.reinstate):
        with pytest.raises(Refusal, match="2 Player 2 is 1 Player 1 now"):
            act(world.entries[1], actor=None, reason="x")


def test_taking_back_a_correction_from_before_the_merge_reaches_the_kept_entry(world):
    taken = record(world, entry=1, machine=2, value=700)
    scores.correct(taken, actor=None, seen=taken.revision, reason="wrong player", entry=world.entries[2])
    taken.refresh_from_db()
    merge(world)

    scores.undo(taken, actor=None, seen=taken.revision)

    assert games(world) == [("M3", 700)]


def test_the_history_of_a_moved_score_tells_of_the_merge(world):
    taken = record(world, entry=1, machine=2)
    merge(world)
    taken.refresh_from_db()

    lines = selectors.with_merges(taken, selectors.history(taken))

    assert [line.action for line in lines] == ["record score", "merge people"]


def test_lists_of_rulings_leave_in_the_database_what_the_rulings_changed(world):
    taken = record(world, entry=1, machine=2)
    game_rulings.rule_on_score(taken, actor=None, kind="slam-tilt", reason="tilted", seen=taken.revision)
    game_rulings.warn(world.entries[0], actor=None, reason="shook it")
    merge(world, keep=3, gone=4)
    lines = selectors.history(taken)

    with CaptureQueriesContext(connection) as queries:
        selectors.with_merges(taken, lines)
        selectors.rulings_on(taken)
        selectors.rulings_in_force(world.tournament)
        with pytest.raises(Refusal, match="is in force"):
            merge(world)

    asked = [query["sql"] for query in queries if '"tournaments_ruling"' in query["sql"]]
    assert len(asked) >= 4
    assert not any('"tournaments_ruling"."changes"' in sql for sql in asked)


def test_the_export_and_the_results_know_one_person_only(world):
    record(world, entry=1, machine=1, value=900)
    record(world, entry=2, machine=1, value=800)
    merge(world)

    files = writing.dump(world.tournament)

    assert files["entries.csv"].decode().splitlines()[1:] == [
        "1,Player 1,,,,entered,,",
        "3,Player 3,,,,entered,,",
        "4,Player 4,,,,entered,,",
    ]
    assert "\n2," not in files["scores.csv"].decode()
    stages.close_stage(world.stage, actor=None)
    assert "2 Player 2" not in str(selectors.stage_facts(world.stage).facts)


def test_taken_apart_all_is_exactly_as_it_was(world, kids):
    entries.register(kids, actor=None, name="", player=player(world, 2))
    entries.change_details(world.entries[1], actor=None, name="Player 2", country="Wales")
    record(world, entry=0, machine=0, value=500)
    record(world, entry=1, machine=1, value=900)
    start(world, entry=1, machine=2)
    before = everything(world)
    merge(world)
    assert everything(world) != before

    take_apart(world)

    assert everything(world) == before
    assert last_line(world.show).summary == "2 Player 2 and 1 Player 1 are two persons again."
    assert last_line(kids).action == "take people apart"


def test_the_merge_of_one_tournament_alone_is_not_taken_back(world):
    merge(world)

    with pytest.raises(Refusal, match="taken apart again on the page of 1 Player 1"):
        rulings.undo_ruling(Ruling.objects.get(), actor=None, reason="x")


def test_a_score_under_the_kept_number_since_stands_in_the_way_of_taking_apart(world, kids):
    entries.register(kids, actor=None, name="", player=player(world, 2))
    stage = factories.stage(kids)
    machine, *_ = factories.machines(stage, 1)
    stages.open_stage(stage, actor=None)
    merge(world)
    taken = factories.play(stage, selectors.entry_numbered(kids, 1), machine, 5)

    with pytest.raises(
        Refusal, match="Since the records were merged 1 Player 1 has played Machine 1; void that first"
    ):
        take_apart(world)
    scores.void(taken, actor=None, seen=taken.revision, reason="asked")
    take_apart(world)

    assert numbers(kids) == [2]


def test_a_detail_changed_since_stands_in_the_way_of_taking_apart(world):
    entries.change_details(world.entries[1], actor=None, name="Player 2", country="Wales")
    merge(world)
    entries.change_details(entry(world), actor=None, name="Player 1", country="Scotland")

    with pytest.raises(Refusal, match="The country of 1 Player 1 has been changed since"):
        take_apart(world)


def test_three_records_are_merged_one_after_the_other_and_taken_apart_the_other_way_round(world):
    merge(world, keep=2, gone=3)
    merge(world, keep=1, gone=2)

    assert selectors.find_entry(world.tournament, "3")[0] == world.entries[0]
    with pytest.raises(Refusal, match="take those two apart first"):
        take_apart(world, gone=3)
    take_apart(world, gone=2)
    take_apart(world, gone=3)
    assert numbers(world.tournament) == [1, 2, 3, 4]


def test_the_preview_is_what_then_happens_and_changes_nothing(world):
    record(world, entry=1, machine=1, value=900)
    before, keep, gone = everything(world), player(world, 1), player(world, 2)

    told = looked_at(keep, gone)

    assert everything(world) == before
    lines = [line for section in told.sections for line in section.lines if line.subject == "2 Player 2"]
    assert ("2 Player 2", "own record", "the same person as 1 Player 1") in lines
    assert ("2 Player 2", "entered", "merged with another") in lines
    merge(world, shown=told.digest)
    assert numbers(world.tournament) == [1, 3, 4]


def test_what_changed_since_the_preview_is_shown_first(world):
    keep, gone = player(world, 1), player(world, 2)
    told = looked_at(keep, gone)
    record(world, entry=1, machine=1, value=900)

    with pytest.raises(Stale):
        merge(world, shown=told.digest)

    assert numbers(world.tournament) == [1, 2, 3, 4]


def test_a_date_of_birth_goes_along_and_two_different_ones_stand_in_the_way(world):
    Player.objects.filter(number=2).update(born_on=date(1970, 1, 1))
    merge(world)
    assert player(world, 1).born_on == date(1970, 1, 1)
    take_apart(world)
    assert (player(world, 1).born_on, player(world, 2).born_on) == (None, date(1970, 1, 1))
    Player.objects.filter(number=1).update(born_on=date(1980, 1, 1))

    with pytest.raises(Refusal, match="1 Player 1 and 2 Player 2 have different dates of birth"):
        merge(world)


def test_nobody_is_merged_into_a_tournament_that_is_for_the_younger(world, kids):
    entries.register(kids, actor=None, name="", player=player(world, 2))
    Player.objects.filter(number=1).update(born_on=date(1970, 1, 1))

    with pytest.raises(Refusal, match="Player 1"):
        merge(world)

    assert numbers(kids) == [2]


def test_what_changed_since_the_preview_of_taking_apart_is_shown_first(world):
    merge(world)
    gone, see = player(world, 2), partial(people.picture, player(world, 1))
    told = effects.tried_out(see, lambda: people.take_apart(gone, actor=None, reason="two brothers"))
    entries.change_details(world.entries[0], actor=None, name="Player One")

    with pytest.raises(Stale):
        take_apart(world, shown=told.digest)

    assert numbers(world.tournament) == [1, 3, 4]
