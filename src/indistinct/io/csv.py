"""CSV: delimited text with a header, in any encoding, packed or not."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from indistinct.io.base import Dialect, WrittenFormat
from indistinct.io.csv_reading import read_csv, read_header, sniff_delimiter, sniff_encoding
from indistinct.io.csv_writing import write_csv
from indistinct.io.formulas import guarded, unguarded, without_guards
from indistinct.io.packing import inner_suffix

if TYPE_CHECKING:
    from pathlib import Path

    import pyarrow as pa

    from indistinct.io.base import Rows


class CSV(WrittenFormat):
    """Text files; every column comes as text, so that nothing is changed by reading."""

    name = "csv"
    called = ("CSV",)
    endings = frozenset({".csv", ".tsv"})
    advised = (".csv", ".csv.gz")
    options = frozenset({"delimiter", "encoding", "missing"})
    packs = True
    without_rows = "it has a header and no rows"

    def dialect(self, path: Path, **given: Any) -> Dialect:
        """Find delimiter and encoding by a look at the file, if they are not given."""
        encoding = given.get("encoding") or sniff_encoding(path)
        delimiter = given.get("delimiter") or sniff_delimiter(path, encoding)
        return Dialect(delimiter, encoding, given.get("missing"))

    def column_names(self, path: Path, dialect: Dialect) -> list[str]:
        """Name the columns, by the header."""
        names = read_header(path, dialect.delimiter, dialect.encoding)
        return [unguarded(name) for name in names] if dialect.guarded else names

    def read(self, path: Path, dialect: Dialect, columns: list[str] | None = None) -> pa.Table:
        """Read a table, or some columns of it, as text."""
        named = [guarded(name) for name in columns] if columns and dialect.guarded else columns
        table = read_csv(
            path,
            dialect.delimiter,
            dialect.encoding,
            ("",) if dialect.missing is None else dialect.missing,
            columns=named,
            line_breaks=dialect.line_breaks,
            quoted_missing=not dialect.ours,
        )
        return without_guards(table) if dialect.guarded else table

    def dialect_to_write(self, path: Path, like: Dialect, *, guard: bool) -> Dialect:
        """Choose the delimiter by the file's name, or that of what was read."""
        delimiter = "\t" if inner_suffix(path) == ".tsv" else like.delimiter
        return Dialect(delimiter, ours=True, guarded=guard)

    def write(self, rows: Rows, path: Path, dialect: Dialect) -> Dialect:
        """Write rows, in UTF-8."""
        breaks = write_csv(rows.columns, rows.order, path, dialect.delimiter, guard=dialect.guarded)
        return replace(dialect, line_breaks=breaks)
