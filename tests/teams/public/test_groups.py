"""The groups as everybody reads them: tables, matches, bonus scores, a team's own page."""

import re
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from teams.services import groups, teams
from tests import factories
from tests.teams.evening import Evening
from tests.tournaments.public.reading import table, text
from tournaments import live
from tournaments.models import Entry, Match, Ruling, Score
from tournaments.services import entries, game_rulings, matches, rulings, stages

pytestmark = pytest.mark.django_db


def group(page):
    """The lines of the first group: place, team, won and lost, match points, bonus score, bonus points, total."""
    return table(page, "group-table")


# --- before the first match ---


def test_before_the_groups_are_drawn_up_the_teams_are_listed_and_have_pages(public):
    visitor = public(Evening(4))

    words = text(visitor.get())

    assert "The groups are not drawn up yet." in words
    assert "Entered Ants No. 1 Bees No. 2" in words
    assert "Ants One captain Ants Two Ants Three Ants Four" in text(visitor.get("players/1/"))
    assert "The bracket begins once the groups are drawn up." in text(visitor.get("bracket/"))


def test_a_published_order_of_play_is_counted_in_matches_and_bonus_games(public):
    evening = Evening(4)
    groups.draw_up(evening.groups, actor=None)
    assert "Groups: not begun. 4 teams. The order of play is not published yet." in text(public(evening).get())
    matches.deal(evening.groups, actor=None, machines=evening.hall(4), seed=1)

    assert "4 teams. The order of play is published: 6 matches and 4 bonus games." in text(public(evening).get())


def test_a_late_team_without_a_seat_has_a_page_all_the_same(public, four):
    entry = Entry.objects.create(tournament=four.tournament, title="Latecomers", number=99, entered_at=timezone.now())

    assert public(four).get(f"players/{entry.number}/").status_code == 200
    assert "Latecomers" in text(public(four).get("search/"))


# --- tables ---


def test_a_group_shows_points_of_matches_and_bonus_games_and_who_leads(public, four):
    four.play({1: 20, 2: 10})
    four.play({1: 1_234_567})
    four.play({2: 2_000_000})

    page = public(four).get()

    assert group(page)[0] == ["1st", "1 Ants won–lost 1–0 bonus 1,234,567", "1–0", "5", "1,234,567", "5", "10"]
    assert group(page)[1] == ["2nd", "2 Bees won–lost 0–1 bonus 2,000,000", "0–1", "0", "2,000,000", "9", "9"]
    assert group(page)[2][:4] == ["3rd=", "3 Cats won–lost 0–0 bonus to come", "0–0", "0"]
    words = text(page)
    assert "1 Ants leads with 10 points, 7 games still out." in words
    assert "3 of 10 games complete." in words
    assert "Beat 2 Bees, 20 to 10 on" in words


def test_a_decided_group_says_who_has_won_it_and_goes_to_the_final(public, evening):
    evening.play_all()

    page = public(evening).get()

    assert group(page)[0][1] == "1 Ants won–lost 1–0 bonus 999,000 To the final"
    assert "1 Ants wins the group with 14 points." in text(page)
    assert "All games are in." not in text(page)
    assert "8 of 8 games complete" not in text(page)
    assert "12 of 12 games complete." in text(page)


def test_teams_level_for_the_group_are_said_and_a_play_off_is_published(public, four):
    four.play_all(but=[(1,), (2,), (1, 2)])
    four.play({1: 1_000_000})
    four.play({2: 1_000_000})
    late = four.match(1, 2)
    for number in (1, 2):
        matches.absent(late, actor=None, entry=four.entry(number).pk, reason="neither came")
    level = "1 Ants and 2 Bees are level for the group: a play-off game of 2 teams for 1 place decides."
    assert level in text(public(four).get())

    scores = {four.entry(1).pk: 111_222, four.entry(2).pk: 333_444}
    rulings.record_play_off(four.groups, actor=None, scores=scores)

    words = text(public(four).get())
    assert "are level" not in words
    assert "2 Bees wins the group with 19 points by play-off." in words


def test_lower_places_are_shared(public, four):
    for number in (3, 4):
        four.play({number: 500})
    four.play({3: 10, 1: 20})
    four.play({4: 10, 2: 20})

    assert [line[0] for line in group(public(four).get())] == ["1st=", "1st=", "3rd=", "3rd="]


def test_bonus_scores_of_all_groups_are_one_list(public, evening):
    evening.play({1: 500})
    evening.play({2: 900})
    evening.play({3: 500})

    lines = table(public(evening).get(), "bonus-list")

    assert [(line[0], line[1].split()[0], line[2]) for line in lines] == [
        ("1st", "Bees", "900"),
        ("2nd=", "Ants", "500"),
        ("2nd=", "Cats", "500"),
    ]
    assert "group B · played on M02" in lines[0][1]


