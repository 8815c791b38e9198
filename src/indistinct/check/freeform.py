"""The independent check of a freeform release: k disjoint perfect matchings must exist.

Nothing here is shared with the methods; its kernel is its own. A published row and an original row
are compatible if every published cell covers the original value, read from the published text. The
release is k-anonymous if the graph of compatible pairs holds k disjoint perfect matchings between
original and published rows. That is so exactly if it holds a k-regular graph (Koenig), which a
maximum flow decides; where the matchings are known, they are checked as they are. From the release
alone, who covers whom cannot be decided, and that is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.check.cells import between, covering
from indistinct.check.reading import read_column
from indistinct.check.rows import Evidence, Verified

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.check.covered import Covered
    from indistinct.check.freeform_kernel import Boxes, Tree
    from indistinct.model.table import QuasiColumn, SensitiveColumn
    from indistinct.requirements import Requirement

UNKNOWN = (
    "a freeform release has no classes: only the private table shows which rows a published row "
    "covers; give it to decide"
)
UNTRUE = "some published rows carry values that no original row they cover has"
MANY_EDGES, LEAST_EDGES = 10_000_000, 4


@dataclass(frozen=True, eq=False)
class Cells:
    """One quasi column of a release, beside the private one.

    Attributes
    ----------
    number
        The number of the distinct published cell of each published row.
    covers
        Which values each distinct cell covers.
    codes
        The value of each original row.
    """

    number: NDArray[np.intp]
    covers: Covered
    codes: NDArray[np.int32]

    def cover(self, published: NDArray[np.intp], original: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Return for pairs of a published and an original row whether the cell covers the value."""
        return self.covers.has(self.number[published], self.codes[original])


def cells_of(rows: pa.Table, column: QuasiColumn, parts: Sequence[str]) -> Cells:
    """Read a published column: what each of its distinct cells covers."""
    first = read_column(rows.column(parts[0]), parts[0])
    if len(parts) == 1 or parts[1] != f"{column.name}_high":
        covers = covering(column.hierarchy, first.texts)
        return Cells(first.codes.astype(np.intp), covers, column.codes)
    last = read_column(rows.column(parts[1]), parts[1])
    size = max(len(last.texts), 1)
    pairs, number = np.unique(first.codes.astype(np.int64) * size + last.codes, return_inverse=True)
    ends = [(first.texts[p // size], last.texts[p % size]) for p in pairs.tolist()]
    return Cells(number.ravel(), between(column.hierarchy, ends), column.codes)


def same_values(
    published: pa.ChunkedArray, column: SensitiveColumn, origin: NDArray[np.intp]
) -> bool:
    """Return whether each published row holds the value of the original row it is said to."""
    read = read_column(published, column.name)
    place = {value: code for code, value in enumerate(column.values)}
    codes = np.array([place.get(text, -1) for text in read.texts], dtype=np.int64)
    return bool(np.array_equal(codes[read.codes], column.codes[origin]))


def verify_alone(rows: int, requirements: Sequence[Requirement], sets: Sequence[str]) -> Verified:
    """Say what can be said without the private table: only that too few rows cannot do."""
    evidence = tuple(
        Evidence(asked, name, None, float("nan"), _enough(rows, asked), {}, UNKNOWN)
        for name in sets
        for asked in requirements
    )
    return Verified(evidence, np.zeros(0, dtype=np.int64), rows, 0)


def _enough(rows: int, asked: Requirement) -> bool | None:
    return None if rows >= asked.least_respondents else False


def verify_known(
    cells: Mapping[str, Sequence[Cells]],
    requirements: Sequence[Requirement],
    sources: NDArray[np.int32],
    order: NDArray[np.intp],
    carried: NDArray[np.intp],
) -> Verified:
    """Check known matchings on the published cells.

    Parameters
    ----------
    cells
        The columns of each quasi-identifier.
    sources
        For each box the original row in each matching.
    order
        The box of each published row.
    carried
        The original row whose sensitive and other values each box carries.
    """
    whole = np.array_equal(np.sort(order), np.arange(sources.shape[0]))
    perfect = whole and all(
        np.array_equal(np.sort(one), np.arange(one.size)) for one in (*sources.T, carried)
    )
    paired = np.sort(sources, axis=1)
    disjoint = not (paired[:, 1:] == paired[:, :-1]).any()
    along = bool((sources == carried[:, None]).any(axis=1).all())
    proven = 0
    evidence = []
    for name, columns in cells.items():
        if perfect and disjoint and along:
            proven = sum(
                _all_compatible(columns, sources[order, m]) for m in range(paired.shape[1])
            )
        for asked in requirements:
            holds = proven >= asked.least_respondents
            evidence.append(Evidence(asked, name, None, float(proven), holds, {}))
    return Verified(tuple(evidence), np.zeros(0, dtype=np.int64), int(order.size), 0)


def _all_compatible(columns: Sequence[Cells], original: NDArray[np.int32]) -> bool:
    published = np.arange(original.size)
    return all(bool(c.cover(published, original.astype(np.intp)).all()) for c in columns)


def verify_found(
    cells: Mapping[str, Sequence[Cells]],
    requirements: Sequence[Requirement],
    carried: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]],
) -> Verified:
    """Find who covers whom from the private table and the release, and k disjoint matchings.

    Parameters
    ----------
    carried
        For each sensitive or other column, the value of each published and of each original row.
    """
    evidence = []
    rows = 0
    for name, columns in cells.items():
        rows, originals = columns[0].number.size, columns[0].codes.size
        true = rows == originals and _carries(columns, carried)
        nothing = np.zeros(rows, dtype=np.intp)
        graph = _Graph(columns, nothing, nothing) if true else None
        for asked in requirements:
            k = asked.least_respondents
            matchings = graph.matchings(k) if graph is not None else 0
            note = "" if true else _untrue(rows, originals)
            evidence.append(Evidence(asked, name, None, float(matchings), matchings >= k, {}, note))
    return Verified(tuple(evidence), np.zeros(0, dtype=np.int64), rows, 0)


def compatible_pairs(
    columns: Sequence[Cells], most: int
) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """List the pairs of a published and an original row whose value every cell covers.

    Those of one published row stand together, published rows in order. None if there are more
    than so many.
    """
    return _Graph(columns, *np.zeros((2, columns[0].number.size), dtype=np.intp)).pairs(most)


def _untrue(rows: int, originals: int) -> str:
    if rows != originals:
        return f"the release has {rows} rows and the private table {originals}"
    return UNTRUE


def _carries(
    columns: Sequence[Cells], carried: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]
) -> bool:
    """Return whether each published row can stem from an original row with the values it carries.

    One perfect matching of compatible pairs that agree in those values.
    """
    if not carried:
        return True
    value, _ = _distinct([np.concatenate(sides) for sides in carried])
    rows = columns[0].number.size
    return _Graph(columns, value[:rows], value[rows:]).matchings(1) == 1


