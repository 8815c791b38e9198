"""What later rows or records share, however they are published: some of them are held back."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Literal, TypeAlias

from indistinct.errors import Fault, PlanError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Unknown: TypeAlias = Literal["hold", "error"]
UNKNOWN = ("hold", "error")


class HoldsBack:
    """What is published of new rows or records, some of which are held back.

    Attributes
    ----------
    unit, reasons
        What a row or record is called, and why one may be held back.
    held
        For each new one -1 if it is published, else why not, as a place in `reasons`.
    """

    unit: ClassVar[str]
    reasons: ClassVar[tuple[str, ...]]
    held: NDArray[np.int8]

    @property
    def held_back(self) -> dict[str, list[int]]:
        """The numbers of those held back, the first of the data being 1, by reason."""
        return {
            reason: ((self.held == place).nonzero()[0] + 1).tolist()
            for place, reason in enumerate(self.reasons)
        }

    @property
    def held_back_number(self) -> int:
        """How many are held back."""
        return int((self.held >= 0).sum())

    def held_back_csv(self) -> str:
        """List those held back by number and reason."""
        rows = sorted((n, reason) for reason, some in self.held_back.items() for n in some)
        lines = (f"{number},{reason}\n" for number, reason in rows)
        return f"{self.unit},reason\n{''.join(lines)}"


def refuse_unknown_option(unknown: str) -> None:
    """Raise if it is not said what to do with unknown values."""
    if unknown not in UNKNOWN:
        problem = f"{unknown!r} is not a way to treat unknown values"
        raise PlanError(Fault("unknown", problem, f"Say {' or '.join(UNKNOWN)}."))
