"""Graphs and the matchings they are made of."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.methods.freeform.regular import matchings, rings
from indistinct.methods.freeform.regular_kernel import perfect
from indistinct.model.recoding import Matching
from tests import oracle_freeform as brute


@st.composite
def graphs(draw, degree=None):
    """A k-regular graph: shifts of a random order, rows and boxes renamed, edges exchanged."""
    size = draw(st.integers(2, 12))
    k = degree or draw(st.integers(1, size))
    random = draw(st.randoms(use_true_random=False))
    rows, boxes = random.sample(range(size), size), random.sample(range(size), size)
    covered = np.empty((size, k), dtype=np.int32)
    for place, box in enumerate(boxes):
        covered[box] = [rows[(place + step) % size] for step in range(k)]
    for _ in range(30):
        (one, two), (a, b) = random.sample(range(size), 2), random.choices(range(k), k=2)
        if covered[two, b] not in covered[one] and covered[one, a] not in covered[two]:
            covered[one, a], covered[two, b] = covered[two, b], covered[one, a]
    return covered


@given(st.lists(graphs(degree=2), min_size=1, max_size=3), st.randoms())
def test_parts_are_decomposed_by_themselves(graphs_of_two, random):
    sizes = [len(graph) for graph in graphs_of_two]
    rows = np.array(random.sample(range(sum(sizes)), sum(sizes)), dtype=np.int32)
    parts = np.split(rows, np.cumsum(sizes)[:-1])
    covered = np.empty((rows.size, 2), dtype=np.int32)
    for part, graph in zip(parts, graphs_of_two, strict=True):
        covered[part] = part[graph]
    found = matchings(covered, {}, parts)
    assert found.perfect
    assert found.disjoint
    assert sorted(map(sorted, found.sources.tolist())) == sorted(map(sorted, covered.tolist()))


@given(graphs())
def test_a_regular_graph_is_disjoint_matchings_and_one_is_the_identity(covered):
    k = covered.shape[1]
    assert brute.regular(covered.tolist(), k)
    found = matchings(covered, {})
    assert found.perfect
    assert found.disjoint
    assert sorted(map(sorted, found.sources.tolist())) == sorted(map(sorted, covered.tolist()))
    assert brute.regular(found.sources.tolist(), k)


@given(st.lists(st.integers(2, 6), min_size=1, max_size=5), st.randoms(use_true_random=False))
def test_the_rings_of_a_partition_are_regular_and_stay_in_their_groups(sizes, random):
    groups = [number for number, size in enumerate(sizes) for _ in range(size)]
    random.shuffle(groups)
    k = min(sizes)
    found = Matching(rings(np.array(groups, dtype=np.int32), k))
    assert brute.regular(found.sources.tolist(), k)
    assert found.perfect and found.disjoint  # noqa: PT018
    assert all({groups[r] for r in box} == {groups[b]} for b, box in enumerate(found.sources))
    component = found.components()
    assert all(len({groups[r] for r in np.flatnonzero(component == c)}) == 1 for c in component)


@pytest.mark.parametrize(
    ("sources", "perfect", "disjoint"),
    [
        ([[0, 1], [1, 0]], True, True),
        ([[0, 0], [1, 1]], True, False),
        ([[0, 1], [1, 1]], False, False),
        ([[1, 0], [0, 1]], False, True),
    ],
)
def test_what_is_wrong_is_seen(sources, perfect, disjoint):
    found = Matching(np.array(sources, dtype=np.int32))
    assert (found.perfect, found.disjoint) == (perfect, disjoint)


@given(graphs(), st.randoms(use_true_random=False))
def test_reordering_renames_rows_on_both_sides(covered, random):
    found = matchings(covered, {})
    order = np.array(random.sample(range(found.rows), found.rows))
    moved = found.reordered(order)
    assert moved.perfect and moved.disjoint  # noqa: PT018
    for box in range(found.rows):
        assert set(moved.sources[order[box]]) == {order[row] for row in found.sources[box]}


@pytest.mark.parametrize("degree", [1, 3, 7])
def test_random_walks_find_a_perfect_matching(degree):
    random = np.random.default_rng(degree)
    size = 500
    shifts = random.permutation(size)[:degree]
    names = random.permutation(size)
    covered = names[(np.arange(size)[:, None] + shifts) % size].astype(np.int32)
    found = perfect(covered)
    assert sorted(found) == list(range(size))
    assert (covered == found[:, None]).any(axis=1).all()
