"""Which rows of a class that is kept in part are released."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.judge import Judge
    from indistinct.methods.common.part_kernel import Kept


def kept_of_entries(
    problem: Problem,
    judge: Judge,
    of_entry: NDArray[np.int32],
    whole: NDArray[np.bool_],
    kept: Kept,
) -> NDArray[np.int64]:
    """Return how many rows of each entry are released.

    What a class keeps of a value is taken from its entries in a secret order. All of them are
    published alike, so that nobody sees from which.

    Parameters
    ----------
    of_entry
        The class of each entry, -1 where it is in none.
    whole
        Whether each class is kept as a whole, and last that what is in none is not.
    """
    weights = problem.table.row_counts
    rows = np.where(whole[of_entry], weights, 0)
    if not kept.of_class.size:
        return rows
    values = judge.column.codes
    size = len(judge.column.values)
    some = np.isin(of_entry, kept.of_class)
    order = np.arange(of_entry.size) if problem.mixed is None else problem.mixed
    entry = order[some[order]]
    keys = of_entry[entry].astype(np.int64) * size + values[entry]
    by_key = np.argsort(keys, kind="stable")
    entry, keys = entry[by_key], keys[by_key]
    asked = kept.of_class * size + kept.value
    place = np.argsort(asked)
    limit = kept.held[place][np.searchsorted(asked[place], keys)]
    before = np.cumsum(weights[entry]) - weights[entry]
    within = before - before[np.searchsorted(keys, keys)]  # rows of the value that come before
    rows[entry] = np.clip(limit - within, 0, weights[entry])
    return rows
