"""Datafly: generalize the column with most distinct values until few enough rows stand out."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from indistinct.errors import CannotMeetError, Fault
from indistinct.methods.base import ALL_MODELS, Method
from indistinct.methods.common.feasible import require_possible
from indistinct.methods.full_domain.minimal import few_values_first, settled_at
from indistinct.methods.full_domain.walk import released, walk

if TYPE_CHECKING:
    from indistinct.methods.base import Problem
    from indistinct.model.recoding import LevelVector
    from indistinct.model.table import Table


class Datafly(Method):
    """Raise the column with most distinct values by a level until the rest can be suppressed.

    It follows a single strategy of the lattice, chosen by the values that the table holds at each
    step, and stops at the first vector within the limit: fast, but often too coarse (Samarati
    2001, section 7). Ties go to the first column of the plan. Where we differ: the limit is a
    number of rows (Sweeney allows k), other requirements than k-anonymity are tested by the same
    loop, and the anonymity levels and recipient profiles of the Datafly system are left to the
    plan: a column that a recipient cannot link is not quasi. Cost: at most the sum of the heights
    of the hierarchies vectors are counted.

    References
    ----------
    Sweeney, *Guaranteeing Anonymity when Sharing Medical Data, the Datafly System*, JAMIA 1997;
    Samarati, IEEE TKDE 13(6), 2001, section 7.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from indistinct import anonymize
    >>> races, codes = ("asian", "black", "white"), ("94138", "94139", "94141", "94142")
    >>> pairs = [(race, code) for race in races for code in codes]
    >>> people = pa.table({"race": [p[0] for p in pairs], "zip": [p[1] for p in pairs]})
    >>> plan = {
    ...     "columns": {
    ...         "race": {"role": "quasi", "hierarchy": "flat"},
    ...         "zip": {"role": "quasi", "hierarchy": {"mask": "right"}},
    ...     },
    ...     "require": [{"model": "k-anonymity", "k": 3}],
    ...     "method": {"name": "datafly"},
    ... }
    >>> anonymize(people, plan).levels  # race alone would do
    {'race': 1, 'zip': 1}
    """

    decides: ClassVar[str] = "a level for each whole column, and rows to suppress; greedily"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = "Sweeney, JAMIA 1997"
    draws_rows: ClassVar[bool] = True

    name: Literal["datafly"] = "datafly"

    def search(self, problem: Problem) -> LevelVector:
        """Climb until few enough rows would be left out."""
        require_possible(problem)
        way = walk(problem, few_values_first(problem.table))
        heights = problem.table.heights
        levels = [0] * len(heights)
        settled = settled_at(way, levels)
        path = [list(levels)]
        while settled.dropped > problem.max_suppressed:
            rising = [column for column, level in enumerate(levels) if level < heights[column]]
            if not rising:
                raise _stuck(problem)
            levels[max(rising, key=_values(problem.table, levels).__getitem__)] += 1
            path.append(list(levels))
            settled = settled_at(way, levels)
        return released(problem, way.kept(settled), tuple(levels), {"path": path})


def _values(table: Table, levels: list[int]) -> list[int]:
    """Count the distinct values of each column as it is generalized now."""
    numbers = []
    for column, level in zip(table.quasi, levels, strict=True):
        occurs = np.bincount(column.codes, minlength=column.hierarchy.size) > 0
        numbers.append(int(np.unique(column.hierarchy.nodes[level][occurs]).size))
    return numbers


def _stuck(problem: Problem) -> CannotMeetError:
    asked = "; ".join(f"{r.model} ({r.asked()})" for r in problem.requirements)
    return CannotMeetError(
        Fault(
            "method 'datafly'",
            f"no vector on its way to the top satisfies {asked} with at most "
            f"{problem.max_suppressed} of {problem.table.rows} rows suppressed",
            "Another method looks at all vectors: use optimal.",
        )
    )
