"""Opening what a verb is given: a data frame, the path of a file, or the address of a table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.io.databases.address import Address, place_of
from indistinct.io.databases.tables import TableSink, TableSource, table_sinks
from indistinct.io.files import FileSink, FileSource
from indistinct.io.frames import FrameSource

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    import pyarrow as pa

    from indistinct.io.base import Source
    from indistinct.plan import Input, Output


def opened(data: Any, options: Input) -> tuple[pa.Table, Callable[[pa.Table], Any]]:
    """Return the rows as an Arrow table, and the way back to the kind of frame that was given."""
    source = source_of(data, options)
    rows = source.read()
    return rows, source.back


def read_at(place: Path | Address, options: Input) -> tuple[FileSource | TableSource, pa.Table]:
    """Return how a table lies in a file or a database, and its rows."""
    source = source_at(place, options)
    return source, source.read()


def source_of(data: Any, options: Input) -> Source:
    """Return where rows come from, and how a plan says that they are read."""
    if isinstance(data, str | Path):
        return source_at(place_of(data), options)
    return FrameSource(data, _markers(options) or ())


def source_at(place: Path | Address, options: Input) -> FileSource | TableSource:
    """Return how a table lies in a file, as a plan says or a look shows, or in a database."""
    if isinstance(place, Address):
        return TableSource(place, _markers(options) or ())
    return file_source(place, options)


def file_source(path: Path, options: Input) -> FileSource:
    """Return how a table lies in a file, as a plan says or a look shows."""
    return FileSource.of(
        path,
        delimiter=options.delimiter,
        encoding=options.encoding,
        missing=_markers(options),
        sheet=options.sheet,
    )


def sinks_at(
    places: Sequence[Path | Address], like: FileSource | TableSource, *, guard: bool
) -> list[FileSink | TableSink]:
    """Return where a release is published: files in the manner of what was read, or tables.

    Tables of one database are published in one transaction.
    """
    tables = iter(table_sinks([place for place in places if isinstance(place, Address)]))
    return [
        next(tables) if isinstance(place, Address) else FileSink(place, like.dialect, guard=guard)
        for place in places
    ]


def _markers(options: Input) -> tuple[str, ...] | None:
    """Return the texts that mean missing, if the plan says so."""
    return options.missing if "missing" in options.model_fields_set else None


def opened_release(data: Any, output: Output | None = None) -> pa.Table:
    """Return the rows of a release: a data frame, or a file as we write them."""
    if not isinstance(data, str | Path):
        return FrameSource(data).read()
    place = place_of(data)
    if isinstance(place, Address):
        return TableSource(place).read()
    guarded = output is not None and output.guard_formulas
    return FileSource.of_release(place, guarded=guarded).read()
