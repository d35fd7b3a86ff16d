"""Small stages with everything in them, and every step that play can take from there.

Scores come from a handful of values so that ties are common. A seed makes the stage, so that it can be made again.
"""

from collections import Counter
from dataclasses import replace
from decimal import Decimal
from random import Random

from hypothesis import strategies as st

from tournaments.domain.facts import (
    Entrant,
    MachineState,
    Phase,
    Played,
    QualifyingRules,
    StageFacts,
    StageMachine,
    Standing,
)
from tournaments.domain.ranking import TIED_SCORES
from tournaments.domain.rulings import Move, ranked_elsewhere

HIGH = 7
SCALES = ("linear-100", "papa", "count-down", (5, 3, 1), (10, 9, 8, 7, 6), (6, 6, 2, 1))
PHASES = (Phase.PLANNED, Phase.OPEN, Phase.CLOSING, Phase.CLOSED)

RULES = st.builds(
    QualifyingRules,
    games_allowed=st.integers(1, 4),
    games_counted=st.integers(1, 4),
    games_per_machine=st.integers(1, 3),
    points=st.sampled_from(SCALES),
    tied_scores=st.sampled_from(sorted(TIED_SCORES)),
)


def random_facts(rules: QualifyingRules, seed: int) -> StageFacts:
    """A stage somewhere on its way: some games played, some running, some results disputed, some people gone."""
    rnd = Random(seed)
    machines = tuple(StageMachine(60 - i, f"M{i}", f"Machine {i}", _state(rnd)) for i in range(rnd.randint(1, 4)))
    entrants = tuple(Entrant(40 - i, i + 1, f"Player {i + 1}") for i in range(rnd.randint(1, 6)))
    phase = rnd.choice(PHASES)
    facts = StageFacts(phase, entrants, machines, (), may_enter=rnd.choice((0, 0, 0, 1, 2)))
    eager = rnd.random()
    for entrant in entrants:
        for one in rnd.sample(machines, len(machines)):
            for _ in range(rules.games_per_machine):
                if rnd.random() < eager and games_left(facts, rules, entrant.id) > 0:
                    game = Played(entrant.id, one.id, rnd.randint(0, HIGH))
                    facts = replace(facts, played=(*facts.played, game))
    return _ruled(_troubled(facts, rules, rnd), rules, rnd)


def _state(rnd: Random) -> MachineState:
    return rnd.choices(list(MachineState), (16, 2, 1, 1))[0]


def _troubled(facts: StageFacts, rules: QualifyingRules, rnd: Random) -> StageFacts:
    """Starts some games, lets people leave, and finds second results for some games."""
    for _ in range(rnd.choice((0, 0, 1, 2))):
        facts = _started(facts, rules, rnd)
    standings = rnd.choices(list(Standing), (12, 1, 1), k=len(facts.entrants))
    entrants = tuple(e._replace(standing=s) for e, s in zip(facts.entrants, standings, strict=True))
    disputed = {(p.entry, p.machine) for p in facts.played} | set(possible_games(facts, rules))
    doubt = rnd.choice((0, 0, 0.1))
    waiting = tuple(pair for pair in sorted(disputed) if rnd.random() < doubt)
    return replace(facts, entrants=entrants, waiting=waiting)


def _ruled(facts: StageFacts, rules: QualifyingRules, rnd: Random) -> StageFacts:
    """Discards some games, and ranks those of machines that were withdrawn by rescaling on another one."""
    share = rnd.choice((0, 0, 0.2))
    spent = tuple(index for index in range(len(facts.played)) if rnd.random() < share)
    facts = replace(
        facts,
        played=tuple(p for index, p in enumerate(facts.played) if index not in spent),
        spent=tuple((facts.played[index].entry, facts.played[index].machine) for index in spent),
    )
    opened = [m for m in facts.machines if m.state == MachineState.OPEN]
    gone = [m for m in facts.machines if m.state == MachineState.RESCALED]
    if not opened or not gone:
        return facts
    factors = (Decimal("0.5"), Decimal(1))
    moves = {m.id: Move(rnd.choice(opened).id, rnd.choice(factors), m.name) for m in gone}
    played, notes = ranked_elsewhere(facts.played, moves, rules.games_per_machine)
    moved = {
        name: tuple((e, moves[m].substitute if m in moves else m) for e, m in getattr(facts, name))
        for name in ("playing", "waiting", "spent")
    }
    return replace(facts, played=tuple(played), notes=tuple(notes), **moved)


