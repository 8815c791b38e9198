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
from indistinct.measures.learner import at_most, guesses, require_learner, scale_of

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
    tested = np.sort(random.permutation(table.rows)[: min(asked, table.rows // 3)])
    owner = np.arange(table.rows) if carried is None else carried
    published = np.flatnonzero(recoding.kept & ~np.isin(owner, tested))
    labels = held.codes[owner[published]].astype(np.int64)
    if (buckets := recoding.bucket_of_row) is not None:
        labels = _mixed(labels, buckets[published], random)
    if tested.size == 0 or published.size == 0:
        problem = "too few rows to learn from and to ask about"
        raise DataError(Fault("classifier", problem, "Ask for it with more rows."))
    learnt = np.setdiff1d(np.arange(table.rows), tested)
    scales = [scale_of(quasi.hierarchy.leaves) for quasi in table.quasi]
    exact = np.hstack([s[q.codes] for s, q in zip(scales, table.quasi, strict=True)])
    leaf_means = LeafMeans(table, recoding, forms)
    shown = np.hstack([leaf_means.means(place, scale) for place, scale in enumerate(scales)])
    private, some = at_most(learnt, random), at_most(np.arange(published.size), random)
    truth = held.codes.astype(np.int64)
    guessed = (
        guesses(exact[private], truth[private], exact[tested], seed),
        guesses(shown[leaf_means.of_row[published[some]]], labels[some], exact[tested], seed),
        np.full(tested.size, np.bincount(truth[learnt]).argmax()),
    )
    right = [int(np.count_nonzero(guess == truth[tested])) for guess in guessed]
    return ClassifierAccuracy(held.name, *(wilson(r, int(tested.size)) for r in right))


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
    values: NDArray[np.int64], groups: NDArray[np.int32], random: np.random.Generator
) -> NDArray[np.int64]:
    """Permute values inside their groups."""
    drawn = random.permutation(values.size)
    mixed = np.empty_like(values)
    mixed[np.argsort(groups, kind="stable")] = values[
        drawn[np.argsort(groups[drawn], kind="stable")]
    ]
    return mixed
