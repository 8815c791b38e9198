"""What a recoding shows: the published values of each column, and which leaves each stands for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.model.forms import (
    covered_sets,
    grouped_sets,
    interval_sets,
    leaves_in,
    released_intervals,
)
from indistinct.model.ncp import node_loss, set_loss
from indistinct.model.spans import Spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.forms import Form, Run
    from indistinct.model.table import QuasiColumn

    ColumnShown = tuple[NDArray[np.int32], "Values"]


@dataclass(frozen=True, eq=False)
class Values:
    """The different values that a column is published as.

    Attributes
    ----------
    loss
        NCP of each, without the column's weight.
    first
        Where the runs of leaves of each begin among `low` and `high`, and where the last ends.
    low, high
        The first and the last leaf of each run. Ranges and nodes are one run, sets may be several.
    """

    loss: NDArray[np.float64]
    first: NDArray[np.int64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]

    @classmethod
    def of_runs(
        cls, loss: NDArray[np.float64], low: NDArray[np.int32], high: NDArray[np.int32]
    ) -> Values:
        """Take values that are one run each."""
        return cls(loss, np.arange(loss.size + 1), low.astype(np.int32), high.astype(np.int32))

    @property
    def count(self) -> int:
        """How many values there are."""
        return self.loss.size

    @property
    def held(self) -> NDArray[np.int64]:
        """How many leaves each value stands for."""
        within = np.append(0, np.cumsum(self.high.astype(np.int64) - self.low + 1))
        held: NDArray[np.int64] = within[self.first[1:]] - within[self.first[:-1]]
        return held

    def some(self, numbers: NDArray[np.integer]) -> Values:
        """Return some of the values, in the order given."""
        starts, runs = self.first[numbers], np.diff(self.first)[numbers]
        first = np.append(0, np.cumsum(runs))
        every = np.arange(first[-1]) + np.repeat(starts - first[:-1], runs)
        return Values(self.loss[numbers], first, self.low[every], self.high[every])

    def with_star(self, leaves: int) -> tuple[Values, int]:
        """Add the suppressed cell, which stands for every leaf, unless a value does; say which."""
        nothing = np.flatnonzero((self.held == leaves) & (self.loss == 1))
        if nothing.size:
            return self, int(nothing[0])
        starred = Values(
            np.append(self.loss, 1.0),
            np.append(self.first, self.first[-1] + 1),
            np.append(self.low, np.int32(0)),
            np.append(self.high, np.int32(leaves - 1)),
        )
        return starred, self.loss.size


@dataclass(frozen=True, eq=False)
class Shown:
    """Units of rows that are published alike: classes, groups, or rows by themselves.

    Attributes
    ----------
    of_row
        The unit of each row of the table; -1 where the row is left out.
    value
        For each unit and column, which of the column's `values` it is published as.
    values
        The different values of each column.
    """

    of_row: NDArray[np.int32]
    value: NDArray[np.int32]
    values: tuple[Values, ...]

    @property
    def count(self) -> int:
        """How many units there are, those of rows left out among them."""
        return len(self.value)

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many released rows each unit has."""
        return np.bincount(self.of_row[self.of_row >= 0], minlength=self.count).astype(np.int64)


def merged(shown: Shown) -> Shown:
    """Make one class of all units with the same published values."""
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    unit, value = shown.of_row, np.ascontiguousarray(shown.value, dtype=np.int32)
    used = np.unique(unit[unit >= 0])
    keys, _ = row_keys([column[used] for column in value.T], [v.count for v in shown.values])
    numbers, first = rank_keys(keys)
    of_unit = np.full(shown.count + 1, -1, dtype=np.int32)
    of_unit[used] = numbers
    return Shown(of_unit[unit], value[used[first]], shown.values)


def of_exact(column: QuasiColumn) -> ColumnShown:
    """Take each row as it is."""
    every = np.arange(column.hierarchy.size, dtype=np.int32)
    return column.codes, Values.of_runs(np.zeros(every.size), every, every)


def of_level(column: QuasiColumn, level: int) -> ColumnShown:
    """Take the nodes of a level as the values of a column."""
    hierarchy = column.hierarchy
    values = Values.of_runs(node_loss(hierarchy, level), *hierarchy.node_runs(level))
    return hierarchy.nodes[level][column.codes], values


def of_intervals(
    column: QuasiColumn, intervals: NDArray[np.int32], kept: NDArray[np.bool_], form: Form
) -> ColumnShown:
    """Find what each row is published as in a column that is cut into intervals.

    An interval under the name of a node stands for the set of the node's leaves.
    """
    if form == "range":
        groups, used = released_intervals(intervals, kept)
        of_group, values = of_groups(column, groups, used.size, form)
    else:
        groups, sets = interval_sets(column, intervals, kept, form)
        of_group, values = _of_sets(sets, column.hierarchy.size)
    return np.append(of_group, np.int32(0))[groups], values


