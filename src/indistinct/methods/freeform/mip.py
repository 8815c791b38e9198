"""freeform-mip: the least loss of all regular graphs, by mixed integer programming."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.errors import CannotMeetError, Fault
from indistinct.methods.base import Method
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.common.solving import solve
from indistinct.methods.freeform.regular import loss_of, matchings, rings
from indistinct.methods.partition.best import Best
from indistinct.model.ncp import node_loss
from indistinct.model.spans import lines
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.model.recoding import Matching
    from indistinct.model.table import QuasiColumn

MOST_ROWS = 60


class FreeformMip(Method):
    """The graph of least loss, by the mixed integer program of the paper and HiGHS.

    x(l, i) says whether published row i covers original row l; k for each l and each i, and
    x(i, i) = 1, which any regular graph allows. Ranges are priced by their ends, sets by an
    indicator for each value, as in the paper. The paper has no hierarchies: a node is priced by an
    indicator for each level that a box must climb, at what the step up costs more. A range that
    holds a missing value costs everything. For small tables: the problem is NP-hard.

    Parameters
    ----------
    time_limit
        Stop after so many seconds with the best graph found, or rings of groups of rows if there
        is none yet; `search` tells the gap.

    References
    ----------
    Doka, Xue, Tsoumakos, Karras: k-anonymization by freeform generalization, ASIA CCS 2015,
    section 4, (4) to (11).
    """

    decides: ClassVar[str] = "which k rows each published row covers, at the least loss of all"
    keeps: ClassVar[tuple[str, ...]] = ("k-anonymity",)
    paper: ClassVar[str] = "Doka, Xue, Tsoumakos, Karras, ASIA CCS 2015, section 4"

    groups_rows: ClassVar[bool] = True
    matches_rows: ClassVar[bool] = True

    name: Literal["freeform-mip"] = "freeform-mip"
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None

    def search(self, problem: Problem) -> Matching:
        """Write the program down and solve it."""
        from scipy.optimize import Bounds, LinearConstraint

        require_possible(problem)
        deadline = problem.deadline(self.time_limit)
        rows = problem.table.entries
        if rows > MOST_ROWS:
            raise CannotMeetError(
                Fault(
                    "method",
                    f"it is for at most {MOST_ROWS} rows; the data has {rows}",
                    'Set method.name = "freeform".',
                )
            )
        program = _Program(problem)
        found = solve(
            deadline,
            c=program.price,
            integrality=program.whole,
            bounds=Bounds(program.least, program.most),
            constraints=LinearConstraint(program.matrix, program.at_least, program.at_most),
        )
        if found["x"] is None:
            return _hurried(problem)
        chosen = found["x"][: rows * rows].reshape(rows, rows) > 0.5
        covered = np.nonzero(chosen.T)[1].reshape(rows, -1).astype(np.int32)
        optimal = bool(found["status"] == 0)
        told = {"loss": loss_of(problem, covered), "optimal": optimal, "timed_out": not optimal}
        return matchings(covered, told | {"gap": float(found["mip_gap"] or 0.0)})


def _hurried(problem: Problem) -> Matching:
    """Answer with rings of a partition where time was over before HiGHS found a graph."""
    start = Best(local_search=False).search(problem)
    covered = rings(start.groups, least_respondents(problem.requirements))
    told = {"loss": loss_of(problem, covered), "optimal": False, "timed_out": True}
    return matchings(covered, told | {"gap": 1.0})


class _Program:
    """The program: variables x(l, i) row by row, then those that price each box and column."""

    def __init__(self, problem: Problem) -> None:
        self._rows = problem.table.entries
        size = self._rows**2
        self.price = np.zeros(size)
        self.whole = np.ones(size)
        self.least = np.eye(self._rows).ravel()
        self.most = np.ones(size)
        self._entries: list[tuple[int, int, float]] = []
        self._limits: list[tuple[float, float]] = []
        self._regular(least_respondents(problem.requirements))
        for place, column in enumerate(problem.table.quasi):
            form = problem.spans.forms[place]
            if form == "range":
                self._ranges(problem, place)
            else:
                steps = _set_steps(column) if form == "set" else _node_steps(column)
                self._indicators(steps)

    @property
    def matrix(self) -> Any:
        """The constraints, as a sparse matrix."""
        from scipy.sparse import coo_array

        at, variable, factor = zip(*self._entries, strict=True)
        shape = (len(self._limits), self.price.size)
        return coo_array((factor, (at, variable)), shape).tocsr()

    @property
    def at_least(self) -> NDArray[np.float64]:
        """The lower limit of each constraint."""
        return np.array([low for low, _ in self._limits])

    @property
    def at_most(self) -> NDArray[np.float64]:
        """The upper limit of each constraint."""
        return np.array([high for _, high in self._limits])

    def _x(self, row: int, box: int) -> int:
        return row * self._rows + box

    def _constrain(self, terms: list[tuple[int, float]], low: float, high: float) -> None:
        self._entries += [(len(self._limits), variable, factor) for variable, factor in terms]
        self._limits.append((low, high))

    def _variables(self, prices: list[float]) -> list[int]:
        """Add real variables from 0 to 1."""
        first, count = self.price.size, len(prices)
        self.price = np.append(self.price, prices)
        self.whole = np.append(self.whole, np.zeros(count))
        self.least = np.append(self.least, np.zeros(count))
        self.most = np.append(self.most, np.ones(count))
        return list(range(first, first + count))

    def _regular(self, k: int) -> None:
        """(10): k edges at each vertex."""
        for one in range(self._rows):
            self._constrain([(self._x(one, box), 1.0) for box in range(self._rows)], k, k)
            self._constrain([(self._x(row, one), 1.0) for row in range(self._rows)], k, k)

    def _ranges(self, problem: Problem, place: int) -> None:
        """(4) to (7), as how far a box reaches up and down from its own value, 0 to 1."""
        column = problem.table.quasi[place]
        zero = np.zeros(column.codes.size, dtype=np.int32)
        begins, ends = (line[column.codes] for line in lines(column))
        for box in range(self._rows):
            own = zero + column.codes[box]
            apart = problem.spans.cost(
                place, np.minimum(own, column.codes), np.maximum(own, column.codes)
            )
            up, down, lost = self._variables([0.0, 0.0, column.weight])
            self._constrain([(lost, 1.0), (up, -1.0), (down, -1.0)], 0.0, np.inf)
            reached = ((up, ends - begins[box]), (down, begins[box] - begins))
            for row in np.flatnonzero(apart > 0).tolist():
                missing = np.isnan(begins[row]) or np.isnan(begins[box])
                for end, far in ((lost, apart),) if missing else reached:
                    share = float(far[row]) / column.weight
                    if share > 0:
                        self._constrain([(end, 1.0), (self._x(row, box), -share)], 0.0, np.inf)

    def _indicators(self, steps: Iterator[tuple[int, float, list[int]]]) -> None:
        """(8), (9): a box pays for a step if it covers one of the rows that ask for it."""
        for box, price, rows in steps:
            (step,) = self._variables([price])
            for row in rows:
                self._constrain([(step, 1.0), (self._x(row, box), -1.0)], 0.0, np.inf)


def _set_steps(column: QuasiColumn) -> Iterator[tuple[int, float, list[int]]]:
    """For each box and other value: what the value costs, and the rows that have it."""
    price = column.weight / max(column.hierarchy.size - 1, 1)
    for box, own in enumerate(column.codes.tolist()):
        for code in np.unique(column.codes).tolist():
            if code != own:
                yield box, price, np.flatnonzero(column.codes == code).tolist()


def _node_steps(column: QuasiColumn) -> Iterator[tuple[int, float, list[int]]]:
    """For each box and level: what it costs more than the one below, and the rows that ask for it.

    A row asks for a level if it is apart from the box on the level below.
    """
    hierarchy = column.hierarchy
    for box, own in enumerate(column.codes.tolist()):
        before = float(node_loss(hierarchy, 0)[own]) * column.weight
        for level in range(1, hierarchy.height + 1):
            nodes = hierarchy.nodes[level - 1]
            cost = float(node_loss(hierarchy, level)[hierarchy.nodes[level][own]]) * column.weight
            asking = np.flatnonzero(nodes[column.codes] != nodes[own]).tolist()
            if asking:
                yield box, cost - before, asking
            before = cost
