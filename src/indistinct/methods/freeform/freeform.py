"""freeform: boxes of k near rows, improved by exchanging rows between them."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.methods.base import Method
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.nearness import near_orders, places_in, span_table
from indistinct.methods.freeform.hungarian import FreeformHungarian
from indistinct.methods.freeform.improving import MOST_NARROWED, SIDES, Improving
from indistinct.methods.freeform.regular import loss_of, matchings, rings
from indistinct.methods.partition.best import Best
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline
    from indistinct.methods.freeform.boxes_kernel import Codes, Costs
    from indistinct.model.recoding import Matching

PAIRS, ASSIGNED = 2, 3000
START, SMALL_ROWS = 12, 5000
BEGINNING = 0.5
AGAIN = 1.5  # of what it takes to measure: that, and to take matchings apart, in the end
PASSES, LEAST_PASSES, MOST_PASSES, FULL = 20, 3, 50, 32_000
EXACT_BITS = 23


class Freeform(Method):
    """Boxes that are annealed, made narrower and improved by cycles of exchanges.

    Our own. A partition by `best`, of many rows without its local search, is the start: a ring in
    each of its groups makes a box of k rows for each row, each row in k boxes. Then boxes change,
    over and over (see `improving`). With heat, two of them exchange one covered row each, or part
    all their rows anew: changes for the worse are accepted with a probability that falls to
    nothing, more of them for rows that lie apart; boxes that cost more are tried more often. Then a
    box that is wide because of several rows gives up all of them at once. Last, without heat, a box
    drops a row and takes another, the box that gave it a third, and so on, until one takes the row
    dropped first: prices of rows tell which way to look for such cycles. They are gone round if
    that saves something; where a box becomes narrower, if all of them together cost less than that
    saves. A box looks at rows that are near its own, of those beside them in one of several sorted
    orders, and at the boxes that cover them; in narrowing and in cycles at those rows whose prices
    exceed their distance most. The graph stays k-regular, that is, a union of k disjoint perfect
    matchings (found once, at the end: see `regular`). No box is tied to a row during the search:
    whatever the graph, one of its matchings can be called the identity.

    With k = 2 and at most 3,000 rows nothing is searched: beside the identity there is one
    matching, and the best one is an assignment, which is solved. With k above 64 boxes are not made
    narrower, which would take long; they start from the whole of `best`, and gain little over it.

    Rows are searched in blocks, whole groups of the partition that lie near each other, each on
    two processors. A block that ends worse than its partition is left as that. Deterministic for a
    seed, unless a time limit ends it early. Cost: linear in rows for each pass.

    Parameters
    ----------
    passes
        How many passes over the boxes each block gets: more of them lose less. By default 9
        with k = 5, fewer with larger k or more rows, and up to 50 for tables of less than 32,000
        rows, which take no longer then.
    block
        How many rows are searched together; what is kept in mind grows with it, not with the table.
    time_limit
        Stop improving after so many seconds; half of them are the partition's at most. It cools
        down within them.
    seed
        Of the search; says nothing about the draw of the matching.

    References
    ----------
    Doka, Xue, Tsoumakos, Karras: k-anonymization by freeform generalization, ASIA CCS 2015: the
    model, not the search.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical
    >>> plan = {
    ...     "columns": {
    ...         "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
    ...         "marital": {"role": "quasi", "hierarchy": "flat"},
    ...         "sex": {"role": "quasi", "hierarchy": "flat"},
    ...         "disease": {"role": "sensitive"},
    ...     },
    ...     "require": [{"model": "k-anonymity", "k": 3}],
    ... }
    >>> def lost(name):
    ...     release = anonymize(medical(), plan | {"method": {"name": name}})
    ...     return round(release.measures.gcp, 3)
    >>> lost("freeform") <= lost("best")
    True
    """

    decides: ClassVar[str] = "which k rows each published row covers; by annealing and exchanges"
    keeps: ClassVar[tuple[str, ...]] = ("k-anonymity",)
    paper: ClassVar[str] = "our own search; model of Doka et al., ASIA CCS 2015"

    groups_rows: ClassVar[bool] = True
    matches_rows: ClassVar[bool] = True

    name: Literal["freeform"] = "freeform"
    passes: Annotated[int, Field(ge=1)] | None = None
    block: Annotated[int, Field(ge=1000)] = 40_000
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    seed: Annotated[int, Field(ge=0)] = 0

    def search(self, problem: Problem) -> Matching:
        """Start from a partition, and improve its graph block by block."""
        deadline = problem.deadline(self.time_limit)
        k = least_respondents(problem.requirements)
        searched = problem.table.rows <= SMALL_ROWS or k > MOST_NARROWED
        require_possible(problem)
        best = Best(local_search=searched, passes=START, seed=self.seed)
        start = best.search_until(problem, deadline.part(BEGINNING))
        covered = rings(start.groups, k)
        before = deadline.spent
        first = loss_of(problem, covered)
        deadline = deadline.sooner(AGAIN * (deadline.spent - before))
        told: dict[str, Any] = {"partition_loss": start.search["loss"], "first_loss": first}
        if k == PAIRS and problem.table.rows <= ASSIGNED:
            assigned = FreeformHungarian(block=problem.table.rows).search(problem)
            return replace(assigned, search=told | assigned.search)
        blocks = _Blocks(problem, start.groups, self.block)
        passes = self.passes or _usual_passes(problem.table.rows, k)
        blocks.improve(covered, passes, deadline, self.seed)
        told |= {"loss": loss_of(problem, covered), "blocks": blocks.count}
        told |= {"passes": passes, "timed_out": deadline.passed}
        return matchings(covered, told, blocks.parts)


def _usual_passes(rows: int, k: int) -> int:
    """Give small tables the time of one of `FULL` rows, and large ones not all they would need.

    A pass takes longer for larger k.
    """
    share = FULL / max(rows, 1)
    passes = int(PASSES / np.sqrt(k) * (share if share > 1 else np.power(share, 0.125)))
    return min(max(passes, LEAST_PASSES), MOST_PASSES)


class _Blocks:
    """A table cut into blocks of whole groups that lie near each other."""

    def __init__(self, problem: Problem, groups: NDArray[np.int32], most: int) -> None:
        table, codes = _dearest_first(*span_table(problem))
        table = _exact(table)
        self._codes = _in_lanes(codes)
        size = codes.max(axis=0).astype(np.int64) + 1
        self._size = size.astype(np.uint32)
        self._first = (np.cumsum(size**2) - size**2).astype(np.uint32)
        self._table = np.concatenate(
            [cost[:width, :width].ravel() for cost, width in zip(table, size, strict=True)]
        ).astype(np.float32)
        orders = near_orders(problem)
        places = places_in(orders)
        of_row = _cut(groups, places[0], most)
        self._orders = [order[np.argsort(of_row[order], kind="stable")] for order in orders]
        self._ends = np.append(0, np.cumsum(np.bincount(of_row)))
        self.parts = np.split(self._orders[0], self._ends[1:-1])
        self.count = len(self.parts)
        self._problem = problem

    def improve(
        self, covered: NDArray[np.int32], passes: int, deadline: Deadline, seed: int
    ) -> None:
        """Improve all blocks, some at the same time; time is shared among them evenly."""
        parts = self.parts
        at_once = max(1, (os.cpu_count() or 1) // SIDES)
        place = np.empty_like(self._orders[0])
        for part in parts:
            place[part] = np.arange(part.size, dtype=np.int32)

        rounds = count(1)

        def tell() -> None:
            self._problem.progress.advance(next(rounds) / (self.count * passes))

        def improved(number: int) -> NDArray[np.int32]:
            turns = -(-(self.count - number) // at_once)
            mine = deadline.part(1 / turns)
            if mine.passed:
                return np.asarray(covered[parts[number]])
            work = self._block(
                number, parts[number], place, covered, seed=seed + number, deadline=mine
            )
            return parts[number][work.run(passes, tell)]

        with ThreadPoolExecutor(at_once) as pool:
            for number, found in enumerate(pool.map(improved, range(self.count))):
                covered[parts[number]] = found

    def _block(
        self,
        number: int,
        rows: NDArray[np.int32],
        place: NDArray[np.int32],
        covered: NDArray[np.int32],
        *,
        seed: int,
        deadline: Deadline,
    ) -> Improving:
        """Take a block by itself, its rows numbered by their places in it."""
        within = slice(self._ends[number], self._ends[number + 1])
        near = np.stack([place[order[within]] for order in self._orders]).astype(np.uint32)
        begun = place[covered[rows]].astype(np.uint32)
        return Improving(self.costs, self._codes[rows], begun, near, seed=seed, deadline=deadline)

    @property
    def costs(self) -> Costs:
        """The cost of every span, and where and how wide each column's are."""
        from indistinct.methods.freeform.boxes_kernel import Costs

        return Costs(self._table, self._first, self._size)


