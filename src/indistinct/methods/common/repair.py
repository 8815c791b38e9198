"""Joining groups until every one of them satisfies every requirement."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import CannotMeetError, Fault
from indistinct.methods.common.clusters import Clusters
from indistinct.methods.common.judge import Pairs, judges
from indistinct.methods.common.views import views
from indistinct.model.forms import set_labels, span_labels
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem


class Check:
    """Finds which groups satisfy all requirements.

    Where each row is another person's, groups that satisfy do so too when they are published
    alike (all models are closed under unions), so it is enough to look at each by itself. Where
    people have several rows, it is not: then groups that are published alike are counted together.
    """

    def __init__(self, problem: Problem) -> None:
        self._problem = problem
        self._general = problem.table.has_respondents or bool(judges(problem, joined=True))
        self._views = views(problem) if self._general else []
        self._judges = [] if self._general else judges(problem)
        entries = np.arange(problem.table.entries, dtype=np.int32)
        self._rows = problem.table.row_counts
        self._pairs = [Pairs(entries, judge.column.codes, self._rows) for judge in self._judges]
        self._least = least_respondents(problem.requirements)

    def __call__(self, groups: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return of each group, numbered from 0, whether it satisfies."""
        count = int(groups.max(initial=-1)) + 1
        if self._general:
            return self._by_views(groups, count)
        kept = groups >= 0
        fine = self._problem.table.rows_by(groups[kept], count, kept) >= self._least
        for judge, pairs in zip(self._judges, self._pairs, strict=True):
            fine &= judge(groups, count, pairs)[0]
        return fine

    def among(self, some: NDArray[np.intp], classes: NDArray[np.int32]) -> NDArray[np.bool_]:
        """Return which classes of some entries only, numbered from 0, satisfy."""
        if self._general:
            groups = np.full(self._problem.table.entries, -1, dtype=np.int32)
            groups[some] = classes
            return self(groups)
        rows = self._rows[some]
        fine = np.bincount(classes, rows) >= self._least
        places = np.arange(some.size, dtype=np.int32)
        for judge in self._judges:
            pairs = Pairs(places, judge.column.codes[some], rows)
            fine &= judge(classes, fine.size, pairs)[0]
        return fine

    def _by_views(self, groups: NDArray[np.int32], count: int) -> NDArray[np.bool_]:
        from indistinct.model.ranking_kernel import rank_keys

        kept = groups >= 0
        alone = np.maximum(groups, 0)
        fine = np.ones(count, dtype=bool)
        people = self._problem.table.has_respondents
        labels = self._labels(groups, count) if people else []
        for view in self._views:
            seen = [alone]
            if people:
                seen.append(_together([labels[column] for column in view.columns])[alone])
            for classes in seen:
                parts = int(view.known.max(initial=0)) + 1
                numbers = rank_keys(classes.astype(np.int64) * parts + view.known)[0]
                satisfied = view.satisfying(numbers, kept, bound=False)
                fine[groups[kept & ~satisfied]] = False
        return fine

    def _labels(self, groups: NDArray[np.int32], count: int) -> list[NDArray[np.int32]]:
        """Number what each column of each group is published as."""
        from indistinct.kernels.spans import bounds_of

        problem = self._problem
        low, high = bounds_of(problem.codes, groups, count)
        numbered = []
        for place, column in enumerate(problem.table.quasi):
            if problem.spans.forms[place] == "set":
                texts: tuple[str | None, ...] = set_labels(column, groups, count)[1]
            else:
                form = problem.spans.forms[place]
                numbers, labels = span_labels(column, form, low[:, place], high[:, place])
                texts = tuple(labels[number] for number in numbers)
            seen: dict[str | None, int] = {}
            coded = [seen.setdefault(text, len(seen)) for text in texts]
            numbered.append(np.array(coded, dtype=np.int32))
        return numbered


def _together(columns: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Number equal rows of some columns."""
    _, numbers = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
    return numbers.reshape(-1).astype(np.int32)


def repaired(problem: Problem, groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """Join groups that fail with the group of least increase in loss until none fails.

    In each round every failing group, the smallest first, joins another one, unless one has just
    joined it. If not even all rows together satisfy, failing groups are left out, within the limit.

    Raises
    ------
    CannotMeetError
        If that is not enough.
    """
    check = Check(problem)
    start = groups
    while not (fine := check(groups)).all():
        if fine.size == 1:
            return _without_failing(problem, check, start)
        clusters = Clusters(problem, groups)
        failing = np.flatnonzero(~fine)
        before = clusters.sizes.copy()
        for group in failing[np.argsort(before[failing], kind="stable")]:
            if clusters.sizes[group] == before[group]:
                into, _ = clusters.nearest(int(group))
                if into >= 0:
                    clusters.join(int(group), into)
        groups = clusters.groups()
        problem.progress.advance(1 - failing.size / fine.size)
    return groups


def _without_failing(
    problem: Problem, check: Check, groups: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Leave out the groups that fail."""
    while groups.max(initial=-1) >= 0 and not (fine := check(groups)).all():
        numbers = np.append(np.where(fine, np.cumsum(fine) - 1, -1), -1).astype(np.int32)
        groups = numbers[groups]
    suppressed = problem.table.rows_where(groups < 0)
    if suppressed > problem.max_suppressed or suppressed == problem.table.rows:
        asked = "; ".join(f"{r.model} ({r.asked()})" for r in problem.requirements)
        raise CannotMeetError(
            Fault(
                "requirements",
                f"no groups were found that satisfy {asked} with at most "
                f"{problem.max_suppressed} of {problem.table.rows} rows suppressed",
                "Raise limits.suppression, or relax the requirements.",
            )
        )
    return groups
