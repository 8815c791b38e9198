"""How much each column tells about one that the recipients of a release want to predict.

A release that is to serve a model of one column should keep most of the columns that tell about
it: those get a greater weight. What a column tells is its mutual information with that column,
less what chance alone would give; numbers and dates of many values are looked at in bins.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.hierarchy.order import positions

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from indistinct.io.encoding import Encoded

BINS = 20
LEAST_WEIGHT = 0.05


def weights_for(target: Encoded, columns: Mapping[str, Encoded]) -> dict[str, float] | None:
    """Weigh columns by what they tell about a target: the one that tells most has the weight 1.

    None if no column tells more than chance would have it.
    """
    wanted = _binned(target)
    told = {name: information(_binned(column), wanted) for name, column in columns.items()}
    most = max(told.values(), default=0.0)
    if most <= 0:
        return None
    return {name: max(round(one / most, 2), LEAST_WEIGHT) for name, one in told.items()}


def information(one: NDArray[np.int64], two: NDArray[np.int64]) -> float:
    """Return the mutual information of two columns of codes, less what chance gives; in nats.

    Columns that know nothing of each other seem to share (a - 1)(b - 1) / 2n, for a and b values
    in n rows (Miller 1955).

    >>> same, apart = np.array([0, 0, 1, 1] * 50), np.array([0, 1, 0, 1] * 50)
    >>> round(information(same, same), 2), information(same, apart)
    (0.69, 0.0)
    """
    pairs, counts = np.unique(np.stack([one, two]), axis=1, return_counts=True)
    rows_of_one, rows_of_two = np.bincount(one), np.bincount(two)
    expected = rows_of_one[pairs[0]] / one.size * rows_of_two[pairs[1]]
    shared = float(counts @ np.log(counts / expected)) / one.size
    values = np.count_nonzero(rows_of_one), np.count_nonzero(rows_of_two)
    by_chance = (values[0] - 1) * (values[1] - 1) / (2 * one.size)
    return float(max(shared - by_chance, 0.0))


def _binned(column: Encoded) -> NDArray[np.int64]:
    """Return codes; numbers and dates of many values in bins of about equally many rows."""
    kind, place = positions(column.domain.known)
    if kind == "category" or place.size <= BINS:
        return column.codes.astype(np.int64)
    known = np.array([value is not None for value in column.domain.values])
    order = np.flatnonzero(known)[np.argsort(place, kind="stable")]
    counts = column.domain.counts[order]
    bins = np.full(known.size, BINS, dtype=np.int64)  # the missing value has a bin of its own
    bins[order] = (np.cumsum(counts) - counts) * BINS // counts.sum()
    return bins[column.codes]
