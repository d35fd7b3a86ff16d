"""From the database to teams, their members, and the groups as they would be; never writes."""

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Count, Prefetch, Q, QuerySet

from teams.domain import groups
from teams.format import GROUPS, TEAM
from teams.models import Team, TeamMember
from tournaments import selectors
from tournaments.domain.facts import Standing
from tournaments.domain.refusals import Refusal
from tournaments.domain.standings import place_words
from tournaments.line_ups import Member
from tournaments.models import Entry, Journal, Match, Player, Ruling, Score, Seat, Show, Side, Stage, Tournament


class Proposed(NamedTuple):
    """A team with the seed and the group that it would have, and why that seed."""

    seed: int
    group: str
    entry: Entry
    why: str


class LineUps:
    """Says to shared code who is behind the entry of a team."""

    def pairs(self, *, entries: Collection[int] = (), players: Collection[int] = ()) -> Iterable[tuple[int, int]]:
        """(entry, player) of all these teams, or of all teams of these persons; also by another record of them."""
        records = selectors.records_of(Player.objects.filter(pk__in=players)) if players else []
        wanted = {*players, *(record.pk for record in records)}
        found = TeamMember.objects.filter(Q(team__entry__in=entries) | Q(player__in=wanted), left_at=None)
        pairs = [(member.team.entry_id, person.pk) for member, person in _people_of(found)]
        return [pair for pair in pairs if pair[0] in entries or pair[1] in wanted]

    def members(self, tournament: Tournament) -> Iterable[Member]:
        """Everybody in a team of the tournament, team by team in their order; no other format has any."""
        if tournament.kind is not TEAM:
            return []
        found = TeamMember.objects.filter(tournament=tournament, left_at=None).order_by("team", "position")
        return [
            Member(member.team.entry_id, person, "captain" if member.captain else "")
            for member, person in _people_of(found)
        ]

    def handicaps(self, entries: Collection[int]) -> Mapping[int, str]:
        """Which ball a team of too few does not play, by the rules of its tournament.

        Source: the rules text, "the team may compete with 3 players, but they may only use 3 balls".
        """
        here = Count("members", filter=Q(members__left_at=None))
        found = Team.objects.filter(entry__in=entries).annotate(here=here).select_related("entry__tournament")
        told = {team.entry_id: balls(team.entry.tournament.rules_in_force.players, team.here) for team in found}
        return {entry: words for entry, words in told.items() if words}

    def why_two(self, one: Player, other: Player) -> str:
        """Nobody is in two teams of a tournament, nor twice in one; whoever has played for one counts as well."""
        places = {member.tournament_id: member for member in _everywhere(one)}
        for second in _everywhere(other):
            first = places.get(second.tournament_id)
            if first is None:
                continue
            if first.team_id == second.team_id:
                return f"{one} and {other} are both in {first.team}; take one of them out of the team first."
            return (
                f"{one} {_is_in(first)} {first.team} and {other} {_is_in(second)} {second.team};"
                " nobody plays for two teams."
            )
        return ""

    def why_not_back(self, entry: Entry) -> str:
        """A team that withdrew cannot come back while players of it are in another one and too few are left."""
        team = Team.objects.filter(entry=entry).first()
        if team is None:
            return ""
        here, rules = line_up(team), entry.tournament.rules_in_force
        if len(here) >= rules.fewest_players and any(member.captain for member in here):
            return ""
        away = [place for place in _let_go_by(team) if place.team_id != team.pk]
        told = " and ".join(f"{place.player} plays for {place.team}" for place in away)
        why = f"{told} now" if told else f"only {len(here)} of its players are known"
        return (
            f"{entry} cannot come back: {why}. Say first who plays for {entry} instead,"
            f" {rules.fewest_players} at least and one of them the captain."
        )


CAME_FROM = "came_from"
"""In the journal: player by player the entry of a withdrawn team that they have left for another one."""


