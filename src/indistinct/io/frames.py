"""Data frames: pandas, polars, pyarrow and DuckDB in, the same kind out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import pyarrow as pa

from indistinct.errors import DataError, Fault
from indistinct.io.missing import without_markers
from indistinct.io.plain import clean, decoded, refuse_repeated

if TYPE_CHECKING:
    from collections.abc import Callable


class FrameSource:
    """A data frame, whose index is no data.

    Parameters
    ----------
    frame
        A pandas, polars, pyarrow or DuckDB frame.
    missing
        Texts that mean a missing value.
    """

    options = frozenset({"missing"})

    def __init__(self, frame: Any, missing: tuple[str, ...] = ()) -> None:
        self.place = "data frame"
        self._frame = frame
        self._missing = missing
        self._back: Callable[[pa.Table], Any] = _as_they_are

    def column_names(self) -> list[str]:
        """Name the columns; a lazy frame is not computed for it."""
        names: list[str]
        if isinstance(self._frame, pa.Table):
            names = self._frame.column_names
        else:
            names = [str(name) for name in _wrapped(self._frame).collect_schema().names()]
        refuse_repeated(names, self.place)
        return names

    def read(self, columns: list[str] | None = None) -> pa.Table:
        """Read all rows: all columns, or some in this order."""
        table, self._back = to_arrow(self._frame)
        table = without_markers(table, self._missing)
        return table if columns is None else table.select(columns)

    @property
    def back(self) -> Callable[[pa.Table], Any]:
        """The way back to a frame of the same kind, once this one was read; it holds no rows."""
        return self._back


def to_arrow(frame: Any) -> tuple[pa.Table, Callable[[pa.Table], Any]]:
    """Turn a frame into an Arrow table, and return the way back to the same kind of frame.

    The index of a pandas frame is not data and stays behind. NaN is a missing value. Lazy frames
    are computed, and come back lazy.
    """
    if isinstance(frame, pa.Table):
        table = clean(frame)
        return table, lambda rows: _as_dictionaries(rows, table.schema)
    wrapped = _wrapped(frame)
    if wrapped.implementation.is_duckdb():
        return clean(_computed(wrapped, "pyarrow")), _relation_of
    if hasattr(wrapped, "collect"):
        table, back = to_arrow(_computed(wrapped, None))
        return table, lambda rows: back(rows).lazy()
    names = [str(name) for name in wrapped.columns]
    refuse_repeated(names, "data frame")
    if names != list(wrapped.columns):  # pandas alone has names that are numbers, or nothing
        wrapped = _wrapped(frame.set_axis(names, axis=1))
    table = clean(_converted(wrapped))
    if wrapped.implementation.is_pandas():
        from indistinct.io.pandas_types import to_pandas

        dtypes = dict(zip(names, wrapped.to_native().dtypes, strict=True))
        return table, lambda rows: to_pandas(rows, dtypes)
    return table, lambda rows: _to_other(rows, wrapped)


def frame_of(rows: pa.Table, backend: Literal["pandas", "polars", "pyarrow"]) -> Any:
    """Return rows as a frame of another library."""
    import narwhals as nw

    return nw.from_arrow(decoded(rows), backend=backend).to_native()


def _as_they_are(rows: pa.Table) -> pa.Table:
    return rows


def _wrapped(frame: Any) -> Any:
    import narwhals as nw

    try:
        wrapped = nw.from_native(frame)
    except TypeError:
        raise DataError(_unknown(frame)) from None
    except Exception as error:  # noqa: BLE001 - narwhals has no common base for bad frames
        refuse_repeated([str(name) for name in getattr(frame, "columns", ())], "data frame")
        raise DataError(Fault("data", str(error).splitlines()[0].rstrip("."))) from None
    engine = wrapped.implementation
    if isinstance(wrapped, nw.LazyFrame) and not (engine.is_polars() or engine.is_duckdb()):
        raise DataError(_unknown(frame))
    return wrapped


def _unknown(frame: Any) -> Fault:
    kind = type(frame)
    problem = f"cannot read a {kind.__module__}.{kind.__qualname__}"
    remedy = "Give a pandas, polars, pyarrow or DuckDB frame, or the path of a file."
    return Fault("data", problem, remedy)


def _computed(lazy: Any, backend: str | None) -> Any:
    """Compute a lazy frame; what its engine says of a failure may show values, and is left out."""
    try:
        return lazy.collect(backend).to_native()
    except Exception as error:  # noqa: BLE001 - each engine has its own errors
        problem = f"it is lazy, and computing it fails with {type(error).__name__}"
        raise DataError(Fault("data", problem, "Compute it before, to see why.")) from None


def _relation_of(rows: pa.Table) -> Any:
    import duckdb

    return duckdb.from_arrow(decoded(rows))


def _converted(wrapped: Any) -> pa.Table:
    """Convert a frame; where that fails, say which columns are to blame and show no value."""
    _refuse_objects(wrapped)
    try:
        table = wrapped.to_arrow()
    except Exception:
        faults = [_fault(wrapped, name) for name in wrapped.columns if not _converts(wrapped, name)]
        if not faults:
            raise
        raise DataError(faults) from None
    return table.select(range(len(wrapped.columns))).replace_schema_metadata(None)


def _refuse_objects(wrapped: Any) -> None:
    """Refuse columns of Python objects in polars, which would give their addresses away."""
    import narwhals as nw

    if wrapped.implementation.is_polars():
        objects = [name for name, dtype in wrapped.schema.items() if dtype == nw.Object]
        if objects:
            raise DataError(_fault(wrapped, name) for name in objects)


def _converts(wrapped: Any, name: Any) -> bool:
    try:
        wrapped.select(wrapped[name]).to_arrow()
    except Exception:  # noqa: BLE001 - each library has its own errors
        return False
    return True


def _fault(wrapped: Any, name: Any) -> Fault:
    kind = wrapped[name].to_native().dtype
    problem = f"its values ({kind}) cannot be read as text, numbers or dates"
    return Fault(f"column {str(name)!r}", problem, "Convert it first, or leave it out.")


def _as_dictionaries(rows: pa.Table, given: pa.Schema) -> pa.Table:
    """Give columns that came as dictionaries back as such, with published values only."""
    rows = decoded(rows)
    for place, field in enumerate(rows.schema):
        kind = given.field(field.name).type if field.name in given.names else field.type
        if pa.types.is_dictionary(kind) and kind.value_type == field.type and not kind.ordered:
            encoded = rows.column(place).dictionary_encode().cast(kind)
            rows = rows.set_column(place, field.name, encoded)
    return rows


def _to_other(rows: pa.Table, wrapped: Any) -> Any:
    import narwhals as nw

    frame = nw.from_arrow(decoded(rows), backend=nw.get_native_namespace(wrapped))
    for name, dtype in wrapped.schema.items():
        if name in frame.columns and frame.schema[name] == nw.String:
            frame = frame.with_columns(nw.col(name).cast(_categorical(dtype, frame[name])))
    return frame.to_native()


def _categorical(dtype: Any, values: Any) -> Any:
    """Choose a type for text: that of the given column, without values that are not published."""
    import narwhals as nw

    if dtype == nw.Categorical:
        return dtype
    published = set(values.drop_nulls()) if isinstance(dtype, nw.Enum) else set()
    if published and published.issubset(dtype.categories):
        return nw.Enum([name for name in dtype.categories if name in published])
    return nw.String
