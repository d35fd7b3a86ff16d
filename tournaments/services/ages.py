"""The age limit of a tournament, where its rules have one: who is too old for it, and whose age nobody has checked.

House rules, "age limit (default: under 14 on the day)". The day is that of the tournament.
"""

from collections.abc import Iterable
from datetime import date

from tournaments import selectors
from tournaments.domain.ages import OLDEST, age_on
from tournaments.domain.facts import Standing
from tournaments.domain.refusals import NeedsDecision, Refusal
from tournaments.models import Entry, Player, Tournament
from tournaments.services.change import Log

FIELD = "born_on"


def refuse_too_old(name: str, born_on: date | None, tournament: Tournament) -> None:
    """Raise `Refusal` when somebody born then is too old for a tournament on its day."""
    limit = tournament.age_limit
    if born_on is None or limit is None:
        return
    age = age_on(tournament.starts_on, born_on)
    if age >= limit:
        raise Refusal(
            f"{name} is {age} years old on {_in_words(tournament.starts_on)};"
            f" {tournament.name} is for players under {limit}.",
            field=FIELD,
        )


def refuse_unknown_age(entry: Entry) -> None:
    """Raise `NeedsDecision` (settle "age") unless the age of an entry was checked, where that matters."""
    limit = entry.tournament.age_limit
    if limit is not None and not entry.age_known:
        raise NeedsDecision(
            f"The age of {entry} is not checked; {entry.tournament.name} is for players under {limit}."
            " Type the date of birth, or confirm that you have seen it.",
            settle="age",
            about=(entry.pk,),
            field=FIELD,
        )


def note_birth(player: Player, born_on: date, today: date) -> bool:
    """Keep a date of birth inside a running change; whether it was new.

    Raises `Refusal` for one that cannot be, for another than is known already, and for one that is too old for a
    tournament in which the person competes.
    """
    if player.born_on == born_on:
        return False
    if player.born_on:
        raise Refusal(
            f"Another date of birth is known of {player.name}; an organiser can correct it with the other details.",
            field=FIELD,
        )
    refuse_wrong_birth(player, born_on, today)
    player.born_on = born_on
    player.save(update_fields=[FIELD])
    return True


def refuse_wrong_birth(player: Player, born_on: date | None, today: date) -> None:
    """Raise `Refusal` for a date of birth that cannot be, or is too old for a tournament the person competes in."""
    refuse_impossible(born_on, today)
    entries = Entry.objects.filter(player=player) if player.pk else Entry.objects.none()
    for entry in entries.select_related("tournament").order_by("tournament"):
        if entry.standing == Standing.IN:
            refuse_too_old(player.name, born_on, entry.tournament)


def refuse_impossible(born_on: date | None, today: date) -> None:
    """Raise `Refusal` for a date of birth that lies ahead or longer back than anybody lives."""
    if born_on is None:
        return
    if born_on > today:
        raise Refusal(f"{_in_words(born_on)} is still to come; type the date of birth.", field=FIELD)
    if age_on(today, born_on) > OLDEST:
        raise Refusal(f"Nobody at the show was born on {_in_words(born_on)}; type the date of birth.", field=FIELD)


def follow_rules(tournament: Tournament, earlier_limit: int | None, earlier_day: date, log: Log) -> None:
    """Hold the entries to another age limit or day, inside the change that brings it.

    Raises `Refusal` naming all who would be too old. What an adult has seen was seen for the old limit and day: it
    counts no longer where the new ones are stricter.
    """
    limit = tournament.age_limit
    if limit is None or (limit, tournament.starts_on) == (earlier_limit, earlier_day):
        return
    competing = [entry for entry in _entries(tournament) if entry.standing == Standing.IN]
    over = [
        str(entry) for entry in competing if entry.born_on and age_on(tournament.starts_on, entry.born_on) >= limit
    ]
    if over:
        raise Refusal(
            f"Not under {limit} on {_in_words(tournament.starts_on)}: {', '.join(over)}. Withdraw them first."
        )
    stricter = earlier_limit is None or limit < earlier_limit or tournament.starts_on > earlier_day
    if stricter and tournament.entries.exclude(age_checked_at=None).update(age_checked_at=None):
        log.note("What was seen of the players' ages has to be seen again.")


def _entries(tournament: Tournament) -> Iterable[Entry]:
    return selectors.entered(tournament).order_by("number")


def _in_words(day: date) -> str:
    return f"{day.day} {day:%B %Y}"
