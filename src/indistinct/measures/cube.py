"""How well a release answers count queries: its data cube against that of the private table.

A query counts the rows of each combination of values of some quasi columns that have a sensitive
value (Ghinita et al. 2009, section 7.4)::

    SELECT q1, ..., qi, COUNT(*) FROM data WHERE s = value GROUP BY q1, ..., qi

Level i of the cube is all such group-bys of exactly i quasi columns, for all sensitive values. From
a release a cell is estimated: rows of a class are spread evenly over all leaves that its published
values stand for; rows of a bucket have exact quasi values, and each sensitive value with its share
in the bucket. A suppressed row may be anything.

With P and Q the true and the estimated cells as shares, KL-divergence is the sum of P log(P / Q).
Each group-by is a distribution; the cube's divergence is the mean over its group-bys. The relative
error is the mean of |P - Q| / P over all cells that hold rows, where it is defined (Xiao and Tao
2006).
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import combinations
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import Fault, PlanError
from indistinct.measures.classes import refuse_without_classes
from indistinct.model.counting import counted_keys

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from indistinct.measures.cube_kernel import BoxArrays, PointArrays
    from indistinct.model.forms import Form
    from indistinct.model.recoding import Recoding
    from indistinct.model.shown import Shown
    from indistinct.model.table import SensitiveColumn, Table

MOST_COLUMNS = 3
MOST_CELLS = 2**26
SAMPLE = 2_000
NORMAL = 1.96


@dataclass(frozen=True)
class CubeError:
    """How far a level of the estimated cube is from the true one.

    Attributes
    ----------
    level
        How many quasi columns each group-by has.
    kl_divergence
        The mean over group-bys, in nats; 0 where every count is right.
    low, high
        Its 95% interval; equal to it where every cell was looked at.
    relative_error
        The mean over cells that hold rows.
    group_bys, cells
        How many group-bys there are, and how many cells hold rows.
    exact
        Whether every cell was looked at. Group-bys of very many cells are estimated from a sample
        of rows.
    """

    level: int
    kl_divergence: float
    low: float
    high: float
    relative_error: float
    group_bys: int
    cells: int
    exact: bool

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "level": self.level,
            "kl_divergence": self.kl_divergence,
            "interval": [self.low, self.high],
            "relative_error": self.relative_error,
            "group_bys": self.group_bys,
            "cells": self.cells,
            "exact": self.exact,
        }


def cube_errors(
    table: Table,
    recoding: Recoding,
    forms: tuple[Form, ...] = (),
    *,
    levels: tuple[int, ...] = (2,),
    sensitive: str | None = None,
    most_cells: int = MOST_CELLS,
    sample: int = SAMPLE,
    seed: int = 0,
) -> dict[int, CubeError]:
    """Compare levels of the cube of a release with those of the private table.

    Parameters
    ----------
    forms
        How each quasi column is published; only asked for groups of rows.
    levels
        How many quasi columns the group-bys have: 1 to 3, and no more than there are.
    sensitive
        The sensitive column, if there are several; the first if not given.
    most_cells
        A group-by of more cells, sensitive values among them, is estimated from a sample.
    sample
        How many rows to draw for each such group-by.
    seed
        Of the sample.

    Raises
    ------
    PlanError
        If there is no such level or no such sensitive column.
    """
    refuse_without_classes(recoding)
    column = _asked(table, levels, sensitive)
    cube = _Cube(table, recoding, forms, column)
    errors = {}
    for level in levels:
        draw = np.random.Generator(np.random.PCG64(seed))
        jobs = [
            (
                columns,
                draw.integers(0, table.rows, sample) if cube.cells(columns) > most_cells else None,
            )
            for columns in combinations(range(len(table.quasi)), level)
        ]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            errors[level] = _summed(level, list(pool.map(lambda job: cube.compare(*job), jobs)))
    return errors


def _asked(table: Table, levels: tuple[int, ...], name: str | None) -> SensitiveColumn:
    """Find the sensitive column, and refuse what cannot be asked."""
    faults = []
    most = min(MOST_COLUMNS, len(table.quasi))
    if not levels or not all(1 <= level <= most for level in levels):
        faults.append(Fault("levels", f"they are {list(levels)}", f"Name levels from 1 to {most}."))
    named = [column for column in table.sensitive if name in {None, column.name}]
    if not named:
        have = ", ".join(column.name for column in table.sensitive) or "none"
        faults.append(
            Fault(
                "sensitive",
                f"no sensitive column {name!r}" if name else "no sensitive column",
                f"Sensitive columns: {have}.",
            )
        )
    if not table.rows:
        faults.append(Fault("table", "it has no rows"))
    if faults:
        raise PlanError(faults)
    return named[0]


@dataclass(frozen=True)
class _GroupBy:
    """One group-by: its divergence with its variance, its summed relative error, its cells."""

    divergence: float
    variance: float
    error: float
    cells: int
    exact: bool


def _summed(level: int, parts: list[_GroupBy]) -> CubeError:
    mean = sum(part.divergence for part in parts) / len(parts)
    spread = NORMAL * sqrt(sum(part.variance for part in parts)) / len(parts)
    cells = sum(part.cells for part in parts)
    return CubeError(
        level=level,
        kl_divergence=mean,
        low=max(mean - spread, 0.0) if spread else mean,
        high=mean + spread,
        relative_error=sum(part.error for part in parts) / cells,
        group_bys=len(parts),
        cells=cells,
        exact=all(part.exact for part in parts),
    )


class _Cube:
    """The private rows and what is known of them from a release, ready to be counted."""

    def __init__(
        self,
        table: Table,
        recoding: Recoding,
        forms: tuple[Form, ...],
        column: SensitiveColumn,
    ) -> None:
        self._table = table
        self._values = len(column.values)
        self._held = column.codes
        self._codes = np.zeros((table.entries, len(table.quasi) + 1), dtype=np.int32)
        for place, quasi in enumerate(table.quasi):
            self._codes[:, place] = quasi.codes
        self._sizes = np.array([q.hierarchy.size for q in table.quasi] + [1], dtype=np.int64)
        self._truth = self._by_block(column.codes)
        self._suppressed = recoding.suppressed_rows(table)
        buckets = recoding.bucket_of_row
        self._in_buckets = buckets is not None
        self._known: PointArrays | BoxArrays
        if buckets is not None:
            self._known = self._by_block(buckets)
        else:
            self._known = _boxes(recoding.shown(table, forms), column.codes, self._values)

    def cells(self, columns: tuple[int, ...]) -> int:
        """How many cells a group-by has, empty ones and all sensitive values among them."""
        return int(np.prod(self._sizes[list(columns)].astype(float))) * self._values

    def compare(self, columns: tuple[int, ...], drawn: NDArray[np.int64] | None) -> _GroupBy:
        """Compare a group-by, in every cell or in those of some drawn rows."""
        last = self._sizes.size - 1
        a, b, c = (*columns, *[last] * (MOST_COLUMNS - len(columns)))
        blank = self._suppressed / self.cells(columns)
        return (
            self._whole((a, b, c), blank)
            if drawn is None
            else self._sampled((a, b, c), blank, drawn)
        )

    def _whole(self, columns: tuple[int, int, int], blank: float) -> _GroupBy:
        from indistinct.measures.cube_kernel import GroupBy, compare_boxes, compare_points

        compare: Callable[..., NDArray[np.float64]] = (
            compare_points if self._in_buckets else compare_boxes
        )
        group_by = GroupBy(*columns, self._sizes)
        summed, error, cells = compare(self._truth, self._known, group_by, blank)
        divergence = float(summed) / self._table.rows
        return _GroupBy(divergence, 0.0, float(error), int(cells), exact=True)

    def _sampled(
        self, columns: tuple[int, int, int], blank: float, drawn: NDArray[np.int64]
    ) -> _GroupBy:
        """Draw cells with their probability P: the mean of log(P / Q) is the divergence."""
        from indistinct.measures.cube_kernel import sample_boxes, sample_points

        rows = self._table.rows
        entries = self._table.entries_of(drawn)
        cells, held = self._codes[entries], self._held[entries]
        sample: Callable[..., NDArray[np.float64]] = (
            sample_points if self._in_buckets else sample_boxes
        )
        true = sample_points(self._truth, held, columns, cells)
        guess = sample(self._known, held, columns, cells) + blank
        logs = np.log(true / guess)
        count = self._distinct(columns)
        # A cell is drawn in proportion to its rows, but counts once in the mean over cells.
        error = rows * float(np.mean(np.abs(true - guess) / true**2))
        return _GroupBy(
            float(logs.mean()), float(logs.var(ddof=1)) / drawn.size, error, count, exact=False
        )

    def _distinct(self, columns: tuple[int, int, int]) -> int:
        from indistinct.model.ranking_kernel import rank_keys, row_keys

        chosen = [np.ascontiguousarray(self._codes[:, column]) for column in columns]
        sizes = [int(self._sizes[column]) for column in columns]
        keys, _ = row_keys([*chosen, self._held], [*sizes, self._values])
        return int(rank_keys(keys)[1].size)

    def _by_block(self, blocks: NDArray[np.int32]) -> PointArrays:
        """Put rows of exact values into blocks; each has every sensitive value by its share."""
        from indistinct.measures.cube_kernel import PointArrays

        kept, weights = np.flatnonzero(blocks >= 0), self._table.weights
        order = kept[np.argsort(blocks[kept], kind="stable")]
        count = int(blocks.max(initial=-1)) + 1
        entries = np.bincount(blocks[kept], minlength=count)
        of_kept = None if weights is None else weights[kept]
        sizes = np.bincount(blocks[kept], of_kept, minlength=count)
        block, counts, first = _pairs(blocks[kept], self._held[kept], self._values, of_kept)
        return PointArrays(
            self._codes[order],
            np.append(0, np.cumsum(entries)),
            block,
            counts / sizes[block],
            first,
            np.zeros(0) if weights is None else weights[order].astype(np.float64),
        )


def _boxes(shown: Shown, held: NDArray[np.int32], values: int) -> BoxArrays:
    """Put the published values of all columns behind one another; the last is the single value."""
    from indistinct.measures.cube_kernel import BoxArrays

    kept = shown.of_row >= 0
    weights = None if shown.weights is None else shown.weights[kept]
    entry, counts, first = _pairs(shown.of_row[kept], held[kept], values, weights)
    offsets = np.append(0, np.cumsum([v.count for v in shown.values]))
    ends = np.append(0, np.cumsum([v.low.size for v in shown.values]))
    runs = [v.first[:-1] + end for v, end in zip(shown.values, ends[:-1], strict=True)]
    single = np.full((shown.count, 1), offsets[-1])
    return BoxArrays(
        value=np.hstack([shown.value + offsets[:-1], single]),
        runs=np.concatenate([*runs, [ends[-1], ends[-1] + 1]]).astype(np.int64),
        low=np.concatenate([*(v.low for v in shown.values), [0]]).astype(np.int64),
        high=np.concatenate([*(v.high for v in shown.values), [0]]).astype(np.int64),
        held=np.concatenate([*(v.held for v in shown.values), [1]]).astype(np.float64),
        entry=entry,
        weight=counts.astype(np.float64),
        first=first,
    )


def _pairs(
    groups: NDArray[np.int32],
    held: NDArray[np.int32],
    values: int,
    weights: NDArray[np.int64] | None,
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Count each sensitive value in each group: groups and counts by value, and its first place."""
    count = int(groups.max(initial=-1)) + 1
    keys, counts = counted_keys(held.astype(np.int64) * count + groups, weights)
    value, group = np.divmod(keys, max(count, 1))
    return group, counts, np.searchsorted(value, np.arange(values + 1))
