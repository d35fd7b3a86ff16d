"""The cut at the desk: what stands in the way, ties across it, the seats."""

import pytest

from tests import factories
from tests.tournaments.desk.conftest import Desk, signed_in
from tests.tournaments.desk.reading import confirmed, text
from tournaments.domain.refusals import Refusal
from tournaments.models import Ruling, Score, Seat
from tournaments.services import rulings, shows, stages
from tournaments.services import scores as scores_service

pytestmark = pytest.mark.django_db

RULES = {"qualifiers": 2}
CLEAR = [[400, 400], [300, 300], [200, 200], [100, 100]]
TIED = [[400, 400], [300, 200], [200, 300], [100, 100]]
"""With two going on, entries 2 and 3 are level for the second place."""


@pytest.fixture
def world():
    return factories.qualifying(players=4, stock=2, rules=RULES)


@pytest.fixture
def tied(world):
    return factories.closed(world, TIED)


def expected(desk):
    return desk.get("cut").context["read"].revision


def test_an_open_round_stands_in_the_way(desk, world):
    factories.standings(world, CLEAR)

    told = text(desk.get("cut"))

    assert "Qualifying is still open; it has to be closed first." in told
    assert "Declare the cut" not in told
    assert desk.post("declare", expected=expected(desk)).status_code == 422


def test_games_out_are_listed_when_the_cut_is_asked_for(desk, world):
    """[11]"""
    desk.post("start", number="1", machine="M1")

    refused = desk.post("declare", expected=expected(desk))

    assert refused.status_code == 409
    assert "1 Player 1 on Machine 1 is still playing" in text(refused)


def test_the_table_around_the_line_shows_where_it_is(desk, world):
    factories.closed(world, CLEAR)

    page = desk.get("cut")

    assert [line["last_above"] for line in page.context["lines"]] == [False, True, False, False]
    assert "2nd 2 Player 2 198 2 through The cut 3rd 3 Player 3" in text(page)


def test_a_clear_cut_is_declared_as_it_was_seen_and_frozen_as_seats(desk, world):
    factories.closed(world, CLEAR)
    assert "Declare the cut: 2 go on" in text(desk.get("cut"))

    declared = desk.post("declare", expected=expected(desk), follow=True)

    told = text(declared)
    assert "Declared: 2 go on to the second round" in told
    assert "1 1 Player 1 by place" in told
    assert [seat.entry.number for seat in Seat.objects.order_by("seed")] == [1, 2]


def test_a_cut_seen_before_somebody_changed_something_is_not_declared(desk, world):
    factories.closed(world, CLEAR)
    seen = expected(desk)
    desk.post("entry-act", 1, "withdraw", reason="ill")

    refused = desk.post("declare", expected=seen)

    assert refused.status_code == 409
    told = text(refused)
    assert "The last change: 1 Player 1 withdrew." in told
    assert "revision" not in told
    assert not Seat.objects.exists()


@pytest.mark.parametrize("seen", ["", "three", "-1", "9" * 5000])
def test_a_cut_without_the_table_it_was_seen_with_is_not_declared(desk, world, seen):
    factories.closed(world, CLEAR)

    assert desk.post("declare", expected=seen).status_code == 409
    assert not Seat.objects.exists()


@pytest.mark.usefixtures("tied")
def test_a_tie_across_the_cut_names_both_and_asks(desk):
    """[2]"""
    told = text(desk.get("cut"))

    assert "2 go on. Level across the cut for 1 place: 2 Player 2, 3 Player 3." in told
    assert "Declare the cut" not in told
    refused = desk.post("declare", expected=expected(desk))
    assert refused.status_code == 409
    assert "2 Player 2 and 3 Player 3 are level at the cut" in text(refused)


def play_off(desk, two, three):
    """The scores of 2 and 3 in a play-off, looked at and recorded: the page that answers."""
    typed = {"score-2": two, "score-3": three, "expected": expected(desk)}
    return confirmed(desk.client, desk.post("play-off", **typed))


@pytest.mark.usefixtures("tied")
def test_a_play_off_is_shown_first_and_settles_the_tie(desk):
    typed = {"score-2": "1,000", "score-3": "2,000", "expected": expected(desk)}

    shown = desk.post("play-off", **typed)
    assert "2 Player 2 1,000, 3 Player 3 2,000." in text(shown)
    assert "3 Player 3: level at the cut → goes on" in text(shown)
    assert not Ruling.objects.exists()
    settled = confirmed(desk.client, shown)

    assert "The play-off is recorded." in text(settled)
    assert "In this order: 3 Player 3 with 2,000, 2 Player 2 with 1,000." in text(settled)
    desk.post("declare", expected=expected(desk))
    assert [seat.entry.number for seat in Seat.objects.order_by("seed")] == [1, 3]


