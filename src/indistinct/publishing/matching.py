"""Publishing matchings: quasi values as what each row covers, the rest along a drawn matching."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from indistinct.io.arrow import labelled
from indistinct.model.forms import cover_labels, span_labels
from indistinct.publishing.groups import ColumnRanges, row_numbers, write_column
from indistinct.publishing.randomness import Randomness

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.model.forms import Form
    from indistinct.model.names import RangeAs
    from indistinct.model.recoding import Matching
    from indistinct.model.table import QuasiColumn, Table
    from indistinct.plan import Plan
    from indistinct.publishing.draws import Draws
    from indistinct.publishing.groups import Columns

MANY = 20


def drawn_rows(
    matching: Matching, plan: Plan, draws: Draws
) -> tuple[NDArray[np.intp], dict[str, Any]]:
    """Draw whose values each published row carries; the order of the file decides nothing."""
    if draws.content is None:
        return drawn_sources(matching, plan, draws.columns)
    place = np.argsort(draws.content)
    carried, facts = drawn_sources(matching.reordered(place), plan, draws.columns)
    return draws.content[carried][place], facts


def drawn_sources(
    matching: Matching, plan: Plan, data: Sequence[memoryview]
) -> tuple[NDArray[np.intp], dict[str, Any]]:
    """Draw one of all perfect matchings within the graph of the k matchings.

    Every pair of the graph is drawn with probability 1 / k. Rows near each other are settled a few
    at a time, by many coins, not a whole component by one (see `rounding_kernel`): whoever knows
    the value of a person, or what goes with what, learns little about who the others are.

    Returns
    -------
    For each published row the original row whose sensitive and other values it carries, and how
    that was drawn: both for internal use only.
    """
    from indistinct.publishing.rounding_kernel import edges_of, round_edges, shuffle, way_of

    rows, k = matching.sources.shape
    order = Randomness(plan.seed, "walks", *data).bytes(8 * rows)
    coins = Randomness(plan.seed, "matching", *data).bytes(8 * rows * k)
    # 64 bits each: no matching is likelier than it should be by more than rows k / 2**64
    edges, starts = edges_of(matching.sources), np.arange(rows, dtype=np.int32)
    shuffle(edges, starts, np.frombuffer(order, dtype="<u8"))
    shifts = np.zeros((k + 1, k + 1), dtype=np.int64)
    together = np.zeros(MANY, dtype=np.int64)
    sources = matching.sources[:, 0].copy()
    words = np.frombuffer(coins, dtype="<u8")
    round_edges(edges, starts, words, way_of(rows), sources, shifts, together)
    facts = {
        "generator": "operating system" if plan.seed is None else "SHAKE-256 of the secret seed",
        "drawn": "each pair with probability 1 / k, by random shifts around short cycles",
        "matchings": k,
        "shifts": int(shifts.sum()),
        "entropy_of_shifts": _entropy(shifts) / max(rows, 1),
        f"settled_with_{MANY}_or_more": float(together[-1]) / max(rows, 1),
    }
    return sources.astype(np.intp), facts


def _entropy(shifts: NDArray[np.int64]) -> float:
    """Sum the entropy of all coins, in nats: the shift up has probability down / (up + down)."""
    up, down = (side.astype(float) for side in np.nonzero(shifts))
    share = down / (up + down)
    each = -share * np.log(share) - (1 - share) * np.log1p(-share)
    return float(each @ shifts[shifts > 0])


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
        ranges = ColumnRanges(column, every, *matching.bounds(column.codes))
        published[column.name] = write_column(
            data.column(column.name),
            ranges,
            ranges_as[place],
            partial(_text, ranges, matching, forms[place]),
            partial(_centres, data.column(column.name), column, matching, ranges_as[place]),
        )
    return published


def _text(ranges: ColumnRanges, matching: Matching, form: Form) -> pa.Array:
    if form == "set":
        column = ranges.column
        numbers, _, labels = cover_labels(column, column.codes[matching.sources])
    else:
        numbers, labels = span_labels(ranges.column, form, ranges.low, ranges.high)
    return labelled(numbers, labels)


def _centres(
    original: pa.ChunkedArray, column: QuasiColumn, matching: Matching, range_as: RangeAs
) -> NDArray[np.float64]:
    """Mean or median of what each row covers; NaN where a value is missing."""
    places = row_numbers(original, column)[matching.sources]
    missing = np.isnan(places)
    places = np.where(missing, 0.0, places)
    middle = places.mean(axis=1) if range_as == "mean" else np.median(places, axis=1)
    return np.where(missing.any(axis=1), np.nan, middle)
