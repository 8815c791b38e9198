"""Which engine counts and rewrites the rows of a source: as the plan says, or by what it is."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.engine.duckdb import DuckDb, installed
from indistinct.engine.statements import literal
from indistinct.errors import DataError, Fault, PlanError
from indistinct.io.opening import file_source
from indistinct.io.places import require_readable

if TYPE_CHECKING:
    from indistinct.engine.base import Engine
    from indistinct.plan import Plan

DATASETS = frozenset({"parquet", "csv"})
"""The formats that DuckDB reads as we do."""
GROWTH = {"parquet": 40, "csv": 3}
"""How many bytes of memory a byte of a file takes here, about: Parquet files are packed."""
SHARE = 0.5
"""The share of the memory that a table may take before DuckDB does the work."""


def engine_for(source: str | Path, plan: Plan) -> Engine | None:
    """Return the engine for a file or a folder of files; None where rows are read into memory."""
    name = plan.engine.name
    if name == "local" or (name == "auto" and not _for_an_engine(Path(source))):
        return None
    if name == "spark":
        from indistinct.engine.spark import Spark

        return Spark.of_path(str(source), plan)
    return duckdb_engine(Path(source), plan)


def duckdb_engine(source: Path, plan: Plan) -> Engine:
    """Return DuckDB over a file, or over all files of one kind in a folder."""
    if not installed():
        raise PlanError(Fault("engine", "DuckDB is not installed", "Run: pip install duckdb."))
    if not source.is_dir():
        require_readable(source)
    settings = plan.engine
    folder = None if settings.folder is None else Path(settings.folder)
    return DuckDb(
        scan_of(source, plan),
        str(source),
        memory_limit=settings.memory_limit,
        folder=folder,
        missing=plan.input.missing if "missing" in plan.input.model_fields_set else (),
    )


def _for_an_engine(source: Path) -> bool:
    """Return whether DuckDB should do the work: it is there, or nothing else can."""
    return too_large(source) and (installed() or source.is_dir())


def scan_of(source: Path, plan: Plan) -> str:
    """Say how DuckDB reads a file, or all files of a folder."""
    kind, path = _kind_of(source)
    if kind == "parquet":
        return f"read_parquet({literal(path)}, union_by_name = false)"
    if source.is_dir():
        raise DataError(Fault(str(source), "it is a folder of CSV files", "Name one file."))
    text = text_file(source, plan, "DuckDB")
    nulls = ", ".join(map(literal, text.missing))
    columns = ", ".join(f"{literal(name)}: 'VARCHAR'" for name in text.names)
    return (
        f"read_csv({literal(path)}, header = true, all_varchar = true, auto_detect = false, "
        f"columns = {{{columns}}}, delim = {literal(text.delimiter)}, "
        f"quote = '\"', escape = '\"', nullstr = [{nulls}], allow_quoted_nulls = true)"
    )


@dataclass(frozen=True)
class TextFile:
    """How an engine reads a CSV file, all columns as text.

    Attributes
    ----------
    missing
        Texts that mean a missing value.
    """

    names: tuple[str, ...]
    delimiter: str
    missing: tuple[str, ...]


def text_file(source: Path, plan: Plan, engine: str) -> TextFile:
    """Say how a CSV file is read; raise if the engine of this name reads no such encoding."""
    file = file_source(source, plan.input)
    encoding = file.dialect.encoding
    if encoding.lower() not in {"utf-8", "utf8", "ascii"}:
        problem = f"{engine} reads UTF-8, and this is {encoding}"
        raise DataError(Fault(str(source), problem, "Write it again as UTF-8 or Parquet."))
    missing = plan.input.missing if "missing" in plan.input.model_fields_set else ("",)
    return TextFile(tuple(file.column_names()), file.dialect.delimiter, tuple(missing))


def _kind_of(source: Path) -> tuple[str, str]:
    """Say what files these are, and how DuckDB is told where they lie."""
    if source.is_dir():
        return "parquet", str(source / "**" / "*.parquet")
    kind = source.name.lower().removesuffix(".gz").rpartition(".")[2]
    if kind in {"parquet", "pq"}:
        return "parquet", str(source)
    if kind in {"csv", "tsv", "txt"}:
        return "csv", str(source)
    problem = "DuckDB reads Parquet and CSV files"
    raise DataError(Fault(str(source), problem, 'Write it as Parquet, or set engine = "local".'))


def too_large(source: Path) -> bool:
    """Return whether a source is a dataset of files, or would take too much of the memory."""
    try:
        return _is_dataset(source) or _would_take(source) > SHARE * _memory()
    except (OSError, ValueError):  # whoever reads it says what is wrong with the path
        return False


def _is_dataset(source: Path) -> bool:
    return source.is_dir() and any(source.rglob("*.parquet"))


def _would_take(source: Path) -> float:
    """Guess how much memory the rows of a file take."""
    suffix = source.name.lower().rpartition(".")[2]
    growth = GROWTH.get("parquet" if suffix == "pq" else suffix, 0)
    return source.stat().st_size * growth if source.is_file() else 0


def _memory() -> int:
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):  # not on every system
        return 8 << 30