def _let_go_by(team: Team) -> list[TeamMember]:
    """Where the players of a team that withdrew are now who have joined another one since, by number."""
    lines = Journal.objects.filter(tournament=team.entry.tournament_id, after__has_key=CAME_FROM)
    left = {
        int(player)
        for after in lines.values_list("after", flat=True)
        for player, entry in (after or {})[CAME_FROM].items()
        if entry == team.entry_id
    }
    people = Player.objects.select_related("show").filter(pk__in=left).order_by("number")
    return [place for player in people if (place := place_of(team.entry.tournament, player))]


def balls(whole: int, here: int) -> str:
    """ "3 players, 3 balls: the 4th ball must be allowed to drain."; "" for a team that is whole."""
    missing = whole - here
    if missing <= 0:
        return ""
    drained = f"the {place_words(whole)} ball" if missing == 1 else f"the last {missing} balls"
    return f"{here} players, {here} balls: {drained} must be allowed to drain."


def _everywhere(player: Player) -> list[TeamMember]:
    """Where a person is in a team, or was and has played, by any record of the person."""
    found = TeamMember.objects.filter(player__in=selectors.records_of([player]))
    return list(found.select_related("team__entry").order_by("tournament_id"))


def _is_in(member: TeamMember) -> str:
    return "has played for" if member.left_at else "is in"


def _with_people(members: QuerySet[TeamMember]) -> QuerySet[TeamMember]:
    return members.select_related("team", "player__show")


def _people_of(members: QuerySet[TeamMember]) -> list[tuple[TeamMember, Player]]:
    """Members with the records that stand for them, in a number of queries that does not depend on how many."""
    found = list(_with_people(members))
    stands = selectors.kept_of(member.player for member in found)
    return [(member, stands[member.player_id]) for member in found]


def groups_stage(tournament: Tournament) -> Stage:
    """The stage of a team tournament in which its teams register."""
    return Stage.objects.select_related("tournament__show").get(tournament=tournament, key=GROUPS.key)


def group_seats(stage: Stage) -> list[Seat]:
    """The seats of the groups, group by group and in seed order."""
    return list(Seat.objects.filter(stage=stage).select_related("entry").order_by("group", "seed"))


def published(stage: Stage) -> bool:
    """Whether matches of the groups are announced."""
    return Match.objects.filter(stage=stage).exclude(state=Match.State.VOID).exists()


def seat_of(stage: Stage, entry: Entry) -> Seat | None:
    """The seat of a team in the groups, once they are drawn up."""
    return Seat.objects.filter(stage=stage, entry=entry).first()


def teams(tournament: Tournament) -> QuerySet[Team]:
    """The teams of a tournament by number, with their members in order, and with who has left them."""
    members = TeamMember.objects.select_related("player").order_by("position")
    found = Team.objects.filter(entry__tournament=tournament).select_related("entry__tournament__show")
    return found.prefetch_related(
        Prefetch("members", members.filter(left_at=None), to_attr="line_up"),
        Prefetch("members", members.exclude(left_at=None), to_attr="former"),
    ).order_by("entry__number")


def line_up(team: Team) -> list[TeamMember]:
    """Who is in a team, in their order."""
    return line_up_of(team.entry_id)


def gone(team: Team) -> list[TeamMember]:
    """Who has left a team that had begun, by the number on the badge."""
    found = TeamMember.objects.filter(team=team).exclude(left_at=None)
    return sorted(_with_people(found), key=lambda member: selectors.kept(member.player).number)


def line_up_of(entry: int) -> list[TeamMember]:
    """Who is in the team of an entry, by its id, in their order."""
    found = TeamMember.objects.filter(team__entry=entry, left_at=None)
    return list(_with_people(found).order_by("position"))


def place_of(tournament: Tournament, player: Player) -> TeamMember | None:
    """Where a person is in a team of the tournament, or was and has played; by any record of the person."""
    records = selectors.records_of([player])
    found = TeamMember.objects.filter(tournament=tournament, player__in=records)
    return found.select_related("team__entry", "player").first()


