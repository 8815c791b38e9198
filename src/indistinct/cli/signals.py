"""SIGTERM and SIGHUP end a command as Ctrl-C does: drafts are removed, and nothing is written."""

from __future__ import annotations

import signal
import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

ENDING = ("SIGTERM", "SIGHUP")


@contextmanager
def as_interrupts() -> Iterator[list[signal.Signals]]:
    """Turn signals that ask the command to end into interrupts; yield a list of those that came.

    One that is ignored, as `nohup` has it, stays ignored.
    """
    came: list[signal.Signals] = []

    def end(number: int, _: Any) -> None:
        came.append(signal.Signals(number))
        raise KeyboardInterrupt

    former: dict[int, Any] = {}
    if threading.current_thread() is threading.main_thread():
        numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
        former = {
            number: signal.signal(number, end)
            for number in numbers
            if signal.getsignal(number) is signal.SIG_DFL
        }
    try:
        yield came
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
