"""The optimum for small tables, as a mixed-integer program.

A *pattern* is a node for each column (the value, or a star, where there is nothing between) under
which at least k rows fall. Which patterns are used, and how many of the rows alike go to each:

    minimize    sum c_p x_pr + C sum z_r
    subject to  sum_p x_pr + z_r = n_r        each row is published once, or left out
                k y_p <= sum_r x_pr           a pattern that is used has k rows
                x_pr <= n_r y_p
                sum_r z_r <= most that may be left out

for distinct rows r that n_r rows have, patterns p above r, y binary. A group of any partition costs
what its pattern does, so nothing better exists. Patterns under which the same rows fall are one, at
the cost of what those rows span.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import CannotMeetError, Fault, PlanError
from indistinct.methods.common.solving import solve

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.deadline import Deadline

MOST_CLASSES = 2_000_000
MOST_PAIRS = 60_000
FEW_ROWS = 20
FEW_PAIRS = 1_000


@dataclass(frozen=True, eq=False)
class Patterns:
    """The patterns that rows can share.

    Attributes
    ----------
    cost
        What a row of each pattern costs.
    pattern, row
        The pairs of a pattern and a distinct row under it.
    """

    cost: NDArray[np.float64]
    pattern: NDArray[np.int64]
    row: NDArray[np.int64]

    @classmethod
    def of(cls, problem: Problem, k: int) -> Patterns | None:
        """List the patterns of at least k rows; None if there are too many."""
        distinct = problem.table.frequency_set
        heights = problem.table.heights
        if prod(height + 1 for height in heights) * distinct.size > MOST_CLASSES:
            return None
        codes = np.stack(distinct.codes, axis=1)
        classes: dict[bytes, NDArray[np.int64]] = {}
        pairs = 0
        for levels in product(*(range(height + 1) for height in heights)):
            for members in _classes(problem, levels):
                if distinct.counts[members].sum() >= k and members.tobytes() not in classes:
                    classes[members.tobytes()] = members
                    pairs += members.size
            if pairs > MOST_PAIRS:
                return None
        sets = list(classes.values())
        low = np.array([codes[m].min(axis=0) for m in sets], dtype=np.int32)
        high = np.array([codes[m].max(axis=0) for m in sets], dtype=np.int32)
        spans = problem.spans
        cost = sum(spans.cost(c, low[:, c], high[:, c]) for c in range(codes.shape[1]))
        number = np.repeat(np.arange(len(sets)), [m.size for m in sets])
        return cls(np.asarray(cost), number, np.concatenate(sets))


def _classes(problem: Problem, levels: tuple[int, ...]) -> list[NDArray[np.int64]]:
    """Part the distinct rows by their nodes on some levels."""
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    columns = zip(problem.table.quasi, levels, problem.table.frequency_set.codes, strict=True)
    nodes = [column.hierarchy.nodes[level][codes] for column, level, codes in columns]
    keys, _ = row_keys(nodes, [int(held.max()) + 1 for held in nodes])
    numbers = rank_keys(keys)[0]
    order = np.argsort(numbers, kind="stable")
    return np.split(order, np.flatnonzero(np.diff(numbers[order])) + 1)


def fits(problem: Problem) -> bool:
    """Return whether only k-anonymity of one set of columns is asked, and rows are people."""
    only_k = all(asked.model == "k-anonymity" for asked in problem.requirements)
    return only_k and len(problem.table.sets) == 1 and not problem.table.has_respondents


def algorithm_for(asked: str, problem: Problem, k: int) -> str:
    """Return the algorithm that was asked for; left to choose, the exact one on small tables."""
    if asked != "auto":
        return asked
    return "exact" if is_small(problem, k) else "local"


def is_small(problem: Problem, k: int) -> bool:
    """Return whether the optimum is a matter of moments."""
    if not fits(problem) or problem.table.frequency_set.size > FEW_ROWS:
        return False
    patterns = Patterns.of(problem, k)
    return patterns is not None and patterns.row.size <= FEW_PAIRS


def exact_groups(
    problem: Problem, k: int, deadline: Deadline
) -> tuple[NDArray[np.int32], dict[str, Any]]:
    """Return the group of each row, -1 where it is left out, and how good that is.

    Raises
    ------
    PlanError
        If more is asked than k-anonymity, or the table is too large.
    CannotMeetError
        If nothing was found in time.
    """
    if not fits(problem):
        reason = "only for k-anonymity of one set of columns with one row per person"
        raise PlanError(_refused(f'"exact" is {reason}, and more is asked'))
    patterns = Patterns.of(problem, k)
    if patterns is None:
        rows = problem.table.frequency_set.size
        raise PlanError(
            _refused(f'"exact" is for small tables; {rows} distinct rows share too many patterns')
        )
    copies, proof = _solved(problem, patterns, k, deadline)
    return _groups(problem, patterns, copies), proof


def _refused(problem: str) -> Fault:
    return Fault("method.algorithm", problem, 'Set algorithm = "local" or "forest".')


def _solved(
    problem: Problem, patterns: Patterns, k: int, deadline: Deadline
) -> tuple[NDArray[np.int64], dict[str, Any]]:
    """Return how many rows of each pair there are in the best solution."""
    from scipy.optimize import Bounds, LinearConstraint
    from scipy.sparse import coo_array

    counts = problem.table.frequency_set.counts
    pairs, rows, number = patterns.row.size, counts.size, patterns.cost.size
    many = pairs + number + rows
    place, y, z = np.arange(pairs), pairs + np.arange(number), pairs + number + np.arange(rows)

    def matrix(*parts: tuple[Any, Any, Any], height: int) -> Any:
        values, lines, columns = (np.concatenate(part) for part in zip(*parts, strict=True))
        return coo_array((values, (lines, columns)), shape=(height, many)).tocsc()

    ones = np.ones(pairs)
    published = matrix(
        (ones, patterns.row, place), (np.ones(rows), np.arange(rows), z), height=rows
    )
    enough = matrix(
        (ones, patterns.pattern, place), (np.full(number, -k), np.arange(number), y), height=number
    )
    opened = matrix(
        (ones, place, place),
        (-counts[patterns.row].astype(float), place, y[patterns.pattern]),
        height=pairs,
    )
    left_out = sum(problem.suppressed_cell)
    cost = np.concatenate(
        [patterns.cost[patterns.pattern], np.zeros(number), np.full(rows, left_out)]
    )
    upper = np.concatenate([counts[patterns.row], np.ones(number), counts])
    constraints = [
        LinearConstraint(published, counts, counts),
        LinearConstraint(enough, 0, np.inf),
        LinearConstraint(opened, -np.inf, 0),
        LinearConstraint(
            matrix((np.ones(rows), np.zeros(rows, dtype=int), z), height=1),
            0,
            problem.max_suppressed,
        ),
    ]
    solved = solve(
        deadline,
        c=cost,
        integrality=np.ones(many),
        bounds=Bounds(0, upper),
        constraints=constraints,
    )
    if solved["x"] is None:
        timed = deadline.seconds_left is not None
        raise CannotMeetError(
            Fault(
                "method.time_limit",
                "time ran out before any groups were found" if timed else "no groups exist",
                'Give more time, or set algorithm = "local".',
            )
        )
    proven = bool(solved["status"] == 0)
    gap = max(float(solved["fun"]) - float(solved["mip_dual_bound"]), 0.0)
    proof = {"proven": proven, "gap": 0.0 if proven else gap, "timed_out": not proven}
    return np.round(solved["x"][:pairs]).astype(np.int64), proof


def _groups(problem: Problem, patterns: Patterns, copies: NDArray[np.int64]) -> NDArray[np.int32]:
    """Deal the rows that are alike out to the patterns they go to."""
    distinct = problem.table.frequency_set
    order = np.argsort(distinct.inverse, kind="stable")
    next_row = np.cumsum(distinct.counts) - distinct.counts
    groups = np.full(problem.table.entries, -1, dtype=np.int32)
    for pair in np.flatnonzero(copies).tolist():
        row, number = patterns.row[pair], copies[pair]
        groups[order[next_row[row] : next_row[row] + number]] = patterns.pattern[pair]
        next_row[row] += number
    used = np.unique(groups[groups >= 0])
    numbers = np.full(patterns.cost.size + 1, -1, dtype=np.int32)
    numbers[used] = np.arange(used.size)
    return numbers[groups]
