"""Time limits: when to stop and answer with the best found.

One deadline goes through all of a search: preparation, search, repair. Whoever has a long loop asks
it between two turns; a kernel that takes long is called on one slice of its rows after the other
(`slices`), which changes nothing but when the clock is looked at. To look at it is also to learn
that nobody waits for the answer any more (`Progress.look`). The clock stands still while kernels
are compiled, which only a first run does.

A search has `ANSWERING` less than its limit, for what comes after it: measuring what it found and
numbering the groups. Where that takes longer, a search ends as much sooner (`sooner`).
"""

from __future__ import annotations

from math import inf
from typing import TYPE_CHECKING

from indistinct.running.compiling import working_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

LONG, SHORT = 0.1, 0.02
ANSWERING = 0.05
FIRST_SLICE = 64


class Deadline:
    """A moment to stop at, or never.

    Parameters
    ----------
    seconds
        From now on; never if None.
    look
        Is called whenever someone asks for the time; it raises if the work is to be given up.

    >>> Deadline(None).passed, Deadline(0.0).passed
    (False, True)
    >>> Deadline(None).gone, Deadline(0.0).gone
    (0.0, 1.0)
    """

    def __init__(self, seconds: float | None, look: Callable[[], None] = lambda: None) -> None:
        self._start = working_time()
        self._seconds = seconds
        self._look = look

    @property
    def passed(self) -> bool:
        """Whether it is time to stop."""
        self._look()
        return self._seconds is not None and working_time() - self._start >= self._seconds

    @property
    def spent(self) -> float:
        """How many seconds have gone by since it was set."""
        return working_time() - self._start

    @property
    def left(self) -> float:
        """How many seconds are left; infinite where there is no limit."""
        if self._seconds is None:
            return inf
        return max(0.0, self._seconds - (working_time() - self._start))

    @property
    def seconds_left(self) -> float | None:
        """How many seconds are left; None where there is no limit."""
        return None if self._seconds is None else self.left

    @property
    def gone(self) -> float:
        """Which share of the time is over; none where there is no limit."""
        if self._seconds is None:
            return 0.0
        return 1.0 - self.left / self._seconds if self._seconds > 0 else 1.0

    def part(self, share: float) -> Deadline:
        """Return a deadline after a share of what is left of this one."""
        return Deadline(None if self._seconds is None else self.left * share, self._look)

    def sooner(self, seconds: float) -> Deadline:
        """Return a deadline so many seconds before this one: what making the answer takes."""
        return Deadline(None if self._seconds is None else self.left - seconds, self._look)

    def slices(self, count: int, first: int = FIRST_SLICE) -> Iterator[slice]:
        """Cut so many things to do into slices, until all are done or time is over.

        Slices become longer or shorter so that each takes a moment.

        >>> [part.stop - part.start for part in Deadline(None).slices(150, 100)]
        [100, 50]
        >>> list(Deadline(0.0).slices(150))
        []
        """
        begin, size = 0, max(first, 1)
        while begin < count and not self.passed:
            clock = working_time()
            yield slice(begin, min(begin + size, count))
            begin += size
            took = working_time() - clock
            size = max(size // 2, 1) if took > LONG else size * 2 if took < SHORT else size
