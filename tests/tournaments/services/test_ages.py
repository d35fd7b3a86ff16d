"""A tournament with an age limit: who is too old is refused, whose age is unknown is asked about once."""

from datetime import date

import pytest

from tests import factories
from tournaments import selectors
from tournaments.domain.ages import age_on
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.models import Entry, Journal, Player
from tournaments.services import entries, shows

YOUNG, TOO_OLD = date(1996, 7, 25), date(1996, 7, 24)
"""The day is 24 July 2010 and the limit under 14."""
SENTENCE = "Cy Child is 14 years old on 24 July 2010; The Kids is for players under 14."


@pytest.fixture
def kids():
    return factories.tournament(format="kids")


def enter(tournament, **details):
    return entries.register(tournament, actor=None, **{"name": "Cy Child", **details})


def details(entry, **changed):
    known = {name: getattr(entry.player, name) for name in ("name", "email", "born_on")}
    entries.change_details(entry, actor=None, **{**known, **changed})


def unchecked(tournament):
    found = Entry.objects.filter(pk__in=selectors.ages_unchecked(tournament))
    return sorted(found.values_list("number", flat=True))


@pytest.mark.parametrize(
    ("day", "born_on", "age"),
    [
        (date(2010, 7, 24), date(1996, 7, 24), 14),
        (date(2010, 7, 24), date(1996, 7, 25), 13),
        (date(2010, 7, 24), date(2010, 7, 24), 0),
        (date(2010, 2, 28), date(1996, 2, 29), 13),
        (date(2010, 3, 1), date(1996, 2, 29), 14),
        (date(2012, 2, 29), date(1996, 2, 29), 16),
    ],
)
def test_an_age_is_counted_in_whole_years_on_the_day(day, born_on, age):
    assert age_on(day, born_on) == age


# Entering


def test_who_is_too_old_on_the_day_is_refused_and_who_is_a_day_younger_taken(kids):
    with pytest.raises(Refusal) as refused:
        enter(kids, born_on=TOO_OLD)
    assert refused.value.sentence == SENTENCE
    assert refused.value.field == "born_on"
    assert not Player.objects.exists()

    assert enter(kids, born_on=YOUNG).player.born_on == YOUNG
    assert unchecked(kids) == []


def test_without_a_date_of_birth_the_entry_is_taken_and_not_checked(kids):
    enter(kids)

    assert unchecked(kids) == [1]


@pytest.mark.parametrize("format", ["open", "classic"])
def test_where_the_rules_have_no_age_limit_nobody_is_asked(format):
    tournament = factories.tournament(format=format)
    entry = enter(tournament, born_on=TOO_OLD)

    entries.check_in(entry, actor=None)

    assert entry.status == Entry.Status.CHECKED_IN
    assert selectors.ages_unchecked(tournament) == set()
    with pytest.raises(Refusal, match="has no age limit"):
        entries.confirm_age(entry, actor=None)


def test_a_date_of_birth_known_from_another_tournament_counts(kids):
    adult = enter(factories.tournament(kids.show), born_on=TOO_OLD)

    with pytest.raises(Refusal) as refused:
        enter(kids, player=adult.player)

    assert refused.value.sentence == SENTENCE


@pytest.mark.parametrize(
    ("born_on", "sentence"),
    [
        (date(2999, 1, 1), "1 January 2999 is still to come; type the date of birth."),
        (date(1811, 1, 1), "Nobody at the show was born on 1 January 1811; type the date of birth."),
    ],
)
def test_a_date_on_which_nobody_can_have_been_born_is_refused(kids, born_on, sentence):
    with pytest.raises(Refusal) as refused:
        enter(kids, born_on=born_on)

    assert refused.value.sentence == sentence


# Checking in


