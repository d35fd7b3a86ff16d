"""The rules of a tournament in the admin: each with its meaning, its source and its default, changed with a reason."""

from dataclasses import fields

import pytest

from tests import factories
from tests.tournaments.admin.pages import errors, every_change_is_in_the_journal, text
from tournaments import formats
from tournaments.models import Journal
from tournaments.services import shows, stages

EACH_FORMAT = [kind.key for kind in formats.known()]


@pytest.fixture
def tournament(db):
    return factories.tournament()


def change(pages, tournament, reason="Fewer people came.", **rules):
    typed = {f"rule_{name}": value for name, value in rules.items()}
    return pages.save("tournament", "change", tournament.pk, reason=reason, **typed)


@pytest.mark.parametrize("key", EACH_FORMAT)
def test_every_rule_of_every_format_is_a_field_with_its_meaning_source_and_default(pages, key):
    tournament = factories.tournament(format=key)

    page = pages.get("tournament", "change", tournament.pk)

    form = page.context["adminform"].form
    for line in formats.rule_lines(tournament.kind.Rules()):
        field = form.fields[f"rule_{line.name}"]
        assert field.label == line.label
        assert line.help in field.help_text
        assert line.source.capitalize() in field.help_text
        assert "Default: " in field.help_text
        assert line.label in text(page)
    assert len([name for name in form.fields if name.startswith("rule_")]) == len(fields(tournament.kind.Rules))


def test_defaults_and_sources_are_told_in_words(pages, tournament):
    form = pages.get("tournament", "change", tournament.pk).context["adminform"].form

    told = {name: field.help_text for name, field in form.fields.items()}
    assert told["rule_games_allowed"] == (
        "How many games a player may play in qualifying. From the rules. Default: 6."
    )
    assert "linear-100, papa, count-down, or a list such as" in told["rule_points"]
    assert told["rule_points"].endswith("Our choice. Default: linear-100.")
    assert "settled by a play-off game, or by the organisers' ruling." in told["rule_cut_ties"]


def test_rules_are_changed_with_a_reason(pages, tournament):
    answer = change(pages, tournament, qualifiers="16", points="papa")

    assert answer.status_code == 302
    tournament.refresh_from_db()
    assert tournament.rules == {"qualifiers": 16, "points": "papa"}
    line = Journal.objects.filter(tournament=tournament).order_by("-revision").first()
    assert (line.action, line.reason, line.actor.username) == ("change rules", "Fewer people came.", "olivia")
    assert every_change_is_in_the_journal()


def test_a_rule_put_back_to_its_default_is_kept_as_chosen(pages, tournament):
    change(pages, tournament, qualifiers="16")
    change(pages, tournament, qualifiers="24")

    tournament.refresh_from_db()
    assert tournament.rules == {"qualifiers": 24}


@pytest.mark.parametrize("typed", ["15, 12, 10, 8", "[15, 12, 10, 8]", "[15,12,10,8]", " 15,12, 10,8, "])
def test_points_may_be_a_list(pages, tournament, typed):
    change(pages, tournament, points=typed)

    tournament.refresh_from_db()
    assert tournament.rules == {"points": [15, 12, 10, 8]}
    assert pages.shown("tournament", "change", tournament.pk)["rule_points"] == "15, 12, 10, 8"
    revision = tournament.revision
    pages.save("tournament", "change", tournament.pk)
    tournament.refresh_from_db()
    assert tournament.revision == revision


