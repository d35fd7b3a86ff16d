"""The games of a stage, the bracket and the results as lines for the templates, in words."""

from dataclasses import replace
from datetime import timedelta
from itertools import groupby
from typing import NamedTuple

from tournaments.domain.advancement import HOW, ORDER, PLAY_OFF
from tournaments.domain.facts import Phase, Standing
from tournaments.domain.finals import Finish, PlayOff
from tournaments.domain.scores import grouped
from tournaments.domain.standings import place_words, points_words
from tournaments.formats import Feed
from tournaments.live import Reading
from tournaments.models import Match, Stage
from tournaments.views.course import Course, Ended, Game, Leg, Member, Person, Player, Seated, Settled
from tournaments.views.lines import count, left_words

KEPT = "The results are kept for the ceremony."
NUMBERS = {1: "one", 2: "two", 3: "three", 4: "four"}
STATE_WORDS = {
    Match.State.PLANNED.value: "to come",
    Match.State.CALLED.value: "called to the machine",
    Match.State.WARM_UP.value: "warming up",
    Match.State.PLAYING.value: "playing",
    Match.State.DONE.value: "complete",
    "": "",
}
AWAY, ABSENT = "did not come", "did not play"
"""Who has not come in time after the call, and whoever was absent for another reason."""
STANDING_WORDS = {
    Standing.IN: "not ranked",
    Standing.WITHDRAWN: "withdrawn",
    Standing.DISQUALIFIED: "disqualified",
}
CALLS = {
    Match.State.PLANNED.value: "Wait for the call.",
    Match.State.CALLED.value: "Called: please go to the machine now.",
    Match.State.WARM_UP.value: "Warming up now.",
    Match.State.PLAYING.value: "Playing now.",
}


class SideLine(NamedTuple):
    """A side of a game, in the order of choosing; `on` and `out` say whether it goes on from there, or has won it."""

    number: int
    name: str
    seed: int
    role: str
    score: str
    place: str
    mark: str
    on: bool
    out: bool


class GameLine(NamedTuple):
    """A game on one machine. `alone` is what a game of one is called, "" for any other.

    `verdict` says why somebody has won without a game, or nobody has; `lot` that the machine was drawn by lot.
    """

    id: int
    code: str
    machine: str
    state: str
    words: str
    sides: tuple[SideLine, ...]
    ties: tuple[str, ...]
    notes: tuple[str, ...]
    trouble: str
    alone: str
    verdict: str
    lot: str


class RoundLine(NamedTuple):
    """All games that are played at the same time."""

    number: int
    label: str
    words: str
    now: bool
    games: list[GameLine]


class SettledLine(NamedTuple):
    """A published play-off or ruling: (place, number, name, score) of each, the best first, and the reason."""

    title: str
    lines: list[tuple[str, int, str, str]]
    reason: str


class OwnGame(NamedTuple):
    """A game on the page of one of its players."""

    round: str
    code: str
    machine: str
    score: str
    place: str
    note: str
    others: list[tuple[int, str, str]]
    ruled: tuple[str, ...]


class OwnStage(NamedTuple):
    """A stage on the page of somebody who has a seat in it; `part` is the format's own part of it, as HTML.

    `alone` says that nobody else went on to it, so that it is won without a game; "" otherwise.
    """

    key: str
    label: str
    group: str
    seed: int
    why: str
    games: list[OwnGame]
    kept: bool
    alone: str
    part: str = ""


class NextGame(NamedTuple):
    """Where somebody has to be next; `alone` is what a game of one is called, "" for any other."""

    stage: str
    game: str
    code: str
    machine: str
    call: str
    role: str
    others: list[tuple[int, str]]
    trouble: str
    alone: str


class Slot(NamedTuple):
    """A player in a column of the bracket."""

    seed: int
    number: int
    name: str
    note: str
    on: bool


class Box(NamedTuple):
    """A game, or a whole round, in the bracket; `to_come` says who will be in it as long as nobody is."""

    key: str
    title: str
    note: str
    slots: list[Slot]
    to_come: str
    ruled: tuple[str, ...] = ()


class Column(NamedTuple):
    """A step of the way in the bracket: one stage, or several that are filled from the same one, the last first."""

    label: str
    key: str
    boxes: list[Box]


