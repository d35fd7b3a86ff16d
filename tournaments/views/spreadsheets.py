"""Final places as files: for spreadsheets, and for the world rankings."""

import io
from collections.abc import Iterable, Sequence

from openpyxl import Workbook
from openpyxl.cell import WriteOnlyCell
from openpyxl.styles import Font
from openpyxl.worksheet._write_only import WriteOnlyWorksheet

from tournaments.services.exchange import tables
from tournaments.services.reports import Line

MARK = "\ufeff"
"""Without it some spreadsheets read a CSV file in an old encoding and spoil every accent."""

RESULTS = ("position", "tied", "number", "name", "country", "ifpa_number", "why")
RATINGS = ("position", "tied", "name", "country", "ifpa_number")
HEADINGS = {"ifpa_number": "IFPA number"}
WIDTHS = {"name": 32, "why": 32, "country": 10, "ifpa_number": 14}

Cells = Sequence[object]


def result_cells(lines: Iterable[Line]) -> list[Cells]:
    """The rows of the final places; who stands apart has no position."""
    return [
        (
            line.position or "",
            "yes" if line.shared else "no",
            line.entry.number,
            line.entry.name,
            line.entry.country,
            line.entry.ifpa_number,
            line.why,
        )
        for line in lines
    ]


def rating_cells(lines: Iterable[Line]) -> list[Cells]:
    """The rows for the world rankings: the whole field in order."""
    return [
        (
            line.position or "",
            "yes" if line.shared else "no",
            line.entry.name,
            line.entry.country,
            line.entry.ifpa_number,
        )
        for line in lines
    ]


def csv_file(columns: Sequence[str], rows: Sequence[Cells]) -> bytes:
    """A comma-separated table that a spreadsheet opens with its accents."""
    return MARK.encode() + tables.write(columns, rows)


def workbook(sheets: Iterable[tuple[str, Sequence[str], Sequence[Cells]]]) -> bytes:
    """An XLSX file of (title, columns, rows), each sheet with a heading that stays in sight."""
    book = Workbook(write_only=True)
    for title, columns, rows in sheets:
        sheet = book.create_sheet(title)
        sheet.freeze_panes = "A2"
        for number, name in enumerate(columns):
            sheet.column_dimensions[chr(ord("A") + number)].width = WIDTHS.get(name, 9)
        sheet.append([_heading(sheet, name) for name in columns])
        for row in rows:
            sheet.append([_cell(sheet, value) for value in row])
    file = io.BytesIO()
    book.save(file)
    return file.getvalue()


def _heading(sheet: WriteOnlyWorksheet, name: str) -> WriteOnlyCell:
    cell = WriteOnlyCell(sheet, HEADINGS.get(name, name.capitalize()))
    cell.font = Font(bold=True)
    return cell


def _cell(sheet: WriteOnlyWorksheet, value: object) -> WriteOnlyCell:
    """A name that begins with = is a name and no formula."""
    cell = WriteOnlyCell(sheet, value)
    if isinstance(value, str):
        cell.data_type = "s"
    return cell
