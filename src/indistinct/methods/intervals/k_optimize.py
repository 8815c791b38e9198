"""k-Optimize: the cheapest intervals of ordered domains, by a tree over sets of cuts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import numpy as np
from pydantic import Field

from indistinct.errors import Fault, PlanError, closest
from indistinct.methods.base import Method
from indistinct.methods.common.feasible import require_few_columns, require_possible
from indistinct.methods.intervals.cut_tree import CutTree, Use
from indistinct.methods.intervals.domains import Domains, domains_of
from indistinct.methods.intervals.indexes import index_text, indexes_of
from indistinct.model.recoding import ColumnIntervals

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline
    from indistinct.plan import Plan

CLIMBING = 0.15
CLIMBS = 8
AFRESH = 3
MOST_TRIED = 20_000
MOST_UNBOUNDED = 20
SMALLEST = 1e-9


class KOptimize(Method):
    """Exact search for the cheapest intervals of whole columns (Bayardo and Agrawal 2005).

    Every column is cut into intervals of its ordered values, the same for all rows; classes of
    fewer than k rows are suppressed. A set of cuts is a node of a set-enumeration tree: its head is
    taken, its tail may be. What a node's classes suppress, all below it suppress, and rows that
    head and tail do not part stay together, which bounds the cost below. Cuts of the tail that are
    too dear or useless are removed, and the cut to branch at is chosen anew at every node.

    Unlike the paper, which walks depth first, the node of the lowest bound comes first, so that
    the gap at a time limit is small; a first answer comes from flipping and swapping cuts; a cut
    that cannot be left out is taken; and bounds are stronger: among cuts that suppress more than
    they can save, all are taken to be left out at once (see `cut_tree_kernel.relaxed`). Cost: a
    node takes a few passes over the distinct rows. Their number grows exponentially with the cuts
    in the worst case, and often.

    Of several sets of equal cost the first found is taken.

    Parameters
    ----------
    cost
        `dm`: a row costs the size of its class, a suppressed one the size of the table
        (discernibility). `cm`: a row costs 1 if its label is not that of most rows of its class,
        or if it is suppressed (classification). `gcp`: a cell costs its NCP, 1 if suppressed.
    label
        The column of labels for `cm`, sensitive or quasi.
    strides
        Columns that are cut only at multiples of a number; a column of categories only before
        every so many-th value.
    order
        The columns whose cuts are taken up first, where the search has no better reason.
    time_limit
        Stop after so many seconds with the best answer so far; `search` has the least that any
        could cost, and the gap to it as a share of the cost.
    bounds, stronger_bounds, useless_values, rearrange
        Parts of the search that can be switched off, for study; the cost of the answer is the same.

    References
    ----------
    Ciriani et al., "k-anonymity", 2007, section 4.1.1 and Figure 13. The figure's pseudocode
    prunes below `node` where the bound was that of `child`; the text has it right.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical
    >>> plan = {
    ...     "columns": {
    ...         "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
    ...         "marital": {
    ...             "role": "quasi",
    ...             "hierarchy": {"ordinal": ["married", "widow", "divorced", "single"]},
    ...         },
    ...         "sex": {"role": "quasi", "hierarchy": {"ordinal": ["M", "F"]}},
    ...         "disease": {"role": "sensitive"},
    ...     },
    ...     "require": [{"model": "k-anonymity", "k": 3}],
    ...     "method": {"name": "k-optimize", "cost": "gcp"},
    ...     "limits": {"suppression": 0.2},
    ...     "publish": "exact",
    ... }
    >>> release = anonymize(medical(), plan)
    >>> release.recoding.search["index_set"], release.recoding.search["proven_optimal"]
    ('{3, 8, 10}', True)
    >>> sorted(set(release.rows.column("marital").to_pylist()))
    ['single', '{married, widow, divorced}']
    """

    decides: ClassVar[str] = "intervals of whole columns, and rows to suppress; least cost"
    keeps: ClassVar[tuple[str, ...]] = ("k-anonymity",)
    paper: ClassVar[str] = "Bayardo, Agrawal, ICDE 2005"

    name: Literal["k-optimize"] = "k-optimize"
    cost: Literal["dm", "cm", "gcp"] = "dm"
    label: str | None = None
    strides: dict[str, Annotated[float, Field(gt=0, allow_inf_nan=False)]] = Field(
        default_factory=dict
    )
    order: tuple[str, ...] = ()
    time_limit: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    bounds: bool = True
    stronger_bounds: bool = True
    useless_values: bool = True
    rearrange: bool = True

    def problems(self, plan: Plan) -> Iterable[str]:
        """Say what a plan asks for that intervals cannot do."""
        yield from _unkept(plan)
        yield from self._label_problems(plan)
        quasi = plan.with_role("quasi")
        for option, names in (("strides", self.strides), ("order", self.order)):
            for name in names:
                if name not in quasi:
                    remedy = closest(name, quasi)
                    yield f"method.{option}: {name!r} is not a quasi column. {remedy}"
        nodes = [name for name, column in plan.columns.items() if column.publish == "node"]
        if plan.publish == "node" or nodes:
            where = f"columns.{nodes[0]}.publish" if nodes else "publish"
            yield (
                f"{where}: an interval that is not a node would be published as a larger one. "
                "Leave it out, and intervals that are nodes are named so, or say 'set'"
            )

    def _label_problems(self, plan: Plan) -> Iterable[str]:
        candidates = plan.with_role("sensitive", "quasi")
        if self.cost == "cm" and self.label is None:
            yield 'method: cost = "cm" needs a label: the column to be predicted from the release'
        elif self.cost != "cm" and self.label is not None:
            yield 'method.label: only cost = "cm" reads it'
        elif self.label is not None and self.label not in candidates:
            yield (
                f"method.label: {self.label!r} is not a sensitive or quasi column. "
                f"{closest(self.label, candidates)}"
            )

    def reads(self, plan: Plan) -> Collection[str]:  # noqa: ARG002 - its own option says
        """Name the column of labels."""
        return () if self.label is None else (self.label,)

    def search(self, problem: Problem) -> ColumnIntervals:
        """Find the cheapest cuts, or the best within the time limit."""
        deadline = problem.deadline(self.time_limit)
        require_possible(problem)
        if self.time_limit is None:
            require_few_columns(problem)
        domains = domains_of(problem, self.cost, self.strides, self.label)
        tree = self._tree(problem, domains)
        _climb(tree, deadline)
        while not tree.done and not deadline.passed:
            tree.step(deadline)
            problem.progress.advance(1 - tree.gap)
        starts = domains.starts(tree.cut)
        hierarchies = [column.hierarchy for column in problem.table.quasi]
        report = {"index_set": index_text(indexes_of(hierarchies, starts)), "minimized": self.cost}
        kept = _kept(domains, tree.cut)
        return ColumnIntervals(starts, kept, report | _gap(problem, tree, self.cost))

    def _tree(self, problem: Problem, domains: Domains) -> CutTree:
        names = [column.name for column in problem.table.quasi]
        asked = [names.index(name) for name in dict.fromkeys(self.order)]
        columns = asked + [place for place in range(len(names)) if place not in asked]
        places = domains.places(columns)
        if not self.bounds and self.time_limit is None and places.size > MOST_UNBOUNDED:
            why = f"without bounds all sets of {places.size} cuts would be looked at"
            raise PlanError(Fault("method.bounds", why, "Give a time_limit, or leave bounds on."))
        use = Use(
            self.bounds, self.bounds and self.stronger_bounds, self.useless_values, self.rearrange
        )
        scale = problem.table.rows * float(sum(problem.suppressed_cell))
        slack = SMALLEST * max(scale, 1.0) if self.cost == "gcp" else 0.5
        return CutTree(domains.task, places, use, slack)


def _unkept(plan: Plan) -> Iterable[str]:
    for requirement in plan.require:
        if requirement.model not in KOptimize.keeps:
            yield (
                f"require: method 'k-optimize' bounds what class sizes suppress, and does not keep "
                f"{requirement.model!r}. Use 'optimal', or a method that groups rows"
            )
    if plan.sets:
        yield "sets: method 'k-optimize' takes one quasi-identifier. Use 'optimal'"
    if plan.with_role("respondent"):
        yield (
            "columns: method 'k-optimize' counts rows, and a respondent may have several. "
            "Use 'optimal', or role = \"identifier\" if each has one row"
        )


def _climb(tree: CutTree, deadline: Deadline) -> None:
    """Find a good set to begin with: the better it is, the more can be pruned."""
    random = np.random.Generator(np.random.PCG64(0))
    climbing = deadline.part(CLIMBING)
    tree.climb(random, 1, deadline, afresh=True)
    for number in range(CLIMBS):
        if climbing.passed:
            return
        tree.climb(random, MOST_TRIED, climbing, afresh=number < AFRESH)


def _kept(domains: Domains, cut: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Return which rows are in classes of at least k rows."""
    from indistinct.methods.intervals.cut_sets_kernel import begin, grouped

    task = domains.task
    start = np.empty(cut.size, dtype=np.int32)
    begin(task.first, cut, start)
    classes = grouped(task, task.places, task.counts, start)
    kept: NDArray[np.bool_] = (classes.counts >= task.k)[classes.group]
    return kept[domains.of_row]


def _gap(problem: Problem, tree: CutTree, cost: str) -> dict[str, Any]:
    """Say what the answer costs, and how far it can be from the cheapest."""
    lowest = tree.bound
    scale = problem.table.rows * float(sum(problem.suppressed_cell)) if cost == "gcp" else 1.0
    scale = scale or 1.0
    costs = [tree.cost / scale, lowest / scale]
    if cost != "gcp":
        costs = [round(tree.cost), int(np.ceil(lowest - SMALLEST))]
    return {
        "proven_optimal": tree.done,
        "cost": costs[0],
        "lower_bound": costs[1],
        "gap": tree.gap,
        "nodes": tree.nodes,
    }
