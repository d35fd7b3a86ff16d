"""Rulings of a folder beside those of the database."""

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime

from tournaments import selectors
from tournaments.models import Ruling, Tournament
from tournaments.services.exchange.lines import ON_SCORES, ORDERS, RULINGS, RulingLine

Kind = Ruling.Kind
NoteFault = Callable[[str, int | None, str], None]


class RulingsComparison:
    """Which rulings are `new`, by the line; one that was taken back here is noted as a fault and is not."""

    def __init__(
        self,
        lines: Sequence[RulingLine],
        tournament: Tournament | None,
        aware: Callable[[datetime | None], datetime | None],
        fault: NoteFault,
    ) -> None:
        self.new: list[RulingLine] = []
        self.unchanged = 0
        numbers = selectors.numbers_kept(tournament) if tournament else {}
        left = list(_known(tournament)) if tournament else []
        for line in lines:
            same = [ruling for ruling in left if _is(line, aware(line.decided_at), ruling, numbers)]
            in_force = next((ruling for ruling in same if ruling.undone_at is None), None)
            if in_force:
                left.remove(in_force)
                self.unchanged += 1
            elif same:
                fault(RULINGS.file, line.line, "This ruling was taken back here.")
            else:
                self.new.append(line)

    @property
    def on_scores(self) -> Mapping[int, list[RulingLine]]:
        """The new rulings on each line of scores.csv, in the order in which they were decided."""
        found: dict[int, list[RulingLine]] = defaultdict(list)
        for line in self.new:
            if line.on:
                found[line.on].append(line)
        return found

    @property
    def out_of_match(self) -> set[tuple[str, int, int]]:
        """Who is newly disqualified from which match, by stage, round and number."""
        return {(line.stage, line.round, line.numbers[0]) for line in self.new if line.kind == Kind.OUT_OF_MATCH}


def _known(tournament: Tournament) -> Sequence[Ruling]:
    found = Ruling.objects.filter(tournament=tournament).order_by("decided_at", "pk")
    related = ("stage", "score__entry", "score__machine", "match", "entry", "machine")
    return list(found.select_related(*related).prefetch_related("match__sides__entry"))


def _is(line: RulingLine, decided_at: datetime | None, ruling: Ruling, numbers: Mapping[int, int]) -> bool:
    """Whether a line and a ruling here are the same decision; a line without a time may be of any."""
    return (
        line.kind == ruling.kind
        and line.stage == (ruling.stage.key if ruling.stage else "")
        and decided_at in (None, ruling.decided_at)
        and _about(line) == _concerns(ruling, numbers)
    )


def _about(line: RulingLine) -> tuple[object, ...]:
    if line.kind in ORDERS:
        return line.order
    machine = line.machine.casefold() if line.kind in (*ON_SCORES, Kind.MACHINE) else ""
    return (*sorted(line.numbers), machine, line.round, line.reached, line.counts, line.seed, line.instead_of)


def _concerns(ruling: Ruling, numbers: Mapping[int, int]) -> tuple[object, ...]:
    """The same of a ruling here."""
    data = ruling.data
    if ruling.kind in ORDERS:
        return tuple(numbers[pk] for pk in data["order"])
    who = [ruling.entry.number] if ruling.entry else [numbers[pk] for pk in data.get("entries", ())]
    if ruling.kind == Kind.REPLAYED and ruling.match:
        who = [side.entry.number for side in ruling.match.sides.all()]
    machine = ""
    if ruling.kind in ON_SCORES and ruling.score:
        who, machine = [ruling.score.entry.number], ruling.score.machine.code.casefold()
    elif ruling.kind == Kind.MACHINE and ruling.machine:
        machine = ruling.machine.code.casefold()
    return (
        *sorted(who),
        machine,
        ruling.match.round if ruling.match else 0,
        data.get("reached"),
        data.get("counts"),
        data.get("seed", 0),
        numbers[data["for"]] if "for" in data else 0,
    )