def stage_state(leg: Leg, phase: Phase, before: str) -> str:
    """What is out and what is done in a stage of games; `before` is the label of the stage that fills it."""
    if leg.kept:
        return KEPT
    if not leg.seats:
        return f"Who plays here is decided in the {before.lower()}." if before else "The groups are not drawn up yet."
    if leg.alone:
        return _alone_words(leg)
    if not leg.games:
        wanted = "The machines are"
        if leg.spec.ranked:
            wanted = "The draw is"
        elif leg.spec.grouped:
            wanted = "The order of play is"
        return f"{count(len(leg.seats), leg.noun)}. {wanted} not published yet."
    if phase == Phase.PLANNED:
        return f"{count(len(leg.seats), leg.noun)}. {_announced(leg)}"
    if phase == Phase.CLOSED:
        return "All games are in."
    return _progress(leg)


def _alone_words(leg: Leg) -> str:
    return f"{leg.alone.name} is alone here and has won without a game." if leg.alone else ""


def _announced(leg: Leg) -> str:
    rounds = leg.rounds()
    if leg.spec.ranked:
        return f"The draw is published: {count(len(rounds), 'game')}, each of {len(rounds[0][1])} matches."
    if leg.spec.grouped:
        alone = sum(len(game.players) == 1 for game in leg.games)
        matches = f"{len(leg.games) - alone} matches" + (f" and {count(alone, leg.spec.alone)}" if alone else "")
        return f"The order of play is published: {matches}."
    return "On two machines at the same time." if len(leg.games) == 2 else f"On {leg.games[0].machine}."


def _progress(leg: Leg) -> str:
    if leg.spec.grouped:
        return _progress_of_groups(leg)
    games = [game for game in leg.games if game.round == leg.open_round]
    done = sum(1 for game in games if game.state == Match.State.DONE)
    running = sum(1 for game in games if game.state in Match.UNDER_WAY)
    if leg.spec.ranked:
        words = f"Game {leg.open_round} of {len(leg.rounds())} is open: {done} of {len(games)} matches complete"
    elif len(games) == 1:
        return f"The game is {STATE_WORDS[games[0].state]}."
    else:
        words = f"{done} of {len(games)} games complete"
    return f"{words}, {running} under way." if running else f"{words}."


def _progress_of_groups(leg: Leg) -> str:
    level = sum(is_level(leg, game) for game in leg.games)
    done = sum(1 for game in leg.games if game.state == Match.State.DONE) - level
    running = sum(1 for game in leg.games if game.state in Match.UNDER_WAY)
    words = [f"{done} of {len(leg.games)} games complete"]
    words += [f"{running} under way"] if running else []
    words += [f"{level} level, to be played again"] if level else []
    return f"{', '.join(words)}."


def rounds(leg: Leg) -> list[RoundLine]:
    """The games of a stage by rounds, the open one marked."""
    found = []
    for number, games in leg.rounds():
        label = f"Game {number}" if leg.spec.ranked else ""
        now = leg.state == Stage.State.OPEN and number == leg.open_round and not leg.kept
        lines = [game_line(leg, game) for game in games]
        found.append(RoundLine(number, label, _round_words(leg, number, games), now, lines))
    return found


def _round_words(leg: Leg, number: int, games: list[Game]) -> str:
    if leg.kept:
        return ""
    done = sum(1 for game in games if game.state == Match.State.DONE)
    if done == len(games):
        return "complete"
    if leg.state != Stage.State.OPEN or number > leg.open_round:
        return "not open yet"
    return f"open, {done} of {len(games)} complete"


