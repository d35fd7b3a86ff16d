"""What the pages of teams say, and that the groups are worked out once for all of it."""

from datetime import timedelta

import pytest
from django.test import Client
from django.utils import timezone

from teams.domain import groups as rules_of_groups
from tests import factories
from tests.teams.evening import Evening
from tests.teams.services.test_a_finalist_leaves import publish, to_the_final
from tests.tournaments.desk.reading import text
from tournaments import selectors
from tournaments.domain.refusals import Refusal
from tournaments.services import exchange, game_rulings, matches, progress, stages
from tournaments.services.exchange.faults import Faults

pytestmark = pytest.mark.django_db


@pytest.fixture
def evening():
    evening = Evening(4)
    evening.begin(machines=8)
    return evening


def public(path=""):
    return text(Client().get(f"/t/party/team/{path}"))


def test_whoever_is_asked_for_and_plays_elsewhere_is_called_a_team(evening):
    for act in (
        lambda match, entry: matches.absent(match, actor=None, entry=entry, reason="x"),
        lambda match, entry: game_rulings.disqualify_from_match(match, actor=None, entry=entry, reason="x"),
    ):
        with pytest.raises(Refusal, match="That team is not in"):
            act(evening.match(1, 2), evening.entry(3).pk)


def test_who_stays_away_for_another_reason_than_being_late_is_not_said_to_have_not_come(evening):
    matches.absent(evening.match(1, 2), actor=None, entry=evening.entry(2).pk, reason="hurt")
    assert "2 Bees did not play: 5-0" in public("players/1/")
    assert "did not come" not in public("groups/")


def test_who_is_late_after_the_call_did_not_come(evening):
    match = evening.match(1, 2)
    matches.call(match, actor=None, at=timezone.now() - timedelta(minutes=6))
    matches.forfeit(match, actor=None, entry=evening.entry(2).pk)
    assert "2 Bees did not come: 5-0" in public("players/1/")


def test_a_bad_number_in_a_folder_is_told_once_and_not_as_standing_there_already(evening):
    files = exchange.dump(evening.tournament)
    heading, first, second, *rest = files["teams.csv"].decode().splitlines()
    bad = ["x" + line[line.index(",") :] for line in (first, second)]
    files["teams.csv"] = "\n".join([heading, *bad, *rest, ""]).encode()
    with pytest.raises(Faults) as found:
        exchange.import_files(files, actor=None)
    assert "stands in the table already" not in str(found.value)


def test_what_an_import_added_is_counted_in_words_for_one(evening):
    files = exchange.dump(evening.tournament)
    files["tournament.toml"] = files["tournament.toml"].replace(b'show_slug = "party"', b'show_slug = "copy"')
    told = str(exchange.import_files(files, actor=None))
    assert "1 show, 1 tournament," in told
    assert "4 entries" in told


def test_before_any_bonus_game_nobody_is_level_on_the_bonus_score(evening):
    evening.play({1: 10, 2: 5})
    evening.play({3: 10, 4: 5})
    (table,) = rules_of_groups.standings(
        selectors.stage_facts(evening.groups).facts, evening.tournament.rules_in_force
    )
    words = [step for line in table.lines for step in line.why]
    assert not [step for step in words if "on the bonus score" in step]
    assert "Without a bonus score 3 Cats and this team share the place." in words


def test_a_line_of_the_board_that_waits_says_who_plays_where_first_and_not_that_they_are_called(evening):
    client = Client()
    client.force_login(factories.user("desk"))
    board = text(client.get("/desk/party/team/groups/board/"))
    assert "is called to" not in board
    assert " first." in board


def test_a_final_that_ended_level_leads_to_the_page_that_settles_it():
    evening = to_the_final()
    publish(evening)
    stages.open_stage(evening.final, actor=None)
    evening.play({1: 40, 2: 40, 3: 30, 4: 20})
    client = Client()
    client.force_login(factories.user("desk"))
    page = client.get(f"/desk/party/team/final/matches/{evening.match(1, 2, 3, 4).pk}/")
    assert "A tie in it is open: settle it on the page Ties" in text(page)


def test_the_groups_are_worked_out_once_for_their_table_their_outcomes_and_their_winners(evening, monkeypatch):
    asked = []
    made = rules_of_groups.standings
    monkeypatch.setattr(rules_of_groups, "standings", lambda *given: asked.append(1) or made(*given))
    progress.outcomes(evening.groups)
    assert len(asked) == 1


@pytest.mark.parametrize("many", [4, 5, 12, 16, 17, 32])
def test_the_letter_of_each_seed_is_that_of_the_group_it_is_in(many):
    letters = rules_of_groups.letters(many)
    assert len(letters) == many
    assert {(letter, seed) for letter, group in rules_of_groups.lettered(many) for seed in group} == {
        (letter, seed) for seed, letter in enumerate(letters, start=1)
    }
