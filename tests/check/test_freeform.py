"""The check of freeform releases: against brute force, and without the private table."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.csv as pv
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from typer.testing import CliRunner

from indistinct import anonymize, anonymize_file, verify
from indistinct.check import freeform
from indistinct.check.covered import Covered
from indistinct.check.freeform import Cells, verify_found, verify_known
from indistinct.cli import app
from indistinct.errors import DataError, DoesNotHoldError
from indistinct.requirements import KAnonymity
from tests import oracle_freeform as brute
from tests.methods.freeform.test_methods import people, plan
from tests.profiles import examples


@st.composite
def columns_of(draw, size):
    """A column: the value of each original row, and the values that each published row covers."""
    values = draw(st.integers(1, 4))
    codes = draw(st.lists(st.integers(0, values - 1), min_size=size, max_size=size))
    some = st.sets(st.integers(0, values - 1), min_size=min(values, 2))
    return codes, draw(st.lists(some, min_size=size, max_size=size))


@st.composite
def compatible(draw):
    """A table and a release of it: columns, and values that published and original rows carry."""
    size = draw(st.integers(2, 4))
    columns = draw(st.lists(columns_of(size), min_size=1, max_size=3))
    carried = draw(st.lists(st.integers(0, 1), min_size=size, max_size=size))
    return columns, carried, draw(st.permutations(carried))


def cells_of(codes, covers):
    distinct = sorted({tuple(sorted(held)) for held in covers})
    table = np.zeros((len(distinct), max(codes) + 1), dtype=bool)
    for number, held in enumerate(distinct):
        table[number, [v for v in held if v <= max(codes)]] = True
    number = np.array([distinct.index(tuple(sorted(held))) for held in covers])
    return Cells(number, Covered.of_table(table), np.array(codes, dtype=np.int32))


@pytest.mark.parametrize("first", [None, 1])
@examples(60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(compatible(), st.integers(2, 4), st.booleans())
def test_matchings_are_found_if_there_are_any(monkeypatch, first, job, k, carries):
    """Also where at first few pairs are looked at, as in large tables."""
    if first is not None:
        monkeypatch.setattr(freeform, "MANY_EDGES", 0)
        monkeypatch.setattr(freeform, "LEAST_EDGES", first)
    columns, published, original = job
    rows = range(len(published))
    allowed = [
        {row for row in rows if all(codes[row] in covers[box] for codes, covers in columns)}
        for box in rows
    ]
    alike = [{r for r in allowed[box] if original[r] == published[box]} for box in rows]
    true = not carries or brute.most_matchings(alike, 1) == 1
    most = brute.most_matchings(allowed, k) if true else 0
    sides = [(np.array(published), np.array(original))] if carries else []
    cells = {"all": [cells_of(*column) for column in columns]}
    (found,) = verify_found(cells, [KAnonymity(k=k)], sides).evidence
    assert found.measured == most
    assert found.holds == (most >= k)


def known(*, number, covers, codes, sources, order, carried):
    table = Covered.of_table(np.array(covers, dtype=bool))
    cells = Cells(np.array(number), table, np.array(codes, dtype=np.int32))
    sources = np.array(sources, dtype=np.int32)
    return verify_known(
        {"all": [cells]}, [KAnonymity(k=2)], sources, np.array(order), np.array(carried)
    ).evidence[0]


@pytest.mark.parametrize(
    ("changed", "measured"),
    [
        ({}, 2),
        ({"covers": [[1, 0], [1, 1]]}, 1),
        ({"sources": [[0, 0], [1, 1]]}, 0),
        ({"sources": [[0, 1], [1, 1]]}, 0),
        ({"order": [0, 0]}, 0),
        ({"carried": [0, 0]}, 0),
    ],
)
def test_known_matchings_are_held_to_the_cells(changed, measured):
    right = {
        "number": [0, 1],
        "covers": [[1, 1], [1, 1]],
        "codes": [0, 1],
        "sources": [[0, 1], [1, 0]],
        "order": [1, 0],
        "carried": [1, 0],
    }
    found = known(**(right | changed))
    assert (found.measured, found.holds) == (measured, measured >= 2)


THREE = {
    "number": [0, 0, 0],
    "covers": [[1, 1, 1]],
    "codes": [0, 1, 2],
    "sources": [[0, 1], [1, 2], [2, 0]],
    "order": [2, 0, 1],
}


@pytest.mark.parametrize(
    ("carried", "measured"), [([0, 1, 2], 2), ([1, 2, 0], 2), ([2, 0, 1], 0), ([1, 1, 2], 0)]
)
def test_values_are_carried_along_a_perfect_matching_of_the_known_pairs(carried, measured):
    assert known(**THREE, carried=carried).measured == measured


def test_values_may_be_carried_along_pairs_of_several_matchings():
    four = {
        "number": [0, 0, 0, 0],
        "covers": [[1, 1, 1, 1]],
        "codes": [0, 1, 2, 3],
        "sources": [[0, 1], [1, 0], [2, 3], [3, 2]],
        "order": [2, 0, 1, 3],
    }
    assert known(**four, carried=[0, 1, 3, 2]).measured == 2


def released(**more):
    data = pa.table(people())
    release = anonymize(data, plan(**more))
    return data, release.rows


def test_alone_a_release_decides_nothing_and_says_so():
    _, rows = released()
    found = verify(rows, plan())
    assert found.holds is None
    assert "private table" in found.evidence[0].note
    with pytest.raises(DoesNotHoldError, match="k = 3"):
        verify(rows.slice(0, 2), plan())


def replaced(rows, name, values):
    place = rows.column_names.index(name)
    return rows.set_column(place, name, pa.array(values))


def test_a_cell_too_narrow_a_swapped_value_and_a_missing_row_are_found():
    data, rows = released()
    narrow = replaced(rows, "age", [str(data.column("age")[0].as_py())] * rows.num_rows)
    ills = rows.column("ill").to_pylist()
    other = next(ill for ill in ills if ill != ills[0])
    swapped = replaced(rows, "ill", [other, *ills[1:]])
    for wrong, told in [(narrow, "measures 0"), (swapped, "carry"), (rows.slice(1), "23 rows")]:
        with pytest.raises(DoesNotHoldError, match=told):
            verify(wrong, plan(), private=data)


def test_less_than_asked_is_measured():
    data, rows = released(k=2)
    with pytest.raises(DoesNotHoldError, match=r"measures [23] where k = 4"):
        verify(rows, plan(k=4), private=data)


def test_the_private_table_is_for_freeform_releases():
    data = pa.table(people())
    asked = plan("best")
    release = anonymize(data, asked)
    with pytest.raises(DataError, match="checked without the private table"):
        verify(release.rows, asked, private=data)


def test_files_certificate_and_command_line(tmp_path):
    pv.write_csv(pa.table(people()), tmp_path / "p.csv")
    release = anonymize_file(
        tmp_path / "p.csv", plan(), tmp_path / "r.csv",
        report=tmp_path / "r.html", certificate=tmp_path / "c.json",
    )  # fmt: skip
    draw = release.summary()["search"]["draw"]
    assert draw["generator"] == "operating system"
    assert draw["matchings"] == 3
    certificate, report = (tmp_path / "c.json").read_text(), (tmp_path / "r.html").read_text()
    assert "generator" not in certificate + report
    assert "draw" not in json.loads(certificate)["release"].get("search", {})
    assert "no classes" in report
    told = ["verify", str(tmp_path / "r.csv"), "--certificate", str(tmp_path / "c.json")]
    alone = CliRunner().invoke(app, told)
    assert alone.exit_code == 3
    assert "cannot be decided" in alone.output
    whole = CliRunner().invoke(app, [*told, "--private", str(tmp_path / "p.csv"), "--json"])
    assert whole.exit_code == 0
    assert json.loads(whole.output)["holds"] is True


def test_sets_hold_each_by_itself():
    data = pa.table(people())
    asked = plan(sets={"one": {"columns": ["age"]}, "two": {"columns": ["age", "town"]}})
    release = anonymize(data, asked)
    assert [e.quasi_set for e in release.evidence] == ["one", "two"]
    assert verify(release.rows, asked, private=data).holds