def game_line(leg: Leg, game: Game) -> GameLine:
    """A game with its players as far as it is."""
    finishes = {finish.entry: finish for finish in game.outcome.finishes}
    ties = {entry for tie in game.outcome.play_offs for entry in tie.entries}
    chosen = any(player.choice for player in game.players)
    sides = []
    for player in game.players:
        entry = player.person.entry
        if leg.spec.grouped:
            on, mark = _won(leg, game, player)
        else:
            on, mark = _mark(leg, game, entry, finishes.get(entry), entry in ties)
        sides.append(
            SideLine(
                player.person.number,
                player.person.name,
                player.seed,
                _role(leg, game, player, chosen),
                # In a group a sentence says who did not play, and what that means for the other one.
                "" if leg.spec.grouped and player.absent else _score(player),
                _place(leg, game, finishes.get(entry)),
                mark,
                on is True,
                on is False,
            )
        )
    return GameLine(
        game.id,
        game.code,
        game.machine,
        game.state,
        _state_words(leg, game),
        tuple(sides),
        tuple(_tie_words(leg, game, tie) for tie in game.outcome.play_offs),
        _notes(game),
        trouble(game),
        leg.spec.alone if leg.spec.grouped and len(game.players) == 1 else "",
        _verdict(leg, game),
        f"The machine was drawn by lot from {count(game.lot, 'machine')}." if game.lot else "",
    )


def _state_words(leg: Leg, game: Game) -> str:
    """How far a game is; in groups with the time of the call, from which whoever has to come is late."""
    if is_level(leg, game):
        return "level: to be played again"
    if leg.spec.grouped and game.state == Match.State.CALLED and game.called_at:
        return f"called at {game.called_at:%H:%M}"
    return STATE_WORDS[game.state]


def is_level(leg: Leg, game: Game) -> bool:
    """Whether a match of a group has equal scores, so that it counts for nothing until it is played again."""
    if not leg.spec.grouped or len(game.players) != 2 or any(player.out for player in game.players):
        return False
    one, other = (player.value for player in game.players)
    return one is not None and one == other


def _won(leg: Leg, game: Game, own: Player) -> tuple[bool | None, str]:
    """Whether a side has won its match in a group, and that in words; None while that is open, or for a game alone."""
    if len(game.players) != 2:
        return None, ""
    if is_level(leg, game):
        return None, "level"
    other = next(player for player in game.players if player is not own)
    if own.out or other.out:
        return (not own.out), ("" if own.out else "won")
    if own.value is None or other.value is None:
        return None, ""
    return own.value > other.value, ("won" if own.value > other.value else "lost")


def _verdict(leg: Leg, game: Game) -> str:
    """Why a match of a group was won without a game: "8 Ann Example did not come"."""
    out = [player for player in game.players if player.out]
    if not leg.spec.grouped or not out or leg.kept:
        return ""
    out.sort(key=lambda player: player.person.number)
    names = [f"{player.person.number} {player.person.name}" for player in out]
    reasons = [_why_out(game, player) for player in out]
    if len(set(reasons)) == 1 and reasons[0] in (AWAY, ABSENT):
        return f"{in_words(names)} {reasons[0]}"
    return in_words([f"{name} {reason}" for name, reason in zip(names, reasons, strict=True)])


def _why_out(game: Game, player: Player) -> str:
    if player.person.standing == Standing.DISQUALIFIED:
        return "is disqualified"
    if player.discarded or any(entry == player.person.entry for entry, _ in game.notes):
        return "is out of this match"
    if player.person.standing == Standing.WITHDRAWN:
        return "has withdrawn"
    return AWAY if game.late else ABSENT


def _notes(game: Game) -> tuple[str, ...]:
    """The rulings on a game: "7 Ann Example: Ruling: slam tilt: the score reached stands. Nudged hard." """
    people = {player.person.entry: player.person for player in game.players}
    return tuple(
        f"{people[entry].number} {people[entry].name}: {words}" if entry in people else words
        for entry, words in game.notes
    )


def trouble(game: Game) -> str:
    """Why a game that is not over cannot be played on its machine; "" when it can."""
    return "" if game.state == Match.State.DONE else game.trouble


def _score(player: Player) -> str:
    if player.value is not None:
        return grouped(player.value)
    if player.discarded:
        return "discarded"
    return "does not play" if player.absent else ""


def _role(leg: Leg, game: Game, player: Player, chosen: bool) -> str:
    """Who chooses and what was chosen. House rules: "the higher ranked chooses to play first or second"."""
    if player.absent or leg.kept or not leg.spec.positions or (game.state == Match.State.DONE and leg.spec.ranked):
        return ""
    if player.choice:
        return f"plays {place_words(player.choice)}"
    if game.state == Match.State.DONE or all(other is player or other.absent for other in game.players):
        return ""
    if len(game.players) == 2:
        return "chooses" if player.rank == 1 and not chosen else ""
    return f"chooses {place_words(player.rank)}"


