"""What a release holds that its plan does not publish: names of people, for example."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.errors import DataError, DoesNotHoldError, Fault
from indistinct.trees.forest import NotATreeError

if TYPE_CHECKING:
    from collections.abc import Sequence

REMEDY = "Do not publish it: take it out, or make the release again."
UNKNOWN = "which the plan does not know"
IDENTIFIER = "which the plan calls an identifier and does not release"


class Leak(Fault):
    """Something in a release that its plan does not publish."""


class LeakError(NotATreeError):
    """A record of a release holds what its plan does not publish; the reader knows the line."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem, REMEDY)


def fault_of(error: NotATreeError, place: str) -> Fault:
    """Say where a record is broken, or tells too much."""
    kind = Leak if isinstance(error, LeakError) else Fault
    return kind(place, error.problem, error.remedy)


def refuse(faults: Sequence[Fault]) -> None:
    """Raise if there are faults: a release with leaks does not hold, others cannot be read.

    Raises
    ------
    DoesNotHoldError, DataError
        With all of them.
    """
    if any(isinstance(fault, Leak) for fault in faults):
        raise DoesNotHoldError(faults)
    if faults:
        raise DataError(faults)
