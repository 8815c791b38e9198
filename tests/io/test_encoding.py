"""From columns to integers: one code per distinct value, whatever the layout of the column."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.encode.table import encode_table
from indistinct.errors import DataError
from indistinct.io.encoding import encode
from indistinct.plan import Plan


def decode(encoded):
    return [encoded.domain.values[code] for code in encoded.codes]


def chunked(*chunks):
    return pa.chunked_array([pa.array(chunk, pa.string()) for chunk in chunks], pa.string())


LAYOUTS = {
    "plain": lambda column: column,
    "dictionary": lambda column: column.dictionary_encode(),
    "large": lambda column: column.cast(pa.large_string()),
    "small codes": lambda column: column.dictionary_encode().cast(
        pa.dictionary(pa.int8(), pa.string())
    ),
    "slice": lambda column: pa.chunked_array([["q"], *column.chunks, ["r"]], pa.string()).slice(
        1, len(column)
    ),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@given(st.lists(st.lists(st.none() | st.sampled_from(["02139", "", "b", "nan", "*"]))))
def test_every_layout_gives_every_value_back(layout, chunks):
    values = [value for chunk in chunks for value in chunk]
    encoded = encode(LAYOUTS[layout](chunked(*chunks)), "zip")
    assert decode(encoded) == values
    assert len(set(encoded.domain.values)) == len(encoded.domain.values)
    assert set(encoded.domain.values) == set(values)
    assert encoded.domain.counts.tolist() == [values.count(v) for v in encoded.domain.values]
    assert encoded.codes.dtype == np.int32


VALUES = {
    "whole numbers": (pa.array([3, None, 10]), ["3", None, "10"]),
    "whole floats": (pa.array([39.0, 1.5, None]), ["39", "1.5", None]),
    "truths": (pa.array([True, False]), ["true", "false"]),
    "decimals": (pa.array([Decimal("1.10")]), ["1.10"]),
    "dates": (pa.array([dt.date(2020, 3, 31)]), ["2020-03-31"]),
    "midnights": (
        pa.array([86_400 * 10**9, None], pa.timestamp("ns")),
        ["1970-01-02", None],
    ),
    "half a second past midnight": (
        pa.array([500_000], pa.timestamp("us")),
        ["1970-01-01 00:00:00.5"],
    ),
    "moments": (
        pa.array([(10 * 60 + 20) * 60_000], pa.timestamp("ms")),
        ["1970-01-01 10:20:00"],
    ),
    "ten past": (pa.array([0, 600], pa.timestamp("s")), ["1970-01-01", "1970-01-01 00:10:00"]),
    "times": (
        pa.array([dt.time(1, 2), dt.time(1, 2, 3, 40)]),
        ["01:02:00", "01:02:03.00004"],
    ),
    "times of a zone": (
        pa.array([0, 1_250_000], pa.timestamp("us", "Europe/Vienna")),
        ["1970-01-01 01:00:00+0100", "1970-01-01 01:00:01.25+0100"],
    ),
}


@pytest.mark.parametrize("kind", VALUES)
def test_values_as_text(kind):
    column, texts = VALUES[kind]
    assert decode(encode(pa.chunked_array([column]), "x")) == texts


def test_a_dictionary_as_large_as_its_codes_allow():
    values = [f"v{i}" for i in range(128)]
    column = pa.DictionaryArray.from_arrays(pa.array([*range(128), None], pa.int8()), values)
    assert decode(encode(pa.chunked_array([column]), "x")) == [*values, None]


def test_a_dictionary_with_repeats_unused_values_and_a_null():
    column = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2, None]), ["a", "a", None, "SECRET"])
    encoded = encode(pa.chunked_array([column]), "x")
    assert decode(encoded) == ["a", "a", None, None]
    assert set(encoded.domain.values) == {"a", None}


@pytest.mark.parametrize(
    "column",
    [
        pa.array([[1]]),
        pa.array([{"a": 1}]),
        pa.array([b"a"]),
        pa.array([b"\xff"], pa.large_binary()),
        pa.array([b"a"], pa.binary(1)),
    ],
)
def test_what_has_no_order_and_no_text_is_refused(column):
    with pytest.raises(DataError, match=r"column 'x': values of type .* cannot be generalized"):
        encode(pa.chunked_array([column]), "x")


def plan(**columns):
    return Plan.load({"columns": columns, "require": [{"model": "k-anonymity", "k": 2}]})


QUASI = {"role": "quasi", "hierarchy": "flat"}


def test_tables_take_their_codes_from_the_hierarchy():
    data = pa.table({"age": ["30", "9", None], "ill": ["x", None, "x"]})
    asked = plan(age={"role": "quasi", "hierarchy": {"intervals": [10]}}, ill={"role": "sensitive"})
    table = encode_table(data, asked)
    [age], [ill] = table.quasi, table.sensitive
    assert age.hierarchy.leaves == ("9", "30", None)
    assert age.codes.tolist() == [1, 0, 2]
    assert [ill.values[code] for code in ill.codes] == ["x", None, "x"]
    assert table.sets[0].respondents is None


def test_faults_of_plan_and_data_are_told_together():
    data = pa.table({"zip": ["1"], "sexx": ["f"], "ill": pa.nulls(1)})
    asked = plan(zip=QUASI, sex=QUASI, ill={"role": "sensitive"})
    with pytest.raises(DataError) as caught:
        encode_table(data, asked)
    told = [fault.problem for fault in caught.value.faults]
    assert told == [
        "no column 'sex', which the plan names",
        "columns that the plan does not name: sexx",
        "all its values are missing",
    ]
    assert "Closest: 'sexx'" in caught.value.faults[0].remedy


def test_respondents_of_several_sets():
    data = pa.table({"zip": ["1", "2"], "post": ["a", "b"], "who": ["p", "p"], "doc": ["d", None]})
    asked = Plan.load({
        "columns": {
            "zip": QUASI,
            "post": QUASI,
            "who": {"role": "respondent"},
            "doc": {"role": "respondent"},
        },
        "sets": {
            "patient": {"columns": ["zip"], "respondent": "who"},
            "doctor": {"columns": ["post"], "respondent": "doc"},
        },
        "require": [{"model": "k-anonymity", "k": 2}],
    })  # fmt: skip
    patient, doctor = encode_table(data, asked).sets
    assert (patient.name, patient.columns) == ("patient", (0,))
    assert (doctor.name, doctor.columns) == ("doctor", (1,))
    assert len(set(patient.respondents.tolist())) == 1
    assert len(set(doctor.respondents.tolist())) == 2