def _place(leg: Leg, game: Game, finish: Finish | None) -> str:
    """The place in the game; where it decides final places, those."""
    if finish is None or (finish.value is None and leg.spec.feeds):
        return ""
    words = place_words(finish.place + _offset(leg), finish.shared)
    return f"{words} so far" if game.outcome.missing else words


def _offset(leg: Leg) -> int:
    return 0 if leg.spec.feeds else leg.first_place - 1


def _mark(leg: Leg, game: Game, entry: int, finish: Finish | None, tied: bool) -> tuple[bool | None, str]:
    """Whether an entry goes on from a game, or wins the last one (None while that is open), and how in words."""
    if tied:
        return None, "level"
    if finish is None or not game.outcome.decided:
        return None, ""
    how = HOW.get(finish.why, "")
    if not leg.spec.feeds:
        return (True if finish.place + _offset(leg) == 1 else None), how
    by = f", {how}" if how else ""
    for feed in leg.spec.feeds:
        if entry in (game.outcome.best(feed.many) if feed.best else game.outcome.others(feed.many)):
            return feed.best, f"to the {leg.labels[feed.stage].lower()}{by}"
    return None, ""


def _tie_words(leg: Leg, game: Game, tie: PlayOff) -> str:
    """ "3 Ann Example and 8 Bo Sample are level for 2nd place: a play-off game of 2 players for 1 place decides." """
    shown = replace(tie, first=tie.first + _offset(leg))
    level = sorted((p.person for p in game.players if p.person.entry in tie.entries), key=lambda p: p.number)
    names = in_words([f"{person.number} {person.name}" for person in level])
    at = place_words(shown.first + (tie.places - 1 if leg.spec.feeds else 0))
    return f"{names} are level for {at} place: {shown.words(leg.noun)} decides."


def in_words(words: list[str]) -> str:
    """ "one", "one and another", "one, another and a third"."""
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


def settled(leg: Leg) -> list[SettledLine]:
    """Every play-off and ruling in force, for everybody to read."""
    return [settled_line(each) for each in leg.settled]


def settled_line(each: Settled) -> SettledLine:
    """A play-off or a ruling, the best first."""
    title = {PLAY_OFF: "Play-off game", ORDER: "Ruling of the organisers"}[each.kind]
    scores = [grouped(value) for value in each.scores] or [""] * len(each.order)
    return SettledLine(
        title,
        [
            (place_words(place), person.number, person.name, score)
            for place, (person, score) in enumerate(zip(each.order, scores, strict=True), start=1)
        ],
        each.reason,
    )


def leads(leg: Leg) -> str:
    """Who goes where from the games of a stage: "The two best of each game go to the final, the others …"."""
    if leg.spec.grouped:
        told = [f"{_of_each_group(feed)} to the {leg.labels[feed.stage].lower()}." for feed in leg.spec.feeds]
        return " ".join(told)
    told = [
        f"{'the ' + NUMBERS.get(feed.many, str(feed.many)) + ' best of each game go' if feed.best else 'the others'}"
        f" to the {leg.labels[feed.stage].lower()}"
        for feed in leg.spec.feeds
    ]
    return f"T{', '.join(told)[1:]}." if told else ""


def _of_each_group(feed: Feed) -> str:
    if feed.many == 1:
        return "The winner of each group goes"
    return f"The {NUMBERS.get(feed.many, str(feed.many))} best of each group go"


def seat_lines(seats: tuple[Seated, ...]) -> list[tuple[int, int, str, str, str]]:
    """(seed, number, name, why, "Withdrawn" or "Disqualified" for whoever has left and "" otherwise)."""
    return [
        (seat.seed, seat.person.number, seat.person.name, seat.why, left_words(seat.person.standing)) for seat in seats
    ]


def own_stages(course: Course, entry: int) -> list[OwnStage]:
    """The stages in which somebody has a seat, the last first."""
    found = []
    for leg in reversed(course.legs):
        seat = leg.seat(entry)
        games = [game for game in leg.games if game.player(entry)]
        if seat or games:
            lines = [_own_game(leg, game, entry) for game in games]
            group, seed, why = (seat.group, seat.seed, seat.why) if seat else ("", 0, "")
            found.append(OwnStage(leg.spec.key, leg.spec.label, group, seed, why, lines, leg.kept, _alone_words(leg)))
    return found


