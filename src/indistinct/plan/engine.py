"""Which engine counts and rewrites the rows, and what it may use."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from indistinct._parts import Part

EngineName = Literal["auto", "local", "duckdb", "spark"]
UNITS = ("kb", "mb", "gb", "tb", "kib", "mib", "gib", "tib")


def _amount(text: str) -> str:
    number = text.strip().lower().rstrip("bikmgt ")
    unit = text.strip().lower().removeprefix(number).strip()
    try:
        sensible = float(number) > 0 and unit in UNITS
    except ValueError:
        sensible = False
    if not sensible:
        raise ValueError(f"{text!r} is no amount of memory. Say it as 2GB or 500MB")
    return text


class Engine(Part):
    """Who counts and rewrites rows; a method always searches here, on what was counted.

    Attributes
    ----------
    name
        `auto`: `local` for what fits into memory, `duckdb` for larger files and for datasets of
        several files, `spark` for a Spark data frame. `local` reads all rows into memory.
    memory_limit
        How much memory DuckDB may use before it spills to disk: "2GB".
    folder
        Where DuckDB spills to; by default the system's folder for temporary files.
    max_distinct
        How many distinct rows of the counted columns may be searched here at once.
    master
        The Spark cluster, such as "spark://host:7077"; by default the session that runs, or this
        machine.
    """

    name: EngineName = "auto"
    memory_limit: Annotated[str, AfterValidator(_amount)] | None = None
    folder: str | None = None
    max_distinct: Annotated[int, Field(gt=0, strict=True)] = 10_000_000
    master: str | None = None
