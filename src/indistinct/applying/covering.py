"""Which values a published cell covers, and which published class covers a row at least loss."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indistinct.applying.frozen import Frozen
from indistinct.hierarchy import TOP, Hierarchy
from indistinct.hierarchy.calendar import date_reader, stretch
from indistinct.hierarchy.order import or_nan, to_number
from indistinct.hierarchy.spec import Dates
from indistinct.model.ncp import node_loss

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from indistinct.applying.learnt import Cell, LearntColumn

    Run = tuple[int, int]

MOST_WORDS = 1 << 25
THREADS = 2


@dataclass(frozen=True, eq=False)
class Coverage:
    """One column of new rows: its values in an order, and the runs of it that each cell covers.

    Attributes
    ----------
    place
        Where each distinct value stands in the order; -1 if it is unknown.
    size
        How many places there are.
    runs
        For each cell the runs of places it covers, as first and past-the-last.
    loss
        What a value loses that is published as each cell, 0 to 1.
    hierarchy
        What published cells are read by where they are checked.
    """

    place: NDArray[np.int32]
    size: int
    runs: list[list[Run]]
    loss: NDArray[np.float64]
    hierarchy: Hierarchy


def coverage(column: LearntColumn, values: Sequence[str | None]) -> Coverage:
    """Find what each cell of a column covers among some values."""
    if column.form == "range":
        return _of_ranges(column, values)
    if column.form == "set":
        return _of_sets(column, values)
    return _of_nodes(column, values)


def _of_ranges(column: LearntColumn, values: Sequence[str | None]) -> Coverage:
    """Order values on their line, the missing one last."""
    parse = _reader(column)
    at = np.array([np.nan if v is None else or_nan(parse, v) for v in values], dtype=float)
    line = np.unique(at[np.isfinite(at)])
    place = np.where(np.isfinite(at), np.searchsorted(line, at), -1).astype(np.int32)
    place[[v is None for v in values]] = line.size
    width = float(line[-1] - line[0]) if line.size else 0.0
    runs, loss = [], []
    for cell in column.cells:
        run, wide = _range_run(cell, line, parse, column.reach)
        runs.append([run])
        loss.append(1.0 if cell.everything else max(min(wide / width, 1.0), 0.0) if width else 0.0)
    return Coverage(place, line.size + 1, runs, np.array(loss), _on_a_line(column, values))


def _on_a_line(column: LearntColumn, values: Sequence[str | None]) -> Hierarchy:
    """Say where values lie, and moments that published ranges name in the notation of the data."""
    parse = _reader(column)
    ends = [end for cell in column.cells for end in (cell.low, cell.high) if end is not None]
    if column.reach == "calendar":
        ends = [end for end in ends if _has_time(end)]
    leaves = tuple(dict.fromkeys([*values, *ends]))
    at = np.array([np.nan if v is None else or_nan(parse, v) for v in leaves], dtype=float)
    nodes = np.arange(len(leaves), dtype=np.int32), np.zeros(len(leaves), dtype=np.int32)
    return Hierarchy(leaves, nodes, (leaves, (TOP,)), column.kind, at)


def _has_time(text: str) -> bool:
    """Return whether a text names a moment of a day."""
    return ":" in text


def _range_run(
    cell: Cell, line: NDArray[np.float64], parse: Callable[[str], float], reach: str
) -> tuple[Run, float]:
    if cell.everything:
        return (0, line.size + 1), 0.0
    if cell.low is None and cell.high is None:
        return (line.size, line.size + 1), 0.0
    low, high, closed = -np.inf, np.inf, True
    if cell.low is not None:
        low = _stretch(cell.low, parse)[0] if reach == "calendar" else or_nan(parse, cell.low)
    if cell.high is not None and reach == "calendar":
        high, closed = _stretch(cell.high, parse)[1], False
    elif cell.high is not None:
        high, closed = or_nan(parse, cell.high), reach == "value"
    start = np.searchsorted(line, low, "left")
    stop = max(start, np.searchsorted(line, high, "right" if closed else "left"))
    ends = np.clip([low, high], line.min(initial=np.inf), line.max(initial=-np.inf))
    return (int(start), int(stop)), float(ends[1] - ends[0]) if line.size else 0.0


def _stretch(text: str, parse: Callable[[str], float]) -> tuple[float, float]:
    """Read a month, year or other stretch, a day, or a moment, as its beginning and its end."""
    if days := stretch(text):
        return days
    day = or_nan(parse, text)
    day = or_nan(date_reader(None), text) if np.isnan(day) else day
    return day, float(np.nextafter(day, np.inf)) if _has_time(text) else np.floor(day) + 1


def _reader(column: LearntColumn) -> Callable[[str], float]:
    if column.kind == "number":
        return to_number
    form = column.hierarchy.format if isinstance(column.hierarchy, Dates) else None
    return date_reader(form)


def _of_sets(column: LearntColumn, values: Sequence[str | None]) -> Coverage:
    hierarchy, unknown = _fitted(column, values)
    place = {value: n for n, value in enumerate(values)}
    runs = [
        [(place[v], place[v] + 1) for v in cell.values or () if v in place] for cell in column.cells
    ]
    domain = len({value for cell in column.cells for value in cell.values or ()})
    sizes = np.array([len(cell.values or ()) for cell in column.cells])
    loss = (sizes - 1) / max(domain - 1, 1)
    places = np.array([-1 if v in unknown else n for v, n in place.items()], dtype=np.int32)
    return Coverage(places, len(values), runs, loss, hierarchy)


def _of_nodes(column: LearntColumn, values: Sequence[str | None]) -> Coverage:
    hierarchy, unknown = _fitted(column, values)
    code = hierarchy.code_of
    place = np.array([-1 if v in unknown else code[v] for v in values], dtype=np.int32)
    covered = [_node_run(hierarchy, cell) for cell in column.cells]
    runs, loss = [some for some, _ in covered], np.array([lost for _, lost in covered])
    return Coverage(place, hierarchy.size, runs, loss, hierarchy)


def _fitted(
    column: LearntColumn, values: Sequence[str | None]
) -> tuple[Hierarchy, set[str | None]]:
    return Frozen(column.hierarchy, column.pins).fit(values, f"column {column.name!r}")


def _node_run(hierarchy: Hierarchy, cell: Cell) -> tuple[list[Run], float]:
    """Find the leaves under a node or of a set; there may be none among the new values."""
    if cell.values is not None:
        codes = [hierarchy.code_of[v] for v in cell.values if v in hierarchy.code_of]
        lost = (len(cell.values) - 1) / max(hierarchy.size - 1, 1)
        return [(code, code + 1) for code in codes], min(lost, 1.0)
    level = cell.level or 0
    if level > hierarchy.height or cell.label not in hierarchy.labels[level]:
        return [], 1.0
    node = hierarchy.labels[level].index(cell.label)
    first, last = hierarchy.node_runs(level)
    return [(int(first[node]), int(last[node]) + 1)], float(node_loss(hierarchy, level)[node])


def only_cells(column: Coverage) -> NDArray[np.int32]:
    """Return for each place the cell of least loss that covers it, -1 if none."""
    cells = np.full(column.size, -1, dtype=np.int32)
    for cell in np.argsort(-column.loss, kind="stable").tolist():
        for start, stop in column.runs[cell]:
            cells[start:stop] = cell
    return cells


class CoveringClasses:
    """Published classes, cheapest first, ready to be asked which of them covers a row.

    A bit for each class says whether it covers a value, for every value of every column. The bits
    of a row's values are put together by `and`, a word of 64 classes at a time; the first bit left
    is the cheapest class. That is a few hundred steps for a row and 50,000 classes. Where the
    bits would not fit in memory, classes are taken block by block.

    Attributes
    ----------
    cells
        For each column the cell of each class, in the order of their loss.
    loss
        What a row loses in each class, 0 to 1.
    alive
        Whether each class may take rows.
    """

    def __init__(
        self, cells: list[NDArray[np.int32]], columns: list[Coverage], weights: list[float]
    ):
        lost = [c.loss[of] * w for of, c, w in zip(cells, columns, weights, strict=True)]
        total = np.sum(lost, axis=0)
        order = np.argsort(total, kind="stable")
        self.loss = total[order] / max(sum(weights), 1e-12)
        self.cells = [np.ascontiguousarray(part[order]) for part in cells]
        self._columns = columns
        self._first = np.cumsum([0, *(c.size for c in columns)])
        self.alive = np.ones(order.size, dtype=bool)
        self._cached: dict[int, NDArray[np.uint64]] = {}

    def covering(self, places: NDArray[np.int32]) -> NDArray[np.int32]:
        """Return for each row the place of the cheapest class alive that covers it, -1 if none.

        Parameters
        ----------
        places
            For each row and column where its value stands in the order; none may be unknown.
        """
        values = places + self._first[:-1].astype(np.int32)
        cheapest = np.full(places.shape[0], -1, dtype=np.int32)
        block = max(64 * (MOST_WORDS // int(self._first[-1])), 64)
        with ThreadPoolExecutor(THREADS) as pool:
            for first in range(0, self.alive.size, block):
                bits = self._bits(first, min(first + block, self.alive.size))
                alive = _packed(self.alive[first : first + block])
                list(
                    pool.map(
                        lambda part, b=bits, a=alive, f=first: _search(part[0], b, a, f, part[1]),
                        zip(
                            np.array_split(values, THREADS),
                            np.array_split(cheapest, THREADS),
                            strict=True,
                        ),
                    )
                )
        return cheapest

    def _bits(self, first: int, last: int) -> NDArray[np.uint64]:
        from indistinct.applying.coverage_kernel import fill_bits

        if first in self._cached:
            return self._cached[first]
        bits = np.zeros((int(self._first[-1]), (last - first + 63) // 64), dtype=np.uint64)
        for start, column, cells in zip(self._first, self._columns, self.cells, strict=False):
            fill_bits(bits, int(start), cells[first:last], *_flat(column.runs))
        if first == 0 and last == self.alive.size:
            self._cached[first] = bits
        return bits


def _search(
    values: NDArray[np.int32],
    bits: NDArray[np.uint64],
    alive: NDArray[np.uint64],
    first: int,
    cheapest: NDArray[np.int32],
) -> None:
    from indistinct.applying.coverage_kernel import first_covering

    first_covering(values, bits, alive, first, cheapest)


def _packed(alive: NDArray[np.bool_]) -> NDArray[np.uint64]:
    padded = np.zeros((alive.size + 63) // 64 * 64, dtype=bool)
    padded[: alive.size] = alive
    return np.packbits(padded, bitorder="little").view("<u8").astype(np.uint64)


def _flat(
    runs: list[list[Run]],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    first = np.cumsum([0, *map(len, runs)], dtype=np.int64)
    both = np.array([run for some in runs for run in some], dtype=np.int64).reshape(-1, 2)
    return first, np.ascontiguousarray(both[:, 0]), np.ascontiguousarray(both[:, 1])