def of_groups(
    column: QuasiColumn, groups: NDArray[np.int32], count: int, form: Form
) -> ColumnShown:
    """Find what each group of rows is published as; equal values of two groups are one."""
    from indistinct.kernels.spans import bounds_of

    if form == "set":
        return _of_sets(grouped_sets(column, groups, count), column.hierarchy.size)
    low, high = bounds_of(column.codes[:, None], groups, count)
    return _of_spans(column, form, low[:, 0], high[:, 0])


def of_bounds(
    column: QuasiColumn, low: NDArray[np.int32], high: NDArray[np.int32], form: Form
) -> ColumnShown:
    """Publish each span as a value of its own, also if others are alike."""
    loss = _even(column, form).cost(0, low, high)
    values = Values.of_runs(loss, *leaves_shown(column, form, low, high))
    return np.arange(low.size, dtype=np.int32), values


def of_covered_sets(column: QuasiColumn, covered: NDArray[np.int32]) -> ColumnShown:
    """Find the sets that rows are published as, given the codes that each covers."""
    numbers, sets = covered_sets(column, covered)
    return numbers, _values_of_sets([runs for _, runs in sets], column.hierarchy.size)


def _even(column: QuasiColumn, form: Form) -> Spans:
    """Return what spans of a column cost without its weight."""
    return Spans((replace(column, weight=1.0),), (form,))


def _of_spans(
    column: QuasiColumn, form: Form, low: NDArray[np.int32], high: NDArray[np.int32]
) -> ColumnShown:
    """Publish spans as ranges, nodes or stars; the runs of leaves tell them apart."""
    first, last = leaves_shown(column, form, low, high)
    begins, ends = first.astype(np.int64), last.astype(np.int64)
    if column.ends is not None and form == "range":
        nothing = np.isnan(column.hierarchy.position[[low, high]]).any(axis=0)
        begins = np.where(nothing, begins, column.ends.low_number[low])
        ends = np.where(nothing, ends, column.ends.high_number[high])
    keys = begins * column.hierarchy.size + ends
    _, one, numbers = np.unique(keys, return_index=True, return_inverse=True)
    loss = _even(column, form).cost(0, low[one], high[one])
    return numbers.astype(np.int32), Values.of_runs(loss, first[one], last[one])


def leaves_shown(
    column: QuasiColumn, form: Form, low: NDArray[np.int32], high: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Return the first and last leaf that spans stand for, published as ranges, nodes or stars."""
    if form == "range":
        return _range(column, low, high)
    return _star(column, low, high) if form == "star" else _node(column, low, high)


def _star(
    column: QuasiColumn, low: NDArray[np.int32], high: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Take single values as they are; a star may be anything."""
    several, every = low != high, np.int32(column.hierarchy.size - 1)
    return np.where(several, np.int32(0), low), np.where(several, every, high)


def _range(
    column: QuasiColumn, low: NDArray[np.int32], high: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Take ranges as they are; one that would hold a missing value says nothing."""
    line = column.hierarchy.position
    nothing = (low != high) & np.isnan(line[low] + line[high])
    every = np.int32(column.hierarchy.size - 1)
    if column.ends is not None:
        low, high = column.ends.first[low], column.ends.last[high]
    return np.where(nothing, np.int32(0), low), np.where(nothing, every, high)


def _node(
    column: QuasiColumn, low: NDArray[np.int32], high: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Widen spans of several values to the leaves of their lowest common ancestor."""
    first, last = low.copy(), high.copy()
    open_ = low != high
    for level, nodes in enumerate(column.hierarchy.nodes):
        met = open_ & (nodes[low] == nodes[high])
        begins, ends = column.hierarchy.node_runs(level)
        first[met], last[met] = begins[nodes[low[met]]], ends[nodes[low[met]]]
        open_ &= ~met
    return first, last


def _of_sets(sets: list[tuple[str | None, list[Run]]], domain: int) -> ColumnShown:
    """Take written sets, one of each unit, as values; equal sets are one value."""
    seen: dict[tuple[str | None, tuple[Run, ...]], int] = {}
    numbers = [seen.setdefault((label, tuple(runs)), len(seen)) for label, runs in sets]
    values = _values_of_sets([list(runs) for _, runs in seen], domain)
    return np.array(numbers, dtype=np.int32), values


def _values_of_sets(sets: list[list[Run]], domain: int) -> Values:
    """Put the runs of leaves of sets one after the other."""
    runs = np.array([run for held in sets for run in held], dtype=np.int32).reshape(-1, 2)
    return Values(
        set_loss(np.array([leaves_in(held) for held in sets], dtype=np.int64), domain),
        np.append(0, np.cumsum([len(held) for held in sets])).astype(np.int64),
        np.ascontiguousarray(runs[:, 0]),
        np.ascontiguousarray(runs[:, 1]),
    )
