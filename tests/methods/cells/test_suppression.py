from __future__ import annotations

import json
from collections import Counter
from itertools import combinations
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indistinct import anonymize, verify
from indistinct.datasets import medical
from indistinct.errors import CannotMeetError, PlanError
from indistinct.methods.cells.suppression import CellSuppression
from indistinct.plan import Plan
from tests import oracle_cells as brute
from tests.methods.cells.small import grouped, star_problem, starred, tables
from tests.methods.partition.battery import check_answer, check_order, check_release
from tests.methods.partition.small import problems
from tests.profiles import examples

GOLDEN = Path(__file__).parents[4] / "shared" / "golden" / "chapter_fig1.json"
K4 = [tuple(int(vertex in edge) for vertex in range(4)) for edge in combinations(range(4), 2)]
ONES = (1, 1, 1, 1)


def harmonic(number):
    return sum(1 / i for i in range(1, number + 1))


def factor(k, algorithm, *, boolean):
    """How far from the optimum an algorithm may be."""
    cover = harmonic(2 * k - 1) * (2 * k - 1) / k
    return {
        "forest": 3 * k - 3,
        "set-cover": cover,
        "set-cover diameter": cover * (2 * k - 2),
        "matching": {2: 1.5 if boolean else 2, 3: 2 if boolean else 3}.get(k),
        "exact": 1,
    }[algorithm]


def options(algorithm):
    name, _, weigh = algorithm.partition(" ")
    return {"algorithm": name, "cover_by": weigh or "stars"}


def optimum(rows, weights, k, **more):
    return brute.least(rows, k, lambda group: brute.stars(group, weights), **more)


def test_the_edges_of_a_complete_graph_need_18_stars():
    rows = K4
    if GOLDEN.exists():
        example = json.loads(GOLDEN.read_text())["cell_suppression"]
        rows = [tuple(row) for row in example["rows"]]
        assert (example["k"], example["optimal_stars"]) == (3, 18)
        assert sorted(rows) == sorted(K4)
    assert optimum(rows, ONES, 3) == 18
    assert starred(rows, ONES, 3, algorithm="exact") == 18
    assert starred(rows, ONES, 3) == 18
    for algorithm in ("forest", "set-cover", "set-cover diameter", "matching"):
        found = starred(rows, ONES, 3, **options(algorithm))
        assert 18 <= found <= 18 * factor(3, algorithm, boolean=True)
    assert 18 <= starred(rows, ONES, 3, algorithm="local") <= 24


@examples(30)
@given(tables(), st.sampled_from([2, 2, 3, 4]), st.integers(0, 2))
def test_exact_is_the_best_of_all_partitions(job, k, limit):
    rows, weights = job
    assume(len(rows) >= k)
    best = optimum(rows, weights, k, may_leave_out=limit, left_out=sum(weights))
    assert starred(rows, weights, k, limit, algorithm="exact") == pytest.approx(best)


@pytest.mark.parametrize("algorithm", ["forest", "set-cover", "set-cover diameter", "matching"])
@pytest.mark.parametrize("values", [2, 4])
@examples(30)
@given(data=st.data())
def test_approximations_are_within_their_proven_factors(algorithm, values, data):
    rows, weights = data.draw(tables(most_values=values, least_rows=4))
    k = data.draw(st.sampled_from([2, 3] if algorithm == "matching" else [2, 3, 4]))
    best = optimum(rows, weights, k)
    found = starred(rows, weights, k, **options(algorithm))
    assert best - 1e-9 <= found <= best * factor(k, algorithm, boolean=values == 2) + 1e-9


@examples(30)
@given(tables(most_rows=9, least_rows=4), st.sampled_from([2, 3]))
def test_local_search_is_no_worse_than_its_start(job, k):
    rows, weights = job
    first, last = (starred(rows, weights, k, algorithm="local", passes=p) for p in (0, 5))
    assert optimum(rows, weights, k) - 1e-9 <= last <= first + 1e-9


@examples(15)
@given(st.integers(0, 10**6), st.integers(2, 6))
def test_groups_of_the_forest_have_at_most_three_k_minus_three_rows(seed, k):
    random = np.random.default_rng(seed)
    sizes = random.integers(1, 5, size=random.integers(1, 6))
    rows = [
        tuple(row) for row in random.integers(0, sizes, size=(random.integers(k, 120), sizes.size))
    ]
    problem = star_problem(rows, (1,) * sizes.size, k)
    parts, out = grouped(CellSuppression(algorithm="forest").search(problem))
    assert not out
    assert all(k <= len(part) <= 3 * k - 3 for part in parts)


