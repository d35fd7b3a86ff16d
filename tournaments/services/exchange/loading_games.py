"""Matches and results of a folder into the database, through the services of the desk where there is one."""

from collections.abc import Iterator, Mapping, Sequence

from django.db.models import QuerySet

from tournaments import selectors
from tournaments.domain.refusals import Refusal
from tournaments.formats import PlannedMatch
from tournaments.models import FinalPlace, Machine, Match, Score, Side, Stage, StageMachine, Tournament
from tournaments.services import matches, results
from tournaments.services.change import change
from tournaments.services.exchange import judging
from tournaments.services.exchange import lines as files
from tournaments.services.exchange.comparing_games import by_number
from tournaments.services.exchange.faults import Fault
from tournaments.services.exchange.games import MatchLine, SideLine
from tournaments.services.exchange.lines import ScoreLine
from tournaments.services.exchange.loading_scores import REASON, SOURCE, Writing, write_void
from tournaments.services.progress import deal_matches


def write_matches(writing: Writing, stage: Stage, machines: Mapping[str, Machine], *, rules_broken: bool) -> None:
    """The matches of a stage that has none yet, judged by its format unless the folder says that rules are broken."""
    lines = sorted(writing.known.games.new.get(stage.key, []), key=lambda line: (line.round, line.line))
    planned = list(_planned(writing, stage, machines, lines))
    if not lines or len(planned) < len(lines):
        return
    found = [] if rules_broken else judging.faults(stage, planned)
    writing.faults += [Fault(files.MATCHES.file, None, fault) for fault in found]
    if found:
        return
    with writing.at_line(files.MATCHES.file, None):
        _publish(writing, stage, planned)


def _planned(
    writing: Writing, stage: Stage, machines: Mapping[str, Machine], lines: Sequence[MatchLine]
) -> Iterator[PlannedMatch]:
    """The matches with the better seeds first: they choose first. Lines whose own names were refused are left out."""
    seeds = dict(stage.seats.values_list("entry_id", "seed"))
    for line in lines:
        entries, machine = by_number(writing.entries, line.numbers), machines.get(line.machine)
        if entries is not None and machine is not None:
            order = sorted((entry.pk for entry in entries), key=lambda pk: seeds.get(pk, len(seeds) + 1))
            yield PlannedMatch(line.round, machine.pk, tuple(order))


def _publish(writing: Writing, stage: Stage, planned: Sequence[PlannedMatch]) -> None:
    drawn = {line.machine: line.drawn_from for line in writing.folder.machine_states if line.stage == stage.key}
    codes = {machine.pk: code for code, machine in writing.known.plan.machines.items()}
    with change(writing.tournament, actor=writing.actor, action="import matches") as log:
        # Also one that was drawn before and died: its lot is part of how the final came to its machine.
        lots = [pk for pk, code in codes.items() if drawn.get(code)]
        for machine in dict.fromkeys([*(match.machine for match in planned), *lots]):
            drawn_from = drawn.get(codes.get(machine, ""))
            StageMachine.objects.update_or_create(stage=stage, machine_id=machine, defaults={"drawn_from": drawn_from})
        deal_matches(stage, planned)
        log.write(
            f"{stage.label}: {len(planned)} matches imported.",
            after={"matches": [[match.round, match.machine, *match.entries] for match in planned]},
        )
    writing.created["matches"] += len(planned)


def play_matches(writing: Writing, stage: Stage, open_round: int) -> None:
    """What happened in the matches of a stage that is open: who stayed away, what was chosen, scores, agreements."""
    lines = writing.known.games.of(stage.key)
    void = [line for line in writing.known.games.void if line.stage == stage.key]
    begun = max((line.round for line in lines if line.played), default=1)
    if (lines or void) and Stage.objects.get(pk=stage.pk).state == Stage.State.OPEN:
        with writing.at_line(files.STAGES.file, None):
            number = max(open_round, begun)
            matches.open_round(stage, actor=writing.actor, round_number=number, reason=REASON)
    for score in void:
        with writing.at_line(files.SCORES.file, score.line, "scores"):
            _void(writing, stage, score)
    for line in lines:
        match = _match(stage, line)
        if match:
            _play(writing, match, line)


def _match(stage: Stage, line: MatchLine) -> Match | None:
    return _live(stage).filter(round=line.round, machine__code__iexact=line.machine).first()


def _live(stage: Stage) -> QuerySet[Match]:
    live = stage.matches.exclude(state=Match.State.VOID)
    return live.select_related("stage__tournament__show", "machine")


