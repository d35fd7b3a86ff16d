"""Teams: registered, changed, checked in.

House rules, "Missing player": three players may play, a ball is missing then; a replacement may not have played or be
due to play for another team. Whoever is in a team that has withdrawn without having played is due to play nothing, and
may join another one. "Registration closes 19:00 unless the team has not begun": once the groups are drawn up a new
team can only come in for one that is missing (our choice).
"""

from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, NamedTuple

from teams import selectors
from teams.models import Team, TeamMember
from tournaments.domain.facts import Standing
from tournaments.domain.refusals import Refusal
from tournaments.models import Entry, Match, Player, Seat, Stage, Tournament
from tournaments.selectors import entered, fold, kept
from tournaments.services import entries, matches
from tournaments.services.change import Actor, Log, change, changes_in
from tournaments.services.progress import refuse_once_declared
from tournaments.services.shows import checked, need_reason

HIGHEST_WPPR = Decimal("999999.99")


class Person(NamedTuple):
    """Somebody named for a team: known to the show, or by a name that is new to it.

    `another` says that a person of the same name is somebody else; `number` is the one that a new person gets, the
    next one free unless it is given.
    """

    name: str
    player: Player | None = None
    another: bool = False
    number: int | None = None


def register(
    tournament: Tournament,
    *,
    actor: Actor,
    name: str,
    members: Sequence[Person],
    captain: int = 0,
    wppr: Decimal = Decimal(0),
    note: str = "",
    number: int | None = None,
    left: Sequence[Person] = (),
    key: str = "",
    gone: bool = False,
) -> Team:
    """Enter a team; `captain` is the place of its captain in `members`.

    `left` are people who have played for it elsewhere and left it, as a folder tells: they play for no other one.
    Raises `Refusal` with who is in another team already, or twice in this one, or how many are missing; and once the
    groups are drawn up. One that is `gone`, as in a folder, may have too few: others have taken its players.
    """
    carried = _carried(name, [*members, *left], captain, wppr, note, number)
    with change(tournament, actor=actor, action="register", key=key, carried=carried, lock_show=True) as log:
        if log.first and log.first.entry:
            return Team.objects.select_related("entry").get(entry=log.first.entry)
        refuse_once_declared(tournament)
        _refuse_once_drawn_up(tournament)
        return _enter(tournament, log, name, members, captain, wppr, note, number, left, gone=gone)


def replace(
    leaving: Team,
    *,
    actor: Actor,
    reason: str,
    name: str,
    members: Sequence[Person],
    captain: int = 0,
    wppr: Decimal = Decimal(0),
    note: str = "",
    number: int | None = None,
    key: str = "",
) -> Team:
    """Enter a team that takes the seat, the group and the matches of one that has withdrawn before its first match.

    Refused like `register`, and once the leaving team was called. Our choice, for a missing team.
    """
    tournament = leaving.entry.tournament
    carried = {**_carried(name, members, captain, wppr, note, number), "instead_of": leaving.pk}
    with changes_in(tournament.show):
        seat = Seat.objects.select_related("stage__tournament__show").filter(entry=leaving.entry_id).first()
        with change(tournament, actor=actor, action="register", key=key, carried=carried, lock_show=True) as log:
            if log.first and log.first.entry:
                return Team.objects.select_related("entry").get(entry=log.first.entry)
            refuse_once_declared(tournament)
            need_reason(reason)
            if seat is None:
                raise Refusal(f"{leaving.entry} is in no group; register the new team as any other.")
            if Entry.objects.get(pk=leaving.entry_id).status != Entry.Status.WITHDRAWN:
                raise Refusal(f"{leaving.entry} has not withdrawn; its place is not free.")
            live = seat.stage.matches.exclude(state=Match.State.VOID)
            if live.exists() and not live.filter(sides__entry=leaving.entry_id).exists():
                raise Refusal(f"Group {seat.group} is drawn again without {leaving.entry}; its place is gone.")
            team = _enter(tournament, log, name, members, captain, wppr, note, number)
        matches.replace_seat(seat.stage, actor=actor, entry=leaving.entry_id, by=team.entry_id, reason=reason)
    return team


def _enter(
    tournament: Tournament,
    log: Log,
    name: str,
    members: Sequence[Person],
    captain: int,
    wppr: Decimal,
    note: str,
    number: int | None,
    left: Sequence[Person] = (),
    *,
    gone: bool = False,
) -> Team:
    """The team, its entry and its members, with a line in the journal."""
    title = _title(tournament, name)
    _check_points(wppr)
    entry = Entry(tournament=tournament, title=title, number=_number(tournament, number), entered_at=log.now)
    checked(entry)
    entry.save()
    team = Team(entry=entry, wppr=wppr, note=" ".join(note.split()))
    checked(team)
    team.save()
    everybody = _people(team, [*members, *left])
    players, former = everybody[: len(members)], everybody[len(members) :]
    _refuse_unfit(team, players, captain, gone=gone)
    came = _from_elsewhere(team, everybody)
    _let_go(came)
    for position, player in enumerate(players, start=1):
        TeamMember.objects.create(
            team=team, tournament=tournament, player=player, position=position, captain=position == captain + 1
        )
    TeamMember.objects.bulk_create(
        TeamMember(team=team, tournament=tournament, player=player, position=position, left_at=log.now)
        for position, player in enumerate(former, start=len(players) + 1)
    )
    who = f"{entry} entered: {_told(players)}." if players else f"{entry} entered."
    left_words = f" Left it: {_told(former)}." if former else ""
    log.write(
        f"{who}{_missing(tournament, players)}{_came(came)}{left_words}",
        after={
            "number": entry.number,
            "name": title,
            "players": [player.number for player in players],
            "captain": players[captain].number if captain < len(players) else None,
            "left": [player.number for player in former],
            "wppr": str(wppr),
            **_came_from(came),
        },
        entry=entry,
    )
    return team


