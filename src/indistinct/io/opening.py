"""Opening what a verb is given: a data frame, or the path of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.io.files import FileSource
from indistinct.io.frames import FrameSource

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from indistinct.io.base import Source
    from indistinct.plan import Input, Output


def opened(data: Any, options: Input) -> tuple[pa.Table, Callable[[pa.Table], Any]]:
    """Return the rows as an Arrow table, and the way back to the kind of frame that was given."""
    source = source_of(data, options)
    rows = source.read()
    return rows, source.back


def read_file(path: Path, options: Input) -> tuple[FileSource, pa.Table]:
    """Return how a table lies in a file, and its rows."""
    source = file_source(path, options)
    return source, source.read()


def source_of(data: Any, options: Input) -> Source:
    """Return where rows come from, and how a plan says that they are read."""
    if isinstance(data, str | Path):
        return file_source(Path(data), options)
    return FrameSource(data, _markers(options) or ())


def file_source(path: Path, options: Input) -> FileSource:
    """Return how a table lies in a file, as a plan says or a look shows."""
    return FileSource.of(
        path,
        delimiter=options.delimiter,
        encoding=options.encoding,
        missing=_markers(options),
        sheet=options.sheet,
    )


def _markers(options: Input) -> tuple[str, ...] | None:
    """Return the texts that mean missing, if the plan says so."""
    return options.missing if "missing" in options.model_fields_set else None


def opened_release(data: Any, output: Output | None = None) -> pa.Table:
    """Return the rows of a release: a data frame, or a file as we write them."""
    if not isinstance(data, str | Path):
        return FrameSource(data).read()
    guarded = output is not None and output.guard_formulas
    return FileSource.of_release(Path(data), guarded=guarded).read()
