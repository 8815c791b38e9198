"""Packed rows of bits, by name."""

from __future__ import annotations

import numpy as np

from indistinct.trees import rows


def test_rows_are_forgotten_when_they_take_too_much_memory(monkeypatch):
    monkeypatch.setattr(rows, "MOST_ROWS", 100)
    pool = rows.Rows(records=100)
    many = list(range(1000))
    places, new = pool.find(many)
    assert new == many
    pool.data[places] = 1
    pool.counted(places)
    assert pool.count[places].tolist() == [2] * 1000
    pool.thin()
    assert pool.find(many)[1] == []
    monkeypatch.setattr(rows, "MOST_BYTES", 1000)
    pool.thin()
    places, new = pool.find(many[:100])
    assert new == many[:100]
    assert not pool.data[places].any()
    assert np.array_equal(pool.count[places], np.zeros(100))


def test_a_name_asked_for_twice_has_one_row_of_its_own():
    pool = rows.Rows(records=100)
    places, new = pool.find([5, 5, 7, 5])
    assert new == [5, 7]
    assert places.tolist() == [0, 0, 1, 0]
