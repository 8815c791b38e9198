"""Groups as they are published: true, tight, and counted from what is published."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pyarrow as pa
import pyarrow.csv as pv
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, anonymize_file, verify
from indistinct.errors import DoesNotHoldError, IndistinctError, PlanError
from indistinct.hierarchy import Hierarchy
from indistinct.measures.loss import column_ncp
from indistinct.model.recoding import Partition
from indistinct.model.table import QuasiColumn, QuasiSet, Table
from indistinct.publishing.groups import group_columns

COUNTRIES = [[c, "Europe", "*"] for c in ("Italy", "France", "Spain")]
COUNTRIES += [[c, "America", "*"] for c in ("US", "Canada")]


def one_column(values, paths, groups, form, range_as="text"):
    """The published columns of one column in given groups, and its NCP."""
    hierarchy = Hierarchy.from_paths(paths)
    if None in values:
        hierarchy = hierarchy.with_missing()
    codes = np.array([hierarchy.code_of[value] for value in values], dtype=np.int32)
    quasi = QuasiColumn("q", codes, hierarchy)
    table = Table(len(values), (quasi,), (QuasiSet("all", (0,)),))
    partition = Partition(np.array(groups, dtype=np.int32))
    data = pa.table({"q": pa.array(values, pa.string())})
    made = group_columns(data, table, partition, (form,), (range_as,))["q"]
    ncp = column_ncp(table, partition, (form,))["q"]
    return {name: column.to_pylist() for name, column in made.items()}, ncp


def flat(values):
    return [[value, "*"] for value in values]


@pytest.mark.parametrize(
    ("values", "label", "ncp"),
    [
        (["Italy", "France"], "Europe", 3 / 5),
        (["US", "Spain"], "*", 1),
        (["US", "US"], "US", 0),
    ],
)
def test_the_papers_ncp_of_nodes(values, label, ncp):
    assert one_column(values, COUNTRIES, [0, 0], "node") == ({"q": [label] * 2}, ncp)


def test_sets_hold_what_the_group_holds():
    found, ncp = one_column(["Italy", "US", "Italy", "Spain"], COUNTRIES, [0, 0, 0, 1], "set")
    assert found == {"q": ["{Italy, US}"] * 3 + ["Spain"]}
    assert ncp == pytest.approx(3 * (1 / 4) / 4)


AGES = ["20", "30", "31", "60"]


@pytest.mark.parametrize(
    ("range_as", "expected"),
    [
        ("text", {"q": ["[20-31]"] * 3 + ["60"]}),
        ("bounds", {"q_low": [20, 20, 20, 60], "q_high": [31, 31, 31, 60]}),
        ("mean", {"q": ["[20-31]"] * 3 + ["60"], "q_mean": [27, 27, 27, 60]}),
        ("median", {"q": ["[20-31]"] * 3 + ["60"], "q_median": [30, 30, 30, 60]}),
    ],
)
def test_ranges_are_tight(range_as, expected):
    found, ncp = one_column(AGES, flat(AGES), [0, 0, 0, 1], "range", range_as)
    assert found == expected
    assert ncp == pytest.approx(3 * (11 / 40) / 4)


def test_a_range_with_a_missing_value_says_nothing():
    values, groups = ["20", None, None, None], [0, 0, 1, 1]
    assert one_column(values, flat(AGES), groups, "range")[0] == {"q": ["*", "*", None, None]}
    for range_as in ("bounds", "mean", "median"):
        made = one_column(values, flat(AGES), groups, "range", range_as)[0]
        assert all(made[name] == [None] * 4 for name in made if name != "q")


def test_dates_and_rows_left_out():
    dates = ["2020-01-31", "2020-03-01", "2021-01-01"]
    found, _ = one_column(dates, flat(dates), [0, 0, -1], "range")
    assert found["q"][:2] == ["[2020-01-31, 2020-03-01]"] * 2
    found, _ = one_column(dates, flat(dates), [0, 0, -1], "range", "bounds")
    assert (found["q_low"][0], found["q_high"][1]) == ("2020-01-31", "2020-03-01")


@st.composite
def people(draw):
    size = draw(st.integers(2, 14))
    ages = st.one_of(st.none(), st.integers(0, 99))
    lands = st.sampled_from([path[0] for path in COUNTRIES])
    some = st.lists(st.tuples(ages, lands), min_size=size, max_size=size)
    rows = draw(some.filter(lambda rows: any(age is not None for age, _ in rows)))
    return {
        "age": pa.array([age for age, _ in rows], pa.int64()),
        "land": [land for _, land in rows],
        "row": list(range(size)),
    }


def plan(range_as="text", land="node", **more):
    return {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}, "range_as": range_as},
            "land": {"role": "quasi", "hierarchy": {"paths": COUNTRIES}, "publish": land},
            "row": {"role": "other"},
        },
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "k-member"},
        **more,
    }


def parsed(text):
    low, _, high = text.strip("[]").partition("-")
    return int(low), int(high or low)


def members_of(label):
    if label in {path[0] for path in COUNTRIES}:
        return {label}
    return {path[0] for path in COUNTRIES if label in path}


@given(
    people(),
    st.sampled_from(["text", "bounds", "mean", "median"]),
    st.sampled_from(["node", "set"]),
)
def test_what_is_published_is_true_and_its_classes_are_counted(data, range_as, land):
    asked = plan(range_as, land)
    release = anonymize(pa.table(data), asked, keep_order=True)
    rows = release.rows.to_pylist()
    assert verify(release.frame, asked).holds
    quasi = [tuple(v for name, v in row.items() if name != "row") for row in rows]
    counted = Counter(quasi)
    assert sorted(counted.values()) == sorted(release.class_sizes)
    assert min(counted.values()) >= 2
    for row in rows:
        age, home = data["age"][row["row"]].as_py(), data["land"][row["row"]]
        named = row["land"].strip("{}").split(", ") if land == "set" else [row["land"]]
        assert any(home in members_of(label) for label in named)
        if range_as == "bounds":
            low, high = row["age_low"], row["age_high"]
            assert low is None or low <= age <= high
        elif age is None:
            assert row["age"] in {None, "*"}
        elif row["age"] != "*":
            low, high = parsed(str(row["age"]))
            assert low <= age <= high
            assert low <= row.get(f"age_{range_as}", low) <= high


@pytest.mark.parametrize("range_as", ["text", "bounds", "mean", "median"])
def test_files(tmp_path, range_as):
    ages = [20, 25, 31, 47, 48, 80, 81, 90]
    data = pa.table({"age": ages, "land": ["Italy", "US"] * 4, "row": list("abcdefgh")})
    pv.write_csv(data, tmp_path / "p.csv")
    certificate = tmp_path / "c.json"
    release = anonymize_file(
        tmp_path / "p.csv", plan(range_as), tmp_path / "r.csv", certificate=certificate,
        report=tmp_path / "r.html",
    )  # fmt: skip
    written = pv.read_csv(tmp_path / "r.csv")
    assert written.column_names == [*release.published.became["age"], "land", "row"]
    assert verify(tmp_path / "r.csv", certificate=certificate).holds
    assert verify(tmp_path / "r.csv", plan(range_as)).holds


def test_a_mean_that_singles_out_is_found():
    shown = {"age": ["[20-30]"] * 4, "age_mean": [25, 25, 26, 27], "land": ["US"] * 4}
    rows = pa.table(shown | {"row": [1, 2, 3, 4]})
    with pytest.raises(DoesNotHoldError, match="measures 1"):
        verify(rows, plan("mean"))


@pytest.mark.parametrize(
    ("column", "fragment"),
    [
        ({"land": {"publish": "range"}}, "neither numbers nor dates"),
        ({"land": {"range_as": "bounds"}}, "is for ranges, not nodes"),
        ({"age": {"publish": "set", "range_as": "mean"}}, "is for ranges, not sets"),
        ({"row": {"range_as": "mean"}}, "only a quasi column"),
    ],
)
def test_forms_that_make_no_sense(column, fragment):
    asked = plan()
    for name, more in column.items():
        asked["columns"][name] |= more
    data = pa.table({"age": [1, 2], "land": ["US", "Italy"], "row": [1, 2]})
    with pytest.raises(IndistinctError, match=fragment):
        anonymize(data, asked)


@pytest.mark.parametrize("listed", [True, False])
def test_two_columns_of_one_name(listed):
    asked = plan("bounds", unlisted="other")
    if listed:
        asked["columns"]["age_low"] = {"role": "other"}
    data = pa.table({"age": [1, 2], "land": ["US", "Italy"], "row": [1, 2], "age_low": [1, 1]})
    with pytest.raises(PlanError, match="second column 'age_low'"):
        anonymize(data, asked)


def test_whole_columns_say_that_range_as_has_no_effect():
    asked = plan("bounds", method={"name": "optimal"})
    data = pa.table({"age": [1, 1], "land": ["US", "US"], "row": [1, 2]})
    release = anonymize(data, asked)
    assert release.rows.column_names == ["age", "land", "row"]
    assert any("range_as has no effect" in warning for warning in release.warnings)
    assert verify(release.frame, asked).holds
