"""What players and visitors read without signing in."""

import re
from datetime import UTC, date, datetime, timedelta

import pytest
import time_machine
from django.test import Client

from tests import factories
from tests.tournaments.public.reading import standings, table, text
from tournaments.models import Score
from tournaments.services import entries, machines, places, rehearsal, rulings, scores, shows, stages

pytestmark = pytest.mark.django_db


def small(players=4, stock=2, qualifiers=2, **more):
    rules = {"qualifiers": qualifiers, "games_allowed": stock, "games_counted": stock}
    return factories.qualifying(players=players, stock=stock, rules=rules, **more)


# --- the table and the cut ---


def test_the_cut_is_drawn_and_labelled_between_those_inside_and_the_others(public):
    world = factories.closed(small(), [[40, 40], [30, 30], [20, 20], [10, 10]])

    lines = standings(public(world).stage())

    assert lines == [
        ("1st", "Player 1 No. 1", 200, "Through certain"),
        ("2nd", "Player 2 No. 2", 198, "Through certain"),
        "Top 2 go on",
        ("3rd", "Player 3 No. 3", 196, "Out certain"),
        ("4th", "Player 4 No. 4", 194, "Out certain"),
    ]


def test_a_tie_across_the_cut_is_said_on_the_line_and_nobody_of_it_is_named_through(public):
    world = factories.closed(small(players=5), [[50, 50], [40, 30], [30, 40], [20, 20], [10, 10]])

    page = public(world).stage()

    assert standings(page)[:4] == [
        ("1st", "Player 1 No. 1", 200, "Through certain"),
        "Top 2 go on: 2 players level for 1 place",
        ("2nd=", "Player 2 No. 2", 197, "Level at the cut provisional"),
        ("2nd=", "Player 3 No. 3", 197, "Level at the cut provisional"),
    ]
    assert "2 players are level for 1 place: a play-off or a ruling decides." in text(page)


def test_when_everybody_is_level_the_line_stands_above_them_all(public):
    world = factories.closed(small(players=3), [[10, 10], [10, 10], [10, 10]])

    lines = standings(public(world).stage())

    assert lines[0] == "Top 2 go on: 3 players level for 2 places"
    assert [line[0] for line in lines[1:]] == ["1st=", "1st=", "1st="]


def test_a_play_off_that_parts_a_tie_is_said_and_the_line_drawn_between_them(public):
    world = factories.closed(small(players=5), [[50, 50], [40, 30], [30, 40], [20, 20], [10, 10]])
    second, third = world.entries[1:3]
    rulings.record_play_off(world.stage, actor=None, scores={second.pk: 5, third.pk: 9})

    page = public(world).stage()

    assert standings(page)[:4] == [
        ("1st", "Player 1 No. 1", 200, "Through certain"),
        ("2nd=", "Player 3 No. 3", 197, "Through certain"),
        "Top 2 go on",
        ("2nd=", "Player 2 No. 2", 197, "Out certain"),
    ]
    assert "A tie across the cut has been decided" in text(page)


def test_the_line_says_how_many_places_are_free_while_fewer_are_ranked(public):
    world = small(players=3, qualifiers=3)
    factories.play(world.stage, world.entries[0], world.machines[0], 5)

    assert standings(public(world).stage())[-1] == "Top 3 go on: 2 places still free"


def test_with_exactly_as_many_ranked_as_go_on_the_line_stands_below_them(public):
    world = factories.closed(small(players=2), [[20, 20], [10, 10]])

    page = public(world).stage()

    assert standings(page)[-1] == "Top 2 go on"
    assert "has been decided" not in text(page)


def test_while_games_are_to_come_standings_are_provisional(public):
    world = small(players=3)
    factories.standings(world, [[30, 30], [20, 20], [10, None]])

    lines = standings(public(world).stage())

    assert [line[3] for line in lines if isinstance(line, tuple)] == [
        "Inside provisional",
        "Inside provisional",
        "Still possible provisional",
    ]


def test_the_legend_explains_certain_and_provisional(public):
    words = text(public(small()).stage())

    assert "certain whatever is still played" in words
    assert "provisional as the table stands now" in words


def test_who_has_not_played_is_listed_apart_and_who_played_two_games_is_ranked_on_them(public):
    world = small(players=3, stock=3)
    factories.standings(world, [[30, 30, 30], [20, 20, None]])

    page = public(world).stage()

    assert [line[1] for line in standings(page) if isinstance(line, tuple)] == ["Player 1 No. 1", "Player 2 No. 2"]
    assert "Not ranked Player 3 No. 3 no game yet" in text(page)


