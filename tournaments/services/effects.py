"""What an act would change, before it is made: the act is really done, looked at, and taken back.

So a preview cannot differ from what then happens. The digest of what a person saw comes back with their word, and the
act is refused when it would meanwhile change something else.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

from tournaments import selectors
from tournaments.domain import advancement
from tournaments.domain.refusals import NeedsDecision, Stale
from tournaments.domain.rulings import shown_factor
from tournaments.domain.scores import grouped
from tournaments.domain.standings import place_words, points_words
from tournaments.models import Entry, Match, Ruling, Score, Seat, Stage, StageMachine, Tournament
from tournaments.selectors import StageRead
from tournaments.services.change import Log, tried
from tournaments.services.given_back import given_back
from tournaments.services.progress import outcomes
from tournaments.services.undoing import recorded

Picture = dict[tuple[str, str], dict[str, str]]
"""By section (of which stage, and of what), what is true of each subject there, in words."""

TABLE, CUT, WOULD, SEATS, GAMES, RESULTS = "table", "cut", "by the table now", "seats", "games", "results"
PLAYERS, MACHINES, GIVEN_BACK, SCORES = "players", "machines", "games given back", "scores"
STAYS_OUT = "does not go on"


class Line(NamedTuple):
    """One subject, as it is and as it would be; "" where it is or would be nowhere."""

    subject: str
    before: str
    after: str


class Section(NamedTuple):
    """What changes in one part of a stage: its table, the cut, seats, games, or the machines."""

    stage: str
    what: str
    lines: tuple[Line, ...]


@dataclass(frozen=True, slots=True)
class Effects:
    """Everything that anybody would see change. `digest` names exactly this."""

    sections: tuple[Section, ...]

    @property
    def digest(self) -> str:
        return hashlib.sha256(repr(self.sections).encode()).hexdigest()[:32]

    @property
    def across_the_cut(self) -> tuple[Line, ...]:
        """Who would go on and would not have, or the other way round."""
        return tuple(
            line
            for section in self.sections
            if section.what == CUT
            for line in section.lines
            if {line.before, line.after} != {STAYS_OUT, ""}
        )


def preview(tournament: Tournament, act: Callable[[], object]) -> Effects:
    """What the act would change. Nothing is changed; raises whatever the act raises."""
    revision = tournament.revision
    told = tried_out(partial(picture, tournament), act)
    tournament.revision = revision
    return told


def tried_out(see: Callable[[], Picture], act: Callable[[], object]) -> Effects:
    """What the act would change in the picture that `see` makes. Nothing is changed; raises what the act raises."""
    with tried():
        before = see()
        act()
        return compare(before, see())


@contextmanager
def decided(tournament: Tournament, ruling: Ruling, log: Log, shown: str = "") -> Iterator[None]:
    """Record a ruling with what it changes, so that it can be taken back.

    `shown` is the digest of the effects that the person saw: others now raise `Stale`.
    """
    with as_shown(tournament, shown), recorded(tournament, ruling, log):
        yield


@contextmanager
def as_shown(tournament: Tournament, shown: str) -> Iterator[None]:
    """Raise `Stale` at the end unless what changed is what the person was shown; nothing is asked without `shown`."""
    with held_to(partial(picture, tournament), shown):
        yield


@contextmanager
def held_to(see: Callable[[], Picture], shown: str) -> Iterator[None]:
    """The same of the picture that `see` makes."""
    before = see() if shown else {}
    yield
    if shown and compare(before, see()).digest != shown:
        raise Stale("What this would change is not what it was when you looked. Nothing was saved; look again.")


def picture(tournament: Tournament) -> Picture:
    """A tournament as everybody sees it, in words that can be compared."""
    found: Picture = {("", PLAYERS): _players(tournament)}
    for stage in Stage.objects.filter(tournament=tournament).select_related("tournament").order_by("position"):
        label = stage.label
        found[label, MACHINES] = _machines(stage)
        seats = _seats(stage)
        if stage.spec.ranked and (stage.state != Stage.State.PLANNED or seats):
            read = selectors.stage_facts(stage)
            found[label, TABLE], found[label, CUT] = _table(read), _cut(read)
            found[label, WOULD] = _would(read)
            found[label, GIVEN_BACK] = _given_back(read)
        elif stage.spec.matches:
            found[label, RESULTS] = _results(stage)
        found[label, SEATS], found[label, GAMES] = seats, _games(stage)
        if stage.spec.matches:
            found[label, SCORES] = _scores(stage)
    return found


def compare(before: Picture, after: Picture) -> Effects:
    """What differs, section by section; subjects in the order in which they stand afterwards."""
    sections = []
    for section in [*after, *(section for section in before if section not in after)]:
        old, new = before.get(section, {}), after.get(section, {})
        subjects = [*new, *(subject for subject in old if subject not in new)]
        lines = tuple(
            Line(subject, old.get(subject, ""), new.get(subject, ""))
            for subject in subjects
            if old.get(subject, "") != new.get(subject, "")
        )
        if lines:
            sections.append(Section(*section, lines))
    return Effects(tuple(sections))


def _players(tournament: Tournament) -> dict[str, str]:
    entries = Entry.objects.filter(tournament=tournament).select_related("player").order_by("number")
    return {str(entry): entry.get_status_display() for entry in entries}


def _machines(stage: Stage) -> dict[str, str]:
    found = {}
    for used in (
        StageMachine.objects.filter(stage=stage)
        .select_related("machine", "substitute")
        .order_by("machine__name", "machine__code")
    ):
        words = used.get_state_display()
        if used.substitute:
            words += f", {used.substitute.name} stands in"
        if used.factor is not None:
            words += f", times {shown_factor(used.factor)}"
        found[str(used.machine)] = words
    return found


def _given_back(read: StageRead) -> dict[str, str]:
    """Who gets how many games back, and has them to play."""
    lines = given_back(read.stage, read)
    return {f"{line.entrant.number} {line.entrant.name}": line.words for line in lines if line.left}


def _names(read: StageRead) -> dict[int, str]:
    return {entrant.id: f"{entrant.number} {entrant.name}" for entrant in read.facts.entrants}


def _table(read: StageRead) -> dict[str, str]:
    names = _names(read)
    return {
        names[row.entry]: "not ranked"
        if row.place is None
        else f"{place_words(row.place, row.shared)}, {points_words(row.points)}"
        for row in read.table.rows
    }


def _cut(read: StageRead) -> dict[str, str]:
    words = dict.fromkeys(read.cut.inside, "goes on") | dict.fromkeys(read.cut.level, "level at the cut")
    return {name: words.get(entry, STAYS_OUT) for entry, name in _names(read).items()}


def _would(read: StageRead) -> dict[str, str]:
    """Who would have which seed by the table now, where the cut is declared already."""
    if not Seat.objects.filter(
        stage__tournament=read.stage.tournament_id, stage__key__in=_fed_by_cut(read.stage)
    ).exists():
        return {}
    names = _names(read)
    return {names[entry]: f"seed {seed}" for seed, entry in enumerate(would_be(read), start=1)}


def would_be(read: StageRead) -> tuple[int, ...]:
    """The entries that the table would send on now, in seed order; those clear of a tie only, where one is open."""
    try:
        return tuple(seed.entry for seed in advancement.seeding(read.facts, read.table, read.rules, read.qualifiers))
    except NeedsDecision:
        return read.cut.inside


def _fed_by_cut(stage: Stage) -> list[str]:
    return [each.key for each in selectors.stages_behind(stage)]


def _seats(stage: Stage) -> dict[str, str]:
    seats = Seat.objects.filter(stage=stage).select_related("entry__player").order_by("seed")
    return {f"seed {seat.seed}": str(seat.entry) for seat in seats}


def _games(stage: Stage) -> dict[str, str]:
    found = {}
    matches = stage.matches.exclude(state=Match.State.VOID).select_related("machine").order_by("round", "order")
    for match in matches.prefetch_related("sides__entry__player"):
        who = ", ".join(f"{side.entry}{' (absent)' if side.absent else ''}" for side in match.sides.all())
        found[f"game {match.round} on {match.machine.name}"] = f"{who}: {match.get_state_display()}"
    return found


def _scores(stage: Stage) -> dict[str, str]:
    """Every score of a match as it stands: one that is discarded with its game, or set to zero, is seen to go."""
    found: dict[str, str] = {}
    kept = (*Score.COUNTED, Score.State.DISCARDED, Score.State.WAITING)
    scores = Score.objects.filter(stage=stage, state__in=kept).exclude(match=None)
    scores = scores.select_related("entry__player", "machine", "match")
    for score in scores.order_by("match__round", "match__order", "entry__number", "value", "pk"):
        words = grouped(score.value or 0)
        if score.ranked is not None:
            words += f", {grouped(score.ranked)} counts"
        if score.state not in Score.COUNTED:
            words += f" ({score.get_state_display()})"
        subject = f"{score.entry}, game {score.match.round if score.match else ''} on {score.machine.name}"
        found[subject] = f"{found[subject]}; {words}" if subject in found else words
    return found


def _results(stage: Stage) -> dict[str, str]:
    entries = {entry.pk: str(entry) for entry in Entry.objects.filter(seats__stage=stage).select_related("player")}
    found = {}
    for contest in outcomes(stage):
        finishes = contest.outcome.finishes
        if all(finish.value is None for finish in finishes):
            # Nobody is first because of not playing.
            continue
        for finish in finishes:
            if finish.value is None:
                value = "no score"
            else:
                value = points_words(finish.value) if stage.spec.grouped else grouped(finish.value)
            subject = f"{entries.get(finish.entry, finish.entry)} {contest.where}"
            found[subject] = f"{place_words(finish.place, finish.shared)}, {value}"
    return found
