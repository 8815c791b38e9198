"""The report: what was promised, what was measured and what it cost, as one HTML page."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from coarsen.report.facts import Audience, ReportFacts, facts_of
    from coarsen.report.findings import Findings, find
    from coarsen.report.page import notebook_html, render
    from coarsen.report.public import for_public

_HOMES = {
    "Audience": "facts",
    "Findings": "findings",
    "ReportFacts": "facts",
    "facts_of": "facts",
    "find": "findings",
    "for_public": "public",
    "notebook_html": "page",
    "render": "page",
}

__all__ = [
    "Audience",
    "Findings",
    "ReportFacts",
    "facts_of",
    "find",
    "for_public",
    "notebook_html",
    "render",
]


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used."""
    if name not in _HOMES:
        raise AttributeError(f"module 'coarsen.report' has no attribute {name!r}")
    return getattr(import_module(f"coarsen.report.{_HOMES[name]}"), name)
