"""Teams at the desk: registered, checked in, changed, seeded, drawn into groups."""

import pytest
from django.test import Client
from django.urls import reverse

from teams import selectors
from teams.models import Team
from teams.services import groups
from tests import factories
from tests.teams.evening import Evening
from tests.tournaments.desk.reading import confirmed, text
from tournaments.models import Entry, Journal, Player, Ruling, Seat
from tournaments.selectors import current_revision
from tournaments.services import entries, matches

pytestmark = pytest.mark.django_db


class Desk:
    """Somebody signed in at the desk of a team tournament."""

    def __init__(self, evening, role):
        self.evening, self.client = evening, Client()
        self.client.force_login(factories.user(role))

    def url(self, page, *parts):
        return reverse(page if ":" in page else f"teams:{page}", args=["party", "team", "groups", *parts])

    def get(self, page, *parts, **query):
        return self.client.get(self.url(page, *parts), query)

    def post(self, page, *parts, **typed):
        typed.setdefault("expected", current_revision(self.evening.tournament.pk))
        return self.client.post(self.url(page, *parts), typed)


@pytest.fixture
def evening():
    return Evening(4)


@pytest.fixture
def desk(evening):
    return Desk(evening, "desk")


@pytest.fixture
def organiser(evening):
    return Desk(evening, "organiser")


def typed(*players, **more):
    """What is typed about a team with these players."""
    return {"name": "Elks", **{f"player_{number}": name for number, name in enumerate(players, start=1)}, **more}


def who(number):
    team = Team.objects.get(entry__number=number)
    return [f"{m.player}{'*' if m.captain else ''}" for m in selectors.line_up(team)]


NEW = ("Eve One", "Eve Two", "Eve Three", "Eve Four")


def test_the_list_has_number_name_captain_players_points_and_who_is_here(desk):
    desk.post("team-check-in", 2)

    told = text(desk.get("teams"))

    assert "4 teams, 1 checked in." in told
    players = "1 Ants One (captain), 2 Ants Two, 3 Ants Three, 4 Ants Four"
    assert f"1 Ants Check in 1 Ants {players} 990.00 WPPR points" in told
    assert Entry.objects.get(number=2, player=None).status == Entry.Status.CHECKED_IN


@pytest.mark.parametrize("back", ["", "team"])
def test_a_team_checked_in_by_mistake_is_not_here_after_all(desk, back):
    desk.post("team-check-in", 2)

    answer = desk.post("team-take-check-in-back", 2, back=back)

    assert answer.headers["Location"] == (desk.url("team", 2) if back else desk.url("teams"))
    assert "4 teams, 0 checked in." in text(desk.get("teams"))


def test_a_team_is_entered_with_new_people_and_its_captain(desk):
    answer = desk.post("team-new", **typed(*NEW, captain="3", wppr="12.5", note="late", number="9", key="one"))

    assert answer.headers["Location"] == desk.url("team", 9)
    assert who(9) == ["17 Eve One", "18 Eve Two", "19 Eve Three*", "20 Eve Four"]
    team = Team.objects.get(entry__number=9)
    assert (str(team.wppr), team.note, team.entry.name) == ("12.50", "late", "Elks")


def test_the_same_form_sent_twice_enters_one_team(desk):
    for _ in range(2):
        answer = desk.post("team-new", **typed(*NEW, key="one"))
        assert answer.headers["Location"] == desk.url("team", 5)

    assert Team.objects.count() == 5


def test_with_three_players_a_ball_is_missing_and_with_two_nobody_is_entered(desk):
    refused = desk.post("team-new", **typed("Eve One", "", "Eve Two"))
    assert refused.status_code == 422
    assert "Elks has 2 players; a team has 4, and 3 at least." in text(refused)
    assert 'value="Eve Two"' in refused.content.decode()

    desk.post("team-new", **typed("Eve One", "", "Eve Two", "Eve Three", captain="4"))
    assert who(5)[-1] == "19 Eve Three*"
    assert "1 ball missing" in text(desk.get("teams"))