def relabelled(facts: StageFacts, rnd: Random) -> tuple[StageFacts, dict[int, int]]:
    """The same stage with other ids and other numbers, and which id became which."""
    new = {e.id: 500 + i for i, e in enumerate(rnd.sample(facts.entrants, len(facts.entrants)))}
    numbers = dict(zip(new, rnd.sample(range(1, 99), len(new)), strict=True))
    again = replace(
        facts,
        entrants=tuple(e._replace(id=new[e.id], number=numbers[e.id]) for e in facts.entrants),
        played=tuple(p._replace(entry=new[p.entry]) for p in facts.played),
        playing=tuple((new[e], m) for e, m in facts.playing),
        waiting=tuple((new[e], m) for e, m in facts.waiting),
        spent=tuple((new[e], m) for e, m in facts.spent),
        notes=(),
        decisions=tuple(replace(d, order=tuple(new[e] for e in d.order)) for d in facts.decisions),
    )
    return again, new


def games_left(facts: StageFacts, rules: QualifyingRules, entry: int) -> int:
    """Games the entry may still start: a running game is used up, one on a cancelled machine is given back."""
    cancelled = {m.id for m in facts.machines if not m.ranked}
    played = sum(1 for p in facts.played if p.entry == entry and p.machine not in cancelled)
    running = sum(1 for e, m in facts.playing if e == entry and m not in cancelled)
    spent = sum(1 for e, m in facts.spent if e == entry and m not in cancelled)
    return rules.games_allowed - played - running - spent


def possible_games(facts: StageFacts, rules: QualifyingRules) -> list[tuple[int, int]]:
    """Every (entry, machine) on which a game may be started or a late slip may arrive."""
    if facts.phase == Phase.CLOSED:
        return []
    used = Counter([(p.entry, p.machine) for p in facts.played] + [*facts.playing, *facts.spent])
    return [
        (entrant.id, one.id)
        for entrant in facts.entrants
        for one in facts.machines
        if entrant.standing == Standing.IN
        and one.state == MachineState.OPEN
        and games_left(facts, rules, entrant.id) > 0
        and used[entrant.id, one.id] < rules.games_per_machine
    ]


def _started(facts: StageFacts, rules: QualifyingRules, rnd: Random) -> StageFacts:
    games = possible_games(facts, rules)
    return replace(facts, playing=(*facts.playing, rnd.choice(games))) if games else facts


def _recorded(facts: StageFacts, rules: QualifyingRules, rnd: Random) -> StageFacts:
    games = possible_games(facts, rules)
    return _with_game(facts, rnd.choice(games), rnd) if games else facts


def _with_game(facts: StageFacts, pair: tuple[int, int], rnd: Random) -> StageFacts:
    return replace(facts, played=(*facts.played, Played(*pair, rnd.randint(0, HIGH + 1))))


def _finished(facts: StageFacts, rules: QualifyingRules, rnd: Random) -> StageFacts:
    """A running game ends; also one of an entry that has withdrawn, or on a machine that is closed since."""
    if not facts.playing or facts.phase == Phase.CLOSED:
        return facts
    index = rnd.randrange(len(facts.playing))
    pair = facts.playing[index]
    rest = facts.playing[:index] + facts.playing[index + 1 :]
    facts = replace(facts, playing=rest)
    here = [i for i, p in enumerate(facts.played) if (p.entry, p.machine) == pair]
    if len(here) < rules.games_per_machine:
        return _with_game(facts, pair, rnd)
    # It was begun on a machine that has been rescaled since: it is given back, or better than one carried over before.
    played = list(facts.played)
    worst = min(here, key=lambda i: played[i].value)
    played[worst] = played[worst]._replace(value=max(played[worst].value, rnd.randint(0, HIGH + 1)))
    return replace(facts, played=tuple(played))


