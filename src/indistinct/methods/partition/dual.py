"""The dual problem: the most privacy within a bound on what each group may lose."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.errors import CannotMeetError
from indistinct.methods.base import ALL_MODELS, Copies, Method
from indistinct.methods.common.demands import beyond_rows, compiled, demands
from indistinct.methods.common.orders import Mapping, mapped
from indistinct.methods.common.pieces import Pieces
from indistinct.methods.partition.accuracy import AccuracyBound
from indistinct.methods.partition.accuracy_constrained import evened_groups
from indistinct.methods.partition.diversify import Diversify
from indistinct.methods.partition.dual_exact import most_diverse_groups
from indistinct.methods.partition.hardest_first import HardestFirst
from indistinct.methods.partition.mondrian import Mondrian
from indistinct.methods.partition.one_dimension import PAPER, OneDimension
from indistinct.model.entries import Parts
from indistinct.model.recoding import Partition
from indistinct.requirements import KAnonymity, LDiversity, least_respondents

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.plan import Plan

NARROW = "no grouping was found that keeps the requirements"


class AccuracyConstrained(Method):
    """The most privacy within a bound on each group (AC of Ghinita et al. 2009, section 5).

    The plan states the bound and what to maximize: `[accuracy] max_ncp = 0.3, maximize = "k"`. The
    requirements of the plan must hold besides; `search` says what was reached.

    For k, runs of the order are searched exactly: no partition into runs within the bound has a
    larger smallest group (of one quasi column, in its natural order; of several, along the
    mapping). A run that fits contains only runs that fit, so one pass finds how far each may
    reach, and a binary search over k needs a pass for each step: O((d + log n) n), where the paper
    has O(n^2). For l, groups are grown up to the bound, and rows of frequent values moved between
    neighbours, the nearest in space first (section 6.3). Cost: O(d n + m s) for m values and s rows
    that move, and a look at all rows of a value each time that one of them makes a group wider.
    Copies of a row count once in n. Then groups of more values are tried, seeded at the rows with
    fewest values within reach, which is our own (`hardest_first`); `search` tells with `at_most`
    what l no grouping within the bound can exceed. Cost: about as much work on any large table.

    Parameters
    ----------
    mapping
        The order of rows: `hilbert`, `idistance`, `lexicographic`, or a function.
    hardest_first
        Whether to go on, for l, with groups seeded where they are hardest to make; not where people
        have several rows.
    exact
        Whether to search l by dynamic programming (section 5.1): for small tables, or narrow bounds
        (the window of Lemma 8). Of one
        quasi column nothing is better. k is always exact.

    References
    ----------
    Ghinita et al. 2009, sections 5 and 6.3, Figure 17.
    """

    decides: ClassVar[str] = "groups of rows within a bound on their loss, as private as possible"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = PAPER

    groups_rows: ClassVar[bool] = True
    copies: ClassVar[Copies] = "together"

    name: Literal["ac"] = "ac"
    mapping: Mapping = "hilbert"
    hardest_first: bool = True
    exact: bool = False

    def copies_for(self, problem: Problem) -> Copies:
        """It parts copies itself; a mapping of the user's own and the programme take each row.

        So do runs for k under a rule on values: cut where rows of a value lie together, they would
        have few values.
        """
        if self.exact or callable(self.mapping):
            return "apart"
        return "together" if _for_values(problem) else super().copies_for(problem)

    def reads(self, plan: Plan) -> Collection[str]:
        """Name the column whose diversity is maximized."""
        return _maximized(plan)

    def search(self, problem: Problem) -> Partition:
        """Find the groups, or say which bound could be kept."""
        demands(problem)
        bound = AccuracyBound.of(problem)
        order = mapped(problem, self.mapping).order
        if bound.asked.maximize == "k":
            pieces = _longest_runs(problem, bound, order)
        else:
            pieces = self._most_diverse(problem, bound, order)
        partition = _satisfying(problem, pieces)
        more: dict[str, float] = {}
        if self._tries_hardest_first(problem):
            partition, more = _hardest_first(problem, bound, order, partition)
        if partition is None:
            raise bound.too_narrow(order, NARROW)
        return replace(partition, search=bound.report(partition) | more)

    def _tries_hardest_first(self, problem: Problem) -> bool:
        """Return whether to look for more diverse groups, each row being another person's."""
        wanted = self.hardest_first and not self.exact
        return wanted and _for_values(problem) and not problem.table.has_respondents

    def _most_diverse(
        self, problem: Problem, bound: AccuracyBound, order: NDArray[np.int32]
    ) -> Pieces:
        column = bound.column()
        evened = evened_groups(problem, bound, order, column.codes, len(column.values))
        if self.exact:
            least = bound.reached(Partition(evened.groups))
            groups = most_diverse_groups(problem, bound.arrays, order, column.codes, least)
            groups = evened.groups if groups is None else groups
            return Pieces(Parts.whole(problem.table.row_counts), groups)
        return evened


