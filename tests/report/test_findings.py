"""What is measured for a report, on all kinds of releases."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, anonymize_file
from indistinct.check.freeform import cells_of
from indistinct.errors import IndistinctError
from indistinct.measures.leaf_means import LeafMeans
from indistinct.measures.marginals import in_common, original_counts, released_counts
from tests.pages import SCRIPT, assert_inert
from tests.profiles import examples

HOSTILE = ["<script>alert(1)</script>", "\"'><img src=x onerror=y>", "</td></table>", "{{ 7*7 }}"]
METHODS = ["optimal", "mondrian", "best", "anatomy", "freeform", "cell-suppression"]


def plan(method, **more):
    model = {"model": "k-anonymity", "k": 3}
    if method == "anatomy":
        model = {"model": "l-diversity", "kind": "distinct", "l": 2}
    return {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10, 50]}},
            "town<b>": {"role": "quasi", "hierarchy": "flat"},
            "ill<i>": {"role": "sensitive"},
        },
        "require": [model],
        "method": {"name": method},
        "limits": {"suppression": 0.0 if method == "freeform" else 0.2},
        **more,
    }


def people(count=60):
    draw = np.random.default_rng(4)
    return pa.table(
        {
            "age": draw.integers(20, 60, count),
            "town<b>": draw.choice(HOSTILE, count),
            "ill<i>": draw.choice(HOSTILE[:3], count),
        }
    )


@pytest.mark.parametrize("audience", ["internal", "public"])
@pytest.mark.parametrize("method", METHODS)
def test_no_value_of_the_data_is_interpreted(method, audience):
    html = anonymize(people(), plan(method)).report(SCRIPT, audience=audience)
    page = assert_inert(html)
    assert "<script" not in html.lower()
    assert SCRIPT in page.said
    assert (audience == "public") is ("{{ 7*7 }}" not in page.said)


@pytest.mark.parametrize("method", METHODS)
def test_numbers_are_the_same_as_json(method):
    release = anonymize(people(), plan(method))
    told = json.loads(json.dumps(release.report_facts().as_json()))
    assert told["holds"] is True
    assert told["risk"]["before"]["unique_rows"] == release.sizes_before.get(1, 0)
    assert [found["column"] for found in told["distributions"]] == ["age", "town<b>", "ill<i>"]
    assert all(0 <= found["kept"] <= 1 for found in told["distributions"])
    if method == "freeform":
        assert told["risk"]["after"]["prosecutor"]["highest"] == pytest.approx(1 / 3)
        assert told["risk"]["after"]["rows"] == 60
        assert told["class_sizes"] == []
        assert [a["attack"] for a in told["attacks"]] == ["association", "likelihood"]
        assert told["draw"]["matchings_at_least"] == pytest.approx(np.log(4 / 3))
        assert told["draw"]["groups_of_k"] == pytest.approx(np.log(6) / 3)
        assert told["draw"]["shifts"] > 0
        assert "draw" not in release.report_facts(audience="public").as_json()
    else:
        assert {a["attack"] for a in told["attacks"]} >= {"homogeneity", "skewness"}
        assert told["cube"]["ill<i>"]["level"] == 2


def test_blanked_rows_are_no_class():
    odd = pa.table({"age": [20] * 9 + [59], "town<b>": ["x"] * 9 + ["y"], "ill<i>": ["a", "b"] * 5})
    release = anonymize(odd, plan("optimal", suppressed="blank"))
    assert release.published.blanked == 1
    after = release.report_facts().as_json()["risk"]["after"]
    assert (after["rows"], after["unique_rows"]) == (9, 0)


@pytest.mark.parametrize("method", ["optimal", "mondrian", "freeform", "cell-suppression"])
@pytest.mark.parametrize("publish", ["auto", "set"])
@examples(8)
@given(
    rows=st.lists(st.tuples(st.integers(20, 26), st.sampled_from("xyz")), min_size=6, max_size=20)
)
def test_released_counts_spread_every_cell_over_what_it_covers(method, publish, rows):
    table = pa.table({"age": [r[0] for r in rows], "town": [r[1] for r in rows]})
    quasi = {"age": {"role": "quasi", "hierarchy": {"intervals": [2, 4]}}}
    quasi["town"] = {"role": "quasi", "hierarchy": "flat"}
    asked = {"columns": quasi, "require": [{"model": "k-anonymity", "k": 2}]}
    if method in {"mondrian", "freeform"}:
        asked["publish"] = publish
    try:
        release = anonymize(table, asked | {"method": {"name": method}})
    except IndistinctError:
        return
    forms = release.plan.forms(release.table)
    found = released_counts(release.table, release.recoding, forms)
    spread = LeafMeans(release.table, release.recoding, forms)
    kind = spread.of_row[spread.of_row >= 0]
    for place, (column, counts) in enumerate(zip(release.table.quasi, found, strict=True)):
        cells = cells_of(release.rows, column, release.published.became[column.name])
        covers = cells.covers.dense()[cells.number].astype(float)
        expected = (covers / covers.sum(axis=1, keepdims=True)).sum(axis=0)
        assert counts == pytest.approx(expected)
        each = spread.means(place, np.eye(column.hierarchy.size))
        assert each[kind].sum(axis=0) == pytest.approx(expected)


def test_a_release_as_it_was_keeps_every_distribution():
    table = pa.table({"age": [30] * 4 + [41] * 4})
    release = anonymize(
        table,
        {"columns": {"age": {"role": "quasi"}}, "require": [{"model": "k-anonymity", "k": 4}]},
    )
    (before,), (after,) = (
        original_counts(release.table),
        released_counts(release.table, release.recoding, release.plan.forms(release.table)),
    )
    assert before.tolist() == after.tolist() == [4, 4]
    assert in_common(before, after) == 1


def test_a_frontier_is_drawn_where_it_is_asked_for(tmp_path):
    from pyarrow import csv

    csv.write_csv(people(), tmp_path / "in.csv")
    release = anonymize_file(
        tmp_path / "in.csv", plan("mondrian"), tmp_path / "out.csv",
        report=tmp_path / "r.html", public_report=tmp_path / "p.html",
        report_json=tmp_path / "r.json", frontier=[2, 5],
    )  # fmt: skip
    assert "Loss against k" in (tmp_path / "r.html").read_text()
    assert "Loss against k" not in (tmp_path / "p.html").read_text()
    told = json.loads((tmp_path / "r.json").read_text())
    assert [cell["k"] for cell in told["frontier"]] == [2, 5]
    assert told["provenance"]["release"]["rows"] == release.rows.num_rows
    assert told["provenance"]["private table"]["name"] == "in.csv"
