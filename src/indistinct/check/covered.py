"""Which values of a column each of some cells covers, as runs of codes.

A cell that is a range or a node covers one run of them, whatever their number: a table of cells by
values would outgrow the memory on a column of many values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    Run = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Covered:
    """What cells cover of so many values.

    Attributes
    ----------
    size
        How many values the column has.
    first
        Where the runs of each cell begin, and at the end how many runs there are.
    low, high
        The first and the last value of each run; those of one cell lie apart, in order.
    """

    size: int
    first: NDArray[np.int64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]

    @classmethod
    def of_runs(cls, size: int, cells: Iterable[Sequence[Run]]) -> Covered:
        """Take the runs of each cell, in whatever order, also such that meet.

        >>> Covered.of_runs(9, [[(4, 6), (0, 1), (2, 2)], [], [(3, 8)]]).dense().sum(axis=1)
        array([6, 0, 6])
        """
        joined = [_apart(runs) for runs in cells]
        first = np.zeros(len(joined) + 1, dtype=np.int64)
        first[1:] = np.cumsum([len(runs) for runs in joined])
        ends = np.array([run for runs in joined for run in runs], dtype=np.int32).reshape(-1, 2)
        return cls(size, first, ends[:, 0].copy(), ends[:, 1].copy())

    @classmethod
    def of_table(cls, table: NDArray[np.bool_]) -> Covered:
        """Take for each cell which values it covers."""
        return cls.of_runs(table.shape[1], [runs_in(row) for row in table])

    def __len__(self) -> int:
        return self.first.size - 1

    def has(self, cells: NDArray[np.intp], codes: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Return for pairs of a cell and a value whether the one covers the other.

        >>> Covered.of_runs(9, [[(0, 1), (4, 6)]]).has(np.zeros(3, np.intp), np.array([1, 3, 4]))
        array([ True, False,  True])
        """
        if self.low.size == 0:
            return np.zeros(cells.size, dtype=bool)
        of_run = np.repeat(np.arange(len(self)), np.diff(self.first))
        keys = of_run * self.size + self.low
        run = np.searchsorted(keys, cells.astype(np.int64) * self.size + codes, "right") - 1
        inside: NDArray[np.bool_] = (run >= self.first[cells]) & (codes <= self.high[run])
        return inside

    def counts(self, times: NDArray[np.int64]) -> NDArray[np.int64]:
        """Count what each cell covers, given how often there is each value."""
        before = np.append(0, np.cumsum(times))
        of_runs = np.append(0, np.cumsum(before[self.high + 1] - before[self.low]))
        return np.diff(of_runs[self.first])

    def dense(self) -> NDArray[np.bool_]:
        """Spell it out: for each cell and value whether it is covered."""
        cells, codes = np.indices((len(self), self.size)).reshape(2, -1)
        return self.has(cells, codes).reshape(len(self), self.size)


def runs_in(covered: NDArray[np.bool_]) -> list[Run]:
    """List the runs of covered values.

    >>> runs_in(np.array([True, True, False, True]))
    [(0, 1), (3, 3)]
    """
    steps = np.diff(covered.astype(np.int8), prepend=0, append=0)
    first, last = np.flatnonzero(steps == 1), np.flatnonzero(steps == -1) - 1
    return list(zip(first.tolist(), last.tolist(), strict=True))


def _apart(runs: Sequence[Run]) -> Sequence[Run]:
    """Put runs in order, and those together that meet."""
    if len(runs) <= 1:
        return runs
    apart: list[Run] = []
    for low, high in sorted(runs):
        if apart and low <= apart[-1][1] + 1:
            apart[-1] = apart[-1][0], max(apart[-1][1], high)
        else:
            apart.append((low, high))
    return apart
