"""The check of truth, on publishing that lies: whatever the method, nothing untrue gets out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, anonymize_file, pipeline
from indistinct.check.truth import untrue_columns
from indistinct.errors import DoesNotHoldError
from indistinct.hierarchy import Hierarchy
from indistinct.model.table import QuasiColumn

METHODS = ["best", "optimal", "mondrian", "k-optimize", "cell-suppression", "anatomy",
           "freeform-greedy"]  # fmt: skip
ROWS = 12
PEOPLE = pa.table(
    {
        "age": [str(20 + 2 * n) for n in range(ROWS)],
        "land": ["Italy", "Japan", "France"] * 4,
        "ill": ["flu", "gout", "HIV", "cold"] * 3,
        "note": [f"n{n}" for n in range(ROWS)],
    }
)


def plan(method, **more):
    columns = {
        "age": {"role": "quasi", "hierarchy": {"intervals": [10, 20]}},
        "land": {"role": "quasi", "hierarchy": "flat"},
        "ill": {"role": "sensitive"},
        "note": {"role": "other"},
    }
    asked = {"model": "l-diversity", "l": 2} if method == "anatomy" else None
    require = [asked or {"model": "k-anonymity", "k": 2}]
    return {"columns": columns, "require": require, "method": {"name": method}, **more}


def lie(monkeypatch, name, texts):
    """Let publishing write something else into a column."""
    honest = pipeline.publish

    def publish(*args, **more):
        published = honest(*args, **more)
        place = published.columns.column_names.index(name)
        columns = published.columns.set_column(place, name, pa.array(texts))
        return replace(published, columns=columns)

    monkeypatch.setattr(pipeline, "publish", publish)


LIES = {
    "age": ["[1-2]"] * ROWS,
    "land": ["Peru"] * ROWS,
    "ill": ["flu", "gout"] * (ROWS // 2),
    "note": [f"n{(n + 1) % ROWS}" for n in range(ROWS)],
}


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", LIES)
def test_whatever_is_untrue_is_found(monkeypatch, tmp_path, method, name):
    assert anonymize(PEOPLE, plan(method)).verified.holds
    lie(monkeypatch, name, LIES[name])
    with pytest.raises(DoesNotHoldError):
        anonymize(PEOPLE, plan(method))
    import pyarrow.csv as pv

    pv.write_csv(PEOPLE, tmp_path / "in.csv")
    with pytest.raises(DoesNotHoldError):
        anonymize_file(tmp_path / "in.csv", plan(method), tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_what_is_told(monkeypatch):
    lie(monkeypatch, "age", LIES["age"])
    with pytest.raises(DoesNotHoldError) as caught:
        anonymize(PEOPLE, plan("best", publish="exact"))
    told = "column 'age': 12 kinds of published cells do not cover the private value."
    assert str(caught.value).startswith(told)


def test_bounds_that_are_too_narrow(monkeypatch):
    asked = plan("mondrian")
    asked["columns"]["age"]["range_as"] = "bounds"
    assert anonymize(PEOPLE, asked).verified.holds
    lie(monkeypatch, "age_high", [21] * ROWS)
    with pytest.raises(DoesNotHoldError, match="column 'age'"):
        anonymize(PEOPLE, asked)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ["age", "land", "ill"])
def test_values_that_were_taken_for_others_are_seen(monkeypatch, method, name):
    """Neither does a wrong table of codes get past the check: it reads private values itself."""
    honest = pipeline.encode_table

    def encode_table(*args):
        table = honest(*args)
        held = {
            kind: tuple(
                replace(c, codes=np.roll(c.codes, 1)) if c.name == name else c
                for c in getattr(table, kind)
            )
            for kind in ("quasi", "sensitive")
        }
        return replace(table, **held)

    monkeypatch.setattr(pipeline, "encode_table", encode_table)
    with pytest.raises(DoesNotHoldError, match=f"{name}.* confused with others"):
        anonymize(PEOPLE, plan(method))


PATHS = [["1", "low", "*"], ["2", "low", "*"], ["5", "high", "*"], ["9", "high", "*"]]
LOW, HIGH = {"1", "2"}, {"5", "9"}
CELLS = {
    "1": {"1"}, "9": {"9"}, "low": LOW, "high": HIGH, "*": LOW | HIGH, "[1-5]": {"1", "2", "5"},
    "[2-9]": {"2", "5", "9"}, "{1, 9}": {"1", "9"}, "{2, 5}": {"2", "5"}, "odd": set(),
    "2.0": {"2"}, None: set(),
}  # fmt: skip


@given(st.lists(st.tuples(st.sampled_from("1259"), st.sampled_from(list(CELLS))), min_size=1))
def test_by_the_definition(cells):
    hierarchy = Hierarchy.from_paths(PATHS)
    codes = np.array([hierarchy.code_of[value] for value, _ in cells], dtype=np.int32)
    rows = pa.table({"q": pa.array([text for _, text in cells], pa.string())})
    column = QuasiColumn("q", codes, hierarchy)
    faults = untrue_columns(rows, [column], {"q": ("q",)}, np.arange(len(cells)))
    wrong = {cell for cell in cells if cell[0] not in CELLS[cell[1]]}
    assert bool(faults) == bool(wrong)
    if wrong:
        assert faults[0].problem.startswith(f"{len(wrong)} kind")


@given(st.integers(0, 2**31 - 1))
def test_many_cells_are_read_as_few_are(seed):
    random = np.random.default_rng(seed)
    values = sorted(set(random.integers(0, 10_000, 300).tolist()))
    hierarchy = Hierarchy.from_paths([[str(value), "*"] for value in values])
    codes = random.integers(0, len(values), 5_000).astype(np.int32)
    place = np.array([int(leaf) for leaf in hierarchy.leaves])[codes]
    low = place - random.integers(-1, 30, codes.size)
    high = place + random.integers(-1, 30, codes.size)
    ends = [(values[max(np.searchsorted(values, a, "right") - 1, 0)],
             values[min(np.searchsorted(values, b), len(values) - 1)])
            for a, b in zip(low, high, strict=True)]  # fmt: skip
    rows = pa.table({"q": [f"[{a}-{b}]" for a, b in ends]})
    truth = [a <= p <= b for (a, b), p in zip(ends, place, strict=True)]
    column = QuasiColumn("q", codes, hierarchy)
    faults = untrue_columns(rows, [column], {"q": ("q",)}, np.arange(codes.size))
    assert bool(faults) is not all(truth)
