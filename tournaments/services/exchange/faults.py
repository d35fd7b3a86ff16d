"""What is wrong with a folder: every fault at once, each with its file, line and reason."""

from collections.abc import Iterable
from dataclasses import dataclass

from tournaments.domain.refusals import Refusal


@dataclass(frozen=True, slots=True)
class Fault:
    """One fault. `line` is the row as a spreadsheet numbers it, the heading being line 1; None for a whole file."""

    file: str
    line: int | None
    reason: str

    def __str__(self) -> str:
        return f"{self.file}{f', line {self.line}' if self.line else ''}: {self.reason}"


class Faults(Refusal):
    """A folder that was not taken; `faults` are all that were found, by file and line."""

    def __init__(self, faults: Iterable[Fault]) -> None:
        self.faults = sorted(set(faults), key=lambda fault: (fault.file, fault.line or 0, fault.reason))
        count = "There is 1 fault" if len(self.faults) == 1 else f"There are {len(self.faults)} faults"
        super().__init__(f"{count} in the folder; nothing was changed. {' '.join(map(str, self.faults))}")