def _own_game(leg: Leg, game: Game, entry: int) -> OwnGame:
    line = game_line(leg, game)
    number = next(player.person.number for player in game.players if player.person.entry == entry)
    own = next(side for side in line.sides if side.number == number)
    others = [(side.number, side.name, side.score) for side in line.sides if side.number != number]
    note = own.mark or ("" if game.state == Match.State.DONE else line.words)
    return OwnGame(
        f"Game {game.round}" if leg.spec.ranked else "",
        game.code,
        game.machine,
        own.score,
        own.place,
        note,
        others,
        tuple(words for about, words in game.notes if about in (None, entry)),
    )


def next_game(course: Course, entry: int) -> NextGame | None:
    """The first game of an entry that is not over, where the stage is not held back and the seat not given up.

    One to which it is called comes before those that are to come.
    """
    for leg in course.legs:
        if leg.kept or leg.state == Stage.State.CLOSED:
            continue
        open_games = [
            (game, own)
            for game in leg.games
            if (own := game.player(entry)) and not own.out and own.value is None and game.state != Match.State.DONE
        ]
        if open_games:
            return _next(leg, *min(open_games, key=lambda each: each[0].state not in Match.UNDER_WAY))
    return None


def _next(leg: Leg, game: Game, own: Player) -> NextGame:
    if leg.state != Stage.State.OPEN:
        call = f"The {leg.spec.label.lower()} has not begun. Wait for the call."
    elif game.round > leg.open_round:
        call = f"Game {leg.open_round} is still being played. Wait for the call."
    else:
        call = _call(leg, game)
    others = [(p.person.number, p.person.name) for p in game.players if p is not own and not p.absent]
    chosen = any(player.choice for player in game.players)
    return NextGame(
        leg.spec.label,
        f"game {game.round}" if leg.spec.ranked else "",
        game.code,
        game.machine,
        call,
        _role(leg, game, own, chosen),
        others,
        trouble(game),
        leg.spec.alone if leg.spec.grouped and len(game.players) == 1 else "",
    )


def _call(leg: Leg, game: Game) -> str:
    """What whoever plays a game has to do now, and until when where being late loses it."""
    if game.state != Match.State.CALLED or not game.called_at or leg.lateness is None:
        return CALLS[game.state]
    late = game.called_at + timedelta(minutes=leg.lateness)
    return f"Called at {game.called_at:%H:%M}: please go to the machine now, by {late:%H:%M} at the latest."


def bracket(course: Course, tables: dict[str, Reading]) -> list[Column]:
    """The way from the first cut to the winner, a column for each step."""
    columns = []
    for _, same in groupby(course.legs, key=lambda leg: leg.spec.comes_from):
        legs = list(same)[::-1]
        boxes = [box for leg in legs for box in _boxes(course, leg, tables)]
        alone = len(legs) == 1
        columns.append(Column(legs[0].spec.label if alone else "Finals", legs[0].spec.key if alone else "", boxes))
    return columns


def _boxes(course: Course, leg: Leg, tables: dict[str, Reading]) -> list[Box]:
    if leg.kept:
        slots = [Slot(s.seed, s.person.number, s.person.name, left_words(s.person.standing), False) for s in leg.seats]
        return [Box(leg.spec.key, _title(leg), KEPT, slots, "")]
    if not leg.seats:
        return [Box(leg.spec.key, _title(leg), "", [], _to_come(course, leg, tables))]
    if leg.spec.ranked:
        return [_round_box(course, leg, tables[leg.spec.key])]
    if leg.spec.grouped:
        return _group_boxes(course, leg, tables[leg.spec.key])
    if not leg.games:
        slots = [Slot(s.seed, s.person.number, s.person.name, left_words(s.person.standing), False) for s in leg.seats]
        note = _alone_words(leg) or "The machines are not published yet."
        return [Box(leg.spec.key, _title(leg), note, slots, "")]
    return [_game_box(leg, game) for game in leg.games]


def _title(leg: Leg, machine: str = "") -> str:
    """The stage, unless it has the column to itself, and the machine."""
    return " · ".join(filter(None, ("" if leg.spec.feeds or leg.spec.ranked else leg.spec.label, machine)))


