"""The draw of a matching: each pair once in k, whatever the graph, and by many coins."""

from __future__ import annotations

from collections import Counter
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2

from indistinct.model.recoding import Matching
from indistinct.publishing.matching import drawn_sources
from indistinct.publishing.rounding_kernel import scaled
from tests.methods.freeform.test_regular import graphs
from tests.old_draw import one_for_each_component

DRAWS = 4000
LEAST = 1e-4


def regular(parts, k, seed):
    """Random k-regular graphs of some sizes side by side; boxes and rows in random order."""
    random = np.random.default_rng(seed)
    covered, first = [], 0
    for size in parts:
        shifts = random.choice(size, k, replace=False)
        rows = random.permutation(size)
        part = rows[(np.arange(size)[:, None] + shifts) % size]
        for _ in range(20 * size):
            (one, two), (a, b) = random.choice(size, 2, replace=False), random.integers(k, size=2)
            if part[two, b] not in part[one] and part[one, a] not in part[two]:
                part[one, a], part[two, b] = part[two, b], part[one, a]
        covered.append(part + first)
        first += size
    rows = random.permutation(first)
    return rows[np.concatenate(covered)[random.permutation(first)]].astype(np.int32)


def draws(covered, count=DRAWS, draw=drawn_sources):
    matching = Matching(covered)
    return [draw(matching, SimpleNamespace(seed=seed), [])[0] for seed in range(count)]


def least_p(covered, drawn):
    """The smallest p of chi-square tests, one for each box, that its k pairs are equally likely."""
    counts = sum((covered == one[:, None]).astype(np.int64) for one in drawn)
    expected = len(drawn) / covered.shape[1]
    statistic = ((counts - expected) ** 2 / expected).sum(axis=1)
    return chi2.sf(statistic, covered.shape[1] - 1).min()


GRAPHS = {
    "pairs and a long cycle": ([2, 2, 9], 2),
    "groups of three": ([3, 3, 3], 3),
    "one component": ([14], 3),
    "all pairs of four, and a ring": ([4, 11], 4),
    "five": ([5, 7, 12], 5),
    "six": ([6, 13], 6),
}


@pytest.mark.parametrize("name", GRAPHS)
def test_every_pair_is_drawn_once_in_k(name):
    parts, k = GRAPHS[name]
    for seed in range(2):
        covered = regular(parts, k, seed)
        assert least_p(covered, draws(covered)) > LEAST / 2


def test_a_ring_without_shortcuts():
    covered = np.stack([(np.arange(15) + step) % 15 for step in range(4)], axis=1)
    assert least_p(covered, draws(covered.astype(np.int32))) > LEAST


def test_an_edge_that_stands_twice_is_drawn_twice_as_often():
    covered = np.array([[0, 0, 1], [1, 2, 0], [2, 2, 1], [3, 3, 3]], dtype=np.int32)
    counts = sum(np.eye(4, dtype=int)[one] for one in draws(covered))
    expected = DRAWS / 3 * np.array([[2, 1, 0, 0], [1, 1, 1, 0], [0, 1, 2, 0], [0, 0, 0, 3]])
    assert (counts[expected == 0] == 0).all()
    assert abs(counts - expected).max() < 4.5 * np.sqrt(DRAWS * 2 / 9)


def matchings_of(covered, taken=()):
    """All perfect matchings, by brute force."""
    if len(taken) == len(covered):
        return [np.array(taken)]
    rows = (row for row in covered[len(taken)].tolist() if row not in taken)
    return [found for row in rows for found in matchings_of(covered, (*taken, row))]


def test_the_test_of_marginals_tells_them_from_those_of_any_matching_alike():
    covered = regular([14], 3, 0)
    every = matchings_of(covered)
    chosen = np.random.default_rng(1).integers(len(every), size=DRAWS)
    assert least_p(covered, [every[one] for one in chosen]) < LEAST


@given(graphs(), st.integers(0, 2**32))
def test_what_is_drawn_is_a_perfect_matching_within_the_graph(covered, seed):
    drawn, told = drawn_sources(Matching(covered), SimpleNamespace(seed=seed), [])
    assert sorted(drawn.tolist()) == list(range(len(covered)))
    assert all(row in line for row, line in zip(drawn.tolist(), covered.tolist(), strict=True))
    assert 0 <= told["entropy_of_shifts"] <= told["shifts"] * np.log(2) / len(covered) + 1e-9


def test_in_groups_of_k_all_orders_are_drawn_about_equally_often():
    covered = np.array([[0, 1, 2]] * 3, dtype=np.int32)
    seen = Counter(tuple(one.tolist()) for one in draws(covered))
    assert len(seen) == 6
    assert min(seen.values()) > DRAWS / 6 * 0.7


@pytest.mark.parametrize(("parts", "k"), [([10], 3), ([8], 4)])
def test_nearly_as_much_is_open_as_if_all_matchings_were_equally_likely(parts, k):
    covered = regular(parts, k, 1)
    seen = Counter(one.tobytes() for one in draws(covered, 3 * DRAWS))
    every = len(matchings_of(covered))
    shares = np.array(list(seen.values())) / (3 * DRAWS)
    assert len(seen) == every
    assert -(shares * np.log(shares)).sum() > 0.97 * np.log(every)


def test_a_component_is_not_drawn_as_a_whole():
    covered = regular([14], 3, 1)
    before = {tuple(one) for one in draws(covered, 200, one_for_each_component)}
    now = {tuple(one) for one in draws(covered, 200)}
    assert len(before) == 3
    assert len(now) > 50


def test_a_seed_repeats_the_draw_and_another_does_not():
    covered = regular([60], 4, 2)
    one, two, other = (
        drawn_sources(Matching(covered), SimpleNamespace(seed=seed), [])[0] for seed in (1, 1, 2)
    )
    assert (one == two).all()
    assert (one != other).any()


@given(st.integers(0, 2**64 - 1), st.integers(1, 2**31))
def test_a_word_is_scaled_as_by_exact_numbers(word, limit):
    assert scaled(np.uint64(word), limit) == word * limit >> 64
