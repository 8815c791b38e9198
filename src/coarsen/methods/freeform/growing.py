"""A first graph: boxes of one row each that grow by a perfect matching at a time."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from coarsen.methods.deadline import Deadline

    Costs = tuple[NDArray[np.float32], NDArray[np.int64], NDArray[np.int64]]

CANDIDATES = 64
LOOKED_AT = 256
LEAST_NEAR, MOST_NEAR = 32, 64
STEP, DEAREST = 0.15, 6.0
BIDS = 100
PIECE = 1000
BARRED = 1e6


def grown(
    costs: Costs,
    codes: NDArray[np.int16],
    near: NDArray[np.int32],
    k: int,
    *,
    scale: float,
    deadline: Deadline,
) -> NDArray[np.int32] | None:
    """Return which k rows each box covers; nothing if that fails, or takes too long.

    As `freeform-hungarian` does, each round adds to every box a row, to each another one, so that
    all together grow nearly as little as they can. But a box bids only for the rows that make it
    grow least, of those near its own; who gets none of them takes what the others have left.

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

    def __init__(
        self, costs: Costs, codes: NDArray[np.int16], near: NDArray[np.int32], k: int
    ) -> None:
        from coarsen._kernels import auction, growing

        self._auction, self._kernels = auction, growing
        rows = codes.shape[0]
        self.covered = np.empty((rows, k), dtype=np.int32)
        self.covered[:, 0] = np.arange(rows)
        self._known = (*costs, codes)
        self._near = near
        self._low, self._high = codes.copy(), codes.copy()
        self._cost = np.zeros(rows, dtype=np.float32)
        self._rows = np.empty((rows, CANDIDATES), dtype=np.int32)
        self._growth = np.empty((rows, CANDIDATES), dtype=np.float32)

    def grow(self, filled: int, scale: float) -> bool:
        """Let each box cover one row more; tell whether that could be done."""
        from scipy.optimize import linear_sum_assignment

        spans = (self._low, self._high, self._cost)
        boxes = (*self._known, self.covered, filled, *spans)
        near = self._near[:, : min(max(LOOKED_AT // filled, LEAST_NEAR), MOST_NEAR)]
        self._kernels.cheapest(*boxes, near, self._rows, self._growth)
        step, dearest = np.float32(STEP * scale), np.float32(DEAREST * scale)
        bids = BIDS * near.shape[0]
        added = self._auction.assign(self._rows, self._growth, step, dearest, bids)
        for some_boxes, some_rows in _left(added):
            growth = self._kernels.growths(*boxes, some_boxes, some_rows, BARRED)
            one, two = linear_sum_assignment(growth)
            if growth[one, two].max() >= BARRED:
                return False
            added[some_boxes[one]] = some_rows[two]
        self.covered[:, filled] = added
        self._kernels.widen(*self._known, added, *spans)
        return True


def _left(added: NDArray[np.int32]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return the boxes that got no row and the rows no box got, a piece at a time."""
    boxes = np.flatnonzero(added < 0)
    if not boxes.size:
        return []
    rows = np.flatnonzero(np.bincount(added[added >= 0], minlength=added.size) == 0)
    pieces = -(-boxes.size // PIECE)
    return list(zip(np.array_split(boxes, pieces), np.array_split(rows, pieces), strict=True))
