from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.datasets import medical, medical_ladders
from indistinct.errors import PlanError
from indistinct.methods.cells.generalization import CellGeneralization
from indistinct.model.costs import gcp_cost, precision_cost, weighted_costs
from tests import oracle_cells as brute
from tests.build import problem_of
from tests.methods.cells.small import grouped, weighed
from tests.methods.partition.battery import check_answer, check_order, check_release
from tests.methods.partition.small import problems
from tests.profiles import examples
from tests.properties.strategies import tables


def steps_of(job):
    """The cost of a group by the definition, and its rows as tuples."""
    rows, names, ladders = job
    paths = [{path[0]: path for path in ladders[name]} for name in names]
    held = [tuple(row[name] for name in names) for row in rows]
    return held, lambda group: brute.steps(group, paths, (1,) * len(names))


def found_cost(found, held, cost):
    parts, out = grouped(found)
    assert not out
    return sum(len(part) * cost([held[i] for i in part]) for part in parts)


def precise(job, k):
    problem = problem_of(*job, k, 0)
    return weighed(problem, problem.table.quasi)


@examples(30)
@given(tables(most_rows=8), st.sampled_from([2, 3]))
def test_exact_is_the_best_of_all_partitions(job, k):
    assume(len(job[0]) >= k)
    held, cost = steps_of(job)
    best = brute.least(held, k, cost)
    found = CellGeneralization(algorithm="exact").search(precise(job, k))
    assert float(found_cost(found, held, cost)) == pytest.approx(float(best))


@examples(30)
@given(tables(most_rows=9), st.sampled_from([2, 3, 4]))
def test_the_forest_is_within_its_factor(job, k):
    assume(len(job[0]) >= k)
    held, cost = steps_of(job)
    found = CellGeneralization(algorithm="forest").search(precise(job, k))
    parts, _ = grouped(found)
    assert all(k <= len(part) <= 3 * k - 3 for part in parts)
    best = brute.least(held, k, cost)
    assert best <= found_cost(found, held, cost) <= (3 * k - 3) * best


@examples(20)
@given(tables(most_rows=9), st.sampled_from([2, 3]))
def test_local_search_is_no_better_than_the_optimum(job, k):
    assume(len(job[0]) >= k)
    held, cost = steps_of(job)
    found = CellGeneralization(algorithm="local").search(precise(job, k))
    assert brute.least(held, k, cost) <= found_cost(found, held, cost)


@pytest.mark.parametrize("algorithm", ["auto", "local", "forest"])
@examples(15)
@given(data=st.data())
def test_every_requirement_is_kept(algorithm, data):
    problem = data.draw(problems(most_rows=9, respondents=True))
    check_answer(CellGeneralization(algorithm=algorithm), problem)


@examples(15)
@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_rows_changes_nothing(problem, random):
    check_order(CellGeneralization(algorithm="forest"), problem, random)


def medical_plan(**method):
    columns = {
        name: {"role": "quasi", "hierarchy": {"paths": paths}}
        for name, paths in medical_ladders().items()
    }
    return {
        "columns": {**columns, "disease": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": 3}],
        "method": {"name": "cell-generalization", **method},
    }


@pytest.mark.parametrize("algorithm", ["auto", "local", "forest", "exact"])
def test_each_cell_is_the_lowest_node_above_its_group(algorithm):
    release = anonymize(medical(), medical_plan(algorithm=algorithm))
    assert release.verified.holds
    assert set(release.measures.ncp_form.values()) == {"node"}
    known = {
        name: {label for p in paths for label in p} for name, paths in medical_ladders().items()
    }
    for row in release.rows.to_pylist():
        assert all(row[name] in labels for name, labels in known.items())
    sizes = Counter(tuple(row[name] for name in known) for row in release.rows.to_pylist())
    assert min(sizes.values()) >= 3


def test_what_is_minimized_is_the_loss_of_the_plan():
    rows = [{"c": value} for value in "aabbcd"]
    ladders = {"c": [["a", "x", "*"], ["b", "y", "*"], ["c", "y", "*"], ["d", "y", "*"]]}
    costs = {}
    for name, cost in {"gcp": gcp_cost, "precision": precision_cost}.items():
        problem = problem_of(rows, ["c"], ladders, 2, 0)
        column = problem.table.quasi[0]
        found = CellGeneralization(algorithm="exact").search(
            weighed(problem, (column,)) if name == "precision" else problem
        )
        nodes = weighted_costs(column, cost)
        parts, _ = grouped(found)
        costs[name] = sum(len(part) * (len({rows[i]["c"] for i in part}) > 1) for part in parts)
        assert nodes[0].sum() == 0
    assert costs == {"gcp": 2, "precision": 2}


def test_a_column_may_be_starred_and_other_forms_are_refused():
    check_release("cell-generalization")
    plan = medical_plan(algorithm="local")
    plan["columns"]["zip"] = {**plan["columns"]["zip"], "publish": "star"}
    release = anonymize(medical(), plan)
    assert release.measures.ncp_form == {"zip": "star", "marital": "node", "sex": "node"}
    assert all(len(value) in {1, 5} for value in release.rows["zip"].to_pylist())
    plan["columns"]["zip"]["publish"] = "set"
    with pytest.raises(PlanError, match='"node" or "star"'):
        anonymize(medical(), plan)
