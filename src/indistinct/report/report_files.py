"""The report files that may go with a release file."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.report.page import render

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from indistinct.comparing.frontier import Frontier
    from indistinct.io.files import FileFacts
    from indistinct.release import Release
    from indistinct.report.facts import ReportFacts


@dataclass(frozen=True)
class ReportFiles:
    """Where reports go: pages and numbers, for the steward and for the public, as asked for."""

    internal: str | Path | None = None
    public: str | Path | None = None
    numbers: str | Path | None = None
    public_numbers: str | Path | None = None

    def texts(
        self,
        release: Release,
        title: str,
        *,
        files: Mapping[str, FileFacts],
        frontier: Frontier | None = None,
    ) -> Iterator[tuple[Path, str]]:
        """Write those that are asked for, and say where each goes.

        Parameters
        ----------
        files
            What the release was made of, and what it is written in.
        """
        if self.internal is not None or self.numbers is not None:
            provenance = {name: file.as_json() for name, file in files.items()}
            facts = release.report_facts(title, frontier=frontier, provenance=provenance)
            yield from _written(facts, self.internal, self.numbers)
        if self.public is not None or self.public_numbers is not None:
            facts = release.report_facts(title, audience="public")
            yield from _written(facts, self.public, self.public_numbers)


def _written(
    facts: ReportFacts, page: str | Path | None, numbers: str | Path | None
) -> Iterator[tuple[Path, str]]:
    if page is not None:
        yield Path(page), render(facts)
    if numbers is not None:
        yield Path(numbers), json.dumps(facts.as_json(), indent=1, ensure_ascii=False)
