"""Methods that group rows, on entries that stand for several: held to the rows they stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from indistinct.methods.common.demands import beyond_rows, compiled
from indistinct.methods.common.demands_kernel import runs_satisfied
from indistinct.methods.common.repair import Check
from tests.methods.partition.small import fine, problems
from tests.profiles import examples


@st.composite
def weighted(draw, most=4, respondents=False):
    """A problem on entries, and the same one on rows, in which each entry stands as often."""
    small = draw(problems(most_rows=8, respondents=respondents))
    count = small.table.entries
    times = draw(st.lists(st.integers(1, most), min_size=count, max_size=count))
    expanded = small.table.of_entries(np.repeat(np.arange(count), times))
    shares = [column.shares for column in expanded.sensitive]
    sensitive = tuple(
        replace(column, overall=share)
        for column, share in zip(small.table.sensitive, shares, strict=True)
    )
    weights = np.array(times, dtype=np.int64)
    table = replace(small.table, sensitive=sensitive, weights=weights)
    return replace(small, table=table), replace(small, table=expanded)


@given(job=weighted(respondents=True), data=st.data())
@examples(60)
def test_groups_of_entries_are_judged_by_their_rows(job, data):
    entries, rows = job
    size = entries.table.entries
    drawn = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    groups = np.unique(drawn, return_inverse=True)[1].astype(np.int32)
    of_row = np.repeat(groups, entries.table.weights)
    expected = [fine(rows, np.flatnonzero(of_row == g)) for g in range(groups.max() + 1)]
    order = np.argsort(groups, kind="stable").astype(np.int32)
    ends = np.cumsum(np.bincount(groups))
    if (asked := beyond_rows(compiled(entries))) is not None:
        assert runs_satisfied(asked, order, ends).tolist() == expected
    assert Check(entries)(groups).tolist() == Check(rows)(of_row).tolist()
    if not entries.table.has_respondents:
        assert Check(entries)(groups).tolist() == expected
        some = np.flatnonzero(groups == 0)
        alone = np.zeros(some.size, dtype=np.int32)
        assert Check(entries).among(some, alone).tolist() == expected[:1]
