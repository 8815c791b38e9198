"""Files of statistics programs: SPSS, Stata and SAS, read by pyreadstat."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from indistinct.errors import DataError, Fault
from indistinct.io.base import Format
from indistinct.io.foreign import library, tidy, unreadable
from indistinct.io.missing import without_markers
from indistinct.io.plain import refuse_repeated

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from indistinct.io.base import Dialect

READERS = {
    ".sav": "read_sav",
    ".zsav": "read_sav",
    ".por": "read_por",
    ".dta": "read_dta",
    ".sas7bdat": "read_sas7bdat",
    ".xpt": "read_xport",
}


class Statistical(Format):
    """Files that statistics programs keep."""

    name = "statistical"
    called = ("SPSS", "Stata", "SAS")
    endings = frozenset(READERS)

    def column_names(self, path: Path, dialect: Dialect) -> list[str]:  # noqa: ARG002
        """Name the columns, by what the file says of itself."""
        names: list[str] = _opened(path, metadataonly=True)[1].column_names
        refuse_repeated(names, str(path))
        return names

    def read(self, path: Path, dialect: Dialect, columns: list[str] | None = None) -> pa.Table:
        """Read a table, or some columns of it.

        A column whose values all have labels of their own comes as labels. Numbers, which these
        programs keep as floating point throughout, are whole where all of a column are. An empty
        text is missing: these programs have no other missing text.
        """
        data, about = _opened(path, usecols=columns)
        names = columns or about.column_names
        refuse_repeated(names, str(path))
        labels = about.variable_value_labels
        table = pa.table(
            {name: _column(data[name], labels.get(name, {}), path, name) for name in names}
        )
        return without_markers(table, dialect.missing or ())


def _opened(path: Path, **how: Any) -> tuple[dict[str, list[Any]], Any]:
    """Return the columns, and what the file says of them."""
    reader = getattr(library("pyreadstat", path), READERS[path.suffix.lower()])
    try:
        columns, about = reader(path, output_format="dict", **how)
    except Exception:  # noqa: BLE001 - its errors have no common base
        raise DataError(unreadable(path)) from None
    return columns, about


def _column(values: list[Any], labels: Mapping[Any, str], path: Path, name: str) -> pa.Array:
    """Make a column of values, or of labels where they tell all values apart."""
    try:
        column = pa.array(values)
    except pa.ArrowInvalid:
        problem = f"column {name!r} holds numbers and letters"
        raise DataError(Fault(str(path), problem, "Correct it, or drop it.")) from None
    coded = column.dictionary_encode()
    distinct = coded.dictionary.to_pylist()
    if distinct and labels.keys() >= set(distinct) and len(set(labels.values())) == len(labels):
        texts = pa.array([str(labels[value]) for value in distinct])
        return pa.DictionaryArray.from_arrays(coded.indices, texts).cast(pa.string())
    return tidy(column)
