"""A database of DuckDB to work in, in a folder that only its owner may enter."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.engine.duckdb_faults import full_disk, is_full
from indistinct.errors import DataError, Fault, PlanError

if TYPE_CHECKING:
    import duckdb


def spill_folder(folder: Path | None) -> Path:
    """Make a folder that only its owner may enter (mode 0700)."""
    try:
        return Path(tempfile.mkdtemp(prefix="indistinct-", dir=folder))
    except OSError as error:
        problem = f"no folder can be made there: {(error.strerror or 'it fails').lower()}"
        remedy = "Name a folder that exists and is writable."
        raise PlanError(Fault("engine.folder", problem, remedy)) from None


def connected(
    spill: Path, memory_limit: str | None, threads: int | None
) -> duckdb.DuckDBPyConnection:
    """Open a database of our own in a folder, with what the plan says of memory and threads."""
    import duckdb

    settings: dict[str, Any] = {
        "temp_directory": str(spill / "spill"),
        "autoinstall_known_extensions": False,
        "autoload_known_extensions": False,
    }
    settings |= {"memory_limit": memory_limit} if memory_limit else {}
    settings |= {"threads": threads} if threads else {}
    try:
        connection = duckdb.connect(str(spill / "entries.duckdb"), config=settings)
        connection.execute("SET enable_progress_bar = true")  # it is asked how far it is
        connection.execute("SET enable_progress_bar_print = false")  # and the command prints
    except (duckdb.Error, ValueError) as error:
        shutil.rmtree(spill, ignore_errors=True)
        if is_full(error):
            raise full_disk(spill.parent) from None
        problem = f"DuckDB does not understand memory_limit = {memory_limit!r}"
        raise DataError(Fault("engine.memory_limit", problem, 'Say it as "2GB".')) from None
    return connection
