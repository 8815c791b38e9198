"""Compiled kernels from outside: getting them while a file is read, telling when some are missing.

Nothing here loads numba before it is asked to.
"""

from __future__ import annotations

from importlib import import_module
from threading import Thread
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

_SOON = (
    "kernels.ranking",
    "methods.full_domain.counting_walk_kernel",
    "io.csv_writing_kernel",
    "io.csv_faults_kernel",
)


def load_in_background() -> None:
    """Import the kernels of the full-domain methods on another thread.

    Reading a file leaves the interpreter idle; importing numba takes as long as a large file.
    """
    Thread(
        target=lambda: [import_module(f"indistinct.{name}") for name in _SOON], daemon=True
    ).start()


def tell_when_compiling(tell: Callable[[], None]) -> None:
    """Call once as soon as numba compiles a kernel, because its cache does not hold it."""

    def watch() -> None:
        from indistinct.kernels.watching import watch_compiling

        watch_compiling(tell)

    Thread(target=watch, daemon=True).start()
