"""Ordered domains as blocks of values that stay together, and the rows over them."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import Fault, PlanError
from indistinct.model.forms import in_line, node_spans
from indistinct.model.spans import Spans, lines
from indistinct.model.table import frequency_set
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.intervals.cut_sets_kernel import CutTask
    from indistinct.model.forms import Form
    from indistinct.model.table import QuasiColumn, Table

MOST_BLOCKS = 1_000
MOST_LABELS = 100


@dataclass(frozen=True, eq=False)
class Blocks:
    """The values of a column that occur, in blocks that are not cut.

    Attributes
    ----------
    codes
        The codes of the values that occur, in order.
    begins
        Which of them begin a block, by their place.
    """

    column: QuasiColumn
    codes: NDArray[np.int32]
    begins: NDArray[np.intp]

    @classmethod
    def of(cls, column: QuasiColumn, stride: float | None) -> Blocks:
        """Make a block of each value, or of the values between two multiples of a stride."""
        codes = np.unique(column.codes)
        if stride is None:
            return cls(column, codes, np.arange(codes.size))
        hierarchy = column.hierarchy
        numbers = hierarchy.kind != "category" and in_line(hierarchy)
        steps = np.floor((hierarchy.position if numbers else np.arange(hierarchy.size)) / stride)
        if hierarchy.leaves[-1] is None:
            steps[-1] = np.nan  # equal to nothing: a missing value is a block of its own
        kept = steps[codes]
        return cls(column, codes, np.flatnonzero(np.append(True, kept[1:] != kept[:-1])))

    @property
    def size(self) -> int:
        """The number of blocks."""
        return int(self.begins.size)

    @property
    def ends(self) -> NDArray[np.intp]:
        """The last value of each block, by its place."""
        return np.append(self.begins[1:], self.codes.size) - 1

    @property
    def of_row(self) -> NDArray[np.int32]:
        """The block of each row."""
        of_code = np.searchsorted(self.codes[self.begins], self.column.codes, side="right") - 1
        return of_code.astype(np.int32)

    def line(self, form: Form) -> tuple[NDArray[np.floating], NDArray[np.floating]]:
        """Return where each block begins and ends on a line: no interval costs less than its width.

        Categories lie on it one step from each other, and a missing number with the largest.
        """
        if form == "range":
            low, high = (line[self.codes] for line in lines(self.column))
            low, high = (np.where(np.isnan(at), np.nanmax(high), at) for at in (low, high))
            return low[self.begins], high[self.ends]
        step = self.column.weight / max(self.column.hierarchy.size - 1, 1)
        place = np.arange(self.codes.size) * step
        return place[self.begins], place[self.ends]

    def spans(self, form: Form) -> NDArray[np.float64]:
        """Return what a cell costs in the interval from each block to each other, as a square."""
        low, high = np.divmod(np.arange(self.size**2), self.size)
        low, high = np.minimum(low, high), np.maximum(low, high)
        first, last = self.begins[low], self.ends[high]
        if form == "range":
            spans = Spans((self.column,), ("range",))
            return spans.cost(0, self.codes[first], self.codes[last])
        held = (last - first).astype(np.float64)
        if form == "node":
            square = held.reshape(self.size, self.size)
            for (begun, ended), (*_, leaves) in node_spans(
                self.column.hierarchy, self.codes
            ).items():
                one, other = np.searchsorted(self.begins, [begun, ended], side="right") - 1
                if self.begins[one] == begun and self.ends[other] == ended:
                    square[one, other] = leaves - 1
        return held * (self.column.weight / max(self.column.hierarchy.size - 1, 1))


@dataclass(frozen=True, eq=False)
class Domains:
    """All quasi columns in blocks, and the distinct rows over them.

    Attributes
    ----------
    first
        Where the blocks of each column begin among all blocks, and how many there are.
    of_row
        The distinct row of each row of the table.
    task
        What the search is given.
    """

    blocks: tuple[Blocks, ...]
    first: NDArray[np.int64]
    of_row: NDArray[np.int32]
    task: CutTask

    def places(self, columns: Sequence[int]) -> NDArray[np.int64]:
        """List the places where columns, in this order, may be cut."""
        parts = [np.arange(self.first[c] + 1, self.first[c + 1]) for c in columns]
        return np.concatenate([np.zeros(0, dtype=np.int64), *parts]).astype(np.int64)

    def starts(self, cut: NDArray[np.bool_]) -> tuple[NDArray[np.int32], ...]:
        """Return for each column the codes at which an interval begins."""
        by_column = []
        for blocks, first in zip(self.blocks, self.first.tolist(), strict=False):
            taken = cut[first : first + blocks.size]
            by_column.append(blocks.codes[blocks.begins[taken]])
        return tuple(by_column)


def domains_of(
    problem: Problem, cost: str, strides: Mapping[str, float], label: str | None
) -> Domains:
    """Put the columns of a problem in blocks and count its distinct rows."""
    from indistinct.methods.intervals.cut_sets_kernel import CM, DM, GCP, CutTask

    table = problem.table
    blocks = tuple(Blocks.of(column, strides.get(column.name)) for column in table.quasi)
    _refuse_many(blocks)
    sizes = [each.size for each in blocks]
    first = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    rows = frequency_set([each.of_row for each in blocks], sizes, table.weights)
    forms = problem.forms or tuple("node" for _ in blocks)
    lines = [each.line(form) for each, form in zip(blocks, forms, strict=True)]
    squares = [np.zeros(0)]
    if cost == "gcp":
        squares = [each.spans(form) for each, form in zip(blocks, forms, strict=True)]
    mix, exact = _mix(sizes)
    kind = {"dm": DM, "cm": CM, "gcp": GCP}[cost]
    weight = float(sum(problem.suppressed_cell))
    task = CutTask(
        places=(np.stack(rows.codes, axis=1) + first[:-1]).astype(np.int32),
        counts=rows.counts,
        labels=_labels(table, label, rows.inverse, rows.size),
        first=first,
        mix=mix,
        exact=exact,
        low=np.concatenate([low for low, _ in lines]),
        high=np.concatenate([high for _, high in lines]),
        spans=np.concatenate(squares),
        spans_first=np.cumsum([0, *[s * s for s in sizes]])[:-1].astype(np.int64),
        kind=kind,
        k=least_respondents(problem.requirements),
        limit=problem.max_suppressed,
        penalty={"dm": float(table.rows), "cm": 1.0, "gcp": weight}[cost],
    )
    return Domains(blocks, first, rows.inverse, task)


def _refuse_many(blocks: Sequence[Blocks]) -> None:
    faults = [
        Fault(
            "method.strides",
            f"column {each.column.name!r} could be cut in {each.size - 1:,} places, "
            f"where at most {MOST_BLOCKS - 1:,} are tried",
            f"Set strides = {{ {each.column.name!r} = ... }} to cut it only at multiples.",
        )
        for each in blocks
        if each.size > MOST_BLOCKS
    ]
    if faults:
        raise PlanError(faults)


def _labels(
    table: Table, label: str | None, of_row: NDArray[np.int32], rows: int
) -> NDArray[np.int64]:
    """Count how often each distinct row has each label."""
    named = {c.name: c.codes for c in table.quasi} | {c.name: c.codes for c in table.sensitive}
    if label is None:
        return np.zeros((rows, 0), dtype=np.int64)
    values, codes = np.unique(named[label], return_inverse=True)
    if values.size > MOST_LABELS:
        problem = f"column {label!r} has {values.size:,} values, where at most {MOST_LABELS} count"
        raise PlanError(Fault("method.label", problem, "Name a column of few classes."))
    pairs = of_row.astype(np.int64) * values.size + codes
    return table.rows_by(pairs, rows * values.size).reshape(rows, -1)


def _mix(sizes: Sequence[int]) -> tuple[NDArray[np.uint64], bool]:
    """Give each place a number such that rows have different sums, if 63 bits are enough for that.

    If they are not, numbers are random; rows of equal sums are then compared before they are taken
    for equal.
    """
    if prod(sizes) < 2**63:
        steps = [prod(sizes[:place]) for place in range(len(sizes))]
        parts = [np.arange(size) * step for size, step in zip(sizes, steps, strict=True)]
        return np.concatenate(parts).astype(np.uint64), True
    random = np.random.Generator(np.random.PCG64(len(sizes)))
    return random.integers(0, 2**64, size=sum(sizes), dtype=np.uint64), False
