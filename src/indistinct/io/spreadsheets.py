"""Spreadsheets: Excel and OpenDocument, read by fastexcel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import DataError, Fault, counted
from indistinct.io.csv_reading import refuse_unnamed
from indistinct.io.foreign import library, tidy, unreadable
from indistinct.io.missing import without_markers
from indistinct.io.plain import refuse_repeated

if TYPE_CHECKING:
    from pathlib import Path

_MIDNIGHT = " 00:00:00"
SHEETS = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"}


def read_spreadsheet(
    path: Path,
    columns: list[str] | None = None,
    sheet: str | None = None,
    missing: tuple[str, ...] = (),
) -> pa.Table:
    """Read a sheet, or some columns of it; its first row holds the names.

    If no sheet is named, only one may have something on it. A column of numbers and texts comes as
    text.
    """
    fastexcel = library("fastexcel", path)
    try:
        book = fastexcel.read_excel(path)
        chosen = _only_sheet(book, path) if sheet is None else _named(book, sheet, path)
        names = _first_row(book, chosen)
        refuse_unnamed(path, names)
        refuse_repeated(names, str(path))
        found = book.load_sheet(chosen, schema_sample_rows=None).to_arrow()
    except fastexcel.FastExcelError:
        raise DataError(unreadable(path)) from None
    if found.num_rows == 0:
        raise DataError(_no_rows(path))
    table = without_markers(pa.table(found.columns, names=names), missing)
    table = pa.table([tidy(_as_days(column)) for column in table.columns], names=names)
    return table if columns is None else table.select(columns)


def _as_days(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Take midnight off texts that are all dates: a text among dates makes all of them texts."""
    if not pa.types.is_string(column.type):
        return column
    days = pc.ends_with(column, _MIDNIGHT)
    if pc.all(days, min_count=1).as_py() is not True:
        return column
    return pc.utf8_slice_codeunits(column, 0, -len(_MIDNIGHT))


def _named(book: Any, sheet: str, path: Path) -> str:
    """Return the name of a sheet; it is not told how others are called, who may be people."""
    if sheet in book.sheet_names:
        return sheet
    count = counted(len(book.sheet_names), "sheet")
    problem = f"of its {count} none is called {sheet!r}"
    raise DataError(Fault(str(path), problem, "Capital letters and spaces count."))


def _only_sheet(book: Any, path: Path) -> str:
    """Find the sheet with something on it."""
    filled = [name for name in book.sheet_names if _first_row(book, name)]
    if not filled:
        raise DataError(_no_rows(path))
    if len(filled) > 1:
        problem = f"it has {counted(len(filled), 'sheet')} with something on them"
        remedy = 'Name one: --sheet "...", or sheet = "..." under [input] in the plan.'
        raise DataError(Fault(str(path), problem, remedy))
    return str(filled[0])


def _no_rows(path: Path) -> Fault:
    return Fault(str(path), "it has no rows", "Give a file with data.")


def _first_row(book: Any, name: str) -> list[str]:
    sheet = book.load_sheet(name, header_row=None, n_rows=1, dtypes="string")
    return [column[0].as_py() or "" for column in sheet.to_arrow().columns if len(column)]
