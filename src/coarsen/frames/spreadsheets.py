"""Spreadsheets: Excel and OpenDocument, read by fastexcel."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from coarsen.errors import DataError, Fault, counted
from coarsen.frames.csv_reading import refuse_unnamed
from coarsen.frames.foreign import library, tidy, unreadable
from coarsen.frames.native import refuse_repeated

if TYPE_CHECKING:
    from pathlib import Path

SHEETS = {".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"}


def read_spreadsheet(path: Path, columns: list[str] | None = None) -> pa.Table:
    """Read the one sheet that has rows, or some columns of it; its first row holds the names.

    A column of numbers and texts comes as text.
    """
    fastexcel = library("fastexcel", "excel", path)
    try:
        sheet, names = _only_sheet(fastexcel.read_excel(path), path)
        if sheet is not None:
            found = sheet.to_arrow()
    except fastexcel.FastExcelError:
        raise DataError(unreadable(path)) from None
    if sheet is None or found.num_rows == 0:
        raise DataError(Fault(str(path), "it has no rows", "Give a file with data."))
    table = pa.table([tidy(column) for column in found.columns], names=names)
    return table if columns is None else table.select(columns)


def _only_sheet(book: Any, path: Path) -> tuple[Any, list[str]]:
    """Find the sheet with something on it, and the names in its first row."""
    heads = {name: _first_row(book, name) for name in book.sheet_names}
    filled = [name for name, head in heads.items() if head]
    if len(filled) > 1:
        problem = f"it has {counted(len(filled), 'sheet')} with something on them"
        raise DataError(Fault(str(path), problem, "Save the one to be read as a file of its own."))
    if not filled:
        return None, []
    names = heads[filled[0]]
    refuse_unnamed(path, names)
    refuse_repeated(names, str(path))
    return book.load_sheet(filled[0], schema_sample_rows=None), names


def _first_row(book: Any, name: str) -> list[str]:
    sheet = book.load_sheet(name, header_row=None, n_rows=1, dtypes="string")
    return [column[0].as_py() or "" for column in sheet.to_arrow().columns if len(column)]
