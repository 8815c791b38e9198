"""cell-suppression: each cell published as it is or starred, with as few stars as can be."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.methods.base import ALL_MODELS, Method
from indistinct.methods.cells.algorithms import grouped, problems
from indistinct.methods.cells.matching import matched_groups
from indistinct.methods.cells.patterns import MOST_COLUMNS, PatternSearch
from indistinct.methods.cells.row_forest import forest_groups
from indistinct.methods.cells.set_cover import CoverBy, cover_groups
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.partition.best import Best
from indistinct.model.forms import Form
from indistinct.model.recoding import Partition

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline
    from indistinct.plan import Plan

PASSES = 3


class CellSuppression(Method):
    """Star single cells so that each row has k - 1 equals (CS of Ciriani et al. 2007, section 2.2).

    Rows are put into groups; a group publishes the values that all its rows share and a star in
    the other columns. A star costs the weight of its column. The problem is NP-hard for k > 2
    (Ciriani et al. 2007, Theorem 3.1). Requirements beside k are kept: `local` and `exact` as said
    below, the others by joining groups that fail, for which their bounds do not hold. Hierarchies
    are not used.

    Parameters
    ----------
    algorithm
        `local`: the first groups of `best`, then opening and closing of patterns; for tables of
        any size, no bound is proven. `forest`: at most 3k - 3 times the optimum (see `forest`), for
        tables of any size.
        `set-cover`: at most (2k - 1) / k x H(2k - 1) times (see `set_cover`), for small tables.
        `matching`: for k = 2 and k = 3, at most 1.5 and 2 times where columns have two values, 2
        and 3 times otherwise (see `matching`), for small tables. `exact`: the optimum, by integer
        programming (see `exact`), for small tables and k-anonymity alone. `auto`: `exact` where
        that is a matter of moments, otherwise `local`.
    cover_by
        What `set-cover` weighs sets by: their `stars` (Park and Shim), or their `diameter`
        (Meyerson and Williams), whose bound is weaker.
    passes
        How many passes over the masks `local` makes at most.
    time_limit
        Stop `local` or `exact` after so many seconds, with the best found.
    seed
        Of `local`; says nothing about the release's row order.

    References
    ----------
    Aggarwal, Feder, Kenthapadi, Motwani, Panigrahy, Thomas, Zhu: Anonymizing tables, ICDT 2005.
    Meyerson, Williams: On the complexity of optimal k-anonymity, PODS 2004. Park, Shim: Approximate
    algorithms for k-anonymity, SIGMOD 2007. Ciriani et al. (2007), sections 3.1 and 3.2.3.

    Examples
    --------
    The six edges of a graph of four vertices, a row each (Ciriani et al. 2007, Figure 6):

    >>> import pyarrow as pa
    >>> from indistinct import anonymize
    >>> edges = ["1100", "1010", "0110", "1001", "0101", "0011"]
    >>> table = pa.table({v: [edge[i] for edge in edges] for i, v in enumerate("ijkh")})
    >>> plan = {
    ...     "columns": {v: {"role": "quasi"} for v in "ijkh"},
    ...     "require": [{"model": "k-anonymity", "k": 3}],
    ...     "method": {"name": "cell-suppression", "algorithm": "exact"},
    ... }
    >>> release = anonymize(table, plan)
    >>> release.recoding.search["stars"]
    18
    """

    decides: ClassVar[str] = "single cells to star; as few stars as it finds"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "Aggarwal et al., ICDT 2005; Meyerson, Williams, PODS 2004; our own"

    groups_rows: ClassVar[bool] = True
    publishes: ClassVar[tuple[Form, ...]] = ("star",)

    name: Literal["cell-suppression"] = "cell-suppression"
    algorithm: Literal["auto", "local", "forest", "set-cover", "matching", "exact"] = "auto"
    cover_by: CoverBy = "stars"
    passes: Annotated[int, Field(ge=0, strict=True)] = PASSES
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    seed: Annotated[int, Field(ge=0)] = 0

    def problems(self, plan: Plan) -> Iterable[str]:
        """Say what the plan asks for that the algorithm cannot do."""
        return problems(self.algorithm, plan)

    def search(self, problem: Problem) -> Partition:
        """Group the rows by the algorithm asked for."""
        deadline = problem.deadline(self.time_limit)
        require_possible(problem)
        groups, report = grouped(
            problem, self.algorithm, deadline, local=self._local, approximated=self._approximated
        )
        return Partition(groups, report | starred(problem, groups))

    def _approximated(self, problem: Problem, algorithm: str, k: int) -> NDArray[np.int32]:
        if algorithm == "forest":
            return forest_groups(problem, k)
        if algorithm == "matching":
            return matched_groups(problem, k)
        return cover_groups(problem, k, self.cover_by)

    def _local(
        self, problem: Problem, deadline: Deadline
    ) -> tuple[NDArray[np.int32], dict[str, Any]]:
        first_groups = Best(local_search=False, seed=self.seed)
        groups = first_groups.search_until(problem, deadline).groups
        first = starred(problem, groups)["stars"]
        done = 0
        if len(problem.table.quasi) <= MOST_COLUMNS:
            work = PatternSearch(problem, groups, self.seed)
            while done < self.passes and not deadline.passed and work.improve(deadline):
                done += 1
                problem.progress.advance(done / self.passes)
            groups = work.numbered()
        return groups, {"first_stars": first, "passes": done, "timed_out": deadline.passed}


def starred(problem: Problem, groups: NDArray[np.int32]) -> dict[str, int]:
    """Count the starred cells of the rows that are released."""
    from indistinct.kernels.spans import bounds_of

    count = int(groups.max(initial=-1)) + 1
    low, high = bounds_of(problem.codes, groups, count)
    sizes = np.bincount(groups[groups >= 0], minlength=count)
    return {"stars": int(sizes @ np.count_nonzero(low != high, axis=1)), "groups": count}
