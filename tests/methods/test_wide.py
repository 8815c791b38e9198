"""Very many quasi columns: refused with what to use instead, or done; never endless."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from indistinct import Plan
from indistinct.encode.table import encode_table
from indistinct.errors import PlanError
from indistinct.methods.posing import pose_problem


def posed(columns, method, rows=20):
    random = np.random.default_rng(1)
    names = [f"q{number}" for number in range(columns)]
    data = pa.table({name: random.integers(0, 2, rows).astype(str) for name in names})
    plan = Plan.load(
        {
            "columns": {name: {"role": "quasi", "hierarchy": "flat"} for name in names},
            "require": [{"model": "k-anonymity", "k": 2}],
            "method": {"name": method},
        }
    )
    return plan.method, pose_problem(encode_table(data, plan), plan)


@pytest.mark.parametrize(
    "name", ["optimal", "samarati", "mingen", "incognito", "k-optimize", "local-recoding"]
)
def test_a_search_of_levels_refuses_columns_without_number_and_names_another(name):
    method, problem = posed(1000, name)
    with pytest.raises(PlanError, match=r"(?s)method.name: .*best"):
        method.search(problem)


@pytest.mark.parametrize("name", ["samarati", "mingen"])
def test_a_search_without_a_time_limit_refuses_vectors_without_number(name):
    method, problem = posed(60, name)
    with pytest.raises(PlanError, match=r"10\^18 level vectors"):
        method.search(problem)


def test_columns_of_one_rank_are_not_combined():
    method, problem = posed(1000, "mu-argus")
    assert method.search(problem).search["combinations_tested"] <= 1000
