"""best: groups of rows that lose as little as we know how, at the speed of a few hundred sorts."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from math import log2, sqrt
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.errors import CannotMeetError
from indistinct.methods.base import ALL_MODELS, Method
from indistinct.methods.common.demands import beyond_rows, compiled, least_rows, tally_for
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.nearness import near_orders, span_table
from indistinct.methods.common.repair import repaired
from indistinct.methods.partition.coarsening import coarsened
from indistinct.methods.partition.mondrian import Mondrian
from indistinct.methods.partition.one_dimension import Hilbert
from indistinct.methods.partition.topdown import TopDown
from indistinct.model.recoding import Partition
from indistinct.together import on_each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline

REACH = 4
BLOCKS, LEAST_TOGETHER = 2, 1000
WINDOW = 512
HEAT = 0.3
HEAT_OF_COST = 2
COLD_PASSES = 3
MANY_ROWS = 100_000
FEW_COLUMNS, FEW_DISTINCT = 4, 20_000
SMALL_ROWS = 5_000
FIRST = 0.4
MOST_REFUSED = 1 << 28
MOST_STARTS = 8
SEED = 0x9E3779B97F4A7C15


class Best(Method):
    """A first partition by ever coarser vectors, then simulated annealing on single rows.

    Our own. Rows are first released at ever coarser vectors, cheapest first (see `coarsening`), and
    the few left over join the group where they cost least; with up to four columns, and for small
    tables, `hilbert`, `topdown` or `mondrian` begins instead, if it loses less. Then rows move to,
    or swap with rows of, groups that are near them in one of several sorted orders; groups are
    split where that is cheaper and dissolved where their rows fit better elsewhere. Changes for the
    worse are accepted with a probability that falls to nothing (simulated annealing), so the search
    leaves poor corners. No change makes a group smaller than k or breaks a rule. The groups are
    searched in two halves side by side, cut anew along another order in each pass. Small tables are
    searched from several starts, each by the next best of these methods. Deterministic for a seed,
    unless a time limit ends it early. Cost: linear in rows for each pass.

    Parameters
    ----------
    local_search
        Whether to improve the first partition.
    passes
        How many passes over the rows the search makes; more for larger k by default.
    time_limit
        Stop improving after so many seconds.
    seed
        Of the search; says nothing about the release's row order.
    """

    decides: ClassVar[str] = "groups of rows, each as narrow as its rows; least loss we know"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "our own"

    groups_rows: ClassVar[bool] = True

    name: Literal["best"] = "best"
    local_search: bool = True
    passes: Annotated[int, Field(ge=1)] | None = None
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    seed: Annotated[int, Field(ge=0)] = 0

    def search(self, problem: Problem) -> Partition:
        """Group the rows."""
        require_possible(problem)
        return self.search_until(problem, problem.deadline(self.time_limit))

    def search_until(self, problem: Problem, deadline: Deadline) -> Partition:
        """Group the rows, and stop improving when time is over."""
        starts = min(max(SMALL_ROWS // problem.table.rows, 1), MOST_STARTS)
        first = deadline.part(FIRST)
        others = _other_starts(problem, first)
        found: list[Partition] = []
        for number in range(starts if self.local_search else 1):
            if found and deadline.passed:
                break
            work = _started(problem, others, self.seed, number, first if not found else deadline)
            found.append(self._improved(problem, work, deadline))
        best = min(found, key=lambda partition: partition.search["loss"])
        return replace(best, search=best.search | {"timed_out": deadline.passed})

    def _improved(self, problem: Problem, work: _Work, deadline: Deadline) -> Partition:
        """Anneal a first partition; keep it if that ends worse."""
        first, start = work.loss(), work.numbered()
        done = 0
        cost = first * sum(problem.suppressed_cell)
        heats = _heats(self.passes or _usual_passes(problem), cost) if self.local_search else []
        for heat in heats:
            if not work.improve(heat, deadline):
                break
            done += 1
            problem.progress.advance(done / len(heats))
        last = work.loss()
        groups = work.numbered() if last <= first else start
        told = {"first_loss": first, "loss": min(first, last), "passes": done}
        return Partition(groups, {**told, "groups": int(groups.max(initial=-1)) + 1})


def _started(
    problem: Problem,
    others: list[NDArray[np.int32]],
    first_seed: int,
    number: int,
    deadline: Deadline,
) -> _Work:
    """Take what loses least of all first partitions; later starts take the next best in turn."""
    seed = first_seed + number
    found = [_coarsened(problem, seed, deadline)]
    found += [_Work(problem, groups, int(groups.max()) + 1, seed, deadline) for groups in others]
    return sorted(found, key=_Work.loss)[number % len(found)]


def _other_starts(problem: Problem, deadline: Deadline) -> list[NDArray[np.int32]]:
    """Group the rows by what may lose less than ever coarser vectors: of few columns, or rows."""
    small, few = problem.table.rows <= SMALL_ROWS, len(problem.table.quasi) <= FEW_COLUMNS
    methods: list[Hilbert | Mondrian | TopDown] = [Hilbert()] if small or few else []
    if small or (few and problem.table.frequency_set.size <= FEW_DISTINCT):
        methods.append(TopDown())
    if small:
        methods.append(Mondrian())
    found = []
    for method in methods:
        if deadline.passed:
            break
        with suppress(CannotMeetError):
            found.append(method.search(problem).groups)
    return found


def _coarsened(problem: Problem, seed: int, deadline: Deadline) -> _Work:
    """Cover the rows; where more are left than may be, join groups until they fit in."""
    work = _Work(problem, *coarsened(problem, seed, deadline), seed, deadline)
    if work.left_out <= problem.max_suppressed and work.alive:
        return work
    groups = work.numbered()
    joined = repaired(problem, np.where(groups < 0, work.alive, groups).astype(np.int32))
    return _Work(problem, joined, int(joined.max()) + 1, seed, deadline)


def _usual_passes(problem: Problem) -> int:
    """Large groups change slowly and are few: they get more passes in the same time.

    Tables of very many rows get fewer, lest their users wait.
    """
    k = max(least_rows(problem), 2)
    patience = sqrt(sqrt(min(1.0, MANY_ROWS / problem.table.rows)))
    return max(12, round(patience * min(9 * log2(k), 48)))


def _heats(passes: int, row_cost: float) -> list[float]:
    """Cool down to nothing, then settle; where rows cost little, begin cooler."""
    hottest = min(HEAT, row_cost * HEAT_OF_COST)
    warm = max(passes - COLD_PASSES, 1)
    falling = [hottest * (1 - place / warm) ** 2 for place in range(warm)]
    return [*falling, *[0.0] * (passes - warm)]


class _Work:
    """A partition being improved.

    The last group holds the rows that are left out.
    """

    def __init__(
        self,
        problem: Problem,
        group: NDArray[np.int32],
        count: int,
        seed: int,
        deadline: Deadline,
    ) -> None:
        from indistinct.methods.partition import annealing_kernel as annealing
        from indistinct.methods.partition import linked_groups_kernel as linked_groups

        self._annealing, self._links = annealing, linked_groups
        self._problem = problem
        self._k = least_rows(problem)
        self._demands = beyond_rows(compiled(problem))
        self._tallies = [tally_for(self._demands) for _ in range(BLOCKS)]
        self._table, self._codes = span_table(problem)
        self._states = np.array(
            [(seed * 2 + SEED * (2 * block + 1)) % 2**64 for block in range(BLOCKS)],
            dtype=np.uint64,
        )
        self._random = np.random.Generator(np.random.PCG64(seed))
        self.count = count
        self._gather(group)
        self._place_leftovers(group, deadline)

    @cached_property
    def _near(self) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        return near_orders(self._problem)

    def _gather(self, group: NDArray[np.int32]) -> None:
        rows, columns = self._codes.shape
        most = self.count + rows // self._k + 1
        self._group = np.where(group < 0, most, group).astype(np.int32)
        self._size = np.zeros(most + 1, dtype=np.int32)
        self._low = np.zeros((most + 1, columns), dtype=np.int32)
        self._high = np.zeros((most + 1, columns), dtype=np.int32)
        self._head = np.full(most + 1, -1, dtype=np.int32)
        self._after = np.full(rows, -1, dtype=np.int32)
        self._before = np.full(rows, -1, dtype=np.int32)
        self._links.gather(self._codes, *self._lists)

    @property
    def _lists(self) -> tuple[NDArray[np.int32], ...]:
        bounds = (self._low, self._high)
        return (self._group, self._size, *bounds, self._head, self._after, self._before)

    def _place_leftovers(self, group: NDArray[np.int32], deadline: Deadline) -> None:
        """Let rows that fit nowhere join a group; rows that no group may take are left out."""
        rows = np.flatnonzero(group < 0)
        if rows.size == 0:
            return
        kinds, number = self._refused_alike(rows)
        refused = np.zeros((self.count, number), dtype=np.bool_)
        known = (self._table, self._codes, *self._lists, self._demands, self._tallies[0])
        for part in deadline.slices(rows.size):
            self._annealing.place(*known, rows[part], kinds[part], refused, self.count)

    def _refused_alike(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
        """Number the kinds of rows that groups refuse alike; none where that takes too much."""
        demands = self._demands
        if demands is None or demands.general or demands.people.shape[0]:
            return np.zeros(0, dtype=np.int64), 0
        _, kinds = np.unique(demands.codes[:, rows], axis=1, return_inverse=True)
        number = int(kinds.max()) + 1
        if number * self.count > MOST_REFUSED:
            return np.zeros(0, dtype=np.int64), 0
        return kinds.reshape(-1), number

    def improve(self, heat: float, deadline: Deadline) -> bool:
        """Make one pass: split what can be split, then try every row; tell whether time was left.

        Rows are tried a slice at a time, which changes nothing but when the clock is looked at.
        """
        if deadline.passed:
            return False
        known = (self._table, self._codes, *self._lists, self._demands)
        self._split(deadline)
        along = int(self._random.integers(self._near[0].shape[0]))
        near = (*self._near, REACH)
        blocks = self._blocks(along)
        visits = self._visits(along)
        of_row = blocks[self._group[visits]]

        def anneal(mine: int) -> None:
            rows = visits[of_row == mine]
            state = self._states[mine : mine + 1]
            counting = (self._tallies[mine], self._k)
            for part in deadline.slices(rows.size):
                self._annealing.anneal(
                    *known, *counting, *near, rows[part], heat, state, blocks, mine
                )

        on_each(BLOCKS, anneal, together=visits.size >= LEAST_TOGETHER)
        return True

    def _split(self, deadline: Deadline) -> None:
        """Cut groups in two where that is cheaper, and then what they were cut into."""
        known = (self._table, self._codes, *self._lists, self._demands, self._tallies[0], self._k)
        done = 0
        while done < self.count and not deadline.passed:
            begin, done = done, self.count
            for part in deadline.slices(done - begin):
                some = (begin + part.start, begin + part.stop)
                self.count = self._annealing.split(*known, *some, self.count)

    def _visits(self, along: int) -> NDArray[np.int32]:
        """Order the rows by nearness, which is fast, but at random in each small window."""
        order: NDArray[np.int32] = self._near[0][along].copy()
        whole = order.size - order.size % WINDOW
        windows = order[:whole].reshape(-1, WINDOW)
        self._random.permuted(windows, axis=1, out=windows)
        self._random.shuffle(order[whole:])
        return order

    def _blocks(self, along: int) -> NDArray[np.uint8]:
        """Cut the groups in two halves along one order; rows left out are in neither."""
        rows = self._problem.table.rows
        cut = int(self._random.integers(rows))
        place = (self._near[1][along][self._head] - cut) % rows
        block: NDArray[np.uint8] = (place * BLOCKS // rows).astype(np.uint8)
        block[-1] = BLOCKS
        return block

    @property
    def left_out(self) -> int:
        """How many rows are in no group."""
        return int(self._size[-1])

    @property
    def alive(self) -> int:
        """How many groups have rows."""
        return int(np.count_nonzero(self._size[:-1]))

    def loss(self) -> float:
        """Mean cost of a cell, a suppressed one costing its weight."""
        from indistinct.kernels.spans import bounds_of

        groups = self.numbered()
        low, high = bounds_of(self._problem.codes, groups, self.alive)
        sizes = np.bincount(groups[groups >= 0], minlength=self.alive)
        spent = sum(
            float(sizes @ self._problem.spans.cost(place, low[:, place], high[:, place]))
            for place in range(low.shape[1])
        )
        cells = sum(self._problem.suppressed_cell)
        spent += self.left_out * cells
        return spent / (self._problem.table.rows * cells) if cells else 0.0

    def numbered(self) -> NDArray[np.int32]:
        """Return the group of each row, numbered without gaps; -1 for rows left out."""
        used = self._size > 0
        used[-1] = False
        number = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)
        return number[self._group]
