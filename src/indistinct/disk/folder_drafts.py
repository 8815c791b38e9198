"""Drafts of folders: several files that are one output, and take its place together.

What `drafts.py` promises of files holds of folders: only their owner may read a draft; it takes its
place in one step; and one that a kill left is removed by the next run that writes beside it.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

from indistinct.disk.drafts import (
    EVERYONE,
    draft_name,
    locked_folder,
    note,
    telling_unwritable,
    umask,
)
from indistinct.errors import Fault, OutputError

if TYPE_CHECKING:
    from pathlib import Path

PART = re.compile(r"part-\d{5}\.parquet")
OWNER_ONLY = 0o700
EVERYONE_ENTERS = 0o777
EXCHANGE = 2  # RENAME_EXCHANGE of linux/fs.h
HERE = -100  # AT_FDCWD


class FolderDraft:
    """A folder beside its place.

    It replaces a folder of such parts as an engine writes, and no other: a place that was named by
    mistake keeps what it holds.

    Parameters
    ----------
    path
        The place.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.draft = draft_name(path)
        self.place = str(path)
        self._lock: int | None = None

    def begin(self) -> None:
        """Make an empty draft, locked as long as this process lives."""
        if self.path.exists() and not holds_parts(self.path):
            problem = "it exists, and is not a folder of parts of a release"
            raise OutputError(Fault(self.place, problem, "Name another, or move this one away."))
        with telling_unwritable(self.path):
            self._lock = locked_folder(self.draft, OWNER_ONLY)

    def secure(self) -> None:
        """Have the system write all files to the disk, and give them their modes."""
        with telling_unwritable(self.path):
            for path in (*sorted(self.draft.iterdir()), self.draft):
                mode = EVERYONE_ENTERS if path.is_dir() else EVERYONE
                handle = os.open(path, os.O_RDONLY)
                try:
                    os.fsync(handle)
                finally:
                    os.close(handle)
                with suppress(OSError):  # some folders keep no modes
                    path.chmod(mode & ~umask())

    def commit(self) -> None:
        """Let the draft take its place; what stood there goes where the draft was."""
        if not self.path.exists():
            self.draft.rename(self.path)
        elif not _exchanged(self.draft, self.path):
            self._commit_in_two_steps()
        note(self.path)

    def _commit_in_two_steps(self) -> None:
        """Move what stands there aside; move it back if the draft cannot take its place."""
        aside = draft_name(self.path)
        self.path.rename(aside)
        try:
            self.draft.rename(self.path)
        except OSError:
            aside.rename(self.path)
            raise
        shutil.rmtree(aside, ignore_errors=True)

    def discard(self) -> None:
        """Remove the draft, or what it replaced, and let go of its lock."""
        shutil.rmtree(self.draft, ignore_errors=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


def holds_parts(path: Path) -> bool:
    """Return whether a folder holds parts as an engine writes them, and nothing else."""
    try:
        names = [part.name for part in path.iterdir()]
    except OSError:
        return False
    return not path.is_symlink() and all(map(PART.fullmatch, names))


def _exchanged(draft: Path, path: Path) -> bool:
    """Exchange two folders in one step, where the system can."""
    if sys.platform != "linux":
        return False
    exchange = getattr(ctypes.CDLL(None), "renameat2", None)
    if exchange is None:
        return False
    return bool(exchange(HERE, os.fsencode(draft), HERE, os.fsencode(path), EXCHANGE) == 0)