def test_withdrawn_and_disqualified_are_said_in_words(public):
    world = small()
    factories.standings(world, [[40, 40], [30, 30], [20, 20], [10, 10]])
    entries.withdraw(world.entries[0], actor=None, reason="left early")
    entries.disqualify(world.entries[1], actor=None, reason="shook the machine")

    page = public(world).stage()

    assert standings(page)[0] == ("1st", "Player 1 No. 1", 200, "Withdrawn")
    assert "Player 2 No. 2 disqualified" in text(page)
    assert "Disqualified" in text(public(world).player(2))


def test_a_declared_cut_shows_the_seats(public):
    world = factories.closed(small(), [[40, 40], [30, 30], [20, 20], [10, 10]])
    stages.declare_cut(world.stage, actor=None)

    page = public(world).stage()

    assert "The cut is declared: 2 players go on." in text(page)
    assert "Who goes on Seeds of the next round Seed Player 1 Player 1 No. 1 2 Player 2 No. 2" in text(page)
    assert "Seed 2 in the next round" in text(public(world).player(2))
    assert "1 Player 1 No. 1 2 Player 2 No. 2" in text(public(world).get("second-round/"))


# --- how far it is ---


def test_games_under_way_and_still_to_come_are_counted(public):
    world = small(players=3)
    factories.play(world.stage, world.entries[0], world.machines[0], 5)
    scores.start(world.stage, actor=None, entry=world.entries[1], machine=world.machines[0])

    words = text(public(world).stage())

    assert "1 game under way, up to 4 still to come." in words
    assert "New players may still enter." in words


def test_free_places_are_counted_while_places_are(public):
    world = small()
    places.offer(world.tournament, actor=None, kind="last-chance", capacity=3)

    assert "3 places still free." in text(public(world).stage())


def test_a_result_that_waits_for_a_decision_is_said(public):
    world = small()
    factories.play(world.stage, world.entries[0], world.machines[0], 5)
    scores.put_aside(world.stage, actor=None, entry=world.entries[0], machine=world.machines[0], value=7)

    assert "1 result waits for a decision and is not in the table." in text(public(world).stage())
    assert "second result, waits for a decision" in text(public(world).player(1))


def test_a_planned_stage_says_when_it_begins(public):
    world = small(opened=False)
    shows.set_times(world.stage, actor=None, opens_at=datetime(2010, 7, 24, 9, tzinfo=UTC), closes_at=None)

    with time_machine.travel(datetime(2010, 7, 24, 8, tzinfo=UTC), tick=False):
        words = text(public(world).stage())

    assert "Qualifying: not begun. Play is due to begin at 10:00." in words
    assert "4 players entered." in words


def test_the_clock_alone_closes_a_stage_and_makes_a_new_version(public):
    closing = datetime(2010, 7, 24, 15, tzinfo=UTC)
    with time_machine.travel(closing - timedelta(minutes=5), tick=False) as clock:
        world = small(closes_at=closing)
        factories.play(world.stage, world.entries[0], world.machines[0], 5)
        visitor = public(world)
        before = visitor.rows()
        version = re.search(r'data-version="([^"]+)"', before.content.decode())[1]
        assert "Qualifying: open. New games start until 16:00." in text(before)
        assert visitor.rows(version).status_code == 204

        clock.move_to(closing)
        after = visitor.rows(version)

    assert after.status_code == 200
    assert "Qualifying: closing. No new game starts." in text(after)
    assert "late slips still count" in text(after)


def test_a_late_slip_is_marked_on_the_players_page(public):
    closing = datetime(2010, 7, 24, 15, tzinfo=UTC)
    with time_machine.travel(closing - timedelta(minutes=5), tick=False) as clock:
        world = small(closes_at=closing)
        clock.move_to(closing + timedelta(minutes=1))
        factories.play(world.stage, world.entries[0], world.machines[0], 5)

        assert "Machine 1 late slip 5 1st of 1 100" in text(public(world).player(1))


def test_every_page_names_the_time_it_is_from_on_the_shows_clocks(public):
    with time_machine.travel(datetime(2010, 7, 24, 13, 3, 21, tzinfo=UTC), tick=False):
        world = small()
        visitor = public(world)
        pages = [visitor.stage(), visitor.rows(), visitor.player(1), visitor.machine("M1"), visitor.search("Player")]
        pages.append(visitor.get("rules/"))

    for page in pages:
        assert "As of 14:03:21, Saturday 24 July 2010" in text(page)


