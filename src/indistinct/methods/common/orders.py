"""Orders of rows: mappings of many columns to one dimension in which near rows stay near."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from pydantic import PlainSerializer

from indistinct.errors import Fault, PlanError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem

Named = Literal["hilbert", "hilbert-ranks", "idistance", "lexicographic"]
Function = Annotated[
    Callable[[Any], Any],
    PlainSerializer(lambda function: getattr(function, "__name__", "a function"), when_used="json"),
]
Mapping = Named | Function

SAMPLE = 10_000
MOST_BITS = 20
ROUNDS = 8


@dataclass(frozen=True, eq=False)
class Mapped:
    """Rows in an order.

    Attributes
    ----------
    order
        The rows, one after the other.
    values
        The mapped value of each row, in the order of rows; None for an order without one.
    """

    order: NDArray[np.int32]
    values: NDArray[np.float64] | None

    def extents(self, problem: Problem) -> NDArray[np.float64]:
        """Return a place for each row along the order: its value, or the way gone so far."""
        from indistinct.methods.common.runs_kernel import path_lengths

        if self.values is not None:
            return self.values[self.order]
        lengths: NDArray[np.float64] = path_lengths(problem.codes, self.order, problem.spans.arrays)
        return lengths


def mapped(problem: Problem, mapping: Mapping, centres: int = 512, rounds: int = ROUNDS) -> Mapped:
    """Put the rows of a problem in an order; one column has its natural one.

    Rows with equal codes stand as they are given.
    """
    if callable(mapping):
        return Mapped(_asked(mapping, problem), None)
    if len(problem.table.quasi) == 1:
        codes = problem.table.quasi[0].codes
        return Mapped(_sorted([codes]), places(problem)[codes, 0])
    if mapping in {"hilbert", "hilbert-ranks"}:
        words = _hilbert(_points(problem, rank if mapping == "hilbert-ranks" else place))
        return Mapped(_sorted([*words, _row_keys(problem)]), words[0].astype(np.float64))
    if mapping == "idistance":
        values = _idistance(problem, centres, rounds)
        return Mapped(_sorted([values, _row_keys(problem)]), values)
    return Mapped(_reflected(problem), None)


def place(problem: Problem, column: int) -> NDArray[np.float64]:
    """Return where each code lies on its domain, from 0 to 1: by number, or by rank."""
    quasi = problem.table.quasi[column]
    where = np.arange(quasi.hierarchy.size, dtype=np.float64)
    if problem.spans.forms[column] == "range":
        numbers = quasi.hierarchy.position
        numeric = ~np.isnan(numbers)
        if numeric.any():
            where = np.interp(where, np.flatnonzero(numeric), numbers[numeric])
    where -= where.min()
    extent = float(where.max())
    return where / extent if extent > 0 else where


def rank(problem: Problem, column: int) -> NDArray[np.float64]:
    """Return where each code lies by the share of rows below it, from 0 to 1."""
    quasi = problem.table.quasi[column]
    counts = np.bincount(quasi.codes, problem.table.row_counts, minlength=quasi.hierarchy.size)
    middles = np.cumsum(counts) - counts / 2
    middles -= middles.min()
    extent = float(middles.max())
    return middles / extent if extent > 0 else middles


def places(problem: Problem) -> NDArray[np.float64]:
    """Return the places of all columns side by side, as many rows as the largest domain has."""
    columns = [place(problem, column) for column in range(len(problem.table.quasi))]
    side_by_side = np.zeros((max(column.size for column in columns), len(columns)))
    for number, column in enumerate(columns):
        side_by_side[: column.size, number] = column
    return side_by_side


def in_threads(kernel: Callable[[slice], None], rows: int) -> None:
    """Run a kernel on parts of the rows, on all processors."""
    parts = max(1, min(4 * (os.cpu_count() or 1), rows // 10_000))
    ends = np.linspace(0, rows, parts + 1).astype(int)
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(kernel, [slice(a, b) for a, b in pairwise(ends)]))


def _asked(mapping: Callable[[Any], Any], problem: Problem) -> NDArray[np.int32]:
    order = np.asarray(mapping(problem.codes.copy()))
    whole = order.shape == (problem.table.entries,) and np.issubdtype(order.dtype, np.integer)
    if not whole or not np.array_equal(np.sort(order), np.arange(problem.table.entries)):
        raise PlanError(
            Fault(
                "method.mapping",
                f"it must return each of the {problem.table.entries} row numbers once",
                "Return np.argsort or np.lexsort of a key, for instance.",
            )
        )
    return order.astype(np.int32)


def _points(
    problem: Problem, where: Callable[[Problem, int], NDArray[np.float64]]
) -> NDArray[np.uint32]:
    """Scale the places of all rows to whole numbers of enough bits to tell codes apart."""
    most = max(column.hierarchy.size for column in problem.table.quasi)
    bits = min(max(int(most - 1).bit_length(), 1), MOST_BITS)
    scale = (1 << bits) - 1
    columns = [
        np.rint(where(problem, number) * scale).astype(np.uint32)[column.codes]
        for number, column in enumerate(problem.table.quasi)
    ]
    return np.stack(columns, axis=1)


def _hilbert(points: NDArray[np.uint32]) -> NDArray[np.uint64]:
    """Return the words of each point's place on a Hilbert curve, the most significant first."""
    from indistinct.methods.common.orders_kernel import hilbert_words

    bits = max(int(points.max(initial=1)).bit_length(), 1)
    rows, dimensions = points.shape
    words = np.zeros((-(-bits * dimensions // 64), rows), dtype=np.uint64)

    def write(part: slice) -> None:
        hilbert_words(points[part], bits, words[:, part], np.empty(dimensions, dtype=np.uint32))

    in_threads(write, rows)
    return words


def _idistance(problem: Problem, centres: int, rounds: int) -> NDArray[np.float64]:
    """Number each row by its nearest centre, along a Hilbert curve, plus how far it is from it."""
    from indistinct.methods.common.orders_kernel import nearest_centres

    distinct = problem.table.frequency_set
    columns = [place(problem, number)[codes] for number, codes in enumerate(distinct.codes)]
    points = np.stack(columns, axis=1)
    sample = _sampled(distinct.counts, SAMPLE)
    seen = np.unique(sample)
    guess = points[seen[_spread(seen.size, centres)]]
    centroids = _centres(points[sample], guess, rounds)
    scaled = np.rint(centroids * ((1 << MOST_BITS) - 1)).astype(np.uint32)
    centroids = np.ascontiguousarray(centroids[np.lexsort((*centroids.T, *_hilbert(scaled)[::-1]))])
    nearest = np.empty(distinct.size, dtype=np.int64)
    distance = np.empty(distinct.size)
    in_threads(
        lambda part: nearest_centres(points[part], centroids, nearest[part], distance[part]),
        distinct.size,
    )
    farthest = float(distance.max(initial=0.0)) or 1.0
    values: NDArray[np.float64] = nearest + 0.999 * distance / farthest
    return values[distinct.inverse]


def _centres(
    points: NDArray[np.float64], guess: NDArray[np.float64], rounds: int
) -> NDArray[np.float64]:
    """Move centres to the middle of the points that are nearest to them, a few times (k-means)."""
    from indistinct.methods.common.orders_kernel import nearest_centres

    nearest, distance = np.empty(points.shape[0], dtype=np.int64), np.empty(points.shape[0])
    centres = np.ascontiguousarray(guess)
    for _ in range(rounds):
        nearest_centres(points, centres, nearest, distance)
        held = np.bincount(nearest, minlength=centres.shape[0])
        sums = [np.bincount(nearest, column, minlength=held.size) for column in points.T]
        centres = np.ascontiguousarray((np.stack(sums) / np.maximum(held, 1)).T[held > 0])
    return centres


def _sampled(counts: NDArray[np.int64], size: int) -> NDArray[np.intp]:
    """Say of which distinct row each of some rows is, evenly spread over all rows."""
    ends = np.cumsum(counts)
    return np.searchsorted(ends, _spread(int(ends[-1]), size), side="right")


def _spread(size: int, count: int) -> NDArray[np.intp]:
    """Take so many places, evenly spread."""
    if size <= count:
        return np.arange(size)
    return np.linspace(0, size - 1, count).astype(np.intp)


def _reflected(problem: Problem) -> NDArray[np.int32]:
    """Sort lexicographically by the columns of few values first, to and fro."""
    few_first = np.argsort(
        [np.unique(column.codes).size for column in problem.table.quasi], kind="stable"
    )
    order = _sorted([_row_keys(problem, few_first.tolist())])
    return reflected([problem.table.quasi[c].codes for c in few_first], order)


def reflected(columns: Sequence[NDArray[np.int32]], order: NDArray[np.int32]) -> NDArray[np.int32]:
    """Reflect a lexicographic order: every second run of equal first columns goes backwards.

    Neighbours then differ little even where a column to the left changes, as in a reflected Gray
    code. `order` sorts rows by `columns`, the first most; equal rows stay in the order they have.

    >>> high, low = np.array([0, 0, 1, 1]), np.array([0, 1, 0, 1])
    >>> reflected([high, low], np.arange(4, dtype=np.int32)).tolist()
    [0, 1, 3, 2]
    """
    first = np.zeros(1, dtype=np.intp)  # where runs begin that are equal in the columns so far,
    place = np.zeros(1, dtype=np.intp)  # and the place of each among them, to and fro
    begins = np.arange(order.size) == 0
    for codes in columns:
        begins[1:] |= np.diff(codes[order]) != 0
        finer = np.flatnonzero(begins)
        of_run = np.searchsorted(first, finer, side="right") - 1
        parts = np.bincount(of_run, minlength=first.size)
        part = np.arange(finer.size) - (np.cumsum(parts) - parts)[of_run]
        part = np.where(place[of_run] % 2, parts[of_run] - 1 - part, part)
        before = np.empty(first.size, dtype=np.intp)
        by_place = np.argsort(place)
        before[by_place] = np.cumsum(parts[by_place]) - parts[by_place]
        first, place = finer, before[of_run] + part
    lengths = np.diff(first, append=order.size)
    by_place = np.argsort(place)
    sizes = lengths[by_place]
    within = np.arange(order.size) - np.repeat(np.cumsum(sizes) - sizes, sizes)
    to_and_fro: NDArray[np.int32] = order[np.repeat(first[by_place], sizes) + within]
    return to_and_fro


def _row_keys(problem: Problem, columns: list[int] | None = None) -> NDArray[np.int64]:
    from indistinct.model.ranking_kernel import row_keys

    chosen = [problem.table.quasi[c] for c in columns or range(len(problem.table.quasi))]
    return row_keys([c.codes for c in chosen], [c.hierarchy.size for c in chosen])[0]


def _sorted(keys: list[NDArray[Any]]) -> NDArray[np.int32]:
    """Sort by some keys, the first most."""
    return np.lexsort(keys[::-1]).astype(np.int32)
