"""Dividing counted entries into blocks that fit, by Mondrian cuts on the engine's coarse counts.

The engine puts entries together by bins of their values and counts these cells; cells are few, and
are cut here as Mondrian cuts rows: at the median of the widest column, both sides satisfying every
requirement. So each block, taken as one group, satisfies what is asked, shares being those of the
whole table, and equal quasi values are never parted. Where a block is still too large its own
values are put into finer bins, and it is cut again.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING, NoReturn

import numpy as np

from indistinct.errors import CannotMeetError, Fault
from indistinct.methods.common.asked import Asked
from indistinct.methods.common.demands import beyond_rows, demands, tally_for
from indistinct.methods.partition.mondrian import columns_of
from indistinct.methods.posing import pose_problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from indistinct.engine.base import BlockEngine, Cells
    from indistinct.methods.base import Problem
    from indistinct.model.columnwise import Columnwise
    from indistinct.plan import Plan

    Look = Callable[[], None]

LEAST_GROUPS = 50
"""How many of the smallest groups a block holds, if it can be cut so."""
FEWEST_CELLS, MOST_CELLS = 1 << 16, 1 << 21
SPARSE = 64
"""How many combinations of bins there may be for each cell; most of them hold nobody."""
LARGEST_KEY = 2**62
FEWEST_BINS = 2


@dataclass(frozen=True, eq=False)
class _Bins:
    """Values of each counted column put into bins.

    Attributes
    ----------
    of_code
        For each column, the bin of each of its values.
    middle
        For each column, a value in the middle of each bin, which stands for it.
    """

    of_code: tuple[NDArray[np.int32], ...]
    middle: tuple[NDArray[np.intp], ...]


class Dividing:
    """The entries that an engine counted, divided until every block fits.

    Parameters
    ----------
    names
        The counted columns, as the engine has them.
    """

    def __init__(
        self, engine: BlockEngine, table: Columnwise, plan: Plan, names: Sequence[str]
    ) -> None:
        self._engine = engine
        self._table = table
        self._plan = plan
        self._names = list(names)
        self._most = plan.most_distinct
        self._cells = min(max(self._most, FEWEST_CELLS), MOST_CELLS)
        columns = {c.name: c.codes for c in table.quasi}
        columns |= {c.name: c.codes for c in table.sensitive}
        self._codes = [columns[name] for name in self._names]
        self._judged = [name in {c.name for c in table.sensitive} for name in self._names]

    def blocks(self, look: Look) -> list[int]:
        """Divide until each block has few enough entries; return the blocks.

        Parameters
        ----------
        look
            Called now and then; raises if nobody waits any more.
        """
        done: list[int] = []
        waiting, last = [(0, self._count())], 0
        while waiting:
            look()
            block, size = waiting.pop()
            if size <= self._most:
                done.append(block)
                continue
            bins, cells = self._binned(block, size)
            of_cell = self._cut(cells, bins)
            count = int(of_cell.max(initial=0)) + 1
            if count == 1:
                self._refuse(size)
            self._engine.divide(bins.of_code, block, cells, (of_cell + last + 1).astype(np.int32))
            sizes = np.bincount(of_cell, cells.entries, count).astype(np.int64).tolist()
            waiting += [(last + 1 + number, size) for number, size in enumerate(sizes)]
            last += count
        return sorted(done)

    def _count(self) -> int:
        """Count all entries."""
        bins = [np.zeros(codes.size, dtype=np.int32) for codes in self._codes]
        cells = self._engine.cells(bins, 0, 1)
        return 0 if cells is None else int(cells.entries.sum())

    def _refuse(self, size: int) -> NoReturn:
        problem = (
            f"{size:,} distinct rows cannot be divided so that each part satisfies the requirements"
        )
        remedy = "Raise engine.max_distinct, relax the requirements, or round what is too fine."
        raise CannotMeetError(Fault("engine.max_distinct", problem, remedy))

    def _binned(self, block: int, size: int) -> tuple[_Bins, Cells]:
        """Put the entries of a block into cells, as many as may be."""
        rows = self._rows_by_value(block)
        most = LARGEST_KEY if size <= self._cells else SPARSE * self._cells
        sizes = [int(np.count_nonzero(held)) for held in rows]
        number = _first_number(sizes, self._judged, most)
        while True:
            bins = self._bins(rows, number)
            most = self._cells if number > FEWEST_BINS else size
            cells = self._engine.cells(bins.of_code, block, most)
            if cells is not None:
                return bins, cells
            number = max(number // 2, FEWEST_BINS)

    def _rows_by_value(self, block: int) -> list[NDArray[np.int64]]:
        """Count the rows of each value of each column in a block."""
        counts = self._table.counts or {}
        if block == 0:
            return [counts[name] for name in self._names]
        rows = []
        for place, codes in enumerate(self._codes):
            bins = [np.zeros(other.size, dtype=np.int32) for other in self._codes]
            bins[place] = np.arange(codes.size, dtype=np.int32)
            cells = self._engine.cells(bins, block, codes.size)
            if cells is None:
                raise AssertionError("a column has more bins than values")
            held = np.zeros(codes.size, dtype=np.int64)
            held[cells.bins[place]] = cells.rows
            rows.append(held)
        return rows

    def _bins(self, rows: Sequence[NDArray[np.int64]], number: int) -> _Bins:
        """Put the values of each column into so many bins of about as many rows."""
        made = [
            _exact_bins(codes) if judged else _even_bins(codes, held, number)
            for codes, judged, held in zip(self._codes, self._judged, rows, strict=True)
        ]
        return _Bins(tuple(of_code for of_code, _ in made), tuple(middle for _, middle in made))

    def _cut(self, cells: Cells, bins: _Bins) -> NDArray[np.int64]:
        """Cut cells into blocks; return the block of each cell."""
        codes = {
            name: bins.middle[place][cells.bins[place]].astype(np.int32)
            for place, name in enumerate(self._names)
        }
        problem = pose_problem(self._table.block(codes, cells.rows), self._plan)
        return _cut(problem, cells.entries, self._most)


def _first_number(sizes: Sequence[int], judged: Sequence[bool], most: int) -> int:
    """Return into how many bins columns are put at first, so that there are few combinations."""
    number = max(*sizes, FEWEST_BINS)
    pairs = list(zip(sizes, judged, strict=True))
    while prod(size if whole else min(size, number) for size, whole in pairs) > most:
        if number == FEWEST_BINS:
            break
        number = max(number // 2, FEWEST_BINS)
    return number


def _exact_bins(codes: NDArray[np.int32]) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Put values that have the same code into one bin."""
    _, first, of_code = np.unique(codes, return_index=True, return_inverse=True)
    return of_code.astype(np.int32), first


