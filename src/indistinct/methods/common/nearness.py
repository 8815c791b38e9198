"""What a local search looks at: which rows are near each other, and what spans cost."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem

ORDERS = 8
MOST_BINS = 512
PAIRS = 20_000
NOISE = 0.15


def near_orders(problem: Problem) -> NDArray[np.int32]:
    """Return some orders of the rows.

    Each is a reflected lexicographic order: after each column the next runs backwards every other
    time, so that neighbours differ little. The columns that cost most when mixed come first, in a
    few variations.
    """
    from indistinct.model.ranking_kernel import row_keys

    codes = problem.codes
    sizes = [int(codes[:, column].max(initial=0)) + 1 for column in range(codes.shape[1])]
    orders = np.empty((ORDERS, codes.shape[0]), dtype=np.int32)
    for place, columns in enumerate(_column_orders(problem)):
        reflected, turned = [], np.zeros(codes.shape[0], dtype=bool)
        for column in columns:
            digit = codes[:, column]
            digit = np.where(turned, sizes[column] - 1 - digit, digit).astype(np.int32)
            reflected.append(digit)
            turned ^= (digit & 1).astype(bool)
        keys, _ = row_keys(reflected, [sizes[column] for column in columns])
        orders[place] = np.argsort(keys, kind="stable")
    return orders


def places_in(orders: NDArray[np.int32]) -> NDArray[np.int32]:
    """Return the place of every row in each of some orders."""
    places = np.empty_like(orders)
    for order, at in zip(orders, places, strict=True):
        at[order] = np.arange(order.size, dtype=np.int32)
    return places


def _column_orders(problem: Problem) -> list[list[int]]:
    """Vary the order of columns: those that cost most when values are mixed first."""
    random = np.random.Generator(np.random.PCG64(12345))
    mixed = _mixing_costs(problem, random)
    values = np.array([np.unique(column.codes).size for column in problem.table.quasi])
    rank = -mixed + 0.05 * np.log(values)
    orders = [list(np.argsort(values, kind="stable"))]
    while len(orders) < ORDERS:
        noise = random.normal(scale=NOISE * (len(orders) - 1), size=rank.size)
        orders.append(list(np.argsort(rank + noise, kind="stable")))
    return orders


def _mixing_costs(problem: Problem, random: np.random.Generator) -> NDArray[np.float64]:
    """For each column, what a pair of rows with different values costs on average."""
    rows = problem.table.entries
    one, two = random.integers(0, rows, size=(2, min(PAIRS, 4 * rows)))
    costs = np.zeros(len(problem.table.quasi))
    for place, column in enumerate(problem.table.quasi):
        low = np.minimum(column.codes[one], column.codes[two])
        high = np.maximum(column.codes[one], column.codes[two])
        differ = low != high
        if differ.any():
            costs[place] = problem.spans.cost(place, low[differ], high[differ]).mean()
    return costs


def span_table(problem: Problem) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
    """Return the cost of every span of every column, and the codes of rows that index it.

    Columns of very many values are put into bins of about equal counts for the search; what is
    published is measured on the values themselves.
    """
    columns, bounds = [], []
    for column, form in zip(problem.table.quasi, problem.spans.forms, strict=True):
        parted = _frequent if form == "star" else _binned
        codes, low, high = parted(column.codes, column.hierarchy.size)
        columns.append(codes)
        bounds.append((low, high))
    widest = max(low.size for low, _ in bounds)
    table = np.zeros((len(columns), widest, widest))
    for place, (low, high) in enumerate(bounds):
        size = low.size
        first, last = np.divmod(np.arange(size * size), size)
        first, last = np.minimum(first, last), np.maximum(first, last)
        cost = problem.spans.cost(place, low[first], high[last])
        table[place, :size, :size] = cost.reshape(size, size)
    return table, np.ascontiguousarray(np.stack(columns, axis=1))


def _frequent(
    codes: NDArray[np.int32], size: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return bins of one value each for the most frequent ones, and one for all others.

    For stars, where only equal values cost nothing and their order is of no account.
    """
    every = np.arange(size, dtype=np.int32)
    if size <= MOST_BINS:
        return codes, every, every
    order = np.argsort(-np.bincount(codes, minlength=size), kind="stable").astype(np.int32)
    bins = np.empty(size, dtype=np.int32)
    bins[order] = np.minimum(every, MOST_BINS - 1)
    low, high = order[:MOST_BINS].copy(), order[:MOST_BINS].copy()
    low[-1], high[-1] = order[MOST_BINS - 1 :].min(), order[MOST_BINS - 1 :].max()
    return bins[codes], low, high


def _binned(
    codes: NDArray[np.int32], size: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """Return the bin of each row, and the smallest and largest code of each bin."""
    if size <= MOST_BINS:
        every = np.arange(size, dtype=np.int32)
        return codes, every, every
    counts = np.bincount(codes, minlength=size)
    bins = np.minimum(np.cumsum(counts) * MOST_BINS // (codes.size + 1), MOST_BINS - 1)
    seen, number = np.unique(bins, return_inverse=True)
    low = np.searchsorted(number, np.arange(seen.size))
    high = np.append(low[1:], size) - 1
    return number.astype(np.int32)[codes], low.astype(np.int32), high.astype(np.int32)
