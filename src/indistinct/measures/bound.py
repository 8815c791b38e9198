"""A loss that no release of truthful k-anonymous rows can fall below."""

from __future__ import annotations

import os
from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.running.together import on_each

if TYPE_CHECKING:
    from indistinct.model.spans import Spans
    from indistinct.model.table import Table

EXACT_PAIRS = 5 * 10**8
NORMAL = 1.96


@dataclass(frozen=True)
class Bound:
    """A proven lower bound on the mean loss, with its interval where it was sampled.

    Attributes
    ----------
    loss
        The bound, in the units of GCP.
    low, high
        The 95% interval of the bound; equal to it where every row was looked at.
    rows
        How many rows were looked at.
    exact
        Whether that was all of them.
    """

    loss: float
    low: float
    high: float
    rows: int
    exact: bool

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "loss": self.loss,
            "interval": [self.low, self.high],
            "rows": self.rows,
            "exact": self.exact,
        }


def lower_bound(
    table: Table, spans: Spans, k: int, *, pairs: int = EXACT_PAIRS, seed: int = 0
) -> Bound:
    """Bound the mean loss per cell of every release in which a row covers k rows.

    A published row must cover k original rows, its own among them, so it costs at least as much
    as the span from that row to its (k-1)-th nearest other. Suppressed rows, which cost 1, cost
    no less. All distinct rows are looked at while the pairs to compare stay below `pairs`;
    otherwise a random sample of rows, with a 95% interval.
    """
    from indistinct.measures.bound_kernel import nearest_costs

    distinct = table.frequency_set
    codes = np.ascontiguousarray(np.stack(distinct.codes, axis=1))
    exact = distinct.size**2 <= pairs
    share = distinct.counts / distinct.counts.sum()
    if exact:
        chosen = np.arange(distinct.size)
    else:
        random = np.random.Generator(np.random.PCG64(seed))
        chosen = random.choice(distinct.size, size=max(pairs // distinct.size, 30), p=share)
    weight = sum(column.weight for column in table.quasi)
    parts = np.array_split(chosen, os.cpu_count() or 1)
    of_parts = on_each(
        len(parts),
        lambda part: nearest_costs(spans.arrays, codes, distinct.counts, parts[part], k),
    )
    costs = np.concatenate(of_parts)
    costs = np.minimum(costs / weight if weight else costs * 0.0, 1.0)
    if exact:
        mean = float(costs @ share)
        return Bound(mean, mean, mean, table.rows, exact=True)
    mean = float(costs.mean())
    spread = NORMAL * float(costs.std(ddof=1)) / sqrt(costs.size)
    return Bound(mean, max(mean - spread, 0.0), mean + spread, int(costs.size), exact=False)