def _even_bins(
    codes: NDArray[np.int32], rows: NDArray[np.int64], number: int
) -> tuple[NDArray[np.int32], NDArray[np.intp]]:
    """Put values into so many runs of their codes with about as many rows each.

    >>> rows = np.array([1, 1, 1, 1, 4])
    >>> [part.tolist() for part in _even_bins(np.array([4, 3, 2, 1, 0]), rows, 2)]
    [[1, 1, 1, 1, 0], [4, 1]]
    """
    size = int(codes.max(initial=0)) + 1
    of_leaf = np.bincount(codes, rows, size)
    middle_row = np.cumsum(of_leaf) - of_leaf / 2
    held = of_leaf > 0
    bin_of_held = np.arange(np.count_nonzero(held))
    if bin_of_held.size > number:
        share = middle_row[held] / of_leaf.sum()
        bin_of_held = np.unique(np.floor(share * number), return_inverse=True)[1]
    bin_of_leaf = np.zeros(size, dtype=np.int32)
    bin_of_leaf[held] = bin_of_held
    of_code = bin_of_leaf[codes]
    by_leaf = np.lexsort((codes, of_code))
    by_leaf = by_leaf[held[codes[by_leaf]]]
    starts = np.searchsorted(of_code[by_leaf], np.arange(int(bin_of_leaf.max(initial=0)) + 2))
    return of_code, by_leaf[(starts[:-1] + starts[1:]) // 2]


def _cut(problem: Problem, entries: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    """Cut cells until each part has few enough entries, or cannot be cut; return their parts."""
    from indistinct.methods.partition.mondrian_kernel import cut_once, scratch_for

    asked = demands(problem)
    columns = columns_of(problem, strict=True)
    more = beyond_rows(asked)
    tally, rows = tally_for(more), problem.table.row_counts
    order = np.arange(entries.size, dtype=np.int32)
    scratch = scratch_for(columns, order.size)

    def cut(some: NDArray[np.int32], least: int) -> int:
        return cut_once(columns, Asked(least, asked.weights, more, tally), some, scratch)

    waiting, done = [(0, order.size)], []
    while waiting:
        low, high = waiting.pop()
        some = order[low:high]
        middle = cut(some, asked.least) if entries[some].sum() > most else 0
        if not middle:
            done.append((low, high))
            continue
        fewest = min(rows[some[:middle]].sum(), rows[some[middle:]].sum())
        if fewest < LEAST_GROUPS * asked.least:
            middle = cut(some, LEAST_GROUPS * asked.least) or cut(some, asked.least)
        waiting += [(low, low + middle), (low + middle, high)]
    part = np.empty(order.size, dtype=np.int64)
    for number, (low, high) in enumerate(sorted(done)):
        part[order[low:high]] = number
    return part
