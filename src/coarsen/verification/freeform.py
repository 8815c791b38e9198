"""The independent check of a freeform release: k disjoint perfect matchings must exist.

Nothing here is shared with the methods; its kernel is its own. A published row and an original row
are compatible if every published cell covers the original value, read from the published text. The
release is k-anonymous if the graph of compatible pairs holds k disjoint perfect matchings between
original and published rows. That is so exactly if it holds a k-regular graph (Koenig), which a
maximum flow decides; where the matchings are known, they are checked as they are. From the release
alone, who covers whom cannot be told, and that is said.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from coarsen.frames.encoding import encode
from coarsen.verification.cells import between, covering
from coarsen.verification.rows import Evidence, Verified

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from coarsen.requirements import Requirement
    from coarsen.table import QuasiColumn, SensitiveColumn

UNKNOWN = (
    "a freeform release has no classes: which rows a published row covers can be told with the "
    "private table only; give it to decide"
)
UNTRUE = "some published rows carry values that no original row they cover has"
FEW = 1 << 16
FIRST_EDGES = 40


@dataclass(frozen=True, eq=False)
class Cells:
    """One quasi column of a release, beside the private one.

    Attributes
    ----------
    number
        The number of the distinct published cell of each published row.
    covers
        For each distinct cell, which values it covers.
    codes
        The value of each original row.
    """

    number: NDArray[np.intp]
    covers: NDArray[np.bool_]
    codes: NDArray[np.int32]

    def cover(self, published: NDArray[np.intp], original: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Tell of pairs of a published and an original row whether the cell covers the value."""
        found: NDArray[np.bool_] = self.covers[self.number[published], self.codes[original]]
        return found


