"""Small worlds for tests, built through the services: no test starts from a state the desk could not reach.

    world = factories.qualifying(players=3, stock=4)          # an open qualifying stage
    factories.play(world.stage, world.entries[0], world.machines[0], 1_000_000)
    factories.standings(world, [[500, 400], [300, 200]])         # a whole table, row by row
    world = factories.seated()                                   # eight players before the semi-finals
    one, other = factories.dealt(world, "semi-finals")           # the games, opened
    factories.scored(one, 400, 300, 200, 100)                    # one score for each side

Everything is named predictably: entries are numbers 1, 2, 3 … called "Player 1" …, machines have the codes M1, M2 …
"""

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any, NamedTuple

from django.contrib.auth.models import Group, User

from tests.shelf import kept
from tests.tournaments.exchange.folders import published
from tournaments.models import Entry, Machine, Match, Score, Show, Stage, Tournament
from tournaments.services import entries as entries_service
from tournaments.services import exchange
from tournaments.services import machines as machines_service
from tournaments.services import matches as matches_service
from tournaments.services import redraw as redraw_service
from tournaments.services import scores as scores_service
from tournaments.services import shows as shows_service
from tournaments.services import stages as stages_service

DAY = date(2010, 7, 24)


class World(NamedTuple):
    """A tournament whose first stage is open (or still planned, if asked for)."""

    show: Show
    tournament: Tournament
    stage: Stage
    machines: tuple[Machine, ...]
    entries: tuple[Entry, ...]


def user(role: str = "desk", name: str = "", **details: Any) -> User:
    """Somebody of a group: organiser, desk or official; `role=""` is in none."""
    made = User.objects.create_user(name or role or "somebody", password="secret-of-the-hall", **details)
    if role:
        made.groups.add(Group.objects.get_or_create(name=role)[0])
    return made


def show(slug: str = "party", **details: Any) -> Show:
    """A show of one day in London, unless `details` say otherwise."""
    defaults = {"name": "UK Pinball Party", "starts_on": DAY, "ends_on": DAY}
    return shows_service.create_show(actor=None, slug=slug, **{**defaults, **details})


@kept
def tournament(
    of: Show | None = None,
    *,
    format: str = "open",
    slug: str = "",
    name: str = "",
    rules: dict[str, Any] | None = None,
) -> Tournament:
    """A tournament of the show with all its stages planned; a show of its own when none is given."""
    return shows_service.create_tournament(
        actor=None,
        show=of or show(),
        name=name or f"The {format.title()}",
        slug=slug or format,
        format=format,
        starts_on=DAY,
        rules=rules,
    )


def stage(of: Tournament, key: str = "") -> Stage:
    """The stage with this key, or the first one."""
    stages = Stage.objects.select_related("tournament__show").filter(tournament=of)
    return stages.get(key=key) if key else stages.order_by("position")[0]


def machine(of: Show, code: str, name: str = "", **details: Any) -> Machine:
    """A machine of the show."""
    return machines_service.add(of, actor=None, code=code, name=name or f"Machine {code}", **details)


def machines(used_in: Stage, count: int = 6) -> tuple[Machine, ...]:
    """So many machines M1, M2 … of the show, all used in the stage; those there already are used again."""
    show = used_in.tournament.show
    made = []
    for number in range(1, count + 1):
        found = Machine.objects.filter(show=show, code=f"M{number}").first()
        made.append(found or machine(show, f"M{number}", f"Machine {number}"))
        machines_service.use(used_in, actor=None, machine=made[-1])
    return tuple(made)


def entry(of: Tournament, name: str, **details: Any) -> Entry:
    """One entry; a namesake is taken as another person without asking."""
    return entries_service.register(of, actor=None, name=name, namesake_is_another=True, **details)


def entries(of: Tournament, count: int) -> tuple[Entry, ...]:
    """So many entries, numbered on from the highest: "Player 1", "Player 2" …"""
    first = of.entries.count() + 1
    return tuple(entry(of, f"Player {number}") for number in range(first, first + count))


