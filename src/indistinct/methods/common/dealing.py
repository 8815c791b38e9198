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

    What a class keeps of a value is taken from its entries in proportion to their rows, and what is
    left over by rounding from the first ones of a secret order. So nobody who knows the method and
    everybody's quasi values knows whose rows went, and no place loses more of them than others.

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
    size = len(judge.column.values)
    order = np.arange(of_entry.size) if problem.mixed is None else problem.mixed
    entry = order[np.isin(of_entry, kept.of_class)[order]]
    keys = of_entry[entry].astype(np.int64) * size + judge.column.codes[entry]
    asked = kept.of_class * size + kept.value
    place = np.argsort(asked)
    number = np.searchsorted(asked[place], keys)
    rows[entry] = _in_proportion(weights[entry], number, kept.held[place])
    return rows


def _in_proportion(
    weights: NDArray[np.int64], of_part: NDArray[np.intp], wanted: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Take so many rows of each part, from its entries by their weights, the first ones one more.

    >>> weights, of_part = np.array([4, 1, 3, 1]), np.array([0, 0, 0, 1])
    >>> _in_proportion(weights, of_part, np.array([5, 1])).tolist()
    [3, 1, 1, 1]
    """
    whole = np.bincount(of_part, weights, minlength=wanted.size).astype(np.int64)
    taken, rest = np.divmod(weights * wanted[of_part], whole[of_part])
    missing = wanted - np.bincount(of_part, taken, minlength=wanted.size).astype(np.int64)
    rounded = np.flatnonzero(rest)
    rounded = rounded[np.argsort(of_part[rounded], kind="stable")]
    part = of_part[rounded]
    rank = np.arange(part.size) - np.searchsorted(part, part)
    taken[rounded[rank < missing[part]]] += 1
    return taken
