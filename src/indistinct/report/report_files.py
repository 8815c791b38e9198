"""The report files that may go with a release file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

from indistinct.report.page import render

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indistinct.comparing.frontier import Frontier
    from indistinct.release import Release
    from indistinct.report.facts import ReportFacts


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
    if internal is not None or numbers is not None:
        facts = release.report_facts(title, frontier=frontier, provenance=provenance)
        yield from _written(facts, internal, numbers)
    if public is not None or public_numbers is not None:
        facts = release.report_facts(title, audience="public")
        yield from _written(facts, public, public_numbers)


def _written(
    facts: ReportFacts, page: str | Path | None, numbers: str | Path | None
) -> Iterator[tuple[Path, str]]:
    if page is not None:
        yield Path(page), render(facts)
    if numbers is not None:
        yield Path(numbers), json.dumps(facts.as_json(), indent=1, ensure_ascii=False)
