"""Solo games of a folder into the database, and void scores, which count for nothing and are kept all the same."""

from collections import Counter
from collections.abc import Iterable
from contextlib import AbstractContextManager
from typing import Protocol

from tournaments import selectors
from tournaments.domain.facts import Phase, Played
from tournaments.domain.rulings import ranked_elsewhere
from tournaments.models import Entry, Machine, Match, Score, Stage, StageMachine, Tournament
from tournaments.services import scores
from tournaments.services.change import Actor, change
from tournaments.services.exchange.comparing import Comparison
from tournaments.services.exchange.faults import Fault
from tournaments.services.exchange.folder import Folder
from tournaments.services.exchange.lines import (
    AGREED,
    COUNTED,
    DISCARDED,
    PLAYING,
    SCORES,
    VOID,
    WAITING,
    ScoreLine,
    before_rulings,
)

REASON = "As in the imported folder."
SOURCE = "import"
State = StageMachine.State


class Writing(Protocol):
    """What writing a folder has at hand; `at_line` counts what a line adds, or notes why it was refused.

    `written` are the scores that lines of scores.csv have become, or have met here, by the line.
    """

    folder: Folder
    known: Comparison
    actor: Actor
    tournament: Tournament
    entries: dict[int, Entry]
    stages: dict[str, Stage]
    written: dict[int, Score]
    faults: list[Fault]
    created: Counter[str]

    def at_line(self, file: str, line: int | None, what: str = "") -> AbstractContextManager[None]: ...

    def write_machine_state(self, stage: Stage, machine: str) -> None: ...


def write_scores(writing: Writing, stage: Stage) -> None:
    """The new solo games of a stage.

    Games on a machine that is withdrawn come before its withdrawal, and those on its substitute too, so that the games
    given back can follow it. Void games come last: they take nobody's place.
    """
    own = [line for line in writing.known.plan.new_scores if line.stage == stage.key]
    left = _in_order(line for line in own if line.status != VOID)
    for state in writing.known.plan.states if own else ():
        if state.stage != stage.key or state.state not in (State.CANCELLED, State.RESCALED):
            continue
        before = {state.machine} if state.state == State.CANCELLED else {state.machine, state.substitute}
        for line in [line for line in left if line.machine in before]:
            _write_score(writing, line)
        left = [line for line in left if line.machine not in before]
        writing.write_machine_state(stage, state.machine)
    for line in left:
        _write_score(writing, line)
    for line in (line for line in own if line.status == VOID):
        entry, machine = _whose(writing, line)
        if entry and machine:
            with writing.at_line(SCORES.file, line.line, "scores"):
                writing.written[line.line] = write_void(writing, line, stage, entry, machine)


def _in_order(lines: Iterable[ScoreLine]) -> list[ScoreLine]:
    """A second result after the first it waits beside, and games under way after those that are over."""
    order = (*COUNTED, DISCARDED, PLAYING, WAITING)
    return sorted(lines, key=lambda line: max(order.index(line.status), order.index(DISCARDED)))


def _whose(writing: Writing, line: ScoreLine) -> tuple[Entry | None, Machine | None]:
    """None of those whose own line has a fault already."""
    return writing.entries.get(line.number), writing.known.plan.machines.get(line.machine)


def _write_score(writing: Writing, line: ScoreLine) -> None:
    entry, machine = _whose(writing, line)
    if entry is None or machine is None:
        return
    stage, at = writing.stages[line.stage], writing.known.aware(line.at)
    # A score that rulings in the folder have changed is recorded as it was; the rulings follow.
    line = before_rulings(line, writing.known.ruled.get(line.line, ()))
    with writing.at_line(SCORES.file, line.line, "scores"):
        if line.status == PLAYING:
            scores.start(stage, actor=writing.actor, entry=entry, machine=machine, at=at)
            return
        value = line.value or 0
        if line.status == WAITING:
            scores.put_aside(
                stage, actor=writing.actor, entry=entry, machine=machine, value=value, source=SOURCE, at=at
            )
            return
        writing.written[line.line] = scores.record(
            stage,
            actor=writing.actor,
            entry=entry,
            machine=machine,
            value=value,
            sure=value,
            source=SOURCE,
            state=Score.State.AGREED if line.status == AGREED else Score.State.RECORDED,
            at=at,
        ).score


def write_void(
    writing: Writing, line: ScoreLine, stage: Stage, entry: Entry, machine: Machine, match: Match | None = None
) -> Score:
    """A score that counts no longer, at the desk to be restored: in a place of its own where there is room for one."""
    line = before_rulings(line, writing.known.ruled.get(line.line, ()))
    with change(writing.tournament, actor=writing.actor, action="import void score") as log:
        at = writing.known.aware(line.at) or log.now
        here = Stage.objects.select_related("tournament__show").get(pk=stage.pk)
        score = Score(stage=here, entry=entry, machine=machine, match=match, value=line.value, source=SOURCE)
        score.recorded_at, score.recorded_by, score.taken_at = log.now, writing.actor, min(at, log.now)
        score.late = match is None and here.phase(score.taken_at) == Phase.CLOSING
        if match:
            score.attempt = score.slot = match.round
        else:
            score.attempt, score.slot = _free_place(here, entry, machine)
        score.state, score.revision = Score.State.RECORDED, log.revision
        before = scores.snapshot(score)
        score.state = Score.State.VOID
        score.save()
        log.write(
            f"{scores.named(score)} is void.",
            before=before,
            after=scores.snapshot(score),
            reason=REASON,
            score=score,
            entry=entry,
            machine=machine,
        )
    return score


def _free_place(stage: Stage, entry: Entry, machine: Machine) -> tuple[int, int]:
    """The attempt and the slot of a void game: free ones while there is room for it, else those that are taken."""
    rules = stage.tournament.kind.qualifying(stage.tournament.rules_in_force)
    live = Score.objects.filter(stage=stage, entry=entry, state__in=Score.LIVE, match=None)
    games = list(live.values_list("machine_id", "attempt", "slot"))
    cancelled, moves = selectors.withdrawn(stage)
    played, _ = ranked_elsewhere([Played(entry.pk, pk, 0) for pk, *_ in games], moves, rules.games_per_machine)
    counted = [game for game in played if game.machine not in cancelled | set(moves)]
    attempt = scores.first_free({attempt for pk, attempt, _ in games if pk == machine.pk})
    full = len(counted) >= rules.games_allowed and machine.pk not in cancelled
    return (
        attempt if attempt <= rules.games_per_machine else 1,
        min(slot for _, _, slot in games) if full else scores.first_free({slot for _, _, slot in games}),
    )
