"""What counted entries become: the units of a release, and which of them each entry is part of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from indistinct.engine.base import Assignment, Grouped
from indistinct.errors import DoesNotHoldError, Fault
from indistinct.io.arrow import text_array
from indistinct.io.texts import as_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray


def assignment_of(
    columns: pa.Table,
    kept: NDArray[np.bool_],
    entry: NDArray[np.intp],
    rows: NDArray[np.int64],
) -> Assignment:
    """Say what the rows of each counted entry are published as.

    Parameters
    ----------
    columns
        The published quasi columns of each part of an entry.
    kept
        Whether the part is released.
    entry, rows
        The counted entry that it is of, and how many rows it is.
    """
    of_part, first = numbered([columns])
    parts = np.flatnonzero(kept)
    used, unit = np.unique(of_part[parts], return_inverse=True)
    units = columns.take(pa.array(first[used]))
    rank = _in_order(units)
    place = np.empty(rank.size, dtype=np.int32)
    place[rank] = np.arange(rank.size, dtype=np.int32)
    joined = _joined(entry[parts], place[unit], rows[parts], int(rank.size))
    return Assignment(*joined, units.take(pa.array(rank)))


def assigned_together(parts: Sequence[Assignment]) -> Assignment:
    """Put together what the entries of several blocks are published as.

    Units of different blocks that show the same are one.
    """
    units = stacked([part.units for part in parts])
    number, first = numbered([units])
    distinct = units.take(pa.array(first))
    rank = _in_order(distinct)
    place = np.empty(rank.size, dtype=np.int32)
    place[rank] = np.arange(rank.size, dtype=np.int32)
    ends = np.cumsum([part.units.num_rows for part in parts])
    of_part = [
        place[number[end - part.units.num_rows + part.unit]]
        for part, end in zip(parts, ends, strict=True)
    ]
    entry = np.concatenate([part.entry for part in parts])
    order = np.argsort(entry, kind="stable")
    return Assignment(
        entry[order],
        np.concatenate(of_part)[order],
        np.concatenate([part.rows for part in parts])[order],
        distinct.take(pa.array(rank)),
    )


def stacked(tables: Sequence[pa.Table]) -> pa.Table:
    """Put tables of the same columns below each other.

    Where a column is of different types in them it is of numbers if all are, and else text, as
    values read: one block may publish a column as it is, and another in ranges.
    """
    columns = {}
    for name in tables[0].column_names:
        pieces = [plain(table.column(name)) for table in tables]
        columns[name] = pa.chunked_array([c for p in _of_one_type(pieces) for c in p.chunks])
    return pa.table(columns)


def _of_one_type(pieces: Sequence[pa.ChunkedArray]) -> Sequence[pa.ChunkedArray]:
    kinds = {piece.type for piece in pieces}
    if len(kinds) == 1:
        return pieces
    if all(pa.types.is_integer(kind) or pa.types.is_floating(kind) for kind in kinds):
        try:
            return [piece.cast(pa.float64()) for piece in pieces]
        except pa.ArrowInvalid:  # not every whole number is one
            pass
    return [
        pa.chunked_array([text_array(as_text(chunk)) for chunk in piece.chunks], pa.string())
        for piece in pieces
    ]


def counted_together(rows: pa.Table, counts: NDArray[np.int64]) -> Grouped:
    """Count equal rows of a table together."""
    number, first = numbered([rows])
    summed = np.bincount(number, counts, first.size).astype(np.int64)
    return Grouped(rows.take(pa.array(first)), summed)


def _joined(
    entry: NDArray[np.intp], unit: NDArray[np.int32], rows: NDArray[np.int64], units: int
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Put together the parts of an entry that are published alike."""
    keys = entry.astype(np.int64) * max(units, 1) + unit
    distinct, number = np.unique(keys, return_inverse=True)
    summed = np.bincount(number, rows, distinct.size).astype(np.int64)
    return distinct // max(units, 1), (distinct % max(units, 1)).astype(np.int32), summed


def _in_order(units: pa.Table) -> NDArray[np.intp]:
    """Order units by what they show."""
    keys = [(name, "ascending") for name in units.column_names]
    columns = pa.table({name: plain(units.column(name)) for name in units.column_names})
    order: NDArray[np.intp] = pc.sort_indices(columns, keys).to_numpy().astype(np.intp)
    return order


def plain(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return a column without a dictionary."""
    kind = column.type
    return column.cast(kind.value_type) if pa.types.is_dictionary(kind) else column


def numbered(tables: Sequence[pa.Table]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Number the rows of tables of the same columns, equal ones alike; say where each came first.

    Rows of the second table follow those of the first. A null equals a null; numbers are compared
    as numbers, whatever their types.
    """
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    columns, sizes = [], []
    for name in tables[0].column_names:
        pieces = [plain(table.column(name)) for table in tables]
        together = pa.chunked_array([c for piece in pieces for c in _alike(piece, pieces).chunks])
        coded = together.combine_chunks().dictionary_encode(null_encoding="encode")
        columns.append(np.ascontiguousarray(coded.indices.to_numpy(), dtype=np.int32))
        sizes.append(max(len(coded.dictionary), 1))
    keys, _ = row_keys(columns, sizes)
    numbers, first = rank_keys(keys)
    return numbers.astype(np.int64), first


def _alike(column: pa.ChunkedArray, others: Sequence[pa.ChunkedArray]) -> pa.ChunkedArray:
    """Give a column the type that all have, or that of the first that can hold it."""
    kinds = {other.type for other in others}
    return column if len(kinds) == 1 else column.cast(others[0].type)


def refuse_other_rows(
    expected: pa.Table, weights: NDArray[np.int64], found: Grouped, place: str
) -> None:
    """Raise if what was written is not, row by row, what was counted and recoded.

    Parameters
    ----------
    expected, weights
        What each released entry shows, and how many rows it stands for.
    found
        The distinct rows of what was written.
    """
    numbers, first = numbered([expected, found.rows])
    split = expected.num_rows
    asked = np.bincount(numbers[:split], weights, first.size).astype(np.int64)
    held = np.bincount(numbers[split:], found.counts, first.size).astype(np.int64)
    if not np.array_equal(asked, held):
        wrong = int(np.count_nonzero(asked != held))
        problem = (
            f"{wrong:,} distinct rows were written a different number of times than were "
            f"counted: {found.total:,} rows instead of {int(weights.sum()):,}"
        )
        remedy = "Nothing was published. If the source changed meanwhile, run it again."
        raise DoesNotHoldError(Fault(place, problem, remedy))
