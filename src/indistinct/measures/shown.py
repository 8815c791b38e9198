"""What a recoding shows: the published values of each column, and which leaves each stands for."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import Fault, PlanError
from indistinct.model.forms import covered_sets, leaves_in, shown_set
from indistinct.model.ncp import node_loss, set_loss
from indistinct.model.recoding import Cuts, LevelVector, Matching, Partition
from indistinct.model.spans import Spans

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.forms import Form, Run
    from indistinct.model.recoding import Recoding
    from indistinct.model.table import QuasiColumn, Table


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
    def held(self) -> NDArray[np.int64]:
        """How many leaves each value stands for."""
        within = np.append(0, np.cumsum(self.high.astype(np.int64) - self.low + 1))
        held: NDArray[np.int64] = within[self.first[1:]] - within[self.first[:-1]]
        return held

    def with_star(self, leaves: int) -> tuple[Values, int]:
        """Add the suppressed cell, which stands for every leaf, unless a value does; tell which."""
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
    """The classes of rows that are published alike.

    Attributes
    ----------
    of_row
        The class of each row of the table; -1 where the row is left out.
    value
        For each class and column, which of the column's `values` it is published as.
    values
        The different values of each column.
    """

    of_row: NDArray[np.int32]
    value: NDArray[np.int32]
    values: tuple[Values, ...]


def shown_by(table: Table, recoding: Recoding, forms: tuple[Form, ...]) -> Shown:
    """Find the published values and the classes of rows that share all of them.

    Groups whose published values are the same are one class. For buckets, whose groups publish
    every row as it is, there are no such values.
    """
    if isinstance(recoding, Matching):
        problem = "a freeform release has no classes to measure"
        raise PlanError(Fault("method", problem, "Choose a method that groups rows."))
    starred = None if isinstance(recoding, Cuts) else recoding.starred
    unit = np.where(recoding.kept, np.arange(table.rows), -1).astype(np.int32)
    if isinstance(recoding, LevelVector):
        found = [_of_level(c, level) for c, level in zip(table.quasi, recoding.levels, strict=True)]
    elif isinstance(recoding, Cuts):
        found = [_of_intervals(table, recoding, place, form) for place, form in enumerate(forms)]
    else:
        unit = recoding.groups
        found = _of_groups(table, recoding, forms)
    value = np.stack([numbers for numbers, _ in found], axis=1)
    values = tuple(held for _, held in found)
    if starred is not None:
        value = np.vstack([value, np.zeros_like(value, shape=(1, len(values)))])[unit]
        unit = np.where(recoding.kept, np.arange(table.rows), -1).astype(np.int32)
        stars = [v.with_star(c.hierarchy.size) for v, c in zip(values, table.quasi, strict=True)]
        value = np.where(starred, [star for _, star in stars], value)
        values = tuple(v for v, _ in stars)
    return _merged(unit, np.ascontiguousarray(value, dtype=np.int32), values)


def _merged(unit: NDArray[np.int32], value: NDArray[np.int32], values: tuple[Values, ...]) -> Shown:
    """Make one class of all units with the same published values."""
    from indistinct.kernels.ranking import rank_keys, row_keys

    used = np.unique(unit[unit >= 0])
    keys, _ = row_keys([column[used] for column in value.T], [v.loss.size for v in values])
    numbers, first = rank_keys(keys)
    of_unit = np.full(value.shape[0] + 1, -1, dtype=np.int32)
    of_unit[used] = numbers
    return Shown(of_unit[unit], value[used[first]], values)


def _of_level(column: QuasiColumn, level: int) -> tuple[NDArray[np.int32], Values]:
    """Take the nodes of a level as the values of a column."""
    hierarchy = column.hierarchy
    values = Values.of_runs(node_loss(hierarchy, level), *hierarchy.node_runs(level))
    return hierarchy.nodes[level][column.codes], values


def _of_intervals(
    table: Table, cuts: Cuts, place: int, form: Form
) -> tuple[NDArray[np.int32], Values]:
    """Find what each row is published as in a column that is cut into intervals.

    An interval under the name of a node is taken for the values that it holds.
    """
    column = table.quasi[place]
    inside = np.where(cuts.kept, cuts.intervals(place, column.codes), -1)
    used, numbers = np.unique(inside, return_inverse=True)
    groups = (numbers - (used[0] == -1)).astype(np.int32)
    alone = replace(table, quasi=(column,))
    kind: Form = "range" if form == "range" else "set"
    of_group, values = _of_groups(alone, Partition(groups), (kind,))[0]
    return np.append(of_group, np.int32(0))[groups], values


def _of_groups(
    table: Table, partition: Partition, forms: tuple[Form, ...]
) -> list[tuple[NDArray[np.int32], Values]]:
    """Find what each group is published as, column by column."""
    from indistinct.kernels.spans import bounds_of

    spans = Spans(tuple(replace(column, weight=1.0) for column in table.quasi), forms)
    codes = np.stack([column.codes for column in table.quasi], axis=1)
    low, high = bounds_of(codes, partition.groups, partition.count)
    return [
        _of_sets(column, partition)
        if form == "set"
        else _of_spans(spans, place, low[:, place], high[:, place])
        for place, (column, form) in enumerate(zip(table.quasi, forms, strict=True))
    ]


def _of_spans(
    spans: Spans, place: int, low: NDArray[np.int32], high: NDArray[np.int32]
) -> tuple[NDArray[np.int32], Values]:
    """Publish spans as ranges, nodes or stars; the runs of leaves tell them apart."""
    column = spans.columns[place]
    first, last = leaves_shown(column, spans.forms[place], low, high)
    begins, ends = first.astype(np.int64), last.astype(np.int64)
    if column.ends is not None and spans.forms[place] == "range":
        nothing = np.isnan(column.hierarchy.position[[low, high]]).any(axis=0)
        begins = np.where(nothing, begins, column.ends.low_number[low])
        ends = np.where(nothing, ends, column.ends.high_number[high])
    keys = begins * column.hierarchy.size + ends
    _, one, numbers = np.unique(keys, return_index=True, return_inverse=True)
    loss = spans.cost(place, low[one], high[one])
    return numbers.astype(np.int32), Values.of_runs(loss, first[one], last[one])


def leaves_shown(
    column: QuasiColumn, form: Form, low: NDArray[np.int32], high: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Tell the first and last leaf that spans stand for, published as ranges, nodes or stars."""
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