def _entered(facts: StageFacts, rules: QualifyingRules, rnd: Random) -> StageFacts:
    if not facts.may_enter or facts.phase == Phase.CLOSED:
        return facts
    number = 100 + len(facts.entrants)
    newcomer = Entrant(number, number, f"Player {number}")
    return replace(facts, entrants=(*facts.entrants, newcomer), may_enter=facts.may_enter - 1)


def _no_show_gone(facts: StageFacts, rules: QualifyingRules, rnd: Random) -> StageFacts:
    played = {p.entry for p in facts.played}
    idle = [e for e in facts.entrants if e.id not in played and e.standing == Standing.IN]
    return _gone(facts, rnd.choice(idle).id) if idle else facts


def _somebody_gone(facts: StageFacts, rules: QualifyingRules, rnd: Random) -> StageFacts:
    present = [e for e in facts.entrants if e.standing == Standing.IN]
    return _gone(facts, rnd.choice(present).id) if present else facts


def _gone(facts: StageFacts, entry: int) -> StageFacts:
    entrants = tuple(e._replace(standing=Standing.WITHDRAWN) if e.id == entry else e for e in facts.entrants)
    return replace(facts, entrants=entrants)


def _chosen(facts: StageFacts, rules: QualifyingRules, rnd: Random) -> StageFacts:
    """Somebody chooses between two results: the one that stands, or the other, which may be anything.

    Where neither stands yet, the choice makes it a game, and one that was running there is over.
    """
    if not facts.waiting:
        return facts
    index = rnd.randrange(len(facts.waiting))
    pair = facts.waiting[index]
    facts = replace(facts, waiting=facts.waiting[:index] + facts.waiting[index + 1 :])
    games = [i for i, p in enumerate(facts.played) if (p.entry, p.machine) == pair]
    if not games:
        running = tuple(other for other in facts.playing if other != pair)
        return _with_game(replace(facts, playing=running), pair, rnd)
    if rnd.random() < 0.4:
        return facts
    other = rnd.choice(games)
    played = [p._replace(value=rnd.randint(0, HIGH + 1)) if i == other else p for i, p in enumerate(facts.played)]
    return replace(facts, played=tuple(played))


def _next_phase(facts: StageFacts, rules: QualifyingRules, rnd: Random) -> StageFacts:
    """Nothing is running any more when a stage is closed."""
    phase = PHASES[min(PHASES.index(facts.phase) + 1, len(PHASES) - 1)]
    return replace(facts, phase=phase, playing=() if phase == Phase.CLOSED else facts.playing)


PLAY = (_recorded, _recorded, _recorded, _started, _finished, _entered, _no_show_gone, _chosen)
STEPS_TO_THE_END = 40


def played_on(facts: StageFacts, rules: QualifyingRules, rnd: Random, *, leaving: bool) -> list[StageFacts]:
    """One way in which the stage may go on, step by step until it is closed and nothing waits.

    With `leaving`, entries that have played may withdraw as well as those that never came.
    """
    steps = [facts]
    kinds = (*PLAY, _somebody_gone) if leaving else PLAY
    length = rnd.randint(0, STEPS_TO_THE_END)
    for _ in range(length):
        chosen = _next_phase if rnd.random() < 0.05 else rnd.choice(kinds)
        steps.append(chosen(steps[-1], rules, rnd))
    while steps[-1].phase != Phase.CLOSED:
        steps.append(_next_phase(steps[-1], rules, rnd))
    while steps[-1].waiting:
        steps.append(_chosen(steps[-1], rules, rnd))
    return [step for step, before in zip(steps, [None, *steps], strict=False) if step is not before]
