"""The contract of every format installed, and how rules are read."""

import re
from dataclasses import FrozenInstanceError, dataclass, fields, replace
from random import Random

import pytest
from django.template.loader import get_template

from tests.tournaments.domain.random_stage import random_facts
from tournaments import formats
from tournaments.domain.facts import QualifyingRules
from tournaments.domain.refusals import Refusal
from tournaments.formats import FROM_THE_RULES, OUR_CHOICE, RulesFault, read_rules, rule, rule_lines

every_format = pytest.mark.parametrize("chosen", formats.known(), ids=lambda chosen: chosen.key)


# The contract


def test_formats_are_found_by_key_and_no_two_share_one():
    keys = [chosen.key for chosen in formats.known()]

    assert keys
    assert len(keys) == len(set(keys))
    assert all(formats.get(key).key == key for key in keys)
    assert formats.choices() == [(chosen.key, chosen.label) for chosen in formats.known()]


@every_format
def test_a_key_is_taken_once(chosen):
    @dataclass(frozen=True)
    class Twin:
        key: str = chosen.key

    formats.register(chosen)
    with pytest.raises(ValueError, match="There are two formats called"):
        formats.register(Twin())
    assert formats.get(chosen.key) is chosen


@every_format
def test_stages_have_keys_of_their_own_and_come_from_an_earlier_one(chosen):
    keys = [spec.key for spec in chosen.stages]

    assert len(keys) == len(set(keys))
    assert chosen.stages[0].comes_from == ""
    for number, spec in enumerate(chosen.stages[1:], start=1):
        assert spec.comes_from in keys[:number]
    assert all(spec.label and spec.label[0].isupper() for spec in chosen.stages)


@every_format
def test_the_rules_without_a_setting_are_valid_and_cannot_be_changed_in_place(chosen):
    rules = read_rules(chosen.Rules, {})

    assert rules == chosen.Rules()
    with pytest.raises(FrozenInstanceError):
        setattr(rules, fields(rules)[0].name, 1)


@every_format
def test_every_default_could_have_been_typed(chosen):
    typed = {line.name: line.default for line in rule_lines(chosen.Rules())}

    assert read_rules(chosen.Rules, typed) == chosen.Rules()


@every_format
def test_every_rule_says_what_it_is_and_where_it_comes_from(chosen):
    for line in rule_lines(chosen.Rules()):
        assert line.label[0].isupper(), line.name
        assert line.help.endswith("."), line.name
        assert line.source in (FROM_THE_RULES, OUR_CHOICE), line.name
        assert line.value == line.default


@every_format
@pytest.mark.parametrize("seed", range(20))
def test_the_table_is_the_same_in_whatever_order_the_facts_come(chosen, seed):
    rules = chosen.Rules()
    facts = random_facts(QualifyingRules(), seed)
    random = Random(seed)
    shuffled = replace(
        facts,
        **{
            name: tuple(random.sample(getattr(facts, name), len(getattr(facts, name))))
            for name in ("entrants", "machines", "played")
        },
    )

    one, other = chosen.table(facts, rules), chosen.table(shuffled, rules)

    assert one.rows == other.rows
    assert {machine: set(results) for machine, results in one.machines.items()} == {
        machine: set(results) for machine, results in other.machines.items()
    }


@every_format
def test_counting_and_the_cut_follow_from_the_rules(chosen):
    counting = chosen.qualifying(chosen.Rules())

    assert 1 <= counting.games_counted <= counting.games_allowed
    assert counting.games_per_machine >= 1
    assert chosen.qualifiers(chosen.Rules()) >= 1


@every_format
def test_every_panel_belongs_to_a_stage_and_has_a_template(chosen):
    for (stage, _), template in chosen.panels.items():
        assert stage in [spec.key for spec in chosen.stages]
        assert get_template(template, using="jinja2" if template.endswith(".jinja") else "django")


@every_format
def test_a_stage_with_paper_slips_has_something_for_players_and_for_the_desk(chosen):
    for spec in chosen.stages:
        if spec.slips:
            assert {(spec.key, "public"), (spec.key, "desk")} <= set(chosen.panels)


@every_format
def test_a_stage_played_in_groups_is_drawn_by_its_format_for_everybody_and_on_paper(chosen):
    for spec in chosen.stages:
        if spec.grouped:
            assert isinstance(chosen, formats.Grouping)
            assert {(spec.key, "public"), (spec.key, "entry"), (spec.key, "paper")} <= set(chosen.panels)
            assert spec.alone


@every_format
def test_what_competes_has_a_noun_in_small_letters(chosen):
    assert re.fullmatch("[a-z]+", chosen.noun)


# How many can play


