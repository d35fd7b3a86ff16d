"""Shows, tournaments, their rules and their times."""

from collections.abc import Collection, Mapping
from datetime import date, datetime
from typing import Any

from django.core.exceptions import ValidationError

from tournaments import formats, selectors
from tournaments.domain.facts import Phase, QualifyingRules
from tournaments.domain.refusals import Refusal
from tournaments.models import Player, Show, Stage, Tournament
from tournaments.services import ages
from tournaments.services.change import Actor, all_or_nothing, change, change_shared, refuse_unkept

PAGES_OF_A_SHOW = ("machines",)
"""What stands in addresses where a tournament's short name could stand."""


def create_show(
    *,
    actor: Actor,
    name: str,
    slug: str,
    starts_on: date,
    ends_on: date,
    venue: str = "",
    time_zone: str = "Europe/London",
    rehearsal: bool = False,
) -> Show:
    """A new show; raises `Refusal` with every fault of the fields."""
    show = Show(
        name=name,
        slug=slug,
        starts_on=starts_on,
        ends_on=ends_on,
        venue=venue,
        time_zone=time_zone,
        rehearsal=rehearsal,
    )
    with all_or_nothing():
        checked(show)
        show.save()
        with change_shared(show, actor=actor, action="create show") as log:
            log.write(f"{show} was created.", after={"name": name, "slug": slug})
    return show


def change_show(
    show: Show,
    *,
    actor: Actor,
    name: str,
    starts_on: date,
    ends_on: date,
    venue: str = "",
    time_zone: str = "Europe/London",
    expected: int | None = None,
) -> None:
    """Another name, days, venue or time zone, noted in every tournament of the show: all their pages name it.

    `expected` is the show's revision that the person looked at.
    """
    typed = {"name": name, "starts_on": starts_on, "ends_on": ends_on, "venue": venue, "time_zone": time_zone}
    with all_or_nothing():
        stored = Show.objects.get(pk=show.pk)
        changed = [field for field, value in typed.items() if getattr(stored, field) != value]
        if not changed:
            return
        before = {field: str(getattr(stored, field)) for field in changed}
        for field in changed:
            setattr(stored, field, typed[field])
        checked(stored)
        after = {field: str(typed[field]) for field in changed}
        for tournament in stored.tournaments.order_by("pk"):
            with change(tournament, actor=actor, action="change show") as log:
                log.write(f"{stored}: details corrected.", before=before, after=after)
        # Last, because its row is locked after those of the tournaments, always.
        with change_shared(stored, actor=actor, action="change show", expected=expected) as log:
            stored.save(update_fields=changed)
            log.write(f"{stored}: details corrected.", before=before, after=after)
    show.refresh_from_db()


def create_tournament(
    *,
    actor: Actor,
    show: Show,
    name: str,
    slug: str,
    format: str,
    starts_on: date,
    rules: Mapping[str, Any] | None = None,
) -> Tournament:
    """A new tournament with the stages of its format, all planned."""
    tournament = Tournament(
        show=show, name=name, slug=slug, format=format, starts_on=starts_on, rules=dict(rules or {})
    )
    with all_or_nothing():
        checked(tournament)
        if slug in PAGES_OF_A_SHOW:
            raise Refusal(f"The short name “{slug}” is that of a page of the show; choose another.", field="slug")
        _check_rules(tournament.kind, tournament.rules)
        tournament.save()
        for position, spec in enumerate(tournament.kind.stages, start=1):
            Stage.objects.create(tournament=tournament, key=spec.key, position=position)
        with change(tournament, actor=actor, action="create tournament") as log:
            log.write(f"{name} was created.", after={"format": format, "rules": tournament.rules})
    return tournament


def change_rules(
    tournament: Tournament, *, actor: Actor, rules: Mapping[str, Any], reason: str, expected: int | None = None
) -> None:
    """Put other rules in force. Scores are kept; tables follow at once. Refused once a cut is declared."""
    with change(tournament, actor=actor, action="change rules", expected=expected) as log:
        stored = Tournament.objects.get(pk=tournament.pk)
        if stored.rules == rules:
            return
        need_reason(reason)
        _check_rules(stored.kind, rules)
        if any(stage.seats.exists() for stage in stored.stages.all()):
            raise Refusal(f"The cut of {stored.name} is declared; take it back before changing the rules.")
        before, limit = stored.rules, stored.age_limit
        stored.rules = dict(rules)
        ages.follow_rules(stored, limit, stored.starts_on, log)
        for stage in stored.stages.all():
            refuse_too_many_games(stage, stored.kind.qualifying(stored.rules_in_force))
        stored.save(update_fields=["rules"])
        tournament.rules = stored.rules
        log.write("The rules were changed.", before=before, after=stored.rules, reason=reason)


