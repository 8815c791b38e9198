"""Who of each cohort may stay in the next release.

A cohort falls into those who are published again and those who are not: who left, and who is
suppressed with them. Both parts are cohorts from then on, and both must satisfy what is asked, in
every release that they were published in. Where those who left are too few, or too much alike,
others of the cohort are suppressed until they are not. The whole cohort always is enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from indistinct.methods.base import Problem
from indistinct.methods.common.views import views
from indistinct.model.table import QuasiSet, SensitiveColumn, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.methods.common.views import AttackerView
    from indistinct.requirements import Requirement

    Numbers = NDArray[np.int32]
    Truths = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Judged:
    """People as one release shows them to those who judge parts of cohorts.

    Attributes
    ----------
    people
        Who was published in it.
    views
        What attackers see there, a row for each of them.
    """

    people: NDArray[np.intp]
    views: list[AttackerView]

    @classmethod
    def of(
        cls,
        people: NDArray[np.intp],
        sensitive: Sequence[SensitiveColumn],
        requirements: Sequence[Requirement],
    ) -> Judged:
        """Take the people of a release with their sensitive values."""
        whole = (QuasiSet("all", ()),)
        table = Table(int(people.size), (), whole, tuple(sensitive))
        return cls(people, views(Problem(table, tuple(requirements), 0, (), ())))

    def failing(self, part: Numbers, size: int) -> Truths:
        """Return which parts do not satisfy, given the part of each person, -1 for none.

        A part with nobody in this release does not fail.
        """
        mine = part[self.people]
        inside = mine >= 0
        failing = np.zeros(size, dtype=bool)
        if not inside.any():
            return failing
        for view in self.views:
            classes = np.where(inside, mine, 0).astype(np.int32)
            if view.known.any():
                keys = classes.astype(np.int64) * (int(view.known.max()) + 1) + view.known
                classes = np.unique(keys, return_inverse=True)[1].astype(np.int32).ravel()
            fine = view.satisfying(classes, inside, bound=False)
            failing[mine[inside & ~fine]] = True
        return failing


@dataclass(frozen=True, eq=False)
class Cohorts:
    """The cohorts of a series before its next release.

    Attributes
    ----------
    of_person, count
        The cohort of each person, and how many there are.
    present
        Who is in the new table.
    rank
        Of those who are, in which order people of a cohort are suppressed: 0 is the first.
    earlier
        Every earlier release, judged.
    now
        The new release, in which everybody who is present could be published.
    least
        How many people a class needs.
    """

    of_person: Numbers
    count: int
    present: Truths
    rank: NDArray[np.int64]
    earlier: Sequence[Judged]
    now: Judged
    least: int

    @property
    def sizes(self) -> NDArray[np.int64]:
        """How many of each cohort are present."""
        return np.bincount(self.of_person[self.present], minlength=self.count).astype(np.int64)

    @property
    def gone(self) -> NDArray[np.int64]:
        """How many of each cohort are not."""
        return np.bincount(self.of_person[~self.present], minlength=self.count).astype(np.int64)

    def leaving(self, suppressed: NDArray[np.int64]) -> Truths:
        """Return who is not published, if so many of each cohort are suppressed."""
        leaving: Truths = ~self.present | (self.rank < suppressed[self.of_person])
        return leaving

    def sound(self, suppressed: NDArray[np.int64], asked: Truths) -> Truths:
        """Return which of some cohorts satisfy in both parts, if so many are suppressed."""
        leaving = self.leaving(suppressed)
        part = np.where(asked[self.of_person], 2 * self.of_person + leaving, -1).astype(np.int32)
        failing = np.zeros(2 * self.count, dtype=bool)
        for release in self.earlier:
            failing |= release.failing(part, 2 * self.count)
        staying = np.where(leaving, -1, part).astype(np.int32)
        failing |= self.now.failing(staying, 2 * self.count)
        sound: Truths = asked & ~failing[0::2] & ~failing[1::2]
        return sound

    def fewest(self, *, some: bool = False) -> NDArray[np.int64]:
        """Return how many of each cohort must be suppressed, at least.

        Parameters
        ----------
        some
            Whether somebody is to leave every cohort: with nobody gone, k people are the fewest.
        """
        gone, sizes = self.gone, self.sizes
        short = np.clip(self.least - gone, 0, None)
        suppressed = np.minimum(short if some else np.where(gone > 0, short, 0), sizes)
        open_ = sizes > 0
        while open_.any():
            open_ = open_ & ~self.sound(suppressed, open_)
            suppressed[open_] = np.where(
                gone[open_] + suppressed[open_] == 0,
                np.minimum(self.least, sizes[open_]),
                suppressed[open_] + 1,
            )
            open_ &= suppressed < sizes  # all of a cohort together satisfy, as they did before
            suppressed = np.minimum(suppressed, sizes)
        return suppressed
