"""Applied: new rows published by a learnt recoding, with what was held back and what holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from indistinct._version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.applying.learnt import Learnt
    from indistinct.check.rows import Verified
    from indistinct.plan.safety import Danger
    from indistinct.publishing.rows import Published

REASONS = ("unknown value", "no class covers it", "would break a requirement")


@dataclass(frozen=True, eq=False)
class Applied:
    """What is published of new rows.

    Attributes
    ----------
    published
        The rows as they leave the house.
    held
        For each new row -1 if it is published, else why not, as a place in `REASONS`.
    verified, union
        What the independent check found on the new rows, and on all rows published by this
        recoding together.
    loss
        GCP over all new rows, a row held back counting 1.
    recoding
        The recoding with the new rows counted too, for the next time.
    accepted
        What looks like an identifier in the new rows, and the plan lets stay.
    """

    published: Published
    held: NDArray[np.int8] = field(repr=False)
    verified: Verified
    union: Verified
    loss: float
    recoding: Learnt = field(repr=False)
    accepted: tuple[Danger, ...] = ()
    warnings: tuple[str, ...] = ()
    seconds: dict[str, float] = field(default_factory=dict)
    _to_frame: Callable[[pa.Table], Any] = field(default=lambda rows: rows, repr=False)

    @property
    def frame(self) -> Any:
        """The published rows as the kind of data frame that was given."""
        return self._to_frame(self.published.rows)

    @property
    def held_back(self) -> dict[str, list[int]]:
        """The numbers of the rows held back, the first row of the data being 1, by reason."""
        return {
            reason: ((self.held == place).nonzero()[0] + 1).tolist()
            for place, reason in enumerate(REASONS)
        }

    def __repr__(self) -> str:
        """Say how many rows are released, and show none."""
        held = sum(map(len, self.held_back.values()))
        return f"<Applied: {self.verified.released_rows:,} rows released, {held:,} held back>"

    def summary(self) -> dict[str, Any]:
        """Return the facts as plain data, as `--json` prints them."""
        held = self.held_back
        return {
            "version": __version__,
            "method": self.recoding.method,
            "input_rows": int(self.held.size),
            "released_rows": self.verified.released_rows,
            "held_back_rows": sum(map(len, held.values())),
            "held_back": held,
            "classes": int(self.verified.class_sizes.size),
            "gcp": self.loss,
            "requirements": [evidence.as_json() for evidence in self.verified.evidence],
            "union": {
                "rows": self.union.released_rows,
                "classes": int(self.union.class_sizes.size),
                "requirements": [evidence.as_json() for evidence in self.union.evidence],
            },
            "warnings": list(self.warnings),
            "accepted": [danger.as_json() for danger in self.accepted],
            "seconds": {stage: round(took, 4) for stage, took in self.seconds.items()},
        }

    def held_back_csv(self) -> str:
        """List the rows held back by number and reason."""
        rows = sorted((n, reason) for reason, some in self.held_back.items() for n in some)
        return "row,reason\n" + "".join(f"{number},{reason}\n" for number, reason in rows)
