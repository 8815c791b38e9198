"""Holding rows back: which new rows may join, so that every requirement holds."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.base import Problem
from indistinct.methods.common.views import AttackerView, views

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from indistinct.applying.covering import CoveringClasses
    from indistinct.methods.common.judge import Judge
    from indistinct.model.table import Table
    from indistinct.requirements import Requirement

    Codes = list[NDArray[np.int32]]
    Satisfied = Callable[["NDArray[np.bool_]"], "NDArray[np.bool_]"]


@dataclass(frozen=True, eq=False)
class Seat:
    """What one kind of attacker sees.

    Attributes
    ----------
    number
        For each kind of new row, the number of the class that he sees it in.
    earlier
        The same for each row that was there before.
    counts_only
        Whether only rows are counted.
    """

    view: AttackerView
    number: NDArray[np.int32]
    earlier: NDArray[np.int32]
    counts_only: bool

    @classmethod
    def of(cls, view: AttackerView, kinds: Codes, earlier: Codes, *, counts_only: bool) -> Seat:
        """Number classes once; new rows then only say which kind they are."""
        columns = [np.concatenate([earlier[c], kinds[c]]) for c in view.columns]
        numbers, size = _numbered(columns), earlier[0].size
        return cls(view, numbers[size:], numbers[:size], counts_only)

    def beside(self, everyone: NDArray[np.bool_]) -> Seat:
        """Take the rows that are published for the whole that classes must be close to."""
        judges = [replace(j, shares=_shares(j, everyone)) for j in self.view.judges]
        return replace(self, view=replace(self.view, judges=judges))

    def satisfied(
        self, kind: NDArray[np.int32], everyone: NDArray[np.bool_], *, bound: bool
    ) -> NDArray[np.bool_]:
        """Return which rows, the earlier ones first, are in classes that satisfy."""
        classes = np.concatenate([self.earlier, self.number[kind]])
        if self.counts_only:
            fine = np.bincount(classes[everyone], minlength=self._size) >= self.view.least
            satisfied: NDArray[np.bool_] = everyone & fine[classes]
            return satisfied
        if self.view.known.any():
            classes = _numbered([classes, self.view.known])
        return self.view.satisfying(classes, everyone, bound=bound)

    @property
    def _size(self) -> int:
        return 1 + max(int(self.number.max(initial=0)), int(self.earlier.max(initial=0)))


class Bench:
    """Judges the classes of new rows, alone or together with rows that were there before.

    Parameters
    ----------
    table
        The rows that are judged, the earlier ones first; these stay whatever happens.
    kinds
        For each quasi column, what each kind of new row is published as.
    earlier
        For each quasi column, what each earlier row is published as.
    published
        Whether the whole that classes must be close to is what is published, not all rows.
    """

    def __init__(
        self,
        table: Table,
        requirements: Sequence[Requirement],
        kinds: Codes,
        earlier: Codes,
        *,
        published: bool = False,
    ) -> None:
        problem = Problem(table, tuple(requirements), 0, (), ())
        one_row_each = not table.has_respondents
        self._before = earlier[0].size
        self._published = published
        self._sensitive = table.sensitive
        self._seats = [
            Seat.of(view, kinds, earlier, counts_only=one_row_each and not view.judges)
            for view in views(problem)
        ]

    def satisfied(
        self, kind: NDArray[np.int32], kept: NDArray[np.bool_], *, bound: bool = False
    ) -> NDArray[np.bool_]:
        """Return which of the kept new rows are in classes that satisfy.

        Parameters
        ----------
        kind
            The kind of each new row; of rows that are not kept, any.
        kept
            Which new rows are in the release.
        bound
            Make only the tests that no larger class could fail where a smaller one passes.
        """
        return self._satisfied(kind, kept, bound=bound)[self._before :]

    def earlier_satisfied(self, kind: NDArray[np.int32], kept: NDArray[np.bool_]) -> bool:
        """Return whether the classes of earlier rows satisfy beside the kept new ones."""
        return bool(self._satisfied(kind, kept, bound=False)[: self._before].all())

    def _satisfied(
        self, kind: NDArray[np.int32], kept: NDArray[np.bool_], *, bound: bool
    ) -> NDArray[np.bool_]:
        everyone = np.concatenate([np.ones(self._before, dtype=bool), kept])
        left = everyone
        for seat in self._seats:
            at = seat.beside(everyone) if self._published and not seat.counts_only else seat
            left = left & at.satisfied(kind, everyone, bound=bound)
        return left

    def by_push(self, kind: NDArray[np.int32], kept: NDArray[np.bool_]) -> NDArray[np.int32]:
        """List the kinds of kept rows, first those that move the shares of values most.

        What a kind adds to the counts of values, beyond the earlier shares, is held against what
        all kinds add together.
        """
        kinds, place = np.unique(kind[kept], return_inverse=True)
        push = np.zeros(kinds.size)
        for column in self._sensitive:
            size = len(column.values)
            earlier = np.bincount(column.codes[: self._before], minlength=size)
            codes = column.codes[self._before :][kept]
            cells = np.bincount(place * size + codes, minlength=kinds.size * size)
            counts = cells.reshape(kinds.size, size)
            added = counts - counts.sum(axis=1)[:, None] * earlier / max(self._before, 1)
            push += added @ added.sum(axis=0)
        return kinds[np.argsort(-push, kind="stable")].astype(np.int32)


def _shares(judge: Judge, rows: NDArray[np.bool_]) -> NDArray[np.float64]:
    counts = np.bincount(judge.column.codes[rows], minlength=len(judge.column.values))
    return counts / max(int(counts.sum()), 1)


def _numbered(columns: Codes) -> NDArray[np.int32]:
    from indistinct.model.ranking_kernel import rank_keys, row_keys

    sizes = [int(part.max(initial=0)) + 1 for part in columns]
    numbers: NDArray[np.int32] = rank_keys(row_keys(columns, sizes)[0])[0]
    return numbers


def hold_back(
    kept: NDArray[np.bool_], possible: Satisfied, satisfied: Satisfied
) -> NDArray[np.bool_]:
    """Drop rows whose classes fail until none fails, those that can stand in no release first."""
    kept = _steady(kept, possible)
    while not np.array_equal(left := satisfied(kept), kept):
        kept = _steady(left, possible)
    return kept


def _steady(kept: NDArray[np.bool_], test: Satisfied) -> NDArray[np.bool_]:
    while not np.array_equal(left := test(kept), kept):
        kept = left
    return kept


def settle(
    classes: CoveringClasses,
    places: NDArray[np.int32],
    of_row: NDArray[np.int32],
    known: NDArray[np.bool_],
    satisfied: Callable[[NDArray[np.int32]], NDArray[np.bool_]],
) -> tuple[NDArray[np.int32], NDArray[np.bool_]]:
    """Put each row into the cheapest class that covers it, so that every class used satisfies.

    Where classes fail, the half of them with fewest rows takes none, and their rows go to the next
    class that covers them; and so on.

    Parameters
    ----------
    places, of_row
        The distinct rows, and which of them each row is.
    known
        Which rows have known values only.
    satisfied
        Returns, given the class of each row (-1 for none), which rows are in classes that satisfy.

    Returns
    -------
    tuple
        The class of each row, -1 if it is held back, and which rows some class covers at all.
    """
    used = np.zeros(places.shape[0], dtype=bool)
    used[of_row[known]] = True
    cheapest = np.full(places.shape[0], -1, dtype=np.int32)
    cheapest[used] = classes.covering(places[used])
    covered = known & (cheapest[of_row] >= 0)
    while True:
        group = np.where(known, cheapest[of_row], -1).astype(np.int32)
        inside = group >= 0
        failing = np.unique(group[inside & ~satisfied(group)])
        if failing.size == 0:
            return group, covered
        sizes = np.bincount(group[inside], minlength=classes.alive.size)
        fewest = failing[np.argsort(sizes[failing], kind="stable")]
        classes.alive[fewest[: (fewest.size + 1) // 2]] = False
        moved = used & (cheapest >= 0) & ~classes.alive[np.maximum(cheapest, 0)]
        cheapest[moved] = classes.covering(places[moved])


def relieve(
    union: Bench,
    kind: NDArray[np.int32],
    kept: NDArray[np.bool_],
    settled: Satisfied,
) -> NDArray[np.bool_]:
    """Drop kinds of new rows until the classes published before satisfy again.

    New rows move the whole that a class must be close to; what was published before stays. Of the
    kinds that move it most, as few are dropped as a search by halves finds enough.

    Parameters
    ----------
    settled
        Drops new rows until none of their classes fails.
    """
    while kept.any() and not union.earlier_satisfied(kind, kept):
        order = union.by_push(kind, kept)
        low, high = 0, order.size
        while high - low > 1:
            middle = (low + high) // 2
            fine = union.earlier_satisfied(kind, kept & ~np.isin(kind, order[:middle]))
            low, high = (low, middle) if fine else (middle, high)
        kept = settled(kept & ~np.isin(kind, order[:high]))
    return kept
