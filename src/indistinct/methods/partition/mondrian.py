"""Mondrian: cut the rows in two at the median of the widest column, as long as a cut is allowed."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from indistinct.methods.base import ALL_MODELS, Copies, Method
from indistinct.methods.common.asked import Asked
from indistinct.methods.common.demands import beyond_rows, demands, tally_for
from indistinct.methods.common.groups import partition_of
from indistinct.methods.common.orders import place as place_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.demands_kernel import DemandArrays
    from indistinct.methods.partition.mondrian_kernel import Columns
    from indistinct.model.recoding import Partition

AT_ONCE = 8
SMALL = 20_000


class Mondrian(Method):
    """Multidimensional recoding by cuts at the median (LeFevre, DeWitt and Ramakrishnan 2006).

    A cut is allowed if both parts satisfy every requirement. The column of the widest range,
    relative to its whole domain, is tried first (of two equal ones that of fewer values), the
    others after it; in each column the allowed cut nearest to the median is taken. Unlike the
    paper, which gives a column up if its median cut is not allowed, all its cuts are tried, so
    that the result is *minimal*: no allowed cut is left anywhere. Cost: O(d n log n); where people
    have several rows, or requirements are joined, cuts are counted one by one and a group that
    cannot be cut costs the number of its cuts times its size.

    The strict form depends on the multiset of rows only. In the relaxed form rows at a cut are
    parted in the order of all quasi columns; copies of a row stay together unless a requirement is
    about sensitive values (they are then parted as they are given).

    Parameters
    ----------
    strict
        Whether rows equal in a column stay together when it is cut. If not, rows at the median
        may go to either side, so that the sides are of one size.

    References
    ----------
    Ciriani et al., "k-anonymity", 2007, section 4.1.2 and Figure 16.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(require=[{"model": "k-anonymity", "k": 2}], method={"name": "mondrian"})
    >>> release = anonymize(medical(), plan)
    >>> release.evidence[0].holds, release.recoding.count
    (True, 4)
    """

    decides: ClassVar[str] = "groups of rows, by cuts at the median"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "LeFevre, DeWitt, Ramakrishnan, ICDE 2006"

    groups_rows: ClassVar[bool] = True
    copies: ClassVar[Copies] = "together"

    name: Literal["mondrian"] = "mondrian"
    strict: bool = True

    def copies_for(self, problem: Problem) -> Copies:
        """Strict cuts never part copies; relaxed ones may where values are judged."""
        return "together" if self.strict else super().copies_for(problem)

    def search(self, problem: Problem) -> Partition:
        """Cut until nothing can be cut."""
        asked = demands(problem)
        order = np.arange(problem.table.entries, dtype=np.int32)
        if not self.strict:
            order = _by_all_columns(problem)
        starts = _cut(problem, asked, order, strict=self.strict)
        return partition_of(problem, asked, order, starts)


def columns_of(problem: Problem, *, strict: bool) -> Columns:
    """Lay out what is cut along, columns of few values first."""
    from indistinct.methods.partition.mondrian_kernel import Columns

    few_first = np.argsort([c.hierarchy.size for c in problem.table.quasi], kind="stable")
    codes = np.ascontiguousarray(problem.codes[:, few_first])
    places = [place_of(problem, int(column)) for column in few_first]
    place = np.concatenate(places)
    first = np.concatenate([[0], np.cumsum([p.size for p in places])[:-1]]).astype(np.int64)
    return Columns(codes, place, first, strict)


def _cut(
    problem: Problem, asked: DemandArrays, order: NDArray[np.int32], *, strict: bool
) -> NDArray[np.bool_]:
    """Make the first cuts here, the others in threads; a group's cuts depend on nothing else."""
    from indistinct.methods.partition.mondrian_kernel import cut_all, scratch_for

    columns = columns_of(problem, strict=strict)
    starts = np.zeros(order.size, dtype=np.bool_)
    more = beyond_rows(asked)

    def cut_on(begin: int, end: int, smallest: int = 0) -> None:
        wanted = Asked(asked.least, asked.weights, more, tally_for(more))
        scratch = scratch_for(columns, end - begin)
        cut_all(columns, wanted, order, begin, end, smallest, starts, scratch)

    if order.size:
        cut_on(0, order.size, max(SMALL, order.size // AT_ONCE))
    begins = np.flatnonzero(starts).tolist()
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(cut_on, begins, [*begins[1:], order.size]))
    return starts


def _by_all_columns(problem: Problem) -> NDArray[np.int32]:
    """Sort rows by all quasi columns."""
    inverse = problem.table.frequency_set.inverse
    return np.argsort(inverse, kind="stable").astype(np.int32)
