"""What is asked of the groups that a search makes: enough rows and, where that is not all, more."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indistinct.methods.common.demands_kernel import DemandArrays, Tally


class Asked(NamedTuple):
    """What each group must satisfy.

    A kernel takes demands and tally out before its loop: each time it does, it counts references
    to all their arrays.

    Attributes
    ----------
    k
        How many rows a group has at least.
    weights
        How many rows each entry stands for; empty where each is one row.
    demands, tally
        All that is asked, and scratch to count it; `None` where k is all, so that no kernel that
        judges groups by their rows has to be compiled.
    """

    k: int
    weights: NDArray[np.int64]
    demands: DemandArrays | None
    tally: Tally | None
