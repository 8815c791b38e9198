"""Time limits: when to stop and answer with the best found."""

from __future__ import annotations

from math import inf
from time import monotonic


class Deadline:
    """A moment to stop at, or never.

    >>> Deadline(None).passed, Deadline(0.0).passed
    (False, True)
    >>> Deadline(None).gone, Deadline(0.0).gone
    (0.0, 1.0)
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

    @property
    def gone(self) -> float:
        """Which share of the time is over; none where there is no limit."""
        if self._seconds is None:
            return 0.0
        return 1.0 - self.left / self._seconds if self._seconds else 1.0

    def part(self, share: float) -> Deadline:
        """Return a deadline after a share of what is left of this one."""
        if self._seconds is None:
            return Deadline(None)
        return Deadline(self.left * share)
