"""The groups of AC for l: grown along an order up to a bound, and evened out."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.linked_groups import empty_groups, lines_of
from indistinct.methods.common.pieces import Pieces

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.partition.accuracy import AccuracyBound
    from indistinct.methods.partition.accuracy_constrained_kernel import Sides


def evened_groups(
    problem: Problem,
    bound: AccuracyBound,
    order: NDArray[np.int32],
    held: NDArray[np.int32],
    values: int,
) -> Pieces:
    """Group the rows of an order within a bound, as diverse as neighbours can make each other.

    Parameters
    ----------
    held, values
        The sensitive value of each entry, and how many there are.
    """
    from indistinct.methods.partition.accuracy_constrained_kernel import (
        Ordered,
        accuracy_constrained,
    )

    arrays, rows = bound.arrays, problem.table.row_counts
    sides = _new_sides(problem, arrays.number.size, values)
    moved = np.zeros((2, rows.size), dtype=np.int64)
    groups: NDArray[np.int32] = accuracy_constrained(
        Ordered(lines_of(problem.codes), order, held, rows),
        problem.spans.arrays,
        arrays,
        sides,
        moved,
    )
    back, on = moved
    rows_to = np.stack([back, rows - back - on, on])
    step, entry = np.nonzero(rows_to)
    return Pieces.counted(entry, groups[entry] + step - 1, rows_to[step, entry])


def _new_sides(problem: Problem, codes: int, values: int) -> Sides:
    from indistinct.methods.partition.accuracy_constrained_kernel import NOWHERE, Sides

    entries, columns = problem.codes.shape
    by_value = np.zeros((2, values), dtype=np.int64)
    return Sides(
        records=empty_groups(2, columns),
        trial=empty_groups(1, columns),
        held=by_value.copy(),
        seen=np.zeros((2, codes), dtype=np.int64),
        shrunk=np.zeros(2, dtype=np.int64),
        waiting=np.empty((2, entries), dtype=np.int32),
        copies=np.empty((2, entries), dtype=np.int64),
        first=by_value.copy(),
        left=by_value.copy(),
        turn=by_value.copy(),
        stuck=np.full((2, values), NOWHERE, dtype=np.int64),
        ranked=np.arange(values, dtype=np.int64),
        origin=np.full(values, NOWHERE, dtype=np.int64),
    )
