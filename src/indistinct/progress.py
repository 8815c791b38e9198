"""Progress: long work says how far it is; who listens is decided at the edge."""

from __future__ import annotations

from contextlib import contextmanager
from time import perf_counter
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator


class Listener(Protocol):
    """Someone who shows progress, a terminal for instance."""

    def stage(self, name: str) -> None:
        """Take notice that a stage of the work begins."""

    def advance(self, done: float) -> None:
        """Take notice that a share (0 to 1) of the stage is done."""


class Progress:
    """What the workers see: they tell, and never ask who listens."""

    def __init__(self, listener: Listener | None = None) -> None:
        self._listener = listener

    def stage(self, name: str) -> None:
        """Say that a stage of the work begins."""
        if self._listener is not None:
            self._listener.stage(name)

    def advance(self, done: float) -> None:
        """Say which share of the stage is done."""
        if self._listener is not None:
            self._listener.advance(min(max(done, 0.0), 1.0))


class Stages:
    """Work in stages: each is told to those who listen, and its time is taken."""

    def __init__(self, progress: Progress) -> None:
        self.progress = progress
        self.seconds: dict[str, float] = {}

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Announce a stage and take its time."""
        self.progress.stage(stage)
        start = perf_counter()
        yield
        self.seconds[stage] = self.seconds.get(stage, 0.0) + perf_counter() - start
