"""The limits of a plan beside its requirements: what it allows, and what the release shows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from indistinct.model.table import QuasiColumn

SLACK = 1e-9


@dataclass(frozen=True)
class LimitFound:
    """What one limit of a plan allows, and what was measured.

    Attributes
    ----------
    name
        The setting of the plan.
    holds
        None where what is known does not decide it.
    """

    name: str
    allowed: float
    measured: float
    holds: bool | None
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        data = {
            "limit": self.name,
            "allowed": self.allowed,
            "measured": self.measured,
            "holds": self.holds,
        }
        return data | ({"note": self.note} if self.note else {})


def suppression_found(allowed: float, suppressed: int, rows: int) -> LimitFound:
    """Hold the rows that were left out, of all there were, to the share that may be.

    >>> suppression_found(0.02, 3, 100).holds, suppression_found(0.02, 2, 100).holds
    (False, True)
    """
    share = suppressed / max(rows, 1)
    holds = suppressed <= allowed * rows + SLACK
    note = f"{suppressed:,} of {rows:,} rows"
    return LimitFound("limits.suppression", allowed, share, holds, note)


def accuracy_found(
    columns: Sequence[QuasiColumn],
    forms: Sequence[str],
    groups: NDArray[np.int32],
    max_ncp: float | None,
    max_extent: Mapping[str, float],
) -> list[LimitFound]:
    """Hold what groups of private rows span to what they may lose.

    Parameters
    ----------
    forms
        How each column is published: as a `range`, `node`, `set` or `star`.
    groups
        The group of each row; -1 where it is left out.
    """
    grouped = [_Grouped.of(column, groups) for column in columns]
    limits = []
    if max_ncp is not None:
        weight = sum(column.weight for column in columns)
        lost = np.stack(
            [part.ncp(form) * part.column.weight for part, form in zip(grouped, forms, strict=True)]
        )
        limits.append(_most("accuracy.max_ncp", max_ncp, lost.sum(axis=0) / (weight or 1.0)))
    for part in grouped:
        if part.column.name in max_extent:
            name = f"accuracy.max_extent.{part.column.name}"
            limits.append(_most(name, max_extent[part.column.name], part.reach))
    return limits


def _most(name: str, allowed: float, measured: NDArray[np.float64]) -> LimitFound:
    worst = float(np.max(measured, initial=0.0))
    return LimitFound(name, allowed, worst, worst <= allowed + SLACK)


@dataclass(frozen=True, eq=False)
class _Grouped:
    """The distinct pairs of a group and a code of a column, by group and code."""

    column: QuasiColumn
    codes: NDArray[np.int64]
    starts: NDArray[np.intp]

    @classmethod
    def of(cls, column: QuasiColumn, groups: NDArray[np.int32]) -> _Grouped:
        kept = groups >= 0
        size = column.hierarchy.size
        group, codes = np.divmod(
            np.unique(groups[kept].astype(np.int64) * size + column.codes[kept]), size
        )
        return cls(column, codes, np.flatnonzero(np.diff(group, prepend=-1)))

    @property
    def low(self) -> NDArray[np.int64]:
        return self.codes[self.starts]

    @property
    def high(self) -> NDArray[np.int64]:
        ends = np.append(self.starts, self.codes.size)[1:]
        last: NDArray[np.int64] = self.codes[ends - 1]
        return last

    @property
    def reach(self) -> NDArray[np.float64]:
        """How far each group reaches on the line; without end where values are not all on it."""
        place = self.column.hierarchy.position
        reach = place[self.high] - place[self.low]
        return np.where(self.low == self.high, 0.0, np.where(np.isnan(reach), np.inf, reach))

    @property
    def shown(self) -> NDArray[np.float64]:
        """How far each group's published range reaches, within the values of the table."""
        ends = self.column.ends
        if ends is None:
            return self.reach
        shown = ends.high_at[self.high] - ends.low_at[self.low]
        unknown = np.where(self.low == self.high, 0.0, np.inf)
        return np.where(np.isnan(shown), unknown, shown)

    def ncp(self, form: str) -> NDArray[np.float64]:
        """The NCP of each group, as the page on measures defines it for the form."""
        hierarchy = self.column.hierarchy
        if form == "range":
            seen = hierarchy.position[np.unique(self.column.codes)]
            if hierarchy.raw is not None:
                seen = hierarchy.raw.position
            width = float(np.nanmax(seen) - np.nanmin(seen))
            shares: NDArray[np.float64] = self.shown / width if width > 0 else self.shown
            return np.minimum(shares, 1.0)
        if form == "set":
            held = np.diff(np.append(self.starts, self.codes.size))
            return np.asarray((held - 1) / max(hierarchy.size - 1, 1), dtype=np.float64)
        if form == "star":
            return np.where(self.low == self.high, 0.0, 1.0)
        lost = np.zeros(self.starts.size)
        apart = self.low != self.high
        for nodes in hierarchy.nodes:
            met = apart & (nodes[self.low] == nodes[self.high])
            lost[met] = np.bincount(nodes)[nodes[self.low[met]]] / hierarchy.size
            apart &= ~met
        return lost
