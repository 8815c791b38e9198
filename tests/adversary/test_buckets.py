"""Buckets: whether who shares a group tells more of who has which value than the group's shares.

The adversary knows the code, the plan but for its seed, everybody's quasi values and how many have
each sensitive value. He looks at every way to deal the values out, and at every order in which rows
may have been drawn.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from dataclasses import replace
from itertools import permutations

import numpy as np
import pyarrow as pa
import pytest

from indistinct.encode.table import encode_table
from indistinct.methods.posing import pose_problem
from indistinct.pipeline import Work
from indistinct.plan import Plan
from indistinct.running.progress import Progress

AGES = [20, 21, 22, 23, 24]
PLAN = Plan.load(
    {
        "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}},
        "require": [{"model": "l-diversity", "l": 2}],
        "method": {"name": "anatomy"},
    }
)


def gain(orders):
    """How much likelier than by the shares of a group somebody has a value, at most."""
    seen, cases, shares = defaultdict(Counter), Counter(), {}
    for ill in sorted(set(permutations("aabbc"))):
        table = encode_table(pa.table({"age": AGES, "ill": list(ill)}), PLAN)
        problem = pose_problem(table, PLAN)
        for order in orders:
            groups = PLAN.method.search(replace(problem, mixed=np.array(order))).groups
            held = [sorted(ill[row] for row in np.flatnonzero(groups == g)) for g in groups]
            release = tuple(zip(groups.tolist(), map(tuple, held), strict=True))
            cases[release] += 1
            shares[release] = held
            seen[release].update(enumerate(ill))
    return max(
        count / cases[release] - shares[release][row].count(value) / len(shares[release][row])
        for release, found in seen.items()
        for (row, value), count in found.items()
    )


def test_drawn_rows_tell_nothing_beyond_the_shares():
    assert gain(list(permutations(range(len(AGES))))) == pytest.approx(0.0)


def test_rows_in_the_order_of_their_quasi_values_would():
    assert gain([range(len(AGES))]) > 0.3


def test_a_release_draws_its_rows():
    data = pa.table({"age": list(range(12)), "ill": list("abcd") * 3})
    found = set()
    for _ in range(5):
        work = Work(PLAN, Progress())
        work.recode(data, keep_order=True)
        groups = work.recoding.groups
        found.add(frozenset(tuple(np.flatnonzero(groups == g)) for g in np.unique(groups)))
    assert len(found) > 1
