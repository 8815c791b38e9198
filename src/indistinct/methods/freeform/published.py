"""What the published methods share: an order of rows, cut into blocks, one matching at a time."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Annotated, ClassVar

import numpy as np
from pydantic import Field

from indistinct.methods.base import Method
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.freeform.regular import loss_of
from indistinct.model.recoding import Matching
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem


class Boxes:
    """The boxes of a block, which grow with each matching.

    Attributes
    ----------
    covered
        The row of each box in each matching, by places in the block.
    done
        How many matchings there are.
    arrays
        All of it but `done`, as kernels take it.
    """

    def __init__(self, problem: Problem, rows: NDArray[np.int32], k: int) -> None:
        from indistinct.methods.freeform.greedy_kernel import Boxes as Arrays

        codes = np.ascontiguousarray(problem.codes[rows])
        self.covered = np.full((rows.size, k), -1, dtype=np.int32)
        self.covered[:, 0] = np.arange(rows.size)
        self.arrays = Arrays(problem.spans.arrays, codes, codes.copy(), codes.copy(), self.covered)
        self.done = 1

    def growth(self) -> NDArray[np.float64]:
        """Return how much every row would make every box grow; infinite where it is covered."""
        from indistinct.methods.freeform.greedy_kernel import weights

        grown = np.empty((self.covered.shape[0], self.covered.shape[0]))
        weights(self.arrays, self.done, grown)
        return grown

    def add(self, box_of: NDArray[np.int64]) -> None:
        """Add a matching: the box of each row."""
        from indistinct.methods.freeform.greedy_kernel import grow

        self.covered[box_of, self.done] = np.arange(box_of.size)
        self.done += 1
        grow(self.arrays, box_of)


class Published(Method):
    """A graph built in k - 1 iterations, each of which adds a perfect matching (section 5).

    Rows stand in lexicographic order, the columns of fewest values first, and are cut into blocks
    that are solved independently: what they cost is quadratic, or worse, in rows.

    Parameters
    ----------
    block
        How many rows a block has at most.
    """

    decides: ClassVar[str] = "which k rows each published row covers"
    keeps: ClassVar[tuple[str, ...]] = ("k-anonymity",)
    paper: ClassVar[str] = "Doka, Xue, Tsoumakos, Karras, ASIA CCS 2015"

    groups_rows: ClassVar[bool] = True
    matches_rows: ClassVar[bool] = True

    block: Annotated[int, Field(ge=2)] = 2000

    def search(self, problem: Problem) -> Matching:
        """Solve block after block."""
        require_possible(problem)
        k = least_respondents(problem.requirements)
        blocks = _blocks(problem, max(self.block, k), k)
        sources = np.empty((problem.table.entries, k), dtype=np.int32)
        for number, rows in enumerate(blocks):
            sources[rows] = rows[self._solved(problem, rows, k)]
            problem.progress.advance((number + 1) / len(blocks))
        told = {"loss": loss_of(problem, sources), "blocks": len(blocks)}
        return Matching(sources, told)

    def _solved(self, problem: Problem, rows: NDArray[np.int32], k: int) -> NDArray[np.int32]:
        """Return what each row of a block covers, by places in the block."""
        boxes = Boxes(problem, rows, k)
        for _ in range(1, k):
            box_of = np.full(rows.size, -1, dtype=np.int64)
            self._matched(boxes, box_of)
            boxes.add(box_of)
        return boxes.covered

    @abstractmethod
    def _matched(self, boxes: Boxes, box_of: NDArray[np.int64]) -> None:
        """Match every row to a box that does not cover it yet."""


def _blocks(problem: Problem, most: int, k: int) -> list[NDArray[np.int32]]:
    """Cut the rows, in order, into blocks of about equal size, none smaller than k."""
    columns = [column.codes for column in problem.table.quasi]
    by_values = sorted(columns, key=lambda codes: -np.unique(codes).size)
    order = np.lexsort(by_values).astype(np.int32)
    count = max(1, min(-(-order.size // most), order.size // k))
    return np.array_split(order, count)
