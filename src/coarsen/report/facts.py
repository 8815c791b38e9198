"""ReportFacts: all that a report tells, and nothing it would have to ask for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from coarsen.release import Release

PREVIEWED = 8
QUICK_PAIRS = 10**7


@dataclass(frozen=True)
class ReportFacts:
    """What a report is made of.

    Attributes
    ----------
    summary
        The JSON that `coarsen anonymize --json` prints.
    plan
        The plan as text (TOML). It is printed whole: leave out what the readers may not see.
    sizes_before, sizes_after
        Class size to number of classes, in the private table and in the release. `sizes_after` is
        empty where a method publishes no classes.
    heights
        The height of each column's hierarchy.
    preview
        A few released rows. They are printed only if every requirement holds.
    title
        The heading of the page.
    """

    summary: Mapping[str, Any]
    plan: str
    sizes_before: Mapping[int, int]
    sizes_after: Mapping[int, int]
    heights: Mapping[str, int]
    preview: Sequence[Mapping[str, str]]
    title: str

    @property
    def requirements(self) -> Sequence[Mapping[str, Any]]:
        """What was promised, with what was measured."""
        found: Sequence[Mapping[str, Any]] = self.summary["requirements"]
        return found

    @property
    def holds(self) -> bool:
        """Whether something was promised and every promise was measured to hold."""
        return bool(self.requirements) and all(r["holds"] is True for r in self.requirements)

    @property
    def smallest_class(self) -> int | None:
        """The size of the smallest released class; None where there are no classes."""
        return min((size for size, count in self.sizes_after.items() if count), default=None)


def facts_of(release: Release, title: str) -> ReportFacts:
    """Gather from a release what its report tells."""
    import json

    import numpy as np

    sizes, classes = np.unique(release.class_sizes, return_counts=True)
    return ReportFacts(
        summary=release.summary() | {"bound": release.bound(pairs=QUICK_PAIRS).as_json()},
        plan=json.dumps(release.plan.public(), indent=2, ensure_ascii=False),
        sizes_before=release.sizes_before,
        sizes_after=dict(zip(sizes.tolist(), classes.tolist(), strict=True)),
        heights={c.name: c.hierarchy.height for c in release.table.quasi},
        preview=_preview(release),
        title=title,
    )


def _preview(release: Release) -> list[dict[str, str]]:
    rows = release.published.part(0, PREVIEWED).to_pylist()
    return [{name: "" if v is None else str(v) for name, v in row.items()} for row in rows]
