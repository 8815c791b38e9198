"""levels-and-stars: the fewest stars at given levels, levels by brute force, and what it keeps."""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize, verify
from indistinct.datasets import medical, medical_plan
from indistinct.errors import CannotMeetError, PlanError
from indistinct.methods.cells.level_choice import FEW_VECTORS, LevelChoice
from indistinct.methods.cells.levels_and_stars import LevelsAndStars
from indistinct.methods.cells.masks import FEW_COLUMNS, Masks, Patterns, least_prices
from indistinct.methods.common.deadline import Deadline
from indistinct.model.costs import gcp_cost, weighted_costs
from tests import oracle
from tests import oracle_cells as brute
from tests.build import problem_of
from tests.profiles import examples
from tests.properties.strategies import tables

WEIGHTS = [(1, 1, 1), (2, 1, 3), (0.5, 0, 4)]
SOME = examples(25)


@st.composite
def jobs(draw, *, most_rows=7):
    """Rows, column names, ladders, weights, k and how many rows may be left out."""
    rows, names, ladders = draw(tables(most_columns=3, most_rows=most_rows))
    k = draw(st.integers(2, min(4, len(rows))))
    weights = draw(st.sampled_from(WEIGHTS))[: len(names)]
    return rows, names, ladders, weights, k, draw(st.sampled_from([0, 0, 1, 2]))


def posed(job):
    rows, names, ladders, weights, k, limit = job
    problem = problem_of(rows, names, ladders, k, limit)
    quasi = tuple(
        replace(column, weight=float(weight))
        for column, weight in zip(problem.table.quasi, weights, strict=True)
    )
    return replace(
        problem,
        table=replace(problem.table, quasi=quasi),
        costs=tuple(weighted_costs(column, gcp_cost) for column in quasi),
        suppressed_cell=tuple(map(float, weights)),
    )


def published(job, found):
    """What is released of each row, from the recoding and the ladders alone; None if nothing."""
    rows, names, ladders, *_ = job
    cells = oracle.generalize(rows, names, ladders, found.levels)
    return [
        tuple("*" if star else cell for cell, star in zip(row, stars, strict=True))
        if kept
        else None
        for row, stars, kept in zip(cells, found.starred, found.kept, strict=True)
    ]


def check_classes(job, found):
    """Every class, a star being a value of its own, has k rows; few enough rows are left out."""
    *_, k, limit = job
    released = published(job, found)
    assert released.count(None) <= limit
    assert all(size >= k for row, size in Counter(released).items() if row is not None)


def fewest(job, vector):
    """The least that stars at a vector cost, a row left out costing all of them."""
    rows, names, ladders, weights, k, limit = job
    cells = oracle.generalize(rows, names, ladders, vector)
    return brute.least(
        cells, k, lambda group: brute.stars(group, weights),
        may_leave_out=limit, left_out=sum(weights),
    )  # fmt: skip


def star_cost(job, found):
    weights = job[3]
    out = np.count_nonzero(~found.kept) * sum(weights)
    return float(found.starred.sum(axis=0) @ np.array(weights)) + out


def fixed(job, vector):
    return dict(zip(job[1], vector, strict=True))


@SOME
@given(jobs(), st.data())
def test_exact_stars_the_fewest_cells_at_given_levels(job, data):
    vector = data.draw(st.sampled_from(oracle.vectors(job[1], job[2])))
    found = LevelsAndStars(levels=fixed(job, vector), algorithm="exact").search(posed(job))
    assert found.levels == vector
    check_classes(job, found)
    assert star_cost(job, found) == pytest.approx(fewest(job, vector))
    assert found.search["proven"]


@SOME
@given(jobs(), st.data())
def test_forest_is_within_its_factor_and_all_keep_k(job, data):
    *_, k, _ = job
    vector = data.draw(st.sampled_from(oracle.vectors(job[1], job[2])))
    least = fewest((*job[:5], 0), vector)
    for algorithm in ("forest", "local"):
        method = LevelsAndStars(levels=fixed(job, vector), algorithm=algorithm)
        found = method.search(posed((*job[:5], 0)))
        check_classes((*job[:5], 0), found)
        assert star_cost(job, found) >= least - 1e-9
        if algorithm == "forest":
            assert star_cost(job, found) <= (3 * k - 3) * least + 1e-9


