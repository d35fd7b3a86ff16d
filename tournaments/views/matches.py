"""What staff see of matches: who plays where, who chooses, the clocks, the scores, the next step."""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby
from math import ceil

from django.db.models import Prefetch

from tournaments import formats, line_ups
from tournaments.domain.facts import Phase, Standing
from tournaments.models import Entry, Match, Ruling, Score, Side, Stage

POSITIONS = ("first", "second", "third", "fourth")
NEXT = {
    Match.State.PLANNED: ("call", "Call to the machine"),
    Match.State.CALLED: ("warm-up", "Start the warm-up"),
    Match.State.WARM_UP: ("play", "Start the game"),
}


@dataclass(frozen=True)
class Place:
    """An entry's side of a match. `may_choose` are the positions it may choose now, empty while another chooses.

    `score` may be one that a ruling discarded; `waiting` are further results that somebody has to decide about;
    `ruled_out` says that a ruling disqualifies it from this match; `handicap` what it plays with less than others.
    """

    side: Side
    seed: int | None
    score: Score | None
    may_choose: tuple[tuple[int, str], ...]
    waiting: tuple[Score, ...] = ()
    ruled_out: bool = False
    handicap: str = ""

    @property
    def entry(self) -> Entry:
        return self.side.entry

    @property
    def counts(self) -> int:
        """What its score counts, -1 without one."""
        return -1 if self.score is None or self.score.counts is None else self.score.counts

    @property
    def position(self) -> str:
        """ "first", or "" before the choice."""
        return POSITIONS[self.side.choice - 1] if self.side.choice else ""

    @property
    def agreed(self) -> bool:
        return self.score is not None and self.side.agreed_at is not None

    @property
    def disqualified(self) -> bool:
        return self.entry.standing == Standing.DISQUALIFIED

    @property
    def why_absent(self) -> str:
        """Why it does not play the match, as the end of a sentence about it."""
        if self.disqualified:
            return "is disqualified"
        if self.ruled_out:
            return "is out of this match"
        if self.entry.standing == Standing.WITHDRAWN:
            return "has withdrawn"
        return "did not come" if self.side.match.called_at else "did not play"

    @property
    def discarded(self) -> bool:
        return self.score is not None and self.score.state == Score.State.DISCARDED


@dataclass(frozen=True)
class Turn:
    """Whose turn it is to warm up and until when; `left` are the seconds that remain, 0 when the time is up."""

    entry: Entry
    until: datetime
    now: datetime
    last: bool

    @property
    def left(self) -> int:
        return max(0, int((self.until - self.now).total_seconds()))


@dataclass(frozen=True)
class Awaited:
    """Until when whoever was called may come; `left` are the seconds that remain, 0 when the time is up."""

    until: datetime
    now: datetime

    @property
    def left(self) -> int:
        return max(0, ceil((self.until - self.now).total_seconds()))

    @property
    def words(self) -> str:
        """ "4:12"."""
        return f"{self.left // 60}:{self.left % 60:02}"


