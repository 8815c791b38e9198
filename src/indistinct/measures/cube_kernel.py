"""Counting a data cube: the true counts of a group-by, and their estimates from a release.

A group-by has up to three columns; missing ones stand as a column of a single value. Counts of one
sensitive value at a time are in a flat array over all combinations of the columns' values.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from indistinct.kernels.compiled import inner, njit

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Columns = tuple[int, int, int]


class PointArrays(NamedTuple):
    """Rows with exact values, in blocks that share their sensitive values.

    Attributes
    ----------
    codes
        The codes of each row, blocks one after the other, and a last column of zeros.
    starts
        Where each block begins, and where the last ends.
    block, weight, first
        For each sensitive value the blocks that have it, from `first` on, and the share of each of
        the block's rows that is expected to have it.
    """

    codes: np.ndarray
    starts: np.ndarray
    block: np.ndarray
    weight: np.ndarray
    first: np.ndarray


class BoxArrays(NamedTuple):
    """Classes published as values that stand for several leaves.

    Attributes
    ----------
    value
        For each class and column the number of its value among those of all columns; the last
        column is that of a single value.
    runs, low, high, held
        For each value where its runs of leaves begin, and how many leaves it holds.
    entry, weight, first
        For each sensitive value the classes that have it, from `first` on, and in how many rows.
    """

    value: np.ndarray
    runs: np.ndarray
    low: np.ndarray
    high: np.ndarray
    held: np.ndarray
    entry: np.ndarray
    weight: np.ndarray
    first: np.ndarray


class GroupBy(NamedTuple):
    """Three columns, and how many values each column of all has."""

    a: int
    b: int
    c: int
    sizes: np.ndarray


@inner
def count_points(points, sensitive, group_by, blank, counts):
    """Count the expected rows of a sensitive value in each cell, beside `blank`."""
    a, b, c, sizes = group_by
    counts[:] = blank
    for place in range(points.first[sensitive], points.first[sensitive + 1]):
        block, weight = points.block[place], points.weight[place]
        for row in range(points.starts[block], points.starts[block + 1]):
            cell = points.codes[row, a] * sizes[b] + points.codes[row, b]
            counts[cell * sizes[c] + points.codes[row, c]] += weight


@inner
def count_boxes(boxes, sensitive, group_by, blank, counts):
    """Spread the rows of each class evenly over the leaves that it is published as, beside `blank`.

    Each box of leaves is marked at its corners only; running sums fill it.
    """
    a, b, c, sizes = group_by
    counts[:] = 0.0
    for place in range(boxes.first[sensitive], boxes.first[sensitive + 1]):
        entry = boxes.entry[place]
        x, y, z = boxes.value[entry, a], boxes.value[entry, b], boxes.value[entry, c]
        weight = boxes.weight[place] / (boxes.held[x] * boxes.held[y] * boxes.held[z])
        for i in range(boxes.runs[x], boxes.runs[x + 1]):
            for j in range(boxes.runs[y], boxes.runs[y + 1]):
                for k in range(boxes.runs[z], boxes.runs[z + 1]):
                    ends = (boxes.high[i] + 1, boxes.high[j] + 1, boxes.high[k] + 1)
                    starts = (boxes.low[i], boxes.low[j], boxes.low[k])
                    _mark(counts, (sizes[a], sizes[b], sizes[c]), starts, ends, weight)
    _fill(counts, sizes[a], sizes[b], sizes[c])
    counts += blank


@njit(inline="always")
def _mark(counts, sizes, starts, ends, weight):
    """Mark the corners of a box."""
    for i in range(2 if ends[0] < sizes[0] else 1):
        one = ends[0] if i else starts[0]
        by_one = -weight if i else weight
        for j in range(2 if ends[1] < sizes[1] else 1):
            two = one * sizes[1] + (ends[1] if j else starts[1])
            by_two = -by_one if j else by_one
            counts[two * sizes[2] + starts[2]] += by_two
            if ends[2] < sizes[2]:
                counts[two * sizes[2] + ends[2]] -= by_two


@inner
def _fill(counts, x, y, z):
    """Turn marks into counts, by running sums along each of three axes."""
    for line in range(x * y):
        for k in range(1, z):
            counts[line * z + k] += counts[line * z + k - 1]
    for plane in range(x):
        for cell in range((plane * y + 1) * z, (plane + 1) * y * z):
            counts[cell] += counts[cell - z]
    for cell in range(y * z, x * y * z):
        counts[cell] += counts[cell - y * z]


@njit
def compare_points(
    truth: PointArrays, points: PointArrays, group_by: GroupBy, blank: float
) -> NDArray[np.float64]:
    """Compare a group-by with its estimate from rows of exact values; see `_compare`."""
    true, guess, differences = _new_counts(group_by)
    for sensitive in range(truth.first.size - 1):
        count_points(points, sensitive, group_by, blank, guess)
        _compare(truth, sensitive, group_by, true, guess, differences)
    return differences


@njit
def compare_boxes(
    truth: PointArrays, boxes: BoxArrays, group_by: GroupBy, blank: float
) -> NDArray[np.float64]:
    """Compare a group-by with its estimate from generalized classes; see `_compare`."""
    true, guess, differences = _new_counts(group_by)
    for sensitive in range(truth.first.size - 1):
        count_boxes(boxes, sensitive, group_by, blank, guess)
        _compare(truth, sensitive, group_by, true, guess, differences)
    return differences


@inner
def _new_counts(
    group_by: GroupBy,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return room for the true counts and those of an estimate, and for three sums of zero."""
    a, b, c, sizes = group_by
    cells = sizes[a] * sizes[b] * sizes[c]
    return np.empty(cells), np.empty(cells), np.zeros(3)


