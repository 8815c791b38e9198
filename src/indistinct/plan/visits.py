"""People with several rows: which column tells them apart.

A column repeats in the pattern of visits if its values stand in several rows each, while what stays
the same in a life (sex, birth, name) or several columns that say nothing of each other are the same
in all rows of a value.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from indistinct.plan.identifiers import FEW_VALUES, ROWS_OF_ONE, Look
from indistinct.plan.naming import names_people

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from indistinct.io.encoding import Encoded

SAME = 0.95
"""The share of values in whose rows another column must not change."""
OTHERS = 0.8
"""Below this share, the rows of one value are those of several people."""
BY_CHANCE = 0.8
FEWEST = 10


@dataclass(frozen=True, eq=False)
class Repeats:
    """A table, looked through for columns that tell people with several rows apart."""

    columns: Mapping[str, Encoded]
    looks: Mapping[str, Look]

    def people(self) -> list[str]:
        """Name the columns that tell people apart and repeat, the likeliest first."""
        if any(map(self._is_unique_person, self.looks)):
            return []
        names = [name for name in self.looks if self._repeats(name) and self._is_person(name)]
        return sorted(names, key=self._rank)

    def _rank(self, name: str) -> tuple[bool, bool, int]:
        sign = self.looks[name].sign
        number = sign is not None and sign.kind == "person"
        return not (number and names_people(name)), not number, self.looks[name].values

    def _is_unique_person(self, name: str) -> bool:
        """Return whether every row has a person of its own, by a number that is called one."""
        look = self.looks[name]
        person = look.sign is not None and look.sign.kind == "person" and names_people(name)
        return person and look.values == look.rows == self.columns[name].codes.size

    def _repeats(self, name: str) -> bool:
        look = self.looks[name]
        if not 1 < look.values < look.rows:
            return False
        return look.sign is None or look.sign.role == "identifier"

    def _is_person(self, name: str) -> bool:
        look = self.looks[name]
        if look.sign is None:
            return not look.is_category and (look.is_text or look.is_whole) and self._shown(name)
        if self._contradicted(name):
            return False
        if look.sign.kind == "person" and not look.sign.generic:
            return True
        if look.sign.kind == "person" and look.values * ROWS_OF_ONE >= look.rows:
            return True
        alone = look.sign.kind == "contact" and not list(self._lasting(name))
        return not look.is_category and (alone or self._shown(name))

    def _shown(self, name: str) -> bool:
        """Return whether other columns show that all rows of a value are one person's."""
        if self.looks[name].values <= FEW_VALUES:
            return False
        fixed = [other for other in self.columns if self._is_fixed(name, other)]
        lasting = list(self._lasting(name))
        if lasting and not set(lasting).intersection(fixed):
            return False
        return any(self._independent(a, b) for i, a in enumerate(fixed) for b in fixed[:i])

    def _contradicted(self, name: str) -> bool:
        """Return whether rows of a value differ in what stays the same in a life."""
        return any(
            self._share(name, other) < OTHERS
            for other in self._lasting(name)
            if self.looks[other].sign.role == "quasi"  # type: ignore[union-attr]
        )

    def _lasting(self, name: str) -> Iterator[str]:
        for other, look in self.looks.items():
            if other != name and look.sign is not None and look.sign.lasting and look.values > 1:
                yield other

    def _is_fixed(self, name: str, other: str) -> bool:
        if other == name or self.looks[other].values < 2:
            return False
        groups = self._groups(name)
        shares = self.columns[other].domain.counts / self.columns[other].codes.size
        by_chance = float(np.mean(np.sum(shares**2) ** (groups.sizes - 1)))
        return (
            groups.sizes.size >= FEWEST
            and by_chance <= BY_CHANCE
            and self._share(name, other) >= SAME
        )

    def _share(self, name: str, other: str) -> float:
        """Return in which share of the repeated values another column does not change."""
        return self._groups(name).share_of(self.columns[other])

    def _independent(self, one: str, two: str) -> bool:
        """Return whether neither column follows from the other."""
        a, b = self.columns[one], self.columns[two]
        pairs = np.unique(a.codes.astype(np.int64) * len(b.domain.values) + b.codes).size
        return bool(pairs > 1.5 * max(len(a.domain.values), len(b.domain.values)))

    def _groups(self, name: str) -> _Groups:
        if name not in self._made:
            self._made[name] = _Groups.of(self.columns[name])
        return self._made[name]

    @cached_property
    def _made(self) -> dict[str, _Groups]:
        return {}


@dataclass(frozen=True, eq=False)
class _Groups:
    """Rows that share a value, where there are several.

    Attributes
    ----------
    order
        The rows, those of a value one after the other.
    starts, sizes
        Where each value's rows begin in that order, and how many they are.
    """

    order: NDArray[np.intp]
    starts: NDArray[np.int64]
    sizes: NDArray[np.int64]

    @classmethod
    def of(cls, column: Encoded) -> _Groups:
        distinct = len(column.domain.known)
        place = {value: code for code, value in enumerate(column.domain.values)}
        missing = place.get(None, -1)
        counts = np.bincount(column.codes, minlength=len(column.domain.values))
        several = counts > 1
        if distinct < len(column.domain.values):
            several[missing] = False
        rows = np.flatnonzero(several[column.codes])
        order = rows[np.argsort(column.codes[rows], kind="stable")]
        sizes = counts[several].astype(np.int64)
        starts = np.cumsum(sizes) - sizes
        return cls(order, starts.astype(np.int64), sizes)

    def share_of(self, other: Encoded) -> float:
        """Return in which share of the groups a column has one value, not counting missing ones."""
        if not self.sizes.size:
            return 0.0
        codes = other.codes[self.order].astype(np.int64)
        missing = np.zeros(codes.size, dtype=bool)
        if other.domain.has_missing:
            missing = codes == other.domain.values.index(None)
        low = np.minimum.reduceat(np.where(missing, np.iinfo(np.int64).max, codes), self.starts)
        high = np.maximum.reduceat(np.where(missing, -1, codes), self.starts)
        return float(np.mean((low == high) | (high < 0)))
