"""Whatever the data: levels nest, nodes are runs, one top, every value covered, labels true."""

from __future__ import annotations

from datetime import date

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.hierarchy.sound import assert_true, build

wholes = st.integers(-500, 500).map(str)
decimals = st.decimals(-500, 500, places=2).map(str)
columns = st.lists(st.none() | wholes, min_size=1) | st.lists(st.none() | decimals, min_size=1)
widths = st.tuples(
    st.sampled_from([1, 2, 5, 7, 0.1, 0.25, 2.5]), st.lists(st.integers(2, 4), max_size=3)
)
texts = st.text("ab1.", min_size=0, max_size=5)


def assert_labels_true(hierarchy):
    for path in hierarchy.paths():
        if path[0] is not None:
            for label in path[1:-1]:
                assert_true(label, path[0])


def nested(first, factors):
    found = [first]
    for factor in factors:
        found.append(round(found[-1] * factor, 2))
    return found


@given(
    column=columns,
    steps=widths,
    origin=st.sampled_from([0, 3, -18, 0.5]),
    bottom=st.none() | st.integers(-300, 0),
    top=st.none() | st.integers(1, 300),
)
def test_intervals(column, steps, origin, bottom, top):
    table = {"intervals": nested(*steps), "origin": origin, "bottom": bottom, "top": top}
    h = build(table, column)
    assert_labels_true(h)
    assert np.all(np.diff(h.position[~np.isnan(h.position)]) >= 0)


@given(column=columns, cuts=st.lists(st.integers(-400, 400), min_size=1, unique=True))
def test_cuts(column, cuts):
    fine = sorted(cuts)
    assert_labels_true(build({"cuts": [fine, fine[::2], fine[::4]]}, column))


@given(column=columns)
def test_suggested_numbers(column):
    assert_labels_true(build("suggest", column))


@given(column=st.lists(st.none() | texts, min_size=1))
def test_suggested_texts(column):
    build("suggest", column)


@given(column=st.lists(st.none() | st.dates(), min_size=1), data=st.data())
def test_dates(column, data):
    units = ["day", "month", "quarter", "half-year", "year", "2-year", "decade", "century"]
    chosen = data.draw(st.lists(st.sampled_from(units), min_size=1, unique=True))
    written = [None if day is None else day.isoformat() for day in column]
    h = build({"dates": sorted(chosen, key=units.index)}, written)
    build("suggest", written)
    for path in h.paths():
        for label in path[1:-1] if path[0] is not None else ():
            year = date.fromisoformat(path[0]).year
            if label.startswith("["):
                first, last = map(int, label[1:-1].split("-"))
                assert first <= year <= last
            else:
                assert label.startswith(f"{year:04}")


@given(
    column=st.lists(st.none() | texts, min_size=1),
    side=st.sampled_from(["right", "left"]),
    keep=st.integers(0, 3),
    steps=st.none() | st.sets(st.integers(1, 6), min_size=1).map(sorted),
)
def test_mask(column, side, keep, steps):
    keep = keep if steps is None else 0
    h = build({"mask": side, "keep": keep, "steps": steps}, column)
    for path in h.paths():
        for label in path[1:-1] if path[0] is not None else ():
            shown = label.strip("*")
            value = path[0] if side == "right" else path[0][::-1]
            assert value.startswith(shown if side == "right" else shown[::-1])
            assert len(shown) >= min(keep, len(value))


@given(values=st.lists(texts, min_size=1, unique=True), data=st.data())
def test_ordinal_and_tree(values, data):
    steps = data.draw(st.none() | st.just([2]) | st.just([2, 6]))
    h = build({"ordinal": values, "widths": steps}, values)
    assert h.leaves == tuple(values)
    half = len(values) // 2
    tree = {"g-low": values[: half + 1], "g-high": {"g-rest": values[half + 1 :] or ["g-none"]}}
    build({"tree": tree}, values)
