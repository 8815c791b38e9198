"""Diversify: groups of rows with different sensitive values, along an order."""

from __future__ import annotations

from math import ceil
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from indistinct.methods.base import ALL_MODELS, Copies, Method
from indistinct.methods.common.demands import compiled, demands
from indistinct.methods.common.groups import merged_partition
from indistinct.methods.common.judge import judges
from indistinct.methods.common.orders import Mapping, mapped
from indistinct.methods.common.pieces import Pieces
from indistinct.methods.partition.diversify_exact import Loss, exact_groups
from indistinct.methods.partition.one_dimension import PAPER, one_dimension
from indistinct.methods.partition.through_dual import narrowest_groups
from indistinct.model.entries import laid_along
from indistinct.requirements import least_respondents

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from indistinct.kernels.spans import SpanArrays
    from indistinct.methods.base import Problem
    from indistinct.methods.partition.diversify_kernel import Asked, Domains, Ordered
    from indistinct.model.recoding import Partition
    from indistinct.model.table import SensitiveColumn
    from indistinct.plan import Plan


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
    minimize
        What it minimizes: `gcp`, which counts what a group loses once for each of its rows; or, as
        equation 8 of the paper, the sum of `extents`, or the `largest-extent`, of groups.
    through_dual
        Whether it finds the least largest extent by the dual problem (section 5.2), which takes
        more rows where groups are narrow.

    References
    ----------
    Ghinita et al. 2009, sections 4 and 6.2, Figures 12 to 14.

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
    copies_judged: ClassVar[Copies] = "together"

    name: Literal["diversify"] = "diversify"
    mapping: Mapping = "hilbert"
    exact: bool = False
    minimize: Loss = "gcp"
    through_dual: bool = False

    def problems(self, plan: Plan) -> Iterable[str]:  # noqa: ARG002 - its own options say
        """Say which options of the exact search do not go together."""
        if self.minimize != "gcp" and not self.exact:
            yield "method.minimize: only exact = true reads it"
        if self.through_dual and not (self.exact and self.minimize == "largest-extent"):
            yield (
                "method.through_dual: it finds the least largest extent. Set exact = true and "
                'minimize = "largest-extent"'
            )

    def copies_for(self, problem: Problem) -> Copies:
        """It parts copies itself; a mapping of the user's own and the programme take each row.

        So do rules that no number of values can be told of, which runs of the order keep.
        """
        copies = super().copies_for(problem)
        if callable(self.mapping) or self.exact:
            return "apart"
        return "apart" if copies == "together" and diversest(problem)[0] is None else copies

    def search(self, problem: Problem) -> Partition:
        """Order the rows and group them."""
        demands(problem)
        column, diversity = diversest(problem)
        if column is None:
            return one_dimension(problem, self.mapping)
        order = mapped(problem, self.mapping).order
        if not self.exact:
            return diverse_along(problem, order)
        if self.through_dual:
            first = diverse_along(problem, order).groups
            groups = narrowest_groups(problem, order, column.codes, diversity, first)[order]
        else:
            groups = exact_groups(problem, order, column.codes[order], diversity, self.minimize)
        pieces = Pieces.counted(order, groups, problem.table.row_counts[order])
        return _merged(problem, pieces, order, 0)


def diverse_along(problem: Problem, order: NDArray[np.int32]) -> Partition:
    """Group rows along an order by the values of the column that needs most of them."""
    column, diversity = diversest(problem)
    if column is None:
        raise ValueError("no sensitive column needs several values")
    pieces, fallen_back = _diverse(problem, order, column, diversity)
    return _merged(problem, pieces, order, fallen_back)


def _diverse(
    problem: Problem, order: NDArray[np.int32], column: SensitiveColumn, diversity: int
) -> tuple[Pieces, int]:
    """Group the rows of an order by their values; say how often greed had to be given up."""
    from indistinct.methods.partition.diversify_kernel import Asked, Ordered

    rows, held = problem.table.row_counts[order], column.codes[order]
    kept, target = thinned(held, rows, diversity)
    some = np.flatnonzero(kept)
    codes = problem.codes[order[some]]
    least = max(diversity, least_respondents(problem.requirements))
    new = np.append(True, (codes[1:] != codes[:-1]).any(axis=1))
    ordered = Ordered(codes, held[some], np.cumsum(new), len(column.values))
    place, group, count, fallen_back = grouped_places(
        ordered, kept[some], problem.spans.arrays, Asked(diversity, least)
    )
    of_kept = Pieces.counted(some[place], group, count)
    aside = rows - kept
    if aside.any():
        of_kept = _with_aside(of_kept, aside, target)
    parts = of_kept.parts
    return Pieces.counted(order[parts.entry], of_kept.groups, parts.rows), fallen_back


