"""What a released row may be: in each column, all leaves it stands for, in equal parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.recoding import Recoding
    from indistinct.model.shown import Values
    from indistinct.model.table import Table


class LeafMeans:
    """Kinds of released rows, and means over the leaves that each stands for.

    Attributes
    ----------
    of_row
        The kind of each private row; -1 where the row is left out. Rows published alike are one
        kind; a row of a matching is a kind of its own.
    count
        How many kinds there are.
    """

    def __init__(self, table: Table, recoding: Recoding, forms: tuple[Form, ...]) -> None:
        self._shown = recoding.shown(table, forms)
        self.of_row, self.count = self._shown.of_row, self._shown.count

    def means(
        self,
        place: int,
        figures: NDArray[np.float64],
        part: slice | NDArray[np.integer] = slice(None),
    ) -> NDArray[np.float64]:
        """Give kinds the mean of figures over the leaves that they show in a column.

        Parameters
        ----------
        figures
            A row of figures for each leaf of the column.
        part
            Which kinds; all if not given.
        """
        used, numbers = np.unique(self._shown.value[part, place], return_inverse=True)
        return _of_values(self._shown.values[place].some(used), figures)[numbers]


def _of_values(values: Values, figures: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give each published value the mean over its runs of leaves."""
    runs = _over_runs(figures, values.low, values.high)
    if values.count == 0:
        return runs
    summed = np.add.reduceat(runs, values.first[:-1], axis=0)
    means: NDArray[np.float64] = summed / values.held[:, None]
    return means


def _over_runs(
    figures: NDArray[np.float64], low: NDArray[np.int32], high: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Add up the figures of runs of leaves; those of a single one are as they are."""
    until = np.vstack([np.zeros((1, figures.shape[1])), np.cumsum(figures, axis=0)])
    added = until[high.astype(np.int64) + 1] - until[low]
    return np.where((low == high)[:, None], figures[low], added)
