"""The statements by which DuckDB keeps counted entries, in blocks, and spreads their rows."""

from __future__ import annotations

import secrets
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indistinct.engine.base import Cells
from indistinct.engine.statements import literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    Bins = Sequence[NDArray[np.int32]]


@dataclass(frozen=True)
class KeptEntries:
    """The table `entries`: of each entry its number, codes, the words it goes by, rows, block.

    Attributes
    ----------
    columns, words
        How many codes and words an entry has.
    """

    columns: int
    words: int

    def in_one_block(self) -> list[str]:
        """Put all entries into block 0."""
        return ["ALTER TABLE entries ADD COLUMN block INTEGER DEFAULT 0"]

    def rows_by_value(self, place: int) -> str:
        """Count the rows of each value of a column, in the order of their codes."""
        code = f"c{place}"
        return (
            f"SELECT {code}, CAST(sum(rows) AS BIGINT) AS rows FROM entries "
            f"GROUP BY {code} ORDER BY {code}"
        )

    def cells(self, bins: Bins, block: int, most: int) -> str:
        """Count the entries and rows of each cell of a block, of so many cells at most."""
        return (
            f"SELECT {_cell(bins)} AS cell, count(*) AS entries, CAST(sum(rows) AS BIGINT) AS rows "
            f"FROM entries {_joins(bins)} WHERE block = {int(block)} "
            f"GROUP BY cell LIMIT {int(most)}"
        )

    def divided(self, bins: Bins, block: int) -> list[str]:
        """Write the entries anew, those of a block with the blocks of their cells (`marks`)."""
        parts = [f"c{i}" for i in range(self.columns)] + [f"w{i}" for i in range(self.words)]
        named = ", ".join(["entries.entry", *(f"entries.{part}" for part in parts), "entries.rows"])
        divided = (
            f"CREATE TABLE divided AS SELECT {named}, marks.block FROM entries {_joins(bins)} "
            f"JOIN marks ON marks.cell = {_cell(bins)} WHERE entries.block = {int(block)} "
            f"UNION ALL SELECT {named}, entries.block FROM entries "
            f"WHERE entries.block <> {int(block)} ORDER BY block, entry"
        )
        return [
            "DROP TABLE IF EXISTS divided",
            divided,
            "DROP TABLE entries",
            "ALTER TABLE divided RENAME TO entries",
        ]

    def of_block(self, block: int) -> str:
        """Fetch the entries of a block: number, codes, rows."""
        codes = ", ".join(f"c{i}" for i in range(self.columns))
        return f"SELECT entry, {codes}, rows FROM entries WHERE block = {int(block)} ORDER BY entry"


def cell_keys(bins_of_cell: Bins, bins: Bins) -> NDArray[np.int64]:
    """Return the number that each cell goes by, whose digits are its bins."""
    keys = np.zeros(bins_of_cell[0].size, dtype=np.int64)
    for of_cell, space in zip(bins_of_cell, _spaces(bins), strict=True):
        keys += of_cell.astype(np.int64) * space
    return keys


def cells_of(counted: pa.Table, bins: Bins) -> Cells:
    """Read the cells of a block, in the order of their numbers."""
    key, entries, rows = (column.to_numpy().astype(np.int64) for column in counted.columns)
    order = np.argsort(key)
    sizes = zip(_spaces(bins), bins, strict=True)
    return Cells(
        tuple((key[order] // space % _size(of_code)).astype(np.int32) for space, of_code in sizes),
        entries[order],
        rows[order],
    )


def _cell(bins: Bins) -> str:
    digits = (
        f"CAST(bins{place}.bin AS BIGINT) * {space}" for place, space in enumerate(_spaces(bins))
    )
    return " + ".join(digits)


def _joins(bins: Bins) -> str:
    return " ".join(
        f"JOIN bins{place} ON bins{place}.code = entries.c{place}" for place in range(len(bins))
    )


def _spaces(bins: Bins) -> list[int]:
    """Return what each bin counts in the number of a cell."""
    spaces = [1]
    for of_code in bins:
        spaces.append(spaces[-1] * _size(of_code))
    return spaces[:-1]


def _size(of_code: NDArray[np.int32]) -> int:
    return int(of_code.max(initial=0)) + 1


def spread(keyed: str, named: list[str], words: int) -> str:
    """Say how the rows of an entry are spread over its units, in an order that nobody knows.

    They are ordered by a keyed hash of what they show; rows that show the same may change places.
    """
    secret = literal(secrets.token_hex(32))
    texts = ", ".join(f"coalesce(CAST({name} AS VARCHAR), chr(0))" for name in named)
    hashed = f"sha256(concat_ws(chr(31), {secret}{', ' if texts else ''}{texts}))"
    columns = "".join(f"{name}, " for name in named)
    by_word = ", ".join(f"w{i}" for i in range(words))
    among = " AND ".join(f"keyed.w{i} = wanted.w{i}" for i in range(words))
    same = " AND ".join(f"ordered.w{i} = split.w{i}" for i in range(words))
    ordered = (
        f"SELECT {columns}{by_word}, row_number() OVER (PARTITION BY {by_word} ORDER BY {hashed}) "
        f"- 1 AS place FROM ({keyed}) AS keyed SEMI JOIN split AS wanted ON {among}"
    )
    of_ordered = "".join(f"ordered.{name}, " for name in named)
    return (
        f"SELECT {of_ordered}split.unit FROM ({ordered}) AS ordered JOIN split ON {same} "
        "AND ordered.place >= split.first AND ordered.place < split.first + split.rows"
    )
