"""What a chart of the report is: something measured on a release, shown as pairs of bars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from indistinct.release import Release


@dataclass(frozen=True)
class Figure:
    """What a chart shows of one release.

    Attributes
    ----------
    title, reading
        The heading, and how the chart is to be read.
    what
        What its bars measure, for those who hear it read out.
    rows
        A label and two shares, 0 to 1, for each pair of bars. A page leaves out a chart without.
    numbers
        All that was measured, as plain data.
    sides
        What the two bars of a pair are.
    shows_values
        Whether labels are values of the data: not shown where a promise is broken.
    """

    title: str
    reading: str
    what: str
    rows: tuple[tuple[str, float, float], ...]
    numbers: Any
    sides: tuple[str, str] = ("original", "released")
    shows_values: bool = False


def _nothing(figure: Figure, k: int) -> None:
    """Leave a figure out."""
    del figure, k


@dataclass(frozen=True)
class Chart:
    """A chart of the report.

    Attributes
    ----------
    measure
        Measures it on a release.
    public
        Makes of a figure, measured on the released people alone, what the public may see; it is
        given the promised k. Nothing where it is not said.
    """

    measure: Callable[[Release], Figure]
    public: Callable[[Figure, int], Figure | None] = _nothing
