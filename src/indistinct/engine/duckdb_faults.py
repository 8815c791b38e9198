"""What DuckDB cannot do, in words of ours: its own may show what it read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.errors import DataError, Fault, OutputError

if TYPE_CHECKING:
    from pathlib import Path

    import duckdb

FULL = ("no space left", "could not write", "file too large", "max_temp_directory_size")
"""What DuckDB says where a disk is full, in errors of several kinds."""


def is_full(error: Exception) -> bool:
    """Return whether a disk is full, by what DuckDB says."""
    said = str(error).lower()
    return any(sign in said for sign in FULL)


def full_disk(folder: Path) -> OutputError:
    """Say that the disk is full that DuckDB works on."""
    remedy = "Free some space, or name another folder with engine.folder."
    return OutputError(Fault("engine", f"the disk of {folder} is full", remedy))


def unwritable(error: Exception, draft: Path) -> OutputError:
    """Say of a release that it cannot be written."""
    problem = "its disk is full" if is_full(error) else "it cannot be written"
    return OutputError(Fault(str(draft.parent), problem, "Choose another place."))


def told(error: duckdb.Error, place: str) -> BaseException:
    """Say what DuckDB cannot do with a source, where the disk has room."""
    import duckdb

    if isinstance(error, duckdb.InterruptException):
        return KeyboardInterrupt()
    ours = duckdb.ParserException | duckdb.BinderException | duckdb.CatalogException
    if isinstance(error, ours):
        return error  # a statement of ours is wrong, not the data
    kind = type(error).__name__.removesuffix("Exception")
    problem = f"DuckDB cannot read it ({kind})"
    remedy = 'Write it as Parquet, or run it with engine = "local".'
    if isinstance(error, duckdb.OutOfMemoryException):
        problem, remedy = "DuckDB ran out of memory", "Raise engine.memory_limit."
    elif isinstance(error, duckdb.IOException):
        problem, remedy = "it cannot be read", "Look at the file."
    return DataError(Fault(place, problem, remedy))