def _exact(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Round costs to multiples of a power of two, so that float32 adds and subtracts them exactly.

    No sum of one cost of each column needs more than `EXACT_BITS` bits then.
    """
    most = table.max(axis=(1, 2)).sum()
    unit = 2.0 ** (np.ceil(np.log2(most)) - EXACT_BITS) if most > 0 else 1.0
    return np.round(table / unit) * unit


def _in_lanes(codes: NDArray[np.int32]) -> Codes:
    """Return codes with columns of zeros up to whole lanes; as bytes if they are small and few."""
    from indistinct.methods.freeform.lanes_kernel import LANES

    rows, columns = codes.shape
    small = columns <= LANES and codes.max(initial=0) <= np.iinfo(np.uint8).max
    width = -(-columns // LANES) * LANES
    lines = np.zeros((rows, width), dtype=np.uint8 if small else np.uint16)
    lines[:, :columns] = codes
    return lines


def _dearest_first(
    table: NDArray[np.float64], codes: NDArray[np.int32]
) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Put first the columns in which rows far from each other cost most: they settle most tries."""
    low = np.minimum(codes, np.roll(codes, codes.shape[0] // 2, axis=0))
    high = np.maximum(codes, np.roll(codes, codes.shape[0] // 2, axis=0))
    columns = range(codes.shape[1])
    order = np.argsort([-table[c, low[:, c], high[:, c]].mean() for c in columns], kind="stable")
    return table[order], np.ascontiguousarray(codes[:, order])


def _cut(groups: NDArray[np.int32], places: NDArray[np.int32], most: int) -> NDArray[np.int32]:
    """Number the blocks: groups in the order of their first row, cut evenly."""
    sizes = np.bincount(groups)
    first = np.full(sizes.size, groups.size, dtype=np.int64)
    np.minimum.at(first, groups, places)
    order = np.argsort(first, kind="stable")
    count = max(1, -(-groups.size // most))
    ends = np.cumsum(sizes[order])
    of_group = np.empty(sizes.size, dtype=np.int32)
    of_group[order] = np.minimum((ends - 1) * count // groups.size, count - 1)
    found = of_group[groups]
    return (np.cumsum(np.bincount(found) > 0) - 1)[found].astype(np.int32)