@inner
def _compare(truth, sensitive, group_by, true, guess, differences):
    """Add up true log(true / guess), |true - guess| / true, and the cells that hold rows."""
    count_points(truth, sensitive, group_by, 0.0, true)
    for cell in range(true.size):
        if true[cell] > 0:
            differences[0] += true[cell] * np.log(true[cell] / guess[cell])
            differences[1] += abs(true[cell] - guess[cell]) / true[cell]
            differences[2] += 1


@njit
def sample_points(
    points: PointArrays, sensitive: NDArray[np.int32], columns: Columns, cells: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Expect how many rows are in each of some cells of a group-by, from rows of exact values."""
    a, b, c = columns
    expected = np.zeros(cells.shape[0])
    for at in range(cells.shape[0]):
        for place in range(points.first[sensitive[at]], points.first[sensitive[at] + 1]):
            block, weight = points.block[place], points.weight[place]
            for row in range(points.starts[block], points.starts[block + 1]):
                if (
                    points.codes[row, a] == cells[at, a]
                    and points.codes[row, b] == cells[at, b]
                    and points.codes[row, c] == cells[at, c]
                ):
                    expected[at] += weight
    return expected


@njit
def sample_boxes(
    boxes: BoxArrays, sensitive: NDArray[np.int32], columns: Columns, cells: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Expect how many rows are in each of some cells of a group-by, from generalized classes."""
    a, b, c = columns
    expected = np.zeros(cells.shape[0])
    for at in range(cells.shape[0]):
        for place in range(boxes.first[sensitive[at]], boxes.first[sensitive[at] + 1]):
            entry = boxes.entry[place]
            x, y, z = boxes.value[entry, a], boxes.value[entry, b], boxes.value[entry, c]
            if (
                _holds(boxes, x, cells[at, a])
                and _holds(boxes, y, cells[at, b])
                and _holds(boxes, z, cells[at, c])
            ):
                held = boxes.held[x] * boxes.held[y] * boxes.held[z]
                expected[at] += boxes.weight[place] / held
    return expected


@inner
def _holds(boxes, value, leaf):
    """Return whether a published value stands for a leaf."""
    for run in range(boxes.runs[value], boxes.runs[value + 1]):
        if boxes.low[run] <= leaf <= boxes.high[run]:
            return True
    return False
