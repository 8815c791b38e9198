"""Methods that group rows, on entries that stand for several: held to the rows they stand for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import CannotMeetError
from indistinct.measures.loss import measure_loss
from indistinct.methods import METHODS
from indistinct.methods.common.demands import beyond_rows, compiled
from indistinct.methods.common.demands_kernel import runs_satisfied
from indistinct.methods.common.repair import Check
from indistinct.model.entries import loosened_ends, put_together
from indistinct.requirements import KAnonymity
from tests.methods.partition.small import REQUIREMENTS, fine, members, problems
from tests.profiles import examples

K_ONLY = [*REQUIREMENTS[:2], (KAnonymity(k=5),)]
WAYS = {
    "mondrian": ("mondrian", {}),
    "mondrian, relaxed": ("mondrian", {"strict": False}),
    "one-dimension": ("one-dimension", {}),
    "one-dimension, fast": ("one-dimension", {"fast": True}),
    "hilbert": ("hilbert", {}),
    "idistance": ("idistance", {}),
    "diversify": ("diversify", {}),
    "alpha-k-topdown": ("alpha-k-topdown", {}),
    "k-member": ("k-member", {}),
}


@st.composite
def weighted(draw, most=4, respondents=False, requirements=REQUIREMENTS):
    """A problem on entries, and the same one on rows, in which each entry stands as often."""
    small = draw(problems(most_rows=8, respondents=respondents, requirements=requirements))
    count = small.table.entries
    times = draw(st.lists(st.integers(1, most), min_size=count, max_size=count))
    expanded = small.table.of_entries(np.repeat(np.arange(count), times))
    shares = [column.shares for column in expanded.sensitive]
    sensitive = tuple(
        replace(column, overall=share)
        for column, share in zip(small.table.sensitive, shares, strict=True)
    )
    weights = np.array(times, dtype=np.int64)
    table = replace(small.table, sensitive=sensitive, weights=weights)
    return replace(small, table=table), replace(small, table=expanded)


def spread(entries, recoding):
    """The partition of the rows, those of an entry as they come."""
    rows, parts = entries.table.weights, recoding.parts
    if parts is not None:
        assert (np.diff(parts.entry) >= 0).all()
        assert np.bincount(parts.entry, parts.rows).tolist() == rows.tolist()
        rows = parts.rows
    return recoding.of_entries(np.repeat(np.arange(rows.size), rows))


def gcp(problem, partition):
    sizes = np.bincount(partition.groups)
    return measure_loss(problem.table, partition, sizes, problem.forms).gcp


def outcome(way, problem):
    name, options = WAYS[way]
    try:
        return METHODS[name](name=name, **options).search(problem)
    except CannotMeetError as error:
        return [fault.problem for fault in error.faults]


@pytest.mark.parametrize("way", WAYS)
@given(job=weighted(respondents=True))
@examples(40)
def test_the_rows_of_groups_of_entries_satisfy(way, job):
    entries, rows = job
    found = outcome(way, entries)
    if isinstance(found, list):
        assert found == outcome(way, rows)
        return
    whole = spread(entries, found)
    for group in members(whole):
        assert fine(rows, group)
    if found.parts is None:
        assert gcp(entries, found) == pytest.approx(gcp(rows, whole))


@pytest.mark.parametrize("way", WAYS)
@given(problem=problems(respondents=True))
@examples(25)
def test_weights_of_one_change_nothing(way, problem):
    ones = np.ones(problem.table.entries, dtype=np.int64)
    found = outcome(way, replace(problem, table=replace(problem.table, weights=ones)))
    expected = outcome(way, problem)
    if isinstance(found, list):
        assert found == expected
    else:
        assert found.groups.tolist() == expected.groups.tolist()
        assert found.search == expected.search


@given(job=weighted())
@examples(60)
def test_strict_cuts_are_those_of_the_rows(job):
    _, rows = job
    entries = put_together(rows.table)
    found = outcome("mondrian", replace(rows, table=entries.table))
    expected = outcome("mondrian", rows)
    if isinstance(expected, list):
        assert found == expected
    else:
        assert found.of_entries(entries.of_row).groups.tolist() == expected.groups.tolist()


@pytest.mark.parametrize("way", ["one-dimension", "hilbert", "idistance"])
@given(job=weighted(most=9, requirements=K_ONLY), random=st.randoms(use_true_random=False))
@examples(60)
def test_runs_of_entries_with_loose_ends_lose_no_more_than_those_of_rows(way, job, random):
    _, rows = job
    size = rows.table.rows
    rows = replace(rows, table=replace(rows.table, sensitive=()))
    least = min(rows.requirements[0].k, size)
    order = np.array(random.sample(range(size), size), dtype=np.intp)
    entries = loosened_ends(rows.table, put_together(rows.table), least, order)
    found, expected = outcome(way, replace(rows, table=entries.table)), outcome(way, rows)
    if isinstance(expected, list):
        assert found == expected
    else:
        whole = found.of_entries(entries.of_row)
        assert gcp(rows, whole) == pytest.approx(gcp(rows, expected))


@given(job=weighted(respondents=True), data=st.data())
@examples(60)
def test_groups_of_entries_are_judged_by_their_rows(job, data):
    entries, rows = job
    size = entries.table.entries
    drawn = data.draw(st.lists(st.integers(0, 2), min_size=size, max_size=size))
    groups = np.unique(drawn, return_inverse=True)[1].astype(np.int32)
    of_row = np.repeat(groups, entries.table.weights)
    expected = [fine(rows, np.flatnonzero(of_row == g)) for g in range(groups.max() + 1)]
    order = np.argsort(groups, kind="stable").astype(np.int32)
    ends = np.cumsum(np.bincount(groups))
    if (asked := beyond_rows(compiled(entries))) is not None:
        assert runs_satisfied(asked, order, ends).tolist() == expected
    assert Check(entries)(groups).tolist() == Check(rows)(of_row).tolist()
    if not entries.table.has_respondents:
        assert Check(entries)(groups).tolist() == expected
        some = np.flatnonzero(groups == 0)
        alone = np.zeros(some.size, dtype=np.int32)
        assert Check(entries).among(some, alone).tolist() == expected[:1]
