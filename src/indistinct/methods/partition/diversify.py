"""Diversify: groups of rows with different sensitive values, along an order."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from indistinct.methods.base import ALL_MODELS, Copies, Method
from indistinct.methods.common.demands import demands
from indistinct.methods.common.groups import merged_partition
from indistinct.methods.common.judge import judges
from indistinct.methods.common.orders import Mapping, mapped
from indistinct.methods.partition.diversify_exact import exact_groups
from indistinct.methods.partition.one_dimension import PAPER, one_dimension
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.demands_kernel import DemandArrays
    from indistinct.model.recoding import Partition
    from indistinct.model.table import SensitiveColumn


class Diversify(Method):
    """Frequency l-diverse groups along an order, in linear time (Ghinita et al. 2009, section 4).

    Each group takes the l first rows of different sensitive values that are on the frontier, and
    further ones until the rest is *eligible*: no value has more than 1/l of it. If that does not
    come about, it takes rows of the most frequent values instead. Eligible data are always
    solved. Then the next frontier row is added while it is nearer to this group than to the rows
    that the next one would begin with (the paper adds one row; we go on up to 2l-1). Cost:
    O(n log m + d n) after sorting, for m sensitive values; O(m log m) more for each group that
    falls back.

    Besides the paper: a group may be asked to have k > l rows, then a value may be in it as often
    as 1/l allows. Where the data are not eligible, as distinct values do not need them to be, the
    surplus of the most frequent values is set aside, evenly along the order, and each of these
    rows joins the group of the nearest row with its value. All other requirements, and those on
    other sensitive columns, hold by merging neighbouring groups, at least loss first.

    Parameters
    ----------
    mapping
        The order of rows: `hilbert`, `hilbert-ranks`, `idistance`, `lexicographic`, or a function
        from the matrix of codes to an order.
    exact
        Whether to search all groups that keep the order of rows within each sensitive value
        (section 4.2), by dynamic programming: for small tables only.

    References
    ----------
    Paper 002, sections 4 and 6.2, Figures 12 to 14.

    Examples
    --------
    >>> from indistinct import anonymize
    >>> from indistinct.datasets import medical, medical_plan
    >>> plan = medical_plan(
    ...     require=[{"model": "l-diversity", "kind": "frequency", "l": 2}],
    ...     method={"name": "diversify"},
    ... )
    >>> anonymize(medical(), plan).evidence[0].holds
    True
    """

    decides: ClassVar[str] = "groups of rows with different sensitive values, along an order"
    keeps: ClassVar[tuple[str, ...]] = ALL_MODELS
    paper: ClassVar[str] = PAPER

    groups_rows: ClassVar[bool] = True
    copies: ClassVar[Copies] = "loose-ends"

    name: Literal["diversify"] = "diversify"
    mapping: Mapping = "hilbert"
    exact: bool = False

    def copies_for(self, problem: Problem) -> Copies:
        """A mapping of the user's own is given each row."""
        return "apart" if callable(self.mapping) else super().copies_for(problem)

    def search(self, problem: Problem) -> Partition:
        """Order the rows and group them."""
        asked = demands(problem)
        column, diversity = diversest(problem)
        if column is None:
            return one_dimension(problem, self.mapping)
        order = mapped(problem, self.mapping).order
        if self.exact:
            groups = exact_groups(problem, order, column.codes[order], diversity)
            return _along(problem, asked, order, groups, 0)
        return diverse_along(problem, asked, order)


def diverse_along(problem: Problem, asked: DemandArrays, order: NDArray[np.int32]) -> Partition:
    """Group rows along an order by the values of the column that needs most of them."""
    from indistinct.methods.partition.diversify_kernel import Asked, Ordered, diverse_groups

    column, diversity = diversest(problem)
    if column is None:
        raise ValueError("no sensitive column needs several values")
    held = column.codes[order]
    kept, nearest = thinned(held, diversity)
    least = max(diversity, least_respondents(problem.requirements))
    of_kept, fallen_back = diverse_groups(
        Ordered(problem.codes, order[kept], held[kept], len(column.values)),
        problem.spans.arrays,
        Asked(diversity, least),
    )
    return _along(problem, asked, order, of_kept[nearest], fallen_back)


def _along(
    problem: Problem,
    asked: DemandArrays,
    order: NDArray[np.int32],
    groups: NDArray[np.integer],
    fallen_back: int,
) -> Partition:
    """Merge the groups of rows in an order with their neighbours until each satisfies."""
    in_groups = np.argsort(groups, kind="stable")
    starts = np.diff(groups[in_groups], prepend=-1) > 0
    return merged_partition(problem, asked, order[in_groups], starts, fallen_back=fallen_back)


def diversest(problem: Problem) -> tuple[SensitiveColumn | None, int]:
    """Return the sensitive column that needs most values in a group, and how many."""
    most: tuple[SensitiveColumn | None, int] = (None, 1)
    for judge in judges(problem):
        for rule in judge.rules:
            whole = ceil(rule.least_values - 1e-9)
            if most[1] < whole <= np.unique(judge.column.codes).size:
                most = (judge.column, whole)
    return most


def thinned(held: NDArray[np.int32], diversity: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Choose the largest eligible part of some values in a row, evenly spread.

    Returns
    -------
    tuple
        The chosen places, and for each place which of the chosen stands for it.
    """
    counts = np.bincount(held)
    most = _most_of_one(counts, diversity)
    by_value = np.argsort(held, kind="stable")
    stands = np.arange(held.size)
    ends = np.cumsum(counts)
    for value in np.flatnonzero(counts > most):
        places = by_value[ends[value] - counts[value] : ends[value]]
        chosen = np.arange(most) * counts[value] // most
        middles = (chosen[1:] + chosen[:-1] + 1) // 2
        nearest = np.searchsorted(middles, np.arange(counts[value]), side="right")
        stands[places] = places[chosen[nearest]]
    kept = np.flatnonzero(stands == np.arange(held.size))
    return kept, np.searchsorted(kept, stands)


def _most_of_one(counts: NDArray[np.int64], diversity: int) -> int:
    """Return the largest c for which c rows of one value, at most, are 1/l of what is left."""
    low, high = 1, int(counts.max())
    while low < high:
        middle = (low + high + 1) // 2
        if np.minimum(counts, middle).sum() >= middle * diversity:
            low = middle
        else:
            high = middle - 1
    return low