@pytest.mark.usefixtures("tied")
@pytest.mark.parametrize(
    ("scores", "status", "sentence"),
    [(("5", ""), 422, "Type the score"), (("5", "1.5"), 422, "fraction")],
)
def test_a_play_off_score_that_cannot_be_read_keeps_what_was_typed(desk, scores, status, sentence):
    typed = {"score-2": scores[0], "score-3": scores[1], "expected": expected(desk)}

    refused = desk.post("play-off", **typed)

    assert refused.status_code == status
    assert sentence in text(refused)
    assert 'name="score-2" inputmode="numeric" value="5"' in refused.content.decode()
    assert not Ruling.objects.exists()


@pytest.mark.usefixtures("tied")
def test_the_preview_of_a_level_play_off_says_that_they_play_again(desk):
    equal = text(desk.post("play-off", **{"score-2": "5", "score-3": "5", "expected": expected(desk)}))
    assert "Still level: 2 Player 2 and 3 Player 3 play another game." in equal
    assert "This is exactly what would change: Nobody moves yet." in equal
    assert "Nobody moves across the cut" not in equal

    other = text(desk.post("play-off", **{"score-2": "5", "score-3": "6", "expected": expected(desk)}))
    assert "Still level" not in other


@pytest.mark.usefixtures("tied")
def test_a_level_play_off_is_kept_and_another_game_is_asked_for(desk):
    level = play_off(desk, "5", "5")

    assert "Still level: 2 Player 2 and 3 Player 3 play another game." in text(level)
    assert "Level across the cut for 1 place: 2 Player 2, 3 Player 3" in text(level)
    assert Ruling.objects.count() == 1
    play_off(desk, "7", "9")
    desk.post("declare", expected=expected(desk))
    assert [seat.entry.number for seat in Seat.objects.order_by("seed")] == [1, 3]


@pytest.mark.usefixtures("tied")
def test_a_ruling_settles_the_tie_and_an_organiser_can_take_it_back(desk, organiser):
    typed = {"order-2": "1", "order-3": "2", "reason": "machine broke", "expected": expected(desk)}
    shown = desk.post("ruling", **typed)
    assert (
        "Across the cut: 2 Player 2: level at the cut → goes on 3 Player 3: level at the cut → does not go on"
        in text(shown)
    )
    assert not Ruling.objects.exists()
    ruled = confirmed(desk.client, shown)
    assert "In this order: 2 Player 2, 3 Player 3. Reason: machine broke" in text(ruled)
    ruling = Ruling.objects.get()

    assert "An organiser can take a play-off result or a ruling back." in text(desk.get("cut"))
    assert desk.post("undo-ruling", ruling.pk, reason="wrong").status_code == 403
    assert organiser.post("undo-ruling", ruling.pk, reason="").status_code == 422
    confirmed(organiser.client, organiser.post("undo-ruling", ruling.pk, reason="wrong"))

    assert "Level across the cut" in text(desk.get("cut"))


@pytest.mark.usefixtures("tied")
def test_a_decision_says_so_when_the_tie_it_settled_is_another_one_now(desk, world):
    play_off(desk, "1", "2")
    assert "no longer applies" not in text(desk.get("cut"))

    stages.reopen_stage(world.stage, actor=None, reason="a score was misread")
    misread = Score.objects.get(entry=world.entries[3], machine=world.machines[0])
    scores_service.correct(misread, actor=None, seen=misread.revision, reason="misread", value=350, sure=350)
    stages.close_stage(world.stage, actor=None)

    told = text(desk.get("cut"))
    assert "Level across the cut for 1 place: 2 Player 2, 3 Player 3, 4 Player 4." in told
    assert "Play-off result" in told
    assert "no longer applies" in told


@pytest.mark.usefixtures("tied")
@pytest.mark.parametrize("places", [("1", "1"), ("1", ""), ("0", "1"), ("a", "b")])
def test_a_ruling_needs_each_place_once_and_keeps_what_was_typed(desk, places):
    typed = {"order-2": places[0], "order-3": places[1], "reason": "machine broke", "expected": expected(desk)}

    refused = desk.post("ruling", **typed)

    assert refused.status_code == 422
    assert "Give each of them one of the places 1, 2, each place once." in text(refused)
    assert 'value="machine broke"' in refused.content.decode()


