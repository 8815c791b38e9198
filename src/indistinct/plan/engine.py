"""Which engine counts and rewrites the rows, and what it may use."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from indistinct._parts import Part

EngineName = Literal["auto", "local", "duckdb", "spark"]
UNITS: dict[str, int] = {
    **{f"{letter}b": 1000**power for power, letter in enumerate("kmgt", 1)},
    **{f"{letter}ib": 1024**power for power, letter in enumerate("kmgt", 1)},
}
MOST_DISTINCT = 10_000_000
GROUPING, WHOLE_COLUMNS = 600, 150
"""How many bytes of memory an entry takes, about, in methods that group rows and in others."""


def bytes_of(amount: str) -> float:
    """Read an amount of memory.

    >>> bytes_of("2GB"), bytes_of("1.5 MiB")
    (2000000000.0, 1572864.0)
    """
    text = amount.strip().lower()
    number = text.rstrip("bikmgt ")
    return float(number) * UNITS[text.removeprefix(number).strip()]


def _amount(text: str) -> str:
    try:
        sensible = bytes_of(text) > 0
    except (ValueError, KeyError):
        sensible = False
    if not sensible:
        raise ValueError(f"{text!r} is not an amount of memory. Say it as 2GB or 500MB")
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
        How many distinct rows of the counted columns may be searched here at once; methods that
        group rows search more of them in blocks. By default as many as `memory_limit` has room for,
        and 10,000,000 where none is named.
    master
        The Spark cluster, such as "spark://host:7077"; by default the session that runs, or this
        machine.
    """

    name: EngineName = "auto"
    memory_limit: Annotated[str, AfterValidator(_amount)] | None = None
    folder: str | None = None
    max_distinct: Annotated[int, Field(gt=0, strict=True)] | None = None
    master: str | None = None

    def most_distinct(self, *, groups_rows: bool) -> int:
        """Return how many distinct rows may be searched at once, by a method of some kind."""
        if self.max_distinct is not None:
            return self.max_distinct
        if self.memory_limit is None:
            return MOST_DISTINCT
        each = GROUPING if groups_rows else WHOLE_COLUMNS
        return min(int(bytes_of(self.memory_limit) // each) + 1, MOST_DISTINCT)