@pytest.mark.parametrize(
    ("players", "more", "fault"),
    [
        (("Eve One", "eve one", "Eve Two"), {}, "eve one is named twice in Elks."),
        (("Eve One", "Ants One", "Eve Two"), {"is_2": "1"}, "1 Ants One is in 1 Ants; nobody plays for two teams."),
        (("1", "Eve Two", "Eve Three"), {}, "1 Ants One is in 1 Ants; nobody plays for two teams."),
        (("1 Ants One", "Eve Two", "Eve Three"), {}, "1 Ants One is in 1 Ants; nobody plays for two teams."),
        (("99", "Eve Two", "Eve Three"), {}, "There is no number 99 in UK Pinball Party."),
        (("1 Eve", "Eve Two", "Eve Three"), {}, "Number 1 is Ants One, not Eve."),
        (NEW, {"name": "ants"}, "Team Tournament has 1 Ants already; choose another name."),
        (NEW, {"name": ""}, "Type the name of the team."),
        (NEW, {"number": "2"}, "Number 2 belongs to Bees."),
        (NEW, {"wppr": "many"}, "Enter a number."),
        (NEW, {"wppr": "-1"}, "Ensure this value is greater than or equal to 0."),
        (NEW[:3], {"captain": "4"}, "Say who of Elks is the captain."),
    ],
)
def test_what_cannot_be_is_said_and_what_was_typed_is_kept(desk, players, more, fault):
    refused = desk.post("team-new", **typed(*players, **more))

    assert refused.status_code in (409, 422)
    assert fault in text(refused)
    assert f'value="{players[1]}"' in refused.content.decode()
    assert Team.objects.count() == 4
    assert Player.objects.count() == 16


def test_a_name_that_the_show_knows_asks_who_it_is(desk, evening):
    solo = factories.tournament(evening.show)
    known = factories.entry(solo, "Eve Two").player

    asked = desk.post("team-new", **typed(*NEW))
    assert asked.status_code == 409
    assert f"Who is Eve Two? {known}, who is in the show already" in text(asked)

    again = desk.post("team-new", **typed(*NEW, is_2="another Eve Twice"))
    assert again.status_code == 409
    desk.post("team-new", **typed(*NEW, is_2=str(known.number)))
    assert who(5)[1] == str(known)


def test_another_person_of_a_known_name_is_entered_with_a_number_of_their_own(desk, evening):
    known = factories.entry(factories.tournament(evening.show), "Eve Two").player

    desk.post("team-new", **typed(*NEW, is_2="another Eve Two"))

    assert who(5)[1] == f"{known.number + 2} Eve Two"


def test_details_are_corrected_and_a_form_that_is_too_old_saves_nothing(desk):
    desk.post("team-details", 1, name="Great Ants", wppr="5", note="x")
    assert str(Team.objects.get(entry__number=1).entry) == "1 Great Ants"

    stale = desk.post("team-details", 1, name="Small Ants", wppr="5", expected=1)
    assert stale.status_code == 409
    assert 'value="Small Ants"' in stale.content.decode()
    assert desk.post("team-details", 1, name="", wppr="5").status_code == 422
    assert str(Team.objects.get(entry__number=1).entry) == "1 Great Ants"


def test_a_member_is_replaced_before_play_without_and_afterwards_with_a_reason(desk, evening):
    players = {
        "player_1": "1 Ants One",
        "player_2": "Zoe",
        "player_3": "3 Ants Three",
        "player_4": "4",
        "captain": "2",
    }
    desk.post("team-members", 1, **players)
    assert who(1) == ["1 Ants One", "17 Zoe*", "3 Ants Three", "4 Ants Four"]

    evening.begin(machines=4)
    evening.play({1: 10, 2: 20})
    back = players | {"player_2": "2 Ants Two"}
    refused = desk.post("team-members", 1, **back)
    assert "Say why" in text(refused)
    assert "The team has begun: whoever leaves it plays for no other team." in text(refused)
    desk.post("team-members", 1, **back, reason="hurt")
    assert who(1)[1] == "2 Ants Two*"

    elsewhere = desk.post("team-members", 2, player_1="5", player_2="6", player_3="17", reason="helps")
    assert "17 Zoe has played for 1 Ants; nobody plays for two teams." in text(elsewhere)


def test_the_groups_are_shown_as_they_would_be_and_drawn_up(desk, organiser):
    told = text(desk.get("seeds"))
    assert "Group A Seed Team Why 1 1 Ants 990.00 WPPR points 2 2 Bees 980.00 WPPR points" in told

    desk.post("draw-up")
    assert list(Seat.objects.values_list("entry__number", "group")) == [(1, "A"), (2, "A"), (3, "A"), (4, "A")]
    assert "The groups are drawn up" in text(desk.get("seeds"))
    assert "Group A, seed 2: 980.00 WPPR points." in text(desk.get("team", 2))

    assert desk.post("take-groups-back", reason="one more came").status_code == 403
    assert "Say why" in text(organiser.post("take-groups-back", reason=""))
    organiser.post("take-groups-back", reason="one more came")
    assert not Seat.objects.exists()


