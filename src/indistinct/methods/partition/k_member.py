"""k-member: clusters of k rows, grown one after the other by the nearest row."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.errors import CannotMeetError, Fault
from indistinct.methods.base import ALL_MODELS, Method
from indistinct.methods.common.clusters import Clusters, distances_for, in_one_list
from indistinct.methods.common.demands import least_rows
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.repair import repaired
from indistinct.model.recoding import Partition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem


class KMember(Method):
    """Greedy clustering into groups of k rows, each grown by the row that widens it least.

    The first cluster starts at the first row; each next one at the row farthest from where the
    last one started. Rows that are left over, fewer than k, each join the cluster they widen least.
    Differs from the paper: the loss is NCP in the forms that are published; rows that are alike are
    looked at once, which changes nothing but the time; the first row is the least, not a random
    one, so the answer does not depend on the order of rows. Requirements beside k are kept by
    joining clusters; where a cluster needs more rows for them (l for l-diversity), that number
    stands for k. Costs O(n^2) distances for n distinct rows: about 3 s for 20,000, and 100 times
    that for 200,000.

    Parameters
    ----------
    most_rows
        Refuse tables of more distinct rows, for which it would take too long.

    References
    ----------
    Byun, Kamra, Bertino, Li: Efficient k-anonymization using clustering techniques, DASFAA 2007,
    Figure 2.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(method={"name": "k-member"})
    >>> sorted(anonymize(medical(), plan).class_sizes.tolist())
    [3, 3, 4]
    """

    decides: ClassVar[str] = "groups of about k rows, grown by the nearest row"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "Byun, Kamra, Bertino, Li, DASFAA 2007"

    groups_rows: ClassVar[bool] = True

    name: Literal["k-member"] = "k-member"
    most_rows: Annotated[int, Field(ge=1, strict=True)] = 200_000

    def search(self, problem: Problem) -> Partition:
        """Grow the clusters, then join those that fail other requirements."""
        require_possible(problem)
        distinct = problem.table.frequency_set
        if distinct.size > self.most_rows:
            raise CannotMeetError(_too_many(distinct.size, self.most_rows))
        groups = _grown(problem, least_rows(problem))
        clusters = int(groups.max()) + 1
        return Partition(repaired(problem, groups), {"clusters_grown": clusters})


def _too_many(distinct: int, most: int) -> Fault:
    return Fault(
        "method.most_rows",
        f"k-member compares all pairs of rows, and {distinct} distinct rows are more than {most}",
        'Choose a faster method, such as "mondrian", or raise most_rows and wait.',
    )


@dataclass(frozen=True, eq=False)
class Units:
    """What clusters grow by: distinct rows, copies of which may part; or entries, each as a whole.

    Attributes
    ----------
    codes, counts
        The values of each unit, and how many rows it has.
    order, begins
        The entries of the table by unit, and where those of each unit begin.
    """

    codes: NDArray[np.int32]
    counts: NDArray[np.int64]
    order: NDArray[np.intp]
    begins: NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem) -> Units:
        """Take entries where some stand for several rows."""
        table, distinct = problem.table, problem.table.frequency_set
        order = np.argsort(distinct.inverse, kind="stable")
        if table.entries == table.rows:
            begins = np.cumsum(distinct.counts) - distinct.counts
            return cls(np.stack(distinct.codes, axis=1), distinct.counts, order, begins)
        return cls(problem.codes[order], table.row_counts[order], order, np.arange(order.size))


def _grown(problem: Problem, k: int) -> NDArray[np.int32]:
    """Grow clusters while k rows are left; then give the rest to the nearest."""
    from indistinct.methods.common.clusters_kernel import Free, grow

    units, spans = Units.of(problem), problem.spans.arrays
    size, whole = units.counts.size, problem.table.entries < problem.table.rows
    coded = in_one_list(units.codes, spans.size)
    distances = distances_for(problem, size)
    free = Free(
        counts=units.counts.copy(),
        left=np.arange(size),
        members=np.empty(k, dtype=np.int64),
        copies=np.empty(k, dtype=np.int64),
    )
    order, begins = units.order, units.begins
    groups = np.full(order.size, -1, dtype=np.int32)
    rows, start, count = problem.table.rows, 0, 0
    while rows >= k:
        held, size, start = grow(spans, coded, free, size, start, k, whole, distances)
        grown = (free.members[:held].tolist(), free.copies[:held].tolist())
        for unit, taken in zip(*grown, strict=True):
            entries = 1 if whole else taken
            groups[order[begins[unit] : begins[unit] + entries]] = count
            begins[unit] += entries
            rows -= taken
        count += 1
        problem.progress.advance(1 - rows / problem.table.rows)
    return _with_rest(problem, groups)


def _with_rest(problem: Problem, groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """Let the rows in no group join the nearest one, rows alike together."""
    clusters = Clusters(problem, groups)
    rest = np.flatnonzero(groups < 0)
    of_row = problem.table.frequency_set.inverse[rest]
    for row in np.unique(of_row):
        alike = rest[of_row == row]
        clusters.add(alike, clusters.nearest_to(alike))
    return clusters.groups()
