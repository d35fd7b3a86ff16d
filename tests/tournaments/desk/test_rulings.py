"""Rulings on a score: asked, shown, done, told in public, taken back; and late ones."""

import pytest
from django.test import Client

from tests import factories
from tests.tournaments.desk.conftest import Desk, signed_in
from tests.tournaments.desk.reading import confirmed, hidden, text
from tests.tournaments.public.reading import as_a_new_reader as public
from tournaments import formats
from tournaments.live import publicly
from tournaments.models import Journal, Player, Ruling, Score, Seat
from tournaments.services import stages

pytestmark = pytest.mark.django_db


@pytest.fixture
def score(world):
    """Player 1 leads machine 1 before player 2."""
    factories.play(world.stage, world.entries[1], world.machines[0], 800)
    return factories.play(world.stage, world.entries[0], world.machines[0], 1_000)


def ask(desk, score, kind, **typed):
    """The form of a ruling, filled in and sent."""
    asked = {"kind": kind, "reason": "seen by Olu", "seen": Score.objects.get(pk=score.pk).revision, "key": "k"}
    return desk.post("rule", score.pk, **{**asked, **typed})


def take_back(desk, reason="appeal"):
    return confirmed(desk.client, desk.post("undo-ruling", Ruling.objects.latest("pk").pk, reason=reason))


KINDS = [
    ("played-on", 1_000, "fault, played on: the score stands"),
    ("stopped", None, "fault: the game was stopped and is given back"),
    ("extra-ball", 1_000, "the next ball was not played"),
    ("extra-ball-80", 800, "80 % counts (1,000 was reached, 800 counts)"),
    ("extra-ball-zero", 0, "the game counts zero (1,000 was reached, 0 counts)"),
    ("slam-tilt", 1_000, "slam tilt: the score reached stands"),
    ("adjusted", 500, "score adjusted (1,000 was reached, 500 counts)"),
    ("zero", 0, "score set to zero (1,000 was reached, 0 counts)"),
    ("discarded", None, "game discarded: it counts as played and for nothing"),
]


def counted(score):
    stored = Score.objects.get(pk=score.pk)
    return stored.counts if stored.state in Score.COUNTED else None


@pytest.mark.parametrize(("kind", "counts", "words"), KINDS)
def test_a_ruling_is_shown_first_then_done_told_to_everybody_and_taken_back(desk, world, score, kind, counts, words):
    shown = ask(desk, score, kind, value="500")
    assert "Reason: seen by Olu" in text(shown)
    assert not Ruling.objects.exists()

    ruled = confirmed(desk.client, shown)

    assert counted(score) == counts
    told = text(ruled)
    assert "Rulings in force" in told
    assert "dora" in told
    for page in ("players/1/", "machines/M1/"):
        assert f"{words}. seen by Olu" in public(world, page)
    assert f"{words}. seen by Olu" in text(desk.get("entry", 1))

    undone = take_back(desk)
    assert counted(score) == 1_000
    assert "Rulings in force" not in text(undone)
    assert "seen by Olu" not in public(world, "players/1/")


def test_whoever_types_a_reason_is_told_whether_everybody_will_read_it(desk, organiser, world, score):
    assert "Reason shown in public beside the result" in text(desk.get("score", score.pk))
    entry = text(organiser.get("entry", 1))
    assert entry.count("shown in public beside the result") == 1
    assert "Reason kept beside the change Warn" in entry

    kids = factories.qualifying(of=world.show, format="kids", players=1)
    childs = factories.play(kids.stage, kids.entries[0], kids.machines[0], 5)
    assert "shown in public beside the result" not in text(Desk(kids, desk.client).get("score", childs.pk))


def test_the_preview_says_who_passes_whom(desk, score):
    shown = text(ask(desk, score, "zero"))

    assert "1 Player 1 1st, 100 points 2nd, 99 points" in shown
    assert "2 Player 2 2nd, 99 points 1st, 100 points" in shown


def test_the_choices_come_in_the_order_in_which_they_are_needed_each_with_what_it_does(desk, score):
    page = desk.get("score", score.pk)

    assert [choice.kind for group in page.context["groups"] for choice in group.choices] == [
        kind for kind, *_ in KINDS
    ]
    assert "On the last ball: 80 % 800 counts." in text(page)
    assert page.content.decode().count('data-asks="value"') == 1
    assert "checked" not in page.content.decode()


@pytest.mark.parametrize(
    ("kind", "typed", "sentence"),
    [
        ("", {}, "Choose what is ruled."),
        ("hanged", {}, "Choose what is ruled."),
        ("void", {}, "Choose what is ruled."),
        ("adjusted", {"value": "1.5"}, "fraction"),
        ("adjusted", {"value": "1,000"}, "1,000 is the score already."),
        ("zero", {"reason": " "}, "Say why"),
    ],
)
def test_a_ruling_that_cannot_be_read_keeps_what_was_typed_and_changes_nothing(desk, score, kind, typed, sentence):
    before = Journal.objects.count()

    refused = ask(desk, score, kind, **{"reason": "seen by Olu", **typed})

    assert refused.status_code == 422
    assert sentence in text(refused)
    if typed.get("reason") != " ":
        assert 'value="seen by Olu"' in refused.content.decode()
    assert f'value="{typed.get("value", "")}"' in refused.content.decode()
    assert Journal.objects.count() == before


