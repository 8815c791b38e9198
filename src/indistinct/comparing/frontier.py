"""Frontier: the loss of one method over all k, and which k fits a loss."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.comparing.chart import Chart
from indistinct.comparing.comparison import Comparison

if TYPE_CHECKING:
    from indistinct.comparing.grid import Grid
    from indistinct.comparing.trials import Trial
    from indistinct.plan.overrides import MethodAsked


@dataclass(frozen=True, eq=False, repr=False)
class Frontier(Comparison):
    """The curve of one method.

    Attributes
    ----------
    max_loss
        The loss that was asked to be kept, if any.
    fit
        The trial of the largest k found that keeps it; None if none does.
    """

    max_loss: float | None = None
    fit: Trial | None = None

    def summary(self) -> dict[str, Any]:
        """Return everything as plain data, as `--json` prints it."""
        content = super().summary()
        if self.max_loss is not None:
            content |= {
                "max_loss": self.max_loss,
                "largest_k": None if self.fit is None else self.fit.k,
                "loss_at_largest_k": None if self.fit is None else self.fit.loss,
            }
        return content

    def chart(self) -> Chart:
        """Draw the curve with the bound."""
        from indistinct.comparing.chart import frontier_spec

        title = f"Loss against k: {self.rows[0].method}"
        spec = frontier_spec(self.rows, self.max_loss, self.fit)
        return Chart(spec, title, self.rows, tuple(self.notes))


def spaced(largest: int, points: int) -> list[int]:
    """Choose values of k from 2 to the largest, evenly spaced by their logarithm.

    >>> spaced(1000, 6)
    [2, 7, 24, 83, 289, 1000]
    """
    if largest <= 2:
        return [2]
    return sorted({round(k) for k in np.geomspace(2, largest, points).tolist()})


def run_curve(grid: Grid, method: MethodAsked, ks: list[int]) -> list[Trial]:
    """Run a method for each k, ordered by k."""
    return grid.run([(method, k) for k in ks], stage="frontier")


def largest_within(
    grid: Grid, method: MethodAsked, trials: list[Trial], max_loss: float
) -> tuple[list[Trial], Trial | None]:
    """Search the largest k whose loss stays within a bound.

    From the largest k of the curve that does, towards the next one, by halves. The loss of a
    method need not rise steadily with k: a larger k between other points of the curve may fit too.

    Returns
    -------
    tuple
        The curve with the points that were looked at, and the point found, if any.
    """
    by_k = {trial.k: trial for trial in trials}
    within = [k for k, trial in by_k.items() if _fits(trial, max_loss)]
    if not within:
        return trials, None
    low = max(within)
    above = [high for k, high in pairwise(sorted(by_k)) if k == low]
    high = above[0] if above else low + 1
    while high - low > 1:
        middle = (low + high) // 2
        by_k[middle] = grid.run([(method, middle)], stage="search")[0]
        low, high = (middle, high) if _fits(by_k[middle], max_loss) else (low, middle)
    return [by_k[k] for k in sorted(by_k)], by_k[low]


def _fits(trial: Trial, max_loss: float) -> bool:
    return trial.loss is not None and trial.loss <= max_loss
