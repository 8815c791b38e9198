"""Progress: long work says how far it is; who listens is decided at the edge.

And the other way round: work that says how far it is learns whether it is still wanted. Python
hears Ctrl-C between its own steps and on the main thread only, and compiled code may keep it from
them for minutes. So long work is done on another thread (`Stages.interruptibly`): the main one
waits, is interrupted at once, and says so to `Progress`; the worker ends when it next looks.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, ParamSpec, Protocol, TypeVar

from indistinct.running.background import in_front
from indistinct.running.compiling import COMPILING, working_time

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

P = ParamSpec("P")
T = TypeVar("T")


class Listener(Protocol):
    """Someone who shows progress, a terminal for instance."""

    def stage(self, name: str) -> None:
        """Take notice that a stage of the work begins."""

    def advance(self, done: float) -> None:
        """Take notice that a share (0 to 1) of the stage is done."""


class Stopped(BaseException):
    """Nobody waits for this work any more."""


class Progress:
    """What the workers see: they report, and never ask who listens."""

    def __init__(self, listener: Listener | None = None) -> None:
        self._listener = listener
        self._stopped: list[bool] = []

    def stage(self, name: str) -> None:
        """Say that a stage of the work begins."""
        self.look()
        if self._listener is not None:
            self._listener.stage(name)

    def advance(self, done: float) -> None:
        """Say which share of the stage is done."""
        self.look()
        if self._listener is not None:
            self._listener.advance(min(max(done, 0.0), 1.0))

    def look(self) -> None:
        """Raise `Stopped` if nobody waits for this work any more."""
        if self._stopped:
            raise Stopped

    def stop(self) -> None:
        """Have the work end when it next looks."""
        self._stopped.append(True)

    def anew(self) -> Progress:
        """Return one for other work, reported to the same listener."""
        return Progress(self._listener)

    def quiet(self) -> Progress:
        """Return one for a part of this work, which reports to nobody but ends with it."""
        part = Progress()
        part._stopped = self._stopped
        return part


class Stages:
    """Work in stages: each is reported to those who listen, and its time is taken.

    Attributes
    ----------
    seconds
        How long each stage took; and how long kernels were compiled, which counts for none of them.
    """

    def __init__(self, progress: Progress | None = None) -> None:
        self.progress = (progress or Progress()).anew()
        self.seconds: dict[str, float] = {}
        self._compiled_before = COMPILING.seconds

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Announce a stage and take its time."""
        self.progress.stage(stage)
        start = working_time()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0.0) + working_time() - start
        self.seconds["compile"] = COMPILING.seconds - self._compiled_before

    def interruptibly(self, work: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Do long work so that an interrupt is answered at once, and ends it."""
        return in_front(self.progress.stop, work, *args, **kwargs)