def test_who_has_withdrawn_or_is_disqualified_has_no_place_and_says_so(public, four):
    four.play({3: 10, 4: 20})
    entries.withdraw(four.entry(3), actor=None, reason="left early")
    entries.disqualify(four.entry(4), actor=None, reason="secret reason")

    page = public(four).get()

    assert [line[0] for line in group(page)] == ["1st=", "1st=", "–", "–"]
    assert "3 Cats won–lost 1–0 bonus to come Withdrawn" in text(page)
    assert "4 Dogs is disqualified: 5-0." in text(page)
    assert "secret reason" not in page.content.decode()
    assert "Dogs is disqualified: every match counts for the opponent" in text(public(four).get("players/4/"))


# --- matches ---


def test_a_match_says_when_it_was_called_that_it_is_played_and_who_has_won(public, four):
    match = four.match(1, 2)
    with time_machine.travel(timezone.now(), tick=False) as clock:
        matches.call(match, actor=None)
        called = timezone.now().astimezone(four.show.zone)
        late = called + timedelta(minutes=5)
        assert f"called at {called:%H:%M}" in text(public(four).get())
        assert f"Called at {called:%H:%M}: please go to the machine now, by {late:%H:%M} at the latest." in text(
            public(four).get("players/1/")
        )
        clock.shift(60)
        matches.play(match, actor=None)
    assert "1 under way" in text(public(four).get())
    assert "Now at the machines" in text(public(four).get())
    four.play({1: 10, 2: 1_000})

    words = text(public(four).get())

    assert re.search(r"complete 1 Ants lost 10 2 Bees won 1,000", words)
    assert "Now at the machines" not in words


def test_a_call_taken_back_leaves_no_call_and_no_clock_on_the_phones(public, four):
    match = four.match(1, 2)
    before = text(public(four).get()), text(public(four).get("players/1/"))
    matches.call(match, actor=None)
    assert "called at" in text(public(four).get())

    matches.take_call_back(match, actor=None)

    now = text(public(four).get()), text(public(four).get("players/1/"))
    assert [re.sub(r"\d\d:\d\d(:\d\d)?", "", words) for words in now] == [
        re.sub(r"\d\d:\d\d(:\d\d)?", "", words) for words in before
    ]


def test_who_does_not_play_is_named_with_the_points(public, four):
    match = four.match(1, 2)
    matches.absent(match, actor=None, entry=four.entry(2).pk, reason="ill, privately")
    visitor = public(four)

    assert "2 Bees did not play: 5-0." in text(visitor.get())
    assert "2 Bees did not play: 5-0" in text(visitor.get("players/1/"))
    assert "2 Bees did not play: 0-5" in text(visitor.get("players/2/"))

    matches.absent(match, actor=None, entry=four.entry(1).pk, reason="ill, privately")
    assert "1 Ants and 2 Bees did not play: 0-0." in text(visitor.get())
    for page in (visitor.get("players/2/"), visitor.get("players/1/")):
        assert "1 Ants and 2 Bees did not play: 0-0" in text(page)
        assert "privately" not in page.content.decode()


def test_who_is_out_of_a_match_by_a_ruling_is_not_said_to_have_stayed_away(public, four):
    match = four.match(1, 2)
    matches.call(match, actor=None)
    matches.play(match, actor=None)
    game_rulings.disqualify_from_match(match, actor=None, entry=four.entry(2).pk, reason="Shook the machine.")

    words = text(public(four).get())

    assert "2 Bees is out of this match: 5-0." in words
    assert "did not come" not in words
    assert "Shook the machine." in words


def test_a_level_match_counts_for_nobody_until_it_is_played_again(public, four):
    match = four.play({1: 500, 2: 500})
    visitor = public(four)

    words = text(visitor.get())
    assert "level: to be played again" in words
    assert "0 of 10 games complete, 1 level, to be played again." in words
    assert [line[3] for line in group(visitor.get())] == ["0", "0", "0", "0"]
    assert "level: to be played again" in text(visitor.get("players/1/"))

    game_rulings.play_again(match, actor=None, reason="Level.")

    assert "level: to be played again" not in text(visitor.get())
    four.play({1: 600, 2: 500})
    assert "1 of 10 games complete." in text(visitor.get())


def test_a_bonus_game_set_to_zero_says_so_beside_its_team(public, four):
    four.play({1: 9_876_543})
    score = Score.objects.get(value=9_876_543)
    game_rulings.rule_on_score(score, actor=None, kind=Ruling.Kind.ZERO, seen=score.revision, reason="Slam tilt.")

    line = group(public(four).get())[0]

    assert "Ruling: score set to zero" in line[1]
    assert line[4] == "0"


