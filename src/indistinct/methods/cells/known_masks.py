"""What rows must hide at least from attackers who know at most m columns.

Of any m columns in which fewer than k rows are like it, a row must star one; and if fewer than m
columns are left that it shows, k rows must be like it in all of these. The cheapest set of columns
(mask) that does so bounds what its stars cost in any release, whatever the others star.
"""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.cells.masks import FEW_COLUMNS, Masks

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

SEED = 20080824
OFTEN = 64


class KnownMasks:
    """Rows at some levels, and which columns they may show.

    Parameters
    ----------
    nodes, counts
        The node of each (distinct) row in each column, and how many rows it stands for.
    weights
        What a star costs in each column.
    known, k
        How many columns are known at most, and how many rows must be alike in these.

    Attributes
    ----------
    cells
        For each row and column the random number of its value.
    some
        The sets of columns that may be known together, a row each.
    """

    def __init__(
        self,
        nodes: Sequence[NDArray[np.int32]],
        counts: NDArray[np.int64],
        weights: NDArray[np.float64],
        known: int,
        k: int,
    ) -> None:
        drawn = np.random.Generator(np.random.PCG64(SEED))
        cells = [
            drawn.integers(0, 2**64, int(held.max(initial=0)) + 1, dtype=np.uint64)[held]
            for held in nodes
        ]
        self.cells = np.ascontiguousarray(np.stack(cells, axis=1))
        self.some = np.array(list(combinations(range(len(nodes)), known)), dtype=np.int64)
        self.weights = weights
        self._counts, self._known, self._k = counts, known, k
        self._values = np.array([np.unique(held).size for held in nodes])
        rare = [self._alike(columns) < k for columns in self.some]
        self._rare = np.ascontiguousarray(np.stack(rare, axis=1))

    def _alike(self, columns: NDArray[np.int64] | NDArray[np.bool_]) -> NDArray[np.float64]:
        """Count for each row those that are like it in some columns."""
        from indistinct.model.ranking_kernel import rank_keys

        keys = self.cells[:, columns].sum(axis=1, dtype=np.uint64)
        numbers, _ = rank_keys(keys.view(np.int64))
        alike: NDArray[np.float64] = np.bincount(numbers, self._counts).astype(float)[numbers]
        return alike

    def fitting(self, mask: NDArray[np.bool_], rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return which of some rows show nothing under a mask that too few have in common."""
        from indistinct.methods.cells.known_stars_kernel import could_show

        fits = np.empty(rows.size, dtype=np.bool_)
        hidden = np.asarray(mask[self.some].any(axis=1))
        could_show(self._rare, hidden, rows, fits)
        if np.count_nonzero(~mask) < self._known and not mask.all():
            fits &= (self._alike(~mask) >= self._k)[rows]
        return fits

    def least(self) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
        """Return the cheapest mask of each row, of those that are listed, and the least price."""
        masks = Masks.of(self.weights)
        starred = np.ones((self.cells.shape[0], self.weights.size), dtype=np.bool_)
        prices = np.full(starred.shape[0], min(masks.beyond, float(self.weights.sum())))
        left = np.arange(prices.size)
        for mask, price in zip(masks.starred, masks.prices.tolist(), strict=True):
            if not left.size or price >= masks.beyond:
                break
            fits = self.fitting(mask, left)
            prices[left[fits]], starred[left[fits]] = price, mask
            left = left[~fits]
        return starred, prices

    def masks(self) -> NDArray[np.bool_]:
        """List masks to try, the cheapest first: all of few columns, some of many.

        Of many, those of one column or none, those that star columns of many values first, and
        those that rows need most often by themselves. Of one price, those of many values are first.
        """
        masks = self._listed()
        hidden = masks @ np.log(self._values)
        return masks[np.lexsort((-hidden, masks @ self.weights))]

    def _listed(self) -> NDArray[np.bool_]:
        columns = self.weights.size
        if columns <= FEW_COLUMNS:
            return Masks.of(self.weights).starred
        place = np.empty(columns, dtype=np.int64)
        place[np.lexsort((-self._values, self.weights))] = np.arange(columns)
        first = place < np.arange(columns + 1)[:, None]
        listed = [np.eye(columns, dtype=np.bool_), first, self._needed()]
        return np.unique(np.concatenate(listed), axis=0)

    def _needed(self) -> NDArray[np.bool_]:
        """Return the masks that hide most often all that is rare of a row, chosen greedily."""
        left = self._rare[self._rare.any(axis=1)]
        hidden = np.zeros((left.shape[0], self.weights.size), dtype=np.bool_)
        sets = [(self.some == column).any(axis=1) for column in range(self.weights.size)]
        while left.any():
            hits = np.stack([left[:, held].sum(axis=1) for held in sets], axis=1)
            best = np.argmax(hits / np.maximum(self.weights, 1e-9), axis=1)
            rows = np.flatnonzero(left.any(axis=1))
            hidden[rows, best[rows]] = True
            left &= ~np.array(sets)[best]
        masks, often = np.unique(hidden, axis=0, return_counts=True)
        return masks[np.argsort(-often, kind="stable")][:OFTEN]
