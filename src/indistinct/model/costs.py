"""What a method minimizes: an additive cost per cell, by the node it is published as."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import Fault, PlanError
from indistinct.model.ncp import node_loss

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from indistinct.model.table import QuasiColumn

    NodeCost = Callable[[QuasiColumn, int], NDArray[np.float64]]


def gcp_cost(column: QuasiColumn, level: int) -> NDArray[np.float64]:
    """NCP of each node of a level, in the node form."""
    return node_loss(column.hierarchy, level)


def precision_cost(column: QuasiColumn, level: int) -> NDArray[np.float64]:
    """Level / height, the same for all nodes of a level (Sweeney's precision)."""
    height = max(column.hierarchy.height, 1)
    return np.full(len(column.hierarchy.labels[level]), level / height)


COSTS: dict[str, NodeCost] = {"gcp": gcp_cost, "precision": precision_cost}


def weighted_costs(column: QuasiColumn, cost: NodeCost) -> tuple[NDArray[np.float64], ...]:
    """Cost of every node on every level of a column, times the column's weight.

    Raises
    ------
    PlanError
        If a cost is outside 0 to 1, the cost of a suppressed cell.
    """
    costs = []
    for level in range(column.hierarchy.height + 1):
        values = np.ascontiguousarray(cost(column, level), dtype=np.float64)
        if values.shape != (len(column.hierarchy.labels[level]),):
            raise PlanError(
                Fault(f"loss of column {column.name!r}", "it needs one number per node")
            )
        if not ((values >= 0) & (values <= 1)).all():
            raise PlanError(Fault(f"loss of column {column.name!r}", "it is outside 0 to 1"))
        costs.append(values * column.weight)
    return tuple(costs)
