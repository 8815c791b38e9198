"""Earlier rows: what was released before under the same recoding, as published texts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from indistinct.check.rows import without_blanks
from indistinct.errors import DataError, Fault, closest
from indistinct.io.arrow import labelled
from indistinct.io.encoding import encode

if TYPE_CHECKING:
    from collections.abc import Sequence

    from indistinct.applying.learnt import Learnt


@dataclass(frozen=True, eq=False)
class Earlier:
    """Rows released before, in the published columns that are judged."""

    rows: pa.Table

    @classmethod
    def of(cls, learnt: Learnt, others: Sequence[tuple[str, pa.Table]] = ()) -> Earlier:
        """Take the release that the recoding was learnt from, and others published since.

        Parameters
        ----------
        others
            Published tables with the names that faults call them by.
        """
        names = judged_names(learnt)
        faults = [
            Fault(place, f"no column {name!r}, which the recoding publishes", _near(name, rows))
            for place, rows in others
            for name in names
            if name not in rows.column_names
        ]
        if faults:
            raise DataError(faults)
        first = _first(learnt)
        blanks = learnt.plan.suppressed == "blank"
        since = [texts(without_blanks(t) if blanks else t, names) for _, t in others]
        repeated = [
            Fault(place, "its rows are counted in the recoding already", "Omit it.")
            for (place, _), rows in zip(others, since, strict=True)
            if _same_rows(first, rows)
        ]
        if repeated:
            raise DataError(repeated)
        return cls(pa.concat_tables([first, *since]))


def judged_names(learnt: Learnt) -> list[str]:
    """Name the published columns that requirements look at."""
    quasi = [part for column in learnt.columns for part in column.publishes]
    return [*quasi, *(column.name for column in learnt.released.sensitive)]


def texts(rows: pa.Table, names: Sequence[str]) -> pa.Table:
    """Return some columns as text, in which equal values read the same."""
    columns = {}
    for name in names:
        encoded = encode(rows.column(name), name)
        columns[name] = labelled(encoded.codes, encoded.domain.values).cast(pa.string())
    return pa.table(columns)


def _first(learnt: Learnt) -> pa.Table:
    """Write out the release that the recoding was learnt from."""
    released = learnt.released
    columns = {}
    for column, cells in zip(learnt.columns, released.cells, strict=True):
        of_row = released.rows(cells)
        for place, name in enumerate(column.publishes):
            shown = tuple(cell.texts[place] for cell in column.cells)
            columns[name] = labelled(of_row, shown).cast(pa.string())
    for sensitive in released.sensitive:
        of_row = released.rows(sensitive.codes)
        columns[sensitive.name] = labelled(of_row, sensitive.values).cast(pa.string())
    return pa.table(columns)


def _near(name: str, rows: pa.Table) -> str:
    return closest(name, rows.column_names)


def _same_rows(one: pa.Table, other: pa.Table) -> bool:
    """Return whether two tables hold the same rows, whatever their order."""
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    if one.num_rows != other.num_rows:
        return False
    both = pa.concat_tables([one, other])
    encoded = [encode(column, "published") for column in both.columns]
    sizes = [len(part.domain.values) for part in encoded]
    numbers = rank_keys(row_keys([part.codes for part in encoded], sizes)[0])[0]
    ours, theirs = (np.bincount(half, minlength=numbers.size) for half in np.split(numbers, 2))
    return bool(np.array_equal(ours, theirs))
