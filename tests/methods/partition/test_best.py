from __future__ import annotations

import random
from collections import Counter
from contextlib import suppress

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.datasets import census, census_ladders
from indistinct.errors import CannotMeetError
from indistinct.methods.partition import annealing
from indistinct.methods.partition.best import Best
from tests.build import problem_of
from tests.profiles import examples
from tests.properties.strategies import tables


def groups_of(partition):
    members = {}
    for row, group in enumerate(partition.groups.tolist()):
        members.setdefault(group, []).append(row)
    return members


@examples(25)
@given(tables(most_rows=30), st.integers(2, 6), st.booleans())
def test_every_row_is_in_one_group_of_at_least_k(job, k, local_search):
    rows, columns, ladders = job
    problem = problem_of(rows, columns, ladders, k, 0)
    method = Best(local_search=local_search, passes=4)
    if len(rows) < k:
        with pytest.raises(CannotMeetError):
            method.search(problem)
        return
    found = groups_of(method.search(problem))
    assert sorted(row for members in found.values() for row in members) == list(range(len(rows)))
    assert min(map(len, found.values())) >= k


@examples(25)
@given(tables(most_rows=30), st.integers(2, 5))
def test_the_search_never_ends_far_above_its_start_and_repeats_itself(job, k):
    rows, columns, ladders = job
    if len(rows) < k:
        return
    problem = problem_of(rows, columns, ladders, k, 0)
    one, two = (Best(passes=12, seed=3).search(problem) for _ in range(2))
    assert np.array_equal(one.groups, two.groups)
    assert one.search["loss"] <= one.search["first_loss"] + 1e-9


def test_the_loss_told_is_that_of_the_groups():
    ladder = [[str(i), str(i // 4), "*"] for i in range(12)]
    rows = [{"c": str(i * i % 12)} for i in range(40)]
    problem = problem_of(rows, ["c"], {"c": ladder}, 3, 0)
    found = Best().search(problem)
    lost = 0.0
    for members in groups_of(found).values():
        values = {int(rows[row]["c"]) for row in members}
        parents = {value // 4 for value in values}
        share = 0.0 if len(values) == 1 else 4 / 12 if len(parents) == 1 else 1.0
        lost += share * len(members)
    assert found.search["loss"] == pytest.approx(lost / 40)


@pytest.mark.parametrize("rows", [1000, 6000])
def test_with_few_columns_no_method_that_it_may_begin_with_loses_less(rows):
    data = census(rows, seed=1).select(["age", "education", "country"])
    ladders = census_ladders()
    plan = {
        "columns": {
            name: {"role": "quasi", "hierarchy": {"paths": ladders[name]}}
            for name in data.column_names
        },
        "require": [{"model": "k-anonymity", "k": 100}],
    }
    lost = {
        name: anonymize(data, plan | {"method": {"name": name}}).measures.gcp
        for name in ("best", "hilbert", "topdown")
    }
    assert lost["best"] == min(lost.values())


def test_a_release_by_best_keeps_every_requirement():
    import pyarrow as pa

    import indistinct

    random = np.random.default_rng(5)
    table = pa.table(
        {
            "age": random.integers(20, 60, 400),
            "sex": [("f", "m")[bit] for bit in random.integers(0, 2, 400)],
            "illness": [f"i{n}" for n in random.integers(0, 6, 400)],
        }
    )
    plan = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [5, 10]}},
            "sex": {"role": "quasi", "hierarchy": "flat"},
            "illness": {"role": "sensitive"},
        },
        "require": [
            {"model": "k-anonymity", "k": 4},
            {"model": "l-diversity", "kind": "frequency", "l": 2},
            {"model": "t-closeness", "t": 0.45},
        ],
        "method": {"name": "best"},
    }
    release = indistinct.anonymize(table, plan)
    assert all(found.holds for found in release.evidence)
    classes = Counter(zip(*(release.rows[c].to_pylist() for c in ("age", "sex")), strict=True))
    assert min(classes.values()) >= 4
    assert release.measures.ncp_form == {"age": "range", "sex": "node"}
    assert release.bound().loss <= release.measures.gcp