@kept
def qualifying(
    *,
    players: int = 2,
    stock: int = 6,
    format: str = "open",
    rules: dict[str, Any] | None = None,
    of: Show | None = None,
    opened: bool = True,
    closes_at: datetime | None = None,
) -> World:
    """A tournament with so many players and machines whose first stage is open; `closes_at` must lie ahead."""
    first = stage(tournament(of, format=format, rules=rules))
    made = first.tournament
    used = machines(first, stock)
    entered = entries(made, players)
    if closes_at:
        shows_service.set_times(first, actor=None, opens_at=None, closes_at=closes_at)
    if opened:
        stages_service.open_stage(first, actor=None)
    return World(made.show, made, first, used, entered)


@kept
def imported(name: str) -> Tournament:
    """The tournament of a folder of real results, imported."""
    exchange.import_files(published(name), actor=None)
    return Tournament.objects.select_related("show").get()


def play(stage: Stage, entry: Entry, machine: Machine, value: int, **details: Any) -> Score:
    """A score, taken for sure however unlikely it looks."""
    return scores_service.record(
        stage, actor=None, entry=entry, machine=machine, value=value, sure=value, **details
    ).score


def standings(world: World, rows: Sequence[Sequence[int | None]]) -> None:
    """Scores for the whole table: one row per entry, one value per machine; None is a machine not played."""
    for entrant, values in zip(world.entries, rows, strict=False):
        for used, value in zip(world.machines, values, strict=False):
            if value is not None:
                play(world.stage, entrant, used, value)


def closed(world: World, rows: Sequence[Sequence[int | None]]) -> World:
    """The same world after these scores, with its first stage closed."""
    standings(world, rows)
    stages_service.close_stage(world.stage, actor=None)
    return world


@kept
def seated(
    *, format: str = "classic", players: int = 10, qualifiers: int = 8, stock: int = 4, of: Show | None = None
) -> World:
    """A tournament whose first cut is declared; everybody is seeded by number: seed 1 is "1 Player 1"."""
    world = qualifying(format=format, players=players, stock=stock, rules={"qualifiers": qualifiers}, of=of)
    closed(world, [[1_000 * (players - number)] for number in range(players)])
    stages_service.declare_cut(world.stage, actor=None)
    return world


@kept
def redrawn() -> World:
    """24 players in the second round on M1 to M12: game 1 played, M3 replaced by M13, and player 7 has gone home."""
    world = seated(format="open", players=24, qualifiers=24, stock=13)
    for match in dealt(world, "second-round"):
        if match.round == 1:
            scored(match, 2_000, 1_000)
    entries_service.withdraw(world.entries[6], actor=None, reason="went home")
    redraw_service.publish(
        stage(world.tournament, "second-round"),
        actor=None,
        out={world.machines[2].pk: world.machines[12].pk},
        reason="the display died",
    )
    return world


def dealt(world: World, key: str, *, machines: Sequence[Machine] = (), opened: bool = True) -> tuple[Match, ...]:
    """The matches of a stage that has its seats, in their order, on the first machines unless others are named."""
    chosen = stage(world.tournament, key)
    least, _ = world.tournament.kind.machines_wanted(key, chosen.seats.count())
    matches_service.deal(chosen, actor=None, machines=machines or world.machines[:least])
    if opened:
        stages_service.open_stage(chosen, actor=None)
    return matches(world, key)


def matches(world: World, key: str) -> tuple[Match, ...]:
    """The matches of a stage as they are stored now, without those taken back."""
    found = Match.objects.exclude(state=Match.State.VOID).select_related("stage__tournament__show", "machine")
    return tuple(found.filter(stage=stage(world.tournament, key)).order_by("round", "order"))


def scored(match: Match, *values: int | None) -> list[Score]:
    """These scores for the sides of a match in the order in which they choose; None is a score still to come."""
    return [
        matches_service.record(match, actor=None, entry=side.entry_id, value=value, sure=value).score
        for side, value in zip(match.sides.order_by("rank"), values, strict=True)
        if value is not None
    ]
