"""The journal's page: what was done, by whom, why and what it was before; and how a line is found again."""

import ast
import importlib
import inspect
import pkgutil
from datetime import UTC, datetime

import pytest
import time_machine
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from tests import factories
from tests.tournaments.desk.reading import text
from tournaments import services
from tournaments.models import Journal, Player
from tournaments.services import entries, game_rulings, machines, people, rulings, scores, shows, stages
from tournaments.views.journal import KINDS

pytestmark = pytest.mark.django_db


@pytest.fixture
def journal(desk):
    """The journal's page of the show, with a filter."""

    def opened(**wanted):
        return desk.client.get(reverse("desk:journal", args=[desk.world.show.slug]), wanted)

    return opened


def told(answer):
    """The summaries on the page, newest first."""
    return [item.line.summary for item in answer.context["lines"]]


def corrected(world, actor=None):
    taken = factories.play(world.stage, world.entries[0], world.machines[0], 1_000)
    scores.correct(taken, actor=actor, seen=taken.revision, reason="misread", value=2_000, sure=2_000)
    return taken


def test_a_line_says_when_who_what_why_and_what_it_was_before(world, journal):
    corrected(world, factories.user("desk", "rita"))

    words = text(journal(kind="scores"))

    line = Journal.objects.get(action="correct score")
    assert f"{line.at.astimezone(world.show.zone):%H:%M:%S} rita" in words
    assert "1 Player 1 on Machine 1 (M1), 1,000, corrected to 1 Player 1 on Machine 1 (M1), 2,000." in words
    assert "Reason: misread" in words
    assert "score: 1,000 → 2,000" in words
    assert words.endswith("The Open Public pages")


def test_what_the_tournaments_share_is_in_it_as_well(world, journal):
    machines.change_details(world.machines[0], actor=None, name="Fathom", manufacturer="Bally")

    answer = journal(machine="M1")

    assert told(answer) == ["Fathom (M1): details corrected."] * 2 + [
        "Machine 1 (M1) is used in qualifying.",
        "Machine 1 (M1) is a machine of the show.",
    ]
    assert [item.where for item in answer.context["lines"]][:2] == ["UK Pinball Party", "The Open"]
    assert "name: Machine 1 → Fathom" in text(answer)
    assert "manufacturer: nothing → Bally" in text(answer)


def test_each_line_leads_to_what_it_is_about(world, desk, journal):
    taken = corrected(world)

    page = journal(kind="scores").content.decode()

    assert f'href="{desk.url("score", taken.pk)}"' in page
    assert f'href="{desk.url("entry", 1)}"' in page
    assert f'href="{reverse("desk:machine", args=["party", "M1"])}"' in page


def test_a_ruling_that_can_be_taken_back_leads_there(world, desk, journal):
    taken = factories.play(world.stage, world.entries[0], world.machines[0], 1_000)
    ruling = game_rulings.rule_on_score(taken, actor=None, kind="zero", reason="seen", seen=taken.revision)

    assert "The ruling, to be taken back" in text(journal(kind="rulings"))
    rulings.undo_ruling(ruling, actor=None, reason="wrong player")

    words = text(journal(kind="rulings"))
    assert "The ruling, to be taken back" not in words
    assert "The ruling was taken back" in words


def test_a_number_is_exactly_one_player_and_a_name_is_looked_for(world, journal):
    factories.entry(world.tournament, "Zoë Player", number=30)
    corrected(world)

    assert told(journal(player="30")) == ["30 Zoë Player entered."]
    assert told(journal(player="zoe")) == ["30 Zoë Player entered."]
    assert told(journal(player="3")) == ["3 Player 3 entered."]
    assert "1 Player 1 entered." in told(journal(player="1"))


def test_a_score_that_was_somebody_elses_is_in_the_history_of_both(world, journal):
    taken = factories.play(world.stage, world.entries[0], world.machines[0], 1_000)
    scores.correct(
        taken, actor=None, seen=taken.revision, reason="x", entry=world.entries[1], machine=world.machines[1]
    )

    for wanted in ({"player": "1"}, {"player": "2"}, {"machine": "M1"}, {"machine": "M2"}):
        assert any("corrected to 2 Player 2 on Machine 2" in line for line in told(journal(**wanted))), wanted


def test_who_did_not_come_finds_the_line_about_all_of_them(world, journal):
    game_rulings.withdraw_no_shows(world.entries[:2], actor=None, reason="16:00")

    for number in (1, 2):
        assert told(journal(player=number))[0].startswith("2 did not come and are withdrawn")
    assert told(journal(player=3)) == ["3 Player 3 entered."]


def test_both_numbers_of_a_merged_person_find_everything_of_both(world, journal):
    factories.play(world.stage, world.entries[1], world.machines[0], 1_000)
    one, two = Player.objects.order_by("number")[:2]
    people.merge(one, two, actor=None, reason="entered twice")

    assert told(journal(player="1")) == told(journal(player="2"))
    assert told(journal(player="1"))[-2:] == ["2 Player 2 entered.", "1 Player 1 entered."]
    assert "2 Player 2 on Machine 1 (M1): 1,000." in told(journal(player="1"))


def test_by_who_did_it_and_by_the_server(world, journal):
    rita = factories.user("desk", "rita")
    corrected(world, rita)

    assert {item.who for item in journal(who=rita.pk).context["lines"]} == {"rita"}
    assert {item.who for item in journal(who="console").context["lines"]} == {"at the server"}


@pytest.mark.parametrize("kind", [*KINDS, "other"])
def test_by_kind(world, journal, kind):
    corrected(world)
    entries.withdraw(world.entries[2], actor=None, reason="ill")

    answer = journal(kind=kind)

    actions = {item.line.action for item in answer.context["lines"]}
    assert answer.status_code == 200
    assert actions <= set(KINDS[kind][1]) if kind in KINDS else not actions
    assert actions or kind in ("rulings", "matches", "other")


