"""Publishing matchings: quasi values as what each row covers, the rest along a drawn matching."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.forms import cover_labels, span_labels
from indistinct.frames.arrow import labelled
from indistinct.publish.groups import Spread, write_column
from indistinct.randomness import Randomness

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.forms import RangeAs
    from indistinct.measures.ncp import Form
    from indistinct.plan import Plan
    from indistinct.publish.groups import Columns
    from indistinct.recoding import Matching
    from indistinct.table import QuasiColumn, Table


def drawn_sources(
    matching: Matching, plan: Plan, data: Sequence[memoryview]
) -> tuple[NDArray[np.intp], dict[str, Any]]:
    """Draw one of the k matchings for each connected component.

    Returns
    -------
    For each published row the original row whose sensitive and other values it carries, and how
    that was drawn: both for internal use only.
    """
    component = matching.components()
    count = int(component.max(initial=-1)) + 1
    random = Randomness(plan.seed, "matching", *data)
    # 64 bits each: no matching is likelier than another by more than k / 2**64
    words = np.frombuffer(random.bytes(8 * count), dtype="<u8")
    chosen = (words % np.uint64(matching.k)).astype(np.intp)
    sources = matching.sources[np.arange(matching.rows), chosen[component]].astype(np.intp)
    told = {
        "generator": "operating system" if plan.seed is None else "SHAKE-256 of the secret seed",
        "drawn": "one of the matchings, uniformly, for each connected component by itself",
        "matchings": matching.k,
        "components": count,
    }
    return sources, told


def matched_columns(
    data: pa.Table,
    table: Table,
    matching: Matching,
    forms: tuple[Form, ...],
    ranges_as: tuple[RangeAs, ...],
) -> dict[str, Columns]:
    """Write out every quasi column, as one published column or several."""
    every = np.arange(matching.rows, dtype=np.int32)
    published = {}
    for place, column in enumerate(table.quasi):
        spread = Spread(column, every, *matching.bounds(column.codes))
        published[column.name] = write_column(
            data.column(column.name),
            spread,
            ranges_as[place],
            partial(_text, spread, matching, forms[place]),
            partial(_centres, column, matching, ranges_as[place]),
        )
    return published


def _text(spread: Spread, matching: Matching, form: Form) -> pa.Array:
    if form == "set":
        column = spread.column
        numbers, _, labels = cover_labels(column, column.codes[matching.sources])
    else:
        numbers, labels = span_labels(spread.column, form, spread.low, spread.high)
    return labelled(numbers, labels)


def _centres(column: QuasiColumn, matching: Matching, range_as: RangeAs) -> NDArray[np.float64]:
    """Mean or median of what each row covers; NaN where a value is missing."""
    places = column.hierarchy.position[column.codes[matching.sources]]
    missing = np.isnan(places)
    places = np.where(missing, 0.0, places)
    middle = places.mean(axis=1) if range_as == "mean" else np.median(places, axis=1)
    return np.where(missing.any(axis=1), np.nan, middle)
