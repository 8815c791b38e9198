"""Loading compiled kernels: whether they are there, and getting them while a file is read."""

from __future__ import annotations

import os
from importlib import import_module
from pathlib import Path
from threading import Thread

HERE = Path(__file__).parent


def compiled() -> bool:
    """Tell whether numba's cache holds an index for our kernels."""
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    places = [Path(chosen)] if chosen else [HERE / "__pycache__", Path.home() / ".cache" / "numba"]
    return any(next(place.rglob("ranking.*.nbi"), None) for place in places if place.is_dir())


def load_in_background() -> None:
    """Import the kernels of the full-domain methods on another thread.

    Reading a file leaves the interpreter idle; importing numba takes as long as a large file.
    """
    names = [f"coarsen._kernels.{name}" for name in ("ranking", "refining", "rendering", "quoting")]
    Thread(target=lambda: [import_module(name) for name in names], daemon=True).start()
