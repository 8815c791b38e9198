"""Attackers who know at most so many columns: the classes of every so many, counted at once."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.common.judge import judges
from indistinct.methods.common.views import by_knowledge
from indistinct.requirements import SensitiveRequirement, least_respondents

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    from indistinct.methods.base import Problem
    from indistinct.methods.common.known_columns_kernel import Entries, Slots, Watched
    from indistinct.model.table import QuasiSet, SensitiveColumn

SEED = 20090628
LEAST_SLOTS = 1024


class KnownColumns:
    """What is asked against attackers who know at most so many columns of a set.

    Rows are dropped with their whole class, as `AttackerView` does it, until none fails.

    Attributes
    ----------
    only_counts
        Whether nothing but numbers of people is asked.
    """

    def __init__(self, asked: Problem, group: QuasiSet, known: int) -> None:
        from indistinct.methods.common.known_columns_kernel import drop_failing

        self._drop = drop_failing
        self._asked, self._columns, self._known = asked, group.columns, known
        self._least = least_respondents(asked.requirements)
        self._people = group.respondents
        self.only_counts = not judges(asked)
        self._random = np.random.Generator(np.random.PCG64(SEED))
        table = asked.table
        self._numbers = [self._draw(column.hierarchy.size) for column in table.quasi]
        self._nobody = self._watching(np.zeros(0, dtype=np.int32), np.zeros(0))
        self._watched = [
            self._watching(column.codes, most)
            for column in table.sensitive
            for most in self._largest_shares(column)
        ]
        size = LEAST_SLOTS
        while size < 2 * table.entries:
            size *= 2
        self._classes = _slots(size)
        self._pairs = self._classes if self.only_counts else _slots(size)
        self._where = np.zeros(table.entries, dtype=np.int64)

    def _draw(self, size: int) -> NDArray[np.uint64]:
        return self._random.integers(0, 2**64, size, dtype=np.uint64)

    def _largest_shares(self, column: SensitiveColumn) -> list[NDArray[np.float64]]:
        """List what requirements on a column let each of its values have of a class."""
        shares = [
            requirement.most_of_class(column)
            for requirement in self._asked.requirements
            if isinstance(requirement, SensitiveRequirement)
            and column in requirement.columns(self._asked.table)
        ]
        return [most for most in shares if most is not None]

    def _watching(self, codes: NDArray[np.int32], most: NDArray[np.float64]) -> Watched:
        from indistinct.methods.common.known_columns_kernel import Watched

        return Watched(codes, self._draw(most.size)[codes], most)

    def satisfying(
        self,
        nodes: Mapping[int, NDArray[np.int32]],
        kept: NDArray[np.bool_],
        *,
        bound: bool,
        newest: int | None = None,
        most: int,
    ) -> NDArray[np.bool_]:
        """Return the largest part of the kept rows whose classes have people enough.

        Without `bound`, all requirements are kept: what is left need not be the largest part.

        Parameters
        ----------
        nodes
            The node of each entry in the columns that are fixed; the others are at the top.
        newest
            The column that was fixed last, where the kept rows satisfy without it.
        most
            If more rows than that must be dropped, what is returned need only show that.
        """
        fixed = [column for column in self._columns if column in nodes]
        if newest is not None and newest not in fixed:
            return kept
        entries = self._entries([(column, nodes[column]) for column in fixed])
        some = self._some(fixed, newest)
        left = kept.copy()
        watched = [self._nobody] if bound else [self._nobody, *self._watched]
        dropped, before = 0, -1
        while dropped != before and dropped <= most:
            before = dropped
            for column in watched:
                dropped += self._drop(
                    entries,
                    some,
                    self._least,
                    column,
                    left,
                    self._classes,
                    self._pairs,
                    self._where,
                    most - dropped,
                )
            some = self._some(fixed, None)
        return left

    def _some(self, fixed: list[int], newest: int | None) -> NDArray[np.int64]:
        """List the places of as many fixed columns as are known, of all or with the newest."""
        known = min(self._known, len(fixed))
        places = [
            places
            for places in combinations(range(len(fixed)), known)
            if newest is None or fixed.index(newest) in places
        ]
        return np.array(places, dtype=np.int64).reshape(len(places), known)

    def _entries(self, nodes: list[tuple[int, NDArray[np.int32]]]) -> Entries:
        from indistinct.methods.common.known_columns_kernel import Entries

        table = self._asked.table
        cells = [self._numbers[column][held] for column, held in nodes]
        people = np.zeros(0, dtype=np.int32) if self._people is None else self._people
        order = np.arange(table.entries) if self._people is None else np.argsort(people)
        return Entries(
            np.stack(cells) if cells else np.zeros((0, table.entries), dtype=np.uint64),
            order,
            people,
            table.row_counts,
        )


def known_columns(problem: Problem) -> list[KnownColumns]:
    """List what is asked against attackers who know some columns of a set only."""
    return [
        KnownColumns(asked, group, known)
        for group in problem.table.sets
        for known, asked in by_knowledge(problem, group).items()
        if known < len(group.columns)
    ]


def _slots(size: int) -> Slots:
    from indistinct.methods.common.known_columns_kernel import Slots

    return Slots(
        keys=np.zeros(size, dtype=np.uint64),
        since=np.zeros(size, dtype=np.int64),
        counts=np.zeros(size, dtype=np.int64),
        last=np.zeros(size, dtype=np.int32),
        bad=np.zeros(size, dtype=np.bool_),
        turn=np.zeros(1, dtype=np.int64),
    )