def _to_come(course: Course, leg: Leg, tables: dict[str, Reading]) -> str:
    before = course.leg(leg.spec.comes_from)
    feed = next((feed for feed in before.spec.feeds if feed.stage == leg.spec.key), None) if before else None
    if before is None:
        return "Decided by the cut."
    if feed is None:
        table = tables.get(before.spec.key)
        top = f"top {table.read.qualifiers}" if table else "best"
        return f"The {top} of the {before.spec.label.lower()}."
    if before.spec.grouped:
        groups = len({seat.group for seat in before.seats})
        fewer = leg.spec.seats is not None and groups * feed.many > leg.spec.seats
        return f"The best {leg.spec.seats} of the winners of the groups." if fewer else "The winner of each group."
    best = f"The {NUMBERS.get(feed.many, str(feed.many))} best" if feed.best else "The others"
    return f"{best} of each game of the {before.spec.label.lower()}."


def _round_box(course: Course, leg: Leg, reading: Reading) -> Box:
    through = {seat.person.entry for seat in course.drawn_from(leg.spec.key)}
    slots = []
    for seat in leg.seats:
        row = next((row for row in reading.table.rows if row.entry == seat.person.entry), None)
        note = place_words(row.place, row.shared) if row and row.place else ""
        slots.append(Slot(seat.seed, seat.person.number, seat.person.name, note, seat.person.entry in through))
    placed = "The places are those of the round. " if any(slot.note for slot in slots) else ""
    note = f"{placed}The top {reading.read.qualifiers} go on."
    return Box(leg.spec.key, "", note, slots, "")


def _group_boxes(course: Course, leg: Leg, reading: Reading) -> list[Box]:
    """A box for each group, with the order in it as far as it is."""
    through = {seat.person.entry for seat in course.drawn_from(leg.spec.key)}
    seats = {seat.person.entry: seat for seat in leg.seats}
    boxes = []
    for group in reading.read.groups:
        slots = []
        # The seats may be those of another moment than the table.
        for row in (row for row in group.rows if row.entry in seats):
            seed, person = seats[row.entry].seed, seats[row.entry].person
            place = f"{place_words(row.place, row.shared)} · " if row.place and row.games else ""
            note = f"{place}{points_words(row.points)}" if row.place else STANDING_WORDS[person.standing]
            slots.append(Slot(seed, person.number, person.name, note, row.entry in through))
        boxes.append(Box(leg.spec.key, f"Group {group.label}", "", slots, ""))
    return boxes


def _game_box(leg: Leg, game: Game) -> Box:
    line = game_line(leg, game)
    slots = [
        Slot(side.seed, side.number, side.name, " · ".join(filter(None, (side.place, side.score))), side.on)
        for side in line.sides
    ]
    note = line.ties[0] if line.ties else line.words
    return Box(leg.spec.key, _title(leg, game.machine), note, slots, "", line.notes)


def champion(course: Course) -> Person | None:
    """Who won, once the last stage is decided and public."""
    last = course.legs[-1] if course.legs else None
    if last is None or last.kept:
        return None
    if last.alone or not last.decided:
        return last.alone
    first = [finish.entry for game in last.games for finish in game.outcome.finishes if finish.place == 1]
    return next(seat.person for seat in last.seats if seat.person.entry == first[0])


def place_lines(course: Course) -> list[tuple[str, list[tuple[str, Person, tuple[Member, ...]]]]]:
    """Everybody with a final place, by the last stage played: (stage, [(place, person, who is behind it)])."""
    placed = [ended for ended in course.places if ended.place]
    return [
        (why, [(place_words(e.place or 0, e.shared), e.person, course.members.get(e.person.entry, ())) for e in same])
        for why, same in groupby(placed, key=lambda ended: ended.why)
    ]


def apart(course: Course) -> list[Ended]:
    """Everybody without a final place, with the reason."""
    return [ended for ended in course.places if not ended.place]


def ended(course: Course, entry: int) -> tuple[str, str] | None:
    """The final place of an entry in words and what it rests on, once declared and public."""
    found = next((each for each in course.places if each.person.entry == entry), None)
    if found is None:
        return None
    return (place_words(found.place, found.shared) if found.place else "no place"), found.why
