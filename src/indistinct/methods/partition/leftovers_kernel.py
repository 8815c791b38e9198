"""Letting rows that are in no group yet join the group where they cost least, one after the other.

The last step of the first partition of `best`. Groups only grow, so those that satisfy by their
number of rows go on to do so; every other rule is asked anew. Lists and boxes are as
`linked_groups_kernel` says.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import njit
from indistinct.methods.common.linked_groups_kernel import (
    NONE,
    SIZE,
    WEIGHT,
    allowed,
    cost_of,
    cost_with,
    join,
    leave,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.common.asked import Asked
    from indistinct.methods.common.linked_groups_kernel import Groups


class Leftovers(NamedTuple):
    """Rows that are in no group yet.

    Attributes
    ----------
    rows, kinds
        The rows, and the kind of each: rows of one kind are refused alike.
    refused
        For each group and kind whether it is known to refuse; no kinds where that is not kept.
    """

    rows: NDArray[np.int64]
    kinds: NDArray[np.int64]
    refused: NDArray[np.bool_]


@njit
def place(
    table: NDArray[np.float64],
    groups: Groups,
    price: NDArray[np.float64],
    asked: Asked,
    leftovers: Leftovers,
) -> None:
    """Let each of some rows join the group where it costs least; it stays if none may take it."""
    records, rows = groups.records, groups.rows
    demands, tally = asked.demands, asked.tally
    kinds, refused = leftovers.kinds, leftovers.refused
    known = refused.shape[1] > 0
    for turn in range(leftovers.rows.size):
        row = leftovers.rows[turn]
        weight = np.int64(rows[row, WEIGHT])
        best, target = np.inf, NONE
        for there in range(refused.shape[0]):
            size = records[there, SIZE]
            if size == 0 or (known and refused[there, kinds[turn]]):
                continue
            if price[there] < 0.0:
                price[there] = cost_of(table, records, there)
            now = price[there] * size
            limit = (best + now) / (size + weight)
            cost = cost_with(table, records, rows, there, row, limit)
            if cost >= limit:
                continue
            if not allowed(records, rows, demands, tally, there, NONE, row):
                if known:
                    refused[there, kinds[turn]] = True
                continue
            best, target = cost * (size + weight) - now, np.int64(there)
        if target >= 0:
            leave(records, rows, row)
            join(records, rows, row, target)
            price[target] = -1.0
            if known:  # a group that has changed may take what it refused before
                for kind in range(refused.shape[1]):
                    refused[target, kind] = False
