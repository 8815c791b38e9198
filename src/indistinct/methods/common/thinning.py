"""Leaving rows out before a search, where all rows together break what is required.

A method that groups rows can at worst put all of them into one group. Where a sensitive value is
too frequent even there (more than 1/l of the table, say), no groups of all rows satisfy. So rows
are suppressed first, within the limit, and the method groups the others: the fewest rows of the
whole table, which leaves groups no room, since each must then have just the shares of all; some
more; or the fewest rows of each class of a level vector, which may be more, but go where the value
is too frequent. What loses least by a quick search is taken. Which rows of a value go is drawn by
the secret order.
"""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import numpy as np

from indistinct.errors import CannotMeetError, PlanError
from indistinct.methods.common.dealing import kept_of_entries
from indistinct.methods.common.groups import mean_cost
from indistinct.methods.common.judge import Pairs, judges
from indistinct.model.entries import Parts
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from indistinct.methods.base import Method, Problem
    from indistinct.methods.common.judge import Judge
    from indistinct.methods.common.part_kernel import Kept
    from indistinct.model.recoding import Partition, Recoding

    Quick = Callable[[Problem], Recoding]

MORE = (0.0, 0.1, 0.3, 1.0)
"""Which shares of the rows that may still be left out are tried."""


def searched(method: Method, problem: Problem, grouping: Quick, levels: Quick) -> Recoding:
    """Let a method search, where it groups rows in what is left after thinning.

    Parameters
    ----------
    grouping, levels
        Quick searches for groups of rows and for a level vector.
    """
    thins = method.groups_rows and not method.matches_rows and not method.draws_rows
    thinned = list(_thinned(problem)) if thins and problem.max_suppressed else []
    if not thinned:
        return method.search(problem)
    thinned += _within_classes(problem, levels)
    kept = min(thinned, key=lambda rows: _tried(problem, rows, grouping))
    found = method.search(_left(problem, kept))
    return _with_rest(cast("Partition", found), problem, kept)


def _left(problem: Problem, kept: NDArray[np.int64]) -> Problem:
    """Return the problem of the rows that stay."""
    stay = np.flatnonzero(kept)
    table = replace(problem.table.part(stay), weights=kept[stay])
    most = problem.max_suppressed - (problem.table.rows - int(kept.sum()))
    return replace(problem, table=table, max_suppressed=most, mixed=None)


def _tried(problem: Problem, kept: NDArray[np.int64], grouping: Quick) -> float:
    """Return what a quick search loses with the rows that stay, and with those that do not."""
    left = _left(problem, kept)
    try:
        loss = mean_cost(left, cast("Partition", grouping(left)).groups)
    except CannotMeetError:
        loss = 1.0
    gone = 1 - left.table.rows / problem.table.rows
    return gone + (1 - gone) * loss


def _thinned(problem: Problem) -> Iterator[NDArray[np.int64]]:
    """Yield how many rows of each entry stay, the most first; nothing where all can, or none."""
    table, judged = problem.table, judges(problem)
    simple = len(table.sets) == 1 and not table.has_respondents
    if not simple or len(judged) != 1 or judges(problem, joined=True):
        return
    [judge] = judged
    one_class = np.zeros(table.entries, dtype=np.int32)
    pairs = Pairs.of(one_class, judge.column.codes, table.row_counts, len(judge.column.values))
    if judge(one_class[:1], 1, pairs)[0].all():
        return
    kept = judge.parts(one_class[:1], 1, pairs, least_respondents(problem.requirements))
    spare = problem.max_suppressed - (table.rows - int(kept.rows[0]))
    if kept.rows[0] == 0 or spare < 0:
        return
    for rows in dict.fromkeys(int(kept.rows[0]) - int(share * spare) for share in MORE):
        part = _lowered(judge, kept, rows)
        if part is not None:
            yield kept_of_entries(problem, judge, one_class, np.array([False, False]), part)


def _within_classes(problem: Problem, levels: Quick) -> Iterator[NDArray[np.int64]]:
    """Yield how many rows of each entry a level vector keeps, if one is found."""
    try:
        vector = levels(problem)
    except (CannotMeetError, PlanError):
        return
    table = problem.table
    parts = vector.parts or Parts.whole(table.row_counts)
    rows = np.bincount(parts.entry, np.where(vector.kept, parts.rows, 0), minlength=table.entries)
    yield rows.astype(np.int64)


def _lowered(judge: Judge, kept: Kept, rows: int) -> Kept | None:
    """Cut off what is kept of the most frequent values; None where what is left fails.

    No fewer than so many rows are left.
    """
    height = 1 + bisect_left(
        range(1, int(kept.held.max())),
        rows,
        key=lambda most: int(np.minimum(kept.held, most).sum()),
    )
    held = np.minimum(kept.held, height)
    part = kept._replace(held=held, rows=np.array([held.sum()]))
    number = np.zeros(held.size, dtype=np.int32)
    stays = held > 0
    pairs = Pairs.of(
        number[stays], kept.value[stays].astype(np.int32), held[stays], len(judge.column.values)
    )
    return part if judge(number[:1], 1, pairs)[0].all() else None


def _with_rest(partition: Partition, problem: Problem, kept: NDArray[np.int64]) -> Partition:
    """Return the partition of all rows; those that do not stay are in no group."""
    weights = problem.table.row_counts
    stay, gone = np.flatnonzero(kept), np.flatnonzero(kept < weights)
    parts = partition.parts or Parts.whole(kept[stay])
    entry = np.concatenate([stay[parts.entry], gone])
    rows = np.concatenate([parts.rows, (weights - kept)[gone]])
    source = np.concatenate([np.arange(parts.entry.size), np.full(gone.size, -1)])
    order = np.argsort(entry, kind="stable")
    return partition.of_parts(Parts(entry[order], rows[order]), source[order])
