"""The best levels of whole columns, where the distinct rows are too many to be searched at once.

The engine counts at coarser levels, and the search goes up from vectors of levels below which no
release is. Three things are used, none of which loses the optimum.

1. A class of fewer rows than a release needs is suppressed, and raising a level only joins classes.
   So where some columns at some levels, the others at the top, leave more rows in such classes than
   may be suppressed, so does every vector that is nowhere above these levels: one of these columns
   must be higher. (Theorem 5.2 of Samarati 2001.)
2. What a cell costs grows with its level, and a suppressed cell costs no less than any. So the
   costs of all cells at the levels of a vector bound the cost of every vector above it.
3. If the entries at a vector fit, the vectors above it are searched here, as all are in a table
   that fits.

Vectors are taken in the order of that bound, from the lowest on. One that must be raised is
replaced by those one level above it; one that fits is done with all above it; and the rest is given
up when it cannot be better than the best.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from heapq import heappop, heappush
from itertools import combinations
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple, NoReturn

import numpy as np

from indistinct.errors import CannotMeetError, DataError, Fault
from indistinct.methods.base import ALL_MODELS, Method
from indistinct.methods.common.feasible import nothing_found
from indistinct.methods.full_domain.branch import Incumbent
from indistinct.methods.full_domain.walk import released, settled_at, walk
from indistinct.methods.posing import pose_problem
from indistinct.model.costs import COSTS
from indistinct.model.entries import put_together
from indistinct.publishing.showing import without_others
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.engine.base import BlockEngine, Cells
    from indistinct.methods.base import Problem
    from indistinct.model.columnwise import Columnwise
    from indistinct.model.recoding import LevelVector
    from indistinct.plan import Plan

    Vector = tuple[int, ...]
    Bins = list[NDArray[np.int32]]

MOST_COUNTS = 1_000
"""How often the engine counts before the search is given up."""


class AtLevels(Method):
    """The levels that were found, for a table that is as coarse as they are."""

    decides: ClassVar[str] = "nothing: levels are given"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "our own"

    name: Literal["at-levels"] = "at-levels"
    levels: tuple[int, ...]

    def search(self, problem: Problem) -> LevelVector:
        """Suppress what does not satisfy at these levels."""
        way = walk(problem, list(range(len(self.levels))))
        return released(problem, way.kept(settled_at(way, self.levels)), self.levels, {})


@dataclass(frozen=True)
class _Outcome:
    """The best vector above another, and what it costs."""

    dropped: int
    cost: float


class _Classes(NamedTuple):
    """How many classes there are, and how many rows are in those that are too small."""

    number: int
    dropped: int


class LevelSearch:
    """The search for the vector of least loss, of entries that stay with an engine.

    Parameters
    ----------
    names
        The counted columns, as the engine has them.
    look
        Called now and then; raises if nobody waits any more.
    """

    def __init__(
        self,
        engine: BlockEngine,
        table: Columnwise,
        plan: Plan,
        names: Sequence[str],
        look: Callable[[], None],
    ) -> None:
        self._engine = engine
        self._table = table
        self._plan = plan
        self._look = look
        self._problem = pose_problem(table, plan, loss=COSTS[plan.loss])
        self._least = least_respondents(plan.require)
        place = {column.name: i for i, column in enumerate(table.quasi)}
        self._quasi = [place.get(name) for name in names]
        self._codes = {c.name: c.codes for c in table.quasi}
        self._codes |= {c.name: c.codes for c in table.sensitive}
        self._names = list(names)
        self._means = [self._mean_costs(i) for i in range(len(table.quasi))]
        self._best: Incumbent[_Outcome] = Incumbent(self._problem)
        self._counted: dict[tuple[int, ...], dict[Vector, _Classes]] = {}
        self._failed: CannotMeetError | None = None
        self._held: Cells | None = None
        self._counts = 0
        self._facts: dict[str, Any] = {"proven_optimal": True}

    def best(self, method: Method) -> tuple[Vector, dict[str, Any]]:
        """Return the vector of least loss, and what there is to say about the search.

        Raises
        ------
        CannotMeetError
            If no vector satisfies.
        """
        start = self._lowest()
        waiting, seen, done = [(self._bound(start), start)], {start}, list[tuple[int, ...]]()
        while waiting:
            self._look()
            bound, vector = heappop(waiting)
            above = any(all(map(int.__le__, low, vector)) for low in done)
            if above or self._best.beats(bound, 0, sum(vector)):
                continue
            columns = self._forced(vector)
            if columns is None:
                self._search(vector, method)
                done.append(vector)
                continue
            for raised in self._raised(vector, columns):
                if raised not in seen:
                    seen.add(raised)
                    heappush(waiting, (self._bound(raised), raised))
        if self._best.outcome is None:
            raise self._failed or nothing_found(self._problem)
        facts = {"counts": self._counts, "searches": len(done)}
        return self._best.vector, self._facts | facts

    def bins(self, vector: Vector, columns: Sequence[int] | None = None) -> Bins:
        """Put values into bins by their nodes at some levels.

        Parameters
        ----------
        columns
            Put all values of other quasi columns, and all sensitive ones, into one bin.
        """
        made = []
        for name, place in zip(self._names, self._quasi, strict=True):
            codes = self._codes[name]
            if columns is not None and place not in columns:
                codes = np.zeros_like(codes)
            elif place is not None:
                codes = self._table.quasi[place].hierarchy.nodes[vector[place]][codes]
            made.append(np.unique(codes, return_inverse=True)[1].astype(np.int32))
        return made

    def final_bins(self, vector: Vector) -> Bins:
        """Put the values of each column into bins that are published alike at some levels.

        At level 0 values are published as they are, whatever the hierarchy takes them for.
        """
        return [
            np.arange(of_code.size, dtype=np.int32)
            if place is None or vector[place] == 0
            else of_code
            for place, of_code in zip(self._quasi, self.bins(vector), strict=True)
        ]

    def sizes_before(self) -> dict[int, int]:
        """Count the classes of the private table by size."""
        ground = (0,) * len(self._table.quasi)
        return self._engine.sizes(self.bins(ground, range(len(ground))))

    def _lowest(self) -> Vector:
        """Raise each column by itself as far as it must be."""
        counts = self._table.counts or {}
        lowest = []
        for column in self._table.quasi:
            hierarchy, level = column.hierarchy, 0
            while level < hierarchy.height:
                rows = np.bincount(hierarchy.nodes[level][column.codes], counts[column.name])
                if rows[rows < self._least].sum() <= self._problem.max_suppressed:
                    break
                level += 1
            lowest.append(level)
        return tuple(lowest)

    def _forced(self, vector: Vector) -> tuple[int, ...] | None:
        """Return columns one of which must be higher than here; None if entries here fit."""
        if known := self._known(vector):
            return known
        for columns in self._pairs(vector):
            if self._classes(vector, columns).dropped > self._problem.max_suppressed:
                return columns
        every, most = tuple(range(len(vector))), self._plan.most_distinct
        classes = self._classes(vector, every)
        if classes.number <= most:
            self._count()
            self._held = self._engine.cells(self.bins(vector), 0, most)
            if self._held is not None:
                return None
        if classes.dropped <= self._problem.max_suppressed:
            self._refuse(vector)
        return every

    def _pairs(self, vector: Vector) -> Iterator[tuple[int, ...]]:
        """Pair the columns that are not at the top, those of most values first."""
        heights = self._table.heights
        below = [i for i, level in enumerate(vector) if level < heights[i]]
        if len(vector) == len(below) == 2:  # a pair is all there is
            return
        nodes = {i: len(self._table.quasi[i].hierarchy.labels[vector[i]]) for i in below}
        yield from sorted(combinations(below, 2), key=lambda two: -nodes[two[0]] * nodes[two[1]])

    def _known(self, vector: Vector) -> tuple[int, ...] | None:
        """Return columns that were counted at levels not below these, and must be raised there."""
        limit = self._problem.max_suppressed
        for columns, counted in self._counted.items():
            levels = tuple(vector[i] for i in columns)
            for other, classes in counted.items():
                if classes.dropped > limit and all(map(int.__le__, levels, other)):
                    return columns
        return None

    def _classes(self, vector: Vector, columns: tuple[int, ...]) -> _Classes:
        """Count the classes of some columns at their levels alone."""
        counted = self._counted.setdefault(columns, {})
        levels = tuple(vector[i] for i in columns)
        if levels not in counted:
            self._count()
            sizes = self._engine.sizes(self.bins(vector, columns))
            dropped = sum(size * n for size, n in sizes.items() if size < self._least)
            counted[levels] = _Classes(sum(sizes.values()), dropped)
        return counted[levels]

    def _raised(self, vector: Vector, columns: Sequence[int]) -> Iterator[Vector]:
        for i in columns:
            if vector[i] < self._table.heights[i]:
                yield (*vector[:i], vector[i] + 1, *vector[i + 1 :])

    def _search(self, vector: Vector, method: Method) -> None:
        """Search the vectors above one at which the entries fit."""
        if self._held is None:
            raise AssertionError("entries are searched where they fit")
        problem = self._above(vector, self._held)
        try:
            chosen = method.search(problem)
        except CannotMeetError as error:  # no vector above it satisfies, or time ran out
            self._failed = error
            self._facts["proven_optimal"] &= error.faults[0].place != "method.time_limit"
            return
        table, cells = problem.table, problem.table.rows * sum(problem.suppressed_cell)
        dropped = table.rows - table.rows_where(chosen.kept)
        vector = chosen.column_levels or vector
        self._best.offer(_Outcome(dropped, chosen.search["loss"] * cells), vector)
        self._facts["proven_optimal"] &= chosen.search["proven_optimal"]

    def _above(self, vector: Vector, cells: Cells) -> Problem:
        """Put the problem of the entries at a vector, and of the vectors above it."""
        codes = {}
        for name, of_code, held in zip(self._names, self.bins(vector), cells.bins, strict=True):
            first = np.unique(of_code, return_index=True)[1]
            codes[name] = first[held].astype(np.int32)
        table = without_others(self._table.block(codes, cells.rows), self._plan.judged_columns())
        problem = pose_problem(put_together(table).table, self._plan, loss=COSTS[self._plan.loss])
        return replace(problem, lowest=vector)

    def _mean_costs(self, place: int) -> list[float]:
        """Return what all cells of a column cost together at each level."""
        column, costs = self._table.quasi[place], self._problem.costs[place]
        rows = (self._table.counts or {})[column.name]
        nodes = column.hierarchy.nodes
        return [float(rows @ costs[i][nodes[i][column.codes]]) for i in range(len(nodes))]

    def _bound(self, vector: Vector) -> float:
        return sum(self._means[place][level] for place, level in enumerate(vector))

    def _count(self) -> None:
        """Note that the engine counts once more; raise where that goes on for too long."""
        self._look()
        self._counts += 1
        if self._counts > MOST_COUNTS:
            problem = f"{MOST_COUNTS:,} counts of coarser rows did not settle which levels do"
            raise CannotMeetError(Fault("engine.max_distinct", problem, _remedy(self._plan)))

    def _refuse(self, vector: Vector) -> NoReturn:
        levels = ", ".join(
            f"{column.name} at level {level}"
            for column, level in zip(self._table.quasi, vector, strict=True)
        )
        problem = (
            f"more than {self._plan.most_distinct:,} distinct rows are left where no level must be "
            f"higher ({levels})"
        )
        raise DataError(Fault(self._engine.place, problem, _remedy(self._plan)))


def _remedy(plan: Plan) -> str:
    return (
        f"Raise engine.max_distinct (it is {plan.most_distinct:,}), ask for more, or use a method "
        "that groups rows, which searches blocks."
    )
