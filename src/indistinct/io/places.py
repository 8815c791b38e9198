"""Places of files: reported before any work if nothing can be read there, or nothing written."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from indistinct.disk.drafts import sweep
from indistinct.disk.folder_drafts import holds_parts
from indistinct.errors import DataError, Fault, OutputError
from indistinct.io.databases.address import Address
from indistinct.io.databases.tables import TableSource, identity_of, unpublishable
from indistinct.io.packing import OTHER_PACKINGS, packing_of
from indistinct.io.registry import ADVISED, READABLE, unwritable

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence
    from pathlib import Path

    Place = Path | Address

READ = f"Give a file with a header: {READABLE}."


def require_readable(path: Path, remedy: str = READ) -> None:
    """Raise if the file is not there, is none, is empty, packed otherwise, or may not be read."""
    try:
        problem, remedy = _unreadable(path, remedy)
    except (OSError, ValueError) as error:
        problem, remedy = no_path(error), "Check the path."
    if problem:
        raise DataError(Fault(str(path), problem, remedy))


def require_there(place: Place) -> None:
    """Raise if there is no such file or table to read."""
    if isinstance(place, Address):
        TableSource(place).column_names()
    else:
        require_readable(place)


def _unreadable(path: Path, remedy: str) -> tuple[str | None, str]:
    problem = None
    if str(path) == "-":
        problem, remedy = "nothing is read from standard input", "Save it as a file first."
    elif not path.exists():
        problem = "there is no such file"
    elif path.is_dir():
        problem = "it is a folder, not a file"
    elif not path.is_file():
        problem, remedy = "it is a device or a pipe, not a file", "Save it as a file first."
    elif path.stat().st_size == 0:
        problem = "the file is empty"
    elif path.suffix.lower() in OTHER_PACKINGS:
        problem = "it is compressed, and has to be unpacked first"
    elif not os.access(path, os.R_OK):
        problem = "you may not read it"
    return problem, remedy


def refuse_unwritable(
    outputs: Sequence[Place],
    inputs: Sequence[Place],
    *,
    tables: Sequence[Place] = (),
    packable: Sequence[Place] = (),
    folders: Sequence[Place] = (),
) -> None:
    """Raise before any work if an output cannot be written, repeats, or would replace an input.

    Those of the outputs that are `tables` must not be named like something else, and only those
    that are `packable` like something packed; those that are written as `folders` may replace one
    of a release. Drafts that killed runs left in the folders of the
    outputs are removed. Whether a table of a database can be replaced is tried out, and undone.
    """
    files = [path for path in outputs if not isinstance(path, Address)]
    faults = [
        Fault(str(path), f"no {ending} files are written", f"Name a {ADVISED} file.")
        for path in tables
        if not isinstance(path, Address) and (ending := unwritable(path))
    ]
    faults += [
        Fault(str(path), "it is not written compressed", f"Leave out {path.suffix}.")
        for path in files
        if packing_of(path) and path not in packable
    ]
    read = {_whole(source) for source in inputs} - {None}
    databases = {p.path.resolve() for p in (*inputs, *outputs) if isinstance(p, Address) and p.path}
    for place, path in enumerate(outputs):
        if (whole := _whole(path)) in read or whole in databases:
            faults.append(Fault(str(path), "the output is an input", "Choose another name."))
        elif whole and whole in {_whole(other) for other in outputs[:place]}:
            faults.append(Fault(str(path), "two outputs have this name", "Choose another name."))
        elif path in folders and not isinstance(path, Address) and holds_parts(path):
            continue
        elif problem_and_remedy := _unfit(path):
            faults.append(Fault(str(path), *problem_and_remedy))
    if faults:
        raise OutputError(faults)
    sweep([*(path.parent for path in files), *(path.parent for path in databases)])


def _whole(path: Place) -> Hashable | None:
    """Return the path without links, or which table it is; None if there can be no such path."""
    try:
        return identity_of(path) if isinstance(path, Address) else path.resolve()
    except (OSError, ValueError, RuntimeError):
        return None


def _unfit(path: Place) -> tuple[str, str] | None:
    """Say why nothing can take this place, and what to do; None if something can."""
    try:
        if isinstance(path, Address):
            return unpublishable(path) or (_unfit_place(path.path) if path.path else None)
        return _unfit_place(path)
    except (OSError, ValueError, RuntimeError) as error:
        return no_path(error), "Choose another name."


def no_path(error: Exception) -> str:
    """Say why there can be no such path: a name that is too long, or no name at all."""
    return (getattr(error, "strerror", None) or str(error)).lower()


def _unfit_place(path: Path) -> tuple[str, str] | None:
    folder = path.resolve().parent
    linked = "it is a link, which the output would replace"
    checks = (
        (str(path) == "-", "nothing is written to standard output", "Name a file."),
        (path.is_dir(), "it is a folder", "Name a file in it."),
        (path.exists() and not path.is_file(), "it is a device or a pipe", "Name a file."),
        (path.is_symlink(), linked, "Name the file itself."),
        (not folder.is_dir(), f"there is no folder {folder}", "Create it first."),
        (not os.access(folder, os.W_OK), "its folder is not writable", "Choose another place."),
    )
    return next(((problem, remedy) for wrong, problem, remedy in checks if wrong), None)
