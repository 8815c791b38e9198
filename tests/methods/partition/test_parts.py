"""Methods that part the rows of entries themselves: held, by brute force, to those rows."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct import anonymize
from indistinct.errors import CannotMeetError
from indistinct.methods.common.orders import mapped
from indistinct.methods.common.pieces import Pieces
from indistinct.methods.partition.bounded_runs_kernel import cuts_of_runs, ends_of_runs
from indistinct.methods.partition.diversify import Diversify
from indistinct.methods.partition.dual import AccuracyConstrained, Ipcsd
from indistinct.methods.partition.k_member import KMember
from indistinct.model.entries import Parts, put_together
from indistinct.plan.accuracy import Accuracy
from indistinct.requirements import KAnonymity, LDiversity, TCloseness
from tests.methods.partition.small import REQUIREMENTS, cost, fine, members, problem_of
from tests.methods.partition.test_dual import fits, grown
from tests.methods.partition.test_entries import K_ONLY, gcp, spread, weighted
from tests.profiles import examples

DUAL = [
    AccuracyConstrained(),
    AccuracyConstrained(mapping="lexicographic"),
    Ipcsd(),
    Ipcsd(direct="mondrian"),
    Ipcsd(direct="one-dimension"),
]
FREQUENCY = (LDiversity(kind="frequency", l=2),)


def searched(method, problem):
    try:
        return method.search(problem)
    except CannotMeetError:
        return None


@st.composite
def bounded(draw, maximize):
    limit = draw(st.sampled_from([0.1, 0.25, 0.5, 0.75, 1.0]))
    accuracy = Accuracy(max_ncp=limit, maximize=maximize)
    return [replace(job, accuracy=accuracy) for job in draw(weighted(most=9))]


@pytest.mark.parametrize("maximize", ["k", "l"])
@pytest.mark.parametrize("method", DUAL)
@given(data=st.data())
@examples(25)
def test_rows_within_a_bound_keep_it_and_what_is_asked(method, maximize, data):
    entries, rows = data.draw(bounded(maximize))
    found = searched(method, entries)
    if found is None:
        return
    groups = members(spread(entries, found))
    assert sum(map(len, groups)) == rows.table.rows
    assert all(fits(rows, group) and fine(rows, group) for group in groups)
    held = rows.table.sensitive[0].codes
    if maximize == "k":
        worst = min(map(len, groups))
    else:
        worst = min(len(g) / np.bincount(held[g]).max() for g in groups)
    assert found.search["reached"] == pytest.approx(worst)


@given(job=weighted(most=9, requirements=K_ONLY), limit=st.sampled_from([0.1, 0.25, 0.5, 0.75]))
@examples(80)
def test_the_largest_k_is_that_of_the_rows(job, limit):
    bare = [replace(j, table=replace(j.table, sensitive=())) for j in job]
    entries, rows = (replace(j, accuracy=Accuracy(max_ncp=limit)) for j in bare)
    entries = replace(entries, table=put_together(entries.table).table)
    by_entry = searched(AccuracyConstrained(), entries)
    by_row = searched(AccuracyConstrained(), rows)
    assert (by_entry is None) == (by_row is None)
    if by_row is not None:
        assert by_entry.search == by_row.search
        in_order = replace(rows, table=rows.table.with_ties_in(np.arange(rows.table.rows))[0])
        lost = cost(in_order, members(spread(entries, by_entry)))
        assert lost == pytest.approx(cost(rows, members(by_row)))


@given(
    st.lists(st.tuples(st.integers(1, 7), st.integers(0, 3)), min_size=1, max_size=9),
    st.integers(1, 9),
)
def test_runs_end_where_a_walk_over_rows_says(entries, k):
    """Of entries with weights, each run may reach back so many entries (never further later)."""
    weights = np.array([weight for weight, _ in entries])
    back = np.arange(weights.size) - np.array([reach for _, reach in entries])
    earliest = np.maximum.accumulate(np.maximum(back, 0))
    before = np.concatenate([[0], np.cumsum(weights)])
    of_row = np.repeat(np.arange(weights.size), weights)
    covered = {0}
    for end in range(1, of_row.size + 1):
        first = before[earliest[of_row[end - 1]]]
        if any(first <= begin <= end - k for begin in covered):
            covered.add(end)
    ends = ends_of_runs(earliest, before, k)
    for entry, end in enumerate(ends.tolist()):
        inside = [x for x in covered if before[entry] < x <= before[entry + 1]]
        expected = [] if end < 0 else list(range(end, before[entry + 1] + 1))
        assert sorted(inside) == expected
    if ends[-1] >= 0:
        cuts = [of_row.size, *cuts_of_runs(ends, before, k).tolist()]
        assert cuts[-1] == 0
        for end, begin in pairwise(cuts):
            assert end - begin >= k
            assert begin >= before[earliest[of_row[end - 1]]]


@given(job=weighted(most=9, requirements=[(KAnonymity(k=2),)]), limit=st.sampled_from([0.2, 0.5]))
@examples(60)
def test_rows_of_a_value_move_to_the_group_next_to_theirs(job, limit):
    entries = replace(job[0], accuracy=Accuracy(max_ncp=limit, maximize="l"))
    found = searched(AccuracyConstrained(hardest_first=False), entries)
    if found is None:
        return
    runs = grown(entries, mapped(entries, "hilbert").order.tolist())
    begun = {entry: number for number, run in enumerate(runs) for entry in run}
    parts = found.parts or Parts.whole(entries.table.row_counts)
    for entry, group in zip(parts.entry.tolist(), found.groups.tolist(), strict=True):
        assert abs(group - begun[entry]) <= 1
    held, weights = entries.table.sensitive[0].codes, entries.table.weights
    least = min(
        weights[run].sum() / np.bincount(held[run], weights[run]).max() for run in map(list, runs)
    )
    assert found.search["reached"] >= least - 1e-9


@given(job=weighted(most=9, requirements=K_ONLY))
@examples(60)
def test_k_member_makes_the_clusters_of_the_rows(job):
    entries, rows = job
    by_entry, by_row = searched(KMember(), entries), searched(KMember(), rows)
    assert (by_entry is None) == (by_row is None)
    if by_row is not None:
        assert gcp(rows, spread(entries, by_entry)) == pytest.approx(gcp(rows, by_row))
        assert by_entry.search == by_row.search


def test_k_copies_of_a_row_are_a_cluster_of_their_own():
    problem = problem_of([[0]] * 7 + [[1]] * 3 + [[4]] * 4, [5], K_ONLY[1], [0] * 14)
    assert sorted(map(len, members(KMember().search(problem)))) == [3, 4, 7]
    more_may_break = replace(problem, requirements=(KAnonymity(k=3), TCloseness(t=1.0)))
    assert max(map(len, members(KMember().search(more_may_break)))) <= 5


@given(job=weighted(most=9, requirements=REQUIREMENTS[2:]), k=st.integers(2, 6))
@examples(80)
def test_diverse_groups_of_entries_satisfy_by_their_rows(job, k):
    entries, rows = (replace(j, requirements=(*j.requirements, KAnonymity(k=k))) for j in job)
    found = searched(Diversify(), entries)
    if found is None:
        assert not fine(rows, list(range(rows.table.rows)))
        return
    groups = members(spread(entries, found))
    assert sum(map(len, groups)) == rows.table.rows
    assert all(fine(rows, group) for group in groups)


@given(job=weighted(most=12, requirements=[FREQUENCY]))
@examples(80)
def test_eligible_entries_are_solved_without_merging(job):
    entries, rows = job
    if fine(rows, list(range(rows.table.rows))):
        assert searched(Diversify(), entries).search["merged"] == 0


def heavy(seed):
    """A table with many copies, on entries and on rows."""
    draw = np.random.default_rng(seed)
    sizes = [30, 6]
    places = np.unique(draw.integers(0, sizes, (40, 2)), axis=0)
    times = np.ceil(draw.pareto(1.0, len(places)) * 4 + 1).astype(int).clip(max=200)
    rows = np.repeat(places, times, axis=0)
    values = draw.choice(6, len(rows), p=[0.25, 0.2, 0.2, 0.15, 0.1, 0.1])
    problem = problem_of(rows, sizes, FREQUENCY, values)
    shuffled = problem.table.with_ties_in(draw.permutation(len(rows)), {"s"})[0]
    entries = replace(problem, table=put_together(problem.table).table)
    return entries, replace(problem, table=shuffled)


@pytest.mark.parametrize("diversity", [2, 3])
def test_diversify_loses_no_more_on_entries_than_on_rows(diversity):
    asked = (KAnonymity(k=4), LDiversity(kind="frequency", l=diversity))
    losses = []
    for seed in range(20):
        jobs = [replace(job, requirements=asked) for job in heavy(seed)]
        found = [Diversify().search(job) for job in jobs]
        whole = spread(jobs[0], found[0])
        plain = replace(jobs[0], table=expanded(jobs[0].table))
        assert all(fine(plain, group) for group in members(whole))
        losses.append([gcp(plain, whole), gcp(jobs[1], found[1])])
    by_entry, by_row = np.mean(losses, axis=0)
    assert by_entry <= 1.01 * by_row


def expanded(table):
    """The rows of entries, one after the other."""
    return replace(table.part(np.repeat(np.arange(table.entries), table.weights)), weights=None)


def test_pieces_of_an_entry_in_one_group_are_one():
    pieces = Pieces.counted(np.array([1, 0, 1, 1]), np.array([2, 0, 2, -1]), np.array([1, 4, 2, 3]))
    assert pieces.parts.entry.tolist() == [0, 1, 1]
    assert pieces.parts.rows.tolist() == [4, 3, 3]
    assert pieces.groups.tolist() == [0, -1, 2]


@pytest.mark.parametrize(
    ("method", "requirements", "maximize", "copies"),
    [
        (AccuracyConstrained(), K_ONLY[0], "k", "together"),
        (AccuracyConstrained(), FREQUENCY, "k", "apart"),
        (AccuracyConstrained(), FREQUENCY, "l", "together"),
        (AccuracyConstrained(exact=True), K_ONLY[0], "l", "apart"),
        (AccuracyConstrained(mapping=np.argsort), K_ONLY[0], "k", "apart"),
        (Ipcsd(), K_ONLY[0], "k", "together"),
        (Ipcsd(), K_ONLY[0], "l", "apart"),
        (Ipcsd(direct="mondrian"), FREQUENCY, "l", "together"),
        (KMember(), K_ONLY[0], "k", "together"),
        (KMember(), FREQUENCY, "k", "apart"),
        (Diversify(), K_ONLY[0], "k", "loose-ends"),
        (Diversify(), FREQUENCY, "k", "together"),
        (Diversify(), (KAnonymity(k=2), TCloseness(t=0.9)), "k", "apart"),
        (Diversify(exact=True), FREQUENCY, "k", "apart"),
    ],
)
def test_how_copies_are_given(method, requirements, maximize, copies):
    problem = problem_of([(0,), (1,)], [2], requirements, [0, 1])
    problem = replace(problem, accuracy=Accuracy(max_ncp=0.5, maximize=maximize))
    assert method.copies_for(problem) == copies


@pytest.mark.parametrize("name", ["diversify", "k-member", "ac"])
def test_through_the_front_door(name):
    draw = np.random.default_rng(4)
    age, ill = draw.choice([20, 21, 30, 31, 44], 300), draw.choice(list("abcd"), 300)
    plan = {
        "columns": {"age": {"role": "quasi"}, "ill": {"role": "sensitive"}},
        "require": [{"model": "k-anonymity", "k": 50}],
        "method": {"name": name},
    }
    if name == "diversify":
        plan["require"].append({"model": "l-diversity", "kind": "frequency", "l": 3})
    if name == "ac":
        plan["accuracy"] = {"max_ncp": 0.6}
    release = anonymize(pa.table({"age": age, "ill": ill}), plan)
    assert release.verified.holds
    assert release.class_sizes.sum() == 300
    kept = release.rows.column("ill").to_pylist()
    assert sorted(kept) == sorted(ill.tolist())