def test_a_second_ruling_waits_until_the_first_is_taken_back_but_a_note_is_added(desk, score):
    confirmed(desk.client, ask(desk, score, "zero"))

    page = desk.get("score", score.pk)
    told = text(page)
    assert "“Score set to zero” is in force. Take it back before anything else is ruled" in told
    assert "Save the correction" not in told
    assert "Take back the last change" not in told
    offered = [choice.kind for group in page.context["groups"] for choice in group.choices]
    assert offered == ["played-on", "extra-ball", "slam-tilt"]

    confirmed(desk.client, ask(desk, score, "slam-tilt", key="k2"))
    assert Ruling.objects.filter(undone_at=None).count() == 2


def test_what_would_change_otherwise_meanwhile_is_not_done(desk, world, score):
    shown = ask(desk, score, "zero")
    factories.play(world.stage, world.entries[2], world.machines[0], 900)

    stale = desk.client.post(shown.wsgi_request.path, hidden(shown))

    assert stale.status_code == 409
    assert "is not what it was when you looked" in text(stale)
    assert counted(score) == 1_000


def test_the_word_sent_twice_rules_once(desk, score):
    """[20]"""
    shown = ask(desk, score, "slam-tilt")

    for _ in range(2):
        confirmed(desk.client, shown)

    assert Ruling.objects.count() == 1


@pytest.mark.parametrize("kind", [kind for kind, _, _ in KINDS])
def test_the_word_sent_twice_is_answered_as_the_first_time_whatever_was_ruled(desk, score, kind):
    """[20]"""
    shown = ask(desk, score, kind, value="500")
    confirmed(desk.client, shown)

    again = confirmed(desk.client, shown)

    assert again.status_code == 200
    assert "This had been sent already; it is done once." in text(again)
    assert again.redirect_chain[-1][0] == desk.url("score", score.pk)
    assert Ruling.objects.count() == 1


def test_a_reason_that_is_too_long_says_so_beside_it(desk, score):
    refused = ask(desk, score, "zero", reason="x" * 501)

    assert refused.status_code == 422
    assert "at most 500 characters" in text(refused)


def test_taking_back_says_when_the_ruling_was_made(desk, score):
    confirmed(desk.client, ask(desk, score, "zero"))
    ruling = Ruling.objects.get()

    asked = text(desk.get("undo-ruling", ruling.pk))

    assert f"Decided at {ruling.decided_at.astimezone(desk.world.show.zone):%H:%M on} " in asked


def test_rulings_are_not_an_officials_and_a_visit_changes_nothing(world, desk, score):
    official = Desk(world, signed_in("official", "olu"))
    before = Journal.objects.count()

    assert ask(official, score, "zero").status_code == 403
    assert official.get("conflicts").status_code == 403
    assert desk.get("rule", score.pk).status_code == 302
    assert Journal.objects.count() == before


def test_nobody_rules_on_a_game_of_their_own(world, score):
    helper = factories.user("desk", "pat")
    Player.objects.filter(number=1).update(account=helper)
    client = Client()
    client.force_login(helper)

    refused = ask(Desk(world, client), score, "adjusted", value="2,000")

    assert refused.status_code == 422
    assert "1 Player 1 is you: somebody else has to rule on your own game." in text(refused)
    assert 'value="2,000"' in refused.content.decode()


def test_a_discarded_game_counts_as_played_and_a_stopped_one_is_given_back(desk, world, score):
    confirmed(desk.client, ask(desk, score, "discarded"))
    assert "1 of 6 games" in text(desk.get("entry", 1))
    take_back(desk)

    confirmed(desk.client, ask(desk, score, "stopped", key="k2"))
    assert "0 of 6 games" in text(desk.get("entry", 1))
    factories.play(world.stage, world.entries[0], world.machines[0], 300)
    refused = desk.post("undo-ruling", Ruling.objects.latest("pk").pk, reason="appeal")
    assert refused.status_code == 422
    assert "1 Player 1 has played the game that was given back" in text(refused)
    assert 'value="appeal"' in refused.content.decode()


def test_taking_back_asks_for_a_reason_and_a_ruling_taken_back_already_says_so(desk, score):
    confirmed(desk.client, ask(desk, score, "zero"))
    ruling = Ruling.objects.get()

    assert "Take back: score set to zero" in text(desk.get("undo-ruling", ruling.pk))
    assert desk.post("undo-ruling", ruling.pk, reason="").status_code == 422
    take_back(desk)
    again = desk.client.post(desk.url("undo-ruling", ruling.pk), {"reason": "x"}, follow=True)
    assert "was taken back already" in text(again)
    assert desk.get("undo-ruling", 999_999).status_code == 404


