"""The report files that may go with a release file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.report.facts import ReportFacts, facts_of
from indistinct.report.page import render
from indistinct.report.public import for_public

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indistinct.release import Release
    from indistinct.tradeoff.frontier import Frontier


def report_files(
    release: Release,
    title: str,
    *,
    internal: str | Path | None = None,
    public: str | Path | None = None,
    numbers: str | Path | None = None,
    public_numbers: str | Path | None = None,
    provenance: Mapping[str, Any],
    frontier: Frontier | None = None,
) -> Iterator[tuple[Path, str]]:
    """Write the reports that are asked for, and say where each goes."""
    if all(path is None for path in (internal, public, numbers, public_numbers)):
        return
    chart = None if frontier is None else frontier.chart()
    facts = facts_of(
        release, title, findings=release.findings, provenance=provenance, frontier=chart
    )
    if internal is not None:
        yield Path(internal), render(facts)
    if public is not None:
        yield Path(public), render(for_public(facts))
    if numbers is not None:
        yield Path(numbers), _as_json(facts)
    if public_numbers is not None:
        yield Path(public_numbers), _as_json(for_public(facts))


def _as_json(facts: ReportFacts) -> str:
    return json.dumps(facts.as_json(), indent=1, ensure_ascii=False)
