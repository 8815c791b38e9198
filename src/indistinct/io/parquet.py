"""Parquet: columns with types, read and written by pyarrow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from indistinct.errors import DataError, Fault
from indistinct.io.base import WrittenFormat
from indistinct.io.missing import without_markers
from indistinct.io.plain import clean, decoded, in_utc, refuse_repeated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indistinct.io.base import Dialect, Rows


class Parquet(WrittenFormat):
    """Parquet files."""

    name = "parquet"
    called = ("Parquet",)
    endings = frozenset({".parquet", ".pq"})
    advised = (".parquet",)
    without_rows = None

    def column_names(self, path: Path, dialect: Dialect) -> list[str]:  # noqa: ARG002
        """Name the columns, by the schema in the file."""
        import pyarrow.parquet as pq

        try:
            names: list[str] = pq.read_schema(path).names
        except (pa.ArrowInvalid, OSError) as error:
            raise DataError(_unreadable(path, error)) from None
        refuse_repeated(names, str(path))
        return names

    def read(self, path: Path, dialect: Dialect, columns: list[str] | None = None) -> pa.Table:
        """Read a table with its types, or some columns of it."""
        import pyarrow.parquet as pq

        self.column_names(path, dialect)
        try:
            table = pq.read_table(path, columns=columns).replace_schema_metadata(None)
            table = in_utc(clean(table))
        except (pa.ArrowInvalid, OSError) as error:
            raise DataError(_unreadable(path, error)) from None
        return without_markers(table, dialect.missing or ())

    def write(self, rows: Rows, path: Path, dialect: Dialect) -> Dialect:
        """Write rows with their types."""
        import pyarrow.parquet as pq

        table = decoded(rows.columns.take(pa.array(rows.order)))
        try:
            pq.write_table(table, path)
        except pa.ArrowNotImplementedError:
            raise DataError(_without_a_type(table)) from None
        return dialect


def _without_a_type(table: pa.Table) -> Iterator[Fault]:
    """Report the columns whose type Parquet does not have, such as unions."""
    import pyarrow.parquet as pq

    for name in table.column_names:
        column = table.select([name])
        try:
            pq.write_table(column.slice(0, 0), pa.BufferOutputStream())
        except pa.ArrowNotImplementedError:
            problem = f"values of type {column.schema.types[0]} are not written to Parquet files"
            remedy = "Turn the column into text, or leave it out."
            yield Fault(f"column {name!r}", problem, remedy)


def _unreadable(path: Path, error: Exception) -> Fault:
    reason = str(error).splitlines()[0].rstrip(".")
    return Fault(str(path), f"it cannot be read as Parquet: {reason}", "Write the file again.")
