"""Spreadsheets: Excel and OpenDocument, read by fastexcel."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import DataError, Fault, counted
from indistinct.io.base import Format
from indistinct.io.csv_reading import refuse_unnamed
from indistinct.io.foreign import library, tidy, unreadable
from indistinct.io.missing import without_markers
from indistinct.io.plain import refuse_repeated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indistinct.io.base import Dialect

_MIDNIGHT = " 00:00:00"


class Spreadsheet(Format):
    """Sheets of a spreadsheet, whose first row holds the names.

    If no sheet is named, only one may have something on it.
    """

    name = "spreadsheet"
    called = ("Excel",)
    endings = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})
    options = frozenset({"missing", "sheet"})

    def column_names(self, path: Path, dialect: Dialect) -> list[str]:
        """Name the columns, by the first row."""
        with _telling_unreadable(path) as fastexcel:
            return _Sheet.of(fastexcel.read_excel(path), dialect.sheet, path).names

    def read(self, path: Path, dialect: Dialect, columns: list[str] | None = None) -> pa.Table:
        """Read a sheet, or some columns; a column of numbers and texts comes as text."""
        with _telling_unreadable(path) as fastexcel:
            sheet = _Sheet.of(fastexcel.read_excel(path), dialect.sheet, path)
            cells = sheet.book.load_sheet(sheet.called, schema_sample_rows=None).to_arrow()
        table = without_markers(pa.table(cells.columns, names=sheet.names), dialect.missing or ())
        table = pa.table([tidy(_as_days(column)) for column in table.columns], names=sheet.names)
        return table if columns is None else table.select(columns)


@contextmanager
def _telling_unreadable(path: Path) -> Iterator[Any]:
    """Yield the library that reads spreadsheets; say of a file that it cannot, if it fails."""
    fastexcel = library("fastexcel", path)
    try:
        yield fastexcel
    except fastexcel.FastExcelError:
        raise DataError(unreadable(path)) from None


class _Sheet(NamedTuple):
    """A sheet of a book, and what its columns are called."""

    book: Any
    called: str
    names: list[str]

    @classmethod
    def of(cls, book: Any, sheet: str | None, path: Path) -> _Sheet:
        """Choose a sheet: the one that is named, or the only one with something on it."""
        called = _only_sheet(book, path) if sheet is None else _named(book, sheet, path)
        names = _first_row(book, called)
        refuse_unnamed(path, names)
        refuse_repeated(names, str(path))
        return cls(book, called, names)


def _as_days(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Take midnight off texts that are all dates: a text among dates makes all of them texts."""
    if not pa.types.is_string(column.type):
        return column
    days = pc.ends_with(column, _MIDNIGHT)
    if pc.all(days, min_count=1).as_py() is not True:
        return column
    return pc.utf8_slice_codeunits(column, 0, -len(_MIDNIGHT))


def _named(book: Any, sheet: str, path: Path) -> str:
    """Return the name of a sheet; an error never names others, which may be people."""
    if sheet in book.sheet_names:
        return sheet
    count = counted(len(book.sheet_names), "sheet")
    problem = f"of its {count} none is called {sheet!r}"
    raise DataError(Fault(str(path), problem, "Capital letters and spaces count."))


def _only_sheet(book: Any, path: Path) -> str:
    """Find the sheet with something on it."""
    filled = [name for name in book.sheet_names if _first_row(book, name)]
    if not filled:
        raise DataError(Fault(str(path), "it has no rows", "Give a file with data."))
    if len(filled) > 1:
        problem = f"it has {counted(len(filled), 'sheet')} with something on them"
        remedy = 'Name one: --sheet "...", or sheet = "..." under [input] in the plan.'
        raise DataError(Fault(str(path), problem, remedy))
    return str(filled[0])


def _first_row(book: Any, name: str) -> list[str]:
    sheet = book.load_sheet(name, header_row=None, n_rows=1, dtypes="string")
    return [column[0].as_py() or "" for column in sheet.to_arrow().columns if len(column)]
