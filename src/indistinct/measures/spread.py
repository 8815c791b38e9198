"""What a released row may be: in each column, all leaves it stands for, in equal parts."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.measures.shown import leaves_shown, sets_matched, shown_by
from indistinct.model.recoding import Buckets, Matching

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.measures.shown import Values
    from indistinct.model.forms import Form
    from indistinct.model.recoding import Recoding
    from indistinct.model.table import Table


class Spread:
    """Kinds of released rows, and means over the leaves that each stands for.

    Attributes
    ----------
    of_row
        The kind of each private row; -1 where the row is left out. Rows published alike are one
        kind; a row of a bucket or of a matching is a kind of its own.
    count
        How many kinds there are.
    """

    def __init__(self, table: Table, recoding: Recoding, forms: tuple[Form, ...]) -> None:
        self._table, self._recoding, self._forms = table, recoding, forms
        self._shown = None
        if isinstance(recoding, Buckets | Matching):
            self.of_row = np.where(recoding.kept, np.arange(table.rows), -1).astype(np.int32)
            self.count = table.rows
        else:
            self._shown = shown_by(table, recoding, forms)
            self.of_row = self._shown.of_row
            self.count = self._shown.value.shape[0]

    def means(
        self, place: int, figures: NDArray[np.float64], part: slice = slice(None)
    ) -> NDArray[np.float64]:
        """Give kinds the mean of figures over the leaves that they show in a column.

        Parameters
        ----------
        figures
            A row of figures for each leaf of the column.
        part
            Which kinds; all if not given.
        """
        codes = self._table.quasi[place].codes
        if self._shown is not None:
            found = _of_values(self._shown.values[place], figures)
            return found[self._shown.value[part, place]]
        if isinstance(self._recoding, Matching):
            return self._of_matching(self._recoding, place, figures, part)
        exact: NDArray[np.float64] = figures[codes[part]]
        return exact

    def _of_matching(
        self, matching: Matching, place: int, figures: NDArray[np.float64], part: slice
    ) -> NDArray[np.float64]:
        column = self._table.quasi[place]
        if self._forms[place] != "set":
            low, high = leaves_shown(column, self._forms[place], *matching.bounds(column.codes))
            return _over_runs(figures, low[part], high[part]) / (high - low + 1.0)[part, None]
        numbers, values = sets_matched(column, column.codes[matching.sources[part]])
        return _of_values(values, figures)[numbers]


def _of_values(values: Values, figures: NDArray[np.float64]) -> NDArray[np.float64]:
    """Give each published value the mean over its runs of leaves."""
    runs = _over_runs(figures, values.low, values.high)
    if values.loss.size == 0:
        return runs
    summed = np.add.reduceat(runs, values.first[:-1], axis=0)
    means: NDArray[np.float64] = summed / values.held[:, None]
    return means


def _over_runs(
    figures: NDArray[np.float64], low: NDArray[np.int32], high: NDArray[np.int32]
) -> NDArray[np.float64]:
    """Add up the figures of runs of leaves."""
    until = np.vstack([np.zeros((1, figures.shape[1])), np.cumsum(figures, axis=0)])
    added: NDArray[np.float64] = until[high.astype(np.int64) + 1] - until[low]
    return added
