"""freeform-hungarian: each iteration adds the perfect matching of least growth."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import Field

from indistinct.methods.freeform.published import Published

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from indistinct.methods.freeform.published import Boxes


class FreeformHungarian(Published):
    """Each iteration finds the perfect matching that makes all boxes together grow least.

    By scipy's assignment solver (Jonker-Volgenant, the same optimum as the paper's Hungarian
    algorithm). Costs O(k n b^2) for n rows in blocks of b, and 16 bytes for each pair of rows of a
    block.

    References
    ----------
    Doka, Xue, Tsoumakos, Karras: k-anonymization by freeform generalization, ASIA CCS 2015:
    Hungarian.
    """

    name: Literal["freeform-hungarian"] = "freeform-hungarian"
    block: Annotated[int, Field(ge=2)] = 1000

    def _matched(self, boxes: Boxes, box_of: NDArray[np.int64]) -> None:
        from scipy.optimize import linear_sum_assignment

        rows, matched = linear_sum_assignment(boxes.growth())
        box_of[rows] = matched
