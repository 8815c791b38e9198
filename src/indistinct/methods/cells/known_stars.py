"""Stars where attackers know at most m columns: every m columns are alike in k rows or in none.

Three steps, at given levels. *Placing:* set of columns after set of columns, the cheapest first,
as many rows as can be are starred there: all those that are left, less those that show something
which fewer than k rows do, until none does. The more rows are placed, the more show what a row
shows, so these are the most that can be. *The rest*, fewer than k, are starred throughout with rows
that others can spare. *Revealing:* column after column, all stars are taken away, less those that
must come back, until no column gains. No bound is proven; `known_masks` has one to compare with.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.cells.known_masks import KnownMasks
    from indistinct.methods.cells.known_stars_kernel import Counts, Patterns
    from indistinct.methods.common.deadline import Deadline

SEED = 20090628
SLOTS = 1 << 16


class KnownStars:
    """The rows of a table at some levels, being starred.

    Parameters
    ----------
    masks
        What each row may show, each row counted by itself.
    k
        How many rows must be alike in all that is known together.

    Attributes
    ----------
    starred
        Which cells are starred.
    placed
        Which rows can be released with these stars.
    """

    def __init__(self, masks: KnownMasks, k: int) -> None:
        from indistinct.methods.cells import known_stars_kernel as kernel

        self._kernel = kernel
        self._masks, self._k = masks, k
        rows, columns = masks.cells.shape
        sets = masks.some.shape[0]
        drawn = np.random.Generator(np.random.PCG64(SEED))
        self.starred = np.zeros((rows, columns), dtype=np.bool_)
        self.placed = np.zeros(rows, dtype=np.bool_)
        self._patterns: Patterns = kernel.Patterns(
            masks.cells,
            drawn.integers(0, 2**64, (columns,), dtype=np.uint64),
            self.starred,
            masks.some,
            drawn.integers(0, 2**64, (sets,), dtype=np.uint64),
        )
        self._all = np.arange(sets)
        self._with = [np.flatnonzero((masks.some == c).any(axis=1)) for c in range(columns)]
        self._counts = _table(SLOTS)

    def place(self, deadline: Deadline) -> None:
        """Star each row as cheaply as rows can be together, the cheapest masks first."""
        for mask in self._masks.masks():
            left = np.flatnonzero(~self.placed)
            if not left.size:
                return
            if mask.all() or not deadline.passed:
                self._star(left[self._masks.fitting(mask, left)], mask)
        self._star_rest()

    def begin(self, starred: NDArray[np.bool_], placed: NDArray[np.bool_]) -> None:
        """Begin with stars that satisfy."""
        self.starred[:], self.placed[:] = starred, placed
        self._count(self._all, np.flatnonzero(placed), 1)

    def _star(self, rows: NDArray[np.intp], mask: NDArray[np.bool_]) -> None:
        """Place as many of the rows as can be with these stars."""
        self.starred[rows] = mask
        self.placed[rows] = True
        self._count(self._all, rows, 1)
        self._kernel.drop_rare(self._patterns, self._counts, self._all, rows, self.placed, self._k)

    def _star_rest(self) -> None:
        """Star what is left throughout, with rows that others can spare."""
        everything = np.ones(self._masks.weights.size, dtype=np.bool_)
        left = np.flatnonzero(~self.placed)
        stars = self.starred.sum(axis=1)
        for row in np.argsort(-stars, kind="stable"):
            if not left.size or left.size >= self._k:
                break
            if self.placed[row] and self._spared(row):
                left = np.append(left, row)
        self._star(left, everything)

    def _spared(self, row: int) -> bool:
        """Take a row out if the others then still show nothing that fewer than k do."""
        one = np.array([row])
        self._count(self._all, one, -1)
        if self._kernel.still_enough(self._patterns, self._counts, self._all, row, self._k):
            self.placed[row] = False
            return True
        self._count(self._all, one, 1)
        return False

    def reveal(self, deadline: Deadline) -> int:
        """Take stars away, column after column; return how many went."""
        gone, gained = 0, True
        while gained and not deadline.passed:
            gained = False
            stars = self.starred[self.placed].sum(axis=0)
            for column in np.argsort(-stars * self._masks.weights, kind="stable").tolist():
                if deadline.passed:
                    break
                shown = self._revealed(column)
                gone += shown
                gained |= shown > 0
        return gone

    def _revealed(self, column: int) -> int:
        rows, sets = np.flatnonzero(self.placed & self.starred[:, column]), self._with[column]
        self._count(sets, rows, -1)
        self.starred[rows, column] = False
        self._count(sets, rows, 1)
        counts = self._counts
        return int(
            self._kernel.settle_revealed(self._patterns, counts, sets, rows, column, self._k)
        )

    def _count(self, sets: NDArray[np.intp], rows: NDArray[np.intp], by: int) -> None:
        """Count what rows show, with a table that grows."""
        start = 0
        while True:
            start = self._kernel.count_rows(self._patterns, self._counts, sets, rows, by, start)
            if start == self._kernel.DONE:
                return
            larger = _table(4 * self._counts.keys.size)
            self._kernel.moved(self._counts, larger)
            self._counts = larger


def _table(size: int) -> Counts:
    from indistinct.methods.cells.known_stars_kernel import Counts

    return Counts(
        keys=np.zeros(size, dtype=np.uint64),
        used=np.zeros(size, dtype=np.bool_),
        counts=np.zeros(size, dtype=np.int32),
        wanted=np.zeros(size, dtype=np.bool_),
        taken=np.zeros(1, dtype=np.int64),
    )
