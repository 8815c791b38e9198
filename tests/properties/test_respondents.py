"""People with several rows and several quasi-identifiers, against brute force over row sets."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.errors import CannotMeetError
from indistinct.methods import METHODS, Problem
from indistinct.model.costs import gcp_cost, weighted_costs
from indistinct.model.table import QuasiSet, Table
from indistinct.requirements import KAnonymity
from tests import build, oracle
from tests import oracle_respondents as brute
from tests.properties.strategies import tables

ONE_ROW_EACH = {"k-optimize"}  # it refuses respondents and several quasi-identifiers
KEEPING = [
    name
    for name, method in METHODS.items()
    if "k-anonymity" in method.keeps and not method.groups_rows and name not in ONE_ROW_EACH
]


@st.composite
def jobs(draw, *, most_rows=8):
    """Rows with one or two quasi-identifiers, each with or without respondents of its own."""
    rows, columns, ladders = draw(tables(most_columns=2, most_rows=most_rows))
    places = tuple(range(len(columns)))
    whose = st.none() | st.lists(st.integers(0, 5), min_size=len(rows), max_size=len(rows))
    sets = [(places, draw(whose))]
    if len(columns) == 2 and draw(st.booleans()):
        sets = [(draw(st.sampled_from([(0,), (0, 1)])), draw(whose)), ((1,), draw(whose))]
    people = min(len(rows) if p is None else len(set(p)) for _, p in sets)
    k = draw(st.integers(2, max(people, 2)))
    limit = draw(st.integers(0, len(rows)))
    return rows, columns, ladders, sets, k, limit, people


def problem_of(rows, columns, ladders, sets, *, k, limit):
    quasi = tuple(build.column(name, rows, ladders[name]) for name in columns)
    groups = tuple(
        QuasiSet(f"set {n}", places, None if people is None else np.array(people, dtype=np.int32))
        for n, (places, people) in enumerate(sets)
    )
    return Problem(
        table=Table(len(rows), quasi, groups),
        requirements=(KAnonymity(k=k),),
        max_suppressed=limit,
        costs=tuple(weighted_costs(column, gcp_cost) for column in quasi),
        suppressed_cell=tuple(column.weight for column in quasi),
    )


def searched(method, job):
    *table, k, limit, people = job
    problem = problem_of(*table, k=k, limit=limit)
    if people < k:
        with pytest.raises(CannotMeetError):
            METHODS[method]().search(problem)
        return None
    return METHODS[method]().search(problem)


@pytest.mark.parametrize("method", ["samarati", "optimal"])
@given(jobs())
def test_methods_find_what_brute_force_finds(method, job):
    rows, columns, ladders, sets, k, limit, _ = job
    found = searched(method, job)
    if found is None:
        return
    kept = brute.kept_by_vector(rows, columns, ladders, sets, k)
    if method == "samarati":
        assert found.levels == brute.lowest(rows, kept, limit)
    else:
        assert found.levels == brute.best(rows, columns, ladders, kept, limit)
    assert set(np.flatnonzero(found.kept)) == kept[found.levels]


@pytest.mark.parametrize("method", ["samarati", "optimal"])
def test_ten_rows_of_six_people_under_two_doctors(method):
    rows = [{"zip": z, "ward": w} for z, w in zip("1112223334", "aabbccaabb", strict=True)]
    ladders = {
        "zip": [["1", "x", "*"], ["2", "x", "*"], ["3", "y", "*"], ["4", "y", "*"]],
        "ward": [["a", "*"], ["b", "*"], ["c", "*"]],
    }
    patients, doctors = [0, 0, 1, 2, 3, 3, 4, 4, 5, 5], [0, 0, 1, 1, 2, 2, 1, 0, 0, 1]
    sets = [((0,), patients), ((1,), doctors)]
    kept = brute.kept_by_vector(rows, ["zip", "ward"], ladders, sets, 2)
    for limit in range(11):
        problem = problem_of(rows, ["zip", "ward"], ladders, sets, k=2, limit=limit)
        found = METHODS[method]().search(problem)
        if method == "samarati":
            expected = brute.lowest(rows, kept, limit)
        else:
            expected = brute.best(rows, ["zip", "ward"], ladders, kept, limit)
        assert found.levels == expected
        assert set(np.flatnonzero(found.kept)) == kept[expected]


@given(jobs())
def test_coarser_levels_keep_what_finer_ones_keep(job):
    """What the search relies on when it leaves a branch."""
    rows, columns, ladders, sets, k, *_ = job
    kept = brute.kept_by_vector(rows, columns, ladders, sets, k)
    for finer in kept:
        for coarser in kept:
            if oracle.below(finer, coarser):
                assert kept[finer] <= kept[coarser]


@given(tables(most_columns=2, most_rows=8), st.integers(2, 4), st.integers(0, 8))
def test_one_row_each_is_counting_rows(table, k, limit):
    rows, columns, ladders = table
    if len(rows) < k:
        return
    each = list(range(len(rows)))
    places = tuple(range(len(columns)))
    for method in ("samarati", "optimal"):
        told = METHODS[method]().search(
            problem_of(rows, columns, ladders, [(places, each)], k=k, limit=limit)
        )
        counted = METHODS[method]().search(build.problem_of(rows, columns, ladders, k, limit))
        assert told.levels == counted.levels
        assert told.kept.tolist() == counted.kept.tolist()


@pytest.mark.parametrize("method", KEEPING)
@given(jobs())
def test_a_release_keeps_every_set_safe(method, job):
    rows, columns, ladders, sets, k, limit, people = job
    limit = min(limit, len(rows) - 1)
    data = {name: [row[name] for row in rows] for name in columns} | {"row": range(len(rows))}
    others = {"row": {"role": "other"}}
    groups = {}
    for number, (places, whose) in enumerate(sets):
        groups[f"s{number}"] = {"columns": [columns[place] for place in places]}
        if whose is not None:
            data[f"who{number}"] = [f"p{person}" for person in whose]
            others[f"who{number}"] = {"role": "respondent"}
            groups[f"s{number}"]["respondent"] = f"who{number}"
    lone = len([who for _, who in sets if who is not None]) == 1 < len(sets)
    if people < k or lone:
        return
    plan = build.plan_of(
        columns,
        ladders,
        k,
        method=method,
        suppression=limit / len(rows),
        others=others,
        sets=groups,
        accept=build.accepted("row"),
    )
    release = anonymize(pa.table({n: list(v) for n, v in data.items()}), plan, keep_order=True)
    chosen = release.rows.column("row").to_pylist()
    published = oracle.generalize(rows, columns, ladders, tuple(release.levels.values()))
    if METHODS[method].takes_rows:  # single cells are starred, so that more rows can stay
        published = [
            tuple("*" if star else cell for cell, star in zip(cells, stars, strict=True))
            for cells, stars in zip(published, release.recoding.starred, strict=True)
        ]
        assert len(chosen) >= len(rows) - limit
    else:
        assert set(chosen) == brute.largest_safe(published, sets, k)
    assert brute.is_safe(chosen, published, sets, k)
    assert release.verified.holds is True
    assert [found.quasi_set for found in release.evidence] == list(groups)
    assert not any(name.startswith("who") for name in release.rows.column_names)