def test_a_voided_score_leaves_every_page_at_once(public, four):
    four.play({1: 7_654_321, 2: 5})
    visitor, paths = public(four), ("groups/", "groups/rows/", "players/1/", "players/2/")
    for path in paths:
        assert "7,654,321" in text(visitor.get(path))
    score = Score.objects.get(value=7_654_321)

    game_rulings.play_again(score.match, actor=None, reason="A ball was stuck.")

    for path in paths:
        assert "7,654,321" not in text(visitor.get(path))


# --- a team's page ---


def test_a_team_reads_its_place_its_games_and_why(public, four):
    four.play({1: 20, 2: 10})
    four.play({1: 3_000})

    page = public(four).get("players/1/")

    words = text(page)
    assert "Group A · Seed 1, 990.00 WPPR points" in words
    assert "Place in group A 1st Points 14 Won–lost 1–0 Bonus score 3,000 1st of 1" in words
    own = {line[0].split()[0]: line[1:] for line in table(page, "group-games")}
    assert own == {"Bees": ["20 to 10", "5"], "Bonus": ["3,000", "9"], "Cats": ["–", "–"], "Dogs": ["–", "–"]}
    assert "Beat 2 Bees, 20 to 10 on" in words.split("Why this place")[1]
    assert "Next: " in words


def test_a_team_called_to_a_match_reads_that_before_what_comes_earlier_in_the_order(public, four):
    own = Match.objects.filter(stage=four.groups, sides__entry=four.entry(1)).order_by("-round", "-order").first()
    matches.call(own, actor=None)

    assert f"Next: {own.machine.name}" in text(public(four).get("players/1/"))


def test_a_bonus_game_that_is_next_has_no_opponent(public, four):
    four.play_all(but=[(1,)])

    words = text(public(four).get("players/1/"))

    assert "Bonus game, without an opponent." in words
    assert "Against nobody" not in words


# --- the way to the final ---


def test_the_bracket_leads_from_the_groups_to_the_final(public, evening):
    visitor = public(evening)
    before = text(visitor.get("bracket/"))
    assert "Group A Seed 1 Ants" in before
    assert "Final The winner of each group." in before
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)

    page = visitor.get("bracket/")

    assert re.findall(r"<h2>(?:<a [^>]*>)?([^<]+)", page.content.decode()) == ["Groups", "Final", "Champion"]
    assert "Seed 1 Ants 1st · 14 points goes on" in text(page)
    assert "Groups: closed" in text(visitor.get())
    assert "All games are in." in text(visitor.get())


# --- as pages ---


@pytest.mark.parametrize(("path", "most"), [("groups/rows/", 25), ("players/1/", 25), ("bracket/", 25)])
def test_a_page_takes_the_same_number_of_queries_whatever_the_size(public, monkeypatch, path, most):
    monkeypatch.setattr(live, "REVISION_MEMO", 60.0)
    asked = []
    for many, slug in ((4, "small"), (12, "large")):
        evening = Evening(many, show=factories.show(slug))
        evening.begin()
        live.find(slug, "team")
        live.find(slug, "team", "groups")
        with CaptureQueriesContext(connection) as queries:
            assert public(evening).get(path).status_code == 200
        asked.append(len(queries))

    assert asked[0] == asked[1] <= most


def test_who_has_a_version_already_is_told_nothing_new(public, four):
    visitor = public(four)
    version = re.search(r'data-version="([^"]+)"', visitor.get("groups/rows/").content.decode())[1]

    assert visitor.get("groups/rows/", rev=version).status_code == 204
    four.play({1: 5})
    assert visitor.get("groups/rows/", rev=version).status_code == 200


def test_the_page_is_whole_without_script_and_carries_no_style_of_its_own(public, four):
    page = public(four).get().content.decode()

    assert "<style" not in page
    assert not re.search(r"<script(?![^>]*\bsrc=)", page)
    assert " style=" not in page
    assert page.count('<table class="group-table">') == 1


def test_a_name_is_shown_and_never_run(public):
    evening = Evening(4)
    name = '<script>alert(1)</script> & "Co"'
    teams.change_details(evening.teams[1], actor=None, name=name, wppr=evening.teams[1].wppr)
    evening.begin(machines=4)
    evening.play({1: 5, 2: 4})
    visitor = public(evening)

    for path in ("groups/", "players/1/", "players/2/", "bracket/", "search/"):
        page = visitor.get(path)
        assert "<script>alert" not in page.content.decode()
        assert name in text(page)


def test_the_rules_say_how_groups_are_decided(public, four):
    words = text(public(four).get("rules/"))

    assert "the winner of a match gets 5 points, the loser none" in words
    assert "has not come 5 minutes after the call loses the match 5-0" in words
