"""Back to pandas with the types the frame had; Arrow's own choice would round large integers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

from indistinct.io.plain import decoded

if TYPE_CHECKING:
    from collections.abc import Mapping


def to_pandas(rows: pa.Table, dtypes: Mapping[str, Any]) -> Any:
    """Make a pandas frame with a fresh index, and with the given types where values still fit."""
    import pandas as pd

    rows = decoded(rows)
    columns = {name: _series(rows.column(name), dtypes.get(name)) for name in rows.column_names}
    return pd.DataFrame(columns, index=pd.RangeIndex(rows.num_rows))


def _series(column: pa.ChunkedArray, dtype: Any) -> Any:
    import pandas as pd

    if isinstance(dtype, pd.ArrowDtype):
        return pd.ArrowDtype(column.type).__from_arrow__(column)
    if isinstance(dtype, pd.CategoricalDtype) and not pa.types.is_nested(column.type):
        return _categories(column, dtype)
    is_text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    if pd.api.types.is_object_dtype(dtype):
        return pd.Series(column.to_pylist(), dtype=object)
    if hasattr(dtype, "__from_arrow__") and is_text == isinstance(dtype, pd.StringDtype):
        return dtype.__from_arrow__(column)
    return column.to_pandas()


def _categories(column: pa.ChunkedArray, dtype: Any) -> Any:
    """Keep categories in their order, those that are published only; text if recoded."""
    import pandas as pd

    values = column.to_pandas()
    present = set(values.dropna())
    if not present.issubset(dtype.categories):
        return values
    kept = [value for value in dtype.categories if value in present]
    return pd.Categorical(values, categories=kept, ordered=dtype.ordered)