@SOME
@given(jobs(), st.data())
def test_no_release_has_stars_below_the_bound(job, data):
    """Rows that are left out have no stars, so that they are taken off the bound."""
    *_, limit = job
    vector = data.draw(st.sampled_from(oracle.vectors(job[1], job[2])))
    method = LevelsAndStars(levels=fixed(job, vector), algorithm="exact")
    found = method.search(posed(job))
    bound = found.search["star_cost_at_least"]
    assert bound <= found.search["star_cost"] + 1e-9
    if limit == 0:
        assert bound <= fewest(job, vector) + 1e-9


def test_the_bound_is_met_where_rows_lack_one_value():
    """Four rows alike but for one: two pairs that need a star each, and the bound says so."""
    rows = [{"a": a, "b": b} for a, b in ("xp", "xq", "yp", "yq", "zp", "zp")]
    ladders = {"a": [[v, "*"] for v in "xyz"], "b": [[v, "*"] for v in "pq"]}
    job = (rows, ["a", "b"], ladders, (1, 1), 2, 0)
    found = LevelsAndStars(levels={"a": 0, "b": 0}).search(posed(job))
    assert (found.search["star_cost"], found.search["star_cost_at_least"]) == (4, 4)


def lost(job, found):
    """What a release loses: NCP of nodes times weights, a starred or suppressed cell all of it."""
    rows, names, ladders, weights, *_ = job
    total = 0.0
    for row, stars, kept in zip(rows, found.starred, found.kept, strict=True):
        for name, level, star, weight in zip(names, found.levels, stars, weights, strict=True):
            whole = star or not kept
            total += weight * (1 if whole else oracle.node_ncp(ladders, name, row[name], level))
    return float(total)


@SOME
@given(jobs(most_rows=6))
def test_small_tables_are_starred_at_the_levels_that_lose_least(job):
    """No vector does better when it is starred by itself, least of all without any star."""
    found = LevelsAndStars().search(posed(job))
    check_classes(job, found)
    least = lost(job, found)
    vectors = oracle.vectors(job[1], job[2])
    assert len(vectors) <= FEW_VECTORS
    each = [LevelsAndStars(levels=fixed(job, vector)).search(posed(job)) for vector in vectors]
    assert least == pytest.approx(min(lost(job, other) for other in each))


def wide_job(columns, size=60):
    drawn = np.random.default_rng(5)
    names = [f"c{i}" for i in range(columns)]
    values = drawn.integers(0, 8, (size, columns))
    rows = [dict(zip(names, map(str, row), strict=True)) for row in values]
    ladders = {name: [[str(v), f"from {v // 2 * 2}", "*"] for v in range(8)] for name in names}
    return rows, names, ladders, (1.0,) * columns, 3, 0


@pytest.mark.parametrize("columns", [4, FEW_COLUMNS + 1])
def test_larger_tables_climb_to_levels_that_lose_less_than_none(columns):
    job = wide_job(columns)
    found = LevelsAndStars(passes=1).search(posed(job))
    check_classes(job, found)
    assert found.search["algorithm"] == "local"
    assert found.search["vectors_starred"] > 1
    ground = LevelsAndStars(passes=1, levels=fixed(job, (0,) * columns)).search(posed(job))
    assert lost(job, found) < lost(job, ground)
    assert 0 < found.search["star_cost_at_least"] <= found.search["star_cost"]


def test_what_all_cells_cost_at_a_vector_bounds_what_it_loses():
    job = wide_job(3, size=20)
    choice = LevelChoice(posed(job))
    for vector in product(range(3), repeat=3):
        found = LevelsAndStars(levels=fixed(job, vector)).search(posed(job))
        assert choice.floor(vector) <= lost(job, found) + 1e-9