@pytest.mark.real_fields
@pytest.mark.parametrize(
    ("key", "fits", "refused", "told"),
    [
        ("open", (8, 24, 48), (2, 6, 9, 23, 50), "Second round: for an even number of players, 8 to 48."),
        ("classic", (4, 5, 8), (2, 3, 9, 24), "Semi-finals: for 4 to 8 players."),
        ("kids", (4, 7, 8), (2, 3, 9, 16), "Semi-finals: for 4 to 8 players."),
    ],
)
def test_no_more_and_no_fewer_go_on_by_new_rules_than_can_play_what_comes_next(key, fits, refused, told):
    kind = formats.get(key)

    for many in fits:
        assert formats.new_rules(kind, {"qualifiers": many}).qualifiers == many
    for many in refused:
        with pytest.raises(RulesFault) as fault:
            formats.new_rules(kind, {"qualifiers": many})
        assert fault.value.faults == [("qualifiers", f"{many} cannot go on from qualifying. {told}")]
        assert read_rules(kind.Rules, {"qualifiers": many}).qualifiers == many, "old rules are read all the same"


@pytest.mark.real_fields
@every_format
def test_the_defaults_can_be_played(chosen):
    assert formats.new_rules(chosen, {}) == chosen.Rules()


@pytest.mark.real_fields
@pytest.mark.parametrize("key", ["open", "classic", "kids"])
def test_what_a_stage_says_it_is_for_can_be_dealt_and_nothing_else_can(key):
    kind = formats.get(key)
    for stage in (spec for spec in kind.stages if spec.fewest > 1):
        for players in range(1, 10):
            machines = range(kind.machines_wanted(stage.key, players)[0])
            try:
                dealt = kind.deal(stage.key, range(players), machines, kind.Rules(), 1)
            except Refusal:
                assert not stage.playable_by(players), players
            else:
                assert stage.playable_by(players) or players > 8, players
                assert sorted({entry for match in dealt for entry in match.entries}) == list(range(players))


# Reading rules


@dataclass(frozen=True, slots=True)
class Rules:
    """Rules of every kind there is."""

    games: int = rule(6, "Games", "How many.", FROM_THE_RULES, least=2, most=9)
    ties: str = rule("share", "Ties", "What happens.", choices={"share": "Share.", "split": "Split."})
    points: str | tuple[int, ...] = rule("papa", "Points", "Per place.", points=True)

    def conflicts(self):
        return [("ties", "Splitting needs three games.")] if self.ties == "split" and self.games < 3 else []


@pytest.mark.parametrize(
    ("stored", "read"),
    [
        ({}, Rules()),
        ({"games": 2}, Rules(games=2)),
        ({"games": 9, "ties": "split"}, Rules(9, "split")),
        ({"points": "linear-100"}, Rules(points="linear-100")),
        ({"points": [15, 12, 12, 0]}, Rules(points=(15, 12, 12, 0))),
        ({"points": (5,)}, Rules(points=(5,))),
    ],
)
def test_rules_are_read_from_what_is_stored(stored, read):
    assert read_rules(Rules, stored) == read


@pytest.mark.parametrize(
    ("stored", "fault"),
    [
        ({"games": 1}, ("games", "Games: 1 is not between 2 and 9.")),
        ({"games": 10}, ("games", "Games: 10 is not between 2 and 9.")),
        ({"games": "6"}, ("games", "Games: “6” is not a whole number.")),
        ({"games": 6.0}, ("games", "Games: “6.0” is not a whole number.")),
        ({"games": True}, ("games", "Games: “True” is not a whole number.")),
        ({"games": None}, ("games", "Games: “None” is not a whole number.")),
        ({"ties": "toss"}, ("ties", "Ties: “toss” is not one of share, split.")),
        ({"ties": ["share"]}, ("ties", "Ties: “['share']” is not one of share, split.")),
        ({"points": 5}, ("points", "Points: give the name of a scale or a list of whole numbers.")),
        ({"points": []}, ("points", "Points: A points scale needs at least one number.")),
        ({"points": [1.5]}, ("points", "Points: A list of points holds whole numbers only.")),
        ({"points": [5, -1]}, ("points", "Points: Points are 0 or more.")),
        ({"points": [5, 6]}, ("points", "Points: Points must not rise from a better place to a worse one.")),
        ({"colour": "red"}, ("colour", "“colour” is not a rule of this format.")),
        ({"games": 2, "ties": "split"}, ("ties", "Splitting needs three games.")),
    ],
)
def test_a_fault_names_the_rule_and_says_what_is_wrong(stored, fault):
    with pytest.raises(RulesFault) as told:
        read_rules(Rules, stored)

    assert told.value.faults == [fault]
    assert str(told.value) == fault[1]


def test_all_faults_are_told_at_once():
    with pytest.raises(RulesFault) as told:
        read_rules(Rules, {"colour": "red", "games": 1, "ties": "toss"})

    assert [name for name, _ in told.value.faults] == ["colour", "games", "ties"]


def test_a_rule_of_no_known_kind_is_a_fault_of_ours():
    @dataclass(frozen=True, slots=True)
    class Odd:
        odd: float = rule(1.5, "Odd", "Odd.")

    with pytest.raises(TypeError, match="rule odd has no kind"):
        read_rules(Odd, {"odd": 2})


def test_rules_in_force_are_told_in_the_order_of_the_format():
    lines = rule_lines(Rules(games=3))

    assert [line.name for line in lines] == ["games", "ties", "points"]
    assert (lines[0].label, lines[0].help, lines[0].value, lines[0].default) == ("Games", "How many.", 3, 6)
    assert [line.source for line in lines] == [FROM_THE_RULES, OUR_CHOICE, OUR_CHOICE]
