"""Walking the lattice of level vectors column by column.

A step of a walk fixes the levels of the first columns of some order and leaves the others at the
top of their hierarchies. Suppression required there is a lower bound for every vector that agrees
on the fixed columns, because required suppression can only grow when a column becomes finer (001,
Theorem 5.2): rows dropped at a step stay dropped below it. The cost of a step counts the columns
not yet fixed as free, so it bounds the loss of all those vectors from below, and is the loss
itself once every column is fixed.

Each step refines the classes of the one before by a single column, on the distinct rows over the
fixed columns only: no key of many columns is ever formed, and the first steps are on tiny tables.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from coarsen.methods.base import Problem

WORTH_A_THREAD = 20_000


@dataclass(frozen=True, eq=False)
class Step:
    """A place on a walk.

    Attributes
    ----------
    levels
        The levels of the fixed columns, in the order of the walk.
    dropped
        The rows that must be left out, at least.
    cost
        The summed cost of all cells of fixed columns and of all suppressed cells, at least.
    """

    levels: tuple[int, ...]
    dropped: int
    cost: float
    state: Any


class Walk(Protocol):
    """A way to walk the lattice under some requirements."""

    order: tuple[int, ...]

    def root(self) -> Step:
        """Stand at the top of the lattice: no column fixed, all rows one class."""

    def child(self, step: Step, level: int) -> Step:
        """Fix the next column at a level."""

    def children(self, step: Step, levels: Iterable[int]) -> Iterator[Step]:
        """Fix the next column at several levels, one after the other."""

    def kept(self, step: Step) -> NDArray[np.bool_]:
        """Tell which rows of the table stay at a step."""


def walk(problem: Problem, order: Sequence[int]) -> Walk:
    """Choose the way to walk: by counting rows if that is enough, else by counting respondents."""
    if len(problem.table.sets) == 1 and not problem.table.has_respondents:
        return CountingWalk(problem, order)
    return RespondentWalk(problem, order)


def smallest_class(problem: Problem) -> int:
    """Return the largest k that is asked for."""
    from coarsen.requirements import KAnonymity

    return max(r.k for r in problem.requirements if isinstance(r, KAnonymity))


@dataclass(frozen=True, eq=False)
class Prefix:
    """The distinct rows over the first columns of an order.

    Attributes
    ----------
    up
        For each of them, its distinct row over one column less.
    codes
        Its code in the last of the columns.
    counts
        How many rows of the table it stands for.
    """

    up: NDArray[np.int32]
    codes: NDArray[np.int32]
    counts: NDArray[np.int64]


class CountingWalk:
    """A walk for one quasi-identifier where every row is another respondent."""

    def __init__(self, problem: Problem, order: Sequence[int]) -> None:
        from coarsen._kernels.refining import refine

        self.order = tuple(order)
        self._problem = problem
        self._refine = refine
        self._k = smallest_class(problem)
        self._cells = float(sum(problem.suppressed_cell))
        self._pool = ThreadPoolExecutor(max_workers=2)
        distinct = problem.table.frequency_set
        self._inverse = distinct.inverse
        self._order = distinct.sorted_by(order)
        self._prefixes = prefixes(
            [distinct.codes[column][self._order] for column in order], distinct.counts[self._order]
        )

    def root(self) -> Step:
        """Stand at the top."""
        rows = self._problem.table.rows
        dropped = rows if rows < self._k else 0
        start = np.full(1, -1 if dropped else 0, dtype=np.int32)
        return Step((), dropped, dropped * self._cells, (start, np.zeros(1)))

    def child(self, step: Step, level: int) -> Step:
        """Fix the next column at a level."""
        depth = len(step.levels)
        column = self.order[depth]
        prefix = self._prefixes[depth]
        classes, costs, dropped, cost = self._refine(
            prefix.up,
            prefix.codes,
            prefix.counts,
            self._problem.table.quasi[column].hierarchy.nodes[level],
            self._problem.costs[column][level],
            *step.state,
            self._k,
        )
        total = cost + dropped * self._cells
        return Step((*step.levels, level), dropped, total, (classes, costs))

    def children(self, step: Step, levels: Iterable[int]) -> Iterator[Step]:
        """Fix the next column at several levels; on both cores where tables are large."""
        if self._prefixes[len(step.levels)].codes.size < WORTH_A_THREAD:
            return (self.child(step, level) for level in levels)
        return self._pool.map(lambda level: self.child(step, level), levels)

    def kept(self, step: Step) -> NDArray[np.bool_]:
        """Tell which rows of the table stay at a vector."""
        kept = np.empty(self._order.size, dtype=bool)
        kept[self._order] = step.state[0] >= 0
        return kept[self._inverse]


def prefixes(columns: list[NDArray[np.int32]], counts: NDArray[np.int64]) -> list[Prefix]:
    """List the distinct rows over the first one, two, ... columns of sorted distinct rows."""
    change = np.full(counts.size, len(columns))
    for place in reversed(range(len(columns))):
        codes = columns[place]
        change[1:][codes[1:] != codes[:-1]] = place
    change[:1] = 0
    number = np.zeros(counts.size, dtype=np.int32)
    found = []
    for place, codes in enumerate(columns):
        starts = np.flatnonzero(change <= place)
        found.append(Prefix(number[starts], codes[starts], np.add.reduceat(counts, starts)))
        number = (np.cumsum(change <= place) - 1).astype(np.int32)
    return found


class RespondentWalk:
    """A walk for several quasi-identifiers, or respondents with several rows.

    Leaving a row out for one quasi-identifier may break a class of another, and a respondent may
    have rows in several classes, so the rows to drop are found by repetition: drop the rows of all
    classes that fail, count again, until none fails. What is left is the largest set of rows that
    satisfies every quasi-identifier, since a union of such sets is one too; for the same reason it
    can only grow as columns become coarser.
    """

    def __init__(self, problem: Problem, order: Sequence[int]) -> None:
        from coarsen._kernels.ranking import rank_keys

        self.order = tuple(order)
        self._problem = problem
        self._rank = rank_keys
        self._k = smallest_class(problem)
        self._cells = float(sum(problem.suppressed_cell))
        rows = problem.table.rows
        self._people = [
            np.arange(rows, dtype=np.int32) if group.respondents is None else group.respondents
            for group in problem.table.sets
        ]

    def root(self) -> Step:
        """Stand at the top."""
        rows = self._problem.table.rows
        classes = [np.zeros(rows, dtype=np.int32) for _ in self._problem.table.sets]
        return self._step((), classes, np.ones(rows, dtype=bool), np.zeros(rows))

    def child(self, step: Step, level: int) -> Step:
        """Fix the next column at a level."""
        classes, kept, cost = step.state
        column = self.order[len(step.levels)]
        quasi = self._problem.table.quasi[column]
        nodes = quasi.hierarchy.nodes[level][quasi.codes]
        width = len(quasi.hierarchy.labels[level])
        split = [
            self._rank(before * np.int64(width) + nodes)[0] if column in group.columns else before
            for before, group in zip(classes, self._problem.table.sets, strict=True)
        ]
        return self._step(
            (*step.levels, level), split, kept, cost + self._problem.costs[column][level][nodes]
        )

    def children(self, step: Step, levels: Iterable[int]) -> Iterator[Step]:
        """Fix the next column at several levels, one after the other."""
        return (self.child(step, level) for level in levels)

    def kept(self, step: Step) -> NDArray[np.bool_]:
        """Tell which rows of the table stay at a vector."""
        kept: NDArray[np.bool_] = step.state[1]
        return kept

    def _step(
        self,
        levels: tuple[int, ...],
        classes: list[NDArray[np.int32]],
        kept: NDArray[np.bool_],
        cost: NDArray[np.float64],
    ) -> Step:
        kept = self._largest_safe(classes, kept)
        dropped = int(kept.size - np.count_nonzero(kept))
        total = float(cost[kept].sum()) + dropped * self._cells
        return Step(levels, dropped, total, (classes, kept, cost))

    def _largest_safe(
        self, classes: list[NDArray[np.int32]], kept: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        while True:
            before = np.count_nonzero(kept)
            for of_row, people in zip(classes, self._people, strict=True):
                kept = kept & self._in_large_class(of_row, people, kept)
            if np.count_nonzero(kept) == before:
                return kept

    def _in_large_class(
        self, of_row: NDArray[np.int32], people: NDArray[np.int32], kept: NDArray[np.bool_]
    ) -> NDArray[np.bool_]:
        pairs = of_row[kept].astype(np.int64) * (int(people.max(initial=0)) + 1) + people[kept]
        _, first = self._rank(pairs)
        heads = np.bincount(of_row[kept][first], minlength=int(of_row.max(initial=0)) + 1)
        return (heads >= self._k)[of_row]
