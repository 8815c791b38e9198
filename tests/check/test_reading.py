"""How the check reads columns, which is its own way, against how the rest of indistinct does."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.check.reading import equal_numbers, numbered_alike, read_column
from indistinct.errors import DataError
from indistinct.io.encoding import encode
from indistinct.io.plain import clean
from tests.io.odd import arrow_columns

TEXTS = st.lists(st.sampled_from(["a", "b", "", "c", None]))


def as_encoded(column):
    found = encode(column, "x")
    return found.domain.values, found.codes.tolist(), found.domain.counts.tolist()


def as_read(column):
    found = read_column(column, "x")
    return found.texts, found.codes.tolist(), found.counts.tolist()


def outcome(read, column):
    try:
        return read(column)
    except DataError as error:
        return str(error)


def plain(values):
    try:
        return clean(pa.table({"x": values})).column("x")
    except DataError:
        return None


@pytest.mark.parametrize("name", list(arrow_columns()))
def test_every_type_reads_the_same_in_two_ways(name):
    column = plain(arrow_columns()[name])
    if column is not None:
        assert outcome(as_read, column) == outcome(as_encoded, column)


@given(st.lists(TEXTS, min_size=1), st.booleans(), st.sampled_from(["mask", "encode"]))
def test_chunks_with_lists_of_their_own_read_as_one(chunks, listed, nulls):
    arrays = [pa.array(chunk, pa.string()) for chunk in chunks]
    if listed:
        arrays = [array.dictionary_encode(nulls) for array in arrays]
    column = pa.chunked_array(arrays).slice(1)
    values = [value for chunk in chunks for value in chunk][1:]
    read = read_column(column, "x")
    assert [read.texts[code] for code in read.codes] == values
    assert len(set(read.texts)) == len(read.texts) == len(set(values))
    assert None not in read.texts[:-1]
    numbers, most = equal_numbers(column)
    assert len(set(numbers)) == len(set(zip(numbers, values, strict=True))) == len(set(values))
    assert numbers.max(initial=0) < most


def test_values_of_no_row_and_values_listed_twice():
    listed = pa.DictionaryArray.from_arrays(pa.array([2, 0, 3]), pa.array(["a", "b", "c", "a"]))
    read = read_column(pa.chunked_array([listed]), "x")
    assert (read.texts, read.codes.tolist()) == (("a", "c"), [1, 0, 0])


def test_values_of_two_types_that_read_alike_are_equal():
    one, two = numbered_alike(pa.chunked_array([["3", "1"]]), pa.chunked_array([[1.0, 2.5]]))
    assert (one.tolist(), two.tolist()) == ([0, 1], [1, 2])
