"""The attack that a freeform release must withstand.

The adversary knows the code, the plan but for the seed, and the whole quasi-identifier table. He
runs the method himself and so knows the graph, and which published row is which box (the releases
here even keep the order of boxes). What he does not know is which matching was drawn.
"""

from __future__ import annotations

from itertools import pairwise
from math import sqrt

import numpy as np
import pyarrow as pa
import pytest

import indistinct.publishing.matching
from indistinct.methods import METHODS
from indistinct.pipeline import Work
from indistinct.plan import Plan
from indistinct.publishing.draws import Draws
from indistinct.publishing.matching import drawn_sources
from indistinct.running.progress import Progress
from tests.old_draw import draw_as_before

NAMES = [name for name, method in METHODS.items() if method.matches_rows]
K = 3
SEEDS, SEARCHED = 240, 5
DEVIATIONS = 4.5  # for the largest of some hundred rates


def plan(name, seed, **options):
    return {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}},
            "size": {"role": "quasi", "hierarchy": {"intervals": [10]}},
            "ill": {"role": "sensitive"},
        },
        "require": [{"model": "k-anonymity", "k": K}],
        "method": {"name": name, **options},
        "seed": seed,
    }


def table(rows):
    random = np.random.default_rng(2)
    places = random.permutation(100 * 100)[:rows]
    return {"age": places % 100, "size": places // 100, "ill": [f"i{n:02}" for n in range(rows)]}


def searched(data, asked):
    """Run the method as anybody can, and leave the draw to `drawn`."""
    work = Work(Plan.load(asked), Progress())
    work.recode(data, keep_order=True)
    return work


def drawn(work, data, asked, *, anew=True):
    """Return the graph and the values of its boxes for another seed, without reading data again.

    Parameters
    ----------
    anew
        Whether the method searches again; otherwise the graph is that of `work`.
    """
    other = Work(Plan.load(asked), Progress())
    other.table, other.method = work.table, work.method
    if not anew:
        other._search = lambda *_: work.recoding
    other.recode_encoded(data, keep_order=True)
    return other.recoding.sources, other.published.rows.column("ill").to_pylist()


def guessed_right(name, rows, seeds):
    """How often a guess by each of the k matchings finds the value of each row."""
    data = table(rows)
    work = searched(pa.table(data), plan(name, 0))
    right = np.zeros((rows, K))
    for seed in range(seeds):
        asked = plan(name, seed + 1)
        graph, values = drawn(work, pa.table(data), asked, anew=seed < SEARCHED)
        assert (graph == work.recoding.sources).all()  # he runs the method and gets the same
        for box, sources in enumerate(graph):
            right[sources, range(K)] += np.array([values[box] == data["ill"][s] for s in sources])
    return right / seeds


def limit(tries):
    return 1 / K + DEVIATIONS * sqrt((1 - 1 / K) / K / tries)


def few(name):
    return (5, 60) if name == "freeform-mip" else (14, SEEDS)


@pytest.mark.parametrize("name", NAMES)
def test_the_best_guess_is_right_once_in_k(name):
    rows, seeds = few(name)
    rates = guessed_right(name, rows, seeds)
    assert rates.max() <= limit(seeds)
    assert rates.sum(axis=1) == pytest.approx(1.0)  # one of the k guesses is right, always


@pytest.mark.parametrize("name", NAMES)
def test_without_the_draw_the_attack_succeeds(name, monkeypatch):
    def first(matching, asked, data):
        sources, told = drawn_sources(matching, asked, data)
        return matching.sources[:, 0].astype(np.intp) + 0 * sources, told

    monkeypatch.setattr(indistinct.publishing.matching, "drawn_sources", first)
    rows, seeds = few(name)
    rates = guessed_right(name, rows, seeds // 20)
    assert rates.max() > limit(seeds)


AGES = [1, 1, 1, 1, 5, 9, 9, 9, 9, 14, 20, 20, 20, 20, 27]


def with_twins():
    """Rows that are alike stand in the order of their sensitive values."""
    random = np.random.default_rng(4)
    names = random.permutation(len(AGES)).tolist()
    rows = sorted((age, f"i{name:02}") for age, name in zip(AGES, names, strict=True))
    return {"age": [age for age, _ in rows], "ill": [ill for _, ill in rows]}


def ring_plan(seed):
    asked = plan("freeform-ring", seed)
    del asked["columns"]["size"]
    return asked


def guess_by_order(seeds):
    """How often the value of a row without twins is found by a look at the order of twins.

    If rows that are alike stood in the order of their sensitive values, only the true matching
    would put them back into that order.
    """
    data = with_twins()
    work = searched(pa.table(data), ring_plan(0))
    alone = [row for row, age in enumerate(AGES) if AGES.count(age) == 1]
    graph = work.recoding.sources
    order = np.lexsort((data["ill"], data["age"]))
    assert order.tolist() == list(range(len(AGES)))
    right = 0
    for seed in range(1, seeds + 1):
        _, seen = drawn(work, pa.table(data), ring_plan(seed))  # of each box; many look alike
        best = max(range(K), key=lambda m: in_order(graph, seen, m))
        told = dict(zip(graph[:, best].tolist(), seen, strict=True))
        right += sum(told[row] == data["ill"][row] for row in alone)
    return right / (seeds * len(alone))


def in_order(graph, seen, m):
    """How many twins would stand in order if matching m had been drawn."""
    value = dict(zip(graph[:, m].tolist(), seen, strict=True))
    return sum(value[a] < value[b] for a, b in pairwise(range(len(AGES))) if AGES[a] == AGES[b])


def sorted_ties(monkeypatch):
    drawn = Draws.order

    def order(self, purpose):
        return np.arange(self.rows) if purpose == "ties" else drawn(self, purpose)

    monkeypatch.setattr(Draws, "order", order)


def test_rows_that_are_alike_tell_nothing():
    assert guess_by_order(150) <= limit(150)


def test_if_they_stood_in_the_order_of_their_values_they_would(monkeypatch):
    """With one matching for a whole component; drawn by many coins, even that tells little."""
    sorted_ties(monkeypatch)
    draw_as_before(monkeypatch)
    assert guess_by_order(60) > limit(60)
