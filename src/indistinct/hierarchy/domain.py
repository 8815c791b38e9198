"""Domain: the distinct values of one column of the data, which its hierarchy has to cover."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class Domain:
    """The distinct values of a column as text, and how many rows hold each.

    Attributes
    ----------
    values
        Distinct values in any order; None is the missing value.
    counts
        Rows per value.
    """

    values: tuple[str | None, ...]
    counts: NDArray[np.int64]

    @classmethod
    def of(cls, column: Iterable[str | None]) -> Domain:
        """Count the values of a column.

        >>> Domain.of(["b", "a", None, "b"]).rows_of
        {'b': 2, 'a': 1, None: 1}
        """
        rows = Counter(column)
        return cls(tuple(rows), np.array(list(rows.values()), dtype=np.int64))

    @cached_property
    def known(self) -> tuple[str, ...]:
        """The values without the missing one."""
        return tuple(value for value in self.values if value is not None)

    @property
    def has_missing(self) -> bool:
        """Whether a row has no value."""
        return len(self.known) < len(self.values)

    @cached_property
    def rows_of(self) -> dict[str | None, int]:
        """How many rows hold each value."""
        return dict(zip(self.values, self.counts.tolist(), strict=True))
