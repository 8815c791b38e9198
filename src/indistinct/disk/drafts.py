"""Drafts: outputs are written beside their places and put there together, or not at all.

A draft may hold private rows that nobody has checked yet. Only its owner may read it; it is removed
on any error or interrupt; and one that a kill or a power cut left is removed by the next run that
writes into its folder. A draft is alive as long as a process holds the lock on it, which the system
lets go of when that process ends, however it ends.
"""

from __future__ import annotations

import logging
import os
import re
import secrets
import shutil
import signal
import stat
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from indistinct.errors import Fault, OutputError, counted

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

DRAFT = re.compile(r"\..*\.indistinct-[0-9a-f]{16}\.tmp(\.[^.]+){0,2}", re.DOTALL)
LONGEST_NAME = 255
LONGEST_ENDING = 20
OWNER_ONLY = 0o600
EVERYONE = 0o666
ENDING = ("SIGINT", "SIGTERM", "SIGHUP")

_log = logging.getLogger("indistinct")
_noted: list[list[Path | str]] = []


class Drafted(Protocol):
    """An output in the making: nobody but us sees its draft until that takes its place."""

    @property
    def place(self) -> str:
        """How messages name the output."""

    def begin(self) -> None:
        """Make an empty draft that only its owner may read."""

    def secure(self) -> None:
        """Make sure that what the draft holds outlasts a power cut; nothing is seen yet."""

    def commit(self) -> None:
        """Let the draft take its place."""

    def discard(self) -> None:
        """Remove what is left of the draft, whatever happened before."""


class FileDraft:
    """A file beside its place.

    Parameters
    ----------
    path
        The place.
    private
        Whether the file stays readable by its owner alone; others get the mode of new files.
    new
        Whether it must not replace a file.
    """

    def __init__(self, path: Path, *, private: bool = False, new: bool = False) -> None:
        self.path = path
        self.draft = draft_name(path)
        self.place = str(path)
        self._private = private
        self._become = _become_new if new else Path.replace
        self._lock: int | None = None

    def begin(self) -> None:
        """Make an empty draft, locked as long as this process lives."""
        with telling_unwritable(self.path):
            self._lock = _created(self.draft)

    def secure(self) -> None:
        """Have the system write the draft to the disk, and give it its mode."""
        with telling_unwritable(self.path):
            _made_safe(self.draft, private=self._private)

    def commit(self) -> None:
        """Rename the draft to its place."""
        self._become(self.draft, self.path)
        note(self.path)

    def discard(self) -> None:
        """Remove the draft, if it did not take its place, and let go of its lock."""
        with suppress(OSError):
            self.draft.unlink(missing_ok=True)
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None


@contextmanager
def together(drafts: Sequence[Drafted]) -> Iterator[None]:
    """Let all drafts take their places, in this order, if all goes well; otherwise none.

    A full disk or a kill half way leaves the old outputs whole.
    """
    try:
        for draft in drafts:
            draft.begin()
        yield
        for draft in drafts:
            draft.secure()
        _commit_all(drafts)
    except OSError as error:
        raise OutputError(_unwritable(drafts[0].place, error)) from None
    finally:
        with uninterrupted():
            for draft in drafts:
                draft.discard()


@contextmanager
def beside(path: Path, *, private: bool = False) -> Iterator[Path]:
    """Yield a path beside the target; it takes the target's place only if all goes well."""
    with all_beside([path], private=[path] if private else []) as drafts:
        yield drafts[path]


@contextmanager
def all_beside(
    paths: Sequence[Path], *, private: Collection[Path] = (), new: bool = False
) -> Iterator[Mapping[Path, Path]]:
    """Yield a draft for each path; all take their places, in this order, only if all goes well.

    Those that are `private` stay readable by their owner alone. If all must be `new`, none
    replaces a file.
    """
    drafts = [FileDraft(path, private=path in private, new=new) for path in paths]
    with together(drafts):
        yield {draft.path: draft.draft for draft in drafts}


def write_text(path: Path, text: str, *, private: bool = False, new: bool = False) -> None:
    """Write a whole text file or nothing; where there is none yet, if it must be `new`."""
    with all_beside([path], private=[path] if private else [], new=new) as drafts:
        fill(path, drafts[path], text)


def refuse_existing(path: Path, what: str) -> None:
    """Raise if a file is there already which would be overwritten by what nobody has read yet."""
    if path.exists():
        problem = f"it exists, and {what} is never overwritten"
        raise OutputError(Fault(str(path), problem, "Name another file, or move this one away."))


def fill(path: Path, draft: Path, text: str) -> None:
    """Write the text of a draft and make it safe; a failure names the file it would become."""
    with telling_unwritable(path), draft.open("w", encoding="utf-8", newline="") as handle:
        handle.write(text)
        handle.flush()
        os.fsync(handle.fileno())


@contextmanager
def telling_unwritable(path: Path) -> Iterator[None]:
    """Say of the output that it cannot be written, if writing its draft fails."""
    try:
        yield
    except OSError as error:
        raise OutputError(_unwritable(str(path), error)) from None


def _unwritable(place: str, error: OSError, more: str = "") -> Fault:
    reason = (os.strerror(error.errno) if error.errno else str(error)).lower()
    return Fault(place, f"it cannot be written: {reason}{more}", "Choose another place.")


