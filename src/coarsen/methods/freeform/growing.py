"""A first graph: boxes of one row each that grow by a perfect matching at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coarsen.methods.deadline import Deadline

    Codes = NDArray[np.uint16]
    Numbers = NDArray[np.uint32]
    Costs = tuple[NDArray[np.float32], Numbers, Numbers]

STEP, DEAREST = 0.3, 6.0
BIDS = 100
PIECE = 1000
BARRED = 1e6


def grown(
    costs: Costs,
    codes: Codes,
    near: Numbers,
    k: int,
    *,
    scale: float,
    deadline: Deadline,
) -> Numbers | None:
    """Return which k rows each box covers; nothing if that fails, or takes too long.

    As `freeform-hungarian` does, each round adds to every box a row, to each another one, so that
    all together grow nearly as little as they can. But a box bids only for the rows that make it
    grow least, of those near its own; who gets none of them takes what the others have left, or,
    if it has that already, what another box gives for it.

    Parameters
    ----------
    costs
        The cost of every span, and where and how wide each column's are.
    near
        For each row the rows nearest to it, nearest first.
    scale
        What rows near each other cost together, on average.
    """
    boxes = _Growing(costs, codes, near, k)
    for filled in range(1, k):
        if deadline.passed or not boxes.grow(filled, scale):
            return None
    return boxes.covered


class _Growing:
    """Boxes that cover ever more rows."""

    def __init__(self, costs: Costs, codes: Codes, near: Numbers, k: int) -> None:
        from coarsen._kernels import auction, growing

        self._auction, self._kernels = auction, growing
        rows = codes.shape[0]
        self.covered = np.empty((rows, k), dtype=np.uint32)
        self.covered[:, 0] = np.arange(rows)
        self._known, self._codes = (*costs, codes), codes
        self._near = near
        self._low, self._high = codes.copy(), codes.copy()
        self._rows = np.full(near.shape, -1, dtype=np.int32)
        self._growth = np.empty(near.shape, dtype=np.float32)

    def grow(self, filled: int, scale: float) -> bool:
        """Let each box cover one row more; tell whether that could be done."""
        from scipy.optimize import linear_sum_assignment

        boxes = (*self._known, self.covered, filled, self._low, self._high)
        self._kernels.cheapest(*boxes, self._near, self._rows, self._growth)
        step, dearest = np.float32(STEP * scale), np.float32(DEAREST * scale)
        bids = BIDS * self._near.shape[0]
        added = self._auction.assign(self._rows, self._growth, step, dearest, bids)
        for some_boxes, some_rows in _left(added):
            growth = self._kernels.growths(*boxes, some_boxes, some_rows, BARRED)
            one, two = linear_sum_assignment(growth)
            fits = growth[one, two] < BARRED
            added[some_boxes[one[fits]]] = some_rows[two[fits]]
            for box, row in zip(some_boxes[one[~fits]], some_rows[two[~fits]], strict=True):
                other = self._kernels.detour(*boxes, added, box, row)
                if other < 0:
                    return False
                added[box], added[other] = added[other], row
        self.covered[:, filled] = added
        self._kernels.widen(self._codes, self.covered[:, filled], self._low, self._high)
        return True


def _left(added: NDArray[np.int32]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the boxes that got no row and the rows no box got, a piece at a time."""
    boxes = np.flatnonzero(added < 0)
    if not boxes.size:
        return []
    rows = np.flatnonzero(np.bincount(added[added >= 0], minlength=added.size) == 0)
    pieces = -(-boxes.size // PIECE)
    return list(zip(np.array_split(boxes, pieces), np.array_split(rows, pieces), strict=True))
