"""The report: what was promised, what was measured and what it cost, as one HTML page."""

from coarsen.report.facts import ReportFacts, facts_of
from coarsen.report.page import notebook_html, render

__all__ = ["ReportFacts", "facts_of", "notebook_html", "render"]
