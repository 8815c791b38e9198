"""Distributions: what a column looked like, and what the release makes of it, in a few bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.hierarchy.order import positions
from indistinct.measures.bins import equal_runs, level_of_few
from indistinct.measures.marginals import in_common, original_counts, released_counts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from indistinct.hierarchy import Hierarchy
    from indistinct.hierarchy.core import Label
    from indistinct.model.table import SensitiveColumn
    from indistinct.release import Release

MOST_BARS = 12
MISSING = "(missing)"


@dataclass(frozen=True)
class Bar:
    """Some values of a column: their share of the private rows and of the released ones."""

    label: str
    before: float
    after: float


@dataclass(frozen=True)
class Distribution:
    """A column, original against released.

    Attributes
    ----------
    kept
        Which share the two distributions have in common, over all ground values.
    bars
        What they look like; values are put together where there are many. Private: they show
        original values.
    """

    column: str
    role: str
    kept: float
    bars: tuple[Bar, ...]

    def as_json(self) -> dict[str, Any]:
        """Return it as plain data."""
        return {
            "column": self.column,
            "role": self.role,
            "kept": self.kept,
            "bars": [{"label": b.label, "before": b.before, "after": b.after} for b in self.bars],
        }


def distributions(release: Release) -> Iterator[Distribution]:
    """Compare each quasi and sensitive column with what is released of it."""
    table = release.table
    forms = release.plan.forms(table)
    counts = zip(
        table.quasi,
        original_counts(table),
        released_counts(table, release.recoding, forms),
        strict=True,
    )
    for column, before, after in counts:
        bars = _bars(before, after, *of_hierarchy(column.hierarchy))
        yield Distribution(column.name, "quasi", in_common(before, after), bars)
    kept, carried = release.recoding.kept, release.published.carried
    origin = kept if carried is None else carried[kept]
    for held in table.sensitive:
        size = len(held.values)
        before = table.rows_by(held.codes, size).astype(np.float64)
        after = table.rows_by(held.codes[origin], size, kept).astype(np.float64)
        bars = _bars(before, after, *_of_values(held, before))
        yield Distribution(held.name, "sensitive", in_common(before, after), bars)


def _bars(
    before: NDArray[np.float64],
    after: NDArray[np.float64],
    places: NDArray[np.int64],
    labels: Sequence[str],
) -> tuple[Bar, ...]:
    """Add up the values of each bar."""
    shares = [
        np.bincount(places, weights=counts, minlength=len(labels)) / max(counts.sum(), 1)
        for counts in (before, after)
    ]
    pairs = zip(labels, *shares, strict=True)
    return tuple(Bar(label, float(one), float(two)) for label, one, two in pairs)


def of_hierarchy(hierarchy: Hierarchy) -> tuple[NDArray[np.int64], list[str]]:
    """Put leaves into at most so many bars: the finest level that has so few, or equal runs."""
    level = level_of_few(hierarchy, MOST_BARS)
    if level is None:
        return _runs(hierarchy.leaves)
    labels = [_label(label) for label in hierarchy.labels[level]]
    return hierarchy.nodes[level].astype(np.int64), labels


def _of_values(
    column: SensitiveColumn, counts: NDArray[np.float64]
) -> tuple[NDArray[np.int64], list[str]]:
    """Put sensitive values into bars: numbers in runs, of categories the most frequent."""
    if column.hierarchy is not None:
        return of_hierarchy(column.hierarchy)
    if len(column.values) <= MOST_BARS:
        return np.arange(len(column.values)), [_label(value) for value in column.values]
    if positions(column.values)[0] != "category":
        return _runs(column.values)
    frequent = np.sort(np.argsort(-counts, kind="stable")[: MOST_BARS - 1])
    places = np.full(counts.size, frequent.size, dtype=np.int64)
    places[frequent] = np.arange(frequent.size)
    others = f"{counts.size - frequent.size} others"
    return places, [*(_label(column.values[place]) for place in frequent), others]


def _runs(values: Sequence[Label]) -> tuple[NDArray[np.int64], list[str]]:
    places = equal_runs(len(values), MOST_BARS)
    starts = np.flatnonzero(np.diff(places, prepend=-1))
    ends = np.append(starts[1:], places.size) - 1
    pairs = zip(starts.tolist(), ends.tolist(), strict=True)
    labels = [
        _label(values[start])
        if start == end
        else f"{_label(values[start])} to {_label(values[end])}"
        for start, end in pairs
    ]
    return places, labels


def _label(value: Label) -> str:
    return MISSING if value is None else value
