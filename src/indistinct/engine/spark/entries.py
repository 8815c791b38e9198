"""Entries that Spark counted and keeps, in blocks that are searched where they lie.

They are a data frame: of each entry the codes of its values (`c0`, `c1`), its rows and its block.
Nothing of it depends on where rows lie or in which order they come, so that parts that are lost
with a machine can be computed again.
"""

from __future__ import annotations

import pickle
from abc import ABC, abstractmethod
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from indistinct.engine.base import Cells, Fetched, Grouped
from indistinct.engine.cells import cells_of, digits_of, keys_of
from indistinct.engine.coding import Coded
from indistinct.engine.spark.rewriting import (
    COUNT,
    SMALL,
    Rewriting,
    RowsByCode,
    uploaded,
    words_of,
)
from indistinct.engine.statements import Domain
from indistinct.errors import IndistinctError
from indistinct.io.arrow import number_array

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from contextlib import AbstractContextManager

    from numpy.typing import NDArray

    from indistinct.engine.base import Assignment
    from indistinct.engine.block import Block, BlockSearch
    from indistinct.engine.cells import Bins
    from indistinct.running.progress import Progress

PACKED = "packed binary"


class KeptEntries(ABC):
    """The entries that a Spark counted, which it keeps in blocks."""

    _source: Any
    _spark: Any
    _names: list[str]
    _kept: Any = None
    _domains: tuple[Domain, ...] = ()
    _coarse: Bins | None = None

    @abstractmethod
    def _distinct_rows(self, columns: Sequence[str]) -> Any:
        """Return the distinct rows of some columns with how many rows each stands for."""

    @abstractmethod
    def _fetched(self, counts: Any) -> pa.Table:
        """Fetch counts."""

    @abstractmethod
    def _asking(self) -> AbstractContextManager[None]:
        """Mark the jobs of this thread as ours, and say what Spark cannot do."""

    def group(self, columns: Sequence[str]) -> list[Grouped]:
        """Count the distinct rows of some columns and keep them; return the values of each."""
        from pyspark.sql import functions as F  # noqa: N812

        counted = self._distinct_rows(columns).persist()
        coded = [self._coded_values(counted, name) for name in columns]
        self._domains = tuple(
            Domain(place, name, one.domains[0].values)
            for place, (name, one) in enumerate(zip(columns, coded, strict=True))
        )
        rows = RowsByCode(self._source, self._names, self._domains).with_codes(counted)
        codes = [f"c{place}" for place in range(len(columns))]
        self._keep(rows.select(*codes, COUNT, F.lit(0).alias("block")))
        counted.unpersist()
        return [
            Grouped(pa.table({d.column: pa.chunked_array([d.values])}), one.counts)
            for d, one in zip(self._domains, coded, strict=True)
        ]

    def _coded_values(self, counted: Any, name: str) -> Coded:
        """Count the rows of each value of a column, and number these in their order."""
        from pyspark.sql import functions as F  # noqa: N812

        column = f"x{self._names.index(name)}"
        table = self._fetched(counted.groupBy(column).agg(F.sum(COUNT).alias(COUNT)))
        return Coded.of(table.select([column]), _whole(table.column(COUNT)))

    def _keep(self, entries: Any) -> None:
        """Keep entries instead of those that were kept before."""
        former, self._kept = self._kept, entries.persist()
        with self._asking():
            self._kept.count()  # computed now, while the former ones are there
            if former is not None:
                former.unpersist()

    def _let_go(self) -> None:
        """Keep no entries any more."""
        if self._kept is not None:
            with suppress(Exception):  # the session may be gone
                self._kept.unpersist()
            self._kept = None

    def cells(self, bins: Bins, block: int, most: int) -> Cells | None:
        """Put the entries of a block together by bins; None if that makes more than `most`."""
        from pyspark.sql import functions as F  # noqa: N812

        entries = self._kept.where(F.col("block") == int(block))
        keys = [f"k{number}" for number in range(len(digits_of(bins)))]
        counted = self._in_cells(entries, bins).groupBy(*keys)
        counted = counted.agg(F.count(F.lit(1)).alias("entries"), F.sum(COUNT).alias(COUNT))
        table = self._fetched(counted.limit(int(most) + 1))
        if table.num_rows > most:
            return None
        *words, entries, rows = (_whole(column) for column in table.columns)
        return cells_of(words, entries, rows, bins)

    def divide(self, bins: Bins, block: int, cells: Cells, into: NDArray[np.int32]) -> None:
        """Divide a block: the entries of each of its cells are in another block from now on."""
        from pyspark.sql import functions as F  # noqa: N812

        keys = {f"k{number}": number_array(key) for number, key in enumerate(keys_of(cells, bins))}
        marks = pa.table({**keys, "from": number_array(np.full_like(into, block))})
        marks = self._brought(marks.append_column("into", number_array(into)))
        marked = self._in_cells(self._kept, bins).withColumnRenamed("block", "from")
        divided = marked.join(marks, [*keys, "from"], "left")
        codes = [f"c{domain.place}" for domain in self._domains]
        to = F.coalesce("into", "from").alias("block")
        self._keep(divided.select(*codes, COUNT, to))

    def _in_cells(self, entries: Any, bins: Bins) -> Any:
        """Add the numbers that the cell of each entry goes by: `k0`, `k1`."""
        from pyspark.sql import functions as F  # noqa: N812

        for place, of_code in enumerate(bins):
            if not of_code.any():
                entries = entries.withColumn(f"b{place}", F.lit(0))
                continue
            codes = number_array(np.arange(of_code.size, dtype=np.int32))
            table = pa.table({f"c{place}": codes, f"b{place}": number_array(of_code)})
            entries = entries.join(self._brought(table), f"c{place}")
        return entries.withColumns(words_of("k", "b", digits_of(bins)))

    def _brought(self, table: pa.Table) -> Any:
        from pyspark.sql import functions as F  # noqa: N812

        frame = uploaded(self._spark, table)
        return F.broadcast(frame) if table.num_rows <= SMALL else frame

    def sizes(self, bins: Bins) -> dict[int, int]:
        """Put all entries together by bins; count the cells by how many rows they have."""
        from pyspark.sql import functions as F  # noqa: N812

        keys = [f"k{number}" for number in range(len(digits_of(bins)))]
        cells = self._in_cells(self._kept, bins).groupBy(*keys).agg(F.sum(COUNT).alias(COUNT))
        counted = self._fetched(cells.groupBy(COUNT).count())
        return dict(zip(*(column.to_pylist() for column in counted.columns), strict=True))

    def coarsen(self, bins: Bins) -> None:
        """Take the values of a bin for one from now on."""
        from pyspark.sql import functions as F  # noqa: N812

        places = range(len(bins))
        alike = self._in_cells(self._kept, bins).groupBy(*(f"b{place}" for place in places))
        codes = [F.col(f"b{place}").alias(f"c{place}") for place in places]
        coarse = alike.agg(F.sum(COUNT).alias(COUNT))
        self._keep(coarse.select(*codes, COUNT, F.lit(0).alias("block")))
        self._coarse = bins

    def recoded(
        self,
        blocks: Sequence[int],
        search: BlockSearch,
        progress: Progress,  # noqa: ARG002 - Spark ends its jobs itself
    ) -> Iterator[Block]:
        """Have all blocks recoded on the machines of the cluster, several at a time."""
        self._number(blocks)
        codes = [f"c{domain.place}" for domain in self._domains]
        with self._asking():
            in_blocks = self._kept.groupBy("block")
            searched = in_blocks.applyInArrow(_searching(search, codes), PACKED)
        for packed in self._fetched(searched).column(0):
            block = pickle.loads(packed.as_py())  # noqa: S301 - made by us, as Spark does it
            if isinstance(block, IndistinctError):
                raise block
            yield block

    def _number(self, blocks: Sequence[int]) -> None:
        """Number the entries: block after block, and in a block in the order of their codes."""
        from pyspark.sql import Window
        from pyspark.sql import functions as F  # noqa: N812

        counted = self._fetched(self._kept.groupBy("block").count())
        block, size = (_whole(column) for column in counted.columns)
        order = np.argsort(block)
        before = np.cumsum(size[order]) - size[order]
        table = {"block": number_array(block[order].astype(np.int32)), "before": before}
        codes = [f"c{domain.place}" for domain in self._domains]
        apart = self._kept.join(self._brought(pa.table(table)), "block").repartitionByRange(
            len(blocks), "block"
        )
        place = F.row_number().over(Window.partitionBy("block").orderBy(*codes)) - 1
        entry = (F.col("before") + place).alias("entry")
        self._keep(apart.select(entry, *codes, COUNT, "block"))


