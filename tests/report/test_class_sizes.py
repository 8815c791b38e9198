"""Buckets count rows, not classes, and lose none."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.report.class_sizes import LABELS, row_shares

MEMBERS = {
    "1": [1],
    "2": [2],
    "3-4": [3, 4],
    "5-10": range(5, 11),
    "11-20": range(11, 21),
    "21-50": range(21, 51),
    "51-100": range(51, 101),
    ">100": range(101, 400),
}


def test_every_size_is_in_its_bucket():
    assert list(MEMBERS) == list(LABELS)
    for label, sizes in MEMBERS.items():
        assert all(row_shares({size: 1})[label] == 1 for size in sizes)


@given(st.dictionaries(st.integers(1, 399), st.integers(0, 9)))
def test_shares_against_counting_row_by_row(sizes):
    rows = [size for size, count in sizes.items() for _ in range(count) for _ in range(size)]
    shares = row_shares(sizes)
    for label, members in MEMBERS.items():
        expected = sum(size in members for size in rows) / len(rows) if rows else 0
        assert shares[label] == pytest.approx(expected)