def test_groups_that_have_changed_meanwhile_are_not_drawn_up(desk):
    seen = current_revision(desk.evening.tournament.pk)
    entries.withdraw(desk.evening.entry(4), actor=None, reason="ill")

    stale = desk.post("draw-up", expected=seen)

    assert stale.status_code == 409
    assert not Seat.objects.exists()


def test_teams_level_on_points_are_put_in_order_with_a_reason(desk, organiser, evening):
    evening.teams[5] = evening.register(5, wppr=980)

    told = text(desk.get("seeds"))
    assert "2 Bees and 5 Elks are level on 980.00 WPPR points: put them in order first." in told
    assert desk.post("draw-up").status_code == 409
    order = {"order-2": "2", "order-5": "1"}
    assert "Say why" in text(desk.post("order-seeds", **order))
    assert "each place once" in text(desk.post("order-seeds", **{"order-2": "1", "order-5": "1", "reason": "x"}))

    desk.post("order-seeds", **order, reason="a coin")
    told = text(desk.get("seeds"))
    assert "3 2 Bees 980.00 WPPR points, put in order by ruling" in told
    assert "5 Elks, 2 Bees" in told
    ruling = Ruling.objects.get()
    undo = reverse("desk:undo-ruling", args=["party", "team", "groups", ruling.pk])
    assert desk.client.get(undo).status_code == 403
    confirmed(organiser.client, organiser.client.post(undo, {"reason": "wrong coin"}))
    assert "are level on 980.00 WPPR points" in text(desk.get("seeds"))


def test_all_teams_are_put_in_order_by_ruling(desk, organiser):
    order = {f"order-{number}": str(5 - number) for number in range(1, 5)}
    desk.post("order-seeds", all="yes", **order, reason="as last year")

    assert "1 4 Dogs by ruling" in text(desk.get("seeds"))
    desk.post("draw-up")
    ruling = Ruling.objects.get()
    undo = reverse("desk:undo-ruling", args=["party", "team", "groups", ruling.pk])
    refused = organiser.client.post(undo, {"reason": "no"})
    assert "The groups are drawn up by this order; take them back first." in text(refused)
    late = desk.post("order-seeds", all="yes", **order, reason="again")
    assert "The groups are drawn up; take them back first." in text(late)


def test_a_team_that_comes_after_the_groups_were_drawn_up_is_told_what_to_do(desk, evening):
    groups.draw_up(evening.groups, actor=None)

    refused = desk.post("team-new", **typed(*NEW))

    assert "Take them back and draw them up again with the new team" in text(refused)
    assert Team.objects.count() == 4


def test_a_team_comes_in_for_one_that_has_withdrawn_before_its_first_match(desk, evening):
    evening.begin(machines=4)
    entries.withdraw(evening.entry(4), actor=None, reason="broke down")
    asked = desk.get("team", 4)
    assert "Enter a team that comes in for it" in text(asked)

    page = desk.get("team-new", instead_of=4)
    assert "The team comes in for 4 Dogs" in text(page)
    refused = desk.post("team-new", **typed(*NEW), instead_of="4")
    assert "Say why" in text(refused)
    desk.post("team-new", **typed(*NEW), instead_of="4", reason="was in the hall", key="k")
    desk.post("team-new", **typed(*NEW), instead_of="4", reason="was in the hall", key="k")

    seat = Seat.objects.get(seed=4)
    assert (seat.entry.number, seat.group, seat.why) == (5, "A", "for 4 Dogs")
    assert evening.match(1, 5)
    assert Team.objects.count() == 5


def test_a_team_leaves_is_disqualified_and_comes_back_on_the_shared_page(desk, organiser, evening):
    told = text(desk.get("desk:entry", 2))
    assert "5 Bees One (captain) · 6 Bees Two" in told
    assert "Enter a slip" not in told
    desk.post("desk:entry-act", 2, "withdraw", reason="ill")
    confirmed(desk.client, desk.post("desk:entry-act", 2, "reinstate", reason="well"))
    assert desk.post("desk:entry-act", 2, "disqualify", reason="cheats").status_code == 403
    confirmed(organiser.client, organiser.post("desk:entry-act", 2, "disqualify", reason="cheats"))
    assert evening.entry(2).status == Entry.Status.DISQUALIFIED
    shown = desk.get("team", 2).content.decode()
    assert "Save the players" not in shown


