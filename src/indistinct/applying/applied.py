"""Applied: new rows published by a learnt recoding, with what was held back and what holds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar

from indistinct._version import __version__
from indistinct.applying.held_back import HoldsBack

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import pyarrow as pa
    from numpy.typing import NDArray

    from indistinct.applying.learnt import Learnt
    from indistinct.check.rows import Verified
    from indistinct.plan.safety import Danger
    from indistinct.publishing.rows import Published


@dataclass(frozen=True, eq=False)
class Applied(HoldsBack):
    """What is published of new rows.

    Attributes
    ----------
    published
        The published rows.
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

    unit: ClassVar[str] = "row"
    reasons: ClassVar[tuple[str, ...]] = (
        "unknown value",
        "no class covers it",
        "would break a requirement",
    )

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

    def __repr__(self) -> str:
        """Say how many rows are released, and show none."""
        held = self.held_back_number
        return f"<Applied: {self.verified.released_rows:,} rows released, {held:,} held back>"

    def summary(self) -> dict[str, Any]:
        """Return the facts as plain data, as `--json` prints them."""
        return {
            "version": __version__,
            "method": self.recoding.method,
            "input_rows": int(self.held.size),
            "released_rows": self.verified.released_rows,
            "held_back_rows": self.held_back_number,
            "held_back": self.held_back,
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