# --- machines and players ---


def test_a_machine_ranks_its_scores(public):
    world = small()
    factories.standings(world, [[40], [30], [30], [10]])

    assert table(public(world).machine("m1"), "machine-ranking") == [
        ["1st", "Player 1 No. 1", "40", "100"],
        ["2nd=", "Player 2 No. 2", "30", "99"],
        ["2nd=", "Player 3 No. 3", "30", "99"],
        ["4th", "Player 4 No. 4", "10", "97"],
    ]


def test_a_machine_says_who_plays_it_and_whether_it_is_closed_or_cancelled(public):
    world = small()
    scores.start(world.stage, actor=None, entry=world.entries[0], machine=world.machines[0])
    used = world.stage.stage_machines.get(machine=world.machines[1])
    machines.set_state(used, actor=None, state="cancelled", reason="on fire")

    assert "Playing now: Player 1, No. 1." in text(public(world).machine("M1"))
    assert "Cancelled: its scores are out of the ranking" in text(public(world).machine("M2"))


def test_a_player_reads_games_places_points_and_why(public):
    world = small()
    factories.standings(world, [[4_000_000, 40], [3_000_000, 50], [20, 20], [10, 10]])

    page = public(world).player(1)

    assert table(page) == [["Machine 1", "4,000,000", "1st of 4", "100"], ["Machine 2", "40", "2nd of 4", "99"]]
    assert "100 + 99 = 199 points." in text(page)
    assert "Level on points with 2 Player 2; the place is shared." in text(page)


def test_a_player_reads_what_is_needed_where(public):
    world = small(players=4, stock=2)
    factories.standings(world, [[400, 400], [300, 300], [200, 200], [100]])

    words = text(public(world).player(4))

    assert "What is needed where" in words
    assert "Machine 1 " not in words.split("What is needed where")[1].split("Why this place")[0]
    assert "What each place on Machine 2 takes" in words
    assert "1st 100 points 400" in words
    assert "Outside the top 2 as the table stands now" in words


def test_who_can_play_no_more_is_offered_nothing(public):
    world = factories.closed(small(), [[40, 40], [30, 30], [20, 20], [10, 10]])

    assert "What is needed where" not in text(public(world).player(4))
    assert "Qualifying ends outside the top 2." in text(public(world).player(4))


def test_games_that_do_not_count_and_repeats_are_said(public):
    world = factories.qualifying(
        players=1, stock=2, format="classic", rules={"games_allowed": 4, "games_counted": 1, "qualifiers": 2}
    )
    first, second = world.machines
    for machine, value in ((first, 10), (first, 30), (second, 5)):
        factories.play(world.stage, world.entries[0], machine, value)

    words = text(public(world).player(1))

    assert "Machine 1 best of 2 games 30 1st of 1 100" in words
    assert "Machine 2 not counted 5 1st of 1 100" in words


def test_a_voided_score_leaves_the_table_the_machine_and_the_player_at_once(public):
    world = small()
    factories.standings(world, [[987_654, 40], [30, 30], [20, 20]])
    visitor = public(world)
    assert "987,654" in text(visitor.stage())
    assert "987,654" in text(visitor.machine("M1"))
    assert "987,654" in text(visitor.player(1))
    score = Score.objects.get(value=987_654)

    scores.void(score, actor=None, seen=score.revision, reason="wrong machine")

    for page in (visitor.stage(), visitor.rows(), visitor.machine("M1"), visitor.player(1)):
        assert "987,654" not in text(page)
    assert standings(visitor.stage())[0] == ("1st", "Player 2 No. 2", 199, "Inside provisional")


def test_every_number_of_one_revision_is_the_same_on_every_page(public):
    world = small(players=5, stock=3)
    factories.standings(world, [[50, 10, 30], [40, 50, 20], [30, 40, None], [20, 30, 50], [10]])
    visitor = public(world)

    for place, who, points, status in [line for line in standings(visitor.stage()) if isinstance(line, tuple)]:
        number = who.rpartition(" ")[2]
        words = text(visitor.player(number))
        assert f"Place {place} Points {points} " in words
        assert status in words
        for machine, score, place_of, earned in table(visitor.player(number)):
            ranked = table(visitor.machine(f"M{machine.split()[1]}"), "machine-ranking")
            assert [place_of.split()[0], who, score, earned] in ranked


