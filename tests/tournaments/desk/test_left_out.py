"""Fewer are ranked than the next stage has seats: stages are left out by an organiser, and taken back."""

import pytest

from tests import factories
from tests.tournaments.desk.conftest import Desk, signed_in
from tests.tournaments.desk.forms_of import forms_of
from tests.tournaments.desk.reading import text
from tests.tournaments.public.reading import as_a_new_reader
from tournaments.domain.refusals import Refusal
from tournaments.domain.standings import goes_on
from tournaments.models import Journal, Stage
from tournaments.services import entries, matches, progress, results, stages
from tournaments.views.desk.common import ALREADY

pytestmark = [pytest.mark.django_db, pytest.mark.real_fields]

NO_SEMI_FINALS = "the semi-finals and the play-off for 5th to 8th"


def closed(players, format="open"):
    world = factories.qualifying(format=format, players=players, stock=4)
    return factories.closed(world, [[1_000 * (players - number)] for number in range(players)])


def of(world, role="organiser"):
    return Desk(world, signed_in(role, role))


def seats(world, key):
    return list(factories.stage(world.tournament, key).seats.order_by("seed").values_list("entry__number", flat=True))


def left_out(world):
    return [stage.key for stage in Stage.objects.filter(tournament=world.tournament) if stage.left_out]


@pytest.mark.parametrize(
    ("format", "players", "names", "to"),
    [
        ("open", 7, "the second round", "they go straight to the semi-finals"),
        (
            "open",
            4,
            f"the second round, {NO_SEMI_FINALS}",
            "they go straight to the final",
        ),
        ("open", 1, f"the second round, {NO_SEMI_FINALS}", "one alone has won"),
        ("classic", 3, NO_SEMI_FINALS, "they go straight to the final"),
        ("kids", 4, NO_SEMI_FINALS, "they go straight to the final"),
    ],
)
def test_the_cut_says_what_can_be_left_out_and_an_organiser_does_it(format, players, names, to):
    world = closed(players, format)
    organiser = of(world)
    assert f"For {players}, {names} can be left out: {to}" in text(organiser.get("cut"))

    told = organiser.post("leave-out", reason="few came", follow=True)

    assert "That is recorded. Now declare the cut." in text(told)
    assert f"Declare the cut: {goes_on(str(players), players)}" in text(told)
    line = Journal.objects.get(action="leave stages out")
    assert line.summary == f"Only {goes_on(str(players), players)} from qualifying; not played: {names}."
    assert line.reason == "few came"
    organiser.post("declare", expected=told.context["read"].revision)
    target = stages.next_stage(world.stage)
    assert seats(world, target.key) == list(range(1, players + 1))


def test_only_an_organiser_leaves_out_and_says_why():
    world = closed(6)
    desk = of(world, "desk")
    assert "An organiser decides." in text(desk.get("cut"))
    assert desk.post("leave-out", reason="few came").status_code == 403
    refused = of(world).post("leave-out", reason="")
    assert refused.status_code == 422
    assert left_out(world) == []


def test_without_it_the_cut_says_why_it_cannot_be_declared():
    world = closed(6)
    with pytest.raises(Refusal, match=r"Only 6 would go on.* An organiser can leave out the second round"):
        stages.declare_cut(world.stage, actor=None)


def test_it_is_taken_back_until_the_cut_is_declared():
    world = closed(6)
    organiser = of(world)
    stages.leave_out(world.stage, actor=None, reason="few came")
    told = organiser.post("play-after-all", reason="two more slips", follow=True)
    assert "They are played after all." in text(told)
    assert left_out(world) == []

    stages.leave_out(world.stage, actor=None, reason="few came")
    stages.declare_cut(world.stage, actor=None)
    with pytest.raises(Refusal, match="The cut of qualifying is declared; take it back first"):
        stages.play_after_all(world.stage, actor=None, reason="too early")
    stages.withdraw_cut(world.stage, actor=None, reason="a score was wrong")
    assert seats(world, "semi-finals") == []
    stages.play_after_all(world.stage, actor=None, reason="a score was wrong")
    assert left_out(world) == []


