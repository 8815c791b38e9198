"""Crowd: whose rows hold which value of a column."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Crowd:
    """Whose rows hold which value of a column.

    Attributes
    ----------
    codes, size
        The value of each row, and how many values there are.
    respondents
        Whose row each row is, as each set of columns counts people; without any, each row is
        someone else's.
    weights
        How many rows each entry stands for; None where each is one row.
    """

    codes: NDArray[np.int32]
    size: int
    respondents: tuple[NDArray[np.int32], ...] = ()
    weights: NDArray[np.int64] | None = None

    def held(self, groups: NDArray[np.integer]) -> NDArray[np.int64]:
        """Count the people in each of some groups of values, given the group of each value.

        A person with several rows in a group counts once. Where sets count different people, the
        fewest are taken.
        """
        count = int(groups.max(initial=-1)) + 1
        rows = np.bincount(self.codes, self.weights, minlength=self.size)
        people = np.bincount(groups, rows, minlength=count).astype(np.int64)
        for whose in self.respondents:
            pairs = np.unique(whose.astype(np.int64) * count + groups[self.codes])
            people = np.minimum(people, np.bincount(pairs % count, minlength=count))
        return people
