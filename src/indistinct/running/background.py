"""Work on another thread: beside other work, or so that this thread can be interrupted."""

from __future__ import annotations

from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextvars import copy_context
from threading import Thread, current_thread, main_thread
from typing import TYPE_CHECKING, ParamSpec, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

P = ParamSpec("P")
T = TypeVar("T")

OFTEN = 0.5


def in_background(work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> Future[T]:
    """Begin some work on another thread.

    >>> in_background(sum, [1, 2]).result()
    3
    """
    pool = ThreadPoolExecutor(max_workers=1)
    future = pool.submit(work, *args, **kwargs)
    pool.shutdown(wait=False)
    return future


def in_front(
    stop: Callable[[], None], work: Callable[P, T], *args: P.args, **kwargs: P.kwargs
) -> T:
    """Do some work on another thread and wait for it; an interrupt ends the waiting at once.

    `stop` is then called, to have the work end too. Compiled code that runs on the main thread
    would keep Python from hearing of the interrupt.

    >>> in_front(lambda: None, sum, [1, 2])
    3
    """
    return in_sight(stop, lambda: None, work, *args, **kwargs)


def in_sight(
    stop: Callable[[], None],
    look: Callable[[], None],
    work: Callable[P, T],
    *args: P.args,
    **kwargs: P.kwargs,
) -> T:
    """Do some work as `in_front` does, and look now and then how far it is."""
    if current_thread() is not main_thread():
        return work(*args, **kwargs)
    future: Future[T] = Future()
    context = copy_context()

    def run() -> None:
        try:
            future.set_result(context.run(work, *args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - raised again where it is waited for
            future.set_exception(error)

    try:
        Thread(target=run, daemon=True).start()
        while not future.done():
            wait([future], timeout=OFTEN)  # for ever would hear no interrupt on Windows
            look()
    except BaseException:
        stop()
        raise
    return future.result()
