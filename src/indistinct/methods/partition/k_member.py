"""k-member: clusters of k rows, grown one after the other by the nearest row."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.errors import CannotMeetError, Fault
from indistinct.methods.base import ALL_MODELS, Copies, Method
from indistinct.methods.common.clusters import Clusters, distances_for, in_one_list
from indistinct.methods.common.demands import kept_by_more, least_rows
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.pieces import Pieces
from indistinct.methods.common.repair import repaired
from indistinct.model.entries import laid_along

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.model.recoding import Partition


class KMember(Method):
    """Greedy clustering into groups of k rows, each grown by the row that widens it least.

    The first cluster starts at the first row; each next one at the row farthest from where the
    last one started. Rows that are left over, fewer than k, each join the cluster they widen least.
    Differs from the paper: the loss is NCP in the forms that are published; rows that are alike are
    looked at once; where more rows can break no requirement, a cluster that starts at k copies of a
    row or more takes all of them and is done, which loses nothing (in the paper it takes k); the
    first row is the least, not a random one, so the answer does not depend on the order of rows.
    Requirements beside k are kept by joining clusters; where a cluster needs more rows for them
    (l for l-diversity), that number stands for k. Costs O(n^2) distances for n distinct rows: about
    3 s for 20,000, and 100 times that for 200,000.

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
    copies: ClassVar[Copies] = "together"

    name: Literal["k-member"] = "k-member"
    most_rows: Annotated[int, Field(ge=1, strict=True)] = 200_000

    def search(self, problem: Problem) -> Partition:
        """Grow the clusters, then join those that fail other requirements."""
        require_possible(problem)
        distinct = problem.table.frequency_set
        if distinct.size > self.most_rows:
            raise CannotMeetError(_too_many(distinct.size, self.most_rows))
        pieces = _grown(problem, least_rows(problem))
        cut = pieces.of(problem)
        groups = _with_rest(cut, pieces.groups)
        clusters = int(groups.max()) + 1
        return pieces.partition(problem, repaired(cut, groups), clusters_grown=clusters)


def _too_many(distinct: int, most: int) -> Fault:
    return Fault(
        "method.most_rows",
        f"k-member compares all pairs of rows, and {distinct} distinct rows are more than {most}",
        'Choose a faster method, such as "mondrian", or raise most_rows and wait.',
    )


def _grown(problem: Problem, k: int) -> Pieces:
    """Grow clusters while k rows are left; fewer are in none yet."""
    from indistinct.methods.common.clusters_kernel import Free, grow

    distinct, spans = problem.table.frequency_set, problem.spans.arrays
    size, rows = distinct.size, problem.table.rows
    coded = in_one_list(np.stack(distinct.codes, axis=1), spans.size)
    distances, whole = distances_for(problem, size), kept_by_more(problem.requirements)
    free = Free(
        counts=distinct.counts.copy(),
        left=np.arange(size),
        members=np.empty(k, dtype=np.int64),
        copies=np.empty(k, dtype=np.int64),
    )
    members, copies, held = [], [], []
    start = 0
    while rows >= k:
        count, size, start = grow(spans, coded, free, size, start, k, whole, distances)
        members.append(free.members[:count].copy())
        copies.append(free.copies[:count].copy())
        held.append(count)
        rows -= int(copies[-1].sum())
        problem.progress.advance(1 - rows / problem.table.rows)
    left = np.flatnonzero(free.counts)
    number = np.append(np.repeat(np.arange(len(held)), held), np.full(left.size, -1))
    return _dealt(
        problem,
        np.concatenate([*members, left]),
        number,
        np.concatenate([*copies, free.counts[left]]),
    )


def _dealt(
    problem: Problem,
    distinct: NDArray[np.int64],
    groups: NDArray[np.int64],
    copies: NDArray[np.int64],
) -> Pieces:
    """Give clusters their copies of distinct rows, in the order of entries."""
    by_row = np.argsort(distinct, kind="stable")
    order = np.argsort(problem.table.frequency_set.inverse, kind="stable")
    parts, piece = laid_along(problem.table.row_counts[order], copies[by_row])
    return Pieces.counted(order[parts.entry], groups[by_row][piece], parts.rows)


def _with_rest(problem: Problem, groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """Let the rows in no group join the nearest one, rows alike together."""
    clusters = Clusters(problem, groups)
    rest = np.flatnonzero(groups < 0)
    of_row = problem.table.frequency_set.inverse[rest]
    for row in np.unique(of_row):
        alike = rest[of_row == row]
        clusters.add(alike, clusters.nearest_to(alike))
    return clusters.groups()
