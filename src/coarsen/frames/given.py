"""What a user gives as data: a frame, or the path of a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from coarsen.frames.files import FileFormat, format_of, read_file
from coarsen.frames.native import to_arrow

if TYPE_CHECKING:
    import pyarrow as pa

    from coarsen.plan import Input


def format_given(path: Path, options: Input) -> FileFormat:
    """Tell the format of a file by what the plan says, and by a look where it says nothing."""
    return format_of(
        path, delimiter=options.delimiter, encoding=options.encoding, missing=options.missing
    )


def table_given(data: Any, options: Input) -> tuple[pa.Table, Any]:
    """Return the table, and what turns rows back into the kind of frame that was given."""
    if isinstance(data, str | Path):
        path = Path(data)
        return read_file(path, format_given(path, options)), lambda rows: rows
    return to_arrow(data)
