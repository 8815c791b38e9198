"""The check of counted rows: the same verdict as of the rows that they stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.check.detail import Detail, held_by
from indistinct.check.of_plan import check_rows
from indistinct.check.rows import ValueFacts, verify_rows
from indistinct.check.truth import changed_groups
from indistinct.errors import DataError
from indistinct.hierarchy import Domain
from indistinct.hierarchy.spec import Intervals
from indistinct.plan import Plan
from tests.counted import repeated, weights_of
from tests.requirements.strategies import FORMS, column_of, requirements, sensitive_columns
from tests.requirements.test_verifying import requirement_of
from tests.risk.test_counted import same

CELLS = st.sampled_from(["a", "b", "*", None])


def told(verified):
    return {
        "evidence": [evidence.as_json() for evidence in verified.evidence],
        "sizes": verified.class_sizes.tolist(),
        "rows": [verified.released_rows, verified.blank_rows],
        "limits": [limit.as_json() for limit in verified.limits],
        "untold": list(verified.untold),
    }


@pytest.mark.parametrize("form", FORMS)
@given(data=st.data())
def test_every_requirement(form, data):
    sensitive = data.draw(sensitive_columns())
    row = st.tuples(
        CELLS, CELLS, st.sampled_from(sensitive.values), st.integers(0, 3), st.booleans()
    )
    rows = data.draw(st.lists(row, min_size=1, max_size=8))
    counts = data.draw(weights_of(len(rows)))
    x, y, s, who, out = zip(*rows, strict=True)
    table = pa.table({n: pa.array(c, pa.string()) for n, c in (("x", x), ("y", y), ("s", s))})
    sets = {"both": ["x", "y"], "one": ["y"]}
    people = {"both": np.array(who)} if data.draw(st.booleans()) else {}
    column = column_of(sensitive)
    facts = {"s": ValueFacts(sensitive.values, column.shares, column.levels)}
    if people or data.draw(st.booleans()):
        facts = {"s": replace(facts["s"], shares=None)}
    asked = [requirement_of(data.draw(requirements(form, sensitive.values)))]
    blank = np.array(out)
    times = np.repeat(np.arange(len(rows)), counts)
    one = verify_rows(table, asked, sets, people, facts, counts=counts, blank=blank)
    two = verify_rows(
        table.take(pa.array(times)),
        asked,
        sets,
        {name: whose[times] for name, whose in people.items()},
        facts,
        blank=blank[times],
    )
    same(told(one), told(two))


PLANS = [
    {"suppressed": "drop"},
    {"suppressed": "blank"},
    {"suppressed": "blank", "limits": {"suppression": 0.3}},
]


@given(st.data())
def test_a_release_by_its_plan(data):
    only_quasi = data.draw(st.booleans())
    columns = {"x": {"role": "quasi", "hierarchy": "flat"}}
    needs = [{"model": "k-anonymity", "k": data.draw(st.integers(2, 3))}]
    cells = {"x": CELLS}
    if not only_quasi:
        columns["s"] = {"role": "sensitive"}
        needs.append({"model": "t-closeness", "t": 0.4})
        cells["s"] = st.sampled_from(["10", "20", "*"])
    parts = data.draw(st.sampled_from(PLANS))
    plan = Plan.model_validate({"columns": columns, "require": needs, **parts})
    size = data.draw(st.integers(1, 7))
    each = {"min_size": size, "max_size": size}
    rows = pa.table({
        n: pa.array(data.draw(st.lists(c, **each)), pa.string()) for n, c in cells.items()
    })  # fmt: skip
    counts = data.draw(weights_of(size))
    suppressed = data.draw(st.none() | st.integers(0, 9))
    one = check_rows(rows, plan, suppressed, counts=counts)
    two = check_rows(repeated(rows, counts), plan, suppressed)
    sizes = [sorted(verified.class_sizes.tolist()) for verified in (one, two)]
    assert sizes[0] == sizes[1]
    one, two = told(one), told(two)
    for part in [*one["evidence"], *two["evidence"]]:
        del part["worst_class"]  # of several, any
    same({**one, "sizes": 0}, {**two, "sizes": 0})


def test_some_of_the_rows_that_are_alike_may_be_blanks():
    plan = Plan.model_validate(
        {
            "columns": {"x": {"role": "quasi", "hierarchy": "flat"}},
            "require": [{"model": "k-anonymity", "k": 2}],
            "suppressed": "blank",
            "limits": {"suppression": 0.5},
        }
    )
    rows, counts = pa.table({"x": ["*", "a", "*"]}), np.array([3, 2, 4])
    verified = check_rows(rows, plan, 5, counts=counts)
    assert (verified.released_rows, verified.blank_rows) == (4, 5)
    assert sorted(verified.class_sizes.tolist()) == [2, 2]


def test_matched_rows_are_checked_one_by_one():
    plan = Plan.model_validate(
        {
            "columns": {"x": {"role": "quasi", "hierarchy": "flat"}},
            "require": [{"model": "k-anonymity", "k": 2}],
            "method": {"name": "freeform"},
        }
    )
    with pytest.raises(DataError, match="checked row by row"):
        check_rows(pa.table({"x": ["a"]}), plan, counts=np.array([2]))


@given(
    st.lists(st.sampled_from(["17", "20", "23", "31", "38", "91"]), min_size=1, max_size=8),
    st.integers(1, 5),
    st.data(),
)
def test_who_has_what_is_shown(values, k, data):
    counts = data.draw(weights_of(len(values)))
    hierarchy = Intervals(intervals=[5, 10]).build(Domain.of(values), place="x", base=None)
    column = pa.chunked_array([pa.array(values)])
    long = pa.chunked_array([pa.array(np.repeat(values, counts))])
    one = Detail(hierarchy, lambda: held_by(column, "x", k, weights=counts))
    two = Detail(hierarchy, lambda: held_by(long, "x", k))
    texts = [*values, "[17-20]", "[20-39]", "[23-39]", "[20-99]", "{17, 20}", "<=31", ">=20"]
    assert one.too_fine(texts) == two.too_fine(texts)


@given(st.lists(st.tuples(st.integers(0, 1), st.sampled_from("ab")), min_size=1, max_size=6))
def test_values_are_as_often_in_a_group_as_they_were(rows):
    group, value = zip(*rows, strict=True)
    private = pa.table({"v": list(value)})
    numbers = pa.chunked_array([list(group)])
    kinds = sorted(set(rows))
    counts = np.array([rows.count(kind) for kind in kinds])
    published = pa.table({"g": [g for g, _ in kinds], "v": [v for _, v in kinds]})
    args = (published, private, "g", numbers, ["v"])
    assert not changed_groups(*args, counts=(counts, None))
    counts[0] += 1
    assert changed_groups(*args, counts=(counts, None))
    twice = np.full(len(rows), 2)
    assert not changed_groups(
        *args, counts=((counts - np.eye(1, counts.size, dtype=int)[0]) * 2, twice)
    )
