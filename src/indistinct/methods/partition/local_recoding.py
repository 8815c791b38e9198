"""Local recoding by repeated full-domain search: release what fits, search again for the rest."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.errors import CannotMeetError
from indistinct.methods.base import ALL_MODELS, Copies, Method
from indistinct.methods.common.clusters import Clusters
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.judge import judges
from indistinct.methods.common.repair import repaired
from indistinct.methods.full_domain.branch import Branch, Incumbent
from indistinct.methods.full_domain.counting_walk import CountingWalk
from indistinct.methods.full_domain.walk import Step, settled_at, walk
from indistinct.methods.partition.best import Best as FirstGroups
from indistinct.model.recoding import LevelVector, Partition
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline
    from indistinct.methods.full_domain.walk import Settled
    from indistinct.model.table import Table

WITHOUT_VALUES, WITH_VALUES = 1.1, 1.25
FEW = 0.03
SEARCHING = 0.8


class LocalRecoding(Method):
    """Repeated full-domain search over the rows that are left.

    Each round finds the level vector of least loss for the rows left (exactly, see `optimal`),
    where a row that does not fit costs only a part of what a suppressed row costs; so a fine vector
    that fits some rows is preferred to a coarse one that fits all. The classes that satisfy become
    groups, and the rest is searched again, until none is left or the rest can be no class of its
    own; rows that never fit join the group whose loss they raise least. Groups are published as
    what their rows span, not at the levels of the round.

    Parameters
    ----------
    left_out
        What a cell of a row that does not fit the first round costs, as a share of a suppressed
        one. Classes whose rows would cost more are not released in that round.
    growth
        By how much that share grows when no class is worth it any more; smaller takes more, finer
        rounds. By default 1.1, and 1.25 where requirements on sensitive columns make rounds slow;
        there it also grows after a round that fits less than 3 % of the rows left.
    time_limit
        Stop after so many seconds; rows still left then are grouped as `best` begins.

    References
    ----------
    Prasser, Bild, Eicher, Spengler, Kuhn: Lightning; and ARX, "local recoding", which repeats its
    full-domain search in this way. Details differ: our rounds are solved exactly.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(method={"name": "local-recoding"})
    >>> anonymize(medical(), plan).verified.holds
    True
    """

    decides: ClassVar[str] = "groups of rows, by repeated search for levels of whole columns"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "as ARX does (Prasser et al.); rounds solved exactly"

    groups_rows: ClassVar[bool] = True
    copies: ClassVar[Copies] = "together"
    copies_judged: ClassVar[Copies] = "together"

    name: Literal["local-recoding"] = "local-recoding"
    left_out: Annotated[float, Field(gt=0, le=1, allow_inf_nan=False)] = 0.03
    growth: Annotated[float, Field(gt=1, allow_inf_nan=False)] | None = None
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    def search(self, problem: Problem) -> Partition:
        """Search again and again."""
        require_possible(problem)
        until = problem.deadline(self.time_limit)
        deadline = until.part(SEARCHING)
        table, rows = problem.table, problem.table.rows
        groups = np.full(table.entries, -1, dtype=np.int32)
        left, count = np.arange(table.entries), rows
        k = least_respondents(problem.requirements)
        slow = bool(judges(problem))
        growth = self.growth or (WITH_VALUES if slow else WITHOUT_VALUES)
        rounds, worth = 0, self.left_out
        while count >= k and not deadline.passed:
            part = _part(problem, left, worth)
            vector = _round(part, deadline)
            if vector is not None:
                rounds += 1
                groups[left[vector.kept]] = groups.max() + 1 + _classes(part.table, vector)
                if slow and part.table.rows_where(vector.kept) < FEW * count:
                    worth = min(1.0, worth * growth)
                left, count = left[~vector.kept], part.table.rows_where(~vector.kept)
                problem.progress.advance(1 - count / rows)
            elif worth < 1:
                worth = min(1.0, worth * growth)
            else:
                break
        report = {"rounds": rounds, "rows_fitted": rows - count, "timed_out": deadline.passed}
        if deadline.passed and count > k:
            groups[left] = _hurried(problem, left, int(groups.max()) + 1, until)
        return Partition(repaired(problem, with_rest(problem, groups)), report)


def _hurried(
    problem: Problem, rows: NDArray[np.intp], first: int, deadline: Deadline
) -> NDArray[np.int32]:
    """Group the rows that are left when time is over as `best` begins; -1 if that cannot be done.

    To let each join the nearest group takes as long as there are rows and groups.
    """
    part = _part(problem, rows, 1.0)
    part = replace(part, max_suppressed=0, suppressed_cell=problem.suppressed_cell)
    try:
        groups_of_rest = FirstGroups(local_search=False).search_until(part, deadline).groups
    except CannotMeetError:
        return np.full(rows.size, -1, dtype=np.int32)
    return (groups_of_rest + first).astype(np.int32)


class Worthwhile:
    """A walk that also leaves out classes whose rows cost more than rows that are left out.

    What a row costs can only grow as columns are fixed, so this is a bound like the others.
    """

    def __init__(self, way: CountingWalk, problem: Problem) -> None:
        self.order = way.order
        self.monotone = way.monotone
        self._way = way
        self._most = float(sum(problem.suppressed_cell))
        self._exact = not judges(problem)
        self.root = way.root
        self.settle = way.settle
        self.kept = way.kept

    def child(self, step: Step, level: int) -> Step:
        """Fix the next column at a level."""
        return self._affordable(self._way.child(step, level))

    def children(self, step: Step, levels: Iterable[int]) -> Iterator[Step]:
        """Fix the next column at several levels."""
        return (self._affordable(child) for child in self._way.children(step, levels))

    def _sizes(self, step: Step) -> NDArray[np.int64]:
        """Count the rows of each class."""
        if len(step.state) > 2:
            sizes: NDArray[np.int64] = step.state[3]
            return sizes
        classes, costs = step.state
        counts = self._way._prefixes[len(step.levels) - 1].counts  # noqa: SLF001 - its own kind
        within = classes >= 0
        return np.bincount(classes[within], counts[within], costs.size).astype(np.int64)

    def _affordable(self, step: Step) -> Step:
        classes, costs = step.state[:2]
        dear = costs > self._most
        if not dear.any():
            return step
        sizes = self._sizes(step)
        cost = step.cost - float(sizes[dear] @ (costs[dear] - self._most))
        dropped = step.dropped + (int(sizes[dear].sum()) if self._exact else 0)
        number = np.append(np.where(dear, -1, np.cumsum(~dear) - 1), -1).astype(np.int32)
        state = (number[classes], *(part[~dear] for part in step.state[1:]))
        return Step(step.levels, dropped, cost, state)


def _round(part: Problem, deadline: Deadline) -> LevelVector | None:
    """Find the best vector for the rows left; None if no class is worth being released."""
    sizes = [np.unique(column.codes).size for column in part.table.quasi]
    way = walk(part, sorted(range(len(sizes)), key=lambda column: (sizes[column], column)))
    way = Worthwhile(way, part) if isinstance(way, CountingWalk) else way
    best: Incumbent[Settled] = Incumbent(part)
    Branch(way, part, best, deadline).depth_first()
    if best.outcome is None or best.outcome.dropped == part.table.rows:
        return None
    return LevelVector(best.vector, way.kept(settled_at(way, best.vector)))


def _part(problem: Problem, rows: NDArray[np.intp], left_out: float) -> Problem:
    """Restrict a problem to some rows, all but one of which may be left out, cheaply."""
    out = tuple(left_out * cost for cost in problem.suppressed_cell)
    table = problem.table.part(rows)
    return replace(
        problem,
        table=table,
        max_suppressed=table.rows - 1,
        suppressed_cell=out,
        progress=problem.progress.quiet(),
    )


def _classes(table: Table, vector: LevelVector) -> NDArray[np.int32]:
    """Number the classes of the rows that a vector keeps."""
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    columns = list(zip(table.quasi, vector.levels, strict=True))
    nodes = [c.hierarchy.nodes[level][c.codes[vector.kept]] for c, level in columns]
    sizes = [len(c.hierarchy.labels[level]) for c, level in columns]
    numbers: NDArray[np.int32] = rank_keys(row_keys(nodes, sizes)[0])[0]
    return numbers


def with_rest(problem: Problem, groups: NDArray[np.int32]) -> NDArray[np.int32]:
    """Let rows in no group join the nearest one; make them a group if there is none."""
    rest = np.flatnonzero(groups < 0)
    if rest.size == groups.size:
        return np.zeros_like(groups)
    clusters = Clusters(problem, groups)
    of_row = problem.table.frequency_set.inverse[rest]
    for row in np.unique(of_row):
        alike = rest[of_row == row]
        clusters.add(alike, clusters.nearest_to(alike))
    return clusters.groups()
