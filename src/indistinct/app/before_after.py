"""What pages show of a release: each column before and after, and the smallest classes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from indistinct.report.distributions import distributions

if TYPE_CHECKING:
    from indistinct.release import Release

WORST = 10


def seen(release: Release) -> dict[str, Any]:
    """Return what a release did to each column, and its smallest classes."""
    looks = distributions(release) if release.recoding.at_hand else ()
    return {
        "columns": [distribution.as_json() for distribution in looks],
        "method": release.summary()["method"],
        "loss": release.measures.as_json()["gcp"],
        "suppressed": release.suppressed_rows,
        "rows": release.table.rows,
        "classes": smallest_classes(release),
    }


def smallest_classes(release: Release) -> dict[str, Any] | None:
    """Return the classes of fewest rows as they are published; None where there are no classes."""
    if not release.recoding.at_hand or release.recoding.published_as != "classes":
        return None
    as_they_are = {*release.plan.with_role("sensitive", "other")}
    names = [name for name in release.rows.column_names if name not in as_they_are]
    sizes = release.rows.group_by(names).aggregate([([], "count_all")])
    keys = [("count_all", "ascending"), *((name, "ascending") for name in names)]
    worst = sizes.sort_by(keys).slice(0, WORST).to_pylist()
    return {
        "names": names,
        "total": sizes.num_rows,
        "worst": [
            {"cells": [_text(row[name]) for name in names], "rows": row["count_all"]}
            for row in worst
        ],
    }


def _text(value: Any) -> str | None:
    return None if value is None else str(value)
