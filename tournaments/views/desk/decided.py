"""What was decided about a stage and not taken back."""

from dataclasses import replace
from typing import Any

from tournaments import selectors
from tournaments.domain import advancement
from tournaments.domain.advancement import Cut
from tournaments.domain.facts import Decision
from tournaments.models import Entry, Ruling, Stage
from tournaments.selectors import StageRead


def decided(stage: Stage, read: StageRead | None = None) -> list[dict[str, Any]]:
    """Play-offs, rulings and lots, each entry in order with its score in the play-off.

    With the reading of a stage that has a cut, each says whether it still applies to the tie there.
    """
    orders = Ruling.objects.filter(stage=stage, undone_at=None, kind__in=Ruling.ORDERS)
    kept = list(orders.select_related("decided_by"))
    entries = Entry.objects.select_related("player").in_bulk({e for ruling in kept for e in ruling.data["order"]})
    applying = _applying(read, kept) if read else {ruling.pk for ruling in kept}
    return [
        {
            "ruling": ruling,
            "order": [(entries[e], ruling.data.get("scores", {}).get(str(e))) for e in ruling.data["order"]],
            "applies": ruling.kind == Ruling.Kind.LOTS or ruling.pk in applying,
        }
        for ruling in kept
    ]


def _applying(read: StageRead, rulings: list[Ruling]) -> set[int]:
    """The decisions that order all who are level across the cut, with nothing decided or after the ones before."""
    whole_tie = set(_cut_after(read, ()).level)
    applying: set[int] = set()
    decisions: tuple[Decision, ...] = ()
    for ruling in rulings:
        decision = selectors.decision(ruling.kind, ruling.data, ruling.reason)
        ties = (whole_tie, set(_cut_after(read, decisions).level))
        if decision.kind in advancement.SETTLE_THE_CUT and any(tie and tie <= set(decision.order) for tie in ties):
            applying.add(ruling.pk)
            decisions += (decision,)
    return applying


def _cut_after(read: StageRead, decisions: tuple[Decision, ...]) -> Cut:
    facts = replace(read.facts, decisions=decisions)
    return advancement.cut(facts, read.table, read.rules, read.qualifiers)
