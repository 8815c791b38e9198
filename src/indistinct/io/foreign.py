"""What files of other programs have in common: a library that may be missing, and loose types."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pyarrow.compute as pc

from indistinct.errors import DataError, Fault

if TYPE_CHECKING:
    from pathlib import Path


def library(name: str, path: Path) -> Any:
    """Import the library that reads a file, or say how to get it."""
    try:
        return import_module(name)
    except ImportError:
        problem = f"{path.suffix} files are read by {name}, which is not installed"
        remedy = f"Run: pip install {name}. Or save it as CSV or Parquet."
        raise DataError(Fault(str(path), problem, remedy)) from None


def unreadable(path: Path) -> Fault:
    """Say that a library could not read a file; what it says itself may quote the content."""
    problem = "it cannot be read: it is damaged, protected, or of a kind that is not known"
    return Fault(str(path), problem, "Save it as CSV or Parquet.")


def tidy(column: pa.Array) -> pa.Array:
    """Return numbers as whole ones and moments as dates where all are; an empty text is missing.

    >>> tidy(pa.array([31.0, None])).to_pylist(), tidy(pa.array(["a", ""])).to_pylist()
    ([31, None], ['a', None])
    """
    if pa.types.is_floating(column.type) and _all(pc.equal(pc.floor(column), column)):
        return column.cast(pa.int64())
    if pa.types.is_timestamp(column.type):
        dates = column.cast(pa.date32(), safe=False)
        return dates if _all(pc.equal(dates.cast(column.type), column)) else column
    if pa.types.is_string(column.type):
        return pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
    return column


def _all(true: pa.Array) -> bool:
    """Return whether all that is known is true, and something is."""
    return pc.all(true, min_count=1).as_py() is True


def driver(module: str, package: str, place: str) -> Any:
    """Import the library that knows a kind of database, or say how to get it."""
    try:
        return import_module(module)
    except ImportError:
        problem = f"such databases are reached by {package}, which is not installed"
        remedy = f"Run: pip install {package}. Or export the table as CSV or Parquet."
        raise DataError(Fault(place, problem, remedy)) from None
