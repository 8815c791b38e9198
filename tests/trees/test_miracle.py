"""MiRaCle: every published record is one of k alike, and says nothing that was not so."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import CannotMeetError
from indistinct.trees.knowledge import Knowledge
from indistinct.trees.methods.base import TreeProblem
from indistinct.trees.methods.miracle import MiRaCle
from tests.profiles import examples
from tests.trees.growing import CARE, CARE_BELOW, CARE_VALUES, care, records, sets_of, truthful


def solve(listed, k, **options):
    forest, hierarchies = care(listed)
    weights = np.ones(len(CARE))
    problem = TreeProblem(forest, hierarchies, Knowledge(k, 2, 1), weights)
    return forest, MiRaCle(**options).search(problem).forest


@examples(60)
@given(
    records(CARE_BELOW, CARE_VALUES, max_size=12),
    st.integers(1, 4),
    st.integers(1, 4),
    st.sampled_from([0.0, 0.1, 0.5, 1.0]),
)
def test_each_record_is_one_of_k_alike_and_truthful(listed, k, climit, threshold):
    if 0 < len(listed) < k:
        with pytest.raises(CannotMeetError, match=f"cannot be made {k} alike"):
            solve(listed, k, climit=climit, threshold=threshold)
        return
    forest, found = solve(listed, k, climit=climit, threshold=threshold)
    assert found.size == forest.size
    assert min(Counter(sets_of(found)).values(), default=k) >= k
    for original, published in zip(forest.records(), found.records(), strict=True):
        assert truthful(original, published)


@examples(20)
@given(records(CARE_BELOW, CARE_VALUES, max_size=8), st.randoms(use_true_random=False))
def test_the_order_of_records_does_not_matter(listed, random):
    order = list(range(len(listed)))
    random.shuffle(order)
    _, found = solve(listed, 1, climit=2)
    _, other = solve([listed[place] for place in order], 1, climit=2)
    assert Counter(sets_of(found)) == Counter(sets_of(other))


def test_records_that_are_alike_lose_nothing():
    record = [("hospital", "H1", [("disease", "Flu", [("treatment", "Rest", [])])])]
    other = [("hospital", "H3", [("disease", "Gastritis", [])])]
    forest, found = solve([record, other] * 5, 5)
    assert sets_of(found) == sets_of(forest)


def test_a_node_without_counterpart_goes_with_all_below_it():
    deep = [("disease", "Flu", [("treatment", "Rest", [])])]
    both = [("hospital", "H1", []), ("hospital", "H3", deep)]
    one = [("hospital", "H2", [])]
    _, found = solve([both, one], 2)
    general = frozenset({("hospital", "General", frozenset())})
    assert sets_of(found) == [general, general]


def test_matching_is_one_to_one_and_takes_the_best_pair_first():
    first = [("hospital", "H1", []), ("hospital", "H3", [])]
    second = [("hospital", "H2", []), ("hospital", "H3", [])]
    _, found = solve([first, second], 2)
    none = frozenset()
    assert sets_of(found)[0] == frozenset({("hospital", "General", none), ("hospital", "H3", none)})
