"""A file that an engine writes, reads back and then puts in its place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from indistinct.disk.drafts import FileDraft

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from indistinct.engine.base import Assignment, Engine, Grouped, Layout


class EngineSink:
    """Where an engine publishes a release.

    Parameters
    ----------
    path
        Its place.
    checked
        The columns whose distinct rows are counted when it is read back.
    """

    def __init__(self, engine: Engine, path: Path, layout: Layout, checked: Sequence[str]) -> None:
        self.path = path
        self.draft = FileDraft(path)
        self.parts = (self.draft,)
        self._engine = engine
        self._layout = layout
        self._checked = checked

    def write(self, content: Assignment) -> None:
        """Have the engine write the draft."""
        self._engine.write(self.draft.draft, content, self._layout)

    def read_back(self) -> Grouped:
        """Have the engine count what stands in the draft."""
        return self._engine.read_back(self.draft.draft, self._checked)
