"""Codes of what an engine counted, for engines that keep no tables of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.engine.base import Grouped
from indistinct.engine.statements import Domain, digits
from indistinct.io.arrow import number_array, numbers_of

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Coded:
    """Counted entries by the codes of their values, in the order of these codes.

    Attributes
    ----------
    domains
        The values of each counted column, in ascending order, the missing one last.
    codes
        The codes of each column, one for each entry.
    counts
        How many rows each entry stands for.
    """

    domains: tuple[Domain, ...]
    codes: tuple[NDArray[np.int32], ...]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, rows: pa.Table, counts: NDArray[np.int64]) -> Coded:
        """Number the values of each column, and order the rows by these numbers."""
        coded = [_coded(rows.column(place)) for place in range(rows.num_columns)]
        order = np.lexsort([codes for codes, _ in reversed(coded)])
        return cls(
            tuple(
                Domain(place, name, values)
                for place, (name, (_, values)) in enumerate(
                    zip(rows.column_names, coded, strict=True)
                )
            ),
            tuple(codes[order] for codes, _ in coded),
            counts[order],
        )

    def grouped(self) -> Grouped:
        """Return the entries with their values."""
        columns = {
            domain.column: domain.column_of(pa.chunked_array([number_array(codes)]))
            for domain, codes in zip(self.domains, self.codes, strict=True)
        }
        return Grouped(pa.table(columns), self.counts)

    def digits(self) -> list[list[tuple[int, int]]]:
        """Say of which codes the numbers consist that an entry goes by, and times what."""
        return digits([len(domain.values) for domain in self.domains])

    def words(self) -> list[NDArray[np.int64]]:
        """Return the numbers that each entry goes by."""
        return [
            np.sum([self.codes[d].astype(np.int64) * space for d, space in word], axis=0)
            for word in self.digits()
        ]


def _coded(column: pa.ChunkedArray) -> tuple[NDArray[np.int32], pa.Array]:
    """Number the values of a column in their order; return the number of each row, and them."""
    encoded = column.combine_chunks().dictionary_encode(null_encoding="encode")
    values = encoded.dictionary
    order = pc.sort_indices(values).to_numpy().astype(np.int64)
    rank = np.empty(order.size, dtype=np.int32)
    rank[order] = np.arange(order.size, dtype=np.int32)
    return rank[numbers_of(encoded.indices)], values.take(number_array(order))
