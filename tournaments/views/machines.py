"""What staff see of machines: whether each is in order, what is wrong, who reported it, and where it is used."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils import timezone

from tournaments import selectors
from tournaments.models import Incident, Machine, Stage, StageMachine
from tournaments.views.desk.common import clock

JUST_NOW = timedelta(minutes=15)
"""For how long a list of machines offers to take a repair back; the page of the machine always does. Our choice."""


@dataclass(frozen=True)
class MachineLine:
    """A machine with its incident book, newest first, and the stages that use it, as they are played."""

    machine: Machine
    book: tuple[Incident, ...]
    uses: tuple[StageMachine, ...]
    now: datetime

    @property
    def open(self) -> tuple[Incident, ...]:
        return tuple(each for each in self.book if each.repaired_at is None and each.undone_at is None)

    @property
    def trouble(self) -> Incident | None:
        """What puts it out of order, the first report of it."""
        return next((each for each in reversed(self.open) if each.out_of_order), None)

    @property
    def since(self) -> str:
        """Since when it is out of order, in the current time zone."""
        return clock(self.trouble.reported_at, self.now) if self.trouble else ""

    @property
    def notes(self) -> tuple[Incident, ...]:
        """Everything else that is wrong with it."""
        return tuple(each for each in self.open if each != self.trouble)

    @property
    def repaired_last(self) -> Incident | None:
        """The repair that can be taken back, while nothing else is wrong with the machine."""
        ended = [each for each in self.book if each.repaired_at and not each.undone_at and each.out_of_order]
        return max(ended, key=lambda each: each.repaired_at) if ended and not self.trouble else None  # type: ignore[arg-type,return-value]

    @property
    def repaired_just_now(self) -> bool:
        last = self.repaired_last
        return last is not None and last.repaired_at is not None and self.now - last.repaired_at < JUST_NOW

    @property
    def current(self) -> tuple[StageMachine, ...]:
        """Its uses in stages that are not closed."""
        return tuple(use for use in self.uses if use.stage.state != Stage.State.CLOSED)


def trouble(machine: Machine) -> Incident | None:
    """What puts a machine out of order; nothing when it is in order."""
    return machine_lines([machine], timezone.now())[0].trouble if not machine.in_order else None


def machine_lines(machines: Iterable[Machine], now: datetime) -> list[MachineLine]:
    """The machines with what is wrong and where they are used, in three queries whatever their number."""
    rows = list(machines)
    book, uses = selectors.incident_books(rows), selectors.uses_of(rows)
    return [MachineLine(row, tuple(book.get(row.pk, ())), tuple(uses.get(row.pk, ())), now) for row in rows]
