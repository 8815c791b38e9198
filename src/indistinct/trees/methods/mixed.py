"""Mixed records: roots grouped by a method for tables, and within each group a search of its own.

Whoever knows all root values of a person looks among the records that are alike in them, so each
such group must be k^(m,n)-anonymous by itself, and its records are recoded by a cut of their own.
The larger the groups, the coarser their roots and the finer their trees. Groups of at least k, 2k,
4k, ... are tried by a short search in some of them, and those that lose least are kept: all of
their groups are searched, and thoroughly where they are few.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import CannotMeetError
from indistinct.methods.common.deadline import Deadline
from indistinct.trees.measures.kept import align
from indistinct.trees.measures.loss import loss_of
from indistinct.trees.methods.base import TreeRecoding
from indistinct.trees.methods.for_roots import DEFAULT
from indistinct.trees.methods.groups import joined_records, put_together
from indistinct.trees.methods.own_labels import with_own_labels
from indistinct.trees.methods.root_groups import RootGroups
from indistinct.trees.operations import relabelled
from indistinct.trees.repair import repaired
from indistinct.trees.roots import Split, members_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Method
    from indistinct.trees.methods.base import TreeMethod, TreeProblem

LOOKS = 48
"""On how many groups of a size the loss is measured."""
FEW = 16
"""Up to how many groups the last search is thorough."""
LEAST_SECONDS = 1e-3
"""What a search in a group is given even where the time is up."""
NO_TREES = "nothing below the root is published: too few records have any class of labels"
WORSE = 2
"""After how many larger sizes that lose more none is tried any more."""


def search_mixed(
    problem: TreeProblem, method: TreeMethod, root_method: Method | None, seed: int | None
) -> TreeRecoding:
    """Find a recoding of mixed records: of `problem.knowledge.roots`, and of the trees below.

    Raises
    ------
    CannotMeetError
        If there is none, whatever the size of groups.
    """
    return _Mixed(problem, method, root_method, seed).run()


@dataclass(eq=False)
class _Trial:
    """Groups of one size.

    Attributes
    ----------
    root
        The published labels at the root of each record.
    members
        The records of each group.
    parts
        What was found for groups so far.
    """

    root: NDArray[np.int32]
    members: list[NDArray[np.intp]]
    parts: dict[int, TreeRecoding] = field(default_factory=dict)
    cost: float = np.inf


class _Mixed:
    def __init__(
        self, problem: TreeProblem, method: TreeMethod, root_method: Method | None, seed: int | None
    ) -> None:
        self._problem, self._method = problem, method
        self._split = Split.of(problem.forest, problem.knowledge.roots)
        self._groups = RootGroups(problem, self._split, seed)
        self._ways = [root_method] if root_method else self._groups.fitting(DEFAULT)
        seconds = getattr(method, "seconds", None)
        self._deadline = Deadline(seconds, problem.progress.look)
        self._below = replace(
            problem,
            hasty=True,
            forest=self._split.trees,
            knowledge=replace(problem.knowledge, roots=frozenset()),
            progress=problem.progress.quiet(),
        )

    def run(self) -> TreeRecoding:
        failures: list[CannotMeetError] = []
        trials = [trial for way in self._ways for trial in self._trials(way, failures)]
        for trial in sorted(trials, key=lambda trial: trial.cost):
            try:
                return self._finished(trial)
            except CannotMeetError as error:
                failures.append(error)
        raise failures[-1]

    def _trials(self, way: Method, failures: list[CannotMeetError]) -> Iterator[_Trial]:
        """Yield groups of ever larger sizes, each with what some of them lose."""
        sizes = list(self._sizes())
        least, worse, last = np.inf, 0, None
        for done, size in enumerate(sizes):
            root = self._groups.of_at_least(size, way)
            if last is not None and np.array_equal(root, last):
                continue
            last = root
            trial = self._grouped(root)
            try:
                self._measure(trial, shares=2 * (len(sizes) - done) + 1)
            except CannotMeetError as error:
                failures.append(error)
                continue
            yield trial
            self._problem.progress.advance((done + 1) / (len(sizes) + 1))
            worse = 0 if trial.cost < least else worse + 1
            least = min(least, trial.cost)
            if worse >= WORSE or self._deadline.passed:
                return

    def _sizes(self) -> Iterator[int]:
        size, records = self._problem.knowledge.k, self._problem.forest.size
        while size < records:
            yield size
            size *= 2
        yield records

    def _grouped(self, root: NDArray[np.int32]) -> _Trial:
        group = np.unique(root, axis=0, return_inverse=True)[1].reshape(-1)
        return _Trial(root, members_of(group))

    def _measure(self, trial: _Trial, shares: int) -> None:
        """Search in some groups, in its share of the time, and measure what their records lose."""
        count = len(trial.members)
        some = np.unique(np.linspace(0, count - 1, min(count, LOOKS)).astype(int)).tolist()
        self._search(trial, some, shares)
        rows = np.concatenate([trial.members[place] for place in some])
        shown = joined_records([trial.parts[place] for place in some], trial.root[rows])
        kept = align(self._problem.forest.taken(rows), shown, self._problem.hierarchies)
        trial.cost = loss_of(kept, self._problem.weights).total

    def _search(self, trial: _Trial, places: Iterable[int], shares: int = 1) -> None:
        """Search in groups that were not searched in before."""
        new = [place for place in places if place not in trial.parts]
        for done, place in enumerate(new):
            self._problem.progress.look()
            trial.parts[place] = self._recoded(trial.members[place], shares * (len(new) - done))

    def _recoded(self, members: NDArray[np.intp], shares: int) -> TreeRecoding:
        """Search in one group, in its share of the time."""
        forest = self._below.forest.taken(members)
        if not forest.nodes:
            return TreeRecoding(forest, None)
        own, full = with_own_labels(replace(self._below, forest=forest))
        try:
            part = self._searched(own, shares)
        except CannotMeetError:
            if own.knowledge.l > 1:  # sensitive classes are published as they are
                raise
            bare = forest.only(np.zeros(forest.nodes, dtype=np.bool_))
            return TreeRecoding(bare, None, notes=(NO_TREES,))
        return replace(
            part,
            forest=relabelled(part.forest, forest.labels, full),
            disassociated=tuple((int(full[a]), int(full[b])) for a, b in part.disassociated),
        )

    def _searched(self, own: TreeProblem, shares: int) -> TreeRecoding:
        method = self._method
        if (left := self._deadline.seconds_left) is not None:
            method = method.model_copy(update={"seconds": max(left / shares, LEAST_SECONDS)})
        part = repaired(method.search(own), own)
        if 0 < part.released.size < own.knowledge.k:  # too few are left to be alike at the root
            part = repaired(method.search(replace(own, suppression=0.0)), own)
        return part

    def _finished(self, trial: _Trial) -> TreeRecoding:
        """Search in all groups, and put what is published of their records together."""
        thorough = len(trial.members) <= FEW and not self._deadline.passed
        if thorough:
            trial.parts = {}
        self._below = replace(self._below, hasty=not thorough)
        self._search(trial, range(len(trial.members)))
        parts = [trial.parts[place] for place in range(len(trial.members))]
        recoding = put_together(parts, trial.members, trial.root)
        kept = align(self._problem.forest, recoding.forest, self._problem.hierarchies)
        return replace(recoding, cost=loss_of(kept, self._problem.weights).total)
