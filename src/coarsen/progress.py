"""Progress: long work says how far it is; who listens is decided at the edge."""

from __future__ import annotations

from typing import Protocol


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
