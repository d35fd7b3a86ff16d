"""Whether matches made elsewhere may be those of a stage: what is the same for every format, and what its own asks."""

from collections.abc import Iterator, Sequence

from tournaments.formats import PlannedMatch
from tournaments.models import Entry, Machine, Stage


def faults(stage: Stage, planned: Sequence[PlannedMatch]) -> list[str]:
    """What is wrong with the matches of a stage with these seats, a sentence each."""
    seats = list(stage.seats.order_by("seed").values_list("entry_id", flat=True))
    entries = {
        entry.pk: str(entry) for entry in Entry.objects.filter(tournament=stage.tournament).select_related("player")
    }
    found = list(_seat_faults(stage, seats, planned, entries))
    if found:
        return found
    used = list(dict.fromkeys(match.machine for match in planned))
    machines = {machine.pk: machine.name for machine in Machine.objects.filter(pk__in=used)}
    kind = stage.tournament.kind
    return list(kind.judge(stage.key, seats, used, planned, {pk: entries[pk] for pk in seats}, machines).faults)


def _seat_faults(
    stage: Stage, seats: Sequence[int], planned: Sequence[PlannedMatch], entries: dict[int, str]
) -> Iterator[str]:
    drawn = list(dict.fromkeys(entry for match in planned for entry in match.entries))
    for entry in drawn:
        if entry not in seats:
            yield f"{entries[entry]} has no seat in the {stage.label.lower()}."
    for entry in seats:
        if entry not in drawn:
            yield f"{entries[entry]} has a seat in the {stage.label.lower()} and no match."
    if not stage.spec.ranked and not stage.spec.grouped:
        for match in planned:
            if len(match.entries) < 2:
                yield f"{entries[match.entries[0]]} has nobody to play against in the {stage.label.lower()}."
