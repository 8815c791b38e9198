"""Compiling, seen from outside: who is notified of it, and how long it took.

The first run of a method compiles its kernels, which may take longer than the search itself. It
happens once for each version, so it is announced, and not counted as time of the method. Nothing
here loads numba; `compiled` reports to `COMPILING` what numba does.
"""

from __future__ import annotations

import logging
from threading import Lock
from time import perf_counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

MESSAGE = "compiling the inner loops that this needs, once; this takes some seconds"

_log = logging.getLogger("indistinct")


class CompileClock:
    """How long something was being compiled, on whichever thread; whom to notify of it."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._running = 0
        self._began = 0.0
        self._seconds = 0.0
        self._announced = False
        self._announce: Callable[[], None] = lambda: _log.warning("indistinct: %s", MESSAGE)

    def announce_by(self, announce: Callable[[], None]) -> None:
        """Have somebody else announce, once, that something is compiled."""
        self._announce, self._announced = announce, False

    def begin(self) -> None:
        """Take notice that a function is compiled from now on, perhaps inside another."""
        with self._lock:
            self._running += 1
            if self._running == 1:
                self._began = perf_counter()
            first, self._announced = not self._announced, True
        if first:
            self._announce()

    def end(self) -> None:
        """Take notice that a function is compiled."""
        with self._lock:
            self._running -= 1
            if self._running == 0:
                self._seconds += perf_counter() - self._began

    @property
    def seconds(self) -> float:
        """How long something was being compiled in this process."""
        with self._lock:
            now = perf_counter() - self._began if self._running else 0.0
            return self._seconds + now


COMPILING = CompileClock()


def working_time() -> float:
    """Return the seconds of a clock that stands still while something is compiled."""
    return perf_counter() - COMPILING.seconds
