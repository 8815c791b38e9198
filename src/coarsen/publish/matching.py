"""Publishing matchings: quasi values as what each row covers, the rest along a drawn matching."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from coarsen.forms import cover_labels, published_names, span_labels
from coarsen.frames.arrow import labelled
from coarsen.publish.groups import Spread, bound_columns, number_column
from coarsen.randomness import Randomness

if TYPE_CHECKING:
    import pyarrow as pa
    from numpy.typing import NDArray

    from coarsen.forms import RangeAs
    from coarsen.measures.ncp import Form
    from coarsen.plan import Plan
    from coarsen.publish.groups import Columns
    from coarsen.recoding import Matching
    from coarsen.table import QuasiColumn, Table


def drawn_sources(
    matching: Matching, plan: Plan, data: list[memoryview]
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
    published = {}
    for place, column in enumerate(table.quasi):
        low, high = matching.bounds(column.codes)
        every = np.arange(matching.rows, dtype=np.int32)
        spread = Spread(column, every, low, high)
        published[column.name] = _columns(
            data.column(column.name), spread, matching, forms[place], ranges_as[place]
        )
    return published


def _columns(
    original: pa.ChunkedArray, spread: Spread, matching: Matching, form: Form, range_as: RangeAs
) -> Columns:
    names = published_names(spread.column.name, range_as)
    if range_as == "bounds":
        return dict(zip(names, bound_columns(spread), strict=True))
    text = original if spread.exact else _text(spread, matching, form)
    if range_as == "text":
        return {names[0]: text}
    return {names[0]: text, names[1]: number_column(_centres(spread.column, matching, range_as))}


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
