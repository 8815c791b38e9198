"""Compiled kernels from outside: getting them while a file is read, telling when some are missing.

Nothing here loads numba before it is asked to.
"""

from __future__ import annotations

from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


def load_in_background() -> None:
    """Import the kernels of the full-domain methods on another thread.

    Reading a file leaves the interpreter idle; importing numba takes as long as a large file.
    """
    names = [
        f"indistinct._kernels.{name}" for name in ("ranking", "refining", "rendering", "quoting")
    ]
    Thread(target=lambda: [import_module(name) for name in names], daemon=True).start()


def tell_when_compiling(tell: Callable[[], None]) -> None:
    """Call once as soon as numba compiles a kernel, because its cache does not hold it."""

    def watch() -> None:
        from indistinct._kernels.watching import watch_compiling

        watch_compiling(tell)

    Thread(target=watch, daemon=True).start()
