"""Diversify: eligible data are always solved, every requirement holds, and the exact programme."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import ceil

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from indistinct import Plan, anonymize
from indistinct.datasets import medical_plan
from indistinct.datasets.census import census, census_ladders
from indistinct.errors import CannotMeetError, PlanError
from indistinct.methods.common.orders import mapped
from indistinct.methods.partition.diversify import Diversify, thinned
from indistinct.requirements import KAnonymity, LDiversity
from tests.methods.partition.small import cost, fine, members, problem_of, problems

MAPPINGS = ["hilbert", "idistance", "lexicographic"]


def frequency(diversity):
    return LDiversity(kind="frequency", l=diversity)


@st.composite
def eligible(draw, *, most_rows=24):
    """A problem where no sensitive value has more than 1/l of the rows."""
    diversity = draw(st.integers(2, 4))
    count = draw(st.integers(diversity, most_rows))
    held = draw(st.lists(st.integers(0, 6), min_size=count, max_size=count))
    most = count // diversity
    free = [v for v in range(7) for _ in range(max(0, most - held.count(v)))]
    seen = Counter()
    for place, value in enumerate(held):
        seen[value] += 1
        if seen[value] > most:
            held[place] = free.pop()
    rows = draw(st.lists(st.tuples(*[st.integers(0, 4)] * 2), min_size=count, max_size=count))
    return problem_of(rows, [5, 5], [frequency(diversity)], held), diversity


@given(eligible())
def test_eligible_data_are_solved_without_merging(job):
    problem, diversity = job
    counts = np.bincount(problem.table.sensitive[0].codes)
    assert counts.max() * diversity <= problem.table.rows
    found = Diversify().search(problem)
    assert found.search["merged"] == 0
    assert all(fine(problem, group) for group in members(found))
    assert np.array_equal(found.groups, Diversify().search(problem).groups)


@given(eligible(), st.integers(2, 9))
def test_groups_of_at_least_k_rows(job, k):
    problem, diversity = job
    assume(problem.table.rows >= k)
    asked = problem_of(
        problem.codes,
        [5, 5],
        [KAnonymity(k=k), frequency(diversity)],
        problem.table.sensitive[0].codes,
    )
    found = Diversify().search(asked)
    assert all(fine(asked, group) for group in members(found))
    assert found.search["merged"] == 0


@pytest.mark.parametrize("mapping", MAPPINGS)
@given(problem=problems(respondents=True))
def test_every_requirement_holds(mapping, problem):
    method = Diversify(mapping=mapping)
    if not fine(problem, list(range(problem.table.rows))):
        with pytest.raises(CannotMeetError):
            method.search(problem)
        return
    assert all(fine(problem, group) for group in members(method.search(problem)))


def test_the_next_row_joins_the_nearer_group():
    """Figure 14: r4 is nearer to r1..r3 than to r5..r7."""
    places = [[0], [1], [2], [3], [10], [11], [12]]
    held = [0, 1, 2, 3, 0, 1, 2]
    problem = problem_of(places, [13], [frequency(3)], held, form="set")
    assert members(Diversify().search(problem)) == [[0, 1, 2, 3], [4, 5, 6]]


def test_the_most_frequent_values_are_taken_where_the_order_would_use_up_the_others():
    held = [0, 1, 2, 0, 1, 2, 3, 3, 3, 3]
    problem = problem_of([[i] for i in range(10)], [10], [frequency(2)], held, form="set")
    found = Diversify().search(problem)
    assert found.search["fallen_back"] > 0
    assert all(fine(problem, group) for group in members(found))


def nearest_of_rows(held, most):
    """For each row the one that stands for it, of so many of its value, evenly chosen."""
    stands = list(range(len(held)))
    for value in set(held):
        rows = [row for row in range(len(held)) if held[row] == value]
        if len(rows) > most:
            chosen = [j * len(rows) // most for j in range(most)]
            for at, row in enumerate(rows):
                ends = [(a + b + 1) // 2 for a, b in pairwise(chosen)]
                stands[row] = rows[chosen[sum(end <= at for end in ends)]]
    return stands


@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(1, 5)), min_size=2, max_size=30),
    st.integers(2, 3),
)
def test_what_is_set_aside_stands_behind_a_row_of_its_value(places, diversity):
    values, rows = zip(*places, strict=True)
    held, rows = np.unique(values, return_inverse=True)[1].astype(np.int32), np.array(rows)
    assume(held.max() + 1 >= diversity)
    kept, target = thinned(held, rows, diversity)
    left = np.bincount(held, kept)
    assert left.max() * diversity <= kept.sum()
    assert ((kept >= 0) & (kept <= rows)).all()
    assert np.array_equal(held[target], held)
    assert (kept[target] > 0).all()
    assert (target[kept > 0] == np.flatnonzero(kept)).all()
    if np.bincount(held, rows).max() * diversity <= rows.sum():
        assert kept.tolist() == rows.tolist()
    of_row = np.repeat(np.arange(held.size), rows)
    stands = nearest_of_rows(held[of_row].tolist(), int(left.max()))
    chosen = of_row[np.unique(stands)]
    assert np.bincount(chosen, minlength=held.size).tolist() == kept.tolist()
    if (rows == 1).all():
        assert target.tolist() == stands


def ordered_partitions(domains, diversity):
    """Every way to take groups of l rows and more, one after the other within each value."""
    if not any(domains):
        yield []
        return
    present = [q for q, rows in enumerate(domains) if rows]
    for mask in range(1, 1 << len(present)):
        chosen = [q for i, q in enumerate(present) if mask >> i & 1]
        if len(chosen) >= diversity:
            rest = [rows[1:] if q in chosen else rows for q, rows in enumerate(domains)]
            for more in ordered_partitions(rest, diversity):
                yield [[domains[q][0] for q in chosen], *more]


@given(eligible(most_rows=7))
def test_the_exact_programme(job):
    problem, diversity = job
    order = mapped(problem, "hilbert").order
    held = problem.table.sensitive[0].codes
    domains = [[r for r in order if held[r] == v] for v in range(held.max() + 1)]
    least = min(cost(problem, p) for p in ordered_partitions(domains, diversity))
    found = Diversify(exact=True).search(problem)
    assert all(fine(problem, group) for group in members(found))
    assert cost(problem, members(found)) == pytest.approx(least)


def all_partitions(rows):
    if not rows:
        yield []
        return
    first, rest = rows[0], rows[1:]
    for mask in range(1 << len(rest)):
        with_first = [row for i, row in enumerate(rest) if mask >> i & 1]
        for more in all_partitions([row for row in rest if row not in with_first]):
            yield [[first, *with_first], *more]


def extents(problem, groups):
    places = problem.codes[:, 0]
    return [int(places[group].max() - places[group].min()) for group in groups]


def no_value_twice(held, group):
    return len({held[row] for row in group}) == len(group) < 4


LOSSES = {"extents": sum, "largest-extent": max}


@pytest.mark.parametrize(
    "options",
    [
        {"minimize": "extents"},
        {"minimize": "largest-extent"},
        {"minimize": "largest-extent", "through_dual": True},
    ],
)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 2)), min_size=2, max_size=7))
def test_of_one_column_no_groups_extend_less(options, rows):
    held = [value for _, value in rows]
    assume(max(map(held.count, held)) * 2 <= len(held))
    problem = problem_of([[place] for place, _ in rows], [10], [frequency(2)], held, form="set")
    found = members(Diversify(exact=True, **options).search(problem))
    allowed = [
        groups
        for groups in all_partitions(list(range(len(rows))))
        if all(fine(problem, group) for group in groups)
    ]
    loss = LOSSES[options["minimize"]]
    if loss is sum:  # as in equation 8; groups that lie in each other cost less as one
        allowed = [p for p in allowed if all(no_value_twice(held, group) for group in p)]
    assert all(fine(problem, group) for group in found)
    assert loss(extents(problem, found)) == min(loss(extents(problem, p)) for p in allowed)


def test_the_dual_takes_more_rows_than_the_direct_programme():
    generator = np.random.default_rng(1)
    rows = generator.integers(0, 400, (60, 1)).tolist()
    held = list(range(5)) * 12
    problem = problem_of(rows, [400], [frequency(3)], held, form="set")
    with pytest.raises(PlanError, match="too many"):
        Diversify(exact=True, minimize="largest-extent").search(problem)
    dual = Diversify(exact=True, minimize="largest-extent", through_dual=True).search(problem)
    assert all(fine(problem, group) for group in members(dual))
    along = members(Diversify().search(problem))
    assert max(extents(problem, members(dual))) < max(extents(problem, along))


@pytest.mark.parametrize(
    "options",
    [{"minimize": "extents"}, {"exact": True, "through_dual": True}, {"through_dual": True}],
)
def test_options_of_the_exact_search_that_do_not_go_together(options):
    with pytest.raises(PlanError, match="exact = true"):
        Plan.load(medical_plan(method={"name": "diversify", **options}))


def test_the_exact_programme_is_for_small_tables():
    held = [i % 10 for i in range(100)]
    problem = problem_of([[i % 5] for i in range(100)], [5], [frequency(2)], held)
    with pytest.raises(PlanError, match="too many"):
        Diversify(exact=True).search(problem)


@pytest.mark.parametrize("mapping", MAPPINGS)
def test_a_census(mapping):
    columns = {
        name: {"role": "quasi", "hierarchy": {"paths": paths}}
        for name, paths in census_ladders().items()
    }
    plan = {
        "columns": columns | {"occupation": {"role": "sensitive"}},
        "require": [{"model": "l-diversity", "kind": "frequency", "l": 5}],
        "method": {"name": "diversify", "mapping": mapping},
        "unlisted": "drop",
    }
    release = anonymize(census(rows=3_000, seed=3), plan)
    assert all(found.holds for found in release.evidence)
    assert release.recoding.count > 3_000 / 2 / ceil(5 * 1.5)
