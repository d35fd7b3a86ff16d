"""Seeds put in order, groups drawn up and taken back. House rules, "Teams ranked by WPPR points", "Groups"."""

from collections.abc import Sequence

from teams import selectors
from teams.domain.groups import SEEDING
from tournaments.domain.facts import Standing
from tournaments.domain.refusals import Refusal
from tournaments.models import Entry, Match, Ruling, Seat, Stage
from tournaments.services.change import Actor, change
from tournaments.services.shows import need_reason, refuse_own_game
from tournaments.services.undoing import new_ruling


def order_seeds(
    stage: Stage, *, actor: Actor, order: Sequence[int], reason: str, expected: int | None = None
) -> Ruling:
    """Put teams in order, the best first: all of them, or some that are level on WPPR points."""
    with change(stage.tournament, actor=actor, action="rule", expected=expected) as log:
        need_reason(reason)
        _refuse_once_drawn_up(stage)
        entries = Entry.objects.filter(tournament=stage.tournament).in_bulk(list(order))
        if len(order) < 2 or len(entries) != len(order):
            raise Refusal("Name two teams at least, each once.")
        refuse_own_game(actor, list(order))
        _refuse_neither_all_nor_level(stage, set(order))
        kind, about = Ruling.Kind(SEEDING), {"stage": stage, "data": {"order": list(order)}}
        ruling = new_ruling(stage.tournament, actor=actor, log=log, kind=kind, reason=reason, **about)
        ruling.save()
        told = ", ".join(str(entries[entry]) for entry in order)
        log.write(f"Order of seeds: {told}.", after=ruling.data, reason=reason, ruling=ruling)
    return ruling


def draw_up(stage: Stage, *, actor: Actor, expected: int | None = None) -> tuple[Seat, ...]:
    """Freeze the groups: every team that competes has a seat with its seed and its group."""
    with change(stage.tournament, actor=actor, action="draw up groups", expected=expected) as log:
        stored = Stage.objects.select_related("tournament__show").get(pk=stage.pk)
        seats = tuple(stored.seats.select_related("entry"))
        if seats:
            return seats
        seats = tuple(
            Seat(stage=stored, entry=each.entry, seed=each.seed, group=each.group, why=each.why)
            for each in selectors.proposed(stored)
        )
        Seat.objects.bulk_create(seats)
        groups: dict[str, list[int]] = {}
        for seat in seats:
            groups.setdefault(seat.group, []).append(seat.entry_id)
        log.write(
            f"{len(groups)} group{'' if len(groups) == 1 else 's'} drawn up: {len(seats)} teams.",
            after={"groups": groups},
        )
    return seats


def take_back(stage: Stage, *, actor: Actor, reason: str, expected: int | None = None) -> None:
    """Take the groups back, before matches are published for them."""
    with change(stage.tournament, actor=actor, action="take groups back", expected=expected) as log:
        stored = Stage.objects.select_related("tournament").get(pk=stage.pk)
        seats = list(stored.seats.order_by("seed").values_list("group", "entry_id"))
        if not seats:
            return
        need_reason(reason)
        if stored.state != Stage.State.PLANNED:
            raise Refusal(f"{stored.label} has begun.")
        if stored.matches.exclude(state=Match.State.VOID).exists():
            raise Refusal("The matches of the groups are published; take them back first.")
        stored.seats.all().delete()
        log.write("The groups are taken back.", before={"seats": [list(seat) for seat in seats]}, reason=reason)


def _refuse_neither_all_nor_level(stage: Stage, named: set[int]) -> None:
    """Among teams of different points an order would part nobody, unless it is one of all teams."""
    points = {
        team.entry_id: team.wppr for team in selectors.teams(stage.tournament) if team.entry.standing == Standing.IN
    }
    if not named >= set(points) and len({points.get(entry) for entry in named}) > 1:
        raise Refusal("Put all teams in order, or only teams that are level on WPPR points.")


def _refuse_once_drawn_up(stage: Stage) -> None:
    if Seat.objects.filter(stage=stage).exists():
        raise Refusal("The groups are drawn up; take them back first.")
