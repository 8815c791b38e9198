"""What the searches ask of a cut: ValueCheck, and FixStructure with its cost (III-B, C).

The records of a label, or of a relation between labels, do not depend on the cut they are asked for
in, so they are collected once. The synopsis of a cut is projected from one that is just
fine enough for all cuts under examination.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from indistinct.trees.bits_kernel import Intersections, values_fail
from indistinct.trees.fixing_kernel import (
    Agenda,
    Knowable,
    Scratch,
    fix_structure,
)
from indistinct.trees.objectives import Repaired, objective_of
from indistinct.trees.relations_kernel import Relations, RelationSets, mark_pairs, relation_rows
from indistinct.trees.rows import LabelRows, Rows
from indistinct.trees.synopsis import Synopsis

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from indistinct.trees.cuts import Cut, LabelCuts
    from indistinct.trees.methods.base import ObjectiveName, TreeProblem
    from indistinct.trees.objectives import Objective
    from indistinct.trees.synopsis import Coarser

Thing = TypeVar("Thing")
Made = TypeVar("Made")

AT_ONCE = 4
"""How many cuts are fixed at a time; always the same, so that results are."""

_MOST_NAMES = np.int64(1 << 31)

WITHOUT_END = np.iinfo(np.int64).max - 1

TRIED_FIRST = 2
"""After how many broken relations a cut is first dropped if it costs too much already."""


@dataclass(frozen=True)
class Solution:
    """A cut, the relations broken so that it is k^(m,n)-anonymous, and what that costs.

    Attributes
    ----------
    strain
        What is lost of the relations of each label, where the objective can tell.
    """

    cut: Cut
    broken: tuple[tuple[int, int], ...]
    cost: float
    strain: Mapping[int, float] = field(default_factory=dict, compare=False)


@dataclass(frozen=True, eq=False)
class _Pairs:
    """The relations between labels of a cut, and where in the pool their rows are."""

    relations: Relations
    at: NDArray[np.int64]


class Checks:
    """The checks of one problem's cuts."""

    def __init__(
        self, problem: TreeProblem, cuts: LabelCuts, objective: ObjectiveName = "loss"
    ) -> None:
        self.cuts = cuts
        self.knowledge = problem.knowledge
        self.synopsis = Synopsis.of(problem.forest).renumbered()
        self.labels = LabelRows(self.synopsis, cuts)
        self._relations = Rows(self.synopsis.records)
        self._nodes = np.bincount(problem.forest.label, minlength=len(problem.hierarchies.labels))
        self.objective = objective_of(objective, problem, self.synopsis, cuts)
        self._workers = ThreadPoolExecutor(os.cpu_count())

    def values_hold(self, cut: Cut, new: Iterable[int]) -> bool:
        """ValueCheck: no up to m labels, one of them new, are in some but fewer than k records."""
        return self.all_values_hold([(cut, new)])[0]

    def all_values_hold(self, cases: Iterable[tuple[Cut, Iterable[int]]]) -> list[bool]:
        """ValueCheck for several cuts, each with its new labels."""
        picks = [self._picks(cut, set(new)) for cut, new in cases]
        rows, k, m = self.labels.rows.data, self.knowledge.k, self.knowledge.m

        def holds(case: tuple[NDArray[np.int64], int]) -> bool:
            return not values_fail(rows, *case, k, m, Intersections.of(m + 1, rows.shape[1]))

        return self.at_once(holds, picks)

    def _picks(self, cut: Cut, fresh: set[int]) -> tuple[NDArray[np.int64], int]:
        """Return the rows of a cut, the new ones first, then the rarest; and how many are new."""
        names = self.labels.names(cut)
        is_new = np.zeros(self._nodes.size, dtype=np.bool_)
        is_new[list(fresh)] = True
        new = is_new[list(cut)]
        first, old = self._knowable(names[new]), names[~new]
        if self.knowledge.m == 1:  # what is known already is known alone
            return first, first.size
        order = np.argsort(self.labels.support(old), kind="stable")
        return np.concatenate([first, self._knowable(old[order])]), first.size

    def _knowable(self, names: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the rows of labels, and of their absence where an attacker may know of it."""
        if not self.knowledge.absent:
            return self.labels.places(names)
        denied = [code for code in names.tolist() if code in self.knowledge.absent]
        return np.concatenate([self.labels.places(names), self.labels.absent(denied)])

    def left_out(self, cut: Cut) -> int:
        """Count the nodes that a cut leaves out, beyond classes that are left out altogether."""
        image = self.cuts.image(cut)
        of_class = self.cuts.hierarchies.labels.of_class
        shown = np.isin(of_class, of_class[list(cut)])
        return int(self._nodes[shown & (image < 0)].sum())

    def at_once(self, job: Callable[[Thing], Made], things: Iterable[Thing]) -> list[Made]:
        """Do a job for several things, in threads."""
        listed = list(things)
        if len(listed) < AT_ONCE:
            return [job(thing) for thing in listed]
        return list(self._workers.map(job, listed))

    def prepare(self, labels: Iterable[int]) -> None:
        """Make ready for cuts whose labels are all among these."""
        image = self.cuts.image(labels)
        projection = self.synopsis.projection(image)
        self._fine = projection
        self.objective.prepare(projection)
        self._relations.thin()

    def drafted(self, cut: Cut) -> Draft:
        """Project the synopsis to a cut and say what it would cost without any broken relation."""
        image = self.cuts.image(cut)
        own = np.array(cut, dtype=np.int64)
        others = np.setdiff1d(image[image >= 0], own)
        codes = np.concatenate([own, others])
        compact = np.full(image.size + 1, -1, dtype=np.int32)
        compact[codes] = np.arange(codes.size)
        projection = self._fine.coarser(compact[image])
        return Draft(cut, codes, projection, self.objective.of_cut(cut, codes, projection))

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
        pairs = self._pairs(drafts)
        knowable = [
            self._knowable_in(draft.cut, new) for draft, new in zip(drafts, fresh, strict=True)
        ]

        def job(place: int) -> Solution | None:
            return self._fix(drafts[place], pairs[place], knowable[place], most=most, bar=bar)

        return self.at_once(job, range(len(drafts)))

    def _knowable_in(self, cut: Cut, fresh: frozenset[int]) -> tuple[Knowable, NDArray[np.int64]]:
        """Return what attackers may know of a cut, and the places of its fresh labels."""
        picks, new = self._knowable(self.labels.names(cut)), self._fresh(cut, fresh)
        knowledge = self.knowledge
        rows = self.labels.rows.data
        return Knowable(rows, picks, picks[new], knowledge.k, knowledge.m, knowledge.n), new

    def _fix(
        self,
        draft: Draft,
        pairs: _Pairs,
        knowable_and_fresh: tuple[Knowable, NDArray[np.int64]],
        *,
        most: int,
        bar: float,
    ) -> Solution | None:
        knowable, fresh = knowable_and_fresh
        repair = _Repair(draft, pairs, knowable, self._relations)
        relations = np.empty(0, dtype=np.int64)
        limit = min(most, TRIED_FIRST)
        while True:
            # Once relations are broken, what the cut above held is no proof any more.
            more = repair.broken(limit, fresh[:0] if relations.size else fresh)
            relations = np.concatenate([relations, more])
            if not relations.size:
                return Solution(draft.cut, (), draft.cost)
            cost, strain = repair.cost(self.objective)
            if more.size <= limit:
                break
            if limit == most or cost > bar:
                return None
            limit *= 4
        codes, (_, upper, lower, _) = draft.codes, pairs.relations
        ends = np.stack([codes[upper[relations]], codes[lower[relations]]], axis=1)
        return Solution(draft.cut, tuple((a, b) for a, b in ends.tolist()), cost, strain)

    def _fresh(self, cut: Cut, fresh: frozenset[int]) -> NDArray[np.int64]:
        """Return the places of the fresh labels in a cut; none where everything is looked at."""
        knowledge = self.knowledge
        if knowledge.m > 3 or knowledge.absent or knowledge.unrelated:
            return np.empty(0, dtype=np.int64)
        return np.flatnonzero([code in fresh for code in cut]).astype(np.int64)

    def _pairs(self, drafts: Sequence[Draft]) -> list[_Pairs]:
        """Number the relations of some cuts and collect the rows that no cut needed before."""
        numbered = [self._numbered(draft) for draft in drafts]
        self.at_once(lambda job: self._collect(job[0], *job[1]), zip(drafts, numbered, strict=True))
        pairs = [one for one, _ in numbered]
        if not self.knowledge.unrelated:
            return pairs
        return [
            self._with_denied(one, draft.codes) for one, draft in zip(pairs, drafts, strict=True)
        ]

    def _numbered(self, draft: Draft) -> tuple[_Pairs, NDArray[np.bool_]]:
        """Find the relations of a cut, and return which have empty rows yet."""
        size, codes = len(draft.cut), draft.codes
        called = self.labels.names(draft.cut)
        present = np.zeros((codes.size, codes.size), dtype=np.bool_)
        mark_pairs(draft.projection.label, draft.projection.parent, present)
        upper, lower = np.stack(np.nonzero(present[:size, :size]))
        names = self._names(called[upper], called[lower])
        at, new = self._relations.find(names.tolist())
        number = np.full((codes.size, codes.size), -1, dtype=np.int32)
        number[upper, lower] = np.arange(upper.size)
        opposite = np.full(upper.size, -1, dtype=np.int64)
        return _Pairs(Relations(number, upper, lower, opposite), at), np.isin(names, np.array(new))

    def _names(self, upper: NDArray[np.int64], lower: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the names of relations between labels, the same in every cut."""
        return upper * _MOST_NAMES + lower

    def _collect(self, draft: Draft, pairs: _Pairs, fresh: NDArray[np.bool_]) -> None:
        """Fill the rows of fresh relations."""
        if not fresh.any():
            return
        row_of = np.where(fresh, pairs.at, -1)
        paths, lists = draft.projection.paths(), draft.projection.source.lists
        relation_rows(paths, lists, pairs.relations.number, row_of, self._relations.data)
        self._relations.counted(pairs.at[fresh])

    def _with_denied(self, pairs: _Pairs, codes: NDArray[np.int64]) -> _Pairs:
        """Add the relations that an attacker may know to be absent, as relations of their own."""
        number, own_upper, own_lower, opposite = pairs.relations
        upper, lower = codes[own_upper], codes[own_lower]
        ends = zip(upper.tolist(), lower.tolist(), strict=True)
        denied = [place for place, pair in enumerate(ends) if pair in self.knowledge.unrelated]
        at, _ = self._relations.find((-1 - self._names(upper, lower)[denied]).tolist())
        rows = self._relations.data
        above = self.labels.places(upper[denied])
        rows[at] = self.labels.rows.data[above] & ~rows[pairs.at[denied]]
        self._relations.counted(at)
        relations = Relations(
            number,
            np.concatenate([own_upper, own_upper[denied]]),
            np.concatenate([own_lower, codes.size + np.arange(len(denied))]),
            np.concatenate([opposite, np.array(denied, dtype=np.int64)]),
        )
        return _Pairs(relations, np.concatenate([pairs.at, at]))


class _Repair:
    """The paths of a cut while relations in them are broken."""

    def __init__(self, draft: Draft, pairs: _Pairs, knowable: Knowable, pool: Rows) -> None:
        self.paths = draft.projection.paths()
        self._draft = draft
        self._before = pool.count[pairs.at]
        self._lists = draft.projection.source.lists
        self._relations = pairs.relations
        self._knowable = knowable
        own = np.empty((pairs.at.size, pool.words), dtype=np.uint64)
        self._sets = RelationSets(pool.data, pairs.at.copy(), own, pool.count[pairs.at])
        self._scratch = Scratch.of(knowable.m, knowable.n, pool.words, pairs.at.size)

    def cost(self, objective: Objective) -> tuple[float, dict[int, float]]:
        """Return what the cut costs with the relations broken so far, and the strain on labels."""
        now = Repaired(self.paths, self._relations, self._sets, self._before)
        draft = self._draft
        cost, lost = objective.of_repaired(draft.cost, draft.codes, draft.projection, now)
        if lost is None:
            return cost, {}
        hit = np.flatnonzero(lost)
        ends = draft.codes[np.concatenate([self._relations.upper[hit], self._relations.lower[hit]])]
        labels, place = np.unique(ends, return_inverse=True)
        strain = np.bincount(place, np.tile(lost[hit], 2))
        return cost, dict(zip(labels.tolist(), strain.tolist(), strict=True))

    def broken(self, limit: int, fresh: NDArray[np.int64]) -> NDArray[np.int64]:
        """Break relations until nothing is too rare, or more than a limit of them.

        Where there are `fresh` labels, only knowledge with one of them can be too rare.
        """
        count = self._sets.size_of
        agenda = Agenda(
            np.argsort(count, kind="stable"),
            dirty=count > 0,
            proven=self._proven(fresh),
            broken=np.empty(count.size, dtype=np.int64),
        )
        done = fix_structure(
            self.paths, self._lists, self._relations, self._sets, self._knowable, agenda,
            self._scratch, limit,
        )  # fmt: skip
        return agenda.broken[:done]

    def _proven(self, fresh: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which relations are between labels that the cut above has too."""
        if not fresh.size:
            return np.zeros(self._sets.size_of.size, dtype=np.bool_)
        new = np.zeros(len(self._relations.number), dtype=np.bool_)
        new[fresh] = True
        return ~new[self._relations.upper] & ~new[self._relations.lower]


@dataclass(frozen=True, eq=False)
class Draft:
    """A cut with its projected synopsis, before any relation is broken.

    Attributes
    ----------
    codes
        The label codes that the projection's labels stand for; those of the cut come first.
    cost
        What the cut costs with all relations.
    """

    cut: Cut
    codes: NDArray[np.int64]
    projection: Coarser
    cost: float