@dataclass(frozen=True)
class Game:
    """A match with its players in the order in which they choose. `ready` says that it may be played now.

    `won` says that it is won or lost, as in groups; `warms_up` that there is a warm-up before it; `awaited` how long
    whoever was called has to come, where the rules give them a time; `replays` how many times it was set back to be
    played again.
    """

    match: Match
    places: tuple[Place, ...]
    turn: Turn | None
    ready: bool
    won: bool = False
    warms_up: bool = True
    awaited: Awaited | None = None
    replays: int = 0

    @property
    def over(self) -> bool:
        return self.match.state == Match.State.DONE

    @property
    def versus(self) -> str:
        """ "1 Ann Example against 2 Bo Sample"."""
        return " against ".join(str(place.entry) for place in self.places)

    @property
    def there(self) -> tuple[Place, ...]:
        """Who plays it, or has."""
        return tuple(place for place in self.places if not place.side.absent and not place.disqualified)

    @property
    def away(self) -> tuple[Place, ...]:
        """Who does not play it although it is about them."""
        return tuple(place for place in self.places if place not in self.there)

    @property
    def winner(self) -> Place | None:
        """Who has won a match that is won: the better score, or whoever was left alone in it."""
        there = self.there
        if not (self.won and self.over) or len(self.places) < 2 or not there:
            return None
        if len(there) == 1:
            return there[0]
        first, second, *_ = sorted(there, key=lambda place: place.counts, reverse=True)
        return first if first.counts > second.counts else None

    @property
    def unplayed(self) -> bool:
        """Whether it is over although nobody was left to play against."""
        return self.won and self.over and len(self.places) > 1 and len(self.there) < 2

    @property
    def level(self) -> bool:
        """Whether it is to be played again. Source: house rules, "a level match is replayed"."""
        return self.won and self.over and len(self.there) > 1 and self.winner is None

    @property
    def late(self) -> tuple[Place, ...]:
        """Who may lose the match by not having come in time, now or when the time is up.

        When one of two has lost it the other one may be late as well: neither came.
        """
        given_up = any(place.ruled_out or place.disqualified for place in self.away)
        begun = self.match.started_at is not None or any(place.score for place in self.places)
        return () if not self.ready or self.awaited is None or given_up or begun else self.there

    @property
    def may_come(self) -> tuple[Place, ...]:
        """Who lost it by not having come, and may have come after all; a ruling is taken back on its own."""
        called = self.ready and self.match.called_at is not None
        return tuple(place for place in self.away if called and self.won and place.side.absent and not place.ruled_out)

    @property
    def chooser(self) -> Place | None:
        """Who chooses a playing position now."""
        return next((place for place in self.places if place.may_choose), None)

    @property
    def chosen(self) -> bool:
        return any(place.side.choice for place in self.places)

    @property
    def to_agree(self) -> tuple[Place, ...]:
        return tuple(
            place for place in self.places if place.score and not place.discarded and not place.side.agreed_at
        )

    @property
    def halted(self) -> bool:
        """Whether it cannot begin because its machine is out of order; a game that has begun goes on."""
        return not self.match.machine.in_order and self.match.state in NEXT

    @property
    def next_act(self) -> tuple[str, str] | None:
        """The act that comes next and its button."""
        if not self.ready or self.halted:
            return None
        if self.may_swap:
            return "swap", "Swap: the second player warms up"
        if not self.warms_up and self.match.state == Match.State.CALLED:
            return NEXT[Match.State.WARM_UP]
        return NEXT.get(Match.State(self.match.state))

    @property
    def may_swap(self) -> bool:
        present = [place for place in self.places if not place.side.absent]
        return self.match.state == Match.State.WARM_UP and len(present) == 2 and self.match.swapped_at is None

    @property
    def may_uncall(self) -> bool:
        """Whether the call can be taken back: nothing rests on it yet."""
        return self.match.state == Match.State.CALLED and not any(place.score for place in self.places)

    @property
    def may_start(self) -> bool:
        """Whether the game may begin although another step would come first."""
        return (
            self.ready and not self.halted and self.match.state in NEXT and self.next_act != NEXT[Match.State.WARM_UP]
        )


@dataclass(frozen=True)
class Round:
    """The games that are played side by side."""

    number: int
    games: tuple[Game, ...]
    is_open: bool

    @property
    def complete(self) -> bool:
        return all(game.over for game in self.games)

    @property
    def left(self) -> int:
        return sum(not game.over for game in self.games)


