"""The second round and the finals as everybody reads them: games, scores, who goes on, the bracket, the results."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tests import factories
from tests.shelf import kept
from tests.tournaments.public import finals
from tests.tournaments.public.reading import standings, table, text
from tournaments import live
from tournaments.models import Match
from tournaments.services import entries, game_rulings, matches, results, rulings, scores, stages

pytestmark = pytest.mark.django_db

FINALS = ("semi-finals/", "semi-finals/rows/", "play-off/", "play-off/rows/", "final/", "final/rows/")


def everything(visitor, players=8):
    """Every public page of a tournament."""
    paths = ["qualifying/", "qualifying/rows/", *FINALS, "bracket/", "results/", "rules/", "search/", "machines/M1/"]
    pages = [visitor.get(path) for path in [*paths, *(f"players/{number}/" for number in range(1, players + 1))]]
    assert {page.status_code for page in pages} == {200}
    return pages


@kept
def second_round(players=8, **more):
    """So many players on half as many machines in the second round of the long format, drawn and not begun."""
    world = finals.cut(players, format="open", qualifiers=players, **more)
    return world, finals.dealt(world, "second-round", machines=players // 2)


# --- the second round ---


def test_a_published_draw_is_shown_with_machine_and_pair_of_every_game(public):
    world, stage = second_round()

    page = public(world).get("second-round/")

    words = text(page)
    assert "Second round: not begun. 8 players. The draw is published: 4 games, each of 4 matches." in words
    assert page.content.decode().count('class="match ') == 16
    for match in stage.matches.all():
        first, second = match.sides.order_by("rank").select_related("entry__player")
        assert f"{match.machine.name} {match.machine.code} Seed" in words
        assert re.search(rf"{first.entry.name} No\. {first.entry.number} Seed \d {second.entry.name} No\.", words)
    assert f'{visitor_base(world)}second-round/#games">Draw</a>' in page.content.decode()


def visitor_base(world):
    return f"/t/{world.show.slug}/{world.tournament.slug}/"


def test_the_table_of_the_round_counts_its_own_games_and_sends_ties_to_the_better_seed(public):
    world, stage = second_round()
    stages.open_stage(stage, actor=None)
    match = stage.matches.filter(round=1).first()
    finals.play(match, 500, 400)
    best = match.sides.get(rank=1).entry

    page = public(world).get("second-round/rows/")

    words = text(page)
    assert "Second round: open. Game 1 of 4 is open: 1 of 4 matches complete." in words
    assert "A tie goes to the better seed." in words
    assert "New players may still enter" not in words
    assert "Top 8 go on" in words
    assert standings(page)[0][:3] == ("1st", f"{best.name} No. {best.number} · seed {best.number}", 100)
    assert "1/4" in words


def test_the_open_game_and_its_states_are_said(public):
    world, stage = second_round()
    stages.open_stage(stage, actor=None)
    called, playing, *_ = stage.matches.filter(round=1)
    matches.call(called, actor=None)
    finals.play(playing, 321_000, None)

    page = public(world).get("second-round/")

    words = text(page)
    assert "0 of 4 matches complete, 2 under way" in words
    assert "called to the machine" in words
    assert "321,000" in words
    assert "Game 2 not open yet" in words
    assert '<a href="#game-1" class="is-now">' in page.content.decode()


def test_a_choice_of_position_is_shown_until_the_match_is_complete(public):
    world, stage = second_round()
    stages.open_stage(stage, actor=None)
    match = stage.matches.filter(round=1).first()
    visitor = public(world)
    assert "chooses" in text(visitor.get("second-round/rows/"))
    matches.choose(match, actor=None, entry=match.sides.get(rank=1).entry_id, position=2)

    assert "plays 2nd" in text(visitor.get("second-round/rows/"))
    finals.play(match, 5, 6)

    assert "plays 2nd" not in text(visitor.get("second-round/rows/"))


def test_who_stays_away_is_said_and_the_opponent_plays_alone(public):
    world, stage = second_round()
    stages.open_stage(stage, actor=None)
    match = stage.matches.filter(round=1).first()
    away = match.sides.get(rank=2)
    matches.absent(match, actor=None, entry=away.entry_id, reason="ill, privately")
    visitor = public(world)

    assert "does not play" in text(visitor.get("second-round/"))
    alone = text(visitor.player(match.sides.get(rank=1).entry.number))
    assert "Against nobody" in alone
    assert "chooses" not in alone
    for page in (visitor.get("second-round/"), visitor.player(away.entry.number)):
        assert "privately" not in page.content.decode()


def test_the_round_once_closed_says_who_goes_on_and_leads_there(public):
    world, stage = second_round()
    stages.open_stage(stage, actor=None)
    for match in stage.matches.order_by("round", "order"):
        finals.play(match, 900, 100)
    stages.close_stage(stage, actor=None)
    stages.declare_cut(stage, actor=None)
    visitor = public(world)

    page = visitor.get("second-round/")

    assert "The cut is declared: 8 players go on." in text(page)
    assert "To the semi-finals" in text(page)
    assert "All games are in." in text(page)
    assert "Second round: the table" in text(visitor.player(1))
    assert "Ranking on Extra 1, Second round" in text(visitor.machine("X1"))


def test_a_voided_match_score_is_gone_from_every_page_at_once(public):
    world, stage = second_round()
    stages.open_stage(stage, actor=None)
    match = stage.matches.filter(round=1).first()
    score, _ = finals.play(match, 4_321_987, 5)
    visitor, number = public(world), score.entry.number
    paths = ("second-round/", "second-round/rows/", f"players/{number}/", f"machines/{match.machine.code}/")
    for path in paths:
        assert "4,321,987" in text(visitor.get(path))

    scores.void(score, actor=None, reason="entered for another", seen=score.revision)

    for path in paths:
        assert "4,321,987" not in text(visitor.get(path))


# --- semi-finals, play-off, final ---


def test_a_semi_final_shows_the_order_of_choosing_scores_and_the_order_so_far(public):
    world = finals.cut()
    stage = finals.opened(world, "semi-finals", machines=2)
    finals.play(stage.matches.get(order=1), 10, 30, None, None)

    page = public(world).get("semi-finals/")

    assert "The two best of each game go to the final, the others to the play-off for 5th to 8th." in text(page)
    assert "0 of 2 games complete, 1 under way." in text(page)
    assert table(page) == [
        ["1", "Player 1 No. 1 · chooses 1st", "10", "2nd so far"],
        ["3", "Player 3 No. 3 · chooses 2nd", "30", "1st so far"],
        ["5", "Player 5 No. 5 · chooses 3rd", "–", ""],
        ["7", "Player 7 No. 7 · chooses 4th", "–", ""],
    ]


def test_a_decided_semi_final_says_who_goes_where(public):
    world = finals.cut()
    stage = finals.opened(world, "semi-finals", machines=2)
    for match in stage.matches.all():
        finals.play(match, 10, 40, 30, 20)

    lines = table(public(world).get("semi-finals/"))

    assert lines[0] == ["1", "Player 1 No. 1 to the play-off for 5th to 8th", "10", "4th"]
    assert lines[1] == ["3", "Player 3 No. 3 to the final", "40", "1st"]


def test_a_tie_for_second_place_is_said_and_the_play_off_is_published(public):
    world = finals.cut()
    stage = finals.opened(world, "semi-finals", machines=2)
    first, second = stage.matches.order_by("order")
    finals.play(first, 50, 30, 30, 10)
    finals.play(second, 4, 3, 2, 1)
    visitor = public(world)
    level = "3 Player 3 and 5 Player 5 are level for 2nd place: a play-off game of 2 players for 1 place decides."
    assert level in text(visitor.get("semi-finals/"))
    assert level in text(visitor.get("bracket/"))
    assert "to the final" not in " ".join(cell for line in table(visitor.get("semi-finals/")) for cell in line)

    three, five = world.entries[2], world.entries[4]
    rulings.record_play_off(stage, actor=None, scores={three.pk: 111_222, five.pk: 333_444})

    page = visitor.get("semi-finals/")
    assert "are level" not in text(page)
    assert ["5", "Player 5 No. 5 to the final, by play-off", "30", "2nd"] in table(page)
    assert "Play-off game" in text(page)
    assert "1st Player 5 No. 5 333,444 2nd Player 3 No. 3 111,222" in text(page)


def test_the_places_of_the_play_off_begin_where_those_of_the_final_end(public):
    world = finals.cut()
    finals.play_all(world, "semi-finals", (80, 70, 60, 50), (79, 69, 59, 49), machines=2)
    stage = finals.opened(world, "play-off")
    finals.play(stage.matches.get(), 40, 30, 30, 10)

    page = public(world).get("play-off/")

    assert [line[3] for line in table(page)] == ["5th", "6th=", "6th=", "8th"]
    assert "a play-off game of 2 players for 6th to 7th place decides" in text(page)


def test_a_stage_that_nobody_has_reached_says_who_decides_that(public):
    world = finals.cut()

    assert "Final: not begun. Who plays here is decided in the semi-finals." in text(public(world).get("final/"))
    assert "8 players. The machines are not published yet." in text(public(world).get("semi-finals/"))


@pytest.mark.parametrize(("path", "most"), [("second-round/rows/", 13), ("bracket/", 22), ("players/1/", 25)])
def test_a_match_page_takes_the_same_number_of_queries_whatever_its_size(public, monkeypatch, path, most):
    monkeypatch.setattr(live, "REVISION_MEMO", 60.0)
    asked = []
    for players, slug in ((8, "small"), (12, "large")):
        world, _ = second_round(players, of=factories.show(slug))
        live.find(world.show.slug, world.tournament.slug)
        live.find(world.show.slug, world.tournament.slug, "second-round")
        with CaptureQueriesContext(connection) as queries:
            public(world).get(path)
        asked.append(len(queries))

    assert asked[0] == asked[1] <= most


# --- the bracket ---


def test_the_bracket_is_a_column_for_each_step_up_to_the_champion(public):
    world = finals.finished()

    page = public(world).get("bracket/")

    assert re.findall(r"<h2>(?:<a [^>]*>)?([^<]+)", page.content.decode()) == ["Semi-finals", "Finals", "Champion"]
    assert "Champion Player 2 No. 2" in text(page)
    assert "Final · Extra 1 Seed 1 Player 1 2nd · 777,777 Seed 2 Player 2 1st · 1,234,567" in text(page)


def test_the_bracket_says_where_the_next_players_come_from(public):
    world, _ = second_round()

    words = text(public(world).get("bracket/"))

    assert "Semi-finals The top 8 of the second round." in words
    assert "Final The two best of each game of the semi-finals." in words
    assert "Play-off for 5th to 8th The others of each game of the semi-finals." in words


def test_before_the_cut_there_is_no_bracket_and_nothing_leads_to_it(public):
    visitor = public(factories.qualifying())

    assert "The bracket begins once the cut is declared." in text(visitor.get("bracket/"))
    for word in ("Bracket", "Results", "Draw", "Semi-finals"):
        assert f">{word}</a>" not in visitor.stage().content.decode()


def test_stages_bracket_and_results_are_linked_when_they_are_there(public):
    world = finals.cut()
    visitor = public(world)
    head = visitor.stage().content.decode().partition("<main")[0]
    assert ">Semi-finals</a>" in head
    assert ">Bracket</a>" in head
    assert ">Final</a>" not in head
    assert ">Results</a>" not in head

    finals.played(world)

    head = visitor.stage().content.decode().partition("<main")[0]
    assert ">Final</a>" in head
    assert ">Results</a>" in head


# --- the results ---


def test_results_give_everybody_a_place_with_its_last_stage_or_the_reason_for_none(public):
    world = finals.cut(11)
    entries.disqualify(world.entries[10], actor=None, reason="secret reason")
    factories.entry(world.tournament, "Late Larry")
    visitor = public(world)
    assert "The results are not declared yet." in text(visitor.get("results/"))
    finals.played(world)

    page = visitor.get("results/")

    lines = table(page, "results")
    assert lines[:5] == [
        ["1st", "Player 2 No. 2", "Final"],
        ["2nd", "Player 1 No. 1", "Final"],
        ["3rd", "Player 3 No. 3", "Final"],
        ["4th", "Player 4 No. 4", "Final"],
        ["5th", "Player 5 No. 5", "Play-off for 5th to 8th"],
    ]
    assert lines[8:] == [["9th", "Player 9 No. 9", "Qualifying"], ["10th", "Player 10 No. 10", "Qualifying"]]
    assert "Without a place Player 11 No. 11 disqualified Late Larry No. 12 did not play" in text(page)
    assert "secret reason" not in page.content.decode()
    assert "Final place 1st Last stage Final" in text(visitor.player(2))
    assert "Final place no place Reason disqualified" in text(visitor.player(11))


def test_shared_places_are_marked_in_the_results(public):
    world = finals.cut(8)
    names = [factories.entry(world.tournament, name) for name in ("Same A", "Same B")]
    stages.withdraw_cut(world.stage, actor=None, reason="two more")
    stages.reopen_stage(world.stage, actor=None, reason="two more")
    for entry in names:
        factories.play(world.stage, entry, world.machines[0], 5)
    stages.close_stage(world.stage, actor=None)
    stages.declare_cut(world.stage, actor=None)
    finals.played(world)

    lines = table(public(world).get("results/"), "results")

    assert [line[0] for line in lines[8:]] == ["9th=", "9th="]


def test_while_the_results_are_held_back_nothing_of_the_last_stages_is_on_any_page(public):
    world = finals.finished(held_back=True)
    visitor = public(world)

    pages = everything(visitor)

    for page in pages:
        words = text(page)
        for leak in ("777,777", "1,234,567", "666,666", "555,555", "777777", "1234567", "Final place"):
            assert leak not in words
            assert leak not in page.content.decode()
    for path in ("play-off/", "final/", "final/rows/", "bracket/", "results/"):
        assert "The results are kept for the ceremony." in text(visitor.get(path))
    assert table(visitor.get("final/")) == [
        [str(seed), f"Player {seed} No. {seed} one of the best 2 on Extra {machine}"]
        for seed, machine in ((1, 1), (2, 2), (3, 1), (4, 2))
    ]
    assert "Champion The results are kept for the ceremony." in text(visitor.get("bracket/"))
    assert "80" in text(visitor.get("semi-finals/"))


def test_an_unfinished_final_is_held_back_too(public):
    world = finals.cut()
    finals.play_all(world, "semi-finals", (80, 70, 60, 50), (79, 69, 59, 49), machines=2)
    stage = finals.opened(world, "final")
    results.hold_back(world.tournament, actor=None)
    finals.play(stage.matches.get(), 777_777, 777_777, None, None)

    for page in everything(public(world)):
        assert "777,777" not in page.content.decode()
        assert "are level" not in text(page)


def test_a_revealed_result_is_public_at_once_and_a_hidden_one_gone_at_once(public):
    world = finals.finished(held_back=True)
    visitor = public(world)
    assert "1,234,567" not in text(visitor.get("final/"))

    results.reveal(world.tournament, actor=None)
    assert "1,234,567" in text(visitor.get("final/"))
    assert "Champion Player 2 No. 2" in text(visitor.get("results/"))

    results.hold_back(world.tournament, actor=None)
    for page in everything(visitor):
        assert "1,234,567" not in page.content.decode()


def test_results_taken_back_are_gone(public):
    world = finals.finished()
    visitor = public(world)
    assert "1st Player 2" in text(visitor.get("results/"))

    results.take_back(world.tournament, actor=None, reason="a score was wrong")

    assert "The results are not declared yet." in text(visitor.get("results/"))
    assert "Final place" not in text(visitor.player(2))


# --- a player's page ---


def test_a_player_reads_where_to_be_next_and_against_whom(public):
    world, stage = second_round()
    match = stage.matches.filter(round=1).first()
    own, other = (side.entry for side in match.sides.order_by("rank"))
    visitor = public(world)
    where = f"Next: {match.machine.name} {match.machine.code} Second round, game 1."
    assert f"{where} The second round has not begun. Wait for the call." in text(visitor.player(own.number))

    stages.open_stage(stage, actor=None)
    matches.call(match, actor=None)

    words = text(visitor.player(own.number))
    assert f"{where} Called: please go to the machine now." in words
    assert f"Against {other.name} No. {other.number}." in words
    assert f"{own.name} chooses." in words

    finals.play(match, 7_654, 3_210)

    words = text(visitor.player(own.number))
    assert "Second round, game 2. Game 1 is still being played. Wait for the call." in words
    assert "7,654" in words
    assert "3,210" in words


def test_a_finalist_reads_all_stages_the_last_first(public):
    world = finals.finished()

    words = text(public(world).player(2))

    assert "Final place 1st" in words
    assert words.index("Final Seed 2") < words.index("Semi-finals Seed 2") < words.index("Qualifying: the table")
    assert "1,234,567 1st" in words
    assert "Next:" not in words


def test_a_page_made_of_several_stages_is_never_older_than_its_version(public, monkeypatch):
    world = finals.cut()
    stage = finals.opened(world, "semi-finals", machines=2)
    visitor = public(world)
    visitor.get("semi-finals/")
    visitor.player(1)
    finals.play(stage.matches.get(order=1), 123_456, 2, 3, 4)

    assert "123,456" in text(visitor.player(1))
    assert "123,456" in text(visitor.get("bracket/"))


# --- names ---

CHILDREN = tuple(f"{name} Longfamily{name}" for name in ("Ann", "Bo", "Cy", "Di", "Ed", "Flo", "Gil", "Hal", "Ivy"))


def test_a_child_keeps_the_family_name_to_itself_on_every_page_of_the_finals(public):
    world = finals.cut(format="kids", names=CHILDREN)
    matches.replace_seat(
        finals.stage(world, "semi-finals"), actor=None, entry=world.entries[7].pk, by=world.entries[8].pk, reason="ill"
    )
    visitor = public(world)
    semi = finals.opened(world, "semi-finals", machines=2)
    first, second = semi.matches.order_by("order")
    finals.play(first, 50, 30, 30, 10)
    finals.play(second, 4, 3, 2, 1)
    pages = everything(visitor, 9)
    assert "5 Ed L." in text(visitor.get("semi-finals/"))
    assert "for 8 Hal L." in text(visitor.player(9))
    rulings.record_play_off(semi, actor=None, scores={world.entries[2].pk: 2, world.entries[4].pk: 1})
    stages.close_stage(semi, actor=None)
    finals.play_all(world, "play-off", (40, 30, 20, 10))
    finals.play_all(world, "final", (40, 30, 20, 10))
    results.declare(world.tournament, actor=None)
    pages += everything(visitor, 9)

    for page in pages:
        assert "Longfamily" not in page.content.decode()
    assert "Champion Ann L. No. 1" in text(visitor.get("results/"))


def test_what_the_desk_typed_about_a_child_stays_at_the_desk(public):
    world = finals.cut(format="kids", names=CHILDREN)
    semi = finals.opened(world, "semi-finals", machines=2)
    first, second = semi.matches.order_by("order")
    finals.play(first, 50, 30, 30, 10)
    finals.play(second, 4, 3, 2, 1)
    last = second.sides.order_by("rank")[3].entry_id
    typed = "little ann longfamilyann and her father shouted"
    game_rulings.disqualify_from_match(second, actor=None, entry=last, reason=typed)
    rulings.rule_order(semi, actor=None, order=[world.entries[2].pk, world.entries[4].pk], reason=typed)
    entries.disqualify(world.entries[8], actor=None, reason=typed)

    pages = everything(public(world), 9)

    for page in pages:
        assert "shouted" not in page.content.decode()
    told = " ".join(map(text, pages))
    assert "Ruling: disqualified from the match." in told
    assert "Ruling of the organisers" in told
    assert "Ruling: disqualified from the tournament." in told


def test_names_and_machines_are_shown_and_never_run(public):
    nasty = "<script>alert(1)</script> & co"
    world = finals.cut(names=(nasty, *(f"Player {number}" for number in range(2, 9))))
    finals.played(world)
    factories.entry(world.tournament, "Another")

    for page in everything(public(world)):
        assert "<script>alert" not in page.content.decode()
        assert not re.search(r"\sstyle=|\son[a-z]+=", page.content.decode())
    assert nasty in text(public(world).get("results/"))
    assert Match.objects.count() == 4
