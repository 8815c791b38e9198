"""Tables of entries, and the rows that they stand for: whatever is measured must be the same."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st


def weights_of(count, most=4):
    """How many rows each of some entries stands for."""
    counts = st.lists(st.integers(1, most), min_size=count, max_size=count)
    return counts.map(lambda drawn: np.array(drawn, dtype=np.int64))


def weighted(table, weights):
    """The table whose entries stand for so many rows each."""
    sensitive = tuple(replace(c, overall=c.shares_by(weights)) for c in table.sensitive)
    return replace(table, weights=weights, sensitive=sensitive)


def expanded(table, weights):
    """The table with each entry as often as it stands for rows."""
    return table.of_entries(np.repeat(np.arange(table.entries), weights))


@st.composite
def both(draw, releases):
    """A release by entries and row by row: its table and its recoding, twice."""
    release = draw(releases)
    weights = draw(weights_of(release.table.entries))
    rows = np.repeat(np.arange(release.table.entries), weights)
    by_entry = weighted(release.table, weights), release.recoding
    return release, by_entry, (release.table.of_entries(rows), release.recoding.of_entries(rows))


def repeated(rows: pa.Table, counts) -> pa.Table:
    """Each row of an Arrow table as often as it counts."""
    return rows.take(pa.array(np.repeat(np.arange(rows.num_rows), counts)))