def _hardest_first(
    problem: Problem, bound: AccuracyBound, order: NDArray[np.int32], best: Partition | None
) -> tuple[Partition | None, dict[str, float]]:
    """Look for groups more diverse than the best so far; tell also what none can exceed."""
    least = least_respondents(problem.requirements)
    work = HardestFirst(problem, bound, order, bound.column().codes, least=least)
    reached = 1.0 if best is None else bound.reached(best)
    for pieces in work.best_above(reached):
        partition = _satisfying(problem, pieces)
        if partition is not None and bound.reached(partition) > reached:
            best, reached = partition, bound.reached(partition)
    return best, {"at_most": work.most}


def _for_values(problem: Problem) -> bool:
    """Return whether the diversity of values is maximized."""
    return problem.accuracy is not None and problem.accuracy.maximize == "l"


def _maximized(plan: Plan) -> list[str]:
    """Name the sensitive column whose diversity a plan maximizes, or all if it names none."""
    if plan.accuracy is None or plan.accuracy.maximize != "l":
        return []
    return [plan.accuracy.column] if plan.accuracy.column else plan.with_role("sensitive")


def _longest_runs(problem: Problem, bound: AccuracyBound, order: NDArray[np.int32]) -> Pieces:
    """Group an order into runs within the bound whose smallest is as large as possible."""
    from indistinct.methods.partition.bounded_runs_kernel import (
        cuts_of_runs,
        earliest_starts,
        ends_of_runs,
    )

    earliest = earliest_starts(problem.codes, order, problem.spans.arrays, bound.arrays)
    before = problem.table.rows_before(order)
    low, high = 1, problem.table.rows
    while low < high:
        middle = (low + high + 1) // 2
        if ends_of_runs(earliest, before, middle)[-1] >= 0:
            low = middle
        else:
            high = middle - 1
    cuts = cuts_of_runs(ends_of_runs(earliest, before, low), before, low)
    sizes = np.diff(cuts[::-1], append=problem.table.rows)
    return Pieces.along(order, problem.table.row_counts, sizes)


def _satisfying(problem: Problem, pieces: Pieces) -> Partition | None:
    """Return the partition that pieces make, if every group satisfies all requirements."""
    if not _satisfy(pieces.of(problem), pieces.groups):
        return None
    return pieces.partition(problem, pieces.groups)


def _satisfy(problem: Problem, groups: NDArray[np.int32]) -> bool:
    """Return whether every group satisfies all requirements."""
    from indistinct.methods.common.demands_kernel import runs_satisfied

    asked = compiled(problem)
    if beyond_rows(asked) is None:
        return bool((np.bincount(groups, problem.table.row_counts) >= asked.least).all())
    order = np.argsort(groups, kind="stable").astype(np.int32)
    return bool(runs_satisfied(asked, order, np.cumsum(np.bincount(groups))).all())