@pytest.mark.parametrize("columns", [3, FEW_COLUMNS + 2])
def test_prices_by_definition_and_when_time_is_over(columns):
    rows, names, _, weights, k, _ = wide_job(columns, size=12)
    table = np.array([[int(row[name]) for name in names] for row in rows], dtype=np.int32)
    masks = Masks.of(np.array(weights))
    patterns = Patterns(list(table.T), np.ones(len(rows), dtype=np.int64))
    prices = least_prices(patterns, masks, k, Deadline(None))
    for row, price in zip(table[patterns.rows], prices, strict=True):
        shared = [sum((row != other)[mask].sum() == (row != other).sum() for other in table)
                  for mask in masks.starred]  # fmt: skip
        true = (
            min(p for p, held in zip(masks.prices, shared, strict=True) if held >= k)
            if (max(shared) >= k)
            else masks.beyond
        )
        assert price == min(true, masks.beyond)
    assert (least_prices(patterns, masks, k, Deadline(0.0)) == 0).all()


def test_the_published_table_is_k_anonymous_as_published():
    """Zip codes at level 1; the check counts a star as a value of its own, and so does verify."""
    plan = medical_plan(method={"name": "levels-and-stars", "levels": {"zip": 1}})
    release = anonymize(medical(), plan)
    cells = [(row["zip"], row["marital"], row["sex"]) for row in release.rows.to_pylist()]
    assert min(Counter(cells).values()) >= 3
    assert {zip_code for zip_code, _, _ in cells} <= {"2203*", "2204*", "*"}
    assert sum(row.count("*") for row in cells) == release.recoding.search["stars"]
    assert verify(release.frame, plan).evidence[0].measured == release.evidence[0].measured


def test_dear_columns_are_starred_last():
    data = pa.table({"a": list("xxyy"), "b": list("pqpq")})
    for dear, cheap in ("ab", "ba"):
        columns = {name: {"role": "quasi", "hierarchy": "flat"} for name in "ab"}
        columns[dear]["weight"] = 5
        method = {"name": "levels-and-stars", "levels": {"a": 0, "b": 0}}
        plan = {"columns": columns, "require": [{"model": "k-anonymity", "k": 2}], "method": method}
        rows = anonymize(data, plan).rows
        assert set(rows[cheap].to_pylist()) == {"*"}
        assert "*" not in rows[dear].to_pylist()


@pytest.mark.parametrize(
    "asked",
    [{"model": "l-diversity", "l": 2}, {"model": "l-diversity", "kind": "frequency", "l": 1.5}],
)
@pytest.mark.parametrize("algorithm", ["auto", "forest"])
def test_sensitive_values_and_people_with_several_rows(asked, algorithm):
    drawn = np.random.default_rng(3)
    size = 40
    data = pa.table({
        "a": drawn.choice(list("uvwx"), size), "b": drawn.choice(list("pqr"), size),
        "ill": drawn.choice(["flu", "gout", "none"], size), "who": drawn.integers(0, 30, size),
    })  # fmt: skip
    columns = {name: {"role": "quasi", "hierarchy": "flat"} for name in "ab"}
    columns |= {"ill": {"role": "sensitive"}, "who": {"role": "respondent"}}
    plan = {
        "columns": columns,
        "require": [{"model": "k-anonymity", "k": 3}, asked],
        "method": {"name": "levels-and-stars", "algorithm": algorithm},
    }
    release = anonymize(data, plan, keep_order=True)
    people = defaultdict(set)
    for row, who in zip(release.rows.to_pylist(), data["who"].to_pylist(), strict=True):
        people[row["a"], row["b"]].add(who)
    assert min(map(len, people.values())) >= 3
    assert all(evidence.holds for evidence in release.evidence)


def test_options_that_name_what_is_not_there():
    for levels, told in [({"zap": 1}, "no quasi column 'zap'"), ({"zip": 9}, "no level 9")]:
        plan = medical_plan(method={"name": "levels-and-stars", "levels": levels})
        with pytest.raises(PlanError, match=told):
            anonymize(medical(), plan)
    plan = medical_plan(method={"name": "levels-and-stars"})
    with pytest.raises(CannotMeetError, match="only 10 respondents"):
        anonymize(medical(), plan | {"require": [{"model": "k-anonymity", "k": 11}]})
