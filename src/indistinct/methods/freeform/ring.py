"""freeform-ring: rows in an order, each covering itself and the next k - 1."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from indistinct.methods.base import Method
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.orders import Named, mapped
from indistinct.methods.freeform.regular import loss_of
from indistinct.model.recoding import Matching
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from indistinct.methods.base import Problem


class FreeformRing(Method):
    """Rows in a one-dimensional order; row i covers rows i to i + k - 1, cyclically.

    The baseline (NH) that the paper compares with. Costs a sort.

    Parameters
    ----------
    mapping
        The order: `hilbert`, `idistance` or `lexicographic`.
    local
        Cut the order into groups of k to 2k - 1 rows, each a small ring, instead of one large one.

    References
    ----------
    Wong, Mamoulis, Cheung: Non-homogeneous generalization in privacy preserving data publishing,
    SIGMOD 2010; Doka et al. 2015.
    """

    decides: ClassVar[str] = "which k rows each published row covers"
    keeps: ClassVar[tuple[str, ...]] = ("k-anonymity",)
    paper: ClassVar[str] = "Wong, Mamoulis, Cheung, SIGMOD 2010"

    groups_rows: ClassVar[bool] = True
    matches_rows: ClassVar[bool] = True

    name: Literal["freeform-ring"] = "freeform-ring"
    mapping: Named = "hilbert"
    local: bool = False

    def search(self, problem: Problem) -> Matching:
        """Put the rows in order and let each cover the next ones."""
        require_possible(problem)
        k = least_respondents(problem.requirements)
        order = mapped(problem, self.mapping).order
        place = np.arange(order.size)
        count = order.size // k if self.local else 1
        ends = np.arange(1, count + 1) * order.size // count
        ring = np.searchsorted(ends, place, side="right")
        first, size = np.append(0, ends)[ring], np.diff(ends, prepend=0)[ring]
        sources = np.empty((order.size, k), dtype=np.int32)
        for step in range(k):
            sources[order, step] = order[first + (place - first + step) % size]
        return Matching(sources, {"loss": loss_of(problem, sources), "rings": count})