def _carried(
    name: str, members: Sequence[Person], captain: int, wppr: Decimal, note: str, number: int | None
) -> Mapping[str, Any]:
    """What a request asks for: the same request again asks for the same."""
    people = [[each.name, each.player and each.player.pk] for each in members]
    return {"name": name, "members": people, "captain": captain, "wppr": wppr, "note": note, "number": number}


def _refuse_once_drawn_up(tournament: Tournament) -> None:
    stage = Stage.objects.select_related("tournament").filter(tournament=tournament, seats__isnull=False).first()
    if stage is None:
        return
    if stage.state == Stage.State.PLANNED:
        raise Refusal(
            "The groups are drawn up. Take them back and draw them up again with the new team, or let it come in for"
            " a team that has withdrawn."
        )
    raise Refusal(
        f"{stage.label} has begun; a new team can only come in for one that has withdrawn before its first match."
    )


def change_details(
    team: Team, *, actor: Actor, name: str, wppr: Decimal, note: str = "", expected: int | None = None
) -> None:
    """Correct the name, the WPPR points or the note of a team. Seeds that are frozen stay as they are."""
    with change(team.entry.tournament, actor=actor, action="change details", expected=expected) as log:
        stored = _stored(team)
        entry = stored.entry
        before = {"name": entry.title, "wppr": stored.wppr, "note": stored.note}
        entry.title = _title(entry.tournament, name) if fold(name) != fold(entry.title) else " ".join(name.split())
        _check_points(wppr)
        stored.wppr, stored.note = wppr, " ".join(note.split())
        after = {"name": entry.title, "wppr": wppr, "note": stored.note}
        changed = [word for word in after if before[word] != after[word]]
        if not changed:
            return
        checked(entry)
        checked(stored)
        entry.save(update_fields=["title"])
        stored.save(update_fields=["wppr", "note"])
        log.write(
            f"{entry}: {', '.join(changed)} corrected.",
            before={word: str(before[word]) for word in changed},
            after={word: str(after[word]) for word in changed},
            entry=entry,
        )
    team.entry, team.wppr, team.note = stored.entry, stored.wppr, stored.note


def change_members(
    team: Team,
    *,
    actor: Actor,
    members: Sequence[Person],
    captain: int = 0,
    reason: str = "",
    expected: int | None = None,
) -> None:
    """Who plays for a team from now on; once it has begun this needs a reason.

    Source: house rules, "a replacement may not have played or be due to play for another team".
    """
    with change(team.entry.tournament, actor=actor, action="change members", expected=expected, lock_show=True) as log:
        stored = _stored(team)
        tournament = stored.entry.tournament
        refuse_once_declared(tournament)
        begun = selectors.has_begun(stored.entry)
        players = _people(stored, members)
        before = selectors.line_up(stored)
        as_before = [(member.player_id, member.captain) for member in before]
        if as_before == [(player.pk, number == captain) for number, player in enumerate(players)]:
            return
        if begun:
            need_reason(reason)
        _refuse_unfit(stored, players, captain)
        came = _from_elsewhere(stored, players)
        _let_go(came)
        _put_in_place(stored, players, captain, begun, log)
        log.write(
            f"{stored.entry}: {_told(players)}.{_missing(tournament, players)}{_came(came)}",
            before={"players": [member.player.number for member in before]},
            after={
                "players": [player.number for player in players],
                "captain": players[captain].number,
                **_came_from(came),
            },
            reason=reason,
            entry=stored.entry,
        )


def check_in(team: Team, *, actor: Actor) -> None:
    """The team is here; possible until its first match is called."""
    entries.check_in(team.entry, actor=actor)


def take_check_in_back(team: Team, *, actor: Actor) -> None:
    """The team is not here after all; refused with the step that comes first once a match of it is called."""
    entries.take_check_in_back(team.entry, actor=actor)


def _put_in_place(team: Team, players: Sequence[Player], captain: int, begun: bool, log: Log) -> None:
    stay = {player.pk for player in players}
    leaving = TeamMember.objects.filter(team=team).exclude(player__in=stay)
    # Whoever has left a team that had begun cannot play for another one, so that stays noted.
    if begun:
        leaving.filter(left_at=None).update(left_at=log.now, captain=False)
    else:
        leaving.delete()
    TeamMember.objects.filter(team=team, left_at=None).update(captain=False)
    here = {member.player_id: member for member in TeamMember.objects.filter(team=team, player__in=stay)}
    for member in here.values():
        member.position += len(here) + len(players) + 100
        member.save(update_fields=["position"])
    for position, player in enumerate(players, start=1):
        member = here.get(player.pk) or TeamMember(team=team, tournament=team.entry.tournament, player=player)
        member.position, member.captain, member.left_at = position, position == captain + 1, None
        member.save()