# --- searching ---


def test_a_number_leads_to_exactly_that_player(public):
    world = small(players=0)
    for number in (7, 17, 27, 70):
        factories.entry(world.tournament, f"Somebody {number}", number=number)

    found = public(world).search(" 7 ")

    assert found.status_code == 302
    assert found["Location"].endswith("/players/7/")


def test_an_unknown_number_finds_nobody_and_keeps_what_was_typed(public):
    page = public(small()).search("77")

    assert page.status_code == 200
    assert "Nobody in The Open is found by “77”." in text(page)
    assert 'value="77"' in page.content.decode()


def test_a_part_of_a_name_lists_all_it_fits_without_accents(public):
    world = small(players=0)
    for name in ("Zoë Park", "Zoe Quirk", "Ann Zoellick", "Bo Sample"):
        factories.entry(world.tournament, name)

    words = text(public(world).search("zoe"))

    assert "3 players are found by “zoe”." in words
    assert "Bo Sample" not in words


def test_a_whole_name_leads_to_its_player_although_it_begins_another(public):
    world = small(players=0)
    factories.entry(world.tournament, "Ann Smithson")
    factories.entry(world.tournament, "Ann Smith")

    assert public(world).search("ann  SMITH")["Location"].endswith("/players/2/")


def test_nothing_typed_lists_everybody(public):
    words = text(public(small(players=3)).search(""))

    assert "1 Player 1 not ranked 2 Player 2 not ranked 3 Player 3 not ranked" in words


# --- rules, home, faults ---


def test_the_rules_in_force_are_printed_with_meaning_and_source(public):
    words = text(public(small(qualifiers=7, players=0)).get("rules/"))

    assert "Go on from qualifying 7 (usually 24) How many players the cut lets through: an even number," in words
    assert "Points on a machine 100, 99, 98 … and so on, down to 0" in words
    assert "Equal scores on a machine All tied scores get the points of the better place." in words
    assert "a play-off or a ruling decides" in words


def test_home_lists_the_shows_their_tournaments_and_how_far_they_are():
    with time_machine.travel(datetime(2010, 7, 24, 9, tzinfo=UTC), tick=False):
        small(closes_at=datetime(2010, 7, 24, 15, tzinfo=UTC))

        words = text(Client().get("/"))

    assert "UK Pinball Party 24 July 2010 The Open Qualifying: open until 16:00" in words


def test_home_says_when_there_is_nothing_yet():
    assert "No show has been set up yet." in text(Client().get("/"))


def test_home_asks_the_same_number_of_questions_for_one_tournament_and_for_four(django_assert_max_num_queries):
    show = factories.show()
    for slug in ("one", "two", "three", "four"):
        factories.tournament(show, slug=slug)

    with django_assert_max_num_queries(3):
        Client().get("/")


def test_a_rehearsal_is_marked_on_every_page(public):
    show = factories.show("rehearsal", rehearsal=True)
    visitor = public(small(of=show))

    for path in ("qualifying/", "second-round/", "players/1/", "machines/M1/", "rules/", "search/"):
        assert "Rehearsal. Nothing here is a real result." in text(visitor.get(path)), path
    assert "Rehearsal" in text(Client().get("/"))


def test_a_show_that_is_real_is_not_marked(public):
    assert "Rehearsal" not in text(public(small()).stage())


@pytest.mark.parametrize(
    "path", ["final-of-all/", "players/99/", "machines/NONE/", "final-of-all/rows/", "players/99999999999999999999/"]
)
def test_what_does_not_exist_is_a_404_page(public, path):
    page = public(small()).get(path)

    assert page.status_code == 404
    assert "There is no such page" in text(page)


@pytest.mark.parametrize("path", ["/t/nowhere/open/", "/t/nowhere/open/qualifying/", "/t/nowhere/open/rules/"])
def test_a_tournament_that_does_not_exist_is_a_404_page(path):
    assert Client().get(path).status_code == 404


def test_the_tournament_leads_to_its_first_stage(public):
    assert public(small()).get("")["Location"] == "/t/party/open/qualifying/"


# --- names ---