def cells_of(rows: pa.Table, column: QuasiColumn, parts: Sequence[str]) -> Cells:
    """Read a published column: what each of its distinct cells covers."""
    first = encode(rows.column(parts[0]), parts[0])
    if len(parts) == 1 or parts[1] != f"{column.name}_high":
        covers = covering(column.hierarchy, first.domain.values)
        return Cells(first.codes.astype(np.intp), covers, column.codes)
    last = encode(rows.column(parts[1]), parts[1])
    size = max(len(last.domain.values), 1)
    pairs, number = np.unique(first.codes.astype(np.int64) * size + last.codes, return_inverse=True)
    ends = [(first.domain.values[p // size], last.domain.values[p % size]) for p in pairs.tolist()]
    return Cells(number.ravel(), between(column.hierarchy, ends), column.codes)


def same_values(
    published: pa.ChunkedArray, column: SensitiveColumn, origin: NDArray[np.intp]
) -> bool:
    """Tell whether each published row holds the value of the original row it is said to."""
    found = encode(published, column.name)
    place = {value: code for code, value in enumerate(column.values)}
    codes = np.array([place.get(value, -1) for value in found.domain.values], dtype=np.int64)
    return bool(np.array_equal(codes[found.codes], column.codes[origin]))


def numbered_alike(
    published: pa.ChunkedArray, original: pa.ChunkedArray
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the values of a published and an original column, equal ones alike."""
    one, two = encode(published, "release"), encode(original, "private table")
    place = {value: code for code, value in enumerate(one.domain.values)}
    others = [place.setdefault(value, len(place)) for value in two.domain.values]
    return one.codes.astype(np.int64), np.array(others, dtype=np.int64)[two.codes]


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
        graph = _Graph(columns) if rows == originals else None
        true = graph is not None and graph.carries(carried)
        for asked in requirements:
            k = asked.least_respondents
            found = graph.matchings(k) if graph is not None and true else 0
            note = "" if true else _untrue(rows, originals)
            evidence.append(Evidence(asked, name, None, float(found), found >= k, {}, note))
    return Verified(tuple(evidence), np.zeros(0, dtype=np.int64), rows, 0)


def _untrue(rows: int, originals: int) -> str:
    if rows != originals:
        return f"the release has {rows} rows and the private table {originals}"
    return UNTRUE


class _Graph:
    """Compatible pairs of distinct published and distinct original rows."""

    def __init__(self, columns: Sequence[Cells]) -> None:
        self._columns = sorted(columns, key=_pairs_left)
        columns = self._columns
        self._box, self._boxes = _distinct([c.number for c in columns])
        self._row, self._rows = _distinct([c.codes for c in columns])
        sizes = np.array([c.covers.size for c in columns])
        self._known = (
            np.concatenate([c.covers.ravel() for c in columns]),
            np.cumsum(sizes) - sizes,
            np.array([c.covers.shape[1] for c in columns]),
            np.stack([c.number for c in columns], axis=1).astype(np.int32),
            np.stack([c.codes for c in columns], axis=1).astype(np.int32),
        )

    def matchings(self, k: int) -> int:
        """Return how many disjoint perfect matchings there are, up to k."""
        for most in (FIRST_EDGES * k, None):
            edges = self._edges(self._boxes, self._rows, most)
            if _regular(edges, self._counts(self._row), self._counts(self._box), k):
                return k
        return max((m for m in range(1, k) if self._has(edges, m)), default=0)

    def _has(self, edges: tuple[NDArray[np.intp], NDArray[np.intp]], k: int) -> bool:
        return _regular(edges, self._counts(self._row), self._counts(self._box), k)

    @staticmethod
    def _counts(numbers: NDArray[np.intp]) -> NDArray[np.int64]:
        return np.bincount(numbers).astype(np.int64)

    def carries(self, carried: Sequence[tuple[NDArray[np.int64], NDArray[np.int64]]]) -> bool:
        """Tell whether each published row can stem from an original row with the values it carries.

        One perfect matching of compatible pairs that agree in those values.
        """
        if not carried:
            return True
        sides = [np.concatenate([published, original]) for published, original in carried]
        value, _ = _distinct(sides)
        rows = self._box.size
        box, boxes = _distinct([self._box, value[:rows]])
        row, originals = _distinct([self._row, value[rows:]])
        edges = self._agreeing(boxes, originals, value[:rows][boxes], value[rows:][originals])
        return _regular(edges, self._counts(row), self._counts(box), 1)

    def _agreeing(
        self,
        boxes: NDArray[np.intp],
        rows: NDArray[np.intp],
        box_values: NDArray[np.intp],
        row_values: NDArray[np.intp],
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """List compatible pairs of some boxes and rows that have the same value."""
        by_box, by_row = np.argsort(box_values), np.argsort(row_values)
        values = np.arange(int(max(box_values.max(), row_values.max())) + 2)
        box_ends = np.searchsorted(box_values[by_box], values)
        row_ends = np.searchsorted(row_values[by_row], values)
        found = [(np.zeros(0, dtype=np.intp), np.zeros(0, dtype=np.intp))]
        for value in values[:-1].tolist():
            some = by_box[box_ends[value] : box_ends[value + 1]]
            others = by_row[row_ends[value] : row_ends[value + 1]]
            if some.size and others.size:
                box, row = self._edges(boxes[some], rows[others], None)
                found.append((some[box], others[row]))
        return np.concatenate([b for b, _ in found]), np.concatenate([r for _, r in found])

    def _edges(
        self,
        boxes: NDArray[np.intp],
        rows: NDArray[np.intp],
        most: int | None,
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """List compatible pairs of some boxes and rows, at most so many for each box."""
        every = np.arange(boxes.size), np.arange(rows.size)
        found = [(every[0][:0], every[1][:0])]
        for some, others in self._narrowed(boxes, rows, *every, self._columns):
            box, row = self._covered(boxes[some], rows[others], most)
            found.append((some[box], others[row]))
        one, two = (np.concatenate([pair[side] for pair in found]) for side in (0, 1))
        return one, two

    def _covered(
        self, boxes: NDArray[np.intp], rows: NDArray[np.intp], most: int | None
    ) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """Look at every pair of some boxes and rows."""
        from coarsen._kernels.freeform_judging import count_covered, list_covered

        counts = np.zeros(boxes.size, dtype=np.int64)
        count_covered(*self._known, boxes, rows, counts)
        limit = rows.size if most is None else most
        kept = np.minimum(counts, limit)
        found = np.empty(int(kept.sum()), dtype=np.intp)
        list_covered(*self._known, boxes, rows, counts, limit, found)
        return np.repeat(np.arange(boxes.size), kept), found

    def _narrowed(
        self,
        boxes: NDArray[np.intp],
        rows: NDArray[np.intp],
        some: NDArray[np.intp],
        others: NDArray[np.intp],
        columns: Sequence[Cells],
    ) -> Iterator[tuple[NDArray[np.intp], NDArray[np.intp]]]:
        """Part the boxes by their cells, column by column, until few pairs are left to look at."""
        if not some.size or not others.size:
            return
        if some.size * others.size <= FEW or not columns:
            yield some, others
            return
        column, *rest = columns
        numbers = column.number[boxes[some]]
        order = np.argsort(numbers, kind="stable")
        for part in np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1):
            covers = column.covers[numbers[part[0]]][column.codes[rows[others]]]
            yield from self._narrowed(boxes, rows, some[part], others[covers], rest)


def _pairs_left(column: Cells) -> float:
    """Count the pairs that a column allows: those that tell most apart are looked at first."""
    values = np.bincount(column.codes, minlength=column.covers.shape[1])
    cells = np.bincount(column.number, minlength=column.covers.shape[0])
    return float(cells @ (column.covers @ values))


def _distinct(columns: Sequence[NDArray[Any]]) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Number equal rows alike; return also the first row of each number."""
    numbers = np.zeros(columns[0].size, dtype=np.int64)
    for column in columns:
        joined = numbers * (int(column.max(initial=0)) + 1) + column
        _, numbers = np.unique(joined, return_inverse=True)
    first = np.unique(numbers, return_index=True)[1]
    return numbers.ravel(), first


def _regular(
    edges: tuple[NDArray[np.intp], NDArray[np.intp]],
    rows: NDArray[np.int64],
    boxes: NDArray[np.int64],
    k: int,
) -> bool:
    """Tell whether pairs of distinct rows and boxes hold a k-regular graph of all of them.

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
    room = np.minimum(rows[row] * boxes[box], k * np.minimum(rows[row], boxes[box]))
    capacity = np.concatenate([k * rows, room, k * boxes]).astype(np.int32)
    network = coo_array((capacity, (start, end)), (sink + 1, sink + 1)).tocsr()
    return int(maximum_flow(network, source, sink).flow_value) == k * int(rows.sum())
