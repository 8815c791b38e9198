"""Draws: what a release draws at random, whatever order the private rows came in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.io.arrow import dictionary_of, text_array
from indistinct.publishing.randomness import Randomness

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from indistinct.model.table import Table
    from indistinct.plan import Plan


@dataclass(frozen=True, eq=False)
class Draws:
    """Random orders of the rows of a table, and random streams, for one release of it.

    Without a seed they come from the operating system, and nothing need be known of the rows. With
    one they are drawn for the rows in the order of their content: which place the file gave a row
    decides nothing, and the same rows in another order give the same release.

    Attributes
    ----------
    content
        The rows in the order of what they hold; None without a seed.
    columns
        What streams depend on beside seed and purpose: the columns, coded, in that order.
    """

    seed: int | None
    rows: int
    content: NDArray[np.intp] | None = None
    columns: tuple[memoryview, ...] = ()

    @classmethod
    def of(cls, plan: Plan, data: pa.Table, table: Table) -> Draws:
        """Prepare the draws of a release; the table may lack its quasi columns."""
        if plan.seed is None:
            return cls(None, data.num_rows)
        coded = {c.name: c.codes for c in table.quasi} | {c.name: c.codes for c in table.sensitive}
        ranks: list[NDArray[Any]] = [*coded.values(), *_ranks_besides(plan, data, coded)]
        ranks += [] if table.weights is None else [table.weights]
        content = np.lexsort(ranks[::-1]) if ranks else np.arange(data.num_rows)
        columns = tuple(np.ascontiguousarray(column[content]).data for column in ranks)
        return cls(plan.seed, data.num_rows, content, columns)

    def of_entries(self, table: Table) -> Draws:
        """Return the draws for entries in lexicographic order, whatever rows hold besides."""
        if self.seed is None:
            return Draws(None, table.entries)
        columns = [*(c.codes for c in table.quasi), *(c.codes for c in table.sensitive)]
        coded = (np.ascontiguousarray(column).data for column in (*columns, table.row_counts))
        return Draws(self.seed, table.entries, np.arange(table.entries), tuple(coded))

    def stream(self, purpose: str, *more: bytes) -> Randomness:
        """Return the random stream for a purpose."""
        return Randomness(self.seed, purpose, *more, *self.columns)

    def order(self, purpose: str) -> NDArray[np.intp]:
        """Draw an order of the rows."""
        drawn = self.stream(purpose).order(self.rows)
        return drawn if self.content is None else self.content[drawn]


def _ranks_besides(
    plan: Plan, data: pa.Table, coded: Collection[str]
) -> Iterator[NDArray[np.int32]]:
    """Rank the values of further columns that are released, or say whose row a row is.

    They come by name, since files may order columns in another way too.
    """
    for name in sorted(set(data.column_names) - set(coded)):
        column = plan.columns.get(name)
        role = column.role if column else plan.unlisted
        if role not in {"identifier", "drop"} or (column and column.pseudonym):
            yield _ranks(data.column(name))


def _ranks(column: pa.ChunkedArray) -> NDArray[np.int32]:
    """Rank the values of a column of any type; a missing value is the least."""
    try:
        coded = dictionary_of(column)
        return np.concatenate([_coded(chunk) for chunk in coded.chunks] or [np.zeros(0, np.int32)])
    except (pa.ArrowNotImplementedError, pa.ArrowInvalid, pa.ArrowTypeError):
        texts = [None if value is None else repr(value) for value in column.to_pylist()]
        return _coded(text_array(texts).dictionary_encode())


def _coded(chunk: pa.DictionaryArray) -> NDArray[np.int32]:
    ranks = pc.rank(chunk.dictionary, tiebreaker="dense").to_numpy(zero_copy_only=False)
    places = pc.fill_null(chunk.indices.cast(pa.int64()), len(chunk.dictionary))
    of_row: NDArray[np.int32] = np.append(ranks, 0).astype(np.int32)[places.to_numpy()]
    return of_row
