"""local-recoding: the battery, and what is its own."""

from __future__ import annotations

from collections import Counter
from itertools import product
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.methods.common.deadline import Deadline
from indistinct.methods.common.groups import cost_of
from indistinct.methods.partition.cutting import cut_where_cheaper
from indistinct.methods.partition.local_recoding import LocalRecoding
from indistinct.methods.partition.rounds import Memory, Rounds, part_of
from indistinct.requirements import KAnonymity
from tests.methods.partition.battery import check_answer, check_order, check_release
from tests.methods.partition.small import fine, members, problem_of, problems
from tests.profiles import examples


@given(problems(respondents=True))
def test_groups_cover_each_row_once_and_satisfy(problem):
    check_answer(LocalRecoding(), problem)


@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(problem, random):
    check_order(LocalRecoding(), problem, random)


def test_through_the_front_door():
    check_release("local-recoding")


def gained(part, vector, k):
    """What a vector gains by brute force: rows in classes of k that are worth what they cost."""
    worth, gain = sum(part.suppressed_cell), 0.0
    nodes = [
        column.hierarchy.nodes[level][column.codes]
        for column, level in zip(part.table.quasi, vector, strict=True)
    ]
    for line, rows in Counter(zip(*(each.tolist() for each in nodes), strict=True)).items():
        cost = sum(
            part.costs[place][level][node]
            for place, (level, node) in enumerate(zip(vector, line, strict=True))
        )
        if rows >= k and cost <= worth:
            gain += rows * (worth - cost)
    return gain


@given(
    st.lists(st.tuples(*[st.integers(0, 3)] * 3), min_size=4, max_size=25),
    st.sampled_from([2, 3]),
    st.sampled_from([0.2, 0.4, 0.8]),
)
@examples(40)
def test_every_round_finds_a_vector_that_gains_most(rows, k, worth):
    problem = problem_of(rows, [4] * 3, (KAnonymity(k=k),), [0] * len(rows))
    rounds, memory, left = Rounds(problem), Memory({}, inf), np.arange(len(rows))
    while left.size >= k:
        part = part_of(problem, left, worth)
        vector = rounds.fit(part, memory, Deadline(None))
        lattice = product(*(range(height + 1) for height in part.table.heights))
        most = max(gained(part, each, k) for each in lattice)
        if vector is None:
            assert most == pytest.approx(0)
            break
        assert gained(part, vector.levels, k) == pytest.approx(most)
        left = left[~vector.kept]


@given(problems())
def test_cuts_satisfy_and_never_cost_more(problem):
    whole = np.zeros(problem.table.rows, dtype=np.int32)
    if not fine(problem, list(range(problem.table.rows))):
        return
    groups = cut_where_cheaper(problem, whole, Deadline(None))
    assert cost_of(problem, groups) <= cost_of(problem, whole) + 1e-9
    for number in range(int(groups.max()) + 1):
        assert fine(problem, np.flatnonzero(groups == number).tolist())


@pytest.mark.parametrize("limit", [None, 1e-9])
def test_many_columns_never_end_in_one_class(limit):
    draw = np.random.default_rng(1)
    rows = [tuple(line) for line in draw.integers(0, 4, (200, 30)).tolist()]
    problem = problem_of(rows, [4] * 30, (KAnonymity(k=5),), [0] * len(rows))
    assert len(members(LocalRecoding(time_limit=limit).search(problem))) > 10