@pytest.mark.usefixtures("tied")
def test_a_play_off_entered_at_two_desks_counts_once(desk):
    typed = {"score-2": "1", "score-3": "2", "expected": expected(desk)}
    shown, also_shown = desk.post("play-off", **typed), desk.post("play-off", **typed)
    confirmed(desk.client, shown)

    second = confirmed(desk.client, also_shown)

    assert second.status_code == 409
    assert Ruling.objects.count() == 1


@pytest.mark.real_fields
def test_too_few_for_what_comes_next_stand_in_the_way_of_the_cut(desk_of):
    few = desk_of(factories.closed(factories.qualifying(format="kids", players=3, stock=1), [[300], [200], [100]]))

    told = text(few.get("cut"))

    assert "What stands in the way Only 3 would go on. Semi-finals: for 4 to 8 players." in told
    assert "Declare the cut" not in told


def test_lots_are_announced_drawn_once_and_shown(desk):
    level = factories.qualifying(players=3, stock=2, rules=RULES, of=factories.show("lots"))
    lots = type(desk)(factories.closed(level, [[300, 200], [200, 300], [1, 1]]), desk.client)

    assert "1 Player 1 and 2 Player 2 are level on points and on count-back" in text(lots.get("cut"))
    told = text(lots.post("declare", expected=expected(lots), follow=True))

    assert "Lots drawn" in told
    assert sorted(seat.entry.number for seat in Seat.objects.all()) == [1, 2]


def test_only_an_organiser_takes_a_declared_cut_back_with_a_reason(desk, organiser, world):
    factories.closed(world, CLEAR)
    desk.post("declare", expected=expected(desk))

    assert "Take the cut back" not in text(desk.get("cut"))
    assert desk.post("withdraw-cut", reason="late slip").status_code == 403
    assert organiser.post("withdraw-cut", reason="").status_code == 422
    organiser.post("withdraw-cut", reason="late slip")

    assert not Seat.objects.exists()


def test_where_the_rules_keep_ties_to_the_organisers_no_play_off_is_taken(desk, world):
    shows.change_rules(world.tournament, actor=None, rules={**RULES, "cut_ties": "ruling"}, reason="Announced so.")
    tied = factories.closed(world, TIED)
    two, three = (entry.pk for entry in tied.entries[1:3])

    page = text(desk.get("cut"))
    with pytest.raises(Refusal, match="organisers' ruling settles a tie"):
        rulings.record_play_off(tied.stage, actor=None, scores={two: 2, three: 1})
    rulings.rule_order(tied.stage, actor=None, order=[three, two], reason="Three won the earlier meeting.")

    assert "Record the play-off" not in page
    assert "Settle it by a ruling" in page
    assert [seed.entry_id for seed in stages.declare_cut(tied.stage, actor=None)][1] == three


@pytest.mark.parametrize(("format", "players", "places"), [("open", 1, 24), ("open", 9, 24), ("kids", 3, 8)])
def test_with_fewer_ranked_than_places_there_is_no_line_and_the_page_says_so(format, players, places):
    world = factories.qualifying(format=format, players=players, stock=2)
    factories.closed(world, [[100], [100], *([10 * (9 - number)] for number in range(players - 2))][:players])

    told = text(Desk(world, signed_in("desk", "dora")).get("cut"))

    around = told[told.index("Around the line") :]
    assert f"Everybody who is ranked goes on: {players} for {places} places." in around
    assert f"{places} go on." not in around
    assert "Nobody is ranked yet" not in around


@pytest.mark.parametrize("name", ["Player 1", "Player 2"])
def test_before_the_close_whoever_shares_a_place_near_the_line_is_listed_with_the_other(name):
    world = factories.qualifying(format="kids", players=3, stock=2)
    factories.standings(world, [[100], [100], [50]])

    told = text(Desk(world, signed_in("desk", "dora")).get("cut"))

    around = told[told.index("Around the line") :]
    assert "As it stands everybody who is ranked goes on: 3 for 8 places." in around
    assert name in around
    assert "8 go on" not in around


@pytest.mark.real_fields
def test_one_alone_goes_on_in_the_singular():
    world = factories.closed(factories.qualifying(format="open", players=1, stock=2), [[100]])
    organiser = Desk(world, signed_in("organiser", "otto"))
    stages.leave_out(world.stage, actor=None, reason="few came")
    page = organiser.get("cut")
    assert "Declare the cut: 1 goes on" in text(page)

    told = text(organiser.post("declare", expected=page.context["read"].revision, follow=True))

    assert "The cut is declared: 1 goes on." in told
    assert "Declared: 1 goes on to the final" in told
