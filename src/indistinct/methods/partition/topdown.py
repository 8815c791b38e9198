"""TopDown: split groups in two around rows that are far apart, then mend the small ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from indistinct.methods.base import ALL_MODELS, Copies, Method
from indistinct.methods.common.clusters import Clusters, distances_for, in_one_list
from indistinct.methods.common.demands import kept_by_more, least_rows
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.linked_groups import empty_groups, lines_of
from indistinct.methods.common.repair import repaired
from indistinct.model.recoding import Partition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem

SEED_ROUNDS = 3


class TopDown(Method):
    """Divisive clustering by two far-apart seeds.

    All rows are one group to begin with. A group of 2k rows or more is split: two rows far apart
    are sought (from any row the farthest, from that the farthest, three times), and every other row
    joins the one whose group's loss it raises less. Then each group of fewer than k rows either
    joins the nearest group or borrows the rows it lacks from the nearest group that can spare them,
    whichever costs less. Differs from the paper: rows that are alike stay together while groups
    are split; the order in which rows join is drawn once from a fixed seed, so the answer depends
    neither on chance nor on the order of rows. Requirements beside k are kept by joining groups;
    where a group needs more rows for them (l for l-diversity), that number stands for k.
    A split costs a pass over its rows; mending, a pass over all groups for each small one, which is
    quadratic in the number of groups.

    References
    ----------
    Xu, Wang, Pei, Wang, Shi, Fu: Utility-based anonymization using local recoding, KDD 2006,
    section 4.2; Ghinita et al. 2009, section 2.2.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(method={"name": "topdown"})
    >>> anonymize(medical(), plan).verified.holds
    True
    """

    decides: ClassVar[str] = "groups of rows, by splitting around two rows far apart"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "Xu et al., KDD 2006"

    groups_rows: ClassVar[bool] = True
    copies: ClassVar[Copies] = "loose"

    name: Literal["topdown"] = "topdown"

    def copies_for(self, problem: Problem) -> Copies:
        """Give rows apart where more rows of a value may break what is asked."""
        return self.copies if kept_by_more(problem.requirements) else "apart"

    def search(self, problem: Problem) -> Partition:
        """Split, mend small groups, then join those that fail other requirements."""
        require_possible(problem)
        k = least_rows(problem)
        split = _split(problem, k)
        report = {"groups_split": int(split.max()) + 1}
        return Partition(repaired(problem, _mended(problem, split, k)), report)


def _split(problem: Problem, k: int) -> NDArray[np.int32]:
    """Split groups of 2k rows or more until none is left that holds two different rows."""
    from indistinct.methods.common.clusters_kernel import split_by_seeds

    distinct = problem.table.frequency_set
    codes = np.ascontiguousarray(np.stack(distinct.codes, axis=1))
    lines, counts = lines_of(codes), distinct.counts
    of_distinct = np.empty(distinct.size, dtype=np.int32)
    seeds = Seeds(problem, codes)
    waiting = [np.random.default_rng(0).permutation(distinct.size)]
    number, settled = 0, 0
    while waiting:
        rows = waiting.pop()
        if rows.size < 2 or counts[rows].sum() < 2 * k:
            of_distinct[rows] = number
            number += 1
            settled += rows.size
            problem.progress.advance(settled / distinct.size)
            continue
        sides = empty_groups(2, codes.shape[1])
        second = np.empty(rows.size, dtype=np.bool_)
        ends = seeds.far_apart(rows)
        split_by_seeds(problem.spans.arrays, lines, counts, rows, ends, sides, second)
        waiting += [rows[second], rows[~second]]
    return of_distinct[distinct.inverse]


class Seeds:
    """Finds rows far apart."""

    def __init__(self, problem: Problem, codes: NDArray[np.int32]) -> None:
        self._spans = problem.spans.arrays
        self._coded = in_one_list(codes, self._spans.size)
        self._distances = distances_for(problem, codes.shape[0])

    def far_apart(self, rows: NDArray[np.int64]) -> tuple[np.int64, np.int64]:
        """Find two rows far apart (Xu et al., section 4.2)."""
        from indistinct.methods.common.clusters_kernel import farthest

        one = two = rows[0]
        for _ in range(SEED_ROUNDS):
            one, two = two, farthest(self._spans, self._coded, rows, two, self._distances)
        return np.int64(one), np.int64(two)


def _mended(problem: Problem, groups: NDArray[np.int32], k: int) -> NDArray[np.int32]:
    """Let each group of fewer than k rows join another, or borrow from one that can spare rows."""
    clusters = Clusters(problem, groups)
    for group in np.argsort(clusters.sizes, kind="stable").tolist():
        while 0 < clusters.sizes[group] < k:
            into, increase = clusters.nearest(group)
            if into < 0:
                break
            lender, _ = clusters.nearest(group, least=2 * k - int(clusters.sizes[group]))
            lent = lender >= 0 and _borrowed(problem, clusters, group, lender, k=k, most=increase)
            if not lent:
                clusters.join(group, into)
    return clusters.groups()


def _borrowed(
    problem: Problem, clusters: Clusters, group: int, lender: int, *, k: int, most: float
) -> bool:
    """Borrow the rows nearest to a group until it has k, if that raises the loss less than `most`.

    Of rows alike the first are taken, of entries alike the lightest. An entry is borrowed whole, or
    passed by where its lender would have fewer than k rows left.
    """
    own, theirs = clusters.members[group], clusters.members[lender]
    weights, kinds = problem.table.row_counts[theirs], problem.table.frequency_set.inverse[theirs]
    order = np.lexsort((theirs, weights, kinds))
    theirs, weights = theirs[order], weights[order]
    nearest = np.argsort(clusters.joining_costs(group, theirs), kind="stable")
    lacking, spare = k - int(clusters.sizes[group]), int(clusters.sizes[lender]) - k
    chosen = _chosen(weights[nearest].tolist(), lacking, spare)
    if chosen is None:
        return False
    before = _total(clusters, group, lender)
    clusters.set(np.concatenate([own, theirs[nearest[chosen]]]), group)
    clusters.set(theirs[np.delete(nearest, chosen)], lender)
    if _total(clusters, group, lender) - before < most:
        return True
    clusters.set(own, group)
    clusters.set(theirs, lender)
    return False


def _chosen(weights: list[int], lacking: int, spare: int) -> list[int] | None:
    """Return the places of the first entries that make up what is lacking, within what is spare.

    >>> _chosen([1, 5, 2, 1], lacking=3, spare=4)
    [0, 2]
    """
    chosen, taken = [], 0
    for place, weight in enumerate(weights):
        if taken >= lacking:
            break
        if taken + weight <= spare:
            chosen.append(place)
            taken += weight
    return chosen if taken >= lacking else None


def _total(clusters: Clusters, *groups: int) -> float:
    return float(sum(clusters.sizes[group] * clusters.costs[group] for group in groups))
