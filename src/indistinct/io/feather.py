"""Arrow files, which Feather files are: columns with types as they lie in memory, by pyarrow."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from indistinct.errors import DataError, Fault
from indistinct.io.base import WrittenFormat
from indistinct.io.missing import without_markers
from indistinct.io.plain import clean, decoded, refuse_repeated

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from indistinct.io.base import Dialect, Rows

_MAGIC = b"ARROW1"


class Arrow(WrittenFormat):
    """Files and streams of Arrow; Feather is the former, but for its first version."""

    name = "arrow"
    called = ("Arrow",)
    endings = frozenset({".arrow", ".feather"})
    advised = (".arrow",)
    without_rows = None

    def column_names(self, path: Path, dialect: Dialect) -> list[str]:  # noqa: ARG002
        """Name the columns, by the schema in the file."""
        with _opened(path) as reader:
            names: list[str] = reader.schema.names
        refuse_repeated(names, str(path))
        return names

    def read(self, path: Path, dialect: Dialect, columns: list[str] | None = None) -> pa.Table:
        """Read a table with its types, or some columns of it."""
        with _opened(path) as reader:
            refuse_repeated(reader.schema.names, str(path))
            table = reader.read_all()
            table.validate(full=True)  # a damaged file may point outside its own bytes
        table = table if columns is None else table.select(columns)
        return without_markers(clean(table.replace_schema_metadata(None)), dialect.missing or ())

    def write(self, rows: Rows, path: Path, dialect: Dialect) -> Dialect:
        """Write rows with their types.

        The file is memory as it lies, and memory below a missing value may hold one that was taken
        out. Arrow clears it where it takes rows of flat columns, and does not within nested ones.
        """
        from pyarrow import ipc

        _refuse_nested(rows.columns.schema)
        table = decoded(rows.columns.take(pa.array(rows.order))).combine_chunks()
        table = pa.table(table.columns, names=table.column_names)  # the schema may hold notes
        with path.open("wb") as handle, ipc.new_file(handle, table.schema) as writer:
            writer.write_table(table)
        return dialect


@contextmanager
def _opened(path: Path) -> Iterator[Any]:
    """Yield a reader of a file; what Arrow says of a broken one may quote bytes of it."""
    from pyarrow import ipc

    try:
        with pa.OSFile(str(path)) as handle:
            is_file = handle.read(len(_MAGIC)) == _MAGIC
            handle.seek(0)
            with (ipc.open_file if is_file else ipc.open_stream)(handle) as reader:
                yield reader
    except (pa.ArrowException, OSError, UnicodeError):
        problem = "it cannot be read as Arrow: it is damaged, or of an old version"
        raise DataError(Fault(str(path), problem, "Write the file again.")) from None


def _refuse_nested(schema: pa.Schema) -> None:
    faults = [
        Fault(
            f"column {field.name!r}",
            f"values of type {field.type} are not written to Arrow files",
            "Write Parquet, or leave the column out.",
        )
        for field in schema
        if pa.types.is_nested(field.type)
    ]
    if faults:
        raise DataError(faults)
