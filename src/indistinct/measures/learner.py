"""The classifier that measures and attacks let learn: a random forest, by scikit-learn.

It needs scikit-learn, the extra `attacks`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from indistinct.errors import DataError, Fault
from indistinct.hierarchy.order import positions

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy.core import Label

MOST_ROWS = 20_000
MOST_VALUES = 64
TREES = 40


def require_learner(place: str) -> None:
    """Raise if scikit-learn is not there."""
    if (fault := no_learner(place)) is not None:
        raise DataError(fault)


def no_learner(place: str) -> Fault | None:
    """Say of something that learns that scikit-learn is not there; None if it is."""
    try:
        import sklearn.ensemble  # noqa: F401
    except ImportError:
        remedy = "Install it with: pip install scikit-learn."
        return Fault(place, "it needs scikit-learn", remedy)
    return None


def guesses(
    rows: NDArray[np.float64], values: NDArray[np.int64], asked: NDArray[np.float64], seed: int
) -> NDArray[np.int64]:
    """Learn values from rows, and guess those of the rows that are asked about."""
    from sklearn.ensemble import RandomForestClassifier

    model = RandomForestClassifier(TREES, min_samples_leaf=2, random_state=seed)
    model.fit(rows.astype(np.float32), values)
    guessed: NDArray[np.int64] = model.predict(asked.astype(np.float32))
    return guessed


def drawn_rows(
    counts: NDArray[np.int64], random: np.random.Generator, most: int = MOST_ROWS
) -> NDArray[np.intp]:
    """Draw rows at random, each at most once, and return the entry of each, in order.

    Parameters
    ----------
    counts
        How many rows each entry stands for; none of an entry of 0 is drawn.
    most
        How many to draw; all where there are no more.
    """
    rows = int(counts.sum())
    if rows <= most:
        return np.repeat(np.arange(counts.size), counts)
    drawn = np.sort(random.choice(rows, most, replace=False, shuffle=False))
    return np.searchsorted(np.cumsum(counts), drawn, side="right")


def left_of(counts: NDArray[np.int64], drawn: NDArray[np.intp]) -> NDArray[np.int64]:
    """Return how many rows each entry stands for without those drawn."""
    left: NDArray[np.int64] = counts - np.bincount(drawn, minlength=counts.size)
    return left


def scale_of(values: Sequence[Label]) -> NDArray[np.float64]:
    """Put values on a line, or each in a column of its own; many in alphabetical order.

    >>> scale_of(["1", "5", None]).tolist(), scale_of(["f", "m"]).tolist()
    ([[1.0], [5.0], [0.0]], [[1.0, 0.0], [0.0, 1.0]])
    """
    kind, place = positions(values)
    if kind != "category":
        return np.nan_to_num(place, nan=float(np.nanmin(place)) - 1)[:, None]
    if len(values) <= MOST_VALUES:
        return np.eye(len(values))
    rank = np.argsort(np.argsort(np.array(["" if v is None else v for v in values])))
    return rank[:, None].astype(np.float64)
