"""Few values of many: leaves put together into runs of neighbours."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.hierarchy import Hierarchy
    from indistinct.model.table import SensitiveColumn


def level_of_few(hierarchy: Hierarchy, most: int) -> int | None:
    """Find the finest level of at most so many nodes; None where only the top has so few."""
    for level, labels in enumerate(hierarchy.labels):
        if len(labels) == 1 and hierarchy.size > 1:
            return None
        if len(labels) <= most:
            return level
    return None


def equal_runs(size: int, most: int) -> NDArray[np.int64]:
    """Put ordered values into runs of the same length, but for rounding.

    >>> equal_runs(5, 2).tolist(), equal_runs(2, 4).tolist()
    ([0, 0, 0, 1, 1], [0, 1])
    """
    return np.arange(size) * min(most, size) // max(size, 1)


def bins_of(hierarchy: Hierarchy, most: int) -> NDArray[np.int64]:
    """Number the bin of each leaf: its node of the finest level of so few, or equal runs."""
    level = level_of_few(hierarchy, most)
    if level is None:
        return equal_runs(hierarchy.size, most)
    return hierarchy.nodes[level].astype(np.int64)


def bins_of_values(column: SensitiveColumn, most: int) -> NDArray[np.int64]:
    """Number the bin of each sensitive value."""
    if column.hierarchy is not None:
        return bins_of(column.hierarchy, most)
    return equal_runs(len(column.values), most)
