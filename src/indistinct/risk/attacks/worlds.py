"""Worlds: what a method would have published, had people had other values.

Whoever knows the plan without its seed can run its method on every table that might be behind a
release, and rule out those of which it would have published something else.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from math import factorial, inf, lgamma, prod
from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import IndistinctError
from indistinct.publishing.draws import Draws
from indistinct.publishing.rows import publishable
from indistinct.publishing.searching import search_table

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterator

    from numpy.typing import NDArray

    from indistinct.model.recoding import Recoding
    from indistinct.model.shown import Values
    from indistinct.model.table import Table
    from indistinct.plan import Plan

    Cells = tuple[tuple[int, ...], ...]

LARGE = 30.0
MOST_ROWS = 60_000


@dataclass(frozen=True, eq=False)
class View:
    """What is published of the people of a table.

    Attributes
    ----------
    of_row
        The class of each person, or the bucket; -1 for who is left out.
    cells
        What each class is published as: for each column the leaves that it may be, as ends of runs.
        Of a bucket the quasi values of all its people.
    levels
        The level of each column, where columns are recoded as a whole.
    """

    of_row: NDArray[np.int32]
    cells: tuple[Cells, ...]
    levels: tuple[int, ...] | None = None

    @classmethod
    def of(cls, table: Table, recoding: Recoding, plan: Plan) -> View:
        """See what a recoding of a table shows."""
        if recoding.bucket_of_row is not None:
            return cls._of_buckets(table, recoding.bucket_of_row)
        shown = recoding.shown(table, plan.forms(table))
        named = [_runs(values) for values in shown.values]
        cells = tuple(
            tuple(names[number] for names, number in zip(named, unit, strict=True))
            for unit in shown.value.tolist()
        )
        return cls(shown.of_row, cells, recoding.column_levels)

    @classmethod
    def _of_buckets(cls, table: Table, buckets: NDArray[np.int32]) -> View:
        rows = np.stack([column.codes for column in table.quasi], axis=1)
        members = [np.flatnonzero(buckets == number) for number in range(buckets.max() + 1)]
        return cls(buckets, tuple(tuple(sorted(map(tuple, rows[m].tolist()))) for m in members))

    def published(self, codes: NDArray[np.int32]) -> frozenset[tuple[Hashable, int]]:
        """Return the rows as they are read: what is published, with how many have each value."""
        kept = self.of_row >= 0
        pairs = zip(self.of_row[kept].tolist(), codes[kept].tolist(), strict=True)
        held: dict[int, Counter[int]] = {}
        for number, value in pairs:
            held.setdefault(number, Counter())[value] += 1
        classes = ((self.cells[n], frozenset(counts.items())) for n, counts in held.items())
        return frozenset(Counter(classes).items())

    def chosen_as(self, other: View) -> bool:
        """Return whether the same was chosen for everybody as in another view.

        Where columns have levels, these are all that is looked at: which rows are left out depends
        on so much, and on a draw, that hardly any other world has the same.
        """
        if self.levels is not None:
            return self.levels == other.levels
        same = np.array_equal(self.of_row, other.of_row)
        return bool(same and self.cells == other.cells)


def _runs(values: Values) -> list[tuple[int, ...]]:
    ends = np.stack([values.low, values.high], axis=1).tolist()
    first = values.first.tolist()
    return [tuple(end for run in ends[a:b] for end in run) for a, b in pairwise(first)]


def view_of(table: Table, plan: Plan, seed: int) -> View | None:
    """Run the method of a plan on a table, with draws of a seed; None where it cannot be met."""
    try:
        recoding = search_table(table, plan, Draws(seed, table.entries)).recoding
        return View.of(table, publishable(recoding, plan), plan)
    except IndistinctError:
        return None


def deals(counts: NDArray[np.int64]) -> float:
    """Count the ways to deal so many values of each kind out to people; infinity if very many.

    Examples
    --------
    >>> deals(np.array([2, 4]))
    15
    """
    people = int(counts.sum())
    if lgamma(people + 1) - sum(lgamma(count + 1) for count in counts.tolist()) > LARGE:
        return inf
    return factorial(people) // prod(factorial(count) for count in counts.tolist())


def all_deals(counts: NDArray[np.int64]) -> Iterator[NDArray[np.int32]]:
    """Deal values out in every way.

    Examples
    --------
    >>> [deal.tolist() for deal in all_deals(np.array([1, 2]))]
    [[0, 1, 1], [1, 0, 1], [1, 1, 0]]
    """
    deal = np.repeat(np.arange(counts.size, dtype=np.int32), counts)
    while True:
        yield deal.copy()
        rising = np.flatnonzero(deal[:-1] < deal[1:])
        if not rising.size:
            return
        place = rising[-1]
        larger = place + np.flatnonzero(deal[place:] > deal[place])[-1]
        deal[[place, larger]] = deal[[larger, place]]
        deal[place + 1 :] = deal[place + 1 :][::-1]
