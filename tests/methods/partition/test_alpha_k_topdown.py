"""alpha-k-topdown: the battery, and what is its own."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from indistinct.encode.table import encode_table
from indistinct.methods.partition.alpha_k_topdown import AlphaKTopDown, _Specializing
from indistinct.methods.posing import pose_problem
from indistinct.plan import Plan
from tests.methods.partition.battery import check_answer, check_order, check_release
from tests.methods.partition.small import problems


@given(problems(respondents=True))
def test_groups_cover_each_row_once_and_satisfy(problem):
    check_answer(AlphaKTopDown(), problem)


@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(problem, random):
    check_order(AlphaKTopDown(), problem, random)


def test_through_the_front_door():
    check_release("alpha-k-topdown")


def test_values_that_are_not_watched_may_have_any_share():
    """Eight of nine rows have a value that nobody watches: they lack nothing; two of hiv lack one.

    Counting any value, they would lack seven rows, which children give back for nothing.
    """
    rows = [{"q": "x", "ill": ill} for ill in ["none"] * 8 + ["hiv", "hiv"]]
    asked = {"model": "alpha-k", "alpha": 0.4, "k": 2, "values": ["hiv"]}
    plan = Plan.load({
        "columns": {"q": {"role": "quasi", "hierarchy": "flat"}, "ill": {"role": "sensitive"}},
        "require": [asked],
    })  # fmt: skip
    problem = pose_problem(encode_table(pa.Table.from_pylist(rows), plan), plan)
    lacking = _Specializing(problem)._lacking
    assert lacking(np.arange(9)) <= 0
    assert lacking(np.array([0, 1, 8, 9])) == 1
    assert lacking(np.array([8, 9])) == 3