class Ipcsd(Method):
    """The dual problem by solving the direct one again and again (Ghinita et al. 2009, Figure 3).

    A search over k or l, by doubling and then by halves (the paper halves from the start); the
    largest that was found within the bound is kept. The loss of direct methods does not rise
    steadily with privacy, so this may miss larger ones: it is the baseline that `ac` is measured
    against.

    Parameters
    ----------
    direct
        The method for the direct problem: `one-dimension` or `mondrian` for k, `diversify` or
        `mondrian` for l.
    mapping
        The order of rows for `one-dimension` and `diversify`.
    threshold
        The search over l stops when it knows l to within this.

    References
    ----------
    Ghinita et al. 2009, section 1 and Figure 3.
    """

    decides: ClassVar[str] = "groups of rows within a bound, by trying larger and larger k or l"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = PAPER

    groups_rows: ClassVar[bool] = True
    copies: ClassVar[Copies] = "together"

    name: Literal["ipcsd"] = "ipcsd"
    direct: Literal["one-dimension", "diversify", "mondrian"] = "diversify"
    mapping: Mapping = "hilbert"
    threshold: Annotated[float, Field(gt=0, allow_inf_nan=False)] = 0.05

    def copies_for(self, problem: Problem) -> Copies:
        """Copies are parted anew for each k; for l, and beside rules on values, by row.

        Mondrian never parts them.
        """
        if self.direct == "mondrian":
            return "together"
        if _for_values(problem) or callable(self.mapping):
            return "apart"
        return super().copies_for(problem)

    def reads(self, plan: Plan) -> Collection[str]:
        """Name the column whose diversity is maximized."""
        return _maximized(plan)

    def search(self, problem: Problem) -> Partition:
        """Search the largest k or l whose groups stay within the bound."""
        demands(problem)
        bound = AccuracyBound.of(problem)
        best, tried = self._direct(problem, bound), 1
        for partition in self._tries(problem, bound):
            tried += 1
            if best is None or (partition and bound.reached(partition) > bound.reached(best)):
                best = partition
        if best is None:
            why = f"method {self.direct!r} keeps the requirements in no groups"
            raise bound.too_narrow(mapped(problem, self.mapping).order, why)
        return replace(best, search={**bound.report(best), "tried": tried})

    def _tries(self, problem: Problem, bound: AccuracyBound) -> Iterator[Partition | None]:
        """Raise k or l while it can be kept, then halve what is left between."""
        whole = bound.asked.maximize == "k"
        low, high, step = 1.0, float(problem.table.rows), 1.0
        if not whole:
            held = bound.column()
            high /= int(problem.table.rows_by(held.codes, len(held.values)).max())
            step = self.threshold
        # Doubling first: one-dimensional methods take time that is linear in k.
        at = min(2 * low, high)
        while high - low >= step:
            more = self._asked(bound, at)
            stricter = replace(problem, requirements=(*problem.requirements, more))
            partition = self._direct(stricter, bound)
            yield partition
            if partition:
                low, at = at, min(2 * at, (at + high) / 2)
            else:
                high = at - step if whole else at
                at = (low + high) / 2
            at = float(np.ceil(at)) if whole else at

    @staticmethod
    def _asked(bound: AccuracyBound, least: float) -> KAnonymity | LDiversity:
        if bound.asked.maximize == "k":
            return KAnonymity(k=int(least))
        return LDiversity(kind="frequency", l=least, column=bound.column().name)

    def _direct(self, problem: Problem, bound: AccuracyBound) -> Partition | None:
        """Solve the direct problem; nothing where it cannot be met, or not within the bound."""
        try:
            partition = _searched(self._method(), problem)
        except CannotMeetError:
            return None
        return partition if bound.kept_by(partition) else None

    def _method(self) -> Mondrian | Diversify | OneDimension:
        if self.direct == "mondrian":
            return Mondrian()
        if self.direct == "diversify":
            return Diversify(mapping=self.mapping)
        return OneDimension(mapping=self.mapping)


def _searched(method: Mondrian | Diversify | OneDimension, problem: Problem) -> Partition:
    """Search, with the ends of entries as loose as what is asked now needs."""
    if method.copies_for(problem) != "loose-ends":
        return method.search(problem)
    least = least_respondents(problem.requirements)
    parts = Parts.with_loose_ends(problem.table.row_counts, least)
    partition = method.search(replace(problem, table=parts.of_table(problem.table)))
    return Pieces(parts, partition.groups).partition(problem, partition.groups, **partition.search)
