"""Encoding columns that are known by their values and how many rows have each."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa

from indistinct.encode.notation import in_notation
from indistinct.encode.table import (
    besides,
    column_faults,
    faults_of,
    quasi_column,
    quasi_sets,
    sensitive_column,
    with_ends,
)
from indistinct.errors import DataError, HierarchyError, IndistinctError
from indistinct.model.columnwise import Columnwise

if TYPE_CHECKING:
    from collections.abc import Mapping

    import numpy as np
    from numpy.typing import NDArray

    from indistinct.errors import Fault
    from indistinct.model.table import QuasiColumn, SensitiveColumn
    from indistinct.plan import Plan


class ColumnValues(NamedTuple):
    """The different values of a column, and how many rows have each."""

    values: pa.ChunkedArray
    counts: NDArray[np.int64]


def encode_columns(
    columns: Mapping[str, ColumnValues], plan: Plan
) -> tuple[Columnwise, dict[str, ColumnValues], list[str]]:
    """Encode each column by its values; raise with the faults of all columns at once.

    Returns the table, the values as hierarchies read them, and what to say of how they were read.
    """
    read: dict[str, ColumnValues] = {}
    notes: list[str] = []
    unread: list[Fault] = []
    faults: list[Fault] = []
    for name, (values, counts) in columns.items():
        alone = pa.table({name: values})
        faults += column_faults(alone, plan.of_columns([name]))
        respelt, said, unreadable = in_notation(alone, plan)
        read[name] = ColumnValues(respelt.column(name), counts)
        notes += said
        unread += unreadable
    if faults:
        raise DataError(faults)
    return with_ends(_encoded(read, plan, unread), plan), read, notes


def _encoded(columns: Mapping[str, ColumnValues], plan: Plan, unread: list[Fault]) -> Columnwise:
    quasi: list[QuasiColumn] = []
    sensitive: list[SensitiveColumn] = []
    errors: list[BaseException] = []
    for name, (values, counts) in columns.items():
        alone = pa.table({name: values})
        try:
            if plan.columns[name].role == "quasi":
                quasi.append(quasi_column(alone, plan, name, counts))
            else:
                sensitive.append(sensitive_column(alone, plan, name, counts))
        except IndistinctError as error:
            errors.append(error)
    if faults := besides(unread, faults_of(errors)):
        raise HierarchyError(faults)
    return Columnwise(
        entries=0,
        quasi=tuple(quasi),
        sets=quasi_sets(pa.table({}), plan),
        sensitive=tuple(sensitive),
        counts={name: counts for name, (_, counts) in columns.items()},
    )
