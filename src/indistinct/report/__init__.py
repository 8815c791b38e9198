"""The report: what was promised, what was measured and what it cost, as one HTML page."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct._lazy import lazily

if TYPE_CHECKING:
    from indistinct.report.facts import Audience, ReportFacts, facts_of
    from indistinct.report.findings import Findings, find
    from indistinct.report.page import notebook_html, render
    from indistinct.report.public import facts_for_public

__all__ = [
    "Audience",
    "Findings",
    "ReportFacts",
    "facts_for_public",
    "facts_of",
    "find",
    "notebook_html",
    "render",
]

__getattr__ = lazily(
    __name__,
    {
        "Audience": ".facts",
        "Findings": ".findings",
        "ReportFacts": ".facts",
        "facts_of": ".facts",
        "find": ".findings",
        "facts_for_public": ".public",
        "notebook_html": ".page",
        "render": ".page",
    },
)
