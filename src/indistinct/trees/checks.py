"""What the searches ask of a cut: ValueCheck, and FixStructure with its cost (paper 004, III-B, C).

The records of a label, or of a relation between labels, do not depend on the cut they are asked for
in, so they are collected once. The synopsis of a cut is projected from one that is just
fine enough for all cuts under examination.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from math import inf
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from indistinct.trees.bits_kernel import values_fail
from indistinct.trees.fixing_kernel import fix_structure, pairs_present, relation_rows
from indistinct.trees.rows import LabelRows, Rows
from indistinct.trees.synopsis import Synopsis
from indistinct.trees.synopsis_kernel import mean_rpd, sampled_lists

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from numpy.typing import NDArray

    from indistinct.trees.cuts import Cut, HierarchyCuts
    from indistinct.trees.methods.base import TreeProblem
    from indistinct.trees.synopsis import Coarser

Thing = TypeVar("Thing")
Made = TypeVar("Made")
Relations = tuple[tuple[int, int], ...]
_Tree = tuple[
    "NDArray[np.int32]",
    "NDArray[np.int32]",
    "NDArray[np.bool_]",
    "NDArray[np.int32]",
    "NDArray[np.int32]",
]
Chains = tuple["NDArray[np.int32]", "NDArray[np.int32]", "NDArray[np.int32]"]

AT_ONCE = 4
"""How many cuts are fixed at a time; always the same, so that results are."""

SAMPLE = 1 << 14
"""On how many records costs are measured, where there are more."""

WITHOUT_END = np.iinfo(np.int64).max - 1

TRIED_FIRST = 2
"""After how many broken relations a cut is first dropped if it costs too much already."""


@dataclass(frozen=True)
class Solution:
    """A cut, the relations broken so that it is k^(m,n)-anonymous, and what that costs."""

    cut: Cut
    broken: Relations
    cost: float


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The relations between labels of a cut: ends, rows, and the one each is the absence of."""

    relation: NDArray[np.int32]
    upper: NDArray[np.int64]
    lower: NDArray[np.int64]
    opposite: NDArray[np.int64]
    at: NDArray[np.int64]
    count: NDArray[np.int64]