def test_a_name_is_shown_and_never_run(public):
    world = small(players=0)
    name = '<script>alert(1)</script> & "Co"'
    entry = factories.entry(world.tournament, name)
    factories.play(world.stage, entry, world.machines[0], 5)
    visitor = public(world)

    for page in (visitor.stage(), visitor.player(1), visitor.machine("M1"), visitor.search("")):
        assert "<script>alert" not in page.content.decode()
        assert name in text(page)
    assert 'value="&lt;b&gt;"' in visitor.search("<b>").content.decode()


def test_a_child_is_a_first_name_and_an_initial_everywhere(public):
    world = factories.qualifying(players=0, stock=1, format="kids", rules={"games_allowed": 1, "games_counted": 1})
    for name in ("Ann Mary Ashworth", "Bo Brightwell", "Cleo Carruthers"):
        entry = factories.entry(
            world.tournament,
            name,
            email="adult@example.org",
            contact="Mrs Ashworth, 07700 900123",
            born_on=date(2001, 2, 3),
        )
        factories.play(world.stage, entry, world.machines[0], 5)
    stages.close_stage(world.stage, actor=None)
    stages.declare_cut(world.stage, actor=None)
    visitor = public(world)

    pages = [visitor.get(path) for path in ("qualifying/", "qualifying/rows/", "semi-finals/", "players/1/")]
    pages += [visitor.machine("M1"), visitor.search(""), visitor.search("o")]
    for page in pages:
        assert page.status_code == 200
        for hidden in ("Ashworth", "Mary", "Brightwell", "Carruthers", "adult@example.org", "07700", "2001"):
            assert hidden not in page.content.decode()
    assert "Ann A." in text(pages[0])
    assert "Nobody in The Kids is found by “Ashworth”" in text(visitor.search("Ashworth"))


def test_mail_addresses_and_contacts_are_on_no_page(public):
    world = small(players=0)
    factories.entry(world.tournament, "Ann Example", email="ann@example.org", contact="Bo, 07700 900123")
    visitor = public(world)

    for page in (visitor.stage(), visitor.player(1), visitor.search("")):
        assert "example.org" not in page.content.decode()
        assert "07700" not in page.content.decode()


# --- the same for everybody ---


def test_public_pages_look_at_no_session_and_set_no_cookie(public, django_assert_max_num_queries):
    world = small()
    visitor = public(world)
    visitor.client.force_login(factories.user("desk"))
    cookies = dict(visitor.client.cookies)
    for path in ("qualifying/", "qualifying/rows/", "players/1/", "machines/M1/", "rules/", "search/"):
        visitor.get(path)
        with django_assert_max_num_queries(1):
            page = visitor.get(path)
        assert not page.cookies
        assert "Cookie" not in page.get("Vary", "")
        assert page.content == Client().get(visitor.base + path).content
    assert dict(visitor.client.cookies) == cookies


def test_a_page_holds_no_inline_script_or_style(public):
    visitor = public(small())
    for path in ("qualifying/", "players/1/", "machines/M1/", "rules/", "search/"):
        page = visitor.get(path).content.decode()
        assert " style=" not in page
        assert not re.search(r"<script(?![^>]*\bsrc=)", page)
        assert not re.search(r"\son[a-z]+=", page)


def test_a_polled_fragment_holds_no_input(public):
    page = public(small()).rows().content.decode()

    assert not re.search(r"<(input|form|button|select|textarea)\b", page)


def test_the_page_holds_the_same_fragment_as_the_poll_answers(public):
    visitor = public(small())

    page, fragment = visitor.stage().content.decode(), visitor.rows().content.decode()

    assert fragment.strip() in page
    assert page.count('id="rows"') == 1


def test_a_replaced_rehearsal_is_the_new_one_at_once(public):
    world = small(of=factories.show("rehearsal", rehearsal=True))
    visitor = public(world)
    old = re.search(r'data-version="([^"]+)"', visitor.rows().content.decode())[1]
    rehearsal.remove()
    assert visitor.stage().status_code == 404

    small(of=factories.show("rehearsal", rehearsal=True), players=1)

    page = visitor.rows(old)
    assert page.status_code == 200
    assert "Player 2" not in text(page)


@pytest.mark.real_fields
def test_once_the_cut_is_declared_no_place_is_said_to_be_free(public):
    world = factories.closed(factories.qualifying(format="open", players=1, stock=2), [[100]])
    stages.leave_out(world.stage, actor=None, reason="few came")
    stages.declare_cut(world.stage, actor=None)

    page = public(world).stage()

    assert standings(page)[-1] == "1 goes on"
    assert "The cut is declared: 1 player goes on." in text(page)
    assert "still free" not in text(page)