def grouped_places(
    ordered: Ordered, copies: NDArray[np.int64], spans: SpanArrays, asked: Asked
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64], int]:
    """Group eligible rows; return places with their groups and numbers of rows, some repeatedly."""
    from indistinct.methods.partition.diversify_kernel import Taken, diverse_groups

    domains = _domains(ordered, copies)
    rounds = asked.least // asked.diversity + 2
    most = min(ordered.values * rounds + 2 * asked.least, int(copies.sum()) + 1)
    taken = Taken(
        np.empty(most, dtype=np.int64),
        np.zeros(ordered.values, dtype=np.int64),
        np.empty(ordered.values, dtype=np.int64),
        np.full(int(ordered.run[-1]) + 1, -1, dtype=np.int64),
    )
    state = np.zeros(3, dtype=np.int64)
    pieces = []
    while domains.state[0] > 0:
        written = np.empty((3, 2 * most + 2 * copies.size), dtype=np.int64)
        diverse_groups(ordered, domains, spans, asked, taken, written, state)
        pieces.append(written[:, : state[0]].copy())
    place, group, count = np.concatenate(pieces, axis=1)
    return place, group, count, int(state[2])


def _domains(ordered: Ordered, copies: NDArray[np.int64]) -> Domains:
    """Sort places on the order by their value, and count what is to be grouped."""
    from indistinct.methods.partition.diversify_kernel import Domains

    held, values = ordered.held, ordered.values
    left = np.bincount(held, copies, minlength=values).astype(np.int64)
    end = np.cumsum(np.bincount(held, minlength=values))
    return Domains(
        places=np.argsort(held, kind="stable").astype(np.int64),
        end=end,
        next=np.concatenate([[0], end[:-1]]),
        left=left,
        having=np.bincount(left, minlength=int(left.max()) + 2),
        state=np.array([left.sum(), left.max()]),
        frontier=np.zeros(values + 1, dtype=np.int64),
        copies=copies.copy(),
        run=ordered.run,
    )


def _with_aside(pieces: Pieces, aside: NDArray[np.int64], target: NDArray[np.intp]) -> Pieces:
    """Let rows that were set aside join the groups of the places that stand for them, evenly."""
    place, rows = pieces.parts.entry, pieces.parts.rows
    joining = np.bincount(target, aside, minlength=aside.size).astype(np.int64)
    whole = np.bincount(place, rows, minlength=aside.size).astype(np.int64)
    begun = np.cumsum(rows) - (np.cumsum(whole) - whole)[place]  # up to each piece, in its place
    ends = begun * joining[place] // whole[place]
    shares = np.diff(ends, prepend=0)
    shares = np.where(np.diff(place, prepend=-1) > 0, ends, shares)
    lots = np.flatnonzero(aside)
    lots = lots[np.argsort(target[lots], kind="stable")]
    taking = np.flatnonzero(shares)
    parts, piece = laid_along(aside[lots], shares[taking])
    return Pieces.counted(
        np.concatenate([place, lots[parts.entry]]),
        np.concatenate([pieces.groups, pieces.groups[taking[piece]]]),
        np.concatenate([rows, parts.rows]),
    )


def _merged(
    problem: Problem, pieces: Pieces, order: NDArray[np.int32], fallen_back: int
) -> Partition:
    """Merge neighbouring groups until all that is asked holds."""
    cut, entry = pieces.of(problem), pieces.parts.entry
    place = np.empty(order.size, dtype=np.int64)
    place[order] = np.arange(order.size)
    in_groups = np.lexsort((place[entry], pieces.groups)).astype(np.int32)
    starts = np.diff(pieces.groups[in_groups], prepend=-1) > 0
    merged = merged_partition(cut, compiled(cut), in_groups, starts, fallen_back=fallen_back)
    return pieces.partition(problem, merged.groups, **merged.search)


def diversest(problem: Problem) -> tuple[SensitiveColumn | None, int]:
    """Return the sensitive column that needs most values in a group, and how many."""
    most: tuple[SensitiveColumn | None, int] = (None, 1)
    for judge in judges(problem):
        for rule in judge.rules:
            whole = ceil(rule.least_values - 1e-9)
            if most[1] < whole <= np.unique(judge.column.codes).size:
                most = (judge.column, whole)
    return most


def thinned(
    held: NDArray[np.int32], rows: NDArray[np.int64], diversity: int
) -> tuple[NDArray[np.int64], NDArray[np.intp]]:
    """Choose the largest eligible part of some rows along an order, evenly spread.

    Parameters
    ----------
    held, rows
        The value on each place, and how many rows it stands for.

    Returns
    -------
    tuple
        How many rows of each place are chosen, and which place stands for those that are not.
    """
    counts = np.bincount(held, rows).astype(np.int64)
    most = _most_of_one(counts, diversity)
    by_value = np.argsort(held, kind="stable")
    ends = np.cumsum(np.bincount(held))
    kept, target = rows.copy(), np.arange(held.size)
    for value in np.flatnonzero(counts > most):
        places = by_value[ends[value - 1] if value else 0 : ends[value]]
        after = np.cumsum(rows[places])
        # of all rows of the value, those numbered j * count // most are chosen, for each j
        chosen = np.diff(-(-after * most // counts[value]), prepend=0)
        kept[places] = chosen
        middle = after - (rows[places] + 1) // 2
        some = np.flatnonzero(chosen)
        between = (middle[some[1:]] + middle[some[:-1]] + 1) // 2
        nearest = some[np.searchsorted(between, middle, side="right")]
        target[places] = places[np.where(chosen > 0, np.arange(places.size), nearest)]
    return kept, target


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
