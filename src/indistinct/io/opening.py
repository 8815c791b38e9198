"""Opening what a verb is given: a data frame, or the path of a file."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.io.files import FileFormat, format_of, read_file
from indistinct.io.missing import without_markers
from indistinct.io.native import to_arrow

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from indistinct.plan import Input, Output


def opened(data: Any, options: Input) -> tuple[pa.Table, Callable[[pa.Table], Any]]:
    """Return the rows as an Arrow table, and the way back to the kind of frame that was given."""
    if isinstance(data, str | Path):
        path = Path(data)
        return read_file(path, format_for(path, options)), lambda rows: rows
    table, back = to_arrow(data)
    return without_markers(table, _markers(options) or ()), back


def _markers(options: Input) -> tuple[str, ...] | None:
    """Return the texts that mean missing, if the plan says so."""
    return options.missing if "missing" in options.model_fields_set else None


def format_for(path: Path, options: Input) -> FileFormat:
    """Tell the format of a file, as a plan says or a look tells."""
    return format_of(
        path,
        delimiter=options.delimiter,
        encoding=options.encoding,
        missing=_markers(options),
        sheet=options.sheet,
    )


def opened_release(data: Any, output: Output | None = None) -> pa.Table:
    """Return the rows of a release: a data frame, or a file as we write them."""
    if not isinstance(data, str | Path):
        return to_arrow(data)[0]
    path, guard = Path(data), output is not None and output.guard_formulas
    return read_file(path, replace(format_of(path), ours=True, guarded=guard))
