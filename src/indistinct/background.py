"""Work that needs no interpreter (hashing, sorting) beside work that does."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")


def in_background(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
    """Begin some work on another thread.

    >>> in_background(sum, [1, 2]).result()
    3
    """
    pool = ThreadPoolExecutor(max_workers=1)
    future = pool.submit(work, *args, **kwargs)
    pool.shutdown(wait=False)
    return future
