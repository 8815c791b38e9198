"""NCP, the normalized certainty penalty of a cell, in its four forms.

A cell loses nothing as a ground value and everything when suppressed. Between the two the loss
depends on how the value is published (Ghinita et al. 2009, section 2; Doka et al. 2015, section 3):

- *node*: leaves under the published node / leaves of the whole hierarchy, 0 for a ground value;
  where leaves are coarser than the data (months of dates), the values under them are counted;
- *range*: (high - low) / (largest - smallest value observed), of the ends that are published, as
  far as they lie between those two;
- *set*: (number of values - 1) / (number of values of the domain - 1);
- *star*: 1 if the cell is starred, 0 if it is published as it is.

A figure without its form means nothing; every place that shows one names it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.hierarchy import Hierarchy


def node_loss(hierarchy: Hierarchy, level: int) -> NDArray[np.float64]:
    """NCP of every node of a level.

    A leaf that stands for itself on a higher level (to fill an uneven hierarchy) is still a ground
    value and loses nothing.

    >>> from indistinct.hierarchy import Hierarchy
    >>> europe = [[c, "Europe", "*"] for c in ("Italy", "France", "Spain")]
    >>> america = [[c, "America", "*"] for c in ("US", "Canada")]
    >>> h = Hierarchy.from_paths(europe + america)
    >>> [node_loss(h, level).tolist() for level in range(3)]
    [[0.0, 0.0, 0.0, 0.0, 0.0], [0.6, 0.4], [1.0]]
    """
    if hierarchy.raw is not None:
        held = np.bincount(hierarchy.nodes[level], hierarchy.held)
        return np.where(held > 1, held / hierarchy.raw.size, 0.0)
    loss = hierarchy.node_sizes(level) / hierarchy.size
    loss[hierarchy.nodes[level][hierarchy.stands_for_itself(level)]] = 0.0
    return loss


def range_loss(
    low: NDArray[np.float64], high: NDArray[np.float64], observed: tuple[float, float]
) -> NDArray[np.float64]:
    """NCP of ranges over a number line whose observed values span `observed`.

    >>> range_loss(np.array([20.0, 30.0]), np.array([20.0, 50.0]), (10.0, 90.0))
    array([0.  , 0.25])
    """
    span = observed[1] - observed[0]
    return (high - low) / span if span > 0 else np.zeros_like(high)


def set_loss(sizes: NDArray[np.int64], domain: int) -> NDArray[np.float64]:
    """NCP of published sets of so many values out of a domain.

    >>> set_loss(np.array([1, 2, 5]), 5)
    array([0.  , 0.25, 1.  ])
    """
    return (sizes - 1) / (domain - 1) if domain > 1 else np.zeros(sizes.size)