def test_check_in_asks_for_the_age_and_takes_the_date_of_birth(kids):
    child = enter(kids)

    with pytest.raises(NeedsDecision) as asked:
        entries.check_in(child, actor=None)
    assert (asked.value.settle, asked.value.about) == ("age", (child.pk,))
    assert "The age of 1 Cy Child is not checked; The Kids is for players under 14." in asked.value.sentence
    with pytest.raises(Refusal) as refused:
        entries.check_in(child, actor=None, born_on=TOO_OLD)
    assert refused.value.sentence == SENTENCE
    assert Entry.objects.get().status == Entry.Status.ENTERED
    assert Player.objects.get().born_on is None

    entries.check_in(child, actor=None, born_on=YOUNG)

    assert child.status == Entry.Status.CHECKED_IN
    assert Player.objects.get().born_on == YOUNG
    assert unchecked(kids) == []


def test_somebody_who_has_seen_the_age_says_so_once_and_is_named_in_the_journal(kids):
    desk, child = factories.user("desk", "dora"), enter(kids)

    entries.check_in(child, actor=desk, age_seen=True)

    line = Journal.objects.get(action="check in")
    assert line.actor == desk
    assert line.summary == "1 Cy Child is here. Seen to be under 14."
    assert Entry.objects.get().age_checked_at == line.at
    assert unchecked(kids) == []


def test_who_was_checked_in_elsewhere_is_asked_about_afterwards(kids):
    child = enter(kids)
    entries.check_in(child, actor=None, elsewhere=True)
    assert unchecked(kids) == [1]

    for _ in range(2):
        entries.confirm_age(child, actor=None)

    assert unchecked(kids) == []
    assert Journal.objects.get(action="check age").summary == "1 Cy Child: Seen to be under 14."


# Correcting


def test_a_date_of_birth_corrected_to_one_that_is_too_old_is_refused_as_long_as_the_person_competes(kids):
    child = enter(kids, born_on=YOUNG)

    with pytest.raises(Refusal) as refused:
        details(child, born_on=TOO_OLD)
    assert refused.value.sentence == SENTENCE
    assert Player.objects.get().born_on == YOUNG

    entries.withdraw(child, actor=None, reason="too old after all")
    details(child, born_on=TOO_OLD)
    with pytest.raises(Refusal) as refused:
        entries.reinstate(child, actor=None, reason="let in after all")
    assert refused.value.sentence == SENTENCE


def test_another_date_at_the_desk_than_the_one_known_is_for_an_organiser(kids):
    child = enter(kids, born_on=YOUNG)

    with pytest.raises(Refusal, match="Another date of birth is known of Cy Child"):
        entries.check_in(child, actor=None, born_on=date(2000, 1, 1))


def test_the_journal_says_that_a_date_of_birth_was_corrected_and_never_which(kids):
    child = enter(kids, born_on=YOUNG)
    details(child, born_on=date(2001, 2, 3))
    entries.check_in(child, actor=None)

    told = [f"{line.summary} {line.before} {line.after}" for line in Journal.objects.all()]

    assert any("1 Cy Child: date of birth corrected." in line for line in told)
    assert not any("2001" in line or "1996" in line for line in told)


# Other rules


def test_a_lower_limit_or_a_later_day_that_makes_somebody_too_old_is_refused_with_the_names(kids):
    enter(kids, born_on=YOUNG)
    enter(kids, name="Di Infant", born_on=date(2002, 1, 1))

    with pytest.raises(Refusal, match=r"Not under 12 on 24 July 2010: 1 Cy Child\. Withdraw them first\."):
        shows.change_rules(kids, actor=None, rules={"under_age": 12}, reason="as announced")
    with pytest.raises(Refusal, match=r"Not under 14 on 25 July 2010: 1 Cy Child\."):
        shows.rename_tournament(kids, actor=None, name=kids.name, starts_on=date(2010, 7, 25))


def test_what_was_seen_counts_for_a_stricter_limit_no_longer(kids):
    entries.check_in(enter(kids), actor=None, age_seen=True)

    shows.change_rules(kids, actor=None, rules={"under_age": 16}, reason="as announced")
    assert unchecked(kids) == []
    shows.change_rules(kids, actor=None, rules={"under_age": 12}, reason="as announced")

    assert unchecked(kids) == [1]
    assert "has to be seen again" in Journal.objects.filter(action="change rules").order_by("-revision")[0].summary