class Checks:
    """The checks of one problem's cuts."""

    def __init__(self, problem: TreeProblem, cuts: HierarchyCuts) -> None:
        self.cuts = cuts
        self.knowledge = problem.knowledge
        self.synopsis = Synopsis.of(problem.forest).renumbered()
        self.labels = LabelRows(self.synopsis, cuts)
        self._relations = Rows(self.synopsis.records)
        place = _evenly(self.synopsis.records)
        self._size = int(place.max(initial=-1)) + 1
        self._few = sampled_lists(self.synopsis.ptr, self.synopsis.ids, place, 16 * SAMPLE)
        self._workers = ThreadPoolExecutor(os.cpu_count())
        hierarchies = problem.hierarchies
        self._of_class = hierarchies.labels.of_class
        self._level_size = hierarchies.level_size[hierarchies.level]
        self._weight = problem.weights[self._of_class]

    def values_hold(self, cut: Cut, new: Iterable[int]) -> bool:
        """ValueCheck: no up to m labels, one of them new, are in some but fewer than k records."""
        return self.all_values_hold([(cut, new)])[0]

    def all_values_hold(self, cases: Iterable[tuple[Cut, Iterable[int]]]) -> list[bool]:
        """ValueCheck for several cuts, each with its new labels."""
        picks = [self._picks(cut, set(new)) for cut, new in cases]
        rows, k, m = self.labels.rows.data, self.knowledge.k, self.knowledge.m

        def holds(case: tuple[NDArray[np.int64], int]) -> bool:
            return not values_fail(rows, *case, k, m)

        return self.at_once(holds, picks)

    def _picks(self, cut: Cut, fresh: set[int]) -> tuple[NDArray[np.int64], int]:
        """Return the rows of a cut, the new ones first, then the rarest; and how many are new."""
        old = [code for code in cut if code not in fresh]
        order = np.argsort(self.labels.support(old), kind="stable")
        first = self._knowable(sorted(fresh))
        rest = self._knowable([old[place] for place in order.tolist()])
        return np.concatenate([first, rest]), first.size

    def _knowable(self, labels: list[int]) -> NDArray[np.int64]:
        """Return the rows of labels, and of their absence where an attacker may know of it."""
        denied = [code for code in labels if code in self.knowledge.absent]
        return np.concatenate([self.labels.places(labels), self.labels.absent(denied)])

    def at_once(self, job: Callable[[Thing], Made], things: Iterable[Thing]) -> list[Made]:
        """Do a job for several things, in threads."""
        listed = list(things)
        if len(listed) < AT_ONCE:
            return [job(thing) for thing in listed]
        return list(self._workers.map(job, listed))

    def prepare(self, labels: Iterable[int]) -> None:
        """Make ready for cuts whose labels are all among these."""
        image = self.cuts.image(labels)
        projection = self.synopsis.projection(image, image.size)
        self._fine = projection
        self._sampled = (*projection.strung(*self._few), self._size)
        self._relations.thin()

    def drafted(self, cut: Cut) -> Draft:
        """Project the synopsis to a cut and say what it would cost without any broken relation."""
        image = self.cuts.image(cut)
        own = np.array(cut, dtype=np.int64)
        others = np.setdiff1d(image[image >= 0], own)
        codes = np.concatenate([own, others])
        compact = np.full(image.size + 1, -1, dtype=np.int32)
        compact[codes] = np.arange(codes.size)
        projection = self._fine.coarser(compact[image], codes.size)
        everyone = np.ones(projection.label.size, dtype=np.bool_)
        head, _, then = projection.chains()
        tree = projection.label, projection.parent, everyone, head, then
        return Draft(cut, codes, projection, self._cost(tree, codes))

    def _cost(self, tree: _Tree, codes: NDArray[np.int64]) -> float:
        """Return the RPD of the records of the sample."""
        ptr, ids, size = self._sampled
        return float(mean_rpd(*tree, ptr, ids, size, self._level_size[codes], self._weight[codes]))

    def fixed(
        self,
        drafts: Sequence[Draft],
        fresh: Sequence[frozenset[int]],
        most: int = WITHOUT_END,
        bar: float = inf,
    ) -> list[Solution | None]:
        """FixStructure: break relations until each cut holds; None if more than `most` have to be.

        The cost is that after the disassociations; None also where it is above the `bar` when the
        first few are broken. Several cuts are fixed at once. Where a cut has `fresh` labels, only
        knowledge of one of these can be too rare, because the cut that they specialize holds.
        """
        if self.knowledge.n == 0 or self.knowledge.m < 2:
            return [Solution(draft.cut, (), draft.cost) for draft in drafts]
        jobs = [(draft, draft.projection.chains()) for draft in drafts]
        pairs = self._pairs(jobs)
        known = [self._knowable(list(draft.cut)) for draft in drafts]

        def job(place: int) -> Solution | None:
            new = self._fresh(drafts[place].cut, fresh[place])
            return self._fix(*jobs[place], pairs[place], (known[place], new), most=most, bar=bar)

        return self.at_once(job, range(len(drafts)))

    def _fix(
        self,
        draft: Draft,
        chains: Chains,
        pairs: _Pairs,
        known: tuple[NDArray[np.int64], NDArray[np.int64]],
        *,
        most: int,
        bar: float,
    ) -> Solution | None:
        knowledge, source = self.knowledge, draft.projection.source
        label, parent = draft.projection.label.copy(), draft.projection.parent.copy()
        alive = np.ones(label.size, dtype=np.bool_)
        head, tail, then = chains
        own = np.empty((pairs.upper.size, self._relations.words), dtype=np.uint64)
        picks, fresh = known

        def broken(limit: int, fresh: NDArray[np.int64]) -> NDArray[np.int64]:
            found: NDArray[np.int64] = fix_structure(
                label, parent, alive, head, tail, then, source.lists,
                pairs.relation, pairs.upper, pairs.lower, pairs.opposite,
                self._relations.data, own, pairs.at, pairs.count, self.labels.rows.data, picks,
                fresh, knowledge.k, knowledge.m, knowledge.n, limit,
            )  # fmt: skip
            return found

        relations = np.empty(0, dtype=np.int64)
        limit = min(most, TRIED_FIRST)
        while True:
            # Once relations are broken, what the cut above held is no proof any more.
            more = broken(limit, fresh[:0] if relations.size else fresh)
            relations = np.concatenate([relations, more])
            if not relations.size:
                return Solution(draft.cut, (), draft.cost)
            cost = self._cost((label, parent, alive, head, then), draft.codes)
            if more.size <= limit:
                break
            if limit == most or cost > bar:
                return None
            limit *= 4
        codes = draft.codes
        ends = np.stack([codes[pairs.upper[relations]], codes[pairs.lower[relations]]], axis=1)
        return Solution(draft.cut, tuple((a, b) for a, b in ends.tolist()), cost)

    def _fresh(self, cut: Cut, fresh: frozenset[int]) -> NDArray[np.int64]:
        """Return the places of the fresh labels in a cut; none where everything is looked at."""
        knowledge = self.knowledge
        if knowledge.m > 3 or knowledge.absent or knowledge.unrelated:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero([code in fresh for code in cut]).astype(np.int64)

    def _pairs(self, jobs: Sequence[tuple[Draft, Chains]]) -> list[_Pairs]:
        """Number the relations of some cuts and collect the rows that no cut needed before."""
        found = [self._numbered(draft) for draft, _ in jobs]
        self.at_once(lambda job: self._collect(*job[0], *job[1]), zip(jobs, found, strict=True))
        pairs = [replace(one, count=self._relations.count[one.at]) for one, _ in found]
        if not self.knowledge.unrelated:
            return pairs
        codes = [draft.codes for draft, _ in jobs]
        return [self._with_denied(*one) for one in zip(pairs, codes, strict=True)]

    def _numbered(self, draft: Draft) -> tuple[_Pairs, NDArray[np.bool_]]:
        """Find the relations of a cut, and tell which have empty rows yet."""
        size, codes = len(draft.cut), draft.codes
        present = pairs_present(draft.projection.label, draft.projection.parent, codes.size)
        upper, lower = np.stack(np.nonzero(present[:size, :size]))
        names = self._names(codes[upper], codes[lower])
        at, new = self._relations.find(names.tolist())
        relation = np.full((codes.size, codes.size), -1, dtype=np.int32)
        relation[upper, lower] = np.arange(upper.size)
        opposite = np.full(upper.size, -1, dtype=np.int64)
        pairs = _Pairs(relation, upper, lower, opposite, at, np.zeros_like(at))
        return pairs, np.isin(names, np.array(new))

    def _names(self, upper: NDArray[np.int64], lower: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the names of relations between labels, the same in every cut."""
        return upper * self._of_class.size + lower

    def _collect(
        self, draft: Draft, chains: Chains, pairs: _Pairs, fresh: NDArray[np.bool_]
    ) -> None:
        """Fill the rows of fresh relations."""
        if not fresh.any():
            return
        slot = np.full(pairs.relation.shape, -1, dtype=np.int32)
        slot[pairs.upper[fresh], pairs.lower[fresh]] = pairs.at[fresh]
        label, parent = draft.projection.label, draft.projection.parent
        head, _, then = chains
        relation_rows(
            label, parent, np.ones(label.size, dtype=np.bool_), head, then,
            draft.projection.source.lists, slot, self._relations.data,
        )  # fmt: skip
        self._relations.counted(pairs.at[fresh])

    def _with_denied(self, pairs: _Pairs, codes: NDArray[np.int64]) -> _Pairs:
        """Add the relations that an attacker may know to be absent, as relations of their own."""
        upper, lower = codes[pairs.upper], codes[pairs.lower]
        ends = zip(upper.tolist(), lower.tolist(), strict=True)
        denied = [place for place, pair in enumerate(ends) if pair in self.knowledge.unrelated]
        at, _ = self._relations.find((-1 - self._names(upper, lower)[denied]).tolist())
        rows = self._relations.data
        above = self.labels.places(upper[denied].tolist())
        rows[at] = self.labels.rows.data[above] & ~rows[pairs.at[denied]]
        self._relations.counted(at)
        return _Pairs(
            pairs.relation,
            np.concatenate([pairs.upper, pairs.upper[denied]]),
            np.concatenate([pairs.lower, codes.size + np.arange(len(denied))]),
            np.concatenate([pairs.opposite, np.array(denied, dtype=np.int64)]),
            np.concatenate([pairs.at, at]),
            np.concatenate([pairs.count, self._relations.count[at]]),
        )


@dataclass(frozen=True, eq=False)
class Draft:
    """A cut with its projected synopsis, before any relation is broken.

    Attributes
    ----------
    codes
        The label codes that the projection's labels stand for; those of the cut come first.
    cost
        RPD of the records at this cut.
    """

    cut: Cut
    codes: NDArray[np.int64]
    projection: Coarser
    cost: float


def _evenly(records: int) -> NDArray[np.int32]:
    """Give places in a sample to records at equal distances; -1 to the others."""
    chosen = np.unique(np.linspace(0, records - 1, min(records, SAMPLE)).astype(np.int64))
    place = np.full(records, -1, dtype=np.int32)
    place[chosen] = np.arange(chosen.size)
    return place
