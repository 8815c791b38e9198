"""Entries with weights: a method answers for them as for the rows that they stand for."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import CannotMeetError
from indistinct.methods import METHODS
from indistinct.model.entries import Parts, all_apart, loosened, loosened_ends, put_together
from indistinct.model.table import QuasiSet
from tests.methods.partition.small import REQUIREMENTS, problem_of, problems
from tests.profiles import examples

K_ONLY = REQUIREMENTS[:2]
WHOLE_COLUMNS = ["optimal", "samarati", "incognito", "mingen", "datafly"]


def copied(problem, times):
    """The problem with each row as often as said."""
    rows = np.repeat(np.arange(problem.table.entries), times)
    return replace(problem, table=problem.table.of_entries(rows))


def outcome(name, problem):
    try:
        return METHODS[name](name=name).search(problem)
    except CannotMeetError as error:
        return [str(fault.problem) for fault in error.faults]


def check_alike(name, problem):
    entries = put_together(problem.table)
    by_entry, by_row = outcome(name, replace(problem, table=entries.table)), outcome(name, problem)
    if isinstance(by_row, list):
        assert by_entry == by_row
        return
    assert by_entry.column_levels == by_row.column_levels
    assert released(entries.table, by_entry) == released(problem.table, by_row)


def released(table, recoding):
    """How many rows are released of each class and sensitive value."""
    counts = Counter()
    levels = zip(table.quasi, recoding.column_levels, strict=True)
    columns = [column.hierarchy.nodes[level][column.codes] for column, level in levels]
    columns += [column.codes for column in table.sensitive]
    parts = recoding.parts or Parts.whole(table.row_counts)
    for entry, rows, kept in zip(parts.entry, parts.rows, recoding.kept, strict=True):
        counts[tuple(int(column[entry]) for column in columns)] += int(rows) * bool(kept)
    return +counts


@st.composite
def jobs(draw, requirements=REQUIREMENTS):
    problem = draw(problems(most_rows=8, requirements=requirements))
    count = problem.table.entries
    times = draw(st.lists(st.integers(1, 4), min_size=count, max_size=count))
    problem = copied(problem, times)
    limit = draw(st.integers(0, problem.table.rows))
    if draw(st.booleans()):
        columns = len(problem.table.quasi)
        sets = (QuasiSet("one", (0,)), QuasiSet("all", tuple(range(columns))))
        problem = replace(problem, table=replace(problem.table, sets=sets))
    return replace(problem, max_suppressed=limit)


@pytest.mark.parametrize("name", WHOLE_COLUMNS)
@given(job=jobs())
@examples(40)
def test_methods_for_whole_columns_choose_the_same(name, job):
    check_alike(name, job)


@pytest.mark.parametrize("name", ["mu-argus", "k-optimize"])
@given(job=jobs(requirements=K_ONLY))
@examples(25)
def test_methods_of_k_anonymity_alone_choose_the_same(name, job):
    one_set = replace(job.table, sets=job.table.sets[-1:], sensitive=())
    problem = replace(job, table=one_set, forms=tuple("node" for _ in job.forms))
    entries = put_together(problem.table)
    by_entry, by_row = outcome(name, replace(problem, table=entries.table)), outcome(name, problem)
    if isinstance(by_row, list):
        assert by_entry == by_row
        return
    spread = by_entry.of_entries(entries.of_row)
    assert spread.kept.tolist() == by_row.kept.tolist()
    if by_row.starred is not None:
        assert spread.starred.tolist() == by_row.starred.tolist()
        assert spread.search["starred_cells"] == by_row.search["starred_cells"]


@given(job=jobs())
def test_what_entries_count_is_what_rows_count(job):
    table, entries = job.table, put_together(job.table)
    whole = entries.table
    assert whole.rows == table.rows
    assert whole.entries == len(set(zip(*_columns(table), strict=True)))
    assert whole.frequency_set.counts.tolist() == table.frequency_set.counts.tolist()
    for before, after in zip(table.sensitive, whole.sensitive, strict=True):
        assert after.shares.tolist() == before.shares.tolist()
    for place in range(len(table.quasi)):
        groups = np.arange(table.quasi[place].hierarchy.size)
        held = whole.crowd(place).held(groups)
        assert held.tolist() == table.crowd(place).held(groups).tolist()
    for before, after in zip(_columns(table), _columns(whole), strict=True):
        assert [after[entry] for entry in entries.of_row] == before


def _columns(table):
    columns = [*(c.codes for c in table.quasi), *(c.codes for c in table.sensitive)]
    return [codes.tolist() for codes in columns]


def test_entries_of_entries_add_up():
    job = problem_of([(0,), (1,), (0,), (0,), (1,)], [2], K_ONLY[0], [0, 1, 1, 0, 1])
    once = put_together(job.table).table
    again = put_together(replace(once, sensitive=())).table
    assert once.weights.tolist() == [2, 1, 2]
    assert again.weights.tolist() == [3, 2]
    assert again.rows == 5


def test_people_with_several_rows_are_not_put_together():
    job = problem_of([(0,), (0,)], [2], K_ONLY[0], [0, 0], respondents=[0, 1])
    assert put_together(job.table).table is job.table


def test_a_part_is_judged_by_the_shares_of_the_whole():
    job = problem_of([(0,), (1,), (1,)], [2], K_ONLY[0], [0, 1, 1])
    part = job.table.part(np.array([0]))
    assert part.sensitive[0].shares.tolist() == pytest.approx([1 / 3, 2 / 3])
    assert job.table.of_entries(np.array([0])).sensitive[0].shares.tolist() == [1.0, 0.0]


@given(job=jobs(), least=st.integers(1, 4), random=st.randoms(use_true_random=False))
def test_loose_entries_hold_the_same_rows(job, least, random):
    loose, pieces = pieces_of(job.table, loosened, least, random)
    for weights in pieces.values():
        whole = sum(weights)
        assert len(weights) == (1 if whole < least else 1 + min(whole - least, least - 1))
        assert sorted(weights)[:-1] == [1] * (len(weights) - 1)
    assert loose.table.frequency_set.counts.tolist() == job.table.frequency_set.counts.tolist()


@given(job=jobs(), least=st.integers(1, 4), random=st.randoms(use_true_random=False))
def test_loose_ends_hold_the_same_rows(job, least, random):
    loose, pieces = pieces_of(job.table, loosened_ends, least, random)
    end = [1] * (least - 1)
    for weights in pieces.values():
        whole = sum(weights)
        many = whole >= 3 * least - 2
        assert weights == ([*end, whole - 2 * len(end), *end] if many else [1] * whole)
    assert loose.table.frequency_set.counts.tolist() == job.table.frequency_set.counts.tolist()


def pieces_of(table, loosen, least, random):
    """Loose entries, and the weights of those that are alike; rows are where they were."""
    order = np.array(random.sample(range(table.rows), table.rows), dtype=np.intp)
    loose = loosen(table, put_together(table), least, order)
    assert np.bincount(loose.of_row).tolist() == loose.table.weights.tolist()
    for before, after in zip(_columns(table), _columns(loose.table), strict=True):
        assert [after[entry] for entry in loose.of_row] == before
    pieces = {}
    for weight, *key in zip(loose.table.weights.tolist(), *_columns(loose.table), strict=True):
        pieces.setdefault(tuple(key), []).append(weight)
    return loose, pieces


@given(job=jobs(), least=st.integers(1, 4), random=st.randoms(use_true_random=False))
def test_entries_of_entries_are_cut_where_pieces_end(job, least, random):
    """As where several raw values read the same: each raw entry is cut by itself."""
    raw = job.table.entries
    times = np.array([random.randint(1, 7) for _ in range(raw)], dtype=np.int64)
    table = replace(job.table.part(np.arange(raw)), weights=times)
    order = np.array(random.sample(range(raw), raw), dtype=np.intp)
    entries = put_together(table)
    ways = [loosen(table, entries, least, order) for loosen in (loosened, loosened_ends)]
    for split in (*ways, all_apart(table, entries, order)):
        parts = split.parts
        assert np.bincount(parts.entry, parts.rows, raw).tolist() == times.tolist()
        assert np.bincount(split.of_row, parts.rows).tolist() == split.table.weights.tolist()
        for before, after in zip(_columns(table), _columns(split.table), strict=True):
            assert [after[piece] for piece in split.of_row] == [before[e] for e in parts.entry]
        assert parts.of_table(table).rows == table.rows