def test_the_shared_page_of_a_team_tells_why_it_is_where_it_is(desk, evening):
    evening.begin(machines=4)
    evening.play({1: 500, 2: 400})

    told = text(desk.get("desk:entry", 1))

    assert "1st in the group, 5 points." in told
    assert "Beat 2 Bees, 500 to 400" in told
    assert "Machine" in told


def test_check_in_is_refused_once_the_first_match_was_called(desk, evening):
    evening.begin(machines=4)
    matches.call(evening.match(1, 2), actor=None)

    refused = desk.post("team-check-in", 1, back="team")
    assert refused.status_code == 422
    assert "it is too late to check in. An organiser can start that match" in text(refused)
    assert "it is too late to check in" in text(desk.post("team-check-in", 2))
    desk.post("team-check-in", 3, back="team")
    assert evening.entry(3).status == Entry.Status.CHECKED_IN


def test_the_pages_are_for_the_desk_of_a_team_tournament_and_nobody_else(desk, evening):
    official = Desk(evening, "official")
    for page in ("teams", "team-new", "seeds"):
        assert official.get(page).status_code == 403
        assert Client().get(desk.url(page)).status_code == 302
        other = reverse(f"teams:{page}", args=["party", "team", "final"])
        assert desk.client.get(other).status_code == 404
    for page in ("team-check-in", "team-details", "team-members"):
        assert official.post(page, 1).status_code == 403
    for page in ("order-seeds", "draw-up"):
        assert official.post(page).status_code == 403
    assert desk.get("team", 99).status_code == 404
    assert desk.get("team-details", 1).status_code == 302


def test_the_desk_finds_the_pages_from_the_navigation(desk):
    told = desk.get("desk:close").content.decode()

    for page in ("teams", "seeds", "team-new"):
        assert f'href="{desk.url(page)}"' in told


def test_everything_done_to_a_team_stands_in_its_journal(desk, evening):
    desk.post("team-details", 1, name="Great Ants", wppr="5", note="x")
    desk.post("team-check-in", 1)

    lines = Journal.objects.filter(entry=evening.entry(1)).values_list("summary", flat=True)
    assert list(lines) == ["1 Great Ants is here.", "1 Great Ants: name, wppr, note corrected.", lines[2]]
    assert lines[2].startswith("1 Ants entered: 1 Ants One, 2 Ants Two")


def test_a_finalist_that_leaves_is_replaced_on_the_shared_page_and_every_page_agrees():
    evening = Evening(8)
    evening.begin(machines=8)
    evening.play_all()
    desk = Desk(evening, "desk")

    def final(page, *parts):
        return text(desk.client.get(reverse(f"desk:{page}", args=["party", "team", "final", *parts])))

    entries.withdraw(evening.entry(1), actor=None, reason="train")

    assert "1 1 Ants first in group A withdrawn" in final("seats")
    assert "the next best of the leaver's group takes the seat" in final("seats").replace("&#x27;", "'")
    assert "6 Foxes, 2nd in group A" in final("seats")
    assert "1 Ants, seed 1, is withdrawn. Give the seat to the next in the order" in final("slips")
    assert "would be in the final instead" not in text(desk.get("desk:cut"))
    answer = desk.client.post(
        reverse("desk:replace-seat", args=["party", "team", "final"]), {"leaves": 1, "comes": 6, "reason": "train"}
    )
    confirmed(desk.client, answer)
    assert "6 Foxes for 1 Ants" in final("seats")
    assert "Give the seat" not in final("slips")
    assert "would be in the final instead" not in text(desk.get("desk:cut"))


def test_a_team_that_has_withdrawn_is_not_counted_among_the_teams(desk):
    entries.withdraw(Entry.objects.get(number=2, player=None), actor=None, reason="ill")

    assert "3 teams, 0 checked in; 1 withdrawn or disqualified." in text(desk.get("teams"))


def test_who_has_begun_is_not_offered_as_not_here(desk, evening):
    for number in (1, 2, 3):
        desk.post("team-check-in", number)
    evening.begin(machines=4)
    matches.call(evening.match(1, 2), actor=None)

    page = text(desk.get("teams"))

    assert "take the check-in of 3 Cats back" in page
    assert "take the check-in of 1 Ants back" not in page
    assert "Not here after all" not in text(desk.get("team", 1))
    assert "Not here after all" in text(desk.get("team", 3))
