"""Bonus scores on a machine that dies and on its substitute: as they were made, or rescaled."""

from decimal import Decimal

import pytest

from teams.domain import groups
from tests import factories
from tests.shelf import kept
from tests.teams.evening import Evening
from tests.tournaments.desk.reading import confirmed, text
from tournaments import selectors
from tournaments.domain.refusals import Refusal
from tournaments.models import Ruling, Show, StageMachine, Tournament
from tournaments.services import effects, exchange, redraw, reports, rulings, withdrawn

pytestmark = pytest.mark.django_db


@kept
def half_played():
    """Team 1 has its bonus score on a machine that then dies; 2 to 4 have theirs to play."""
    evening = Evening(4)
    evening.begin(machines=8)
    evening.hall(9)
    evening.play({1: 1_000})
    return evening


def dead(evening):
    machine = evening.match(1).machine
    return StageMachine.objects.select_related("machine", "stage__tournament__show").get(
        stage=evening.groups, machine=machine
    )


def spare(evening):
    return evening.hall(9)[-1]


def substitute(evening):
    redraw.publish(evening.groups, actor=None, out={dead(evening).machine_id: spare(evening).pk}, reason="it died")


def rescale(evening, factor="0.5"):
    return withdrawn.withdraw_machine(
        dead(evening),
        actor=None,
        way="rescaled",
        substitute=spare(evening),
        factor=Decimal(factor),
        reason="the spare scores half as much",
    )


def table(evening):
    read = selectors.stage_facts(evening.groups)
    (found,) = groups.standings(read.facts, evening.tournament.rules_in_force)
    return found


def bonus(evening):
    """By team: value, place and points of its bonus game."""
    numbers = dict(evening.tournament.entries.values_list("pk", "number"))
    return {
        numbers[line.entry]: (line.bonus.value, line.bonus.place, line.bonus.points)
        for line in table(evening).lines
        if line.bonus
    }


@pytest.mark.parametrize("first", ["rescale", "substitute"])
def test_rescaled_bonus_scores_are_ranked_with_those_of_the_substitute_in_either_order_of_the_acts(first):
    evening = half_played()
    for act in (rescale, substitute) if first == "rescale" else (substitute, rescale):
        act(evening)
    evening.play({2: 600})
    evening.play({3: 400})

    assert bonus(evening) == {2: (600, 1, 9), 1: (500, 2, 5), 3: (400, 3, 2)}
    assert table(evening).mixed == ()
    why = " ".join(table(evening).line(evening.entry(1).pk).why)
    name = dead(evening).machine.name
    assert f"Bonus game on {name}: 500 by the factor for {spare(evening).name} is 2nd of 3, 5 points." in why


def test_scores_that_stand_are_ranked_together_and_the_table_says_so():
    evening = half_played()
    substitute(evening)
    evening.play({2: 600})

    assert bonus(evening) == {1: (1_000, 1, 9), 2: (600, 2, 5)}
    read = selectors.stage_facts(evening.groups)
    words = groups.mixed_words(table(evening), read.facts)
    names = " and ".join(sorted([dead(evening).machine.name, spare(evening).name]))
    assert words.startswith(
        f"The bonus scores of group A were made on {names} and are ranked together as they were made"
    )


def test_a_rescaling_is_taken_back_to_exactly_what_was_before():
    evening = half_played()
    substitute(evening)
    evening.play({2: 600})
    before = effects.picture(evening.tournament), bonus(evening)
    rescale(evening)
    assert bonus(evening) == {2: (600, 1, 9), 1: (500, 2, 5)}

    rulings.undo_ruling(Ruling.objects.get(kind="machine"), actor=None, reason="both are alike")

    assert (effects.picture(evening.tournament), bonus(evening)) == before


def test_rescaled_bonus_scores_are_the_same_in_a_copy():
    evening = half_played()
    rescale(evening)
    substitute(evening)
    evening.play_all()
    files = exchange.dump(evening.tournament)
    files["tournament.toml"] = files["tournament.toml"].replace(b'show_slug = "party"', b'show_slug = "copy"')
    exchange.import_files(files, actor=None)
    copy = Tournament.objects.get(show=Show.objects.get(slug="copy"))
    tables = [
        [(line.position, line.entry.number, line.points) for line in reports.of_stage(stage)]
        for stage in (evening.groups, copy.stages.get(key="groups"))
    ]
    assert tables[0] == tables[1]


def test_a_machine_of_matches_has_nothing_to_rescale_and_the_page_tells_what_was_played_there(client):
    evening = half_played()
    match = evening.play({1: 20, 2: 10})
    used = StageMachine.objects.select_related("machine", "stage__tournament__show").get(
        stage=evening.groups, machine=match.machine
    )
    assert list(withdrawn.ways(used)) == ["let-stand"]
    assert list(withdrawn.ways(dead(evening))) == ["let-stand", "rescaled"]
    with pytest.raises(Refusal, match="a factor changes nothing"):
        withdrawn.withdraw_machine(
            used, actor=None, way="rescaled", substitute=spare(evening), factor=Decimal(2), reason="x"
        )
    client.force_login(factories.user("desk"))
    page = client.get(f"/desk/party/team/groups/machines/{used.machine.code}/")
    assert "0 bonus games and 1 match played on it count now." in text(page)
    page = client.get(f"/desk/party/team/groups/machines/{dead(evening).machine.code}/")
    assert "1 bonus game and 0 matches played on it count now." in text(page)


def test_the_pages_lead_from_the_dead_machine_to_rescaling_and_show_where_each_score_was_made(client):
    evening = half_played()
    code, stands_in = dead(evening).machine.code, spare(evening)
    client.force_login(factories.user("organiser"))
    preview = client.get(
        "/desk/party/team/groups/redraw/", {f"machine-{dead(evening).machine_id}": stands_in.pk, "number": 0}
    )
    told = f"1 bonus game played on {dead(evening).machine.name} stands; those that are left are played on"
    assert told in text(preview)
    substitute(evening)
    evening.play({2: 600})
    public = text(client.get("/t/party/team/groups/"))
    assert "are ranked together as they were made" in public
    assert f"bonus game played on {stands_in.name}" in public

    address = f"/desk/party/team/groups/machines/{code}/"
    assert "It was closed without a ruling, as when the rest was drawn again." in text(client.get(address))
    shown = client.post(
        address, {"way": "rescaled", "substitute": stands_in.code, "factor": "0.5", "reason": "fair", "expected": ""}
    )
    assert f"1 score is ranked on {stands_in.name}, times 0.5" in text(shown)
    confirmed(client, shown)
    assert bonus(evening) == {2: (600, 1, 9), 1: (500, 2, 5)}
