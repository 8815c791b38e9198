"""How well people can still be classified by somebody who learnt from the release.

A sensitive column is guessed from quasi columns. A third of the rows, 5,000 at most, are put
aside as people to ask about, exactly as they are. Of the others, one classifier learns from the
private rows and one from what is published of them; what is published of the people asked about is
learnt by none. A published value is learnt as the mean of all that it stands for; in a bucket, rows
learnt from swap their sensitive values.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.errors import DataError, Fault, PlanError
from indistinct.measures.leaf_means import LeafMeans
from indistinct.measures.learner import (
    drawn_rows,
    guesses,
    left_of,
    require_learner,
    scale_of,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from indistinct.measures.confidence import Rate
    from indistinct.model.forms import Form
    from indistinct.model.recoding import Recoding
    from indistinct.model.table import Table

ASKED = 5_000


@dataclass(frozen=True)
class ClassifierAccuracy:
    """How often each guesser was right about the same people.

    Attributes
    ----------
    column
        What was guessed.
    by_private, by_release, by_majority
        Who learnt from private rows, who from their published form, and who always says the most
        frequent value.
    """

    column: str
    by_private: Rate
    by_release: Rate
    by_majority: Rate

    @property
    def kept(self) -> float:
        """The accuracy after the release as a share of that before; 1 where there was none."""
        return self.by_release.share / self.by_private.share if self.by_private.share else 1.0

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "column": self.column,
            "kept": self.kept,
            "by_private": self.by_private.as_json(),
            "by_release": self.by_release.as_json(),
            "by_majority": self.by_majority.as_json(),
        }


def classifier_accuracy(
    table: Table,
    recoding: Recoding,
    forms: tuple[Form, ...] = (),
    *,
    column: str | None = None,
    carried: NDArray[np.intp] | None = None,
    asked: int = ASKED,
    seed: int = 0,
) -> ClassifierAccuracy:
    """Compare a classifier that learns from the release with one that learns from private rows.

    Parameters
    ----------
    forms
        How each quasi column is published; only asked for groups of rows.
    column
        The sensitive column to be guessed; the first if not given.
    carried
        For matchings, the private row whose sensitive values each row carries.
    asked
        How many people to ask about at most.
    seed
        Of the people asked about, and of the classifiers.

    Raises
    ------
    PlanError
        If there is no such sensitive column.
    DataError
        If there are too few rows, or scikit-learn is missing.
    """
    from indistinct.measures.confidence import wilson

    named = require_classifier([held.name for held in table.sensitive], column)
    held = next(held for held in table.sensitive if held.name == named)
    random = np.random.default_rng(seed)
    tested = drawn_rows(table.row_counts, random, min(asked, table.rows // 3))
    left = left_of(table.row_counts, tested)
    owner = np.arange(table.entries) if carried is None else carried
    published = np.where(recoding.kept, left[owner], 0)
    if tested.size == 0 or not published.any():
        problem = "too few rows to learn from and to ask about"
        raise DataError(Fault("classifier", problem, "Ask for it with more rows."))
    private, shown = drawn_rows(left, random), drawn_rows(published, random)
    truth = held.codes.astype(np.int64)
    labels = truth[owner[shown]]
    if (buckets := recoding.bucket_of_row) is not None:
        labels = truth[_mixed(shown, published, buckets, random)]
    features = _Features(table, LeafMeans(table, recoding, forms))
    asked_about = features.exact(tested)
    guessed = (
        guesses(features.exact(private), truth[private], asked_about, seed),
        guesses(features.published(shown), labels, asked_about, seed),
        np.full(tested.size, np.bincount(truth, left).argmax()),
    )
    right = [int(np.count_nonzero(guess == truth[tested])) for guess in guessed]
    return ClassifierAccuracy(held.name, *(wilson(r, int(tested.size)) for r in right))


class _Features:
    """What a classifier sees of entries, in numbers: as they are, or as they are published."""

    def __init__(self, table: Table, leaf_means: LeafMeans) -> None:
        self._quasi, self._leaf_means = table.quasi, leaf_means
        self._scales = [scale_of(column.hierarchy.leaves) for column in table.quasi]

    def exact(self, entries: NDArray[np.intp]) -> NDArray[np.float64]:
        pairs = zip(self._scales, self._quasi, strict=True)
        return np.hstack([scale[column.codes[entries]] for scale, column in pairs])

    def published(self, entries: NDArray[np.intp]) -> NDArray[np.float64]:
        kinds = self._leaf_means.of_row[entries]
        places = enumerate(self._scales)
        return np.hstack([self._leaf_means.means(place, scale, kinds) for place, scale in places])


def require_classifier(sensitive: Sequence[str], name: str | None) -> str:
    """Return which sensitive column is guessed; raise if it cannot be."""
    named = [column for column in sensitive if name in {None, column}]
    if not named:
        have = ", ".join(sensitive) or "none"
        problem = f"no sensitive column {name!r}" if name else "no sensitive column"
        raise PlanError(Fault("classifier", problem, f"Sensitive columns: {have}."))
    require_learner("classifier")
    return named[0]


def _mixed(
    shown: NDArray[np.intp],
    counts: NDArray[np.int64],
    buckets: NDArray[np.int32],
    random: np.random.Generator,
) -> NDArray[np.intp]:
    """Give each of some rows the value of a row of its bucket, of which no row gives two.

    Parameters
    ----------
    shown
        The entry of each row.
    counts, buckets
        How many rows each entry has to give, and its bucket.
    """
    order = np.argsort(buckets, kind="stable")
    ends = np.cumsum(counts[order])
    sizes = np.bincount(buckets[counts > 0], counts[counts > 0]).astype(np.int64)
    starts = np.cumsum(sizes) - sizes
    by_bucket = np.argsort(buckets[shown], kind="stable")
    wanted = np.bincount(buckets[shown])
    given = [
        starts[bucket] + random.choice(sizes[bucket], wanted[bucket], replace=False)
        for bucket in np.flatnonzero(wanted)
    ]
    mixed = np.empty_like(shown)
    mixed[by_bucket] = order[np.searchsorted(ends, np.concatenate(given), side="right")]
    return mixed
