"""Whose rows were suppressed: values that are rarer in a release than in the private table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct.report.distributions import of_hierarchy
from indistinct.report.figures.base import Chart, Figure

if TYPE_CHECKING:
    from collections.abc import Iterator

    from indistinct.release import Release

MOST_VALUES = 8


def _measure(release: Release) -> Figure:
    """Show the values that rows left out have most often, beside how often all rows have them."""
    values = sorted(_values(release), key=lambda value: value["all_rows"] - value["left_out"])
    over = [value for value in values if value["left_out"] > value["all_rows"]][:MOST_VALUES]
    return Figure(
        title="Whose rows were suppressed",
        reading="Values that suppressed rows have more often than all rows: people like these are "
        "missing from the release more than others.",
        what="share of rows",
        rows=tuple((f"{v['column']}: {v['value']}", v["all_rows"], v["left_out"]) for v in over),
        numbers=values,
        sides=("all rows", "suppressed rows"),
        shows_values=True,
    )


def _values(release: Release) -> Iterator[dict[str, Any]]:
    """Go through the values of quasi columns, put together where there are many."""
    table, left_out = release.table, ~release.recoding.kept
    if not left_out.any():
        return
    for column in table.quasi:
        places, labels = of_hierarchy(column.hierarchy)
        of_row = places[column.codes]
        every = table.rows_by(of_row, len(labels))
        missing = table.rows_by(of_row[left_out], len(labels), among=left_out)
        shares = (every / every.sum(), missing / missing.sum())
        for label, share, lost in zip(labels, *shares, strict=True):
            yield {
                "column": column.name,
                "value": label,
                "all_rows": float(share),
                "left_out": float(lost),
            }


LEFT_OUT = Chart(_measure)
