"""A release as if the rows left out had never been in the table, for figures that anyone may read.

A figure of all private rows, beside a release that anyone can count, shows the difference of the
two: how many people were left out, and what they had. Whatever is published is therefore
measured again on the released people alone. Two tables that differ only in rows left out, and are
released alike, give the same figures to the last digit.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from indistinct.io.arrow import number_array
from indistinct.measures.loss import measure_loss

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from indistinct.model.table import QuasiColumn, SensitiveColumn, Table
    from indistinct.plan import Plan
    from indistinct.publishing.rows import Published
    from indistinct.release import Release


def released_only(release: Release) -> Release:
    """Return the release of the same rows, made of a table of nobody else."""
    if not release.suppressed_rows:
        return release
    recoding, kept = release.recoding, release.recoding.kept
    rows = np.flatnonzero(kept)
    part = recoding.of_entries(rows)
    table = release.table.of_entries(rows)
    seen = tuple(_leaves_released(column, release.plan) for column in table.quasi)
    table, part = _of_leaves(table, seen), part.of_leaves(seen)
    return _measured_again(replace(release, table=table, recoding=part), kept)


def _leaves_released(column: QuasiColumn, plan: Plan) -> NDArray[np.int32]:
    """Return which leaves a column has without the rows left out.

    Those of a hierarchy that lists its values stay, whoever has them; but the missing value, which
    the data adds to any hierarchy, is one of the data.
    """
    seen = np.flatnonzero(np.bincount(column.codes)).astype(np.int32)
    spec = plan.columns[column.name].hierarchy
    if spec is None or not spec.lists_values:
        return seen
    missing = column.hierarchy.code_of.get(None)
    every = np.arange(column.hierarchy.size, dtype=np.int32)
    return every if missing is None or missing in seen else np.delete(every, missing)


def _of_leaves(table: Table, seen: tuple[NDArray[np.int32], ...]) -> Table:
    pairs = zip(table.quasi, seen, strict=True)
    return replace(
        table,
        quasi=tuple(_of_codes(column, codes) for column, codes in pairs),
        sensitive=tuple(_of_values(column) for column in table.sensitive),
    )


def _of_codes(column: QuasiColumn, codes: NDArray[np.int32]) -> QuasiColumn:
    """Return a quasi column that knows some of its leaves only, and nothing finer than them."""
    place = np.zeros(column.hierarchy.size, dtype=np.int32)
    place[codes] = np.arange(codes.size, dtype=np.int32)
    ends = column.ends
    return replace(
        column,
        codes=place[column.codes],
        hierarchy=column.hierarchy.of_leaves(codes),
        ends=None if ends is None else ends.of_leaves(codes, column.hierarchy.position),
    )


def _of_values(column: SensitiveColumn) -> SensitiveColumn:
    """Return a sensitive column that knows no value but those it has."""
    held = np.bincount(column.codes, minlength=len(column.values)) > 0
    seen = np.flatnonzero(held).astype(np.int32)
    return replace(
        column,
        codes=(np.cumsum(held) - 1).astype(np.int32)[column.codes],
        values=tuple(column.values[code] for code in seen),
        hierarchy=None if column.hierarchy is None else column.hierarchy.of_leaves(seen),
        overall=column.shares[seen],
    )


def _measured_again(release: Release, kept: NDArray[np.bool_]) -> Release:
    table, forms = release.table, release.plan.forms(release.table)
    measured = replace(
        release,
        published=_published(release.published, kept),
        measures=measure_loss(table, release.recoding, release.class_sizes, forms),
        sizes_before=table.frequency_set.classes_by_size,
    )
    if release.classified is None:
        return measured
    return replace(measured, classified=measured.classifier_accuracy(release.classified.column))


def _published(published: Published, kept: NDArray[np.bool_]) -> Published:
    place = np.cumsum(kept) - 1
    source = published.source[kept[published.source]]
    return replace(
        published,
        columns=published.columns.take(number_array(np.flatnonzero(kept))),
        source=place[source],
        blanked=0,
        weights=None if published.weights is None else published.weights[kept],
    )