def _void(writing: Writing, stage: Stage, line: ScoreLine) -> None:
    entry, machine = writing.entries.get(line.number), writing.known.plan.machines.get(line.machine)
    match = _live(stage).filter(round=line.round, sides__entry=entry).first() if entry else None
    if match and entry and machine:
        writing.written[line.line] = write_void(writing, line, stage, entry, machine, match)


def _play(writing: Writing, match: Match, line: MatchLine) -> None:
    sides = {side.entry.number: side for side in match.sides.select_related("entry")}
    with writing.at_line(files.MATCHES.file, line.line):
        _begin(writing, match, line, sides)
    for number in [side.entry.number for side in sorted(sides.values(), key=lambda side: side.rank)]:
        said, side = line.side(number), sides[number]
        # A score that rulings in the folder have changed is recorded as it was; the rulings follow.
        before = writing.known.games.before.get((line.where, number))
        value = before.value if before else said.score
        score = Score.objects.filter(match=match, entry=side.entry_id, state__in=Score.LIVE).first()
        if value is not None and score is None:
            with writing.at_line(files.MATCHES.file, line.line, "scores"):
                recorded = matches.record(
                    match,
                    actor=writing.actor,
                    entry=side.entry_id,
                    value=value,
                    sure=value,
                    source=SOURCE,
                    agreed=said.agreed or bool(before and before.status == files.AGREED),
                    at=writing.known.aware(before.at) if before else None,
                )
                if before:
                    writing.written[before.line] = recorded.score
        elif said.agreed and not side.agreed_at:
            with writing.at_line(files.MATCHES.file, line.line, "agreements"):
                matches.agree(match, actor=writing.actor, entry=side.entry_id)


def _begin(writing: Writing, match: Match, line: MatchLine, sides: Mapping[int, Side]) -> None:
    """Before any score: called, who stays away, what was chosen, warm-up, play."""
    order = Match.State.values
    wanted = order.index(line.state) if line.state else 0
    if order.index(match.state) < wanted and line.state != Match.State.DONE:
        matches.call(match, actor=writing.actor)
    for said in line.sides:
        if said.absent and (line.stage, line.round, said.number) not in writing.known.rulings.out_of_match:
            entry = sides[said.number].entry_id
            matches.absent(match, actor=writing.actor, entry=entry, reason=REASON)
    if match.state != Match.State.DONE:
        for said in sorted(line.sides, key=lambda said: sides[said.number].rank):
            _choose(writing, match, said, sides[said.number])
    if line.state == Match.State.WARM_UP:
        matches.warm_up(match, actor=writing.actor)
    elif line.state == Match.State.PLAYING:
        matches.play(match, actor=writing.actor)


def _choose(writing: Writing, match: Match, said: SideLine, side: Side) -> None:
    if said.choice:
        matches.choose(match, actor=writing.actor, entry=side.entry_id, position=said.choice)


def write_results(writing: Writing) -> None:
    """The final places as they were declared elsewhere, or, without a table of them, as they are now."""
    heading = writing.folder.heading
    if writing.known.games.results and not writing.faults:
        with writing.at_line(files.RESULTS.file, None, "results"):
            if writing.folder.results:
                _freeze(writing)
            else:
                results.declare(writing.tournament, actor=writing.actor, held_back=heading.results_held_back)
    elif heading.results_held_back and not writing.tournament.results_declared_at:
        results.hold_back(writing.tournament, actor=writing.actor)


def _freeze(writing: Writing) -> None:
    heading, tournament = writing.folder.heading, Tournament.objects.get(pk=writing.tournament.pk)
    with change(tournament, actor=writing.actor, action="import results") as log:
        if tournament.results_declared_at:
            raise Refusal("The results are declared already.")
        results.refuse_unless_decided(tournament)
        named = {line.number for line in writing.folder.results}
        left_out = selectors.entered(tournament).exclude(number__in=named).order_by("number")
        if left_out:
            raise Refusal(f"The list leaves out {', '.join(map(str, left_out))}, entered here.")
        reasons = {place.entry: place.why for place in results.places(tournament)}
        rows = [
            FinalPlace(
                tournament=tournament,
                entry=entry,
                place=line.place,
                shared=line.shared,
                why=line.why or reasons[entry.pk],
            )
            for line in writing.folder.results
            if (entry := writing.entries.get(line.number))
        ]
        FinalPlace.objects.bulk_create(rows)
        tournament.results_declared_at = writing.known.aware(heading.results_declared_at) or log.now
        tournament.results_held_back = heading.results_held_back
        tournament.save(update_fields=["results_declared_at", "results_held_back"])
        log.write(
            f"The results of {tournament.name} were imported: {len(rows)} lines.",
            after={"places": [[row.entry_id, row.place] for row in rows]},
        )