@examples(40)
@given(
    st.lists(st.tuples(st.integers(0, 5), st.integers(0, 3)), min_size=4, max_size=24),
    st.sampled_from(["frequency", "entropy"]),
    st.data(),
)
def test_groups_are_found_wherever_all_rows_together_satisfy(quasi, kind, data):
    ill = data.draw(st.permutations([place % 2 for place in range(2 * (len(quasi) // 2))]))
    rows = quasi[: len(ill)]
    table = pa.table(
        {"age": [a for a, _ in rows], "zip": [z for _, z in rows], "ill": [str(i) for i in ill]}
    )
    plan = {
        "columns": {
            "age": {"role": "quasi"},
            "zip": {"role": "quasi"},
            "ill": {"role": "sensitive"},
        },
        "require": [{"model": "l-diversity", "kind": kind, "l": 2}],
        "method": {"name": "best", "passes": 2},
    }
    assert anonymize(table, plan).verified.released_rows == len(rows)


@pytest.mark.parametrize(
    "rule",
    [
        {"model": "alpha-k", "alpha": 0.1, "k": 5},
        {"model": "l-diversity", "kind": "frequency", "l": 12},
        {"model": "t-closeness", "t": 0.3},
    ],
)
def test_what_groups_refused_is_rightly_kept_in_mind(monkeypatch, rule):
    ladders = census_ladders()
    names = ("age", "gender", "education", "marital")
    plan = {
        "columns": {
            name: {"role": "quasi", "hierarchy": {"paths": ladders[name]}} for name in names
        }
        | {"occupation": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": 5}, rule],
        "method": {"name": "best", "local_search": False},
        "unlisted": "drop",
        "seed": 1,
    }

    placed = []
    kinds_of = annealing.Annealing._refused_alike

    def counted(work, rows):
        placed.append(rows.size)
        return kinds_of(work, rows)

    monkeypatch.setattr(annealing.Annealing, "_refused_alike", counted)
    kept = anonymize(census(rows=6_000, seed=2), plan)
    monkeypatch.setattr(annealing, "MOST_REFUSED", 0)
    asked = anonymize(census(rows=6_000, seed=2), plan)
    assert sum(placed) > 0
    assert kept.rows.equals(asked.rows)


@pytest.mark.parametrize(
    "asked",
    [
        {"model": "l-diversity", "kind": "frequency", "l": 2},
        {"model": "l-diversity", "kind": "entropy", "l": 1.8},
        {"model": "alpha-k", "alpha": 0.5, "k": 2},
        {"model": "t-closeness", "t": 0.3},
    ],
    ids=str,
)
@examples(15)
@given(seed=st.integers(0, 2**32 - 1))
def test_groups_published_alike_satisfy_together_where_people_have_several_rows(asked, seed):
    """A method must never fail its own check: what it cannot do, it refuses."""
    drawn = random.Random(seed)
    rows = drawn.randint(10, 30)
    data = pa.table({
        "q": drawn.choices("abc", k=rows),
        "z": drawn.choices("uvwx", k=rows),
        "who": [str(drawn.randrange(rows // 2)) for _ in range(rows)],
        "s": drawn.choices("xyz", k=rows),
    })  # fmt: skip
    flat = {"role": "quasi", "hierarchy": "flat"}
    plan = {
        "columns": {
            "q": flat,
            "z": flat,
            "who": {"role": "respondent"},
            "s": {"role": "sensitive"},
        },
        "require": [asked],
        "method": {"name": "best"},
        "seed": 1,
    }
    with suppress(CannotMeetError):
        assert anonymize(data, plan).verified.holds


def test_a_small_table_is_never_searched_twice_alike(monkeypatch):
    begun = []
    plain = annealing.Annealing.__init__

    def noted(self, setting, group, seed, deadline):
        begun.append((group.tobytes(), seed))
        plain(self, setting, group, seed, deadline)

    monkeypatch.setattr(annealing.Annealing, "__init__", noted)
    ladder = [[str(i), str(i // 4), "*"] for i in range(12)]
    rows = [{"c": str(i * i % 12), "d": str(i * 7 % 12)} for i in range(40)]
    Best().search(problem_of(rows, ["c", "d"], {"c": ladder, "d": ladder}, 3, 0))
    assert len({seed for _, seed in begun}) > 4
