"""What staff see of matches: who plays where, who chooses, the warm-up clock, the scores, the next step."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from itertools import groupby

from django.db.models import Prefetch

from tournaments.domain.facts import Phase, Standing
from tournaments.models import Entry, Match, Score, Side, Stage

POSITIONS = ("first", "second", "third", "fourth")
NEXT = {
    Match.State.PLANNED: ("call", "Call to the machine"),
    Match.State.CALLED: ("warm-up", "Start the warm-up"),
    Match.State.WARM_UP: ("play", "Start the game"),
}


@dataclass(frozen=True)
class Place:
    """An entry's side of a match. `may_choose` are the positions it may choose now, empty while another chooses.

    `score` may be one that a ruling discarded; `waiting` are further results that somebody has to decide about.
    """

    side: Side
    seed: int | None
    score: Score | None
    may_choose: tuple[tuple[int, str], ...]
    waiting: tuple[Score, ...] = ()

    @property
    def entry(self) -> Entry:
        return self.side.entry

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
class Game:
    """A match with its players in the order in which they choose. `ready` says that it may be played now."""

    match: Match
    places: tuple[Place, ...]
    turn: Turn | None
    ready: bool

    @property
    def over(self) -> bool:
        return self.match.state == Match.State.DONE

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
        return NEXT.get(Match.State(self.match.state))

    @property
    def may_swap(self) -> bool:
        present = [place for place in self.places if not place.side.absent]
        return self.match.state == Match.State.WARM_UP and len(present) == 2 and self.match.swapped_at is None

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
    """The matches of a stage in the order of play, in four queries; `only` is the id of one of them."""
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
    seconds = stage.tournament.kind.warm_up(stage.tournament.rules_in_force)
    found = []
    for match in matches.select_related("machine").prefetch_related(sides).order_by("round", "order"):
        match.stage = stage
        places = _places(match, seeds, scores, waiting)
        ready = is_open and match.round <= stage.open_round
        found.append(Game(match, places, _turn(match, places, seconds, now), ready))
    return found


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
) -> tuple[Place, ...]:
    sides = list(match.sides.all())
    taken = {side.choice for side in sides}
    free = tuple((number, POSITIONS[number - 1]) for number in range(1, len(sides) + 1) if number not in taken)
    present = [side for side in sides if not side.absent]
    # Who plays alone has nothing to choose.
    chooser = next((side for side in present if side.choice is None and len(present) > 1), None)
    return tuple(
        Place(
            side=side,
            seed=seeds.get(side.entry_id),
            score=scores.get((match.pk, side.entry_id)),
            may_choose=free if side is chooser and match.state != Match.State.DONE else (),
            waiting=waiting.get((match.pk, side.entry_id), ()),
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
