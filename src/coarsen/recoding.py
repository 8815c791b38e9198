"""Recoding: what a method returns, before anything is published."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, eq=False)
class LevelVector:
    """A full-domain recoding: every quasi column at one level, some rows left out.

    Attributes
    ----------
    levels
        The level of each quasi column, in the table's order (the distance vector of paper 001).
    kept
        Whether each row of the table is released.
    search
        What the method wants to say about its search, for the report.
    """

    levels: tuple[int, ...]
    kept: NDArray[np.bool_]
    search: dict[str, Any] = field(default_factory=dict)

    @property
    def suppressed(self) -> int:
        """The number of rows left out."""
        return int(self.kept.size - np.count_nonzero(self.kept))
