"""suggest_plan: a first plan for a table, for a person to finish."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.disk.drafts import refuse_existing, write_text
from indistinct.encode.notation import as_decided
from indistinct.errors import DataError, Fault, OutputError
from indistinct.io.databases.address import place_of
from indistinct.io.encoding import comparable, encode
from indistinct.io.opening import opened
from indistinct.io.places import refuse_unwritable
from indistinct.plan import Input
from indistinct.plan.suggestion import MARKERS, markers_in, suggest_for

if TYPE_CHECKING:
    import pyarrow as pa

    from indistinct.io.encoding import Encoded
    from indistinct.plan.suggestion import SuggestedPlan


def suggest_plan(
    data: Any,
    *,
    out: str | Path | None = None,
    target: str | None = None,
    delimiter: str | None = None,
    encoding: str | None = None,
    sheet: str | None = None,
) -> SuggestedPlan:
    """Suggest a plan for a table: a role for each column, hierarchies, k-anonymity with k = 5.

    It looks at column names and values. What remains unclear is quasi if it is a
    plain category or a number, and left out where it is text. The plan holds
    names of columns and no value of the data; it can be used as it is, and should be read first.

    Parameters
    ----------
    data
        A pandas, polars, pyarrow or DuckDB frame, the path of a file, or the address of a table.
    out
        Also write the plan to this TOML file, which must not exist yet.
    target
        A column that recipients will predict: quasi columns get weights by what they say about it.
    delimiter, encoding, sheet
        How a file is written, instead of what a look at it shows; the plan will say it too.

    Examples
    --------
    >>> from indistinct import suggest_plan
    >>> from indistinct.datasets import medical
    >>> for column in suggest_plan(medical()).columns:
    ...     print(column.name, column.role, column.why)
    zip quasi its name suggests a postal code
    marital quasi its name suggests family
    sex quasi its name suggests sex
    disease sensitive its name suggests a matter of health
    """
    path = None if out is None else _new(Path(out), data)
    options = Input().with_options(delimiter=delimiter, encoding=encoding, sheet=sheet)
    table, agreed, notes = _read(data, options)
    columns = _encoded(table)
    if markers := markers_in(column.domain for column in columns.values() if column):
        options = _with(options, missing=("", *sorted(markers)))
        table, agreed, notes = _read(data, options)
        columns = _encoded(table)
    if table.num_rows == 0:
        raise DataError(Fault("data", "it has no rows", "Give a table with data."))
    suggested = suggest_for(columns, table.num_rows, _with(options, **agreed), target)
    suggested = replace(suggested, look_at=(*notes, *suggested.look_at))
    if path is not None:
        write_text(path, suggested.toml(), private=True, new=True)
    return suggested


def _encoded(table: pa.Table) -> dict[str, Encoded | None]:
    return {
        name: encode(table.column(name), name) if comparable(table.field(name).type) else None
        for name in table.column_names
    }


def _read(data: Any, options: Input) -> tuple[pa.Table, dict[str, str], list[str]]:
    return as_decided(opened(data, options)[0], options, MARKERS)


def _with(options: Input, **more: Any) -> Input:
    return Input.model_validate({**options.model_dump(exclude_unset=True), **more})


def _new(path: Path, data: Any) -> Path:
    """Raise if a plan cannot be written here, or something is here already."""
    refuse_unwritable([path], [place_of(data)] if isinstance(data, str | Path) else [])
    refuse_existing(path, "a plan")
    if path.suffix.lower() != ".toml":
        raise OutputError(Fault(str(path), "a plan is written as TOML", "Name a .toml file."))
    return path
