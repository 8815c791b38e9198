"""Minimal unique column sets: the fewest columns through which a row stands alone."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.running.progress import Progress

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.model.table import FrequencySet

LARGEST = 4
SMALL_TABLE = 1 << 22
SHOWN = 50

Subset = tuple[int, ...]


@dataclass(frozen=True)
class UniqueSet:
    """Columns through which rows stand alone, while no fewer of these columns would do.

    Attributes
    ----------
    rows
        How many rows are unique in these columns and in no part of them.
    """

    columns: tuple[str, ...]
    rows: int


@dataclass(frozen=True, eq=False)
class MinimalUniques:
    """The minimal sample uniques of a table.

    Attributes
    ----------
    sets
        Sets of columns that make some rows minimally unique, those with most rows first.
    rows_by_size
        For each number of columns, how many rows are unique through so few and not through fewer.
    scores
        The SUDA score of each row: the more minimal sets and the smaller, the higher. Private.
    contributions
        For each column, the share of the minimal uniques that it is part of.
    """

    largest: int
    sets: tuple[UniqueSet, ...]
    rows_by_size: dict[int, int]
    scores: NDArray[np.int64]
    contributions: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data, without scores of single rows."""
        return {
            "largest": self.largest,
            "rows": sum(self.rows_by_size.values()),
            "rows_by_size": {str(size): rows for size, rows in self.rows_by_size.items()},
            "sets": [{"columns": list(s.columns), "rows": s.rows} for s in self.sets[:SHOWN]],
            "contributions": self.contributions,
        }


def minimal_uniques(
    distinct: FrequencySet,
    columns: Sequence[str],
    sizes: Sequence[int],
    *,
    largest: int = LARGEST,
    progress: Progress | None = None,
) -> MinimalUniques:
    """Find for every row the sets of at most `largest` columns in which it is minimally unique.

    A row that is unique in a set is unique in every set around it. So, sizes rising, a row
    is minimally unique in a set if it is unique there and in none of the sets with a column less.
    Every set is one pass over the distinct rows; sets in which no row can be new are not counted.
    It costs at most as many passes as there are sets, 162 for 8 columns and sets of up to 4.

    Parameters
    ----------
    distinct
        The distinct rows of the columns with their counts.
    columns, sizes
        Their names, and the number of values of each.
    largest
        The most columns of a set.

    References
    ----------
    M. J. Elliot, A. M. Manning, R. W. Ford, "A computational algorithm for handling the special
    uniques problem", Int. J. Uncertainty, Fuzziness and Knowledge-Based Systems 10 (2002), for
    the definition and the score; A. M. Manning, D. J. Haglin, J. A. Keane, "A recursive search
    algorithm for statistical disclosure assessment" (SUDA2), DMKD 16 (2008). We count every set
    for all rows at once instead of following rows one by one.
    """
    search = _Search(distinct, list(sizes), min(largest, len(columns)))
    unique_rows = search.run(progress or Progress())
    rows_by_size = {
        size: int(np.count_nonzero(search.first_size == size))
        for size in range(1, search.largest + 1)
    }
    total = sum(unique_rows.values())
    return MinimalUniques(
        largest=search.largest,
        sets=tuple(
            UniqueSet(tuple(columns[c] for c in subset), rows)
            for subset, rows in sorted(unique_rows.items(), key=lambda f: (-f[1], len(f[0]), f[0]))
        ),
        rows_by_size={size: rows for size, rows in rows_by_size.items() if rows},
        scores=search.scores[distinct.inverse],
        contributions={
            name: sum(rows for subset, rows in unique_rows.items() if place in subset) / total
            if total
            else 0.0
            for place, name in enumerate(columns)
        },
    )


class _Search:
    """Level by level over sets of columns, keeping for each set which rows are unique in it."""

    def __init__(self, distinct: FrequencySet, sizes: list[int], largest: int) -> None:
        self.distinct = distinct
        self.sizes = sizes
        self.largest = largest
        self.scores = np.zeros(distinct.size, dtype=np.int64)
        self.first_size = np.zeros(distinct.size, dtype=np.int8)
        self._single = np.packbits(distinct.counts == 1)
        self._below: dict[Subset, NDArray[np.uint8]] = {(): np.zeros_like(self._single)}

    def run(self, progress: Progress) -> dict[Subset, int]:
        unique_rows: dict[Subset, int] = {}
        with ThreadPoolExecutor(max_workers=2) as pool:
            for size in range(1, self.largest + 1):
                subsets = list(combinations(range(len(self.sizes)), size))
                unique = list(pool.map(self._unique, subsets))
                for subset, (alone, new) in zip(subsets, unique, strict=True):
                    if new is not None:
                        unique_rows[subset] = self._count(new, size)
                    self._below[subset] = alone
                self._below = {s: bits for s, bits in self._below.items() if len(s) == size}
                progress.advance(size / self.largest)
        return {subset: rows for subset, rows in unique_rows.items() if rows}

    def _unique(self, subset: Subset) -> tuple[NDArray[np.uint8], NDArray[np.uint8] | None]:
        """Return which rows are unique in a set, and which are minimally so, as packed bits."""
        already = self._below[subset[1:]].copy()
        for place in range(1, len(subset)):
            already |= self._below[subset[:place] + subset[place + 1 :]]
        if not (self._single & ~already).any():
            return already, None
        alone = np.packbits(self._alone(subset))
        return alone, alone & ~already

    def _alone(self, subset: Subset) -> NDArray[np.bool_]:
        from indistinct.model.ranking_kernel import row_keys
        from indistinct.risk.uniques_kernel import alone_by_hash, alone_in_table

        columns = [self.distinct.codes[c] for c in subset]
        keys, space = row_keys(columns, [self.sizes[c] for c in subset])
        if space <= max(SMALL_TABLE, 4 * keys.size):
            small: NDArray[np.bool_] = alone_in_table(keys, self.distinct.counts, space)
            return small
        large: NDArray[np.bool_] = alone_by_hash(keys, self.distinct.counts)
        return large

    def _count(self, packed: NDArray[np.uint8], size: int) -> int:
        rows = np.flatnonzero(np.unpackbits(packed, count=self.distinct.size))
        top = min(self.largest, len(self.sizes) - 1)
        self.scores[rows] += prod(len(self.sizes) - i for i in range(size, top + 1))
        fresh = rows[self.first_size[rows] == 0]
        self.first_size[fresh] = size
        return int(rows.size)
