"""Methods that change groups entry by entry: held, by brute force, to the rows of the entries."""

from __future__ import annotations

from dataclasses import replace
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from indistinct.errors import CannotMeetError
from indistinct.methods import METHODS
from indistinct.methods.common.deadline import Deadline
from indistinct.methods.common.demands import kept_by_more
from indistinct.methods.partition.best import MOST_PARTED, Best
from indistinct.methods.partition.rounds import Pace, Rounds
from indistinct.model.entries import put_together
from tests.methods.partition.small import REQUIREMENTS, cost, fine, members, problem_of
from tests.methods.partition.test_entries import weighted
from tests.profiles import examples

NAMES = ["best", "topdown", "local-recoding"]


def searched(name, problem):
    try:
        return METHODS[name](name=name).search(problem)
    except CannotMeetError:
        return None


@pytest.mark.parametrize("name", NAMES)
@given(job=weighted())
@examples(25)
def test_rows_of_entries_satisfy_and_lose_what_entries_lose(name, job):
    entries, rows = job
    found = searched(name, entries)
    if found is None:
        assert not fine(rows, list(range(rows.table.rows)))
        return
    of_row = np.repeat(np.arange(entries.table.entries), entries.table.weights)
    groups = members(found.of_entries(of_row))
    assert sorted(row for group in groups for row in group) == list(range(rows.table.rows))
    assert all(fine(rows, group) for group in groups)
    if name == "best":
        cells = rows.table.rows * sum(rows.suppressed_cell)
        assert found.search["loss"] == pytest.approx(cost(rows, groups) / cells)


@pytest.mark.parametrize("name", NAMES)
@given(job=weighted(most=1))
@examples(25)
def test_entries_of_one_row_each_are_grouped_as_rows(name, job):
    entries, rows = job
    by_entry, by_row = searched(name, entries), searched(name, rows)
    assert (by_entry is None) == (by_row is None)
    if by_row is not None:
        assert by_entry.groups.tolist() == by_row.groups.tolist()


@given(job=weighted())
@examples(25)
def test_rounds_group_entries_as_they_group_their_rows(job):
    _, rows = job
    pace = Pace(0.1, 1.5, eager=False, effort=inf, round_effort=inf)
    entries = put_together(rows.table)
    by_entry = Rounds(replace(rows, table=entries.table)).run(pace, Deadline(None))
    by_row = Rounds(rows).run(pace, Deadline(None))
    of_rows = by_entry.groups[entries.of_row]
    assert (by_entry.number, by_entry.rows_left) == (by_row.number, by_row.rows_left)
    assert len({*zip(of_rows.tolist(), by_row.groups.tolist(), strict=True)}) == len(
        {*of_rows.tolist()}
    )


@given(requirements=st.sampled_from(REQUIREMENTS))
def test_rows_are_apart_where_more_of_a_value_may_break_a_rule(requirements):
    problem = problem_of([(0,), (1,)], [2], requirements, [0, 1])
    frequent = any(r.closed_under != "supersets" for r in requirements)
    assert kept_by_more(requirements) is not frequent
    judged = any(r.model != "k-anonymity" for r in requirements)
    assert Best().copies_for(problem) == ("apart" if judged else "loose-ends")
    many = replace(problem, table=replace(problem.table, weights=np.array([MOST_PARTED, 1])))
    assert Best().copies_for(many) == ("apart" if frequent else "loose")


def test_large_tables_settle_and_are_annealed_only_where_that_is_worth_it(monkeypatch):
    draw = np.random.default_rng(1)
    problem = problem_of(draw.integers(0, 12, (600, 5)), [12] * 5, REQUIREMENTS[0], [0] * 600)
    assert Best().search(problem).search["passes"] > 3
    monkeypatch.setattr("indistinct.methods.partition.best.FEW_TURNS", 0)
    monkeypatch.setattr("indistinct.methods.partition.best._worth_it", lambda *_: False)
    monkeypatch.setattr("indistinct.methods.partition.best._tries", lambda *_: 1)
    hasty = Best().search(problem).search
    assert 1 <= hasty["passes"] <= 3
    assert hasty["loss"] <= hasty["first_loss"]