def test_by_tournament(world, journal):
    kids = factories.tournament(world.show, format="kids")

    assert told(journal(tournament=kids.pk)) == ["The Kids was created."]


def test_by_day_and_time_of_the_show(world, journal):
    with time_machine.travel(datetime(2030, 7, 24, 13, 30, 20, tzinfo=UTC), tick=False):
        corrected(world)

    assert len(told(journal(day="2030-07-24"))) == 2
    assert len(told(journal(day="2030-07-24", since="14:30", until="14:30"))) == 2
    assert told(journal(day="2030-07-24", since="14:31")) == []
    assert told(journal(day="2030-07-24", until="14:29")) == []
    assert told(journal(day="2030-07-23")) == []


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"player": "99"}, "Nobody in UK Pinball Party has number 99."),
        ({"player": "Nemo"}, "Nobody in UK Pinball Party is called “Nemo”."),
        ({"machine": "ZZ"}, "No machine of UK Pinball Party has the code or name “ZZ”."),
        ({"day": "yesterday"}, "A day is written like 2010-07-24."),
        ({"since": "14:30"}, "Choose the day as well."),
        ({"since": "half two", "day": "2010-07-24"}, "A time is written like 14:30."),
        ({"who": "999"}, "Select a valid choice."),
    ],
)
def test_what_cannot_be_looked_for_says_why_and_stays_in_the_field(journal, wanted, sentence):
    answer = journal(**wanted)

    assert answer.status_code == 200
    assert sentence in text(answer)
    assert told(answer) == []
    if "who" not in wanted:
        assert f'value="{next(iter(wanted.values()))}"' in answer.content.decode()


def test_fifty_lines_a_page_newest_first(world, desk, journal):
    for number in range(60):
        shows.rename_tournament(world.tournament, actor=None, name=f"Open {number}", starts_on=factories.DAY)

    first, second = journal(kind="set-up"), journal(kind="set-up", page=2)

    assert told(first)[0] == "Open 58 is now Open 59, 2010-07-24."
    assert len(told(first)) == 50
    assert told(second)[-1] == "UK Pinball Party was created."
    assert not set(told(first)) & set(told(second))
    assert "?kind=set-up&amp;page=2" in first.content.decode()


def test_the_same_number_of_queries_whatever_the_size(world, desk, journal):
    def queries():
        with CaptureQueriesContext(connection) as counted:
            journal(player="1")
            journal()
        return len(counted)

    corrected(world)
    few = queries()
    for number, machine in enumerate(world.machines[1:], start=1):
        taken = factories.play(world.stage, world.entries[0], machine, 1_000 * number)
        scores.void(taken, actor=None, seen=taken.revision, reason="x")
        factories.play(world.stage, world.entries[1], machine, 1_000 * number)

    assert queries() == few


def test_only_who_works_at_the_show_reads_it(world, client):
    address = reverse("desk:journal", args=[world.show.slug])

    assert client.get(address).status_code == 302
    client.force_login(factories.user("official"))
    assert client.get(address).status_code == 403


def test_every_action_of_the_services_belongs_to_one_kind():
    """Otherwise people would have to look under “Other”, or would find it twice."""
    listed = [action for _, actions in KINDS.values() for action in actions]
    named = set(listed)
    used = set()
    for found in pkgutil.walk_packages(services.__path__, f"{services.__name__}."):
        module = importlib.import_module(found.name)
        for node in ast.walk(ast.parse(inspect.getsource(module))):
            if isinstance(node, ast.keyword) and node.arg == "action":
                written = ast.unparse(node.value)
                used.add(node.value.value if isinstance(node.value, ast.Constant) else getattr(module, written, ""))
    assert len(used) > 50
    assert used - named - {""} == set()
    assert len(listed) == len(named)


def test_from_the_desks_tables_one_tap_leads_to_the_history(world, desk):
    taken = factories.play(world.stage, world.entries[0], world.machines[0], 1_000)
    journal = reverse("desk:journal", args=["party"])

    slips = desk.get("slips").content.decode()
    assert f'href="{desk.url("score", taken.pk)}"' in slips
    assert f'href="{desk.url("entry", 1)}"' in slips
    assert f'href="{journal}?machine=M1"' in slips
    assert f'href="{journal}?player=1"' in desk.get("entry", 1).content.decode()
    assert f'href="{journal}?player=1"' in desk.get("missing").content.decode()
    assert f'href="{journal}?machine=M1"' in desk.get("score", taken.pk).content.decode()
    stages.close_stage(world.stage, actor=None)
    assert f'href="{desk.url("entry", 1)}"' in desk.get("cut").content.decode()


@pytest.mark.parametrize(
    ("wanted", "sentence"),
    [
        ({"day": "9999-12-31", "until": "23:59"}, "A day is written like 2010-07-24."),
        ({"day": "0001-01-01", "since": "00:00"}, "A day is written like 2010-07-24."),
        ({"day": "2010-07-24", "since": "14:00", "until": "13:00"}, "This is before the time from which you look"),
    ],
)
def test_times_that_nothing_can_lie_between_are_said_so(journal, wanted, sentence):
    answer = journal(**wanted)

    assert answer.status_code == 200
    assert sentence in text(answer)


def test_until_a_minute_is_to_its_end(world, journal):
    with time_machine.travel(datetime(2010, 7, 24, 12, 30, 40, tzinfo=UTC), tick=False):
        corrected(world)

    assert told(journal(kind="scores", day="2010-07-24", until="13:30"))
    assert not told(journal(kind="scores", day="2010-07-24", until="13:29"))
