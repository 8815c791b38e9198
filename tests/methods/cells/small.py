"""Small random tables for methods that decide cell by cell, and their cost by the definition."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from hypothesis import strategies as st

from indistinct.methods.cells.suppression import CellSuppression
from indistinct.model.costs import precision_cost, weighted_costs
from tests import oracle_cells as brute
from tests.build import problem_of


@st.composite
def tables(draw, *, most_rows=9, most_values=4, most_columns=4, least_rows=2):
    """Rows of values, and the weight of each column."""
    columns = draw(st.integers(1, most_columns))
    row = st.tuples(
        *(st.integers(0, draw(st.integers(1, most_values)) - 1) for _ in range(columns))
    )
    rows = draw(st.lists(row, min_size=least_rows, max_size=most_rows))
    weights = draw(st.sampled_from([(1, 1, 1, 1), (1, 1, 1, 1), (2, 1, 3, 1), (0.5, 0, 1, 4)]))
    return rows, weights[:columns]


def star_problem(rows, weights, k, limit=0):
    """A problem in which cells are published or starred."""
    names = [f"c{i}" for i in range(len(weights))]
    named = [dict(zip(names, map(str, row), strict=True)) for row in rows]
    ladders = {
        name: [[value, "*"] for value in sorted({row[name] for row in named})] for name in names
    }
    problem = problem_of(named, names, ladders, k, limit)
    quasi = tuple(
        replace(column, weight=float(weight))
        for column, weight in zip(problem.table.quasi, weights, strict=True)
    )
    return weighed(replace(problem, forms=("star",) * len(names)), quasi)


def weighed(problem, quasi):
    return replace(
        problem,
        table=replace(problem.table, quasi=quasi),
        costs=tuple(weighted_costs(column, precision_cost) for column in quasi),
        suppressed_cell=tuple(column.weight for column in quasi),
    )


def grouped(found):
    """The rows of each group, and those in none."""
    groups = found.groups
    parts = [np.flatnonzero(groups == group).tolist() for group in range(int(groups.max()) + 1)]
    return parts, np.flatnonzero(groups < 0).tolist()


def starring_cost(found, rows, weights):
    """What a partition costs in stars, by the definition."""
    parts, out = grouped(found)
    starred = sum(len(part) * brute.stars([rows[i] for i in part], weights) for part in parts)
    return starred + len(out) * sum(weights)


def starred(rows, weights, k, limit=0, **options):
    """Run cell-suppression; return its cost, having checked that groups have k rows."""
    found = CellSuppression(**options).search(star_problem(rows, weights, k, limit))
    parts, out = grouped(found)
    assert all(len(part) >= k for part in parts)
    assert len(out) <= limit
    return starring_cost(found, rows, weights)
