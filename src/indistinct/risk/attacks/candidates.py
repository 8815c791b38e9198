"""Who could be who: published rows, the people each may stem from, and which of them is likeliest.

Somebody who knows how rows were matched or grouped, but not which was drawn, has a graph: a pair
for each person that a published row may be. What he knows besides, he weighs: each pair gets the
logarithm of how likely the published values are for that person. The probability of a pair, given
that everybody has exactly one row, is then estimated by belief propagation: rows and people tell
each other which pairs they can do without, until that settles (Huang, Jebara, "Approximating the
permanent with belief propagation", 2009). It is exact where the graph is a tree, and close where
each row has several candidates.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROUNDS = 40
MOST_OF_GROUP = 500
TINY = 1e-300
NEVER = -1e3
DIGITS = 6


@dataclass(frozen=True, eq=False)
class Candidates:
    """Pairs of a published row and a person that it may stem from, by published rows.

    Attributes
    ----------
    row, person
        The two of each pair; pairs of one row stand together, rows in order.
    rows
        How many published rows there are, and as many people.
    matchings
        For each published row the person in each of the known matchings, where there are such.
    part
        The connected component of each published row, where matchings are known.
    """

    row: NDArray[np.intp]
    person: NDArray[np.intp]
    rows: int
    matchings: NDArray[np.int32] | None = None
    part: NDArray[np.int32] | None = None

    @classmethod
    def of_matching(cls, sources: NDArray[np.int32], part: NDArray[np.int32]) -> Self:
        """Take the pairs of k matchings, a column for each; and the component of each row."""
        rows, k = sources.shape
        person = sources.ravel().astype(np.intp)
        return cls(np.repeat(np.arange(rows), k), person, rows, sources, part)

    @classmethod
    def of_groups(cls, groups: NDArray[np.int32], random: np.random.Generator) -> Self:
        """Take everybody of the same group, of very large ones a random part of 500 people.

        Rows are numbered as people: that of number i holds the values of person i.
        """
        mixed = random.permutation(groups.size)
        order = mixed[np.argsort(groups[mixed], kind="stable")]
        sizes = np.bincount(groups)[groups[order]]
        place = np.arange(groups.size) - np.searchsorted(groups[order], groups[order])
        start = np.arange(groups.size) - place % MOST_OF_GROUP
        size = np.minimum(sizes - (place - place % MOST_OF_GROUP), MOST_OF_GROUP)
        at = np.repeat(start, size) + _within(size)
        by_row = np.argsort(np.repeat(order, size), kind="stable")
        return cls(np.repeat(order, size)[by_row], order[at][by_row], groups.size)

    def beliefs(self, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Estimate the probability of each pair, if everybody has exactly one row."""
        rows, people = _Sums(self.row), _Sums(self.person)
        of_person = np.zeros(weights.size)
        for _ in range(ROUNDS):
            of_row = -rows.others(weights + of_person)
            of_person = (of_person - people.others(weights + of_row)) / 2
        return rows.shares(weights + of_person)

    def likeliest(
        self, beliefs: NDArray[np.float64], random: np.random.Generator
    ) -> NDArray[np.intp]:
        """Name for each published row the person with the strongest belief; of equals any."""
        order = np.lexsort((random.random(beliefs.size), beliefs, self.row))
        last = np.append(np.diff(self.row[order]) != 0, np.ones(min(order.size, 1), dtype=bool))
        named = np.full(self.rows, -1, dtype=np.intp)
        named[self.row[order[last]]] = self.person[order[last]]
        return named

    def likeliest_matchings(
        self, weights: NDArray[np.float64], random: np.random.Generator
    ) -> NDArray[np.intp] | None:
        """Take for each component the known matching that weighs most; of equals any."""
        if self.matchings is None or self.part is None:
            return None
        each = weights.reshape(self.matchings.shape)
        total = np.stack([np.bincount(self.part, column) for column in each.T], axis=1)
        alike = np.round(total, DIGITS)
        chosen = np.lexsort((random.random(total.shape), alike), axis=1)[self.part, -1]
        named: NDArray[np.intp] = self.matchings[np.arange(self.rows), chosen].astype(np.intp)
        return named

    def known(
        self, weights: NDArray[np.float64], rows: NDArray[np.intp], truth: NDArray[np.intp]
    ) -> NDArray[np.float64]:
        """Rule out what cannot be if the people behind some rows are known."""
        of_row, of_person = np.zeros((2, self.rows), dtype=bool)
        of_row[rows] = True
        of_person[truth[rows]] = True
        touched = of_row[self.row] | of_person[self.person]
        return np.where(touched & (truth[self.row] != self.person), NEVER, weights)


class _Sums:
    """Sums of exponentials over the pairs of each row, or of each person."""

    def __init__(self, of: NDArray[np.intp]) -> None:
        self._order = np.argsort(of, kind="stable")
        fresh = np.diff(of[self._order], prepend=-1) != 0
        self._starts = np.flatnonzero(fresh)
        self._number = np.empty(of.size, dtype=np.intp)
        self._number[self._order] = np.cumsum(fresh) - 1

    def _scaled(
        self, logs: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
        most = np.maximum.reduceat(logs[self._order], self._starts)[self._number]
        each = np.exp(logs - most)
        total = np.add.reduceat(each[self._order], self._starts)[self._number]
        return each, total, most

    def others(self, logs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return for each pair the logarithm of the sum over the others."""
        each, total, most = self._scaled(logs)
        rest = np.maximum(total - each, TINY)
        return np.maximum(most + np.log(rest), NEVER)

    def shares(self, logs: NDArray[np.float64]) -> NDArray[np.float64]:
        """Return each pair's share of the sum."""
        each, total, _ = self._scaled(logs)
        return each / total


def _within(sizes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Count from 0 within each of several stretches."""
    ends = np.cumsum(sizes)
    return np.arange(ends[-1] if sizes.size else 0) - np.repeat(ends - sizes, sizes)
