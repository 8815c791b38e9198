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

from indistinct.methods.common.demands import beyond_rows, compiled, tally_for
from indistinct.methods.common.judge import least_respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline

MOST_COLUMNS = 62
MOST_MASKS = 1 << 10
FIRST_MASKS = 4


class PatternSearch:
    """Groups of rows, published as patterns, being improved."""

    def __init__(self, problem: Problem, groups: NDArray[np.int32], seed: int) -> None:
        from indistinct.methods.cells import cell_search_kernel as reopening
        from indistinct.methods.cells import starring_kernel as starring

        self._improve, self._reopen = reopening.improve, starring.reopen
        self._problem = problem
        self._k = least_respondents(problem.requirements)
        self._demands = beyond_rows(compiled(problem))
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._weights = np.array([column.weight for column in problem.table.quasi])
        self._rows = starring.Rows(
            problem.codes, *self._numbers(), np.ascontiguousarray(self._weights)
        )
        rows, most = groups.size, max(groups.size // self._k, int(groups.max()) + 1) + 2
        whole, none = np.zeros(most, dtype=np.int64), np.full(most, -1, dtype=np.int32)
        self._groups = starring.Groups(
            of_row=groups.copy(),
            size=np.zeros(most, dtype=np.int32),
            mask=whole.copy(),
            key=np.zeros(most, dtype=np.uint64),
            price=np.zeros(most),
            head=none.copy(),
            after=np.full(rows, -1, dtype=np.int32),
            before=np.full(rows, -1, dtype=np.int32),
            free=np.zeros(most + 1, dtype=np.int32),
        )
        places = _power(8 * most)
        self._table = starring.Open(
            np.zeros(places, dtype=np.uint64),
            np.full(places, -1, dtype=np.int32),
            np.zeros(1, dtype=np.int64),
        )
        places = _power(2 * rows)
        self._buckets = reopening.Buckets(
            turn=np.zeros(places, dtype=np.int64),
            keys=np.zeros(places, dtype=np.uint64),
            gainers=np.zeros(places, dtype=np.int32),
            lenders=np.zeros(places, dtype=np.int32),
            held=np.zeros(places, dtype=np.int32),
            following=np.zeros(rows, dtype=np.int32),
        )
        self._room = reopening.Room(
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
        starring.start(self._rows, self._groups, self._table)

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
        self._reopen(self._rows, self._groups, self._table)
        known = (self._rows, self._groups, self._table, self._buckets, self._room)
        released = np.flatnonzero(self._groups.of_row >= 0)
        asked = (used, released, self._demands, tally_for(self._demands), self._k)
        changes = 0
        for part in deadline.slices(masks.size, FIRST_MASKS):
            if part.start:
                self._room.turn[1] -= 1  # the kernel takes each call for a pass
            changes += self._improve(*known, masks[order[part]], prices[order[part]], *asked)
        return int(changes)

    def _used(self) -> NDArray[np.int64]:
        """List the masks that groups have, cheapest first."""
        used = np.unique(self._groups.mask[self._groups.size > 0])
        return used[np.argsort(self._prices(used), kind="stable")]

    def _masks(self, used: NDArray[np.int64]) -> NDArray[np.int64]:
        """List the masks to be tried: all of few columns, those like ones in use of many."""
        columns = self._weights.size
        if 1 << columns <= MOST_MASKS:
            return np.arange(1 << columns, dtype=np.int64)
        rows = np.bincount(np.searchsorted(np.sort(used), self._row_masks()), minlength=used.size)
        known = np.sort(used)[np.argsort(-rows, kind="stable")]
        flipped = known[:, None] ^ (np.int64(1) << np.arange(columns, dtype=np.int64))
        near = np.concatenate([known[:, None], flipped], axis=1).ravel()
        _, first = np.unique(near, return_index=True)
        return near[np.sort(first)][:MOST_MASKS]

    def _row_masks(self) -> NDArray[np.int64]:
        held = self._groups.of_row[self._groups.of_row >= 0]
        masks: NDArray[np.int64] = self._groups.mask[held]
        return masks

    def _prices(self, masks: NDArray[np.int64]) -> NDArray[np.float64]:
        bits = masks[:, None] >> np.arange(self._weights.size, dtype=np.int64) & 1
        return np.asarray(bits @ self._weights, dtype=np.float64)

    def numbered(self) -> NDArray[np.int32]:
        """Return the group of each row, numbered without gaps; -1 for rows left out."""
        used = self._groups.size > 0
        number = np.append(np.where(used, np.cumsum(used) - 1, -1), -1).astype(np.int32)
        found: NDArray[np.int32] = number[self._groups.of_row]
        return found


def _power(least: int) -> int:
    return 1 << ceil(log2(max(least, 1024)))
