"""The statements by which DuckDB keeps counted entries, in blocks, and spreads their rows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from indistinct.engine.base import Cells, Fetched, Grouped
from indistinct.engine.cells import cells_of, digits_of, keys_of
from indistinct.engine.statements import key_words, literal
from indistinct.io.arrow import number_array

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.engine.block import Block, BlockSearch
    from indistinct.engine.statements import Domain
    from indistinct.running.progress import Progress

    Bins = Sequence[NDArray[np.int32]]


class KeptEntries(ABC):
    """The entries that a DuckDB counted, which it keeps in blocks.

    They are the table `entries`: of each its number, the codes of its values, the words that it
    goes by, its rows and its block.
    """

    _domains: list[Domain]

    @abstractmethod
    def _group(self, columns: Sequence[str]) -> None:
        """Count the distinct rows of some columns, and keep them without blocks."""

    @abstractmethod
    def _run(self, statement: str) -> list[tuple[Any, ...]]: ...

    @abstractmethod
    def _arrow(self, statement: str) -> pa.Table: ...

    @abstractmethod
    def _load(self, name: str, table: pa.Table) -> None:
        """Make a table of the database from an Arrow table."""

    @abstractmethod
    def _shrink(self) -> None:
        """Take less memory while a method searches."""

    def group(self, columns: Sequence[str]) -> list[Grouped]:
        """Count the distinct rows of some columns and keep them; return the values of each."""
        self._group(columns)
        self._run("ALTER TABLE entries ADD COLUMN block INTEGER DEFAULT 0")
        return [Grouped(_values_of(domain), self._rows_of(domain)) for domain in self._domains]

    def _rows_of(self, domain: Domain) -> NDArray[np.int64]:
        """Count the rows of each value of a column, in the order of their codes."""
        code = f"c{domain.place}"
        return counts_in(
            self._arrow(
                f"SELECT {code}, CAST(sum(rows) AS BIGINT) AS rows FROM entries "
                f"GROUP BY {code} ORDER BY {code}"
            )
        )

    def cells(self, bins: Bins, block: int, most: int) -> Cells | None:
        """Put the entries of a block together by bins; None if that makes more than `most`."""
        self._load_bins(bins)
        words = [f"{word} AS k{i}" for i, word in enumerate(_words(bins))]
        named = ", ".join(f"k{i}" for i in range(len(words)))
        counted = self._arrow(
            f"SELECT {', '.join(words)}, count(*) AS entries, CAST(sum(rows) AS BIGINT) AS rows "
            f"FROM entries {_joins(bins)} WHERE block = {int(block)} "
            f"GROUP BY {named} LIMIT {int(most) + 1}"
        )
        if counted.num_rows > most:
            return None
        *keys, entries, rows = (column.to_numpy().astype(np.int64) for column in counted.columns)
        return cells_of(keys, entries, rows, bins)

    def divide(self, bins: Bins, block: int, cells: Cells, into: NDArray[np.int32]) -> None:
        """Divide a block: the entries of each of its cells are in another block from now on."""
        self._load_bins(bins)
        keys = {f"k{i}": number_array(key) for i, key in enumerate(keys_of(cells, bins))}
        self._load("marks", pa.table({**keys, "block": number_array(into)}))
        same = " AND ".join(f"marks.k{i} = {word}" for i, word in enumerate(_words(bins)))
        codes = [f"c{domain.place}" for domain in self._domains]
        words = [f"w{i}" for i in range(len(key_words(self._domains)))]
        named = ", ".join(f"entries.{part}" for part in ("entry", *codes, *words, "rows"))
        self._run("DROP TABLE IF EXISTS divided")
        self._run(
            f"CREATE TABLE divided AS SELECT {named}, marks.block FROM entries {_joins(bins)} "
            f"JOIN marks ON {same} WHERE entries.block = {int(block)} "
            f"UNION ALL SELECT {named}, entries.block FROM entries "
            f"WHERE entries.block <> {int(block)} ORDER BY block, entry"
        )
        self._run("DROP TABLE entries")
        self._run("ALTER TABLE divided RENAME TO entries")

    def sizes(self, bins: Bins) -> dict[int, int]:
        """Put all entries together by bins; count the cells by how many rows they have."""
        self._load_bins(bins)
        counted = self._run(
            f"SELECT rows, count(*) FROM (SELECT CAST(sum(rows) AS BIGINT) AS rows FROM entries "
            f"{_joins(bins)} GROUP BY {', '.join(_words(bins))}) GROUP BY rows"
        )
        return {int(rows): int(cells) for rows, cells in counted}

    def coarsen(self, bins: Bins) -> None:
        """Take the values of a bin for one from now on."""
        self._load_bins(bins)
        places = [domain.place for domain in self._domains]
        for place in places:
            self._run(
                f"CREATE TABLE coarse AS SELECT {_bin(place, bins)} AS code, value "
                f"FROM domain{place} AS entries {_join(place, bins, 'code')}"
            )
            self._run(f"DROP TABLE domain{place}")
            self._run(f"ALTER TABLE coarse RENAME TO domain{place}")
        alike = ", ".join(f"{_bin(place, bins)} AS c{place}" for place in places)
        codes = ", ".join(f"c{place}" for place in places)
        words = ", ".join(
            f"{word} AS w{i}" for i, word in enumerate(key_words(self._domains, "c{place}"))
        )
        self._run("DROP TABLE IF EXISTS divided")
        self._run(
            f"CREATE TABLE divided AS SELECT row_number() OVER (ORDER BY {codes}) - 1 AS entry, "
            f"{codes}, {words}, CAST(sum(rows) AS BIGINT) AS rows, 0 AS block "
            f"FROM (SELECT {alike}, rows FROM entries {_joins(bins)}) GROUP BY {codes}"
        )
        self._run("DROP TABLE entries")
        self._run("ALTER TABLE divided RENAME TO entries")

    def recoded(
        self, blocks: Sequence[int], search: BlockSearch, progress: Progress
    ) -> Iterator[Block]:
        """Have each block recoded here, one after the other."""
        self._shrink()
        for block in blocks:
            yield search.recoded(self._fetched(block), progress)

    def _fetched(self, block: int) -> Fetched:
        """Fetch the entries of a block."""
        codes = ", ".join(f"c{domain.place}" for domain in self._domains)
        found = self._arrow(
            f"SELECT entry, {codes}, rows FROM entries WHERE block = {int(block)} ORDER BY entry"
        )
        entry, *held, _ = (column.to_numpy() for column in found.columns)
        return Fetched(
            entry.astype(np.int64), tuple(c.astype(np.int32) for c in held), counts_in(found)
        )

    def _load_bins(self, bins: Bins) -> None:
        for place, of_code in enumerate(bins):
            if not of_code.any():
                continue  # one bin needs no table
            code = number_array(np.arange(of_code.size, dtype=np.int64))
            self._load(f"bins{place}", pa.table({"code": code, "bin": number_array(of_code)}))


def counts_in(table: pa.Table) -> NDArray[np.int64]:
    """Take the last column, which counts rows."""
    column = table.column(table.num_columns - 1)
    return np.ascontiguousarray(column.to_numpy(), dtype=np.int64)


def _values_of(domain: Domain) -> pa.Table:
    return pa.table({domain.column: pa.chunked_array([domain.values])})


def _words(bins: Bins) -> list[str]:
    """Write the numbers that the cell of an entry goes by."""
    return [
        " + ".join(f"CAST({_bin(place, bins)} AS BIGINT) * {space}" for place, space in word)
        for word in digits_of(bins)
    ]


def _bin(place: int, bins: Bins) -> str:
    return f"bins{place}.bin" if bins[place].any() else "0"


def _joins(bins: Bins) -> str:
    return " ".join(_join(place, bins, f"c{place}") for place in range(len(bins)))


def _join(place: int, bins: Bins, code: str) -> str:
    if not bins[place].any():
        return ""
    return f"JOIN bins{place} ON bins{place}.code = entries.{code}"


def spread(keyed: str, named: list[str], words: int, secret: bytes) -> str:
    """Say how the rows of an entry are spread over its units, in an order that nobody knows.

    They are ordered by a keyed hash of what they show; rows that show the same may change places.
    """
    texts = ", ".join(f"coalesce(CAST({name} AS VARCHAR), chr(0))" for name in named)
    hashed = f"sha256(concat_ws(chr(31), {literal(secret.hex())}{', ' if texts else ''}{texts}))"
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