def draft_name(path: Path) -> Path:
    """Return where to draft a file: beside it, and named like it as far as a name may be long.

    >>> from pathlib import Path
    >>> draft_name(Path("out/release.csv.gz")).name  # doctest: +ELLIPSIS
    '.release.csv.gz.indistinct-....tmp.csv.gz'
    """
    ending = "".join(path.suffixes[-2:])
    ending = ending if len(os.fsencode(ending)) <= LONGEST_ENDING else path.suffix
    ending = ending if len(os.fsencode(ending)) <= LONGEST_ENDING else ""
    suffix = f".indistinct-{secrets.token_hex(8)}.tmp{ending}"
    longest = _longest_name(path.parent) - 1 - len(os.fsencode(suffix))
    name = os.fsencode(path.name)[:longest].decode(sys.getfilesystemencoding(), "ignore")
    return path.with_name(f".{name}{suffix}")


def _longest_name(folder: Path) -> int:
    try:
        return os.pathconf(folder, "PC_NAME_MAX")
    except (OSError, ValueError, AttributeError):
        return LONGEST_NAME


def _created(draft: Path) -> int:
    """Make an empty draft that only its owner may read, and hold the lock that says it is alive.

    Somebody who looks for dead drafts between the two may take this one for dead, lock it, and
    remove it: then it is made again.
    """
    while True:
        handle = os.open(draft, os.O_RDWR | os.O_CREAT | os.O_EXCL, OWNER_ONLY)
        with suppress(OSError):  # some network folders have no locks, and nobody takes one then
            _lock(handle, wait=True)
        if os.fstat(handle).st_nlink:
            return handle
        os.close(handle)


def locked_folder(draft: Path, mode: int) -> int:
    """Make an empty folder as a draft, and hold the lock that says it is alive."""
    while True:
        draft.mkdir(mode)
        handle = os.open(draft, os.O_RDONLY)
        with suppress(OSError):
            _lock(handle, wait=True)
        if draft.exists():  # nobody took it for dead meanwhile
            return handle
        os.close(handle)


def _lock(handle: int, *, wait: bool) -> None:
    if sys.platform != "win32":
        fcntl.flock(handle, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))


def _made_safe(draft: Path, *, private: bool) -> None:
    with draft.open("rb") as handle:
        os.fsync(handle.fileno())
    if not private:
        with suppress(OSError):  # some folders keep no modes
            draft.chmod(EVERYONE & ~umask())


def umask() -> int:
    """Return what new files are denied."""
    mask = os.umask(0o077)
    os.umask(mask)
    return mask


def _become_new(draft: Path, path: Path) -> None:
    """Let a draft take a place that must be empty."""
    try:
        path.hardlink_to(draft)
    except FileExistsError:
        raise
    except OSError:  # some folders have no hard links
        if path.exists():
            raise
        draft.replace(path)


def _commit_all(drafts: Sequence[Drafted]) -> None:
    done: list[str] = []
    with uninterrupted():
        for draft in drafts:
            try:
                draft.commit()
            except OSError as error:
                more = f"; written already: {', '.join(done)}" if done else ""
                raise OutputError(_unwritable(draft.place, error, more)) from None
            done.append(draft.place)


@contextmanager
def noting() -> Iterator[list[Path | str]]:
    """Yield a list of the outputs that took their places since."""
    places: list[Path | str] = []
    _noted.append(places)
    try:
        yield places
    finally:
        _noted[:] = [others for others in _noted if others is not places]


def note(place: Path | str) -> None:
    """Note that an output took its place."""
    for places in _noted:
        places.append(place)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Hold back Ctrl-C, and signals like it, until what was begun is whole."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    came: list[int] = []
    numbers = [getattr(signal, name) for name in ENDING if hasattr(signal, name)]
    former = {
        number: signal.signal(number, lambda arrived, _: came.append(arrived))
        for number in numbers
        if signal.getsignal(number) not in {None, signal.SIG_IGN}
    }
    try:
        yield
    finally:
        for number, handler in former.items():
            signal.signal(number, handler)
        if came:
            signal.raise_signal(came[0])


def sweep(folders: Iterable[Path]) -> None:
    """Remove the drafts that runs left in folders when they were killed, and say so in the log."""
    for folder in sorted({folder.resolve() for folder in folders}):
        removed = sum(map(_removed_if_dead, _drafts_in(folder)))
        if removed:
            how_many = counted(removed, "draft")
            _log.warning("indistinct removed %s that a killed run left in %s", how_many, folder)


def _drafts_in(folder: Path) -> list[Path]:
    try:
        return [path for path in folder.iterdir() if DRAFT.fullmatch(path.name)]
    except OSError:
        return []


def _removed_if_dead(draft: Path) -> bool:
    """Remove a draft of the same user on which no process holds the lock."""
    if sys.platform == "win32":
        return False
    is_folder = draft.is_dir() and not draft.is_symlink()
    access = os.O_RDONLY if is_folder else os.O_RDWR
    try:
        handle = os.open(draft, access | os.O_NOFOLLOW | os.O_NONBLOCK)
    except OSError:
        return False
    try:
        status = os.fstat(handle)
        is_draft = stat.S_ISDIR(status.st_mode) if is_folder else stat.S_ISREG(status.st_mode)
        if not is_draft or status.st_uid != os.geteuid():
            return False
        _lock(handle, wait=False)
        shutil.rmtree(draft) if is_folder else draft.unlink()
    except OSError:
        return False
    else:
        return True
    finally:
        os.close(handle)
