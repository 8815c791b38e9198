"""From a frame to a release in intervals: safe, true, measured as published, as in the paper."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, anonymize_file, verify
from indistinct.errors import PlanError
from indistinct.hierarchy import Hierarchy
from indistinct.methods.intervals.indexes import read_indexes
from tests.build import accepted
from tests.examples import CHAPTER
from tests.methods.intervals.jobs import jobs

ORDERS = {  # those of the chapter's Figure 12
    "zip": ["22030", "22032", "22045", "22047"],
    "marital": ["married", "widow", "divorced", "single"],
    "sex": ["M", "F"],
}


def chapter_plan(*, named=False, **method):
    marital = {"ordinal": ORDERS["marital"]}
    if named:
        marital = {"tree": {"been married": ORDERS["marital"][:3], "never": ["single"]}}
    return {
        "columns": {
            "zip": {"role": "quasi", "hierarchy": {"ordinal": ORDERS["zip"]}},
            "marital": {"role": "quasi", "hierarchy": marital},
            "sex": {"role": "quasi", "hierarchy": {"ordinal": ORDERS["sex"]}},
            "disease": {"role": "sensitive"},
        },
        "require": [{"model": "k-anonymity", "k": 3}],
        "method": {"name": "k-optimize", **method},
        "limits": {"suppression": 0.2},
        "publish": "exact",
    }


def test_an_index_set_reads_as_in_example_4_1():
    hierarchies = [Hierarchy.from_paths([[v, "*"] for v in values]) for values in ORDERS.values()]
    assert read_indexes(hierarchies, {3, 8, 10}) == [
        [("22030", "22032"), ("22045", "22047")],
        [("married", "widow", "divorced"), ("single",)],
        [("M",), ("F",)],
    ]
    assert read_indexes(hierarchies, {1, 3, 5, 8, 9, 10}) == read_indexes(hierarchies, {3, 8, 10})
    assert read_indexes(hierarchies, {}) == [[tuple(values)] for values in ORDERS.values()]


@pytest.mark.parametrize("named", [False, True])
def test_the_chapters_table_is_cut_at_3_8_10(named):
    release = anonymize(
        pa.Table.from_pylist(CHAPTER["rows"]), chapter_plan(named=named, cost="gcp")
    )
    assert release.recoding.search["index_set"] == "{3, 8, 10}"
    assert release.suppressed_rows == 1
    found = Counter(zip(*(release.rows.column(name).to_pylist() for name in ORDERS), strict=True))
    been = "been married" if named else "{married, widow, divorced}"
    assert found == {
        ("22030..22032", been, "F"): 3,
        ("22030..22032", "single", "M"): 3,
        ("22045..22047", been, "M"): 3,
    }
    assert release.measures.discernibility == 3 * 9 + 10
    assert release.measures.gcp == pytest.approx(release.recoding.search["cost"])
    assert release.levels == {"zip": None, "marital": None, "sex": None}


def test_what_is_found_is_told_everywhere(tmp_path):
    pd.DataFrame(CHAPTER["rows"]).to_csv(tmp_path / "in.csv", index=False)
    release = anonymize_file(
        tmp_path / "in.csv",
        chapter_plan(cost="gcp"),
        tmp_path / "out.csv",
        report=tmp_path / "r.html",
        certificate=tmp_path / "c.json",
    )
    assert release.summary()["search"]["index_set"] == "{3, 8, 10}"
    certified = json.loads((tmp_path / "c.json").read_text())
    assert "search" not in certified["release"]  # the steward's to know, not the reader's
    assert release.summary()["search"]["proven_optimal"] is True
    assert "Cut at the indexes {3, 8, 10}" in (tmp_path / "r.html").read_text()
    assert verify(tmp_path / "out.csv", certificate=tmp_path / "c.json").holds


def covers(cell, value, paths):
    """Whether a published cell is a true form of a value: itself, a range, a set or a node."""
    if cell == value:
        return True
    if paths is None:
        low, high = cell.strip("[]").split("-")
        return int(low) <= int(value) <= int(high)
    if cell.startswith("{"):
        return value in cell.strip("{}").split(", ")
    return cell in next(path for path in paths if path[0] == value)


@pytest.mark.parametrize("cost", ["dm", "cm", "gcp"])
@given(job=jobs(), seed=st.integers(0, 3))
def test_a_release_is_safe_and_true(cost, job, seed):
    names = [f"c{place}" for place in range(len(job.columns))]
    data = {name: [row[place] for row in job.rows] for place, name in enumerate(names)}
    data |= {"label": [f"l{label}" for label in job.labels], "row": list(range(len(job.rows)))}
    quasi = {
        name: {"role": "quasi", "hierarchy": {"paths": paths}}
        for name, paths in zip(names, job.paths, strict=True)
    }
    limit = min(job.limit, len(job.rows) - 1)
    plan = {
        "columns": quasi | {"label": {"role": "sensitive"}, "row": {"role": "other"}},
        "require": [{"model": "k-anonymity", "k": job.k}],
        "method": {"name": "k-optimize", "cost": cost},
        "limits": {"suppression": limit / len(job.rows)},
        "seed": seed,
        "accept": accepted("row"),
        "publish": "exact",
    }
    if cost == "cm":
        plan["method"]["label"] = "label"
    release = anonymize(pa.table(data), plan)
    rows = release.rows.to_pylist()
    assert len(rows) >= len(job.rows) - limit
    classes = Counter(tuple(row[name] for name in names) for row in rows)
    assert min(classes.values()) >= job.k
    for row in rows:
        for place, name in enumerate(names):
            assert covers(row[name], job.rows[row["row"]][place], job.ladders[place])
    for name in names:  # one value is published in one way: cuts are the same for all rows
        forms = {(data[name][row["row"]], row[name]) for row in rows}
        assert len(forms) == len({value for value, _ in forms})
    assert set(np.flatnonzero(release.recoding.kept)) == {row["row"] for row in rows}
    assert release.verified.holds
    told = release.recoding.search
    if cost == "dm":
        assert release.measures.discernibility == told["cost"]
    if cost == "gcp":
        assert release.measures.gcp <= told["cost"] + 1e-9


def test_a_range_does_not_tell_of_rows_left_out():
    ages = [20, 21, 22, 23, 30, 31, 32, 90]
    plan = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
            "town": {"role": "quasi", "hierarchy": "flat"},
        },
        "require": [{"model": "k-anonymity", "k": 3}],
        "method": {"name": "k-optimize", "strides": {"age": 10}, "cost": "gcp"},
        "publish": "exact",
        "limits": {"suppression": 0.2},
    }
    towns = ["A"] * 7 + ["B"]
    release = anonymize(pa.table({"age": ages, "town": towns}), plan)
    assert set(release.rows.column("age").to_pylist()) == {"[20-23]", "[30-32]"}
    assert release.suppressed_rows == 1
    bounds = plan | {"columns": plan["columns"] | {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10]}, "range_as": "bounds"}
    }}  # fmt: skip
    written = anonymize(pa.table({"age": ages, "town": towns}), bounds).rows
    assert set(written.column("age_high").to_pylist()) == {23, 32}


def test_missing_numbers_stand_alone_or_with_everything():
    plan = {
        "columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [10]}}},
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "k-optimize", "strides": {"age": 50}},
        "publish": "exact",
    }
    some = anonymize(pa.table({"age": [1, 2, 60, 61, None, None]}), plan)
    assert set(some.rows.column("age").to_pylist()) == {"[1-2]", "[60-61]", None}
    one = anonymize(pa.table({"age": [1, 2, 60, 61, None]}), plan)
    assert Counter(one.rows.column("age").to_pylist()) == {"[1-2]": 2, "*": 3}


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"require": [{"model": "l-diversity", "l": 2}]}, "does not keep 'l-diversity'"),
        ({"sets": {"all": {"columns": ["zip", "marital", "sex"]}}}, "one quasi-identifier"),
        ({"publish": "node"}, "an interval that is not a node"),
        ({"publish": "permutation"}, "k-anonymity"),
        ({"method": {"name": "k-optimize", "cost": "cm"}}, "needs a label"),
        ({"method": {"name": "k-optimize", "label": "disease"}}, 'only cost = "cm" reads it'),
        (
            {"method": {"name": "k-optimize", "cost": "cm", "label": "diseas"}},
            "Closest: 'disease'",
        ),
        ({"method": {"name": "k-optimize", "strides": {"age": 5}}}, "'age' is not a quasi column"),
        ({"method": {"name": "k-optimize", "strides": {"zip": 0}}}, "strides"),
        ({"method": {"name": "k-optimize", "order": ["disease"]}}, "is not a quasi column"),
        ({"method": {"name": "k-optimize", "cost": "ncp"}}, "there is no 'ncp'"),
        ({"method": {"name": "k-optimize", "time_limit": 0}}, "time_limit"),
    ],
    ids=str,
)
def test_what_it_cannot_do_is_told_before_any_data_is_read(change, told):
    with pytest.raises(PlanError, match=told.replace("(", r"\(")):
        anonymize(pa.Table.from_pylist(CHAPTER["rows"]), chapter_plan() | change)


def test_respondents_are_refused():
    plan = chapter_plan()
    plan["columns"]["who"] = {"role": "respondent"}
    with pytest.raises(PlanError, match="counts rows"):
        anonymize(pa.Table.from_pylist([row | {"who": 1} for row in CHAPTER["rows"]]), plan)


def test_too_many_places_to_cut_are_refused():
    plan = {
        "columns": {"income": {"role": "quasi", "hierarchy": {"intervals": [100]}}},
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "k-optimize"},
    }
    data = pa.table({"income": list(range(1500))})
    with pytest.raises(PlanError, match="1,499 places"):
        anonymize(data, plan)
    found = anonymize(data, plan | {"method": {"name": "k-optimize", "strides": {"income": 100}}})
    assert len(set(found.rows.column("income").to_pylist())) == 15


def test_without_bounds_a_large_search_needs_a_limit():
    plan = {
        "columns": {"age": {"role": "quasi", "hierarchy": {"intervals": [10]}}},
        "require": [{"model": "k-anonymity", "k": 2}],
        "method": {"name": "k-optimize", "bounds": False},
    }
    with pytest.raises(PlanError, match="all sets of 29 cuts"):
        anonymize(pa.table({"age": list(range(30))}), plan)
