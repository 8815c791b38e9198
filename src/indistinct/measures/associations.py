"""How well a release keeps what columns say about each other: Cramér's V of every pair.

V is 0 where two columns are independent and 1 where one determines the other. It is taken in the
private table, and in the joint counts that a release lets one estimate: a row is spread evenly over
all values that it may have; in a bucket, every row has every sensitive value with its share. Rows
left out do not count in the estimate. A column of many values is taken in at most 20 runs of
neighbouring ones (its finest level of so few, or equal runs): of nearly unique columns, V would
say nothing but that they are.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.measures.bins import bins_of, bins_of_values
from indistinct.measures.leaf_means import LeafMeans

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.recoding import Recoding
    from indistinct.model.table import QuasiColumn, SensitiveColumn, Table

MOST_BINS = 20
BLOCK = 16_384


@dataclass(frozen=True)
class Pair:
    """Two columns, with their association in the private table and in the release."""

    columns: tuple[str, str]
    before: float
    after: float

    @property
    def difference(self) -> float:
        """How far the two are apart."""
        return abs(self.after - self.before)


@dataclass(frozen=True)
class Associations:
    """Every pair of quasi and sensitive columns."""

    pairs: tuple[Pair, ...]

    @property
    def difference(self) -> float:
        """The mean over all pairs of how far the association moved; 0 where there is no pair."""
        return sum(pair.difference for pair in self.pairs) / max(len(self.pairs), 1)

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "difference": self.difference,
            "pairs": [
                {"columns": list(pair.columns), "before": pair.before, "after": pair.after}
                for pair in self.pairs
            ],
        }


def associations(
    table: Table,
    recoding: Recoding,
    forms: tuple[Form, ...] = (),
    *,
    carried: NDArray[np.intp] | None = None,
    most_bins: int = MOST_BINS,
) -> Associations:
    """Compare the association of every pair of columns with what the release shows of it.

    Parameters
    ----------
    forms
        How each quasi column is published; only asked for groups of rows.
    carried
        For matchings, the private row whose sensitive values each row carries.
    most_bins
        In how many runs of values a column is taken at most.
    """
    counts = _Counts(table, recoding, forms, carried, most_bins)
    return Associations(
        tuple(
            Pair((one, two), cramers_v(counts.true(a, b)), cramers_v(counts.estimated(a, b)))
            for (a, one), (b, two) in combinations(enumerate(counts.names), 2)
        )
    )


def cramers_v(counts: NDArray[np.float64]) -> float:
    """Compute Cramér's V of a table of counts; 0 where a side has a single value.

    Examples
    --------
    >>> import numpy as np
    >>> cramers_v(np.array([[5, 0], [0, 5]])), cramers_v(np.array([[4, 2], [2, 1]]))
    (1.0, 0.0)
    """
    held = counts[counts.sum(axis=1) > 0][:, counts.sum(axis=0) > 0].astype(np.float64)
    if min(held.shape) < 2:
        return 0.0
    shares = held / held.sum()
    expected = np.outer(shares.sum(axis=1), shares.sum(axis=0))
    squared = float(((shares - expected) ** 2 / expected).sum())
    return min(sqrt(squared / (min(held.shape) - 1)), 1.0)


class _Counts:
    """Joint counts of binned columns, quasi columns first."""

    def __init__(
        self,
        table: Table,
        recoding: Recoding,
        forms: tuple[Form, ...],
        carried: NDArray[np.intp] | None,
        most: int,
    ) -> None:
        self._table, self._recoding, self._forms = table, recoding, forms
        self._buckets = recoding.bucket_of_row
        quasi = [bins_of(column.hierarchy, most) for column in table.quasi]
        sensitive = [bins_of_values(column, most) for column in table.sensitive]
        columns: list[QuasiColumn | SensitiveColumn] = [*table.quasi, *table.sensitive]
        self.names = [column.name for column in columns]
        self._bins = [*quasi, *sensitive]
        self._sizes = [int(bins.max(initial=-1)) + 1 for bins in self._bins]
        pairs = zip(self._bins, columns, strict=True)
        self._codes = [bins[column.codes] for bins, column in pairs]
        self._from = np.append(0, np.cumsum(self._sizes))
        self._kept = recoding.kept
        self._weights = table.weights
        self._carrier = np.arange(table.entries) if carried is None else carried

    def true(self, a: int, b: int) -> NDArray[np.float64]:
        """Count the private rows of each pair of bins."""
        return self._counted(self._codes[a], self._codes[b], self._weights, a, b)

    def estimated(self, a: int, b: int) -> NDArray[np.float64]:
        """Estimate from the release the rows of each pair of bins."""
        quasi = len(self._table.quasi)
        if self._buckets is not None:
            if b >= quasi:
                return self._joined_in(self._buckets[self._kept], a, b)
            return self._as_published(a, b)
        if a >= quasi:
            return self._as_published(a, b)
        rows = slice(self._from[a], self._from[a + 1])
        joint: NDArray[np.float64] = self._summed[rows, self._from[b] : self._from[b + 1]]
        return joint

    def _counted(
        self,
        one: NDArray[np.int64],
        two: NDArray[np.int64],
        weights: NDArray[np.int64] | None,
        a: int,
        b: int,
    ) -> NDArray[np.float64]:
        shape = self._sizes[a], self._sizes[b]
        counts = np.bincount(one * shape[1] + two, weights, minlength=shape[0] * shape[1])
        return counts.reshape(shape).astype(np.float64)

    @property
    def _released(self) -> NDArray[np.int64] | None:
        """How many rows each released entry stands for; None where each is one row."""
        return None if self._weights is None else self._weights[self._kept]

    def _as_published(self, a: int, b: int) -> NDArray[np.float64]:
        """Count released rows of columns that are published as they are."""
        rows = self._carrier[self._kept] if a >= len(self._table.quasi) else self._kept
        return self._counted(self._codes[a][rows], self._codes[b][rows], self._released, a, b)

    def _joined_in(self, groups: NDArray[np.int32], a: int, b: int) -> NDArray[np.float64]:
        """Join columns that are known of each bucket, but not which row has which value."""
        sizes = np.bincount(groups, self._released)
        one, two = (
            np.bincount(
                groups.astype(np.int64) * self._sizes[c] + self._codes[c][self._kept],
                self._released,
                minlength=sizes.size * self._sizes[c],
            ).reshape(sizes.size, self._sizes[c])
            for c in (a, b)
        )
        joint: NDArray[np.float64] = one.T @ (two / np.maximum(sizes, 1)[:, None])
        return joint

    @cached_property
    def _leaf_means(self) -> LeafMeans:
        return LeafMeans(self._table, self._recoding, self._forms)

    @cached_property
    def _summed(self) -> NDArray[np.float64]:
        """Join every quasi column with every column, spread evenly; block by block of kinds."""
        from indistinct.measures.associations_kernel import add_products

        products = np.zeros((self._from[-1], self._from[-1]))
        for shares, rows in self._blocks():
            add_products(products, shares, rows)
        return products

    def _blocks(self) -> Iterator[tuple[NDArray[np.float64], NDArray[np.float64]]]:
        """Yield the shares of kinds of rows in the bins of every column, and their rows."""
        kinds = self._leaf_means.of_row[self._kept].astype(np.int64)
        released, count = self._released, self._leaf_means.count
        rows = np.bincount(kinds, released, minlength=count).astype(np.float64)
        quasi = len(self._table.quasi)
        owners = self._carrier[self._kept]
        held = [(codes[owners], s) for codes, s in zip(self._codes, self._sizes, strict=True)]
        counts = [
            np.bincount(kinds * size + codes, released, minlength=count * size)
            for codes, size in held[quasi:]
        ]
        figures = [np.eye(s)[bins] for s, bins in zip(self._sizes, self._bins, strict=True)]
        for start in range(0, count, BLOCK):
            part = slice(start, min(start + BLOCK, count))
            spread = [self._leaf_means.means(c, figures[c], part) for c in range(quasi)]
            within = np.maximum(rows[part], 1.0)[:, None]
            sensitive = [
                of_column.reshape(-1, size)[part] / within
                for of_column, size in zip(counts, self._sizes[quasi:], strict=True)
            ]
            yield np.hstack([*spread, *sensitive]), rows[part]
