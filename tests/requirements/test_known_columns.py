"""Attackers who know at most m columns: k-m and lkc, held to their definitions by brute force."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations, product

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from indistinct import IndistinctError, anonymize, apply, check_plan, verify
from indistinct.errors import CannotMeetError, PlanError
from indistinct.methods import METHODS

NAMES = list("abcd")
PATHS = [[value, "low" if value < "3" else "high", "*"] for value in "12345"]
LEVELS = {value: path for path in PATHS for value in path[:1]}


def plan_of(method, asked, *, names=NAMES, suppression=0.1, **more):
    quasi = {"role": "quasi", "hierarchy": {"paths": PATHS}}
    return {
        "columns": dict.fromkeys(names, quasi) | {"s": {"role": "sensitive"}},
        "require": [asked],
        "method": {"name": method} if isinstance(method, str) else method,
        "limits": {"suppression": suppression},
        **more,
    }


def table(seed, size=40, names=NAMES, values="12345"):
    drawn = random.Random(seed)
    rows = {name: drawn.choices(values, k=size) for name in names}
    return pa.table(rows | {"s": drawn.choices("xyz", [3, 2, 1], k=size)})


def known_classes(rows, known, names=NAMES):
    """The sensitive values of all who are alike in some columns, of at most so many."""
    for size in range(1, known + 1):
        for some in combinations(names, size):
            held = defaultdict(Counter)
            for row in rows:
                held[tuple(row[name] for name in some)][row["s"]] += 1
            yield from held.values()


def holds(rows, asked, names=NAMES):
    known, share = asked.get("m") or asked["l"], Fraction(str(asked.get("c", 1)))
    return all(
        held.total() >= asked["k"] and max(held.values()) <= share * held.total()
        for held in known_classes(rows, known, names)
    )


KEEPING = ["optimal", "samarati", "incognito", "mingen", "datafly", "mondrian", "best"]
OTHERS = ["levels-and-stars", "cell-suppression", "cell-generalization", "hilbert", "k-member"]


@pytest.mark.parametrize("method", KEEPING + OTHERS)
@pytest.mark.parametrize("known", [1, 2, 3, 4, 9])
def test_every_combination_of_so_many_columns_is_hidden(method, known):
    for asked in (
        {"model": "k-m", "k": 3, "m": known},
        {"model": "lkc", "k": 3, "l": known, "c": 0.7},
    ):
        plan = plan_of(method, asked)
        release = anonymize(table(known), plan)
        assert holds(release.rows.to_pylist(), asked)
        assert [part.holds for part in release.evidence] == [True]
        assert verify(release.frame, plan).holds is not False


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_method_keeps_it_or_refuses_before_it_searches(method):
    for model in ({"model": "k-m", "k": 2, "m": 2}, {"model": "lkc", "k": 2, "l": 2, "c": 0.9}):
        more = {"accuracy": {"max_ncp": 1.0}} if method in {"ac", "ipcsd"} else {}
        plan = plan_of(method, model, **more)
        if model["model"] in METHODS[method].keeps:
            assert holds(anonymize(table(5), plan).rows.to_pylist(), model)
        elif METHODS[method].keeps:
            with pytest.raises(PlanError):
                check_plan(plan, table(5))


def best_by_hand(rows, asked, limit, names):
    """The least cells lost of any vector with any rows left out, by level / height."""
    best = None
    for vector in product(range(3), repeat=len(names)):
        shown = [
            {n: LEVELS[row[n]][level] for n, level in zip(names, vector, strict=True)}
            | {"s": row["s"]}
            for row in rows
        ]
        for gone in range(limit + 1):
            for out in combinations(range(len(rows)), gone):
                left = [row for place, row in enumerate(shown) if place not in out]
                if left and holds(left, asked, names):
                    cost = len(left) * sum(vector) / 2 + gone * len(names)
                    best = cost if best is None else min(best, cost)
    return best


@given(seed=st.integers(0, 10**6), known=st.sampled_from([1, 2]), limit=st.sampled_from([0, 1, 2]))
@settings(deadline=None)
def test_optimal_loses_least_of_all_vectors_and_rows_left_out(seed, known, limit):
    names, asked = NAMES[:3], {"model": "k-m", "k": 2, "m": known}
    data = table(seed, 7, names, "134")
    least = best_by_hand(data.to_pylist(), asked, limit, names)
    plan = plan_of("optimal", asked, names=names, suppression=limit / 7, loss="precision")
    if least is None:
        with pytest.raises(CannotMeetError):
            anonymize(data, plan)
        return
    release = anonymize(data, plan)
    assert release.recoding.search["proven_optimal"]
    assert release.recoding.search["loss"] * 21 == pytest.approx(least)


@given(seed=st.integers(0, 10**6), known=st.sampled_from([1, 2, 3]))
@settings(deadline=None)
def test_stars_hide_what_they_must_and_no_bound_is_above_them(seed, known):
    asked = {"model": "k-m", "k": 3, "m": known}
    method = {"name": "levels-and-stars", "levels": dict.fromkeys(NAMES, 0)}
    release = anonymize(table(seed, 30), plan_of(method, asked, suppression=0.0))
    rows = release.rows.to_pylist()
    assert len(rows) == 30
    assert holds(rows, asked)
    search = release.recoding.search
    assert search["stars"] == sum(row[name] == "*" for row in rows for name in NAMES)
    assert search["star_cost_at_least"] <= search["star_cost"] + 1e-9


def test_fewer_columns_known_cost_less():
    def lost(method, known):
        asked = {"model": "k-m", "k": 3, "m": known}
        return anonymize(table(1, 60), plan_of(method, asked)).measures.gcp

    for method in ("optimal", "levels-and-stars"):
        losses = [lost(method, known) for known in (1, 2, 4)]
        assert losses == sorted(losses)
        assert losses[0] < losses[2]


def test_people_of_several_rows_count_once():
    """Three rows of one person hide nobody."""
    rows = pa.table({"who": [1, 1, 1, 2, 3, 4], "a": list("111222"), "b": list("121212")})
    columns = {n: {"role": "quasi", "hierarchy": "flat"} for n in "ab"}
    plan = {
        "columns": columns | {"who": {"role": "respondent"}},
        "require": [{"model": "k-m", "k": 2, "m": 1}],
        "method": {"name": "optimal"},
    }
    assert anonymize(rows, plan).levels == {"a": 1, "b": 0}


def test_lkc_of_people_with_several_rows_is_for_whole_columns():
    asked = {"model": "lkc", "k": 2, "l": 1, "c": 0.9}
    rows = table(2).append_column("who", pa.array(np.arange(40) % 30))
    for method, refused in (("mondrian", True), ("levels-and-stars", True), ("optimal", False)):
        plan = plan_of(method, asked)
        plan["columns"]["who"] = {"role": "respondent"}
        if refused:
            with pytest.raises(IndistinctError, match="another person's"):
                anonymize(rows, plan)
        else:
            assert anonymize(rows, plan).evidence[0].holds


def test_the_worst_class_names_the_columns_that_are_known():
    rows = pa.table({"a": list("112233"), "b": list("112222"), "c": list("121212")})
    columns = {n: {"role": "quasi", "hierarchy": "flat"} for n in "abc"}
    plan = {"columns": columns, "require": [{"model": "k-m", "k": 2, "m": 2}]}
    with pytest.raises(IndistinctError, match=r"measures 1 in the class \(a=1, c=1\)"):
        verify(rows, plan)
    [fine] = verify(rows, plan | {"require": [{"model": "k-m", "k": 2, "m": 1}]}).evidence
    assert (fine.measured, fine.worst_class) == (2, {"a": "1"})


def test_parts_of_one_column_are_known_together():
    """A range in two columns, its ends, is one thing to know."""
    rows = pa.table({"age": [20, 25, 30, 35] * 5, "sex": list("fm") * 10})
    plan = {
        "columns": {
            "age": {"role": "quasi", "hierarchy": {"intervals": [10]}, "range_as": "bounds"},
            "sex": {"role": "quasi", "hierarchy": "flat"},
        },
        "require": [{"model": "k-m", "k": 5, "m": 1}],
        "method": {"name": "mondrian"},
    }
    release = anonymize(rows, plan)
    assert set(release.evidence[0].worst_class) in ({"age_low", "age_high"}, {"sex"})


def test_new_rows_are_held_back_until_each_pair_of_columns_is_common():
    asked = {"model": "k-m", "k": 3, "m": 2}
    plan = plan_of("optimal", asked, suppression=0.3)
    release = anonymize(table(3, 60), plan)
    new = apply(release.learnt(), table(4, 60))
    assert new.held.max() >= 0
    assert all(part.holds for part in (*new.verified.evidence, *new.union.evidence))
    assert holds(new.published.rows.to_pylist(), asked)


def test_bad_parameters_are_told():
    for asked in (
        {"model": "k-m", "k": 1, "m": 2},
        {"model": "k-m", "k": 2, "m": 0},
        {"model": "lkc", "k": 2, "l": 1},
        {"model": "lkc", "k": 2, "l": 1, "c": 0.0},
        {"model": "lkc", "k": 2, "l": 1, "c": 0.5, "joined": True},
    ):
        with pytest.raises(PlanError):
            check_plan(plan_of("optimal", asked), table(1))
    method = {"name": "levels-and-stars", "algorithm": "exact"}
    plan = plan_of(method, {"model": "k-m", "k": 2, "m": 2})
    with pytest.raises(PlanError, match="is about some"):
        check_plan(plan, table(1))
