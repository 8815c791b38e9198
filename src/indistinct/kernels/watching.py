"""Noticing that numba compiles something."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numba  # noqa: F401 - all of it before a part: another thread may be at it
from numba.core.event import Event, Listener, register

if TYPE_CHECKING:
    from collections.abc import Callable


class _Watch(Listener):
    def __init__(self, tell: Callable[[], None]) -> None:
        self._tell, self._told = tell, False

    def on_start(self, _: Event) -> None:
        if not self._told:
            self._told = True
            self._tell()

    def on_end(self, _: Event) -> None:
        pass


def watch_compiling(tell: Callable[[], None]) -> None:
    """Call once, when something is compiled from now on."""
    register("numba:compile", _Watch(tell))
