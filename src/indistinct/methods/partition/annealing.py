"""A partition being improved by simulated annealing (see `annealing_kernel`)."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.asked import Asked
from indistinct.methods.common.demands import beyond_rows, compiled, least_rows, tally_for
from indistinct.methods.common.groups import mean_cost
from indistinct.methods.common.linked_groups import linked
from indistinct.methods.common.nearness import near_orders, span_table
from indistinct.running.together import on_each

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline
    from indistinct.methods.partition.annealing_kernel import Space

PARTS, LEAST_TOGETHER = 2, 1000
WINDOW = 512
FEW_CUT = 64
MOST_REFUSED = 1 << 28
SEED = 0x9E3779B97F4A7C15


class Setting:
    """What does not change while rows move: what is asked, what spans cost, which rows are near.

    Attributes
    ----------
    problem, k, demands
        The problem, how many rows a group needs, and what else is asked of it (None: nothing).
    table, codes
        What each span of each column costs, and the codes of rows that index it.
    """

    def __init__(self, problem: Problem) -> None:
        self.problem = problem
        self.k = least_rows(problem)
        self.demands = beyond_rows(compiled(problem))
        self.table, self.codes = span_table(problem)

    @cached_property
    def near(self) -> NDArray[np.int32]:
        """Orders in which near rows stand near each other."""
        return near_orders(self.problem)

    @cached_property
    def orders(self) -> NDArray[np.int32]:
        """The same with some rows of the other end around each end."""
        from indistinct.methods.partition.annealing_kernel import REACH

        rows = self.near.shape[1]
        return np.ascontiguousarray(self.near[:, np.arange(-REACH, rows + REACH) % rows])

    @cached_property
    def space(self) -> Space:
        """What spans cost, and which rows are near each other."""
        from indistinct.methods.partition.annealing_kernel import REACH, Space

        rows, length = self.codes.shape[0], self.orders.shape[1]
        places = np.empty((rows, self.orders.shape[0]), dtype=np.int32)
        for number in range(self.orders.shape[0]):
            begin = number * length + REACH
            places[self.order(number), number] = np.arange(begin, begin + rows, dtype=np.int32)
        return Space(self.table, self.orders.ravel(), places)

    def order(self, along: int) -> NDArray[np.int32]:
        """Return a copy of one of the orders."""
        from indistinct.methods.partition.annealing_kernel import REACH

        return self.orders[along, REACH:-REACH].copy()

    def asked(self) -> Asked:
        """Return what is asked of a group, with scratch to count for one thread."""
        weights = self.problem.table.kernel_weights
        return Asked(self.k, weights, self.demands, tally_for(self.demands))


class Annealing:
    """A partition being improved.

    The last group holds the rows that are left out.

    Parameters
    ----------
    group
        The group of each row, numbered without gaps; -1 for rows that are to join one.
    """

    def __init__(
        self,
        setting: Setting,
        group: NDArray[np.int32],
        seed: int,
        deadline: Deadline,
    ) -> None:
        self._setting = setting
        self._problem = setting.problem
        self._asked = [setting.asked() for _ in range(PARTS)]
        self._states = np.array(
            [(seed * 2 + SEED * (2 * part + 1)) % 2**64 for part in range(PARTS)],
            dtype=np.uint64,
        )
        self._random = np.random.Generator(np.random.PCG64(seed))
        self._count = int(group.max(initial=-1)) + 1
        self._passes = 0
        table = setting.problem.table
        most = self._count + min(table.rows // setting.k, table.entries) + 1
        of_row = np.where(group < 0, most, group)
        self._groups = linked(setting.codes, of_row, most + 1, table.weights)
        self._price = np.full(most + 1, -1.0)
        self._place_leftovers(np.flatnonzero(group < 0), deadline)

    def _place_leftovers(self, rows: NDArray[np.int64], deadline: Deadline) -> None:
        """Let rows that fit nowhere join a group; rows that no group may take are left out."""
        from indistinct.methods.partition.leftovers_kernel import Leftovers, place

        if rows.size == 0:
            return
        kinds, number = self._refused_alike(rows)
        refused = np.zeros((self._count, number), dtype=np.bool_)
        state = (self._setting.table, self._groups, self._price, self._asked[0])
        for part in deadline.slices(rows.size):
            place(*state, Leftovers(rows[part], kinds[part], refused))

    def _refused_alike(self, rows: NDArray[np.int64]) -> tuple[NDArray[np.int64], int]:
        """Number the kinds of rows that groups refuse alike; none where that takes too much."""
        demands = self._setting.demands
        if demands is None or demands.general or demands.people.shape[0]:
            return np.zeros(0, dtype=np.int64), 0
        _, kinds = np.unique(demands.codes[:, rows], axis=1, return_inverse=True)
        number = int(kinds.max()) + 1
        if number * self._count > MOST_REFUSED:
            return np.zeros(0, dtype=np.int64), 0
        return kinds.reshape(-1), number

    def improve(self, heat: float, deadline: Deadline) -> bool:
        """Make one pass: split what can be split, then try every row; return whether time was left.

        Rows are tried a slice at a time, which changes nothing but when the clock is looked at.
        """
        from indistinct.methods.partition.annealing_kernel import Notes, Visits, anneal, scratch_for

        if deadline.passed:
            return False
        self._split(deadline)
        space = self._setting.space
        along = int(self._random.integers(space.places.shape[1]))
        self._part(along)
        visits = self._visits(along)
        parts = self._parts[self._of_row[visits]]
        notes = Notes(self._price, self._of_row[space.orders])
        stamp = self._passes * visits.size + 1
        self._passes += 1

        def anneal_part(mine: int) -> None:
            rows = visits[parts == mine]
            search_state = (space, self._groups, notes, self._asked[mine])
            scratch = scratch_for(space, self._groups)
            state = self._states[mine : mine + 1]
            for part in deadline.slices(rows.size):
                visited = Visits(rows[part], mine, heat, stamp + part.start, state)
                anneal(*search_state, visited, scratch)

        on_each(PARTS, anneal_part, together=visits.size >= LEAST_TOGETHER)
        return True

    def _split(self, deadline: Deadline) -> None:
        """Cut groups in two where that is cheaper, and then what they were cut into."""
        from indistinct.methods.partition.splitting_kernel import scratch_for, split

        scratch = scratch_for(self._setting.table, self._groups, self._most_members())
        state = (self._setting.table, self._groups, self._price, self._asked[0])
        done = 0
        while done < self._count and not deadline.passed:
            begin, done = done, self._count
            for part in deadline.slices(done - begin):
                first, last = begin + part.start, begin + part.stop
                self._count = split(*state, first, last, self._count, scratch)

    def recut(self, deadline: Deadline) -> None:
        """Cut each group anew with groups near one of its rows, where that is cheaper."""
        if deadline.passed:
            return
        from indistinct.methods.partition.recutting_kernel import Pairs, recut
        from indistinct.methods.partition.splitting_kernel import scratch_for

        space = self._setting.space
        self._part(int(self._random.integers(space.places.shape[1])))
        heads = self._random.permutation(self._heads[:-1][self._sizes[:-1] > 0])
        parts = self._parts[self._of_row[heads]]
        seen = np.zeros(self._groups.records.shape[0], dtype=np.int64)
        room = min(max(FEW_CUT, 4 * self._most_members()), self._of_row.size)

        def cut_part(mine: int) -> None:
            rows = heads[parts == mine]
            state = (space, self._groups, self._price, self._asked[mine])
            scratch = scratch_for(space.table, self._groups, room)
            for part in deadline.slices(rows.size):
                recut(*state, Pairs(rows[part], mine, seen, part.start + 1), scratch)

        on_each(PARTS, cut_part, together=self._of_row.size >= LEAST_TOGETHER)

    def _most_members(self) -> int:
        """Return how many rows the largest group has, but for that of rows left out."""
        return int(np.bincount(self._of_row, minlength=1)[: self._parts.size - 1].max(initial=1))

    def _visits(self, along: int) -> NDArray[np.int32]:
        """Order the rows by nearness, which is fast, but at random in each small window."""
        order = self._setting.order(along)
        whole = order.size - order.size % WINDOW
        windows = order[:whole].reshape(-1, WINDOW)
        self._random.permuted(windows, axis=1, out=windows)
        self._random.shuffle(order[whole:])
        return order

    def _part(self, along: int) -> None:
        """Cut the groups in two halves along one order; rows left out are in neither."""
        rows = self._problem.table.entries
        cut = int(self._random.integers(rows))
        places = self._setting.space.places[:, along]
        place = (places[self._heads] - places.min() - cut) % rows
        self._parts[:] = place * PARTS // rows
        self._parts[-1] = PARTS

    @property
    def _of_row(self) -> NDArray[np.int32]:
        from indistinct.methods.common.linked_groups_kernel import GROUP

        return self._groups.rows[:, GROUP]

    @property
    def _sizes(self) -> NDArray[np.int32]:
        from indistinct.methods.common.linked_groups_kernel import SIZE

        return self._groups.records[:, SIZE]

    @property
    def _heads(self) -> NDArray[np.int32]:
        from indistinct.methods.common.linked_groups_kernel import HEAD

        return self._groups.records[:, HEAD]

    @property
    def _parts(self) -> NDArray[np.int32]:
        from indistinct.methods.common.linked_groups_kernel import PART

        return self._groups.records[:, PART]

    @property
    def left_out(self) -> int:
        """How many rows are in no group."""
        return int(self._sizes[-1])

    @property
    def alive(self) -> int:
        """How many groups have rows."""
        return int(np.count_nonzero(self._sizes[:-1]))

    def loss(self) -> float:
        """Mean cost of a cell, a suppressed one costing its weight."""
        return mean_cost(self._problem, self.numbered())

    def numbered(self) -> NDArray[np.int32]:
        """Return the group of each row, numbered without gaps; -1 for rows left out."""
        used = self._sizes > 0
        used[-1] = False
        number = np.where(used, np.cumsum(used) - 1, -1).astype(np.int32)
        return number[self._of_row]