class RewritingKept(Rewriting):
    """What becomes of the rows of a source whose entries Spark keeps.

    Parameters
    ----------
    entries
        The entries with their numbers.
    """

    def __init__(self, *given: Any, entries: Any) -> None:
        super().__init__(*given)
        self._entries = entries

    def _parts(self, assigned: Assignment) -> tuple[Any, Any]:
        from pyspark.sql import functions as F  # noqa: N812

        columns: dict[str, NDArray[Any]] = {
            "entry": assigned.entry,
            "unit": assigned.unit,
            "first": assigned.first,
            "part": assigned.rows,
        }
        parts = uploaded(self._spark, pa.table({n: number_array(c) for n, c in columns.items()}))
        joined = self._entries.join(parts, "entry").withColumns(words_of("w", "c", self._digits))
        whole = F.col("part") == F.col(COUNT)
        split = joined.where(~whole).select(
            *self._words, "unit", "first", F.col("part").alias(COUNT)
        )
        return joined.where(whole).select(*self._words, "unit"), split


def _searching(search: BlockSearch, codes: Sequence[str]) -> Callable[[pa.Table], pa.Table]:
    """Return what a machine of the cluster does with the entries of a block.

    What it finds, or why it finds nothing, comes back in one piece.
    """

    def recoded(entries: pa.Table) -> pa.Table:
        entries = entries.sort_by("entry")
        fetched = Fetched(
            _whole(entries.column("entry")),
            tuple(_whole(entries.column(code)).astype(np.int32) for code in codes),
            _whole(entries.column(COUNT)),
        )
        try:
            block: Block | IndistinctError = search.recoded(fetched)
        except IndistinctError as error:
            block = error
        return pa.table({"packed": pa.array([pickle.dumps(block)], pa.binary())})

    return recoded


def _whole(column: pa.ChunkedArray) -> NDArray[np.int64]:
    return np.ascontiguousarray(column.to_numpy(), dtype=np.int64)
