"""Where the desk starts: what each tournament of a show needs next."""

import pytest
from django.urls import reverse

from tests import factories
from tests.teams.evening import Evening
from tests.tournaments.desk.conftest import signed_in
from tests.tournaments.desk.reading import text
from tests.tournaments.grouped import Groups
from tournaments.services import entries, matches, results, scores, stages

pytestmark = pytest.mark.django_db


def home(role="organiser"):
    return signed_in(role, f"{role} at home").get(reverse("desk:home"))


def steps(page):
    """(tournament, what is next, its address) of every tournament."""
    lines = [line for group in page.context["shows"] for line in group["tournaments"]]
    return {line["tournament"].slug: line["next"] and line["next"].words for line in lines}


def test_tournaments_of_a_show_stand_side_by_side_with_what_each_needs_next():
    show = factories.show()
    factories.qualifying(format="open", of=show, opened=False)
    classic = factories.qualifying(format="classic", of=show)
    scores.start(classic.stage, actor=None, entry=classic.entries[0], machine=classic.machines[0])
    Groups(of=show, opened=False)
    assert steps(home()) == {
        "open": "Qualifying: open it.",
        "classic": "Qualifying is open: 1 under way.",
        "team": "Groups: open it and call.",
    }


def test_the_way_of_a_tournament_from_its_cut_to_its_results():
    world = factories.qualifying(format="classic", players=8, rules={"qualifiers": 8})
    factories.closed(world, [[1_000 * (8 - number)] for number in range(8)])
    assert steps(home())["classic"] == "Qualifying: the cut is to be declared."
    stages.declare_cut(world.stage, actor=None)
    assert steps(home("desk"))["classic"] == "Semi-finals: publish its matches."


def test_groups_without_seats_are_to_be_drawn_up():
    factories.tournament(format="team")
    assert steps(home())["team"] == "Groups: draw them up."


def test_groups_are_published_opened_and_called():
    groups = Groups(dealt=False)
    client = signed_in("desk", "dora")
    assert steps(client.get(reverse("desk:home")))["team"] == "Groups: publish its matches."
    matches.deal(groups.stage, actor=None, machines=groups.machines[:5], seed=1)
    stages.open_stage(groups.stage, actor=None)
    groups.call(1)
    assert steps(client.get(reverse("desk:home")))["team"] == "Groups: 1 under way, 11 to be called."


def test_when_everything_is_played_the_stage_is_to_be_closed_and_in_the_end_the_results_declared():
    groups = Groups()
    groups.play_all()
    client = signed_in("organiser", "dee")

    def next_words():
        return steps(client.get(reverse("desk:home")))["team"]

    assert next_words() == "Groups: everything is played; close it."
    stages.close_stage(groups.stage, actor=None)
    assert next_words() == "Final: draw its machine by lot."
    matches.deal_by_lot(groups.final, actor=None, machines=groups.machines)
    assert next_words() == "Final: open it and call."
    stages.open_stage(groups.final, actor=None)
    groups.score({1: 500, 2: 400})
    stages.close_stage(groups.final, actor=None)
    assert next_words() == "Everything is played: the results can be declared."
    results.declare(groups.tournament, actor=None)
    assert next_words() is None
    assert "The results are declared." in text(client.get(reverse("desk:home")))


def test_what_is_next_is_read_in_a_fixed_number_of_queries(django_assert_max_num_queries):
    client = signed_in("desk", "dora")
    show = factories.show()
    factories.qualifying(format="open", of=show)
    client.get(reverse("desk:home"))
    with django_assert_max_num_queries(16) as few:
        client.get(reverse("desk:home"))
    many = len(few)
    factories.qualifying(format="classic", of=show)
    Groups(of=show)
    with django_assert_max_num_queries(many):
        client.get(reverse("desk:home"))


@pytest.mark.parametrize("published", [False, True])
def test_a_seat_that_somebody_has_left_is_to_be_given_before_anything_else(published):
    evening = Evening(8)
    evening.begin(machines=8)
    evening.play_all()
    stages.close_stage(evening.groups, actor=None)
    if published:
        matches.deal_by_lot(evening.final, actor=None, machines=evening.hall(8))
        assert steps(home())["team"] == "Final: open it and call."
    entries.withdraw(evening.entry(1), actor=None, reason="has to catch a train")

    assert steps(home("desk"))["team"] == "Final: give the seat of who has left to the next in the order."

    matches.replace_seat(
        evening.final, actor=None, entry=evening.entry(1).pk, by=evening.entry(6).pk, reason="next of the group"
    )
    given = steps(signed_in("desk", "dora").get(reverse("desk:home")))["team"]
    assert given == ("Final: open it and call." if published else "Final: draw its machine by lot.")
