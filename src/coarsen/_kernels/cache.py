"""Loading compiled kernels: getting them while a file is read, telling when they are missing."""

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
    names = [f"coarsen._kernels.{name}" for name in ("ranking", "refining", "rendering", "quoting")]
    Thread(target=lambda: [import_module(name) for name in names], daemon=True).start()


def tell_when_compiling(tell: Callable[[], None]) -> None:
    """Call once as soon as numba compiles a kernel, because its cache does not hold it."""
    Thread(target=_watch, args=(tell,), daemon=True).start()


def _watch(tell: Callable[[], None]) -> None:
    from numba.core.event import Event, Listener, register

    class Watch(Listener):  # type: ignore[misc]
        told = False

        def on_start(self, _: Event) -> None:
            if not self.told:
                self.told = True
                tell()

        def on_end(self, _: Event) -> None:
            pass

    register("numba:compile", Watch())
