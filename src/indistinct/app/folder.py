"""The private folder of a running app: its owner's alone, gone at the end, or at the next start."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from indistinct.disk.drafts import draft_name, locked_folder, sweep, uninterrupted

if TYPE_CHECKING:
    from collections.abc import Iterator

OWNER_ONLY = 0o700


@contextmanager
def private_folder() -> Iterator[Path]:
    """Make a folder that only its owner may enter, and remove it at the end.

    What a killed app left is removed first. A living one holds a lock on its folder.
    """
    place = Path(tempfile.gettempdir()).resolve()
    sweep([place])
    folder = draft_name(place / "indistinct-app")
    handle = locked_folder(folder, OWNER_ONLY)
    try:
        yield folder
    finally:
        with uninterrupted():
            shutil.rmtree(folder, ignore_errors=True)
            os.close(handle)