def rename_tournament(
    tournament: Tournament, *, actor: Actor, name: str, starts_on: date, expected: int | None = None
) -> None:
    """Another name or day."""
    with change(tournament, actor=actor, action="rename tournament", expected=expected) as log:
        stored = Tournament.objects.get(pk=tournament.pk)
        before, day = {"name": stored.name, "starts_on": stored.starts_on.isoformat()}, stored.starts_on
        stored.name, stored.starts_on = name, starts_on
        checked(stored)
        ages.follow_rules(stored, stored.age_limit, day, log)
        after = {"name": name, "starts_on": starts_on.isoformat()}
        if before == after:
            return
        stored.save(update_fields=["name", "starts_on"])
        tournament.name, tournament.starts_on = name, starts_on
        log.write(f"{before['name']} is now {name}, {starts_on}.", before=before, after=after)


def set_times(
    stage: Stage,
    *,
    actor: Actor,
    opens_at: datetime | None,
    closes_at: datetime | None,
    expected: int | None = None,
) -> None:
    """When play is due to begin, and from when no new game may start."""
    with change(stage.tournament, actor=actor, action="set times", expected=expected) as log:
        stored = Stage.objects.get(pk=stage.pk)
        if opens_at and closes_at and closes_at <= opens_at:
            raise Refusal(f"{stored.label} would close before it opens.", field="closes_at")
        if (stored.opens_at, stored.closes_at) == (opens_at, closes_at):
            return
        if stored.phase(log.now) == Phase.CLOSED:
            raise Refusal(f"{stored.label} is closed; its times no longer matter.")
        before = {"opens_at": iso(stored.opens_at), "closes_at": iso(stored.closes_at)}
        stored.opens_at, stored.closes_at = opens_at, closes_at
        stored.save(update_fields=["opens_at", "closes_at"])
        stage.opens_at, stage.closes_at = opens_at, closes_at
        log.write(
            f"{stored.label}: times set.",
            before=before,
            after={"opens_at": iso(opens_at), "closes_at": iso(closes_at)},
        )


def checked(instance: Any) -> None:
    """Raise `Refusal` with every fault that the model's own fields and constraints find."""
    try:
        instance.full_clean()
    except ValidationError as error:
        sentences = [
            sentence if name == "__all__" else f"{instance._meta.get_field(name).verbose_name}: {sentence}"
            for name, found in error.message_dict.items()
            for sentence in found
        ]
        raise Refusal(" ".join(sentences), field=next(iter(error.message_dict))) from error


def need_reason(reason: str) -> None:
    """Raise `Refusal` unless a reason is given that can be kept: whatever alters a result says why."""
    refuse_unkept(reason)
    if not reason.strip():
        raise Refusal("Say why, in a few words; it is kept beside the change.", field="reason")


def refuse_own_game(actor: Actor, entries: Collection[int]) -> None:
    """Raise `Refusal` when who acts is one of the players concerned, by the account of the person.

    Our choice, as at every table: nobody rules on a game of their own.
    """
    player = Player.objects.filter(account=actor).first() if actor else None
    for entry in selectors.entries_with(player) if player else ():
        if entry.pk in entries:
            is_you = "is you" if entry.player_id else "is yours"
            raise Refusal(f"{entry} {is_you}: somebody else has to rule on your own game.")


def refuse_too_many_games(stage: Stage, rules: QualifyingRules) -> None:
    """Raise `Refusal` with all concerned when somebody has played more in the stage than the rules then allow."""
    over = selectors.too_many_games(stage, rules)
    if over:
        raise Refusal(f"More games than would then be allowed have been played by {', '.join(map(str, over))}.")


def _check_rules(kind: formats.Format, rules: Mapping[str, Any]) -> None:
    try:
        formats.new_rules(kind, rules)
    except formats.RulesFault as fault:
        raise Refusal(str(fault), field="rules") from fault


def iso(moment: datetime | None) -> str | None:
    """A moment as the journal keeps it."""
    return moment.isoformat() if moment else None
