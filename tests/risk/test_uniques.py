"""Minimal unique column sets against brute force."""

from __future__ import annotations

from collections import Counter
from itertools import combinations
from math import prod

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import assess
from indistinct.risk import uniques

CELLS = st.none() | st.sampled_from("abc")


def brute(rows, width, largest):
    """For each row its minimal sets, straight from the definition."""
    unique = {}
    for size in range(1, largest + 1):
        for subset in combinations(range(width), size):
            seen = Counter(tuple(row[i] for i in subset) for row in rows)
            unique[subset] = {
                n for n, row in enumerate(rows) if seen[tuple(row[i] for i in subset)] == 1
            }
    return {
        subset: {
            n
            for n in alone
            if not any(n in unique[part] for part in unique if set(part) < set(subset))
        }
        for subset, alone in unique.items()
    }


@pytest.mark.parametrize("small", [1 << 22, 0])
@given(rows=st.integers(1, 5).flatmap(
    lambda width: st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=12)
))  # fmt: skip
def test_minimal_sets_and_scores(small, rows):
    width = len(rows[0])
    names = [f"c{i}" for i in range(width)]
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(uniques, "SMALL_TABLE", small)
        found = assess(pa.table(dict(zip(names, columns, strict=True)))).uniques
    largest = min(4, width)
    expected = brute(rows, width, largest)
    assert {s.columns: s.rows for s in found.sets} == {
        tuple(names[i] for i in subset): len(alone) for subset, alone in expected.items() if alone
    }
    top = min(largest, width - 1)
    scores = [
        sum(
            prod(width - i for i in range(len(subset), top + 1))
            for subset, alone in expected.items()
            if n in alone
        )
        for n in range(len(rows))
    ]
    assert found.scores.tolist() == scores
    sizes = Counter(
        min(len(s) for s, alone in expected.items() if n in alone)
        for n in range(len(rows))
        if any(n in alone for alone in expected.values())
    )
    assert found.rows_by_size == sizes
    total = sum(map(len, expected.values()))
    for place, name in enumerate(names):
        part = sum(len(alone) for subset, alone in expected.items() if place in subset)
        assert found.contributions[name] == pytest.approx(part / total if total else 0)


def test_a_wide_table_is_looked_at_in_smaller_sets():
    wide = pa.table({f"c{i}": ["a", "b", "b"] for i in range(30)})
    assert assess(wide).uniques.largest == 2