def _of_sets(column: QuasiColumn, partition: Partition) -> tuple[NDArray[np.int32], Values]:
    """Publish the distinct values of each group as a set; equal sets are one value."""
    size = column.hierarchy.size
    kept = partition.kept
    pairs = np.unique(partition.groups[kept].astype(np.int64) * size + column.codes[kept])
    group, code = np.divmod(pairs, size)
    ends = np.searchsorted(group, np.arange(partition.count + 1))
    seen: dict[tuple[str | None, tuple[Run, ...]], int] = {}
    sets: list[list[Run]] = []
    numbers = np.empty(partition.count, dtype=np.int32)
    for number in range(partition.count):
        label, runs = shown_set(column, code[ends[number] : ends[number + 1]])
        numbers[number] = seen.setdefault((label, tuple(runs)), len(seen))
        if len(sets) < len(seen):
            sets.append(runs)
    return numbers, _values_of_sets(sets, size)


def sets_matched(
    column: QuasiColumn, covered: NDArray[np.int32]
) -> tuple[NDArray[np.int32], Values]:
    """Find the sets that rows of a matching are published as, given the codes they cover."""
    numbers, sets = covered_sets(column, covered)
    return numbers, _values_of_sets([runs for _, runs in sets], column.hierarchy.size)


def _values_of_sets(sets: list[list[Run]], domain: int) -> Values:
    """Put the runs of leaves of sets one after the other."""
    runs = np.array([run for held in sets for run in held], dtype=np.int32).reshape(-1, 2)
    return Values(
        set_loss(np.array([leaves_in(held) for held in sets], dtype=np.int64), domain),
        np.append(0, np.cumsum([len(held) for held in sets])).astype(np.int64),
        np.ascontiguousarray(runs[:, 0]),
        np.ascontiguousarray(runs[:, 1]),
    )