def test_an_overwritten_score_shows_what_counts_who_when_and_why_in_its_history(desk, score):
    """[13]"""
    confirmed(desk.client, ask(desk, score, "adjusted", value="700"))

    told = text(desk.get("score", score.pk))

    assert "700 counts" in told
    assert "counts: none → 700" in told
    assert "Reason: seen by Olu" in told


# After the stage has been closed


@pytest.fixture
def late():
    """Two of three go on, and have their seats; player 3 would pass player 2 with a better score."""
    world = factories.qualifying(players=3, stock=1, rules={"qualifiers": 2})
    factories.closed(world, [[300], [200], [100]])
    stages.declare_cut(world.stage, actor=None)
    return world


def of(world, number):
    return Score.objects.get(entry=world.entries[number - 1])


def seated():
    return list(Seat.objects.order_by("seed").values_list("entry__number", flat=True))


def test_the_desk_reads_why_it_cannot_change_a_closed_round_and_an_organiser_can(late):
    desk, organiser = (Desk(late, signed_in(role)) for role in ("desk", "organiser"))

    told = text(desk.get("score", of(late, 2).pk))
    assert "an organiser can correct one late, rule on it, and decides what follows" in told
    assert "Late correction" not in told
    page = organiser.get("score", of(late, 2).pk)
    kinds = [choice.kind for group in page.context["groups"] for choice in group.choices]
    assert kinds[:2] == ["corrected", "void"]
    assert ask(desk, of(late, 2), "zero").status_code == 422
    assert ask(desk, of(late, 2), "void").status_code == 422


@pytest.mark.parametrize(("decision", "seats"), [("nothing", [1, 2]), ("replace", [1, 3]), ("reopen", [])])
def test_a_late_correction_names_who_would_go_on_and_leaves_it_to_the_organiser(late, decision, seats):
    """[8]"""
    organiser = Desk(late, signed_in("organiser", "dee"))
    asked = ask(organiser, of(late, 3), "corrected", value="250")
    told = text(asked)
    assert "By the result now 3 Player 3 would be in the second round instead of 2 Player 2." in told
    assert seated() == [1, 2]

    shown = confirmed(organiser.client, asked, late=decision)
    assert seated() == [1, 2]
    done = confirmed(organiser.client, shown)

    assert "Ruled: late correction, 250." in text(done)
    assert of(late, 3).value == 250
    assert seated() == seats
    assert "corrected after the round was closed (100 was recorded, 250 counts)" in public(late, "players/3/")
    line = Journal.objects.filter(ruling__isnull=False).latest("revision")
    assert "would be in the second round" in line.summary

    undo = organiser.post("undo-ruling", Ruling.objects.latest("pk").pk, reason="misread")
    if 'name="shown"' not in undo.content.decode():
        undo = confirmed(organiser.client, undo, late="replace")
    confirmed(organiser.client, undo)
    assert (of(late, 3).value, seated()) == (100, [1, 2])


def test_a_late_change_that_moves_nobody_asks_nothing(late):
    organiser = Desk(late, signed_in("organiser", "dee"))

    confirmed(organiser.client, ask(organiser, of(late, 3), "corrected", value="150"))

    assert of(late, 3).value == 150
    assert seated() == [1, 2]


def test_a_late_void_drops_the_score_everywhere(late):
    """[14]"""
    organiser = Desk(late, signed_in("organiser", "dee"))
    asked = ask(organiser, of(late, 1), "void")
    confirmed(organiser.client, confirmed(organiser.client, asked, late="nothing"))

    assert "300" not in public(late, "machines/M1/").split("Not ranked here")[0]
    assert "made void after the round was closed. seen by Olu" in public(late, "machines/M1/")


def test_the_reason_of_a_ruling_stays_at_the_desk_where_children_play():
    world = factories.qualifying(format="kids", players=0, stock=1)
    child = factories.entry(world.tournament, "Ann Example")
    score = factories.play(world.stage, child, world.machines[0], 1_000)
    desk = Desk(world, signed_in("desk", "dora"))

    confirmed(desk.client, ask(desk, score, "zero", reason="ann was helped"))

    for page in ("players/1/", "machines/M1/"):
        told = public(world, page)
        assert "Ruling: score set to zero" in told
        assert "was helped" not in told
        assert "Example" not in told
    assert "was helped" in text(desk.get("entry", 1))


def test_a_childs_family_name_alone_is_shortened_and_no_other_word_is():
    names = {
        name: formats.public_name(name, formats.get("kids"))
        for name in ("Ann Ball", "Bob Gill-Grant", "Zoë Lee", "Cher")
    }

    assert publicly("Ball, BALL and Gill-Grant: the next ball, ann ball and ZOË LEE here. Cher", names) == (
        "B., B. and G.: the next ball, Ann B. and Zoë L. here. Cher"
    )
    assert publicly("Leeds, Balls and “Lee”", names) == "Leeds, Balls and “L.”"
