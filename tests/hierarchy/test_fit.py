"""Values of the data against leaves of the hierarchy."""

from __future__ import annotations

import pytest

from tests.hierarchy.sound import build, faults_of


def paths(*leaves):
    return {"paths": [[leaf, "*"] for leaf in leaves]}


@pytest.mark.parametrize(
    ("leaf", "value"), [("39", "39.0"), ("39.0", "39"), ("1000", "1e3"), ("7", "007"), ("5", " 5")]
)
def test_the_same_number_spelt_otherwise(leaf, value):
    h = build(paths(leaf, "x"), [value])
    assert value in h.code_of
    assert leaf not in h.code_of
    assert h.labels[0] == h.leaves


def test_an_exact_match_comes_first():
    h = build(paths("7", "007"), ["007", "7"])
    assert set(h.leaves) == {"7", "007"}


@pytest.mark.parametrize(
    ("leaves", "column", "uncovered"),
    [
        (["7"], ["7", "007"], ["007"]),
        (["7"], ["7.0", "007"], ["007", "7.0"]),
        (["7", "7.0"], ["7.00"], ["7.00"]),
        (["inf"], ["infinity"], ["infinity"]),
        (["1000"], ["1_000"], ["1_000"]),
    ],
)
def test_no_guess_where_two_could_be_meant(leaves, column, uncovered):
    told = faults_of(paths(*leaves), column)
    assert [line.split("'")[3] for line in told] == uncovered


def test_faults_come_by_rows_and_count_them():
    told = faults_of(paths("Rome"), ["Paris"] * 1200 + ["Roma"] + [None])
    assert told[0].startswith("column 'x': value 'Paris' (1,200 rows) is not in the hierarchy.")
    assert told[1].endswith("correct the data. Closest value there: 'Rome'.")


def test_the_missing_value_is_added_only_where_needed():
    assert None in build(paths("a"), ["a", None]).code_of
    assert None not in build(paths("a"), ["a"]).code_of


def test_empty_text_is_the_missing_leaf_where_nothing_is_missing():
    assert build(paths("a", None), ["a", ""]).leaves == ("a", "")
    (told,) = faults_of(paths("a", None), ["a", "", None])
    assert "value '' (1 row) is not in the hierarchy" in told


def test_very_many_leaves_and_faults():
    leaves = [f"code {n}" for n in range(5000)]
    told = faults_of(paths(*leaves), [f"code {n}x" for n in range(100)])
    assert len(told) == 100
    assert told[0].endswith("Closest value there: 'code 0'.")
