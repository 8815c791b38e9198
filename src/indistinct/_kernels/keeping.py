"""Where compiled kernels are kept: in a folder for exactly these sources.

numba looks whether the file of a kernel has changed, but not the files of what it calls, which are
compiled into it. After an upgrade it would go on with parts of the version before; and an index
that names a class which has moved since cannot even be read.

Where nothing can be kept (no folder of the package or of the user can be written), numba refuses to
compile; kernels then live in memory only. Where a kernel does not fit (a full disk), numba fails;
it is then compiled again the next time.

Kernels take `njit` from here, not from numba: Python runs a module of a package while another
thread is still in the package's `__init__`, and waits only for what the module imports by name.
"""

from __future__ import annotations

import shutil
from contextlib import suppress
from functools import cache
from hashlib import sha256
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from numba import njit
from numba.core.caching import CacheImpl, IndexDataCacheFile

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["njit"]

HERE = Path(__file__).resolve().parent
PREFIX = "kernels-"
NOWHERE = "not-kept"
OLD = 24 * 60 * 60


def fingerprint() -> str:
    """Return what tells the sources of all kernels from others."""
    found = sha256()
    for path in sorted(HERE.glob("*.py")):
        found.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    return found.hexdigest()[:16]


def keep_by_sources() -> None:
    """Have numba keep our kernels, and no others, in a folder named for their sources."""
    name = PREFIX + fingerprint()
    usual = CacheImpl._locator_classes  # noqa: SLF001 - numba has no other way to add one
    ours = [*(_in_folder(kind, name) for kind in usual), _nowhere(usual[0])]
    CacheImpl._locator_classes = [*ours, *usual]  # noqa: SLF001
    IndexDataCacheFile.save = _if_it_fits(IndexDataCacheFile.save)


def _if_it_fits(save: Callable[..., None]) -> Callable[..., None]:
    """Return what saves as before, but does without where a kernel cannot be written."""

    def saved(file: Any, *args: Any) -> None:
        with suppress(OSError):
            save(file, *args)

    return saved


def _in_folder(kind: type[Any], name: str) -> type[Any]:
    """Return a locator that does as another one does, one folder deeper, for our files only."""

    class InFolder(kind):
        def get_cache_path(self):
            return str(Path(super().get_cache_path()) / name)

        def ensure_cache_path(self):
            path = Path(self.get_cache_path())
            if not path.exists():
                _forget_old(path.parent)
            super().ensure_cache_path()

        def get_source_stamp(self):
            return name  # the folder is for this content: when a file was written does not matter

        @classmethod
        def from_function(cls, py_func, py_file):
            return super().from_function(py_func, py_file) if _ours(py_file) else None

    return InFolder


def _nowhere(kind: type[Any]) -> type[Any]:
    """Return a locator of no folder at all, for our files only: nothing is there, nothing stays."""

    class Nowhere(kind):
        def __init__(self, py_func, py_file):
            self._py_file = py_file
            self._lineno = py_func.__code__.co_firstlineno

        def get_cache_path(self):
            return str(HERE / NOWHERE)

        def ensure_cache_path(self):
            pass

        @classmethod
        def from_function(cls, py_func, py_file):
            return cls(py_func, py_file) if _ours(py_file) else None

    return Nowhere


@cache
def _ours(file: str) -> bool:
    return Path(file).resolve().parent == HERE


def _forget_old(folder: Path) -> None:
    """Remove what was kept for other sources, unless a running program may still need it."""
    for path in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if path.stat().st_mtime < time() - OLD:
                shutil.rmtree(path)


keep_by_sources()
