"""ReportFacts: all that a report says, and nothing it would have to ask for."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from indistinct.report.class_sizes import shares_by_size
from indistinct.risk.attacks.job import promised_k

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from indistinct.comparing.chart import Chart
    from indistinct.model.recoding.base import PublishedAs
    from indistinct.release import Release
    from indistinct.report.codebook import ColumnCodes
    from indistinct.report.findings import Findings

PREVIEWED = 8
QUICK_PAIRS = 10**7
KIND = "indistinct report"

Audience = Literal["internal", "public"]


@dataclass(frozen=True)
class ReportFacts:
    """What a report is made of.

    Attributes
    ----------
    summary
        The JSON that `indistinct anonymize --json` prints. For the public, counts that are not
        given are words.
    plan
        The plan as text. It is printed whole: leave out what the readers may not see.
    sizes_before, sizes_after
        Class size to number of classes, in the private table and in the release. `sizes_after` is
        empty where a method publishes no classes.
    heights
        The height of each column's hierarchy.
    preview
        A few released rows. They are printed only if every requirement holds.
    title
        The heading of the page.
    findings
        What was measured for the report; None where only the summary is given.
    roles
        The role of each published column.
    kind
        What is published: rows alike, buckets of exact quasi values, or rows that cover others.
    least
        The k that was promised.
    provenance
        Where the release comes from: files by name and hash.
    frontier
        Loss against k, where that was asked for.
    audience
        Whom the facts are for.
    size_shares
        The shares of rows in classes of which size, where sizes themselves are not given.
    about
        Data set, author and purpose as the plan states them.
    made
        The day on which the report was made, as an ISO date.
    codes
        What the published texts mean, for those who read the release.
    """

    summary: Mapping[str, Any]
    plan: str
    sizes_before: Mapping[int, int]
    sizes_after: Mapping[int, int]
    heights: Mapping[str, int]
    preview: Sequence[Mapping[str, str]]
    title: str
    findings: Findings | None = None
    roles: Mapping[str, str] = field(default_factory=dict)
    kind: PublishedAs = "classes"
    least: int = 2
    provenance: Mapping[str, Any] = field(default_factory=dict)
    frontier: Chart | None = None
    audience: Audience = "internal"
    size_shares: Mapping[str, tuple[float, float]] | None = None
    about: Mapping[str, str] = field(default_factory=dict)
    made: str = ""
    codes: tuple[ColumnCodes, ...] = ()

    @property
    def requirements(self) -> Sequence[Mapping[str, Any]]:
        """What was promised, with what was measured."""
        requirements: Sequence[Mapping[str, Any]] = self.summary["requirements"]
        return requirements

    @property
    def holds(self) -> bool:
        """Whether something was promised and every promise was measured to hold."""
        return bool(self.requirements) and all(r["holds"] is True for r in self.requirements)

    @property
    def smallest_class(self) -> int | str | None:
        """The size of the smallest released class; None where there are no classes."""
        if "smallest_class" in self.summary:
            smallest: int | str | None = self.summary["smallest_class"]
            return smallest
        return min((size for size, count in self.sizes_after.items() if count), default=None)

    @property
    def size_bars(self) -> Mapping[str, tuple[float, float]]:
        """The shares of rows in classes of which size, before and after; empty without classes."""
        if self.size_shares is not None:
            return self.size_shares
        return shares_by_size(self.sizes_before, self.sizes_after) if self.sizes_after else {}

    def as_json(self) -> dict[str, Any]:
        """Return every number of the report as plain data."""
        content = {
            "kind": KIND,
            "audience": self.audience,
            "title": self.title,
            "date": self.made,
            "about": dict(self.about),
            "holds": self.holds,
            **self.summary,
            "smallest_class": self.smallest_class,
            "class_sizes": [
                {"size": size, "before": before, "after": after}
                for size, (before, after) in self.size_bars.items()
            ],
            "published_as": self.kind,
            "roles": dict(self.roles),
            "codebook": [column.as_json() for column in self.codes],
        }
        if self.findings is not None:
            content |= {
                "risk": self.findings.risk,
                "losses": self.findings.losses,
                "cube": self.findings.cube,
                "attacks": list(self.findings.attacks),
                "distributions": [
                    distribution.as_json() for distribution in self.findings.distributions
                ],
            }
            content |= {name: figure.numbers for name, figure in self.findings.figures.items()}
            if self.audience == "internal":
                content["draw"] = dict(self.findings.draw)
        return content | self._if_internal()

    def _if_internal(self) -> dict[str, Any]:
        if self.audience == "public":
            return {}
        trials = [] if self.frontier is None else [c.as_json() for c in self.frontier.rows]
        return {"plan": json.loads(self.plan), "provenance": self.provenance, "frontier": trials}


def facts_of(
    release: Release,
    title: str,
    *,
    findings: Findings | None = None,
    provenance: Mapping[str, Any] | None = None,
    frontier: Chart | None = None,
) -> ReportFacts:
    """Gather from a release what its report says."""
    sizes, classes = np.unique(release.class_sizes, return_counts=True)
    return ReportFacts(
        summary=_summary(release),
        plan=json.dumps(release.plan.public(), indent=2, ensure_ascii=False),
        sizes_before=release.sizes_before,
        sizes_after=dict(zip(sizes.tolist(), classes.tolist(), strict=True)),
        heights={c.name: c.hierarchy.height for c in release.table.quasi},
        preview=_preview(release),
        title=title,
        findings=findings,
        roles={n: c.role for n, c in release.plan.columns.items() if c.role not in _UNPUBLISHED},
        kind=release.recoding.published_as,
        least=promised_k(release.plan),
        provenance=provenance or {},
        frontier=frontier,
        about={name: said for name, said in release.plan.about.model_dump().items() if said},
        made=datetime.now(UTC).date().isoformat(),
    )


_UNPUBLISHED = {"identifier", "drop", "respondent"}


def _summary(release: Release) -> dict[str, Any]:
    """Take the summary; of the search only words and numbers, for lists may speak of rows."""
    summary = release.summary()
    if release.bounded is None and release.recoding.at_hand:
        summary["bound"] = release.bound(pairs=QUICK_PAIRS).as_json()
    plain = (bool, int, float, str)
    summary["search"] = {k: v for k, v in summary["search"].items() if isinstance(v, plain)}
    return summary


def _preview(release: Release) -> list[dict[str, str]]:
    rows = release.published.part(0, PREVIEWED).to_pylist()
    return [{name: "" if v is None else str(v) for name, v in row.items()} for row in rows]