class _Graph:
    """Compatible pairs of distinct published and distinct original rows.

    Parameters
    ----------
    columns
        The quasi columns.
    box_value, row_value
        Of each published and each original row what has to be the same in both.
    """

    def __init__(
        self,
        columns: Sequence[Cells],
        box_value: NDArray[np.intp],
        row_value: NDArray[np.intp],
    ) -> None:
        columns = sorted(columns, key=_pairs_left)
        box, first_boxes = _distinct([box_value, *[c.number for c in columns]])
        row, first_rows = _distinct([row_value, *[c.codes for c in columns]])
        self._box, self._row = box, row
        self._box_counts, self._row_counts = (np.bincount(n).astype(np.int64) for n in (box, row))
        self._cells = np.stack([c.number[first_boxes] for c in columns], axis=1).astype(np.int32)
        values = row_value[first_rows]
        self._tree, starts = _tree(values, [c.codes[first_rows] for c in columns], columns)
        ends = np.searchsorted(starts, np.searchsorted(values, box_value[first_boxes], "right"))
        begins = np.searchsorted(starts, np.searchsorted(values, box_value[first_boxes], "left"))
        self._below = begins.astype(np.int64), ends.astype(np.int64)

    def matchings(self, k: int) -> int:
        """Return how many disjoint perfect matchings there are, up to k."""
        every = self._ends(self._row_counts.size)
        if every[-1] > MANY_EDGES:
            most = max(MANY_EDGES // self._box_counts.size, LEAST_EDGES * k)
            if self._has(self._edges(self._ends(most)), k):
                return k
        edges = self._edges(every)
        return next((m for m in range(k, 0, -1) if self._has(edges, m)), 0)

    def pairs(self, most: int) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
        """List the compatible pairs of all rows, by published row; None if they are too many."""
        ends = self._ends(self._row_counts.size)
        if ends[-1] > most:
            return None
        box, row = self._edges(ends)
        copies = self._row_counts[row]
        degree = np.bincount(box, copies, minlength=self._box_counts.size).astype(np.intp)
        if int(degree @ self._box_counts) > most:
            return None
        first = np.cumsum(self._row_counts) - self._row_counts
        originals = np.argsort(self._row, kind="stable")[_stretches(first[row], copies)]
        begins = (np.cumsum(degree) - degree)[self._box]
        published = np.repeat(np.arange(self._box.size), degree[self._box])
        return published, originals[_stretches(begins, degree[self._box])]

    def _has(self, edges: tuple[NDArray[np.intp], NDArray[np.int32]], k: int) -> bool:
        return _regular(edges, self._row_counts, self._box_counts, k)

    def _ends(self, most: int) -> NDArray[np.int64]:
        """Count compatible pairs, at most so many of each box; return where those of each end."""
        from indistinct.check.freeform_kernel import count_covered

        ends = np.zeros(self._cells.shape[0] + 1, dtype=np.int64)
        count_covered(self._tree, self._boxes(0), most, ends[1:])
        return np.cumsum(ends)

    def _edges(self, ends: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.int32]]:
        """List as many compatible pairs as were counted."""
        from indistinct.check.freeform_kernel import list_covered

        boxes = self._boxes(int(ends[-1]))
        list_covered(self._tree, boxes, ends)
        return np.repeat(np.arange(ends.size - 1), np.diff(ends)), boxes.rows

    def _boxes(self, pairs: int) -> Boxes:
        """Return the boxes as the kernel takes them, with a place for each of so many pairs."""
        from indistinct.check.freeform_kernel import Boxes

        levels = np.empty((4, self._cells.shape[1]), dtype=np.int64)
        return Boxes(self._cells, *self._below, levels, np.empty(pairs, dtype=np.int32))


