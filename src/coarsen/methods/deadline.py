"""Time limits: when to stop and answer with the best found."""

from __future__ import annotations

from math import inf
from time import monotonic


class Deadline:
    """A moment to stop at, or never.

    >>> Deadline(None).passed, Deadline(0.0).passed
    (False, True)
    """

    def __init__(self, seconds: float | None) -> None:
        self._start = monotonic()
        self._seconds = seconds

    @property
    def passed(self) -> bool:
        """Whether it is time to stop."""
        return self._seconds is not None and monotonic() - self._start >= self._seconds

    @property
    def left(self) -> float:
        """How many seconds are left; infinite where there is no limit."""
        if self._seconds is None:
            return inf
        return max(0.0, self._seconds - (monotonic() - self._start))

    def part(self, share: float) -> Deadline:
        """Return a deadline after a share of what is left of this one."""
        if self._seconds is None:
            return Deadline(None)
        return Deadline(self.left * share)