@pytest.mark.parametrize(
    ("rule", "typed", "sentence"),
    [
        ("games_allowed", "0", "Games allowed: 0 is not between 1 and"),
        ("games_allowed", "six", "Write a whole number."),
        ("games_allowed", "1.5", "Write a whole number."),
        ("games_allowed", "", "This field is required."),
        ("games_counted", "7", "7 games cannot count when only 6 are allowed."),
        ("points", "prizes", "Points on a machine: “prizes” is not a points scale"),
        ("points", "10, 12", "Points on a machine: Points must not rise from a better place to a worse one."),
        ("points", "15; 12", "Write a list of whole numbers such as 15, 12, 10, 8."),
        ("points", "1.5, 1", "Points on a machine: A list of points holds whole numbers only."),
        ("points", "", "This field is required."),
        ("cut_ties", "coin", "Select a valid choice."),
    ],
)
def test_a_rule_that_cannot_be_is_refused_beside_its_field_and_kept(pages, tournament, rule, typed, sentence):
    answer = change(pages, tournament, reason="A try.", **{rule: typed})

    assert answer.status_code == 200
    found = errors(answer)
    assert list(found) == [f"rule_{rule}"]
    assert found[f"rule_{rule}"][0].startswith(sentence)
    assert f'value="{typed}"' in answer.content.decode() or rule == "cut_ties" or not typed
    assert 'value="A try."' in answer.content.decode()
    tournament.refresh_from_db()
    assert tournament.rules == {}


def test_a_rule_changes_only_with_a_reason_and_what_was_typed_stays(pages, tournament):
    answer = change(pages, tournament, reason="  ", qualifiers="16")

    assert errors(answer) == {"reason": ["Say why, in a few words; it is kept beside the change."]}
    assert pages.client.get(pages.url("tournament", "change", tournament.pk)).status_code == 200
    assert 'name="rule_qualifiers" value="16"' in answer.content.decode()
    assert every_change_is_in_the_journal()


def test_a_new_name_is_not_kept_when_the_rules_are_refused(pages, tournament):
    answer = pages.save("tournament", "change", tournament.pk, name="Renamed", rule_qualifiers="16")

    assert answer.status_code == 200
    tournament.refresh_from_db()
    assert (tournament.name, tournament.rules) == ("The Open", {})


def test_rules_and_name_are_changed_in_one_save(pages, tournament):
    pages.save("tournament", "change", tournament.pk, name="Renamed", rule_qualifiers="16", reason="Few.")

    tournament.refresh_from_db()
    assert (tournament.name, tournament.rules) == ("Renamed", {"qualifiers": 16})
    assert every_change_is_in_the_journal()


def test_rules_somebody_else_has_changed_meanwhile_are_named(pages, tournament):
    form = pages.shown("tournament", "change", tournament.pk)
    shows.change_rules(tournament, actor=None, rules={"qualifiers": 8}, reason="Decided.")

    answer = pages.send(
        "tournament", "change", tournament.pk, form={**form, "rule_qualifiers": "16", "reason": "Few."}
    )

    assert "Go on from qualifying is now “8”" in errors(answer)[None][0]
    tournament.refresh_from_db()
    assert tournament.rules == {"qualifiers": 8}


def test_the_rules_cannot_change_once_the_cut_is_declared(pages):
    world = factories.closed(factories.qualifying(players=3, rules={"qualifiers": 2}), [[3], [2], [1]])
    stages.declare_cut(world.stage, actor=None)

    answer = change(pages, world.tournament, qualifiers="3")

    assert errors(answer) == {None: ["The cut of The Open is declared; take it back before changing the rules."]}
    assert 'name="rule_qualifiers" value="3"' in answer.content.decode()


def test_games_that_were_played_are_not_one_too_many_afterwards(pages):
    world = factories.qualifying(players=1)
    factories.standings(world, [[1, 2, 3]])

    answer = change(pages, world.tournament, games_allowed="2", games_counted="2")

    (sentence,) = errors(answer)[None]
    assert "1 Player 1" in sentence
    assert 'name="rule_games_allowed" value="2"' in answer.content.decode()
    world.tournament.refresh_from_db()
    assert world.tournament.rules == {}


def test_raw_rules_in_a_form_made_by_hand_are_ignored(pages, tournament):
    pages.save("tournament", "change", tournament.pk, rules='{"qualifiers": 2}')

    tournament.refresh_from_db()
    assert tournament.rules == {}


def test_the_form_for_a_new_tournament_says_what_can_be_played_so_far(pages, db):
    words = text(pages.get("tournament", "add"))

    for kind in formats.known():
        assert kind.label in words
        for label in formats.not_yet(kind):
            assert label.lower() in words
