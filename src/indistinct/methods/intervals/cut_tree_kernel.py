"""One node of the tree of cut sets: what can be ruled out there, and where to branch.

k-Optimize (Bayardo and Agrawal 2005; Ciriani et al. 2007, section 4.1.1 and Figure 13): a node is
pruned by its bound; a cut of the tail is pruned if no set with it can be better, or if it is
useless; what is left is rearranged, so that the most promising cut is branched at first. A cut can
also be fixed: no set without it is better.

Invariant: whatever is fixed, the node keeps a best set below it unless none is better than the best
known by `slack`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.kernels.compiled import njit
from indistinct.methods.intervals.cut_bounds_kernel import joined_costs, left_out_costs, relaxed
from indistinct.methods.intervals.cut_cells_kernel import Cells, losers, settle
from indistinct.methods.intervals.cut_sets_kernel import CM

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.intervals.cut_sets_kernel import CutTask
    from indistinct.methods.intervals.cut_tree import Use

NOTHING = -1
BETTER = -2


@njit
def expand(
    task: CutTask,
    head: NDArray[np.bool_],
    every: NDArray[np.bool_],
    best: float,
    slack: float,
    use: Use,
    order: NDArray[np.int64],
) -> tuple[float, int, float, int]:
    """Work a node: fix what can be fixed, in place, and choose the cut to branch at.

    Parameters
    ----------
    head, every
        The cuts taken, and those that are taken or may be; both are changed.
    best, slack
        The cost to be beaten, by how much at least.
    use
        Whether to use bounds, our own stronger ones, useless-value removal and rearrangement.
    order
        The cuts in the order in which to branch, without rearrangement.

    Returns
    -------
    tuple
        A lower bound for all below, the cut to branch at (NOTHING if none is left), what the head
        costs and how many rows it suppresses. A head that beats the best ends this: the node
        is BETTER, and to be worked again.
    """
    bounds, stronger, useless, rearrange = use
    cells = Cells(task.places, task.counts, task.labels, np.zeros(1, dtype=np.int64))
    suppressed = np.int64(0)
    while True:
        cells, cost, dropped = settle(task, cells, head, every)
        suppressed += dropped
        cost += suppressed * task.penalty
        if suppressed > task.limit:
            return np.inf, NOTHING, np.inf, suppressed
        if cost < best - slack:
            return 0.0, BETTER, cost, suppressed
        lost = losers(task, cells, head, every)
        bound, unused, capacity = relaxed(task, cells, lost, head, every, not stronger)
        bound += suppressed * task.penalty
        if bounds and bound >= best - slack:
            return bound, NOTHING, cost, suppressed
        base = bound
        if task.kind == CM and stronger:
            unused_none = np.zeros(head.size, dtype=np.bool_)
            base = left_out_costs(task, cells, every, unused_none)[0]
            base += suppressed * task.penalty
        added = joined_costs(task, cells, head, every)
        changed = False
        chosen, score = NOTHING, -1.0
        for place in order:
            if not every[place] or head[place]:
                continue
            paid = 0.0
            for edge in range(lost.bounds[place], lost.bounds[place + 1]):
                paid += capacity[lost.cells[edge]]
            dear = bounds and bound + paid >= best - slack
            needed = bounds and stronger and (task.kind == CM or not unused[place])
            if (
                dear
                or suppressed + lost.rows[place] > task.limit
                or (useless and not lost.useful[place])
            ):
                every[place] = False
                changed = True
            elif needed and base + added[place] >= best - slack:
                head[place] = True
                changed = True
            elif not rearrange:
                if chosen < 0:
                    chosen = place
            else:
                gain = 0.0 if unused[place] else added[place]
                merit = min(gain, paid + task.penalty / 3) + 0.01 * added[place]
                if merit > score:
                    chosen, score = place, merit
        if not changed:
            return bound, chosen, cost, suppressed
