"""Compiling hot loops, and keeping what was compiled: for exactly these sources, of ours alone.

`njit` compiles a kernel that Python calls and keeps it on disk. `inner` compiles a function that
only kernels call: it becomes part of each of them, so it is neither kept by itself nor given the
code by which Python would call it, which takes longer to compile than many a loop. Both say that
they return the function that they are given, so that mypy reads who calls it.

numba looks whether the file of a kernel has changed, but not the files of what it calls, which are
compiled into it. After an upgrade it would go on with parts of the version before; so kernels are
kept in a folder that is named for the sources of all of them.

Where nothing can be kept (no folder of the package or of the user can be written), numba refuses to
compile; kernels then live in memory only. Where a kernel does not fit (a full disk), numba fails;
it is then compiled again the next time.

Kernels take `njit` from here, not from numba: Python runs a module of a package while another
thread is still in the package's `__init__`, and waits only for what the module imports by name.
"""

from __future__ import annotations

import gc
import shutil
import warnings
from contextlib import suppress
from hashlib import sha256
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any, TypeVar, overload

import numba
from numba.core import config
from numba.core.caching import CacheImpl, CompileResultCacheImpl, FunctionCache
from numba.core.event import Event, Listener, register

from indistinct.running.compiling import COMPILING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

HERE = Path(__file__).resolve().parent
PACKAGE = HERE.parent
Function = TypeVar("Function", bound="Callable[..., Any]")
PREFIX = "kernels-"
NOWHERE = "not-kept"
OLD = 24 * 60 * 60

if config.DISABLE_JIT:  # words of 64 bits that wrap around, as compiled ones do, are meant to
    warnings.filterwarnings("ignore", "overflow encountered in scalar", RuntimeWarning)


class _Told(Listener):  # type: ignore[misc]
    """Reports to the clock what numba compiles."""

    def on_start(self, _: Event) -> None:
        COMPILING.begin()

    def on_end(self, _: Event) -> None:
        COMPILING.end()


register("numba:compile", _Told())


@overload
def njit(what: Function, /) -> Function: ...


@overload
def njit(what: str | None = None, /, **options: Any) -> Callable[[Function], Function]: ...


def njit(what: Any = None, /, **options: Any) -> Any:
    """Compile a kernel that Python calls, without the lock of the interpreter, and keep it.

    It is compiled for a signature if one is given, and otherwise for what it is called with.
    """
    if callable(what):
        return njit()(what)

    def compiled(function: Callable[..., Any]) -> Any:
        if config.DISABLE_JIT:
            return function
        loop = numba.njit(nogil=True, no_cfunc_wrapper=True, **options)(function)
        loop._cache = _KernelCache(function)  # noqa: SLF001 - as numba's `enable_caching` does
        loop.compile = _collecting_later(loop.compile)
        if what:
            loop.compile(what)
            loop.disable_compile()
        return loop

    return compiled


def _collecting_later(compile_kernel: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Let Python not look for garbage while a kernel is compiled.

    Compiling makes so many objects that Python would look through all there are again and again,
    an eighth of the whole time, and hardly finds any that are in the way.
    """

    def compiled(signature: Any) -> Any:
        collects = gc.isenabled()
        gc.disable()
        try:
            return compile_kernel(signature)
        finally:
            if collects:
                gc.enable()

    return compiled


@overload
def inner(function: Function, /) -> Function: ...


@overload
def inner(function: None = None, /, **options: Any) -> Callable[[Function], Function]: ...


def inner(function: Callable[..., Any] | None = None, /, **options: Any) -> Any:
    """Compile a function that only kernels call; Python gets a `TypeError` if it does."""
    if function is not None:
        return inner()(function)

    def compiled(function: Callable[..., Any]) -> Any:
        if config.DISABLE_JIT:
            return function
        part = numba.njit(nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)
        return _for_kernels_alone(part(function))

    return compiled


def _for_kernels_alone(part: Any) -> Any:
    """Have a compiled function refuse to be called by Python, which would jump to address 0.

    numba asks `_compile_for_args` for whatever it has not put among what Python can call.
    """

    def record(result: Any) -> None:
        part.overloads[tuple(result.signature.args)] = result

    def refuse(*_arguments: Any, **_named: Any) -> None:
        name = part.py_func.__qualname__
        raise TypeError(f"{name} is an inner function: only kernels can call it, not Python")

    part.add_overload, part._compile_for_args = record, refuse  # noqa: SLF001
    return part


def intrinsic(plain: Function) -> Callable[[Callable[..., Any]], Function]:
    """Make an intrinsic of a function, which gives numba the instructions of a call.

    `plain` means the same and can be run by Python: it stands for the intrinsic where nothing is
    compiled.
    """

    def made(function: Callable[..., Any]) -> Function:
        return plain if config.DISABLE_JIT else numba.extending.intrinsic(function)

    return made


def fingerprint() -> str:
    """Return a digest of the sources of all kernels."""
    digest = sha256()
    for path in sorted(_sources()):
        name = path.relative_to(PACKAGE).as_posix()
        digest.update(name.encode() + b"\0" + path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def _sources() -> Iterator[Path]:
    yield from HERE.glob("*.py")
    yield from PACKAGE.rglob("*_kernel.py")
    yield from PACKAGE.glob("requirements/*.py")  # whose rules are compiled


KEPT = PREFIX + fingerprint()


def _in_folder(kind: type[Any]) -> type[Any]:
    """Return a locator that does as another one does for this file, one folder deeper."""

    class InFolder(kind):  # type: ignore[misc]
        def get_cache_path(self) -> str:
            return str(Path(super().get_cache_path()) / KEPT)

        def ensure_cache_path(self) -> None:
            path = Path(self.get_cache_path())
            if not path.exists():
                _forget_old(path.parent)
            super().ensure_cache_path()

        def get_source_stamp(self) -> str:
            return KEPT  # when a file was written does not matter

        @classmethod
        def from_function(cls, function: Any, _: str) -> Any:
            return super().from_function(function, __file__)

    return InFolder


class _Nowhere(CacheImpl._locator_classes[0]):  # type: ignore[misc]  # noqa: SLF001
    """A locator of no folder at all: nothing is there, nothing stays."""

    def __init__(self, function: Any, file: str) -> None:
        self._py_file = file
        self._lineno = function.__code__.co_firstlineno

    def get_cache_path(self) -> str:
        return str(HERE / NOWHERE)

    def ensure_cache_path(self) -> None:
        pass

    @classmethod
    def from_function(cls, function: Any, file: str) -> _Nowhere:
        return cls(function, file)


class _KernelFiles(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (*map(_in_folder, CacheImpl._locator_classes), _Nowhere)  # noqa: SLF001


class _KernelCache(FunctionCache):  # type: ignore[misc]
    """Where a kernel is kept; one that cannot be written is done without."""

    _impl_class = _KernelFiles

    def save_overload(self, signature: Any, data: Any) -> None:
        with suppress(OSError):
            super().save_overload(signature, data)


def _forget_old(folder: Path) -> None:
    """Remove what was kept for other sources, unless a running program may still need it."""
    for path in folder.glob(f"{PREFIX}*"):
        with suppress(OSError):
            if path.stat().st_mtime < time() - OLD:
                shutil.rmtree(path)
