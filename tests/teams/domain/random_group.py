"""Groups somewhere on their way, with everything in them. Scores come from few values so that ties are common."""

from dataclasses import replace
from itertools import combinations
from random import Random

from teams.format import TeamRules
from tournaments.domain.facts import Decision, Entrant, Met, Part, Phase, Played, StageFacts, StageMachine, Standing

HIGH = 3
SCALES = ((9, 5, 2, 0), (9, 5, 2, 0), (3, 3, 1), (0,))
KINDS = ("play-off", "order", "lots")


def random_rules(rnd: Random) -> TeamRules:
    return TeamRules(match_points=rnd.choice((5, 5, 1)), bonus=rnd.choice(SCALES))


def random_stage(rnd: Random) -> StageFacts:
    """One or two groups of two to four; the ids have nothing to do with the numbers."""
    machines = tuple(StageMachine(90 - i, f"M{i}", f"Machine {i}") for i in range(8))
    entrants: list[Entrant] = []
    met: list[Met] = []
    solo: list[Played] = []
    share = rnd.choice((0.3, 0.8, 1, 1))
    for label in "AB"[: rnd.randint(1, 2)]:
        own = []
        for _ in range(rnd.randint(2, 4)):
            number = len(entrants) + 1
            standing = rnd.choices(list(Standing), (14, 1, 1))[0]
            own.append(Entrant(70 - 3 * number, number, f"Team {number}", standing, label))
            entrants.append(own[-1])
        for place, pair in enumerate(combinations([entrant.id for entrant in own], 2)):
            if rnd.random() < 0.95:
                met.append(Met(90 - place, tuple(_part(entry, rnd, share) for entry in pair), place + 1))
        for entrant in own:
            if rnd.random() < 0.7:
                met.append(Met(84, (_part(entrant.id, rnd, share),), 1))
            elif rnd.random() < share:
                solo.append(Played(entrant.id, 84, rnd.randint(0, HIGH)))
    ids = [entrant.id for entrant in entrants]
    decisions = tuple(_decision(ids, rnd) for _ in range(rnd.choice((0, 0, 1, 2))))
    return StageFacts(Phase.OPEN, tuple(entrants), machines, tuple(solo), decisions=decisions, met=tuple(met))


def _part(entry: int, rnd: Random, share: float) -> Part:
    value = rnd.randint(0, HIGH) if rnd.random() < share else None
    return Part(entry, value, away=rnd.random() < 0.05)


def _decision(ids: list[int], rnd: Random) -> Decision:
    order = tuple(rnd.sample(ids, rnd.randint(2, len(ids))))
    level = (order[:2],) if rnd.random() < 0.3 else ()
    return Decision(rnd.choice(KINDS), order, level=level)


def shuffled(facts: StageFacts, rnd: Random) -> StageFacts:
    """The same facts in another order, and the sides of each match, too; only decisions have an order."""
    return replace(
        facts,
        entrants=tuple(rnd.sample(facts.entrants, len(facts.entrants))),
        machines=tuple(rnd.sample(facts.machines, len(facts.machines))),
        played=tuple(rnd.sample(facts.played, len(facts.played))),
        met=tuple(
            one._replace(parts=tuple(rnd.sample(one.parts, len(one.parts))))
            for one in rnd.sample(facts.met, len(facts.met))
        ),
    )


def relabelled(facts: StageFacts, rnd: Random) -> tuple[StageFacts, dict[int, int]]:
    """The same facts with other ids, and which id became which."""
    new = dict(zip([e.id for e in facts.entrants], rnd.sample(range(500, 600), len(facts.entrants)), strict=True))
    again = replace(
        facts,
        entrants=tuple(e._replace(id=new[e.id]) for e in facts.entrants),
        played=tuple(p._replace(entry=new[p.entry]) for p in facts.played),
        met=tuple(m._replace(parts=tuple(p._replace(entry=new[p.entry]) for p in m.parts)) for m in facts.met),
        decisions=tuple(
            replace(d, order=tuple(new[e] for e in d.order), level=tuple(tuple(new[e] for e in g) for g in d.level))
            for d in facts.decisions
        ),
    )
    return again, new
