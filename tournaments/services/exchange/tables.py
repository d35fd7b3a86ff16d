"""Comma-separated tables as people's spreadsheets write them: to rows of checked cells, with every fault noted."""

import csv
import io
from collections.abc import Collection, Iterator, Sequence
from datetime import datetime

from tournaments.domain import scores
from tournaments.domain.refusals import Refusal
from tournaments.services.exchange.faults import Fault

HIGHEST_NUMBER = 99_999_999


def decode(content: bytes) -> str:
    """The text of a file; raises `ValueError` with a sentence unless it is UTF-8, with or without a mark."""
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise ValueError("The file is UTF-16; save it as UTF-8 (in a spreadsheet: “CSV UTF-8”).")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content[: error.start].count(b"\n") + 1
        raise ValueError(
            f"The file is not UTF-8 (first seen in line {line}); save it as UTF-8 (in a spreadsheet: “CSV UTF-8”)."
        ) from error


class Row:
    """One line of a table. A cell that cannot be read notes its fault and gives None or ""."""

    def __init__(self, file: str, line: int, cells: dict[str, str], faults: list[Fault]) -> None:
        self.file, self.line, self.cells, self.faults = file, line, cells, faults
        self.sound = True

    def fault(self, reason: str) -> None:
        """Note what is wrong with this line."""
        self.faults.append(Fault(self.file, self.line, reason))
        self.sound = False

    def text(self, column: str, *, most: int, needed: bool = False) -> str:
        """Words, with single spaces between them."""
        words = " ".join(self.cells.get(column, "").split())
        if needed and not words:
            self.fault(f"The {column} is missing.")
        if len(words) > most:
            self.fault(f"The {column} has {len(words)} characters; {most} is the most.")
        return words

    def whole(self, column: str, *, least: int, most: int, needed: bool = True) -> int | None:
        """A whole number within limits."""
        word = self.cells.get(column, "").strip()
        if not word:
            if needed:
                self.fault(f"The {column} is missing.")
            return None
        if not (word.isascii() and word.isdecimal() and len(word) < 12 and least <= int(word) <= most):
            self.fault(f"The {column} “{word}” is not a whole number from {least} to {most}.")
            return None
        return int(word)

    def number(self) -> int | None:
        """A player's number."""
        return self.whole("number", least=1, most=HIGHEST_NUMBER)

    def choice(self, column: str, allowed: Collection[str], default: str) -> str:
        """One of a few words; the default when the cell is empty."""
        word = self.cells.get(column, "").strip().lower()
        if word and word not in allowed:
            self.fault(f"The {column} “{word}” is not one of {', '.join(allowed)}.")
            return default
        return word or default

    def score(self, column: str) -> int | None:
        """A score as it may be typed at the desk; None when the cell is empty."""
        word = self.cells.get(column, "").strip()
        return self._read(word) if word else None

    def scores(self, column: str) -> tuple[int, ...]:
        """Scores with spaces between them."""
        found = [self._read(word) for word in self.cells.get(column, "").split()]
        return tuple(value for value in found if value is not None)

    def numbers(self, column: str) -> tuple[int, ...]:
        """Players' numbers with spaces between them."""
        words = self.cells.get(column, "").split()
        if not all(word.isascii() and word.isdecimal() and len(word) < 9 for word in words):
            self.fault(f"The {column} “{' '.join(words)}” is not a list of numbers with spaces between them.")
            return ()
        return tuple(map(int, words))

    def time(self, column: str) -> datetime | None:
        """A moment such as 2010-10-16 14:05 or 2010-10-16T14:05:00+01:00; without an offset it is the show's time."""
        word = self.cells.get(column, "").strip()
        if not word:
            return None
        try:
            return datetime.fromisoformat(word)
        except ValueError:
            self.fault(f"The {column} “{word}” is not a time such as 2010-10-16 14:05.")
            return None

    def _read(self, typed: str) -> int | None:
        try:
            return scores.read(typed)
        except Refusal as refusal:
            self.fault(refusal.sentence)
            return None


def rows(
    file: str, content: bytes, needed: Sequence[str], optional: Sequence[str], faults: list[Fault]
) -> Iterator[Row]:
    """The lines of a table that are not empty. Faults of the file or its heading are noted and give no lines."""
    try:
        text = decode(content)
        lines = list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except (ValueError, csv.Error) as error:
        reason = str(error) if isinstance(error, ValueError) else f"The file is not a comma-separated table: {error}."
        faults.append(Fault(file, None, reason))
        return
    heading = [name.strip().lower() for name in lines[0]] if lines else []
    while heading and not heading[-1]:
        heading.pop()  # spreadsheets like to write empty columns at the end
    wrong = list(_heading_faults(heading, needed, optional))
    faults += [Fault(file, 1, reason) for reason in wrong]
    if wrong:
        return
    for number, cells in enumerate(lines[1:], start=2):
        if not any(cell.strip() for cell in cells):
            continue
        row = Row(file, number, dict(zip(heading, cells, strict=False)), faults)
        if any(cell.strip() for cell in cells[len(heading) :]):
            row.fault(f"The line has {len(cells)} cells and the heading has {len(heading)}.")
            continue
        yield row


def _heading_faults(heading: list[str], needed: Sequence[str], optional: Sequence[str]) -> Iterator[str]:
    if not heading:
        yield f"The heading is missing; it is {','.join(needed)}."
        return
    for mark, name in ((";", "semicolons"), ("\t", "tabs")):
        if len(heading) == 1 and mark in heading[0]:
            yield f"The columns are separated by {name}; save the table with commas between the columns."
            return
    allowed = [*needed, *optional]
    for name in dict.fromkeys(heading):
        if not name:
            yield "A column has no heading."
        elif name not in allowed:
            yield f"“{name}” is not a column of this table; it may have {', '.join(allowed)}."
        elif heading.count(name) > 1:
            yield f"The column {name} is there {heading.count(name)} times."
    for name in needed:
        if name not in heading:
            yield f"The column {name} is missing."


def write(columns: Sequence[str], lines: Sequence[Sequence[object]]) -> bytes:
    """A table as bytes: UTF-8, commas, lines ending as spreadsheets like them."""
    text = io.StringIO(newline="")
    writer = csv.writer(text)
    writer.writerow(columns)
    writer.writerows(lines)
    return text.getvalue().encode()
