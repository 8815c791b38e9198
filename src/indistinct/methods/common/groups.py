"""From runs of an order of rows to a partition, and what still has to be merged there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.model.forms import set_labels, span_labels
from indistinct.model.recoding import Partition

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.demands_kernel import DemandArrays


MOST_COUNTED = 1 << 26


def partition_of(
    problem: Problem,
    asked: DemandArrays,
    order: NDArray[np.int32],
    starts: NDArray[np.bool_],
    **search: Any,
) -> Partition:
    """Make a partition of the runs of an order that begin at some places."""
    groups = np.empty(order.size, dtype=np.int32)
    groups[order] = np.cumsum(starts, dtype=np.int32) - 1
    return settled(problem, asked, Partition(groups, search))


def merged_partition(
    problem: Problem,
    asked: DemandArrays,
    order: NDArray[np.int32],
    starts: NDArray[np.bool_],
    **search: Any,
) -> Partition:
    """Make a partition of runs, merged with their neighbours until each satisfies."""
    from indistinct.methods.common.runs_kernel import merge_neighbours

    if asked.views.size or asked.people.shape[0]:
        first = np.append(np.flatnonzero(starts), order.size).astype(np.int64)
        into = merge_neighbours(
            problem.codes, order, first, problem.spans.arrays, asked, MOST_COUNTED
        )
        starts = np.zeros(order.size, dtype=np.bool_)
        starts[first[np.unique(into)]] = True
        search["merged"] = int(first.size - 1 - np.unique(into).size)
    return partition_of(problem, asked, order, starts, **search)


def settled(problem: Problem, asked: DemandArrays, partition: Partition) -> Partition:
    """Merge on where groups that are published alike satisfy apart, but not together.

    Only where people have several rows: then someone may be in both groups, and be counted once.
    """
    if not asked.people.shape[0]:
        return partition
    groups = partition.groups
    while groups.max() > 0:
        failing = _failing_together(problem, asked, groups)
        if not failing.size:
            break
        groups = _joined_to_next(groups, failing)
    return Partition(groups, partition.search)


def _failing_together(
    problem: Problem, asked: DemandArrays, groups: NDArray[np.int32]
) -> NDArray[np.int32]:
    """Return the groups that are in failing classes, as some set of columns parts classes."""
    from indistinct.methods.common.demands_kernel import runs_satisfied
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    labels = _labels(problem, groups)
    failing = [np.empty(0, dtype=np.int32)]
    for chosen in problem.table.sets:
        columns = [labels[column] for column in chosen.columns]
        keys, _ = row_keys(columns, [int(column.max()) + 1 for column in columns])
        classes = rank_keys(keys)[0][groups]
        order = np.argsort(classes, kind="stable").astype(np.int32)
        ends = np.flatnonzero(np.diff(classes[order], append=-1)) + 1
        holds = runs_satisfied(asked, order, ends)
        rows = np.repeat(~holds, np.diff(ends, prepend=0))
        failing.append(groups[order[rows]])
    return np.unique(np.concatenate(failing))


def _labels(problem: Problem, groups: NDArray[np.int32]) -> list[NDArray[np.int32]]:
    """Number the published values of each column, group by group."""
    from indistinct.kernels.spans import bounds_of

    count = int(groups.max()) + 1
    low, high = bounds_of(problem.codes, groups, count)
    numbered = []
    for place, (column, form) in enumerate(
        zip(problem.table.quasi, problem.spans.forms, strict=True)
    ):
        if form == "set":
            _, labels = set_labels(column, groups, count)
            numbers = np.arange(count, dtype=np.int32)
        else:
            numbers, labels = span_labels(column, form, low[:, place], high[:, place])
        number_of = {label: number for number, label in enumerate(dict.fromkeys(labels))}
        named = np.array([number_of[label] for label in labels], dtype=np.int32)
        numbered.append(named[numbers])
    return numbered


def _joined_to_next(groups: NDArray[np.int32], failing: NDArray[np.int32]) -> NDArray[np.int32]:
    """Unite each failing group with the group after it, the last one with the one before."""
    last = int(groups.max())
    begins = np.ones(last + 1, dtype=np.int32)
    begins[np.minimum(failing + 1, last)] = 0
    begins[0] = 0
    return np.cumsum(begins, dtype=np.int32)[groups]


def cost_of(problem: Problem, groups: NDArray[np.int32]) -> float:
    """Return what all rows cost in their groups, those in none what suppressed ones cost.

    Products are summed by numpy: a product of vectors would wait for other processors, each time
    for longer than it takes where they are busy.
    """
    from indistinct.kernels.spans import bounds_of

    count = int(groups.max(initial=-1)) + 1
    low, high = bounds_of(problem.codes, groups, count)
    kept = groups >= 0
    sizes = problem.table.rows_by(groups[kept], count, kept)
    spent = sum(
        float((sizes * problem.spans.cost(place, low[:, place], high[:, place])).sum())
        for place in range(low.shape[1])
    )
    return spent + problem.table.rows_where(~kept) * sum(problem.suppressed_cell)


def mean_cost(problem: Problem, groups: NDArray[np.int32]) -> float:
    """Return the mean cost of a cell of some groups, a suppressed one costing its weight."""
    cells = sum(problem.suppressed_cell)
    return cost_of(problem, groups) / (problem.table.rows * cells) if cells else 0.0
