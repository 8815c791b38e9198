"""Sets of columns to star (masks), cheapest first: what rows need at least, and a quick answer.

Under a mask, rows that agree in all columns but the starred ones fit one pattern. A row of a
release in which every class has k rows is published as a pattern that k rows of the table fit. So
it costs no less than the cheapest mask under which k rows fit its pattern: what all rows need so is
a bound on every release.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from math import inf
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.methods.common.deadline import Deadline

FEW_COLUMNS = 12
SEED = 20070529


@dataclass(frozen=True, eq=False)
class Masks:
    """Sets of columns to star, by rising price: all of few columns, some of many.

    Of many columns, these are the sets of two or less, and those of more that star first what is
    to be starred first.

    Attributes
    ----------
    starred, prices
        For each mask which columns it stars, and the sum of their weights.
    beyond
        No mask that is not listed costs less.
    """

    starred: NDArray[np.bool_]
    prices: NDArray[np.float64]
    beyond: float

    @classmethod
    def of(cls, weights: NDArray[np.float64], first: Sequence[int] = ()) -> Masks:
        """List those of columns with these weights, given in which order to star many of them."""
        columns, few = range(weights.size), weights.size <= FEW_COLUMNS
        largest = weights.size if few else 2
        sets = [some for size in range(largest + 1) for some in combinations(columns, size)]
        if not few:
            sets += [tuple(first[:size]) for size in range(largest + 1, len(first))]
        starred = np.zeros((len(sets), weights.size), dtype=bool)
        for place, some in enumerate(sets):
            starred[place, list(some)] = True
        prices = starred @ weights
        order = np.argsort(prices, kind="stable")
        beyond = inf if few else float(np.sort(weights)[: largest + 1].sum())
        return cls(starred[order], prices[order], beyond)


class Patterns:
    """Distinct rows of nodes, of which those that fit one pattern are numbered alike.

    A pattern is told by the sum of a random number for each of its values. Two that had the same
    sum would be taken for one: then a bound is too low, never too high.

    Attributes
    ----------
    rows, counts
        The first entry of each distinct row, and how many rows it stands for.
    """

    def __init__(self, nodes: Sequence[NDArray[np.int32]], counts: NDArray[np.int64]) -> None:
        from indistinct.model.ranking_kernel import rank_keys

        self._rank = rank_keys
        drawn = np.random.Generator(np.random.PCG64(SEED))
        cells = np.stack(
            [
                drawn.integers(0, 2**64, int(column.max(initial=0)) + 1, dtype=np.uint64)[column]
                for column in nodes
            ]
        )
        numbers, self.rows = rank_keys(cells.sum(axis=0).view(np.int64))
        self.counts = np.bincount(numbers, counts).astype(np.int64)
        self._cells = np.ascontiguousarray(cells[:, self.rows])
        self._whole = self._cells.sum(axis=0)

    def enough(
        self, mask: NDArray[np.bool_], least: int, some: NDArray[np.intp] | slice = slice(None)
    ) -> NDArray[np.bool_]:
        """Return which of some distinct rows fit a pattern of a mask that enough of these fit."""
        keys = self._whole[some].copy()
        for column in np.flatnonzero(mask):
            keys -= self._cells[column][some]
        numbers, _ = self._rank(keys.view(np.int64))
        return np.bincount(numbers, self.counts[some])[numbers] >= least


def least_prices(
    patterns: Patterns, masks: Masks, least: int, deadline: Deadline
) -> NDArray[np.float64]:
    """Return what stars of each distinct row cost at least in a release of classes of enough rows.

    When time is over, rows without an answer cost what the next mask does.
    """
    prices = np.full(patterns.counts.size, np.nan)
    for mask, price in _in_turn(masks):
        left = np.isnan(prices)
        if not left.any() or price >= masks.beyond:
            break
        if deadline.passed:
            prices[left] = price
            break
        prices[left & patterns.enough(mask, least)] = price
    dearest = masks.prices[-1] if masks.beyond == inf else masks.beyond
    return np.where(np.isnan(prices), dearest, prices)


def quickly_starred(patterns: Patterns, masks: Masks, least: int) -> NDArray[np.bool_]:
    """Star the columns of distinct rows: of those still left, all that fit a large enough pattern.

    Rows that are left at the end, perhaps fewer than enough, are starred in all columns.
    """
    starred = np.ones((patterns.counts.size, masks.starred.shape[1]), dtype=bool)
    left = np.arange(patterns.counts.size)
    for mask, _ in _in_turn(masks):
        if not left.size:
            break
        enough = patterns.enough(mask, least, left)
        starred[left[enough]] = mask
        left = left[~enough]
    return starred


def _in_turn(masks: Masks) -> Iterator[tuple[NDArray[np.bool_], float]]:
    return zip(masks.starred, masks.prices.tolist(), strict=True)
