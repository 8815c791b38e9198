"""New rows under a learnt recoding: what each could be published as, and which values are unknown.

Both kinds of recoding come to the same: every row is given a code per quasi column into what the
column can show, or is held back.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.applying.covering import CoveringClasses, coverage, only_cells
from indistinct.applying.frozen import Frozen
from indistinct.errors import Fault, HierarchyError, counted
from indistinct.io.arrow import labelled
from indistinct.io.encoding import encode
from indistinct.model.table import QuasiColumn, frequency_set
from indistinct.publishing.groups import exact_numbers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.applying.covering import Coverage
    from indistinct.applying.learnt import Learnt, LearntColumn
    from indistinct.hierarchy import Hierarchy
    from indistinct.io.encoding import Encoded
    from indistinct.model.table import Table
    from indistinct.publishing.groups import Columns

    Codes = list[NDArray[np.int32]]
    Texts = tuple[str | None, ...]


@dataclass(frozen=True, eq=False)
class LevelColumn:
    """A column of new rows at its level."""

    quasi: QuasiColumn
    level: int

    @property
    def codes(self) -> NDArray[np.int32]:
        """The node of each row."""
        return self.quasi.hierarchy.nodes[self.level][self.quasi.codes]

    @property
    def shown(self) -> list[Texts]:
        """What each node is published as."""
        return [(label,) for label in self.quasi.hierarchy.labels[self.level]]


class NewcomersAtLevels:
    """New rows under a level vector.

    Attributes
    ----------
    known
        Which rows have known values only.
    kinds, kind
        The distinct published rows, a code per quasi column, and which of them each row is.
    """

    def __init__(self, learnt: Learnt, data: pa.Table) -> None:
        encoded = [encode(data.column(column.name), column.name) for column in learnt.columns]
        fitted = [
            _level_column(learnt, column, part)
            for column, part in zip(learnt.columns, encoded, strict=True)
        ]
        self.columns = [column for column, _ in fitted]
        self.known = ~np.logical_or.reduce([unknown for _, unknown in fitted])
        nodes = [column.codes for column in self.columns]
        distinct = frequency_set(nodes, [len(column.shown) for column in self.columns])
        self.kinds: Codes = list(distinct.codes)
        self.kind: NDArray[np.int32] = distinct.inverse
        self.faults = [
            fault
            for column, part, (_, unknown) in zip(learnt.columns, encoded, fitted, strict=True)
            for fault in _unknown_faults(column, part, unknown)
        ]

    @property
    def shown(self) -> list[list[Texts]]:
        """What the codes of each column stand for."""
        return [column.shown for column in self.columns]

    @property
    def quasi(self) -> tuple[QuasiColumn, ...]:
        """The private values, as published cells are held to them; those of known rows only."""
        return tuple(column.quasi for column in self.columns)

    def with_quasi(self, table: Table) -> Table:
        """Return the table with its quasi columns."""
        return replace(table, quasi=self.quasi)


def _level_column(
    learnt: Learnt, column: LearntColumn, encoded: Encoded
) -> tuple[LevelColumn, NDArray[np.bool_]]:
    frozen = Frozen(column.hierarchy, column.pins)
    hierarchy, unknown = frozen.fit(encoded.domain.values, f"column {column.name!r}")
    values = encoded.domain.values
    places = [0 if v in unknown else hierarchy.code_of[v] for v in values]
    codes = np.array(places, dtype=np.int32)[encoded.codes]
    weight = learnt.plan.columns[column.name].weight
    quasi = QuasiColumn(column.name, codes, hierarchy, weight)
    level = min(column.level or 0, hierarchy.height)
    return LevelColumn(quasi, level), np.array([v in unknown for v in values])[encoded.codes]


class NewcomersInClasses:
    """New rows among published classes.

    Attributes
    ----------
    known
        Which rows have known values only.
    kinds
        The classes, cheapest first, a cell per quasi column.
    places, of_row
        The distinct rows by where their values stand, and which of them each row is.
    """

    def __init__(self, learnt: Learnt, data: pa.Table) -> None:
        self.learnt = learnt
        encoded = [encode(data.column(column.name), column.name) for column in learnt.columns]
        covered = [
            coverage(column, part.domain.values)
            for column, part in zip(learnt.columns, encoded, strict=True)
        ]
        self._encoded, self._covered = encoded, covered
        places = [c.place[part.codes] for c, part in zip(covered, encoded, strict=True)]
        self.known = np.logical_and.reduce([part >= 0 for part in places])
        self.faults = [
            fault
            for column, part, at in zip(learnt.columns, encoded, places, strict=True)
            for fault in _unknown_faults(column, part, at < 0)
        ]
        distinct = frequency_set(
            [np.maximum(part, 0) for part in places], [c.size for c in covered]
        )
        self.places = np.ascontiguousarray(np.stack(distinct.codes, axis=1))
        self.of_row = distinct.inverse
        weights = [learnt.plan.columns[column.name].weight for column in learnt.columns]
        classes = _distinct_classes(learnt)
        if learnt.recodes == "intervals":
            classes = _with_new_ones(classes, covered, self.places)
        self.classes = CoveringClasses(classes, covered, weights)
        self.kinds: Codes = self.classes.cells

    @property
    def shown(self) -> list[list[Texts]]:
        """What the cells of each column are published as."""
        return [[cell.texts for cell in column.cells] for column in self.learnt.columns]

    @property
    def quasi(self) -> tuple[QuasiColumn, ...]:
        """The private values, as published cells are held to them; those of known rows only."""
        parts = zip(self.learnt.columns, self._encoded, self._covered, strict=True)
        return tuple(_private(column.name, part, c.hierarchy) for column, part, c in parts)

    def loss(self, group: NDArray[np.int32]) -> float:
        """Mean loss of the rows, those in no class counting 1."""
        return float(np.where(group >= 0, self.classes.loss[np.maximum(group, 0)], 1.0).mean())

    def recoded(self, data: pa.Table, group: NDArray[np.int32]) -> dict[str, Columns]:
        """Write out every quasi column as its classes are published."""
        kind = np.maximum(group, 0)
        return {
            column.name: _written(column, data.column(column.name).type, cells[kind])
            for column, cells in zip(self.learnt.columns, self.kinds, strict=True)
        }


def _private(name: str, encoded: Encoded, hierarchy: Hierarchy) -> QuasiColumn:
    places = [hierarchy.code_of.get(value, 0) for value in encoded.domain.values]
    return QuasiColumn(name, np.array(places, dtype=np.int32)[encoded.codes], hierarchy)


def _distinct_classes(learnt: Learnt) -> Codes:
    cells = np.array(learnt.released.cells, dtype=np.int32)
    return list(np.ascontiguousarray(np.unique(cells, axis=1)))


def _with_new_ones(classes: Codes, covered: list[Coverage], places: NDArray[np.int32]) -> Codes:
    """Add the combinations of intervals that new rows have: cuts of columns allow any."""
    cells = np.stack([only_cells(c)[at] for c, at in zip(covered, places.T, strict=True)])
    every = np.concatenate([np.stack(classes), cells[:, (cells >= 0).all(axis=0)]], axis=1)
    return list(np.ascontiguousarray(np.unique(every, axis=1)))


def _written(column: LearntColumn, kind: pa.DataType, codes: NDArray[np.int32]) -> Columns:
    exact = all(not cell.everything and cell.low == cell.high for cell in column.cells)
    exact = exact and column.reach == "value"
    exact = exact and all(cell.level in {None, 0} for cell in column.cells)
    exact = exact and all(len(cell.values or (0,)) == 1 for cell in column.cells)
    written: Columns = {}
    for place, name in enumerate(column.publishes):
        texts = tuple(cell.texts[place] for cell in column.cells)
        numbers = len(column.publishes) > 1 and column.kind == "number"
        values = exact_numbers(texts) if numbers else _as_type(texts, kind) if exact else None
        written[name] = labelled(codes, texts) if values is None else values.take(pa.array(codes))
    return written


def _as_type(texts: Texts, kind: pa.DataType) -> pa.Array | None:
    """Give values that are published as they are the type they came in, where they fit it."""
    if pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind):
        return None
    try:
        return pa.array(texts, pa.string()).cast(kind)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return None


def _unknown_faults(
    column: LearntColumn, encoded: Encoded, unknown: NDArray[np.bool_]
) -> list[Fault]:
    rows = np.bincount(encoded.codes[unknown], minlength=len(encoded.domain.values))
    return [
        Fault(
            f"column {column.name!r}",
            f"value {encoded.domain.values[code]!r} ({counted(int(rows[code]), 'row')}) is unknown "
            "to the recoding",
            "Correct it, or hold such rows back.",
        )
        for code in np.flatnonzero(rows)
    ]


def refuse_unknown(newcomers: NewcomersAtLevels | NewcomersInClasses) -> None:
    """Raise with every value that the recoding does not know."""
    if newcomers.faults:
        raise HierarchyError(newcomers.faults)


def joint_codes(
    shown: Sequence[Texts], earlier: Sequence[pa.ChunkedArray]
) -> tuple[NDArray[np.int32], NDArray[np.int32], list[Texts]]:
    """Number what a column shows, in new rows and in earlier ones, by what can be read.

    Returns
    -------
    tuple
        The number of each thing that can be shown, the number of each earlier row, and what each
        number reads.
    """
    seen: dict[Texts, int] = {}
    new = np.array([seen.setdefault(texts, len(seen)) for texts in shown], dtype=np.int32)
    parts = [encode(column, "published") for column in earlier]
    keys = np.zeros(len(earlier[0]), dtype=np.int64)
    for part in parts:
        keys = keys * len(part.domain.values) + part.codes
    _, first, of_row = np.unique(keys, return_index=True, return_inverse=True)
    combos = [tuple(part.domain.values[part.codes[row]] for part in parts) for row in first]
    places = [seen.setdefault(texts, len(seen)) for texts in combos]
    return new, np.array(places, dtype=np.int32)[of_row.reshape(-1)], list(seen)
