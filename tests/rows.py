"""Rows of any kind of frame, to be compared."""

from __future__ import annotations

import duckdb
import polars as pl
import pyarrow as pa


def records(frame):
    """Rows of any frame as tuples, None for a missing value."""
    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, duckdb.DuckDBPyRelation):
        frame = frame.to_arrow_table()
    table = frame if isinstance(frame, pa.Table) else pa.table(pl.DataFrame(frame).to_arrow())
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))