def test_what_is_left_out_already_is_left_out_once():
    world = closed(6)
    for _ in range(2):
        out = stages.leave_out(world.stage, actor=None, reason="few came")
        assert [stage.key for stage in out] == ["second-round"]
    assert Journal.objects.filter(action="leave stages out").count() == 1


@pytest.mark.parametrize(("players", "format"), [(8, "open"), (5, "classic"), (9, "open")])
def test_what_so_many_can_play_is_not_left_out(players, format):
    world = closed(players, format)
    with pytest.raises(Refusal, match=f"{players} go on: no stage is left out for so many"):
        stages.leave_out(world.stage, actor=None, reason="few came")


def test_a_stage_that_was_left_out_is_neither_opened_nor_reopened():
    world = closed(6)
    stages.leave_out(world.stage, actor=None, reason="few came")
    second = factories.stage(world.tournament, "second-round")
    for act in (stages.open_stage, lambda stage, actor: stages.reopen_stage(stage, actor=actor, reason="x")):
        with pytest.raises(Refusal, match="Second round was left out, as too few went on"):
            act(second, actor=None)


def test_more_who_are_ranked_after_all_play_what_was_left_out():
    world = closed(4)
    stages.leave_out(world.stage, actor=None, reason="few came")
    stages.reopen_stage(world.stage, actor=None, reason="late slips")
    for entry in factories.entries(world.tournament, 4):
        factories.play(world.stage, entry, world.machines[1], 500)
    stages.close_stage(world.stage, actor=None)

    with pytest.raises(Refusal, match="8 would go on, too many for the final; play after all"):
        stages.declare_cut(world.stage, actor=None)


def straight_to_the_final(players=3):
    world = closed(players)
    stages.leave_out(world.stage, actor=None, reason="few came")
    stages.declare_cut(world.stage, actor=None)
    return world


def test_a_straight_final_that_had_not_begun_after_all_keeps_its_seats():
    world = straight_to_the_final()
    factories.dealt(world, "final")
    stages.withdraw_opening(factories.stage(world.tournament, "final"), actor=None, reason="too early")

    assert seats(world, "final") == [1, 2, 3]


def test_who_leaves_before_a_straight_final_makes_the_cut_anew():
    world = straight_to_the_final()
    with pytest.raises(Refusal, match="take the cut back first"):
        entries.withdraw(world.entries[1], actor=None, reason="ill")
    stages.withdraw_cut(world.stage, actor=None, reason="one is ill")
    entries.withdraw(world.entries[1], actor=None, reason="ill")
    stages.declare_cut(world.stage, actor=None)

    assert seats(world, "final") == [1, 3]


def test_the_start_page_of_the_desk_leads_on_to_the_results():
    world = straight_to_the_final(1)
    told = text(of(world).client.get("/desk/"))
    assert "Everything is played: the results can be declared." in told
    results.declare(world.tournament, actor=None)

    other = straight_to_the_final_of_another_show()
    assert "Final: publish its matches." in text(of(other, "desk").client.get("/desk/"))
    (match,) = factories.dealt(other, "final")
    factories.scored(match, 100, 300, 200)
    stages.close_stage(factories.stage(other.tournament, "final"), actor=None)
    found = results.declare(other.tournament, actor=None)
    assert [(place.entry.number, place.place) for place in found] == [(2, 1), (3, 2), (1, 3)]


def straight_to_the_final_of_another_show():
    world = factories.qualifying(format="classic", players=3, stock=4, of=factories.show("other"))
    factories.closed(world, [[3_000], [2_000], [1_000]])
    stages.leave_out(world.stage, actor=None, reason="few came")
    stages.declare_cut(world.stage, actor=None)
    return world


def test_every_page_of_the_desk_is_there_when_stages_are_left_out():
    world = straight_to_the_final()
    matches.deal(factories.stage(world.tournament, "final"), actor=None, machines=world.machines[:1])
    organiser = of(world)
    base = organiser.url("slips").rsplit("/", 2)[0]
    paths = [
        f"{base}/{stage.key}/{page}"
        for stage in Stage.objects.filter(tournament=world.tournament)
        for page in ("", "close/", "cut/")
    ]
    paths.append(f"{base}/results/")

    assert {path: organiser.client.get(path).status_code for path in paths} == dict.fromkeys(paths, 200)
    assert "Not played, as too few went on: Second round, Semi-finals" in text(organiser.get("cut"))


