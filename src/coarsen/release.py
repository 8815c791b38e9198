"""Release: the published table with its evidence."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from coarsen._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from coarsen.measures.loss import Measures
    from coarsen.plan import Plan
    from coarsen.publish import Published
    from coarsen.recoding import LevelVector
    from coarsen.table import Table
    from coarsen.verification import Evidence, Verified


@dataclass(frozen=True, eq=False)
class Release:
    """What is published, what was promised, what was measured on it, and what it cost.

    Attributes
    ----------
    published
        The rows as they leave the house, with what is private about them.
    plan
        What was asked for.
    verified
        What the independent check found on the published rows.
    measures
        What was lost.
    recoding
        What the method chose; private, it tells which rows were suppressed.
    seconds
        How long each stage took.
    warnings
        What a steward should know before publishing.
    """

    published: Published
    plan: Plan
    table: Table
    recoding: LevelVector
    verified: Verified
    measures: Measures
    sizes_before: dict[int, int]
    seconds: dict[str, float]
    warnings: tuple[str, ...] = ()
    _to_frame: Callable[[pa.Table], Any] = field(default=lambda rows: rows, repr=False)

    @property
    def rows(self) -> pa.Table:
        """The published rows as an Arrow table."""
        return self.published.rows

    @property
    def frame(self) -> Any:
        """The published rows as the kind of data frame that was given."""
        return self._to_frame(self.rows)

    @property
    def levels(self) -> dict[str, int]:
        """The level each quasi column is published at."""
        return {
            column.name: level
            for column, level in zip(self.table.quasi, self.recoding.levels, strict=True)
        }

    @property
    def class_sizes(self) -> NDArray[np.int64]:
        """The sizes of the classes of published rows."""
        return self.verified.class_sizes

    @property
    def evidence(self) -> tuple[Evidence, ...]:
        """What was promised and what was measured."""
        return self.verified.evidence

    @property
    def suppressed_rows(self) -> int:
        """How many rows were left out."""
        return self.recoding.suppressed

    def summary(self) -> dict[str, Any]:
        """Return the facts of the release as plain data, as `--json` prints them."""
        return {
            "version": __version__,
            "method": self.plan.method.name,
            "input_rows": self.table.rows,
            "released_rows": self.verified.released_rows,
            "suppressed_rows": self.suppressed_rows,
            "classes": int(self.class_sizes.size),
            "levels": self.levels,
            "measures": self.measures.as_json(),
            "requirements": [found.as_json() for found in self.evidence],
            "search": self.recoding.search,
            "warnings": list(self.warnings),
            "seconds": {stage: round(took, 4) for stage, took in self.seconds.items()},
        }

    def report(self, title: str = "Release") -> str:
        """Return a self-contained HTML page about the release."""
        from coarsen.report import render

        return render(self._facts(title))

    def _repr_html_(self) -> str:
        from coarsen.report import notebook_html

        return notebook_html(self._facts("Release"))

    def _facts(self, title: str) -> Any:
        from coarsen.report import facts_of

        return facts_of(self, title)