def _people(team: Team, members: Sequence[Person]) -> list[Player]:
    tournament = team.entry.tournament
    found: list[Player] = []
    new: set[str] = set()
    for each in members:
        if each.player is None and not each.another and fold(each.name) in new:
            raise Refusal(f"{each.name} is named twice in {team.entry.title}.", field="members")
        new.add(fold(each.name))
        player = each.player or entries.new_person(
            tournament.show, number=each.number, namesake_is_another=each.another, name=each.name
        )
        player = kept(player)
        if player.show_id != tournament.show_id:
            raise Refusal(f"{player} is not a person of {tournament.show}.", field="members")
        found.append(player)
    return found


def _refuse_unfit(team: Team, players: Sequence[Player], captain: int, *, gone: bool = False) -> None:
    rules = team.entry.tournament.rules_in_force
    fewest = 0 if gone else rules.fewest_players
    if not fewest <= len(players) <= rules.players:
        raise Refusal(
            f"{team.entry.title} has {len(players)} players; a team has {rules.players},"
            f" and {rules.fewest_players} at least.",
            field="members",
        )
    if not (0 <= captain < len(players) or gone):
        raise Refusal(f"Say who of {team.entry.title} is the captain.", field="captain")


def _from_elsewhere(team: Team, players: Sequence[Player]) -> list[TeamMember]:
    """The places in other teams that these people leave; raises `Refusal` for who is named twice or has to stay."""
    came = []
    for player in players:
        if players.count(player) > 1:
            raise Refusal(f"{player} is named twice in {team.entry.title}.", field="members")
        place = selectors.place_of(team.entry.tournament, player)
        if place is None or place.team_id == team.pk:
            continue
        if not selectors.is_free(place):
            has = "has played for" if place.left_at else "is in"
            raise Refusal(f"{player} {has} {place.team.entry}; nobody plays for two teams.", field="members")
        came.append(place)
    return came


def _let_go(came: Sequence[TeamMember]) -> None:
    TeamMember.objects.filter(pk__in=[place.pk for place in came]).delete()


def _came(came: Sequence[TeamMember]) -> str:
    words = (
        f" {place.player} comes from {place.team}, which withdrew without having played."
        for place in came
        if place.left_at is None
    )
    return "".join(words)


def _came_from(came: Sequence[TeamMember]) -> Mapping[str, Any]:
    """For the journal, which alone knows who was in the team that they have left: player by player its entry."""
    found = {str(place.player_id): place.team.entry_id for place in came if place.left_at is None}
    return {selectors.CAME_FROM: found} if found else {}


def _title(tournament: Tournament, name: str) -> str:
    title = " ".join(name.split())
    if not title:
        raise Refusal("The name of the team is missing.", field="name")
    same = next((entry for entry in entered(tournament) if fold(entry.name) == fold(title)), None)
    if same:
        raise Refusal(f"{tournament.name} has {same} already; choose another name.", field="name")
    return title


def _number(tournament: Tournament, number: int | None) -> int:
    taken = dict(Entry.objects.filter(tournament=tournament).values_list("number", "title"))
    if number is None:
        return max(taken, default=0) + 1
    if number in taken:
        raise Refusal(f"Number {number} belongs to {taken[number]}.", field="number")
    if not 1 <= number <= entries.HIGHEST_NUMBER:
        raise Refusal(f"A number is from 1 to {entries.HIGHEST_NUMBER}.", field="number")
    return number


def _check_points(wppr: Decimal) -> None:
    if not 0 <= wppr <= HIGHEST_WPPR:
        raise Refusal(f"The WPPR points are from 0 to {HIGHEST_WPPR}, not {wppr}.", field="wppr")


def _told(players: Sequence[Player]) -> str:
    return ", ".join(map(str, players))


def _missing(tournament: Tournament, players: Sequence[Player]) -> str:
    """Source: house rules, "3 players, 3 balls: a note on the team"."""
    missing = tournament.rules_in_force.players - len(players)
    return f" {missing} ball{'' if missing == 1 else 's'} must be allowed to drain." if missing else ""


def _stored(team: Team) -> Team:
    stored = Team.objects.select_related("entry__tournament__show").get(pk=team.pk)
    if stored.entry.standing == Standing.DISQUALIFIED:
        raise Refusal(f"{stored.entry} is disqualified.")
    return stored


def notes(rules: Any, team: Team, members: int) -> str:
    """What the desk has to know of a team: its note, and how many balls are missing."""
    missing = rules.players - members
    balls = f"{missing} ball{'' if missing == 1 else 's'} missing" if missing > 0 else ""
    return "; ".join(part for part in (balls, team.note) if part)
