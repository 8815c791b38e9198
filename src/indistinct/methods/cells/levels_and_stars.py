"""levels-and-stars: a level for each whole column, then the fewest single cells starred."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.hierarchy import TOP, Hierarchy
from indistinct.methods.base import ALL_MODELS, Method
from indistinct.methods.cells.exact import is_small
from indistinct.methods.cells.known_levels import KnownLevels
from indistinct.methods.cells.level_choice import LevelChoice
from indistinct.methods.cells.masks import Masks, least_prices
from indistinct.methods.cells.suppression import PASSES, CellSuppression
from indistinct.methods.common.feasible import of_whole_rows, require_possible
from indistinct.methods.full_domain.options import at_levels
from indistinct.model.costs import precision_cost, weighted_costs
from indistinct.model.recoding import LevelVector
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline
    from indistinct.model.forms import Form
    from indistinct.model.recoding import Partition
    from indistinct.model.table import QuasiColumn
    from indistinct.plan import Plan

    Vector = tuple[int, ...]

CHOOSING, PROVING = 0.4, 0.1
STAR: Form = "star"


class LevelsAndStars(Method):
    """Recode whole columns, then star single cells (AG_CS of Ciriani et al. 2007, Figure 2).

    The workflow of statistics offices: global recoding, then local suppression. At the levels
    that were chosen, this is the problem of `cell-suppression`, whose algorithms star the cells: a
    star costs the weight of its column, and a class is what is published alike, a star being a
    value of its own. All requirements are kept as they are there.

    Levels that the plan does not give are chosen for the least loss, a starred cell losing
    everything. Small tables are starred at each vector that may lose least (see `level_choice`);
    for others one column at a time is changed as long as the table loses less when it is
    starred quickly. Cost: some passes over the distinct rows for each vector tried, with a pass for
    each set of columns while rows are left; then `cell-suppression`.

    Parameters
    ----------
    levels
        The levels of some columns, by name, as they shall be; the others are chosen.
    algorithm
        As of `cell-suppression`: `local` for tables of any size, `forest` with at most 3k - 3 times
        the fewest stars at these levels, `exact` with the fewest, for small tables; `auto`: `exact`
        where that is a matter of moments, otherwise `local`.
    passes, seed
        Of `local`.
    time_limit
        Stop after so many seconds, with the best found.

    References
    ----------
    Ciriani et al. (2007), section 2.2 and Figure 2; Templ, Kowarik, Meindl: Statistical
    disclosure control for micro-data using the R package sdcMicro, J. Stat. Software 67(4), 2015.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> method = {"name": "levels-and-stars", "levels": {"zip": 1}}
    >>> release = anonymize(medical(), medical_plan(method=method))
    >>> release.levels, release.recoding.search["stars"]
    ({'zip': 1, 'marital': 1, 'sex': 0}, 8)
    """

    decides: ClassVar[str] = "a level for each whole column, and single cells to star"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "Ciriani et al. 2007, section 2.2 (AG_CS); our own"
    takes_rows: ClassVar[bool] = True
    draws_rows: ClassVar[bool] = True

    name: Literal["levels-and-stars"] = "levels-and-stars"
    levels: dict[str, Annotated[int, Field(ge=0, strict=True)]] = Field(default_factory=dict)
    algorithm: Literal["auto", "local", "forest", "exact"] = "auto"
    passes: Annotated[int, Field(ge=0, strict=True)] = PASSES
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    seed: Annotated[int, Field(ge=0)] = 0

    def problems(self, plan: Plan) -> Iterable[str]:
        """Say that an algorithm with a proof has none for attackers who know some columns."""
        known = [r.model for r in plan.require if r.known_columns is not None]
        if known and self.algorithm in {"forest", "exact"}:
            yield (
                f"method.algorithm: {self.algorithm!r} hides rows in all columns, and {known[0]!r} "
                "is about some. Leave it out"
            )

    def search(self, problem: Problem) -> LevelVector:
        """Choose levels, then star cells."""
        problem = at_levels(problem, self.levels)
        deadline = problem.deadline(self.time_limit)
        require_possible(problem)
        known = KnownLevels.of(problem, deadline)
        if known is not None:
            return self._of_some_columns(problem, known, deadline)
        problem = of_whole_rows(problem)
        choice = LevelChoice(problem)
        vector = self._vector(problem, choice, deadline.part(CHOOSING))
        bound = _bound(problem, choice, vector, deadline.part(PROVING))
        recoding = self._starred(problem, vector, deadline)
        return replace(recoding, search=recoding.search | {"vectors_starred": choice.tried} | bound)

    def _of_some_columns(
        self, problem: Problem, known: KnownLevels, deadline: Deadline
    ) -> LevelVector:
        """Choose levels and star cells where attackers know some columns only.

        Stars are searched twice: from none, and from those that hide rows in all columns.
        """
        vector = known.climbed(deadline.part(CHOOSING))
        at, source = at_vector(problem, vector)
        groups = self._starred(of_whole_rows(problem), vector, deadline)
        first = (np.asarray(groups.starred)[source], groups.kept[source])
        found = [known.starred(at.codes), known.starred(at.codes, first)]
        weights = np.array(problem.suppressed_cell)
        most = problem.max_suppressed
        costs = [
            float(starred[placed].sum(axis=0) @ weights + weights.sum() * (~placed).sum())
            for starred, placed in found
            if (~placed).sum() <= most
        ]
        starred, placed = np.empty_like(first[0]), np.empty_like(first[1])
        place = int(np.argmin(costs)) if len(costs) == len(found) else 1
        starred[source], placed[source] = found[place]
        starred &= placed[:, None]
        report = {
            "algorithm": "known-columns",
            "stars": int(starred.sum()),
            "star_cost": float(starred.sum(axis=0) @ weights),
            "vectors_starred": known.tried,
            "timed_out": deadline.passed,
        }
        counts = problem.table.frequency_set.counts
        report |= _at_least(known.prices_at_least(vector), counts, most)
        return LevelVector(vector, placed, report, starred)

    def _vector(self, problem: Problem, choice: LevelChoice, deadline: Deadline) -> Vector:
        lowest = problem.lowest_levels
        if (
            choice.is_small
            and self.algorithm in {"auto", "exact"}
            and lowest != (problem.highest_levels)
        ):
            least = least_respondents(problem.requirements)
            if is_small(at_vector(problem, lowest)[0], least):
                return choice.best_of_all(
                    lambda vector: self._lost(problem, choice, vector, deadline), deadline
                )
        return choice.climbed(deadline)

    def _lost(
        self, problem: Problem, choice: LevelChoice, vector: Vector, deadline: Deadline
    ) -> tuple[float, int]:
        """Return what a vector loses when it is starred, and how many cells are."""
        recoding = self._starred(problem, vector, deadline)
        columns = zip(problem.table.quasi, vector, strict=True)
        nodes = [column.hierarchy.nodes[level][column.codes] for column, level in columns]
        starred = ~recoding.kept[:, None] | np.asarray(recoding.starred)
        return float(choice.lost(vector, nodes, starred).sum()), int(recoding.search["stars"])

    def _starred(self, problem: Problem, vector: Vector, deadline: Deadline) -> LevelVector:
        """Star cells at a vector."""
        from indistinct.kernels.spans import bounds_of

        at, source = at_vector(problem, vector)
        partition = self._grouped(at, deadline)
        groups, count = partition.groups, partition.count
        low, high = bounds_of(at.codes, groups, count)
        differ = np.append(low != high, np.zeros((1, len(vector)), dtype=bool), axis=0)
        starred = np.empty((groups.size, len(vector)), dtype=bool)
        starred[source] = differ[groups]  # rows that are left out are in group -1
        kept = np.empty(groups.size, dtype=bool)
        kept[source] = groups >= 0
        weights = np.array([column.weight for column in problem.table.quasi])
        cost = {"star_cost": float(starred.sum(axis=0) @ weights)}
        return LevelVector(vector, kept, partition.search | cost, starred)

    def _grouped(self, problem: Problem, deadline: Deadline) -> Partition:
        left = deadline.seconds_left
        method = CellSuppression(
            algorithm=self.algorithm,
            passes=self.passes,
            time_limit=None if left is None else max(left, 1e-3),
            seed=self.seed,
        )
        return method.search(problem)


def at_vector(problem: Problem, vector: Vector) -> tuple[Problem, NDArray[np.intp]]:
    """Return the problem of starring cells at a vector, and where each of its rows comes from.

    Rows that are alike at the vector stand in a secret order, whatever their values below it.
    """
    columns = zip(problem.table.quasi, vector, strict=True)
    table = replace(problem.table, quasi=tuple(_flat(column, level) for column, level in columns))
    order = np.arange(table.entries) if problem.mixed is None else problem.mixed
    table, source = table.with_ties_in(order, {column.name for column in table.sensitive})
    posed = replace(
        problem,
        table=table,
        costs=tuple(weighted_costs(column, precision_cost) for column in table.quasi),
        forms=tuple(STAR for _ in vector),
        lowest=None,
        highest=None,
    )
    return posed, source


def _flat(column: QuasiColumn, level: int) -> QuasiColumn:
    """Return a column of the nodes of a level, with nothing but a star above them."""
    size = len(column.hierarchy.labels[level])
    names = tuple(f"node {number}" for number in range(size))
    flat = Hierarchy(
        leaves=names,
        nodes=(np.arange(size, dtype=np.int32), np.zeros(size, dtype=np.int32)),
        labels=(names, (TOP,)),
        kind="category",
        position=np.full(size, np.nan),
    )
    codes = column.hierarchy.nodes[level][column.codes]
    return replace(column, codes=codes, hierarchy=flat, ends=None, observed=None)


def _bound(
    problem: Problem, choice: LevelChoice, vector: Vector, deadline: Deadline
) -> dict[str, Any]:
    """Say what stars cost at least in every release at these levels, where one set has all columns.

    Rows that may be left out are those that would cost most.
    """
    if len(problem.table.sets) > 1:
        return {}
    patterns = choice.patterns(vector)
    masks = Masks.of(np.array([column.weight for column in problem.table.quasi]))
    least = least_respondents(problem.requirements)
    prices = least_prices(patterns, masks, least, deadline)
    return _at_least(prices, patterns.counts, problem.max_suppressed)


def _at_least(prices: NDArray[np.float64], counts: NDArray[np.int64], most: int) -> dict[str, Any]:
    """Sum the prices of distinct rows, less those that may be left out."""
    dearest = np.argsort(-prices, kind="stable")
    before = np.cumsum(counts[dearest]) - counts[dearest]
    out = np.clip(most - before, 0, counts[dearest])
    return {"star_cost_at_least": float(prices[dearest] @ (counts[dearest] - out))}