def _tree(
    values: NDArray[np.intp], codes: Sequence[NDArray[np.int32]], columns: Sequence[Cells]
) -> tuple[Tree, NDArray[np.intp]]:
    """Build the tree of sorted distinct rows; return also the first row of its first nodes."""
    from indistinct.check.freeform_kernel import Tree

    changed = np.diff(values, prepend=-1) != 0
    starts = []
    for column in codes:
        changed = changed | (np.diff(column, prepend=-1) != 0)
        starts.append(np.flatnonzero(changed))
    sizes = [start.size + 1 for start in starts]
    offsets = np.cumsum(sizes)
    below = [
        offset + np.searchsorted(nodes, np.append(start, values.size))
        for offset, start, nodes in zip(offsets, starts, starts[1:], strict=False)
    ]
    covers = [column.covers for column in columns]
    cells = np.cumsum([0, *(len(c) for c in covers)])
    runs = np.cumsum([0, *(c.low.size for c in covers)])
    first_runs = [c.first[:-1] + before for c, before in zip(covers, runs, strict=False)]
    tree = Tree(
        np.concatenate([np.append(c[s], 0) for c, s in zip(codes, starts, strict=True)]),
        np.concatenate([*below, np.arange(sizes[-1])]).astype(np.int64),
        cells[:-1],
        np.concatenate([*first_runs, runs[-1:]]),
        np.concatenate([c.low for c in covers]),
        np.concatenate([c.high for c in covers]),
    )
    return tree, starts[0]


def _stretches(begins: NDArray[Any], sizes: NDArray[Any]) -> NDArray[np.intp]:
    """Number the places of stretches, one after the other."""
    ends = np.cumsum(sizes)
    total = int(ends[-1]) if sizes.size else 0
    return np.repeat(begins - (ends - sizes), sizes) + np.arange(total)


def _pairs_left(column: Cells) -> float:
    """Count the pairs that a column allows: those that tell most apart are looked at first."""
    values = np.bincount(column.codes, minlength=column.covers.size)
    cells = np.bincount(column.number, minlength=len(column.covers))
    return float(cells @ column.covers.counts(values))


def _distinct(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number equal rows alike; return also the first row of each number."""
    numbers = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        joined = numbers * (int(column.max(initial=0)) + 1) + column
        _, numbers = np.unique(joined, return_inverse=True)
    first = np.unique(numbers, return_index=True)[1]
    return numbers.ravel(), first


def _regular(
    edges: tuple[NDArray[np.intp], NDArray[np.int32]],
    rows: NDArray[np.int64],
    boxes: NDArray[np.int64],
    k: int,
) -> bool:
    """Return whether pairs of distinct rows and boxes hold a k-regular graph of all of them.

    A distinct row of r copies and a distinct box of b copies can be joined r b times. If a flow
    gives k to every copy on both sides, it can be dealt out evenly among the copies, and a
    fractional solution of a bipartite problem has a whole one beside it.
    """
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import maximum_flow

    box, row = edges
    source, sink = boxes.size + rows.size, boxes.size + rows.size + 1
    start = np.concatenate([np.full(rows.size, source), boxes.size + row, np.arange(boxes.size)])
    end = np.concatenate([boxes.size + np.arange(rows.size), box, np.full(boxes.size, sink)])
    pair_capacity = np.minimum(rows[row] * boxes[box], k * np.minimum(rows[row], boxes[box]))
    capacity = np.concatenate([k * rows, pair_capacity, k * boxes]).astype(np.int32)
    network = coo_array((capacity, (start, end)), (sink + 1, sink + 1)).tocsr()
    return int(maximum_flow(network, source, sink).flow_value) == k * int(rows.sum())
