"""From the database to teams, their members, and the groups as they would be; never writes."""

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from typing import NamedTuple

from django.db.models import Count, Prefetch, Q, QuerySet

from teams.domain import groups
from teams.format import TEAM
from teams.models import Team, TeamMember
from tournaments import selectors
from tournaments.domain.facts import Standing
from tournaments.domain.refusals import Refusal
from tournaments.domain.standings import place_words
from tournaments.line_ups import Member
from tournaments.models import Entry, Match, Player, Ruling, Score, Show, Stage, Tournament


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
        wanted = set(players)
        for player in Player.objects.filter(pk__in=players):
            wanted |= {record.pk for record in selectors.records_of([player])}
        found = TeamMember.objects.filter(Q(team__entry__in=entries) | Q(player__in=wanted), left_at=None)
        kept = [(member.team.entry_id, selectors.kept(member.player).pk) for member in _with_people(found)]
        return [pair for pair in kept if pair[0] in entries or pair[1] in wanted]

    def members(self, tournament: Tournament) -> Iterable[Member]:
        """Everybody in a team of the tournament, team by team in their order; no other format has any."""
        if tournament.kind is not TEAM:
            return []
        found = TeamMember.objects.filter(tournament=tournament, left_at=None).order_by("team", "position")
        return [
            Member(member.team.entry_id, selectors.kept(member.player), "captain" if member.captain else "")
            for member in _with_people(found)
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


def teams(tournament: Tournament) -> QuerySet[Team]:
    """The teams of a tournament by number, with their members in order."""
    members = TeamMember.objects.filter(left_at=None).select_related("player").order_by("position")
    found = Team.objects.filter(entry__tournament=tournament).select_related("entry__tournament__show")
    return found.prefetch_related(Prefetch("members", members, to_attr="line_up")).order_by("entry__number")


def line_up(team: Team) -> list[TeamMember]:
    """Who is in a team, in their order."""
    found = TeamMember.objects.filter(team=team, left_at=None)
    return list(_with_people(found).order_by("position"))


def gone(team: Team) -> list[TeamMember]:
    """Who has left a team that had begun, by the number on the badge."""
    found = TeamMember.objects.filter(team=team).exclude(left_at=None)
    return sorted(_with_people(found), key=lambda member: selectors.kept(member.player).number)


def place_of(tournament: Tournament, player: Player) -> TeamMember | None:
    """Where a person is in a team of the tournament, or was and has played; by any record of the person."""
    records = selectors.records_of([player])
    found = TeamMember.objects.filter(tournament=tournament, player__in=records)
    return found.select_related("team__entry", "player").first()


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


def people_named(show: Show, name: str) -> list[Player]:
    """The people of the show with this name, without case and accents, by number."""
    people = Player.objects.filter(show=show, merged_into=None).order_by("number")
    return [player for player in people if selectors.fold(player.name) == selectors.fold(name)]


def has_begun(entry: Entry) -> bool:
    """Whether a match of the entry is called or over, or has a score."""
    own = Match.objects.filter(sides__entry=entry).exclude(state__in=(Match.State.VOID, Match.State.PLANNED))
    return own.exists() or Score.objects.filter(entry=entry).exclude(state=Score.State.VOID).exists()


def proposed(stage: Stage) -> list[Proposed]:
    """The groups as they would be drawn up now, in seed order.

    Raises `NeedsDecision` for teams that are level on WPPR points, `Refusal` for too few or too many.
    """
    found = [team for team in teams(stage.tournament) if team.entry.standing == Standing.IN]
    entries = {team.entry_id: team.entry for team in found}
    formed = groups.form(len(found))
    ruled = Ruling.objects.filter(stage=stage, kind=Ruling.Kind.SEEDING, undone_at=None).order_by("decided_at", "pk")
    decisions = [selectors.decision(ruling.kind, ruling.data, ruling.reason) for ruling in ruled]
    wppr: dict[int, Decimal] = {team.entry_id: team.wppr for team in found}
    seeds = groups.seeding(wppr, decisions, {pk: str(entry) for pk, entry in entries.items()})
    letters = {seed: groups.LETTERS[number] for number, group in enumerate(formed) for seed in group}
    return [Proposed(seed, letters[seed], entries[entry], why) for seed, (entry, why) in enumerate(seeds, start=1)]
