"""freeform-greedy and freeform-sortgreedy: each row takes the box that it makes grow least."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import numpy as np
from pydantic import Field

from indistinct.methods.freeform.published import Published

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.freeform.published import Boxes


class FreeformGreedy(Published):
    """Rows, one after the other, are matched to the free box that they make grow least.

    Algorithm 1 with its backtracking: where no box is left for a row, the nearest earlier row that
    can take another box gives up its own. Where none can, which the paper's Lemma 5.1 excludes for
    n much larger than k, a chain of rows hands on boxes. Costs O(k n b) for n rows in blocks of b.

    References
    ----------
    Doka, Xue, Tsoumakos, Karras: k-anonymization by freeform generalization, ASIA CCS 2015,
    section 5, Algorithm 1.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical
    >>> plan = {
    ...     "columns": {
    ...         "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
    ...         "sex": {"role": "quasi", "hierarchy": "flat"},
    ...         "marital": {"role": "other"},
    ...         "disease": {"role": "sensitive"},
    ...     },
    ...     "require": [{"model": "k-anonymity", "k": 2}],
    ...     "method": {"name": "freeform-greedy"},
    ... }
    >>> release = anonymize(medical(), plan)
    >>> release.recoding.sources.shape, release.verified.holds
    ((10, 2), True)
    """

    name: Literal["freeform-greedy"] = "freeform-greedy"
    block: Annotated[int, Field(ge=2)] = 10_000

    def _matched(self, boxes: Boxes, box_of: NDArray[np.int64]) -> None:
        from indistinct.methods.freeform.greedy_kernel import match_greedily

        row_of = np.full(box_of.size, -1, dtype=np.int64)
        match_greedily(boxes.arrays, boxes.done, box_of, row_of, _scratch(box_of.size))


class FreeformSortGreedy(Published):
    """All pairs are sorted by the growth they cause, and taken in that order while both are free.

    What is left over is settled by the backtracking of `freeform-greedy`. Costs O(k n b log b) for
    n rows in blocks of b, and 16 bytes for each pair of rows of a block.

    References
    ----------
    Doka, Xue, Tsoumakos, Karras: k-anonymization by freeform generalization, ASIA CCS 2015:
    SortGreedy.
    """

    name: Literal["freeform-sortgreedy"] = "freeform-sortgreedy"

    def _matched(self, boxes: Boxes, box_of: NDArray[np.int64]) -> None:
        from indistinct.methods.freeform.greedy_kernel import match_sorted, settle_all

        edges = np.argsort(boxes.growth(), axis=None, kind="stable")
        row_of = np.full(box_of.size, -1, dtype=np.int64)
        match_sorted(boxes.arrays, boxes.done, box_of, row_of, edges)
        settle_all(boxes.arrays, boxes.done, box_of, row_of, _scratch(box_of.size))


def _scratch(rows: int) -> NDArray[np.int64]:
    """Return the arrays in which chains of rows are looked for."""
    return np.empty((2, rows + 1), dtype=np.int64)
