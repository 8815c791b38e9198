"""Assessment against counting by hand, and columns that look like identifiers."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import assess
from indistinct.errors import DataError

CELLS = st.none() | st.sampled_from(["a", "b", "c"])


@given(st.integers(1, 4).flatmap(
    lambda width: st.lists(st.tuples(*[CELLS] * width), min_size=1, max_size=12)
))  # fmt: skip
def test_counts_are_the_definitions(rows):
    names = [f"c{i}" for i in range(len(rows[0]))]
    columns = [pa.array(column, pa.string()) for column in zip(*rows, strict=True)]
    found = assess(pa.table(dict(zip(names, columns, strict=True))))
    classes = Counter(rows)
    assert found.sizes == Counter(classes.values())
    assert found.unique_rows == sum(size == 1 for size in classes.values())
    expected = {
        tuple(names[i] for i in subset): Counter(tuple(row[i] for i in subset) for row in rows)
        for size in (1, 2, 3)
        for subset in combinations(range(len(names)), size)
    }
    assert {subset.columns for subset in found.subsets} == set(expected)
    for subset in found.subsets:
        sizes = expected[subset.columns].values()
        assert subset.k == min(sizes)
        assert subset.classes == len(sizes)
        assert subset.unique_rows == sum(size == 1 for size in sizes)
    ranks = [(-subset.unique_rows, subset.k, len(subset.columns)) for subset in found.subsets]
    assert ranks == sorted(ranks)


def test_as_json():
    told = assess(pa.table({"zip": ["1", "1", "2"], "sex": ["f", "f", "m"]})).as_json()
    assert (told["rows"], told["k"], told["classes"]) == (3, 1, 2)
    assert told["unique_share"] == pytest.approx(1 / 3)
    assert told["class_sizes"] == {"1": 1, "2": 1}
    assert len(told["subsets"]) == 3


IDENTIFIERS = {
    "patient_id": (["1", "1"], "its name suggests a person's number"),
    "Name": (["x", "x"], "its name suggests a person's name or number"),
    "contact": (["a@b.org", "c@d.com"], "e-mail addresses"),
    "reach": (["+39 06 6982 1234", "0044 20 7946 0958"], "phone numbers"),
    "number": (["078-05-1120", "219-09-9999"], "social security numbers"),
    "host": (["192.168.100.100", "10.0.0.1"], "IP addresses"),
    "key": (["123e4567-e89b-12d3-a456-426614174000"] * 2, "UUIDs"),
}


@pytest.mark.parametrize("name", IDENTIFIERS)
def test_what_looks_like_an_identifier(name):
    values, reason = IDENTIFIERS[name]
    [found] = assess(pa.table({name: values})).identifiers
    assert found.column == name
    assert reason in found.reason


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("born", ["1970-01-31", "1980-12-01"]),
        ("born", ["31/01/1970", "1/12/1980"]),
        ("born", ["31.01.1970", "01.12.1980"]),
        ("zip", ["02139", "02141"]),
        ("salary", ["50000.25", "61000.75"]),
        ("valid", ["yes", "no"]),
        ("residence", ["Rome", "Paris"]),
    ],
)
def test_what_does_not(name, values):
    assert assess(pa.table({name: values})).identifiers == ()


def test_a_value_of_its_own_in_nearly_every_row():
    table = pa.table({"code": [f"v{i}" for i in range(40)], "zip": ["1", "2"] * 20})
    [found] = assess(table).identifiers
    assert (found.column, found.reason) == ("code", "nearly every row has a different value")


def test_columns_and_plans():
    table = pa.table({"zip": ["1"], "sex": ["f"], "notes": [["x"]], "raw": [b"\xff"]})
    assert assess(table, columns=["sex", "zip", "sex"]).columns == ("sex", "zip")
    plan = {
        "columns": {"zip": {"role": "quasi"}},
        "require": [{"model": "k-anonymity", "k": 2}],
    }
    assert assess(table, plan).columns == ("zip",)


def test_what_cannot_be_assessed():
    with pytest.raises(DataError, match="no rows"):
        assess(pa.table({"zip": pa.array([], pa.string())}))
    with pytest.raises(DataError, match="'notes': values of type list"):
        assess(pa.table({"notes": [["x"]]}))
    with pytest.raises(DataError, match=r"no column 'zp'. Closest: 'zip'"):
        assess(pa.table({"zip": ["1"]}), columns=["zp"])