def games(stage: Stage, now: datetime, only: int | None = None) -> list[Game]:
    """The matches of a stage in the order of play, in five queries, and one more where entries are several people.

    `only` is the id of one of them.
    """
    matches = stage.matches.exclude(state=Match.State.VOID)
    if only is not None:
        matches = matches.filter(pk=only)
    sides = Prefetch("sides", Side.objects.select_related("entry__player").order_by("rank"))
    seeds = dict(stage.seats.values_list("entry_id", "seed"))
    shown = (*Score.COUNTED, Score.State.DISCARDED, Score.State.WAITING)
    scores: dict[tuple[int | None, int], Score] = {}
    waiting: dict[tuple[int | None, int], tuple[Score, ...]] = {}
    for score in Score.objects.filter(match__in=matches, state__in=shown).select_related("recorded_by"):
        game = (score.match_id, score.entry_id)
        if score.state == Score.State.WAITING:
            waiting[game] = (*waiting.get(game, ()), score)
        else:
            scores[game] = score
    is_open = stage.phase(now) in (Phase.OPEN, Phase.CLOSING)
    kind, rules = stage.tournament.kind, stage.tournament.rules_in_force
    seconds, won = kind.warm_up(rules), stage.spec.grouped
    minutes = formats.lateness(kind, rules)
    kinds = (Ruling.Kind.OUT_OF_MATCH, Ruling.Kind.REPLAYED)
    ruled = Ruling.objects.filter(match__in=matches, kind__in=kinds, undone_at=None).order_by()
    told = list(ruled.values_list("kind", "match_id", "entry_id"))
    ruled_out = {(of, entry) for ruling, of, entry in told if ruling == Ruling.Kind.OUT_OF_MATCH}
    replays = Counter(of for ruling, of, _ in told if ruling == Ruling.Kind.REPLAYED)
    found = []
    listed = list(matches.select_related("machine").prefetch_related(sides).order_by("round", "order"))
    handicaps = line_ups.handicaps(side.entry for match in listed for side in match.sides.all())
    for match in listed:
        match.stage = stage
        places = _places(match, seeds, scores, waiting, ruled_out, handicaps)
        ready = is_open and match.round <= stage.open_round
        turn, awaited = _turn(match, places, seconds, now), _awaited(match, minutes, now)
        found.append(
            Game(match, places, turn, ready, won=won, warms_up=seconds > 0, awaited=awaited, replays=replays[match.pk])
        )
    return found


def _awaited(match: Match, minutes: int | None, now: datetime) -> Awaited | None:
    """Until when whoever was called may come. Source: house rules, "More than 5 minutes late after the call"."""
    if minutes is None or match.called_at is None:
        return None
    given_up = match.state == Match.State.DONE and any(side.absent for side in match.sides.all())
    if match.state != Match.State.CALLED and not given_up:
        return None
    return Awaited(match.called_at + timedelta(minutes=minutes), now)


def rounds(stage: Stage, games: Sequence[Game]) -> list[Round]:
    """The games by round."""
    return [
        Round(number, tuple(same), number <= stage.open_round)
        for number, same in groupby(games, key=lambda game: game.match.round)
    ]


def _places(
    match: Match,
    seeds: dict[int, int],
    scores: dict[tuple[int | None, int], Score],
    waiting: dict[tuple[int | None, int], tuple[Score, ...]],
    ruled_out: Collection[tuple[int | None, int | None]],
    handicaps: Mapping[int, str],
) -> tuple[Place, ...]:
    sides = list(match.sides.all())
    taken = {side.choice for side in sides}
    free = tuple((number, POSITIONS[number - 1]) for number in range(1, len(sides) + 1) if number not in taken)
    present = [side for side in sides if not side.absent]
    # Who plays alone has nothing to choose.
    to_choose = present if len(present) > 1 and match.stage.spec.positions else []
    chooser = next((side for side in to_choose if side.choice is None), None)
    return tuple(
        Place(
            side=side,
            seed=seeds.get(side.entry_id),
            score=scores.get((match.pk, side.entry_id)),
            may_choose=free if side is chooser and match.state != Match.State.DONE else (),
            waiting=waiting.get((match.pk, side.entry_id), ()),
            ruled_out=(match.pk, side.entry_id) in ruled_out,
            handicap=handicaps.get(side.entry_id, ""),
        )
        for side in sides
    )


def _turn(match: Match, places: Sequence[Place], seconds: int, now: datetime) -> Turn | None:
    """Whose warm-up it is. Two swap when somebody says so; more follow each other by the clock.

    Source: house rules, "warm-up clock with swap and end (60 s each)"; the order is the one they play in.
    """
    present = [place for place in places if not place.side.absent]
    if match.state != Match.State.WARM_UP or match.warm_up_at is None or not present:
        return None
    present.sort(key=lambda place: (place.side.choice or len(places) + 1, place.side.rank))
    each = timedelta(seconds=seconds)
    if len(present) == 2:
        began, number = (match.swapped_at, 1) if match.swapped_at else (match.warm_up_at, 0)
    else:
        passed = int((now - match.warm_up_at) / each) if seconds else len(present)
        number = min(passed, len(present) - 1)
        began = match.warm_up_at + number * each
    return Turn(present[number].entry, began + each, now, last=number == len(present) - 1)
