"""What columns still say about each other, original against released."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.report.figures.base import Chart, Figure

if TYPE_CHECKING:
    from indistinct.release import Release

MOST_PAIRS = 8


def _measure(release: Release) -> Figure:
    """Show the pairs of columns whose association moved most, strongest change first."""
    pairs = release.associations.pairs
    moved = sorted(pairs, key=lambda pair: -pair.difference)[:MOST_PAIRS]
    some = f" The pairs that moved most, of {len(pairs)}." if len(pairs) > len(moved) else ""
    return Figure(
        title="What columns still say about each other",
        reading="Association of two columns (Cramér's V: 0% none, 100% one tells the other), read "
        f"off the original and off the release.{some}",
        what="association",
        rows=tuple((" and ".join(pair.columns), pair.before, pair.after) for pair in moved),
        numbers=release.associations.as_json(),
    )


ASSOCIATIONS = Chart(_measure)
