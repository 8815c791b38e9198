"""`best` and `auto` never lose more than a linear method; their trace says what was tried."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.errors import CannotMeetError
from indistinct.methods.common.gathering import gathered
from indistinct.methods.partition.best import Best
from indistinct.methods.partition.diversify import Diversify
from indistinct.methods.partition.mondrian import Mondrian
from indistinct.methods.partition.one_dimension import Hilbert, IDistance, OneDimension
from indistinct.methods.partition.topdown import TopDown
from tests.methods.partition.small import REQUIREMENTS, cost, members, problem_of, problems
from tests.profiles import examples

LINEAR = [
    OneDimension(),
    OneDimension(mapping="hilbert-ranks"),
    Hilbert(),
    IDistance(),
    Mondrian(),
    Diversify(),
    Diversify(mapping="lexicographic"),
    TopDown(),
]
ASKED = [
    [{"model": "k-anonymity", "k": 4}],
    [{"model": "k-anonymity", "k": 3}, {"model": "l-diversity", "l": 3}],
    [{"model": "l-diversity", "kind": "frequency", "l": 3}],
    [{"model": "l-diversity", "kind": "entropy", "l": 2.5}],
    [{"model": "l-diversity", "kind": "recursive", "l": 2, "c": 1.5}],
    [{"model": "alpha-k", "alpha": 0.5, "k": 4}],
    [{"model": "k-anonymity", "k": 3}, {"model": "t-closeness", "t": 0.35}],
]
NAMES = ["one-dimension", "hilbert", "idistance", "mondrian", "diversify"]


@given(problems(most_rows=30))
@examples(25)
def test_best_loses_no_more_than_any_linear_method(problem):
    try:
        groups = members(Best(passes=2).search(problem))
    except CannotMeetError:
        return
    spent = cost(problem, groups)
    for method in LINEAR:
        assert spent <= cost(problem, members(method.search(problem))) + 1e-9, method.name


def drawn(seed, rows=240):
    """A table of skewed columns in which many rows repeat."""
    random = np.random.default_rng(seed)
    kept = int(random.choice([rows, rows // 2, rows // 10]))
    again = random.integers(0, kept, rows)
    columns = {}
    for number in range(random.integers(1, 5)):
        size = int(random.choice([2, 5, 30, 200]))
        columns[f"q{number}"] = random.choice(size, kept, p=random.dirichlet(np.ones(size)))[again]
    return pa.table(columns | {"ill": random.integers(0, 6, rows)})


@pytest.mark.parametrize(
    "asked", ASKED, ids=lambda asked: asked[-1].get("kind", asked[-1]["model"])
)
@given(seed=st.integers(0, 2**32 - 1))
@examples(4)
def test_a_release_by_auto_loses_no_more_than_one_by_a_linear_method(asked, seed):
    data = drawn(seed)
    quasi = {name: {"role": "quasi", "publish": "range"} for name in data.column_names[:-1]}
    plan = {
        "columns": quasi | {"ill": {"role": "sensitive"}},
        "require": asked,
        "seed": 1,
        "accept": [{"column": name, "reason": "rows repeat as drawn"} for name in quasi],
    }
    try:
        auto = anonymize(data, plan).measures.gcp
    except CannotMeetError:
        return
    for name in NAMES:
        assert auto <= anonymize(data, plan | {"method": {"name": name}}).measures.gcp + 1e-9, name


def test_the_trace_says_what_was_tried_and_what_it_lost():
    draw = np.random.default_rng(2)
    rows = draw.integers(0, 9, (300, 3))
    problem = problem_of(rows, [9] * 3, REQUIREMENTS[3], draw.integers(0, 4, 300))
    told = Best(passes=2).search(problem).search
    names = {start["start"]: start["loss"] for start in told["tried"]}
    assert told["loss"] <= min(names.values())
    assert {"lexicographic", "diversify hilbert", "mondrian", "coarser vectors"} <= set(names)
    assert told["first_loss"] == pytest.approx(names[told["start"]])
    lexicographic = next(s for s in told["tried"] if s["start"] == "lexicographic")
    spent = cost(problem, members(OneDimension().search(problem))) / (300 * 3)
    assert lexicographic["loss"] == pytest.approx(spent)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 2)), min_size=4, max_size=40))
def test_copies_are_gathered_group_by_group_and_lose_what_they_lost(drawn_rows):
    codes = sorted(code for code, _ in drawn_rows)
    groups = np.array([group for _, group in drawn_rows], dtype=np.int32)
    problem = problem_of([(code,) for code in codes], [4], REQUIREMENTS[1], [0] * len(codes))
    fewer = gathered(problem, groups)
    assert fewer.problem.table.rows == len(codes)
    assert np.array_equal(groups[fewer.first][fewer.entry], groups)
    assert np.array_equal(problem.codes[fewer.first][fewer.entry], problem.codes)
    heavy = fewer.problem.table.row_counts
    loose = np.bincount(fewer.entry[np.arange(len(codes))], minlength=heavy.size)
    assert np.array_equal(heavy, loose)
    kinds = {(code, group): codes.count(code) for code, group in zip(codes, groups, strict=True)}
    assert heavy.size <= sum(min(many, 3) for many in kinds.values())


def test_where_values_may_be_too_frequent_no_copies_are_gathered():
    problem = problem_of([(0,)] * 6, [2], REQUIREMENTS[3], [0, 1] * 3)
    assert gathered(problem, np.zeros(6, dtype=np.int32)).problem is problem


def test_of_a_large_table_the_orders_that_lose_least_in_stretches_are_cut(monkeypatch):
    draw = np.random.default_rng(4)
    rows = np.sort(draw.integers(0, 60, (3_000, 2)), axis=0)
    problem = problem_of(rows, [60] * 2, REQUIREMENTS[1], [0] * 3_000)
    whole = Best(local_search=False).search(problem).search
    for name, value in {"MOST_WHOLE": 1_000, "STRETCHES": 5, "STRETCH": 200}.items():
        monkeypatch.setattr(f"indistinct.methods.partition.race.{name}", value)
    large = Best(local_search=False).search(problem).search
    tried = [start["start"] for start in large["tried"]]
    assert sum(name.endswith(", sketched") for name in tried) == 11
    assert large["loss"] == pytest.approx(whole["loss"], rel=0.05)