def test_who_leaves_after_stages_were_left_out_leaves_out_those_that_are_left():
    world = closed(5)
    organiser = of(world)
    stages.leave_out(world.stage, actor=None, reason="few came")
    entries.disqualify(world.entries[4], actor=None, reason="shook it")
    entries.disqualify(world.entries[3], actor=None, reason="shook it too")

    told = text(organiser.get("cut"))

    assert f"For 3, {NO_SEMI_FINALS} can be left out: they go straight to the final" in told
    assert "Played after all" not in told
    assert "Not played, as too few went on: Second round." in told
    assert "too many" not in told
    organiser.post("leave-out", reason="fewer still", follow=True)
    assert left_out(world) == ["second-round", "semi-finals", "play-off"]
    stages.declare_cut(world.stage, actor=None)
    assert seats(world, "final") == [1, 2, 3]


def test_behind_stages_left_out_the_next_in_order_takes_a_seat_of_the_final():
    world = closed(4, "classic")
    stages.leave_out(world.stage, actor=None, reason="few came")
    entries.withdraw(world.entries[3], actor=None, reason="ill")
    stages.declare_cut(world.stage, actor=None)
    assert progress.seats_change_hands(factories.stage(world.tournament, "final"))
    assert seats(world, "final") == [1, 2, 3]


@pytest.mark.parametrize("act", ["leave-out", "play-after-all"])
def test_leaving_out_and_playing_after_all_are_done_once_when_sent_twice(act):
    world = closed(6)
    client = signed_in("organiser", "otto")
    if act == "play-after-all":
        stages.leave_out(world.stage, actor=None, reason="few came")
    page = client.get("/desk/party/open/qualifying/cut/")
    form = next(form for form in forms_of(page) if form.action.endswith(f"{act}/"))
    sent = form.typed(form.buttons[0])
    before = Journal.objects.count()

    first, again = (client.post(form.action, sent, follow=True) for _ in range(2))

    assert (first.status_code, again.status_code) == (200, 200)
    assert ALREADY in text(again)
    assert Journal.objects.count() == before + 1


@pytest.mark.parametrize(("players", "format"), [(6, "open"), (3, "open"), (3, "kids")])
def test_after_stages_were_left_out_the_start_page_leads_to_the_cut_that_is_next(players, format):
    world = closed(players, format)
    stages.leave_out(world.stage, actor=None, reason="few came")
    told = text(signed_in("desk", "dora").get("/desk/"))
    assert "Qualifying: the cut is to be declared" in told

    stages.declare_cut(world.stage, actor=None)
    stages.withdraw_cut(world.stage, actor=None, reason="one more slip")

    assert "Qualifying: the cut is to be declared" in text(signed_in("desk", "dirk").get("/desk/"))


@pytest.mark.parametrize("declared", [False, True])
def test_one_alone_has_won_without_a_game_on_every_page(declared):
    world = straight_to_the_final(1)
    if declared:
        results.declare(world.tournament, actor=None)
    alone = "Player 1 is alone here and has won without a game."

    desk = text(of(world).client.get("/desk/party/open/final/"))
    bracket, player, final = (
        as_a_new_reader(world, path) for path in ("bracket/", f"players/{world.entries[0].number}/", "final/")
    )

    assert f"No game is needed 1 {alone}" in desk
    assert "Pick the machines" not in desk
    assert alone in bracket
    assert "Champion Player 1 No. 1" in bracket
    assert alone in player
    assert alone in final
    assert all("not published yet" not in page for page in (bracket, player, final))


def test_one_alone_is_not_named_while_the_results_are_held_back():
    world = straight_to_the_final(1)
    results.hold_back(world.tournament, actor=None)
    for path in ("bracket/", f"players/{world.entries[0].number}/", "final/"):
        assert "has won without a game" not in as_a_new_reader(world, path)
