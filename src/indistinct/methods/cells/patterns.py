"""Local search over patterns: which cells to star in tables of any size.

A pattern is a set of starred columns and the values of the others. Each row fits one pattern for
each set; it is published as one of them, which k rows must share, and the fewer stars it has, the
better. That is a facility location problem with lower bounds: patterns are opened and closed, and
rows go to the cheapest open one they fit. Start from the first groups of `best`; then go
through sets of columns and open each pattern that pays (see `methods.cells.cell_search_kernel`).
"""

from __future__ import annotations

from math import ceil, log2
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.asked import Asked
from indistinct.methods.common.demands import beyond_rows, compiled, tally_for
from indistinct.methods.common.linked_groups import linked
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.cells.starring_kernel import Stars
    from indistinct.methods.common.deadline import Deadline

MOST_COLUMNS = 62
MOST_MASKS = 1 << 10
FIRST_MASKS = 4


class PatternSearch:
    """Groups of rows, published as patterns, being improved."""

    def __init__(self, problem: Problem, groups: NDArray[np.int32], seed: int) -> None:
        from indistinct.methods.cells import cell_search_kernel as cell_search
        from indistinct.methods.cells.buckets_kernel import PatternBuckets
        from indistinct.methods.cells.starring_kernel import reopen

        self._improve, self._reopen = cell_search.improve, reopen
        self._masks_tried = cell_search.Masks
        self._problem = problem
        self._k = least_respondents(problem.requirements)
        self._demands = beyond_rows(compiled(problem))
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._weights = np.array([column.weight for column in problem.table.quasi])
        rows, most = groups.size, max(groups.size // self._k, int(groups.max()) + 1) + 2
        self._stars = self._starred(groups, most)
        whole = np.zeros(most, dtype=np.int64)
        places = _power(2 * rows)
        self._buckets = PatternBuckets(
            turn=np.zeros(places, dtype=np.int64),
            keys=np.zeros(places, dtype=np.uint64),
            gainers=np.zeros(places, dtype=np.int32),
            lenders=np.zeros(places, dtype=np.int32),
            held=np.zeros(places, dtype=np.int32),
            following=np.zeros(rows, dtype=np.int32),
        )
        self._scratch = cell_search.ChangeScratch(
            seen=whole.copy(),
            gone=whole.copy(),
            taken=whole.copy(),
            there=whole.copy(),
            met=np.zeros(most + 1, dtype=np.int64),
            moving=np.zeros(rows + 1, dtype=np.int64),
            leaving=np.zeros(rows + 1, dtype=np.int64),
            to=np.zeros(rows, dtype=np.int64),
            other=np.zeros(rows),
            other_turn=np.zeros(rows, dtype=np.int64),
            marked=np.zeros(rows, dtype=np.int64),
            turn=np.zeros(3, dtype=np.int64),
        )
        self._reopen(self._stars)

    def _starred(self, groups: NDArray[np.int32], most: int) -> Stars:
        """Lay out the groups, with room for so many."""
        from indistinct.methods.cells.starring_kernel import Stars
        from indistinct.methods.common.linked_groups_kernel import BOX, SIZE

        records, rows = linked(self._problem.codes, groups, most)
        cells, star = self._numbers()
        places = _power(8 * most)
        gone = np.flatnonzero(records[:, SIZE] == 0)[::-1]
        free = np.zeros(most + 1, dtype=np.int32)
        free[: gone.size], free[-1] = gone, gone.size
        return Stars(
            records=np.ascontiguousarray(records[:, :BOX]),
            rows=rows,
            cells=cells,
            star=star,
            weights=self._weights,
            mask=np.zeros(most, dtype=np.int64),
            key=np.zeros(most, dtype=np.uint64),
            price=np.zeros(most),
            free=free,
            open_keys=np.zeros(places, dtype=np.uint64),
            open_group=np.full(places, -1, dtype=np.int32),
            taken=np.zeros(1, dtype=np.int64),
        )

    @property
    def _sizes(self) -> NDArray[np.int32]:
        from indistinct.methods.common.linked_groups_kernel import SIZE

        return self._stars.records[:, SIZE]

    @property
    def _of_row(self) -> NDArray[np.int32]:
        from indistinct.methods.common.linked_groups_kernel import GROUP

        return self._stars.rows[:, GROUP]

    def _numbers(self) -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
        """Draw a number for each value of each column, and for a star in each column."""
        cells = []
        for column in self._problem.table.quasi:
            drawn = self._random.integers(0, 2**64, column.hierarchy.size, dtype=np.uint64)
            cells.append(drawn[column.codes])
        stars = self._random.integers(0, 2**64, len(cells), dtype=np.uint64)
        return np.ascontiguousarray(np.stack(cells, axis=1)), stars

    def improve(self, deadline: Deadline) -> int:
        """Make one pass, dear masks first; return how many changes were made.

        Masks are tried a slice at a time, which changes nothing but when the clock is looked at.
        """
        used = self._used()
        masks = self._masks(used)
        prices = self._prices(masks)
        order = np.argsort(self._random.random(masks.size) / 2 - prices, kind="stable")
        self._reopen(self._stars)
        released = np.flatnonzero(self._of_row >= 0)
        weights = self._problem.table.kernel_weights
        asked = Asked(self._k, weights, self._demands, tally_for(self._demands))
        changes = 0
        for part in deadline.slices(masks.size, FIRST_MASKS):
            if part.start:
                self._scratch.turn[1] -= 1  # the kernel takes each call for a pass
            tried = self._masks_tried(masks[order[part]], prices[order[part]], used)
            state = (self._stars, self._buckets, self._scratch)
            changes += self._improve(*state, tried, released, asked)
        return int(changes)

    def _used(self) -> NDArray[np.int64]:
        """List the masks that groups have, cheapest first."""
        used = np.unique(self._stars.mask[self._sizes > 0])
        return used[np.argsort(self._prices(used), kind="stable")]

    def _masks(self, used: NDArray[np.int64]) -> NDArray[np.int64]:
        """List the masks to be tried: all of few columns, those like ones in use of many."""
        columns = self._weights.size
        if 1 << columns <= MOST_MASKS:
            return np.arange(1 << columns, dtype=np.int64)
        rows = np.bincount(np.searchsorted(np.sort(used), self._row_masks()), minlength=used.size)
        in_use = np.sort(used)[np.argsort(-rows, kind="stable")]
        flipped = in_use[:, None] ^ (np.int64(1) << np.arange(columns, dtype=np.int64))
        near = np.concatenate([in_use[:, None], flipped], axis=1).ravel()
        _, first = np.unique(near, return_index=True)
        return near[np.sort(first)][:MOST_MASKS]

    def _row_masks(self) -> NDArray[np.int64]:
        return self._stars.mask[self._of_row[self._of_row >= 0]]

    def _prices(self, masks: NDArray[np.int64]) -> NDArray[np.float64]:
        bits = masks[:, None] >> np.arange(self._weights.size, dtype=np.int64) & 1
        return np.asarray(bits @ self._weights, dtype=np.float64)

    def numbered(self) -> NDArray[np.int32]:
        """Return the group of each row, numbered without gaps; -1 for rows left out."""
        used = self._sizes > 0
        number = np.append(np.where(used, np.cumsum(used) - 1, -1), -1).astype(np.int32)
        return number[self._of_row]


def _power(least: int) -> int:
    return 1 << ceil(log2(max(least, 1024)))
