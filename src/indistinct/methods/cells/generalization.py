"""cell-generalization: each cell published as a node of its own choice, as low as can be."""

from __future__ import annotations

from dataclasses import fields
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field

from indistinct.methods.base import ALL_MODELS, Method, Problem
from indistinct.methods.cells.algorithms import grouped, problems
from indistinct.methods.cells.row_forest import forest_groups
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.partition.best import Best
from indistinct.model.forms import Form
from indistinct.model.recoding import Partition
from indistinct.model.spans import Spans

if TYPE_CHECKING:
    from collections.abc import Iterable

    import numpy as np
    from numpy.typing import NDArray

    from indistinct.methods.common.deadline import Deadline
    from indistinct.plan import Plan


class CellGeneralization(Method):
    """Generalize single cells so that each row has k - 1 equals.

    This is CG of Ciriani et al. 2007, section 2.2.

    Rows are put into groups; each cell of a group is published as the lowest node above all its
    values in the column. So values may be coarse in one row and fine in another. Columns published
    as `star` are starred instead. What is minimized is the plan's `loss`: NCP by node, or level /
    height, which is the cost h / l of the paper.

    Parameters
    ----------
    algorithm
        `local`: groups first, then simulated annealing, as `best` does; for tables of any size, no
        bound is proven. `forest`: at most 3k - 3 times the optimum of level / height (see
        `forest`), whatever `loss` says; requirements beside k are kept by joining groups, for
        which the bound does not hold. `exact`: the optimum by integer programming (see `exact`),
        for small tables and k-anonymity alone. `auto`: `exact` where that is a matter of moments,
        otherwise `local`.
    passes, time_limit, seed
        Of `local`, as for `best`; `time_limit` also of `exact`.

    References
    ----------
    Aggarwal, Feder, Kenthapadi, Motwani, Panigrahy, Thomas, Zhu: Approximation algorithms for
    k-anonymity, Journal of Privacy Technology 2005; Ciriani et al. (2007), section 3.2.3.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(method={"name": "cell-generalization"})
    >>> rows = anonymize(medical(), plan).rows.to_pylist()
    >>> sorted({(row["zip"], row["marital"], row["sex"]) for row in rows})
    [('220**', 'not_released', 'F'), ('2203*', 'single', 'M'), ('2204*', 'been_married', 'M')]
    """

    decides: ClassVar[str] = "a node for each single cell; as low as it finds"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "Aggarwal et al., J. Privacy Technology 2005; our own"

    groups_rows: ClassVar[bool] = True
    publishes: ClassVar[tuple[Form, ...]] = ("node", "star")

    name: Literal["cell-generalization"] = "cell-generalization"
    algorithm: Literal["auto", "local", "forest", "exact"] = "auto"
    passes: Annotated[int, Field(ge=1, strict=True)] | None = None
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    seed: Annotated[int, Field(ge=0)] = 0

    def problems(self, plan: Plan) -> Iterable[str]:
        """Say what the plan asks for that the algorithm cannot do."""
        return problems(self.algorithm, plan)

    def search(self, problem: Problem) -> Partition:
        """Group the rows by the algorithm asked for."""
        deadline = problem.deadline(self.time_limit)
        require_possible(problem)
        problem = by_costs(problem)
        groups, report = grouped(
            problem, self.algorithm, deadline, local=self._local, approximated=_forest
        )
        return Partition(groups, report | {"groups": int(groups.max(initial=-1)) + 1})

    def _local(
        self, problem: Problem, deadline: Deadline
    ) -> tuple[NDArray[np.int32], dict[str, Any]]:
        best = Best(passes=self.passes, seed=self.seed)
        partition = best.search_until(problem, deadline)
        return partition.groups, partition.search


def _forest(problem: Problem, _algorithm: str, k: int) -> NDArray[np.int32]:
    return forest_groups(problem, k)


class _ByCosts(Problem):
    """A problem in which nodes cost what the plan's `loss` says."""

    @cached_property
    def spans(self) -> Spans:
        forms = self.forms or tuple("node" for _ in self.table.quasi)
        return Spans(self.table.quasi, forms, node_costs=self.costs)


def by_costs(problem: Problem) -> Problem:
    """Return a problem whose spans cost what their nodes do."""
    return _ByCosts(**{field.name: getattr(problem, field.name) for field in fields(problem)})
