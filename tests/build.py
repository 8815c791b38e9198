"""Plans and tables for tests, from rows and ladders."""

from __future__ import annotations

import numpy as np

from indistinct.hierarchy import Hierarchy
from indistinct.methods import Problem
from indistinct.model.costs import gcp_cost, weighted_costs
from indistinct.model.table import QuasiColumn, QuasiSet, Table
from indistinct.requirements import KAnonymity


def accepted(*names):
    """Accept columns that number the rows, as only tests need them."""
    return [{"column": name, "reason": "it tells a test which row is which"} for name in names]


def column(name, rows, paths):
    hierarchy = Hierarchy.from_paths(paths)
    codes = np.array([hierarchy.code_of[row[name]] for row in rows], dtype=np.int32)
    return QuasiColumn(name, codes, hierarchy)


def table_of(rows, columns, ladders):
    quasi = tuple(column(name, rows, ladders[name]) for name in columns)
    return Table(len(rows), quasi, (QuasiSet("all", tuple(range(len(columns)))),))


def problem_of(rows, columns, ladders, k, limit):
    table = table_of(rows, columns, ladders)
    return Problem(
        table=table,
        requirements=(KAnonymity(k=k),),
        max_suppressed=limit,
        costs=tuple(weighted_costs(c, gcp_cost) for c in table.quasi),
        suppressed_cell=tuple(c.weight for c in table.quasi),
    )


def plan_of(columns, ladders, k, *, method="optimal", suppression=0.0, **more):
    """A plan whose hierarchies are written as nested trees (paths joined by level)."""
    quasi = {
        name: {"role": "quasi", "hierarchy": {"paths": [list(p) for p in ladders[name]]}}
        for name in columns
    }
    return {
        "columns": quasi | more.pop("others", {}),
        "require": [{"model": "k-anonymity", "k": k}],
        "method": {"name": method},
        "limits": {"suppression": suppression},
        **more,
    }
