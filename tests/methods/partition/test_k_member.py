"""k-member: the battery, and what is its own."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from indistinct.methods.partition.k_member import KMember
from tests.methods.partition.battery import check_answer, check_order, check_release
from tests.methods.partition.small import problems


@given(problems(respondents=True))
def test_groups_cover_each_row_once_and_satisfy(problem):
    check_answer(KMember(), problem)


@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(problem, random):
    check_order(KMember(), problem, random)


def test_through_the_front_door():
    check_release("k-member")