def is_free(place: TeamMember) -> bool:
    """Whether somebody in a team may join another one: theirs has withdrawn and has not played, or it has not begun
    after all, because its call was taken back, and they had left it.

    Source: house rules, "a replacement may not have played or be due to play for another team".
    """
    entry = place.team.entry
    if place.left_at:
        return not has_begun(entry)
    return entry.standing == Standing.WITHDRAWN and not has_played(entry)


def has_played(entry: Entry) -> bool:
    """Whether an entry has a score, or a match that it plays was started."""
    own = Side.objects.filter(entry=entry, absent=False, match__started_at__isnull=False)
    started = own.exclude(match__state=Match.State.VOID).exists()
    return started or Score.objects.filter(entry=entry).exclude(state=Score.State.VOID).exists()


def numbered(typed: str) -> tuple[int, str]:
    """The number before a name, 0 for none, and the name: "12 Ann Example"."""
    number, _, name = typed.partition(" ")
    if number.isascii() and number.isdecimal() and len(number) < 9:
        return int(number), name.strip()
    return 0, typed


def person_of(show: Show, typed: str) -> Player | None:
    """The person of the show meant by a number, alone or before the name; None for a name without a number.

    Raises `Refusal` where nobody has the number, or somebody of another name.
    """
    number, name = numbered(typed)
    if not number:
        return None
    player = Player.objects.filter(show=show, number=number).first()
    if player is None:
        raise Refusal(f"There is no number {number} in {show}.")
    person = selectors.kept(player)
    if name and selectors.fold(person.name) != selectors.fold(name):
        raise Refusal(f"Number {number} is {person.name}, not {name}.")
    return person


def person_numbered(show: Show, number: int, name: str) -> Player | None:
    """The person of the show with this number, if they have this name."""
    player = Player.objects.filter(show=show, number=number).first()
    person = selectors.kept(player) if player else None
    return person if person and selectors.fold(person.name) == selectors.fold(name) else None


def names_among(show: Show, people: Collection[int]) -> set[str]:
    """The names, without case and accents, of these people of the show."""
    found = Player.objects.filter(show=show, pk__in=people).order_by()
    return {selectors.fold(name) for name in found.values_list("name", flat=True)}


def people_named(show: Show, name: str) -> list[Player]:
    """The people of the show with this name, without case and accents, by number."""
    people = Player.objects.filter(show=show, merged_into=None).order_by("number")
    return [player for player in people if selectors.fold(player.name) == selectors.fold(name)]


def begun(tournament: int) -> set[int]:
    """The entries of a tournament, by id, that have a match which is called or over, or a score."""
    called = Match.objects.filter(stage__tournament=tournament).exclude(
        state__in=(Match.State.VOID, Match.State.PLANNED)
    )
    scored = Score.objects.filter(stage__tournament=tournament).exclude(state=Score.State.VOID).order_by()
    return {*called.order_by().values_list("sides__entry", flat=True), *scored.values_list("entry", flat=True)}


def has_begun(entry: Entry) -> bool:
    """Whether a match of the entry is called or over, or has a score."""
    return entry.pk in begun(entry.tournament_id)


def proposed(stage: Stage) -> list[Proposed]:
    """The groups as they would be drawn up now, in seed order.

    Raises `NeedsDecision` for teams that are level on WPPR points, `Refusal` for too few or too many.
    """
    found = [team for team in teams(stage.tournament) if team.entry.standing == Standing.IN]
    entries = {team.entry_id: team.entry for team in found}
    letters = groups.letters(len(found))
    ruled = Ruling.objects.filter(stage=stage, kind=Ruling.Kind.SEEDING, undone_at=None).order_by("decided_at", "pk")
    decisions = [selectors.decision(ruling.kind, ruling.data, ruling.reason) for ruling in ruled]
    wppr: dict[int, Decimal] = {team.entry_id: team.wppr for team in found}
    seeds = groups.seeding(wppr, decisions, {pk: str(entry) for pk, entry in entries.items()})
    return [Proposed(seed, letters[seed - 1], entries[entry], why) for seed, (entry, why) in enumerate(seeds, start=1)]