@examples(10)
@given(st.integers(0, 10**6), st.integers(2, 5))
def test_the_forest_finds_nearest_rows_the_same_by_hashing_and_by_comparing(seed, k):
    from indistinct.methods.cells import row_forest

    random = np.random.default_rng(seed)
    rows = [tuple(row) for row in random.integers(0, 3, size=(40, 6))]
    problem = star_problem(rows, (1, 1, 2, 1, 1, 3), k)
    search = row_forest._Search(problem)
    count = problem.table.frequency_set.size
    tree = (np.arange(count) // 3).astype(np.int32)
    every = np.arange(count, dtype=np.int32)
    hashed = search.nearest(tree, every)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(row_forest, "MOST_VECTORS", 0)
        compared = search.nearest(tree, every)
    codes = np.stack(problem.table.frequency_set.codes, axis=1)
    weights = np.array([1, 1, 2, 1, 1, 3])

    def far(met):
        assert (tree[met] != tree).all()
        return (codes != codes[met]) @ weights

    assert (far(hashed) == far(compared)).all()


@pytest.mark.parametrize("algorithm", ["auto", "local", "forest", "set-cover"])
@examples(15)
@given(data=st.data())
def test_every_requirement_is_kept(algorithm, data):
    problem = data.draw(problems(most_rows=9, respondents=True))
    method = CellSuppression(algorithm=algorithm)
    check_answer(method, starring(problem))


@examples(15)
@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(problem, random):
    for algorithm in ("local", "forest"):
        check_order(CellSuppression(algorithm=algorithm), starring(problem), random)


@pytest.mark.parametrize("cover_by", ["stars", "diameter"])
def test_a_cover_where_no_k_is_asked(cover_by):
    """Sets of one row, which have no diameter, joined until the requirement holds."""
    plan = census_plan(2, algorithm="set-cover", cover_by=cover_by)
    plan["require"] = [{"model": "l-diversity", "l": 2}]
    assert anonymize(people(12), plan).verified.holds


def starring(problem):
    from dataclasses import replace

    return replace(problem, forms=("star",) * len(problem.table.quasi))


def census_plan(k, **method):
    quasi = {name: {"role": "quasi"} for name in ("a", "b", "c", "d")}
    return {
        "columns": {**quasi, "s": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": k}],
        "method": {"name": "cell-suppression", **method},
    }


def people(rows=400, seed=5):
    random = np.random.default_rng(seed)
    held = {c: [f"{c}{v}" for v in random.integers(0, 5, rows)] for c in "abcd"}
    return pa.table({**held, "s": [f"s{v}" for v in random.integers(0, 6, rows)]})


@pytest.mark.parametrize("algorithm", ["local", "forest"])
def test_a_release_shows_values_or_stars_and_can_be_verified(algorithm):
    table = people()
    release = anonymize(table, census_plan(4, algorithm=algorithm))
    rows = release.rows.select(list("abcd")).to_pylist()
    assert min(Counter(tuple(row.values()) for row in rows).values()) >= 4
    held = [value for row in rows for value in row.values()]
    assert release.recoding.search["stars"] == held.count("*") > 0
    assert release.measures.gcp == pytest.approx(held.count("*") / len(held))
    assert set(release.measures.ncp_form.values()) == {"star"}
    assert release.bound().loss <= release.measures.gcp
    assert release.warnings == ()
    assert "cell-suppression" in release.report()
    originals = Counter(tuple(row.values()) for row in table.select(list("abcds")).to_pylist())
    for row in release.rows.to_pylist():
        assert any(
            all(mine in {"*", its} for mine, its in zip(row.values(), other, strict=True))
            for other in originals
        )
    assert verify(release.rows, census_plan(4)).holds


def test_local_search_on_many_rows_beats_the_forest_and_its_own_start():
    random = np.random.default_rng(4)
    rows = [tuple(row) for row in random.geometric(0.3, size=(2000, 6)).tolist()]
    problem = star_problem(rows, (1,) * 6, 5)
    first, local, forest = (
        CellSuppression(**chosen).search(problem).search["stars"]
        for chosen in ({"algorithm": "local", "passes": 0}, {}, {"algorithm": "forest"})
    )
    assert local < first < forest


def test_other_requirements_and_weights():
    check_release("cell-suppression")
    asked = [{"model": "k-anonymity", "k": 3}, {"model": "t-closeness", "t": 0.5}]
    plan = census_plan(3, algorithm="local") | {"require": asked}
    assert anonymize(people(), plan).verified.holds
    plan["columns"]["a"] = {"role": "quasi", "weight": 20}
    heavy = anonymize(people(), plan).measures.ncp
    assert heavy["a"] < min(heavy[name] for name in "bcd")


def test_many_columns():
    random = np.random.default_rng(2)
    names = [f"c{i}" for i in range(14)]
    table = pa.table({name: [str(v) for v in random.integers(0, 2, 300)] for name in names})
    plan = {
        "columns": {name: {"role": "quasi"} for name in names},
        "require": [{"model": "k-anonymity", "k": 3}],
        "method": {"name": "cell-suppression", "algorithm": "local"},
    }
    found = anonymize(table, plan)
    assert found.verified.holds
    assert found.recoding.search["stars"] <= found.recoding.search["first_stars"]


def test_people_with_several_rows_are_counted_once():
    table = people(200).append_column("who", [[f"p{i // 3}" for i in range(200)]])
    for algorithm in ("local", "forest"):
        plan = census_plan(3, algorithm=algorithm)
        plan["columns"]["who"] = {"role": "respondent"}
        assert anonymize(table, plan).verified.holds


@pytest.mark.parametrize("publish", ["star", "auto"])
def test_other_methods_can_publish_stars(publish):
    quasi = {"role": "quasi", "hierarchy": "flat"}
    plan = {
        "columns": {"zip": quasi, "marital": quasi, "sex": quasi, "disease": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": 3}],
        "method": {"name": "mondrian"},
        "publish": publish,
    }
    plan["columns"]["zip"] = {"role": "quasi", "hierarchy": {"mask": "right"}, "publish": "star"}
    release = anonymize(medical(), plan)
    values = set(release.rows["zip"].to_pylist())
    assert "*" in values
    assert values <= {"*", "22030", "22032", "22045", "22047"}
    assert release.measures.ncp_form["zip"] == "star"


def test_a_column_of_very_many_values_is_starred_only_where_it_differs():
    values = [f"v{i // 4:04}" for i in range(4 * 700)]
    table = pa.table({"a": values, "b": [str(i % 2) for i in range(len(values))]})
    plan = {
        "columns": {"a": {"role": "quasi"}, "b": {"role": "quasi", "weight": 0.1}},
        "require": [{"model": "k-anonymity", "k": 4}],
        "method": {"name": "cell-suppression"},
    }
    for method in ("local", "forest"):
        plan["method"]["algorithm"] = method
        assert anonymize(table, plan).measures.ncp == {"a": 0.0, "b": 1.0}
    plan |= {"method": {"name": "best"}, "publish": "star"}
    best = anonymize(table, plan).measures.ncp["a"]
    assert best <= 1 - 511 / 700


def wide(rows):
    random = np.random.default_rng(3)
    table = people(rows)
    for name in "efgh":
        table = table.append_column(name, [[str(v) for v in random.integers(0, 3, rows)]])
    return table


WRONG = [
    ({"algorithm": "matching"}, 4, {}, "for k = 2 and k = 3"),
    ({"algorithm": "matching"}, 2, {}, "compares all pairs"),
    ({"algorithm": "set-cover"}, 3, {}, "looks at all sets"),
    ({"algorithm": "exact"}, 3, {}, "small tables"),
    ({"algorithm": "exact"}, 3, {"model": "l-diversity", "l": 2}, "only for k-anonymity"),
]


@pytest.mark.parametrize(("method", "k", "more", "told"), WRONG)
def test_what_an_algorithm_is_not_made_for_is_refused(method, k, more, told):
    plan = census_plan(k, **method)
    plan["columns"] |= {name: {"role": "quasi"} for name in "efgh"}
    plan["require"] += [more] if more else []
    with pytest.raises(PlanError, match=told) as refusal:
        anonymize(wide(2000), plan)
    assert "method.algorithm" in str(refusal.value)
    assert "local" in str(refusal.value)


def test_plans_that_contradict_themselves_are_refused_with_all_reasons():
    plan = census_plan(3) | {"publish": "node"}
    plan["columns"]["a"] = {"role": "quasi", "publish": "range"}
    with pytest.raises(PlanError) as refusal:
        Plan.load(plan)
    told = str(refusal.value)
    assert 'publish: method \'cell-suppression\' publishes cells as "star", not as "node"' in told
    assert "columns.a.publish" in told


def test_too_few_rows_cannot_be_met():
    with pytest.raises(CannotMeetError):
        anonymize(people(3), census_plan(4))
