"""A file, or a folder of files, that an engine writes, reads back and then puts in its place."""

from __future__ import annotations

from functools import cache, partial
from typing import TYPE_CHECKING, ClassVar

from indistinct.disk.drafts import FileDraft
from indistinct.disk.folder_drafts import FolderDraft
from indistinct.io.files import hash_of
from indistinct.running.background import in_background

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from indistinct.engine.base import Assignment, Grouped
    from indistinct.engine.work import EngineWork


class EngineSink:
    """Where the engine of a release publishes it: a Parquet file, or a folder of them."""

    form: ClassVar[dict[str, str]] = {"format": "parquet", "delimiter": ","}

    def __init__(self, work: EngineWork, path: Path) -> None:
        self.path = path
        self.name = path.name
        self.draft = FolderDraft(path) if work.engine.writes_folders else FileDraft(path)
        self.parts = (self.draft,)
        self._work = work

    def write(self, content: Assignment) -> None:
        """Have the engine write the draft."""
        engine, layout = self._work.engine, self._work.layout()
        self._work.on_engine(engine.write, self.draft.draft, content, layout)

    def read_back(self) -> Grouped:
        """Have the engine count what stands in the draft."""
        columns = self._work.read_back_columns()
        return self._work.on_engine(self._work.engine.read_back, self.draft.draft, columns)

    def content(self) -> Callable[[], str]:
        """Return what has the engine hash the rows of the draft, whatever their order."""
        engine = self._work.engine
        return cache(partial(self._work.on_engine, engine.content, self.draft.draft))

    def hashed(self) -> Callable[[], str]:
        """Begin to hash the draft; return what waits for it."""
        return in_background(hash_of, self.draft.draft).result
