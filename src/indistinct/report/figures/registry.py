"""The charts that a report draws, in its order, by the names of their numbers in the JSON."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.report.figures.associations import ASSOCIATIONS
from indistinct.report.figures.left_out import LEFT_OUT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from indistinct.release import Release
    from indistinct.report.figures.base import Chart, Figure

CHARTS: dict[str, Chart] = {
    "associations": ASSOCIATIONS,
    "left_out": LEFT_OUT,
}


def measured(release: Release) -> dict[str, Figure]:
    """Measure all charts on a release."""
    return {name: chart.measure(release) for name, chart in CHARTS.items()}


def for_public(figures: Mapping[str, Figure], k: int) -> dict[str, Figure]:
    """Take of charts what the public may see."""
    shown = {name: CHARTS[name].public(figure, k) for name, figure in figures.items()}
    return {name: figure for name, figure in shown.items() if figure is not None}
